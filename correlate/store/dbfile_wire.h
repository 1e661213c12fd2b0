/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a reader and its worker say to each other over their socket: a request with its texts, an answer with its bytes.
 * Both are the same program at the same moment, so structs go as they are. */
#ifndef HEATSCOPE_STORE_DBFILE_WIRE_H
#define HEATSCOPE_STORE_DBFILE_WIRE_H

#include <stdint.h>
#include <stdnoreturn.h>

#include "dbfile.h"

enum hsc_wire_what {
    HSC_WIRE_START,
    HSC_WIRE_HAS,
    HSC_WIRE_OPEN_SET,
    HSC_WIRE_CLOSE_SET,
    HSC_WIRE_READ,
    HSC_WIRE_PIECES,
    HSC_WIRE_TEXT,
    HSC_WIRE_NUMBERS
};

enum { HSC_WIRE_NAME_MAX = 256, HSC_WIRE_NUMBERS_MAX = 16, HSC_READER_CPU_S = 10 /* for one request */ };

typedef struct hsc_wire_request {
    uint32_t what;
    int32_t set;
    uint64_t first, n; /* OPEN_SET: n is expected_n; NUMBERS: how many; PIECES: first elements in
                        * each of n pieces, whose numbers follow as uint64_t */
    uint32_t type;
    char name[HSC_WIRE_NAME_MAX], object[HSC_WIRE_NAME_MAX];
} hsc_wire_request;

typedef struct hsc_wire_answer {
    uint32_t status; /* hsc_status; of HAS 1: it has */
    int32_t set;
    uint32_t bytes;   /* that follow: of an error its text; of READ and PIECES the elements; of TEXT and NUMBERS what they are */
    uint32_t present; /* TEXT */
    hsc_set_info info;
} hsc_wire_answer;

/* Serves requests from the socket until its other end is closed. Never returns. START is answered first. */
noreturn void hsc_dbfile_worker(const char *path, int file, int sock);

#endif
