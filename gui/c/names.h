/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of procedures, as long as there is room: what is said of all of a kind goes first. */
#ifndef HSC_GUI_NAMES_H
#define HSC_GUI_NAMES_H

#include <stddef.h>

#include "canvas.h"

/* A name of C++ without what makes it long: template arguments and the function's arguments. Other names as they are. */
void hsc_name_short(const char *name, char *out, size_t capacity);
/* "b::f" of "a::b::f": a short name without the outermost namespace or class; NULL: it is in none, or has no name of its own (a lambda). */
const char *hsc_name_inner(const char *name);
/* A short name in so much room: where it has none for all, without namespaces and classes (from the outside), then without template arguments, then
 * without its middle; a number or sign before it stays. What has no room even so is to be cut where it is drawn. */
void hsc_name_fit(const hsc_font *f, const char *name, double room, char *out, size_t size);

#endif
