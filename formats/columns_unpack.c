/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unpacks a payload in columns, from any writer. docs/format.md section 4.1 has the form. */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

typedef struct kind {
    uint64_t id, rows, at; /* number of them; that of the next one to be given */
    hsc_layout *layout;    /* that its rows are decoded to; NULL: none */
    unsigned n_fields, first_of_any_size; /* the latter: the first text or list */
    uint64_t *cells; /* those of a field one after the other; texts and hashes: number in the pool; lists: start in `lists` */
    uint8_t types[HSC_FIELDS_MAX], codings[HSC_FIELDS_MAX], order[HSC_FIELDS_MAX], filled[(HSC_FIELDS_MAX + 7) / 8];
} kind;

typedef struct run {
    uint64_t kind, rows;
} run;

typedef struct text {
    const uint8_t *p;
    size_t n;
} text;

struct hsc_columns {
    uint8_t *body;
    kind *kinds;
    unsigned n_kinds;
    run *runs;
    uint64_t n_runs;
    const uint8_t *numbers, *numbers_end, *hashes, *hashes_at, *hashes_end;
    uint8_t *texts_at, *texts_end;
    text *texts; /* as they came; the first one is empty */
    size_t n_texts, texts_capacity;
    uint64_t *lists;
    size_t n_lists, lists_capacity, n_cells;
    uint64_t *cells;
    hsc_column_last last;
    hsc_column_bytes rows;
    uint64_t at_run, in_run; /* of the next row */
    bool has_long; /* a text that no record may have */
};
typedef struct hsc_columns unpacking;

static const char *const no_memory = "out of memory", *const misfit = "its columns do not fit together";

static bool is_text(unsigned type) {
    return type == HSC_TYPE_S || type == HSC_TYPE_B;
}

static bool is_list(unsigned type) {
    return type == HSC_TYPE_AU || type == HSC_TYPE_AS;
}

/* The inflated body; its length is told first, and bounded by what deflate can make of the bytes. */
static const char *inflate_all(const uint8_t *p, size_t size, uint8_t **body, size_t *n) {
    uint64_t length;
    const uint8_t *at = hsc_uv_get(p, p + size, &length), *end = p + size;
    if (!at || length > HSC_CHUNK_MAX_BYTES || length / 1100 > (uint64_t)(end - at))
        return "its length is out of bounds";
    *body = malloc(length + 1);
    z_stream z = {.next_in = (uint8_t *)(uintptr_t)at, .avail_in = (uInt)(end - at), .next_out = *body, .avail_out = (uInt)length};
    if (!*body || inflateInit(&z) != Z_OK)
        return no_memory;
    inflateValidate(&z, 0); /* the chunk has a sum of its own, which is checked, and a faster one */
    int done = inflate(&z, Z_FINISH);
    if (done == Z_NEED_DICT && inflateSetDictionary(&z, hsc_columns_dictionary, (uInt)hsc_columns_dictionary_bytes) == Z_OK)
        done = inflate(&z, Z_FINISH);
    bool ok = done == Z_STREAM_END && z.total_out == length && !z.avail_in;
    inflateEnd(&z);
    if (!ok)
        return done == Z_NEED_DICT ? "its dictionary is not known" : "it cannot be inflated";
    *n = (size_t)length;
    return NULL;
}

static const char *read_kinds(unpacking *k, const uint8_t **at, const uint8_t *end) {
    const uint8_t *p = *at;
    uint64_t n, v;
    if (!(p = hsc_uv_get(p, end, &n)) || n > HSC_COLUMNS_KINDS_MAX)
        return misfit;
    if (!(k->kinds = calloc(n + 1, sizeof *k->kinds)))
        return no_memory;
    k->n_kinds = (unsigned)n;
    for (unsigned i = 0; i < k->n_kinds; i++) {
        kind *q = &k->kinds[i];
        if (!(p = hsc_uv_get(p, end, &q->id)) || !(p = hsc_uv_get(p, end, &v)) || v > HSC_FIELDS_MAX)
            return misfit;
        q->n_fields = (unsigned)v;
        for (unsigned f = 0; f < q->n_fields; f++) {
            uint64_t type, coding;
            if (!(p = hsc_uv_get(p, end, &type)) || type < HSC_TYPE_U || type > HSC_TYPE_AS ||
                !(p = hsc_uv_get(p, end, &coding)) || coding >= HSC_CODING_BY + HSC_FIELDS_MAX)
                return misfit;
            if (coding && type != HSC_TYPE_U && !(is_text((unsigned)type) && coding >= HSC_CODING_BY))
                return misfit;
            q->types[f] = (uint8_t)type;
            if (q->first_of_any_size == f && !is_text((unsigned)type) && !is_list((unsigned)type))
                q->first_of_any_size++;
            q->codings[f] = (uint8_t)coding;
        }
        if (!hsc_column_order(q->codings, q->n_fields, q->order))
            return misfit;
        for (unsigned f = 0; f < q->n_fields; f++) { /* lists are no keys */
            unsigned by = q->codings[f] >= HSC_CODING_BY ? q->types[q->codings[f] - HSC_CODING_BY] : 0;
            if (is_list(by))
                return misfit;
        }
    }
    *at = p;
    return NULL;
}

/* The runs of records; how many of each kind there are, and room for their values. */
static const char *read_runs(unpacking *k, const uint8_t **at, const uint8_t *end, uint64_t cells_max) {
    const uint8_t *p = *at;
    uint64_t cells = 0, most = 0;
    if (!(p = hsc_uv_get(p, end, &k->n_runs)) || k->n_runs > (uint64_t)(end - p))
        return misfit;
    if (!(k->runs = malloc((k->n_runs + 1) * sizeof *k->runs)))
        return no_memory;
    for (uint64_t r = 0; r < k->n_runs; r++) {
        run *u = &k->runs[r];
        if (!(p = hsc_uv_get(p, end, &u->kind)) || u->kind >= k->n_kinds || !(p = hsc_uv_get(p, end, &u->rows)) ||
            u->rows > HSC_CHUNK_MAX_BYTES)
            return misfit;
        kind *q = &k->kinds[u->kind];
        q->rows += u->rows;
        cells += u->rows * (q->n_fields + 1u);
        if (cells > cells_max)
            return "it has more values than its bytes may hold";
        most = q->rows > most ? q->rows : most;
    }
    if (!(k->cells = malloc((cells + 1) * sizeof *k->cells)) || !hsc_column_last_init(&k->last, (size_t)most))
        return no_memory;
    uint64_t *cell = k->cells;
    for (unsigned i = 0; i < k->n_kinds; i++) {
        k->kinds[i].cells = cell;
        cell += k->kinds[i].rows * k->kinds[i].n_fields;
    }
    *at = p;
    return NULL;
}

static const char *read_head(unpacking *k, size_t n, uint64_t cells_max) {
    const uint8_t *p = k->body, *end = k->body + n;
    uint64_t texts, numbers;
    const char *why = read_kinds(k, &p, end);
    if (!why)
        why = read_runs(k, &p, end, cells_max);
    if (why)
        return why;
    for (unsigned i = 0; i < k->n_kinds; i++) {
        size_t bytes = (k->kinds[i].n_fields + 7) / 8;
        if (bytes > (size_t)(end - p))
            return misfit;
        memcpy(k->kinds[i].filled, p, bytes);
        p += bytes;
    }
    if (!(p = hsc_uv_get(p, end, &texts)) || !(p = hsc_uv_get(p, end, &numbers)) || texts > (uint64_t)(end - p) ||
        numbers > (uint64_t)(end - p) - texts)
        return misfit;
    k->texts_at = k->body + (p - k->body);
    k->texts_end = k->texts_at + texts;
    k->numbers = k->texts_end;
    k->numbers_end = k->numbers + numbers;
    k->hashes = k->hashes_at = k->numbers_end;
    k->hashes_end = end;
    return NULL;
}

static bool take_number(unpacking *k, uint64_t *v) {
    const uint8_t *p = hsc_uv_get(k->numbers, k->numbers_end, v);
    if (p)
        k->numbers = p;
    return p != NULL;
}

static bool add_text(unpacking *k, const uint8_t *p, size_t n) {
    if (!hsc_grow(&k->texts, k->n_texts, &k->texts_capacity, sizeof *k->texts))
        return false;
    k->texts[k->n_texts++] = (text){p, n};
    k->has_long = k->has_long || n > HSC_STRING_MAX_BYTES;
    return true;
}

static bool take_text(unpacking *k, uint64_t expected, uint64_t *number) {
    uint64_t v;
    if (!take_number(k, &v))
        return false;
    if (!v) {
        *number = expected;
        return true;
    }
    if (v > 1) {
        *number = k->n_texts - 1 - (v - 2);
        return v - 2 < k->n_texts;
    }
    uint8_t *begin = k->texts_at, *end = memchr(begin, 0, (size_t)(k->texts_end - begin)), *out;
    if (!end)
        return false;
    k->texts_at = end + 1;
    uint8_t *in = memchr(begin, 1, (size_t)(end - begin));
    for (out = in ? in : end; in && in < end;) { /* what is escaped, seldom */
        bool escaped = *in == 1;
        if (escaped && (++in == end || *in - 1u > 1))
            return false;
        *out++ = (uint8_t)(*in++ - escaped);
    }
    *number = k->n_texts;
    return add_text(k, begin, (size_t)(out - begin));
}

static bool take_hash(unpacking *k, uint64_t *number) {
    uint64_t v, known = (uint64_t)(k->hashes_at - k->hashes) / 8;
    if (!take_number(k, &v))
        return false;
    *number = !v ? 0 : v == 1 ? known + 1 : known - (v - 2);
    if (v == 1) {
        if (k->hashes_end - k->hashes_at < 8)
            return false;
        k->hashes_at += 8;
    }
    return v < 2 || v - 2 < known;
}

static bool add_to_list(unpacking *k, uint64_t v) {
    if (!hsc_grow(&k->lists, k->n_lists, &k->lists_capacity, sizeof *k->lists))
        return false;
    k->lists[k->n_lists++] = v;
    return true;
}

static bool take_list(unpacking *k, unsigned type, uint64_t *start) {
    uint64_t n, v = 0;
    *start = k->n_lists;
    if (!take_number(k, &n) || !add_to_list(k, n))
        return false;
    for (; n; n--)
        if (!(type == HSC_TYPE_AS ? take_text(k, 0, &v) : take_number(k, &v)) || !add_to_list(k, v))
            return false;
    return true;
}

/* Numbers, the most of all values: a loop for each coding. */
static bool take_numbers(unpacking *k, const kind *q, unsigned f) {
    unsigned coding = q->codings[f];
    bool is_filled = q->filled[f / 8] >> f % 8 & 1;
    uint64_t *cell = q->cells + f * q->rows, rows = q->rows, before = 0, v = 0, next = coding == HSC_CODING_NEXT;
    const uint64_t *by = coding >= HSC_CODING_BY ? q->cells + (coding - HSC_CODING_BY) * rows : NULL;
    const uint8_t *p = k->numbers, *end = k->numbers_end;
    if (!is_filled && coding == HSC_CODING_PLAIN) {
        memset(cell, 0, rows * sizeof *cell);
        return true;
    }
    for (uint64_t i = 0; i < rows; i++) {
        if (is_filled && !(p = hsc_uv_get(p, end, &v)))
            return false;
        if (by) {
            uint64_t *last = hsc_column_last_at(&k->last, by[i], before);
            v = *last += hsc_unzigzag(v);
        } else if (coding != HSC_CODING_PLAIN) {
            v = hsc_unzigzag(v) + before + next;
        }
        cell[i] = before = v;
        v = 0;
    }
    k->numbers = p;
    if (by)
        hsc_column_last_next(&k->last);
    return true;
}

static bool take_column(unpacking *k, kind *q, unsigned f) {
    unsigned type = q->types[f], coding = q->codings[f];
    bool is_filled = q->filled[f / 8] >> f % 8 & 1;
    uint64_t *cell = q->cells + f * q->rows;
    const uint64_t *by = coding >= HSC_CODING_BY ? q->cells + (coding - HSC_CODING_BY) * q->rows : NULL;
    if (!is_text(type) && !is_list(type) && type != HSC_TYPE_H && type != HSC_TYPE_F)
        return take_numbers(k, q, f);
    if (!is_filled) { /* texts that are as expected are empty then, and cell 0 of the pools is */
        memset(cell, 0, q->rows * sizeof *cell);
        return true;
    }
    for (uint64_t i = 0; i < q->rows; i++) {
        uint64_t v = 0, *last = by ? hsc_column_last_at(&k->last, by[i], 0) : NULL;
        bool ok = is_text(type) ? take_text(k, last ? *last : 0, &v) : is_list(type) ? take_list(k, type, &v) : take_hash(k, &v);
        if (!ok)
            return false;
        if (last)
            *last = v;
        cell[i] = v;
    }
    if (by)
        hsc_column_last_next(&k->last);
    return true;
}

/* ---- the rows again -------------------------------------------------------------------------------------------------- */

static uint8_t *put_text(const unpacking *k, uint8_t *p, uint64_t number) {
    const text *t = &k->texts[number];
    p = hsc_uv_put(p, t->n);
    if (t->n)
        memcpy(p, t->p, t->n);
    return p + t->n;
}

/* How many bytes the row may take. */
static size_t room_of(const unpacking *k, const kind *q, uint64_t row) {
    size_t room = (q->n_fields + 1u) * HSC_UV_MAX_BYTES;
    for (unsigned f = q->first_of_any_size; f < q->n_fields; f++) {
        uint64_t v = q->cells[f * q->rows + row];
        if (is_text(q->types[f]))
            room += k->texts[v].n;
        else if (is_list(q->types[f]))
            for (uint64_t i = 1; i <= k->lists[v]; i++)
                room += HSC_UV_MAX_BYTES + (q->types[f] == HSC_TYPE_AS ? k->texts[k->lists[v + i]].n : 0);
    }
    return room;
}

/* Appends the row, without its length; false: no memory, or too much. */
static bool put_row(unpacking *k, hsc_column_bytes *b, const kind *q, uint64_t row) {
    size_t room = room_of(k, q, row);
    if (b->n + room > HSC_CHUNK_MAX_BYTES || !hsc_column_reserve(b, room))
        return false;
    uint8_t *p = hsc_uv_put(b->p + b->n, q->id);
    const uint64_t *cell = q->cells + row;
    for (unsigned f = 0; f < q->n_fields; f++, cell += q->rows) {
        unsigned type = q->types[f];
        if (type == HSC_TYPE_U) {
            p = hsc_uv_put(p, *cell);
        } else if (type == HSC_TYPE_H || type == HSC_TYPE_F) {
            hsc_set64(p, *cell ? hsc_get64(k->hashes + 8 * (*cell - 1)) : 0);
            p += 8;
        } else if (is_text(type)) {
            p = put_text(k, p, *cell);
        } else if (is_list(type)) {
            const uint64_t *list = &k->lists[*cell];
            p = hsc_uv_put(p, *list);
            for (uint64_t i = 1; i <= *list; i++)
                p = type == HSC_TYPE_AS ? put_text(k, p, list[i]) : hsc_uv_put(p, list[i]);
        } else {
            p = hsc_uv_put(p, *cell);
        }
    }
    b->n = (size_t)(p - b->p);
    return true;
}

static bool put_rows(unpacking *k) {
    hsc_column_bytes *b = &k->rows;
    for (uint64_t r = 0; r < k->n_runs; r++) {
        kind *q = &k->kinds[k->runs[r].kind];
        for (uint64_t i = 0; i < k->runs[r].rows; i++) {
            /* behind room for a length of one byte, which most are */
            if (!hsc_column_reserve(b, 1))
                return false;
            size_t at = b->n++;
            if (!put_row(k, b, q, q->at++))
                return false;
            size_t n = b->n - at - 1, more = hsc_uv_size(n) - 1;
            if (more) {
                if (!hsc_column_reserve(b, more))
                    return false;
                memmove(b->p + at + 1 + more, b->p + at + 1, n);
                b->n += more;
            }
            hsc_uv_put(b->p + at, n);
        }
    }
    return hsc_column_reserve(b, 1);
}

void hsc_columns_close(hsc_columns *k) {
    if (!k)
        return;
    free(k->body);
    free(k->kinds);
    free(k->runs);
    free(k->texts);
    free(k->lists);
    free(k->cells);
    hsc_column_last_fini(&k->last);
    free(k->rows.p);
    free(k);
}

const char *hsc_columns_open(const uint8_t *packed, size_t size, hsc_columns **out) {
    unpacking *k = calloc(1, sizeof *k);
    size_t n = 0;
    const char *why = k ? inflate_all(packed, size, &k->body, &n) : no_memory;
    if (!why)
        why = read_head(k, n, hsc_columns_cells_max(size));
    if (!why && (!add_text(k, (const uint8_t *)"", 0) || !add_to_list(k, 0)))
        why = no_memory;
    for (unsigned i = 0; !why && i < k->n_kinds; i++)
        for (unsigned f = 0; !why && f < k->kinds[i].n_fields; f++)
            if (!take_column(k, &k->kinds[i], k->kinds[i].order[f]))
                why = misfit;
    if (!why && (k->texts_at != k->texts_end || k->numbers != k->numbers_end || k->hashes_at != k->hashes_end))
        why = misfit;
    if (!why)
        *out = k;
    else
        hsc_columns_close(k);
    return why;
}

const char *hsc_columns_take_rows(hsc_columns *k, uint8_t **out, size_t *out_size) {
    if (!put_rows(k))
        return misfit;
    *out = k->rows.p;
    *out_size = k->rows.n;
    k->rows.p = NULL;
    return NULL;
}

const char *hsc_unpack(const uint8_t *packed, size_t size, uint8_t **out, size_t *out_size) {
    hsc_columns *k = NULL;
    const char *why = hsc_columns_open(packed, size, &k);
    if (!why)
        why = hsc_columns_take_rows(k, out, out_size);
    hsc_columns_close(k);
    return why;
}

/* ---- records without rows -------------------------------------------------------------------------------------------- */

bool hsc_columns_fit(hsc_columns *k, const hsc_schema *schema) {
    if (k->has_long)
        return false;
    for (unsigned i = 0; i < k->n_kinds; i++) {
        kind *q = &k->kinds[i];
        hsc_layout *l = q->layout = q->id <= UINT32_MAX ? hsc_schema_find(schema, q->id) : NULL;
        if (!l)
            return false;
        for (unsigned f = 0; f < q->n_fields && f < l->info.n_fields; f++)
            if (q->types[f] != l->info.fields[f].type || q->types[f] == HSC_TYPE_D || q->types[f] == HSC_TYPE_T)
                return false;
    }
    return true;
}

/* Elements of all lists of the row. */
static uint64_t elements_of(const unpacking *k, const kind *q, uint64_t row) {
    uint64_t n = 0;
    for (unsigned f = q->first_of_any_size; f < q->n_fields; f++)
        if (is_list(q->types[f]))
            n += k->lists[q->cells[f * q->rows + row]];
    return n;
}

static char *put_list(const unpacking *k, unsigned type, uint64_t start, char *elements, uint8_t *to) {
    const uint64_t *list = &k->lists[start];
    size_t n = (size_t)*list++;
    if (type == HSC_TYPE_AU) {
        uint64_t *a = (uint64_t *)(void *)elements;
        memcpy(a, list, n * sizeof *a);
        *(hsc_u64s *)(void *)to = (hsc_u64s){a, n};
        return elements + n * sizeof *a;
    }
    hsc_str *a = (hsc_str *)(void *)elements;
    for (size_t i = 0; i < n; i++)
        a[i] = (hsc_str){(const char *)k->texts[list[i]].p, k->texts[list[i]].n};
    *(hsc_strs *)(void *)to = (hsc_strs){a, n};
    return elements + n * sizeof *a;
}

bool hsc_columns_is_at_end(const hsc_columns *k) { return k->at_run == k->n_runs; }

hsc_layout *hsc_columns_next(hsc_columns *k, void **elements, size_t *elements_bytes) {
    while (k->at_run < k->n_runs && k->in_run == k->runs[k->at_run].rows) {
        k->at_run++;
        k->in_run = 0;
    }
    if (k->at_run == k->n_runs)
        return NULL;
    kind *q = &k->kinds[k->runs[k->at_run].kind];
    hsc_layout *l = q->layout;
    const uint64_t *cell = q->cells + q->at;
    if (l->has_arrays) {
        size_t want = ((size_t)elements_of(k, q, q->at) + 1) * sizeof(hsc_str);
        if (want > *elements_bytes) {
            free(*elements);
            *elements = malloc(want);
            *elements_bytes = *elements ? want : 0;
        }
        if (!*elements)
            return NULL;
    }
    k->in_run++;
    q->at++;
    char *at = *elements;
    const hsc_field_info *field = l->info.fields;
    for (unsigned f = 0; f < l->info.n_fields; f++, field++, cell += q->rows) {
        uint8_t *to = l->data + field->offset;
        if (f >= q->n_fields) {
            memset(to, 0, field->type >= HSC_TYPE_S ? sizeof(hsc_str) : sizeof *cell);
            cell -= q->rows;
            continue;
        }
        uint64_t v = *cell;
        switch (q->types[f]) {
        case HSC_TYPE_S:
            *(hsc_str *)(void *)to = (hsc_str){(const char *)k->texts[v].p, k->texts[v].n};
            continue;
        case HSC_TYPE_B:
            *(hsc_bytes *)(void *)to = (hsc_bytes){k->texts[v].p, k->texts[v].n};
            continue;
        case HSC_TYPE_AU:
        case HSC_TYPE_AS:
            at = put_list(k, q->types[f], v, at, to);
            continue;
        case HSC_TYPE_H:
        case HSC_TYPE_F:
            v = v ? hsc_get64(k->hashes + 8 * (v - 1)) : 0;
            break;
        case HSC_TYPE_Z:
            v = hsc_unzigzag(v);
            break;
        default:
            break;
        }
        memcpy(to, &v, sizeof v);
    }
    return l;
}
