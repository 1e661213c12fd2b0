/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Most of a library's code vanishes, without the dynamic linker, while other code runs in what is left of its addresses, and words on the stack still point
 * to what is gone: as between dlclose and the next dlopen, before anybody has looked what is mapped. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE 4096u
#define GONE 65536u

uint64_t gone_spin(uint64_t n);

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* others may have the processor */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* With words on the stack that could be return addresses in the library. */
static __attribute__((noinline)) uint64_t spin(char *rest, uint64_t n) {
    volatile uint64_t words[64];
    for (unsigned i = 0; i < 64; i++)
        words[i] = (uint64_t)rest + 512 * i + 64;
    uint64_t (*volatile call)(uint64_t) = gone_spin; /* a direct one would be found at once */
    return call(n) + words[n % 64];
}

int main(void) {
    char *page = (char *)(uintptr_t)&gone_spin, *rest = page + PAGE;
    uint64_t sum = 0;
    for (double end = seconds() + 0.5; seconds() < end;)
        sum += spin(rest, 1000000);
    char code[PAGE];
    memcpy(code, page, PAGE);
    if (mmap(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
        return 2;
    memcpy(page, code, PAGE);
    if (munmap(rest, GONE))
        return 3;
    for (double end = seconds() + 0.3; seconds() < end;)
        sum += spin(rest, 1000000);
    printf("%d\n", sum != 0);
    return 0;
}
