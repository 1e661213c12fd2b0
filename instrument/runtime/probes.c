/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The probes of the process: tables come with the program and its libraries, get numbers, are armed and disarmed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "here.h"
#include "interpose.h"
#include "probes.h"

#define PAIRS (2 * HSC_RT_MARKS) /* so that folding counts in full */
#define ROUNDS 5

extern uint32_t hsc_rt_probe_has_xsave __attribute__((visibility("hidden")));

void heatscope_rt_probes_begin(void *first, void *end);
void heatscope_rt_probes_end(void *first, void *end);
int heatscope_rt_probes_arm(const char *list, int arm);

static const hsc_probe_entry *entry_of(const hsc_rt_probe *p) {
    return (const hsc_probe_entry *)((const char *)p->table + HSC_PROBE_WORDS_AT + 4ull * ((p->table->count + 1) & ~1u)) + p->index;
}

/* ---- records; hsc_rt.lock is held ------------------------------------------------------------------------------------ */

static void tell_place(uint32_t number, const hsc_rt_probe *p, const char *name, const char *file, uint64_t now) {
    const hsc_probe_entry *e = entry_of(p);
    if (p->kind == HSC_probe_kind_VALUE) {
        hsc_rec_symbolic_place r = {number, p->table->module_tag, e->tag};
        hsc_rt_file_put(HSC_REC_symbolic_place, &r, now);
        return;
    }
    hsc_rec_probe_place r = {number, p->table->module_tag, e->tag, p->kind, p->flags, {name, strlen(name)}, {file, strlen(file)}, e->line};
    hsc_rt_file_put(HSC_REC_probe_place, &r, now);
}

/* ---- what a visit costs ----------------------------------------------------------------------------------------------- */

static void pairs(uint64_t number) {
    for (uint32_t i = 0; i < PAIRS; i++)
        __asm__ volatile("subq $128, %%rsp\n\tmovq %%rsp, %%r10\n\tmovq %0, %%r11\n\tcallq hsc_rt_probe_enter\n\t"
                         "movq %0, %%r11\n\tcallq hsc_rt_probe_leave\n\taddq $128, %%rsp"
                         :
                         : "r"(number)
                         : "r10", "r11", "memory", "cc");
}

/* With a probe that no code has; the thread's blocks are empty before and after. */
static void measure_cost(hsc_rt_thread *t) {
    hsc_rt_probes *s = &hsc_rt_probe_state;
    uint64_t number = HSC_RT_PROBES_MAX - 1, pair = UINT64_MAX, note = UINT64_MAX, clock = UINT64_MAX, inside = UINT64_MAX;
    if (!t || t->scopes || s->pair_cycles > 0)
        return;
    pairs(number);
    for (int r = 0; r < ROUNDS && t->scopes; r++) {
        __atomic_store_n(&t->scopes->due, UINT64_MAX, __ATOMIC_RELAXED); /* nothing is told of it */
        hsc_rt_probes_fold(t);
        hsc_rt_block *b = t->scopes->base->block->last;
        uint64_t before = b->total, own = t->scopes->own, c0 = hsc_cycles();
        pairs(number);
        uint64_t c1 = hsc_cycles(), notes = c1 - c0 - (t->scopes->own - own);
        hsc_rt_probes_fold(t);
        uint64_t d = b->total - before;
        for (uint32_t i = 0; i < PAIRS; i++)
            __asm__ volatile("rdtsc" : : : "rax", "rdx");
        uint64_t c2 = hsc_cycles();
        pair = c1 - c0 < pair ? c1 - c0 : pair;
        clock = c2 - c1 < clock ? c2 - c1 : clock;
        inside = d < inside ? d : inside;
        note = notes < note ? notes : note;
    }
    if (!t->scopes || pair == UINT64_MAX)
        return;
    hsc_rt_probes_clear(t);
    s->pair_cycles = (double)pair / PAIRS;
    s->inside_cycles = (double)inside / PAIRS;
    s->note_cycles = (double)(note > inside ? note : inside) / PAIRS;
    s->clock_cycles = (double)clock / PAIRS;
}

static void tell_cost(uint64_t now) {
    const hsc_rt_probes *s = &hsc_rt_probe_state;
    double ns = (double)atomic_load(&hsc_rt.ns_per_cycle_q32) / 4294967296.0;
    hsc_rec_probe_cost r = {now, s->pair_cycles * ns, s->inside_cycles * ns, s->clock_cycles * ns, s->note_cycles * ns};
    if (s->pair_cycles > 0)
        hsc_rt_file_put(HSC_REC_probe_cost, &r, now);
}

/* ---- tables ----------------------------------------------------------------------------------------------------------- */

static bool is_sound(const hsc_probe_table *t, const char *end) {
    uint64_t room = (uint64_t)(end - (const char *)t);
    return room >= HSC_PROBE_WORDS_AT && t->version == HSC_PROBE_TABLE_VERSION && t->bytes <= room && t->bytes % 8 == 0 &&
           t->bytes >= HSC_PROBE_WORDS_AT + 4ull * ((t->count + 1) & ~1u) + sizeof(hsc_probe_entry) * t->count + 2ull * t->count;
}

typedef struct choice { /* of the tables that came together */
    uint64_t units, looked_at, chosen, least_work, most_work;
    uint32_t ppm; /* the smallest; 0: nowhere asked for */
} choice;

static void add_choice(choice *c, const hsc_probe_table *t) {
    if (!t->auto_ppm || !t->auto_looked_at)
        return;
    c->units++;
    c->looked_at += t->auto_looked_at;
    c->chosen += t->auto_chosen;
    c->least_work = t->auto_least_work > c->least_work ? t->auto_least_work : c->least_work;
    c->most_work = t->auto_most_work > c->most_work ? t->auto_most_work : c->most_work;
    c->ppm = !c->ppm || t->auto_ppm < c->ppm ? t->auto_ppm : c->ppm;
}

/* "probes: auto:1 chose 3 of 40 procedures and outermost loops of 2 source files: those that do 20000 instructions a visit by the look of their
 * code; the most is 70000": the user may look for what is not there. Both locks are held. */
static void tell_choice(const choice *c, uint64_t now) {
    char text[320], digits[] = ".0000";
    size_t at = 0, n = 5;
    if (!c->units)
        return;
    for (uint32_t rest = c->ppm % 10000, k = 4; k; k--, rest /= 10)
        digits[k] = (char)('0' + rest % 10);
    while (digits[n - 1] == '0')
        n--;
    digits[n > 1 ? n : 0] = 0;
    hsc_rt_append(text, sizeof text, &at, "probes: auto:");
    hsc_rt_append_u64(text, sizeof text, &at, c->ppm / 10000);
    hsc_rt_append(text, sizeof text, &at, digits);
    hsc_rt_append(text, sizeof text, &at, " chose ");
    if (c->chosen)
        hsc_rt_append_u64(text, sizeof text, &at, c->chosen);
    else
        hsc_rt_append(text, sizeof text, &at, "none");
    hsc_rt_append(text, sizeof text, &at, " of ");
    hsc_rt_append_u64(text, sizeof text, &at, c->looked_at);
    hsc_rt_append(text, sizeof text, &at, " procedures and outermost loops of ");
    hsc_rt_append_u64(text, sizeof text, &at, c->units);
    hsc_rt_append(text, sizeof text, &at, c->units == 1 ? " source file" : " source files");
    hsc_rt_append(text, sizeof text, &at, ": it takes those that do ");
    hsc_rt_append_u64(text, sizeof text, &at, c->least_work);
    hsc_rt_append(text, sizeof text, &at, " instructions a visit by the look of their code; one does ");
    hsc_rt_append_u64(text, sizeof text, &at, c->most_work);
    hsc_rt_append(text, sizeof text, &at, " at most");
    hsc_rec_note r = {now, {text, at}};
    hsc_rt_file_put(HSC_REC_note, &r, now);
}

/* Numbers for the probes of a table, and what the user said of them at the start. Both locks are held. */
static void number_table(hsc_probe_table *t, uint64_t now) {
    hsc_rt_probes *s = &hsc_rt_probe_state;
    const char *arms = hsc_rt.options.arm, *disarms = hsc_rt.options.disarm;
    if (!s->all && !(s->all = hsc_rt_map((size_t)HSC_RT_PROBES_MAX * sizeof *s->all)))
        return;
    t->enter = (uint64_t)&hsc_rt_probe_enter;
    t->leave = (uint64_t)&hsc_rt_probe_leave;
    t->value = (uint64_t)&hsc_rt_probe_value;
    const char *text = (const char *)t + HSC_PROBE_WORDS_AT + 4ull * ((t->count + 1) & ~1u) + sizeof(hsc_probe_entry) * t->count;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t number = atomic_load(&s->count) + 1;
        if (number >= HSC_RT_PROBES_MAX - 1) /* the last one measures the cost */
            return;
        hsc_rt_probe *p = &s->all[number - 1];
        p->table = t;
        p->index = i;
        p->kind = entry_of(p)->kind;
        p->flags = entry_of(p)->flags;
        p->share = p->flags & HSC_probe_flag_AUTOMATIC ? entry_of(p)->share : 0;
        const char *name = text, *file = text + strlen(text) + 1;
        text = file + strlen(file) + 1;
        atomic_store(&s->count, number);
        tell_place(number, p, name, file, now);
        if (*arms || *disarms)
            hsc_rt_probes_see_named(entry_of(p), name, file);
        bool named = *arms && hsc_rt_probe_entry_is_listed(entry_of(p), name, file, arms, strlen(arms));
        if (named)
            p->share = 0;
        if (p->share && (!s->share || p->share < s->share))
            s->share = p->share;
        if ((!*arms || named) && !hsc_rt_probe_entry_is_listed(entry_of(p), name, file, disarms, strlen(disarms)))
            hsc_rt_probe_arm(number, true, HSC_probe_arming_ASKED, now);
    }
    t->reserved = 1;
}

HSC_RT_EXPORT void heatscope_rt_probes_begin(void *first, void *end) {
    hsc_rt_probes *s = &hsc_rt_probe_state;
    int saved_errno = errno;
    uint64_t mask, mask_rt, now = hsc_rt_now_ns();
    bool measured = hsc_rt_measured() != NULL;
    choice chosen = {0};
    if (!hsc_rt_lock_take(&s->lock, &mask, -1))
        return;
    const hsc_probe_table *before = s->tables;
    if (measured)
        measure_cost(hsc_rt_self);
    bool locked = measured && hsc_rt_lock_take(&hsc_rt.lock, &mask_rt, HSC_RT_PATIENCE_MS);
    if (locked && !atomic_load(&s->count))
        tell_cost(now);
    for (char *at = first; is_sound((hsc_probe_table *)at, end);) {
        hsc_probe_table *t = (hsc_probe_table *)at;
        at += t->bytes;
        t->link = (uint64_t)s->tables;
        s->tables = t;
        if (!locked)
            continue;
        number_table(t, now);
        add_choice(&chosen, t);
    }
    if (locked) {
        tell_choice(&chosen, now);
        hsc_rt_probes_tell_unfound(s->tables, before, now);
    }
    if (locked)
        hsc_rt_lock_release(&hsc_rt.lock, mask_rt);
    if (locked)
        hsc_rt_note_named();
    hsc_rt_lock_release(&s->lock, mask);
    errno = saved_errno;
}

/* The library is unloaded, or the process ends. */
HSC_RT_EXPORT void heatscope_rt_probes_end(void *first, void *end) {
    hsc_rt_probes *s = &hsc_rt_probe_state;
    uint64_t mask;
    if (!hsc_rt_lock_take(&s->lock, &mask, -1))
        return;
    for (uint32_t i = 0; i < atomic_load(&s->count); i++) {
        hsc_rt_probe *p = &s->all[i];
        if ((char *)p->table < (char *)first || (char *)p->table >= (char *)end)
            continue;
        if (atomic_load(&p->armed)) /* else what was open when it was disarmed has ended then */
            hsc_rt_probe_silence(p);
        p->table = NULL;
    }
    for (uint64_t *link = (uint64_t *)&s->tables; *link;) {
        hsc_probe_table *t = (hsc_probe_table *)*link; /* NOLINT */
        if ((char *)t >= (char *)first && (char *)t < (char *)end)
            *link = t->link;
        else
            link = &t->link;
    }
    hsc_rt_lock_release(&s->lock, mask);
}

void hsc_rt_probes_begin(void) {
    hsc_rt_probes *s = &hsc_rt_probe_state;
    uint64_t mask, mask_rt, now = hsc_rt_now_ns();
    uint32_t a, b, c, d;
    choice chosen = {0};
    if (!__atomic_load_n(&s->tables, __ATOMIC_RELAXED) && hsc_rt_probe_has_xsave)
        return;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "0"(1), "2"(0));
    hsc_rt_probe_has_xsave = c >> 27 & 1; /* the system uses it */
    if (!hsc_rt_lock_take(&s->lock, &mask, HSC_RT_PATIENCE_MS))
        return;
    if (s->tables)
        measure_cost(hsc_rt_self);
    if (hsc_rt_lock_take(&hsc_rt.lock, &mask_rt, HSC_RT_PATIENCE_MS)) {
        if (s->tables)
            tell_cost(now);
        for (uint32_t i = 0; i < atomic_load(&s->count); i++) { /* a child of fork: known there, told here */
            const hsc_rt_probe *p = &s->all[i];
            if (!p->table)
                continue;
            const hsc_probe_table *t = p->table;
            const char *text = (const char *)t + HSC_PROBE_WORDS_AT + 4ull * ((t->count + 1) & ~1u) + sizeof(hsc_probe_entry) * t->count;
            for (uint32_t k = 0; k < 2 * p->index; k++)
                text += strlen(text) + 1;
            tell_place(i + 1, p, text, text + strlen(text) + 1, now);
            if ((atomic_load(&p->armed) || p->dropped) && p->kind != HSC_probe_kind_VALUE)
                hsc_rt_probe_tell_armed(i + 1, !p->dropped, p->dropped ? HSC_probe_arming_BUDGET : HSC_probe_arming_ASKED, now);
        }
        hsc_rt_probes_budget_begin();
        if (s->tables && !s->tables->reserved) /* not in a child of fork */
            hsc_rt_probes_tell_unfound(s->tables, NULL, now);
        for (hsc_probe_table *t = s->tables; t; t = (hsc_probe_table *)t->link) /* NOLINT */
            if (!t->reserved) {
                number_table(t, now);
                add_choice(&chosen, t);
            }
        tell_choice(&chosen, now);
        hsc_rt_lock_release(&hsc_rt.lock, mask_rt);
        hsc_rt_note_named();
    }
    hsc_rt_lock_release(&s->lock, mask);
}

HSC_RT_EXPORT int heatscope_rt_probes_arm(const char *list, int on) {
    int saved_errno = errno;
    uint32_t named, n = 0;
    if (hsc_rt_measured() && list)
        hsc_rt_probes_arm(list, strlen(list), on != 0, &named, &n);
    errno = saved_errno;
    return (int)n;
}
