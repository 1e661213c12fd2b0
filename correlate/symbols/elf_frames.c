/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that have no symbol, from the unwind tables (.eh_frame). */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>

#include "code_internal.h"

typedef struct cursor {
    const uint8_t *p, *end;
    uint64_t address; /* of p in memory */
} cursor;

static uint64_t take(cursor *c, size_t n, bool is_signed) {
    uint64_t v = 0;
    if ((size_t)(c->end - c->p) < n) {
        c->p = c->end;
        return 0;
    }
    memcpy(&v, c->p, n);
    c->p += n;
    c->address += n;
    if (is_signed && n < 8 && v >> (8 * n - 1))
        v |= ~0ull << (8 * n);
    return v;
}

/* A pointer in one of the encodings of the Linux Standard Base (DW_EH_PE_*); false: in none that stands in a file. */
static bool take_encoded(cursor *c, uint8_t encoding, uint64_t *out) {
    static const uint8_t sizes[16] = {8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8, 0, 0, 0};
    size_t n = sizes[encoding & 15];
    uint64_t base = (encoding & 0x70) == DW_EH_PE_pcrel ? c->address : 0;
    if (!n || encoding & DW_EH_PE_indirect || ((encoding & 0x70) && (encoding & 0x70) != DW_EH_PE_pcrel))
        return false;
    *out = base + take(c, n, encoding & 8);
    return true;
}

/* Encoding of the addresses of a CIE's entries, from its augmentation. */
static uint8_t encoding_of(const Dwarf_CIE *cie) {
    const uint8_t *data = cie->augmentation_data, *end = data + cie->augmentation_data_size;
    if (cie->augmentation[0] != 'z')
        return DW_EH_PE_absptr;
    for (const char *a = cie->augmentation + 1; *a && data < end; a++) {
        if (*a == 'R')
            return *data;
        if (*a == 'L') {
            data++;
        } else if (*a == 'P') {
            cursor c = {data + 1, end, 0};
            uint64_t skipped;
            if (!take_encoded(&c, *data & 15, &skipped))
                break;
            data = c.p;
        }
    }
    return DW_EH_PE_absptr;
}

/* Does a symbol reach into [lo, hi)? */
static bool has_symbol(const hsc_code *c, size_t symbols, uint64_t lo, uint64_t hi) {
    size_t from = 0, to = symbols;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (c->symbols.p[mid].lo < hi)
            from = mid + 1;
        else
            to = mid;
    }
    return from && c->symbols.p[from - 1].hi > lo;
}

static bool add_function(hsc_code *c, size_t symbols, uint64_t lo, uint64_t hi) {
    char text[300];
    const char *slash = strrchr(c->path, '/');
    if (hi <= lo || !hsc_code_is_code(c, lo) || has_symbol(c, symbols, lo, hi))
        return true;
    for (size_t i = 0; i < c->code_ranges.n; i++)
        if (lo >= c->code_ranges.p[i].lo && lo < c->code_ranges.p[i].hi && !strncmp(c->code_ranges.p[i].name, ".plt", 4))
            return true;
    if (hsc_library_role_of(c->path) == HSC_LIBRARY_HEATSCOPE) /* stripped on purpose: there are no names to look for */
        snprintf(text, sizeof text, "Heatscope's probes and wrappers");
    else
        snprintf(text, sizeof text, "%.250s+0x%llx", slash ? slash + 1 : c->path, (unsigned long long)lo);
    const char *name = hsc_pool_intern(&c->pool, text, strlen(text));
    return name && HSC_PUSH(c->symbols, (hsc_symbol){lo, hi, name, 0xFFFFFFFFu, true});
}

bool hsc_code_load_frames(hsc_code *c, Elf *elf) {
    size_t names, symbols = c->symbols.n;
    GElf_Ehdr header;
    bool ok = true;
    const unsigned char *ident = (const unsigned char *)elf_getident(elf, NULL);
    if (!ident || ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB || !gelf_getehdr(elf, &header) ||
        elf_getshdrstrndx(elf, &names))
        return true;
    for (Elf_Scn *s = NULL; ok && (s = elf_nextscn(elf, s));) {
        GElf_Shdr h;
        const char *name = gelf_getshdr(s, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
        Elf_Data *d = name && !strcmp(name, ".eh_frame") && h.sh_type != SHT_NOBITS ? elf_rawdata(s, NULL) : NULL;
        if (!d || !d->d_buf)
            continue;
        hsc_table encodings = {0}; /* offset of a CIE: encoding of its entries */
        Dwarf_CFI_Entry entry;
        Dwarf_Off offset = 0, next;
        while (ok && offset != (Dwarf_Off)-1) {
            int result = dwarf_next_cfi(ident, d, true, offset, &next, &entry);
            if (result > 0 || next <= offset)
                break;
            offset = next;
            if (result < 0)
                continue;
            if (dwarf_cfi_cie_p(&entry))
                continue;
            uint32_t *at = hsc_table_at(&encodings, entry.fde.CIE_pointer, 0);
            if (!at) {
                ok = false;
                break;
            }
            if (*at == HSC_NO_INDEX) {
                Dwarf_CFI_Entry cie;
                Dwarf_Off after;
                bool read = dwarf_next_cfi(ident, d, true, entry.fde.CIE_pointer, &after, &cie) == 0 && dwarf_cfi_cie_p(&cie);
                *at = read ? encoding_of(&cie.cie) : DW_EH_PE_omit;
            }
            cursor in = {entry.fde.start, entry.fde.end,
                         h.sh_addr + (uint64_t)(entry.fde.start - (const uint8_t *)d->d_buf)};
            uint64_t lo, size;
            if (*at != DW_EH_PE_omit && take_encoded(&in, (uint8_t)*at, &lo) && take_encoded(&in, *at & 15, &size))
                ok = add_function(c, symbols, lo, lo + size);
        }
        hsc_table_fini(&encodings);
    }
    hsc_code_sort_symbols(c);
    return ok;
}
