/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope-simulate: writes databases of simulated runs of any size, for tests of scale and of the viewer. */
#include "simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(FILE *f, int code) {
    fprintf(f, "usage: heatscope-simulate -o FILE [OPTIONS]\n\n"
               "Writes a database with made-up content, the same for the same options.\n\n"
               "  -o FILE            database to write\n"
               "  --lines=N          lines with code (20000)\n"
               "  --threads=N        threads (64)\n"
               "  --processes=N      processes that have them (threads / 4)\n"
               "  --hosts=N          that these run on by turns (64 on each)\n"
               "  --samples=N        samples of a thread, about (20000)\n"
               "  --fill=PERCENT     lines x threads with samples (chosen by size)\n"
               "  --times            samples in the order of time too\n"
               "  --counts           no times, but values by category of all tables\n"
               "  --details          messages, waits, arrays, probes, machine code and texts too\n"
               "  --bands=1          rows in bands of threads (0)\n"
               "  --seed=N           (1)\n"
               "  --sources=FOLDER   write source files to go with it\n"
               "  --workers=N        threads that compress (2)\n");
    return code;
}

static bool number(const char *arg, const char *name, uint32_t low, uint32_t high, uint32_t *out) {
    size_t n = strlen(name);
    if (strncmp(arg, name, n) || arg[n] != '=')
        return false;
    char *end = NULL;
    unsigned long v = strtoul(arg + n + 1, &end, 10);
    if (*end || end == arg + n + 1 || v < low || v > high) {
        fprintf(stderr, "heatscope-simulate: %s: expected %u to %u\n", arg, low, high);
        exit(2);
    }
    *out = (uint32_t)v;
    return true;
}

int main(int argc, char **argv) {
    sim_program *p = calloc(1, sizeof *p);
    sim_options o = {.lines = 20000, .threads = 64, .seed = 1, .workers = 2, .samples = 20000};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strcmp(a, "--help"))
            return usage(stdout, 0);
        if (!strcmp(a, "-o") && i + 1 < argc)
            o.output = argv[++i];
        else if (!strncmp(a, "--sources=", 10))
            o.sources = a + 10;
        else if (!strcmp(a, "--sources") && i + 1 < argc)
            o.sources = argv[++i];
        else if (!strcmp(a, "--times"))
            o.times = true;
        else if (!strcmp(a, "--counts"))
            o.counts = true;
        else if (!strcmp(a, "--details"))
            o.details = true;
        else if (!strncmp(a, "--fill=", 7))
            o.fill = strtod(a + 7, NULL) / 100;
        else if (!number(a, "--lines", 10, 1u << 24, &o.lines) && !number(a, "--threads", 1, 1u << 22, &o.threads) &&
                 !number(a, "--processes", 1, 1u << 22, &o.processes) && !number(a, "--hosts", 1, 1u << 22, &o.hosts) && !number(a, "--seed", 0, ~0u, &o.seed) &&
                 !number(a, "--workers", 1, 256, &o.workers) && !number(a, "--bands", 0, 1, &o.bands) && !number(a, "--samples", 1, 100000000, &o.samples))
            return usage(stderr, 2);
    }
    if (!p || !o.output)
        return usage(stderr, 2);
    if (!o.processes)
        o.processes = o.threads >= 4 ? o.threads / 4 : 1;
    if (o.processes > o.threads)
        o.processes = o.threads;
    p->options = o;
    sim_make_program(p);
    return sim_write(p); /* memory goes with the process */
}
