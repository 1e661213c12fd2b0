/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP directives: which one each call of the run time, each outlined procedure and each shared loop comes from. The calls
 * carry its line in their location or in the run time's own source record (ident_t); what it says is read from the text. */
#include "pass.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES 400u
#define LINES_UP 200u     /* a directive is looked for so far above a call */
#define IMPLICIT_BARRIER 0x40u /* bit of ident_t's flags */

typedef struct word_value {
    const char *word;
    uint64_t value;
} word_value;

static const word_value roles[] = { /* by prefix, longer ones first */
    {"__kmpc_fork", HSC_omp_role_FORK},
    {"__kmpc_serialized_parallel", HSC_omp_role_FORK},
    {"__kmpc_end_serialized_parallel", HSC_omp_role_FORK},
    {"__kmpc_for_static_init", HSC_omp_role_STATIC_INIT},
    {"__kmpc_dist_for_static_init", HSC_omp_role_STATIC_INIT},
    {"__kmpc_distribute_static_init", HSC_omp_role_STATIC_INIT},
    {"__kmpc_for_static_fini", HSC_omp_role_STATIC_FINI},
    {"__kmpc_distribute_static_fini", HSC_omp_role_STATIC_FINI},
    {"__kmpc_dispatch_init", HSC_omp_role_DISPATCH_INIT},
    {"__kmpc_dist_dispatch_init", HSC_omp_role_DISPATCH_INIT},
    {"__kmpc_dispatch_next", HSC_omp_role_DISPATCH_NEXT},
    {"__kmpc_dispatch_fini", HSC_omp_role_DISPATCH_FINI},
    {"__kmpc_dispatch_deinit", HSC_omp_role_DISPATCH_FINI},
    {"__kmpc_barrier", HSC_omp_role_BARRIER},
    {"__kmpc_cancel_barrier", HSC_omp_role_BARRIER},
    {"__kmpc_reduce", HSC_omp_role_REDUCTION},
    {"__kmpc_end_reduce", HSC_omp_role_REDUCTION},
    {"__kmpc_critical", HSC_omp_role_CRITICAL},
    {"__kmpc_end_critical", HSC_omp_role_CRITICAL},
    {"__kmpc_single", HSC_omp_role_SINGLE},
    {"__kmpc_end_single", HSC_omp_role_SINGLE},
    {"__kmpc_master", HSC_omp_role_SINGLE},
    {"__kmpc_end_master", HSC_omp_role_SINGLE},
    {"__kmpc_masked", HSC_omp_role_SINGLE},
    {"__kmpc_end_masked", HSC_omp_role_SINGLE},
    {"__kmpc_omp_taskwait", HSC_omp_role_TASK_WAIT},
    {"__kmpc_omp_taskyield", HSC_omp_role_TASK_WAIT},
    {"__kmpc_omp_wait_deps", HSC_omp_role_TASK_WAIT},
    {"__kmpc_omp_task", HSC_omp_role_TASK_MAKE},
    {"__kmpc_taskloop", HSC_omp_role_TASK_MAKE},
    {"__kmpc_taskgroup", HSC_omp_role_TASKGROUP},
    {"__kmpc_end_taskgroup", HSC_omp_role_TASKGROUP},
    {"__kmpc_ordered", HSC_omp_role_ORDERED},
    {"__kmpc_end_ordered", HSC_omp_role_ORDERED},
    {"__kmpc_atomic", HSC_omp_role_ATOMIC},
    {"__kmpc_flush", HSC_omp_role_FLUSH},
    {"__kmpc_push", HSC_omp_role_SETTING},
    {"__kmpc_global_thread_num", HSC_omp_role_IDENTITY},
    {"__kmpc_doacross", HSC_omp_role_DEPENDENCE},
    {"__kmpc_cancel", HSC_omp_role_CANCEL},
    {"__kmpc_copyprivate", HSC_omp_role_COPY},
    {"__kmpc_threadprivate", HSC_omp_role_COPY},
};

static const word_value constructs[] = {
    {"parallel", HSC_omp_construct_PARALLEL},   {"for", HSC_omp_construct_LOOP},
    {"do", HSC_omp_construct_LOOP},             {"loop", HSC_omp_construct_LOOP},
    {"simd", HSC_omp_construct_SIMD},           {"sections", HSC_omp_construct_SECTIONS},
    {"single", HSC_omp_construct_SINGLE},       {"master", HSC_omp_construct_MASTER},
    {"masked", HSC_omp_construct_MASTER},       {"critical", HSC_omp_construct_CRITICAL},
    {"barrier", HSC_omp_construct_BARRIER},     {"task", HSC_omp_construct_TASK},
    {"taskloop", HSC_omp_construct_TASKLOOP},   {"taskwait", HSC_omp_construct_TASKWAIT},
    {"taskyield", HSC_omp_construct_TASKWAIT},  {"taskgroup", HSC_omp_construct_TASKGROUP},
    {"ordered", HSC_omp_construct_ORDERED},     {"atomic", HSC_omp_construct_ATOMIC},
    {"flush", HSC_omp_construct_FLUSH},         {"workshare", HSC_omp_construct_WORKSHARE},
    {"teams", HSC_omp_construct_TEAMS},         {"distribute", HSC_omp_construct_DISTRIBUTE},
    {"target", HSC_omp_construct_TARGET},       {"section", HSC_omp_construct_SECTION},
    {"scan", HSC_omp_construct_SCAN},           {"cancel", HSC_omp_construct_CANCEL},
    {"cancellation", HSC_omp_construct_CANCEL}, {"paralleldo", HSC_omp_construct_PARALLEL | HSC_omp_construct_LOOP},
};

static uint64_t role_of(const char *callee) {
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (!strncmp(callee, roles[i].word, strlen(roles[i].word)))
            return roles[i].value;
    return HSC_omp_role_OTHER;
}

/* What a directive must contain to cause a call of this role; 0: anything may, but for `section`, which causes none. */
static uint64_t wanted_by(uint64_t role) {
    const uint64_t shares = HSC_omp_construct_LOOP | HSC_omp_construct_SECTIONS | HSC_omp_construct_DISTRIBUTE |
                            HSC_omp_construct_WORKSHARE | HSC_omp_construct_TASKLOOP;
    switch (role) {
    case HSC_omp_role_FORK: return HSC_omp_construct_PARALLEL | HSC_omp_construct_TEAMS;
    case HSC_omp_role_STATIC_INIT:
    case HSC_omp_role_STATIC_FINI:
    case HSC_omp_role_DISPATCH_INIT:
    case HSC_omp_role_DISPATCH_NEXT:
    case HSC_omp_role_DISPATCH_FINI: return shares;
    case HSC_omp_role_CRITICAL: return HSC_omp_construct_CRITICAL;
    case HSC_omp_role_SINGLE: return HSC_omp_construct_SINGLE | HSC_omp_construct_MASTER;
    case HSC_omp_role_TASKGROUP: return HSC_omp_construct_TASKGROUP | HSC_omp_construct_TASKLOOP;
    case HSC_omp_role_TASK_MAKE: return HSC_omp_construct_TASK | HSC_omp_construct_TASKLOOP | HSC_omp_construct_TARGET;
    case HSC_omp_role_IMPLICIT_BARRIER: return shares | HSC_omp_construct_PARALLEL | HSC_omp_construct_SINGLE;
    default: return 0;
    }
}

/* What stands alone causes a call by itself: what it is called, where it is told apart from what others cause. */
static uint64_t own_construct(uint64_t role) {
    return role == HSC_omp_role_BARRIER ? HSC_omp_construct_BARRIER
           : role == HSC_omp_role_TASK_WAIT ? HSC_omp_construct_TASKWAIT
                                            : wanted_by(role);
}

/* ---- text ---- */

static bool is_directive(hsc_pass *p, uint32_t file, unsigned line) {
    return p->is_fortran ? hsc_source_is_fortran_directive(p, file, line) : hsc_source_is_pragma(p, file, line);
}

/* The directive on one line without its sentinel; length. */
static size_t copy_text(hsc_pass *p, uint32_t file, unsigned line, char *out, size_t size) {
    const char *t;
    size_t n, used = 0, i = 0;
    if (!hsc_source_text(p, file, line, 1, &t, &n))
        return 0;
    while (i + 2 < n && strncasecmp(t + i, "omp", 3) && t[i] != '\n')
        i++;
    i += 3;
    i += p->is_fortran && i < n && t[i] == '&'; /* the line goes on with a directive */
    for (; i < n && used + 2 < size; i++) {
        char c = t[i];
        if (p->is_fortran && c == '!')
            while (i + 1 < n && t[i + 1] != '\n')
                i++;
        if ((c == '\\' && i + 1 < n && (t[i + 1] == '\n' || t[i + 1] == '\r')) || (p->is_fortran && c == '&')) {
            while (i < n && t[i] != '\n')
                i++;
            while (p->is_fortran && i + 1 < n && strchr(" \t\n!$cC*oOmMpP&", t[i + 1])) { /* sentinel of the next line */
                bool end = (t[i + 1] == 'p' || t[i + 1] == 'P') && strchr("mM", t[i]);
                i++;
                if (end) {
                    i += i + 1 < n && t[i + 1] == '&'; /* "!$omp&" */
                    break;
                }
            }
            c = ' ';
        }
        if (c == '\n' || c == '\r' || (c == '/' && i + 1 < n && (t[i + 1] == '/' || t[i + 1] == '*')) ||
            (p->is_fortran && c == '!'))
            break;
        if (isspace((unsigned char)c)) {
            if (used && out[used - 1] != ' ')
                out[used++] = ' ';
            continue;
        }
        out[used++] = c;
    }
    while (used && out[used - 1] == ' ')
        used--;
    out[used] = 0;
    return used;
}

/* The constructs that the text begins with; *end: it closes them. */
static uint64_t constructs_of(const char *text, bool *end) {
    uint64_t all = 0;
    *end = false;
    for (const char *t = text; *t;) {
        char word[24];
        size_t n = 0;
        while (isspace((unsigned char)*t))
            t++;
        while (isalpha((unsigned char)t[n]) && n + 1 < sizeof word) {
            word[n] = (char)tolower((unsigned char)t[n]);
            n++;
        }
        word[n] = 0;
        if (!strcmp(word, "end") && !all) {
            *end = true;
            t += n;
            continue;
        }
        size_t k = 0;
        while (k < sizeof constructs / sizeof *constructs && strcmp(word, constructs[k].word))
            k++;
        if (!n || k == sizeof constructs / sizeof *constructs)
            break;
        all |= constructs[k].value;
        t += n;
    }
    return all;
}

/* The number in `collapse(n)`; 0: none. */
static unsigned collapse_of(const char *text) {
    const char *at = text;
    while ((at = strcasestr(at, "collapse")) != NULL) {
        at += 8;
        while (isspace((unsigned char)*at))
            at++;
        if (*at == '(')
            return (unsigned)strtoul(at + 1, NULL, 10);
    }
    return 0;
}

uint64_t hsc_openmp_constructs(hsc_pass *p, uint32_t file, unsigned line) {
    char text[TEXT_MAX_BYTES];
    bool end = false;
    uint64_t has = is_directive(p, file, line) && copy_text(p, file, line, text, sizeof text) ? constructs_of(text, &end) : 0;
    return end ? 0 : has;
}

/* ---- directives ---- */

static hsc_rec_directive *directive_at(hsc_pass *p, uint32_t file, unsigned line, uint32_t procedure_id) {
    uint64_t position[2] = {file, line}, key = hsc_pass_tag(0, "directive", position, sizeof position);
    uint32_t id = hsc_map_get(&p->directive_at, key);
    if (id)
        return &p->directives.p[id - 1];
    char text[TEXT_MAX_BYTES];
    bool end;
    size_t n = copy_text(p, file, line, text, sizeof text);
    while (procedure_id && p->procedures.p[procedure_id - 1].flags & HSC_procedure_flag_OUTLINED &&
           p->procedures.p[procedure_id - 1].parent_id)
        procedure_id = (uint32_t)p->procedures.p[procedure_id - 1].parent_id;
    hsc_rec_directive *d = HSC_VECTOR_ADD(p->directives);
    *d = (hsc_rec_directive){.directive_id = p->directives.n,
                             .procedure_id = procedure_id,
                             .file_id = file,
                             .line = line,
                             .constructs = n ? constructs_of(text, &end) : 0,
                             .text = hsc_pass_dup(p, text, n)};
    hsc_map_set(&p->directive_at, key, (uint32_t)d->directive_id);
    return d;
}

/* The line of the directive that wants such a call, at the line or above it in the procedure; 0: none is seen. Where the text
 * cannot be read, the line itself. */
static unsigned line_of(hsc_pass *p, uint32_t file, unsigned line, unsigned first, uint64_t role) {
    uint64_t wanted = wanted_by(role), closing = 0;
    if (!hsc_source_is_readable(p, file))
        return line;
    for (unsigned l = line; l && l >= first && line - l < LINES_UP; l--) {
        char text[TEXT_MAX_BYTES];
        bool end;
        if (!is_directive(p, file, l) || !copy_text(p, file, l, text, sizeof text))
            continue;
        uint64_t has = constructs_of(text, &end);
        if (end) {
            if (l == line)
                closing = has; /* the barrier at the end of a construct has the line of its end */
            continue;
        }
        if (role == HSC_omp_role_REDUCTION ? strcasestr(text, "reduction") != NULL
            : closing                      ? has == closing
                                           : (!wanted && has != HSC_omp_construct_SECTION) || (has & wanted))
            return l;
    }
    return 0;
}

/* A line of Fortran that is no statement: empty, a comment or a directive. */
static bool is_no_statement(hsc_pass *p, uint32_t file, unsigned line) {
    const char *t;
    size_t n, k = 0;
    if (!hsc_source_text(p, file, line, 1, &t, &n))
        return true;
    while (k < n && (t[k] == ' ' || t[k] == '\t' || t[k] == '\r'))
        k++;
    return k == n || t[k] == '\n' || t[k] == '!' || is_directive(p, file, line);
}

/* flang gives many calls the location of the statement before their directive: the line of a directive of this kind that
 * follows without a statement in between; 0: none. */
static unsigned line_below(hsc_pass *p, uint32_t file, unsigned line, unsigned last, uint64_t wanted) {
    if (!hsc_source_is_readable(p, file) || is_directive(p, file, line))
        return 0;
    for (unsigned l = line + 1; l <= last && l - line < LINES_UP && is_no_statement(p, file, l); l++)
        if (hsc_openmp_constructs(p, file, l) & wanted)
            return l;
    return 0;
}

/* The only directive of this kind in lines [first, last]; 0: none, or several. */
static unsigned only_line(hsc_pass *p, uint32_t file, unsigned first, unsigned last, uint64_t wanted) {
    unsigned found = 0;
    for (unsigned l = first; l && l <= last; l++)
        if (hsc_openmp_constructs(p, file, l) & wanted) {
            if (found)
                return 0;
            found = l;
        }
    return found;
}

/* ---- where flang tells nothing ---- */

#define BODY_LINES 16u /* directives that the code of one body may seem to be in */

/* Constructs of a block directive at the line; *end: it closes them. 0: none is there. */
static uint64_t block_at(hsc_pass *p, uint32_t file, unsigned line, bool *end) {
    char text[TEXT_MAX_BYTES];
    *end = false;
    return is_directive(p, file, line) && copy_text(p, file, line, text, sizeof text) ? constructs_of(text, end) : 0;
}

/* The directive of the innermost task that the line stands in; 0: none. */
static unsigned task_round(hsc_pass *p, uint32_t file, unsigned line, unsigned first) {
    unsigned open = 0;
    for (unsigned l = line; l && l >= first && line - l < LINES_UP; l--) {
        bool end;
        if (!(block_at(p, file, l, &end) & HSC_omp_construct_TASK))
            continue;
        if (!end && !open)
            return l;
        open = end ? open + 1 : open - 1;
    }
    return 0;
}

/* The outlined procedure that the call has the address of, or the call that has made its task; NULL. */
static LLVMValueRef body_of(hsc_pass *p, LLVMValueRef call, unsigned level) {
    for (unsigned k = 0, n = LLVMGetNumArgOperands(call); k < n; k++) {
        LLVMValueRef argument = LLVMGetOperand(call, k), body = NULL;
        hsc_ir_text name = LLVMIsAFunction(argument) ? hsc_ir_get_name(argument) : (hsc_ir_text){NULL, 0};
        uint32_t id = name.n ? hsc_pass_find_procedure(p, name.p, name.n) : 0;
        if (id && p->procedures.p[id - 1].flags & HSC_procedure_flag_OUTLINED)
            return argument;
        if (!level && LLVMIsACallInst(argument) && (body = body_of(p, argument, 1)))
            return body;
    }
    return NULL;
}

/* The directive of a task by most of the code of its body: the call has the location of the statement before it, or of one inside. 0: not known. */
static unsigned line_of_task(hsc_pass *p, uint32_t file, LLVMValueRef call, unsigned first) {
    unsigned lines[BODY_LINES], counts[BODY_LINES], n = 0, best = 0;
    LLVMValueRef body = hsc_source_is_readable(p, file) ? body_of(p, call, 0) : NULL;
    for (LLVMBasicBlockRef b = body ? LLVMGetFirstBasicBlock(body) : NULL; b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            hsc_ir_loc loc;
            unsigned k = 0;
            if (!hsc_ir_get_loc(i, &loc) || !loc.line || hsc_pass_file(p, loc.file) != file)
                continue;
            unsigned line = task_round(p, file, loc.line, first);
            while (k < n && lines[k] != line)
                k++;
            if (k == n && n < BODY_LINES) {
                lines[n] = line;
                counts[n++] = 0;
            }
            if (k < n)
                counts[k]++;
        }
    for (unsigned k = 1; k < n; k++)
        best = counts[k] > counts[best] ? k : best;
    return n ? lines[best] : 0;
}

/* Line of the instruction before in the only way that leads there; of a call that makes a task that of its directive. 0: none. */
static unsigned line_before(hsc_pass *p, uint32_t file, LLVMValueRef call, unsigned first) {
    LLVMBasicBlockRef b = LLVMGetInstructionParent(call);
    LLVMValueRef i = LLVMGetPreviousInstruction(call);
    for (unsigned blocks = 0; blocks < 8;) {
        hsc_ir_loc loc;
        hsc_ir_text name = i && LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)) ? hsc_ir_get_name(LLVMGetCalledValue(i)) : (hsc_ir_text){NULL, 0};
        unsigned task = name.n && role_of(name.p) == HSC_omp_role_TASK_MAKE ? line_of_task(p, file, i, first) : 0;
        if (task)
            return task;
        if (i && hsc_ir_get_loc(i, &loc) && loc.line && hsc_pass_file(p, loc.file) == file)
            return loc.line;
        if (i && (i = LLVMGetPreviousInstruction(i)))
            continue;
        LLVMBasicBlockRef before = NULL;
        for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef branch = LLVMGetUser(u);
            if (!LLVMIsATerminatorInst(branch) || (before && before != LLVMGetInstructionParent(branch)))
                return 0;
            before = LLVMGetInstructionParent(branch);
        }
        if (!before)
            return 0;
        b = before;
        i = LLVMGetLastInstruction(b);
        blocks++;
    }
    return 0;
}

/* What stands alone, in lines that follow without a statement but in tasks; 0: none. */
static unsigned alone_below(hsc_pass *p, uint32_t file, unsigned line, unsigned last, uint64_t wanted) {
    bool end = false;
    unsigned open = line && block_at(p, file, line, &end) & HSC_omp_construct_TASK && !end;
    for (unsigned l = line + 1; line && l <= last && l - line < LINES_UP; l++) {
        uint64_t has = block_at(p, file, l, &end);
        if (has & wanted && !open)
            return l;
        if (has & HSC_omp_construct_TASK)
            open = end ? (open ? open - 1 : 0) : open + 1;
        else if (!open && !is_no_statement(p, file, l))
            return 0;
    }
    return 0;
}

/* flags, line and file name of the call's ident_t; false when it has none. */
static bool read_ident(LLVMValueRef call, uint64_t *flags, unsigned *line) {
    LLVMValueRef ident = LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, 0) : NULL;
    LLVMValueRef value = ident && LLVMIsAGlobalVariable(ident) ? LLVMGetInitializer(ident) : NULL;
    if (!value || !LLVMIsAConstantStruct(value) || LLVMGetNumOperands(value) < 5)
        return false;
    LLVMValueRef number = LLVMGetOperand(value, 1), source = LLVMGetOperand(value, 4);
    if (!LLVMIsAConstantInt(number))
        return false;
    *flags = LLVMConstIntGetZExtValue(number);
    *line = 0;
    LLVMValueRef text = LLVMIsAGlobalVariable(source) ? LLVMGetInitializer(source) : NULL;
    if (text && LLVMIsAConstantDataSequential(text) && LLVMIsConstantString(text)) {
        size_t n;
        const char *s = LLVMGetAsString(text, &n); /* ";file;procedure;line;column;;" */
        for (size_t i = 0, part = 0; i < n; i++)
            if (s[i] == ';' && ++part == 3)
                *line = (unsigned)strtoul(s + i + 1, NULL, 10);
    }
    return true;
}

unsigned hsc_openmp_call(hsc_pass *p, uint32_t site, LLVMValueRef call, const char *callee, const hsc_ir_loc *loc,
                         uint32_t procedure_id) {
    uint64_t role = role_of(callee), flags = 0;
    unsigned ident_line = 0, line = 0;
    if (read_ident(call, &flags, &ident_line) && role == HSC_omp_role_BARRIER && (flags & IMPLICIT_BARRIER))
        role = HSC_omp_role_IMPLICIT_BARRIER;
    const hsc_rec_procedure *procedure = &p->procedures.p[procedure_id - 1], *root = procedure;
    for (int hops = 0; root->flags & HSC_procedure_flag_OUTLINED && root->parent_id && hops < 64; hops++)
        root = &p->procedures.p[root->parent_id - 1];
    uint32_t file = loc->line ? hsc_pass_file(p, loc->file) : (uint32_t)procedure->file_id;
    unsigned first = file == root->file_id ? (unsigned)root->line_begin : 1;
    bool closes = !strncmp(callee, "__kmpc_end_", 11), stands_before = p->is_fortran && !closes && own_construct(role);
    unsigned last = file == root->file_id ? (unsigned)root->line_end : 0;
    if (p->is_fortran && role == HSC_omp_role_TASK_MAKE)
        line = line_of_task(p, file, call, first);
    if (p->is_fortran && role == HSC_omp_role_TASK_WAIT && !loc->line && hsc_source_is_readable(p, file))
        line = alone_below(p, file, line_before(p, file, call, first), last, own_construct(role));
    if (!line && stands_before && ident_line)
        line = line_below(p, file, ident_line, last, own_construct(role));
    if (stands_before && !line && loc->line)
        line = line_below(p, file, loc->line, last, own_construct(role));
    if (!line && loc->line)
        line = line_of(p, file, loc->line, first, role);
    if (!line && p->is_fortran && closes && ident_line && own_construct(role)) /* the ident of the begin */
        line = line_below(p, file, ident_line, last, own_construct(role));
    if (!line && ident_line)
        line = line_of(p, file, ident_line, first, role);
    if (!line && stands_before && !loc->line && !ident_line && !(flags & IMPLICIT_BARRIER))
        line = only_line(p, file, first, last, own_construct(role));
    if (!line && procedure->flags & HSC_procedure_flag_OUTLINED && procedure->line_begin && file == procedure->file_id)
        line = line_of(p, file, (unsigned)procedure->line_begin, first, HSC_omp_role_OTHER);
    hsc_rec_directive *d = line ? directive_at(p, file, line, procedure_id) : NULL;
    if (d && (role == HSC_omp_role_FORK || role == HSC_omp_role_TASK_MAKE) && !d->region_id)
        for (unsigned k = 0, n = LLVMGetNumArgOperands(call); k < n; k++) {
            LLVMValueRef argument = LLVMGetOperand(call, k);
            hsc_ir_text name = LLVMIsAFunction(argument) ? hsc_ir_get_name(argument) : (hsc_ir_text){NULL, 0};
            uint32_t id = name.n ? hsc_pass_find_procedure(p, name.p, name.n) : 0;
            if (id && p->procedures.p[id - 1].flags & HSC_procedure_flag_OUTLINED)
                d->region_id = id;
        }
    uint64_t directive_id = d ? d->directive_id : 0;
    *HSC_VECTOR_ADD(p->runtime_calls) = (hsc_rec_runtime_call){.callsite_id = site, .directive_id = directive_id, .role = role};
    return d && own_construct(role) ? line : 0;
}

/* ---- after all procedures are seen ---- */

/* Column of a DO that begins on the line; 0: none does. */
static unsigned do_column(hsc_pass *p, uint32_t file, unsigned line) {
    const char *t;
    size_t n, blanks = 0;
    uint64_t kind;
    if (!hsc_source_text(p, file, line, 1, &t, &n))
        return 0;
    while (blanks < n && (t[blanks] == ' ' || t[blanks] == '\t'))
        blanks++;
    return hsc_source_fortran_loop(p, file, line, (unsigned)blanks + 1, &kind) && kind == HSC_loop_kind_DO ? (unsigned)blanks + 1 : 0;
}

void hsc_openmp_outermost_do(hsc_pass *p, uint32_t file, unsigned *line, unsigned *column) {
    enum { LINES_MAX = 40 };
    unsigned first = *line, at_column = *column, loops = 1;
    for (unsigned up = 1; up < LINES_MAX && up < *line; up++) {
        unsigned above = *line - up, found;
        char text[TEXT_MAX_BYTES];
        const char *t;
        size_t n, k = 0;
        bool end;
        if (is_directive(p, file, above)) {
            if (copy_text(p, file, above, text, sizeof text) && !(constructs_of(text, &end) & (HSC_omp_construct_LOOP | HSC_omp_construct_SIMD | HSC_omp_construct_TASKLOOP)))
                continue; /* the directive began above */
            if (collapse_of(text) == loops) {
                *line = first;
                *column = at_column;
            }
            return;
        }
        if (!hsc_source_text(p, file, above, 1, &t, &n))
            continue; /* an empty line */
        while (k < n && (t[k] == ' ' || t[k] == '\t'))
            k++;
        if (k < n && (t[k] == '\n' || t[k] == '!'))
            continue;
        if (!(found = do_column(p, file, above)))
            return;
        first = above;
        at_column = found;
        loops++;
    }
}

/* The loop that follows line `line` of the text: its place. */
static bool next_loop(hsc_pass *p, uint32_t file, unsigned after, unsigned *line, unsigned *column) {
    unsigned l = after + 1;
    if (!p->is_fortran) {
        *line = l;
        return hsc_source_omp_for(p, file, line, column);
    }
    for (; l < after + 40; l++)
        if ((*column = do_column(p, file, l)) != 0) {
            *line = l;
            return true;
        }
    return false;
}

/* The loops inside a collapsed one are none of the control flow any more: they get records of their own. */
static void add_collapsed(hsc_pass *p, uint32_t loop_id, unsigned n) {
    size_t index = p->sites.p[loop_id - 1].index;
    hsc_rec_loop alone = p->loops.p[index];
    hsc_control_read(p, 0, &alone);
    if (alone.trips_max == p->loops.p[index].trips_max)
        p->loops.p[index].trips_max = 0; /* of the outermost by itself */
    p->loops.p[index].collapsed = n;
    for (unsigned k = 1; k < n && k < 16; k++) {
        hsc_rec_loop outer = p->loops.p[index], r = {.procedure_id = outer.procedure_id,
                                                     .parent_id = outer.loop_id,
                                                     .depth = outer.depth + 1,
                                                     .file_id = outer.file_id,
                                                     .kind = HSC_loop_kind_OMP,
                                                     .flags = HSC_loop_flag_COLLAPSED};
        unsigned line, column;
        if (!next_loop(p, (uint32_t)outer.file_id, (unsigned)outer.line_begin, &line, &column) || line > outer.line_end ||
            p->sites.n >= HSC_PASS_ID_MAX)
            return;
        uint32_t place = k;
        r.tag = hsc_pass_tag(outer.tag, "collapsed", &place, sizeof place);
        r.line_begin = line;
        r.column_begin = column;
        r.line_end = p->is_fortran ? hsc_source_fortran_do_end(p, (uint32_t)r.file_id, line, column) : outer.line_end;
        if (r.line_end < line)
            r.line_end = outer.line_end;
        hsc_control_read(p, 0, &r);
        *HSC_VECTOR_ADD(p->sites) = (hsc_site){.is_loop = true, .index = (uint32_t)p->loops.n};
        r.loop_id = p->sites.n;
        index = p->loops.n;
        *HSC_VECTOR_ADD(p->loops) = r;
    }
}

void hsc_openmp_place_regions(hsc_pass *p) {
    for (size_t i = 0; p->is_fortran && i < p->directives.n; i++) {
        const hsc_rec_directive *d = &p->directives.p[i];
        hsc_rec_procedure *r = d->region_id ? &p->procedures.p[d->region_id - 1] : NULL;
        if (r && r->file_id == d->file_id && (!r->line_end || r->line_end >= d->line))
            r->line_begin = d->line;
    }
}

void hsc_openmp_finish(hsc_pass *p) {
    /* directives that cause no call (simd) are met through their loops */
    size_t loops = p->loops.n;
    for (size_t i = 0; i < loops; i++) {
        hsc_rec_loop *l = &p->loops.p[i];
        if (l->loop_id && l->kind == HSC_loop_kind_OMP && l->flags & HSC_loop_flag_COMPILER &&
            hsc_openmp_constructs(p, (uint32_t)l->file_id, (unsigned)l->line_begin) & HSC_omp_construct_SECTIONS)
            directive_at(p, (uint32_t)l->file_id, (unsigned)l->line_begin, (uint32_t)l->procedure_id)->loop_id = l->loop_id;
        if (!l->loop_id || !l->line_begin || l->flags & HSC_loop_flag_COMPILER || !hsc_source_is_readable(p, (uint32_t)l->file_id))
            continue;
        for (unsigned up = 1; up < 12 && up < l->line_begin; up++) {
            unsigned line = (unsigned)l->line_begin - up;
            char text[TEXT_MAX_BYTES];
            const char *t;
            size_t n, k = 0;
            bool end;
            if (!hsc_source_text(p, (uint32_t)l->file_id, line, 1, &t, &n))
                continue; /* an empty line */
            if (!is_directive(p, (uint32_t)l->file_id, line)) {
                while (k < n && (t[k] == ' ' || t[k] == '\t'))
                    k++;
                if (k < n && (t[k] == '\n' || t[k] == '!' || t[k] == '/' || t[k] == '#'))
                    continue;
                /* the line may go on with a directive above */
                size_t length = 0;
                while (length < n && t[length] != '\n')
                    length++;
                const char *above;
                size_t m, end_of = 0;
                if (!hsc_source_text(p, (uint32_t)l->file_id, line - 1, 1, &above, &m))
                    break;
                while (end_of < m && above[end_of] != '\n')
                    end_of++;
                if (end_of && above[end_of - 1] == '\\')
                    continue;
                break;
            }
            copy_text(p, (uint32_t)l->file_id, line, text, sizeof text);
            uint64_t has = constructs_of(text, &end);
            if (end)
                break;
            if (!(has & (HSC_omp_construct_LOOP | HSC_omp_construct_SIMD | HSC_omp_construct_TASKLOOP | HSC_omp_construct_DISTRIBUTE)))
                continue;
            hsc_rec_directive *d = directive_at(p, (uint32_t)l->file_id, line, (uint32_t)l->procedure_id);
            unsigned collapsed = collapse_of(text);
            if (!d->loop_id || l->kind == HSC_loop_kind_OMP)
                d->loop_id = l->loop_id;
            if (collapsed > 1)
                add_collapsed(p, (uint32_t)l->loop_id, collapsed);
            break;
        }
    }
    hsc_map nth = {0};
    for (size_t i = 0; i < p->directives.n; i++) {
        hsc_rec_directive *d = &p->directives.p[i];
        uint64_t seed = d->procedure_id ? p->procedures.p[d->procedure_id - 1].tag : 0;
        uint64_t key = hsc_pass_tag(seed, "directive", d->text.p, d->text.n);
        uint32_t n = hsc_map_get(&nth, key) + 1;
        hsc_map_set(&nth, key, n);
        d->tag = hsc_pass_tag(key, "nth", &n, sizeof n);
    }
    hsc_map_fini(&nth);
}
