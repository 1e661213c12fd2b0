/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What hsc_code_open read of a module, as bytes for a later one, which then need not read it again. Texts are numbered, once each;
 * in place of a pointer to one stands its number + 1. What look-ups find is not in it, nor what the ELF file has as it is. */
#include <stdlib.h>
#include <string.h>

#include "code_internal.h"
#include "parcel.h"

#define TEXTS_MAX 6

typedef HSC_VEC(uint8_t) any_vec; /* every growable array is laid out so */

typedef struct listing { /* an array of hsc_code */
    size_t at, element;
    unsigned text_count;
    size_t texts[TEXTS_MAX]; /* offsets in an element */
} listing;

typedef struct keyed { /* a table of hsc_code; text: which half of the keys is an interned text, -1 none */
    size_t at;
    int text;
} keyed;

#define OF(member) offsetof(hsc_code, member), sizeof *((hsc_code *)0)->member.p
#define T(type, member) offsetof(type, member)
static const listing listings[] = {
    {OF(files), 2, {T(hsc_code_file, path), T(hsc_code_file, checksum)}},
    {OF(procedures), 2, {T(hsc_code_procedure, name), T(hsc_code_procedure, linkage)}},
    {OF(loops), 4, {T(hsc_code_loop, name), T(hsc_code_loop, variable), T(hsc_code_loop, first), T(hsc_code_loop, bound)}},
    {OF(instances), 0, {0}},
    {OF(remarks), 3, {T(hsc_code_remark, pass), T(hsc_code_remark, name), T(hsc_code_remark, message)}},
    {OF(dependences), 0, {0}},
    {OF(data.checks), 0, {0}},
    {OF(data.arrays), 5, {T(hsc_code_array, name), T(hsc_code_array, type), T(hsc_code_array, element), T(hsc_code_array, bounds), T(hsc_code_array, symbol)}},
    {OF(data.references), 2, {T(hsc_code_reference, text), T(hsc_code_reference, stride_bytes)}},
    {OF(data.messages), 1, {T(hsc_code_message, operation)}},
    {OF(data.arguments), 1, {T(hsc_code_argument, text)}},
    {OF(data.links), 1, {T(hsc_code_link, text)}},
    {OF(data.directives), 1, {T(hsc_code_directive, text)}},
    {OF(data.runtime_calls), 1, {T(hsc_code_runtime_call, callee)}},
    {OF(lines), 0, {0}},
    {OF(scopes), 0, {0}},
    {OF(scope_spans), 0, {0}},
    {OF(units), 2, {T(hsc_unit, name), T(hsc_unit, directory)}},
    {OF(symbols), 1, {T(hsc_symbol, name)}},
    {OF(plt_names), 1, {0}},
    {OF(groups), 2, {T(hsc_group, name), T(hsc_group, directory)}},
    {OF(link_units), 0, {0}},
    {OF(sites), 1, {T(hsc_site, callee)}},
    {OF(places), 0, {0}},
    {OF(inlineds), 0, {0}},
    {OF(instance_parents), 0, {0}},
    {OF(loop_of_procedure), 0, {0}},
    {OF(next_loop), 0, {0}},
};
static const keyed tables[] = {
    {offsetof(hsc_code, data_owner), -1},       {offsetof(hsc_code, data_rows), -1},         {offsetof(hsc_code, array_by_tag), -1},
    {offsetof(hsc_code, file_by_path), 0},      {offsetof(hsc_code, procedure_by_key), 0},   {offsetof(hsc_code, loop_by_key), -1},
    {offsetof(hsc_code, group_by_tag), -1},     {offsetof(hsc_code, row_by_tag), -1},        {offsetof(hsc_code, no_return), 0},
    {offsetof(hsc_code, procedure_by_group), 1}, {offsetof(hsc_code, procedure_by_name), 1}, {offsetof(hsc_code, call_by_position), -1},
    {offsetof(hsc_code, site_by_id.others), -1}, {offsetof(hsc_code, place_by_id.others), -1}, {offsetof(hsc_code, inlined_by_id.others), -1},
};
static const size_t id_rows[] = {offsetof(hsc_code, site_by_id), offsetof(hsc_code, place_by_id), offsetof(hsc_code, inlined_by_id)};
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- put ---- */

typedef struct numbering {
    hsc_table rows; /* by address of the text */
    HSC_VEC(const char *) texts;
    bool failed;
} numbering;

/* Number + 1; 0 of NULL. */
static uint64_t number_of(numbering *n, const char *text) {
    uint32_t *at = text ? hsc_table_at(&n->rows, (uintptr_t)text, 0) : NULL;
    if (at && *at == HSC_NO_INDEX && HSC_PUSH(n->texts, text))
        *at = (uint32_t)n->texts.n - 1;
    n->failed = n->failed || (text && (!at || *at == HSC_NO_INDEX));
    return at ? (uint64_t)*at + 1 : 0;
}

static void put_listing(parcel *a, numbering *n, const hsc_code *c, const listing *l) {
    any_vec v;
    memcpy(&v, (const char *)c + l->at, sizeof v);
    parcel_u64(a, v.n);
    size_t begin = a->n;
    parcel_put(a, v.p, v.n * l->element);
    for (size_t i = 0; l->text_count && i < v.n && !a->failed; i++)
        for (unsigned t = 0; t < l->text_count; t++) {
            uint8_t *at = a->p + begin + i * l->element + l->texts[t];
            const char *text;
            memcpy(&text, at, sizeof text);
            uint64_t number = number_of(n, text);
            memcpy(at, &number, sizeof number);
        }
}

static void put_table(parcel *a, numbering *n, const hsc_table *t, int text) {
    parcel_u64(a, t->count);
    for (size_t i = 0; i < t->capacity; i++) {
        const hsc_table_slot *s = &t->slots[i];
        if (!s->used)
            continue;
        const uint64_t words[] = {text == 0 ? number_of(n, (const char *)(uintptr_t)s->a) : s->a,
                                  text == 1 ? number_of(n, (const char *)(uintptr_t)s->b) : s->b, s->value};
        parcel_put(a, words, sizeof words);
    }
}

bool hsc_code_put_image(const hsc_code *c, parcel *a) {
    const size_t begin = a->n;
    numbering n = {0};
    parcel texts = {0};
    const uint64_t facts[] = {c->knowledge, c->own_debug, c->split_missing, c->tag_collisions, c->is_x86_64, number_of(&n, c->note)};
    parcel_put(a, facts, sizeof facts);
    for (size_t i = 0; i < COUNT(listings); i++)
        put_listing(a, &n, c, &listings[i]);
    for (size_t i = 0; i < COUNT(tables); i++)
        put_table(a, &n, (const hsc_table *)((const char *)c + tables[i].at), tables[i].text);
    for (size_t i = 0; i < COUNT(id_rows); i++) {
        const hsc_id_rows *r = (const hsc_id_rows *)((const char *)c + id_rows[i]);
        parcel_u64(a, r->groups.n);
        for (size_t g = 0; g < r->groups.n; g++)
            PARCEL_VEC(a, r->groups.p[g]);
    }
    for (size_t i = 0; i < n.texts.n; i++)
        parcel_put(&texts, n.texts.p[i], strlen(n.texts.p[i]) + 1);
    const uint64_t texts_at = a->n - begin, sizes[] = {n.texts.n, texts.n};
    parcel_put(a, sizes, sizeof sizes);
    parcel_put(a, texts.p, texts.n);
    parcel_u64(a, texts_at);
    a->failed = a->failed || n.failed || texts.failed;
    parcel_fini(&texts);
    hsc_table_fini(&n.rows);
    free(n.texts.p);
    return !a->failed;
}

size_t hsc_code_image_bytes(const hsc_code *c) {
    size_t bytes = c->pool.bytes;
    for (size_t i = 0; i < COUNT(listings); i++) {
        any_vec v;
        memcpy(&v, (const char *)c + listings[i].at, sizeof v);
        bytes += v.n * listings[i].element;
    }
    for (size_t i = 0; i < COUNT(tables); i++)
        bytes += ((const hsc_table *)((const char *)c + tables[i].at))->count * 3 * sizeof(uint64_t);
    return bytes;
}

/* ---- take ---- */

typedef struct texts {
    const char **p;
    uint64_t n;
} texts;

/* The text that a number stands for; false: none does. */
static bool text_of(const texts *t, uint64_t number, const char **out) {
    *out = number && number <= t->n ? t->p[number - 1] : NULL;
    return number <= t->n;
}

static void take_listing(parcel *a, const texts *all, hsc_code *c, const listing *l) {
    any_vec v = {0};
    uint64_t n = parcel_take_u64(a);
    if (a->failed || n > (a->n - a->at) / l->element || !hsc_vec_reserve((void **)&v.p, &v.cap, n + 1, l->element)) {
        a->failed = true;
        return;
    }
    parcel_take(a, v.p, n * l->element);
    v.n = n;
    for (size_t i = 0; l->text_count && i < n && !a->failed; i++)
        for (unsigned t = 0; t < l->text_count; t++) {
            uint8_t *at = v.p + i * l->element + l->texts[t];
            uint64_t number;
            const char *text;
            memcpy(&number, at, sizeof number);
            a->failed = !text_of(all, number, &text) || a->failed;
            memcpy(at, &text, sizeof text);
        }
    memcpy((char *)c + l->at, &v, sizeof v);
}

static void take_table(parcel *a, const texts *all, hsc_table *t, int text) {
    for (uint64_t n = parcel_take_u64(a); n && !a->failed; n--) {
        uint64_t words[3];
        const char *of = NULL;
        parcel_take(a, words, sizeof words);
        if (text >= 0) {
            a->failed = !text_of(all, words[text], &of) || a->failed;
            words[text] = (uintptr_t)of;
        }
        uint32_t *at = a->failed ? NULL : hsc_table_at(t, words[0], words[1]);
        a->failed = !at;
        if (at)
            *at = (uint32_t)words[2];
    }
}

/* They stand behind all else, from a->at on. */
static void take_texts(parcel *a, hsc_pool *pool, texts *all) {
    uint64_t n = parcel_take_u64(a), bytes = parcel_take_u64(a);
    if (a->failed || bytes != a->n - a->at || n > bytes || (bytes && a->p[a->n - 1])) {
        a->failed = true;
        return;
    }
    all->p = malloc((n + 1) * sizeof *all->p);
    a->failed = !all->p;
    for (const char *at = (const char *)a->p + a->at, *end = (const char *)a->p + a->n; !a->failed && all->n < n;) {
        size_t size = at < end ? strlen(at) : 0;
        const char *text = at < end ? hsc_pool_intern(pool, at, size) : NULL;
        a->failed = !text;
        all->p[all->n++] = text;
        at += size + 1;
    }
}

bool hsc_code_take_image(hsc_code *c, const uint8_t *bytes, size_t n) {
    uint64_t facts[6], texts_at;
    texts all = {0};
    parcel a = {.p = (uint8_t *)(uintptr_t)bytes, .n = n}; /* only read */
    if (n < sizeof texts_at)
        return false;
    memcpy(&texts_at, bytes + n - sizeof texts_at, sizeof texts_at);
    a.n -= sizeof texts_at;
    a.at = texts_at < a.n ? texts_at : a.n;
    take_texts(&a, &c->pool, &all);
    a.n = texts_at < a.n ? texts_at : a.n;
    a.at = 0;
    parcel_take(&a, facts, sizeof facts);
    c->knowledge = (hsc_knowledge)facts[0];
    c->own_debug = facts[1];
    c->split_missing = facts[2];
    c->tag_collisions = facts[3];
    c->is_x86_64 = facts[4];
    a.failed = !text_of(&all, facts[5], &c->note) || !c->note || a.failed;
    for (size_t i = 0; i < COUNT(listings) && !a.failed; i++)
        take_listing(&a, &all, c, &listings[i]);
    for (size_t i = 0; i < COUNT(tables) && !a.failed; i++)
        take_table(&a, &all, (hsc_table *)((char *)c + tables[i].at), tables[i].text);
    for (size_t i = 0; i < COUNT(id_rows) && !a.failed; i++) {
        hsc_id_rows *r = (hsc_id_rows *)((char *)c + id_rows[i]);
        for (uint64_t left = parcel_take_u64(&a); left && !a.failed; left--) {
            hsc_id_list list = {0};
            PARCEL_TAKE_VEC(&a, list);
            if (a.failed || !HSC_PUSH(r->groups, list)) {
                free(list.p);
                a.failed = true;
            }
        }
    }
    free(all.p);
    return !a.failed && a.at == a.n && hsc_code_index(c);
}
