/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which libraries are part of a language or of the system: one table of their names. */
#ifndef HEATSCOPE_FORMATS_LIBRARIES_H
#define HEATSCOPE_FORMATS_LIBRARIES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hsc_library_role {
    HSC_LIBRARY_OTHER,
    HSC_LIBRARY_LLVM_OPENMP, /* LLVM's and Intel's */
    HSC_LIBRARY_GNU_OPENMP,
    HSC_LIBRARY_MESSAGES,    /* message passing: MPI's libraries and those that carry its messages */
    HSC_LIBRARY_HEATSCOPE,   /* of ours: probes, wrappers */
    HSC_LIBRARY_LANGUAGE,    /* of C++ or Fortran: a program calls it by words of the language */
    HSC_LIBRARY_SYSTEM       /* libc, the dynamic linker, the kernel's page */
} hsc_library_role;

/* By the name of the file, whatever its version: "/usr/lib/libgomp.so.1", "libgomp-a34b3233.so.1". */
hsc_library_role hsc_library_role_of(const char *path);
/* libm and its like, also the makers' of processors. */
bool hsc_library_is_mathematical(const char *path);
/* What compilers link into the program: their own operators ("__divdc3" of complex numbers, "__udivti3" of integers of 128 bits), flang's runtime: "_FortranAioOutputReal64", "Fortran::runtime::io::OpenFile::Write(...)", "void Fortran::decimal::...",
 * "void (anonymous namespace)::MatrixTimesMatrixHelper<(Fortran::common::TypeCategory)1, ..." */
int hsc_is_linked_runtime(const char *procedure);
/* "__divdc3", "__divsc3": division of complex numbers, with its checks for overflow and infinities. */
bool hsc_is_complex_division(const char *procedure);
/* "__muldc3", "__mulsc3": multiplication, where the plain formula gave no number. */
bool hsc_is_complex_product(const char *procedure);
static inline int hsc_library_is_openmp(hsc_library_role r) { return r == HSC_LIBRARY_LLVM_OPENMP || r == HSC_LIBRARY_GNU_OPENMP; }

#ifdef __cplusplus
}
#endif

#endif
