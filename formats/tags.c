/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tags that a map leaves out because its other records give them. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/tags.h>

uint64_t hsc_tag(uint64_t seed, const char *kind, const void *bytes, size_t n) {
    seed = hsc_hash64(seed, kind, strlen(kind) + 1);
    uint64_t tag = hsc_hash64(seed, bytes, n);
    return tag ? tag : 1;
}

enum key_kind { KEY_FREE, KEY_FILE, KEY_PROCEDURE, KEY_SITE, KEY_LOOPS_OF_LOOP, KEY_LOOPS_OF_PROCEDURE, KEY_CALLS };

typedef struct slot {
    uint32_t kind;
    uint64_t key, value;
} slot;

struct hsc_tags {
    uint64_t unit; /* seed of procedures without a file record */
    slot *slots;
    size_t used, mask;
};

static size_t place_of(const hsc_tags *t, uint32_t kind, uint64_t key) {
    size_t at = (size_t)((key + kind) * 0x9E3779B97F4A7C15u >> 24) & t->mask;
    while (t->slots[at].kind && (t->slots[at].kind != kind || t->slots[at].key != key))
        at = (at + 1) & t->mask;
    return at;
}

/* Where the value of a key stands, at first 0; NULL: no memory. */
static uint64_t *value_at(hsc_tags *t, uint32_t kind, uint64_t key) {
    if (2 * t->used >= t->mask) {
        hsc_tags grown = {.mask = 2 * t->mask + 1};
        grown.slots = calloc(grown.mask + 1, sizeof *grown.slots);
        if (!grown.slots)
            return NULL;
        for (size_t i = 0; i <= t->mask; i++)
            if (t->slots[i].kind)
                grown.slots[place_of(&grown, t->slots[i].kind, t->slots[i].key)] = t->slots[i];
        free(t->slots);
        t->slots = grown.slots;
        t->mask = grown.mask;
    }
    slot *s = &t->slots[place_of(t, kind, key)];
    if (!s->kind) {
        *s = (slot){kind, key, 0};
        t->used++;
    }
    return &s->value;
}

static uint64_t value_of(const hsc_tags *t, uint32_t kind, uint64_t key) {
    return t->slots[place_of(t, kind, key)].value; /* 0 in a free one */
}

hsc_tags *hsc_tags_new(hsc_err *err) {
    hsc_tags *t = calloc(1, sizeof *t);
    slot *slots = calloc(256, sizeof *slots);
    if (!t || !slots) {
        free(t);
        free(slots);
        hsc_err_set(err, HSC_E_MEMORY, "tags: out of memory");
        return NULL;
    }
    t->slots = slots;
    t->mask = 255;
    return t;
}

void hsc_tags_free(hsc_tags *t) {
    if (!t)
        return;
    free(t->slots);
    free(t);
}

static uint64_t tag_of_procedure(const hsc_tags *t, const hsc_rec_procedure *r) {
    uint64_t file = r->file_id ? value_of(t, KEY_FILE, r->file_id) : 0;
    uint64_t seed = !(r->flags & HSC_procedure_flag_LOCAL) ? 0 : file ? file : t->unit;
    return hsc_tag(seed, "procedure", r->linkage_name.p, r->linkage_name.n);
}

static void put_le(uint8_t *p, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

/* The next number of its kind, from `first`. False: no memory. */
static bool next_number(hsc_tags *t, uint32_t kind, uint64_t key, uint64_t first, uint8_t bytes[4]) {
    uint64_t *n = value_at(t, kind, key);
    if (n)
        put_le(bytes, first + (*n)++, 4);
    return n != NULL;
}

static bool tag_of_loop(hsc_tags *t, const hsc_rec_loop *r, uint64_t *tag) {
    uint64_t seed = r->parent_id ? value_of(t, KEY_SITE, r->parent_id) : value_of(t, KEY_PROCEDURE, r->procedure_id);
    uint8_t number[4];
    bool ok = r->parent_id ? next_number(t, KEY_LOOPS_OF_LOOP, r->parent_id, 0, number)
                           : next_number(t, KEY_LOOPS_OF_PROCEDURE, r->procedure_id, 0, number);
    *tag = ok && seed ? hsc_tag(seed, "loop", number, sizeof number) : 0; /* its parent must have stood before it */
    return ok;
}

static bool tag_of_call(hsc_tags *t, const hsc_rec_callsite *r, uint64_t *tag) {
    uint64_t of = value_of(t, KEY_PROCEDURE, r->procedure_id);
    uint8_t number[4];
    *tag = 0;
    if (!of)
        return true;
    uint64_t calls = hsc_tag(of, "call", r->callee.p, r->callee.n);
    bool ok = next_number(t, KEY_CALLS, calls, 1, number);
    *tag = ok ? hsc_tag(calls, "nth", number, sizeof number) : 0;
    return ok;
}

static uint64_t tag_of_array(const hsc_tags *t, const hsc_rec_array *r) {
    uint64_t of = r->procedure_id ? value_of(t, KEY_PROCEDURE, r->procedure_id) : 0;
    return hsc_tag(hsc_tag(of, "array", r->name.p, r->name.n), "symbol", r->symbol.p, r->symbol.n);
}

static uint64_t tag_of_symbolic(const hsc_tags *t, const hsc_rec_symbolic *r) {
    uint8_t place[24];
    put_le(place, r->where, 8);
    put_le(place + 8, r->argument, 8);
    put_le(place + 16, r->site_id ? value_of(t, KEY_SITE, r->site_id) : 0, 8);
    uint64_t tag = hsc_tag(value_of(t, KEY_PROCEDURE, r->procedure_id), "symbolic", r->name.p, r->name.n);
    return hsc_tag(tag, "place", place, sizeof place);
}

/* Fills in (or, `omit`, leaves out) the tag, and notes the true one where others follow from it. */
static bool settle(hsc_tags *t, uint64_t *tag, uint64_t derived, uint32_t kind, uint64_t id, bool omit) {
    uint64_t full = *tag ? *tag : derived, *at = kind && id ? value_at(t, kind, id) : NULL;
    if (kind && id && !at)
        return false;
    if (at)
        *at = full;
    *tag = omit && full == derived ? 0 : full;
    return true;
}

static hsc_status take(hsc_tags *t, uint32_t record_id, void *record, bool omit, hsc_err *err) {
    uint64_t derived = 0;
    bool ok = true;
    switch (record_id) {
    case HSC_REC_module: {
        const hsc_rec_module *r = record;
        t->unit = hsc_tag(0, "file", r->name.p, r->name.n);
        t->used = 0;
        memset(t->slots, 0, (t->mask + 1) * sizeof *t->slots);
        break;
    }
    case HSC_REC_file: {
        const hsc_rec_file *r = record;
        uint64_t *at = value_at(t, KEY_FILE, r->file_id);
        if (at)
            *at = hsc_tag(0, "file", r->path.p, r->path.n);
        ok = at != NULL;
        break;
    }
    case HSC_REC_procedure: {
        hsc_rec_procedure *r = record;
        ok = settle(t, &r->tag, tag_of_procedure(t, r), KEY_PROCEDURE, r->procedure_id, omit);
        break;
    }
    case HSC_REC_loop: {
        hsc_rec_loop *r = record;
        ok = tag_of_loop(t, r, &derived) && settle(t, &r->tag, derived, KEY_SITE, r->loop_id, omit);
        break;
    }
    case HSC_REC_callsite: {
        hsc_rec_callsite *r = record;
        ok = tag_of_call(t, r, &derived) && settle(t, &r->tag, derived, KEY_SITE, r->callsite_id, omit);
        break;
    }
    case HSC_REC_array: {
        hsc_rec_array *r = record;
        ok = settle(t, &r->tag, tag_of_array(t, r), 0, 0, omit);
        break;
    }
    case HSC_REC_symbolic: {
        hsc_rec_symbolic *r = record;
        ok = settle(t, &r->tag, tag_of_symbolic(t, r), 0, 0, omit);
        break;
    }
    default:
        break;
    }
    return ok ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "tags: out of memory");
}

hsc_status hsc_tags_fill(hsc_tags *t, uint32_t record_id, void *record, hsc_err *err) {
    return take(t, record_id, record, false, err);
}

hsc_status hsc_tags_omit(hsc_tags *t, uint32_t record_id, void *record, hsc_err *err) {
    return take(t, record_id, record, true, err);
}
