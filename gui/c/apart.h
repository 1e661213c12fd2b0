/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What tells instances of one template apart in lists, where names are short. */
#ifndef HSC_GUI_APART_H
#define HSC_GUI_APART_H

#include "handle.h"

/* "float" of "Grid<float>::sweep" where there is a Grid<double>::sweep too: those template arguments that differ among the procedures that begin at one
 * line, shortened; "": it is the only one, or no instance. Borrowed. The first call reads the scopes once. */
const char *hsc_handle_apart(hsc_handle *h, uint32_t procedure);
/* A procedure's short name (names.h) with what tells it apart: "Grid<float>::sweep". Any other scope's short name. */
void hsc_handle_short_name(hsc_handle *h, uint32_t scope, const char *name, char *out, size_t capacity);
void hsc_apart_free(struct hsc_apart *a); /* NULL: nothing */

#endif
