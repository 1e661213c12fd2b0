/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <heatscope/formats/libraries.h>

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name; /* before ".so", a version or what a package put between */
    hsc_library_role role;
} libraries[] = {
    {"libomp", HSC_LIBRARY_LLVM_OPENMP},  {"libiomp", HSC_LIBRARY_LLVM_OPENMP}, {"libomptarget", HSC_LIBRARY_LLVM_OPENMP},
    {"libgomp", HSC_LIBRARY_GNU_OPENMP},  {"libstdc++", HSC_LIBRARY_LANGUAGE},  {"libc++", HSC_LIBRARY_LANGUAGE},
    {"libgfortran", HSC_LIBRARY_LANGUAGE}, {"libc", HSC_LIBRARY_SYSTEM},        {"libpthread", HSC_LIBRARY_SYSTEM},
    {"ld-linux", HSC_LIBRARY_SYSTEM},     {"[vdso]", HSC_LIBRARY_SYSTEM},
};

hsc_library_role hsc_library_role_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        size_t n = strlen(libraries[i].name);
        char after = strncmp(name, libraries[i].name, n) ? 'x' : name[n];
        if (!after || after == '.' || after == '-' || (after >= '0' && after <= '9'))
            return libraries[i].role;
    }
    return HSC_LIBRARY_OTHER;
}
