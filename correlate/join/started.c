/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who starts others, and what the user started: the first process of the run, also where it is left out because it only starts others. */
#include <string.h>

#include "join_internal.h"

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_one_of(const jprocess *p, const char *const *names, size_t n) {
    const char *name = base_of(p->executable);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static bool is_shell(const jprocess *p) {
    static const char *const names[] = {"sh", "bash", "dash", "zsh"};
    return is_one_of(p, names, sizeof names / sizeof *names);
}

bool hsc_join_is_launcher(const jprocess *p) {
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "orted", "prterun", "prted", "prte", "srun", "mpiexec.hydra", "hydra_pmi_proxy", "hydra_bstrap_proxy",
                                        "env", "time", "timeout", "nice", "taskset", "numactl", "heatscope"};
    return is_shell(p) || is_one_of(p, names, sizeof names / sizeof *names);
}

bool hsc_join_shells_work(const join *j) {
    uint64_t programs = 0, shells = 0;
    for (size_t i = 0; i < j->processes.n; i++) {
        const jprocess *p = &j->processes.p[i];
        bool shell = is_shell(p), counts = !p->is_foreign && (shell || !p->is_launcher);
        for (size_t k = 0; k < p->threads.n && counts; k++)
            *(shell ? &shells : &programs) += p->threads.p[k].samples;
    }
    return shells > 10 * programs;
}

const jprocess *hsc_join_started(const join *j) {
    const jprocess *first = j->run.p[0];
    if (first->rank >= 0) /* an MPI launcher is of no interest, and ranks have clocks of their own */
        return first;
    for (size_t i = 0; i < j->processes.n; i++) {
        const jprocess *p = &j->processes.p[i];
        if (!p->is_foreign && p->has_start && p->start_unix_ns && p->executable[0] && p->start_unix_ns < first->start_unix_ns)
            first = p;
    }
    return first;
}

size_t hsc_join_count_programs(const join *j) {
    size_t n = 0;
    for (size_t i = 0; i < j->run.n; i++) {
        size_t k = 0;
        while (k < i && strcmp(j->run.p[k]->executable, j->run.p[i]->executable))
            k++;
        n += k == i;
    }
    return n;
}

/* The script that a shell runs: the first argument that is no option; a shell with -c has none. */
static const char *script_of(join *j, const jprocess *p) {
    const char *at = strchr(p->arguments, ' ');
    if (!is_shell(p))
        return NULL;
    while (at) {
        at++;
        size_t n = strcspn(at, " ");
        if (*at != '-') {
            const char *word = n ? hsc_pool_intern(&j->pool, at, n) : NULL;
            return word && base_of(word)[0] ? base_of(word) : NULL;
        }
        if (n > 1 && at[1] != '-' && memchr(at, 'c', n))
            return NULL;
        at = at[n] ? at + n : NULL;
    }
    return NULL;
}

const char *hsc_join_program_name(join *j) {
    const jprocess *p = hsc_join_started(j);
    if (hsc_join_count_programs(j) > 1 && p->rank < 0) {
        const char *script = script_of(j, p);
        return script ? script : base_of(p->executable);
    }
    for (size_t i = 0; i < j->run.n; i++)
        if (j->run.p[i]->executable[0])
            return base_of(j->run.p[i]->executable);
    return "program";
}
