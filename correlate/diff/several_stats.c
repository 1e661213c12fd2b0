/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Intervals of differences between groups of runs. */
#include "several_stats.h"

#include <math.h>

double diff_series_student(double freedom) {
    static const double table[] = {12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139};
    enum { IN_TABLE = sizeof table / sizeof *table };
    const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    freedom = fmax(1, freedom);
    if (freedom >= IN_TABLE) /* Abramowitz and Stegun, 26.7.5 */
        return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) + (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * pow(freedom, 3));
    int n = (int)freedom; /* between two of them by 1 / freedom */
    double part = (1.0 / n - 1 / freedom) / (1.0 / n - 1.0 / (n + 1));
    return table[n - 1] + part * (table[n] - table[n - 1]);
}

typedef struct group {
    uint32_t runs;
    double sum, each;
    double variance, sampling; /* of one run's `each`: between runs, NAN for one run; by sampling */
} group;

static double each_of(const diff_series *s, const diff_series_measure *m) { return s->scaling ? m->each.sum * m->each_scale : m->sum.sum * m->scale; }

static hsc_sampled sampled_of(const diff_series *s, uint32_t run, const diff_series_measure *m) {
    const diff *d = &s->pair[run ? run : 1];
    hsc_sampled of = diff_sampled_of(d, run != 0, s->scaling ? m->each : m->sum);
    of.scale = s->scaling ? m->each_scale : m->scale;
    return of;
}

/* A scale to multiply what is not there with. */
static void make_there(const diff_series *s, uint32_t run, diff_series_measure *m) {
    const report *r = diff_series_run(s, run);
    if (m->known)
        return;
    m->scale = r->unit.scale;
    m->each_scale = r->working ? r->unit.scale / r->working : 0;
}

static group group_of(const diff_series *s, uint32_t g, const diff_series_measure *m) {
    group x = {0};
    double squares = 0;
    for (uint32_t k = 0; k < s->runs; k++) {
        diff_series_measure of = m[k];
        if (s->group_of[k] != g)
            continue;
        make_there(s, k, &of);
        x.runs++;
        x.sum += of.sum.sum * of.scale;
        x.each += each_of(s, &of);
        if (!of.exact && !diff_series_run(s, k)->unit.exact) {
            double low, high;
            hsc_sampled sampled = sampled_of(s, k, &of);
            hsc_interval_sampled(sampled, &low, &high);
            x.sampling += pow((high - low) * sampled.scale / 2 / 1.959964, 2);
        }
    }
    x.sum /= x.runs;
    x.each /= x.runs;
    x.sampling /= x.runs;
    for (uint32_t k = 0; k < s->runs; k++)
        if (s->group_of[k] == g)
            squares += pow(each_of(s, &m[k]) - x.each, 2);
    x.variance = x.runs > 1 ? fmax(squares / (x.runs - 1), x.sampling) : NAN;
    return x;
}

/* Of groups with repeats, all of them: variance over the mean's square, and its degrees of freedom. */
static double relative_variance(const group *x, uint32_t groups, double *freedom) {
    double sum = 0;
    *freedom = 0;
    for (uint32_t g = 0; g < groups; g++)
        if (x[g].runs > 1 && x[g].each > 0) {
            sum += (x[g].runs - 1) * x[g].variance / (x[g].each * x[g].each);
            *freedom += x[g].runs - 1;
        }
    return *freedom > 0 ? sum / *freedom : 0;
}

/* Welch's interval of x - ideal * first. A variance that is borrowed makes both one: then it has the lender's degrees of freedom. */
static void repeated_interval(const group *first, const group *x, double ideal, double relative, double freedom, diff_series_value *of) {
    const group *of_both[] = {first, x};
    double variance = 0, bottom = 0;
    for (int i = 0; i < 2; i++) {
        const group *y = of_both[i];
        double v = y->runs > 1 ? y->variance : fmax(relative * y->each * y->each, y->sampling), n = y->runs > 1 ? y->runs - 1 : fmax(1, freedom);
        v *= (i ? 1 : ideal * ideal) / y->runs;
        variance += v;
        bottom += v * v / n;
    }
    bool borrowed = first->runs == 1 || x->runs == 1;
    double half = variance > 0 ? diff_series_student(borrowed ? freedom : variance * variance / bottom) * sqrt(variance) : 0;
    of->low = of->loss - half;
    of->high = of->loss + half;
    of->beyond = of->low > 0 || of->high < 0;
}

static void sampled_interval(const diff_series *s, uint32_t k, const diff_series_measure *m, double ideal, diff_series_value *of) {
    diff_series_measure first = m[0], x = m[k];
    make_there(s, 0, &first);
    make_there(s, k, &x);
    of->low = of->high = of->loss;
    hsc_sampled a = sampled_of(s, 0, &first), b = sampled_of(s, k, &x);
    a.scale *= ideal;
    if (!diff_series_run(s, 0)->unit.exact || !diff_series_run(s, k)->unit.exact)
        hsc_interval_change(a, b, &of->low, &of->high);
    of->beyond = of->low > 0 || of->high < 0;
}

void diff_series_judge(const diff_series *s, const diff_series_measure *m, diff_series_value *of) {
    group x[DIFF_GROUPS];
    double freedom;
    bool exact = true;
    for (uint32_t k = 0; k < s->runs; k++)
        exact &= m[k].exact || !m[k].known;
    for (uint32_t g = 0; g < s->groups; g++)
        x[g] = group_of(s, g, m);
    double relative = relative_variance(x, s->groups, &freedom);
    for (uint32_t g = 0; g < s->groups; g++) {
        double ideal = s->scaling ? diff_series_ideal(s, g) : 1, grown = (double)diff_series_working(s, g) / fmax(1, diff_series_working(s, 0));
        of[g] = (diff_series_value){.sum = x[g].sum, .each = x[g].each, .speedup = NAN, .efficiency = NAN, .work_efficiency = NAN, .low = NAN, .high = NAN, .beyond = g && exact};
        if (s->scaling && x[0].each > 0 && x[g].each > 0) {
            of[g].speedup = x[0].each / x[g].each;
            of[g].efficiency = of[g].speedup * ideal;
            of[g].work_efficiency = x[0].sum / x[g].sum * (s->weak ? grown : 1);
        }
        if (!g)
            continue;
        of[g].loss = x[g].each - ideal * x[0].each;
        if (s->repeated)
            repeated_interval(&x[0], &x[g], ideal, relative, freedom, &of[g]);
        else if (!exact)
            sampled_interval(s, diff_series_first(s, g), m, ideal, &of[g]);
    }
}
