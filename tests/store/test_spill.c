/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists that are longer than memory, also where the file system makes no files without a name; what is put into them comes out again. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model.h"
#include "sort.h"
#include "spill.h"
#include "turned.h"
#include "unfinished.h"

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

static bool no_unnamed;  /* what such a file system answers */
static unsigned refused; /* files without a name */
static char *folder, *path;

int __wrap_open(const char *name, int flags, ...) {
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    if (no_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
        refused++;
        errno = EOPNOTSUPP;
        return -1;
    }
    return __real_open(name, flags, mode);
}

static uint64_t random_number(uint64_t *seed) { return *seed = *seed * 6364136223846793005u + 1442695040888963407u, *seed >> 20; }

/* rmdir takes an empty one only. */
static void nothing_is_left(void) {
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void a_file_with_a_name(void **state) {
    (void)state;
    char *name = NULL, text[6] = "";
    struct stat st;
    no_unnamed = true;
    refused = 0;
    int fd = hsc_spill_file(path, &name);
    no_unnamed = false;
    assert_true(fd >= 0 && refused == 1);
    assert_non_null(name);
    assert_memory_equal(name, path, strlen(path));
    assert_memory_equal(name + strlen(path), ".part-", 6);
    assert_int_equal(stat(name, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(write(fd, "hello", 5), 5);
    assert_int_equal(pread(fd, text, 5, 0), 5);
    assert_string_equal(text, "hello");
    close(fd);
    hsc_unfinished_end(name);
    assert_int_equal(unlink(name), 0);
    free(name);
    nothing_is_left();
    fd = hsc_spill_file(path, &name); /* and where the file system can, it has none */
    assert_true(fd >= 0 && !name);
    close(fd);
    nothing_is_left();
}

/* A signal handler removes what is unfinished, also what is made after it came, and nothing that has its name. */
static void unfinished_files(void **state) {
    (void)state;
    char *name = NULL, *later = NULL;
    no_unnamed = true;
    int fd = hsc_spill_file(path, &name);
    assert_true(fd >= 0 && name);
    hsc_unfinished_drop();
    assert_int_equal(access(name, F_OK), -1);
    int second = hsc_spill_file(path, &later);
    assert_true(second >= 0 && later);
    assert_int_equal(access(later, F_OK), -1);
    hsc_unfinished_end(name);
    hsc_unfinished_end(later);
    free(later);
    free(name);
    close(second);
    close(fd);
    hsc_unfinished_begin();
    fd = hsc_spill_file(path, &name);
    assert_int_equal(access(name, F_OK), 0);
    hsc_unfinished_end(name);
    hsc_unfinished_drop();
    assert_int_equal(unlink(name), 0);
    hsc_unfinished_begin();
    no_unnamed = false;
    free(name);
    close(fd);
    nothing_is_left();
}

/* A few lists, mixed, of so many numbers each, in items of different sizes. */
static void fill_and_read(unsigned n) {
    static const uint32_t sizes[] = {8, 12, 20};
    enum { LISTS = sizeof sizes / sizeof *sizes, PAGE = 4096 };
    hsc_spill s;
    hsc_err err = {0};
    hsc_spill_list lists[LISTS] = {{0}};
    uint64_t item[3] = {0}, bytes = 0;
    hsc_spill_init(&s, path);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = 0; k < LISTS; k++) {
            item[0] = i * LISTS + k;
            bytes += sizes[k];
            assert_true(hsc_spill_put(&s, &lists[k], item, sizes[k]));
        }
    for (uint64_t k = 0; k < LISTS; k++) {
        hsc_spill_cursor c = {.list = &lists[k]};
        uint64_t i = 0;
        bool any = true;
        assert_int_equal(lists[k].count, n);
        for (uint32_t p = 0; p < lists[k].part_count; p++)
            assert_true(lists[k].parts[p].count * sizes[k] % PAGE || lists[k].parts[p].offset % PAGE == 0);
        for (;; i++) {
            assert_int_equal(hsc_spill_next(&s, &c, item, &any, &err), HSC_OK);
            if (!any)
                break;
            assert_int_equal(item[0], i * LISTS + k);
        }
        assert_int_equal(i, n);
        hsc_spill_cursor_fini(&c);
        hsc_spill_list_fini(&lists[k]);
    }
    assert_int_equal(s.fd >= 0, bytes > LISTS * HSC_SPILL_BUFFER_BYTES);
    assert_true(s.end <= bytes + bytes / 4); /* what lies between whole pages and others */
    nothing_is_left(); /* while the file is open: it has no name, or no longer one */
    hsc_spill_fini(&s);
}

static void lists_with_and_without_names(void **state) {
    (void)state;
    for (int named = 0; named < 2; named++) {
        no_unnamed = named;
        refused = 0;
        fill_and_read(10);
        assert_int_equal(refused, 0);
        fill_and_read(20000);
        assert_int_equal(refused, named);
        fill_and_read(400000); /* long enough for larger buffers */
    }
    no_unnamed = false;
}

static void add_one(void *ctx, void *item) { *(uint32_t *)item += *(uint32_t *)ctx; }

static void read_pieces(hsc_spill *s, const hsc_spill_list *l, uint32_t more) {
    uint32_t items[1500];
    uint64_t got;
    hsc_err err = {0};
    assert_int_equal(hsc_spill_read(s, &(hsc_spill_cursor){.list = l}, items, 1500, &got, &err), HSC_OK);
    assert_int_equal(got, l->count);
    for (uint64_t i = 0; i < got; i++)
        assert_int_equal(items[i], l->count * 10000 + i + more);
}

/* Small pieces are gathered for few writes: they are read, and changed, whether they are in the file yet or not, and beside large ones. */
static void pieces_are_gathered(void **state) {
    enum { LISTS = 1400 };
    (void)state;
    hsc_spill s;
    hsc_err err = {0};
    static hsc_spill_list lists[LISTS], large;
    static uint32_t items[40000];
    hsc_spill_init(&s, path);
    for (uint32_t k = 0; k < LISTS; k++) {
        uint32_t n = 1 + k * 7 % 1400;
        for (uint32_t i = 0; i < n; i++)
            items[i] = n * 10000 + i;
        assert_true(hsc_spill_put_all(&s, &lists[k], items, n, sizeof *items));
        read_pieces(&s, &lists[k], 0);
        if (k % 3 == 0)
            read_pieces(&s, &lists[k / 2], 0);
        if (k % 100 == 99) {
            for (uint32_t i = 0; i < 40000; i++)
                items[i] = k + i;
            assert_true(hsc_spill_put_all(&s, &large, items, 40000, sizeof *items));
        }
    }
    for (uint32_t k = 0, one = 1; k < LISTS; k++)
        assert_int_equal(hsc_spill_change(&s, &lists[k], add_one, &one, &err), HSC_OK);
    for (uint32_t k = 0; k < LISTS; k++) {
        read_pieces(&s, &lists[k], 1);
        hsc_spill_list_fini(&lists[k]);
    }
    hsc_spill_cursor c = {.list = &large};
    for (uint32_t k = 99; k < LISTS; k += 100) {
        uint64_t got;
        assert_int_equal(hsc_spill_read(&s, &c, items, 40000, &got, &err), HSC_OK);
        assert_int_equal(got, 40000);
        for (uint32_t i = 0; i < 40000; i++)
            assert_int_equal(items[i], k + i);
    }
    hsc_spill_list_fini(&large);
    hsc_spill_fini(&s);
}

static void no_folder(void **state) {
    (void)state;
    for (int named = 0; named < 2; named++) {
        hsc_spill s;
        hsc_err err = {0};
        hsc_spill_list l = {0};
        uint64_t v = 1, got;
        no_unnamed = named;
        hsc_spill_init(&s, "/proc/no such folder/x.h5");
        for (int i = 0; i < 10000; i++) /* so few need no file */
            assert_true(hsc_spill_put(&s, &l, &v, sizeof v));
        assert_int_equal(hsc_spill_read(&s, &(hsc_spill_cursor){.list = &l}, &v, 1, &got, &err), HSC_OK);
        for (int i = 0; i < 100000; i++)
            assert_true(hsc_spill_put(&s, &l, &v, sizeof v));
        assert_int_equal(hsc_spill_read(&s, &(hsc_spill_cursor){.list = &l}, &v, 1, &got, &err), HSC_E_IO);
        assert_non_null(strstr(err.text, "temporary file beside /proc/no such folder/x.h5: "));
        hsc_spill_list_fini(&l);
        hsc_spill_fini(&s);
    }
    no_unnamed = false;
}

/* ---- values on their way into the other order ---- */

typedef struct expected {
    uint64_t seed, n, done;
    hsc_turned_value last;
} expected;

/* Columns rise, rows rise in each: small steps, and some as wide as they may be. */
static hsc_turned_value next_value(expected *e) {
    uint64_t r = random_number(&e->seed), step = 1 + (r % 10 ? r % 3 : (r >> 4) % (UINT32_MAX / 8));
    hsc_turned_value v = e->last;
    if (e->done && (r >> 40) % 3 && v.row <= UINT32_MAX - step) {
        v.row += (uint32_t)step;
    } else {
        v.column += e->done ? 1 + (r >> 50) % 2 * (uint32_t)((r >> 8) % 200000) : (uint32_t)(r >> 30) % 2;
        v.row = (r >> 44) % 5 ? (uint32_t)(r >> 12) % 7 : UINT32_MAX;
    }
    v.count = (r >> 46) % 9 ? 1 + (uint32_t)(r >> 20) % 50 : UINT32_MAX - (uint32_t)(r >> 20) % 50;
    e->last = v;
    e->done++;
    return v;
}

static bool is_expected(void *ctx, const hsc_turned_value *v) {
    expected *e = ctx;
    hsc_turned_value want = next_value(e);
    assert_int_equal(v->row, want.row);
    assert_int_equal(v->column, want.column);
    assert_int_equal(v->count, want.count);
    return true;
}

static bool takes_none(void *ctx, const hsc_turned_value *v) {
    (void)ctx;
    (void)v;
    return false;
}

static void turned_values(void **state) {
    (void)state;
    static const uint64_t sizes[] = {0, 1, 2, 1000, 3000, 3001, 40000};
    hsc_spill s;
    hsc_err err = {0};
    hsc_spill_init(&s, path);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        expected in = {.seed = 7 + i}, out = in;
        hsc_turned t = {0};
        for (uint64_t k = 0; k < sizes[i]; k++) {
            hsc_turned_value v = next_value(&in);
            assert_true(hsc_turned_put(&s, &t, &v));
        }
        assert_int_equal(t.count, sizes[i]);
        assert_int_equal(hsc_turned_each(&s, &t, is_expected, &out, &err), HSC_OK);
        assert_int_equal(out.done, sizes[i]);
        if (sizes[i])
            assert_int_equal(hsc_turned_each(&s, &t, takes_none, NULL, &err), HSC_E_MEMORY);
        hsc_turned_fini(&t);
    }
    hsc_spill_fini(&s);
    nothing_is_left();
}

/* ---- sorting ---- */

static int by_word(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sorted_words(void **state) {
    (void)state;
    static const uint64_t masks[] = {UINT64_MAX, 0xff, 0xff00ff, 0x3000000000000003, 1, 0};
    uint64_t seed = 3;
    for (size_t n = 0; n < 600; n += n < 40 ? 1 : 37)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
            uint64_t list[640], scratch[640], want[640];
            for (size_t i = 0; i < n; i++)
                list[i] = want[i] = (random_number(&seed) << 32 ^ random_number(&seed)) & masks[m];
            qsort(want, n, sizeof *want, by_word);
            hsc_sort_words(list, scratch, n, 0);
            assert_memory_equal(list, want, n * sizeof *list);
            hsc_sort_words(list, scratch, n, 0); /* what is sorted already */
            assert_memory_equal(list, want, n * sizeof *list);
            for (size_t i = 0; i < n; i++)
                list[i] = (random_number(&seed) << 32 & masks[m]) | i;
            hsc_sort_words(list, scratch, n, 32);
            for (size_t i = 1; i < n; i++)
                assert_true(list[i - 1] >> 32 < list[i] >> 32 || (list[i - 1] >> 32 == list[i] >> 32 && (uint32_t)list[i - 1] < (uint32_t)list[i]));
        }
}

int main(void) {
    folder = model_folder();
    path = model_path(folder, "x.h5");
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_with_a_name), cmocka_unit_test(unfinished_files), cmocka_unit_test(lists_with_and_without_names),
                                       cmocka_unit_test(pieces_are_gathered), cmocka_unit_test(no_folder), cmocka_unit_test(turned_values), cmocka_unit_test(sorted_words)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    free(path);
    free(folder);
    return failed;
}
