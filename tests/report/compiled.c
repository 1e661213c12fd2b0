/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings of programs that compilers made: one for each -D. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The same, as it was up to 15 calls ago: where the kernel is slow to tell, it would be a tenth of loops that ask after each short round. */
static inline double about_s(void) {
    static __thread double last;
    static __thread unsigned calls;
    if (calls++ % 16 == 0)
        last = cpu_s();
    return last;
}

#if defined(REFUSED)
enum { N = 4096 };
static double a[N];

#define STEP(x, y) (((x) * 0.25 + (y)) / ((x) * (x) + 1.5) + (y) / ((y) + 2.0 + (x)))
#ifdef INLINED
static inline __attribute__((always_inline)) double step(double x, double y) {
    return STEP(x, y);
}
#else
#define step STEP
#endif

int main(void) {
    double x = 0.5;
    for (int i = 0; i < N; i++)
        a[i] = (double)(i % 17);
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        for (int i = 1; i < N; i++) /* LOOP */
            x = step(x, a[i]);
    printf("%g\n", x);
    return 0;
}
#elif defined(OTHERS) /* one loop, two copies: the one with a call has never run */
enum { N = 4096 };
static double a[N];

__attribute__((noinline)) double outside(double x) { return x * 1.25 + 1; }

double sum_up(const double *x, int kind) {
    double s = 0;
    for (int i = 0; i < N; i++) /* OTHERS */
        s += kind ? outside(x[i]) : x[i];
    return s;
}

int main(void) {
    double x = 0.5;
    for (double begin = cpu_s(); about_s() - begin < 0.4; a[5] += x)
        x += sum_up(a, 0);
    printf("%g\n", x);
    return 0;
}
#elif defined(CARRY) || defined(SCATTER) || defined(GATHER) || defined(SAME) || defined(CHECKS) /* a dependence that is, and some that may be */
enum { N = 512 };
static double a[N], rows[N][4], *row[N];
static int up[N], left[N];
static volatile int one = 1;

__attribute__((noinline)) static void work(double **p, double *x, int k) {
#ifdef CARRY
    (void)p;
    for (int i = 1; i < N; i++) /* CARRY */
        x[i] = x[i] * 0.5 + x[i - 1] * 0.25 + k;
#elif defined(GATHER)
    (void)x;
    double *y = p[0], *z = p[2 * k];
    for (int h = k; h < 4 * k; h++)
        for (int i = 0; i < N; i++) /* GATHER */
            y[i] = z[up[h] + i] *
                   z[left[i]];
#elif defined(CHECKS)
    (void)x;
    double *y = p[0], *z = p[2 * k], *w = p[4 * k];
    unsigned s = (unsigned)k, t = (unsigned)one, n = N - 8 * t;
    for (unsigned i = 4; i < n; i++) { /* CHECKS */
        unsigned j = i + s * t;
        y[j] = w[j - 1] + w[j + 1] + w[j - s] + w[j + s] + w[j - t] + w[j + t] + z[j - s - t] + z[j + s + t] + z[j - s + t] + z[j + s - t] + z[j - s - 1] +
               z[j - s + 1] + z[j + s - 1] + z[j + s + 1] + z[j - t - 1] + z[j - t + 1] + z[j + t - 1] + z[j + t + 1];
    }
#elif defined(SAME)
    (void)p;
    for (int i = 2; i < N; i++) /* SAME */
        x[k] += a[i];
#else
    (void)x;
    for (int i = 0; i < N; i++) /* SCATTER */
        p[i][k] += 2.0;
#endif
}

int main(void) {
    for (int i = 0; i < N; i++) {
        row[i] = rows[i];
        up[i] = i;
        left[i] = N - 1 - i;
    }
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        work(row, a, one);
    printf("%g\n", a[100] + rows[100][1]);
    return 0;
}
#elif defined(TRIAD)
enum { N = 4096 };
static float a[N], b[N];

__attribute__((noinline)) static void triad(float s) {
    for (int i = 0; i < N; i++) /* TRIAD */
        a[i] += s * b[i];
}

int main(void) {
    for (int i = 0; i < N; i++)
        b[i] = (float)(i % 17);
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        triad(0.5f);
    printf("%g\n", a[100]);
    return 0;
}
#elif defined(OVERLAP) /* a loop with a vector body that never runs, and all its work in an inner loop that is no more */
enum { N = 4096, R = 2 };
static double w[2 * R + 1] = {0.2, 0.2, 0.2, 0.2, 0.2};

extern void stencil(double *out, const double *in);
__attribute__((noinline)) void stencil(double *out, const double *in) {
    for (int i = R; i < N - R; i++) /* OVERLAP */
        for (int k = -R; k <= R; k++)
            out[i] += w[k + R] * in[i + k];
}

int main(void) {
    static double a[N + 8];
    double *volatile to = a + 1; /* that it overlaps shows in the run only */
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        stencil(to, a);
    printf("%g\n", a[100]);
    return 0;
}
#elif defined(WRAPS) /* a loop that only calls a procedure without loops, and one with code of its own */
#define STEP(x) ((x) / (1.5 + (x) * (x)) + 0.25)
__attribute__((noinline)) static double straight(double x) {
    volatile double y = x; /* each step needs the one before */
    y = STEP(y), y = STEP(y), y = STEP(y), y = STEP(y), y = STEP(y), y = STEP(y), y = STEP(y), y = STEP(y), y = STEP(y), y = STEP(y), y = STEP(y), y = STEP(y);
    return y;
}

__attribute__((noinline)) static double looped(double x, int n) {
    for (int i = 0; i < n; i++) /* LOOPED */
        x = STEP(x);
    return x;
}

int main(void) {
    double x = 0.5;
    for (double begin = cpu_s(); about_s() - begin < 0.4;) { /* WRAPS */
        for (int i = 0; i < 64; i++) /* ONLY_CALLS */
            x = straight(x);
        x = looped(x, 256); /* a sixth of the time: few samples have some of it */
    }
    printf("%g\n", x);
    return 0;
}
#elif defined(APART) /* most time in a loop that is unrolled fully, in a procedure that a loop only calls; less in a loop that only calls a library */
#include <string.h>
static char bytes[4096];

__attribute__((noinline)) static double apart(double x) {
    volatile double y = x;
    for (int k = 0; k < 3; k++) /* NO_MORE */
        y = y / (1.5 + y * y) + 0.25, y = y / (2.5 + y * y) + 0.25, y = y / (3.5 + y * y) + 0.25;
    return y;
}

int main(void) {
    volatile size_t size = sizeof bytes;
    double x = 0.5, computed = 0, filled = 0, now;
    for (double before = cpu_s(); computed + filled < 0.4; before = now) {
        for (int i = 0; i < 640; i++)
            x = apart(x);
        double after = cpu_s();
        computed += after - before;
        now = after;
        while (filled < computed / 4) { /* a fifth of the time, however fast a machine fills */
            for (int i = 0, n = (int)size / 16; i < n; i++) /* FILLS */
                memset(bytes, i, size);
            now = cpu_s();
            filled += now - after;
            after = now;
        }
    }
    printf("%g %d\n", x, bytes[100]);
    return 0;
}
#elif defined(LONE) /* vectors, whose elements go to a scalar function */
#include <math.h>
enum { N = 4096 };
static double a[N];

int main(void) {
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        for (int i = 0; i < N; i++) /* LONE */
            a[i] = sin(a[i] + 1);
    printf("%g\n", a[100]);
    return 0;
}
#elif defined(MIXED) /* sqrt, which is in nobody's way, beside a call that is */
#include <math.h>
enum { N = 4096 };
static double a[N], b[N];

__attribute__((noinline)) static double other(double x) {
    return x > 0.5 ? x * 2 : x + b[(int)(x * 8)];
}

__attribute__((noinline)) static void mixed(void) {
    for (int i = 0; i < N; i++) /* MIXED */
        a[i] = sqrt(b[i]) +
               other(b[i]); /* CALL_OF_OTHER */
}

int main(void) {
    for (int i = 0; i < N; i++)
        b[i] = (double)(i % 17);
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        mixed();
    printf("%g\n", a[100]);
    return 0;
}

#elif defined(ROUNDS) /* an inner loop that one build unrolls into the loop round it */
enum { N = 4096 };
static double a[N][8], b[N][8];

static double dot(const double *x, const double *y) {
    double s = 0;
    for (int k = 0; k < 8; k++) /* UNROLLED_INTO */
        s += x[k] * y[k] / (1 + x[k] * x[k]);
    return s;
}

int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 8; k++)
            a[i][k] = b[i][k] = i % 13 + argc + k;
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        for (int i = 0; i < N; i++) /* ITS_ROUND */
            a[i][i & 7] = dot(a[i], b[i]) * 1e-3;
    printf("%g\n", a[3][3]);
    return 0;
}

#elif defined(FULLY) /* vectors of an inner loop that is no more */
static double a[64 * 256], b[64];

__attribute__((noinline)) static void step(double *restrict to, const double *restrict from, int n, double f) {
    for (int i = 0; i < n; i++) /* FULLY_ROUND */
        for (int k = 0; k < 64; k++) /* FULLY_INSIDE */
            to[64 * i + k] = to[64 * i + k] * f + from[k];
}

int main(int argc, char **argv) {
    (void)argv;
    for (int k = 0; k < 64; k++)
        b[k] = argc + k;
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        step(a, b, 256, 0.5 + 1e-9 * argc);
    printf("%g\n", a[3]);
    return 0;
}

#elif defined(LOCKS) /* locks that are free each time */
#include <omp.h>
#include <pthread.h>

int main(void) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static volatile long sum;
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        for (int i = 0; i < 1000; i++) {
            for (int k = 0; k < 10; k++) { /* ten take about as long as one of OpenMP */
                pthread_mutex_lock(&mutex);
                sum++;
                pthread_mutex_unlock(&mutex);
            }
            omp_set_lock(&lock);
            sum++;
            omp_unset_lock(&lock);
        }
    printf("%ld\n", sum);
    return 0;
}

#elif defined(STEP) /* a step that is not one element, as only the run knows */
enum { N = 4096 };
static double a[2 * N], b[2 * N];

__attribute__((noinline)) static void step(double *restrict to, const double *restrict from, long s) {
    for (long i = 0; i < N; i++) /* STEP */
        to[i] = from[i * s] * 2 + 1;
}

int main(int argc, char **argv) {
    for (int i = 0; i < 2 * N; i++)
        b[i] = argv[0][0] + i;
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        step(a, b, argc + 1);
    printf("%g\n", a[100]);
    return 0;
}

#elif defined(ALSO) /* two obstacles */
#include <math.h>
enum { N = 4096 };
static double a[N], b[N];

__attribute__((noinline)) static void roots(void) {
    for (int i = 0; i < N; i++) /* ALSO */
        if (b[i] > 0.5)
            a[i] = sqrt(b[i]);
}

int main(void) {
    for (int i = 0; i < N; i++)
        b[i] = (double)(i % 17);
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        roots();
    printf("%g\n", a[100]);
    return 0;
}
#elif defined(UNROLLED)
enum { N = 4096 };
static double a[N];

int main(void) {
    double x = 0.5;
    for (int i = 0; i < N; i++)
        a[i] = (double)(i % 17);
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        for (int i = 0; i < N; i++) { /* OUTSIDE */
            double y = a[i];
            for (int k = 0; k < 6; k++) /* GONE */
                y = y * y / (1.0 + y + k);
            x += y;
        }
    printf("%g\n", x);
    return 0;
}
#elif defined(CALLS)
#include <math.h>
enum { N = 4096 };
static double a[N];

__attribute__((noinline)) static void map(void) {
    for (int i = 0; i < N; i++) /* CALLS */
        a[i] = cos(a[i]);
}

__attribute__((noinline)) static double plain(double x) {
    for (int i = 1; i < N; i++) /* PLAIN */
        x = (x * 0.25 + a[i]) / (x * x + 1.5);
    return x;
}

int main(void) {
    double x = 0.5, first = 0, second = 0;
    /* rounds of many ms: what the kernel does meanwhile is laid to system calls that a tick meets */
    for (double begin = cpu_s(), last = begin; last - begin < 0.8;) { /* STEP */
        for (int k = 0; k < 240; k++)
            map();
        double middle = cpu_s();
        for (int k = 0; k < 40; k++)
            x = plain(x);
        first += middle - last;
        last = cpu_s();
        second += last - middle;
    }
    printf("%g %g %g\n", first, second, x);
    return 0;
}
#elif defined(ACROSS)
static double zeros[520 * 520]; /* never written: no access of it is left in the code */

__attribute__((noinline)) static void scale(double *a, int n) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i * n + j] = a[i * n + j] * 0.5 + 1 + zeros[i * n + j];
}

int main(int argc, char **argv) {
    (void)argv;
    const int n = 512 + argc;
    double *a = calloc((size_t)n * (size_t)n, sizeof *a);
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        scale(a, n);
    printf("%g\n", a[5]);
    free(a);
    return 0;
}
#elif defined(CHUNKS)
enum { N = 4096, ROWS = 64 };
static double a[N], sums[ROWS];

static void rows(void) {
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int i = 0; i < ROWS; i++) { /* CHUNKS */
        double x = 0.5;
        for (int j = 0; j < N; j++) /* INSIDE */
            x = (x * 0.25 + a[j]) / (x * x + 1.5);
        sums[i] += x;
    }
}

int main(void) {
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        rows();
    printf("%g\n", sums[1]);
    return 0;
}
#elif defined(SERIAL)
static volatile double sink;

static __attribute__((noinline)) void busy(double seconds) {
    for (double begin = cpu_s(); about_s() - begin < seconds;)
        for (int i = 0; i < 20000; i++)
            sink = sink * 0.5 + (double)i;
}

static __attribute__((noinline)) void alone(double seconds) {
    for (double begin = cpu_s(); about_s() - begin < seconds;)
        for (int i = 0; i < 20000; i++)
            sink = sink * 0.25 + (double)i;
}

int main(void) {
    alone(0.3);
#pragma omp parallel num_threads(2)
    busy(0.3);
    return 0;
}
#elif defined(RECURSIVE)
enum { N = 2048, DEPTH = 3 };
static double a[N];

__attribute__((noinline)) static double walk(int depth, double x) {
    for (int k = 0; k < 2; k++) { /* ROUND */
        if (depth)
            x = walk(depth - 1, x);
        for (int i = 1; i < N; i++) /* INNER */
            x = (x * 0.25 + a[i]) / (x * x + 1.5);
    }
    return x;
}

int main(void) {
    double x = 0.5;
    for (int i = 0; i < N; i++)
        a[i] = (double)(i % 17);
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        x = walk(DEPTH, x);
    printf("%g\n", x);
    return 0;
}
#elif defined(NESTED)
enum { N = 2048 };
static double a[N];

__attribute__((noinline)) static double below(double x) {
    for (int k = 0; k < 8; k++) /* BELOW */
        x = (x * 0.25 + a[k]) / (x * x + 1.5);
    return x;
}

int main(int argc, char **argv) {
    double x = 0.5;
    (void)argv;
    for (int i = 0; i < N; i++)
        a[i] = (double)(i % 17);
    for (double begin = cpu_s(); about_s() - begin < 0.4;)
        for (int i = 0; i < N; i++) { /* ABOVE */
#define ONE x = (x * 0.25 + a[i]) / (x * x + 1.5 * argc);
            ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE
            x = below(x);
        }
    printf("%g\n", x);
    return 0;
}
#elif defined(COPIES)
enum { N = 2048 };
static double a[N], b[N];

static inline void add(double *to, const double *from) {
    for (int i = 1; i < N; i++) /* COPIED */
        to[i] = to[i] * 0.5 + from[i];
}
__attribute__((noinline)) static void apart(void) { add(a, b); }          /* vector code */
__attribute__((noinline)) static void chained(void) { add(a, a - 1); }    /* what an iteration writes the next one reads */

int main(int argc, char **argv) {
    (void)argv;
    for (double begin = cpu_s(); cpu_s() - begin < 0.3;)
        apart();
    if (argc > COPIES)
        chained();
    for (double begin = cpu_s(); argc > COPIES && cpu_s() - begin < 0.3;)
        for (int k = 0; k < 100; k++)
            chained();
    printf("%g\n", a[N - 1]);
    return 0;
}
#elif defined(SPINS)
#include <pthread.h>
#include <stdatomic.h>
static struct __attribute__((aligned(64))) count { atomic_long value; } pending[4];
static pthread_mutex_t stopped[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static volatile int taken;

static inline long get(int i) {
    return atomic_load(&pending[i].value);
}

static void *take(void *which) { /* until the program ends; what is left of the inner loop is part of the outer one */
    long id = (long)which;
    while (1) {
        for (int k = 0; k < 1000000; k++) { /* LOOKS */
            if (get((int)id))
                break;
        }
        if (!get((int)id)) {
            pthread_mutex_lock(&stopped[id]);
            pthread_mutex_unlock(&stopped[id]);
            continue;
        }
        if (!get((int)id))
            abort();
        taken++;
        atomic_store(&pending[id].value, 0);
    }
    return NULL;
}

int main(void) {
    pthread_t other;
    if (pthread_create(&other, NULL, take, (void *)1))
        return 1;
    for (int i = 0; i < 4; i++) {
        for (double begin = cpu_s(); about_s() - begin < 0.15;)
            ;
        atomic_store(&pending[1].value, 1);
    }
    return taken > 4;
}
#else
#include <mpi.h>

int main(int argc, char **argv) {
    double mine = 1, all = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < 5; k++) {
        for (double begin = cpu_s(); !rank && about_s() - begin < 0.06;)
            ;
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
#endif
