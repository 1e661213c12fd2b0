/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What makers of code at run time say of it: names and lines of both kinds of files, code that is told anew, that moves, or that has lines counted from an ELF header;
 * files of others and links are left; any bytes are read to some end, and what is found in them is one of their places. Usage: test-jit-map FOLDER */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jit_map.h"

static char path[4096];

static void fail(const char *what, const char *got) {
    fprintf(stderr, "%s: %s\n", what, got);
    exit(1);
}

static void put_file(const void *bytes, size_t n) {
    unlink(path);
    FILE *f = fopen(path, "w");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
        fail(path, "can't be written");
}

static hsc_jit_map *take(uint64_t owner) {
    hsc_jit_map *m = hsc_jit_map_new();
    if (!m || !hsc_jit_map_read(m, path, owner) || !hsc_jit_map_settle(m))
        fail(path, "no memory");
    return m;
}

static void expect(const hsc_jit_map *m, uint64_t address, const char *wanted) {
    hsc_jit_place p;
    char got[4200] = "nothing";
    if (hsc_jit_map_find(m, address, &p))
        snprintf(got, sizeof got, "%s|%s|%u|%s|%u", p.name, p.file, p.line_begin, p.at_file, p.at_line);
    if (strcmp(got, wanted)) {
        fprintf(stderr, "at %#llx: %s\n", (unsigned long long)address, wanted);
        fail("got", got);
    }
}

static void read_map(void) {
    static const char text[] = "1000 10 JS:*fib /tmp/fib.js:1:13\n"
                               "0x2000 0x20 py::work.<locals>:/home/a b/w.py\n"
                               "3000 100 outer\n3040 10 inner\n3010 8 Lib.Type::Run(int32[])[OptimizedTier1]\n"
                               "what is this\n4000 zz name\n5000 0 nothing\nffffffffffffffff 10 wraps\n"
                               "6000 8 operator /(a, b)\n7000 8 LazyCompile:f file:///srv/x.js:7\n8000 8 a\001b\377c\n"
                               "a000 8 JS:~Module._load node:internal/modules/cjs/loader:1003:24\n"
                               "9000 8 not wr";
    put_file(text, sizeof text - 1);
    hsc_jit_map *m = take(geteuid());
    expect(m, 0xfff, "nothing");
    expect(m, 0x1000, "JS:*fib|/tmp/fib.js|1||0");
    expect(m, 0x100f, "JS:*fib|/tmp/fib.js|1||0");
    expect(m, 0x1010, "nothing");
    expect(m, 0x2004, "py::work.<locals>|/home/a b/w.py|0||0");
    expect(m, 0x3000, "outer||0||0");
    expect(m, 0x3012, "Lib.Type::Run(int32[])[OptimizedTier1]||0||0");
    expect(m, 0x3018, "outer||0||0");
    expect(m, 0x304f, "inner||0||0");
    expect(m, 0x3050, "outer||0||0");
    expect(m, 0x6000, "operator /(a, b)||0||0");
    expect(m, 0x7000, "LazyCompile:f|/srv/x.js|7||0");
    expect(m, 0x8000, "a?b?c||0||0");
    expect(m, 0xa000, "JS:~Module._load|node:internal/modules/cjs/loader|1003||0");
    expect(m, 0x9000, "nothing");
    if (!strstr(hsc_jit_map_get_problem(m), "2 of its lines are not ADDRESS SIZE NAME"))
        fail("problem", hsc_jit_map_get_problem(m));
    hsc_jit_map_free(m);
}

/* ---- jitdump ---- */

static uint8_t dump[4096];
static size_t size;

static void put(const void *p, size_t n) {
    memcpy(dump + size, p, n);
    size += n;
}

static void put32(uint32_t v) { put(&v, sizeof v); }
static void put64(uint64_t v) { put(&v, sizeof v); }

static void put_head(uint32_t id, size_t body) {
    put32(id);
    put32((uint32_t)(16 + body));
    put64(1);
}

static void put_load(uint64_t address, uint64_t bytes, const char *name) {
    put_head(0, 40 + strlen(name) + 1 + bytes);
    put32(1), put32(1), put64(address), put64(address), put64(bytes), put64(1);
    put(name, strlen(name) + 1);
    memset(dump + size, 0x90, bytes);
    size += bytes;
}

static void put_lines(uint64_t address, uint64_t from, uint64_t second, const char *file) {
    put_head(2, 16 + 2 * 16 + strlen(file) + 1 + 2);
    put64(address), put64(2);
    put64(address + from), put32(10), put32(1), put(file, strlen(file) + 1);
    put64(second), put32(20), put32(1), put("\377", 2);
}

static void begin_dump(void) {
    size = 0;
    put32(0x4A695444), put32(1), put32(40), put32(62), put32(0), put32(1), put64(1), put64(0);
}

static void read_dump(uint64_t from) {
    begin_dump();
    put_lines(0x1000, from, 0x1000 + from + 8, "/src/a.x");
    put_load(0x1000, 16, "first");
    put_load(0x2000, 16, "plain");
    put_head(1, 48);
    put32(1), put32(1), put64(0x1000), put64(0x1000), put64(0x5000), put64(16), put64(1);
    put_lines(0x3000, from, 0x9000, "/src/damaged");
    put_load(0x3000, 16, "third");
    put_load(0x2000, 8, "anew");
    put_head(3, 0);
    put_load(0x7000, 8, "after the end");
    put_file(dump, size);
    hsc_jit_map *m = take(geteuid());
    expect(m, 0x1000, "first||0|/src/a.x|10");
    expect(m, 0x1007, "first||0|/src/a.x|10");
    expect(m, 0x1008, "first||0|/src/a.x|20");
    expect(m, 0x5009, "first||0|/src/a.x|20");
    expect(m, 0x2000, "anew||0||0");
    expect(m, 0x2008, "plain||0||0");
    expect(m, 0x3000, "third||0||0");
    expect(m, 0x7000, "nothing");
    if (!strstr(hsc_jit_map_get_problem(m), "1 of its records are damaged"))
        fail("problem", hsc_jit_map_get_problem(m));
    hsc_jit_map_free(m);
}

/* ---- what is not to be trusted ---- */

static void refuse(const char *why, uint64_t owner) {
    hsc_jit_map *m = take(owner);
    if (!hsc_jit_map_is_empty(m) || !strstr(hsc_jit_map_get_problem(m), why))
        fail(why, hsc_jit_map_get_problem(m));
    hsc_jit_map_free(m);
}

/* What is beyond the limit is left out, and told. */
static void read_too_many(void) {
    enum { MOST = 1 << 20 };
    unlink(path);
    FILE *f = fopen(path, "w");
    for (unsigned i = 1; f && i <= MOST + 2; i++)
        fprintf(f, "%x0 10 f\n", i);
    if (!f || fclose(f))
        fail(path, "can't be written");
    hsc_jit_map *m = take(geteuid());
    expect(m, (uint64_t)MOST << 4, "f||0||0");
    expect(m, (uint64_t)(MOST + 1) << 4, "nothing");
    if (!strstr(hsc_jit_map_get_problem(m), "more than 1048576 procedures: the others are left out"))
        fail("too many", hsc_jit_map_get_problem(m));
    hsc_jit_map_free(m);
}

static bool look(void *ctx, const hsc_jit_place *p) {
    size_t *n = ctx;
    uint64_t key = hsc_jit_place_key(p);
    *n += 1;
    return p->name[0] && p->file && p->at_file && key && !(key & 1);
}

static void read_anything(void) {
    uint8_t good[sizeof dump];
    size_t n = size, places = 0;
    memcpy(good, dump, n);
    for (size_t at = 0; at <= n; at++)
        for (unsigned v = 0; v < 5; v++) {
            static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
            memcpy(dump, good, n);
            if (at < n)
                dump[at] = values[v];
            put_file(dump, v ? n : at);
            hsc_jit_map *m = take(geteuid());
            hsc_jit_place p;
            hsc_jit_map_find(m, 0x1000 + at, &p);
            if (!hsc_jit_map_each(m, look, &places))
                fail("a place", "is none");
            hsc_jit_map_free(m);
        }
    printf("%zu bytes, each changed: %zu places\n", n, places);
}

static void find_as_code(void) {
    const hsc_jit_place places[] = {{"JS:*fib", "/tmp/fib.js", 1, "", 0}, {"first", "", 0, "/src/a.x", 20}};
    const uint64_t keys[] = {100, 200};
    hsc_err err;
    hsc_code_answer a;
    hsc_code_tables t;
    hsc_code *c = hsc_code_of_places("[generated code]", places, keys, 2, "");
    for (size_t i = 0; c && i < 4; i++) {
        if (hsc_code_find(c, keys[i / 2] + i % 2, !(i % 2), &a, &err) != HSC_OK || a.element_count != 1)
            fail("place", "not found");
        hsc_code_get_tables(c, &t);
        if (strcmp(t.procedures[a.elements[0].index].name, places[i / 2].name) || a.line != places[i / 2].at_line ||
            (a.line && strcmp(t.files[a.file].path, places[i / 2].at_file)))
            fail("found", t.procedures[a.elements[0].index].name);
    }
    if (!c || hsc_code_find(c, 300, true, &a, &err) != HSC_OK || a.element_count)
        fail("beyond", "something is found");
    hsc_code_close(c);
}

int main(int argc, char **argv) {
    if (argc != 2 || snprintf(path, sizeof path, "%s/told", argv[1]) >= (int)sizeof path)
        return 2;
    mkdir(argv[1], 0777);
    read_map();
    refuse("belongs to user", (uint64_t)geteuid() + 1);
    read_dump(0);
    read_dump(0x40);
    read_anything();
    read_too_many();
    put_file("1000 10 name\n", 13);
    if (truncate(path, (off_t)1 << 29))
        fail("truncate", path);
    refuse("no more than 268435456 are read", geteuid());
    unlink(path);
    if (symlink("/etc/passwd", path))
        fail("symlink", path);
    refuse("a symbolic link", geteuid());
    unlink(path);
    mkdir(path, 0777);
    refuse("no regular file", geteuid());
    rmdir(path);
    find_as_code();
    return 0;
}
