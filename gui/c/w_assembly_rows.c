/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows of the assembler: their words, source lines, and jumps between them. */
#include "apart.h"
#include "w_assembly.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/remarks.h>

#include "names.h"
#include "number.h"

static assembly_source *text_of(assembly *a, uint32_t file) {
    assembly_source *oldest = &a->texts[0];
    for (int i = 0; i < HSW_ASSEMBLY_SOURCES; i++) {
        if (a->texts[i].file == file) {
            a->texts[i].used = ++a->clock;
            return &a->texts[i];
        }
        if (a->texts[i].used < oldest->used)
            oldest = &a->texts[i];
    }
    size_t size = 0;
    bool changed;
    free(oldest->text);
    free(oldest->lines);
    *oldest = (assembly_source){.file = file, .used = ++a->clock};
    if (hsc_db_read_source(a->w.db->db, file, &oldest->text, &size, &changed, NULL) != HSC_OK)
        oldest->text = NULL;
    size_t n = 1;
    for (size_t i = 0; oldest->text && i < size; i++)
        n += oldest->text[i] == '\n';
    oldest->lines = oldest->text ? malloc((n + 1) * sizeof *oldest->lines) : NULL;
    if (!oldest->lines)
        return oldest;
    oldest->lines[oldest->n++] = 0;
    for (size_t i = 0; i < size; i++)
        if (oldest->text[i] == '\n')
            oldest->lines[oldest->n++] = i + 1;
    oldest->lines[oldest->n] = size + 1;
    return oldest;
}

static void place_of(assembly *a, uint32_t row, char *out, size_t size) {
    hsc_db_line line;
    hsc_db_file file;
    char clean[200];
    out[0] = 0;
    if (row == HSC_NONE || hsc_db_get_line(a->w.db->db, row, &line, NULL) || hsc_db_get_file(a->w.db->db, line.file, &file, NULL))
        return;
    const char *slash = strrchr(file.path, '/');
    snprintf(out, size, "%s:%u", hsc_text_clean(slash ? slash + 1 : file.path, clean, sizeof clean), line.line);
}

static void source_line(assembly *a, uint32_t row, char *out, size_t size) {
    hsc_db_line line;
    out[0] = 0;
    if (row == HSC_NONE || hsc_db_get_line(a->w.db->db, row, &line, NULL) || !line.line)
        return;
    const assembly_source *s = text_of(a, line.file);
    if (!s->lines || line.line > s->n)
        return;
    const char *p = s->text + s->lines[line.line - 1], *end = s->text + s->lines[line.line] - 1;
    char raw[300];
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    size_t n = 0;
    for (; p < end && n + 1 < sizeof raw; p++)
        raw[n++] = *p == '\t' ? ' ' : *p;
    raw[n] = 0;
    hsc_text_clean(raw, out, size);
}

static void name_of(assembly *a, uint32_t scope, char *out, size_t size) {
    hsc_db_scope s;
    char clean[300];
    out[0] = 0;
    if (scope != HSC_NONE && hsc_db_get_scope(a->w.db->db, scope, &s, NULL) == HSC_OK)
        hsc_handle_short_name(a->w.db, scope, hsc_text_clean(s.name, clean, sizeof clean), out, size);
}

/* "in f, called at a.c:7" for each inlined call around it; "…" for what is further out. */
void hsw_assembly_inlined_as(assembly *a, uint32_t row, char *out, size_t size) {
    size_t used = 0;
    out[0] = 0;
    for (int depth = 0; row != HSC_NONE && depth < 4; depth++) {
        hsc_db_inlining x;
        char place[200], name[80];
        if (hsc_db_get_inlining(a->w.db->db, row, &x, NULL))
            return;
        name_of(a, x.scope, name, sizeof name);
        place_of(a, x.line, place, sizeof place);
        if (!hsc_code_inlined(out, size, &used, name, place))
            return;
        row = x.parent;
    }
    if (row != HSC_NONE)
        snprintf(out + used, size - used, "; \xe2\x80\xa6");
}

void hsw_assembly_version_words(const hsc_db_instance *x, char *out, size_t size) {
    int n = snprintf(out, size, "%s", x->version_text);
    if (x->vector_width > 1 && n >= 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, hsc_version_is_vector(x->version) ? ", %u lanes" : ", parts packed by %u", x->vector_width);
    if (x->interleave > 1 && n >= 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, " x %u", x->interleave);
    if (x->unroll > 1 && n >= 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ", unrolled %u times", x->unroll);
}

bool hsw_assembly_below(const assembly *a, uint32_t scope) {
    hsc_db_scope s;
    if (a->scope < 0 || scope == HSC_NONE || scope < (uint32_t)a->scope)
        return false;
    return hsc_db_get_scope(a->w.db->db, (uint32_t)a->scope, &s, NULL) == HSC_OK && s.kind == HSC_SCOPE_LOOP && scope < s.subtree_end;
}

bool hsw_assembly_contains(const char *text, const char *part) {
    size_t n = part ? strlen(part) : 0;
    for (; n && *text; text++) {
        size_t i = 0;
        while (i < n && text[i] && tolower((unsigned char)(text[i] == '\t' ? ' ' : text[i])) == tolower((unsigned char)part[i]))
            i++;
        if (i == n)
            return true;
    }
    return false;
}

/* Parts of a text with tabs, each cleaned. */
static void clean_parts(const char *text, char *out, size_t size) {
    char raw[400], clean[400];
    size_t used = 0;
    for (int part = 0; part < 3 && used + 1 < size; part++) {
        const char *tab = part < 2 ? strchr(text, '\t') : NULL;
        snprintf(raw, sizeof raw, "%.*s", tab ? (int)(tab - text) : 399, text);
        int n = snprintf(out + used, size - used, "%s%s", hsc_text_clean(raw, clean, sizeof clean), tab ? "\t" : "");
        used += n > 0 ? (size_t)n : 0;
        if (!tab)
            return;
        text = tab + 1;
    }
}

static uint32_t instance_of(const assembly *a, int i) {
    hsc_db_instruction x;
    if (i < 0 || i >= a->n || a->items[i].kind == HSC_CODE_PART || hsc_db_get_instruction(a->w.db->db, a->items[i].row, &x, NULL))
        return HSC_NONE;
    return x.instance;
}

void hsw_assembly_fill_row(assembly *a, int i, hsc_code_row *out) {
    hsc_db *db = a->w.db->db;
    const assembly_item *it = &a->items[i];
    *out = (hsc_code_row){.kind = (enum hsc_code_kind)it->kind, .version = -1};
    if (it->kind == HSC_CODE_PART) {
        hsc_db_code_part p;
        char clean[300];
        if (hsc_db_get_code_part(db, it->row, &p, NULL) != HSC_OK)
            return;
        snprintf(out->text, sizeof out->text, "%s", p.symbol[0] ? hsc_text_clean(p.symbol, clean, sizeof clean) : "(piece without a name)");
        snprintf(out->place, sizeof out->place, "%" PRIx64 " to %" PRIx64 ", %u instructions%s%.60s", p.begin, p.end, p.rows,
                 p.note[0] ? ": " : "", p.note);
        if (!p.disassembled)
            snprintf(out->place, sizeof out->place, "%.120s", hsc_text_clean(p.note, clean, sizeof clean));
        return;
    }
    hsc_db_instruction x;
    hsc_db_instance v;
    if (hsc_db_get_instruction(db, it->row, &x, NULL) != HSC_OK)
        return;
    if (x.instance != HSC_NONE && hsc_db_get_instance(db, x.instance, &v, NULL) == HSC_OK) {
        out->bracket = true;
        out->version = hsc_code_version_colour(v.version);
        out->begins = it->kind == HSC_CODE_LOOP || (it->kind == HSC_CODE_INSTRUCTION && instance_of(a, i - 1) != x.instance);
        out->ends = it->kind == HSC_CODE_INSTRUCTION && instance_of(a, i + 1) != x.instance;
    }
    out->of_loop = hsw_assembly_below(a, x.scope);
    if (it->kind == HSC_CODE_LOOP) {
        hsc_db_scope s;
        hsc_db_remark remark;
        char words[160] = "";
        uint32_t n = 0;
        if (hsc_db_get_scope(db, v.scope, &s, NULL) != HSC_OK)
            return;
        hsw_assembly_version_words(&v, words, sizeof words);
        if (s.kind == HSC_SCOPE_LOOP) {
            hsc_db_file file = {.path = ""};
            char clean[200];
            if (s.file != HSC_NONE)
                (void)hsc_db_get_file(db, s.file, &file, NULL);
            const char *slash = strrchr(file.path, '/');
            char place[240];
            if (s.line_begin) /* one of the compiler's own has no line: that of its first instruction */
                snprintf(place, sizeof place, "%s:%u", hsc_text_clean(slash ? slash + 1 : file.path, clean, sizeof clean), s.line_begin);
            else
                place_of(a, x.line, place, sizeof place);
            snprintf(out->text, sizeof out->text, "loop%s%s: %s", place[0] ? " " : "", place, words);
        } else {
            char name[100];
            name_of(a, v.scope, name, sizeof name);
            snprintf(out->text, sizeof out->text, "%s: %s", name, words);
        }
        if (hsc_db_get_remarks(db, v.scope, &remark, 1, &n, NULL) == HSC_OK && n)
            hsc_text_clean(remark.message, out->place, sizeof out->place);
        char other[100];
        size_t used = strlen(out->text);
        hsw_assembly_other(a, i, out, other, sizeof other);
        if (other[0])
            snprintf(out->text + used, sizeof out->text - used, " \xC2\xB7 %s", other);
        return;
    }
    out->of_line = a->line >= 0 && x.line == (uint32_t)a->line;
    place_of(a, x.line, out->place, sizeof out->place);
    if (it->kind == HSC_CODE_SOURCE) {
        char chain[300];
        source_line(a, x.line, out->text, sizeof out->text);
        hsw_assembly_inlined_as(a, x.inlined, chain, sizeof chain);
        size_t n = strlen(out->text);
        if (chain[0])
            snprintf(out->text + n, sizeof out->text - n, "   \xE2\x80\x94 %s", chain);
        char other[100];
        hsw_assembly_other(a, i, out, other, sizeof other);
        n = strlen(out->place);
        if (other[0])
            snprintf(out->place + n, sizeof out->place - n, "  %s", other);
        return;
    }
    out->selected = a->selected >= 0 && it->row == (uint32_t)a->selected;
    out->count = a->counts ? a->counts[it->row - a->first] : 0;
    out->share = a->total > 0 ? out->count / a->total : 0;
    out->heat = hsc_colour_position((enum hsc_scaling)a->scaling, out->count, a->maximum);
    out->length = a->maximum > 0 ? out->count / a->maximum : 0;
    hsw_assembly_change(a, it->row, out);
    out->flow = (int)x.flow;
    snprintf(out->address, sizeof out->address, "%" PRIx64, x.address);
    clean_parts(x.text[0] ? x.text : "(not disassembled)", out->text, sizeof out->text);
    out->hit = a->search && a->search[0] && hsw_assembly_contains(x.text, a->search);
    uint8_t bytes[16];
    uint32_t n = 0;
    if (a->bytes && hsc_db_read_code(db, it->row, bytes, &n, NULL) == HSC_OK)
        for (uint32_t k = 0; k < n; k++)
            snprintf(out->bytes + 2 * k, 3, "%02x", bytes[k]);
}

/* List row of an instruction; -1. Rows of instructions rise in each piece, and the pieces by address. */
int hsw_assembly_index_of(const assembly *a, uint32_t row) {
    int lo = 0, hi = a->n;
    while (lo < hi) { /* the first whose instruction is not before */
        int mid = lo + (hi - lo) / 2, k = mid;
        while (k < hi && a->items[k].kind == HSC_CODE_PART)
            k++;
        if (k == hi || a->items[k].row >= row)
            hi = mid;
        else
            lo = k + 1;
    }
    for (; lo < a->n && (a->items[lo].kind == HSC_CODE_PART || a->items[lo].row <= row); lo++)
        if (a->items[lo].kind == HSC_CODE_INSTRUCTION && a->items[lo].row == row)
            return lo;
    return -1;
}

static void add_arrow(assembly *a, int from, int to, bool strong) {
    if (from >= 0 && to >= 0 && a->arrow_count < HSW_ASSEMBLY_ARROWS_MAX)
        a->arrows[a->arrow_count++] = (hsc_code_arrow){from - a->top, to - a->top, strong};
}

/* Jumps of the selected instruction and to it; those inside the selected loop that are in view. */
void hsw_assembly_find_arrows(assembly *a) {
    a->arrow_count = 0;
    for (int i = 0; i < a->n && (a->selected >= 0 || a->scope >= 0); i++) {
        hsc_db_instruction x;
        if (a->items[i].kind != HSC_CODE_INSTRUCTION || hsc_db_get_instruction(a->w.db->db, a->items[i].row, &x, NULL) ||
            x.target == HSC_NONE || x.flow == HSC_FLOW_CALL)
            continue;
        bool own = (int64_t)a->items[i].row == a->selected, into = (int64_t)x.target == a->selected;
        bool near = i >= a->top - 200 && i < a->top + hsw_assembly_fit_rows(a) + 200;
        if (own || into)
            add_arrow(a, i, hsw_assembly_index_of(a, x.target), true);
        else if (near && hsw_assembly_below(a, x.scope)) {
            hsc_db_instruction to;
            if (hsc_db_get_instruction(a->w.db->db, x.target, &to, NULL) == HSC_OK && hsw_assembly_below(a, to.scope))
                add_arrow(a, i, hsw_assembly_index_of(a, x.target), false);
        }
    }
}
