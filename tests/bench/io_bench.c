/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* io_bench WHAT PAIRS CALLS KB: calls of input and output in turns by the C library's functions, which wrappers see, and by syscall(), which they don't: so many of each kind for
 * each of PAIRS slices, after each of them work on KB of memory. Prints the mean of what a call by syscall() took, and what one by the function took more (mean of the middle three
 * fifths of the pairs, and its standard error times 1.96), in ns of CPU time, and how many of the latter there were. WHAT: see the table below. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 4096, LINE = 64, READ = 512, LOG = 90 };

static unsigned char *memory;
static size_t memory_bytes;
static volatile long sum;
static char buffer[ROOM], path[] = "/tmp/io_benchXXXXXX";
static struct iovec parts[2] = {{buffer, 200}, {buffer, READ}};
static int file, nothing, pair[2], connection[2];

static void work(void) {
    long s = 0;
    for (size_t i = 0; i < memory_bytes; i += LINE)
        s += memory[i]++;
    sum += s;
}

#define KIND(name, by_function, by_number) \
    static void name(bool plain, long n) { \
        for (long i = 0; i < n; i++) { \
            if (plain) { \
                by_number; \
            } else { \
                by_function; \
            } \
            work(); \
        } \
    }

#define OPEN_BY_FUNCTION int fd = openat(AT_FDCWD, path, O_RDONLY)
#define OPEN_BY_NUMBER int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0)
KIND(reads, sum += pread(file, buffer, LINE, i % ROOM), sum += syscall(SYS_pread64, file, buffer, LINE, i % ROOM))
KIND(opens, OPEN_BY_FUNCTION; close(fd), OPEN_BY_NUMBER; syscall(SYS_close, fd))
KIND(pairs, sum += write(pair[0], buffer, LINE); sum += read(pair[1], buffer, LINE), sum += syscall(SYS_write, pair[0], buffer, LINE);
     sum += syscall(SYS_read, pair[1], buffer, LINE))
KIND(packets, sum += writev(connection[0], parts, 2); sum += recv(connection[1], buffer, ROOM, 0), sum += syscall(SYS_writev, connection[0], parts, 2);
     sum += syscall(SYS_recvfrom, connection[1], buffer, ROOM, 0, 0, 0))
KIND(serves, OPEN_BY_FUNCTION; sum += pread(fd, buffer, READ, 0); sum += writev(connection[0], parts, 2); sum += write(nothing, buffer, LOG); close(fd);
     sum += recv(connection[1], buffer, ROOM, 0), OPEN_BY_NUMBER; sum += syscall(SYS_pread64, fd, buffer, READ, 0); sum += syscall(SYS_writev, connection[0], parts, 2);
     sum += syscall(SYS_write, nothing, buffer, LOG); syscall(SYS_close, fd); sum += syscall(SYS_recvfrom, connection[1], buffer, ROOM, 0, 0, 0))

static const struct {
    const char *name;
    int calls;
    void (*make)(bool plain, long n);
} kinds[] = {{"read", 1, reads}, {"open", 2, opens}, {"pair", 2, pairs}, {"packet", 2, packets}, {"serve", 6, serves}};

static double now_ns(void) {
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

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

/* What one by the function took more, each way first in turns. */
static void compare(size_t kind, long n_pairs, long calls) {
    double *more = malloc(sizeof *more * (size_t)n_pairs), plain = 0;
    for (long k = 0; k < n_pairs; k++) {
        double took[2];
        for (int i = 0; i < 2; i++) {
            int way = i ^ (int)(k & 1);
            double begin = now_ns();
            kinds[kind].make(way, calls);
            took[way] = (now_ns() - begin) / (double)(calls * kinds[kind].calls);
        }
        more[k] = took[0] - took[1];
        plain += took[1];
    }
    qsort(more, (size_t)n_pairs, sizeof *more, by_size);
    long low = n_pairs / 5, high = n_pairs - low;
    double mean = 0, winsorised = 0, squares = 0;
    for (long k = low; k < high; k++)
        mean += more[k] / (double)(high - low);
    for (long k = 0; k < n_pairs; k++) {
        double v = k < low ? more[low] : k >= high ? more[high - 1] : more[k];
        winsorised += v / (double)n_pairs;
        squares += v * v / (double)n_pairs;
    }
    double error = sqrt((squares - winsorised * winsorised) / (double)n_pairs) / 0.6; /* of a trimmed mean: Tukey and McLaughlin 1963 */
    printf("%.0f %.1f %.1f %ld\n", plain / (double)n_pairs, mean, 1.96 * error, n_pairs * calls * kinds[kind].calls);
    free(more);
}

int main(int argc, char **argv) {
    size_t kind = 0, n = sizeof kinds / sizeof kinds[0];
    while (argc == 5 && kind < n && strcmp(kinds[kind].name, argv[1]))
        kind++;
    if (argc != 5 || kind == n || !prepare()) {
        fprintf(stderr, "usage: io_bench read|open|pair|packet|serve PAIRS CALLS KB\n");
        return 2;
    }
    memory_bytes = (size_t)atol(argv[4]) * 1024;
    memory = calloc(memory_bytes + 1, 1);
    compare(kind, atol(argv[2]), atol(argv[3]));
    unlink(path);
    free(memory);
    return 0;
}
