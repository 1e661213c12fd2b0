/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of C++ procedures that are made of one template. */
#ifndef HSC_COMPARE_INSTANCES_H
#define HSC_COMPARE_INSTANCES_H

#include <stdbool.h>

/* Do the two differ in the arguments of templates alone, and in the types that follow from them: what they return and take? */
bool compare_are_instances(const char *a, const char *b);

#endif
