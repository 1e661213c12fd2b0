/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that the kernel answers differently, or whose effect would miss our helper, when there is a thread that libc does
 * not know of: the helper is gone while they run. */
#include <grp.h>
#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

#include "interpose.h"

#define ALONE(name, parameters, arguments) \
    HSC_RT_EXPORT int name parameters { \
        static int(*real) parameters; \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        if (!hsc_rt_active()) \
            return real arguments; \
        hsc_rt_helper_pause(); \
        int result = real arguments; \
        hsc_rt_helper_resume(); \
        return result; \
    }

ALONE(setuid, (uid_t u), (u))
ALONE(seteuid, (uid_t u), (u))
ALONE(setreuid, (uid_t r, uid_t e), (r, e))
ALONE(setresuid, (uid_t r, uid_t e, uid_t s), (r, e, s))
ALONE(setgid, (gid_t g), (g))
ALONE(setegid, (gid_t g), (g))
ALONE(setregid, (gid_t r, gid_t e), (r, e))
ALONE(setresgid, (gid_t r, gid_t e, gid_t s), (r, e, s))
ALONE(setgroups, (size_t n, const gid_t *g), (n, g))
ALONE(initgroups, (const char *user, gid_t g), (user, g))
ALONE(unshare, (int flags), (flags))
ALONE(setns, (int fd, int type), (fd, type))
