/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of files that are being made beside those they will be renamed to: a signal handler can remove them all. */
#ifndef HEATSCOPE_STORE_UNFINISHED_H
#define HEATSCOPE_STORE_UNFINISHED_H

/* Before the first of a run. */
void hsc_unfinished_begin(void);

/* Removes the named files, and those named from now on as soon as they are. Safe in signal handlers. */
void hsc_unfinished_drop(void);

/* From now on the path, which is borrowed, is to be removed; call it before the file is made, or at once afterwards. Of more than
 * some files at a time the rest is not noted. */
void hsc_unfinished_add(const char *path);

/* The file was just made: removes it if a signal came before. */
void hsc_unfinished_made(const char *path);

/* The file has another name, or is removed. */
void hsc_unfinished_end(const char *path);

#endif
