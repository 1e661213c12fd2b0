/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much memory a join may use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ranks.h"

/* The number in a file; UINT64_MAX: none. */
static uint64_t number_in(const char *folder, const char *name) {
    char path[4096], text[64];
    uint64_t n = UINT64_MAX;
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = length > 0 && (size_t)length < sizeof path ? fopen(path, "re") : NULL;
    if (f && fgets(text, sizeof text, f) && text[0] >= '0' && text[0] <= '9')
        n = strtoull(text, NULL, 10);
    if (f)
        fclose(f);
    return n;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* The least limit of the control groups that the process is in, of version 2 (one line, 0::PATH) or 1 (N:memory:PATH);
 * UINT64_MAX: none. */
static uint64_t group_limit(void) {
    uint64_t limit =
        least(number_in("/sys/fs/cgroup", "memory.max"), number_in("/sys/fs/cgroup/memory", "memory.limit_in_bytes"));
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && getline(&line, &room, f) > 0) {
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL, folder[4096];
        if (!path)
            continue;
        *path++ = 0;
        path[strcspn(path, "\n")] = 0;
        bool is_v2 = !controllers[1], is_memory = is_v2 || !strcmp(controllers + 1, "memory");
        while (is_memory && path[0]) { /* and all that it is in */
            int n = snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", is_v2 ? "" : "/memory", path);
            if (n > 0 && (size_t)n < sizeof folder)
                limit = least(limit, number_in(folder, is_v2 ? "memory.max" : "memory.limit_in_bytes"));
            char *slash = strrchr(path, '/');
            if (!slash)
                break;
            *slash = 0;
        }
    }
    free(line);
    if (f)
        fclose(f);
    return limit;
}

uint64_t hsc_join_memory(const hsc_join_options *options) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t all = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : (uint64_t)1 << 30;
    const struct hsc_team *team = options->team;
    if (options->memory_bytes)
        return options->memory_bytes;
    all = least(all, group_limit()) / 2;
    return team && team->on_node > 1 ? all / team->on_node : all;
}

/* What any join takes, and for each file: what is kept of a process until the end. Code that is looked up (1 to 60 MB), and places that pass messages and wait,
 * come on top: of that the user is told when it is known, hsc_join_note_peak(). */
static uint64_t least_memory(uint64_t files) {
    return JOIN_LEAST_BYTES + files * JOIN_FILE_BYTES;
}

void hsc_join_note_memory(const join *j) {
    uint64_t has = hsc_join_memory(j->options), least_bytes = least_memory(j->processes.n);
    char text[200];
    if (has >= least_bytes || !j->options->note || !hsc_ranks_is_first(j))
        return;
    snprintf(text, sizeof text, "%llu measurement file%s %llu MB at least%s, more than the %s %llu MB", (unsigned long long)j->processes.n, j->processes.n == 1 ? " takes" : "s take",
             (unsigned long long)(least_bytes >> 20), j->team ? " on each rank" : "",
             j->options->memory_bytes ? "--memory of" : "half of this machine's memory, which is", (unsigned long long)(has >> 20));
    j->options->note(j->options->progress_ctx, text);
}

void hsc_join_note_peak(const join *j) {
    struct rusage usage;
    uint64_t has = hsc_join_memory(j->options), peak = getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss << 10;
    char text[160];
    if (peak <= has || has < least_memory(j->processes.n) || !j->options->note || !hsc_ranks_is_first(j))
        return;
    snprintf(text, sizeof text, "this took %llu MB of memory, more than the %s %llu MB", (unsigned long long)(peak >> 20),
             j->options->memory_bytes ? "--memory of" : "half of this machine's memory, which is", (unsigned long long)(has >> 20));
    j->options->note(j->options->progress_ctx, text);
}
