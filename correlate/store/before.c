/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "before.h"

#include <stdio.h>

#include "chunks.h"
#include "h5_file.h"

hid_t hsc_before_open(int fd) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd); /* this file, whatever has its name by now */
    return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

/* Open, with its space; < 0: it is not there, or has another rank than 1. */
static hid_t open_set(hid_t file, const char *path, hid_t *space, hsize_t *size) {
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    *space = set < 0 ? -1 : H5Dget_space(set);
    if (*space >= 0 && H5Sget_simple_extent_ndims(*space) == 1 && H5Sget_simple_extent_dims(*space, size, NULL) == 1)
        return set;
    if (*space >= 0)
        H5Sclose(*space);
    if (set >= 0)
        H5Dclose(set);
    return -1;
}

uint64_t hsc_before_count(hid_t file, const char *path) {
    hsize_t size = 0;
    hid_t space, set = open_set(file, path, &space, &size);
    if (set < 0)
        return UINT64_MAX;
    H5Sclose(space);
    H5Dclose(set);
    return size;
}

/* As stored, which takes half the time of H5Dread; false: that is the way. */
static bool read_chunks(hid_t set, hsc_column_type type, uint64_t size, uint64_t first, uint64_t n, void *to) {
    hsc_chunk_cache cache = {0};
    unsigned element = hsc_schema_type_size(type);
    bool done = false;
    hid_t stored = H5Dget_type(set);
    if (stored >= 0 && H5Tequal(stored, hsc_h5_memory_type(type)) > 0)
        hsc_chunks_read(&cache, set, hsc_chunks_rows(set, element), size, first, n, element, to, &done);
    if (stored >= 0)
        H5Tclose(stored);
    hsc_chunk_cache_drop(&cache, set);
    return done;
}

bool hsc_before_read(hid_t file, const char *path, hsc_column_type type, uint64_t first, uint64_t n, void *to) {
    hsize_t size = 0, begin = first, count = n;
    hid_t space, set = open_set(file, path, &space, &size);
    if (set < 0)
        return false;
    bool good = first <= size && n <= size - first;
    if (good && n && !read_chunks(set, type, size, first, n, to)) {
        hid_t memory = H5Screate_simple(1, &count, NULL);
        good = H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, NULL, &count, NULL) >= 0 &&
               H5Dread(set, hsc_h5_memory_type(type), memory, space, H5P_DEFAULT, to) >= 0;
        H5Sclose(memory);
    }
    H5Sclose(space);
    H5Dclose(set);
    return good;
}

unsigned hsc_before_attribute(hid_t file, const char *path, const char *name, unsigned most, uint64_t *to) {
    if (H5Aexists_by_name(file, path, name, H5P_DEFAULT) <= 0)
        return 0;
    hid_t attribute = H5Aopen_by_name(file, path, name, H5P_DEFAULT, H5P_DEFAULT), space = attribute < 0 ? -1 : H5Aget_space(attribute);
    hssize_t n = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    bool good = n > 0 && n <= (hssize_t)most && H5Aread(attribute, H5T_NATIVE_UINT64, to) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (attribute >= 0)
        H5Aclose(attribute);
    return good ? (unsigned)n : 0;
}

bool hsc_before_indptr(hid_t file, const char *group, uint64_t n, uint64_t *to) {
    char path[192];
    snprintf(path, sizeof path, "%s/indptr", group);
    bool good = hsc_before_read(file, path, HSC_COLTYPE_U8, 0, n + 1, to) && !to[0];
    for (uint64_t i = 0; good && i < n; i++)
        good = to[i] <= to[i + 1];
    snprintf(path, sizeof path, "%s/indices", group);
    uint64_t indices = hsc_before_count(file, path);
    snprintf(path, sizeof path, "%s/data", group);
    return good && indices != UINT64_MAX && hsc_before_count(file, path) == indices && to[n] <= indices;
}
