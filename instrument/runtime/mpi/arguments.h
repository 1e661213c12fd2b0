/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How wrappers are written: their names, and lists of n arguments, each a register or a word of the stack whatever its type. */
#ifndef HSC_MPI_ARGUMENTS_H
#define HSC_MPI_ARGUMENTS_H

/* wrap_NAME is exported as NAME in an old version of itself: programs and libraries that were linked with MPI get it, dlsym
 * does not find it. */
#define HSC_MPI_ENTRY(name) \
    __asm__(".symver wrap_" #name "," #name "@HEATSCOPE"); \
    __attribute__((visibility("default")))

#define HSC_MPI_TYPES_0 void
#define HSC_MPI_NAMES_0 0
#define HSC_MPI_VALUES_0
#define HSC_MPI_TYPES_1 uint64_t a0
#define HSC_MPI_NAMES_1 a0
#define HSC_MPI_VALUES_1 a[0]
#define HSC_MPI_TYPES_2 HSC_MPI_TYPES_1, uint64_t a1
#define HSC_MPI_NAMES_2 HSC_MPI_NAMES_1, a1
#define HSC_MPI_VALUES_2 HSC_MPI_VALUES_1, a[1]
#define HSC_MPI_TYPES_3 HSC_MPI_TYPES_2, uint64_t a2
#define HSC_MPI_NAMES_3 HSC_MPI_NAMES_2, a2
#define HSC_MPI_VALUES_3 HSC_MPI_VALUES_2, a[2]
#define HSC_MPI_TYPES_4 HSC_MPI_TYPES_3, uint64_t a3
#define HSC_MPI_NAMES_4 HSC_MPI_NAMES_3, a3
#define HSC_MPI_VALUES_4 HSC_MPI_VALUES_3, a[3]
#define HSC_MPI_TYPES_5 HSC_MPI_TYPES_4, uint64_t a4
#define HSC_MPI_NAMES_5 HSC_MPI_NAMES_4, a4
#define HSC_MPI_VALUES_5 HSC_MPI_VALUES_4, a[4]
#define HSC_MPI_TYPES_6 HSC_MPI_TYPES_5, uint64_t a5
#define HSC_MPI_NAMES_6 HSC_MPI_NAMES_5, a5
#define HSC_MPI_VALUES_6 HSC_MPI_VALUES_5, a[5]
#define HSC_MPI_TYPES_7 HSC_MPI_TYPES_6, uint64_t a6
#define HSC_MPI_NAMES_7 HSC_MPI_NAMES_6, a6
#define HSC_MPI_VALUES_7 HSC_MPI_VALUES_6, a[6]
#define HSC_MPI_TYPES_8 HSC_MPI_TYPES_7, uint64_t a7
#define HSC_MPI_NAMES_8 HSC_MPI_NAMES_7, a7
#define HSC_MPI_VALUES_8 HSC_MPI_VALUES_7, a[7]
#define HSC_MPI_TYPES_9 HSC_MPI_TYPES_8, uint64_t a8
#define HSC_MPI_NAMES_9 HSC_MPI_NAMES_8, a8
#define HSC_MPI_VALUES_9 HSC_MPI_VALUES_8, a[8]
#define HSC_MPI_TYPES_10 HSC_MPI_TYPES_9, uint64_t a9
#define HSC_MPI_NAMES_10 HSC_MPI_NAMES_9, a9
#define HSC_MPI_VALUES_10 HSC_MPI_VALUES_9, a[9]
#define HSC_MPI_TYPES_11 HSC_MPI_TYPES_10, uint64_t a10
#define HSC_MPI_NAMES_11 HSC_MPI_NAMES_10, a10
#define HSC_MPI_VALUES_11 HSC_MPI_VALUES_10, a[10]
#define HSC_MPI_TYPES_12 HSC_MPI_TYPES_11, uint64_t a11
#define HSC_MPI_NAMES_12 HSC_MPI_NAMES_11, a11
#define HSC_MPI_VALUES_12 HSC_MPI_VALUES_11, a[11]
#define HSC_MPI_TYPES_13 HSC_MPI_TYPES_12, uint64_t a12
#define HSC_MPI_NAMES_13 HSC_MPI_NAMES_12, a12
#define HSC_MPI_VALUES_13 HSC_MPI_VALUES_12, a[12]
#define HSC_MPI_TYPES_14 HSC_MPI_TYPES_13, uint64_t a13
#define HSC_MPI_NAMES_14 HSC_MPI_NAMES_13, a13
#define HSC_MPI_VALUES_14 HSC_MPI_VALUES_13, a[13]
#define HSC_MPI_TYPES_15 HSC_MPI_TYPES_14, uint64_t a14
#define HSC_MPI_NAMES_15 HSC_MPI_NAMES_14, a14
#define HSC_MPI_VALUES_15 HSC_MPI_VALUES_14, a[14]
#define HSC_MPI_TYPES_16 HSC_MPI_TYPES_15, uint64_t a15
#define HSC_MPI_NAMES_16 HSC_MPI_NAMES_15, a15
#define HSC_MPI_VALUES_16 HSC_MPI_VALUES_15, a[15]
#define HSC_MPI_TYPES_17 HSC_MPI_TYPES_16, uint64_t a16
#define HSC_MPI_NAMES_17 HSC_MPI_NAMES_16, a16
#define HSC_MPI_VALUES_17 HSC_MPI_VALUES_16, a[16]

/* One and four arguments more: Fortran's error code, and lengths of texts behind it. */
#define HSC_MPI_PLUS_1_0 1
#define HSC_MPI_PLUS_1_1 2
#define HSC_MPI_PLUS_1_2 3
#define HSC_MPI_PLUS_1_3 4
#define HSC_MPI_PLUS_1_4 5
#define HSC_MPI_PLUS_1_5 6
#define HSC_MPI_PLUS_1_6 7
#define HSC_MPI_PLUS_1_7 8
#define HSC_MPI_PLUS_1_8 9
#define HSC_MPI_PLUS_1_9 10
#define HSC_MPI_PLUS_1_10 11
#define HSC_MPI_PLUS_1_11 12
#define HSC_MPI_PLUS_1_12 13
#define HSC_MPI_PLUS_1_13 14
#define HSC_MPI_PLUS_4_0 4
#define HSC_MPI_PLUS_4_1 5
#define HSC_MPI_PLUS_4_2 6
#define HSC_MPI_PLUS_4_3 7
#define HSC_MPI_PLUS_4_4 8
#define HSC_MPI_PLUS_4_5 9
#define HSC_MPI_PLUS_4_6 10
#define HSC_MPI_PLUS_4_7 11
#define HSC_MPI_PLUS_4_8 12
#define HSC_MPI_PLUS_4_9 13
#define HSC_MPI_PLUS_4_10 14
#define HSC_MPI_PLUS_4_11 15
#define HSC_MPI_PLUS_4_12 16
#define HSC_MPI_PLUS_4_13 17

#define HSC_MPI_JOIN2(a, b) a##b
#define HSC_MPI_JOIN(a, b) HSC_MPI_JOIN2(a, b)

#endif
