/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "table.h"

#include <math.h>
#include <string.h>

static void quoted_csv(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void quoted_json(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++)
        switch (*text) {
        case '"':
        case '\\':
            fprintf(out, "\\%c", *text);
            break;
        case '\n':
            fputs("\\n", out);
            break;
        case '\t':
            fputs("\\t", out);
            break;
        default:
            if ((unsigned char)*text < 0x20 || *text == 0x7F)
                fprintf(out, "\\u%04x", (unsigned char)*text);
            else
                fputc(*text, out);
        }
    fputc('"', out);
}

void hsc_table_quoted(const hsc_table *t, const char *text) {
    (t->json ? quoted_json : quoted_csv)(t->out, text);
}

/* true: the caller prints the value now */
static bool cell(hsc_table *t, const char *name, const char *unit) {
    char full[96];
    snprintf(full, sizeof full, "%s%s%s", name, *unit ? "_" : "", unit);
    if (!t->json) {
        if (t->cells++)
            fputc(',', t->out);
        if (t->naming)
            fputs(full, t->out);
        return !t->naming;
    }
    fputs(t->cells++ ? ", " : "    {", t->out);
    quoted_json(t->out, full);
    fputs(": ", t->out);
    return true;
}

static void put(hsc_table *t, double v) {
    if (isfinite(v))
        fprintf(t->out, "%.10g", v);
    else
        fputs(t->json ? "null" : "", t->out);
}

void hsc_table_text(hsc_table *t, const char *name, const char *text) {
    if (cell(t, name, ""))
        hsc_table_quoted(t, text);
}

void hsc_table_number(hsc_table *t, const char *name, double v) {
    if (cell(t, name, ""))
        put(t, v);
}

void hsc_table_count(hsc_table *t, const char *name, double v) {
    if (cell(t, name, ""))
        fprintf(t->out, "%.0f", v);
}

void hsc_table_amount(hsc_table *t, const char *name, double count) {
    if (cell(t, name, t->unit))
        put(t, count * t->scale);
}

void hsc_table_begin_row(hsc_table *t) {
    if (t->json && t->rows)
        fputs(",\n", t->out);
    t->cells = 0;
}

void hsc_table_end_row(hsc_table *t) {
    fputs(t->json ? "}" : "\n", t->out);
    t->rows += !t->naming;
}
