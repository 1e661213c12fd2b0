/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzz target: any bytes as the record of what a database was made from. The first byte: even: they are the file; odd: they follow a
 * head with the right seal, as only the user's own heatscope could write it. Nothing may be taken for the database of this join. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "made.h"
#include "parcel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct head { /* made.c */
    char magic[16];
    hsc_seal program, all;
    uint64_t size;
} head;

static char folder[64], output[96], record[96];

static void clean(void) {
    unlink(output);
    unlink(record);
    rmdir(folder);
}

static void write_file(const char *path, const void *a, size_t n, const void *b, size_t m) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(a, 1, n, f) != n || fwrite(b, 1, m, f) != m || fclose(f))
        abort();
}

static void begin(void) {
    snprintf(folder, sizeof folder, "/tmp/heatscope-made-fuzz-XXXXXX");
    if (!mkdtemp(folder))
        abort();
    snprintf(output, sizeof output, "%s/x.h5", folder);
    snprintf(record, sizeof record, "%s/.x.h5.made", folder);
    write_file(output, "database", 8, "", 0);
    atexit(clean);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const inputs[] = {"nowhere"};
    hsc_seal_key key = {{1, 2}};
    hsc_seal program = {{3, 4}};
    hsc_join_summary summary = {0};
    hsc_err err = {0};
    if (!folder[0])
        begin();
    const hsc_join_options options = {.inputs = inputs, .input_count = 1, .output = output};
    join j = {.options = &options, .workers = 1, .summary = &summary, .key = &key, .program = &program};
    if (!size || size > 1 << 20)
        return 0;
    if (data[0] & 1) {
        head h = {.magic = "heatscope made", .program = program, .size = size - 1};
        hsc_sealer s;
        hsc_made_begin_seal(&j, &s, HSC_SEAL_MADE, NULL);
        hsc_seal_add(&s, &h, sizeof h);
        hsc_seal_add(&s, data + 1, size - 1);
        h.all = hsc_seal_end(&s);
        write_file(record, &h, sizeof h, data + 1, size - 1);
    } else {
        write_file(record, data + 1, size - 1, "", 0);
    }
    if (hsc_made_open(&j, &err) != HSC_OK || j.is_made || summary.is_unchanged || (data[0] & 1) == (summary.cache_note[0] != 0)) {
        fprintf(stderr, "made_fuzz: taken: %d, said '%s'\n", j.is_made, summary.cache_note);
        abort();
    }
    const hsc_packed_memo *memo = hsc_made_get_memo(&j);
    hsc_packed_chunk c;
    uint8_t *packed = memo->find(memo->ctx, data, size, size, 1, false, &c);
    if (packed)
        abort();
    hsc_made_free(&j);
    free(j.sealed);
    hsc_pool_fini(&j.pool);
    return 0;
}
