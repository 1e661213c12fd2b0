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
#include "notes.h"
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

/* also of what the process has made itself (pipes.h) */
#define IO_FROM(type, name, parameters, arguments) HSC_RT_READS(false, true, type, name, READ, parameters, arguments, fd, MOVED)
#define IO_TO(type, name, parameters, arguments) HSC_RT_WRITES(false, true, type, name, WRITE, parameters, arguments, fd, MOVED)

IO_FROM(ssize_t, read, (int fd, void *b, size_t n), (fd, b, n))
IO_FROM(ssize_t, __read_chk, (int fd, void *b, size_t n, size_t room), (fd, b, n, room))
IO_FROM(ssize_t, readv, (int fd, const struct iovec *v, int n), (fd, v, n))
IO_FROM(int, eventfd_read, (int fd, eventfd_t *value), (fd, value))
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
IO_CALL(int, sync_file_range, SYNC, (int fd, off64_t at_, off64_t n, unsigned flags), (fd, at_, n, flags))
IO_CALL(int, syncfs, SYNC, (int fd), (fd))
IO_WHEN((hsc_rt_pipe_closes(fd, &at), true), int, close, OPEN, (int fd), (fd), 0)

/* What changes folders, or how long a file is. */
IO_CALL(int, unlink, NAME, (const char *path), (path))
IO_CALL(int, unlinkat, NAME, (int folder, const char *path, int flags), (folder, path, flags))
IO_CALL(int, remove, NAME, (const char *path), (path))
IO_CALL(int, rmdir, NAME, (const char *path), (path))
IO_CALL(int, mkdir, NAME, (const char *path, mode_t mode), (path, mode))
IO_CALL(int, mkdirat, NAME, (int folder, const char *path, mode_t mode), (folder, path, mode))
IO_CALL(int, rename, NAME, (const char *from, const char *to), (from, to))
IO_CALL(int, renameat, NAME, (int folder, const char *from, int other, const char *to), (folder, from, other, to))
IO_CALL(int, renameat2, NAME, (int folder, const char *from, int other, const char *to, unsigned flags), (folder, from, other, to, flags))
IO_CALL(int, ftruncate, NAME, (int fd, off_t n), (fd, n))
IO_CALL(int, ftruncate64, NAME, (int fd, off64_t n), (fd, n))
IO_CALL(int, fallocate, NAME, (int fd, int mode, off_t at_, off_t n), (fd, mode, at_, n))
IO_CALL(int, fallocate64, NAME, (int fd, int mode, off64_t at_, off64_t n), (fd, mode, at_, n))
IO_CALL(int, posix_fallocate, NAME, (int fd, off_t at_, off_t n), (fd, at_, n))
IO_CALL(int, posix_fallocate64, NAME, (int fd, off64_t at_, off64_t n), (fd, at_, n))

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

/* Its descriptor, -1 where it has none. */
static inline int of_stream(const FILE *f) {
    return f ? f->_fileno : -1;
}

#define STREAM_FROM(name, type, bytes_asked, parameters, arguments, bytes) \
    HSC_RT_READS(false, !buffered(f, bytes_asked), type, name, READ, parameters, arguments, of_stream(f), bytes)
#define STREAM_TO(name, type, waits, parameters, arguments, bytes) \
    HSC_RT_WRITES(false, waits, type, name, WRITE, parameters, arguments, of_stream(f), bytes)

STREAM_FROM(fread, size_t, size * n, (void *restrict b, size_t size, size_t n, FILE *restrict f), (b, size, n, f), result * size)
STREAM_FROM(__fread_chk, size_t, size * n, (void *restrict b, size_t room_, size_t size, size_t n, FILE *restrict f), (b, room_, size, n, f),
            result * size)
STREAM_FROM(fgets, char *, 1, (char *restrict b, int n, FILE *restrict f), (b, n, f), 0)
STREAM_FROM(__fgets_chk, char *, 1, (char *restrict b, size_t room_, int n, FILE *restrict f), (b, room_, n, f), 0)
STREAM_FROM(getdelim, ssize_t, 1, (char **restrict b, size_t *restrict n, int end, FILE *restrict f), (b, n, end, f), MOVED)
STREAM_FROM(getline, ssize_t, 1, (char **restrict b, size_t *restrict n, FILE *restrict f), (b, n, f), MOVED)
STREAM_TO(fwrite, size_t, !room(f, size * n), (const void *restrict b, size_t size, size_t n, FILE *restrict f), (b, size, n, f), result * size)
STREAM_TO(fputs, int, !room(f, strlen(s)), (const char *restrict s, FILE *restrict f), (s, f), 0)
STREAM_TO(fflush, int, !f || f->_IO_write_ptr > f->_IO_write_base, (FILE * f), (f), 0)
IO_WHEN((hsc_rt_last_words_keep(of_stream(f), at.sp), hsc_rt_pipe_closes(of_stream(f), &at), true), int, fclose, OPEN, (FILE * f), (f), 0)
IO_CALL(FILE *, fopen, OPEN, (const char *restrict path, const char *restrict mode), (path, mode))
IO_CALL(FILE *, fopen64, OPEN, (const char *restrict path, const char *restrict mode), (path, mode))
