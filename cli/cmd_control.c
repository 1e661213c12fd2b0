/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope control: tells measured programs something while they run, by a line in a file of their measurement directory. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define COMMANDS_FILE ".control" /* HSC_RT_COMMANDS_FILE of the runtime */

static const hsc_cli_option options[] = {{NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    "control",
    "Arm probes, start and stop measuring in programs that run",
    "DIR|PID arm|disarm LIST | DIR|PID start|stop",
    "DIR is the directory that a measurement is being written to: all its processes are meant, on all machines that see\n"
    "it, also those that start later. PID is one measured process of this machine.\n\n"
    "arm, disarm: the probes of 'heatscope cc --probe' that LIST names, as with 'heatscope run --arm'.\n"
    "start, stop: samples and what goes with them; 'heatscope run --stopped' begins without.\n\n"
    "Processes look for commands once a second. What they did is in their files (records probe_armed, measuring).",
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
    (void)ctx, (void)option, (void)value;
    return -1;
}

int hsc_cmd_control(int argc, char **argv) {
    char directory[PATH_MAX - 64], path[PATH_MAX], host[65] = "*", line[4096];
    const char *pid = "*", *list = "";
    unsigned long long n;
    int first;
    int code = hsc_cli_parse(&command, argc, argv, set_option, NULL, &first);
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
    if (hsc_cli_parse_u64(argv[0], 1, INT_MAX, &n)) {
        if ((code = directory_of(argv[0], directory, sizeof directory)) >= 0)
            return code;
        pid = argv[0];
        gethostname(host, sizeof host);
        host[sizeof host - 1] = 0;
    } else if (!hsc_cli_is_measurement(argv[0]) || strlen(argv[0]) >= sizeof directory) {
        fprintf(stderr, "heatscope control: %s: expected a measurement directory or a process\n", argv[0]);
        return HSC_EXIT_FAILED;
    } else
        snprintf(directory, sizeof directory, "%s", argv[0]);
    int length = snprintf(line, sizeof line, "%s %s %s%s%s\n", host, pid, argv[1], *list ? " " : "", list);
    if (length < 0 || (size_t)length >= sizeof line)
        return usage("expected a shorter list");
    snprintf(path, sizeof path, "%s/" COMMANDS_FILE, directory);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0 || write(fd, line, (size_t)length) != length || close(fd)) { /* one write: lines of several writers stay whole */
        fprintf(stderr, "heatscope control: %s: %s\n", path, strerror(errno));
        return HSC_EXIT_FAILED;
    }
    return HSC_EXIT_OK;
}
