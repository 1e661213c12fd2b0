/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes any bytes UTF-8. */
#ifndef HEATSCOPE_FORMATS_TEXT_H
#define HEATSCOPE_FORMATS_TEXT_H

/* Each byte that is not part of a well-formed UTF-8 sequence becomes '?'. In place; never grows. */
void hsc_text_repair(char *text);

#endif
