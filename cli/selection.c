/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "selection.h"

#include <string.h>

static bool is_table(const char *word, size_t n, const char *table) {
    static const char *const same[][2] = {
        {"function", "procedure"}, {"subroutine", "procedure"}, {"thread", "processor"},   {"process", "processor"}, {"processe", "processor"},
        {"rank", "processor"},     {"srcline", "line"},         {"source", "line"},        {"dso", "module"},        {"library", "module"},
        {"callpath", "context"},   {"path", "context"},         {"callsite", "call"},      {"inline", "inlined"},    {"waiting", "wait"},
        {"node", "processor"},     {"host", "processor"},      {"lock", "wait"},          {"blame", "cause"},          {"mpi", "message"},        {"remark", "reason"},     {"state", "category"},
        {"overhead", "cost"},      {"categorie", "category"}};
    if (strlen(table) == n && !memcmp(word, table, n))
        return true;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strlen(same[i][0]) == n && !memcmp(word, same[i][0], n) && !strcmp(same[i][1], table))
            return true;
    return false;
}

bool hsc_cli_is_table(const char *word, const char *table) {
    size_t n = strlen(word);
    return is_table(word, n, table) || (n > 1 && word[n - 1] == 's' && is_table(word, n - 1, table));
}

int hsc_cli_select(const hsc_cli_command *c, int option, int which, hsc_cli_selection *s, const char *value) {
    static const char *const axes[] = {[HSC_AXIS_THREAD] = "thread", [HSC_AXIS_PROCESS] = "process", [HSC_AXIS_NODE] = "node"};
    unsigned long long n;
    switch (which) {
    case HSC_SELECT_FORMAT:
        s->format = !strcmp(value, "csv") ? HSC_TABLE_CSV : !strcmp(value, "json") ? HSC_TABLE_JSON : HSC_TABLE_TEXT;
        return s->format == HSC_TABLE_TEXT && strcmp(value, "text") ? hsc_cli_bad_value(c, option, "text, csv or json", value) : -1;
    case HSC_SELECT_COLUMNS:
        s->columns = value;
        return *value ? -1 : hsc_cli_bad_value(c, option, "names of columns, separated by commas", value);
    case HSC_SELECT_TOP:
        if (!hsc_cli_parse_u64(value, 0, 1000000000, &n))
            return hsc_cli_bad_value(c, option, "a number of rows", value);
        s->top = (uint32_t)n;
        s->top_given = true;
        return -1;
    case HSC_SELECT_METRIC:
        s->metric = value;
        return -1;
    case HSC_SELECT_WHERE:
        s->where = value;
        return -1;
    case HSC_SELECT_NET:
        s->net = true;
        return -1;
    case HSC_SELECT_INTERVAL:
        s->interval = value;
        return -1;
    default:
        s->axis_given = true;
        for (int axis = HSC_AXIS_THREAD; axis <= (s->nodes ? HSC_AXIS_NODE : HSC_AXIS_PROCESS); axis++)
            if (!strcmp(value, axes[axis])) {
                s->axis = (hsc_db_axis)axis;
                return -1;
            }
        return hsc_cli_bad_value(c, option, s->nodes ? "process, thread or node" : "process or thread", value);
    }
}

hsc_status hsc_cli_open_report(report *r, const char *path, const hsc_cli_selection *s, const char *interval, hsc_err *err) {
    hsc_status status = hsc_db_open(path, &r->db, err);
    if (status)
        return status;
    hsc_db_get_info(r->db, &r->info);
    r->out = stdout;
    r->axis = s->axis_given ? s->axis : report_axis_of(r->db);
    r->where = s->where;
    r->width = hsc_cli_width();
    r->top = s->top_given ? s->top : s->format == HSC_TABLE_TEXT ? 10 : 0;
    r->top_given = s->top_given;
    r->net = s->net;
    status = hsc_cli_find_metric(r->db, s->metric, &r->metric, err);
    return status ? status : hsc_cli_set_interval(r->db, interval, err);
}
