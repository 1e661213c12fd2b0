/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Remarks of the optimiser: which to keep, and the loop that each is about. */
#include "pass.h"

#include <string.h>

static bool is(hsc_ir_text t, const char *s) {
    return t.n == strlen(s) && !memcmp(t.p, s, t.n);
}

bool hsc_pass_wants_remarks(const char *pass, size_t n) {
    static const char *const passes[] = {"loop-vectorize", "loop-unroll", "slp-vectorizer", "licm"};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        if (strlen(passes[i]) == n && !memcmp(passes[i], pass, n))
            return true;
    return false;
}

uint64_t hsc_remark_position(uint32_t file_id, unsigned line, unsigned column) {
    uint64_t v[3] = {file_id, line, column};
    return hsc_pass_tag(0, "position", v, sizeof v);
}

/* The file of an absolute path, if any record names it. */
static uint32_t file_of(const hsc_pass *p, hsc_ir_text path) {
    uint64_t key = hsc_hash64(0, path.p, path.n);
    return path.n ? hsc_map_get(&p->file_by_path, key + !key) : 0;
}

/* The smallest loop round a line. */
static uint32_t loop_round(hsc_pass *p, uint32_t file_id, unsigned line) {
    uint64_t key = hsc_remark_position(file_id, line, 0);
    uint32_t known = hsc_map_get(&p->loop_round, key);
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
    hsc_map_set(&p->loop_round, key, id + 1);
    return id;
}

void hsc_pass_take_remark(hsc_pass *p, const hsc_ir_remark *r) {
    if (p->skip || !r->line)
        return;
    /* what these two did is seen in the code, and what they tried and left is too much to be of use; of licm, loads that
     * it could not move out of a loop are worth knowing */
    if ((is(r->pass, "licm") && r->kind != HSC_remark_kind_MISSED) ||
        (is(r->pass, "slp-vectorizer") && r->kind != HSC_remark_kind_PASSED))
        return;
    uint32_t file = file_of(p, r->path), site = 0;
    bool of_vectorizer = is(r->pass, "loop-vectorize");
    if (file) {
        bool of_loop = of_vectorizer || is(r->pass, "loop-unroll");
        site = of_loop ? hsc_map_get(&p->loop_at, hsc_remark_position(file, r->line, r->column)) : 0;
        if (!site)
            site = loop_round(p, file, r->line);
    }
    /* "loop not vectorized" adds nothing to the reason that came before it */
    uint64_t reason = hsc_pass_tag(site, "reason", "", 0);
    if (of_vectorizer && site && is(r->name, "MissedDetails") && hsc_map_get(&p->remark_seen, reason))
        return;
    if (of_vectorizer && r->kind >= HSC_remark_kind_ANALYSIS)
        hsc_map_set(&p->remark_seen, reason, 1);
    /* the same is said of every inlined copy */
    bool once = is(r->pass, "licm"); /* a loop with one such load usually has many */
    if (once && !site)
        return;
    uint64_t v[3] = {site, once ? 0 : (uint64_t)r->line << 32 | r->column, file};
    uint64_t key = hsc_pass_tag(hsc_pass_tag(0, "remark", v, sizeof v), "name", r->name.p, r->name.n);
    key = hsc_pass_tag(key, "message", r->message.p, r->message.n);
    if (hsc_map_get(&p->remark_seen, key))
        return;
    hsc_map_set(&p->remark_seen, key, 1);
    *HSC_VECTOR_ADD(p->remarks) = (hsc_rec_remark){
        .pass = hsc_pass_dup(p, r->pass.p, r->pass.n),
        .name = hsc_pass_dup(p, r->name.p, r->name.n),
        .kind = r->kind,
        .procedure_id = hsc_pass_find_procedure(p, r->function.p, r->function.n),
        .file_id = file,
        .line = r->line,
        .column = r->column,
        .site_id = site,
        .message = hsc_pass_dup(p, r->message.p, r->message.n),
    };
}
