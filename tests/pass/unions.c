// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members of unions: the one that the source names; where it can't be told which one that is, the union by itself.
// RUN: for o in 0 1 2 3; do %cc -g -O$o -c %s -o %t.$o.o; %map --arrays %t.$o.o | %check; done
#include <stdlib.h>

struct narrow {
    double a;
    int i;
};
struct wide {
    float mass[4], bias[4], pad[24];
};
struct color {
    int n;
    union {
        struct wide *wide;
        struct narrow *narrow;
    };
};
struct colour {
    int n;
    union {
        struct narrow *narrow;
        struct wide *wide;
    };
};
struct context {
    struct color *colors;
    struct colour *colours;
};

// CHECK: work
float work(struct context *c, int k, int n) {
    struct color *color = c->colors + k;
    struct wide *w = color->wide;
    float s = 0;
    for (int i = 0; i < n; i++)
        // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads c->colors[].wide[].mass[k][i][0]:
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads c->colors[].wide[].bias[k][i][1]:
        s += w[i].mass[0] * w[i].bias[1];
    return s;
}

// CHECK: other_order
float other_order(struct context *c, int k, int n) {
    struct colour *colour = c->colours + k;
    struct wide *w = colour->wide;
    struct narrow *t = colour->narrow;
    float s = 0;
    for (int i = 0; i < n; i++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads c->colours[].wide[].bias[k][i][1]:
        s += w[i].bias[1];
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads c->colours[].narrow[].i[k][i]:
        s += t[i].i;
    }
    return s;
}

// a macro names the member where the compiler's place can't show it: the variable's type tells
#define WIDE(c) ((c)->wide)
#define NARROW(c) ((c)->narrow)
// CHECK: by_macro
float by_macro(struct color *c, int n) {
    struct wide *w = WIDE(c);
    struct narrow *t = NARROW(c);
    float s = 0;
    for (int i = 0; i < n; i++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads c->wide[].mass[i][2]:
        s += w[i].mass[2];
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads c->narrow[].a[i]:
        s += t[i].a;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads c->wide[].pad[i][3]:
        s += WIDE(c)[i].pad[3];
    }
    return s;
}

struct number {
    int tag;
    union {
        int i;
        float f;
        double d;
        long l;
        unsigned long u;
        double pair[2];
        struct {
            float re, im;
        };
        struct narrow t;
    };
};
#define VALUE(x, m) ((x).m)
// CHECK: scalars
double scalars(struct number *v, int n) {
    double s = 0;
    for (int k = 0; k < n; k++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].d[k]:
        s += v[k].d;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].f[k]:
        s += v[k].f;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].u[k]:
        s += v[k].u;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].pair[k][1]:
        s += v[k].pair[1];
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].im[k]:
        s += v[k].im;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].re[k]:
        s += v[k].re;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].t.i[k]:
        s += v[k].t.i;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].tag[k]:
        s += v[k].tag;
    }
    return s;
}
// by the type of what is read; of two that have it neither
// CHECK: scalars_by_macro
double scalars_by_macro(struct number *v, int n) {
    double s = 0;
    for (int k = 0; k < n; k++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].d[k]:
        s += VALUE(v[k], d);
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].{l|u}[k]:
        s += VALUE(v[k], u);
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].im[k]:
        s += VALUE(v[k], im);
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].t.i[k]:
        s += VALUE(v[k], t.i);
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[].pair[k][1]:
        s += VALUE(v[k], pair[1]);
    }
    return s;
}

struct named {
    long n;
    union either {
        struct wide *wide;
        struct narrow *narrow;
        struct narrow here;
        double d;
    } u;
};
// CHECK: named_behind
double named_behind(struct named *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads a->u.wide[].bias[i][0]:
        s += a->u.wide[i].bias[0];
    return s;
}
// CHECK: named
double named(struct named *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads a[].u.here.i[i]:
        s += a[i].u.here.i;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads a[].u.d[i]:
        s += a[i].u.d;
    }
    return s;
}

// a structure without name in one: its members are the outer one's
struct inner {
    int n;
    struct {
        double x, y;
        struct {
            double z[4];
        };
    };
};
// CHECK: unnamed
double unnamed(struct inner *p, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads p[].y[i]:
        s += p[i].y;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads p[].z[i][2]:
        s += p[i].z[2];
    }
    return s;
}

// a pointer to one structure that is kept as one to another has the other's members; that of bytes, too
// CHECK: kept_as
double kept_as(struct narrow *from, void *bytes, int n) {
    struct wide *w = (struct wide *)from;
    struct narrow *t = bytes;
    double s = 0;
    for (int i = 0; i < n; i++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads w[].bias[i][1]:
        s += w[i].bias[1];
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads bytes[].i[i]:
        s += t[i].i;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads from[].a[i]:
        s += from[i].a;
    }
    return s;
}
