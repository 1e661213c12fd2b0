/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Independent pieces of work over a few threads; cancelling. */
#include <stdlib.h>
#include <time.h>

#include "ranks.h"

typedef struct each {
    join *j;
    size_t n;
    hsc_status (*work)(void *ctx, size_t i, hsc_err *err);
    void *ctx;
    const char *what;
    atomic_size_t next, done;
    atomic_bool stop;
    pthread_mutex_t lock;
    size_t failed; /* smallest number that failed */
    hsc_err err;
} each;

hsc_status hsc_join_no_memory(hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
}

hsc_status hsc_join_check(const join *j, hsc_err *err) {
    if (j->options->cancel && *j->options->cancel)
        return hsc_err_set(err, HSC_E_CANCELLED, "cancelled");
    return HSC_OK;
}

#define LOOK_NS 1000000u /* asking MPI gives the processor away where ranks are more than processors */

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Whether another rank has failed, now and then. */
static hsc_status look(const join *j, uint64_t *next, hsc_err *err) {
    uint64_t now = now_ns();
    if (now < *next)
        return HSC_OK;
    *next = now + LOOK_NS;
    return j->team->look(j->team->ctx, err);
}

static void run(each *e, bool report) {
    uint64_t next_look = 0;
    for (;;) {
        size_t i = atomic_fetch_add(&e->next, 1);
        if (i >= e->n || atomic_load(&e->stop))
            return;
        hsc_err err = {0};
        hsc_status status = hsc_join_check(e->j, &err);
        if (status == HSC_OK && report && e->j->team)
            status = look(e->j, &next_look, &err);
        if (status == HSC_OK)
            status = e->work(e->ctx, i, &err);
        if (status != HSC_OK) {
            pthread_mutex_lock(&e->lock);
            if (i < e->failed) {
                e->failed = i;
                e->err = err;
                e->err.status = status;
            }
            pthread_mutex_unlock(&e->lock);
            atomic_store(&e->stop, true);
            return;
        }
        size_t done = atomic_fetch_add(&e->done, 1) + 1;
        if (report && e->j->options->progress && hsc_ranks_is_first(e->j))
            e->j->options->progress(e->j->options->progress_ctx, e->what, (double)done, (double)e->n);
    }
}

static void *run_thread(void *ctx) {
    run(ctx, false);
    return NULL;
}

hsc_status hsc_join_each(join *j, size_t n, hsc_status (*work)(void *ctx, size_t i, hsc_err *err), void *ctx,
                         const char *what, hsc_err *err) {
    each e = {.j = j, .n = n, .work = work, .ctx = ctx, .what = what, .failed = SIZE_MAX,
              .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[256];
    unsigned started = 0, wanted = j->workers < 256 ? j->workers : 256;
    while (started + 1 < wanted && started + 1 < n && !pthread_create(&threads[started], NULL, run_thread, &e))
        started++;
    run(&e, true);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&e.lock);
    if (e.failed == SIZE_MAX)
        return HSC_OK;
    return hsc_err_set(err, e.err.status, "%s", e.err.text);
}
