/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program's view of signals: our signal keeps our handler and is never blocked; whatever the program does with its
 * number is remembered, given back to it, and obeyed for signals that are not ours. */
#include <errno.h>
#include <string.h>
#include <ucontext.h>

#include "interpose.h"

static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);
static struct sigaction theirs; /* what the program set for the number of our signal */
static struct sigaction theirs_toggle; /* and of the one that switches measuring off and on */

static void find(void) {
    __typeof__(real_sigaction) real;
    if (!real_sigaction)
        real_sigaction = HSC_RT_REAL("sigaction");
}

static bool ours(int number) {
    return hsc_rt.signal && number == hsc_rt.signal && hsc_rt_active();
}

static bool toggles(int number) {
    return hsc_rt.options.toggle_signal && number == (int)hsc_rt.options.toggle_signal && hsc_rt_active();
}

static void on_toggle(int number) {
    int saved_errno = errno;
    (void)number;
    if (hsc_rt_active())
        hsc_rt_measure(!atomic_load(&hsc_rt.measuring), HSC_measuring_reason_SIGNAL, NULL);
    errno = saved_errno;
}

void hsc_rt_signal_install(void) {
    struct sigaction a;
    find();
    memset(&a, 0, sizeof a);
    a.sa_sigaction = hsc_rt_handler;
    a.sa_flags = SA_SIGINFO | SA_RESTART;
    memset(&a.sa_mask, 0xff, sizeof a.sa_mask); /* a handler of the program could leave ours by a jump; cancellation (no bit of sigfillset's), too */
    real_sigaction(hsc_rt.signal, &a, &theirs);
    sigemptyset(&a.sa_mask);
    if (!hsc_rt.options.toggle_signal || (int)hsc_rt.options.toggle_signal == hsc_rt.signal)
        return;
    a.sa_handler = on_toggle;
    a.sa_flags = SA_RESTART;
    if (real_sigaction((int)hsc_rt.options.toggle_signal, &a, &theirs_toggle))
        hsc_rt_say("HEATSCOPE_TOGGLE_SIGNAL: no signal that can be handled");
}

/* In our handler all signals are blocked: theirs gets the mask that it would have without us. */
static void set_their_mask(int number, const void *context) {
    sigset_t mask;
    sigorset(&mask, &((const ucontext_t *)context)->uc_sigmask, &theirs.sa_mask);
    if (!(theirs.sa_flags & SA_NODEFER))
        sigaddset(&mask, number);
    hsc_sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8);
}

void hsc_rt_signal_chain(int number, siginfo_t *info, void *context) {
    if ((theirs.sa_flags & SA_SIGINFO) || (theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN))
        set_their_mask(number, context);
    if (theirs.sa_flags & SA_SIGINFO)
        theirs.sa_sigaction(number, info, context);
    else if (theirs.sa_handler == SIG_DFL) { /* what the kernel would have done: it ends the process */
        struct sigaction a;
        memset(&a, 0, sizeof a);
        real_sigaction(number, &a, NULL);
        hsc_sys3(SYS_tgkill, hsc_sys3(SYS_getpid, 0, 0, 0), hsc_sys3(SYS_gettid, 0, 0, 0), number);
    } else if (theirs.sa_handler != SIG_IGN)
        theirs.sa_handler(number);
}

HSC_RT_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    find();
    if (ours(number) || toggles(number)) {
        struct sigaction *kept = ours(number) ? &theirs : &theirs_toggle, before = *kept;
        if (action)
            *kept = *action;
        if (old)
            *old = before;
        return 0;
    }
    if (action && hsc_rt.signal && hsc_rt_active() && sigismember(&action->sa_mask, hsc_rt.signal) == 1) {
        struct sigaction open = *action; /* their handlers are measured too */
        sigdelset(&open.sa_mask, hsc_rt.signal);
        return real_sigaction(number, &open, old);
    }
    return real_sigaction(number, action, old);
}

static sighandler_t set_kept(int number, sighandler_t handler, int flags) {
    struct sigaction *kept = ours(number) ? &theirs : &theirs_toggle;
    sighandler_t before = kept->sa_handler;
    memset(kept, 0, sizeof *kept);
    kept->sa_handler = handler;
    kept->sa_flags = flags;
    return before;
}

#define SIGNAL_LIKE(name, flags) \
    HSC_RT_EXPORT sighandler_t name(int number, sighandler_t handler) { \
        static sighandler_t (*real)(int, sighandler_t); \
        if (ours(number) || toggles(number)) \
            return set_kept(number, handler, flags); \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        return real(number, handler); \
    }

sighandler_t bsd_signal(int, sighandler_t);
sighandler_t __sysv_signal(int, sighandler_t);
SIGNAL_LIKE(signal, SA_RESTART)
SIGNAL_LIKE(bsd_signal, SA_RESTART)
SIGNAL_LIKE(__sysv_signal, SA_RESETHAND | SA_NODEFER)
SIGNAL_LIKE(sysv_signal, SA_RESETHAND | SA_NODEFER)
SIGNAL_LIKE(sigset, 0)

static const sigset_t *without_ours(int how, const sigset_t *set, sigset_t *copy) {
    if (!set || how == SIG_UNBLOCK || !hsc_rt.signal || sigismember(set, hsc_rt.signal) != 1 || !hsc_rt_active())
        return set;
    *copy = *set;
    sigdelset(copy, hsc_rt.signal);
    return copy;
}

HSC_RT_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    static int (*real)(int, const sigset_t *, sigset_t *);
    sigset_t copy;
    if (!real)
        real = HSC_RT_REAL("sigprocmask");
    return real(how, without_ours(how, set, &copy), old);
}

HSC_RT_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    static int (*real)(int, const sigset_t *, sigset_t *);
    sigset_t copy;
    if (!real)
        real = HSC_RT_REAL("pthread_sigmask");
    return real(how, without_ours(how, set, &copy), old);
}
