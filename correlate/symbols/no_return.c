/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that do not return: control must not be thought to go on behind calls of them. */
#include <string.h>

#include "machine_loops.h"
#include "x86_64.h"

static bool is_known_name(const char *name) {
    static const char *const names[] = {"abort", "exit", "_exit", "_Exit", "quick_exit", "__stack_chk_fail", "__assert_fail",
                                        "__cxa_throw", "__cxa_rethrow", "_Unwind_Resume", "longjmp", "_longjmp", "siglongjmp",
                                        "__longjmp_chk", "__chk_fail", "__fortify_fail", "pthread_exit", "_gfortran_runtime_error",
                                        "_gfortran_runtime_error_at", "_gfortran_os_error_at", "_gfortran_stop_numeric",
                                        "_gfortran_stop_string", "_gfortran_error_stop_numeric", "_gfortran_error_stop_string",
                                        "_FortranAStopStatement", "_FortranAStopStatementText", "_ZSt9terminatev",
                                        "__cxa_bad_cast", "__cxa_throw_bad_array_new_length", "__clang_call_terminate"};
    size_t n = strcspn(name, "@");
    if (!strncmp(name, "_ZSt", 4) && strstr(name, "__throw_")) /* std::__throw_out_of_range and its like */
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && !strncmp(names[i], name, n))
            return true;
    return false;
}

/* Does the debug information say so, of this name? */
static bool is_told(hsc_code *c, const char *name) {
    size_t n = strcspn(name, "@");
    if (!c->no_return.count)
        return false;
    const char *plain = name[n] ? hsc_pool_intern(&c->pool, name, n) : name;
    return plain && hsc_table_get(&c->no_return, (uintptr_t)plain, 0) != HSC_NO_INDEX;
}

/* Is there a way out of the code: a return, a jump to somewhere else, the end of a part that goes on in the next one? A call
 * at its very end is of one that does not return: compilers put nothing behind it. */
static bool has_way_out(const hsc_code *c, const hsc_symbol *s) {
    uint64_t n = s->hi - s->lo;
    const uint8_t *p = c->is_x86_64 && s->hi > s->lo ? hsc_code_bytes_at(c, s->lo, s->hi) : NULL;
    bool goes_on = true;
    if (!p)
        return true;
    for (uint64_t at = 0; at < n;) {
        hsc_x86_flow flow;
        int64_t relative;
        size_t length = hsc_x86_decode(p + at, n - at, &flow, &relative);
        if (!length || flow == HSC_X86_RETURN || flow == HSC_X86_INDIRECT)
            return true;
        int64_t target = (int64_t)(at + length) + relative;
        if ((flow == HSC_X86_JUMP || flow == HSC_X86_BRANCH) && (target < 0 || target >= (int64_t)n))
            return true;
        bool is_call = p[at] == 0xE8 || (p[at] == 0xFF && (p[at + 1] >> 3 & 7) == 2);
        if (!hsc_x86_is_nop(p + at, length))
            goes_on = !is_call && (flow == HSC_X86_NEXT || flow == HSC_X86_BRANCH);
        at += length;
    }
    return goes_on;
}

bool hsc_code_is_no_return(hsc_code *c, uint64_t target) {
    const hsc_symbol *s = hsc_code_symbol_at(c, target);
    if (!s || s->lo != target)
        return false;
    uint32_t *known = &c->symbol_facts.p[s - c->symbols.p].no_return;
    if (*known == HSC_NO_INDEX)
        *known = is_known_name(s->name) || is_told(c, s->name) || !has_way_out(c, s);
    return *known == 1;
}
