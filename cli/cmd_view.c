/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope view: the window; --snapshot and --script drive it without a person and, under an Xvfb of their own, without
 * a display. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { OPT_SNAPSHOT, OPT_SIZE, OPT_THEME, OPT_SELECT, OPT_AXIS, OPT_SCRIPT, OPT_SCALE };

static const hsc_cli_option view_options[] = {
    {"snapshot", 's', "FILE.png", "draw the window, save it and end; needs no display"},
    {"size", 0, "WxH", "size of the window in pixels (default: as it was last left, at first 1560x940, less where the screen is small)"},
    {"theme", 0, "light|dark", "looks (default: as last chosen by key t, at first light)"},
    {"select", 0, "WHAT", "begin at a procedure, a FILE:LINE or a file"},
    {"axis", 0, "process|thread", "what the columns are"},
    {"script", 0, "FILE", "run the window's commands from FILE, '-' for standard input"},
    {"scale", 0, "FACTOR", "size of letters and all else, for dense screens (default: the display's)"},
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command view_command = {
    "view",
    "show a database in a window",
    "[OPTIONS] DB|DIR [DB2|DIR2]",
    "Opens the linked views of a correlated database: overview, source with one cell for each line and processor,\n"
    "ranking, scopes. A measurement directory is correlated first. F1 shows all keys.\n\n"
    "A second database is compared with the first: what changed, by procedure, loop, line and module, with intervals; the\n"
    "window begins where most changed.\n\n"
    "--snapshot and --script use an Xvfb of their own when that is installed (Debian package xvfb), else the display.\n"
    "The script's commands are words on a line: select TEXT, set KEY VALUE, get KEY, key SEQUENCE, search TEXT,\n"
    "finding N, raise VIEW, toggle VIEW, maximise VIEW, group VIEW KEY, sort VIEW COLUMN, pair P Q, describe VIEW,\n"
    "snapshot window|VIEW FILE.png, export VIEW FILE, session save|open FILE, click VIEW WIDGET X Y, back, forward,\n"
    "quit; an unknown one lists them all. VIEW is overview, profilemap, outline, terrain, detail, findings, ranking,\n"
    "scope, flame, contexts, assembly, compiler, messages, matrix, waiting, arrays, probes, compare, timeline or about, or\n"
    "the words on its tab. docs/viewer.md has them all with the keys of the selection.",
    "  heatscope view run.hsm\n"
    "  heatscope view --snapshot picture.png --size=1880x1080 --theme=dark run.hsm\n"
    "  heatscope view --select=solve.f90:219 heatscope.h5",
    view_options,
    false};

typedef struct view_request {
    const char *snapshot, *size, *theme, *select, *axis, *script, *scale;
} view_request;

static volatile sig_atomic_t caught;
static sigset_t before; /* signals as we found them */

static void on_signal(int sig) {
    if (sig != SIGCHLD)
        caught = sig;
}

/* From here on the signals come only where we wait for them. */
static void hold_signals(void) {
    static const int which[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        sigaddset(&set, which[i]);
        sigaction(which[i], &action, NULL);
    }
    sigprocmask(SIG_BLOCK, &set, &before);
}

/* In a child, before exec. */
static void release_signals(void) {
    static const int which[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    for (size_t i = 0; i < sizeof which / sizeof *which; i++)
        signal(which[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static int set_option(void *ctx, int option, const char *value) {
    view_request *r = ctx;
    switch (option) {
    case OPT_SNAPSHOT: {
        size_t n = strlen(value);
        if (n < 5 || strcmp(value + n - 4, ".png"))
            return hsc_cli_bad_value(&view_command, option, "a file name that ends in .png", value);
        r->snapshot = value;
        break;
    }
    case OPT_SIZE: {
        unsigned w = 0, h = 0;
        char rest = 0;
        if (sscanf(value, "%4ux%4u%c", &w, &h, &rest) != 2 || w < 400 || h < 300 || w > 8000 || h > 8000)
            return hsc_cli_bad_value(&view_command, option, "WIDTHxHEIGHT from 400x300 to 8000x8000", value);
        r->size = value;
        break;
    }
    case OPT_THEME:
        if (strcmp(value, "light") && strcmp(value, "dark"))
            return hsc_cli_bad_value(&view_command, option, "light or dark", value);
        r->theme = value;
        break;
    case OPT_SELECT:
        r->select = value;
        break;
    case OPT_AXIS:
        if (strcmp(value, "process") && strcmp(value, "thread"))
            return hsc_cli_bad_value(&view_command, option, "process or thread", value);
        r->axis = value;
        break;
    case OPT_SCRIPT:
        r->script = value;
        break;
    case OPT_SCALE: {
        char *end = NULL;
        double f = strtod(value, &end);
        if (!*value || *end || !(f >= 0.75 && f <= 4))
            return hsc_cli_bad_value(&view_command, option, "a number from 0.75 to 4", value);
        r->scale = value;
        break;
    }
    }
    return -1;
}

/* First of the programs that PATH has. */
static bool find_program(const char *const *names, char *buffer, size_t size) {
    const char *path = getenv("PATH");
    if (!path || !*path)
        path = "/usr/local/bin:/usr/bin:/bin";
    for (size_t i = 0; names[i]; i++) {
        for (const char *p = path; *p;) {
            size_t n = strcspn(p, ":");
            if (n && snprintf(buffer, size, "%.*s/%s", (int)n, p, names[i]) < (int)size && !access(buffer, X_OK))
                return true;
            p += n;
            p += *p == ':';
        }
    }
    return false;
}

/* Tcl reads words and writes text in the locale's encoding: it must hold every name. */
static void want_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3; i++) {
        const char *v = getenv(names[i]);
        if (!v || !*v)
            continue;
        if (strcasestr(v, "utf-8") || strcasestr(v, "utf8"))
            return;
        break;
    }
    setenv("LC_ALL", "C.UTF-8", 1);
}

/* ---- an X server of our own ---- */

typedef struct x_server {
    pid_t pid;
    char folder[512], auth[600];
} x_server;

static bool write_auth(const char *path, hsc_err *err) {
    /* one entry for any host and display: family, address, number, name, data, each with its length, big-endian */
    static const char name[] = "MIT-MAGIC-COOKIE-1";
    unsigned char entry[2 + 2 + 2 + 2 + 18 + 2 + 16] = {0xff, 0xff, 0, 0, 0, 0, 0, 18};
    memcpy(entry + 8, name, 18);
    entry[27] = 16;
    int fd = -1;
    if (getrandom(entry + 28, 16, 0) != 16 || (fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0 ||
        write(fd, entry, sizeof entry) != (ssize_t)sizeof entry) {
        hsc_err_set_errno(err, errno, "%s: cannot be written", path);
        if (fd >= 0)
            close(fd);
        return false;
    }
    close(fd);
    return true;
}

static void stop_server(x_server *x) {
    if (x->pid > 0) {
        kill(x->pid, SIGTERM);
        /* it removes its socket and lock on the way out; one that hangs is ended hard */
        for (int i = 0; i < 200; i++) {
            pid_t p = waitpid(x->pid, NULL, WNOHANG);
            if (p == x->pid || (p < 0 && errno != EINTR)) {
                x->pid = 0;
                break;
            }
            struct timespec pause = {0, 10000000};
            nanosleep(&pause, NULL);
        }
        if (x->pid > 0) {
            kill(x->pid, SIGKILL);
            while (waitpid(x->pid, NULL, 0) < 0 && errno == EINTR)
                ;
        }
    }
    if (x->auth[0])
        unlink(x->auth);
    if (x->folder[0])
        rmdir(x->folder);
    memset(x, 0, sizeof *x);
}

/* The server picks a free display number by itself and tells it through a pipe when it is ready. */
static bool start_server(x_server *x, const char *program, unsigned width, unsigned height, hsc_err *err) {
    memset(x, 0, sizeof *x);
    const char *tmp = getenv("TMPDIR");
    snprintf(x->folder, sizeof x->folder, "%s/heatscope-view-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(x->folder)) {
        hsc_err_set_errno(err, errno, "%s: no temporary folder", x->folder);
        x->folder[0] = 0;
        return false;
    }
    snprintf(x->auth, sizeof x->auth, "%s/Xauthority", x->folder);
    if (!write_auth(x->auth, err))
        return false;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        hsc_err_set_errno(err, errno, "no pipe to Xvfb");
        return false;
    }
    pid_t parent = getpid();
    x->pid = fork();
    if (x->pid < 0) {
        hsc_err_set_errno(err, errno, "no process for Xvfb");
        close(ends[0]);
        close(ends[1]);
        x->pid = 0;
        return false;
    }
    if (!x->pid) {
        char number[16], screen[32];
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(127);
        setpgid(0, 0); /* Ctrl-C is for us: we end the server when the viewer has gone */
        release_signals();
        int fd = fcntl(ends[1], F_DUPFD, 10);
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
        snprintf(number, sizeof number, "%d", fd);
        snprintf(screen, sizeof screen, "%ux%ux24", width, height);
        execl(program, "Xvfb", "-displayfd", number, "-screen", "0", screen, "-dpi", "96", "-noreset", "-nolisten", "tcp",
              "-auth", x->auth, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    char display[32] = ":";
    size_t n = 1;
    while (n < sizeof display - 1 && !caught) {
        struct pollfd wait = {.fd = ends[0], .events = POLLIN};
        if (ppoll(&wait, 1, NULL, &before) < 0)
            continue; /* SIGCHLD: the pipe's end tells; others: caught */
        if (read(ends[0], display + n, 1) <= 0 || display[n] == '\n')
            break;
        n++;
    }
    close(ends[0]);
    display[n] = 0;
    if (n < 2) {
        hsc_err_set(err, HSC_E_UNSUPPORTED, "Xvfb did not start: try '%s :99' to see why", program);
        return false;
    }
    setenv("DISPLAY", display, 1);
    setenv("XAUTHORITY", x->auth, 1);
    return true;
}

/* Becomes the viewer, whose malloc gets large pages; its start is getting memory for a good part. It takes that out of its environment again. */
static void become(char **argv) {
    setenv(HSC_CLI_TUNABLES, HSC_CLI_LARGE_PAGES, 0); /* what the user says of malloc stands */
    execv(argv[0], argv);
}

/* Runs the viewer below us and waits; its exit code. */
static int run_child(char **argv) {
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        fprintf(stderr, "heatscope view: no process: %s\n", strerror(errno));
        return HSC_EXIT_FAILED;
    }
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(127);
        release_signals();
        become(argv);
        _exit(127);
    }
    int status = 0;
    bool asked = false;
    for (;;) {
        if (caught && !asked) {
            kill(pid, SIGTERM);
            asked = true;
        }
        pid_t p = waitpid(pid, &status, WNOHANG);
        if (p == pid)
            break;
        if (p < 0 && errno != EINTR)
            return HSC_EXIT_FAILED;
        sigsuspend(&before);
    }
    if (caught)
        return 128 + caught;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "heatscope view: the window's process ended by signal %d\n", WTERMSIG(status));
    return HSC_EXIT_FAILED;
}

int hsc_cmd_view(int argc, char **argv) {
    static const char *const shells[] = {"tclsh8.6", "tclsh", NULL};
    static const char *const servers[] = {"Xvfb", NULL};
    view_request r = {0};
    int first = 0;
    int code = hsc_cli_parse(&view_command, argc, argv, set_option, &r, &first);
    if (code >= 0)
        return code;
    int n = argc - first;
    if (n < 1 || n > 2) {
        fprintf(stderr, "heatscope view: expected one or two databases or measurement directories, got %d\n", n);
        return HSC_EXIT_USAGE;
    }
    char database[2][PATH_MAX], shell[PATH_MAX], script[PATH_MAX], lib[PATH_MAX], program[PATH_MAX];
    for (int i = 0; i < n; i++) /* whether there is something to show comes before where to show it */
        if (access(argv[first + i], R_OK) || (!hsc_cli_is_measurement(argv[first + i]) && !hsc_cli_is_database(argv[first + i])))
            return hsc_cli_database_for("view", argv[first + i], database[i], sizeof database[i]);
    bool alone = r.snapshot || r.script; /* no person needed */
    const char *display = getenv("DISPLAY");
    bool have_display = display && *display;
    char server[4096];
    bool have_server = alone && find_program(servers, server, sizeof server);
    if (!have_display && !alone) {
        fprintf(stderr, "heatscope view: no display (DISPLAY is not set): 'heatscope view --snapshot FILE.png %s' draws the "
                        "window into a file, 'heatscope report %s' prints the answer\n", argv[first], argv[first]);
        return HSC_EXIT_FAILED;
    }
    if (!have_display && !have_server) {
        fprintf(stderr, "heatscope view: no display, and no Xvfb to do without (Debian package xvfb): 'heatscope report %s' "
                        "needs neither\n", argv[first]);
        return HSC_EXIT_FAILED;
    }

    for (int i = 0; i < n; i++) {
        code = hsc_cli_database_for("view", argv[first + i], database[i], sizeof database[i]);
        if (code >= 0)
            return code;
    }
    if (!find_program(shells, shell, sizeof shell)) {
        fprintf(stderr, "heatscope view: no tclsh8.6 in PATH: install Tcl and Tk (Debian package tk8.6)\n");
        return HSC_EXIT_FAILED;
    }
    if (!hsc_cli_share_file("gui/main.tcl", script, sizeof script)) {
        fprintf(stderr, "heatscope view: %s is missing: the installation is not whole\n", script);
        return HSC_EXIT_FAILED;
    }
    if (!hsc_cli_lib_file("tcl/pkgIndex.tcl", lib, sizeof lib)) {
        fprintf(stderr, "heatscope view: %s is missing: the viewer was not built (it needs Tcl, Tk and cairo)\n", lib);
        return HSC_EXIT_FAILED;
    }
    *strrchr(lib, '/') = 0; /* .../lib/heatscope/tcl */
    *strrchr(lib, '/') = 0;
    bool have_program = hsc_cli_bin_file("heatscope", program, sizeof program); /* the window has folders correlated by it */

    char *words[16], text[10][4200];
    int k = 0, t = 0;
    words[k++] = shell;
    words[k++] = script;
    const struct {
        const char *name, *value;
    } pass[] = {{"lib", lib},         {"program", have_program ? program : NULL}, {"snapshot", r.snapshot}, {"size", r.size},
                {"theme", r.theme},   {"select", r.select},                         {"axis", r.axis},         {"script", r.script},
                {"scale", r.scale}};
    for (size_t i = 0; i < sizeof pass / sizeof *pass; i++) {
        if (!pass[i].value)
            continue;
        if (snprintf(text[t], sizeof text[t], "--%s=%s", pass[i].name, pass[i].value) >= (int)sizeof text[t]) {
            fprintf(stderr, "heatscope view: --%s: the value is too long\n", pass[i].name);
            return HSC_EXIT_USAGE;
        }
        words[k++] = text[t++];
    }
    words[k++] = (char[]){"--"};
    for (int i = 0; i < n; i++)
        words[k++] = database[i];
    words[k] = NULL;
    want_utf8();

    if (!have_server) {
        become(words);
        fprintf(stderr, "heatscope view: %s: %s\n", shell, strerror(errno));
        return HSC_EXIT_FAILED;
    }
    hold_signals();
    unsigned width = 1560, height = 940;
    if (r.size)
        sscanf(r.size, "%4ux%4u", &width, &height);
    if (!r.size && r.scale) {
        width = (unsigned)(width * atof(r.scale));
        height = (unsigned)(height * atof(r.scale));
    }
    x_server x;
    hsc_err err = {0};
    if (start_server(&x, server, width, height, &err))
        code = run_child(words);
    else
        code = caught ? 128 + caught : hsc_cli_fail("view", &err);
    stop_server(&x);
    return code;
}
