/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text form: loss-free both ways, and one clear line for text that is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../formats/stream_internal.h"
#include "fill.h"

typedef struct text {
    char *p;
    size_t n;
} text;

static hsc_status keep(void *ctx, const char *piece, size_t n, hsc_err *err) {
    text *t = ctx;
    (void)err;
    t->p = realloc(t->p, t->n + n + 1);
    memcpy(t->p + t->n, piece, n);
    t->n += n;
    t->p[t->n] = 0;
    return HSC_OK;
}

static text dump(const void *bytes, size_t n) {
    text t = {0};
    hsc_reader *r = NULL;
    hsc_err err = {0};
    if (hsc_reader_open_memory(bytes, n, "x", &r, &err) || hsc_text_dump(r, keep, &t, &err))
        fail_msg("%s", err.text);
    hsc_reader_close(r);
    return t;
}

/* Our own streams come back byte for byte, but for what lies in the slack. */
static void test_round_trip(void **state) {
    (void)state;
    uint8_t *bytes, *again;
    size_t n, n_again, n_records = fill_stream(&bytes, &n), n_seen = 0;
    hsc_err err = {0};
    text first = dump(bytes, n);
    assert_int_equal(hsc_text_parse(first.p, first.n, "x", &again, &n_again, &err), HSC_OK);
    assert_int_equal(n_again, n);
    assert_memory_equal(again, bytes, n);
    text second = dump(again, n_again);
    assert_string_equal(first.p, second.p);
    hsc_reader *r[2];
    hsc_record record[2];
    assert_int_equal(hsc_reader_open_memory(bytes, n, "x", &r[0], &err), HSC_OK);
    assert_int_equal(hsc_reader_open_memory(again, n_again, "x", &r[1], &err), HSC_OK);
    while (hsc_reader_next(r[0], &record[0])) {
        assert_true(hsc_reader_next(r[1], &record[1]));
        assert_int_equal(record[0].record_id, record[1].record_id);
        assert_true(same_record(record[0].layout, record[0].data, record[1].data));
        n_seen++;
    }
    assert_false(hsc_reader_next(r[1], &record[1]));
    assert_int_equal(n_seen, n_records);
    hsc_reader_close(r[0]);
    hsc_reader_close(r[1]);
    free(first.p);
    free(second.p);
    free(bytes);
    free(again);
}

#define HEAD "heatscope-text 1\n"
#define DYNAMIC "@chunk dynamic stream=1 sequence=0 t0=0 lost=0 slot=packed sealed schema=0000000000000000\n"
#define SCHEMA "@chunk schema stream=0 sequence=0 t0=0 lost=0 slot=packed sealed schema=00000000000000aa\n"

/* Text as people write it. */
static void test_free_form(void **state) {
    (void)state;
    static const char written[] = HEAD "# a comment\r\n\n  \t\n" DYNAMIC
                                       "  sample   state=0x2(no such name)  node_id=3 time=7\r\nsample\n"
                                       "process rank=-5 arguments=[\"a\",\"\\x00\\\"\"] host=\"h\"\nevent period=1e3\n"
                                       "event period=-inf\nevent period=nan:fff8000000000001\nevent period=.5";
    uint8_t *bytes;
    size_t n;
    hsc_err err = {0};
    hsc_reader *r;
    hsc_record record;
    assert_int_equal(hsc_text_parse(written, sizeof written - 1, "x", &bytes, &n, &err), HSC_OK);
    assert_int_equal(hsc_reader_open_memory(bytes, n, "x", &r, &err), HSC_OK);
    assert_true(hsc_reader_next(r, &record));
    const hsc_rec_sample *s = record.value;
    assert_int_equal(s->time, 7);
    assert_int_equal(s->node_id, 3);
    assert_int_equal(s->state, 2);
    assert_true(hsc_reader_next(r, &record));
    s = record.value;
    assert_int_equal(s->time, 0);
    assert_true(hsc_reader_next(r, &record));
    const hsc_rec_process *p = record.value;
    assert_int_equal(p->rank, -5);
    assert_int_equal(p->arguments.n, 2);
    assert_int_equal(p->arguments.p[1].n, 2);
    assert_memory_equal(p->arguments.p[1].p, "\0\"", 2);
    static const uint64_t floats[] = {0x408f400000000000u, 0xfff0000000000000u, 0xfff8000000000001u, 0x3fe0000000000000u};
    for (int i = 0; i < 4; i++) {
        assert_true(hsc_reader_next(r, &record));
        assert_memory_equal(&((const hsc_rec_event *)record.value)->period, &floats[i], 8);
    }
    hsc_reader_close(r);
    free(bytes);
}

/* Wrong text: the status, the line and a word of the message. */
static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        hsc_status status;
        const char *where, *what;
    } cases[] = {
        {"", HSC_E_FORMAT, "x: line 0", "empty"},
        {"hello\n", HSC_E_FORMAT, "line 1", "heatscope-text"},
        {"heatscope-text 2\n", HSC_E_VERSION, "line 1", "expected version 1, got 2"},
        {"heatscope-text 1 x\n", HSC_E_FORMAT, "line 1", "'x'"},
        {HEAD "sample time=1\n", HSC_E_FORMAT, "line 2", "@chunk"},
        {HEAD "@chunk dynamic stream=1\n", HSC_E_FORMAT, "line 2", "sequence="},
        {HEAD "@chunk curious stream=1\n", HSC_E_FORMAT, "line 2", "kind of chunk"},
        {HEAD "@chunk kind70000 stream=1\n", HSC_E_FORMAT, "line 2", "at most 65535"},
        {HEAD "@chunk dynamic stream=1 sequence=0 t0=0 lost=0 slot=100 sealed schema=0000000000000000\n", HSC_E_FORMAT,
         "line 2", "multiple of 8"},
        {HEAD "@chunk dynamic stream=1 sequence=0 t0=0 lost=0 slot=80 shut schema=0000000000000000\n", HSC_E_FORMAT,
         "line 2", "sealed or open, got 'shut'"},
        {HEAD "@chunk dynamic stream=1 sequence=0 t0=0 lost=0 slot=80 sealed schema=123\n", HSC_E_FORMAT, "line 2", "16"},
        {HEAD DYNAMIC "nonsense a=1\n", HSC_E_FORMAT, "line 3", "got 'nonsense'"},
        {HEAD DYNAMIC "sample size=1\n", HSC_E_FORMAT, "line 3", "field of this record, got 'size=1'"},
        {HEAD DYNAMIC "sample time\n", HSC_E_FORMAT, "line 3", "FIELD=VALUE"},
        {HEAD DYNAMIC "sample time=\n", HSC_E_FORMAT, "line 3", "a number, got the end of the line"},
        {HEAD DYNAMIC "sample time=-1\n", HSC_E_FORMAT, "line 3", "got '-1'"},
        {HEAD DYNAMIC "sample time=1 time=1\n", HSC_E_FORMAT, "line 3", "twice"},
        {HEAD DYNAMIC "sample time=18446744073709551616\n", HSC_E_FORMAT, "line 3", "at most 18446744073709551615"},
        {HEAD DYNAMIC "sample time=1node_id=2\n", HSC_E_FORMAT, "line 3", "a space after a value"},
        {HEAD DYNAMIC "sample state=1(open\n", HSC_E_FORMAT, "line 3", "')'"},
        {HEAD DYNAMIC "process rank=9223372036854775808\n", HSC_E_FORMAT, "line 3", "at most"},
        {HEAD DYNAMIC "process host=name\n", HSC_E_FORMAT, "line 3", "double quotes"},
        {HEAD DYNAMIC "process host=\"name\n", HSC_E_FORMAT, "line 3", "closing quote"},
        {HEAD DYNAMIC "process host=\"\\q\"\n", HSC_E_FORMAT, "line 3", "backslash"},
        {HEAD DYNAMIC "process host=\"\\x1\"\n", HSC_E_FORMAT, "line 3", "hexadecimal"},
        {HEAD DYNAMIC "process arguments=[\"a\";\"b\"]\n", HSC_E_FORMAT, "line 3", "',' or ']'"},
        {HEAD DYNAMIC "event period=fast\n", HSC_E_FORMAT, "line 3", "floating"},
        {HEAD DYNAMIC "event period=nan\n", HSC_E_FORMAT, "line 3", "floating"},
        {HEAD DYNAMIC "event period=nan:0000000000000000\n", HSC_E_FORMAT, "line 3", "nan:"},
        {HEAD DYNAMIC "mapping build_id=<123>\n", HSC_E_FORMAT, "line 3", "even number"},
        {HEAD DYNAMIC "@unknown id=70 payload=<00>\n", HSC_E_FORMAT, "line 3", "in the schema"},
        {HEAD SCHEMA "sample time=1\n", HSC_E_FORMAT, "line 3", "record, field"},
        {HEAD SCHEMA "record 5 id=5\n", HSC_E_FORMAT, "line 3", "name"},
        {HEAD SCHEMA "record a id=5 version=1 meaning=\"\"\nfield b type=Q\n", HSC_E_FORMAT, "line 4", "types"},
        {HEAD SCHEMA "record a id=5 version=1 meaning=\"\"\nrecord b id=5 version=1 meaning=\"\"\n", HSC_E_FORMAT, "line 4",
         "twice"},
        {HEAD SCHEMA "record a id=5 version=1 meaning=\"\\x00\"\n", HSC_E_FORMAT, "line 3", "NUL"},
        {HEAD SCHEMA "enum e\n", HSC_E_FORMAT, "line 3", "no values"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t *bytes = NULL;
        size_t n = 0;
        hsc_err err = {0};
        hsc_status status = hsc_text_parse(cases[i].text, strlen(cases[i].text), "x", &bytes, &n, &err);
        if (status != cases[i].status || !strstr(err.text, cases[i].where) || !strstr(err.text, cases[i].what))
            fail_msg("case %zu: status %d, text '%s'", i, (int)status, err.text);
        assert_null(bytes);
    }
}

static void test_limits(void **state) {
    (void)state;
    uint8_t *bytes = NULL;
    size_t n = 0, size = 9u << 20;
    hsc_err err = {0};
    char *t = malloc(size);
    /* few letters, much output */
    static const char wide[] = HEAD "@chunk dynamic stream=1 sequence=0 t0=0 lost=0 slot=67108864 open schema=0000000000000000\n";
    assert_int_equal(hsc_text_parse_limited(wide, strlen(wide), "x", 1 << 20, &bytes, &n, &err), HSC_E_LIMIT);
    hsc_err_clear(&err);
    /* a long string, a long line */
    int used = snprintf(t, size, "%s%sprocess host=\"", HEAD, DYNAMIC);
    memset(t + used, 'a', HSC_STRING_MAX_BYTES + 1);
    t[used + (int)HSC_STRING_MAX_BYTES + 1] = '"';
    assert_int_equal(hsc_text_parse(t, (size_t)used + HSC_STRING_MAX_BYTES + 2, "x", &bytes, &n, &err), HSC_E_LIMIT);
    assert_non_null(strstr(err.text, "65537 bytes"));
    hsc_err_clear(&err);
    memset(t + used, 'a', size - (size_t)used);
    assert_int_equal(hsc_text_parse(t, size, "x", &bytes, &n, &err), HSC_E_LIMIT);
    hsc_err_clear(&err);
    /* a record above 1 MiB */
    used = snprintf(t, size, "%s%s mapping build_id=<", HEAD, DYNAMIC);
    memset(t + used, '0', 2 * HSC_RECORD_MAX_BYTES);
    t[used + 2 * (int)HSC_RECORD_MAX_BYTES] = '>';
    assert_int_equal(hsc_text_parse(t, (size_t)used + 2 * HSC_RECORD_MAX_BYTES + 1, "x", &bytes, &n, &err), HSC_E_LIMIT);
    assert_null(bytes);
    free(t);
}

static hsc_status refuse(void *ctx, const char *piece, size_t n, hsc_err *err) {
    (void)ctx, (void)piece, (void)n;
    return hsc_err_set(err, HSC_E_IO, "full");
}

static void test_sink_fails(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t n;
    hsc_err err = {0};
    hsc_reader *r;
    fill_stream(&bytes, &n);
    assert_int_equal(hsc_reader_open_memory(bytes, n, "x", &r, &err), HSC_OK);
    assert_int_equal(hsc_text_dump(r, refuse, NULL, &err), HSC_E_IO);
    assert_string_equal(err.text, "full");
    assert_int_equal(hsc_text_dump_schema(r, refuse, NULL, &err), HSC_E_IO);
    hsc_reader_close(r);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_free_form), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limits),     cmocka_unit_test(test_sink_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
