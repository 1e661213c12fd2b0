/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* HDF5 file driver that notes where it writes, and writes what follows each other together. */
#include "h5_write.h"
#include "h5_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELD_BYTES ((size_t)1 << 18) /* stays in the processor's cache */
#define LARGE_BYTES (HELD_BYTES / 4) /* is not worth a copy */

typedef struct file {
    H5FD_t base; /* HDF5's part; must come first */
    int fd;
    haddr_t eoa, eof;
    hsc_h5_written *last;
    haddr_t at; /* bytes [at, at + n) are held and not written yet */
    size_t n;
    haddr_t from; /* the last n_from of them are those of last->before from there on, and not read yet */
    size_t n_from;
    uint8_t held[HELD_BYTES];
} file;

/* ---- what is held ---- */

static void write_at(file *f, const void *bytes, size_t n, haddr_t to) {
    const char *p = bytes;
    while (n && !f->last->error) {
        ssize_t put = pwrite(f->fd, p, n, (off_t)to);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            f->last->error = put ? errno : ENOSPC;
            break;
        }
        p += put;
        to += (haddr_t)put;
        n -= (size_t)put;
    }
}

/* The bytes of the other file that are held. */
static void take(file *f) {
    uint8_t *p = f->held + f->n - f->n_from;
    while (f->n_from && !f->last->error) {
        ssize_t got = pread(f->last->before, p, f->n_from, (off_t)f->from);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            f->last->error = got ? errno : EIO;
            f->last->is_lost = true;
            break;
        }
        p += got;
        f->from += (haddr_t)got;
        f->n_from -= (size_t)got;
    }
    f->n_from = 0;
}

static void write_held(file *f) {
    take(f);
    write_at(f, f->held, f->n, f->at);
    f->n = 0;
}

/* Room behind what is held for n bytes at `to`. */
static uint8_t *hold(file *f, haddr_t to, size_t n) {
    if (f->n && (to != f->at + f->n || n > HELD_BYTES - f->n))
        write_held(f);
    f->at = f->n ? f->at : to;
    f->n += n;
    return f->held + f->n - n;
}

static void hold_copied(file *f, haddr_t to, size_t n) {
    for (haddr_t from = f->last->from; n;) {
        size_t m = n < LARGE_BYTES ? n : LARGE_BYTES;
        if (f->n_from && from != f->from + f->n_from)
            take(f);
        hold(f, to, m);
        f->from = f->n_from ? f->from : from;
        f->n_from += m;
        from += m;
        to += m;
        n -= m;
    }
}

/* ---- the driver ---- */

static H5FD_t *file_open(const char *name, unsigned flags, hid_t access, haddr_t max) {
    (void)max;
    hsc_h5_written *const *last = H5Pget_driver_info(access);
    int how = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
              (flags & H5F_ACC_EXCL ? O_EXCL : 0);
    struct stat st;
    file *f = last ? malloc(sizeof *f) : NULL;
    if (!f) {
        errno = ENOMEM; /* HDF5 tells no reason */
        return NULL;
    }
    memset(f, 0, offsetof(file, held));
    f->fd = open(name, how | O_CLOEXEC, 0666);
    if (f->fd < 0 || fstat(f->fd, &st)) {
        if (f->fd >= 0)
            close(f->fd);
        free(f);
        return NULL;
    }
    f->eof = (haddr_t)st.st_size;
    f->last = *last;
    return &f->base;
}

static herr_t file_close(H5FD_t *base) {
    file *f = (file *)base;
    write_held(f);
    herr_t r = close(f->fd) ? -1 : 0;
    free(f);
    return r;
}

static herr_t file_query(const H5FD_t *f, unsigned long *flags) {
    (void)f;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t file_get_eoa(const H5FD_t *f, H5FD_mem_t type) {
    (void)type;
    return ((const file *)f)->eoa;
}

static herr_t file_set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t to) {
    (void)type;
    ((file *)f)->eoa = to;
    return 0;
}

static haddr_t file_get_eof(const H5FD_t *f, H5FD_mem_t type) {
    (void)type;
    return ((const file *)f)->eof;
}

static herr_t file_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t from, size_t n, void *to) {
    (void)type;
    (void)transfer;
    file *f = (file *)base;
    if (f->n && from < f->at + f->n && from + n > f->at)
        write_held(f);
    return hsc_h5_read_at(f->fd, from, n, to);
}

static herr_t file_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t to, size_t n, const void *from) {
    (void)type;
    (void)transfer;
    file *f = (file *)base;
    f->last->bytes = from;
    f->last->offset = to;
    f->last->n = n;
    f->eof = to + n > f->eof ? to + n : f->eof;
    if (from == HSC_H5_COPIED(f->last)) {
        hold_copied(f, to, n);
    } else if (n < LARGE_BYTES) {
        take(f);
        memcpy(hold(f, to, n), from, n);
    } else {
        write_held(f);
        write_at(f, from, n, to);
    }
    return 0;
}

static herr_t file_flush(H5FD_t *base, hid_t transfer, hbool_t closing) {
    (void)transfer;
    (void)closing;
    write_held((file *)base);
    return 0;
}

static herr_t file_truncate(H5FD_t *base, hid_t transfer, hbool_t closing) {
    (void)transfer;
    (void)closing;
    file *f = (file *)base;
    write_held(f);
    if (f->eoa == f->eof || f->last->error)
        return 0;
    if (ftruncate(f->fd, (off_t)f->eoa))
        f->last->error = errno;
    f->eof = f->eoa;
    return 0;
}

static const H5FD_class_t driver = {
    .name = "heatscope-write",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(hsc_h5_written *),
    .open = file_open,
    .close = file_close,
    .query = file_query,
    .get_eoa = file_get_eoa,
    .set_eoa = file_set_eoa,
    .get_eof = file_get_eof,
    .read = file_read,
    .write = file_write,
    .flush = file_flush,
    .truncate = file_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* The driver stays registered: H5FD_close reads the class after it has given back the file's own hold of it. */
herr_t hsc_h5_write_use(hid_t access, hsc_h5_written *last) {
    hid_t id = H5FDregister(&driver);
    return id < 0 ? -1 : H5Pset_driver(access, id, &last);
}
