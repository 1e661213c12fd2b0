/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What changes a folder, or how long a file is: each call so many times. Usage: folders FOLDER */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TIMES = 20 };

static const char *volatile first = "a", *volatile second = "b", *volatile third = "c", *volatile folder = "d"; /* no copies of procedures for these */

static int made(const char *path) { return open(path, O_CREAT | O_WRONLY, 0600); }

static __attribute__((noinline)) int lengths(int fd) { return ftruncate(fd, 4096) | posix_fallocate(fd, 0, 4096) | syncfs(fd); }

static __attribute__((noinline)) int removes(const char *a, const char *b) { return unlink(a) | remove(b); }

static __attribute__((noinline)) int renames(const char *from, const char *to) { return rename(from, to); }

static __attribute__((noinline)) int folders(const char *path) { return mkdir(path, 0700) | rmdir(path); }

int main(int argc, char **argv) {
    int failed = argc != 2 || chdir(argv[1]);
    for (int i = 0; !failed && i < TIMES; i++) {
        int a = made(first), b = made(second);
        failed = a < 0 || b < 0 || lengths(a) || close(a) || close(b) || renames(second, third) || removes(first, third) || folders(folder);
    }
    return failed;
}
