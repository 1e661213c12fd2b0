/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "looks.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define YOUNG_NS 100000000 /* some clock ticks of any kernel: file times count in them */

hsc_file_facts hsc_file_facts_of(const struct stat *st) {
    return (hsc_file_facts){1,
                            (uint64_t)st->st_dev,
                            (uint64_t)st->st_ino,
                            (uint64_t)st->st_size,
                            (uint64_t)st->st_mtim.tv_sec,
                            (uint64_t)st->st_mtim.tv_nsec,
                            (uint64_t)st->st_ctim.tv_sec,
                            (uint64_t)st->st_ctim.tv_nsec};
}

hsc_file_facts hsc_file_get_facts(const char *path) {
    struct stat st;
    return stat(path, &st) ? (hsc_file_facts){0} : hsc_file_facts_of(&st);
}

bool hsc_file_is_young(const hsc_file_facts *facts) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = ((int64_t)now.tv_sec - (int64_t)facts->changed_s) * 1000000000 + now.tv_nsec - (int64_t)facts->changed_ns;
    return facts->is_there && age < YOUNG_NS;
}

void hsc_looks_add(hsc_looks *looks, hsc_pool *pool, const char *path) {
    hsc_look look = {.path = hsc_pool_intern(pool, path, strlen(path)), .facts = hsc_file_get_facts(path)};
    look.is_young = hsc_file_is_young(&look.facts);
    if (!look.path || !HSC_PUSH(looks->list, look))
        looks->has_more = true;
}
