/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions without a symbol that named ones end in a jump to. On a call path such a function stands in the place of the named one, whose frame
 * is gone: of a barrier of GCC's OpenMP runtime, which has no symbols but those it exports, nothing is left but code without a name. So it gets
 * the name of what jumps to it. In the same way the frame of a function is gone that gives a lock back by its last jump: the call that led to
 * it says which one that was. x86-64 only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>

#include "machine_loops.h"
#include "x86_64.h"

#define JUMPS_MAX HSC_CODE_JUMPS_MAX /* one after the other: each function by a jump of the one before */

typedef struct tail {
    const char *from; /* a named function that jumps there, itself or by others: of several the shortest name; NULL: none */
    bool several;
} tail;

static bool is_better(const char *name, const char *than) {
    size_t a = strlen(name), b = strlen(than);
    return a != b ? a < b : strcmp(name, than) < 0;
}

/* Adds what the function at row i, for which `name` stands, jumps to. Named in an earlier round: stays so. */
static void add_jumps(const hsc_code *c, size_t i, const tail *known, tail *found) {
    const hsc_symbol *s = &c->symbols.p[i];
    const uint8_t *p = s->hi > s->lo ? hsc_code_bytes_at(c, s->lo, s->hi) : NULL;
    const char *name = s->unnamed ? known[i].from : s->name;
    for (size_t at = 0, n, size = (size_t)(s->hi - s->lo); p && at < size; at += n) {
        hsc_x86_flow flow;
        int64_t relative = 0;
        n = hsc_x86_decode(p + at, size - at, &flow, &relative);
        if (!n)
            return;
        if (flow != HSC_X86_JUMP && flow != HSC_X86_BRANCH)
            continue;
        uint64_t target = s->lo + at + n + (uint64_t)relative;
        uint32_t k;
        HSC_FIND_SPAN(c->symbols, target, k);
        if (k == HSC_NO_INDEX || k == i || c->symbols.p[k].lo != target || !c->symbols.p[k].unnamed || known[k].from)
            continue;
        found[k].several = found[k].several || (s->unnamed && known[i].several) || (found[k].from && strcmp(found[k].from, name));
        if (!found[k].from || is_better(name, found[k].from))
            found[k].from = name;
    }
}

bool hsc_code_name_tails(hsc_code *c) {
    size_t n = c->symbols.n;
    /* Categories have rules for these names only; others would gain little and cost reading all of their code. */
    if (!c->is_x86_64 || hsc_library_role_of(c->path) != HSC_LIBRARY_GNU_OPENMP)
        return true;
    tail *known = calloc(n + 1, sizeof *known), *found = calloc(n + 1, sizeof *found);
    bool ok = known && found;
    for (int round = 0; ok && round < JUMPS_MAX; round++) {
        for (size_t i = 0; i < n; i++)
            if (!c->symbols.p[i].unnamed || known[i].from)
                add_jumps(c, i, known, found);
        memcpy(known, found, n * sizeof *known);
    }
    for (size_t i = 0; ok && i < n; i++) {
        hsc_symbol *s = &c->symbols.p[i];
        char text[700];
        if (!known[i].from)
            continue;
        snprintf(text, sizeof text, "%.300s%s at %s", known[i].from, known[i].several ? " and others" : "", s->name);
        s->name = hsc_pool_intern(&c->pool, text, strlen(text));
        ok = s->name != NULL;
    }
    for (size_t i = 0; ok && i < n; i++)
        c->symbols.p[i].unnamed = c->symbols.p[i].unnamed && !known[i].from;
    free(known);
    free(found);
    return ok;
}

/* ---- jumps to what gives locks back ---- */

static bool is_release(const char *stub) {
    static const char *const names[] = {"pthread_mutex_unlock", "pthread_rwlock_unlock", "pthread_spin_unlock", "mtx_unlock"};
    size_t length = hsc_code_stub_length(stub);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(stub, names[i], length))
            return true;
    return false;
}

typedef struct ends { /* jumps out of a function */
    uint64_t jump;          /* the last one that was met */
    const hsc_symbol *into; /* where it leads to */
    uint32_t functions, stubs, releases;
} ends;

static ends ends_of(const hsc_code *c, const hsc_symbol *s) {
    const uint8_t *p = s->hi > s->lo ? hsc_code_bytes_at(c, s->lo, s->hi) : NULL;
    ends e = {0};
    for (size_t at = 0, n, size = (size_t)(s->hi - s->lo); p && at < size; at += n) {
        hsc_x86_flow flow;
        int64_t relative = 0;
        n = hsc_x86_decode(p + at, size - at, &flow, &relative);
        if (!n)
            return (ends){0};
        if (flow != HSC_X86_JUMP && flow != HSC_X86_BRANCH)
            continue;
        uint64_t target = s->lo + at + n + (uint64_t)relative;
        const hsc_symbol *into = target >= s->lo && target < s->hi ? NULL : hsc_code_symbol_at(c, target);
        if (!into || into->lo != target)
            continue;
        bool stub = hsc_code_stub_length(into->name) != 0;
        e.stubs += stub;
        e.functions += !stub;
        e.releases += stub && is_release(into->name);
        e.jump = s->lo + at;
        e.into = into;
    }
    return e;
}

size_t hsc_code_find_release(const hsc_code *c, uint64_t address, uint64_t jumps[HSC_CODE_JUMPS_MAX]) {
    const uint8_t *call = c->is_x86_64 && address >= HSC_CALL_BYTES ? hsc_code_bytes_at(c, address - HSC_CALL_BYTES, address) : NULL;
    if (!call || call[0] != 0xE8)
        return 0;
    int32_t relative;
    memcpy(&relative, call + 1, sizeof relative);
    uint64_t target = address + (uint64_t)(int64_t)relative;
    const hsc_symbol *s = hsc_code_symbol_at(c, target);
    for (size_t n = 0; s && s->lo == target && n < HSC_CODE_JUMPS_MAX;) {
        ends e = ends_of(c, s);
        if (e.releases) { /* of several it is not known which: then where the function begins */
            jumps[n] = e.functions + e.stubs == 1 ? e.jump : s->lo;
            return e.functions ? 0 : n + 1;
        }
        if (e.functions != 1 || e.stubs)
            return 0;
        jumps[n++] = e.jump;
        s = e.into;
        target = s->lo;
    }
    return 0;
}
