/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MD5 (RFC 1321): compilers put it into debug information, so it tells whether a source is the one compiled. */
#ifndef HEATSCOPE_STORE_MD5_H
#define HEATSCOPE_STORE_MD5_H

#include <stddef.h>

/* hex: 32 digits and a NUL. */
void hsc_md5_hex(const void *data, size_t size, char hex[33]);

#endif
