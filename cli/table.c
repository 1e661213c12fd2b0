/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/quote.h>

#include "report.h"

enum { NAME = 96, LEAST_TEXT = 9 };

typedef struct hsc_table_cell {
    char name[NAME];
    char *text;
    size_t room;
    bool numeric, empty; /* empty: a number that is none */
} cell;

static void no_memory(hsc_table *t) {
    if (!t->failed)
        hsc_err_set(&t->problem, HSC_E_MEMORY, "out of memory");
    t->failed = true;
}

static cell *next_cell(hsc_table *t, const char *name, const char *unit, size_t size) {
    if (t->cells == t->room) {
        uint32_t room = t->room ? 2 * t->room : 32;
        cell *more = realloc(t->cell, room * sizeof *more);
        if (!more) {
            no_memory(t);
            return NULL;
        }
        memset(more + t->room, 0, (room - t->room) * sizeof *more);
        t->cell = more;
        t->room = room;
    }
    cell *c = &t->cell[t->cells];
    if (size >= c->room) {
        char *text = realloc(c->text, size + 32);
        if (!text) {
            no_memory(t);
            return NULL;
        }
        c->text = text;
        c->room = size + 32;
    }
    snprintf(c->name, sizeof c->name, "%s%s%s", name, *unit ? "_" : "", unit);
    c->empty = c->numeric = false;
    t->cells++;
    return c;
}

/* Bytes of the character at p; 0: none of UTF-8, as where a long text was cut. */
static size_t character(const unsigned char *p) {
    size_t n = *p < 0x80 ? 1 : *p >= 0xC2 && *p < 0xE0 ? 2 : (*p & 0xF0) == 0xE0 ? 3 : *p >= 0xF0 && *p < 0xF5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return n;
}

void hsc_table_text(hsc_table *t, const char *name, const char *text) {
    cell *c = next_cell(t, name, "", strlen(text));
    char *to = c ? c->text : NULL;
    for (const char *p = text; to && *p;) {
        size_t n = character((const unsigned char *)p);
        memcpy(to, p, n);
        to += n;
        p += n ? n : 1;
    }
    if (to)
        *to = 0;
}

static bool ends(const char *s, const char *tail) {
    size_t n = strlen(s), m = strlen(tail);
    return n >= m && !strcmp(s + n - m, tail);
}

static void put(hsc_table *t, const char *name, const char *unit, double v) {
    cell *c = next_cell(t, name, unit, 40);
    if (!c)
        return;
    c->numeric = true;
    c->empty = !isfinite(v);
    c->text[0] = 0;
    if (c->empty)
        return;
    if (t->format != HSC_TABLE_TEXT)
        snprintf(c->text, c->room, "%.10g", v);
    else if (ends(c->name, "_pct") || strstr(c->name, "_pct_"))
        snprintf(c->text, c->room, "%.2f", v);
    else if (fabs(v) >= 1e6 || v == floor(v))
        snprintf(c->text, c->room, "%.0f", v);
    else
        snprintf(c->text, c->room, "%.*f", fabs(v) < 1e-3 ? 7 : 3, v);
}

void hsc_table_number(hsc_table *t, const char *name, double v) { put(t, name, "", v); }
void hsc_table_amount(hsc_table *t, const char *name, double count) { put(t, name, t->unit, count * t->scale); }

void hsc_table_count(hsc_table *t, const char *name, double v) {
    cell *c = next_cell(t, name, "", 330);
    if (!c)
        return;
    c->numeric = true;
    snprintf(c->text, c->room, "%.0f", v);
}

void hsc_table_begin_row(hsc_table *t) { t->cells = 0; }

/* ---- which columns ---- */

static uint32_t find(const hsc_table *t, const char *name, size_t n) {
    for (uint32_t i = 0; i < t->cells; i++)
        if (strlen(t->cell[i].name) == n && !memcmp(t->cell[i].name, name, n))
            return i;
    return t->cells;
}

static void unknown(hsc_table *t, const char *name, size_t n) {
    char all[360] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < t->cells && at < sizeof all; i++) {
        bool fits = at + NAME + 8 < sizeof all;
        int k = snprintf(all + at, sizeof all - at, "%s%s", i ? ", " : "", fits ? t->cell[i].name : "...");
        at = fits ? at + (size_t)k : sizeof all;
    }
    hsc_err_set(&t->problem, HSC_E_ARGUMENT, "--columns: no column '%.*s' among %s", (int)(n < 60 ? n : 60), name, all);
    t->failed = true;
}

/* From the first row, whatever it is. */
static void choose(hsc_table *t) {
    uint32_t n = t->cells;
    for (const char *p = t->columns; p && *p; p++)
        n += *p == ',';
    t->named = true;
    t->order = malloc((n + 1) * sizeof *t->order);
    t->names = calloc(n + 1, sizeof *t->names);
    t->numeric = calloc(n + 1, sizeof *t->numeric);
    if (!t->order || !t->names || !t->numeric) {
        no_memory(t);
        return;
    }
    for (uint32_t i = 0; !t->columns && i < t->cells; i++)
        t->order[t->wanted++] = i;
    for (const char *p = t->columns; p && !t->failed; p += strcspn(p, ","), p = *p ? p + 1 : NULL) {
        size_t k = strcspn(p, ":,"), whole = strcspn(p, ",");
        uint32_t at = find(t, p, k);
        if (at == t->cells)
            unknown(t, p, k);
        else if (k < whole && !(t->names[t->wanted] = strndup(p + k + 1, whole - k - 1)))
            no_memory(t);
        else
            t->order[t->wanted++] = at;
    }
    for (uint32_t i = 0; i < t->wanted && !t->failed; i++) {
        if (!t->names[i])
            t->names[i] = strdup(t->cell[t->order[i]].name);
        t->numeric[i] = t->cell[t->order[i]].numeric;
        if (!t->names[i])
            no_memory(t);
    }
    if (t->failed)
        return;
    if (t->format == HSC_TABLE_JSON && t->before)
        fputs(t->before, t->out);
    for (uint32_t i = 0; i < t->wanted && t->format == HSC_TABLE_CSV; i++)
        fprintf(t->out, "%s%s", i ? "," : "", t->names[i]);
    if (t->format == HSC_TABLE_CSV)
        fputc('\n', t->out);
}

/* ---- rows ---- */

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), k = strlen(end);
    return n >= k && !strcmp(text + n - k, end);
}

static bool is_procedure(const char *column) {
    return ends_with(column, "procedure") || !strcmp(column, "function") || !strcmp(column, "caller") || !strcmp(column, "callee");
}

/* A cell as people read it: names of procedures without their parameters, headers of the system as they are included. malloc'ed. */
static char *readable(const char *column, const char *text) {
    char short_text[4096];
    if (is_procedure(column) && strchr(text, '('))
        return strdup(report_fit(text, (int)sizeof short_text, short_text, sizeof short_text));
    if (ends_with(column, "file") && report_system_header(text, short_text, sizeof short_text))
        return strdup(short_text);
    return strdup(text);
}

static void keep(hsc_table *t) {
    if (t->kept + t->wanted > t->kept_room) {
        uint32_t room = 2 * t->kept_room + t->wanted;
        char **more = realloc(t->text, room * sizeof *more);
        if (!more) {
            no_memory(t);
            return;
        }
        t->text = more;
        t->kept_room = room;
    }
    for (uint32_t i = 0; i < t->wanted; i++) {
        const cell *c = &t->cell[t->order[i]];
        if (!(t->text[t->kept] = readable(c->name, c->text))) {
            no_memory(t);
            return;
        }
        t->kept++;
    }
}

void hsc_table_end_row(hsc_table *t) {
    if (!t->failed && !t->named)
        choose(t);
    if (t->failed || t->naming)
        return;
    t->rows++;
    if (t->format == HSC_TABLE_TEXT) {
        keep(t);
        return;
    }
    bool json = t->format == HSC_TABLE_JSON;
    if (json)
        fputs(t->rows > 1 ? ",\n    {" : "    {", t->out);
    for (uint32_t i = 0; i < t->wanted; i++) {
        const cell *c = &t->cell[t->order[i]];
        if (i)
            fputs(json ? ", " : ",", t->out);
        if (json) {
            hsc_quote_json(t->out, t->names[i]);
            fputs(": ", t->out);
        }
        if (c->numeric)
            fputs(c->empty && json ? "null" : c->text, t->out);
        else
            (json ? hsc_quote_json : hsc_quote_csv)(t->out, c->text);
    }
    fputs(json ? "}" : "\n", t->out);
}

/* ---- text ---- */

static int width_of(const char *text) { /* characters */
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

/* What does not fit loses its middle, paths their begin; control characters become blanks. In place: what goes is longer than what comes for it. */
static void fit_cell(char *text, int width) {
    bool path = strchr(text, '/') && !strchr(text, ' ') && !strchr(text, '(');
    int n = width_of(text), head = path ? 0 : (width - 2) / 2, tail = width - 2 - head, at = 0;
    char *out = text;
    for (const char *p = text; *p;) {
        const char *next = p + 1;
        while (((unsigned char)*next & 0xC0) == 0x80)
            next++;
        if (n <= width || at < head || at >= n - tail) {
            if ((unsigned char)*p < 0x20 || *p == 0x7F)
                *out++ = ' ';
            else
                for (const char *byte = p; byte < next; byte++)
                    *out++ = *byte;
        } else if (at == head)
            for (int k = 0; k < 2; k++)
                *out++ = '.';
        at++;
        p = next;
    }
    *out = 0;
}

/* Cuts a column to its width. Names of procedures that read alike then, as of instances of a template, are cut so that they differ. */
static hsc_status fit_column(hsc_table *t, uint32_t column, int width, bool apart, hsc_err *err) {
    report_named *cells = calloc((size_t)t->rows + 1, sizeof *cells);
    hsc_status s = cells ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    uint32_t n = 0;
    for (uint32_t row = 0; row < t->rows && !s; row++) {
        const char *whole = t->text[row * t->wanted + column];
        char *cut = strdup(whole);
        s = cut ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
        if (!s) {
            fit_cell(cut, width);
            s = report_set_named(&cells[n], cut, whole, err);
            n += !s;
        }
        free(cut);
    }
    if (!s && apart)
        s = report_cut_apart(cells, n, width, err);
    for (uint32_t row = 0; row < n && !s; row++) {
        char **text = &t->text[row * t->wanted + column];
        free(*text);
        *text = cells[row].text;
        cells[row].text = NULL;
    }
    report_free_named(cells, n);
    return s;
}

static void print(hsc_table *t) {
    if (t->before)
        fputs(t->before, t->out);
    int *width = calloc(t->wanted + 1, sizeof *width), all = 0;
    if (!width) {
        no_memory(t);
        return;
    }
    for (uint32_t i = 0; i < t->wanted; i++) {
        width[i] = width_of(t->names[i]);
        for (uint32_t k = i; k < t->kept; k += t->wanted)
            width[i] = width_of(t->text[k]) > width[i] ? width_of(t->text[k]) : width[i];
        all += width[i] + 1;
    }
    while (all - 1 > t->width) { /* the widest text gives way */
        uint32_t most = t->wanted;
        for (uint32_t i = 0; i < t->wanted; i++)
            if (!t->numeric[i] && width[i] > LEAST_TEXT && (most == t->wanted || width[i] > width[most]))
                most = i;
        if (most == t->wanted)
            break;
        width[most]--;
        all--;
    }
    for (uint32_t i = 0; i < t->wanted; i++) {
        fit_cell(t->names[i], width[i]);
        if (fit_column(t, i, width[i], is_procedure(t->cell[t->order[i]].name), &t->problem)) {
            t->failed = true;
            free(width);
            return;
        }
    }
    for (uint32_t row = 0; row <= t->rows; row++) {
        int owed = 0; /* blanks, printed before what comes next */
        for (uint32_t i = 0; i < t->wanted; i++) {
            const char *text = row ? t->text[(row - 1) * t->wanted + i] : t->names[i];
            int n = width_of(text) < width[i] ? width_of(text) : width[i], blanks = width[i] - n;
            owed += (i ? 1 : 0) + (t->numeric[i] ? blanks : 0);
            if (n) {
                fprintf(t->out, "%*s", owed, "");
                fputs(text, t->out);
                owed = 0;
            }
            owed += t->numeric[i] ? 0 : blanks;
        }
        fputc('\n', t->out);
    }
    if (!t->rows)
        fputs("  none\n", t->out);
    free(width);
}

hsc_status hsc_table_finish(hsc_table *t, hsc_err *err) {
    if (!t->failed && t->named && t->format == HSC_TABLE_TEXT)
        print(t);
    if (!t->failed && t->format == HSC_TABLE_JSON) {
        if (!t->named && t->before)
            fputs(t->before, t->out);
        fputs(t->after ? t->after : "", t->out);
    }
    if (t->failed)
        *err = t->problem;
    return t->failed ? t->problem.status : HSC_OK;
}

void hsc_table_clear(hsc_table *t) {
    for (uint32_t i = 0; i < t->room; i++)
        free(t->cell[i].text);
    for (uint32_t i = 0; t->names && i < t->wanted; i++)
        free(t->names[i]);
    for (uint32_t i = 0; i < t->kept; i++)
        free(t->text[i]);
    free(t->cell);
    free(t->order);
    free(t->names);
    free(t->numeric);
    free(t->text);
    free(t->before);
    free(t->after);
}
