/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names for people of linker symbols: C++ by the runtime's demangler, Fortran by flang's and gfortran's schemes, Rust by both of its own. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/linkage.h>

#include "code_internal.h"

char *hsc_demangle_cxx(const char *symbol);
char *hsc_demangle_rust(const char *symbol);

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

/* "_FortranASumReal8x2_contract_simplified": sum of a 2-dimensional array */
static char *demangle_intrinsic(const char *s) {
    char name[64], *out = NULL;
    unsigned rank;
    if (!hsc_linkage_fortran_intrinsic(s, name, sizeof name, &rank))
        return NULL;
    int size = rank ? asprintf(&out, "%s of a %u-dimensional array", name, rank) : asprintf(&out, "%s", name);
    return size < 0 ? NULL : out;
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

/* One name within a symbol of Rust's older scheme: length, then bytes, of which signs that linkers do not take are written $LT$, $u7b$ and so on, `::`
 * as two dots, and a _ stands before a name that begins with such a sign. Appends it; behind it, NULL: it is none. */
static const char *append_rust_name(const char *s, char *out, size_t size) {
    static const struct {
        const char *code;
        char sign;
    } signs[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'}, {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','}};
    char *p;
    unsigned long n = isdigit((unsigned char)*s) ? strtoul(s, &p, 10) : 0;
    if (!n || n > strlen(p))
        return NULL;
    const char *end = p + n, *in = p;
    if (n > 1 && in[0] == '_' && in[1] == '$')
        in++;
    while (in < end) {
        const char *close = *in == '$' ? memchr(in + 1, '$', (size_t)(end - in - 1)) : NULL;
        char sign = 0;
        if (close && in[1] == 'u') {
            char *after;
            unsigned long code = strtoul(in + 2, &after, 16);
            sign = after == close && code >= 0x20 && code < 0x7f ? (char)code : 0;
        }
        for (size_t k = 0; close && k < sizeof signs / sizeof *signs; k++)
            if (strlen(signs[k].code) == (size_t)(close - in - 1) && !memcmp(in + 1, signs[k].code, (size_t)(close - in - 1)))
                sign = signs[k].sign;
        if (sign) {
            append(out, size, &sign, 1);
            in = close + 1;
        } else if (end - in >= 2 && in[0] == '.' && in[1] == '.') {
            append(out, size, "::", 2);
            in += 2;
        } else {
            append(out, size, in++, 1);
        }
    }
    return end;
}

/* Rust's older scheme is C++'s for a nested name, the last one a hash: _ZN, names, 17h and 16 hexadecimal digits, E. */
static char *demangle_rust_of_old(const char *symbol) {
    enum { HASH = 3 + 16 };
    char out[4096] = "";
    const char *s = symbol + 3;
    if (strncmp(symbol, "_ZN", 3) != 0)
        return NULL;
    while (strncmp(s, "17h", 3) != 0 || strspn(s + 3, "0123456789abcdef") < 16 || s[HASH] != 'E') {
        if (*out)
            append(out, sizeof out, "::", 2);
        if (!(s = append_rust_name(s, out, sizeof out)))
            return NULL;
    }
    s += HASH + 1;
    if (!*out || (*s && *s != '.'))
        return NULL;
    if (*s && strncmp(s, ".llvm.", 6) != 0) {
        append(out, sizeof out, " [clone ", 8);
        append(out, sizeof out, s, strlen(s));
        append(out, sizeof out, "]", 1);
    }
    return strdup(out);
}

static char *demangle_plain(const char *symbol) {
    if (symbol[0] != '_')
        return NULL;
    if (symbol[1] == 'Q')
        return demangle_flang(symbol);
    if (symbol[1] == 'F')
        return demangle_intrinsic(symbol);
    if (symbol[1] == '_' && strstr(symbol, "_MOD_"))
        return demangle_gfortran(symbol);
    if (symbol[1] == 'R')
        return hsc_demangle_rust(symbol);
    char *of_rust = symbol[1] == 'Z' ? demangle_rust_of_old(symbol) : NULL;
    return of_rust || symbol[1] != 'Z' ? of_rust : hsc_demangle_cxx(symbol);
}

/* The body of an OpenMP region, or of a task, that gcc made a function of: "f._omp_fn.0". NULL: it is none. */
static char *demangle_gcc_region(const char *symbol) {
    const char *mark = strstr(symbol, HSC_GCC_REGION_MARK);
    char *name = mark && mark > symbol ? strndup(symbol, (size_t)(mark - symbol)) : NULL, *plain = name ? demangle_plain(name) : NULL, *whole = NULL;
    if (name && asprintf(&whole, "%s" HSC_GCC_REGION, plain ? plain : name) < 0)
        whole = NULL;
    free(plain);
    free(name);
    return whole;
}

char *hsc_demangle(const char *symbol) {
    char *region = demangle_gcc_region(symbol);
    if (region)
        return region;
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

char *hsc_demangle_words(const char *text, size_t longest) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$@";
    char *out = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&out, &size);
    for (size_t n; f && *text; text += n) {
        n = strspn(text, letters);
        while (n > 1 && text[n - 1] == '.') /* of the sentence */
            n--;
        char *symbol = *text == '_' && n ? strndup(text, n) : NULL, *name = symbol ? hsc_demangle(symbol) : NULL;
        size_t all = name ? strlen(name) : 0;
        if (!name)
            fwrite(text, 1, n = n ? n : 1, f);
        else if (all <= longest)
            fwrite(name, 1, all, f);
        else
            fprintf(f, "%.*s...", (int)longest - 3, name);
        free(name);
        free(symbol);
    }
    if (f && !fclose(f))
        return out;
    free(out);
    return NULL;
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
