/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source lines with a margin that shows the nests of loops, and below the first line of each loop what became of it. */
#include "map_listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_facts.h"
#include "map_words.h"
#include "store/source.h"

#define LEVELS_MAX 8
#define CELL 4

typedef struct directive_row {
    const hsc_map_module *module;
    const hsc_rec_directive *record;
} directive_row;

typedef struct listing {
    const hsc_map_book *b;
    const hsc_listing_options *o;
    const char *path;
    char *text;                  /* of the file; NULL: not to be had */
    HSC_VEC(const char *) lines; /* line n is lines.p[n - 1], up to its line break */
    HSC_VEC(uint32_t) loops;     /* of the file, by first line */
    HSC_VEC(uint32_t) calls;     /* inlined ones, those with remarks, and messages, by line */
    HSC_VEC(uint32_t) procedures;
    HSC_VEC(directive_row) directives; /* of OpenMP, without a loop of their own, by line */
    int levels, digits;
    size_t next_loop, next_call, next_directive;
    HSC_VEC(uint64_t) said; /* hashes of the notes below the line at hand: instances of a template say the same */
} listing;

/* ---- colour ---- */

typedef enum ink { PLAIN, GOOD, POOR, NOTE, NUMBER } ink;

static void begin_ink(const listing *l, ink i) {
    static const char *const codes[] = {"", "\033[32m", "\033[33m", "\033[36m", "\033[2m"};
    if (l->o->colour)
        fputs(codes[i], stdout);
}

static void end_ink(const listing *l, ink i) {
    if (l->o->colour && i != PLAIN)
        fputs("\033[0m", stdout);
}

/* ---- the margin ---- */

static ink ink_of(const hsc_book_outcome *o) {
    return o->vector || o->library || o->fully ? GOOD : o->gone ? NUMBER : o->unrolled ? PLAIN : POOR;
}

static uint64_t end_of(const hsc_book_loop *l) {
    return l->record->line_end > l->record->line_begin ? l->record->line_end : l->record->line_begin;
}

/* The loops around a line, outermost first. */
static int nest_at(const listing *l, uint64_t line, uint32_t *nest) {
    int n = 0;
    for (size_t i = 0; i < l->loops.n; i++) {
        const hsc_book_loop *at = &l->b->loops.p[l->loops.p[i]];
        if (at->record->line_begin > line)
            break;
        if (line > end_of(at))
            continue;
        bool inside = !n || at->parent == nest[n - 1];
        if (inside && n < LEVELS_MAX)
            nest[n++] = l->loops.p[i];
    }
    return n;
}

/* `line` 0: below a line, no marks for begin and end. */
static void put_margin(const listing *l, const uint32_t *nest, int n, uint64_t line) {
    int closing = -1;
    bool opens = false;
    for (int i = 0; i < l->levels; i++) {
        char code[16] = "", cell[CELL + 1];
        ink color = NUMBER;
        if (i < n) {
            const hsc_book_loop *at = &l->b->loops.p[nest[i]];
            hsc_book_outcome o = hsc_map_outcome(l->b, at);
            hsc_map_outcome_code(&o, code, sizeof code);
            color = ink_of(&o);
            if (line && (at->record->line_begin == line || end_of(at) == line)) {
                closing = i;
                opens = opens || at->record->line_begin == line;
            }
        }
        bool rule = closing >= 0;
        snprintf(cell, sizeof cell, "%-*s", CELL, code);
        for (int k = (int)strlen(code); rule && k < CELL; k++)
            cell[k] = '-';
        begin_ink(l, color);
        fputs(cell, stdout);
        end_ink(l, color);
    }
    bool ends = false;
    for (int i = 0; i < n; i++)
        ends = ends || (line && end_of(&l->b->loops.p[nest[i]]) == line);
    if (l->levels)
        fputs(opens && ends ? "<> " : opens ? "<  " : ends ? ">  " : "   ", stdout);
}

static void put_number(const listing *l, uint64_t line) {
    begin_ink(l, NUMBER);
    if (line)
        printf("%*" PRIu64 " | ", l->digits, line);
    else
        printf("%*s | ", l->digits, "");
    end_ink(l, NUMBER);
}

static int margin_width(const listing *l) {
    return l->digits + 3 + (l->levels ? l->levels * CELL + 3 : 0);
}

/* A note in lines of the width, those after the first indented. */
static void put_note(listing *l, const uint32_t *nest, int n, const char *text, ink color) {
    uint64_t hash = hsc_hash64(0, text, strlen(text));
    for (size_t i = 0; i < l->said.n; i++)
        if (l->said.p[i] == hash)
            return;
    if (!HSC_PUSH(l->said, hash))
        l->said.n = 0;
    int room = l->o->width - margin_width(l) - 5;
    bool first = true;
    room = room < 30 ? 30 : room;
    while (*text) {
        size_t k = strlen(text);
        if (k > (size_t)room) {
            for (k = (size_t)room; k > 0 && text[k] != ' ';)
                k--;
            k = k ? k : (size_t)room;
        }
        put_number(l, 0);
        put_margin(l, nest, n, 0);
        begin_ink(l, color);
        printf("%s%.*s", first ? "  -- " : "     ", (int)k, text);
        end_ink(l, color);
        putchar('\n');
        text += k;
        while (*text == ' ')
            text++;
        first = false;
    }
}

static void put_source(const listing *l, uint64_t line) {
    int column = 0, room = l->o->width - margin_width(l);
    if (!line || line > l->lines.n)
        return;
    for (const char *p = l->lines.p[line - 1]; *p && *p != '\n' && *p != '\r'; p++) {
        if ((*p & 0xC0) != 0x80 && column >= room - 1 && p[1] && p[1] != '\n' && p[1] != '\r') {
            putchar('>'); /* goes on */
            return;
        }
        if (*p == '\t')
            do
                putchar(' ');
            while (++column % 8 && column < room - 1);
        else {
            putchar((unsigned char)*p < 0x20 || *p == 0x7F ? '?' : *p);
            column += (*p & 0xC0) != 0x80;
        }
    }
}

/* ---- what is said below a line ---- */

static void put_remarks(listing *l, const uint32_t *nest, int n, uint32_t first, uint32_t count, const char *file,
                        uint64_t line) {
    for (uint32_t i = 0; i < count; i++) {
        const hsc_book_remark *r = &l->b->remarks.p[first + i];
        char text[2000], full[2500], place[300] = "";
        bool missed = hsc_map_remark_is_missed(r->record);
        if (!hsc_map_remark_matters(r->record) && !l->o->all_remarks)
            continue;
        hsc_map_remark_text(r->record, text, sizeof text);
        const char *say = text, *what = "";
        if (!strncmp(text, "loop not vectorized: ", 21)) {
            say = text + 21;
            what = "not vectorised: ";
        }
        if (r->record->line && *r->file && strcmp(r->file, file))
            snprintf(place, sizeof place, " (%.200s:%" PRIu64 ")", hsc_map_file_name(r->file), r->record->line);
        else if (r->record->line && r->record->line != line)
            snprintf(place, sizeof place, " (line %" PRIu64 ")", r->record->line);
        snprintf(full, sizeof full, "%s%s%s%s%s%s", what, say, place, missed && *what ? "" : " [",
                 missed && *what ? "" : r->record->pass.p, missed && *what ? "" : "]");
        put_note(l, nest, n, full, missed ? POOR : NOTE);
    }
}

static void nest_of(const listing *l, uint32_t row, uint32_t *nest, int *n) {
    const hsc_map_book *b = l->b;
    int depth = 0;
    *n = 0;
    for (uint32_t k = row; k != HSC_NO_INDEX && depth < 64; k = b->loops.p[k].parent)
        depth++;
    for (uint32_t k = row; k != HSC_NO_INDEX && depth > 0; k = b->loops.p[k].parent)
        if (--depth < LEVELS_MAX) {
            nest[depth] = k;
            *n = *n > depth + 1 ? *n : depth + 1;
        }
}

/* Do both loops have the same code, where they are and where they were inlined? */
static bool same_code(const hsc_map_book *b, const hsc_book_loop *x, const hsc_book_loop *y) {
    char text_x[600], text_y[600];
    return !strcmp(hsc_map_versions_text(b, x, true, text_x, sizeof text_x),
                   hsc_map_versions_text(b, y, true, text_y, sizeof text_y)) &&
           !strcmp(hsc_map_versions_text(b, x, false, text_x, sizeof text_x),
                   hsc_map_versions_text(b, y, false, text_y, sizeof text_y));
}

/* The module that a loop's record is in; of copies in several modules it may not be the procedure's. NULL. */
static const hsc_map_module *module_of_loop(const hsc_map_book *b, const hsc_book_loop *at) {
    const hsc_map_module *m = b->procedures.p[at->procedure].module;
    return at->record >= m->loops && at->record < m->loops + m->n_loops ? m : NULL;
}

static const hsc_map_module *module_of_call(const hsc_map_book *b, const hsc_book_call *at) {
    const hsc_map_module *m = at->procedure == HSC_NO_INDEX ? NULL : b->procedures.p[at->procedure].module;
    return m && at->record >= m->callsites && at->record < m->callsites + m->n_callsites ? m : NULL;
}

static void put_facts(listing *l, const uint32_t *nest, int n, hsc_map_facts *facts) {
    for (size_t i = 0; i < facts->lines.n; i++)
        put_note(l, nest, n, facts->lines.p[i], NOTE);
    hsc_map_facts_fini(facts);
}

/* A loop; `same` of the `all` loops of this place (instances of a template) have its code. */
static void put_loop(listing *l, uint32_t row, size_t same, size_t all) {
    const hsc_map_book *b = l->b;
    const hsc_book_loop *at = &b->loops.p[row];
    uint32_t nest[LEVELS_MAX];
    char how[600], text[1200], of[64] = "", extent[200] = "";
    const hsc_map_module *m = module_of_loop(b, at);
    hsc_map_facts facts = {0};
    int n;
    nest_of(l, row, nest, &n);
    hsc_book_outcome o = hsc_map_outcome(b, at);
    const char *kind = hsc_enum_text("loop_kind", at->record->kind);
    if (all > 1)
        snprintf(of, sizeof of, ", in %zu of %zu instances", same, all);
    hsc_map_versions_text(b, at, true, how, sizeof how);
    if (m)
        hsc_map_loop_extent(m, at->record, extent, sizeof extent);
    snprintf(text, sizeof text, "%s %" PRIu64 "%s: %s%s", kind ? kind : "loop", at->record->line_begin, of,
             how[0] ? how : "no code of its own", extent);
    put_note(l, nest, n, text, how[0] ? ink_of(&o) : NOTE);
    if (m && hsc_map_loop_facts(m, at->record, &facts)) /* what there is no memory for is left out */
        put_facts(l, nest, n, &facts);
    for (uint32_t i = 0; i < at->versions; i++) { /* what became of it where it was inlined */
        const hsc_book_version *v = &b->versions.p[at->first_version + i];
        if (v->is_own || (i && !strcmp(b->versions.p[at->first_version + i - 1].function, v->function)))
            continue;
        hsc_book_loop part = *at;
        part.first_version = at->first_version + i;
        for (part.versions = 1; i + part.versions < at->versions &&
                                !strcmp(b->versions.p[at->first_version + i + part.versions].function, v->function);)
            part.versions++;
        hsc_book_outcome there = hsc_map_outcome(b, &part);
        char into[200];
        snprintf(text, sizeof text, "inlined into %s: %s", hsc_map_short_name(v->function, into, sizeof into),
                 hsc_map_versions_text(b, &part, false, how, sizeof how));
        put_note(l, nest, n, text, ink_of(&there));
    }
    put_remarks(l, nest, n, at->first_remark, at->remarks, at->file, at->record->line_begin);
    for (uint32_t i = 0; i < at->dependences; i++)
        put_note(l, nest, n,
                 hsc_map_dependence_text(b->dependences.p[at->first_dependence + i].record, text, sizeof text), POOR);
}

/* The loops that begin in one place, rows[0..count). */
static void put_loops(listing *l, const uint32_t *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const hsc_book_loop *at = &l->b->loops.p[rows[i]];
        size_t same = 0, all = 0;
        bool seen = false;
        for (size_t k = 0; k < count; k++) {
            const hsc_book_loop *o = &l->b->loops.p[rows[k]];
            if (o->record->column_begin != at->record->column_begin || o->record->depth != at->record->depth ||
                (k != i && o->procedure == at->procedure))
                continue;
            all++;
            same += same_code(l->b, at, o);
            seen = seen || (k < i && same_code(l->b, at, o));
        }
        if (!seen)
            put_loop(l, rows[i], same, all);
        else {
            uint32_t nest[LEVELS_MAX];
            int n;
            nest_of(l, rows[i], nest, &n);
            put_remarks(l, nest, n, at->first_remark, at->remarks, at->file, at->record->line_begin);
        }
    }
}

static void name_call(const hsc_map_book *b, const hsc_book_call *at, char *out, size_t size) {
    char name[200];
    if (at->callee == HSC_NO_INDEX) {
        snprintf(out, size, "%s", at->record->callee.p);
        return;
    }
    const hsc_book_procedure *p = &b->procedures.p[at->callee];
    hsc_map_short_name(p->record->name.p, name, sizeof name);
    if (p->file[0] && p->record->line_begin)
        snprintf(out, size, "%.180s (%.90s:%" PRIu64 ")", name, hsc_map_file_name(p->file), p->record->line_begin);
    else
        snprintf(out, size, "%s", name);
}

/* An inlined call whose callee has loops: what they became here. */
static void put_call_with_loops(listing *l, const uint32_t *nest, int n, const hsc_book_call *at) {
    const hsc_map_book *b = l->b;
    char text[2000], name[320], how[600];
    ink color = NOTE;
    name_call(b, at, name, sizeof name);
    size_t used = (size_t)snprintf(text, sizeof text, "inlined: %s", name);
    for (uint32_t i = 0, next; i < at->versions && used < sizeof text; i = next) {
        uint32_t loop = b->versions.p[b->call_versions.p[at->first_version + i]].loop;
        hsc_book_loop part = b->loops.p[loop];
        /* the rows of one loop and one call stand side by side, but for other functions in between */
        part.first_version = b->call_versions.p[at->first_version + i];
        part.versions = 0;
        for (next = i; next < at->versions && b->versions.p[b->call_versions.p[at->first_version + next]].loop == loop;
             next++)
            if (b->call_versions.p[at->first_version + next] == part.first_version + part.versions)
                part.versions++;
        hsc_book_outcome o = hsc_map_outcome(b, &part);
        color = i == 0 ? ink_of(&o) : NOTE;
        used += (size_t)snprintf(text + used, sizeof text - used, "; loop %" PRIu64 ": %s", part.record->line_begin,
                                 hsc_map_versions_text(b, &part, false, how, sizeof how));
    }
    put_note(l, nest, n, text, color);
}

/* The calls of one line, rows[0..count): one note for all that were inlined and have no loops. */
static void put_calls(listing *l, const uint32_t *rows, size_t count) {
    const hsc_map_book *b = l->b;
    uint32_t nest[LEVELS_MAX];
    int n = nest_at(l, b->calls.p[rows[0]].record->line, nest);
    char text[2000];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const hsc_book_call *at = &b->calls.p[rows[i]];
        char name[320], other[320];
        size_t times = 0;
        bool seen = false;
        if (at->inlined && at->versions)
            put_call_with_loops(l, nest, n, at);
        if (!at->inlined || at->versions)
            continue;
        name_call(b, at, name, sizeof name);
        for (size_t k = 0; k < count; k++) {
            const hsc_book_call *o = &b->calls.p[rows[k]];
            bool same = o->inlined && !o->versions && (name_call(b, o, other, sizeof other), !strcmp(name, other));
            seen = seen || (same && k < i);
            times += same;
        }
        if (seen || used + 400 > sizeof text)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "inlined: ", name);
        if (times > 1)
            used += (size_t)snprintf(text + used, sizeof text - used, " %zu times", times);
    }
    if (used)
        put_note(l, nest, n, text, NOTE);
    for (size_t i = 0; i < count; i++) {
        const hsc_book_call *at = &b->calls.p[rows[i]];
        const hsc_map_module *m = module_of_call(b, at);
        hsc_map_facts facts = {0};
        if (m && hsc_map_message_facts(m, at->record, &facts))
            put_facts(l, nest, n, &facts);
    }
    for (size_t i = 0; i < count; i++) {
        const hsc_book_call *at = &b->calls.p[rows[i]];
        put_remarks(l, nest, n, at->first_remark, at->remarks, at->file, at->record->line);
    }
}

/* ---- a file ---- */

static void put_line(listing *l, uint64_t line) {
    uint32_t nest[LEVELS_MAX];
    int n = nest_at(l, line, nest);
    put_number(l, line);
    put_margin(l, nest, n, line);
    put_source(l, line);
    putchar('\n');
    l->said.n = 0;
    while (l->next_loop < l->loops.n && l->b->loops.p[l->loops.p[l->next_loop]].record->line_begin < line)
        l->next_loop++;
    size_t first_loop = l->next_loop;
    while (l->next_loop < l->loops.n && l->b->loops.p[l->loops.p[l->next_loop]].record->line_begin == line)
        l->next_loop++;
    put_loops(l, l->loops.p + first_loop, l->next_loop - first_loop);
    for (; l->next_directive < l->directives.n && l->directives.p[l->next_directive].record->line <= line; l->next_directive++) {
        const directive_row *d = &l->directives.p[l->next_directive];
        hsc_map_facts facts = {0};
        if (d->record->line == line && hsc_map_directive_facts(d->module, d->record, &facts))
            put_facts(l, nest, n, &facts);
    }
    while (l->next_call < l->calls.n && l->b->calls.p[l->calls.p[l->next_call]].record->line < line)
        l->next_call++;
    size_t first = l->next_call;
    while (l->next_call < l->calls.n && l->b->calls.p[l->calls.p[l->next_call]].record->line == line)
        l->next_call++;
    if (l->next_call > first)
        put_calls(l, l->calls.p + first, l->next_call - first);
}

static bool split_lines(listing *l) {
    for (const char *p = l->text; p && *p;) {
        if (!HSC_PUSH(l->lines, p))
            return false;
        p = strchr(p, '\n');
        p = p ? p + 1 : p;
    }
    return true;
}

static bool is_wanted(const hsc_listing_options *o, const hsc_book_procedure *p) {
    size_t n = o->only ? strlen(o->only) : 0, k = strlen(p->file);
    if (!n)
        return true;
    bool file =
        k >= n && !strcmp(p->file + k - n, o->only) && (k == n || p->file[k - n - 1] == '/' || o->only[0] == '/');
    const char *name = p->record->name.p;
    const char *region = strstr(name, " [omp@"); /* an OpenMP region belongs to its procedure */
    size_t plain = strcspn(name, "(<"), whole = region ? (size_t)(region - name) : strlen(name);
    plain = plain < whole ? plain : whole;
    const char *last = name;
    for (const char *q = name; q + 1 < name + plain; q++)
        if (q[0] == ':' && q[1] == ':')
            last = q + 2;
    return file || !strcmp(name, o->only) || (whole == n && !strncmp(name, o->only, n)) || !strcmp(p->record->linkage_name.p, o->only) ||
           ((size_t)(name + plain - last) == n && !strncmp(last, o->only, n));
}

static int by_loop_line(const void *pa, const void *pb, void *ctx) {
    const hsc_map_book *b = ctx;
    uint32_t x = *(const uint32_t *)pa, y = *(const uint32_t *)pb;
    const hsc_rec_loop *a = b->loops.p[x].record, *c = b->loops.p[y].record;
    if (a->line_begin != c->line_begin)
        return a->line_begin < c->line_begin ? -1 : 1;
    if (a->depth != c->depth)
        return a->depth < c->depth ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int by_call_line(const void *pa, const void *pb, void *ctx) {
    const hsc_map_book *b = ctx;
    uint32_t x = *(const uint32_t *)pa, y = *(const uint32_t *)pb;
    const hsc_rec_callsite *a = b->calls.p[x].record, *c = b->calls.p[y].record;
    if (a->line != c->line)
        return a->line < c->line ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int by_directive_line(const void *pa, const void *pb, void *ctx) {
    const directive_row *x = pa, *y = pb;
    (void)ctx;
    if (x->record->line != y->record->line)
        return x->record->line < y->record->line ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

/* Those of a procedure that have no loop, whose note tells of them; *last_line at least that of the last. */
static bool collect_directives(listing *l, const hsc_book_procedure *p, bool *any, uint64_t *last_line) {
    for (size_t i = 0; i < p->module->n_directives; i++) {
        const hsc_rec_directive *d = &p->module->directives[i];
        if (d->procedure_id != p->record->procedure_id || d->file_id != p->record->file_id || d->loop_id || !d->line)
            continue;
        if (!HSC_PUSH(l->directives, ((directive_row){p->module, d})))
            return false;
        *any = true;
        *last_line = d->line > *last_line ? d->line : *last_line;
    }
    return true;
}

/* Counts of what became of the file's loops: "9 loops: 2 vector, 3 unrolled, 4 scalar" */
static void put_summary(const listing *l) {
    size_t vector = 0, unrolled = 0, fully = 0, library = 0, gone = 0, n = l->loops.n;
    for (size_t i = 0; i < n; i++) {
        hsc_book_outcome o = hsc_map_outcome(l->b, &l->b->loops.p[l->loops.p[i]]);
        vector += o.vector;
        unrolled += !o.vector && o.unrolled;
        fully += !o.vector && !o.unrolled && o.fully;
        library += !o.vector && !o.unrolled && !o.fully && o.library;
        gone += o.gone;
    }
    size_t scalar = n - vector - unrolled - fully - library - gone;
    printf("%s\n%zu loop%s", l->path, n, n == 1 ? "" : "s");
    const struct {
        size_t n;
        const char *what;
    } parts[] = {{vector, "V vector"},        {unrolled, "u unrolled"},        {scalar, "s scalar"},
                 {fully, "F unrolled fully"}, {library, "M memcpy or memset"}, {gone, "x no code left"}};
    const char *sep = ": ";
    for (size_t i = 0; i < 6; i++)
        if (parts[i].n) {
            printf("%s%zu %s", sep, parts[i].n, parts[i].what);
            sep = ", ";
        }
    printf("\n\n");
}

static bool collect(listing *l, uint32_t first, uint32_t end, uint64_t *last_line) {
    const hsc_map_book *b = l->b;
    *last_line = 1;
    for (uint32_t i = first; i < end; i++) {
        const hsc_book_procedure *p = &b->procedures.p[i];
        bool any = false;
        if (!is_wanted(l->o, p))
            continue;
        for (uint32_t k = 0; k < p->loops; k++) {
            const hsc_book_loop *at = &b->loops.p[p->first_loop + k];
            if (strcmp(at->file, l->path) || !at->record->line_begin)
                continue;
            any = true;
            if (!HSC_PUSH(l->loops, p->first_loop + k))
                return false;
            int depth = (int)(at->record->depth < LEVELS_MAX ? at->record->depth : LEVELS_MAX);
            l->levels = depth > l->levels ? depth : l->levels;
            *last_line = end_of(at) > *last_line ? end_of(at) : *last_line;
        }
        for (uint32_t k = 0; k < p->calls; k++) {
            const hsc_book_call *at = &b->calls.p[p->first_call + k];
            bool matters = at->inlined || (l->o->all_remarks && at->remarks);
            for (uint32_t r = 0; r < at->remarks && !matters; r++)
                matters = hsc_map_remark_matters(b->remarks.p[at->first_remark + r].record);
            matters = matters || (module_of_call(b, at) && hsc_map_is_message(module_of_call(b, at), at->record));
            if (strcmp(at->file, l->path) || !at->record->line || !matters)
                continue;
            any = true;
            if (!HSC_PUSH(l->calls, p->first_call + k))
                return false;
            *last_line = at->record->line > *last_line ? at->record->line : *last_line;
        }
        if (!strcmp(p->file, l->path) && !collect_directives(l, p, &any, last_line))
            return false;
        if ((any || l->o->only) && (!HSC_PUSH(l->procedures, i)))
            return false;
        if (any && p->record->line_end > *last_line)
            *last_line = p->record->line_end;
    }
    return true;
}

static hsc_status put_file(listing *l, uint64_t last_line, hsc_err *err) {
    const hsc_book_file *f = hsc_map_book_file(l->b, l->path);
    hsc_err missing = {0};
    struct stat st;
    bool changed = false;
    size_t size;
    hsc_status status = hsc_source_read(l->path, f ? f->checksum : "", &l->text, &size, &changed, &st, &missing);
    if (status == HSC_E_MEMORY || (status == HSC_OK && !split_lines(l)))
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", l->path);
    if (l->loops.n > 1)
        qsort_r(l->loops.p, l->loops.n, sizeof *l->loops.p, by_loop_line, (void *)l->b);
    if (l->calls.n > 1)
        qsort_r(l->calls.p, l->calls.n, sizeof *l->calls.p, by_call_line, (void *)l->b);
    if (l->directives.n > 1)
        qsort_r(l->directives.p, l->directives.n, sizeof *l->directives.p, by_directive_line, NULL);
    l->digits = 4;
    for (uint64_t v = last_line; v > 9999; v /= 10)
        l->digits++;
    put_summary(l);
    if (status != HSC_OK)
        printf("(no source: %s)\n\n", missing.text);
    else if (changed)
        printf("(the source was changed after it was compiled: lines may not fit)\n\n");
    uint64_t shown = 0;
    for (size_t i = 0; i < l->procedures.n; i++) {
        const hsc_rec_procedure *p = l->b->procedures.p[l->procedures.p[i]].record;
        uint64_t from = p->line_begin, to = p->line_end;
        const hsc_book_procedure *q = &l->b->procedures.p[l->procedures.p[i]];
        for (uint32_t k = 0; k < q->loops; k++) {
            const hsc_book_loop *at = &l->b->loops.p[q->first_loop + k];
            if (strcmp(at->file, l->path))
                continue;
            from = !from || at->record->line_begin < from ? at->record->line_begin : from;
            to = end_of(at) > to ? end_of(at) : to;
        }
        from = from > shown ? from : shown + 1;
        if (!from || to < from || strcmp(q->file, l->path))
            continue;
        if (shown && from > shown + 1)
            printf("%*s\n", l->digits, "...");
        for (uint64_t line = from; line <= to; line++) {
            bool marked =
                l->lines.n ||
                (l->next_loop < l->loops.n && l->b->loops.p[l->loops.p[l->next_loop]].record->line_begin <= line) ||
                (l->next_call < l->calls.n && l->b->calls.p[l->calls.p[l->next_call]].record->line <= line) ||
                (l->next_directive < l->directives.n && l->directives.p[l->next_directive].record->line <= line);
            if (marked)
                put_line(l, line);
        }
        shown = to;
    }
    putchar('\n');
    return HSC_OK;
}

hsc_status hsc_map_listing(const hsc_map_book *b, const hsc_listing_options *o, hsc_err *err) {
    hsc_status status = HSC_OK;
    bool any = false;
    size_t left_out = 0;
    for (uint32_t i = 0, end; i < b->procedures.n && status == HSC_OK; i = end) {
        listing l = {.b = b, .o = o, .path = b->procedures.p[i].file};
        uint64_t last_line;
        for (end = i; end < b->procedures.n && !strcmp(b->procedures.p[end].file, l.path);)
            end++;
        bool foreign = !o->only && !strncmp(l.path, "/usr/", 5) && strncmp(l.path, "/usr/local/", 11) != 0;
        if (foreign)
            left_out++;
        else if (!collect(&l, i, end, &last_line))
            status = hsc_err_set(err, HSC_E_MEMORY, "map: out of memory");
        else if (l.path[0] && l.procedures.n && (l.loops.n || l.calls.n || l.directives.n || o->only)) {
            any = true;
            status = put_file(&l, last_line, err);
        }
        free(l.text);
        free(l.lines.p);
        free(l.loops.p);
        free(l.calls.p);
        free(l.procedures.p);
        free(l.directives.p);
        free(l.said.p);
    }
    if (status == HSC_OK && left_out)
        printf("(left out: %zu file%s below /usr; --only=NAME shows one)\n", left_out, left_out == 1 ? "" : "s");
    if (status == HSC_OK && !any && o->only)
        status = hsc_err_set(err, HSC_E_MISSING, "no procedure and no source file is called '%s'", o->only);
    return status;
}
