/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Status codes and the caller-owned error struct that every part of Heatscope uses. */
#ifndef HEATSCOPE_FORMATS_ERR_H
#define HEATSCOPE_FORMATS_ERR_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* HSC_STATUS(NAME, value, text) */
#define HSC_STATUS_TABLE(X) \
    X(OK, 0, "no error") \
    X(E_IO, 1, "a system call failed") \
    X(E_MEMORY, 2, "out of memory") \
    X(E_FORMAT, 3, "the input is not of the expected format") \
    X(E_VERSION, 4, "the input is of a version that this program does not know") \
    X(E_LIMIT, 5, "a documented limit is exceeded") \
    X(E_ARGUMENT, 6, "a wrong argument") \
    X(E_MISSING, 7, "something needed is not there") \
    X(E_MISMATCH, 8, "two inputs do not belong together") \
    X(E_CANCELLED, 9, "cancelled by the user") \
    X(E_UNSUPPORTED, 10, "not possible on this machine") \
    X(E_PENDING, 11, "not known yet")

typedef enum hsc_status {
#define HSC_STATUS_ENUM(name, value, text) HSC_##name = value,
    HSC_STATUS_TABLE(HSC_STATUS_ENUM)
#undef HSC_STATUS_ENUM
} hsc_status;

/* What failed, on what, where, expected and got. The caller owns it; needs no malloc; the text is one line, NUL-terminated. */
typedef struct hsc_err {
    hsc_status status;
    int sys_errno; /* 0 where no system call failed */
    char text[496];
} hsc_err;

#if defined(__GNUC__)
#define HSC_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define HSC_PRINTF(f, a)
#endif

/* Fills *err unless err is NULL or already holds an error (the first error wins). Returns status, so that
 * `return hsc_err_set(err, HSC_E_FORMAT, "%s: ...", path)` reads well. Thread-safe, not signal-safe. */
hsc_status hsc_err_set(hsc_err *err, hsc_status status, const char *fmt, ...) HSC_PRINTF(3, 4);

/* The same with ": strerror(errno_value)" appended and sys_errno set. */
hsc_status hsc_err_set_errno(hsc_err *err, int errno_value, const char *fmt, ...) HSC_PRINTF(3, 4);

/* Makes *err hold no error. */
void hsc_err_clear(hsc_err *err);

/* Short text of a status code; never NULL. */
const char *hsc_status_text(hsc_status status);

#ifdef __cplusplus
}
#endif
#endif
