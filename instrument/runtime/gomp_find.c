/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The OpenMP runtime behind our wrappers of GCC's interface, by the module that calls: nearly always it is the program's own, next to
 * us; a library that was loaded later may have brought one of its own, which is found as the dynamic linker would have found it.
 * LLVM's runtime has GCC's interface, too; and GCC's has locks of programs made before GCC 4.4, which are smaller. */
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include "gomp.h"
#include "interpose.h"

typedef struct module { /* that calls */
    struct module *next;
    uintptr_t low, high;
    hsc_rt_gomp of[HSC_RT_GOMP_COUNT]; /* function NULL: there is none */
} module;

#define NAME_AND_VERSION(name, version) {#name, version},
static const struct {
    const char *name, *version;
} wanted[] = {HSC_RT_GOMP_FUNCTIONS(NAME_AND_VERSION)};

static _Atomic(module *) lasting, loaded; /* those that were there when the program began; that may be unloaded */
static _Atomic(module *) nowhere;         /* for callers in no module: code that was made at run time */
static uint32_t at_start;                 /* number of the former; 0: not known */

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

typedef struct search { /* of the module of `pc`, or of the one after `skip` others */
    const void *pc;
    uint32_t index, skip;
    bool found, llvm, old_locks, new_locks; /* what it was linked with */
    uintptr_t low, high;
    char path[PATH_MAX]; /* "": the program, or too long */
} search;

static void look_at_version(search *s, const char *file, const char *version) {
    s->llvm = s->llvm || !strncmp(file, "libomp", 6) || !strncmp(file, "libiomp", 7);
    s->old_locks = s->old_locks || !strcmp(version, "OMP_1.0");
    s->new_locks = s->new_locks || !strcmp(version, "OMP_3.0");
}

/* The versions of libraries' names that a module was linked with. */
static void look_at_versions(search *s, uintptr_t base, const ElfW(Dyn) *dynamic) {
    uintptr_t strings = 0, need = 0;
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) { /* the dynamic linker adds the base to some in place */
        uintptr_t at = dynamic->d_un.d_ptr < base ? dynamic->d_un.d_ptr + base : dynamic->d_un.d_ptr;
        strings = dynamic->d_tag == DT_STRTAB ? at : strings;
        need = dynamic->d_tag == DT_VERNEED ? at : need;
    }
    if (!strings)
        return;
    for (uintptr_t next = need; next;) {
        const ElfW(Verneed) *n = (const ElfW(Verneed) *)next; /* NOLINT: a table of the module */
        uintptr_t aux = next + n->vn_aux;
        for (uint32_t i = 0; i < n->vn_cnt; i++) {
            const ElfW(Vernaux) *a = (const ElfW(Vernaux) *)aux; /* NOLINT */
            look_at_version(s, (const char *)strings + n->vn_file, (const char *)strings + a->vna_name);
            aux += a->vna_next;
        }
        next = n->vn_next ? next + n->vn_next : 0;
    }
}

/* Only looks: the dynamic linker's calls are not for here, as another thread may wait for this one in the midst of one. */
static int look_at(struct dl_phdr_info *m, size_t size, void *data) {
    search *s = data;
    const ElfW(Dyn) *dynamic = NULL;
    uintptr_t low = UINTPTR_MAX, high = 0;
    (void)size;
    for (unsigned i = 0; i < m->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &m->dlpi_phdr[i];
        uintptr_t at = m->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)at; /* NOLINT */
        if (p->p_type != PT_LOAD)
            continue;
        low = at < low ? at : low;
        high = at + p->p_memsz > high ? at + p->p_memsz : high;
    }
    if (s->pc ? (uintptr_t)s->pc < low || (uintptr_t)s->pc >= high : s->index < s->skip) {
        s->index++;
        return 0;
    }
    s->found = true;
    s->low = low;
    s->high = high;
    size_t n = strlen(m->dlpi_name);
    s->path[0] = 0;
    memcpy(s->path, m->dlpi_name, n < sizeof s->path ? n + 1 : 0);
    if (s->pc)
        look_at_versions(s, m->dlpi_addr, dynamic);
    return 1;
}

static bool is_lock(enum hsc_rt_gomp_function f) {
    return !strncmp(wanted[f].name, "omp_", 4) && strstr(wanted[f].name, "_lock");
}

static bool fill(module *l, const search *s, void *handle) {
    bool any = false, old = s->old_locks && !s->new_locks;
    for (uint32_t f = 0; f < HSC_RT_GOMP_COUNT; f++) {
        void *function = s->llvm ? dlvsym(handle, wanted[f].name, "VERSION") : NULL;
        function = function ? function : dlvsym(handle, wanted[f].name, old && is_lock(f) ? "OMP_1.0" : wanted[f].version);
        function = function ? function : dlsym(handle, wanted[f].name);
        any = any || function;
        l->of[f] = (hsc_rt_gomp){function && is_gcc(function), function};
    }
    return any;
}

static bool fill_from(module *l, const search *s, const char *path) {
    static void *(*real)(const char *, int);
    if (!real)
        real = HSC_RT_REAL("dlopen");
    void *handle = real(*path ? path : NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return false;
    bool found = fill(l, s, handle);
    int (*close_handle)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    if (close_handle)
        close_handle(handle);
    return found;
}

/* Next to us, below the caller, or anywhere. */
static void fill_by(module *l, const search *of) {
    if (fill(l, of, RTLD_NEXT) || fill_from(l, of, of->path))
        return;
    search *s = hsc_rt_map(sizeof *s);
    bool found = false;
    while (s && !found) {
        s->index = 0;
        s->found = false;
        dl_iterate_phdr(look_at, s);
        found = !s->found || fill_from(l, of, s->path);
        s->skip++;
    }
    hsc_rt_unmap(s, sizeof *s);
}

/* GCC's runtime sends its threads to sleep in its own code. Where it is unloaded then, the program dies as soon as a signal ends their sleep:
 * the kernel goes back to a call that isn't there any more. Our signals do, so it stays mapped once a module that may be unloaded has called it. */
static void keep(const module *l) {
    static void *(*real)(const char *, int);
    Dl_info info;
    hsc_rt_gomp g = l->of[HSC_RT_GOMP_parallel];
    if (!g.ours || !dladdr(g.function, &info))
        return;
    if (!real)
        real = HSC_RT_REAL("dlopen");
    void *handle = real(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    int (*close_handle)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    if (handle && close_handle)
        close_handle(handle);
}

static const module *find(const module *l, uintptr_t pc) {
    while (l && (pc < l->low || pc >= l->high))
        l = l->next;
    return l;
}

/* A table for the module of `pc`, which `s` has found, or not. */
static const module *make(const search *s) {
    static module none;
    module *l = s->found ? NULL : atomic_load_explicit(&nowhere, memory_order_acquire);
    _Atomic(module *) *list = !s->found ? &nowhere : s->index < at_start ? &lasting : &loaded;
    if (l)
        return l;
    if (!(l = hsc_rt_map(sizeof *l)))
        return &none;
    l->low = s->low;
    l->high = s->high;
    fill_by(l, s);
    if (list != &lasting)
        keep(l);
    l->next = atomic_load_explicit(list, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(list, &l->next, l, memory_order_release, memory_order_relaxed))
        ;
    return l;
}

static __attribute__((noinline)) const module *make_for(const void *pc) {
    static search none;
    search *s = hsc_rt_map(sizeof *s);
    if (!s)
        return make(&none);
    s->pc = pc;
    dl_iterate_phdr(look_at, s);
    const module *l = make(s);
    hsc_rt_unmap(s, sizeof *s);
    return l;
}

static int count(struct dl_phdr_info *m, size_t size, void *data) {
    (void)m;
    (void)size;
    ++*(uint32_t *)data;
    return 0;
}

void hsc_rt_gomp_init(void) {
    dl_iterate_phdr(count, &at_start);
}

void hsc_rt_gomp_forget(void) { /* tables stay: somebody may look at them */
    if (atomic_load_explicit(&loaded, memory_order_relaxed))
        atomic_store_explicit(&loaded, NULL, memory_order_release);
    if (atomic_load_explicit(&nowhere, memory_order_relaxed))
        atomic_store_explicit(&nowhere, NULL, memory_order_release);
}

hsc_rt_gomp hsc_rt_gomp_find(enum hsc_rt_gomp_function f, const void *pc) {
    const module *l = find(atomic_load_explicit(&lasting, memory_order_acquire), (uintptr_t)pc);
    l = l ? l : find(atomic_load_explicit(&loaded, memory_order_acquire), (uintptr_t)pc);
    l = l ? l : make_for(pc);
    return l->of[f].function ? l->of[f] : (hsc_rt_gomp){false, substitute(f)};
}
