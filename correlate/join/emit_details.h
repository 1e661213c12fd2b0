/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is listed of each process while its details are open, into columns; only for emit_details.c. */
#ifndef HEATSCOPE_JOIN_EMIT_DETAILS_H
#define HEATSCOPE_JOIN_EMIT_DETAILS_H

#include "columns.h"

/* peers.c: of process `row` of the run. */
void hsc_join_list_peers(columns *c, const join *j, uint32_t row);

/* told_emit.c: begin, list all processes in the order of the run, put. */
typedef struct hsc_told_rows hsc_told_rows;
hsc_status hsc_join_begin_told(join *j, hsc_told_rows **out, hsc_err *err);
hsc_status hsc_join_list_told(hsc_told_rows *x, columns *c, uint32_t row, hsc_err *err);
hsc_status hsc_join_put_told(hsc_told_rows *x, columns *c, hsc_store *store, hsc_err *err);
void hsc_join_free_told_rows(hsc_told_rows *x);

#endif
