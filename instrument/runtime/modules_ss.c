/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The executable modules of the process, as /proc/self/maps and the ELF headers in memory tell: needs neither the dynamic
 * linker's locks nor a wrapper of dlopen that would change what it does for its caller. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

#include "rt.h"

static bool failed(long r) {
    return r < 0 && r > -4096;
}

const hsc_rt_module *hsc_rt_module_at(const hsc_rt_modules *set, uint64_t pc) {
    if (!set || !set->count)
        return NULL;
    uint32_t low = 0, n = set->count;
    while (n > 1) {
        uint32_t half = n / 2;
        low = set->module[low + half].low <= pc ? low + half : low;
        n -= half;
    }
    const hsc_rt_module *m = &set->module[low];
    return pc >= m->low && pc < m->high ? m : NULL;
}

/* ---- reading what is mapped ------------------------------------------------------------------------------------------ */

bool hsc_rt_read(void *to, uint64_t from, size_t size) {
    struct iovec here = {to, size}, there = {(void *)from, size}; /* NOLINT */
    bool same = hsc_rt.same_process && atomic_load_explicit(hsc_rt.same_process, memory_order_relaxed);
    long pid = same ? hsc_rt.pid : hsc_sys3(SYS_getpid, 0, 0, 0); /* a child that nobody told us of */
    long r = hsc_sys6(SYS_process_vm_readv, pid, (long)&here, 1, (long)&there, 1, 0);
    if (r == -ENOSYS || r == -EPERM) { /* a sandbox without it */
        long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)"/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
        if (failed(fd))
            return false;
        r = hsc_sys4(SYS_pread64, fd, (long)to, (long)size, (long)from);
        hsc_sys3(SYS_close, fd, 0, 0);
    }
    return r == (long)size;
}

static char *read_maps(size_t *length, size_t *capacity) {
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (failed(fd))
        return NULL;
    *capacity = 64u << 10;
    *length = 0;
    char *text = hsc_rt_map(*capacity);
    while (text) {
        if (*capacity - *length < 8192) {
            char *more = hsc_rt_remap(text, *capacity, *capacity * 2);
            if (!more)
                break;
            text = more;
            *capacity *= 2;
        }
        long r = hsc_sys3(SYS_read, fd, (long)(text + *length), (long)(*capacity - *length - 1));
        if (r == -EINTR)
            continue;
        if (r <= 0)
            break;
        *length += (size_t)r;
    }
    hsc_sys3(SYS_close, fd, 0, 0);
    if (text)
        text[*length] = 0;
    return text;
}

static uint64_t hex(const char **p) {
    uint64_t v = 0;
    for (;; (*p)++) {
        char c = **p;
        if (c >= '0' && c <= '9')
            v = v << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            v = v << 4 | (uint64_t)(c - 'a' + 10);
        else
            return v;
    }
}

typedef struct area {
    uint64_t low, high, offset, device, inode;
    bool readable, executable;
    const char *path; /* NULL: to be asked of `maps` */
    size_t path_length;
    long maps;
} area;

static bool next_area(const char **text, area *a) {
    const char *p = *text;
    if (!*p)
        return false;
    a->low = hex(&p);
    p += *p == '-';
    a->high = hex(&p);
    p += *p == ' ';
    a->readable = p[0] == 'r';
    a->executable = p[0] && p[1] && p[2] == 'x';
    while (*p && *p != ' ' && *p != '\n')
        p++;
    p += *p == ' ';
    a->offset = hex(&p);
    p += *p == ' ';
    uint64_t major = hex(&p);
    p += *p == ':';
    a->device = major << 32 | hex(&p);
    p += *p == ' ';
    a->inode = 0;
    while (*p >= '0' && *p <= '9')
        a->inode = a->inode * 10 + (uint64_t)(*p++ - '0');
    while (*p == ' ')
        p++;
    a->path = p;
    while (*p && *p != '\n')
        p++;
    a->path_length = (size_t)(p - a->path);
    *text = p + (*p == '\n');
    return true;
}

/* Linux 6.11 tells one area by a call (its include/uapi/linux/fs.h, PROCMAP_QUERY): no text is made of those that are known, most of which is the
 * kernel's search for their names. */
typedef struct area_query {
    uint64_t size, flags, address, low, high, area_flags, page_size, offset, inode;
    uint32_t major, minor, name_size, build_id_size;
    uint64_t name, build_id;
} area_query;

_Static_assert(sizeof(area_query) == 104, "as the kernel has it");

#define ASK_AREA 0xc0686611 /* _IOWR('f', 17, area_query) */
enum { AREA_READABLE = 1, AREA_EXECUTABLE = 4, AREA_OR_NEXT = 16, AREA_OF_FILE = 32 };

/* What is mapped, in order: from text, or of files alone by calls. */
typedef struct areas {
    const char *text; /* NULL: by calls */
    long maps;
    uint64_t from;
    uint64_t kind; /* AREA_EXECUTABLE: only such */
    bool failed;
} areas;

static bool ask_area(areas *s, area *a) {
    area_query q = {.size = sizeof q, .flags = AREA_OR_NEXT | AREA_OF_FILE | s->kind, .address = s->from};
    long r = hsc_sys3(SYS_ioctl, s->maps, ASK_AREA, (long)&q);
    if (r == -ENOENT)
        return false;
    if (r) {
        s->failed = true;
        return false;
    }
    *a = (area){.low = q.low, .high = q.high, .offset = q.offset, .device = (uint64_t)q.major << 32 | q.minor, .inode = q.inode,
                .readable = q.area_flags & AREA_READABLE, .executable = q.area_flags & AREA_EXECUTABLE, .maps = s->maps};
    s->from = q.high;
    return true;
}

static bool next_of(areas *s, area *a) {
    return s->text ? next_area(&s->text, a) : ask_area(s, a);
}

static bool same_file(const area *a, const area *b) {
    return a->inode == b->inode && a->device == b->device;
}

/* False: the kernel does not know the call. */
static bool open_areas(areas *s) {
    area first;
    *s = (areas){.maps = hsc_sys4(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), .kind = AREA_EXECUTABLE};
    if (failed(s->maps))
        return false;
    if (ask_area(s, &first)) {
        s->from = 0;
        return true;
    }
    hsc_sys3(SYS_close, s->maps, 0, 0);
    return false;
}

static size_t ask_path(const area *a, char *path, size_t size) {
    area_query q = {.size = sizeof q, .address = a->low, .name_size = (uint32_t)size, .name = (uint64_t)path};
    return hsc_sys3(SYS_ioctl, a->maps, ASK_AREA, (long)&q) || !q.name_size ? 0 : q.name_size - 1; /* with its zero */
}

typedef struct image {
    uint64_t bias, high, text_low, text_high, header, header_size, header_low, header_high;
    uint8_t build_id[64];
    size_t build_id_size;
} image;

static void find_build_id(image *m, uint64_t notes, uint64_t size, uint64_t low, const uint8_t *first_page) {
    uint8_t copy[1024];
    const uint8_t *buffer = copy;
    if (size > sizeof copy)
        size = sizeof copy;
    if (m->build_id_size)
        return;
    if (notes >= low && notes + size <= low + HSC_RT_PAGE)
        buffer = first_page + (notes - low);
    else if (!hsc_rt_read(copy, notes, size))
        return;
    for (uint64_t at = 0; at + 12 <= size;) {
        uint32_t head[3];
        __builtin_memcpy(head, buffer + at, 12);
        uint64_t name = at + 12, value = name + ((head[0] + 3ull) & ~3ull), next = value + ((head[1] + 3ull) & ~3ull);
        if (next > size)
            return;
        if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 && buffer[name] == 'G' && head[1] <= sizeof m->build_id) {
            __builtin_memcpy(m->build_id, buffer + value, head[1]);
            m->build_id_size = head[1];
            return;
        }
        at = next;
    }
}

static bool read_image(uint64_t low, image *m) {
    Elf64_Ehdr e;
    Elf64_Phdr ph[64];
    uint8_t page[HSC_RT_PAGE]; /* by one call: mostly it has all that is asked for */
    if (!hsc_rt_read(page, low, sizeof page))
        return false;
    __builtin_memcpy(&e, page, sizeof e);
    if (e.e_ident[0] != 0x7f || e.e_ident[1] != 'E' || e.e_ident[2] != 'L' || e.e_ident[3] != 'F' ||
        e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_phentsize != sizeof ph[0] || !e.e_phnum || e.e_phnum > 64)
        return false;
    size_t size = e.e_phnum * sizeof ph[0];
    if (e.e_phoff <= sizeof page - size)
        __builtin_memcpy(ph, page + e.e_phoff, size);
    else if (!hsc_rt_read(ph, low + e.e_phoff, size))
        return false;
    *m = (image){0};
    bool found = false;
    for (unsigned i = 0; i < e.e_phnum; i++)
        if (ph[i].p_type == PT_LOAD && ph[i].p_offset < HSC_RT_PAGE) {
            m->bias = low - (ph[i].p_vaddr - ph[i].p_offset);
            found = true;
            break;
        }
    if (!found)
        return false;
    for (unsigned i = 0; i < e.e_phnum; i++) {
        uint64_t at = m->bias + ph[i].p_vaddr;
        if (ph[i].p_type == PT_LOAD) {
            if (at + ph[i].p_memsz > m->high)
                m->high = at + ph[i].p_memsz;
            if (ph[i].p_flags & PF_X && ph[i].p_flags & PF_R && !m->text_high) {
                m->text_low = at;
                m->text_high = at + ph[i].p_filesz;
            }
        } else if (ph[i].p_type == PT_NOTE)
            find_build_id(m, at, ph[i].p_memsz, low, page);
        else if (ph[i].p_type == PT_GNU_EH_FRAME) {
            m->header = at;
            m->header_size = ph[i].p_memsz;
        }
    }
    for (unsigned i = 0; m->header && i < e.e_phnum; i++) {
        uint64_t at = m->bias + ph[i].p_vaddr;
        if (ph[i].p_type == PT_LOAD && m->header >= at && m->header < at + ph[i].p_filesz) {
            m->header_low = at;
            m->header_high = at + ph[i].p_filesz;
        }
    }
    return true;
}

/* ---- the set ---------------------------------------------------------------------------------------------------------- */

static hsc_rt_modules *new_set(uint32_t capacity) {
    size_t size = sizeof(hsc_rt_modules) + capacity * sizeof(hsc_rt_module);
    size = (size + HSC_RT_PAGE - 1) / HSC_RT_PAGE * HSC_RT_PAGE;
    hsc_rt_modules *s = hsc_rt_map(size);
    if (s) {
        s->bytes = size;
        s->capacity = (uint32_t)((size - sizeof *s) / sizeof s->module[0]);
    }
    return s;
}

/* True when no handler can still be using what was published before. */
static bool quiesce(void) {
    enum { SPINS = 100 };
    struct timespec nap = {0, 50000};
    uint64_t mask, end = hsc_rt_now_ns() + 20000000u;
    bool quiet = hsc_rt_lock_take(&hsc_rt.lock, &mask, 100);
    if (!quiet)
        return false;
    for (hsc_rt_thread *t = hsc_rt.threads; t && quiet; t = t->next) {
        uint64_t beats = atomic_load(&t->beats);
        for (uint32_t i = 0; atomic_load(&t->busy) && atomic_load(&t->beats) == beats && quiet; i++)
            if (i < SPINS)
                hsc_relax();
            else { /* it has been preempted there */
                hsc_sys4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&nap, 0);
                quiet = hsc_rt_now_ns() < end;
            }
    }
    hsc_rt_lock_release(&hsc_rt.lock, mask);
    return quiet;
}

static void publish(hsc_rt_modules *set, hsc_rt_modules *old, const hsc_rt_module *gone, uint32_t n_gone) {
    atomic_store_explicit(&hsc_rt.modules, set, memory_order_release);
    atomic_fetch_add_explicit(&hsc_rt.generation, 1, memory_order_release);
    if (!old || !quiesce())
        return; /* not freed: a handler may be in it */
    for (uint32_t i = 0; i < n_gone; i++)
        hsc_rt_table_free(gone[i].table), hsc_rt_table_free(gone[i].more), hsc_rt_index_free(gone[i].index),
            hsc_rt_entries_free(gone[i].entries);
    hsc_rt_unmap(old, old->bytes);
}

/* The path as the kernel tells it, without its remark that the file is gone. */
static void path_of(const area *a, char *path, size_t size) {
    size_t n = !a->path ? ask_path(a, path, size) : a->path_length < size - 1 ? a->path_length : size - 1;
    if (a->path)
        __builtin_memcpy(path, a->path, n);
    static const char deleted[] = " (deleted)";
    path[n] = 0;
    if (n > sizeof deleted - 1 && hsc_rt_equal(path + n - (sizeof deleted - 1), deleted))
        path[n - (sizeof deleted - 1)] = 0;
}

/* False: there is no room for it, nor for what would refer to it. */
static bool tell_mapping(const hsc_rt_module *m, const image *im, const area *a) {
    hsc_rec_mapping r = {.mapping_id = m->mapping_id, .address = m->low, .size = m->high - m->low, .bias = m->bias};
    char path[HSC_RT_PATH];
    path_of(a, path, sizeof path);
    r.path = (hsc_str){path, hsc_rt_length(path)};
    r.build_id = (hsc_bytes){im->build_id, im->build_id_size};
    struct stat st;
    if (a->inode && !hsc_sys4(SYS_newfstatat, AT_FDCWD, (long)path, (long)&st, 0) && st.st_ino == a->inode) {
        hsc_rt_keep_module(path, (uint64_t)st.st_size, im->build_id, im->build_id_size);
        r.file_size = (uint64_t)st.st_size;
        r.file_mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
    }
    uint64_t mask, now = hsc_rt_now_ns();
    r.time = now;
    if (!hsc_rt_lock_take(&hsc_rt.lock, &mask, HSC_RT_PATIENCE_MS))
        return false;
    bool told = hsc_rt_file_put(HSC_REC_mapping, &r, now);
    hsc_rt_lock_release(&hsc_rt.lock, mask);
    return told;
}

static void tell_unmapping(uint32_t mapping_id) {
    uint64_t mask, now = hsc_rt_now_ns();
    hsc_rec_unmapping r = {mapping_id, now};
    if (!hsc_rt_lock_take(&hsc_rt.lock, &mask, HSC_RT_PATIENCE_MS))
        return;
    hsc_rt_file_put(HSC_REC_unmapping, &r, now);
    hsc_rt_lock_release(&hsc_rt.lock, mask);
}

/* A compiler at run time that writes a jitdump maps its first page so that tools find it. */
static void note_dump(const area *a) {
    static const uint8_t magic[4] = {'D', 'T', 'i', 'J'};
    uint8_t first[sizeof magic];
    if (!a->executable || !a->inode || !hsc_rt_read(first, a->low, sizeof first))
        return;
    for (size_t i = 0; i < sizeof magic; i++)
        if (first[i] != magic[i])
            return;
    path_of(a, hsc_rt.jit_dump, sizeof hsc_rt.jit_dump);
}

static bool executable_inside(areas rest, const area *first, uint64_t high) {
    if (first->executable)
        return true;
    area a;
    while (next_of(&rest, &a) && a.low < high)
        if (a.executable && same_file(&a, first))
            return true;
    return false;
}

/* Of text: the next area with which a module can begin, above `after`. */
static bool next_beginning(areas *s, uint64_t after, const hsc_rt_modules *old, area *a, const hsc_rt_module **same) {
    while (next_area(&s->text, a)) {
        bool vdso = !a->inode && a->path_length == 6 && a->path[1] == 'v' && a->path[2] == 'd';
        if (!a->readable || a->offset || (!a->inode && !vdso) || a->low < after) /* a part of the module before */
            continue;
        const hsc_rt_module *m = hsc_rt_module_at(old, a->low);
        *same = m && m->low == a->low && m->device == a->device && m->inode == a->inode ? m : NULL;
        return true;
    }
    return false;
}

/* Where the module of this executable area begins: it is new, and lies above `after`. */
static bool find_beginning(areas *s, uint64_t after, const area *text, area *a) {
    areas all = {.maps = s->maps, .from = after};
    area found;
    bool any = false;
    while (ask_area(&all, &found) && found.low <= text->low)
        if (!found.offset && found.readable && same_file(&found, text)) {
            *a = found;
            any = true;
        }
    s->failed = s->failed || all.failed;
    return any;
}

/* By calls only executable areas are looked at, a fifth of all: of a module that is known one call tells that it is still there. */
static bool next_executable(areas *s, uint64_t after, const hsc_rt_modules *old, area *a, const hsc_rt_module **same) {
    area text;
    while (ask_area(s, &text)) {
        if (text.low < after)
            continue;
        const hsc_rt_module *m = hsc_rt_module_at(old, text.low);
        bool known = m && m->device == text.device && m->inode == text.inode;
        if (known && m->low >= after && (m->text_low & ~(uint64_t)(HSC_RT_PAGE - 1)) == text.low) {
            *a = (area){.low = m->low};
            *same = m;
            return true;
        }
        if (find_beginning(s, after, &text, a)) {
            *same = known && m->low == a->low ? m : NULL;
            return true;
        }
        if (s->failed) {
            s->from = after;
            return false;
        }
    }
    return false;
}

static bool next_module(areas *s, uint64_t after, const hsc_rt_modules *old, area *a, const hsc_rt_module **same) {
    return (s->text ? next_beginning : next_executable)(s, after, old, a, same);
}

static bool module_path(const hsc_rt_module *m, char *path, size_t size) {
    size_t length, capacity;
    char *text = read_maps(&length, &capacity);
    const char *p = text;
    bool found = false;
    area a;
    while (text && !found && next_area(&p, &a))
        if (a.low == m->low && a.inode == m->inode && a.path_length && a.path[0] == '/') {
            path_of(&a, path, size);
            found = true;
        }
    hsc_rt_unmap(text, text ? capacity : 0);
    return found;
}

static hsc_rt_elf_file open_file(const hsc_rt_module *m, char *path, size_t size) {
    image im;
    if (!m->inode || !read_image(m->low, &im) || !module_path(m, path, size))
        return (hsc_rt_elf_file){.fd = -1};
    return hsc_rt_elf_open(path, m, im.build_id_size);
}

/* Compilers describe some procedures for debuggers only, and some programs are linked without the index. */
static void read_file(hsc_rt_module *m) {
    char path[HSC_RT_PATH];
    hsc_rt_section s;
    hsc_rt_elf_file f = open_file(m, path, sizeof path);
    m->file_tried = true;
    if (f.fd < 0)
        return;
    if (!m->header && hsc_rt_elf_section(&f, ".eh_frame", &s) == HSC_RT_SECTION_READ) {
        m->table = hsc_rt_table_build_section(m->low, m->bias, s.copy, s.size, s.address + m->bias, false);
        hsc_rt_elf_section_free(&s);
    }
    switch (hsc_rt_elf_section(&f, ".debug_frame", &s)) {
    case HSC_RT_SECTION_READ:
        m->more = hsc_rt_table_build_section(m->low, m->bias, s.copy, s.size, 0, true);
        hsc_rt_elf_section_free(&s);
        break;
    case HSC_RT_SECTION_COMPRESSED:
        if (hsc_rt.talks) {
            char line[HSC_RT_PATH + 128];
            size_t at = 0;
            hsc_rt_append(line, sizeof line, &at, path);
            hsc_rt_append(line, sizeof line, &at, ": .debug_frame is compressed and was not read: some call paths may be cut");
            hsc_rt_say(line);
        }
        break;
    default:
        break;
    }
    hsc_rt_elf_close(&f);
}

static void build_table(hsc_rt_module *m) {
    image im;
    m->table_tried = true;
    if (m->header && read_image(m->low, &im) && im.header == m->header)
        m->table = hsc_rt_table_build(m->low, im.header, im.header_size, im.header_low, im.header_high);
}

static void find_entries(hsc_rt_module *m) {
    char path[HSC_RT_PATH];
    if (!m->table_tried)
        build_table(m); /* says what is known */
    hsc_rt_elf_file f = open_file(m, path, sizeof path);
    m->entries_tried = true;
    m->entries = hsc_rt_entries_build(m, &f);
    hsc_rt_elf_close(&f);
}

/* What is still to be made for the module, as often as it was asked for. */
static bool make_next(hsc_rt_module *m) {
    if (!m->table_tried && atomic_load(&m->asked) > hsc_rt_table_worth(m->index))
        build_table(m);
    else if (!m->file_tried && atomic_load(&m->asked_of_file))
        read_file(m);
    else if (!m->entries_tried && atomic_load(&m->asked_of_entries) > HSC_RT_ENTRIES_WORTH)
        find_entries(m);
    else
        return false;
    return true;
}

static const hsc_rt_module *find_vdso(const hsc_rt_modules *set) {
    for (uint32_t i = 0; i < set->count; i++)
        if (!set->module[i].inode)
            return &set->module[i];
    return NULL;
}

static void keep(hsc_rt_modules *set, const hsc_rt_module *m) {
    if (set->count < set->capacity)
        __builtin_memcpy(&set->module[set->count++], m, sizeof *m);
}

bool hsc_rt_modules_scan(void) {
    uint64_t mask;
    if (!hsc_rt_lock_take(&hsc_rt.modules_lock, &mask, HSC_RT_PATIENCE_MS))
        return false;
    hsc_rt_modules *old = atomic_load(&hsc_rt.modules);
    size_t length, capacity = 0;
    areas s;
    bool by_calls = old && open_areas(&s); /* the first time all is told, also the vDSO, which stays */
    char *text = by_calls ? NULL : read_maps(&length, &capacity);
    if (!by_calls)
        s = (areas){.text = text};
    hsc_rt_modules *set = text || by_calls ? new_set((old ? old->count : 0) + 64) : NULL;
    const hsc_rt_module *vdso_known = by_calls ? find_vdso(old) : NULL;
    hsc_rt_module gone[64];
    uint32_t n_gone = 0;
    bool changed = false;
    area a;
    const hsc_rt_module *same;
    while (set && set->count < set->capacity && next_module(&s, set->count ? set->module[set->count - 1].high : 0, old, &a, &same)) {
        image im;
        if (vdso_known && a.low > vdso_known->low) {
            keep(set, vdso_known);
            vdso_known = NULL;
        }
        if (same) {
            keep(set, same);
            continue;
        }
        if (set->count == set->capacity)
            continue;
        bool is_image = read_image(a.low, &im);
        if (!is_image)
            note_dump(&a);
        if (!is_image || im.high <= a.low || (text && !executable_inside(s, &a, im.high)))
            continue;
        hsc_rt_module *m = &set->module[set->count++];
        __builtin_memset(m, 0, sizeof *m);
        *m = (hsc_rt_module){.low = a.low, .high = im.high, .bias = im.bias, .text_low = im.text_low,
                             .text_high = im.text_high, .header = im.header,
                             .header_size = im.header_size, .device = a.device, .inode = a.inode,
                             .mapping_id = ++hsc_rt.next_mapping_id};
        if (!tell_mapping(m, &im, &a))
            m->mapping_id = 0;
        if (m->header && !(m->index = hsc_rt_index_build(m->header, m->header_size)))
            build_table(m); /* an unusual index */
        changed = true;
    }
    if (by_calls)
        hsc_sys3(SYS_close, s.maps, 0, 0);
    for (uint32_t i = 0; set && s.failed && i < old->count; i++) /* what was not looked at is supposed to be as it was */
        if (old->module[i].low >= s.from && (old->module[i].inode || vdso_known))
            keep(set, &old->module[i]);
    if (set && vdso_known && !s.failed)
        keep(set, vdso_known);
    for (uint32_t i = 0; set && old && i < old->count; i++) {
        const hsc_rt_module *o = &old->module[i], *n = hsc_rt_module_at(set, o->low);
        if (n && n->mapping_id == o->mapping_id)
            continue;
        if (o->mapping_id)
            tell_unmapping(o->mapping_id);
        if (n_gone < sizeof gone / sizeof gone[0])
            __builtin_memcpy(&gone[n_gone++], o, sizeof *o);
        changed = true;
    }
    hsc_rt_unmap(text, text ? capacity : 0);
    if (changed)
        publish(set, old, gone, n_gone);
    else if (set)
        hsc_rt_unmap(set, set->bytes);
    hsc_rt_lock_release(&hsc_rt.modules_lock, mask);
    return changed;
}

bool hsc_rt_modules_build_one(void) {
    uint64_t mask;
    if (!hsc_rt_lock_take(&hsc_rt.modules_lock, &mask, 0))
        return false;
    hsc_rt_modules *set = atomic_load(&hsc_rt.modules);
    bool made = false;
    for (uint32_t i = 0; set && i < set->count && !made; i++) {
        hsc_rt_module copy, *m = &set->module[i]; /* handlers see what is ready only */
        __builtin_memcpy(&copy, m, sizeof copy);
        made = make_next(&copy);
        if (!made)
            continue;
        m->table_tried = copy.table_tried;
        __atomic_store_n(&m->more, copy.more, __ATOMIC_RELEASE);
        __atomic_store_n(&m->table, copy.table, __ATOMIC_RELEASE);
        __atomic_store_n(&m->entries, copy.entries, __ATOMIC_RELEASE);
        __atomic_store_n(&m->entries_tried, copy.entries_tried, __ATOMIC_RELEASE);
        __atomic_store_n(&m->file_tried, copy.file_tried, __ATOMIC_RELEASE);
        atomic_fetch_add_explicit(&hsc_rt.generation, 1, memory_order_release);
    }
    hsc_rt_lock_release(&hsc_rt.modules_lock, mask);
    return made;
}

void hsc_rt_modules_reset(void) {
    atomic_store(&hsc_rt.modules_lock.word, 0);
    hsc_rt_modules *set = atomic_exchange(&hsc_rt.modules, NULL);
    /* tables are kept by the child, mappings told again with the same numbers */
    size_t length, capacity;
    char *text = set ? read_maps(&length, &capacity) : NULL;
    const char *p = text;
    area a;
    while (text && next_area(&p, &a)) {
        const hsc_rt_module *m = hsc_rt_module_at(set, a.low);
        image im;
        if (m && m->mapping_id && m->low == a.low && !a.offset && read_image(a.low, &im) && !tell_mapping(m, &im, &a))
            set->module[m - set->module].mapping_id = 0;
    }
    hsc_rt_unmap(text, text ? capacity : 0);
    atomic_store(&hsc_rt.modules, set);
}
