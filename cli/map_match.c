/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matches procedures, loops and calls of two maps. */
#include "map_match.h"

#include <stdlib.h>
#include <string.h>

#include "compare/loops.h"
#include "compare/texts.h"
#include "map_words.h"
#include "store/source.h"

/* Longer lists are matched in order only. */
#define ALIGN_MAX 1500

/* ---- source lines, where the file is the one that was compiled ---- */

typedef struct source {
    const char *path;
    char *text;
    HSC_VEC(const char *) lines;
    compare_text hashes;
} source;

typedef struct side {
    const hsc_map_book *book;
    HSC_VEC(source) sources;
} side;

typedef struct matching {
    side a, b;
    hsc_map_match *m;
} matching;

/* NULL: no memory. */
static const source *source_of(side *s, const char *path) {
    for (size_t i = 0; i < s->sources.n; i++)
        if (!strcmp(s->sources.p[i].path, path))
            return &s->sources.p[i];
    const hsc_book_file *f = hsc_map_book_file(s->book, path);
    source one = {.path = path};
    hsc_err err = {0};
    struct stat st;
    size_t size = 0;
    bool changed = false;
    if (f && f->checksum[0] && hsc_source_read(path, f->checksum, &one.text, &size, &changed, &st, &err) == HSC_OK && changed) {
        free(one.text);
        one.text = NULL;
    }
    for (const char *p = one.text; p && *p;) {
        if (!HSC_PUSH(one.lines, p))
            break;
        p = strchr(p, '\n');
        p = p ? p + 1 : NULL;
    }
    if ((one.text && !compare_text_make(&one.hashes, one.text, size)) || !HSC_PUSH(s->sources, one)) {
        free(one.text);
        free(one.lines.p);
        free(one.hashes.hash);
        return NULL;
    }
    return &s->sources.p[s->sources.n - 1];
}

static const char *line_of(side *s, const char *path, uint64_t line, size_t *n) {
    const source *at = source_of(s, path);
    if (!at || !line || line > at->lines.n)
        return NULL;
    const char *p = at->lines.p[line - 1];
    p += strspn(p, " \t");
    *n = strcspn(p, "\r\n");
    while (*n && (p[*n - 1] == ' ' || p[*n - 1] == '\t'))
        --*n;
    return p;
}

/* 2: the same text; 0: another; 1: one of them is not to be had. */
static int same_text(matching *w, const char *file_a, uint64_t line_a, const char *file_b, uint64_t line_b) {
    size_t n = 0, k = 0;
    const char *x = line_of(&w->a, file_a, line_a, &n), *y = line_of(&w->b, file_b, line_b, &k);
    return !x || !y ? 1 : n == k && !memcmp(x, y, n) ? 2 : 0;
}

static void fini_side(side *s) {
    for (size_t i = 0; i < s->sources.n; i++) {
        free(s->sources.p[i].text);
        free(s->sources.p[i].lines.p);
        free(s->sources.p[i].hashes.hash);
    }
    free(s->sources.p);
}

/* ---- alignment ---- */

/* Pairs that keep the order of both lists, with the largest sum of scores; 0 is no pair. out[i]: index in the second
 * list. */
static bool align(size_t n, size_t k, int (*score)(void *ctx, size_t i, size_t j), void *ctx, uint32_t *out) {
    for (size_t i = 0; i < n; i++)
        out[i] = HSC_NO_INDEX;
    if (!n || !k)
        return true;
    if (n > ALIGN_MAX || k > ALIGN_MAX) {
        for (size_t i = 0; i < n && i < k; i++)
            out[i] = score(ctx, i, i) > 0 ? (uint32_t)i : HSC_NO_INDEX;
        return true;
    }
    int32_t *best = calloc((n + 1) * (k + 1), sizeof *best), *scores = malloc(n * k * sizeof *scores);
    if (!best || !scores) {
        free(best);
        free(scores);
        return false;
    }
#define AT(i, j) best[(i) * (k + 1) + (j)]
    for (size_t i = n; i-- > 0;)
        for (size_t j = k; j-- > 0;) {
            int v = scores[i * k + j] = score(ctx, i, j);
            int32_t skip = AT(i + 1, j) > AT(i, j + 1) ? AT(i + 1, j) : AT(i, j + 1);
            AT(i, j) = v > 0 && AT(i + 1, j + 1) + v > skip ? AT(i + 1, j + 1) + v : skip;
        }
    for (size_t i = 0, j = 0; i < n && j < k;) {
        int v = scores[i * k + j];
        if (v > 0 && AT(i, j) == AT(i + 1, j + 1) + v)
            out[i++] = (uint32_t)j++;
        else if (AT(i, j) == AT(i + 1, j))
            i++;
        else
            j++;
    }
#undef AT
    free(best);
    free(scores);
    return true;
}

/* ---- loops and calls of a pair of procedures ---- */

typedef struct pair {
    matching *w;
    const hsc_book_procedure *a, *b;
} pair;

static int call_score(void *ctx, size_t i, size_t j) {
    pair *p = ctx;
    const hsc_book_call *x = &p->w->a.book->calls.p[p->a->first_call + i],
                        *y = &p->w->b.book->calls.p[p->b->first_call + j];
    if (strcmp(x->record->callee.p, y->record->callee.p) || x->record->kind != y->record->kind)
        return 0;
    bool in_pair = (x->loop == HSC_NO_INDEX) == (y->loop == HSC_NO_INDEX) &&
                   (x->loop == HSC_NO_INDEX || p->w->m->loop_of_a[x->loop] == y->loop);
    return 4 + 3 * in_pair + same_text(p->w, x->file, x->record->line, y->file, y->record->line) +
           (x->record->column == y->record->column) + (x->record->tag == y->record->tag);
}

/* Callees inside the loop, inner ones too: a hash that does not depend on their order; 0: none. */
static uint64_t callees(const hsc_map_book *b, const hsc_book_procedure *p, const hsc_rec_loop *l) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->calls; i++) {
        const hsc_rec_callsite *c = b->calls.p[p->first_call + i].record;
        if (c->line < l->line_begin || c->line > l->line_end)
            continue;
        uint64_t h = 0xcbf29ce484222325u;
        for (const char *q = c->callee.p; *q; q++)
            h = (h ^ (unsigned char)*q) * 0x100000001b3u;
        sum += h;
    }
    return sum;
}

typedef struct nest { /* of a procedure: its loops, each before those inside it */
    compare_loop *list;
    uint32_t *row; /* among the procedure's */
    uint32_t n;
} nest;

/* `loop` and what is inside it. below, next: the first loop inside each, and the next one inside the same. */
static void add_loops(side *s, const hsc_book_procedure *p, uint32_t loop, const uint32_t *below, const uint32_t *next, nest *out) {
    for (; loop != HSC_NO_INDEX; loop = next[loop]) {
        const hsc_book_loop *l = &s->book->loops.p[p->first_loop + loop];
        const source *text = source_of(s, l->file);
        uint32_t at = out->n++, begin = (uint32_t)l->record->line_begin, end = (uint32_t)l->record->line_end;
        out->row[at] = loop;
        out->list[at] = (compare_loop){.kind = l->record->kind + 1,
                                       .text = text ? compare_text_lines(&text->hashes, begin, end > begin ? end : begin, 1) : 0,
                                       .header = text ? compare_text_line(&text->hashes, begin) : 0,
                                       .place = (uint32_t)(l->record->line_begin - p->record->line_begin),
                                       .before_end = (uint32_t)(p->record->line_end - l->record->line_begin),
                                       .lines = end - begin,
                                       .calls = callees(s->book, p, l->record)};
        add_loops(s, p, below[loop], below, next, out);
        out->list[at].end = out->n;
    }
}

static bool nest_of(side *s, const hsc_book_procedure *p, nest *out) {
    size_t n = (size_t)p->loops + 1;
    uint32_t *below = malloc(n * sizeof *below), *next = malloc(n * sizeof *next), first = HSC_NO_INDEX;
    *out = (nest){.list = malloc(n * sizeof *out->list), .row = malloc(n * sizeof *out->row)};
    bool ok = below && next && out->list && out->row;
    for (uint32_t i = 0; ok && i < p->loops; i++)
        below[i] = HSC_NO_INDEX;
    for (uint32_t i = p->loops; ok && i--;) {
        uint32_t up = s->book->loops.p[p->first_loop + i].parent, *head = up >= p->first_loop && up < p->first_loop + i ? &below[up - p->first_loop] : &first;
        next[i] = *head;
        *head = i;
    }
    if (ok)
        add_loops(s, p, first, below, next, out);
    free(below);
    free(next);
    return ok;
}

/* As those of two databases are matched. */
static bool match_loops(const pair *p, uint32_t *at) {
    nest a, b = {0};
    uint32_t n = p->a->loops, *to = malloc(((size_t)n + 1) * sizeof *to);
    unsigned char *how = malloc((size_t)n + 1);
    hsc_err err = {0};
    bool ok = nest_of(&p->w->a, p->a, &a);
    ok = nest_of(&p->w->b, p->b, &b) && ok && to && how && compare_loops(a.list, a.n, b.list, b.n, to, how, &err) == HSC_OK;
    for (uint32_t i = 0; ok && i < a.n; i++) {
        bool whole = how[i] == HSC_COMPARE_NEST && (a.list[i].end == i + 1) != (b.list[to[i]].end == to[i] + 1); /* an innermost one, and a nest */
        at[a.row[i]] = to[i] == COMPARE_NO_LOOP || whole ? HSC_NO_INDEX : b.row[to[i]];
    }
    free(a.list);
    free(a.row);
    free(b.list);
    free(b.row);
    free(to);
    free(how);
    return ok;
}

static bool match_inside(matching *w, uint32_t a, uint32_t b) {
    pair p = {w, &w->a.book->procedures.p[a], &w->b.book->procedures.p[b]};
    uint32_t most = p.a->loops > p.a->calls ? p.a->loops : p.a->calls, *at = malloc((most + 1) * sizeof *at);
    bool ok = at != NULL;
    ok = ok && match_loops(&p, at);
    for (uint32_t i = 0; ok && i < p.a->loops; i++)
        if (at[i] != HSC_NO_INDEX) {
            w->m->loop_of_a[p.a->first_loop + i] = p.b->first_loop + at[i];
            w->m->loop_of_b[p.b->first_loop + at[i]] = p.a->first_loop + i;
        }
    ok = ok && align(p.a->calls, p.b->calls, call_score, &p, at);
    for (uint32_t i = 0; ok && i < p.a->calls; i++)
        if (at[i] != HSC_NO_INDEX) {
            w->m->call_of_a[p.a->first_call + i] = p.b->first_call + at[i];
            w->m->call_of_b[p.b->first_call + at[i]] = p.a->first_call + i;
        }
    free(at);
    return ok;
}

/* ---- procedures ---- */

/* Without the numbers that compilers give: f.omp_outlined.3, _QFPf..omp_par.2, f.llvm.123. */
static size_t plain_size(const char *linkage) {
    size_t n = strlen(linkage), k = n;
    while (k && linkage[k - 1] >= '0' && linkage[k - 1] <= '9')
        k--;
    return k < n && k > 1 && linkage[k - 1] == '.' ? k - 1 : n;
}

typedef struct group { /* procedures of one plain name, in the order of the books */
    HSC_VEC(uint32_t) a, b;
} group;

typedef struct group_pair {
    matching *w;
    const group *g;
} group_pair;

static int procedure_score(void *ctx, size_t i, size_t j) {
    group_pair *p = ctx;
    const hsc_book_procedure *x = &p->w->a.book->procedures.p[p->g->a.p[i]],
                             *y = &p->w->b.book->procedures.p[p->g->b.p[j]];
    int text = same_text(p->w, x->file, x->record->line_begin, y->file, y->record->line_begin);
    int score = 3 + (text == 2 ? 8 : text == 0 ? -2 : 0);
    score += !strcmp(x->file, y->file) ? 8 : !strcmp(hsc_map_file_name(x->file), hsc_map_file_name(y->file)) ? 4 : -2;
    score += x->loops == y->loops ? 3 : 0;
    score += x->calls == y->calls ? 2 : 0;
    score += !strcmp(x->record->linkage_name.p, y->record->linkage_name.p) ? 1 : 0;
    return score;
}

static bool is_counted(const hsc_book_procedure *p) {
    return p->loops || !(p->record->flags & HSC_procedure_flag_DECLARED);
}

static bool match_procedures(matching *w) {
    hsc_pool pool = {0};
    hsc_table by_name = {0};
    HSC_VEC(group) groups = {0};
    bool ok = true;
    for (int s = 0; s < 2 && ok; s++) {
        const hsc_map_book *book = s ? w->b.book : w->a.book;
        for (uint32_t i = 0; ok && i < book->procedures.n; i++) {
            const hsc_book_procedure *p = &book->procedures.p[i];
            if (!is_counted(p))
                continue;
            const char *name = hsc_pool_intern(&pool, p->record->linkage_name.p, plain_size(p->record->linkage_name.p));
            uint32_t *at = name ? hsc_table_at(&by_name, (uintptr_t)name, 0) : NULL;
            ok = at != NULL;
            if (ok && *at == HSC_NO_INDEX) {
                *at = (uint32_t)groups.n;
                ok = HSC_PUSH(groups, (group){{0}, {0}});
            }
            ok = ok && (s ? HSC_PUSH(groups.p[*at].b, i) : HSC_PUSH(groups.p[*at].a, i));
        }
    }
    for (size_t i = 0; i < groups.n; i++) {
        group *g = &groups.p[i];
        group_pair p = {w, g};
        uint32_t *at = malloc((g->a.n + 1) * sizeof *at);
        ok = ok && at &&
             (g->a.n == 1 && g->b.n == 1 ? (at[0] = 0, true) : align(g->a.n, g->b.n, procedure_score, &p, at));
        for (size_t k = 0; ok && k < g->a.n; k++)
            if (at[k] != HSC_NO_INDEX) {
                w->m->procedure_of_a[g->a.p[k]] = g->b.p[at[k]];
                w->m->procedure_of_b[g->b.p[at[k]]] = g->a.p[k];
            }
        free(at);
        free(g->a.p);
        free(g->b.p);
    }
    free(groups.p);
    hsc_table_fini(&by_name);
    hsc_pool_fini(&pool);
    return ok;
}

static uint32_t *none(size_t n) {
    uint32_t *p = malloc((n + 1) * sizeof *p);
    if (p)
        memset(p, 0xff, (n + 1) * sizeof *p);
    return p;
}

hsc_status hsc_map_match_make(const hsc_map_book *a, const hsc_map_book *b, hsc_map_match *out, hsc_err *err) {
    hsc_map_match m = {none(a->procedures.n), none(b->procedures.n), none(a->loops.n),
                       none(b->loops.n),      none(a->calls.n),      none(b->calls.n)};
    matching w = {{a, {0}}, {b, {0}}, &m};
    bool ok = m.procedure_of_a && m.procedure_of_b && m.loop_of_a && m.loop_of_b && m.call_of_a && m.call_of_b &&
              match_procedures(&w);
    for (uint32_t i = 0; ok && i < a->procedures.n; i++)
        if (m.procedure_of_a[i] != HSC_NO_INDEX)
            ok = match_inside(&w, i, m.procedure_of_a[i]);
    fini_side(&w.a);
    fini_side(&w.b);
    if (!ok) {
        hsc_map_match_fini(&m);
        return hsc_err_set(err, HSC_E_MEMORY, "map: out of memory");
    }
    *out = m;
    return HSC_OK;
}

void hsc_map_match_fini(hsc_map_match *m) {
    free(m->procedure_of_a);
    free(m->procedure_of_b);
    free(m->loop_of_a);
    free(m->loop_of_b);
    free(m->call_of_a);
    free(m->call_of_b);
    *m = (hsc_map_match){0};
}
