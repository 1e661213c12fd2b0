/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes any bytes UTF-8. */
#include <heatscope/formats/text.h>

#include <stdint.h>

/* Length of the well-formed sequence at p, 0 if there is none (RFC 3629: no overlong forms, no surrogates). */
static int sequence(const unsigned char *p) {
    if (p[0] < 0x80)
        return 1;
    int n = p[0] >= 0xC2 && p[0] <= 0xDF ? 2 : (p[0] & 0xF0) == 0xE0 ? 3 : p[0] >= 0xF0 && p[0] <= 0xF4 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
        (p[0] == 0xF4 && p[1] > 0x8F))
        return 0;
    return n;
}

void hsc_text_repair(char *text) {
    unsigned char *p = (unsigned char *)text;
    while (*p) {
        int n = sequence(p);
        if (!n)
            *p = '?';
        p += n ? n : 1;
    }
}
