/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What hsc_code_open read of a module, as bytes for a later one, which then need not read it again. Texts are numbered, once each;
 * in place of a pointer to one stands its number + 1. What look-ups find is not in it, nor what the ELF file has as it is. */
#include <stdlib.h>
#include <string.h>

#include "code_internal.h"
#include "parcel.h"

#define TEXTS_MAX 6
#define ROWS_MAX 8

typedef HSC_VEC(uint8_t) any_vec; /* every growable array is laid out so */

enum { /* numbers of listings */
    FILES, PROCEDURES, LOOPS, INSTANCES, REMARKS, DEPENDENCES, CHECKS, ARRAYS, REFERENCES, MESSAGES, ARGUMENTS, LINKS, DIRECTIVES, RUNTIME_CALLS, HANDED,
    LINES, SCOPES, SCOPE_SPANS, UNITS, SYMBOLS, PLT_NAMES, GROUPS, LINK_UNITS, SITES, PLACES, INLINEDS, INSTANCE_PARENTS, LOOP_OF_PROCEDURE, NEXT_LOOP,
    LISTINGS
};

typedef struct row_of { /* a row number in an element, or another one that has a range */
    uint8_t to;   /* of this listing */
    uint8_t kind;
    uint16_t at;  /* offset in an element */
} row_of;
/* HSC_NO_INDEX for none: may be, may not be; rows that lead on to others of the same listing, which comes to an end. No rows: a bool, an hsc_knowledge. */
enum { ANY, NEEDED, CHAIN, TRUTH, KNOWN };

typedef struct listing { /* an array of hsc_code */
    size_t at, element;
    unsigned text_count;
    size_t texts[TEXTS_MAX]; /* offsets in an element */
    bool without;            /* texts may be NULL */
    bool rises;              /* begins with an address, and these rise */
    unsigned row_count;
    row_of rows[ROWS_MAX];
} listing;

typedef struct keyed { /* a table of hsc_code; text: which half of the keys is an interned text, -1 none */
    size_t at;
    int text;
    int to; /* its values are rows of this listing; -1: they are none */
    bool several; /* or HSC_NO_INDEX - 1: several have the key */
} keyed;

#define OF(member) .at = offsetof(hsc_code, member), .element = sizeof *((hsc_code *)0)->member.p
#define T(type, member) offsetof(type, member)
#define R(type, member, to, kind) {to, kind, offsetof(type, member)}
static const listing listings[LISTINGS] = {
    [FILES] = {OF(files), 2, {T(hsc_code_file, path), T(hsc_code_file, checksum)}},
    [PROCEDURES] = {OF(procedures), 2, {T(hsc_code_procedure, name), T(hsc_code_procedure, linkage)}, .row_count = 4,
                    .rows = {R(hsc_code_procedure, file, FILES, ANY), R(hsc_code_procedure, parent, PROCEDURES, CHAIN), R(hsc_code_procedure, has_code, 0, TRUTH),
                             R(hsc_code_procedure, knowledge, 0, KNOWN)}},
    [LOOPS] = {OF(loops), 4, {T(hsc_code_loop, name), T(hsc_code_loop, variable), T(hsc_code_loop, first), T(hsc_code_loop, bound)}, .without = true,
               .row_count = 4,
               .rows = {R(hsc_code_loop, procedure, PROCEDURES, NEEDED), R(hsc_code_loop, parent, LOOPS, CHAIN), R(hsc_code_loop, file, FILES, ANY),
                        R(hsc_code_loop, knowledge, 0, KNOWN)}},
    [INSTANCES] = {OF(instances), .row_count = 3,
                   .rows = {R(hsc_code_instance, loop, LOOPS, ANY), R(hsc_code_instance, function, PROCEDURES, NEEDED), R(hsc_code_instance, parent, INSTANCES, CHAIN)}},
    [REMARKS] = {OF(remarks), 3, {T(hsc_code_remark, pass), T(hsc_code_remark, name), T(hsc_code_remark, message)}, .row_count = 3,
                 .rows = {R(hsc_code_remark, procedure, PROCEDURES, ANY), R(hsc_code_remark, loop, LOOPS, ANY), R(hsc_code_remark, file, FILES, ANY)}},
    [DEPENDENCES] = {OF(dependences), .row_count = 5,
                     .rows = {R(hsc_code_dependence, loop, LOOPS, ANY), R(hsc_code_dependence, procedure, PROCEDURES, ANY),
                              R(hsc_code_dependence, source_file, FILES, ANY), R(hsc_code_dependence, sink_file, FILES, ANY),
                              R(hsc_code_dependence, has_distance, 0, TRUTH)}},
    [CHECKS] = {OF(data.checks), .row_count = 3,
                .rows = {R(hsc_code_check, loop, LOOPS, ANY), R(hsc_code_check, procedure, PROCEDURES, ANY), R(hsc_code_check, file, FILES, ANY)}},
    [ARRAYS] = {OF(data.arrays), 5,
                {T(hsc_code_array, name), T(hsc_code_array, type), T(hsc_code_array, element), T(hsc_code_array, bounds), T(hsc_code_array, symbol)}, .row_count = 3,
                .rows = {R(hsc_code_array, procedure, PROCEDURES, ANY), R(hsc_code_array, file, FILES, ANY), R(hsc_code_array, parent, ARRAYS, CHAIN)}},
    [REFERENCES] = {OF(data.references), 2, {T(hsc_code_reference, text), T(hsc_code_reference, stride_bytes)}, .row_count = 5,
                    .rows = {R(hsc_code_reference, procedure, PROCEDURES, ANY), R(hsc_code_reference, loop, LOOPS, ANY), R(hsc_code_reference, array, ARRAYS, ANY),
                             R(hsc_code_reference, index, ARRAYS, ANY), R(hsc_code_reference, file, FILES, ANY)}},
    [MESSAGES] = {OF(data.messages), 1, {T(hsc_code_message, operation)}, .row_count = 3,
                  .rows = {R(hsc_code_message, procedure, PROCEDURES, ANY), R(hsc_code_message, loop, LOOPS, ANY), R(hsc_code_message, file, FILES, ANY)}},
    [ARGUMENTS] = {OF(data.arguments), 1, {T(hsc_code_argument, text)}, .row_count = 2,
                   .rows = {R(hsc_code_argument, message, MESSAGES, NEEDED), R(hsc_code_argument, array, ARRAYS, ANY)}},
    [LINKS] = {OF(data.links), 1, {T(hsc_code_link, text)}, .row_count = 5,
               .rows = {R(hsc_code_link, message, MESSAGES, NEEDED), R(hsc_code_link, target_message, MESSAGES, ANY), R(hsc_code_link, target_loop, LOOPS, ANY),
                        R(hsc_code_link, array, ARRAYS, ANY), R(hsc_code_link, file, FILES, ANY)}},
    [DIRECTIVES] = {OF(data.directives), 1, {T(hsc_code_directive, text)}, .row_count = 4,
                    .rows = {R(hsc_code_directive, procedure, PROCEDURES, ANY), R(hsc_code_directive, region, PROCEDURES, ANY),
                             R(hsc_code_directive, loop, LOOPS, ANY), R(hsc_code_directive, file, FILES, ANY)}},
    [RUNTIME_CALLS] = {OF(data.runtime_calls), 1, {T(hsc_code_runtime_call, callee)}, .row_count = 4,
                       .rows = {R(hsc_code_runtime_call, directive, DIRECTIVES, ANY), R(hsc_code_runtime_call, procedure, PROCEDURES, ANY),
                                R(hsc_code_runtime_call, loop, LOOPS, ANY), R(hsc_code_runtime_call, file, FILES, ANY)}},
    [HANDED] = {OF(data.handed), 1, {T(hsc_code_handed, callee)}, .row_count = 4,
                .rows = {R(hsc_code_handed, procedure, PROCEDURES, ANY), R(hsc_code_handed, loop, LOOPS, ANY), R(hsc_code_handed, array, ARRAYS, ANY),
                         R(hsc_code_handed, file, FILES, ANY)}},
    [LINES] = {OF(lines), .rises = true, .row_count = 2, .rows = {R(hsc_line_span, file, FILES, ANY), R(hsc_line_span, unit, UNITS, ANY)}},
    [SCOPES] = {OF(scopes), .row_count = 6,
                .rows = {R(hsc_code_scope, parent, SCOPES, CHAIN), R(hsc_code_scope, procedure, PROCEDURES, NEEDED), R(hsc_code_scope, unit, UNITS, NEEDED),
                         R(hsc_code_scope, call_file, FILES, ANY), R(hsc_code_scope, function, PROCEDURES, NEEDED),
                         R(hsc_code_scope, transparent, 0, TRUTH)}},
    [SCOPE_SPANS] = {OF(scope_spans), .rises = true, .row_count = 1, .rows = {R(hsc_scope_span, scope, SCOPES, ANY)}},
    [UNITS] = {OF(units), 2, {T(hsc_unit, name), T(hsc_unit, directory)}, .row_count = 2,
               .rows = {R(hsc_unit, group, GROUPS, ANY), R(hsc_unit, source, GROUPS, ANY)}},
    [SYMBOLS] = {OF(symbols), 1, {T(hsc_symbol, name)}, .rises = true, .row_count = 1, .rows = {R(hsc_symbol, unnamed, 0, TRUTH)}},
    [PLT_NAMES] = {OF(plt_names), 1, {0}},
    [GROUPS] = {OF(groups), 2, {T(hsc_group, name), T(hsc_group, directory)}, .row_count = 1, .rows = {R(hsc_group, first_link, LINK_UNITS, ANY)}},
    [LINK_UNITS] = {OF(link_units), .row_count = 2, .rows = {R(hsc_link_unit, group, GROUPS, NEEDED), R(hsc_link_unit, next, LINK_UNITS, CHAIN)}},
    [SITES] = {OF(sites), 1, {T(hsc_site, callee)}, .without = true, .row_count = 5, /* next_call is filled by look-ups */
               .rows = {R(hsc_site, loop, LOOPS, ANY), R(hsc_site, procedure, PROCEDURES, NEEDED), R(hsc_site, call_file, FILES, ANY),
                        R(hsc_site, is_call, 0, TRUTH), R(hsc_site, directive, DIRECTIVES, ANY)}},
    [PLACES] = {OF(places), .row_count = 4,
                .rows = {R(hsc_place, function, PROCEDURES, ANY), R(hsc_place, instance, INSTANCES, ANY), R(hsc_place, site, SITES, ANY), R(hsc_place, inlined, INLINEDS, ANY)}},
    [INLINEDS] = {OF(inlineds), .row_count = 4,
                  .rows = {R(hsc_inlined, parent, INLINEDS, CHAIN), R(hsc_inlined, callee, PROCEDURES, NEEDED), R(hsc_inlined, site, SITES, ANY), R(hsc_inlined, call_file, FILES, ANY)}},
    [INSTANCE_PARENTS] = {OF(instance_parents), .row_count = 1, .rows = {{INSTANCES, CHAIN, 0}}},
    [LOOP_OF_PROCEDURE] = {OF(loop_of_procedure), .row_count = 1, .rows = {{LOOPS, ANY, 0}}},
    [NEXT_LOOP] = {OF(next_loop), .row_count = 1, .rows = {{LOOPS, CHAIN, 0}}},
};
/* Those that look-ups ask; the others served while it was read. */
static const keyed tables[] = {
    {offsetof(hsc_code, file_by_path), 0, FILES, false},          {offsetof(hsc_code, procedure_by_key), 0, PROCEDURES, false},
    {offsetof(hsc_code, no_return), 0, -1, false},              {offsetof(hsc_code, procedure_by_group), 1, PROCEDURES, false},
    {offsetof(hsc_code, procedure_by_name), 1, PROCEDURES, true}, {offsetof(hsc_code, call_by_position), -1, SITES, false},
};
typedef struct by_id {
    size_t at;
    unsigned to; /* rows of this listing */
} by_id;
static const by_id id_rows[] = {{offsetof(hsc_code, site_by_id), SITES}, {offsetof(hsc_code, place_by_id), PLACES}, {offsetof(hsc_code, inlined_by_id), INLINEDS}};
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
        const hsc_id_rows *r = (const hsc_id_rows *)((const char *)c + id_rows[i].at);
        parcel_u64(a, r->groups.n);
        for (size_t g = 0; g < r->groups.n; g++)
            PARCEL_VEC(a, r->groups.p[g]);
        put_table(a, &n, &r->others, -1);
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
            a->failed = !text_of(all, number, &text) || (!text && !l->without) || a->failed;
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

/* ---- what rows say ---- */

static size_t count_of(const hsc_code *c, unsigned of) {
    any_vec v;
    memcpy(&v, (const char *)c + listings[of].at, sizeof v);
    return v.n;
}

static bool is_row(const hsc_code *c, unsigned to, uint32_t row, bool needed) { return row == HSC_NO_INDEX ? !needed : row < count_of(c, to); }

static bool is_in_range(const hsc_code *c, const row_of *r, uint32_t number) {
    return r->kind == TRUTH ? number <= 1 : r->kind == KNOWN ? number <= HSC_KNOWN_NOTHING : is_row(c, r->to, number, r->kind == NEEDED);
}

/* Whoever goes from row to row by the number at this offset comes to an end. */
static bool ends(const any_vec *v, size_t element, size_t at) {
    uint32_t *met = calloc(v->n + 1, sizeof *met); /* by row: on which way, from 1 */
    bool good = met && v->n < HSC_NO_INDEX;
    for (uint32_t i = 0; good && i < v->n; i++)
        for (uint32_t row = i; good && row < v->n;) {
            good = met[row] != i + 1;
            if (met[row]) /* a way that ends, or this one again */
                break;
            met[row] = i + 1;
            memcpy(&row, v->p + row * element + at, sizeof row);
        }
    free(met);
    return good;
}

static bool is_sound_listing(const hsc_code *c, const listing *l) {
    any_vec v;
    bool good = true;
    memcpy(&v, (const char *)c + l->at, sizeof v);
    for (unsigned r = 0; good && r < l->row_count; r++) {
        for (size_t i = 0; good && i < v.n; i++) {
            const uint8_t *at = v.p + i * l->element + l->rows[r].at;
            uint32_t row;
            if (l->rows[r].kind == TRUTH)
                row = *at;
            else
                memcpy(&row, at, sizeof row);
            good = is_in_range(c, &l->rows[r], row);
        }
        good = good && (l->rows[r].kind != CHAIN || ends(&v, l->element, l->rows[r].at));
    }
    for (size_t i = 1; good && l->rises && i < v.n; i++) {
        uint64_t before, here;
        memcpy(&before, v.p + (i - 1) * l->element, sizeof before);
        memcpy(&here, v.p + i * l->element, sizeof here);
        good = before <= here;
    }
    return good;
}

static bool is_sound_table(const hsc_code *c, const hsc_table *t, int to, bool several) {
    bool good = true;
    for (size_t i = 0; good && to >= 0 && i < t->capacity; i++)
        good = !t->slots[i].used || (several && t->slots[i].value == HSC_NO_INDEX - 1) || is_row(c, (unsigned)to, t->slots[i].value, false);
    return good;
}

/* A seal says who wrote it, not that it is right: no row leads out of its listing, nor round in a circle. */
static bool is_sound(const hsc_code *c) {
    bool good = c->knowledge <= HSC_KNOWN_NOTHING && c->instance_parents.n == c->instances.n && c->loop_of_procedure.n == c->procedures.n &&
                c->next_loop.n == c->loops.n;
    for (size_t i = 0; good && i < LISTINGS; i++)
        good = is_sound_listing(c, &listings[i]);
    for (size_t i = 0; good && i < COUNT(tables); i++)
        good = is_sound_table(c, (const hsc_table *)((const char *)c + tables[i].at), tables[i].to, tables[i].several);
    for (size_t i = 0; good && i < COUNT(id_rows); i++) {
        const hsc_id_rows *r = (const hsc_id_rows *)((const char *)c + id_rows[i].at);
        for (size_t g = 0; good && g < r->groups.n; g++)
            for (size_t k = 0; good && k < r->groups.p[g].n; k++)
                good = is_row(c, id_rows[i].to, r->groups.p[g].p[k], false);
        good = good && is_sound_table(c, &r->others, (int)id_rows[i].to, false);
    }
    for (size_t i = 0; good && i < c->symbols.n; i++)
        good = c->symbols.p[i].hi >= c->symbols.p[i].lo;
    return good;
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
        hsc_id_rows *r = (hsc_id_rows *)((char *)c + id_rows[i].at);
        for (uint64_t left = parcel_take_u64(&a); left && !a.failed; left--) {
            hsc_id_list list = {0};
            PARCEL_TAKE_VEC(&a, list);
            if (a.failed || !HSC_PUSH(r->groups, list)) {
                free(list.p);
                a.failed = true;
            }
        }
        take_table(&a, &all, &r->others, -1);
    }
    free(all.p);
    return !a.failed && a.at == a.n && is_sound(c) && hsc_code_index(c);
}
