/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Length and control flow of x86-64 instructions. */
#include "x86_64.h"

#include <string.h>

#define MAX_LENGTH 15

/* What follows an opcode:
 * .  nothing          m  ModRM               b  a byte            z  2 or 4 bytes, by operand size
 * B  ModRM and byte   Z  ModRM and 2 or 4    v  2, 4 or 8 bytes   a  an address
 * w  3 bytes          c  a call's distance   g, G  ModRM and, for two of its operations, a byte or 2 or 4 bytes
 * s  branch, 1 byte   L  branch, 4 bytes     S  jump, 1 byte      J  jump, 4 bytes
 * f  ModRM, which may be a jump              r  return            R  return and 2 bytes
 * h  stop             8, A  other maps       x  no instruction */
static const char one_byte[] = "mmmmbzxxmmmmbzxx" /* 00 */
                               "mmmmbzxxmmmmbzxx"
                               "mmmmbzxxmmmmbzxx"
                               "mmmmbzxxmmmmbzxx"
                               "xxxxxxxxxxxxxxxx" /* 40 */
                               "................"
                               "xxxmxxxxzZbB...."
                               "ssssssssssssssss"
                               "BZxBmmmmmmmmmmmm" /* 80 */
                               "..........x....."
                               "aaaa....bz......"
                               "bbbbbbbbvvvvvvvv"
                               "BBRrxxBZw.Rr.bxr" /* C0 */
                               "mmmmxxx.mmmmmmmm"
                               "ssssbbbbcJxS...."
                               "x.xxh.gG......mf";
static const char after_0f[] = "mmmmm.....mhmm.B" /* 00 */
                               "mmmmmmmmmmmmmmmm"
                               "mmmmmmmmmmmmmmmm"
                               "........8mAmmmmm"
                               "mmmmmmmmmmmmmmmm" /* 40 */
                               "mmmmmmmmmmmmmmmm"
                               "mmmmmmmmmmmmmmmm"
                               "BBBBmmm.mmmmmmmm"
                               "LLLLLLLLLLLLLLLL" /* 80 */
                               "mmmmmmmmmmmmmmmm"
                               "...mBmmm...mBmmm"
                               "mmmmmmmmmmBmmmmm"
                               "mmBmBBBm........" /* C0 */
                               "mmmmmmmmmmmmmmmm"
                               "mmmmmmmmmmmmmmmm"
                               "mmmmmmmmmmmmmmmm";

/* The same as numbers, so that most instructions are decoded without a branch. */
typedef struct shape {
    uint8_t modrm;                  /* has one */
    uint8_t bytes;                  /* of immediates and distances */
    uint8_t by_operand;             /* has an immediate besides of 2 or 4 bytes */
    uint8_t flow, relative;         /* bytes of the distance */
    uint8_t special;                /* more has to be looked at */
} shape;
static const shape shapes[128] = {
    ['.'] = {.modrm = 0},
    ['m'] = {.modrm = 1},
    ['b'] = {.bytes = 1},
    ['z'] = {.by_operand = 1},
    ['B'] = {.modrm = 1, .bytes = 1},
    ['Z'] = {.modrm = 1, .by_operand = 1},
    ['w'] = {.bytes = 3},
    ['c'] = {.bytes = 4},
    ['s'] = {.bytes = 1, .flow = HSC_X86_BRANCH, .relative = 1},
    ['S'] = {.bytes = 1, .flow = HSC_X86_JUMP, .relative = 1},
    ['L'] = {.bytes = 4, .flow = HSC_X86_BRANCH, .relative = 4},
    ['J'] = {.bytes = 4, .flow = HSC_X86_JUMP, .relative = 4},
    ['r'] = {.flow = HSC_X86_RETURN},
    ['R'] = {.bytes = 2, .flow = HSC_X86_RETURN},
    ['h'] = {.flow = HSC_X86_STOP},
    ['v'] = {.special = 1},
    ['a'] = {.special = 1},
    ['g'] = {.modrm = 1, .special = 1},
    ['G'] = {.modrm = 1, .special = 1},
    ['f'] = {.modrm = 1, .special = 1},
    ['8'] = {.special = 1},
    ['A'] = {.special = 1},
    ['x'] = {.special = 1},
};

/* Bytes of ModRM, SIB and displacement. */
static size_t modrm_bytes(const uint8_t *p) {
    static const uint8_t by_mod_rm[32] = {1, 1, 1, 1, 2, 5, 1, 1, 2, 2, 2, 2, 3, 2, 2, 2,
                                          5, 5, 5, 5, 6, 5, 5, 5, 1, 1, 1, 1, 1, 1, 1, 1};
    return by_mod_rm[p[0] >> 6 << 3 | (p[0] & 7)] + ((p[0] & 0xC7) == 4 && (p[1] & 7) == 5 ? 4u : 0u);
}

/* What follows the opcode of VEX (C4, C5), EVEX (62) and XOP (8F) prefixes. *at: of the byte after the prefix, then of that
 * behind the opcode. 0: none of the instruction's map. */
static char after_vector(const uint8_t *p, size_t *at, unsigned prefix, size_t *more) {
    unsigned map = 1;
    if (prefix == 0xC5) {
        *at += 1;
    } else {
        map = prefix == 0x62 ? p[*at] & 7 : p[*at] & 31;
        *at += prefix == 0x62 ? 3 : 2;
    }
    unsigned op = p[(*at)++];
    if (map == 1 && op == 0x77)
        return '.';
    if (map == 3 || map == 8 || (map == 1 && ((op >= 0x70 && op <= 0x73) || op == 0xC2 || (op >= 0xC4 && op <= 0xC6))))
        return 'B';
    *more = map == 10 ? 4 : 0;
    return map ? 'm' : 'x';
}

/* What a first byte is: 0 an opcode, 1 a prefix, 2 REX, 3 the way to another map. */
static const uint8_t leads[256] = {
    [0x66] = 1, [0x67] = 1, [0xF0] = 1, [0xF2] = 1, [0xF3] = 1, [0x2E] = 1, [0x36] = 1, [0x3E] = 1, [0x26] = 1, [0x64] = 1, [0x65] = 1,
    [0x40] = 2, [0x41] = 2, [0x42] = 2, [0x43] = 2, [0x44] = 2, [0x45] = 2, [0x46] = 2, [0x47] = 2,
    [0x48] = 2, [0x49] = 2, [0x4A] = 2, [0x4B] = 2, [0x4C] = 2, [0x4D] = 2, [0x4E] = 2, [0x4F] = 2,
    [0x0F] = 3, [0xC4] = 3, [0xC5] = 3, [0x62] = 3, [0x8F] = 3};

/* `p` has at least 32 bytes; those behind the code may be anything. */
static inline size_t decode(const uint8_t *p, hsc_x86_flow *flow, size_t *relative_size) {
    bool small = false, address32 = false, wide = false;
    size_t at = 1, more = 0;
    unsigned op = p[0];
    char kind;
    if (leads[op]) {
        while (leads[op] == 1 && at < MAX_LENGTH) {
            small = small || op == 0x66;
            address32 = address32 || op == 0x67;
            op = p[at++];
        }
        if (leads[op] == 2) {
            wide = op & 8;
            op = p[at++];
        }
    }
    if (leads[op] != 3)
        kind = one_byte[op];
    else if (op == 0x0F)
        kind = after_0f[op = p[at++]];
    else if (op == 0x8F && (p[at] & 31) < 8)
        kind = one_byte[op];
    else
        kind = after_vector(p, &at, op, &more);
    size_t operand = small && !wide ? 2 : 4; /* of an immediate: at most 4 bytes */
    const shape *s = &shapes[(unsigned char)kind];
    size_t length = at + s->bytes + s->by_operand * operand + (s->modrm ? modrm_bytes(p + at) + more : 0);
    *flow = (hsc_x86_flow)s->flow;
    *relative_size = s->relative;
    if (!s->special)
        return length;
    unsigned operation = p[at] >> 3 & 7;
    switch (kind) {
    case 'v':
        return length + (wide ? 8 : operand);
    case 'a':
        return length + (address32 ? 4 : 8);
    case 'g':
    case 'G':
        return length + (operation < 2 ? kind == 'g' ? 1 : operand : 0);
    case 'f':
        if (operation == 4 || operation == 5)
            *flow = HSC_X86_INDIRECT;
        return length;
    case '8':
        return length + 1 + modrm_bytes(p + at + 1);
    case 'A':
        return length + 1 + modrm_bytes(p + at + 1) + 1;
    default:
        return 0;
    }
}

size_t hsc_x86_decode(const uint8_t *p, size_t n, hsc_x86_flow *flow, int64_t *relative) {
    size_t relative_size = 0, length;
    *flow = HSC_X86_NEXT;
    *relative = 0;
    if (n >= 32) {
        length = decode(p, flow, &relative_size);
    } else {
        uint8_t copy[32] = {0};
        memcpy(copy, p, n);
        length = decode(copy, flow, &relative_size);
    }
    if (!length || length > n || length > MAX_LENGTH) {
        *flow = HSC_X86_NEXT;
        return 0;
    }
    if (relative_size == 1) {
        *relative = (int8_t)p[length - 1];
    } else if (relative_size == 4) {
        int32_t v;
        memcpy(&v, p + length - 4, 4);
        *relative = v;
    }
    return length;
}

bool hsc_x86_is_nop(const uint8_t *p, size_t n) {
    while (n > 1 && (*p == 0x66 || *p == 0x2E)) {
        p++;
        n--;
    }
    return *p == 0x90 || *p == 0xCC || (n > 1 && p[0] == 0x0F && p[1] == 0x1F);
}
