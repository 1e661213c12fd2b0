/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process that runs HDF5 on files that may be hostile. It has the file, a socket and standard error; it can't open,
 * make or connect to anything, nor run programs; what it may use of memory and CPU time has limits. */
#include "dbfile_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "h5.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#define MEMORY_BYTES ((uint64_t)1 << 30) /* more than it has when it starts */

/* ---- limits ---- */

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

/* All other calls fail with EPERM. */
static const int allowed[] = {
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_lseek,
    SYS_fstat,
    SYS_write,
    SYS_writev,
    SYS_recvfrom,
    SYS_sendto,
    SYS_recvmsg,
    SYS_sendmsg,
    SYS_ppoll,
    SYS_close,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_clone,
    SYS_set_robust_list,
    SYS_rt_sigprocmask,
    SYS_rt_sigaction,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_getpid,
    SYS_gettid,
    SYS_getrandom,
    SYS_getrusage,
    SYS_prlimit64,
    SYS_restart_syscall,
    SYS_tgkill,
    SYS_exit,
    SYS_exit_group,
    SYS_sysinfo,
#ifdef SYS_clone3
    SYS_clone3,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_newfstatat
    SYS_newfstatat,
#endif
};
static const int allowed_without_code[] = {SYS_mmap, SYS_mprotect}; /* not for memory that can be run */

#define FILTER_MAX (16 + 2 * sizeof allowed / sizeof *allowed)

/* Nothing where the kernel has no such filters: the other limits stay. */
static void filter_calls(void) {
#ifdef MACHINE
    enum { PROT_MASK = 4 /* PROT_EXEC */ };
    struct sock_filter f[FILTER_MAX];
    unsigned short n = 0;
    f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
        f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed_without_code[0], 2, 0);
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed_without_code[1], 1, 0);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2]));
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_MASK, 0, 1);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {n, f};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
}

static void limit(int what, uint64_t to) {
    struct rlimit r;
    if (!getrlimit(what, &r) && (r.rlim_max == RLIM_INFINITY || r.rlim_max >= to))
        r.rlim_cur = r.rlim_max = to;
    else
        r.rlim_cur = r.rlim_max;
    setrlimit(what, &r);
}

static uint64_t bytes_mapped(void) {
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Keeps the two, and standard error; makes them `file` 3 and `sock` 4. */
static void close_others(int *file, int *sock) {
    int null = open("/dev/null", O_RDWR);
    int f = fcntl(*file, F_DUPFD, 16), s = fcntl(*sock, F_DUPFD, 16);
    if (f < 0 || s < 0 || dup2(f, 3) < 0 || dup2(s, 4) < 0)
        _exit(1);
    if (null >= 0) {
        dup2(null, 0);
        dup2(null, 1);
    }
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 5u, ~0u, 0u))
#endif
        for (int i = 5; i < 1024; i++)
            close(i);
    *file = 3;
    *sock = 4;
}

static void enclose(void) {
    static const int handled[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS,  SIGFPE,  SIGSEGV, SIGPIPE,
                                  SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD, SIGXCPU, SIGXFSZ, SIGPROF, SIGVTALRM};
    sigset_t none;
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
        signal(handled[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!SANITIZED) {
        uint64_t now = bytes_mapped();
        if (now)
            limit(RLIMIT_AS, now + MEMORY_BYTES);
    }
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    (void)sysconf(_SC_NPROCESSORS_ONLN);
    if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        filter_calls();
}

/* What is read is unpacked into memory that is used again and again: given back each time, it would have to be got from the system, empty,
 * for the next, which takes as long as to unpack it. */
static void keep_memory(void) {
    enum { BLOCK_BYTES = 8 << 20, KEPT_BYTES = 4 << 20 };
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, BLOCK_BYTES);
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* its heap has many small holes: 3 MB less */
}

/* From now on, so many seconds of CPU time. */
static void allow_cpu(unsigned seconds) {
    struct rusage used;
    struct rlimit r;
    if (getrusage(RUSAGE_SELF, &used) || getrlimit(RLIMIT_CPU, &r))
        return;
    rlim_t to = (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec + 2 + seconds;
    r.rlim_cur = r.rlim_max != RLIM_INFINITY && r.rlim_max < to ? r.rlim_max : to;
    setrlimit(RLIMIT_CPU, &r);
}

/* ---- requests ---- */

static void put(int sock, const void *data, size_t n) {
    const char *p = data;
    while (n) {
        ssize_t sent = send(sock, p, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            _exit(0); /* nobody is there any more */
        p += sent;
        n -= (size_t)sent;
    }
}

static bool receive(int sock, void *to, size_t n) {
    ssize_t got;
    do
        got = recv(sock, to, n, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)n;
}

static void answer(int sock, hsc_wire_answer a, const void *data, const hsc_err *err) {
    if (err && err->status) {
        a = (hsc_wire_answer){.status = err->status, .bytes = (uint32_t)strlen(err->text)};
        data = err->text;
    }
    put(sock, &a, sizeof a);
    put(sock, data, a.bytes);
}

static void *room(void **buffer, size_t *capacity, size_t n) {
    if (n > *capacity) {
        free(*buffer);
        *buffer = malloc(n);
        *capacity = *buffer ? n : 0;
    }
    return *buffer;
}

noreturn void hsc_dbfile_worker(const char *path, int file, int sock, char *places) {
    hsc_h5 *h = NULL;
    hsc_err err = {0};
    void *buffer = NULL;
    size_t capacity = 0;
    hsc_set_info info;
    close_others(&file, &sock);
    keep_memory();
    (void)hsc_h5_load(&err); /* opens files: before the filter; open tells why not */
    enclose();
    allow_cpu(HSC_READER_CPU_S);
    if (err.status || hsc_h5_open(path, file, &h, &err))
        h = NULL;
    answer(sock, (hsc_wire_answer){0}, NULL, &err);
    for (hsc_wire_request q; h;) {
        if (!receive(sock, &q, sizeof q))
            break;
        allow_cpu(HSC_READER_CPU_S);
        hsc_wire_answer a = {.set = -1};
        const void *data = NULL;
        void *to = NULL;
        char *text = NULL;
        double numbers[HSC_WIRE_NUMBERS_MAX];
        uint64_t pieces[HSC_PIECES_MAX], bytes = 0;
        err = (hsc_err){0};
        switch ((enum hsc_wire_what)q.what) {
        case HSC_WIRE_HAS:
            a.status = hsc_h5_has(h, q.name);
            break;
        case HSC_WIRE_OPEN_SET:
            (void)hsc_h5_open_set(h, q.name, (hsc_column_type)q.type, q.n, &a.set, &a.info, &err);
            break;
        case HSC_WIRE_LOOK_AT_SET:
            if (hsc_h5_open_set(h, q.name, (hsc_column_type)q.type, q.n, &a.set, &a.info, &err))
                break;
            if (q.first && (a.info.n > a.info.step || a.info.n * a.info.size > q.first))
                break; /* stays open: it will be read in steps */
            data = q.first && a.info.n ? room(&buffer, &capacity, a.info.n * a.info.size) : NULL;
            if (data && !hsc_h5_read(h, a.set, 0, a.info.n, buffer, &err))
                a.bytes = (uint32_t)(a.info.n * a.info.size);
            hsc_h5_close_set(h, a.set);
            a.set = -1;
            break;
        case HSC_WIRE_CLOSE_SET:
            hsc_h5_close_set(h, q.set);
            continue;
        case HSC_WIRE_READ:
            if (hsc_h5_info(h, q.set, &info, &err) || q.n > info.step)
                break;
            bytes = q.n * info.size;
            if (q.place && (!places || q.place > HSC_WIRE_PLACES || bytes > HSC_WIRE_PLACE_BYTES))
                _exit(1);
            to = q.place ? places + (size_t)(q.place - 1) * HSC_WIRE_PLACE_BYTES : room(&buffer, &capacity, bytes);
            if (!to)
                hsc_err_set(&err, HSC_E_MEMORY, "%s: the reading process is out of memory", path);
            else if (!hsc_h5_read(h, q.set, q.first, q.n, to, &err)) {
                a.bytes = q.place ? 0 : (uint32_t)bytes;
                a.shared = q.place ? (uint32_t)bytes : 0;
                data = to;
            }
            break;
        case HSC_WIRE_PIECES:
            if (!q.n || q.n > HSC_PIECES_MAX || !receive(sock, pieces, q.n * sizeof *pieces))
                _exit(1);
            data = room(&buffer, &capacity, HSC_PIECES_BYTES_MAX);
            if (!data)
                hsc_err_set(&err, HSC_E_MEMORY, "%s: the reading process is out of memory", path);
            else if (!hsc_h5_read_pieces(h, q.set, q.first, pieces, (uint32_t)q.n, buffer, &bytes, &err))
                a.bytes = (uint32_t)bytes;
            break;
        case HSC_WIRE_TEXT:
            if (!hsc_h5_text(h, q.name, &text, &err) && text) {
                a.present = 1;
                a.bytes = (uint32_t)strlen(text);
                data = text;
            }
            break;
        case HSC_WIRE_NUMBERS:
            if (q.n <= HSC_WIRE_NUMBERS_MAX && !hsc_h5_numbers(h, q.object, q.name, (unsigned)q.n, numbers, &err)) {
                a.bytes = (uint32_t)(q.n * sizeof *numbers);
                data = numbers;
            }
            break;
        default:
            _exit(1);
        }
        answer(sock, a, data, &err);
        free(text);
    }
    _exit(0);
}
