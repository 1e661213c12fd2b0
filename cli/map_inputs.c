/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maps of programs, archives, mapping files and folders of them. */
#include "map_inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "map_section.h"

#define FOLDER_DEPTH_MAX 64

static bool has_module(const hsc_map_model *m, const hsc_map_module *v) {
    for (size_t i = 0; i < m->n_modules; i++)
        if (m->modules[i].head.module_tag == v->head.module_tag && m->modules[i].records == v->records)
            return true;
    return false;
}

/* Moves the modules of `from` that are new; the rest of it is freed. */
static hsc_status join(hsc_map_model *into, hsc_map_model *from, const char *path, hsc_err *err) {
    hsc_map_module *grown = realloc(into->modules, (into->n_modules + from->n_modules + 1) * sizeof *grown);
    if (!grown) {
        hsc_map_model_fini(from);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    }
    into->modules = grown;
    size_t kept = 0;
    for (size_t i = 0; i < from->n_modules; i++)
        if (has_module(into, &from->modules[i]))
            from->modules[kept++] = from->modules[i];
        else
            into->modules[into->n_modules++] = from->modules[i];
    from->n_modules = kept;
    hsc_map_model_move_memory(into, from);
    hsc_map_model_fini(from);
    return HSC_OK;
}

static hsc_status add_bytes(hsc_map_model *model, const void *bytes, size_t size, const char *path, hsc_err *err) {
    hsc_map_model one = {0};
    hsc_status status = hsc_map_model_read(bytes, size, path, &one, err);
    return status == HSC_OK ? join(model, &one, path, err) : status;
}

static hsc_status read_stream(hsc_map_model *model, int fd, size_t size, const char *path, hsc_err *err) {
    uint8_t *bytes = malloc(size);
    hsc_status status = HSC_OK;
    size_t at = 0;
    if (!bytes)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %zu bytes", path, size);
    for (ssize_t n = 1; at < size && n > 0 && status == HSC_OK; at += (size_t)(n > 0 ? n : 0))
        if ((n = pread(fd, bytes + at, size - at, (off_t)at)) < 0)
            status = hsc_err_set_errno(err, errno, "%s", path);
    if (status == HSC_OK)
        status = add_bytes(model, bytes, at, path, err);
    free(bytes);
    return status;
}

/* `quiet`: what is no ELF file or has no map is passed over; *found tells of one that has. */
static hsc_status add_file(hsc_map_model *model, const char *path, bool quiet, bool *found, hsc_err *err) {
    unsigned char head[8] = {0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return quiet ? HSC_OK : hsc_err_set_errno(err, errno, "%s", path);
    ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? pread(fd, head, sizeof head, 0) : 0;
    bool stream = n == 8 && !memcmp(head, "\x89HSR\r\n\x1a\n", 8);
    bool object = n == 8 && (!memcmp(head,
                                     "\x7f"
                                     "ELF",
                                     4) ||
                             !memcmp(head, "!<arch>\n", 8));
    hsc_status status = HSC_OK;
    if (stream)
        status = quiet ? HSC_OK : read_stream(model, fd, (size_t)st.st_size, path, err);
    close(fd);
    if (stream || (quiet && !object)) {
        *found = *found || (stream && !quiet);
        return status;
    }
    hsc_map_section s = {0};
    status = hsc_map_section_read(path, &s, err);
    if (status != HSC_OK)
        return quiet && (status == HSC_E_MISSING || status == HSC_E_FORMAT) ? HSC_OK : status;
    *found = true;
    status = add_bytes(model, s.bytes, s.size, path, err);
    hsc_map_section_fini(&s);
    return status;
}

static int by_name(const void *pa, const void *pb) {
    return strcmp(*(char *const *)pa, *(char *const *)pb);
}

static hsc_status add_folder(hsc_map_model *model, const char *path, int depth, bool *found, hsc_err *err) {
    DIR *d = opendir(path);
    char **names = NULL;
    size_t n = 0;
    hsc_status status = HSC_OK;
    if (!d)
        return depth ? HSC_OK : hsc_err_set_errno(err, errno, "%s", path);
    for (struct dirent *e; status == HSC_OK && (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !strcmp(e->d_name, ".git"))
            continue;
        char **grown = n & (n - 1) ? names : realloc(names, (n ? 2 * n : 1) * sizeof *names);
        if (grown)
            names = grown;
        if (!grown || !(names[n] = strdup(e->d_name)))
            status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
        else
            n++;
    }
    closedir(d);
    if (n)
        qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++) {
        char full[4096];
        struct stat st;
        if (status == HSC_OK && snprintf(full, sizeof full, "%s/%s", path, names[i]) < (int)sizeof full &&
            !lstat(full, &st)) {
            if (S_ISDIR(st.st_mode) && depth < FOLDER_DEPTH_MAX)
                status = add_folder(model, full, depth + 1, found, err);
            else if (S_ISREG(st.st_mode))
                status = add_file(model, full, true, found, err);
        }
        free(names[i]);
    }
    free(names);
    return status;
}

hsc_status hsc_map_inputs_add(hsc_map_model *model, const char *path, hsc_err *err) {
    struct stat st;
    bool found = false;
    if (stat(path, &st) || !S_ISDIR(st.st_mode))
        return add_file(model, path, false, &found, err);
    hsc_status status = add_folder(model, path, 0, &found, err);
    if (status == HSC_OK && !found)
        status = hsc_err_set(err, HSC_E_MISSING,
                             "%s: no file in this folder has a map; compile with 'heatscope cc', 'c++' or 'fc'", path);
    return status;
}
