/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packs a payload: the records of a chunk turned into columns, then deflated. docs/format.md section 4.1 has the form. */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#define DEFLATE_LEVEL 6
#define DEFLATE_MEMORY 8

typedef struct text {
    const uint8_t *p;
    size_t n;
    uint32_t position; /* in the pool of what has been written, from 1; 0: not yet */
} text;

typedef struct kind {
    const hsc_record_info *info;
    size_t rows, at;  /* number of them; that of the next one */
    uint64_t **value; /* of each field: numbers; S, B: number of the text; H, F: of the hash; AU, AS: start in `lists` */
    uint8_t codings[HSC_FIELDS_MAX], order[HSC_FIELDS_MAX], filled[(HSC_FIELDS_MAX + 7) / 8];
} kind;

typedef struct packing {
    kind *kinds;
    unsigned n_kinds;
    text *texts; /* the first one is empty */
    size_t n_texts, texts_capacity;
    uint64_t *hashes; /* the first one is 0 */
    uint32_t *hash_position;
    size_t n_hashes, hashes_capacity;
    uint32_t *text_slots, *hash_slots; /* number + 1 by hash */
    size_t text_mask, hash_mask, n_cells;
    uint64_t *lists; /* n, then n numbers or texts */
    size_t n_lists, lists_capacity;
    uint64_t *cells;
    hsc_column_last last;
    uint32_t texts_written, hashes_written; /* in the pools */
    hsc_column_bytes head, body_texts, numbers, body_hashes;
} packing;

static bool put(hsc_column_bytes *b, const void *p, size_t n) {
    if (!hsc_column_reserve(b, n))
        return false;
    if (n)
        memcpy(b->p + b->n, p, n);
    b->n += n;
    return true;
}

static bool put_number(hsc_column_bytes *b, uint64_t v) {
    if (!hsc_column_reserve(b, HSC_UV_MAX_BYTES))
        return false;
    b->n = (size_t)(hsc_uv_put(b->p + b->n, v) - b->p);
    return true;
}

/* ---- reading the rows ------------------------------------------------------------------------------------------------ */

/* Room for one more entry in a table of n; false: no memory. */
static bool grow_slots(uint32_t **slots, size_t *mask, size_t n, uint64_t (*hash_of)(const packing *, size_t), const packing *k) {
    if (*slots && 2 * n <= *mask)
        return true;
    size_t size = *slots ? 4 * (*mask + 1) : 1024;
    uint32_t *fresh = calloc(size, sizeof *fresh);
    if (!fresh)
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t at = (size_t)hash_of(k, i) & (size - 1);
        while (fresh[at])
            at = (at + 1) & (size - 1);
        fresh[at] = (uint32_t)i + 1;
    }
    free(*slots);
    *slots = fresh;
    *mask = size - 1;
    return true;
}

static uint64_t hash_bytes(const uint8_t *p, size_t n) {
    uint64_t h = n + 1, w;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&w, p, 8);
        h = (h ^ w) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
    }
    for (; n; n--, p++)
        h = (h ^ *p) * 0x100000001B3u;
    return h ^ h >> 32;
}

static uint64_t hash_of_text(const packing *k, size_t i) {
    return hash_bytes(k->texts[i].p, k->texts[i].n);
}

static uint64_t hash_of_hash(const packing *k, size_t i) {
    return k->hashes[i] ^ k->hashes[i] >> 32;
}

static bool intern_text(packing *k, const uint8_t *p, size_t n, uint64_t *number) {
    if (!grow_slots(&k->text_slots, &k->text_mask, k->n_texts, hash_of_text, k) ||
        !hsc_grow(&k->texts, k->n_texts, &k->texts_capacity, sizeof *k->texts))
        return false;
    size_t at = (size_t)hash_bytes(p, n) & k->text_mask;
    for (; k->text_slots[at]; at = (at + 1) & k->text_mask) {
        const text *t = &k->texts[k->text_slots[at] - 1];
        if (t->n == n && (!n || !memcmp(t->p, p, n))) {
            *number = k->text_slots[at] - 1;
            return true;
        }
    }
    *number = k->n_texts;
    k->texts[k->n_texts++] = (text){p, n, 0};
    k->text_slots[at] = (uint32_t)k->n_texts;
    return true;
}

static bool intern_hash(packing *k, uint64_t v, uint64_t *number) {
    size_t capacity = k->hashes_capacity;
    if (!grow_slots(&k->hash_slots, &k->hash_mask, k->n_hashes, hash_of_hash, k) ||
        !hsc_grow(&k->hashes, k->n_hashes, &k->hashes_capacity, sizeof *k->hashes) ||
        !hsc_grow(&k->hash_position, k->n_hashes, &capacity, sizeof *k->hash_position))
        return false;
    size_t at = (size_t)(v ^ v >> 32) & k->hash_mask;
    for (; k->hash_slots[at]; at = (at + 1) & k->hash_mask)
        if (k->hashes[k->hash_slots[at] - 1] == v) {
            *number = k->hash_slots[at] - 1;
            return true;
        }
    *number = k->n_hashes;
    k->hashes[k->n_hashes] = v;
    k->hash_position[k->n_hashes++] = 0;
    k->hash_slots[at] = (uint32_t)k->n_hashes;
    return true;
}

static bool add_to_list(packing *k, uint64_t v) {
    if (!hsc_grow(&k->lists, k->n_lists, &k->lists_capacity, sizeof *k->lists))
        return false;
    k->lists[k->n_lists++] = v;
    return true;
}

/* A field that the record lacks at its end: 0 or empty. */
static bool take_missing(packing *k, unsigned type, uint64_t *v) {
    *v = type == HSC_TYPE_AU || type == HSC_TYPE_AS ? k->n_lists : 0; /* the first text is the empty one, the first hash 0 */
    return type == HSC_TYPE_AU || type == HSC_TYPE_AS ? add_to_list(k, 0) : type != HSC_TYPE_D && type != HSC_TYPE_T; /* of which a column has all */
}

/* One field; past it, NULL where it does not fit before end or there is no memory. */
static const uint8_t *take_field(packing *k, const uint8_t *p, const uint8_t *end, unsigned type, uint64_t *v) {
    uint64_t n, each;
    if (p == end)
        return take_missing(k, type, v) ? p : NULL;
    switch (type) {
    case HSC_TYPE_U:
    case HSC_TYPE_Z:
    case HSC_TYPE_D:
    case HSC_TYPE_T:
        return hsc_uv_get(p, end, v);
    case HSC_TYPE_H:
    case HSC_TYPE_F:
        return end - p >= 8 && intern_hash(k, hsc_get64(p), v) ? p + 8 : NULL;
    case HSC_TYPE_S:
    case HSC_TYPE_B:
        p = hsc_uv_get(p, end, &n);
        return p && n <= (size_t)(end - p) && intern_text(k, p, n, v) ? p + n : NULL;
    case HSC_TYPE_AU:
    case HSC_TYPE_AS:
        *v = k->n_lists;
        p = hsc_uv_get(p, end, &n);
        if (!p || !add_to_list(k, n))
            return NULL;
        for (; p && n; n--) {
            p = hsc_uv_get(p, end, &each);
            if (p && type == HSC_TYPE_AS) {
                size_t length = (size_t)each;
                p = length <= (size_t)(end - p) && intern_text(k, p, length, &each) ? p + length : NULL;
            }
            if (p && !add_to_list(k, each))
                return NULL;
        }
        return p;
    default:
        return NULL;
    }
}

/* ---- how fields are coded -------------------------------------------------------------------------------------------- */

static int field_of(const hsc_record_info *info, const char *name) {
    for (unsigned f = 0; f < info->n_fields; f++)
        if (!strcmp(info->fields[f].name, name))
            return (int)f;
    return -1;
}

static const struct {
    uint32_t record;
    const char *field, *after;
} codings[] = {
#define HSC_CODING(record, field, how) {HSC_REC_##record, #field, NULL},
#define HSC_CODING_AFTER(record, field, other) {HSC_REC_##record, #field, #other},
#include "columns_codings.def"
#undef HSC_CODING
#undef HSC_CODING_AFTER
};

static bool has_texts(unsigned type) {
    return type == HSC_TYPE_S || type == HSC_TYPE_B;
}

static bool choose_codings(kind *k) {
    const hsc_record_info *info = k->info;
    for (unsigned f = 0; f < info->n_fields; f++)
        k->codings[f] = info->fields[f].type != HSC_TYPE_U               ? HSC_CODING_PLAIN
                        : !strncmp(info->fields[f].semantic, "id:", 3) ? HSC_CODING_NEXT
                                                                         : HSC_CODING_DIFFERENCE;
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
        int f = codings[i].record == info->id ? field_of(info, codings[i].field) : -1;
        int after = f >= 0 && codings[i].after ? field_of(info, codings[i].after) : -1;
        if (f >= 0)
            k->codings[f] = (uint8_t)(after >= 0 ? HSC_CODING_BY + after : HSC_CODING_PLAIN);
    }
    return hsc_column_order(k->codings, info->n_fields, k->order);
}

/* ---- writing --------------------------------------------------------------------------------------------------------- */

/* A text: 0 when it is the expected one; 1 when it is new; else how far back in the pool, from 2. */
static bool put_text(packing *k, uint64_t number, uint64_t expected) {
    if (number == expected)
        return put_number(&k->numbers, 0);
    text *t = &k->texts[number];
    if (t->position)
        return put_number(&k->numbers, 2 + (uint64_t)(k->texts_written - t->position));
    t->position = ++k->texts_written;
    if (!put_number(&k->numbers, 1) || !hsc_column_reserve(&k->body_texts, 2 * t->n + 1))
        return false;
    uint8_t *out = k->body_texts.p + k->body_texts.n;
    for (size_t i = 0; i < t->n; i++) {
        if (t->p[i] < 2) /* what ends a text, and what stands before such a byte */
            *out++ = 1;
        *out++ = t->p[i] < 2 ? (uint8_t)(t->p[i] + 1) : t->p[i];
    }
    *out++ = 0;
    k->body_texts.n = (size_t)(out - k->body_texts.p);
    return true;
}

static bool put_hash(packing *k, uint64_t number) {
    if (!number)
        return put_number(&k->numbers, 0);
    if (k->hash_position[number])
        return put_number(&k->numbers, 2 + (uint64_t)(k->hashes_written - k->hash_position[number]));
    uint8_t bytes[8];
    hsc_set64(bytes, k->hashes[number]);
    k->hash_position[number] = ++k->hashes_written;
    return put_number(&k->numbers, 1) && put(&k->body_hashes, bytes, sizeof bytes);
}

static bool put_list(packing *k, uint64_t start, unsigned type) {
    const uint64_t *list = &k->lists[start];
    bool ok = put_number(&k->numbers, *list);
    for (uint64_t i = 1; ok && i <= *list; i++)
        ok = type == HSC_TYPE_AS ? put_text(k, list[i], 0) : put_number(&k->numbers, list[i]);
    return ok;
}

static bool put_column(packing *k, kind *q, unsigned f) {
    unsigned type = q->info->fields[f].type, coding = q->codings[f];
    const uint64_t *v = q->value[f], *by = coding >= HSC_CODING_BY ? q->value[coding - HSC_CODING_BY] : NULL;
    size_t start = k->numbers.n;
    uint64_t before = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < q->rows; i++) {
        uint64_t *last = by ? hsc_column_last_at(&k->last, by[i], has_texts(type) ? 0 : before) : NULL;
        if (type == HSC_TYPE_AU || type == HSC_TYPE_AS)
            ok = put_list(k, v[i], type);
        else if (type == HSC_TYPE_H || type == HSC_TYPE_F)
            ok = put_hash(k, v[i]);
        else if (has_texts(type))
            ok = put_text(k, v[i], last ? *last : 0);
        else if (coding == HSC_CODING_PLAIN)
            ok = put_number(&k->numbers, v[i]);
        else
            ok = put_number(&k->numbers, hsc_zigzag(v[i] - (last ? *last : before + (coding == HSC_CODING_NEXT))));
        if (last)
            *last = v[i];
        before = v[i];
    }
    if (by)
        hsc_column_last_next(&k->last);
    bool filled = false;
    for (size_t i = start; i < k->numbers.n && !filled; i++)
        filled = k->numbers.p[i] != 0;
    if (filled)
        q->filled[f / 8] |= (uint8_t)(1u << f % 8);
    else
        k->numbers.n = start;
    return ok;
}

/* The parts one after the other, each in blocks of its own: what is frequent differs. */
static bool deflate_all(packing *k, uint8_t **out, size_t *size) {
    hsc_column_bytes *parts[4] = {&k->head, &k->body_texts, &k->numbers, &k->body_hashes};
    z_stream z = {0};
    size_t n = 0;
    for (int i = 0; i < 4; i++)
        n += parts[i]->n;
    if (n > HSC_CHUNK_MAX_BYTES || deflateInit2(&z, DEFLATE_LEVEL, Z_DEFLATED, 15, DEFLATE_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    size_t room = HSC_UV_MAX_BYTES + deflateBound(&z, (uLong)n) + 64;
    uint8_t *p = malloc(room), *at = p ? hsc_uv_put(p, n) : NULL;
    bool ok = p && deflateSetDictionary(&z, hsc_columns_dictionary, (uInt)hsc_columns_dictionary_bytes) == Z_OK;
    z.next_out = at;
    z.avail_out = ok ? (uInt)(room - (size_t)(at - p)) : 0;
    for (int i = 0; ok && i < 4; i++) {
        z.next_in = parts[i]->p ? parts[i]->p : p;
        z.avail_in = (uInt)parts[i]->n;
        int done = deflate(&z, i < 3 ? Z_BLOCK : Z_FINISH);
        ok = i == 3 ? done == Z_STREAM_END : !z.avail_in && (done == Z_OK || done == Z_BUF_ERROR);
    }
    deflateEnd(&z);
    if (!ok) {
        free(p);
        return false;
    }
    *out = p;
    *size = (size_t)(z.next_out - p);
    return true;
}

typedef struct row {
    const uint8_t *at, *end; /* the fields */
    unsigned kind;
} row;

/* The rows and their kinds. */
static bool find_rows(packing *k, const uint8_t *payload, size_t size, row **rows, size_t *n_rows) {
    uint16_t *kind_of = calloc(HSC_DESCRIPTORS_MAX, sizeof *kind_of); /* kind + 1 by record id */
    size_t n = 0, capacity = 0;
    bool ok = kind_of != NULL;
    for (const uint8_t *p = payload, *end = payload + size; ok && p < end;) {
        uint64_t length, id;
        const uint8_t *body = hsc_uv_get(p, end, &length), *fields = NULL;
        ok = body && length <= (size_t)(end - body) && (fields = hsc_uv_get(body, body + length, &id)) &&
             id < HSC_DESCRIPTORS_MAX && hsc_grow(rows, n, &capacity, sizeof **rows);
        if (ok && !kind_of[id]) {
            const hsc_record_info *info = hsc_record_info_get((uint32_t)id);
            ok = info && info->n_fields <= HSC_FIELDS_MAX && k->n_kinds < HSC_COLUMNS_KINDS_MAX;
            if (ok) {
                k->kinds[k->n_kinds++].info = info;
                kind_of[id] = (uint16_t)k->n_kinds;
            }
        }
        if (ok) {
            (*rows)[n++] = (row){fields, body + length, kind_of[id] - 1u};
            k->kinds[kind_of[id] - 1].rows++;
            p = body + length;
        }
    }
    free(kind_of);
    *n_rows = n;
    return ok;
}

/* The values of all fields, column by column. */
static bool read_rows(packing *k, const row *rows, size_t n_rows) {
    size_t columns = 0, most = 0;
    for (unsigned i = 0; i < k->n_kinds; i++) {
        k->n_cells += k->kinds[i].rows * (k->kinds[i].info->n_fields + 1);
        columns += k->kinds[i].info->n_fields;
        most = k->kinds[i].rows > most ? k->kinds[i].rows : most;
    }
    uint64_t number, **value = calloc(columns + 1, sizeof *value), **column = value;
    k->cells = malloc((k->n_cells + 1) * sizeof *k->cells);
    k->kinds[0].value = value; /* so that it is freed */
    if (!value || !k->cells || !hsc_column_last_init(&k->last, most) || !intern_text(k, NULL, 0, &number) ||
        !intern_hash(k, 0, &number))
        return false;
    k->texts[0].position = ++k->texts_written;
    uint64_t *cell = k->cells;
    for (unsigned i = 0; i < k->n_kinds; i++) {
        k->kinds[i].value = column;
        for (unsigned f = 0; f < k->kinds[i].info->n_fields; f++, cell += k->kinds[i].rows)
            *column++ = cell;
    }
    for (size_t r = 0; r < n_rows; r++) {
        kind *q = &k->kinds[rows[r].kind];
        const uint8_t *p = rows[r].at;
        for (unsigned f = 0; f < q->info->n_fields; f++)
            if (!(p = take_field(k, p, rows[r].end, q->info->fields[f].type, &q->value[f][q->at])))
                return false;
        q->at++;
        if (p != rows[r].end)
            return false;
    }
    return true;
}

/* What says how to read the rest. */
static bool put_head(packing *k, const row *rows, size_t n_rows) {
    size_t runs = 0;
    bool ok = put_number(&k->head, k->n_kinds);
    for (unsigned i = 0; ok && i < k->n_kinds; i++) {
        const hsc_record_info *info = k->kinds[i].info;
        ok = put_number(&k->head, info->id) && put_number(&k->head, info->n_fields);
        for (unsigned f = 0; ok && f < info->n_fields; f++)
            ok = put_number(&k->head, info->fields[f].type) && put_number(&k->head, k->kinds[i].codings[f]);
    }
    for (size_t r = 0; r < n_rows; r++)
        runs += !r || rows[r].kind != rows[r - 1].kind;
    ok = ok && put_number(&k->head, runs);
    for (size_t r = 0, first = 0; ok && r < n_rows; r++)
        if (r + 1 == n_rows || rows[r + 1].kind != rows[r].kind) {
            ok = put_number(&k->head, rows[r].kind) && put_number(&k->head, r + 1 - first);
            first = r + 1;
        }
    for (unsigned i = 0; ok && i < k->n_kinds; i++)
        ok = put(&k->head, k->kinds[i].filled, (k->kinds[i].info->n_fields + 7) / 8);
    return ok && put_number(&k->head, k->body_texts.n) && put_number(&k->head, k->numbers.n);
}

bool hsc_pack(const uint8_t *payload, size_t size, uint8_t **out, size_t *out_size) {
    packing k = {.kinds = calloc(HSC_COLUMNS_KINDS_MAX, sizeof *k.kinds)};
    row *rows = NULL;
    size_t n_rows = 0;
    bool ok = k.kinds && find_rows(&k, payload, size, &rows, &n_rows) && n_rows && read_rows(&k, rows, n_rows);
    for (unsigned i = 0; ok && i < k.n_kinds; i++)
        ok = choose_codings(&k.kinds[i]);
    for (unsigned i = 0; ok && i < k.n_kinds; i++)
        for (unsigned f = 0; ok && f < k.kinds[i].info->n_fields; f++)
            ok = put_column(&k, &k.kinds[i], k.kinds[i].order[f]);
    ok = ok && put_head(&k, rows, n_rows) && deflate_all(&k, out, out_size);
    if (ok && k.n_cells > hsc_columns_cells_max(*out_size)) {
        free(*out);
        ok = false;
    }
    if (k.kinds)
        free(k.kinds[0].value);
    free(k.kinds);
    free(k.cells);
    free(k.texts);
    free(k.hashes);
    free(k.hash_position);
    free(k.text_slots);
    free(k.hash_slots);
    free(k.lists);
    hsc_column_last_fini(&k.last);
    free(k.head.p);
    free(k.body_texts.p);
    free(k.numbers.p);
    free(k.body_hashes.p);
    free(rows);
    return ok;
}
