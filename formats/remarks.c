/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <heatscope/formats/records.h>
#include <heatscope/formats/remarks.h>

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

bool hsc_version_is_vector(uint64_t version) {
    return version == HSC_loop_version_VECTOR || version == HSC_loop_version_VECTOR_EPILOGUE ||
           version == HSC_loop_version_VECTOR_UNROLLED_FULLY;
}
