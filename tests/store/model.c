/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A small random database held in memory as plain arrays. */
#include "model.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store_internal.h"

/* Databases of tests need not outlive the machine. */
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) {
    (void)fd;
    return 0;
}

unsigned model_random(unsigned *state) {
    *state = *state * 1103515245u + 12345u;
    unsigned high = *state >> 16;
    *state = *state * 1103515245u + 12345u;
    return (high << 15 ^ *state >> 16) & 0x7FFFFFFF;
}

char *model_path(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path)
        abort();
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

char *model_folder(void) {
    const char *under = getenv("TMPDIR");
    char *folder = model_path(under && under[0] ? under : "/tmp", "heatscope-store-XXXXXX");
    if (mkdtemp(folder))
        return folder;
    perror(folder);
    exit(1);
}

static void *array(size_t n, size_t size) {
    void *p = calloc(n + 1, size);
    if (!p) /* where a test makes one allocation fail, ours are not meant */
        p = calloc(n + 1, size);
    if (!p)
        abort();
    return p;
}

/* A random tree in pre-order. */
static void tree(uint32_t *parent, uint32_t *end, uint32_t n, unsigned *r) {
    uint32_t open = 0;
    parent[0] = 0;
    for (uint32_t i = 1; i < n; i++) {
        while (open && model_random(r) % 3 == 0)
            open = parent[open];
        parent[i] = open;
        open = i;
    }
    for (uint32_t i = 0; i < n; i++)
        end[i] = i + 1;
    for (uint32_t i = n; i-- > 1;)
        if (end[i] > end[parent[i]])
            end[parent[i]] = end[i];
}

static char *text(unsigned *r, int longest) {
    static const char *const letters[] = {"a", "B", "3", "_", "::", "<", ">", " ", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x94\xA5", "/"};
    int n = (int)(model_random(r) % (unsigned)longest);
    char *s = array((size_t)n * 4 + 1, 1);
    for (int i = 0; i < n; i++)
        strcat(s, letters[model_random(r) % (sizeof letters / sizeof *letters)]);
    return s;
}

static void fill_column(model *m, int c, unsigned *r) {
    const hsc_column_def *d = &hsc_schema_columns[c];
    enum hsc_table_id to = hsc_schema_references(d);
    uint64_t n = m->rows[d->table];
    if (d->type == HSC_COLTYPE_S) {
        char **v = m->columns[c] = array(n, sizeof *v);
        /* one column has texts too long for a fixed length, another is empty everywhere */
        for (uint64_t i = 0; i < n; i++)
            v[i] = c == HSC_COL_stream_path ? text(r, 1) : text(r, c == HSC_COL_scope_name && i % 5 == 0 ? 400 : 30);
        return;
    }
    unsigned size = hsc_schema_type_size(d->type);
    unsigned char *v = m->columns[c] = array(n, size);
    for (uint64_t i = 0; i < n; i++) {
        double f = (double)model_random(r) / 1024;
        uint32_t u = to == HSC_TAB_COUNT ? model_random(r) : (uint32_t)(model_random(r) % m->rows[to]);
        uint64_t wide = (uint64_t)model_random(r) << 33 | model_random(r);
        memcpy(v + i * size, d->type == HSC_COLTYPE_F8 ? (void *)&f : d->type == HSC_COLTYPE_U8 ? (void *)&wide : (void *)&u, size);
    }
}

/* Two modules with code; pieces of 10 instructions of 4 bytes; the last one is not disassembled. */
static void add_code(model *m) {
    uint32_t *part_module = m->columns[HSC_COL_code_part_module], *first = m->columns[HSC_COL_code_part_first],
             *rows = m->columns[HSC_COL_code_part_rows], *byte = m->columns[HSC_COL_code_part_first_byte];
    uint64_t *begin = m->columns[HSC_COL_code_part_begin], *end = m->columns[HSC_COL_code_part_end];
    uint32_t *module = m->columns[HSC_COL_instruction_module], *parent = m->columns[HSC_COL_inlining_parent];
    uint64_t *address = m->columns[HSC_COL_instruction_address];
    uint8_t *size = m->columns[HSC_COL_instruction_size], *flow = m->columns[HSC_COL_instruction_flow];
    for (uint32_t i = 0; i < 5; i++) {
        part_module[i] = i / 3;
        begin[i] = 0x1000 + 0x100 * i;
        end[i] = begin[i] + 40;
        first[i] = 10 * i;
        rows[i] = 10;
        byte[i] = i < 3 ? 40 * i : HSC_NONE;
    }
    for (uint32_t i = 0; i < 50; i++) {
        module[i] = i / 30;
        address[i] = 0x1000 + 0x100 * (i / 10) + 4 * (i % 10);
        size[i] = i < 30 ? 4 : 0;
        flow[i] %= 7;
        if (i >= 30)
            ((uint32_t *)m->columns[HSC_COL_instruction_text])[i] = HSC_NONE;
    }
    for (uint32_t i = 0; i < 6; i++)
        parent[i] = i ? i / 2 : HSC_NONE;
    parent[1] = HSC_NONE;
}

model *model_new(unsigned seed, bool one_thread) {
    model *m = array(1, sizeof *m);
    unsigned state = seed, *r = &state;
    m->processes = 7;
    m->threads = one_thread ? 7 : 23;
    m->categories = 3;
    const uint64_t rows[HSC_TAB_COUNT] = {[HSC_TAB_module] = 3, [HSC_TAB_file] = 9, [HSC_TAB_line] = 700, [HSC_TAB_scope] = 90,
                                          [HSC_TAB_instance] = 40, [HSC_TAB_remark] = 30, [HSC_TAB_process] = m->processes,
                                          [HSC_TAB_thread] = m->threads, [HSC_TAB_metric] = 2, [HSC_TAB_category] = m->categories,
                                          [HSC_TAB_context] = 120, [HSC_TAB_ledger] = 4, [HSC_TAB_stream] = 5,
                                          [HSC_TAB_loop] = 20, [HSC_TAB_memory_check] = 12, [HSC_TAB_array] = 25,
                                          [HSC_TAB_reference] = 60, [HSC_TAB_mpi_site] = 15, [HSC_TAB_mpi_argument] = 45,
                                          [HSC_TAB_mpi_link] = 10, [HSC_TAB_directive] = 6, [HSC_TAB_runtime_call] = 8, [HSC_TAB_handed] = 9,
                                          [HSC_TAB_message_pair] = 30, [HSC_TAB_delay] = 12, [HSC_TAB_delayed] = 50,
                                          [HSC_TAB_code_part] = 5, [HSC_TAB_instruction] = 50, [HSC_TAB_instruction_text] = 20,
                                          [HSC_TAB_inlining] = 6, [HSC_TAB_code_byte] = 120};
    memcpy(m->rows, rows, sizeof rows);
    for (int c = 0; c < HSC_COL_COUNT; c++)
        fill_column(m, c, r);
    tree(m->columns[HSC_COL_scope_parent], m->columns[HSC_COL_scope_subtree_end], 90, r);
    tree(m->columns[HSC_COL_context_parent], m->columns[HSC_COL_context_subtree_end], 120, r);
    uint32_t *file = m->columns[HSC_COL_line_file], *line = m->columns[HSC_COL_line_line], *scope = m->columns[HSC_COL_remark_scope];
    for (uint32_t i = 0; i < 700; i++) { /* file 3 has no lines */
        file[i] = i * 8 / 700 + (i * 8 / 700 >= 3);
        line[i] = i && file[i] == file[i - 1] ? line[i - 1] + 1 + model_random(r) % 3 : model_random(r) % 4;
    }
    for (uint32_t i = 0; i < 30; i++)
        scope[i] = i < 27 ? i * 90 / 30 : HSC_NONE;
    static const enum hsc_column_id keys[] = {HSC_COL_loop_scope,        HSC_COL_memory_check_scope, HSC_COL_array_scope,
                                              HSC_COL_reference_scope,   HSC_COL_mpi_site_code_line, HSC_COL_mpi_argument_site,
                                              HSC_COL_mpi_link_site,     HSC_COL_directive_scope,    HSC_COL_runtime_call_code_line, HSC_COL_handed_code_line,
                                              HSC_COL_message_pair_process, HSC_COL_delayed_delay};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) { /* sorted; the last rows of some have none */
        const hsc_column_def *d = &hsc_schema_columns[keys[k]];
        uint64_t n = m->rows[d->table], of = m->rows[hsc_schema_references(d)];
        bool none = keys[k] == HSC_COL_array_scope || keys[k] == HSC_COL_mpi_site_code_line;
        for (uint64_t i = 0; i < n; i++)
            ((uint32_t *)m->columns[keys[k]])[i] = none && i + 2 >= n ? HSC_NONE : (uint32_t)(i * of / n);
    }
    uint32_t reference_at[60];
    for (uint32_t i = 0; i < 60; i++) { /* references stand on lines that have code, some on the same; some arrays are one */
        uint32_t at = reference_at[i] = model_random(r) % (i % 3 ? 700 : 20);
        ((uint32_t *)m->columns[HSC_COL_reference_file])[i] = file[at];
        ((uint32_t *)m->columns[HSC_COL_reference_line])[i] = line[at];
        if (i % 11 == 0)
            ((uint32_t *)m->columns[HSC_COL_reference_array])[i] = HSC_NONE;
    }
    for (uint32_t i = 0; i < 25; i++)
        ((uint64_t *)m->columns[HSC_COL_array_identity])[i] = i % 4 ? 0 : 1 + i % 3;
    for (int c = HSC_COL_message_pair_sent; c <= HSC_COL_message_pair_received_bytes; c++) /* sums that a double holds */
        for (uint32_t i = 0; i < 30; i++)
            ((uint64_t *)m->columns[c])[i] >>= 24;
    for (uint32_t i = 0; i < 30; i += 7)
        ((uint32_t *)m->columns[HSC_COL_message_pair_peer])[i] = HSC_NONE;
    for (uint32_t i = 0; i < 50; i++)
        ((uint64_t *)m->columns[HSC_COL_delayed_waits])[i] >>= 24;
    add_code(m);
    for (uint32_t i = 0; i < 60; i++) { /* each has an instruction */
        uint64_t row = i * m->rows[HSC_TAB_instruction] / 60;
        ((uint32_t *)m->columns[HSC_COL_instruction_line])[row] = reference_at[i];
        ((uint32_t *)m->columns[HSC_COL_instruction_scope])[row] = ((uint32_t *)m->columns[HSC_COL_reference_scope])[i];
    }
    for (uint32_t i = 0; i < m->threads; i++)
        ((uint32_t *)m->columns[HSC_COL_thread_process])[i] = i * m->processes / m->threads;
    static const char hosts[MODEL_NODES][6] = {"north", "south", "a"};
    for (uint32_t i = 0; i < m->processes; i++) {
        char **host = &((char **)m->columns[HSC_COL_process_host])[i];
        free(*host);
        *host = memcpy(array(sizeof hosts[0], 1), hosts[i % MODEL_NODES], sizeof hosts[0]);
    }
    ((double *)m->columns[HSC_COL_metric_scale])[0] = 0.001;
    free(((char **)m->columns[HSC_COL_metric_unit])[0]);
    ((char **)m->columns[HSC_COL_metric_unit])[0] = memcpy(array(2, 1), "s", 2);
    memset(m->columns[HSC_COL_metric_weights_of], 0xff, 2 * sizeof(uint32_t));
    for (int t = 0; t < HSC_VALUES_COUNT; t++) {
        uint64_t n = m->rows[hsc_schema_values[t].rows] * (t == HSC_TABLE_SCOPE_CATEGORY ? m->categories : 1);
        m->value_rows[t] = n;
        if (t == HSC_TABLE_CONTEXT_INCL)
            continue;
        uint32_t *v = m->values[t] = array(n * m->threads, sizeof *v);
        for (uint64_t i = 0; i < n; i++) {
            unsigned density = model_random(r) % 8; /* empty rows and full rows both occur */
            for (uint32_t k = 0; k < m->threads; k++)
                v[i * m->threads + k] = model_random(r) % 7 < density ? 1 + model_random(r) % (i % 50 ? 40 : 100000) : 0;
        }
    }
    return m;
}

void model_add_times(model *m, unsigned seed) {
    unsigned state = seed, *r = &state;
    m->rows[HSC_TAB_leaf] = m->rows[HSC_TAB_leaf_place] = MODEL_LEAVES;
    m->rows[HSC_TAB_span] = 50;
    for (int c = 0; c < HSC_COL_COUNT; c++)
        if (hsc_schema_columns[c].table == HSC_TAB_leaf || hsc_schema_columns[c].table == HSC_TAB_leaf_place || hsc_schema_columns[c].table == HSC_TAB_span) {
            free(m->columns[c]);
            fill_column(m, c, r);
        }
    for (uint32_t i = 0; i < MODEL_LEAVES; i++) {
        ((uint8_t *)m->columns[HSC_COL_leaf_category])[i] %= m->categories;
        ((uint32_t *)m->columns[HSC_COL_leaf_metric])[i] = i >= MODEL_LEAVES - 5;
        if (i % 7 == 0)
            ((uint32_t *)m->columns[HSC_COL_leaf_line])[i] = HSC_NONE;
        if (i % 3)
            ((uint32_t *)m->columns[HSC_COL_leaf_instance])[i] = HSC_NONE;
        if (i % 11 == 0)
            ((uint32_t *)m->columns[HSC_COL_leaf_place_instruction])[i] = HSC_NONE;
    }
    for (uint32_t i = 0; i < 50; i++) {
        ((uint8_t *)m->columns[HSC_COL_span_category])[i] %= m->categories;
        ((uint32_t *)m->columns[HSC_COL_span_thread])[i] = i / 10;
        ((uint64_t *)m->columns[HSC_COL_span_begin_ns])[i] = i % 10 * 1000000000ull;
        ((uint64_t *)m->columns[HSC_COL_span_length_ns])[i] = 500000000;
    }
    m->sample_begin = array(m->threads + 1, sizeof *m->sample_begin);
    for (uint32_t t = 0; t < m->threads; t++) /* thread 1 has none; some have slices of two levels */
        m->sample_begin[t + 1] = m->sample_begin[t] + (t == 1 ? 0 : t == 2 ? 20000 : t % 5 == 0 ? 2048 : model_random(r) % 1500);
    uint64_t n = m->sample_begin[m->threads];
    m->time = array(n, sizeof *m->time);
    m->leaf = array(n, sizeof *m->leaf);
    m->count = array(n, sizeof *m->count);
    for (uint32_t t = 0; t < m->threads; t++) {
        uint32_t at = model_random(r) % 100, k = 0;
        for (uint64_t i = m->sample_begin[t]; i < m->sample_begin[t + 1]; i++) {
            at += t == 2 ? (i & 1) : model_random(r) % 20 ? 0 + model_random(r) % 4 : model_random(r) % 300; /* several at once, and gaps */
            k = model_random(r) % 4 ? k : model_random(r) % MODEL_LEAVES;
            m->time[i] = at < MODEL_END ? at : MODEL_END;
            m->leaf[i] = k;
            m->count[i] = model_random(r) % 30 ? 1 : model_random(r) % 9;
        }
    }
}

void model_add_rest(model *m, unsigned seed) {
    unsigned state = seed, *r = &state;
    bool fresh[HSC_TAB_COUNT] = {false};
    for (int t = 0; t < HSC_TAB_COUNT; t++)
        if (!m->rows[t] && t != HSC_TAB_leaf && t != HSC_TAB_leaf_place && t != HSC_TAB_span) {
            m->rows[t] = 12;
            fresh[t] = true;
        }
    for (int c = 0; c < HSC_COL_COUNT; c++)
        if (fresh[hsc_schema_columns[c].table]) {
            free(m->columns[c]);
            fill_column(m, c, r);
            uint32_t *v = m->columns[c];
            bool is_first = hsc_schema_columns[c - 1].table != hsc_schema_columns[c].table;
            for (int i = 1; is_first && hsc_schema_columns[c].type == HSC_COLTYPE_U4 && i < 12; i++) /* sorted by it */
                v[i] = v[i] < v[i - 1] ? v[i - 1] : v[i];
        }
    for (uint32_t i = 0; i < 12; i++) {
        ((uint32_t *)m->columns[HSC_COL_block_parent])[i] = i > 1 ? i / 2 : HSC_NONE;
        ((uint8_t *)m->columns[HSC_COL_visit_category_category])[i] %= m->categories;
    }
}

void model_free(model *m) {
    free(m->sample_begin);
    free(m->time);
    free(m->leaf);
    free(m->count);
    for (int c = 0; c < HSC_COL_COUNT; c++) {
        if (hsc_schema_columns[c].type == HSC_COLTYPE_S)
            for (uint64_t i = 0; i < m->rows[hsc_schema_columns[c].table]; i++)
                free(((char **)m->columns[c])[i]);
        free(m->columns[c]);
    }
    for (int t = 0; t < HSC_VALUES_COUNT; t++)
        free(m->values[t]);
    free(m);
}

static hsc_status write_values(const model *m, hsc_store *s, int t, hsc_err *err) {
    uint64_t n = m->value_rows[t], at = 0;
    uint64_t *indptr = array(n + 1, sizeof *indptr);
    uint32_t *indices = array(n * m->threads, sizeof *indices), *counts = array(n * m->threads, sizeof *counts);
    hsc_status status = hsc_store_begin_values(s, 0, (hsc_db_table)t, n, m->threads, err);
    uint64_t *thread_ends = array(m->threads + 1, sizeof *thread_ends);
    for (uint32_t k = 0; m->by_thread && k < m->threads; k++) {
        for (uint64_t i = 0; i < n; i++)
            if (m->values[t][i * m->threads + k]) {
                indices[at] = (uint32_t)i;
                counts[at++] = m->values[t][i * m->threads + k];
            }
        thread_ends[k + 1] = at;
    }
    if (m->by_thread && !status)
        status = hsc_store_put_threads(s, m->threads, thread_ends, indices, counts, err);
    free(thread_ends);
    for (uint64_t first = m->by_thread ? n : 0, block = 1; first < n && !status; first += block, block = block * 3 % 101 + 1) {
        uint64_t rows = block < n - first ? block : n - first;
        at = 0;
        for (uint64_t i = 0; i < rows; i++) {
            for (uint32_t k = 0; k < m->threads; k++)
                if (m->values[t][(first + i) * m->threads + k]) {
                    indices[at] = k;
                    counts[at++] = m->values[t][(first + i) * m->threads + k];
                }
            indptr[i + 1] = at;
        }
        status = hsc_store_put_rows(s, rows, indptr, indices, counts, err);
    }
    if (!status)
        status = hsc_store_end_values(s, err);
    free(indptr);
    free(indices);
    free(counts);
    return status;
}

static void set_up(const model *m, hsc_store *s, uint64_t pyramid_min) {
    s->pyramid_min = pyramid_min;
    s->tiles_min = 1;
    s->part_max = m->part_max ? m->part_max : s->part_max;
    s->program_min = m->no_program ? UINT64_MAX : 1;
    s->slices_worth = m->slices_worth ? m->slices_worth : s->slices_worth;
    s->own_samples = m->own_samples ? m->own_samples : s->own_samples;
    s->program_threads = m->program_threads ? m->program_threads : 1;
    if (m->band_unit) {
        s->band_unit = m->band_unit;
        s->bands_min = s->band_values = 0;
        hsc_store_expect_values(s, UINT64_MAX);
    }
}

static hsc_status give(void *ctx, const void *bytes, size_t n, hsc_err *err) {
    model_pieces *all = ctx;
    void *copy = all->n < MODEL_PIECES ? malloc(n + 1) : NULL;
    if (!copy)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (n)
        memcpy(copy, bytes, n);
    all->bytes[all->n] = copy;
    all->size[all->n++] = n;
    return HSC_OK;
}

static hsc_status take(void *ctx, void **bytes, size_t *n, hsc_err *err) {
    model_pieces *all = ctx;
    if (all->taken == all->n)
        return hsc_err_set(err, HSC_E_IO, "no further piece");
    *bytes = all->bytes[all->taken];
    *n = all->size[all->taken];
    all->bytes[all->taken++] = NULL;
    return HSC_OK;
}

/* All tables of values, by one store apart. */
static hsc_status write_apart(const model *m, hsc_store *to, unsigned workers, uint64_t pyramid_min, hsc_err *err) {
    hsc_store *s = NULL;
    hsc_status status = hsc_store_create_apart(to->path, workers, m->columns[HSC_COL_thread_process], m->threads, m->processes, &s, err);
    if (status)
        return status;
    set_up(m, s, pyramid_min);
    status = hsc_store_tell_metrics(s, m->columns[HSC_COL_metric_unit], m->columns[HSC_COL_metric_scale], m->rows[HSC_TAB_metric], err);
    for (int t = 0; t < HSC_VALUES_COUNT && !status; t++) {
        static model_pieces unseen;
        model_pieces *all = m->pieces ? m->pieces : &unseen;
        if (!m->values[t])
            continue;
        all->n = all->taken = 0;
        status = write_values(m, s, t, err);
        if (!status)
            status = hsc_store_send_values(s, give, all, err);
        if (!status && all->look)
            all->look(all);
        if (!status)
            status = hsc_store_take_values(to, 0, (hsc_db_table)t, m->value_rows[t], m->threads, take, all, err);
        for (unsigned i = 0; i < all->n; i++)
            free(all->bytes[i]);
    }
    hsc_store_abort(s);
    return status;
}

hsc_status model_write(const model *m, const char *path, unsigned workers, uint64_t pyramid_min, hsc_err *err) {
    hsc_store *s = NULL;
    hsc_status status = hsc_store_create(path, workers, &s, err);
    if (status)
        return status;
    set_up(m, s, pyramid_min);
    status = hsc_store_put_text(s, "title", "model \xE2\x82\xAC", err);
    if (!status)
        status = hsc_store_put_text(s, "command", "", err);
    if (!status)
        status = hsc_store_put_number(s, "cpu_s", 12.5, err);
    for (int c = 0; c < HSC_COL_COUNT && !status; c++)
        status = hsc_store_put_column(s, (enum hsc_column_id)c, m->columns[c], m->rows[hsc_schema_columns[c].table], err);
    uint64_t most = 0;
    for (uint32_t t = 0; t < m->threads && m->sample_begin; t++)
        most = m->sample_begin[t + 1] - m->sample_begin[t] > most ? m->sample_begin[t + 1] - m->sample_begin[t] : most;
    if (!status && m->sample_begin)
        status = hsc_store_begin_times(s, 0.001, MODEL_END, MODEL_BIN, most, err);
    for (uint32_t t = 0; t < m->threads && m->sample_begin && !status; t++) {
        uint64_t at = m->sample_begin[t];
        status = hsc_store_put_times(s, m->sample_begin[t + 1] - at, m->time + at, m->leaf + at, m->count + at, err);
    }
    if (!status && m->sample_begin)
        status = hsc_store_end_times(s, err);
    if (!status && m->apart)
        status = write_apart(m, s, workers, pyramid_min, err);
    for (int t = 0; t < HSC_VALUES_COUNT && !status && !m->apart; t++)
        if (m->values[t])
            status = write_values(m, s, t, err);
    if (!status)
        status = hsc_store_put_source(s, 2, "int main(void) {\n}\n", 19, err);
    if (status) {
        hsc_store_abort(s);
        return status;
    }
    return hsc_store_commit(s, err);
}

int model_files(const char *of, bool clear) {
    int n = 0;
    DIR *d = opendir(of);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) {
            n++;
            if (!clear || !unlinkat(dirfd(d), e->d_name, 0))
                continue;
            char *below = model_path(of, e->d_name);
            model_files(below, true);
            rmdir(below);
            free(below);
        }
    if (d)
        closedir(d);
    return d ? n : -1;
}
