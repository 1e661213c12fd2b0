/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of libraries for LD_PRELOAD, which the dynamic linker parts at blanks and colons: it knows no way to quote them. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload.h"

static bool is_parted(const char *path) {
    return strpbrk(path, ": ") != NULL;
}

/* A link `name` in `folder` to `target`, unless it is there; false: can't be made, or is another. */
static bool link_to(const char *folder, const char *name, const char *target, char *path) {
    char there[PATH_MAX];
    if (is_parted(folder) || snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
        return false;
    if (!symlink(target, path))
        return true;
    ssize_t n = readlink(path, there, sizeof there - 1);
    if (n < 0)
        return false;
    there[n] = 0;
    return !strcmp(there, target);
}

bool hsc_cli_preloadable(const char *directory, char *library, size_t size) {
    if (!is_parted(library))
        return true;
    char target[PATH_MAX], link[PATH_MAX], name[64];
    const char *slash = strrchr(library, '/'), *runtime = getenv("XDG_RUNTIME_DIR");
    if (!slash || is_parted(slash) || slash - library >= (ptrdiff_t)sizeof target)
        return false;
    snprintf(target, sizeof target, "%.*s", (int)(slash - library), library);
    uint64_t hash = 0xcbf29ce484222325; /* another installation has another link */
    for (const char *p = target; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 0x100000001b3;
    snprintf(name, sizeof name, "heatscope-libraries-%016llx", (unsigned long long)hash);
    if (!link_to(directory, name, target, link) && !(runtime && *runtime == '/' && link_to(runtime, name, target, link)))
        return false;
    char whole[2 * PATH_MAX];
    snprintf(whole, sizeof whole, "%s%s", link, slash);
    if (strlen(whole) >= size || access(whole, R_OK))
        return false;
    strcpy(library, whole);
    return true;
}
