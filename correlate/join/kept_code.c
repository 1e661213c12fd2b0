/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was read of modules, a file each in the folder `code` beside the user's key. A file's name is a seal over what the module is and
 * which program with which libraries reads it; in it stand the files that were looked at, with their facts, and the bytes of symbols/code_image.c. It
 * is used where all of them are as they were. Whoever uses one marks it as used; the folder holds a bounded number of bytes, and those that were not used for longest go. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "ranks.h"

#define FOLDER_BYTES ((uint64_t)256 << 20)
#define NO_FOLDER UINT64_MAX

typedef struct jbegin { /* of a file */
    char magic[16];
    hsc_seal all; /* what follows, and what is before */
    uint64_t size; /* of what follows */
} jbegin;
static const char magic[][16] = {[HSC_KEPT_CODE] = "heatscope code", [HSC_KEPT_ATT] = "heatscope text", [HSC_KEPT_INTEL] = "heatscope text"};

struct jkept_code {
    hsc_code_keeper keeper;
    join *j;
    char *folder;
    parcel who; /* reads modules here */
    bool has_written;
};

/* Of the file of a module; NULL: no memory. *name: what it is called. */
static char *path_of(const struct jkept_code *k, const hsc_code_spec *spec, hsc_seal *name) {
    parcel a = {0};
    char *path = NULL;
    parcel_put(&a, k->who.p, k->who.n);
    parcel_text(&a, spec->path);
    parcel_u64(&a, spec->build_id_size);
    parcel_put(&a, spec->build_id, spec->build_id_size);
    const uint64_t words[] = {spec->file_size, spec->file_mtime_ns, spec->map_dir_count, spec->with_data, spec->kept_as};
    parcel_put(&a, words, sizeof words);
    hsc_sealer s;
    hsc_made_begin_seal(k->j, &s, HSC_SEAL_MODULE, NULL);
    hsc_seal_add(&s, a.p, a.n);
    *name = hsc_seal_end(&s);
    if (a.failed || asprintf(&path, "%s/%016" PRIx64 "%016" PRIx64, k->folder, name->s[0], name->s[1]) < 0)
        path = NULL;
    parcel_fini(&a);
    return path;
}

static hsc_seal seal_all(const join *j, const hsc_seal *name, jbegin b, const uint8_t *bytes) {
    hsc_sealer s;
    b.all = (hsc_seal){{0, 0}};
    hsc_made_begin_seal(j, &s, HSC_SEAL_CODE, name->s);
    hsc_seal_add(&s, &b, sizeof b);
    hsc_seal_add(&s, bytes, b.size);
    return hsc_seal_end(&s);
}

static void note(join *j, const char *path, const char *what) {
    pthread_mutex_lock(&j->lock);
    if (!j->summary->cache_note[0])
        snprintf(j->summary->cache_note, sizeof j->summary->cache_note, "%.400s: %s", path, what);
    pthread_mutex_unlock(&j->lock);
}

/* All of the file, if its seal is ours; false: it is not there, or not to be used. */
static bool read_file(struct jkept_code *k, const char *path, const hsc_code_spec *spec, const hsc_seal *name, parcel *a) {
    jbegin b;
    struct stat st;
    const char *problem = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return false;
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
        problem = "cannot be read: the module is read";
    else if (!hsc_place_take(fd, &b, sizeof b, 0) || memcmp(b.magic, magic[spec->kept_as], sizeof b.magic) || b.size > 2 * HSC_CODE_KEPT_MAX ||
             (uint64_t)st.st_size != sizeof b + b.size)
        problem = "damaged: the module is read";
    else if (!(a->p = malloc(b.size + 1)))
        problem = "too large for the memory: the module is read";
    else if (!hsc_place_take(fd, a->p, a->n = a->cap = b.size, sizeof b) || !hsc_seal_equal(b.all, seal_all(k->j, name, b, a->p)))
        problem = "damaged: the module is read";
    if (fd >= 0)
        close(fd);
    if (problem) {
        note(k->j, path, problem);
        unlink(path);
    }
    return !problem;
}

/* The files that were looked at, where all are as they were. */
static bool take_looks(parcel *a, const hsc_code_spec *spec, hsc_pool *pool, hsc_looks *looks) {
    bool same = true;
    for (uint64_t n = parcel_take_u64(a); n && same && !a->failed; n--) {
        uint64_t folder = parcel_take_u64(a);
        const char *text = parcel_take_text(a, pool);
        hsc_file_facts then;
        char path[PATH_MAX];
        parcel_take(a, &then, sizeof then);
        int size = folder == NO_FOLDER                ? snprintf(path, sizeof path, "%s", text)
                   : folder < spec->map_dir_count     ? snprintf(path, sizeof path, "%s%s", spec->map_dirs[folder], text)
                                                      : -1;
        same = size >= 0 && (size_t)size < sizeof path;
        if (same)
            hsc_looks_add(looks, pool, path);
        same = same && !looks->has_more && !memcmp(&looks->list.p[looks->list.n - 1].facts, &then, sizeof then);
    }
    return same && !a->failed;
}

static uint8_t *get(void *ctx, const hsc_code_spec *spec, hsc_pool *pool, hsc_looks *looks, size_t *n) {
    struct jkept_code *k = ctx;
    parcel a = {0};
    hsc_seal name;
    char *path = path_of(k, spec, &name);
    bool good = path && read_file(k, path, spec, &name, &a) && take_looks(&a, spec, pool, looks);
    if (good) /* it was used */
        utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
    free(path);
    if (!good) {
        parcel_fini(&a);
        return NULL;
    }
    *n = a.n - a.at;
    memmove(a.p, a.p + a.at, *n);
    return a.p;
}

/* A file in the folder of maps of a measurement is told by the number of that: the next measurement has another one, where it is missing too. */
static bool put_looks(parcel *a, const hsc_code_spec *spec, const hsc_looks *looks) {
    bool good = !looks->has_more && looks->list.n;
    parcel_u64(a, looks->list.n);
    for (size_t i = 0; good && i < looks->list.n; i++) {
        const hsc_look *l = &looks->list.p[i];
        uint64_t folder = NO_FOLDER;
        size_t size = 0;
        for (size_t d = 0; folder == NO_FOLDER && d < spec->map_dir_count; d++) {
            size = strlen(spec->map_dirs[d]);
            if (!strncmp(l->path, spec->map_dirs[d], size) && l->path[size] == '/')
                folder = d;
        }
        good = !l->is_young && (folder == NO_FOLDER || !l->facts.is_there);
        parcel_u64(a, folder);
        parcel_text(a, folder == NO_FOLDER ? l->path : l->path + size);
        parcel_put(a, &l->facts, sizeof l->facts);
    }
    return good && !a->failed;
}

static void put(void *ctx, const hsc_code_spec *spec, const hsc_looks *looks, const uint8_t *bytes, size_t n) {
    struct jkept_code *k = ctx;
    parcel a = {0};
    hsc_seal name;
    char *path = put_looks(&a, spec, looks) ? path_of(k, spec, &name) : NULL, *part = NULL;
    parcel_put(&a, bytes, n);
    jbegin b = {.size = a.n};
    memcpy(b.magic, magic[spec->kept_as], sizeof b.magic);
    if (path && !a.failed && (!mkdir(k->folder, 0700) || errno == EEXIST)) {
        b.all = seal_all(k->j, &name, b, a.p);
        int fd = hsc_place_begin(path, &part);
        bool good = fd >= 0 && hsc_place_put(fd, &b, sizeof b, 0) && hsc_place_put(fd, a.p, a.n, sizeof b);
        if (hsc_place_end(path, fd, part, good))
            __atomic_store_n(&k->has_written, true, __ATOMIC_RELAXED);
    }
    parcel_fini(&a);
    free(path);
}

void hsc_kept_code_open(join *j) {
    const char *key = j->options->cache_key, *slash = key ? strrchr(key, '/') : NULL;
    struct jkept_code *k = j->key && j->program && slash && hsc_ranks_is_first(j) ? calloc(1, sizeof *k) : NULL;
    if (!k)
        return;
    *k = (struct jkept_code){.keeper = {k, get, put}, .j = j};
    parcel_put(&k->who, j->program, sizeof *j->program);
    hsc_made_put_libraries(&k->who);
    if (asprintf(&k->folder, "%.*s/code", (int)(slash - key), key) < 0)
        k->folder = NULL;
    j->kept_code = k;
    if (!k->folder || k->who.failed)
        hsc_kept_code_free(j);
}

const hsc_code_keeper *hsc_kept_code_get_keeper(const join *j) { return j->kept_code ? &j->kept_code->keeper : NULL; }

/* ---- the folder ---- */

typedef struct jfound {
    char name[256];
    uint64_t size;
    struct timespec used;
} jfound;

static int by_use(const void *pa, const void *pb) { /* last used first */
    const jfound *a = pa, *b = pb;
    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec > b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec > b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

void hsc_kept_code_trim(join *j) {
    struct jkept_code *k = j->kept_code;
    DIR *dir = k && k->has_written ? opendir(k->folder) : NULL;
    HSC_VEC(jfound) all = {0};
    uint64_t bytes = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        jfound f;
        struct stat st;
        if (strlen(e->d_name) < sizeof f.name && e->d_name[0] != '.' && !fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode)) {
            f = (jfound){.size = (uint64_t)st.st_size, .used = st.st_mtim};
            strcpy(f.name, e->d_name);
            (void)HSC_PUSH(all, f);
        }
    }
    if (all.n > 1)
        qsort(all.p, all.n, sizeof *all.p, by_use);
    for (size_t i = 0; i < all.n; i++) {
        bytes += all.p[i].size;
        if (bytes > FOLDER_BYTES)
            unlinkat(dirfd(dir), all.p[i].name, 0);
    }
    free(all.p);
    if (dir)
        closedir(dir);
}

void hsc_kept_code_free(join *j) {
    if (j->kept_code) {
        parcel_fini(&j->kept_code->who);
        free(j->kept_code->folder);
    }
    free(j->kept_code);
    j->kept_code = NULL;
}
