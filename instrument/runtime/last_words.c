/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Standard error for the last line of programs that close it among the last things that they do (the exit handler of GNU's ls, sort, timeout): a
 * duplicate from there to the end of the process. Not from the start: the reader of a pipe would wait for its end in vain, where the program closes it and goes on. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>

#include "interpose.h"
#include "notes.h"

#define HIGH_FD 100                 /* no program counts on the number */
#define NEAR_BYTES (16 * HSC_RT_PAGE) /* of the stack, from who closes it up to exit() */

static struct stat at_start; /* st_ino 0: none is to be kept */

void hsc_rt_last_words_begin(void) {
    if (hsc_rt.options.quiet || fstat(2, &at_start))
        at_start.st_ino = 0;
}

/* A return address in exit() is on the stack. */
static bool exits(uint64_t sp) {
    uint64_t words[HSC_RT_PAGE / sizeof(uint64_t)];
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    uint64_t low = (uint64_t)dlsym(RTLD_DEFAULT, "exit");
    if (!low || !dladdr1((const void *)low, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
        return false;
    for (uint64_t from = sp & ~7ull, end = from + NEAR_BYTES, next; from < end; from = next) {
        next = (from | (HSC_RT_PAGE - 1)) + 1;
        if (!hsc_rt_read(words, from, next - from))
            return false; /* above the stack */
        for (uint64_t i = 0; i < (next - from) / sizeof *words; i++)
            if (words[i] > low && words[i] <= low + symbol->st_size) /* its last instruction is the call */
                return true;
    }
    return false;
}

void hsc_rt_last_words_keep(int fd, uint64_t sp) {
    struct stat now;
    if (fd != 2 || !at_start.st_ino || !hsc_rt_me.root || hsc_rt.sandboxed || atomic_load(&hsc_rt.stderr_kept) || (int)hsc_sys3(SYS_getpid, 0, 0, 0) != hsc_rt.pid)
        return;
    /* the end of a pipe that the program has put there may be waited for by its own reader */
    if (fstat(2, &now) || now.st_ino != at_start.st_ino || now.st_dev != at_start.st_dev || !exits(sp))
        return;
    long kept = hsc_sys3(SYS_fcntl, 2, F_DUPFD_CLOEXEC, HIGH_FD);
    if (kept > 0)
        atomic_store(&hsc_rt.stderr_kept, (int)kept);
}
