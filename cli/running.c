/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "running.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <heatscope/formats/records.h>
#include <heatscope/formats/stream.h>

/* Was the file written on this machine? Its name is HOST.PID.hsr. */
static bool is_here(const char *path, uint64_t pid) {
    char host[256], name[320];
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (gethostname(host, sizeof host))
        return false;
    host[sizeof host - 1] = 0;
    snprintf(name, sizeof name, "%s.%llu.", host, (unsigned long long)pid);
    return !strncmp(base, name, strlen(name));
}

/* Is there no such process any more, or nothing of it but what its parent has not asked for yet? */
static bool has_ended(uint64_t pid) {
    char path[48], text[512], state = 0;
    long threads = 0;
    if (kill((pid_t)pid, 0))
        return errno == ESRCH;
    snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    char *after = strrchr(text, ')'); /* the name before may hold anything */
    return after && sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld", &state, &threads) == 2 &&
           (state == 'Z' || state == 'X') && threads <= 1;
}

bool hsc_running_is_gone(const char *path, uint64_t pid) {
    return pid && is_here(path, pid) && has_ended(pid);
}

bool hsc_running_is_alive(const char *host, uint64_t pid, const char *executable) {
    char path[64], name[512], program[4096];
    snprintf(path, sizeof path, "/proc/%llu/exe", (unsigned long long)pid);
    snprintf(name, sizeof name, "%.256s.%llu.hsr", host, (unsigned long long)pid);
    ssize_t n = pid && is_here(name, pid) ? readlink(path, program, sizeof program - 1) : -1;
    if (n < 0 || has_ended(pid))
        return false;
    program[n] = 0;
    return !strcmp(program, executable);
}

static bool is_of_process(void *ctx, hsc_chunk_kind kind, uint32_t stream) {
    (void)ctx, (void)kind;
    return stream == 0;
}

hsc_status hsc_running_read(const char *path, uint64_t command, hsc_running *out, hsc_err *err) {
    hsc_reader *reader;
    hsc_record rec;
    hsc_running x = {0};
    hsc_status status = hsc_reader_open(path, &reader, err);
    if (status)
        return status;
    hsc_reader_set_filter(reader, is_of_process, NULL);
    while (hsc_reader_next(reader, &rec)) {
        const void *v = rec.value;
        switch (rec.record_id) {
        case HSC_REC_process:
            x.pid = ((const hsc_rec_process *)v)->pid;
            break;
        case HSC_REC_process_end:
            x.ended = true;
            break;
        case HSC_REC_probe_place:
            x.has_probes[((const hsc_rec_probe_place *)v)->kind & 7] = true;
            break;
        case HSC_REC_command:
            if (((const hsc_rec_command *)v)->offset == command) {
                x.obeyed = true;
                x.named = ((const hsc_rec_command *)v)->named;
                x.changed = ((const hsc_rec_command *)v)->changed;
            }
            break;
        default:
            break;
        }
    }
    hsc_reader_close(reader);
    x.ended = x.ended || hsc_running_is_gone(path, x.pid);
    *out = x;
    return HSC_OK;
}
