/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that can't be measured, or not all the time: Go's, and sandboxes, which end a process for a system call it should not make. A program that enters one is measured up to there; where
 * one is in force already, a child tries the calls first. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "interpose.h"
#include "notes.h"

bool hsc_rt_is_filtered(void) {
    return hsc_rt_status_of("\nSeccomp:") == 2;
}

/* Linux 5.13 to 5.18 end a process that gets an event's SIGTRAP while it blocks it. Distributions have mended some of them. */
static bool trap_may_be_forced(void) {
    struct utsname u;
    unsigned long major = 0, minor = 0;
    char *end;
    if (!uname(&u)) {
        major = strtoul(u.release, &end, 10);
        minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    }
    return major < 5 || (major == 5 && minor < 19);
}

bool hsc_rt_source_is_deadly(enum hsc_rt_mechanism m) {
    int error, status = 0;
    if (!hsc_rt_is_filtered() && (m != HSC_RT_PERF_TRAP || !trap_may_be_forced()))
        return false;
    long pid = hsc_sys6(SYS_clone, 0, 0, 0, 0, 0, 0); /* fork, but the program gets no signal when the child ends */
    if (!pid) {
        if (!hsc_rt_is_filtered())
            setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        hsc_rt_source_probe(m, &error);
        hsc_sys3(SYS_exit_group, 0, 0, 0);
    }
    while (pid > 0 && hsc_sys4(SYS_wait4, pid, (long)&status, __WCLONE, 0) == -EINTR)
        ;
    return pid > 0 && WIFSIGNALED(status);
}

bool hsc_rt_may_part(bool filtered) {
    int status = 0;
    if (!filtered)
        return true;
    long pid = hsc_sys6(SYS_clone, 0, 0, 0, 0, 0, 0);
    if (!pid) {
        long parted = hsc_sys3(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE), process = hsc_sys3(SYS_pidfd_open, hsc_rt.pid, 0, 0);
        hsc_sys3(SYS_pidfd_getfd, process, 2, 0);
        hsc_rt_helper_set_ahead(0);
        hsc_sys3(SYS_exit_group, parted != 0, 0, 0);
    }
    while (pid > 0 && hsc_sys4(SYS_wait4, pid, (long)&status, __WCLONE, 0) == -EINTR)
        ;
    return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void end_before(uint64_t quit, const char *what) {
    if (!hsc_rt_active() || hsc_rt.sandboxed)
        return;
    uint64_t mask;
    int saved_errno = errno;
    hsc_rt_helper_stop();
    hsc_rt_finish(HSC_end_kind_SANDBOX);
    if (hsc_rt_lock_take(&hsc_rt.lock, &mask, HSC_RT_PATIENCE_MS)) {
        for (hsc_rt_thread *t = hsc_rt.threads; t; t = t->next)
            hsc_rt_source_stop(t);
        hsc_rt_lock_release(&hsc_rt.lock, mask);
    }
    hsc_rt.sandboxed = true;
    hsc_rt_say_quit(quit, what);
    errno = saved_errno;
}

void hsc_rt_sandbox(void) {
    end_before(HSC_RT_QUIT_SECCOMP, "measured up to here only: the program enters a sandbox (seccomp) that may end it for our system calls");
}

/* Who lets itself be traced will be stopped at each signal, before the helper could see it. */
HSC_RT_EXPORT long ptrace(enum __ptrace_request request, ...) {
    static long (*real)(enum __ptrace_request, ...);
    long a[3];
    va_list list;
    va_start(list, request);
    for (int i = 0; i < 3; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (!real)
        real = HSC_RT_REAL("ptrace");
    if (request == PTRACE_TRACEME && hsc_rt_active())
        hsc_rt_tracer_came(hsc_rt_now_ns());
    return real(request, a[0], a[1], a[2]);
}

HSC_RT_EXPORT int prctl(int operation, ...) {
    static int (*real)(int, ...);
    unsigned long a[4];
    va_list list;
    va_start(list, operation);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(list, unsigned long);
    va_end(list);
    if (!real)
        real = HSC_RT_REAL("prctl");
    if (operation == PR_SET_SECCOMP)
        hsc_rt_sandbox();
    if (operation == PR_SET_TSC && a[0] == PR_TSC_SIGSEGV)
        end_before(HSC_RT_QUIT_TSC, "measured up to here only: the program forbids reading the cycle counter (PR_SET_TSC), by which we tell time");
    if (operation == 59 /* PR_SET_SYSCALL_USER_DISPATCH, since Linux 5.11 */ && a[0] == 1 /* PR_SYS_DISPATCH_ON */)
        end_before(HSC_RT_QUIT_DISPATCH, "measured up to here only: the program has system calls sent to itself (PR_SET_SYSCALL_USER_DISPATCH), and would get ours");
    return real(operation, a[0], a[1], a[2], a[3]);
}

/* Go's runtime owns all signals, handles them by system calls of its own, and ends the program for one it does not expect. */
bool hsc_rt_is_go_program(void) {
    const Elf64_Phdr *ph = (const Elf64_Phdr *)getauxval(AT_PHDR); /* NOLINT */
    size_t n = getauxval(AT_PHNUM);
    uint64_t bias = 0;
    for (size_t i = 0; ph && i < n; i++)
        if (ph[i].p_type == PT_PHDR)
            bias = (uint64_t)ph - ph[i].p_vaddr;
    for (size_t i = 0; ph && i < n; i++) {
        if (ph[i].p_type != PT_NOTE)
            continue;
        const uint8_t *p = (const uint8_t *)(bias + ph[i].p_vaddr), *end = p + ph[i].p_memsz; /* NOLINT */
        while (end - p >= 16) {
            uint32_t head[3];
            memcpy(head, p, sizeof head);
            if (head[0] == 4 && !memcmp(p + 12, "Go\0", 4))
                return true;
            uint64_t next = 12 + (((uint64_t)head[0] + 3) & ~3ull) + (((uint64_t)head[1] + 3) & ~3ull);
            if (next > (uint64_t)(end - p))
                break;
            p += next;
        }
    }
    return false;
}
