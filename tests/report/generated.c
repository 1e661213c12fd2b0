/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Most of its time is in machine code that it writes itself (x86-64: counts down from its argument), or, with argument `own`, in the same loop of its own. `map`: it tells
 * of that code as perf wants it, in /tmp/perf-PID.map; `dump`: with lines in ./jit-PID.dump. `through`: it tells as with `map` of code that calls back its own loop. `forked`: as with
 * `map`, and the time is a child's. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const unsigned char code[] = {0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3}; /* mov rax, rdi; dec rax; jnz; ret */
static const unsigned char calling[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd6, 0x48, 0x83, 0xc4, 0x08, 0xc3}; /* sub 8, rsp; call *rsi; add 8, rsp; ret */

typedef long counting(long n, void *next);

static __attribute__((noinline)) long counted(long n, void *next) {
    (void)next;
    for (; n; n--)
        __asm__ volatile("" : : "r"(n));
    return n;
}

static int tell_map(const void *made) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *f = fopen(path, "w");
    return !f || fprintf(f, "%lx 40 JS:*made_down /src/made.js:3:7\n", (unsigned long)(uintptr_t)made) < 0 || fclose(f);
}

static int tell_dump(const void *made) {
    static const char name[] = "made_down", file[] = "/src/made.x";
    const uint64_t at = (uintptr_t)made;
    const uint32_t head[] = {0x4A695444, 1, 40, 62, 0, (uint32_t)getpid(), 0, 0, 0, 0}, ids[] = {(uint32_t)getpid(), (uint32_t)getpid()}, first = 7, second = 8, column = 1;
    const uint32_t lines_head[] = {2, (uint32_t)(16 + 16 + 2 * 16 + 2 * sizeof file), 0, 0}, load_head[] = {0, (uint32_t)(16 + 40 + sizeof name + sizeof code), 0, 0};
    const uint64_t lines[] = {at, 2}, second_at = at + 3, load[] = {at, at, sizeof code, 1}; /* mov is on the first line, the loop on the second */
    char path[64];
    snprintf(path, sizeof path, "jit-%d.dump", (int)getpid());
    FILE *f = fopen(path, "w+");
    if (!f)
        return 1;
    fwrite(head, sizeof head, 1, f);
    fwrite(lines_head, sizeof lines_head, 1, f);
    fwrite(lines, sizeof lines, 1, f);
    fwrite(&at, 8, 1, f), fwrite(&first, 4, 1, f), fwrite(&column, 4, 1, f), fwrite(file, sizeof file, 1, f);
    fwrite(&second_at, 8, 1, f), fwrite(&second, 4, 1, f), fwrite(&column, 4, 1, f), fwrite(file, sizeof file, 1, f);
    fwrite(load_head, sizeof load_head, 1, f);
    fwrite(ids, sizeof ids, 1, f);
    fwrite(load, sizeof load, 1, f);
    fwrite(name, sizeof name, 1, f);
    fwrite(code, sizeof code, 1, f);
    void *marker = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0);
    return marker == MAP_FAILED || fclose(f);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    counting *down = counted;
    long left = 0;
    int through = !strcmp(how, "through"), forks = !strcmp(how, "forked");
    void *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct timespec t;
    if (made == MAP_FAILED)
        return 1;
    memcpy(made, through ? calling : code, through ? sizeof calling : sizeof code);
    if (mprotect(made, 4096, PROT_READ | PROT_EXEC))
        return 1;
    if (strcmp(how, "own"))
        memcpy(&down, &made, sizeof down);
    if (((through || forks || !strcmp(how, "map")) && tell_map(made)) || (!strcmp(how, "dump") && tell_dump(made)))
        return 1;
    if (forks && fork() > 0)
        return wait(NULL) < 0;
    do {
        left += down(1000000, (void *)counted); /* NOLINT */
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    } while (t.tv_sec == 0 && t.tv_nsec < 400000000);
    printf("%ld\n", left);
    return 0;
}
