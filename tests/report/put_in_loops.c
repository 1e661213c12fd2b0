/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A search whose loops are put into the loop that calls it: their first look whether to begin is code of that one, and mostly the last. */
#include <string.h>
enum { N = 1 << 22 };
static unsigned char text[N + 8];
static unsigned table[8];
static inline unsigned same_before(const unsigned char *p, const unsigned char *low, unsigned pattern) {
    const unsigned char *end = p;
    unsigned word;
    while (p >= low + 4) { /* WORDS */
        memcpy(&word, p - 4, 4);
        if (word != pattern)
            break;
        p -= 4;
    }
    const unsigned char *byte = (const unsigned char *)&pattern + 3;
    while (p > low) { /* BYTES */
        if (p[-1] != *byte)
            break;
        p--;
        byte--;
    }
    return (unsigned)(end - p);
}
__attribute__((noinline)) static unsigned search(unsigned at, unsigned n, unsigned pattern) {
    unsigned best = 0;
    while (n > 0 && at != 12345) { /* ROUND */
        unsigned length = 0;
        unsigned from = 8 + at % N;
        if (at & 1024) {
            if (text[from] != 3) {
                length = same_before(text + from, text + from / 8 * 8 - 4 * (at >> 30), pattern);
                if (length > 8)
                    table[length & 7] = at;
            }
            if (table[at & 7] == 5)
                break;
        } else if (at & 2048)
            length = table[at & 7];
        best = length > best ? length : best;
        n--;
        at = at * 1664525u + 1013904223u + length;
    }
    return best;
}
int main(int count, char **words) {
    memset(text, 7, sizeof text);
    for (int i = 0; i < N; i += 3)
        text[i] = 0;
    return search((unsigned)count, 300000000, 0x07000707 + (count > 9)) > 1000 && !words;
}
