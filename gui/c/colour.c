/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Colour maps: anchors, interpolation, scales. */
#include "colour.h"

#include <math.h>
#include <stddef.h>

const char *const hsc_colours_names[] = {"inferno", "viridis", "cividis", "classic", NULL};
const char *const hsc_scaling_names[] = {"log", "linear", NULL};

#define ANCHORS 33

/* Equidistant anchors of the published maps (inferno and viridis: van der Walt and Smith, public domain; cividis: Nunez,
 * Anderton, Renslow 2018). inferno's are those from 0.18 to 1. */
static const hsc_rgb anchors[HSC_COLOURS_CLASSIC][ANCHORS] = {
    [HSC_COLOURS_INFERNO] =
    {0x390963, 0x440a69, 0x4f0d6c, 0x59116e, 0x64156e, 0x6e196e, 0x791c6d, 0x83206b, 0x8d2469, 0x982766, 0xa22b62,
     0xac2f5d, 0xb63458, 0xc03952, 0xc93f4b, 0xd24644, 0xda4e3d, 0xe15635, 0xe75f2d, 0xed6925, 0xf2741d, 0xf67f14,
     0xf98a0c, 0xfb9606, 0xfca209, 0xfcaf13, 0xfbbb21, 0xf9c830, 0xf6d542, 0xf3e257, 0xf1ed71, 0xf4f78c, 0xfcffa4},
    [HSC_COLOURS_VIRIDIS] =
    {0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453681, 0x424086, 0x3f4989, 0x3b528b, 0x375a8d, 0x33638d,
     0x2f6a8e, 0x2c728e, 0x297a8e, 0x26818e, 0x23898e, 0x21908c, 0x1f988b, 0x1f9f88, 0x21a685, 0x28ae80, 0x31b57b,
     0x3ebc74, 0x4cc26c, 0x5dc963, 0x6ece58, 0x82d34c, 0x96d83f, 0xabdc32, 0xc0df24, 0xd5e21a, 0xeae51a, 0xfde725},
    [HSC_COLOURS_CIVIDIS] =
    {0x00224e, 0x00285b, 0x002e6a, 0x043371, 0x1a386f, 0x273e6e, 0x32436d, 0x3b496c, 0x434e6c, 0x4b546c, 0x52596d,
     0x5a5f6e, 0x61656f, 0x686a71, 0x6f7073, 0x757676, 0x7c7b78, 0x848179, 0x8b8778, 0x938d78, 0x9b9376, 0xa39a75,
     0xaba072, 0xb3a670, 0xbbad6c, 0xc3b469, 0xccba64, 0xd4c15f, 0xddc958, 0xe6d051, 0xefd748, 0xf8df3c, 0xfee838},
};

/* blue, green, red: what profilers of the nineties drew */
static const hsc_rgb classic[3] = {0x0000ff, 0x00ff00, 0xff0000};

hsc_rgb hsc_colour_mix(hsc_rgb a, hsc_rgb b, double t) {
    hsc_rgb out = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double x = (double)((a >> shift) & 255), y = (double)((b >> shift) & 255);
        out |= (hsc_rgb)(x + (y - x) * t + 0.5) << shift; /* t is from 0 to 1, so it is not below 0 */
    }
    return out;
}

hsc_rgb hsc_colour_at(enum hsc_colours map, double t) {
    const hsc_rgb *from = map < HSC_COLOURS_CLASSIC ? anchors[map] : classic;
    int last = map < HSC_COLOURS_CLASSIC ? ANCHORS - 1 : 2;
    if (!(t > 0))
        return from[0];
    if (t >= 1)
        return from[last];
    double p = t * last;
    int i = (int)p;
    return hsc_colour_mix(from[i], from[i + 1], p - i);
}

double hsc_colour_position(enum hsc_scaling scaling, double value, double maximum) {
    if (!(value > 0) || !(maximum > 0))
        return 0;
    double t = scaling == HSC_SCALING_LOG ? log1p(value) / log1p(maximum) : value / maximum;
    return t < 1 ? t : 1;
}

double hsc_colour_value(enum hsc_scaling scaling, double t, double maximum) {
    if (!(maximum > 0) || !(t > 0))
        return 0;
    return scaling == HSC_SCALING_LOG ? expm1(t * log1p(maximum)) : t * maximum;
}

/* Okabe and Ito's blue and orange, lighter at the ends; the orange end is the lighter one, so that the ends are told apart without
 * colour. The middle is dark, yet not the black of "no code". */
hsc_rgb hsc_colour_change(double t) {
    static const hsc_rgb less[] = {0x45474f, 0x22639c, 0x4fa8f0}, more[] = {0x45474f, 0xb45a12, 0xffc868};
    const hsc_rgb *from = t < 0 ? less : more;
    double p = 2 * fabs(t);
    if (!(p > 0))
        return from[0];
    return p >= 2 ? from[2] : p >= 1 ? hsc_colour_mix(from[1], from[2], p - 1) : hsc_colour_mix(from[0], from[1], p);
}

void hsc_colour_scale_init_change(hsc_colour_scale *s, enum hsc_scaling scaling, double maximum, bool ratio) {
    *s = (hsc_colour_scale){.scaling = ratio ? HSC_SCALING_LINEAR : scaling, .maximum = (float)maximum, .diverging = true, .ratio = ratio, .unit_scale = 1};
    for (int i = 0; i < HSC_COLOUR_STEPS; i++)
        s->steps[i] = hsc_colour_change(2.0 * i / (HSC_COLOUR_STEPS - 1) - 1);
}

double hsc_colour_scale_position(const hsc_colour_scale *s, double value) {
    if (s->low > 0) {
        double low = (double)s->low, t = value > low ? log(value / low) / log((double)s->maximum / low) : 0;
        return value > 0 ? HSC_COLOUR_SPAN_FROM + (1 - HSC_COLOUR_SPAN_FROM) * (t < 1 ? t : 1) : 0;
    }
    if (!s->diverging)
        return hsc_colour_position(s->scaling, value, (double)s->maximum);
    double t = isinf(value) ? 1 : hsc_colour_position(s->scaling, fabs(value), (double)s->maximum);
    return 0.5 + (value < 0 ? -t : t) / 2;
}

void hsc_colour_scale_init(hsc_colour_scale *s, enum hsc_colours map, enum hsc_scaling scaling, double maximum) {
    s->diverging = s->ratio = false;
    s->low = 0;
    s->unit = HSC_UNIT_NONE;
    s->unit_scale = 1;
    s->scaling = scaling;
    s->maximum = (float)maximum;
    double top = scaling == HSC_SCALING_LOG ? log1p(maximum) : maximum;
    s->factor = maximum > 0 ? (float)((HSC_COLOUR_STEPS - 1) / top) : 0;
    for (int i = 0; i < HSC_COLOUR_STEPS; i++)
        s->steps[i] = hsc_colour_at(map, (double)i / (HSC_COLOUR_STEPS - 1));
}

void hsc_colour_scale_init_span(hsc_colour_scale *s, enum hsc_colours map, enum hsc_scaling scaling, double least, double maximum,
                                enum hsc_unit unit) {
    hsc_colour_scale_init(s, map, scaling, maximum);
    s->unit = unit;
    if (scaling == HSC_SCALING_LOG && maximum > 0)
        s->low = (float)(least > 0 && least < maximum / 10 ? least : maximum / 10);
}

hsc_rgb hsc_colour_scale_get(const hsc_colour_scale *s, float value) {
    if (s->diverging)
        return s->steps[(int)lround(hsc_colour_scale_position(s, (double)value) * (HSC_COLOUR_STEPS - 1))];
    if (!(value > 0))
        return s->steps[0];
    if (s->low > 0)
        return s->steps[(int)lround(hsc_colour_scale_position(s, (double)value) * (HSC_COLOUR_STEPS - 1))];
    float p = (s->scaling == HSC_SCALING_LOG ? log1pf(value) : value) * s->factor;
    int i = p >= HSC_COLOUR_STEPS - 1 ? HSC_COLOUR_STEPS - 1 : (int)p;
    return s->steps[i];
}

void hsc_colour_scale_fill(const hsc_colour_scale *s, const float *values, uint32_t n, hsc_rgb no_code, hsc_rgb *out) {
    for (uint32_t i = 0; i < n; i++)
        out[i] = isnan(values[i]) ? no_code : hsc_colour_scale_get(s, values[i]);
}

static double linear_of(uint32_t byte) {
    double v = byte / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

double hsc_colour_luminance(hsc_rgb c) {
    return 0.2126 * linear_of((c >> 16) & 255) + 0.7152 * linear_of((c >> 8) & 255) + 0.0722 * linear_of(c & 255);
}

hsc_rgb hsc_colour_text_on(hsc_rgb background) {
    /* equal contrast lies at 0.18; white stays a little longer because small black digits look thinner */
    return hsc_colour_luminance(background) > 0.24 ? 0x000000 : 0xffffff;
}

static double lab_curve(double t) { return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116; }

void hsc_colour_lab(hsc_rgb c, double lab[3]) {
    double r = linear_of((c >> 16) & 255), g = linear_of((c >> 8) & 255), b = linear_of(c & 255);
    double x = lab_curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
    double y = lab_curve(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
    double z = lab_curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}
