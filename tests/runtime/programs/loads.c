/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens a library by its bare name (found only along this program's run path), works in it, closes it; N times. With a name: that library, of which nothing is called. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1;
    const char *names[] = {"libplugin_one.so", "libplugin_two.so"};
    for (int i = 0; i < n; i++) {
        void *h = dlopen(argc > 2 ? argv[2] : names[i & 1], RTLD_NOW);
        if (!h) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        void (*f)(void) = (void (*)(void))dlsym(h, "plugin_work");
        if (argc < 3)
            f();
        dlclose(h);
    }
    printf("done\n");
    return 0;
}
