/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Time in machine code that is in no file: made while the program ran. */
#include <string.h>

#include "findings.h"

#define TOLD 0.05 /* of all */

hsc_status findings_generated(findings *f, hsc_err *err) {
    report *r = f->r;
    hsc_weighted sum = {0};
    hsc_db_scope s, first = {.name = ""};
    uint32_t at = HSC_NONE;
    char text[1200], share[140];
    for (uint32_t i = 0; i < r->info.scopes; i++) {
        hsc_status status = r->excl[i] > 0 ? hsc_db_get_scope(r->db, i, &s, err) : HSC_OK;
        if (status)
            return status;
        if (!(r->excl[i] > 0) || strcmp(s.name, HSC_DB_NO_FILE) != 0)
            continue;
        sum.sum += r->excl[i];
        sum.excess += r->excl_excess[i];
        if (at == HSC_NONE) {
            at = i;
            first = s;
        }
    }
    if (at == HSC_NONE || sum.sum < TOLD * r->total)
        return HSC_OK;
    findings_amount(r, sum, share, sizeof share);
    snprintf(text, sizeof text, "Generated code: %s, is in machine code that is in no file: made while the program ran, as compilers for scripts and byte code do. It has no names, lines or loops here, and call paths that lead "
             "through it mostly end in it, so what it calls is known without those who called it.", share);
    findings_say(f, sum.sum, "Generated code", sum, spot_of_scope(at, &first), text);
    return HSC_OK;
}
