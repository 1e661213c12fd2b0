/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that run others in a way that measuring cannot follow. */
#include <string.h>

#include "run.h"

const char *hsc_run_tool_note(const char *name) {
    static const char attach[] = "is measured itself, not what it starts and holds: run the program by 'heatscope run', and attach to it (-p PID)";
    static const struct {
        const char *begin, *note;
    } tools[] = {{"gdb", attach}, {"cgdb", attach}, {"lldb", attach}, {"strace", attach}, {"ltrace", attach},
                 {"valgrind", "runs programs many times slower: what is measured is their time in it, not their own"}};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        size_t n = strlen(tools[i].begin);
        if (!strncmp(name, tools[i].begin, n) && (!name[n] || name[n] == '-')) /* lldb-19, gdb-multiarch, valgrind */
            return tools[i].note;
    }
    return NULL;
}
