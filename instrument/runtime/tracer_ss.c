/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A debugger or tracer is told of every signal of the process that it holds: it would stop at each sample. Who is held at its start is not
 * measured; who is taken hold of later is not measured as long as that lasts. */
#include <fcntl.h>

#include "rt.h"

#define COMES_NS 300000000u /* so long is one that announced itself believed to come */

uint64_t hsc_rt_status_of(const char *word) {
    char text[4096];
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)"/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
    long n = fd >= 0 ? hsc_sys3(SYS_read, fd, (long)text, sizeof text - 1) : 0;
    if (fd >= 0)
        hsc_sys3(SYS_close, fd, 0, 0);
    text[n > 0 ? n : 0] = 0;
    for (const char *p = text; *p; p++) {
        size_t i = 0;
        while (word[i] && p[i] == word[i])
            i++;
        if (word[i])
            continue;
        uint64_t v = 0;
        for (p += i; *p == ' ' || *p == '\t'; p++)
            ;
        for (; *p >= '0' && *p <= '9'; p++)
            v = v * 10 + (uint64_t)(*p - '0');
        return v;
    }
    return 0;
}

bool hsc_rt_is_traced(void) {
    return hsc_rt_status_of("\nTracerPid:") != 0;
}

/* Threads that are in their handler, or own their writer, at the next beat. rt.lock is held. */
static void lull_all(void) {
    for (hsc_rt_thread *t = hsc_rt.threads; t; t = t->next)
        if (t->live)
            hsc_rt_lull(t);
}

static void say(bool traced) {
    char line[256];
    size_t at = 0;
    if (hsc_rt.options.quiet)
        return;
    hsc_rt_append(line, sizeof line, &at, "process ");
    hsc_rt_append_u64(line, sizeof line, &at, (uint64_t)hsc_rt.pid);
    hsc_rt_append(line, sizeof line, &at, traced ? " is not measured while a debugger or tracer holds it, which would be told of each sample's signal"
                                                 : " is measured again: no debugger or tracer holds it");
    hsc_rt_say(line);
}

static void change(bool traced, uint64_t now, int patience_ms) {
    uint64_t mask;
    if (!hsc_rt_lock_take(&hsc_rt.lock, &mask, patience_ms))
        return;
    bool tells = !atomic_load(&hsc_rt.finished) && atomic_exchange(&hsc_rt.traced, traced) != traced && atomic_load(&hsc_rt.measuring);
    if (tells && traced)
        atomic_store(&hsc_rt.off_ns, now);
    if (tells) {
        hsc_rec_measuring r = {now, !traced, HSC_measuring_reason_TRACER};
        hsc_rt_file_put(HSC_REC_measuring, &r, now);
        if (traced)
            lull_all();
        for (const hsc_rt_thread *t = hsc_rt.threads; !traced && t; t = t->next)
            if (t->live)
                hsc_rt_source_rouse(t);
    }
    hsc_rt_lock_release(&hsc_rt.lock, mask);
    if (tells)
        say(traced);
}

static _Atomic uint64_t came_ns;

/* Before the call that makes the tracer one: until then, which may be a while on a busy machine, it is not to be seen. */
void hsc_rt_tracer_came(uint64_t now) {
    atomic_store(&came_ns, now);
    change(true, now, 1000);
}

void hsc_rt_tracer_tend(uint64_t now) {
    bool traced = hsc_rt_is_traced();
    uint64_t mask, came = atomic_load(&came_ns);
    if (!traced && came && now < came + COMES_NS)
        return;
    if (traced != (bool)atomic_load(&hsc_rt.traced))
        change(traced, now, 100);
    else if (traced && hsc_rt_lock_take(&hsc_rt.lock, &mask, 100)) {
        lull_all();
        hsc_rt_lock_release(&hsc_rt.lock, mask);
    }
}
