/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables of the environment, by their values in all processes. */
#include "report_environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    return x == y ? 0 : strcmp(x, y);
}

static int by_bytes(const char *a, int a_bytes, const char *b, int b_bytes) {
    int order = memcmp(a, b, (size_t)(a_bytes < b_bytes ? a_bytes : b_bytes));
    return order ? order : a_bytes - b_bytes;
}

int report_compare_names(const report_setting *x, const report_setting *y) { return by_bytes(x->name, x->name_bytes, y->name, y->name_bytes); }

int report_compare_settings(const report_setting *x, const report_setting *y) {
    int order = report_compare_names(x, y);
    return order ? order : !x->value || !y->value ? !x->value - !y->value : by_bytes(x->value, x->value_bytes, y->value, y->value_bytes);
}

static int by_setting(const void *a, const void *b) { return report_compare_settings(a, b); }

static bool add(report_environment *e, uint32_t *room, report_setting s) {
    if (e->n == *room) {
        uint32_t more = *room ? 2 * *room : 64;
        report_setting *list = realloc(e->list, more * sizeof *list);
        if (!list)
            return false;
        e->list = list;
        *room = more;
    }
    e->list[e->n++] = s;
    return true;
}

/* All lines NAME=value of one text. */
static bool add_text(report_environment *e, uint32_t *room, const char *text, uint32_t processes) {
    for (; *text; text += *text == '\n') {
        size_t line = strcspn(text, "\n"), name = strcspn(text, "=\n");
        if (name < line && !add(e, room, (report_setting){text, text + name + 1, (int)name, (int)(line - name - 1), processes}))
            return false;
        text += line;
    }
    return true;
}

/* Equal settings become one, and processes without a variable a setting of it. */
static bool add_up(report_environment *e, uint32_t *room) {
    uint32_t n = 0, without = 0, lines = e->n;
    qsort(e->list, e->n, sizeof *e->list, by_setting);
    for (uint32_t i = 0; i < lines; i++) {
        if (n && !report_compare_settings(&e->list[n - 1], &e->list[i]))
            e->list[n - 1].processes += e->list[i].processes;
        else
            e->list[n++] = e->list[i];
    }
    e->n = n;
    for (uint32_t i = 0, k; i < n; i += k) {
        uint32_t with = 0;
        k = report_settings_of_one(e, i);
        for (uint32_t j = i; j < i + k; j++)
            with += e->list[j].processes;
        report_setting none = {e->list[i].name, NULL, e->list[i].name_bytes, 0, e->known - with};
        if (with < e->known && !add(e, room, none))
            return false;
        without += with < e->known;
    }
    if (without)
        qsort(e->list, e->n, sizeof *e->list, by_setting);
    return true;
}

hsc_status report_environment_of(hsc_db *db, report_environment *out, hsc_err *err) {
    hsc_db_info info;
    report_environment e = {0};
    uint32_t room = 0;
    hsc_status status = HSC_OK;
    hsc_db_get_info(db, &info);
    const char **texts = malloc((info.processes + 1) * sizeof *texts);
    for (uint32_t i = 0; texts && i < info.processes && !status; i++) {
        hsc_db_process p;
        status = hsc_db_get_process(db, i, &p, err);
        if (!status && *p.environment)
            texts[e.known++] = p.environment;
    }
    bool is_ok = texts;
    if (is_ok && !status && e.known) {
        qsort(texts, e.known, sizeof *texts, by_text);
        for (uint32_t i = 0, k; i < e.known && is_ok; i += k) {
            for (k = 1; i + k < e.known && !by_text(&texts[i], &texts[i + k]);)
                k++;
            is_ok = add_text(&e, &room, texts[i], k);
        }
        is_ok = is_ok && (!e.n || add_up(&e, &room));
    }
    free(texts);
    if (!is_ok && !status)
        status = hsc_err_set(err, HSC_E_MEMORY, "no memory for the environment of %u processes", info.processes);
    if (status)
        report_environment_free(&e);
    *out = e;
    return status;
}

void report_environment_free(report_environment *e) {
    free(e->list);
    *e = (report_environment){0};
}

uint32_t report_settings_of_one(const report_environment *e, uint32_t i) {
    uint32_t k = i;
    while (k < e->n && !report_compare_names(&e->list[i], &e->list[k]))
        k++;
    return k - i;
}

void report_environment_values(const report_environment *e, uint32_t i, bool counts, char *out, size_t size) {
    enum { SHOWN = 60, MOST = 4 };
    uint32_t n = report_settings_of_one(e, i);
    size_t at = 0;
    *out = 0;
    for (uint32_t k = 0; k < n && at < size; k++) {
        const report_setting *s = &e->list[i + k];
        if (k == MOST && n > MOST + 1) {
            snprintf(out + at, size - at, " or %u more", n - k);
            break;
        }
        at += (size_t)snprintf(out + at, size - at, "%s%.*s%s", k ? " or " : "", !s->value ? 7 : !s->value_bytes ? 5 : s->value_bytes < SHOWN ? s->value_bytes : SHOWN, !s->value ? "not set" : !s->value_bytes ? "empty" : s->value,
                               s->value_bytes > SHOWN ? "..." : "");
        if (counts && n > 1 && at < size)
            at += (size_t)snprintf(out + at, size - at, " (%u%s)", s->processes, k ? "" : s->processes == 1 ? " process" : " processes");
    }
}

hsc_status hsc_db_read_environment(hsc_db *db, hsc_db_variable **out, uint32_t *n, hsc_err *err) {
    report_environment e;
    *out = NULL;
    *n = 0;
    hsc_status status = report_environment_of(db, &e, err);
    if (status)
        return status;
    *out = malloc((e.n + 1) * sizeof **out);
    for (uint32_t i = 0; *out && i < e.n; i += report_settings_of_one(&e, i)) {
        hsc_db_variable *v = &(*out)[(*n)++];
        snprintf(v->name, sizeof v->name, "%.*s", e.list[i].name_bytes, e.list[i].name);
        report_environment_values(&e, i, true, v->values, sizeof v->values);
    }
    report_environment_free(&e);
    return *out ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for variables of the environment");
}
