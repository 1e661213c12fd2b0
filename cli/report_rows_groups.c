/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows of what is added up from others: files, modules, loop nests, call sites, versions, categories, arrays, references. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "report_groups.h"
#include "report_paid.h"
#include "report_rows.h"

static const char *enum_text(const char *which, uint32_t value) {
    const char *text = hsc_enum_text(which, value);
    return text ? text : "unknown";
}

static const char *procedure_of(const report *r, uint32_t scope) {
    hsc_db_scope s;
    if (scope == HSC_NONE || hsc_db_get_scope(r->db, scope, &s, NULL) || s.procedure == HSC_NONE || hsc_db_get_scope(r->db, s.procedure, &s, NULL))
        return "";
    return s.name;
}

static void program_cells(sink *s, const report_group *x, bool any) {
    const report *r = s->r;
    char program[4200] = "";
    if (any)
        snprintf(program, sizeof program, "%s%s", report_program_path(r, r->program_first[x->row]),
                 r->programs > 1 && report_was_replaced(r->db, r->program_first[x->row]) ? " before exec" : "");
    put_text(s, "program", program);
    put_count(s, "processes", x->members);
    report_put_inclusive(s, x->value);
}

static void file_cells(sink *s, const report_group *x, bool any) {
    hsc_db_file f = {.path = ""};
    hsc_db_module m = {.path = ""};
    if (any && !hsc_db_get_file(s->r->db, x->row, &f, NULL))
        (void)hsc_db_get_module(s->r->db, f.module, &m, NULL);
    put_text(s, "file", f.path);
    put_text(s, "module", m.path);
    put_count(s, "lines", x->members);
    report_put_exclusive(s, x->value);
    report_put_inclusive(s, x->inclusive);
    put_amount(s, "inclusive_most", x->own.sum);
}

static void module_cells(sink *s, const report_group *x, bool any) {
    hsc_db_module m = {.path = "", .build_id = "", .note = ""};
    if (any)
        (void)hsc_db_get_module(s->r->db, x->row, &m, NULL);
    put_text(s, "module", m.path);
    put_text(s, "build_id", m.build_id);
    put_text(s, "known_by", report_known_by(m.knowledge));
    put_text(s, "note", m.note);
    report_put_exclusive(s, x->value);
    report_put_inclusive(s, x->inclusive);
}

static hsc_status nest_cells(sink *s, const report_group *x, bool any, hsc_err *err) {
    hsc_db_scope l = {.name = "", .file = HSC_NONE};
    report_spread p = {0};
    hsc_weighted sum;
    char most[128] = "";
    hsc_status status = any ? report_paid_nest(s->r, x->row, &sum, &p, err) : HSC_OK;
    if (p.columns && p.mean > 0) {
        p = report_compared(s->r, x->row, &p);
        report_processor(s->r, s->r->axis, p.max_at, most, sizeof most);
    }
    if (any)
        (void)hsc_db_get_scope(s->r->db, x->row, &l, NULL);
    put_text(s, "procedure", any ? procedure_of(s->r, x->row) : "");
    put_text(s, "loop", l.name);
    report_put_place(s, l.file, l.line_begin, l.line_end, true);
    put_count(s, "loops", x->members);
    put_count(s, "value_periods", x->value.sum);
    report_put_sampled(s, "value", x->value, true);
    report_put_sampled(s, "with_calls", x->own, true);
    put_text(s, "with_calls_max_processor", most);
    put_number(s, "with_calls_max_over_mean", p.columns && p.mean > 0 && p.programs < 2 ? p.max / p.mean : NAN);
    report_put_inclusive(s, x->inclusive);
    return status;
}

static void call_cells(sink *s, const report_group *x, bool any) {
    hsc_db_context c = {.call_line = HSC_NONE}, up;
    hsc_db_scope callee = {.name = "", .file = HSC_NONE};
    hsc_db_line l = {.file = HSC_NONE};
    const char *caller = "";
    if (any && !hsc_db_get_context(s->r->db, x->row, &c, NULL)) {
        (void)hsc_db_get_scope(s->r->db, c.scope, &callee, NULL);
        if (!hsc_db_get_context(s->r->db, c.parent, &up, NULL))
            caller = procedure_of(s->r, up.scope);
        if (c.call_line != HSC_NONE)
            (void)hsc_db_get_line(s->r->db, c.call_line, &l, NULL);
    }
    put_text(s, "kind", c.kind == HSC_CONTEXT_INLINED ? "inlined" : "call");
    put_text(s, "caller", caller);
    report_put_place(s, l.file, l.line, l.line, false);
    put_text(s, "callee", callee.name);
    put_count(s, "contexts", x->members);
    report_put_exclusive(s, x->own);
    report_put_inclusive(s, x->value);
}

static void version_cells(sink *s, const report_group *x, bool any) {
    hsc_db_instance v = {.version_text = "", .scope = HSC_NONE, .function = HSC_NONE};
    hsc_db_scope l = {.name = "", .file = HSC_NONE}, f = {.name = ""};
    if (any && !hsc_db_get_instance(s->r->db, x->row, &v, NULL)) {
        (void)hsc_db_get_scope(s->r->db, v.scope, &l, NULL);
        if (v.function != HSC_NONE)
            (void)hsc_db_get_scope(s->r->db, v.function, &f, NULL);
    }
    put_text(s, "procedure", procedure_of(s->r, v.scope));
    put_text(s, "loop", l.kind == HSC_SCOPE_LOOP ? l.name : "");
    report_put_place(s, l.file, l.line_begin, l.line_end, true);
    put_text(s, "version", v.version_text);
    put_count(s, "vector_lanes", v.vector_width);
    put_count(s, "interleave", v.interleave);
    put_count(s, "unroll", v.unroll);
    put_text(s, "function", f.name);
    report_put_exclusive(s, x->value);
    report_put_inclusive(s, x->inclusive);
    put_amount(s, "calls_of_any_version", x->own.sum);
}

/* As linkers and perf know them. */
static void function_cells(sink *s, const report_group *x, bool any) {
    hsc_db_code_part part = {.procedure = HSC_NONE, .module = HSC_NONE, .symbol = "", .note = ""};
    hsc_db_scope p = {.name = "", .file = HSC_NONE};
    hsc_db_module m = {.path = ""};
    char address[24] = "", function[4200] = "";
    if (any && !hsc_db_get_code_part(s->r->db, x->row, &part, NULL)) {
        if (part.procedure != HSC_NONE)
            (void)hsc_db_get_scope(s->r->db, part.procedure, &p, NULL);
        if (part.module != HSC_NONE)
            (void)hsc_db_get_module(s->r->db, part.module, &m, NULL);
        snprintf(address, sizeof address, "%" PRIx64, part.begin);
        bool body = p.kind == HSC_SCOPE_REGION; /* of a parallel region */
        const char *suffix = *part.symbol && strcmp(part.symbol, p.name) ? strchr(part.symbol, '.') : NULL; /* f.cold, f.part.0 */
        snprintf(function, sizeof function, "%s%s%s%s", body ? procedure_of(s->r, part.procedure) : "", body ? " " : "", *p.name ? p.name : part.symbol,
                 *p.name && suffix && !body ? suffix : "");
    }
    put_text(s, "function", function);
    put_text(s, "symbol", part.symbol);
    report_put_place(s, p.file, p.line_begin, p.line_end, true);
    put_text(s, "module", m.path);
    put_text(s, "address", address);
    put_count(s, "size_bytes", (double)(part.end - part.begin));
    put_count(s, "instructions", x->members);
    put_amount(s, "inlined", x->own.sum);
    put_number(s, "inlined_pct", any && x->value.sum > 0 ? 100 * x->own.sum / x->value.sum : NAN);
    put_text(s, "note", part.note);
    report_put_exclusive(s, x->value);
}

static void category_cells(sink *s, const report_group *x, bool any) {
    const char *name = any ? hsc_db_get_category(s->r->db, x->row) : "";
    put_text(s, "category", name ? name : "");
    report_put_inclusive(s, x->value);
}

/* ---- arrays and references ---- */

typedef struct uses { /* of an array */
    uint32_t references, reads, writes;
    uint64_t strides;     /* bit of each enum stride; of those whose bytes are not known */
    const char *bytes[3]; /* what is known of others: "8*n", each once */
} uses;

static bool note_bytes(uses *u, const hsc_db_reference *x) {
    if ((x->stride != HSC_stride_CONSTANT && x->stride != HSC_stride_SYMBOLIC) || !*x->stride_bytes)
        return false;
    for (size_t i = 0; i < sizeof u->bytes / sizeof *u->bytes; i++) {
        u->bytes[i] = u->bytes[i] ? u->bytes[i] : x->stride_bytes;
        if (!strcmp(u->bytes[i], x->stride_bytes))
            return true;
    }
    return false;
}

static hsc_status load_uses(const report *r, const uint8_t *counts, uses **out, uint32_t **first_of, hsc_err *err) {
    *out = calloc((size_t)r->info.arrays + 1, sizeof **out);
    *first_of = calloc((size_t)r->info.arrays + 1, sizeof **first_of);
    hsc_status s = *out && *first_of ? report_first_arrays(r, *first_of, err) : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; i < r->info.references && !s; i++) {
        hsc_db_reference x;
        if ((s = hsc_db_get_reference(r->db, i, &x, err)) || x.array == HSC_NONE || !counts[i])
            continue;
        uses *u = &(*out)[(*first_of)[x.array]];
        u->references++;
        u->reads += x.access != HSC_access_WRITE;
        u->writes += x.access != HSC_access_READ;
        if (!note_bytes(u, &x))
            u->strides |= x.stride < 64 ? 1ull << x.stride : 0;
    }
    return s;
}

/* As a narrow column says it. */
static const char *stride_word(uint32_t stride) {
    switch (stride) {
    case HSC_stride_UNKNOWN: return "unknown";
    case HSC_stride_ZERO: return "same";
    case HSC_stride_UNIT: return "unit";
    case HSC_stride_SYMBOLIC: return "regular";
    case HSC_stride_INDIRECT: return "indexed";
    case HSC_stride_REVERSE: return "backwards";
    case HSC_stride_POINTERS: return "pointers";
    default: return hsc_enum_text("stride", stride);
    }
}

/* The first ones that fit: "same, ..". In place. */
static void fit_list(char *text, int width) {
    int end = 0;
    if ((int)strlen(text) <= width)
        return;
    for (int i = 0; i + 4 <= width; i++)
        end = text[i] == ',' ? i : end;
    if (end)
        memcpy(text + end, ", ..", 5);
}

/* The array's own name, where all of it has no room; or all. */
static const char *fit_array(const char *whole, int width, char *out, size_t size) {
    const char *name = report_fit_reference(whole, width, out, size);
    return report_columns_of(name) > width && !strncmp(name, "...", 3) ? name + 3 : name;
}

static void data_cells(sink *s, const report_groups *g, const report_group *x, const uses *u, bool any) {
    hsc_db_array a = {.name = "", .type = "", .bounds = "", .scope = HSC_NONE, .file = HSC_NONE};
    char strides[300] = "", name[1024];
    int room = (s->t.width - 41) / 3; /* beside the numbers, for three columns of text */
    size_t at = 0;
    if (any)
        (void)hsc_db_get_array(s->r->db, x->row, &a, NULL);
    /* one that several procedures may refer to is told with that which has most of its time */
    uint32_t busiest = any && a.identity ? g->busiest[x->row] : HSC_NONE;
    for (uint32_t k = 0; u && k < 64; k++) {
        const char *text = !(u->strides >> k & 1) ? NULL : s->usual ? stride_word(k) : hsc_enum_text("stride", k);
        if (text && at + strlen(text) + 3 < sizeof strides)
            at += (size_t)snprintf(strides + at, sizeof strides - at, "%s%s", at ? ", " : "", text);
    }
    for (size_t k = 0; u && k < sizeof u->bytes / sizeof *u->bytes && u->bytes[k]; k++)
        if (at + strlen(u->bytes[k]) + 10 < sizeof strides)
            at += (size_t)snprintf(strides + at, sizeof strides - at, "%s%s bytes", at ? ", " : "", u->bytes[k]);
    if (s->usual)
        fit_list(strides, room);
    put_text(s, "array", s->usual ? fit_array(a.name, room, name, sizeof name) : a.name);
    put_text(s, "bounds", a.bounds);
    put_text(s, "type", a.type);
    put_text(s, "procedure", procedure_of(s->r, busiest != HSC_NONE ? busiest : a.scope));
    report_put_place(s, a.file, a.line, a.line, false);
    put_count(s, "lines", x->members);
    put_count(s, "references", u ? u->references : 0);
    put_count(s, "reads", u ? u->reads : 0);
    put_count(s, "writes", u ? u->writes : 0);
    put_text(s, "strides", strides);
    put_count(s, "lines_periods", x->value.sum);
    report_put_sampled(s, "lines", x->value, true);
}

static hsc_status reference_cells(sink *s, const report_group *x, const report_uses *u, bool any, hsc_err *err) {
    hsc_db_reference f = {.text = "", .stride_bytes = "", .array = HSC_NONE, .file = HSC_NONE, .scope = HSC_NONE};
    hsc_db_array a = {.name = "", .bounds = ""};
    uint32_t line = HSC_NONE;
    hsc_status status = any ? hsc_db_get_reference(s->r->db, x->row, &f, err) : HSC_OK;
    if (!status && f.array != HSC_NONE)
        status = hsc_db_get_array(s->r->db, f.array, &a, err);
    if (status)
        return status;
    if (f.file != HSC_NONE)
        line = hsc_db_find_line(s->r->db, f.file, f.line);
    put_text(s, "text", f.text);
    put_text(s, "array", a.name);
    put_text(s, "access", any ? enum_text("access", f.access) : "");
    put_text(s, "stride", any ? enum_text("stride", f.stride) : "");
    put_text(s, "stride_bytes", f.stride_bytes);
    put_count(s, "size_bytes", f.size_bytes);
    put_text(s, "procedure", procedure_of(s->r, f.scope));
    report_put_place(s, f.file, f.line, f.line, false);
    put_count(s, "column", f.column);
    put_count(s, "references_on_line", line != HSC_NONE ? u->on_line[line] : 0);
    put_count(s, "line_periods", x->value.sum);
    report_put_sampled(s, "line", x->value, true);
    return HSC_OK;
}

/* Of the processors of one program. */
static hsc_status put_program_categories(sink *s, uint32_t program, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t c = 0; c < s->r->info.categories && (!status || status == HSC_E_MISSING); c++) {
        report_spread p;
        status = report_spread_of_program(s->r, HSC_TABLE_SCOPE_CATEGORY, &(report_range){c, 1}, 1, program, &p, err);
        if (!status || status == HSC_E_MISSING)
            report_put_category(s, "inclusive", c, status ? NAN : p.mean * p.columns);
    }
    if (status == HSC_E_MISSING)
        hsc_err_clear(err);
    return status == HSC_E_MISSING ? HSC_OK : status;
}

static uint32_t module_scope(const report *r, uint32_t module) {
    hsc_db_scope scope;
    for (uint32_t k = 1; k < r->info.scopes && !hsc_db_get_scope(r->db, k, &scope, NULL); k = scope.subtree_end)
        if (scope.kind == HSC_SCOPE_MODULE && scope.module == module)
            return k;
    return 0;
}

hsc_status report_group_rows(sink *s, report_by by, hsc_err *err) {
    static const report_grouping groupings[REPORT_TABLES] = {
        [REPORT_PROGRAM] = REPORT_BY_PROGRAM, [REPORT_FILE] = REPORT_BY_FILE,       [REPORT_MODULE] = REPORT_BY_MODULE,   [REPORT_NEST] = REPORT_BY_NEST,
        [REPORT_CALL] = REPORT_BY_CALL,       [REPORT_INLINED] = REPORT_BY_INLINED, [REPORT_VERSION] = REPORT_BY_VERSION, [REPORT_SYMBOL] = REPORT_BY_FUNCTION,
        [REPORT_CATEGORY] = REPORT_BY_CATEGORY, [REPORT_DATA] = REPORT_BY_DATA,     [REPORT_REFERENCE] = REPORT_BY_REFERENCE};
    static const char *const value_names[REPORT_TABLES] = { /* what categories are of */
        [REPORT_FILE] = "exclusive", [REPORT_MODULE] = "exclusive",    [REPORT_NEST] = "value", [REPORT_CALL] = "inclusive",
        [REPORT_INLINED] = "inclusive", [REPORT_DATA] = "lines",     [REPORT_VERSION] = "exclusive", [REPORT_REFERENCE] = "line"};
    report_groups g;
    uses *of = NULL;
    uint32_t *first_of = NULL;
    hsc_status status = report_groups_by(s->r, groupings[by], &g, err);
    if (!status && by == REPORT_DATA)
        status = load_uses(s->r, g.uses.counts, &of, &first_of, err);
    for (uint32_t i = HSC_NONE; !status && (i == HSC_NONE || (i < g.n && (!s->r->top || i < s->r->top))); i++) {
        bool any = i != HSC_NONE;
        report_group none = {0};
        const report_group *x = any ? &g.list[i] : &none;
        begin_row(s);
        put_count(s, "position", any ? i + 1 : 0);
        switch (by) {
        case REPORT_PROGRAM:
            program_cells(s, x, any);
            break;
        case REPORT_FILE:
            file_cells(s, x, any);
            break;
        case REPORT_MODULE:
            module_cells(s, x, any);
            break;
        case REPORT_NEST:
            status = nest_cells(s, x, any, err);
            break;
        case REPORT_VERSION:
            version_cells(s, x, any);
            break;
        case REPORT_SYMBOL:
            function_cells(s, x, any);
            break;
        case REPORT_CATEGORY:
            category_cells(s, x, any);
            break;
        case REPORT_DATA:
            data_cells(s, &g, x, any ? &of[x->row] : NULL, any);
            break;
        case REPORT_REFERENCE:
            status = reference_cells(s, x, &g.uses, any, err);
            break;
        default:
            call_cells(s, x, any);
        }
        report_spread p = {0};
        if (!status && any)
            status = report_group_spread(s->r, &g, x, &p, err);
        if (!status)
            report_put_spread(s, any ? report_group_scope(s->r, &g, x) : HSC_NONE, &p);
        if (!status && value_names[by])
            status = report_put_categories_of(s, value_names[by], g.table, any ? g.ranges + x->first : NULL, any ? x->n : 0, err);
        if (!status && by == REPORT_PROGRAM)
            status = put_program_categories(s, any ? x->row : 0, err);
        if (!status && by == REPORT_MODULE)
            status = report_put_categories(s, any ? module_scope(s->r, x->row) : 0, err);
        if (!status)
            end_row(s);
        s->t.naming = false;
    }
    free(of);
    free(first_of);
    report_groups_clear(&g);
    return status;
}
