/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that the kernel answers differently, or whose effect would miss our helper, when there is a thread that libc does
 * not know of: the helper is gone while they run. */
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "interpose.h"
#include "notes.h"

/* Only what is a plain file without another name: whoever may write into the directory may have put something else there. */
static void give_file_to(uid_t user, const char *path, bool is_ours) {
    struct stat st;
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0)
        return;
    if (!hsc_sys3(SYS_fstat, fd, (long)&st, 0) && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
        (!is_ours || (st.st_dev == hsc_rt.file.device && st.st_ino == hsc_rt.file.inode)))
        hsc_sys3(SYS_fchown, fd, (long)user, -1);
    hsc_sys3(SYS_close, fd, 0, 0);
}

/* A server gives up its rights when it has begun: its file, and what processes tell each other, are the new user's then, or it could not go on in them. */
static void give_files_to(uid_t user) {
    char path[HSC_RT_PATH];
    if (!hsc_rt_active() || user == (uid_t)-1 || !user || geteuid() || hsc_rt_is_filtered())
        return;
    hsc_rt_append_output(path, sizeof path, ".processes");
    give_file_to(user, path, false);
    give_file_to(user, hsc_rt.file.path, true);
}

#define ALONE(called, parameters, arguments, user) \
    HSC_RT_EXPORT int called parameters { \
        static int(*real) parameters; \
        if (!real) \
            real = HSC_RT_REAL(#called); \
        if (!hsc_rt_active()) \
            return real arguments; \
        give_files_to(user); \
        hsc_rt_helper_pause(); \
        int result = real arguments; \
        hsc_rt_helper_resume(); \
        return result; \
    }

ALONE(setuid, (uid_t u), (u), u)
ALONE(seteuid, (uid_t u), (u), u)
ALONE(setreuid, (uid_t r, uid_t e), (r, e), e)
ALONE(setresuid, (uid_t r, uid_t e, uid_t s), (r, e, s), e)
ALONE(setgid, (gid_t g), (g), 0)
ALONE(setegid, (gid_t g), (g), 0)
ALONE(setregid, (gid_t r, gid_t e), (r, e), 0)
ALONE(setresgid, (gid_t r, gid_t e, gid_t s), (r, e, s), 0)
ALONE(setgroups, (size_t n, const gid_t *g), (n, g), 0)
ALONE(initgroups, (const char *name, gid_t g), (name, g), 0)
ALONE(unshare, (int flags), (flags), 0)
ALONE(setns, (int fd, int type), (fd, type), 0)
