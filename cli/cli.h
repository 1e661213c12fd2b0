/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the subcommands share: option tables, where our own files are, one-line errors, progress. */
#ifndef HEATSCOPE_CLI_H
#define HEATSCOPE_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <heatscope/formats/err.h>

/* Exit codes: 0 done; 1 failed (one line on stderr says why); 2 wrong usage; `run` and the compiler wrappers end as the
 * program they start. */
enum { HSC_EXIT_OK = 0, HSC_EXIT_FAILED = 1, HSC_EXIT_USAGE = 2 };

/* One option. `argument` NULL: takes none. Help text: one line of plain text. Tables end with a NULL long_name. */
typedef struct hsc_cli_option {
    const char *long_name; /* without dashes */
    char short_name;       /* 0: none */
    const char *argument;  /* "FILE", "HZ"; NULL */
    const char *help;
} hsc_cli_option;

typedef struct hsc_cli_command {
    const char *name;
    const char *summary;     /* one line */
    const char *usage;       /* "[OPTIONS] DIR...", without "heatscope NAME" */
    const char *description; /* paragraphs separated by blank lines; "" */
    const char *examples;    /* lines; "" */
    const hsc_cli_option *options;
    bool stop_at_first_operand; /* what follows the first operand belongs to another program */
} hsc_cli_command;

/* Parses argv[1..]. Calls set(ctx, option index, value) for each option in order; operands are moved to the end of argv
 * and *first_operand tells where they start. --help prints the help and --man the man page (troff) from the same table;
 * both, and wrong usage (one line on stderr), return the code to exit with; -1: go on. Long options may be abbreviated
 * only exactly; "--" ends the options; "--name=value", "--name value", "-xvalue" and "-x value" are taken. */
int hsc_cli_parse(const hsc_cli_command *c, int argc, char **argv,
                  int (*set)(void *ctx, int option, const char *value), void *ctx, int *first_operand);

/* For set(): one line "heatscope NAME: --option: expected ..., got ..." on stderr; returns HSC_EXIT_USAGE. */
int hsc_cli_bad_value(const hsc_cli_command *c, int option, const char *expected, const char *got);

/* Unsigned decimal integer in [low, high]; false if it is none. */
bool hsc_cli_parse_u64(const char *text, unsigned long long low, unsigned long long high, unsigned long long *out);
/* A number of bytes, with K, M, G or T behind it the 1024-fold, ... of it. */
bool hsc_cli_parse_bytes(const char *text, unsigned long long low, unsigned long long high, unsigned long long *out);

/* "heatscope NAME: text" on stderr; returns HSC_EXIT_FAILED. */
int hsc_cli_fail(const char *command, const hsc_err *err);

/* The executable with all commands, <prefix>/lib/heatscope/heatscope-full; <prefix>/bin/heatscope is the small one, which loads
 * little and starts the other for what it has not. */
#define HSC_CLI_FULL "heatscope-full"
/* What malloc of glibc is told, which it reads before main: to ask for large pages. Getting memory is a part of all the work, and a page of 4 KB
 * takes nearly as long as one of 2 MB. The full executable takes it out of its environment again, and so does the viewer (gui/tcl/main.tcl). */
#define HSC_CLI_TUNABLES "GLIBC_TUNABLES"
#define HSC_CLI_LARGE_PAGES "glibc.malloc.hugetlb=1"

/* Where our own files are, the same in the build tree and installed: <prefix>/lib/heatscope/NAME,
 * <prefix>/share/heatscope/NAME and <prefix>/bin/NAME, <prefix> being known from where this executable is.
 * Returns false (buffer holds the path looked for) when the file is not there. */
bool hsc_cli_lib_file(const char *name, char *buffer, size_t size);
bool hsc_cli_include_file(const char *name, char *buffer, size_t size); /* <prefix>/include/NAME */
bool hsc_cli_share_file(const char *name, char *buffer, size_t size);
bool hsc_cli_bin_file(const char *name, char *buffer, size_t size);

/* True when the path is a measurement directory / a file that begins like HDF5. */
bool hsc_cli_is_measurement(const char *path);
bool hsc_cli_is_database(const char *path);

/* The database for what the user named: a database itself; for a measurement directory DIR/heatscope.h5, correlated
 * first when it is missing or older than the measurement (says so on stderr). Returns an exit code, -1: go on. */
int hsc_cli_database_for(const char *command, const char *path, char *buffer, size_t size);
/* Correlates the measurement directory `path` into `database`; returns as hsc_cli_database_for. In the small executable: starts
 * the full one with the words that this one was started with, and returns only if that fails. */
int hsc_cli_make_database(const char *command, const char *path, const char *database);

/* The metric of that name (capitals do not matter) or number, else the only one whose name has that word; name NULL: *out as it is.
 * HSC_E_ARGUMENT: there is none, or several with the word. */
struct hsc_db;
hsc_status hsc_cli_find_metric(struct hsc_db *db, const char *name, uint32_t *out, hsc_err *err);
/* The category, likewise, but for numbers. */
hsc_status hsc_cli_find_category(struct hsc_db *db, const char *name, uint32_t *out, hsc_err *err);

/* Sets the interval that `text` says (FROM:TO in seconds or percent; NULL: none). HSC_E_ARGUMENT, HSC_E_MISSING. */
hsc_status hsc_cli_set_interval(struct hsc_db *db, const char *text, hsc_err *err);

/* Columns that text may take: the terminal's, from 80 to 160; 80 in a pipe. */
int hsc_cli_width(void);

/* Progress of long work: a line that redraws itself on a terminal, nothing in a pipe. done/total in any unit. */
void hsc_cli_progress(const char *what, double done, double total);
void hsc_cli_progress_end(void);

#define HSC_COMMAND(name, function, summary) int hsc_cmd_##function(int argc, char **argv);
#define HSC_FULL_COMMAND HSC_COMMAND
#include "commands.def"
#undef HSC_FULL_COMMAND
#undef HSC_COMMAND

#endif
