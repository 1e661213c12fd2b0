/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where probes are, in the code and in calling contexts, and their metrics. */
#ifndef HEATSCOPE_JOIN_PROBED_H
#define HEATSCOPE_JOIN_PROBED_H

#include "told.h"

typedef struct hsc_probed hsc_probed; /* scopes by file and line */

/* On the rank that has read the code: names of files without folders, which the others are told. */
bool hsc_join_name_files(join *j);
/* The scope of a probe, by file and line, and by the procedure's name where several stand there; HSC_NO_INDEX: not known, as of calls. Whoever
 * has j->lock, or is alone. false: no memory. */
bool hsc_join_probed_scope(join *j, const jprobe_place *p, uint32_t *scope);
/* Second reading: gives each block of the process a site, with a context of KIND_PROBED and its line. false: no memory. */
bool hsc_join_place_blocks(join *j, jprocess *p);
/* The first rank, when contexts have their rows: metrics "probe time" and "probe visits". */
hsc_status hsc_join_add_probes(join *j, hsc_err *err);
void hsc_join_free_probed(join *j);

#endif
