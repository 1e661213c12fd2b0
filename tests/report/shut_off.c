/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Computes for half a second of CPU time after it has shut itself off from all files (Landlock). 77: the kernel does not let it. */
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct landlock_ruleset_attr all = {.handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG};
    struct timespec t;
    volatile double x = 1;
    long rules = syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_landlock_restrict_self, rules, 0))
        return 77;
    do {
        for (int i = 0; i < 100000; i++)
            x = x / 3 + 1;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    } while (t.tv_sec == 0 && t.tv_nsec < 500000000);
    return 0;
}
