/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzz target: the text parser on any bytes; what it takes reads without a flaw and comes back the same. */
#include <stdio.h>
#include <stdlib.h>

#include "../../../formats/stream_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct text {
    char *p;
    size_t n, capacity;
} text;

static hsc_status keep(void *ctx, const char *piece, size_t n, hsc_err *err) {
    text *t = ctx;
    (void)err;
    if (t->capacity - t->n < n) {
        t->capacity = t->capacity * 2 + n;
        t->p = realloc(t->p, t->capacity);
        if (!t->p)
            abort();
    }
    memcpy(t->p + t->n, piece, n);
    t->n += n;
    return HSC_OK;
}

static void expect(int truth, const char *what, const hsc_err *err) {
    if (!truth) {
        fprintf(stderr, "text_fuzz: %s: %s\n", what, err->text);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *bytes = NULL, *again = NULL;
    size_t n, n_again;
    text t = {0};
    hsc_err err = {0};
    hsc_reader *r = NULL;
    hsc_reader_counts c;
    if (hsc_text_parse_limited((const char *)data, size, "text", 1u << 20, &bytes, &n, &err)) {
        expect(err.status && err.text[0] && !bytes, "no message", &err);
        return 0;
    }
    if (n) {
        expect(!hsc_reader_open_memory(bytes, n, "fuzz", &r, &err), "unreadable", &err);
        expect(!hsc_text_dump(r, keep, &t, &err), "no dump", &err);
        hsc_reader_get_counts(r, &c);
        expect(!c.chunks_bad && !c.records_bad && !c.bytes_skipped, hsc_reader_get_first_problem(r), &err);
        hsc_reader_close(r);
        expect(!hsc_text_parse_limited(t.p, t.n, "text", 1u << 20, &again, &n_again, &err), "not parsed again", &err);
        expect(n == n_again && !memcmp(bytes, again, n), "not the same bytes again", &err);
    }
    free(t.p);
    free(bytes);
    free(again);
    return 0;
}
