/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops whose truth is known by construction: the loop marked @NAME on its first line, and no other but those of main,
 * touches the array mk_NAME, in each of its iterations. An instruction that uses an address in mk_NAME belongs to loop NAME.
 * "@NAME in OTHER": OTHER is the next loop round it in the source. */
#include <math.h>
#include <stdlib.h>

enum { N = 203, M = 37 };
#define NOINLINE __attribute__((noinline))
#define KEEP __attribute__((used, aligned(64)))
#define D(name) KEEP double mk_##name[N + 64]
#define F(name) KEEP float mk_##name[N + 64]
#define I(name) KEEP int mk_##name[N + 64]
#define C(name) KEEP unsigned char mk_##name[4 * N + 64]

D(adj1); D(adj2); D(adj3); F(mac1); F(mac2); D(helper); D(once); D(full_o); D(full_i); D(mm_i); D(mm_j); D(mm_k);
D(red); D(dot); I(isum); I(sw); I(sw2); I(seven); I(bytes7); D(dw); I(go); D(hoist); I(early); D(imp_o); D(imp_a); D(imp_b);
I(cases); D(same1); D(same2); D(sten); D(copy); D(lvl2); D(rec1); I(indirect); F(alias); F(noalias); C(bytes);
D(peel); I(nestw_o); I(nestw_i); D(col_o); D(col_i); D(two_a); D(two_b); I(cond); D(omp1); D(omp2); D(omp3o); D(omp3i);
D(ompred); D(omps); D(call_o); D(gather); I(mini_o); I(mini_i); D(triple_a); D(triple_b); D(triple_c); D(down); D(stride3);
static double other[4 * N + 64], other2[4 * N + 64], *volatile hide = other;
static int index_[N + 64];
static volatile int sink, size[] = {N, M, 16, 12, 100};

NOINLINE void adjacent(int n, double *restrict a, double *restrict b, double *restrict c) {
    for (int i = 0; i < n; i++) /* @adj1 */
        a[i] = a[i] * 2 + 1;
    for (int i = 0; i < n; i++) /* @adj2 */
        b[i] = b[i] / 3;
    for (int i = n - 1; i >= 0; i--) /* @adj3 */
        c[i] += sqrt(c[i]);
}

#define TWO(n, x, y) { for (int i = 0; i < n; i++) x[i] += 1; for (int i = 0; i < n; i++) y[i] = y[i] * y[i]; }
NOINLINE void macro(int n, float *restrict x, float *restrict y) {
    TWO(n, x, y) /* @mac1 @mac2 */
}

static inline double helper(const double *p, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) /* @helper */
        s += p[i] * p[i];
    return s;
}
NOINLINE double sites(int n, double *p) {
    double t = helper(p, n);
    if (t > 1)
        t += helper(p + 1, n - 1);
    for (int k = 0; k < 3; k++) { /* @once */
        mk_once[k] += 1;
        t += helper(p, n - k);
    }
    return t;
}

NOINLINE void unrolled(int n, double *restrict o, const double *restrict in) {
    for (int i = 0; i < n; i++) { /* @full_o */
        double s = 0;
        for (int k = 0; k < 4; k++) /* @full_i in full_o */
            s += in[(i + 3 * k) % 128] * k;
        o[i] = s;
    }
}

NOINLINE void matmul(int n, double *restrict c, const double *restrict a, const double *restrict b) {
    for (int i = 0; i < n; i++) { /* @mm_i */
        mk_mm_i[i] += i;
        for (int j = 0; j < n; j++) { /* @mm_j in mm_i */
            double s = 0;
            for (int k = 0; k < n; k++) /* @mm_k in mm_j */
                s += a[i * n + k] * b[k];
            c[j] += s;
        }
    }
}

NOINLINE double reductions(int n, const double *x, const double *y, const int *z) {
    double s = 0, t = 0;
    int u = 0;
    for (int i = 0; i < n; i++) /* @red */
        s += x[i];
    for (int i = 0; i < n; i++) /* @dot */
        t += y[i] * other[i];
    for (int i = 0; i < n; i++) /* @isum */
        u += z[i] ^ 5;
    return s + t + u;
}

NOINLINE void unswitch(int n, int flag, int *restrict a, int *restrict b) {
    for (int i = 0; i < n; i++) { /* @sw */
        if (flag)
            a[i] = a[i] / 7 + i;
        else
            a[i] = a[i] * 3 - i;
    }
    for (int i = 0; i < n; i++) /* @sw2 */
        switch (flag) {
        case 0: b[i] += 1; break;
        case 1: b[i] ^= index_[i & 7]; break;
        default: b[i] *= 3;
        }
}

NOINLINE void short_trips(int n, int *a, int *b) {
    for (int i = 0; i < 7; i++) /* @seven */
        a[i] += n / (i + 1);
    for (int i = 0; i < 7 + (n & 1); i++) /* @bytes7 */
        b[i] ^= n;
}

struct node { struct node *next; double v; };
KEEP struct node mk_chase[N];
NOINLINE double chase(const struct node *p) {
    double s = 0;
    while (p) { /* @chase */
        s += p->v;
        p = p->next;
    }
    return s;
}

NOINLINE double dowhile(double *p, double limit) {
    double s = 0;
    do { /* @dw */
        s += *p++;
    } while (s < limit);
    return s;
}

NOINLINE int gotos(int n, int *a) {
    int i = 0, s = 0;
again:
    s = s * 3 + a[i]; /* @go */
    if (++i < n) goto again;
    return s;
}

NOINLINE void hoisted(int n, double *a, const double *x) {
    for (int i = 0; i < n; i++) /* @hoist */
        a[i] = a[i] * sqrt(x[0]) + 1 / (1 + x[1] * x[1]);
}

NOINLINE int find(int n, const int *a, int v) {
    for (int i = 0; i < n; i++) /* @early */
        if (a[i] == v)
            return i;
    return -1;
}

NOINLINE void imperfect(int n, double *restrict o, double *restrict a, double *restrict b) {
    for (int i = 0; i < n; i++) { /* @imp_o */
        double v = o[i] = 1.0 / (o[i] + 2);
        for (int j = 0; j < i; j++) /* @imp_a in imp_o */
            a[j] += v;
        o[i] *= 3;
        for (int j = 0; j < n; j++) /* @imp_b in imp_o */
            b[j] -= other[j & 15] + 0.5;
        if (o[i] > 5)
            o[i] -= 5;
    }
}

NOINLINE int cases(int n, const int *a) {
    int s = 0;
    for (int i = 0; i < n; i++) /* @cases */
        switch (a[i] % 6) {
        case 0: s += 1; break;
        case 1: s ^= i; break;
        case 2: s *= 3; break;
        case 3: s = -s; break;
        case 4: s -= a[i] / 3; break;
        default: s |= 1;
        }
    return s;
}

NOINLINE void identical(int n, int flag, double *a, double *b) {
    if (flag)
        for (int i = 0; i < n; i++) /* @same1 */
            a[i] = a[i] * 1.5 + 2;
    else
        for (int i = 0; i < n; i++) /* @same2 */
            b[i] = b[i] * 1.5 + 2;
}

NOINLINE void stencil(int n, double *restrict a, const double *restrict in, double *restrict b) {
    for (int i = 1; i < n - 1; i++) /* @sten */
        a[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
    for (int i = 1; i < n - 1; i++) /* @copy */
        b[i] = in[i];
}

static inline void level2(double *p, int n, double f) {
    for (int i = 0; i < n; i++) /* @lvl2 */
        p[i] = p[i] * f + 0.5;
}
static inline void level1(double *p, int n) { level2(p, n, n > 5 ? 1.25 : 0.5); }
NOINLINE void levels(int n, double *p) {
    level1(p, n);
    level1(p + 2, n - 3);
}

NOINLINE void recurrence(int n, double *a) {
    for (int i = 1; i < n; i++) /* @rec1 */
        a[i] = a[i - 1] * 0.5 + a[i];
}

NOINLINE void histogram(int n, int *a, const int *ix) {
    for (int i = 0; i < n; i++) /* @indirect */
        a[ix[i]] += 1;
}

NOINLINE void may_alias(int n, float *a, float *b, float *restrict c) {
    for (int i = 0; i < n; i++) /* @alias */
        a[i] = b[i] * 2 + 1;
    for (int i = 0; i < n; i++) /* @noalias */
        c[i] = c[i] * 2 + 1;
}

NOINLINE void bytes(int n, unsigned char *a) {
    for (int i = 0; i < n; i++) /* @bytes */
        a[i] = (unsigned char)(a[i] + 3);
}

NOINLINE void peeled(int n, double *a) {
    double first = 1;
    for (int i = 0; i < n; i++) { /* @peel */
        a[i] += first;
        if (i == 0)
            first = a[0] / 3;
    }
}

NOINLINE int whiles(int n, int *o, int *in) {
    int i = 0, t = 0;
    while (i < n) { /* @nestw_o */
        int k = o[i] & 15;
        while (k) { /* @nestw_i in nestw_o */
            t += in[k];
            k >>= 1;
        }
        i++;
    }
    return t;
}

NOINLINE void columns(int n, double *restrict o, double *restrict m) {
    for (int j = 0; j < n; j++) { /* @col_o */
        double v = o[j] *= 0.5;
        for (int i = 0; i < n; i++) /* @col_i in col_o */
            m[i * 5 % N] += v + i;
    }
}

NOINLINE void two_on_a_line(int n, double *restrict a, double *restrict b) {
    for (int i = 0; i < n; i++) a[i] += 3; for (int i = 0; i < n; i++) b[i] -= 1; /* @two_a @two_b */
}

NOINLINE void conditional(int n, int *a) {
    for (int i = 0; i < n; i++) /* @cond */
        if (a[i] < 0)
            a[i] = -a[i];
}

NOINLINE double opaque(int i) { return other2[i] + sink; }
NOINLINE void calls(int n, double *a) {
    for (int i = 0; i < n; i++) /* @call_o */
        a[i] += opaque(i);
}

NOINLINE void minis(int n, int *o, int *in) {
    for (int i = 0; i < n; i++) { /* @mini_o */
        o[i] += i;
        for (int k = 0; k < (i & 3) + 1; k++) /* @mini_i in mini_o */
            in[(i + k) & 127] += k;
    }
}

NOINLINE void triple(int n, double *restrict a, double *restrict b, double *restrict c) {
    for (int i = 0; i < n; i++) { /* @triple_a */
        double v = a[i] += 2, w;
        for (int j = 0; j < n; j++) { /* @triple_b in triple_a */
            w = b[j] += v;
            for (int k = 0; k < 9; k++) /* @triple_c in triple_b */
                c[(j + k * i) & 127] += w;
        }
    }
}

NOINLINE void strides(int n, double *restrict a, double *restrict b, const int *ix) {
    for (int i = n; i-- > 0;) /* @down */
        a[i] = a[i] * 0.25;
    for (int i = 0; i < n; i += 3) /* @stride3 */
        b[i] = b[i] + 4;
    double s = 0;
    for (int i = 0; i < n; i++) /* @gather */
        s += mk_gather[ix[i]];
    other[1] += s;
}

#ifdef _OPENMP
NOINLINE double openmp(int n, double *restrict a, double *restrict b, double *restrict c, double *restrict d) {
    double s = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) /* @omp1 */
        a[i] = a[i] * 2 + 3;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 16)
        for (int i = 0; i < n; i++) /* @omp2 */
            b[i] = b[i] / 2 + 3;
#pragma omp for nowait
        for (int i = 0; i < 20; i++) { /* @omp3o */
            double v = mk_omp3o[i] += 1;
            for (int j = 0; j < n; j++) /* @omp3i in omp3o */
                mk_omp3i[j] = c[j] + v;
        }
    }
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) /* @ompred */
        s += mk_ompred[i];
#pragma omp simd
    for (int i = 0; i < n; i++) /* @omps */
        d[i] = d[i] - 3;
    return s;
}
#endif

int main(void) {
    int n = size[0], m = size[1], n16 = size[2], n12 = size[3], n100 = size[4]; /* not known to the compiler */
    double t = 0;
    for (int i = 0; i < N; i++) { /* set-up: touches no mark but those that need values */
        index_[i] = i * 7 % N;
    }
    for (int i = 0; i + 1 < N; i++)
        mk_chase[i * 5 % N].next = i < N - 2 ? &mk_chase[(i + 1) * 5 % N] : NULL;
    for (int i = 0; i < N; i++)
        mk_dw[i] = 1;
    for (int i = 0; i < N; i++)
        mk_cases[i] = i * 11;
    for (int i = 0; i < N; i++)
        mk_nestw_o[i] = i;
    sink = 1;
    adjacent(n, mk_adj1, mk_adj2, mk_adj3);
    macro(n, mk_mac1, mk_mac2);
    mk_helper[0] = 2;
    t += sites(n, mk_helper);
    unrolled(n100, mk_full_o, mk_full_i);
    matmul(n16, mk_mm_j, mk_mm_k, other);
    t += reductions(n, mk_red, mk_dot, mk_isum);
    for (int f = 0; f < 3; f++)
        unswitch(n, f, mk_sw, mk_sw2);
    short_trips(n, mk_seven, mk_bytes7);
    t += chase(mk_chase);
    t += dowhile(mk_dw, 150);
    t += gotos(n, mk_go);
    hoisted(n, mk_hoist, (double *)hide);
    t += find(n, mk_early, 7);
    imperfect(m, mk_imp_o, mk_imp_a, mk_imp_b);
    t += cases(n, mk_cases);
    identical(n, 0, mk_same1, mk_same2);
    identical(n, 1, mk_same1, mk_same2);
    stencil(n, mk_sten, other, mk_copy);
    levels(n, mk_lvl2);
    recurrence(n, mk_rec1);
    histogram(n, mk_indirect, index_);
    may_alias(n, mk_alias, mk_alias + 16, mk_noalias);
    may_alias(n, mk_alias, (float *)other2, mk_noalias);
    bytes(4 * n, mk_bytes);
    peeled(n, mk_peel);
    t += whiles(n, mk_nestw_o, mk_nestw_i);
    columns(m, mk_col_o, mk_col_i);
    two_on_a_line(n, mk_two_a, mk_two_b);
    conditional(n, mk_cond);
    calls(n, mk_call_o);
    minis(n, mk_mini_o, mk_mini_i);
    triple(n12, mk_triple_a, mk_triple_b, mk_triple_c);
    strides(n, mk_down, mk_stride3, index_);
#ifdef _OPENMP
    t += openmp(n, mk_omp1, mk_omp2, other, mk_omps);
#endif
    return t == 12345.5;
}
