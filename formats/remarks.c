/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <heatscope/formats/records.h>
#include <heatscope/formats/remarks.h>

#include <stdio.h>
#include <string.h>

typedef struct known {
    const char *pass, *name; /* name "": any */
    hsc_remark_about about;
    uint64_t reason;
} known;

static const known remarks[] = {
#define HSC_REMARK(pass, name, about, reason) {pass, name, HSC_ABOUT_##about, HSC_reason_##reason},
#include <heatscope/formats/remarks.def>
#undef HSC_REMARK
};

static bool is(const char *text, size_t n, const char *s) {
    return n == strlen(s) && !memcmp(text, s, n);
}

hsc_remark_about hsc_remark_tell(const char *pass, size_t pass_n, const char *name, size_t name_n, uint64_t *reason) {
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++)
        if (is(pass, pass_n, remarks[i].pass) && (!remarks[i].name[0] || is(name, name_n, remarks[i].name))) {
            *reason = remarks[i].reason;
            return remarks[i].about;
        }
    *reason = HSC_reason_NONE;
    return HSC_ABOUT_NOTE;
}

bool hsc_remark_refuses_vectors(const char *pass, const char *name, uint64_t kind, uint64_t reason) {
    uint64_t other;
    return reason && reason != HSC_reason_NOT_TRIED && kind != HSC_remark_kind_PASSED &&
           hsc_remark_tell(pass, strlen(pass), name, strlen(name), &other) == HSC_ABOUT_VECTORISATION;
}

static const char *skip_number(const char *p) {
    size_t digits = *p == ':' ? strspn(p + 1, "0123456789") : 0;
    return digits ? p + 1 + digits : NULL;
}

/* Behind the first ":LINE:COLUMN" of a line of text, or ":LINE" of its first word; NULL: there is none. */
static const char *behind_place(const char *p) {
    bool first = true;
    for (; *p && *p != '\n'; p++) {
        const char *line = skip_number(p), *column = line ? skip_number(line) : NULL;
        first = first && *p != ' ';
        if (column || (line && first))
            return column ? column : line;
    }
    return NULL;
}

/* Length of what stands before the first place, or of all; *next: behind that place, or the end. */
static size_t before_place(const char *text, const char **next) {
    static const char at[] = " at ";
    for (const char *p = text; (p = strstr(p, at)); p++)
        if ((*next = behind_place(p + strlen(at))))
            return (size_t)(p - text) + strlen(at);
    *next = text + strlen(text);
    return strlen(text);
}

bool hsc_remark_same_but_places(const char *a, const char *b) {
    for (;;) {
        const char *next_a, *next_b;
        size_t n = before_place(a, &next_a), k = before_place(b, &next_b);
        if (n != k || memcmp(a, b, n) != 0)
            return false;
        if (!*next_a || !*next_b)
            return !*next_a && !*next_b && (next_a == a + n) == (next_b == b + k);
        a = next_a;
        b = next_b;
    }
}

/* What the loop became a call of, "memset" of "llvm.memset.p0.i64()"; NULL: it says no such thing. Its length in *n. */
static const char *became_call(const char *text, size_t *n) {
    static const char stored[] = "Transformed loop-strided store in ", moved[] = "Formed a call to ", call[] = " into a call to ", llvm[] = "llvm.";
    const char *p = !strncmp(text, stored, sizeof stored - 1) ? strstr(text, call) : NULL;
    if (p)
        p += sizeof call - 1;
    else if (!strncmp(text, moved, sizeof moved - 1))
        p = text + sizeof moved - 1;
    if (!p)
        return NULL;
    p += strncmp(p, llvm, sizeof llvm - 1) ? 0 : sizeof llvm - 1;
    *n = strcspn(p, ".( ");
    return *n ? p : NULL;
}

char *hsc_remark_plain(const char *text, char *out, size_t size) {
    static const char advice[] = "Use #pragma clang loop distribute(enable) to allow loop distribution to attempt to "
                                 "isolate the offending operations into a separate loop";
    size_t at = 0, n;
    const char *called = became_call(text, &n);
    if (called) {
        snprintf(out, size, "became a call of %.*s", (int)n, called);
        return out;
    }
    for (const char *p = text; *p && at + 1 < size;) {
        if (!strncmp(p, advice, strlen(advice))) {
            p += strlen(advice);
            while (at && out[at - 1] == ' ')
                at--;
            continue;
        }
        char ch = *p++;
        if ((unsigned char)ch < 0x20) {
            if (at && out[at - 1] != '.' && at + 1 < size)
                out[at++] = '.';
            ch = ' ';
        }
        out[at++] = ch;
    }
    while (at && out[at - 1] == ' ')
        at--;
    if (size)
        out[at] = 0;
    return out;
}

bool hsc_version_is_vector(uint64_t version) {
    return version == HSC_loop_version_VECTOR || version == HSC_loop_version_VECTOR_EPILOGUE ||
           version == HSC_loop_version_VECTOR_UNROLLED_FULLY;
}
