/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 95 % intervals of sampled numbers (docs/measurement.md, section 1). */
#include <math.h>

#include <heatscope/query.h>

#define Z95 1.959963984540054

double hsc_interval_effective(hsc_weighted v) {
    return v.sum > 0 ? v.sum * v.sum / (v.sum + fmax(0, v.excess)) : 0;
}

#define BORROWED 4 /* samples: of fewer, places of 10 to 30 samples hold the truth too seldom; of more nothing is gained */

/* Sum of w^2 / sum of w of what a place's samples are drawn from: of its own and a few of the run's, for a place of few samples may have met none of the rare
 * heavy ones. */
static double weight_of(hsc_weighted v, hsc_weighted all) {
    double of_run = all.sum > 0 ? 1 + fmax(0, all.excess) / all.sum : 1, borrowed = BORROWED * of_run;
    return (v.sum + fmax(0, v.excess) + borrowed * of_run) / (v.sum + borrowed);
}

void hsc_interval_sum(hsc_weighted v, hsc_weighted all, double *low, double *high) {
    double each = weight_of(v, all), n = fmax(0, v.sum) / each, m = n + 0.5, a = 1 - 1 / (9 * m), b = Z95 / (3 * sqrt(m));
    *low = n > 0 && a > b ? each * m * (a - b) * (a - b) * (a - b) : 0;
    *high = each * fmax(-log(0.05), m * (a + b) * (a + b) * (a + b)); /* the mid-P limit for none */
}

/* Variance of part / all, divided by that of a share of n equal draws, p (1 - p): that is 1 / n. The part and the rest are
 * independent sums. */
static double draws(hsc_weighted part, hsc_weighted all, double squares) {
    double p = part.sum / all.sum;
    double rest = all.sum - part.sum + fmax(0, all.excess - fmax(0, part.excess));
    if (!(p > 0) || !(p < 1))
        return hsc_interval_effective(all);
    return p * (1 - p) * all.sum * all.sum / ((1 - p) * (1 - p) * squares + p * p * rest);
}

void hsc_interval_share(hsc_weighted part, hsc_weighted all, double *low, double *high) {
    if (!(all.sum > 0)) {
        *low = *high = 0;
        return;
    }
    double n = draws(part, all, part.sum * weight_of(part, all)), p = fmin(1, fmax(0, part.sum / all.sum)), z2 = Z95 * Z95, centre = p + z2 / (2 * n),
           half = Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    *low = p > 0 ? fmax(0, (centre - half) / (1 + z2 / n)) : 0; /* by doubles the two are not quite the same */
    *high = p < 1 ? fmin(1, (centre + half) / (1 + z2 / n)) : 1;
}

void hsc_interval_ratio(double ratio, hsc_weighted part, hsc_weighted all, double *low, double *high) {
    double p = all.sum > 0 ? part.sum / all.sum : 0, half = 0;
    if (p > 0 && p < 1)
        half = Z95 * sqrt((1 - p) / (p * draws(part, all, part.sum + fmax(0, part.excess))));
    *low = ratio * exp(-half);
    *high = ratio * exp(half);
}

void hsc_interval_sampled(hsc_sampled of, double *low, double *high) {
    if (!of.known || !(of.v.sum > 0)) {
        hsc_interval_sum(of.v, of.all, low, high);
        return;
    }
    hsc_interval_share(of.v, of.all, low, high);
    *low *= of.all.sum;
    *high *= of.all.sum + of.lost;
    if (of.v.sum >= of.all.sum * (1 - 1e-12))
        *low = of.v.sum;
}

void hsc_interval_change(hsc_sampled a, hsc_sampled b, double *low, double *high) {
    double low_a, high_a, low_b, high_b, change = b.v.sum * b.scale - a.v.sum * a.scale;
    hsc_interval_sampled(a, &low_a, &high_a);
    hsc_interval_sampled(b, &low_b, &high_b);
    *low = change - hypot((b.v.sum - low_b) * b.scale, (high_a - a.v.sum) * a.scale);
    *high = change + hypot((high_b - b.v.sum) * b.scale, (a.v.sum - low_a) * a.scale);
}
