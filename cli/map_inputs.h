/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the maps of whatever the user names. */
#ifndef HEATSCOPE_CLI_MAP_INPUTS_H
#define HEATSCOPE_CLI_MAP_INPUTS_H

#include "map_check.h"

/* Adds the modules of the path to the model: a program, library, object file, archive, a file written by `heatscope map
 * -o`, or a folder: then of all of these in it and in the folders below, symbolic links not followed. A module that is
 * there already (the object file beside the program it was linked into) is taken once. HSC_E_MISSING: no map in it. */
hsc_status hsc_map_inputs_add(hsc_map_model *model, const char *path, hsc_err *err);

#endif
