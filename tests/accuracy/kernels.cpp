// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ kernels; rules as in kernels.c. What a loop marked @NAME calls is inlined or not as the compiler likes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

enum { N = 203, M = 37 };
#define NOINLINE __attribute__((noinline))
#define KEEP __attribute__((used, aligned(64)))
extern "C" {
#define D(name) KEEP double mk_##name[N + 64]
#define F(name) KEEP float mk_##name[N + 64]
#define I(name) KEEP int mk_##name[N + 64]
D(rf); D(span1); D(span2); D(lam); D(member); F(tmpl); D(tmpl2); I(iter); D(inner); D(outer); D(twice_a); D(twice_b);
D(acc); D(rec); D(virt); I(find); D(ctor); D(exc); D(nest_o); D(nest_m); D(nest_i); D(poly); I(while_it); D(lvl); D(omp); D(ompn_o);
D(ompn_i);
}
static volatile int size[] = {N, M, 12};
static volatile double sink;

class Span {
    double *p_;
    std::size_t n_;

public:
    Span(double *p, std::size_t n) : p_(p), n_(n) {}
    struct iterator {
        double *p;
        double &operator*() const { return *p; }
        iterator &operator++() { ++p; return *this; }
        bool operator!=(const iterator &o) const { return p != o.p; }
    };
    iterator begin() const { return {p_}; }
    iterator end() const { return {p_ + n_}; }
    double &operator[](std::size_t i) const { return p_[i]; }
    std::size_t size() const { return n_; }
    double sum() const {
        double s = 0;
        for (std::size_t i = 0; i < n_; i++) // @member
            s += p_[i];
        return s;
    }
};

NOINLINE void range_for(const Span &s, double f) {
    for (double &x : s) // @rf
        x = x * f + 1;
}
NOINLINE void operators(const Span &a, const Span &b) {
    for (std::size_t i = 0; i < a.size(); i++) // @span1
        a[i] += 2;
    for (std::size_t i = 0; i < b.size(); i++) // @span2
        b[i] = std::sqrt(b[i] + 1);
}
NOINLINE double members(const Span &s) { return s.sum() + 1; }

template <class Fn> static void each(double *p, int n, Fn fn) {
    for (int i = 0; i < n; i++) // @lam
        fn(p[i], i);
}
NOINLINE void lambdas(double *p, int n, double f) {
    each(p, n, [f](double &x, int i) { x = x * f + i; });
    each(p, n, [](double &x, int) { x -= 1; });
}

template <class T> static void scaled(T *p, int n, T f) {
    for (int i = 0; i < n; i++) // @tmpl @tmpl2
        p[i] *= f;
}
NOINLINE void templates(float *a, double *b, int n) {
    scaled(a, n, 3.f);
    scaled(b, n, 1.5);
}

NOINLINE int iterators(int *begin, int *end) {
    int s = 0;
    for (auto it = begin; it != end; ++it) // @iter
        s ^= *it * 3;
    return s;
}

struct Grid {
    double *data;
    int n;
    double row(int i) const {
        double s = 0;
        for (int j = 0; j < n; j++) // @inner in outer
            s += data[(i + j) % N];
        return s;
    }
};
NOINLINE void method_in_loop(const Grid &g, double *out) {
    for (int i = 0; i < g.n; i++) // @outer
        out[i] += g.row(i);
}

static inline void pair(double *a, double *b, int n) {
    for (int i = 0; i < n; i++) // @twice_a
        a[i] += 1;
    for (int i = 0; i < n; i++) // @twice_b
        b[i] = b[i] * b[i] + 0.5;
}
NOINLINE void inlined_twice(double *a, double *b, int n) {
    pair(a, b, n);
    pair(a + 1, b + 1, n - 1);
}

NOINLINE double accumulate(const double *p, int n) {
    double s = 1;
    int i = 0;
    while (true) { // @acc
        if (i >= n)
            break;
        s = s * 0.5 + p[i++];
    }
    return s;
}
NOINLINE void recurse(double *p, int n, int depth) {
    for (int i = 0; i < n; i++) // @rec
        p[i] += depth;
    if (depth)
        recurse(p, n, depth - 1);
}

struct Shape {
    virtual double area(double x) const = 0;
    virtual ~Shape() = default;
};
struct Square : Shape {
    double area(double x) const override { return x * x; }
};
struct Circle : Shape {
    double area(double x) const override { return 3 * x * x; }
};
NOINLINE void virtuals(const Shape &s, double *p, int n) {
    for (int i = 0; i < n; i++) // @virt
        p[i] += s.area(p[i]);
}

NOINLINE int finder(const int *p, int n, int v) {
    int i = 0;
    do { // @find
        if (p[i] == v)
            break;
    } while (++i < n);
    return i;
}

struct Filled {
    double *p;
    Filled(double *q, int n) : p(q) {
        for (int i = 0; i < n; i++) // @ctor
            p[i] = i * 0.5;
    }
    ~Filled() { sink = 3; }
};
NOINLINE double constructs(double *p, int n) {
    Filled f(p, n);
    return n;
}
NOINLINE int throws(double *p, int n) {
    int caught = 0;
    for (int i = 0; i < n; i++) // @exc
        try {
            p[i] += 1;
            if (i % 101 == 100)
                throw i;
        } catch (int v) {
            caught += v;
        }
    return caught;
}
NOINLINE void nested(double *o, double *m, double *in, int n) {
    for (int i = 0; i < n; i++) { // @nest_o
        o[i] += 1;
        for (int j = i; j < n; ++j) { // @nest_m in nest_o
            m[j] *= 2;
            int k = j;
            while (k > 0) { // @nest_i in nest_m
                in[k] += k;
                k /= 2;
            }
        }
    }
}
NOINLINE double polynomial(const double *p, int n, double x) {
    double s = 0;
    for (int i = n; i-- > 0;) // @poly
        s = s * x + p[i];
    return s;
}
NOINLINE int while_iterator(std::array<int, N + 64> &a) {
    auto it = a.begin();
    int s = 0;
    while (it != a.end()) { // @while_it
        s += *it;
        ++it;
    }
    return s;
}
namespace deep {
static inline double callee(double *p) { return *p += 1; }
static inline double b(double *p) { return callee(p) * 2; }
template <int K> double a(double *p, int n) {
    double s = 0;
    for (int i = 0; i < n; i += K) // @lvl
        s += b(p + i);
    return s;
}
} // namespace deep
NOINLINE double levels(double *p, int n) { return deep::a<1>(p, n) + deep::a<2>(p, n); }

#ifdef _OPENMP
NOINLINE void openmp(double *p, double *o, double *in, int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) // @omp
        p[i] = p[i] * 3 + 1;
#pragma omp parallel for
    for (int i = 0; i < 11; i++) { // @ompn_o
        double v = o[i] += 1;
        for (int j = 0; j < n; j++) // @ompn_i in ompn_o
            in[j] += v;
    }
}
#endif

int main() {
    int n = size[0], m = size[1], n12 = size[2];
    double t = 0;
    range_for(Span(mk_rf, n), 2);
    operators(Span(mk_span1, n), Span(mk_span2, n));
    t += members(Span(mk_member, n));
    lambdas(mk_lam, n, 1.5);
    templates(mk_tmpl, mk_tmpl2, n);
    t += iterators(mk_iter, mk_iter + n);
    method_in_loop(Grid{mk_inner, m}, mk_outer);
    inlined_twice(mk_twice_a, mk_twice_b, n);
    t += accumulate(mk_acc, n);
    recurse(mk_rec, n, 3);
    virtuals(Square(), mk_virt, n);
    virtuals(Circle(), mk_virt, n);
    t += finder(mk_find, n, 7);
    t += constructs(mk_ctor, n);
    t += throws(mk_exc, n);
    nested(mk_nest_o, mk_nest_m, mk_nest_i, n12 * 3);
    t += polynomial(mk_poly, n, 0.5);
    t += while_iterator(*reinterpret_cast<std::array<int, N + 64> *>(mk_while_it));
    t += levels(mk_lvl, n);
#ifdef _OPENMP
    openmp(mk_omp, mk_ompn_o, mk_ompn_i, n);
#endif
    return t == 12345.5;
}
