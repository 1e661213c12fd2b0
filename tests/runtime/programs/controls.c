/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* controls program|signal|endless: what heatscope.h offers; a signal that the program sends to itself; to be measured for a while. */
#include <heatscope.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

volatile double sink;

static void spin(double seconds) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    double end = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec + seconds, now = 0;
    while (now < end) {
        for (int i = 0; i < 20000; i++)
            sink = sink * 1.0000001 + i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    }
}

__attribute__((noinline)) void wanted(double seconds) {
    spin(seconds);
    sink++;
}

__attribute__((noinline)) void unwanted(double seconds) {
    spin(seconds);
    sink++;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "program")) {
        heatscope_phase("first");
        heatscope_begin("outer");
        heatscope_begin("inner");
        wanted(0.1);
        heatscope_end("inner");
        heatscope_end(NULL);
        heatscope_stop();
        if (heatscope_measuring())
            return 3;
        unwanted(0.3);
        heatscope_start();
        heatscope_phase("second");
        for (int i = 0; i < 3; i++)
            heatscope_counter("residual", 1.0 / (i + 1));
        wanted(0.2);
        heatscope_phase(NULL);
        return heatscope_measuring() ? 0 : 4;
    }
    if (!strcmp(mode, "signal")) {
        wanted(0.1);
        kill(getpid(), SIGUSR2);
        unwanted(0.3);
        kill(getpid(), SIGUSR2);
        wanted(0.2);
        return 0;
    }
    for (double seconds = argc > 2 ? atof(argv[2]) : 1; seconds > 0; seconds -= 0.1)
        wanted(0.1);
    return 0;
}
