/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text of a source file: as it is on disk, or as it was kept when the database was made. */
#ifndef HEATSCOPE_STORE_SOURCE_H
#define HEATSCOPE_STORE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <heatscope/formats/err.h>

/* Reads the file `name`, or the one with the longest equal path tail under the folders of HEATSCOPE_SOURCE_PATH (separated
 * by colons). *text is malloc'ed and NUL-terminated. *changed: its MD5 is not `checksum` (hexadecimal; "": not known). *st
 * is of the file that was read. HSC_E_MISSING says where was looked; HSC_E_LIMIT above 64 MiB; HSC_E_IO, HSC_E_MEMORY. */
hsc_status hsc_source_read(const char *name, const char *checksum, char **text, size_t *size, bool *changed, struct stat *st,
                           hsc_err *err);

/* Where a file is kept as it was compiled: in the folder .NAME.sources beside the database NAME, by its checksum, else by its path. Malloc'ed; NULL: no memory. With name NULL the folder. */
char *hsc_source_kept_path(const char *database, const char *name, const char *checksum);

/* Of a file whose checksum the build doesn't tell: is its text, last changed as st says, another one than that of the build? module: its program or library; run_s: when the
 * run began, s since 1970; 0 not known. A module that is younger than the run is another build: what was changed after the run began is another text then. */
bool hsc_source_is_younger(const struct stat *st, const char *module, int64_t run_s);

#endif
