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

/* A rank that fails tells rank 0 (FAILED), which tells all (END). Each drops what comes, so that messages under way end; then it tells rank 0,
 * and that tells all once all have (DONE). */
enum { TAG_DATA = 1, TAG_FAILED, TAG_END, TAG_DONE };

typedef struct state {
    MPI_Comm comm;
    const volatile sig_atomic_t *cancel;
    bool is_first;
    cpu_set_t cpus;  /* of all ranks on this machine */
    bool announced; /* that we fail */
    unsigned done;  /* TAG_DONE have come */
    hsc_err said;   /* to rank 0 */
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
    MPI_Recv(&theirs, sizeof theirs, MPI_BYTE, from.MPI_SOURCE, TAG_FAILED, mpi.comm, MPI_STATUS_IGNORE);
    return hsc_err_set(err, theirs.status, "%s (rank %d)", theirs.text, from.MPI_SOURCE);
}

/* ---- the end of a team that failed ------------------------------------------------------------------------------------------- */

static void tell(int rank, int tag, const void *bytes, int n) {
    MPI_Request request;
    if (MPI_Isend(bytes, n, MPI_BYTE, rank, tag, mpi.comm, &request) == MPI_SUCCESS)
        MPI_Request_free(&request);
}

static void tell_others(int tag) {
    int size = 0;
    MPI_Comm_size(mpi.comm, &size);
    for (int r = 1; r < size; r++)
        tell(r, tag, NULL, 0);
}

static void announce(const hsc_err *why) {
    if (mpi.announced)
        return;
    mpi.announced = true;
    mpi.said = *why;
    if (mpi.is_first)
        tell_others(TAG_END);
    else
        tell(0, TAG_FAILED, &mpi.said, sizeof mpi.said);
}

/* What comes to one that ends: of no use any more, but for TAG_DONE. */
static bool drop(void) {
    hsc_err unused;
    MPI_Status from;
    int any = 0, n = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, mpi.comm, &any, &from) != MPI_SUCCESS || !any)
        return false;
    MPI_Get_count(&from, MPI_BYTE, &n);
    void *bytes = n > (int)sizeof unused ? malloc((size_t)n) : &unused;
    if (!bytes)
        return false;
    MPI_Recv(bytes, n, MPI_BYTE, from.MPI_SOURCE, from.MPI_TAG, mpi.comm, MPI_STATUS_IGNORE);
    mpi.done += from.MPI_TAG == TAG_DONE;
    if (bytes != &unused)
        free(bytes);
    return true;
}

/* The memory of a message that is under way is the caller's, who frees it next: the other side may be reading or writing it. */
static void settle(MPI_Request *request, bool sends, const hsc_err *why) {
    int done = 0;
    time_t end = time(NULL) + END_WAIT_S;
    announce(why);
    if (!sends)
        MPI_Cancel(request);
    for (unsigned turns = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done && time(NULL) < end;)
        if (!drop())
            nap(&turns);
}

/* ---- messages ------------------------------------------------------------------------------------------------------------ */

static hsc_status wait(MPI_Request *request, bool sends, hsc_err *err) {
    for (unsigned turns = 0;;) {
        int done = 0, code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return fail(err, code);
        if (done)
            return HSC_OK;
        hsc_status status = look(NULL, err);
        if (status != HSC_OK) {
            settle(request, sends, err);
            return status;
        }
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
        status = code == MPI_SUCCESS ? wait(&request, sends, err) : fail(err, code);
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

/* Until nothing is under way between any ranks, and rank 0 has done its part. false: some do not answer in time. */
static bool end_with_others(unsigned size, bool limited) {
    unsigned wanted = mpi.is_first ? size - 1 : 1;
    time_t end = time(NULL) + END_WAIT_S;
    if (!mpi.is_first)
        tell(0, TAG_DONE, NULL, 0);
    for (unsigned turns = 0; mpi.done < wanted && (!limited || time(NULL) < end);)
        if (!drop())
            nap(&turns);
    if (mpi.is_first && mpi.done >= wanted)
        tell_others(TAG_DONE);
    return mpi.done >= wanted;
}

/* An orderly end lets launchers pass on what was said; where that fails, or takes too long, all are ended by force. Ranks that have done their
 * part wait here, asleep, for rank 0, which may still fail. */
void hsc_team_close(hsc_team *team, const hsc_err *failed) {
    if (failed) {
        fflush(NULL);
        announce(failed);
    }
    if (!end_with_others(team->size, failed != NULL))
        MPI_Abort(mpi.comm, 1);
    if (failed)
        alarm(END_WAIT_S);
    MPI_Finalize();
}
