/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ROUNDS brief reads each by one procedure that two others call in turns, whose frames are of one size. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static volatile long sum;

__attribute__((noinline)) static void reads(int fd) {
    char byte[16];
    sum += read(fd, byte, sizeof byte);
}

__attribute__((noinline)) static void first(int fd) {
    reads(fd);
    sum += 1;
}

__attribute__((noinline)) static void second(int fd) {
    reads(fd);
    sum += 2;
}

int main(int argc, char **argv) {
    int fd = open("/dev/zero", O_RDONLY);
    for (long i = argc > 1 ? atol(argv[1]) : 1000; i > 0; i--) {
        first(fd);
        second(fd);
    }
    return sum <= 0;
}
