/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Input and output where it enters the kernel, or may wait: the calls themselves, and of the C library's streams those that
 * will not be served from the buffer. Fortran's, C++'s and Python's libraries call the former. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <sys/eventfd.h>

#include "interpose.h"
#include "pipes.h"
#include "waits.h"

static const hsc_rt_holder nobody;

#define MOVED (result > 0 ? (uint64_t)result : 0)

#define IO_WHEN(waits, type, name, kind, parameters, arguments, bytes) \
    type name parameters; /* not all are in headers */ \
    HSC_RT_EXPORT type name parameters { \
        static type(*real) parameters; \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        hsc_rt_here at = HSC_RT_HERE(); \
        if (!(waits)) \
            return real arguments; \
        hsc_rt_thread *t = hsc_rt_wait_begin(HSC_wait_kind_##kind, &at, at.sp); \
        hsc_rt_wait_in(t, real); \
        type result = real arguments; \
        hsc_rt_wait_end(t, bytes, nobody); \
        return result; \
    }
#define IO(type, name, kind, parameters, arguments) IO_WHEN(true, type, name, kind, parameters, arguments, MOVED)
#define IO_CALL(type, name, kind, parameters, arguments) IO_WHEN(true, type, name, kind, parameters, arguments, 0)

/* What the process writes itself by another descriptor is waited for, and told by who writes it. */
#define IO_FROM(type, name, parameters, arguments, success) \
    type name parameters; \
    HSC_RT_EXPORT type name parameters { \
        static type(*real) parameters; \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        hsc_rt_here at = HSC_RT_HERE(); \
        const void *from = hsc_rt_pipe_read_from(fd); \
        hsc_rt_thread *t = hsc_rt_wait_begin(from ? HSC_wait_kind_PIPE : HSC_wait_kind_READ, &at, at.sp); \
        hsc_rt_wait_in(t, real); \
        if (from) \
            hsc_rt_await_begin(t, from); \
        type result = real arguments; \
        hsc_rt_wait_end(t, MOVED, from ? hsc_rt_await_end(t, from, success) : nobody); \
        return result; \
    }
#define IO_TO(type, name, parameters, arguments) \
    IO_WHEN(hsc_rt_pipe_write(fd, &at), type, name, WRITE, parameters, arguments, MOVED)

IO_FROM(ssize_t, read, (int fd, void *b, size_t n), (fd, b, n), result > 0)
IO_FROM(ssize_t, __read_chk, (int fd, void *b, size_t n, size_t room), (fd, b, n, room), result > 0)
IO_FROM(ssize_t, readv, (int fd, const struct iovec *v, int n), (fd, v, n), result > 0)
IO_FROM(int, eventfd_read, (int fd, eventfd_t *value), (fd, value), result == 0)
IO(ssize_t, pread, READ, (int fd, void *b, size_t n, off_t at_), (fd, b, n, at_))
IO(ssize_t, pread64, READ, (int fd, void *b, size_t n, off64_t at_), (fd, b, n, at_))
IO(ssize_t, __pread_chk, READ, (int fd, void *b, size_t n, off_t at_, size_t room), (fd, b, n, at_, room))
IO(ssize_t, __pread64_chk, READ, (int fd, void *b, size_t n, off64_t at_, size_t room), (fd, b, n, at_, room))
IO(ssize_t, preadv, READ, (int fd, const struct iovec *v, int n, off_t at_), (fd, v, n, at_))
IO(ssize_t, preadv64, READ, (int fd, const struct iovec *v, int n, off64_t at_), (fd, v, n, at_))
IO_TO(ssize_t, write, (int fd, const void *b, size_t n), (fd, b, n))
IO_TO(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n))
IO_TO(int, eventfd_write, (int fd, eventfd_t value), (fd, value))
IO(ssize_t, pwrite, WRITE, (int fd, const void *b, size_t n, off_t at_), (fd, b, n, at_))
IO(ssize_t, pwrite64, WRITE, (int fd, const void *b, size_t n, off64_t at_), (fd, b, n, at_))
IO(ssize_t, pwritev, WRITE, (int fd, const struct iovec *v, int n, off_t at_), (fd, v, n, at_))
IO(ssize_t, pwritev64, WRITE, (int fd, const struct iovec *v, int n, off64_t at_), (fd, v, n, at_))
IO(ssize_t, sendfile, WRITE, (int to, int from, off_t *at_, size_t n), (to, from, at_, n))
IO(ssize_t, sendfile64, WRITE, (int to, int from, off64_t *at_, size_t n), (to, from, at_, n))
IO(ssize_t, copy_file_range, WRITE, (int from, off64_t *fa, int to, off64_t *ta, size_t n, unsigned flags),
   (from, fa, to, ta, n, flags))
IO(ssize_t, splice, WRITE, (int from, off64_t *fa, int to, off64_t *ta, size_t n, unsigned flags),
   (from, fa, to, ta, n, flags))
IO_CALL(int, fsync, SYNC, (int fd), (fd))
IO_CALL(int, fdatasync, SYNC, (int fd), (fd))
IO_CALL(int, msync, SYNC, (void *p, size_t n, int flags), (p, n, flags))
IO_WHEN((hsc_rt_pipe_gone(fd), true), int, close, OPEN, (int fd), (fd), 0)

#define IO_OPEN(name, first_parameters, first_arguments, last) \
    HSC_RT_EXPORT int name(first_parameters, ...) { \
        static int (*real)(first_parameters, ...); \
        mode_t mode = 0; \
        if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) { \
            va_list list; \
            va_start(list, last); \
            mode = va_arg(list, mode_t); \
            va_end(list); \
        } \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        hsc_rt_here at = HSC_RT_HERE(); \
        hsc_rt_thread *t = hsc_rt_wait_begin(HSC_wait_kind_OPEN, &at, at.sp); \
        hsc_rt_wait_in(t, real); \
        int result = real(first_arguments, mode); \
        hsc_rt_pipe_gone(result); \
        hsc_rt_wait_end(t, 0, nobody); \
        return result; \
    }
#define LIST(...) __VA_ARGS__
#define IO_OPENS(name, first_parameters, first_arguments) \
    IO_OPEN(name, LIST first_parameters, LIST first_arguments, flags)
IO_OPENS(open, (const char *path, int flags), (path, flags))
IO_OPENS(open64, (const char *path, int flags), (path, flags))
IO_OPENS(openat, (int folder, const char *path, int flags), (folder, path, flags))
IO_OPENS(openat64, (int folder, const char *path, int flags), (folder, path, flags))

/* ---- streams ------------------------------------------------------------------------------------------------------------------ */

/* May this many bytes come from the buffer alone? The structure is glibc's, and part of its interface. */
static inline bool buffered(const FILE *f, size_t bytes) {
    return (size_t)(f->_IO_read_end - f->_IO_read_ptr) >= bytes;
}

/* Is there room for them without writing? A buffer that is written at each line may be written now. */
static inline bool room(const FILE *f, size_t bytes) {
    return !(f->_flags & 0x202) && f->_IO_write_base && (size_t)(f->_IO_buf_end - f->_IO_write_ptr) > bytes;
}

IO_WHEN(!buffered(f, size * n), size_t, fread, READ, (void *restrict b, size_t size, size_t n, FILE *restrict f), (b, size, n, f),
        result * size)
IO_WHEN(!buffered(f, size * n), size_t, __fread_chk, READ,
        (void *restrict b, size_t room_, size_t size, size_t n, FILE *restrict f), (b, room_, size, n, f), result * size)
IO_WHEN(!buffered(f, 1), char *, fgets, READ, (char *restrict b, int n, FILE *restrict f), (b, n, f), 0)
IO_WHEN(!buffered(f, 1), char *, __fgets_chk, READ, (char *restrict b, size_t room_, int n, FILE *restrict f), (b, room_, n, f), 0)
IO_WHEN(!buffered(f, 1), ssize_t, getdelim, READ, (char **restrict b, size_t *restrict n, int end, FILE *restrict f), (b, n, end, f),
        MOVED)
IO_WHEN(!buffered(f, 1), ssize_t, getline, READ, (char **restrict b, size_t *restrict n, FILE *restrict f), (b, n, f), MOVED)
IO_WHEN(!room(f, size * n), size_t, fwrite, WRITE, (const void *restrict b, size_t size, size_t n, FILE *restrict f),
        (b, size, n, f), result * size)
IO_WHEN(!room(f, strlen(s)), int, fputs, WRITE, (const char *restrict s, FILE *restrict f), (s, f), 0)
IO_WHEN(!f || f->_IO_write_ptr > f->_IO_write_base, int, fflush, WRITE, (FILE * f), (f), 0)
IO_CALL(int, fclose, OPEN, (FILE * f), (f))
IO_CALL(FILE *, fopen, OPEN, (const char *restrict path, const char *restrict mode), (path, mode))
IO_CALL(FILE *, fopen64, OPEN, (const char *restrict path, const char *restrict mode), (path, mode))
