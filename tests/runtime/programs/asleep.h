/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Does a thread sleep? C and C++. */
#ifndef HEATSCOPE_TESTS_RUNTIME_ASLEEP_H
#define HEATSCOPE_TESTS_RUNTIME_ASLEEP_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The thread of this process with that id, as the kernel says now; 0 also where there is none. */
static inline int asleep(int thread) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    int fd = open(path, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *p = strrchr(text, ')');
    return p && p[2] == 'S';
}

#endif
