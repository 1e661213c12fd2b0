/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Option tables, help and man pages made from them, our own files, progress. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Paragraphs, which empty lines separate, in lines of at most `width` columns; lines that begin with a blank stay as they are. */
static void print_wrapped(const char *text, int width, FILE *f) {
    int column = 0;
    bool keep = *text == ' ';
    while (*text) {
        bool joins = *text == '\n' && column > 0 && !keep && text[1] && text[1] != '\n' && text[1] != ' '; /* in the midst of a paragraph */
        if (*text == '\n' && !joins) {
            fputc('\n', f);
            column = 0;
            keep = text[1] == ' ';
            text++;
            continue;
        }
        if (joins) {
            int word = (int)strcspn(++text, " \n");
            fputc(column + 1 + word > width ? '\n' : ' ', f);
            column = column + 1 + word > width ? word : column + 1 + word;
            fprintf(f, "%.*s", word, text);
            text += word;
            continue;
        }
        int blanks = (int)strspn(text, " ");
        int word = (int)strcspn(text + blanks, " \n");
        if (!keep && column > 0 && column + blanks + word > width) {
            fputc('\n', f);
            column = 0;
            blanks = 0;
            text += strspn(text, " ");
        }
        fprintf(f, "%.*s", blanks + word, text);
        column += blanks + word;
        text += blanks + word;
    }
    fputc('\n', f);
}

/* The rest of a line from column `indent` on, with more lines below it where it is longer than `width`. */
static void print_indented(const char *text, int indent, int width, FILE *f) {
    int column = indent;
    while (*text) {
        int word = (int)strcspn(text, " \n");
        bool begins = column == indent;
        if (!begins && column + 1 + word > width) {
            fprintf(f, "\n%*s", indent, "");
            column = indent;
            begins = true;
        }
        column += fprintf(f, begins ? "%.*s" : " %.*s", word, text);
        text += word;
        text += strspn(text, " \n");
    }
    fputc('\n', f);
}

static void print_help(const hsc_cli_command *c, FILE *f) {
    fprintf(f, "usage: heatscope %s %s\n\n%s.\n", c->name, c->usage, c->summary);
    if (c->description[0]) {
        fputc('\n', f);
        print_wrapped(c->description, 80, f);
    }
    fprintf(f, "\noptions:\n");
    for (const hsc_cli_option *o = c->options; o && o->long_name; o++) {
        char left[80];
        int n = snprintf(left, sizeof left, "  %c%c%c --%s%s%s", o->short_name ? '-' : ' ',
                         o->short_name ? o->short_name : ' ', o->short_name ? ',' : ' ', o->long_name,
                         o->argument ? "=" : "", o->argument ? o->argument : "");
        fprintf(f, n > 29 ? "%s\n%30s" : "%-29s%s ", left, "");
        print_indented(o->help, 30, 80, f);
    }
    fprintf(f, "  -h, --help                  this text\n");
    if (c->examples[0])
        fprintf(f, "\nexamples:\n%s\n", c->examples);
}

/* troff text with what begins a request or escapes made harmless */
static void print_troff(const char *text, FILE *f) {
    bool at_line_start = true;
    for (const char *p = text; *p; p++) {
        if (at_line_start && (*p == '.' || *p == '\''))
            fputs("\\&", f);
        if (*p == '\\')
            fputs("\\e", f);
        else if (*p == '-')
            fputs("\\-", f);
        else
            fputc(*p, f);
        at_line_start = *p == '\n';
    }
}

static void print_man(const hsc_cli_command *c, FILE *f) {
    fprintf(f, ".TH HEATSCOPE-%s 1 \"\" \"heatscope %s\" \"Heatscope\"\n.SH NAME\nheatscope\\-%s \\- ", c->name,
            HEATSCOPE_VERSION, c->name);
    print_troff(c->summary, f);
    fprintf(f, "\n.SH SYNOPSIS\n.B heatscope %s\n", c->name);
    print_troff(c->usage, f);
    if (c->description[0]) {
        fprintf(f, "\n.SH DESCRIPTION\n");
        print_troff(c->description, f);
    }
    fprintf(f, "\n.SH OPTIONS\n");
    for (const hsc_cli_option *o = c->options; o && o->long_name; o++) {
        fprintf(f, ".TP\n\\fB");
        if (o->short_name)
            fprintf(f, "\\-%c\\fR, \\fB", o->short_name);
        fprintf(f, "\\-\\-%s\\fR", o->long_name);
        if (o->argument)
            fprintf(f, "=\\fI%s\\fR", o->argument);
        fputc('\n', f);
        print_troff(o->help, f);
        fputc('\n', f);
    }
    fprintf(f, ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint a summary and exit\n");
    if (c->examples[0]) {
        fprintf(f, ".SH EXAMPLES\n.nf\n");
        print_troff(c->examples, f);
        fprintf(f, "\n.fi\n");
    }
    fprintf(f, ".SH EXIT STATUS\n0 done; 1 failed, one line on standard error says why; 2 wrong usage.\n"
               ".SH SEE ALSO\n.BR heatscope (1)\n");
}

int hsc_cli_bad_value(const hsc_cli_command *c, int option, const char *expected, const char *got) {
    fprintf(stderr, "heatscope %s: --%s: expected %s, got '%s'\n", c->name, c->options[option].long_name, expected, got);
    return HSC_EXIT_USAGE;
}

bool hsc_cli_parse_u64(const char *text, unsigned long long low, unsigned long long high, unsigned long long *out) {
    char *end = NULL;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (errno || *end || v < low || v > high)
        return false;
    *out = v;
    return true;
}

bool hsc_cli_parse_bytes(const char *text, unsigned long long low, unsigned long long high, unsigned long long *out) {
    static const char units[] = "KMGT";
    char number[32];
    size_t n = strlen(text);
    const char *unit = n ? strchr(units, text[n - 1]) : NULL;
    unsigned long long v, factor = 1;
    if (!n || n >= sizeof number)
        return false;
    for (const char *u = units; unit && u <= unit; u++)
        factor *= 1024;
    memcpy(number, text, n + 1);
    if (unit)
        number[n - 1] = 0;
    if (!hsc_cli_parse_u64(number, 0, high / factor, &v) || v * factor < low)
        return false;
    *out = v * factor;
    return true;
}

static bool has_option(const hsc_cli_command *c, const char *name) {
    for (const hsc_cli_option *o = c->options; o && o->long_name; o++)
        if (!strcmp(o->long_name, name))
            return true;
    return false;
}

static bool is_option(const char *arg, const char *name) {
    size_t n = strlen(name);
    return !strncmp(arg, name, n) && (!arg[n] || arg[n] == '=');
}

/* What says it here, of options that others have: perf's -e, and --probe, which the compiler takes. NULL: nothing is known. */
static const char *said_by(const hsc_cli_command *c, const char *arg) {
    if ((!strncmp(arg, "-e", 2) || is_option(arg, "--event")) && has_option(c, "metric"))
        return "--metric=NAME chooses what was counted";
    if ((is_option(arg, "--probe") || is_option(arg, "--probe-file")) && has_option(c, "disarm"))
        return "probes are compiled in, by 'heatscope cc --probe=...'; --arm and --disarm choose among them";
    return NULL;
}

static int usage_error(const hsc_cli_command *c, const char *what, const char *arg) {
    fprintf(stderr, "heatscope %s: %s '%s'; 'heatscope %s --help' lists the options\n", c->name, what, arg, c->name);
    return HSC_EXIT_USAGE;
}

int hsc_cli_parse(const hsc_cli_command *c, int argc, char **argv,
                  int (*set)(void *ctx, int option, const char *value), void *ctx, int *first_operand) {
    char **operands = calloc((size_t)argc + 1, sizeof *operands);
    if (!operands) {
        fprintf(stderr, "heatscope %s: out of memory\n", c->name);
        return HSC_EXIT_FAILED;
    }
    int n_operands = 0, code = -1;
    bool only_operands = false;
    for (int i = 1; i < argc && code < 0; i++) {
        char *a = argv[i];
        if (only_operands || a[0] != '-' || !a[1]) {
            operands[n_operands++] = a;
            only_operands = only_operands || c->stop_at_first_operand;
            continue;
        }
        if (!strcmp(a, "--")) {
            only_operands = true;
            continue;
        }
        if (!strcmp(a, "-h") || !strcmp(a, "--help") || !strcmp(a, "--man")) {
            (strcmp(a, "--man") != 0 ? print_help : print_man)(c, stdout);
            code = HSC_EXIT_OK;
            break;
        }
        const char *value = NULL;
        int k = 0;
        bool found = false;
        for (; c->options && c->options[k].long_name; k++) {
            const hsc_cli_option *o = &c->options[k];
            size_t n = strlen(o->long_name);
            if (a[1] == '-' ? !strncmp(a + 2, o->long_name, n) && (!a[2 + n] || a[2 + n] == '=')
                            : o->short_name && a[1] == o->short_name) {
                found = true;
                if (a[1] == '-')
                    value = a[2 + n] == '=' ? a + 3 + n : NULL;
                else
                    value = a[2] ? a + 2 : NULL;
                break;
            }
        }
        if (!found) {
            const char *known = said_by(c, a);
            if (known) {
                fprintf(stderr, "heatscope %s: unknown option '%s'; %s\n", c->name, a, known);
                code = HSC_EXIT_USAGE;
            } else
                code = usage_error(c, "unknown option", a);
            break;
        }
        if (!c->options[k].argument && value)
            code = usage_error(c, "takes no value:", a);
        else if (c->options[k].argument && !value && i + 1 >= argc)
            code = usage_error(c, "needs a value:", a);
        else {
            if (c->options[k].argument && !value)
                value = argv[++i];
            code = set ? set(ctx, k, value) : -1;
        }
    }
    if (code < 0) {
        *first_operand = argc - n_operands;
        memcpy(argv + *first_operand, operands, (size_t)n_operands * sizeof *operands);
    }
    free(operands);
    return code;
}

int hsc_cli_fail(const char *command, const hsc_err *err) {
    fprintf(stderr, "heatscope %s: %s\n", command, err->text[0] ? err->text : hsc_status_text(err->status));
    return HSC_EXIT_FAILED;
}

static bool own_file(const char *folder, const char *name, char *buffer, size_t size) {
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0)
        return false;
    exe[n] = 0;
    char *slash = strrchr(exe, '/');
    int ups = slash && !strcmp(slash + 1, HSC_CLI_FULL) ? 3 : 2; /* below lib/heatscope, below bin */
    for (int up = 0; up < ups; up++) {
        slash = strrchr(exe, '/');
        if (slash)
            *slash = 0;
    }
    if (snprintf(buffer, size, "%s/%s/%s", exe, folder, name) >= (int)size)
        return false;
    return access(buffer, R_OK) == 0;
}

bool hsc_cli_lib_file(const char *name, char *buffer, size_t size) {
    return own_file("lib/heatscope", name, buffer, size);
}

bool hsc_cli_include_file(const char *name, char *buffer, size_t size) {
    return own_file("include", name, buffer, size);
}
bool hsc_cli_share_file(const char *name, char *buffer, size_t size) {
    return own_file("share/heatscope", name, buffer, size);
}

bool hsc_cli_bin_file(const char *name, char *buffer, size_t size) {
    return own_file("bin", name, buffer, size);
}

bool hsc_cli_is_measurement(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool hsc_cli_is_database(const char *path) {
    static const unsigned char magic[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[8] = {0};
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    bool ok = fread(head, 1, 8, f) == 8 && !memcmp(head, magic, 8);
    fclose(f);
    return ok;
}

int hsc_cli_width(void) {
    struct winsize w;
    const char *asked = getenv("COLUMNS"); /* by whoever reads what goes into a pipe */
    unsigned long long columns = 0;
    if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w))
        columns = w.ws_col;
    else if (asked && !hsc_cli_parse_u64(asked, 0, 100000, &columns))
        columns = 0;
    return columns < 80 ? 80 : columns > 240 ? 240 : (int)columns;
}

static bool shown;

void hsc_cli_progress(const char *what, double done, double total) {
    static struct timespec last;
    static int terminal = -1; /* asked once: it is called for each file */
    struct timespec now;
    if (terminal < 0)
        terminal = isatty(STDERR_FILENO);
    if (!terminal)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (shown && (now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000 < 100)
        return;
    last = now;
    shown = true;
    fprintf(stderr, "\r%s %3.0f %%\033[K", what, total > 0 ? 100 * done / total : 0.0);
}

void hsc_cli_progress_end(void) {
    if (shown)
        fprintf(stderr, "\r\033[K");
    shown = false;
}
