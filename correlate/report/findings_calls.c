/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings on libraries, message passing and waits. */
#include "findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <heatscope/formats/causes.h>
#include <heatscope/formats/libraries.h>

#include "report_arrays.h"
#include "report_causes.h"
#include "report_elapsed.h"
#include "report_measures.h"

/* ---- communication and runtime libraries ---- */

/* The call of `scope` that has most of its time: who calls it, and from which line. */
hsc_status findings_main_caller(report *r, uint32_t scope, char *out, size_t size, uint32_t *line, hsc_err *err) {
    hsc_db_context c, up;
    double best = 0;
    uint32_t best_line = HSC_NONE, best_scope = HSC_NONE, best_context = 0;
    out[0] = 0;
    *line = HSC_NONE;
    if (r->info.contexts > 5000000)
        return HSC_OK;
    double *sums = calloc((uint64_t)r->info.contexts + 1, sizeof *sums);
    hsc_status status = sums ? hsc_db_read_sums(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, 0,
                                                r->info.contexts, sums, NULL)
                             : HSC_E_MEMORY;
    for (uint32_t i = 1; i < r->info.contexts && !status; i++) {
        status = hsc_db_get_context(r->db, i, &c, err);
        if (status || c.scope != scope || sums[i] <= best)
            continue;
        status = hsc_db_get_context(r->db, c.parent, &up, err);
        best = sums[i];
        best_line = c.call_line;
        best_scope = up.scope;
        best_context = i;
    }
    free(sums);
    if (status == HSC_E_MISSING)
        return HSC_OK;
    if (status || best_scope == HSC_NONE)
        return status;
    hsc_db_scope s;
    hsc_db_line l;
    hsc_db_file file;
    char name[300], path[300], merged[100];
    for (uint32_t at = best_context; at; at = c.parent) { /* the call in the user's code, if there is one */
        hsc_db_scope above;
        if (hsc_db_get_context(r->db, at, &c, NULL) || hsc_db_get_context(r->db, c.parent, &up, NULL) || c.parent >= at)
            break;
        if (!hsc_db_get_scope(r->db, up.scope, &above, NULL) && above.kind >= HSC_SCOPE_PROCEDURE && report_is_own(r, &above)) {
            best_line = c.call_line;
            best_scope = up.scope;
            break;
        }
    }
    report_merged_text(r, best_line, merged, sizeof merged);
    status = hsc_db_get_scope(r->db, best_scope, &s, err);
    if (status || s.procedure == HSC_NONE)
        return status;
    findings_procedure(r, &s, name, sizeof name);
    *line = best_line;
    if (best_line != HSC_NONE && !hsc_db_get_line(r->db, best_line, &l, NULL) && l.line && !hsc_db_get_file(r->db, l.file, &file, NULL))
        snprintf(out, size, ", mostly called by %s at %s:%u%s", name, report_fit_place(file.path, 40, path, sizeof path), l.line, merged);
    else
        snprintf(out, size, ", mostly called by %s", name);
    return HSC_OK;
}

static bool is_mpi_call(const char *name) {
    return !strncmp(name, "MPI_", 4) || !strncmp(name, "PMPI_", 5) || !strncmp(name, "mpi_", 4) || !strncmp(name, "pmpi_", 5);
}

/* MPI_Wtime and MPI_Wtick, which pass no messages, by any name of theirs. */
static bool is_mpi_clock(const char *name) {
    name += *name == 'P' || *name == 'p';
    return !strncasecmp(name, "MPI_Wti", 7);
}

static hsc_status tell_mpi(findings *f, hsc_err *err) {
    report *r = f->r;
    hsc_weighted sum = {fmax(0, f->mpi.sum.sum - f->mpi.clock.sum), fmax(0, f->mpi.sum.excess - f->mpi.clock.excess)};
    uint32_t best_at = f->mpi.best_at, caller_line = HSC_NONE;
    char text[4096], share[120], detail[1200] = "";
    if (sum.sum < 0.01 * r->total)
        return HSC_OK;
    if (best_at != HSC_NONE) {
        hsc_db_scope s;
        char name[200], caller[700];
        hsc_status status = hsc_db_get_scope(r->db, best_at, &s, err);
        if (!status)
            status = findings_main_caller(r, best_at, caller, sizeof caller, &caller_line, err);
        if (status)
            return status;
        snprintf(detail, sizeof detail, "; most in %s (%.1f %%%s)", report_fit(s.name, 50, name, sizeof name), 100 * f->mpi.best / r->total, caller);
    }
    findings_amount(r, sum, share, sizeof share);
    snprintf(text, sizeof text, "MPI takes %s%s.", share, detail);
    findings_say(f, sum.sum, "MPI", sum, caller_line == HSC_NONE ? spot_nowhere : spot_of_line(r, caller_line), text);
    return HSC_OK;
}

/* MPI's share: samples with one of its libraries anywhere on the path; and the call with the most of it. */
hsc_status findings_mpi(findings *f, hsc_err *err) {
    report *r = f->r;
    uint32_t n = r->info.scopes - f->mpi.next, end = n < FINDINGS_ROWS ? r->info.scopes : f->mpi.next + FINDINGS_ROWS, module = HSC_NONE;
    bool is_mpi = false; /* of `module`: scopes of one stand together */
    if (!f->mpi.next)
        f->mpi.best_at = HSC_NONE;
    for (uint32_t s = f->mpi.next; s < end; s++) {
        hsc_db_scope scope;
        hsc_db_module m;
        hsc_status status = hsc_db_get_scope(r->db, s, &scope, err);
        if (status)
            return status;
        if (scope.module != module) {
            module = scope.module;
            is_mpi = module != HSC_NONE && !hsc_db_get_module(r->db, module, &m, NULL) && hsc_library_role_of(m.path) == HSC_LIBRARY_MESSAGES;
        }
        if (is_mpi && scope.kind == HSC_SCOPE_MODULE && r->incl[s] > f->mpi.sum.sum) /* they lie on each other's paths: the largest is all of them */
            f->mpi.sum = report_incl(r, s);
        bool clock = is_mpi && scope.kind == HSC_SCOPE_PROCEDURE && is_mpi_clock(scope.name);
        if (clock && r->incl[s] > f->mpi.clock.sum)
            f->mpi.clock = report_incl(r, s);
        if (is_mpi && !clock && scope.kind == HSC_SCOPE_PROCEDURE && r->incl[s] > f->mpi.best && is_mpi_call(scope.name)) {
            f->mpi.best = r->incl[s];
            f->mpi.best_at = s;
        }
    }
    f->mpi.next = end;
    f->again = end < r->info.scopes;
    return f->again ? HSC_OK : tell_mpi(f, err);
}

/* " at sweeps.c:85", or "" */
static void place_of_line(const report *r, uint32_t line, char *out, size_t size) {
    memcpy(out, " at ", 5);
    if (!*report_call_text(r, line, out + 4, size - 4))
        out[0] = 0;
}

typedef struct volumes { /* bytes */
    double sent, fetched, written, read; /* messages and what is put; what is got; files */
} volumes;

static void add_volume(volumes *v, const report_message *x) {
    if (x->kind == HSC_operation_class_FILE) {
        v->written += (double)x->sent_bytes;
        v->read += (double)x->received_bytes;
        return;
    }
    v->sent += (double)x->sent_bytes;
    v->fetched += x->kind == HSC_operation_class_ONE_SIDED ? (double)x->received_bytes : 0;
}

/* "send 1.2 MB, get 3 GB, write 5 kB to files" */
static void volume_text(const volumes *v, char *out, size_t size) {
    const struct {
        const char *verb, *end;
        double bytes;
    } all[] = {{"send", "", v->sent}, {"get", "", v->fetched}, {"write", " to files", v->written}, {"read", " from files", v->read}};
    size_t at = 0;
    char amount[32];
    out[0] = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && at < size; i++)
        if (all[i].bytes > 0 || (!i && !(v->fetched + v->written + v->read > 0)))
            at += (size_t)snprintf(out + at, size - at, "%s%s %s%s", at ? ", " : "", all[i].verb, report_volume(all[i].bytes, amount, sizeof amount), all[i].end);
}

/* Elapsed time in calls of the message-passing library, as its wrappers timed them. */
/* Elapsed time of the ranks, in which each has one thread that calls MPI; of one with several (MPI_THREAD_MULTIPLE) that of each of these, and *threads are
 * all of them then, else 0. */
static hsc_status time_of_callers(const report *r, double *elapsed, uint32_t *threads, hsc_err *err) {
    bool *calls = calloc((size_t)r->info.threads + 1, sizeof *calls), several = false;
    double *more = calloc((size_t)r->info.processes + 1, sizeof *more); /* of the others of a process */
    uint32_t *callers = calloc((size_t)r->info.processes + 1, sizeof *callers), all = 0;
    hsc_status s = calls && more && callers ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    *elapsed = 0;
    for (uint32_t i = 0; !s && i < r->info.messages; i++) {
        hsc_db_message m;
        s = hsc_db_get_message(r->db, i, &m, err);
        if (!s && m.calls && m.kind != HSC_operation_class_SETUP && m.thread < r->info.threads)
            calls[m.thread] = true;
    }
    for (uint32_t i = 0; !s && i < r->info.threads; i++) {
        hsc_db_thread t;
        if (!calls[i] || (s = hsc_db_get_thread(r->db, i, &t, err)) || t.process >= r->info.processes)
            continue;
        all++;
        several = several || callers[t.process];
        if (callers[t.process]++)
            more[t.process] += report_time_within(r, t.process, t.begin_s, t.end_s);
    }
    for (uint32_t p = 0; !s && p < r->info.processes; p++) {
        hsc_db_process process;
        if (!hsc_db_get_process(r->db, p, &process, NULL))
            *elapsed += report_time_within(r, p, process.begin_s, process.end_s) + more[p];
    }
    *threads = several ? all : 0;
    free(calls);
    free(more);
    free(callers);
    return s;
}

hsc_status findings_messages(findings *f, hsc_err *err) {
    report *r = f->r;
    report_message *rows;
    uint32_t n, best = HSC_NONE, threads;
    double all = 0, elapsed = 0, setup = 0; /* what begins and ends MPI is told apart */
    volumes moved = {0};
    const char *setup_name = NULL;
    char text[2200], where[300], apart[200] = "", volume[200], callers[700] = "", whose[60] = "all ranks";
    hsc_status status = time_of_callers(r, &elapsed, &threads, err);
    if (!status)
        status = report_messages(r, false, &rows, &n, err);
    if (status)
        return status;
    if (threads)
        snprintf(whose, sizeof whose, "the %u threads that call it", threads);
    for (uint32_t i = 0; i < n; i++) {
        add_volume(&moved, &rows[i]); /* what persistent requests move stands at their set-up's name */
        if (rows[i].kind == HSC_operation_class_SETUP) {
            setup += rows[i].duration_s;
            setup_name = setup_name ? setup_name : rows[i].operation; /* the longest comes first */
            continue;
        }
        all += rows[i].duration_s;
        if (best == HSC_NONE)
            best = i;
    }
    if (setup_name && elapsed > 0 && setup >= 0.01 * elapsed)
        snprintf(apart, sizeof apart, " Another %s pass in start, end and set-up, mostly %s.", REPORT_SECONDS(setup), setup_name);
    if (best != HSC_NONE && elapsed > 0 && all >= 0.01 * elapsed) {
        double begin_s, end_s, share = all / elapsed;
        if (share > 1 && hsc_db_get_interval(r->db, &begin_s, &end_s) && all - elapsed < 0.2 * r->info.processes)
            share = 1; /* the first slice of each process may hold what was before the interval */
        place_of_line(r, rows[best].line, where, sizeof where);
        if (rows[best].line != HSC_NONE)
            report_callers(r, rows[best].line, rows[best].operation, 1, callers, sizeof callers);
        volume_text(&moved, volume, sizeof volume);
        snprintf(text, sizeof text,
                 "Calls of MPI last %s, %.1f %% of the elapsed time of %s (timed, not sampled), and %s; "
                 "longest: %s%s, %s in %llu call%s%s%s.%s",
                 REPORT_SECONDS(all), 100 * share, whose, volume, rows[best].operation, where, REPORT_SECONDS(rows[best].duration_s),
                 (unsigned long long)rows[best].calls, rows[best].calls == 1 ? "" : "s", callers[0] ? ", most by way of " : "", callers, apart);
        findings_say(f, all / (r->unit.scale > 0 ? r->unit.scale : 1), "Calls of MPI", findings_no_share, spot_of_line(r, rows[best].line), text);
    }
    free(rows);
    return HSC_OK;
}

static bool is_io(uint32_t kind) {
    return kind == HSC_wait_kind_READ || kind == HSC_wait_kind_WRITE || kind == HSC_wait_kind_RECEIVE || kind == HSC_wait_kind_SEND ||
           kind == HSC_wait_kind_CONNECT || kind == HSC_wait_kind_OPEN || kind == HSC_wait_kind_SYNC || kind == HSC_wait_kind_NAME;
}

/* Elapsed time of the user's threads in calls that read and write. */
static hsc_status input_output(findings *f, const report_wait *rows, uint32_t n, hsc_err *err) {
    report *r = f->r;
    uint32_t best = HSC_NONE;
    uint64_t calls = 0, bytes = 0;
    double all = 0;
    report_elapsed of = {0};
    char text[1200], where[300], size[80] = "", volume[32];
    for (uint32_t i = 0; i < n; i++)
        if (rows[i].own && is_io(rows[i].kind)) {
            all += rows[i].total_s;
            calls += rows[i].waits;
            bytes += rows[i].bytes;
            best = best == HSC_NONE ? i : best;
        }
    hsc_status status = best == HSC_NONE ? HSC_OK : report_elapsed_of(r, &of, err);
    if (status || best == HSC_NONE || !(of.seconds > 0) || all < 0.01 * of.seconds)
        return status;
    const report_wait *w = &rows[best];
    if (w->bytes)
        snprintf(size, sizeof size, w->waits == 1 ? ", %.0f byte%s" : ", %.0f byte%s each on average", (double)w->bytes / (double)w->waits, w->bytes == w->waits ? "" : "s");
    place_of_line(r, w->line, where, sizeof where);
    snprintf(text, sizeof text,
             "Input and output take %s, %.1f %% of the elapsed time of the threads that run the program's code (timed, not sampled), in "
             "%llu call%s that move%s %s; longest: %s%s, %s in %llu call%s%s.",
             REPORT_SECONDS(all), 100 * all / of.seconds, (unsigned long long)calls, calls == 1 ? "" : "s", calls == 1 ? "s" : "", report_volume((double)bytes, volume, sizeof volume), w->kind_text, where, REPORT_SECONDS(w->total_s),
             (unsigned long long)w->waits, w->waits == 1 ? "" : "s", size);
    findings_say(f, all / (r->unit.scale > 0 ? r->unit.scale : 1), "Input and output", findings_no_share, spot_of_line(r, w->line), text);
    return HSC_OK;
}

/* What is waited for is the work of others, which other findings tell: threads, and children that are measured. */
static bool is_others_work(const report *r, uint32_t kind) {
    return kind == HSC_wait_kind_JOIN || (kind == HSC_wait_kind_CHILD && r->info.processes > 1);
}

/* Waits at one place, in one kind. */
typedef struct blocked {
    const report_wait *row; /* that of who ended most of them; NULL: none */
    double total_s;
    uint64_t waits;
} blocked;

/* The longest of the user's but of who waits for work, whoever ended them; the rows' order is another one then. */
static blocked longest_blocked(const report *r, report_wait *rows, uint32_t n) {
    blocked longest = {0};
    report_sort_waits_by_place(rows, n);
    for (uint32_t i = 0, next; i < n; i = next) {
        blocked here = {&rows[i], 0, 0};
        for (next = i; next < n && report_is_same_wait(&rows[i], &rows[next]); next++) {
            here.total_s += rows[next].own ? rows[next].total_s - rows[next].idle_s : 0;
            here.waits += rows[next].own ? rows[next].waits - rows[next].idle_waits : 0;
        }
        if (rows[i].own && !is_others_work(r, rows[i].kind) && !is_io(rows[i].kind) && here.total_s > longest.total_s)
            longest = here;
    }
    return longest;
}

/* Elapsed time in which the user's threads were blocked outside message passing, and what of it is input and output. */
hsc_status findings_blocked(findings *f, hsc_err *err) {
    report *r = f->r;
    report_wait *rows;
    uint32_t n;
    double all = 0, joins = 0, children = 0;
    char text[1400], where[300], holder[400] = "", ends[120] = "", idle[160] = "";
    hsc_status status = report_waits(r, false, &rows, &n, err);
    if (status)
        return status;
    status = input_output(f, rows, n, err);
    for (uint32_t i = 0; i < n; i++)
        if (rows[i].own && is_others_work(r, rows[i].kind)) {
            joins += rows[i].total_s;
            children += rows[i].kind == HSC_wait_kind_CHILD ? rows[i].total_s : 0;
        } else if (rows[i].own && !is_io(rows[i].kind)) {
            all += rows[i].total_s - rows[i].idle_s;
        }
    uint32_t idle_threads;
    double idle_s = report_idle_waits(r, rows, n, &idle_threads);
    blocked longest = longest_blocked(r, rows, n);
    double begin_s, end_s, cpu_s = hsc_db_get_interval(r->db, &begin_s, &end_s) && !r->metric ? r->total * r->unit.scale : r->info.cpu_s;
    if (longest.row && all > 0 && all >= 0.01 * cpu_s) {
        hsc_db_context c;
        hsc_db_scope s;
        char name[300], at[300], count[40];
        const report_wait *w = longest.row;
        if (w->holder_context != HSC_NONE && w->total_s >= 0.5 * longest.total_s && !hsc_db_get_context(r->db, w->holder_context, &c, NULL) &&
            !hsc_db_get_scope(r->db, c.scope, &s, NULL)) {
            findings_procedure(r, &s, name, sizeof name);
            findings_place(r, &s, at, sizeof at);
            if (hsc_cause_of_wait(w->kind) == HSC_wait_cause_LOCK)
                snprintf(holder, sizeof holder, s.file == HSC_NONE ? ", mostly while %s held it" : ", mostly while %s (%s) held it", name, at);
            else
                snprintf(holder, sizeof holder, s.file == HSC_NONE ? ", mostly %s %s" : ", mostly %s %s (%s)", report_ended_by(w->kind), name, at);
        }
        if (joins > 0.01 * cpu_s)
            snprintf(ends, sizeof ends, " Another %s they wait for %s to end.", REPORT_SECONDS(joins), children <= 0 ? "threads" : children < joins ? "threads and child processes" : "child processes");
        if (idle_s > 0.01 * cpu_s)
            snprintf(idle, sizeof idle, " Not counted: %s in which %u thread%s for work that others do meanwhile.", REPORT_SECONDS(idle_s), idle_threads,
                     idle_threads == 1 ? " waits" : "s wait");
        place_of_line(r, w->line, where, sizeof where);
        if (longest.waits)
            snprintf(count, sizeof count, "%llu wait%s", (unsigned long long)longest.waits, longest.waits == 1 ? "" : "s");
        else
            snprintf(count, sizeof count, "waits that did not end");
        snprintf(text, sizeof text,
                 "Threads of the program are blocked for %s of elapsed time outside message passing and input and output; longest: %s%s, %s in %s%s.%s%s",
                 REPORT_SECONDS(all), w->kind_text, where, REPORT_SECONDS(longest.total_s), count, holder, ends, idle);
        findings_say(f, all / (r->unit.scale > 0 ? r->unit.scale : 1), "Blocked", findings_no_share, spot_of_line(r, w->line), text);
    }
    free(rows);
    return status;
}

struct findings_walk {
    uint32_t next;
    uint32_t *entry; /* by context: that of the entry, HSC_NONE outside the runtime */
    double *sums, *excess, *below;
    hsc_weighted sum;
};

void findings_walk_free(findings_walk *w) {
    if (!w)
        return;
    free(w->entry);
    free(w->sums);
    free(w->excess);
    free(w->below);
    free(w);
}

static void visit_runtime(void *ctx, uint32_t c, const hsc_db_context *context, const hsc_db_scope *scope, report_library library) {
    findings_walk *w = ctx;
    (void)scope;
    w->entry[c] = HSC_NONE;
    if (library == REPORT_OTHER)
        return;
    w->entry[c] = w->entry[context->parent];
    if (library == REPORT_OPENMP && w->entry[c] == HSC_NONE)
        w->entry[c] = c;
    if (w->entry[c] == HSC_NONE)
        return;
    w->sum.sum += w->sums[c];
    w->sum.excess += w->excess[c];
    w->below[w->entry[c]] += w->sums[c];
}

/* The sums of all contexts; next beyond the last: there are none. */
static hsc_status begin_walk(findings *f, hsc_err *err) {
    report *r = f->r;
    uint32_t n = r->info.contexts;
    findings_walk *w = f->walk = calloc(1, sizeof *w);
    hsc_db_view view = {r->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD};
    if (!w || !(w->entry = malloc(((uint64_t)n + 1) * sizeof *w->entry)) || !(w->sums = calloc((uint64_t)n + 1, sizeof *w->sums)) ||
        !(w->excess = calloc((uint64_t)n + 1, sizeof *w->excess)) || !(w->below = calloc((uint64_t)n + 1, sizeof *w->below)))
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (hsc_db_read_sums(r->db, view, 0, n, w->sums, NULL) || hsc_db_read_excess(r->db, view, 0, n, w->excess, NULL))
        w->next = n;
    return HSC_OK;
}

#define HANDING_OUT 0.05 /* of all */

/* Does a thread get its next iterations of a loop there, whose schedule hands out piece by piece (dynamic, guided, by the runtime)? */
static bool hands_out(const char *entry) {
    static const char *const of_libgomp[] = {"dynamic_next", "guided_next", "runtime_next", "dynamic_start", "guided_start", "runtime_start"};
    if (!strncmp(entry, "__kmpc_dispatch_", 16))
        return true;
    for (size_t i = 0; i < sizeof of_libgomp / sizeof *of_libgomp && !strncmp(entry, "GOMP_loop_", 10); i++)
        if (strstr(entry, of_libgomp[i]))
            return true;
    return false;
}

/* " 98.3 % is for handing out iterations ..."; "": little is. below: by context */
static void tell_handing_out(const report *r, const double *below, char *out, size_t size) {
    double sum = 0;
    hsc_db_context c;
    hsc_db_scope s;
    out[0] = 0;
    for (uint32_t i = 0; i < r->info.contexts; i++)
        if (below[i] > 0 && !hsc_db_get_context(r->db, i, &c, NULL) && !hsc_db_get_scope(r->db, c.scope, &s, NULL) && hands_out(s.name))
            sum += below[i];
    if (sum >= HANDING_OUT * r->total)
        snprintf(out, size, " %.1f %% of the run is for handing out iterations of loops with schedule(dynamic), guided or runtime, piece by piece: larger pieces, as schedule(dynamic, 64) makes them, or schedule(static) where iterations take alike, save most of it.",
                 100 * sum / r->total);
}

/* The OpenMP runtime's share: samples in its library, or in system libraries that it called; not the user's code, which it
 * calls too. Named is the entry, the outermost of its procedures on the path, with the most of it. */
hsc_status findings_openmp(findings *f, hsc_err *err) {
    report *r = f->r;
    findings_walk *w = f->walk;
    uint32_t best_at = HSC_NONE;
    double best = 0;
    f->again = true;
    if (!w)
        return begin_walk(f, err);
    if (w->next < r->info.contexts) {
        uint32_t first = w->next, n = r->info.contexts - first;
        w->next = n < FINDINGS_ROWS ? r->info.contexts : first + FINDINGS_ROWS;
        return report_walk_contexts(r, first, w->next, visit_runtime, w, err);
    }
    f->again = false;
    for (uint32_t c = 0; c < r->info.contexts; c++)
        if (w->below[c] > best) {
            best = w->below[c];
            best_at = c;
        }
    hsc_weighted sum = w->sum;
    char handing[400];
    tell_handing_out(r, w->below, handing, sizeof handing);
    findings_walk_free(w); /* steps to come want memory, too */
    f->walk = NULL;
    if (best_at == HSC_NONE || sum.sum < 0.01 * r->total)
        return HSC_OK;
    hsc_db_context context, up;
    hsc_db_scope s, caller = {.name = ""};
    hsc_db_line l;
    hsc_db_file file;
    char text[4096], share[120], name[200], caller_name[300], path[300], at[400] = "";
    hsc_status status = hsc_db_get_context(r->db, best_at, &context, err);
    if (!status)
        status = hsc_db_get_scope(r->db, context.scope, &s, err);
    if (!status)
        status = hsc_db_get_context(r->db, context.parent, &up, err);
    if (!status)
        status = hsc_db_get_scope(r->db, up.scope, &caller, err);
    if (status)
        return status;
    findings_procedure(r, &caller, caller_name, sizeof caller_name);
    if (context.call_line != HSC_NONE && !hsc_db_get_line(r->db, context.call_line, &l, NULL) && l.line &&
        !hsc_db_get_file(r->db, l.file, &file, NULL))
        snprintf(at, sizeof at, " at %s:%u", report_fit_place(file.path, 40, path, sizeof path), l.line);
    findings_amount(r, sum, share, sizeof share);
    bool idle = !strcmp(caller_name, "start_thread");
    report_usage u;
    report_usage_of(r, 0, r->info.threads, &u);
    /* threads that wait actively, on a machine where others stand in line */
    bool in_the_way = !r->metric && u.line_known && u.line_s > 0.2 * (u.line_s + u.cpu_s) && sum.sum >= 0.1 * r->total && findings_polling(r) >= 0.1 * r->total * r->unit.scale;
    snprintf(text, sizeof text, "The OpenMP runtime, with what it calls of the system, takes %s; most below %s (%.1f %%), called by %s%s%s.%s%s", share,
             report_fit(s.name, 50, name, sizeof name), 100 * best / r->total, caller_name, at,
             idle ? ": worker threads that wait for work or for each other" : "", handing,
             in_the_way ? " Threads that wait actively take processors from others that stand in line for one: with OMP_WAIT_POLICY=passive in the environment they sleep; fewer threads are another way." : "");
    findings_say(f, sum.sum, "OpenMP runtime", sum, spot_of_line(r, context.call_line), text);
    return HSC_OK;
}

/* Communication by array. */
hsc_status findings_arrays(findings *f, hsc_err *err) {
    report *r = f->r;
    char text[1600] = "";
    double in_calls = 0;
    uint32_t scope = HSC_NONE, file = HSC_NONE, line = 0;
    hsc_db_scope s;
    report_elapsed elapsed = {0};
    hsc_status status = report_main_array(r, text, sizeof text, &scope, &file, &line, &in_calls, err);
    if (!status && text[0])
        status = report_elapsed_of(r, &elapsed, err);
    if (!status && text[0] && in_calls >= 0.001 * elapsed.seconds)
        findings_say(f, in_calls / (r->unit.scale > 0 ? r->unit.scale : 1), "Array", findings_no_share,
            scope != HSC_NONE && !hsc_db_get_scope(r->db, scope, &s, NULL) ? spot_of_scope(scope, &s) : file != HSC_NONE && line ? (spot){HSC_NONE, file, line} : spot_nowhere, text);
    return status;
}

/* Who makes others wait, and with what. */
hsc_status findings_causes(findings *f, hsc_err *err) {
    report *r = f->r;
    char text[4400] = "";
    double total = 0;
    uint32_t scope = HSC_NONE, line = HSC_NONE;
    hsc_db_scope s;
    hsc_status status = report_main_cause(r, text, sizeof text, &scope, &line, &total, err);
    if (!status && text[0])
        findings_say(f, total / (r->unit.scale > 0 ? r->unit.scale : 1), "Waiting caused", findings_no_share,
            scope == HSC_NONE || hsc_db_get_scope(r->db, scope, &s, NULL) ? spot_of_line(r, line) : spot_of_scope(scope, &s), text);
    return status;
}
