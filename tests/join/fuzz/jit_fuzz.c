/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzz target: any bytes as a perf map or a jitdump. What is found at an address is a place of the file, and has its key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];

static void clean(void) { unlink(path); }

static bool look(void *ctx, const hsc_jit_place *p) {
    hsc_table *keys = ctx;
    uint32_t *at = hsc_table_at(keys, hsc_jit_place_key(p), 0);
    if (!p->name[0] || !p->file || !p->at_file || hsc_jit_place_key(p) & 1 || !at)
        abort();
    *at = 1;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint64_t some[] = {0, 1, 0x1000, 0x1008, 0x2000, UINT64_MAX - 1, UINT64_MAX};
    hsc_table keys = {0};
    hsc_jit_place p;
    if (!path[0]) {
        snprintf(path, sizeof path, "/tmp/heatscope-jit-fuzz-%ld", (long)getpid());
        atexit(clean);
    }
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f))
        abort();
    hsc_jit_map *m = hsc_jit_map_new();
    if (!m || !hsc_jit_map_read(m, path, geteuid()) || !hsc_jit_map_read(m, path, geteuid()) || !hsc_jit_map_settle(m) || !hsc_jit_map_each(m, look, &keys))
        abort();
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (hsc_jit_map_find(m, some[i], &p) && hsc_table_get(&keys, hsc_jit_place_key(&p), 0) == HSC_NO_INDEX)
            abort();
    hsc_jit_map_free(m);
    hsc_table_fini(&keys);
    return 0;
}
