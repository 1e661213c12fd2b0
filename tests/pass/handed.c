// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that procedures are handed: where these were put in line everywhere, the generated code shows how many elements there are at most.
// RUN: %cc -g -O3 -c %s -o %t.o; %map --arrays %t.o | %check
// RUN: %cc -O2 -c %s -o %t.n.o; %map --arrays %t.n.o | FileCheck-19 --check-prefix=NAMES %s
// RUN: %cc -g -O0 -c %s -o %t.0.o; %map --arrays %t.0.o | FileCheck-19 --check-prefix=WRITTEN %s
// CHECK-DAG: array near[24]: const facet,
// CHECK-DAG: array either[40]: const facet,
// CHECK-DAG: array any[?]: const facet,
// CHECK-DAG: array open[?]: const facet,
// CHECK-DAG: array inside[?]: const facet,
// CHECK-DAG: array counts[53]: const short,
// NAMES-DAG: array near[24]: ?,
// NAMES-DAG: array inside[?]: ?,
// WRITTEN: array near[?]: const facet,
struct facet {
    double distance;
    int id;
};
struct facet all[40];
void fill(struct facet *f, int n);

static int nearest(const struct facet *near, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (near[i].distance < near[best].distance)
            best = i;
    return best;
}

static double least(const struct facet *either, int n) {
    double best = 1e9;
    for (int i = 0; i < n; i++)
        if (either[i].distance < best)
            best = either[i].distance;
    return best;
}

static double sum(const struct facet *any, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += any[i].distance;
    return s;
}

// Others may call it, with any array.
double most(const struct facet *open, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        if (open[i].distance > s)
            s = open[i].distance;
    return s;
}

// Of what is larger than the array itself nothing is told.
struct cell {
    double volume;
    struct facet of[24];
} one;
static double area(const struct facet *inside, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s -= inside[i].distance;
    return s;
}

// All that two of the copies read is read in vectors, which have no place.
static int rest(const short *counts, unsigned most, unsigned n) {
    if (most < n)
        return 1;
    for (unsigned i = 0; i <= n; i++)
        if (counts[i] == 0)
            return 1;
    return 2;
}

unsigned count(short *to, unsigned *most);
void rests(int *out, unsigned n) {
    short few[32], more[53], some[36];
    unsigned a = 31, b = 52, c = 35;
    if (count(more, &b) > 9)
        return;
    out[0] = rest(more, b, 52);
    if (count(some, &c) > 9)
        return;
    out[1] = rest(some, c, 35);
    if (count(few, &a) > 9)
        return;
    out[2] = rest(few, a, n < 31 ? n : 31);
}

int look(int n) {
    struct facet f[24];
    fill(f, n);
    return nearest(f, n);
}

double look_at_all(const struct facet *others, int n) {
    struct facet f[24];
    fill(f, n);
    return least(f, n) + least(all, n) + sum(f, n) + sum(others, n) + most(f, n) + area(one.of, n);
}
