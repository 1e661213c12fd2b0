/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rules of categories.def, and before them those of the user's file (docs/measurement.md, section 5). */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "join_internal.h"

static const struct {
    uint8_t what;
    const char *pattern;
    uint8_t category;
    uint8_t strong;
} built_in[] = {
#define PROCEDURE HSC_JOIN_PROCEDURE
#define MODULE HSC_JOIN_MODULE
#define WORKER HSC_JOIN_WORKER
#define STRONG 1
#define SOFT 0
#define BODY HSC_JOIN_BODY
#define HSC_RULE(what, pattern, state, strength) {what, pattern, HSC_state_##state - 1, strength},
#include "categories.def"
#undef HSC_RULE
};

static const char *const short_names[CATEGORIES] = {"computation", "communication",   "waiting", "synchronisation",
                                                    "io",          "runtime", "memory"};

/* Row of a category by the name that the file or the database gives it; HSC_NO_INDEX: none. */
static uint32_t find(const join *j, const char *name) {
    for (uint32_t i = 0; i < j->categories.n; i++)
        if (!strcmp(j->categories.p[i], name) || (i < CATEGORIES && !strcmp(short_names[i], name)))
            return i;
    return HSC_NO_INDEX;
}

/* The next word of a line, or what stands in quotes; NULL: none. */
static char *next_word(char **at) {
    char *p = *at;
    while (isspace((unsigned char)*p))
        p++;
    if (!*p || *p == '#')
        return NULL;
    char quote = *p == '"' ? '"' : 0, *begin = p += quote != 0;
    while (*p && (quote ? *p != quote : !isspace((unsigned char)*p)))
        p++;
    *at = p + (*p != 0);
    *p = 0;
    return begin;
}

static hsc_status take_line(join *j, char *line, unsigned long number, hsc_err *err) {
    const char *path = j->options->categories;
    char *at = line, *word[5];
    int n = 0;
    while (n < 5 && (word[n] = next_word(&at)))
        n++;
    if (!n)
        return HSC_OK;
    if (!strcmp(word[0], "category") && n == 2) {
        const char *name = hsc_pool_intern(&j->pool, word[1], strlen(word[1]));
        if (find(j, word[1]) != HSC_NO_INDEX)
            return hsc_err_set(err, HSC_E_FORMAT, "%s:%lu: category '%s' is there already", path, number, word[1]);
        if (j->categories.n == CATEGORIES_MAX)
            return hsc_err_set(err, HSC_E_LIMIT, "%s:%lu: more than %u categories", path, number, CATEGORIES_MAX);
        return name && HSC_PUSH(j->categories, name) ? HSC_OK : hsc_join_no_memory(err);
    }
    uint8_t what = !strcmp(word[0], "procedure") ? HSC_JOIN_PROCEDURE : !strcmp(word[0], "module") ? HSC_JOIN_MODULE : HSC_JOIN_WORKER;
    bool strength = n == 4 && (!strcmp(word[3], "strong") || !strcmp(word[3], "soft"));
    if ((what == HSC_JOIN_WORKER && strcmp(word[0], "worker")) || (n != 3 && !strength))
        return hsc_err_set(err, HSC_E_FORMAT,
                           "%s:%lu: expected 'category NAME' or 'procedure|module|worker PATTERN CATEGORY [strong|soft]', got '%s%s'",
                           path, number, word[0], n > 1 ? " ..." : "");
    uint32_t category = find(j, word[2]);
    if (category == HSC_NO_INDEX)
        return hsc_err_set(err, HSC_E_FORMAT, "%s:%lu: no category '%s': a new one needs a line 'category %s' before", path,
                           number, word[2], word[2]);
    const char *pattern = hsc_pool_intern(&j->pool, word[1], strlen(word[1]));
    bool strong = n == 3 || !strcmp(word[3], "strong");
    return pattern && HSC_PUSH(j->rules, (jrule){what, strong, (uint8_t)category, pattern}) ? HSC_OK : hsc_join_no_memory(err);
}

static hsc_status take_file(join *j, hsc_err *err) {
    const char *path = j->options->categories;
    FILE *f = fopen(path, "r");
    if (!f)
        return hsc_err_set_errno(err, errno, "%s", path);
    hsc_status status = HSC_OK;
    char *line = NULL;
    size_t size = 0;
    for (unsigned long number = 1; status == HSC_OK && getline(&line, &size, f) >= 0; number++)
        status = take_line(j, line, number, err);
    if (status == HSC_OK && ferror(f))
        status = hsc_err_set(err, HSC_E_IO, "%s: can't be read", path);
    free(line);
    fclose(f);
    return status;
}

hsc_status hsc_join_make_categories(join *j, hsc_err *err) {
    for (unsigned i = 0; i < CATEGORIES; i++)
        if (!HSC_PUSH(j->categories, hsc_enum_text("state", i + 1)))
            return hsc_join_no_memory(err);
    hsc_status status = j->options->categories ? take_file(j, err) : HSC_OK;
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in && status == HSC_OK; i++)
        if (!HSC_PUSH(j->rules, (jrule){built_in[i].what, built_in[i].strong, built_in[i].category, built_in[i].pattern}))
            status = hsc_join_no_memory(err);
    return status;
}
