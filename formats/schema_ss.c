/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The schema chunk, as schema_make.c made it. Signal-safe. */
#include "wire.h"

#include "schema_chunk.h"

uint64_t hsc_wire_schema_id(void) { return SCHEMA_ID; }

size_t hsc_schema_chunk(void *buffer, size_t capacity) {
    if (buffer && capacity >= SCHEMA_BYTES)
        memcpy(buffer, schema_bytes, SCHEMA_BYTES);
    return SCHEMA_BYTES;
}
