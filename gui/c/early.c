/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opening a database while Tk is loaded: the thread knows nothing of Tcl, and ends when it has read. */
#include "early.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define KEY "heatscope::early"

typedef struct early {
    char *path;
    hsc_db *db; /* the thread's, until it has ended */
    pthread_t thread;
    atomic_bool stop;
    hsc_status status; /* how it ended */
    hsc_err err;
} early;

static bool goes_on(void *ctx, uint64_t done, uint64_t whole) {
    (void)done;
    (void)whole;
    return !atomic_load(&((early *)ctx)->stop);
}

static void *finish(void *ctx) {
    early *e = ctx;
    e->status = hsc_db_open_finish(e->db, &e->err);
    return NULL;
}

static void at_exit(ClientData data) {
    early *e = data;
    atomic_store(&e->stop, true);
    pthread_join(e->thread, NULL);
    hsc_db_close(e->db);
    free(e->path);
    free(e);
}

static void drop(ClientData data, Tcl_Interp *interp) {
    (void)interp;
    if (!data)
        return;
    Tcl_DeleteExitHandler(at_exit, data);
    at_exit(data);
}

/* No signal of the program comes to the thread. */
static bool start(early *e) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = !pthread_create(&e->thread, NULL, finish, e);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

hsc_status hsc_early_begin(Tcl_Interp *interp, const char *path, hsc_err *err) {
    hsc_status s = HSC_OK;
    Tcl_DeleteAssocData(interp, KEY);
    early *e = calloc(1, sizeof *e);
    if (!e || !(e->path = strdup(path)))
        s = hsc_err_set(err, HSC_E_MEMORY, "%s: no memory to open it", path);
    if (s == HSC_OK)
        s = hsc_db_open_begin(path, &e->db, err);
    if (s == HSC_OK) {
        hsc_db_set_progress(e->db, goes_on, e);
        if (!start(e))
            s = hsc_err_set(err, HSC_E_MEMORY, "%s: no thread to open it", path);
    }
    if (s == HSC_OK) {
        Tcl_SetAssocData(interp, KEY, drop, e);
        Tcl_CreateExitHandler(at_exit, e);
    } else if (e) {
        hsc_db_close(e->db);
        free(e->path);
        free(e);
    }
    return s;
}

hsc_status hsc_early_take(Tcl_Interp *interp, const char *path, hsc_db **out, hsc_err *err) {
    early *e = Tcl_GetAssocData(interp, KEY, NULL);
    *out = NULL;
    if (!e || strcmp(e->path, path))
        return HSC_OK;
    pthread_join(e->thread, NULL);
    Tcl_DeleteExitHandler(at_exit, e);
    Tcl_SetAssocData(interp, KEY, NULL, NULL);
    hsc_status s = e->status;
    if (s == HSC_OK) {
        *out = e->db;
        hsc_db_set_progress(e->db, NULL, NULL);
    } else {
        *err = e->err;
        hsc_db_close(e->db);
    }
    free(e->path);
    free(e);
    return s;
}
