/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "jit_map.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heatscope/formats/stream.h>
#include <heatscope/formats/text.h>
#include <heatscope/sorted.h>

#include "code_internal.h"

#define NAME_MAX_BYTES 1000u     /* of a name; longer ones are cut */
#define CODES_MAX ((size_t)1 << 20) /* procedures of a process: what is beyond is left out */
#define LINES_MAX ((size_t)2 << 20) /* the same */
#define RECORDS_MAX ((size_t)1 << 24)
#define MAP_MAX ((uint64_t)256 << 20)
#define RECORD_MAX ((uint32_t)16 << 20) /* of jitdump, without the code */
#define LOOKS_MAX ((uint64_t)50 << 20)  /* for code that moves, in a file */

typedef struct code {
    uint64_t lo, hi;
    const char *name, *file;
    uint32_t line_begin;
    uint32_t first_line, line_count; /* of lines */
    bool is_moved;                   /* its lines are another one's, too */
} code;

typedef struct line {
    uint64_t offset;
    const char *file;
    uint32_t line;
} line;

typedef struct span {
    uint64_t lo;
    uint32_t code; /* HSC_NO_INDEX: a gap */
} span;

struct hsc_jit_map {
    hsc_pool pool;
    HSC_VEC(code) codes;
    HSC_VEC(line) lines;
    HSC_VEC(span) spans;
    bool full; /* CODES_MAX procedures are there, and more were told */
    char problem[400];
};

hsc_jit_map *hsc_jit_map_new(void) { return calloc(1, sizeof(hsc_jit_map)); }

void hsc_jit_map_free(hsc_jit_map *m) {
    if (!m)
        return;
    hsc_pool_fini(&m->pool);
    free(m->codes.p);
    free(m->lines.p);
    free(m->spans.p);
    free(m);
}

bool hsc_jit_map_is_empty(const hsc_jit_map *m) { return !m->codes.n; }
const char *hsc_jit_map_get_problem(const hsc_jit_map *m) { return m->problem; }

HSC_PRINTF(2, 3) static void note_problem(hsc_jit_map *m, const char *fmt, ...) {
    va_list list;
    if (m->problem[0])
        return;
    va_start(list, fmt);
    vsnprintf(m->problem, sizeof m->problem, fmt, list);
    va_end(list);
}

/* ---- names ---- */

/* As text for people: what is no printable UTF-8 becomes a question mark. */
static const char *keep_text(hsc_jit_map *m, const char *s, size_t n) {
    char text[NAME_MAX_BYTES + 1];
    n = n < NAME_MAX_BYTES ? n : NAME_MAX_BYTES;
    for (size_t i = 0; i < n; i++)
        text[i] = (uint8_t)s[i] < ' ' || s[i] == 0x7f ? '?' : s[i];
    text[n] = 0;
    hsc_text_repair(text);
    return hsc_pool_intern(&m->pool, text, n);
}

/* The number before `end`, behind a colon: ":14". *end becomes where the colon stands. */
static bool number_before(const char *s, const char **end, uint32_t *out) {
    const char *at = *end;
    uint64_t v = 0, unit = 1;
    while (at > s && isdigit((unsigned char)at[-1]) && unit <= 100000000) {
        v += unit * (uint64_t)(*--at - '0');
        unit *= 10;
    }
    if (at == *end || at == s || at[-1] != ':')
        return false;
    *end = at - 1;
    *out = (uint32_t)v;
    return true;
}

/* Does a place begin here: "/tmp/fib.js", "file:///tmp/fib.js", and V8's own "node:internal/util"? Not the name of a division. */
static bool is_place(const char *p, const char *end, char before) {
    static const char scheme[] = "file:///", own[] = "node:";
    if (before != ' ' && before != ':')
        return false;
    if (*p == '/')
        return end - p > 1 && (isalnum((unsigned char)p[1]) || strchr("_.-", p[1]) || p[1] & 0x80);
    return ((size_t)(end - p) >= sizeof scheme && !memcmp(p, scheme, sizeof scheme - 1)) ||
           (before == ' ' && (size_t)(end - p) >= sizeof own && !memcmp(p, own, sizeof own - 1));
}

/* Names often end in where the procedure stands: "JS:*fib /tmp/fib.js:1:13" (V8), "py::fib:/tmp/fib.py" (CPython). */
static bool take_name(hsc_jit_map *m, const char *s, size_t n, code *to) {
    static const char scheme[] = "file://";
    n = strnlen(s, n);
    while (n && isspace((unsigned char)s[n - 1]))
        n--;
    const char *end = s + n, *file = NULL;
    uint32_t first = 0, second = 0;
    if (number_before(s, &end, &second) && number_before(s, &end, &first))
        second = first;
    for (const char *p = s + 2; p < end && !file; p++)
        if (is_place(p, end, p[-1]))
            file = p;
    const char *name_end = file ? file - 1 : s + n, *from = file && *file == 'f' ? file + sizeof scheme - 1 : file;
    while (name_end > s && name_end[-1] == ' ')
        name_end--;
    to->line_begin = file ? second : 0;
    to->file = file ? keep_text(m, from, (size_t)(end - from)) : hsc_pool_intern(&m->pool, "", 0);
    to->name = name_end > s ? keep_text(m, s, (size_t)(name_end - s)) : hsc_pool_intern(&m->pool, "[no name]", 9);
    return to->name && to->file;
}

static bool add_code(hsc_jit_map *m, uint64_t lo, uint64_t size, const code *of) {
    if (!size || lo + size < lo)
        return true;
    if (m->codes.n >= CODES_MAX) {
        m->full = true;
        note_problem(m, "more than %zu procedures: the others are left out", CODES_MAX);
        return true;
    }
    code c = *of;
    c.lo = lo;
    c.hi = lo + size;
    return HSC_PUSH(m->codes, c);
}

/* ---- perf's map ---- */

/* A number in base 16 that a blank follows. */
static bool take_hex(const char **p, const char *end, uint64_t *out) {
    const char *at = *p;
    unsigned digits = 0;
    *out = 0;
    if (end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x')
        at += 2;
    for (; at < end && isxdigit((unsigned char)*at) && digits <= 16; at++, digits++)
        *out = *out << 4 | (uint64_t)(isdigit((unsigned char)*at) ? *at - '0' : (*at | 32) - 'a' + 10);
    bool good = digits && digits <= 16 && at < end && *at == ' ';
    while (at < end && *at == ' ')
        at++;
    *p = at;
    return good;
}

static bool take_line(hsc_jit_map *m, const char *p, const char *end, uint64_t *bad) {
    uint64_t lo, size;
    code c = {0};
    if (p == end)
        return true;
    if (!take_hex(&p, end, &lo) || !take_hex(&p, end, &size) || p == end) {
        ++*bad;
        return true;
    }
    return take_name(m, p, (size_t)(end - p), &c) && add_code(m, lo, size, &c);
}

static bool read_map(hsc_jit_map *m, FILE *f, const char *path) {
    char buffer[8192];
    uint64_t bad = 0, bytes = 0;
    bool ok = true, goes_on = false;
    while (ok && !m->full && bytes <= MAP_MAX && fgets(buffer, sizeof buffer, f)) {
        size_t n = strlen(buffer); /* up to a zero in it */
        bool ends = n && buffer[n - 1] == '\n', rest = goes_on;
        bytes += n ? n : 1;
        goes_on = n == sizeof buffer - 1 && !ends;
        if (!rest && (ends || goes_on)) /* one without its end is being written */
            ok = take_line(m, buffer, buffer + n - ends, &bad);
    }
    if (bad)
        note_problem(m, "%.300s: %llu of its lines are not ADDRESS SIZE NAME", path, (unsigned long long)bad);
    return ok;
}

/* ---- jitdump ---- */

enum { JIT_LOAD, JIT_MOVE, JIT_DEBUG, JIT_CLOSE };
#define JIT_MAGIC 0x4A695444u   /* in the byte order of who wrote it: ours */
#define ELF_HEADER_BYTES 0x40u  /* that addresses of lines count from, with makers that do as perf before 5.8 wanted it (V8) */

static uint32_t u32_at(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t u64_at(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

typedef struct dump {
    hsc_jit_map *m;
    size_t first_code;    /* of this file */
    uint64_t least;       /* offset of all lines */
    uint64_t debug_of;    /* address of the code that comes next */
    uint32_t first_line, line_count;
    uint64_t bad, looks;
} dump;

static int by_offset(const void *pa, const void *pb) {
    const line *a = pa, *b = pb;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Of code that is told next: u64 address, u64 entries; of each u64 address, u32 line, u32 column, name. Lines that lie elsewhere show that it is damaged. */
static bool take_debug(dump *d, const uint8_t *p, size_t n) {
    hsc_jit_map *m = d->m;
    uint64_t entries = n >= 16 ? u64_at(p + 8) : 0, at = 16;
    const char *file = NULL;
    d->debug_of = n >= 16 ? u64_at(p) : 0;
    d->first_line = (uint32_t)m->lines.n;
    d->line_count = 0;
    for (uint64_t i = 0; i < entries && m->lines.n < LINES_MAX; i++) {
        size_t length = at + 16 < n ? strnlen((const char *)p + at + 16, n - at - 16) : 0;
        if (at + 16 + length + 1 > n || u64_at(p + at) < d->debug_of || u64_at(p + at) - d->debug_of > UINT32_MAX) {
            m->lines.n = d->first_line;
            d->bad++;
            return true;
        }
        const char *name = (const char *)p + at + 16;
        if (!(length == 1 && (uint8_t)name[0] == 0xff) || !file) { /* else: the same file as before */
            file = keep_text(m, name, length);
            if (!file)
                return false;
        }
        if (!HSC_PUSH(m->lines, (line){u64_at(p + at) - d->debug_of, file, u32_at(p + at + 8)}))
            return false;
        at += 16 + length + 1;
    }
    if (m->lines.n - d->first_line < entries)
        note_problem(m, "more than %zu lines: the others are left out", LINES_MAX);
    d->line_count = (uint32_t)(m->lines.n - d->first_line);
    return true;
}

/* u32 pid, u32 tid, u64 vma, u64 address, u64 size, u64 index, name */
static bool take_load(dump *d, const uint8_t *p, size_t n) {
    enum { FIXED = 40 };
    code c = {0};
    if (n <= FIXED) {
        d->bad++;
        return true;
    }
    uint64_t address = u64_at(p + 16), size = u64_at(p + 24);
    if (d->line_count && d->debug_of == address) {
        line *l = d->m->lines.p + d->first_line;
        qsort(l, d->line_count, sizeof *l, by_offset);
        bool inside = l[d->line_count - 1].offset <= size + ELF_HEADER_BYTES;
        c.first_line = d->first_line;
        c.line_count = inside ? d->line_count : 0;
        if (inside && l->offset < d->least)
            d->least = l->offset;
        d->bad += !inside;
    }
    d->line_count = 0;
    return take_name(d->m, (const char *)p + FIXED, n - FIXED, &c) && add_code(d->m, address, size, &c);
}

/* u32 pid, u32 tid, u64 vma, u64 old, u64 new, u64 size, u64 index */
static bool take_move(dump *d, const uint8_t *p, size_t n) {
    if (n < 48) {
        d->bad++;
        return true;
    }
    uint64_t from = u64_at(p + 16);
    for (size_t i = d->m->codes.n; i-- > d->first_code && d->looks < LOOKS_MAX; d->looks++)
        if (d->m->codes.p[i].lo == from) {
            code c = d->m->codes.p[i];
            c.is_moved = true;
            return add_code(d->m, u64_at(p + 24), u64_at(p + 32), &c);
        }
    if (d->looks >= LOOKS_MAX)
        note_problem(d->m, "code moves too often: some of it is left where it was");
    return true;
}

static void end_dump(const dump *d, size_t first_line) {
    uint64_t less = d->least >= ELF_HEADER_BYTES && d->least != UINT64_MAX ? ELF_HEADER_BYTES : 0;
    for (size_t i = first_line; less && i < d->m->lines.n; i++)
        d->m->lines.p[i].offset -= d->m->lines.p[i].offset >= less ? less : d->m->lines.p[i].offset;
}

static bool read_dump(hsc_jit_map *m, FILE *f, const char *path, uint64_t bytes) {
    uint8_t head[40], record[16], *body = NULL;
    size_t room = 0, first_line = m->lines.n, records = 0;
    dump d = {.m = m, .first_code = m->codes.n, .least = UINT64_MAX};
    bool ok = true;
    uint64_t at = fread(head, 1, sizeof head, f) == sizeof head ? u32_at(head + 8) : bytes;
    if (at < sizeof head) {
        note_problem(m, "%.300s: its header says that it has %llu bytes; 40 expected", path, (unsigned long long)at);
        return true;
    }
    while (ok && at < bytes && records++ < RECORDS_MAX && !m->full && !fseeko(f, (off_t)at, SEEK_SET) && fread(record, 1, sizeof record, f) == sizeof record) {
        uint32_t id = u32_at(record), size = u32_at(record + 4);
        if (size < sizeof record) {
            d.bad++;
            break;
        }
        size_t wanted = size - sizeof record, most = id == JIT_LOAD ? 40 + NAME_MAX_BYTES : RECORD_MAX; /* the code itself is not read */
        wanted = wanted < most ? wanted : most;
        at += size;
        if (id == JIT_CLOSE)
            break;
        if (id != JIT_LOAD && id != JIT_MOVE && id != JIT_DEBUG)
            continue;
        if (wanted > room) {
            free(body);
            body = malloc(room = wanted);
            ok = body != NULL;
        }
        size_t got = ok && wanted ? fread(body, 1, wanted, f) : 0;
        if (at > bytes && id != JIT_LOAD) /* its end was not written */
            break;
        if (ok)
            ok = id == JIT_LOAD ? take_load(&d, body, got) : id == JIT_MOVE ? take_move(&d, body, got) : take_debug(&d, body, got);
    }
    free(body);
    end_dump(&d, first_line);
    if (records > RECORDS_MAX)
        note_problem(m, "%.300s: more than %zu records: the others are left out", path, RECORDS_MAX);
    if (d.bad)
        note_problem(m, "%.300s: %llu of its records are damaged", path, (unsigned long long)d.bad);
    return ok;
}

bool hsc_jit_map_read(hsc_jit_map *m, const char *path, uint64_t owner) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    uint8_t magic[4];
    if (fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            note_problem(m, "%.300s: not used: %s", path, errno == ELOOP ? "a symbolic link" : strerror(errno));
        return true;
    }
    FILE *f = NULL;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        note_problem(m, "%.300s: not used: no regular file", path);
    else if (st.st_uid != owner)
        note_problem(m, "%.300s: not used: belongs to user %lu, the measurement to user %llu", path, (unsigned long)st.st_uid, (unsigned long long)owner);
    else if (!(f = fdopen(fd, "r")))
        note_problem(m, "%.300s: not used: %s", path, strerror(errno));
    if (!f) {
        close(fd);
        return true;
    }
    size_t n = fread(magic, 1, sizeof magic, f);
    rewind(f);
    bool is_dump = n == sizeof magic && u32_at(magic) == JIT_MAGIC, ok = true;
    if (is_dump)
        ok = read_dump(m, f, path, (uint64_t)st.st_size);
    else if ((uint64_t)st.st_size <= MAP_MAX)
        ok = read_map(m, f, path);
    else
        note_problem(m, "%.300s: not used: %llu bytes, no more than %llu are read", path, (unsigned long long)st.st_size, (unsigned long long)MAP_MAX);
    fclose(f);
    return ok;
}

/* ---- which code is where ---- */

static int by_value(const void *pa, const void *pb) {
    uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return a < b ? -1 : a > b;
}

static int by_begin(const void *pa, const void *pb, void *ctx) {
    const code *codes = ctx, *a = &codes[*(const uint32_t *)pa], *b = &codes[*(const uint32_t *)pb];
    return a->lo < b->lo ? -1 : a->lo > b->lo;
}

static void heap_put(uint32_t *heap, size_t *n, uint32_t value) { /* the largest on top */
    size_t i = (*n)++;
    for (; i && heap[(i - 1) / 2] < value; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = value;
}

static void heap_drop(uint32_t *heap, size_t *n) {
    uint32_t value = heap[--*n];
    size_t i = 0, k;
    for (; (k = 2 * i + 1) < *n; i = k) {
        k += k + 1 < *n && heap[k + 1] > heap[k];
        if (heap[k] <= value)
            break;
        heap[i] = heap[k];
    }
    heap[i] = value;
}

bool hsc_jit_map_settle(hsc_jit_map *m) {
    size_t n = m->codes.n, borders = 0, open = 0, next = 0;
    uint64_t *at = malloc((2 * n + 1) * sizeof *at);
    uint32_t *order = malloc((n + 1) * sizeof *order), *heap = malloc((n + 1) * sizeof *heap);
    bool ok = at && order && heap;
    for (uint32_t i = 0; ok && i < n; i++) {
        at[borders++] = m->codes.p[i].lo;
        at[borders++] = m->codes.p[i].hi;
        order[i] = i;
    }
    if (ok && n) {
        qsort(at, borders, sizeof *at, by_value);
        qsort_r(order, n, sizeof *order, by_begin, m->codes.p);
    }
    m->spans.n = 0;
    for (size_t i = 0; ok && i < borders; i++) {
        if (i && at[i] == at[i - 1])
            continue;
        while (next < n && m->codes.p[order[next]].lo <= at[i])
            heap_put(heap, &open, order[next++]);
        while (open && m->codes.p[heap[0]].hi <= at[i])
            heap_drop(heap, &open);
        uint32_t top = open ? heap[0] : HSC_NO_INDEX;
        if (!m->spans.n || m->spans.p[m->spans.n - 1].code != top)
            ok = HSC_PUSH(m->spans, (span){at[i], top});
    }
    free(at);
    free(order);
    free(heap);
    return ok;
}

static hsc_jit_place place_of(const code *c, const line *l) {
    return (hsc_jit_place){c->name, c->file, c->line_begin, l ? l->file : "", l ? l->line : 0};
}

bool hsc_jit_map_find(const hsc_jit_map *m, uint64_t address, hsc_jit_place *out) {
    size_t lo = 0, hi = m->spans.n;
    HSC_SEARCH(lo, hi, m->spans.p[lo].lo <= address);
    const code *c = lo && m->spans.p[lo - 1].code != HSC_NO_INDEX ? &m->codes.p[m->spans.p[lo - 1].code] : NULL;
    if (!c)
        return false;
    const line *lines = m->lines.p + c->first_line;
    lo = 0, hi = c->line_count;
    HSC_SEARCH(lo, hi, lines[lo].offset <= address - c->lo);
    *out = place_of(c, lo ? &lines[lo - 1] : NULL);
    return true;
}

uint64_t hsc_jit_place_key(const hsc_jit_place *p) {
    uint64_t h = hsc_hash64(1, p->name, strlen(p->name));
    h = hsc_hash64(h, p->file, strlen(p->file));
    h = hsc_hash64(h, p->at_file, strlen(p->at_file));
    h = hsc_hash64(h, (const uint32_t[]){p->line_begin, p->at_line}, 2 * sizeof(uint32_t)) & 0x7ffffffffffeull; /* of a process's addresses */
    return h ? h : 2;
}

bool hsc_jit_map_each(const hsc_jit_map *m, bool (*visit)(void *ctx, const hsc_jit_place *p), void *ctx) {
    bool ok = true;
    for (size_t i = 0; ok && i < m->codes.n; i++) {
        const code *c = &m->codes.p[i];
        hsc_jit_place p = place_of(c, NULL);
        ok = visit(ctx, &p);
        for (uint32_t k = 0; ok && k < c->line_count && !c->is_moved; k++) {
            p = place_of(c, &m->lines.p[c->first_line + k]);
            ok = visit(ctx, &p);
        }
    }
    return ok;
}

/* ---- as code ---- */

static bool add_place(hsc_code *c, const hsc_jit_place *p, uint64_t key) {
    uint32_t file, at_file, procedure;
    bool is_new;
    const char *name = hsc_pool_intern(&c->pool, p->name, strlen(p->name));
    if (!name || !hsc_code_add_file(c, p->file, strlen(p->file), "", 0, &file) || !hsc_code_add_file(c, p->at_file, strlen(p->at_file), "", 0, &at_file) ||
        !hsc_code_add_procedure(c, name, name, file, &procedure, &is_new))
        return false;
    if (is_new) {
        hsc_code_procedure *q = &c->procedures.p[procedure];
        q->line_begin = q->line_end = p->line_begin;
        q->knowledge = HSC_KNOWN_SYMBOL;
        q->has_code = true;
    }
    uint32_t scope = (uint32_t)c->scopes.n;
    hsc_code_scope s = {.parent = HSC_NO_INDEX, .procedure = procedure, .function = procedure, .call_file = HSC_NO_INDEX};
    hsc_line_span gap = {.lo = key + 1, .file = HSC_NO_INDEX, .unit = HSC_NO_INDEX}, at = {.lo = key, .file = at_file, .line = p->at_line & 0x7fffffff};
    bool has_line = p->at_line && at_file != HSC_NO_INDEX;
    return HSC_PUSH(c->scopes, s) && HSC_PUSH(c->scope_spans, (hsc_scope_span){key, scope}) && HSC_PUSH(c->scope_spans, (hsc_scope_span){key + 1, HSC_NO_INDEX}) &&
           (!has_line || (HSC_PUSH(c->lines, at) && HSC_PUSH(c->lines, gap)));
}

hsc_code *hsc_code_of_places(const char *path, const hsc_jit_place *p, const uint64_t *keys, size_t n, const char *problem) {
    hsc_code *c = calloc(1, sizeof *c);
    bool ok = c != NULL;
    if (ok) {
        c->note = "";
        c->fd = -1;
        c->knowledge = n ? HSC_KNOWN_SYMBOL : HSC_KNOWN_MODULE;
        c->path = hsc_pool_intern(&c->pool, path, strlen(path));
        ok = c->path && HSC_PUSH(c->units, (hsc_unit){"", "", HSC_NO_INDEX, HSC_NO_INDEX});
    }
    if (ok && problem[0])
        hsc_code_add_note(c, "%s", problem);
    for (size_t i = 0; ok && i < n; i++)
        ok = add_place(c, &p[i], keys[i]);
    if (ok && hsc_code_finish(c))
        return c;
    hsc_code_close(c);
    return NULL;
}
