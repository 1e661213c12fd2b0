/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops for other compilers than ours. foreign.py reads the comments: "loop NAME" stands in the first line of a loop that
 * has code (in each of two that may be it), "in NAME ..." in a line that stores to `sink` within these loops, innermost first. */
volatile long sink;

static inline void inlined(int n) {
    for (int i = 0; i < n; i++) /* loop inlined */
        sink = i; /* in inlined */
}

__attribute__((noinline)) void nest(int n, int m) {
    for (int i = 0; i < n; i++) { /* loop outer */
        for (int j = 0; j < m; j++) /* loop middle */
            for (int k = j; k < m; k += 3) { /* loop inner */
                sink = k; /* in inner middle outer */
            }
        sink = i; /* in outer */
    }
    sink = 1; /* in */
}

__attribute__((noinline)) void kinds(unsigned n) {
    while (n > 7) { /* loop while */
        sink = 2; /* in while */
        n /= 2;
    }
    do {
        sink = 3; /* in do */ /* loop do */
        n++;
    } while (n < 100);
    for (;;) { /* loop endless */
        sink = 4; /* in endless */ /* loop endless */
        if (n++ > 1000)
            break;
    }
again:
    sink = 5; /* in goto */ /* loop goto */
    if (n-- > 3)
        goto again;
}

__attribute__((noinline)) void calls(int n) {
    inlined(n);
    while (n-- > 3) { /* loop around */
        inlined(n);
        sink = 6; /* in around */
    }
}

__attribute__((noinline)) int cases(const unsigned char *p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) /* loop switch */
        switch (p[i]) {
        case 0: sink = 10; break; /* in switch */
        case 1: sink = s; s += 3; break; /* in switch */
        case 2: sink = 12; s *= 7; break; /* in switch */
        case 3: sink = 13; s ^= 5; break; /* in switch */
        case 4: sink = 14; s -= 2; break; /* in switch */
        case 5: sink = 15; s |= 8; break; /* in switch */
        case 6: for (int k = 0; k < s; k++) /* loop case */
                    sink = k; /* in case switch */
                break;
        case 7: return s;
        default: sink = 16; /* in switch */
        }
    return s;
}

__attribute__((noinline)) int interpreter(const unsigned char *p) {
    static const void *const table[] = {&&stop, &&add, &&shift, &&skip};
    int s = 0;
#define NEXT goto *table[*p++]
    NEXT;
add:
    s += 3;
    sink = 20; /* in any */
    NEXT;
shift:
    s <<= 1;
    sink = 21; /* in any */
    NEXT;
skip:
    for (int k = 0; k < s; k++)  /* loop skip */
        sink = 22; /* in skip any */
    NEXT;
stop:
    sink = 23; /* in */
    return s;
}

int main(int argc, char **argv) {
    (void)argv;
    nest(argc, argc);
    kinds((unsigned)argc);
    calls(argc);
    return cases((const unsigned char *)"\1\2\3", 3) + interpreter((const unsigned char *)"\1\2\3\0");
}
