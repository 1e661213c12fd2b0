/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads what the report needs, and computes its statistics and intervals. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/records.h>
#include <heatscope/formats/remarks.h>

#include "report_paid.h"
#include "report_timed.h"
#include "report_reasons.h"

static hsc_status out_of_memory(hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "out of memory"); }

static hsc_status load_sums(report *r, hsc_db_table table, double **out, double **excess, hsc_err *err) {
    uint64_t n = hsc_db_get_rows(r->db, table);
    *out = calloc(n + 1, sizeof **out);
    if (!*out)
        return out_of_memory(err);
    *excess = calloc(n + 1, sizeof **excess);
    if (!*excess)
        return out_of_memory(err);
    hsc_db_view view = {r->metric, table, HSC_AXIS_THREAD};
    hsc_status status = hsc_db_read_sums(r->db, view, 0, n, *out, err);
    return status ? status : hsc_db_read_excess(r->db, view, 0, n, *excess, err);
}

/* Instances by their scope. A database may have no values of them. */
static hsc_status load_instances(report *r, hsc_err *err) {
    uint32_t n = r->info.instances;
    hsc_db_instance instance;
    hsc_status status = load_sums(r, HSC_TABLE_INSTANCE, &r->instance_sums, &r->instance_excess, NULL);
    if (status == HSC_E_MEMORY)
        return out_of_memory(err);
    r->instance_begin = calloc((uint64_t)r->info.scopes + 2, sizeof *r->instance_begin);
    r->instances = calloc((uint64_t)n + 1, sizeof *r->instances);
    if (!r->instance_begin || !r->instances)
        return out_of_memory(err);
    if (status)
        return status == HSC_E_MISSING ? HSC_OK : hsc_err_set(err, status, "%s: loop instances cannot be read", r->info.path);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < n; i++) {
            status = hsc_db_get_instance(r->db, i, &instance, err);
            if (status)
                return status;
            if (instance.scope >= r->info.scopes)
                continue;
            if (pass)
                r->instances[r->instance_begin[instance.scope + 1]++] = i;
            else if (instance.scope + 2 < r->info.scopes + 2)
                r->instance_begin[instance.scope + 2]++;
        }
        for (uint32_t k = 0; !pass && k < r->info.scopes; k++)
            r->instance_begin[k + 2] += r->instance_begin[k + 1];
    }
    return HSC_OK;
}

/* Each sample cost the time of its interrupt and of the handler, which is in the CPU time of its thread: with --net it counts so
 * much less. */
static hsc_status take_out_cost(report *r, hsc_err *err) {
    double cpu_s = 0, cost_s = 0;
    hsc_status status = HSC_OK;
    if (r->metric || r->unit.exact)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: --net: only CPU time has a cost of sampling in it, not '%s'", r->info.path, r->unit.name);
    for (uint32_t i = 0; !status && i < hsc_db_count_told(r->db, HSC_TOLD_COSTS); i++) {
        hsc_db_cost c;
        hsc_db_thread t;
        if (!(status = hsc_db_get_cost(r->db, i, &c, err)) && !(status = hsc_db_get_thread(r->db, c.thread, &t, err))) {
            cpu_s += t.cpu_s;
            cost_s += c.handler_s + c.signals_s;
        }
    }
    if (!status && !(cpu_s > 0))
        status = hsc_err_set(err, HSC_E_MISSING, "%s: --net: what sampling cost is not known", r->info.path);
    if (!status) {
        r->net_share = cost_s < cpu_s ? cost_s / cpu_s : 1;
        r->unit.scale *= 1 - r->net_share;
    }
    return status;
}

static hsc_status load_head(report *r, hsc_err *err) {
    hsc_status status = hsc_db_get_metric(r->db, r->metric, &r->unit, err);
    hsc_db_get_info(r->db, &r->info);
    if (!status && r->net)
        status = take_out_cost(r, err);
    hsc_db_get_info(r->db, &r->info);
    r->columns = hsc_db_get_columns(r->db, r->axis);
    if (!status)
        status = report_load_programs(r, err);
    double begin_s, end_s;
    for (uint32_t t = 0; !r->metric && t < r->info.threads && !hsc_db_get_interval(r->db, &begin_s, &end_s); t++) {
        hsc_db_thread thread;
        r->records += hsc_db_get_thread(r->db, t, &thread, NULL) ? 0 : thread.records;
    }
    return status;
}

static hsc_status load_exclusive(report *r, hsc_err *err) { return load_sums(r, HSC_TABLE_SCOPE_EXCL, &r->excl, &r->excl_excess, err); }

static hsc_status load_inclusive(report *r, hsc_err *err) { return load_sums(r, HSC_TABLE_SCOPE_INCL, &r->incl, &r->incl_excess, err); }

static hsc_status load_own(report *r, hsc_err *err) {
    hsc_status status = HSC_OK;
    r->calls = report_calls_new();
    r->apart = report_apart_new();
    r->own = calloc((uint64_t)r->info.scopes + 1, sizeof *r->own);
    r->own_excess = calloc((uint64_t)r->info.scopes + 1, sizeof *r->own_excess);
    r->dense = calloc((uint64_t)r->columns + 1, sizeof *r->dense);
    r->dense_excess = calloc((uint64_t)r->columns + 1, sizeof *r->dense_excess);
    r->touched = calloc((uint64_t)r->columns + 1, sizeof *r->touched);
    if (!r->own || !r->own_excess || !r->dense || !r->dense_excess || !r->touched)
        return out_of_memory(err);
    for (uint32_t s = r->info.scopes; s-- > 0 && !status;) { /* children come after their parents */
        hsc_db_scope scope, parent;
        status = hsc_db_get_scope(r->db, s, &scope, err);
        if (!status)
            status = hsc_db_get_scope(r->db, scope.parent, &parent, err);
        if (status)
            break;
        r->own[s] += r->excl[s];
        r->own_excess[s] += r->excl_excess[s];
        r->all.sum += r->excl[s];
        r->all.excess += r->excl_excess[s];
        if (s && scope.procedure == parent.procedure && scope.procedure != HSC_NONE) {
            r->own[scope.parent] += r->own[s];
            r->own_excess[scope.parent] += r->own_excess[s];
        }
    }
    r->total = r->all.sum;
    r->decimals = !r->unit.unit[0] ? 0 : report_decimals(r->total * r->unit.scale);
    return status;
}

static hsc_status (*const load_steps[])(report *, hsc_err *) = {load_head, load_exclusive, load_instances, load_inclusive, load_own};
const unsigned report_load_steps = sizeof load_steps / sizeof *load_steps;

hsc_status report_load_step(report *r, unsigned step, hsc_err *err) { return load_steps[step](r, err); }

hsc_status report_load(report *r, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (unsigned i = 0; i < report_load_steps && !status; i++)
        status = report_load_step(r, i, err);
    return status;
}

void report_clear(report *r) {
    for (uint32_t f = 0; r->sources && f < r->info.files; f++)
        free(r->sources[f].text), free(r->sources[f].starts);
    free(r->sources);
    free(r->instance_sums);
    free(r->instance_begin);
    free(r->instances);
    double *of_scopes[] = {r->excl, r->own, r->incl, r->excl_excess, r->own_excess, r->incl_excess, r->instance_excess, r->dense, r->dense_excess};
    for (size_t i = 0; i < sizeof of_scopes / sizeof *of_scopes; i++)
        free(of_scopes[i]);
    free(r->touched);
    free(r->program_first);
    free(r->own_module);
    free(r->process_program);
    free(r->program_of);
    free(r->program_met);
    free(r->helpers);
    free(r->stands_for);
    free(r->in_region);
    free(r->in_task);
    free(r->causes);
    report_teams_free(r->teams, r->info.scopes);
    free(r->shared);
    report_paid_free(r->paid);
    report_calls_free(r->calls);
    report_pool_free(r->pool);
    report_apart_free(r->apart);
}

/* ---- which scopes ---- */

/* "solve.c:120": how much of it is the file's, and the line; false: it names no line. */
static bool split_where(const char *where, size_t *n, uint32_t *line) {
    const char *colon = strrchr(where, ':');
    if (!colon || colon == where || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
        return false;
    *n = (size_t)(colon - where);
    *line = (uint32_t)strtoul(colon + 1, NULL, 10);
    return *line > 0;
}

/* Is --where a part of the path, or a part of it and a line from begin to end? */
static bool is_there(const report *r, const char *path, uint32_t begin, uint32_t end) {
    size_t n;
    uint32_t line;
    if (strstr(path, r->where))
        return true;
    return split_where(r->where, &n, &line) && memmem(path, strlen(path), r->where, n) && begin <= line && line <= end;
}

bool report_where_is_line(const report *r) {
    size_t n;
    uint32_t line;
    return r->where && split_where(r->where, &n, &line);
}

bool report_wanted(const report *r, uint32_t scope) {
    hsc_db_scope s, p;
    hsc_db_file f;
    if (!r->where)
        return true;
    if (hsc_db_get_scope(r->db, scope, &s, NULL))
        return false;
    if (s.file != HSC_NONE && !hsc_db_get_file(r->db, s.file, &f, NULL) && is_there(r, f.path, s.line_begin, s.line_end))
        return true;
    return s.procedure != HSC_NONE && !hsc_db_get_scope(r->db, s.procedure, &p, NULL) && strstr(p.name, r->where);
}

bool report_wanted_line(const report *r, uint32_t line_row) {
    hsc_db_line l;
    hsc_db_file f;
    size_t n;
    uint32_t line;
    if (!r->where)
        return true;
    if (hsc_db_get_line(r->db, line_row, &l, NULL))
        return false;
    if (!hsc_db_get_file(r->db, l.file, &f, NULL) && is_there(r, f.path, l.line, l.line))
        return true;
    return l.scope != HSC_NONE && !split_where(r->where, &n, &line) && report_wanted(r, l.scope);
}

hsc_status report_paths_through(const report *r, uint8_t **out, hsc_err *err) {
    hsc_db_context c;
    hsc_status s = HSC_OK;
    *out = NULL;
    if (!r->where)
        return HSC_OK;
    uint8_t *through = calloc((size_t)r->info.contexts + 1, 1);
    if (!through)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t i = 0; i < r->info.contexts && !s; i++) /* parents come first */
        if (!(s = hsc_db_get_context(r->db, i, &c, err)))
            through[i] = (i && c.parent < i && through[c.parent]) || report_wanted(r, c.scope);
    if (s)
        free(through);
    else
        *out = through;
    return s;
}

bool report_wanted_finding(const report *r, const hsc_db_finding *f) {
    hsc_db_file file;
    if (!r->where || (f->scope != HSC_NONE && report_wanted(r, f->scope)))
        return true;
    return f->file != HSC_NONE && !hsc_db_get_file(r->db, f->file, &file, NULL) && is_there(r, file.path, f->line, f->line);
}

bool report_is_own(const report *r, const hsc_db_scope *s) {
    hsc_db_module m;
    hsc_db_process p;
    hsc_db_scope of = *s;
    if (s->knowledge == HSC_KNOWN_MAP || s->module >= r->info.modules)
        return s->knowledge == HSC_KNOWN_MAP;
    if (s->kind > HSC_SCOPE_PROCEDURE && s->procedure != HSC_NONE)
        (void)hsc_db_get_scope(r->db, s->procedure, &of, NULL);
    if (s->kind >= HSC_SCOPE_PROCEDURE && hsc_is_linked_runtime(of.name)) /* it is linked into the program */
        return false;
    if (r->own_module)
        return r->own_module[s->module];
    return r->info.processes && !hsc_db_get_module(r->db, s->module, &m, NULL) && !hsc_db_get_process(r->db, 0, &p, NULL) &&
           !strcmp(m.path, p.executable); /* of one scope, asked by the viewer: programs are not loaded */
}

bool report_is_users(const report *r, const hsc_db_scope *s) {
    hsc_db_file f;
    return report_is_own(r, s) && (s->file == HSC_NONE || hsc_db_get_file(r->db, s->file, &f, NULL) || !report_system_header(f.path, NULL, 0));
}

static int falling(const void *a, const void *b) {
    const report_ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    if (x->second != y->second)
        return x->second > y->second ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Numbers in the order of doubles, the largest first. */
static uint64_t falling_key(double value) {
    uint64_t bits;
    value += 0.0; /* one 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? bits : ~bits & INT64_MAX;
}

/* One pass by 16 bits of a key, which keeps the order of what is equal; where all are equal nothing is moved. */
static bool move_by(const report_ranked *from, report_ranked *to, uint32_t n, bool second, unsigned shift, uint32_t *places) {
    memset(places, 0, sizeof *places << 16);
    for (uint32_t i = 0; i < n; i++)
        places[falling_key(second ? from[i].second : from[i].value) >> shift & 0xFFFF]++;
    if (n && places[falling_key(second ? from[0].second : from[0].value) >> shift & 0xFFFF] == n)
        return false;
    for (uint32_t k = 0, sum = 0; k < 1u << 16; k++) {
        uint32_t here = places[k];
        places[k] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < n; i++)
        to[places[falling_key(second ? from[i].second : from[i].value) >> shift & 0xFFFF]++] = from[i];
    return true;
}

void report_sort_falling(report_ranked *list, uint32_t n) {
    enum { FEW = 1 << 14 }; /* so many are compared sooner than they are moved some times */
    report_ranked *other = n < FEW ? NULL : malloc(n * sizeof *other), *from = list, *to = other;
    uint32_t *places = n < FEW ? NULL : malloc(sizeof *places << 16);
    for (unsigned pass = 0; other && places && pass < 8; pass++)
        if (move_by(from, to, n, pass < 4, pass % 4 * 16, places)) {
            report_ranked *moved = to;
            to = from;
            from = moved;
        }
    if (!other || !places)
        qsort(list, n, sizeof *list, falling);
    else if (from != list)
        memcpy(list, from, n * sizeof *list);
    free(places);
    free(other);
}

hsc_status report_rank(const report *r, hsc_scope_kind kind, uint32_t **rows, uint32_t *n, hsc_err *err) {
    const double *by = kind == HSC_SCOPE_LOOP ? r->excl : r->own;
    report_ranked *list = malloc(((uint64_t)r->info.scopes + 1) * sizeof *list);
    *rows = malloc(((uint64_t)r->info.scopes + 1) * sizeof **rows);
    *n = 0;
    if (!list || !*rows) {
        free(list);
        free(*rows);
        return out_of_memory(err);
    }
    hsc_db_scope_columns scopes;
    hsc_status status = hsc_db_get_scope_columns(r->db, &scopes, err);
    if (status) {
        free(list);
        free(*rows);
        return status;
    }
    for (uint32_t s = 0; s < r->info.scopes; s++)
        if (scopes.kind[s] == (uint8_t)kind && (by[s] > 0 || r->incl[s] > 0) && report_wanted(r, s))
            list[(*n)++] = (report_ranked){s, by[s], r->incl[s]};
    report_sort_falling(list, *n);
    for (uint32_t i = 0; i < *n; i++)
        (*rows)[i] = list[i].row;
    free(list);
    return HSC_OK;
}

/* ---- versions and remarks ---- */

static const char *version_name(uint32_t version) {
    switch (version) { /* shorter than the enum's texts */
    case HSC_loop_version_VECTOR:
        return "vector";
    case HSC_loop_version_REMAINDER:
        return "scalar remainder";
    case HSC_loop_version_FALLBACK:
        return "scalar fall-back";
    case HSC_loop_version_REMAINDER_OR_FALLBACK:
        return "scalar remainder or fall-back";
    case HSC_loop_version_VECTOR_EPILOGUE:
        return "vector remainder";
    case HSC_loop_version_UNROLLED:
        return "unrolled";
    case HSC_loop_version_EPILOGUE:
        return "remainder of unrolling";
    case HSC_loop_version_UNROLLED_FULLY:
        return "fully unrolled";
    case HSC_loop_version_VECTOR_UNROLLED_FULLY:
        return "vector, fully unrolled";
    default:
        return hsc_enum_text("loop_version", version) ? hsc_enum_text("loop_version", version) : "unknown version";
    }
}

typedef struct version_sums {
    double by_version[256], all;
    uint32_t packed; /* elements of vector code of operations in a row */
} version_sums;

static void add_version(version_sums *sums, report_versions *v, const hsc_db_instance *x, hsc_weighted samples) {
    hsc_weighted *to = &v->other;
    sums->by_version[x->version & 0xFF] += samples.sum;
    v->met[x->version % REPORT_VERSIONS] += samples.sum;
    sums->all += samples.sum;
    if (!hsc_version_is_vector(x->version) && x->vector_width > sums->packed && x->vector_width > 1 && samples.sum > 0)
        v->packed = sums->packed = x->vector_width;
    if (hsc_version_is_vector(x->version)) {
        to = &v->vector;
        v->width = x->vector_width > v->width ? x->vector_width : v->width;
    } else if (x->version == HSC_loop_version_REMAINDER || x->version == HSC_loop_version_FALLBACK || x->version == HSC_loop_version_REMAINDER_OR_FALLBACK)
        to = &v->scalar;
    to->sum += samples.sum;
    to->excess += samples.excess;
}

/* Its own versions, then those that inner loops, which are no more, are in. */
static hsc_status sum_versions(report *r, uint32_t scope, version_sums *sums, report_versions *v, hsc_err *err) {
    hsc_db_instance x, inner;
    hsc_status status = HSC_OK;
    for (uint32_t k = r->instance_begin[scope]; k < r->instance_begin[scope + 1] && !status; k++) {
        uint32_t i = r->instances[k];
        if (!(status = hsc_db_get_instance(r->db, i, &x, err)))
            add_version(sums, v, &x, (hsc_weighted){r->instance_sums[i], r->instance_excess[i]});
    }
    for (uint32_t i = status ? HSC_NONE : r->paid->first_unrolled[scope]; i != HSC_NONE && !status; i = r->paid->next_unrolled[i]) {
        status = hsc_db_get_instance(r->db, r->paid->unrolled_at[i], &x, err);
        if (!status && !(status = hsc_db_get_instance(r->db, i, &inner, err))) {
            x.vector_width = hsc_version_is_vector(x.version) ? x.vector_width : inner.vector_width;
            add_version(sums, v, &x, (hsc_weighted){r->instance_sums[i], r->instance_excess[i]});
        }
    }
    return status;
}

hsc_status report_versions_of(report *r, uint32_t scope, report_versions *v, char *out, size_t size, hsc_err *err) {
    version_sums sums = {.all = 0};
    size_t at = 0;
    *v = (report_versions){0};
    out[0] = 0;
    hsc_status status = report_pay_all(r, err);
    if (!status)
        status = sum_versions(r, scope, &sums, v, err);
    if (status)
        return status;
    double *by_version = sums.by_version, all = sums.all;
    for (size_t k = 0; k < 8 && all > 0; k++) { /* largest first */
        int best = 0;
        for (int i = 1; i < 256; i++)
            if (by_version[i] > by_version[best])
                best = i;
        const char *text = version_name((uint32_t)best);
        if (by_version[best] <= 0)
            break;
        int n = snprintf(out + at, size - at, "%s%s", at ? ", " : "", text);
        at += n > 0 && (size_t)n < size - at ? (size_t)n : 0;
        if ((best == HSC_loop_version_VECTOR || best == HSC_loop_version_VECTOR_UNROLLED_FULLY) && v->width) {
            n = snprintf(out + at, size - at, " x%u", v->width);
            at += n > 0 && (size_t)n < size - at ? (size_t)n : 0;
        }
        n = snprintf(out + at, size - at, " %.0f %%", 100 * by_version[best] / all);
        at += n > 0 && (size_t)n < size - at ? (size_t)n : 0;
        by_version[best] = 0;
    }
    if (sums.packed && at < size)
        snprintf(out + at, size - at, " (parts packed by %u)", sums.packed);
    return HSC_OK;
}

/* How much a remark says of what became of a loop; 0: nothing, as what is said of accesses and instructions in it. */
static int remark_weight(const hsc_db_remark *m) {
    uint64_t reason;
    bool vector = !strcmp(m->pass, "loop-vectorize") || !strcmp(m->pass, "heatscope");
    if ((!vector && strncmp(m->pass, "loop-", 5) != 0) || !strcmp(m->name, "Interchange")) /* a finding of its own */
        return 0;
    if (vector && m->kind != HSC_remark_kind_PASSED && !m->refuses_vectors && m->reason != HSC_reason_NOT_TRIED)
        return hsc_remark_tell(m->pass, strlen(m->pass), m->name, strlen(m->name), &reason) == HSC_ABOUT_INTERLEAVING ? 0 : 1;
    switch (m->kind) {
    case HSC_remark_kind_ANALYSIS: /* these say why */
    case HSC_remark_kind_ANALYSIS_FP_COMMUTE:
    case HSC_remark_kind_ANALYSIS_ALIASING:
        return vector ? 5 : 1;
    case HSC_remark_kind_MISSED:
        return vector ? 4 : 2;
    case HSC_remark_kind_PASSED:
        return vector || !strcmp(m->pass, "loop-idiom") ? 3 : 2; /* a call of memset is why such a loop is deleted */
    default:
        return 0;
    }
}

/* Is there time in code of the loop in the machine function? */
static bool ran_in(const report *r, uint32_t scope, uint32_t function, bool *anywhere) {
    hsc_db_instance x;
    bool here = false;
    for (uint32_t k = r->instance_begin[scope]; k < r->instance_begin[scope + 1] && !here; k++)
        if (r->instance_sums[r->instances[k]] > 0 && !hsc_db_get_instance(r->db, r->instances[k], &x, NULL)) {
            *anywhere = true;
            here = x.function == function;
        }
    return here;
}

/* Is there time in code of the loop that is still a loop, and no call of memset? */
static bool ran_as_loop(const report *r, uint32_t scope) {
    hsc_db_instance x;
    bool any = false;
    for (uint32_t k = r->instance_begin[scope]; k < r->instance_begin[scope + 1] && !any; k++)
        any = r->instance_sums[r->instances[k]] > 0 && !hsc_db_get_instance(r->db, r->instances[k], &x, NULL) && x.version != HSC_loop_version_LIBRARY_CALL;
    return any;
}

/* Where copies of the loop ran, what the vectoriser refused others for is no reason of theirs, and a copy that was deleted is none of them. */
static void drop_of_others(const report *r, uint32_t scope, hsc_db_remark *list, uint32_t *n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *n; i++) {
        bool anywhere = false, vectors = list[i].refuses_vectors || list[i].reason == HSC_reason_NOT_TRIED;
        if (!strcmp(list[i].pass, "loop-delete") && list[i].kind == HSC_remark_kind_PASSED) {
            (void)ran_in(r, scope, HSC_NONE, &anywhere);
            if (anywhere)
                continue;
        }
        if (!strcmp(list[i].pass, "loop-idiom") && list[i].kind == HSC_remark_kind_PASSED && ran_as_loop(r, scope)) /* a part of it became that */
            continue;
        if (!vectors || list[i].function == HSC_NONE || ran_in(r, scope, list[i].function, &anywhere) || !anywhere)
            list[kept++] = list[i];
    }
    *n = kept;
}

hsc_status report_remarks(const report *r, uint32_t scope, hsc_db_remark **list, uint32_t *n, hsc_err *err) {
    uint32_t room = 64;
    *n = 0;
    *list = malloc(room * sizeof **list);
    hsc_status status = *list ? hsc_db_get_remarks(r->db, scope, *list, room, n, err) : out_of_memory(err);
    if (!status && *n > room) {
        hsc_db_remark *more = realloc(*list, *n * sizeof *more);
        room = *n;
        status = more ? HSC_OK : out_of_memory(err);
        *list = more ? more : *list;
        if (!status)
            status = hsc_db_get_remarks(r->db, scope, *list, room, n, err);
    }
    if (!status && scope < r->info.scopes)
        drop_of_others(r, scope, *list, n);
    return status;
}

hsc_status report_remark_of(report *r, uint32_t scope, bool *found, hsc_db_remark *out, hsc_err *err) {
    hsc_db_remark *list;
    uint32_t n;
    hsc_status status = report_remarks(r, scope, &list, &n, err);
    const hsc_db_remark *verdict = status ? NULL : report_verdict(list, n);
    if ((*found = verdict != NULL))
        *out = *verdict;
    for (uint32_t i = 0; !status && !verdict && i < n; i++) {
        int weight = remark_weight(&list[i]);
        if (weight && (!*found || weight > remark_weight(out))) {
            *found = true;
            *out = list[i];
        }
    }
    free(list);
    return status;
}

const char *report_remark_of_copy(const hsc_db_remark *m, const report_versions *v) {
    if (!m->refuses_vectors || !(v->vector.sum > 0))
        return "";
    return v->other.sum > 0 ? "of another copy: " : NULL;
}

hsc_status report_compiled_text(report *r, uint32_t loop, char *out, size_t size, hsc_err *err) {
    report_versions v;
    hsc_db_remark remark;
    bool remarked = false;
    size_t at;
    hsc_status status = report_versions_of(r, loop, &v, out, size, err);
    if (!status)
        status = report_remark_of(r, loop, &remarked, &remark, err);
    const char *copy = !status && remarked ? report_remark_of_copy(&remark, &v) : NULL;
    if (!copy || (remark.kind == HSC_remark_kind_PASSED && out[0]))
        return status;
    at = strlen(out);
    at += (size_t)snprintf(out + at, size - at, "%s%s", at ? "; " : "", copy);
    if (at < size)
        report_first_sentence(remark.message, out + at, size - at);
    return status;
}

bool report_fetches_chunks(const report *r, uint32_t loop) {
    hsc_db_loop l;
    hsc_db_scope s, inner;
    uint32_t first, n;
    return !hsc_db_find(r->db, HSC_LIST_LOOPS, loop, &first, &n, NULL) && n && !hsc_db_get_loop(r->db, first, &l, NULL) &&
           l.kind == HSC_loop_kind_OMP && (l.flags & HSC_loop_flag_COMPILER) && !hsc_db_get_scope(r->db, loop, &s, NULL) &&
           s.subtree_end > loop + 1 && !hsc_db_get_scope(r->db, loop + 1, &inner, NULL) && inner.kind == HSC_SCOPE_LOOP &&
           inner.line_begin == s.line_begin;
}

uint32_t report_depth(const report *r, const hsc_db_scope *loop) {
    uint32_t made = 0;
    hsc_db_scope s;
    for (uint32_t up = loop->parent; !hsc_db_get_scope(r->db, up, &s, NULL) && s.kind == HSC_SCOPE_LOOP; up = s.parent)
        made += report_fetches_chunks(r, up);
    return loop->depth - made;
}

int report_decimals(double most) { return most >= 1000 ? 1 : most >= 10 ? 2 : 3; }

const char *report_known_by(hsc_knowledge k) {
    static const char *const names[] = {"map", "debug information", "symbols", "file only", "nothing"};
    return (unsigned)k < 5 ? names[k] : names[4];
}

/* ---- source ---- */

static void find_lines(report_source *s) {
    uint32_t n = 1, k = 0;
    const char *end = s->text + s->size;
    for (const char *p = s->text; (p = memchr(p, '\n', (size_t)(end - p))); p++)
        n++;
    if (!(s->starts = malloc(n * sizeof *s->starts)))
        return;
    s->starts[k++] = 0;
    for (const char *p = s->text; k < n && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        s->starts[k++] = (size_t)(p + 1 - s->text);
    s->lines = k;
}

const char *report_source_line(report *r, uint32_t file, uint32_t line, size_t *n) {
    if (file >= r->info.files || !line || (!r->sources && !(r->sources = calloc(r->info.files, sizeof *r->sources))))
        return NULL;
    report_source *s = &r->sources[file];
    if (!s->looked) {
        s->looked = true;
        if (hsc_db_read_source(r->db, file, &s->text, &s->size, &s->changed, NULL))
            s->text = NULL;
        else
            find_lines(s);
    }
    if (s->changed || line > s->lines || s->starts[line - 1] >= s->size)
        return NULL;
    const char *p = s->text + s->starts[line - 1], *end = s->text + s->size, *stop = memchr(p, '\n', (size_t)(end - p));
    stop = stop ? stop : end;
    while (p < stop && (*p == ' ' || *p == '\t'))
        p++;
    while (stop > p && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
        stop--;
    *n = (size_t)(stop - p);
    return p;
}

char *report_at(const report *r, uint32_t file, uint32_t line, char *out, size_t size) {
    hsc_db_file f;
    if (file == HSC_NONE || hsc_db_get_file(r->db, file, &f, NULL)) {
        snprintf(out, size, "?");
        return out;
    }
    const char *slash = strrchr(f.path, '/');
    char header[300];
    bool system = report_system_header(f.path, header, sizeof header);
    snprintf(out, size, line ? "%s:%u" : "%s", system ? header : slash ? slash + 1 : f.path, line);
    return out;
}

char *report_line_text(const report *r, uint32_t row, char *out, size_t size) {
    hsc_db_line l;
    hsc_db_file f;
    out[0] = 0;
    if (row != HSC_NONE && !hsc_db_get_line(r->db, row, &l, NULL) && l.line && !hsc_db_get_file(r->db, l.file, &f, NULL) && f.has_lines)
        report_at(r, l.file, l.line, out, size);
    return out;
}
