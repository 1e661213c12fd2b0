/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compact unwind tables from .eh_frame and .debug_frame (System V ABI, DWARF 5 section 6.4): for each range of addresses a
 * rule that says where the caller's frame, return address and frame pointer are. Everything else in the programs of these
 * sections is run once, here, outside handlers, on a copy of the section. */
#include "rt.h"

hsc_rt_rule hsc_rt_rules[65536]; /* 0: none known */
static uint32_t rules = 1;
static uint16_t rule_hash[1u << 17];

enum { REG_BP = 6, REG_SP = 7, REG_RA = 16 }; /* DWARF numbers of x86-64 */
enum { CFA_SAVED_STATES = 16 };

/* bytes of a section copied from memory */
typedef struct bytes {
    const uint8_t *p, *end;
    uint64_t skew; /* memory address of a byte minus its address in the copy */
    bool bad;
} bytes;

static uint64_t fixed(bytes *b, unsigned n) {
    uint64_t v = 0;
    if ((size_t)(b->end - b->p) < n) {
        b->bad = true;
        b->p = b->end;
        return 0;
    }
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)b->p[i] << 8 * i;
    b->p += n;
    return v;
}

static uint64_t uleb(bytes *b) {
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        if (b->p >= b->end || shift > 63) {
            b->bad = true;
            return 0;
        }
        uint8_t c = *b->p++;
        v |= (uint64_t)(c & 0x7f) << shift;
        if (!(c & 0x80))
            return v;
    }
}

static int64_t sleb(bytes *b) {
    uint64_t v = 0;
    for (unsigned shift = 0;;) {
        if (b->p >= b->end || shift > 63) {
            b->bad = true;
            return 0;
        }
        uint8_t c = *b->p++;
        v |= (uint64_t)(c & 0x7f) << shift;
        shift += 7;
        if (!(c & 0x80)) {
            if (c & 0x40 && shift < 64)
                v |= ~0ull << shift;
            return (int64_t)v;
        }
    }
}

static void skip(bytes *b, uint64_t n) {
    if (n > (uint64_t)(b->end - b->p)) {
        b->bad = true;
        b->p = b->end;
    } else
        b->p += n;
}

/* A pointer in one of the DW_EH_PE encodings; `data` is the base of data-relative ones. */
static uint64_t pointer(bytes *b, uint8_t encoding, uint64_t data) {
    if (encoding == 0xff)
        return 0;
    uint64_t here = (uint64_t)b->p + b->skew, v;
    switch (encoding & 0x0f) {
    case 0x00: case 0x04: case 0x0c: v = fixed(b, 8); break;
    case 0x01: v = uleb(b); break;
    case 0x02: v = fixed(b, 2); break;
    case 0x03: v = fixed(b, 4); break;
    case 0x09: v = (uint64_t)sleb(b); break;
    case 0x0a: v = (uint64_t)(int64_t)(int16_t)fixed(b, 2); break;
    case 0x0b: v = (uint64_t)(int64_t)(int32_t)fixed(b, 4); break;
    default: b->bad = true; return 0;
    }
    switch (encoding & 0x70) {
    case 0x00: return v;
    case 0x10: return here + v;
    case 0x30: return data + v;
    default: b->bad = true; return 0;
    }
}

/* ---- rules -------------------------------------------------------------------------------------------------------------- */

static uint32_t intern(const hsc_rt_rule *r) {
    uint64_t h = ((uint64_t)r->cfa << 24 | (uint64_t)r->cfa_register << 16 | r->bp) * 0x9e3779b97f4a7c15u;
    h = (h ^ (uint32_t)r->cfa_offset) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (uint32_t)r->bp_offset) * 0x94d049bb133111ebu;
    h = (h ^ (uint32_t)r->ra_offset) * 0x9e3779b97f4a7c15u;
    for (uint32_t i = (uint32_t)(h >> 40) & 0x1ffff;; i = (i + 1) & 0x1ffff) {
        if (!rule_hash[i]) {
            if (rules == 65536)
                return 0;
            hsc_rt_rules[rules] = *r;
            rule_hash[i] = (uint16_t)rules;
            return rules++;
        }
        const hsc_rt_rule *o = &hsc_rt_rules[rule_hash[i]];
        if (o->cfa == r->cfa && o->cfa_register == r->cfa_register && o->bp == r->bp && o->cfa_offset == r->cfa_offset &&
            o->bp_offset == r->bp_offset && o->ra_offset == r->ra_offset)
            return rule_hash[i];
    }
}

typedef struct registers {
    enum { CFA_REG, CFA_DEREF, CFA_PLT, CFA_UNKNOWN } kind;
    uint64_t cfa_register;
    int64_t cfa_offset;
    enum { SAME, AT_CFA, AT_BP, LOST } bp;
    int64_t bp_offset;
    enum { RA_AT_CFA, RA_UNDEFINED, RA_UNKNOWN } ra;
    int64_t ra_offset;
} registers;

static bool fits(int64_t v) {
    return v == (int32_t)v;
}

static hsc_rt_rule make_rule(const registers *s) {
    hsc_rt_rule r = {0};
    if (s->ra == RA_UNDEFINED) {
        r.cfa = HSC_CFA_END;
        return r;
    }
    if (s->kind == CFA_UNKNOWN || s->ra == RA_UNKNOWN || s->cfa_register > 15 || !fits(s->cfa_offset) ||
        !fits(s->ra_offset) || !fits(s->bp_offset))
        return r;
    r.cfa = s->kind == CFA_REG ? HSC_CFA_REGISTER : s->kind == CFA_DEREF ? HSC_CFA_DEREF : HSC_CFA_PLT;
    r.cfa_register = (uint8_t)s->cfa_register;
    r.cfa_offset = (int32_t)s->cfa_offset;
    r.ra_offset = (int32_t)s->ra_offset;
    r.bp = s->bp == AT_CFA ? HSC_BP_AT_CFA : s->bp == AT_BP ? HSC_BP_AT_BP : HSC_BP_SAME;
    r.bp_offset = s->bp == AT_CFA || s->bp == AT_BP ? (int32_t)s->bp_offset : 0;
    return r;
}

static uint32_t rule_of(const registers *s) {
    hsc_rt_rule r = make_rule(s);
    return r.cfa == HSC_CFA_NONE ? 0 : intern(&r);
}

static bool add_row(hsc_rt_table *t, uint64_t pc, uint32_t rule) {
    uint64_t offset = pc - t->base;
    if (offset > UINT32_MAX)
        return true; /* outside the module: not ours */
    if (t->rows && t->offset[t->rows - 1] >= offset) {
        if (t->offset[t->rows - 1] > offset)
            return true; /* overlaps what is there: the first one counts */
        t->rule[t->rows - 1] = (uint16_t)rule;
        return true;
    }
    if (t->rows && t->rule[t->rows - 1] == rule)
        return true;
    if (t->rows == t->capacity) {
        uint32_t more = t->capacity * 2;
        uint32_t *offsets = hsc_rt_remap(t->offset, t->capacity * sizeof *offsets, more * sizeof *offsets);
        if (!offsets)
            return false;
        t->offset = offsets;
        uint16_t *kinds = hsc_rt_remap(t->rule, t->capacity * sizeof *kinds, more * sizeof *kinds);
        if (!kinds) { /* keep the sizes consistent */
            t->offset = hsc_rt_remap(t->offset, more * sizeof *offsets, t->capacity * sizeof *offsets);
            return false;
        }
        t->rule = kinds;
        t->capacity = more;
    }
    t->offset[t->rows] = (uint32_t)offset;
    t->rule[t->rows++] = (uint16_t)rule;
    return true;
}

/* ---- expressions that compilers and linkers really write ----------------------------------------------------------------- */

static void cfa_expression(bytes e, registers *s) {
    s->kind = CFA_UNKNOWN;
    if (e.p >= e.end || *e.p < 0x70 || *e.p > 0x7f) /* DW_OP_breg0..15 */
        return;
    uint64_t reg = fixed(&e, 1) - 0x70;
    int64_t offset = sleb(&e);
    if (!e.bad && e.end - e.p == 1 && *e.p == 0x06) { /* deref: realigned stack */
        s->kind = CFA_DEREF;
        s->cfa_register = reg;
        s->cfa_offset = offset;
        return;
    }
    /* breg7 8, breg16 0, lit15, and, lit11, ge, lit3, shl, plus: an entry of the procedure linkage table */
    static const uint8_t plt[] = {0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
    if (reg != REG_SP || e.bad || e.end - e.p != sizeof plt)
        return;
    int64_t limit = 11;
    for (unsigned i = 0; i < sizeof plt; i++) {
        if (i == 4 && e.p[i] >= 0x30 && e.p[i] <= 0x3f)
            limit = e.p[i] - 0x30;
        else if (e.p[i] != plt[i])
            return;
    }
    s->kind = CFA_PLT;
    s->cfa_register = REG_SP;
    s->cfa_offset = offset | limit << 8; /* offset is 8 */
}

static void register_expression(bytes e, uint64_t reg, registers *s) {
    if (reg == REG_RA)
        s->ra = RA_UNKNOWN;
    if (reg != REG_BP)
        return;
    s->bp = LOST;
    if (e.p < e.end && *e.p == 0x70 + REG_BP) {
        e.p++;
        int64_t offset = sleb(&e);
        if (!e.bad && e.p == e.end) {
            s->bp = AT_BP;
            s->bp_offset = offset;
        }
    }
}

/* ---- the programs -------------------------------------------------------------------------------------------------------- */

typedef struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t bias; /* added to addresses: those of .debug_frame are as linked */
    uint8_t encoding;
    bool augmented, signal_frame;
    bytes program;
} cie;

static void at_cfa(registers *s, uint64_t reg, int64_t offset) {
    if (reg == REG_BP) {
        s->bp = AT_CFA;
        s->bp_offset = offset;
    } else if (reg == REG_RA) {
        s->ra = RA_AT_CFA;
        s->ra_offset = offset;
    }
}

static void restore(registers *s, const registers *first, uint64_t reg) {
    if (reg == REG_BP) {
        s->bp = first->bp;
        s->bp_offset = first->bp_offset;
    } else if (reg == REG_RA) {
        s->ra = first->ra;
        s->ra_offset = first->ra_offset;
    }
}

static void lose(registers *s, uint64_t reg, bool undefined) {
    if (reg == REG_BP)
        s->bp = LOST;
    else if (reg == REG_RA)
        s->ra = undefined ? RA_UNDEFINED : RA_UNKNOWN;
}

/* Runs one program: with a table, rows are added from pc on; without one, *s is left as it holds at pc_end. Returns false
 * when there is no memory, or when the program is damaged and there is no table to say so. */
static bool run(const cie *c, bytes b, registers *s, const registers *first, hsc_rt_table *t, uint64_t pc, uint64_t pc_end) {
    registers saved[CFA_SAVED_STATES];
    unsigned depth = 0;
    while (b.p < b.end && !b.bad) {
        uint8_t op = *b.p++, low = op & 0x3f;
        uint64_t advance = 0, reg;
        switch (op & 0xc0) {
        case 0x40: advance = low; break;
        case 0x80: at_cfa(s, low, (int64_t)uleb(&b) * c->data_align); break;
        case 0xc0: restore(s, first, low); break;
        default:
            switch (op) {
            case 0x00: break;
            case 0x01: {
                uint64_t to = pointer(&b, c->encoding, 0) + c->bias;
                advance = to > pc && c->code_align ? (to - pc) / c->code_align : 0;
                break;
            }
            case 0x02: advance = fixed(&b, 1); break;
            case 0x03: advance = fixed(&b, 2); break;
            case 0x04: advance = fixed(&b, 4); break;
            case 0x05: reg = uleb(&b); at_cfa(s, reg, (int64_t)uleb(&b) * c->data_align); break;
            case 0x06: restore(s, first, uleb(&b)); break;
            case 0x07: lose(s, uleb(&b), true); break;
            case 0x08:
                if (uleb(&b) == REG_BP)
                    s->bp = SAME;
                break;
            case 0x09: reg = uleb(&b); uleb(&b); lose(s, reg, false); break;
            case 0x0a:
                if (depth < CFA_SAVED_STATES)
                    saved[depth] = *s;
                depth++;
                break;
            case 0x0b:
                if (depth && --depth < CFA_SAVED_STATES)
                    *s = saved[depth];
                break;
            case 0x0c: s->kind = CFA_REG; s->cfa_register = uleb(&b); s->cfa_offset = (int64_t)uleb(&b); break;
            case 0x0d: s->kind = s->kind == CFA_REG ? CFA_REG : CFA_UNKNOWN; s->cfa_register = uleb(&b); break;
            case 0x0e: s->cfa_offset = (int64_t)uleb(&b); break;
            case 0x0f: {
                uint64_t n = uleb(&b);
                bytes e = b;
                skip(&b, n);
                e.end = b.p;
                cfa_expression(e, s);
                break;
            }
            case 0x10: case 0x16: {
                reg = uleb(&b);
                uint64_t n = uleb(&b);
                bytes e = b;
                skip(&b, n);
                e.end = b.p;
                if (op == 0x10)
                    register_expression(e, reg, s);
                else
                    lose(s, reg, false);
                break;
            }
            case 0x11: reg = uleb(&b); at_cfa(s, reg, sleb(&b) * c->data_align); break;
            case 0x12:
                s->kind = CFA_REG;
                s->cfa_register = uleb(&b);
                s->cfa_offset = sleb(&b) * c->data_align;
                break;
            case 0x13: s->cfa_offset = sleb(&b) * c->data_align; break;
            case 0x14: reg = uleb(&b); uleb(&b); lose(s, reg, false); break;
            case 0x15: reg = uleb(&b); sleb(&b); lose(s, reg, false); break;
            case 0x2e: uleb(&b); break;
            case 0x2f: reg = uleb(&b); at_cfa(s, reg, -(int64_t)uleb(&b) * c->data_align); break;
            default: b.bad = true; break;
            }
        }
        if (advance) {
            if (t && !add_row(t, pc, rule_of(s)))
                return false;
            pc += advance * c->code_align;
            if (t ? pc >= pc_end : pc > pc_end)
                return true;
        }
    }
    return t ? add_row(t, pc, b.bad ? 0 : rule_of(s)) : !b.bad;
}

/* `debug`: of .debug_frame, whose addresses are `bias` lower. */
static bool read_cie(bytes b, bool debug, uint64_t bias, cie *c) {
    uint64_t length = fixed(&b, 4);
    bool wide = length == 0xffffffff;
    if (wide)
        length = fixed(&b, 8);
    if (length > (uint64_t)(b.end - b.p))
        return false;
    b.end = b.p + length;
    if (debug ? fixed(&b, wide ? 8 : 4) != (wide ? UINT64_MAX : UINT32_MAX) : fixed(&b, 4) != 0)
        return false;
    uint8_t version = (uint8_t)fixed(&b, 1);
    if (version != 1 && version != 3 && !(debug && version == 4))
        return false;
    const char *augmentation = (const char *)b.p;
    while (fixed(&b, 1) && !b.bad)
        ;
    if (version == 4 && (fixed(&b, 1) != 8 || fixed(&b, 1) != 0)) /* sizes of addresses and of segment selectors */
        return false;
    if (b.bad)
        return false;
    c->bias = bias;
    c->code_align = uleb(&b);
    c->data_align = sleb(&b);
    if (version == 1)
        skip(&b, 1);
    else
        uleb(&b);
    c->encoding = 0;
    c->augmented = c->signal_frame = false;
    if (augmentation[0] == 'z') {
        uint64_t n = uleb(&b);
        bytes a = b;
        skip(&b, n);
        a.end = b.p;
        c->augmented = true;
        for (const char *p = augmentation + 1; *p && !a.bad; p++) {
            if (*p == 'R')
                c->encoding = (uint8_t)fixed(&a, 1);
            else if (*p == 'L')
                skip(&a, 1);
            else if (*p == 'P') {
                uint8_t e = (uint8_t)fixed(&a, 1);
                pointer(&a, e & 0x7f, 0);
            } else if (*p == 'S')
                c->signal_frame = true;
        }
        if (a.bad)
            return false;
    } else if (augmentation[0])
        return false;
    c->program = b;
    return !b.bad;
}

typedef struct fde {
    uint64_t pc, size;
    bytes program;
} fde;

/* The head of the FDE at b.p; its CIE's address. The rest needs the CIE. */
static bool fde_head(bytes *b, uint64_t *cie_at) {
    uint64_t length = fixed(b, 4);
    if (length == 0xffffffff)
        length = fixed(b, 8);
    if (b->bad || !length)
        return false;
    if (length < (uint64_t)(b->end - b->p))
        b->end = b->p + length;
    uint64_t here = (uint64_t)b->p + b->skew, back = fixed(b, 4);
    *cie_at = here - back;
    return back && !b->bad;
}

static bool fde_body(bytes b, const cie *c, fde *f) {
    f->pc = pointer(&b, c->encoding, 0) + c->bias;
    f->size = pointer(&b, c->encoding & 0x0f, 0);
    if (c->augmented)
        skip(&b, uleb(&b));
    f->program = b;
    return !b.bad && f->pc && f->size && f->pc + f->size >= f->pc;
}

static void start_state(const cie *c, registers *s) {
    *s = (registers){CFA_UNKNOWN, 0, 0, SAME, 0, RA_UNKNOWN, 0};
    run(c, c->program, s, s, NULL, 0, UINT64_MAX);
}

/* A whole section, and how it is written. */
typedef struct section {
    bytes all;
    uint64_t bias;
    bool debug;
} section;

/* The FDE at b.p and its CIE; false: there is no FDE that can be used. */
static bool read_fde(const section *x, bytes b, cie *c, fde *f) {
    uint64_t cie_at;
    bytes at = x->all;
    if (x->debug) {
        uint64_t length = fixed(&b, 4);
        bool wide = length == 0xffffffff;
        if (wide)
            length = fixed(&b, 8);
        if (b.bad || length > (uint64_t)(b.end - b.p))
            return false;
        b.end = b.p + length;
        cie_at = fixed(&b, wide ? 8 : 4); /* counts from the start of the section */
    } else if (fde_head(&b, &cie_at))
        cie_at -= at.skew + (uint64_t)at.p;
    else
        return false;
    if (b.bad || cie_at >= (uint64_t)(at.end - at.p))
        return false;
    at.p += cie_at;
    return read_cie(at, x->debug, x->bias, c) && fde_body(b, c, f);
}

/* Adds the rows of the FDE at b.p. False: no memory. */
static bool add_fde(hsc_rt_table *t, const section *x, bytes b) {
    cie c;
    fde f;
    if (!read_fde(x, b, &c, &f))
        return true;
    if (c.signal_frame) {
        hsc_rt_rule r = {.cfa = HSC_CFA_SIGNAL};
        return add_row(t, f.pc, intern(&r)) && add_row(t, f.pc + f.size, 0);
    }
    registers s, first;
    start_state(&c, &first);
    s = first;
    return run(&c, f.program, &s, &first, t, f.pc, f.pc + f.size) && add_row(t, f.pc + f.size, 0);
}

/* ---- tables ------------------------------------------------------------------------------------------------------------- */

static bool build(hsc_rt_table *t, bytes all, uint64_t section_address, bytes header, uint64_t header_address) {
    uint8_t version = (uint8_t)fixed(&header, 1), frame = (uint8_t)fixed(&header, 1), count = (uint8_t)fixed(&header, 1),
            table = (uint8_t)fixed(&header, 1);
    (void)version;
    pointer(&header, frame, header_address);
    uint64_t n = pointer(&header, count, header_address);
    section x = {all, 0, false};
    uint64_t section_size = (uint64_t)(all.end - all.p);
    for (uint64_t i = 0; i < n; i++) { /* sorted by address: rows come sorted */
        pointer(&header, table, header_address);
        uint64_t offset = pointer(&header, table, header_address) - section_address;
        if (header.bad)
            return i > 0;
        if (offset >= section_size)
            continue;
        bytes b = all;
        b.p += offset;
        if (!add_fde(t, &x, b))
            return false;
    }
    return n > 0;
}

static hsc_rt_table *new_table(uint64_t base) {
    hsc_rt_table *t = hsc_rt_map(sizeof *t);
    if (!t)
        return NULL;
    t->base = base;
    t->capacity = 4096;
    t->offset = hsc_rt_map(t->capacity * sizeof *t->offset);
    t->rule = hsc_rt_map(t->capacity * sizeof *t->rule);
    if (t->offset && t->rule)
        return t;
    hsc_rt_table_free(t);
    return NULL;
}

hsc_rt_table *hsc_rt_table_build(uint64_t base, uint64_t header, uint64_t header_size, uint64_t low, uint64_t high) {
    uint8_t head[32];
    if (header_size < 12 || header_size > (256u << 20) || !hsc_rt_read(head, header, 12) || head[0] != 1 ||
        head[3] == 0xff || head[2] == 0xff)
        return NULL;
    bytes h = {head + 4, head + 12, header - (uint64_t)head, false};
    uint64_t frame = pointer(&h, head[1], header);
    if (h.bad || frame < low || frame >= high)
        return NULL;
    uint64_t frame_size = high - frame; /* up to the end of its segment: the section's size is told nowhere */
    if (frame_size > (1ull << 30))
        return NULL;
    size_t copy_size = (header_size + frame_size + 64 + HSC_RT_PAGE - 1) / HSC_RT_PAGE * HSC_RT_PAGE;
    uint8_t *copy = hsc_rt_map(copy_size);
    hsc_rt_table *t = new_table(base);
    bool ok = copy && t && hsc_rt_read(copy, header, header_size) && hsc_rt_read(copy + header_size, frame, frame_size);
    if (ok) {
        bytes all = {copy + header_size, copy + header_size + frame_size, frame - (uint64_t)(copy + header_size), false};
        bytes whole = {copy, copy + header_size, header - (uint64_t)copy, false};
        ok = build(t, all, frame, whole, header);
    }
    hsc_rt_unmap(copy, copy_size);
    if (ok)
        return t;
    hsc_rt_table_free(t);
    return NULL;
}

/* ---- sections without an index ------------------------------------------------------------------------------------------- */

static void sift(uint64_t *p, size_t root, size_t n) {
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && p[child] < p[child + 1])
            child++;
        if (p[root] >= p[child])
            return;
        uint64_t o = p[root];
        p[root] = p[child];
        p[child] = o;
    }
}

void hsc_rt_sort(uint64_t *p, size_t n) {
    for (size_t i = n / 2; i-- > 0;)
        sift(p, i, n);
    for (size_t i = n; i-- > 1;) {
        uint64_t o = p[0];
        p[0] = p[i];
        p[i] = o;
        sift(p, 0, i);
    }
}

/* All FDEs of the section with addresses of the module: address from `base` << 32 | offset of the FDE. Only counts them when
 * `f` is NULL. */
static size_t find_fdes(const section *x, uint64_t base, uint64_t *f) {
    size_t n = 0;
    for (bytes b = x->all; b.end - b.p >= 8;) {
        bytes entry = b;
        cie c;
        fde one;
        uint64_t length = fixed(&b, 4);
        if (length == 0xffffffff)
            length = fixed(&b, 8);
        skip(&b, length);
        if (b.bad)
            break;
        if (!length || !read_fde(x, entry, &c, &one) || one.pc - base > UINT32_MAX)
            continue;
        if (f)
            f[n] = (one.pc - base) << 32 | (uint32_t)(entry.p - x->all.p);
        n++;
    }
    return n;
}

hsc_rt_table *hsc_rt_table_build_section(uint64_t base, uint64_t bias, const uint8_t *copy, uint64_t size, uint64_t address,
                                         bool debug) {
    section x = {{copy, copy + size, address - (uint64_t)copy, false}, debug ? bias : 0, debug};
    size_t n = find_fdes(&x, base, NULL);
    if (!n)
        return NULL;
    uint64_t *f = hsc_rt_map(n * sizeof *f);
    hsc_rt_table *t = new_table(base);
    bool ok = f && t;
    if (ok) {
        find_fdes(&x, base, f);
        hsc_rt_sort(f, n);
    }
    for (size_t i = 0; ok && i < n; i++) {
        bytes b = x.all;
        b.p += (uint32_t)f[i];
        ok = add_fde(t, &x, b);
    }
    hsc_rt_unmap(f, n * sizeof *f);
    if (ok)
        return t;
    hsc_rt_table_free(t);
    return NULL;
}

/* ---- tables in use ------------------------------------------------------------------------------------------------------- */

void hsc_rt_table_free(hsc_rt_table *t) {
    if (!t)
        return;
    hsc_rt_unmap(t->offset, t->capacity * sizeof *t->offset);
    hsc_rt_unmap(t->rule, t->capacity * sizeof *t->rule);
    hsc_rt_unmap(t, sizeof *t);
}

/* Index of the last row that starts at or before the address; -1: none. */
static int64_t row_of(const hsc_rt_table *t, uint64_t pc) {
    uint64_t offset = pc - t->base;
    if (offset > UINT32_MAX || !t->rows || offset < t->offset[0])
        return -1;
    uint32_t low = 0, n = t->rows;
    const uint32_t *at = t->offset;
    while (n > 1) {
        uint32_t half = n / 2;
        low = at[low + half] <= offset ? low + half : low;
        n -= half;
    }
    return low;
}

uint32_t hsc_rt_table_find(const hsc_rt_table *t, uint64_t pc) {
    int64_t row = row_of(t, pc);
    return row < 0 ? 0 : t->rule[row];
}

void hsc_rt_table_gap(const hsc_rt_table *t, uint64_t pc, uint64_t *low, uint64_t *high) {
    int64_t row = row_of(t, pc);
    if (row >= 0 && t->base + t->offset[row] > *low)
        *low = t->base + t->offset[row];
    if (row + 1 < (int64_t)t->rows && t->base + t->offset[row + 1] > pc && t->base + t->offset[row + 1] < *high)
        *high = t->base + t->offset[row + 1];
}

/* ---- one rule, when it is asked for -------------------------------------------------------------------------------------- */

hsc_rt_index *hsc_rt_index_build(uint64_t header, uint64_t header_size) {
    uint8_t head[12];
    if (header_size < 12 + 8 || header_size > (256u << 20) || !hsc_rt_read(head, header, 12) || head[0] != 1 ||
        head[2] != 0x03 || head[3] != 0x3b) /* what all linkers write: a count, and pairs of 32-bit offsets */
        return NULL;
    uint32_t n;
    __builtin_memcpy(&n, head + 8, 4);
    if ((head[1] & 0x0f) != 0x0b && (head[1] & 0x0f) != 0x03)
        return NULL;
    if (!n || n > (header_size - 12) / 8)
        return NULL;
    size_t size = (sizeof(hsc_rt_index) + (size_t)n * 8 + HSC_RT_PAGE - 1) / HSC_RT_PAGE * HSC_RT_PAGE;
    hsc_rt_index *x = hsc_rt_map(size);
    if (x && !hsc_rt_read(x->entry, header + 12, (size_t)n * 8)) {
        hsc_rt_unmap(x, size);
        return NULL;
    }
    if (x) {
        x->size = size;
        x->header = header;
        x->count = n;
    }
    return x;
}

uint32_t hsc_rt_table_worth(const hsc_rt_index *x) { return HSC_RT_TABLE_WORTH + (x ? x->count / HSC_RT_TABLE_ENTRIES : 0); }

void hsc_rt_index_free(hsc_rt_index *x) {
    if (x)
        hsc_rt_unmap(x, x->size);
}

#define NO_PAGE HSC_RT_SCRATCH_PAGES

/* Of modules' .eh_frame, what was read last: procedures that are met together are mostly described near each other, and share a CIE. */
static uint32_t page_of(hsc_rt_scratch *s, uint64_t address) {
    uint32_t generation = atomic_load_explicit(&hsc_rt.generation, memory_order_relaxed), oldest = 0;
    for (uint32_t i = 0; i < HSC_RT_SCRATCH_PAGES; i++) {
        if (s->kept[i].address == address && s->kept[i].generation == generation) { /* else another module may be there now */
            s->kept[i].used = ++s->uses;
            return i;
        }
        oldest = s->kept[i].used < s->kept[oldest].used ? i : oldest;
    }
    s->kept[oldest].address = 0; /* a jump out of a handler may leave it half read */
    atomic_signal_fence(memory_order_seq_cst);
    if (!hsc_rt_read(s->page[oldest], address, HSC_RT_PAGE))
        return NO_PAGE;
    s->kept[oldest].used = ++s->uses;
    s->kept[oldest].generation = generation;
    atomic_signal_fence(memory_order_seq_cst);
    s->kept[oldest].address = address;
    return oldest;
}

/* As much of [at, at + size) as can be read: it may vanish. */
static size_t read_some(hsc_rt_scratch *s, uint8_t *to, uint64_t at, size_t size) {
    size_t done = 0;
    while (done < size) {
        uint64_t in_page = (at + done) & (HSC_RT_PAGE - 1);
        size_t n = HSC_RT_PAGE - in_page < size - done ? HSC_RT_PAGE - in_page : size - done;
        uint32_t page = page_of(s, at + done - in_page);
        if (page == NO_PAGE)
            break;
        __builtin_memcpy(to + done, s->page[page] + in_page, n);
        done += n;
    }
    return done;
}

/* All of an entry that is no longer than `size`; of a longer one, so much. */
static bytes read_entry(hsc_rt_scratch *s, uint8_t *to, uint64_t at, size_t size) {
    uint32_t length = 0;
    size_t n = read_some(s, to, at, sizeof length);
    __builtin_memcpy(&length, to, n);
    if (n == sizeof length)
        n += read_some(s, to + n, at + n, length < size - n ? length : size - n);
    return (bytes){to, to + n, at - (uint64_t)to, false};
}

/* The last entry that begins at `offset` or before, or the first. */
static uint32_t entry_before(const hsc_rt_index *x, int64_t offset) {
    uint32_t low = 0, n = x->count;
    while (n > 1) {
        uint32_t half = n / 2;
        low = x->entry[low + half].pc <= offset ? low + half : low;
        n -= half;
    }
    return low;
}

uint64_t hsc_rt_index_procedure(const hsc_rt_index *x, uint64_t pc) {
    int64_t offset = (int64_t)(pc - x->header), begin = x->entry[entry_before(x, offset)].pc;
    return begin <= offset ? x->header + (uint64_t)begin : pc;
}

bool hsc_rt_index_find(const hsc_rt_index *x, uint64_t pc, hsc_rt_scratch *scratch, hsc_rt_rule *out, uint64_t *gap) {
    int64_t offset = (int64_t)(pc - x->header);
    *out = (hsc_rt_rule){0};
    *gap = 0;
    if (offset < x->entry[0].pc)
        return false;
    uint32_t low = entry_before(x, offset);
    uint64_t at = x->header + (uint64_t)(int64_t)x->entry[low].fde, cie_at;
    bytes b = read_entry(scratch, scratch->fde, at, sizeof scratch->fde);
    if (b.end - b.p < 16 || !fde_head(&b, &cie_at))
        return true;
    bytes k = read_entry(scratch, scratch->cie, cie_at, sizeof scratch->cie);
    cie c;
    fde f;
    registers s, first;
    if (!read_cie(k, false, 0, &c) || !fde_body(b, &c, &f))
        return true;
    if (pc < f.pc || pc >= f.pc + f.size) {
        *gap = f.pc + f.size;
        return false;
    }
    if (c.signal_frame) {
        out->cfa = HSC_CFA_SIGNAL;
        return true;
    }
    start_state(&c, &first);
    s = first;
    if (run(&c, f.program, &s, &first, NULL, f.pc, pc))
        *out = make_rule(&s);
    return true;
}
