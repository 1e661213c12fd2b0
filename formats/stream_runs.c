/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Takes samples and nodes of call paths from a record stream, many at once: they are nearly all of a measurement. What is not as the format's own writer makes
 * them (other fields, longer numbers) is left to the reader of single records. */
#if defined __x86_64__
#include <immintrin.h>
#endif

#include "reader.h"

/* A number of up to four bytes, with four that can be read; NULL: a longer one. */
static inline const uint8_t *short_uv(const uint8_t *p, uint64_t *out) {
    uint32_t w = hsc_get32(p), stop = ~w & 0x80808080u;
    if (!stop)
        return NULL;
    w &= stop ^ (stop - 1); /* up to the first byte without a bit 7 */
    *out = (w & 0x7f) | (w >> 1 & 0x3f80) | (w >> 2 & 0x1fc000) | (w >> 3 & 0xfe00000);
    return p + ((unsigned)__builtin_ctz(stop) >> 3) + 1;
}

/* ---- samples, many at a time ---- */

enum { LONGEST = 2 + 3 * 4 }; /* bytes of a sample that is read here */

typedef struct sample_run {
    const uint8_t *p, *end; /* what is left; of it samples may begin before `stop` */
    const uint8_t *stop, *last; /* last: where the last one began */
    uint64_t time, node;
} sample_run;

/* One sample; false: it is another record, or longer. A state of 0 may be left out. */
static inline bool take_sample(sample_run *run, hsc_rec_sample *to) {
    uint64_t since, step, state = 0;
    const uint8_t *p = run->p, *q, *next = p + 1 + p[0]; /* known before the numbers are: the next record need not wait for them */
    if (p[0] >= LONGEST || p[1] != HSC_REC_sample || !(q = short_uv(p + 2, &since)) || !(q = short_uv(q, &step)) ||
        (q != next && (!(q = short_uv(q, &state)) || q != next)))
        return false;
    run->time += hsc_unzigzag(since);
    run->node += hsc_unzigzag(step);
    *to = (hsc_rec_sample){.time = run->time, .node_id = run->node, .state = state};
    run->last = p;
    __asm__("" : "+r"(next)); /* or the compiler takes q for it */
    run->p = next;
    return true;
}

static size_t take_run(sample_run *run, hsc_rec_sample *to, size_t most) {
    size_t n = 0;
    while (n < most && run->end - run->p >= LONGEST && run->p < run->stop && take_sample(run, &to[n]))
        n++;
    return n;
}

#if defined __x86_64__
static bool can_take_words(void) { return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("bmi"); }

/* As many as are of two or three numbers in eight bytes, which are taken apart at once. to NULL: they are only passed, of nodes 1 to `nodes`. The largest time before
 * one that falls is in *latest then, where it is larger. */
__attribute__((target("bmi,bmi2"), always_inline)) static inline size_t run_short(sample_run *run, hsc_rec_sample *to, uint64_t nodes, size_t most, uint64_t *latest) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    const uint8_t *p = run->p, *last = run->last, *end = run->end - p >= LONGEST ? run->end - LONGEST + 1 : p;
    uint64_t time = run->time, node = run->node;
    size_t n = 0;
    for (end = end < run->stop ? end : run->stop; n < most && p < end; n++) {
        uint64_t w = hsc_get64(p + 2), length = p[0], stop1 = ~w & ~low, stop2 = _blsr_u64(stop1), state = 0;
        uint64_t upto1 = _blsmsk_u64(stop1), upto2 = _blsmsk_u64(stop2); /* last bytes have no bit 7 */
        const uint8_t *next = p + 1 + length; /* known before the numbers are */
        __asm__("" : "+r"(next)); /* or the compiler takes where the numbers end for it */
        if (p[1] != HSC_REC_sample || !stop2)
            break;
        if (length != (_tzcnt_u64(stop2) >> 3) + 2) { /* else no state: 0 */
            uint64_t stop3 = _blsr_u64(stop2);
            if (!stop3 || length != (_tzcnt_u64(stop3) >> 3) + 2)
                break;
            state = _pext_u64(w, _blsmsk_u64(stop3) & ~upto2 & low);
        }
        uint64_t since = _pext_u64(w, upto1 & low), at = node + hsc_unzigzag(_pext_u64(w, upto2 & ~upto1 & low));
        if (!to && at - 1 >= nodes)
            break;
        node = at;
        if (__builtin_expect(since & 1, 0)) { /* it falls */
            *latest = n && time > *latest ? time : *latest;
            time += hsc_unzigzag(since);
        } else {
            time += since >> 1;
        }
        if (to)
            to[n] = (hsc_rec_sample){.time = time, .node_id = node, .state = state};
        last = p;
        p = next;
    }
    run->p = p;
    run->last = last;
    run->time = time;
    run->node = node;
    return n;
}

__attribute__((target("bmi,bmi2"))) static size_t take_short(sample_run *run, hsc_rec_sample *to, size_t most) {
    return run_short(run, to, 0, most, &(uint64_t){0});
}

__attribute__((target("bmi,bmi2"))) static size_t pass_short(sample_run *run, uint64_t nodes, size_t most, uint64_t *latest) {
    size_t n = run_short(run, NULL, nodes, most, latest);
    *latest = n && run->time > *latest ? run->time : *latest;
    return n;
}

/* The same with BMI2. */
static size_t take_run_bmi2(sample_run *run, hsc_rec_sample *to, size_t most) {
    size_t n = 0;
    do
        n += take_short(run, to + n, most - n);
    while (take_run(run, to + n, n < most) && ++n);
    return n;
}
#endif

static bool is_plain_sample(const hsc_layout *l) {
    const hsc_field_info *f = l ? l->info.fields : NULL;
    return l && l->ours && l->info.n_fields == 3 && f[0].type == HSC_TYPE_T && f[0].offset == offsetof(hsc_rec_sample, time) &&
           f[1].type == HSC_TYPE_D && f[1].offset == offsetof(hsc_rec_sample, node_id) && f[2].type == HSC_TYPE_U &&
           f[2].offset == offsetof(hsc_rec_sample, state);
}

/* What follows in the chunk, with the layout of samples; NULL: nothing that is read here. */
static hsc_layout *begin_run(const hsc_reader *r, uint64_t last, sample_run *run) {
    hsc_layout *l = r->p == r->end || r->first ? NULL : hsc_schema_find(r->chunk.schema, HSC_REC_sample);
    uint64_t first = r->chunk.offset + HSC_CHUNK_HEADER_BYTES;
    if (!is_plain_sample(l) || l->epoch != r->epoch || last < first)
        return NULL;
    uint64_t left = (uint64_t)(r->end - r->chunk.payload);
    *run = (sample_run){.p = r->p, .end = r->end, .stop = last - first < left ? r->chunk.payload + (last - first) + 1 : r->end,
                        .time = r->last_time, .node = l->deltas[l->info.fields[1].delta_slot]};
    return l;
}

static size_t end_run(hsc_reader *r, const hsc_layout *l, const sample_run *run, size_t n, uint64_t *offset) {
    if (n)
        *offset = r->chunk.offset + HSC_CHUNK_HEADER_BYTES + (uint64_t)(run->last - r->chunk.payload);
    l->deltas[l->info.fields[1].delta_slot] = run->node;
    r->last_time = run->time;
    r->counts.records += n;
    r->p = run->p;
    return n;
}

size_t hsc_reader_take_samples(hsc_reader *r, hsc_rec_sample *to, size_t most, uint64_t last, uint64_t *offset) {
    sample_run run;
    const hsc_layout *l = begin_run(r, last, &run);
    if (!l)
        return 0;
#if defined __x86_64__
    size_t n = can_take_words() ? take_run_bmi2(&run, to, most) : take_run(&run, to, most);
#else
    size_t n = take_run(&run, to, most);
#endif
    return end_run(r, l, &run, n, offset);
}

size_t hsc_reader_pass_samples(hsc_reader *r, uint64_t nodes, size_t most, uint64_t last, uint64_t *offset, uint64_t *latest) {
#if defined __x86_64__
    sample_run run;
    const hsc_layout *l = can_take_words() ? begin_run(r, last, &run) : NULL;
    return l ? end_run(r, l, &run, pass_short(&run, nodes, most, latest), offset) : 0;
#else
    (void)r, (void)nodes, (void)most, (void)last, (void)offset, (void)latest;
    return 0;
#endif
}

/* ---- nodes, many at a time ---- */

static inline const uint8_t *any_uv(const uint8_t *p, const uint8_t *end, uint64_t *out) {
    const uint8_t *q = p && end - p >= 4 ? short_uv(p, out) : NULL;
    return q || !p ? q : hsc_uv_get(p, end, out);
}

/* The members stand in the struct as in the record. */
static bool is_plain_node(const hsc_layout *l) {
    static const hsc_field_type types[] = {HSC_TYPE_D, HSC_TYPE_D, HSC_TYPE_U, HSC_TYPE_D, HSC_TYPE_U};
    static const size_t offsets[] = {offsetof(hsc_rec_node, node_id), offsetof(hsc_rec_node, parent_id), offsetof(hsc_rec_node, mapping_id),
                                     offsetof(hsc_rec_node, address), offsetof(hsc_rec_node, flags)};
    bool is = l && l->ours && l->info.n_fields == sizeof types / sizeof *types;
    for (size_t i = 0; is && i < sizeof types / sizeof *types; i++)
        is = l->info.fields[i].type == types[i] && l->info.fields[i].offset == offsets[i];
    return is;
}

typedef struct node_run {
    const uint8_t *p, *end, *stop, *last; /* as of a sample_run */
    uint64_t node, parent, address;
} node_run;

static size_t take_node_run(node_run *run, hsc_rec_node *to, size_t most) {
    size_t n = 0;
    while (n < most && run->end - run->p >= 2 && run->p < run->stop) {
        uint64_t node_step, parent_step, mapping, address_step, flags = 0;
        const uint8_t *p = run->p, *end = p + 1 + p[0];
        if (p[0] >= 0x80 || p[1] != HSC_REC_node || p[0] > run->end - p - 1)
            break;
        const uint8_t *q = any_uv(any_uv(any_uv(any_uv(p + 2, end, &node_step), end, &parent_step), end, &mapping), end, &address_step);
        if (q != end && any_uv(q, end, &flags) != end) /* flags of 0 may be left out */
            break;
        run->node += hsc_unzigzag(node_step);
        run->parent += hsc_unzigzag(parent_step);
        run->address += hsc_unzigzag(address_step);
        to[n++] = (hsc_rec_node){.node_id = run->node, .parent_id = run->parent, .mapping_id = mapping, .address = run->address, .flags = flags};
        run->last = p;
        run->p = end;
    }
    return n;
}

#if defined __x86_64__
/* A number of up to eight bytes, with eight that can be read. *stop: 0 where it is longer. */
__attribute__((target("bmi,bmi2"))) static inline const uint8_t *word_uv(const uint8_t *p, uint64_t *out, uint64_t *stop) {
    uint64_t w = hsc_get64(p);
    *stop = ~w & 0x8080808080808080;
    *out = _pext_u64(w, _blsmsk_u64(*stop) & 0x7f7f7f7f7f7f7f7f);
    return p + (_tzcnt_u64(*stop) >> 3) + 1;
}

/* As many as are of such numbers. */
__attribute__((target("bmi,bmi2"))) static size_t take_short_nodes(node_run *run, hsc_rec_node *to, size_t most) {
    enum { ROOM = 2 + 5 * 9 + 8 }; /* also where numbers go beyond the record */
    const uint8_t *p = run->p, *last = run->last, *stop = run->end - p >= ROOM ? run->end - ROOM + 1 : p;
    uint64_t node = run->node, parent = run->parent, address = run->address;
    size_t n = 0;
    for (stop = stop < run->stop ? stop : run->stop; n < most && p < stop; n++) {
        uint64_t node_step, parent_step, mapping, address_step, flags = 0, is1, is2, is3, is4, is5 = 1;
        const uint8_t *end = p + 1 + p[0];
        if (p[1] != HSC_REC_node || p[0] >= 0x80)
            break;
        const uint8_t *q = word_uv(word_uv(word_uv(word_uv(p + 2, &node_step, &is1), &parent_step, &is2), &mapping, &is3), &address_step, &is4);
        if (q != end && word_uv(q, &flags, &is5) != end)
            break;
        if (!is1 || !is2 || !is3 || !is4 || !is5)
            break;
        to[n] = (hsc_rec_node){.node_id = node += hsc_unzigzag(node_step), .parent_id = parent += hsc_unzigzag(parent_step),
                               .mapping_id = mapping, .address = address += hsc_unzigzag(address_step), .flags = flags};
        last = p;
        p = end;
    }
    run->p = p;
    run->last = last;
    run->node = node;
    run->parent = parent;
    run->address = address;
    return n;
}

/* The same as take_node_run with BMI2. */
static size_t take_node_run_bmi2(node_run *run, hsc_rec_node *to, size_t most) {
    size_t n = 0;
    do
        n += take_short_nodes(run, to + n, most - n);
    while (take_node_run(run, to + n, n < most) && ++n);
    return n;
}
#endif

size_t hsc_reader_take_nodes(hsc_reader *r, hsc_rec_node *to, size_t most, uint64_t last, uint64_t *offset) {
    hsc_layout *l = r->p == r->end || r->first ? NULL : hsc_schema_find(r->chunk.schema, HSC_REC_node);
    if (!is_plain_node(l) || l->epoch != r->epoch)
        return 0;
    const hsc_field_info *f = l->info.fields;
    uint64_t first = r->chunk.offset + HSC_CHUNK_HEADER_BYTES, left = (uint64_t)(r->end - r->chunk.payload);
    uint64_t *node = &l->deltas[f[0].delta_slot], *parent = &l->deltas[f[1].delta_slot], *address = &l->deltas[f[3].delta_slot];
    if (last < first)
        return 0;
    node_run run = {.p = r->p, .end = r->end, .stop = last - first < left ? r->chunk.payload + (last - first) + 1 : r->end,
                    .node = *node, .parent = *parent, .address = *address};
#if defined __x86_64__
    size_t n = can_take_words() ? take_node_run_bmi2(&run, to, most) : take_node_run(&run, to, most);
#else
    size_t n = take_node_run(&run, to, most);
#endif
    if (n)
        *offset = first + (uint64_t)(run.last - r->chunk.payload);
    *node = run.node;
    *parent = run.parent;
    *address = run.address;
    r->counts.records += n;
    r->p = run.p;
    return n;
}
