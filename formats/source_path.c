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
    if (behind(path, "/rustc/") && (more = strstr(path, "/library/"))) /* Rust's own, which is compiled into each program */
        return more + strlen("/library/");
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

bool hsc_is_system_program(const char *path) {
    static const char *const folders[] = {"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/lib/", "/usr/libexec/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (behind(path, folders[i]))
            return true;
    return false;
}
