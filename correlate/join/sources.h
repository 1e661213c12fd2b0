/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sources that are kept beside the database. */
#ifndef HEATSCOPE_JOIN_SOURCES_H
#define HEATSCOPE_JOIN_SOURCES_H

#include "join_internal.h"

/* After the database is there. Takes the files (none of the system's headers) with code that is shown whose text is that of the build, 16 MiB each and 64 in all; of what was changed since, what
 * is kept already. */
void hsc_sources_keep(join *j);

#endif
