/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranks of a join by MPI: a module of its own for each implementation, so that the command itself needs none. Waits sleep, since
 * ranks may be more than processors, and see when the user cancels. Messages of any size go as their length and pieces. */
#include <mpi.h>

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "team.h"

#define PIECE_BYTES ((size_t)1 << 28)
#define SLEEP_MAX_NS 1000000L
#define END_WAIT_S 30 /* for the others, when something failed */

enum { TAG_DATA = 1, TAG_FAILED, TAG_END };

typedef struct state {
    MPI_Comm comm;
    const volatile sig_atomic_t *cancel;
    bool is_first;
    cpu_set_t cpus;  /* of all ranks on this machine */
    unsigned failed; /* other ranks that rank 0 has heard of */
} state;

static state mpi;

static void nap(unsigned *turns) {
    const struct timespec some = {0, *turns < 64 ? 20000L : *turns < 256 ? 100000L : SLEEP_MAX_NS};
    if (++*turns > 16)
        nanosleep(&some, NULL);
}

static hsc_status fail(hsc_err *err, int code) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;
    MPI_Error_string(code, text, &n);
    return hsc_err_set(err, HSC_E_IO, "MPI: %s", text);
}

static hsc_status look(void *ctx, hsc_err *err) {
    int any = 0;
    MPI_Status from;
    (void)ctx;
    if (mpi.cancel && *mpi.cancel)
        return hsc_err_set(err, HSC_E_CANCELLED, "cancelled");
    if (MPI_Iprobe(mpi.is_first ? MPI_ANY_SOURCE : 0, mpi.is_first ? TAG_FAILED : TAG_END, mpi.comm, &any, &from) != MPI_SUCCESS || !any)
        return HSC_OK;
    if (!mpi.is_first)
        return hsc_err_set(err, HSC_E_CANCELLED, "ended by another rank");
    hsc_err theirs = {0};
    mpi.failed++;
    MPI_Recv(&theirs, sizeof theirs, MPI_BYTE, from.MPI_SOURCE, TAG_FAILED, mpi.comm, MPI_STATUS_IGNORE);
    return hsc_err_set(err, theirs.status, "%s (rank %d)", theirs.text, from.MPI_SOURCE);
}

/* On failure the request is left as it is: the team ends. */
static hsc_status wait(MPI_Request *request, hsc_err *err) {
    for (unsigned turns = 0;;) {
        int done = 0, code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return fail(err, code);
        if (done)
            return HSC_OK;
        hsc_status status = look(NULL, err);
        if (status != HSC_OK)
            return status;
        nap(&turns);
    }
}

static hsc_status pass(bool sends, unsigned peer, void *bytes, size_t n, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (size_t at = 0; status == HSC_OK && at < n;) {
        MPI_Request request;
        int piece = (int)(n - at < PIECE_BYTES ? n - at : PIECE_BYTES);
        int code = sends ? MPI_Isend((char *)bytes + at, piece, MPI_BYTE, (int)peer, TAG_DATA, mpi.comm, &request)
                         : MPI_Irecv((char *)bytes + at, piece, MPI_BYTE, (int)peer, TAG_DATA, mpi.comm, &request);
        status = code == MPI_SUCCESS ? wait(&request, err) : fail(err, code);
        at += (size_t)piece;
    }
    return status;
}

static hsc_status send(void *ctx, unsigned to, const void *bytes, size_t n, hsc_err *err) {
    uint64_t length = n;
    (void)ctx;
    hsc_status status = pass(true, to, &length, sizeof length, err);
    return status == HSC_OK ? pass(true, to, (void *)(uintptr_t)bytes, n, err) : status;
}

static hsc_status receive(void *ctx, unsigned from, void **bytes, size_t *n, hsc_err *err) {
    uint64_t length = 0;
    (void)ctx;
    *bytes = NULL;
    hsc_status status = pass(false, from, &length, sizeof length, err);
    if (status != HSC_OK)
        return status;
    *n = length;
    if (!(*bytes = malloc(length + 1)))
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    status = pass(false, from, *bytes, length, err);
    if (status != HSC_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

static void widen(void *ctx) {
    (void)ctx;
    sched_setaffinity(0, sizeof mpi.cpus, &mpi.cpus); /* else as before: slower */
}

__attribute__((visibility("default"))) hsc_team_open_function hsc_team_open;
__attribute__((visibility("default"))) hsc_team_close_function hsc_team_close;

hsc_status hsc_team_open(hsc_team *team, const volatile sig_atomic_t *cancel, hsc_err *err) {
    int provided, rank, size, on_node;
    MPI_Comm node;
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if (code != MPI_SUCCESS)
        return fail(err, code);
    if (provided < MPI_THREAD_FUNNELED)
        return hsc_err_set(err, HSC_E_UNSUPPORTED, "MPI: not made for programs with threads");
    mpi.comm = MPI_COMM_WORLD;
    mpi.cancel = cancel;
    MPI_Comm_set_errhandler(mpi.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi.comm, &rank);
    MPI_Comm_size(mpi.comm, &size);
    MPI_Comm_split_type(mpi.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &on_node);
    CPU_ZERO(&mpi.cpus);
    sched_getaffinity(0, sizeof mpi.cpus, &mpi.cpus);
    MPI_Allreduce(MPI_IN_PLACE, &mpi.cpus, sizeof mpi.cpus, MPI_BYTE, MPI_BOR, node);
    MPI_Comm_free(&node);
    mpi.is_first = !rank;
    *team = (hsc_team){.ctx = &mpi, .rank = (unsigned)rank, .size = (unsigned)size, .on_node = (unsigned)on_node,
                       .cpus = (unsigned)CPU_COUNT(&mpi.cpus), .send = send, .receive = receive, .look = look, .widen = widen};
    return HSC_OK;
}

/* Rank 0 tells all, hears of all, and drops what still comes. false: some do not answer. */
static bool end_others(unsigned size) {
    time_t end = time(NULL) + END_WAIT_S;
    for (unsigned r = 1; r < size; r++) {
        MPI_Request request;
        if (MPI_Isend(NULL, 0, MPI_BYTE, (int)r, TAG_END, mpi.comm, &request) == MPI_SUCCESS)
            MPI_Request_free(&request);
    }
    for (unsigned turns = 0; mpi.failed + 1 < size && time(NULL) < end; nap(&turns)) {
        hsc_err unused;
        MPI_Status from;
        int any = 0, n = 0;
        if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, mpi.comm, &any, &from) != MPI_SUCCESS || !any)
            continue;
        MPI_Get_count(&from, MPI_BYTE, &n);
        void *bytes = n > (int)sizeof unused ? malloc((size_t)n) : &unused;
        if (!bytes)
            return false;
        MPI_Recv(bytes, n, MPI_BYTE, from.MPI_SOURCE, from.MPI_TAG, mpi.comm, MPI_STATUS_IGNORE);
        mpi.failed += from.MPI_TAG == TAG_FAILED;
        if (bytes != &unused)
            free(bytes);
    }
    return mpi.failed + 1 >= size;
}

static bool wait_for_end(const hsc_err *failed) {
    MPI_Request request;
    int ended = 0, sent = 0;
    time_t end = time(NULL) + END_WAIT_S;
    MPI_Isend(failed, sizeof *failed, MPI_BYTE, 0, TAG_FAILED, mpi.comm, &request);
    for (unsigned turns = 0; !(sent && ended) && time(NULL) < end; nap(&turns)) {
        if (!sent)
            MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
        if (!ended)
            MPI_Iprobe(0, TAG_END, mpi.comm, &ended, MPI_STATUS_IGNORE);
    }
    if (ended)
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_END, mpi.comm, MPI_STATUS_IGNORE);
    return sent && ended;
}

/* An orderly end lets launchers pass on what was said; where that fails, or takes too long, all are ended by force. */
void hsc_team_close(hsc_team *team, const hsc_err *failed) {
    if (failed) {
        fflush(NULL);
        if (!(mpi.is_first ? end_others(team->size) : wait_for_end(failed)))
            MPI_Abort(mpi.comm, 1);
        alarm(END_WAIT_S);
    }
    MPI_Finalize();
}
