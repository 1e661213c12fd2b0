/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of libraries for LD_PRELOAD, which the dynamic linker parts at blanks and colons. */
#ifndef HEATSCOPE_CLI_PRELOAD_H
#define HEATSCOPE_CLI_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Makes of `library` (absolute, in memory of `size` bytes) a name without blanks and colons, where it has any: by way of a link to its folder, which is
 * made in `directory` (absolute) or, where that has some too, in $XDG_RUNTIME_DIR, and stays there for programs that are started later. False: can't
 * be made; `library` is as it was. */
bool hsc_cli_preloadable(const char *directory, char *library, size_t size);

#endif
