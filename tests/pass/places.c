// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discriminators of the line table are places of the map.
// RUN: for o in 0 1 2 3; do %cc -g -O$o %s -o %t.$o; %cxx -g -O$o %S/places_cxx.cpp -o %t.cxx.$o; %fc -g -O$o %S/places_f.f90 -o %t.f.$o; done
// RUN: %cc -g -gdwarf-4 -ffunction-sections -O2 %s -o %t.4
// RUN: python3 %S/places.py %heatscope %t.? %t.cxx.? %t.f.?
#include <stdio.h>
#include <stdlib.h>

static double table[64][64];

static inline double row(const double *r, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += r[i] > 0 ? r[i] : -r[i];
    return s;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            table[i][j] = i * argc - j;
    double total = 0;
    for (int i = 0; i < 64; i++) {
        total += row(table[i], 64) + row(table[63 - i], i);
        switch (i % 4) {
        case 1:
            qsort(table[i], 64, sizeof(double), compare);
            break;
        case 2:
            while (total > 1e6)
                total /= 2;
            break;
        default:
            if (total < 0)
                goto out;
        }
    }
out:
    return printf("%g %s\n", total, argv[0]) < 0;
}
