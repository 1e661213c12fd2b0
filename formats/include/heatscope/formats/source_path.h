/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What paths of sources tell. */
#ifndef HEATSCOPE_FORMATS_SOURCE_PATH_H
#define HEATSCOPE_FORMATS_SOURCE_PATH_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is it a header that comes with the system or a compiler? What includes it ("bits/stl_vector.h"), a part of `path`; else NULL. */
const char *hsc_system_header(const char *path);
/* A program of the system, as shells and interpreters are, which the user did not build? */
bool hsc_is_system_program(const char *path);

#ifdef __cplusplus
}
#endif

#endif
