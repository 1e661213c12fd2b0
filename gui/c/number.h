/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers as people read them in cells, labels and ticks. */
#ifndef HSC_GUI_NUMBER_H
#define HSC_GUI_NUMBER_H

#include <stddef.h>

#define HSC_NUMBER_MAX 16
#define HSC_MINUS "\xe2\x88\x92" /* U+2212, of one character */
#define HSC_TIMES "\xc3\x97" /* the sign for times, in UTF-8 */

/* At most `width` characters (3..15): integers while they fit in four digits (or width), then 12k, 1.2M, 3.4G, 2e15;
 * values below 10 that are not whole keep one decimal. Returns the length in bytes. NaN gives "". */
size_t hsc_number_short(double value, int width, char out[HSC_NUMBER_MAX]);

enum hsc_unit { HSC_UNIT_NONE, HSC_UNIT_SECONDS, HSC_UNIT_BYTES };

/* The same with its unit: "14 ms", "203 s", "19.6 MB". */
size_t hsc_number_amount(double value, enum hsc_unit unit, char out[HSC_NUMBER_MAX]);

/* A change with its sign: "+12", "â3.4k"; of a ratio's binary logarithm "1.5x", "new" and "gone" for infinite ones. */
size_t hsc_number_change(double value, int width, int ratio, char out[HSC_NUMBER_MAX]);

/* Ticks for a scale from 0 to `maximum`: 0 and round values below it, rising (powers of ten for logarithmic scales,
 * 1-2-5 steps for linear ones). Returns their number, at most `capacity`. */
int hsc_number_ticks(int logarithmic, double maximum, int wanted, double *out, int capacity);

/* Round step (1, 2, 5 times a power of ten) so that `range` has at most `wanted` steps. */
double hsc_number_step(double range, int wanted);

#endif
