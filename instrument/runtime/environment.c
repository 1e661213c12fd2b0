/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables of the environment that change how the program runs, as they were when it started. */
#include "environment.h"

#include <string.h>

extern char **environ;

static bool is_of(const char *pattern, const char *variable) {
    size_t n = strlen(pattern);
    return n && pattern[n - 1] == '*' ? !strncmp(variable, pattern, n - 1) : !strncmp(variable, pattern, n) && variable[n] == '=';
}

bool hsc_rt_environment_has(const char *variable) {
    static const char *const names[] = {
#define HSC_RT_ENV(name) name,
#define HSC_RT_ENV_NOT(name)
#include "environment.def"
#undef HSC_RT_ENV
#undef HSC_RT_ENV_NOT
    };
    static const char *const others[] = {
#define HSC_RT_ENV(name)
#define HSC_RT_ENV_NOT(name) name,
#include "environment.def"
#undef HSC_RT_ENV
#undef HSC_RT_ENV_NOT
    };
    bool is = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is |= is_of(names[i], variable);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is &= !is_of(others[i], variable);
    return is;
}

/* Is it Heatscope's own library, which `heatscope run` has put into LD_PRELOAD? */
static bool is_ours(const char *path, size_t n) {
    static const char begin[] = "libheatscope-";
    const char *slash = memrchr(path, '/', n), *name = slash ? slash + 1 : path;
    return n - (size_t)(name - path) > sizeof begin - 1 && !strncmp(name, begin, sizeof begin - 1);
}

/* "LD_PRELOAD=..." without ours; 0: nothing is left. */
static size_t put_preload(char *out, size_t size, const char *variable) {
    static const char name[] = "LD_PRELOAD=";
    size_t at = sizeof name - 1;
    memcpy(out, name, at);
    for (const char *p = variable + at; *p;) {
        size_t n = strcspn(p, ": ");
        if (n && !is_ours(p, n)) {
            if (at >= sizeof name && at < size)
                out[at++] = ':';
            n = n < size - at ? n : size - at;
            memcpy(out + at, p, n);
            at += n;
        }
        p += strcspn(p, ": ");
        p += *p != 0;
    }
    return at >= sizeof name ? at : 0;
}

void hsc_rt_environment_read(hsc_rt_environment *out) {
    size_t used = 0;
    for (char **e = environ; e && *e && out->n < HSC_RT_ENVIRONMENT; e++) {
        char text[HSC_RT_ENVIRONMENT_SIZE + sizeof "..."];
        if (!hsc_rt_environment_has(*e))
            continue;
        size_t n = !strncmp(*e, "LD_PRELOAD=", 11) ? put_preload(text, HSC_RT_ENVIRONMENT_SIZE + 1, *e) : strnlen(*e, HSC_RT_ENVIRONMENT_SIZE + 1);
        if (strncmp(*e, "LD_PRELOAD=", 11))
            memcpy(text, *e, n);
        if (n > HSC_RT_ENVIRONMENT_SIZE) { /* told by its end */
            memcpy(text + HSC_RT_ENVIRONMENT_SIZE, "...", 3);
            n = HSC_RT_ENVIRONMENT_SIZE + 3;
        }
        if (!n || n > sizeof out->texts - used)
            continue;
        memcpy(out->texts + used, text, n);
        out->list[out->n++] = (hsc_str){out->texts + used, n};
        used += n;
    }
}
