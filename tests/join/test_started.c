/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The name and the command of what was run, of made-up processes. */
#include <stdio.h>
#include <string.h>

#include "join_internal.h"

static int failed;

static jprocess process(const char *executable, const char *arguments, uint64_t pid, uint64_t start, int64_t rank) {
    return (jprocess){.has_start = true, .executable = executable, .arguments = arguments, .host = "host", .pid = pid,
                      .start_unix_ns = start, .rank = rank};
}

/* The last `n` - `left_out` of the processes are the run. */
static void check(const char *what, jprocess *list, size_t n, size_t left_out, const char *name, const char *command, size_t programs) {
    jprocess *run[8];
    join j = {0};
    j.processes.p = list;
    j.processes.n = n;
    for (size_t i = left_out; i < n; i++)
        run[i - left_out] = &list[i];
    j.run.p = run;
    j.run.n = n - left_out;
    const char *is = hsc_join_program_name(&j), *by = hsc_join_started(&j)->arguments;
    if (strcmp(is, name) || strcmp(by, command) || hsc_join_count_programs(&j) != programs) {
        printf("%s: '%s' by '%s', %zu programs, not '%s' by '%s', %zu\n", what, is, by, hsc_join_count_programs(&j), name, command, programs);
        failed = 1;
    }
    hsc_pool_fini(&j.pool);
}

int main(void) {
    jprocess seq = process("/usr/bin/seq", "seq 1 9", 11, 200, -1), sort = process("/usr/bin/sort", "sort", 12, 210, -1), again = seq;
    again.arguments = "seq 1 5";
    again.start_unix_ns = 150;
#define SCRIPT(arguments, name) \
    check(arguments, (jprocess[]){process("/bin/bash", arguments, 10, 100, -1), seq, sort}, 3, 1, name, arguments, 2)
    SCRIPT("/bin/bash ./many.sh", "many.sh");
    SCRIPT("/bin/bash -e dir/many.sh 3", "many.sh");
    SCRIPT("bash --norc many.sh -c", "many.sh");
    SCRIPT("bash -c seq 1 9 | sort", "bash");
    SCRIPT("bash -ec seq", "bash");
    SCRIPT("bash", "bash");
    SCRIPT("bash ", "bash");
    SCRIPT("bash -", "bash");
    check("one that counts", (jprocess[]){process("/opt/forker", "./forker x", 30, 100, -1), seq, sort}, 3, 0, "forker", "./forker x", 3);
    check("no shell", (jprocess[]){process("/usr/bin/timeout", "timeout 9 many", 10, 100, -1), seq, sort}, 3, 1, "timeout", "timeout 9 many", 2);
    check("one program", (jprocess[]){process("/bin/sh", "sh run.sh", 10, 100, -1), seq, again}, 3, 1, "seq", "sh run.sh", 1);
    check("first by time", (jprocess[]){seq, again}, 2, 0, "seq", "seq 1 5", 1);
    jprocess foreign = process("/bin/bash", "bash other.sh", 9, 50, -1);
    foreign.is_foreign = true;
    check("foreign", (jprocess[]){foreign, seq, sort}, 3, 1, "seq", "seq 1 9", 2);
    check("ranks", (jprocess[]){process("/usr/bin/mpirun", "mpirun -n 1 a : -n 1 b", 10, 100, -1), process("/opt/a", "a 1", 11, 200, 0),
                                process("/opt/b", "b 2", 12, 190, 1)}, 3, 1, "a", "a 1", 2);
    return failed;
}
