/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the programmer can do about a loop that the vectoriser refused, where one switch is known to help. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/records.h>

#include "report_paid.h"
#include "report_reasons.h"

/* Functions of <math.h> that set errno and that clang vectorises when they need not. */
static const char *const setting_errno[] = {"sqrt", "pow", "exp", "exp2", "log", "log2", "log10", "sin", "cos", "fmod"};

/* The first of them that is called in the text: by its name, with f for float. "": none. */
static const char *called_in(const char *text, size_t n) {
    for (size_t at = 0; at < n;) {
        size_t begin = at;
        while (at < n && (isalnum((unsigned char)text[at]) || text[at] == '_'))
            at++;
        size_t length = at - begin;
        if (!length) {
            at++;
            continue;
        }
        while (at < n && text[at] == ' ')
            at++;
        for (size_t k = 0; at < n && text[at] == '(' && k < sizeof setting_errno / sizeof *setting_errno; k++) {
            size_t known = strlen(setting_errno[k]);
            if (!strncmp(text + begin, setting_errno[k], known) && (length == known || (length == known + 1 && text[begin + known] == 'f')))
                return setting_errno[k];
        }
    }
    return "";
}

static bool is_of_c(const char *path) {
    static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".h", ".hh", ".hpp", ".hxx", ".ipp", ".inl", ".cu"};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t k = strlen(ends[i]);
        if (n > k && !strcmp(path + n - k, ends[i]))
            return true;
    }
    return false;
}

bool report_is_header(const char *path) {
    const char *dot = strrchr(path, '.');
    return !dot || strchr(dot, '/') || dot[1] == 'h' || !strcmp(dot, ".inc") || !strcmp(dot, ".inl") || !strcmp(dot, ".ipp") || !strcmp(dot, ".tcc");
}

/* The callee that the remark names, in out; "": none, or two. */
static const char *named_call(const report_refusal *x, char *out, size_t size) {
    static const char named[] = " (call of ";
    const char *called = strstr(x->remark.message, named);
    snprintf(out, size, "%s", called ? called + sizeof named - 1 : "");
    out[strcspn(out, ")")] = 0;
    if (strstr(out, " or "))
        out[0] = 0;
    return out;
}

/* A function that sets errno, called in the loop: the one that the remark is about, else by the source. NULL: none is known. */
static const char *errno_call(report *r, const report_refusal *x, const hsc_db_scope *s) {
    enum { LINES_MAX = 200 };
    char call[40];
    hsc_db_file f;
    if (*named_call(x, call, sizeof call - 1)) {
        strcat(call, "(");
        const char *known = called_in(call, strlen(call));
        return *known ? known : NULL;
    }
    if (s->file == HSC_NONE || hsc_db_get_file(r->db, s->file, &f, NULL) || !is_of_c(f.path))
        return NULL;
    for (uint32_t line = s->line_begin; line <= s->line_end && line - s->line_begin < LINES_MAX; line++) {
        size_t n = 0;
        const char *text = report_source_line(r, s->file, line, &n), *name = text ? called_in(text, n) : "";
        if (*name)
            return name;
    }
    return NULL;
}

/* Does the loop read or write with that stride? */
static bool has_stride(const report *r, uint32_t scope, uint32_t stride) {
    uint32_t first, n;
    bool any = false;
    hsc_db_reference x;
    if (hsc_db_find(r->db, HSC_LIST_REFERENCES, scope, &first, &n, NULL))
        return false;
    for (uint32_t i = first; i < first + n && !any; i++)
        any = !hsc_db_get_reference(r->db, i, &x, NULL) && x.stride == stride;
    return any;
}

/* What the loop reads at addresses that it has read from memory comes through; "": there is none. */
static const char *reads_through(const report *r, uint32_t scope) {
    return has_stride(r, scope, HSC_stride_INDIRECT) ? "an index array" : has_stride(r, scope, HSC_stride_POINTERS) ? "an array of pointers" : "";
}

/* A loop with a dependence that only may be: the programmer may know that there is none, and there is a directive to say so. */
static bool may_be_promised(const report *r, const report_refusal *x) {
    uint64_t verdict = x->dependence.verdict;
    uint32_t first, n;
    hsc_db_loop l;
    return x->has_dependence && !x->other && (verdict == HSC_dependence_verdict_UNKNOWN || verdict == HSC_dependence_verdict_INDIRECT) &&
           !hsc_db_find(r->db, HSC_LIST_LOOPS, x->scope, &first, &n, NULL) && n && !hsc_db_get_loop(r->db, first, &l, NULL) &&
           (l.kind == HSC_loop_kind_FOR || l.kind == HSC_loop_kind_RANGE_FOR || l.kind == HSC_loop_kind_DO) && !(l.flags & HSC_loop_flag_COMPILER);
}

/* A variable of the procedure, or a member of one: each iteration may have its own, or it is in a register. */
static bool is_local(const report *r, uint32_t array) {
    hsc_db_array a = {.parent = array};
    while (a.parent != HSC_NONE)
        if (hsc_db_get_array(r->db, a.parent, &a, NULL))
            return false;
    return array != HSC_NONE && a.storage == HSC_storage_LOCAL;
}

/* What each iteration reads and writes in memory, "f[k].v": the first. False: none. */
static bool adds_up_in_memory(const report *r, uint32_t scope, hsc_db_reference *out) {
    uint32_t first, n;
    hsc_db_reference x;
    if (hsc_db_find(r->db, HSC_LIST_REFERENCES, scope, &first, &n, NULL))
        return false;
    for (uint32_t i = first; i < first + n; i++) {
        if (hsc_db_get_reference(r->db, i, out, NULL) || out->access == HSC_access_READ || out->stride != HSC_stride_ZERO || !*out->text || is_local(r, out->array))
            continue;
        for (uint32_t k = first; k < first + n; k++)
            if (!hsc_db_get_reference(r->db, k, &x, NULL) && x.access == HSC_access_READ && x.stride == HSC_stride_ZERO && x.array == out->array &&
                x.file == out->file && x.line == out->line && !strcmp(x.text, out->text))
                return true;
    }
    return false;
}

/* "dX[d]" has the variable "d" in it. */
static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *at = strstr(text, word); n && at; at = strstr(at + 1, word))
        if ((at == text || !report_is_letter(at[-1])) && !report_is_letter(at[n]))
            return true;
    return false;
}

/* What each iteration writes anew where the one before has written, "d[k]" of an array that is no local one, itself or in a loop that was unrolled fully. False: none. */
static bool writes_again(const report *r, uint32_t scope, hsc_db_reference *out) {
    uint32_t first, n, row, loops;
    hsc_db_scope s;
    hsc_db_loop l;
    if (hsc_db_get_scope(r->db, scope, &s, NULL) || hsc_db_find(r->db, HSC_LIST_LOOPS, scope, &row, &loops, NULL) || !loops || hsc_db_get_loop(r->db, row, &l, NULL))
        return false;
    for (uint32_t k = scope; k < s.subtree_end; k++) {
        if ((k != scope && !(r->paid && r->paid->is_no_more[k])) || hsc_db_find(r->db, HSC_LIST_REFERENCES, k, &first, &n, NULL))
            continue;
        for (uint32_t i = first; i < first + n; i++) {
            if (hsc_db_get_reference(r->db, i, out, NULL) || out->access == HSC_access_READ || !*out->text || out->text[0] == '?' || is_local(r, out->array))
                continue;
            bool inside = k != scope && (out->stride == HSC_stride_UNIT || out->stride == HSC_stride_CONSTANT || out->stride == HSC_stride_ZERO);
            if (k == scope ? out->stride == HSC_stride_ZERO : inside && *l.variable && !has_word(out->text, l.variable))
                return true;
        }
    }
    return false;
}

/* "sin" of "__sin_fma", "expf" of "__expf_fma": a function that libmvec has for vectors. Its length; 0: none. */
static size_t has_vector_form(const char *symbol) {
    static const char *const known[] = {"sin", "cos", "exp", "log", "pow"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i]);
        if (strncmp(symbol, known[i], n) != 0)
            continue;
        n += symbol[n] == 'f' && (!symbol[n + 1] || symbol[n + 1] == '_');
        if (!symbol[n] || symbol[n] == '_')
            return n;
    }
    return 0;
}

const char *report_lone_calls(report *r, uint32_t loop, const report_callee *called, uint32_t n, double least, char *out, size_t size) {
    out[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        hsc_db_scope s, of;
        hsc_db_module m;
        hsc_db_file f;
        if (called[i].samples.sum < least || hsc_db_get_scope(r->db, called[i].scope, &s, NULL) || hsc_db_get_scope(r->db, loop, &of, NULL) || s.module == HSC_NONE ||
            hsc_db_get_module(r->db, s.module, &m, NULL))
            continue;
        const char *slash = strrchr(m.path, '/'), *symbol = s.name + (strncmp(s.name, "__", 2) ? 0 : 2);
        size_t length = has_vector_form(symbol);
        if (strncmp(slash ? slash + 1 : m.path, "libm.", 5) && strncmp(slash ? slash + 1 : m.path, "libm-", 5))
            continue;
        if (!length)
            continue;
        bool c = of.file != HSC_NONE && !hsc_db_get_file(r->db, of.file, &f, NULL) && is_of_c(f.path);
        snprintf(out, size, " %.*s is called for one element of the vectors after the other%s.", (int)length, symbol,
                 c ? ": with -fveclib=libmvec, and -lmvec for the linker, the call has a vector form" : "");
        break;
    }
    return out;
}

hsc_status report_vector_bytes(report *r, uint32_t *bytes, hsc_err *err) {
    hsc_status status = HSC_OK;
    *bytes = r->vector_bytes;
    if (r->has_vector_bytes)
        return HSC_OK;
    *bytes = UINT32_MAX;
    for (uint32_t p = 0; p < r->info.processes && !status; p++) {
        hsc_db_process x;
        if (!(status = hsc_db_get_process(r->db, p, &x, err)) && x.vector_bytes < *bytes)
            *bytes = x.vector_bytes;
    }
    *bytes = r->info.processes ? *bytes : 0;
    r->vector_bytes = *bytes;
    r->has_vector_bytes = !status;
    return status;
}

/* Bytes of the longest vectors that the compiler was let to make of a loop, where the processors of the run have longer ones that it would make by itself; 0: not so, or not known. */
static uint32_t kept_short(report *r, uint32_t scope, uint32_t *machine) {
    uint32_t let = 0;
    if (report_vector_bytes(r, machine, NULL))
        return 0;
    *machine = *machine < REPORT_ORDINARY_BYTES ? *machine : REPORT_ORDINARY_BYTES;
    for (uint32_t k = r->instance_begin[scope]; k < r->instance_begin[scope + 1]; k++) {
        hsc_db_instance x;
        if (!hsc_db_get_instance(r->db, r->instances[k], &x, NULL) && x.vector_bytes > let)
            let = x.vector_bytes;
    }
    return let < *machine ? let : 0;
}

/* A small procedure of the program's, in a source file of its own, that the remark names: it was compiled without the loop, and nothing but that keeps it from being put in line. */
static bool is_elsewhere(report *r, const report_refusal *x, const hsc_db_scope *loop, char *name, size_t name_size, char *file, size_t file_size) {
    enum { MOST = 4, LINES_MAX = 30 };
    report_callee called[MOST];
    uint32_t n = 0;
    char call[300];
    hsc_db_file here, there;
    size_t length = strcspn(named_call(x, call, sizeof call), "(");
    if (!length || report_callees(r, x->scope, called, MOST, &n, NULL) || hsc_db_get_file(r->db, loop->file, &here, NULL))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        hsc_db_scope s;
        if (hsc_db_get_scope(r->db, called[i].scope, &s, NULL) || s.knowledge != HSC_KNOWN_MAP || s.module != loop->module || s.file == loop->file ||
            strcspn(s.name, "(") != length || strncmp(s.name, call, length) || s.line_end < s.line_begin || s.line_end - s.line_begin > LINES_MAX ||
            hsc_db_get_file(r->db, s.file, &there, NULL) || report_is_header(here.path) || report_is_header(there.path))
            continue;
        const char *base = strrchr(there.path, '/');
        snprintf(name, name_size, "%.*s", (int)length, s.name);
        snprintf(file, file_size, "%s", base ? base + 1 : there.path);
        return true;
    }
    return false;
}

unsigned report_through_pointer(const report *r, const report_refusal *x, report_called *out, unsigned most, double *all) {
    enum { FEW = 10 };
    char call[40];
    *all = 0;
    if (x->reason != HSC_reason_CALL || x->remark.file == HSC_NONE || !x->remark.line || strcmp(named_call(x, call, sizeof call), "a pointer") != 0)
        return 0;
    unsigned n = report_called_on(r, x->remark.file, x->remark.line, out, most, all);
    return *all >= FEW ? n : 0;
}

/* A call through a pointer that went to one procedure as good as always. */
static bool always_called(const report *r, const report_refusal *x, hsc_db_scope *out) {
    report_called to;
    double all;
    return report_through_pointer(r, x, &to, 1, &all) && to.sum >= 0.95 * all && !hsc_db_get_scope(r->db, to.scope, out, NULL) && report_is_own(r, out);
}

/* "rtmp1, line 416": what iterations set for their own use, though it is not of this procedure alone, by the source's words where these are an assignment, or DO with its variable. False: the map tells
 * of none. */
static bool sets_for_itself(report *r, uint32_t scope, char *out, size_t size) {
    hsc_db_remark *list = NULL;
    uint32_t n = 0;
    bool found = false;
    if (report_remarks(r, scope, &list, &n, NULL))
        return false;
    for (uint32_t i = 0; i < n && !found; i++)
        if (!strcmp(list[i].pass, "heatscope") && !strcmp(list[i].name, "SetsForItself")) {
            size_t length = 0, k = 0;
            unsigned places = 0;
            const char *text = report_source_line(r, list[i].file, list[i].line, &length), *count = strstr(list[i].message, "set ");
            if (length > 3 && !strncasecmp(text, "do ", 3)) {
                text += 3;
                length -= 3;
            }
            while (k < length && report_is_letter(text[k]))
                k++;
            size_t end = k;
            while (k < length && text[k] == ' ')
                k++;
            bool named = end && end < 40 && k + 1 < length && text[k] == '=' && text[k + 1] != '=';
            if (count && sscanf(count, "set %u", &places) != 1)
                places = 0;
            snprintf(out, size, "%.*s, line %u%s", named ? (int)end : 10, named ? text : "a variable", list[i].line, places > 1 ? ", and others" : "");
            found = true;
        }
    free(list);
    return found;
}

/* Loops that a collapse clause makes one of, which then finds the indices of each iteration by division; 0: none. */
static uint32_t made_one(const report *r, const report_refusal *x) {
    uint32_t first, n;
    hsc_db_loop l;
    bool of_indices = x->reason != HSC_reason_CALL && x->reason != HSC_reason_UNSUPPORTED && x->reason != HSC_reason_NOT_INNERMOST && x->reason != HSC_reason_FLOATING_POINT_ORDER && x->reason != HSC_reason_EXTREME;
    return of_indices && !hsc_db_find(r->db, HSC_LIST_LOOPS, x->scope, &first, &n, NULL) && n && !hsc_db_get_loop(r->db, first, &l, NULL) && l.collapsed > 1 ? l.collapsed : 0;
}

/* What keeps a promise of vectors from being one of time: "; with its large steps ..."; "". */
static const char *hedge_of(report_step step) {
    static const char *const hedges[] = {[REPORT_STEP_SMALL] = "",
                                         [REPORT_STEP_OF_SHAPE] = "; where its steps through memory are large vector code may stay unused, or gain little",
                                         [REPORT_STEP_LARGE] = "; with its large steps through memory vector code may stay unused, or gain little"};
    return hedges[step];
}

/* A loop with few iterations each time, as far as samples tell: it hardly gets to its unrolled code, or the loop round it has a good part of the time that it has. Not where all are known. */
static bool seems_short(const report *r, uint32_t scope) {
    hsc_db_scope s, round;
    uint32_t first, n;
    hsc_db_loop l;
    double left = 0, all = 0;
    if (hsc_db_find(r->db, HSC_LIST_LOOPS, scope, &first, &n, NULL) || !n || hsc_db_get_loop(r->db, first, &l, NULL) || l.trips || hsc_db_get_scope(r->db, scope, &s, NULL))
        return false;
    for (uint32_t k = r->instance_begin[scope]; k < r->instance_begin[scope + 1]; k++) {
        hsc_db_instance x;
        double sum = r->instance_sums[r->instances[k]];
        all += sum;
        left += !hsc_db_get_instance(r->db, r->instances[k], &x, NULL) && x.version == HSC_loop_version_EPILOGUE ? sum : 0;
    }
    bool inside = s.parent != HSC_NONE && !hsc_db_get_scope(r->db, s.parent, &round, NULL) && round.kind == HSC_SCOPE_LOOP && round.procedure == s.procedure;
    return (all > 0 && left >= 0.9 * all) || (inside && r->excl[s.parent] >= 0.1 * r->excl[scope]);
}

/* Elements of vectors whose addresses are read from memory are put together one by one, or by an instruction of longer vectors, and each is waited for; those of large steps are gathered too, or for a step of
 * one element alone, which a check asks for. */
static void put_reorder(report *r, const report_refusal *x, char *out, size_t size) {
    char why[300];
    const char *through = reads_through(r, x->scope), *constants = "";
    uint32_t machine;
    report_step steps = report_steps(r, x->scope);
    bool far = steps != REPORT_STEP_SMALL, addressed = *through && !far, longer = addressed && kept_short(r, x->scope, &machine), few = !far && seems_short(r, x->scope);
    snprintf(why, sizeof why, "%s", far ? hedge_of(steps) : few ? "" : "; what else may keep the loop scalar shows only then");
    if (addressed)
        snprintf(why, sizeof why, "; elements that come through %s %s, and gain little where they wait for memory", through, longer ? "mostly need longer vectors" : "are gathered");
    if (few && report_may_be_constant(r, x->scope))
        constants = ": bounds that are constants let the compiler unroll it instead";
    snprintf(out, size, "-ffast-math%s %s it, where the order of operations does not matter to the result%s%s%s", longer ? ", with -march=native," : "", far || *through ? "may let" : "lets", why,
             few ? "; it seems to have few iterations each time, for which vector code may stay unused" : "", constants);
}

const char *report_hint(report *r, const report_refusal *x, char *out, size_t size) {
    hsc_db_scope s;
    hsc_db_file f;
    hsc_db_reference same;
    hsc_db_remark *list = NULL;
    uint32_t n = 0;
    bool advised = false;
    out[0] = 0;
    if (hsc_db_get_scope(r->db, x->scope, &s, NULL))
        return out;
    if (x->reason == HSC_reason_FLOATING_POINT_ORDER) {
        put_reorder(r, x, out, size);
        return out;
    }
    if (x->reason == HSC_reason_NOT_INNERMOST) { /* the first loop has hardly the time where calls have a part of it */
        if (report_in_calls(r, x->scope) < 0.05 * report_incl(r, x->scope).sum)
            snprintf(out, size, "two loops may let it: the first does what each iteration does and notes which go on to the loop inside, the second does the rest for those; what else may keep the first scalar shows only then");
        return out;
    }
    if (!strcmp(x->remark.name, "LoopInside")) /* more than one thing is in the way */
        return out;
    uint32_t loops = made_one(r, x);
    if (loops) {
        char less[40];
        if (loops == 2)
            snprintf(less, sizeof less, "without the clause");
        else
            snprintf(less, sizeof less, "with collapse(%u)", loops - 1);
        snprintf(out, size, "collapse(%u) makes one loop of %u, which finds the indices of each iteration by division: %s the innermost is a loop of its own, which may have vectors; what is round it needs iterations enough for all threads",
                 loops, loops, less);
        return out;
    }
    char own[120];
    if (x->reason == HSC_reason_RECURRENCE && !x->has_dependence && sets_for_itself(r, x->scope, own, sizeof own)) {
        snprintf(out, size, "iterations set %s, for their own use, and its last value is kept, as not this procedure alone has the address: a variable of its own in its place may let it; what else may keep the loop scalar shows only then", own);
        return out;
    }
    if (x->reason == HSC_reason_EXTREME) {
        bool c = hsc_db_get_file(r->db, s.file, &f, NULL) || is_of_c(f.path);
        snprintf(out, size, "-fno-signed-zeros and %s, or -ffast-math, let it, where no number is NaN and the sign of zero does not matter; what else may keep the loop scalar shows only then",
                 c ? "-ffinite-math-only" : "-fno-honor-nans"); /* flang knows only this one */
        return out;
    }
    if (x->reason == HSC_reason_COST) {
        uint32_t machine, let = report_steps(r, x->scope) != REPORT_STEP_LARGE ? kept_short(r, x->scope, &machine) : 0; /* elements far apart are gathered one by one */
        if (let)
            snprintf(out, size, "of vectors of %u bytes, as the options of its compilation allow no longer: those of %u that %s has, by -march=native, may pay", let, machine,
                     r->info.processes > 1 ? "every processor of the run" : "this processor");
        return out;
    }
    if (x->reason == HSC_reason_CHECKS) { /* LLVM asks of each access whether its index of 32 bits wraps: 16 such questions, and 128 where vectors were asked for */
        bool c = !hsc_db_get_file(r->db, s.file, &f, NULL) && is_of_c(f.path);
        snprintf(out, size, "indices of 64 bits (%s), of which none need be checked, may let it; so may %s before the loop, with %s, where no iteration touches what another one writes",
                 c ? "ptrdiff_t" : "integer(8)", c ? "#pragma omp simd" : "!$omp simd", c ? "-fopenmp-simd" : "-fopenmp");
        return out;
    }
    if (may_be_promised(r, x) && adds_up_in_memory(r, x->scope, &same)) {
        snprintf(out, size, "each iteration reads and writes %s, line %u: a local variable in its place, stored after the loop, may let it; sums of floating-point numbers need -ffast-math too",
                 same.text, same.line);
        return out;
    }
    if (may_be_promised(r, x) && writes_again(r, x->scope, &same)) { /* a promise that no iteration touches what another one writes would be false */
        snprintf(out, size, "each iteration writes %s, line %u, in the same place: a local variable of the iteration for it may let it; what else may keep the loop scalar shows only then", same.text, same.line);
        return out;
    }
    if (may_be_promised(r, x) && !hsc_db_get_file(r->db, s.file, &f, NULL)) {
        report_step steps = report_steps(r, x->scope);
        bool far = steps != REPORT_STEP_SMALL, indexed = has_stride(r, x->scope, HSC_stride_INDIRECT);
        snprintf(out, size, "%s before the loop, with %s, %s it, where no iteration touches what another one writes%s",
                 is_of_c(f.path) ? "#pragma omp simd" : "!$omp simd", is_of_c(f.path) ? "-fopenmp-simd" : "-fopenmp", far ? "may let" : "lets",
                 far ? hedge_of(steps) : indexed ? "; where it waits for elements that come through an index array, it gains little" : "");
        return out;
    }
    if ((x->reason != HSC_reason_CALL && x->reason != HSC_reason_UNSUPPORTED) || report_may_throw(x))
        return out;
    char call[40];
    if (hsc_is_complex_division(named_call(x, call, sizeof call)) && !hsc_db_get_file(r->db, s.file, &f, NULL)) {
        snprintf(out, size, "division of complex numbers is a call that checks for overflow and infinities; where these do not occur, %s lets it",
                 is_of_c(f.path) ? "-fcx-limited-range (or -ffast-math)" : "a * (1 / r) for a real divisor r, or a * conjg(b) * (1 / real(b * conjg(b))) for a complex one,");
        return out;
    }
    if (hsc_is_complex_product(call)) {
        snprintf(out, size, "a product of complex numbers calls it where the plain formula gives no number; where infinities do not occur, -fcx-limited-range (or -ffast-math) lets it");
        return out;
    }
    hsc_db_scope target;
    if (always_called(r, x, &target)) {
        bool c = !hsc_db_get_file(r->db, s.file, &f, NULL) && is_of_c(f.path);
        char name[80];
        snprintf(out, size, "the pointer led to %s as good as always: called by its name (%s) it may be put in line, of another file with -flto -fuse-ld=lld; what else may keep the loop scalar shows only then",
                 report_fit(target.name, 60, name, sizeof name),
                 c ? "in C++ a class that is final, or an argument of a template" : "type in place of class, or the procedure itself for a pointer to it");
        return out;
    }
    char name_of[200], file_of[200];
    if (is_elsewhere(r, x, &s, name_of, sizeof name_of, file_of, sizeof file_of)) {
        snprintf(out, size, "%.100s is compiled by itself, in %.100s: " REPORT_LTO_FOR_BOTH ", or one file of both, may put it in line; what else may keep the loop scalar shows only then", name_of, file_of);
        return out;
    }
    if (!report_remarks(r, x->scope, &list, &n, NULL))
        for (uint32_t i = 0; i < n; i++)
            advised = advised || strstr(list[i].message, "-fno-math-errno");
    free(list);
    const char *name = advised || *named_call(x, call, sizeof call) ? errno_call(r, x, &s) : NULL; /* else nothing tells that a call is in the way: sqrt may be an instruction already */
    if (name && !strcmp(name, "sqrt"))
        snprintf(out, size, "sqrt sets errno: -fno-math-errno makes it an instruction, that has a vector form; what else may keep the loop scalar shows only then");
    else if (name)
        snprintf(out, size, "%s sets errno: with -fno-math-errno and -fveclib=libmvec the call has a vector form; what else may keep the loop scalar shows only then", name);
    else if (advised)
        snprintf(out, size, "with -fno-math-errno nothing sets errno; what else may keep the loop scalar shows only then");
    return out;
}
