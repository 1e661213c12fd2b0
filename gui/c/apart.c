/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "apart.h"

#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>

#include "names.h"

enum { ARGUMENTS = 24, WHOLE = 12, MOST = 28 }; /* of a name that are compared; letters of a list that stays whole; letters that are shown */

struct hsc_apart {
    uint32_t n;
    struct mark {
        uint32_t procedure;
        char text[MOST + 4];
    } *marks; /* by procedure */
};

typedef struct twin {
    uint32_t file, line, procedure;
    const char *name;
} twin;

static int by_place(const void *a, const void *b) {
    const twin *x = a, *y = b;
    const uint32_t p[] = {x->file, x->line, x->procedure}, q[] = {y->file, y->line, y->procedure};
    return hsc_compare_keys(p, q, 3);
}

static int by_procedure(const void *a, const void *b) {
    const struct mark *x = a, *y = b;
    return x->procedure < y->procedure ? -1 : x->procedure > y->procedure;
}

typedef struct argument {
    const char *p;
    size_t n;
} argument;

/* Template arguments of "void Grid<double>::move<3, 0>(int)", without those of its parameters and of what it returns: double, 3, 0. */
static unsigned arguments_of(const char *name, argument *out) {
    unsigned n = 0;
    int depth = 0;
    const char *from = NULL;
    for (const char *p = name; *p; p++) {
        if (!depth && !strncmp(p, "operator", 8)) {
            p += 8 + strspn(p + 8, "<>=-+*/%!&|^~[],") - 1;
            p += !strncmp(p + 1, "()", 2) ? 2 : 0;
            continue;
        }
        if (!depth && *p == '(' && strncmp(p, "(anonymous", 10) && p > name && !strstr(p, ")::"))
            break; /* parameters */
        if (!depth && *p == ' ')
            n = 0; /* what it returns */
        bool opens = strchr("<({[", *p) != NULL, closes = strchr(">)}]", *p) && !(*p == '>' && p > name && p[-1] == '-');
        if (opens && !depth++) {
            from = *p == '<' ? p + 1 : NULL;
        } else if (from && n < ARGUMENTS && ((closes && depth == 1) || (*p == ',' && depth == 1))) {
            from += strspn(from, " ");
            size_t size = (size_t)(p - from);
            while (size && from[size - 1] == ' ')
                size--;
            out[n++] = (argument){from, size};
            from = p + 1;
        }
        depth -= closes && depth;
    }
    return n;
}

static bool is_same(argument a, argument b) { return a.n == b.n && !memcmp(a.p, b.p, a.n); }

/* Without the namespaces of a type. */
static argument own(argument a) {
    for (size_t i = 0; i + 2 < a.n && !strchr("<(", a.p[i]); i++)
        if (a.p[i] == ':' && a.p[i + 1] == ':')
            return own((argument){a.p + i + 2, a.n - i - 2});
    return a;
}

static size_t append(char *out, size_t size, size_t at, const char *text, size_t n) {
    for (size_t i = 0; i < n && at + 1 < size; i++)
        out[at++] = text[i];
    out[at] = 0;
    return at;
}

/* An allocator follows from the other arguments. */
static bool is_allocator(argument a) {
    static const char allocator[] = "std::allocator<";
    return a.n > sizeof allocator && !memcmp(a.p, allocator, sizeof allocator - 1);
}

/* The arguments that differ, or all where these are few letters: "double", "3, 0, 0". */
static void join(const argument *list, unsigned n, const bool *differs, char *out, size_t size) {
    size_t all = 0, at = 0;
    for (unsigned i = 0; i < n; i++)
        all += list[i].n + (i ? 2 : 0);
    out[0] = 0;
    for (unsigned i = 0; i < n; i++) {
        if (all > WHOLE && (!differs[i] || (at && is_allocator(list[i]))))
            continue;
        argument a = all > WHOLE ? own(list[i]) : list[i];
        at = append(out, size, at, ", ", at ? 2 : 0);
        at = append(out, size, at, a.p, a.n);
    }
}

/* At most MOST letters of `text`; of more, from where those of the group begin to differ. */
static void cut(const char *text, size_t common, char *out) {
    static const char more[] = "\xE2\x80\xA6";
    size_t n = strlen(text), from = n > MOST ? common : 0, begin = from;
    while (begin && from - begin < 12 && text[begin - 1] != ',') /* with all of the argument, where that begins near */
        begin--;
    from = begin && text[begin - 1] != ',' ? from - 4 : begin;
    while (from && ((unsigned char)text[from] & 0xC0) == 0x80)
        from--;
    from += from && text[from] == ' ';
    size_t at = append(out, MOST + 4, 0, more, from ? 3 : 0), left = n - from;
    bool ends = at + left > MOST;
    size_t keep = ends ? MOST - at - 3 : left;
    while (ends && keep && ((unsigned char)text[from + keep] & 0xC0) == 0x80)
        keep--;
    at = append(out, MOST + 4, at, text + from, keep);
    append(out, MOST + 4, at, more, ends ? 3 : 0);
}

/* Procedures that begin at one line. */
static void mark_group(const twin *list, uint32_t n, struct hsc_apart *out) {
    enum { TEXT = 400 };
    argument first[ARGUMENTS], own_ones[ARGUMENTS];
    bool differs[ARGUMENTS] = {false}, any = false;
    char text[TEXT], other[TEXT];
    unsigned n_first = arguments_of(list[0].name, first);
    for (uint32_t i = 1; i < n; i++) {
        unsigned k = arguments_of(list[i].name, own_ones);
        for (unsigned at = 0; at < ARGUMENTS; at++) {
            bool here = at < k, there = at < n_first;
            differs[at] = differs[at] || here != there || (here && !is_same(own_ones[at], first[at]));
            any = any || differs[at];
        }
    }
    if (!any)
        return;
    size_t common = TEXT;
    join(first, n_first, differs, text, sizeof text);
    for (uint32_t i = 1; i < n; i++) {
        join(own_ones, arguments_of(list[i].name, own_ones), differs, other, sizeof other);
        size_t k = 0;
        while (k < common && text[k] && text[k] == other[k])
            k++;
        common = strcmp(text, other) && k < common ? k : common;
    }
    common = common == TEXT ? 0 : common;
    for (uint32_t i = 0; i < n; i++) {
        struct mark *m = &out->marks[out->n];
        join(own_ones, arguments_of(list[i].name, own_ones), differs, text, sizeof text);
        m->procedure = list[i].procedure;
        cut(text, common, m->text);
        out->n += m->text[0] != 0;
    }
}

static struct hsc_apart *make(hsc_handle *h) {
    uint32_t n = 0;
    struct hsc_apart *a = calloc(1, sizeof *a);
    twin *list = malloc(((size_t)h->info.scopes + 1) * sizeof *list);
    for (uint32_t i = 0; a && list && i < h->info.scopes; i++) {
        hsc_db_scope s;
        if (hsc_db_get_scope(h->db, i, &s, NULL) == HSC_OK && s.kind == HSC_SCOPE_PROCEDURE && s.file != HSC_NONE && s.line_begin && strchr(s.name, '<'))
            list[n++] = (twin){s.file, s.line_begin, i, s.name};
    }
    if (!a || !list || !(a->marks = malloc(((size_t)n + 1) * sizeof *a->marks))) {
        free(list);
        hsc_apart_free(a);
        return NULL;
    }
    if (n > 1)
        qsort(list, n, sizeof *list, by_place);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && list[end].file == list[i].file && list[end].line == list[i].line; end++)
            ;
        if (end - i > 1)
            mark_group(list + i, end - i, a);
    }
    if (a->n > 1)
        qsort(a->marks, a->n, sizeof *a->marks, by_procedure);
    free(list);
    return a;
}

void hsc_apart_free(struct hsc_apart *a) {
    if (a)
        free(a->marks);
    free(a);
}

const char *hsc_handle_apart(hsc_handle *h, uint32_t procedure) {
    h->apart = h->apart ? h->apart : make(h);
    const struct mark key = {.procedure = procedure};
    const struct mark *m = h->apart && h->apart->n ? bsearch(&key, h->apart->marks, h->apart->n, sizeof key, by_procedure) : NULL;
    return m ? m->text : "";
}

void hsc_handle_short_name(hsc_handle *h, uint32_t scope, const char *name, char *out, size_t capacity) {
    static const char hidden[] = "<\xE2\x80\xA6>";
    hsc_name_short(name, out, capacity);
    char *at = NULL;
    for (char *p = out; (p = strstr(p, hidden)); p++)
        at = p;
    const char *mark = at ? hsc_handle_apart(h, scope) : "";
    size_t end = strlen(out), room = strlen(mark);
    if (!room || end + room + 1 > capacity)
        return;
    memmove(at + 2 + room, at + sizeof hidden - 1, end - (size_t)(at - out) - (sizeof hidden - 1) + 1);
    memcpy(at + 1, mark, room);
    at[1 + room] = '>';
}
