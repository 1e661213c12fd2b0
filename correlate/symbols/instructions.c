/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pieces of machine code, and their instructions as text. */
#include "instructions.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code_internal.h"
#include "x86_64.h"

/* ---- pieces ---- */

bool hsc_code_find_part(hsc_code *c, uint64_t address, hsc_code_part *out) {
    const hsc_symbol *s = hsc_code_symbol_at(c, address);
    if (!s || s->hi <= s->lo)
        return false;
    out->begin = s->lo;
    out->end = s->hi;
    out->symbol = s->name;
    return true;
}

static uint32_t outermost_procedure(const hsc_code *c, uint32_t scope) {
    while (c->scopes.p[scope].parent != HSC_NO_INDEX)
        scope = c->scopes.p[scope].parent;
    return c->scopes.p[scope].procedure;
}

hsc_status hsc_code_each_part(hsc_code *c, const uint8_t *wanted, size_t n,
                              hsc_status (*visit)(void *ctx, const hsc_code_part *part, hsc_err *err), void *ctx,
                              hsc_err *err) {
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < c->scope_spans.n && status == HSC_OK;) {
        uint32_t scope = c->scope_spans.p[i].scope;
        uint32_t procedure = scope == HSC_NO_INDEX ? HSC_NO_INDEX : outermost_procedure(c, scope);
        uint64_t begin = c->scope_spans.p[i++].lo;
        if (procedure >= n || !wanted[procedure])
            continue;
        const hsc_symbol *s = hsc_code_symbol_at(c, begin);
        while (i < c->scope_spans.n && c->scope_spans.p[i].scope != HSC_NO_INDEX &&
               outermost_procedure(c, c->scope_spans.p[i].scope) == procedure &&
               !(s && c->scope_spans.p[i].lo >= s->hi)) /* two clones side by side */
            i++;
        uint64_t end = i < c->scope_spans.n ? c->scope_spans.p[i].lo : s ? s->hi : begin;
        hsc_code_part part = {begin, end, procedure, s && s->lo == begin ? s->name : ""};
        if (end > begin)
            status = visit(ctx, &part, err);
    }
    return status;
}

const uint8_t *hsc_code_get_bytes(const hsc_code *c, uint64_t begin, uint64_t end) {
    return hsc_code_bytes_at(c, begin, end);
}

/* ---- LLVM's disassembler ---- */

#define MODULE "heatscope-disassembler.so"

/* The part of LLVM-C that is used: llvm-c/Disassembler.h, stable since LLVM 3.3. */
enum { OPTION_HEX = 2, OPTION_INTEL = 4, OPTION_COMMENTS = 8 };

typedef struct llvm {
    void *(*create)(const char *triple, void *info, int tag, void *get_operands, void *look_up);
    int (*set_options)(void *d, uint64_t options);
    void (*dispose)(void *d);
    size_t (*disassemble)(void *d, uint8_t *bytes, uint64_t size, uint64_t address, char *text, size_t text_size);
    char why[200]; /* it can't be used; "" */
    char path[4096]; /* of the file; "" */
} llvm;

static llvm llvm_19;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t path_lock = PTHREAD_MUTEX_INITIALIZER;

static bool find(void *library, const char *name, void *function) {
    void *p = dlsym(library, name);
    memcpy(function, &p, sizeof p);
    if (!p)
        snprintf(llvm_19.why, sizeof llvm_19.why, "libLLVM has no %s", name);
    return p != NULL;
}

static void set_path(const char *path, bool is_loaded) {
    pthread_mutex_lock(&path_lock);
    if (strlen(path) < sizeof llvm_19.path && (is_loaded || !llvm_19.path[0]))
        strcpy(llvm_19.path, path);
    pthread_mutex_unlock(&path_lock);
}

void hsc_disassembler_set_file(const char *path) { set_path(path, false); }

/* Our own module has nothing but the disassembler; it is where the command's program is. libLLVM, with all targets, takes 80 ms to load. */
static void *load_library(void) {
    static const char *const names[] = {"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so",
                                        "/usr/lib/llvm-19/lib/libLLVM.so.1"};
    char own[4096];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - sizeof MODULE);
    char *end = n > 0 ? memrchr(own, '/', (size_t)n) : NULL;
    if (end)
        strcpy(end + 1, MODULE);
    void *library = end ? dlopen(own, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static void load_llvm(void) {
    static const char *const init[] = {"LLVMInitializeX86TargetInfo", "LLVMInitializeX86TargetMC",
                                       "LLVMInitializeX86Disassembler"};
    void *library = load_library();
    if (!library) {
        snprintf(llvm_19.why, sizeof llvm_19.why, "no disassembler: " MODULE " is not beside this program, and libLLVM 19 (package libllvm19) is not installed");
        return;
    }
    struct link_map *map = NULL;
    if (!dlinfo(library, RTLD_DI_LINKMAP, &map) && map->l_name)
        set_path(map->l_name, true);
    bool good = find(library, "LLVMCreateDisasm", &llvm_19.create) &&
                find(library, "LLVMSetDisasmOptions", &llvm_19.set_options) &&
                find(library, "LLVMDisasmDispose", &llvm_19.dispose) &&
                find(library, "LLVMDisasmInstruction", &llvm_19.disassemble);
    for (size_t i = 0; good && i < sizeof init / sizeof *init; i++) {
        void (*start)(void);
        good = find(library, init[i], &start);
        if (good)
            start();
    }
}

bool hsc_disassembler_get_file(const char **path) {
    *path = llvm_19.path;
    return !llvm_19.why[0];
}

/* ---- names of data ---- */

typedef struct object {
    uint64_t lo, hi;
    const char *name; /* of the ELF file */
} object;

struct hsc_disassembler {
    hsc_code *code;
    void *llvm;
    bool intel;
    HSC_VEC(object) objects; /* by address */
    hsc_table known;         /* of an instruction's bytes, with their number: where its words begin */
    HSC_VEC(char) words;     /* of LLVM, each to its 0 */
};

static int by_address(const void *pa, const void *pb) {
    const object *a = pa, *b = pb;
    return a->lo != b->lo ? (a->lo < b->lo ? -1 : 1) : strcmp(a->name, b->name);
}

static bool load_objects(hsc_disassembler *d) {
    for (Elf_Scn *s = NULL; d->code->elf && (s = elf_nextscn(d->code->elf, s));) {
        GElf_Shdr h;
        if (!gelf_getshdr(s, &h) || (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM) || !h.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(s, NULL);
        for (size_t i = 1; data && i < data->d_size / h.sh_entsize && i < INT32_MAX; i++) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || !symbol.st_value ||
                symbol.st_shndx == SHN_UNDEF)
                continue;
            const char *name = elf_strptr(d->code->elf, h.sh_link, symbol.st_name);
            uint64_t size = symbol.st_size ? symbol.st_size : 1;
            if (name && name[0] && !HSC_PUSH(d->objects, (object){symbol.st_value, symbol.st_value + size, name}))
                return false;
        }
    }
    if (d->objects.n > 1)
        qsort(d->objects.p, d->objects.n, sizeof *d->objects.p, by_address);
    return true;
}

hsc_status hsc_disassembler_open(hsc_code *c, bool intel, hsc_disassembler **out, hsc_err *err) {
    pthread_once(&once, load_llvm);
    if (llvm_19.why[0])
        return hsc_err_set(err, HSC_E_UNSUPPORTED, "%s", llvm_19.why);
    if (!c->is_x86_64)
        return hsc_err_set(err, HSC_E_UNSUPPORTED, "machine code of another processor than x86-64 is not disassembled");
    hsc_disassembler *d = calloc(1, sizeof *d);
    if (!d)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", c->path);
    d->code = c;
    d->intel = intel;
    d->llvm = llvm_19.create("x86_64-unknown-linux-gnu", NULL, 0, NULL, NULL);
    hsc_status status = HSC_OK;
    if (!d->llvm)
        status = hsc_err_set(err, HSC_E_UNSUPPORTED, "libLLVM is built without x86-64");
    else if (!load_objects(d))
        status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", c->path);
    else
        llvm_19.set_options(d->llvm, OPTION_HEX | OPTION_COMMENTS | (intel ? OPTION_INTEL : 0));
    if (status != HSC_OK)
        hsc_disassembler_close(d);
    else
        *out = d;
    return status;
}

void hsc_disassembler_close(hsc_disassembler *d) {
    if (!d)
        return;
    if (d->llvm)
        llvm_19.dispose(d->llvm);
    free(d->objects.p);
    hsc_table_fini(&d->known);
    free(d->words.p);
    free(d);
}

/* ---- text: as snprintf, of which there would be several calls an instruction ---- */

typedef struct line {
    char *p;
    size_t n, room; /* room: with the 0 */
} line;

static line begin_line(char *out, size_t size) {
    out[0] = 0;
    return (line){out, 0, size};
}

static void put_bytes(line *l, const char *s, size_t n) {
    n = n < l->room - l->n - 1 ? n : l->room - l->n - 1;
    memcpy(l->p + l->n, s, n);
    l->p[l->n += n] = 0;
}

static void put_text(line *l, const char *s) { put_bytes(l, s, strlen(s)); }

static void put_hex(line *l, uint64_t v) {
    char digits[18] = "0x";
    unsigned n = 1;
    for (uint64_t rest = v; rest >>= 4;)
        n++;
    for (unsigned i = 0; i < n; i++)
        digits[2 + i] = "0123456789abcdef"[v >> 4 * (n - 1 - i) & 15];
    put_bytes(l, digits, 2 + n);
}

/* ---- what an address is called ---- */

/* Names longer than this are cut: templates have no end. */
enum { NAME_MAX_SHOWN = 96 };

static void put_name(char *out, size_t size, const char *linkage, uint64_t offset) {
    char *full = hsc_demangle(linkage);
    const char *name = full ? full : linkage;
    bool cut = strlen(name) > NAME_MAX_SHOWN;
    size_t n = cut ? NAME_MAX_SHOWN - 3 : strlen(name);
    while (cut && n && ((unsigned char)name[n] & 0xC0) == 0x80)
        n--;
    line l = begin_line(out, size);
    put_bytes(&l, name, n);
    put_text(&l, cut ? "..." : "");
    if (offset) {
        put_text(&l, "+");
        put_hex(&l, offset);
    }
    free(full);
}

static bool name_code(const hsc_disassembler *d, uint64_t address, char *out, size_t size) {
    const hsc_symbol *s = hsc_code_symbol_at(d->code, address);
    if (s)
        put_name(out, size, s->name, address - s->lo);
    return s != NULL;
}

static bool name_data(const hsc_disassembler *d, uint64_t address, char *out, size_t size) {
    size_t lo = 0, hi = d->objects.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (d->objects.p[mid].lo <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo || address >= d->objects.p[lo - 1].hi)
        return false;
    put_name(out, size, d->objects.p[lo - 1].name, address - d->objects.p[lo - 1].lo);
    return true;
}

/* Bytes that never change while the program runs. */
static bool is_constant(const hsc_code *c, uint64_t address) {
    for (size_t i = 0; i < c->data_ranges.n; i++)
        if (address >= c->data_ranges.p[i].lo && address < c->data_ranges.p[i].hi)
            return !strncmp(c->data_ranges.p[i].name, ".rodata", 7);
    return false;
}

/* The constant that an instruction on floating-point numbers reads: " = 0.5". By the end of the operation's name. */
static void put_constant(const hsc_disassembler *d, const char *operation, uint64_t address, char *out, size_t size) {
    size_t n = strcspn(operation, "\t ");
    char type = n > 2 ? operation[n - 1] : 0;
    bool one = n > 2 && operation[n - 2] == 's', many = n > 2 && operation[n - 2] == 'p';
    size_t bytes = type == 'd' ? 8 : 4;
    if ((type != 'd' && type != 's') || (!one && !many) || !is_constant(d->code, address))
        return;
    const uint8_t *p = hsc_code_get_bytes(d->code, address, address + bytes);
    double value;
    float small;
    if (!p)
        return;
    if (type == 'd')
        memcpy(&value, p, 8);
    else {
        memcpy(&small, p, 4);
        value = (double)small;
    }
    snprintf(out, size, " = %.*g%s", type == 'd' ? 15 : 7, value, many ? ", ..." : "");
}

/* ---- one instruction ---- */

static bool is_prefix(const char *word, size_t n) {
    static const char *const prefixes[] = {"rep", "repne", "lock", "notrack", "data16", "xacquire", "xrelease", "addr32", "bnd"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strlen(prefixes[i]) == n && !memcmp(word, prefixes[i], n))
            return true;
    return false;
}

static hsc_flow flow_of(const char *operation, size_t n, bool has_target) {
    if (n >= 4 && !memcmp(operation, "call", 4))
        return HSC_FLOW_CALL;
    if (n >= 3 && !memcmp(operation, "jmp", 3))
        return has_target ? HSC_FLOW_JUMP : HSC_FLOW_INDIRECT;
    if (n && (operation[0] == 'j' || (n >= 4 && !memcmp(operation, "loop", 4))))
        return HSC_FLOW_BRANCH;
    if (n >= 3 && (!memcmp(operation, "ret", 3) || !memcmp(operation, "iret", 3)))
        return HSC_FLOW_RETURN;
    if ((n == 3 && (!memcmp(operation, "ud2", 3) || !memcmp(operation, "hlt", 3))))
        return HSC_FLOW_STOP;
    return HSC_FLOW_NEXT;
}

/* Distance of an operand that is relative to the end of the instruction: DISP(%rip), [rip + DISP]. */
static bool find_relative(const char *operands, int64_t *out) {
    const char *rip = strstr(operands, "(%rip)");
    if (rip) {
        const char *p = rip;
        while (p > operands && p[-1] != ' ' && p[-1] != ',' && p[-1] != '*' && p[-1] != ':' && p[-1] != '\t')
            p--;
        *out = p < rip ? strtoll(p, NULL, 0) : 0;
        return true;
    }
    rip = strstr(operands, "[rip");
    if (!rip)
        return false;
    rip += 4;
    *out = !strncmp(rip, " + ", 3) ? strtoll(rip + 3, NULL, 0) : !strncmp(rip, " - ", 3) ? -strtoll(rip + 3, NULL, 0) : 0;
    return true;
}

/* One blank or tab between words, a tab before operands and before the comment. */
static void tidy(const char *from, char *operation, size_t operation_size, char *operands, size_t operands_size, char *comment,
                 size_t comment_size) {
    const char *hash = strstr(from, " # ");
    size_t n = hash ? (size_t)(hash - from) : strlen(from);
    line said = begin_line(comment, comment_size), rest = begin_line(operands, operands_size);
    put_text(&said, hash ? hash + 3 : "");
    for (char *p = comment; (p = strpbrk(p, "\n\t"));) /* LLVM says several things in several lines */
        *p = ' ';
    while (n && (from[n - 1] == ' ' || from[n - 1] == '\t'))
        n--;
    size_t at = strspn(from, "\t "), used = 0;
    operation[0] = 0;
    for (;;) { /* prefixes and the operation itself */
        size_t word = strcspn(from + at, "\t ");
        word = word < n - at ? word : n - at;
        if (used + word + 2 > operation_size)
            break;
        if (used)
            operation[used++] = ' ';
        memcpy(operation + used, from + at, word);
        used += word;
        operation[used] = 0;
        bool more = is_prefix(from + at, word);
        at += word;
        while (at < n && (from[at] == ' ' || from[at] == '\t'))
            at++;
        if (!more || at >= n)
            break;
    }
    put_bytes(&rest, from + at, at < n ? n - at : 0);
}

static const char *last_word(const char *operation) {
    const char *space = strrchr(operation, ' ');
    return space ? space + 1 : operation;
}

enum { WORDS_MAX = 4 << 20, RAW = 400 };

/* Of at most `left` bytes: LLVM's words and the number of bytes; 0: they are no instruction. */
static size_t ask(hsc_disassembler *d, uint64_t address, const uint8_t *bytes, size_t left, char raw[RAW]) {
    size_t size = 0, prefix = 0;
    raw[0] = 0;
    for (char *to = raw;; to += strlen(to)) { /* LLVM gives a prefix such as lock as an instruction of its own */
        uint8_t copy[16] = {0};
        size_t rest = left - prefix, room = RAW - (size_t)(to - raw);
        memcpy(copy, bytes + prefix, rest < 15 ? rest : 15);
        size = rest ? llvm_19.disassemble(d->llvm, copy, rest < 15 ? rest : 15, address + prefix, to, room) : 0;
        if (!size)
            return 0;
        const char *word = to + strspn(to, "\t ");
        if (size != 1 || prefix > 3 || !is_prefix(word, strlen(word)))
            break;
        prefix++;
    }
    return size + prefix;
}

/* The same. Words follow from the bytes alone, as LLVM is asked for distances and not for targets, and compilers write the same ones again and again: what has
 * been asked before is kept. */
static size_t find_words(hsc_disassembler *d, uint64_t address, const uint8_t *bytes, size_t left, char raw[RAW]) {
    hsc_x86_flow unused;
    int64_t distance;
    uint8_t key[16] = {0};
    uint64_t a, b;
    size_t size = hsc_x86_decode(bytes, left < 15 ? left : 15, &unused, &distance);
    memcpy(key, bytes, size < 15 ? size : 15);
    key[15] = (uint8_t)size;
    memcpy(&a, key, 8);
    memcpy(&b, key + 8, 8);
    uint32_t at = size ? hsc_table_get(&d->known, a, b) : HSC_NO_INDEX;
    if (at != HSC_NO_INDEX) {
        memcpy(raw, d->words.p + at, strlen(d->words.p + at) + 1);
        return size;
    }
    size_t asked = ask(d, address, bytes, left, raw), n = strlen(raw) + 1;
    if (asked && asked == size && d->words.n + n <= WORDS_MAX && HSC_RESERVE(d->words, d->words.n + n)) { /* without memory they are not kept */
        uint32_t *row = hsc_table_at(&d->known, a, b);
        if (row)
            *row = (uint32_t)d->words.n;
        memcpy(d->words.p + d->words.n, raw, n);
        d->words.n += row ? n : 0;
    }
    return asked;
}

void hsc_disassemble(hsc_disassembler *d, uint64_t address, uint64_t end, const hsc_code_part *part, hsc_instruction *out) {
    char raw[RAW], operation[80], operands[240], comment[200], name[NAME_MAX_SHOWN + 32];
    const uint8_t *bytes = hsc_code_get_bytes(d->code, address, end);
    *out = (hsc_instruction){.size = 1, .flow = HSC_FLOW_NEXT, .text = "(bad)"};
    size_t size = bytes ? find_words(d, address, bytes, (size_t)(end - address), raw) : 0;
    if (!size)
        return;
    out->size = (uint32_t)size;
    tidy(raw, operation, sizeof operation, operands, sizeof operands, comment, sizeof comment);
    const char *verb = last_word(operation);
    uint64_t after = address + out->size;
    int64_t distance;
    char *stop = operands;
    bool is_number = operands[0] && (distance = strtoll(operands, &stop, 0), !*stop);
    out->flow = flow_of(verb, strlen(verb), is_number);
    if (is_number && (out->flow == HSC_FLOW_CALL || out->flow == HSC_FLOW_JUMP || out->flow == HSC_FLOW_BRANCH)) {
        out->target = after + (uint64_t)distance;
        line l = begin_line(operands, sizeof operands);
        if ((out->target < part->begin || out->target >= part->end) && name_code(d, out->target, name, sizeof name))
            put_text(&l, name);
        else
            put_hex(&l, out->target);
    } else if (find_relative(operands, &distance)) {
        uint64_t at = after + (uint64_t)distance;
        char value[64] = "";
        line l = {comment, strlen(comment), sizeof comment};
        put_text(&l, l.n ? "; " : "");
        if (name_data(d, at, name, sizeof name) || name_code(d, at, name, sizeof name))
            put_text(&l, name);
        else
            put_hex(&l, at);
        put_constant(d, verb, at, value, sizeof value);
        put_text(&l, value);
    }
    line l = begin_line(out->text, sizeof out->text);
    put_text(&l, operation);
    put_text(&l, operands[0] ? "\t" : "");
    put_text(&l, operands);
    put_text(&l, comment[0] ? operands[0] ? "\t# " : "\t\t# " : "");
    put_text(&l, comment);
}
