/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* exec: the file is finished before the image goes, and taken up again when it did not go. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose.h"
#include "notes.h"

extern char **environ;

#define PRELOAD "LD_PRELOAD="

/* After chroot and the like the dynamic linker would complain of our library, of which the program knows nothing. */
static bool can_be_loaded(void) {
    const char *path = hsc_rt_library();
    if (!*path)
        return true;
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
    if (fd >= 0)
        hsc_sys3(SYS_close, fd, 0, 0);
    return fd >= 0 || (fd != -ENOENT && fd != -EACCES && fd != -ENOTDIR);
}

/* `old`, a list for the dynamic linker, without our libraries. */
static void without_ours(char *out, const char *old) {
    const char *path = hsc_rt_library(), *name = strrchr(path, '/');
    size_t folder = name ? (size_t)(name - path) + 1 : 0, n = 0;
    while (*old) {
        size_t length = strcspn(old, ": ");
        bool ours = folder && length > folder && !strncmp(old, path, folder) && !strncmp(old + folder, "libheatscope-", 13);
        if (length && !ours) {
            if (n)
                out[n++] = ':';
            memcpy(out + n, old, length);
            n += length;
        }
        old += length + (old[length] != 0);
    }
    out[n] = 0;
}

/* Also in a child of vfork: on the stack alone. */
#define SUITED(envp) \
    char *const *suited = (envp); \
    if (hsc_rt_active() && suited && !can_be_loaded()) { \
        size_t n = 0, kept = 0, longest = 0; \
        for (; suited[n]; n++) \
            if (!strncmp(suited[n], PRELOAD, sizeof PRELOAD - 1)) \
                longest = strlen(suited[n]) + 1; \
        char **copy = __builtin_alloca((n + 1) * sizeof *copy), *list = __builtin_alloca(longest + sizeof PRELOAD); \
        for (size_t i = 0; i < n; i++) { \
            copy[kept++] = suited[i]; \
            if (strncmp(suited[i], PRELOAD, sizeof PRELOAD - 1) != 0) \
                continue; \
            memcpy(list, PRELOAD, sizeof PRELOAD); \
            without_ours(list + sizeof PRELOAD - 1, suited[i] + sizeof PRELOAD - 1); \
            kept--; \
            if (list[sizeof PRELOAD - 1]) \
                copy[kept++] = list; \
        } \
        copy[kept] = NULL; \
        suited = copy; \
        if (longest) \
            hsc_rt_say_quit(HSC_RT_QUIT_EXEC, "not measured: a program that is started where the runtime can't be loaded (chroot, other rights)"); \
    }

#define ENDED(call) \
    do { \
        bool ours = hsc_rt_active(), blocked = hsc_rt_trap_kept_open(); /* as the new program is to find it */ \
        if (ours) \
            hsc_rt_finish(HSC_end_kind_EXEC); \
        if (blocked) \
            hsc_rt_trap_mask(SIG_BLOCK); \
        int r = (call); \
        if (blocked) \
            hsc_rt_trap_mask(SIG_UNBLOCK); \
        if (ours) \
            hsc_rt_unfinish(); \
        return r; \
    } while (0)

HSC_RT_EXPORT int execve(const char *path, char *const argv[], char *const envp[]) {
    static int (*real)(const char *, char *const[], char *const[]);
    if (!real)
        real = HSC_RT_REAL("execve");
    SUITED(envp);
    ENDED(real(path, argv, suited));
}

HSC_RT_EXPORT int execv(const char *path, char *const argv[]) {
    return execve(path, argv, environ);
}

HSC_RT_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[]) {
    static int (*real)(const char *, char *const[], char *const[]);
    if (!real)
        real = HSC_RT_REAL("execvpe");
    SUITED(envp);
    ENDED(real(file, argv, suited));
}

HSC_RT_EXPORT int execvp(const char *file, char *const argv[]) {
    return execvpe(file, argv, environ);
}

HSC_RT_EXPORT int fexecve(int fd, char *const argv[], char *const envp[]) {
    static int (*real)(int, char *const[], char *const[]);
    if (!real)
        real = HSC_RT_REAL("fexecve");
    SUITED(envp);
    ENDED(real(fd, argv, suited));
}

/* The arguments of execl and its like as an array on the stack. */
#define COLLECT(first) \
    va_list list; \
    size_t n = 0; \
    va_start(list, first); \
    for (const char *a = first; a; a = va_arg(list, const char *)) \
        n++; \
    va_end(list); \
    char **argv = __builtin_alloca((n + 1) * sizeof *argv); \
    argv[0] = (char *)first; \
    va_start(list, first); \
    for (size_t i = 1; i <= n; i++) \
        argv[i] = va_arg(list, char *)

HSC_RT_EXPORT int execl(const char *path, const char *arg, ...) {
    COLLECT(arg);
    va_end(list);
    return execve(path, argv, environ);
}

HSC_RT_EXPORT int execlp(const char *file, const char *arg, ...) {
    COLLECT(arg);
    va_end(list);
    return execvpe(file, argv, environ);
}

HSC_RT_EXPORT int execle(const char *path, const char *arg, ...) {
    COLLECT(arg);
    char *const *envp = va_arg(list, char *const *);
    va_end(list);
    return execve(path, argv, envp);
}
