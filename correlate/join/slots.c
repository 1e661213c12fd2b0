/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A table that forgets: what leaves makes room. */
#include "slots.h"

#include <stdlib.h>

static size_t place_of(const slots *m, uint64_t a, uint64_t b) {
    return (size_t)((a ^ b * 0x9E3779B97F4A7C15u) * 0xC2B2AE3D27D4EB4Fu >> 20) & (m->capacity - 1);
}

slots_entry *slots_find(const slots *m, uint64_t a, uint64_t b) {
    for (size_t i = m->capacity ? place_of(m, a, b) : 0; m->capacity && m->slots[i].value; i = (i + 1) & (m->capacity - 1))
        if (m->slots[i].a == a && m->slots[i].b == b)
            return &m->slots[i];
    return NULL;
}

bool slots_put(slots *m, uint64_t a, uint64_t b, uint32_t value) {
    slots_entry *known = slots_find(m, a, b);
    if (known) {
        known->value = value + 1;
        return true;
    }
    if (m->count * 2 >= m->capacity) {
        slots bigger = {.capacity = m->capacity ? 2 * m->capacity : 64};
        if (!(bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots)))
            return false;
        for (size_t i = 0; i < m->capacity; i++)
            if (m->slots[i].value)
                (void)slots_put(&bigger, m->slots[i].a, m->slots[i].b, m->slots[i].value - 1);
        free(m->slots);
        *m = bigger;
    }
    size_t i = place_of(m, a, b);
    while (m->slots[i].value)
        i = (i + 1) & (m->capacity - 1);
    m->slots[i] = (slots_entry){a, b, value + 1};
    m->count++;
    return true;
}

void slots_drop(slots *m, slots_entry *s) {
    size_t hole = (size_t)(s - m->slots), mask = m->capacity - 1;
    for (size_t i = (hole + 1) & mask; m->slots[i].value; i = (i + 1) & mask) {
        size_t home = place_of(m, m->slots[i].a, m->slots[i].b);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole].value = 0;
    m->count--;
}
