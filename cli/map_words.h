/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Words for what the map knows of loops and OpenMP directives. */
#ifndef HEATSCOPE_CLI_MAP_WORDS_H
#define HEATSCOPE_CLI_MAP_WORDS_H

#include <stddef.h>

#include "map_check.h"

/* What follows the last slash. */
const char *hsc_map_file_name(const char *path);
/* Of enum loop_version, shorter than the enum's texts. */
const char *hsc_map_version_word(uint64_t version);
/* " 4 lanes" of a vector version, " (parts packed by 2)" of another with vector code of operations in a row; "": neither. */
char *hsc_map_lanes_words(uint64_t version, uint64_t width, char *out, size_t size);
/* Prints " [i = 0; i < n; step 2; 100 iterations]" with what is known; nothing where nothing is. */
void hsc_map_print_control(const hsc_rec_loop *loop);
/* Prints the directives of a procedure, a line each, with the calls of the run time that they cause. */
void hsc_map_print_directives(const hsc_map_module *m, uint64_t procedure_id);

#endif
