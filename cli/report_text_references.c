/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads and writes of memory as text: a line of the source with its time, below it what it reads and writes. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "report_groups.h"
#include "report_text.h"

typedef struct entry {
    double sum;
    uint32_t line, group; /* of the source; in the groups */
} entry;

static int by_time(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum > y->sum ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
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
    return a->access == b->access && a->stride == b->stride && a->size_bytes == b->size_bytes && !strcmp(a->text, b->text) && !strcmp(a->stride_bytes, b->stride_bytes);
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

/* What is read and written on one line: the entries that follow each other with it, those that are the same told once. */
static hsc_status put_line(const report *r, const report_groups *g, const entry *list, uint32_t n, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; i < n && !s; i++) {
        hsc_db_reference f, other;
        uint32_t times = 1;
        bool told = false;
        if ((s = hsc_db_get_reference(r->db, g->list[list[i].group].row, &f, err)))
            break;
        for (uint32_t k = 0; k < n && !s; k++)
            if (k != i && !(s = hsc_db_get_reference(r->db, g->list[list[k].group].row, &other, err)) && is_same(&f, &other)) {
                told = told || k < i;
                times++;
            }
        if (!s && !told)
            put_reference(r, &f, times);
    }
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
    for (uint32_t i = 0; i < g.n && !s; i++)
        list[i] = (entry){g.list[i].value.sum, (uint32_t)g.ranges[g.list[i].first].first, i};
    if (!s && g.n > 1)
        qsort(list, g.n, sizeof *list, by_time);
    if (!s) {
        fputs("\nReads and writes of memory, by line: the time is that of the whole line\n", r->out);
        report_text_amount_heads(r);
        fputs("  line\n", r->out);
    }
    uint32_t left = 0;
    for (uint32_t i = 0, n; i < g.n && !s; i += n) {
        for (n = 1; i + n < g.n && list[i + n].line == list[i].line; n++)
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
        fprintf(r->out, "  %s\n", where);
        s = put_line(r, &g, list + i, n, err);
    }
    if (!s && left)
        fprintf(r->out, "  %s\n", report_text_more(r, left, REPORT_REFERENCE, more, sizeof more));
    if (!s && !g.n)
        fputs("  none\n", r->out);
    free(list);
    report_groups_clear(&g);
    return s;
}
