/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* query_api DATABASE OTHER: asks each part of what is installed once, by the names of its headers. C99, and C++ too. */
#include <heatscope/analysis.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hsc_err err;
static int wrong;

static void that(int ok, const char *what) {
    if (!ok) {
        printf("%s: %s\n", what, err.text);
        wrong++;
    }
}

/* A program asks by name for what it wants: "only vector bodies", "only what was missed". */
static void check_names(hsc_db *db) {
    hsc_db_info info;
    hsc_db_instance instance;
    hsc_db_remark remark;
    uint32_t vectors = 0, missed = 0, i;
    hsc_db_get_info(db, &info);
    for (i = 0; i < info.instances && !hsc_db_get_instance(db, i, &instance, &err); i++) {
        vectors += instance.version == HSC_loop_version_VECTOR;
        that(!strcmp(instance.version_text, hsc_enum_text("loop_version", instance.version)), "text of a version");
    }
    for (i = 0; i < info.scopes; i++)
        if (hsc_db_get_remarks(db, i, &remark, 1, &missed, &err) == HSC_OK && missed && remark.refuses_vectors)
            that(remark.kind != HSC_remark_kind_PASSED && remark.reason != HSC_reason_NONE, "a refusal");
    that(vectors > 0, "vector bodies");
    that(!hsc_enum_text("loop_version", 200), "a version that there is not");
}

static void check_nodes(hsc_db *db) {
    const hsc_db_view view = {0, HSC_TABLE_SCOPE_INCL, HSC_AXIS_NODE};
    hsc_db_node node;
    hsc_db_stats stats;
    float values[2];
    that(hsc_db_get_columns(db, HSC_AXIS_NODE) == 2 && !hsc_db_get_node(db, 1, &node, &err) && node.processes == 1, "nodes");
    that(!hsc_db_read_block(db, view, 0, 1, 0, 2, values, &err) && !hsc_db_read_stats(db, view, 0, 1, &stats, &err), "values of nodes");
    that(stats.max == (double)(values[0] > values[1] ? values[0] : values[1]), "the most of a node");
}

static void check_analysis(hsc_db *db) {
    hsc_db_finding *findings;
    hsc_db_refusal *refusals;
    hsc_db_cause *causes;
    hsc_db_array_use *uses;
    hsc_db_array_time *times;
    hsc_db_variable *variables;
    uint32_t n, scope;
    double part = 0;
    hsc_db_looking *looking;
    hsc_db_quantile median;
    uint64_t histogram[HSC_BUCKETS] = {0};
    const char *openmp;
    histogram[10] = 1;
    that(!hsc_db_read_findings(db, 0, &findings, &n, &err) && n > 0 && findings[0].title, "findings");
    hsc_db_free_findings(findings, n);
    that(!hsc_db_find_hottest_code(db, 0, &scope, &err) && scope != HSC_NONE, "hottest code");
    that(!hsc_db_read_refusals(db, 0, &refusals, &n, &err) && n > 0 && refusals[0].reason != HSC_reason_NONE, "refusals");
    free(refusals);
    that(!hsc_db_read_causes(db, &causes, &n, &err), "causes");
    free(causes);
    that(!hsc_db_read_arrays(db, 0, &uses, &n, &err), "arrays of messages");
    hsc_db_free_arrays(uses, n);
    that(!hsc_db_read_array_times(db, 0, &times, &n, &err), "time of arrays");
    free(times);
    that(!hsc_db_read_environment(db, &variables, &n, &err) && n == 1 && !strcmp(variables[0].name, "OMP_NUM_THREADS") && !strcmp(variables[0].values, "4"), "environment");
    free(variables);
    that(!hsc_db_find_silent_openmp(db, &openmp, &err), "OpenMP");
    hsc_db_histogram_quantile(histogram, 1e-6, 1e-6, 0.5, &median);
    that(median.value_s > 0, "quantile of a histogram");
    that(!hsc_db_begin_findings(db, 0, &looking, &err) && !hsc_db_look_on(looking, 100, &part, &err) && part == 1, "findings by and by");
    hsc_db_end_findings(looking);
}

static void check_comparison(hsc_db *db, hsc_db *other) {
    hsc_db_change *changes;
    hsc_db_timed_change *timed;
    hsc_db_run_figure *figures;
    hsc_db_info info;
    uint32_t *same, n, i;
    char *cares;
    hsc_db_get_info(db, &info);
    that(!hsc_db_match(db, db, HSC_MATCH_SCOPES, &same, &err), "match");
    for (i = 0; i < info.scopes; i++)
        that(same[i] == i, "a scope is its own match");
    free(same);
    that(!hsc_db_read_changes(db, 0, db, 0, HSC_CHANGE_LINE, &changes, &n, &err) && n > 0 && changes[0].change == 0, "no change");
    free(changes);
    that(!hsc_db_read_changes(db, 0, other, 0, HSC_CHANGE_LOOP, &changes, &n, &err) && n > 0 && changes[0].beyond, "changes");
    free(changes);
    that(!hsc_db_read_timed_changes(db, other, HSC_TIMED_WAITS, &timed, &n, &err), "timed changes");
    hsc_db_free_timed_changes(timed, n);
    that(!hsc_db_read_run_figures(db, 0, other, 0, &figures, &n, &err) && n > 0, "figures");
    free(figures);
    that(!hsc_db_read_run_cares(db, 0, other, 0, &cares, &err), "cares");
    free(cares);
    that(hsc_db_read_changes(db, 99, other, 0, HSC_CHANGE_LOOP, &changes, &n, &err) == HSC_E_ARGUMENT && err.status == HSC_E_ARGUMENT, "a metric that there is not");
}

int main(int argc, char **argv) {
    hsc_db *db, *other;
    if (argc != 3 || hsc_db_open(argv[1], &db, &err) || hsc_db_open(argv[2], &other, &err)) {
        printf("%s\n", err.text);
        return 1;
    }
    check_names(db);
    check_nodes(db);
    check_analysis(db);
    check_comparison(db, other);
    hsc_db_close(other);
    hsc_db_close(db);
    return wrong > 0;
}
