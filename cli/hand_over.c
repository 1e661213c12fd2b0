/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the small executable has not: the full one has it. */
#include "hand_over.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static char **words;

void hsc_cli_keep_words(char **argv) {
    words = argv;
}

int hsc_cli_hand_over(const char *command) {
    char path[PATH_MAX];
    hsc_cli_lib_file(HSC_CLI_FULL, path, sizeof path); /* where it is missing, exec says so */
    setenv(HSC_CLI_TUNABLES, HSC_CLI_LARGE_PAGES, 0);  /* what the user says of malloc stands */
    execv(path, words);
    fprintf(stderr, "heatscope %s: %s: %s: the installation is not whole\n", command, path, strerror(errno));
    return HSC_EXIT_FAILED;
}

int hsc_cli_make_database(const char *command, const char *path, const char *database) {
    (void)path, (void)database; /* found again by the other */
    return hsc_cli_hand_over(command);
}
