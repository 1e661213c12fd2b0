/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether the place that a report is asked for is anywhere in the database, and what is like it. */
#include "report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR = 3, NAME_MAX_BYTES = 64 };

typedef struct near {
    const char *name[NEAR];
    unsigned distance[NEAR];
    unsigned n;
} near;

/* Letters to change, add or leave out to make one of the other, whatever their case (Levenshtein); of long names the begin. */
static unsigned distance(const char *a, const char *b) {
    unsigned row[NAME_MAX_BYTES + 1], n = 0;
    while (b[n] && n < NAME_MAX_BYTES) {
        row[n] = n;
        n++;
    }
    row[n] = n;
    for (unsigned i = 0; a[i] && i < NAME_MAX_BYTES; i++) {
        unsigned before = row[0];
        row[0] = i + 1;
        for (unsigned k = 0; k < n; k++) {
            unsigned change = before + (tolower((unsigned char)a[i]) != tolower((unsigned char)b[k]));
            before = row[k + 1];
            unsigned least = before < row[k] ? before + 1 : row[k] + 1;
            row[k + 1] = change < least ? change : least;
        }
    }
    return row[n];
}

/* Does `name` have `text` in it, whatever their case? */
static bool has_in_any_case(const char *name, const char *text) {
    size_t n = strlen(text);
    for (; strlen(name) >= n; name++)
        if (!strncasecmp(name, text, n))
            return true;
    return false;
}

static void look_at(near *x, const char *text, const char *name) {
    size_t n = strlen(text);
    unsigned d = has_in_any_case(name, text) ? 0 : distance(text, name);
    if (!*name || d > 1 + n / 3)
        return;
    for (unsigned i = 0; i < x->n; i++)
        if (!strcmp(x->name[i], name))
            return;
    unsigned at = x->n < NEAR ? x->n++ : NEAR - 1;
    if (at == NEAR - 1 && x->name[at] && x->distance[at] <= d)
        return;
    for (; at && x->distance[at - 1] > d; at--) {
        x->name[at] = x->name[at - 1];
        x->distance[at] = x->distance[at - 1];
    }
    x->name[at] = name;
    x->distance[at] = d;
}

hsc_status report_check_where(const report *r, hsc_err *err) {
    near like = {.n = 0};
    char names[600] = "";
    if (!r->where)
        return HSC_OK;
    for (uint32_t i = 0; i < r->info.files; i++) {
        hsc_db_file f;
        if (hsc_db_get_file(r->db, i, &f, NULL))
            continue;
        if (strstr(f.path, r->where))
            return HSC_OK;
        const char *base = strrchr(f.path, '/');
        look_at(&like, r->where, base ? base + 1 : f.path);
    }
    for (uint32_t i = 0; i < r->info.scopes; i++) {
        hsc_db_scope s;
        if (hsc_db_get_scope(r->db, i, &s, NULL) || s.kind != HSC_SCOPE_PROCEDURE)
            continue;
        if (strstr(s.name, r->where))
            return HSC_OK;
        look_at(&like, r->where, s.name);
        if (report_wanted(r, i)) /* it is a file's line */
            return HSC_OK;
    }
    for (uint32_t i = 0; i < r->info.lines && strchr(r->where, ':'); i++)
        if (report_wanted_line(r, i))
            return HSC_OK;
    for (unsigned i = 0; i < like.n && like.distance[i] <= like.distance[0] + 1; i++) { /* much less like it is no help */
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s'%.150s'", i ? ", " : "; like it: ", like.name[i]);
    }
    return hsc_err_set(err, HSC_E_ARGUMENT, "%s: --where: expected a part of the name of a file or procedure, got '%s', which none of %u files and no procedure has%s",
                       r->info.path, r->where, r->info.files, names);
}
