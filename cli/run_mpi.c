/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Does a program need an MPI library? Asked of the file alone. */
#include "run.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define ENTRIES_MAX 4096u
#define SEGMENTS_MAX 256u

static bool read_at(int fd, void *to, size_t size, uint64_t offset) {
    return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Offset in the file of an address of the program; 0: it is in no segment. */
static uint64_t offset_of(const Elf64_Phdr *ph, unsigned n, uint64_t address) {
    for (unsigned i = 0; i < n; i++)
        if (ph[i].p_type == PT_LOAD && address >= ph[i].p_vaddr && address - ph[i].p_vaddr < ph[i].p_filesz)
            return ph[i].p_offset + (address - ph[i].p_vaddr);
    return 0;
}

static bool is_mpi(const char *library) {
    return !strncmp(library, "libmpi", 6) || !strncmp(library, "libfmpich", 9);
}

static bool needs(int fd) {
    Elf64_Ehdr e;
    Elf64_Phdr ph[SEGMENTS_MAX];
    if (!read_at(fd, &e, sizeof e, 0) || memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
        e.e_phentsize != sizeof *ph || e.e_phnum > SEGMENTS_MAX || !read_at(fd, ph, e.e_phnum * sizeof *ph, e.e_phoff))
        return false;
    for (unsigned i = 0; i < e.e_phnum; i++) {
        if (ph[i].p_type != PT_DYNAMIC)
            continue;
        uint64_t names = 0;
        for (int pass = 0; pass < 2; pass++) /* first the table of names */
            for (uint64_t k = 0; k < ph[i].p_filesz / sizeof(Elf64_Dyn) && k < ENTRIES_MAX; k++) {
                Elf64_Dyn d;
                char name[16] = "";
                if (!read_at(fd, &d, sizeof d, ph[i].p_offset + k * sizeof d) || d.d_tag == DT_NULL)
                    break;
                if (d.d_tag == DT_STRTAB)
                    names = offset_of(ph, e.e_phnum, d.d_un.d_ptr);
                else if (pass && names && d.d_tag == DT_NEEDED &&
                         pread(fd, name, sizeof name - 1, (off_t)(names + d.d_un.d_val)) > 0 && is_mpi(name))
                    return true;
            }
    }
    return false;
}

bool hsc_run_needs_mpi(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool yes = fd >= 0 && needs(fd);
    if (fd >= 0)
        close(fd);
    return yes;
}
