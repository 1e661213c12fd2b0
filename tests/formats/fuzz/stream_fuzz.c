/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzz target: the reader on any bytes, as they are and with checksums made right; and what it reads survives the way to
 * text and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/stream_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct text {
    char *p;
    size_t n, capacity;
} text;

static hsc_status keep(void *ctx, const char *piece, size_t n, hsc_err *err) {
    text *t = ctx;
    (void)err;
    if (t->capacity - t->n < n) {
        t->capacity = t->capacity * 2 + n;
        t->p = realloc(t->p, t->capacity);
        if (!t->p)
            abort();
    }
    memcpy(t->p + t->n, piece, n);
    t->n += n;
    return HSC_OK;
}

/* Text without the summary, which counts what was damaged. */
static size_t without_summary(const text *t) {
    size_t n = t->n;
    while (n && !(t->p[n - 1] == '\n' && n < t->n && t->p[n] == '#' && t->n - n > 9 && !memcmp(t->p + n, "# chunks:", 9)))
        n--;
    return n;
}

static hsc_status dump(const void *bytes, size_t n, text *t, hsc_err *err) {
    hsc_reader *r = NULL;
    hsc_status status = hsc_reader_open_memory(bytes, n, "fuzz", &r, err);
    if (!status)
        status = hsc_text_dump(r, keep, t, err);
    hsc_reader_close(r);
    return status;
}

static volatile unsigned touched;

static void touch_text(const char *p, size_t n) {
    if (n)
        touched += (unsigned char)p[0] + (unsigned char)p[n - 1];
}

/* Reads all that the record leads to. */
static void touch(const hsc_record *record) {
    const hsc_record_info *l = record->layout;
    for (uint32_t f = 0; f < l->n_fields; f++) {
        const void *at = (const char *)record->data + l->fields[f].offset;
        if (l->fields[f].type == HSC_TYPE_S || l->fields[f].type == HSC_TYPE_B)
            touch_text(((const hsc_str *)at)->p, ((const hsc_str *)at)->n);
        else if (l->fields[f].type == HSC_TYPE_AU)
            touch_text((const char *)((const hsc_u64s *)at)->p, ((const hsc_u64s *)at)->n * 8);
        else if (l->fields[f].type == HSC_TYPE_AS)
            for (size_t i = 0; i < ((const hsc_strs *)at)->n; i++)
                touch_text(((const hsc_strs *)at)->p[i].p, ((const hsc_strs *)at)->p[i].n);
    }
}

static void check(const uint8_t *bytes, size_t n) {
    text first = {0}, second = {0};
    uint8_t *again = NULL;
    size_t n_again;
    hsc_err err = {0};
    hsc_reader *r = NULL;
    hsc_record record;
    hsc_reader_counts one = {0}, many = {0};
    if (!hsc_reader_open_memory(bytes, n, "fuzz", &r, &err)) {
        while (hsc_reader_next(r, &record))
            ;
        hsc_reader_get_counts(r, &one);
    }
    hsc_reader_close(r);
    hsc_err_clear(&err);
    r = NULL;
    hsc_rec_sample samples[16];
    hsc_rec_node nodes[16];
    uint64_t offset, latest = 0;
    if (!hsc_reader_open_memory(bytes, n, "fuzz", &r, &err)) { /* samples and nodes many at a time */
        while (hsc_reader_next(r, &record))
            while (hsc_reader_take_samples(r, samples, 16, UINT64_MAX, &offset) || hsc_reader_take_nodes(r, nodes, 16, UINT64_MAX, &offset))
                ;
        hsc_reader_get_counts(r, &many);
        if (memcmp(&one, &many, sizeof one))
            abort();
    }
    hsc_reader_close(r);
    hsc_err_clear(&err);
    r = NULL;
    if (!hsc_reader_open_memory(bytes, n, "fuzz", &r, &err)) { /* samples passed by */
        while (hsc_reader_next(r, &record))
            while (hsc_reader_pass_samples(r, 100, 16, UINT64_MAX, &offset, &latest))
                ;
        hsc_reader_get_counts(r, &many);
        if (memcmp(&one, &many, sizeof one))
            abort();
    }
    hsc_reader_close(r);
    hsc_err_clear(&err);
    r = NULL;
    if (!hsc_reader_open_memory(bytes, n, "fuzz", &r, &err)) { /* values without rows */
        hsc_reader_set_values_only(r);
        while (hsc_reader_next(r, &record))
            if (record.data)
                touch(&record);
    }
    hsc_reader_close(r);
    hsc_err_clear(&err);
    if (!dump(bytes, n, &first, &err)) {
        hsc_status status = hsc_text_parse_limited(first.p, first.n, "text", 1u << 20, &again, &n_again, &err);
        if (status && status != HSC_E_LIMIT) {
            fprintf(stderr, "%s\n", err.text);
            abort();
        }
        if (!status && n_again) {
            if (dump(again, n_again, &second, &err))
                abort();
            size_t n_first = without_summary(&first), n_second = without_summary(&second);
            if (n_first != n_second || memcmp(first.p, second.p, n_first)) {
                fprintf(stderr, "%.*s---\n%.*s", (int)first.n, first.p, (int)second.n, second.p);
                abort();
            }
        }
    }
    free(first.p);
    free(second.p);
    free(again);
}

static void fix_checksums(uint8_t *bytes, size_t n) {
    for (size_t at = 0; at + HSC_CHUNK_HEADER_BYTES <= n;) {
        uint32_t slot = hsc_get32(bytes + at + HSC_AT_SLOT), committed = hsc_get32(bytes + at + HSC_AT_COMMITTED);
        memcpy(bytes + at, HSC_MAGIC_BYTES, 8);
        hsc_set32(bytes + at + HSC_AT_HEADER_CRC, hsc_wire_header_crc(bytes + at));
        if (committed <= n - at - HSC_CHUNK_HEADER_BYTES && bytes[at + HSC_AT_FLAGS] & HSC_FLAG_SEALED)
            hsc_set32(bytes + at + HSC_AT_PAYLOAD_CRC, hsc_crc32c(0, bytes + at + HSC_CHUNK_HEADER_BYTES, committed));
        if (slot < HSC_CHUNK_HEADER_BYTES || slot % 8 || slot > n - at)
            return;
        at += slot;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 256u << 10)
        return 0;
    check(data, size);
    uint8_t *fixed = malloc(size + 1);
    if (!fixed)
        return 0;
    memcpy(fixed, data, size);
    fix_checksums(fixed, size);
    check(fixed, size);
    free(fixed);
    return 0;
}
