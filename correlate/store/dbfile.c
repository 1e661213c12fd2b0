/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The asking side of the worker process: starts it, believes nothing but bytes, and says how it died. */
#include "dbfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heatscope/formats/text.h>

#include "h5.h"
#include "dbfile_target.h"
#include "dbfile_wire.h"

enum { READER_DEATHS_MAX = 3, WAIT_MS = 40, SOCKET_BYTES = 1 << 20 };
#define PLACES_BYTES ((size_t)HSC_WIRE_PLACES * HSC_WIRE_PLACE_BYTES)

typedef struct known_set { /* so that the next worker can open it again */
    char name[HSC_WIRE_NAME_MAX];
    hsc_column_type type;
    hsc_set_info info;
    int worker_set; /* its number there; < 0: to be opened again */
    bool open;
    char *data; /* all elements; NULL: the worker has them */
} known_set;

typedef struct look { /* a set that was asked for and not opened yet */
    known_set set;
    hsc_status status; /* of opening it */
    uint64_t life;      /* of the worker that was asked */
    uint64_t bytes_max; /* that come with the answer */
    bool has_come;
} look;

typedef struct batch { /* pieces that were asked for and not taken yet */
    int set;
    uint64_t piece, bytes, life; /* life: of the worker that was asked; another one knows nothing of it */
    uint32_t n;
    bool dropped;
    uint64_t *numbers;
    char *data; /* NULL: the worker has it */
} batch;

struct hsc_dbfile {
    char *path;
    int file, sock; /* sock < 0: no worker */
    pid_t worker;
    int deaths, ended; /* ended: of these by a signal from outside */
    struct stat was;   /* the file when it was opened */
    char *places;   /* memory shared with the worker, of which nothing is believed: what is in it is copied first; NULL: there is none */
    hsc_h5 *direct; /* read in this process; else NULL */
    known_set *sets;
    int n_sets, capacity;
    hsc_dbfile_progress wait;
    void *wait_ctx;
    look *looks; /* the oldest first; those of which nothing has come are the last ones, and come before pieces */
    uint32_t n_looks;
    batch asked[HSC_PIECES_ASKED_MAX]; /* the oldest first */
    uint32_t n_asked;
    uint64_t life;   /* workers so far */
    uint64_t waits;  /* answers that were waited for before something else was asked */
    bool was_answered;
    hsc_err pending; /* of a call that could not give it: for the next */
};

/* ---- the worker's life ---- */

/* Ends it where it has not ended; returns its wait status, -1 unknown. */
static int bury(hsc_dbfile *r) {
    int status = -1;
    if (r->sock < 0)
        return -1;
    close(r->sock);
    r->sock = -1;
    for (int i = 0; i < r->n_sets; i++)
        r->sets[i].worker_set = -1;
    if (waitpid(r->worker, &status, WNOHANG)) /* ended, or reaped by somebody else */
        return status;
    kill(r->worker, SIGKILL);
    while (waitpid(r->worker, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

/* Is it one that no bytes of a file make? The kernel's when there is no memory left, or somebody's. */
static bool is_from_outside(int status) {
    int signal = status != -1 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

/* What is wrong may be that the file is not what was opened: to stand behind an error. Who renames another one to its name does no harm. */
static const char *changed_words(const hsc_dbfile *r) {
    struct stat now;
    bool same = fstat(r->file, &now) || (now.st_size == r->was.st_size && now.st_mtim.tv_sec == r->was.st_mtim.tv_sec && now.st_mtim.tv_nsec == r->was.st_mtim.tv_nsec);
    return same ? "" : " (changed since it was opened: open it again)";
}

static hsc_status died(hsc_dbfile *r, const char *name, hsc_err *err) {
    char how[80];
    pid_t done;
    int status = -1;
    for (int i = 0; (done = waitpid(r->worker, &status, WNOHANG)) <= 0 && i < 100;
         i++) { /* its socket closes just before it ends */
        if (done < 0 && errno != EINTR)
            break;
        poll(NULL, 0, 10);
    }
    if (done == r->worker) {
        close(r->sock);
        r->sock = -1;
        for (int i = 0; i < r->n_sets; i++)
            r->sets[i].worker_set = -1;
    } else
        status = bury(r);
    r->deaths++;
    if (is_from_outside(status)) {
        r->ended++;
        return hsc_err_set(err, HSC_E_IO, "%s: the process that read %s was ended from outside (signal %d, %s), by somebody or for want of memory: another one can read it again",
                           r->path, name, WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    if (status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        snprintf(how, sizeof how, "did not end within %d s of CPU time", HSC_READER_CPU_S);
    else if (status != -1 && WIFSIGNALED(status))
        snprintf(how, sizeof how, "crashed (signal %d, %s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "ended");
    return hsc_err_set(err, HSC_E_FORMAT, "%s: the file is damaged or hostile: reading %s %s%s", r->path, name, how, changed_words(r));
}

static hsc_status receive(hsc_dbfile *r, const char *name, void *to, size_t n, hsc_err *err) {
    char *p = to;
    while (n) {
        struct pollfd wait = {.fd = r->sock, .events = POLLIN};
        while (r->wait && poll(&wait, 1, WAIT_MS) == 0)
            if (!r->wait(r->wait_ctx, 0, 0)) {
                bury(r); /* the quickest way to leave what it is at; the next request starts another one */
                return hsc_err_set(err, HSC_E_CANCELLED, "%s: cancelled", r->path);
            }
        ssize_t got = recv(r->sock, p, n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return died(r, name, err);
        p += got;
        n -= (size_t)got;
    }
    return HSC_OK;
}

/* The worker said what it can't say. */
static hsc_status nonsense(hsc_dbfile *r, const char *name, hsc_err *err) {
    bury(r);
    r->deaths++;
    return hsc_err_set(err, HSC_E_FORMAT, "%s: the file is damaged or hostile: reading %s gave nonsense", r->path,
                       name);
}

/* The head of an answer. An error's text is taken, too: the status is the worker's. */
static hsc_status take_answer(hsc_dbfile *r, const char *name, hsc_wire_answer *a, bool *error, hsc_err *err) {
    hsc_status status = receive(r, name, a, sizeof *a, err);
    r->was_answered = true;
    if (status || !*error)
        return status;
    *error = a->status != HSC_OK;
    if (!*error)
        return HSC_OK;
    char text[sizeof err->text];
    if (a->bytes >= sizeof text)
        return nonsense(r, name, err);
    status = receive(r, name, text, a->bytes, err);
    if (status)
        return status;
    text[a->bytes] = 0;
    hsc_text_repair(text);
    static const hsc_status known[] = {HSC_E_IO,    HSC_E_MEMORY,   HSC_E_FORMAT, HSC_E_VERSION,
                                       HSC_E_LIMIT, HSC_E_ARGUMENT, HSC_E_MISSING};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (a->status == (uint32_t)known[i])
            return hsc_err_set(err, known[i], "%s%s", text, changed_words(r));
    return nonsense(r, name, err);
}

/* Only this reader's workers are to have the memory, not those of other files: a copy of it is made by no other fork. Without it all goes
 * over the socket. */
static void share_memory(hsc_dbfile *r) {
    void *p = mmap(NULL, PLACES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return;
    if (madvise(p, PLACES_BYTES, MADV_DONTFORK))
        munmap(p, PLACES_BYTES);
    else
        r->places = p;
}

static pid_t fork_worker(hsc_dbfile *r) {
    if (r->places && madvise(r->places, PLACES_BYTES, MADV_DOFORK)) {
        munmap(r->places, PLACES_BYTES);
        r->places = NULL;
    }
    pid_t worker = fork();
    if (worker && r->places)
        (void)madvise(r->places, PLACES_BYTES, MADV_DONTFORK);
    return worker;
}

/* Its first answer is still to come. */
static hsc_status launch(hsc_dbfile *r, hsc_err *err) {
    int pair[2], bytes = SOCKET_BYTES;
    if (r->pending.status) {
        hsc_status status = hsc_err_set(err, r->pending.status, "%s", r->pending.text);
        hsc_err_clear(&r->pending);
        return status;
    }
    if (r->deaths > READER_DEATHS_MAX && r->ended == r->deaths)
        return hsc_err_set(err, HSC_E_IO, "%s: its reading processes were ended from outside %d times: open it again", r->path, r->deaths);
    if (r->deaths > READER_DEATHS_MAX)
        return hsc_err_set(err, HSC_E_FORMAT, "%s: the file is damaged or hostile: its reading processes died %d times",
                           r->path, r->deaths);
    hsc_status status = r->life ? hsc_h5_load(err) : HSC_OK; /* once for this worker and those to come */
    if (status)
        return status;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return hsc_err_set_errno(err, errno, "%s: no socket for the reading process", r->path);
    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes); /* HSC_LOOKS_MAX requests, none of which waits for answers */
    r->worker = fork_worker(r);
    if (r->worker < 0) {
        int e = errno;
        close(pair[0]);
        close(pair[1]);
        return hsc_err_set_errno(err, e, "%s: no reading process (HEATSCOPE_READER=direct does without)", r->path);
    }
    if (!r->worker)
        hsc_dbfile_worker(r->path, r->file, pair[1], r->places);
    close(pair[1]);
    r->sock = pair[0];
    r->life++;
    return HSC_OK;
}

/* Could the worker open the file? */
static hsc_status launched(hsc_dbfile *r, hsc_err *err) {
    hsc_wire_answer a;
    bool error = true;
    hsc_status status = take_answer(r, "its superblock", &a, &error, err);
    if (status && r->sock >= 0)
        bury(r);
    return status;
}

static hsc_status start(hsc_dbfile *r, hsc_err *err) {
    hsc_status status = launch(r, err);
    return status ? status : launched(r, err);
}

static hsc_status put(hsc_dbfile *r, const char *name, const void *data, size_t n, hsc_err *err) {
    const char *p = data;
    r->waits += r->was_answered;
    r->was_answered = false;
    while (n) {
        ssize_t sent = send(r->sock, p, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return died(r, name[0] ? name : "it", err);
        p += sent;
        n -= (size_t)sent;
    }
    return HSC_OK;
}

static hsc_status ask(hsc_dbfile *r, const hsc_wire_request *q, hsc_err *err) { return put(r, q->name, q, sizeof *q, err); }

static hsc_wire_request request(enum hsc_wire_what what, const char *name) {
    hsc_wire_request q = {.what = what, .set = -1};
    snprintf(q.name, sizeof q.name, "%s", name);
    return q;
}

/* ---- what is asked for ahead ---- */

static bool is_sensible(const hsc_set_info *info, hsc_column_type type) {
    unsigned size = hsc_schema_type_size(type);
    return info->step && info->step <= HSC_NNZ_MAX && info->n <= HSC_NNZ_MAX && info->size &&
           (size ? info->size == size : info->size <= HSC_STRING_MAX + 1);
}

/* The answer to the next one. An error of the worker's is its own matter; false: the worker is gone. */
static bool take_look(hsc_dbfile *r, look *l) {
    hsc_wire_answer a;
    hsc_err err = {0};
    bool error = true;
    known_set *s = &l->set;
    hsc_status status = take_answer(r, s->name, &a, &error, &err);
    l->has_come = true;
    l->status = status;
    if (status)
        return r->sock >= 0;
    s->worker_set = a.set;
    s->info = a.info;
    uint64_t whole = is_sensible(&a.info, s->type) ? a.info.n * a.info.size : UINT64_MAX;
    if (whole == UINT64_MAX || (a.bytes && (a.bytes != whole || whole > l->bytes_max)))
        status = nonsense(r, s->name, &err);
    else if (a.bytes && !(s->data = malloc(a.bytes))) {
        bury(r); /* what follows can't be taken */
        status = HSC_E_MEMORY;
    } else if (a.bytes)
        status = receive(r, s->name, s->data, a.bytes, &err);
    l->status = status;
    return !status;
}

/* Takes what has not come, up to `last`, NULL all. */
static void take_looks(hsc_dbfile *r, const look *last) {
    for (uint32_t i = 0; i < r->n_looks && r->sock >= 0; i++) {
        look *l = &r->looks[i];
        if (!l->has_come && l->life == r->life && !take_look(r, l))
            break;
        if (l == last)
            break;
    }
}

static look *is_looked_at(hsc_dbfile *r, const char *name) {
    for (uint32_t i = 0; i < r->n_looks; i++)
        if (!strcmp(r->looks[i].set.name, name))
            return &r->looks[i];
    return NULL;
}

/* What is known of a set; NULL: nothing, or nothing of use any more. */
static look *find_look(hsc_dbfile *r, const char *name) {
    look *l = is_looked_at(r, name);
    if (l && !l->has_come)
        take_looks(r, l);
    return l && l->has_come ? l : NULL;
}

static void close_in_worker(hsc_dbfile *r, int worker_set) {
    hsc_wire_request q = request(HSC_WIRE_CLOSE_SET, "");
    q.set = worker_set;
    if (r->sock >= 0 && worker_set >= 0)
        (void)ask(r, &q, NULL);
}

void hsc_dbfile_forget_looks(hsc_dbfile *r) {
    take_looks(r, NULL);
    for (uint32_t i = 0; i < r->n_looks; i++) {
        look *l = &r->looks[i];
        free(l->set.data);
        if (l->has_come && !l->status && l->life == r->life)
            close_in_worker(r, l->set.worker_set);
    }
    r->n_looks = 0;
}

/* The set as it was looked at, out of the list; false: it has to be asked for. */
static bool open_from_look(hsc_dbfile *r, const char *name, hsc_column_type type, uint64_t expected_n, known_set *s) {
    look *l = find_look(r, name);
    if (!l || l->status || l->set.type != type || (expected_n <= HSC_NNZ_MAX && l->set.info.n != expected_n))
        return false;
    *s = l->set;
    if (l->life != r->life || r->sock < 0)
        s->worker_set = -1;
    *l = (look){.has_come = true, .set.worker_set = -1}; /* of no name */
    return true;
}

/* ---- pieces ---- */

static void forget_oldest(hsc_dbfile *r) {
    free(r->asked[0].numbers);
    free(r->asked[0].data);
    memmove(r->asked, r->asked + 1, --r->n_asked * sizeof *r->asked);
}

static bool is_coming(const hsc_dbfile *r, const batch *p) { return !p->data && r->sock >= 0 && p->life == r->life; }

static hsc_status take_bytes(hsc_dbfile *r, const batch *p, void *to, hsc_err *err) {
    const char *name = r->sets[p->set].name;
    hsc_wire_answer a;
    bool error = true;
    hsc_status status = take_answer(r, name, &a, &error, err);
    if (!status && a.bytes != p->bytes)
        status = nonsense(r, name, err);
    return status ? status : receive(r, name, to, p->bytes, err);
}

/* Something else is asked for: takes what is still to come. What can't be taken is asked for again later. */
static void make_way(hsc_dbfile *r) {
    take_looks(r, NULL);
    for (uint32_t i = 0; i < r->n_asked; i++) {
        batch *p = &r->asked[i];
        if (!is_coming(r, p))
            continue;
        char *data = malloc(p->bytes);
        if (!data || take_bytes(r, p, data, NULL)) {
            free(data);
            bury(r);
            return;
        }
        p->data = data;
    }
    while (r->n_asked && r->asked[0].dropped)
        forget_oldest(r);
}

/* Starts a worker where there is none, asks, and takes the head of the answer. */
static hsc_status talk(hsc_dbfile *r, const hsc_wire_request *q, hsc_wire_answer *a, bool errors, hsc_err *err) {
    hsc_status status = hsc_dbfile_go_on(r, err);
    if (!status)
        make_way(r);
    if (!status && r->sock < 0)
        status = start(r, err);
    if (!status)
        status = ask(r, q, err);
    return status ? status : take_answer(r, q->name, a, &errors, err);
}

/* ---- what dbfile.h offers ---- */

hsc_status hsc_dbfile_begin(const char *path, hsc_dbfile_progress call, void *ctx, hsc_dbfile **out, hsc_err *err) {
    const char *how = getenv("HEATSCOPE_READER");
    hsc_status status = HSC_OK;
    hsc_dbfile *r = calloc(1, sizeof *r);
    if (!r || !(r->path = strdup(path))) {
        free(r);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    }
    r->sock = -1;
    hsc_dbfile_set_progress(r, call, ctx);
    r->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (r->file < 0 || fstat(r->file, &r->was))
        status = hsc_err_set_errno(err, errno, "%s: cannot open", path);
    else if (!S_ISREG(r->was.st_mode))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: not a file", path);
    else if (how && !strcmp(how, "direct"))
        status = hsc_h5_open(path, r->file, &r->direct, err);
    else {
        share_memory(r);
        status = launch(r, err);
    }
    if (status)
        hsc_dbfile_close(r);
    else
        *out = r;
    return status;
}

hsc_status hsc_dbfile_finish(hsc_dbfile *r, hsc_err *err) { return r->direct ? HSC_OK : launched(r, err); }

void hsc_dbfile_close(hsc_dbfile *r) {
    if (!r)
        return;
    bury(r);
    while (r->n_asked)
        forget_oldest(r);
    hsc_dbfile_forget_looks(r);
    for (int i = 0; i < r->n_sets; i++)
        free(r->sets[i].data);
    free(r->looks);
    hsc_h5_close(r->direct);
    if (r->places)
        munmap(r->places, PLACES_BYTES);
    if (r->file >= 0)
        close(r->file);
    free(r->sets);
    free(r->path);
    free(r);
}

void hsc_dbfile_set_progress(hsc_dbfile *r, hsc_dbfile_progress call, void *ctx) {
    r->wait = call;
    r->wait_ctx = ctx;
}

hsc_status hsc_dbfile_go_on(hsc_dbfile *r, hsc_err *err) {
    return !r->wait || r->wait(r->wait_ctx, 0, 0) ? HSC_OK
                                                  : hsc_err_set(err, HSC_E_CANCELLED, "%s: cancelled", r->path);
}

bool hsc_dbfile_has(hsc_dbfile *r, const char *name) {
    hsc_wire_request q = request(HSC_WIRE_HAS, name);
    hsc_wire_answer a;
    if (r->direct)
        return hsc_h5_has(r->direct, name);
    hsc_err err = {0};
    const look *l = find_look(r, name);
    if (l && (!l->status || l->status == HSC_E_MISSING))
        return !l->status;
    if (talk(r, &q, &a, false, &err)) {
        if (err.status != HSC_E_CANCELLED) /* what comes next is refused, too */
            r->pending = err;
        return true;
    }
    return a.status != 0;
}

/* Opens it in the worker; what it says must be what it said before. */
static hsc_status open_in_worker(hsc_dbfile *r, known_set *s, uint64_t expected_n, hsc_err *err) {
    hsc_wire_request q = request(HSC_WIRE_OPEN_SET, s->name);
    hsc_wire_answer a;
    q.type = s->type;
    q.n = expected_n;
    hsc_status status = talk(r, &q, &a, true, err);
    if (status)
        return status;
    if (a.set < 0 || !is_sensible(&a.info, s->type) || (expected_n <= HSC_NNZ_MAX && a.info.n != expected_n) ||
        (s->open && (a.info.size != s->info.size || a.info.n != s->info.n)))
        return nonsense(r, s->name, err);
    s->worker_set = a.set;
    s->info = a.info;
    return HSC_OK;
}

hsc_status hsc_dbfile_open_set(hsc_dbfile *r, const char *name, hsc_column_type type, uint64_t expected_n, int *set,
                               hsc_set_info *info, hsc_err *err) {
    if (r->direct)
        return hsc_h5_open_set(r->direct, name, type, expected_n, set, info, err);
    int at = 0;
    while (at < r->n_sets && r->sets[at].open)
        at++;
    if (at == r->capacity) {
        int capacity = r->capacity ? 2 * r->capacity : 64;
        known_set *sets = realloc(r->sets, (size_t)capacity * sizeof *sets);
        if (!sets)
            return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->path);
        r->sets = sets;
        r->capacity = capacity;
    }
    known_set new = {.type = type, .worker_set = -1};
    snprintf(new.name, sizeof new.name, "%s", name);
    hsc_status status = open_from_look(r, name, type, expected_n, &new) ? HSC_OK : open_in_worker(r, &new, expected_n, err);
    if (status)
        return status;
    new.open = true;
    r->n_sets = at == r->n_sets ? at + 1 : r->n_sets;
    r->sets[at] = new;
    *set = at;
    *info = new.info;
    return HSC_OK;
}

hsc_status hsc_dbfile_count(hsc_dbfile *r, const char *name, hsc_column_type type, uint64_t *n, hsc_err *err) {
    int set;
    hsc_set_info info;
    const look *l = find_look(r, name);
    if (l && !l->status && l->set.type == type) {
        *n = l->set.info.n;
        return HSC_OK;
    }
    hsc_status status = hsc_dbfile_open_set(r, name, type, HSC_NNZ_MAX + 1, &set, &info, err);
    if (!status) {
        *n = info.n;
        hsc_dbfile_close_set(r, set);
    }
    return status;
}

void hsc_dbfile_close_set(hsc_dbfile *r, int set) {
    if (r->direct) {
        hsc_h5_close_set(r->direct, set);
        return;
    }
    if (set < 0 || set >= r->n_sets || !r->sets[set].open)
        return;
    close_in_worker(r, r->sets[set].worker_set);
    free(r->sets[set].data);
    r->sets[set].data = NULL;
    r->sets[set].open = false;
}

/* Where the step ends that `first` is in. */
static uint64_t step_end(const hsc_set_info *info, uint64_t first, uint64_t end) {
    uint64_t to = (first / info->step + 1) * info->step;
    return to < end ? to : end;
}

static hsc_status no_memory(const hsc_dbfile *r, hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->path); }

static hsc_status read_directly(hsc_dbfile *r, int set, uint64_t first, uint64_t end, hsc_target *t, hsc_err *err) {
    hsc_set_info info;
    hsc_status status = hsc_h5_info(r->direct, set, &info, err);
    for (uint64_t at = first, next; at < end && !status && !t->high; at = next) {
        next = step_end(&info, at, end);
        char *room = hsc_target_room(t, &info), *begin = t->to;
        status = room ? hsc_h5_read(r->direct, set, at, next - at, room, err) : no_memory(r, err);
        if (!status)
            hsc_target_put_step(t, (next - at) * info.size);
        if (!status)
            status = hsc_target_hand_on(t, begin, at, next - at, err);
        if (t->take)
            t->to = begin;
        if (!status && next < end)
            status = hsc_dbfile_go_on(r, err);
    }
    return status;
}

/* Which place the step at `at` gets; 0: none holds it. */
static uint32_t place_of(const hsc_dbfile *r, const hsc_set_info *info, uint64_t at) {
    return r->places && info->step * info->size <= HSC_WIRE_PLACE_BYTES ? 1 + (uint32_t)(at / info->step % HSC_WIRE_PLACES) : 0;
}

/* Elements of a step, from their place or the socket. */
static hsc_status take_step(hsc_dbfile *r, const known_set *s, uint32_t place, hsc_target *t, uint64_t bytes, hsc_err *err) {
    hsc_wire_answer a;
    bool error = true;
    hsc_status status = take_answer(r, s->name, &a, &error, err);
    if (!status && (a.bytes != (place ? 0 : bytes) || a.shared != (place ? bytes : 0)))
        status = nonsense(r, s->name, err);
    if (status)
        return status;
    if (place) {
        hsc_target_put(t, r->places + (size_t)(place - 1) * HSC_WIRE_PLACE_BYTES, bytes);
        return HSC_OK;
    }
    char *room = hsc_target_room(t, &s->info);
    status = room ? receive(r, s->name, room, bytes, err) : no_memory(r, err);
    if (!status)
        hsc_target_put_step(t, bytes);
    return status;
}

/* A step is asked for before the answer of the one before is taken: the worker unpacks while this process copies. */
static hsc_status read_to(hsc_dbfile *r, int set, uint64_t first, uint64_t n, hsc_target *t, hsc_err *err) {
    hsc_status status = HSC_OK;
    uint64_t end = first + n, asked = first;
    if (r->direct)
        return read_directly(r, set, first, end, t, err);
    if (set < 0 || set >= r->n_sets || !r->sets[set].open || end < first || end > r->sets[set].info.n)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: data set %d: values that it has not", r->path, set);
    known_set *s = &r->sets[set];
    status = hsc_dbfile_go_on(r, err);
    if (!status && s->data && t->take)
        return n ? t->take(t->ctx, s->data + first * s->info.size, first, n, err) : HSC_OK;
    if (!status && s->data) {
        hsc_target_put(t, s->data + first * s->info.size, n * s->info.size);
        return HSC_OK;
    }
    if (!status)
        make_way(r);
    if (!status && s->worker_set < 0)
        status = open_in_worker(r, s, s->info.n, err);
    for (uint64_t at = first; at < end && !status;) {
        while (asked < end && asked <= step_end(&s->info, at, end) && !status) {
            hsc_wire_request q = request(HSC_WIRE_READ, s->name);
            q.set = s->worker_set;
            q.first = asked;
            asked = step_end(&s->info, asked, end);
            q.n = asked - q.first;
            q.place = place_of(r, &s->info, q.first);
            status = ask(r, &q, err);
        }
        if (status)
            break;
        uint64_t next = step_end(&s->info, at, end), bytes = (next - at) * s->info.size;
        char *begin = t->to;
        status = take_step(r, s, place_of(r, &s->info, at), t, bytes, err);
        if (!status)
            status = hsc_target_hand_on(t, begin, at, next - at, err);
        if (t->take)
            t->to = begin;
        at = next;
        if (t->high) /* the rest is not wanted */
            end = asked;
        if (!status && at < end && r->wait && !r->wait(r->wait_ctx, (at - first) * s->info.size, n * s->info.size)) {
            bury(r);
            status = hsc_err_set(err, HSC_E_CANCELLED, "%s: cancelled", r->path);
        }
        if (status && r->sock >= 0 && asked > at) /* an answer is still to come that nobody wants */
            bury(r);
    }
    return status;
}

hsc_status hsc_dbfile_read(hsc_dbfile *r, int set, uint64_t first, uint64_t n, void *to, hsc_err *err) {
    return read_to(r, set, first, n, &(hsc_target){.to = to}, err);
}

hsc_status hsc_dbfile_read_narrow(hsc_dbfile *r, int set, uint64_t first, uint64_t n, uint32_t *to, bool *fits, hsc_err *err) {
    hsc_target t = {.to = (char *)to, .narrow = true};
    hsc_status status = read_to(r, set, first, n, &t, err);
    free(t.step);
    *fits = !t.high;
    return status;
}

hsc_status hsc_dbfile_read_each(hsc_dbfile *r, int set, uint64_t first, uint64_t n, hsc_dbfile_take take, void *ctx, hsc_err *err) {
    hsc_set_info info = {0};
    hsc_status status = HSC_OK;
    if (r->direct)
        status = hsc_h5_info(r->direct, set, &info, err);
    else if (set >= 0 && set < r->n_sets)
        info = r->sets[set].info;
    if (status)
        return status;
    uint64_t most = info.step < n ? info.step : n;
    hsc_target t = {.to = malloc(most * info.size + 1), .take = take, .ctx = ctx};
    char *room = t.to;
    status = room ? read_to(r, set, first, n, &t, err) : no_memory(r, err);
    free(room);
    return status;
}

/* It can be asked for without waiting for what was asked for before: one answer, no more than a socket holds. */
static bool is_short(const hsc_dbfile *r, const hsc_dbfile_part *p) {
    enum { SHORT_BYTES = 64 << 10 };
    const known_set *s = !r->direct && p->set >= 0 && p->set < r->n_sets ? &r->sets[p->set] : NULL;
    return s && s->open && !s->data && s->worker_set >= 0 && p->n && p->first < s->info.n && p->n <= s->info.n - p->first &&
           p->first + p->n <= step_end(&s->info, p->first, s->info.n) && p->n * s->info.size <= SHORT_BYTES;
}

hsc_status hsc_dbfile_read_many(hsc_dbfile *r, const hsc_dbfile_part *parts, uint32_t n, hsc_err *err) {
    bool asked[HSC_PARTS_MAX] = {false};
    hsc_status status = n <= HSC_PARTS_MAX ? hsc_dbfile_go_on(r, err) : hsc_err_set(err, HSC_E_ARGUMENT, "%s: %u parts at once", r->path, n);
    if (!status && !r->direct)
        make_way(r);
    for (uint32_t i = 0; i < n && !status; i++) {
        if (!is_short(r, &parts[i]))
            continue;
        hsc_wire_request q = request(HSC_WIRE_READ, r->sets[parts[i].set].name);
        q.set = r->sets[parts[i].set].worker_set;
        q.first = parts[i].first;
        q.n = parts[i].n;
        status = ask(r, &q, err);
        asked[i] = true;
    }
    for (uint32_t i = 0; i < n && !status; i++) {
        const known_set *s = asked[i] ? &r->sets[parts[i].set] : NULL;
        if (s)
            status = take_step(r, s, 0, &(hsc_target){.to = parts[i].to}, parts[i].n * s->info.size, err);
        if (status && r->sock >= 0) /* answers are still to come that nobody wants */
            bury(r);
    }
    for (uint32_t i = 0; i < n && !status; i++)
        if (!asked[i])
            status = hsc_dbfile_read(r, parts[i].set, parts[i].first, parts[i].n, parts[i].to, err);
    return status;
}

uint64_t hsc_dbfile_waits(const hsc_dbfile *r) { return r->waits; }

void hsc_dbfile_look_ahead(hsc_dbfile *r, const hsc_look *looks, uint32_t n, uint64_t bytes) {
    if (r->direct || (!r->looks && !(r->looks = malloc(HSC_LOOKS_MAX * sizeof *r->looks))))
        return;
    if (r->n_asked)
        make_way(r);
    for (uint32_t i = 0; i < n && r->n_looks < HSC_LOOKS_MAX && r->sock >= 0; i++) {
        hsc_wire_request q = request(HSC_WIRE_LOOK_AT_SET, looks[i].name);
        q.type = looks[i].type;
        q.n = HSC_NNZ_MAX + 1;
        q.first = bytes;
        if (is_looked_at(r, looks[i].name))
            continue;
        look *l = &r->looks[r->n_looks];
        *l = (look){.set = {.type = looks[i].type, .worker_set = -1}, .life = r->life, .bytes_max = bytes};
        memcpy(l->set.name, q.name, sizeof l->set.name);
        if (ask(r, &q, NULL))
            break;
        r->n_looks++;
    }
}

/* Sends the request for pieces. */
static hsc_status ask_for(hsc_dbfile *r, batch *p, hsc_err *err) {
    known_set *s = &r->sets[p->set];
    hsc_status status = HSC_OK;
    take_looks(r, NULL);
    if (r->sock < 0 || s->worker_set < 0) {
        make_way(r);
        status = open_in_worker(r, s, s->info.n, err);
    }
    hsc_wire_request q = request(HSC_WIRE_PIECES, s->name);
    q.set = s->worker_set;
    q.first = p->piece;
    q.n = p->n;
    if (!status)
        status = ask(r, &q, err);
    if (!status)
        status = put(r, s->name, p->numbers, p->n * sizeof *p->numbers, err);
    p->life = r->life;
    return status;
}

hsc_status hsc_dbfile_ask_pieces(hsc_dbfile *r, int set, uint64_t piece, const uint64_t *numbers, uint32_t n, hsc_err *err) {
    hsc_set_info info = {0};
    hsc_status status = hsc_dbfile_go_on(r, err);
    if (!status && r->direct)
        status = hsc_h5_info(r->direct, set, &info, err);
    else if (!status && (set < 0 || set >= r->n_sets || !r->sets[set].open))
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: data set %d is not open", r->path, set);
    else if (!status)
        info = r->sets[set].info;
    while (r->n_asked && r->asked[0].dropped && !is_coming(r, &r->asked[0]))
        forget_oldest(r);
    if (!status && r->n_asked && r->asked[0].dropped)
        make_way(r);
    batch p = {.set = set, .piece = piece, .n = n};
    for (uint32_t i = 0; i < n && !status; i++) {
        uint64_t at = numbers[i] * piece, left = at < info.n ? info.n - at : 0;
        if (!left || (i && numbers[i] <= numbers[i - 1]))
            status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: data set %d: pieces that it has not", r->path, set);
        p.bytes += (left < piece ? left : piece) * info.size;
    }
    if (!status && (!n || n > HSC_PIECES_MAX || p.bytes > HSC_PIECES_BYTES_MAX || r->n_asked == HSC_PIECES_ASKED_MAX))
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: data set %d: %u pieces at once", r->path, set, n);
    if (status)
        return status;
    p.numbers = malloc(n * sizeof *p.numbers);
    if (!p.numbers)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->path);
    memcpy(p.numbers, numbers, n * sizeof *p.numbers);
    if (!r->direct)
        status = ask_for(r, &p, err);
    if (status)
        free(p.numbers);
    else
        r->asked[r->n_asked++] = p;
    return status;
}

hsc_status hsc_dbfile_take_pieces(hsc_dbfile *r, void *to, hsc_err *err) {
    hsc_status status = hsc_dbfile_go_on(r, err);
    uint64_t bytes;
    while (r->n_asked && r->asked[0].dropped && !is_coming(r, &r->asked[0]))
        forget_oldest(r);
    if (!status && r->n_asked && r->asked[0].dropped)
        make_way(r);
    if (status || !r->n_asked)
        return status ? status : hsc_err_set(err, HSC_E_ARGUMENT, "%s: no pieces were asked for", r->path);
    batch *p = &r->asked[0];
    if (r->direct)
        status = hsc_h5_read_pieces(r->direct, p->set, p->piece, p->numbers, p->n, to, &bytes, err);
    else if (p->data)
        memcpy(to, p->data, p->bytes);
    else {
        if (!is_coming(r, p)) { /* its worker has gone: with it all the others */
            make_way(r);
            status = ask_for(r, p, err);
        }
        status = status ? status : take_bytes(r, p, to, err);
    }
    forget_oldest(r);
    return status;
}

void hsc_dbfile_drop_pieces(hsc_dbfile *r) {
    for (uint32_t i = 0; i < r->n_asked; i++)
        r->asked[i].dropped = true;
}

hsc_status hsc_dbfile_text(hsc_dbfile *r, const char *name, char **out, hsc_err *err) {
    if (r->direct)
        return hsc_h5_text(r->direct, name, out, err);
    hsc_wire_request q = request(HSC_WIRE_TEXT, name);
    hsc_wire_answer a;
    hsc_status status = talk(r, &q, &a, true, err);
    if (status)
        return status;
    *out = NULL;
    if (!a.present && !a.bytes)
        return HSC_OK;
    if (!a.present || a.bytes > HSC_TEXT_MAX + 1)
        return nonsense(r, name, err);
    char *text = malloc(a.bytes + 1);
    if (!text) {
        bury(r);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->path);
    }
    status = receive(r, name, text, a.bytes, err);
    text[status ? 0 : a.bytes] = 0;
    if (status)
        free(text);
    else {
        hsc_text_repair(text);
        *out = text;
    }
    return status;
}

hsc_status hsc_dbfile_numbers(hsc_dbfile *r, const char *object, const char *name, unsigned n, double *out,
                              hsc_err *err) {
    if (r->direct)
        return hsc_h5_numbers(r->direct, object, name, n, out, err);
    double numbers[HSC_WIRE_NUMBERS_MAX];
    hsc_wire_request q = request(HSC_WIRE_NUMBERS, name);
    hsc_wire_answer a;
    snprintf(q.object, sizeof q.object, "%s", object);
    q.n = n;
    if (n > HSC_WIRE_NUMBERS_MAX)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: %u numbers asked for", r->path, n);
    hsc_status status = talk(r, &q, &a, true, err);
    if (!status && a.bytes != n * sizeof *numbers)
        status = nonsense(r, name, err);
    if (!status)
        status = receive(r, name, numbers, a.bytes, err);
    if (!status)
        memcpy(out, numbers, n * sizeof *numbers);
    return status;
}
