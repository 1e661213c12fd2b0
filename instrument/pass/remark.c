/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Remarks of the optimiser: which to keep, and the loop, call or procedure that each is about. */
#include "why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX_BYTES = 2048, PATH_MAX_BYTES = 8192 };

static bool is(hsc_ir_text t, const char *s) {
    return t.n == strlen(s) && !memcmp(t.p, s, t.n);
}

static bool is_in(hsc_ir_text t, const char *const *list) {
    for (; *list; list++)
        if (is(t, *list))
            return true;
    return false;
}

bool hsc_pass_wants_remarks(const char *pass, size_t n) {
    static const char *const passes[] = {"loop-vectorize", NULL};
    return is_in((hsc_ir_text){pass, n}, passes);
}

bool hsc_pass_keeps_remark(const hsc_pass *p, const hsc_ir_remark *r) {
    /* the first are the inline records; the second the calls of what the module does not define */
    if (p->skip || (is(r->pass, "inline") && (r->kind == HSC_remark_kind_PASSED || is(r->name, "NoDefinition"))))
        return false;
    return true;
}

/* ---- the inlined copy ------------------------------------------------------------------------------------------------ */

uint32_t hsc_why_find(hsc_pass *p, hsc_why_kind kind, uint64_t key, uint32_t procedure_id, const hsc_ir_loc *loc,
                      size_t next_index, bool *is_new) {
    hsc_why *w = &p->why;
    uint32_t at = hsc_map_get(&w->seen, key);
    *is_new = !at;
    if (at) {
        hsc_why_origin *o = &w->origins.p[at - 1];
        o->several = o->several || o->inlined_at != loc->inlined_at;
        return o->index;
    }
    uint64_t function = hsc_pass_tag(0, "function", &procedure_id, sizeof procedure_id);
    *HSC_VECTOR_ADD(w->origins) = (hsc_why_origin){.kind = kind, .index = (uint32_t)next_index, .inlined_at = loc->inlined_at,
                                                   .subprogram = loc->subprogram,
                                                   .next = hsc_map_get(&w->origin_of, function)};
    hsc_map_set(&w->origin_of, function, (uint32_t)w->origins.n);
    hsc_map_set(&w->seen, key, (uint32_t)w->origins.n);
    return (uint32_t)next_index;
}

void hsc_why_place(hsc_pass *p, uint32_t function_id, uint32_t (*find)(void *ctx, const hsc_ir_loc *loc), void *ctx) {
    hsc_why *w = &p->why;
    uint64_t function = hsc_pass_tag(0, "function", &function_id, sizeof function_id);
    for (uint32_t at = hsc_map_get(&w->origin_of, function); at; at = w->origins.p[at - 1].next) {
        const hsc_why_origin *o = &w->origins.p[at - 1];
        if (o->several || !o->inlined_at)
            continue;
        hsc_ir_loc loc = {.inlined_at = o->inlined_at, .subprogram = o->subprogram};
        uint32_t id = find(ctx, &loc);
        switch (o->kind) {
        case HSC_WHY_REMARK: w->remarks.p[o->index].inline_id = id; break;
        case HSC_WHY_DEPENDENCE: w->dependences.p[o->index].inline_id = id; break;
        case HSC_WHY_MEMORY_CHECK: w->memory_checks.p[o->index].inline_id = id; break;
        }
    }
}

void hsc_why_fini(hsc_pass *p) {
    hsc_why *w = &p->why;
    free(w->remarks.p);
    free(w->dependences.p);
    free(w->memory_checks.p);
    free(w->origins.p);
    hsc_map_fini(&w->origin_of);
    hsc_map_fini(&w->seen);
    hsc_map_fini(&w->facts_of);
    hsc_map_fini(&w->loop_of_block);
    hsc_map_fini(&w->is_vector_code);
    hsc_map_fini(&w->reason_of);
    hsc_map_fini(&w->lanes_of);
    hsc_map_fini(&w->interleaved_of);
    hsc_map_fini(&w->unrolled_of);
    hsc_map_fini(&w->is_unrolled);
    hsc_map_fini(&w->loop_at);
    hsc_map_fini(&w->loop_round);
}

/* ---- the loop -------------------------------------------------------------------------------------------------------- */

static uint64_t position(uint32_t file_id, unsigned line, unsigned column) {
    uint64_t v[3] = {file_id, line, column};
    return hsc_pass_tag(0, "position", v, sizeof v);
}

void hsc_why_loop_begins(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, uint32_t loop_id) {
    hsc_map_set(&p->why.loop_at, position(file_id, line, column), loop_id);
}

static uint32_t loop_of_site(const hsc_pass *p, uint32_t site) {
    if (!site)
        return 0;
    const hsc_site *s = &p->sites.p[site - 1];
    return s->is_loop ? site : (uint32_t)p->callsites.p[s->index].loop_id;
}

static uint32_t loop_of_key(hsc_pass *p, const hsc_ir_region *g) {
    return g->key_id ? hsc_pass_loop_of_key(p, g->key_module, g->key_id) : 0;
}

uint32_t hsc_why_loop_of(hsc_pass *p, const hsc_ir_region *region) {
    uint32_t id = loop_of_key(p, region);
    return id ? id : loop_of_site(p, hsc_pass_early_id(p, &region->loc));
}

/* The smallest loop round a line. */
static uint32_t loop_round(hsc_pass *p, uint32_t file_id, unsigned line) {
    uint64_t key = position(file_id, line, 0);
    uint32_t known = hsc_map_get(&p->why.loop_round, key);
    if (known)
        return known - 1;
    const hsc_rec_loop *best = NULL;
    for (size_t i = 0; i < p->loops.n; i++) {
        const hsc_rec_loop *l = &p->loops.p[i];
        if (l->file_id == file_id && l->loop_id && l->line_begin <= line && line <= l->line_end &&
            (!best || l->line_end - l->line_begin < best->line_end - best->line_begin ||
             (l->line_end - l->line_begin == best->line_end - best->line_begin && l->depth > best->depth)))
            best = l;
    }
    uint32_t id = best ? (uint32_t)best->loop_id : 0;
    hsc_map_set(&p->why.loop_round, key, id + 1);
    return id;
}

/* Passes whose remarks are about a loop, wherever in it they are located. */
static bool is_of_loop(hsc_ir_text pass) {
    static const char *const passes[] = {"loop-vectorize", "loop-unroll", "loop-distribute", "loop-interchange",
                                         "loop-idiom", "loop-delete", "loop-fusion", "loop-unroll-and-jam",
                                         "loop-peel", "loop-flatten", "simple-loop-unswitch", "transform-warning",
                                         "TTI", "licm", NULL};
    return is_in(pass, passes);
}

/* The file of a remark that lies in no instruction of its region, if any record names it. */
static uint32_t file_of(hsc_pass *p, const hsc_ir_remark *r) {
    if (r->region.is_exact)
        return hsc_pass_file(p, r->region.loc.file);
    char path[PATH_MAX_BYTES];
    size_t n = hsc_ir_remark_path(r, path, sizeof path);
    uint64_t key = hsc_hash64(0, path, n);
    return n ? hsc_map_get(&p->file_by_path, key + !key) : 0;
}

/* The innermost loop round the call that a location was inlined for, or round the call of that one's procedure; 0: none. */
static uint32_t loop_round_inlined(hsc_pass *p, const hsc_ir_loc *loc) {
    hsc_ir_loc at = *loc;
    uint32_t loop = 0;
    while (!loop && hsc_ir_get_loc_of_node(at.inlined_at, &at))
        loop = loop_of_site(p, hsc_pass_early_id(p, &at));
    return loop;
}

/* What the remark is about. */
static uint32_t site_of(hsc_pass *p, const hsc_ir_remark *r, uint32_t file, uint64_t *attachment) {
    uint32_t site = 0;
    bool of_loop = is_of_loop(r->pass);
    if (of_loop)
        site = loop_of_key(p, &r->region);
    /* what the vectoriser says of a loop belongs to the loop it looks at, though it may name an instruction of a loop that
     * was inside and is unrolled */
    if (!site && is(r->pass, "loop-vectorize") && r->region.header && r->function == p->why.function)
        site = hsc_map_get(&p->why.loop_of_block, (uintptr_t)r->region.header);
    if (!site && r->region.is_exact)
        site = of_loop ? loop_of_site(p, hsc_pass_early_id(p, &r->region.loc)) : hsc_pass_early_id(p, &r->region.loc);
    bool located = r->region.is_exact && p->keyed;
    if (!site && r->line && file && (of_loop || !located)) {
        site = of_loop ? hsc_map_get(&p->why.loop_at, position(file, r->line, r->column)) : 0;
        if (!site)
            site = loop_round(p, file, r->line);
    }
    if (!site && of_loop)
        site = loop_of_site(p, hsc_pass_early_id(p, &r->region.loc));
    if (!site && of_loop)
        site = loop_round_inlined(p, &r->region.loc);
    if (site)
        *attachment = p->sites.p[site - 1].is_loop ? HSC_remark_attachment_LOOP : HSC_remark_attachment_CALL;
    else if (!r->line)
        *attachment = HSC_remark_attachment_NO_LOCATION;
    else if (!file)
        *attachment = HSC_remark_attachment_NO_FILE;
    else
        *attachment = of_loop ? HSC_remark_attachment_NO_LOOP : HSC_remark_attachment_PROCEDURE;
    return site;
}

/* ---- what loop passes made ------------------------------------------------------------------------------------- */

static uint64_t lanes_key(uint32_t loop_id, LLVMMetadataRef inlined_at) {
    return hsc_pass_tag(loop_id, "lanes", &inlined_at, sizeof inlined_at);
}

uint32_t hsc_why_lanes(const hsc_pass *p, uint32_t loop_id, LLVMMetadataRef inlined_at) {
    return loop_id ? hsc_map_get(&p->why.lanes_of, lanes_key(loop_id, inlined_at)) : 0;
}

uint32_t hsc_why_interleaved(const hsc_pass *p, uint32_t loop_id, LLVMMetadataRef inlined_at) {
    return loop_id ? hsc_map_get(&p->why.interleaved_of, lanes_key(loop_id, inlined_at)) : 0;
}

uint32_t hsc_why_unrolled(const hsc_pass *p, uint32_t loop_id, LLVMMetadataRef inlined_at) {
    return loop_id ? hsc_map_get(&p->why.unrolled_of, lanes_key(loop_id, inlined_at)) : 0;
}

/* At link time most of it was said before, when the unit was compiled. */
bool hsc_why_may_be_unrolled(const hsc_pass *p, uint32_t loop_id) { return p->link || hsc_map_get(&p->why.is_unrolled, loop_id); }

/* ---- remarks --------------------------------------------------------------------------------------------------------- */

/* Passes that say one thing of many accesses: one record a site and name. Of the others each text is kept. */
static bool says_much(hsc_ir_text pass) {
    static const char *const passes[] = {"licm", "gvn", "slp-vectorizer", "sroa", "memcpyopt", "dse", "instcombine",
                                         "argpromotion", "inline", "tailcallelim", NULL};
    return is_in(pass, passes);
}

/* "call instruction cannot be vectorized (call of f)": behind the first sentence. Returns the length of it all. */
static size_t put_callees(const hsc_ir_remark *r, char *out, size_t n, size_t size) {
    char names[800], rest[MESSAGE_MAX_BYTES];
    size_t k = 0, at = 0;
    for (size_t i = 0; i < 2 && r->callee[i].n && k < sizeof names; i++)
        k += (size_t)snprintf(names + k, sizeof names - k, "%s%.*s", i ? " or " : " (call of ", (int)r->callee[i].n, r->callee[i].p);
    while (at + 1 < n && (out[at] != '.' || out[at + 1] != ' '))
        at++;
    at = at + 1 < n ? at : n;
    if (!k || k + 1 >= sizeof names || n + k + 1 >= size)
        return n;
    names[k++] = ')';
    memcpy(rest, out + at, n - at);
    memcpy(out + at, names, k);
    memcpy(out + at + k, rest, n - at);
    return n + k;
}

/* The words of a remark, with names of procedures as the source has them where the inliner quotes symbols. Bytes. */
static size_t message_of(hsc_pass *p, const hsc_ir_remark *r, char *out, size_t size) {
    char symbols[MESSAGE_MAX_BYTES + 1], symbol[1024];
    size_t all = hsc_ir_remark_message(r, symbols, sizeof symbols - 1), n = 0;
    symbols[all] = 0;
    for (size_t at = 0; at < all && n < size;) {
        size_t length = symbols[at] == '\'' && is(r->pass, "inline") ? strcspn(symbols + at + 1, "' ") : 0;
        if (!length || length >= sizeof symbol || symbols[at + 1 + length] != '\'') {
            out[n++] = symbols[at++];
            continue;
        }
        memcpy(symbol, symbols + at + 1, length);
        symbol[length] = 0;
        hsc_str name = hsc_pass_source_name(p, symbol, (hsc_ir_text){symbol, length});
        n += (size_t)snprintf(out + n, size - n, "'%.*s'", (int)name.n, name.p);
        at += length + 2;
    }
    n = n < size ? n : size - 1;
    return r->callee[0].n ? put_callees(r, out, n, size) : n;
}

void hsc_pass_take_remark(hsc_pass *p, const hsc_ir_remark *r) {
    uint32_t file = r->line ? file_of(p, r) : 0;
    uint64_t attachment = 0;
    uint32_t site = site_of(p, r, file, &attachment);
    uint32_t procedure = hsc_pass_procedure_of_function(p, r->function);
    bool of_vectorizer = is(r->pass, "loop-vectorize"), much = says_much(r->pass);
    if (of_vectorizer && r->interleaved > hsc_why_interleaved(p, site, r->region.loc.inlined_at))
        hsc_map_set(&p->why.interleaved_of, lanes_key(site, r->region.loc.inlined_at), r->interleaved);
    if (of_vectorizer && r->lanes > hsc_why_lanes(p, site, r->region.loc.inlined_at))
        hsc_map_set(&p->why.lanes_of, lanes_key(site, r->region.loc.inlined_at), r->lanes);
    if (!r->kind && is(r->pass, "tailcallelim") && site && !p->sites.p[site - 1].is_loop)
        hsc_map_set(&p->tail_call_of, procedure, site);
    if (r->unrolled > hsc_why_unrolled(p, site, r->region.loc.inlined_at))
        hsc_map_set(&p->why.unrolled_of, lanes_key(site, r->region.loc.inlined_at), r->unrolled);
    if (r->unrolled > 1 && site)
        hsc_map_set(&p->why.is_unrolled, site, 1);
    /* at link time: "disabled, or already vectorised" */
    if (of_vectorizer && is(r->name, "AllDisabled") && (hsc_why_loop_facts(p, loop_of_site(p, site)) & HSC_LOOP_VECTORIZED))
        return;
    /* that a loop which waits is not vectorised is no loss */
    if (of_vectorizer && r->kind != HSC_remark_kind_PASSED && (hsc_why_loop_facts(p, loop_of_site(p, site)) & HSC_LOOP_WAITS))
        return;
    /* nor that one which is written in vectors is not */
    if (of_vectorizer && r->kind != HSC_remark_kind_PASSED && r->function == p->why.function && hsc_map_get(&p->why.is_vector_code, (uintptr_t)r->region.header))
        return;
    /* "loop not vectorized" adds nothing to the reason that came before it */
    if (of_vectorizer && site) {
        uint64_t reason = hsc_pass_tag(site, "reason", "", 0);
        if (is(r->name, "MissedDetails") && hsc_map_get(&p->why.reason_of, reason))
            return;
        if (r->kind >= HSC_remark_kind_ANALYSIS)
            hsc_map_set(&p->why.reason_of, reason, 1);
    }
    char message[MESSAGE_MAX_BYTES];
    size_t n = 0;
    /* outside of loops and calls the source procedure holds them together */
    uint32_t holder = site || !r->region.loc.node ? 0 : hsc_pass_procedure_of_subprogram(p, r->region.loc.subprogram);
    /* of one loop the vectoriser may say another thing in each procedure that has a copy of it */
    uint64_t v[] = {site, holder, r->kind, much ? 0 : (uint64_t)r->line << 32 | r->column, much ? 0 : file,
                    (site || holder) && !of_vectorizer ? 0 : procedure};
    uint64_t key = hsc_pass_tag(hsc_pass_tag(0, "remark", v, sizeof v), "name", r->name.p, r->name.n);
    key = hsc_pass_tag(key, "pass", r->pass.p, r->pass.n);
    if (!much) {
        n = message_of(p, r, message, sizeof message);
        key = hsc_pass_tag(key, "message", message, n);
    }
    bool is_new;
    uint32_t at = hsc_why_find(p, HSC_WHY_REMARK, key, procedure, &r->region.loc, p->why.remarks.n, &is_new);
    hsc_why_origin *o = &p->why.origins.p[hsc_map_get(&p->why.seen, key) - 1];
    if (!is_new && of_vectorizer && r->region.header && o->header == r->region.header)
        return; /* it says some things twice */
    o->header = r->region.header;
    uint64_t reason = hsc_reason_of(r, hsc_why_loop_facts(p, loop_of_site(p, site)));
    p->why.explains |= hsc_reason_explains(r, reason);
    if (is_new) {
        if (much)
            n = message_of(p, r, message, sizeof message);
        *HSC_VECTOR_ADD(p->why.remarks) = (hsc_rec_remark){
            .pass = hsc_pass_dup(p, r->pass.p, r->pass.n),
            .name = hsc_pass_dup(p, r->name.p, r->name.n),
            .kind = r->kind,
            .procedure_id = procedure,
            .file_id = file,
            .line = r->line,
            .column = r->column,
            .site_id = site,
            .message = hsc_pass_dup(p, message, n),
            .reason = reason,
            .attachment = attachment,
        };
        /* the reason of a loop that is not known may be another remark's */
        if (!site && p->why.remarks.p[at].reason == HSC_reason_NOT_TRIED)
            p->why.remarks.p[at].reason = HSC_reason_NONE;
    }
    p->why.remarks.p[at].count++;
}

void hsc_pass_take_stride_check(hsc_pass *p, const hsc_ir_memory_check *c) {
    static const char message[] = "vector code is for a step of one element only, and a check before the loop finds out whether this access has it";
    uint32_t loop_id = p->skip ? 0 : hsc_why_loop_of(p, &c->region);
    bool is_new;
    if (!loop_id)
        return;
    uint32_t procedure = hsc_pass_procedure_of_function(p, c->function);
    uint32_t at = hsc_why_find(p, HSC_WHY_REMARK, hsc_pass_tag(loop_id, "StrideCheck", "", 0), procedure, &c->region.loc, p->why.remarks.n, &is_new);
    if (is_new)
        *HSC_VECTOR_ADD(p->why.remarks) = (hsc_rec_remark){
            .pass = {"heatscope", 9},
            .name = {"StrideCheck", 11},
            .kind = HSC_remark_kind_ANALYSIS,
            .procedure_id = procedure,
            .file_id = hsc_pass_file(p, c->accesses[0].file),
            .line = c->accesses[0].line,
            .column = c->accesses[0].column,
            .site_id = loop_id,
            .message = {message, sizeof message - 1},
            .attachment = HSC_remark_attachment_LOOP,
        };
    p->why.remarks.p[at].count++;
}

/* "std::vector::push_back" of "std::vector<double, std::allocator<double>>::push_back". */
static void without_arguments(hsc_str name, char *out, size_t size) {
    size_t n = 0;
    unsigned depth = 0;
    for (size_t i = 0; i < name.n && n + 1 < size; i++) {
        bool is_name = n >= 8 && !memcmp(out + n - 8, "operator", 8); /* of an operator: what follows is no argument */
        if (name.p[i] == '<' && !is_name)
            depth++;
        else if (name.p[i] == '>' && depth)
            depth--;
        else if (!depth)
            out[n++] = name.p[i];
    }
    out[n] = 0;
}

void hsc_why_tell_own(hsc_pass *p, const hsc_ir_loop_facts *f, uint32_t loop_id) {
    bool is_new;
    uint32_t procedure = hsc_pass_procedure_of_function(p, f->function), file = hsc_pass_file(p, f->own.file);
    uint32_t at = hsc_why_find(p, HSC_WHY_REMARK, hsc_pass_tag(loop_id, "SetsForItself", "", 0), procedure, &f->region.loc, p->why.remarks.n, &is_new);
    if (is_new) {
        char message[200];
        int n = snprintf(message, sizeof message, "iterations set %u variable%s for their own use, %s, whose last value is kept, as not this procedure alone has the address", f->n_own,
                         f->n_own == 1 ? "" : "s", f->n_own == 1 ? "here" : "here the first");
        *HSC_VECTOR_ADD(p->why.remarks) = (hsc_rec_remark){
            .pass = {"heatscope", 9},
            .name = {"SetsForItself", 13},
            .kind = HSC_remark_kind_ANALYSIS,
            .procedure_id = procedure,
            .file_id = file,
            .line = f->own.line,
            .column = f->own.column,
            .site_id = loop_id,
            .message = hsc_pass_dup(p, message, (size_t)n),
            .attachment = HSC_remark_attachment_LOOP,
        };
    }
    p->why.remarks.p[at].count++;
}

void hsc_pass_take_loop_inside(hsc_pass *p, const hsc_ir_loop_inside *l) {
    uint32_t loop_id = p->skip ? 0 : hsc_why_loop_of(p, &l->region), inside_id = p->skip ? 0 : hsc_why_loop_of(p, &l->inside);
    uint32_t file = p->skip ? 0 : hsc_pass_file(p, l->inside_begin.file);
    bool is_new;
    if (!loop_id || loop_id == inside_id || !l->inside_begin.line || !file) /* one loop of the source may be two of the code */
        return;
    uint32_t procedure = hsc_pass_procedure_of_function(p, l->function);
    uint64_t key = hsc_pass_tag(hsc_pass_tag(loop_id, "LoopInside", &procedure, sizeof procedure), !l->is_counted ? "" : l->is_list ? "counted list" : "counted", l->callee.n ? l->callee.p : "", l->callee.n);
    uint32_t at = hsc_why_find(p, HSC_WHY_REMARK, key, procedure, &l->region.loc, p->why.remarks.n, &is_new);
    if (is_new) {
        const hsc_rec_loop *here = &p->loops.p[p->sites.p[loop_id - 1].index], *inside = inside_id ? &p->loops.p[p->sites.p[inside_id - 1].index] : NULL;
        const hsc_rec_procedure *of = inside && inside->procedure_id && inside->procedure_id != here->procedure_id ? &p->procedures.p[inside->procedure_id - 1] : NULL;
        hsc_str path = p->files.p[file - 1].path;
        size_t from = path.n;
        while (from && path.p[from - 1] != '/')
            from--;
        char message[PATH_MAX_BYTES], name[300] = "", also[400] = "";
        if (of)
            without_arguments(of->name, name, sizeof name);
        uint64_t reason = HSC_reason_NOT_INNERMOST;
        if (!l->is_counted) {
            snprintf(also, sizeof also, "; how often it goes round is not known on entry either");
            reason = HSC_reason_UNKNOWN_TRIP_COUNT;
        } else if (l->callee.n) {
            snprintf(also, sizeof also, "; each iteration makes a call that has no vector form as well (call of %.*s)", l->callee.n > 300 ? 300 : (int)l->callee.n, l->callee.p);
            reason = HSC_reason_CALL;
        } else if (l->is_list) {
            snprintf(also, sizeof also, "; each iteration reads where the next one goes on as well");
            reason = HSC_reason_RECURRENCE;
        }
        int n = snprintf(message, sizeof message, "loop not vectorized: not looked at, for the loop inside at %.*s:%u%s%s, that only some iterations come to%s", (int)(path.n - from), path.p + from,
                         l->inside_begin.line, of ? ", inlined with " : "", name, also);
        *HSC_VECTOR_ADD(p->why.remarks) = (hsc_rec_remark){
            .pass = {"heatscope", 9},
            .name = {"LoopInside", 10},
            .kind = HSC_remark_kind_MISSED,
            .procedure_id = procedure,
            .file_id = here->file_id,
            .line = here->line_begin,
            .column = here->column_begin,
            .site_id = loop_id,
            .message = hsc_pass_dup(p, message, (size_t)n < sizeof message ? (size_t)n : sizeof message - 1),
            .reason = reason,
            .attachment = HSC_remark_attachment_LOOP,
        };
    }
    p->why.remarks.p[at].count++;
}

void hsc_why_tell(hsc_pass *p, const hsc_ir_loop_facts *f, uint32_t loop_id) {
    static const struct {
        hsc_str name, message;
        uint64_t kind, reason;
    } known[] = {{{"SpinWait", 8}, {"spin wait", 9}, HSC_remark_kind_ANALYSIS, HSC_reason_WAITS},
                 {{"WrittenInVectors", 16}, {"written in vectors: most of its operations are of vector types or intrinsics", 76}, HSC_remark_kind_ANALYSIS, HSC_reason_VECTORS},
                 {{"VectorizeDisabled", 17}, {"vectorization is switched off by the programmer", 47}, HSC_remark_kind_MISSED, HSC_reason_DISABLED}};
    int k = f->is_wait ? 0 : f->is_vector_code ? 1 : 2;
    bool is_new;
    uint32_t procedure = hsc_pass_procedure_of_function(p, f->function);
    uint32_t at = hsc_why_find(p, HSC_WHY_REMARK, hsc_pass_tag(loop_id, known[k].name.p, "", 0), procedure, &f->region.loc, p->why.remarks.n, &is_new);
    if (is_new)
        *HSC_VECTOR_ADD(p->why.remarks) = (hsc_rec_remark){
            .pass = {"heatscope", 9},
            .name = known[k].name,
            .kind = known[k].kind,
            .procedure_id = procedure,
            .file_id = hsc_pass_file(p, f->begin.file),
            .line = f->begin.line,
            .column = f->begin.column,
            .site_id = loop_id,
            .message = known[k].message,
            .reason = known[k].reason,
            .attachment = HSC_remark_attachment_LOOP,
        };
    p->why.remarks.p[at].count++;
}
