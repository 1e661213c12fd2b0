/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope: finds the subcommand and hands over. Compiled twice: into the small executable that is on the PATH, and, with
 * HSC_FULL, into the one that has all commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#ifndef HSC_FULL
#include "hand_over.h"
#endif

static const struct {
    const char *name;
    int (*run)(int argc, char **argv); /* NULL: the full executable has it */
    const char *summary;
} commands[] = {
#define HSC_COMMAND(name, function, summary) {name, hsc_cmd_##function, summary},
#ifdef HSC_FULL
#define HSC_FULL_COMMAND HSC_COMMAND
#else
#define HSC_FULL_COMMAND(name, function, summary) {name, NULL, summary},
#endif
#include "commands.def"
#undef HSC_FULL_COMMAND
#undef HSC_COMMAND
    {NULL, NULL, NULL}};

static int run_command(size_t i, int argc, char **argv) {
#ifndef HSC_FULL
    if (!commands[i].run)
        return hsc_cli_hand_over(commands[i].name);
#endif
    return commands[i].run(argc, argv);
}

static void print_commands(FILE *f) {
    fprintf(f, "usage: heatscope COMMAND [ARGS]\n\n"
               "Shows where, on which processor and in which loop of your source the time of a program goes.\n\n");
    for (size_t i = 0; commands[i].name; i++)
        fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(f, "\nThe usual way:\n"
               "  heatscope cc -O2 -c prog.c ...     compile (or CC=heatscope-cc); any program can be run without it\n"
               "  heatscope run ./prog               run and measure; below MPI: mpirun -n 4 heatscope run ./prog\n"
               "  heatscope report DIR               the answer as text\n"
               "  heatscope view DIR                 the answer in a window\n\n"
               "'heatscope COMMAND --help' tells more; 'heatscope doctor' what this machine allows.\n");
}

/* Called as heatscope-cc and the like: the command's name is part of ours. Or as the compiler itself (`heatscope config --compilers`). */
static int run_by_name(int argc, char **argv) {
    static const char *const compilers[][2] = {{"clang", "cc"}, {"clang-19", "cc"}, {"clang++", "c++"}, {"clang++-19", "c++"}, {"flang", "fc"}, {"flang-new", "fc"}, {"flang-new-19", "fc"}};
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0], *command = strncmp(name, "heatscope-", 10) ? "" : name + 10;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        if (!strcmp(name, compilers[i][0]))
            command = compilers[i][1];
    for (size_t i = 0; commands[i].name; i++)
        if (!strcmp(command, commands[i].name))
            return run_command(i, argc, argv);
    return -1;
}

static int unknown_command(const char *name) {
    fprintf(stderr, "heatscope: unknown command '%s'; 'heatscope --help' lists the commands\n", name);
    return HSC_EXIT_USAGE;
}

/* `heatscope help COMMAND` is what `heatscope COMMAND --help` is. */
static int run_help(char **argv) {
    static char option[] = "--help";
    char *words[] = {argv[2], option, NULL};
    for (size_t i = 0; commands[i].name; i++)
        if (!strcmp(argv[2], commands[i].name)) {
#ifndef HSC_FULL
            hsc_cli_keep_words((char *[]){argv[0], argv[2], option, NULL});
#endif
            return run_command(i, 2, words);
        }
    return unknown_command(argv[2]);
}

static void print_man(FILE *f) {
    fprintf(f,
            ".TH HEATSCOPE 1 \"\" \"heatscope %s\" \"Heatscope\"\n.SH NAME\n"
            "heatscope \\- shows where, on which processor and in which loop of its source the time of a program goes\n"
            ".SH SYNOPSIS\n.B heatscope\n.I COMMAND\n[ARGS]\n.SH COMMANDS\n",
            HEATSCOPE_VERSION);
    for (size_t i = 0; commands[i].name; i++)
        fprintf(f, ".TP\n\\fB%s\\fR\n%s\n", commands[i].name, commands[i].summary);
    fprintf(f, ".PP\nThe compilers take their own options; the others have a manual page each, heatscope\\-COMMAND (1).\n"
               ".SH EXAMPLES\n.nf\nheatscope cc \\-O2 \\-o prog prog.c\nmpirun \\-n 4 heatscope run \\-o measured ./prog\n"
               "heatscope report measured\nheatscope view measured\n.fi\n");
}

int main(int argc, char **argv) {
#ifdef HSC_FULL
    const char *told = getenv(HSC_CLI_TUNABLES);
    if (told && !strcmp(told, HSC_CLI_LARGE_PAGES)) /* malloc has read it; programs that we start have what the user gave us */
        unsetenv(HSC_CLI_TUNABLES);
#else
    hsc_cli_keep_words(argv);
#endif
    int code = argc ? run_by_name(argc, argv) : -1;
    if (code >= 0)
        return code;
    if (argc < 2) {
        print_commands(stderr);
        return HSC_EXIT_USAGE;
    }
    if (argc > 2 && !strcmp(argv[1], "help"))
        return run_help(argv);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help") || !strcmp(argv[1], "-h")) {
        print_commands(stdout);
        return HSC_EXIT_OK;
    }
    if (!strcmp(argv[1], "--man")) {
        print_man(stdout);
        return HSC_EXIT_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("heatscope %s\n", HEATSCOPE_VERSION);
        return HSC_EXIT_OK;
    }
    for (size_t i = 0; commands[i].name; i++)
        if (!strcmp(argv[1], commands[i].name))
            return run_command(i, argc - 1, argv + 1);
    return unknown_command(argv[1]);
}
