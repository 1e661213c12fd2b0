/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writer and reader: every record with edge values, full and unsealed chunks, versions, unknown records and fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../formats/stream_internal.h"
#include "fill.h"

static _Alignas(16) uint8_t slot[HSC_SLOT_BYTES];

static hsc_reader *open_bytes(const void *bytes, size_t n) {
    hsc_reader *r = NULL;
    hsc_err err = {0};
    if (hsc_reader_open_memory(bytes, n, "memory", &r, &err))
        fail_msg("%s", err.text);
    return r;
}

static void assert_clean(hsc_reader *r, uint64_t chunks, uint64_t records) {
    hsc_reader_counts c;
    hsc_reader_get_counts(r, &c);
    assert_string_equal(hsc_reader_get_first_problem(r), "");
    assert_int_equal(c.chunks, chunks);
    assert_int_equal(c.records, records);
    assert_int_equal(c.chunks_bad + c.bytes_skipped + c.records_bad + c.records_unknown, 0);
}

/* Known answers: the check value of CRC32C, published FNV-1a values; both CRC paths agree at all lengths and offsets. */
static void test_crc_and_hash(void **state) {
    (void)state;
    uint8_t b[300];
    assert_int_equal(hsc_crc32c(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(hsc_crc32c_portable(0, "123456789", 9), 0xe3069283u);
    assert_true(hsc_hash64(0, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(hsc_hash64(0, "foobar", 6) == 0x85944171f73967e8u);
    assert_true(hsc_hash64(hsc_hash64(0, "foo", 3), "bar", 3) == 0x85944171f73967e8u);
    for (size_t i = 0; i < sizeof b; i++)
        b[i] = (uint8_t)(i * 37 + 11);
    for (size_t from = 0; from < 9; from++)
        for (size_t n = 0; n + from < sizeof b; n++) {
            uint32_t whole = hsc_crc32c_portable(7, b + from, n);
            assert_int_equal(hsc_crc32c(7, b + from, n), whole);
            assert_int_equal(hsc_crc32c(hsc_crc32c(7, b + from, n / 3), b + from + n / 3, n - n / 3), whole);
        }
}

static void test_varints(void **state) {
    (void)state;
    uint8_t b[24];
    uint64_t v;
    memset(b, 0x85, sizeof b); /* what follows is not the number's */
    for (int bit = 0; bit < 64; bit++)
        for (int d = -1; d <= 1; d++) {
            uint64_t want = ((uint64_t)1 << bit) + (uint64_t)d;
            size_t n = (size_t)(hsc_uv_put(b, want) - b);
            assert_int_equal(n, hsc_uv_size(want));
            assert_ptr_equal(hsc_uv_get(b, b + n, &v), b + n);
            assert_true(v == want);
            assert_null(hsc_uv_get(b, b + n - 1, &v));
            for (size_t more = 0; more < 12; more++) { /* as much as is there behind it */
                v = ~want;
                assert_ptr_equal(hsc_uv_get_of(b, b + n, b + n + more, &v), b + n);
                assert_true(v == want);
                assert_true(n == 1 || !hsc_uv_get_of(b, b + n - 1, b + n - 1 + more, &v));
            }
            assert_true(hsc_unzigzag(hsc_zigzag(want)) == want);
        }
    assert_int_equal(hsc_zigzag((uint64_t)-1), 1);
    assert_int_equal(hsc_zigzag(1), 2);
    /* longer than needed: taken; beyond 64 bits or 10 bytes: not */
    assert_non_null(hsc_uv_get((const uint8_t *)"\x80\x00", (const uint8_t *)"\x80\x00" + 2, &v));
    memset(b, 0xff, 9);
    b[9] = 2;
    assert_null(hsc_uv_get(b, b + 10, &v));
    assert_null(hsc_uv_get_of(b, b + 10, b + sizeof b, &v));
    b[9] = 0x81;
    b[10] = 0;
    assert_null(hsc_uv_get(b, b + 11, &v));
    assert_null(hsc_uv_get_of(b, b + 11, b + sizeof b, &v));
}

static void test_every_record(void **state) {
    (void)state;
    size_t n_ids, n_seen = 0;
    const uint32_t *ids = hsc_record_ids(&n_ids);
    hsc_chunk_writer w;
    hsc_chunk_begin(&w, slot, sizeof slot, HSC_CHUNK_DYNAMIC, 3, 9, 12345, 2);
    for (int pattern = 0; pattern < FILL_PATTERNS; pattern++)
        for (size_t i = 0; i < n_ids; i++) {
            any_record r;
            fill_record(&r, ids[i], pattern);
            assert_int_equal(hsc_chunk_put(&w, ids[i], &r), HSC_OK);
        }
    /* read as it stands, then sealed, then sealed and cut to size */
    for (int round = 0; round < 3; round++) {
        uint32_t n = sizeof slot;
        if (round)
            n = hsc_chunk_seal(slot, round == 2);
        assert_int_equal(n, round < 2 ? sizeof slot : (64 + w.used_bytes + 7) / 8 * 8);
        hsc_reader *r = open_bytes(slot, n);
        hsc_record record;
        n_seen = 0;
        while (hsc_reader_next(r, &record)) {
            any_record want;
            const hsc_record_info *info = hsc_record_info_get(ids[n_seen % n_ids]);
            fill_record(&want, info->id, (int)(n_seen / n_ids));
            assert_int_equal(record.record_id, info->id);
            assert_string_equal(record.name, info->name);
            assert_int_equal(record.stream, 3);
            assert_int_equal(record.sequence, 9);
            assert_int_equal(record.lost_before, 2);
            assert_int_equal(record.chunk_kind, HSC_CHUNK_DYNAMIC);
            assert_int_equal(record.chunk_offset, 0);
            assert_int_equal(record.first_in_chunk, n_seen == 0);
            assert_non_null(record.value);
            assert_true(same_record(info, record.value, &want));
            n_seen++;
        }
        assert_int_equal(n_seen, n_ids * FILL_PATTERNS);
        assert_clean(r, 1, n_seen);
        hsc_reader_counts c;
        hsc_reader_get_counts(r, &c);
        assert_int_equal(c.chunks_unsealed, round == 0);
        hsc_reader_close(r);
    }
}

static void test_chunk_full(void **state) {
    (void)state;
    hsc_chunk_writer w;
    for (uint32_t bytes = 128; bytes <= 256; bytes += 8) {
        size_t n = 0, n_seen = 0;
        hsc_rec_sample s = {1000, 70000, 1};
        hsc_status status;
        memset(slot, 0xee, sizeof slot);
        hsc_chunk_begin(&w, slot, bytes, HSC_CHUNK_DYNAMIC, 1, 0, 0, 0);
        while (!(status = hsc_chunk_put(&w, HSC_REC_sample, &s))) {
            n++;
            s.time += 1000000;
            s.node_id += 3;
        }
        assert_int_equal(status, HSC_E_LIMIT);
        assert_true(w.used_bytes <= bytes - 64);
        assert_true(bytes - 64 - w.used_bytes < 12); /* no sample was refused that would have fitted */
        for (size_t i = bytes; i < sizeof slot; i++)
            assert_int_equal(slot[i], 0xee);
        hsc_reader *r = open_bytes(slot, bytes);
        hsc_record record;
        while (hsc_reader_next(r, &record)) {
            const hsc_rec_sample *got = record.value;
            assert_int_equal(got->time, 1000 + n_seen * 1000000);
            assert_int_equal(got->node_id, 70000 + n_seen * 3);
            n_seen++;
        }
        assert_int_equal(n_seen, n);
        assert_clean(r, 1, n);
        hsc_reader_close(r);
    }
}

/* The short way of a sample writes what the tables would, to the last byte that fits. */
static void test_samples_put_shortly(void **state) {
    (void)state;
    static _Alignas(16) uint8_t other[8192];
    hsc_chunk_writer a, b;
    uint64_t x = 88172645463325252u;
    hsc_chunk_begin(&a, slot, sizeof other, HSC_CHUNK_DYNAMIC, 1, 0, 1000, 0);
    hsc_chunk_begin(&b, other, sizeof other, HSC_CHUNK_DYNAMIC, 1, 0, 1000, 0);
    for (int i = 0;; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        hsc_rec_sample r = {i % 5 ? x >> (x & 63) : 0, x >> (x >> 6 & 63), i % 2 ? x >> (x >> 12 & 63) : 0};
        hsc_status status = hsc_chunk_put(&a, HSC_REC_sample, &r);
        assert_int_equal(hsc_chunk_put_sample(&b, &r), status);
        assert_int_equal(a.used_bytes, b.used_bytes);
        if (status) {
            assert_int_equal(status, HSC_E_LIMIT);
            break;
        }
        if (i % 3 == 0) { /* their deltas are of the same fields */
            hsc_rec_sample_weighted w = {r.time + 7, r.node_id + 3, 0, 2, 1};
            assert_int_equal(hsc_chunk_put(&a, HSC_REC_sample_weighted, &w), hsc_chunk_put(&b, HSC_REC_sample_weighted, &w));
        }
    }
    assert_memory_equal(slot, other, HSC_CHUNK_HEADER_BYTES + a.used_bytes);
}

/* Fields at the end of a record that are 0 or empty take no byte, and come back as they were; differences are to values that are there. */
static void test_empty_fields_left_out(void **state) {
    (void)state;
    static const hsc_rec_sample plain = {.time = 1001, .node_id = 1}, in_state = {.time = 1002, .node_id = 1, .state = 3}, no_node = {.time = 1003};
    static const hsc_rec_sample_weighted weighted = {.time = 1004, .weight = 2};
    static const hsc_rec_wait_interval wait = {.time = 1005, .duration_ns = 5, .node_id = 2, .kind = 1}, team = {.time = 1006, .team_threads = 4};
    static const hsc_rec_unmapping unmapping = {.time = 1006};
    static const hsc_rec_process process = {.host = {"h", 1}, .start_ns = 1006}, named = {.start_ns = 1006, .job = {"j", 1}};
    static const struct {
        uint32_t id, bytes; /* with length and id */
        const void *record;
        size_t size;
    } cases[] = {
#define CASE(name, value, bytes) {HSC_REC_##name, bytes, &(value), sizeof(value)}
        CASE(sample, plain, 4),     CASE(sample, in_state, 5),    CASE(sample, no_node, 3),      CASE(sample_weighted, weighted, 6),
        CASE(wait_interval, wait, 6), CASE(wait_interval, team, 15), CASE(unmapping, unmapping, 4), CASE(process, process, 13),
        CASE(process, named, 19),     CASE(sample, plain, 4),
#undef CASE
    };
    hsc_chunk_writer w;
    hsc_record record;
    hsc_chunk_begin(&w, slot, sizeof slot, HSC_CHUNK_DYNAMIC, 1, 0, 1000, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t before = w.used_bytes;
        assert_int_equal(hsc_chunk_put(&w, cases[i].id, cases[i].record), HSC_OK);
        assert_int_equal(w.used_bytes - before, cases[i].bytes);
    }
    hsc_reader *r = open_bytes(slot, sizeof slot);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(hsc_reader_next(r, &record));
        assert_int_equal(record.record_id, cases[i].id);
        if (cases[i].id == HSC_REC_process) { /* texts lie in the reader's memory */
            const hsc_rec_process *got = record.value, *want = cases[i].record;
            assert_int_equal(got->start_ns, want->start_ns);
            assert_int_equal(got->host.n, want->host.n);
            assert_int_equal(got->job.n, want->job.n);
            assert_int_equal(got->arguments.n, 0);
        } else
            assert_memory_equal(record.value, cases[i].record, cases[i].size);
    }
    assert_false(hsc_reader_next(r, &record));
    hsc_reader_close(r);
}

/* Samples and nodes as earlier writers wrote them, with a last field of 0, among those of today: the same, one by one and many at a time. */
static void test_empty_fields_written(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    static const uint8_t now[] = {4, HSC_REC_sample, 0x80, 1, 2}, earlier[] = {5, HSC_REC_sample, 0x80, 1, 2, 0};
    static const uint8_t node_now[] = {5, HSC_REC_node, 2, 2, 1, 8}, node_earlier[] = {6, HSC_REC_node, 2, 2, 1, 8, 0};
    for (int nodes = 0; nodes < 2; nodes++) {
        hsc_chunk_writer w;
        hsc_record record;
        hsc_rec_sample samples[7];
        hsc_rec_node list[7];
        hsc_chunk_begin(&w, slot, sizeof slot, HSC_CHUNK_DYNAMIC, 1, 0, 1000, 0);
        uint8_t *p = slot + HSC_CHUNK_HEADER_BYTES;
        for (uint32_t i = 0; i < COUNT; i++) {
            bool old = i * 7 % 11 < 5;
            size_t n = (nodes ? sizeof node_now : sizeof now) + old;
            memcpy(p, nodes ? (old ? node_earlier : node_now) : (old ? earlier : now), n);
            p += n;
        }
        hsc_set32(slot + HSC_AT_COMMITTED, (uint32_t)(p - slot - HSC_CHUNK_HEADER_BYTES));
        hsc_reader *r = open_bytes(slot, sizeof slot);
        uint64_t seen = 0, taken = 0, offset;
        while (hsc_reader_next(r, &record)) {
            const hsc_rec_sample *s = record.value;
            const hsc_rec_node *one = record.value;
            seen++;
            if (nodes)
                assert_true(one->node_id == seen && one->parent_id == seen && one->address == 4 * seen && !one->flags);
            else
                assert_true(s->time == 1000 + 64 * seen && s->node_id == seen && !s->state);
            size_t got = nodes ? hsc_reader_take_nodes(r, list, 7, UINT64_MAX, &offset) : hsc_reader_take_samples(r, samples, 7, UINT64_MAX, &offset);
            for (size_t i = 0; i < got; i++) {
                seen++;
                if (nodes)
                    assert_true(list[i].node_id == seen && list[i].address == 4 * seen && !list[i].flags);
                else
                    assert_true(samples[i].time == 1000 + 64 * seen && samples[i].node_id == seen && !samples[i].state);
            }
            taken += got;
        }
        assert_int_equal(seen, COUNT);
        assert_true(taken > COUNT * 3 / 4);
        hsc_reader_close(r);
    }
}

/* The same of nodes. */
static void test_nodes_taken(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    uint64_t seed = 7, address = 0, taken = 0;
    hsc_buffer_writer *w = hsc_buffer_writer_new(HSC_CHUNK_DYNAMIC, 1, true, NULL);
    for (uint64_t i = 1; i <= COUNT; i++) {
        uint64_t r = seed = seed * 6364136223846793005u + 1442695040888963407u;
        address = r >> 33 & 7 ? address + (r >> 40 & 0xfff) : (uint64_t)1 << (r >> 40 & 63);
        hsc_buffer_writer_put(w, HSC_REC_node, &(hsc_rec_node){.node_id = r >> 50 & 15 ? i : r, .parent_id = r % i, .mapping_id = r >> 20 & 3,
                                                               .address = address, .flags = r >> 60 ? r & 3 : r}, NULL);
        if (!(r >> 24 & 31))
            hsc_buffer_writer_put(w, HSC_REC_sample, &(hsc_rec_sample){.time = i, .node_id = i}, NULL);
    }
    const uint8_t *bytes;
    size_t n;
    assert_int_equal(hsc_buffer_writer_get_bytes(w, &bytes, &n, NULL), HSC_OK);
    hsc_reader *one = open_bytes(bytes, n), *many = open_bytes(bytes, n);
    hsc_record a, b;
    while (hsc_reader_next(many, &b)) {
        assert_true(hsc_reader_next(one, &a));
        assert_int_equal(a.record_id, b.record_id);
        assert_true(a.offset == b.offset);
        if (b.record_id != HSC_REC_node)
            continue;
        assert_memory_equal(a.value, b.value, sizeof(hsc_rec_node));
        hsc_rec_node list[5];
        uint64_t last = 0, limit = a.offset + 40 + a.offset % 50;
        size_t got = hsc_reader_take_nodes(many, list, 1 + a.offset % 5, limit, &last);
        assert_true(got <= 1 + a.offset % 5);
        taken += got;
        for (size_t i = 0; i < got; i++) {
            assert_true(hsc_reader_next(one, &a));
            assert_int_equal(a.record_id, HSC_REC_node);
            assert_true(a.offset <= limit);
            assert_memory_equal(a.value, &list[i], sizeof list[i]);
        }
        assert_true(!got || a.offset == last);
    }
    assert_false(hsc_reader_next(one, &a));
    assert_true(taken > COUNT / 4);
    hsc_reader_counts c, d;
    hsc_reader_get_counts(one, &c);
    hsc_reader_get_counts(many, &d);
    assert_memory_equal(&c, &d, sizeof c);
    hsc_reader_close(one);
    hsc_reader_close(many);
    hsc_buffer_writer_free(w);
}

/* Taken many at a time they are what next gives, one by one: numbers of all lengths, other records between, any number at a time. */
static void test_samples_taken(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    uint64_t seed = 5, node = 0, now = 0, taken = 0, passed = 0;
    hsc_buffer_writer *w = hsc_buffer_writer_new(HSC_CHUNK_DYNAMIC, 1, true, NULL);
    for (int i = 0; i < COUNT; i++) {
        uint64_t r = seed = seed * 6364136223846793005u + 1442695040888963407u, bits = r >> 40 & 63;
        now += r >> 58 ? 1000000 : ((uint64_t)1 << bits) - 1;
        node = r >> 33 & 7 ? (r >> 20 & 1023) : node + ((uint64_t)1 << bits);
        hsc_rec_sample s = {.time = now, .node_id = node, .state = r >> 50 & 15 ? r >> 36 & 3 : r};
        hsc_buffer_writer_put(w, HSC_REC_sample, &s, NULL);
        if (!(r >> 24 & 63))
            hsc_buffer_writer_put(w, HSC_REC_sample_weighted, &(hsc_rec_sample_weighted){.time = now, .node_id = 3, .weight = 2}, NULL);
    }
    const uint8_t *bytes;
    size_t n;
    assert_int_equal(hsc_buffer_writer_get_bytes(w, &bytes, &n, NULL), HSC_OK);
    hsc_reader *one = open_bytes(bytes, n), *many = open_bytes(bytes, n);
    hsc_record a, b;
    while (hsc_reader_next(many, &b)) {
        assert_true(hsc_reader_next(one, &a));
        assert_int_equal(a.record_id, b.record_id);
        assert_true(a.offset == b.offset);
        assert_memory_equal(a.value, b.value, a.record_id == HSC_REC_sample ? sizeof(hsc_rec_sample) : sizeof(hsc_rec_sample_weighted));
        if (b.record_id != HSC_REC_sample)
            continue;
        hsc_rec_sample list[7];
        uint64_t last = 0, limit = a.offset + 30 + a.offset % 50, latest = a.offset % 3 ? 0 : UINT64_MAX / 2, largest = latest;
        size_t got = a.offset % 2 ? hsc_reader_take_samples(many, list, 1 + a.offset % 7, limit, &last)
                                  : hsc_reader_pass_samples(many, 900, 1 + a.offset % 7, limit, &last, &latest);
        bool is_taken = a.offset % 2;
        assert_true(got <= 1 + a.offset % 7);
        taken += is_taken ? got : 0;
        passed += is_taken ? 0 : got;
        for (size_t i = 0; i < got; i++) {
            assert_true(hsc_reader_next(one, &a));
            assert_int_equal(a.record_id, HSC_REC_sample);
            assert_true(a.offset <= limit);
            const hsc_rec_sample *s = a.value;
            assert_true(!is_taken || !memcmp(s, &list[i], sizeof *s));
            assert_true(is_taken || s->node_id - 1 < 900);
            largest = !is_taken && s->time > largest ? s->time : largest;
        }
        assert_true(!got || a.offset == last);
        assert_true(latest == largest);
    }
    assert_false(hsc_reader_next(one, &a));
    assert_true(taken > COUNT / 8);
    assert_true(taken + passed > COUNT / 4 || !passed); /* none where the processor lacks what it takes */
    hsc_reader_counts c, d;
    hsc_reader_get_counts(one, &c);
    hsc_reader_get_counts(many, &d);
    assert_memory_equal(&c, &d, sizeof c);
    hsc_reader_close(one);
    hsc_reader_close(many);
    hsc_buffer_writer_free(w);
}

static void test_put_refuses(void **state) {
    (void)state;
    static char large[HSC_RECORD_MAX_BYTES + 1];
    hsc_chunk_writer w;
    hsc_rec_file f = {.file_id = 1, .path = {large, HSC_STRING_MAX_BYTES + 1}};
    hsc_chunk_begin(&w, slot, sizeof slot, HSC_CHUNK_STATIC, 0, 0, 0, 0);
    assert_int_equal(hsc_chunk_put(&w, HSC_REC_file, &f), HSC_E_ARGUMENT);
    f.path.n = HSC_STRING_MAX_BYTES;
    assert_int_equal(hsc_chunk_put(&w, HSC_REC_file, &f), HSC_E_LIMIT); /* allowed, but not in 64 KiB with the rest */
    f.path.n = 0;
    f.checksum = (hsc_bytes){(const uint8_t *)large, sizeof large};
    assert_int_equal(hsc_chunk_put(&w, HSC_REC_file, &f), HSC_E_ARGUMENT);
    assert_int_equal(hsc_chunk_put(&w, 63, &f), HSC_E_ARGUMENT);
    assert_int_equal(hsc_chunk_put(&w, UINT32_MAX, &f), HSC_E_ARGUMENT);
    assert_int_equal(w.used_bytes, 0);
    assert_int_equal(hsc_get32(slot + HSC_AT_COMMITTED), 0);
}

static void test_buffer_writer(void **state) {
    (void)state;
    static char large[HSC_STRING_MAX_BYTES];
    hsc_err err = {0};
    hsc_buffer_writer *b = hsc_buffer_writer_new(HSC_CHUNK_STATIC, 5, true, &err);
    const uint8_t *bytes;
    size_t size, n = 0;
    hsc_record record;
    assert_non_null(b);
    memset(large, 'y', sizeof large);
    for (uint64_t i = 1; i <= 20000; i++) {
        hsc_rec_file f = {.file_id = i, .path = {"a/b.c", 5}};
        if (i % 5000 == 0)
            f.path = (hsc_str){large, sizeof large};
        assert_int_equal(hsc_buffer_writer_put(b, HSC_REC_file, &f, &err), HSC_OK);
        if (i == 10000) /* may be asked for in between */
            assert_int_equal(hsc_buffer_writer_get_bytes(b, &bytes, &size, &err), HSC_OK);
    }
    hsc_rec_file bad = {.path = {large, HSC_STRING_MAX_BYTES + 1}};
    assert_int_equal(hsc_buffer_writer_put(b, HSC_REC_file, &bad, &err), HSC_E_ARGUMENT);
    assert_non_null(strstr(err.text, "file"));
    assert_int_equal(hsc_buffer_writer_get_bytes(b, &bytes, &size, &err), HSC_OK);
    hsc_reader *r = open_bytes(bytes, size);
    while (hsc_reader_next(r, &record)) {
        const hsc_rec_file *f = record.value;
        assert_int_equal(f->file_id, ++n);
        assert_int_equal(f->path.n, n % 5000 ? 5 : sizeof large);
    }
    assert_int_equal(n, 20000);
    hsc_reader_counts c;
    hsc_reader_get_counts(r, &c);
    assert_int_equal(c.chunks_bad + c.records_bad + c.bytes_skipped + c.chunks_unsealed, 0);
    hsc_reader_close(r);
    hsc_buffer_writer_free(b);
    hsc_buffer_writer_free(NULL);
}

/* Records in columns: the same ones come back, and damage inside what is deflated is refused or gives other records, never
 * more than there is. */
static void test_columns(void **state) {
    (void)state;
    hsc_err err = {0};
    hsc_buffer_writer *b = hsc_buffer_writer_new(HSC_CHUNK_STATIC, 7, false, &err);
    hsc_record record;
    const uint8_t *bytes;
    size_t size, n = 0, expected = 0;
    assert_non_null(b);
    hsc_buffer_writer_set_columns(b);
    for (int pattern = 0; pattern < FILL_PATTERNS; pattern++)
        for (uint32_t id = 1; id < 64; id++) {
            any_record r;
            if (!hsc_record_info_get(id))
                continue;
            fill_record(&r, id, pattern);
            assert_int_equal(hsc_buffer_writer_put(b, id, &r, &err), HSC_OK);
            expected++;
        }
    assert_int_equal(hsc_buffer_writer_get_bytes(b, &bytes, &size, &err), HSC_OK);
    assert_int_equal(hsc_get32(bytes + HSC_AT_FLAGS), HSC_FLAG_SEALED | HSC_FLAG_COLUMNS);
    for (int values_only = 0; values_only < 2; values_only++) {
        hsc_reader *r = open_bytes(bytes, size);
        if (values_only)
            hsc_reader_set_values_only(r);
        n = 0;
        for (int pattern = 0; pattern < FILL_PATTERNS; pattern++)
            for (uint32_t id = 1; id < 64; id++) {
                any_record expect;
                const hsc_record_info *info = hsc_record_info_get(id);
                if (!info)
                    continue;
                fill_record(&expect, id, pattern);
                assert_true(hsc_reader_next(r, &record));
                assert_int_equal(record.record_id, id);
                assert_int_equal(!record.payload.p, values_only);
                assert_true(same_record(info, &expect, record.value));
                n++;
            }
        assert_false(hsc_reader_next(r, &record));
        assert_int_equal(n, expected);
        hsc_reader_close(r);
    }

    uint32_t committed = hsc_get32(bytes + HSC_AT_COMMITTED);
    uint8_t *rows = NULL, *damaged = malloc(committed);
    size_t n_rows = 0;
    assert_non_null(damaged);
    assert_null(hsc_unpack(bytes + HSC_CHUNK_HEADER_BYTES, committed, &rows, &n_rows));
    free(rows);
    unsigned refused = 0;
    for (uint32_t i = 0; i < committed; i += 1 + committed / 2000) {
        memcpy(damaged, bytes + HSC_CHUNK_HEADER_BYTES, committed);
        damaged[i] ^= 0x55;
        if (hsc_unpack(damaged, committed, &rows, &n_rows))
            refused++;
        else
            free(rows);
        const char *why = hsc_unpack(damaged, i, &rows, &n_rows); /* cut off */
        assert_non_null(why);
    }
    assert_true(refused > 0);
    free(damaged);
    hsc_buffer_writer_free(b);
}

/* What linkers do: pieces with and without schema, padded to 8 or 16, one behind the other. */
static void test_concatenated(void **state) {
    (void)state;
    uint8_t *all = NULL;
    size_t n_all = 0, n = 0;
    hsc_err err = {0};
    hsc_record record;
    for (uint64_t i = 0; i < 40; i++) {
        hsc_buffer_writer *b = hsc_buffer_writer_new(HSC_CHUNK_STATIC, 0, i % 4 == 1, &err);
        hsc_rec_module m = {.module_tag = i, .name = {"unit", 4}};
        hsc_rec_module_end e = {.module_tag = i};
        const uint8_t *bytes;
        size_t size;
        assert_int_equal(hsc_buffer_writer_put(b, HSC_REC_module, &m, &err), HSC_OK);
        assert_int_equal(hsc_buffer_writer_put(b, HSC_REC_module_end, &e, &err), HSC_OK);
        assert_int_equal(hsc_buffer_writer_get_bytes(b, &bytes, &size, &err), HSC_OK);
        size_t padded = i % 3 ? (size + 15) / 16 * 16 : size;
        all = realloc(all, n_all + padded);
        memcpy(all + n_all, bytes, size);
        memset(all + n_all + size, 0, padded - size);
        n_all += padded;
        hsc_buffer_writer_free(b);
    }
    hsc_reader *r = open_bytes(all, n_all);
    while (hsc_reader_next(r, &record)) {
        const hsc_rec_module *m = record.value;
        assert_int_equal(record.record_id, n % 2 ? HSC_REC_module_end : HSC_REC_module);
        assert_int_equal(m->module_tag, n / 2); /* the first field of both */
        n++;
    }
    assert_int_equal(n, 80);
    assert_clean(r, 50, 80);
    hsc_reader_close(r);
    free(all);
}

/* ---- other schemas -------------------------------------------------------------------------------------------------- */

/* Text of a stream with the schema lines and record lines given, parsed to bytes. */
static size_t from_text(const char *schema, const char *records, uint8_t **bytes) {
    char text[8192];
    size_t n;
    hsc_err err = {0};
    snprintf(text, sizeof text,
             "heatscope-text 1\n@chunk schema stream=0 sequence=0 t0=0 lost=0 slot=packed sealed schema=00000000000000aa\n%s\n"
             "@chunk dynamic stream=1 sequence=0 t0=50 lost=0 slot=packed sealed schema=00000000000000aa\n%s\n",
             schema, records);
    if (hsc_text_parse(text, strlen(text), "text", bytes, &n, &err))
        fail_msg("%s", err.text);
    return n;
}

/* A newer writer: fields we do not know in the middle of what we know, records we do not know, a newer minor version. */
static void test_newer_schema(void **state) {
    (void)state;
    uint8_t *bytes;
    hsc_record record;
    size_t n = from_text("record sample id=70 version=2 meaning=\"\"\n field time type=T unit=\"\" semantic=\"\" meaning=\"\"\n"
                         " field cpu type=U unit=\"\" semantic=\"\" meaning=\"\"\n field where type=AS unit=\"\" semantic=\"\" meaning=\"\"\n"
                         " field node_id type=D unit=\"\" semantic=\"\" meaning=\"\"\n field state type=U unit=\"\" semantic=\"\" meaning=\"\"\n"
                         "record spark id=900 version=1 meaning=\"\"\n field time type=T unit=\"\" semantic=\"\" meaning=\"\"\n"
                         " field weight type=F unit=\"\" semantic=\"\" meaning=\"\"\n",
                         "sample time=100 cpu=3 where=[\"a\",\"b\"] node_id=7 state=1\nspark time=200 weight=2.5\n"
                         "@unknown id=33 payload=<0102>\nsample time=300 cpu=4 where=[] node_id=9 state=2\n",
                         &bytes);
    for (size_t at = 0; at < n; at += hsc_get32(bytes + at + HSC_AT_SLOT)) {
        bytes[at + HSC_AT_MINOR] = 99;
        hsc_set32(bytes + at + HSC_AT_HEADER_CRC, hsc_wire_header_crc(bytes + at));
    }
    hsc_reader *r = open_bytes(bytes, n);
    assert_true(hsc_reader_next(r, &record));
    const hsc_rec_sample *s = record.value;
    assert_int_equal(s->time, 100);
    assert_int_equal(s->node_id, 7);
    assert_int_equal(s->state, 1);
    assert_int_equal(record.layout->n_fields, 5);
    assert_string_equal(record.layout->fields[2].name, "where");
    const hsc_strs *where = (const void *)((const char *)record.data + record.layout->fields[2].offset);
    assert_int_equal(where->n, 2);
    assert_memory_equal(where->p[1].p, "b", 1);
    assert_true(hsc_reader_next(r, &record));
    assert_int_equal(record.record_id, 900);
    assert_string_equal(record.name, "spark");
    assert_null(record.value);
    assert_non_null(record.layout);
    assert_true(hsc_reader_next(r, &record));
    assert_int_equal(record.record_id, 33);
    assert_null(record.value);
    assert_null(record.layout);
    assert_int_equal(record.payload.n, 2);
    assert_true(hsc_reader_next(r, &record));
    s = record.value;
    assert_int_equal(s->time, 300); /* the chain went on through the record we do not know */
    assert_int_equal(s->node_id, 9);
    assert_false(hsc_reader_next(r, &record));
    hsc_reader_counts c;
    hsc_reader_get_counts(r, &c);
    assert_int_equal(c.records_unknown, 1);
    assert_int_equal(c.records_bad + c.chunks_bad, 0);
    hsc_reader_close(r);
    free(bytes);
}

/* An older writer: a record without its newest fields; and one whose field of the same name has another type. */
static void test_older_schema(void **state) {
    (void)state;
    uint8_t *bytes;
    hsc_record record;
    size_t n = from_text("record sample id=70 version=1 meaning=\"\"\n field node_id type=U unit=\"\" semantic=\"\" meaning=\"\"\n"
                         " field time type=T unit=\"\" semantic=\"\" meaning=\"\"\nrecord other id=68 version=1 meaning=\"\"\n"
                         " field thread_id type=U unit=\"\" semantic=\"\" meaning=\"\"\n",
                         "sample node_id=7 time=100\nother thread_id=4\n", &bytes);
    hsc_reader *r = open_bytes(bytes, n);
    assert_true(hsc_reader_next(r, &record));
    const hsc_rec_sample *s = record.value;
    assert_int_equal(s->time, 100);
    assert_int_equal(s->node_id, 0); /* a U there, a D here: not ours */
    assert_int_equal(s->state, 0);
    assert_true(hsc_reader_next(r, &record));
    assert_int_equal(record.record_id, 68);
    assert_null(record.value); /* the number of our thread record, but something else */
    assert_clean(r, 2, 2);
    assert_false(hsc_reader_next(r, &record));
    hsc_reader_close(r);
    free(bytes);
}

/* A record that ends early or goes on behind what is known. */
static void test_short_and_long_records(void **state) {
    (void)state;
    static const uint8_t payload[] = {
        4, 70, 20, 6, 1,    /* sample: time + 10, node 3, state 1 */
        2, 70, 20,          /* time + 10, no more */
        1, 70,              /* nothing at all */
        6, 70, 20, 2, 1, 99, 98, /* two bytes more */
    };
    hsc_chunk_writer w;
    hsc_record record;
    hsc_chunk_begin(&w, slot, 4096, HSC_CHUNK_DYNAMIC, 1, 0, 1000, 0);
    memcpy(slot + 64, payload, sizeof payload);
    hsc_set32(slot + HSC_AT_COMMITTED, sizeof payload);
    hsc_reader *r = open_bytes(slot, hsc_chunk_seal(slot, true));
    static const uint64_t want[4][3] = {{1010, 3, 1}, {1020, 0, 0}, {0, 0, 0}, {1030, 4, 1}};
    for (int i = 0; i < 4; i++) {
        assert_true(hsc_reader_next(r, &record));
        const hsc_rec_sample *s = record.value;
        assert_int_equal(s->time, want[i][0]);
        assert_int_equal(s->node_id, want[i][1]);
        assert_int_equal(s->state, want[i][2]);
    }
    assert_false(hsc_reader_next(r, &record));
    assert_clean(r, 1, 4);
    hsc_reader_close(r);
}

static void test_newer_major(void **state) {
    (void)state;
    hsc_chunk_writer w;
    hsc_reader *r = NULL;
    hsc_err err = {0};
    hsc_record record;
    hsc_rec_sample s = {1, 2, 3};
    for (int i = 0; i < 2; i++) {
        hsc_chunk_begin(&w, slot + i * 128, 128, HSC_CHUNK_DYNAMIC, 1, (uint32_t)i, 0, 0);
        hsc_chunk_put(&w, HSC_REC_sample, &s);
        hsc_chunk_seal(slot + i * 128, false);
    }
    slot[HSC_AT_MAJOR] = 2;
    hsc_set32(slot + HSC_AT_HEADER_CRC, hsc_wire_header_crc(slot));
    assert_int_equal(hsc_reader_open_memory(slot, 128, "new.hsr", &r, &err), HSC_E_VERSION);
    assert_null(r);
    assert_non_null(strstr(err.text, "new.hsr"));
    r = open_bytes(slot, 256); /* beside chunks of ours: skipped, and said so */
    assert_true(hsc_reader_next(r, &record));
    assert_int_equal(record.sequence, 1);
    assert_false(hsc_reader_next(r, &record));
    hsc_reader_counts c;
    hsc_reader_get_counts(r, &c);
    assert_int_equal(c.chunks_bad, 1);
    assert_int_equal(c.bytes_skipped, 128);
    assert_non_null(strstr(hsc_reader_get_first_problem(r), "version 2.0"));
    hsc_reader_close(r);
}

static bool want_stream_2(void *ctx, hsc_chunk_kind kind, uint32_t stream) {
    ++*(int *)ctx;
    return kind == HSC_CHUNK_DYNAMIC && stream == 2;
}

static void test_filter(void **state) {
    (void)state;
    hsc_chunk_writer w;
    hsc_rec_sample s = {1, 2, 3};
    hsc_record record;
    int asked = 0, n = 0;
    for (uint32_t i = 0; i < 6; i++) {
        hsc_chunk_begin(&w, slot + i * 128, 128, i == 5 ? HSC_CHUNK_STATIC : HSC_CHUNK_DYNAMIC, i % 3, i, 0, 0);
        hsc_chunk_put(&w, HSC_REC_sample, &s);
    }
    hsc_reader *r = open_bytes(slot, 6 * 128);
    hsc_reader_set_filter(r, want_stream_2, &asked);
    while (hsc_reader_next(r, &record)) {
        assert_int_equal(record.stream, 2);
        n++;
    }
    assert_int_equal(n, 1);
    assert_int_equal(asked, 6);
    hsc_reader_close(r);
}

static size_t samples_of_file(const char *path, uint64_t *facts) {
    hsc_reader *r = NULL;
    hsc_record record;
    hsc_err err = {0};
    size_t n = 0;
    assert_int_equal(hsc_reader_open(path, &r, &err), HSC_OK);
    if (*facts == hsc_reader_get_facts(r))
        hsc_reader_set_checked(r);
    *facts = hsc_reader_get_facts(r);
    while (hsc_reader_next(r, &record))
        n++;
    hsc_reader_close(r);
    return n;
}

/* A sealed chunk with a byte that is not as it was sealed: nothing is taken of it, but by who is told that it was looked at before. What was looked at is not the same
 * after somebody wrote to it. */
static void test_checked(void **state) {
    (void)state;
    hsc_chunk_writer w;
    hsc_rec_sample s = {1, 2, 3};
    uint64_t facts = 0, before;
    char path[] = "/tmp/heatscope-checked-XXXXXX";
    int fd = mkstemp(path);
    hsc_chunk_begin(&w, slot, 128, HSC_CHUNK_DYNAMIC, 1, 0, 0, 0);
    hsc_chunk_put(&w, HSC_REC_sample, &s);
    hsc_chunk_seal(slot, false);
    slot[HSC_CHUNK_HEADER_BYTES + hsc_get32(slot + HSC_AT_COMMITTED) - 1] ^= 1;
    assert_true(fd >= 0 && write(fd, slot, 128) == 128);
    assert_int_equal(samples_of_file(path, &facts), 0);
    assert_int_not_equal(before = facts, 0);
    assert_int_equal(samples_of_file(path, &facts), 1);
    assert_int_equal(facts, before);
    assert_true(write(fd, slot, 128) == 128);
    assert_int_equal(samples_of_file(path, &facts), 0);
    assert_int_not_equal(facts, before);
    hsc_reader *r = open_bytes(slot, 128);
    assert_int_equal(hsc_reader_get_facts(r), 0);
    hsc_reader_close(r);
    close(fd);
    unlink(path);
}

/* Nothing to read: one clear line. */
static void test_nothing_there(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        const char *hint;
    } cases[] = {{"", 0, "empty"},
                 {"hello world, this is no stream at all, not one byte of it, no no no no", 70, "68 65 6c 6c 6f"},
                 {"\x7f" "ELF\2\1\1", 7, "an ELF file"},
                 {"\x89HDF\r\n\x1a\n", 8, "an HDF5 file"},
                 {"\x89HSR\r\n\x1a\n damaged header", 24, "damaged chunk header"},
                 {"\x89HSR\n\x1a\n", 7, "text-mode"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hsc_reader *r = NULL;
        hsc_err err = {0};
        assert_int_equal(hsc_reader_open_memory(cases[i].bytes, cases[i].n, "x.hsr", &r, &err), HSC_E_FORMAT);
        assert_null(r);
        assert_non_null(strstr(err.text, cases[i].hint));
        assert_null(strchr(err.text, '\n'));
    }
    hsc_reader *r = NULL;
    hsc_err err = {0};
    assert_int_equal(hsc_reader_open("/nonexistent/file", &r, &err), HSC_E_IO);
    assert_true(err.sys_errno);
    hsc_err_clear(&err);
    assert_int_equal(hsc_reader_open("/", &r, &err), HSC_E_IO);
    hsc_err_clear(&err);
    assert_int_equal(hsc_reader_open("/dev/null", &r, &err), HSC_E_FORMAT);
    assert_null(r);
}

/* A file on disk that has a hole, grows and shrinks while it is read. */
static void test_changing_file(void **state) {
    (void)state;
    char path[] = "stream_test_XXXXXX";
    int fd = mkstemp(path);
    hsc_chunk_writer w;
    hsc_rec_sample s = {1, 2, 3};
    hsc_err err = {0};
    hsc_record record;
    hsc_reader *r;
    const off_t far = (off_t)1 << 33; /* 8 GiB of hole */
    assert_true(fd >= 0);
    for (int i = 0; i < 4; i++) {
        hsc_chunk_begin(&w, slot, sizeof slot, HSC_CHUNK_DYNAMIC, 1, (uint32_t)i, 0, 0);
        hsc_chunk_put(&w, HSC_REC_sample, &s);
        assert_int_equal(pwrite(fd, slot, sizeof slot, i < 3 ? i * (off_t)sizeof slot : far), sizeof slot);
        if (i == 2) {
            assert_int_equal(hsc_reader_open(path, &r, &err), HSC_OK);
            assert_true(hsc_reader_next(r, &record));
        }
    }
    /* grown since: read up to the size at open */
    int n = 1;
    while (hsc_reader_next(r, &record))
        n++;
    assert_int_equal(n, 3);
    assert_clean(r, 3, 3);
    hsc_reader_close(r);
    /* the hole costs nothing and counts as padding */
    assert_int_equal(hsc_reader_open(path, &r, &err), HSC_OK);
    for (n = 0; hsc_reader_next(r, &record); n++)
        assert_int_equal(record.sequence, n);
    assert_int_equal(n, 4);
    assert_clean(r, 4, 4);
    hsc_reader_close(r);
    /* shrunk since */
    assert_int_equal(hsc_reader_open(path, &r, &err), HSC_OK);
    assert_int_equal(ftruncate(fd, 100), 0);
    n = 0;
    while (hsc_reader_next(r, &record))
        n++;
    hsc_reader_counts c;
    hsc_reader_get_counts(r, &c);
    assert_true(c.chunks_bad);
    hsc_reader_close(r);
    close(fd);
    unlink(path);
}

static void test_errors(void **state) {
    (void)state;
    hsc_err err = {0};
    assert_int_equal(hsc_err_set(&err, HSC_E_LIMIT, "first %d\nline", 1), HSC_E_LIMIT);
    assert_int_equal(hsc_err_set(&err, HSC_E_IO, "second"), HSC_E_IO);
    assert_int_equal(err.status, HSC_E_LIMIT);
    assert_string_equal(err.text, "first 1?line");
    hsc_err_clear(&err);
    assert_int_equal(hsc_err_set_errno(&err, 2, "%0600d", 1), HSC_E_IO); /* longer than the struct */
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(hsc_err_set(NULL, HSC_E_IO, "nobody listens"), HSC_E_IO);
    assert_string_equal(hsc_status_text(HSC_E_MEMORY), "out of memory");
    assert_non_null(hsc_status_text((hsc_status)99));
    assert_string_equal(hsc_enum_text("state", HSC_state_WAITING), "waiting");
    assert_null(hsc_enum_text("state", 99));
    assert_null(hsc_enum_text("nothing", 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc_and_hash),     cmocka_unit_test(test_varints),
        cmocka_unit_test(test_every_record),     cmocka_unit_test(test_chunk_full),
        cmocka_unit_test(test_samples_put_shortly), cmocka_unit_test(test_samples_taken),
        cmocka_unit_test(test_nodes_taken),
        cmocka_unit_test(test_empty_fields_left_out), cmocka_unit_test(test_empty_fields_written),
        cmocka_unit_test(test_put_refuses),      cmocka_unit_test(test_buffer_writer), cmocka_unit_test(test_columns),
        cmocka_unit_test(test_concatenated),     cmocka_unit_test(test_newer_schema),
        cmocka_unit_test(test_older_schema),     cmocka_unit_test(test_short_and_long_records),
        cmocka_unit_test(test_newer_major),      cmocka_unit_test(test_filter), cmocka_unit_test(test_checked),
        cmocka_unit_test(test_nothing_there),    cmocka_unit_test(test_changing_file),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
