/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linked statically: can't be measured, has to run all the same. */
#include <stdio.h>

int main(void) {
    printf("static\n");
    return 5;
}
