/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the stream whose text is tests/formats/golden/records.txt: golden_make FILE */
#include "fill.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    hsc_err err = {0};
    if (argc != 2 || !fill_stream(&bytes, &size) || hsc_file_write_atomic(argv[1], bytes, size, &err)) {
        fprintf(stderr, "golden_make: %s\n", argc != 2 ? "expected one FILE" : err.text);
        return 1;
    }
    free(bytes);
    return 0;
}
