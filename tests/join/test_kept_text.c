/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions that are kept of a module: what is put is found, later pieces are added; and any number of what was kept changed, under a right seal: either
 * it is refused or its instructions cover their pieces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "instructions.h"

enum { PIECES = 4, ROWS = 9 };
static uint8_t *kept;
static size_t kept_size;
static unsigned put_count;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static uint8_t *get(void *ctx, const hsc_code_spec *spec, hsc_pool *pool, hsc_looks *looks, size_t *n) {
    (void)ctx, (void)spec;
    hsc_looks_add(looks, pool, "/dev/null");
    uint8_t *bytes = kept ? malloc(kept_size + 1) : NULL;
    if (bytes)
        memcpy(bytes, kept, kept_size);
    *n = kept_size;
    return bytes;
}

static void put(void *ctx, const hsc_code_spec *spec, const hsc_looks *looks, const uint8_t *bytes, size_t n) {
    (void)ctx, (void)spec, (void)looks;
    free(kept);
    kept = malloc(n + 1);
    if (!kept)
        fail("no memory");
    memcpy(kept, bytes, n);
    kept_size = n;
    put_count++;
}

static uint64_t begin_of(unsigned piece) { return 0x1000 + 0x100 * (uint64_t)piece; }

/* Pieces [0, n), of which those that are not known are added. How many were known; all of them have sound instructions. */
static unsigned go(const join *j, const jmodule *m, unsigned n) {
    hsc_pool pool = {0};
    jkept_text *k = hsc_kept_text_open(j, m, &pool);
    unsigned known = 0;
    if (!k)
        fail("nothing may be kept");
    for (unsigned p = 0; p < n; p++) {
        uint64_t at = begin_of(p), end = at + ROWS * (ROWS + 1) / 2;
        const jtext_row *row = hsc_kept_text_find(k, at, end);
        known += row != NULL;
        if (!row)
            hsc_kept_text_begin(k, at, end);
        for (unsigned i = 1; !row && i <= ROWS; i++) {
            hsc_instruction one = {.size = i, .flow = HSC_FLOW_CALL, .target = at};
            snprintf(one.text, sizeof one.text, "call\t%u", i % 5);
            const char *text = hsc_pool_intern(&pool, one.text, strlen(one.text));
            if (!text)
                fail("no memory");
            hsc_kept_text_add(k, &one, text);
        }
        for (; row && at < end; at += row++->size)
            if (!row->size || row->flow > HSC_FLOW_STOP || strlen(hsc_kept_text_get(k, row)) > kept_size)
                fail("an instruction that is none");
        if (row && at != end)
            fail("instructions that do not cover their piece");
    }
    hsc_kept_text_close(k);
    hsc_pool_fini(&pool);
    return known;
}

int main(void) {
    struct { hsc_code_keeper keeper; } keeper = {{NULL, get, put}}; /* as kept_code.c begins */
    const hsc_join_options options = {.workers = 1};
    join j = {.options = &options, .kept_code = (struct jkept_code *)&keeper};
    jmodule m = {.path = "/proc/self/exe"};
    const hsc_code_spec spec = {.path = m.path};
    hsc_err err;
    if (hsc_code_open(&spec, &m.code, &err) != HSC_OK)
        fail("the module cannot be read");
    hsc_disassembler_set_file("/dev/null");
    if (go(&j, &m, 2) != 0 || put_count != 1 || go(&j, &m, 2) != 2 || put_count != 1 || go(&j, &m, PIECES) != 2 || put_count != 2 || go(&j, &m, PIECES) != PIECES || put_count != 2)
        fail("what was put is not found, or put again");
    uint8_t *good = malloc(kept_size);
    size_t size = kept_size, refused = 0, taken = 0;
    if (!good)
        fail("no memory");
    memcpy(good, kept, size);
    for (size_t at = 0; at < size; at++)
        for (unsigned v = 0; v < 6; v++) {
            static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
            put(NULL, NULL, NULL, good, size);
            kept[at] = values[v];
            *(go(&j, &m, PIECES) == PIECES ? &taken : &refused) += 1;
        }
    for (size_t n = 0; n < size; n++) {
        put(NULL, NULL, NULL, good, n);
        if (go(&j, &m, PIECES))
            fail("what is cut is taken");
    }
    printf("%zu bytes: %zu changes refused, %zu taken\n", size, refused, taken);
    free(good);
    free(kept);
    hsc_code_close(m.code);
    return !refused || !taken;
}
