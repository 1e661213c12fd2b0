/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "huffman.h"

#include <libdeflate.h>
#include <stdbool.h>
#include <string.h>
#if defined __SSE2__
#include <emmintrin.h>
#endif

enum {
    SYMBOLS = 286, /* literals, end, lengths */
    END = 256,
    LONGEST = 258, /* of a match */
    LONGEST_CODE = 11, /* of at most 15: so five of them and what is left of a byte fit in a word */
    AT_ONCE = 5,
    BLOCK_MAX = 65535,
    RUNS_MAX = BLOCK_MAX / 4,
    RUN_BITS = 14, /* what a run takes, about */
    HASH_BITS = 12,
    MATCH_BITS = 20, /* what a match takes, about */
    FEW = 24,        /* symbols that are sorted one by one */
    LOOK = 1024      /* bytes of a block that are looked at for matches, at least */
};

typedef struct writer {
    uint8_t *p, *end;
    uint64_t bits;
    unsigned n;
    bool full;
} writer;

/* At most 32 bits. */
static inline void put(writer *w, uint64_t bits, unsigned n) {
    w->bits |= bits << w->n;
    w->n += n;
    while (w->n >= 8) {
        if (w->p == w->end) {
            w->full = true;
            w->n = 0;
            return;
        }
        *w->p++ = (uint8_t)w->bits;
        w->bits >>= 8;
        w->n -= 8;
    }
}

/* ---- runs ---- */

typedef struct run {
    uint32_t begin, n; /* the first of it is a literal, and n follow */
} run;

static unsigned log2_of(uint32_t v) {
    return 31 - (unsigned)__builtin_clz(v | 1);
}

/* Where the first byte from `at` on that three like it follow is; n: nowhere, or only so close to the end that it may be left out. */
static size_t find_run(const uint8_t *p, size_t at, size_t n) {
#if defined __SSE2__
    for (; at + 17 <= n; at += 14) {
        __m128i here = _mm_loadu_si128((const __m128i *)(const void *)(p + at)), next = _mm_loadu_si128((const __m128i *)(const void *)(p + at + 1));
        unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(here, next)), four = same & same >> 1 & same >> 2;
        if (four)
            return at + (unsigned)__builtin_ctz(four);
    }
#endif
    for (; at + 9 <= n; at += 6) {
        const uint64_t low = 0x7f7f7f7f7f7f7f7f;
        uint64_t here, next;
        memcpy(&here, p + at, 8);
        memcpy(&next, p + at + 1, 8);
        here ^= next;
        uint64_t same = ~(((here & low) + low) | here | low),
                 four = same & same >> 8 & same >> 16; /* a bit of each byte that the next equals */
        if (four && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
            return at + (unsigned)__builtin_ctzll(four) / 8;
    }
    return n;
}

/* Runs of bytes that take more than RUN_BITS by themselves, where they are as frequent as counted. */
static unsigned find_runs(const uint8_t *p, size_t n, const uint32_t *counts, run *runs) {
    unsigned found = 0;
    uint32_t least[256] = {0}; /* bytes that follow in the shortest such run */
    for (size_t begin = find_run(p, 0, n), end; begin < n && found < RUNS_MAX; begin = find_run(p, end, n)) {
        uint64_t next;
        uint32_t *of = &least[p[begin]];
        if (!*of)
            *of = RUN_BITS / (1 + log2_of((uint32_t)n) - log2_of(counts[p[begin]])) + 1;
        end = begin + 4;
        if (*of >= n - begin || p[begin + *of] != p[begin]) /* it is shorter, and so is what follows of it */
            continue;
        for (; end + 8 <= n && (memcpy(&next, p + end, 8), next == p[begin] * 0x0101010101010101u);)
            end += 8;
        while (end < n && p[end] == p[begin])
            end++;
        if (end - begin > *of)
            runs[found++] = (run){(uint32_t)begin, (uint32_t)(end - begin - 1)};
    }
    return found;
}

/* ---- codes ---- */

typedef struct code {
    uint8_t length[SYMBOLS];
    uint16_t bits[SYMBOLS]; /* the first bit lowest */
} code;

static unsigned reversed(unsigned v, unsigned n) {
    static const uint8_t of_four[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
    unsigned all = (unsigned)of_four[v & 15] << 12 | (unsigned)of_four[v >> 4 & 15] << 8 | (unsigned)of_four[v >> 8 & 15] << 4 | of_four[v >> 12 & 15];
    return all >> (16 - n);
}

/* Lengths of a Huffman code of `n` symbols, none longer than `longest`; a code has two symbols at least. */
static void make_code(const uint32_t *counts, unsigned n, unsigned longest, uint8_t *length, uint16_t *bits) {
    uint16_t order[SYMBOLS], other[SYMBOLS], parent[2 * SYMBOLS];
    uint32_t weight[2 * SYMBOLS];
    unsigned used = 0, of_length[32] = {0}, next[32] = {0};
    uint32_t all = 0;
    memset(length, 0, n);
    for (unsigned i = 0; i < n; i++) {
        order[used] = (uint16_t)i;
        used += counts[i] != 0;
        all |= counts[i];
    }
    for (unsigned i = 0; used < 2; i++) /* decoders want a complete code */
        if (!counts[i])
            order[used++] = (uint16_t)i;
    for (unsigned i = 1; used <= FEW && i < used; i++) { /* by count, rising */
        uint16_t v = order[i];
        unsigned k = i;
        for (; k && counts[order[k - 1]] > counts[v]; k--)
            order[k] = order[k - 1];
        order[k] = v;
    }
    for (unsigned shift = 0; used > FEW && all >> shift; shift += 8) {
        unsigned begin[257] = {0};
        for (unsigned i = 0; i < used; i++)
            begin[(counts[order[i]] >> shift & 255) + 1]++;
        if (begin[1] == used)
            continue;
        for (unsigned k = 0; k < 256; k++)
            begin[k + 1] += begin[k];
        for (unsigned i = 0; i < used; i++)
            other[begin[counts[order[i]] >> shift & 255]++] = order[i];
        memcpy(order, other, used * sizeof *order);
    }
    for (unsigned i = 0; i < used; i++)
        weight[i] = counts[order[i]];
    for (unsigned leaf = 0, node = used, made = used; made < 2 * used - 1;
         made++) { /* the two smallest, again and again */
        weight[made] = 0;
        for (unsigned k = 0; k < 2; k++) {
            unsigned least = leaf < used && (node >= made || weight[leaf] <= weight[node]) ? leaf++ : node++;
            weight[made] += weight[least];
            parent[least] = (uint16_t)made;
        }
    }
    uint8_t depth[2 * SYMBOLS];
    depth[2 * used - 2] = 0;
    for (unsigned i = 2 * used - 2; i-- > 0;)
        depth[i] = (uint8_t)(depth[parent[i]] + 1 < 31 ? depth[parent[i]] + 1 : 31);
    for (unsigned i = 0; i < used; i++)
        of_length[depth[i] < longest ? depth[i] : longest]++;
    uint32_t taken = 0; /* of 1 << longest */
    for (unsigned k = 1; k <= longest; k++)
        taken += of_length[k] << (longest - k);
    while (
        taken >
        1u << longest) { /* what was cut off: a shorter one gets longer, and makes room for one more of the longest */
        unsigned k = longest - 1;
        while (!of_length[k])
            k--;
        of_length[k]--;
        of_length[k + 1] += 2;
        of_length[longest]--;
        taken--;
    }
    for (unsigned k = longest, i = 0; k; k--)
        for (unsigned m = of_length[k]; m; m--)
            length[order[i++]] = (uint8_t)k;
    for (unsigned k = 1, first = 0; k <= longest; k++) {
        first = (first + of_length[k - 1]) << 1;
        next[k] = first;
    }
    for (unsigned i = 0; i < n; i++)
        bits[i] = length[i] ? (uint16_t)reversed(next[length[i]]++, length[i]) : 0;
}

/* Symbol of a length of 3 to 258, and its further bits. */
static unsigned length_symbol(unsigned length, unsigned *extra, unsigned *n) {
    unsigned v = length - 3, shift = 0;
    *extra = *n = 0;
    if (length == LONGEST)
        return 285;
    if (v < 8)
        return 257 + v;
    while (v >> shift >= 8)
        shift++;
    *n = shift;
    *extra = v & ((1u << shift) - 1);
    return 257 + 4 * shift + (v >> shift);
}

/* The next match of a run with `left` bytes. */
static unsigned next_match(unsigned left) {
    return left <= LONGEST ? left : left - LONGEST < 3 ? LONGEST - 3 : LONGEST;
}

/* ---- a block ---- */

static void count_literals(const uint8_t *p, size_t n, uint32_t (*counts)[256]) {
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t word;
        memcpy(&word, p + i, 8);
        if (word == (uint8_t)word * 0x0101010101010101u) {
            counts[0][p[i]] += 8;
            continue;
        }
        counts[0][word & 255]++;
        counts[1][word >> 8 & 255]++;
        counts[2][word >> 16 & 255]++;
        counts[3][word >> 24 & 255]++;
        counts[0][word >> 32 & 255]++;
        counts[1][word >> 40 & 255]++;
        counts[2][word >> 48 & 255]++;
        counts[3][word >> 56]++;
    }
    for (; i < n; i++)
        counts[0][p[i]]++;
}

/* Code lengths with one distance (that of runs), as a block's head tells them. */
static void put_head(writer *w, const code *c, bool last) {
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t symbols[SYMBOLS + 1], extra[SYMBOLS + 1], all[SYMBOLS + 1], lengths[19];
    uint16_t bits[19];
    uint32_t counts[19] = {0};
    unsigned n = SYMBOLS, m = 0, used = 19;
    while (n > 257 && !c->length[n - 1])
        n--;
    memcpy(all, c->length, n);
    all[n] = 1;
    for (unsigned i = 0, same; i <= n; i += same) {
        for (same = 1; i + same <= n && all[i + same] == all[i];)
            same++;
        if (!all[i] && same >= 3) {
            same = same < 138 ? same : 138;
            symbols[m] = same < 11 ? 17 : 18;
            extra[m] = (uint8_t)(same - (same < 11 ? 3 : 11));
        } else if (i && all[i] == all[i - 1] && same >= 3) {
            same = same < 6 ? same : 6;
            symbols[m] = 16;
            extra[m] = (uint8_t)(same - 3);
        } else {
            same = 1;
            symbols[m] = all[i];
        }
        counts[symbols[m++]]++;
    }
    make_code(counts, 19, 7, lengths, bits);
    while (used > 4 && !lengths[order[used - 1]])
        used--;
    put(w, last | 2u << 1, 3);
    put(w, n - 257, 5);
    put(w, 0, 5);
    put(w, used - 4, 4);
    for (unsigned i = 0; i < used; i++)
        put(w, lengths[order[i]], 3);
    for (unsigned i = 0; i < m; i++) {
        put(w, bits[symbols[i]], lengths[symbols[i]]);
        if (symbols[i] >= 16)
            put(w, extra[i], symbols[i] == 16 ? 2 : symbols[i] == 17 ? 3 : 7);
    }
}

/* Words of AT_ONCE literals; how many there were. `of`: bits of each byte, and their number from bit 16 on. */
static inline __attribute__((always_inline)) size_t put_words_of(writer *w, const uint32_t *of, const uint8_t *p, size_t n) {
    uint8_t *to = w->p;
    uint64_t bits = w->bits;
    unsigned held = w->n;
    size_t i = 0;
    for (; i + AT_ONCE <= n && w->end - to >= 8; i += AT_ONCE) { /* at most 7 + 55 bits */
#pragma GCC unroll 5
        for (unsigned k = 0; k < AT_ONCE; k++) {
            uint32_t v = of[p[i + k]];
            bits |= (uint64_t)(uint16_t)v << held;
            held += v >> 16;
        }
        if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
            memcpy(to, &bits, 8);
        else
            for (unsigned k = 0; k < 8; k++)
                to[k] = (uint8_t)(bits >> 8 * k);
        to += held / 8;
        bits >>= held & ~7u;
        held %= 8;
    }
    w->p = to;
    w->bits = bits;
    w->n = held;
    return i;
}

static size_t put_words(writer *w, const uint32_t *of, const uint8_t *p, size_t n) { return put_words_of(w, of, p, n); }

#if defined __x86_64__ && !defined __BMI2__
/* The same, with shifts by any register. */
static __attribute__((target("bmi2"))) size_t put_words_bmi2(writer *w, const uint32_t *of, const uint8_t *p, size_t n) {
    return put_words_of(w, of, p, n);
}
#endif

static void put_literals(writer *w, const uint32_t *of, const uint8_t *p, size_t n) {
    size_t i = 0;
    if (n >= 2 * AT_ONCE) {
#if defined __x86_64__ && !defined __BMI2__
        i = (__builtin_cpu_supports("bmi2") ? put_words_bmi2 : put_words)(w, of, p, n);
#else
        i = put_words(w, of, p, n);
#endif
    }
    for (; i < n; i++)
        put(w, of[p[i]] & 0xffff, of[p[i]] >> 16);
}

static void put_plain(writer *w, const uint8_t *p, size_t n, bool last) {
    put(w, last, 3);
    put(w, 0, -w->n & 7);
    put(w, n, 16);
    put(w, ~n & 0xffff, 16);
    if ((size_t)(w->end - w->p) < n) {
        w->full = true;
        return;
    }
    memcpy(w->p, p, n);
    w->p += n;
}

static uint64_t bits_of(const uint8_t *length, const uint8_t *p, size_t n) {
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++)
        bits += length[p[i]];
    return bits;
}

/* Bits that matches but for runs would save, about, where literals have those lengths: a look at the pieces that come again
 * soonest, with longer steps where there are none. */
static uint64_t saved_by_matches(const uint8_t *p, size_t n, const uint8_t *length) {
    uint16_t last[1 << HASH_BITS] = {0};
    uint64_t saved = 0;
    for (size_t i = 0, missed = 0; i + 4 <= n;) {
        uint32_t word, before;
        size_t from = i ? i - 1 : 0, same = 4;
        memcpy(&word, p + i, 4);
        memcpy(&before, p + from, 4);
        bool is_run = i && before == word;
        if (!is_run) {
            uint16_t *at = &last[word * 2654435761u >> (32 - HASH_BITS)];
            from = *at;
            *at = (uint16_t)i;
            memcpy(&before, p + from, 4);
        }
        if (before == word && from < i) {
            for (uint64_t x, y;
                 i + same + 8 <= n && (memcpy(&x, p + from + same, 8), memcpy(&y, p + i + same, 8), x == y);)
                same += 8;
            while (i + same < n && p[from + same] == p[i + same])
                same++;
            uint64_t all = MATCH_BITS * (1 + same / LONGEST), literals = is_run ? 0 : bits_of(length, p + i, same);
            if (is_run || all < literals) {
                saved += is_run ? 0 : literals - all;
                i += same;
                missed = 0;
                continue;
            }
        }
        i += 1 + (missed++ >> 5);
    }
    return saved;
}

typedef struct sums {
    double bits, saved; /* as it is packed here, and less with matches */
} sums;

/* Literals of a block, and the runs in it. */
static unsigned look(const uint8_t *p, size_t n, size_t plane, bool is_constant, uint32_t *all, run *runs) {
    unsigned found = 0;
    if (is_constant) { /* each plane is a run */
        for (size_t begin = 0; begin < n; begin += plane) {
            all[p[begin]] += (uint32_t)plane;
            if (plane > 3)
                runs[found++] = (run){(uint32_t)begin, (uint32_t)(plane - 1)};
        }
        return found;
    }
    uint32_t counts[4][256] = {0};
    count_literals(p, n, counts);
    for (unsigned i = 0; i < 256; i++)
        all[i] = counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i];
    return find_runs(p, n, all, runs);
}

/* A block of at most BLOCK_MAX bytes: a plane, or several of equal bytes each. */
static void put_block(writer *w, const uint8_t *p, size_t n, size_t plane, bool is_constant, bool last, sums *sum) {
    run runs[RUNS_MAX];
    uint32_t all[SYMBOLS] = {0};
    unsigned extra, more;
    size_t at = 0, literals = n, matches = 0, bits = 0;
    code c;
    unsigned found = look(p, n, plane, is_constant, all, runs);
    for (unsigned i = 0; i < found; i++) {
        all[p[runs[i].begin]] -= runs[i].n;
        literals -= runs[i].n;
        for (unsigned left = runs[i].n, m; left; left -= m, matches++) {
            m = next_match(left);
            all[length_symbol(m, &extra, &more)]++;
            bits += 1 + more;
        }
    }
    all[END] = 1;
    make_code(all, SYMBOLS, LONGEST_CODE, c.length, c.bits);
    for (unsigned i = 0; i < SYMBOLS; i++)
        bits += (size_t)all[i] * c.length[i];
    size_t part = n / 4 > LOOK ? n / 4 : n < LOOK ? n : LOOK;
    sum->bits += (double)bits;
    if (literals > 64) {
        double saved = (double)saved_by_matches(p, part, c.length) * (double)n / (double)part;
        sum->saved += saved < (double)bits ? saved : (double)bits; /* runs inside of matches are taken for literals */
    }
    if (bits / 8 + 64 >= n) {
        put_plain(w, p, n, last);
        return;
    }
    put_head(w, &c, last);
    uint32_t of[256];
    for (unsigned k = 0; k < 256; k++)
        of[k] = c.bits[k] | (uint32_t)c.length[k] << 16;
    at = 0;
    for (unsigned i = 0; i <= found; i++) {
        size_t end = i < found ? runs[i].begin + 1 : n;
        put_literals(w, of, p + at, end - at);
        at = i < found ? end + runs[i].n : n;
        for (unsigned left = i < found ? runs[i].n : 0, m; left; left -= m) {
            m = next_match(left);
            unsigned symbol = length_symbol(m, &extra, &more);
            put(w, c.bits[symbol], c.length[symbol]);
            put(w, extra, more);
            put(w, 0, 1); /* the distance: 1 */
        }
    }
    put(w, c.bits[END], c.length[END]);
}

static bool is_of_one(const uint8_t *plane, size_t n) {
    return !memcmp(plane, plane + 1, n - 1);
}

size_t hsc_huffman_pack(const uint8_t *planes, size_t n, size_t count, unsigned worth, size_t least, uint8_t *out, size_t most) {
    size_t all = n * count;
    writer w = {.p = out, .end = out + most};
    sums sum = {0};
    if (!n || n > BLOCK_MAX)
        return 0;
    put(&w, 0x5e78, 16); /* zlib: 32 KiB, fast */
    for (size_t begin = 0, end; begin < all && !w.full; begin = end) {
        bool is_constant = is_of_one(planes + begin, n);
        for (end = begin + n; is_constant && end < all && end - begin + n <= BLOCK_MAX && is_of_one(planes + end, n);)
            end += n;
        put_block(&w, planes + begin, end - begin, n, is_constant, end == all, &sum);
    }
    put(&w, 0, -w.n & 7);
    uint32_t check = libdeflate_adler32(1, planes, all);
    for (unsigned k = 4; k--;)
        put(&w, check >> 8 * k & 255, 8);
    return w.full || (sum.saved > sum.bits / worth && sum.saved > 8 * (double)least) ? 0 : (size_t)(w.p - out);
}
