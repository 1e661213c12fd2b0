/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which files were looked at, and what they were then: who knows that knows later whether anything would be found otherwise. */
#ifndef HEATSCOPE_CODE_LOOKS_H
#define HEATSCOPE_CODE_LOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool.h"

typedef struct hsc_file_facts { /* all zero: no such file, or not to be seen */
    uint64_t is_there, device, inode, size, modified_s, modified_ns, changed_s, changed_ns;
} hsc_file_facts;

typedef struct hsc_look {
    const char *path;
    hsc_file_facts facts;
    bool is_young;
} hsc_look;

typedef struct hsc_looks {
    HSC_VEC(hsc_look) list;
    bool has_more; /* other files were looked at, or there was no memory */
} hsc_looks;

struct stat;
hsc_file_facts hsc_file_facts_of(const struct stat *st);
hsc_file_facts hsc_file_get_facts(const char *path);
/* Changed so shortly before now that a change after could bear the same time. */
bool hsc_file_is_young(const hsc_file_facts *facts);
/* Before the file is opened, or found missing. */
void hsc_looks_add(hsc_looks *looks, hsc_pool *pool, const char *path);

#endif
