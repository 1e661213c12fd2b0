/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tags that a map leaves out because its other records give them. */
#include <string.h>

#include <heatscope/formats/tags.h>

uint64_t hsc_tag(uint64_t seed, const char *kind, const void *bytes, size_t n) {
    seed = hsc_hash64(seed, kind, strlen(kind) + 1);
    uint64_t tag = hsc_hash64(seed, bytes, n);
    return tag ? tag : 1;
}

uint64_t hsc_tag_of_procedure(hsc_str linkage_name, bool is_local, hsc_str file) {
    uint64_t seed = is_local ? hsc_tag(0, "file", file.p, file.n) : 0;
    return hsc_tag(seed, "procedure", linkage_name.p, linkage_name.n);
}

uint64_t hsc_tag_of_calls(uint64_t procedure_tag, hsc_str callee) {
    return hsc_tag(procedure_tag, "call", callee.p, callee.n);
}

uint64_t hsc_tag_of_call(uint64_t calls_tag, uint32_t nth) {
    uint8_t bytes[4] = {(uint8_t)nth, (uint8_t)(nth >> 8), (uint8_t)(nth >> 16), (uint8_t)(nth >> 24)};
    return hsc_tag(calls_tag, "nth", bytes, sizeof bytes);
}
