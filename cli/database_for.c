/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The database for what the user named: itself, or the one of a measurement directory, correlated when needed. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

/* True when the database is there and no measurement file of the directory is younger. */
static bool is_current(const char *directory, const char *database) {
    struct stat st, db;
    bool current = stat(database, &db) == 0 && hsc_cli_is_database(database);
    DIR *d = current ? opendir(directory) : NULL;
    for (struct dirent *e; d && current && (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 4, ".hsr"))
            continue;
        if (fstatat(dirfd(d), e->d_name, &st, 0) == 0 && (st.st_mtim.tv_sec > db.st_mtim.tv_sec ||
                                     (st.st_mtim.tv_sec == db.st_mtim.tv_sec && st.st_mtim.tv_nsec > db.st_mtim.tv_nsec)))
            current = false;
    }
    if (d)
        closedir(d);
    return current;
}

int hsc_cli_database_for(const char *command, const char *path, char *buffer, size_t size) {
    struct stat st;
    hsc_err err = {0};
    if (stat(path, &st)) {
        hsc_err_set_errno(&err, errno, "%s", path);
        return hsc_cli_fail(command, &err);
    }
    if (!S_ISDIR(st.st_mode)) {
        if (!hsc_cli_is_database(path)) {
            hsc_err_set(&err, HSC_E_FORMAT, "%s: neither a measurement directory nor a database of Heatscope", path);
            return hsc_cli_fail(command, &err);
        }
        if (snprintf(buffer, size, "%s", path) >= (int)size) {
            hsc_err_set(&err, HSC_E_LIMIT, "%s: path too long", path);
            return hsc_cli_fail(command, &err);
        }
        return -1;
    }
    size_t n = strlen(path);
    if (snprintf(buffer, size, "%s%sheatscope.h5", path, n && path[n - 1] == '/' ? "" : "/") >= (int)size) {
        hsc_err_set(&err, HSC_E_LIMIT, "%s: path too long", path);
        return hsc_cli_fail(command, &err);
    }
    return is_current(path, buffer) ? -1 : hsc_cli_make_database(command, path, buffer);
}
