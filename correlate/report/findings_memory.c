/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What takes long below calls of the user's: of memory management, of the runtime of the language for arrays, of libraries; by the lines of these calls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/linkage.h>
#include <heatscope/formats/records.h>

#include "findings.h"

#define TOLD 0.03   /* of all */
#define MOSTLY 0.5  /* of what a procedure has: it does nothing else */
#define OF_FLANG "_FortranA" /* how procedures of its runtime begin */
#define LOOKED_AT 0.0005 /* of all: procedures with less are not looked at, of which there may be very many */

typedef struct place { /* a line of the user's that calls it */
    uint32_t procedure, line;
    uint32_t called; /* procedure that was called first, with most of the time there */
    hsc_weighted sum;
    double most;     /* of a call of it */
} place;

typedef struct callers {
    place *list;
    uint32_t n, room;
} callers;

static bool is_named(const char *name) {
    static const char *const names[] = {"malloc", "free", "calloc", "realloc", "reallocarray", "cfree", "aligned_alloc", "memalign", "posix_memalign"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return !strncmp(name, "operator new", 12) || !strncmp(name, "operator delete", 15);
}

/* The category; HSC_NONE: the database has none of this name. */
static uint32_t category_of(const report *r) {
    const char *wanted = hsc_enum_text("state", HSC_state_MEMORY), *name;
    for (uint32_t c = 0; wanted && (name = hsc_db_get_category(r->db, c)); c++)
        if (!strcmp(name, wanted))
            return c;
    return HSC_NONE;
}

/* By scope: of procedures that mostly manage memory, none of them the user's, the part of their time that they do. */
static hsc_status find_managers(const report *r, uint32_t category, double *manages, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t s = 0; s < r->info.scopes && !status; s++) {
        hsc_db_scope scope;
        double sum = 0;
        if (!(r->incl[s] >= LOOKED_AT * r->total) || (status = hsc_db_get_scope(r->db, s, &scope, err)) || scope.kind != HSC_SCOPE_PROCEDURE || report_is_users(r, &scope))
            continue;
        status = hsc_db_read_sums(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_CATEGORY, HSC_AXIS_THREAD}, (uint64_t)s * r->info.categories + category, 1, &sum, err);
        if (!status && sum > 0 && (sum >= MOSTLY * r->incl[s] || is_named(scope.name)))
            manages[s] = fmin(1, sum / r->incl[s]);
    }
    return status;
}

static hsc_status add(callers *all, uint32_t procedure, uint32_t line, uint32_t called, hsc_weighted v, hsc_err *err) {
    uint32_t i = 0;
    while (i < all->n && (all->list[i].procedure != procedure || all->list[i].line != line))
        i++;
    if (i == all->n) {
        if (all->n == all->room) {
            place *more = realloc(all->list, (all->room = 2 * all->room + 64) * sizeof *more);
            if (!more)
                return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
            all->list = more;
        }
        all->list[all->n++] = (place){.procedure = procedure, .line = line};
    }
    if (v.sum > all->list[i].most) {
        all->list[i].most = v.sum;
        all->list[i].called = called;
    }
    all->list[i].sum.sum += v.sum;
    all->list[i].sum.excess += v.excess;
    return HSC_OK;
}

/* Goes up from a call of them to the user's line that it comes from. False: from none, or by way of one of `others` (by scope; NULL: whatever is between). */
static bool user_above(const report *r, const uint8_t *others, uint32_t context, uint32_t *procedure, uint32_t *line) {
    hsc_db_context c, up;
    hsc_db_scope s;
    for (uint32_t k = context; k && !hsc_db_get_context(r->db, k, &c, NULL); k = c.parent) {
        if (hsc_db_get_context(r->db, c.parent, &up, NULL) || hsc_db_get_scope(r->db, up.scope, &s, NULL))
            return false;
        if (others && others[up.scope])
            return false;
        if (s.kind < HSC_SCOPE_PROCEDURE || !report_is_users(r, &s) || c.call_line == HSC_NONE)
            continue;
        *procedure = s.procedure;
        *line = c.call_line;
        return s.procedure != HSC_NONE;
    }
    return false;
}

/* By context: is code of the user's below it, other than stubs in his program, which lead to libraries? */
static hsc_status mark_users(const report *r, uint8_t *below, hsc_err *err) {
    hsc_status status = HSC_OK;
    hsc_db_context c;
    hsc_db_scope s;
    for (uint32_t k = r->info.contexts; k-- > 1 && !status;) { /* parents come first */
        status = hsc_db_get_context(r->db, k, &c, err);
        if (!status)
            status = hsc_db_get_scope(r->db, c.scope, &s, err);
        if (!status && (below[k] || (s.kind >= HSC_SCOPE_PROCEDURE && report_is_users(r, &s) && !hsc_linkage_of_stub(s.name))))
            below[c.parent] = 1;
    }
    return status;
}

/* manages: by scope, the part of its time that counts; 0: looked through. */
static hsc_status find_callers(const report *r, const double *manages, const uint8_t *others, callers *all, hsc_err *err) {
    uint8_t *below = calloc((size_t)r->info.contexts + 1, 1);
    hsc_status status = below ? mark_users(r, below, err) : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    hsc_db_context c;
    for (uint32_t k = 1; k < r->info.contexts && !status;) {
        uint32_t procedure, line;
        hsc_weighted v;
        if ((status = hsc_db_get_context(r->db, k, &c, err)))
            break;
        if (c.kind != HSC_CONTEXT_PROCEDURE || !(manages[c.scope] > 0) || below[k]) {
            k++;
            continue;
        }
        status = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, k, 1, &v, err);
        if (!status && v.sum > 0 && user_above(r, others, k, &procedure, &line))
            status = add(all, procedure, line, c.scope, (hsc_weighted){manages[c.scope] * v.sum, manages[c.scope] * v.excess}, err);
        k = c.subtree_end;
    }
    free(below);
    return status;
}

/* Parts are means over all calls of a procedure: those of one place may come to more than there is. */
static void keep_within(callers *all, double most) {
    double sum = 0;
    for (uint32_t i = 0; i < all->n; i++)
        sum += all->list[i].sum.sum;
    for (uint32_t i = 0; i < all->n && sum > most; i++) {
        all->list[i].sum.sum *= most / sum;
        all->list[i].sum.excess *= most / sum;
    }
}

static int larger(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->sum.sum != y->sum.sum)
        return x->sum.sum > y->sum.sum ? -1 : 1;
    return x->line != y->line ? (x->line > y->line) - (x->line < y->line) : (x->procedure > y->procedure) - (x->procedure < y->procedure);
}

/* "build at tree.c:12, 8.0 % (6.1 to 10.2 %)"; "build (bin/tree)" where no line is known. */
static void put_place(const report *r, const place *x, char *out, size_t size) {
    hsc_db_scope s;
    char of[300] = "", where[600] = "";
    double low, high;
    bool is_line = *report_line_text(r, x->line, where, sizeof where);
    if (!hsc_db_get_scope(r->db, x->procedure, &s, NULL)) {
        findings_procedure(r, &s, of, sizeof of);
        if (!is_line)
            findings_place(r, &s, where, sizeof where);
    }
    report_share_interval(r, x->sum, &low, &high);
    snprintf(out, size, "%s%s%s%s, %.1f %% (%.1f to %.1f %%)", of, is_line ? " at " : " (", where, is_line ? "" : ")", 100 * x->sum.sum / r->total, 100 * low, 100 * high);
}

enum { LINES_NAMED = 3 };

/* A procedure of Fortran that takes arrays, or finds in texts, as it is written, by flang's name for what it calls for it: "MATMUL" of _FortranAMatmulReal8Real8; NULL: of none. */
static const char *intrinsic_of(const char *name) {
    static const struct {
        const char *begins, *written;
    } all[] = {{"Matmul", "MATMUL"}, {"Transpose", "TRANSPOSE"}, {"Reshape", "RESHAPE"}, {"Spread", "SPREAD"}, {"Pack", "PACK"}, {"Unpack", "UNPACK"}, {"Cshift", "CSHIFT"}, {"Eoshift", "EOSHIFT"},
               {"Sum", "SUM"}, {"Product", "PRODUCT"}, {"DotProduct", "DOT_PRODUCT"}, {"Norm2", "NORM2"}, {"Maxval", "MAXVAL"}, {"Minval", "MINVAL"}, {"Maxloc", "MAXLOC"}, {"Minloc", "MINLOC"},
               {"Findloc", "FINDLOC"}, {"All", "ALL"}, {"Any", "ANY"}, {"Count", "COUNT"}, {"Parity", "PARITY"}, {"IAll", "IALL"}, {"IAny", "IANY"}, {"IParity", "IPARITY"}, {"Reduce", "REDUCE"},
               {"Index", "INDEX"}, {"Scan", "SCAN"}, {"Verify", "VERIFY"}, {"Repeat", "REPEAT"}, {"Trim", "TRIM"}, {"Adjustl", "ADJUSTL"}, {"Adjustr", "ADJUSTR"}, {"RandomNumber", "RANDOM_NUMBER"}};
    const size_t n = sizeof OF_FLANG - 1;
    if (strncmp(name, OF_FLANG, n) || !strncmp(name + n, "Allocat", 7))
        return NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strncmp(name + n, all[i].begins, strlen(all[i].begins)))
            return all[i].written;
    return NULL;
}

/* " (fftw_mkapiplan)": by its name, where there is one. */
static void put_called(const report *r, const place *x, char *text, size_t size) {
    hsc_db_scope s;
    char name[200];
    if (hsc_db_get_scope(r->db, x->called, &s, NULL) || !*s.name || strstr(s.name, "+0x"))
        return;
    const char *written = intrinsic_of(s.name);
    snprintf(text + strlen(text), size - strlen(text), " (%s)", written ? written : report_fit(s.name, 50, name, sizeof name));
}

/* "Most is called by build at tree.c:12, 8.0 % (...); ...": the first lines, of a tenth of all and more; `called`: with what is called there. */
static void put_places(const report *r, const callers *all, double sum, bool called, char *text, size_t size) {
    for (uint32_t i = 0; i < all->n && i < LINES_NAMED && (!i || all->list[i].sum.sum >= 0.1 * sum); i++) {
        char one[700];
        put_place(r, &all->list[i], one, sizeof one);
        snprintf(text + strlen(text), size - strlen(text), "%s %s", i ? ";" : "", one);
        if (called)
            put_called(r, &all->list[i], text, size);
    }
}

static bool begins_as_one_of(const char *name, const char *const *begins, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!strncmp(name, begins[i], strlen(begins[i])))
            return true;
    return false;
}
#define BEGINS_AS(name, list) begins_as_one_of(name, list, sizeof list / sizeof *list)

/* What flang calls to have a section that is not contiguous copied for a call, and back. */
static bool copies(const char *name) {
    static const char *const begins[] = {"_FortranACopyOut", "_FortranACopyIn"};
    return BEGINS_AS(name, begins);
}

/* What flang calls for an assignment of arrays that it does not make a loop of. */
static bool assigns(const char *name) {
    static const char *const begins[] = {"_FortranAAssign", "Fortran::runtime::Assign("};
    return BEGINS_AS(name, begins) || !strcmp(name, "Fortran::runtime::Assign");
}

static bool is_intrinsic(const char *name) { return intrinsic_of(name) != NULL; }

/* What a finding by callers has held; what is not in this database is no failure. */
static hsc_status end_callers(callers *all, double *marks, hsc_status status, hsc_err *err) {
    free(marks);
    free(all->list);
    if (status != HSC_E_MISSING)
        return status;
    hsc_err_clear(err);
    return HSC_OK;
}

/* What the runtime of a language takes for some of its procedures, told by the lines of the user's code that need these. */
typedef struct of_runtime {
    bool (*is_of)(const char *name);
    const char *title, *what, *cure;
    bool called; /* with what is called there */
} of_runtime;

static const of_runtime of_flang[] = {
    {assigns, "Array assignments", "which is called where an assignment of arrays or sections is not made a loop",
     " Loops over the elements need no call; expressions assigned to a dummy argument, in place of a component of a structure, mostly need none.", false},
    {copies, "Copied arguments", "which copies sections that are not contiguous for a call, and back after it, as the procedure takes an array of explicit or assumed size, or a contiguous one",
     " A contiguous section (a column in place of a row), or a dummy argument of assumed shape, needs no copy.", false},
    {is_intrinsic, "Intrinsic procedures", "which is called for procedures of the language that are not made loops", "", true}};

static hsc_status tell_runtime(findings *f, const of_runtime *x, hsc_err *err) {
    report *r = f->r;
    callers all = {0};
    hsc_weighted sum = {0};
    hsc_status status = HSC_OK;
    bool any = false;
    char text[2400], share[140];
    double *marks = calloc((size_t)r->info.scopes + 1, sizeof *marks);
    uint8_t *others = calloc((size_t)r->info.scopes + 1, 1); /* what is called for these is told with them */
    if (!marks || !others)
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t s = 0; s < r->info.scopes && !status; s++) {
        hsc_db_scope scope;
        if (!(r->incl[s] >= LOOKED_AT * r->total) || (status = hsc_db_get_scope(r->db, s, &scope, err)) || scope.kind != HSC_SCOPE_PROCEDURE)
            continue;
        for (size_t i = 0; i < sizeof of_flang / sizeof *of_flang; i++)
            others[s] |= &of_flang[i] != x && of_flang[i].is_of(scope.name);
        marks[s] = x->is_of(scope.name);
        any = any || marks[s] > 0;
    }
    if (!status && any)
        status = find_callers(r, marks, others, &all, err);
    free(others);
    for (uint32_t i = 0; i < all.n; i++) {
        sum.sum += all.list[i].sum.sum;
        sum.excess += all.list[i].sum.excess;
    }
    if (!status && all.n && sum.sum >= TOLD * r->total) {
        qsort(all.list, all.n, sizeof *all.list, larger);
        findings_amount(r, sum, share, sizeof share);
        snprintf(text, sizeof text, "%s: %s, is in flang's runtime, %s. Most by", x->title, share, x->what);
        put_places(r, &all, sum.sum, x->called, text, sizeof text);
        snprintf(text + strlen(text), sizeof text - strlen(text), ".%s", x->cure);
        findings_say(f, sum.sum, x->title, sum, spot_of_line(r, all.list[0].line), text);
    }
    return end_callers(&all, marks, status, err);
}

hsc_status findings_assignments(findings *f, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < sizeof of_flang / sizeof *of_flang && !status && findings_vectors_help(f->r); i++)
        status = tell_runtime(f, &of_flang[i], err);
    return status;
}

hsc_status findings_memory(findings *f, hsc_err *err) {
    report *r = f->r;
    uint32_t category = category_of(r);
    callers all = {0};
    hsc_weighted sum = {0};
    char text[2400], share[140], count[60] = "";
    double *manages = NULL;
    if (category == HSC_NONE || !findings_vectors_help(r))
        return HSC_OK;
    hsc_status status = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_CATEGORY, HSC_AXIS_THREAD}, category, 1, &sum, err);
    if (!status && sum.sum < TOLD * r->total)
        return HSC_OK;
    if (!status && !(manages = calloc((size_t)r->info.scopes + 1, sizeof *manages)))
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!status)
        status = find_managers(r, category, manages, err);
    if (!status)
        status = find_callers(r, manages, NULL, &all, err);
    if (!status)
        keep_within(&all, sum.sum);
    if (!status && all.n) {
        qsort(all.list, all.n, sizeof *all.list, larger);
        findings_amount(r, sum, share, sizeof share);
        if (!(sum.excess > 0) && !r->unit.exact)
            snprintf(count, sizeof count, ", in %.0f samples", sum.sum);
        snprintf(text, sizeof text, "Memory management: %s%s, is for getting memory and giving it back. Most is called by", share, count);
        put_places(r, &all, sum.sum, false, text, sizeof text);
        strncat(text, ".", sizeof text - strlen(text) - 1);
        findings_say(f, sum.sum, "Memory management", sum, spot_of_line(r, all.list[0].line), text);
    }
    return end_callers(&all, manages, status, err);
}

/* ---- libraries ---- */

#define LIBRARY_TOLD 0.05 /* of all */

/* Procedures of a library that no other finding is about: not the system's, those of languages, of message passing and of OpenMP, nor mathematical ones, which are told with the loops that call them. */
static bool is_library(const report *r, uint32_t module) {
    hsc_db_module m;
    return !hsc_db_get_module(r->db, module, &m, NULL) && hsc_library_role_of(m.path) == HSC_LIBRARY_OTHER && !hsc_library_is_mathematical(m.path) &&
           m.path[0] != '['; /* what is in no file: the kernel's own, and code made at run time, named or not, which has a finding of its own */
}

/* marks, others: by scope, set here. */
static hsc_status tell_library(findings *f, uint32_t module, double *marks, uint8_t *others, hsc_err *err) {
    report *r = f->r;
    callers all = {0};
    hsc_weighted sum = {0};
    hsc_db_module m;
    char text[2400], share[140], name[100];
    hsc_status status = hsc_db_get_module(r->db, module, &m, err);
    for (uint32_t s = 0; s < r->info.scopes && !status; s++) {
        hsc_db_scope scope;
        marks[s] = others[s] = 0;
        if (!(r->incl[s] >= LOOKED_AT * r->total) || (status = hsc_db_get_scope(r->db, s, &scope, err)) || scope.kind < HSC_SCOPE_PROCEDURE || scope.module == HSC_NONE || report_is_own(r, &scope))
            continue;
        marks[s] = scope.module == module && scope.kind == HSC_SCOPE_PROCEDURE;
        others[s] = scope.module != module && is_library(r, scope.module);
    }
    if (!status)
        status = find_callers(r, marks, others, &all, err);
    for (uint32_t i = 0; i < all.n; i++) {
        sum.sum += all.list[i].sum.sum;
        sum.excess += all.list[i].sum.excess;
    }
    if (!status && all.n && sum.sum >= LIBRARY_TOLD * r->total) {
        const char *slash = strrchr(m.path, '/');
        qsort(all.list, all.n, sizeof *all.list, larger);
        findings_amount(r, sum, share, sizeof share);
        snprintf(text, sizeof text, "Library %s: %s, with what it calls. Most is called by", report_fit(slash ? slash + 1 : m.path, 40, name, sizeof name), share);
        put_places(r, &all, sum.sum, true, text, sizeof text);
        strncat(text, ".", sizeof text - strlen(text) - 1);
        findings_say(f, sum.sum, "Library", sum, spot_of_line(r, all.list[0].line), text);
    }
    free(all.list);
    return status;
}

hsc_status findings_libraries(findings *f, hsc_err *err) {
    report *r = f->r;
    double *marks = NULL;
    uint8_t *others = NULL;
    size_t n = (size_t)r->info.scopes + 1;
    hsc_status status = HSC_OK;
    for (uint32_t s = 0; s < r->info.scopes && !status; s++) {
        hsc_db_scope scope;
        if (!(r->incl[s] >= LIBRARY_TOLD * r->total) || (status = hsc_db_get_scope(r->db, s, &scope, err)) || scope.kind != HSC_SCOPE_MODULE || scope.module == HSC_NONE ||
            report_is_own(r, &scope) || !is_library(r, scope.module))
            continue;
        if (!marks && !((marks = malloc(n * sizeof *marks)) && (others = malloc(n)))) {
            free(marks);
            return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
        }
        status = tell_library(f, scope.module, marks, others, err);
    }
    free(marks);
    free(others);
    if (status != HSC_E_MISSING)
        return status;
    hsc_err_clear(err);
    return HSC_OK;
}
