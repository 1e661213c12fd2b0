/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CRC32C (with the processor's instruction where there is one) and the stable 64-bit hash. Signal-safe. */
#include <string.h>

#include <heatscope/formats/stream.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

/* A CRC table is linear over exclusive or: each row is spanned by its entries 1, 2, 4, ..., 128. */
#define HSC_CRC_1(i, a, b, c, d, e, f, g, h) \
    ((i)&1 ? a : 0) ^ ((i)&2 ? b : 0) ^ ((i)&4 ? c : 0) ^ ((i)&8 ? d : 0) ^ ((i)&16 ? e : 0) ^ ((i)&32 ? f : 0) ^ \
        ((i)&64 ? g : 0) ^ ((i)&128 ? h : 0)
#define HSC_CRC_4(i, ...) \
    HSC_CRC_1(i, __VA_ARGS__), HSC_CRC_1((i) + 1, __VA_ARGS__), HSC_CRC_1((i) + 2, __VA_ARGS__), \
        HSC_CRC_1((i) + 3, __VA_ARGS__)
#define HSC_CRC_16(i, ...) \
    HSC_CRC_4(i, __VA_ARGS__), HSC_CRC_4((i) + 4, __VA_ARGS__), HSC_CRC_4((i) + 8, __VA_ARGS__), \
        HSC_CRC_4((i) + 12, __VA_ARGS__)
#define HSC_CRC_64(i, ...) \
    HSC_CRC_16(i, __VA_ARGS__), HSC_CRC_16((i) + 16, __VA_ARGS__), HSC_CRC_16((i) + 32, __VA_ARGS__), \
        HSC_CRC_16((i) + 48, __VA_ARGS__)
#define HSC_CRC_ROW(...) \
    {HSC_CRC_64(0, __VA_ARGS__), HSC_CRC_64(64, __VA_ARGS__), HSC_CRC_64(128, __VA_ARGS__), \
     HSC_CRC_64(192, __VA_ARGS__)}

/* Row k: a byte followed by k zero bytes (polynomial 0x1EDC6F41, reflected). */
static const uint32_t table[8][256] = {
    HSC_CRC_ROW(0xf26b8303u, 0xe13b70f7u, 0xc79a971fu, 0x8ad958cfu, 0x105ec76fu, 0x20bd8edeu, 0x417b1dbcu, 0x82f63b78u),
    HSC_CRC_ROW(0x13a29877u, 0x274530eeu, 0x4e8a61dcu, 0x9d14c3b8u, 0x3fc5f181u, 0x7f8be302u, 0xff17c604u, 0xfbc3faf9u),
    HSC_CRC_ROW(0xa541927eu, 0x4f6f520du, 0x9edea41au, 0x38513ec5u, 0x70a27d8au, 0xe144fb14u, 0xc76580d9u, 0x8b277743u),
    HSC_CRC_ROW(0xdd45aab8u, 0xbf672381u, 0x7b2231f3u, 0xf64463e6u, 0xe964b13du, 0xd725148bu, 0xaba65fe7u, 0x52a0c93fu),
    HSC_CRC_ROW(0x38116facu, 0x7022df58u, 0xe045beb0u, 0xc5670b91u, 0x8f2261d3u, 0x1ba8b557u, 0x37516aaeu, 0x6ea2d55cu),
    HSC_CRC_ROW(0xef306b19u, 0xdb8ca0c3u, 0xb2f53777u, 0x6006181fu, 0xc00c303eu, 0x85f4168du, 0x0e045bebu, 0x1c08b7d6u),
    HSC_CRC_ROW(0x68032cc8u, 0xd0065990u, 0xa5e0c5d1u, 0x4e2dfd53u, 0x9c5bfaa6u, 0x3d5b83bdu, 0x7ab7077au, 0xf56e0ef4u),
    HSC_CRC_ROW(0x493c7d27u, 0x9278fa4eu, 0x211d826du, 0x423b04dau, 0x847609b4u, 0x0d006599u, 0x1a00cb32u, 0x34019664u),
};

static uint32_t crc_portable(uint32_t c, const uint8_t *p, size_t n) {
    for (; n >= 8; p += 8, n -= 8)
        c = table[7][p[0] ^ (c & 0xff)] ^ table[6][p[1] ^ (c >> 8 & 0xff)] ^ table[5][p[2] ^ (c >> 16 & 0xff)] ^
            table[4][p[3] ^ c >> 24] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
    while (n--)
        c = table[0][(c ^ *p++) & 0xff] ^ c >> 8;
    return c;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_hardware(uint32_t c, const uint8_t *p, size_t n) {
    uint64_t wide = c;
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t v;
        memcpy(&v, p, 8);
        wide = _mm_crc32_u64(wide, v);
    }
    c = (uint32_t)wide;
    while (n--)
        c = _mm_crc32_u8(c, *p++);
    return c;
}

/* CPUID is slow (it leaves a virtual machine), so the answer is kept; every thread computes the same one. */
static int have_hardware(void) {
    static int answer; /* 0 not asked, 1 no, 2 yes */
    int a = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (!a) {
        unsigned eax, ebx, ecx = 0, edx;
        a = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_SSE4_2) ? 2 : 1;
        __atomic_store_n(&answer, a, __ATOMIC_RELAXED);
    }
    return a == 2;
}
#elif defined(__ARM_FEATURE_CRC32)
static uint32_t crc_hardware(uint32_t c, const uint8_t *p, size_t n) {
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t v;
        memcpy(&v, p, 8);
        c = __crc32cd(c, v);
    }
    while (n--)
        c = __crc32cb(c, *p++);
    return c;
}

static int have_hardware(void) {
    return 1;
}
#else
#define crc_hardware crc_portable
static int have_hardware(void) {
    return 0;
}
#endif

uint32_t hsc_crc32c(uint32_t crc, const void *data, size_t n) {
    return ~(have_hardware() ? crc_hardware : crc_portable)(~crc, data, n);
}

uint32_t hsc_crc32c_portable(uint32_t crc, const void *data, size_t n) {
    return ~crc_portable(~crc, data, n);
}

uint64_t hsc_hash64(uint64_t seed, const void *data, size_t n) {
    const uint8_t *p = data;
    uint64_t h = seed ? seed : 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}
