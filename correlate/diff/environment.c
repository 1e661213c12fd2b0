/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables of the environment that two runs did not have in common. */
#include <stdio.h>
#include <string.h>

#include "diff.h"

/* Of the first process of which it is known; "": of none. */
static const char *environment_of(const report *r) {
    hsc_db_process p;
    for (uint32_t i = 0; i < r->info.processes; i++)
        if (!hsc_db_get_process(r->db, i, &p, NULL) && *p.environment)
            return p.environment;
    return "";
}

/* A line "NAME=value": the name's bytes. 0: there is none left. */
static size_t name_of(const char *line) { return strchr(line, '=') ? strcspn(line, "=\n") : 0; }

static const char *next_of(const char *line) {
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

static int put_value(char *out, size_t size, const char *line) {
    enum { SHOWN = 60 };
    const char *value = line ? line + name_of(line) + 1 : "";
    size_t n = strcspn(value, "\n");
    return !line ? snprintf(out, size, "not set") : snprintf(out, size, n ? "%.*s%s" : "empty", (int)(n < SHOWN ? n : SHOWN), value, n > SHOWN ? "..." : "");
}

/* Names sort as lines do, but for what stands behind a shorter one: A=1, A_B=1. */
static int order_of(const char *a, const char *b) {
    size_t n = name_of(a), k = name_of(b);
    if (!n || !k)
        return !n - !k;
    int order = memcmp(a, b, (n < k ? n : k));
    return order ? order : n == k ? 0 : memcmp(a, b, (n < k ? n : k) + 1);
}

diff_environment diff_environment_of(const diff *d, char *out, size_t size) {
    const char *a = environment_of(&d->a), *b = environment_of(&d->b);
    uint32_t told = 0, more = 0;
    size_t at = 0;
    if (!*a || !*b)
        return DIFF_ENVIRONMENT_UNKNOWN;
    while (name_of(a) || name_of(b)) {
        int order = order_of(a, b);
        const char *in_a = order <= 0 ? a : NULL, *in_b = order >= 0 ? b : NULL, *line = in_a ? in_a : in_b;
        size_t n = strcspn(line, "\n");
        if (order || n != strcspn(b, "\n") || memcmp(a, b, n)) {
            char values[2][80], text[300];
            put_value(values[0], sizeof values[0], in_a);
            put_value(values[1], sizeof values[1], in_b);
            size_t k = (size_t)snprintf(text, sizeof text, "%s%.*s: %s -> %s", told ? "; " : "", (int)(name_of(line) < 60 ? name_of(line) : 60), line, values[0], values[1]);
            if (at + k + sizeof "; 64 more" < size && !more) {
                memcpy(out + at, text, k + 1);
                at += k;
                told++;
            } else {
                more++;
            }
        }
        a = in_a ? next_of(a) : a;
        b = in_b ? next_of(b) : b;
    }
    if (more && at < size)
        snprintf(out + at, size - at, "; %u more", more);
    return told || more ? DIFF_ENVIRONMENT_OTHER : DIFF_ENVIRONMENT_SAME;
}
