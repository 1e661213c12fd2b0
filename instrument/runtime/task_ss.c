/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the kernel has counted of a thread of this process: from /proc, and of the calling thread by a system call. */
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "rt.h"

#define USER_TICK_NS 10000000u /* of /proc/.../stat: USER_HZ is 100 on x86-64, whatever the kernel's own tick */
#define STAT_SKIPPED 6         /* fields of stat between the state and minflt */

long hsc_rt_task_read(int32_t tid, const char *name, char *text, size_t size) {
    char path[64];
    size_t at = 0;
    hsc_rt_append(path, sizeof path, &at, "/proc/self/task/");
    hsc_rt_append_u64(path, sizeof path, &at, (uint64_t)tid);
    hsc_rt_append(path, sizeof path, &at, name);
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return fd;
    long n = hsc_sys3(SYS_read, fd, (long)text, (long)size - 1);
    hsc_sys3(SYS_close, fd, 0, 0);
    text[n > 0 ? n : 0] = 0;
    return n;
}

uint64_t hsc_rt_task_number(const char **p, unsigned base) {
    uint64_t v = 0;
    const char *s = *p;
    if (base == 16 && s[0] == '0' && s[1] == 'x')
        s += 2;
    for (;; s++) {
        unsigned d = *s >= '0' && *s <= '9' ? (unsigned)(*s - '0') : *s >= 'a' && *s <= 'f' ? (unsigned)(*s - 'a') + 10 : 99;
        if (d >= base)
            break;
        v = v * base + d;
    }
    while (*s == ' ')
        s++;
    *p = s;
    return v;
}

bool hsc_rt_task_times(int32_t tid, uint64_t *run_ns, uint64_t *waited_ns, uint64_t *runs) {
    char text[96];
    const char *p = text;
    if (hsc_rt_task_read(tid, "/schedstat", text, sizeof text) <= 0)
        return false;
    *run_ns = hsc_rt_task_number(&p, 10);
    *waited_ns = hsc_rt_task_number(&p, 10);
    *runs = hsc_rt_task_number(&p, 10);
    return *runs != 0;
}

static uint64_t timeval_ns(const struct timeval *v) {
    return (uint64_t)v->tv_sec * 1000000000u + (uint64_t)v->tv_usec * 1000u;
}

static bool read_own(hsc_rt_usage *u) {
    struct rusage r;
    if (hsc_sys3(SYS_getrusage, RUSAGE_THREAD, (long)&r, 0))
        return false;
    u->user_ns = timeval_ns(&r.ru_utime);
    u->system_ns = timeval_ns(&r.ru_stime);
    u->minor_faults = (uint64_t)r.ru_minflt;
    u->major_faults = (uint64_t)r.ru_majflt;
    u->voluntary = (uint64_t)r.ru_nvcsw;
    u->involuntary = (uint64_t)r.ru_nivcsw;
    hsc_sys3(SYS_prctl, PR_GET_NAME, (long)u->name, 0);
    return true;
}

/* The number behind "name:" and blanks, at the beginning of a line. */
static uint64_t line_number(const char *text, const char *name) {
    for (const char *p = text; *p;) {
        size_t i = 0;
        while (name[i] && p[i] == name[i])
            i++;
        if (!name[i] && p[i] == ':') {
            for (p += i + 1; *p == ' ' || *p == '\t';)
                p++;
            return hsc_rt_task_number(&p, 10);
        }
        while (*p && *p++ != '\n')
            ;
    }
    return 0;
}

static bool read_other(int32_t tid, hsc_rt_usage *u) {
    char text[4096];
    if (hsc_rt_task_read(tid, "/stat", text, sizeof text) <= 0)
        return false;
    const char *p = text, *name_end = NULL;
    for (; *p; p++)
        name_end = *p == ')' ? p : name_end; /* the last: a name may hold any */
    if (!name_end || name_end[1] != ' ' || !name_end[2])
        return false;
    uint64_t field[6];
    size_t n = 0;
    for (p = text; *p && *p != '('; p++)
        ;
    for (p += *p != 0; p < name_end && n + 1 < sizeof u->name; p++)
        u->name[n++] = *p;
    p = name_end + 3;
    for (int i = 0; i < STAT_SKIPPED; i++) {
        while (*p == ' ')
            p++;
        while (*p && *p != ' ') /* some are negative */
            p++;
    }
    while (*p == ' ')
        p++;
    for (int i = 0; i < 6; i++) /* minflt cminflt majflt cmajflt utime stime */
        field[i] = hsc_rt_task_number(&p, 10);
    u->minor_faults = field[0];
    u->major_faults = field[2];
    u->user_ns = field[4] * USER_TICK_NS;
    u->system_ns = field[5] * USER_TICK_NS;
    if (hsc_rt_task_read(tid, "/status", text, sizeof text) > 0) {
        u->voluntary = line_number(text, "voluntary_ctxt_switches");
        u->involuntary = line_number(text, "nonvoluntary_ctxt_switches");
    }
    return true;
}

bool hsc_rt_usage_read(int32_t tid, bool own, hsc_rt_usage *u) {
    uint64_t runs;
    *u = (hsc_rt_usage){0};
    if (own ? !read_own(u) : !read_other(tid, u))
        return false;
    if (!hsc_rt_task_times(tid, &u->run_ns, &u->waited_ns, &runs))
        u->run_ns = u->waited_ns = 0;
    return true;
}

/* Of the calling thread, which we saw begin and end. A look into /proc is a quarter of what we would add to a thread of no work. One that was never switched
 * away by itself was on a processor or in line for one all the time, so its clocks tell as much. */
static bool read_whole(const hsc_rt_thread *t, uint64_t now, uint64_t cpu, hsc_rt_usage *u) {
    uint64_t runs;
    *u = (hsc_rt_usage){0};
    if (!read_own(u))
        return false;
    if (!hsc_rt.in_line_known)
        return true;
    if (u->voluntary) {
        if (!hsc_rt_task_times(t->tid, &u->run_ns, &u->waited_ns, &runs))
            u->run_ns = u->waited_ns = 0;
        return true;
    }
    uint64_t passed = now - t->begun_ns, ran = cpu - t->cpu_start_ns;
    u->run_ns = cpu;
    u->waited_ns = t->first_in_line_ns + (u->involuntary && passed > ran ? passed - ran : 0);
    return true;
}

static uint64_t more(uint64_t now, uint64_t before) {
    return now > before ? now - before : 0;
}

void hsc_rt_usage_less(hsc_rt_usage *u, const hsc_rt_usage *before) {
    u->user_ns = more(u->user_ns, before->user_ns);
    u->system_ns = more(u->system_ns, before->system_ns);
    u->run_ns = more(u->run_ns, before->run_ns);
    u->waited_ns = more(u->waited_ns, before->waited_ns);
    u->minor_faults = more(u->minor_faults, before->minor_faults);
    u->major_faults = more(u->major_faults, before->major_faults);
    u->voluntary = more(u->voluntary, before->voluntary);
    u->involuntary = more(u->involuntary, before->involuntary);
}

bool hsc_rt_usage_record(hsc_rt_thread *t, uint64_t now, uint64_t cpu, bool own, hsc_rec_thread_usage *r) {
    hsc_rt_usage u;
    if (t->asleep)
        u = t->usage_asleep;
    else if (!(own && t->whole ? read_whole(t, now, cpu, &u) : hsc_rt_usage_read(t->tid, own, &u)))
        return false;
    if (!u.run_ns) { /* a sandbox, or no /proc any more: as far as it was known */
        u.run_ns = t->run_ns;
        u.waited_ns = t->in_line_ns;
    }
    t->run_ns = u.run_ns;
    t->in_line_ns = u.waited_ns;
    hsc_rt_usage_less(&u, &t->usage_start);
    for (size_t i = 0; i < sizeof t->name; i++)
        t->name[i] = u.name[i];
    *r = (hsc_rec_thread_usage){t->thread_id, now, u.user_ns, u.system_ns, u.minor_faults, u.major_faults, u.voluntary, u.involuntary,
                                u.run_ns, u.waited_ns, {t->name, hsc_rt_length(t->name)}};
    return true;
}
