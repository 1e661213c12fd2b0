/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions without a symbol that named ones end in a jump to. On a call path such a function stands in the place of the named one, whose frame
 * is gone: of a barrier of GCC's OpenMP runtime, which has no symbols but those it exports, nothing is left but code without a name. So it gets
 * the name of what jumps to it. In the same way the frame of a function is gone that gives a lock back by its last jump: the call that led to
 * it says which one that was; so it is with one that calls MPI, forks a region of OpenMP or calls any other function by its last jump.
 * x86-64 only. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/linkage.h>
#include <heatscope/formats/stream.h>

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
    size_t length = hsc_linkage_of_stub(stub);
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
        bool stub = hsc_linkage_of_stub(into->name) != 0;
        e.stubs += stub;
        e.functions += !stub;
        e.releases += stub && is_release(into->name);
        e.jump = s->lo + at;
        e.into = into;
    }
    return e;
}

/* The function that the direct call before the return address leads to; NULL: none. */
static const hsc_symbol *called_before(const hsc_code *c, uint64_t address) {
    const uint8_t *call = c->is_x86_64 && address >= HSC_CALL_BYTES ? hsc_code_bytes_at(c, address - HSC_CALL_BYTES, address) : NULL;
    if (!call || call[0] != 0xE8)
        return NULL;
    int32_t relative;
    memcpy(&relative, call + 1, sizeof relative);
    uint64_t target = address + (uint64_t)(int64_t)relative;
    const hsc_symbol *s = hsc_code_symbol_at(c, target);
    return s && s->lo == target ? s : NULL;
}

size_t hsc_code_find_release(const hsc_code *c, uint64_t address, uint64_t jumps[HSC_CODE_JUMPS_MAX]) {
    const hsc_symbol *s = called_before(c, address);
    for (size_t n = 0; s && n < HSC_CODE_JUMPS_MAX;) {
        ends e = ends_of(c, s);
        if (e.releases) { /* of several it is not known which: then where the function begins */
            jumps[n] = e.functions + e.stubs == 1 ? e.jump : s->lo;
            return e.functions ? 0 : n + 1;
        }
        if (e.functions != 1 || e.stubs)
            return 0;
        jumps[n++] = e.jump;
        s = e.into;
    }
    return 0;
}

/* ---- what functions end in a jump to ---- */

#define SEARCH_BYTES 65536u /* of code that is looked at for one call */
#define PARTS_MAX 8u        /* that lie elsewhere, of all functions on the way */

uint64_t hsc_code_operation_key(const char *name, size_t length) {
    static const char *const bindings[] = {"_f08ts", "_f08"};
    char text[64];
    if (length < 5 || length >= sizeof text || (strncmp(name, "MPI_", 4) && strncmp(name, "mpi_", 4)))
        return 0;
    while (length > 4 && name[length - 1] == '_')
        length--;
    for (size_t i = 0; i < length; i++)
        text[i] = (char)tolower((unsigned char)name[i]);
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++) {
        size_t n = strlen(bindings[i]);
        if (length > n && !strncmp(text + length - n, bindings[i], n)) {
            length -= n;
            break;
        }
    }
    uint64_t key = hsc_hash64(5, text, length);
    return key > HSC_CODE_OTHERS ? key : key + HSC_CODE_OTHERS + 1;
}

typedef struct search {
    const hsc_code *c;
    uint64_t (*operation)(const struct search *x, const hsc_symbol *s); /* that it is; 0: none, so what it jumps to is looked at too */
    const char *name;         /* of what is wanted */
    const hsc_symbol *wanted; /* NULL: it is in another module */
    const hsc_symbol *on[HSC_CODE_JUMPS_MAX]; /* functions on the way, and the jumps out of them */
    uint64_t jump[HSC_CODE_JUMPS_MAX];
    const hsc_symbol *parts[PARTS_MAX];
    hsc_code_tail *found; /* the first one is for all together */
    size_t n, bytes, part_count;
    bool failed;
} search;

/* What a tail and the present way, of `n` jumps, have in common. */
static void combine(const search *x, hsc_code_tail *t, size_t n) {
    size_t same = 0;
    while (same < n && same < t->n && t->jumps[same] == x->jump[same])
        same++;
    if (same == n)
        return;
    t->n = same + 1;
    t->jumps[same] = x->on[same]->lo;
}

static void reach(search *x, uint64_t operation, size_t n) {
    const uint64_t of[] = {0, operation};
    for (size_t k = 0; k < 2; k++) {
        size_t i = 0;
        while (i < x->n && x->found[i].operation != of[k])
            i++;
        if (i < x->n) {
            combine(x, &x->found[i], n);
            continue;
        }
        x->failed = x->failed || i == HSC_CODE_TAILS_MAX;
        if (x->failed)
            return;
        x->found[x->n++] = (hsc_code_tail){.operation = of[k], .n = n};
        memcpy(x->found[i].jumps, x->jump, n * sizeof *x->jump);
    }
}

/* Of one function, as far as names tell: parts that lie elsewhere. */
static bool is_part_of(const hsc_symbol *part, const hsc_symbol *s) {
    size_t n = hsc_linkage_whole(part->name, strlen(part->name));
    return part == s || (!part->unnamed && hsc_linkage_whole(s->name, strlen(s->name)) == n && !strncmp(part->name, s->name, n));
}

/* Is that a part which was not looked at yet? */
static bool take_part(search *x, const hsc_symbol *part) {
    for (size_t i = 0; i < x->part_count; i++)
        if (x->parts[i] == part)
            return false;
    x->failed = x->failed || x->part_count == PARTS_MAX;
    if (!x->failed)
        x->parts[x->part_count++] = part;
    return !x->failed;
}

/* `level`: of the function whose part s is. */
static void follow(search *x, const hsc_symbol *s, size_t level) {
    const uint8_t *p = s->hi > s->lo ? hsc_code_bytes_at(x->c, s->lo, s->hi) : NULL;
    size_t size = (size_t)(s->hi - s->lo);
    x->failed = x->failed || !p || size > SEARCH_BYTES - x->bytes;
    x->bytes += x->failed ? 0 : size;
    for (size_t at = 0, n; !x->failed && at < size; at += n) {
        hsc_x86_flow flow;
        int64_t relative = 0;
        n = hsc_x86_decode(p + at, size - at, &flow, &relative);
        if (!n) {
            x->failed = true;
            return;
        }
        uint64_t target = s->lo + at + n + (uint64_t)relative;
        if ((flow != HSC_X86_JUMP && flow != HSC_X86_BRANCH) || (target >= s->lo && target < s->hi))
            continue;
        const hsc_symbol *into = hsc_code_symbol_at(x->c, target);
        if (!into || into->lo != target) /* a part of the function that lies elsewhere, or back from there */
            continue;
        bool known = false;
        for (size_t i = 0; i <= level; i++)
            known = known || x->on[i] == into;
        uint64_t operation = x->operation(x, into);
        x->jump[level] = s->lo + at;
        if (operation) {
            reach(x, operation, level + 1);
        } else if (!known && is_part_of(into, x->on[level])) {
            if (take_part(x, into))
                follow(x, into, level);
        } else if (!known && !hsc_linkage_of_stub(into->name) && level + 1 < HSC_CODE_JUMPS_MAX) {
            x->on[level + 1] = into;
            follow(x, into, level + 1);
        }
    }
}

/* ---- jumps to calls of MPI ---- */

static uint64_t operation_of(const search *x, const hsc_symbol *s) {
    (void)x;
    return hsc_code_operation_key(s->name, hsc_linkage_of_stub(s->name));
}

bool hsc_code_has_mpi(const hsc_code *c) {
    for (size_t i = 0; c->is_x86_64 && i < c->symbols.n; i++)
        if (operation_of(NULL, &c->symbols.p[i]))
            return true;
    return false;
}

size_t hsc_code_find_mpi(const hsc_code *c, uint64_t address, hsc_code_tail tails[HSC_CODE_TAILS_MAX]) {
    const hsc_symbol *s = called_before(c, address);
    search x = {.c = c, .operation = operation_of, .on = {s}, .found = tails};
    if (!s || hsc_linkage_of_stub(s->name))
        return 0;
    follow(&x, s, 0);
    return x.failed ? 0 : x.n;
}

/* ---- jumps to what forks regions of OpenMP ---- */

/* Calls through the linkage table and, where the runtime is linked into the module, direct ones. */
static uint64_t fork_of(const search *x, const hsc_symbol *s) {
    (void)x;
    return hsc_linkage_starts_region(s->name) ? HSC_CODE_FORK : 0;
}

bool hsc_code_has_forks(const hsc_code *c) {
    for (size_t i = 0; c->is_x86_64 && i < c->symbols.n; i++)
        if (fork_of(NULL, &c->symbols.p[i]))
            return true;
    return false;
}

bool hsc_code_forks(const hsc_code *c, uint64_t address) {
    const hsc_symbol *s = called_before(c, address);
    return s && fork_of(NULL, s);
}

bool hsc_code_find_fork(const hsc_code *c, uint64_t address, hsc_code_tail *out) {
    hsc_code_tail tails[HSC_CODE_TAILS_MAX];
    const hsc_symbol *s = called_before(c, address);
    search x = {.c = c, .operation = fork_of, .on = {s}, .found = tails};
    if (!s || hsc_linkage_of_stub(s->name) || fork_of(&x, s))
        return false;
    follow(&x, s, 0);
    if (x.failed || x.n < 2)
        return false;
    *out = tails[1];
    return true;
}

/* Does the instruction of n bytes, behind which `end` is, have the address as its last operand? */
static bool takes_address(const uint8_t *p, size_t n, uint64_t end, uint64_t address) {
    uint32_t operand;
    if (n < 1 + sizeof operand)
        return false;
    memcpy(&operand, p + n - sizeof operand, sizeof operand);
    return end + (uint64_t)(int64_t)(int32_t)operand == address || operand == address;
}

size_t hsc_code_find_forks_of(const hsc_code *c, uint64_t address, uint64_t jumps[HSC_CODE_FORKS_MAX + 1], size_t *forked) {
    const hsc_symbol *body = c->is_x86_64 ? hsc_code_symbol_at(c, address) : NULL, *s = NULL;
    size_t length = body ? strlen(body->name) : 0, before = body ? hsc_linkage_before_region(body->name, length) : 0, found = 0;
    size_t by_name = 0, namers = 0;
    bool named = false;
    if (!body || before == length)
        return 0;
    for (size_t i = 0; i < c->symbols.n; i++)
        if (!strncmp(c->symbols.p[i].name, body->name, before) && !c->symbols.p[i].name[before]) {
            if (s) /* two of one name */
                return 0;
            s = &c->symbols.p[i];
        }
    const uint8_t *p = s && s->hi > s->lo && s->hi - s->lo <= SEARCH_BYTES ? hsc_code_bytes_at(c, s->lo, s->hi) : NULL;
    for (size_t at = 0, n, size = p ? (size_t)(s->hi - s->lo) : 0; at < size; at += n) {
        hsc_x86_flow flow;
        int64_t relative = 0;
        n = hsc_x86_decode(p + at, size - at, &flow, &relative);
        if (!n)
            return 0;
        uint64_t target = s->lo + at + n + (uint64_t)relative;
        bool jumps_away = flow == HSC_X86_JUMP || flow == HSC_X86_BRANCH;
        const hsc_symbol *into = jumps_away ? hsc_code_symbol_at(c, target) : NULL;
        named = named || (!jumps_away && takes_address(p + at, n, s->lo + at + n, body->lo));
        if (into && into->lo == target && fork_of(NULL, into)) {
            if (found == HSC_CODE_FORKS_MAX)
                return 0;
            by_name = named ? found : by_name;
            namers += named;
            jumps[found++] = s->lo + at;
        }
        named = named && flow != HSC_X86_JUMP && flow != HSC_X86_RETURN;
    }
    if (found)
        jumps[found] = s->lo;
    *forked = found == 1 ? 0 : namers == 1 ? by_name : found;
    return found;
}

/* ---- jumps between functions ---- */

static uint64_t way_of(const search *x, const hsc_symbol *s) {
    size_t stub = hsc_linkage_of_stub(s->name);
    if (x->wanted ? s == x->wanted || is_part_of(s, x->wanted) : stub && !strncmp(s->name, x->name, stub) && !x->name[stub])
        return HSC_CODE_WANTED;
    return stub ? HSC_CODE_OTHERS : 0;
}

uint64_t hsc_code_called_function(const hsc_code *c, uint64_t address) {
    const hsc_symbol *s = called_before(c, address);
    return s && !hsc_linkage_of_stub(s->name) ? s->lo : 0;
}

const char *hsc_code_function_at(const hsc_code *c, uint64_t address, bool exact, uint64_t *begin) {
    const hsc_symbol *s = hsc_code_symbol_at(c, exact || !address ? address : address - 1);
    *begin = s ? s->lo : 0;
    return s && !s->unnamed ? s->name : NULL;
}

bool hsc_code_find_way(const hsc_code *c, uint64_t address, const char *name, uint64_t begin, hsc_code_tail *out) {
    hsc_code_tail tails[HSC_CODE_TAILS_MAX];
    const hsc_symbol *s = called_before(c, address);
    search x = {.c = c, .operation = way_of, .name = name ? name : "", .on = {s}, .found = tails};
    x.wanted = begin ? hsc_code_symbol_at(c, begin) : NULL;
    if (!s || hsc_linkage_of_stub(s->name) || (begin && (!x.wanted || is_part_of(x.wanted, s))))
        return false;
    follow(&x, s, 0);
    if (x.failed)
        return false;
    for (size_t i = 0; i < x.n; i++)
        if (tails[i].operation == HSC_CODE_WANTED) {
            *out = tails[i];
            return true;
        }
    if (begin || !x.n) /* functions of libraries have other names inside: then by all ways out of the module */
        return false;
    *out = tails[0];
    return true;
}
