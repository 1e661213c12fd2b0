/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Byte layout of chunks and records, shared by the writing and the reading half. Internal to formats/. */
#ifndef HEATSCOPE_FORMATS_WIRE_H
#define HEATSCOPE_FORMATS_WIRE_H

#include <string.h>

#include <heatscope/formats/stream.h>

/* Offsets of the header's members */
enum {
    HSC_AT_MAGIC = 0,
    HSC_AT_HEADER_CRC = 8,
    HSC_AT_MAJOR = 12,
    HSC_AT_MINOR = 13,
    HSC_AT_KIND = 14,
    HSC_AT_SLOT = 16,
    HSC_AT_STREAM = 20,
    HSC_AT_SEQUENCE = 24,
    HSC_AT_COMMITTED = 28,
    HSC_AT_PAYLOAD_CRC = 32,
    HSC_AT_FLAGS = 36,
    HSC_AT_T0 = 40,
    HSC_AT_LOST = 48,
    HSC_AT_SCHEMA = 56
};

#define HSC_MAGIC_BYTES "\x89HSR\r\n\x1a\n"
#define HSC_BEGUN_BYTES "\x89HS\xad\xf2\xf5\xe5\xf5" /* in its place while the rest of a header is written; far from it, should bits be damaged */
#define HSC_FLAG_SEALED 1u
#define HSC_FLAG_COLUMNS_OLD 2u /* an older form of columns, which is no longer read */
#define HSC_FLAG_COLUMNS 4u /* the payload is in the form of columns_pack.c */

/* Record ids of schema chunks */
enum { HSC_SCHEMA_RECORD = 0, HSC_SCHEMA_ENUM = 1 };

#define HSC_UV_MAX_BYTES 10

static inline uint32_t hsc_get32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t hsc_get64(const uint8_t *p) {
    return hsc_get32(p) | (uint64_t)hsc_get32(p + 4) << 32;
}

static inline void hsc_set32(uint8_t *p, uint32_t v) {
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static inline void hsc_set64(uint8_t *p, uint64_t v) {
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static inline size_t hsc_uv_size(uint64_t v) {
    size_t n = 1;
    while (v >= 0x80) {
        v >>= 7;
        n++;
    }
    return n;
}

static inline uint8_t *hsc_uv_put(uint8_t *p, uint64_t v) {
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

/* Reads a varint of [p, end); NULL when it is cut off, longer than 10 bytes or beyond 64 bits. */
static inline const uint8_t *hsc_uv_get(const uint8_t *p, const uint8_t *end, uint64_t *out) {
    if (p < end && *p < 0x80) {
        *out = *p;
        return p + 1;
    }
    uint64_t v = 0;
    for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
        uint8_t b = *p++;
        if (shift == 63 && b > 1)
            return NULL;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) {
            *out = v;
            return p;
        }
    }
    return NULL;
}

/* As hsc_uv_get, of a varint that begins before `end`; up to `limit` bytes may be looked at. */
static inline const uint8_t *hsc_uv_get_of(const uint8_t *p, const uint8_t *end, const uint8_t *limit, uint64_t *out) {
    const uint64_t goes_on = 0x8080808080808080u;
    if (*p < 0x80) {
        *out = *p;
        return p + 1;
    }
    uint64_t v = limit - p >= 8 ? hsc_get64(p) : UINT64_MAX, stop = ~v & goes_on;
    if (!stop) /* longer, or near the end */
        return hsc_uv_get(p, end, out);
    p += __builtin_ctzll(stop) / 8 + 1;
    v &= (stop ^ (stop - 1)) & ~goes_on; /* its bytes, 7 bits each: pairs of them are put together */
    v = (v & 0x007f007f007f007fu) | (v & 0x7f007f007f007f00u) >> 1;
    v = (v & 0x00003fff00003fffu) | (v & 0x3fff00003fff0000u) >> 2;
    *out = (v & 0x0fffffffu) | (v & 0x0fffffff00000000u) >> 4;
    return p <= end ? p : NULL;
}

static inline uint64_t hsc_zigzag(uint64_t v) {
    return v << 1 ^ (0 - (v >> 63));
}

static inline uint64_t hsc_unzigzag(uint64_t v) {
    return v >> 1 ^ (0 - (v & 1));
}

/* CRC of the header members that never change: all but the CRC itself, committed, payload CRC and flags. Signal-safe. */
uint32_t hsc_wire_header_crc(const uint8_t *header); /* with the magic, whatever is there */

/* Writes a header. Signal-safe. */
void hsc_wire_header_put(uint8_t *header, uint8_t minor, uint16_t kind, uint32_t slot_bytes, uint32_t stream,
                         uint32_t sequence, uint64_t t0_ns, uint64_t lost_before, uint64_t schema_id);

/* Encodes one record as `info` describes it, length prefix included, into `room` bytes at `out`. *used_bytes and the
 * delta state change only on success. Status as hsc_chunk_put. Signal-safe. */
hsc_status hsc_wire_record_put(const hsc_record_info *info, const void *record, uint8_t *out, size_t room,
                               size_t *used_bytes, uint64_t *last_time, uint64_t *last_delta);

/* Identity of the schema that hsc_schema_chunk writes. Signal-safe. */
uint64_t hsc_wire_schema_id(void);

#endif
