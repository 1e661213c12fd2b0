/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory, clocks and text without libc. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "rt.h"

static bool failed(long r) {
    return r < 0 && r > -4096;
}

/* Where we map, if nothing is there: far below where the kernel puts what the program maps. In a hole that the program has just made it might
 * look for nothing, or map something by force. One below the other, so that the kernel makes one area of them. 0: as the kernel likes. */
static _Atomic uint64_t lowest;

long hsc_rt_place(size_t size) {
    const uint64_t below = 1ull << 37, least = 1ull << 44, room = (size + HSC_RT_PAGE - 1) / HSC_RT_PAGE * HSC_RT_PAGE;
    uint64_t at = atomic_load_explicit(&lowest, memory_order_relaxed), from;
    do {
        from = at ? at : (uint64_t)&lowest / HSC_RT_PAGE * HSC_RT_PAGE - below; /* our library is where the kernel maps */
        if (from < least || from - least < room)
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(&lowest, &at, from - room, memory_order_relaxed, memory_order_relaxed));
    return (long)(from - room);
}

void *hsc_rt_map(size_t size) {
    long r = hsc_sys6(SYS_mmap, hsc_rt_place(size), (long)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return failed(r) ? NULL : (void *)r;
}

void hsc_rt_unmap(void *p, size_t size) {
    if (p)
        hsc_sys3(SYS_munmap, (long)p, (long)size, 0);
}

void *hsc_rt_remap(void *p, size_t old_size, size_t new_size) {
    void *to = !p || new_size > old_size ? hsc_rt_map(new_size) : p;
    if (!p || !to)
        return to;
    long r = hsc_sys6(SYS_mremap, (long)p, (long)old_size, (long)new_size, to == p ? 0 : MREMAP_MAYMOVE | MREMAP_FIXED, (long)to, 0);
    if (failed(r) && to != p)
        hsc_rt_unmap(to, new_size);
    return failed(r) ? NULL : (void *)r;
}

size_t hsc_rt_length(const char *s) {
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

bool hsc_rt_equal(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

void hsc_rt_append(char *buffer, size_t size, size_t *at, const char *text) {
    while (*text && *at + 1 < size)
        buffer[(*at)++] = *text++;
    buffer[*at] = 0;
}

void hsc_rt_append_u64(char *buffer, size_t size, size_t *at, uint64_t value) {
    char digits[24];
    int n = sizeof digits;
    digits[--n] = 0;
    do
        digits[--n] = (char)('0' + value % 10);
    while (value /= 10);
    hsc_rt_append(buffer, size, at, digits + n);
}

HSC_RT_HOT uint64_t hsc_rt_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t hsc_rt_now_both(uint64_t *cycles) {
    uint64_t best = UINT64_MAX, ns = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t before = hsc_cycles(), now = hsc_rt_now_ns(), gap = hsc_cycles() - before;
        if (gap >= best && gap - best <= best / 4) /* two alike: neither was torn */
            break;
        if (gap < best) {
            best = gap;
            ns = now;
            *cycles = before + gap / 2;
        }
    }
    return ns;
}

uint64_t hsc_rt_clock_ns(int32_t clock) {
    struct timespec t;
    if (hsc_sys3(SYS_clock_gettime, clock, (long)&t, 0))
        return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t hsc_rt_thread_cpu_ns(int32_t tid) {
    return hsc_rt_clock_ns((int32_t)(~(uint32_t)tid << 3 | 6)); /* the kernel's per-thread scheduler clock */
}

/* What the kernel makes of a write that fails is sent to the thread that writes: blocked before, and taken after. */
void hsc_rt_write_quietly(long fd, const char *text, size_t n) {
    const uint64_t ours = 1ull << (SIGPIPE - 1) | 1ull << (SIGXFSZ - 1);
    uint64_t before = 0, pending = 0;
    hsc_sys4(SYS_rt_sigprocmask, SIG_BLOCK, (long)&ours, (long)&before, sizeof ours);
    if (before & ours) /* may wait there for the program already */
        hsc_sys3(SYS_rt_sigpending, (long)&pending, sizeof pending, 0);
    long r = hsc_sys3(SYS_write, fd, (long)text, (long)n);
    uint64_t made = r == -EPIPE ? 1ull << (SIGPIPE - 1) : r == -EFBIG ? 1ull << (SIGXFSZ - 1) : 0;
    const struct timespec now = {0, 0};
    if (made & ~pending)
        hsc_sys4(SYS_rt_sigtimedwait, (long)&made, 0, (long)&now, sizeof made);
    hsc_sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before);
}

void hsc_rt_say_to(long fd, const char *text) {
    char line[HSC_RT_PATH + 512];
    size_t at = 0;
    hsc_rt_append(line, sizeof line - 1, &at, "heatscope: ");
    hsc_rt_append(line, sizeof line - 1, &at, text);
    line[at++] = '\n';
    hsc_rt_write_quietly(fd, line, at);
}
