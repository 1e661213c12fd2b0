/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What compilers and linkers put behind the names of procedures. */
#ifndef HEATSCOPE_FORMATS_LINKAGE_H
#define HEATSCOPE_FORMATS_LINKAGE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Length of the name without what link-time optimisation put behind it to tell local procedures of several units apart: ".7",
 * ".llvm.123"; n: it has nothing such. */
size_t hsc_linkage_without_number(const char *name, size_t n);

/* Length of the name of the procedure that a piece or a copy of it is named after: f of "f.cold", "f.cold.1", "f.part.0",
 * "f.constprop.0.isra.0", of the coroutine's "f.resume"; n: it is none. */
size_t hsc_linkage_whole(const char *name, size_t n);

/* Length of the name of the procedure that the body of an OpenMP region is written in, by the name that compilers give it: f of
 * "f.omp_outlined", "f..omp_par", "f._omp_fn.0"; n: it is no body. */
size_t hsc_linkage_before_region(const char *name, size_t n);

/* Of the name of a stub of the procedure linkage table, "NAME@plt", the way to another library, how long NAME is; 0: it is none. */
size_t hsc_linkage_of_stub(const char *name);

#define HSC_GCC_REGION_MARK "._omp_fn." /* in the name of a function that gcc made of a region or a task: "f._omp_fn.0" */
#define HSC_GCC_REGION " [omp region]" /* ends the name that people read of "f._omp_fn.0" */

/* clang makes two procedures of an OpenMP region when it is asked for debug information, f.omp_outlined and f.omp_outlined_debug__, and calls or inlines the
 * second in the first. Are `outer` and `inner` such a pair? */
bool hsc_linkage_is_region_pair(const char *outer, const char *inner);

/* Does the name begin like that of a procedure of an OpenMP runtime that begins parallel regions ("GOMP_parallel_loop_dynamic", "__kmpc_fork_call_if")? */
bool hsc_linkage_starts_region(const char *name);

/* Length of the module's name, which stands behind the first 3 characters, of flang's name of something of a Fortran module (_QMgridEu);
 * 0: it is none. */
size_t hsc_linkage_fortran_module(const char *name);

/* flang's own forms of intrinsic procedures that it may inline, "_FortranADotProductReal8x2_contract_simplified": the intrinsic's name in the source, dot_product, its
 * rank, 2 (0: none is said). False: it is none, or out, with a NUL, is too small. */
bool hsc_linkage_fortran_intrinsic(const char *symbol, char *out, size_t size, unsigned *rank);

#ifdef __cplusplus
}
#endif

#endif
