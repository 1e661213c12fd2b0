/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The chunks of a file in the order of their streams. Slots are handed out as they come: a thread's second chunk may stand
 * before its first one, and its samples mean nothing before the nodes of that. A file is read again for what had to wait. */
#include <heatscope/formats/stream.h>

#include "join_internal.h"

#define PASSES_MAX 64u /* then as it stands */

bool hsc_join_order_take(jorder *o, const hsc_record *rec) {
    if (o->begun && rec->chunk_offset == o->chunk)
        return o->accepts;
    o->begun = true;
    o->chunk = rec->chunk_offset;
    o->accepts = hsc_table_get(&o->done, rec->chunk_offset, 0) == HSC_NO_INDEX;
    if (!o->accepts)
        return false;
    uint32_t *next = hsc_table_at(&o->next, rec->stream, rec->chunk_kind);
    if (!next) {
        o->failed = true;
        return false;
    }
    *next = *next == HSC_NO_INDEX ? 0 : *next;
    if (rec->sequence > *next && o->pass < PASSES_MAX) {
        uint32_t *waiting = hsc_table_at(&o->waiting, rec->stream, rec->chunk_kind);
        o->failed = o->failed || !waiting;
        if (waiting && (*waiting == HSC_NO_INDEX || *waiting > rec->sequence))
            *waiting = rec->sequence;
        return o->accepts = false;
    }
    if (rec->sequence >= *next && rec->sequence < HSC_NO_INDEX - 1)
        *next = rec->sequence + 1;
    uint32_t *moved = hsc_table_at(&o->moved, rec->stream, rec->chunk_kind), *done = hsc_table_at(&o->done, rec->chunk_offset, 0);
    o->failed = o->failed || !moved || !done;
    if (!moved || !done)
        return o->accepts = false;
    *moved = *done = 1;
    return true;
}

bool hsc_join_order_again(jorder *o) {
    bool any = o->waiting.count != 0;
    for (size_t i = 0; i < o->waiting.capacity; i++) { /* what they wait for is not there: damaged, or empty */
        const hsc_table_slot *s = &o->waiting.slots[i];
        uint32_t *next = s->used && hsc_table_get(&o->moved, s->a, s->b) == HSC_NO_INDEX ? hsc_table_at(&o->next, s->a, s->b) : NULL;
        if (next)
            *next = s->value;
    }
    hsc_table_fini(&o->waiting);
    hsc_table_fini(&o->moved);
    o->waiting = o->moved = (hsc_table){0};
    o->begun = false;
    o->pass++;
    return any && !o->failed;
}

void hsc_join_order_free(jorder *o) {
    hsc_table_fini(&o->next);
    hsc_table_fini(&o->waiting);
    hsc_table_fini(&o->moved);
    hsc_table_fini(&o->done);
}
