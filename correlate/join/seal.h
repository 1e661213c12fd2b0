/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seals: 128 bits that only who has the user's key can make for some bytes (SipHash with 128 bits; Aumasson and
 * Bernstein, 2012). Long ones are made in eight lanes: word k of each 64 bytes goes to lane k, which is a SipHash by itself that begins with its number; the
 * lanes' own results, then the rest of the bytes, are what the seal is made of. Of less than 64 bytes it is SipHash as published. */
#ifndef HEATSCOPE_JOIN_SEAL_H
#define HEATSCOPE_JOIN_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HSC_SEAL_LANES = 8, HSC_SEAL_BLOCK = 8 * HSC_SEAL_LANES };

typedef struct hsc_seal_key {
    uint64_t k[2];
} hsc_seal_key;

typedef struct hsc_seal {
    uint64_t s[2];
} hsc_seal;

typedef struct hsc_sealer { /* bytes as they come */
    unsigned rounds;
    uint64_t v[4], bytes;
    uint64_t lanes[4][HSC_SEAL_LANES]; /* from the first whole block on */
    uint8_t rest[HSC_SEAL_BLOCK];      /* bytes % HSC_SEAL_BLOCK of them */
} hsc_sealer;

/* What a seal is for. */
enum { HSC_SEAL_PROGRAM, HSC_SEAL_FILE, HSC_SEAL_BODY, HSC_SEAL_END, HSC_SEAL_QUESTION, HSC_SEAL_MADE, HSC_SEAL_CHUNK, HSC_SEAL_PACKED, HSC_SEAL_ROWS, HSC_SEAL_MODULE, HSC_SEAL_CODE, HSC_SEAL_TIMES };

/* rounds: 2 (SipHash-2-4), or 1 (SipHash-1-3, faster) to know bytes again that nobody has a seal of. */
void hsc_seal_begin(hsc_sealer *s, const hsc_seal_key *key, unsigned rounds);
void hsc_seal_add(hsc_sealer *s, const void *bytes, size_t n);
/* The same for n blocks of HSC_SEAL_BLOCK bytes, behind others of these alone, by what any processor can. */
void hsc_seal_add_plain(hsc_sealer *s, const void *blocks, size_t n);
hsc_seal hsc_seal_end(hsc_sealer *s);
static inline bool hsc_seal_equal(hsc_seal a, hsc_seal b) {
    return !((a.s[0] ^ b.s[0]) | (a.s[1] ^ b.s[1]));
}
/* The key in file `path`, made where there is none, with its folder. False: there is none to be had, or others than
 * this user could have read or written it. */
bool hsc_seal_read_key(const char *path, hsc_seal_key *key);

#endif
