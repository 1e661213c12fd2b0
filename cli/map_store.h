/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is kept aside of programs that will be stripped: their maps and debug information, by build id. */
#ifndef HEATSCOPE_CLI_MAP_STORE_H
#define HEATSCOPE_CLI_MAP_STORE_H

#include <stddef.h>

#include <heatscope/formats/err.h>

/* The folders that are looked into, first the one that --save writes to: $XDG_DATA_HOME/heatscope/maps, else
 * ~/.local/share/heatscope/maps; then debuginfod's cache. Those that the environment does not tell are left out. Returns
 * the number of them (at most 2); dirs[i] points into `buffer`. */
size_t hsc_map_store_dirs(char *buffer, size_t size, const char *dirs[2]);

/* Writes FOLDER/.build-id/xx/REST.debug: the map, the debug information (compressed), the symbols and the notes of an ELF
 * program or library, the layout that debuggers know. Folders are made. `written` gets the path. HSC_E_MISSING: the file
 * has no build id, or neither map nor debug information; HSC_E_FORMAT, HSC_E_IO, HSC_E_LIMIT. */
hsc_status hsc_map_store_save(const char *folder, const char *program, char *written, size_t size, hsc_err *err);

#endif
