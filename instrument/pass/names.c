/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names: what a symbol was called in the source, and what kind of thing it is. */
#include "pass.h"

#include <string.h>

#include <heatscope/formats/linkage.h>

static bool starts(const char *s, size_t n, const char *prefix) {
    size_t k = strlen(prefix);
    return n >= k && !memcmp(s, prefix, k);
}

bool hsc_names_is_outlined(const char *symbol, size_t n) {
    static const char *const marks[] = {".omp_outlined", ".omp_task_entry", "..omp_par", ".omp_combiner",
                                        ".omp.reduction.", "__omp_offloading_"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (memmem(symbol, n, marks[i], strlen(marks[i])))
            return true;
    return false;
}

uint64_t hsc_names_call_kind(const char *s, size_t n) {
    if (starts(s, n, "MPI_") || starts(s, n, "PMPI_") || starts(s, n, "mpi_") || starts(s, n, "pmpi_"))
        return HSC_call_kind_MPI;
    if (starts(s, n, "__kmpc_") || starts(s, n, "omp_") || starts(s, n, "GOMP_"))
        return HSC_call_kind_OPENMP;
    if (starts(s, n, "_Fortran") || starts(s, n, "__cxa_") || starts(s, n, "_Unwind_"))
        return HSC_call_kind_RUNTIME;
    return HSC_call_kind_DIRECT;
}

/* One part of a flang symbol: an upper-case letter that says what it is, then a lower-case name. */
typedef struct part {
    char kind;
    const char *name;
    size_t n;
} part;

/* "_QMmodFsubPinner" = module mod, host procedure sub, procedure inner. Names are lower case, so that a capital ends
 * them. Returns the number of parts, 0 when the symbol is none of flang's. */
static size_t split_flang(const char *symbol, part *parts, size_t max) {
    if (strncmp(symbol, "_Q", 2))
        return 0;
    size_t n = 0;
    for (const char *s = symbol + 2; *s && n < max;) {
        if (*s < 'A' || *s > 'Z')
            return 0;
        parts[n] = (part){*s, s + 1, 0};
        for (s++; *s && !(*s >= 'A' && *s <= 'Z'); s++)
            parts[n].n++;
        n++;
    }
    return n;
}

static bool demangle_flang(const char *symbol, char *buffer, size_t size) {
    part parts[16];
    size_t n = split_flang(symbol, parts, 16), used = 0;
    if (!n || parts[n - 1].kind != 'P' || !parts[n - 1].n)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!strchr("MSFP", parts[i].kind))
            return false;
        if (!parts[i].n) /* the main program as host has no name */
            continue;
        if (used + parts[i].n + 3 > size)
            return false;
        if (used) {
            memcpy(buffer + used, "::", 2);
            used += 2;
        }
        memcpy(buffer + used, parts[i].name, parts[i].n);
        used += parts[i].n;
    }
    buffer[used] = 0;
    return true;
}

bool hsc_names_fortran_host(const char *symbol, char *host, size_t size) {
    part parts[16];
    size_t n = split_flang(symbol, parts, 16);
    if (n < 2 || parts[n - 2].kind != 'F' || parts[n - 1].kind != 'P')
        return false;
    if (!parts[n - 2].n)
        return size > 7 && strcpy(host, "_QQmain");
    if (n == 2) { /* host is an external procedure: flang gives it the usual symbol, name and underscore */
        if (parts[0].n + 2 > size)
            return false;
        memcpy(host, parts[0].name, parts[0].n);
        strcpy(host + parts[0].n, "_");
        return true;
    }
    size_t length = (size_t)(parts[n - 2].name + parts[n - 2].n - symbol);
    if (length + 1 > size)
        return false;
    memcpy(host, symbol, length);
    host[length] = 0;
    host[parts[n - 2].name - 1 - symbol] = 'P'; /* internal procedures do not nest */
    return true;
}

hsc_str hsc_pass_source_name(hsc_pass *p, const char *symbol, hsc_ir_text fallback) {
    char buffer[4096];
    unsigned rank;
    if (hsc_ir_demangle(symbol, buffer, sizeof buffer) || demangle_flang(symbol, buffer, sizeof buffer) ||
        hsc_linkage_fortran_intrinsic(symbol, buffer, sizeof buffer, &rank))
        return hsc_pass_dup(p, buffer, strlen(buffer));
    if (fallback.n)
        return hsc_pass_dup(p, fallback.p, fallback.n);
    return hsc_pass_dup(p, symbol, strlen(symbol));
}
