/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names for people of linker symbols: C++ by the runtime's demangler, Fortran by flang's and gfortran's schemes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code_internal.h"

char *hsc_demangle_cxx(const char *symbol);

/* Appends n bytes of s, keeps room for the NUL. */
static void append(char *out, size_t size, const char *s, size_t n) {
    size_t at = strlen(out);
    if (n > size - 1 - at)
        n = size - 1 - at;
    memcpy(out + at, s, n);
    out[at + n] = 0;
}

/* flang: _Q, then M module, S submodule, F or P... each an upper-case letter and a lower-case name; the last is the
 * entity. Names are lower case, so the next upper-case letter starts the next part. "_QQmain" is the main program. */
static char *demangle_flang(const char *s) {
    char out[1024] = "";
    if (!strncmp(s, "_QQmain", 7)) {
        append(out, sizeof out, "main program", 12);
        s += 7;
    } else {
        const char *p = s + 2;
        bool any = false;
        while (*p && strchr("MSFPB", *p)) {
            const char *name = p + 1;
            size_t n = 0;
            while (islower((unsigned char)name[n]) || isdigit((unsigned char)name[n]) || name[n] == '_')
                n++;
            if (!n)
                return NULL;
            if (any)
                append(out, sizeof out, "::", 2);
            append(out, sizeof out, name, n);
            any = true;
            p = name + n;
        }
        if (!any || (*p && *p != '.'))
            return NULL;
        s = p;
    }
    if (!strncmp(s, "..omp_par", 9))
        append(out, sizeof out, " [omp parallel]", 15);
    else if (*s && *s != '.')
        return NULL;
    return strdup(out);
}

/* gfortran: __module_MOD_procedure */
static char *demangle_gfortran(const char *s) {
    const char *mid = strstr(s + 2, "_MOD_");
    if (!mid || mid == s + 2 || !mid[5])
        return NULL;
    char out[1024] = "";
    append(out, sizeof out, s + 2, (size_t)(mid - s - 2));
    append(out, sizeof out, "::", 2);
    const char *name = mid + 5;
    append(out, sizeof out, name, strcspn(name, "."));
    return strdup(out);
}

static char *demangle_plain(const char *symbol) {
    if (symbol[0] != '_')
        return NULL;
    if (symbol[1] == 'Q')
        return demangle_flang(symbol);
    if (symbol[1] == '_' && strstr(symbol, "_MOD_"))
        return demangle_gfortran(symbol);
    return symbol[1] == 'Z' ? hsc_demangle_cxx(symbol) : NULL;
}

char *hsc_demangle(const char *symbol) {
    const char *suffix = strchr(symbol, '@'); /* of a stub, "@plt", and of a version: no demangler takes them */
    if (!suffix)
        return demangle_plain(symbol);
    char *name = strndup(symbol, (size_t)(suffix - symbol)), *text = name ? demangle_plain(name) : NULL, *whole = NULL;
    if (text && asprintf(&whole, "%s%s", text, suffix) < 0)
        whole = NULL;
    free(name);
    free(text);
    return whole;
}

size_t hsc_name_before_arguments(const char *name) {
    size_t n = strlen(name), depth = 0;
    if (!n || name[n - 1] != '>')
        return n;
    for (size_t at = n; at-- > 0;) { /* from behind: operators have signs of their own before them */
        depth += (name[at] == '>') - (name[at] == '<');
        if (!depth)
            return at;
    }
    return n;
}

const char *hsc_name_key(hsc_pool *pool, const char *name, bool any_arguments) {
    size_t n = 0, size = any_arguments ? hsc_name_before_arguments(name) : strlen(name);
    char *text = malloc(size + 1);
    if (!text)
        return NULL;
    for (size_t i = 0; i < size; i++)
        if (name[i] != ' ')
            text[n++] = name[i];
    if (name[size]) /* is no procedure without arguments */
        text[n++] = '<';
    const char *key = hsc_pool_intern(pool, text, n);
    free(text);
    return key;
}
