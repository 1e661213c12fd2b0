/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes chunks, records and the schema chunk. Signal-safe: no allocation, no locks, memcpy and memset alone. */
#include "wire.h"

_Static_assert(HSC_CHUNK_HEADER_BYTES == HSC_AT_SCHEMA + 8, "header layout");

/* Stores that another process may watch: whole and in order. The header is 8-byte aligned. */
static void store_release32(uint8_t *p, uint32_t v) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    __atomic_store_n((uint32_t *)(void *)p, v, __ATOMIC_RELEASE);
}

static void store_release64(uint8_t *p, uint64_t v) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    __atomic_store_n((uint64_t *)(void *)p, v, __ATOMIC_RELEASE);
}

/* ---- headers ------------------------------------------------------------------------------------------------------ */

uint32_t hsc_wire_header_crc(const uint8_t *header) {
    uint32_t crc = hsc_crc32c(0, HSC_MAGIC_BYTES, HSC_AT_HEADER_CRC);
    crc = hsc_crc32c(crc, header + HSC_AT_MAJOR, HSC_AT_COMMITTED - HSC_AT_MAJOR);
    return hsc_crc32c(crc, header + HSC_AT_T0, HSC_CHUNK_HEADER_BYTES - HSC_AT_T0);
}

/* Who is killed within it leaves the other magic, and with it a slot that was there before, this one or 0: readers see no damage. */
void hsc_wire_header_put(uint8_t *header, uint8_t minor, uint16_t kind, uint32_t slot_bytes, uint32_t stream,
                         uint32_t sequence, uint64_t t0_ns, uint64_t lost_before, uint64_t schema_id) {
    uint64_t magic;
    memcpy(&magic, HSC_BEGUN_BYTES, sizeof magic);
    __atomic_store_n((uint64_t *)(void *)header, magic, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    store_release32(header + HSC_AT_SLOT, slot_bytes);
    header[HSC_AT_MAJOR] = HSC_FORMAT_MAJOR;
    header[HSC_AT_MINOR] = minor;
    header[HSC_AT_KIND] = (uint8_t)kind;
    header[HSC_AT_KIND + 1] = (uint8_t)(kind >> 8);
    hsc_set32(header + HSC_AT_STREAM, stream);
    hsc_set32(header + HSC_AT_SEQUENCE, sequence);
    hsc_set32(header + HSC_AT_COMMITTED, 0);
    hsc_set64(header + HSC_AT_PAYLOAD_CRC, 0); /* and flags */
    hsc_set64(header + HSC_AT_T0, t0_ns);
    hsc_set64(header + HSC_AT_LOST, lost_before);
    hsc_set64(header + HSC_AT_SCHEMA, schema_id);
    hsc_set32(header + HSC_AT_HEADER_CRC, hsc_wire_header_crc(header));
    memcpy(&magic, HSC_MAGIC_BYTES, sizeof magic);
    __atomic_store_n((uint64_t *)(void *)header, magic, __ATOMIC_RELEASE);
}

void hsc_chunk_begin(hsc_chunk_writer *w, void *base, uint32_t slot_bytes, hsc_chunk_kind kind, uint32_t stream,
                     uint32_t sequence, uint64_t t0_ns, uint64_t lost_before) {
    w->base = base;
    w->slot_bytes = slot_bytes;
    w->used_bytes = 0;
    w->sample_slot = hsc_record_info_get(HSC_REC_sample)->fields[1].delta_slot;
    w->last_time = t0_ns;
    memset(w->last_delta, 0, sizeof w->last_delta);
    hsc_wire_header_put(base, HSC_FORMAT_MINOR, (uint16_t)kind, slot_bytes, stream, sequence, t0_ns, lost_before,
                        hsc_wire_schema_id());
}

uint32_t hsc_chunk_seal(void *base, bool shrink) {
    uint8_t *header = base;
    uint32_t slot_bytes = hsc_get32(header + HSC_AT_SLOT);
    uint32_t committed = hsc_get32(header + HSC_AT_COMMITTED);
    uint32_t crc = hsc_crc32c(0, header + HSC_CHUNK_HEADER_BYTES, committed);
    if (shrink) {
        uint32_t end = HSC_CHUNK_HEADER_BYTES + committed;
        slot_bytes = (end + 7) & ~7u;
        memset(header + end, 0, slot_bytes - end);
        /* first the CRC: between the two, readers take the slot from what is committed */
        uint8_t shrunk[HSC_CHUNK_HEADER_BYTES];
        memcpy(shrunk, header, sizeof shrunk);
        hsc_set32(shrunk + HSC_AT_SLOT, slot_bytes);
        store_release32(header + HSC_AT_HEADER_CRC, hsc_wire_header_crc(shrunk));
        store_release32(header + HSC_AT_SLOT, slot_bytes);
    }
    /* CRC and flag become visible together, so that a chunk is never half sealed */
    store_release64(header + HSC_AT_PAYLOAD_CRC, (uint64_t)HSC_FLAG_SEALED << 32 | crc);
    return slot_bytes;
}

/* ---- records ------------------------------------------------------------------------------------------------------ */

static const void *member(const void *record, const hsc_field_info *f) {
    return (const char *)record + f->offset;
}

static uint64_t get_u64(const void *record, const hsc_field_info *f) {
    uint64_t v;
    memcpy(&v, member(record, f), sizeof v);
    return v;
}

/* Is the field 0 or empty? */
static bool is_empty(const void *record, const hsc_field_info *f) {
    switch (f->type) {
    case HSC_TYPE_S:
        return !((const hsc_str *)member(record, f))->n;
    case HSC_TYPE_B:
        return !((const hsc_bytes *)member(record, f))->n;
    case HSC_TYPE_AU:
        return !((const hsc_u64s *)member(record, f))->n;
    case HSC_TYPE_AS:
        return !((const hsc_strs *)member(record, f))->n;
    default:
        return !get_u64(record, f);
    }
}

/* The end of the fields that are written: empty ones at the end are left out. What is left out is no previous value of D and T. */
static const hsc_field_info *fields_end(const hsc_record_info *info, const void *record) {
    const hsc_field_info *end = info->fields + info->n_fields;
    while (end > info->fields && is_empty(record, end - 1))
        end--;
    return end;
}

/* Adds n to *sum; false when that would exceed the largest record. */
static bool add_bytes(size_t *sum, size_t n) {
    if (n > HSC_RECORD_MAX_BYTES - *sum)
        return false;
    *sum += n;
    return true;
}

static bool add_str(size_t *sum, hsc_str s) {
    return s.n <= HSC_STRING_MAX_BYTES && add_bytes(sum, hsc_uv_size(s.n) + s.n);
}

/* Bytes of id and fields on the wire; 0 when a limit is exceeded. */
static size_t measure(const hsc_record_info *info, const hsc_field_info *last, const void *record, uint64_t last_time,
                      const uint64_t *last_delta) {
    size_t sum = hsc_uv_size(info->id);
    for (const hsc_field_info *f = info->fields; f < last; f++) {
        bool ok = true;
        switch (f->type) {
        case HSC_TYPE_U:
            ok = add_bytes(&sum, hsc_uv_size(get_u64(record, f)));
            break;
        case HSC_TYPE_Z:
            ok = add_bytes(&sum, hsc_uv_size(hsc_zigzag(get_u64(record, f))));
            break;
        case HSC_TYPE_D:
            ok = add_bytes(&sum, hsc_uv_size(hsc_zigzag(get_u64(record, f) - last_delta[f->delta_slot])));
            break;
        case HSC_TYPE_T:
            ok = add_bytes(&sum, hsc_uv_size(hsc_zigzag(get_u64(record, f) - last_time)));
            last_time = get_u64(record, f);
            break;
        case HSC_TYPE_H:
        case HSC_TYPE_F:
            ok = add_bytes(&sum, 8);
            break;
        case HSC_TYPE_S:
            ok = add_str(&sum, *(const hsc_str *)member(record, f));
            break;
        case HSC_TYPE_B: {
            const hsc_bytes *b = member(record, f);
            ok = add_bytes(&sum, b->n) && add_bytes(&sum, hsc_uv_size(b->n));
            break;
        }
        case HSC_TYPE_AU: {
            const hsc_u64s *a = member(record, f);
            ok = add_bytes(&sum, hsc_uv_size(a->n));
            for (size_t k = 0; ok && k < a->n; k++)
                ok = add_bytes(&sum, hsc_uv_size(a->p[k]));
            break;
        }
        case HSC_TYPE_AS: {
            const hsc_strs *a = member(record, f);
            ok = add_bytes(&sum, hsc_uv_size(a->n));
            for (size_t k = 0; ok && k < a->n; k++)
                ok = add_str(&sum, a->p[k]);
            break;
        }
        }
        if (!ok)
            return 0;
    }
    return sum;
}

static uint8_t *put_bytes(uint8_t *p, const void *data, size_t n) {
    p = hsc_uv_put(p, n);
    if (n)
        memcpy(p, data, n);
    return p + n;
}

/* Encodes id and fields; there must be room. */
static uint8_t *encode(const hsc_record_info *info, const hsc_field_info *last, const void *record, uint8_t *p,
                       uint64_t *last_time, uint64_t *last_delta) {
    p = hsc_uv_put(p, info->id);
    for (const hsc_field_info *f = info->fields; f < last; f++) {
        switch (f->type) {
        case HSC_TYPE_U:
            p = hsc_uv_put(p, get_u64(record, f));
            break;
        case HSC_TYPE_Z:
            p = hsc_uv_put(p, hsc_zigzag(get_u64(record, f)));
            break;
        case HSC_TYPE_D: {
            uint64_t v = get_u64(record, f);
            p = hsc_uv_put(p, hsc_zigzag(v - last_delta[f->delta_slot]));
            last_delta[f->delta_slot] = v;
            break;
        }
        case HSC_TYPE_T: {
            uint64_t v = get_u64(record, f);
            p = hsc_uv_put(p, hsc_zigzag(v - *last_time));
            *last_time = v;
            break;
        }
        case HSC_TYPE_H:
        case HSC_TYPE_F:
            hsc_set64(p, get_u64(record, f));
            p += 8;
            break;
        case HSC_TYPE_S: {
            const hsc_str *s = member(record, f);
            p = put_bytes(p, s->p, s->n);
            break;
        }
        case HSC_TYPE_B: {
            const hsc_bytes *b = member(record, f);
            p = put_bytes(p, b->p, b->n);
            break;
        }
        case HSC_TYPE_AU: {
            const hsc_u64s *a = member(record, f);
            p = hsc_uv_put(p, a->n);
            for (size_t k = 0; k < a->n; k++)
                p = hsc_uv_put(p, a->p[k]);
            break;
        }
        case HSC_TYPE_AS: {
            const hsc_strs *a = member(record, f);
            p = hsc_uv_put(p, a->n);
            for (size_t k = 0; k < a->n; k++)
                p = put_bytes(p, a->p[k].p, a->p[k].n);
            break;
        }
        }
    }
    return p;
}

hsc_status hsc_wire_record_put(const hsc_record_info *info, const void *record, uint8_t *out, size_t room,
                               size_t *used_bytes, uint64_t *last_time, uint64_t *last_delta) {
    size_t bound = info->scalar_max_bytes + 5u; /* with the id */
    const hsc_field_info *last = fields_end(info, record);
    uint8_t *end;
    if (!info->n_variable && room > bound + 1) {
        /* the usual case: it fits whatever the values are; nearly always its length takes one byte */
        end = encode(info, last, record, out + 1, last_time, last_delta);
        size_t n = (size_t)(end - out - 1), length = hsc_uv_size(n);
        if (length > 1)
            memmove(out + length, out + 1, n);
        hsc_uv_put(out, n);
        end = out + length + n;
    } else {
        size_t n = measure(info, last, record, *last_time, last_delta);
        if (!n)
            return HSC_E_ARGUMENT;
        if (hsc_uv_size(n) + n > room)
            return HSC_E_LIMIT;
        end = encode(info, last, record, hsc_uv_put(out, n), last_time, last_delta);
    }
    *used_bytes = (size_t)(end - out);
    return HSC_OK;
}

hsc_status hsc_chunk_put(hsc_chunk_writer *w, uint32_t record_id, const void *record) {
    const hsc_record_info *info = hsc_record_info_get(record_id);
    if (!info)
        return HSC_E_ARGUMENT;
    size_t at = (size_t)HSC_CHUNK_HEADER_BYTES + w->used_bytes, n;
    hsc_status status =
        hsc_wire_record_put(info, record, w->base + at, w->slot_bytes - at, &n, &w->last_time, w->last_delta);
    if (status)
        return status;
    w->used_bytes += (uint32_t)n;
    store_release32(w->base + HSC_AT_COMMITTED, w->used_bytes);
    return HSC_OK;
}

__attribute__((hot)) hsc_status hsc_chunk_put_sample(hsc_chunk_writer *w, const hsc_rec_sample *sample) {
    uint8_t *out = w->base + HSC_CHUNK_HEADER_BYTES + w->used_bytes, *p = out + 1;
    _Static_assert(HSC_REC_sample < 128, "the id takes one byte");
    if ((size_t)HSC_CHUNK_HEADER_BYTES + w->used_bytes + 2 + 3 * HSC_UV_MAX_BYTES > w->slot_bytes ||
        !(sample->time | sample->node_id | sample->state))
        return hsc_chunk_put(w, HSC_REC_sample, sample);
    *p++ = HSC_REC_sample;
    p = hsc_uv_put(p, hsc_zigzag(sample->time - w->last_time));
    w->last_time = sample->time;
    if (sample->node_id | sample->state) {
        p = hsc_uv_put(p, hsc_zigzag(sample->node_id - w->last_delta[w->sample_slot]));
        w->last_delta[w->sample_slot] = sample->node_id;
    }
    if (sample->state)
        p = hsc_uv_put(p, sample->state);
    *out = (uint8_t)(p - out - 1);
    w->used_bytes += (uint32_t)(p - out);
    store_release32(w->base + HSC_AT_COMMITTED, w->used_bytes);
    return HSC_OK;
}
