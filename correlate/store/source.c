/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source text: the embedded copy, the file on disk or one with the longest equal path tail in a list of folders, or, where that was changed or is gone, what was kept of it
 * beside the database. */
#include "db.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "md5.h"
#include "source.h"

enum { SOURCE_MAX = 64 << 20 };

static hsc_status read_embedded(hsc_db *db, uint32_t file, char **text, size_t *size, hsc_err *err) {
    hsc_status status = HSC_OK;
    uint64_t scratch[2];
    const void *p = NULL;
    *text = NULL;
    if (db->source_offset.set < 0) {
        if (!hsc_db_has(db, "/source"))
            return HSC_OK;
        status = hsc_array_open(db, "/source/offset", HSC_COLTYPE_U8, db->tables.rows[HSC_TAB_file] + 1, &db->source_offset, err);
        if (!status)
            status = hsc_array_open(db, "/source/bytes", HSC_COLTYPE_U1, HSC_NNZ_MAX + 1, &db->source_bytes, err);
        if (status)
            return status;
    }
    status = hsc_array_get(db, &db->source_offset, file, 2, scratch, &p, err);
    if (status)
        return status;
    uint64_t from = ((const uint64_t *)p)[0], to = ((const uint64_t *)p)[1];
    if (from > to || to > db->source_bytes.n || to - from > SOURCE_MAX)
        return hsc_err_set(err, HSC_E_FORMAT, "%s: /source/offset row %" PRIu32 ": expected a rising range below %" PRIu64
                           ", got %" PRIu64 " to %" PRIu64, db->path, file, db->source_bytes.n, from, to);
    if (from == to)
        return HSC_OK;
    char *copy = malloc(to - from + 1);
    if (!copy)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    status = hsc_array_get(db, &db->source_bytes, from, to - from, copy, &p, err);
    if (status) {
        free(copy);
        return status;
    }
    if (p != copy)
        memcpy(copy, p, to - from);
    copy[to - from] = 0;
    *text = copy;
    *size = to - from;
    return HSC_OK;
}

static hsc_status read_file(const char *path, char **text, size_t *size, struct stat *st, hsc_err *err) {
    if (stat(path, st))
        return HSC_E_MISSING;
    if (!S_ISREG(st->st_mode))
        return HSC_E_MISSING;
    if (st->st_size > SOURCE_MAX)
        return hsc_err_set(err, HSC_E_LIMIT, "%s: %lld bytes are more than the %d a source may have", path, (long long)st->st_size,
                           SOURCE_MAX);
    FILE *f = fopen(path, "rb");
    if (!f)
        return hsc_err_set_errno(err, errno, "%s: cannot read", path);
    char *t = malloc((size_t)st->st_size + 1);
    size_t n = t ? fread(t, 1, (size_t)st->st_size, f) : 0;
    int e = ferror(f) ? errno : 0;
    fclose(f);
    if (!t || e) {
        free(t);
        return t ? hsc_err_set_errno(err, e, "%s: cannot read", path) : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    }
    t[n] = 0;
    *text = t;
    *size = n;
    return HSC_OK;
}

/* The file below `folder` with the longest tail of `path`, malloc'ed; NULL: none, or out of memory. */
static char *find_below(const char *folder, size_t folder_size, const char *path) {
    const char *tail = path;
    while (*tail == '/')
        tail++;
    size_t room = folder_size + strlen(tail) + 2;
    char *out = malloc(room);
    while (out) {
        struct stat st;
        snprintf(out, room, "%.*s/%s", (int)folder_size, folder, tail);
        if (!stat(out, &st) && S_ISREG(st.st_mode))
            return out;
        tail = strchr(tail, '/');
        if (!tail)
            break;
        while (*tail == '/')
            tail++;
    }
    free(out);
    return NULL;
}

hsc_status hsc_source_read(const char *name, const char *checksum, char **text, size_t *size, bool *changed, struct stat *st,
                           hsc_err *err) {
    char *t = NULL, hex[33];
    size_t n = 0;
    hsc_status status = read_file(name, &t, &n, st, err);
    const char *list = getenv("HEATSCOPE_SOURCE_PATH");
    for (const char *p = list; p && *p && status == HSC_E_MISSING;) {
        size_t k = strcspn(p, ":");
        char *path = k && k < INT_MAX ? find_below(p, k, name) : NULL;
        if (path)
            status = read_file(path, &t, &n, st, err);
        free(path);
        p += k + (p[k] == ':');
    }
    if (status == HSC_E_MISSING)
        return hsc_err_set(err, HSC_E_MISSING, "%s: not found%s%s; HEATSCOPE_SOURCE_PATH=FOLDER:... tells where to look", name,
                           list && *list ? ", nor its tail below " : "", list && *list ? list : "");
    if (status)
        return status;
    *changed = false;
    if (checksum[0]) {
        hsc_md5_hex(t, n, hex);
        *changed = strcasecmp(hex, checksum) != 0;
    }
    *text = t;
    *size = n;
    return HSC_OK;
}

char *hsc_source_kept_path(const char *database, const char *name, const char *checksum) {
    const char *slash = strrchr(database, '/'), *base = slash ? slash + 1 : database;
    char hex[33], *path = NULL;
    int made;
    if (!name)
        made = asprintf(&path, "%.*s.%s.sources", (int)(base - database), database, base);
    else {
        bool known = strlen(checksum) == 32 && strspn(checksum, "0123456789abcdefABCDEF") == 32;
        if (!known)
            hsc_md5_hex(name, strlen(name), hex);
        made = asprintf(&path, "%.*s.%s.sources/%s%s", (int)(base - database), database, base, known ? "" : "path-", known ? checksum : hex);
    }
    return made < 0 ? NULL : path;
}

bool hsc_source_is_younger(const struct stat *st, const char *module, int64_t run_s) {
    struct stat m;
    if (stat(module, &m)) /* the database was taken elsewhere, mostly: times tell nothing there */
        return false;
    return st->st_mtime > (run_s && m.st_mtime > run_s ? run_s : m.st_mtime);
}

/* What was kept of the file; HSC_E_MISSING: nothing, or it is not what its checksum says. */
static hsc_status read_kept(const hsc_db *db, const char *name, const char *checksum, char **text, size_t *size, hsc_err *err) {
    char hex[33], *path = hsc_source_kept_path(db->path, name, checksum);
    struct stat st;
    if (!path)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    hsc_status status = read_file(path, text, size, &st, err);
    free(path);
    if (status == HSC_OK && checksum[0]) {
        hsc_md5_hex(*text, *size, hex);
        if (strcasecmp(hex, checksum)) {
            free(*text);
            *text = NULL;
            status = HSC_E_MISSING;
        }
    }
    return status;
}

/* When the run began, s since 1970; 0: not known. */
static int64_t run_began(const hsc_db *db) {
    struct tm tm = {0};
    const char *end = db->created ? strptime(db->created, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
    return end ? (int64_t)timegm(&tm) : 0;
}

hsc_status hsc_db_read_source(const hsc_db *const_db, uint32_t file, char **text, size_t *size, bool *changed, hsc_err *err) {
    hsc_db *db = (hsc_db *)const_db; /* opens data sets when first asked for */
    hsc_status status;
    char *t = NULL;
    size_t n = 0;
    struct stat st;
    if (file >= db->tables.rows[HSC_TAB_file])
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: file %" PRIu32 " asked for, there are %" PRIu64, db->path, file,
                           db->tables.rows[HSC_TAB_file]);
    const char *name = hsc_db_text(db, HSC_COL_file_path, file), *checksum = hsc_db_text(db, HSC_COL_file_checksum, file);
    status = read_embedded(db, file, &t, &n, err);
    if (status)
        return status;
    if (t) { /* the text as it was compiled */
        *text = t;
        *size = n;
        if (changed)
            *changed = false;
        return HSC_OK;
    }
    if (!HSC_COL(db, file_has_lines, uint8_t)[file])
        return hsc_err_set(err, HSC_E_MISSING, "%s: has no source: nothing is known of its lines", name);
    bool differs = false;
    hsc_err lost = {0};
    status = hsc_source_read(name, checksum, &t, &n, &differs, &st, err);
    uint32_t module = HSC_COL(db, file_module, uint32_t)[file];
    if (status == HSC_OK && !checksum[0] && module != HSC_NONE)
        differs = hsc_source_is_younger(&st, hsc_db_text(db, HSC_COL_module_path, module), run_began(db));
    if (status == HSC_E_MISSING || (status == HSC_OK && differs)) {
        char *kept = NULL;
        size_t kept_n = 0;
        hsc_status found = read_kept(db, name, checksum, &kept, &kept_n, &lost);
        if (found == HSC_OK) {
            if (status == HSC_OK)
                free(t);
            else
                hsc_err_clear(err);
            t = kept;
            n = kept_n;
            differs = false;
            status = HSC_OK;
        }
    }
    if (status)
        return status;
    if (changed)
        *changed = differs;
    *text = t;
    *size = n;
    return HSC_OK;
}
