/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of events into what perf_event_open wants. */
#include "events.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEVICES "/sys/bus/event_source/devices"
#define WALL_PERIOD_NS 10000000u
#define WALL_PERIOD_LEAST_NS 1000000u

typedef struct known {
    const char *name;
    uint32_t type, config;
    uint64_t period;
} known;

static const known generic[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 2000003},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 2000003},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 2000003},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 2000003},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 200003},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 2000003},
    {"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 2000003},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 2000003},
    {"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 2000003},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 100003},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 10007},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 400009},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 400009},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 10007},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1000000},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 101},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 101},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, 101},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, 11},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, 1},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 11},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 11},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 1},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 1},
};

static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
static const char *const cache_operations[][2] = {{"loads", "load-misses"}, {"stores", "store-misses"},
                                                  {"prefetches", "prefetch-misses"}};

static bool no(char *why, size_t size, const char *text, const char *what) {
    snprintf(why, size, "%s%s%s", text, *what ? ": " : "", what);
    return false;
}

static bool read_line(const char *path, char *line, size_t size) {
    FILE *f = fopen(path, "re");
    bool ok = f && fgets(line, (int)size, f);
    if (f)
        fclose(f);
    if (ok)
        line[strcspn(line, "\n")] = 0;
    return ok;
}

/* ---- PMU/term=value,.../ ------------------------------------------------------------------------------------------------- */

/* Puts `value` into the bits that a format file names: "config:0-7,32-35". */
static bool put_bits(const char *format, uint64_t value, hsc_rt_event *e) {
    uint64_t *word = !strncmp(format, "config1:", 8)   ? &e->config1
                     : !strncmp(format, "config2:", 8) ? &e->config2
                     : !strncmp(format, "config:", 7)  ? &e->config
                                                       : NULL;
    const char *p = word ? strchr(format, ':') + 1 : "";
    while (word && isdigit((unsigned char)*p)) {
        char *end;
        unsigned long low = strtoul(p, &end, 10), high = low;
        if (*end == '-')
            high = strtoul(end + 1, &end, 10);
        for (unsigned long bit = low; bit <= high && bit < 64; bit++, value >>= 1)
            *word |= (value & 1) << bit;
        p = *end == ',' ? end + 1 : end;
    }
    return word && !value; /* all of it found room */
}

static bool put_terms(const char *pmu, char *terms, bool alias_allowed, hsc_rt_event *e, char *why, size_t why_size) {
    char path[512], line[512], *rest = NULL;
    for (char *term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(term, '='), *end = NULL;
        if (value)
            *value++ = 0;
        uint64_t v = value ? strtoull(value, &end, 0) : 1;
        if (value && (end == value || *end))
            return no(why, why_size, "expected a number after '=' of the term", term);
        if (strchr(term, '/') || *term == '.')
            return no(why, why_size, "no such term", term);
        if (value && !strcmp(term, "period")) {
            e->period = v;
            continue;
        }
        if (value && (!strcmp(term, "config") || !strcmp(term, "config1") || !strcmp(term, "config2"))) {
            *(term[6] == '1' ? &e->config1 : term[6] == '2' ? &e->config2 : &e->config) = v;
            continue;
        }
        snprintf(path, sizeof path, DEVICES "/%s/format/%.128s", pmu, term);
        if (read_line(path, line, sizeof line)) {
            if (!put_bits(line, v, e))
                return no(why, why_size, "the value does not fit in the term", term);
            continue;
        }
        snprintf(path, sizeof path, DEVICES "/%s/events/%.128s", pmu, term);
        if (!value && alias_allowed && read_line(path, line, sizeof line)) {
            if (!put_terms(pmu, line, false, e, why, why_size))
                return false;
            continue;
        }
        return no(why, why_size, "the kernel knows no such term of this event source", term);
    }
    return true;
}

static bool parse_pmu(char *text, hsc_rt_event *e, char *why, size_t why_size) {
    char path[512], line[64], *terms = strchr(text, '/');
    *terms++ = 0;
    terms[strlen(terms) - 1] = 0; /* the last slash */
    if (strchr(terms, '/') || !*text || *text == '.')
        return no(why, why_size, "expected SOURCE/TERM=VALUE,.../", "");
    snprintf(path, sizeof path, DEVICES "/%.128s/type", text);
    if (!read_line(path, line, sizeof line))
        return no(why, why_size, "this machine has no such event source (see " DEVICES ")", text);
    e->type = (uint32_t)strtoul(line, NULL, 10);
    e->period = 100003;
    return put_terms(text, terms, true, e, why, why_size);
}

/* ---- names --------------------------------------------------------------------------------------------------------------- */

static bool find_cache(const char *name, hsc_rt_event *e) {
    for (size_t c = 0; c < sizeof caches / sizeof *caches; c++) {
        size_t n = strlen(caches[c]);
        if (strncmp(name, caches[c], n) || name[n] != '-')
            continue;
        for (size_t o = 0; o < 3; o++)
            for (size_t miss = 0; miss < 2; miss++)
                if (!strcmp(name + n + 1, cache_operations[o][miss])) {
                    e->type = PERF_TYPE_HW_CACHE;
                    e->config = c | o << 8 | miss << 16;
                    e->period = miss ? 10007 : 100003;
                    return true;
                }
    }
    return false;
}

static bool find_tracepoint(const char *name, hsc_rt_event *e) {
    static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    char path[512], line[64];
    const char *colon = strchr(name, ':');
    for (size_t i = 0; colon && !strchr(name, '/') && !strchr(name, '.') && i < 2; i++) {
        snprintf(path, sizeof path, "%s/events/%.*s/%.128s/id", roots[i], (int)(colon - name < 128 ? colon - name : 128), name,
                 colon + 1);
        if (read_line(path, line, sizeof line)) {
            e->type = PERF_TYPE_TRACEPOINT;
            e->config = strtoull(line, NULL, 10);
            e->period = 1;
            return true;
        }
    }
    return false;
}

static bool find_name(char *name, hsc_rt_event *e, char *why, size_t why_size) {
    char *end;
    size_t n = strlen(name);
    if (!strcmp(name, "wall")) {
        e->kind = HSC_RT_EVENT_WALL;
        e->period = WALL_PERIOD_NS;
        e->is_clock = true;
        return true;
    }
    for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
        if (!strcmp(name, generic[i].name)) {
            e->type = generic[i].type;
            e->config = generic[i].config;
            e->period = generic[i].period;
            e->is_clock = e->type == PERF_TYPE_SOFTWARE &&
                          (e->config == PERF_COUNT_SW_CPU_CLOCK || e->config == PERF_COUNT_SW_TASK_CLOCK);
            return true;
        }
    if (n > 2 && strchr(name, '/') && name[n - 1] == '/' && strchr(name, '/') != name + n - 1)
        return parse_pmu(name, e, why, why_size);
    if (*name == 'r' && isxdigit((unsigned char)name[1])) {
        e->config = strtoull(name + 1, &end, 16);
        e->type = PERF_TYPE_RAW;
        e->period = 100003;
        if (!*end)
            return true;
    }
    if (find_cache(name, e) || find_tracepoint(name, e))
        return true;
    return no(why, why_size, strchr(name, ':') ? "no such event or tracepoint (or no right to read it)" : "no such event", "");
}

size_t hsc_rt_event_length(const char *list) {
    bool inside = false;
    size_t n = 0;
    for (; list[n] && (inside || list[n] != ','); n++)
        inside = inside != (list[n] == '/');
    return n;
}

bool hsc_rt_event_parse(const char *text, size_t size, hsc_rt_event *out, char *why, size_t why_size) {
    hsc_rt_event e = {.user = true};
    char name[256];
    uint64_t period = 0;
    if (!size || size > 90)
        return no(why, why_size, size ? "the name of the event is too long" : "expected the name of an event", "");
    memcpy(name, text, size);
    name[size] = 0;
    bool modified = false;
    /* from the end: a number is the period, letters are modifiers, in either order; what is left is the name */
    for (int part = 0; part < 2; part++) {
        char *colon = strrchr(name, ':'), *end;
        if (!colon || strchr(colon, '/') || !colon[1])
            break;
        if (!period && isdigit((unsigned char)colon[1])) {
            period = strtoull(colon + 1, &end, 10);
            if (*end || !period)
                return no(why, why_size, "expected a period after ':'", colon + 1);
        } else if (!modified && strspn(colon + 1, "uk") == strlen(colon + 1)) {
            e.user = strchr(colon + 1, 'u');
            e.kernel = strchr(colon + 1, 'k');
            modified = true;
        } else
            break;
        *colon = 0;
    }
    snprintf(e.name, sizeof e.name, "%.90s%s%s%s", name, modified ? ":" : "", modified && e.user ? "u" : "",
             modified && e.kernel ? "k" : "");
    if (!find_name(name, &e, why, why_size))
        return false;
    bool switches = e.type == PERF_TYPE_SOFTWARE && (e.config == PERF_COUNT_SW_CONTEXT_SWITCHES || e.config == PERF_COUNT_SW_CPU_MIGRATIONS);
    if (e.kind == HSC_RT_EVENT_PERF && !e.kernel && (e.type == PERF_TYPE_TRACEPOINT || switches))
        return no(why, why_size,
                  "it happens in the kernel, where a sample ends some blocking calls early (EINTR); add ':k' if that may be", e.name);
    if (period)
        e.period = period;
    if (e.kind == HSC_RT_EVENT_WALL && e.period < WALL_PERIOD_LEAST_NS)
        return no(why, why_size, "expected a period of at least 1000000 ns", "wall");
    *out = e;
    return true;
}

int hsc_rt_event_try(const hsc_rt_event *e) {
    struct perf_event_attr a;
    if (e->kind != HSC_RT_EVENT_PERF)
        return 0;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.type = e->type;
    a.config = e->config;
    a.config1 = e->config1;
    a.config2 = e->config2;
    a.sample_period = e->period;
    a.disabled = 1;
    a.exclude_user = !e->user;
    a.exclude_kernel = !e->kernel;
    a.exclude_hv = 1;
    int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

const char *hsc_rt_event_why(const hsc_rt_event *e, int error) {
    switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return e->type == PERF_TYPE_SOFTWARE ? "this kernel does not have it"
                                             : "this machine has no such counter, as most virtual machines";
    case EACCES:
    case EPERM:
        return e->kernel ? "not allowed: counting in the kernel needs kernel.perf_event_paranoid of 1 or less"
                         : "not allowed: kernel.perf_event_paranoid above 2, or a container that forbids it";
    case EINVAL:
        return "the kernel rejects it, perhaps for its period or terms";
    default:
        return strerror(error);
    }
}
