/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Synthetic measurements whose truth is known. */
#ifndef HEATSCOPE_TESTS_JOIN_MEASUREMENT_H
#define HEATSCOPE_TESTS_JOIN_MEASUREMENT_H

#include <stdint.h>

#define PROCEDURES 4
#define DEPTH_MAX 9
#define PATHS_MAX 64
#define THREADS_MAX 16

typedef struct path {
    unsigned depth;
    uint8_t procedure[DEPTH_MAX]; /* outermost first */
    unsigned count;
    unsigned state;
} path;

typedef struct thread_truth {
    path paths[PATHS_MAX];
    unsigned path_count;
    uint64_t samples, no_path, lost;
} thread_truth;

typedef struct process_truth {
    int rank;
    unsigned pid, thread_count;
    uint64_t period_ns;
    thread_truth threads[THREADS_MAX];
} process_truth;

typedef struct target { /* the module that the samples lie in */
    char path[4096];
    uint64_t address[PROCEDURES];
    const uint8_t *build_id;
    unsigned build_id_size;
} target;

/* Paths, counts and states by a generator with this seed. */
void truth_make(process_truth *p, int rank, unsigned threads, uint64_t seed);

/* Writes dir/NAME.hsr. */
void measurement_write(const char *dir, const char *name, const process_truth *p, const target *t);

uint64_t random_next(uint64_t *state);

#endif
