/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where procedures begin of which no unwind rule is known: at symbols, and at what is called directly. Outside handlers but
 * for the look-up. */
#include <elf.h>

#include "rt.h"

#define TEXT_MAX (16u << 20) /* bytes of code that are searched for calls */
#define BLOCK 65536u

typedef struct list {
    uint64_t *p; /* offsets from the module's start */
    size_t n, capacity;
    const hsc_rt_module *m;
} list;

static void add(list *l, uint64_t address) {
    const hsc_rt_module *m = l->m;
    if (address < m->text_low || address >= m->text_high || address - m->low > UINT32_MAX ||
        (m->table && hsc_rt_table_find(m->table, address)) || (m->more && hsc_rt_table_find(m->more, address)))
        return;
    if (l->n == l->capacity) {
        size_t more = l->capacity ? l->capacity * 2 : 1024;
        uint64_t *p = hsc_rt_remap(l->p, l->capacity * sizeof *p, more * sizeof *p);
        if (!p)
            return;
        l->p = p;
        l->capacity = more;
    }
    l->p[l->n++] = address - m->low;
}

static bool add_symbols(list *l, const hsc_rt_elf_file *f, const char *name) {
    hsc_rt_section s;
    if (hsc_rt_elf_section(f, name, &s) != HSC_RT_SECTION_READ)
        return false;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= s.size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym y;
        __builtin_memcpy(&y, s.copy + at, sizeof y);
        unsigned type = ELF64_ST_TYPE(y.st_info);
        if ((type == STT_FUNC || type == STT_GNU_IFUNC) && y.st_shndx != SHN_UNDEF)
            add(l, y.st_value + l->m->bias);
    }
    hsc_rt_elf_section_free(&s);
    return true;
}

static void add_called(list *l) {
    uint64_t end = l->m->text_high;
    if (end - l->m->text_low > TEXT_MAX)
        return;
    uint8_t *block = hsc_rt_map(BLOCK);
    for (uint64_t at = l->m->text_low; block && at + 5 <= end; at += BLOCK - 4) { /* calls may cross the edges */
        size_t n = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
        if (!hsc_rt_read(block, at, n))
            break;
        for (size_t i = 0; i + 5 <= n; i++)
            if (block[i] == 0xe8) {
                int32_t offset;
                __builtin_memcpy(&offset, block + i + 1, 4);
                add(l, at + i + 5 + (uint64_t)(int64_t)offset);
            }
    }
    hsc_rt_unmap(block, BLOCK);
}

hsc_rt_entries *hsc_rt_entries_build(const hsc_rt_module *m, const hsc_rt_elf_file *f) {
    list l = {NULL, 0, 0, m};
    if (f->fd >= 0 && !add_symbols(&l, f, ".symtab"))
        add_symbols(&l, f, ".dynsym");
    add_called(&l);
    size_t bytes = sizeof(hsc_rt_entries) + l.n * sizeof(uint32_t);
    hsc_rt_entries *e = l.n ? hsc_rt_map(bytes) : NULL;
    if (e) {
        e->bytes = bytes;
        hsc_rt_sort(l.p, l.n);
        for (size_t i = 0; i < l.n; i++)
            if (!i || l.p[i] != l.p[i - 1])
                e->offset[e->count++] = (uint32_t)l.p[i];
    }
    hsc_rt_unmap(l.p, l.capacity * sizeof *l.p);
    return e;
}

void hsc_rt_entries_free(hsc_rt_entries *e) {
    if (e)
        hsc_rt_unmap(e, e->bytes);
}

uint64_t hsc_rt_entry_before(const hsc_rt_entries *e, uint64_t offset) {
    uint32_t low = 0, n = e->count;
    if (!n || e->offset[0] > offset)
        return 0;
    while (n > 1) {
        uint32_t half = n / 2;
        low = e->offset[low + half] <= offset ? low + half : low;
        n -= half;
    }
    return e->offset[low];
}
