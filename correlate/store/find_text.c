/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Search in columns of texts. All texts of a column follow each other, so it is gone through as one. */
#include "db.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <heatscope/formats/records.h>

typedef struct needle {
    const char *text;
    size_t length; /* >= 1 */
} needle;

/* Bit 5 tells letters of ASCII of one case from those of the other; of other characters it makes several one. */
static unsigned char folded(char c) { return (unsigned char)c | 0x20; }

/* First of n positions whose character and the needle's length behind it may be the needle's first and last; n: none. Blocks of them are
 * compared without a branch, which compilers make vector code of. */
static size_t candidate(const char *at, size_t n, const needle *what) {
    enum { BLOCK = 64 };
    const char *ends = at + what->length - 1;
    unsigned char first = folded(what->text[0]), last = folded(what->text[what->length - 1]);
    size_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        unsigned char any = 0;
        for (int k = 0; k < BLOCK; k++)
            any |= (unsigned char)((unsigned)(folded(at[i + k]) == first) & (unsigned)(folded(ends[i + k]) == last));
        if (any)
            break;
    }
    while (i < n && (folded(at[i]) != first || folded(ends[i]) != last))
        i++;
    return i;
}

/* Where the needle begins in n bytes; NULL: nowhere. */
static const char *find_in(const char *hay, size_t n, const needle *what) {
    if (n < what->length)
        return NULL;
    size_t places = n - what->length + 1;
    for (size_t i = 0; (i += candidate(hay + i, places - i, what)) < places; i++)
        if (!strncasecmp(hay + i, what->text, what->length))
            return hay + i;
    return NULL;
}

/* Marks rows of a column that have it. */
static void mark_rows(const hsc_db *db, enum hsc_column_id column, uint64_t n, const needle *what, unsigned char *marks) {
    const hsc_strings *s = &db->strings[column];
    if (!n)
        return;
    const char *end = s->bytes + s->offsets[n - 1] + strlen(s->bytes + s->offsets[n - 1]);
    uint64_t row = 0;
    for (const char *p = s->bytes; row < n && (p = find_in(p, (size_t)(end - p), what));) {
        uint64_t place = (uint64_t)(p - s->bytes);
        while (row < n && s->offsets[row] <= place) /* to the one after that which has it */
            row++;
        marks[row - 1] |= !s->longs || s->longs[row - 1] == HSC_NONE;
        if (row < n)
            p = s->bytes + s->offsets[row];
    }
    for (row = 0; s->longs && row < n; row++) {
        const char *text = s->longs[row] == HSC_NONE ? NULL : db->pool + db->pool_offsets[s->longs[row]];
        marks[row] |= text && find_in(text, strlen(text), what);
    }
}

/* Remarks that are shown with their reason's text: that has it or has it not. */
static void mark_reasons(const hsc_db *db, uint64_t n, const needle *what, unsigned char *marks) {
    const char *text = hsc_enum_text("reason", HSC_reason_NOT_TRIED);
    const uint8_t *reasons = HSC_COL(db, remark_reason, uint8_t);
    bool has = text && find_in(text, strlen(text), what);
    for (uint64_t row = 0; row < n; row++)
        if (reasons[row] == HSC_reason_NOT_TRIED)
            marks[row] = has;
}

hsc_status hsc_db_find_text(const hsc_db *db, hsc_db_texts in, const char *text, uint32_t **rows, uint32_t *n, hsc_err *err) {
    static const enum hsc_table_id tables[] = {HSC_TAB_scope, HSC_TAB_file, HSC_TAB_remark};
    if ((unsigned)in >= sizeof tables / sizeof *tables)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: texts %d asked for, there are 0 to 2", db->path, (int)in);
    hsc_status status = hsc_db_load((hsc_db *)db, tables[in], err);
    if (status)
        return status;
    uint64_t all = db->tables.rows[tables[in]];
    needle what = {text, strlen(text)};
    unsigned char *marks = calloc(all + 1, sizeof *marks);
    uint32_t *found = marks ? malloc((all + 1) * sizeof *found) : NULL, count = 0;
    if (!found) {
        free(marks);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for a search in %" PRIu64 " texts", db->path, all);
    }
    if (what.length && in == HSC_TEXTS_SCOPES)
        mark_rows(db, HSC_COL_scope_name, all, &what, marks);
    if (what.length && in == HSC_TEXTS_FILES)
        mark_rows(db, HSC_COL_file_path, all, &what, marks);
    if (what.length && in == HSC_TEXTS_REMARKS) {
        mark_rows(db, HSC_COL_remark_message, all, &what, marks);
        mark_reasons(db, all, &what, marks);
        mark_rows(db, HSC_COL_remark_name, all, &what, marks);
    }
    for (uint64_t row = 0; row < all; row++)
        if (marks[row])
            found[count++] = (uint32_t)row;
    free(marks);
    *rows = found;
    *n = count;
    return HSC_OK;
}
