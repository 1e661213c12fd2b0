/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "generated.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <heatscope/sorted.h>

/* ---- a process's files ---- */

typedef struct search {
    join *join; /* told which files were looked at; NULL: it was */
    hsc_jit_map *map;
    uint64_t owner;
    int64_t since_s;
    bool ok;
} search;

/* True: it is there. */
static bool take_file(search *s, const char *path, bool may_be_older) {
    struct stat st;
    if (s->join) {
        pthread_mutex_lock(&s->join->lock);
        hsc_looks_add(&s->join->generated_looks, &s->join->pool, path);
        pthread_mutex_unlock(&s->join->lock);
    }
    if (!s->ok || lstat(path, &st) || (!may_be_older && st.st_mtim.tv_sec < s->since_s)) /* of another process of that number */
        return false;
    s->ok = hsc_jit_map_read(s->map, path, s->owner);
    return true;
}

/* DIR/.generated/NAME.KIND of DIR/NAME.hsr */
static bool take_kept(search *s, const char *measured, const char *kind) {
    const char *slash = strrchr(measured, '/'), *name = slash ? slash + 1 : measured;
    char path[4400];
    size_t n = strlen(name);
    n = n > 4 && !strcmp(name + n - 4, ".hsr") ? n - 4 : n;
    return snprintf(path, sizeof path, "%.*s.generated/%.*s.%s", (int)(name - measured), measured, (int)n, name, kind) < (int)sizeof path && take_file(s, path, true);
}

static bool is_here(const jprocess *p) {
    struct utsname u;
    return !uname(&u) && !strcmp(u.nodename, p->host);
}

hsc_jit_map *hsc_generated_load(join *j, const jprocess *p) {
    struct stat st;
    char path[64];
    search s = {j, hsc_jit_map_new(), 0, (int64_t)(p->start_unix_ns / 1000000000u), true};
    if (!s.map || stat(p->path, &st)) /* empty, where the measurement is gone */
        return s.map;
    s.owner = st.st_uid;
    bool kept = take_kept(&s, p->path, "map");
    kept = take_kept(&s, p->path, "dump") || kept; /* says more than the map: what is told last counts */
    if (!kept && is_here(p)) {
        snprintf(path, sizeof path, "/tmp/perf-%llu.map", (unsigned long long)p->pid);
        take_file(&s, path, false);
        snprintf(path, sizeof path, "/tmp/jit-%llu.dump", (unsigned long long)p->pid);
        take_file(&s, path, false);
    }
    if (s.ok && hsc_jit_map_settle(s.map))
        return s.map;
    hsc_jit_map_free(s.map);
    return NULL;
}

uint64_t hsc_generated_key(const hsc_jit_map *m, uint64_t address, bool exact) {
    hsc_jit_place p;
    return m && hsc_jit_map_find(m, exact || !address ? address : address - 1, &p) ? hsc_jit_place_key(&p) + !exact : 0;
}

/* ---- the module ---- */

bool hsc_generated_is(const jmodule *m) { return !strcmp(m->path, HSC_DB_GENERATED); }

typedef struct found {
    uint64_t key;
    hsc_jit_place place;
} found;

typedef struct finding {
    hsc_table wanted; /* (key, 0): 1 once it was found */
    HSC_VEC(found) list;
    hsc_pool *pool; /* maps go before what is found is used */
} finding;

static bool take_place(void *ctx, const hsc_jit_place *p) {
    finding *f = ctx;
    uint64_t key = hsc_jit_place_key(p);
    if (hsc_table_get(&f->wanted, key, 0) != 0)
        return true;
    found x = {key, *p};
    const char **texts[] = {&x.place.name, &x.place.file, &x.place.at_file};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!(*texts[i] = hsc_pool_intern(f->pool, *texts[i], strlen(*texts[i]))))
            return false;
    *hsc_table_at(&f->wanted, key, 0) = 1; /* it is there */
    return HSC_PUSH(f->list, x);
}

static int by_key(const void *pa, const void *pb) {
    const found *a = pa, *b = pb;
    return a->key < b->key ? -1 : a->key > b->key;
}

static hsc_code *code_of(const finding *f, const char *path, const char *problem) {
    size_t n = f->list.n;
    hsc_jit_place *places = malloc((n + 1) * sizeof *places);
    uint64_t *keys = malloc((n + 1) * sizeof *keys);
    if (n > 1)
        qsort(f->list.p, n, sizeof *f->list.p, by_key);
    for (size_t i = 0; places && keys && i < n; i++) {
        places[i] = f->list.p[i].place;
        keys[i] = f->list.p[i].key;
    }
    hsc_code *code = places && keys ? hsc_code_of_places(path, places, keys, n, problem) : NULL;
    free(places);
    free(keys);
    return code;
}

hsc_status hsc_generated_open(join *j, jmodule *m, hsc_err *err) {
    hsc_pool pool = {0};
    finding f = {.pool = &pool};
    char problem[400] = "";
    bool ok = true;
    for (size_t i = 0; ok && i < m->address_rows.n; i++) {
        uint32_t *at = hsc_table_at(&f.wanted, j->places.p[m->address_rows.p[i]].address & ~1ull, 0);
        ok = at != NULL;
        if (ok)
            *at = 0;
    }
    for (size_t i = 0; ok && i < j->run.n; i++) {
        hsc_jit_map *map = j->run.p[i]->has_strangers ? hsc_generated_load(j, j->run.p[i]) : NULL;
        ok = !j->run.p[i]->has_strangers || (map && hsc_jit_map_each(map, take_place, &f));
        if (ok && map && !problem[0])
            snprintf(problem, sizeof problem, "%s", hsc_jit_map_get_problem(map));
        hsc_jit_map_free(map);
    }
    m->code = ok ? code_of(&f, m->path, problem) : NULL;
    free(f.list.p);
    hsc_table_fini(&f.wanted);
    hsc_pool_fini(&pool);
    return m->code ? HSC_OK : hsc_join_no_memory(err);
}
