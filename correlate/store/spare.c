/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "spare.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "large.h"

static void note(hsc_spares *s, size_t bytes) {
    s->again[s->n_again].bytes = bytes;
    s->again[s->n_again++].comes = false;
}

/* Can room of so many bytes be what the other is asked for? */
static bool fits(size_t bytes, size_t wanted) { return bytes >= wanted && bytes / 2 <= wanted; }

void *hsc_spare_take(hsc_spares *s, size_t bytes, bool is_cleared) {
    unsigned best = s->n;
    if (bytes >= HSC_SPARE_LEAST && s->n_again < HSC_SPARES_MAX && !s->is_dropped)
        note(s, bytes);
    for (unsigned i = 0; i < s->n; i++)
        if (fits(s->of[i].bytes, bytes) && (best == s->n || s->of[i].bytes < s->of[best].bytes))
            best = i;
    if (best == s->n)
        return is_cleared ? hsc_large_calloc(bytes) : hsc_large_malloc(bytes);
    char *p = s->of[best].p;
    if (is_cleared && s->of[best].clear < bytes)
        memset(p + s->of[best].clear, 0, bytes - s->of[best].clear);
    s->of[best] = s->of[--s->n];
    return p;
}

void hsc_spare_put(hsc_spares *s, void *p) {
    size_t bytes = p ? malloc_usable_size(p) : 0;
    if (bytes < HSC_SPARE_LEAST || s->n == HSC_SPARES_MAX) {
        free(p);
        return;
    }
    s->of[s->n].p = p;
    s->of[s->n].bytes = bytes;
    s->of[s->n++].clear = 0;
}

void hsc_spare_begin(hsc_spares *s) {
    s->n_again = 0;
    s->is_dropped = false;
}

void hsc_spare_foresee(hsc_spares *s, size_t bytes) {
    if (bytes < HSC_SPARE_LEAST || s->n_again == HSC_SPARES_MAX)
        return;
    note(s, bytes);
    s->is_dropped = true;
}

void hsc_spare_drop(hsc_spares *s) {
    while (s->n)
        free(s->of[--s->n].p);
    s->is_dropped = true;
}

bool hsc_spare_comes(hsc_spares *s, size_t bytes) {
    unsigned best = s->n_again, there = s->n;
    for (unsigned i = 0; i < s->n_again; i++)
        if (!s->again[i].comes && fits(bytes, s->again[i].bytes) && (best == s->n_again || s->again[i].bytes > s->again[best].bytes))
            best = i;
    if (best == s->n_again)
        return false;
    s->again[best].comes = true;
    for (unsigned i = 0; i < s->n; i++)
        if (fits(s->of[i].bytes, s->again[best].bytes) && (there == s->n || s->of[i].bytes < s->of[there].bytes))
            there = i;
    if (there < s->n) {
        free(s->of[there].p);
        s->n--;
        memmove(&s->of[there], &s->of[there + 1], (s->n - there) * sizeof *s->of);
    }
    return true;
}

void hsc_spare_none_comes(hsc_spares *s) {
    for (unsigned i = 0; i < s->n_again; i++) {
        s->is_dropped |= s->again[i].comes;
        s->again[i].comes = false;
    }
}

/* The nth that does not come by itself; n_again: there are no more. */
static unsigned nth_wanted(const hsc_spares *s, unsigned n) {
    unsigned i = 0;
    for (; i < s->n_again; i++)
        if (!s->again[i].comes && !n--)
            break;
    return i;
}

bool hsc_spare_again(hsc_spares *s) {
    unsigned next;
    if (!s->is_dropped)
        return true;
    while (s->n && !s->of[s->n - 1].clear) /* of something else meanwhile */
        free(s->of[--s->n].p);
    if ((!s->n || s->of[s->n - 1].clear == s->of[s->n - 1].bytes) && (next = nth_wanted(s, s->n)) < s->n_again) {
        void *p = hsc_large_malloc(s->again[next].bytes);
        if (!p) { /* without it, then */
            s->is_dropped = false;
            return true;
        }
        s->of[s->n].p = p;
        s->of[s->n].bytes = s->again[next].bytes;
        s->of[s->n++].clear = 0;
    }
    if (s->n) {
        size_t rest = s->of[s->n - 1].bytes - s->of[s->n - 1].clear, piece = rest < HSC_SPARE_PIECE ? rest : HSC_SPARE_PIECE;
        memset((char *)s->of[s->n - 1].p + s->of[s->n - 1].clear, 0, piece);
        s->of[s->n - 1].clear += piece;
        s->is_dropped = piece < rest || nth_wanted(s, s->n) < s->n_again;
    } else
        s->is_dropped = false;
    return !s->is_dropped;
}

void hsc_spare_end(hsc_spares *s) {
    hsc_spare_drop(s);
    *s = (hsc_spares){0};
}
