// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with probes, loaded and unloaded several times; also the program that does it.
#ifdef LIBRARY
volatile int sink;
__attribute__((noinline)) void in_library(int i) {
    sink = i;
}
void enter(int n) {
    for (int i = 0; i < n; i++)
        in_library(i);
}
#else
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    for (int i = 0; i < 3 && argc > 1; i++) {
        void *h = dlopen(argv[1], RTLD_NOW);
        if (!h)
            return 1;
        void (*f)(int) = (void (*)(int))dlsym(h, "enter");
        f(10);
        dlclose(h);
    }
    puts("done");
    return 0;
}
#endif
