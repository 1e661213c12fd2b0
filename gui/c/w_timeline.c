/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::timeline: processors x time by category, procedure or innermost scope. */
#include "w_timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

static const char *const key_names[] = {"category", "procedure", "scope", NULL};

static const Tk_OptionSpec options[] = {
    HSW_O_TEXT(timeline, "-columns", columns, "", HSW_DATA),
    HSW_O_ENUM(timeline, "-sort", sort, "number", hsw_sort_names, HSW_DATA),
    HSW_O_ENUM(timeline, "-key", key, "category", key_names, HSW_DATA),
    HSW_O_TEXT(timeline, "-view", view, "", HSW_DATA),
    HSW_O_TEXT(timeline, "-interval", interval, "", HSW_PAINT),
    HSW_O_INT(timeline, "-minrow", min_row, "5", HSW_DATA),
    HSW_O_BOOL(timeline, "-spans", show_spans, "1", HSW_DATA),
    HSW_O_INT(timeline, "-mark", mark, "-1", HSW_PAINT),
    HSW_O_TEXT(timeline, "-beside", beside, "", HSW_PAINT),
    HSW_OPTIONS_END};

static bool get_pair(const char *text, double *a, double *b) {
    char end;
    *a = *b = 0;
    if (!text || !text[0])
        return true;
    return sscanf(text, "%lf %lf %c", a, b, &end) == 2 && isfinite(*a) && isfinite(*b) && *a < *b;
}

static hsc_status changed(hsw *w, hsc_err *err) {
    timeline *t = (timeline *)w;
    if (!get_pair(t->view, &t->view_begin, &t->view_end))
        return hsc_err_set(err, HSC_E_ARGUMENT, "-view \"%.40s\": expected two times in seconds, rising", t->view);
    if (!get_pair(t->interval, &t->interval_begin, &t->interval_end))
        return hsc_err_set(err, HSC_E_ARGUMENT, "-interval \"%.40s\": expected two times in seconds, rising", t->interval);
    if (!w->db) { /* names are the database's; another one may come to stand where it stood */
        t->n_phases = 0;
        t->phases_db = t->ranked_db = NULL;
    }
    return w->db && t->axis.columns ? hsw_timeline_read_phases(t, err) : HSC_OK;
}

static void init(hsw *w) {
    ((timeline *)w)->ranked_key = -1;
}

static void fini(hsw *w) {
    timeline *t = (timeline *)w;
    hsc_axis_fini(&t->axis);
    free(t->slots);
    hsw_timeline_free_spans(t);
    free(t->labels);
    free(t->names);
    free(t->pointers);
    free(t->phases);
}

/* The timeline of -beside; NULL: none. */
static timeline *beside(const timeline *t) {
    Tcl_CmdInfo mine, info;
    if (!t->beside || !t->beside[0] || !Tcl_GetCommandInfo(t->w.interp, t->beside, &info) || !Tcl_GetCommandInfoFromToken(t->w.command, &mine) ||
        info.objProc != mine.objProc)
        return NULL; /* no widget of ours */
    hsw *o = info.objClientData;
    return o == &t->w || o->cls != t->w.cls || (o->flags & HSW_GONE) ? NULL : (timeline *)o;
}

/* What fills a row: the same in two that stand beside each other, that their heights can be compared. */
static double top_of(const timeline *t) {
    const timeline *o = beside(t);
    return o && o->w.db && !o->absent && o->busy_top > t->busy_top ? o->busy_top : t->busy_top;
}

/* For a picture at once the other one's slots are read first where they are due: they may ask for another height. */
static void complete(hsw *w) {
    timeline *t = (timeline *)w, *o = w->at_once ? beside(t) : NULL;
    if (!o || t->looks || o->looks || !(o->w.flags & HSW_DATA))
        return;
    t->looks = true;
    hsw_draw(&o->w);
    t->looks = false;
}

static hsc_status prepare(hsw *w, hsc_err *err) {
    timeline *t = (timeline *)w;
    hsc_db_times times;
    hsc_db_metric metric;
    double now = hsw_now_ms();
    bool open = false;
    int rows = hsw_height(w) / (t->min_row > 0 ? t->min_row : 1);
    hsc_status s = hsw_axis(w, t->columns, t->sort, rows > 1 ? (uint32_t)rows : 1, &t->axis, err);
    t->absent = true;
    while (s == HSC_OK && !open) /* of many samples it takes a while */
        if ((s = hsc_db_open_times(w->db->db, &open, err)) == HSC_OK && !open)
            s = hsw_later(w, now, err);
    if (s != HSC_OK || (s = hsc_db_get_times(w->db->db, &times, err)) != HSC_OK ||
        (s = hsc_db_get_metric(w->db->db, 0, &metric, err)) != HSC_OK)
        return s;
    if (!times.present || !t->axis.bins)
        return HSC_OK;
    free(t->labels);
    free(t->pointers);
    t->labels = calloc((size_t)t->axis.bins + 1, sizeof *t->labels);
    t->pointers = calloc((size_t)t->axis.bins + 1, sizeof *t->pointers);
    if (!t->labels || !t->pointers)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u labels", t->axis.bins);
    for (uint32_t b = 0; b < t->axis.bins; b++) {
        hsc_handle_label(w->db, (hsc_db_axis)w->axis, t->axis.order[t->axis.start[b]], t->labels[b], sizeof t->labels[b]);
        t->pointers[b] = t->labels[b];
    }
    t->run_end = times.end_s;
    t->period = metric.scale;
    t->begin = t->view_begin < t->view_end ? t->view_begin : 0;
    t->end = t->view_begin < t->view_end ? t->view_end : times.end_s;
    t->slots_n = hsw_width(w) > 20 ? (uint32_t)hsw_width(w) : 20; /* a little more than the pixels of the plot */
    if ((s = hsw_timeline_rank_keys(t, err)) != HSC_OK || (s = hsw_timeline_read_slots(t, err)) != HSC_OK)
        return s;
    double before = t->busy_top;
    hsw_timeline_choose_top(t);
    t->absent = false;
    timeline *o = t->busy_top < before || t->busy_top > before ? beside(t) : NULL;
    if (o)
        hsw_schedule(&o->w, HSW_PAINT);
    t->rows_drawn = t->rows_read;
    return hsw_timeline_read_phases(t, err);
}

static hsc_timeline_frame frame_of(const timeline *t) {
    int mark = -1;
    if (t->mark >= 0 && (uint32_t)t->mark < t->axis.columns && t->axis.bin_of[t->mark] != UINT32_MAX)
        mark = (int)t->axis.bin_of[t->mark];
    int first = -1, last = -1; /* rows of the process alone that the phases are of */
    for (uint32_t r = 0; t->n_phases && r < t->axis.bins; r++)
        if (hsw_timeline_process_of(t, t->axis.order[t->axis.start[r]]) == t->phases_process &&
            hsw_timeline_process_of(t, t->axis.order[t->axis.start[r + 1] - 1]) == t->phases_process) {
            first = first < 0 ? (int)r : first;
            last = (int)r;
        }
    return (hsc_timeline_frame){.rows = t->axis.bins, .slots_n = t->slots_n, .slots = t->slots, .spans = t->spans, .labels = t->pointers,
                                .begin = t->begin, .end = t->end, .interval_begin = t->interval_begin, .interval_end = t->interval_end,
                                .drag_begin = fmin(t->drag_from, t->drag_to), .drag_end = fmax(t->drag_from, t->drag_to),
                                .n_keys = t->n_keys, .keys = t->keys, .busy_top = top_of(t), .mark = mark,
                                .n_phases = t->n_phases, .phases = t->phases, .phases_of = t->phases_of,
                                .phases_first = first, .phases_last = first >= 0 && (t->sort == 0 || last == first) ? last : first};
}

/* A word where nothing is drawn: a run without samples, and without waits and messages of a trace. */
static bool says_empty(const timeline *t) { return t->w.db && !t->w.db->info.samples && !t->spans; }

static void paint(hsw *w, hsc_canvas *c) {
    timeline *t = (timeline *)w;
    if (!w->db)
        return;
    if (t->absent) {
        hsc_canvas_text_fit(c, w->style.font, c->width / 2.0, c->height / 2.0, c->width - 20, HSC_CENTRE, w->style.colour[HSC_P_muted],
                            "This database has no samples by time; heatscope correlate makes one that has.");
        return;
    }
    for (uint32_t i = 0; i < t->n_keys; i++) /* the theme may have changed since they were made */
        if (t->keys[i].key == HSC_NONE || t->keys[i].key == HSC_TIMELINE_NOTE)
            continue;
        else if (t->keys[i].key & HSC_TIMELINE_TINT)
            t->keys[i].colour = hsc_timeline_tint(&w->style, t->keys[i].key & ~HSC_TIMELINE_TINT, 1);
        else if (t->key == HSC_TIMELINE_CATEGORY)
            t->keys[i].colour = hsc_style_category(&w->style, t->keys[i].key);
    hsc_timeline_frame f = frame_of(t);
    hsc_paint_timeline(c, &w->style, &f);
    if (says_empty(t)) {
        hsc_timeline_layout l;
        hsc_timeline_layout_get(c, &w->style, &f, &l);
        hsc_canvas_text_fit(c, w->style.font, l.x + l.width / 2.0, l.y + l.height / 2.0, l.width, HSC_CENTRE, w->style.colour[HSC_P_muted], "no samples in this run");
    }
    if (t->rows_read < t->axis.bins || (t->spans && t->spans_rows < t->axis.bins))
        hsc_paint_timeline_progress(c, &w->style, &f, t->rows_read < t->axis.bins ? t->rows_read : t->spans_rows);
}

/* ---- pointer ---- */

static hsc_timeline_layout layout_of(const timeline *t) {
    hsc_timeline_layout l;
    hsc_timeline_frame f = frame_of(t);
    hsc_timeline_layout_get(&t->w.surface.canvas, &t->w.style, &f, &l);
    return l;
}

static double time_at(const timeline *t, const hsc_timeline_layout *l, int x) {
    double at = t->begin + (t->end - t->begin) * (x - l->x) / l->width;
    return at < t->begin ? t->begin : at > t->end ? t->end : at;
}

static Tcl_Obj *cell_dict(const timeline *t, uint32_t row, uint32_t slot) {
    const hsc_db_slot *s = &t->slots[(size_t)row * t->slots_n + slot];
    double width = (t->end - t->begin) / t->slots_n;
    Tcl_Obj *d = Tcl_NewDictObj();
    char name[256] = "";
    hsc_tcl_put(d, "part", Tcl_NewStringObj("slot", -1));
    hsc_tcl_put(d, "row", Tcl_NewWideIntObj(row));
    hsc_tcl_put(d, "column", Tcl_NewWideIntObj(t->axis.order[t->axis.start[row]]));
    hsc_tcl_put(d, "last", Tcl_NewWideIntObj(t->axis.order[t->axis.start[row + 1] - 1]));
    hsc_tcl_put(d, "from", Tcl_NewDoubleObj(t->begin + slot * width));
    hsc_tcl_put(d, "to", Tcl_NewDoubleObj(t->begin + (slot + 1) * width));
    if (s->key != HSC_NONE)
        hsw_timeline_name_key(t, s->key, name, sizeof name);
    hsc_tcl_put(d, "key", hsc_tcl_index(s->key));
    hsc_tcl_put(d, "name", hsc_tcl_text(name, strlen(name)));
    hsc_tcl_put(d, "share", Tcl_NewDoubleObj((double)s->share));
    hsc_tcl_put(d, "busy", Tcl_NewDoubleObj((double)s->busy));
    const hsc_timeline_span *span = t->spans ? &t->spans[(size_t)row * t->slots_n + slot] : NULL;
    const char *category = span && span->part ? hsc_db_get_category(t->w.db->db, span->category) : NULL;
    hsc_tcl_put(d, "waiting", Tcl_NewDoubleObj(span ? span->part / 255.0 : 0));
    hsc_tcl_put(d, "waiting_for", hsc_tcl_text(category ? category : "", category ? strlen(category) : 0));
    return d;
}

/* The phase that is drawn at a place: the first that begins in its pixels. */
static const hsc_timeline_phase *phase_at(const timeline *t, const hsc_timeline_layout *l, int x, int y) {
    if (!t->n_phases || x < l->x || x >= l->x + l->width || y < l->phase_y || y >= l->phase_y + l->phase_height)
        return NULL;
    double at = time_at(t, l, x), next = time_at(t, l, x + 1);
    for (uint32_t i = 0; i < t->n_phases; i++)
        if (t->phases[i].begin < next && t->phases[i].end > at)
            return &t->phases[i];
    return NULL;
}

static Tcl_Obj *phase_dict(const timeline *t, const hsc_timeline_phase *p) {
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "part", Tcl_NewStringObj("phase", -1));
    hsc_tcl_put(d, "name", hsc_tcl_text(p->name, strlen(p->name)));
    hsc_tcl_put(d, "of", hsc_tcl_text(t->phases_of, strlen(t->phases_of)));
    hsc_tcl_put(d, "from", Tcl_NewDoubleObj(p->begin));
    hsc_tcl_put(d, "to", Tcl_NewDoubleObj(p->end));
    return d;
}

static Tcl_Obj *hit(hsw *w, int x, int y) {
    timeline *t = (timeline *)w;
    if (!w->db || t->absent)
        return NULL;
    hsc_timeline_layout l = layout_of(t);
    const hsc_timeline_phase *phase = phase_at(t, &l, x, y);
    if (phase)
        return phase_dict(t, phase);
    if (x < l.x || x >= l.x + l.width || y < l.y || y >= l.y + l.height)
        return NULL;
    uint32_t slot = (uint32_t)((int64_t)(x - l.x) * t->slots_n / l.width), row = 0;
    while (row + 1 < t->axis.bins && hsc_timeline_row_y(&l, t->axis.bins, row + 1) <= y)
        row++;
    return cell_dict(t, row, slot < t->slots_n ? slot : t->slots_n - 1);
}

static void send_view(hsw *w, double from, double to, const char *event) {
    timeline *t = (timeline *)w;
    double length = to - from, least = 20 * 1e-6;
    length = length < least ? least : length;
    length = length > t->run_end ? t->run_end : length;
    if (from < 0)
        from = 0;
    if (from + length > t->run_end)
        from = t->run_end - length;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "from", Tcl_NewDoubleObj(from));
    hsc_tcl_put(d, "to", Tcl_NewDoubleObj(from + length));
    hsw_send(w, event, d);
}

static bool press(hsw *w, int x, int y, int state) {
    timeline *t = (timeline *)w;
    (void)y;
    (void)state;
    if (!w->db || t->absent)
        return true;
    hsc_timeline_layout l = layout_of(t);
    t->drag_from = t->drag_to = time_at(t, &l, x);
    return true;
}

static bool drag(hsw *w, int x, int y, int state) {
    timeline *t = (timeline *)w;
    (void)y;
    (void)state;
    if (!w->db || t->absent)
        return true;
    hsc_timeline_layout l = layout_of(t);
    t->drag_to = time_at(t, &l, x);
    hsw_schedule(w, HSW_PAINT);
    return true;
}

static bool release(hsw *w, int x, int y, int state) {
    timeline *t = (timeline *)w;
    (void)state;
    double a = fmin(t->drag_from, t->drag_to), b = fmax(t->drag_from, t->drag_to);
    t->drag_from = t->drag_to = 0;
    if (!w->db || t->absent)
        return true;
    hsw_schedule(w, HSW_PAINT);
    if (w->dragged && a < b) {
        send_view(w, a, b, "<<TimelineRange>>");
        return true;
    }
    hsc_timeline_layout l = layout_of(t);
    const hsc_timeline_phase *phase = w->dragged ? NULL : phase_at(t, &l, x, y);
    Tcl_Obj *d = w->dragged ? NULL : hit(w, x, y);
    if (d)
        hsw_send(w, phase ? "<<TimelineRange>>" : "<<TimelinePick>>", d);
    return true;
}

/* Double click or Return: the application looks at the interval, or at the whole run again. */
static bool open_timeline(hsw *w, int x, int y) {
    timeline *t = (timeline *)w;
    Tcl_Obj *d = w->db && !t->absent ? hit(w, x, y) : NULL;
    if (!d) {
        d = Tcl_NewDictObj();
        hsc_tcl_put(d, "part", Tcl_NewStringObj("", -1));
    }
    t->drag_from = t->drag_to = 0;
    hsw_send(w, "<<HeatscopeOpen>>", d);
    return true;
}

/* Wheel: nearer or farther at the pointer; with Shift: to the side. */
static bool wheel(hsw *w, int x, int y, int steps, int state) {
    timeline *t = (timeline *)w;
    (void)y;
    if (!w->db || t->absent)
        return true;
    hsc_timeline_layout l = layout_of(t);
    double length = t->end - t->begin, at = time_at(t, &l, x), factor = pow(1.15, steps);
    if (state & ShiftMask)
        send_view(w, t->begin + length * 0.04 * steps, t->end + length * 0.04 * steps, "<<TimelineView>>");
    else
        send_view(w, at - (at - t->begin) * factor, at + (t->end - at) * factor, "<<TimelineView>>");
    return true;
}

/* Left and Right move, Up and Down zoom, Home and End go to the run's ends, PageUp and PageDown by a screen. */
static bool move(hsw *w, int rows, int columns, bool extend, bool page) {
    timeline *t = (timeline *)w;
    double length = t->end - t->begin, middle = (t->begin + t->end) / 2, by = extend ? 0.5 : 0.1;
    if (!w->db || t->absent)
        return true;
    if (columns)
        send_view(w, t->begin + by * length * columns, t->end + by * length * columns, "<<TimelineView>>");
    else if (abs(rows) >= 1000)
        send_view(w, rows < 0 ? 0 : t->run_end - length, rows < 0 ? length : t->run_end, "<<TimelineView>>");
    else if (page)
        send_view(w, t->begin + 0.9 * length * rows, t->end + 0.9 * length * rows, "<<TimelineView>>");
    else if (rows)
        send_view(w, middle - length / 2 * (rows < 0 ? 1 / 1.4 : 1.4), middle + length / 2 * (rows < 0 ? 1 / 1.4 : 1.4), "<<TimelineView>>");
    return true;
}

/* What is drawn as rows {PROCESSOR FROM TO NAME BUSY WAITING}: neighbours of the same name are one, BUSY and WAITING their mean. */
static Tcl_Obj *slot_rows(const timeline *t) {
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    double width = (t->end - t->begin) / (t->slots_n ? t->slots_n : 1);
    for (uint32_t r = 0; t->w.db && !t->absent && r < t->axis.bins; r++) {
        const hsc_db_slot *s = &t->slots[(size_t)r * t->slots_n];
        const hsc_timeline_span *spans = t->spans ? &t->spans[(size_t)r * t->slots_n] : NULL;
        for (uint32_t i = 0, k; i < t->slots_n; i = k) {
            double busy = 0, waiting = 0;
            for (k = i; k < t->slots_n && s[k].key == s[i].key; k++) {
                busy += (double)s[k].busy;
                waiting += spans ? spans[k].part / 255.0 : 0;
            }
            char key[256] = "";
            if (s[i].key != HSC_NONE)
                hsw_timeline_name_key(t, s[i].key, key, sizeof key);
            Tcl_Obj *row[] = {Tcl_NewStringObj(t->labels[r], -1), Tcl_NewDoubleObj(t->begin + i * width), Tcl_NewDoubleObj(t->begin + k * width),
                              hsc_tcl_text(key, strlen(key)), Tcl_NewDoubleObj(busy / (k - i)), Tcl_NewDoubleObj(waiting / (k - i))};
            Tcl_ListObjAppendElement(NULL, list, Tcl_NewListObj(6, row));
        }
    }
    return list;
}

static int command_of(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    timeline *t = (timeline *)w;
    (void)objv;
    if (!strcmp(name, "slots") && objc == 2) {
        hsw_draw(w);
        Tcl_SetObjResult(interp, slot_rows(t));
        return TCL_OK;
    }
    if (!strcmp(name, "drawn") && objc == 2) {
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(t->absent ? 0 : t->rows_drawn));
        return TCL_OK;
    }
    if (strcmp(name, "range") || objc != 2)
        return TCL_CONTINUE;
    hsw_draw(w);
    Tcl_Obj *d = Tcl_NewDictObj();
    if (w->db && !t->absent) {
        hsc_timeline_layout l = layout_of(t);
        hsc_tcl_put(d, "from", Tcl_NewDoubleObj(t->begin));
        hsc_tcl_put(d, "to", Tcl_NewDoubleObj(t->end));
        hsc_tcl_put(d, "end", Tcl_NewDoubleObj(t->run_end));
        hsc_tcl_put(d, "rows", Tcl_NewWideIntObj(t->axis.bins));
        hsc_tcl_put(d, "spans", Tcl_NewWideIntObj((Tcl_WideInt)t->spans_n));
        hsc_tcl_put(d, "top", Tcl_NewDoubleObj(top_of(t)));
        hsc_tcl_put(d, "x", Tcl_NewWideIntObj(l.x));
        hsc_tcl_put(d, "y", Tcl_NewWideIntObj(l.y));
        hsc_tcl_put(d, "width", Tcl_NewWideIntObj(l.width));
        hsc_tcl_put(d, "height", Tcl_NewWideIntObj(l.height));
    }
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

static void describe(hsw *w, Tcl_Obj *text) {
    timeline *t = (timeline *)w;
    if (!w->db || t->absent) {
        Tcl_AppendToObj(text, "timeline: no samples by time\n", -1);
        return;
    }
    char line[400];
    snprintf(line, sizeof line, "timeline by %s, %.6g s to %.6g s of %.6g s, %u rows\n", key_names[t->key], t->begin, t->end, t->run_end, t->axis.bins);
    Tcl_AppendToObj(text, line, -1);
    if (says_empty(t))
        Tcl_AppendToObj(text, "no samples in this run\n", -1);
    if (top_of(t) < 1)
        Tcl_AppendPrintfToObj(text, "row height: %.3g %% of a processor\n", 100 * top_of(t));
    if (t->interval_begin < t->interval_end) {
        snprintf(line, sizeof line, "interval %.6g s to %.6g s\n", t->interval_begin, t->interval_end);
        Tcl_AppendToObj(text, line, -1);
    }
    for (uint32_t i = 0; i < t->n_phases && i < 64; i++) {
        char name[200];
        snprintf(line, sizeof line, "phase %.200s of %s: %.6g s to %.6g s\n", hsc_text_clean(t->phases[i].name, name, sizeof name), t->phases_of,
                 t->phases[i].begin, t->phases[i].end);
        Tcl_AppendToObj(text, line, -1);
    }
    for (uint32_t k = 0; k < t->n_keys; k++) {
        snprintf(line, sizeof line, "%s %s\n", t->keys[k].name, t->keys[k].share);
        Tcl_AppendToObj(text, line, -1);
    }
    for (uint32_t r = 0; r < t->axis.bins && r < 64; r++) { /* what leads, and how busy */
        double busy = 0;
        uint32_t switches = 0, last = HSC_NONE;
        for (uint32_t i = 0; i < t->slots_n; i++) {
            const hsc_db_slot *s = &t->slots[(size_t)r * t->slots_n + i];
            busy += (double)s->busy;
            switches += s->key != last && i;
            last = s->key;
        }
        snprintf(line, sizeof line, "%s: busy %.1f %%, changes %u time%s\n", t->labels[r], 100 * busy / t->slots_n, switches, switches == 1 ? "" : "s");
        Tcl_AppendToObj(text, line, -1);
    }
}

const hsw_class hsw_timeline_class = {
    .command = "timeline", .tk_class = "HeatscopeTimeline", .size = sizeof(timeline), .options = options, .init = init, .changed = changed,
    .fini = fini, .prepare = prepare, .complete = complete, .paint = paint, .hit = hit, .describe = describe, .command_of = command_of,
    .press = press, .drag = drag, .release = release, .open = open_timeline, .wheel = wheel, .move = move, .usage = "range slots drawn"};
