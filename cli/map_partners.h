/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sends and receives of a program that may be two ends of one message. */
#ifndef HEATSCOPE_CLI_MAP_PARTNERS_H
#define HEATSCOPE_CLI_MAP_PARTNERS_H

#include "map_check.h"

typedef struct hsc_map_partner_pair {
    size_t send_module, receive_module; /* indices into the model */
    hsc_rec_message_match record;
} hsc_map_partner_pair;

typedef struct hsc_map_partners {
    hsc_map_partner_pair *list;
    size_t n;
} hsc_map_partners;

/* All pairs of which tag, communicator, datatype and count do not say that they are none. LIKELY: the tags are the same
 * number, or read the same, and the communicators are the same; POSSIBLE: one of them is known to the run only. Peers are
 * not compared: on one side stands the other's rank. HSC_E_MEMORY. Cost: sends times receives. */
hsc_status hsc_map_find_partners(const hsc_map_model *m, hsc_map_partners *out, hsc_err *err);
void hsc_map_partners_fini(hsc_map_partners *m);

#endif
