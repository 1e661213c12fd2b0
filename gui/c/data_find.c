/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: search in names, paths, remarks and source text. */
#include "handle.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)
#define WIDE(v) Tcl_NewWideIntObj((Tcl_WideInt)(v))

typedef struct hit {
    double sum;
    int kind;
    uint32_t scope, file, line;
    const char *text; /* what is shown: the database's, or `own` */
    char *own;        /* malloc'ed; NULL */
    size_t size;
} hit;

typedef struct search {
    hsc_handle *h;
    hsc_db_view view;
    const char *text; /* what is looked for */
    size_t length;
    uint32_t at_line; /* of name:LINE; 0 none */
    hit *hits;        /* the best; limit at most once it is sorted */
    uint32_t n, capacity, limit;
    double least;     /* sum of the last of `limit` that were as good at least; below it nothing is taken */
} search;

static const char *const kinds[] = {"procedure", "file", "source", "remark", NULL};

static const char *find_in(const char *hay, size_t n, const char *needle, size_t m) {
    if (m == 0 || m > n)
        return NULL;
    int first = tolower((unsigned char)needle[0]);
    for (size_t i = 0; i + m <= n; i++)
        if (tolower((unsigned char)hay[i]) == first && !strncasecmp(hay + i, needle, m))
            return hay + i;
    return NULL;
}

static int best_first(const void *a, const void *b) {
    const hit *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum < y->sum ? 1 : -1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->scope != y->scope)
        return x->scope < y->scope ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* Leaves the best `limit`. */
static void keep_best(search *s) {
    if (s->n)
        qsort(s->hits, s->n, sizeof *s->hits, best_first);
    while (s->n > s->limit)
        free(s->hits[--s->n].own);
    if (s->n && s->n == s->limit)
        s->least = s->hits[s->n - 1].sum;
}

/* Takes one.own. Of twice as many as are wanted the better half is kept, so that their number costs neither memory nor sorting. */
static hsc_status add(search *s, hit one, hsc_err *err) {
    if (one.sum < s->least) {
        free(one.own);
        return HSC_OK;
    }
    if (s->n == s->capacity) {
        uint32_t capacity = s->capacity ? 2 * s->capacity : 256;
        hit *bigger = realloc(s->hits, capacity * sizeof *bigger);
        if (!bigger) {
            free(one.own);
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u search hits", capacity);
        }
        s->hits = bigger;
        s->capacity = capacity;
    }
    s->hits[s->n++] = one;
    if (s->n >= 2 * s->limit + 256)
        keep_best(s);
    return HSC_OK;
}

static hsc_status procedures(search *s, hsc_err *err) {
    const double *own;
    hsc_db_scope_columns columns;
    uint32_t *rows = NULL, n = 0;
    hsc_status r = hsc_handle_own(s->h, s->view.metric, &own, err);
    if (r == HSC_OK)
        r = hsc_db_get_scope_columns(s->h->db, &columns, err);
    if (r == HSC_OK)
        r = hsc_db_find_text(s->h->db, HSC_TEXTS_SCOPES, s->text, &rows, &n, err);
    for (uint32_t i = 0; r == HSC_OK && i < n; i++) {
        hsc_db_scope sc;
        if (columns.kind[rows[i]] != HSC_SCOPE_PROCEDURE)
            continue;
        if ((r = hsc_db_get_scope(s->h->db, rows[i], &sc, err)) == HSC_OK)
            r = add(s, (hit){own[rows[i]], 0, rows[i], sc.file, sc.line_begin, sc.name, NULL, strlen(sc.name)}, err);
    }
    free(rows);
    return r;
}

static hsc_status line_sum(search *s, uint32_t row, double *sum, hsc_err *err) {
    s->view.table = HSC_TABLE_LINE;
    return hsc_db_read_sums(s->h->db, s->view, row, 1, sum, err);
}

/* A place in the file, or all of it. */
static hsc_status take_file(search *s, uint32_t file, hsc_err *err) {
    hsc_status r = HSC_OK;
    hsc_db_file f;
    hsc_db_line first = {0};
    const double *sums;
    hit one = {0, 1, HSC_NONE, file, s->at_line, NULL, NULL, 0};
    if ((r = hsc_db_get_file(s->h->db, file, &f, err)) != HSC_OK)
        return r;
    one.text = f.path;
    one.size = strlen(f.path);
    if (s->at_line) {
        uint32_t row = hsc_db_find_line(s->h->db, file, s->at_line);
        if (row != HSC_NONE)
            r = line_sum(s, row, &one.sum, err);
        if (r == HSC_OK)
            r = hsc_handle_scope_at(s->h, file, s->at_line, &one.scope, err);
    } else {
        if (f.line_rows)
            r = hsc_db_get_line(s->h->db, f.first_line_row, &first, err);
        one.line = first.line;
        if (r == HSC_OK && (r = hsc_handle_files(s->h, s->view.metric, &sums, err)) == HSC_OK)
            one.sum = sums[file];
    }
    return r == HSC_OK ? add(s, one, err) : r;
}

static hsc_status files(search *s, hsc_err *err) {
    uint32_t *rows = NULL, n = 0;
    char *name = strndup(s->text, s->length);
    hsc_status r = name ? hsc_db_find_text(s->h->db, HSC_TEXTS_FILES, name, &rows, &n, err)
                        : hsc_err_set(err, HSC_E_MEMORY, "no memory for a search");
    for (uint32_t i = 0; r == HSC_OK && i < n; i++)
        r = take_file(s, rows[i], err);
    free(rows);
    free(name);
    return r;
}

static hsc_status take_source_line(search *s, uint32_t file, uint32_t line, const char *p, const char *stop, hsc_err *err) {
    hit one = {0, 2, HSC_NONE, file, line, NULL, NULL, 0};
    hsc_status r = HSC_OK;
    uint32_t row = hsc_db_find_line(s->h->db, file, line);
    if (row != HSC_NONE)
        r = line_sum(s, row, &one.sum, err);
    if (r == HSC_OK)
        r = hsc_handle_scope_at(s->h, file, line, &one.scope, err);
    while (p < stop && isspace((unsigned char)*p))
        p++;
    one.size = stop - p < 200 ? (size_t)(stop - p) : 200;
    if (r == HSC_OK && !(one.own = strndup(p, one.size)))
        r = hsc_err_set(err, HSC_E_MEMORY, "no memory for a search hit");
    one.text = one.own;
    return r == HSC_OK ? add(s, one, err) : r;
}

/* Files whose text is not there are passed over: they have nothing to find. */
static hsc_status sources(search *s, hsc_err *err) {
    hsc_status r = HSC_OK;
    for (uint32_t i = 0; r == HSC_OK && i < s->h->info.files; i++) {
        char *text = NULL;
        size_t size = 0;
        bool changed;
        if (hsc_db_read_source(s->h->db, i, &text, &size, &changed, NULL) != HSC_OK)
            continue;
        uint32_t line = 1;
        for (const char *p = text, *end = text + size; r == HSC_OK && p < end; line++) {
            const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
            if (find_in(p, (size_t)(stop - p), s->text, s->length))
                r = take_source_line(s, i, line, p, stop, err);
            p = nl ? nl + 1 : end;
        }
        free(text);
    }
    return r;
}

/* Each has what its scope took itself. They are sorted by scope: sums are read so many scopes at once. */
static hsc_status remarks(search *s, hsc_err *err) {
    enum { PIECE = 512 };
    double sums[PIECE];
    uint32_t *rows = NULL, n = 0, from = 0, to = 0;
    hsc_status r = hsc_db_find_text(s->h->db, HSC_TEXTS_REMARKS, s->text, &rows, &n, err);
    s->view.table = HSC_TABLE_SCOPE_EXCL;
    for (uint32_t i = 0; r == HSC_OK && i < n; i++) {
        hsc_db_remark remark;
        hit one = {.kind = 3};
        if ((r = hsc_db_get_remark(s->h->db, rows[i], &remark, err)) != HSC_OK)
            break;
        if (remark.scope < s->h->info.scopes && (remark.scope < from || remark.scope >= to)) {
            from = remark.scope;
            to = s->h->info.scopes - from < PIECE ? s->h->info.scopes : from + PIECE;
            if ((r = hsc_db_read_sums(s->h->db, s->view, from, to - from, sums, err)) != HSC_OK)
                break;
        }
        one.sum = remark.scope < s->h->info.scopes ? sums[remark.scope - from] : 0;
        one.scope = remark.scope;
        one.file = remark.file;
        one.line = remark.line;
        one.text = remark.message;
        one.size = strlen(remark.message);
        r = add(s, one, err);
    }
    free(rows);
    return r;
}

int hsc_data_find(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    hsc_data_args a;
    hsc_err err = {0};
    if (objc < 1)
        return hsc_tcl_usage(interp, "find TEXT ?-kinds LIST? ?-n N? ?-metric M?");
    if (hsc_data_parse(h, interp, objc - 1, objv + 1, HSC_ARG_KINDS | HSC_ARG_N, 0, 200, 4096, &a) != TCL_OK)
        return TCL_ERROR;
    unsigned wanted = 3;
    if (a.kinds) {
        Tcl_Obj **list;
        Tcl_Size n;
        int k;
        wanted = 0;
        if (Tcl_ListObjGetElements(interp, a.kinds, &n, &list) != TCL_OK)
            return TCL_ERROR;
        for (Tcl_Size i = 0; i < n; i++) {
            if (Tcl_GetIndexFromObj(interp, list[i], kinds, "kind", TCL_EXACT, &k) != TCL_OK) {
                Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
                return TCL_ERROR;
            }
            wanted |= 1u << k;
        }
    }
    const char *text = Tcl_GetString(objv[0]);
    search s = {.h = h, .view = a.view, .text = text, .length = strlen(text), .limit = a.limit, .least = -INFINITY};
    const char *colon = strrchr(text, ':');
    if (colon && colon > text && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) && strlen(colon) < 10) {
        s.at_line = (uint32_t)strtoul(colon + 1, NULL, 10);
        s.length = (size_t)(colon - text);
    }
    double total = 0;
    hsc_status r = hsc_handle_total(h, a.view.metric, &total, &err);
    if (r == HSC_OK && wanted & 1 && !s.at_line)
        r = procedures(&s, &err);
    if (r == HSC_OK && wanted & 2)
        r = files(&s, &err);
    if (r == HSC_OK && wanted & 4 && !s.at_line)
        r = sources(&s, &err);
    if (r == HSC_OK && wanted & 8 && !s.at_line)
        r = remarks(&s, &err);
    keep_best(&s);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < s.n; i++) {
        if (r == HSC_OK) {
            Tcl_Obj *d = Tcl_NewDictObj();
            PUT(d, "kind", Tcl_NewStringObj(kinds[s.hits[i].kind], -1));
            PUT(d, "name", hsc_tcl_text(s.hits[i].text, s.hits[i].size));
            PUT(d, "scope", hsc_tcl_index(s.hits[i].scope));
            PUT(d, "file", hsc_tcl_index(s.hits[i].file));
            PUT(d, "line", WIDE(s.hits[i].line));
            PUT(d, "sum", fabs(s.hits[i].sum) < 9e15 && s.hits[i].sum == floor(s.hits[i].sum)
                              ? WIDE(s.hits[i].sum)
                              : Tcl_NewDoubleObj(s.hits[i].sum));
            PUT(d, "share", Tcl_NewDoubleObj(total > 0 ? s.hits[i].sum / total : 0));
            Tcl_ListObjAppendElement(NULL, list, d);
        }
        free(s.hits[i].own);
    }
    free(s.hits);
    if (r != HSC_OK) {
        Tcl_DecrRefCount(list);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}
