/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sessions of MPI 4: programs that never call MPI_Init, and have no MPI_COMM_WORLD. Who we are is then asked of a session that lives: of the
 * set of all processes, which every library has. */
#include <stdlib.h>

#include "mpi.h"

typedef struct live {
    uint64_t session; /* as C has it */
    struct live *next;
} live;

static live *sessions;
static _Atomic uint32_t lock;

/* Sessions begin and end seldom, and a library without locks of its own has one thread. */
static void take(void) {
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
        hsc_relax();
}

static void give(void) {
    atomic_store_explicit(&lock, 0, memory_order_release);
}

static uint64_t session_at(uint64_t address, bool fortran) {
    hsc_mpi_library *l = &hsc_mpi_lib;
    const void *p = (const void *)address; /* NOLINT */
    if (!p)
        return 0;
    if (!fortran || l->kind == HSC_MPI_MPICH)
        return l->handle_bytes == 8 ? *(const uint64_t *)p : *(const uint32_t *)p;
    return l->Session_f2c ? l->Session_f2c(*(const int32_t *)p) : 0;
}

void hsc_mpi_session_begun(uint64_t address, bool fortran) {
    if (!hsc_mpi_lib.bound)
        hsc_mpi_bind();
    live *s = hsc_mpi_lib.kind ? malloc(sizeof *s) : NULL;
    if (!s)
        return;
    s->session = session_at(address, fortran);
    take();
    s->next = sessions;
    sessions = s;
    give();
}

void hsc_mpi_session_ends(uint64_t address, bool fortran) {
    if (!hsc_mpi_lib.bound)
        return;
    uint64_t session = session_at(address, fortran);
    take();
    live **p = &sessions;
    while (*p && (*p)->session != session)
        p = &(*p)->next;
    live *s = *p;
    if (s)
        *p = s->next;
    give();
    free(s);
}

/* MPI_COMM_WORLD can be asked. */
static bool has_world(void) {
    hsc_mpi_library *l = &hsc_mpi_lib;
    int32_t begun = 0, ended = 0;
    return l->Initialized && !(int)l->Initialized(&begun) && begun && (!l->Finalized || (!(int)l->Finalized(&ended) && !ended));
}

uint64_t hsc_mpi_world_group(void) {
    hsc_mpi_library *l = &hsc_mpi_lib;
    uint64_t group = 0;
    if (has_world())
        return (int)l->Comm_group(l->comm_world, &group) ? 0 : group;
    take();
    uint64_t session = sessions && l->Group_from_session_pset ? sessions->session : 0;
    give();
    return session && !(int)l->Group_from_session_pset(session, "mpi://WORLD", &group) ? group : 0;
}

bool hsc_mpi_session_who(int32_t *rank, int32_t *ranks) {
    hsc_mpi_library *l = &hsc_mpi_lib;
    uint64_t group = l->Group_rank && l->Group_size && !has_world() ? hsc_mpi_world_group() : 0;
    if (!group)
        return false;
    bool known = !(int)l->Group_rank(group, rank) && !(int)l->Group_size(group, ranks);
    l->Group_free(&group);
    return known;
}
