/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every allocation made to fail in turn: an error or a counted loss, never a crash, never a leak (run with sanitizers).
 * Linked with --wrap for malloc, calloc, realloc and strdup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fill.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);

static long countdown = -1; /* allocations until the one that fails; -1: none does */
static bool failed;

static bool fails(void) {
    if (countdown < 0 || countdown--)
        return false;
    failed = true;
    return true;
}

void *__wrap_malloc(size_t n) {
    return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size) {
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n) {
    return fails() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s) {
    return fails() ? NULL : __real_strdup(s);
}

static uint8_t *stream;
static size_t stream_size;
static size_t stream_records;
static char *stream_text;
static size_t stream_text_size;

typedef hsc_status (*attempt)(hsc_err *err);

static hsc_status read_stream(hsc_err *err) {
    hsc_reader *r = NULL;
    hsc_record record;
    hsc_reader_counts c;
    size_t n = 0;
    hsc_status status = hsc_reader_open_memory(stream, stream_size, "x", &r, err);
    if (status) {
        assert_null(r);
        return status;
    }
    while (hsc_reader_next(r, &record))
        n++;
    hsc_reader_get_counts(r, &c);
    if (n < stream_records) { /* an array had no memory: that is counted and said */
        assert_true(c.records_bad);
        assert_non_null(strstr(hsc_reader_get_first_problem(r), "out of memory"));
        status = HSC_E_MEMORY;
    }
    hsc_reader_close(r);
    return status;
}

static hsc_status read_file(hsc_err *err) {
    hsc_reader *r = NULL;
    hsc_record record;
    hsc_reader_counts c;
    size_t n = 0;
    hsc_status status = hsc_reader_open("memory_test.hsr", &r, err);
    if (status)
        return status;
    while (hsc_reader_next(r, &record))
        n++;
    hsc_reader_get_counts(r, &c);
    if (n < stream_records) {
        assert_true(c.records_bad || c.chunks_bad);
        status = HSC_E_MEMORY;
    }
    hsc_reader_close(r);
    return status;
}

static hsc_status write_buffer(hsc_err *err) {
    const uint8_t *bytes;
    size_t size;
    hsc_buffer_writer *b = hsc_buffer_writer_new(HSC_CHUNK_STATIC, 0, true, err);
    hsc_status status = b ? HSC_OK : HSC_E_MEMORY;
    for (int i = 0; !status && i < 2000; i++) {
        any_record r;
        fill_record(&r, HSC_REC_procedure, i % FILL_PATTERNS);
        status = hsc_buffer_writer_put(b, HSC_REC_procedure, &r, err);
    }
    if (!status)
        status = hsc_buffer_writer_get_bytes(b, &bytes, &size, err);
    hsc_buffer_writer_free(b);
    return status;
}

static hsc_status parse_text(hsc_err *err) {
    uint8_t *bytes = NULL;
    size_t size;
    hsc_status status = hsc_text_parse(stream_text, stream_text_size, "x", &bytes, &size, err);
    assert_int_equal(status == HSC_OK, bytes != NULL);
    free(bytes);
    return status;
}

static hsc_status keep(void *ctx, const char *piece, size_t n, hsc_err *err) {
    (void)ctx, (void)err;
    memcpy(stream_text + stream_text_size, piece, n);
    stream_text_size += n;
    return HSC_OK;
}

static hsc_status write_file(hsc_err *err) {
    return hsc_file_write_atomic("memory_test.hsr", stream, stream_size, err);
}

static void fail_each(attempt run) {
    for (long n = 0;; n++) {
        hsc_err err = {0};
        failed = false;
        countdown = n;
        hsc_status status = run(&err);
        countdown = -1;
        if (!failed) {
            assert_int_equal(status, HSC_OK);
            assert_true(n > 0);
            return;
        }
        /* what could go on without it may be well */
        if (status && status != HSC_E_MEMORY)
            fail_msg("allocation %ld: status %d, '%s'", n, (int)status, err.text);
        assert_null(strchr(err.text, '\n'));
    }
}

static void test_write_file(void **state) {
    (void)state;
    fail_each(write_file);
}

static void test_read_memory(void **state) {
    (void)state;
    fail_each(read_stream);
}

static void test_read_file(void **state) {
    (void)state;
    fail_each(read_file);
}

static void test_buffer(void **state) {
    (void)state;
    fail_each(write_buffer);
}

static void test_text(void **state) {
    (void)state;
    hsc_reader *r;
    stream_text = malloc(16u << 20);
    assert_int_equal(hsc_reader_open_memory(stream, stream_size, "x", &r, NULL), HSC_OK);
    assert_int_equal(hsc_text_dump(r, keep, NULL, NULL), HSC_OK);
    hsc_reader_close(r);
    fail_each(parse_text);
    free(stream_text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_write_file), cmocka_unit_test(test_read_memory),
                                       cmocka_unit_test(test_read_file), cmocka_unit_test(test_buffer),
                                       cmocka_unit_test(test_text)};
    stream_records = fill_stream(&stream, &stream_size);
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    free(stream);
    return code;
}
