/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* HDF5 file driver that reads an open file, and does nothing else. */
#include "h5_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static H5FD_t *file_open(const char *name, unsigned flags, hid_t access, haddr_t max) {
    (void)name;
    (void)max;
    hsc_h5_file *const *f = H5Pget_driver_info(access);
    struct stat st;
    if (!f || (flags & H5F_ACC_RDWR) || fstat((*f)->file, &st))
        return NULL;
    (*f)->eof = (haddr_t)st.st_size;
    return &(*f)->base;
}

static herr_t file_close(H5FD_t *f) {
    (void)f;
    return 0;
}

static herr_t file_query(const H5FD_t *f, unsigned long *flags) {
    (void)f;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE;
    return 0;
}

static haddr_t file_get_eoa(const H5FD_t *f, H5FD_mem_t type) {
    (void)type;
    return ((const hsc_h5_file *)f)->eoa;
}

static herr_t file_set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t to) {
    (void)type;
    ((hsc_h5_file *)f)->eoa = to;
    return 0;
}

static haddr_t file_get_eof(const H5FD_t *f, H5FD_mem_t type) {
    (void)type;
    return ((const hsc_h5_file *)f)->eof;
}

herr_t hsc_h5_read_at(int file, haddr_t from, size_t n, void *to) {
    char *p = to;
    while (n) {
        ssize_t got = pread(file, p, n, (off_t)from);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (!got) {
            memset(p, 0, n);
            break;
        }
        p += got;
        from += (haddr_t)got;
        n -= (size_t)got;
    }
    return 0;
}

static herr_t file_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t from, size_t n, void *to) {
    (void)type;
    (void)transfer;
    const hsc_h5_file *f = (const hsc_h5_file *)base;
    return from > f->eof ? -1 : hsc_h5_read_at(f->file, from, n, to);
}

static herr_t file_write(H5FD_t *f, H5FD_mem_t type, hid_t transfer, haddr_t to, size_t n, const void *from) {
    (void)f, (void)type, (void)transfer, (void)to, (void)n, (void)from;
    return -1;
}

static const H5FD_class_t driver = {
    .name = "heatscope",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_SEMI,
    .fapl_size = sizeof(hsc_h5_file *),
    .open = file_open,
    .close = file_close,
    .query = file_query,
    .get_eoa = file_get_eoa,
    .set_eoa = file_set_eoa,
    .get_eof = file_get_eof,
    .read = file_read,
    .write = file_write,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

herr_t hsc_h5_file_use(hid_t access, int file, hsc_h5_file *f) {
    *f = (hsc_h5_file){.file = file};
    hid_t id = H5FDregister(&driver); /* stays registered, as in h5_write.c */
    return id < 0 ? -1 : H5Pset_driver(access, id, &f);
}
