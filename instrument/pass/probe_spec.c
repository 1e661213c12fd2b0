/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which probes the user asks for: the list of --probe and files of such lists. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

#define FILE_MAX_BYTES (4u << 20)

static const struct {
    const char *word;
    unsigned kind;
} kinds[] = {{"procedures", HSC_probe_kind_PROCEDURE},
             {"loops", HSC_probe_kind_LOOP},
             {"calls", HSC_probe_kind_CALL},
             {"messages", HSC_probe_kind_MESSAGE},
             {"values", HSC_probe_kind_VALUE}};

static bool bad(char *why, size_t size, const char *item, const char *what) {
    snprintf(why, size, "probe '%.200s': %s", item, what);
    return false;
}

static bool add_item(hsc_pass *p, hsc_probe_spec *s, const char *text, size_t n, char *why, size_t size) {
    char *item = (char *)hsc_pass_dup(p, text, n).p;
    hsc_probe_item i = {.exclude = *item == '-' || *item == '!', .glob = "*"};
    char *word = item + i.exclude, *rest = strchr(word, ':');
    size_t length = rest ? (size_t)(rest - word) : strlen(word);
    if (rest)
        rest++;
    if (length == 4 && !memcmp(word, "keep", 4) && !rest && !i.exclude) {
        s->keep = true;
        return true;
    }
    if (length == 4 && !memcmp(word, "auto", 4) && !i.exclude) {
        char *end = NULL;
        s->auto_percent = rest ? strtod(rest, &end) : 1;
        if (rest && (end == rest || *end || !(s->auto_percent > 0 && s->auto_percent <= 100)))
            return bad(why, size, item, "expected a percentage above 0 and at most 100");
        return true;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (length != strlen(kinds[k].word) || memcmp(word, kinds[k].word, length) != 0)
            continue;
        i.kind = kinds[k].kind;
        if (rest && !*rest)
            return bad(why, size, item, "a name is missing after the colon");
        char *colon = rest && i.kind == HSC_probe_kind_LOOP ? strrchr(rest, ':') : NULL;
        if (colon) {
            char *end;
            unsigned long line = strtoul(colon + 1, &end, 10);
            i.all_lines = !strcmp(colon + 1, "*");
            if (!i.all_lines && (end == colon + 1 || *end || !line || line > 0x7fffffff))
                return bad(why, size, item, "expected loops:FILE:LINE, with * for all lines");
            i.line = i.all_lines ? 0 : (unsigned)line;
            *colon = 0;
        }
        if (rest)
            i.glob = rest;
        i.text = rest && !i.exclude ? hsc_pass_dup(p, text, n).p : NULL;
        i.matched = hsc_arena_take(&p->arena, sizeof *i.matched);
        *HSC_VECTOR_ADD(s->items) = i;
        return true;
    }
    return bad(why, size, item, "expected procedures, loops, calls, messages, values, auto or keep");
}

bool hsc_probe_spec_add(hsc_pass *p, hsc_probe_spec *s, const char *list, char *why, size_t size) {
    for (const char *c = list; *c;) {
        size_t n = strcspn(c, ",");
        if (n && !add_item(p, s, c, n, why, size))
            return false;
        c += n + (c[n] == ',');
    }
    return true;
}

static bool add_file(hsc_pass *p, hsc_probe_spec *s, const char *path, char *why, size_t size) {
    FILE *f = fopen(path, "r");
    if (!f) {
        snprintf(why, size, "probe file %.300s: %s", path, strerror(errno));
        return false;
    }
    char *line = NULL;
    size_t room = 0, bytes = 0, number = 0;
    bool ok = true;
    for (ssize_t n; ok && (n = getline(&line, &room, f)) >= 0;) {
        number++;
        bytes += (size_t)n;
        char *begin = line + strspn(line, " \t"), *end = begin + strcspn(begin, "#\r\n"), text[512];
        while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        if (bytes > FILE_MAX_BYTES) {
            snprintf(why, size, "probe file %.300s: more than %u bytes", path, FILE_MAX_BYTES);
            ok = false;
        } else if (end > begin && !add_item(p, s, begin, (size_t)(end - begin), text, sizeof text)) {
            snprintf(why, size, "%.300s line %zu: %s", path, number, text);
            ok = false;
        }
    }
    free(line);
    fclose(f);
    return ok;
}

bool hsc_probe_spec_add_files(hsc_pass *p, hsc_probe_spec *s, const char *paths, char *why, size_t size) {
    for (const char *c = paths; *c;) {
        size_t n = strcspn(c, ":");
        if (n && !add_file(p, s, hsc_pass_dup(p, c, n).p, why, size))
            return false;
        c += n + (c[n] == ':');
    }
    return true;
}

static bool matches(const char *glob, const char *name) {
    return name && fnmatch(glob, name, 0) == 0;
}

/* In Fortran letters have no case, and a procedure of a module (module::sub) is called by its own name. */
static bool matches_procedure(const char *glob, const char *name, const char *symbol) {
    const char *plain = name;
    if (!name || !symbol || strncmp(symbol, "_Q", 2) != 0)
        return matches(glob, name);
    for (const char *c = name; (c = strstr(c, "::"));)
        plain = c += 2;
    return fnmatch(glob, name, FNM_CASEFOLD) == 0 || fnmatch(glob, plain, FNM_CASEFOLD) == 0;
}

/* Procedures of an OpenMP region are called "solve [omp@42]": who asks for solve means them too. */
static bool name_matches(const char *glob, const char *name, const char *symbol) {
    if (matches_procedure(glob, name, symbol) || matches(glob, symbol))
        return true;
    const char *region = name ? strstr(name, " [omp") : NULL;
    if (!region)
        return false;
    char *root = strndup(name, (size_t)(region - name));
    bool ok = root && matches_procedure(glob, root, symbol);
    free(root);
    return ok;
}

bool hsc_probe_spec_wants(const hsc_probe_spec *s, unsigned kind) {
    for (size_t i = 0; i < s->items.n; i++)
        if (s->items.p[i].kind == kind && !s->items.p[i].exclude)
            return true;
    return false;
}

hsc_probe_wish hsc_probe_spec_wish(const hsc_probe_spec *s, unsigned kind, const char *name, const char *symbol) {
    hsc_probe_wish wish = HSC_PROBE_UNNAMED;
    for (size_t i = 0; i < s->items.n && wish != HSC_PROBE_EXCLUDED; i++) {
        const hsc_probe_item *t = &s->items.p[i];
        if (t->kind != kind || !name_matches(t->glob, name, symbol))
            continue;
        *t->matched = true;
        wish = t->exclude ? HSC_PROBE_EXCLUDED : HSC_PROBE_WANTED;
    }
    return wish;
}

bool hsc_probe_spec_has(const hsc_probe_spec *s, unsigned kind, const char *name, const char *symbol) {
    return hsc_probe_spec_wish(s, kind, name, symbol) == HSC_PROBE_WANTED;
}

static bool path_matches(const char *glob, const char *path) {
    if (matches(glob, path))
        return true;
    for (const char *c = path; *c; c++)
        if (*c == '/' && matches(glob, c + 1))
            return true;
    return false;
}

/* Loops of the module that begin at the line; where none does, the innermost one round it. */
static bool is_at_line(const hsc_pass *p, const hsc_probe_item *t, const hsc_rec_loop *loop) {
    if (loop->line_begin == t->line)
        return true;
    if (t->line < loop->line_begin || t->line > loop->line_end)
        return false;
    for (size_t i = 0; i < p->loops.n; i++) {
        const hsc_rec_loop *o = &p->loops.p[i];
        if (o != loop && o->file_id == loop->file_id && t->line >= o->line_begin && t->line <= o->line_end &&
            (o->line_begin == t->line || (o->procedure_id == loop->procedure_id && o->depth > loop->depth)))
            return false;
    }
    return true;
}

hsc_probe_wish hsc_probe_spec_loop_wish(const hsc_pass *p, const hsc_probe_spec *s, const hsc_rec_loop *loop) {
    const char *path = loop->file_id ? p->files.p[loop->file_id - 1].path.p : "";
    hsc_probe_wish wish = HSC_PROBE_UNNAMED;
    for (size_t i = 0; i < s->items.n && wish != HSC_PROBE_EXCLUDED; i++) {
        const hsc_probe_item *t = &s->items.p[i];
        if (t->kind != HSC_probe_kind_LOOP || !path_matches(t->glob, path))
            continue;
        if (t->line ? !is_at_line(p, t, loop) : !t->all_lines && !t->exclude && loop->depth > 1)
            continue;
        *t->matched = true;
        wish = t->exclude ? HSC_PROBE_EXCLUDED : HSC_PROBE_WANTED;
    }
    return wish;
}
