/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Static records of the compiler into the module's tables. Ids in the records are local to their group (translation
 * unit); here they become rows of tables that all units share, and what several units hold (inline procedures of
 * headers) is merged. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/linkage.h>
#include <heatscope/formats/stream.h>

#include "code_internal.h"
#include "map_data.h"

#include <heatscope/formats/tags.h>
#include <heatscope/sorted.h>

typedef struct known_text { /* of the reader's chunk */
    const char *p, *kept;
} known_text;
#define KNOWN_TEXTS 1024u

/* The records of one group, strings interned; references are resolved when all are there. */
typedef struct group_records {
    uint32_t group;
    HSC_VEC(hsc_rec_file) files;
    HSC_VEC(hsc_rec_procedure) procedures;
    HSC_VEC(hsc_rec_loop) loops;
    HSC_VEC(hsc_rec_callsite) calls;
    HSC_VEC(hsc_rec_loop_instance) instances;
    HSC_VEC(hsc_rec_place) places;
    HSC_VEC(hsc_rec_inline) inlines;
    HSC_VEC(hsc_rec_remark) remarks;
    HSC_VEC(hsc_rec_dependence) dependences;
    hsc_map_data *data; /* NULL: not wanted */
    hsc_tags *tags;
    hsc_id_rows file_rows, procedure_rows, instance_rows;
    hsc_id_rows vector_bytes; /* by procedure, of the unit's own code: units may be compiled for several processors */
    HSC_VEC(uint32_t) group_of_instance; /* by row */
    known_text texts[KNOWN_TEXTS]; /* by where they stand: most texts of a chunk are there once and used often */
    uint64_t texts_of; /* chunk that they are of */
} group_records;

/* A text of the record at hand. */
static bool intern(hsc_code *c, group_records *g, hsc_str *s) {
    known_text *at = &g->texts[((uintptr_t)s->p * 0x9E3779B97F4A7C15u) >> 54];
    if (at->p != s->p || !s->p || strlen(at->kept) != s->n) {
        const char *kept = hsc_pool_intern(&c->pool, s->p, s->n);
        if (!kept)
            return false;
        *at = (known_text){s->p, kept};
    }
    s->p = at->kept;
    s->n = strlen(s->p);
    return true;
}

static uint32_t row_of(const hsc_id_rows *t, const group_records *g, uint64_t id) { return hsc_id_rows_get(t, g->group, id); }

static bool set_row(hsc_id_rows *t, const group_records *g, uint64_t id, uint32_t row) {
    return hsc_id_rows_set(t, g->group, id, row);
}

static uint32_t clamp(uint64_t v) {
    return v < 0xFFFFFFFFu ? (uint32_t)v : 0;
}

/* Counts tags that stand for two different rows. `line` 0: of what the compiler itself wrote (flang's inline forms of
 * intrinsic procedures), which each unit may have its own copy of. */
static bool check_tag(hsc_code *c, uint64_t tag, uint64_t kind, uint32_t row, uint64_t line) {
    if (!line)
        return true;
    uint32_t *at = hsc_table_at(&c->row_by_tag, tag, kind);
    if (at && *at == HSC_NO_INDEX)
        *at = row;
    else if (at && *at != row && tag && !(!kind && c->procedures.p[*at].linkage == c->procedures.p[row].linkage)) /* flang's sum is in each source that calls it */
        c->tag_collisions++;
    return at != NULL;
}

static bool add_files(hsc_code *c, group_records *g) {
    for (size_t i = 0; i < g->files.n; i++) {
        const hsc_rec_file *f = &g->files.p[i];
        uint32_t row;
        if (!hsc_code_add_file(c, f->path.p, f->path.n, f->directory.p, f->directory.n, &row) ||
            !set_row(&g->file_rows, g, f->file_id, row))
            return false;
        if (row != HSC_NO_INDEX && f->checksum.n == 16 && !c->files.p[row].checksum[0]) {
            char text[33];
            for (int k = 0; k < 16; k++)
                snprintf(text + 2 * k, 3, "%02x", f->checksum.p[k]);
            const char *kept = hsc_pool_intern(&c->pool, text, 32);
            if (!kept)
                return false;
            c->files.p[row].checksum = kept;
        }
    }
    return true;
}

/* "poly<int>" of "far::away<a::b>::poly<int>", as debug information names it. */
static const char *last_part(const char *name) {
    const char *part = name;
    int depth = 0;
    for (const char *p = name; (p = strstr(p, "operator")); p += 8)
        if ((p == name || p[-1] == ':') && !isalnum((unsigned char)p[8]) && p[8] != '_')
            return p;
    for (const char *p = name; *(p += strcspn(p, ":<>()")); p++) {
        depth += (*p == '<' || *p == '(') - (*p == '>' || *p == ')');
        if (!depth && p[0] == ':' && p[1] == ':')
            part = p + 2;
    }
    return part;
}

static bool add_name(hsc_code *c, uint32_t group, const char *name, uint32_t row) {
    bool has_arguments = name[hsc_name_before_arguments(name)];
    for (int any = 0; any <= has_arguments; any++) {
        const char *key = hsc_name_key(&c->pool, name, any);
        uint32_t *at = key ? hsc_table_at(&c->procedure_by_name, group, (uintptr_t)key) : NULL;
        if (!at)
            return false;
        *at = *at == HSC_NO_INDEX || *at == row ? row : HSC_NO_INDEX - 1;
    }
    return true;
}

/* A procedure that is known by its name alone, as line tables have it, is the one of that name at that line, where there is one: a coroutine of which only parts are left. */
static bool join_nameless(hsc_code *c, group_records *g) {
    for (size_t i = 0; i < g->procedures.n; i++) {
        const hsc_rec_procedure *p = &g->procedures.p[i];
        if (!(p->flags & HSC_procedure_flag_DECLARED) || !p->name.n || p->name.n != p->linkage_name.n || memcmp(p->name.p, p->linkage_name.p, p->name.n))
            continue;
        uint32_t row = row_of(&g->procedure_rows, g, p->procedure_id);
        const char *name = row == HSC_NO_INDEX ? NULL : c->procedures.p[row].linkage, *key = name ? hsc_name_key(&c->pool, last_part(name), false) : NULL;
        uint32_t other = key ? hsc_table_get(&c->procedure_by_name, g->group, (uintptr_t)key) : HSC_NO_INDEX;
        if (name && !key)
            return false;
        if (other >= HSC_NO_INDEX - 1 || other == row || c->procedures.p[other].file != c->procedures.p[row].file || c->procedures.p[other].line_begin != clamp(p->line_begin))
            continue;
        uint32_t *by_group = hsc_table_at(&c->procedure_by_group, g->group, (uintptr_t)name);
        if (!by_group || !set_row(&g->procedure_rows, g, p->procedure_id, other))
            return false;
        *by_group = other;
    }
    return true;
}

static bool add_procedures(hsc_code *c, group_records *g) {
    for (size_t i = 0; i < g->procedures.n; i++) {
        const hsc_rec_procedure *p = &g->procedures.p[i];
        const char *linkage = p->linkage_name.n ? p->linkage_name.p : p->name.p;
        const char *name = p->name.n ? p->name.p : linkage;
        uint32_t row;
        bool is_new;
        if (!hsc_code_add_procedure(c, linkage, name, row_of(&g->file_rows, g, p->file_id), &row, &is_new) ||
            !set_row(&g->procedure_rows, g, p->procedure_id, row) || !set_row(&g->vector_bytes, g, p->procedure_id, clamp(p->vector_bytes)))
            return false;
        hsc_code_procedure *at = &c->procedures.p[row];
        if (is_new || (at->flags & HSC_procedure_flag_DECLARED && !(p->flags & HSC_procedure_flag_DECLARED))) {
            at->line_begin = clamp(p->line_begin);
            at->line_end = clamp(p->line_end);
            at->flags = (uint32_t)p->flags;
            at->tag = p->tag;
            at->knowledge = HSC_KNOWN_MAP;
            if (!check_tag(c, at->tag, 0, row, at->line_begin))
                return false;
        }
        if (p->flags & HSC_procedure_flag_MAIN && !strcmp(linkage, "_QQmain") && strcmp(name, "main program") && strcmp(name, linkage)) { /* its symbol does not tell it */
            char text[300];
            int size = snprintf(text, sizeof text, "main program %s", name);
            if (!(at->name = hsc_pool_intern(&c->pool, text, size < (int)sizeof text ? (size_t)size : sizeof text - 1)))
                return false;
        }
        if (at->line_end < p->line_end && at->line_begin == p->line_begin)
            at->line_end = clamp(p->line_end);
        uint32_t *by_group = hsc_table_at(&c->procedure_by_group, g->group, (uintptr_t)linkage);
        if (!by_group)
            return false;
        *by_group = row;
        /* of a coroutine, which has the loops: all have its name */
        bool is_piece = linkage[hsc_linkage_whole(linkage, strlen(linkage))] || strstr(linkage, ".__await_suspend_wrapper__");
        bool is_nameless = p->flags & HSC_procedure_flag_DECLARED && !strcmp(linkage, name);
        if (!is_piece && !is_nameless && !add_name(c, g->group, last_part(name), row))
            return false;
    }
    if (!join_nameless(c, g))
        return false;
    for (size_t i = 0; i < g->procedures.n; i++) {
        uint32_t row = row_of(&g->procedure_rows, g, g->procedures.p[i].procedure_id);
        uint32_t parent = row_of(&g->procedure_rows, g, g->procedures.p[i].parent_id);
        if (row != HSC_NO_INDEX && parent != row && parent != HSC_NO_INDEX)
            c->procedures.p[row].parent = parent;
    }
    return true;
}

static bool add_loops(hsc_code *c, group_records *g) {
    for (size_t i = 0; i < g->loops.n; i++) {
        const hsc_rec_loop *l = &g->loops.p[i];
        uint32_t procedure = row_of(&g->procedure_rows, g, l->procedure_id);
        if (procedure == HSC_NO_INDEX)
            continue;
        uint64_t position = l->line_begin << 24 ^ l->column_begin << 8 ^ l->kind;
        uint32_t *at = hsc_table_at(&c->loop_by_key, l->tag ^ (uint64_t)procedure << 32, position);
        if (!at)
            return false;
        if (*at == HSC_NO_INDEX) {
            *at = (uint32_t)c->loops.n;
            hsc_code_loop row = {.tag = l->tag,
                                 .procedure = procedure,
                                 .parent = HSC_NO_INDEX,
                                 .file = row_of(&g->file_rows, g, l->file_id),
                                 .line_begin = clamp(l->line_begin),
                                 .line_end = clamp(l->line_end),
                                 .column_begin = clamp(l->column_begin),
                                 .depth = clamp(l->depth),
                                 .kind = clamp(l->kind),
                                 .flags = clamp(l->flags),
                                 .knowledge = HSC_KNOWN_MAP,
                                 .variable = l->induction.p,
                                 .first = l->start.p,
                                 .bound = l->bound.p,
                                 .step = l->step,
                                 .trips = l->trips,
                                 .trips_max = l->trips_max,
                                 .trips_multiple = l->trips_multiple,
                                 .collapsed = clamp(l->collapsed)};
            if (!HSC_PUSH(c->loops, row) || !check_tag(c, l->tag, 1, *at, l->line_begin))
                return false;
        }
        uint32_t row = *at;
        if (!set_row(&c->site_by_id, g, l->loop_id, (uint32_t)c->sites.n) ||
            !HSC_PUSH(c->sites, (hsc_site){.loop = row, .procedure = procedure, .call_file = HSC_NO_INDEX, .directive = HSC_NO_INDEX}))
            return false;
    }
    /* Parents. A cycle (hostile input) is cut: a parent must lie in the same procedure and have a smaller depth. */
    for (size_t i = 0; i < g->loops.n; i++) {
        uint32_t site = row_of(&c->site_by_id, g, g->loops.p[i].loop_id);
        uint32_t parent = row_of(&c->site_by_id, g, g->loops.p[i].parent_id);
        if (site == HSC_NO_INDEX || parent == HSC_NO_INDEX || c->sites.p[site].is_call || c->sites.p[parent].is_call)
            continue;
        hsc_code_loop *row = &c->loops.p[c->sites.p[site].loop];
        const hsc_code_loop *up = &c->loops.p[c->sites.p[parent].loop];
        if (up->procedure == row->procedure && up->depth < row->depth)
            row->parent = c->sites.p[parent].loop;
    }
    return true;
}

static bool add_calls(hsc_code *c, group_records *g) {
    for (size_t i = 0; i < g->calls.n; i++) {
        const hsc_rec_callsite *s = &g->calls.p[i];
        uint32_t around = row_of(&c->site_by_id, g, s->loop_id);
        hsc_site site = {.loop = around == HSC_NO_INDEX ? HSC_NO_INDEX : c->sites.p[around].loop,
                         .procedure = row_of(&g->procedure_rows, g, s->procedure_id),
                         .call_file = row_of(&g->file_rows, g, s->file_id),
                         .call_line = clamp(s->line),
                         .call_column = clamp(s->column),
                         .is_call = true,
                         .directive = HSC_NO_INDEX,
                         .callee = s->callee.n ? s->callee.p : NULL,
                         .next_call = HSC_NO_INDEX};
        if (site.procedure == HSC_NO_INDEX)
            continue;
        uint32_t row = (uint32_t)c->sites.n;
        uint32_t *by_position = hsc_table_at(&c->call_by_position, (uint64_t)site.procedure << 32 | site.call_file,
                                             (uint64_t)site.call_line << 32 | site.call_column);
        if (!by_position)
            return false;
        if (*by_position == HSC_NO_INDEX)
            *by_position = row;
        if (!HSC_PUSH(c->sites, site) || !set_row(&c->site_by_id, g, s->callsite_id, row))
            return false;
    }
    return true;
}

/* ---- remarks ---- */

static uint64_t position_of(uint64_t line, uint64_t column) { return line << 32 | (uint32_t)column; }

typedef struct call_in { /* a call that stands in a loop */
    uint32_t loop, call;
} call_in;

typedef struct call_list { /* calls of a group by where they are */
    hsc_table first; /* (file id, position): place in its calls */
    uint32_t *next;  /* [call]: the next one there; HSC_NO_INDEX */
    HSC_VEC(call_in) within; /* by loop, of those that are calls in the code, too; with those of the loops in it. Made when first asked for */
    bool has_within;
} call_list;

#define CALL_OF " (call of "

static bool list_calls(const group_records *g, call_list *l) {
    l->next = malloc((g->calls.n + 1) * sizeof *l->next);
    for (size_t i = l->next ? g->calls.n : 0; i-- > 0;) {
        const hsc_rec_callsite *s = &g->calls.p[i];
        if (!s->callee.n || !s->line || !s->column)
            continue;
        uint32_t *at = hsc_table_at(&l->first, s->file_id, position_of(s->line, s->column));
        if (!at)
            return false;
        l->next[i] = *at;
        *at = (uint32_t)i;
    }
    return l->next;
}

typedef struct called { /* what a remark on its loop may be about */
    uint32_t first, other; /* calls; HSC_NO_INDEX: none. other: of another procedure than the first, at the same place */
} called;

static bool is_in_loop(const hsc_code *c, uint32_t site, uint32_t loop) {
    for (uint32_t up = c->sites.p[site].loop; up != HSC_NO_INDEX; up = c->loops.p[up].parent)
        if (up == loop)
            return true;
    return false;
}

/* Does the procedure run a region's body, in which the loops of the region are? */
static bool forks(const char *callee) { return !strncmp(callee, "__kmpc_fork_", 12) || !strncmp(callee, "GOMP_parallel", 13); }

/* It stands at its loop, and not at the call that is in the way. */
static bool is_of_loop(const hsc_rec_remark *r) { return !strcmp(r->name.p, "CantVectorizeInstruction"); }

static int by_loop(const void *a, const void *b) {
    const call_in *x = a, *y = b;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    return (x->call > y->call) - (x->call < y->call);
}

/* What is known to be put in line: calls that there are copies of, and procedures of the unit without code of their own. */
typedef struct put_in {
    hsc_table copied;  /* callsite id */
    hsc_table emitted; /* procedure id */
    hsc_table defined; /* linker's name, as it is kept: procedure */
} put_in;

static bool note_put_in(const group_records *g, put_in *p) {
    bool ok = true;
    uint32_t *at = NULL;
    for (size_t i = 0; ok && i < g->inlines.n; i++)
        if ((ok = (at = hsc_table_at(&p->copied, g->inlines.p[i].site_id, 0))))
            *at = 1;
    for (size_t i = 0; ok && i < g->places.n; i++)
        if ((ok = (at = hsc_table_at(&p->emitted, g->places.p[i].function_id, 0))))
            *at = 1;
    for (size_t i = 0; ok && i < g->procedures.n; i++)
        if (g->procedures.p[i].linkage_name.n && g->procedures.p[i].line_begin && (ok = (at = hsc_table_at(&p->defined, (uintptr_t)g->procedures.p[i].linkage_name.p, 0))))
            *at = (uint32_t)i;
    return ok;
}

static bool was_put_in(const group_records *g, const put_in *p, const hsc_rec_callsite *call) {
    uint32_t procedure = hsc_table_get(&p->defined, (uintptr_t)call->callee.p, 0);
    return hsc_table_get(&p->copied, call->callsite_id, 0) != HSC_NO_INDEX ||
           (procedure != HSC_NO_INDEX && hsc_table_get(&p->emitted, g->procedures.p[procedure].procedure_id, 0) == HSC_NO_INDEX);
}

static bool list_within(const hsc_code *c, const group_records *g, call_list *l) {
    put_in known = {0};
    bool ok = note_put_in(g, &known);
    for (uint32_t i = 0; ok && i < g->calls.n; i++) {
        const hsc_rec_callsite *s = &g->calls.p[i];
        uint32_t site = s->callee.n ? row_of(&c->site_by_id, g, s->callsite_id) : HSC_NO_INDEX;
        if (site == HSC_NO_INDEX || was_put_in(g, &known, s))
            continue;
        for (uint32_t up = c->sites.p[site].loop; ok && up != HSC_NO_INDEX; up = c->loops.p[up].parent)
            ok = HSC_PUSH(l->within, ((call_in){up, i}));
    }
    if (ok && l->within.n > 1)
        qsort(l->within.p, l->within.n, sizeof *l->within.p, by_loop);
    hsc_table_fini(&known.copied);
    hsc_table_fini(&known.emitted);
    hsc_table_fini(&known.defined);
    l->has_within = ok;
    return ok;
}

/* Calls that stand in the loop itself or in one within, of one or two procedures; none, where of more. */
static called calls_within(const group_records *g, const call_list *l, uint32_t loop) {
    called found = {HSC_NO_INDEX, HSC_NO_INDEX};
    size_t at;
    HSC_SEARCH(at, l->within.n, l->within.p[at].loop < loop);
    for (; at < l->within.n && l->within.p[at].loop == loop; at++) {
        uint32_t i = l->within.p[at].call;
        const char *name = g->calls.p[i].callee.p;
        if (found.first == HSC_NO_INDEX)
            found.first = i;
        else if (!strcmp(name, g->calls.p[found.first].callee.p) || (found.other != HSC_NO_INDEX && !strcmp(name, g->calls.p[found.other].callee.p)))
            continue;
        else if (found.other == HSC_NO_INDEX)
            found.other = i;
        else
            return (called){HSC_NO_INDEX, HSC_NO_INDEX};
    }
    return found;
}

/* Of the calls where it says, those in the loop or one within; where the loop is not known or they were inlined into it, all. An array statement has calls before and
 * after its loops at the same place, and a macro several in it. */
static called calls_of_remark(const hsc_code *c, const group_records *g, const hsc_rec_remark *r, const call_list *l) {
    uint32_t first = hsc_table_get(&l->first, r->file_id, position_of(r->line, r->column)), site = row_of(&c->site_by_id, g, r->site_id);
    uint32_t loop = site == HSC_NO_INDEX || c->sites.p[site].is_call ? HSC_NO_INDEX : c->sites.p[site].loop;
    called inside = {HSC_NO_INDEX, HSC_NO_INDEX}, outside = inside;
    for (uint32_t at = first; at != HSC_NO_INDEX; at = l->next[at]) {
        uint32_t of = loop == HSC_NO_INDEX ? HSC_NO_INDEX : row_of(&c->site_by_id, g, g->calls.p[at].callsite_id);
        called *to = loop != HSC_NO_INDEX && of == HSC_NO_INDEX                                        ? NULL
                     : loop == HSC_NO_INDEX || is_in_loop(c, of, loop)                                 ? &inside
                     : c->sites.p[of].procedure != c->loops.p[loop].procedure                          ? &outside
                                                                                                       : NULL;
        if (to == &outside && forks(g->calls.p[at].callee.p))
            continue; /* at the line of the directive, as the loop that it makes of the region's */
        if (to && to->first == HSC_NO_INDEX)
            to->first = at;
        else if (to && to->other == HSC_NO_INDEX && strcmp(g->calls.p[at].callee.p, g->calls.p[to->first].callee.p))
            to->other = at;
    }
    if (inside.first == HSC_NO_INDEX && outside.first == HSC_NO_INDEX && loop != HSC_NO_INDEX && is_of_loop(r))
        inside = calls_within(g, l, loop);
    return inside.first != HSC_NO_INDEX ? inside : outside;
}

/* " (call of sin)", " (call of f or g)", as the linker knows them */
static void put_called(const group_records *g, const called *of, char *out, size_t size) {
    const uint32_t all[] = {of->first, of->other};
    for (unsigned i = 0; i < 2 && all[i] != HSC_NO_INDEX; i++) {
        size_t at = i ? strlen(out) - 1 : 0;
        snprintf(out + at, size - at, "%s%s)", i ? " or " : CALL_OF, g->calls.p[all[i]].callee.p);
    }
}

/* The message of a remark on a call that is in the way, with what is called; NULL: out of memory. The pass names it; of maps that it made before it did, it is looked for by the place. */
static const char *name_called(hsc_code *c, const group_records *g, const hsc_rec_remark *r, const call_list *calls) {
    if (strstr(r->message.p, CALL_OF))
        return r->message.p;
    const called of = calls_of_remark(c, g, r, calls);
    if (of.first == HSC_NO_INDEX)
        return r->message.p;
    char name[256], text[2048 + sizeof name];
    const char *message = r->message.p, *sentence = strstr(message, ". ");
    int first = sentence ? (int)(sentence - message) : (int)strlen(message);
    put_called(g, &of, name, sizeof name);
    int size = snprintf(text, sizeof text, "%.*s%s%s", first, message, name, message + first);
    return (size_t)size < sizeof text ? hsc_pool_intern(&c->pool, text, (size_t)size) : r->message.p;
}

/* The message with linker names as the source has them; NULL: out of memory. */
static const char *with_written_names(hsc_code *c, const char *message) {
    enum { LONGEST = 80 };
    if (!strstr(message, "_"))
        return message;
    char *text = hsc_demangle_words(message, LONGEST);
    const char *kept = text ? hsc_pool_intern(&c->pool, text, strlen(text)) : NULL;
    free(text);
    return kept;
}

static bool add_remarks(hsc_code *c, group_records *g) {
    call_list calls = {0};
    bool listed = false, ok = true;
    for (size_t i = 0; i < g->remarks.n && ok; i++) {
        const hsc_rec_remark *r = &g->remarks.p[i];
        const char *message = r->message.p;
        if (r->reason == HSC_reason_CALL && r->line && r->column) {
            ok = listed || list_calls(g, &calls);
            listed = true;
            ok = ok && (calls.has_within || !is_of_loop(r) || list_within(c, g, &calls));
            ok = ok && (message = name_called(c, g, r, &calls));
        }
        ok = ok && (message = with_written_names(c, message));
        uint32_t site = row_of(&c->site_by_id, g, r->site_id);
        hsc_code_remark row = {.procedure = row_of(&g->procedure_rows, g, r->procedure_id),
                               .loop = site == HSC_NO_INDEX ? HSC_NO_INDEX : c->sites.p[site].loop,
                               .file = row_of(&g->file_rows, g, r->file_id),
                               .line = clamp(r->line),
                               .kind = clamp(r->kind),
                               .pass = r->pass.p,
                               .name = r->name.p,
                               .message = message,
                               .reason = clamp(r->reason),
                               .count = r->count ? clamp(r->count) : 1};
        ok = ok && HSC_PUSH(c->remarks, row);
    }
    hsc_table_fini(&calls.first);
    free(calls.next);
    free(calls.within.p);
    return ok;
}

static bool add_code(hsc_code *c, group_records *g) {
    for (size_t i = 0; i < g->instances.n; i++) {
        const hsc_rec_loop_instance *l = &g->instances.p[i];
        uint32_t site = row_of(&c->site_by_id, g, l->loop_id), vectors = row_of(&g->vector_bytes, g, l->function_id);
        hsc_code_instance row = {.loop = site == HSC_NO_INDEX ? HSC_NO_INDEX : c->sites.p[site].loop,
                                 .function = row_of(&g->procedure_rows, g, l->function_id),
                                 .version = clamp(l->version),
                                 .vector_width = clamp(l->vector_width),
                                 .interleave = clamp(l->interleave),
                                 .unroll = clamp(l->unroll),
                                 .vector_bytes = vectors == HSC_NO_INDEX ? 0 : vectors,
                                 .parent = HSC_NO_INDEX};
        if (!set_row(&g->instance_rows, g, l->instance_id, (uint32_t)c->instances.n) || !HSC_PUSH(c->instances, row) ||
            !HSC_PUSH(c->instance_parents, HSC_NO_INDEX) || !HSC_PUSH(g->group_of_instance, g->group))
            return false;
    }
    for (size_t i = 0; i < g->instances.n; i++) {
        uint32_t row = row_of(&g->instance_rows, g, g->instances.p[i].instance_id);
        uint32_t parent = row_of(&g->instance_rows, g, g->instances.p[i].parent_id);
        if (row != HSC_NO_INDEX && parent != row)
            c->instance_parents.p[row] = c->instances.p[row].parent = parent;
    }
    for (size_t i = 0; i < g->inlines.n; i++) {
        const hsc_rec_inline *n = &g->inlines.p[i];
        hsc_inlined row = {.parent = HSC_NO_INDEX,
                           .callee = row_of(&g->procedure_rows, g, n->callee_id),
                           .site = row_of(&c->site_by_id, g, n->site_id),
                           .call_file = row_of(&g->file_rows, g, n->file_id),
                           .call_line = clamp(n->line),
                           .call_column = clamp(n->column)};
        if (!set_row(&c->inlined_by_id, g, n->inline_id, (uint32_t)c->inlineds.n) || !HSC_PUSH(c->inlineds, row))
            return false;
    }
    for (size_t i = 0; i < g->inlines.n; i++) {
        uint32_t row = row_of(&c->inlined_by_id, g, g->inlines.p[i].inline_id);
        uint32_t parent = row_of(&c->inlined_by_id, g, g->inlines.p[i].parent_id);
        if (row != HSC_NO_INDEX && parent != row)
            c->inlineds.p[row].parent = parent;
    }
    for (size_t i = 0; i < g->places.n; i++) {
        const hsc_rec_place *p = &g->places.p[i];
        hsc_place row = {.function = row_of(&g->procedure_rows, g, p->function_id),
                         .instance = row_of(&g->instance_rows, g, p->instance_id),
                         .site = row_of(&c->site_by_id, g, p->site_id),
                         .inlined = row_of(&c->inlined_by_id, g, p->inline_id)};
        if (!set_row(&c->place_by_id, g, p->place_id, (uint32_t)c->places.n) || !HSC_PUSH(c->places, row))
            return false;
    }
    if (!add_remarks(c, g))
        return false;
    for (size_t i = 0; i < g->dependences.n; i++) {
        const hsc_rec_dependence *d = &g->dependences.p[i];
        uint32_t site = row_of(&c->site_by_id, g, d->loop_id);
        hsc_code_dependence row = {.loop = site == HSC_NO_INDEX ? HSC_NO_INDEX : c->sites.p[site].loop,
                                   .procedure = row_of(&g->procedure_rows, g, d->procedure_id),
                                   .kind = clamp(d->kind),
                                   .verdict = clamp(d->verdict),
                                   .has_distance = d->has_distance != 0,
                                   .distance = d->distance,
                                   .source_file = row_of(&g->file_rows, g, d->source_file_id),
                                   .source_line = clamp(d->source_line),
                                   .source_column = clamp(d->source_column),
                                   .sink_file = row_of(&g->file_rows, g, d->sink_file_id),
                                   .sink_line = clamp(d->sink_line),
                                   .sink_column = clamp(d->sink_column)};
        if (!HSC_PUSH(c->dependences, row))
            return false;
    }
    return true;
}

static bool add_data(hsc_code *c, group_records *g) {
    if (!g->data)
        return true;
    for (size_t i = 0; i < g->calls.n; i++)
        if (!hsc_map_data_name_call(g->data, g->calls.p[i].callsite_id, g->calls.p[i].callee.p))
            return false;
    return hsc_map_data_add(c, g->data, &(hsc_group_rows){g->group, &g->file_rows, &g->procedure_rows});
}

/* Resolves what has come since the group was opened, and empties it. */
static bool finish_group(hsc_code *c, group_records *g) {
    bool ok = g->group == HSC_NO_INDEX ||
              (add_files(c, g) && add_procedures(c, g) && add_loops(c, g) && add_calls(c, g) && add_code(c, g) && add_data(c, g));
    g->files.n = g->procedures.n = g->loops.n = g->calls.n = 0;
    g->instances.n = g->places.n = g->inlines.n = g->remarks.n = g->dependences.n = 0;
    g->group = HSC_NO_INDEX;
    return ok;
}

/* The group of a module record: several groups of one tag (pieces in several sections) are one. */
static bool open_group(hsc_code *c, group_records *g, const hsc_rec_module *m) {
    uint32_t *at = hsc_table_at(&c->group_by_tag, m->module_tag, 0);
    const char *name = hsc_pool_intern(&c->pool, m->name.p, m->name.n);
    const char *directory = hsc_pool_intern(&c->pool, m->directory.p, m->directory.n);
    if (!at || !name || !directory)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)c->groups.n;
        if (!HSC_PUSH(c->groups, (hsc_group){name, directory, m->module_tag, m->keying, 0, clamp(m->place_base), HSC_NO_INDEX}))
            return false;
    }
    g->group = *at;
    return true;
}

/* Tags of calls are of no use here, nor are those that follow from them. */
static bool fill_tag(group_records *g, uint32_t record_id, void *record) {
    hsc_err err;
    return hsc_tags_fill(g->tags, record_id, record, &err) == HSC_OK;
}

static bool take(hsc_code *c, group_records *g, const hsc_record *r) {
    if (g->group == HSC_NO_INDEX)
        return true; /* its module record is lost */
    switch (r->record_id) {
    case HSC_REC_file: {
        hsc_rec_file v = *(const hsc_rec_file *)r->value;
        uint8_t *copy = hsc_pool_take(&c->pool, v.checksum.n < 64 ? v.checksum.n : 0);
        if (!copy || !intern(c, g, &v.path) || !intern(c, g, &v.directory))
            return false;
        if (v.checksum.n < 64 && v.checksum.n)
            memcpy(copy, v.checksum.p, v.checksum.n);
        v.checksum = (hsc_bytes){copy, v.checksum.n < 64 ? v.checksum.n : 0};
        return fill_tag(g, r->record_id, &v) && HSC_PUSH(g->files, v);
    }
    case HSC_REC_procedure: {
        hsc_rec_procedure v = *(const hsc_rec_procedure *)r->value;
        return fill_tag(g, r->record_id, &v) && intern(c, g, &v.name) && intern(c, g, &v.linkage_name) && HSC_PUSH(g->procedures, v);
    }
    case HSC_REC_loop: {
        hsc_rec_loop v = *(const hsc_rec_loop *)r->value;
        return fill_tag(g, r->record_id, &v) && intern(c, g, &v.induction) && intern(c, g, &v.start) && intern(c, g, &v.bound) &&
               HSC_PUSH(g->loops, v);
    }
    case HSC_REC_callsite: {
        hsc_rec_callsite v = *(const hsc_rec_callsite *)r->value;
        return intern(c, g, &v.callee) && HSC_PUSH(g->calls, v);
    }
    case HSC_REC_loop_instance:
        return HSC_PUSH(g->instances, *(const hsc_rec_loop_instance *)r->value);
    case HSC_REC_place:
        return HSC_PUSH(g->places, *(const hsc_rec_place *)r->value);
    case HSC_REC_inline:
        return HSC_PUSH(g->inlines, *(const hsc_rec_inline *)r->value);
    case HSC_REC_remark: {
        hsc_rec_remark v = *(const hsc_rec_remark *)r->value;
        return intern(c, g, &v.pass) && intern(c, g, &v.name) && intern(c, g, &v.message) && HSC_PUSH(g->remarks, v);
    }
    case HSC_REC_dependence:
        return HSC_PUSH(g->dependences, *(const hsc_rec_dependence *)r->value);
    case HSC_REC_link_unit:
        return HSC_PUSH(c->link_units, (hsc_link_unit){g->group, ((const hsc_rec_link_unit *)r->value)->unit_tag, HSC_NO_INDEX});
    default:
        return !g->data || hsc_map_data_take(g->data, r, g->tags);
    }
}

/* Code that was looked at again at link time: the loops that the compiler saw in it before are taken out. */
static bool replace_by_linked(hsc_code *c, const group_records *g) {
    bool any = false;
    for (size_t i = 0; i < c->link_units.n; i++) {
        hsc_link_unit *u = &c->link_units.p[i];
        uint32_t unit = hsc_table_get(&c->group_by_tag, u->unit_tag, 0);
        if (unit == HSC_NO_INDEX || unit == u->group || u->next != HSC_NO_INDEX)
            continue;
        u->next = c->groups.p[unit].first_link;
        c->groups.p[unit].first_link = (uint32_t)i;
        any = true;
    }
    if (!any)
        return true;
    uint32_t *moved = malloc((c->instances.n + 1) * sizeof *moved), kept = 0;
    if (!moved)
        return false;
    for (size_t i = 0; i < c->instances.n; i++)
        moved[i] = c->groups.p[g->group_of_instance.p[i]].first_link == HSC_NO_INDEX ? kept++ : HSC_NO_INDEX;
    for (size_t i = 0; i < c->instances.n; i++)
        if (moved[i] != HSC_NO_INDEX) {
            uint32_t parent = c->instance_parents.p[i];
            c->instances.p[moved[i]] = c->instances.p[i];
            c->instance_parents.p[moved[i]] = parent == HSC_NO_INDEX ? parent : moved[parent];
        }
    c->instances.n = c->instance_parents.n = kept;
    for (size_t i = 0; i < c->places.n; i++)
        if (c->places.p[i].instance != HSC_NO_INDEX)
            c->places.p[i].instance = moved[c->places.p[i].instance];
    free(moved);
    return true;
}

bool hsc_code_load_map(hsc_code *c, hsc_reader *r, const uint8_t *wanted, size_t wanted_size, bool *refused) {
    group_records g = {.group = HSC_NO_INDEX, .texts_of = UINT64_MAX};
    hsc_record rec;
    bool ok = true;
    hsc_reader_set_values_only(r);
    hsc_err err;
    *refused = false;
    g.tags = hsc_tags_new(&err);
    g.data = c->with_data ? hsc_map_data_new() : NULL;
    ok = g.tags && (g.data || !c->with_data);
    while (ok && hsc_reader_next(r, &rec)) {
        if (!rec.value)
            continue;
        if (rec.chunk_offset != g.texts_of) {
            memset(g.texts, 0, sizeof g.texts);
            g.texts_of = rec.chunk_offset;
        }
        if (rec.record_id == HSC_REC_binary) {
            const hsc_rec_binary *b = rec.value;
            *refused = wanted_size && (b->build_id.n != wanted_size || memcmp(b->build_id.p, wanted, wanted_size));
            if (*refused)
                break;
        } else if (rec.record_id == HSC_REC_module) {
            hsc_rec_module m = *(const hsc_rec_module *)rec.value;
            ok = finish_group(c, &g) && open_group(c, &g, &m) && fill_tag(&g, rec.record_id, &m);
        } else if (rec.record_id == HSC_REC_module_end) {
            ok = finish_group(c, &g);
        } else {
            ok = take(c, &g, &rec);
        }
    }
    ok = ok && finish_group(c, &g) && replace_by_linked(c, &g);
    free(g.group_of_instance.p);
    free(g.files.p);
    free(g.procedures.p);
    free(g.loops.p);
    free(g.calls.p);
    free(g.instances.p);
    free(g.places.p);
    free(g.inlines.p);
    free(g.remarks.p);
    free(g.dependences.p);
    hsc_map_data_delete(g.data);
    hsc_tags_free(g.tags);
    hsc_id_rows_fini(&g.file_rows);
    hsc_id_rows_fini(&g.procedure_rows);
    hsc_id_rows_fini(&g.instance_rows);
    hsc_id_rows_fini(&g.vector_bytes);
    return ok;
}
