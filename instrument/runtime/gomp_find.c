/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The OpenMP runtime behind our wrappers of GCC's interface. Nearly always it is the program's own, next to us; a library that was
 * loaded later may have brought one of its own, which is found as the dynamic linker would have found it: from the caller's place.
 * LLVM's runtime has GCC's interface, too. */
#include <elf.h>
#include <link.h>
#include <string.h>

#include "gomp.h"
#include "interpose.h"

typedef struct library {
    struct library *next;
    uintptr_t low, high;                   /* callers */
    hsc_rt_gomp of[HSC_RT_GOMP_COUNT];     /* function NULL: it has none */
    hsc_rt_gomp second[HSC_RT_GOMP_COUNT]; /* LLVM's, where both are there: for callers that were linked with it */
} library;

#define NAME_AND_VERSION(name, version) {#name, version},
static const struct {
    const char *name, *version;
} wanted[] = {HSC_RT_GOMP_FUNCTIONS(NAME_AND_VERSION)};

static _Atomic(library *) program, loaded;

/* ---- no runtime at all: a weak reference that is not, since we have the name. The caller is alone. ---- */

static void alone(void (*body)(void *), void *data) {
    body(data);
}

static int granted(void) {
    return 1;
}

static int nothing(void) {
    return 0;
}

static void *substitute(enum hsc_rt_gomp_function f) {
    if (f == HSC_RT_GOMP_parallel || f == HSC_RT_GOMP_task)
        return (void *)alone;
    return strstr(wanted[f].name, "_test_") || f == HSC_RT_omp_get_num_threads ? (void *)granted : (void *)nothing;
}

/* ---- tables ---- */

static bool is_gcc(void *function) {
    Dl_info info;
    if (!dladdr(function, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    return !strncmp(slash ? slash + 1 : info.dli_fname, "libgomp", 7);
}

static bool fill(library *l, void *handle) {
    bool any = false;
    for (uint32_t f = 0; f < HSC_RT_GOMP_COUNT; f++) {
        void *first = dlvsym(handle, wanted[f].name, wanted[f].version), *second = dlvsym(handle, wanted[f].name, "VERSION");
        first = first ? first : dlsym(handle, wanted[f].name);
        any = any || first;
        l->of[f] = (hsc_rt_gomp){first && is_gcc(first), first};
        if (second && second != first)
            l->second[f] = (hsc_rt_gomp){is_gcc(second), second};
    }
    return any;
}

typedef struct search {
    library *l;
    const void *pc; /* NULL: any module that knows of a runtime */
    bool found;
} search;

static bool fill_from(library *l, const char *path) {
    static void *(*real)(const char *, int);
    if (!real)
        real = HSC_RT_REAL("dlopen");
    void *handle = real(*path ? path : NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return false;
    bool found = fill(l, handle);
    int (*close_handle)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    if (close_handle)
        close_handle(handle);
    return found;
}

static int look_at(struct dl_phdr_info *m, size_t size, void *data) {
    search *s = data;
    (void)size;
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (unsigned i = 0; i < m->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &m->dlpi_phdr[i];
        uintptr_t at = m->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD)
            continue;
        low = at < low ? at : low;
        high = at + p->p_memsz > high ? at + p->p_memsz : high;
    }
    if (s->pc && ((uintptr_t)s->pc < low || (uintptr_t)s->pc >= high))
        return 0;
    if (s->pc) {
        s->l->low = low;
        s->l->high = high;
    }
    s->found = fill_from(s->l, m->dlpi_name);
    return s->found || s->pc;
}

static const library *find_library(const void *pc) {
    for (library *l = atomic_load_explicit(&loaded, memory_order_acquire); l; l = l->next)
        if ((uintptr_t)pc >= l->low && (uintptr_t)pc < l->high)
            return l;
    static library none;
    library *l = hsc_rt_map(sizeof *l);
    if (!l)
        return &none;
    if (fill(l, RTLD_NEXT)) {
        atomic_store_explicit(&program, l, memory_order_release);
        return l;
    }
    search s = {l, pc, false};
    dl_iterate_phdr(look_at, &s);
    if (!s.found) {
        s.pc = NULL;
        dl_iterate_phdr(look_at, &s);
    }
    l->next = atomic_load_explicit(&loaded, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&loaded, &l->next, l, memory_order_release, memory_order_relaxed))
        ;
    return l;
}

void hsc_rt_gomp_forget(void) { /* tables stay: somebody may look at them */
    if (atomic_load_explicit(&loaded, memory_order_relaxed))
        atomic_store_explicit(&loaded, NULL, memory_order_release);
}

/* Was the module of `pc` linked with LLVM's runtime? */
static __attribute__((noinline)) bool wants_llvm(const void *pc) {
    Dl_info info;
    struct link_map *m = NULL;
    const char *strings = NULL;
    const ElfW(Verneed) *need = NULL;
    if (!dladdr1(pc, &info, (void **)&m, RTLD_DL_LINKMAP) || !m)
        return false;
    for (const ElfW(Dyn) *d = m->l_ld; d->d_tag != DT_NULL; d++) {
        strings = d->d_tag == DT_STRTAB ? (const char *)d->d_un.d_ptr : strings;
        need = d->d_tag == DT_VERNEED ? (const ElfW(Verneed) *)(m->l_addr + d->d_un.d_ptr) : need;
    }
    if (need && (uintptr_t)need >= 2 * (uintptr_t)m->l_addr && m->l_addr) /* moved by the linker already */
        need = (const ElfW(Verneed) *)((uintptr_t)need - m->l_addr);
    while (need && strings) {
        const char *file = strings + need->vn_file;
        if (!strncmp(file, "libomp", 6) || !strncmp(file, "libiomp", 7))
            return true;
        need = need->vn_next ? (const ElfW(Verneed) *)((const char *)need + need->vn_next) : NULL;
    }
    return false;
}

hsc_rt_gomp hsc_rt_gomp_find(enum hsc_rt_gomp_function f, const void *pc) {
    const library *l = atomic_load_explicit(&program, memory_order_acquire);
    l = l ? l : find_library(pc);
    if (__builtin_expect(l->second[f].function != NULL, 0) && wants_llvm(pc))
        return l->second[f];
    return l->of[f].function ? l->of[f] : (hsc_rt_gomp){false, substitute(f)};
}
