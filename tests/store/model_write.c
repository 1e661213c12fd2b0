/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the random database of model.h. Usage: store-model FILE */
#include <stdio.h>

#include "model.h"

int main(int argc, char **argv) {
    hsc_err err = {0};
    if (argc != 2)
        return 2;
    model *m = model_new(21, false);
    hsc_status status = model_write(m, argv[1], 1, 1 << 20, &err);
    if (status)
        fprintf(stderr, "%s\n", err.text);
    model_free(m);
    return status != HSC_OK;
}
