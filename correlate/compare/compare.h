/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which scopes, files and lines of two databases are the same ones: two runs, two builds, two versions of the source.
 */
#ifndef HSC_COMPARE_H
#define HSC_COMPARE_H

#include <heatscope/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hsc_compare_how { /* best first */
                               HSC_COMPARE_SAME =
                                   0, /* same name, file and module; loops: the same source text, all of it or at the header */
                               HSC_COMPARE_MOVED = 1, /* same name, in another file or module; loops: the same first line, in a loop that only one has */
                               HSC_COMPARE_NUMBERED =
                                   2, /* same name but for numbers that the compiler gives (f.omp_outlined.3) */
                               HSC_COMPARE_POSITION = 3, /* loops without equal text: an innermost one, or one with loops inside, at the same position
                                                            among its neighbours */
                               HSC_COMPARE_INSTANCE = 4, /* procedures: the same name and source text, other arguments of their templates */
                               HSC_COMPARE_RENAMED = 5, /* procedures: another name, the same source text but for its first and last line */
                               HSC_COMPARE_CHANGED = 6, /* lines: another text, in the place of the other's between lines that are matched */
                               HSC_COMPARE_NEST = 7,    /* loops: with those inside that are others in the other database, and are not matched */
                               HSC_COMPARE_NONE = 8     /* only in its own database */
} hsc_compare_how;

typedef struct hsc_compare {
    hsc_db *a, *b; /* borrowed */
    uint32_t scopes_a, scopes_b;
    uint32_t *b_of_a;     /* [scopes_a]: HSC_NONE: none */
    uint32_t *a_of_b;     /* [scopes_b] */
    unsigned char *how_a; /* [scopes_a]: hsc_compare_how */
    uint32_t files_a, files_b;
    uint32_t *file_b_of_a; /* [files_a] */
} hsc_compare;

/* Matches one to one: what is matched is of the same kind, loops of another text innermost ones both or neither (but HSC_COMPARE_NEST), and its parent loop, if any, is matched with the other's
 * parent, or is a loop more that only one has (HSC_COMPARE_MOVED). Source text is used where it is that of the build (embedded, or unchanged on disk). Deterministic. On success
 * free with hsc_compare_clear. HSC_E_MEMORY, HSC_E_FORMAT, HSC_E_IO. Memory: 60 bytes a scope, and the sources of files
 * with loops. */
hsc_status hsc_compare_scopes(hsc_db *a, hsc_db *b, hsc_compare *out, hsc_err *err);
void hsc_compare_clear(hsc_compare *c);

/* Lines of two matched files: (*b_of_a)[line], 1-based lines up to *lines; 0: none. By equal text where both texts are
 * known, the longest run of unique lines in the same order and what stands between them, then unique lines that were moved and what stands
 * beside them, then as many lines as the other has between two that are matched; else line for line. (*how)[line]: hsc_compare_how. free() *b_of_a, *how. */
hsc_status hsc_compare_lines(const hsc_compare *c, uint32_t file_a, uint32_t **b_of_a, unsigned char **how, uint32_t *lines, hsc_err *err);

#ifdef __cplusplus
}
#endif
#endif
