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
    char *text; /* malloc'ed: what is shown */
} hit;

typedef struct search {
    hsc_handle *h;
    hsc_db_view view;
    const char *text;
    size_t length;
    uint32_t at_line; /* of name:LINE; 0 none */
    hit *hits;
    uint32_t n, capacity;
} search;

#define HITS_MAX 100000
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

static hsc_status add(search *s, hit one, const char *text, size_t size, hsc_err *err) {
    if (s->n >= HITS_MAX)
        return HSC_OK;
    if (s->n == s->capacity) {
        uint32_t capacity = s->capacity ? 2 * s->capacity : 256;
        hit *bigger = realloc(s->hits, capacity * sizeof *bigger);
        if (!bigger)
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u search hits", capacity);
        s->hits = bigger;
        s->capacity = capacity;
    }
    if (!(one.text = strndup(text, size)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for a search hit");
    s->hits[s->n++] = one;
    return HSC_OK;
}

static hsc_status procedures(search *s, hsc_err *err) {
    hsc_status r = HSC_OK;
    const double *own;
    if ((r = hsc_handle_own(s->h, s->view.metric, &own, err)) != HSC_OK)
        return r;
    for (uint32_t i = 0; r == HSC_OK && i < s->h->info.scopes; i++) {
        hsc_db_scope sc;
        hit one = {own[i], 0, i, 0, 0, NULL};
        if ((r = hsc_db_get_scope(s->h->db, i, &sc, err)) != HSC_OK)
            break;
        if (sc.kind != HSC_SCOPE_PROCEDURE || !find_in(sc.name, strlen(sc.name), s->text, s->length))
            continue;
        one.file = sc.file;
        one.line = sc.line_begin;
        r = add(s, one, sc.name, strlen(sc.name), err);
    }
    return r;
}

static hsc_status line_sum(search *s, uint32_t row, uint32_t n, double *sum, hsc_err *err) {
    double chunk[512];
    hsc_status r = HSC_OK;
    s->view.table = HSC_TABLE_LINE;
    *sum = 0;
    for (uint32_t at = 0; r == HSC_OK && at < n; at += 512) {
        uint32_t k = n - at < 512 ? n - at : 512;
        r = hsc_db_read_sums(s->h->db, s->view, row + at, k, chunk, err);
        for (uint32_t i = 0; r == HSC_OK && i < k; i++)
            *sum += chunk[i];
    }
    return r;
}

static hsc_status files(search *s, hsc_err *err) {
    hsc_status r = HSC_OK;
    for (uint32_t i = 0; r == HSC_OK && i < s->h->info.files; i++) {
        hsc_db_file f;
        hit one = {0, 1, HSC_NONE, i, s->at_line, NULL};
        if ((r = hsc_db_get_file(s->h->db, i, &f, err)) != HSC_OK)
            break;
        if (!find_in(f.path, strlen(f.path), s->text, s->length))
            continue;
        if (s->at_line) {
            uint32_t row = hsc_db_find_line(s->h->db, i, s->at_line);
            if (row != HSC_NONE)
                r = line_sum(s, row, 1, &one.sum, err);
            if (r == HSC_OK)
                r = hsc_handle_scope_at(s->h, i, s->at_line, &one.scope, err);
        } else {
            hsc_db_line first = {0};
            if (f.line_rows)
                r = hsc_db_get_line(s->h->db, f.first_line_row, &first, err);
            one.line = first.line;
            if (r == HSC_OK)
                r = line_sum(s, f.first_line_row, f.line_rows, &one.sum, err);
        }
        if (r == HSC_OK)
            r = add(s, one, f.path, strlen(f.path), err);
    }
    return r;
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
            if (find_in(p, (size_t)(stop - p), s->text, s->length)) {
                hit one = {0, 2, HSC_NONE, i, line, NULL};
                uint32_t row = hsc_db_find_line(s->h->db, i, line);
                if (row != HSC_NONE)
                    r = line_sum(s, row, 1, &one.sum, err);
                if (r == HSC_OK)
                    r = hsc_handle_scope_at(s->h, i, line, &one.scope, err);
                while (p < stop && isspace((unsigned char)*p))
                    p++;
                if (r == HSC_OK)
                    r = add(s, one, p, stop - p < 200 ? (size_t)(stop - p) : 200, err);
            }
            p = nl ? nl + 1 : end;
        }
        free(text);
    }
    return r;
}

static hsc_status remarks(search *s, hsc_err *err) {
    enum { CAPACITY = 256 };
    hsc_db_remark *list = calloc(CAPACITY, sizeof *list);
    hsc_status r = list ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for remarks");
    s->view.table = HSC_TABLE_SCOPE_EXCL;
    for (uint32_t i = 0; r == HSC_OK && i < s->h->info.scopes; i++) {
        uint32_t n = 0;
        if ((r = hsc_db_get_remarks(s->h->db, i, list, CAPACITY, &n, err)) != HSC_OK)
            break;
        for (uint32_t k = 0; r == HSC_OK && k < n && k < CAPACITY; k++) {
            hit one = {0, 3, i, list[k].file, list[k].line, NULL};
            if (!find_in(list[k].message, strlen(list[k].message), s->text, s->length) &&
                !find_in(list[k].name, strlen(list[k].name), s->text, s->length))
                continue;
            if ((r = hsc_db_read_sums(s->h->db, s->view, i, 1, &one.sum, err)) == HSC_OK)
                r = add(s, one, list[k].message, strlen(list[k].message), err);
        }
    }
    free(list);
    return r;
}

static int best_first(const void *a, const void *b) {
    const hit *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum < y->sum ? 1 : -1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
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
    search s = {.h = h, .view = a.view, .text = text, .length = strlen(text)};
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
    if (s.n)
        qsort(s.hits, s.n, sizeof *s.hits, best_first);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < s.n; i++) {
        if (r == HSC_OK && i < a.limit) {
            Tcl_Obj *d = Tcl_NewDictObj();
            PUT(d, "kind", Tcl_NewStringObj(kinds[s.hits[i].kind], -1));
            PUT(d, "name", hsc_tcl_text(s.hits[i].text, strlen(s.hits[i].text)));
            PUT(d, "scope", hsc_tcl_index(s.hits[i].scope));
            PUT(d, "file", hsc_tcl_index(s.hits[i].file));
            PUT(d, "line", WIDE(s.hits[i].line));
            PUT(d, "sum", fabs(s.hits[i].sum) < 9e15 && s.hits[i].sum == floor(s.hits[i].sum)
                              ? WIDE(s.hits[i].sum)
                              : Tcl_NewDoubleObj(s.hits[i].sum));
            PUT(d, "share", Tcl_NewDoubleObj(total > 0 ? s.hits[i].sum / total : 0));
            Tcl_ListObjAppendElement(NULL, list, d);
        }
        free(s.hits[i].text);
    }
    free(s.hits);
    if (r != HSC_OK) {
        Tcl_DecrRefCount(list);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}
