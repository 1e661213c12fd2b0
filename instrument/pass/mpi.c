/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operations and handles of MPI by name and number. */
#include "mpi.h"

#include <string.h>
#include <strings.h>

static const hsc_mpi_operation operations[] = {
#define HSC_MPI_OPERATION(kind, name, roles) {name, roles, HSC_message_kind_##kind, 0},
#include "mpi_operations.def"
#undef HSC_MPI_OPERATION
};

typedef struct handle {
    uint64_t role;
    const char *name;
    unsigned bytes;
    const char *symbol;
    int fortran;
    uint32_t mpich;
} handle;

static const handle handles[] = {
#define HSC_MPI_HANDLE(role, name, bytes, symbol, fortran, mpich)                                                      \
    {HSC_mpi_role_##role, name, bytes, symbol, fortran, mpich},
#include "mpi_handles.def"
#undef HSC_MPI_HANDLE
};

static bool has_suffix(const char *s, size_t n, const char *suffix) {
    size_t k = strlen(suffix);
    return n >= k && !strncasecmp(s + n - k, suffix, k);
}

bool hsc_mpi_get_operation(hsc_ir_text symbol, bool is_fortran, hsc_mpi_operation *out) {
    const char *s = symbol.p;
    size_t n = symbol.n;
    uint64_t binding = HSC_mpi_binding_C;
    if (n > 1 && (*s == 'P' || *s == 'p')) {
        s++;
        n--;
    }
    if (n < 5 || strncasecmp(s, "mpi_", 4))
        return false;
    if (is_fortran || s[0] == 'm') {
        binding = HSC_mpi_binding_FORTRAN;
        while (n && s[n - 1] == '_')
            n--;
        if (has_suffix(s, n, "_f08ts") || has_suffix(s, n, "_f08")) {
            binding = HSC_mpi_binding_F08;
            n -= has_suffix(s, n, "_f08ts") ? 6 : 4;
        }
    }
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const hsc_mpi_operation *o = &operations[i];
        if (strlen(o->name) != n || (binding == HSC_mpi_binding_C ? memcmp(o->name, s, n) : strncasecmp(o->name, s, n)))
            continue;
        *out = *o;
        out->binding = binding;
        return true;
    }
    return false;
}

uint64_t hsc_mpi_role(const hsc_mpi_operation *o, unsigned k, unsigned n) {
    static const struct {
        char letter;
        uint8_t role;
    } letters[] = {{'b', HSC_mpi_role_SEND_BUFFER},
                   {'B', HSC_mpi_role_RECEIVE_BUFFER},
                   {'x', HSC_mpi_role_BUFFER},
                   {'n', HSC_mpi_role_COUNT},
                   {'N', HSC_mpi_role_RECEIVE_COUNT},
                   {'t', HSC_mpi_role_DATATYPE},
                   {'T', HSC_mpi_role_RECEIVE_DATATYPE},
                   {'d', HSC_mpi_role_DESTINATION},
                   {'s', HSC_mpi_role_SOURCE},
                   {'g', HSC_mpi_role_TAG},
                   {'G', HSC_mpi_role_RECEIVE_TAG},
                   {'c', HSC_mpi_role_COMMUNICATOR},
                   {'r', HSC_mpi_role_REQUEST},
                   {'S', HSC_mpi_role_STATUS},
                   {'o', HSC_mpi_role_OPERATION},
                   {'R', HSC_mpi_role_ROOT},
                   {'v', HSC_mpi_role_COUNTS},
                   {'V', HSC_mpi_role_RECEIVE_COUNTS},
                   {'p', HSC_mpi_role_DISPLACEMENTS},
                   {'P', HSC_mpi_role_RECEIVE_DISPLACEMENTS},
                   {'w', HSC_mpi_role_WINDOW},
                   {'k', HSC_mpi_role_TARGET},
                   {'K', HSC_mpi_role_TARGET_DISPLACEMENT},
                   {'D', HSC_mpi_role_NEW_DATATYPE},
                   {'C', HSC_mpi_role_NEW_COMMUNICATOR},
                   {'q', HSC_mpi_role_REQUEST_COUNT},
                   {'i', HSC_mpi_role_POSITION},
                   {'z', HSC_mpi_role_SIZE},
                   {'l', HSC_mpi_role_BLOCK_LENGTH},
                   {'j', HSC_mpi_role_STRIDE},
                   {'f', HSC_mpi_role_FILE_HANDLE},
                   {'y', HSC_mpi_role_FLAG},
                   {'e', HSC_mpi_role_RESULT},
                   {'O', HSC_mpi_role_OFFSET}};
    size_t known = strlen(o->roles);
    if (k >= known)
        return k == known && k + 1 == n && o->binding != HSC_mpi_binding_C ? HSC_mpi_role_ERROR : HSC_mpi_role_OTHER;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == o->roles[k])
            return letters[i].role;
    return HSC_mpi_role_OTHER;
}

bool hsc_mpi_is_buffer(uint64_t role) {
    return role == HSC_mpi_role_SEND_BUFFER || role == HSC_mpi_role_RECEIVE_BUFFER || role == HSC_mpi_role_BUFFER;
}

static bool is_only_read(uint64_t role) {
    switch (role) {
    case HSC_mpi_role_SEND_BUFFER:
    case HSC_mpi_role_COUNT:
    case HSC_mpi_role_RECEIVE_COUNT:
    case HSC_mpi_role_DATATYPE:
    case HSC_mpi_role_RECEIVE_DATATYPE:
    case HSC_mpi_role_DESTINATION:
    case HSC_mpi_role_SOURCE:
    case HSC_mpi_role_TAG:
    case HSC_mpi_role_RECEIVE_TAG:
    case HSC_mpi_role_COMMUNICATOR:
    case HSC_mpi_role_OPERATION:
    case HSC_mpi_role_ROOT:
    case HSC_mpi_role_COUNTS:
    case HSC_mpi_role_RECEIVE_COUNTS:
    case HSC_mpi_role_DISPLACEMENTS:
    case HSC_mpi_role_RECEIVE_DISPLACEMENTS:
    case HSC_mpi_role_TARGET:
    case HSC_mpi_role_REQUEST_COUNT:
    case HSC_mpi_role_SIZE:
    case HSC_mpi_role_BLOCK_LENGTH:
    case HSC_mpi_role_STRIDE:
        return true;
    default:
        return false;
    }
}

bool hsc_mpi_only_reads(LLVMValueRef call, LLVMValueRef address) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    hsc_mpi_operation o;
    if (!LLVMIsAFunction(callee) || !hsc_mpi_get_operation(hsc_ir_get_name(callee), false, &o))
        return false;
    for (unsigned k = 0, n = LLVMGetNumArgOperands(call); k < n; k++)
        if (LLVMGetOperand(call, k) == address && !is_only_read(hsc_mpi_role(&o, k, n)))
            return false;
    return true;
}

/* ---- handles --------------------------------------------------------------------------------------------------------
 */

const char *hsc_mpi_handle_of_symbol(hsc_ir_text symbol, unsigned *bytes) {
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (*handles[i].symbol && strlen(handles[i].symbol) == symbol.n &&
            !memcmp(handles[i].symbol, symbol.p, symbol.n)) {
            *bytes = handles[i].bytes;
            return handles[i].name;
        }
    /* mpi_f08 of Open MPI: ompi_f08_mpi_comm_world */
    if (symbol.n > 9 && !memcmp(symbol.p, "ompi_f08_", 9))
        for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
            if (strlen(handles[i].name) == symbol.n - 9 && !strncasecmp(handles[i].name, symbol.p + 9, symbol.n - 9)) {
                *bytes = handles[i].bytes;
                return handles[i].name;
            }
    return NULL;
}

bool hsc_mpi_is_mpich_number(int64_t number) {
    uint32_t n = (uint32_t)number;
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (handles[i].mpich && handles[i].mpich == n)
            return true;
    return false;
}

const char *hsc_mpi_handle_of_number(uint64_t role, int64_t number, bool is_fortran, unsigned *bytes) {
    if (role == HSC_mpi_role_RECEIVE_DATATYPE)
        role = HSC_mpi_role_DATATYPE;
    uint32_t n = (uint32_t)number;
    bool mpich = n >= 0x04000000u;
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
        const handle *h = &handles[i];
        if (h->role == role &&
            (mpich ? h->mpich && h->mpich == n : is_fortran && h->fortran >= 0 && h->fortran == number)) {
            *bytes = h->bytes;
            return h->name;
        }
    }
    return NULL;
}

unsigned hsc_mpi_bytes_of(hsc_str name) {
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (handles[i].role == HSC_mpi_role_DATATYPE && strlen(handles[i].name) == name.n &&
            !memcmp(handles[i].name, name.p, name.n))
            return handles[i].bytes;
    return 0;
}

const char *hsc_mpi_special(uint64_t role, int64_t number, bool is_mpich) {
    switch (role) {
    case HSC_mpi_role_SOURCE:
    case HSC_mpi_role_DESTINATION:
    case HSC_mpi_role_TARGET:
        if (number == (is_mpich ? -1 : -2))
            return "MPI_PROC_NULL";
        if (number == (is_mpich ? -2 : -1) && role == HSC_mpi_role_SOURCE)
            return "MPI_ANY_SOURCE";
        return NULL;
    case HSC_mpi_role_TAG:
    case HSC_mpi_role_RECEIVE_TAG:
        return number == -1 ? "MPI_ANY_TAG" : NULL;
    case HSC_mpi_role_ROOT:
        if (number == (is_mpich ? -1 : -2))
            return "MPI_PROC_NULL";
        return number == (is_mpich ? -3 : -4) ? "MPI_ROOT" : NULL;
    case HSC_mpi_role_SEND_BUFFER:
    case HSC_mpi_role_RECEIVE_BUFFER:
    case HSC_mpi_role_BUFFER:
        return number == 0 ? "MPI_BOTTOM" : number == 1 || number == -1 ? "MPI_IN_PLACE" : NULL;
    case HSC_mpi_role_STATUS:
        return number == 0 || number == 1 ? "MPI_STATUS_IGNORE" : NULL;
    default:
        return NULL;
    }
}

const char *hsc_mpi_special_member(hsc_ir_text symbol, uint64_t offset) {
    static const struct {
        const char *symbol;
        uint64_t offset; /* all are default integers or arrays of them: MPI_STATUS_SIZE 5 */
        const char *name;
    } list[] = {{"mpipriv1_", 0, "MPI_BOTTOM"}, {"mpipriv1_", 4, "MPI_IN_PLACE"}, {"mpipriv1_", 8, "MPI_STATUS_IGNORE"},
                {"mpipriv2_", 0, "MPI_STATUSES_IGNORE"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].offset == offset && strlen(list[i].symbol) == symbol.n && !memcmp(list[i].symbol, symbol.p, symbol.n))
            return list[i].name;
    return NULL;
}

const char *hsc_mpi_special_symbol(hsc_ir_text symbol) {
    static const struct {
        const char *symbol, *name;
    } list[] = {{"mpi_fortran_bottom_", "MPI_BOTTOM"},
                {"mpi_fortran_in_place_", "MPI_IN_PLACE"},
                {"mpi_fortran_status_ignore_", "MPI_STATUS_IGNORE"},
                {"mpi_fortran_statuses_ignore_", "MPI_STATUSES_IGNORE"},
                {"mpi_fortran_errcodes_ignore_", "MPI_ERRCODES_IGNORE"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strlen(list[i].symbol) == symbol.n && !memcmp(list[i].symbol, symbol.p, symbol.n))
            return list[i].name;
    return NULL;
}
