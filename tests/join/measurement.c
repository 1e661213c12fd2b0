/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Synthetic measurement files. */
#include "measurement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/stream.h>

uint64_t random_next(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

void truth_make(process_truth *p, int rank, unsigned threads, uint64_t seed) {
    *p = (process_truth){.rank = rank, .pid = 1000 + (unsigned)rank, .thread_count = threads, .period_ns = 1000000};
    for (unsigned t = 0; t < threads; t++) {
        thread_truth *at = &p->threads[t];
        at->path_count = 1 + (unsigned)(random_next(&seed) % (PATHS_MAX - 1));
        for (unsigned i = 0; i < at->path_count; i++) {
            path *q = &at->paths[i];
            q->depth = 1 + (unsigned)(random_next(&seed) % DEPTH_MAX);
            for (unsigned d = 0; d < q->depth; d++)
                q->procedure[d] = (uint8_t)(random_next(&seed) % PROCEDURES);
            q->count = 1 + (unsigned)(random_next(&seed) % 50);
            q->state = (unsigned)(random_next(&seed) % 8);
            at->samples += q->count;
        }
        at->no_path = random_next(&seed) % 5;
        at->samples += at->no_path;
        at->lost = random_next(&seed) % 7;
    }
}

static void put(hsc_buffer_writer *w, uint32_t id, const void *record) {
    hsc_err err = {0};
    if (hsc_buffer_writer_put(w, id, record, &err) != HSC_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

static hsc_str text(const char *s) {
    return (hsc_str){s, strlen(s)};
}

static void take_bytes(hsc_buffer_writer *w, FILE *f) {
    const uint8_t *bytes;
    size_t n;
    hsc_err err = {0};
    if (hsc_buffer_writer_get_bytes(w, &bytes, &n, &err) != HSC_OK || fwrite(bytes, 1, n, f) != n) {
        fprintf(stderr, "cannot write: %s\n", err.text);
        exit(1);
    }
    hsc_buffer_writer_free(w);
}

typedef struct tree {
    uint64_t parent[4096];
    uint64_t address[4096];
    unsigned exact[4096];
    uint64_t n;
} tree;

static uint64_t node(tree *t, hsc_buffer_writer *w, uint64_t parent, uint64_t address, unsigned exact) {
    for (uint64_t i = 1; i <= t->n; i++)
        if (t->parent[i] == parent && t->address[i] == address && t->exact[i] == exact)
            return i;
    uint64_t id = ++t->n;
    t->parent[id] = parent;
    t->address[id] = address;
    t->exact[id] = exact;
    put(w, HSC_REC_node,
        &(hsc_rec_node){.node_id = id, .parent_id = parent, .mapping_id = 1, .address = address,
                        .flags = exact ? HSC_node_flag_EXACT : 0});
    return id;
}

static void write_thread(FILE *f, const process_truth *p, unsigned index, const target *where) {
    const thread_truth *truth = &p->threads[index];
    hsc_buffer_writer *w = hsc_buffer_writer_new(HSC_CHUNK_DYNAMIC, index + 1, false, NULL);
    static tree nodes;
    nodes.n = 0;
    uint64_t time = 5000000;
    put(w, HSC_REC_thread, &(hsc_rec_thread){.thread_id = index + 1, .tid = p->pid + index, .time = time, .name = text("t")});
    for (unsigned i = 0; i < truth->path_count; i++) {
        const path *q = &truth->paths[i];
        uint64_t id = 0;
        for (unsigned d = 0; d < q->depth; d++) { /* frames above the leaf hold return addresses, 2 bytes in */
            unsigned exact = d + 1 == q->depth;
            id = node(&nodes, w, id, where->address[q->procedure[d]] + (exact ? 0 : 2), exact);
        }
        unsigned plain = q->count / 2;
        for (unsigned k = 0; k < plain; k++)
            put(w, HSC_REC_sample, &(hsc_rec_sample){.time = time += p->period_ns, .node_id = id, .state = q->state});
        put(w, HSC_REC_sample_weighted,
            &(hsc_rec_sample_weighted){.time = time += p->period_ns, .node_id = id, .state = q->state, .weight = q->count - plain});
    }
    for (uint64_t k = 0; k < truth->no_path; k++)
        put(w, HSC_REC_sample, &(hsc_rec_sample){.time = time += p->period_ns});
    for (uint64_t k = 0; truth->lost && k < 2; k++) /* so far: the last one counts */
        put(w, HSC_REC_loss, &(hsc_rec_loss){.thread_id = index + 1, .time = time - k, .count = (truth->lost - 1) / (k + 1), .reason = HSC_loss_reason_KERNEL});
    put(w, HSC_REC_progress,
        &(hsc_rec_progress){.thread_id = index + 1, .time = time, .cpu_ns = (truth->samples + truth->lost) * p->period_ns + 1234,
                            .samples = truth->samples, .lost = truth->lost, .own_ns = 100, .ended = 1});
    if (index % 2 == 0) /* of the others the kernel has told nothing */
        for (uint64_t k = 1; k <= 2; k++) /* running totals: the last counts */
            put(w, HSC_REC_thread_usage,
                &(hsc_rec_thread_usage){.thread_id = index + 1, .time = time - 2 + k, .user_ns = 1000 * k, .system_ns = 500 * k, .minor_faults = 7 * k,
                                        .major_faults = k, .voluntary_switches = 3 * k, .involuntary_switches = 5 * k, .run_ns = 1500 * k,
                                        .runnable_ns = 250 * k});
    take_bytes(w, f);
}

void measurement_write(const char *dir, const char *name, const process_truth *p, const target *where) {
    char file[5000];
    snprintf(file, sizeof file, "%s/%s.hsr", dir, name);
    FILE *f = fopen(file, "wb");
    if (!f) {
        perror(file);
        exit(1);
    }
    hsc_buffer_writer *w = hsc_buffer_writer_new(HSC_CHUNK_DYNAMIC, 0, true, NULL);
    hsc_str arguments[] = {text(where->path), text("-x")};
    put(w, HSC_REC_process,
        &(hsc_rec_process){.pid = p->pid, .rank = p->rank, .ranks = 4, .host = text("host"), .executable = text(where->path),
                           .arguments = {arguments, 2}, .directory = text("/"), .start_unix_ns = 1700000000000000000u,
                           .start_ns = 1000000, .mechanism = text("synthetic"), .period_ns = p->period_ns, .processors = 4,
                           .runtime_version = text("test"), .job = text("")});
    put(w, HSC_REC_mapping,
        &(hsc_rec_mapping){.mapping_id = 1, .address = 0x10000, .size = 0x10000, .bias = 0x10000, .path = text(where->path),
                           .build_id = {where->build_id, where->build_id_size}, .time = 1000000});
    put(w, HSC_REC_event, &(hsc_rec_event){.event_id = 0, .name = text("cpu-time"), .unit = text("ns"), .period = (double)p->period_ns});
    take_bytes(w, f);
    for (unsigned t = 0; t < p->thread_count; t++)
        write_thread(f, p, t, where);
    w = hsc_buffer_writer_new(HSC_CHUNK_DYNAMIC, 0, false, NULL);
    put(w, HSC_REC_process_end, &(hsc_rec_process_end){.time = 9000000000u, .cpu_ns = 1, .how = HSC_end_kind_EXIT});
    take_bytes(w, f);
    fclose(f);
}

/* Tests write hundreds of databases that nobody reads after a power cut: no waiting for the disk. */
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) {
    (void)fd;
    return 0;
}
