/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Takes the map out of ELF files and archives. */
#include "map_section.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heatscope/formats/stream.h>

static hsc_status append(hsc_map_section *s, const void *bytes, size_t n, const char *path, hsc_err *err) {
    uint8_t *grown = realloc(s->bytes, s->size + n);
    if (!grown)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: map: no memory for %zu bytes", path, s->size + n);
    s->bytes = grown;
    memcpy(s->bytes + s->size, bytes, n);
    s->size += n;
    return HSC_OK;
}

static void take_build_id(hsc_map_section *s, Elf_Data *data) {
    size_t at = 0, name, desc, next;
    GElf_Nhdr note;
    while (s->build_id_size == 0 && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp((char *)data->d_buf + name, "GNU", 4) &&
            note.n_descsz <= sizeof s->build_id) {
            memcpy(s->build_id, (char *)data->d_buf + desc, note.n_descsz);
            s->build_id_size = note.n_descsz;
        }
        at = next;
    }
}

/* One ELF object. *found tells whether it has a map. */
static hsc_status take_object(hsc_map_section *s, Elf *elf, const char *path, bool *found, hsc_err *err) {
    size_t names, sections;
    GElf_Ehdr header;
    if (!gelf_getehdr(elf, &header) || elf_getshdrstrndx(elf, &names))
        return hsc_err_set(err, HSC_E_FORMAT, "%s: damaged ELF file: %s", path, elf_errmsg(-1));
    s->machine = header.e_machine;
    if (header.e_shoff && (elf_getshdrnum(elf, &sections) || sections <= 1))
        return hsc_err_set(err, HSC_E_FORMAT, "%s: damaged ELF file: expected section headers at offset %llu, got none",
                           path, (unsigned long long)header.e_shoff);
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr section;
        const char *name = gelf_getshdr(scn, &section) ? elf_strptr(elf, names, section.sh_name) : NULL;
        if (!name)
            return hsc_err_set(err, HSC_E_FORMAT, "%s: damaged ELF file: section %zu: %s", path, elf_ndxscn(scn),
                               elf_errmsg(-1));
        bool is_map = !strcmp(name, HSC_MAP_SECTION);
        if (!is_map && section.sh_type != SHT_NOTE)
            continue;
        if (is_map && section.sh_type == SHT_NOBITS)
            continue; /* a file with the debug information only */
        Elf_Data *data = elf_getdata(scn, NULL);
        if (!data || (data->d_size && !data->d_buf))
            return hsc_err_set(err, HSC_E_FORMAT, "%s: damaged ELF file: section %s: %s", path, name, elf_errmsg(-1));
        if (!is_map) {
            take_build_id(s, data);
            continue;
        }
        *found = true;
        hsc_status status = append(s, data->d_buf, data->d_size, path, err);
        if (status != HSC_OK)
            return status;
    }
    return HSC_OK;
}

static hsc_status take_archive(hsc_map_section *s, int fd, Elf *archive, const char *path, bool *found, hsc_err *err) {
    Elf_Cmd command = ELF_C_READ;
    hsc_status status = HSC_OK;
    for (Elf *member; status == HSC_OK && (member = elf_begin(fd, command, archive));) {
        bool has_map = false;
        if (elf_kind(member) == ELF_K_ELF)
            status = take_object(s, member, path, &has_map, err);
        s->members += has_map;
        *found = *found || has_map;
        command = elf_next(member);
        elf_end(member);
    }
    s->machine = 0;
    return status;
}

hsc_status hsc_map_section_read(const char *path, hsc_map_section *out, hsc_err *err) {
    hsc_map_section s = {0};
    hsc_status status = HSC_OK;
    Elf *elf = NULL;
    bool found = false;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return hsc_err_set_errno(err, errno, "%s", path);
    if (fstat(fd, &st)) {
        status = hsc_err_set_errno(err, errno, "%s", path);
        goto done;
    }
    if (!S_ISREG(st.st_mode)) {
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: expected a program, library or object file, got %s", path,
                             S_ISDIR(st.st_mode) ? "a folder" : "something that is no regular file");
        goto done;
    }
    s.file_size = (uint64_t)st.st_size;
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    switch (elf ? elf_kind(elf) : ELF_K_NONE) {
    case ELF_K_ELF:
        status = take_object(&s, elf, path, &found, err);
        break;
    case ELF_K_AR:
        status = take_archive(&s, fd, elf, path, &found, err);
        break;
    default:
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: expected a program, library, object file or archive (ELF), got %s",
                             path, st.st_size ? "something else" : "an empty file");
        break;
    }
    if (status == HSC_OK && !found)
        status = hsc_err_set(err, HSC_E_MISSING, "%s: has no map; compile with 'heatscope cc', 'c++' or 'fc'", path);
    if (status == HSC_OK && !s.size)
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: section " HSC_MAP_SECTION " is empty", path);
done:
    elf_end(elf);
    close(fd);
    if (status == HSC_OK)
        *out = s;
    else
        hsc_map_section_fini(&s);
    return status;
}

void hsc_map_section_fini(hsc_map_section *s) {
    free(s->bytes);
    s->bytes = NULL;
    s->size = 0;
}
