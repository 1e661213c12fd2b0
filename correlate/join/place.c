/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that are kept beside the database for the next join. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../store/spill.h"
#include "../store/unfinished.h"
#include "made.h"

char *hsc_place_of(const char *output, const char *kind) {
    const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
    char *path = NULL;
    return asprintf(&path, "%.*s.%s.%s", (int)(name - output), output, name, kind) < 0 ? NULL : path;
}

bool hsc_place_take(int fd, void *bytes, size_t n, uint64_t offset) {
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(fd, (uint8_t *)bytes + done, n - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

bool hsc_place_put(int fd, const void *bytes, size_t n, uint64_t offset) {
    for (size_t done = 0; done < n;) {
        ssize_t put = pwrite(fd, (const uint8_t *)bytes + done, n - done, (off_t)(offset + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

int hsc_place_begin(const char *path, char **part) {
    *part = NULL;
    return hsc_spill_file(path, part); /* without a name until it is whole, where the file system can */
}

bool hsc_place_end(const char *path, int fd, char *part, bool keep) {
    bool is_named = part != NULL, good = keep && fd >= 0;
    if (good && !is_named) {
        char from[64];
        snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
        good = asprintf(&part, "%s.part-%ld", path, (long)getpid()) >= 0;
        if (!good)
            part = NULL;
        else
            unlink(part);
        hsc_unfinished_add(part);
        is_named = good && !linkat(AT_FDCWD, from, AT_FDCWD, part, AT_SYMLINK_FOLLOW);
        if (is_named)
            hsc_unfinished_made(part);
        good = is_named;
    }
    if (good && !rename(part, path))
        is_named = false;
    else
        good = false;
    if (is_named)
        unlink(part);
    hsc_unfinished_end(part);
    if (fd >= 0)
        close(fd);
    free(part);
    return good;
}
