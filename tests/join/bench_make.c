/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* bench_make DIR MODULE FILES SAMPLES NODES [SITES [LATE]]: simulated measurement files for speed tests of the join. Each has one thread,
 * NODES call-path nodes at random addresses of the first executable section of MODULE, SAMPLES samples, and so many places that pass
 * messages, of two sizes each, and wait. Before sample LATE of each only half of the nodes have any, and some stand for several
 * periods. */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heatscope/formats/stream.h>

#include "measurement.h"

static bool find_text(const char *elf_path, uint64_t *lo, uint64_t *size) {
    int fd = open(elf_path, O_RDONLY);
    size_t names;
    elf_version(EV_CURRENT);
    Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    if (!elf || elf_getshdrstrndx(elf, &names))
        return false;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
        GElf_Shdr h;
        if (gelf_getshdr(s, &h) && !strcmp(elf_strptr(elf, names, h.sh_name), ".text")) {
            *lo = h.sh_addr;
            *size = h.sh_size;
            return true;
        }
    }
    return false;
}

static hsc_str text(const char *s) {
    return (hsc_str){s, strlen(s)};
}

/* At node k + 1: 1000 calls of each size, some of them long, and 1000 waits. */
static void put_sites(hsc_buffer_writer *w, uint64_t sites, uint64_t file, uint64_t time) {
    static const uint64_t sizes[] = {10, 500, 400, 100}, durations[] = {8, 300, 400, 200, 50, 25, 15, 6, 4}, buckets[] = {700, 200, 80, 20};
    if (sites)
        hsc_buffer_writer_put(w, HSC_REC_operation, &(hsc_rec_operation){.operation_id = 1, .name = text("MPI_Send"), .kind = HSC_operation_class_SEND,
                                                                         .state = HSC_state_COMMUNICATION}, NULL);
    for (uint64_t k = 0; k < sites; k++) {
        for (uint64_t size = 1; size <= 2; size++)
            hsc_buffer_writer_put(w, HSC_REC_message_summary,
                                  &(hsc_rec_message_summary){.time = time, .thread_id = 1, .node_id = k + 1, .operation_id = 1, .peer_class = 1,
                                                             .size_class = size + 1, .calls = 1000, .sent_messages = 1000, .sent_bytes = 700000 * size,
                                                             .size_min = 512, .size_max = 4096, .size_squares = 6e8, .size_histogram = {sizes, 4},
                                                             .duration_ns = 900000 + file, .duration_min = 100, .duration_max = 60000,
                                                             .duration_squares = 1e12, .duration_histogram = {durations, 9}}, NULL);
        hsc_buffer_writer_put(w, HSC_REC_wait, &(hsc_rec_wait){.time = time, .node_id = k + 1, .kind = HSC_wait_kind_READ, .count = 1000,
                                                               .total_ns = 5000000 + file, .max_ns = 90000, .bytes = 4096, .bucket = 10,
                                                               .buckets = {buckets, 4}}, NULL);
    }
}

int main(int argc, char **argv) {
    uint64_t lo, size;
    char module[4096];
    if (argc < 6 || argc > 8 || !realpath(argv[2], module) || !find_text(module, &lo, &size)) {
        fprintf(stderr, "usage: bench_make DIR MODULE FILES SAMPLES NODES [SITES [LATE]]\n");
        return 2;
    }
    mkdir(argv[1], 0777);
    uint64_t files = strtoull(argv[3], NULL, 10), samples = strtoull(argv[4], NULL, 10), nodes = strtoull(argv[5], NULL, 10);
    uint64_t sites = argc > 6 ? strtoull(argv[6], NULL, 10) : 0, late = argc > 7 ? strtoull(argv[7], NULL, 10) : 0;
    for (uint64_t f = 0; f < files; f++) {
        char file[5000];
        snprintf(file, sizeof file, "%s/sim.%" PRIu64 ".hsr", argv[1], f);
        FILE *out = fopen(file, "wb");
        if (!out)
            return 1;
        hsc_buffer_writer *w = hsc_buffer_writer_new(HSC_CHUNK_DYNAMIC, 0, true, NULL);
        hsc_str arguments[] = {text("simulated")};
        hsc_buffer_writer_put(w, HSC_REC_process,
                              &(hsc_rec_process){.pid = 100 + f, .rank = (int64_t)f, .ranks = files, .host = text("simulated"),
                                                 .executable = text(module), .arguments = {arguments, 1}, .start_unix_ns = 1700000000000000000u,
                                                 .start_ns = 1000, .mechanism = text("simulated"), .period_ns = 1000000,
                                                 .directory = text("/"), .runtime_version = text("simulated"), .job = text("")}, NULL);
        hsc_buffer_writer_put(w, HSC_REC_mapping, &(hsc_rec_mapping){.mapping_id = 1, .size = lo + size, .path = text(module), .time = 1000}, NULL);
        const uint8_t *bytes;
        size_t n;
        hsc_buffer_writer_get_bytes(w, &bytes, &n, NULL);
        fwrite(bytes, 1, n, out);
        hsc_buffer_writer_free(w);
        w = hsc_buffer_writer_new(HSC_CHUNK_DYNAMIC, 1, false, NULL);
        uint64_t seed = 11, own = f + 1, time = 1000;
        hsc_buffer_writer_put(w, HSC_REC_thread, &(hsc_rec_thread){.thread_id = 1, .tid = 100 + f, .time = time, .name = text("t")}, NULL);
        for (uint64_t k = 1; k <= nodes; k++) {
            uint64_t inner = k > 10 && random_next(&seed) % 3 ? 1 : 0; /* callers are among the first tenth */
            uint64_t parent = k == 1 ? 0 : 1 + random_next(&seed) % (k > 10 ? k / 10 : 1);
            hsc_buffer_writer_put(w, HSC_REC_node,
                                  &(hsc_rec_node){.node_id = k, .parent_id = parent, .mapping_id = 1, .address = lo + random_next(&seed) % size,
                                                  .flags = inner ? HSC_node_flag_EXACT : 0}, NULL);
        }
        for (uint64_t k = 0; k < samples; k++) {
            uint64_t r = random_next(&own), at = 1 + (k < late ? r % nodes / 2 * 2 : r % nodes) * ((r >> 32) % 1000) / 1000;
            at = k < late ? (at + 1) / 2 * 2 - 1 : at;
            time += 1000000;
            if (late && k % 997 == 5)
                hsc_buffer_writer_put(w, HSC_REC_sample_weighted, &(hsc_rec_sample_weighted){.time = time, .node_id = at, .weight = 1 + k % 4}, NULL);
            else
                hsc_buffer_writer_put(w, HSC_REC_sample, &(hsc_rec_sample){.time = time, .node_id = at}, NULL);
        }
        put_sites(w, sites < nodes ? sites : nodes, f, time);
        hsc_buffer_writer_put(w, HSC_REC_progress,
                              &(hsc_rec_progress){.thread_id = 1, .time = time, .cpu_ns = samples * 1000000, .samples = samples, .ended = 1}, NULL);
        hsc_buffer_writer_put(w, HSC_REC_process_end, &(hsc_rec_process_end){.time = time, .cpu_ns = samples * 1000000, .how = HSC_end_kind_EXIT}, NULL);
        hsc_buffer_writer_get_bytes(w, &bytes, &n, NULL);
        fwrite(bytes, 1, n, out);
        hsc_buffer_writer_free(w);
        fclose(out);
    }
    return 0;
}
