/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program without MPI that loads a module with it, which nobody else sees. Tells too whether it finds a function of MPI
 * before: it must not. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    if (dlsym(RTLD_DEFAULT, "MPI_Init") || dlsym(RTLD_DEFAULT, "MPI_Send"))
        puts("found what is not there");
    void *h = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(int *, char ***) = h ? (int (*)(int *, char ***))dlsym(h, "plugin_run") : NULL;
    if (!run) {
        puts(h ? "no plugin_run" : dlerror());
        return 1;
    }
    return run(&argc, &argv) == 0 ? 5 : 0;
}
