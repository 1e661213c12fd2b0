/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "made.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../symbols/instructions.h"
#include "cache.h"
#include "grown.h"
#include "parcel.h"
#include "ranks.h"

#define BLOCK_BYTES ((size_t)1 << 18)
#define MOST_BYTES ((uint64_t)1 << 30)

typedef struct jbegin { /* of the file */
    char magic[16];
    hsc_seal program; /* that wrote it: what follows is the memory of that program */
    hsc_seal all;     /* what follows, and what is before */
    uint64_t size;    /* of what follows */
} jbegin;
static const char magic[16] = "heatscope made";

typedef struct jknown { /* a measurement file of a process that has ended, as it was then */
    hsc_file_facts facts;
    hsc_seal seal;
} jknown;

struct jmade {
    char *path;
    parcel record; /* what an earlier join left, where its seal is ours */
    HSC_VEC(jknown) files;
    hsc_table file_rows; /* by path, which is in the join's pool */
    hsc_seal question;
    bool is_open; /* the question can't be asked again: what it depends on is not told */
    jpacked packed;
    hsc_packed_memo memo;
    jsame same;     /* of the database that is there */
    uint32_t kept;  /* its threads, whose values are kept */
    uint64_t leaves; /* jsame: of this join */
    hsc_seal times;
    jgrown_general general;         /* of these: */
    HSC_VEC(jgrown *) grown;
    hsc_table grown_rows; /* by path, which is in the join's pool */
};

void hsc_made_begin_seal(const join *j, hsc_sealer *s, unsigned what, const uint64_t *nonce) {
    const uint64_t head[] = {what, nonce ? nonce[0] : 0, nonce ? nonce[1] : 0};
    hsc_seal_begin(s, j->key, what == HSC_SEAL_FILE || what == HSC_SEAL_CHUNK || what == HSC_SEAL_PACKED || what == HSC_SEAL_CODE ? 1 : 2);
    hsc_seal_add(s, head, sizeof head);
}

/* ---- the measurement files ---- */

bool hsc_made_is_same(const jsealed *sealed) {
    struct stat st;
    return sealed->is_good && !stat(sealed->path, &st) && (uint64_t)st.st_size == sealed->size && st.st_mtim.tv_sec == sealed->changed.tv_sec &&
           st.st_mtim.tv_nsec == sealed->changed.tv_nsec;
}

/* Whose seal an earlier join made: with the same inode and times it has the same bytes, as nobody writes it any more. (A running program writes
 * through mmap, which changes no time while the page is dirty.) */
static bool is_known(const join *j, jsealed *to) {
    const jmade *made = j->made;
    uint32_t row = made && made->files.n ? hsc_table_get(&made->file_rows, (uintptr_t)to->path, 0) : HSC_NO_INDEX;
    if (row == HSC_NO_INDEX || memcmp(&made->files.p[row].facts, &to->facts, sizeof to->facts))
        return false;
    to->seal = made->files.p[row].seal;
    to->size = to->facts.size;
    return true;
}

typedef struct blocks { /* of a file: the seal of each, and that of all of these */
    HSC_VEC(hsc_seal) list;
    hsc_sealer one, all;
    size_t n; /* bytes of the one under way */
    bool failed;
} blocks;

static void begin_blocks(const join *j, blocks *b) {
    *b = (blocks){0};
    hsc_made_begin_seal(j, &b->one, HSC_SEAL_FILE, NULL);
    b->all = b->one;
}

static void end_block(const join *j, blocks *b) {
    hsc_seal seal = hsc_seal_end(&b->one);
    hsc_seal_add(&b->all, &seal, sizeof seal);
    b->failed = b->failed || !HSC_PUSH(b->list, seal);
    hsc_made_begin_seal(j, &b->one, HSC_SEAL_FILE, NULL);
    b->n = 0;
}

static void add_bytes(const join *j, blocks *b, const uint8_t *bytes, size_t n) {
    for (size_t m; n; bytes += m, n -= m) {
        m = JGROWN_BLOCK - b->n < n ? JGROWN_BLOCK - b->n : n;
        hsc_seal_add(&b->one, bytes, m);
        b->n += m;
        if (b->n == JGROWN_BLOCK)
            end_block(j, b);
    }
}

static hsc_status seal_file(void *ctx, size_t i, hsc_err *err) {
    (void)err;
    join *j = ctx;
    jsealed *to = &j->sealed[i];
    struct stat st;
    to->path = j->processes.p[i].path;
    if (j->team && j->processes.p[i].owner != j->team->rank)
        return HSC_OK;
    bool is_file = !stat(to->path, &st) && S_ISREG(st.st_mode), known = false;
    if (is_file) {
        to->facts = hsc_file_facts_of(&st);
        known = is_known(j, to); /* it need not be opened */
    }
    int fd = is_file && !known ? open(to->path, O_RDONLY | O_CLOEXEC) : -1;
    is_file = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
    if (is_file)
        to->facts = hsc_file_facts_of(&st);
    to->is_young = to->facts.is_there && hsc_file_is_young(&to->facts);
    uint8_t *block = is_file ? malloc(BLOCK_BYTES) : NULL;
    ssize_t got = block ? 1 : -1;
    blocks s;
    begin_blocks(j, &s);
    while (got > 0) {
        got = read(fd, block, BLOCK_BYTES);
        if (got < 0 && errno == EINTR) {
            got = 1;
        } else if (got > 0) {
            add_bytes(j, &s, block, (size_t)got);
            to->size += (uint64_t)got;
        }
    }
    if (s.n)
        end_block(j, &s);
    if (!got)
        to->seal = hsc_seal_end(&s.all);
    to->is_good = known || (!got && !s.failed);
    to->blocks = s.list.p;
    to->n_blocks = s.list.n;
    if (to->is_good)
        to->changed = st.st_mtim;
    free(block);
    if (fd >= 0)
        close(fd);
    return HSC_OK; /* whoever reads it says what is wrong with it */
}

/* Each rank has sealed its own. */
static hsc_status share_seals(join *j, hsc_err *err) {
    enum { WORDS = 6 };
    size_t n = j->processes.n;
    uint64_t *words = calloc(n * WORDS + 1, sizeof *words);
    if (!words)
        return hsc_join_no_memory(err);
    for (size_t i = 0; i < n; i++) {
        const jsealed *s = &j->sealed[i];
        const uint64_t all[WORDS] = {s->seal.s[0], s->seal.s[1], s->size, (uint64_t)s->changed.tv_sec, (uint64_t)s->changed.tv_nsec, s->is_good};
        memcpy(words + i * WORDS, all, sizeof all);
    }
    hsc_status status = hsc_ranks_add_up(j, words, n * WORDS, err);
    for (size_t i = 0; i < n && status == HSC_OK; i++) {
        const uint64_t *w = words + i * WORDS;
        jsealed *s = &j->sealed[i];
        s->seal = (hsc_seal){{w[0], w[1]}};
        s->size = w[2];
        s->changed = (struct timespec){(time_t)w[3], (long)w[4]};
        s->is_good = w[5] == 1;
    }
    free(words);
    return status;
}

/* ---- what the join is asked ---- */

static int put_library(struct dl_phdr_info *info, size_t size, void *ctx) {
    (void)size;
    if (info->dlpi_name && info->dlpi_name[0] == '/') { /* what it writes may depend on it */
        hsc_file_facts facts = hsc_file_get_facts(info->dlpi_name);
        parcel_text(ctx, info->dlpi_name);
        parcel_put(ctx, &facts, sizeof facts);
    }
    return 0;
}

void hsc_made_put_libraries(parcel *a) { dl_iterate_phdr(put_library, a); }

static bool seal_question(join *j) {
    const hsc_join_options *o = j->options;
    parcel a = {0};
    const uint64_t flags[] = {o->no_code, o->no_code ? 0 : o->code_bytes, !o->no_code && o->intel, o->no_times, o->keep_launchers,
                              o->input_count, o->map_dir_count, j->processes.n, j->foreign, j->categories.n, j->rules.n,
                              j->brief, j->brief_us, j->opening_us, j->finish_us, j->gone.n};
    parcel_put(&a, flags, sizeof flags);
    parcel_put(&a, j->took_us, sizeof j->took_us);
    parcel_put(&a, j->gone.p, j->gone.n * sizeof *j->gone.p);
    for (size_t i = 0; i < o->input_count; i++)
        parcel_text(&a, o->inputs[i]);
    for (size_t i = 0; i < o->map_dir_count; i++)
        parcel_text(&a, o->map_dirs[i]);
    for (size_t i = 0; i < j->categories.n; i++)
        parcel_text(&a, j->categories.p[i]);
    for (size_t i = 0; i < j->rules.n; i++) {
        const jrule *r = &j->rules.p[i];
        parcel_put(&a, (const uint8_t[]){r->what, r->strong, r->category}, 3);
        parcel_text(&a, r->pattern);
    }
    bool good = true;
    for (size_t i = 0; i < j->processes.n; i++) {
        const jprocess *p = &j->processes.p[i];
        parcel_text(&a, p->path);
        parcel_u64(&a, p->input);
        parcel_put(&a, &j->sealed[i].seal, sizeof j->sealed[i].seal);
        good = good && j->sealed[i].is_good;
    }
    hsc_made_put_libraries(&a);
    hsc_sealer s;
    hsc_made_begin_seal(j, &s, HSC_SEAL_QUESTION, NULL);
    hsc_seal_add(&s, j->program, sizeof *j->program);
    hsc_seal_add(&s, a.p, a.n);
    j->made->question = hsc_seal_end(&s);
    good = good && !a.failed;
    parcel_fini(&a);
    return good;
}

/* ---- what an earlier join left ---- */

static void note(const join *j, const char *what) {
    if (!j->summary->cache_note[0])
        snprintf(j->summary->cache_note, sizeof j->summary->cache_note, "%.400s: %s", j->made->path, what);
}

static hsc_seal seal_all(const join *j, jbegin b, const parcel *a) {
    hsc_sealer s;
    b.all = (hsc_seal){{0, 0}};
    hsc_made_begin_seal(j, &s, HSC_SEAL_MADE, NULL);
    hsc_seal_add(&s, &b, sizeof b);
    hsc_seal_add(&s, a->p, a->n);
    return hsc_seal_end(&s);
}

/* What it says is believed where its seal is ours. */
static bool read_made(const join *j, parcel *a) {
    struct stat st;
    jbegin b;
    const char *problem = NULL;
    int fd = open(j->made->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return false;
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
        problem = "cannot be read: not used";
    else if (!hsc_place_take(fd, &b, sizeof b, 0) || memcmp(b.magic, magic, sizeof magic))
        problem = "not a file of heatscope: not used";
    else if (!hsc_seal_equal(b.program, *j->program))
        problem = "written by another heatscope or another user: not used";
    else if (b.size > MOST_BYTES || (uint64_t)st.st_size != sizeof b + b.size)
        problem = "damaged: not used";
    else if (!(a->p = malloc(b.size + 1)))
        problem = "too large for the memory: not used";
    else if (!hsc_place_take(fd, a->p, a->n = a->cap = b.size, sizeof b) || !hsc_seal_equal(b.all, seal_all(j, b, a)))
        problem = "damaged: not used";
    if (fd >= 0)
        close(fd);
    if (problem)
        note(j, problem);
    return !problem;
}

static bool is_same_file(parcel *a, const char *path) {
    hsc_file_facts then, now = hsc_file_get_facts(path);
    parcel_take(a, &then, sizeof then);
    return !memcmp(&then, &now, sizeof now);
}

/* What can't be taken is read again. */
static void take_grown(join *j, parcel *a) {
    jmade *made = j->made;
    parcel_take(a, &made->general, sizeof made->general);
    for (uint64_t n = parcel_take_u64(a); n && !a->failed; n--) {
        const char *path = parcel_take_text(a, &j->pool);
        jgrown *g = a->failed ? NULL : hsc_grown_take(a);
        uint32_t *row = g ? hsc_table_at(&made->grown_rows, (uintptr_t)path, 0) : NULL;
        a->failed = !row || !HSC_PUSH(made->grown, g);
        if (!a->failed)
            *row = (uint32_t)made->grown.n - 1;
        else
            hsc_grown_free(g);
    }
}

/* The file's seals to what is noted of it; false: nothing is. */
static bool settle_grown(const join *j, const jprocess *p) {
    jgrown *g = p->grows;
    const jsealed *s = NULL;
    for (size_t i = 0; g && i < j->processes.n && !s; i++)
        s = j->sealed[i].path == p->path ? &j->sealed[i] : NULL;
    if (!s || !s->is_good || !s->n_blocks || !HSC_RESERVE(g->blocks, s->n_blocks))
        return false;
    memcpy(g->blocks.p, s->blocks, s->n_blocks * sizeof *s->blocks);
    g->blocks.n = s->n_blocks;
    g->weight = p->weight;
    return hsc_grown_settle(g);
}

static void put_grown(const join *j, parcel *a) {
    jgrown_general general = hsc_grown_general(j);
    parcel some = {0};
    uint64_t n = 0;
    for (size_t i = 0; hsc_made_notes_grown(j) && i < j->processes.n; i++)
        if (settle_grown(j, &j->processes.p[i])) {
            parcel_text(&some, j->processes.p[i].path);
            hsc_grown_put(j->processes.p[i].grows, &some);
            n++;
        }
    a->failed = a->failed || some.failed;
    parcel_put(a, &general, sizeof general);
    parcel_u64(a, n);
    parcel_put(a, some.p, some.n);
    parcel_fini(&some);
}

/* Of a file that is known by its facts the blocks are those that it had. */
jgrown *hsc_made_find_grown(join *j, const char *path, const jsealed **sealed) {
    uint32_t row = hsc_made_notes_grown(j) && !j->keeps_nothing ? hsc_table_get(&j->made->grown_rows, (uintptr_t)path, 0) : HSC_NO_INDEX;
    jgrown *g = row == HSC_NO_INDEX ? NULL : j->made->grown.p[row];
    for (size_t i = 0; g && i < j->processes.n; i++)
        if (j->sealed[i].path == path) {
            jsealed *s = &j->sealed[i];
            if (!s->blocks && s->is_good && (s->blocks = malloc((g->blocks.n + 1) * sizeof *s->blocks))) {
                memcpy(s->blocks, g->blocks.p, g->blocks.n * sizeof *s->blocks);
                s->n_blocks = g->blocks.n;
            }
            *sealed = s;
            return s->is_good && s->blocks ? g : NULL;
        }
    return NULL;
}

bool hsc_made_may_go_on(const join *j, const jgrown_general *now) {
    const jmade *m = j->made;
    return m && !j->keeps_nothing && m->packed.is_same && m->packed.old.n && !memcmp(&m->general, now, sizeof *now);
}

bool hsc_made_notes_grown(const join *j) {
    return j->made && !j->team && !j->options->no_times && !hsc_cache_keeps(j) && j->sealed;
}

/* Whether the database is what this join would make; its chunks, where it is the one that they were noted of. */
static bool take_made(join *j, parcel *a) {
    hsc_file_facts database;
    hsc_seal question;
    hsc_pool pool = {0};
    hsc_join_summary summary;
    parcel_take(a, &database, sizeof database);
    parcel_take(a, &question, sizeof question);
    hsc_file_facts now = hsc_file_get_facts(j->options->output);
    bool answers = parcel_take_u64(a), same = !memcmp(&database, &now, sizeof now);
    bool made = same && answers && !j->made->is_open && hsc_seal_equal(question, j->made->question);
    for (uint64_t n = parcel_take_u64(a); !a->failed && n; n--) {
        const char *path = parcel_take_text(a, &pool);
        made = is_same_file(a, path) && made;
    }
    hsc_pool_fini(&pool);
    parcel_take(a, &summary, sizeof summary);
    if (made && !a->failed) {
        *j->summary = summary;
        j->summary->processes_reused = summary.processes;
        j->summary->is_unchanged = true;
        return true;
    }
    PARCEL_TAKE_VEC(a, j->made->packed.old);
    j->made->same.threads = parcel_take_u64(a);
    PARCEL_TAKE_VEC(a, j->made->same.frames);
    PARCEL_TAKE_VEC(a, j->made->same.processes);
    parcel_take(a, &j->made->same.general, sizeof(hsc_seal));
    parcel_take(a, &j->made->same.contexts, sizeof(hsc_seal));
    parcel_take(a, &j->made->same.instructions, sizeof(hsc_seal));
    j->made->same.leaves = parcel_take_u64(a);
    parcel_take(a, &j->made->same.times, sizeof(hsc_seal));
    if (a->failed)
        j->made->packed.old.n = j->made->same.threads = 0;
    else
        take_grown(j, a);
    hsc_packed_open(&j->made->packed, j, &database);
    return false;
}

/* The last of a record: the files, and how many bytes that are. */
static void put_files(const join *j, parcel *a) {
    size_t before = a->n;
    uint64_t n = 0;
    for (size_t i = 0; i < j->processes.n; i++)
        n += j->processes.p[i].has_end && j->sealed[i].is_good && j->sealed[i].facts.is_there && !j->sealed[i].is_young;
    parcel_u64(a, n);
    for (size_t i = 0; i < j->processes.n; i++) {
        const jsealed *s = &j->sealed[i];
        const jknown f = {s->facts, s->seal};
        if (!j->processes.p[i].has_end || !s->is_good || !s->facts.is_there || s->is_young)
            continue;
        parcel_text(a, s->path);
        parcel_put(a, &f, sizeof f);
    }
    parcel_u64(a, a->n - before);
}

/* What cannot be taken is read again. */
static void take_files(join *j, const parcel *record) {
    jmade *made = j->made;
    parcel a = {.p = record->p, .n = record->n, .at = record->n < 8 ? record->n : record->n - 8};
    uint64_t bytes = parcel_take_u64(&a);
    a.n -= a.n < 8 ? a.n : 8;
    a.failed = a.failed || bytes > a.n;
    a.at = a.failed ? a.n : a.n - bytes;
    for (uint64_t n = parcel_take_u64(&a); n && !a.failed; n--) {
        jknown f = {0};
        const char *path = parcel_take_text(&a, &j->pool);
        parcel_take(&a, &f, sizeof f);
        uint32_t *row = a.failed || !HSC_PUSH(made->files, f) ? NULL : hsc_table_at(&made->file_rows, (uintptr_t)path, 0);
        a.failed = !row;
        if (row)
            *row = (uint32_t)made->files.n - 1;
    }
}

/* The first rank alone has what was left. */
static bool begin_made(join *j) {
    j->made = calloc(1, sizeof *j->made);
    if (!j->made || !(j->made->path = hsc_place_of(j->options->output, "made")))
        return false;
    j->made->packed = (jpacked){.j = j, .fd = -1};
    j->made->memo = hsc_packed_get_memo(&j->made->packed);
    if (!read_made(j, &j->made->record))
        parcel_fini(&j->made->record);
    if (j->made->record.p)
        take_files(j, &j->made->record);
    return true;
}

static void open_made(join *j) {
    j->made->is_open = !seal_question(j) || j->options->embed_sources;
    j->is_made = j->made->record.p && take_made(j, &j->made->record);
    parcel_fini(&j->made->record);
}

hsc_status hsc_made_open(join *j, hsc_err *err) {
    j->sealed = calloc(j->processes.n + 1, sizeof *j->sealed);
    if (!j->sealed)
        return hsc_join_no_memory(err);
    hsc_status status = hsc_ranks_is_first(j) && !begin_made(j) ? hsc_join_no_memory(err) : HSC_OK;
    if (status == HSC_OK)
        status = hsc_join_each(j, j->processes.n, seal_file, j, "looking for what is new", err);
    if (status == HSC_OK && j->team)
        status = share_seals(j, err);
    if (status == HSC_OK && hsc_ranks_is_first(j))
        open_made(j);
    uint64_t is_made = j->is_made;
    if (status == HSC_OK)
        status = hsc_ranks_add_up(j, &is_made, 1, err);
    j->is_made = is_made;
    return status;
}

const hsc_packed_memo *hsc_made_get_memo(join *j) { return j->made ? &j->made->memo : NULL; }

void hsc_made_set_before(join *j, hsc_store *store) {
    if (j->team || j->keeps_nothing || !j->made || !j->made->packed.is_same || !j->made->packed.old.n)
        return;
    j->made->kept = hsc_same_threads(j, &j->made->same);
    if (j->made->kept || j->goes_on)
        hsc_store_set_before(store, j->made->packed.fd);
}

uint32_t hsc_made_kept_threads(const join *j, uint32_t metric, hsc_db_table table) {
    return j->made && j->made->kept && hsc_same_table(j, &j->made->same, metric, table) ? j->made->kept : 0;
}

uint32_t hsc_made_kept_times(join *j, const jsame_leaf *leaves, size_t n, uint32_t bin) {
    jmade *made = j->team ? NULL : j->made;
    hsc_seal before;
    if (!made || !hsc_same_seal_times(j, leaves, n, bin, &made->times))
        return 0;
    made->leaves = n;
    bool same = made->kept && made->same.leaves <= n && hsc_same_seal_times(j, leaves, made->same.leaves, bin, &before) && hsc_seal_equal(before, made->same.times);
    return same ? made->kept : 0;
}

/* ---- for the next one ---- */

static bool put_looks(parcel *a, const hsc_looks *looks, uint64_t *n) {
    bool good = !looks->has_more;
    for (size_t i = 0; good && i < looks->list.n; i++) {
        const hsc_look *l = &looks->list.p[i];
        good = !l->is_young;
        parcel_text(a, l->path);
        parcel_put(a, &l->facts, sizeof l->facts);
    }
    *n += looks->list.n;
    return good;
}

static bool put_made(join *j, parcel *a) {
    parcel looked = {0};
    hsc_looks others = {0};
    const char *path;
    uint64_t n = 0;
    bool good = !j->made->is_open && hsc_disassembler_get_file(&path);
    for (size_t i = 0; good && i < j->processes.n; i++)
        good = hsc_made_is_same(&j->sealed[i]);
    if (good && path[0])
        hsc_looks_add(&others, &j->pool, path);
    good = good && put_looks(&looked, &others, &n) && put_looks(&looked, &j->generated_looks, &n);
    for (size_t i = 0; good && i < j->modules.n; i++)
        good = !j->modules.p[i].code || put_looks(&looked, hsc_code_get_looks(j->modules.p[i].code), &n);
    parcel_put(a, &j->made_facts, sizeof j->made_facts);
    parcel_put(a, &j->made->question, sizeof j->made->question);
    good = good && !looked.failed;
    parcel_u64(a, good);
    parcel_u64(a, good ? n : 0);
    if (good)
        parcel_put(a, looked.p, looked.n);
    hsc_join_summary summary = *j->summary;
    memset(summary.cache_note, 0, sizeof summary.cache_note);
    summary.chunks_reused = summary.threads_kept = summary.tables_kept = summary.times_kept = summary.times_grown = 0;
    parcel_put(a, &summary, sizeof summary);
    PARCEL_VEC(a, j->made->packed.made);
    jsame same = {0};
    if (!hsc_same_make(j, &same))
        same.threads = 0;
    parcel_u64(a, same.threads);
    PARCEL_VEC(a, same.frames);
    PARCEL_VEC(a, same.processes);
    parcel_put(a, &same.general, sizeof(hsc_seal));
    parcel_put(a, &same.contexts, sizeof(hsc_seal));
    parcel_put(a, &same.instructions, sizeof(hsc_seal));
    parcel_u64(a, j->made->leaves);
    parcel_put(a, &j->made->times, sizeof(hsc_seal));
    hsc_same_fini(&same);
    put_grown(j, a);
    put_files(j, a);
    parcel_fini(&looked);
    free(others.list.p);
    return j->made_facts.is_there && !a->failed;
}

void hsc_made_write(join *j) {
    if (!j->made)
        return;
    parcel a = {0};
    char *part = NULL;
    bool wanted = put_made(j, &a);
    jbegin b = {.program = *j->program, .size = a.n};
    memcpy(b.magic, magic, sizeof magic);
    int fd = wanted ? hsc_place_begin(j->made->path, &part) : -1;
    if (fd >= 0) {
        b.all = seal_all(j, b, &a);
        bool good = hsc_place_put(fd, &b, sizeof b, 0) && hsc_place_put(fd, a.p, a.n, sizeof b);
        wanted = hsc_place_end(j->made->path, fd, part, good);
    }
    if (!wanted || fd < 0)
        unlink(j->made->path); /* it tells of a database that is no more */
    parcel_fini(&a);
}

void hsc_made_free(join *j) {
    if (j->made) {
        hsc_packed_fini(&j->made->packed);
        hsc_same_fini(&j->made->same);
        hsc_table_fini(&j->made->file_rows);
        hsc_table_fini(&j->made->grown_rows);
        for (size_t i = 0; i < j->made->grown.n; i++)
            hsc_grown_free(j->made->grown.p[i]);
        free(j->made->grown.p);
        free(j->made->files.p);
        parcel_fini(&j->made->record);
        free(j->made->path);
    }
    free(j->made);
    j->made = NULL;
}
