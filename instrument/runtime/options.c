/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's options from the environment. */
#include <stdlib.h>

#include "rt.h"

static uint64_t number(const char *variable, uint64_t preset, uint64_t low, uint64_t high) {
    const char *text = getenv(variable);
    if (!text || !*text)
        return preset;
    uint64_t v = 0;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9' || v > high) {
            v = UINT64_MAX;
            break;
        }
        v = v * 10 + (uint64_t)(*p - '0');
    }
    if (v >= low && v <= high)
        return v;
    char line[256];
    size_t at = 0;
    hsc_rt_append(line, sizeof line, &at, variable);
    hsc_rt_append(line, sizeof line, &at, ": expected a number from ");
    hsc_rt_append_u64(line, sizeof line, &at, low);
    hsc_rt_append(line, sizeof line, &at, " to ");
    hsc_rt_append_u64(line, sizeof line, &at, high);
    hsc_rt_append(line, sizeof line, &at, ", got '");
    hsc_rt_append(line, sizeof line - 40, &at, text);
    hsc_rt_append(line, sizeof line, &at, "'; taking ");
    hsc_rt_append_u64(line, sizeof line, &at, preset);
    hsc_rt_say(line);
    return preset;
}

void hsc_rt_options_read(hsc_rt_options *o) {
#define HSC_RT_TEXT(field, variable, preset, help) \
    o->field = getenv(variable); \
    o->field = o->field ? o->field : preset;
#define HSC_RT_NUMBER(field, variable, preset, low, high, help) o->field = number(variable, preset, low, high);
#include "options.def"
#undef HSC_RT_TEXT
#undef HSC_RT_NUMBER
}
