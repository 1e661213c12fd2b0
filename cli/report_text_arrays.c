/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Message passing by array: as text, and as rows for programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/linkage.h>

#include "report_arrays.h"
#include "report_rows.h"
#include "report_text.h"

const char *report_bytes(double n, char *out, size_t size) {
    static const char units[] = " kMGTP";
    int k = 0;
    for (; n >= 999.5 && k < 5; k++)
        n /= 1000;
    snprintf(out, size, n >= 99.95 || !k ? "%.0f%c" : "%.1f%c", n, units[k]);
    if (!k)
        out[strlen(out) - 1] = 0;
    return out;
}

/* Has another row the same array of another instance of a template: one that is declared at the same place? */
static bool is_of_instance(const report *r, const report_array *rows, uint32_t n, uint32_t row) {
    hsc_db_array a, b;
    if (rows[row].named == HSC_NONE || hsc_db_get_array(r->db, rows[row].named, &a, NULL) || a.scope == HSC_NONE || a.file == HSC_NONE || !a.line)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (i != row && rows[i].named != HSC_NONE && !hsc_db_get_array(r->db, rows[i].named, &b, NULL) && b.scope != a.scope && b.file == a.file && b.line == a.line &&
            !strcmp(a.name, b.name))
            return true;
    return false;
}

/* "halo.c:12"; of one of several instances, and where no line is known (without debug information), "in " and the procedure; "" of a member, which is of no
 * procedure. */
static void declared(const report *r, uint32_t array, bool of_instance, char *out, size_t size) {
    hsc_db_array a;
    hsc_db_scope s;
    char fitted[200];
    out[0] = 0;
    if (array == HSC_NONE || hsc_db_get_array(r->db, array, &a, NULL))
        return;
    size_t module = hsc_linkage_fortran_module(a.symbol);
    if (a.file != HSC_NONE && a.line && !of_instance)
        report_at(r, a.file, a.line, out, size);
    else if (module)
        snprintf(out, size, "in module %.*s", (int)module, a.symbol + 3);
    else if (!report_is_member(&a) && a.scope != HSC_NONE && !hsc_db_get_scope(r->db, a.scope, &s, NULL))
        snprintf(out, size, "in %s", report_fit(s.name, sizeof fitted, fitted, sizeof fitted)); /* without a list of parameters */
}

/* Of loops that are known; where these have nothing it need not be 0, but is not known: other procedures may fill the buffer, and read it. Of what is
 * only received nobody fills anything (`bytes` 0). */
static const char *loops_text(bool known, double seconds, uint64_t bytes, char *out, size_t size) {
    snprintf(out, size, known ? "%.3f" : bytes ? "-" : "", seconds);
    return out;
}

/* A member keeps its own name, or the ends of it: "level->..send_buffers[3]"; other names are cut as prose. Returns out. */
static const char *fit_array(const char *name, int width, char *out, size_t size) {
    const char *arrow = NULL, *dot = strrchr(name, '.');
    for (const char *at = name; (at = strstr(at, "->")); at += 2)
        arrow = at + 2;
    const char *last = dot && (!arrow || dot + 1 > arrow) ? dot + 1 : arrow;
    if (!last || report_columns_of(name) <= width)
        return report_fit_prose(name, width, out, size);
    if (report_columns_of(last) + 3 > width)
        return report_fit(last, width, out, size);
    char whole[400], begin[400], end[400];
    snprintf(whole, sizeof whole, "%.*s", (int)(last - name), name);
    snprintf(out, size, "%s%s", report_fit_prose(whole, width - report_columns_of(last), begin, sizeof begin), report_fit_prose(last, width, end, sizeof end));
    return out;
}

/* A row's array and where it is declared, in `width` columns, to be told apart from those of other rows (report_cut_apart). */
static hsc_status name_array(const report *r, uint32_t array, bool of_instance, int width, report_named *out, hsc_err *err) {
    char name[400], place[300], cut[300], fitted[400], text[720], whole[720];
    report_array_text(r, array, name, sizeof name);
    declared(r, array, of_instance, place, sizeof place);
    snprintf(whole, sizeof whole, "%s%s%s", name, place[0] ? " " : "", place);
    bool in = !strncmp(place, "in ", 3);
    int left = width - report_columns_of(name) - 1;
    left = left > 12 ? left : 12; /* the name comes first */
    if (left < report_columns_of(place))
        snprintf(cut, sizeof cut, "%s%s", in ? "in " : "", report_fit(place + (in ? 3 : 0), left - (in ? 3 : 0), fitted, sizeof fitted));
    else
        snprintf(cut, sizeof cut, "%s", place);
    int room = width - report_columns_of(cut) - 1;
    snprintf(text, sizeof text, "%s%s%s", fit_array(name, room > 8 ? room : 8, fitted, sizeof fitted), cut[0] ? " " : "", cut);
    return report_set_named(out, text, whole, err);
}

/* Of `most` rows (0: all), of which `shown` are there. */
static bool is_in_rest(const report *r, const report_array *rows, uint32_t i, uint32_t most, uint32_t shown, double all) {
    return (most && shown >= most) || (r->brief && i && rows[i].mpi_s < 0.01 * all);
}

hsc_status report_text_arrays(report *r, hsc_err *err) {
    report_array *rows;
    report_named *names = NULL;
    uint32_t n, named = 0, shown = 0, most = report_text_rows(r, 3);
    double all = 0, rest = 0;
    bool packs = false; /* is there a loop that fills or reads one of them? else its columns are left out: names have their room */
    char loops[70] = "", sent[16], received[16], packing[32], unpacking[32], more[400], ways[800];
    hsc_status status = report_arrays(r, &rows, &n, err);
    if (status)
        return status;
    for (uint32_t i = 0; i < n; i++) {
        packs = packs || rows[i].packs || rows[i].unpacks;
        all += rows[i].share_s;
    }
    const int width = r->width - (packs ? 57 : 41);
    if (!(names = calloc((size_t)n + 1, sizeof *names)))
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n && !status; i++)
        if (!is_in_rest(r, rows, i, most, named, all) && !(status = name_array(r, rows[i].named, is_of_instance(r, rows, n, i), width, &names[named], err)))
            named++;
    if (!status)
        status = report_cut_apart(names, named, width, err);
    if (status) {
        report_free_named(names, named);
        free(rows);
        return status;
    }
    fprintf(r->out, "\nMessage passing by array: bytes, time in calls, waiting%s\n   calls  sent  recv   MPI s  wait s%s  array\n", packs ? ", packing (-: not known)" : " for late ones",
            packs ? "  pack s  unpk s" : "");
    for (uint32_t i = 0; i < n; i++) {
        const report_array *a = &rows[i];
        if (is_in_rest(r, rows, i, most, shown, all)) {
            rest = a->mpi_s > rest ? a->mpi_s : rest;
            continue;
        }
        if (packs)
            snprintf(loops, sizeof loops, " %7s %7s", loops_text(a->packs, a->packing * r->unit.scale, a->sent_bytes, packing, sizeof packing),
                     loops_text(a->unpacks, a->unpacking * r->unit.scale, a->received_bytes, unpacking, sizeof unpacking));
        fprintf(r->out, "%8llu %5s %5s %7.3f %7.3f%s  %s\n", (unsigned long long)a->calls, report_bytes((double)a->sent_bytes, sent, sizeof sent),
                report_bytes((double)a->received_bytes, received, sizeof received), a->mpi_s, a->waiting_s, loops, names[shown++].text);
        if (!status && !r->brief && !(status = report_array_ways(r, a, 3, ways, sizeof ways, err)) && ways[0])
            report_text_wrap(r->out, r->width, ways, 22, fprintf(r->out, "%20sby way of", "") + 1);
    }
    if (shown < n)
        fprintf(r->out, "%20s %7.3f  %*s %s\n", "at most", rest, packs ? 23 : 7, "", report_text_more(r, n - shown, REPORT_ARRAY, more, sizeof more));
    if (!n)
        fputs(r->info.mpi_sites || !r->info.messages ? "  none\n" : "  the calls of MPI are not known: compile with the pass\n", r->out);
    report_free_named(names, named);
    free(rows);
    return status;
}

static void array_row(const report *r, hsc_table *t, uint32_t rank, const report_array *x) {
    hsc_db_array a = {.name = "", .type = "", .element = "", .bounds = "", .scope = HSC_NONE, .file = HSC_NONE};
    hsc_db_scope s = {.name = ""};
    hsc_db_file f = {.path = ""};
    if (x->named != HSC_NONE)
        (void)hsc_db_get_array(r->db, x->named, &a, NULL);
    uint32_t procedure = report_array_procedure(r, x);
    if (procedure != HSC_NONE)
        (void)hsc_db_get_scope(r->db, procedure, &s, NULL);
    if (a.file != HSC_NONE)
        (void)hsc_db_get_file(r->db, a.file, &f, NULL);
    hsc_table_begin_row(t);
    hsc_table_count(t, "position", rank);
    hsc_table_text(t, "array", a.name);
    hsc_table_text(t, "bounds", a.bounds);
    hsc_table_text(t, "type", a.type);
    hsc_table_text(t, "procedure", s.name);
    hsc_table_text(t, "file", f.path);
    hsc_table_count(t, "line", a.line);
    hsc_table_count(t, "places", x->places);
    hsc_table_count(t, "calls", (double)x->calls);
    hsc_table_count(t, "sent_bytes", (double)x->sent_bytes);
    hsc_table_count(t, "received_bytes", (double)x->received_bytes);
    hsc_table_number(t, "mpi_s", x->mpi_s);
    hsc_table_number(t, "mpi_share_s", x->share_s);
    hsc_table_number(t, "waiting_s", x->waiting_s);
    hsc_table_number(t, "waiting_share_s", x->waiting_share_s);
    hsc_table_amount(t, "packing", x->packs ? x->packing : NAN);
    hsc_table_amount(t, "unpacking", x->unpacks ? x->unpacking : NAN);
    report_put_over(r, t, &x->over);
    hsc_table_end_row(t);
    t->naming = false;
}

hsc_status report_array_rows(report *r, hsc_table *t, hsc_err *err) {
    report_array *rows, none = {.array = HSC_NONE, .named = HSC_NONE};
    uint32_t n;
    hsc_status status = report_arrays(r, &rows, &n, err);
    if (status)
        return status;
    if (t->naming)
        array_row(r, t, 0, &none);
    for (uint32_t i = 0; i < n && (!r->top || i < r->top); i++)
        array_row(r, t, i + 1, &rows[i]);
    free(rows);
    return HSC_OK;
}
