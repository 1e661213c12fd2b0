/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "most.h"

#include <string.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

enum { LANES = 8 };
typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t)), aligned(sizeof(uint32_t)), may_alias));

static uint64_t few(const uint16_t *numbers, unsigned n) {
    uint64_t most = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t same = 0;
        for (unsigned k = 0; k < n; k++)
            same += numbers[k] == numbers[i];
        most = hsc_most_larger(most, hsc_most_key(same, numbers[i]));
    }
    return most;
}

static uint64_t bytes(uint8_t *by, uint32_t n) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = hsc_most_larger(most, hsc_most_key(by[i], i));
    memset(by, 0, n);
    return most;
}

/* First the largest count in each lane, then where the largest of all is. */
static inline __attribute__((always_inline)) uint64_t counts_of(uint32_t *by, uint32_t *up, uint32_t n) {
    lanes most = {0};
    uint32_t largest = 0, at = 0;
    for (uint32_t i = 0; i < n; i += LANES) {
        lanes v = *(lanes *)(void *)(by + i), more = (lanes)(v > most);
        most = (most & ~more) | (v & more);
        if (up)
            *(lanes *)(void *)(up + i) += v;
    }
    for (unsigned k = 0; k < LANES; k++)
        largest = most[k] > largest ? most[k] : largest;
    while (at < n && by[at] != largest)
        at++;
    memset(by, 0, n * sizeof *by);
    return hsc_most_key(largest, at);
}

static uint64_t counts(uint32_t *by, uint32_t *up, uint32_t n) { return counts_of(by, up, n); }

#if defined __x86_64__
#define WITH_AVX2 __attribute__((target("avx2")))

static WITH_AVX2 uint64_t counts_avx2(uint32_t *by, uint32_t *up, uint32_t n) {
    __m256i most = _mm256_setzero_si256();
    for (uint32_t i = 0; i < n; i += LANES) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(by + i));
        most = _mm256_max_epu32(most, v);
        if (up) {
            __m256i *to = (__m256i *)(void *)(up + i);
            _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), v));
        }
    }
    __m128i half = _mm_max_epu32(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
    half = _mm_max_epu32(half, _mm_shuffle_epi32(half, 0x4e));
    half = _mm_max_epu32(half, _mm_shuffle_epi32(half, 0xb1));
    uint32_t largest = (uint32_t)_mm_cvtsi128_si32(half), at = 0, same = 0;
    __m256i all = _mm256_set1_epi32((int)largest);
    for (; at < n && !same; at += LANES)
        same = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(by + at)), all)));
    memset(by, 0, n * sizeof *by);
    return hsc_most_key(largest, same ? at - LANES + (uint32_t)__builtin_ctz(same) : 0);
}

static WITH_AVX2 uint64_t bytes_avx2(uint8_t *by, uint32_t n) {
    __m256i most = _mm256_setzero_si256();
    for (uint32_t i = 0; i < n; i += HSC_MOST_LANES)
        most = _mm256_max_epu8(most, _mm256_loadu_si256((const __m256i *)(const void *)(by + i)));
    __m128i half = _mm_max_epu8(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
    __m128i rest = _mm_xor_si128(half, _mm_set1_epi8(-1)); /* of which the least is found at once */
    rest = _mm_minpos_epu16(_mm_min_epu8(rest, _mm_srli_epi16(rest, 8)));
    uint32_t largest = (uint8_t)~(uint32_t)_mm_cvtsi128_si32(rest), at = 0, same = 0;
    __m256i all = _mm256_set1_epi8((char)largest);
    for (; at < n && !same; at += HSC_MOST_LANES)
        same = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)(by + at)), all));
    memset(by, 0, n);
    return hsc_most_key(largest, same ? at - HSC_MOST_LANES + (uint32_t)__builtin_ctz(same) : 0);
}

/* Bytes of 16 numbers of which the first n are used: 0 behind these. */
static inline WITH_AVX2 __m256i first_of(unsigned n) {
    static const uint16_t used[32] = {0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff};
    return _mm256_loadu_si256((const __m256i *)(const void *)(used + 16 - n));
}

/* How many of the 16 numbers of b each of a is equal to, subtracted. swapped: b with its halves exchanged. */
#define TURN(k) \
    most = _mm256_add_epi16(most, _mm256_cmpeq_epi16(a, _mm256_alignr_epi8(swapped, b, 2 * (k)))); \
    most = _mm256_add_epi16(most, _mm256_cmpeq_epi16(a, _mm256_alignr_epi8(b, swapped, 2 * (k))));
static inline WITH_AVX2 __attribute__((always_inline)) __m256i equal(__m256i a, __m256i b) {
    __m256i swapped = _mm256_permute2x128_si256(b, b, 1), most = _mm256_add_epi16(_mm256_cmpeq_epi16(a, b), _mm256_cmpeq_epi16(a, swapped));
    TURN(1) TURN(2) TURN(3) TURN(4) TURN(5) TURN(6) TURN(7)
    return most;
}
#undef TURN

static inline WITH_AVX2 __attribute__((always_inline)) uint16_t least_of(__m256i v) {
    return (uint16_t)_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_min_epu16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1))));
}

/* -1 for each of the same number: so the least has most. Unused ones are HSC_MOST_NONE and count for nothing. */
static WITH_AVX2 uint64_t few_avx2(const uint16_t *numbers, unsigned n) {
    __m256i none = _mm256_set1_epi16(-1);
    __m256i is_a = first_of(n < 16 ? n : 16), a = _mm256_loadu_si256((const __m256i *)(const void *)numbers);
    a = _mm256_or_si256(a, _mm256_xor_si256(is_a, none));
    if (n <= 16) {
        __m256i of_a = _mm256_or_si256(equal(a, a), _mm256_xor_si256(is_a, none)); /* unused: one, as least */
        uint16_t least = least_of(of_a);
        __m256i numbers_of = _mm256_or_si256(a, _mm256_xor_si256(_mm256_cmpeq_epi16(of_a, _mm256_set1_epi16((short)least)), none));
        return hsc_most_key((uint16_t)-least, least_of(numbers_of));
    }
    __m256i is_b = first_of(n - 16), b = _mm256_loadu_si256((const __m256i *)(const void *)(numbers + 16));
    b = _mm256_or_si256(b, _mm256_xor_si256(is_b, none));
    __m256i of_a = _mm256_add_epi16(equal(a, a), equal(a, b));
    __m256i of_b = _mm256_or_si256(_mm256_add_epi16(equal(b, b), equal(b, a)), _mm256_xor_si256(is_b, none));
    uint16_t least = least_of(_mm256_min_epu16(of_a, of_b));
    __m256i is = _mm256_set1_epi16((short)least);
    __m256i numbers_of = _mm256_min_epu16(_mm256_or_si256(a, _mm256_xor_si256(_mm256_cmpeq_epi16(of_a, is), none)),
                                          _mm256_or_si256(b, _mm256_xor_si256(_mm256_cmpeq_epi16(of_b, is), none)));
    return hsc_most_key((uint16_t)-least, least_of(numbers_of));
}
#endif

hsc_most hsc_most_plain(void) { return (hsc_most){few, bytes, counts}; }

hsc_most hsc_most_choose(void) {
#if defined __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return (hsc_most){few_avx2, bytes_avx2, counts_avx2};
#endif
    return hsc_most_plain();
}
