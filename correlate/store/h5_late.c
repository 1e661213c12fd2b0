/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In place of h5.c: HDF5 and the 30 libraries that come with it (for files on the net) take as long to load as Tk. They are loaded with the
 * module beside this object where a file is read: in the reading process, while this one goes on. */
#include "h5.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MODULE "heatscope_h5.so"

static const hsc_h5_calls *_Atomic calls;

hsc_status hsc_h5_load(hsc_err *err) {
    Dl_info own;
    char path[PATH_MAX] = MODULE;
    if (atomic_load(&calls))
        return HSC_OK;
    if (dladdr((const void *)&calls, &own) && own.dli_fname && strrchr(own.dli_fname, '/'))
        snprintf(path, sizeof path, "%.*s" MODULE, (int)(strrchr(own.dli_fname, '/') + 1 - own.dli_fname), own.dli_fname);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* stays */
    const hsc_h5_calls *found = module ? dlsym(module, "heatscope_h5") : NULL;
    if (!found)
        return hsc_err_set(err, HSC_E_IO, "HDF5 cannot be loaded: %s", dlerror());
    atomic_store(&calls, found);
    return HSC_OK;
}

hsc_status hsc_h5_open(const char *path, int file, hsc_h5 **out, hsc_err *err) {
    hsc_status status = hsc_h5_load(err);
    return status ? status : atomic_load(&calls)->open(path, file, out, err);
}

/* The others have what open gave. */
void hsc_h5_close(hsc_h5 *h) {
    if (h)
        atomic_load(&calls)->close(h);
}
bool hsc_h5_has(hsc_h5 *h, const char *name) { return atomic_load(&calls)->has(h, name); }
hsc_status hsc_h5_open_set(hsc_h5 *h, const char *name, hsc_column_type type, uint64_t expected_n, int *set, hsc_set_info *info, hsc_err *err) {
    return atomic_load(&calls)->open_set(h, name, type, expected_n, set, info, err);
}
hsc_status hsc_h5_info(const hsc_h5 *h, int set, hsc_set_info *info, hsc_err *err) { return atomic_load(&calls)->info(h, set, info, err); }
void hsc_h5_close_set(hsc_h5 *h, int set) { atomic_load(&calls)->close_set(h, set); }
hsc_status hsc_h5_read(hsc_h5 *h, int set, uint64_t first, uint64_t n, void *to, hsc_err *err) {
    return atomic_load(&calls)->read(h, set, first, n, to, err);
}
hsc_status hsc_h5_read_pieces(hsc_h5 *h, int set, uint64_t piece, const uint64_t *numbers, uint32_t n, void *to, uint64_t *bytes, hsc_err *err) {
    return atomic_load(&calls)->read_pieces(h, set, piece, numbers, n, to, bytes, err);
}
hsc_status hsc_h5_text(hsc_h5 *h, const char *name, char **out, hsc_err *err) { return atomic_load(&calls)->text(h, name, out, err); }
hsc_status hsc_h5_numbers(hsc_h5 *h, const char *object, const char *name, unsigned n, double *out, hsc_err *err) {
    return atomic_load(&calls)->numbers(h, object, name, n, out, err);
}
