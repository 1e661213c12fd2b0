/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections that are not loaded, from a module's file: read, never mapped, so that a file that is cut meanwhile does no
 * harm. Outside handlers. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "rt.h"

#define SECTION_MAX (256u << 20)
#define NAMES_MAX (1u << 20)
#define NOTE_MAX 1024u

static bool failed(long r) {
    return r < 0 && r > -4096;
}

static bool read_at(int fd, uint64_t offset, void *to, uint64_t size) {
    for (uint64_t done = 0; done < size;) {
        long r = hsc_sys4(SYS_pread64, fd, (long)((uint8_t *)to + done), (long)(size - done), (long)(offset + done));
        if (r == -EINTR)
            continue;
        if (r <= 0)
            return false;
        done += (uint64_t)r;
    }
    return true;
}

/* Do the bytes in memory equal those of the file? */
static bool equal(int fd, uint64_t offset, uint64_t memory, uint64_t size) {
    uint8_t a[NOTE_MAX], b[NOTE_MAX];
    return size <= sizeof a && read_at(fd, offset, a, size) && hsc_rt_read(b, memory, size) && !memcmp(a, b, size);
}

/* Is this the file that the module was loaded from? Headers and notes must be the same; without a build id the inode too. */
static bool same_file(int fd, const Elf64_Ehdr *e, const hsc_rt_module *m, bool build_id) {
    struct stat st;
    Elf64_Phdr ph;
    if (!equal(fd, 0, m->low, sizeof *e) || e->e_phentsize != sizeof ph || e->e_phnum > 64)
        return false;
    for (unsigned i = 0; i < e->e_phnum; i++) {
        uint64_t at = e->e_phoff + i * sizeof ph;
        if (!equal(fd, at, m->low + at, sizeof ph) || !read_at(fd, at, &ph, sizeof ph))
            return false;
        if (ph.p_type == PT_NOTE && !equal(fd, ph.p_offset, m->bias + ph.p_vaddr, ph.p_filesz < NOTE_MAX ? ph.p_filesz : NOTE_MAX))
            return false;
    }
    return build_id || (!hsc_sys3(SYS_fstat, fd, (long)&st, 0) && st.st_ino == m->inode);
}

hsc_rt_elf_file hsc_rt_elf_open(const char *path, const hsc_rt_module *m, bool build_id) {
    hsc_rt_elf_file f = {.fd = -1};
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
    if (failed(fd))
        return f;
    Elf64_Ehdr e;
    Elf64_Shdr names;
    if (!read_at((int)fd, 0, &e, sizeof e) || !same_file((int)fd, &e, m, build_id) || e.e_shentsize != sizeof names ||
        e.e_shstrndx >= e.e_shnum || !read_at((int)fd, e.e_shoff + e.e_shstrndx * sizeof names, &names, sizeof names) ||
        names.sh_size > NAMES_MAX) {
        hsc_sys3(SYS_close, fd, 0, 0);
        return f;
    }
    f = (hsc_rt_elf_file){.fd = (int)fd, .sections = e.e_shnum, .table = e.e_shoff, .names = names.sh_offset,
                          .names_size = names.sh_size};
    return f;
}

void hsc_rt_elf_close(hsc_rt_elf_file *f) {
    if (f->fd >= 0)
        hsc_sys3(SYS_close, f->fd, 0, 0);
    f->fd = -1;
}

enum hsc_rt_section_state hsc_rt_elf_section(const hsc_rt_elf_file *f, const char *name, hsc_rt_section *out) {
    size_t length = hsc_rt_length(name) + 1;
    Elf64_Shdr s;
    char here[32];
    *out = (hsc_rt_section){0};
    for (uint32_t i = 1; i < f->sections && length <= sizeof here; i++) {
        if (!read_at(f->fd, f->table + i * sizeof s, &s, sizeof s))
            return HSC_RT_SECTION_NONE;
        if (s.sh_type == SHT_NOBITS || s.sh_name > f->names_size || length > f->names_size - s.sh_name ||
            !read_at(f->fd, f->names + s.sh_name, here, length) || memcmp(here, name, length))
            continue;
        if (s.sh_flags & SHF_COMPRESSED)
            return HSC_RT_SECTION_COMPRESSED;
        if (!s.sh_size || s.sh_size > SECTION_MAX)
            return HSC_RT_SECTION_NONE;
        out->size = s.sh_size;
        out->address = s.sh_addr;
        out->copy = hsc_rt_map(s.sh_size);
        if (out->copy && read_at(f->fd, s.sh_offset, out->copy, s.sh_size))
            return HSC_RT_SECTION_READ;
        hsc_rt_elf_section_free(out);
        return HSC_RT_SECTION_NONE;
    }
    return HSC_RT_SECTION_NONE;
}

void hsc_rt_elf_section_free(hsc_rt_section *s) {
    hsc_rt_unmap(s->copy, s->size);
    s->copy = NULL;
}
