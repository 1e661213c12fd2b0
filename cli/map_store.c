/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keeps maps and debug information by build id. */
#include "map_store.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heatscope/formats/stream.h>

size_t hsc_map_store_dirs(char *buffer, size_t size, const char *dirs[2]) {
    static const struct {
        const char *variable, *under_home, *rest;
    } places[] = {{"XDG_DATA_HOME", ".local/share", "heatscope/maps"},
                  {"XDG_CACHE_HOME", ".cache", "debuginfod_client"}};
    const char *home = getenv("HOME"), *cache = getenv("DEBUGINFOD_CACHE_PATH");
    size_t count = 0, used = 0;
    for (size_t i = 0; i < 2; i++) {
        const char *base = getenv(places[i].variable);
        int n = 0;
        if (i == 1 && cache && cache[0] == '/')
            n = snprintf(buffer + used, size - used, "%s", cache);
        else if (base && base[0] == '/')
            n = snprintf(buffer + used, size - used, "%s/%s", base, places[i].rest);
        else if (home && home[0] == '/')
            n = snprintf(buffer + used, size - used, "%s/%s/%s", home, places[i].under_home, places[i].rest);
        if (n <= 0 || (size_t)n >= size - used)
            continue;
        dirs[count++] = buffer + used;
        used += (size_t)n + 1;
    }
    return count;
}

static size_t take_build_id(Elf *elf, uint8_t *id, size_t size) {
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
        GElf_Shdr h;
        GElf_Nhdr note;
        size_t at = 0, name, desc, next;
        Elf_Data *d = gelf_getshdr(s, &h) && h.sh_type == SHT_NOTE ? elf_getdata(s, NULL) : NULL;
        for (; d && (next = gelf_getnote(d, at, &note, &name, &desc)) > 0; at = next)
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp((char *)d->d_buf + name, "GNU", 4) &&
                note.n_descsz >= 2 && note.n_descsz <= size) {
                memcpy(id, (char *)d->d_buf + desc, note.n_descsz);
                return note.n_descsz;
            }
    }
    return 0;
}

static hsc_status make_folders(char *path, hsc_err *err) {
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        bool ok = mkdir(path, 0777) == 0 || errno == EEXIST;
        if (!ok)
            return hsc_err_set_errno(err, errno, "%s", path);
        *p = '/';
    }
    return HSC_OK;
}

static bool is_worth_keeping(const char *name) {
    return !strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8) || !strcmp(name, HSC_MAP_SECTION);
}

/* One section: what is loaded at run time keeps its header only, but for notes. */
static bool copy_section(Elf *to, Elf_Scn *from, const char *name) {
    GElf_Shdr h;
    Elf_Scn *s = elf_newscn(to);
    Elf_Data *source = elf_rawdata(from, NULL), *d = s ? elf_newdata(s) : NULL;
    if (!d || !gelf_getshdr(from, &h))
        return false;
    bool empty = h.sh_flags & SHF_ALLOC && h.sh_type != SHT_NOTE;
    if (h.sh_type != SHT_NOBITS && empty)
        h.sh_type = SHT_NOBITS;
    if (h.sh_type != SHT_NOBITS && !source)
        return false;
    d->d_buf = h.sh_type == SHT_NOBITS ? NULL : source->d_buf;
    d->d_size = h.sh_type == SHT_NOBITS ? h.sh_size : source->d_size;
    d->d_type = ELF_T_BYTE;
    d->d_align = h.sh_addralign ? h.sh_addralign : 1;
    d->d_version = EV_CURRENT;
    if (!gelf_update_shdr(s, &h))
        return false;
    if (!strncmp(name, ".debug_", 7) && !(h.sh_flags & (SHF_COMPRESSED | SHF_ALLOC)) && d->d_size)
        return elf_compress(s, ELFCOMPRESS_ZLIB, 0) >= 0;
    return true;
}

static hsc_status copy(Elf *from, int fd, const char *program, hsc_err *err) {
    GElf_Ehdr head, own;
    size_t names;
    bool worth = false;
    Elf *to = elf_begin(fd, ELF_C_WRITE, NULL);
    hsc_status status = HSC_OK;
    if (!to || !gelf_getehdr(from, &head) || elf_getshdrstrndx(from, &names) || names >= SHN_LORESERVE ||
        !gelf_newehdr(to, gelf_getclass(from)) || !gelf_getehdr(to, &own)) {
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: damaged ELF file: %s", program, elf_errmsg(-1));
        goto done;
    }
    own.e_ident[EI_DATA] = head.e_ident[EI_DATA];
    own.e_ident[EI_OSABI] = head.e_ident[EI_OSABI];
    own.e_type = head.e_type;
    own.e_machine = head.e_machine;
    own.e_version = head.e_version;
    own.e_entry = head.e_entry;
    own.e_flags = head.e_flags;
    own.e_shstrndx = (GElf_Half)names;
    if (!gelf_update_ehdr(to, &own))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: cannot be copied: %s", program, elf_errmsg(-1));
    for (Elf_Scn *s = NULL; status == HSC_OK && (s = elf_nextscn(from, s));) {
        GElf_Shdr h;
        const char *name = gelf_getshdr(s, &h) ? elf_strptr(from, names, h.sh_name) : NULL;
        if (!name || !copy_section(to, s, name))
            status = hsc_err_set(err, HSC_E_FORMAT, "%s: section %zu cannot be copied: %s", program, elf_ndxscn(s),
                                 elf_errmsg(-1));
        else
            worth = worth || (is_worth_keeping(name) && h.sh_type != SHT_NOBITS);
    }
    if (status == HSC_OK && !worth)
        status = hsc_err_set(err, HSC_E_MISSING, "%s: has neither a map nor debug information to keep", program);
    if (status == HSC_OK && elf_update(to, ELF_C_WRITE) < 0)
        status = hsc_err_set(err, HSC_E_IO, "%s: cannot be kept: %s", program, elf_errmsg(-1));
done:
    elf_end(to);
    return status;
}

hsc_status hsc_map_store_save(const char *folder, const char *program, char *written, size_t size, hsc_err *err) {
    uint8_t id[64];
    char text[130], part[5000];
    Elf *elf = NULL;
    hsc_status status = HSC_OK;
    int out = -1, fd = open(program, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return hsc_err_set_errno(err, errno, "%s", program);
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    if (!elf || elf_kind(elf) != ELF_K_ELF) {
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: expected a program or library (ELF) to keep", program);
        goto done;
    }
    size_t n = take_build_id(elf, id, sizeof id);
    if (!n) {
        status =
            hsc_err_set(err, HSC_E_MISSING, "%s: has no build id to keep it by; link with -Wl,--build-id", program);
        goto done;
    }
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    if (snprintf(written, size, "%s/.build-id/%.2s/%s.debug", folder, text, text + 2) >= (int)size ||
        snprintf(part, sizeof part, "%s.part-%ld", written, (long)getpid()) >= (int)sizeof part) {
        status = hsc_err_set(err, HSC_E_LIMIT, "%s: path too long", folder);
        goto done;
    }
    status = make_folders(written, err);
    if (status != HSC_OK)
        goto done;
    out = open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out < 0) {
        status = hsc_err_set_errno(err, errno, "%s", part);
        goto done;
    }
    status = copy(elf, out, program, err);
    if (status == HSC_OK && (fsync(out) || rename(part, written)))
        status = hsc_err_set_errno(err, errno, "%s", written);
    if (status != HSC_OK)
        unlink(part);
done:
    elf_end(elf);
    if (out >= 0)
        close(out);
    close(fd);
    return status;
}
