/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mpi/request.c where threads of a process begin operations that the library completes at once, all with one handle: what one thread
 * completes is found, although another has its operation in the table and has not filled it yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mpi/mpi.h"

#define hsc_rt_map pages
static void *pages(size_t size) {
    return calloc(1, size);
}
#include "mpi/request.c"

hsc_mpi_library hsc_mpi_lib = {.multiple = true, .ready = true};

enum { HANDLE = 4711, OTHER = 4712 };

static hsc_mpi_request *begin(uint64_t key, uint32_t thread, bool persistent) {
    hsc_mpi_request *r = hsc_mpi_request_new(key, false, 0);
    assert_non_null(r);
    assert_false(r->active);
    r->thread_id = thread;
    r->persistent = persistent;
    hsc_mpi_request_begun(r);
    return r;
}

static uint32_t take(uint64_t key) { /* of which thread; 0: none */
    hsc_mpi_request *r;
    uint32_t which;
    if (!hsc_mpi_request_take(&key, 1, &r, &which))
        return 0;
    uint32_t thread = r->thread_id;
    assert_int_equal(which, 0);
    assert_false(r->active);
    hsc_mpi_request_give(&r, 1);
    return thread;
}

static void test_one_being_filled(void **state) {
    (void)state;
    hsc_mpi_request *slow = hsc_mpi_request_new(HANDLE, false, 0); /* its thread lost its processor here */
    for (int i = 0; i < 100; i++) {
        begin(HANDLE, 2, false);
        begin(HANDLE, 3, false);
        uint64_t keys[] = {HANDLE, OTHER};
        assert_int_equal(hsc_mpi_request_count(keys, 2), 1);
        assert_int_equal(hsc_mpi_request_get(HANDLE)->thread_id, 2);
        assert_int_equal(take(HANDLE), 2);
        assert_int_equal(take(HANDLE), 3);
        assert_int_equal(take(HANDLE), 0);
    }
    slow->thread_id = 1;
    slow->persistent = false;
    hsc_mpi_request_begun(slow);
    assert_int_equal(take(HANDLE), 1);
    assert_null(hsc_mpi_request_get(HANDLE));
}

static void test_several_of_one_handle(void **state) {
    (void)state;
    for (uint32_t i = 1; i <= 600; i++)
        begin(HANDLE, i, false);
    uint64_t keys[] = {HANDLE, OTHER, HANDLE};
    hsc_mpi_request *r[3];
    uint32_t which[3];
    assert_int_equal(hsc_mpi_request_take(keys, 3, r, which), 2);
    assert_int_equal(which[1], 2);
    hsc_mpi_request_give(r, 2);
    for (uint32_t i = 3; i <= 600; i++)
        assert_int_equal(take(HANDLE), i);
    assert_int_equal(take(HANDLE), 0);
}

static void test_persistent(void **state) {
    (void)state;
    hsc_mpi_request *r = begin(OTHER, 7, true);
    assert_false(r->active);
    assert_int_equal(take(OTHER), 0);
    r->active = true;
    assert_int_equal(take(OTHER), 7);
    assert_ptr_equal(hsc_mpi_request_get(OTHER), r);
    hsc_mpi_request_end(r);
    assert_null(hsc_mpi_request_get(OTHER));
}

static unsigned asked;
static uint64_t in_c(int32_t fortran) {
    asked++;
    return 1000u + (uint32_t)fortran;
}

/* Fortran's handles: the library is asked once, when the request begins, and for what is not known; 0 is the one that is none. */
static void test_fortran(void **state) {
    (void)state;
    const int32_t handles[] = {5, 0, 6, 5 + 4096, 7};
    uint64_t keys[5];
    hsc_mpi_lib.Request_f2c = in_c;
    hsc_mpi_request_keys(handles, 5, keys);
    assert_int_equal(asked, 4);
    assert_int_equal(keys[0], 1005);
    assert_int_equal(keys[1], 0);
    hsc_mpi_request *five = hsc_mpi_request_new(2005, false, 5), *seven = hsc_mpi_request_new(2007, false, 7);
    five->persistent = false;
    seven->persistent = true;
    hsc_mpi_request_begun(five);
    for (int round = 0; round < 3; round++) {
        asked = 0;
        hsc_mpi_request_keys(handles, 5, keys);
        assert_int_equal(asked, 2);
        assert_int_equal(keys[0], 2005);
        assert_int_equal(keys[3], 1005 + 4096); /* another one, though in the same place */
        assert_int_equal(keys[4], 2007);
    }
    hsc_mpi_request *r;
    uint32_t which;
    assert_int_equal(hsc_mpi_request_take(keys, 1, &r, &which), 1);
    hsc_mpi_request_give(&r, 1);
    hsc_mpi_request_keys(handles, 5, keys);
    assert_int_equal(keys[0], 1005); /* it has ended: what has its handle now is not known */
    assert_int_equal(keys[4], 2007);
    hsc_mpi_request *again = hsc_mpi_request_new(3005, false, 5);
    hsc_mpi_request_keys(handles, 1, keys);
    assert_int_equal(keys[0], 3005);
    hsc_mpi_request_end(again);
    hsc_mpi_request_end(seven);
    asked = 0;
    hsc_mpi_request_keys(handles, 5, keys);
    assert_int_equal(asked, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_being_filled), cmocka_unit_test(test_several_of_one_handle),
                                       cmocka_unit_test(test_persistent), cmocka_unit_test(test_fortran)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
