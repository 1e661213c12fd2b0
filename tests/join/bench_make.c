/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* bench_make DIR MODULE FILES SAMPLES NODES: simulated measurement files for speed tests of the join. Each has one thread,
 * NODES call-path nodes at random addresses of the first executable section of MODULE, and SAMPLES samples. */
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

int main(int argc, char **argv) {
    uint64_t lo, size;
    char module[4096];
    if (argc != 6 || !realpath(argv[2], module) || !find_text(module, &lo, &size)) {
        fprintf(stderr, "usage: bench_make DIR MODULE FILES SAMPLES NODES\n");
        return 2;
    }
    mkdir(argv[1], 0777);
    uint64_t files = strtoull(argv[3], NULL, 10), samples = strtoull(argv[4], NULL, 10), nodes = strtoull(argv[5], NULL, 10);
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
            uint64_t r = random_next(&own), at = 1 + (r % nodes) * ((r >> 32) % 1000) / 1000;
            hsc_buffer_writer_put(w, HSC_REC_sample, &(hsc_rec_sample){.time = time += 1000000, .node_id = at}, NULL);
        }
        hsc_buffer_writer_put(w, HSC_REC_progress,
                              &(hsc_rec_progress){.thread_id = 1, .time = time, .cpu_ns = samples * 1000000, .samples = samples, .ended = 1}, NULL);
        hsc_buffer_writer_get_bytes(w, &bytes, &n, NULL);
        fwrite(bytes, 1, n, out);
        hsc_buffer_writer_free(w);
        fclose(out);
    }
    return 0;
}
