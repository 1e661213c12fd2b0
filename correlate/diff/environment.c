/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables of the environment that two runs did not have in common. */
#include <stdio.h>
#include <string.h>

#include "diff.h"
#include "report_environment.h"

/* Whose next variable is the first by name: below 0 A's, above it B's, 0: both have it. */
static int order_of(const report_environment *a, uint32_t i, const report_environment *b, uint32_t k) {
    if (i == a->n || k == b->n)
        return (i == a->n) - (k == b->n);
    return report_compare_names(&a->list[i], &b->list[k]);
}

/* The same values, in however many processes of each. */
static bool are_alike(const report_environment *a, uint32_t i, const report_environment *b, uint32_t k) {
    uint32_t n = report_settings_of_one(a, i);
    if (n != report_settings_of_one(b, k))
        return false;
    for (uint32_t j = 0; j < n; j++)
        if (report_compare_settings(&a->list[i + j], &b->list[k + j]))
            return false;
    return true;
}

static void put_values(const report_environment *e, uint32_t i, bool is_there, char *out, size_t size) {
    if (is_there)
        report_environment_values(e, i, false, out, size);
    else
        snprintf(out, size, "not set");
}

static diff_environment compare(const report_environment *a, const report_environment *b, char *out, size_t size) {
    uint32_t told = 0, more = 0;
    size_t at = 0;
    for (uint32_t i = 0, k = 0; i < a->n || k < b->n;) {
        int order = order_of(a, i, b, k);
        const report_setting *s = order <= 0 ? &a->list[i] : &b->list[k];
        if (order || !are_alike(a, i, b, k)) {
            char values[2][180], text[460];
            put_values(a, i, order <= 0, values[0], sizeof values[0]);
            put_values(b, k, order >= 0, values[1], sizeof values[1]);
            size_t n = (size_t)snprintf(text, sizeof text, "%s%.*s: %s -> %s", told ? "; " : "", s->name_bytes < 60 ? s->name_bytes : 60, s->name, values[0], values[1]);
            if (at + n + sizeof "; 64 more" < size && !more) {
                memcpy(out + at, text, n + 1);
                at += n;
                told++;
            } else {
                more++;
            }
        }
        i += order <= 0 ? report_settings_of_one(a, i) : 0;
        k += order >= 0 ? report_settings_of_one(b, k) : 0;
    }
    if (more && at < size)
        snprintf(out + at, size - at, "%s%u more", told ? "; " : "", more);
    return told || more ? DIFF_ENVIRONMENT_OTHER : DIFF_ENVIRONMENT_SAME;
}

diff_environment diff_environment_of(const diff *d, char *out, size_t size) {
    report_environment a = {0}, b = {0};
    diff_environment found = DIFF_ENVIRONMENT_UNKNOWN;
    if (!report_environment_of(d->a.db, &a, NULL) && !report_environment_of(d->b.db, &b, NULL) && a.known && b.known)
        found = compare(&a, &b, out, size);
    report_environment_free(&a);
    report_environment_free(&b);
    return found;
}
