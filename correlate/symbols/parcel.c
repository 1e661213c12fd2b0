/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes for another rank or another join. */
#include "parcel.h"

#include <stdlib.h>
#include <string.h>

void parcel_put(parcel *a, const void *bytes, size_t n) {
    if (a->failed || !n)
        return;
    if (!hsc_vec_reserve((void **)&a->p, &a->cap, a->n + n, 1)) {
        a->failed = true;
        return;
    }
    memcpy(a->p + a->n, bytes, n);
    a->n += n;
}

void parcel_u64(parcel *a, uint64_t value) { parcel_put(a, &value, sizeof value); }

void parcel_text(parcel *a, const char *text) {
    size_t n = text ? strlen(text) : 0;
    parcel_u64(a, n);
    parcel_put(a, text, n);
}

void parcel_take(parcel *a, void *bytes, size_t n) {
    if (a->failed || n > a->n - a->at) {
        a->failed = true;
        memset(bytes, 0, n);
        return;
    }
    if (n)
        memcpy(bytes, a->p + a->at, n);
    a->at += n;
}

uint64_t parcel_take_u64(parcel *a) {
    uint64_t value;
    parcel_take(a, &value, sizeof value);
    return value;
}

const char *parcel_take_text(parcel *a, hsc_pool *pool) {
    uint64_t n = parcel_take_u64(a);
    if (a->failed || n > a->n - a->at) {
        a->failed = true;
        return "";
    }
    const char *text = hsc_pool_intern(pool, (const char *)a->p + a->at, n);
    a->at += n;
    a->failed = !text;
    return text ? text : "";
}

void parcel_fini(parcel *a) {
    free(a->p);
    *a = (parcel){0};
}
