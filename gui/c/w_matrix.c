/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::matrix: what processes send to each other, and who waits for whom; grouped by machine or by rank when there are many. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "widget.h"

enum quantity { BYTES, MESSAGES, SIZE, WAITING, WAITS };
static const char *const quantity_names[] = {"bytes", "messages", "size", "waiting", "waits", NULL};
enum grouping { GROUP_AUTO, GROUP_PROCESS, GROUP_HOST };
static const char *const group_names[] = {"auto", "process", "host", NULL};

typedef struct matrix {
    hsw w;
    int quantity, group, colours, scaling, mark;
    hsw_against against;
    char *selected; /* option: processes {ROW COLUMN} */
    int selected_row, selected_column;
    /* by prepare */
    uint32_t bins, processes, hosts;
    uint32_t *bin_of, *count, *first; /* per process; per bin: number of processes, the first of them */
    double *values;
    char (*labels)[64];
    const char **pointers;
    double least, maximum, total; /* least: above 0; maximum: of waiting, between different ones where there is some */
    double within;                /* of the total: on the diagonal */
    bool by_host;
    int cursor_row, cursor_column;
} matrix;

static const Tk_OptionSpec options[] = {
    HSW_AGAINST_OPTIONS(matrix, against),
    HSW_O_ENUM(matrix, "-quantity", quantity, "bytes", quantity_names, HSW_DATA),
    HSW_O_ENUM(matrix, "-group", group, "auto", group_names, HSW_DATA),
    HSW_O_ENUM(matrix, "-colours", colours, "inferno", hsc_colours_names, HSW_PAINT),
    HSW_O_ENUM(matrix, "-scaling", scaling, "log", hsc_scaling_names, HSW_PAINT),
    HSW_O_TEXT(matrix, "-selected", selected, "", HSW_PAINT),
    HSW_O_INT(matrix, "-mark", mark, "-1", HSW_PAINT),
    HSW_OPTIONS_END};

static void init(hsw *w) {
    matrix *m = (matrix *)w;
    m->cursor_row = m->cursor_column = -1;
}

static void drop(matrix *m) {
    free(m->bin_of);
    free(m->count);
    free(m->first);
    free(m->values);
    free(m->labels);
    free(m->pointers);
    m->bin_of = m->count = m->first = NULL;
    m->values = NULL;
    m->labels = NULL;
    m->pointers = NULL;
    m->bins = 0;
    m->least = m->maximum = m->total = m->within = 0;
}
static void fini(hsw *w) { drop((matrix *)w); }

static hsc_status changed(hsw *w, hsc_err *err) {
    matrix *m = (matrix *)w;
    char end;
    m->selected_row = m->selected_column = -1;
    if (m->selected && m->selected[0] &&
        (sscanf(m->selected, "%d %d %c", &m->selected_row, &m->selected_column, &end) != 2 || m->selected_row < 0 || m->selected_column < 0)) {
        m->selected_row = m->selected_column = -1;
        return hsc_err_set(err, HSC_E_ARGUMENT, "-selected \"%.40s\": expected two processes", m->selected);
    }
    return HSC_OK;
}

/* Number of machines; host_of[process] in the order in which they come. */
static hsc_status read_hosts(const matrix *m, uint32_t *host_of, uint32_t *hosts, hsc_err *err) {
    const char **names = malloc(((size_t)m->processes + 1) * sizeof *names);
    hsc_status s = names ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u machines", m->processes);
    uint32_t n = 0, last = 0;
    for (uint32_t p = 0; s == HSC_OK && p < m->processes; p++) {
        hsc_db_process facts;
        if ((s = hsc_db_get_process(m->w.db->db, p, &facts, err)) != HSC_OK)
            break;
        if (!n || strcmp(names[last], facts.host)) { /* neighbours are mostly on one machine */
            for (last = 0; last < n && strcmp(names[last], facts.host);)
                last++;
            if (last == n)
                names[n++] = facts.host;
        }
        host_of[p] = last;
    }
    free(names);
    *hosts = n;
    return s;
}

static void label_bins(matrix *m) {
    for (uint32_t b = 0; b < m->bins; b++) {
        char a[32] = "", z[32] = "";
        hsc_db_process p;
        if (m->by_host && !hsc_db_get_process(m->w.db->db, m->first[b], &p, NULL)) {
            char clean[64];
            snprintf(m->labels[b], sizeof m->labels[b], "%.60s", hsc_text_clean(p.host, clean, sizeof clean));
        } else {
            hsc_handle_label(m->w.db, HSC_AXIS_PROCESS, m->first[b], a, sizeof a);
            hsc_handle_label(m->w.db, HSC_AXIS_PROCESS, m->first[b] + m->count[b] - 1, z, sizeof z);
            if (m->count[b] > 1)
                snprintf(m->labels[b], sizeof m->labels[b], "%s\xe2\x80\x93%s", a, z[0] ? z + 1 : z);
            else
                snprintf(m->labels[b], sizeof m->labels[b], "%s", a);
        }
        m->pointers[b] = m->labels[b];
    }
}

/* Bins: processes, machines, or as many neighbours as have to share a cell. */
static hsc_status group_processes(matrix *m, hsc_err *err) {
    uint32_t room = hsc_matrix_room(&m->w.style, hsw_width(&m->w), hsw_height(&m->w), m->w.scale);
    hsc_status s = read_hosts(m, m->bin_of, &m->hosts, err);
    if (s != HSC_OK)
        return s;
    room = room > HSC_MATRIX_BINS_MAX ? HSC_MATRIX_BINS_MAX : room;
    m->by_host = m->group == GROUP_HOST || (m->group == GROUP_AUTO && m->processes > room && m->hosts > 1);
    uint32_t n = m->by_host ? m->hosts : m->processes;
    m->by_host = m->by_host && n <= room; /* so many machines are neighbours that share cells */
    m->bins = n > room ? room : n;
    if (!m->by_host)
        for (uint32_t p = 0; p < m->processes; p++)
            m->bin_of[p] = (uint32_t)((uint64_t)p * m->bins / m->processes);
    m->count = calloc((size_t)m->bins + 1, sizeof *m->count);
    m->first = calloc((size_t)m->bins + 1, sizeof *m->first);
    m->labels = calloc((size_t)m->bins + 1, sizeof *m->labels);
    m->pointers = calloc((size_t)m->bins + 1, sizeof *m->pointers);
    if (!m->count || !m->first || !m->labels || !m->pointers)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u groups of processes", m->bins);
    for (uint32_t p = 0; p < m->processes; p++)
        if (!m->count[m->bin_of[p]]++)
            m->first[m->bin_of[p]] = p;
    label_bins(m);
    return HSC_OK;
}

/* Values of the quantity between the bins, in `out`; bin_of[process]. */
static hsc_status read_values(const matrix *m, hsc_db *db, const uint32_t *bin_of, double *out, double *total, hsc_err *err) {
    static const hsc_db_between what[] = {HSC_BETWEEN_SENT_BYTES, HSC_BETWEEN_SENT, HSC_BETWEEN_SENT_BYTES, HSC_BETWEEN_WAITING,
                                          HSC_BETWEEN_WAITS};
    size_t cells = (size_t)m->bins * m->bins;
    double *by = m->quantity == SIZE ? calloc(cells + 1, sizeof *by) : NULL;
    if (m->quantity == SIZE && !by)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u x %u cells", m->bins, m->bins);
    hsc_status s = hsc_db_read_matrix(db, what[m->quantity], m->bins, bin_of, out, NULL, err);
    if (s == HSC_OK && by)
        s = hsc_db_read_matrix(db, HSC_BETWEEN_SENT, m->bins, bin_of, by, NULL, err);
    *total = 0;
    for (size_t i = 0; s == HSC_OK && i < cells; i++) {
        *total += out[i];
        if (by)
            out[i] = by[i] > 0 ? out[i] / by[i] : 0;
    }
    free(by);
    return s;
}

/* The changes against the other run, whose processes are told by their place in order; cells that neither has stay empty. */
static hsc_status compare(matrix *m, hsc_err *err) {
    hsc_handle *other = hsc_handle_find(m->w.interp, m->against.other);
    double total;
    if (!other) {
        Tcl_ResetResult(m->w.interp);
        return hsc_err_set(err, HSC_E_ARGUMENT, "-other \"%.60s\": not an open database", m->against.other);
    }
    size_t cells = (size_t)m->bins * m->bins;
    uint32_t n = other->info.processes;
    double *there = calloc(cells + 1, sizeof *there);
    uint32_t *bin_of = malloc(((size_t)n + 1) * sizeof *bin_of);
    hsc_status s = there && bin_of ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u x %u cells", m->bins, m->bins);
    for (uint32_t p = 0; s == HSC_OK && p < n; p++)
        bin_of[p] = p < m->processes ? m->bin_of[p] : HSC_NONE;
    if (s == HSC_OK)
        s = read_values(m, other->db, bin_of, there, &total, err);
    m->maximum = m->least = 0;
    for (size_t i = 0; s == HSC_OK && i < cells; i++) {
        if (!(m->values[i] > 0) && !(there[i] > 0)) {
            m->values[i] = NAN;
            continue;
        }
        m->values[i] = (double)hsw_change(m->against.show, m->values[i], there[i]);
        if (!isinf(m->values[i]) && fabs(m->values[i]) > m->maximum)
            m->maximum = fabs(m->values[i]);
    }
    if (m->against.show == HSW_SHOW_RATIO) /* 1.4 to 16 times, as elsewhere */
        m->maximum = m->maximum < 0.5 ? 0.5 : m->maximum > 4 ? 4 : m->maximum;
    free(there);
    free(bin_of);
    return s;
}

static bool is_waiting(const matrix *m) { return m->quantity == WAITING || m->quantity == WAITS; }

static bool on_diagonal(const matrix *m, size_t cell) { return cell / m->bins == cell % m->bins; }

/* Waits of a process's threads for each other, also of idle ones, would leave no colours for those between processes. */
static void find_span(matrix *m) {
    double apart = 0, within = 0;
    for (size_t i = 0; i < (size_t)m->bins * m->bins; i++) {
        double v = m->values[i] = m->values[i] > 0 ? m->values[i] : NAN;
        double *most = on_diagonal(m, i) ? &within : &apart;
        *most = v > *most ? v : *most;
        if (v > 0 && !(m->least > 0 && m->least <= v))
            m->least = v;
    }
    m->maximum = is_waiting(m) && apart > 0 ? apart : apart > within ? apart : within;
}

static hsc_status prepare(hsw *w, hsc_err *err) {
    matrix *m = (matrix *)w;
    drop(m);
    m->processes = w->db->info.processes;
    if (!m->processes)
        return HSC_OK;
    if (!(m->bin_of = malloc(m->processes * sizeof *m->bin_of)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u processes", m->processes);
    hsc_status s = group_processes(m, err);
    if (s != HSC_OK)
        return s;
    size_t cells = (size_t)m->bins * m->bins;
    m->values = calloc(cells + 1, sizeof *m->values);
    if (!m->values)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u x %u cells", m->bins, m->bins);
    if (s == HSC_OK)
        s = read_values(m, w->db->db, m->bin_of, m->values, &m->total, err);
    for (size_t i = 0; s == HSC_OK && i < cells; i++)
        m->within += on_diagonal(m, i) && m->values[i] > 0 ? m->values[i] : 0;
    if (s == HSC_OK && hsw_comparing(&m->against))
        s = compare(m, err);
    else if (s == HSC_OK)
        find_span(m);
    if (m->cursor_row >= (int)m->bins || m->cursor_column >= (int)m->bins)
        m->cursor_row = m->cursor_column = -1;
    return s;
}

static int bin_of(const matrix *m, int process) {
    return process >= 0 && (uint32_t)process < m->processes && m->bin_of ? (int)m->bin_of[process] : -1;
}

static void paint(hsw *w, hsc_canvas *c) {
    matrix *m = (matrix *)w;
    if (!w->db || !m->values)
        return;
    bool waiting = is_waiting(m);
    hsc_matrix_frame f = {.bins = m->bins, .values = m->values, .least = m->least, .maximum = m->maximum, .colours = (enum hsc_colours)m->colours,
                          .scaling = (enum hsc_scaling)m->scaling, .labels = m->pointers, .down = waiting ? "who waited" : "from",
                          .across = waiting ? "for whom" : "to", .selected_row = bin_of(m, m->selected_row),
                          .selected_column = bin_of(m, m->selected_column), .mark_row = bin_of(m, m->mark),
                          .mark_column = bin_of(m, m->mark), .change = hsw_comparing(&m->against), .ratio = m->against.show == HSW_SHOW_RATIO,
                          .unit = m->quantity == WAITING ? HSC_UNIT_SECONDS : m->quantity == BYTES || m->quantity == SIZE ? HSC_UNIT_BYTES : HSC_UNIT_NONE};
    hsc_paint_matrix(c, &w->style, &f);
}

static bool cell_at(const matrix *m, int x, int y, int *row, int *column) {
    if (!m->bins || !m->values)
        return false;
    hsc_matrix_place p = hsc_matrix_layout(&m->w.style, hsw_width(&m->w), hsw_height(&m->w), m->w.scale, m->bins, m->pointers);
    if (x < p.x || y < p.y || x >= p.x + p.w || y >= p.y + p.h)
        return false;
    *row = (int)((int64_t)(y - p.y) * m->bins / p.h) + 1;
    *column = (int)((int64_t)(x - p.x) * m->bins / p.w) + 1;
    *row = *row < (int)m->bins ? *row : (int)m->bins - 1;
    *column = *column < (int)m->bins ? *column : (int)m->bins - 1;
    while (*row > 0 && p.y + (int)((int64_t)p.h * *row / m->bins) > y)
        --*row;
    while (*column > 0 && p.x + (int)((int64_t)p.w * *column / m->bins) > x)
        --*column;
    return true;
}

static Tcl_Obj *cell_dict(const matrix *m, int row, int column) {
    double v = m->values[(size_t)row * m->bins + (size_t)column];
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "row", Tcl_NewWideIntObj(row));
    hsc_tcl_put(d, "column", Tcl_NewWideIntObj(column));
    hsc_tcl_put(d, "from", Tcl_NewStringObj(m->labels[row], -1));
    hsc_tcl_put(d, "to", Tcl_NewStringObj(m->labels[column], -1));
    hsc_tcl_put(d, "process", Tcl_NewWideIntObj(m->first[row]));
    hsc_tcl_put(d, "partner", Tcl_NewWideIntObj(m->first[column]));
    hsc_tcl_put(d, "value", v == v ? Tcl_NewDoubleObj(v) : Tcl_NewObj());
    return d;
}

static Tcl_Obj *hit(hsw *w, int x, int y) {
    int row, column;
    return w->db && cell_at((matrix *)w, x, y, &row, &column) ? cell_dict((matrix *)w, row, column) : NULL;
}

static void pick(matrix *m, int row, int column) {
    m->cursor_row = row;
    m->cursor_column = column;
    hsw_send(&m->w, "<<MatrixPick>>", cell_dict(m, row, column));
}

static bool press(hsw *w, int x, int y, int state) {
    int row, column;
    (void)state;
    if (w->db && cell_at((matrix *)w, x, y, &row, &column))
        pick((matrix *)w, row, column);
    return true;
}

static bool move(hsw *w, int rows, int columns, bool extend, bool page) {
    matrix *m = (matrix *)w;
    (void)extend;
    if (!m->values || !m->bins)
        return true;
    int last = (int)m->bins - 1, by = page ? (last / 8 > 1 ? last / 8 : 1) : 1;
    int64_t r = m->cursor_row < 0 ? bin_of(m, m->selected_row) : m->cursor_row, c = m->cursor_column < 0 ? bin_of(m, m->selected_column) : m->cursor_column;
    r = (r < 0 ? 0 : r) + (int64_t)rows * by;
    c = (c < 0 ? 0 : c) + (int64_t)columns * by;
    pick(m, r < 0 ? 0 : r > last ? last : (int)r, c < 0 ? 0 : c > last ? last : (int)c);
    return true;
}

static bool open_cell(hsw *w, int x, int y) {
    matrix *m = (matrix *)w;
    int row = m->cursor_row, column = m->cursor_column;
    if (m->values && (x < 0 ? row >= 0 && column >= 0 : cell_at(m, x, y, &row, &column)))
        hsw_send(w, "<<HeatscopeOpen>>", cell_dict(m, row, column));
    return true;
}

/* The cell with the largest value; apart: none on the diagonal. -1: there is none. */
static int64_t largest(const matrix *m, bool apart) {
    int64_t best = -1;
    for (size_t i = 0; m->values && i < (size_t)m->bins * m->bins; i++)
        if (!isnan(m->values[i]) && !(apart && on_diagonal(m, i)) && !(best >= 0 && fabs(m->values[best]) >= fabs(m->values[i])))
            best = (int64_t)i;
    return best;
}

static int command_of(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    matrix *m = (matrix *)w;
    int bin;
    if (!strcmp(name, "layout") && objc == 2) {
        Tcl_Obj *d = Tcl_NewDictObj();
        hsc_tcl_put(d, "bins", Tcl_NewWideIntObj(m->bins));
        hsc_tcl_put(d, "processes", Tcl_NewWideIntObj(m->processes));
        hsc_tcl_put(d, "hosts", Tcl_NewWideIntObj(m->hosts));
        hsc_tcl_put(d, "group", Tcl_NewStringObj(m->by_host ? "host" : m->bins < m->processes ? "range" : "process", -1));
        hsc_tcl_put(d, "least", Tcl_NewDoubleObj(m->least));
        hsc_tcl_put(d, "maximum", Tcl_NewDoubleObj(m->maximum));
        hsc_tcl_put(d, "total", Tcl_NewDoubleObj(m->total));
        hsc_tcl_put(d, "within", Tcl_NewDoubleObj(m->within));
        Tcl_SetObjResult(interp, d);
        return TCL_OK;
    }
    if (!strcmp(name, "largest") && objc == 2) { /* the cell with the largest value: of waiting, between different processes if there is one */
        int64_t best = is_waiting(m) ? largest(m, true) : -1;
        best = best < 0 ? largest(m, false) : best;
        if (best >= 0)
            Tcl_SetObjResult(interp, cell_dict(m, (int)(best / m->bins), (int)(best % m->bins)));
        return TCL_OK;
    }
    if (!strcmp(name, "processes") && objc == 3) { /* of a bin */
        if (hsw_get_int(interp, objv[2], &bin) != TCL_OK)
            return TCL_ERROR;
        Tcl_Obj *list = Tcl_NewListObj(0, NULL);
        for (uint32_t p = 0; p < m->processes && m->values; p++)
            if (bin >= 0 && m->bin_of[p] == (uint32_t)bin)
                Tcl_ListObjAppendElement(NULL, list, Tcl_NewWideIntObj(p));
        Tcl_SetObjResult(interp, list);
        return TCL_OK;
    }
    if (!strcmp(name, "bbox") && objc == 4) { /* of the cell of two processes: {x y w h} */
        int row, column;
        if (hsw_get_int(interp, objv[2], &row) != TCL_OK || hsw_get_int(interp, objv[3], &column) != TCL_OK)
            return TCL_ERROR;
        row = bin_of(m, row);
        column = bin_of(m, column);
        if (row < 0 || column < 0 || !m->values)
            return TCL_OK;
        hsc_matrix_place p = hsc_matrix_layout(&w->style, hsw_width(w), hsw_height(w), w->scale, m->bins, m->pointers);
        int64_t x = p.x + (int64_t)p.w * column / m->bins, y = p.y + (int64_t)p.h * row / m->bins;
        Tcl_Obj *box[4] = {Tcl_NewWideIntObj(x), Tcl_NewWideIntObj(y), Tcl_NewWideIntObj(p.x + (int64_t)p.w * (column + 1) / m->bins - x),
                           Tcl_NewWideIntObj(p.y + (int64_t)p.h * (row + 1) / m->bins - y)};
        Tcl_SetObjResult(interp, Tcl_NewListObj(4, box));
        return TCL_OK;
    }
    return TCL_CONTINUE;
}

static void describe(hsw *w, Tcl_Obj *text) {
    matrix *m = (matrix *)w;
    unsigned told = 0;
    if (!m->values) {
        Tcl_AppendToObj(text, "matrix: no processes\n", -1);
        return;
    }
    Tcl_AppendPrintfToObj(text, "%s%s, %u x %u, maximum %.6g\n", quantity_names[m->quantity],
                          !hsw_comparing(&m->against) ? "" : m->against.show == HSW_SHOW_RATIO ? ", logarithm of the ratio" : ", difference", m->bins, m->bins, m->maximum);
    for (uint32_t r = 0; r < m->bins; r++)
        for (uint32_t c = 0; c < m->bins && told < 4000; c++) {
            double v = m->values[(size_t)r * m->bins + c];
            if (v == v && ++told)
                Tcl_AppendPrintfToObj(text, "%s\t%s\t%.6g\n", m->labels[r], m->labels[c], v);
        }
}

const hsw_class hsw_matrix_class = {
    .command = "matrix", .tk_class = "HeatscopeMatrix", .size = sizeof(matrix), .options = options, .init = init, .changed = changed,
    .fini = fini, .prepare = prepare, .paint = paint, .hit = hit, .describe = describe, .command_of = command_of, .press = press,
    .move = move, .open = open_cell, .usage = "layout largest processes bbox"};
