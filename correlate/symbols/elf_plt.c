/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stubs of the procedure linkage tables, named after what they jump to. x86-64 only. */
#include <stdio.h>
#include <string.h>

#include "code_internal.h"

#define STUB_RANK 0xFFFFFFF0u

/* Slot of the global offset table: row of its name. */
static bool add_slots(hsc_code *c, Elf *elf, hsc_table *slots) {
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
        GElf_Shdr h, symbols;
        if (!gelf_getshdr(s, &h) || h.sh_type != SHT_RELA || !(h.sh_flags & SHF_ALLOC) || !h.sh_entsize)
            continue;
        Elf_Scn *table = elf_getscn(elf, h.sh_link);
        Elf_Data *d = elf_getdata(s, NULL), *names = table && gelf_getshdr(table, &symbols) &&
                      symbols.sh_type == SHT_DYNSYM ? elf_getdata(table, NULL) : NULL;
        for (size_t i = 0; d && i < d->d_size / h.sh_entsize && i < INT32_MAX; i++) {
            GElf_Rela r;
            GElf_Sym symbol;
            const char *text = NULL;
            char kept[520];
            if (!gelf_getrela(d, (int)i, &r))
                break;
            uint64_t type = GELF_R_TYPE(r.r_info), number = GELF_R_SYM(r.r_info);
            if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_IRELATIVE)
                continue;
            if (type == R_X86_64_IRELATIVE) {
                const hsc_symbol *target = hsc_code_symbol_at(c, (uint64_t)r.r_addend);
                text = target ? target->name : NULL;
            } else if (names && number && number < INT32_MAX && gelf_getsym(names, (int)number, &symbol)) {
                text = elf_strptr(elf, symbols.sh_link, symbol.st_name);
            }
            if (!text || !text[0])
                continue;
            snprintf(kept, sizeof kept, "%.*s@plt", (int)(strcspn(text, "@") % 512), text);
            const char *name = hsc_pool_intern(&c->pool, kept, strlen(kept));
            uint32_t *at = name ? hsc_table_at(slots, r.r_offset, 0) : NULL;
            if (!at)
                return false;
            *at = (uint32_t)c->plt_names.n;
            if (!HSC_PUSH(c->plt_names, name))
                return false;
        }
    }
    return true;
}

/* Where the stub at p jumps through; 0: not a stub. endbr64 and bnd may stand before the jump. */
static uint64_t slot_of(const uint8_t *p, size_t n, uint64_t address) {
    for (size_t i = 0; i + 6 <= n && i < 10; i++) {
        if (p[i] == 0xFF && p[i + 1] == 0x25) {
            int32_t d;
            memcpy(&d, p + i + 2, 4);
            return address + i + 6 + (uint64_t)(int64_t)d;
        }
        if (i < 4 ? p[i] != "\xf3\x0f\x1e\xfa"[i] && p[i] != 0xF2 : p[i] != 0xF2)
            return 0;
    }
    return 0;
}

bool hsc_code_load_plt(hsc_code *c, Elf *elf) {
    hsc_table slots = {0};
    bool ok = true, any = false;
    if (!c->is_x86_64)
        return true;
    for (size_t i = 0; i < c->code_ranges.n; i++)
        any = any || !strncmp(c->code_ranges.p[i].name, ".plt", 4) || !strcmp(c->code_ranges.p[i].name, ".iplt");
    ok = !any || add_slots(c, elf, &slots);
    for (size_t i = 0; ok && any && i < c->code_ranges.n; i++) {
        const hsc_range *r = &c->code_ranges.p[i];
        if (!r->bytes || (strncmp(r->name, ".plt", 4) && strcmp(r->name, ".iplt")))
            continue;
        size_t step = !strcmp(r->name, ".plt.got") ? 8 : 16;
        for (uint64_t at = 0; ok && at + 8 <= r->byte_count; at += step) {
            size_t left = (size_t)(r->byte_count - at);
            uint32_t row = hsc_table_get(&slots, slot_of(r->bytes + at, left < step ? left : step, r->lo + at), 0);
            if (row != HSC_NO_INDEX)
                ok = HSC_PUSH(c->symbols, (hsc_symbol){r->lo + at, r->lo + at + (left < step ? left : step),
                                                       c->plt_names.p[row], STUB_RANK, false});
        }
    }
    hsc_table_fini(&slots);
    hsc_code_sort_symbols(c);
    return ok;
}
