/* A program whose machine code is looked at: a hot loop of its own, a line that is in several places, a jump table. */
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

static inline double twice(double x) { return x * 2.5 + 0.125; } /* EVERYWHERE */

__attribute__((noinline)) double hot(long n) {
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum = sum / 1.0000001 + (double)i; /* HOT */
    return sum;
}

__attribute__((noinline)) double calls(long n) {
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += twice(sum * 1e-3) / (1 + (double)i);
    return sum;
}

#define FOUR(x) x x x x
/* more than 1 KiB */
__attribute__((noinline)) double big(long n) {
    double sum = 1;
    for (long i = 0; i < n; i++) {
        FOUR(FOUR(FOUR(sum = sum / 1.0000001 + (double)i; FOUR(sink = sum;))))
    }
    return sum;
}

static inline double rounds(double x, long n) {
    for (long i = 0; i < n; i++)
        x = x / 1.0000001 + (double)i;
    return x;
}

__attribute__((noinline)) double copies(long n) { return rounds(1, n); }
__attribute__((noinline)) double another(long n) { return 1 + rounds(2, n); }

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 1000;
    sink = hot(n);
    sink += calls(n / 8);
    sink += big(n / 512);
    sink += copies(n / 8) + another(n / 8);
    sink = twice(sink);
    printf("%g\n", sink);
    return 0;
}
