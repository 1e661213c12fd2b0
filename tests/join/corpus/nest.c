/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C for the symbol test: nests, a switch in a loop, early exits, helpers inlined at several places, loops without end. */
#include <stddef.h>
#include <string.h>

static inline double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

static double row_sum(const double *a, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += clamp(a[i], -1, 1);
    return sum;
}

double matrix(double *restrict c, const double *restrict a, const double *restrict b, size_t n) {
    double trace = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
        trace += row_sum(c + i * n, n);
    }
    return trace + row_sum(a, n * n);
}

size_t scan(const char *text, int *words, int *digits) {
    size_t n = 0;
    int inside = 0;
    for (const char *p = text;; p++) {
        switch (*p) {
        case 0:
            return n;
        case ' ':
        case '\n':
            inside = 0;
            break;
        case '0' ... '9':
            ++*digits;
            /* fallthrough */
        default:
            *words += !inside;
            inside = 1;
        }
        n++;
    }
}

int collatz(unsigned long n) {
    int steps = 0;
again:
    if (n == 1)
        return steps;
    n = n & 1 ? 3 * n + 1 : n / 2;
    steps++;
    goto again;
}

void smooth(double *restrict out, const double *restrict in, size_t n, int times) {
    do {
        for (size_t i = 1; i + 1 < n; i++)
            out[i] = 0.25 * in[i - 1] + 0.5 * in[i] + 0.25 * in[i + 1];
        for (size_t i = 0; i < 4; i++)
            out[i] *= clamp(out[i], 0, 2);
    } while (--times > 0);
    memset(out, 0, sizeof *out);
}
