/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Most of its time is in machine code that it writes itself (x86-64: counts down from its argument), or, with an argument, in the same loop of its own. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static const unsigned char code[] = {0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3}; /* mov rax, rdi; dec rax; jnz; ret */

static long counted(long n) {
    for (; n; n--)
        __asm__ volatile("" : : "r"(n));
    return n;
}

int main(int argc, char **argv) {
    long (*down)(long) = counted, left = 0;
    void *made = mmap(NULL, sizeof code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct timespec t;
    (void)argv;
    if (made == MAP_FAILED)
        return 1;
    memcpy(made, code, sizeof code);
    if (mprotect(made, sizeof code, PROT_READ | PROT_EXEC))
        return 1;
    if (argc == 1)
        memcpy(&down, &made, sizeof down);
    do {
        left += down(1000000);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    } while (t.tv_sec == 0 && t.tv_nsec < 400000000);
    printf("%ld\n", left);
    return 0;
}
