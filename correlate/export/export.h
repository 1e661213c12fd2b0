/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Databases in the formats of other tools. All of them carry the same total as the database's metric. */
#ifndef HSC_EXPORT_H
#define HSC_EXPORT_H

#include <signal.h>
#include <stdio.h>

#include <heatscope/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hsc_export_format {
#define HSC_EXPORT(name, constant, function, binary, loops, text) HSC_EXPORT_##constant,
#include "formats.def"
#undef HSC_EXPORT
    HSC_EXPORT_FORMATS
} hsc_export_format;

typedef struct hsc_export_kind {
    const char *name, *text;
    bool binary; /* not for a terminal */
    bool loops;  /* loops are frames unless asked otherwise */
} hsc_export_kind;

extern const hsc_export_kind hsc_export_kinds[HSC_EXPORT_FORMATS];

typedef struct hsc_export_options {
    hsc_export_format format;
    uint32_t metric;
    bool loops;                                             /* loops as frames of call paths */
    void (*progress)(void *ctx, double done, double total); /* NULL: none */
    void *ctx;
    const volatile sig_atomic_t *cancel; /* NULL, or stops when it becomes non-zero */
} hsc_export_options;

/* Writes to `out` from where it stands; does not seek, does not close. Memory: 40 bytes a calling context, and what one
 * thread has. HSC_E_IO (disk full), HSC_E_MEMORY, HSC_E_FORMAT (a database that contradicts itself), HSC_E_CANCELLED.
 */
hsc_status hsc_export_write(hsc_db *db, const hsc_export_options *options, FILE *out, hsc_err *err);

#ifdef __cplusplus
}
#endif
#endif
