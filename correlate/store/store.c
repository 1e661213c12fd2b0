/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a database: the file, its attributes, columns, strings, sources, and the commit. Values: store_values.c. */
#include "store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "times.h"
#include "unfinished.h"

static hsc_status store_memory(hsc_store *s, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", s->path);
}

hsc_status hsc_store_new(const char *path, hsc_store **out, hsc_err *err) {
    hsc_store *s = calloc(1, sizeof *s);
    if (!s)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    s->file = s->metrics = s->before = -1;
    s->pyramid_min = HSC_PYRAMID_MIN;
    s->tiles_min = HSC_TILES_MIN;
    s->bands_min = HSC_BANDS_MIN;
    s->band_unit = HSC_BAND_UNIT;
    s->band_values = HSC_BAND_VALUES;
    s->part_max = HSC_STORE_PART_MAX;
    s->program_min = HSC_PROGRAM_MIN;
    s->program_threads = HSC_PROGRAM_THREADS;
    s->slices_worth = HSC_SLICES_WORTH;
    s->own_samples = HSC_OWN_SAMPLES;
    s->own_bins = HSC_OWN_BINS;
    for (int i = 0; i < HSC_TAB_COUNT; i++)
        s->table_groups[i] = -1;
    s->tables.path = s->path = strdup(path);
    size_t n = strlen(path) + 32;
    s->temporary = malloc(n);
    if (!s->path || !s->temporary) {
        hsc_store_abort(s);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    }
    snprintf(s->temporary, n, "%s.tmp.%ld", path, (long)getpid());
    *out = s;
    return HSC_OK;
}

hsc_status hsc_store_create(const char *path, unsigned workers, hsc_store **out, hsc_err *err) {
    hid_t access = -1, plist = -1;
    hsc_store *s = NULL;
    hsc_status status = hsc_store_new(path, &s, err);
    if (status)
        return status;
    H5dont_atexit(); /* all is closed by then: it would only give memory back */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    status = hsc_out_new(s->path, workers, &s->out, err);
    if (status)
        goto done;
    hsc_out_set_written(s->out, &s->last_write);
    struct stat st;
    if (!stat(path, &st) && !S_ISREG(st.st_mode)) { /* the rename at the end would fail, or replace a device */
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: expected a file to write, got a %s", path, S_ISDIR(st.st_mode) ? "folder" : "device or pipe");
        goto done;
    }
    /* what the system says of a folder that cannot be written is clearer than what HDF5 says */
    unlink(s->temporary);
    hsc_unfinished_add(s->temporary);
    int fd = open(s->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        status = hsc_err_set_errno(err, errno, "%s: cannot create", s->temporary);
        goto done;
    }
    close(fd);
    s->created = true;
    hsc_unfinished_made(s->temporary);
    access = H5Pcreate(H5P_FILE_ACCESS);
    plist = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_fclose_degree(access, H5F_CLOSE_SEMI);
    H5Pset_obj_track_times(plist, 0);
    H5Pset_link_creation_order(plist, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_creation_order(plist, H5P_CRT_ORDER_TRACKED);
    if (hsc_h5_write_use(access, &s->last_write) < 0) {
        status = hsc_out_fail(s->out, "create", s->temporary, err);
        goto done;
    }
    errno = 0;
    s->file = H5Fcreate(s->temporary, H5F_ACC_TRUNC, plist, access);
    hsc_unfinished_made(s->temporary); /* made anew, if it was removed meanwhile */
    if (s->file < 0) {
        status = errno == ENOMEM ? hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path) : hsc_out_fail(s->out, "create", s->temporary, err);
        goto done;
    }
    const uint16_t version[2] = {HSC_DB_MAJOR, HSC_DB_MINOR};
    status = hsc_out_text(s->out, s->file, "format", HSC_FORMAT_NAME, err);
    if (!status)
        status = hsc_out_numbers(s->out, s->file, "format_version", HSC_NUMBER_U2, version, 2, err);
    if (!status)
        status = hsc_out_text(s->out, s->file, "Conventions", "CF-1.10", err);
    if (!status)
        status = hsc_out_text(s->out, s->file, "producer", "heatscope " HEATSCOPE_VERSION, err);
done:
    if (access >= 0)
        H5Pclose(access);
    if (plist >= 0)
        H5Pclose(plist);
    if (status)
        hsc_store_abort(s);
    else
        *out = s;
    return status;
}

static void close_objects(hsc_store *s) {
    for (int i = 0; i < HSC_TAB_COUNT; i++)
        if (s->table_groups[i] >= 0)
            H5Gclose(s->table_groups[i]);
    for (int i = 0; i < HSC_TAB_COUNT; i++)
        s->table_groups[i] = -1;
    if (s->metrics >= 0)
        H5Gclose(s->metrics);
    s->metrics = -1;
}

void hsc_store_abort(hsc_store *s) {
    if (!s)
        return;
    hsc_store_times_clear(s);
    hsc_store_counts_clear(s);
    hsc_out_stream_abort(s->column);
    hsc_store_values_clear(s);
    close_objects(s);
    if (s->is_bad_before)
        *s->is_bad_before = s->out && hsc_out_has_bad_before(s->out);
    hsc_out_free(s->out);
    if (s->file >= 0)
        H5Fclose(s->file);
    if (s->before >= 0)
        H5Fclose(s->before);
    if (s->created)
        unlink(s->temporary);
    hsc_unfinished_end(s->temporary);
    free(s->written);
    for (int i = 0; i < HSC_COL_COUNT; i++)
        free(s->kept[i]);
    for (uint64_t i = 0; s->metric_units && s->metric_units[i]; i++)
        free(s->metric_units[i]);
    free(s->metric_units);
    free(s->pool_offsets);
    free(s->pool);
    for (uint64_t i = 0; i < s->n_sources; i++)
        free(s->sources[i].text);
    free(s->sources);
    free(s->path);
    free(s->temporary);
    free(s);
}

/* Longest prefix of at most `limit` bytes that does not cut a character. */
static size_t utf8_cut(const char *text, size_t n, size_t limit) {
    if (n <= limit)
        return n;
    n = limit;
    while (n && ((unsigned char)text[n] & 0xC0) == 0x80)
        n--;
    return n;
}

void hsc_store_set_memory(hsc_store *s, uint64_t bytes) {
    uint64_t values = bytes / (2 * sizeof(uint32_t));
    s->part_max = values < HSC_STORE_PART_MAX ? values : HSC_STORE_PART_MAX;
}

hsc_status hsc_store_put_text(hsc_store *s, const char *attribute, const char *value, hsc_err *err) {
    char *text = strdup(value);
    if (!text)
        return store_memory(s, err);
    hsc_text_repair(text);
    text[utf8_cut(text, strlen(text), HSC_TEXT_MAX)] = 0;
    hsc_status status = hsc_out_text(s->out, s->file, attribute, text, err);
    free(text);
    return status;
}

hsc_status hsc_store_put_number(hsc_store *s, const char *attribute, double value, hsc_err *err) {
    return hsc_out_numbers(s->out, s->file, attribute, HSC_NUMBER_F8, &value, 1, err);
}

static hsc_status table_group(hsc_store *s, enum hsc_table_id table, hid_t *group, hsc_err *err) {
    const hsc_table_def *t = &hsc_schema_tables[table];
    hsc_status status = HSC_OK;
    hid_t section;
    if (s->table_groups[table] < 0) {
        if (H5Lexists(s->file, t->section, H5P_DEFAULT) > 0) {
            section = H5Gopen2(s->file, t->section, H5P_DEFAULT);
            if (section < 0)
                return hsc_out_fail(s->out, "open group", t->section, err);
        } else if ((status = hsc_out_group(s->out, s->file, t->section, &section, err)))
            return status;
        status = hsc_out_group(s->out, section, t->name, &s->table_groups[table], err);
        if (!status)
            status = hsc_out_text(s->out, s->table_groups[table], "description", t->meaning, err);
        H5Gclose(section);
    }
    *group = s->table_groups[table];
    return status;
}

/* Row of a long string in the pool. */
static hsc_status pool_add(hsc_store *s, const char *text, size_t n, uint32_t *row, hsc_err *err) {
    if (s->n_pool + 1 >= s->pool_rows_capacity) {
        uint64_t c = s->pool_rows_capacity ? 2 * s->pool_rows_capacity : 64;
        uint64_t *p = realloc(s->pool_offsets, (c + 1) * sizeof *p);
        if (!p)
            return store_memory(s, err);
        p[0] = 0;
        s->pool_offsets = p;
        s->pool_rows_capacity = c;
    }
    uint64_t at = s->pool_offsets[s->n_pool];
    if (at + n > s->pool_capacity) {
        uint64_t c = 2 * (at + n) + 4096;
        char *p = realloc(s->pool, c);
        if (!p)
            return store_memory(s, err);
        s->pool = p;
        s->pool_capacity = c;
    }
    memcpy(s->pool + at, text, n);
    *row = (uint32_t)s->n_pool++;
    s->pool_offsets[s->n_pool] = at + n;
    return HSC_OK;
}

/* Bytes for the texts of a column: those of the longest, or fewer where a few long ones would widen very many; these go to /strings.
 * A repaired byte becomes '?', so no text grows. */
static size_t text_size(const char *const *values, uint64_t n, size_t *longest) {
    enum { LEAST = 24, ALL_BYTES = 1 << 16 };
    uint64_t count[HSC_STRING_MAX + 1] = {0}, beyond = 0, beyond_bytes = 0;
    *longest = 0;
    for (uint64_t i = 0; i < n; i++) {
        size_t k = values[i] ? strlen(values[i]) : 0;
        *longest = k > *longest ? k : *longest;
        if (k <= HSC_STRING_MAX)
            count[k]++;
        else {
            beyond++;
            beyond_bytes += k;
        }
    }
    size_t best = *longest > HSC_STRING_MAX ? HSC_STRING_MAX : *longest ? *longest : 1;
    if (n * best <= ALL_BYTES)
        return best;
    uint64_t least = UINT64_MAX;
    for (size_t size = best; size >= LEAST; size--) { /* row, offset and text of each that is longer */
        uint64_t cost = n * size + (beyond ? n * sizeof(uint32_t) + beyond * sizeof(uint64_t) + beyond_bytes : 0);
        if (cost < least) {
            least = cost;
            best = size;
        }
        beyond += count[size];
        beyond_bytes += count[size] * size;
    }
    return best;
}

static hsc_status put_strings(hsc_store *s, hid_t group, const hsc_column_def *c, const char *const *values, uint64_t n,
                              const hsc_out_notes *notes, hsc_err *err) {
    hsc_status status = HSC_OK;
    size_t size = 1, longest = 0;
    char *bytes = NULL, *repaired = NULL;
    const char *last = NULL; /* of /strings, and its row there */
    uint32_t *longs = NULL, last_row = HSC_NONE;
    size = text_size(values, n, &longest);
    bytes = calloc(n ? n : 1, size);
    repaired = malloc(longest + 1);
    longs = longest > size ? malloc(n * sizeof *longs) : NULL;
    if (!bytes || !repaired || (longest > size && !longs)) {
        status = store_memory(s, err);
        goto done;
    }
    for (uint64_t i = 0; i < n; i++) {
        strcpy(repaired, values[i] ? values[i] : "");
        hsc_text_repair(repaired);
        size_t k = strlen(repaired);
        memcpy(bytes + i * size, repaired, utf8_cut(repaired, k, size));
        if (longs)
            longs[i] = HSC_NONE;
        if (k <= size)
            continue;
        if (!last || strcmp(last, values[i])) {
            last = values[i];
            status = pool_add(s, repaired, k, &last_row, err);
            if (status)
                goto done;
        }
        longs[i] = last_row;
    }
    status = hsc_out_set(s->out, group, c->name, HSC_COLTYPE_S, (unsigned)size, bytes, n, notes, NULL, err);
    if (!status && longs) {
        char name[80];
        snprintf(name, sizeof name, "%s_long", c->name);
        hsc_out_notes long_notes = {.description = "row of /strings where the text is longer than this column's",
                                    .references = "/strings", .dimensions = notes->dimensions};
        status = hsc_out_set(s->out, group, name, HSC_COLTYPE_U4, 0, longs, n, &long_notes, NULL, err);
    }
done:
    free(bytes);
    free(repaired);
    free(longs);
    return status;
}

hsc_status hsc_store_keep_units(hsc_store *s, const char *const *units, uint64_t n, hsc_err *err) {
    s->metric_units = calloc(n + 1, sizeof *s->metric_units);
    if (!s->metric_units)
        return store_memory(s, err);
    for (uint64_t i = 0; i < n; i++) {
        s->metric_units[i] = strndup(units[i] ? units[i] : "", HSC_STRING_MAX);
        if (!s->metric_units[i])
            return store_memory(s, err);
        hsc_text_repair(s->metric_units[i]);
    }
    return HSC_OK;
}

static hsc_status want_column(hsc_store *s, enum hsc_column_id column, uint64_t n, hsc_err *err) {
    const hsc_column_def *c = &hsc_schema_columns[column];
    const hsc_table_def *t = &hsc_schema_tables[c->table];
    if (s->have[column])
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: column %s/%s is put twice", s->path, t->name, c->name);
    if (s->table_begun[c->table] && s->tables.rows[c->table] != n)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: column %s/%s: expected %" PRIu64 " rows as the others of the table, got %"
                           PRIu64, s->path, t->name, c->name, s->tables.rows[c->table], n);
    if (n > HSC_ROWS_MAX)
        return hsc_err_set(err, HSC_E_LIMIT, "%s: table %s: %" PRIu64 " rows, the format takes %" PRIu64, s->path, t->name, n,
                           HSC_ROWS_MAX);
    return HSC_OK;
}

static void note_column(const hsc_column_def *c, hsc_out_notes *notes) {
    enum hsc_table_id to = hsc_schema_references(c);
    *notes = (hsc_out_notes){.units = c->unit, .description = c->meaning[0] ? c->meaning : c->name, .references = to != HSC_TAB_COUNT ? hsc_schema_tables[to].path : "",
                             .dimensions = hsc_schema_tables[c->table].name};
}

hsc_status hsc_store_begin_column(hsc_store *s, enum hsc_column_id column, uint64_t n, hsc_err *err) {
    const hsc_column_def *c = &hsc_schema_columns[column];
    hid_t group = -1;
    hsc_out_notes notes;
    hsc_status status = want_column(s, column, n, err);
    if (!status && (s->column || !hsc_schema_type_size(c->type)))
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: column %s: begun inside of another, or not of numbers", s->path, c->name);
    if (!status)
        status = table_group(s, c->table, &group, err);
    note_column(c, &notes);
    if (!status)
        status = hsc_out_stream_open_sized(s->out, group, c->name, c->type, &notes, n, &s->column, err);
    s->column_id = column;
    s->column_rows = 0;
    if (!status) {
        s->table_begun[c->table] = true;
        s->tables.rows[c->table] = n;
    }
    return status;
}

hsc_status hsc_store_put_part(hsc_store *s, const void *values, uint64_t n, hsc_err *err) {
    if (!s->column)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: part of a column that is not begun", s->path);
    hsc_status status = hsc_check_part(&s->tables, s->column_id, s->column_rows, values, n, err);
    s->column_rows += n;
    return status ? status : hsc_out_stream_put(s->column, values, n, err);
}

hsc_status hsc_store_end_column(hsc_store *s, hsc_err *err) {
    hsc_out_stream *column = s->column;
    if (!column)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: end of a column that is not begun", s->path);
    s->column = NULL;
    s->have[s->column_id] = true;
    return hsc_out_stream_close(column, err);
}

hsc_status hsc_store_put_column(hsc_store *s, enum hsc_column_id column, const void *values, uint64_t n, hsc_err *err) {
    const hsc_column_def *c = &hsc_schema_columns[column];
    hid_t group = -1;
    hsc_out_notes notes;
    hsc_status status = want_column(s, column, n, err);
    if (!status)
        status = table_group(s, c->table, &group, err);
    if (status)
        return status;
    note_column(c, &notes);
    unsigned size = hsc_schema_type_size(c->type);
    if (size) {
        s->kept[column] = malloc(n ? n * size : 1);
        if (!s->kept[column])
            return store_memory(s, err);
        if (n)
            memcpy(s->kept[column], values, n * size);
        status = hsc_out_set(s->out, group, c->name, c->type, 0, values, n, &notes, NULL, err);
    } else
        status = put_strings(s, group, c, values, n, &notes, err);
    if (!status && column == HSC_COL_metric_unit)
        status = hsc_store_keep_units(s, values, n, err);
    if (status)
        return status;
    s->have[column] = true;
    s->table_begun[c->table] = true;
    s->tables.rows[c->table] = n;
    s->tables.columns[column] = s->kept[column];
    return HSC_OK;
}

hsc_status hsc_store_put_source(hsc_store *s, uint32_t file, const char *text, size_t size, hsc_err *err) {
    if (file >= s->n_sources) {
        uint64_t n = (uint64_t)file + 1;
        hsc_store_source *p = realloc(s->sources, n * sizeof *p);
        if (!p)
            return store_memory(s, err);
        memset(p + s->n_sources, 0, (n - s->n_sources) * sizeof *p);
        s->sources = p;
        s->n_sources = n;
    }
    char *copy = malloc(size ? size : 1);
    if (!copy)
        return store_memory(s, err);
    memcpy(copy, text, size);
    free(s->sources[file].text);
    s->sources[file].text = copy;
    s->sources[file].size = size;
    return HSC_OK;
}

static hsc_status write_blob(hsc_store *s, const char *name, const char *what, const char *dimension,
                             const uint64_t *offsets, uint64_t n, const char *bytes, hsc_err *err) {
    static const uint64_t zero = 0;
    hid_t group = -1;
    hsc_status status = hsc_out_group(s->out, s->file, name, &group, err);
    if (status)
        return status;
    hsc_out_notes offset = {.units = "B", .description = "where each begins in bytes, and the end", .dimensions = dimension};
    hsc_out_notes text = {.description = "UTF-8"};
    status = hsc_out_text(s->out, group, "description", what, err);
    if (!status)
        status = hsc_out_set(s->out, group, "offset", HSC_COLTYPE_U8, 0, offsets ? offsets : &zero, n + 1, &offset, NULL, err);
    if (!status)
        status = hsc_out_set(s->out, group, "bytes", HSC_COLTYPE_U1, 0, bytes, offsets ? offsets[n] : 0, &text, NULL, err);
    H5Gclose(group);
    return status;
}

static hsc_status write_sources(hsc_store *s, hsc_err *err) {
    uint64_t n = s->tables.rows[HSC_TAB_file], total = 0;
    if (!s->n_sources)
        return HSC_OK;
    if (s->n_sources > n)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: source of file %" PRIu64 ", the file table has %" PRIu64 " rows", s->path,
                           s->n_sources - 1, n);
    uint64_t *offsets = calloc(n + 1, sizeof *offsets);
    for (uint64_t i = 0; i < s->n_sources; i++)
        total += s->sources[i].size;
    char *bytes = malloc(total ? total : 1);
    hsc_status status = offsets && bytes ? HSC_OK : store_memory(s, err);
    if (!status) {
        for (uint64_t i = 0; i < n; i++) {
            size_t size = i < s->n_sources ? s->sources[i].size : 0;
            if (size)
                memcpy(bytes + offsets[i], s->sources[i].text, size);
            offsets[i + 1] = offsets[i] + size;
        }
        status = write_blob(s, "source", "embedded source text by row of /static/file; empty: not embedded", "file", offsets, n,
                            bytes, err);
    }
    free(offsets);
    free(bytes);
    return status;
}

static hsc_status write_scale(hsc_store *s, enum hsc_table_id table, hsc_err *err) {
    uint64_t n = s->tables.rows[table];
    const hsc_table_def *t = &hsc_schema_tables[table];
    hsc_out_notes notes = {.description = t->meaning};
    hid_t set = -1;
    uint32_t *v = malloc(n ? n * sizeof *v : 1);
    if (!v)
        return store_memory(s, err);
    for (uint64_t i = 0; i < n; i++)
        v[i] = (uint32_t)i;
    hsc_status status = hsc_out_set(s->out, s->file, t->name, HSC_COLTYPE_U4, 0, v, n, &notes, &set, err);
    free(v);
    if (status)
        return status;
    status = hsc_out_text(s->out, set, "CLASS", "DIMENSION_SCALE", err);
    if (!status)
        status = hsc_out_text(s->out, set, "NAME", t->name, err);
    H5Dclose(set);
    return status;
}

/* Tables that a database cannot do without. */
static bool is_mandatory(enum hsc_table_id table) {
    switch (table) {
    case HSC_TAB_scope:
    case HSC_TAB_context:
    case HSC_TAB_metric:
        return true;
    default:
        return false;
    }
}

static hsc_status complete_tables(hsc_store *s, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (int i = 0; i < HSC_COL_COUNT; i++) { /* a table nothing was put of is empty */
        const hsc_column_def *c = &hsc_schema_columns[i];
        const hsc_table_def *t = &hsc_schema_tables[c->table];
        if (s->have[i])
            continue;
        if (s->tables.rows[c->table] || is_mandatory(c->table))
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: column %s/%s is missing", s->path, t->name, c->name);
        status = hsc_store_put_column(s, (enum hsc_column_id)i, NULL, 0, err);
        if (status)
            return status;
    }
    for (int t = 0; t < HSC_TAB_COUNT; t++) {
        if (!s->tables.rows[t] && is_mandatory((enum hsc_table_id)t))
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: table %s has no rows", s->path, hsc_schema_tables[t].name);
        status = hsc_check_table(&s->tables, (enum hsc_table_id)t, err);
        if (status)
            return status;
    }
    return HSC_OK;
}

void hsc_store_set_memo(hsc_store *s, const hsc_packed_memo *memo) { hsc_out_set_memo(s->out, memo); }

void hsc_store_set_before(hsc_store *s, int fd) {
    s->before = hsc_before_open(fd);
    s->last_write.before = fd;
    hsc_out_set_before(s->out, s->before);
}

void hsc_store_set_bad_before(hsc_store *s, bool *is_bad) { s->is_bad_before = is_bad; }

void hsc_store_set_made(hsc_store *s, struct stat *made) { s->made = made; }

/* fsync the file, rename it, fsync the folder. */
static hsc_status publish(hsc_store *s, hsc_err *err) {
    int fd = open(s->temporary, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fsync(fd)) {
        int e = errno;
        if (fd >= 0)
            close(fd);
        return hsc_err_set_errno(err, e, "%s: cannot write to disk", s->temporary);
    }
    if (rename(s->temporary, s->path)) {
        int e = errno;
        close(fd);
        return hsc_err_set_errno(err, e, "%s: cannot rename to %s", s->temporary, s->path);
    }
    hsc_unfinished_end(s->temporary);
    if (s->made && fstat(fd, s->made)) /* after that: a new name is a change */
        memset(s->made, 0, sizeof *s->made);
    close(fd);
    s->created = false;
    char *copy = strdup(s->path);
    int folder = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder >= 0) { /* some file systems cannot; the file itself is safe */
        fsync(folder);
        close(folder);
    }
    free(copy);
    return HSC_OK;
}

hsc_status hsc_store_commit(hsc_store *s, hsc_err *err) {
    hsc_status status = HSC_OK;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (s->values.open)
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s are not ended", s->path,
                             hsc_schema_values[s->values.table].name);
    if (!status)
        status = complete_tables(s, err);
    if (!status)
        status = hsc_store_values_finish(s, err);
    for (int t = 0; t < HSC_TAB_COUNT && !status; t++)
        status = write_scale(s, (enum hsc_table_id)t, err);
    if (!status)
        status = write_blob(s, "strings", "texts that are longer than their column", "", s->pool_offsets, s->n_pool, s->pool, err);
    if (!status)
        status = write_sources(s, err);
    if (!status)
        status = hsc_out_drain(s->out, err);
    close_objects(s);
    if (!status && H5Fflush(s->file, H5F_SCOPE_GLOBAL) < 0)
        status = hsc_out_fail(s->out, "write", s->temporary, err);
    if (!status)
        status = hsc_out_text(s->out, s->file, "state", "final", err);
    if (!status) {
        hid_t file = s->file;
        s->file = -1;
        if (H5Fclose(file) < 0)
            status = hsc_out_fail(s->out, "close", s->temporary, err);
    }
    if (!status && s->last_write.error) /* of what HDF5 kept until then */
        status = hsc_err_set_errno(err, s->last_write.error, "%s: cannot write", s->temporary);
    if (!status)
        status = publish(s, err);
    hsc_store_abort(s);
    return status;
}
