/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "texts.h"

#include <stdlib.h>

hsc_status compare_texts_open(compare_texts *t, hsc_db *db, hsc_err *err) {
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    *t = (compare_texts){.db = db, .files = info.files};
    t->file = calloc((size_t)info.files + 1, sizeof *t->file);
    return t->file ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u files", info.path, info.files);
}

void compare_texts_close(compare_texts *t) {
    for (uint32_t f = 0; t->file && f < t->files; f++)
        free(t->file[f].hash);
    free(t->file);
    t->file = NULL;
}

/* FNV-1a of what is not blank. */
static uint64_t hash_line(const char *p, const char *end) {
    uint64_t h = 0xcbf29ce484222325u;
    bool any = false;
    for (; p < end; p++)
        if (*p != ' ' && *p != '\t' && *p != '\r') {
            h = (h ^ (unsigned char)*p) * 0x100000001b3u;
            any = true;
        }
    return any ? h | 1 : 0;
}

bool compare_text_make(compare_text *t, const char *text, size_t size) {
    uint32_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    lines += size && text[size - 1] != '\n';
    t->hash = malloc(((size_t)lines + 1) * sizeof *t->hash);
    if (!t->hash)
        return false;
    t->lines = lines;
    const char *p = text, *end = text + size;
    for (uint32_t i = 0; i < lines; i++) {
        const char *q = p;
        while (q < end && *q != '\n')
            q++;
        t->hash[i] = hash_line(p, q);
        p = q + 1;
    }
    return true;
}

const compare_text *compare_text_of(compare_texts *t, uint32_t file, hsc_err *err) {
    compare_text *x = &t->file[file];
    char *text = NULL;
    size_t size = 0;
    bool changed = true;
    if (x->looked)
        return x;
    x->looked = true;
    if (!hsc_db_read_source(t->db, file, &text, &size, &changed, NULL)) {
        bool ok = changed || compare_text_make(x, text, size);
        free(text);
        if (!ok) {
            hsc_err_set(err, HSC_E_MEMORY, "no memory for a source file of %zu bytes", size);
            return NULL;
        }
    }
    return x;
}

uint64_t compare_text_line(const compare_text *t, uint32_t line) { return t->hash && line && line <= t->lines ? t->hash[line - 1] : 0; }

uint64_t compare_text_lines(const compare_text *t, uint32_t begin, uint32_t end, uint32_t least) {
    uint64_t h = 0xcbf29ce484222325u;
    uint32_t n = 0;
    if (!t->hash || !begin || end > t->lines)
        return 0;
    for (uint32_t line = begin; line <= end; line++)
        if (t->hash[line - 1]) {
            h = (h ^ t->hash[line - 1]) * 0x9E3779B97F4A7C15u;
            h ^= h >> 32;
            n++;
        }
    return n && n >= least ? h | 1 : 0;
}

uint64_t compare_line_hash(compare_texts *t, uint32_t file, uint32_t line) {
    const compare_text *x = file < t->files ? compare_text_of(t, file, NULL) : NULL;
    return x ? compare_text_line(x, line) : 0;
}

uint64_t compare_lines_hash(compare_texts *t, uint32_t file, uint32_t begin, uint32_t end, uint32_t least) {
    const compare_text *x = file < t->files && begin ? compare_text_of(t, file, NULL) : NULL;
    return x ? compare_text_lines(x, begin, end, least) : 0;
}
