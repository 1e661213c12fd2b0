/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where two runs were not measured alike, or the machine was not the same to both: said before their times are compared. */
#include "diff_text.h"

void diff_text_measured(diff *d) {
    diff_cares cares;
    diff_cares_of(d, &cares);
    for (uint32_t i = 0; i < cares.n; i++)
        report_text_wrap(d->out, d->a.width, cares.text[i], 3, fprintf(d->out, "Care:"));
}
