/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The user's sources as they were compiled are kept beside the database, in .NAME.sources: users edit, build and run again in place, and want to see the run before beside
 * the text that it is of. One file each, by its checksum (clang tells it), else by its path. Where that can't be, nothing is said: it is a comfort. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heatscope/formats/source_path.h>

#include "../store/source.h"
#include "made.h"
#include "sources.h"

enum { FILE_MAX = 16 << 20, ALL_MAX = 64 << 20 }; /* bytes; others are not kept */

static bool put(const char *path, const char *text, size_t size) {
    char *part = NULL;
    int fd = hsc_place_begin(path, &part);
    return fd >= 0 && hsc_place_end(path, fd, part, hsc_place_put(fd, text, size, 0));
}

/* Is a name in the folder one that we give? */
static bool is_ours(const char *name) {
    const char *hex = strncmp(name, "path-", 5) ? name : name + 5;
    return strlen(hex) == 32 && strspn(hex, "0123456789abcdefABCDEF") == 32;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* What an earlier database of this name had. */
static void drop_others(const char *folder, char **kept, size_t n) {
    DIR *d = opendir(folder);
    if (!d)
        return;
    qsort(kept, n, sizeof *kept, by_name);
    for (struct dirent *e; (e = readdir(d));) {
        const char *name = e->d_name;
        if (is_ours(name) && !bsearch(&name, kept, n, sizeof *kept, by_name))
            unlinkat(dirfd(d), name, 0);
    }
    closedir(d);
    rmdir(folder); /* when it is empty */
}

void hsc_sources_keep(join *j) {
    const char *output = j->options->output;
    char *folder = hsc_source_kept_path(output, NULL, ""), **kept = calloc(j->files.n + 1, sizeof *kept);
    size_t n = 0, bytes = 0;
    for (uint32_t i = 0; folder && kept && !j->options->no_sources && !j->options->embed_sources && i < j->files.n; i++) {
        const jfile *f = &j->files.p[i];
        char *text = NULL, *path = NULL;
        size_t size = 0;
        bool changed = false;
        struct stat st;
        if (!f->has_lines || f->path[0] != '/' || hsc_system_header(f->path) || f->module >= j->modules.n || !(path = hsc_source_kept_path(output, f->path, f->checksum)))
            continue;
        bool good = !hsc_source_read(f->path, f->checksum, &text, &size, &changed, &st, NULL);
        if (good && !f->checksum[0])
            changed = hsc_source_is_younger(&st, j->modules.p[f->module].path, (int64_t)(j->origin_ns / 1000000000u));
        bool is_there = !good || changed ? !access(path, R_OK) : size <= FILE_MAX && bytes + size <= ALL_MAX && (!mkdir(folder, 0777) || errno == EEXIST) && put(path, text, size);
        if (is_there) {
            bytes += size;
            kept[n++] = strdup(strrchr(path, '/') + 1);
            n -= !kept[n - 1];
        }
        free(text);
        free(path);
    }
    if (folder && kept)
        drop_others(folder, kept, n);
    for (size_t i = 0; kept && i < n; i++)
        free(kept[i]);
    free(kept);
    free(folder);
}
