/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* HDF5 in the flat form that other tools take as it is: three tables of rows (compound types, with the attributes of HDF5's
 * own table specification), /threads, /lines and /scopes. Made in an unnamed temporary file, since HDF5 must seek. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "paths.h"

#define BATCH_SIZE (2u << 20) /* bytes written at once; a chunk of the data set */
#define ROWS 256u   /* rows of the database read at once */
#define COLUMNS_MAX 16u

typedef enum kind { TEXT, WHOLE, SIGNED, REAL } kind;

typedef struct column {
    const char *name, *unit;
    kind kind;
    size_t size, at; /* of TEXT: bytes, NUL-padded */
} column;

typedef struct table {
    const char *name, *title;
    column columns[COLUMNS_MAX];
    unsigned n;
    size_t row_size, rows, capacity; /* rows and capacity: of the batch */
    char *batch;
    hid_t set, type;
    hsize_t written;
} table;

/* What HDF5 says of a write that failed has the system's number. */
static herr_t find_errno(unsigned n, const H5E_error2_t *e, void *number) {
    const char *at = e->desc ? strstr(e->desc, "errno = ") : NULL;
    (void)n;
    if (at)
        *(int *)number = atoi(at + strlen("errno = "));
    return 0;
}

static hsc_status fail(const table *t, const char *what, hsc_err *err) {
    int number = 0;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_errno, &number);
    if (number)
        return hsc_err_set_errno(err, number, "%s of table /%s", what, t->name);
    return hsc_err_set(err, HSC_E_IO, "%s of table /%s: HDF5 cannot do it", what, t->name);
}

static void add_column(table *t, const char *name, const char *unit, kind k, size_t size) {
    column *c = &t->columns[t->n++];
    *c = (column){name, unit, k, k == TEXT ? size + !size : 8, t->row_size};
    t->row_size += c->size;
}

static bool put_text(hid_t object, const char *name, const char *value) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    bool ok = type >= 0 && space >= 0 && H5Tset_size(type, strlen(value) + 1) >= 0;
    hid_t a = ok ? H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = a >= 0 && H5Awrite(a, type, value) >= 0;
    if (a >= 0)
        H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static hid_t type_of(const table *t) {
    hid_t type = H5Tcreate(H5T_COMPOUND, t->row_size);
    for (unsigned i = 0; i < t->n && type >= 0; i++) {
        const column *c = &t->columns[i];
        hid_t text = -1;
        if (c->kind == TEXT) {
            text = H5Tcopy(H5T_C_S1);
            H5Tset_size(text, c->size);
            H5Tset_strpad(text, H5T_STR_NULLPAD);
            H5Tset_cset(text, H5T_CSET_UTF8);
        }
        hid_t member = c->kind == TEXT ? text : c->kind == WHOLE ? H5T_STD_U64LE : c->kind == SIGNED ? H5T_STD_I64LE : H5T_IEEE_F64LE;
        if (H5Tinsert(type, c->name, c->at, member) < 0) {
            H5Tclose(type);
            type = -1;
        }
        if (text >= 0)
            H5Tclose(text);
    }
    return type;
}

static hsc_status begin_table(table *t, hid_t file, hsc_err *err) {
    t->capacity = t->row_size < BATCH_SIZE / 16 ? BATCH_SIZE / t->row_size : 16;
    hsize_t none = 0, no_limit = H5S_UNLIMITED, chunk = t->capacity;
    t->batch = calloc(t->capacity, t->row_size);
    if (!t->batch)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory");
    hid_t space = H5Screate_simple(1, &none, &no_limit), how = H5Pcreate(H5P_DATASET_CREATE);
    t->type = type_of(t);
    bool ok = t->type >= 0 && H5Pset_chunk(how, 1, &chunk) >= 0 && H5Pset_shuffle(how) >= 0 && H5Pset_deflate(how, 4) >= 0 &&
              H5Pset_obj_track_times(how, false) >= 0; /* equal input: equal bytes */
    t->set = ok ? H5Dcreate2(file, t->name, t->type, space, H5P_DEFAULT, how, H5P_DEFAULT) : -1;
    H5Pclose(how);
    H5Sclose(space);
    ok = t->set >= 0 && put_text(t->set, "CLASS", "TABLE") && put_text(t->set, "VERSION", "3.0") && put_text(t->set, "TITLE", t->title);
    for (unsigned i = 0; ok && i < t->n; i++) {
        char name[32];
        snprintf(name, sizeof name, "FIELD_%u_NAME", i);
        ok = put_text(t->set, name, t->columns[i].name);
        snprintf(name, sizeof name, "FIELD_%u_UNIT", i);
        ok = ok && put_text(t->set, name, t->columns[i].unit);
    }
    return ok ? HSC_OK : fail(t, "beginning", err);
}

static hsc_status flush_table(table *t, hsc_err *err) {
    hsize_t n = t->rows, all = t->written + n;
    if (!n)
        return HSC_OK;
    bool ok = H5Dset_extent(t->set, &all) >= 0;
    hid_t where = ok ? H5Dget_space(t->set) : -1, what = H5Screate_simple(1, &n, NULL);
    ok = where >= 0 && H5Sselect_hyperslab(where, H5S_SELECT_SET, &t->written, NULL, &n, NULL) >= 0 &&
         H5Dwrite(t->set, t->type, what, where, H5P_DEFAULT, t->batch) >= 0;
    hsc_status status = ok ? HSC_OK : fail(t, "writing", err);
    if (where >= 0)
        H5Sclose(where);
    H5Sclose(what);
    if (status)
        return status;
    memset(t->batch, 0, n * t->row_size);
    t->written = all;
    t->rows = 0;
    return HSC_OK;
}

static void end_table(table *t) {
    if (t->set >= 0)
        H5Dclose(t->set);
    if (t->type >= 0)
        H5Tclose(t->type);
    free(t->batch);
}

static char *cell(table *t, unsigned i) {
    return t->batch + t->rows * t->row_size + t->columns[i].at;
}

static void set_text(table *t, unsigned i, const char *value) {
    memcpy(cell(t, i), value, strnlen(value, t->columns[i].size));
}

static void set_whole(table *t, unsigned i, uint64_t value) {
    memcpy(cell(t, i), &value, 8);
}

static void set_signed(table *t, unsigned i, int64_t value) {
    memcpy(cell(t, i), &value, 8);
}

static void set_real(table *t, unsigned i, double value) {
    memcpy(cell(t, i), &value, 8);
}

static hsc_status end_row(table *t, hsc_err *err) {
    return ++t->rows == t->capacity ? flush_table(t, err) : HSC_OK;
}

/* ---- widths of texts: a column is as wide as its longest ---- */

typedef struct widths {
    size_t path, scope, host, thread;
} widths;

static void widen(size_t *width, const char *text) {
    size_t n = strlen(text);
    *width = n > *width ? n : *width;
}

static hsc_status measure(export_job *job, widths *w, hsc_err *err) {
    hsc_status s = HSC_OK;
    hsc_db_file file;
    hsc_db_scope scope;
    hsc_db_process process;
    hsc_db_thread thread;
    for (uint32_t i = 0; !s && i < job->info.files; i++)
        if (!(s = hsc_db_get_file(job->db, i, &file, err)))
            widen(&w->path, file.path);
    for (uint32_t i = 0; !s && i < job->info.scopes; i++)
        if (!(s = hsc_db_get_scope(job->db, i, &scope, err)))
            widen(&w->scope, scope.name);
    for (uint32_t i = 0; !s && i < job->info.processes; i++)
        if (!(s = hsc_db_get_process(job->db, i, &process, err)))
            widen(&w->host, process.host);
    for (uint32_t i = 0; !s && i < job->info.threads; i++)
        if (!(s = hsc_db_get_thread(job->db, i, &thread, err)))
            widen(&w->thread, thread.name);
    return s;
}

/* ---- the tables ---- */

static hsc_status write_threads(export_job *job, table *t, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; !s && i < job->info.threads; i++) {
        hsc_db_thread thread;
        hsc_db_process p;
        s = hsc_db_get_thread(job->db, i, &thread, err);
        if (!s)
            s = hsc_db_get_process(job->db, thread.process, &p, err);
        if (s)
            break;
        set_whole(t, 0, i);
        set_whole(t, 1, thread.process);
        set_signed(t, 2, p.rank);
        set_text(t, 3, p.host);
        set_whole(t, 4, p.pid);
        set_whole(t, 5, thread.tid);
        set_text(t, 6, thread.name);
        set_real(t, 7, thread.begin_s);
        set_real(t, 8, thread.end_s);
        set_real(t, 9, thread.cpu_s);
        s = end_row(t, err);
    }
    return s ? s : flush_table(t, err);
}

static hsc_status rank_of(export_job *job, uint32_t thread, int64_t *rank, hsc_err *err) {
    hsc_db_thread t;
    hsc_db_process p;
    hsc_status s = hsc_db_get_thread(job->db, thread, &t, err);
    if (!s)
        s = hsc_db_get_process(job->db, t.process, &p, err);
    *rank = s ? -1 : p.rank;
    return s;
}

static hsc_status procedure_of(export_job *job, uint32_t scope, const char **name, hsc_err *err) {
    hsc_db_scope at;
    *name = "";
    hsc_status s = hsc_db_get_scope(job->db, scope, &at, err);
    if (!s && at.procedure != HSC_NONE && !(s = hsc_db_get_scope(job->db, at.procedure, &at, err)))
        *name = at.name;
    return s;
}

static hsc_status put_line(export_job *job, table *t, uint32_t row, uint32_t thread, double count, hsc_err *err) {
    hsc_db_line line;
    hsc_db_file file;
    const char *procedure;
    int64_t rank = -1;
    hsc_status s = hsc_db_get_line(job->db, row, &line, err);
    if (!s)
        s = hsc_db_get_file(job->db, line.file, &file, err);
    if (!s)
        s = procedure_of(job, line.scope, &procedure, err);
    if (!s)
        s = rank_of(job, thread, &rank, err);
    if (s)
        return s;
    set_text(t, 0, file.path);
    set_whole(t, 1, line.line);
    set_text(t, 2, procedure);
    set_whole(t, 3, thread);
    set_signed(t, 4, rank);
    set_whole(t, 5, (uint64_t)count);
    set_real(t, 6, count * job->metric.scale);
    return end_row(t, err);
}

static hsc_status write_lines(export_job *job, table *t, hsc_err *err) {
    hsc_db_view view = {job->options->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD};
    uint64_t rows = hsc_db_get_rows(job->db, HSC_TABLE_LINE), indptr[ROWS + 1];
    hsc_status s = HSC_OK;
    for (uint64_t first = 0; !s && first < rows; first += ROWS) {
        uint64_t n = rows - first < ROWS ? rows - first : ROWS;
        uint32_t *columns = NULL;
        float *values = NULL;
        s = export_step(job, (double)first, 2.0 * (double)rows, err);
        if (!s)
            s = hsc_db_read_sparse(job->db, view, first, n, indptr, &columns, &values, err);
        for (uint64_t r = 0; !s && r < n; r++)
            for (uint64_t i = indptr[r]; !s && i < indptr[r + 1]; i++)
                s = put_line(job, t, (uint32_t)(first + r), columns[i], (double)values[i], err);
        free(columns);
        free(values);
    }
    return s ? s : flush_table(t, err);
}

static hsc_status put_scope(export_job *job, table *t, uint32_t row, uint32_t thread, double exclusive, double inclusive,
                            hsc_err *err) {
    static const char *const kinds[] = {"program", "module", "file", "procedure", "loop", "region"};
    hsc_db_scope scope;
    hsc_db_file file = {.path = ""};
    const char *procedure;
    int64_t rank = -1;
    hsc_status s = hsc_db_get_scope(job->db, row, &scope, err);
    if (!s && scope.file != HSC_NONE)
        s = hsc_db_get_file(job->db, scope.file, &file, err);
    if (!s)
        s = procedure_of(job, row, &procedure, err);
    if (!s)
        s = rank_of(job, thread, &rank, err);
    if (s)
        return s;
    set_whole(t, 0, row);
    set_signed(t, 1, row ? (int64_t)scope.parent : -1);
    set_text(t, 2, (unsigned)scope.kind < sizeof kinds / sizeof *kinds ? kinds[scope.kind] : "");
    set_text(t, 3, scope.name);
    set_text(t, 4, procedure);
    set_text(t, 5, file.path);
    set_whole(t, 6, scope.line_begin);
    set_whole(t, 7, scope.line_end);
    set_whole(t, 8, thread);
    set_signed(t, 9, rank);
    set_real(t, 10, exclusive * job->metric.scale);
    set_real(t, 11, inclusive * job->metric.scale);
    return end_row(t, err);
}

static hsc_status write_scopes(export_job *job, table *t, hsc_err *err) {
    hsc_db_view own = {job->options->metric, HSC_TABLE_SCOPE_EXCL, HSC_AXIS_THREAD};
    hsc_db_view all = {job->options->metric, HSC_TABLE_SCOPE_INCL, HSC_AXIS_THREAD};
    uint64_t rows = hsc_db_get_rows(job->db, HSC_TABLE_SCOPE_INCL), own_at[ROWS + 1], all_at[ROWS + 1];
    hsc_status s = HSC_OK;
    for (uint64_t first = 0; !s && first < rows; first += ROWS) {
        uint64_t n = rows - first < ROWS ? rows - first : ROWS;
        uint32_t *own_columns = NULL, *all_columns = NULL;
        float *own_values = NULL, *all_values = NULL;
        s = export_step(job, (double)(rows + first), 2.0 * (double)rows, err);
        if (!s)
            s = hsc_db_read_sparse(job->db, own, first, n, own_at, &own_columns, &own_values, err);
        if (!s)
            s = hsc_db_read_sparse(job->db, all, first, n, all_at, &all_columns, &all_values, err);
        for (uint64_t r = 0; !s && r < n; r++) /* who has exclusive time has inclusive time */
            for (uint64_t i = all_at[r], k = own_at[r]; !s && i < all_at[r + 1]; i++) {
                while (k < own_at[r + 1] && own_columns[k] < all_columns[i])
                    k++;
                bool has = k < own_at[r + 1] && own_columns[k] == all_columns[i];
                s = put_scope(job, t, (uint32_t)(first + r), all_columns[i], has ? (double)own_values[k] : 0,
                              (double)all_values[i], err);
            }
        free(own_columns);
        free(all_columns);
        free(own_values);
        free(all_values);
    }
    return s ? s : flush_table(t, err);
}

/* ---- the file ---- */

static hsc_status write_tables(export_job *job, hid_t file, hsc_err *err) {
    widths w = {0};
    hsc_status s = measure(job, &w, err);
    const char *unit = job->metric.unit;
    table tables[] = {{.name = "threads", .title = "threads of the run", .set = -1, .type = -1},
                      {.name = "lines", .title = "source lines with samples, by thread; exclusive", .set = -1, .type = -1},
                      {.name = "scopes", .title = "program, modules, files, procedures, loops, regions with samples, by thread",
                       .set = -1, .type = -1}};
    table *t = &tables[0];
    add_column(t, "thread", "", WHOLE, 0);
    add_column(t, "process", "", WHOLE, 0);
    add_column(t, "rank", "", SIGNED, 0);
    add_column(t, "host", "", TEXT, w.host);
    add_column(t, "pid", "", WHOLE, 0);
    add_column(t, "tid", "", WHOLE, 0);
    add_column(t, "name", "", TEXT, w.thread);
    add_column(t, "begin", "s", REAL, 0);
    add_column(t, "end", "s", REAL, 0);
    add_column(t, "cpu_time", "s", REAL, 0);
    t = &tables[1];
    add_column(t, "file", "", TEXT, w.path);
    add_column(t, "line", "", WHOLE, 0);
    add_column(t, "procedure", "", TEXT, w.scope);
    add_column(t, "thread", "", WHOLE, 0);
    add_column(t, "rank", "", SIGNED, 0);
    add_column(t, "periods", "", WHOLE, 0);
    add_column(t, "exclusive", unit, REAL, 0);
    t = &tables[2];
    add_column(t, "scope", "", WHOLE, 0);
    add_column(t, "parent", "", SIGNED, 0);
    add_column(t, "kind", "", TEXT, 9);
    add_column(t, "name", "", TEXT, w.scope);
    add_column(t, "procedure", "", TEXT, w.scope);
    add_column(t, "file", "", TEXT, w.path);
    add_column(t, "line_begin", "", WHOLE, 0);
    add_column(t, "line_end", "", WHOLE, 0);
    add_column(t, "thread", "", WHOLE, 0);
    add_column(t, "rank", "", SIGNED, 0);
    add_column(t, "exclusive", unit, REAL, 0);
    add_column(t, "inclusive", unit, REAL, 0);
    hsc_status (*const writers[])(export_job *, table *, hsc_err *) = {write_threads, write_lines, write_scopes};
    for (unsigned i = 0; i < 3 && !s; i++) {
        s = begin_table(&tables[i], file, err);
        if (!s)
            s = writers[i](job, &tables[i], err);
    }
    for (unsigned i = 0; i < 3; i++)
        end_table(&tables[i]);
    if (!s && !(put_text(file, "title", job->info.title) && put_text(file, "command", job->info.command) &&
                put_text(file, "created", job->info.created) && put_text(file, "metric", job->metric.name) &&
                put_text(file, "unit", unit)))
        s = hsc_err_set(err, HSC_E_IO, "attributes of the file: HDF5 cannot write them");
    return s;
}

static hsc_status copy(FILE *from, FILE *to, hsc_err *err) {
    char buffer[1 << 16];
    rewind(from);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, from));)
        if (fwrite(buffer, 1, n, to) != n)
            return hsc_err_set_errno(err, errno, "cannot write");
    return ferror(from) ? hsc_err_set_errno(err, errno, "temporary file: cannot read") : HSC_OK;
}

hsc_status export_hdf5(export_job *job, hsc_err *err) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    if (snprintf(path, sizeof path, "%s/heatscope-export-XXXXXX", folder && *folder ? folder : "/tmp") >= (int)sizeof path)
        return hsc_err_set(err, HSC_E_IO, "TMPDIR: the path is too long");
    int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w+b");
    if (!f) {
        hsc_status s = hsc_err_set_errno(err, errno, "%s: cannot make a temporary file", path);
        if (fd >= 0) {
            close(fd);
            unlink(path);
        }
        return s;
    }
    H5E_auto2_t print;
    void *print_data;
    H5Eget_auto2(H5E_DEFAULT, &print, &print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t how = H5Pcreate(H5P_FILE_ACCESS), make = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_libver_bounds(how, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
    H5Pset_obj_track_times(make, false);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, make, how);
    unlink(path); /* both have it open: nothing is left whatever happens */
    H5Pclose(how);
    H5Pclose(make);
    hsc_status s = file < 0 ? hsc_err_set(err, HSC_E_IO, "%s: HDF5 cannot make a file in that folder", path) : write_tables(job, file, err);
    if (file >= 0 && H5Fclose(file) < 0 && !s)
        s = hsc_err_set(err, HSC_E_IO, "%s: HDF5 cannot write it", path);
    H5Eset_auto2(H5E_DEFAULT, print, print_data);
    if (!s)
        s = copy(f, job->out, err);
    fclose(f);
    return s;
}
