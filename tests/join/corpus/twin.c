/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One source compiled twice, with VARIANT 1 and 2: two units of one name with different loops. */
#define NAME2(a, b) a##b
#define NAME(a, b) NAME2(a, b)

double NAME(work, VARIANT)(const double *a, int n);

double NAME(work, VARIANT)(const double *a, int n) {
    double sum = 0;
#if VARIANT == 2
    for (int k = 0; k < n; k++)
#endif
        for (int i = 0; i < n; i++)
            sum += a[i] * VARIANT;
    return sum;
}
