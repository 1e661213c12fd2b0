/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Colour maps of heat pictures and the way from a value to a colour. Pure computation, no Tcl, no X. */
#ifndef HSC_GUI_COLOUR_H
#define HSC_GUI_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "number.h"

/* Colours are 0x00RRGGBB, the layout of cairo's RGB24 and of 32-bit TrueColor visuals. */
typedef uint32_t hsc_rgb;

enum hsc_colours { HSC_COLOURS_INFERNO, HSC_COLOURS_VIRIDIS, HSC_COLOURS_CIVIDIS, HSC_COLOURS_CLASSIC, HSC_COLOURS_COUNT };
enum hsc_scaling { HSC_SCALING_LOG, HSC_SCALING_LINEAR };

#define HSC_COLOUR_STEPS 1024
#define HSC_COLOUR_SPAN_FROM 0.12 /* where the least value of a span is: 0 looks other */

/* Names for options, in the order of the enums, NULL-terminated. */
extern const char *const hsc_colours_names[];
extern const char *const hsc_scaling_names[];

/* Colour of position t in 0..1 (clamped). inferno is cut at 0.18 so that its lowest colour cannot be taken for black. */
hsc_rgb hsc_colour_at(enum hsc_colours map, double t);

/* Position 0..1 of a value when `maximum` is the hottest: log(1+v)/log(1+max) or v/max; 0 for v <= 0 and for NaN. */
double hsc_colour_position(enum hsc_scaling scaling, double value, double maximum);

/* The other way: the value at position t. */
double hsc_colour_value(enum hsc_scaling scaling, double t, double maximum);

/* A scale ready for many values: colours and the factor. */
typedef struct hsc_colour_scale {
    enum hsc_scaling scaling;
    float maximum, factor;
    bool diverging; /* from -maximum to maximum, 0 in the middle */
    bool ratio;     /* values are binary logarithms of ratios */
    float low;      /* > 0: logarithmic from here to the maximum, with a colour of its own for 0 */
    enum hsc_unit unit; /* of the values, for the legend */
    double unit_scale;  /* so much of the unit a value of 1 is */
    hsc_rgb steps[HSC_COLOUR_STEPS];
} hsc_colour_scale;
void hsc_colour_scale_init(hsc_colour_scale *s, enum hsc_colours map, enum hsc_scaling scaling, double maximum);
/* Colours for positive values that lie close together, or far from 1: logarithmic from the least to the maximum (a tenth of it at
 * least, so that little differences stay little); linear as above. */
void hsc_colour_scale_init_span(hsc_colour_scale *s, enum hsc_colours map, enum hsc_scaling scaling, double least, double maximum,
                                enum hsc_unit unit);
/* For changes: blue below 0, dark grey at 0, orange above; infinite values have the colours of the ends. Ratios are never scaled
 * logarithmically again. */
void hsc_colour_scale_init_change(hsc_colour_scale *s, enum hsc_scaling scaling, double maximum, bool ratio);
/* 0..1; of a diverging scale 0 is at 0.5. */
double hsc_colour_scale_position(const hsc_colour_scale *s, double value);
/* Colour of a value; NaN has no colour and must be sorted out before. */
hsc_rgb hsc_colour_scale_get(const hsc_colour_scale *s, float value);
/* n values to pixels; NaN becomes `no_code`. */
void hsc_colour_scale_fill(const hsc_colour_scale *s, const float *values, uint32_t n, hsc_rgb no_code, hsc_rgb *out);

/* Of the diverging map: t in -1..1. */
hsc_rgb hsc_colour_change(double t);

/* Mixture of two colours, t = 0: a. */
hsc_rgb hsc_colour_mix(hsc_rgb a, hsc_rgb b, double t);
/* Relative luminance 0..1 (sRGB). */
double hsc_colour_luminance(hsc_rgb c);
/* Black or white, whichever reads better on `background`. */
hsc_rgb hsc_colour_text_on(hsc_rgb background);
/* CIE L*a*b* (D65). */
void hsc_colour_lab(hsc_rgb c, double lab[3]);

#endif
