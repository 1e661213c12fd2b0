/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A writer killed with SIGKILL in the midst of it: every record that it had completed is in the file, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

#include <heatscope/formats/stream.h>

#define SLOTS 400u
#define WRITERS 2u
#define RECORDS_OF_A_SLOT 7000u /* at least */
#define AHEAD 16u /* slots of a writer that is read meanwhile, beyond what is waited for: else each reading would have what was written during the one before, all the more on a busy machine */

/* What the writer tells its parent, in memory that both see. */
typedef struct shared {
    uint64_t completed; /* records put, stored after each */
} shared;

static _Noreturn void write_until_killed(uint8_t *file, uint32_t slots, uint32_t stream, shared *s) {
    hsc_chunk_writer w;
    uint32_t slot = stream, sequence = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail */
    hsc_chunk_begin(&w, file + (size_t)slot * HSC_SLOT_BYTES, HSC_SLOT_BYTES, HSC_CHUNK_DYNAMIC, stream, 0, 0, 0);
    for (uint64_t i = 1;; i++) {
        hsc_rec_sample r = {i * 1000003, i, i % 7};
        if (hsc_chunk_put(&w, HSC_REC_sample, &r)) {
            if (sequence % 2)
                hsc_chunk_seal(w.base, false);
            slot += WRITERS;
            if (slot >= slots)
                for (;;) /* full: wait for the end */
                    pause();
            hsc_chunk_begin(&w, file + (size_t)slot * HSC_SLOT_BYTES, HSC_SLOT_BYTES, HSC_CHUNK_DYNAMIC, stream, ++sequence,
                            r.time, 0);
            hsc_chunk_put(&w, HSC_REC_sample, &r);
        }
        __atomic_store_n(&s->completed, i, __ATOMIC_RELEASE);
    }
}

/* Reads the file while it is written: a beginning of each chunk. (The writer may open the next one between the look at a
 * chunk and the look at its successor, so that records may be missing at the end of a chunk.) */
static void read_alive(const char *path) {
    hsc_reader *r = NULL;
    hsc_err err = {0};
    hsc_record record;
    hsc_reader_counts c;
    uint64_t n[WRITERS] = {0};
    if (hsc_reader_open(path, &r, &err))
        fail_msg("%s", err.text);
    while (hsc_reader_next(r, &record)) {
        const hsc_rec_sample *got = record.value;
        uint64_t *last = &n[record.stream];
        assert_true(record.first_in_chunk ? got->node_id > *last : got->node_id == *last + 1);
        assert_int_equal(got->time, got->node_id * 1000003);
        *last = got->node_id;
    }
    hsc_reader_get_counts(r, &c);
    assert_int_equal(c.records_bad, 0);
    hsc_reader_close(r);
}

/* read: the file is read while it is written, and the writers may be full by then; else they are in the midst of writing. */
static void kill_after(uint64_t records, bool read) {
    uint32_t slots = read ? WRITERS * (uint32_t)(records / RECORDS_OF_A_SLOT + AHEAD) : SLOTS;
    assert_true(slots <= SLOTS);
    char path[] = "kill_test_XXXXXX";
    int fd = mkstemp(path);
    size_t size = (size_t)slots * HSC_SLOT_BYTES;
    assert_true(fd >= 0);
    assert_int_equal(posix_fallocate(fd, 0, (off_t)size), 0);
    uint8_t *file = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    shared *s = mmap(NULL, sizeof *s * WRITERS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(file != MAP_FAILED && s != MAP_FAILED);
    pid_t child[WRITERS];
    for (uint32_t i = 0; i < WRITERS; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (!child[i])
            write_until_killed(file, slots, i, &s[i]);
    }
    while (__atomic_load_n(&s[0].completed, __ATOMIC_ACQUIRE) < records ||
           __atomic_load_n(&s[1].completed, __ATOMIC_ACQUIRE) < records)
        sched_yield();
    for (int i = 0; read && i < 5; i++)
        read_alive(path);
    for (uint32_t i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(kill(child[i], SIGKILL), 0);
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    munmap(file, size);
    hsc_reader *r = NULL;
    hsc_err err = {0};
    hsc_record record;
    uint64_t n[WRITERS] = {0};
    if (hsc_reader_open(path, &r, &err))
        fail_msg("%s", err.text);
    while (hsc_reader_next(r, &record)) {
        const hsc_rec_sample *got = record.value;
        uint64_t i = ++n[record.stream];
        assert_int_equal(got->time, i * 1000003);
        assert_int_equal(got->node_id, i);
        assert_int_equal(got->state, i % 7);
    }
    for (uint32_t i = 0; i < WRITERS; i++) { /* the last may be completed and not yet told */
        assert_true(n[i] >= s[i].completed);
        assert_true(n[i] <= s[i].completed + 1);
    }
    hsc_reader_counts c;
    hsc_reader_get_counts(r, &c);
    assert_int_equal(c.records_bad, 0);
    assert_true(c.chunks_unsealed >= 1);
    assert_int_equal(c.chunks_bad, 0); /* killed while it wrote a header too: there is nothing in it */
    hsc_reader_close(r);
    munmap(s, sizeof *s * WRITERS);
    close(fd);
    unlink(path);
}

static void test_kill(void **state) {
    (void)state;
    static const uint64_t after[] = {1, 100, 5000, 8000, 30000, 100000, 500000, 1000000};
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
        kill_after(after[i], true);
        kill_after(after[i], false);
    }
}

#define SMALL 512u
#define STATES 4096u

#ifdef __x86_64__
static uint8_t slots[3 * SMALL], seen[STATES][sizeof slots];
static volatile uint64_t completed, completed_then[STATES];
static volatile size_t n_seen;
static volatile bool over;

#define TRAP_FLAG 0x100

static void begin_steps(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

/* After each instruction of write_by_steps: how the slots look, if not as before. */
static void step(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info;
    if (over)
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    size_t n = n_seen;
    if (n < STATES && (!n || memcmp(seen[n - 1], slots, sizeof slots))) {
        memcpy(seen[n], slots, sizeof slots);
        completed_then[n] = completed;
        n_seen = n + 1;
    }
}

/* What a runtime does with its slots: begins them where nothing was, and where an empty one was; writes; seals; shrinks one whose stream has
 * ended, of which the rest is an empty one. */
static void write_by_steps(void) {
    hsc_chunk_writer w, empty;
    for (uint32_t i = 0; i < 3; i++)
        hsc_chunk_begin(&empty, slots + (size_t)i * SMALL, SMALL, HSC_CHUNK_DYNAMIC, UINT32_MAX, 0, 0, 0);
    for (uint32_t i = 0; i < 3; i++) {
        hsc_chunk_begin(&w, slots + (size_t)i * SMALL, SMALL, HSC_CHUNK_DYNAMIC, 1, i, 7, i);
        for (uint64_t k = 3 * i; k < 3 * (i + 1); k++) {
            hsc_rec_sample r = {(k + 1) * 1000003, k + 1, (k + 1) % 7};
            hsc_chunk_put(&w, HSC_REC_sample, &r);
            completed = k + 1;
        }
        if (i == 1) {
            uint32_t end = (HSC_CHUNK_HEADER_BYTES + w.used_bytes + 7) & ~7u;
            hsc_chunk_begin(&empty, (uint8_t *)w.base + end, SMALL - end, HSC_CHUNK_DYNAMIC, UINT32_MAX, 0, 0, 0);
        }
        hsc_chunk_seal(w.base, i == 1);
    }
}

/* Killed after any instruction: nothing is damaged, and all that was completed is there. */
static void test_each_step(void **state) {
    (void)state;
    struct sigaction begin = {.sa_sigaction = begin_steps, .sa_flags = SA_SIGINFO}, trap = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    assert_int_equal(sigaction(SIGUSR1, &begin, NULL), 0);
    assert_int_equal(sigaction(SIGTRAP, &trap, NULL), 0);
    raise(SIGUSR1);
    write_by_steps();
    over = true;
    if (n_seen < 100 || n_seen >= STATES)
        fail_msg("%zu states", n_seen);
    assert_int_equal(completed_then[n_seen - 1], 9);
    for (size_t i = 0; i < n_seen; i++) {
        hsc_reader *r = NULL;
        hsc_err err = {0};
        hsc_record record;
        hsc_reader_counts c = {0};
        uint64_t n = 0;
        if (!hsc_reader_open_memory(seen[i], sizeof slots, "steps", &r, &err)) {
            while (hsc_reader_next(r, &record)) {
                const hsc_rec_sample *got = record.value;
                assert_int_equal(got->node_id, ++n);
                assert_int_equal(got->time, n * 1000003);
            }
            hsc_reader_get_counts(r, &c);
            if (c.chunks_bad || c.records_bad)
                fail_msg("state %zu: %s", i, hsc_reader_get_first_problem(r));
            hsc_reader_close(r);
        }
        if (n < completed_then[i] || n > completed_then[i] + 1)
            fail_msg("state %zu: %d of %d records", i, (int)n, (int)completed_then[i]);
    }
}
#else
static void test_each_step(void **state) {
    (void)state;
    skip();
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kill), cmocka_unit_test(test_each_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
