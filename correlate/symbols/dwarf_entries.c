/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entries of the debug information: abbreviations, values in their forms, ranges. (DWARF 5, chapter 7; GNU's forms of split
 * units and of dwz besides.) */
#include <dwarf.h>
#include <stdlib.h>

#include "dwarf_read.h"

#define CODES_MAX 65536   /* of the array; larger ones are in the table */
#define RANGES_MAX 65536  /* of one entry */

enum { STEP_BYTES, STEP_LEB, STEP_TEXT, STEP_BLOCK, STEP_BLOCK_1, STEP_BLOCK_2, STEP_BLOCK_4, STEP_FORM, STEP_UNKNOWN };

#define FORM_GNU_ADDR_INDEX 0x1F01u
#define FORM_GNU_STR_INDEX 0x1F02u
#define FORM_GNU_REF_ALT 0x1F20u
#define FORM_GNU_STRP_ALT 0x1F21u

/* How to go over a value of the form. */
static hsc_skip_step step_of(uint64_t form, unsigned version, unsigned address_size, unsigned offset_size) {
    switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
        return (hsc_skip_step){STEP_BYTES, 0};
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
        return (hsc_skip_step){STEP_BYTES, 1};
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
        return (hsc_skip_step){STEP_BYTES, 2};
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
        return (hsc_skip_step){STEP_BYTES, 3};
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
        return (hsc_skip_step){STEP_BYTES, 4};
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
        return (hsc_skip_step){STEP_BYTES, 8};
    case DW_FORM_data16:
        return (hsc_skip_step){STEP_BYTES, 16};
    case DW_FORM_addr:
        return (hsc_skip_step){STEP_BYTES, address_size};
    case DW_FORM_ref_addr:
        return (hsc_skip_step){STEP_BYTES, version < 3 ? address_size : offset_size};
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case FORM_GNU_REF_ALT:
    case FORM_GNU_STRP_ALT:
        return (hsc_skip_step){STEP_BYTES, offset_size};
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case FORM_GNU_ADDR_INDEX:
    case FORM_GNU_STR_INDEX:
        return (hsc_skip_step){STEP_LEB, 0};
    case DW_FORM_string:
        return (hsc_skip_step){STEP_TEXT, 0};
    case DW_FORM_block:
    case DW_FORM_exprloc:
        return (hsc_skip_step){STEP_BLOCK, 0};
    case DW_FORM_block1:
        return (hsc_skip_step){STEP_BLOCK_1, 0};
    case DW_FORM_block2:
        return (hsc_skip_step){STEP_BLOCK_2, 0};
    case DW_FORM_block4:
        return (hsc_skip_step){STEP_BLOCK_4, 0};
    case DW_FORM_indirect:
        return (hsc_skip_step){STEP_FORM, 0};
    default:
        return (hsc_skip_step){STEP_UNKNOWN, 0};
    }
}

/* ---- abbreviations ---- */

void hsc_abbreviations_fini(hsc_abbreviations *a) {
    free(a->list.p);
    free(a->attributes.p);
    free(a->steps.p);
    free(a->by_code.p);
    hsc_table_fini(&a->others);
    *a = (hsc_abbreviations){0};
}

static bool is_asked(uint32_t name) {
    switch (name) {
    case DW_AT_low_pc:
    case DW_AT_high_pc:
    case DW_AT_ranges:
    case DW_AT_abstract_origin:
    case DW_AT_specification:
    case DW_AT_sibling:
    case DW_AT_call_file:
    case DW_AT_call_line:
    case DW_AT_call_column:
    case 0x2136: /* DW_AT_GNU_discriminator */
    case DW_AT_decl_file:
    case DW_AT_decl_line:
    case DW_AT_name:
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
    case DW_AT_noreturn:
    case DW_AT_type:
    case DW_AT_object_pointer:
        return true;
    default:
        return false;
    }
}

static bool set_code(hsc_abbreviations *a, uint64_t code, uint32_t row) {
    if (code < CODES_MAX) {
        while (a->by_code.n <= code)
            if (!HSC_PUSH(a->by_code, 0))
                return false;
        a->by_code.p[code] = row + 1;
        return true;
    }
    uint32_t *at = hsc_table_at(&a->others, code, 0);
    if (at)
        *at = row;
    return at != NULL;
}

static bool add_step(hsc_abbreviations *a, hsc_abbreviation *b, hsc_skip_step s) {
    hsc_skip_step *last = b->step_count ? &a->steps.p[a->steps.n - 1] : NULL;
    if (s.what == STEP_BYTES && (!s.bytes || (last && last->what == STEP_BYTES))) {
        if (last)
            last->bytes += s.bytes;
        return true;
    }
    b->step_count++;
    return HSC_PUSH(a->steps, s);
}

bool hsc_abbreviations_load(hsc_abbreviations *a, const hsc_dwarf_unit *u) {
    if (a->in == u->in && a->offset == u->abbreviations && a->address_size == u->address_size &&
        a->offset_size == u->offset_size && a->version == u->version && a->list.n)
        return true;
    hsc_table_fini(&a->others);
    a->list.n = a->attributes.n = a->steps.n = a->by_code.n = 0;
    a->in = u->in;
    a->offset = u->abbreviations;
    a->address_size = u->address_size;
    a->offset_size = u->offset_size;
    a->version = u->version;
    hsc_cursor c = {u->in->abbrev.p, u->in->abbrev.p + u->in->abbrev.n};
    hsc_skip(&c, u->abbreviations);
    while (hsc_left(&c)) {
        uint64_t code = hsc_take_uleb(&c);
        if (!code)
            break;
        hsc_abbreviation b = {.tag = (uint32_t)hsc_take_uleb(&c), .first = (uint32_t)a->attributes.n,
                              .first_step = (uint32_t)a->steps.n};
        b.has_children = hsc_take(&c, 1) != 0;
        while (hsc_left(&c)) {
            hsc_attribute at = {0};
            at.name = (uint32_t)hsc_take_uleb(&c);
            at.form = (uint32_t)hsc_take_uleb(&c);
            if (at.form == DW_FORM_implicit_const)
                at.constant = hsc_take_sleb(&c);
            if (!at.name && !at.form)
                break;
            b.has_sibling = b.has_sibling || at.name == DW_AT_sibling;
            at.step = step_of(at.form, u->version, u->address_size, u->offset_size);
            at.is_asked = is_asked(at.name);
            if (!HSC_PUSH(a->attributes, at) || !add_step(a, &b, at.step))
                return false;
        }
        b.count = (uint32_t)a->attributes.n - b.first;
        if (!set_code(a, code, (uint32_t)a->list.n) || !HSC_PUSH(a->list, b))
            return false;
    }
    return true;
}

/* ---- values ---- */

static void skip_step(hsc_skip_step s, const hsc_dwarf_unit *u, hsc_cursor *c) {
    switch (s.what) {
    case STEP_BYTES:
        hsc_skip(c, s.bytes);
        break;
    case STEP_LEB:
        hsc_skip_leb(c);
        break;
    case STEP_TEXT:
        (void)hsc_take_text(c);
        break;
    case STEP_BLOCK:
        hsc_skip(c, hsc_take_uleb(c));
        break;
    case STEP_BLOCK_1:
        hsc_skip(c, hsc_take(c, 1));
        break;
    case STEP_BLOCK_2:
        hsc_skip(c, hsc_take(c, 2));
        break;
    case STEP_BLOCK_4:
        hsc_skip(c, hsc_take(c, 4));
        break;
    case STEP_FORM: {
        hsc_skip_step inner = step_of(hsc_take_uleb(c), u->version, u->address_size, u->offset_size);
        if (inner.what != STEP_FORM)
            skip_step(inner, u, c);
        break;
    }
    default: /* a form that is not known: nothing behind it can be told */
        c->p = c->end;
    }
}

void hsc_skip_values(const hsc_abbreviations *a, const hsc_abbreviation *b, const hsc_dwarf_unit *u, hsc_cursor *c) {
    const hsc_skip_step *s = a->steps.p + b->first_step;
    for (uint32_t i = 0; i < b->step_count; i++)
        skip_step(s[i], u, c);
}

static const char *text_at(const hsc_section *s, uint64_t offset) {
    return offset < s->n && memchr(s->p + offset, 0, s->n - (size_t)offset) ? (const char *)s->p + offset : NULL;
}

static uint64_t number_at(const hsc_section *s, uint64_t base, uint64_t index, unsigned size) {
    hsc_cursor c = {s->p, s->p + s->n};
    if (base > s->n || index > (s->n - base) / size)
        return 0;
    hsc_skip(&c, base + index * size);
    return hsc_take(&c, size);
}

typedef enum value_kind { VALUE_NUMBER, VALUE_ADDRESS, VALUE_TEXT, VALUE_ENTRY, VALUE_COMMON_ENTRY, VALUE_INDEX, VALUE_NONE } value_kind;

typedef struct value {
    value_kind kind; /* ENTRY: offset in .debug_info; INDEX: of the range lists */
    uint64_t n;
    const char *text;
} value;

static const hsc_section no_section;

static value take_value(const hsc_attribute *at, const hsc_dwarf_unit *u, hsc_cursor *c) {
    const hsc_dwarf_sections *in = u->in;
    uint32_t form = at->form;
    hsc_skip_step s = at->step;
    if (form == DW_FORM_indirect) {
        form = (uint32_t)hsc_take_uleb(c);
        s = step_of(form, u->version, u->address_size, u->offset_size);
    }
    switch (form) {
    case DW_FORM_implicit_const:
        return (value){VALUE_NUMBER, (uint64_t)at->constant, NULL};
    case DW_FORM_flag_present:
        return (value){VALUE_NUMBER, 1, NULL};
    case DW_FORM_sdata:
        return (value){VALUE_NUMBER, (uint64_t)hsc_take_sleb(c), NULL};
    case DW_FORM_udata:
        return (value){VALUE_NUMBER, hsc_take_uleb(c), NULL};
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
    case DW_FORM_flag:
    case DW_FORM_sec_offset:
        return (value){VALUE_NUMBER, hsc_take(c, s.bytes), NULL};
    case DW_FORM_addr:
        return (value){VALUE_ADDRESS, hsc_take(c, s.bytes), NULL};
    case DW_FORM_addrx:
    case FORM_GNU_ADDR_INDEX:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4: {
        uint64_t index = s.what == STEP_LEB ? hsc_take_uleb(c) : hsc_take(c, s.bytes);
        return (value){VALUE_ADDRESS, number_at(&u->addresses->addr, u->addr_base, index, u->address_size), NULL};
    }
    case DW_FORM_rnglistx:
        return (value){VALUE_INDEX, hsc_take_uleb(c), NULL};
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
        return (value){VALUE_ENTRY, u->begin + hsc_take(c, s.bytes), NULL};
    case DW_FORM_ref_udata:
        return (value){VALUE_ENTRY, u->begin + hsc_take_uleb(c), NULL};
    case DW_FORM_ref_addr:
        return (value){VALUE_ENTRY, hsc_take(c, s.bytes), NULL};
    case FORM_GNU_REF_ALT:
    case DW_FORM_ref_sup4:
    case DW_FORM_ref_sup8:
        return (value){VALUE_COMMON_ENTRY, hsc_take(c, s.bytes), NULL};
    case DW_FORM_string:
        return (value){VALUE_TEXT, 0, hsc_take_text(c)};
    case DW_FORM_strp:
        return (value){VALUE_TEXT, 0, text_at(&in->str, hsc_take(c, s.bytes))};
    case DW_FORM_line_strp:
        return (value){VALUE_TEXT, 0, text_at(&in->line_str, hsc_take(c, s.bytes))};
    case DW_FORM_strp_sup:
    case FORM_GNU_STRP_ALT:
        return (value){VALUE_TEXT, 0, text_at(u->common ? &u->common->str : &no_section, hsc_take(c, s.bytes))};
    case DW_FORM_strx:
    case FORM_GNU_STR_INDEX:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4: {
        uint64_t index = s.what == STEP_LEB ? hsc_take_uleb(c) : hsc_take(c, s.bytes);
        return (value){VALUE_TEXT, 0, text_at(&in->str, number_at(&in->str_offsets, u->str_base, index, u->offset_size))};
    }
    default:
        skip_step(s, u, c);
        return (value){VALUE_NONE, 0, NULL};
    }
}

void hsc_read_entry(const hsc_abbreviations *a, const hsc_abbreviation *b, const hsc_dwarf_unit *u, hsc_cursor *c, hsc_entry *out) {
    const uint64_t none = UINT64_MAX;
    bool has_lo = false, has_hi = false, hi_is_size = false;
    *out = (hsc_entry){.ranges = none, .origin = none, .specification = none, .sibling = none, .type = none, .object = none, .call_file = none,
                       .call_line = none, .call_column = none, .call_discriminator = none, .file = none, .line = none};
    for (uint32_t i = 0; i < b->count; i++) {
        const hsc_attribute *at = &a->attributes.p[b->first + i];
        if (!at->is_asked) {
            skip_step(at->step, u, c);
            continue;
        }
        value v = take_value(at, u, c);
        uint64_t n = v.kind == VALUE_NUMBER ? v.n : none;
        switch (at->name) {
        case DW_AT_low_pc:
            has_lo = v.kind == VALUE_ADDRESS;
            out->lo = v.n;
            break;
        case DW_AT_high_pc:
            has_hi = v.kind == VALUE_ADDRESS || v.kind == VALUE_NUMBER;
            hi_is_size = v.kind == VALUE_NUMBER;
            out->hi = v.n;
            break;
        case DW_AT_ranges:
            if (v.kind == VALUE_NUMBER)
                out->ranges = v.n + (u->version < 5 ? u->ranges_base : 0);
            else if (v.kind == VALUE_INDEX)
                out->ranges = u->rnglists_base + number_at(&u->in->rnglists, u->rnglists_base, v.n, u->offset_size);
            break;
        case DW_AT_abstract_origin:
        case DW_AT_specification:
        case DW_AT_sibling:
            if (v.kind != VALUE_ENTRY && v.kind != VALUE_COMMON_ENTRY)
                break;
            if (at->name == DW_AT_sibling) {
                out->sibling = v.n;
            } else if (at->name == DW_AT_abstract_origin) {
                out->origin = v.n;
                out->origin_common = v.kind == VALUE_COMMON_ENTRY;
            } else {
                out->specification = v.n;
                out->specification_common = v.kind == VALUE_COMMON_ENTRY;
            }
            break;
        case DW_AT_type:
            out->type = v.kind == VALUE_ENTRY ? v.n : none;
            break;
        case DW_AT_object_pointer:
            out->object = v.kind == VALUE_ENTRY ? v.n : none;
            break;
        case DW_AT_call_file:
            out->call_file = n;
            break;
        case DW_AT_call_line:
            out->call_line = n;
            break;
        case DW_AT_call_column:
            out->call_column = n;
            break;
        case 0x2136:
            out->call_discriminator = n;
            break;
        case DW_AT_decl_file:
            out->file = n;
            break;
        case DW_AT_decl_line:
            out->line = n;
            break;
        case DW_AT_name:
            out->name = v.text;
            break;
        case DW_AT_noreturn:
            out->does_not_return = n == 1;
            break;
        default:
            out->linkage = v.text;
        }
    }
    if (hi_is_size)
        out->hi += out->lo;
    if (!has_lo || !has_hi)
        out->lo = out->hi = 0;
}

/* ---- ranges ---- */

static bool each_in_list(const hsc_dwarf_unit *u, uint64_t offset, bool (*visit)(void *ctx, uint64_t lo, uint64_t hi), void *ctx) {
    const hsc_section *s = &u->in->rnglists;
    hsc_cursor c = {s->p, s->p + s->n};
    uint64_t base = u->low_pc;
    hsc_skip(&c, offset);
    for (int n = 0; n < RANGES_MAX && hsc_left(&c); n++) {
        uint64_t kind = hsc_take(&c, 1), lo = 0, hi = 0;
        switch (kind) {
        case DW_RLE_base_addressx:
            base = number_at(&u->addresses->addr, u->addr_base, hsc_take_uleb(&c), u->address_size);
            continue;
        case DW_RLE_base_address:
            base = hsc_take(&c, u->address_size);
            continue;
        case DW_RLE_startx_endx:
            lo = number_at(&u->addresses->addr, u->addr_base, hsc_take_uleb(&c), u->address_size);
            hi = number_at(&u->addresses->addr, u->addr_base, hsc_take_uleb(&c), u->address_size);
            break;
        case DW_RLE_startx_length:
            lo = number_at(&u->addresses->addr, u->addr_base, hsc_take_uleb(&c), u->address_size);
            hi = lo + hsc_take_uleb(&c);
            break;
        case DW_RLE_offset_pair:
            lo = base + hsc_take_uleb(&c);
            hi = base + hsc_take_uleb(&c);
            break;
        case DW_RLE_start_end:
            lo = hsc_take(&c, u->address_size);
            hi = hsc_take(&c, u->address_size);
            break;
        case DW_RLE_start_length:
            lo = hsc_take(&c, u->address_size);
            hi = lo + hsc_take_uleb(&c);
            break;
        default: /* the end of the list, or what is not known */
            return true;
        }
        if (lo < hi && !visit(ctx, lo, hi))
            return false;
    }
    return true;
}

bool hsc_each_range(const hsc_dwarf_unit *u, const hsc_entry *e, bool (*visit)(void *ctx, uint64_t lo, uint64_t hi), void *ctx) {
    if (e->lo < e->hi)
        return visit(ctx, e->lo, e->hi);
    if (e->ranges == UINT64_MAX)
        return true;
    if (u->version >= 5)
        return each_in_list(u, e->ranges, visit, ctx);
    const hsc_section *s = &u->addresses->ranges;
    hsc_cursor c = {s->p, s->p + s->n};
    uint64_t base = u->low_pc, top = u->address_size >= 8 ? UINT64_MAX : (1ull << 8 * u->address_size) - 1;
    hsc_skip(&c, e->ranges);
    for (int n = 0; n < RANGES_MAX && hsc_left(&c); n++) {
        uint64_t lo = hsc_take(&c, u->address_size), hi = hsc_take(&c, u->address_size);
        if (!lo && !hi)
            break;
        if (lo == top)
            base = hi;
        else if (lo < hi && !visit(ctx, base + lo, base + hi))
            return false;
    }
    return true;
}
