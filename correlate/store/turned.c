/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "turned.h"

#include <string.h>

void hsc_turned_fini(hsc_turned *t) {
    hsc_spill_list_fini(&t->bytes);
    *t = (hsc_turned){0};
}

static const uint8_t *number(const uint8_t *p, uint64_t *v) {
    uint64_t n = *p & 0x7f;
    for (unsigned shift = 7; *p++ & 0x80; shift += 7)
        n |= (uint64_t)(*p & 0x7f) << shift;
    *v = n;
    return p;
}

hsc_status hsc_turned_each(hsc_spill *s, const hsc_turned *t, bool (*take)(void *ctx, const hsc_turned_value *v), void *ctx, hsc_err *err) {
    uint8_t block[16384];
    hsc_spill_cursor c = {.list = &t->bytes};
    hsc_turned_value v = {0};
    size_t held = 0;
    for (uint64_t left = t->count; left;) {
        uint64_t got, word;
        hsc_status status = hsc_spill_read(s, &c, block + held, sizeof block - held, &got, err);
        if (status)
            return status;
        const uint8_t *p = block, *end = block + held + got;
        for (; left && (end - p >= HSC_TURNED_MAX || !got); left--) {
            p = number(p, &word);
            if (word & 1) {
                v.row += (uint32_t)(word >> 1);
            } else {
                v.column += (uint32_t)(word >> 1);
                p = number(p, &word);
                v.row = (uint32_t)word;
            }
            p = number(p, &word);
            v.count = (uint32_t)word;
            if (!take(ctx, &v))
                return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
        }
        held = (size_t)(end - p);
        memmove(block, p, held);
    }
    return HSC_OK;
}
