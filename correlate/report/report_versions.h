/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Versions of loops with all that runs inside them: inner versions, and procedures called. */
#ifndef HEATSCOPE_REPORT_VERSIONS_H
#define HEATSCOPE_REPORT_VERSIONS_H

#include "report.h"

typedef struct report_version {
    hsc_weighted value;    /* the version and the versions inside it, with what is inlined into them */
    hsc_weighted calls;    /* in procedures called from there */
    hsc_weighted open;     /* in procedures called from the source loop, or a loop inside it, by a version that may be this one or another */
    bool recursive;        /* the loop runs again below a call from it, so that value and calls would count samples twice */
    bool only;             /* the source loop has no other version in that machine function */
    hsc_weighted once;     /* of an only one: all samples on paths through the loop there, once each, however often the path has it; of one of several
                            * (is_once): its own, of versions inside it and below calls that are surely from them, once each */
    hsc_weighted once_open; /* is_once: the rest of what is below calls that may be from it */
    bool is_once;          /* told where the database knows versions by calling context, and some version needs it */
    bool damaged;          /* versions inside each other in a circle */
} report_version;

/* Of all instances of the database: *out is malloc'ed. HSC_E_MISSING where the database has no values of versions or
 * contexts, or, being older, does not tell which version is inside which. */
hsc_status report_all_versions(report *r, report_version **out, hsc_err *err);

#endif
