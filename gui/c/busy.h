/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queries that take long: since when, whether to go on, and who shows it. One record an interpreter.
 *
 * Time counts from when the event loop last handed out an event, so a script of many short queries counts as one. What
 * the user stops stays stopped until then, too. */
#ifndef HSC_GUI_BUSY_H
#define HSC_GUI_BUSY_H

#include "tclcompat.h"

#include <stdbool.h>
#include <stdint.h>

enum { HSC_BUSY_AFTER_MS = 200, HSC_BUSY_EVERY_MS = 40 };

typedef struct hsc_busy hsc_busy;

hsc_busy *hsc_busy_of(Tcl_Interp *interp);
/* An hsc_db_progress; ctx is an hsc_busy. */
bool hsc_busy_step(void *ctx, uint64_t done, uint64_t whole);

/* Called every HSC_BUSY_EVERY_MS from HSC_BUSY_AFTER_MS on, and once with seconds < 0 when all is done. false: stop. It
 * may handle events, but none that asks queries. */
typedef bool (*hsc_busy_show)(void *ctx, double seconds, uint64_t done, uint64_t whole);
bool hsc_busy_add(hsc_busy *b, hsc_busy_show show, void *ctx); /* false: no memory */
void hsc_busy_remove(Tcl_Interp *interp, const void *ctx);

#endif
