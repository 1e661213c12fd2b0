/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of loops as CSV and JSON. */
#include "map_rows.h"

#include <heatscope/formats/linkage.h>
#include <heatscope/formats/remarks.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put_csv(const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void put_json(const char *text) {
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < 0x20 || *text == 0x7F)
            printf("\\u%04x", (unsigned char)*text);
        else
            putchar(*text);
    putchar('"');
}

static const char *plain(const char *name) {
    return name + (*name == '#');
}

void hsc_map_table_begin(const hsc_map_table *t) {
    if (t->format == HSC_MAP_JSON) {
        putchar('[');
        return;
    }
    for (size_t i = 0; i < t->columns; i++)
        printf("%s%s", i ? "," : "", plain(t->names[i]));
    putchar('\n');
}

void hsc_map_table_row(hsc_map_table *t, const char *const *cells) {
    if (t->format == HSC_MAP_JSON)
        printf("%s\n  {", t->rows ? "," : "");
    for (size_t i = 0; i < t->columns; i++) {
        const char *text = cells[i] ? cells[i] : "";
        if (t->format == HSC_MAP_CSV) {
            if (i)
                putchar(',');
            put_csv(text);
            continue;
        }
        printf("%s\"%s\": ", i ? ", " : "", plain(t->names[i]));
        if (!cells[i])
            fputs("null", stdout);
        else if (t->names[i][0] == '#')
            fputs(text, stdout);
        else
            put_json(text);
    }
    fputs(t->format == HSC_MAP_JSON ? "}" : "\n", stdout);
    t->rows++;
}

void hsc_map_table_end(const hsc_map_table *t) {
    if (t->format == HSC_MAP_JSON)
        printf("%s]\n", t->rows ? "\n" : "");
}

/* Which remark is the reason: what the vectoriser gives as one before "another reason" and what it says besides. */
static int rank_of(const hsc_rec_remark *r) {
    if (!r)
        return 0;
    if (r->reason == HSC_reason_WAITS || r->reason == HSC_reason_VECTORS)
        return 5;
    if (!hsc_remark_refuses_vectors(r->pass.p, r->name.p, r->kind, r->reason))
        return r->reason == HSC_reason_NOT_TRIED ? 2 : 1;
    return r->reason == HSC_reason_OTHER ? 3 : 4;
}

/* The one place of the source that calls flang's form of an intrinsic procedure, which has no lines of its own; NULL: it is no such thing, or called at several. */
static const hsc_book_call *only_call(const hsc_map_book *b, const hsc_rec_procedure *p) {
    char name[64];
    unsigned rank;
    const hsc_book_call *only = NULL;
    if (!hsc_linkage_fortran_intrinsic(p->linkage_name.p, name, sizeof name, &rank))
        return NULL;
    for (size_t i = 0; i < b->calls.n; i++) {
        const hsc_book_call *c = &b->calls.p[i];
        if (!c->record->line || strcmp(c->record->callee.p, p->linkage_name.p) != 0)
            continue;
        if (only && (c->record->line != only->record->line || strcmp(c->file, only->file) != 0))
            return NULL;
        only = c;
    }
    return only;
}

hsc_status hsc_map_rows(const hsc_map_book *b, hsc_map_format format, hsc_err *err) {
    static const char *const names[] = {"module",      "file",        "procedure",   "symbol",   "#line_begin",
                                        "#line_end",   "#depth",      "kind",        "outcome",  "#vector_lanes",
                                        "#interleave", "#unroll",     "#functions",  "versions", "reason",
                                        "remark",      "remark_name", "#remark_line"};
    enum { COLUMNS = sizeof names / sizeof *names };
    hsc_map_table t = {format, names, COLUMNS, 0};
    (void)err;
    hsc_map_table_begin(&t);
    for (size_t i = 0; i < b->loops.n; i++) {
        const hsc_book_loop *l = &b->loops.p[i];
        const hsc_book_procedure *p = &b->procedures.p[l->procedure];
        const hsc_rec_remark *why = NULL; /* of those that say why not, one of the vectoriser first */
        char versions[1000], text[2000] = "", numbers[8][24];
        hsc_book_outcome o = hsc_map_outcome(b, l);
        const hsc_book_call *call = l->record->line_begin ? NULL : only_call(b, p->record);
        for (uint32_t k = 0; k < l->remarks; k++) {
            const hsc_rec_remark *r = b->remarks.p[l->first_remark + k].record;
            if (hsc_map_remark_is_missed(r) && hsc_map_remark_matters(r) && rank_of(r) > rank_of(why))
                why = r;
        }
        const uint64_t values[] = {
            call ? call->record->line : l->record->line_begin, call ? call->record->line : l->record->line_end, l->record->depth, o.width, o.interleave, o.unroll,
            o.functions,           why ? why->line : 0};
        for (int k = 0; k < 8; k++)
            snprintf(numbers[k], sizeof numbers[k], "%" PRIu64, values[k]);
        const char *kind = hsc_enum_text("loop_kind", l->record->kind);
        const char *cells[COLUMNS] = {p->module->head.name.p,
                                      call ? call->file : l->file,
                                      p->record->name.p,
                                      p->record->linkage_name.p,
                                      numbers[0],
                                      numbers[1],
                                      numbers[2],
                                      kind ? kind : "loop",
                                      o.vector     ? "vector"
                                      : o.unrolled ? "unrolled"
                                      : o.fully    ? "unrolled fully"
                                      : o.library  ? "library call"
                                      : o.gone     ? "no code left"
                                                   : "scalar",
                                      numbers[3],
                                      numbers[4],
                                      numbers[5],
                                      numbers[6],
                                      hsc_map_versions_text(b, l, false, versions, sizeof versions),
                                      why ? hsc_enum_text("reason", why->reason) : NULL,
                                      why ? hsc_map_remark_text(why, text, sizeof text) : NULL,
                                      why ? why->name.p : NULL,
                                      why ? numbers[7] : NULL};
        hsc_map_table_row(&t, cells);
    }
    hsc_map_table_end(&t);
    return HSC_OK;
}
