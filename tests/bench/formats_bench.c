/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Measures what a sample record costs to write and to read, in CPU time and bytes. Judges nothing: formats_bench [SAMPLES] */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <heatscope/formats/stream.h>

#define ROUNDS 7

static double cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* 1000 Hz with some jitter; hot contexts most of the time, new ones now and then. */
static void make_samples(hsc_rec_sample *s, size_t n) {
    uint64_t random = 1, time_ns = 1000000000;
    for (size_t i = 0; i < n; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        time_ns += 1000000 + (random >> 40) % 4096;
        s[i] = (hsc_rec_sample){time_ns, (random >> 60) ? 100 + (random >> 50) % 16 : (random >> 45) % 5000, 1};
    }
}

static size_t write_samples(const hsc_rec_sample *s, size_t n, uint8_t *to, bool seal) {
    hsc_chunk_writer w;
    uint32_t sequence = 0;
    size_t at = 0;
    hsc_chunk_begin(&w, to, HSC_SLOT_BYTES, HSC_CHUNK_DYNAMIC, 1, sequence, s[0].time, 0);
    for (size_t i = 0; i < n; i++)
        while (hsc_chunk_put(&w, HSC_REC_sample, &s[i])) {
            if (seal)
                hsc_chunk_seal(to + at, false);
            at += HSC_SLOT_BYTES;
            hsc_chunk_begin(&w, to + at, HSC_SLOT_BYTES, HSC_CHUNK_DYNAMIC, 1, ++sequence, s[i].time, 0);
        }
    if (seal)
        hsc_chunk_seal(to + at, false);
    return at + HSC_SLOT_BYTES;
}

static double read_samples(hsc_reader *r, size_t n) {
    hsc_record record;
    uint64_t sum = 0;
    size_t seen = 0;
    double start = cpu_ns();
    while (hsc_reader_next(r, &record)) {
        sum += ((const hsc_rec_sample *)record.value)->node_id;
        seen++;
    }
    double took = cpu_ns() - start;
    if (seen != n || !sum)
        fprintf(stderr, "formats_bench: %zu of %zu samples read\n", seen, n);
    return took / (double)n;
}

static double least(double a, double b) {
    return a < b ? a : b;
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000000;
    if (!n) {
        fprintf(stderr, "usage: formats_bench [SAMPLES]\n");
        return 2;
    }
    hsc_rec_sample *s = malloc(n * sizeof *s);
    size_t capacity = (n / 2000 + 2) * HSC_SLOT_BYTES, size = 0;
    char path[] = "formats_bench_XXXXXX";
    int fd = mkstemp(path);
    uint8_t *memory = NULL;
    if (!s || fd < 0 || posix_fallocate(fd, 0, (off_t)capacity) || posix_memalign((void **)&memory, 64, capacity)) {
        perror("formats_bench");
        return 1;
    }
    uint8_t *file = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    make_samples(s, n);
    memset(memory, 0, capacity);
    double plain = 1e9, sealed = 1e9, mapped = 1e9, read_memory = 1e9, read_file = 1e9, crc = 1e9, crc_plain = 1e9, schema;
    for (int i = 0; i < ROUNDS; i++) {
        double start = cpu_ns();
        write_samples(s, n, memory, false);
        plain = least(plain, (cpu_ns() - start) / (double)n);
        start = cpu_ns();
        size = write_samples(s, n, memory, true);
        sealed = least(sealed, (cpu_ns() - start) / (double)n);
        start = cpu_ns();
        write_samples(s, n, file, false);
        mapped = least(mapped, (cpu_ns() - start) / (double)n);
        hsc_reader *r;
        hsc_err err = {0};
        if (hsc_reader_open_memory(memory, size, "memory", &r, &err)) {
            fprintf(stderr, "formats_bench: %s\n", err.text);
            return 1;
        }
        read_memory = least(read_memory, read_samples(r, n));
        hsc_reader_close(r);
        memcpy(file, memory, size);
        if (!i && ftruncate(fd, (off_t)size)) {
            perror("formats_bench");
            return 1;
        }
        if (hsc_reader_open(path, &r, &err)) {
            fprintf(stderr, "formats_bench: %s\n", err.text);
            return 1;
        }
        read_file = least(read_file, read_samples(r, n));
        hsc_reader_close(r);
        start = cpu_ns();
        uint32_t a = hsc_crc32c(0, memory, size);
        crc = least(crc, (cpu_ns() - start) / (double)size);
        start = cpu_ns();
        uint32_t b = hsc_crc32c_portable(0, memory, size);
        crc_plain = least(crc_plain, (cpu_ns() - start) / (double)size);
        if (a != b)
            fprintf(stderr, "formats_bench: the two CRCs differ\n");
    }
    uint8_t *chunk = memory;
    double start = cpu_ns();
    for (int i = 0; i < 100; i++)
        hsc_schema_chunk(chunk, capacity);
    schema = (cpu_ns() - start) / 100;
    printf("%zu samples, %d rounds, the best of each; CPU time\n", n, ROUNDS);
    printf("bytes a sample, chunk headers included  %8.2f\n", (double)size / (double)n);
    printf("write to memory, open chunks            %8.1f ns a sample\n", plain);
    printf("write to memory, sealed                 %8.1f ns a sample\n", sealed);
    printf("write to a mapped file, open chunks     %8.1f ns a sample (the first round also maps its pages)\n", mapped);
    printf("read from memory, CRC checked           %8.1f ns a sample\n", read_memory);
    printf("read from a file, CRC checked           %8.1f ns a sample\n", read_file);
    printf("CRC32C of a chunk of 64 KiB             %8.2f us (portable: %.2f)\n", crc * HSC_SLOT_BYTES / 1e3,
           crc_plain * HSC_SLOT_BYTES / 1e3);
    printf("schema chunk of %zu bytes               %8.2f us\n", hsc_schema_chunk(NULL, 0), schema / 1e3);
    munmap(file, capacity);
    close(fd);
    unlink(path);
    free(memory);
    free(s);
    return 0;
}
