/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions of pieces of a module's code as they were disassembled, kept as what was read of the module is (kept_code.c): by the facts of the
 * same files and of the disassembler's. Pieces that come later are added to those that are known. */
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "instructions.h"

#define ROWS_MAX ((size_t)1 << 20) /* of a module; more are not kept */

typedef struct piece {
    uint64_t begin, end, first, n; /* rows */
} piece;

struct jkept_text {
    hsc_pool *pool; /* the caller's: texts stay in it */
    hsc_code_spec spec;
    const hsc_looks *looks;
    HSC_VEC(piece) pieces;
    HSC_VEC(jtext_row) rows;
    HSC_VEC(const char *) texts;
    hsc_table piece_rows, text_rows; /* (begin, end), (text, 0) */
    size_t old_pieces;
    const char *disassembler; /* of these; NULL: none */
    bool failed;
};

/* They were disassembled once: each piece is covered by its instructions, one after the other. */
static bool is_sound(const jkept_text *k) {
    uint64_t next = 0;
    bool good = true;
    for (size_t i = 0; good && i < k->pieces.n; i++) {
        const piece *p = &k->pieces.p[i];
        uint64_t at = p->begin;
        good = p->begin < p->end && p->first == next && p->n <= k->rows.n - next;
        next += good ? p->n : 0;
        for (uint64_t r = p->first; good && r < next; r++) {
            const jtext_row *row = &k->rows.p[r];
            good = row->size && row->size <= p->end - at && row->flow <= HSC_FLOW_STOP && row->text < k->texts.n;
            at += row->size;
        }
        good = good && at == p->end;
    }
    return good && next == k->rows.n;
}

static bool take(jkept_text *k, parcel *a) {
    uint64_t n = parcel_take_u64(a);
    for (; n && !a->failed; n--) {
        const char *text = parcel_take_text(a, k->pool);
        a->failed = a->failed || !HSC_PUSH(k->texts, text);
    }
    PARCEL_TAKE_VEC(a, k->pieces);
    PARCEL_TAKE_VEC(a, k->rows);
    bool good = !a->failed && a->at == a->n && is_sound(k);
    for (size_t i = 0; good && i < k->texts.n; i++) {
        uint32_t *at = hsc_table_at(&k->text_rows, (uintptr_t)k->texts.p[i], 0);
        good = at && *at == HSC_NO_INDEX;
        if (good)
            *at = (uint32_t)i;
    }
    for (size_t i = 0; good && i < k->pieces.n; i++) {
        uint32_t *at = hsc_table_at(&k->piece_rows, k->pieces.p[i].begin, k->pieces.p[i].end);
        good = at && *at == HSC_NO_INDEX;
        if (good)
            *at = (uint32_t)i;
    }
    return good;
}

static void clear(jkept_text *k) {
    free(k->pieces.p);
    free(k->rows.p);
    free(k->texts.p);
    hsc_table_fini(&k->piece_rows);
    hsc_table_fini(&k->text_rows);
    *k = (jkept_text){.pool = k->pool, .spec = k->spec, .looks = k->looks};
}

jkept_text *hsc_kept_text_open(const join *j, const jmodule *m, hsc_pool *pool) {
    const hsc_code_keeper *keeper = hsc_kept_code_get_keeper(j);
    jkept_text *k = keeper && m->code ? calloc(1, sizeof *k) : NULL;
    hsc_looks looks = {0};
    parcel a = {0};
    if (!k)
        return NULL;
    k->pool = pool;
    k->looks = hsc_code_get_looks(m->code);
    k->spec = (hsc_code_spec){.path = m->path, .build_id = m->build_id, .build_id_size = m->build_id_size, .file_size = m->file_size,
                              .file_mtime_ns = m->file_mtime_ns, .map_dirs = j->map_dirs.p, .map_dir_count = j->map_dirs.n, .keeper = keeper,
                              .kept_as = j->options->intel ? HSC_KEPT_INTEL : HSC_KEPT_ATT};
    a.p = keeper->get(keeper->ctx, &k->spec, pool, &looks, &a.n);
    if (a.p && looks.list.n && take(k, &a)) {
        k->disassembler = looks.list.p[looks.list.n - 1].path;
        hsc_disassembler_set_file(k->disassembler);
        k->old_pieces = k->pieces.n;
    } else {
        clear(k);
    }
    free(a.p);
    free(looks.list.p);
    return k;
}

const jtext_row *hsc_kept_text_find(const jkept_text *k, uint64_t begin, uint64_t end) {
    uint32_t row = k ? hsc_table_get(&k->piece_rows, begin, end) : HSC_NO_INDEX;
    return row != HSC_NO_INDEX && row < k->old_pieces ? k->rows.p + k->pieces.p[row].first : NULL;
}

const char *hsc_kept_text_get(const jkept_text *k, const jtext_row *row) { return k->texts.p[row->text]; }

void hsc_kept_text_begin(jkept_text *k, uint64_t begin, uint64_t end) {
    if (!k)
        return;
    uint32_t *at = hsc_table_at(&k->piece_rows, begin, end);
    bool is_new = at && *at == HSC_NO_INDEX;
    k->failed = k->failed || !is_new || !HSC_PUSH(k->pieces, (piece){begin, end, k->rows.n, 0});
    if (!k->failed)
        *at = (uint32_t)k->pieces.n - 1;
}

void hsc_kept_text_add(jkept_text *k, const hsc_instruction *i, const char *text) {
    if (!k || k->failed)
        return;
    uint32_t *at = hsc_table_at(&k->text_rows, (uintptr_t)text, 0);
    if (at && *at == HSC_NO_INDEX && HSC_PUSH(k->texts, text))
        *at = (uint32_t)k->texts.n - 1;
    k->failed = !at || *at == HSC_NO_INDEX || !HSC_PUSH(k->rows, (jtext_row){.target = i->target, .text = *at, .size = (uint8_t)i->size, .flow = (uint8_t)i->flow});
    if (!k->failed)
        k->pieces.p[k->pieces.n - 1].n++;
}

/* The files that it depends on: the module's, and the disassembler's at the end. */
static bool list_looks(const jkept_text *k, hsc_looks *looks) {
    const char *path;
    bool good = !k->looks->has_more && hsc_disassembler_get_file(&path) && path[0] && (!k->disassembler || !strcmp(path, k->disassembler)) && HSC_RESERVE(looks->list, k->looks->list.n + 1);
    for (size_t i = 0; good && i < k->looks->list.n; i++)
        looks->list.p[looks->list.n++] = k->looks->list.p[i];
    if (good)
        hsc_looks_add(looks, k->pool, path);
    return good && !looks->has_more;
}

void hsc_kept_text_close(jkept_text *k) {
    hsc_looks looks = {0};
    parcel a = {0};
    if (!k)
        return;
    if (!k->failed && k->pieces.n > k->old_pieces && k->rows.n <= ROWS_MAX && list_looks(k, &looks)) {
        parcel_u64(&a, k->texts.n);
        for (size_t i = 0; i < k->texts.n; i++)
            parcel_text(&a, k->texts.p[i]);
        PARCEL_VEC(&a, k->pieces);
        PARCEL_VEC(&a, k->rows);
        if (!a.failed)
            k->spec.keeper->put(k->spec.keeper->ctx, &k->spec, &looks, a.p, a.n);
    }
    parcel_fini(&a);
    free(looks.list.p);
    clear(k);
    free(k);
}
