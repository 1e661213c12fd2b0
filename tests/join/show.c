/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* show DATABASE: what a database holds, as text that tests compare and people read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/query.h>

static hsc_db *db;
static hsc_db_info info;

static double *sums(hsc_db_table table, uint64_t *n) {
    hsc_err err = {0};
    *n = hsc_db_get_rows(db, table);
    double *v = calloc(*n + 1, sizeof *v);
    if (*n && hsc_db_read_sums(db, (hsc_db_view){0, table, HSC_AXIS_THREAD}, 0, *n, v, &err) != HSC_OK) {
        fprintf(stderr, "show: %s\n", err.text);
        exit(1);
    }
    return v;
}

static void print_scopes(void) {
    uint64_t n;
    double *excl = sums(HSC_TABLE_SCOPE_EXCL, &n), *incl = sums(HSC_TABLE_SCOPE_INCL, &n);
    uint32_t depth_of_end[256], depth = 0;
    printf("scopes: inclusive exclusive\n");
    for (uint32_t i = 0; i < info.scopes; i++) {
        hsc_db_scope s;
        hsc_db_get_scope(db, i, &s, NULL);
        while (depth && depth_of_end[depth - 1] <= i)
            depth--;
        if (incl[i] > 0)
            printf("%8.0f %8.0f %*s%s %s [%u-%u] %u\n", incl[i], excl[i], (int)(2 * depth), "",
                   s.kind == HSC_SCOPE_LOOP ? "loop" : s.kind == HSC_SCOPE_PROCEDURE ? "proc" : s.kind == HSC_SCOPE_REGION ? "region" : "",
                   s.name, s.line_begin, s.line_end, (unsigned)s.knowledge);
        if (depth < 256)
            depth_of_end[depth++] = s.subtree_end;
    }
    free(excl);
    free(incl);
}

static void print_contexts(void) {
    uint64_t n;
    double *excl = sums(HSC_TABLE_CONTEXT_EXCL, &n), *incl = sums(HSC_TABLE_CONTEXT_INCL, &n);
    static const char *const kinds[] = {"root", "", "inlined", "loop", "partial"};
    printf("contexts: inclusive exclusive\n");
    for (uint32_t i = 0; i < info.contexts; i++) {
        hsc_db_context c;
        hsc_db_scope s;
        hsc_db_line line = {0};
        hsc_db_get_context(db, i, &c, NULL);
        hsc_db_get_scope(db, c.scope, &s, NULL);
        if (c.call_line != HSC_NONE)
            hsc_db_get_line(db, c.call_line, &line, NULL);
        printf("%8.0f %8.0f %*s%s %s:%u (called at %u)\n", incl[i], excl[i], (int)(2 * c.depth), "", kinds[c.kind], s.name,
               s.line_begin, line.line);
    }
    free(excl);
    free(incl);
}

static void print_lines(void) {
    uint64_t n;
    double *excl = sums(HSC_TABLE_LINE, &n), *incl = sums(HSC_TABLE_LINE_INCL, &n);
    printf("lines: inclusive exclusive\n");
    for (uint32_t i = 0; i < info.lines; i++) {
        hsc_db_line l;
        hsc_db_file f;
        hsc_db_scope s;
        hsc_db_get_line(db, i, &l, NULL);
        hsc_db_get_file(db, l.file, &f, NULL);
        hsc_db_get_scope(db, l.scope, &s, NULL);
        if (incl[i] > 0)
            printf("%8.0f %8.0f %s:%u in %s\n", incl[i], excl[i], f.path, l.line, s.name);
    }
    free(excl);
    free(incl);
}

static void print_rest(void) {
    uint64_t n;
    double *v = sums(HSC_TABLE_INSTANCE, &n);
    for (uint32_t i = 0; i < info.instances; i++) {
        hsc_db_instance in;
        hsc_db_scope s;
        hsc_db_get_instance(db, i, &in, NULL);
        hsc_db_get_scope(db, in.scope, &s, NULL);
        if (v[i] > 0)
            printf("instance %8.0f %s of %s [%u-%u] width %u interleave %u unroll %u\n", v[i], in.version_text, s.name,
                   s.line_begin, s.line_end, in.vector_width, in.interleave, in.unroll);
    }
    free(v);
    v = sums(HSC_TABLE_SCOPE_CATEGORY, &n);
    for (uint32_t k = 0; k < info.categories; k++)
        printf("category %8.0f %s\n", v[k], hsc_db_get_category(db, k));
    free(v);
    for (uint32_t i = 0; i < info.modules; i++) {
        hsc_db_module m;
        hsc_db_get_module(db, i, &m, NULL);
        printf("module %s knowledge %d note '%s'\n", m.path, (int)m.knowledge, m.note);
    }
    for (uint32_t i = 0; i < info.processes; i++) {
        hsc_db_process p;
        hsc_db_get_process(db, i, &p, NULL);
        printf("process rank %d %s '%s' %s threads %u %.3f-%.3f %s\n", (int)p.rank, p.executable, p.arguments, p.mechanism,
               p.threads, p.begin_s, p.end_s, p.end);
    }
    for (uint32_t i = 0; i < info.threads; i++) {
        hsc_db_thread t;
        hsc_db_get_thread(db, i, &t, NULL);
        printf("thread process %u index %u '%s' cpu %.3f own %.4f samples %" PRIu64 " lost %" PRIu64 " truncated %" PRIu64
               " %.3f-%.3f\n", t.process, t.index, t.name, t.cpu_s, t.own_s, t.samples, t.lost, t.truncated, t.begin_s, t.end_s);
    }
    for (uint32_t i = 0; i < info.ledger_rows; i++) {
        hsc_db_ledger l;
        hsc_db_get_ledger(db, i, &l, NULL);
        printf("ledger %u %8" PRIu64 " %10.3f s %s: %s\n", l.group, l.samples, l.seconds, l.name, l.meaning);
    }
}

int main(int argc, char **argv) {
    hsc_err err = {0};
    if (argc != 2 || hsc_db_open(argv[1], &db, &err) != HSC_OK) {
        fprintf(stderr, "show: %s\n", argc == 2 ? err.text : "usage: show DATABASE");
        return 1;
    }
    hsc_db_get_info(db, &info);
    printf("title '%s' command '%s' created %s samples %" PRIu64 " cpu %.3f s wall %.3f s\n", info.title, info.command,
           info.created, info.samples, info.cpu_s, info.wall_s);
    print_scopes();
    print_contexts();
    print_lines();
    print_rest();
    hsc_db_close(db);
    return 0;
}
