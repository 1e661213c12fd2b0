#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# names.sh HEATSCOPE SYMBOLIZE: with line tables alone, which name C++ procedures without namespaces, classes and parameters, every
# address is given to the same procedure and outermost loop as with all debug information, and inlined ones have the same names, also
# where several have one name in the source.
set -eu
heatscope=$1 symbolize=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() {
    echo "names.sh: $*" >&2
    exit 1
}
cat >names.cpp <<'S'
namespace far {
static inline double poly(double x) {
    double s = 1.0;
    for (int k = 0; k < 3; k++)
        s = s * x + 1.0 / (x + 2);
    return s;
}
}
__attribute__((noinline)) double hot(const double *a, long n) {
    double s = 0;
    for (long i = 0; i < n; ++i)
        s += far::poly(a[i & 1023]);
    return s;
}
__attribute__((noinline)) float hot(const float *a, long n) { /* of the same name */
    float s = 0;
    for (long i = 0; i < n; ++i)
        s += (float)far::poly((double)a[i & 1023]);
    return s;
}
struct mesh {
    double *v;
    __attribute__((noinline)) double sum(long n) const {
        double s = 0;
        for (long i = 0; i < n; i++)
            s += far::poly(v[i]);
        return s;
    }
};
struct other {
    static double step(double x) {
        double s = 0;
        for (int k = 0; k < 40; k++)
            s += x / (k + 1);
        return s;
    }
};
static inline double step(double a, double b) {
    double s = a;
    for (int k = 0; k < 50; k++)
        s = s * b + k;
    return s;
}
static inline double step(int a, double b) {
    double s = a;
    for (int k = 0; k < 70; k++)
        s = s / b + k;
    return s;
}
__attribute__((noinline)) double mixed(const double *a, int n) { /* three of one name are inlined */
    double s = 0;
    for (int i = 0; i < n; i++)
        s += step(a[i], 2.0) + step(i, 3.0) + other::step(a[i]);
    return s;
}
template <typename P> static inline double total(P a, P end) { /* compilers write its arguments other than the linker's names do */
    double s = 0;
    for (; a != end; ++a)
        s = s * 0.5 + *a;
    return s;
}
template <typename T, typename F> static inline double each(const T *a, long n, F f) { /* two of these, with procedures that have no name */
    double s = 0;
    for (long i = 0; i < n; i++)
        s += f(a[i]);
    return s;
}
__attribute__((noinline)) double unnamed(const double *a, const int *b, long n) {
    return total(a, a + n) + each(a, n, [](double x) { return 1 / (x + 2); }) + each(b, n, [&](int k) { return a[k] / (k + 3); });
}
double all(const double *a, const float *b, const mesh *m, long n) { return hot(a, n) + (double)hot(b, n) + m->sum(n); }
S
"$heatscope" c++ -O2 -shared -fPIC names.cpp -o few
"$heatscope" c++ -O2 -g -shared -fPIC names.cpp -o all
objdump -d -j .text few | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >list
objdump -d -j .text all | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >list.all
cmp -s list list.all || fail "the two builds have other code"
"$symbolize" few --loops <list >few.out 2>few.err
"$symbolize" all --loops <list >all.out 2>all.err
for name in _Z3hotPKdl _Z3hotPKfl _ZNK4mesh3sumEl _ZN3farL4polyEd _ZL4stepdd _ZL4stepid _ZN5other4stepEd _ZL5totalIPKdEdT_S2_ _ZL4eachIdZ _ZL4eachIiZ; do
    grep -q "$name.* # " all.out || fail "$name is not met in a loop: $(cat all.out)"
done
# address, procedure that has the code, outermost loop
outer() {
    awk '{ n = split($0, part, " # "); k = split(part[1], frame, " [|] "); split(frame[k], word, " ")
           print $1, (k > 1 ? word[1] : word[2]), (n > 1 ? part[n] : "") }' "$1"
}
outer few.out >few.outer
outer all.out >all.outer
cmp -s few.outer all.outer || fail "other answers with line tables alone: $(diff few.outer all.outer | head -8)"
names() {
    grep -o '_Z[A-Za-z0-9]*\|| [^ ]* ' "$1" | sort -u
}
names few.out >few.names
names all.out >all.names
cmp -s few.names all.names || fail "other names with line tables alone: $(diff few.names all.names)"
