/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What paths of sources tell. */
#include <heatscope/formats/source_path.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Does the path begin with `prefix`? What is behind it. */
static const char *behind(const char *path, const char *prefix) {
    size_t n = strlen(prefix);
    return strncmp(path, prefix, n) ? NULL : path + n;
}

const char *hsc_system_header(const char *path) {
    static const char *const roots[] = {"/usr/include/", "/usr/lib", "/usr/bin/../", "/usr/local/include/", "/usr/local/lib"};
    const char *name = NULL, *more;
    bool system = false;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        system = system || behind(path, roots[i]);
    for (const char *p = path; system && (p = strstr(p, "/include/")); p++)
        name = p + strlen("/include/");
    if (!name || !*name)
        return NULL;
    for (int i = 0; i < 2; i++) { /* x86_64-linux-gnu/c++/12/bits/c++config.h */
        const char *slash = strchr(name, '/'), *dash = strstr(name, "-linux-");
        if (slash && dash && dash < slash)
            name = slash + 1;
        if ((more = behind(name, "c++/")) && (more = strchr(more, '/')))
            name = more + 1;
    }
    return name;
}
