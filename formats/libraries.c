/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <heatscope/formats/libraries.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name; /* before ".so", a version or what a package put between; with '*': whatever follows */
    hsc_library_role role;
} libraries[] = {
    {"libomp", HSC_LIBRARY_LLVM_OPENMP},  {"libiomp", HSC_LIBRARY_LLVM_OPENMP}, {"libomptarget", HSC_LIBRARY_LLVM_OPENMP},
    {"libgomp", HSC_LIBRARY_GNU_OPENMP},  {"libstdc++", HSC_LIBRARY_LANGUAGE},  {"libc++", HSC_LIBRARY_LANGUAGE},
    {"libgfortran", HSC_LIBRARY_LANGUAGE}, {"libc", HSC_LIBRARY_SYSTEM},        {"libpthread", HSC_LIBRARY_SYSTEM},
    {"ld-linux", HSC_LIBRARY_SYSTEM},     {"[vdso]", HSC_LIBRARY_SYSTEM},
    {"libmpi*", HSC_LIBRARY_MESSAGES},      {"libopen-rte", HSC_LIBRARY_MESSAGES}, {"libopen-pal", HSC_LIBRARY_MESSAGES},
    {"mca_*", HSC_LIBRARY_MESSAGES},        {"libpmix", HSC_LIBRARY_MESSAGES},     {"libucp", HSC_LIBRARY_MESSAGES},
    {"libheatscope-*", HSC_LIBRARY_HEATSCOPE},
    {"libuct", HSC_LIBRARY_MESSAGES},      {"libucs", HSC_LIBRARY_MESSAGES},      {"libucm", HSC_LIBRARY_MESSAGES},
};

int hsc_is_fortran_runtime(const char *procedure) {
    static const char *const spaces[] = {"Fortran::runtime::", "Fortran::decimal::", "Fortran::common::"};
    /* names of lambdas, which c++filt and the runtime of C++ leave as they are */
    if (!strncmp(procedure, "_FortranA", 9) || !strncmp(procedure, "_ZN7Fortran7runtime", 19) || !strncmp(procedure, "_ZN7Fortran6common", 18))
        return 1;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        for (const char *at = procedure; (at = strstr(at, spaces[i])); at++)
            if (at == procedure || strchr(" (<,&*", at[-1])) /* its own, or of its types: matmul's are in no space of their own */
                return 1;
    return 0;
}

hsc_library_role hsc_library_role_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        size_t n = strlen(libraries[i].name);
        bool is_beginning = libraries[i].name[n - 1] == '*';
        if (strncmp(name, libraries[i].name, n - is_beginning))
            continue;
        char after = name[n - is_beginning];
        if (is_beginning || !after || after == '.' || after == '-' || (after >= '0' && after <= '9'))
            return libraries[i].role;
    }
    return HSC_LIBRARY_OTHER;
}
