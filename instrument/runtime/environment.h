/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables of the environment that are recorded of a process (environment.def). */
#ifndef HSC_RT_ENVIRONMENT_H
#define HSC_RT_ENVIRONMENT_H

#include "rt.h"

enum { HSC_RT_ENVIRONMENT = 64, HSC_RT_ENVIRONMENT_SIZE = 256 }; /* variables at most; bytes of name and value, beyond which "..." stands */

typedef struct hsc_rt_environment {
    hsc_str list[HSC_RT_ENVIRONMENT]; /* "NAME=value", in the order of the environment */
    size_t n;
    char texts[8192];
} hsc_rt_environment;

/* Is a "NAME=value" one of those that are recorded? */
bool hsc_rt_environment_has(const char *variable);
/* As it is now. What has no room is left out. */
void hsc_rt_environment_read(hsc_rt_environment *out);

#endif
