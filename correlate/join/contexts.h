/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kinds of contexts as they were met, beside those of the database. */
#ifndef HEATSCOPE_JOIN_CONTEXTS_H
#define HEATSCOPE_JOIN_CONTEXTS_H

#define KIND_ORPHAN 100u /* the body of a region in a thread whose path does not show who forked it */
#define KIND_PROBED 101u /* a probed scope, below the one round it: what is between is not known */

#endif
