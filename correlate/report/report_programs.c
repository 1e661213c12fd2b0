/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which program each processor ran: those of different programs have no work in common that could be compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/records.h>
#include <heatscope/formats/source_path.h>

#include "report.h"

static hsc_status out_of_memory(hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "out of memory"); }

const char *report_axis_name(const report *r, bool several) {
    static const char *const names[][2] = {[HSC_AXIS_THREAD] = {"thread", "threads"}, [HSC_AXIS_PROCESS] = {"process", "processes"}, [HSC_AXIS_NODE] = {"node", "nodes"}};
    return names[r->axis][several];
}

static uint32_t process_of(const report *r, uint32_t column) {
    hsc_db_thread t;
    if (r->axis != HSC_AXIS_THREAD)
        return column;
    return hsc_db_get_thread(r->db, column, &t, NULL) ? 0 : t.process;
}

bool report_was_replaced(const hsc_db *db, uint32_t process) {
    hsc_db_process p;
    return !hsc_db_get_process(db, process, &p, NULL) && !strcmp(p.end, hsc_enum_text("end_kind", HSC_end_kind_EXEC));
}

hsc_db_axis report_axis_of(const hsc_db *db) {
    uint32_t n = hsc_db_get_columns(db, HSC_AXIS_PROCESS), stay = 0;
    for (uint32_t i = 0; i < n && stay < 2; i++)
        stay += !report_was_replaced(db, i);
    return stay > 1 || (!stay && n > 1) ? HSC_AXIS_PROCESS : HSC_AXIS_THREAD;
}

static void count_working(report *r) {
    r->working = 0;
    for (uint32_t c = 0; c < r->columns; c++)
        r->working += r->axis == HSC_AXIS_NODE || !report_was_replaced(r->db, process_of(r, c));
    r->working = r->working ? r->working : r->columns;
}

/* OpenMP's runtime, and executables of the run; of several those of the system only where there are no others. */
static hsc_status load_modules(report *r, hsc_err *err) {
    hsc_status status = HSC_OK;
    bool any = false;
    for (uint32_t m = 0; m < r->info.modules && !status; m++) {
        hsc_db_module module;
        status = hsc_db_get_module(r->db, m, &module, err);
        r->has_gomp = r->has_gomp || (!status && hsc_library_role_of(module.path) == HSC_LIBRARY_GNU_OPENMP);
    }
    r->own_module = calloc((size_t)r->info.modules + 1, 1);
    if (!r->own_module)
        return out_of_memory(err);
    for (int pass = 0; pass < 2 && !any; pass++)
        for (uint32_t k = 0; k < r->programs && !status; k++) {
            hsc_db_process p;
            status = hsc_db_get_process(r->db, r->program_first[k], &p, err);
            for (uint32_t m = 0; m < r->info.modules && !status && (pass || r->programs == 1 || !hsc_is_system_program(p.executable)); m++) {
                hsc_db_module module;
                status = hsc_db_get_module(r->db, m, &module, err);
                r->own_module[m] |= !status && !strcmp(module.path, p.executable);
                any = any || r->own_module[m];
            }
        }
    return status;
}

hsc_status report_load_programs(report *r, hsc_err *err) {
    uint32_t n = r->info.processes, *of = r->process_program = malloc(((size_t)n + 1) * sizeof *of);
    const char *exec = hsc_enum_text("end_kind", HSC_end_kind_EXEC);
    hsc_status status = HSC_OK;
    r->programs = 0;
    count_working(r);
    r->program_first = malloc(((size_t)n + 1) * sizeof *r->program_first);
    if (!of || !r->program_first)
        status = out_of_memory(err);
    for (uint32_t i = 0; i < n && !status; i++) {
        hsc_db_process p, q;
        uint32_t k = 0;
        status = hsc_db_get_process(r->db, i, &p, err);
        while (!status && k < r->programs && !(status = hsc_db_get_process(r->db, r->program_first[k], &q, err)) &&
               (strcmp(q.executable, p.executable) || !strcmp(q.end, exec) != !strcmp(p.end, exec)))
            k++;
        if (!status && k == r->programs)
            r->program_first[r->programs++] = i;
        of[i] = k;
    }
    if (!status && r->programs > 1) {
        const bool by_node = r->axis == HSC_AXIS_NODE;
        r->program_of = by_node ? NULL : malloc(((size_t)r->columns + 1) * sizeof *r->program_of);
        r->program_met = calloc((size_t)(by_node ? r->columns : r->programs) + 1, sizeof *r->program_met);
        if ((!r->program_of && !by_node) || !r->program_met)
            status = out_of_memory(err);
        for (uint32_t c = 0; c < r->columns && r->program_of && !status; c++) {
            uint32_t process = process_of(r, c);
            r->program_of[c] = process < n ? of[process] : 0;
        }
    }
    return status ? status : load_modules(r, err);
}

const char *report_program_path(const report *r, uint32_t process) {
    hsc_db_process p;
    return hsc_db_get_process(r->db, process, &p, NULL) ? "" : p.executable;
}

void report_program(const report *r, uint32_t process, char *out, size_t size) {
    const char *path = report_program_path(r, process), *slash = strrchr(path, '/');
    const char *name = report_fit(slash ? slash + 1 : path, 24, out, size);
    size_t n = strlen(name);
    if (r->programs > 1 && report_was_replaced(r->db, process) && n < size)
        snprintf(out + n, size - n, " before exec");
}
