/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* symbols_bench MODULE [ROUNDS]: how fast the knowledge of a module is read and asked, beside other readers in the same run.
 *
 * open     hsc_code_open, the first question included, as MB of the file and of its code in a second of CPU time
 * cold     distinct random addresses of all of the code (a million, or all of less), each asked once of a module just read: what finds
 *          the answers is in it
 * cold order   the same in rising order
 * search   a bare binary search, branch-free, for the random addresses over as many 8-byte numbers as the module has line rows and scopes:
 *          the floor of any table of ranges
 * first    every 16th byte of the code asked once in order: loops of machine code are found then, answers are first given
 * spread   random addresses of all of the code, asked before: mostly what the processor's caches do not hold
 * hot      a million questions about 10,000 of them: what a profile has
 * order    a million random addresses of all of the code, asked before, in rising order: as the correlator asks
 * libdw    addresses through dwarf_addrdie, dwarf_getscopes and dwarf_getsrc_die: procedure, inline chain, line; a unit without
 *          .debug_aranges is not found by it
 * addr2line -i -f, llvm-symbolizer   CPU time of the program asked for many addresses less that for one
 *
 * Medians over the rounds (5); times are of the process's CPU clock. Judges nothing. */
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "code.h"

#define ADDRESSES 1000000u
#define HOT 10000u

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *v, size_t n) {
    qsort(v, n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static uint64_t next_random(uint64_t *s) { /* splitmix64 */
    uint64_t x = *s += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* The largest executable section. */
static int find_text(const char *path, uint64_t *lo, uint64_t *size, uint64_t *file_size) {
    struct stat st;
    int fd = open(path, O_RDONLY);
    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 && !fstat(fd, &st) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    *size = 0;
    for (Elf_Scn *s = NULL; elf && (s = elf_nextscn(elf, s));) {
        GElf_Shdr h;
        if (gelf_getshdr(s, &h) && h.sh_flags & SHF_EXECINSTR && h.sh_size > *size) {
            *lo = h.sh_addr;
            *size = h.sh_size;
        }
    }
    *file_size = elf ? (uint64_t)st.st_size : 0;
    elf_end(elf);
    return fd;
}

static uint64_t ask(hsc_code *c, const uint64_t *addresses, size_t n) {
    hsc_err err = {0};
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        hsc_code_answer a;
        if (hsc_code_find(c, addresses[i], true, &a, &err) != HSC_OK)
            exit(1);
        sum += a.line + a.element_count;
    }
    return sum;
}

/* Distinct addresses, in random order. *n: wanted, then had. */
static uint64_t *distinct(uint64_t lo, uint64_t size, size_t *n) {
    uint64_t *all = malloc(size * sizeof *all), seed = 3;
    for (uint64_t i = 0; all && i < size; i++)
        all[i] = lo + i;
    *n = *n < size ? *n : (size_t)size;
    for (uint64_t i = 0; all && i < *n; i++) {
        uint64_t k = i + next_random(&seed) % (size - i), v = all[i];
        all[i] = all[k];
        all[k] = v;
    }
    return all;
}

/* Seconds for each address. */
static double ask_cold(const char *path, const uint64_t *addresses, size_t n, uint64_t *sink) {
    hsc_code *c = NULL;
    hsc_err err = {0};
    if (hsc_code_open(&(hsc_code_spec){.path = path}, &c, &err) != HSC_OK)
        exit(1);
    double begin = now();
    *sink += ask(c, addresses, n);
    double time = now() - begin;
    hsc_code_close(c);
    return time / (double)n;
}

static double search(const uint64_t *addresses, size_t n, uint64_t lo, uint64_t size, size_t ranges, uint64_t *sink) {
    uint64_t *table = malloc((ranges + 1) * sizeof *table);
    if (!table || !ranges)
        exit(1);
    for (size_t i = 0; i < ranges; i++)
        table[i] = lo + (uint64_t)((double)size * (double)i / (double)ranges);
    double begin = now();
    for (size_t i = 0; i < n; i++) {
        const uint64_t *base = table;
        for (size_t left = ranges; left > 1; left -= left / 2)
            base = base[left / 2] <= addresses[i] ? base + left / 2 : base;
        *sink += (uint64_t)(base - table);
    }
    double time = now() - begin;
    free(table);
    return time / (double)n;
}

static uint64_t ask_libdw(Dwarf *dwarf, const uint64_t *addresses, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        Dwarf_Die unit, *scopes = NULL;
        if (!dwarf_addrdie(dwarf, addresses[i], &unit))
            continue;
        int count = dwarf_getscopes(&unit, addresses[i], &scopes);
        Dwarf_Line *line = dwarf_getsrc_die(&unit, addresses[i]);
        int number = 0;
        if (line)
            dwarf_lineno(line, &number);
        sum += (uint64_t)number + (count > 0 ? (uint64_t)count : 0);
        free(scopes);
    }
    return sum;
}

static double time_of_children(void) {
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

/* CPU seconds of a program that reads addresses; negative: it can not be run. */
static double ask_program(const char *command, const char *module, const uint64_t *addresses, size_t n) {
    char list[] = "/tmp/symbols_bench.XXXXXX", text[8192];
    int fd = mkstemp(list);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    for (size_t i = 0; f && i < n; i++)
        fprintf(f, "0x%" PRIx64 "\n", addresses[i]);
    if (!f || fclose(f) || snprintf(text, sizeof text, "%s'%s' < %s > /dev/null 2>&1", command, module, list) >= (int)sizeof text)
        return -1;
    double before = time_of_children();
    int failed = system(text);
    remove(list);
    return failed ? -1 : time_of_children() - before;
}

static void compare(const char *name, const char *command, const char *module, const uint64_t *addresses, size_t n, double ours) {
    double one = ask_program(command, module, addresses, 1), all = ask_program(command, module, addresses, n);
    if (one < 0 || all < 0)
        printf("%-15s not run\n", name);
    else
        printf("%-15s start %.2f s, then %.1f us for each of %zu addresses, %.0f times as long as spread\n", name, one,
               (all - one) * 1e6 / (double)n, n, (all - one) / (double)n / ours);
}

static int by_address(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    uint64_t lo = 0, size = 0, file_size = 0, seed = 1, sink = 0;
    size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 5;
    int fd = argc > 1 ? find_text(argv[1], &lo, &size, &file_size) : -1;
    uint64_t *addresses = malloc(ADDRESSES * sizeof *addresses), *sorted = malloc(ADDRESSES * sizeof *sorted);
    double v[9][64];
    hsc_err err = {0};
    if (fd < 0 || !size || !addresses || !sorted || !rounds || rounds > 64) {
        fprintf(stderr, "usage: symbols_bench MODULE [ROUNDS]\n");
        return 1;
    }
    for (size_t i = 0; i < ADDRESSES; i++)
        sorted[i] = addresses[i] = lo + next_random(&seed) % size;
    qsort(sorted, ADDRESSES, sizeof *sorted, by_address);
    Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
    size_t few = 2000; /* for libdw */
    if (dwarf)
        sink += ask_libdw(dwarf, addresses, few);
    hsc_code_tables t = {0};
    size_t cold = ADDRESSES;
    uint64_t *once = distinct(lo, size, &cold), *rising = malloc((cold + 1) * sizeof *rising);
    if (!once || !rising)
        return 1;
    memcpy(rising, once, cold * sizeof *rising);
    qsort(rising, cold, sizeof *rising, by_address);
    for (size_t r = 0; r < rounds; r++) {
        hsc_code *c = NULL;
        double begin = now();
        if (hsc_code_open(&(hsc_code_spec){.path = argv[1]}, &c, &err) != HSC_OK) {
            fprintf(stderr, "symbols_bench: %s\n", err.text);
            return 1;
        }
        sink += ask(c, addresses, 1);
        v[0][r] = now() - begin;
        begin = now();
        for (uint64_t at = lo; at < lo + size; at += 16)
            sink += ask(c, &at, 1);
        v[1][r] = now() - begin;
        sink += ask(c, addresses, ADDRESSES);
        begin = now();
        sink += ask(c, addresses, ADDRESSES);
        v[2][r] = (now() - begin) / ADDRESSES;
        begin = now();
        sink += ask(c, sorted, ADDRESSES);
        v[5][r] = (now() - begin) / ADDRESSES;
        sink += ask(c, addresses, HOT);
        begin = now();
        for (size_t i = 0; i < ADDRESSES; i += HOT)
            sink += ask(c, addresses, HOT);
        v[4][r] = (now() - begin) / ADDRESSES;
        begin = now();
        if (dwarf)
            sink += ask_libdw(dwarf, addresses, few);
        v[3][r] = (now() - begin) / (double)few;
        hsc_code_get_tables(c, &t);
        if (r + 1 == rounds)
            printf("%s: %.1f MB, code %.1f MB; %zu line rows, %zu scopes, %zu symbols, %zu procedures, %zu loops, %zu places; "
                   "known by %d\n", argv[1], (double)file_size / 1e6, (double)size / 1e6, t.lines, t.scopes, t.symbols,
                   t.procedure_count, t.loop_count, t.places, (int)t.knowledge);
        hsc_code_close(c);
        v[6][r] = ask_cold(argv[1], once, cold, &sink);
        v[7][r] = ask_cold(argv[1], rising, cold, &sink);
        v[8][r] = search(addresses, ADDRESSES, lo, size, t.lines + t.scopes + 1, &sink);
    }
    double opening = median(v[0], rounds), first = median(v[1], rounds), lookup = median(v[2], rounds);
    double hot = median(v[4], rounds), peer = median(v[3], rounds), order = median(v[5], rounds);
    printf("open    %8.3f s   %7.1f MB of file/s   %7.1f MB of code/s\n", opening, (double)file_size / 1e6 / opening,
           (double)size / 1e6 / opening);
    printf("first   %8.1f ns  %7.2f M/s   %7.1f MB of code/s\n", first * 1e9 / (double)((size + 15) / 16),
           (double)((size + 15) / 16) * 1e-6 / first, (double)size / 1e6 / first);
    double value = median(v[6], rounds);
    printf("cold    %8.1f ns  %7.2f M/s   %zu distinct addresses\n", value * 1e9, 1e-6 / value, cold);
    value = median(v[7], rounds);
    printf("  order %8.1f ns  %7.2f M/s\n", value * 1e9, 1e-6 / value);
    value = median(v[8], rounds);
    printf("search  %8.1f ns  %7.2f M/s   over %zu numbers\n", value * 1e9, 1e-6 / value, t.lines + t.scopes + 1);
    printf("spread  %8.1f ns  %7.2f M/s\n", lookup * 1e9, 1e-6 / lookup);
    printf("order   %8.1f ns  %7.2f M/s\n", order * 1e9, 1e-6 / order);
    printf("hot     %8.1f ns  %7.2f M/s\n", hot * 1e9, 1e-6 / hot);
    if (dwarf)
        printf("libdw   %8.1f ns  %7.2f M/s   %.0f times as long\n", peer * 1e9, 1e-6 / peer, peer / lookup);
    else
        printf("libdw   no debug information\n");
    compare("addr2line", "addr2line -i -f -e ", argv[1], addresses, 1000, lookup);
    compare("llvm-symbolizer", "llvm-symbolizer-19 --inlines --obj=", argv[1], addresses, 50000, lookup);
    dwarf_end(dwarf);
    close(fd);
    free(addresses);
    free(sorted);
    free(once);
    free(rising);
    return sink == 42; /* used */
}
