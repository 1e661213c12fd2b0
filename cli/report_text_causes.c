/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who was waited for, what it did meanwhile, and who waited: as text, and as rows for programs. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/causes.h>

#include "report_causes.h"
#include "report_measures.h"
#include "report_rows.h"
#include "report_text.h"

/* ---- text ---- */

/* What waits are laid to, for the lines on what is laid to nobody. Not signals: a late one ends waits of many kinds, of which most have no cause that is known. */
typedef enum laid { AT_BARRIERS, FOR_TASKS, FOR_LOCKS, LAID } laid;

static laid laid_of_wait(uint32_t kind) {
    switch (kind) {
    case HSC_wait_kind_OMP_BARRIER:
    case HSC_wait_kind_OMP_REGION_END:
    case HSC_wait_kind_OMP_REDUCTION:
    case HSC_wait_kind_BARRIER: return AT_BARRIERS;
    case HSC_wait_kind_OMP_TASKWAIT:
    case HSC_wait_kind_OMP_TASKGROUP: return FOR_TASKS;
    case HSC_wait_kind_MUTEX:
    case HSC_wait_kind_RWLOCK:
    case HSC_wait_kind_SPIN:
    case HSC_wait_kind_OMP_CRITICAL:
    case HSC_wait_kind_OMP_LOCK:
    case HSC_wait_kind_OMP_ORDERED:
    case HSC_wait_kind_OMP_ATOMIC: return FOR_LOCKS;
    default: return LAID;
    }
}

static laid laid_of_cause(uint32_t cause) {
    return cause == HSC_wait_cause_OMP_BARRIER ? AT_BARRIERS
           : cause == HSC_wait_cause_TASK      ? FOR_TASKS
           : cause == HSC_wait_cause_LOCK      ? FOR_LOCKS
                                               : LAID;
}

/* Seconds of the program's own waits that are in no cause, and why that may be. */
static hsc_status put_laid_to_nobody(report *r, hsc_err *err) {
    static const char *const where[LAID] = {
        [AT_BARRIERS] = "At barriers of threads", [FOR_TASKS] = "For OpenMP tasks", [FOR_LOCKS] = "For locks"};
    static const char *const why[LAID] = {
        [AT_BARRIERS] = "all had come (no processor), the others did no more than the one that waited, or who came last is not known (threads of other processes)",
        [FOR_TASKS] = "the thread that waited found another task to work on, or ended the last one itself",
        [FOR_LOCKS] = "who had the lock is not known, or nobody had: the thread that waited had no processor"};
    report_wait *rows;
    report_delayed *delayed;
    uint32_t n;
    char line[400];
    double all[LAID + 1] = {0}, told[LAID + 1] = {0}, joins = 0, signals = 0;
    hsc_status s = report_delayed_list(r, &delayed, &n, err);
    for (uint32_t i = 0; !s && i < n; i++)
        if (delayed[i].own || delayed[i].d.kind == HSC_wait_cause_OMP_BARRIER)
            told[laid_of_cause(delayed[i].d.kind)] += delayed[i].v.wait_s;
    if (!s)
        free(delayed);
    if (s || (s = report_waits(r, false, &rows, &n, err)))
        return s;
    for (uint32_t i = 0; i < n; i++) {
        joins += rows[i].own && rows[i].kind == HSC_wait_kind_JOIN ? rows[i].total_s : 0;
        if (rows[i].own || laid_of_wait(rows[i].kind) == AT_BARRIERS)
            all[laid_of_wait(rows[i].kind)] += rows[i].total_s;
    }
    free(rows);
    hsc_db_cause *causes;
    if ((s = hsc_db_read_causes(r->db, &causes, &n, err)))
        return s;
    for (uint32_t i = 0; i < n; i++)
        signals += causes[i].own && causes[i].for_work && causes[i].delay.kind == HSC_wait_cause_SIGNAL ? causes[i].place.caused_s - causes[i].counted_s : 0;
    free(causes);
    if (signals >= 0.0005) {
        snprintf(line, sizeof line, "Not counted: %.3f s in which threads with hardly any work of their own wait for others' signal that theirs is done", signals);
        fputs("  ", r->out);
        report_text_wrap(r->out, r->width, line, 2, 2);
    }
    if (joins >= 0.0005)
        fprintf(r->out, "   Not counted: %.3f s in which threads wait for others to end, for their work\n", joins);
    for (laid k = 0; k < LAID; k++)
        if (all[k] - told[k] >= 0.0005 && all[k] - told[k] >= 0.01 * all[k]) {
            snprintf(line, sizeof line, "%s, laid to nobody: %.3f s of %.3f: %s", where[k], all[k] - told[k], all[k], why[k]);
            fputs("  ", r->out);
            report_text_wrap(r->out, r->width, line, 2, 2);
        }
    return HSC_OK;
}

void report_text_libraries(const report *r, double all, double idle) {
    if (all < 0.0005 || (r->brief && all - idle < 0.01 * all)) /* of no one's concern, beside other tables */
        return;
    fprintf(r->out, "   Not counted: %.3f s in which threads that libraries made for themselves\n   wait for each other", all);
    if (idle >= 0.0005)
        fprintf(r->out, ", %.3f s of it idle: until one has work for another", idle);
    fputs("\n", r->out);
}

enum { NAMED_COLUMNS = 22 }; /* that a thread's number takes with its name */

/* "thread 2 worker": as much of the name as there is room for; names: by thread, found when first asked for. */
static void put_named(const report *r, uint32_t thread, char **names, char *out, size_t size) {
    char name[128], text[128];
    report_who(r, thread, out, size);
    int room = NAMED_COLUMNS - report_columns_of(out) - 1;
    if (room < 4 || thread >= r->info.threads)
        return;
    if (!names[thread] && !(names[thread] = strdup(report_thread_name(r, thread, name, sizeof name))))
        return;
    size_t n = strlen(out);
    if (*names[thread])
        snprintf(out + n, size - n, " %s", report_fit(names[thread], room, text, sizeof text));
}

static void free_names(char **names, uint32_t n) {
    for (uint32_t i = 0; names && i < n; i++)
        free(names[i]);
    free(names);
}

/* Of the program's own the first `most` (0: all), and the largest of the machine's; the rest, also of what is next to nothing. Returns how many are shown. */
static uint32_t choose_causes(const report *r, const report_cause *rows, uint32_t n, uint32_t most, double total, bool *shown, double *rest) {
    uint32_t count = 0;
    bool machine = false;
    *rest = 0;
    for (uint32_t i = 0; i < n; i++) {
        const report_cause *c = &rows[i];
        if (!c->of.own)
            continue;
        shown[i] = !((most && count >= most && (machine || !c->of.place.not_running)) || (r->brief && c->caused_s < 0.01 * total) || (r->top && count && c->caused_s < 0.0005)); /* 0.000 s */
        *rest += shown[i] ? 0 : c->caused_s;
        count += shown[i];
        machine = machine || (shown[i] && c->of.place.not_running);
    }
    return count;
}

/* Places of those that are shown, in so many columns, and which of them are to be told besides. */
static hsc_status name_causes(const report *r, const report_cause *rows, uint32_t n, const bool *shown, int width, report_named *places, uint32_t *named, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; i < n && !s; i++) {
        char where[800], whole[1600];
        if (!shown[i])
            continue;
        report_cause_place(r, &rows[i], width, where, sizeof where);
        report_cause_place(r, &rows[i], sizeof whole, whole, sizeof whole);
        s = report_set_named(&places[*named], where, whole, err);
        *named += !s;
    }
    return s ? s : report_tell_twins(places, *named, r->width - 23, err);
}

hsc_status report_text_causes(report *r, hsc_err *err) {
    report_cause *rows;
    uint32_t n, count = 0, named = 0, told = 0, most = report_text_rows(r, 3);
    double total = 0, rest = 0, libraries = 0, idle = 0;
    uint32_t theirs = 0;
    bool machine = false;
    char who[128], more[800];
    hsc_status s = report_causes(r, &rows, &n, err);
    if (s)
        return s;
    char **names = calloc((size_t)r->info.threads + 1, sizeof *names);
    bool *shown = calloc((size_t)n + 1, sizeof *shown);
    report_named *places = calloc((size_t)n + 1, sizeof *places);
    if (!names || !shown || !places) {
        free(names);
        free(shown);
        free(places);
        free(rows);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    }
    int who_columns = 16; /* a processor's number is never cut: it would be another's */
    for (uint32_t i = 0; i < n; i++) {
        *(rows[i].of.own ? &total : &libraries) += rows[i].caused_s;
        idle += !rows[i].of.own && rows[i].of.delay.kind == HSC_wait_cause_SIGNAL ? rows[i].caused_s : 0;
        theirs += !rows[i].of.own;
        if (rows[i].of.own && (!most || i - theirs < most))
            put_named(r, rows[i].most_thread, names, who, sizeof who);
        else
            report_who(r, rows[i].most_thread, who, sizeof who);
        who_columns = report_columns_of(who) > who_columns ? report_columns_of(who) : who_columns;
    }
    fprintf(r->out, "\nCauses of waiting: time that others waited, by what the late ones did before\n"
                    "  time s    %%   waits  kind                %-*s place\n", who_columns, "most by");
    count = choose_causes(r, rows, n, most, total, shown, &rest);
    s = name_causes(r, rows, n, shown, r->width - 43 - who_columns, places, &named, err);
    for (uint32_t i = 0; i < n && !s; i++) {
        const report_cause *c = &rows[i];
        if (!shown[i])
            continue;
        if (c->of.place.not_running && !machine)
            fputs("   The machine's: the late ones were ready to run, but had no processor\n", r->out);
        machine = machine || c->of.place.not_running;
        put_named(r, c->most_thread, names, who, sizeof who);
        fprintf(r->out, "%8.3f %4.0f %7llu  %-19.19s %-*s %s\n", c->caused_s, total > 0 ? 100 * c->caused_s / total : 0,
                (unsigned long long)c->waits, report_cause_kind(c->of.delay.kind), who_columns, who, places[told].text);
        if (places[told].twin)
            report_text_wrap(r->out, r->width, places[told].name, 25, fprintf(r->out, "%*s", 22, ""));
        told++;
        char late[300], ways[800];
        bool heavy = c->caused_s >= 0.01 * total;
        if (heavy && report_cause_ways(r, c, 3, ways, sizeof ways)[0])
            report_text_wrap(r->out, r->width, ways, 24, fprintf(r->out, "%*s by way of", 22, ""));
        bool lost = c->of.place.not_running || c->of.place.not_known; /* whose barrier stands in the place */
        report_call_text(r, c->of.delay.line, late, sizeof late);
        bool calls = !hsc_cause_is_of_threads(c->of.delay.kind) || c->of.delay.kind == HSC_wait_cause_SIGNAL || c->of.delay.kind == HSC_wait_cause_OMP_BARRIER;
        if (late[0] && calls && !(hsc_cause_is_of_threads(c->of.delay.kind) && lost) && heavy) {
            fprintf(r->out, "%*s then late at %s\n", 22, "", late);
            if (report_cause_late_ways(r, c, 3, ways, sizeof ways)[0])
                report_text_wrap(r->out, r->width, ways, 24, fprintf(r->out, "%*s   by way of", 22, ""));
        }
        char compiled[900];
        if (heavy && !(s = report_cause_compiled(r, &c->of, compiled, sizeof compiled, err)) && compiled[0])
            report_text_wrap(r->out, r->width, compiled, 24, fprintf(r->out, "%*scompiler:", 23, ""));
    }
    if (count + theirs < n)
        fprintf(r->out, "%8.3f %4.0f  %s\n", rest, total > 0 ? 100 * rest / total : 0, report_text_more(r, n - theirs - count, REPORT_CAUSE, more, sizeof more));
    if (n == theirs)
        fputs("  none\n", r->out);
    if (!r->brief || libraries >= 0.01 * total)
        report_text_libraries(r, libraries, idle);
    free_names(names, r->info.threads);
    report_free_named(places, named);
    free(shown);
    free(rows);
    return s || r->brief ? s : put_laid_to_nobody(r, err);
}

/* Widths of the table's columns: what is left is for the place. */
typedef struct delayed_columns {
    int kind, late;
} delayed_columns;

static bool is_shown_delayed(const report *r, const report_delayed *p, uint32_t row, double total) {
    return !(r->top && row >= r->top) && !(r->brief && p->v.wait_s < 0.001 * total);
}

static delayed_columns columns_of_delayed(const report *r, const report_delayed *rows, uint32_t n, double total) {
    delayed_columns c = {4, 9};
    char late[128];
    for (uint32_t i = 0; i < n && is_shown_delayed(r, &rows[i], i, total); i++) {
        report_who(r, rows[i].d.thread, late, sizeof late);
        int kind = report_columns_of(report_cause_kind(rows[i].d.kind)), who = report_columns_of(late);
        c.kind = kind < c.kind ? c.kind : kind < 19 ? kind : 19;
        c.late = who < c.late ? c.late : who;
    }
    return c;
}

/* ", called at solve.c:80", where the same place is there by other paths, too. */
static void put_call(const report *r, const report_delayed *p) {
    char at[300];
    hsc_db_line l;
    if (p->call != HSC_NONE && !hsc_db_get_line(r->db, p->call, &l, NULL) && l.line)
        fprintf(r->out, ", called at %s", report_at(r, l.file, l.line, at, sizeof at));
}

static void put_delayed(const report *r, const report_delayed *p, const delayed_columns *c, double total) {
    char who[128], late[128], where[800];
    report_who(r, p->v.thread, who, sizeof who);
    report_who(r, p->d.thread, late, sizeof late);
    int room = r->width - 34 - c->kind - c->late - report_columns_of(who);
    uint32_t scope = report_scope_of(r, p->v.context);
    report_procedure_text(r, scope, p->v.line, r->width - 22, where, sizeof where);
    bool fits = report_columns_of(where) <= room;
    if (!fits && room >= 40) { /* of a long name as much as a wide line has */
        report_procedure_text(r, scope, p->v.line, room, where, sizeof where);
        fits = true;
    }
    fprintf(r->out, "%8.3f %4.0f %7llu %7.*f  %-*.*s %-*s %s", p->v.wait_s, total > 0 ? 100 * p->v.wait_s / total : 0,
            (unsigned long long)p->v.waits, p->v.max_s < 9.9995 ? 2 : 0, 1e3 * p->v.max_s, c->kind, c->kind, report_cause_kind(p->d.kind), c->late, late, who);
    if (fits)
        fprintf(r->out, " %s", where);
    else
        fprintf(r->out, "\n%*s%s", 22, "", where);
    put_call(r, p);
    fputc('\n', r->out);
}

hsc_status report_text_delayed(report *r, hsc_err *err) {
    report_delayed *rows;
    uint32_t all, n = 0, shown = 0;
    double total = 0, rest = 0, libraries = 0, idle = 0;
    char more[800];
    hsc_status s = report_delayed_list(r, &rows, &all, err);
    if (s)
        return s;
    for (uint32_t i = 0; i < all; i++) {
        *(rows[i].own ? &total : &libraries) += rows[i].v.wait_s;
        idle += !rows[i].own && rows[i].d.kind == HSC_wait_cause_SIGNAL ? rows[i].v.wait_s : 0;
    }
    report_delayed_by_place(r, rows, &all);
    while (n < all && rows[n].own)
        n++;
    delayed_columns c = columns_of_delayed(r, rows, n, total);
    fprintf(r->out, "\nWaiting: until the late one came, by who waited where\n"
                    "  time s    %%   waits  max ms  %-*s %-*s who and where\n", c.kind, "kind", c.late, "waits for");
    for (; shown < n && is_shown_delayed(r, &rows[shown], shown, total); shown++)
        put_delayed(r, &rows[shown], &c, total);
    for (uint32_t i = shown; i < n; i++)
        rest += rows[i].v.wait_s;
    if (shown < n)
        fprintf(r->out, "%8.3f %4.0f  %s\n", rest, total > 0 ? 100 * rest / total : 0, report_text_more(r, n - shown, REPORT_DELAYED, more, sizeof more));
    if (!n)
        fputs("  none\n", r->out);
    report_text_libraries(r, libraries, idle);
    free(rows);
    return HSC_OK;
}

/* ---- rows for programs ---- */

static void put_place(const report *r, hsc_table *t, const char *prefix, uint32_t line, uint32_t context) {
    hsc_db_line l = {.file = HSC_NONE};
    hsc_db_file f = {.path = ""};
    hsc_db_scope s = {.procedure = HSC_NONE}, p = {.name = ""};
    uint32_t scope = report_scope_of(r, context);
    char name[64];
    if (line != HSC_NONE && !hsc_db_get_line(r->db, line, &l, NULL) && l.file != HSC_NONE)
        (void)hsc_db_get_file(r->db, l.file, &f, NULL);
    if (scope != HSC_NONE && !hsc_db_get_scope(r->db, scope, &s, NULL) && s.procedure != HSC_NONE)
        (void)hsc_db_get_scope(r->db, s.procedure, &p, NULL);
    snprintf(name, sizeof name, "%sprocedure", prefix);
    hsc_table_text(t, name, p.name);
    snprintf(name, sizeof name, "%sfile", prefix);
    hsc_table_text(t, name, f.path);
    snprintf(name, sizeof name, "%sline", prefix);
    hsc_table_count(t, name, l.line);
    snprintf(name, sizeof name, "%sloop_line", prefix);
    hsc_table_count(t, name, s.kind == HSC_SCOPE_LOOP ? s.line_begin : 0);
}

static void put_processor(const report *r, hsc_table *t, const char *name, uint32_t thread) {
    char text[128] = "";
    if (thread != HSC_NONE)
        report_processor(r, HSC_AXIS_THREAD, thread, text, sizeof text);
    hsc_table_text(t, name, text);
}

static void cause_row(const report *r, hsc_table *t, uint32_t rank, const report_cause_row *row, const char *compiled) {
    const hsc_db_cause *x = &row->of;
    hsc_table_begin_row(t);
    hsc_table_count(t, "position", rank);
    hsc_table_text(t, "kind", x->delay.kind_text);
    put_processor(r, t, "processor", x->delay.thread);
    put_place(r, t, "", x->place.line, x->place.context);
    hsc_table_text(t, "known", x->place.not_known ? "no" : "yes");
    hsc_table_text(t, "running", x->place.not_running ? "no" : "yes");
    hsc_table_text(t, "waited", x->waited);
    hsc_table_text(t, "own_code", x->own ? "yes" : "no");
    hsc_table_number(t, "caused_s", x->place.caused_s);
    hsc_table_number(t, "direct_s", x->place.direct_s);
    hsc_table_count(t, "delay", x->place.delay);
    put_place(r, t, "late_", x->delay.line, x->delay.context);
    hsc_table_count(t, "waits", (double)x->delay.waits);
    hsc_table_number(t, "wait_s", x->delay.wait_s);
    hsc_table_number(t, "indirect_s", x->delay.indirect_s);
    hsc_table_number(t, "all_threads_s", row->all_s);
    hsc_table_count(t, "threads", row->over.threads.n);
    report_put_over(r, t, &row->over);
    hsc_table_count(t, "column", x->column);
    hsc_table_text(t, "compiled", compiled);
    hsc_table_number(t, "counted_s", x->own ? x->counted_s : 0);
    hsc_table_end_row(t);
    t->naming = false;
}

hsc_status report_cause_rows(report *r, hsc_table *t, hsc_err *err) {
    const report_cause_row none = {.of = {.place = {.context = HSC_NONE, .line = HSC_NONE},
                                          .delay = {.kind_text = "", .thread = HSC_NONE, .context = HSC_NONE, .line = HSC_NONE}, .waited = ""}};
    report_cause_row *list;
    uint32_t n;
    hsc_status s = report_cause_list(r, &list, &n, err);
    if (s)
        return s;
    if (t->naming)
        cause_row(r, t, 0, &none, "");
    for (uint32_t i = 0; i < n && (!r->top || i < r->top) && !s; i++) {
        char compiled[900];
        if (!(s = report_cause_compiled(r, &list[i].of, compiled, sizeof compiled, err)))
            cause_row(r, t, i + 1, &list[i], compiled);
    }
    free(list);
    return s;
}

static void delayed_row(const report *r, hsc_table *t, uint32_t rank, const report_delayed *x) {
    hsc_table_begin_row(t);
    hsc_table_count(t, "position", rank);
    hsc_table_text(t, "kind", x->d.kind_text);
    put_processor(r, t, "processor", x->v.thread);
    put_place(r, t, "", x->v.line, x->v.context);
    hsc_table_count(t, "waits", (double)x->v.waits);
    hsc_table_number(t, "wait_s", x->v.wait_s);
    hsc_table_number(t, "max_s", x->v.max_s);
    hsc_table_count(t, "delay", x->v.delay);
    put_processor(r, t, "late_processor", x->d.thread);
    put_place(r, t, "late_", x->d.line, x->d.context);
    hsc_table_text(t, "own_code", x->own ? "yes" : "no");
    hsc_table_end_row(t);
    t->naming = false;
}

hsc_status report_delayed_rows(report *r, hsc_table *t, hsc_err *err) {
    report_delayed *rows, none = {.v = {.context = HSC_NONE, .line = HSC_NONE, .thread = HSC_NONE},
                        .d = {.kind_text = "", .thread = HSC_NONE, .context = HSC_NONE, .line = HSC_NONE}};
    uint32_t n;
    hsc_status s = report_delayed_list(r, &rows, &n, err);
    if (s)
        return s;
    if (t->naming)
        delayed_row(r, t, 0, &none);
    for (uint32_t i = 0; i < n && (!r->top || i < r->top); i++)
        delayed_row(r, t, i + 1, &rows[i]);
    free(rows);
    return HSC_OK;
}
