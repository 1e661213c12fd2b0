/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who only waits for work, and what of all that others waited counts as waiting of the program. */
#include <math.h>
#include <stdlib.h>

#include "blame.h"
#include "emit.h"

/* ---- threads ---- */

#define HARDLY 0.1 /* so much of its time, but for what it stands in line for a processor, a thread computes that has work of its own */
#define NEARLY_ALL 0.95 /* of what was waited */
#define AT_WORK 0.25 /* so much of the process's time, added up, others of it are at work that do what a thread might wait for */

static double length_of(const join *j, const jthread *t) {
    double end = t->end_ns ? hsc_join_run_time(j, t->process, t->end_ns) : hsc_join_end_of(j, t->process);
    return end - hsc_join_run_time(j, t->process, t->begin_ns);
}

static bool has_hardly_work(const join *j, const jthread *t) {
    return (double)t->cpu_ns * 1e-9 < HARDLY * (length_of(j, t) - (double)t->usage.runnable_ns * 1e-9);
}

/* At work: it computes, or would if it had a processor. */
static double worked(const jthread *t) { return (double)(t->cpu_ns + t->usage.runnable_ns) * 1e-9; }

void hsc_blame_find_idle(join *j) {
    for (size_t first = 0, end; first < j->threads.n; first = end) { /* threads of a process stand together */
        const jprocess *p = j->threads.p[first]->process;
        double all = 0, least = AT_WORK * (hsc_join_end_of(j, p) - hsc_join_run_time(j, p, p->start_ns));
        for (end = first; end < j->threads.n && j->threads.p[end]->process == p; end++)
            all += worked(j->threads.p[end]);
        for (size_t i = first; i < end; i++) { /* what its first thread waits for, the program waits for */
            jthread *t = j->threads.p[i];
            t->idle = i > first && has_hardly_work(j, t) && all - worked(t) >= least;
        }
    }
}

/* ---- causes ---- */

bool *hsc_blame_own_paths(const join *j) {
    bool *own = calloc(j->contexts.n + 1, sizeof *own);
    for (size_t c = 1; own && c < j->contexts.n; c++) { /* a parent stands before its children */
        const jcontext *x = &j->contexts.p[c];
        own[c] = own[x->parent] || (x->scope < j->scopes.n && j->scopes.p[x->scope].is_own);
    }
    return own;
}

typedef struct signalled { /* `thread` waited for the signal of `by` */
    uint32_t thread, by;
} signalled;

static int by_signal(const void *pa, const void *pb) {
    const signalled *a = pa, *b = pb;
    return a->thread != b->thread ? (a->thread < b->thread ? -1 : 1) : (a->by > b->by) - (a->by < b->by);
}

/* Of signals: nearly all that was waited for them was by threads that wait for work, or with hardly any of their own and for whose signals the late one waits, too: for
 * the work that they give it. */
static bool find_for_work(join *j) {
    double *for_work_s = calloc(j->delays.n + 1, sizeof *for_work_s), *all_s = calloc(j->delays.n + 1, sizeof *all_s);
    signalled *list = malloc((j->delayed.n + 1) * sizeof *list);
    bool ok = for_work_s && all_s && list;
    size_t n = 0;
    for (size_t i = 0; ok && i < j->delayed.n; i++) {
        const jdelayed *v = &j->delayed.p[i];
        if (j->delays.p[v->delay].kind == HSC_wait_cause_SIGNAL)
            list[n++] = (signalled){v->thread, j->delays.p[v->delay].thread};
    }
    if (ok && n > 1)
        qsort(list, n, sizeof *list, by_signal);
    for (size_t i = 0; ok && i < j->delayed.n; i++) {
        const jdelayed *v = &j->delayed.p[i];
        const jdelay *d = &j->delays.p[v->delay];
        bool gives_work = n && has_hardly_work(j, j->threads.p[v->thread]) && bsearch(&(signalled){d->thread, v->thread}, list, n, sizeof *list, by_signal);
        all_s[v->delay] += v->wait_s;
        for_work_s[v->delay] += d->idle || gives_work ? v->wait_s : 0;
    }
    for (size_t i = 0; ok && i < j->delays.n; i++) {
        jdelay *d = &j->delays.p[i];
        bool signals = d->kind == HSC_wait_cause_SIGNAL && for_work_s[i] > 0 && for_work_s[i] >= NEARLY_ALL * all_s[i];
        d->for_work = d->kind == HSC_wait_cause_THREAD_END || signals;
    }
    free(for_work_s);
    free(all_s);
    free(list);
    return ok;
}

/* own_s[delay]: its waits by threads that run the program's code. */
static void add_own(const join *j, const bool *own, double *own_s) {
    for (size_t i = 0; i < j->delayed.n; i++) {
        const jdelayed *v = &j->delayed.p[i];
        own_s[v->delay] += v->context < j->contexts.n && own[v->context] ? v->wait_s : 0;
    }
}

/* Threads that libraries made for themselves. Who had no processor, or of whom it is not known what was done, was there for the call that ended the wait, and that may be a
 * library's that the program's last call became (a tail call): it is whose the rest of the same delay is. */
static void find_of_libraries(join *j, const bool *own, const double *own_s, double *rest) {
    for (size_t i = 0; i < j->delay_places.n; i++) {
        jdelay_place *p = &j->delay_places.p[i];
        const jdelay *d = &j->delays.p[p->delay];
        bool threads = hsc_cause_is_of_threads(d->kind) && d->kind != HSC_wait_cause_OMP_BARRIER;
        p->of_libraries = threads && !(own_s[p->delay] >= 0.5 * d->wait_s && p->context < j->contexts.n && own[p->context]);
        if (p->not_running == 0)
            rest[p->delay] += p->of_libraries ? -p->direct_s : p->direct_s;
    }
    for (size_t i = 0; i < j->delay_places.n; i++) {
        jdelay_place *p = &j->delay_places.p[i];
        if (p->not_running && own_s[p->delay] >= 0.5 * j->delays.p[p->delay].wait_s && rest[p->delay] > 0)
            p->of_libraries = false;
    }
}

bool hsc_blame_count(join *j) {
    bool *own = hsc_blame_own_paths(j);
    double *own_s = calloc(j->delays.n + 1, sizeof *own_s), *rest = calloc(j->delays.n + 1, sizeof *rest);
    bool ok = own && own_s && rest && find_for_work(j);
    if (ok) {
        add_own(j, own, own_s);
        find_of_libraries(j, own, own_s, rest);
    }
    for (size_t i = 0; ok && i < j->delay_places.n; i++) { /* what others waited for who waits so is caused, and handed on to it */
        jdelay_place *p = &j->delay_places.p[i];
        const jdelay *d = &j->delays.p[p->delay];
        p->counted_s = p->of_libraries ? 0 : fmax(p->caused_s - (d->idle ? p->for_work_s : d->for_work ? p->direct_s : 0), 0);
    }
    free(own);
    free(own_s);
    free(rest);
    return ok;
}
