/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Libraries by the names of their files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/linkage.h>

static void names(void **state) {
    static const struct {
        const char *path;
        hsc_library_role role;
    } files[] = {{"/usr/lib/llvm-19/lib/libomp.so.5", HSC_LIBRARY_LLVM_OPENMP}, {"/opt/libiomp5.so", HSC_LIBRARY_LLVM_OPENMP},
                 {"libomp5-19.so", HSC_LIBRARY_LLVM_OPENMP}, {"/usr/lib/libomptarget.so.19", HSC_LIBRARY_LLVM_OPENMP},
                 {"/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0", HSC_LIBRARY_GNU_OPENMP}, {"/x/numpy.libs/libgomp-a34b3233.so.1.0.0", HSC_LIBRARY_GNU_OPENMP},
                 {"/lib/libstdc++.so.6.0.30", HSC_LIBRARY_LANGUAGE}, {"libc++.so.1", HSC_LIBRARY_LANGUAGE}, {"libgfortran-040039e1.so.5", HSC_LIBRARY_LANGUAGE},
                 {"/lib/libc.so.6", HSC_LIBRARY_SYSTEM}, {"/lib/libc-2.31.so", HSC_LIBRARY_SYSTEM}, {"/lib/ld-linux-x86-64.so.2", HSC_LIBRARY_SYSTEM},
                 {"[vdso]", HSC_LIBRARY_SYSTEM}, {"/usr/lib/x86_64-linux-gnu/libmpi.so.40", HSC_LIBRARY_MESSAGES},
                 {"libmpi_mpifh.so.40", HSC_LIBRARY_MESSAGES}, {"libmpichcxx.so.12", HSC_LIBRARY_MESSAGES}, {"libopen-pal.so.40", HSC_LIBRARY_MESSAGES},
                 {"/lib/openmpi3/mca_btl_vader.so", HSC_LIBRARY_MESSAGES}, {"libucp.so.0", HSC_LIBRARY_MESSAGES}, {"libuchardet.so.0", HSC_LIBRARY_OTHER},
                 {"/lib/libcap.so.2", HSC_LIBRARY_OTHER}, {"/home/libomp/prog", HSC_LIBRARY_OTHER},
                 {"/usr/lib/heatscope/libheatscope-rt.so", HSC_LIBRARY_HEATSCOPE}, {"/opt/libheatscope.so", HSC_LIBRARY_OTHER},
                 {"libompi_tools.so", HSC_LIBRARY_OTHER}, {"libgomphosis.so", HSC_LIBRARY_OTHER}, {"", HSC_LIBRARY_OTHER}, {"/", HSC_LIBRARY_OTHER}};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (hsc_library_role_of(files[i].path) != files[i].role)
            fail_msg("%s: role %d, expected %d", files[i].path, (int)hsc_library_role_of(files[i].path), (int)files[i].role);
}

/* What compilers link into programs is no code of the programs. */
static void linked(void **state) {
    static const char *const runtime[] = {"__divdc3", "__divsc3", "__multc3", "__powidf2", "__udivti3", "__truncsfhf2", "_FortranAioOutputReal64",
                                          "Fortran::runtime::io::OpenFile::Write(long, char const*)"},
                             *const programs[] = {"", "__", "__divdc", "__divdc3_", "__divqc3", "divdc3", "__powidf", "my_Fortran::runtime::x", "__my_kernel"};
    (void)state;
    for (size_t i = 0; i < sizeof runtime / sizeof *runtime; i++)
        if (!hsc_is_linked_runtime(runtime[i]))
            fail_msg("%s is of a runtime", runtime[i]);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (hsc_is_linked_runtime(programs[i]))
            fail_msg("%s is of the program", programs[i]);
    assert_true(hsc_is_complex_division("__divsc3") && hsc_is_complex_division("__divdc3"));
    assert_int_equal(hsc_linkage_of_stub("memmove@plt"), 7);
    assert_int_equal(hsc_linkage_of_stub("@plt"), 0);
    assert_int_equal(hsc_linkage_of_stub("memmove"), 0);
    assert_int_equal(hsc_linkage_of_stub(""), 0);
    assert_true(hsc_is_complex_product("__muldc3") && hsc_is_complex_product("__mulsc3"));
    assert_false(hsc_is_complex_product("__mulxc3") || hsc_is_complex_product("__divdc3"));
    assert_false(hsc_is_complex_division("__divxc3") || hsc_is_complex_division("__muldc3"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(linked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
