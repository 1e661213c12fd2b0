/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call paths on x86-64, from a signal's context, by the precomputed rules.
 *
 * The state of a walk is (pc, sp, bp); the rule for pc says from which words of the stack the next state is read. The
 * stack of the last sample is kept with these states and words: once a state is met again and all words above still hold
 * what they held, the rest of the walk would be the same step by step, so its nodes are taken as they are. */
#include <ucontext.h>

#include "rt.h"

typedef struct walker {
    hsc_rt_thread *t;
    const hsc_rt_modules *modules;
    uint64_t low, high; /* words in [low, high) may be read directly */
    bool reusable;
    const greg_t *registers; /* of the innermost frame; NULL after it */
    uint32_t known;          /* frames in t->stack that tell what rbp was, where it is not known */
    uint64_t now_ns;
    bool leaves;             /* the innermost frame is about to go on elsewhere */
    hsc_rt_in_task in_task;
    bool within;             /* the walk has come to the end of what belongs to the task */
} walker;

static const uint8_t register_of[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                        REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static bool far_word(walker *w, uint64_t at, uint64_t *out) {
    hsc_rt_thread *t = w->t;
    uint64_t page = at & ~(uint64_t)(HSC_RT_PAGE - 1);
    w->reusable = false;
    if (at & 7 || !page)
        return false;
    if (t->window_address != page) {
        t->window_address = 0;
        if (!hsc_rt_read(t->window, page, HSC_RT_PAGE))
            return false;
        t->window_address = page;
    }
    __builtin_memcpy(out, t->window + (at - page), 8);
    return true;
}

static inline bool word(walker *w, uint64_t at, uint64_t *out) {
    if (__builtin_expect(at >= w->low && at + 8 <= w->high && !(at & 7), 1)) {
        *out = *(const volatile uint64_t *)at; /* NOLINT */
        return true;
    }
    return far_word(w, at, out);
}

/* Counts what was asked of a module; the helper makes its table when that is worth it. */
static void count_asked(_Atomic uint32_t *asked, uint32_t worth) {
    if (atomic_fetch_add_explicit(asked, 1, memory_order_relaxed) == worth) {
        atomic_store_explicit(&hsc_rt.want_table, 1, memory_order_relaxed);
        hsc_rt_helper_poke();
    }
}

/* Modules came or went since the rule was kept: one of a module that has stayed is right. */
static bool has_stayed(const walker *w, hsc_rt_cached_rule *c) {
    const hsc_rt_module *m = c->mapping_id && c->rule.cfa != HSC_CFA_NONE ? hsc_rt_module_at(w->modules, c->pc) : NULL;
    if (!m || m->mapping_id != c->mapping_id)
        return false;
    c->generation = w->t->generation;
    return true;
}

static inline hsc_rt_cached_rule *rule_at(walker *w, uint64_t pc) {
    hsc_rt_cached_rule *c = &w->t->cache[(pc ^ pc >> 10) & (HSC_RT_RULE_CACHE - 1)];
    if (c->pc == pc && (c->generation == w->t->generation || has_stayed(w, c)))
        return c;
    hsc_rt_module *m = (hsc_rt_module *)hsc_rt_module_at(w->modules, pc);
    const hsc_rt_table *table = m ? __atomic_load_n(&m->table, __ATOMIC_ACQUIRE) : NULL;
    bool known = false;
    uint64_t gap;
    c->pc = pc;
    c->generation = w->t->generation;
    c->mapping_id = m ? m->mapping_id : 0;
    c->rule = (hsc_rt_rule){0};
    if (table) {
        uint32_t rule = hsc_rt_table_find(table, pc);
        known = rule != 0;
        c->rule = hsc_rt_rules[rule];
    } else if (m && m->index) {
        known = hsc_rt_index_find(m->index, pc, &w->t->scratch, &c->rule, &gap);
        count_asked(&m->asked, hsc_rt_table_worth(m->index));
    }
    if (m && !known) {
        const hsc_rt_table *more = __atomic_load_n(&m->more, __ATOMIC_ACQUIRE);
        if (more)
            c->rule = hsc_rt_rules[hsc_rt_table_find(more, pc)];
        else
            count_asked(&m->asked_of_file, 0);
    }
    if (!m && pc > HSC_RT_PAGE && !(atomic_fetch_or_explicit(&hsc_rt.want_scan, HSC_RT_SCAN_STRANGER, memory_order_relaxed) & HSC_RT_SCAN_STRANGER))
        hsc_rt_watch_poke(); /* something new is mapped */
    return c;
}

/* ---- where no rule is known ----------------------------------------------------------------------------------------------- */

enum call { CALL_NONE, CALL_INDIRECT, CALL_DIRECT };
#define CALLED_CHAINED 2 /* of a return address, in a rule's `called`: nothing but the chain of frame pointers led on from there: nothing else is looked for again */

/* The call instruction that ends at the end of b[7]; *offset: of a direct one. */
static enum call call_in(const uint8_t *b, int32_t *offset) {
    if (b[2] == 0xe8) {
        __builtin_memcpy(offset, b + 3, 4);
        return CALL_DIRECT;
    }
    for (int n = 2; n <= 7; n++) { /* ff /2 with its addressing forms; shorter ones first */
        const uint8_t *p = b + 7 - n;
        if (p[0] == 0xff && (p[1] & 0x38) == 0x10) {
            int mod = p[1] >> 6, rm = p[1] & 7;
            int size = 2 + (mod != 3 && rm == 4) + (mod == 1 ? 1 : mod == 2 || (mod == 0 && rm == 5) ? 4 : 0);
            if (size == n)
                return CALL_INDIRECT;
        }
    }
    return CALL_NONE;
}

/* Does a call instruction end at `pc`? Only asked where no rule or no module is known. */
static bool after_call(uint64_t pc) {
    uint8_t b[7] = {0};
    uint64_t n = pc & (HSC_RT_PAGE - 1); /* nothing may be mapped before the page */
    int32_t offset;
    n = n >= 2 && n < sizeof b ? n : sizeof b;
    return pc >= HSC_RT_PAGE && (hsc_rt_read(b, pc - 7, 7) || hsc_rt_read(b + sizeof b - n, pc - n, n)) && call_in(b, &offset) != CALL_NONE;
}

/* The rule of code that returns at once from where it is: add to rsp or leave, pops, ret. So trampolines of compilers at run time end (CPython's), of which nothing else
 * tells the frame. */
static void find_return(uint64_t pc, hsc_rt_rule *rule) {
    enum { LEAVE = 0xc9, RET = 0xc3, POP = 0x58, POP_RBP = 0x5d };
    uint8_t b[24];
    int32_t sp = 0, bp = -1, add;
    size_t i = 0;
    bool left = false;
    if (!hsc_rt_read(b, pc, sizeof b))
        return;
    if (b[0] == 0x48 && b[1] == 0x83 && b[2] == 0xc4) {
        sp = (int8_t)b[3];
        i = 4;
    } else if (b[0] == 0x48 && b[1] == 0x81 && b[2] == 0xc4) {
        __builtin_memcpy(&add, b + 3, 4);
        sp = add > 0 && add < 1 << 20 ? add : -1;
        i = 7;
    } else if (b[0] == LEAVE) {
        left = true;
        i = 1;
    }
    for (; !left && sp >= 0 && i + 2 < sizeof b && ((b[i] & 0xf8) == POP || (b[i] == 0x41 && (b[i + 1] & 0xf8) == POP)); sp += 8) {
        if (b[i] == POP + 4) /* rsp itself */
            return;
        bp = b[i] == POP_RBP ? sp : bp;
        i += b[i] == 0x41 ? 2 : 1;
    }
    if (sp < 0 || b[i] != RET)
        return;
    rule->cfa = HSC_CFA_REGISTER;
    rule->cfa_register = left ? 6 : 7;
    rule->cfa_offset = left ? 16 : sp + 8;
    rule->ra_offset = -8;
    rule->bp = left || bp >= 0 ? HSC_BP_AT_CFA : HSC_BP_SAME;
    rule->bp_offset = left ? -16 : bp - (sp + 8);
}

static bool return_address(walker *w, uint64_t pc) {
    return hsc_rt_module_at(w->modules, pc) && after_call(pc);
}

/* A procedure of which no rule is known: it begins somewhere in [low, pc]. */
typedef struct unknown {
    const hsc_rt_module *m;
    uint64_t low, pc;
    bool settled; /* beginnings of procedures were looked for */
    unsigned far_words, far_reads, near_reads; /* words that may point into other modules, and reads there and in this one: bounded */
} unknown;

#define SCAN_WORDS 1024u
#define SCAN_FAR_WORDS 256u
#define SCAN_FAR_READS 48u
#define SCAN_NEAR_READS 256u
#define SAVED_REGISTERS 6u
#define CALLER_FRAMES 16u /* of the OpenMP runtime between a callback and the program */

static unknown unknown_at(walker *w, uint64_t pc) {
    hsc_rt_module *m = (hsc_rt_module *)hsc_rt_module_at(w->modules, pc);
    unknown u = {m, 0, pc, false, 0, 0, 0};
    if (!m)
        return u;
    uint64_t high = u.m->high, gap;
    hsc_rt_rule none;
    const hsc_rt_table *table = __atomic_load_n(&u.m->table, __ATOMIC_ACQUIRE);
    const hsc_rt_table *more = __atomic_load_n(&u.m->more, __ATOMIC_ACQUIRE);
    u.low = u.m->text_low;
    if (table)
        hsc_rt_table_gap(table, pc, &u.low, &high);
    else if (u.m->index && !hsc_rt_index_find(u.m->index, pc, &w->t->scratch, &none, &gap) && gap > u.low)
        u.low = gap;
    if (more)
        hsc_rt_table_gap(more, pc, &u.low, &high);
    const hsc_rt_entries *entries = __atomic_load_n(&m->entries, __ATOMIC_ACQUIRE);
    if (entries) {
        uint64_t entry = m->low + hsc_rt_entry_before(entries, pc - m->low);
        u.low = entry > u.low ? entry : u.low;
    }
    u.settled = __atomic_load_n(&m->entries_tried, __ATOMIC_ACQUIRE);
    if (!u.settled && __atomic_load_n(&m->file_tried, __ATOMIC_ACQUIRE))
        count_asked(&m->asked_of_entries, HSC_RT_ENTRIES_WORTH);
    return u;
}

/* Where a call to `target` ends up: an entry of the procedure linkage table leads further. 0: not known. */
static uint64_t destination(unknown *u, uint64_t target) {
    uint8_t b[16];
    int32_t offset;
    uint64_t slot;
    if (u->far_reads >= SCAN_FAR_READS || !hsc_rt_read(b, target, sizeof b))
        return 0;
    u->far_reads++;
    const uint8_t *p = b;
    p += p[0] == 0xf3 && p[1] == 0x0f && p[2] == 0x1e && p[3] == 0xfa ? 4 : 0; /* endbr64 */
    p += p[0] == 0xf2;
    if (p[0] != 0xff || p[1] != 0x25)
        return 0;
    __builtin_memcpy(&offset, p + 2, 4);
    return hsc_rt_read(&slot, target + (uint64_t)(p + 6 - b) + (uint64_t)(int64_t)offset, 8) ? slot : 0;
}

/* Is `ra` the return address of a call of the unknown procedure? Direct: surely; indirect: perhaps. */
static enum call calls_unknown(walker *w, unknown *u, uint64_t ra) {
    uint8_t b[7];
    int32_t offset = 0;
    bool same = ra >= u->m->text_low + 7 && ra <= u->m->text_high;
    if (!same) {
        const hsc_rt_module *m = u->far_words++ < SCAN_FAR_WORDS ? hsc_rt_module_at(w->modules, ra) : NULL;
        if (!m || ra < m->text_low + 7 || ra > m->text_high || u->far_reads >= SCAN_FAR_READS)
            return CALL_NONE;
        u->far_reads++;
    } else if (u->near_reads++ >= SCAN_NEAR_READS)
        return CALL_NONE;
    if (!hsc_rt_read(b, ra - 7, 7)) /* also in the same module: it may be gone, and another one in its place, and we not know it yet */
        return CALL_NONE;
    enum call kind = call_in(b, &offset);
    if (kind != CALL_DIRECT)
        return kind;
    uint64_t target = ra + (uint64_t)(int64_t)offset;
    if (target < u->low || target > u->pc)
        target = destination(u, target);
    return target >= u->low && target <= u->pc ? CALL_DIRECT : CALL_NONE;
}

/* Could `bp` be what a caller keeps in rbp as its frame pointer? */
static bool frame_pointer(walker *w, uint64_t bp, uint64_t above) {
    uint64_t pc;
    return bp > above && bp + 16 <= w->high && !(bp & 7) && word(w, bp + 8, &pc) && return_address(w, pc);
}

/* The return address of the call that was made from the frame at `slot` is such that the next one is found too. */
static bool leads_on(walker *w, uint64_t ra, uint64_t slot) {
    uint64_t pc;
    const hsc_rt_rule r = rule_at(w, ra - 1)->rule;
    if (r.cfa != HSC_CFA_REGISTER || r.cfa_register != 7)
        return true; /* can't be told so easily */
    uint64_t cfa = slot + 8 + (uint64_t)(int64_t)r.cfa_offset;
    return cfa > slot && word(w, cfa + (uint64_t)(int64_t)r.ra_offset, &pc) && return_address(w, pc);
}

/* Looks for the return address in the words above the stack pointer; 0: none found. */
static uint64_t scan(walker *w, unknown *u, const hsc_rt_frame *f) {
    uint64_t perhaps = 0, last = f->sp + 8 * SCAN_WORDS;
    if (!u->m || !u->settled || f->sp < w->low || f->sp & 7)
        return 0;
    if (last > w->high)
        last = w->high;
    uint64_t lowest = w->modules->module[0].low, highest = w->modules->module[w->modules->count - 1].high;
    for (uint64_t at = f->sp; at + 8 <= last; at += 8) {
        uint64_t v = *(const volatile uint64_t *)at; /* NOLINT */
        if (v < lowest || v >= highest || (v >= w->low && v < w->high))
            continue;
        enum call kind = calls_unknown(w, u, v);
        if (kind == CALL_DIRECT)
            return at;
        if (kind == CALL_INDIRECT && !perhaps && leads_on(w, v, at))
            perhaps = at;
    }
    return perhaps;
}

/* Does the chain of frame pointers lead to code in no file, as that of V8, or of a compiler in the same way? What it says must go on: anything may stand in memory. */
static bool generated_caller(walker *w, const hsc_rt_frame *f, uint64_t bp, uint64_t pc) {
    uint64_t above;
    return !hsc_rt_module_at(w->modules, pc) && bp > f->bp && bp - f->bp < (1u << 20) && bp + 16 <= w->high && !(bp & 7) && word(w, bp + 8, &above) && above > HSC_RT_PAGE &&
           !(above >= w->low && above < w->high) && (rule_at(w, pc - 1)->rule.called || after_call(pc)); /* step() keeps it */
}

/* One step without a rule: a direct call of the procedure is looked for, then a procedure without frame that was just
 * called, the chain of frame pointers, an indirect call. rbp is not known then, and kept or found if plausible. */
static bool guess(walker *w, hsc_rt_frame *f, uint64_t *sp) {
    uint64_t pc, bp, found;
    unknown u = unknown_at(w, f->pc - !(f->flags & HSC_FRAME_EXACT));
    bool chain = f->bp > f->sp && f->bp - f->sp < (1u << 20) && word(w, f->bp, &bp) && word(w, f->bp + 8, &pc);
    bool exact = f->flags & HSC_FRAME_EXACT, chained = !exact && rule_at(w, f->pc - 1)->rule.called == CALLED_CHAINED;
    w->reusable = false;
    if (chained && chain && word(w, f->bp + 8, &pc) && (return_address(w, pc) || generated_caller(w, f, bp, pc)))
        found = f->bp + 8;
    else if (chain && u.settled && calls_unknown(w, &u, pc) == CALL_DIRECT)
        found = f->bp + 8;
    else if ((found = scan(w, &u, f)) != 0 && word(w, found, &pc) && calls_unknown(w, &u, pc) == CALL_DIRECT)
        chain = false;
    else if (w->registers && word(w, f->sp, &pc) && return_address(w, pc)) {
        found = f->sp;
        chain = false;
    } else if (chain && word(w, f->bp + 8, &pc) && (return_address(w, pc) || generated_caller(w, f, bp, pc))) {
        if (!exact && !found && (!u.m || u.settled))
            rule_at(w, f->pc - 1)->rule.called = CALLED_CHAINED;
        found = f->bp + 8;
    } else
        chain = false;
    if (!found)
        return false;
    f->ra_slot = found;
    *sp = found + 8;
    if (chain) {
        f->bp_slot = f->bp;
        return true;
    }
    if (frame_pointer(w, f->bp, found))
        return true;
    for (uint64_t at = found; at > f->sp && at > found - 8 * SAVED_REGISTERS;) {
        at -= 8;
        if (word(w, at, &bp) && frame_pointer(w, bp, found)) {
            f->bp_slot = at;
            break;
        }
    }
    return true;
}

/* Where to go on after a signal frame: the interrupted context lies at sp. */
static bool interrupted(walker *w, uint64_t sp, hsc_rt_frame *next) {
    uint64_t at = sp + offsetof(ucontext_t, uc_mcontext.gregs);
    w->reusable = false;
    if (!word(w, at + REG_RIP * 8, &next->pc) || !word(w, at + REG_RSP * 8, &next->sp) ||
        !word(w, at + REG_RBP * 8, &next->bp))
        return false;
    if (next->sp >= w->t->stack_low && next->sp < w->t->stack_high) { /* written by the kernel: to be trusted */
        w->low = next->sp;
        w->high = w->t->stack_high;
    }
    return true;
}

/* A waiting thread's rbp is not known where no inner frame has saved it. A procedure that needs it for its frame mostly has one
 * stack pointer all the time: the last sample in this call of the procedure, if there was one, tells. */
static bool find_bp(walker *w, hsc_rt_frame *f) {
    const hsc_rt_frame *s = w->t->stack;
    uint64_t pc;
    for (uint32_t i = 1; i < w->known; i++)
        if (s[i].sp == f->sp && s[i].bp != HSC_RT_BP_UNKNOWN && s[i].ra_slot && s[i].bp_slot == s[i].bp &&
            word(w, s[i].ra_slot, &pc) && pc == s[i - 1].pc) {
            f->bp = s[i].bp;
            return true;
        }
    return false;
}

#define LOAD_NS 1000000000u /* by then the helper has looked what is mapped */

/* Code of a library that is being opened, of which nothing is known yet: its callers up to the call of dlopen are left out. */
static bool skip_to_load(walker *w, hsc_rt_frame *f, hsc_rt_frame *next) {
    const hsc_rt_thread *t = w->t;
    for (uint32_t i = f->mapping_id ? 0 : atomic_load_explicit(&t->loads_n, memory_order_relaxed); i-- > 0;) {
        const hsc_rt_here *at = &t->loads[i].at;
        uint64_t pc;
        if (at->sp - 8 <= f->sp || w->now_ns > t->loads[i].since_ns + LOAD_NS || !word(w, at->sp - 8, &pc) || pc != at->pc)
            continue;
        w->reusable = false;
        f->ra_slot = at->sp - 8;
        f->bp_slot = 0;
        *next = (hsc_rt_frame){.pc = pc, .sp = at->sp, .bp = at->bp};
        return true;
    }
    return false;
}

/* The end of a procedure by which GCC's unwinder goes on elsewhere (__builtin_eh_return): mov %rcx,%rsp; pop %rcx; jmp *%rcx, or ret. All other
 * registers are those of where it goes on by then, rbp too, by which the rule there is. Shortly before, that address has taken the place of a
 * caller's return address. */
enum leaving { LEAVING_NOT_LOOKED = 0, LEAVING_NO, LEAVING_SOON, LEAVING_MOVE, LEAVING_POP, LEAVING_JUMP };

static bool begins_with(const uint8_t *b, const uint8_t *code, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (b[i] != code[i])
            return false;
    return true;
}

static enum leaving leaving_at(uint64_t pc) {
    static const uint8_t by_jump[] = {0x48, 0x89, 0xcc, 0x59, 0xff, 0xe1}, by_return[] = {0x48, 0x89, 0xcc, 0xc3};
    enum { BEFORE = 4, AHEAD = 48 }; /* of it, and of loads of all registers before it */
    uint8_t code[BEFORE + AHEAD + sizeof by_jump];
    if (pc < HSC_RT_PAGE || !hsc_rt_read(code, pc - BEFORE, sizeof code))
        return LEAVING_NO;
    for (unsigned i = 0; i <= BEFORE + AHEAD; i++) {
        bool jumps = begins_with(code + i, by_jump, sizeof by_jump);
        if (jumps || begins_with(code + i, by_return, sizeof by_return))
            return i > BEFORE ? LEAVING_SOON : i == BEFORE ? LEAVING_MOVE : i == BEFORE - 3 ? LEAVING_POP : i == 0 && jumps ? LEAVING_JUMP : LEAVING_NO;
    }
    return LEAVING_NO;
}

/* May that end be at pc, of which the rule is r? By rbp, where the rules do not tell of it; where they do, the address is above or at rcx, then above rsp. */
static bool may_leave(walker *w, uint64_t pc, hsc_rt_rule r) {
    enum { RCX = 2, MOVE = 3, POP = 1 }; /* bytes of the two instructions before */
    if (r.cfa == HSC_CFA_REGISTER && (r.cfa_register == 6 || r.cfa_register == RCX))
        return true;
    if (r.cfa != HSC_CFA_NONE && !(r.cfa == HSC_CFA_REGISTER && r.cfa_register == 7 && r.cfa_offset <= 8))
        return r.cfa == HSC_CFA_DEREF && r.cfa_register == 6;
    for (uint64_t before = MOVE; before <= MOVE + POP; before += POP) {
        const hsc_rt_rule of = rule_at(w, pc - before)->rule;
        if (of.cfa == HSC_CFA_REGISTER && of.cfa_register == RCX)
            return true;
    }
    return false;
}

/* Where it goes on; next->pc is no return address. */
static bool leave(walker *w, hsc_rt_frame *f, enum leaving how, hsc_rt_frame *next) {
    uint64_t from = how == LEAVING_MOVE ? (uint64_t)w->registers[REG_RCX] : f->sp, sp = how == LEAVING_JUMP ? from : from + 8;
    if (sp < f->sp || sp & 7 || !word(w, sp - 8, &next->pc) || !hsc_rt_module_at(w->modules, next->pc))
        return false;
    w->reusable = false;
    f->ra_slot = sp - 8;
    next->sp = sp;
    next->bp = f->bp;
    next->flags = HSC_FRAME_EXACT;
    return true;
}

/* Is code at pc, which has no rules, one that ends the process, put by hand where the outermost procedure of a fiber would return (Boost's make_fcontext)?
 * xor %edi,%edi; call; hlt. */
static bool ends_there(uint64_t pc) {
    static const uint8_t no_status[] = {0x48, 0x31, 0xff};
    uint8_t code[sizeof no_status + 6];
    if (pc < HSC_RT_PAGE || !hsc_rt_read(code, pc, sizeof code))
        return false;
    unsigned wide = code[0] == no_status[0];
    return begins_with(code + wide, no_status + 1, 2) && code[wide + 2] == 0xe8 && code[wide + 7] == 0xf4;
}

enum step { STEP_ON, STEP_END, STEP_LOST, STEP_SIGNAL, STEP_WRONG };

/* Fills the slots of `f` and the caller's state in `next`. */
HSC_RT_HOT static enum step step(walker *w, hsc_rt_frame *f, hsc_rt_frame *next) {
    bool exact = f->flags & HSC_FRAME_EXACT;
    hsc_rt_cached_rule *c = rule_at(w, f->pc - !exact);
    const hsc_rt_rule *r = &c->rule;
    uint64_t cfa, sp;
    f->mapping_id = c->mapping_id;
    if (!c->mapping_id && !exact && !c->rule.called) {
        if (!after_call(f->pc))
            return STEP_WRONG;
        find_return(f->pc, &c->rule);
        c->rule.called = true;
    }
    f->ra_slot = f->bp_slot = f->cfa_slot = 0;
    f->uses_bp = r->bp == HSC_BP_AT_BP || ((r->cfa == HSC_CFA_REGISTER || r->cfa == HSC_CFA_DEREF) && r->cfa_register == 6);
    if (exact && w->registers && (c->mapping_id || r->cfa != HSC_CFA_NONE)) {
        if (r->called == LEAVING_NOT_LOOKED) {
            uint8_t how = may_leave(w, f->pc, *r) ? (uint8_t)leaving_at(f->pc) : LEAVING_NO;
            c = rule_at(w, f->pc);
            c->rule.called = how;
            r = &c->rule;
        }
        w->leaves = r->called == LEAVING_SOON;
        if (r->called > LEAVING_SOON)
            return leave(w, f, (enum leaving)r->called, next) ? STEP_ON : STEP_LOST;
    }
    switch (r->cfa) {
    case HSC_CFA_END:
        return STEP_END;
    case HSC_CFA_SIGNAL:
        return interrupted(w, f->sp, next) ? STEP_SIGNAL : STEP_LOST;
    case HSC_CFA_REGISTER:
    case HSC_CFA_DEREF: {
        if (r->cfa_register == 6 && f->bp == HSC_RT_BP_UNKNOWN && !find_bp(w, f))
            return STEP_LOST;
        uint64_t base = r->cfa_register == 7 ? f->sp : f->bp;
        if (r->cfa_register != 7 && r->cfa_register != 6) {
            if (!w->registers)
                return STEP_LOST;
            base = (uint64_t)w->registers[register_of[r->cfa_register]];
            w->reusable = false;
        }
        cfa = base + (uint64_t)(int64_t)r->cfa_offset;
        if (r->cfa == HSC_CFA_DEREF) {
            f->cfa_slot = cfa;
            if (!word(w, cfa, &cfa))
                return STEP_LOST;
        }
        break;
    }
    case HSC_CFA_PLT:
        cfa = f->sp + 8 + ((f->pc & 15) >= (uint64_t)(r->cfa_offset >> 8 & 15) ? 8 : 0);
        break;
    default:
        if (!exact && rule_at(w, f->pc)->rule.cfa != HSC_CFA_NONE && !after_call(f->pc)) {
            w->reusable = false;
            return STEP_END; /* nobody called it: the outermost procedure, put there by hand (makecontext) */
        }
        if (!exact && c->mapping_id && ends_there(f->pc)) {
            w->reusable = false;
            return STEP_END;
        }
        if (!guess(w, f, &sp))
            return STEP_LOST;
        goto read;
    }
    sp = cfa;
    if (sp <= f->sp || sp & 7)
        return STEP_LOST;
    f->ra_slot = cfa + (uint64_t)(int64_t)r->ra_offset;
    if (r->bp == HSC_BP_AT_CFA)
        f->bp_slot = cfa + (uint64_t)(int64_t)r->bp_offset;
    else if (r->bp == HSC_BP_AT_BP)
        f->bp_slot = f->bp + (uint64_t)(int64_t)r->bp_offset;
read:
    next->sp = sp;
    next->bp = f->bp;
    if (!word(w, f->ra_slot, &next->pc) || (f->bp_slot && !word(w, f->bp_slot, &next->bp)))
        return STEP_LOST;
    if (w->leaves && !after_call(next->pc)) { /* where it goes on: in its place */
        w->reusable = false;
        next->flags = HSC_FRAME_EXACT;
    }
    return next->pc ? STEP_ON : STEP_END;
}

/* How many of the kept frames, from index `from` outwards, still hold: returns the index of the last one whose words are
 * changed, or -1 when the whole rest is as it was. */
HSC_RT_HOT static int32_t verify(walker *w, int32_t from) {
    const hsc_rt_frame *s = w->t->stack;
    for (int32_t i = from; i > 0; i--) {
        const hsc_rt_frame *f = &s[i];
        if (f->ra_slot < w->low || f->ra_slot + 8 > w->high || *(const volatile uint64_t *)f->ra_slot != f[-1].pc)
            return i;
        if (f->bp_slot && (f->bp_slot < w->low || f->bp_slot + 8 > w->high ||
                           *(const volatile uint64_t *)f->bp_slot != f[-1].bp))
            return i;
        if (f->cfa_slot && (f->cfa_slot < w->low || f->cfa_slot + 8 > w->high ||
                            *(const volatile uint64_t *)f->cfa_slot != f[-1].sp))
            return i;
    }
    return -1;
}

/* From the innermost frame in fresh[0] outwards. Returns the number of fresh frames; *base is the index in the kept stack
 * of the frame that they were called from, -1: none. */
HSC_RT_HOT static uint32_t collect(walker *w, uint32_t limit, int32_t *base) {
    hsc_rt_thread *t = w->t;
    hsc_rt_frame *f = t->fresh;
    uint32_t n = 0;
    int32_t k = (int32_t)t->frames - 1;
    *base = -1;
    for (;;) {
        while (k >= 0 && t->stack[k].sp < f[n].sp)
            k--;
        if (k >= 0 && t->stack[k].sp == f[n].sp && t->stack[k].pc == f[n].pc && t->stack[k].bp == f[n].bp &&
            t->stack[k].flags == f[n].flags) {
            int32_t changed = verify(w, k);
            if (changed < 0 && n + (uint32_t)k < limit) {
                *base = k;
                return n;
            }
            if (changed < 0)
                k = -1; /* too long altogether */
            else {      /* these are as they were; walk on from the outermost of them */
                for (; k > changed && n + 2 < limit; k--) {
                    f[n++] = t->stack[k];
                    f[n] = t->stack[k - 1];
                    w->registers = NULL;
                }
                k--;
            }
        }
        if (n + 1 >= limit) {
            f[n].flags |= HSC_FRAME_TRUNCATED;
            f[n].mapping_id = rule_at(w, f[n].pc - !(f[n].flags & HSC_FRAME_EXACT))->mapping_id;
            w->reusable = false;
            return n + 1;
        }
        f[n + 1].flags = 0;
        switch (step(w, &f[n], &f[n + 1])) {
        case STEP_ON:
            if (w->in_task.frame && f[n + 1].sp > w->in_task.frame && f[n].sp < w->in_task.frame) { /* f[n] has called the task's body */
                w->within = true;
                return n ? n : 1;
            }
            n++;
            break;
        case STEP_SIGNAL: /* the trampoline is no frame of the program */
            if (n) {
                f[n - 1].flags |= HSC_FRAME_SIGNAL;
                f[n] = f[n + 1];
            } else
                f[n] = f[n + 1];
            f[n].flags = HSC_FRAME_EXACT;
            t->frames = 0;
            k = -1;
            break;
        case STEP_END:
            return n + 1;
        case STEP_WRONG: /* no return address: the rule of the frame before does not hold where it was met */
            w->reusable = false;
            f[--n].flags |= HSC_FRAME_TRUNCATED;
            return n + 1;
        default:
            if (skip_to_load(w, &f[n], &f[n + 1])) {
                n++;
                break;
            }
            f[n].flags |= HSC_FRAME_TRUNCATED;
            return n + 1;
        }
        w->registers = NULL;
    }
}

/* The child of `parent` for this frame; 0: no memory or no room. */
HSC_RT_HOT static uint32_t put_node(hsc_rt_thread *t, const hsc_rt_modules *modules, uint32_t parent, const hsc_rt_frame *f, uint64_t now_ns) {
    bool fresh;
    uint32_t node = hsc_rt_tree_child(&t->tree, parent, f->pc, f->mapping_id, f->flags, &fresh);
    if (!node || !fresh)
        return node;
    const hsc_rt_module *m = hsc_rt_module_at(modules, f->pc - !(f->flags & HSC_FRAME_EXACT));
    hsc_rec_node r = {node, parent, f->mapping_id, f->pc - (m && f->mapping_id ? m->bias : 0), f->flags};
    if (hsc_rt_thread_put(t, HSC_REC_node, &r, now_ns))
        return node;
    hsc_rt_tree_forget_last(&t->tree);
    return 0;
}

uint32_t hsc_rt_walk_alone(hsc_rt_thread *t, uint32_t caller, uint64_t pc, uint64_t now_ns) {
    const hsc_rt_modules *modules = atomic_load_explicit(&hsc_rt.modules, memory_order_acquire);
    const hsc_rt_module *m = hsc_rt_module_at(modules, pc - 1);
    hsc_rt_frame f = {.pc = pc, .mapping_id = m ? m->mapping_id : 0};
    return put_node(t, modules, caller, &f, now_ns);
}

uint32_t hsc_rt_walk_called(hsc_rt_thread *t, uint32_t caller, uint64_t address, uint64_t now_ns) {
    const hsc_rt_modules *modules = atomic_load_explicit(&hsc_rt.modules, memory_order_acquire);
    const hsc_rt_module *m = hsc_rt_module_at(modules, address);
    hsc_rt_frame f = {.pc = address, .mapping_id = m ? m->mapping_id : 0, .flags = HSC_FRAME_EXACT};
    return put_node(t, modules, caller, &f, now_ns);
}

/* Of another thread, which waits. */
static hsc_rt_in_task seen_in(const hsc_rt_thread *t) {
    return t->tasks.origin == t->in_task.origin ? t->in_task : (hsc_rt_in_task){0};
}

/* From t->fresh[0], whose pc, sp, bp and flags are set; `registers`: of that frame, NULL when they are not known. `blocked`:
 * the thread waits and its rbp is not known; the kept stack is read for it and stays as it is. */
HSC_RT_HOT static uint32_t walk(hsc_rt_thread *t, const greg_t *registers, bool blocked, uint64_t now_ns, bool *truncated) {
    uint32_t generation = atomic_load_explicit(&hsc_rt.generation, memory_order_acquire);
    if (t->generation != generation) { /* modules came or went: what is kept may mean something else now */
        t->frames = 0;
        t->generation = generation;
    }
    hsc_rt_frame *f = t->fresh;
    hsc_rt_in_task in_task = blocked ? seen_in(t) : hsc_rt_in_task_now(t, f[0].sp);
    if (!blocked && (in_task.frame != t->in_task.frame || in_task.origin != t->in_task.origin)) {
        t->frames = 0;
        t->in_task = in_task;
    }
    walker w = {t, atomic_load_explicit(&hsc_rt.modules, memory_order_acquire), 1, 0, true, registers, blocked ? t->frames : 0, now_ns, false, in_task, false};
    t->window_address = 0;
    if (blocked)
        t->frames = 0;
    if (f[0].sp >= t->stack_low && f[0].sp < t->stack_high) {
        w.low = f[0].sp;
        w.high = t->stack_high;
    } else
        t->frames = 0; /* a stack that we do not know: read with care, remember nothing */
    uint32_t limit = (uint32_t)hsc_rt.options.depth;
    int32_t base;
    uint32_t n = collect(&w, limit, &base);
    bool cut = n >= limit;
    if (cut && n > HSC_RT_KEEP_TRUNCATED) {
        n = HSC_RT_KEEP_TRUNCATED;
        f[n - 1].flags |= HSC_FRAME_TRUNCATED;
    }
    uint32_t node = base >= 0 ? t->stack[base].node : w.within ? hsc_rt_origin_node(t, in_task.origin, now_ns) : 0, kept = (uint32_t)(base + 1);
    if (!node && w.within) {
        t->frames = 0;
        return 0;
    }
    for (uint32_t i = n; i-- > 0;) {
        uint32_t parent = node;
        node = put_node(t, w.modules, parent, &f[i], now_ns);
        if (!node) {
            t->frames = 0;
            return 0;
        }
        if (blocked)
            continue;
        f[i].node = node;
        t->stack[kept++] = f[i];
    }
    if (blocked) {
        t->frames = w.known;
        *truncated = f[n - 1].flags & HSC_FRAME_TRUNCATED;
        return node;
    }
    t->frames = w.reusable && !cut ? kept : 0;
    *truncated = t->stack[0].flags & HSC_FRAME_TRUNCATED;
    return node;
}

HSC_RT_HOT uint32_t hsc_rt_walk(hsc_rt_thread *t, void *ucontext, uint64_t now_ns, bool *truncated) {
    const greg_t *r = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
    hsc_rt_frame *f = t->fresh;
    f->pc = (uint64_t)r[REG_RIP];
    f->sp = (uint64_t)r[REG_RSP];
    f->bp = (uint64_t)r[REG_RBP];
    f->flags = HSC_FRAME_EXACT;
    return walk(t, r, false, now_ns, truncated);
}

/* The next frame outwards that was called from there; the node itself: none of a few is. */
static uint32_t caller_of(const hsc_rt_tree *tree, uint32_t node, uint64_t return_address) {
    uint32_t at = node;
    for (unsigned i = 0; at && i < CALLER_FRAMES; i++) {
        const hsc_rt_node *n = hsc_rt_tree_node(tree, at);
        if (n->pc == return_address && !(n->flags & HSC_FRAME_EXACT))
            return at;
        at = n->parent;
    }
    return node;
}

uint32_t hsc_rt_walk_here(hsc_rt_thread *t, const hsc_rt_here *at, uint64_t now_ns, bool *truncated) {
    hsc_rt_frame *f = t->fresh;
    f->pc = at->pc;
    f->sp = at->sp;
    f->bp = at->bp;
    f->flags = 0;
    uint32_t node = walk(t, NULL, false, now_ns, truncated);
    return at->caller && at->caller != at->pc ? caller_of(&t->tree, node, at->caller) : node;
}

uint32_t hsc_rt_walk_blocked(hsc_rt_thread *t, const hsc_rt_here *at, bool exact, uint64_t now_ns, bool *truncated) {
    hsc_rt_frame *f = t->fresh;
    f->pc = at->pc;
    f->sp = at->sp;
    f->bp = at->bp;
    f->flags = exact ? HSC_FRAME_EXACT : 0;
    uint32_t node = walk(t, NULL, true, now_ns, truncated);
    return at->caller && at->caller != at->pc ? caller_of(&t->tree, node, at->caller) : node;
}
