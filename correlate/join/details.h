/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the second reading leaves of a process beside lists: where messages passed and threads waited, with histograms,
 * messages by partner, and what probes counted and the program told. In memory up to a share of what the join may take
 * (join.details_max), else parked in the spill file. Whoever wants it opens the details of one process, and closes them
 * again. */
#ifndef HEATSCOPE_JOIN_DETAILS_H
#define HEATSCOPE_JOIN_DETAILS_H

#include "join_internal.h"
#include "parcel.h"

/* After the last record of the second reading: parks them where there is no room. Any number of threads, each its own
 * process. */
hsc_status hsc_join_park_details(join *j, jprocess *p, hsc_err *err);
/* Into memory, where they are not; then back to what was there before: changes are lost where they were parked. */
hsc_status hsc_join_open_details(join *j, jprocess *p, hsc_err *err);
void hsc_join_close_details(jprocess *p);
/* Calls visit(ctx, jsite *) for all sites, without opening the rest. `changes`: what it makes of them is kept. */
hsc_status hsc_join_each_site(join *j, jprocess *p, bool changes, void (*visit)(void *ctx, void *site), void *ctx,
                              hsc_err *err);

/* All of open details but the sites; into a process that has none. */
void hsc_join_put_details(const jprocess *p, parcel *a);
void hsc_join_take_details(jprocess *p, parcel *a);

#endif
