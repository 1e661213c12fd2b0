/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Commands from outside: lines that `heatscope control` appends to a file of the measurement directory. The helper looks for
 * new ones once a second, by the size of the file: that works across machines, and asks nothing of the program.
 *
 * A line is "HOST PID VERB [LIST]", with * for any host and any process. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "probes.h"

#define LOOK_NS 1000000000ull
#define LINE_MAX_BYTES 4096u

static char path[HSC_RT_PATH], host[65];
static uint64_t next_ns, done_bytes;

void hsc_rt_commands_begin(const char *directory, const char *this_host) {
    size_t at = 0;
    hsc_rt_append(path, sizeof path, &at, directory);
    hsc_rt_append(path, sizeof path, &at, "/" HSC_RT_COMMANDS_FILE);
    at = 0;
    hsc_rt_append(host, sizeof host, &at, this_host);
}

/* The next word of the line at *at; its length, 0 at the end. */
static size_t word(const char *line, size_t n, size_t *at, const char **out) {
    while (*at < n && line[*at] == ' ')
        ++*at;
    size_t begin = *at;
    while (*at < n && line[*at] != ' ')
        ++*at;
    *out = line + begin;
    return *at - begin;
}

static bool is(const char *text, size_t n, const char *expected) {
    return hsc_rt_length(expected) == n && !__builtin_memcmp(text, expected, n);
}

/* Who gave the command reads in the file what came of it. */
static void answer(uint64_t offset, uint32_t named, uint32_t changed) {
    uint64_t mask, now = hsc_rt_now_ns();
    hsc_rec_command r = {now, offset, named, changed};
    if (!hsc_rt_lock_take(&hsc_rt.lock, &mask, HSC_RT_PATIENCE_MS))
        return;
    if (!atomic_load(&hsc_rt.finished))
        hsc_rt_file_put(HSC_REC_command, &r, now);
    hsc_rt_lock_release(&hsc_rt.lock, mask);
}

static void obey(const char *line, size_t n, uint64_t offset) {
    uint32_t named = 1, changed = 0;
    bool done = false;
    char number[24];
    const char *w[4];
    size_t length[4], at = 0, end = 0;
    for (int i = 0; i < 4; i++)
        length[i] = word(line, n, &at, &w[i]);
    hsc_rt_append_u64(number, sizeof number, &end, (uint64_t)hsc_rt.pid);
    if ((!is(w[0], length[0], "*") && !is(w[0], length[0], host)) || (!is(w[1], length[1], "*") && !is(w[1], length[1], number)))
        return;
    if (is(w[2], length[2], "arm") || is(w[2], length[2], "disarm"))
        done = hsc_rt_probes_arm(w[3], length[3], is(w[2], length[2], "arm"), &named, &changed);
    else if (is(w[2], length[2], "start") || is(w[2], length[2], "stop"))
        done = hsc_rt_measure(is(w[2], length[2], "start"), HSC_measuring_reason_COMMAND, &changed);
    if (done)
        answer(offset, named, changed);
}

/* Obeys the whole lines of the buffer. Returns how many bytes they are. */
static size_t obey_lines(const char *text, size_t n) {
    size_t begin = 0;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\n') {
            obey(text + begin, i - begin, done_bytes + begin);
            begin = i + 1;
        }
    return begin;
}

void hsc_rt_commands_tend(uint64_t now_ns) {
    struct stat st;
    char text[LINE_MAX_BYTES];
    if (now_ns < next_ns)
        return;
    next_ns = now_ns + LOOK_NS;
    if (hsc_sys4(SYS_newfstatat, AT_FDCWD, (long)path, (long)&st, 0) || (uint64_t)st.st_size <= done_bytes)
        return;
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0)
        return;
    long n;
    while ((n = hsc_sys4(SYS_pread64, fd, (long)text, sizeof text, (long)done_bytes)) > 0) {
        size_t used = obey_lines(text, (size_t)n);
        if (!used && (size_t)n < sizeof text)
            break; /* the rest of the line is still to come */
        done_bytes += used ? used : (size_t)n; /* too long to mean anything */
    }
    hsc_sys3(SYS_close, fd, 0, 0);
}
