/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the listing says of a loop or a call of MPI beside its versions and remarks, one line of text each. */
#ifndef HEATSCOPE_CLI_MAP_FACTS_H
#define HEATSCOPE_CLI_MAP_FACTS_H

#include "map_book.h"

typedef struct hsc_map_facts {
    HSC_VEC(char *) lines;
} hsc_map_facts;

/* "; 64 iterations; 2 loops made one; 3 comparisons of addresses at run time": what belongs behind the loop's versions. */
void hsc_map_loop_extent(const hsc_map_module *m, const hsc_rec_loop *l, char *out, size_t size);
/* A line for what moves through memory in strides, or by index, and one for the directive. False: out of memory. */
bool hsc_map_loop_facts(const hsc_map_module *m, const hsc_rec_loop *l, hsc_map_facts *out);
/* A line for the calls of the OpenMP run time that a directive without a loop causes. False: out of memory. */
bool hsc_map_directive_facts(const hsc_map_module *m, const hsc_rec_directive *d, hsc_map_facts *out);
/* "sends edge[0 : 63] to rank 1, tag 5; written in line 20 from field[i][column]; waited for in line 22"; nothing for
 * what is no call of MPI that moves data. False: out of memory. */
bool hsc_map_message_facts(const hsc_map_module *m, const hsc_rec_callsite *c, hsc_map_facts *out);
bool hsc_map_is_message(const hsc_map_module *m, const hsc_rec_callsite *c);
void hsc_map_facts_fini(hsc_map_facts *f);

#endif
