/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of processes too short for a sample go to the next process, blocks and all: some file systems (ext4 without a journal, mounted
 * with `discard`) make the process that frees blocks wait for the disk, and a build or a shell script starts thousands.
 * DIR/.spare.X.HOST, X one of a few letters, are such files, all zeros; DIR/.spare.HOST says that the measurement's first
 * process on this machine runs and will remove them. If it was killed, the next process that looks for a file or has one left does. */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "rt.h"

#define SPARES 8           /* processes that run at a time, mostly */
#define SPARE_MAX (1u << 20)

/* The spare file `letter` beside the process's file, or with 0 the file that says that there may be any. */
static void spare_path(char *path, size_t size, const char *beside, const char *host, char letter) {
    size_t end = 0, at = 0;
    char part[3] = {letter, '.', 0};
    for (size_t i = 0; beside[i]; i++)
        if (beside[i] == '/')
            end = i;
    hsc_rt_append(path, end + 1 < size ? end + 1 : size, &at, beside);
    hsc_rt_append(path, size, &at, "/.spare.");
    hsc_rt_append(path, size, &at, letter ? part : "");
    hsc_rt_append(path, size, &at, host);
}

static bool exists(const char *path) {
    struct stat st;
    return !hsc_sys4(SYS_newfstatat, AT_FDCWD, (long)path, (long)&st, AT_SYMLINK_NOFOLLOW);
}

static long rename_new(const char *from, const char *to) {
    return hsc_sys6(SYS_renameat2, AT_FDCWD, (long)from, AT_FDCWD, (long)to, RENAME_NOREPLACE, 0);
}

/* The first process is there, so there may be spare files. `path`: room for a path. */
static bool is_allowed(char *path, const char *host) {
    spare_path(path, HSC_RT_PATH, hsc_rt.file.path, host, 0);
    if (!exists(path))
        return false;
    if (hsc_sys3(SYS_kill, (long)hsc_rt.options.root_pid, 0, 0) != -ESRCH)
        return true;
    hsc_rt_spare_end(host);
    return false;
}

void hsc_rt_spare_allow(const char *host) {
    char path[HSC_RT_PATH];
    spare_path(path, sizeof path, hsc_rt.file.path, host, 0);
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0)
        hsc_sys3(SYS_close, fd, 0, 0);
}

void hsc_rt_spare_end(const char *host) {
    char path[HSC_RT_PATH];
    spare_path(path, sizeof path, hsc_rt.file.path, host, 0); /* first this one: who adds a spare looks for it afterwards */
    if (hsc_sys3(SYS_unlink, (long)path, 0, 0))
        return;
    for (char c = 'a'; c < 'a' + SPARES; c++) {
        spare_path(path, sizeof path, hsc_rt.file.path, host, c);
        hsc_sys3(SYS_unlink, (long)path, 0, 0);
    }
}

long hsc_rt_spare_take(const char *host, uint64_t room, uint64_t *size) {
    hsc_rt_file *f = &hsc_rt.file;
    char path[HSC_RT_PATH];
    if (room < SPARE_MAX || !is_allowed(path, host))
        return -ENOENT;
    for (char c = 'a'; c < 'a' + SPARES; c++) {
        spare_path(path, sizeof path, f->path, host, c);
        long r = rename_new(path, f->path);
        if (r == -ENOENT)
            continue;
        if (r)
            return r == -EEXIST ? r : -ENOENT;
        struct stat st;
        long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)f->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
        if (fd >= 0 && !hsc_sys3(SYS_fstat, fd, (long)&st, 0) && S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_size > 0 &&
            st.st_size <= SPARE_MAX && st.st_size % HSC_RT_PAGE == 0) {
            *size = (uint64_t)st.st_size;
            return fd;
        }
        if (fd >= 0)
            hsc_sys3(SYS_close, fd, 0, 0);
        hsc_sys3(SYS_unlink, (long)f->path, 0, 0);
    }
    return -ENOENT;
}

/* Whoever still writes into the process's file (a handler, a thread of the program) writes into memory of its own from now on. */
static bool part_from(hsc_rt_file *f) {
    for (uint32_t i = 0; i < f->segments; i++) {
        hsc_rt_segment *s = &f->segment[i];
        if (s->base && hsc_sys6(SYS_mmap, (long)s->base, (long)(s->size + s->cut_off), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != (long)s->base)
            return false;
    }
    return true;
}

bool hsc_rt_spare_put(const char *host) {
    hsc_rt_file *f = &hsc_rt.file;
    char path[HSC_RT_PATH];
    struct stat st;
    uint64_t mask;
    bool done = false;
    if (!is_allowed(path, host) || !hsc_rt_lock_take(&f->lock, &mask, 100))
        return false;
    long fd = f->size <= SPARE_MAX ? hsc_sys4(SYS_openat, AT_FDCWD, (long)f->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0) : -1;
    /* zeroed without its blocks being freed, or not at all; then it is a file that was just made */
    if (fd >= 0 && !hsc_sys3(SYS_fstat, fd, (long)&st, 0) && st.st_dev == f->device && st.st_ino == f->inode &&
        (uint64_t)st.st_size == f->size && part_from(f) && !hsc_sys4(SYS_fallocate, fd, FALLOC_FL_ZERO_RANGE, 0, (long)f->size))
        for (char c = 'a'; c < 'a' + SPARES && !done; c++) {
            spare_path(path, sizeof path, f->path, host, c);
            done = !rename_new(f->path, path);
        }
    if (fd >= 0)
        hsc_sys3(SYS_close, fd, 0, 0);
    hsc_rt_lock_release(&f->lock, mask);
    char token[HSC_RT_PATH];
    if (done && !is_allowed(token, host)) /* its remover may have looked before */
        hsc_sys3(SYS_unlink, (long)path, 0, 0);
    return done;
}
