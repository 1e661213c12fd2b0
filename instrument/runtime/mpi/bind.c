/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which message-passing library the process has, found at the first call: its functions, and what its handles, statuses
 * and special addresses look like. Nothing here communicates: other processes may not be measured. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "mpi.h"

hsc_mpi_library hsc_mpi_lib = {.types_generation = 1, .comms_generation = 1};

/* ---- symbols
 * --------------------------------------------------------------------------------------------------------------- */

static bool is_ours(const void *p) {
    Dl_info here, there;
    return p && dladdr((void *)hsc_mpi_find, &here) && dladdr(p, &there) &&
           here.dli_fbase == there.dli_fbase; /* NOLINT */
}

typedef struct search {
    const char *symbol;
    void *found;
    char names[64][256]; /* libraries of the kind that has it */
    unsigned n;
} search;

static int note_library(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    search *s = context;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    if (slash && !strncmp(slash + 1, "libmpi", 6) && s->n < 64 && strlen(info->dlpi_name) < sizeof s->names[0])
        strcpy(s->names[s->n++], info->dlpi_name);
    return 0;
}

static int note_any(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    search *s = context;
    void *h =
        info->dlpi_name && *info->dlpi_name && !s->found ? dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (h) {
        void *p = dlsym(h, s->symbol);
        if (!is_ours(p))
            s->found = p;
        dlclose(h);
    }
    return 0;
}

void *hsc_mpi_find(const char *symbol) {
    void *p = dlsym(RTLD_NEXT, symbol);
    if (p && !is_ours(p))
        return p;
    /* loaded by dlopen for some modules alone */
    search s = {.symbol = symbol};
    dl_iterate_phdr(note_library, &s);
    for (unsigned i = 0; i < s.n && !s.found; i++) {
        void *h = dlopen(s.names[i], RTLD_LAZY | RTLD_NOLOAD);
        if (!h)
            continue;
        p = dlsym(h, symbol);
        s.found = is_ours(p) ? NULL : p;
        dlclose(h);
    }
    if (!s.found)
        dl_iterate_phdr(note_any, &s);
    return s.found;
}

/* An object: where the program has a copy of it, that is the one. */
static void *find_object(const char *symbol) {
    void *p = dlsym(RTLD_DEFAULT, symbol);
    return p ? p : hsc_mpi_find(symbol);
}

void *hsc_mpi_real_slow(hsc_mpi_op *op, int variant) {
    static const char *const tails[HSC_MPI_VARIANTS] = {"", "_", "__", "", "", "_f08_", "_f08ts_"};
    char symbol[96];
    size_t at = 0;
    hsc_rt_append(symbol, sizeof symbol, &at, variant == HSC_MPI_C ? op->name : variant == 4 ? op->upper : op->lower);
    hsc_rt_append(symbol, sizeof symbol, &at, tails[variant]);
    hsc_rt_append(symbol, sizeof symbol, &at, variant != HSC_MPI_C && op->large ? "large_" : "");
    void *p = hsc_mpi_find(symbol);
    if (!p) {
        char line[256];
        at = 0;
        hsc_rt_append(line, sizeof line, &at, symbol);
        hsc_rt_append(line, sizeof line, &at, " is called and no library of the process has it");
        hsc_rt_say_to(2, line);
        _exit(127); /* as the dynamic linker ends a program */
    }
    atomic_store_explicit(&op->real[variant], p, memory_order_relaxed);
    return p;
}

/* ---- what the library is
 * -------------------------------------------------------------------------------------------------------- */

static void addresses(const void **out, const char *stem) {
    static const char *const tails[4] = {"_", "__", "", ""};
    for (int i = 0; i < 4; i++) {
        char symbol[64];
        size_t at = 0;
        hsc_rt_append(symbol, sizeof symbol, &at, stem);
        hsc_rt_append(symbol, sizeof symbol, &at, tails[i]);
        for (char *p = symbol; i == 3 && *p; p++)
            *p = (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
        out[i] = find_object(symbol);
    }
}

void hsc_mpi_bind(void) {
    static _Atomic uint32_t once;
    hsc_mpi_library *l = &hsc_mpi_lib;
    uint32_t state = 0;
    if (!atomic_compare_exchange_strong(&once, &state, 1)) {
        while (atomic_load(&once) == 1)
            hsc_relax();
        return;
    }
#define X(name, parameters) l->name = (uint64_t(*) parameters)hsc_mpi_find("PMPI_" #name);
    HSC_MPI_QUERIES(X)
#undef X
    const void *world = find_object("ompi_mpi_comm_world");
    if (world && find_object("ompi_mpi_comm_self")) {
        l->kind = HSC_MPI_OPEN_MPI;
        l->comm_world = (uint64_t)world;
        l->comm_self = (uint64_t)find_object("ompi_mpi_comm_self");
        l->comm_null = (uint64_t)find_object("ompi_mpi_comm_null");
        l->type_null = (uint64_t)find_object("ompi_mpi_datatype_null");
        l->in_place = (const void *)1; /* NOLINT */
        addresses(l->fortran_in_place, "mpi_fortran_in_place");
        addresses(l->fortran_status_ignore, "mpi_fortran_status_ignore");
        addresses(l->fortran_statuses_ignore, "mpi_fortran_statuses_ignore");
        l->proc_null = -2;
        l->any_source = l->any_tag = -1;
        l->handle_bytes = 8;
        l->status_bytes = 24;
    } else if (hsc_mpi_find("MPIR_Process") || hsc_mpi_find("MPIX_GPU_query_support") ||
               hsc_mpi_find("MPIR_Version_string") || hsc_mpi_find("MPI_F08_STATUS_IGNORE")) {
        l->kind = HSC_MPI_MPICH; /* and those of its binary interface */
        l->comm_world = 0x44000000;
        l->comm_self = 0x44000001;
        l->comm_null = 0x04000000;
        l->type_null = 0x0c000000;
        l->in_place = (const void *)-1;                          /* NOLINT */
        l->fortran_in_place[0] = find_object("MPIR_F08_MPI_IN_PLACE");
        l->fortran_status_ignore[0] = find_object("MPIR_F08_MPI_STATUS_IGNORE_OBJ");
        l->fortran_statuses_ignore[0] = find_object("MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
        l->status_ignore = l->statuses_ignore = (const void *)1; /* NOLINT */
        l->proc_null = -1;
        l->any_source = -2;
        l->any_tag = -1;
        l->handle_bytes = 4;
        l->status_bytes = 20;
    }
    if (!l->Comm_rank || !l->Comm_size || !l->Comm_group || !l->Group_translate_ranks || !l->Type_size ||
        !l->Initialized || !l->Comm_test_inter || !l->Group_free)
        l->kind = HSC_MPI_UNKNOWN;
    l->bound = true;
    atomic_store(&once, 2);
}

/* What a pointer of the library's has; NULL: it is not set yet, or there is none. */
static const void *pointed(const char *symbol) {
    const void *const *p = find_object(symbol);
    return p ? *p : NULL;
}

bool hsc_mpi_knows_addresses(hsc_mpi_language language) {
    hsc_mpi_library *l = &hsc_mpi_lib;
    if (l->kind != HSC_MPI_MPICH)
        return l->kind == HSC_MPI_OPEN_MPI;
    if (language != HSC_MPI_BY_FORTRAN)
        return l->fortran_status_ignore[0] && l->fortran_statuses_ignore[0] && l->fortran_in_place[0];
    if (!l->fortran_in_place[1]) {
        l->fortran_status_ignore[1] = pointed("MPI_F_STATUS_IGNORE");
        l->fortran_statuses_ignore[1] = pointed("MPI_F_STATUSES_IGNORE");
        if (l->fortran_status_ignore[1] && l->fortran_statuses_ignore[1])
            l->fortran_in_place[1] = pointed("MPIR_F_MPI_IN_PLACE");
        l->usual[HSC_MPI_BY_FORTRAN] = l->ready && l->fortran_in_place[1];
    }
    return l->fortran_in_place[1];
}

/* ---- who we are
 * --------------------------------------------------------------------------------------------------------------------
 */

static uint64_t hash_file(const char *path, uint64_t seed, bool link) {
    char text[128];
    ssize_t n = -1;
    if (link)
        n = readlink(path, text, sizeof text);
    else {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            n = read(fd, text, sizeof text);
            close(fd);
        }
    }
    return n > 0 ? hsc_hash64(seed, text, (size_t)n) : seed;
}

static int number(const char *variable) {
    const char *v = getenv(variable);
    return v && *v ? atoi(v) : 0;
}

void hsc_mpi_ready(void) {
    static _Atomic uint32_t once;
    hsc_mpi_library *l = &hsc_mpi_lib;
    int32_t yes = 0, level = 0, rank = -1, ranks = 0;
    if (l->ready || !l->Initialized || (int)l->Initialized(&yes))
        return;
    bool of_session = !yes && l->kind && hsc_mpi_session_who(&rank, &ranks);
    if ((!yes && !of_session) || atomic_exchange(&once, 1))
        return;
    if (of_session)
        level = 3; /* each session may have its own: the highest */
    else if (l->Query_thread)
        l->Query_thread(&level);
    if (l->kind == HSC_MPI_OPEN_MPI)
        level = level < 0 ? 0 : level; /* 0 to 3 in both */
    if (l->kind && !of_session) {
        l->Comm_rank(l->comm_world, &rank);
        l->Comm_size(l->comm_world, &ranks);
    }
    l->level = level;
    l->rank = rank;
    l->ranks = ranks;
    l->multiple = level >= 3;
    struct utsname u;
    uint64_t seed = hash_file("/proc/sys/kernel/random/boot_id", 0, false);
    l->machine = uname(&u) ? seed : hsc_hash64(seed, u.nodename, strlen(u.nodename));
    l->clock = hash_file("/proc/self/ns/time", seed, true);
    int local = number("OMPI_COMM_WORLD_LOCAL_SIZE");
    local = local ? local : number("MPI_LOCALNRANKS");
    l->one_machine = local >= ranks || ranks <= 1 || number("SLURM_NNODES") == 1;
    char version[8192] = "";
    int32_t n = 0;
    if (l->Get_library_version)
        l->Get_library_version(version, &n);
    static const char old[] = "MPICH Version:";
    const char *number_at = strstr(version, old);
    l->f08_base = number_at && !strncmp(number_at + sizeof old - 1 + strspn(number_at + sizeof old - 1, " \t"), "4.0", 3) ? 0 : 1;
    size_t length = strcspn(version, "\n");
    length = length < 200 ? length : 200;
    const char *name = l->kind == HSC_MPI_OPEN_MPI ? "Open MPI" : l->kind == HSC_MPI_MPICH ? "MPICH" : "";
    uint64_t now = hsc_rt_now_ns();
    hsc_rec_message_system r = {.time = now,
                                .library = {name, strlen(name)},
                                .version = {version, length},
                                .rank = rank,
                                .ranks = (uint64_t)ranks,
                                .thread_level = (uint64_t)level,
                                .understood = l->kind != HSC_MPI_UNKNOWN,
                                .machine = l->machine,
                                .clock = l->clock};
    hsc_mpi_file_put(HSC_REC_message_system, &r, now);
    atomic_thread_fence(memory_order_seq_cst);
    l->ready = true;
    for (int i = 0; i < HSC_MPI_LANGUAGES; i++)
        l->usual[i] = l->kind != HSC_MPI_UNKNOWN && (i == HSC_MPI_BY_C || hsc_mpi_knows_addresses((hsc_mpi_language)i));
    if (l->kind && !of_session)
        hsc_mpi_comm_of(NULL, l->comm_world);
}
