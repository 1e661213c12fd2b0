/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether two runs are of one program: by the build, then by the name. */
#include <stdlib.h>
#include <string.h>

#include "diff.h"

enum { PROCESSES = 64 }; /* are looked at: others hardly have another program */

typedef struct program {
    const char *name, *build_id; /* without the path; "" not known; borrowed */
} program;

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *build_of(const report *r, const char *path) {
    hsc_db_module m;
    for (uint32_t i = 0; i < r->info.modules; i++)
        if (!hsc_db_get_module(r->db, i, &m, NULL) && !strcmp(m.path, path))
            return m.build_id;
    return "";
}

/* Those that the processes ran, list[PROCESSES]. */
static uint32_t find_programs(const report *r, program *list) {
    uint32_t n = 0;
    const char *last = "";
    for (uint32_t p = 0; p < r->info.processes && p < PROCESSES; p++) {
        const char *path = report_program_path(r, p);
        if (*path && strcmp(path, last))
            list[n++] = (program){file_name(path), build_of(r, path)};
        last = path;
    }
    return n;
}

/* "lu.W.x" of "./lu.W.x -n 3": how much of *at it is. */
static size_t program_of(const char *command, const char **at) {
    size_t n = strcspn(command, " ");
    *at = command;
    for (size_t i = 0; i < n; i++)
        if (command[i] == '/')
            *at = command + i + 1;
    return n - (size_t)(*at - command);
}

diff_programs diff_programs_of(const diff *d) {
    program a[PROCESSES], b[PROCESSES];
    uint32_t n_a = find_programs(&d->a, a), n_b = find_programs(&d->b, b);
    bool named = false, built = false;
    for (uint32_t i = 0; i < n_a; i++)
        for (uint32_t k = 0; k < n_b; k++) {
            named |= !strcmp(a[i].name, b[k].name);
            built |= *a[i].build_id && !strcmp(a[i].build_id, b[k].build_id);
        }
    if (n_a && n_b)
        return named ? DIFF_PROGRAMS_SAME : built ? DIFF_PROGRAMS_RENAMED : DIFF_PROGRAMS_OTHER;
    const char *name[2];
    size_t length = program_of(d->a.info.command, &name[0]), other = program_of(d->b.info.command, &name[1]);
    return length && other && (length != other || memcmp(name[0], name[1], length)) ? DIFF_PROGRAMS_OTHER : DIFF_PROGRAMS_SAME;
}

bool diff_is_same_build(const diff *d) {
    program a[PROCESSES], b[PROCESSES];
    uint32_t n_a = find_programs(&d->a, a), n_b = find_programs(&d->b, b), k;
    for (uint32_t i = 0; i < n_a; i++) {
        for (k = 0; k < n_b && (!*a[i].build_id || strcmp(a[i].build_id, b[k].build_id)); k++)
            ;
        if (k == n_b)
            return false;
    }
    return n_a && strcmp(d->a.info.path, d->b.info.path);
}

/* Of each module the samples in its own code, malloc'ed; NULL: no memory. */
static double *own_by_module(const report *r) {
    hsc_db_scope s;
    double *own = calloc((size_t)r->info.modules + 1, sizeof *own);
    for (uint32_t i = 0; own && i < r->info.scopes; i++)
        if (r->excl[i] > 0 && !hsc_db_get_scope(r->db, i, &s, NULL) && s.module < r->info.modules)
            own[s.module] += r->excl[i];
    return own;
}

/* Is a file of that name another build in r? Where it isn't there at all: is_gone. */
static bool is_other_build(const report *r, const hsc_db_module *m, bool *is_gone) {
    hsc_db_module x;
    bool other = false;
    *is_gone = true;
    for (uint32_t i = 0; i < r->info.modules; i++)
        if (!hsc_db_get_module(r->db, i, &x, NULL) && !strcmp(file_name(x.path), file_name(m->path))) {
            *is_gone = false;
            if (!*x.build_id || !*m->build_id || !strcmp(x.build_id, m->build_id))
                return false;
            other = true;
        }
    return other;
}

bool diff_other_libraries(const diff *d, char *out, size_t size) {
    enum { NAMED = 3 };
    static const double MATTERS = 0.01; /* of the run: one that is in one of the two alone may just not have been met by a sample */
    const report *r[2] = {&d->a, &d->b};
    uint32_t found = 0;
    size_t at = 0;
    out[0] = 0;
    for (int side = 0; side < 2; side++) {
        double *own = own_by_module(r[side]);
        for (;;) { /* the largest first */
            uint32_t best = HSC_NONE;
            hsc_db_module m;
            bool is_gone;
            for (uint32_t i = 0; own && i < r[side]->info.modules; i++)
                if (own[i] > 0 && (best == HSC_NONE || own[i] > own[best]))
                    best = i;
            if (best == HSC_NONE)
                break;
            double share = r[side]->total > 0 ? own[best] / r[side]->total : 0;
            own[best] = 0;
            if (hsc_db_get_module(r[side]->db, best, &m, NULL) || m.path[0] != '/')
                continue;
            bool other = is_other_build(r[!side], &m, &is_gone);
            if (!(other && side == 0) && !(is_gone && share >= MATTERS))
                continue;
            if (found++ < NAMED && at < size)
                at += (size_t)snprintf(out + at, size - at, "%s%s%s, %.1f %% of %c's time", found > 1 ? "; " : "", file_name(m.path), other ? "" : side ? " (not in A)" : " (not in B)", 100 * share, side ? 'B' : 'A');
        }
        free(own);
    }
    if (found > NAMED && at < size)
        snprintf(out + at, size - at, "; and %u more", found - NAMED);
    return found > 0;
}
