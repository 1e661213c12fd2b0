/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program's view of signals: our signals (one of timers and events, and SIGTRAP where samples come by it) keep our handler and are never
 * blocked; whatever the program does with their numbers is remembered, given back to it, and obeyed for signals that are not ours. */
#include <errno.h>
#include <string.h>
#include <ucontext.h>

#include "interpose.h"

static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);
static struct sigaction theirs; /* what the program set for the number of our signal */
static struct sigaction theirs_trap; /* for SIGTRAP */
static bool holds_trap; /* our handler is SIGTRAP's */
__thread bool hsc_rt_trap_blocked;
static struct sigaction theirs_toggle; /* and of the one that switches measuring off and on */

static void find(void) {
    __typeof__(real_sigaction) real;
    if (!real_sigaction)
        real_sigaction = HSC_RT_REAL("sigaction");
}

static bool ours(int number) {
    return hsc_rt.signal && number == hsc_rt.signal && hsc_rt_active();
}

static bool traps(int number) {
    return number == SIGTRAP && holds_trap && hsc_rt_active();
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

static void install(int number, int flags, struct sigaction *old) {
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = hsc_rt_handler;
    a.sa_flags = SA_SIGINFO | flags;
    memset(&a.sa_mask, 0xff, sizeof a.sa_mask); /* a handler of the program could leave ours by a jump; cancellation (no bit of sigfillset's), too */
    real_sigaction(number, &a, old);
}

void hsc_rt_signal_install(void) {
    struct sigaction a;
    find();
    install(hsc_rt.signal, SA_RESTART, &theirs);
    if (hsc_rt.mechanism == HSC_RT_PERF_TRAP) {
        install(SIGTRAP, SA_RESTART, &theirs_trap);
        holds_trap = true;
    }
    memset(&a, 0, sizeof a);
    if (!hsc_rt.options.toggle_signal || (int)hsc_rt.options.toggle_signal == hsc_rt.signal)
        return;
    a.sa_handler = on_toggle;
    a.sa_flags = SA_RESTART;
    if (real_sigaction((int)hsc_rt.options.toggle_signal, &a, &theirs_toggle))
        hsc_rt_say("HEATSCOPE_TOGGLE_SIGNAL: no signal that can be handled");
}

void hsc_rt_trap_mask(int how) {
    uint64_t trap = 1ull << (SIGTRAP - 1);
    hsc_sys4(SYS_rt_sigprocmask, how, (long)&trap, 0, 8);
}

void hsc_rt_signal_restore(void) {
    real_sigaction(hsc_rt.signal, &theirs, NULL);
    if (holds_trap)
        real_sigaction(SIGTRAP, &theirs_trap, NULL);
    if (hsc_rt_trap_blocked)
        hsc_rt_trap_mask(SIG_BLOCK);
    holds_trap = hsc_rt_trap_blocked = false;
}

/* Valgrind takes each SIGTRAP that comes from the kernel for a fault of its own, and ends. By its documented client request (valgrind.h). */
static bool is_under_valgrind(void) {
    uint64_t request[6] = {0x1001 /* RUNNING_ON_VALGRIND */}, answer = 0;
    __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(request)
                     : "cc", "memory");
    return answer != 0;
}

const char *hsc_rt_trap_taken(void) {
    struct sigaction a;
    sigset_t mask;
    find();
    if (is_under_valgrind())
        return "Valgrind tolerates no SIGTRAP";
    if (hsc_rt.signal == SIGTRAP || hsc_rt.options.toggle_signal == SIGTRAP)
        return "HEATSCOPE_SIGNAL or HEATSCOPE_TOGGLE_SIGNAL has SIGTRAP's number";
    if (real_sigaction(SIGTRAP, NULL, &a) || a.sa_handler != SIG_DFL)
        return "SIGTRAP is ignored or handled since before the start";
    sigemptyset(&mask);
    hsc_sys4(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&mask, 8);
    return sigismember(&mask, SIGTRAP) == 1 ? "SIGTRAP is blocked since before the start" : NULL;
}

/* In our handler all signals are blocked: theirs gets the mask that it would have without us. */
static void set_their_mask(int number, const struct sigaction *kept, const void *context) {
    sigset_t mask;
    sigorset(&mask, &((const ucontext_t *)context)->uc_sigmask, &kept->sa_mask);
    if (!(kept->sa_flags & SA_NODEFER))
        sigaddset(&mask, number);
    hsc_sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8);
}

/* What the kernel would do: it ends the process. The signal comes when our handler returns. */
static void end_by(int number, siginfo_t *info, ucontext_t *context) {
    struct sigaction a;
    memset(&a, 0, sizeof a);
    real_sigaction(number, &a, NULL);
    sigdelset(&context->uc_sigmask, number);
    hsc_sys4(SYS_rt_tgsigqueueinfo, hsc_sys3(SYS_getpid, 0, 0, 0), hsc_sys3(SYS_gettid, 0, 0, 0), number, (long)info);
}

/* Blocked as the program sees it, so now it is, and waits; with none of ours, that who looks for it would find. Who may not pretend that it came from elsewhere says that it came from us. */
static void put_back(int number, siginfo_t *info, ucontext_t *context) {
    long pid = hsc_sys3(SYS_getpid, 0, 0, 0), tid = hsc_sys3(SYS_gettid, 0, 0, 0);
    sigaddset(&context->uc_sigmask, number);
    if (hsc_rt_self && hsc_rt_active() && hsc_rt_untrap(hsc_rt_self, true, HSC_source_reason_SIGTRAP_BLOCKED))
        hsc_rt_source_drain();
    if (info->si_code == SI_TKILL)
        hsc_sys4(SYS_rt_tgsigqueueinfo, pid, tid, number, (long)info);
    else if (hsc_sys3(SYS_rt_sigqueueinfo, pid, number, (long)info))
        hsc_sys3(SYS_kill, pid, number, 0);
}

void hsc_rt_signal_chain(int number, siginfo_t *info, void *context) {
    bool trap = number == SIGTRAP && holds_trap, forced = trap && info->si_code > 0 && info->si_code != HSC_RT_TRAP_PERF;
    struct sigaction *kept = trap ? &theirs_trap : &theirs, now = *kept;
    if (trap && hsc_rt_is_our_trap(info))
        return; /* of an event that is gone */
    if (trap && hsc_rt_trap_blocked && !forced) {
        put_back(number, info, context);
        return;
    }
    if (forced && (hsc_rt_trap_blocked || now.sa_handler == SIG_IGN)) { /* an instruction can't wait, nor be ignored */
        end_by(number, info, context);
        return;
    }
    if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN) {
        set_their_mask(number, &now, context);
        if (now.sa_flags & SA_RESETHAND)
            kept->sa_handler = SIG_DFL;
    }
    if (now.sa_handler == SIG_DFL)
        end_by(number, info, context);
    else if (now.sa_handler == SIG_IGN)
        return;
    else if (now.sa_flags & SA_SIGINFO)
        now.sa_sigaction(number, info, context);
    else
        now.sa_handler(number);
}

/* What two can't share: a signal that is ignored stays so in the programs that this one becomes, and interrupts no call; a handler on an alternate stack, which may
 * be small, is for the program's signals alone. From then on our samples come by our other signal. */
static void give_up_trap(void) {
    uint64_t mask;
    if (hsc_rt.mechanism != HSC_RT_PERF_TRAP || atomic_exchange(&hsc_rt.trap_off, HSC_source_reason_SIGTRAP_TAKEN))
        return;
    if (!hsc_rt_lock_take(&hsc_rt.lock, &mask, HSC_RT_PATIENCE_MS))
        return;
    for (hsc_rt_thread *t = hsc_rt.threads; t; t = t->next) /* others that are in our handler do it by themselves when they get there again */
        for (int i = 0; t->live && i < 1000 && !hsc_rt_untrap(t, t == hsc_rt_self, HSC_source_reason_SIGTRAP_TAKEN); i++)
            hsc_relax();
    hsc_rt_lock_release(&hsc_rt.lock, mask);
}

static void keep_trap(const struct sigaction *action) {
    theirs_trap = *action;
    if (action->sa_handler == SIG_IGN || (action->sa_handler != SIG_DFL && action->sa_flags & SA_ONSTACK))
        give_up_trap();
    bool given_up = atomic_load(&hsc_rt.trap_off) != 0;
    if (action->sa_handler == SIG_IGN && given_up)
        real_sigaction(SIGTRAP, action, NULL); /* what of ours still comes is ignored, too; the number stays ours, to be set again */
    else
        install(SIGTRAP, action->sa_handler == SIG_DFL ? SA_RESTART : action->sa_flags & (SA_RESTART | (given_up ? SA_ONSTACK : 0)), NULL);
}

static struct sigaction *kept_of(int number) {
    return ours(number) ? &theirs : traps(number) ? &theirs_trap : toggles(number) ? &theirs_toggle : NULL;
}

static void keep(struct sigaction *kept, const struct sigaction *action) {
    if (kept == &theirs_trap)
        keep_trap(action);
    else
        *kept = *action;
}

HSC_RT_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    find();
    struct sigaction *kept = kept_of(number);
    if (kept) {
        struct sigaction before = *kept;
        if (action)
            keep(kept, action);
        if (old)
            *old = before;
        return 0;
    }
    if (action && hsc_rt.signal && (sigismember(&action->sa_mask, hsc_rt.signal) == 1 || sigismember(&action->sa_mask, SIGTRAP) == 1) &&
        hsc_rt_active()) {
        struct sigaction open = *action; /* their handlers are measured too */
        sigdelset(&open.sa_mask, hsc_rt.signal);
        if (holds_trap)
            sigdelset(&open.sa_mask, SIGTRAP);
        return real_sigaction(number, &open, old);
    }
    return real_sigaction(number, action, old);
}

static sighandler_t set_kept(struct sigaction *kept, int number, sighandler_t handler, int flags) {
    sighandler_t before = kept->sa_handler;
    struct sigaction a;
    memset(&a, 0, sizeof a);
    if (handler == SIG_HOLD) {
        sigaddset(&a.sa_mask, number);
        pthread_sigmask(SIG_BLOCK, &a.sa_mask, NULL);
        return before;
    }
    a.sa_handler = handler;
    a.sa_flags = flags;
    if (!(flags & SA_NODEFER))
        sigaddset(&a.sa_mask, number);
    keep(kept, &a);
    return before;
}

#define SIGNAL_LIKE(name, flags) \
    HSC_RT_EXPORT sighandler_t name(int number, sighandler_t handler) { \
        static sighandler_t (*real)(int, sighandler_t); \
        struct sigaction *kept = kept_of(number); \
        if (kept) \
            return set_kept(kept, number, handler, flags); \
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

HSC_RT_EXPORT int sigignore(int number) {
    static int (*real)(int);
    struct sigaction *kept = kept_of(number);
    if (!real)
        real = HSC_RT_REAL("sigignore");
    if (!kept)
        return real(number);
    set_kept(kept, number, SIG_IGN, 0);
    return 0;
}

/* Process that is not measured and whose mask in the kernel is the true one: a child of vfork has its parent's variables, not its mask. */
static __thread long unmeasured;

bool hsc_rt_trap_kept_open(void) {
    return hsc_rt_trap_blocked && unmeasured != hsc_sys3(SYS_getpid, 0, 0, 0);
}

/* Our signals stay open. Of SIGTRAP is remembered whether the thread blocks it: before it does, and before a SIGTRAP that waits comes through. */
static int set_mask(int (*real)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old) {
    bool blocked = hsc_rt_trap_kept_open(), has_trap = set && sigismember(set, SIGTRAP) == 1;
    if (!hsc_rt.signal || !((set && sigismember(set, hsc_rt.signal) == 1) || has_trap || blocked))
        return real(how, set, old);
    if (!hsc_rt_active()) {
        if (blocked) {
            hsc_rt_trap_mask(SIG_BLOCK);
            unmeasured = hsc_sys3(SYS_getpid, 0, 0, 0);
        }
        return real(how, set, old);
    }
    bool trap = holds_trap && hsc_rt_self;
    sigset_t copy, *open = NULL;
    if (set) {
        copy = *set;
        open = &copy;
    }
    if (set && how != SIG_UNBLOCK) {
        sigdelset(&copy, hsc_rt.signal);
        if (trap)
            sigdelset(&copy, SIGTRAP);
    }
    if (trap && set)
        hsc_rt_trap_blocked = how == SIG_BLOCK ? blocked || has_trap : how == SIG_UNBLOCK ? blocked && !has_trap : has_trap;
    int r = real(how, open, old);
    if (r)
        hsc_rt_trap_blocked = blocked;
    else if (old && blocked)
        sigaddset(old, SIGTRAP);
    return r;
}

HSC_RT_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    static int (*real)(int, const sigset_t *, sigset_t *);
    if (!real)
        real = HSC_RT_REAL("sigprocmask");
    return set_mask(real, how, set, old);
}

HSC_RT_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    static int (*real)(int, const sigset_t *, sigset_t *);
    if (!real)
        real = HSC_RT_REAL("pthread_sigmask");
    return set_mask(real, how, set, old);
}

/* The older calls, which libc does not make of those above. An int is a mask of the first 31 signals. */
static int set_old_mask(int how, int mask) {
    sigset_t set, old;
    int before = 0;
    sigemptyset(&set);
    for (int n = 1; n < 32; n++)
        if ((unsigned)mask >> (n - 1) & 1)
            sigaddset(&set, n);
    if (sigprocmask(how, &set, &old))
        return -1;
    for (int n = 1; n < 32; n++)
        before |= sigismember(&old, n) == 1 ? 1 << (n - 1) : 0;
    return before;
}

HSC_RT_EXPORT int sigsetmask(int mask) {
    return set_old_mask(SIG_SETMASK, mask);
}

HSC_RT_EXPORT int sigblock(int mask) {
    return set_old_mask(SIG_BLOCK, mask);
}

HSC_RT_EXPORT int siggetmask(void) {
    return set_old_mask(SIG_BLOCK, 0);
}

static int set_one(int how, int number) {
    sigset_t set;
    sigemptyset(&set);
    return sigaddset(&set, number) ? -1 : sigprocmask(how, &set, NULL);
}

HSC_RT_EXPORT int sighold(int number) {
    return set_one(SIG_BLOCK, number);
}

HSC_RT_EXPORT int sigrelse(int number) {
    return set_one(SIG_UNBLOCK, number);
}
