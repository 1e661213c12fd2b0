/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ELF symbols as address ranges. */
#include <stdlib.h>
#include <string.h>

#include "code_internal.h"

/* The name that a user of MPI calls, of the many that stand for one function: MPI_Send, mpi_send_. */
static bool is_mpi_name(const char *name) {
    size_t n = strlen(name);
    bool inner = n > 6 && (!strcmp(name + n - 2, "_f") || !strcmp(name + n - 4, "_f08")); /* Open MPI's, for its own modules */
    return !strncmp(name, "MPI_", 4) ? strpbrk(name + 4, "abcdefghijklmnopqrstuvwxyz") && !inner
                                     : !strncmp(name, "mpi_", 4) && name[n - 1] == '_' && name[n - 2] != '_';
}

/* At one address: functions before labels; MPI's own names; fewer leading underscores; global before weak before
 * local; then by name. */
static uint32_t rank_of(const GElf_Sym *s, const char *name) {
    uint32_t bind = GELF_ST_BIND(s->st_info) == STB_GLOBAL ? 0 : GELF_ST_BIND(s->st_info) == STB_WEAK ? 1 : 2;
    uint32_t label = GELF_ST_TYPE(s->st_info) == STT_NOTYPE, underscores = (uint32_t)strspn(name, "_");
    return label << 24 | (uint32_t)!is_mpi_name(name) << 16 | (underscores < 255 ? underscores : 255) << 8 | bind;
}

static int by_address(const void *pa, const void *pb) {
    const hsc_symbol *a = pa, *b = pb;
    if (a->lo != b->lo)
        return a->lo < b->lo ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool add_table(hsc_code *c, Elf *elf, Elf_Scn *section, const GElf_Shdr *h) {
    Elf_Data *d = elf_getdata(section, NULL);
    size_t n = d && h->sh_entsize ? d->d_size / h->sh_entsize : 0;
    for (size_t i = 1; i < n && i < INT32_MAX; i++) {
        GElf_Sym s;
        if (!gelf_getsym(d, (int)i, &s) || s.st_shndx == SHN_UNDEF || s.st_shndx == SHN_ABS)
            continue;
        int type = GELF_ST_TYPE(s.st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) || !hsc_code_is_code(c, s.st_value))
            continue;
        const char *text = elf_strptr(elf, h->sh_link, s.st_name);
        if (!text || !text[0] || text[0] == '$' || !strncmp(text, ".L", 2))
            continue;
        size_t size = strcspn(text, "@");
        const char *name = hsc_pool_intern(&c->pool, text, size);
        if (!name)
            return false;
        uint64_t hi = s.st_value + s.st_size;
        if (!HSC_PUSH(c->symbols, (hsc_symbol){s.st_value, hi < s.st_value ? s.st_value : hi, name, rank_of(&s, name), false}))
            return false;
    }
    return true;
}

bool hsc_code_load_symbols(hsc_code *c, Elf *elf) {
    for (int pass = 0; pass < 2; pass++) { /* .symtab, and .dynsym only where there is none */
        size_t before = c->symbols.n;
        for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
            GElf_Shdr h;
            if (gelf_getshdr(s, &h) && h.sh_type == (pass ? SHT_DYNSYM : SHT_SYMTAB) && !add_table(c, elf, s, &h))
                return false;
        }
        if (c->symbols.n > before)
            break;
    }
    hsc_code_sort_symbols(c);
    return true;
}

void hsc_code_sort_symbols(hsc_code *c) {
    if (c->symbols.n > 1)
        qsort(c->symbols.p, c->symbols.n, sizeof *c->symbols.p, by_address);
    size_t n = 0; /* one for each address; without a size it reaches to the next */
    for (size_t i = 0; i < c->symbols.n; i++) {
        if (n && c->symbols.p[n - 1].lo == c->symbols.p[i].lo) {
            if (c->symbols.p[i].hi > c->symbols.p[n - 1].hi)
                c->symbols.p[n - 1].hi = c->symbols.p[i].hi;
            continue;
        }
        c->symbols.p[n++] = c->symbols.p[i];
    }
    c->symbols.n = n;
    for (size_t i = 0; i < n; i++) {
        hsc_symbol *s = &c->symbols.p[i];
        if (s->hi > s->lo)
            continue;
        s->hi = i + 1 < n ? c->symbols.p[i + 1].lo : s->lo + 1;
        for (size_t k = 0; k < c->code_ranges.n; k++)
            if (s->lo >= c->code_ranges.p[k].lo && s->lo < c->code_ranges.p[k].hi &&
                (i + 1 == n || s->hi > c->code_ranges.p[k].hi))
                s->hi = c->code_ranges.p[k].hi;
    }
}
