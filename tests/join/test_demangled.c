/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names for people of linker symbols, of stubs and of copies that compilers made, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

int main(void) {
    static const struct {
        const char *symbol, *name;
    } cases[] = {
        {"_ZN4mesh3sumEl", "mesh::sum(long)"},
        {"_ZN4mesh3sumEl.cold", "mesh::sum(long) [clone .cold]"},
        {"_ZN4mesh3sumEl@plt", "mesh::sum(long)@plt"},
        {"_ZdlPvm@plt", "operator delete(void*, unsigned long)@plt"},
        {"_ZSt4cout@@GLIBCXX_3.4", "std::cout@@GLIBCXX_3.4"},
        {"_QMgridPsweep", "grid::sweep"},
        {"_QMgridPsweep@plt", "grid::sweep@plt"},
        {"_QQmain", "main program"},
        {"__grid_MOD_sweep", "grid::sweep"},
        {"__grid_MOD_sweep.constprop.0", "grid::sweep"},
        {"__grid_MOD_sweep@plt", "grid::sweep@plt"},
        {"sweep", NULL},
        {"sweep@plt", NULL},
        {"_Z", NULL},
        {"_Z@plt", NULL},
        {"@plt", NULL},
        {"", NULL},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *name = hsc_demangle(cases[i].symbol);
        if (!name != !cases[i].name || (name && strcmp(name, cases[i].name) != 0)) {
            printf("%s: got %s, expected %s\n", cases[i].symbol, name ? name : "nothing", cases[i].name ? cases[i].name : "nothing");
            wrong++;
        }
        free(name);
    }
    printf("%zu names, %d wrong\n", sizeof cases / sizeof cases[0], wrong);
    return wrong != 0;
}
