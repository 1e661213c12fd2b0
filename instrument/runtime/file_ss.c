/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process's file: grown and mapped outside handlers, handed out in slots without locks. No descriptor stays open:
 * programs close, count and reuse descriptors as they like. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt.h"

#define MAIN_SLOT 16384u
#define STEP_FIRST 131072u /* the schema alone takes some 42 kB */
#define STEP_MAX (4u << 20)
#define REST_MIN 1024u /* of a slot, worth being handed out again */
#define SPARE_STREAM UINT32_MAX /* of empty chunks that nobody has taken yet */

static bool failed(long r) {
    return r < 0 && r > -4096;
}

/* ---- room ------------------------------------------------------------------------------------------------------------ */

static uint64_t room_left(const hsc_rt_file *f, uint64_t want) {
    struct rlimit64 limit;
    if (!hsc_sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit) && limit.rlim_cur != RLIM64_INFINITY) {
        /* beyond it there would be SIGXFSZ */
        uint64_t left = limit.rlim_cur > f->size ? limit.rlim_cur - f->size : 0;
        want = left < want ? left : want;
    }
    if (f->limit) {
        uint64_t left = f->limit > f->size ? f->limit - f->size : 0;
        want = left < want ? left : want;
    }
    return want / HSC_RT_PAGE * HSC_RT_PAGE;
}

/* Real blocks, so that a store into the mapping never finds the disk full. */
static long allocate(long fd, uint64_t from, uint64_t size) {
    long r;
    do
        r = hsc_sys4(SYS_fallocate, fd, 0, (long)from, (long)size);
    while (r == -EINTR);
    if (r != -EOPNOTSUPP && r != -ENOSYS)
        return r;
    static const uint8_t zeros[HSC_RT_PAGE];
    for (uint64_t at = from; at < from + size;) {
        uint64_t n = from + size - at < sizeof zeros ? from + size - at : sizeof zeros;
        r = hsc_sys4(SYS_pwrite64, fd, (long)zeros, (long)n, (long)at);
        if (r == -EINTR)
            continue;
        if (r <= 0)
            return r ? r : -ENOSPC;
        at += (uint64_t)r;
    }
    return 0;
}

/* One more segment of `want` bytes or of what there is room for; at least `least`. */
static bool grow(hsc_rt_file *f, long fd, uint64_t want, uint64_t least, int *error) {
    *error = 0;
    if (f->segments == HSC_RT_SEGMENTS)
        return false;
    uint64_t size = room_left(f, want);
    long r = -EFBIG;
    for (; size >= least && size; size = size / 2 / HSC_RT_PAGE * HSC_RT_PAGE)
        if (!(r = allocate(fd, f->size, size)) || (r != -ENOSPC && r != -EDQUOT))
            break;
    if (r || size < least || !size) {
        *error = (int)-r;
        return false;
    }
    long p = hsc_sys6(SYS_mmap, hsc_rt_place(size), (long)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (long)f->size);
    if (failed(p)) {
        *error = (int)-p;
        return false;
    }
    hsc_sys3(SYS_madvise, p, (long)size, MADV_DONTFORK); /* a child has a file of its own */
    hsc_sys3(SYS_madvise, p, (long)size, MADV_DONTDUMP);
    f->segment[f->segments++] = (hsc_rt_segment){(uint8_t *)p, f->size, (uint32_t)size, 0, 0, 0};
    f->size += size;
    return true;
}

/* The one process that says for all that share the directory that there is no room: the one that takes a name away which `heatscope run` has put there. That needs no
 * room itself. Where nobody has put it there each says it. */
static bool is_first_to_say(const hsc_rt_file *f) {
    char path[HSC_RT_PATH + 8];
    size_t at = 0, folder = 0;
    if (hsc_rt_status_of("\nSeccomp:") == 2) /* it may end who makes an unusual call */
        return true;
    for (size_t i = 0; f->path[i]; i++)
        folder = f->path[i] == '/' ? i + 1 : folder;
    hsc_rt_append(path, sizeof path, &at, f->path);
    path[at = folder] = 0;
    hsc_rt_append(path, sizeof path, &at, HSC_RT_ROOM_FILE);
    if (hsc_sys3(SYS_unlink, (long)path, 0, 0) != -ENOENT)
        return true;
    path[at = folder] = 0;
    hsc_rt_append(path, sizeof path, &at, HSC_RT_RUN_FILE);
    return hsc_sys4(SYS_faccessat, AT_FDCWD, (long)path, F_OK, 0) != 0;
}

static bool grow_by_path(hsc_rt_file *f, uint64_t want, uint64_t least) {
    int error = 0;
    bool ok = false;
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)f->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    if (!failed(fd)) {
        struct stat st;
        if (!hsc_sys3(SYS_fstat, fd, (long)&st, 0) && st.st_dev == f->device && st.st_ino == f->inode)
            ok = grow(f, fd, want, least, &error);
        hsc_sys3(SYS_close, fd, 0, 0);
    }
    if (!ok && !atomic_load_explicit(&f->out_of_room, memory_order_relaxed)) {
        char line[HSC_RT_PATH + 128];
        size_t at = 0;
        bool forbidden = fd == -EACCES || fd == -EPERM;
        hsc_rt_append(line, sizeof line, &at, forbidden ? "the process may no longer open " : "no room for more samples in ");
        hsc_rt_append(line, sizeof line, &at, f->path);
        hsc_rt_append(line, sizeof line, &at, "; the program goes on, what is lost from now on is counted");
        if (forbidden || is_first_to_say(f))
            hsc_rt_say(line);
        atomic_store_explicit(&f->out_of_room, true, memory_order_release);
    }
    return ok;
}

/* ---- slots ----------------------------------------------------------------------------------------------------------- */

static uint8_t *cut(hsc_rt_file *f, uint32_t size) {
    hsc_rt_segment *s = f->segments ? &f->segment[f->segments - 1] : NULL;
    if (!s || s->size - s->used < size)
        return NULL;
    uint8_t *p = s->base + s->used;
    s->used += size;
    return p;
}

/* Where in the file a slot lies that was just cut. */
static uint64_t place(const hsc_rt_file *f, const uint8_t *p) {
    const hsc_rt_segment *s = &f->segment[f->segments - 1];
    return s->offset + (uint64_t)(p - s->base);
}

static void mark_spare(uint8_t *base, uint32_t size) {
    hsc_chunk_writer w;
    hsc_chunk_begin(&w, base, size, HSC_CHUNK_DYNAMIC, SPARE_STREAM, 0, 0, 0);
}

void hsc_rt_slot_spare(uint8_t *base, uint32_t size) {
    mark_spare(base, size);
}

/* What is left of the last segment and too small for a large slot becomes small ones. */
static void use_up(hsc_rt_file *f) {
    hsc_rt_segment *s = &f->segment[f->segments - 1];
    for (uint32_t i = 0; i < HSC_RT_SPARES && s->size - s->used >= HSC_RT_SMALL_SLOT; i++) {
        if (atomic_load_explicit(&f->spare_small[i], memory_order_relaxed))
            continue;
        uint8_t *p = cut(f, HSC_RT_SMALL_SLOT);
        mark_spare(p, HSC_RT_SMALL_SLOT);
        atomic_store_explicit(&f->small_at[i], place(f, p), memory_order_relaxed);
        atomic_store_explicit(&f->spare_small[i], p, memory_order_release);
    }
    if (s->size > s->used) {
        mark_spare(s->base + s->used, s->size - s->used);
        s->retired += s->size - s->used;
        s->used = s->size;
    }
}

static uint8_t *cut_or_grow(hsc_rt_file *f, uint32_t size) {
    uint8_t *p = cut(f, size);
    if (p || atomic_load_explicit(&f->out_of_room, memory_order_relaxed))
        return p;
    if (f->segments)
        use_up(f);
    uint64_t step = f->size < STEP_FIRST * 4 ? STEP_FIRST * 2 : f->size / 2;
    step = (step < STEP_MAX ? step : STEP_MAX) / HSC_SLOT_BYTES * HSC_SLOT_BYTES;
    return grow_by_path(f, step < size ? size : step, size) ? cut(f, size) : NULL;
}

/* The first one in the file: what is left over lies at its end then, and is cut off there. */
static uint8_t *take(_Atomic(uint8_t *) *ring, const _Atomic uint64_t *at) {
    for (uint32_t tries = 0; tries < HSC_RT_SPARES; tries++) {
        uint64_t first = UINT64_MAX;
        uint32_t which = 0;
        for (uint32_t i = 0; i < HSC_RT_SPARES; i++)
            if (atomic_load_explicit(&ring[i], memory_order_acquire) && atomic_load_explicit(&at[i], memory_order_relaxed) < first) {
                first = atomic_load_explicit(&at[i], memory_order_relaxed);
                which = i;
            }
        if (first == UINT64_MAX)
            return NULL;
        uint8_t *p = atomic_exchange_explicit(&ring[which], NULL, memory_order_acquire);
        if (p)
            return p;
    }
    return NULL;
}

static void retire(hsc_rt_file *f, uint8_t *base, bool shrink) {
    uint32_t size = hsc_chunk_seal(base, shrink);
    for (uint32_t i = 0; i < f->segments; i++) {
        hsc_rt_segment *s = &f->segment[i];
        if (!s->base || base < s->base || base >= s->base + s->size)
            continue;
        s->retired += size;
        if (s->retired == s->size && i + 1 < f->segments) {
            hsc_rt_unmap(s->base, s->size + s->cut_off);
            s->base = NULL;
        }
        return;
    }
}

uint8_t *hsc_rt_slot_take(bool large, uint32_t *size) {
    hsc_rt_file *f = &hsc_rt.file;
    uint8_t *p = NULL;
    if (large && (p = take(f->spare_large, f->large_at))) {
        atomic_fetch_add_explicit(&f->large_taken, 1, memory_order_relaxed);
        *size = HSC_SLOT_BYTES;
    } else if ((p = take(f->spare_small, f->small_at)))
        *size = HSC_RT_SMALL_SLOT;
    if ((!p || large) && !atomic_load_explicit(&f->out_of_room, memory_order_relaxed))
        hsc_rt_helper_poke();
    return p;
}

uint8_t *hsc_rt_slot_make_blocked(uint32_t wanted, uint32_t *size) {
    hsc_rt_file *f = &hsc_rt.file;
    uint8_t *p = NULL;
    *size = wanted;
    if (!hsc_rt_lock_take_blocked(&f->lock, HSC_RT_PATIENCE_MS))
        return NULL;
    for (uint32_t i = 0; wanted == HSC_RT_SMALL_SLOT && i < HSC_RT_SPARES && !p; i++)
        if (f->rest[i].base) {
            p = f->rest[i].base;
            *size = f->rest[i].size;
            f->rest[i].base = NULL;
        }
    if (!p && wanted == HSC_RT_SMALL_SLOT)
        p = take(f->spare_small, f->small_at);
    if (!p)
        p = cut_or_grow(f, wanted);
    hsc_rt_lock_release_blocked(&f->lock);
    return p;
}

uint8_t *hsc_rt_slot_make(uint32_t wanted, uint32_t *size) {
    uint64_t mask = hsc_rt_signals_block();
    uint8_t *p = hsc_rt_slot_make_blocked(wanted, size);
    hsc_rt_signals_restore(mask);
    return p;
}

void hsc_rt_slot_end(uint8_t *base, uint32_t size, uint32_t used) {
    hsc_rt_file *f = &hsc_rt.file;
    uint32_t end = (HSC_CHUNK_HEADER_BYTES + used + 7) & ~7u;
    if (end + REST_MIN > size || !hsc_rt_lock_take_blocked(&f->lock, 100)) {
        hsc_rt_slot_full(base);
        return;
    }
    uint32_t i = 0;
    while (i < HSC_RT_SPARES && f->rest[i].base)
        i++;
    if (i < HSC_RT_SPARES) { /* first the head of the rest, then the shorter chunk: readers always find the next one */
        mark_spare(base + end, size - end);
        retire(f, base, true);
        f->rest[i].base = base + end;
        f->rest[i].size = size - end;
    } else
        retire(f, base, false);
    hsc_rt_lock_release_blocked(&f->lock);
}

void hsc_rt_slot_full(uint8_t *base) {
    hsc_rt_file *f = &hsc_rt.file;
    for (uint32_t i = 0; i < HSC_RT_SPARES; i++) {
        uint8_t *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&f->full[i], &none, base, memory_order_release, memory_order_relaxed))
            return;
    }
    /* nobody seals it: readers take an unsealed chunk by its committed length */
}

void hsc_rt_file_tend(uint32_t threads) {
    hsc_rt_file *f = &hsc_rt.file;
    uint64_t mask;
    if (!hsc_rt_lock_take(&f->lock, &mask, 0))
        return;
    if (atomic_load(&hsc_rt.finished)) {
        hsc_rt_lock_release(&f->lock, mask);
        return;
    }
    for (uint32_t i = 0; i < HSC_RT_SPARES; i++) {
        uint8_t *base = atomic_exchange_explicit(&f->full[i], NULL, memory_order_acquire);
        if (base)
            retire(f, base, false);
    }
    /* as many as threads may ask for before the next look, at any rate one each for a few */
    uint32_t taken = atomic_exchange_explicit(&f->large_taken, 0, memory_order_relaxed);
    uint32_t want = 2 + threads / 8 + 2 * taken;
    want = want < HSC_RT_SPARES ? want : HSC_RT_SPARES;
    for (uint32_t i = 0; i < want; i++) {
        if (atomic_load_explicit(&f->spare_large[i], memory_order_relaxed))
            continue;
        uint8_t *p = cut_or_grow(f, HSC_SLOT_BYTES);
        if (!p)
            break;
        mark_spare(p, HSC_SLOT_BYTES);
        atomic_store_explicit(&f->large_at[i], place(f, p), memory_order_relaxed);
        atomic_store_explicit(&f->spare_large[i], p, memory_order_release);
    }
    hsc_rt_lock_release(&f->lock, mask);
}

/* ---- the file --------------------------------------------------------------------------------------------------------- */

static long make_directories(const char *directory) {
    char path[HSC_RT_PATH];
    size_t n = 0;
    long r = 0;
    for (const char *p = directory;; p++) {
        if (n && (!*p || *p == '/')) {
            path[n] = 0;
            r = hsc_sys3(SYS_mkdir, (long)path, 0777, 0);
            if (failed(r) && r != -EEXIST && !*p)
                return r;
        }
        if (!*p)
            return 0;
        if (n + 1 >= sizeof path)
            return -ENAMETOOLONG;
        path[n++] = *p;
    }
}

bool hsc_rt_file_create(const char *directory, const char *host, int pid, bool spares, const char **why, int *error) {
    hsc_rt_file *f = &hsc_rt.file;
    long r = make_directories(directory);
    *why = "can't make the measurement directory";
    *error = (int)-r;
    if (r)
        return false;
    long fd = -EEXIST;
    uint64_t spare = 0;
    for (uint32_t n = 0; fd == -EEXIST && n < 1000000; n++) {
        size_t at = 0;
        if (directory[0] != '/') { /* the program may change its directory */
            r = hsc_sys3(SYS_getcwd, (long)f->path, sizeof f->path, 0);
            if (r > 0)
                at = (size_t)r - 1;
            hsc_rt_append(f->path, sizeof f->path, &at, "/");
        }
        hsc_rt_append(f->path, sizeof f->path, &at, directory);
        hsc_rt_append(f->path, sizeof f->path, &at, "/");
        hsc_rt_append(f->path, sizeof f->path, &at, host);
        hsc_rt_append(f->path, sizeof f->path, &at, ".");
        hsc_rt_append_u64(f->path, sizeof f->path, &at, (uint64_t)pid);
        if (n) {
            hsc_rt_append(f->path, sizeof f->path, &at, ".");
            hsc_rt_append_u64(f->path, sizeof f->path, &at, n);
        }
        hsc_rt_append(f->path, sizeof f->path, &at, ".hsr");
        f->size = 0;
        f->limit = hsc_rt.options.size_limit_mb << 20;
        fd = spares ? hsc_rt_spare_take(host, room_left(f, UINT64_MAX), &spare) : -ENOENT;
        if (failed(fd) && fd != -EEXIST)
            fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)f->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    }
    *why = "can't create a file in the measurement directory";
    *error = (int)-fd;
    if (failed(fd))
        return false;
    struct stat st;
    hsc_sys3(SYS_fstat, fd, (long)&st, 0);
    f->device = st.st_dev;
    f->inode = st.st_ino;
    f->segments = 0;
    atomic_store(&f->out_of_room, false);
    size_t schema = hsc_schema_chunk(NULL, 0), head = (schema + MAIN_SLOT + HSC_RT_PAGE - 1) / HSC_RT_PAGE * HSC_RT_PAGE;
    /* what is handed out at once, and a large slot: a process with one thread leaves no small ones over */
    uint64_t want = head + 2 * HSC_RT_SMALL_SLOT + HSC_SLOT_BYTES;
    bool ok = grow(f, fd, spare ? spare : want > STEP_FIRST ? want : STEP_FIRST, STEP_FIRST, error);
    hsc_sys3(SYS_close, fd, 0, 0);
    *why = "no room in the measurement directory";
    if (!ok) {
        hsc_rt_file_remove(NULL);
        return false;
    }
    uint8_t *p = cut(f, (uint32_t)schema);
    hsc_schema_chunk(p, schema);
    f->segment[0].retired += (uint32_t)schema;
    uint32_t size = (uint32_t)(head - schema);
    p = cut(f, size);
    f->main_sequence = 0;
    hsc_chunk_begin(&f->main, p, size, HSC_CHUNK_DYNAMIC, 0, f->main_sequence++, hsc_rt_now_ns(), 0);
    f->reserve_size = HSC_RT_SMALL_SLOT;
    f->reserve = cut(f, f->reserve_size);
    f->in_reserve = false;
    mark_spare(f->reserve, f->reserve_size);
    /* for the first thread, before the helper cuts what is left into large ones */
    uint8_t *first = cut(f, HSC_RT_SMALL_SLOT);
    if (first) {
        mark_spare(first, HSC_RT_SMALL_SLOT);
        f->rest[0].base = first;
        f->rest[0].size = HSC_RT_SMALL_SLOT;
    }
    return true;
}

hsc_status hsc_rt_put_keeping(hsc_chunk_writer *w, uint32_t record_id, const void *record) {
    w->slot_bytes -= HSC_RT_KEPT;
    hsc_status s = hsc_chunk_put(w, record_id, record);
    w->slot_bytes += HSC_RT_KEPT;
    return s;
}

static void main_begin(hsc_rt_file *f, uint8_t *p, uint32_t size, uint64_t now_ns) {
    hsc_rt_slot_full(f->main.base);
    hsc_chunk_begin(&f->main, p, size, HSC_CHUNK_DYNAMIC, 0, f->main_sequence++, now_ns, 0);
}

bool hsc_rt_file_put(uint32_t record_id, const void *record, uint64_t now_ns) {
    hsc_rt_file *f = &hsc_rt.file;
    if (!f->main.base || f->in_reserve)
        return false;
    hsc_status s = hsc_chunk_put(&f->main, record_id, record);
    if (s != HSC_E_LIMIT)
        return s == HSC_OK;
    uint32_t size;
    uint8_t *p = hsc_rt_slot_make(HSC_SLOT_BYTES, &size);
    if (!p)
        return false;
    main_begin(f, p, size, now_ns);
    return hsc_chunk_put(&f->main, record_id, record) == HSC_OK;
}

bool hsc_rt_file_put_end(uint32_t record_id, const void *record, uint64_t now_ns, bool process) {
    hsc_rt_file *f = &hsc_rt.file;
    if (hsc_rt_file_put(record_id, record, now_ns))
        return true;
    if (!f->main.base || (!f->in_reserve && !f->reserve))
        return false;
    if (!f->in_reserve) {
        main_begin(f, f->reserve, f->reserve_size, now_ns);
        f->reserve = NULL;
        f->in_reserve = true;
    }
    return (process ? hsc_chunk_put : hsc_rt_put_keeping)(&f->main, record_id, record) == HSC_OK;
}

/* Takes back what a thread that ended has left of its slot, where that is the end of what is used of a segment. The file ends at a page: what
 * is left of that is an empty chunk, or padding. */
static bool give_rest_back(hsc_rt_file *f, hsc_rt_segment *s) {
    for (uint32_t i = 0; s->base && i < HSC_RT_SPARES; i++) {
        uint8_t *p = f->rest[i].base;
        if (!p || p < s->base || p + f->rest[i].size != s->base + s->used)
            continue;
        uint32_t from = (uint32_t)(p - s->base), end = (from + HSC_RT_PAGE - 1) / HSC_RT_PAGE * HSC_RT_PAGE;
        if (end >= s->used)
            return false;
        if (end - from >= HSC_CHUNK_HEADER_BYTES)
            mark_spare(p, end - from);
        else
            __builtin_memset(p, 0, end - from);
        f->rest[i].base = NULL;
        s->used = end;
        return true;
    }
    return false;
}

/* Takes a spare slot at the end of what is used of a segment back. */
static bool give_back(hsc_rt_file *f, hsc_rt_segment *s) {
    for (uint32_t i = 0; s->base && i < HSC_RT_SPARES; i++)
        for (int large = 0; large < 2; large++) {
            _Atomic(uint8_t *) *slot = large ? &f->spare_large[i] : &f->spare_small[i];
            uint32_t size = large ? HSC_SLOT_BYTES : HSC_RT_SMALL_SLOT;
            uint8_t *p = atomic_load_explicit(slot, memory_order_relaxed);
            if (p && p >= s->base && p + size == s->base + s->used && atomic_compare_exchange_strong(slot, &p, NULL)) {
                s->used -= size;
                return true;
            }
        }
    return false;
}

void hsc_rt_file_finish(void) {
    hsc_rt_file *f = &hsc_rt.file;
    uint64_t mask;
    if (!f->main.base || !hsc_rt_lock_take(&f->lock, &mask, HSC_RT_PATIENCE_MS))
        return;
    for (uint32_t i = 0; i < HSC_RT_SPARES; i++) {
        uint8_t *base = atomic_exchange_explicit(&f->full[i], NULL, memory_order_acquire);
        if (base)
            retire(f, base, false);
    }
    hsc_chunk_seal(f->main.base, false);
    f->main.base = NULL; /* nothing more is written */
    /* cut off what nobody can be writing to: the spare slots at the end */
    uint32_t last = f->segments - 1;
    while (give_back(f, &f->segment[last]) || give_rest_back(f, &f->segment[last]) || (!f->segment[last].used && last && f->segment[last - 1].base)) {
        if (!f->segment[last].used && last && f->segment[last - 1].base)
            last--;
    }
    hsc_rt_segment *s = &f->segment[last];
    uint64_t end = s->offset + s->used;
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)f->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    if (!failed(fd)) {
        struct stat st;
        if (!hsc_sys3(SYS_fstat, fd, (long)&st, 0) && st.st_dev == f->device && st.st_ino == f->inode &&
            !hsc_sys3(SYS_ftruncate, fd, (long)end, 0)) {
            f->size = end; /* what is behind it must not be touched any more */
            for (uint32_t i = last; i < f->segments; i++) {
                f->segment[i].cut_off = f->segment[i].size - f->segment[i].used;
                f->segment[i].size = f->segment[i].used;
            }
        }
        hsc_sys3(SYS_close, fd, 0, 0);
    }
    hsc_rt_lock_release(&f->lock, mask);
}

bool hsc_rt_file_go_on(void) {
    hsc_rt_file *f = &hsc_rt.file;
    uint32_t size;
    uint8_t *p = hsc_rt_slot_make(HSC_RT_SMALL_SLOT, &size);
    if (p) {
        hsc_chunk_begin(&f->main, p, size, HSC_CHUNK_DYNAMIC, 0, f->main_sequence++, hsc_rt_now_ns(), 0);
        f->in_reserve = false;
    }
    return p != NULL;
}

void hsc_rt_file_unmap(void) {
    hsc_rt_file *f = &hsc_rt.file;
    for (uint32_t i = 0; i < f->segments; i++)
        if (f->segment[i].base)
            hsc_rt_unmap(f->segment[i].base, f->segment[i].size + f->segment[i].cut_off);
    f->segments = 0;
}

void hsc_rt_file_forget(void) {
    hsc_rt_file *f = &hsc_rt.file; /* the segments are not mapped in a child: MADV_DONTFORK */
    f->segments = 0;
    f->main.base = NULL;
    f->reserve = NULL;
    atomic_store(&f->lock.word, 0);
    for (uint32_t i = 0; i < HSC_RT_SPARES; i++) {
        atomic_store(&f->spare_small[i], NULL);
        atomic_store(&f->spare_large[i], NULL);
        atomic_store(&f->full[i], NULL);
        f->rest[i].base = NULL;
    }
}

void hsc_rt_file_remove(const char *host) {
    if (!host || !hsc_rt_spare_put(host))
        hsc_sys3(SYS_unlink, (long)hsc_rt.file.path, 0, 0);
}
