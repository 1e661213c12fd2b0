/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope config: where our parts are and what to give to compilers. */
#include "cli.h"

#include <limits.h>
#include <string.h>

enum { OPT_PASS, OPT_CFLAGS, OPT_LIBS, OPT_PRELOAD, OPT_PRELOAD_MPI, OPT_COMPILERS, OPT_PREFIX, OPT_VERSION };

static const hsc_cli_option options[] = {
    {"pass", 0, NULL, "path of the compiler pass, for -fpass-plugin="},
    {"cflags", 0, NULL, "options for clang-19 and flang-new-19 to compile with the pass"},
    {"libs", 0, NULL, "options to link with"},
    {"preload", 0, NULL, "for LD_PRELOAD, to measure a program by its environment alone (heatscope run --help)"},
    {"preload-mpi", 0, NULL, "the same for programs that call MPI"},
    {"compilers", 0, NULL, "folder with clang, clang++ and flang that compile with the pass, to go in front of PATH where build scripts look at the compiler's name"},
    {"prefix", 0, NULL, "folder that heatscope is installed in"},
    {"version", 0, NULL, "version"},
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    "config",
    "Print where the parts are, for build scripts",
    "[OPTIONS]",
    "Prints one line for each option, in their order. Without options, all of it with names.\n\n"
    "The path of the pass holds the version: compiler caches look at the path of a plug-in, not\n"
    "at its contents.",
    "  clang-19 -O2 -g -fpass-plugin=$(heatscope config --pass) -c prog.c\n"
    "  make CFLAGS=\"-O2 $(heatscope config --cflags)\"\n"
    "  PATH=$(heatscope config --compilers):$PATH CC=clang ./configure\n"
    "  LD_PRELOAD=$(heatscope config --preload) HEATSCOPE_OUTPUT=/scratch/m1 ./prog",
    options,
    false};

static int print_one(int option, bool named) {
    char path[PATH_MAX];
    const char *label = named ? options[option].long_name : "";
    const char *gap = named ? ": " : "";
    switch (option) {
    case OPT_PASS:
    case OPT_CFLAGS:
        if (!hsc_cli_lib_file("heatscope-pass-" HEATSCOPE_VERSION ".so", path, sizeof path)) {
            fprintf(stderr, "heatscope config: the compiler pass is missing: %s\n", path);
            return HSC_EXIT_FAILED;
        }
        if (option == OPT_PASS)
            printf("%s%s%s\n", label, gap, path);
        else
            printf("%s%s-fpass-plugin=%s -g\n", label, gap, path);
        break;
    case OPT_LIBS:
        printf("%s%s-Wl,--build-id\n", label, gap);
        break;
    case OPT_PRELOAD:
    case OPT_PRELOAD_MPI:
        for (int i = 0; i <= (option == OPT_PRELOAD_MPI); i++) {
            if (!hsc_cli_lib_file(i ? "libheatscope-mpi.so" : "libheatscope-rt.so", path, sizeof path)) {
                fprintf(stderr, "heatscope config: a library is missing: %s\n", path);
                return HSC_EXIT_FAILED;
            }
            printf("%s%s%s", i ? ":" : label, i ? "" : gap, path);
        }
        putchar('\n');
        break;
    case OPT_COMPILERS:
        if (!hsc_cli_lib_file("compilers", path, sizeof path)) {
            fprintf(stderr, "heatscope config: a folder is missing: %s\n", path);
            return HSC_EXIT_FAILED;
        }
        printf("%s%s%s\n", label, gap, path);
        break;
    case OPT_PREFIX: {
        if (!hsc_cli_bin_file("heatscope", path, sizeof path)) {
            fprintf(stderr, "heatscope config: cannot tell where heatscope is: %s\n", path);
            return HSC_EXIT_FAILED;
        }
        for (int up = 0; up < 2; up++)
            *strrchr(path, '/') = 0;
        printf("%s%s%s\n", label, gap, path[0] ? path : "/");
        break;
    }
    default:
        printf("%s%s%s\n", label, gap, HEATSCOPE_VERSION);
        break;
    }
    return -1;
}

static int set_option(void *ctx, int option, const char *value) {
    (void)value;
    *(bool *)ctx = true;
    return print_one(option, false);
}

int hsc_cmd_config(int argc, char **argv) {
    int first = 0;
    bool any = false;
    int code = hsc_cli_parse(&command, argc, argv, set_option, &any, &first);
    if (code >= 0)
        return code;
    if (first < argc) {
        fprintf(stderr, "heatscope config: takes no operands, got '%s'\n", argv[first]);
        return HSC_EXIT_USAGE;
    }
    for (int i = 0; !any && options[i].long_name; i++) {
        code = print_one(i, true);
        if (code >= 0)
            return code;
    }
    return HSC_EXIT_OK;
}
