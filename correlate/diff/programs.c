/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether two runs are of one program: by the build, then by the name. */
#include <string.h>

#include "diff.h"

enum { PROCESSES = 64 }; /* are looked at: others hardly have another program */

typedef struct program {
    const char *name, *build_id; /* without the path; "" not known; borrowed */
} program;

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
        const char *path = report_program_path(r, p), *slash = strrchr(path, '/');
        if (*path && strcmp(path, last))
            list[n++] = (program){slash ? slash + 1 : path, build_of(r, path)};
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
