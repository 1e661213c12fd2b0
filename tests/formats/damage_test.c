/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Damaged and hostile streams: a flipped bit costs one chunk, a cut the rest, and mutants with right checksums nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../formats/wire.h"
#include "fill.h"

#define CHUNKS 5u
#define SLOT 512u

static _Alignas(16) uint8_t stream[CHUNKS * SLOT];

/* Five sealed chunks; the samples of chunk i have state i + 1 (one of 0 would take a byte less). Returns the samples of one chunk. */
static size_t make_stream(void) {
    size_t n = 0;
    memset(stream, 0, sizeof stream);
    for (uint32_t i = 0; i < CHUNKS; i++) {
        hsc_chunk_writer w;
        hsc_rec_sample s = {1000, 5, i + 1};
        hsc_chunk_begin(&w, stream + i * SLOT, SLOT, HSC_CHUNK_DYNAMIC, 1, i, 0, 0);
        for (n = 0; !hsc_chunk_put(&w, HSC_REC_sample, &s); n++)
            s.time += 1000000;
        hsc_chunk_seal(stream + i * SLOT, false);
    }
    return n;
}

typedef struct outcome {
    size_t records[CHUNKS]; /* by chunk */
    size_t other;           /* records that were never written */
    hsc_reader_counts counts;
} outcome;

static void read_all(const void *bytes, size_t n, outcome *out) {
    hsc_reader *r = NULL;
    hsc_record record;
    memset(out, 0, sizeof *out);
    if (hsc_reader_open_memory(bytes, n, "damaged", &r, NULL))
        return;
    while (hsc_reader_next(r, &record)) {
        const hsc_rec_sample *s = record.value;
        if (record.record_id == HSC_REC_sample && s->state - 1 < CHUNKS && s->node_id == 5)
            out->records[s->state - 1]++;
        else
            out->other++;
    }
    hsc_reader_get_counts(r, &out->counts);
    assert_int_equal(out->counts.chunks_bad == 0 && out->counts.records_bad == 0,
                     hsc_reader_get_first_problem(r)[0] == 0);
    hsc_reader_close(r);
}

/* Every bit of header and payload of the middle chunk, one at a time. */
static void test_every_bit(void **state) {
    (void)state;
    size_t n = make_stream();
    uint8_t *middle = stream + 2 * SLOT;
    uint32_t end = 64 + hsc_get32(middle + HSC_AT_COMMITTED);
    for (uint32_t bit = 0; bit < end * 8; bit++) {
        outcome o;
        middle[bit / 8] ^= (uint8_t)(1u << bit % 8);
        read_all(stream, sizeof stream, &o);
        /* with a larger slot it is as one that was being shrunk: the CRC says what it is */
        bool mended = hsc_get32(middle + HSC_AT_SLOT) > SLOT && (end + 7) / 8 * 8 == SLOT;
        middle[bit / 8] ^= (uint8_t)(1u << bit % 8);
        for (uint32_t i = 0; i < CHUNKS; i++)
            assert_int_equal(o.records[i], i == 2 && !mended ? 0 : n);
        assert_int_equal(o.other, 0);
        assert_int_equal(o.counts.chunks, mended ? CHUNKS : CHUNKS - 1);
        assert_int_equal(o.counts.chunks_bad, !mended);
        assert_int_equal(o.counts.bytes_skipped, mended ? 0 : SLOT);
    }
}

/* Cut off at every length: all chunks whose payload is whole survive. */
static void test_every_length(void **state) {
    (void)state;
    size_t n = make_stream();
    for (size_t length = 0; length <= sizeof stream; length++) {
        outcome o;
        read_all(stream, length, &o);
        for (uint32_t i = 0; i < CHUNKS; i++) {
            size_t needed = i * SLOT + 64 + hsc_get32(stream + i * SLOT + HSC_AT_COMMITTED);
            assert_int_equal(o.records[i], length >= needed ? n : 0);
        }
        assert_int_equal(o.other, 0);
    }
}

/* Zeroed and overwritten stretches, also over the border of two chunks. */
static void test_stretches(void **state) {
    (void)state;
    size_t n = make_stream();
    uint8_t saved[sizeof stream];
    memcpy(saved, stream, sizeof stream);
    for (int fill = 0; fill < 256; fill += 255)
        for (size_t from = 0; from < sizeof stream; from += 40)
            for (size_t length = 8; length <= 700 && from + length <= sizeof stream; length += 172) {
                outcome o;
                memset(stream + from, fill, length);
                read_all(stream, sizeof stream, &o);
                for (uint32_t i = 0; i < CHUNKS; i++) {
                    const uint8_t *now = stream + i * SLOT, *before = saved + i * SLOT;
                    bool touched = memcmp(now, before, 64 + hsc_get32(before + HSC_AT_COMMITTED)) != 0;
                    /* where just CRC and flags became zero, the chunk is an open one */
                    bool reopened = !hsc_get64(now + HSC_AT_PAYLOAD_CRC) && !memcmp(now, before, HSC_AT_PAYLOAD_CRC) &&
                                    !memcmp(now + HSC_AT_T0, before + HSC_AT_T0, SLOT - HSC_AT_T0);
                    assert_int_equal(o.records[i], touched && !reopened ? 0 : n);
                }
                assert_int_equal(o.other, 0);
                memcpy(stream, saved, sizeof stream);
            }
}

/* Bytes of any kind before, between and behind chunks, chunks still 8-aligned. */
static void test_rubbish_between(void **state) {
    (void)state;
    size_t n = make_stream(), at = 0;
    uint8_t b[CHUNKS * SLOT + 6 * 104];
    for (uint32_t i = 0; i <= CHUNKS; i++) {
        memset(b + at, 0x5a + (int)i, 104);
        at += 104;
        if (i < CHUNKS)
            memcpy(b + at, stream + i * SLOT, SLOT);
        at += i < CHUNKS ? SLOT : 0;
    }
    outcome o;
    read_all(b, at, &o);
    for (uint32_t i = 0; i < CHUNKS; i++)
        assert_int_equal(o.records[i], n);
    assert_int_equal(o.counts.chunks, CHUNKS);
    assert_int_equal(o.counts.chunks_bad, CHUNKS + 1);
    assert_int_equal(o.counts.bytes_skipped, 6 * 104);
}

/* A record that cannot be decoded costs the rest of its chunk. */
static void test_bad_record(void **state) {
    (void)state;
    static const struct {
        uint8_t bytes[12];
        size_t n;
    } bad[] = {
        {{0}, 1},                                        /* length 0 */
        {{200, 1}, 2},                                   /* longer than the chunk */
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 10}, /* no number */
        {{3, 70, 0x80, 0x80}, 4},                        /* a field goes on behind the record */
        {{3, 2, 1, 9}, 4},                               /* a string does */
        {{6, 0xff, 0xff, 0xff, 0xff, 0x7f, 0}, 7},       /* id beyond 32 bits */
        {{9, 67, 0, 0, 0, 1, 2, 3, 4, 5}, 10},           /* a double is cut off */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        hsc_chunk_writer w;
        hsc_rec_sample s = {1000, 5, 1};
        outcome o;
        memset(stream, 0, sizeof stream);
        hsc_chunk_begin(&w, stream, SLOT, HSC_CHUNK_DYNAMIC, 1, 0, 0, 0);
        hsc_chunk_put(&w, HSC_REC_sample, &s);
        hsc_chunk_put(&w, HSC_REC_sample, &s);
        memcpy(stream + 64 + w.used_bytes, bad[i].bytes, bad[i].n);
        hsc_set32(stream + HSC_AT_COMMITTED, w.used_bytes + (uint32_t)bad[i].n);
        hsc_chunk_seal(stream, false);
        hsc_chunk_begin(&w, stream + SLOT, SLOT, HSC_CHUNK_DYNAMIC, 1, 1, 0, 0);
        hsc_chunk_put(&w, HSC_REC_sample, &s);
        read_all(stream, 2 * SLOT, &o);
        assert_int_equal(o.records[0], 3);
        assert_int_equal(o.other, 0);
        assert_int_equal(o.counts.records_bad, 1);
        assert_int_equal(o.counts.chunks, 2);
        assert_int_equal(o.counts.bytes_skipped, bad[i].n);
    }
}

static uint64_t random_state;

static uint32_t random_below(uint32_t n) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

static void fix_checksums(uint8_t *bytes, size_t n) {
    for (size_t at = 0; at + 64 <= n;) {
        uint32_t slot = hsc_get32(bytes + at + HSC_AT_SLOT), committed = hsc_get32(bytes + at + HSC_AT_COMMITTED);
        hsc_set32(bytes + at + HSC_AT_HEADER_CRC, hsc_wire_header_crc(bytes + at));
        if (committed <= n - at - 64 && bytes[at + HSC_AT_FLAGS] == 1)
            hsc_set32(bytes + at + HSC_AT_PAYLOAD_CRC, hsc_crc32c(0, bytes + at + 64, committed));
        if (slot < 64 || slot > n - at)
            return;
        at += slot;
    }
}

static hsc_status count_text(void *ctx, const char *text, size_t n, hsc_err *err) {
    (void)err;
    *(size_t *)ctx += n;
    for (size_t i = 0; i < n; i++) /* nothing that a terminal obeys */
        if ((unsigned char)text[i] < 0x20)
            assert_int_equal(text[i], '\n');
    return HSC_OK;
}

/* Changed bytes with checksums made right again reach every decoder, schema chunks included. Run with sanitizers. */
static void test_mutants(void **state) {
    (void)state;
    uint8_t *original, *mutant;
    size_t n, n_text = 0;
    uint64_t n_records = 0, n_bad = 0;
    fill_stream(&original, &n);
    mutant = malloc(n);
    random_state = 20240229;
    for (int round = 0; round < 1500; round++) {
        hsc_reader *r = NULL;
        memcpy(mutant, original, n);
        for (uint32_t k = 1 + random_below(6); k; k--) {
            uint32_t at = random_below(round % 3 ? (uint32_t)n : 10000); /* every third: the schema */
            mutant[at] = random_below(2) ? (uint8_t)random_below(256) : mutant[at] ^ (uint8_t)(1u << random_below(8));
        }
        fix_checksums(mutant, n);
        if (hsc_reader_open_memory(mutant, n, "mutant", &r, NULL))
            continue;
        if (round % 10 == 0)
            assert_int_equal(hsc_text_dump(r, count_text, &n_text, NULL), HSC_OK);
        else {
            hsc_record record;
            while (hsc_reader_next(r, &record))
                ;
        }
        hsc_reader_counts c;
        hsc_reader_get_counts(r, &c);
        n_records += c.records;
        n_bad += c.records_bad + c.chunks_bad;
        hsc_reader_close(r);
    }
    assert_true(n_records > 100000); /* the mutants were mostly readable, and many were noticed */
    assert_true(n_bad > 300);
    assert_true(n_text);
    free(mutant);
    free(original);
}

/* Many records, chunks and descriptors in little space must not take long or much: run with the time limit of ctest. */
static void test_dense(void **state) {
    (void)state;
    size_t n = 8u << 20;
    uint8_t *bytes = calloc(1, n);
    hsc_chunk_writer w;
    outcome o;
    for (size_t at = 0; at < n / 2; at += 64) { /* empty chunks */
        hsc_chunk_begin(&w, bytes + at, 64, HSC_CHUNK_DYNAMIC, 1, 0, 0, 0);
        hsc_chunk_seal(bytes + at, false);
    }
    hsc_chunk_begin(&w, bytes + n / 2, (uint32_t)n / 2, HSC_CHUNK_DYNAMIC, 1, 0, 0, 0);
    for (size_t i = n / 2 + 64; i + 2 <= n; i += 2) { /* records of nothing but an id */
        bytes[i] = 1;
        bytes[i + 1] = 70;
    }
    hsc_set32(bytes + n / 2 + HSC_AT_COMMITTED, (uint32_t)n / 2 - 64);
    hsc_chunk_seal(bytes + n / 2, false);
    read_all(bytes, n, &o);
    assert_int_equal(o.counts.chunks, n / 2 / 64 + 1);
    assert_int_equal(o.counts.records, (n / 2 - 64) / 2);
    /* a magic every 8 bytes, no header of them right */
    for (size_t i = 0; i < n; i += 8)
        memcpy(bytes + i, HSC_MAGIC_BYTES, 8);
    read_all(bytes, n, &o);
    assert_int_equal(o.counts.chunks, 0);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_bit),       cmocka_unit_test(test_every_length), cmocka_unit_test(test_stretches),
        cmocka_unit_test(test_rubbish_between), cmocka_unit_test(test_bad_record),   cmocka_unit_test(test_mutants),
        cmocka_unit_test(test_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
