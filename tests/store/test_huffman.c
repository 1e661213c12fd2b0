/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chunks packed without matches: another library's reader gets the same bytes back, they are no larger than they may
 * be, and bytes that repeat are left to those who look for matches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libdeflate.h>

#include "store/huffman.h"

enum { ALWAYS = 0 };

static uint64_t seed = 1;

static uint32_t below(uint32_t n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % n);
}

/* Packs and unpacks; bytes it took. worth ALWAYS: it must be taken. */
static size_t round_trip(const uint8_t *planes, size_t n, size_t count, unsigned worth) {
    size_t all = n * count, most = 2 * all + 1024;
    uint8_t *packed = malloc(most), *back = malloc(all + 1);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    assert_true(packed && back && d);
    size_t got = hsc_huffman_pack(planes, n, count, worth == ALWAYS ? 1 : worth, 0, packed, most), given = 0;
    if (worth == ALWAYS)
        assert_int_not_equal(got, 0);
    if (got) {
        assert_int_equal(libdeflate_zlib_decompress(d, packed, got, back, all + 1, &given), LIBDEFLATE_SUCCESS);
        assert_int_equal(given, all);
        assert_memory_equal(back, planes, all);
        for (size_t few = got > 40 ? got - 40 : 0; few < got; few++) /* never beyond its room */
            assert_int_equal(hsc_huffman_pack(planes, n, count, 1, 0, packed, few), 0);
    }
    libdeflate_free_decompressor(d);
    free(packed);
    free(back);
    return got;
}

/* Bytes of every kind: equal ones, few and many different, runs of all lengths, codes as long as they get. */
static void any_bytes(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 7, 8, 9, 258, 259, 260, 261, 515, 516, 517, 518, 2048, 16384, 65535};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (unsigned kind = 0; kind < 12; kind++)
            for (size_t count = 1; count <= 4; count += 3) {
                size_t n = sizes[k];
                uint8_t *p = malloc(n * count);
                assert_non_null(p);
                uint32_t least = 1;
                for (size_t i = 0, left = 0; i < n * count; i++) {
                    bool constant = kind & 1 && i / n % 2;
                    switch (kind / 2) {
                    case 0:
                        p[i] = 7;
                        break;
                    case 1:
                        p[i] = (uint8_t)below(256);
                        break;
                    case 2:
                        p[i] = (uint8_t)(below(4) * 85);
                        break;
                    case 3: /* runs */
                        left = left ? left - 1 : below(600);
                        p[i] = left && i ? p[i - 1] : (uint8_t)below(256);
                        break;
                    case 4: /* each half as often as the one before: codes would be longer than 15 bits */
                        for (least = 0; least < 40 && below(2);)
                            least++;
                        p[i] = (uint8_t)least;
                        break;
                    default:
                        p[i] = (uint8_t)(i % 251);
                        break;
                    }
                    p[i] = constant ? 9 : p[i];
                }
                size_t got = round_trip(p, n, count, ALWAYS);
                assert_true(got <= n * count + n * count / 64 + 128);
                free(p);
            }
}

/* Fibonacci counts make the deepest tree that there is. */
static void deepest_codes(void **state) {
    (void)state;
    static uint8_t p[65535];
    size_t n = 0;
    for (unsigned s = 0, a = 1, b = 1; n + a <= sizeof p; s++) {
        for (unsigned i = 0; i < a; i++)
            p[n++] = (uint8_t)s;
        unsigned c = a + b;
        a = b;
        b = c;
    }
    for (size_t i = n; i-- > 1;) { /* no runs */
        size_t other = below((uint32_t)i + 1);
        uint8_t v = p[i];
        p[i] = p[other];
        p[other] = v;
    }
    assert_true(round_trip(p, n, 1, ALWAYS) < n / 2);
}

static void matches_are_left(void **state) {
    (void)state;
    static uint8_t noise[4 * 16384], again[4 * 16384];
    for (size_t i = 0; i < sizeof noise; i++) {
        noise[i] = i < sizeof noise / 2 ? (uint8_t)(below(16) * below(16)) : 0;
        again[i] = i < 1000 ? (uint8_t)below(256) : again[i - 1000];
    }
    size_t got = round_trip(noise, 16384, 4, 8);
    assert_int_not_equal(got, 0);
    assert_true(got < sizeof noise / 2);
    assert_int_equal(round_trip(again, 16384, 4, 8), 0);
    assert_int_equal(hsc_huffman_pack(noise, 65536, 1, 8, 0, again, sizeof again), 0); /* more than a block */
    assert_int_equal(hsc_huffman_pack(noise, 0, 4, 8, 0, again, sizeof again), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_bytes), cmocka_unit_test(deepest_codes),
                                       cmocka_unit_test(matches_are_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
