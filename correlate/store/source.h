/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text of a source file as it is on disk. */
#ifndef HEATSCOPE_STORE_SOURCE_H
#define HEATSCOPE_STORE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include <heatscope/formats/err.h>

/* Reads the file `name`, or the one with the longest equal path tail under the folders of HEATSCOPE_SOURCE_PATH (separated
 * by colons). *text is malloc'ed and NUL-terminated. *changed: its MD5 is not `checksum` (hexadecimal; "": not known). *st
 * is of the file that was read. HSC_E_MISSING says where was looked; HSC_E_LIMIT above 64 MiB; HSC_E_IO, HSC_E_MEMORY. */
hsc_status hsc_source_read(const char *name, const char *checksum, char **text, size_t *size, bool *changed, struct stat *st,
                           hsc_err *err);

#endif
