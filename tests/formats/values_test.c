/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers of the map from either side: constants, polynomials, iterations; recorded ones by time and thread; what is not
 * known is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <heatscope/formats/values.h>

enum { CONSTANT = 1, N, ITERATION, SUM, TYPE, CYCLE, LINE, K, BOTH, M };

static hsc_values *values;

static void take(uint32_t id, uint32_t stream, const void *record) {
    hsc_record r = {.record_id = id, .name = "test", .stream = stream, .value = record};
    hsc_err err = {0};
    assert_int_equal(hsc_values_take(values, &r, &err), HSC_OK);
}

static hsc_str str(const char *s) {
    return (hsc_str){s, strlen(s)};
}

static int setup(void **state) {
    (void)state;
    /* 7; n; iteration of loop 5; 10 - 3 n + 2 n i; MPI_DOUBLE; a value that contains itself; 1 - 2 n; k; n + k; m,
     * recorded nowhere */
    const uint64_t terms[] = {5, 1, N, 4, 2, N, ITERATION}, own[] = {2, 1, CYCLE}, line[] = {3, 1, N}, both[] = {2, 1, N, 2, 1, K};
    const hsc_rec_value list[] = {
        {.value_id = CONSTANT, .kind = HSC_value_kind_CONSTANT, .number = -7, .text = str("-7")},
        {.value_id = N, .kind = HSC_value_kind_SYMBOL, .symbolic_id = 1, .text = str("n")},
        {.value_id = ITERATION, .kind = HSC_value_kind_ITERATION, .loop_id = 5, .text = str("i")},
        {.value_id = SUM, .kind = HSC_value_kind_POLYNOMIAL, .number = 10, .terms = {terms, 7}, .text = str("...")},
        {.value_id = TYPE, .kind = HSC_value_kind_HANDLE, .text = str("MPI_DOUBLE")},
        {.value_id = CYCLE, .kind = HSC_value_kind_POLYNOMIAL, .terms = {own, 3}, .text = str("cycle")},
        {.value_id = LINE, .kind = HSC_value_kind_POLYNOMIAL, .number = 1, .terms = {line, 3}, .text = str("1 - 2*n")},
        {.value_id = K, .kind = HSC_value_kind_SYMBOL, .symbolic_id = 2, .text = str("k")},
        {.value_id = BOTH, .kind = HSC_value_kind_POLYNOMIAL, .terms = {both, 6}, .text = str("n + k")},
        {.value_id = M, .kind = HSC_value_kind_SYMBOL, .text = str("m")}};
    hsc_err err = {0};
    assert_int_equal(hsc_values_new(&values, &err), HSC_OK);
    for (int twice = 0; twice < 2; twice++) { /* as in a library and the program: the second one changes nothing */
        take(HSC_REC_module, 0, &(hsc_rec_module){.module_tag = 99});
        for (size_t i = 0; i < sizeof list / sizeof *list; i++)
            take(HSC_REC_value, 0, &list[i]);
        take(HSC_REC_symbolic, 0, &(hsc_rec_symbolic){.symbolic_id = 1, .tag = 1234, .value_id = N});
        take(HSC_REC_symbolic, 0, &(hsc_rec_symbolic){.symbolic_id = 2, .tag = 1235, .value_id = K});
        take(HSC_REC_module_end, 0, &(hsc_rec_module_end){.module_tag = 99});
    }
    take(HSC_REC_symbolic_place, 0, &(hsc_rec_symbolic_place){.number = 3, .module_tag = 99, .tag = 1234});
    take(HSC_REC_symbolic_place, 0, &(hsc_rec_symbolic_place){.number = 4, .module_tag = 99, .tag = 1235});
    for (int64_t k = 1; k <= 2; k++)
        take(HSC_REC_symbolic_value, 1, &(hsc_rec_symbolic_value){.time = 100 + (uint64_t)k, .number = 4, .value = k});
    const struct {
        uint64_t time;
        uint32_t stream;
        int64_t value;
    } run[] = {{200, 1, 20}, {100, 1, 10}, {150, 2, 15}, {300, 2, 30}, {300, 2, 31}};
    for (size_t i = 0; i < sizeof run / sizeof *run; i++)
        take(HSC_REC_symbolic_value, run[i].stream,
             &(hsc_rec_symbolic_value){.time = run[i].time, .number = 3, .value = run[i].value});
    return 0;
}

static int teardown(void **state) {
    (void)state;
    hsc_values_free(values);
    return 0;
}

static bool iteration_4(void *ctx, uint64_t module_tag, uint64_t loop_id, int64_t *out) {
    (void)ctx;
    *out = 4;
    return module_tag == 99 && loop_id == 5;
}

static hsc_status get(uint64_t id, uint64_t time, uint32_t stream, int64_t *out, hsc_value_source *source) {
    hsc_value_when when = {.time_ns = time, .stream = stream, .iteration = iteration_4};
    hsc_err err = {0};
    hsc_status status = hsc_values_get(values, 99, id, &when, out, source, &err);
    assert_int_equal(err.status, status);
    return status;
}

static void test_static(void **state) {
    (void)state;
    int64_t out = 0;
    hsc_value_source source = HSC_VALUE_DYNAMIC;
    assert_int_equal(get(CONSTANT, 0, 1, &out, &source), HSC_OK);
    assert_int_equal(out, -7);
    assert_int_equal(source, HSC_VALUE_STATIC);
    assert_int_equal(get(ITERATION, 0, 1, &out, &source), HSC_OK);
    assert_int_equal(out, 4);
    assert_string_equal(hsc_values_get_text(values, 99, TYPE), "MPI_DOUBLE");
    assert_string_equal(hsc_values_get_text(values, 99, 0), "?");
    assert_null(hsc_values_get_text(values, 99, M + 1));
}

static void test_dynamic(void **state) {
    (void)state;
    static const struct {
        uint64_t time;
        uint32_t stream;
        int64_t n; /* -1: not recorded by then */
    } cases[] = {{99, 1, -1},  {100, 1, 10}, {199, 1, 10}, {200, 1, 20},          {UINT64_MAX, 1, 20},
                 {149, 2, -1}, {299, 2, 15}, {300, 2, 31}, {UINT64_MAX, 3, -1},   {120, HSC_VALUE_ANY_STREAM, 10},
                 {160, HSC_VALUE_ANY_STREAM, 15},          {UINT64_MAX, HSC_VALUE_ANY_STREAM, 31}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t out = -5;
        hsc_value_source source = HSC_VALUE_STATIC;
        hsc_status expected = cases[i].n < 0 ? HSC_E_MISSING : HSC_OK;
        assert_int_equal(get(N, cases[i].time, cases[i].stream, &out, &source), expected);
        assert_int_equal(out, cases[i].n < 0 ? -5 : cases[i].n);
        assert_int_equal(source, cases[i].n < 0 ? HSC_VALUE_STATIC : HSC_VALUE_DYNAMIC);
        assert_int_equal(get(SUM, cases[i].time, cases[i].stream, &out, NULL), expected);
        assert_int_equal(out, cases[i].n < 0 ? -5 : 10 - 3 * cases[i].n + 2 * cases[i].n * 4);
    }
}

/* What a number was all through the run, each value once; of polynomials as of their one part that changed. */
static void test_all(void **state) {
    (void)state;
    static const int64_t n_values[] = {10, 15, 20, 30, 31};
    int64_t *list = NULL;
    size_t n = 0;
    hsc_err err = {0};
    assert_int_equal(hsc_values_get_all(values, 99, N, &list, &n, &err), HSC_OK);
    assert_int_equal(n, 5);
    assert_memory_equal(list, n_values, sizeof n_values);
    free(list);
    assert_int_equal(hsc_values_get_all(values, 99, LINE, &list, &n, &err), HSC_OK);
    assert_int_equal(n, 5);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(list[i], 1 - 2 * n_values[4 - i]);
    free(list);
    assert_int_equal(hsc_values_get_all(values, 99, CONSTANT, &list, &n, &err), HSC_OK);
    assert_int_equal(n, 1);
    assert_int_equal(list[0], -7);
    free(list);
    assert_int_equal(hsc_values_get_all(values, 99, K, &list, &n, &err), HSC_OK);
    assert_int_equal(n, 2);
    free(list);
    assert_int_equal(hsc_values_get_all(values, 99, BOTH, &list, &n, &err), HSC_OK); /* n + k: both changed */
    assert_int_equal(n, 0);
    assert_null(list);
    assert_int_equal(hsc_values_get_all(values, 99, M, &list, &n, &err), HSC_E_MISSING);
    err = (hsc_err){0};
    assert_int_equal(hsc_values_get_all(values, 99, CYCLE, &list, &n, &err), HSC_E_LIMIT);
    err = (hsc_err){0};
    assert_int_equal(hsc_values_get_all(values, 98, N, &list, &n, &err), HSC_E_ARGUMENT);
}

static void test_unknown(void **state) {
    (void)state;
    int64_t out = -5;
    hsc_err err = {0};
    assert_int_equal(get(TYPE, 0, 1, &out, NULL), HSC_E_MISSING);
    assert_int_equal(get(M, UINT64_MAX, 1, &out, NULL), HSC_E_MISSING);
    assert_int_equal(get(CYCLE, 0, 1, &out, NULL), HSC_E_LIMIT);
    assert_int_equal(get(0, 0, 1, &out, NULL), HSC_E_ARGUMENT);
    assert_int_equal(get(M + 1, 0, 1, &out, NULL), HSC_E_ARGUMENT);
    assert_int_equal(hsc_values_get(values, 98, N, NULL, &out, NULL, &err), HSC_E_ARGUMENT);
    err = (hsc_err){0};
    assert_int_equal(hsc_values_get(values, 99, ITERATION, NULL, &out, NULL, &err), HSC_E_MISSING);
    assert_int_equal(out, -5);
    hsc_record wrong = {.record_id = HSC_REC_value, .name = "value", .value = &(hsc_rec_value){.value_id = 2}};
    take(HSC_REC_module, 0, &(hsc_rec_module){.module_tag = 100});
    err = (hsc_err){0};
    assert_int_equal(hsc_values_take(values, &wrong, &err), HSC_E_FORMAT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_static, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dynamic, setup, teardown),
        cmocka_unit_test_setup_teardown(test_all, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
