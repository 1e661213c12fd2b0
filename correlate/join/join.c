/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of a join, one after the other. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <heatscope/formats/schema_cache.h>

#include "../store/spill.h"
#include "../store/store.h"
#include "../store/unfinished.h"
#include "cache.h"
#include "columns.h"
#include "generated.h"
#include "grown.h"
#include "probed.h"
#include "ranks.h"
#include "sources.h"
#include "told.h"

#define PROCESS_BYTES 2048u               /* of a process, beside its header and its threads */
#define WORKER_BYTES ((uint64_t)32 << 20) /* so that memory has room for a file of each worker */

void hsc_join_free_work(jthread *t) {
    jwork *w = t->work;
    if (!w)
        return;
    free(w->nodes.p);
    free(w->counts.p);
    free(w->other_values.p);
    free(w->event_times.p);
    free(w->profile.p);
    free(w->places.p);
    free(w->specials.p);
    free(w->plain_kinds);
    free(w->plain_met.p);
    hsc_table_fini(&w->node_rows);
    hsc_table_fini(&w->other_counts);
    hsc_table_fini(&w->special_rows);
    hsc_join_free_regions(t);
    free(w);
    t->work = NULL;
}

static void free_thread(jthread *t) {
    hsc_join_free_work(t);
    hsc_spill_list_fini(&t->profile);
    hsc_spill_list_fini(&t->places);
    hsc_instants_fini(&t->instants);
    hsc_spill_list_fini(&t->instant_kinds);
    hsc_spill_list_fini(&t->kind_pairs);
    free(t->late);
}

void hsc_join_free_process(jprocess *p) {
    for (size_t i = 0; i < p->threads.n; i++)
        free_thread(&p->threads.p[i]);
    free(p->threads.p);
    free(p->regions.p);
    hsc_table_fini(&p->region_rows);
    hsc_table_fini(&p->seen);
    free(p->mappings.p);
    free(p->events.p);
    hsc_spill_list_fini(&p->spans);
    hsc_spill_list_fini(&p->slices);
    free(p->open_waits.p);
    hsc_spill_list_fini(&p->parked_sites);
    hsc_spill_list_fini(&p->parked);
    free(p->open_spans.p);
    hsc_join_free_measures(p);
    hsc_join_blame_free(p);
    hsc_join_free_told(p);
    hsc_cache_free_kept(p);
    hsc_grown_free(p->grows);
    hsc_pool_fini(&p->pool);
}

static void free_module(jmodule *m) {
    hsc_code_close(m->code);
    free(m->address_rows.p);
    free(m->procedure_scopes.p);
    free(m->loop_scopes.p);
    free(m->file_rows.p);
    free(m->instance_rows.p);
    free(m->array_rows.p);
    free(m->site_rows.p);
    free(m->directive_rows.p);
    free(m->procedure_used.p);
    free(m->elements.p);
    free(m->line_list.p);
    free(m->line_scopes.p);
    hsc_table_fini(&m->line_keys);
}

static void free_join(join *j) {
    for (size_t i = 0; i < j->processes.n; i++)
        hsc_join_free_process(&j->processes.p[i]);
    for (size_t i = 0; i < j->modules.n; i++)
        free_module(&j->modules.p[i]);
    void *arrays[] = {j->processes.p, j->modules.p,  j->places.p,       j->scopes.p, j->files.p,
                      j->lines.p,     j->instances.p, j->remarks.p, j->dependences.p, j->metrics.p, j->contexts.p,
                      j->subtree_ends.p, j->depths.p, j->context_categories.p, j->categories.p, j->rules.p, j->threads.p, j->run.p, j->ledger.p,
                      j->delays.p, j->delayed.p, j->delay_places.p, j->met.p, j->addresses.p, j->frames.p, j->tails.p, j->ways.p, j->growing.nodes, j->kinds.p,
                      j->kind_order, j->met_places, j->met_twins, j->met_threads.p, j->twins, j->kind_used, (void *)j->map_dirs.p, j->context_map.p, j->growing_map.p, j->kind_map.p};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    if (j->delay_slices)
        columns_free(j->delay_slices);
    free(j->delay_slices);
    free(j->gone.p);
    hsc_join_free_match(j);
    hsc_join_free_data(j);
    hsc_join_free_probed(j);
    hsc_join_free_instructions(j);
    hsc_table_fini(&j->met_rows);
    hsc_table_fini(&j->address_rows);
    hsc_table_fini(&j->frame_rows);
    hsc_table_fini(&j->tail_frames);
    hsc_table_fini(&j->growing.rows);
    hsc_table_fini(&j->kind_rows);
    pthread_mutex_destroy(&j->lock);
    pthread_rwlock_destroy(&j->tables);
    hsc_table_fini(&j->line_rows);
    hsc_schema_cache_free(j->schemas);
    free(j->generated_looks.list.p);
    hsc_pool_fini(&j->pool);
}

/* The first module of the program itself about which less is known than could be. */
static void note_modules(const join *j) {
    for (size_t i = 0; i < j->modules.n; i++) {
        const jmodule *m = &j->modules.p[i];
        if (m->tables.note && m->tables.note[0] && (m->is_main || m->tables.groups || hsc_generated_is(m))) {
            snprintf(j->summary->modules_note, sizeof j->summary->modules_note, "%s: %s", m->path, m->tables.note);
            return;
        }
    }
}

/* What is left when the processes have theirs. */
static void share_memory(join *j) {
    uint64_t taken = j->processes.n * (sizeof *j->processes.p + PROCESS_BYTES) + j->threads.n * sizeof **j->threads.p;
    j->memory = j->memory > taken ? j->memory - taken : 0;
    j->details_max = j->memory / 8;
}

/* That of the database. */
static hsc_status check_folder(const char *output, hsc_err *err) {
    char *folder = strdup(output), *slash = folder ? strrchr(folder, '/') : NULL;
    if (!folder)
        return hsc_join_no_memory(err);
    if (slash)
        slash[slash == folder] = 0;
    hsc_status status = access(slash ? folder : ".", W_OK) ? hsc_err_set_errno(err, errno, "%s: cannot write to its folder", output) : HSC_OK;
    free(folder);
    return status;
}

void hsc_join_drop_output(void) { hsc_unfinished_drop(); }

/* All that follows the first reading. */
static hsc_status make(join *j, hsc_err *err) {
    hsc_status status = HSC_OK;
    bool first = hsc_ranks_is_first(j);
    share_memory(j);
    if (status == HSC_OK && first)
        status = hsc_join_resolve(j, err);
    if (status == HSC_OK && first)
        status = hsc_join_make_scopes(j, err);
    if (status == HSC_OK && first && !hsc_join_name_files(j))
        status = hsc_join_no_memory(err);
    if (status == HSC_OK)
        status = hsc_ranks_share_code(j, err);
    if (status == HSC_OK)
        status = hsc_join_read_second(j, err);
    if (status == HSC_OK)
        status = hsc_join_make_contexts(j, err);
    if (status == HSC_OK)
        status = hsc_join_settle(j, err);
    if (status == HSC_OK)
        status = hsc_ranks_collect(j, err);
    if (status == HSC_OK && first)
        status = hsc_join_match(j, err);
    if (status == HSC_OK)
        status = hsc_waited_lay(j, err);
    if (status == HSC_OK && first)
        status = hsc_join_make_ledger(j, err);
    if (status == HSC_OK && first)
        status = hsc_join_make_instructions(j, err);
    if (status == HSC_OK && first)
        status = hsc_join_blame(j, err);
    if (status == HSC_OK && first)
        status = hsc_join_add_probes(j, err);
    if (status == HSC_OK)
        status = hsc_ranks_share_rest(j, err);
    if (status == HSC_OK) {
        note_modules(j);
        j->summary->processes = j->run.n;
        j->summary->threads = j->threads.n;
        status = hsc_join_emit(j, err);
        if (status == HSC_OK)
            hsc_join_note_peak(j);
    }
    if (status == HSC_OK)
        hsc_cache_write(j);
    if (status == HSC_OK)
        hsc_made_write(j);
    if (status == HSC_OK && first)
        hsc_sources_keep(j);
    return status;
}

/* *keeps_nothing is set where the join failed for what was to be kept of the database that is there, or for the cache; where it is set, nothing is kept, and all of the cache
 * is looked at before anything is made of it. */
static hsc_status run(const hsc_join_options *options, hsc_join_summary *summary, bool *keeps_nothing, bool *is_damaged, hsc_err *err) {
    join j = {.options = options, .workers = options->workers, .summary = summary, .keeps_nothing = *keeps_nothing};
    *j.summary = (hsc_join_summary){0};
    if (!options->input_count || !options->output)
        return hsc_err_set(err, HSC_E_ARGUMENT, "no measurement directory, or no output");
    hsc_status writable = check_folder(options->output, err);
    if (writable != HSC_OK) /* said now, not after all the work */
        return writable;
    if (options->team && options->team->size > 1)
        j.team = options->team;
    if (!j.workers) {
        long n = j.team ? (long)(j.team->cpus / j.team->on_node) : sysconf(_SC_NPROCESSORS_ONLN);
        j.workers = n > 0 ? (unsigned)n : 1;
    }
    j.memory = hsc_join_memory(options);
    j.memory = j.memory > JOIN_BASE_BYTES ? j.memory - JOIN_BASE_BYTES : 0;
    if (j.workers > 1 + j.memory / WORKER_BYTES)
        j.workers = (unsigned)(1 + j.memory / WORKER_BYTES);
    hsc_spill spill;
    hsc_spill_init(&spill, options->output);
    j.spill = &spill;
    for (unsigned i = 0; i < sizeof j.metric_rows; i++)
        j.metric_rows[i] = (uint8_t)i;
    pthread_mutex_init(&j.lock, NULL);
    pthread_rwlock_init(&j.tables, NULL);
    j.schemas = hsc_schema_cache_new(); /* none: slower */
    hsc_status status = hsc_join_make_categories(&j, err);
    if (status == HSC_OK)
        status = hsc_join_read(&j, err);
    if (status == HSC_OK && !j.is_made)
        status = make(&j, err);
    hsc_cache_free(&j);
    free_join(&j);
    hsc_spill_fini(&spill);
    *is_damaged = j.bad_before || j.bad_cache;
    *keeps_nothing = *is_damaged || j.bad_grown;
    if (status != HSC_OK && options->cancel && *options->cancel && err) { /* what followed from that is not the reason */
        hsc_err_clear(err);
        return hsc_join_check(&j, err);
    }
    return status;
}

hsc_status hsc_join_run(const hsc_join_options *options, hsc_join_summary *summary, hsc_err *err) {
    hsc_join_summary unused, *to = summary ? summary : &unused;
    hsc_unfinished_begin();
    bool keeps_nothing = false, is_damaged = false, unused_damage = false;
    hsc_status status = run(options, to, &keeps_nothing, &is_damaged, err);
    if (status == HSC_OK || !keeps_nothing)
        return status;
    hsc_err_clear(err);
    status = run(options, to, &keeps_nothing, &unused_damage, err);
    if (is_damaged && !to->cache_note[0])
        snprintf(to->cache_note, sizeof to->cache_note, "%.400s: damaged: nothing of it is kept, all is made anew", options->output);
    return status;
}
