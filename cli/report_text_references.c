/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads and writes of memory as text: a line of the source with its time, below it what it reads and writes. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>
#include <heatscope/sorted.h>

#include "report_groups.h"
#include "report_text.h"

enum { AMOUNT = 25 }; /* columns of a row before its line */

typedef struct entry {
    double sum;
    uint32_t line, procedure, group; /* of the source; HSC_NONE: the time is that of all that have references there; in the groups */
} entry;

static int by_time(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum > y->sum ? -1 : 1;
    const uint32_t p[] = {x->line, x->procedure, x->group}, q[] = {y->line, y->procedure, y->group};
    return hsc_compare_keys(p, q, 3);
}

/* Columns of `text` that go in `room` and end where a path has a joint; all of it where it has none there. */
static size_t joint(const char *text, size_t room) {
    size_t last = 0, n = strlen(text);
    if (n <= room)
        return n;
    for (size_t i = 1; i < room; i++)
        if (text[i] == '.' || text[i] == '[' || (text[i] == '-' && text[i + 1] == '>') || text[i] == ' ')
            last = i;
    return last ? last : room;
}

static void put_path(const report *r, const char *text, int indent, int at) {
    size_t room = r->width > indent + 20 ? (size_t)(r->width - indent) : 20, n = joint(text, r->width > at + 20 ? (size_t)(r->width - at) : 20);
    fprintf(r->out, "%.*s\n", (int)n, text);
    for (text += n; *text; text += n) {
        text += *text == ' ';
        n = joint(text, room);
        fprintf(r->out, "%*s%.*s\n", indent, "", (int)n, text);
    }
}

static const char *text_of(const char *which, uint32_t value) {
    const char *text = hsc_enum_text(which, value);
    return text ? text : "unknown";
}

static bool is_same(const hsc_db_reference *a, const hsc_db_reference *b) {
    return a->access == b->access && a->stride == b->stride && !strcmp(a->text, b->text) && !strcmp(a->stride_bytes, b->stride_bytes);
}

typedef struct told { /* a reference of the line, and the procedure that it is in */
    hsc_db_reference f;
    uint32_t procedure;
} told;

/* How often the first is there, in the procedure that has it most often: instances of a template have it each. References of one procedure follow each other. */
static uint32_t count_same(const told *list, uint32_t i, uint32_t n) {
    uint32_t times = 0, most = 0, procedure = HSC_NONE;
    for (uint32_t k = i; k < n; k++) {
        if (!is_same(&list[i].f, &list[k].f))
            continue;
        times = list[k].procedure == procedure ? times + 1 : 1;
        procedure = list[k].procedure;
        most = times > most ? times : most;
    }
    return most;
}

/* Behind the place of a line of several procedures: "  in Grid<float>::sweep" of the one that ran, "  in 2 instances of Grid<>::sweep" of several. */
static void put_procedures(const report *r, const told *list, uint32_t n, int at) {
    char name[500], other[500];
    hsc_db_scope s;
    uint32_t procedures = 0, last = HSC_NONE;
    bool alike = true;
    for (uint32_t i = 0; i < n; i++) {
        if (list[i].procedure == last || list[i].procedure == HSC_NONE || hsc_db_get_scope(r->db, list[i].procedure, &s, NULL))
            continue;
        last = list[i].procedure;
        if (!procedures++)
            report_fit_template(s.name, name, sizeof name);
        else
            alike = alike && !strcmp(name, report_fit_template(s.name, other, sizeof other));
    }
    if (procedures == 1) {
        fprintf(r->out, "  in %s", report_fit(s.name, r->width - at - 5, name, sizeof name));
    } else if (procedures > 1) {
        int k = fprintf(r->out, "  in %u %s", procedures, alike ? "instances of " : "procedures");
        if (alike)
            fputs(report_fit(name, r->width - at - k, other, sizeof other), r->out);
    }
}

/* "writes, contiguous, 3 times: a[i]" */
static void put_reference(const report *r, const hsc_db_reference *f, uint32_t times) {
    int at = fprintf(r->out, "       %ss, %s%s", text_of("access", f->access), f->stride == HSC_stride_UNKNOWN ? "stride " : "", text_of("stride", f->stride));
    if (f->stride_bytes[0])
        at += fprintf(r->out, ", %s bytes", f->stride_bytes);
    if (times > 1)
        at += fprintf(r->out, ", %u times", times);
    if (at + 2 + (int)strlen(f->text) > r->width)
        fprintf(r->out, ":\n%*s", at = 9, "");
    else
        at += fprintf(r->out, ": ");
    put_path(r, f->text, 11, at);
}

/* One line: the entries that follow each other with it, what is the same told once. */
static hsc_status put_line(const report *r, const report_groups *g, const entry *list, uint32_t n, int at, hsc_err *err) {
    told *all = malloc(n * sizeof *all);
    hsc_status s = all ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n && !s; i++)
        if (!(s = hsc_db_get_reference(r->db, g->list[list[i].group].row, &all[i].f, err)))
            all[i].procedure = report_procedure(r, all[i].f.scope);
    if (!s && g->list[list[0].group].members > 1)
        put_procedures(r, all, n, at);
    fputc('\n', r->out);
    for (uint32_t i = 0; i < n && !s; i++) {
        uint32_t before = 0;
        while (before < i && !is_same(&all[before].f, &all[i].f))
            before++;
        if (before == i)
            put_reference(r, &all[i].f, count_same(all, i, n));
    }
    free(all);
    return s;
}

hsc_status report_text_references(report *r, hsc_err *err) {
    report_groups g;
    uint32_t most = report_text_rows(r, 5), lines = 0;
    char where[600], more[400];
    hsc_status s = report_groups_by(r, REPORT_BY_REFERENCE, &g, err);
    entry *list = s ? NULL : malloc(((size_t)g.n + 1) * sizeof *list);
    if (!s && !list)
        s = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; i < g.n && !s; i++) {
        hsc_db_reference x;
        if (!(s = hsc_db_get_reference(r->db, g.list[i].row, &x, err)))
            list[i] = (entry){g.list[i].value.sum, hsc_db_find_line(r->db, x.file, x.line), g.table == HSC_TABLE_LINE ? HSC_NONE : report_procedure(r, x.scope), i};
    }
    if (!s && g.n > 1)
        qsort(list, g.n, sizeof *list, by_time);
    if (!s) {
        fputs("\nReads and writes of memory: time of the line, and of what waits for its reads\n", r->out);
        report_text_amount_heads(r);
        fputs("  line\n", r->out);
    }
    uint32_t left = 0;
    for (uint32_t i = 0, n; i < g.n && !s; i += n) {
        for (n = 1; i + n < g.n && list[i + n].line == list[i].line && list[i + n].procedure == list[i].procedure; n++)
            ;
        if (most && lines >= most) {
            left++;
            continue;
        }
        hsc_db_line l;
        if ((s = hsc_db_get_line(r->db, list[i].line, &l, err)))
            break;
        report_at(r, l.file, l.line, where, sizeof where);
        fprintf(r->out, "%4u", ++lines);
        report_text_amount(r, g.list[list[i].group].value);
        int at = fprintf(r->out, "  %s", where) + AMOUNT;
        s = put_line(r, &g, list + i, n, at, err);
    }
    if (!s && left)
        fprintf(r->out, "  %s\n", report_text_more(r, left, REPORT_REFERENCE, more, sizeof more));
    if (!s && !g.n)
        fputs("  none\n", r->out);
    free(list);
    report_groups_clear(&g);
    return s;
}
