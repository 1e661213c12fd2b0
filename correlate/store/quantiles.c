/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Quantiles over processors, from the values that are not 0. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "db.h"

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void hsc_quantiles(double *values, uint64_t nonzero, uint64_t all, const double *levels, uint32_t m, double *out) {
    if (nonzero > 1)
        qsort(values, nonzero, sizeof *values, rising);
    for (uint32_t k = 0; k < m; k++) {
        double at = all ? levels[k] * (double)(all - 1) : 0, below = floor(at);
        uint64_t zeros = all - nonzero, low = (uint64_t)below, high = low + 1 < all ? low + 1 : low;
        double a = low >= zeros && nonzero ? values[low - zeros] : 0, b = high >= zeros && nonzero ? values[high - zeros] : 0;
        out[k] = all ? a + (at - below) * (b - a) : NAN;
    }
}

hsc_status hsc_db_read_quantiles(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, const double *levels, uint32_t m,
                                 double *out, hsc_err *err) {
    enum { ROWS = 256 };
    uint32_t columns = hsc_db_get_columns(db, view.axis);
    uint64_t indptr[ROWS + 1];
    double *values = malloc(((size_t)columns + 1) * sizeof *values);
    hsc_status status = values ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    for (uint32_t k = 0; k < m && !status; k++)
        if (!(levels[k] >= 0 && levels[k] <= 1))
            status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: quantile %g asked for, expected 0 to 1", db->path, levels[k]);
    for (uint64_t row = 0; row < n && !status; row += ROWS) {
        uint64_t some = n - row < ROWS ? n - row : ROWS;
        uint32_t *indices = NULL;
        float *of = NULL;
        status = hsc_db_read_sparse(db, view, first + row, some, indptr, &indices, &of, err);
        for (uint64_t i = 0; i < some && !status; i++) {
            uint64_t count = indptr[i + 1] - indptr[i];
            for (uint64_t k = 0; k < count; k++)
                values[k] = (double)of[indptr[i] + k];
            hsc_quantiles(values, count, columns, levels, m, out + (row + i) * m);
        }
        free(indices);
        free(of);
    }
    free(values);
    return status;
}
