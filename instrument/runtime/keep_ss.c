/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The user's program and libraries stay beside the measurement by a second name (a hard link), DIR/.programs/.build-id/xx/REST: what is built anew in place can still be
 * correlated. It takes no copy; where the measurement is on another file system nothing is kept. Of code below /usr and the like, which no user builds anew, neither. */
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

void hsc_rt_keep_module(const char *path, uint64_t bytes, const uint8_t *build_id, size_t size) {
    static const char digits[] = "0123456789abcdef", folders[][16] = {"/.programs", "/.build-id"};
    char to[HSC_RT_PATH], hex[2] = {0};
    size_t end = 0, at = 0, made[4], n_made = 0;
    if (!hsc_rt.keeps || bytes > KEPT_MAX || size < 2 || size > 64 || !is_users(path))
        return;
    for (size_t i = 0; hsc_rt.file.path[i]; i++)
        if (hsc_rt.file.path[i] == '/')
            end = i;
    hsc_rt_append(to, end + 1 < sizeof to ? end + 1 : sizeof to, &at, hsc_rt.file.path);
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
