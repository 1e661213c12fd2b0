/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Line tables as one sorted array of address spans, and the files that they name. (DWARF 5, section 6.2.) */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_read.h"

typedef struct program { /* of one table */
    hsc_cursor code;
    uint8_t instruction_bytes, operations, line_range, opcode_base;
    bool is_statement; /* of a row, unless the program says otherwise */
    int8_t line_base;
    const uint8_t *lengths; /* operands of standard opcodes, from 1 */
} program;

/* ---- headers ---- */

typedef struct path_form { /* of a list of DWARF 5 */
    uint64_t content, form;
} path_form;

typedef HSC_VEC(const char *) texts;

static const char *text_in(const hsc_section *s, uint64_t at) {
    return at < s->n && memchr(s->p + at, 0, s->n - (size_t)at) ? (const char *)s->p + at : NULL;
}

/* A value of a list of directories or files: a text, or the number of a directory; false: in no form that is known. */
static bool take_entry(const hsc_dwarf_unit *u, const hsc_dwarf_sections *in, unsigned offset_size, uint64_t form, hsc_cursor *c,
                       const char **text, uint64_t *number) {
    switch (form) {
    case DW_FORM_string:
        *text = hsc_take_text(c);
        return true;
    case DW_FORM_line_strp:
        *text = text_in(&in->line_str, hsc_take(c, offset_size));
        return true;
    case DW_FORM_strp:
        *text = text_in(&in->str, hsc_take(c, offset_size));
        return true;
    case DW_FORM_strx: { /* of .dwo files */
        uint64_t index = hsc_take_uleb(c), at = u->str_base + index * offset_size;
        hsc_cursor s = {in->str_offsets.p, in->str_offsets.p + in->str_offsets.n};
        hsc_skip(&s, index < in->str_offsets.n ? at : in->str_offsets.n);
        *text = text_in(&in->str, hsc_take(&s, offset_size));
        return true;
    }
    case DW_FORM_udata:
        *number = hsc_take_uleb(c);
        return true;
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
        *number = hsc_take(c, form == DW_FORM_data1 ? 1 : form == DW_FORM_data2 ? 2 : form == DW_FORM_data4 ? 4 : 8);
        return true;
    case DW_FORM_data16:
        hsc_skip(c, 16);
        return true;
    case DW_FORM_block:
        hsc_skip(c, hsc_take_uleb(c));
        return true;
    default:
        return false;
    }
}

/* A list of DWARF 5: of directories (`directories` is filled) or of files. */
static bool take_list(hsc_dwarf *d, const hsc_dwarf_unit *u, const hsc_dwarf_sections *in, unsigned offset_size, hsc_cursor *c,
                      texts *directories, bool files) {
    path_form forms[255];
    size_t form_count = (size_t)hsc_take(c, 1);
    for (size_t i = 0; i < form_count; i++) {
        forms[i].content = hsc_take_uleb(c);
        forms[i].form = hsc_take_uleb(c);
    }
    uint64_t count = hsc_take_uleb(c);
    for (uint64_t k = 0; k < count && hsc_left(c) && form_count; k++) {
        const char *path = NULL, *text;
        uint64_t directory = 0, number;
        for (size_t i = 0; i < form_count; i++) {
            text = NULL;
            number = 0;
            if (!take_entry(u, in, offset_size, forms[i].form, c, &text, &number)) {
                c->p = c->end;
                return true;
            }
            if (forms[i].content == DW_LNCT_path)
                path = text;
            else if (forms[i].content == DW_LNCT_directory_index)
                directory = number;
        }
        if (files ? !HSC_PUSH(d->files, (hsc_source_file){path, directory < directories->n ? directories->p[directory] : NULL,
                                                          HSC_NO_INDEX, false})
                  : !HSC_PUSH(*directories, path))
            return false;
    }
    return true;
}

/* The lists before DWARF 5: directory 0 is the unit's, files count from 1. */
static bool take_old_lists(hsc_dwarf *d, const hsc_dwarf_unit *u, hsc_cursor *c, texts *directories) {
    const char *text = u->directory;
    do
        if (!HSC_PUSH(*directories, text))
            return false;
    while ((text = hsc_take_text(c)) && text[0]);
    if (!HSC_PUSH(d->files, (hsc_source_file){.row = HSC_NO_INDEX}))
        return false;
    while ((text = hsc_take_text(c)) && text[0]) {
        uint64_t directory = hsc_take_uleb(c);
        hsc_skip_leb(c);
        hsc_skip_leb(c);
        if (!HSC_PUSH(d->files, (hsc_source_file){text, directory < directories->n ? directories->p[directory] : NULL,
                                                  HSC_NO_INDEX, false}))
            return false;
    }
    return true;
}

/* Reads the head of the table at `offset`: the files, unless they are read, and what its program needs. Its code is empty when
 * the table can't be read. */
static bool read_head(hsc_dwarf *d, hsc_dwarf_unit *u, const hsc_dwarf_sections *in, uint64_t offset, program *out) {
    const hsc_section *s = &in->line;
    hsc_cursor c = {s->p, s->p + s->n};
    *out = (program){0};
    if (!s->p || offset >= s->n)
        return true;
    hsc_skip(&c, offset);
    unsigned offset_size = 4;
    uint64_t size = hsc_take(&c, 4);
    if (size == 0xFFFFFFFF) {
        size = hsc_take(&c, 8);
        offset_size = 8;
    }
    if (size > hsc_left(&c))
        return true;
    c.end = c.p + size;
    unsigned version = (unsigned)hsc_take(&c, 2);
    if (version < 2 || version > 5)
        return true;
    if (version >= 5)
        hsc_skip(&c, 2); /* sizes of addresses and of segments */
    uint64_t head = hsc_take(&c, offset_size);
    if (head > hsc_left(&c))
        return true;
    hsc_cursor code = {c.p + head, c.end};
    c.end = code.p;
    out->instruction_bytes = (uint8_t)hsc_take(&c, 1);
    out->operations = version >= 4 ? (uint8_t)hsc_take(&c, 1) : 1;
    out->is_statement = hsc_take(&c, 1);
    out->line_base = (int8_t)hsc_take(&c, 1);
    out->line_range = (uint8_t)hsc_take(&c, 1);
    out->opcode_base = (uint8_t)hsc_take(&c, 1);
    out->lengths = c.p - 1;
    hsc_skip(&c, out->opcode_base ? out->opcode_base - 1u : 0);
    if (!out->line_range || !out->operations || !out->opcode_base || !hsc_left(&c))
        return true;
    out->code = code;
    if (u->files_read)
        return true;
    texts directories = {0};
    u->files_read = true;
    u->first_file = (uint32_t)d->files.n;
    bool ok = version >= 5 ? take_list(d, u, in, offset_size, &c, &directories, false) &&
                                 take_list(d, u, in, offset_size, &c, &directories, true)
                           : take_old_lists(d, u, &c, &directories);
    u->file_count = (uint32_t)(d->files.n - u->first_file);
    free(directories.p);
    return ok;
}

bool hsc_dwarf_read_files(hsc_dwarf *d, hsc_dwarf_unit *u) {
    program p;
    if (u->files_read)
        return true;
    bool own = u->in != u->addresses && u->in->line.p; /* a .dwo file may have a table without rows */
    bool ok = read_head(d, u, own ? u->in : u->addresses, own ? 0 : u->line, &p);
    u->files_read = true;
    return ok;
}

bool hsc_dwarf_file(hsc_dwarf *d, hsc_dwarf_unit *u, uint64_t number, uint32_t *out) {
    *out = HSC_NO_INDEX;
    if (!hsc_dwarf_read_files(d, u))
        return false;
    if (number >= u->file_count)
        return true;
    hsc_source_file *f = &d->files.p[u->first_file + number];
    if (!f->known && f->name && f->name[0]) {
        const char *path = f->name, *directory = f->directory ? f->directory : "";
        size_t n = strlen(directory);
        char *joined = NULL;
        if (path[0] != '/' && directory[0] != '/' && n && u->directory[0] == '/') { /* relative to the unit's folder */
            if (!(joined = malloc(n + strlen(path) + 2)))
                return false;
            memcpy(joined, directory, n);
            joined[n] = '/';
            strcpy(joined + n + 1, path);
            path = joined;
            directory = u->directory;
        }
        bool ok = hsc_code_add_file(d->code, path, strlen(path), directory, strlen(directory), &f->row);
        free(joined);
        if (!ok)
            return false;
    }
    f->known = true;
    *out = f->row;
    return true;
}

/* ---- rows ---- */

typedef struct sequence { /* rows of code side by side */
    uint64_t lo, hi;
    size_t first, count;
} sequence;

typedef struct rows {
    HSC_VEC(hsc_line_span) list;
    HSC_VEC(sequence) sequences;
} rows;

/* The address is that of code up to *end? */
static bool is_code(const hsc_code *c, uint64_t address, uint64_t *end) {
    for (size_t i = 0; i < c->code_ranges.n; i++)
        if (address >= c->code_ranges.p[i].lo && address < c->code_ranges.p[i].hi) {
            *end = c->code_ranges.p[i].hi;
            return true;
        }
    return false;
}

typedef struct machine { /* of the program */
    uint64_t address, operation;
    uint64_t line, file, column;
    uint32_t discriminator;
    bool is_statement;
} machine;

static void advance(machine *m, const program *p, uint64_t by) {
    if (p->operations == 1) {
        m->address += by * p->instruction_bytes;
        return;
    }
    m->address += p->instruction_bytes * ((m->operation + by) / p->operations);
    m->operation = (m->operation + by) % p->operations;
}

/* A row of the table: of several at one address the last says what the code is. Its file is a number until the sequence ends. */
static bool put(const hsc_dwarf_unit *u, rows *r, size_t first, const machine *m) {
    hsc_line_span s = {m->address, m->file < HSC_NO_INDEX ? (uint32_t)m->file : HSC_NO_INDEX,
                       m->line < HSC_NO_INDEX >> 1 ? (uint32_t)m->line : 0, m->is_statement, m->discriminator, u->row, m->column < HSC_NO_INDEX ? (uint32_t)m->column : 0, 0};
    hsc_line_span *last = r->list.n > first ? &r->list.p[r->list.n - 1] : NULL;
    size_t before = r->list.n;
    while (before > first && (r->list.p[before - 1].lo >= s.lo || !r->list.p[before - 1].line))
        before--;
    if (before > first && r->list.p[before - 1].line == s.line && r->list.p[before - 1].file == s.file) /* it goes on: LLVM marks no row of a line but the first */
        s.is_statement = s.is_statement || r->list.p[before - 1].is_statement;
    if (last && last->lo >= s.lo) {
        if (last->lo == s.lo) {
            s.is_statement = s.is_statement || (last->is_statement && last->line == s.line && last->file == s.file);
            *last = s;
        }
        return true; /* addresses of a sequence do not fall */
    }
    return HSC_PUSH(r->list, s);
}

/* Closes the sequence whose rows begin at `first`; it is left out when it is not of code that is there. */
static bool end_sequence(hsc_dwarf *d, hsc_dwarf_unit *u, rows *r, size_t first, uint64_t end) {
    uint64_t limit = 0;
    uint32_t number = HSC_NO_INDEX, file = HSC_NO_INDEX;
    if (r->list.n > first && (r->list.p[first].lo >= end || !is_code(d->code, r->list.p[first].lo, &limit)))
        r->list.n = first;
    if (r->list.n == first)
        return true;
    end = end < limit ? end : limit;
    while (r->list.p[r->list.n - 1].lo >= end)
        r->list.n--;
    for (size_t i = first; i < r->list.n; i++) {
        if (r->list.p[i].file != number && !hsc_dwarf_file(d, u, number = r->list.p[i].file, &file))
            return false;
        r->list.p[i].file = file;
    }
    return HSC_PUSH(r->sequences, (sequence){r->list.p[first].lo, end, first, r->list.n - first});
}

static bool run(hsc_dwarf *d, hsc_dwarf_unit *u, const program *p, rows *r) {
    hsc_cursor c = p->code;
    const machine fresh = {.line = 1, .file = 1, .is_statement = p->is_statement};
    machine m = fresh;
    size_t first = r->list.n;
    while (hsc_left(&c)) {
        unsigned op = *c.p++;
        if (op >= p->opcode_base) {
            unsigned adjusted = op - p->opcode_base;
            advance(&m, p, adjusted / p->line_range);
            m.line += (uint64_t)(p->line_base + (int)(adjusted % p->line_range));
            if (!put(u, r, first, &m))
                return false;
            m.discriminator = 0;
            continue;
        }
        switch (op) {
        case 0: {
            uint64_t n = hsc_take_uleb(&c);
            hsc_cursor x = {c.p, c.p + (n < hsc_left(&c) ? n : hsc_left(&c))};
            hsc_skip(&c, n);
            switch (hsc_take(&x, 1)) {
            case DW_LNE_end_sequence:
                if (!end_sequence(d, u, r, first, m.address))
                    return false;
                m = fresh;
                first = r->list.n;
                break;
            case DW_LNE_set_address:
                m.address = hsc_take(&x, hsc_left(&x) < 8 ? hsc_left(&x) : 8);
                m.operation = 0;
                break;
            case DW_LNE_set_discriminator:
                m.discriminator = (uint32_t)hsc_take_uleb(&x);
                break;
            default: /* files that are defined in a program: nobody writes them */
                break;
            }
            break;
        }
        case DW_LNS_copy:
            if (!put(u, r, first, &m))
                return false;
            m.discriminator = 0;
            break;
        case DW_LNS_advance_pc:
            advance(&m, p, hsc_take_uleb(&c));
            break;
        case DW_LNS_advance_line:
            m.line += (uint64_t)hsc_take_sleb(&c);
            break;
        case DW_LNS_set_file:
            m.file = hsc_take_uleb(&c);
            break;
        case DW_LNS_negate_stmt:
            m.is_statement = !m.is_statement;
            break;
        case DW_LNS_set_column:
            m.column = hsc_take_uleb(&c);
            break;
        case DW_LNS_const_add_pc:
            advance(&m, p, (255u - p->opcode_base) / p->line_range);
            break;
        case DW_LNS_fixed_advance_pc:
            m.address += hsc_take(&c, 2);
            m.operation = 0;
            break;
        default:
            for (unsigned i = 0; i < p->lengths[op]; i++)
                hsc_skip_leb(&c);
        }
    }
    r->list.n = first; /* rows without an end */
    return true;
}

static int by_address(const void *pa, const void *pb) {
    const sequence *a = pa, *b = pb;
    if (a->lo != b->lo)
        return a->lo < b->lo ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* The rows in the order of addresses, with gaps; where sequences overlap the earlier one counts. */
static bool take_rows(hsc_code *c, const rows *r) {
    uint64_t end = 0;
    if (!HSC_RESERVE(c->lines, r->list.n + r->sequences.n + 1))
        return false;
    for (size_t i = 0; i < r->sequences.n; i++) {
        const sequence *s = &r->sequences.p[i];
        size_t k = 0;
        if (s->hi <= end)
            continue;
        while (k + 1 < s->count && r->list.p[s->first + k + 1].lo <= end)
            k++;
        if (c->lines.n && s->lo > end)
            c->lines.p[c->lines.n++] = (hsc_line_span){.lo = end, .file = HSC_NO_INDEX, .unit = HSC_NO_INDEX};
        size_t from = c->lines.n;
        memcpy(c->lines.p + from, r->list.p + s->first + k, (s->count - k) * sizeof *c->lines.p);
        c->lines.n += s->count - k;
        if (c->lines.p[from].lo < end)
            c->lines.p[from].lo = end;
        end = s->hi;
    }
    if (c->lines.n)
        c->lines.p[c->lines.n++] = (hsc_line_span){.lo = end, .file = HSC_NO_INDEX, .unit = HSC_NO_INDEX};
    return true;
}

bool hsc_dwarf_load_lines(hsc_dwarf *d) {
    hsc_code *c = d->code;
    hsc_table tables = {0}; /* offsets of those that are read */
    rows r = {0};
    bool ok = true, sorted = true;
    for (size_t i = 0; ok && i < c->units.n; i++) {
        hsc_dwarf_unit *u = &d->units.p[i];
        if (!u->has_rows || u->line == UINT64_MAX)
            continue;
        uint32_t *at = hsc_table_at(&tables, u->line, 0);
        program p;
        ok = at != NULL;
        if (!ok || *at != HSC_NO_INDEX)
            continue;
        *at = 0;
        if (u->in != u->addresses) { /* a split unit's rows count the files of the skeleton's table */
            hsc_dwarf_unit skeleton = *u;
            skeleton.in = u->addresses;
            skeleton.files_read = false;
            ok = read_head(d, &skeleton, &d->main, u->line, &p) && run(d, &skeleton, &p, &r);
        } else {
            ok = read_head(d, u, &d->main, u->line, &p) && run(d, u, &p, &r);
        }
    }
    hsc_table_fini(&tables);
    for (size_t i = 1; i < r.sequences.n && sorted; i++) /* as linkers leave them, mostly */
        sorted = r.sequences.p[i - 1].lo <= r.sequences.p[i].lo;
    if (ok && !sorted)
        qsort(r.sequences.p, r.sequences.n, sizeof *r.sequences.p, by_address);
    ok = ok && take_rows(c, &r);
    free(r.list.p);
    free(r.sequences.p);
    return ok;
}
