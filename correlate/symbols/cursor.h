/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers and texts in bytes that nobody vouches for: reads beyond the end give 0 and leave the cursor at the end. */
#ifndef HEATSCOPE_CORRELATE_CURSOR_H
#define HEATSCOPE_CORRELATE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct hsc_cursor {
    const uint8_t *p, *end;
} hsc_cursor;

static inline size_t hsc_left(const hsc_cursor *c) { return (size_t)(c->end - c->p); }

static inline void hsc_skip(hsc_cursor *c, uint64_t n) { c->p += n < hsc_left(c) ? (size_t)n : hsc_left(c); }

/* A little-endian number of n bytes, at most 8. */
static inline uint64_t hsc_take(hsc_cursor *c, size_t n) {
    uint64_t v = 0;
    if (hsc_left(c) < n) {
        c->p = c->end;
        return 0;
    }
    memcpy(&v, c->p, n);
    c->p += n;
    return v;
}

static inline int64_t hsc_take_signed(hsc_cursor *c, size_t n) {
    uint64_t v = hsc_take(c, n), sign = n ? 1ull << (8 * n - 1) : 0;
    return (int64_t)((v ^ sign) - sign);
}

static inline uint64_t hsc_take_uleb(hsc_cursor *c) {
    uint64_t v = 0;
    for (unsigned shift = 0; c->p < c->end; shift += 7) {
        uint8_t b = *c->p++;
        if (shift < 64)
            v |= (uint64_t)(b & 0x7F) << shift;
        if (!(b & 0x80))
            break;
    }
    return v;
}

static inline int64_t hsc_take_sleb(hsc_cursor *c) {
    uint64_t v = 0;
    for (unsigned shift = 0; c->p < c->end;) {
        uint8_t b = *c->p++;
        if (shift < 64)
            v |= (uint64_t)(b & 0x7F) << shift;
        shift += 7;
        if (!(b & 0x80)) {
            if (shift < 64 && b & 0x40)
                v |= ~0ull << shift;
            break;
        }
    }
    return (int64_t)v;
}

static inline void hsc_skip_leb(hsc_cursor *c) {
    while (c->p < c->end && *c->p++ & 0x80)
        ;
}

/* A text that ends with NUL; NULL: there is none. */
static inline const char *hsc_take_text(hsc_cursor *c) {
    const uint8_t *nul = hsc_left(c) ? memchr(c->p, 0, hsc_left(c)) : NULL;
    const char *text = nul ? (const char *)c->p : NULL;
    c->p = nul ? nul + 1 : c->end;
    return text;
}

#endif
