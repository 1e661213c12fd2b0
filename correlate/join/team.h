/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several processes that join together (docs: ARCHITECTURE.md, "Joining on many ranks"). The join knows only this interface;
 * team_mpi.c, a module that the command loads when it runs under mpirun, fills it. */
#ifndef HEATSCOPE_JOIN_TEAM_H
#define HEATSCOPE_JOIN_TEAM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include <heatscope/formats/err.h>

typedef struct hsc_team {
    void *ctx;
    unsigned rank, size;    /* rank 0 writes the database */
    unsigned on_node, cpus; /* ranks of the team on this machine, and processors that they may use together */
    /* All are called by the thread that opened the team. Messages of one rank to another arrive in their order. Both wait until it
     * is done, another rank has failed (its error is then theirs) or *cancel is set (HSC_E_CANCELLED). */
    hsc_status (*send)(void *ctx, unsigned to, const void *bytes, size_t n, hsc_err *err);
    hsc_status (*receive)(void *ctx, unsigned from, void **bytes, size_t *n, hsc_err *err); /* *bytes: to be freed */
    hsc_status (*look)(void *ctx, hsc_err *err); /* whether another rank has failed; at once */
    void (*widen)(void *ctx); /* this rank's threads may use all these processors from now on: launchers bind ranks to few */
} hsc_team;

/* What a module exports as HSC_TEAM_OPEN and HSC_TEAM_CLOSE. close: once, after the join; `failed`: NULL, or the error that this
 * rank ended with, which rank 0 hears of; then all ranks end. */
typedef hsc_status hsc_team_open_function(hsc_team *team, const volatile sig_atomic_t *cancel, hsc_err *err);
typedef void hsc_team_close_function(hsc_team *team, const hsc_err *failed);
#define HSC_TEAM_OPEN "hsc_team_open"
#define HSC_TEAM_CLOSE "hsc_team_close"

#endif
