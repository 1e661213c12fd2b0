/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source lines as hashes that do not see blanks, read once a file. */
#ifndef HSC_COMPARE_TEXTS_H
#define HSC_COMPARE_TEXTS_H

#include <heatscope/query.h>

typedef struct compare_text { /* of a file */
    bool looked;
    uint32_t lines;
    uint64_t *hash; /* [lines], of line i + 1; 0: blank. NULL: not known, or not that of the build */
} compare_text;

typedef struct compare_texts {
    hsc_db *db;
    uint32_t files;
    compare_text *file;
} compare_texts;

hsc_status compare_texts_open(compare_texts *t, hsc_db *db, hsc_err *err);
void compare_texts_close(compare_texts *t);

/* Takes nothing of the text along; false: no memory. free() hash. */
bool compare_text_make(compare_text *t, const char *text, size_t size);
uint64_t compare_text_line(const compare_text *t, uint32_t line);
uint64_t compare_text_lines(const compare_text *t, uint32_t begin, uint32_t end, uint32_t least);

/* NULL: no memory (err is set). A text that is not there has no hashes. */
const compare_text *compare_text_of(compare_texts *t, uint32_t file, hsc_err *err);

/* Hash of a line; 0: blank, or not known. */
uint64_t compare_line_hash(compare_texts *t, uint32_t file, uint32_t line);

/* Hash of the lines begin to end that are not blank; 0: there are less than `least` of them, or the text is not known. */
uint64_t compare_lines_hash(compare_texts *t, uint32_t file, uint32_t begin, uint32_t end, uint32_t least);

#endif
