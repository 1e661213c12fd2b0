/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the optimiser's remarks are about, from their identifiers; the table is remarks.def. */
#ifndef HEATSCOPE_FORMATS_REMARKS_H
#define HEATSCOPE_FORMATS_REMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hsc_remark_about {
    HSC_ABOUT_NOTE = 0,          /* something else */
    HSC_ABOUT_VECTORISATION = 1, /* of a loop, by the loop vectoriser */
    HSC_ABOUT_INTERLEAVING = 2,  /* copies of a loop's body in one iteration; says nothing of vector code */
    HSC_ABOUT_STRAIGHT_LINE = 3, /* vector code of operations in a row */
    HSC_ABOUT_UNROLLING = 4
} hsc_remark_about;

/* What a remark of something not done is about, and enum reason; names need no 0 at their end. Unknown ones: a note, reason NONE. */
hsc_remark_about hsc_remark_tell(const char *pass, size_t pass_n, const char *name, size_t name_n, uint64_t *reason);

/* Does a remark say that the loop vectoriser looked at a loop and left it scalar, and why? `kind`: enum remark_kind. A loop that was
 * not tried (reason NOT_TRIED) was not refused. */
bool hsc_remark_refuses_vectors(const char *pass, const char *name, uint64_t kind, uint64_t reason);

/* Do two remarks' texts say the same but for places of the source ("accessed at a.c:26:25": what stands between "at " and the line, with
 * its column or without)? Those change with a file's name, and as lines move. */
bool hsc_remark_same_but_places(const char *a, const char *b);

/* A remark's text in one line, without advice to write a pragma, which says nothing of the loop and is of another language for Fortran; "became a call of memset" where it is that. Returns out. */
char *hsc_remark_plain(const char *text, char *out, size_t size);

/* Does code of a version (enum loop_version) do the iterations of its loop in vectors, by the loop vectoriser? Of other versions
 * a width above 1 says that operations in a row were made vector code. */
bool hsc_version_is_vector(uint64_t version);

#ifdef __cplusplus
}
#endif

#endif
