/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope annotate: the machine code of a procedure with samples by instruction, its source lines, loops and versions. */
#include <errno.h>
#include <limits.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/quote.h>
#include <heatscope/formats/records.h>
#include <heatscope/formats/remarks.h>
#include <report.h>

#include "cli.h"
#include "pager.h"
#include "selection.h"

enum { OPT_FORMAT, OPT_METRIC, OPT_AROUND, OPT_PROCESSOR, OPT_INTERVAL, OPT_BYTES, OPT_NO_SOURCE };

static const hsc_cli_option options[] = {
    {"format", 'f', "FORMAT", "text, csv or json"},
    {"metric", 'm', "NAME", "metric by its name, a word of it, or number (the first)"},
    {"around", 'n', "N", "only instructions with samples, and N before and after them (text: all)"},
    {"processor", 'p', "N", "samples of one process alone, by its number from 0"},
    HSC_CLI_INTERVAL,
    {"bytes", 'b', NULL, "the bytes of the instructions too"},
    {"no-source", 0, NULL, "without the lines of the source between them"},
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    .name = "annotate",
    .summary = "Shows the machine code of a procedure, with the time of each instruction",
    .usage = "[OPTIONS] DB|DIR [PROCEDURE|FILE:LINE]",
    .description =
        "Prints all pieces of a procedure's machine code (also .cold parts, clones and OpenMP regions): share of the run and sampled periods of each "
        "instruction, its address and text, the source lines they are made of, also of what is inlined, and for each loop which "
        "version of it (vector body, remainder, ...) the code is and what the compiler said of it. With FILE:LINE: the "
        "procedures that have instructions of the line, which are marked with '>', wherever the compiler put them. Of a procedure without "
        "code of its own: its outlined regions and inlined copies, in the procedures they are in. Without either, the "
        "procedure with most samples.\n"
        "\n"
        "A sample counts at the instruction that the processor was to execute next: often one after the one that took the time. "
        "The text comes from the database (correlate --code, --assembler); neither the program nor a disassembler is needed. "
        "On a terminal text goes through the pager of HEATSCOPE_PAGER or PAGER, else less.",
    .examples = "  heatscope annotate heatscope.out\n"
                "  heatscope annotate --around=3 heatscope.out sweep_x\n"
                "  heatscope annotate --interval=90%: heatscope.out sweep_x\n"
                "  heatscope annotate --format=csv heatscope.out solver.c:120",
    .options = options};

typedef struct annotation {
    hsc_db *db;
    report report;             /* places and sources by it; not loaded */
    FILE *out;
    hsc_table_format format;
    bool bytes, source;
    unsigned long long around; /* UINT64_MAX: all */
    uint32_t metric, column;   /* column HSC_NONE: all processors */
    const char *metric_name, *interval;
    hsc_db_metric unit;
    double total;              /* of the run, its interval, or the processor */
    uint32_t line;             /* row that is marked; HSC_NONE */
    uint8_t *inside;           /* by instruction: is it of the procedure without code of its own? NULL: all are shown */
    const char *inside_name;
} annotation;

static int set(void *ctx, int option, const char *value) {
    annotation *a = ctx;
    unsigned long long n;
    switch (option) {
    case OPT_FORMAT:
        a->format = !strcmp(value, "csv") ? HSC_TABLE_CSV : !strcmp(value, "json") ? HSC_TABLE_JSON : HSC_TABLE_TEXT;
        return a->format || !strcmp(value, "text") ? -1 : hsc_cli_bad_value(&command, option, "text, csv or json", value);
    case OPT_METRIC:
        a->metric_name = value;
        return -1;
    case OPT_AROUND:
        return hsc_cli_parse_u64(value, 0, 1000000000, &a->around) ? -1 : hsc_cli_bad_value(&command, option, "a number of instructions", value);
    case OPT_PROCESSOR:
        if (!hsc_cli_parse_u64(value, 0, HSC_NONE - 1, &n))
            return hsc_cli_bad_value(&command, option, "the number of a process", value);
        a->column = (uint32_t)n;
        return -1;
    case OPT_INTERVAL:
        a->interval = value;
        return -1;
    case OPT_BYTES:
        a->bytes = true;
        return -1;
    default:
        a->source = false;
        return -1;
    }
}

/* What shares are of. */
static const char *whole_of(const annotation *a) { return a->column != HSC_NONE ? "process" : a->interval ? "interval" : "run"; }

/* ---- what was asked for ---- */

static hsc_status read_counts(annotation *a, uint32_t first, uint32_t n, double *out, hsc_err *err) {
    hsc_db_view view = {a->metric, HSC_TABLE_INSTRUCTION, HSC_AXIS_PROCESS};
    if (a->column == HSC_NONE)
        return hsc_db_read_sums(a->db, view, first, n, out, err);
    float *cells = malloc((n + 1) * sizeof *cells);
    if (!cells)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    hsc_status status = hsc_db_read_block(a->db, view, first, n, a->column, 1, cells, err);
    for (uint32_t i = 0; i < n && status == HSC_OK; i++)
        out[i] = (double)cells[i];
    free(cells);
    return status;
}

typedef struct choice {
    uint32_t procedure;
    double samples;
} choice;

static int by_samples(const void *pa, const void *pb) {
    const choice *a = pa, *b = pb;
    return a->samples != b->samples ? (a->samples > b->samples ? -1 : 1) : a->procedure < b->procedure ? -1 : a->procedure > b->procedure;
}

/* All procedures that have code here, the hottest first. */
static hsc_status list_procedures(annotation *a, choice **out, size_t *n, hsc_err *err) {
    hsc_db_info info;
    hsc_db_get_info(a->db, &info);
    choice *list = calloc((size_t)info.code_parts + 1, sizeof *list);
    double *counts = malloc(((size_t)info.instructions + 1) * sizeof *counts);
    hsc_status status = HSC_OK;
    uint32_t *entry = calloc((size_t)info.scopes + 1, sizeof *entry); /* of a procedure, from 1 */
    size_t found = 0;
    if (!list || !counts || !entry)
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (status == HSC_OK && !info.instructions)
        status = hsc_err_set(err, HSC_E_MISSING, "%s: no samples by instruction are in it: %s", info.path,
                             info.simulated  ? "it is simulated"
                             : info.samples ? "an older heatscope made it; correlate again"
                                            : "it has none at all ('heatscope report' tells why); a longer run has");
    if (status == HSC_OK)
        status = read_counts(a, 0, info.instructions, counts, err);
    for (uint32_t i = 0; i < info.code_parts && status == HSC_OK; i++) {
        hsc_db_code_part p;
        status = hsc_db_get_code_part(a->db, i, &p, err);
        if (status != HSC_OK || p.procedure >= info.scopes)
            continue;
        if (!entry[p.procedure]) {
            list[found++] = (choice){p.procedure, 0};
            entry[p.procedure] = (uint32_t)found;
        }
        for (uint32_t k = 0; k < p.rows; k++)
            list[entry[p.procedure] - 1].samples += counts[p.first + k];
    }
    free(counts);
    free(entry);
    if (status != HSC_OK) {
        free(list);
        return status;
    }
    qsort(list, found, sizeof *list, by_samples);
    *out = list;
    *n = found;
    return HSC_OK;
}

/* FILE:LINE: the row of the line; HSC_NONE: not of that form, or no such line. */
static uint32_t line_of(const annotation *a, const char *text) {
    const char *colon = strrchr(text, ':');
    unsigned long long line;
    hsc_db_info info;
    if (!colon || !hsc_cli_parse_u64(colon + 1, 1, UINT32_MAX - 1, &line))
        return HSC_NONE;
    size_t n = (size_t)(colon - text);
    hsc_db_get_info(a->db, &info);
    for (uint32_t f = 0; f < info.files; f++) {
        hsc_db_file file;
        if (hsc_db_get_file(a->db, f, &file, NULL))
            continue;
        size_t size = strlen(file.path);
        uint32_t row = size >= n && !memcmp(file.path + size - n, text, n) && (size == n || file.path[size - n - 1] == '/')
                           ? hsc_db_find_line(a->db, f, (uint32_t)line) : HSC_NONE;
        if (row != HSC_NONE)
            return row;
    }
    return HSC_NONE;
}

/* Which procedures have instructions of the line that is marked: marks[scope row], malloc'ed. */
static hsc_status find_procedures(const annotation *a, uint8_t **marks, hsc_err *err) {
    hsc_db_info info;
    uint32_t *rows = NULL, n = 0;
    hsc_db_get_info(a->db, &info);
    *marks = calloc((size_t)info.scopes + 1, 1);
    hsc_status status = *marks ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (status == HSC_OK && a->line != HSC_NONE)
        status = hsc_db_find_instructions(a->db, HSC_OF_LINE, a->line, &rows, &n, err);
    for (uint32_t i = 0; i < n && status == HSC_OK; i++) {
        hsc_db_code_part p;
        uint32_t part = hsc_db_find_part_of(a->db, rows[i]);
        if (part != HSC_NONE && !(status = hsc_db_get_code_part(a->db, part, &p, err)) && p.procedure < info.scopes)
            (*marks)[p.procedure] = 1;
    }
    free(rows);
    return status;
}

/* Marks the instructions of the procedures of this name, or whose names have it, with their regions and all that is below. */
static hsc_status mark_instructions(annotation *a, const char *wanted, bool exact, bool *any, hsc_err *err) {
    hsc_db_info info;
    hsc_status status = HSC_OK;
    hsc_db_get_info(a->db, &info);
    for (uint32_t i = 0; i < info.scopes && status == HSC_OK; i++) {
        hsc_db_scope s;
        uint32_t *rows = NULL, n = 0;
        if (hsc_db_get_scope(a->db, i, &s, NULL) || s.kind != HSC_SCOPE_PROCEDURE || (exact ? strcmp(s.name, wanted) != 0 : !strstr(s.name, wanted)))
            continue;
        status = hsc_db_find_instructions(a->db, HSC_OF_SCOPE, i, &rows, &n, err);
        for (uint32_t k = 0; k < n && status == HSC_OK; k++)
            a->inside[rows[k]] = 1;
        *any |= status == HSC_OK && n;
        free(rows);
    }
    return status;
}

/* Of a procedure that was inlined or whose regions were outlined: of the n of list[] the *kept procedures that have
 * instructions of it. */
static hsc_status choose_inside(annotation *a, const char *wanted, bool exact, choice *list, size_t n, size_t *kept,
                                hsc_err *err) {
    hsc_db_info info;
    bool any = false;
    hsc_db_get_info(a->db, &info);
    uint32_t *parts = malloc(((size_t)info.code_parts + 1) * sizeof *parts);
    double *counts = malloc(((size_t)info.instructions + 1) * sizeof *counts);
    free(a->inside);
    a->inside = calloc((size_t)info.instructions + 1, 1);
    hsc_status status = parts && counts && a->inside ? read_counts(a, 0, info.instructions, counts, err)
                                                     : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (status == HSC_OK)
        status = mark_instructions(a, wanted, exact, &any, err);
    for (size_t i = 0; i < n && any && status == HSC_OK; i++) {
        choice c = {list[i].procedure, 0};
        uint32_t n_parts = 0;
        bool has = false;
        status = hsc_db_find_code_parts(a->db, c.procedure, parts, info.code_parts, &n_parts, err);
        for (uint32_t k = 0; k < n_parts && status == HSC_OK; k++) {
            hsc_db_code_part p;
            status = hsc_db_get_code_part(a->db, parts[k], &p, err);
            for (uint32_t x = 0; status == HSC_OK && x < p.rows; x++)
                if (a->inside[p.first + x]) {
                    has = true;
                    c.samples += counts[p.first + x];
                }
        }
        if (has)
            list[(*kept)++] = c;
    }
    free(parts);
    free(counts);
    a->inside_name = wanted;
    qsort(list, *kept, sizeof *list, by_samples);
    if (!*kept) {
        free(a->inside);
        a->inside = NULL;
    }
    return status;
}

/* A procedure, and what was made of its OpenMP regions. */
static void mark_with_regions(const annotation *a, uint32_t procedure, const hsc_db_scope *s, uint8_t *marks) {
    marks[procedure] = 1;
    for (uint32_t k = procedure + 1; k < s->subtree_end; k++) {
        hsc_db_scope below;
        if (!hsc_db_get_scope(a->db, k, &below, NULL) && (below.kind == HSC_SCOPE_REGION || report_is_region_body(&below)))
            marks[k] = 1;
    }
}

/* Drops from the list what was not asked for. */
static hsc_status choose(annotation *a, const char *wanted, choice *list, size_t *n, hsc_err *err) {
    size_t kept = 0;
    if (!wanted) {
        if (*n && a->interval && !(list[0].samples > 0))
            return hsc_err_set(err, HSC_E_MISSING, "--interval: no instruction has samples in '%s'", a->interval);
        *n = *n ? 1 : 0;
        return *n ? HSC_OK : hsc_err_set(err, HSC_E_MISSING, "no procedure has code in the database");
    }
    uint8_t *marks = NULL;
    a->line = line_of(a, wanted);
    hsc_status status = find_procedures(a, &marks, err);
    for (int exact = 1; exact >= 0 && !kept && status == HSC_OK; exact--) {
        for (size_t i = 0; i < *n && a->line == HSC_NONE; i++) {
            hsc_db_scope s;
            if (hsc_db_get_scope(a->db, list[i].procedure, &s, NULL) || (exact ? strcmp(s.name, wanted) != 0 : !strstr(s.name, wanted)))
                continue;
            mark_with_regions(a, list[i].procedure, &s, marks);
            if (!exact)
                break; /* of those whose names have it, the hottest */
        }
        for (size_t i = 0; i < *n; i++)
            if (marks[list[i].procedure])
                list[kept++] = list[i];
        if (!kept && a->line == HSC_NONE)
            status = choose_inside(a, wanted, exact, list, *n, &kept, err);
    }
    free(marks);
    *n = kept;
    if (status != HSC_OK)
        return status;
    return kept ? HSC_OK : hsc_err_set(err, HSC_E_MISSING, "'%s': no procedure, region or inlined copy of that name has code in the database, and no line", wanted);
}

/* ---- words ---- */

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A line of the source without what stands before and behind; false: not to be had. */
static bool source_line(annotation *a, uint32_t row, char **out) {
    hsc_db_line line;
    size_t n;
    const char *text = row == HSC_NONE || hsc_db_get_line(a->db, row, &line, NULL) ? NULL : report_source_line(&a->report, line.file, line.line, &n);
    *out = text ? strndup(text, n) : NULL;
    for (char *c = *out; c && *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return *out;
}

static const char *place_of(const annotation *a, uint32_t row, char *out, size_t size) {
    return *report_line_text(&a->report, row, out, size) ? out : "?";
}

/* "main < solve (a.c:12) < step (b.c:7)": through which calls the instruction came here; "", malloc'ed, NULL without memory */
static char *inlined_as(const annotation *a, uint32_t row) {
    char *text = NULL, place[300];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    hsc_db_inlining x;
    hsc_db_scope s;
    for (uint32_t at = row; out && at != HSC_NONE; at = x.parent) {
        if (hsc_db_get_inlining(a->db, at, &x, NULL) || hsc_db_get_scope(a->db, x.scope, &s, NULL))
            break;
        fprintf(out, "%s%s, called at %s", at == row ? "" : "; in ", s.name, place_of(a, x.line, place, sizeof place));
    }
    if (out)
        fclose(out);
    return text;
}

/* "vector body, 2 lanes, 4 vectors at once": by interleaving, or by unrolling after it */
static void version_of(const hsc_db_instance *x, char *out, size_t size) {
    int n = snprintf(out, size, "%s", x->version_text);
    if (x->vector_width > 1 && n >= 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, hsc_version_is_vector(x->version) ? ", %u lanes" : ", parts packed by %u", x->vector_width);
    if (x->interleave > 1 && n >= 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, hsc_version_is_vector(x->version) ? ", %u vectors at once" : ", interleaved %u times", x->interleave);
    if (x->unroll > 1 && n >= 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ", unrolled %u times", x->unroll);
}

/* ---- text ---- */

static void say_remarks(const annotation *a, uint32_t scope) {
    hsc_db_remark remarks[16];
    uint32_t n = 0;
    if (hsc_db_get_remarks(a->db, scope, remarks, 16, &n, NULL))
        return;
    for (uint32_t i = 0; i < n && i < 16; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s", remarks[i].message);
        for (char *c = text; *c; c++)
            if ((unsigned char)*c < ' ')
                *c = ' ';
        bool again = false; /* of another copy of the loop */
        for (uint32_t k = 0; k < i; k++)
            again = again || (!strcmp(remarks[k].pass, remarks[i].pass) && !strcmp(remarks[k].message, remarks[i].message));
        if (!again)
            fprintf(a->out, "%29s; %s: %s\n", "", remarks[i].pass, text);
    }
}

static void say_loop(const annotation *a, uint32_t instance, double samples, bool first) {
    hsc_db_instance x;
    hsc_db_scope s;
    char version[160], file[300] = "?";
    if (hsc_db_get_instance(a->db, instance, &x, NULL) || hsc_db_get_scope(a->db, x.scope, &s, NULL))
        return;
    version_of(&x, version, sizeof version);
    report_at(&a->report, s.file, s.line_begin, file, sizeof file);
    fprintf(a->out, "%28s/; %s %s: %s", "", s.kind == HSC_SCOPE_LOOP ? "loop" : "in", s.kind == HSC_SCOPE_LOOP ? file : s.name, version);
    if (first && a->total > 0)
        fprintf(a->out, " (%.1f %% of the %s)", 100 * samples / a->total, whole_of(a));
    fputc('\n', a->out);
    if (first && s.kind == HSC_SCOPE_LOOP)
        say_remarks(a, x.scope);
}

static void print_text(const annotation *a, const char *text) {
    const char *tab = strchr(text, '\t');
    if (!tab) {
        fputs(text, a->out);
        return;
    }
    const char *rest = tab + 1, *comment = strchr(rest, '\t');
    size_t n = comment ? (size_t)(comment - rest) : strlen(rest);
    fprintf(a->out, "%-11.*s %.*s", (int)(tab - text), text, (int)n, rest);
    if (comment)
        fprintf(a->out, "%*s%s", n < 28 ? (int)(28 - n) : 1, "", comment + 1);
}

static void print_bytes(const annotation *a, uint32_t row) {
    uint8_t bytes[16];
    uint32_t n = 0;
    char hex[40] = "";
    if (!hsc_db_read_code(a->db, row, bytes, &n, NULL))
        for (uint32_t i = 0; i < n; i++)
            snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    fprintf(a->out, "%-31s", hex);
}

static bool is_near(const annotation *a, const double *counts, uint32_t n, uint32_t i) {
    if (a->around >= n)
        return true;
    uint32_t from = i > a->around ? i - (uint32_t)a->around : 0, to = a->around < n - i ? i + (uint32_t)a->around : n - 1;
    for (uint32_t k = from; k <= to && k < n; k++)
        if (counts[k] > 0)
            return true;
    return false;
}

static bool is_inside(const annotation *a, uint32_t row) {
    return !a->inside || a->inside[row];
}

static bool has_inside(const annotation *a, const hsc_db_code_part *p) {
    for (uint32_t i = 0; i < p->rows; i++)
        if (is_inside(a, p->first + i))
            return true;
    return false;
}

static hsc_status print_part(annotation *a, const hsc_db_code_part *p, const double *counts, uint8_t *told, const double *of_instance,
                             hsc_err *err) {
    uint32_t line = HSC_NONE - 1, instance = HSC_NONE, inlined = HSC_NONE;
    bool gap = false;
    fprintf(a->out, "\n%s  0x%" PRIx64 " to 0x%" PRIx64 "%s%s\n", p->symbol[0] ? p->symbol : "(piece without a name)", p->begin, p->end,
            p->note[0] ? ": " : "", p->note);
    fprintf(a->out, "%7s %8s %9s     %s%s\n", "%", a->unit.exact ? "units" : "periods", "address", a->bytes ? "bytes and " : "", "instruction");
    for (uint32_t i = 0; i < p->rows; i++) {
        hsc_db_instruction x;
        char place[300];
        hsc_status status = hsc_db_get_instruction(a->db, p->first + i, &x, err);
        if (status != HSC_OK)
            return status;
        if (!is_near(a, counts, p->rows, i) || !is_inside(a, p->first + i)) {
            if (!gap)
                fprintf(a->out, "%29s...\n", "");
            gap = true;
            continue;
        }
        if (x.instance != instance && x.instance != HSC_NONE) {
            say_loop(a, x.instance, of_instance[x.instance], !told[x.instance]);
            told[x.instance] = 1;
        }
        if (a->source && (x.line != line || x.inlined != inlined || gap)) {
            char *text, *chain = inlined_as(a, x.inlined);
            bool have = source_line(a, x.line, &text), in = chain && *chain;
            fprintf(a->out, "%28s%c%s%s%s%s%s%s\n", "", x.instance != HSC_NONE ? '|' : ' ',
                    x.line == HSC_NONE ? "(no line)" : place_of(a, x.line, place, sizeof place), have ? "  " : "", have ? text : "",
                    in ? "   [inlined: " : "", in ? chain : "", in ? "]" : "");
            free(text);
            free(chain);
        }
        gap = false;
        line = x.line;
        inlined = x.inlined;
        instance = x.instance;
        if (counts[i] > 0)
            fprintf(a->out, "%6.2f%% %8.0f", a->total > 0 ? 100 * counts[i] / a->total : 0, counts[i]);
        else
            fprintf(a->out, "%16s", "");
        fprintf(a->out, "%c%9" PRIx64 "  %c  ", a->line != HSC_NONE && x.line == a->line ? '>' : ' ', x.address, x.instance != HSC_NONE ? '|' : ' ');
        if (a->bytes)
            print_bytes(a, p->first + i);
        print_text(a, x.text[0] ? x.text : "(not disassembled)");
        fputc('\n', a->out);
    }
    return HSC_OK;
}

static void print_head(const annotation *a, const hsc_db_scope *s, double samples) {
    hsc_db_file f;
    hsc_db_module m;
    char place[300] = "";
    if (s->file != HSC_NONE && !hsc_db_get_file(a->db, s->file, &f, NULL) && f.has_lines) {
        memcpy(place, "  ", 2);
        report_at(&a->report, s->file, s->line_begin, place + 2, sizeof place - 2);
    } else if (s->module != HSC_NONE && !hsc_db_get_module(a->db, s->module, &m, NULL))
        snprintf(place, sizeof place, "  [%s]", base_of(m.path));
    fprintf(a->out, "%s%s: %g %s%s%s in its machine code, %.1f %% of the %s\n", s->name, place, samples * a->unit.scale, a->unit.unit,
            a->inside ? " of " : "", a->inside ? a->inside_name : "",
            a->total > 0 ? 100 * samples / a->total : 0, whole_of(a));
}

/* ---- rows ---- */

static void print_row(const annotation *a, hsc_table *t, const hsc_db_scope *s, const hsc_db_code_part *p, const hsc_db_instruction *x,
                      uint32_t row, double count) {
    char operation[64] = "", hex[40] = "", version[160] = "", *chain = inlined_as(a, x->inlined);
    const char *tab = strchr(x->text, '\t'), *operands = tab ? tab + 1 : "", *comment = strstr(operands, "# ");
    uint8_t bytes[16];
    uint32_t n = 0;
    size_t length = comment ? (size_t)(comment - operands) : strlen(operands); /* of the operands; a tab stands before the comment */
    char *alone = strndup(operands, length > 0 && operands[length - 1] == '\t' ? length - 1 : length);
    hsc_db_line line = {0};
    hsc_db_file file = {.path = ""};
    hsc_db_scope loop = {0};
    hsc_db_instance instance;
    hsc_db_module module = {.path = ""};
    snprintf(operation, sizeof operation, "%.*s", tab ? (int)(tab - x->text) : 63, x->text);
    if (!hsc_db_read_code(a->db, row, bytes, &n, NULL))
        for (uint32_t i = 0; i < n; i++)
            snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    if (x->line != HSC_NONE && !hsc_db_get_line(a->db, x->line, &line, NULL))
        (void)hsc_db_get_file(a->db, line.file, &file, NULL);
    if (x->instance != HSC_NONE && !hsc_db_get_instance(a->db, x->instance, &instance, NULL))
        version_of(&instance, version, sizeof version);
    if (x->scope != HSC_NONE)
        (void)hsc_db_get_scope(a->db, x->scope, &loop, NULL);
    (void)hsc_db_get_module(a->db, x->module, &module, NULL);
    char address[32];
    snprintf(address, sizeof address, "0x%" PRIx64, x->address);
    hsc_table_begin_row(t);
    hsc_table_text(t, "procedure", s->name);
    hsc_table_text(t, "symbol", p->symbol);
    hsc_table_text(t, "module", module.path);
    hsc_table_text(t, "address", address);
    hsc_table_count(t, "size_bytes", x->size);
    hsc_table_text(t, "bytes", hex);
    hsc_table_text(t, "operation", operation);
    hsc_table_text(t, "operands", alone ? alone : operands);
    hsc_table_text(t, "comment", comment ? comment + 2 : "");
    free(alone);
    hsc_table_text(t, "file", file.path);
    hsc_table_count(t, "line", line.line);
    hsc_table_count(t, "loop_line", loop.kind == HSC_SCOPE_LOOP ? loop.line_begin : 0);
    hsc_table_text(t, "version", version);
    hsc_table_text(t, "inlined", chain ? chain : "");
    free(chain);
    hsc_table_count(t, "periods", count);
    hsc_table_amount(t, "exclusive", count);
    hsc_table_number(t, "exclusive_pct", a->total > 0 ? 100 * count / a->total : 0);
    hsc_table_end_row(t);
}

static hsc_status print_rows(const annotation *a, hsc_table *t, const hsc_db_scope *s, const hsc_db_code_part *p, const double *counts,
                             hsc_err *err) {
    for (uint32_t i = 0; i < p->rows; i++) {
        hsc_db_instruction x;
        hsc_status status = hsc_db_get_instruction(a->db, p->first + i, &x, err);
        if (status != HSC_OK)
            return status;
        if (is_near(a, counts, p->rows, i) && is_inside(a, p->first + i))
            print_row(a, t, s, p, &x, p->first + i, counts[i]);
    }
    return HSC_OK;
}

/* ---- all of a procedure ---- */

static hsc_status print_procedure(annotation *a, hsc_table *t, const choice *c, hsc_err *err) {
    hsc_db_info info;
    hsc_db_scope s;
    uint32_t n = 0;
    hsc_db_get_info(a->db, &info);
    uint32_t *parts = malloc(((size_t)info.code_parts + 1) * sizeof *parts);
    double *counts = malloc(((size_t)info.instructions + 1) * sizeof *counts), *of_instance = calloc((size_t)info.instances + 1, sizeof *of_instance);
    uint8_t *told = calloc((size_t)info.instances + 1, 1);
    hsc_status status = parts && counts && told && of_instance ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (status == HSC_OK)
        status = hsc_db_get_scope(a->db, c->procedure, &s, err);
    if (status == HSC_OK)
        status = hsc_db_find_code_parts(a->db, c->procedure, parts, info.code_parts, &n, err);
    if (status == HSC_OK && !t)
        print_head(a, &s, c->samples);
    for (int pass = t ? 1 : 0; pass < 2; pass++) /* first what each version took */
        for (uint32_t i = 0; i < n && status == HSC_OK; i++) {
            hsc_db_code_part p;
            status = hsc_db_get_code_part(a->db, parts[i], &p, err);
            if (status == HSC_OK && p.rows)
                status = read_counts(a, p.first, p.rows, counts, err);
            for (uint32_t k = 0; !pass && k < p.rows && status == HSC_OK; k++) {
                hsc_db_instruction x;
                status = hsc_db_get_instruction(a->db, p.first + k, &x, err);
                if (status == HSC_OK && x.instance != HSC_NONE && is_inside(a, p.first + k))
                    of_instance[x.instance] += counts[k];
            }
            if (pass && status == HSC_OK && (!a->inside || has_inside(a, &p)))
                status = t ? print_rows(a, t, &s, &p, counts, err) : print_part(a, &p, counts, told, of_instance, err);
        }
    free(parts);
    free(counts);
    free(of_instance);
    free(told);
    return status;
}

/* Of a procedure with code of its own: what its regions and inlined copies elsewhere took. */
static hsc_status say_elsewhere(annotation *a, const choice *c, hsc_err *err) {
    hsc_db_info info;
    hsc_db_scope s;
    uint32_t *rows = NULL, n = 0;
    double sum = 0;
    hsc_db_get_info(a->db, &info);
    double *counts = malloc(((size_t)info.instructions + 1) * sizeof *counts);
    hsc_status status = counts ? read_counts(a, 0, info.instructions, counts, err) : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (status == HSC_OK)
        status = hsc_db_find_instructions(a->db, HSC_OF_SCOPE, c->procedure, &rows, &n, err);
    if (status == HSC_OK)
        status = hsc_db_get_scope(a->db, c->procedure, &s, err);
    for (uint32_t i = 0; i < n && status == HSC_OK; i++) {
        hsc_db_code_part p;
        uint32_t part = counts[rows[i]] > 0 ? hsc_db_find_part_of(a->db, rows[i]) : HSC_NONE;
        if (part != HSC_NONE && !(status = hsc_db_get_code_part(a->db, part, &p, err)) && p.procedure != c->procedure)
            sum += counts[rows[i]];
    }
    if (status == HSC_OK && sum > 0)
        fprintf(a->out, "\nOutlined regions and inlined copies of %s have another %g %s, %.1f %% of the %s: FILE:LINE shows them\n", s.name,
                sum * a->unit.scale, a->unit.unit, a->total > 0 ? 100 * sum / a->total : 0, whole_of(a));
    free(counts);
    free(rows);
    return status;
}

/* What stands before a JSON document's rows, malloc'ed; NULL: no memory. */
static char *json_head(const annotation *a, const char *wanted) {
    char *text = NULL;
    size_t size = 0;
    hsc_db_info info;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    hsc_db_get_info(a->db, &info);
    fputs("{\n  \"database\": ", out);
    hsc_quote_json(out, info.path);
    fputs(",\n  \"title\": ", out);
    hsc_quote_json(out, info.title);
    if (wanted) {
        fputs(",\n  \"of\": ", out);
        hsc_quote_json(out, wanted);
    }
    fputs(",\n  \"metric\": ", out);
    hsc_quote_json(out, a->unit.name);
    fputs(",\n  \"unit\": ", out);
    hsc_quote_json(out, a->unit.unit);
    if (a->column != HSC_NONE)
        fprintf(out, ",\n  \"processor\": %u", a->column);
    double begin_s, end_s;
    if (hsc_db_get_interval(a->db, &begin_s, &end_s))
        fprintf(out, ",\n  \"interval_s\": [%.9g, %.9g]", begin_s, end_s);
    fprintf(out, ",\n  \"unit_per_period\": %.10g,\n  \"periods\": %.0f,\n  \"simulated\": %s,\n  \"by\": \"instruction\",\n  \"rows\": [\n", a->unit.scale, a->total,
            info.simulated ? "true" : "false");
    if (!fclose(out))
        return text;
    free(text);
    return NULL;
}

static hsc_status annotate(annotation *a, const char *wanted, hsc_err *err) {
    choice *list = NULL;
    size_t n = 0;
    hsc_status status = hsc_cli_find_metric(a->db, a->metric_name, &a->metric, err);
    if (status == HSC_OK)
        status = hsc_cli_set_interval(a->db, a->interval, err);
    hsc_db_view whole = {a->metric, HSC_TABLE_SCOPE_INCL, HSC_AXIS_PROCESS};
    if (status == HSC_OK)
        status = hsc_db_get_metric(a->db, a->metric, &a->unit, err);
    if (status == HSC_OK && a->column != HSC_NONE && a->column >= hsc_db_get_columns(a->db, HSC_AXIS_PROCESS))
        status = hsc_err_set(err, HSC_E_ARGUMENT, "--processor: expected less than %u, got %u", hsc_db_get_columns(a->db, HSC_AXIS_PROCESS), a->column);
    if (status == HSC_OK && a->column == HSC_NONE)
        status = hsc_db_read_sums(a->db, whole, 0, 1, &a->total, err);
    else if (status == HSC_OK) {
        float cell = 0;
        status = hsc_db_read_block(a->db, whole, 0, 1, a->column, 1, &cell, err);
        a->total = (double)cell;
    }
    if (status == HSC_OK)
        status = list_procedures(a, &list, &n, err);
    if (status == HSC_OK)
        status = choose(a, wanted, list, &n, err);
    bool rows = a->format != HSC_TABLE_TEXT;
    hsc_table t = {.out = a->out, .format = a->format, .naming = true, .unit = a->unit.unit, .scale = a->unit.scale};
    if (status == HSC_OK && rows) {
        hsc_db_scope none = {.name = ""};
        hsc_db_code_part part = {.symbol = ""};
        hsc_db_instruction x = {.text = "", .line = HSC_NONE, .scope = HSC_NONE, .instance = HSC_NONE, .inlined = HSC_NONE};
        if (a->format == HSC_TABLE_JSON && (!(t.before = json_head(a, wanted)) || !(t.after = strdup("\n  ]\n}\n"))))
            status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
        print_row(a, &t, &none, &part, &x, HSC_NONE, 0);
        t.naming = false;
    }
    double begin_s, end_s;
    if (status == HSC_OK && !rows && hsc_db_get_interval(a->db, &begin_s, &end_s))
        fprintf(a->out, "interval   %.6g s to %.6g s\n", begin_s, end_s);
    for (size_t i = 0; i < n && status == HSC_OK; i++) {
        if (i && !rows)
            fputs("\n\n", a->out);
        status = print_procedure(a, rows ? &t : NULL, &list[i], err);
        if (status == HSC_OK && !rows && !a->inside && a->line == HSC_NONE)
            status = say_elsewhere(a, &list[i], err);
    }
    if (status == HSC_OK && rows)
        status = hsc_table_finish(&t, err);
    hsc_table_clear(&t);
    free(list);
    return status;
}

int hsc_cmd_annotate(int argc, char **argv) {
    annotation a = {.out = stdout, .source = true, .around = UINT64_MAX, .column = HSC_NONE, .line = HSC_NONE};
    hsc_err err = {0};
    char path[PATH_MAX];
    int first = 0, code = hsc_cli_parse(&command, argc, argv, set, &a, &first);
    if (code >= 0)
        return code;
    if (argc - first < 1 || argc - first > 2) {
        fprintf(stderr, "heatscope annotate: expected a database or measurement directory and a procedure or FILE:LINE, got %d operands; "
                        "'heatscope annotate --help' tells more\n", argc - first);
        return HSC_EXIT_USAGE;
    }
    code = hsc_cli_database_for("annotate", argv[first], path, sizeof path);
    if (code >= 0)
        return code;
    if (hsc_db_open(path, &a.db, &err) != HSC_OK)
        return hsc_cli_fail("annotate", &err);
    a.report.db = a.db;
    hsc_db_get_info(a.db, &a.report.info);
    if (a.format == HSC_TABLE_TEXT)
        hsc_pager_begin();
    hsc_status status = annotate(&a, argc - first == 2 ? argv[first + 1] : NULL, &err);
    free(a.inside);
    report_clear(&a.report);
    hsc_db_close(a.db);
    return hsc_pager_end("annotate", status, &err);
}
