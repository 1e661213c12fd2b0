/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matching of scopes: procedures by name in rounds of falling strictness, then by the text of their bodies; then the loops of matched ones. */
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "instances.h"
#include "loops.h"
#include "texts.h"

typedef struct side {
    hsc_db *db;
    hsc_db_info info;
    hsc_db_scope *scope;
    compare_texts texts;
} side;

typedef struct matcher {
    side a, b;
    hsc_compare *out;
    hsc_err *err;
} matcher;

typedef struct keyed {
    uint64_t key;
    uint32_t scope;
} keyed;

enum { USE_FILE = 1, USE_MODULE = 2, DROP_NUMBERS = 4 };

static hsc_status no_memory(matcher *m) {
    return hsc_err_set(m->err, HSC_E_MEMORY, "no memory to compare %u and %u scopes", m->a.info.scopes,
                       m->b.info.scopes);
}

static hsc_status open_side(side *s, hsc_db *db, hsc_err *err) {
    s->db = db;
    hsc_db_get_info(db, &s->info);
    s->scope = malloc(((size_t)s->info.scopes + 1) * sizeof *s->scope);
    hsc_status status =
        s->scope ? compare_texts_open(&s->texts, db, err)
                 : hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u scopes", s->info.path, s->info.scopes);
    for (uint32_t i = 0; !status && i < s->info.scopes; i++) {
        status = hsc_db_get_scope(db, i, &s->scope[i], err);
        if (!status && (s->scope[i].subtree_end <= i || s->scope[i].subtree_end > s->info.scopes))
            status = hsc_err_set(err, HSC_E_FORMAT, "%s: scope %u: expected its subtree to end in (%u, %u], got %u",
                                 s->info.path, i, i, s->info.scopes, s->scope[i].subtree_end);
    }
    return status;
}

static void close_side(side *s) {
    free(s->scope);
    compare_texts_close(&s->texts);
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static uint64_t hash_text(uint64_t h, const char *text, bool drop_numbers) {
    for (; *text; text++) {
        /* ".3" that the compiler appends */
        if (drop_numbers && *text == '.') {
            const char *end = text + 1;
            while (*end >= '0' && *end <= '9')
                end++;
            if (end > text + 1 && (!*end || *end == '.')) {
                text = end - 1;
                continue;
            }
        }
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    }
    return (h ^ 0xff) * 0x100000001b3u;
}

/* "library.so+0x4a10": code without symbols, known by its address alone. */
static bool by_address(const hsc_db_scope *x) {
    const char *plus = x->kind == HSC_SCOPE_PROCEDURE ? strrchr(x->name, '+') : NULL;
    return plus && !strncmp(plus, "+0x", 3) && plus[3] && !plus[3 + strspn(plus + 3, "0123456789abcdef")];
}

static uint64_t key_of(const side *s, uint32_t scope, int use) {
    const hsc_db_scope *x = &s->scope[scope];
    hsc_db_file file;
    hsc_db_module module;
    uint64_t h = hash_text(0xcbf29ce484222325u ^ (uint64_t)x->kind,
                           x->kind == HSC_SCOPE_PROCEDURE ? x->name : base_of(x->name), use & DROP_NUMBERS);
    if ((use & USE_FILE) && x->file != HSC_NONE && !hsc_db_get_file(s->db, x->file, &file, NULL))
        h = hash_text(h, base_of(file.path), false);
    if ((use & USE_MODULE) && x->module != HSC_NONE && !hsc_db_get_module(s->db, x->module, &module, NULL))
        h = hash_text(h, base_of(module.path), false);
    /* an address says the same place only in the same build of the file */
    if (by_address(x) && x->module != HSC_NONE && !hsc_db_get_module(s->db, x->module, &module, NULL))
        h = hash_text(h, module.build_id, false);
    return h;
}

static int by_key(const void *p, const void *q) {
    const keyed *x = p, *y = q;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->scope < y->scope ? -1 : x->scope > y->scope;
}

static keyed *keys_of(const side *s, const uint32_t *matched, hsc_scope_kind kind, int use, uint32_t *n) {
    keyed *k = malloc(((size_t)s->info.scopes + 1) * sizeof *k);
    *n = 0;
    for (uint32_t i = 0; k && i < s->info.scopes; i++)
        if (s->scope[i].kind == kind && matched[i] == HSC_NONE &&
            !((use & DROP_NUMBERS) && by_address(&s->scope[i]))) /* an address is no number of a copy */
            k[(*n)++] = (keyed){key_of(s, i, use), i};
    if (k && *n)
        qsort(k, *n, sizeof *k, by_key);
    return k;
}

static void match(matcher *m, uint32_t a, uint32_t b, hsc_compare_how how) {
    m->out->b_of_a[a] = b;
    m->out->a_of_b[b] = a;
    m->out->how_a[a] = (unsigned char)how;
}

/* One round: those with the same key, in the order of the databases. */
static hsc_status match_named(matcher *m, hsc_scope_kind kind, int use, hsc_compare_how how) {
    uint32_t n, k;
    keyed *a = keys_of(&m->a, m->out->b_of_a, kind, use, &n), *b = keys_of(&m->b, m->out->a_of_b, kind, use, &k);
    hsc_status s = a && b ? HSC_OK : no_memory(m);
    for (uint32_t i = 0, j = 0; !s && i < n && j < k;) {
        if (a[i].key < b[j].key)
            i++;
        else if (a[i].key > b[j].key)
            j++;
        else
            match(m, a[i++].scope, b[j++].scope, how);
    }
    free(a);
    free(b);
    return s;
}

/* Loops and regions of a procedure, what is round others before them; *scope[i]: which one that is. free() both. */
static hsc_status loops_of(matcher *m, side *s, uint32_t procedure, compare_loop **list, uint32_t **scope, uint32_t *n) {
    const hsc_db_scope *p = &s->scope[procedure];
    *n = 0;
    *list = malloc(((size_t)p->subtree_end - procedure) * sizeof **list);
    *scope = malloc(((size_t)p->subtree_end - procedure) * sizeof **scope);
    if (!*list || !*scope)
        return no_memory(m);
    for (uint32_t c = procedure + 1; c < p->subtree_end;) {
        const hsc_db_scope *x = &s->scope[c];
        bool is_loop = x->kind == HSC_SCOPE_LOOP;
        if (!is_loop && x->kind != HSC_SCOPE_REGION) {
            c = x->subtree_end;
            continue;
        }
        (*list)[*n] = (compare_loop){.region = !is_loop,
                                     .kind = hash_text((uint64_t)x->kind, x->name, false),
                                     .text = compare_lines_hash(&s->texts, x->file, x->line_begin, x->line_end, 1),
                                     .header = compare_line_hash(&s->texts, x->file, x->line_begin),
                                     .place = x->line_begin - p->line_begin,
                                     .before_end = p->line_end - x->line_begin,
                                     .lines = x->line_end - x->line_begin};
        (*scope)[(*n)++] = c++;
    }
    for (uint32_t i = *n; i--;) {
        uint32_t end = i + 1;
        while (end < *n && (*scope)[end] < s->scope[(*scope)[i]].subtree_end)
            end = (*list)[end].end;
        (*list)[i].end = end;
    }
    return HSC_OK;
}

static hsc_status match_loops(matcher *m, uint32_t pa, uint32_t pb) {
    compare_loop *a = NULL, *b = NULL;
    uint32_t *scope_a = NULL, *scope_b = NULL, *to = NULL, n = 0, k = 0;
    unsigned char *how = NULL;
    hsc_status s = loops_of(m, &m->a, pa, &a, &scope_a, &n);
    if (!s && n)
        s = loops_of(m, &m->b, pb, &b, &scope_b, &k);
    if (!s && n && k) {
        to = malloc(n * sizeof *to);
        how = malloc(n);
        s = to && how ? compare_loops(a, n, b, k, to, how, m->err) : no_memory(m);
        for (uint32_t i = 0; !s && i < n; i++)
            if (to[i] != COMPARE_NO_LOOP)
                match(m, scope_a[i], scope_b[to[i]], (hsc_compare_how)how[i]);
    }
    free(a);
    free(b);
    free(scope_a);
    free(scope_b);
    free(to);
    free(how);
    return s;
}

/* How many folders from the end two paths share, the file's name included. */
static uint32_t common_tail(const char *a, const char *b) {
    const char *x = a + strlen(a), *y = b + strlen(b);
    uint32_t n = 0;
    while (x > a && y > b && x[-1] == y[-1]) {
        x--;
        y--;
        n += *x == '/';
    }
    return (x == a || x[-1] == '/') && (y == b || y[-1] == '/') ? n + 1 : n;
}

static hsc_status match_files(matcher *m) {
    bool *taken = calloc((size_t)m->out->files_b + 1, sizeof *taken);
    hsc_status s = taken ? HSC_OK : no_memory(m);
    for (uint32_t round = 0; !s && round < 2; round++) /* equal paths first */
        for (uint32_t f = 0; !s && f < m->out->files_a; f++) {
            hsc_db_file x, y;
            uint32_t best = HSC_NONE, most = 0;
            s = hsc_db_get_file(m->a.db, f, &x, m->err);
            if (m->out->file_b_of_a[f] != HSC_NONE)
                continue;
            for (uint32_t g = 0; !s && g < m->out->files_b; g++) {
                if (taken[g] || (s = hsc_db_get_file(m->b.db, g, &y, m->err)))
                    continue;
                uint32_t tail = x.has_lines != y.has_lines || (round == 0 && strcmp(x.path, y.path))
                                    ? 0
                                    : common_tail(x.path, y.path);
                if (tail > most) {
                    most = tail;
                    best = g;
                }
            }
            if (!s && best != HSC_NONE) {
                m->out->file_b_of_a[f] = best;
                taken[best] = true;
            }
        }
    free(taken);
    return s;
}

/* What a procedure does, without the lines that may have its name; 0: too little of it to tell it from others, or not known. */
static uint64_t body_key(side *s, uint32_t scope) {
    const hsc_db_scope *x = &s->scope[scope];
    return x->line_end > x->line_begin + 1 ? compare_lines_hash(&s->texts, x->file, x->line_begin + 1, x->line_end - 1, 2) : 0;
}

static keyed *bodies_of(side *s, const uint32_t *matched, uint32_t *n) {
    keyed *k = malloc(((size_t)s->info.scopes + 1) * sizeof *k);
    *n = 0;
    for (uint32_t i = 0; k && i < s->info.scopes; i++) {
        uint64_t key = s->scope[i].kind == HSC_SCOPE_PROCEDURE && matched[i] == HSC_NONE ? body_key(s, i) : 0;
        if (key)
            k[(*n)++] = (keyed){key, i};
    }
    if (k && *n)
        qsort(k, *n, sizeof *k, by_key);
    return k;
}

/* Procedures with another name: of those that are left, the only one on each side with that body. */
static hsc_status match_bodies(matcher *m) {
    uint32_t n, k;
    keyed *a = bodies_of(&m->a, m->out->b_of_a, &n), *b = bodies_of(&m->b, m->out->a_of_b, &k);
    hsc_status s = a && b ? HSC_OK : no_memory(m);
    for (uint32_t i = 0, j = 0; !s && i < n && j < k;) {
        uint32_t i_end = i + 1, j_end = j + 1;
        while (i_end < n && a[i_end].key == a[i].key)
            i_end++;
        while (j_end < k && b[j_end].key == b[j].key)
            j_end++;
        if (a[i].key == b[j].key && i_end - i == 1 && j_end - j == 1)
            match(m, a[i].scope, b[j].scope,
                  compare_are_instances(m->a.scope[a[i].scope].name, m->b.scope[b[j].scope].name) ? HSC_COMPARE_INSTANCE : HSC_COMPARE_RENAMED);
        uint64_t key = a[i].key < b[j].key ? a[i].key : b[j].key;
        i = a[i].key == key ? i_end : i;
        j = b[j].key == key ? j_end : j;
    }
    free(a);
    free(b);
    return s;
}

/* A source file that was renamed: that of the first procedure of it that is elsewhere now. */
static hsc_status match_renamed(matcher *m) {
    bool *taken = calloc((size_t)m->out->files_b + 1, sizeof *taken);
    hsc_status s = taken ? HSC_OK : no_memory(m);
    for (uint32_t f = 0; !s && f < m->out->files_a; f++)
        if (m->out->file_b_of_a[f] != HSC_NONE)
            taken[m->out->file_b_of_a[f]] = true;
    for (uint32_t i = 0; !s && i < m->out->scopes_a; i++) {
        uint32_t b = m->out->b_of_a[i], f = m->a.scope[i].file, g = b == HSC_NONE ? HSC_NONE : m->b.scope[b].file;
        hsc_db_file x, y;
        if (m->a.scope[i].kind != HSC_SCOPE_PROCEDURE || f >= m->out->files_a || g >= m->out->files_b || m->out->file_b_of_a[f] != HSC_NONE || taken[g])
            continue;
        s = hsc_db_get_file(m->a.db, f, &x, m->err);
        if (!s && !(s = hsc_db_get_file(m->b.db, g, &y, m->err)) && x.has_lines && y.has_lines) {
            m->out->file_b_of_a[f] = g;
            taken[g] = true;
        }
    }
    free(taken);
    return s;
}

static uint32_t *none(size_t n) {
    uint32_t *p = malloc((n + 1) * sizeof *p);
    for (size_t i = 0; p && i <= n; i++)
        p[i] = HSC_NONE;
    return p;
}

hsc_status hsc_compare_scopes(hsc_db *a, hsc_db *b, hsc_compare *out, hsc_err *err) {
    static const struct {
        hsc_scope_kind kind;
        int use;
        hsc_compare_how how;
    } rounds[] = {{HSC_SCOPE_PROGRAM, DROP_NUMBERS, HSC_COMPARE_SAME},
                  {HSC_SCOPE_MODULE, 0, HSC_COMPARE_SAME},
                  {HSC_SCOPE_FILE, USE_MODULE, HSC_COMPARE_SAME},
                  {HSC_SCOPE_FILE, 0, HSC_COMPARE_MOVED},
                  {HSC_SCOPE_PROCEDURE, USE_FILE | USE_MODULE, HSC_COMPARE_SAME},
                  {HSC_SCOPE_PROCEDURE, USE_FILE, HSC_COMPARE_SAME},
                  {HSC_SCOPE_PROCEDURE, 0, HSC_COMPARE_MOVED},
                  {HSC_SCOPE_PROCEDURE, USE_FILE | DROP_NUMBERS, HSC_COMPARE_NUMBERED},
                  {HSC_SCOPE_PROCEDURE, DROP_NUMBERS, HSC_COMPARE_NUMBERED}};
    matcher m = {.out = out, .err = err};
    *out = (hsc_compare){.a = a, .b = b};
    hsc_status s = open_side(&m.a, a, err);
    if (!s)
        s = open_side(&m.b, b, err);
    if (!s) {
        out->scopes_a = m.a.info.scopes;
        out->scopes_b = m.b.info.scopes;
        out->files_a = m.a.info.files;
        out->files_b = m.b.info.files;
        out->b_of_a = none(out->scopes_a);
        out->a_of_b = none(out->scopes_b);
        out->file_b_of_a = none(out->files_a);
        out->how_a = malloc((size_t)out->scopes_a + 1);
        if (!out->b_of_a || !out->a_of_b || !out->file_b_of_a || !out->how_a)
            s = no_memory(&m);
    }
    if (!s) {
        memset(out->how_a, HSC_COMPARE_NONE, out->scopes_a);
        if (out->scopes_a && out->scopes_b)
            match(&m, 0, 0, HSC_COMPARE_SAME);
        s = match_files(&m);
    }
    for (size_t i = 1; !s && i < sizeof rounds / sizeof *rounds; i++)
        s = match_named(&m, rounds[i].kind, rounds[i].use, rounds[i].how);
    if (!s)
        s = match_bodies(&m);
    if (!s)
        s = match_renamed(&m);
    for (uint32_t i = 0; !s && i < out->scopes_a; i++)
        if (out->b_of_a[i] != HSC_NONE && m.a.scope[i].kind == HSC_SCOPE_PROCEDURE)
            s = match_loops(&m, i, out->b_of_a[i]);
    close_side(&m.a);
    close_side(&m.b);
    if (s)
        hsc_compare_clear(out);
    return s;
}

void hsc_compare_clear(hsc_compare *c) {
    free(c->b_of_a);
    free(c->a_of_b);
    free(c->how_a);
    free(c->file_b_of_a);
    *c = (hsc_compare){0};
}
