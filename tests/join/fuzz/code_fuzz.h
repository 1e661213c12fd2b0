/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is kept of a module, changed: code_fuzz.c. */
#ifndef HEATSCOPE_TESTS_CODE_FUZZ_H
#define HEATSCOPE_TESTS_CODE_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Bytes that are truly kept of the module. */
size_t code_fuzz_size(void);
/* An input of the fuzz target, size > 0; false: it was refused. */
bool code_fuzz_take(const uint8_t *data, size_t size);

#endif
