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

/* Is `name` of the pattern, in which '?' is any of the letters of `letters`? */
static bool fits(const char *name, const char *pattern, const char *letters) {
    for (; *pattern; pattern++, name++)
        if (!*name || (*pattern == '?' ? !strchr(letters, *name) : *pattern != *name))
            return false;
    return !*name;
}

/* What compiler-rt and libgcc do for operators: of complex numbers (s, d, x, t: single to quadruple), of integers of 128 bits, of numbers of 128 and 16 bits, powers. */
static bool is_operator(const char *procedure) {
    static const char *const patterns[] = {"__mul?c3", "__div?c3", "__powi?f2"}, *const names[] = {
        "__divti3", "__udivti3", "__modti3", "__umodti3", "__divmodti4", "__udivmodti4", "__multi3", "__muloti4", "__addtf3", "__subtf3", "__multf3", "__divtf3",
        "__extenddftf2", "__extendsftf2", "__trunctfdf2", "__trunctfsf2", "__extendhfsf2", "__truncsfhf2", "__truncdfhf2"};
    bool is = false;
    if (strncmp(procedure, "__", 2))
        return false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !is; i++)
        is = fits(procedure, patterns[i], "sdxt");
    for (size_t i = 0; i < sizeof names / sizeof *names && !is; i++)
        is = !strcmp(procedure, names[i]);
    return is;
}

bool hsc_is_complex_division(const char *procedure) { return fits(procedure, "__div?c3", "sd"); }

bool hsc_is_complex_product(const char *procedure) { return fits(procedure, "__mul?c3", "sd"); }

int hsc_is_linked_runtime(const char *procedure) {
    static const char *const spaces[] = {"Fortran::runtime::", "Fortran::decimal::", "Fortran::common::"};
    if (is_operator(procedure))
        return 1;
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

bool hsc_library_is_mathematical(const char *path) {
    static const char *const begins[] = {"libm.", "libm-", "libmvec", "libquadmath", "libimf", "libsvml", "libamdlibm", "libsleef"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(name, begins[i], strlen(begins[i])))
            return true;
    return false;
}
