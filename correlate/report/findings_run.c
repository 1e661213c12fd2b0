/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings on the run as a whole, and on how well it was measured. */
#include "findings.h"
#include "report_measures.h"
#include "report_paid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

/* The metric that counts page faults, of a run with -e page-faults; HSC_NONE. */
static uint32_t faults_metric(const report *r) {
    for (uint32_t i = 0; i < r->info.metrics; i++) {
        hsc_db_metric m;
        if (!hsc_db_get_metric(r->db, i, &m, NULL) && strstr(m.name, "page-faults"))
            return i;
    }
    return HSC_NONE;
}

/* The line with most page faults: " (most at lulesh.cc:1020, 43 %)"; where none were sampled, how to. */
static hsc_status faults_place(const report *r, uint32_t *row, char *out, size_t size, hsc_err *err) {
    uint32_t metric = faults_metric(r), best = HSC_NONE, n = r->info.lines;
    double all = 0, *sums = metric == HSC_NONE ? NULL : calloc((size_t)n + 1, sizeof *sums);
    hsc_status status = metric == HSC_NONE || sums ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    *row = HSC_NONE;
    if (sums)
        status = hsc_db_read_sums(r->db, (hsc_db_view){metric, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, n, sums, err);
    for (uint32_t i = 0; sums && !status && i < n; i++) {
        hsc_db_line l;
        all += sums[i];
        if ((best == HSC_NONE || sums[i] > sums[best]) && !hsc_db_get_line(r->db, i, &l, NULL) && l.line)
            best = i;
    }
    if (status || best == HSC_NONE || !(all > 0)) {
        snprintf(out, size, ". Where: 'heatscope run -e page-faults:100', then 'report --metric=page-faults'");
    } else {
        char at[300];
        report_line_text(r, best, at, sizeof at);
        snprintf(out, size, "; most of them at %s (%.0f %%)", at, 100 * sums[best] / all);
        *row = best;
    }
    free(sums);
    return status;
}

/* Of what was not counted to the end. */
static const char *until(const report_usage *u, char *out, size_t size) {
    out[0] = 0;
    if (u->later_s > 0)
        snprintf(out, size, "; what ran last, %s of CPU time, is not counted, as no end of it is recorded", REPORT_SECONDS(u->later_s));
    return out;
}

/* CPU time of threads that waited or passed messages: libraries poll then, with system calls in between. */
double findings_polling(const report *r) {
    double sum = 0;
    const char *name;
    for (uint32_t c = 0; (name = hsc_db_get_category(r->db, c)); c++) {
        hsc_weighted part = {0};
        bool may = !strcmp(name, "communication") || !strcmp(name, "waiting") || !strcmp(name, "synchronisation");
        if (may && !hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_CATEGORY, HSC_AXIS_THREAD}, c, 1, &part, NULL))
            sum += part.sum;
    }
    return sum * r->unit.scale;
}

/* libc's wrappers of system calls, which hardly do anything else; those with which libraries wait actively. */
static const char *const system_calls[] = {"accept", "accept4", "access", "brk", "clone", "clone3", "close", "connect", "copy_file_range", "dup", "dup2", "execve", "faccessat", "fadvise64", "fallocate", "fchmod", "fcntl", "fcntl64",
                                           "fdatasync", "flock", "fork", "fstat", "fstat64", "fstatat", "fstatat64", "fsync", "ftruncate", "ftruncate64", "getdents64", "getppid", "getrandom", "getrusage", "getsockopt", "io_getevents", "io_submit",
                                           "ioctl", "kill", "link", "lseek", "lseek64", "lstat", "lstat64", "madvise", "mkdir", "mlock", "mmap", "mmap64", "mprotect", "mremap", "msgrcv", "msgsnd", "msync", "munmap", "open", "open64", "openat",
                                           "openat64", "pipe", "pipe2", "posix_fadvise", "pread", "pread64", "preadv", "preadv2", "process_vm_readv", "process_vm_writev", "pwrite", "pwrite64", "pwritev", "pwritev2", "read", "readlink", "readv",
                                           "recv", "recvfrom", "recvmmsg", "recvmsg", "rename", "rmdir", "sendfile", "sendfile64", "semop", "semtimedop", "send", "sendmmsg", "sendmsg", "sendto", "setsockopt", "shmat", "shmdt", "shutdown",
                                           "socket", "socketpair", "splice", "stat", "stat64", "statx", "sync", "sync_file_range", "syscall", "tee", "truncate", "unlink", "unlinkat", "vfork", "vmsplice", "wait4", "waitid", "waitpid",
                                           "write", "writev"};
static const char *const waiting_calls[] = {"clock_nanosleep", "epoll_pwait", "epoll_wait", "futex", "nanosleep", "poll", "ppoll", "pselect", "sched_yield", "select"};

static bool is_among(const char *name, const char *const *list, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (!strcmp(name, list[k]))
            return true;
    return false;
}
#define IS_AMONG(name, list) is_among(name, list, sizeof(list) / sizeof *(list))

typedef struct called_system {
    double s, all_s; /* seconds of samples in it, 0: none has a tenth of the kernel's time; and in all of them */
    bool waits;    /* as libraries that wait actively do; so may what is not known */
    char what[300]; /* ", most in sched_yield (0.628 s of samples)" */
} called_system;

static called_system system_call(const report *r, double system_s) {
    hsc_db_scope s;
    hsc_db_module m;
    uint32_t best = HSC_NONE;
    called_system out = {.waits = true};
    for (uint32_t i = 0; i < r->info.scopes; i++) {
        if (!(r->own[i] > 0) || hsc_db_get_scope(r->db, i, &s, NULL) || s.kind != HSC_SCOPE_PROCEDURE || s.module == HSC_NONE ||
            hsc_db_get_module(r->db, s.module, &m, NULL) || !strstr(m.path, "/libc.so"))
            continue;
        const char *name = s.name + strspn(s.name, "_");
        name = strncmp(name, "GI_", 3) && strncmp(name, "libc_", 5) ? name : name + (name[0] == 'G' ? 3 : 5);
        name += strspn(name, "_");
        bool waits = IS_AMONG(name, waiting_calls);
        if (!waits && !IS_AMONG(name, system_calls))
            continue;
        out.all_s += r->own[i] * r->unit.scale;
        if (best == HSC_NONE || r->own[i] > r->own[best]) {
            best = i;
            out.waits = waits;
        }
    }
    if (best == HSC_NONE || hsc_db_get_scope(r->db, best, &s, NULL) || r->own[best] * r->unit.scale < 0.1 * system_s)
        return (called_system){.waits = true, .all_s = out.all_s};
    out.s = r->own[best] * r->unit.scale;
    snprintf(out.what, sizeof out.what, ", most in %s (%s of samples%s)", s.name, REPORT_SECONDS(out.s),
             strncmp(s.name, "process_vm_", 11) ? "" : ": messages between processes of a machine are copied by it");
    return out;
}

/* The kernel divides by what its ticks meet, hundreds in a second; with fewer than in so many its word alone is not enough, as they may fall together with the ticks of sampling. */
#define ENOUGH_S 2

/* CPU time in the kernel: page faults, system calls, interrupts. */
hsc_status findings_kernel(findings *f, hsc_err *err) {
    /* What a page fault takes: between these mostly (docs/sampling.md, the kernel's counts), and hardly ever more than the last. */
    static const double fault_s[] = {0.5e-6, 2.5e-6, 5e-6}, switch_s = 5e-6; /* hardly ever more, either */
    report *r = f->r;
    report_usage u;
    char open_end[160], text[1300], faults[500] = "", cost[120] = "", calls[700], switched[120] = "";
    uint32_t row = HSC_NONE;
    hsc_status status = HSC_OK;
    report_usage_of(r, 0, r->info.threads, &u);
    double all = u.user_s + u.system_s, count = (double)u.minor_faults + (double)u.major_faults;
    bool many = fault_s[2] * count >= 0.1 * u.system_s; /* they may be a good part of it */
    double switches = (double)u.voluntary + (double)u.involuntary;
    double least = fault_s[0] * count, most = fault_s[1] * count;
    if (r->metric || !u.known || u.system_s < 0.1 * all || u.system_s < 0.05)
        return HSC_OK;
    called_system call = system_call(r, u.system_s);
    bool polls = call.waits && findings_polling(r) >= 0.5 * u.system_s;
    if (all < ENOUGH_S && !polls && most + switch_s * switches + call.all_s < 0.25 * u.system_s)
        return HSC_OK;
    bool few = most < 0.25 * u.system_s || call.s >= 0.4 * u.system_s;
    if (many && !few) /* else what is said to look for would be a small part */
        status = faults_place(r, &row, faults, sizeof faults, err);
    if (status)
        return status;
    if (most < u.system_s)
        snprintf(cost, sizeof cost, " (at 0.5 to 2.5 us each %.2g to %.2g s of it)", least, most);
    else if (least < u.system_s)
        snprintf(cost, sizeof cost, " (at 0.5 to 2.5 us each %.2g s of it or more, up to all)", least);
    else
        snprintf(cost, sizeof cost, " (at 0.5 us each enough for all of it)");
    if (switch_s * switches >= 0.1 * u.system_s) /* the same for these */
        snprintf(switched, sizeof switched, ", and %.0f switches between threads, %.0f of them forced", switches, (double)u.involuntary);
    snprintf(calls, sizeof calls, "%s%s: system calls%s%s%s", most < 0.25 * u.system_s ? ", too few to explain it" : "", many ? cost : "", call.s > 0 ? call.what : polls ? "" : ", or interrupts and signals, as no sample is in a known one",
             polls ? ", which may be those of libraries that wait actively" : "", switched);
    snprintf(text, sizeof text, "In the kernel: %s, %.1f %% of the CPU time (the kernel's own accounting), with %.0f page faults%s%s%s.", REPORT_SECONDS(u.system_s), 100 * u.system_s / all,
             count, few ? "" : many ? cost : "", few ? calls : faults, until(&u, open_end, sizeof open_end));
    findings_say(f, u.system_s / (r->unit.scale > 0 ? r->unit.scale : 1), "In the kernel", findings_no_share, row == HSC_NONE ? spot_nowhere : spot_of_line(r, row), text);
    return HSC_OK;
}

/* Threads that could run and had no processor. */
void findings_waiting_in_line(findings *f) {
    report *r = f->r;
    report_usage u;
    char open_end[160], text[900], who[200];
    report_usage_of(r, 0, r->info.threads, &u);
    double could_s = u.line_s + (u.later_s > 0 ? u.user_s + u.system_s : u.cpu_s);
    if (r->metric || !u.line_known || u.line_s < 0.1 * could_s || u.line_s < 0.05)
        return;
    report_processor(r, HSC_AXIS_THREAD, u.line_most_at, who, sizeof who);
    snprintf(text, sizeof text, "No processor: for %s, %.1f %% of the %s that threads could have run, they stood in line for one (the kernel's accounting), most %s "
             "with %s: more threads than processors, or other programs. Waits and calls have this time in them too, where it fell into them%s.", REPORT_SECONDS(u.line_s), 100 * u.line_s / could_s, REPORT_SECONDS(could_s), who, REPORT_SECONDS(u.line_most_s),
             until(&u, open_end, sizeof open_end));
    /* of the machine more than of the program: after what the program's own code has, before what is little of it. Where much less ran than could, that is in
     * all waits and elapsed times, and explains most of them: before them */
    double weight = fmin(u.line_s / (r->unit.scale > 0 ? r->unit.scale : 1), r->total > 0 ? 0.05 * r->total : INFINITY);
    findings_say(f, u.line_s > 0.4 * could_s ? fmax(r->total, weight) : weight, "No processor", findings_no_share, spot_nowhere, text);
}

/* ---- how good the measurement is ---- */

static bool has_silent_openmp(report *r) {
    report_wait *rows = NULL;
    uint32_t n = 0;
    bool silent = r->has_gomp && !report_waits(r, false, &rows, &n, NULL) && report_is_openmp_silent(r, rows, n, NULL);
    free(rows);
    return silent;
}

enum { CARE_TEXT = 4096 };

/* One finding of several cares of a kind: "Care: this. That." `say` is a sentence. */
static void add_care(char *all, const char *say) {
    size_t n = strlen(all);
    snprintf(all + n, CARE_TEXT - n, "%s%s", n ? " " : "Care: ", say);
    if (n && all[n + 1] >= 'a' && all[n + 1] <= 'z')
        all[n + 1] -= 'a' - 'A';
}

/* What figures depend on, and what is right but not known well. */
static void say_cares(findings *f, const char *first, const char *last) {
    if (*first)
        findings_say(f, FINDINGS_CARE * f->r->total, "Care", findings_no_share, spot_nowhere, first);
    if (*last)
        findings_say(f, 0.0005 * f->r->total, "Care", findings_no_share, spot_nowhere, last);
}

static bool rate_was_lowered(const report *r) {
    hsc_db_ledger row;
    bool found = false;
    for (uint32_t i = 0; i < r->info.ledger_rows && !found; i++)
        found = !hsc_db_get_ledger(r->db, i, &row, NULL) && !strcmp(row.name, "rate lowered");
    return found;
}

/* Too few samples, or weights that make them tell less, and what helps. */
static void look_at_intervals(const report *r, char *last) {
    double low, high, n = hsc_interval_effective(r->all);
    char text[600], share[80];
    if (!(r->total > 0) || r->unit.exact || !(r->all.excess > 3 * r->total || n < 400)) /* as few as a quarter would tell as much */
        return;
    report_share_interval(r, (hsc_weighted){0.1 * r->total, 0.1 * r->all.excess}, &low, &high);
    snprintf(share, sizeof share, "a share of 10 %% is known to %.1f to %.1f %%", 100 * low, 100 * high);
    if (rate_was_lowered(r))
        snprintf(text, sizeof text, "intervals are wide, as the rate was lowered: samples for %.0f periods tell as much as %.0f for one each, and %s. "
                 "'heatscope run --budget=5' lowers the rate only where samples cost more than 5 %%, --budget=off never.", r->total, n, share);
    else
        snprintf(text, sizeof text, "intervals are wide, because there are few samples: with %.0f %s. Run for longer, or sample more often (-F).", n, share);
    add_care(last, text);
}

enum { COST_PARTS = 12 };

/* What measuring added, by the ledger, in seconds; to what: `heatscope run` tells it of the program itself, an older ledger of the CPU time. */
typedef struct run_cost {
    double all, to;
    double least, most; /* of all; 0: not known */
    bool is_added;
    unsigned n;
    hsc_db_ledger parts[COST_PARTS];
} run_cost;

static run_cost cost_of_run(const report *r, double cpu_s) {
    run_cost c = {.to = cpu_s};
    hsc_db_ledger l;
    for (uint32_t i = 0; i < r->info.ledger_rows; i++) {
        if (hsc_db_get_ledger(r->db, i, &l, NULL))
            continue;
        if (!l.group && !strcmp(l.name, "measuring"))
            c.all = l.seconds;
        else if (!l.group && !strcmp(l.name, HSC_LEDGER_LEAST))
            c.least = l.seconds;
        else if (!l.group && !strcmp(l.name, HSC_LEDGER_MOST))
            c.most = l.seconds;
        else if (!l.group && !strcmp(l.name, HSC_LEDGER_ITSELF)) {
            c.to = l.seconds;
            c.is_added = true;
        } else if (l.group && !strncmp(l.meaning, "[measuring]", 11) && c.n < COST_PARTS)
            c.parts[c.n++] = l;
    }
    return c;
}

static double seconds_of(const run_cost *c, const char *part) {
    double sum = 0;
    for (unsigned k = 0; k < c->n; k++)
        sum += strcmp(c->parts[k].name, part) ? 0 : c->parts[k].seconds;
    return sum;
}

static bool is_estimate(const hsc_db_ledger *part) { return !strcmp(part->name, "switches") || !strcmp(part->name, "probes"); }

/* Where what measuring added at most is more than what is told by so much of the program, that is of yields outside of waits: not of signals, of which no more
 * than so many times what is told can be true (cli/sample_cost.c: a cold gap is 4 warm ones at most, the largest 4 middle ones). */
#define YIELDS_TOLD 0.1
#define YIELDS_TIMES 3
#define SIGNALS_TIMES 16

/* "measuring added 6.4 % (~5.9 to 7.2 %, 110 ms): start 1.0 %, handler 1.1 %, wrappers 4.3 %": the figures of the last line of `heatscope run`. False: it is little. *added: 0.064, without what switches took. */
static bool cost_text(const report *r, double own_s, double cpu_s, const char *of_run, double *added, char *out, size_t size) {
    run_cost c = cost_of_run(r, cpu_s);
    char amount[100] = "";
    int used = 0;
    double beyond = c.most - c.all;
    bool yields = c.is_added && beyond > YIELDS_TOLD * c.to && c.most > YIELDS_TIMES * c.all && beyond > SIGNALS_TIMES * seconds_of(&c, "signals");
    if (!(c.to > 0) || !(cpu_s > 0) || !(r->total > 0) || (c.all <= 0.02 * c.to && own_s <= 0.02 * cpu_s && !yields))
        return false;
    *added = fmax((c.all - seconds_of(&c, "switches")) / c.to, own_s / cpu_s); /* an estimate, which alone makes no figure doubtful */
    if (c.all < 0.999 * own_s) { /* nothing tells its parts */
        snprintf(out, size, "measuring took %.1f %% of the CPU time%s.", 100 * own_s / cpu_s, of_run);
        return true;
    }
    if (c.is_added && 1000 * (c.most - c.least) > c.to) /* a tenth of a percent */
        used = snprintf(amount, sizeof amount, " (~%.1f to %.1f %%, ", 100 * c.least / c.to, 100 * c.most / c.to);
    if (c.is_added)
        snprintf(amount + used, sizeof amount - (size_t)used, c.all < 10 ? "%s%.0f ms)" : "%s%.2f s)", used ? "" : " (", c.all < 10 ? 1e3 * c.all : c.all);
    int n = snprintf(out, size, "measuring %s %.1f %%%s%s%s:", c.is_added ? "added" : "took", 100 * c.all / c.to, c.is_added ? "" : " of the CPU time", amount, of_run);
    for (unsigned k = 0, told = 0; k < c.n; k++)
        if (c.parts[k].seconds >= 0.0005 * c.to && n > 0 && (size_t)n < size)
            n += snprintf(out + n, size - (size_t)n, "%s %.20s %s%.1f %%", told++ ? "," : "", c.parts[k].name, is_estimate(&c.parts[k]) ? "~" : "", 100 * c.parts[k].seconds / c.to);
    if (n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, yields ? ". At most, where the program yields its processor as often without being measured: perf's clock is stopped and started each time. "
                                                     "'heatscope run --mechanism=timer-cpu' costs nothing there." : ".");
    return true;
}

/* Shares from which on figures are in doubt: such a care comes before all facts, others behind them. */
#define DOUBT_LOST 0.05
#define DOUBT_TRUNCATED 0.10
#define DOUBT_ADDED 0.10
#define UNTIMED_TOLD 0.02 /* of the CPU time: less of wrappers beyond what was timed is not worth a word */

/* Which probe costs most, and how to be rid of it. False: probes cost little. */
static bool dearest_probe(const report *r, double cpu_s, char *out, size_t size) {
    uint32_t n = hsc_db_count_told(r->db, HSC_TOLD_PROBES), best = HSC_NONE;
    double *cost = calloc((size_t)n + 1, sizeof *cost), *visits = calloc((size_t)n + 1, sizeof *visits), all = 0;
    char where[300] = "", name[200];
    hsc_db_probe p;
    for (uint32_t i = 0; cost && visits && i < hsc_db_count_told(r->db, HSC_TOLD_VISITS); i++) {
        hsc_db_visit v;
        hsc_db_block b;
        if (hsc_db_get_visit(r->db, i, &v, NULL) || hsc_db_get_block(r->db, v.block, &b, NULL))
            continue;
        cost[b.probe] += v.exclusive_cost_s;
        visits[b.probe] += (double)v.visits;
        all += v.exclusive_cost_s;
        best = best == HSC_NONE || visits[b.probe] > visits[best] ? b.probe : best; /* each costs alike */
    }
    bool dear = best != HSC_NONE && all > 0.01 * cpu_s && !hsc_db_get_probe(r->db, best, &p, NULL);
    if (dear && *p.file)
        snprintf(where, sizeof where, " (%s:%u)", p.file, p.line);
    if (dear && p.kind == HSC_PROBE_USER_SCOPE)
        snprintf(out, size, "of the probes the program's own scope %s costs most: %.0f visits.", report_fit(p.name, 60, name, sizeof name), visits[best]);
    else if (dear)
        snprintf(out, size, "of the probes that of %s %s%s costs most: %.0f visits. 'heatscope run --disarm=%ss:%s' leaves it out; 'heatscope cc --probe=auto:1' chooses such that "
                 "cost 1 %% at most.", p.kind_text, report_fit(p.name, 60, name, sizeof name), where, visits[best], p.kind_text, name);
    free(cost);
    free(visits);
    return dear;
}

/* Of a wrapper of MPI, what is likely of calls that waited, by what is below it: polls that find nothing are no cost (docs/sampling.md, What measuring takes). */
static double waited_share(const report *r, uint32_t procedure, uint32_t waiting) {
    hsc_db_scope s;
    hsc_db_module m;
    hsc_weighted part = {0};
    if (waiting == HSC_NONE || !(r->incl[procedure] > 0) || hsc_db_get_scope(r->db, procedure, &s, NULL) || hsc_db_get_module(r->db, s.module, &m, NULL) ||
        !strstr(m.path, "heatscope-mpi"))
        return 0;
    uint64_t row = (uint64_t)procedure * r->info.categories + waiting;
    if (hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_CATEGORY, HSC_AXIS_THREAD}, row, 1, &part, NULL))
        return 0;
    return part.sum > 0.5 * r->incl[procedure] ? 1 : part.sum / r->incl[procedure]; /* the ways into it and out of it have the caller's category */
}

/* What samples met in the code of Heatscope's own libraries: in calls that looked for messages in vain, and in all others. */
static hsc_status sampled_ours(const report *r, hsc_weighted *sum, hsc_weighted *polls, hsc_err *err) {
    uint32_t *rows, n, waiting = HSC_NONE;
    const char *name;
    hsc_status status = report_rank(r, HSC_SCOPE_PROCEDURE, &rows, &n, err);
    if (status)
        return status;
    for (uint32_t c = 0; (name = hsc_db_get_category(r->db, c)); c++)
        waiting = !strcmp(name, "waiting") ? c : waiting;
    *sum = *polls = (hsc_weighted){0};
    for (uint32_t i = 0; i < n; i++) {
        if (!hsc_db_is_heatscope(r->db, rows[i]))
            continue;
        hsc_weighted own = report_own(r, rows[i]);
        double works = 1 - waited_share(r, rows[i], waiting);
        sum->sum += works * own.sum;
        sum->excess += works * own.excess;
        polls->sum += (1 - works) * own.sum;
        polls->excess += (1 - works) * own.excess;
    }
    free(rows);
    return HSC_OK;
}

/* Locks that are free, and the ways into wrappers and out of them, are too short for a clock: no part of what measuring added has them. Samples have. `told_s`: of
 * probes and wrappers. False: they are within what is told, or little. *share: of all samples. */
static bool untimed_text(const report *r, hsc_weighted ours, double told_s, double *share, char *out, size_t size) {
    double low, high, told;
    report_share_interval(r, ours, &low, &high);
    told = told_s / (r->total * r->unit.scale);
    *share = ours.sum / r->total;
    if (low <= told + UNTIMED_TOLD)
        return false;
    snprintf(out, size, "samples met Heatscope's wrappers and probes for %.3g s, %.1f %% (%.1f to %.1f %%), of which only %.1f %% is in what measuring added: calls too short for a clock (free "
             "locks) are told by samples alone. What calls them is too long by that.",
             ours.sum * r->unit.scale, 100 * *share, 100 * low, 100 * high, 100 * told);
    return true;
}

/* A thread that looks until there is something would look as long without us; one that looks a set number of times would not, and nothing tells which it does. */
static bool polls_text(const report *r, hsc_weighted polls, char *out, size_t size) {
    double low, high;
    report_share_interval(r, polls, &low, &high);
    if (low <= UNTIMED_TOLD)
        return false;
    snprintf(out, size, "%.3g s of the samples, %.1f %% (%.1f to %.1f %%), met Heatscope's wrappers of calls of MPI that looked in vain, and are not in what measuring added: who waits by looking waits as long without "
             "them. Who looks a set number of times does not: 'heatscope run --no-messages' shows which it is.",
             polls.sum * r->unit.scale, 100 * polls.sum / r->total, 100 * low, 100 * high);
    return true;
}

/* What the ledger tells of the parts that samples can meet in our code. */
static double told_of_ours(const report *r) {
    run_cost c = cost_of_run(r, 0);
    double sum = 0;
    for (unsigned k = 0; k < c.n; k++)
        if (!strcmp(c.parts[k].name, "probes") || !strcmp(c.parts[k].name, "wrappers"))
            sum += c.parts[k].seconds;
    return sum;
}

/* Are most threads in no table, as they were too short? */
static bool most_are_brief(const report *r) {
    hsc_db_ledger l;
    for (uint32_t i = 0; i < r->info.ledger_rows; i++)
        if (!hsc_db_get_ledger(r->db, i, &l, NULL) && !strcmp(l.name, HSC_LEDGER_SHORT))
            return l.samples > r->info.threads;
    return false;
}

static bool has_killed(const report *r) {
    hsc_db_process p;
    for (uint32_t k = 0; k < r->info.processes; k++)
        if (!hsc_db_get_process(r->db, k, &p, NULL) && p.unfinished)
            return true;
    return false;
}

/* ", most of it since ..."; "": no reason has more than half of it, or it tells nothing that helps. */
static const char *why_lost(const report *r) {
    static const struct {
        const char *row, *why;
    } reasons[] = {
        {"lost: no space", ", most of it since the measurement file had no room: --size-limit, or a full disk"},
        {"lost: no memory", ", most of it since there was no memory for call paths"},
        {"lost: throttled", ", most of it since the kernel throttled sampling"},
        {"lost: blocked", ", most of it since the program blocked the signal of samples"},
        {"lost: unknown thread", ", most of it of threads that the runtime did not see begin"},
    };
    double all = hsc_db_count_lost(r->db);
    hsc_db_ledger l;
    for (uint32_t i = 0; i < r->info.ledger_rows && !hsc_db_get_ledger(r->db, i, &l, NULL); i++)
        for (unsigned k = 0; k < sizeof reasons / sizeof *reasons; k++)
            if (!strcmp(l.name, reasons[k].row) && (double)l.samples > 0.5 * all)
                return reasons[k].why;
    return "";
}

void findings_quality(findings *f) {
    report *r = f->r;
    double lost = 0, truncated = 0, samples = 0, own_s = 0, cpu_s = 0, untimed, begin_s, end_s;
    bool part = hsc_db_get_interval(r->db, &begin_s, &end_s);
    const char *of_run = part ? " of the whole run" : ""; /* what threads have is known of it alone */
    char text[600], first[CARE_TEXT] = "", last[CARE_TEXT] = "";
    for (uint32_t t = 0; t < r->info.threads; t++) {
        hsc_db_thread thread;
        if (hsc_db_get_thread(r->db, t, &thread, NULL))
            continue;
        lost += (double)thread.lost;
        truncated += (double)thread.truncated;
        samples += (double)thread.samples;
        own_s += thread.own_s;
        cpu_s += thread.cpu_s;
    }
    hsc_db_metric time;
    cpu_s = fmax(cpu_s, r->info.cpu_s); /* of threads in no table too, which the others' samples stand for */
    if (cpu_s > 0 && !hsc_db_get_metric(r->db, 0, &time, NULL) && !strcmp(time.unit, "s") && time.scale > 0) /* the clock is right for all threads together */
        lost = fmax(0, fmin(lost, cpu_s / time.scale - samples));
    if (lost > 0.005 * (lost + samples) && !findings_has_few(r)) {
        snprintf(text, sizeof text, "%.1f %% of the CPU time%s is in no sample%s (see the ledger); shares hold only if it is like the rest.",
                 100 * lost / (lost + samples), of_run, why_lost(r));
        add_care(lost > DOUBT_LOST * (lost + samples) ? first : last, text);
    }
    if (truncated > 0.02 * samples && samples > 0 && !findings_has_few(r)) {
        snprintf(text, sizeof text, "%.1f %% of the call paths%s do not reach the thread's start: inclusive times of outer procedures may be too small by that.", 100 * truncated / samples, of_run);
        add_care(truncated > DOUBT_TRUNCATED * samples ? first : last, text);
    }
    if (has_silent_openmp(r))
        add_care(first,
                 "no wait of this OpenMP runtime, libgomp, was timed: threads that sleep at barriers or ends of regions are in no figure of waiting but imbalance. "
                 "Compiled with clang ('heatscope cc -fopenmp') such waits are told, with who was late.");
    double added = 0;
    if (!findings_has_few(r) && cost_text(r, own_s, cpu_s, of_run, &added, text, sizeof text)) {
        add_care(added > DOUBT_ADDED ? first : last, text);
        if (dearest_probe(r, cpu_s, text, sizeof text))
            add_care(added > DOUBT_ADDED ? first : last, text);
    }
    hsc_weighted ours, polls;
    hsc_err unused;
    if (!findings_has_few(r) && !part && r->metric == 0 && !strcmp(r->unit.unit, "s") && r->total > 0 && !sampled_ours(r, &ours, &polls, &unused)) {
        if (untimed_text(r, ours, told_of_ours(r), &untimed, text, sizeof text))
            add_care(untimed > DOUBT_ADDED ? first : last, text);
        if (polls_text(r, polls, text, sizeof text))
            add_care(last, text);
    }
    if (r->metric == 0 && !part && cpu_s > 0.1 && r->total > 0 && !strcmp(r->unit.unit, "s")) {
        double ratio = r->total * r->unit.scale / cpu_s;
        if (ratio < 0.9 || (ratio > 1.1 && !has_killed(r))) { /* of who was killed the clock was last read before the end */
            snprintf(text, sizeof text, "the samples stand for %s, the clock says %s: %s.", REPORT_SECONDS(r->total * r->unit.scale), REPORT_SECONDS(cpu_s),
                     ratio < 1 && most_are_brief(r) ? "most threads were too short for a sample, and what the kernel and measuring took at their beginnings and ends is in none"
                                                    : "shares hold, times are off by that ratio");
            add_care(first, text);
        }
    }
    look_at_intervals(r, last);
    say_cares(f, first, last);
}
