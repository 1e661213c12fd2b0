/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Probes are armed and disarmed: at the start, by the program, or by the helper, which somebody outside has told to. */
#include "probes.h"

/* Shell patterns with * and ?; the pattern ends at `end`. */
static bool glob(const char *p, const char *end, const char *s) {
    const char *star = NULL, *again = NULL;
    while (*s) {
        if (p < end && *p == '*') {
            star = p++;
            again = s;
        } else if (p < end && (*p == '?' || *p == *s)) {
            p++;
            s++;
        } else if (star) {
            p = star + 1;
            s = ++again;
        } else {
            return false;
        }
    }
    while (p < end && *p == '*')
        p++;
    return p == end;
}

static const char *string_of(const hsc_rt_probe *p, uint32_t which) {
    const hsc_probe_table *t = p->table;
    const char *s = (const char *)t + HSC_PROBE_WORDS_AT + 4ull * ((t->count + 1) & ~1u) + sizeof(hsc_probe_entry) * t->count;
    for (uint32_t i = 0; i < 2 * p->index + which; i++)
        s += hsc_rt_length(s) + 1;
    return s;
}

const char *hsc_rt_probe_kind_word(unsigned kind) {
    static const char *const kinds[] = {"procedures", "loops", "calls", "messages", "values"};
    return kinds[kind < 5 ? kind : 4];
}

bool hsc_rt_probe_is_meant(const hsc_probe_entry *e, const char *name, const char *file, const char *item, size_t n) {
    const char *word = item, *end = item + n, *kind = hsc_rt_probe_kind_word(e->kind);
    size_t k = hsc_rt_length(kind);
    if (n == 3 && word[0] == 'a' && word[1] == 'l' && word[2] == 'l')
        return true;
    if (n < k || __builtin_memcmp(word, kind, k) != 0 || (n > k && word[k] != ':'))
        return false;
    if (n == k)
        return true;
    word += k + 1;
    if (e->kind == HSC_probe_kind_LOOP) {
        const char *colon = end;
        uint64_t line = 0;
        while (colon > word && colon[-1] >= '0' && colon[-1] <= '9')
            colon--;
        if (colon > word && colon[-1] == ':' && colon < end) {
            for (const char *c = colon; c < end; c++)
                line = line * 10 + (uint64_t)(*c - '0');
            return line == e->line && glob(word, colon - 1, file);
        }
        return glob(word, end, file);
    }
    const char *region = name;
    while (*region && !(region[0] == ' ' && region[1] == '['))
        region++;
    if (glob(word, end, name))
        return true;
    /* "solve" means the OpenMP regions of solve, too */
    char root[256];
    size_t length = (size_t)(region - name);
    if (!*region || length >= sizeof root)
        return false;
    __builtin_memcpy(root, name, length);
    root[length] = 0;
    return glob(word, end, root);
}

void hsc_rt_probe_tell_armed(uint32_t number, bool armed, unsigned reason, uint64_t now) {
    hsc_rec_probe_armed r = {now, number, armed, reason};
    hsc_rt_file_put(HSC_REC_probe_armed, &r, now);
}

/* The clock is read once no processor can find the word set any more: else visits that began after it would be noted, and all of them be cut off at their
 * beginning. A thread that has found it set may be kept from noting what it met for any time: that is one note. */
void hsc_rt_probe_silence(hsc_rt_probe *p) {
    (void)__atomic_exchange_n(&p->table->word[p->index], 0, __ATOMIC_SEQ_CST);
    __builtin_ia32_lfence(); /* an exchange is seen by all once it is done */
    atomic_store(&p->disarmed_at, hsc_cycles());
    atomic_store(&p->armed, 0);
}

static void wake(hsc_rt_probe *p, uint32_t number) {
    atomic_store(&p->armed_at, hsc_cycles());
    atomic_store(&p->armed, 1);
    __atomic_store_n(&p->table->word[p->index], number, __ATOMIC_RELEASE);
}

bool hsc_rt_probe_arm(uint32_t number, bool on, unsigned reason, uint64_t now) {
    hsc_rt_probe *p = &hsc_rt_probe_state.all[number - 1];
    if (!p->table || atomic_load(&p->armed) == on)
        return false;
    if (on)
        wake(p, number);
    else
        hsc_rt_probe_silence(p);
    if (p->kind != HSC_probe_kind_VALUE)
        hsc_rt_probe_tell_armed(number, on, reason, now);
    return true;
}

void hsc_rt_probes_arming_changed(void) {
    atomic_fetch_add(&hsc_rt_probe_state.generation, 1);
    for (hsc_rt_thread *t = hsc_rt.threads; t; t = t->next)
        if (t->live && t->scopes)
            hsc_rt_probes_remind(t->scopes, UINT64_MAX);
}

bool hsc_rt_probe_is_listed(const hsc_rt_probe *p, const char *list, size_t n) {
    const hsc_probe_entry *e =
        (const hsc_probe_entry *)((const char *)p->table + HSC_PROBE_WORDS_AT + 4ull * ((p->table->count + 1) & ~1u)) + p->index;
    return hsc_rt_probe_entry_is_listed(e, string_of(p, 0), string_of(p, 1), list, n);
}

bool hsc_rt_probe_entry_is_listed(const hsc_probe_entry *e, const char *name, const char *file, const char *list, size_t n) {
    for (size_t at = 0; at < n;) {
        size_t k = 0;
        while (at + k < n && list[at + k] != ',')
            k++;
        if (hsc_rt_probe_is_meant(e, name, file, list + at, k))
            return true;
        at += k + 1;
    }
    return false;
}

bool hsc_rt_probes_arm(const char *list, size_t n, bool on, uint32_t *named, uint32_t *changed) {
    hsc_rt_probes *s = &hsc_rt_probe_state;
    uint64_t mask, mask_rt, now = hsc_rt_now_ns();
    *named = *changed = 0;
    if (!hsc_rt_lock_take(&s->lock, &mask, HSC_RT_PATIENCE_MS))
        return false;
    bool ok = hsc_rt_lock_take(&hsc_rt.lock, &mask_rt, HSC_RT_PATIENCE_MS);
    if (ok) {
        for (uint32_t i = 0; i < atomic_load(&s->count); i++)
            if (s->all[i].table && hsc_rt_probe_is_listed(&s->all[i], list, n)) {
                ++*named;
                s->all[i].dropped = false;
                if (on)
                    s->all[i].share = 0;
                *changed += hsc_rt_probe_arm(i + 1, on, HSC_probe_arming_ASKED, now);
            }
        if (*changed)
            hsc_rt_probes_arming_changed();
        hsc_rt_lock_release(&hsc_rt.lock, mask_rt);
    }
    hsc_rt_lock_release(&s->lock, mask);
    return ok;
}
