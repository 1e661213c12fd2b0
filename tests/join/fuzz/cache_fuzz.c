/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzz target: any bytes as the cache of a join. The first byte says where they stand:
 *   0  they are the file; it must be refused
 *   1  they are the end of a file with the right seals, as only the user's own heatscope could write it. SEAL-OF-THE-FILE becomes
 *      the seal of the one measurement file that there is, so that it may be found there
 *   2  they are what a second reading left of a process of two threads
 *   3  they are the samples by time of a thread, of as many as the second byte says
 * Nothing may crash, and where something is wrong the file is read again. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct head { /* cache.c */
    char magic[16];
    uint64_t nonce[2];
    hsc_seal program;
    uint64_t end_offset, end_size;
    hsc_seal end;
} head;

static char folder[64], output[96], cache[96], made[96], key[96], file[96];

static void clean(void) {
    const char *const all[] = {output, cache, made, key, file};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        unlink(all[i]);
    rmdir(folder);
}

static void write_file(const char *path, const void *a, size_t n, const void *b, size_t m) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, a, n) != (ssize_t)n || write(fd, b, m) != (ssize_t)m || close(fd))
        abort();
}

static void begin(void) {
    snprintf(folder, sizeof folder, "/tmp/heatscope-cache-fuzz-XXXXXX");
    if (!mkdtemp(folder))
        abort();
    snprintf(output, sizeof output, "%s/x.h5", folder);
    snprintf(cache, sizeof cache, "%s/.x.h5.cache", folder);
    snprintf(made, sizeof made, "%s/.x.h5.made", folder);
    snprintf(key, sizeof key, "%s/key", folder);
    snprintf(file, sizeof file, "%s/x.hsr", folder);
    write_file(key, "0123456789abcdef", sizeof(hsc_seal_key), "", 0);
    write_file(file, "measured", 8, "", 0);
    atexit(clean);
}

static join begin_join(const hsc_join_options *options, hsc_join_summary *summary, hsc_spill *spill) {
    hsc_err err;
    join j = {.options = options, .workers = 1, .summary = summary, .spill = spill};
    hsc_spill_init(spill, output);
    pthread_mutex_init(&j.lock, NULL);
    pthread_rwlock_init(&j.tables, NULL);
    *summary = (hsc_join_summary){0};
    if (!HSC_PUSH(j.processes, (jprocess){.path = file}) || hsc_cache_open(&j, &err) != HSC_OK || !j.cache)
        abort();
    return j;
}

static void end_join(join *j) {
    for (size_t i = 0; i < j->processes.n; i++)
        hsc_join_free_process(&j->processes.p[i]);
    hsc_cache_free(j);
    void *const arrays[] = {j->processes.p, j->met.p, j->addresses.p, j->frames.p, j->run.p};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    hsc_table_fini(&j->met_rows);
    hsc_table_fini(&j->address_rows);
    hsc_table_fini(&j->frame_rows);
    pthread_mutex_destroy(&j->lock);
    pthread_rwlock_destroy(&j->tables);
    hsc_pool_fini(&j->pool);
    hsc_spill_fini(j->spill);
}

/* A head, the process's body and an end, all sealed. */
static void write_sealed(join *j, const uint8_t *data, size_t size) {
    static const char wanted[] = "SEAL-OF-THE-FILE";
    head h = {.magic = "heatscope cache", .nonce = {5, 6}, .program = *j->program, .end_offset = sizeof h, .end_size = size};
    uint8_t *end = malloc(size + 1);
    hsc_sealer s;
    if (!end)
        abort();
    memcpy(end, data, size);
    for (size_t i = 0; i + sizeof wanted - 1 <= size; i++)
        if (!memcmp(end + i, wanted, sizeof wanted - 1))
            memcpy(end + i, &j->sealed[0].seal, sizeof(hsc_seal));
    hsc_made_begin_seal(j, &s, HSC_SEAL_END, h.nonce);
    hsc_seal_add(&s, &h, sizeof h);
    hsc_seal_add(&s, end, size);
    h.end = hsc_seal_end(&s);
    write_file(cache, &h, sizeof h, end, size);
    free(end);
}

/* All that a join asks a cache before it counts. */
static void ask(const hsc_join_options *options, hsc_join_summary *summary, bool is_foreign) {
    hsc_spill spill;
    hsc_err err;
    join j = begin_join(options, summary, &spill);
    bool taken = hsc_cache_take_first(&j, &j.processes.p[0]);
    if (is_foreign && (taken || !summary->cache_note[0]))
        abort();
    j.processes.p[0].samples = 1;
    if (hsc_cache_end_first(&j, &err) != HSC_OK || !HSC_PUSH(j.run, &j.processes.p[0]))
        abort();
    hsc_cache_choose(&j);
    jprocess read = {.path = file, .known = &j.processes.p[0]};
    hsc_cache_take_second(&j, &j.processes.p[0], &read);
    hsc_join_free_process(&read);
    end_join(&j);
}

static void take_body(const hsc_join_options *options, hsc_join_summary *summary, const uint8_t *data, size_t size) {
    static const uint32_t frames[4] = {0, HSC_NO_INDEX, 1, 2};
    hsc_spill spill;
    join j = begin_join(options, summary, &spill);
    jprocess *p = &j.processes.p[0], read = {.path = file, .known = p, .join = &j};
    parcel a = {.p = malloc(size + 1), .n = size, .cap = size + 1};
    if (!a.p || !HSC_PUSH(p->threads, (jthread){.id = 1}) || !HSC_PUSH(p->threads, (jthread){.id = 2}))
        abort();
    memcpy(a.p, data, size);
    hsc_cache_take_body(&j, p, &read, frames, sizeof frames / sizeof *frames, &a);
    parcel_fini(&a);
    hsc_join_free_process(&read);
    end_join(&j);
}

static void take_instants(const hsc_join_options *options, hsc_join_summary *summary, const uint8_t *data, size_t size) {
    hsc_spill spill;
    join j = begin_join(options, summary, &spill);
    jthread t = {.late = calloc(1, sizeof *t.late), .instants.count = size ? data[0] : 0};
    parcel a = {.p = malloc(size + 1), .n = size ? size - 1 : 0, .cap = size + 1};
    if (!a.p || !t.late)
        abort();
    *t.late = (jlate){.nodes = 3, .specials = 2};
    memcpy(a.p, data + (size > 0), a.n);
    hsc_cache_take_instants(&j, &t, &a);
    hsc_instants_fini(&t.instants);
    free(t.late);
    parcel_fini(&a);
    end_join(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *inputs[1];
    hsc_join_summary summary;
    hsc_spill spill;
    if (!folder[0])
        begin();
    inputs[0] = folder;
    const hsc_join_options options = {.inputs = inputs, .input_count = 1, .output = output, .cache = HSC_CACHE_ON, .cache_key = key};
    if (!size || size > 1 << 20)
        return 0;
    unlink(cache);
    if (data[0] == 1) {
        join j = begin_join(&options, &summary, &spill);
        write_sealed(&j, data + 1, size - 1);
        end_join(&j);
        ask(&options, &summary, false);
    } else if (data[0] == 2) {
        take_body(&options, &summary, data + 1, size - 1);
    } else if (data[0] == 3) {
        take_instants(&options, &summary, data + 1, size - 1);
    } else {
        write_file(cache, data + 1, size - 1, "", 0);
        ask(&options, &summary, true);
    }
    return 0;
}
