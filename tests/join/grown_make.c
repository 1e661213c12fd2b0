/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* grown_make FILE MODULE WHAT THREADS SAMPLES: a simulated measurement of one process whose threads write a chunk each in turn, so that a first part of it is what it was
 * before it grew. WHAT: letters of what there is beside samples: r regions of OpenMP, R such that are told long after others had samples in them, e samples of an event, l waits for locks, m messages of the first thread. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/stream.h>

#include "measurement.h"

enum { NODES = 40, SOME = 4096, REGION = 300, LATE = 300, /* LATE: regions */ PERIOD_NS = 1000000, TEXT = 0x2000, TEXT_BYTES = 0x1000, THREADS = 64, MODULE = 1 << 14 };

static hsc_str text(const char *s) { return (hsc_str){s, strlen(s)}; }

typedef struct stream {
    hsc_buffer_writer *w;
    size_t written;
} stream;

static void put(stream *s, uint32_t id, const void *record) {
    if (hsc_buffer_writer_put(s->w, id, record, NULL) != HSC_OK)
        exit(1);
}

static void write_new(stream *s, FILE *out) {
    const uint8_t *bytes;
    size_t n;
    if (hsc_buffer_writer_get_bytes(s->w, &bytes, &n, NULL) != HSC_OK || fwrite(bytes + s->written, 1, n - s->written, out) != n - s->written)
        exit(1);
    s->written = n;
}

static void put_thread(stream *s, uint64_t id, const char *what, uint64_t *seed) {
    put(s, HSC_REC_thread, &(hsc_rec_thread){.thread_id = id, .tid = 100 + id, .time = 1000, .name = text("t")});
    for (uint64_t k = 1; k <= NODES; k++)
        put(s, HSC_REC_node, &(hsc_rec_node){.node_id = k, .parent_id = k == 1 ? 0 : 1 + random_next(seed) % (k / 4 + 1) % (k - 1), .mapping_id = 1, .address = TEXT + random_next(seed) % TEXT_BYTES});
    if (strchr(what, 'm') && id == 1)
        put(s, HSC_REC_operation, &(hsc_rec_operation){.operation_id = 1, .name = text("MPI_Send"), .kind = HSC_operation_class_SEND, .state = HSC_state_COMMUNICATION});
}

/* Samples [first, first + SOME) of the thread, which come every period. */
static void put_samples(stream *s, uint64_t id, const char *what, uint64_t first, uint64_t *seed) {
    const bool regions = strchr(what, 'r') || strchr(what, 'R');
    uint64_t told = 0, late = strchr(what, 'R') ? LATE : 1;
    for (uint64_t k = first; k < first + SOME; k++) {
        uint64_t time = 1000 + k * PERIOD_NS + id, node = 1 + random_next(seed) % NODES, region = 1 + k / REGION;
        if (regions && id > 1 && region != told && region % 3)
            put(s, HSC_REC_region_work, &(hsc_rec_region_work){.region_id = told = region});
        if (regions && id == 1 && k % REGION == 0 && region > late) /* told when it is over */
            put(s, HSC_REC_region, &(hsc_rec_region){.region_id = region - late, .node_id = 1 + region % 5, .threads = THREADS});
        if (strchr(what, 'e') && k % 7 == 0)
            put(s, HSC_REC_sample_weighted, &(hsc_rec_sample_weighted){.time = time, .node_id = node, .weight = 1 + k % 3, .event_id = 1});
        if (strchr(what, 'l') && id == 2 && k % 250 == 40)
            put(s, HSC_REC_wait_interval, &(hsc_rec_wait_interval){.time = time, .duration_ns = 30 * PERIOD_NS, .node_id = 3, .kind = HSC_wait_kind_MUTEX, .holder_thread_id = 1,
                                                                   .holder_node_id = 4, .stands_for_ns = 30 * PERIOD_NS});
        if (strchr(what, 'm') && id == 1 && k % 500 == 40)
            put(s, HSC_REC_message_event, &(hsc_rec_message_event){.time = time - 2 * PERIOD_NS, .duration_ns = 2 * PERIOD_NS, .node_id = 2, .operation_id = 1, .peer = -1, .tag = -1});
        put(s, HSC_REC_sample, &(hsc_rec_sample){.time = time, .node_id = node});
    }
}

int main(int argc, char **argv) {
    static stream streams[THREADS + 1];
    static char module[MODULE];
    const char *what = argc == 6 ? argv[3] : "";
    uint64_t threads = argc == 6 ? strtoull(argv[4], NULL, 10) : 0, samples = argc == 6 ? strtoull(argv[5], NULL, 10) : 0;
    FILE *out = argc == 6 && threads && threads <= THREADS && realpath(argv[2], module) ? fopen(argv[1], "wb") : NULL;
    if (!out) {
        fprintf(stderr, "usage: grown_make FILE MODULE WHAT THREADS SAMPLES\n");
        return 2;
    }
    for (uint64_t id = 0; id <= threads; id++)
        if (!(streams[id].w = hsc_buffer_writer_new(HSC_CHUNK_DYNAMIC, (uint32_t)id, !id, NULL)))
            return 1;
    hsc_str arguments[] = {text("simulated")};
    put(streams, HSC_REC_process, &(hsc_rec_process){.pid = 100, .rank = strchr(what, 'm') ? 0 : -1, .ranks = 1, .host = text("simulated"), .executable = text(module), .arguments = {arguments, 1},
                                                     .start_unix_ns = 1700000000000000000u, .start_ns = 1000, .mechanism = text("simulated"), .period_ns = PERIOD_NS,
                                                     .directory = text("/"), .runtime_version = text("simulated"), .job = text("")});
    put(streams, HSC_REC_mapping, &(hsc_rec_mapping){.mapping_id = 1, .size = TEXT + TEXT_BYTES, .path = text(module), .time = 1000});
    if (strchr(what, 'e'))
        put(streams, HSC_REC_event, &(hsc_rec_event){.event_id = 1, .name = text("page-faults"), .unit = text("fault"), .period = 3});
    write_new(streams, out);
    uint64_t seed = 11;
    for (uint64_t id = 1; id <= threads; id++)
        put_thread(&streams[id], id, what, &seed);
    for (uint64_t first = 0; first + SOME <= samples; first += SOME)
        for (uint64_t id = threads; id; id--) { /* who forks regions tells them after others have had samples in them */
            put_samples(&streams[id], id, what, first, &seed);
            put(&streams[id], HSC_REC_progress, &(hsc_rec_progress){.thread_id = id, .time = 1000 + (first + SOME) * PERIOD_NS, .cpu_ns = (first + SOME) * PERIOD_NS, .samples = first + SOME});
            write_new(&streams[id], out);
        }
    for (uint64_t id = 0; id <= threads; id++)
        hsc_buffer_writer_free(streams[id].w);
    return fclose(out) != 0;
}
