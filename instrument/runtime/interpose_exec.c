/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* exec: the file is finished before the image goes, and taken up again when it did not go. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "interpose.h"

extern char **environ;

#define ENDED(call) \
    do { \
        bool ours = hsc_rt_active(); \
        if (ours) \
            hsc_rt_finish(HSC_end_kind_EXEC); \
        int r = (call); \
        if (ours) \
            hsc_rt_unfinish(); \
        return r; \
    } while (0)

HSC_RT_EXPORT int execve(const char *path, char *const argv[], char *const envp[]) {
    static int (*real)(const char *, char *const[], char *const[]);
    if (!real)
        real = HSC_RT_REAL("execve");
    ENDED(real(path, argv, envp));
}

HSC_RT_EXPORT int execv(const char *path, char *const argv[]) {
    return execve(path, argv, environ);
}

HSC_RT_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[]) {
    static int (*real)(const char *, char *const[], char *const[]);
    if (!real)
        real = HSC_RT_REAL("execvpe");
    ENDED(real(file, argv, envp));
}

HSC_RT_EXPORT int execvp(const char *file, char *const argv[]) {
    return execvpe(file, argv, environ);
}

HSC_RT_EXPORT int fexecve(int fd, char *const argv[], char *const envp[]) {
    static int (*real)(int, char *const[], char *const[]);
    if (!real)
        real = HSC_RT_REAL("fexecve");
    ENDED(real(fd, argv, envp));
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
