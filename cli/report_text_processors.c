/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes or threads as text: how much each of them did. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_groups.h"
#include "report_measures.h"
#include "report_text.h"

/* "thread 2" becomes "thread 2, 28078: worker": with the id that the system knows it by, and its name or the routine that it was given. */
static void add_identity(const report *r, uint32_t thread, int width, char *name, size_t size) {
    hsc_db_thread t;
    char of[128], text[128];
    size_t n = strlen(name);
    if (hsc_db_get_thread(r->db, thread, &t, NULL) || n >= size)
        return;
    n += (size_t)snprintf(name + n, size - n, ", %u", t.tid);
    if (n < size && *report_thread_name(r, thread, of, sizeof of) && width - (int)n - 2 >= 4)
        snprintf(name + n, size - n, ": %s", report_fit(of, width - (int)n - 2, text, sizeof text));
}

/* Where several ran, what each of them took: their processes are not alike, so nothing is said of all processors together. */
static hsc_status programs(report *r, hsc_err *err) {
    enum { FEW = 6 };
    report_groups g;
    char *text = NULL, name[100], share[64];
    size_t size;
    hsc_status status = report_groups_by(r, REPORT_BY_PROGRAM, &g, err);
    FILE *out = status ? NULL : open_memstream(&text, &size);
    for (uint32_t i = 0; out && i < g.n && i < FEW; i++) {
        report_program(r, r->program_first[g.list[i].row], name, sizeof name);
        report_text_share(r, g.list[i].value, share, sizeof share);
        fprintf(out, "%s%s %s in %u process%s", i ? "; " : "", name, share, g.list[i].members, g.list[i].members == 1 ? "" : "es");
    }
    if (out && g.n > FEW)
        fprintf(out, "; %u more", g.n - FEW);
    if (out && !fclose(out))
        report_text_wrap(r->out, r->width, text, 4, fprintf(r->out, "     of %u programs (--by=program):", r->programs));
    else if (!status)
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    free(text);
    report_groups_clear(&g);
    return status;
}

/* The least, the most, mean and deviation of what the processors have of chosen code. */
static hsc_db_stats of_columns(const float *values, uint32_t n) {
    hsc_db_stats st = {.min = n ? values[0] : 0, .max = n ? values[0] : 0};
    double sum = 0, squares = 0;
    for (uint32_t c = 0; c < n; c++) {
        sum += (double)values[c];
        if (values[c] < st.min)
            st.min = values[c], st.min_column = c;
        if (values[c] > st.max)
            st.max = values[c], st.max_column = c;
    }
    st.mean = n ? sum / n : 0;
    for (uint32_t c = 0; c < n; c++)
        squares += ((double)values[c] - st.mean) * ((double)values[c] - st.mean);
    st.stddev = n ? sqrt(squares / n) : 0;
    return st;
}

hsc_status report_text_processors(report *r, hsc_err *err) {
    char name[160], text[400];
    hsc_db_stats st;
    if (!r->columns || (r->brief && r->columns == 1))
        return HSC_OK;
    hsc_status status = HSC_OK;
    float *all = calloc((uint64_t)r->columns + 1, sizeof *all), *work = calloc((uint64_t)r->columns + 1, sizeof *work);
    float *excess = calloc((uint64_t)r->columns + 1, sizeof *excess);
    if (!status && (!all || !work || !excess))
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!status)
        status = report_read_processors(r, all, excess, err);
    if (!status && r->where)
        st = of_columns(all, r->columns);
    else if (!status)
        status = hsc_db_read_stats(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_INCL, r->axis}, 0, 1, &st, err);
    uint32_t computation = HSC_NONE;
    for (uint32_t c = 0; hsc_db_get_category(r->db, c); c++)
        if (!strcmp(hsc_db_get_category(r->db, c), "computation"))
            computation = c;
    bool split = false;
    if (!status && computation != HSC_NONE && !r->where)
        split = !hsc_db_read_block(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_CATEGORY, r->axis}, computation, 1, 0, r->columns, work, NULL);
    double work_sum = 0;
    for (uint32_t c = 0; split && c < r->columns; c++)
        work_sum += work[c];
    split = split && work_sum > 0 && work_sum < 0.999 * r->total;
    if (!status && r->brief && !r->top_given && st.max < 1.1 * st.mean && r->programs < 2) {
        char low[64], high[64];
        report_processor(r, r->axis, st.min_column, low, sizeof low);
        report_processor(r, r->axis, st.max_column, high, sizeof high);
        snprintf(text, sizeof text, "least %.*f %s on %s, most %.*f on %s, mean %.*f, standard deviation %.*f: --by=processor", r->decimals, st.min * r->unit.scale,
                 r->unit.unit, low, r->decimals, st.max * r->unit.scale, high, r->decimals, st.mean * r->unit.scale, r->decimals, st.stddev * r->unit.scale);
        report_text_wrap(r->out, r->width, text, 3, fprintf(r->out, "\nProcessors, %u %s:", r->columns, report_axis_name(r, true)) - 1);
    } else if (!status) {
        snprintf(text, sizeof text, "Processors: %u %s", r->columns,
                 report_axis_name(r, r->columns > 1));
        fprintf(r->out, "\n%s%s%s%s\n", text, r->where ? ", in code of '" : "", r->where ? r->where : "", r->where ? "' without what it calls" : "");
        double scale = r->unit.scale;
        char low[64], high[64];
        report_processor(r, r->axis, st.min_column, low, sizeof low);
        report_processor(r, r->axis, st.max_column, high, sizeof high);
        if (r->programs > 1 && !r->where) {
            if ((status = programs(r, err)))
                goto done;
        } else if (r->columns > 1)
            fprintf(r->out, "     least %.*f %s on %s, most %.*f on %s;\n     mean %.*f, standard deviation %.*f\n", r->decimals, st.min * scale,
                    r->unit.unit, low, r->decimals, st.max * scale, high, r->decimals, st.mean * scale, r->decimals, st.stddev * scale);
        uint32_t few = report_text_rows(r, 4), shown = r->columns <= (r->brief ? 8 : 16) || !few || few > r->columns ? r->columns : few;
        bool threads = r->axis == HSC_AXIS_THREAD;
        int names = !threads ? 16 : r->width >= 100 ? 40 : 30;
        int room = r->width - 38 - names;
        int bar = room > 40 ? 40 : room - report_text_interval_width(r);
        report_text_amount_heads(r);
        fprintf(r->out, "%s  ", split ? "  comp%" : "");
        report_text_pad(r->out, threads ? "thread, tid: routine" : report_axis_name(r, false), split ? names : 0);
        fprintf(r->out, "%s\n", split ? "# computation . other" : "");
        /* all in order where they are few, else the longest first */
        bool *done = calloc((uint64_t)r->columns + 1, sizeof *done);
        for (uint32_t i = 0; done && i < shown; i++) {
            uint32_t c = i;
            if (shown < r->columns) {
                c = HSC_NONE;
                for (uint32_t k = 0; k < r->columns; k++)
                    if (!done[k] && (c == HSC_NONE || all[k] > all[c]))
                        c = k;
            }
            done[c] = true;
            report_processor(r, r->axis, c, name, sizeof name);
            if (threads)
                add_identity(r, c, names - 1, name, sizeof name);
            fprintf(r->out, "%4u", i + 1);
            report_text_amount(r, (hsc_weighted){all[c], excess[c] * r->unit.weights_scale});
            if (split)
                fprintf(r->out, "  %5.1f", all[c] > 0 ? 100 * work[c] / all[c] : 0);
            fprintf(r->out, "  ");
            report_text_pad(r->out, name, names);
            int marks = st.max > 0 ? (int)lround(bar * all[c] / st.max) : 0, full = split && st.max > 0 ? (int)lround(bar * work[c] / st.max) : marks;
            for (int k = 0; k < marks; k++)
                fputc(k < full ? '#' : '.', r->out);
            fputc('\n', r->out);
        }
        if (shown < r->columns)
            fprintf(r->out, "     %s\n", report_text_more(r, r->columns - shown, REPORT_PROCESSOR, name, sizeof name));
        free(done);
    }
done:
    free(all);
    free(work);
    free(excess);
    return status;
}
