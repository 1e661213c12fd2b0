/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a model: a small database with rows in every table, for tests that read it by other ways than query.h. */
#include <stdio.h>
#include <stdlib.h>

#include "model.h"

int main(int argc, char **argv) {
    hsc_err err = {0};
    char *end = NULL;
    unsigned long seed = argc == 3 ? strtoul(argv[1], &end, 10) : 0;
    if (argc != 3 || !argv[1][0] || *end || seed > 1000000) {
        fprintf(stderr, "usage: heatscope-model SEED FILE\n");
        return 2;
    }
    model *m = model_new((uint32_t)seed, false);
    hsc_status s = m ? model_write(m, argv[2], 1, 1 << 20, &err) : HSC_E_MEMORY;
    model_free(m);
    if (s != HSC_OK) {
        fprintf(stderr, "heatscope-model: %s\n", m ? err.text : "out of memory");
        return 1;
    }
    return 0;
}
