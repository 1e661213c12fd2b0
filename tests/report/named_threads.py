# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads have the names that the program gives them after their begin: one that names itself and ends, and one that is named by another, has no sample and
waits when the program ends. Usage: named_threads.py HEATSCOPE COMPILER WORK"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, COMPILER, WORK = sys.argv[1:4]
SOURCE = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static volatile double sink;

static void *works(void *a) {
    pthread_setname_np(pthread_self(), "compactor");
    struct timespec now;
    do {
        for (int i = 0; i < 50000; i++)
            sink = sink * 0.5 + i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec + now.tv_nsec / 1e9 < 0.2);
    return a;
}

static void *waits(void *a) {
    pthread_mutex_lock(&lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
    return a;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&second, NULL, waits, NULL);
    pthread_setname_np(second, "writer");
    pthread_create(&first, NULL, works, NULL);
    pthread_join(first, NULL);
    return 0;
}
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
with open(os.path.join(WORK, "names.c"), "w", encoding="utf-8") as f:
    f.write(SOURCE)
run(COMPILER, "-O1", "-g", "-o", "names", "names.c", "-pthread")
run(HEATSCOPE, "run", "-q", "-o", "m", "./names")
names = sorted(r["name"] for r in csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=processor", "--format=csv", "m"))))
if names != ["compactor", "names", "writer"]:
    sys.exit(f"names of the threads: {names}")
