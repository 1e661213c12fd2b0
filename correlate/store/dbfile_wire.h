/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a reader and its worker say to each other over their socket: a request with its texts, an answer with its bytes.
 * Both are the same program at the same moment, so structs go as they are. Elements may be put into memory that both have instead:
 * the socket would copy them twice, into pages of the system's that are made for it. */
#ifndef HEATSCOPE_STORE_DBFILE_WIRE_H
#define HEATSCOPE_STORE_DBFILE_WIRE_H

#include <stdint.h>
#include <stdnoreturn.h>

#include "dbfile.h"
#include "h5.h"

enum hsc_wire_what {
    HSC_WIRE_START,
    HSC_WIRE_HAS,
    HSC_WIRE_OPEN_SET,
    HSC_WIRE_LOOK_AT_SET, /* OPEN_SET; with no more than `first` bytes, and not more than are read at once, they follow and it is closed; first 0: closed */
    HSC_WIRE_CLOSE_SET,
    HSC_WIRE_READ,
    HSC_WIRE_PIECES,
    HSC_WIRE_TEXT,
    HSC_WIRE_NUMBERS
};

enum { HSC_WIRE_NAME_MAX = HSC_SET_NAME_MAX, HSC_WIRE_NUMBERS_MAX = 16, HSC_READER_CPU_S = 10 /* for one request */ };
/* Places in the shared memory: one is copied while the next one is filled. */
enum { HSC_WIRE_PLACES = 2, HSC_WIRE_PLACE_BYTES = HSC_H5_BATCH_BYTES };

typedef struct hsc_wire_request {
    uint32_t what;
    int32_t set;
    uint64_t first, n; /* OPEN_SET, LOOK_AT_SET: n is expected_n; NUMBERS: how many; PIECES: first elements in
                        * each of n pieces, whose numbers follow as uint64_t */
    uint32_t type;
    uint32_t place; /* READ: 1 to HSC_WIRE_PLACES where the elements are to be put, which must hold them; 0: they follow the answer */
    char name[HSC_WIRE_NAME_MAX], object[HSC_WIRE_NAME_MAX];
} hsc_wire_request;

typedef struct hsc_wire_answer {
    uint32_t status; /* hsc_status; of HAS 1: it has */
    int32_t set;
    uint32_t bytes;   /* that follow: of an error its text; of LOOK_AT_SET, READ and PIECES the elements; of TEXT and NUMBERS what they are */
    uint32_t present; /* TEXT */
    uint32_t shared;  /* READ: bytes that are in the place */
    hsc_set_info info;
} hsc_wire_answer;

/* Serves requests from the socket until its other end is closed. Never returns. START is answered first. places: the shared memory,
 * HSC_WIRE_PLACES * HSC_WIRE_PLACE_BYTES; NULL: none. */
noreturn void hsc_dbfile_worker(const char *path, int file, int sock, char *places);

#endif
