/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of an interval's tables made by another thread, one table after the other, while views are told and drawn: each is waited for when it is asked for. All
 * room is there before; what it reads nobody changes meanwhile. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "interval_sums.h"

enum { AHEAD_MAX = 8, NO_TABLE = AHEAD_MAX };

typedef struct hsc_ahead {
    pthread_t thread;
    hsc_interval of; /* as it was then: of its arrays, which stay; contexts are the thread's own */
    hsc_leaf_facts facts;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    hsc_interval_table tables[AHEAD_MAX];
    hsc_made_sums *made[AHEAD_MAX]; /* NULL: taken; sums NULL: there was no memory for it, so it is made when it is asked for */
    unsigned n, done;
    unsigned reading; /* a table of which another one is being made */
    bool is_closed;
} hsc_ahead;

static unsigned place_of(const hsc_ahead *a, uint32_t metric, hsc_db_table which) {
    unsigned i = 0;
    while (i < a->n && !(a->made[i] && a->made[i]->metric == metric && a->made[i]->table == which))
        i++;
    return i < a->n ? i : NO_TABLE;
}

/* Scopes by category, which nobody takes until `reading` is NO_TABLE again. */
static const uint32_t *read_by_category(hsc_ahead *a) {
    unsigned i = place_of(a, a->facts.metric, HSC_TABLE_SCOPE_CATEGORY);
    if (i >= a->done || !a->made[i]->sums)
        return NULL;
    a->reading = i;
    return a->made[i]->sums;
}

static bool add(hsc_ahead *a, hsc_interval_table *t, hsc_db_table which, const uint32_t *by_category) {
    bool good = true;
    if (hsc_is_of_contexts(which))
        return hsc_contexts_add(t, &a->of, which, by_category);
    if (which == HSC_TABLE_LINE_INCL)
        good = (t->seen = calloc(t->rows + 1, sizeof *t->seen)) != NULL;
    if (good)
        hsc_sums_add_leaves(t, which, &a->facts);
    free(t->seen);
    return good;
}

static void *work(void *ctx) {
    hsc_ahead *a = ctx;
    pthread_mutex_lock(&a->lock);
    for (;;) {
        while (a->done == a->n && !a->is_closed)
            pthread_cond_wait(&a->changed, &a->lock);
        if (a->done == a->n)
            break;
        hsc_made_sums *m = a->made[a->done];
        hsc_interval_table *t = &a->tables[a->done];
        const uint32_t *by_category = m->table == HSC_TABLE_SCOPE_INCL ? read_by_category(a) : NULL;
        pthread_mutex_unlock(&a->lock);
        bool good = add(a, t, m->table, by_category);
        pthread_mutex_lock(&a->lock);
        if (!good) {
            free(m->sums);
            m->sums = NULL;
        }
        a->reading = NO_TABLE;
        a->done++;
        pthread_cond_broadcast(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
    hsc_interval_end_sums(&a->of);
    return NULL;
}

static void ahead_free(hsc_ahead *a) {
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

/* NULL: it can't be. */
static hsc_ahead *ahead_new(hsc_db *db, hsc_interval *v, uint32_t metric) {
    const hsc_leaf_facts *f = hsc_sums_facts(db, v, metric);
    hsc_ahead *a = f->narrow && sysconf(_SC_NPROCESSORS_ONLN) > 1 ? calloc(1, sizeof *a) : NULL;
    if (!a)
        return NULL;
    a->of = *v;
    a->of.contexts = (hsc_context_sums){0};
    a->facts = *f;
    a->reading = NO_TABLE;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if (!pthread_create(&a->thread, NULL, work, a))
        return a;
    ahead_free(a);
    return NULL;
}

bool hsc_ahead_give(hsc_db *db, hsc_interval *v, uint32_t metric, hsc_db_table which) {
    uint64_t rows = db->values[(uint64_t)metric * HSC_VALUES_COUNT + which].rows;
    if (!v->ahead)
        v->ahead = ahead_new(db, v, metric);
    hsc_ahead *a = v->ahead;
    if (!a || a->is_closed || a->n == AHEAD_MAX || a->facts.metric != metric || a->facts.only != v->only)
        return false;
    hsc_made_sums *m = calloc(1, sizeof *m);
    void *sums = m ? hsc_sums_new(db, rows + 1, true) : NULL;
    bool has_room = sums && (!hsc_is_of_contexts(which) || a->of.contexts.sums || !hsc_contexts_begin(db, &a->of, &a->facts, NULL));
    if (!has_room) {
        free(sums);
        free(m);
        return false;
    }
    *m = (hsc_made_sums){.metric = metric, .only = v->only, .table = which, .narrow = true, .sums = sums};
    pthread_mutex_lock(&a->lock);
    a->tables[a->n] = (hsc_interval_table){.db = db, .of = &a->of, .rows = rows, .narrow = sums};
    a->made[a->n++] = m;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    return true;
}

bool hsc_ahead_has(const hsc_interval *v, uint32_t metric, hsc_db_table which) {
    return v->ahead && v->ahead->facts.only == v->only && place_of(v->ahead, metric, which) != NO_TABLE;
}

void hsc_ahead_wait(hsc_interval *v, uint32_t metric, hsc_db_table which) {
    hsc_ahead *a = v->ahead;
    unsigned i = place_of(a, metric, which);
    pthread_mutex_lock(&a->lock);
    while (a->done <= i || a->reading == i)
        pthread_cond_wait(&a->changed, &a->lock);
    hsc_made_sums *m = a->made[i];
    a->made[i] = NULL;
    pthread_mutex_unlock(&a->lock);
    m->next = v->made;
    v->made = m;
}

void hsc_ahead_close(hsc_interval *v) {
    if (!v->ahead)
        return;
    pthread_mutex_lock(&v->ahead->lock);
    v->ahead->is_closed = true;
    pthread_cond_broadcast(&v->ahead->changed);
    pthread_mutex_unlock(&v->ahead->lock);
}

void hsc_interval_end_ahead(hsc_interval *v) {
    hsc_ahead *a = v->ahead;
    if (!a)
        return;
    hsc_ahead_close(v);
    pthread_join(a->thread, NULL);
    for (unsigned i = 0; i < a->n; i++)
        if (a->made[i]) {
            a->made[i]->next = v->made;
            v->made = a->made[i];
        }
    ahead_free(a);
    v->ahead = NULL;
}
