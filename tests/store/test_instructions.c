/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queries of machine code against the arrays that were written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "model.h"
#include "schema.h"

#define C(column, ctype, row) (((ctype *)m->columns[HSC_COL_##column])[row])
#define OK(call)                                \
    do {                                        \
        hsc_err err = {0};                      \
        if ((call) != HSC_OK)                   \
            fail_msg("%s: %s", #call, err.text); \
    } while (0)

static void code_is_found(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "instructions.%ld.h5", (long)getpid());
    model *m = model_new(11, false);
    hsc_db *db;
    OK(model_write(m, path, 1, 1 << 20, &err));
    OK(hsc_db_open(path, &db, &err));
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    assert_int_equal(info.code_parts, 5);
    assert_int_equal(info.instructions, 50);
    for (uint32_t i = 0; i < 50; i++) {
        hsc_db_instruction x;
        hsc_db_code_part part;
        uint8_t bytes[16];
        uint32_t n;
        OK(hsc_db_get_instruction(db, i, &x, &err));
        assert_true(x.address == C(instruction_address, uint64_t, i) && x.module == C(instruction_module, uint32_t, i));
        assert_int_equal(x.line, C(instruction_line, uint32_t, i));
        assert_int_equal(x.target, C(instruction_target, uint32_t, i));
        assert_string_equal(x.text, i < 30 ? C(instruction_text_text, char *, C(instruction_text, uint32_t, i)) : "");
        assert_int_equal(hsc_db_find_instruction(db, x.module, x.address), i);
        assert_int_equal(hsc_db_find_instruction(db, x.module, x.address + 3), i < 30 ? i : HSC_NONE);
        assert_int_equal(hsc_db_find_instruction(db, 2, x.address), HSC_NONE);
        assert_int_equal(hsc_db_find_part_of(db, i), i / 10);
        OK(hsc_db_get_code_part(db, i / 10, &part, &err));
        assert_true(part.disassembled == (i < 30) && part.begin <= x.address && x.address < part.end);
        OK(hsc_db_read_code(db, i, bytes, &n, &err));
        assert_int_equal(n, i < 30 ? 4 : 0);
        for (uint32_t k = 0; k < n; k++)
            assert_int_equal(bytes[k], C(code_byte_value, uint8_t, i / 10 * 40 + i % 10 * 4 + k));
    }
    for (uint32_t scope = 0; scope < m->rows[HSC_TAB_scope]; scope++) { /* with all that is below */
        uint32_t *rows, n, at = 0, parts[5];
        OK(hsc_db_find_instructions(db, HSC_OF_SCOPE, scope, &rows, &n, &err));
        for (uint32_t i = 0; i < 50; i++)
            if (C(instruction_scope, uint32_t, i) >= scope && C(instruction_scope, uint32_t, i) < C(scope_subtree_end, uint32_t, scope))
                assert_true(at < n && rows[at++] == i);
        assert_int_equal(at, n);
        free(rows);
        OK(hsc_db_find_code_parts(db, scope, parts, 5, &n, &err));
        for (uint32_t i = at = 0; i < 5; i++)
            if (C(code_part_procedure, uint32_t, i) == scope)
                assert_true(at < n && parts[at++] == i);
        assert_int_equal(at, n);
    }
    for (uint32_t i = 0; i < 50; i++) {
        uint32_t *rows, n, line = C(instruction_line, uint32_t, i), at = 0;
        OK(hsc_db_find_instructions(db, HSC_OF_LINE, line, &rows, &n, &err));
        for (uint32_t k = 0; k < 50; k++)
            if (C(instruction_line, uint32_t, k) == line)
                assert_true(at < n && rows[at++] == k);
        assert_int_equal(at, n);
        free(rows);
    }
    hsc_db_instruction x;
    uint32_t *rows, n;
    hsc_err err = {0};
    assert_int_equal(hsc_db_get_instruction(db, 50, &x, &err), HSC_E_ARGUMENT);
    assert_int_equal(hsc_db_find_instructions(db, HSC_OF_SCOPE, 90, &rows, &n, &err), HSC_E_ARGUMENT);
    hsc_db_close(db);
    model_free(m);
    unlink(path);
}

/* What the checks of a file must refuse: each of these would lead a reader astray. */
static void wrong_code_is_refused(void **state) {
    (void)state;
    for (int k = 0; k < 5; k++) {
        model *m = model_new(11, false);
        hsc_err err = {0};
        if (k == 0)
            C(code_part_rows, uint32_t, 4) = 11; /* more than there are */
        else if (k == 1)
            C(code_part_first_byte, uint32_t, 2) = 81;
        else if (k == 2)
            C(instruction_address, uint64_t, 7) = C(instruction_address, uint64_t, 6);
        else if (k == 3)
            C(inlining_parent, uint32_t, 2) = 2;
        else
            C(code_part_begin, uint64_t, 1) = C(code_part_end, uint64_t, 0) - 1;
        assert_int_equal(model_write(m, "refused.h5", 1, 1 << 20, &err), HSC_E_FORMAT);
        assert_int_equal(access("refused.h5", F_OK), -1);
        model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(code_is_found), cmocka_unit_test(wrong_code_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
