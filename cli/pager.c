/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pager.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

static pid_t reader; /* 0: there is none */
static const char *named;

static bool is_there(const char *program) {
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    for (const char *at = path; at && *at;) {
        size_t n = strcspn(at, ":");
        if ((size_t)snprintf(file, sizeof file, "%.*s/%s", (int)n, at, program) < sizeof file && !access(file, X_OK))
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

static const char *pager(void) {
    const char *asked = getenv("HEATSCOPE_PAGER"), *term = getenv("TERM");
    char word[256];
    if (!isatty(STDOUT_FILENO) || !term || !*term || !strcmp(term, "dumb"))
        return NULL;
    asked = asked ? asked : getenv("PAGER");
    asked = asked ? asked : is_there("less") ? "less" : "";
    snprintf(word, sizeof word, "%.*s", (int)strcspn(asked, " \t"), asked);
    if (!*asked || !strcmp(asked, "cat"))
        return NULL;
    if (!strpbrk(asked, "/;&|'\"$\\<>(){}=*?") && !is_there(word)) { /* else the shell's affair */
        fprintf(stderr, "heatscope: no pager '%s' (HEATSCOPE_PAGER or PAGER)\n", word);
        return NULL;
    }
    return asked;
}

/* In the child. The signals that the terminal sends are the pager's own affair. */
static void become(const char *command, int from) {
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    setenv("LESS", "FRX", 0); /* what fits on the screen is left there; colours are colours */
    if (dup2(from, STDIN_FILENO) >= 0)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

void hsc_pager_begin(void) {
    int ends[2];
    char columns[16];
    if (reader || !(named = pager()) || pipe(ends))
        return;
    snprintf(columns, sizeof columns, "%d", hsc_cli_width()); /* what is written to it is as wide as the terminal */
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return;
    }
    if (!child) {
        close(ends[1]);
        become(named, ends[0]);
    }
    setenv("COLUMNS", columns, 1);
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    reader = child;
}

int hsc_pager_end(const char *command, hsc_status status, const hsc_err *err) {
    bool failed = fflush(stdout) || ferror(stdout);
    int why = errno, how = 0;
    if (reader) {
        close(STDOUT_FILENO);
        while (waitpid(reader, &how, 0) < 0 && errno == EINTR)
            ;
        reader = 0;
        failed = failed && why != EPIPE;
    }
    if (status)
        return hsc_cli_fail(command, err);
    if (WIFEXITED(how) && WEXITSTATUS(how) >= 126)
        fprintf(stderr, "heatscope %s: cannot start the pager '%s' of HEATSCOPE_PAGER or PAGER (cat: none)\n", command, named);
    else if (failed)
        fprintf(stderr, "heatscope %s: cannot write: %s\n", command, strerror(why));
    else
        return HSC_EXIT_OK;
    return HSC_EXIT_FAILED;
}
