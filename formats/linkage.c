/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What compilers and linkers put behind the names of procedures. */
#include <heatscope/formats/linkage.h>

#include <string.h>

/* Length without ".DIGITS" at the end; n: there is none. */
static size_t without_digits(const char *name, size_t n) {
    size_t digits = n;
    while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    return digits == n || digits < 2 || name[digits - 1] != '.' ? n : digits - 1;
}

static size_t without(const char *name, size_t n, const char *suffix) {
    size_t k = strlen(suffix);
    return n > k && !memcmp(name + n - k, suffix, k) ? n - k : n;
}

size_t hsc_linkage_without_number(const char *name, size_t n) {
    size_t shorter = without_digits(name, n);
    return shorter < n ? without(name, shorter, ".llvm") : n;
}

size_t hsc_linkage_whole(const char *name, size_t n) {
    static const char *const kinds[] = {".cold", ".part", ".constprop", ".isra", ".specialized", ".resume", ".destroy", ".cleanup"};
    for (size_t was = 0; was != n;) {
        was = n;
        size_t bare = without_digits(name, n);
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds && was == n; i++) {
            size_t shorter = without(name, bare, kinds[i]);
            n = shorter < bare ? shorter : n;
        }
    }
    return n;
}

size_t hsc_linkage_before_region(const char *name, size_t n) {
    static const char *const marks[] = {".omp_outlined", "..omp_par", HSC_GCC_REGION_MARK};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i]);
        for (size_t at = 0; at + length <= n; at++)
            if (!memcmp(name + at, marks[i], length))
                return at;
    }
    return n;
}

bool hsc_linkage_is_region_pair(const char *outer, const char *inner) {
    const char *a = strstr(outer, ".omp_outlined"), *b = strstr(inner, ".omp_outlined");
    return a && b && strstr(b, "_debug__") && !strstr(a, "_debug__") && a - outer == b - inner && !strncmp(outer, inner, (size_t)(a - outer));
}

bool hsc_linkage_starts_region(const char *name) { return !strncmp(name, "GOMP_parallel", 13) || !strncmp(name, "__kmpc_fork_call", 16); }

size_t hsc_linkage_fortran_module(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_"; /* Fortran's names have small ones here */
    return strncmp(name, "_QM", 3) ? 0 : strspn(name + 3, letters);
}

/* How much of the text is the name of a type that such a form ends in: "Real8", "Complex16". */
static size_t type_at(const char *s) {
    static const char *const types[] = {"Real", "Integer", "Unsigned", "Complex", "Logical", "Character"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t n = strlen(types[i]);
        if (!strncmp(s, types[i], n))
            return n + strspn(s + n, "0123456789");
    }
    return 0;
}

bool hsc_linkage_fortran_intrinsic(const char *symbol, char *out, size_t size, unsigned *rank) {
    static const char prefix[] = "_FortranA";
    const char *s = symbol + sizeof prefix - 1;
    size_t used = 0;
    *rank = 0;
    if (strncmp(symbol, prefix, sizeof prefix - 1) != 0 || !strstr(s, "_simplified"))
        return false;
    for (; (*s >= 'A' && *s <= 'Z') || (*s >= 'a' && *s <= 'z'); s++) {
        bool is_capital = *s <= 'Z';
        size_t type = used && is_capital ? type_at(s) : 0;
        if (type) {
            s += type;
            break;
        }
        if (used + 3 > size)
            return false;
        if (used && is_capital)
            out[used++] = '_';
        out[used++] = is_capital ? (char)(*s - 'A' + 'a') : *s;
    }
    if (!used)
        return false;
    for (s += *s == 'x'; s[-1] == 'x' || *rank; s++) { /* behind the type */
        if (*s < '0' || *s > '9' || *rank > 99)
            break;
        *rank = 10 * *rank + (unsigned)(*s - '0');
    }
    out[used] = 0;
    return true;
}

size_t hsc_linkage_of_stub(const char *name) {
    static const char end[] = "@plt";
    size_t n = strlen(name), more = sizeof end - 1;
    return n > more && !strcmp(name + n - more, end) ? n - more : 0;
}
