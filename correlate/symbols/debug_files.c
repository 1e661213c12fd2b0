/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ELF files, and where the debug information of stripped ones is. */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code_internal.h"

#define SYSTEM_ROOT "/usr/lib/debug"

void hsc_hex(const uint8_t *p, size_t n, char *out, size_t size) {
    size_t k = 0;
    out[0] = 0;
    for (size_t i = 0; i < n && k + 3 <= size; i++, k += 2)
        snprintf(out + k, 3, "%02x", p[i]);
}

size_t hsc_elf_build_id(Elf *elf, const uint8_t **id) {
    const void *p = NULL;
    ssize_t n = dwelf_elf_gnu_build_id(elf, &p);
    *id = p;
    return n > 0 ? (size_t)n : 0;
}

bool hsc_elf_open(const char *path, hsc_elf_file *f) {
    f->elf = NULL;
    f->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0)
        return false;
    f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
    GElf_Ehdr ehdr;
    if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &ehdr)) {
        hsc_elf_close(f);
        return false;
    }
    return true;
}

/* Bytes of an image that the kernel has mapped as one piece, with its section headers; 0: not one. */
static size_t image_size(const Elf64_Ehdr *h) {
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64)
        return 0;
    size_t size = h->e_shoff + (size_t)h->e_shnum * h->e_shentsize;
    const Elf64_Phdr *p = (const Elf64_Phdr *)((const char *)h + h->e_phoff);
    for (unsigned i = 0; i < h->e_phnum; i++)
        if (p[i].p_type == PT_LOAD && p[i].p_offset + p[i].p_filesz > size)
            size = p[i].p_offset + p[i].p_filesz;
    return size;
}

bool hsc_elf_open_vdso(hsc_elf_file *f) {
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
    size_t size = h ? image_size(h) : 0;
    *f = (hsc_elf_file){size ? memfd_create("vdso", MFD_CLOEXEC) : -1, NULL};
    if (f->fd < 0)
        return false;
    if (write(f->fd, h, size) == (ssize_t)size)
        f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
    if (!f->elf || elf_kind(f->elf) != ELF_K_ELF) {
        hsc_elf_close(f);
        return false;
    }
    return true;
}

void hsc_elf_close(hsc_elf_file *f) {
    if (f->elf)
        elf_end(f->elf);
    if (f->fd >= 0)
        close(f->fd);
    *f = (hsc_elf_file){-1, NULL};
}

Elf_Scn *hsc_elf_find_section(Elf *elf, const char *wanted) {
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
        GElf_Shdr h;
        const char *name = gelf_getshdr(s, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
        if (name && !strcmp(name, wanted) && h.sh_type != SHT_NOBITS)
            return s;
    }
    return NULL;
}

bool hsc_elf_has_debug_info(Elf *elf) {
    return hsc_elf_find_section(elf, ".debug_info") || hsc_elf_find_section(elf, ".zdebug_info");
}

/* ---- looking for it ---- */

/* The checksum of .gnu_debuglink: CRC-32 of the whole file (polynomial 0xEDB88320, as in zlib). */
static uint32_t crc_of(int fd) {
    uint32_t table[256], crc = ~0u;
    uint8_t buffer[65536];
    ssize_t n;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t v = i;
        for (int k = 0; k < 8; k++)
            v = v & 1 ? v >> 1 ^ 0xEDB88320u : v >> 1;
        table[i] = v;
    }
    for (off_t at = 0; (n = pread(fd, buffer, sizeof buffer, at)) > 0; at += n)
        for (ssize_t i = 0; i < n; i++)
            crc = crc >> 8 ^ table[(crc ^ buffer[i]) & 255];
    return ~crc;
}

typedef struct search {
    hsc_code *c;
    const uint8_t *id;
    size_t id_size;
    hsc_elf_file *f;
} search;

/* Opens the path when it belongs to the module: equal build ids; without one (crc not NULL) an equal checksum. */
static bool take(const search *s, const char *path, const GElf_Word *crc) {
    const uint8_t *other;
    hsc_looks_add(&s->c->looks, &s->c->pool, path);
    if (access(path, R_OK) || !hsc_elf_open(path, s->f))
        return false;
    size_t n = hsc_elf_build_id(s->f->elf, &other);
    bool same = s->id_size && n ? n == s->id_size && !memcmp(s->id, other, n) : crc && crc_of(s->f->fd) == *crc;
    if (same && (hsc_elf_has_debug_info(s->f->elf) || hsc_elf_find_section(s->f->elf, ".symtab")))
        return true;
    if (!same)
        hsc_code_add_note(s->c, "debug information refused: %s belongs to another build", path);
    hsc_elf_close(s->f);
    return false;
}

void hsc_code_find_debug_file(hsc_code *c, const hsc_code_spec *spec, Elf *elf, hsc_elf_file *f, bool *kept) {
    search s = {.c = c, .f = f};
    char text[130], path[8400];
    *kept = false;
    if (hsc_elf_has_debug_info(elf))
        return;
    s.id_size = hsc_elf_build_id(elf, &s.id);
    if (s.id_size >= 2 && s.id_size <= 64) {
        hsc_hex(s.id, s.id_size, text, sizeof text);
        for (size_t i = 0; i <= spec->map_dir_count; i++) {
            *kept = i < spec->map_dir_count;
            const char *root = *kept ? spec->map_dirs[i] : SYSTEM_ROOT;
            snprintf(path, sizeof path, "%s/.build-id/%.2s/%s.debug", root, text, text + 2);
            if (take(&s, path, NULL))
                return;
            snprintf(path, sizeof path, "%s/%s/debuginfo", root, text);
            if (*kept && take(&s, path, NULL))
                return;
        }
    }
    *kept = false;
    GElf_Word crc;
    const char *name = dwelf_elf_gnu_debuglink(elf, &crc);
    char *real = name && name[0] && !strchr(name, '/') ? realpath(spec->path, NULL) : NULL;
    char *slash = real ? strrchr(real, '/') : NULL;
    if (slash) {
        *slash = 0;
        for (size_t i = 0; i < 3; i++) {
            snprintf(path, sizeof path, i == 0 ? "%s/%s" : i == 1 ? "%s/.debug/%s" : SYSTEM_ROOT "%s/%s", real, name);
            if (take(&s, path, &crc)) {
                *kept = i < 2;
                break;
            }
        }
    }
    free(real);
}
