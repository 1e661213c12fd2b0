/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Test values for every record of records.def. */
#include "fill.h"

#include <stdlib.h>
#include <string.h>

static uint64_t scalar(uint32_t type, int pattern, uint32_t i) {
    static const uint64_t edges[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, (uint64_t)1 << 32, INT64_MAX,
                                     (uint64_t)1 << 63, UINT64_MAX - 1, UINT64_MAX};
    static const double floats[] = {0.0, -0.0, 1.5, 1e6 / 3, -1e-310, 1e308 * 10, -1e308 * 10};
    uint64_t v;
    double d;
    if (pattern == 0)
        return 0;
    if (type == HSC_TYPE_F) {
        d = floats[(i + (uint32_t)pattern) % 7];
        memcpy(&v, &d, sizeof v);
        return pattern == 1 ? 0x7ff8000000001234u : v; /* a NaN with a payload */
    }
    if (pattern == 1)
        return UINT64_MAX;
    if (pattern == 2)
        return i;
    return edges[(i * 5 + (uint32_t)pattern * 7) % 12];
}

static hsc_str text(int pattern, uint32_t i) {
    static const char *const texts[] = {"main", "a \"quoted\" \\ name", "", "tab\tnewline\nreturn\r", "gr\xc3\xbc\xc3\x9f", "\x1b[31mred",
                                        "not \xff utf-8 \xc3", ("\xe2\x80\xae" "turned"), "\xf0\x9f\x94\xa5"};
    static const char with_nul[] = "a\0b";
    static char longest[HSC_STRING_MAX_BYTES];
    if (pattern == 0)
        return (hsc_str){NULL, 0};
    if (pattern == 1)
        return (hsc_str){with_nul, 3};
    if (pattern == 5 && i == 1) {
        memset(longest, 'x', sizeof longest);
        return (hsc_str){longest, 3000};
    }
    const char *t = texts[(i + (uint32_t)pattern) % 9];
    return (hsc_str){t, strlen(t)};
}

void fill_record(any_record *out, uint32_t record_id, int pattern) {
    static const uint64_t numbers[] = {0, 1, 128, UINT64_MAX};
    static hsc_str strings[4];
    const hsc_record_info *info = hsc_record_info_get(record_id);
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < 4; i++)
        strings[i] = text(3, i);
    for (uint32_t i = 0; i < info->n_fields; i++) {
        const hsc_field_info *f = &info->fields[i];
        void *to = (char *)out + f->offset;
        uint64_t v = scalar(f->type, pattern, i);
        hsc_str t = text(pattern, i);
        switch (f->type) {
        case HSC_TYPE_S:
            *(hsc_str *)to = t;
            break;
        case HSC_TYPE_B:
            *(hsc_bytes *)to = (hsc_bytes){(const uint8_t *)t.p, t.n};
            break;
        case HSC_TYPE_AU:
            *(hsc_u64s *)to = (hsc_u64s){numbers, pattern ? 4 : 0};
            break;
        case HSC_TYPE_AS:
            *(hsc_strs *)to = (hsc_strs){strings, pattern ? 4 : 0};
            break;
        default:
            memcpy(to, &v, sizeof v);
        }
    }
}

static bool same_bytes(const void *a, size_t n_a, const void *b, size_t n_b) {
    return n_a == n_b && (!n_a || !memcmp(a, b, n_a));
}

bool same_record(const hsc_record_info *info, const void *a, const void *b) {
    for (uint32_t i = 0; i < info->n_fields; i++) {
        const hsc_field_info *f = &info->fields[i];
        const void *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;
        bool same;
        switch (f->type) {
        case HSC_TYPE_S:
        case HSC_TYPE_B: {
            const hsc_bytes *p = x, *q = y;
            same = same_bytes(p->p, p->n, q->p, q->n);
            break;
        }
        case HSC_TYPE_AU: {
            const hsc_u64s *p = x, *q = y;
            same = same_bytes(p->p, p->n * sizeof *p->p, q->p, q->n * sizeof *q->p);
            break;
        }
        case HSC_TYPE_AS: {
            const hsc_strs *p = x, *q = y;
            same = p->n == q->n;
            for (size_t k = 0; same && k < p->n; k++)
                same = same_bytes(p->p[k].p, p->p[k].n, q->p[k].p, q->p[k].n);
            break;
        }
        default:
            same = !memcmp(x, y, sizeof(uint64_t));
        }
        if (!same)
            return false;
    }
    return true;
}

size_t fill_stream(uint8_t **bytes, size_t *size) {
    size_t n_ids, n_records = 0, schema = hsc_schema_chunk(NULL, 0), at = 0;
    const uint32_t *ids = hsc_record_ids(&n_ids);
    uint8_t *p = calloc(1, schema + (size_t)FILL_PATTERNS * 2 * HSC_SLOT_BYTES);
    if (!p)
        return 0;
    at += hsc_schema_chunk(p, schema);
    for (int pattern = 0; pattern < FILL_PATTERNS; pattern++)
        for (int is_static = 0; is_static < 2; is_static++) {
            uint32_t slot = is_static ? HSC_SLOT_BYTES : 49152;
            hsc_chunk_writer w;
            hsc_chunk_begin(&w, p + at, slot, is_static ? HSC_CHUNK_STATIC : HSC_CHUNK_DYNAMIC, (uint32_t)is_static * 7,
                            (uint32_t)pattern, (uint64_t)pattern * 1000000007, (uint64_t)pattern / 3);
            for (size_t i = 0; i < n_ids; i++) {
                any_record r;
                if ((ids[i] < 64) != is_static)
                    continue;
                fill_record(&r, ids[i], pattern);
                if (hsc_chunk_put(&w, ids[i], &r))
                    abort();
                n_records++;
            }
            if (pattern == 4) /* as a killed writer leaves it */
                at += slot;
            else
                at += hsc_chunk_seal(p + at, pattern != 3);
        }
    *bytes = p;
    *size = at;
    return n_records;
}
