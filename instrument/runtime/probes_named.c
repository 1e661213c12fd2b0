/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which items of lists name a probe. Of --arm and --disarm: each process tells the others of the measurement as its tables come, and the last line but one of the first
 * process says what none of them has, and what is most like it. Of --probe: a program's tables tell what the compiler found. */
#include "probes.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS = 32 /* of each list; of others nothing is said */, TEXT = 160, LOOKED_AT = 20000 /* probes */, FAR = 1000 };

typedef struct nearest {
    uint32_t distance;
    char text[TEXT];
} nearest;

static struct {
    uint64_t named, told; /* bit i: item i of --arm; ITEMS + i: of --disarm */
    bool has_probes, has_told;
    uint32_t looked_at;
    nearest *nearest; /* of each item that names nothing so far; NULL: not needed yet */
} me;

static const char *item_of(unsigned i, size_t *n) {
    const char *list = i < ITEMS ? hsc_rt.options.arm : hsc_rt.options.disarm;
    for (i %= ITEMS; i && *list; i--) {
        list += strcspn(list, ",");
        list += *list == ',';
    }
    *n = strcspn(list, ",");
    return *n ? list : NULL;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* Letters to change, add or leave out so that one becomes the other, small and capital ones alike (Levenshtein). */
static uint32_t letters_between(const char *a, size_t n, const char *b, size_t m) {
    uint32_t row[TEXT + 1];
    n = n < TEXT ? n : TEXT;
    m = m < TEXT ? m : TEXT;
    for (size_t j = 0; j <= m; j++)
        row[j] = (uint32_t)j;
    for (size_t i = 1; i <= n; i++) {
        uint32_t corner = row[0];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= m; j++) {
            uint32_t changed = corner + (lower(a[i - 1]) != lower(b[j - 1])), least = row[j] < row[j - 1] ? row[j] : row[j - 1];
            corner = row[j];
            row[j] = changed < least + 1 ? changed : least + 1;
        }
    }
    return row[m];
}

/* How unlike a probe is to what an item says behind its colon; FAR: more than half of it is another. */
static uint32_t distance_to(const char *said, size_t n, const char *name, const char *file, uint64_t line, bool is_loop) {
    const char *text = is_loop ? file : name;
    size_t length = strlen(text), digits = 0;
    while (is_loop && digits < n && said[n - 1 - digits] >= '0' && said[n - 1 - digits] <= '9')
        digits++;
    if (digits && digits < n && said[n - 1 - digits] == ':') {
        uint64_t asked = strtoull(said + n - digits, NULL, 10), apart = asked > line ? asked - line : line - asked;
        n -= digits + 1;
        if (length == n && !memcmp(said, text, n))
            return apart < FAR ? (uint32_t)apart : FAR - 1;
    }
    if (memmem(text, length, said, n))
        return 1;
    uint32_t d = letters_between(said, n, text, length);
    return 2 * d <= (n > length ? n : length) ? d + 1 : FAR;
}

static void look_at_likeness(nearest *best, const char *item, size_t n, const char *kind, const hsc_probe_entry *e, const char *name, const char *file) {
    size_t k = strlen(kind);
    if (n <= k + 1 || memcmp(item, kind, k) != 0 || item[k] != ':')
        return;
    bool is_loop = e->kind == HSC_probe_kind_LOOP;
    uint32_t d = distance_to(item + k + 1, n - k - 1, name, file, e->line, is_loop);
    if (d >= best->distance)
        return;
    size_t at = 0;
    best->distance = d;
    hsc_rt_append(best->text, sizeof best->text, &at, kind);
    hsc_rt_append(best->text, sizeof best->text, &at, ":");
    hsc_rt_append(best->text, sizeof best->text, &at, is_loop ? file : name);
    if (is_loop) {
        hsc_rt_append(best->text, sizeof best->text, &at, ":");
        hsc_rt_append_u64(best->text, sizeof best->text, &at, e->line);
    }
}

void hsc_rt_probes_see_named(const hsc_probe_entry *e, const char *name, const char *file) {
    size_t n;
    const char *item;
    me.has_probes = true;
    for (unsigned i = 0; i < 2 * ITEMS; i++) {
        if (!(item = item_of(i, &n))) {
            i |= ITEMS - 1; /* the list ends here */
            continue;
        }
        if (me.named >> i & 1)
            continue;
        if (hsc_rt_probe_is_meant(e, name, file, item, n)) {
            me.named |= 1ull << i;
            continue;
        }
        if (!me.nearest && (me.nearest = hsc_rt_map(2 * ITEMS * sizeof *me.nearest)))
            for (unsigned k = 0; k < 2 * ITEMS; k++)
                me.nearest[k].distance = FAR;
        if (me.nearest && me.looked_at < LOOKED_AT)
            look_at_likeness(&me.nearest[i], item, n, hsc_rt_probe_kind_word(e->kind), e, name, file);
    }
    me.looked_at++;
}

bool hsc_rt_probes_take_named(uint64_t *named) {
    if (!me.has_probes || (me.has_told && me.told == me.named))
        return false;
    me.has_told = true;
    *named = me.told = me.named;
    return true;
}

void hsc_rt_probes_say_unnamed(bool any, uint64_t named) {
    char line[4 * TEXT];
    bool lists = *hsc_rt.options.arm || *hsc_rt.options.disarm;
    if (lists && !any)
        hsc_rt_say("--arm and --disarm: nothing that ran has probes; heatscope cc --probe=LIST compiles them in");
    for (unsigned i = 0; lists && any && i < 2 * ITEMS; i++) {
        size_t n, at = 0;
        const char *item = item_of(i, &n);
        if (!item) {
            i |= ITEMS - 1;
            continue;
        }
        if (named >> i & 1 || (n == 3 && !memcmp(item, "all", 3)))
            continue;
        hsc_rt_append(line, sizeof line, &at, i < ITEMS ? "--arm: " : "--disarm: ");
        hsc_rt_append(line, at + n + 1 < 2 * TEXT ? at + n + 1 : 2 * TEXT, &at, item);
        hsc_rt_append(line, sizeof line, &at, " names none of the probes of what ran");
        if (me.nearest && me.nearest[i].distance < FAR) {
            hsc_rt_append(line, sizeof line, &at, "; nearest: ");
            hsc_rt_append(line, sizeof line, &at, me.nearest[i].text);
        }
        hsc_rt_say(line);
    }
}

/* ---- what was asked of the compiler ------------------------------------------------------------------------------------- */

enum { ASKED = 4096 /* items; of others nothing is said */ };

typedef struct asked {
    const char *item; /* in the table */
    uint32_t units;
    bool found;
} asked;

static const hsc_probe_entry *entries_of(const hsc_probe_table *t) {
    return (const hsc_probe_entry *)((const char *)t + HSC_PROBE_WORDS_AT + 4ull * ((t->count + 1) & ~1u));
}

/* The string behind, NULL: the table ends before. */
static const char *next_string(const hsc_probe_table *t, const char *s) {
    const char *end = (const char *)t + t->bytes, *nul = s < end ? memchr(s, 0, (size_t)(end - s)) : NULL;
    return nul ? nul + 1 : NULL;
}

static const char *skip_strings(const hsc_probe_table *t, uint64_t n) {
    const char *s = (const char *)(entries_of(t) + t->count);
    while (s && n--)
        s = next_string(t, s);
    return s;
}

/* The same list went to all units, most likely: an item is looked for where it was in the last one. */
static void look_at_asked(const hsc_probe_table *t, asked *all, uint32_t *n) {
    const char *s = skip_strings(t, 2ull * t->count), *next;
    for (uint32_t i = 0; s && i < t->asked && (next = next_string(t, s)); i++, s = next) {
        uint32_t k = i < *n && !strcmp(all[i].item, s + 1) ? i : 0;
        while (k < *n && strcmp(all[k].item, s + 1) != 0)
            k++;
        if (k == ASKED)
            continue;
        if (k == *n)
            all[(*n)++] = (asked){.item = s + 1};
        all[k].units++;
        all[k].found = all[k].found || *s == '+';
    }
}

static void find_nearest(const hsc_probe_table *first, const char *item, nearest *best) {
    uint32_t looked_at = 0;
    best->distance = FAR;
    for (const hsc_probe_table *t = first; t; t = (const hsc_probe_table *)t->link) { /* NOLINT */
        const char *name = skip_strings(t, 0), *file;
        for (uint32_t i = 0; i < t->count && looked_at < LOOKED_AT && name && (file = next_string(t, name)); i++, looked_at++) {
            const hsc_probe_entry *e = &entries_of(t)[i];
            look_at_likeness(best, item, strlen(item), hsc_rt_probe_kind_word(e->kind), e, name, file);
            name = next_string(t, file);
        }
    }
}

void hsc_rt_probes_tell_unfound(const hsc_probe_table *first, const hsc_probe_table *end, uint64_t now) {
    uint32_t n = 0;
    asked *all = NULL;
    for (const hsc_probe_table *t = first; t && t != end; t = (const hsc_probe_table *)t->link) /* NOLINT */
        if (t->asked && (all || (all = hsc_rt_map(ASKED * sizeof *all))))
            look_at_asked(t, all, &n);
    for (uint32_t i = 0; i < n; i++) {
        char text[4 * TEXT];
        size_t at = 0;
        nearest best;
        if (all[i].found)
            continue;
        find_nearest(first, all[i].item, &best);
        hsc_rt_append(text, sizeof text, &at, "probes: --probe=");
        hsc_rt_append(text, 2 * TEXT, &at, all[i].item);
        hsc_rt_append(text, sizeof text, &at, " names no code of ");
        hsc_rt_append_u64(text, sizeof text, &at, all[i].units);
        hsc_rt_append(text, sizeof text, &at, all[i].units == 1 ? " source file" : " source files");
        hsc_rt_append(text, sizeof text, &at, " (not there, or inlined everywhere: `keep`)");
        if (best.distance < FAR) {
            hsc_rt_append(text, sizeof text, &at, "; nearest: ");
            hsc_rt_append(text, sizeof text, &at, best.text);
        }
        hsc_rec_note r = {now, {text, at}};
        hsc_rt_file_put(HSC_REC_note, &r, now);
    }
    hsc_rt_unmap(all, ASKED * sizeof *all);
}
