/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nodes: processes by their host. */
#include <stdlib.h>
#include <string.h>

#include "db.h"

typedef struct hosted {
    const char *host;
    uint32_t process;
} hosted;

static int by_host(const void *a, const void *b) {
    const hosted *x = a, *y = b;
    int order = strcmp(x->host, y->host);
    return order ? order : x->process < y->process ? -1 : x->process > y->process;
}

hsc_status hsc_nodes_find(hsc_db *db, hsc_err *err) {
    const uint64_t n = db->tables.rows[HSC_TAB_process], threads = db->tables.rows[HSC_TAB_thread];
    hosted *list = malloc((n + 1) * sizeof *list);
    db->process_node = malloc((n + 1) * sizeof *db->process_node);
    db->thread_node = malloc((threads + 1) * sizeof *db->thread_node);
    db->nodes = calloc(n + 1, sizeof *db->nodes);
    if (!list || !db->process_node || !db->thread_node || !db->nodes) {
        free(list);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    }
    uint64_t runs = 0; /* of processes of one host, which mostly stand together */
    for (uint32_t p = 0; p < n; p++) {
        const char *host = hsc_db_text(db, HSC_COL_process_host, p);
        if (!p || strcmp(host, list[runs - 1].host) != 0)
            list[runs++] = (hosted){host, p};
        db->process_node[p] = list[runs - 1].process; /* an earlier one of its host; below, in its place, the node */
    }
    qsort(list, runs, sizeof *list, by_host);
    for (uint64_t i = 1; i < runs; i++)
        if (!strcmp(list[i].host, list[i - 1].host))
            db->process_node[list[i].process] = db->process_node[list[i - 1].process];
    for (uint32_t p = 0; p < n; p++) {
        const bool first = db->process_node[p] == p;
        db->process_node[p] = first ? db->n_nodes++ : db->process_node[db->process_node[p]];
        hsc_db_node *node = &db->nodes[db->process_node[p]];
        if (first)
            node->host = hsc_db_text(db, HSC_COL_process_host, p);
        node->processes++;
        node->threads += db->threads[p];
    }
    for (uint64_t t = 0; t < threads; t++)
        db->thread_node[t] = db->process_node[HSC_COL(db, thread_process, uint32_t)[t]];
    free(list);
    return HSC_OK;
}

void hsc_nodes_free(hsc_db *db) {
    free(db->process_node);
    free(db->thread_node);
    free(db->nodes);
}

hsc_status hsc_db_get_node(const hsc_db *db, uint32_t node, hsc_db_node *out, hsc_err *err) {
    if (node >= db->n_nodes)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: node %u asked for, there are %u", db->path, (unsigned)node, (unsigned)db->n_nodes);
    *out = db->nodes[node];
    return HSC_OK;
}
