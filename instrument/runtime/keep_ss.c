/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The user's program and libraries stay beside the measurement by a second name (a hard link), DIR/.programs/.build-id/xx/REST: what is built anew in place can still be
 * correlated. It takes no copy; where the measurement is on another file system nothing is kept. Of code below /usr and the like, which no user builds anew, neither.
 * What compilers at run time tell of their code in files that are soon gone is copied when the process ends. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "rt.h"

#define KEPT_MAX ((uint64_t)128 << 20) /* bytes: a link of a file below an overlay is a copy of it (containers), which no program should wait for */

static bool begins(const char *text, const char *with) {
    while (*with)
        if (*text++ != *with++)
            return false;
    return true;
}

static bool is_users(const char *path) {
    static const char *const others[] = {"/usr/", "/lib/", "/lib32/", "/lib64/", "/libx32/", "/bin/", "/sbin/", "/proc/", "/dev/", "/memfd:", "/SYSV"};
    const char *name = path;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (begins(path, others[i]))
            return false;
    for (const char *p = path; *p; p++)
        if (*p == '/')
            name = p + 1;
    return path[0] == '/' && !begins(name, "libheatscope-");
}

static bool is_there(const char *path) {
    struct stat st;
    return !hsc_sys4(SYS_newfstatat, AT_FDCWD, (long)path, (long)&st, AT_SYMLINK_NOFOLLOW);
}

/* Appends the folder of the measurement; false: there is no room. */
static bool append_folder(char *to, size_t size, size_t *at) {
    size_t end = 0;
    for (size_t i = 0; hsc_rt.file.path[i]; i++)
        if (hsc_rt.file.path[i] == '/')
            end = i;
    hsc_rt_append(to, end + 1 < size ? end + 1 : size, at, hsc_rt.file.path);
    return end + 1 < size;
}

void hsc_rt_keep_module(const char *path, uint64_t bytes, const uint8_t *build_id, size_t size) {
    static const char digits[] = "0123456789abcdef", folders[][16] = {"/.programs", "/.build-id"};
    char to[HSC_RT_PATH], hex[2] = {0};
    size_t at = 0, made[4], n_made = 0;
    if (!hsc_rt.keeps || bytes > KEPT_MAX || size < 2 || size > 64 || !is_users(path))
        return;
    append_folder(to, sizeof to, &at);
    for (size_t i = 0; i < 2; i++) {
        hsc_rt_append(to, sizeof to, &at, folders[i]);
        made[n_made++] = at;
    }
    hsc_rt_append(to, sizeof to, &at, "/");
    for (size_t i = 0; i < size; i++) {
        for (int shift = 4; shift >= 0; shift -= 4) {
            hex[0] = digits[build_id[i] >> shift & 15];
            hsc_rt_append(to, sizeof to, &at, hex);
        }
        if (i == 0) {
            made[n_made++] = at;
            hsc_rt_append(to, sizeof to, &at, "/");
        }
    }
    if (at + 1 >= sizeof to || is_there(to))
        return;
    for (size_t i = 0; i < n_made; i++) {
        char cut = to[made[i]];
        to[made[i]] = 0;
        hsc_sys3(SYS_mkdir, (long)to, 0777, 0);
        to[made[i]] = cut;
    }
    long r = hsc_sys6(SYS_linkat, AT_FDCWD, (long)path, AT_FDCWD, (long)to, 0, 0);
    if (!r || r == -EEXIST)
        return;
    while (n_made--) { /* those that are empty */
        to[made[n_made]] = 0;
        if (hsc_sys3(SYS_rmdir, (long)to, 0, 0))
            break;
    }
}

/* ---- what compilers at run time tell of their code ---- */

/* Copies the file, if it is the user's and of this process, to DIR/.generated/NAME.kind for NAME.hsr, or behind what is there. No link: the next process of that number
 * writes into the same file. */
static bool keep_told(const char *path, const char *kind, int64_t since_s, bool behind) {
    char to[HSC_RT_PATH];
    size_t at = 0, folder;
    struct stat st;
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0), out = -1;
    if (fd < 0)
        return false;
    bool good = !hsc_sys3(SYS_fstat, fd, (long)&st, 0) && S_ISREG(st.st_mode) && st.st_uid == (uid_t)hsc_sys3(SYS_geteuid, 0, 0, 0) && st.st_mtim.tv_sec >= since_s &&
                st.st_size && (uint64_t)st.st_size <= KEPT_MAX && append_folder(to, sizeof to, &at);
    if (good) {
        folder = at;
        hsc_rt_append(to, sizeof to, &at, "/.generated");
        hsc_sys3(SYS_mkdir, (long)to, 0777, 0);
        hsc_rt_append(to, sizeof to, &at, hsc_rt.file.path + folder);
        at = at > 4 ? at - 4 : at; /* .hsr */
        hsc_rt_append(to, sizeof to, &at, kind);
        good = at + 1 < sizeof to;
        out = good ? hsc_sys4(SYS_openat, AT_FDCWD, (long)to, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (behind ? 0 : O_TRUNC), 0666) : -1;
        good = out >= 0 && hsc_sys3(SYS_lseek, out, 0, SEEK_END) >= 0; /* sendfile takes no O_APPEND */
    }
    for (int64_t left = st.st_size; good && left > 0;) {
        long n = hsc_sys4(SYS_sendfile, out, fd, 0, left);
        if (n == -EINTR)
            continue;
        good = n >= 0;
        left = n > 0 ? left - n : 0;
    }
    if (out >= 0)
        hsc_sys3(SYS_close, out, 0, 0);
    hsc_sys3(SYS_close, fd, 0, 0);
    return good;
}

static void keep_file(const char *begin, int pid, const char *end, const char *kind, int64_t since_s, bool *kept) {
    char path[HSC_RT_PATH];
    size_t at = 0;
    hsc_rt_append(path, sizeof path, &at, begin);
    hsc_rt_append_u64(path, sizeof path, &at, (uint64_t)pid);
    hsc_rt_append(path, sizeof path, &at, end);
    *kept = keep_told(path, kind, since_s, *kept) || *kept;
}

void hsc_rt_keep_generated(int64_t since_s) {
    static const char *const dumps[] = {"/tmp/jit-", "jit-"}; /* where CPython, and where V8 writes it */
    bool map = false, dump = false, is_child = hsc_rt.forked_from != 0;
    if (!hsc_rt.keeps)
        return;
    if (is_child) /* code that was there when it was forked, then its own */
        keep_file("/tmp/perf-", hsc_rt.forked_from, ".map", ".map", hsc_rt.forked_since_s, &map);
    keep_file("/tmp/perf-", hsc_rt.pid, ".map", ".map", since_s, &map);
    if (hsc_rt.jit_dump[0])
        dump = keep_told(hsc_rt.jit_dump, ".dump", is_child ? hsc_rt.forked_since_s : since_s, false);
    for (size_t i = 0; !dump && i < sizeof dumps / sizeof *dumps; i++)
        keep_file(dumps[i], hsc_rt.pid, ".dump", ".dump", since_s, &dump);
}
