/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Short numbers and ticks. */
#include "number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Writes a number, of at most 13 bytes, that begins with a hyphen if it is negative, with a minus sign. */
static size_t with_minus(size_t n, char out[HSC_NUMBER_MAX]) {
    if (out[0] != '-' || n + sizeof HSC_MINUS - 1 > HSC_NUMBER_MAX)
        return n;
    memmove(out + sizeof HSC_MINUS - 2, out, n + 1);
    memcpy(out, HSC_MINUS, sizeof HSC_MINUS - 1);
    return n + sizeof HSC_MINUS - 2;
}

static size_t write_short(double value, int width, char out[HSC_NUMBER_MAX]) {
    static const char suffix[] = " kMGTPE";
    out[0] = 0;
    if (isnan(value))
        return 0;
    double a = fabs(value);
    int sign = value < 0;
    if (isinf(value)) {
        memcpy(out, sign ? "-inf" : "inf", sign ? 5 : 4);
        return strlen(out);
    }
    if (a < 9.95 && a != floor(a) && a >= 0.05)
        return (size_t)snprintf(out, HSC_NUMBER_MAX, "%.1f", value);
    if (a < 9999.5)
        return (size_t)snprintf(out, HSC_NUMBER_MAX, "%.0f", round(value) + 0.0);
    double scaled = a;
    int power = 0;
    while (scaled >= 999.5 && power < 6) {
        scaled /= 1000;
        power++;
    }
    if (scaled >= 999.5)
        return (size_t)snprintf(out, HSC_NUMBER_MAX, "%.0e", value);
    /* one decimal where it is exact enough to matter and there is room: 9.9k, 12.3k */
    int n = snprintf(out, HSC_NUMBER_MAX, "%s%.1f%c", sign ? "-" : "", scaled, suffix[power]);
    if (n > width || scaled >= 99.95 || (out[n - 2] == '0'))
        n = snprintf(out, HSC_NUMBER_MAX, "%s%.0f%c", sign ? "-" : "", scaled, suffix[power]);
    return (size_t)n;
}

size_t hsc_number_short(double value, int width, char out[HSC_NUMBER_MAX]) { return with_minus(write_short(value, width, out), out); }

static size_t write_amount(double value, enum hsc_unit unit, char out[HSC_NUMBER_MAX]) {
    char number[HSC_NUMBER_MAX];
    double a = fabs(value);
    if (unit == HSC_UNIT_SECONDS && a > 0 && a < 0.9995)
        return (size_t)snprintf(out, HSC_NUMBER_MAX, a < 0.0009995 ? "%.3g \xc2\xb5s" : "%.3g ms", value * (a < 0.0009995 ? 1e6 : 1e3));
    if (unit == HSC_UNIT_SECONDS && a >= 9.95 && a < 99.95)
        return (size_t)snprintf(out, HSC_NUMBER_MAX, "%.1f s", value);
    if (unit == HSC_UNIT_BYTES && a >= 999.5 && a < 9999.5)
        return (size_t)snprintf(out, HSC_NUMBER_MAX, "%.3g kB", value / 1e3);
    size_t n = write_short(value, 5, number);
    if (unit == HSC_UNIT_NONE || !n || !(a > 0) || n + 4 > HSC_NUMBER_MAX) {
        memcpy(out, number, n + 1);
        return n;
    }
    char prefix[2] = {number[n - 1], 0}; /* k, M, ... belongs to the unit */
    if (isdigit((unsigned char)prefix[0]))
        prefix[0] = 0;
    else
        number[n - 1] = 0;
    return (size_t)snprintf(out, HSC_NUMBER_MAX, "%.9s %s%s", number, prefix, unit == HSC_UNIT_SECONDS ? "s" : "B");
}

size_t hsc_number_amount(double value, enum hsc_unit unit, char out[HSC_NUMBER_MAX]) { return with_minus(write_amount(value, unit, out), out); }

size_t hsc_number_change(double value, int width, int ratio, char out[HSC_NUMBER_MAX]) {
    char number[HSC_NUMBER_MAX];
    out[0] = 0;
    if (isnan(value))
        return 0;
    if (isinf(value))
        return (size_t)snprintf(out, HSC_NUMBER_MAX, "%s", value < 0 ? "gone" : "new");
    if (ratio) {
        double r = exp2(value);
        return (size_t)snprintf(out, HSC_NUMBER_MAX, r < 0.0995 ? "%.1g" HSC_TIMES : r < 9.95 ? "%.2g" HSC_TIMES : "%.0f" HSC_TIMES, r);
    }
    hsc_number_short(fabs(value), width - 1, number);
    return (size_t)snprintf(out, HSC_NUMBER_MAX, "%s%.12s", value > 0 ? "+" : value < 0 ? HSC_MINUS : "", number);
}

double hsc_number_step(double range, int wanted) {
    if (!(range > 0) || wanted < 1)
        return 1;
    double raw = range / wanted, base = pow(10, floor(log10(raw)));
    static const double steps[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++)
        if (base * steps[i] >= raw * (1 - 1e-9))
            return base * steps[i];
    return base * 10;
}

int hsc_number_ticks(int logarithmic, double maximum, int wanted, double *out, int capacity) {
    int n = 0;
    if (capacity < 1)
        return 0;
    out[n++] = 0;
    if (!(maximum > 0))
        return n;
    if (logarithmic) {
        int decades = (int)floor(log10(maximum)), every = decades / (wanted > 1 ? wanted : 1) + 1;
        for (int d = maximum < 10 ? 0 : 1; d <= decades && n < capacity; d += every)
            out[n++] = pow(10, d);
    } else {
        double step = hsc_number_step(maximum, wanted);
        for (int i = 1; i * step <= maximum * (1 + 1e-9) && n < capacity; i++)
            out[n++] = i * step;
    }
    return n;
}
