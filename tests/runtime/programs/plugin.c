/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library that is opened while the program runs. */
volatile double plugin_sink;

__attribute__((noinline)) void PLUGIN_NAME(void) {
    double x = 1;
    for (long i = 0; i < 30000000; i++)
        x = x * 1.0000001 + i;
    plugin_sink = x;
}

void plugin_work(void) {
    PLUGIN_NAME();
    plugin_sink += 1;
}

#ifdef PLUGIN_BUILDS
__attribute__((constructor)) static void builds(void) {
    PLUGIN_NAME();
    plugin_sink += 1;
}
#endif

/* n steps of a chain that the caller can check */
unsigned long plugin_steps(unsigned long x, long n) {
    for (long i = 0; i < n; i++)
        x = (x ^ x >> 29) * 6364136223846793005ul + 1;
    return x;
}
