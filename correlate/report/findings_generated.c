/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Time in machine code that is in no file: made while the program ran. */
#include <stdio.h>
#include <string.h>

#include "findings.h"

#define TOLD 0.05   /* of all */
#define NAMED 3u    /* procedures, of a tenth of it and more */
#define NAMED_SHARE 0.1

/* How to have names: by the program's name. */
static const struct {
    const char *program, *way;
} ways[] = {
    {"node", "node --perf-basic-prof"},
    {"python", "python3 -X perf, 3.12 and newer"},
    {"java", "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, 17 and newer"},
    {"dotnet", "DOTNET_PerfMapEnabled=1"},
    {"julia", "ENABLE_JITPROFILING=1"},
};

static const char *way_of(const report *r) {
    hsc_db_process p;
    for (uint32_t i = 0; i < r->info.processes && !hsc_db_get_process(r->db, i, &p, NULL); i++) {
        const char *slash = strrchr(p.executable, '/'), *name = slash ? slash + 1 : p.executable;
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
            if (!strncmp(name, ways[k].program, strlen(ways[k].program)))
                return ways[k].way;
    }
    return "a perf map or jitdump: docs/measurement.md, section 2";
}

typedef struct generated {
    hsc_weighted all, unnamed;
    uint32_t hottest[NAMED], n; /* rows of scopes, by time of their own; those that have names */
    uint32_t first;             /* the hottest one of all */
} generated;

static void take(const report *r, generated *g, uint32_t row, bool named) {
    hsc_weighted *sums[] = {&g->all, named ? NULL : &g->unnamed};
    for (size_t i = 0; i < 2 && sums[i]; i++) {
        sums[i]->sum += r->excl[row];
        sums[i]->excess += r->excl_excess[row];
    }
    if (g->first == HSC_NONE || r->excl[row] > r->excl[g->first])
        g->first = row;
    for (uint32_t i = 0; named && i < NAMED; i++)
        if (i >= g->n || r->excl[row] > r->excl[g->hottest[i]]) {
            memmove(g->hottest + i + 1, g->hottest + i, (NAMED - i - 1) * sizeof *g->hottest);
            g->hottest[i] = row;
            g->n += g->n < NAMED;
            return;
        }
}

/* " Most: JS:*fib (t/fib.js:1) 0.263 s, 74.3 % (64.0 to 82.5 %)." */
static hsc_status put_names(const report *r, const generated *g, char *out, size_t size, hsc_err *err) {
    size_t at = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < g->n && r->excl[g->hottest[i]] >= NAMED_SHARE * g->all.sum; i++) {
        hsc_db_scope s;
        char share[140], place[200];
        hsc_status status = hsc_db_get_scope(r->db, g->hottest[i], &s, err);
        if (status)
            return status;
        findings_amount(r, (hsc_weighted){r->excl[g->hottest[i]], r->excl_excess[g->hottest[i]]}, share, sizeof share);
        findings_place(r, &s, place, sizeof place);
        bool has_place = place[0] && place[0] != '['; /* of its file; else the module's name */
        int n = snprintf(out + at, size - at, "%s%.120s%s%s%s %s", at ? ", " : " Most: ", s.name, has_place ? " (" : "", has_place ? place : "", has_place ? ")" : "", share);
        at += n > 0 && (size_t)n < size - at ? (size_t)n : 0;
    }
    if (at)
        snprintf(out + at, size - at, ".");
    return HSC_OK;
}

hsc_status findings_generated(findings *f, hsc_err *err) {
    report *r = f->r;
    generated g = {.first = HSC_NONE};
    hsc_db_scope s;
    hsc_db_module m;
    char text[2400], share[140], unnamed[140], names[1200], rest[600] = "";
    uint32_t module = HSC_NONE;
    for (uint32_t i = 0; i < r->info.modules; i++)
        if (!hsc_db_get_module(r->db, i, &m, NULL) && !strcmp(m.path, HSC_DB_GENERATED))
            module = i;
    for (uint32_t i = 0; i < r->info.scopes; i++) {
        hsc_status status = r->excl[i] > 0 ? hsc_db_get_scope(r->db, i, &s, err) : HSC_OK;
        if (status)
            return status;
        if (!(r->excl[i] > 0) || s.kind != HSC_SCOPE_PROCEDURE)
            continue;
        bool named = module != HSC_NONE && s.module == module;
        if (named || !strcmp(s.name, HSC_DB_NO_FILE))
            take(r, &g, i, named);
    }
    if (g.first == HSC_NONE || g.all.sum < TOLD * r->total)
        return HSC_OK;
    hsc_status status = put_names(r, &g, names, sizeof names, err);
    if (status || (status = hsc_db_get_scope(r->db, g.first, &s, err)))
        return status;
    findings_amount(r, g.all, share, sizeof share);
    findings_amount(r, g.unnamed, unnamed, sizeof unnamed);
    if (g.unnamed.sum >= TOLD * r->total)
        snprintf(rest, sizeof rest, " %s%s has no names here; its maker can tell them (%s).", names[0] ? "Of it " : "", names[0] ? unnamed : "It", way_of(r));
    snprintf(text, sizeof text, "Generated code: %s, is in machine code that is in no file: made while the program ran, as compilers for scripts and byte code do.%s%s", share, names, rest);
    findings_say(f, g.all.sum, "Generated code", g.all, spot_of_scope(g.first, &s), text);
    return HSC_OK;
}
