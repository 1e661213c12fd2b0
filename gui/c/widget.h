/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The one custom widget: window, options, buffer, lazy redraw, events. What it shows is a class of functions. */
#ifndef HSC_GUI_WIDGET_H
#define HSC_GUI_WIDGET_H

#include "surface.h"

#include <stddef.h>

#include "axis.h"
#include "handle.h"
#include "paint.h"

enum { HSW_DATA = 1, HSW_PAINT = 2, HSW_IDLE = 4, HSW_GONE = 8, HSW_FOCUSED = 16 };

typedef struct hsw hsw;
struct hsw_shared;

typedef struct hsw_class {
    const char *command;  /* without ::heatscope:: */
    const char *tk_class;
    size_t size;          /* of its record, which begins with an hsw */
    const Tk_OptionSpec *options;
    const char *pick_event; /* sent on a press with what hit gives; NULL none */
    /* All may be NULL. */
    void (*init)(hsw *w);                    /* record is zeroed, options not set yet */
    hsc_status (*changed)(hsw *w, hsc_err *err); /* options were set */
    void (*fini)(hsw *w);
    hsc_status (*prepare)(hsw *w, hsc_err *err); /* data for the picture; only called with a database */
    void (*forget)(hsw *w);                  /* what was read is of no use, and the widget is not in sight: may free what is large */
    void (*complete)(hsw *w);                /* before painting: asks the application, and so runs scripts */
    void (*paint)(hsw *w, hsc_canvas *c);    /* prepared, with or without a database */
    void (*marks)(hsw *w, hsc_canvas *c);    /* over what paint drew, which changes with HSW_DATA only and is kept */
    Tcl_Obj *(*hit)(hsw *w, int x, int y);   /* NULL: nothing */
    void (*describe)(hsw *w, Tcl_Obj *text);
    /* further commands; TCL_CONTINUE: not mine. objv[1] is the name. */
    int (*command_of)(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]);
    /* pointer and keys; true: done, no default action */
    bool (*press)(hsw *w, int x, int y, int state);
    bool (*drag)(hsw *w, int x, int y, int state);
    bool (*release)(hsw *w, int x, int y, int state);
    bool (*open)(hsw *w, int x, int y);      /* double click, or Return with x = -1 */
    bool (*wheel)(hsw *w, int x, int y, int steps, int state); /* negative: up */
    bool (*move)(hsw *w, int rows, int columns, bool extend, bool page);
    const char *usage;
} hsw_class;

struct hsw {
    Tk_Window tkwin;
    Display *display;
    Tcl_Interp *interp;
    Tcl_Command command;
    const hsw_class *cls;
    Tk_OptionTable options;
    struct hsw_shared *shared;
    hsw *next, *next_due;
    /* options of every widget */
    char *db_name;
    int width, height;
    Tk_Font tk_font, tk_mono;
    double scale;
    XColor *background, *foreground, *accent;
    Tk_Cursor cursor;
    char *take_focus;
    int metric, axis;
    char *group; /* processors that share a bin: "" as the width allows, a number of them, or host */
    /* state */
    hsc_handle *db;
    unsigned flags;
    hsc_surface surface;
    struct { /* what paint drew, without marks; pixels NULL: to be drawn */
        uint32_t *pixels;
        int width, height;
        hsc_rgb colour[HSC_P_COUNT];
    } base;
    hsc_font fonts[4]; /* font, small, mono, mono_small */
    hsc_style style;
    char error[500];   /* why there is no picture */
    bool waiting;      /* for processors of an interval, which are being counted */
    bool again;        /* prepare has not read all of it yet, and is called once more when events have been looked at: hsw_later */
    bool at_once;      /* it may not */
    bool stop;         /* what is not read yet is not wanted */
    bool stopped;      /* error says so: only what changes the picture, or a click, reads it */
    char *hover;       /* last hover dict sent; malloc'ed */
    int press_x, press_y;
    bool pressed, dragged;
    /* timing */
    unsigned frames;
    double last_ms, total_ms, max_ms;
};

/* Options every class has; put HSW_OPTIONS(chain) last: Tk_OptionSpec ... HSW_OPTIONS_END. */
extern const Tk_OptionSpec hsw_common_options[];
#define HSW_OPTIONS_END {TK_OPTION_END, NULL, NULL, NULL, NULL, 0, -1, 0, (ClientData)hsw_common_options, 0}
/* typeMask of an option: what it costs to change it */
#define HSW_O_INT(record, name, field, initial, cost) \
    {TK_OPTION_INT, name, NULL, NULL, initial, -1, offsetof(record, field), 0, NULL, cost}
#define HSW_O_BOOL(record, name, field, initial, cost) \
    {TK_OPTION_BOOLEAN, name, NULL, NULL, initial, -1, offsetof(record, field), 0, NULL, cost}
#define HSW_O_DOUBLE(record, name, field, initial, cost) \
    {TK_OPTION_DOUBLE, name, NULL, NULL, initial, -1, offsetof(record, field), 0, NULL, cost}
#define HSW_O_TEXT(record, name, field, initial, cost) \
    {TK_OPTION_STRING, name, NULL, NULL, initial, -1, offsetof(record, field), TK_OPTION_NULL_OK, NULL, cost}
#define HSW_O_ENUM(record, name, field, initial, names, cost) \
    {TK_OPTION_STRING_TABLE, name, NULL, NULL, initial, -1, offsetof(record, field), 0, (ClientData)(names), cost}
#define HSW_O_OBJ(record, name, field, initial, cost) \
    {TK_OPTION_STRING, name, NULL, NULL, initial, offsetof(record, field), -1, TK_OPTION_NULL_OK, NULL, cost}

/* Makes the widget commands of the interpreter. */
int hsw_register(Tcl_Interp *interp, const hsw_class *const *classes);

/* Something changed: HSW_DATA (read again) or HSW_PAINT. Draws at idle. */
void hsw_schedule(hsw *w, unsigned what);
/* Draws now when something is due. */
void hsw_draw(hsw *w);
/* The same, but what would be read later is. */
void hsw_draw_turn(hsw *w);
/* As hsw_draw_turn, and puts it on the screen; of a widget that hsw_shared_due took. */
void hsw_draw_due(hsw *w);
/* For a prepare that has worked since begin_ms (hsw_now_ms): HSC_OK to go on, or, when others should have their turn, HSC_E_PENDING: it
 * keeps what it has, returns that, and is called again. Whoever must know now what is drawn has it go on. */
hsc_status hsw_later(hsw *w, double begin_ms, hsc_err *err);
/* Milliseconds that it works then. */
extern int hsw_turn_ms;
double hsw_now_ms(void);
/* Sends a virtual event with a dict (takes a reference for the time of the call). */
void hsw_send(hsw *w, const char *event, Tcl_Obj *dict);
/* Options were set from C: tells Tk's option record nothing, just redraws. */
hsc_db_view hsw_view(const hsw *w, int table);
/* What was counted or timed exactly is told in its unit, of which a value of 1 is *scale; samples are counts (HSC_UNIT_NONE, 1). */
enum hsc_unit hsw_unit(const hsw *w, double *scale);
void hsw_set_unit(const hsw *w, hsc_colour_scale *scale); /* for a legend */
int hsw_width(const hsw *w);
int hsw_height(const hsw *w);
int hsw_linespace(const hsw *w, bool mono);

/* ---- what several classes share ---- */

/* Options of heat-like pictures. */
typedef struct hsw_heatlike {
    int table, reduce, colours, scaling, normalise;
    char *columns;
    int sort;
} hsw_heatlike;
extern const char *const hsw_sort_names[], *const hsw_normalise_names[];
enum { HSW_NORMALISE_PROGRAM, HSW_NORMALISE_FILE, HSW_NORMALISE_ROW };

/* Axis for a class's -columns and -sort. */
hsc_status hsw_axis(hsw *w, const char *columns, int sort, uint32_t max_bins, hsc_axis *out, hsc_err *err);
/* Largest bin value of table rows [lo, hi) in the axis's bins; remembered for the program by the handle's owner. */
hsc_status hsw_maximum(hsw *w, hsc_db_view view, int reduce, const hsc_axis *axis, uint32_t lo, uint32_t hi, double *out,
                       hsc_err *err);
/* Which column of a bin has the largest value in a row. */
hsc_status hsw_hottest_column(hsw *w, hsc_db_view view, const hsc_axis *axis, uint32_t row, uint32_t bin, uint32_t *column,
                              double *value, hsc_err *err);
/* Processor names without the leading letter. */
void hsw_processor(const hsw *w, uint32_t column, char *out, size_t capacity);

/* ---- against another database (w_against.c) ---- */

enum { HSW_SHOW_VALUE, HSW_SHOW_DIFFERENCE, HSW_SHOW_RATIO };
extern const char *const hsw_show_names[];
typedef struct hsw_against {
    char *other; /* handle */
    int show;    /* HSW_SHOW_* */
} hsw_against;
#define HSW_AGAINST_OPTIONS(record, field) \
    HSW_O_TEXT(record, "-other", field.other, "", HSW_DATA), HSW_O_ENUM(record, "-show", field.show, "value", hsw_show_names, HSW_DATA)
bool hsw_comparing(const hsw_against *o);
/* The other database, its metric of the same name, and what one of its counts is in ours. HSC_E_MISSING, HSC_E_ARGUMENT. */
hsc_status hsw_other(hsw *w, const hsw_against *o, hsc_handle **out, uint32_t *metric, double *scale, hsc_err *err);
/* What a change must exceed: 95 % interval of sampled counts; exact ones have none. */
typedef struct hsw_noise {
    bool exact;
    hsc_sampled a, b; /* the runs; a's counts are 1 */
} hsw_noise;
hsc_status hsw_noise_init(hsw_noise *n, hsw *w, hsc_handle *other, uint32_t metric, double scale, hsc_err *err);
bool hsw_within_noise(const hsw_noise *n, double a, double b);
/* b - a, or the binary logarithm of b / a (infinite: only in one of them). */
float hsw_change(int show, double a, double b);
/* As hsc_db_read_bins on this database; when comparing, the change in each bin (of the maxima, or of the sums). noise: NULL, then
 * what is within noise is 0, or an array of the same size: 1 where it is, HSW_NOTHING where neither run has anything. */
enum { HSW_NOTHING = 2 };
hsc_status hsw_read_bins(hsw *w, const hsw_against *o, hsc_db_view view, int reduce, uint32_t n, const uint32_t *lo,
                         const uint32_t *hi, const hsc_axis *axis, float *out, unsigned char *noise, hsc_err *err);
/* Top of the diverging scale for these changes. */
double hsw_change_maximum(int show, const float *v, const unsigned char *noise, size_t n);
/* The same over all lines of the program, in the axis's bins; remembered. */
hsc_status hsw_program_change(hsw *w, const hsw_against *o, hsc_db_view view, int reduce, const hsc_axis *axis, double *out,
                              hsc_err *err);
/* Maxima remembered with the handle; bins: they depend on the axis's bins, else on what it shows only; key: what else they depend on. */
bool hsw_remembered(hsw *w, hsc_db_view view, int reduce, const hsc_axis *axis, bool bins, const void *key, size_t size, double *out);
void hsw_remember(hsw *w, hsc_db_view view, int reduce, const hsc_axis *axis, bool bins, const void *key, size_t size, double value);

/* Row-aligned options. */
typedef struct hsw_rows_options {
    int file, top, row_height, header, y_offset, line, lines;
} hsw_rows_options;
#define HSW_ROWS_OPTIONS(record, field) \
    HSW_O_INT(record, "-file", field.file, "-1", HSW_DATA), HSW_O_INT(record, "-top", field.top, "1", HSW_DATA), \
    HSW_O_INT(record, "-rowheight", field.row_height, "0", HSW_DATA), \
    HSW_O_INT(record, "-header", field.header, "0", HSW_DATA), \
    HSW_O_INT(record, "-yoffset", field.y_offset, "0", HSW_DATA), \
    HSW_O_INT(record, "-line", field.line, "0", HSW_PAINT), HSW_O_INT(record, "-lines", field.lines, "0", HSW_PAINT)
/* What is in view: geometry, table rows, and which table row a visible row is. */
typedef struct hsw_rows {
    hsc_rows rows;
    uint32_t lo, hi;  /* table rows */
    int32_t *index;   /* per visible row: table row - lo, or -1 */
    int capacity;
} hsw_rows;
/* Geometry only. */
void hsw_rows_geometry(hsw *w, const hsw_rows_options *o, hsw_rows *out);
/* Geometry and table rows; no rows when there is no file. */
hsc_status hsw_rows_prepare(hsw *w, const hsw_rows_options *o, hsw_rows *out, hsc_err *err);
void hsw_rows_fini(hsw_rows *r);
/* commands rows and bbox; TCL_CONTINUE otherwise */
int hsw_rows_command(hsw *w, const hsw_rows_options *o, hsw_rows *r, Tcl_Interp *interp, const char *name, int objc,
                     Tcl_Obj *const objv[]);
bool hsw_rows_wheel(hsw *w, int x, int y, int steps, int state);
bool hsw_rows_move(hsw *w, int rows, int columns, bool extend, bool page);
/* An integer argument of a widget command. */
int hsw_get_int(Tcl_Interp *interp, Tcl_Obj *obj, int *out);

/* the classes */
extern const hsw_class hsw_heat_class, hsw_bars_class, hsw_gutter_class, hsw_scopes_class, hsw_overview_class,
    hsw_minimap_class, hsw_barlist_class, hsw_profile_class, hsw_stack_class, hsw_catbar_class, hsw_legend_class,
    hsw_terrain_class, hsw_timeline_class, hsw_flame_class, hsw_progress_class, hsw_figure_class, hsw_matrix_class, hsw_assembly_class;

#endif
