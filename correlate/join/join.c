/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of a join, one after the other. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spill.h"
#include "told.h"

static void free_thread(jthread *t) {
    free(t->nodes.p);
    free(t->counts.p);
    free(t->no_path_counts.p);
    free(t->other_values.p);
    free(t->event_times.p);
    free(t->leaves.p);
    free(t->addresses.p);
    free(t->timed.p);
    free(t->timed_other.p);
    hsc_table_fini(&t->node_rows);
    hsc_table_fini(&t->other_counts);
    hsc_join_free_regions(t);
}

void hsc_join_free_process(jprocess *p) {
    for (size_t i = 0; i < p->threads.n; i++)
        free_thread(&p->threads.p[i]);
    free(p->threads.p);
    free(p->regions.p);
    hsc_table_fini(&p->region_rows);
    free(p->mappings.p);
    free(p->events.p);
    free(p->contexts.p);
    free(p->context_map.p);
    hsc_join_free_measures(p);
    hsc_join_blame_free(p);
    hsc_join_free_told(p);
    hsc_table_fini(&p->context_rows);
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
                      j->delays.p, j->delayed.p, j->delay_places.p};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    hsc_join_free_data(j);
    hsc_join_free_instructions(j);
    hsc_table_fini(&j->place_rows);
    hsc_table_fini(&j->line_rows);
    hsc_pool_fini(&j->pool);
}

/* The first module of the program itself about which less is known than could be. */
static void note_modules(const join *j) {
    for (size_t i = 0; i < j->modules.n; i++) {
        const jmodule *m = &j->modules.p[i];
        if (m->tables.note && m->tables.note[0] && (m->is_main || m->tables.groups)) {
            snprintf(j->summary->modules_note, sizeof j->summary->modules_note, "%s: %s", m->path, m->tables.note);
            return;
        }
    }
}

hsc_status hsc_join_run(const hsc_join_options *options, hsc_join_summary *summary, hsc_err *err) {
    hsc_join_summary unused;
    join j = {.options = options, .workers = options->workers, .summary = summary ? summary : &unused};
    *j.summary = (hsc_join_summary){0};
    if (!options->input_count || !options->output)
        return hsc_err_set(err, HSC_E_ARGUMENT, "no measurement directory, or no output");
    char folder[4200];
    snprintf(folder, sizeof folder, "%s", options->output);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    if (access(slash ? folder : ".", W_OK)) /* said now, not after all the work */
        return hsc_err_set_errno(err, errno, "%s: cannot write to its folder", options->output);
    if (!j.workers) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        j.workers = n > 0 ? (unsigned)n : 1;
    }
    hsc_spill spill;
    hsc_spill_init(&spill, options->output);
    j.spill = &spill;
    hsc_status status = hsc_join_make_categories(&j, err);
    if (status == HSC_OK)
        status = hsc_join_read(&j, err);
    if (status == HSC_OK)
        status = hsc_join_resolve(&j, err);
    if (status == HSC_OK)
        status = hsc_join_make_scopes(&j, err);
    if (status == HSC_OK)
        status = hsc_join_make_contexts(&j, err);
    if (status == HSC_OK)
        status = hsc_join_make_ledger(&j, err);
    if (status == HSC_OK)
        status = hsc_join_make_instructions(&j, err);
    if (status == HSC_OK)
        status = hsc_join_blame(&j, err);
    if (status == HSC_OK) {
        note_modules(&j);
        j.summary->processes = j.run.n;
        j.summary->threads = j.threads.n;
        status = hsc_join_emit(&j, err);
    }
    free_join(&j);
    hsc_spill_fini(&spill);
    return status;
}
