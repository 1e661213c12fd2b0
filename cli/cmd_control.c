/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope control: tells measured programs something while they run, by a line in a file of their measurement directory. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <heatscope/formats/records.h>

#include "run.h"
#include "running.h"

#define COMMANDS_FILE ".control" /* HSC_RT_COMMANDS_FILE of the runtime */

static const hsc_cli_option options[] = {
    {"wait", 0, "SECONDS", "how long to wait until the processes have done so (default 10; 0: not at all)"},
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    "control",
    "Arm probes, start and stop measuring in programs that run",
    "[--wait=SECONDS] DIR|PID arm|disarm LIST | DIR|PID start|stop",
    "DIR is the directory that a measurement is being written to: all its processes are meant, on all machines that see it, also "
    "those that start later. PID is one measured process of this machine.\n\n"
    "arm, disarm: the probes of 'heatscope cc --probe' that LIST names, as with 'heatscope run --arm'.\n\n"
    "start, stop: samples and what goes with them; 'heatscope run --stopped' begins without. 'heatscope report' says when measuring "
    "was off.\n\n"
    "Processes look for commands once a second, and write what they did into their files (records command, probe_armed, measuring). "
    "The command waits for that and says what it was, also that all was so already. It fails, with one line, when no such process "
    "runs any more, when none has probes that LIST names, and when one has not looked in the time to wait.",
    "  heatscope control heatscope-prog-1234 arm procedures:solve\n"
    "  heatscope control 1234 stop",
    options,
    false};

/* The measurement directory of a process, from its environment. */
static int directory_of(const char *pid, char *directory, size_t size) {
    char path[64], *text = NULL;
    size_t n = 0, capacity = 0;
    int code = HSC_EXIT_FAILED;
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "heatscope control: process %s: %s\n", pid, errno == ENOENT ? "there is none" : strerror(errno));
        return code;
    }
    while (getdelim(&text, &capacity, 0, f) > 0)
        if (!strncmp(text, "HEATSCOPE_OUTPUT=/", 18)) {
            n = (size_t)snprintf(directory, size, "%s", text + 17);
            break;
        }
    fclose(f);
    free(text);
    if (n && n < size)
        code = -1;
    else
        fprintf(stderr, "heatscope control: process %s is not measured\n", pid);
    return code;
}

static int usage(const char *what) {
    fprintf(stderr, "heatscope control: %s; 'heatscope control --help' tells more\n", what);
    return HSC_EXIT_USAGE;
}

static int set_option(void *ctx, int option, const char *value) {
    unsigned long long *wait_s = ctx;
    return hsc_cli_parse_u64(value, 0, 86400, wait_s) ? -1 : hsc_cli_bad_value(&command, option, "whole seconds, at most 86400", value);
}

static int failed(const char *target, const char *what) {
    fprintf(stderr, "heatscope control: %s: %s\n", target, what);
    return HSC_EXIT_FAILED;
}

/* ---- the processes that are meant --------------------------------------------------------------------------------------- */

typedef struct meant {
    char *path; /* of the stream file */
    hsc_running at; /* when it was last read */
} meant;

typedef struct all_meant {
    meant *p;
    size_t n, ended;
} all_meant;

static void forget(all_meant *a) {
    for (size_t i = 0; i < a->n; i++)
        free(a->p[i].path);
    free(a->p);
    *a = (all_meant){0};
}

/* The directory's processes that run, or the one with that number. Files that are not readable yet are left out. */
static bool find_meant(const char *directory, unsigned long long pid, all_meant *a) {
    DIR *d = opendir(directory);
    bool ok = true;
    for (struct dirent *e; d && ok && (e = readdir(d));) {
        size_t n = strlen(e->d_name), room = strlen(directory) + n + 2;
        if (n < 5 || strcmp(e->d_name + n - 4, ".hsr"))
            continue;
        meant m = {.path = malloc(room)};
        meant *more = realloc(a->p, (a->n + 1) * sizeof *more);
        a->p = more ? more : a->p;
        if (!(ok = m.path && more)) {
            free(m.path);
            break;
        }
        snprintf(m.path, room, "%s/%s", directory, e->d_name);
        bool known = !hsc_running_read(m.path, HSC_RUNNING_NO_COMMAND, &m.at, NULL) && m.at.pid && (!pid || m.at.pid == pid);
        if (known && !m.at.ended)
            a->p[a->n++] = m;
        else {
            a->ended += known;
            free(m.path);
        }
    }
    if (d)
        closedir(d);
    return ok;
}

/* Drops the processes without probes of the kinds in the list. */
static void keep_probed(all_meant *a, const char *list) {
    static const char *const words[] = {[HSC_probe_kind_PROCEDURE] = "procedures", [HSC_probe_kind_LOOP] = "loops", [HSC_probe_kind_CALL] = "calls",
                                        [HSC_probe_kind_MESSAGE] = "messages", [HSC_probe_kind_VALUE] = "values"};
    size_t kept = 0;
    for (size_t i = 0; i < a->n; i++) {
        bool has = false;
        for (const char *c = list; *c; c += strcspn(c, ","), c += *c == ',') {
            size_t n = strcspn(c, ":,");
            for (unsigned k = 0; k < sizeof words / sizeof *words; k++)
                if (a->p[i].at.has_probes[k] && ((n == 3 && !strncmp(c, "all", 3)) || (n == strlen(words[k]) && !strncmp(c, words[k], n))))
                    has = true;
        }
        if (has)
            a->p[kept++] = a->p[i];
        else
            free(a->p[i].path);
    }
    a->n = kept;
}

typedef struct effect {
    size_t obeyed, changed_in, gone; /* processes: that have obeyed, in which something has changed by it, that have ended without */
    unsigned long long named, changed; /* probes, or processes */
} effect;

/* Until all have obeyed the command at that offset or have ended, or the time is over. */
static effect await(all_meant *a, uint64_t offset, unsigned long long wait_s) {
    struct timespec now, nap = {0, 50000000};
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (time_t end = now.tv_sec + (time_t)wait_s;;) {
        effect e = {0};
        for (size_t i = 0; i < a->n; i++) {
            meant *m = &a->p[i];
            if (!m->at.obeyed)
                (void)hsc_running_read(m->path, offset, &m->at, NULL); /* as it was, where that fails */
            e.obeyed += m->at.obeyed;
            e.changed_in += m->at.obeyed && m->at.changed;
            e.gone += !m->at.obeyed && m->at.ended;
            e.named += m->at.named;
            e.changed += m->at.changed;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (e.obeyed + e.gone == a->n || now.tv_sec > end)
            return e;
        nanosleep(&nap, NULL);
    }
}

static const char *plural(size_t n) { return n == 1 ? "" : "es"; }

static void say_armed(const effect *e, const char *verb) {
    unsigned long long already = e->named - e->changed;
    if (e->changed)
        printf("%llu probe%s %sed in %zu process%s", e->changed, e->changed == 1 ? "" : "s", verb, e->changed_in, plural(e->changed_in));
    if (e->changed && already)
        printf(", %llu %s so already\n", already, already == 1 ? "was" : "were");
    else if (already)
        printf("%llu probe%s %s %sed already in %zu process%s\n", already, already == 1 ? "" : "s", already == 1 ? "was" : "were", verb, e->obeyed,
               plural(e->obeyed));
    else
        printf("\n");
}

static void say_measuring(const effect *e, bool off) {
    size_t already = e->obeyed - e->changed_in;
    if (e->changed_in)
        printf("measuring is %s in %zu process%s", off ? "off" : "on", e->changed_in, plural(e->changed_in));
    if (e->changed_in && already)
        printf(", in %zu it was already\n", already);
    else if (already)
        printf("measuring was %s already in %zu process%s\n", off ? "off" : "on", already, plural(already));
    else
        printf("\n");
}

/* Says what came of the command. */
static int tell_effect(const char *target, all_meant *a, const char *verb, unsigned long long wait_s, uint64_t offset) {
    bool arms = strstr(verb, "arm") != NULL;
    if (!a->n) {
        printf("no process there yet: those that start will do so\n");
        return HSC_EXIT_OK;
    }
    if (!wait_s) {
        printf("%zu process%s told\n", a->n, plural(a->n));
        return HSC_EXIT_OK;
    }
    effect e = await(a, offset, wait_s);
    size_t rest = a->n - e.obeyed - e.gone;
    if (e.gone == a->n)
        return failed(target, "ended before it looked for commands");
    if (!e.obeyed) {
        fprintf(stderr, "heatscope control: %s: no process has looked for commands in %llu s\n", target, wait_s);
        return HSC_EXIT_FAILED;
    }
    if (arms && !e.named)
        return failed(target, "the list names none of the probes that are there");
    if (arms)
        say_armed(&e, verb);
    else
        say_measuring(&e, !strcmp(verb, "stop"));
    if (rest) {
        fprintf(stderr, "heatscope control: %s: %zu more process%s ha%s not looked for commands in %llu s\n", target, rest, plural(rest), rest == 1 ? "s" : "ve",
                wait_s);
        return HSC_EXIT_FAILED;
    }
    return HSC_EXIT_OK;
}

/* *offset: where the line begins in the file of commands. */
static int append(const char *directory, const char *line, uint64_t *offset) {
    size_t room = strlen(directory) + sizeof "/" COMMANDS_FILE, length = strlen(line);
    char *path = malloc(room);
    if (!path)
        return failed(directory, strerror(errno));
    snprintf(path, room, "%s/" COMMANDS_FILE, directory);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666), code = -1;
    bool ok = fd >= 0 && write(fd, line, length) == (ssize_t)length; /* one write: lines of several writers stay whole */
    off_t end = ok ? lseek(fd, 0, SEEK_CUR) : 0;
    if (!ok || end < (off_t)length || close(fd))
        code = failed(path, strerror(errno));
    *offset = (uint64_t)end - length;
    free(path);
    return code;
}

static int give(const char *target, const char *directory, unsigned long long pid, const char *verb, const char *list, unsigned long long wait_s) {
    char host[65] = "*", number[24] = "*", line[4096];
    all_meant a = {0};
    uint64_t offset = 0;
    if (pid) {
        snprintf(number, sizeof number, "%llu", pid);
        gethostname(host, sizeof host);
        host[sizeof host - 1] = 0;
    }
    int length = snprintf(line, sizeof line, "%s %s %s%s%s\n", host, number, verb, *list ? " " : "", list);
    if (length < 0 || (size_t)length >= sizeof line)
        return usage("expected a shorter list");
    int code = find_meant(directory, pid, &a) ? -1 : failed(target, "no memory for its processes");
    if (code < 0 && !a.n && (a.ended || pid))
        code = failed(target, pid ? "has no file there that it writes to" : a.ended == 1 ? "its process has ended" : "its processes have ended");
    if (code < 0 && a.n && *list) {
        keep_probed(&a, list);
        if (!a.n)
            code = failed(target, "no such probes in what runs: 'heatscope cc --probe=LIST' compiles them in");
    }
    if (code < 0)
        code = append(directory, line, &offset);
    if (code < 0)
        code = tell_effect(target, &a, verb, wait_s, offset);
    forget(&a);
    return code;
}

int hsc_cmd_control(int argc, char **argv) {
    char directory[PATH_MAX];
    const char *list = "";
    unsigned long long pid = 0, wait_s = 10;
    int first;
    int code = hsc_cli_parse(&command, argc, argv, set_option, &wait_s, &first);
    if (code >= 0)
        return code;
    argv += first;
    argc -= first;
    if (argc < 2)
        return usage("expected a directory or process, and what to do");
    bool arms = !strcmp(argv[1], "arm") || !strcmp(argv[1], "disarm");
    if (!arms && strcmp(argv[1], "start") && strcmp(argv[1], "stop"))
        return usage("expected arm, disarm, start or stop");
    if (argc != (arms ? 3 : 2))
        return usage(arms ? "expected one list of probes" : "expected no more than start or stop");
    if (arms && !hsc_run_is_probe_list(list = argv[2]))
        return usage("expected a list of procedures, loops, calls, messages, values, each with :NAME or not, or all");
    if (strpbrk(list, " \n"))
        return usage("expected a list without blanks");
    if (hsc_cli_parse_u64(argv[0], 1, INT_MAX, &pid)) {
        if ((code = directory_of(argv[0], directory, sizeof directory)) >= 0)
            return code;
        return give(argv[0], directory, pid, argv[1], list, wait_s);
    }
    if (!hsc_cli_is_measurement(argv[0]))
        return failed(argv[0], "expected a measurement directory or a process");
    return give(argv[0], argv[0], 0, argv[1], list, wait_s);
}
