/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Input and output by the C library's functions, and by syscall(), which no wrapper sees: slices.h, run by io_bench.py. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "slices.h"

enum { ROOM = 4096, LINE = SLICES_LINE, READ = 512, LOG = 90 };

static char buffer[ROOM], path[] = "/tmp/io_benchXXXXXX";
static struct iovec parts[2] = {{buffer, 200}, {buffer, READ}};
static int file, nothing, pair[2], connection[2];

#define KIND(name, by_function, by_number) \
    static void name(bool plain, long n) { \
        for (long i = 0; i < n; i++) { \
            if (plain) { \
                by_number; \
            } else { \
                by_function; \
            } \
            slices_work(); \
        } \
    }

#define OPEN_BY_FUNCTION int fd = openat(AT_FDCWD, path, O_RDONLY)
#define OPEN_BY_NUMBER int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0)
KIND(reads, slices_sum += pread(file, buffer, LINE, i % ROOM), slices_sum += syscall(SYS_pread64, file, buffer, LINE, i % ROOM))
KIND(opens, OPEN_BY_FUNCTION; close(fd), OPEN_BY_NUMBER; syscall(SYS_close, fd))
KIND(pairs, slices_sum += write(pair[0], buffer, LINE); slices_sum += read(pair[1], buffer, LINE), slices_sum += syscall(SYS_write, pair[0], buffer, LINE);
     slices_sum += syscall(SYS_read, pair[1], buffer, LINE))
KIND(packets, slices_sum += writev(connection[0], parts, 2); slices_sum += recv(connection[1], buffer, ROOM, 0), slices_sum += syscall(SYS_writev, connection[0], parts, 2);
     slices_sum += syscall(SYS_recvfrom, connection[1], buffer, ROOM, 0, 0, 0))
KIND(serves, OPEN_BY_FUNCTION; slices_sum += pread(fd, buffer, READ, 0); slices_sum += writev(connection[0], parts, 2); slices_sum += write(nothing, buffer, LOG); close(fd);
     slices_sum += recv(connection[1], buffer, ROOM, 0), OPEN_BY_NUMBER; slices_sum += syscall(SYS_pread64, fd, buffer, READ, 0); slices_sum += syscall(SYS_writev, connection[0], parts, 2);
     slices_sum += syscall(SYS_write, nothing, buffer, LOG); syscall(SYS_close, fd); slices_sum += syscall(SYS_recvfrom, connection[1], buffer, ROOM, 0, 0, 0))

static const slices_kind kinds[] = {{"read", 1, reads}, {"open", 2, opens}, {"pair", 2, pairs}, {"packet", 2, packets}, {"serve", 6, serves}};

static bool prepare(void) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int listening = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    file = mkstemp(path);
    nothing = open("/dev/null", O_WRONLY);
    connection[0] = socket(AF_INET, SOCK_STREAM, 0);
    return file >= 0 && nothing >= 0 && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair) && write(file, buffer, ROOM) == ROOM && write(file, buffer, ROOM) == ROOM &&
           !bind(listening, (struct sockaddr *)&a, size) && !listen(listening, 1) && !getsockname(listening, (struct sockaddr *)&a, &size) &&
           !connect(connection[0], (struct sockaddr *)&a, size) && (connection[1] = accept(listening, NULL, NULL)) >= 0 &&
           !setsockopt(connection[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

int main(int argc, char **argv) {
    int status = slices_main(argc, argv, kinds, sizeof kinds / sizeof kinds[0], CLOCK_THREAD_CPUTIME_ID, prepare);
    if (file > 0)
        unlink(path);
    return status;
}
