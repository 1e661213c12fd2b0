/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* zlib streams of numbers that hardly ever repeat in longer pieces: a Huffman code for each byte plane and runs of
 * equal bytes, no other matches. */
#ifndef HEATSCOPE_STORE_HUFFMAN_H
#define HEATSCOPE_STORE_HUFFMAN_H

#include <stddef.h>
#include <stdint.h>

/* Packs n * count bytes, planes of n each, into `out`. 0: matches would save more than 1 / `worth` of it and more than `least` bytes,
 * or `most` bytes are not enough. Depends on the bytes alone. */
size_t hsc_huffman_pack(const uint8_t *planes, size_t n, size_t count, unsigned worth, size_t least, uint8_t *out, size_t most);

#endif
