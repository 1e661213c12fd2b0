/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers of the map with what a run recorded of them. */
#include "map_values.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <heatscope/formats/values.h>
#include <pool.h>

#include "map_check.h"
#include "map_section.h"

typedef struct row {
    size_t module;
    uint64_t line, procedure_id, value_id;
    const char *what;   /* "extent", "stride", ... */
    const char *whose;  /* array, operation; "" */
    size_t number;      /* of the dimension or argument; 0 */
    uint64_t type;      /* enum symbolic_type */
    int64_t last_least, last_greatest; /* of the processes' last values */
    HSC_VEC(int64_t) values; /* of all processes, each once, in the order of by_value */
    bool is_changing;   /* within a process */
    bool is_last;       /* in a process only the last value is known */
    size_t processes;   /* that have it; 0: none */
    bool is_static;     /* the compiler knew it */
} row;

typedef struct book {
    hsc_map_section section;
    hsc_map_model model;
    HSC_VEC(row) rows;
    size_t processes;
} book;

/* ---- what is asked for ---------------------------------------------------------------------------------------------- */

/* Is it a number? What only has a text, and MPI's names, are none. */
static bool is_number(const hsc_map_module *m, uint64_t value_id) {
    uint64_t kind = value_id ? m->values[value_id - 1].kind : HSC_value_kind_OPAQUE;
    return kind == HSC_value_kind_CONSTANT || kind == HSC_value_kind_SYMBOL || kind == HSC_value_kind_POLYNOMIAL;
}

static bool add(book *b, row r) {
    return !is_number(&b->model.modules[r.module], r.value_id) || HSC_PUSH(b->rows, r);
}

static const hsc_rec_callsite *call_of(const hsc_map_module *m, uint64_t id) { /* ids rise */
    size_t lo = 0, hi = m->n_callsites;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->callsites[mid].callsite_id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < m->n_callsites && m->callsites[lo].callsite_id == id ? &m->callsites[lo] : NULL;
}

static bool add_module(book *b, size_t k) {
    const hsc_map_module *m = &b->model.modules[k];
    bool ok = true;
    for (size_t i = 0; ok && i < m->n_symbolics; i++) {
        const hsc_rec_symbolic *s = &m->symbolics[i];
        ok = add(b, (row){.module = k, .line = s->line, .procedure_id = s->procedure_id, .value_id = s->value_id,
                          .what = s->where == HSC_symbolic_where_ENTRY ? "parameter" : "value", .whose = s->name.n ? s->name.p : "",
                          .type = s->type});
    }
    for (size_t i = 0; ok && i < m->n_arrays; i++) {
        const hsc_rec_array *a = &m->arrays[i];
        for (size_t d = 0; ok && d < a->extent.n && !(a->flags & HSC_array_flag_TEMPORARY); d++)
            ok = add(b, (row){.module = k, .line = a->line, .procedure_id = a->procedure_id, .value_id = a->extent.p[d],
                              .what = "extent", .whose = a->name.p, .number = d + 1});
    }
    for (size_t i = 0; ok && i < m->n_references; i++) {
        const hsc_rec_reference *r = &m->references[i];
        if (r->stride == HSC_stride_SYMBOLIC)
            ok = add(b, (row){.module = k, .line = r->line, .procedure_id = r->procedure_id, .value_id = r->stride_id,
                              .what = "stride", .whose = r->array_id ? m->arrays[r->array_id - 1].name.p : ""});
    }
    for (size_t i = 0; ok && i < m->n_messages; i++) {
        const hsc_rec_message *s = &m->messages[i];
        const hsc_rec_callsite *call = call_of(m, s->callsite_id);
        for (size_t a = 0; ok && a < s->values.n; a++)
            ok = add(b, (row){.module = k, .line = call ? call->line : 0, .procedure_id = call ? call->procedure_id : 0,
                              .value_id = s->values.p[a],
                              .what = "argument", .whose = s->operation.p, .number = a + 1});
    }
    return ok;
}

/* ---- what is known -------------------------------------------------------------------------------------------------- */

static hsc_status take_all(hsc_values *v, hsc_reader *r, hsc_err *err) {
    hsc_record record;
    hsc_status status = HSC_OK;
    while (status == HSC_OK && hsc_reader_next(r, &record))
        status = hsc_values_take(v, &record, err);
    return status;
}

/* Is it the less, as a number of the row's type? */
static bool is_less(const row *r, int64_t a, int64_t b) {
    double x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    if (r->type == HSC_symbolic_type_REAL)
        return x < y;
    return r->type == HSC_symbolic_type_ADDRESS || r->type == HSC_symbolic_type_UNSIGNED ? (uint64_t)a < (uint64_t)b : a < b;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* All values that a number had in one process, to those of the others. */
static hsc_status take_values(row *at, hsc_values *v, uint64_t module_tag, int64_t last, hsc_err *err) {
    int64_t *list = NULL;
    size_t n = 0, kept = 0;
    hsc_status status = hsc_values_get_all(v, module_tag, at->value_id, &list, &n, err);
    if (status == HSC_E_MEMORY)
        return status;
    if (status != HSC_OK) { /* an older one does not fit */
        hsc_err_clear(err);
        n = 0;
    }
    at->is_changing |= n != 1;
    at->is_last |= !n;
    at->last_least = !at->processes || is_less(at, last, at->last_least) ? last : at->last_least;
    at->last_greatest = !at->processes || is_less(at, at->last_greatest, last) ? last : at->last_greatest;
    bool ok = n || HSC_PUSH(at->values, last);
    for (size_t i = 0; i < n && ok; i++)
        ok = HSC_PUSH(at->values, list[i]);
    free(list);
    if (!ok)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    qsort(at->values.p, at->values.n, sizeof *at->values.p, by_value);
    for (size_t i = 0; i < at->values.n; i++)
        if (!kept || at->values.p[i] != at->values.p[kept - 1])
            at->values.p[kept++] = at->values.p[i];
    at->values.n = kept;
    return HSC_OK;
}

/* One process's numbers. */
static hsc_status take_process(book *b, const char *path, hsc_err *err) {
    hsc_values *v = NULL;
    hsc_reader *r = NULL;
    hsc_status status = hsc_values_new(&v, err);
    if (status == HSC_OK)
        status = hsc_reader_open_memory(b->section.bytes, b->section.size, "map", &r, err);
    if (status == HSC_OK)
        status = take_all(v, r, err);
    hsc_reader_close(r);
    r = NULL;
    if (status == HSC_OK)
        status = hsc_reader_open(path, &r, err);
    if (status == HSC_OK)
        status = take_all(v, r, err);
    hsc_reader_close(r);
    for (size_t i = 0; i < b->rows.n && status == HSC_OK; i++) {
        row *at = &b->rows.p[i];
        int64_t n;
        hsc_value_source source;
        hsc_err why = {0};
        if (hsc_values_get(v, b->model.modules[at->module].head.module_tag, at->value_id, NULL, &n, &source, &why) != HSC_OK) {
            hsc_err_clear(&why);
            continue;
        }
        status = take_values(at, v, b->model.modules[at->module].head.module_tag, n, err);
        at->is_static = source == HSC_VALUE_STATIC;
        at->processes++;
    }
    hsc_values_free(v);
    b->processes++;
    return status;
}

static int is_stream(const struct dirent *e) {
    size_t n = strlen(e->d_name);
    return n > 4 && !strcmp(e->d_name + n - 4, ".hsr");
}

static hsc_status take_run(book *b, const char *run, hsc_err *err) {
    struct stat st;
    struct dirent **list = NULL;
    char path[8192];
    if (stat(run, &st))
        return hsc_err_set_errno(err, errno, "%s: cannot open", run);
    if (!S_ISDIR(st.st_mode))
        return take_process(b, run, err);
    int n = scandir(run, &list, is_stream, alphasort);
    hsc_status status = n < 0 ? hsc_err_set_errno(err, errno, "%s: cannot read", run)
                        : n   ? HSC_OK
                              : hsc_err_set(err, HSC_E_MISSING, "%s: no record stream (*.hsr) in it", run);
    for (int i = 0; i < n; i++) {
        if (status == HSC_OK && snprintf(path, sizeof path, "%s/%s", run, list[i]->d_name) < (int)sizeof path)
            status = take_process(b, path, err);
        free(list[i]);
    }
    free(list);
    return status;
}

/* ---- printing ------------------------------------------------------------------------------------------------------- */

static void print_number(const row *r, int64_t n) {
    double real;
    memcpy(&real, &n, sizeof real);
    if (r->type == HSC_symbolic_type_REAL)
        printf("%g", real);
    else if (r->type == HSC_symbolic_type_ADDRESS)
        printf("0x%" PRIx64, (uint64_t)n);
    else if (r->type == HSC_symbolic_type_UNSIGNED)
        printf("%" PRIu64, (uint64_t)n);
    else
        printf("%" PRId64, n);
}

static bool is_same(const row *a, const row *b) {
    return a->module == b->module && a->line == b->line && a->procedure_id == b->procedure_id && a->value_id == b->value_id &&
           a->number == b->number && !strcmp(a->what, b->what) && !strcmp(a->whose, b->whose);
}

static void print_range(const row *r, int64_t least, int64_t greatest) {
    print_number(r, least);
    if (greatest != least) {
        printf(" to ");
        print_number(r, greatest);
    }
}

/* A parameter of a procedure that was inlined: no probe is in the copies. */
static bool is_inlined(const hsc_map_module *m, const row *r) {
    for (size_t i = 0; i < m->n_inlines && r->procedure_id && !strcmp(r->what, "parameter"); i++)
        if (m->inlines[i].callee_id == r->procedure_id)
            return true;
    return false;
}

static void print_row(const book *b, const row *r) {
    const hsc_map_module *m = &b->model.modules[r->module];
    const char *text = m->values[r->value_id - 1].text.n ? m->values[r->value_id - 1].text.p : "";
    char line[32], of[32] = "";
    snprintf(line, sizeof line, r->line ? "%" PRIu64 : "?", r->line);
    if (r->number)
        snprintf(of, sizeof of, " %zu", r->number);
    printf("%12s    %s%s%s%s%s%s", line, r->what, of, *r->whose ? r->number || !strcmp(r->what, "stride") ? " of " : " " : "", r->whose,
           r->procedure_id ? " in " : "", r->procedure_id ? m->procedures[r->procedure_id - 1].name.p : "");
    if (*text && strcmp(text, r->whose) != 0)
        printf(": %s", text);
    printf(" = ");
    if (!r->processes) {
        printf(is_inlined(m, r) ? "? (not recorded: inlined, and inlined copies record nothing)\n" : "? (not recorded)\n");
        return;
    }
    int64_t least = r->values.p[0], greatest = least;
    for (size_t i = 1; i < r->values.n; i++) {
        least = is_less(r, r->values.p[i], least) ? r->values.p[i] : least;
        greatest = is_less(r, greatest, r->values.p[i]) ? r->values.p[i] : greatest;
    }
    print_range(r, least, greatest);
    if (r->is_changing) {
        printf(", last ");
        print_range(r, r->last_least, r->last_greatest);
    }
    printf(r->is_static ? " (compiler" : " (run");
    if (r->is_last)
        printf(", only the last value%s known", r->processes > 1 ? "s are" : " is");
    else if (r->is_changing)
        printf(", %zu values", r->values.n);
    if (!r->is_static && b->processes > 1)
        printf(", %zu of %zu processes", r->processes, b->processes);
    printf(")\n");
}

hsc_status hsc_map_print_values(const char *program, const char *run, hsc_err *err) {
    book b = {0};
    hsc_status status = hsc_map_section_read(program, &b.section, err);
    if (status == HSC_OK)
        status = hsc_map_model_read(b.section.bytes, b.section.size, program, &b.model, err);
    for (size_t k = 0; k < b.model.n_modules && status == HSC_OK; k++)
        if (!add_module(&b, k))
            status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", program);
    if (status == HSC_OK)
        status = take_run(&b, run, err);
    for (size_t i = 0; i < b.rows.n && status == HSC_OK; i++) {
        if (!i || b.rows.p[i].module != b.rows.p[i - 1].module)
            printf("%s:\n", b.model.modules[b.rows.p[i].module].head.name.p);
        if (!i || !is_same(&b.rows.p[i], &b.rows.p[i - 1]))
            print_row(&b, &b.rows.p[i]);
    }
    for (size_t i = 0; i < b.rows.n; i++)
        free(b.rows.p[i].values.p);
    free(b.rows.p);
    hsc_map_model_fini(&b.model);
    hsc_map_section_fini(&b.section);
    return status;
}
