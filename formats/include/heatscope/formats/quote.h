/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text as CSV and JSON want it. */
#ifndef HEATSCOPE_FORMATS_QUOTE_H
#define HEATSCOPE_FORMATS_QUOTE_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

void hsc_quote_csv(FILE *out, const char *text);  /* RFC 4180: quotes only where they are needed */
void hsc_quote_json(FILE *out, const char *text); /* RFC 8259: always in quotes; text is UTF-8 */

#ifdef __cplusplus
}
#endif
#endif
