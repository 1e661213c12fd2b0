/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Length and control flow of x86-64 instructions. */
#include "x86_64.h"

#include <stdbool.h>
#include <string.h>

#define MAX_LENGTH 15

typedef struct insn {
    const uint8_t *p;
    size_t n, at;
    bool small;   /* 66: 16-bit operands */
    bool wide;    /* REX.W */
    bool address32; /* 67 */
} insn;

static int byte_at(const insn *x, size_t at) {
    return at < x->n && at < MAX_LENGTH ? x->p[at] : -1;
}

/* Skips ModRM, SIB and displacement; returns the ModRM byte, or -1. */
static int skip_modrm(insn *x) {
    int modrm = byte_at(x, x->at++);
    if (modrm < 0)
        return -1;
    int mod = modrm >> 6, rm = modrm & 7;
    if (mod == 3)
        return modrm;
    if (rm == 4) {
        int sib = byte_at(x, x->at++);
        if (sib < 0)
            return -1;
        if (mod == 0 && (sib & 7) == 5)
            x->at += 4;
    } else if (mod == 0 && rm == 5) {
        x->at += 4;
    }
    x->at += mod == 1 ? 1 : mod == 2 ? 4 : 0;
    return modrm;
}

static size_t operand_size(const insn *x) { /* of an immediate: at most 4 bytes */
    return x->small && !x->wide ? 2 : 4;
}

/* Immediate bytes of an instruction of the map 0F, legacy, VEX or EVEX. */
static size_t immediate_0f(int op) {
    return (op >= 0x70 && op <= 0x73) || op == 0xC2 || op == 0xC4 || op == 0xC5 || op == 0xC6;
}

static bool decode_0f(insn *x, hsc_x86_flow *flow, size_t *relative_size) {
    int op = byte_at(x, x->at++);
    if (op < 0)
        return false;
    if (op == 0x38) {
        x->at++;
        return skip_modrm(x) >= 0;
    }
    if (op == 0x3A) {
        x->at++;
        bool ok = skip_modrm(x) >= 0;
        x->at++;
        return ok;
    }
    if (op >= 0x80 && op <= 0x8F) {
        *flow = HSC_X86_BRANCH;
        *relative_size = 4;
        x->at += 4;
        return true;
    }
    if (op == 0x0B) {
        *flow = HSC_X86_STOP;
        return true;
    }
    if ((op >= 0x05 && op <= 0x09) || op == 0x0E || (op >= 0x30 && op <= 0x37) || op == 0x77 ||
        (op >= 0xA0 && op <= 0xA2) || (op >= 0xA8 && op <= 0xAA) || (op >= 0xC8 && op <= 0xCF))
        return true;
    if (skip_modrm(x) < 0)
        return false;
    if (immediate_0f(op) || op == 0x0F || op == 0xA4 || op == 0xAC || op == 0xBA)
        x->at++;
    return true;
}

/* What follows VEX (C4, C5), EVEX (62) and XOP (8F) prefixes. */
static bool decode_vector(insn *x, int prefix) {
    int map = 1;
    if (prefix == 0xC5) {
        x->at += 1;
    } else {
        int p0 = byte_at(x, x->at);
        if (p0 < 0)
            return false;
        map = prefix == 0x62 ? p0 & 7 : p0 & 31;
        x->at += prefix == 0x62 ? 3 : 2;
    }
    int op = byte_at(x, x->at++);
    if (op < 0)
        return false;
    if (map == 1 && op == 0x77)
        return true;
    if (skip_modrm(x) < 0)
        return false;
    if (map == 3 || map == 8 || (map == 1 && immediate_0f(op)))
        x->at++;
    else if (map == 10)
        x->at += 4;
    return map != 0;
}

static bool decode_one_byte(insn *x, int op, hsc_x86_flow *flow, size_t *relative_size) {
    int modrm;
    if (op < 0x40) {
        switch (op & 7) {
        case 4:
            x->at++;
            return true;
        case 5:
            x->at += operand_size(x);
            return true;
        case 6:
        case 7:
            return false;
        default:
            return skip_modrm(x) >= 0;
        }
    }
    if (op >= 0x50 && op <= 0x5F)
        return true;
    if ((op >= 0x70 && op <= 0x7F) || (op >= 0xE0 && op <= 0xE3) || op == 0xEB) {
        *flow = op == 0xEB ? HSC_X86_JUMP : HSC_X86_BRANCH;
        *relative_size = 1;
        x->at++;
        return true;
    }
    if (op == 0xE9) {
        *flow = HSC_X86_JUMP;
        *relative_size = 4;
        x->at += 4;
        return true;
    }
    switch (op) {
    case 0x63:
    case 0x84: case 0x85: case 0x86: case 0x87: case 0x88: case 0x89: case 0x8A: case 0x8B: case 0x8C: case 0x8D:
    case 0x8E: case 0x8F:
    case 0xD0: case 0xD1: case 0xD2: case 0xD3:
    case 0xD8: case 0xD9: case 0xDA: case 0xDB: case 0xDC: case 0xDD: case 0xDE: case 0xDF:
    case 0xFE:
        return skip_modrm(x) >= 0;
    case 0xFF:
        modrm = skip_modrm(x);
        if (modrm >= 0 && ((modrm >> 3 & 7) == 4 || (modrm >> 3 & 7) == 5))
            *flow = HSC_X86_INDIRECT;
        return modrm >= 0;
    case 0x6B:
    case 0x80:
    case 0x83:
    case 0xC0:
    case 0xC1:
    case 0xC6: {
        bool ok = skip_modrm(x) >= 0;
        x->at++;
        return ok;
    }
    case 0x69:
    case 0x81:
    case 0xC7: {
        bool ok = skip_modrm(x) >= 0;
        x->at += operand_size(x);
        return ok;
    }
    case 0xF6:
    case 0xF7:
        modrm = skip_modrm(x);
        if (modrm >= 0 && (modrm >> 3 & 7) < 2)
            x->at += op == 0xF6 ? 1 : operand_size(x);
        return modrm >= 0;
    case 0x68:
    case 0xA9:
        x->at += operand_size(x);
        return true;
    case 0x6A:
    case 0xA8:
    case 0xCD:
    case 0xE4: case 0xE5: case 0xE6: case 0xE7:
        x->at++;
        return true;
    case 0xA0: case 0xA1: case 0xA2: case 0xA3:
        x->at += x->address32 ? 4 : 8;
        return true;
    case 0xC2:
    case 0xCA:
        *flow = HSC_X86_RETURN;
        x->at += 2;
        return true;
    case 0xC3:
    case 0xCB:
    case 0xCF:
        *flow = HSC_X86_RETURN;
        return true;
    case 0xC8:
        x->at += 3;
        return true;
    case 0xE8:
        x->at += 4;
        return true;
    case 0xF4:
        *flow = HSC_X86_STOP;
        return true;
    default:
        break;
    }
    if (op >= 0xB0 && op <= 0xB7) {
        x->at++;
        return true;
    }
    if (op >= 0xB8 && op <= 0xBF) {
        x->at += x->wide ? 8 : operand_size(x);
        return true;
    }
    return (op >= 0x6C && op <= 0x6F) || (op >= 0x90 && op <= 0x99) || (op >= 0x9B && op <= 0x9F) ||
           (op >= 0xA4 && op <= 0xA7) || (op >= 0xAA && op <= 0xAF) || op == 0xC9 || op == 0xCC || op == 0xD7 ||
           (op >= 0xEC && op <= 0xEF) || op == 0xF1 || op == 0xF5 || (op >= 0xF8 && op <= 0xFD);
}

size_t hsc_x86_decode(const uint8_t *p, size_t n, hsc_x86_flow *flow, int64_t *relative) {
    insn x = {.p = p, .n = n};
    size_t relative_size = 0;
    int op;
    bool ok;
    *flow = HSC_X86_NEXT;
    *relative = 0;
    for (;;) {
        op = byte_at(&x, x.at++);
        if (op == 0x66)
            x.small = true;
        else if (op == 0x67)
            x.address32 = true;
        else if (op != 0xF0 && op != 0xF2 && op != 0xF3 && op != 0x2E && op != 0x36 && op != 0x3E && op != 0x26 &&
                 op != 0x64 && op != 0x65)
            break;
    }
    if (op >= 0x40 && op <= 0x4F) {
        x.wide = op & 8;
        op = byte_at(&x, x.at++);
    }
    if (op < 0)
        return 0;
    if (op == 0x0F)
        ok = decode_0f(&x, flow, &relative_size);
    else if (op == 0xC4 || op == 0xC5 || op == 0x62 || (op == 0x8F && (byte_at(&x, x.at) & 31) >= 8))
        ok = decode_vector(&x, op);
    else
        ok = decode_one_byte(&x, op, flow, &relative_size);
    if (!ok || x.at > n || x.at > MAX_LENGTH)
        return 0;
    if (relative_size == 1) {
        *relative = (int8_t)p[x.at - 1];
    } else if (relative_size == 4) {
        int32_t v;
        memcpy(&v, p + x.at - 4, 4);
        *relative = v;
    }
    return x.at;
}
