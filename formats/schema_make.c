/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes schema_chunk.h while Heatscope is built: the schema chunk of records.def and enums.def as bytes. Each process of a
 * measurement begins its file with that chunk; putting it together there took a quarter of what a short process cost. */
#include <stdio.h>
#include <stdlib.h>

#include "wire.h"

/* Counts what is put, keeps what fits, hashes it if told to. */
typedef struct sink {
    uint8_t *p;
    size_t used_bytes, capacity;
    bool hashing;
    uint64_t hash;
} sink;

static void sink_bytes(sink *s, const void *data, size_t n) {
    if (n && s->used_bytes <= s->capacity && n <= s->capacity - s->used_bytes)
        memcpy(s->p + s->used_bytes, data, n);
    if (s->hashing)
        s->hash = hsc_hash64(s->hash, data, n);
    s->used_bytes += n;
}

static void sink_uv(sink *s, uint64_t v) {
    uint8_t b[HSC_UV_MAX_BYTES];
    sink_bytes(s, b, (size_t)(hsc_uv_put(b, v) - b));
}

static void sink_str(sink *s, const char *text) {
    size_t n = 0;
    while (text[n])
        n++;
    sink_uv(s, n);
    sink_bytes(s, text, n);
}

static void sink_record_descriptor(sink *s, const hsc_record_info *info) {
    sink_uv(s, HSC_SCHEMA_RECORD);
    sink_uv(s, info->id);
    sink_str(s, info->name);
    sink_uv(s, info->version);
    sink_str(s, info->meaning);
    sink_uv(s, info->n_fields);
    for (uint32_t i = 0; i < info->n_fields; i++) {
        const hsc_field_info *f = &info->fields[i];
        sink_str(s, f->name);
        sink_uv(s, f->type);
        sink_str(s, f->unit);
        sink_str(s, f->semantic);
        sink_str(s, f->meaning);
    }
    sink_uv(s, 0); /* attributes */
}

static bool same_text(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The values [first, end) of one enum */
static void sink_enum_descriptor(sink *s, const hsc_enum_info *first, const hsc_enum_info *end) {
    sink_uv(s, HSC_SCHEMA_ENUM);
    sink_str(s, first->enum_name);
    sink_uv(s, (uint64_t)(end - first));
    for (const hsc_enum_info *e = first; e < end; e++) {
        sink_uv(s, e->value);
        sink_str(s, e->name);
        sink_str(s, e->text);
    }
}

static void sink_schema(sink *s) {
    size_t n;
    const uint32_t *ids = hsc_record_ids(&n);
    for (size_t i = 0; i < n; i++) {
        const hsc_record_info *info = hsc_record_info_get(ids[i]);
        sink counter = {0};
        sink_record_descriptor(&counter, info);
        sink_uv(s, counter.used_bytes);
        sink_record_descriptor(s, info);
    }
    const hsc_enum_info *e = hsc_enum_infos(&n);
    for (const hsc_enum_info *end = e + n, *next; e < end; e = next) {
        for (next = e + 1; next < end && same_text(next->enum_name, e->enum_name); next++)
            ;
        sink counter = {0};
        sink_enum_descriptor(&counter, e, next);
        sink_uv(s, counter.used_bytes);
        sink_enum_descriptor(s, e, next);
    }
}

uint64_t hsc_wire_schema_id(void) {
    sink s = {.hashing = true};
    sink_schema(&s);
    return s.hash;
}

int main(void) {
    sink s = {0};
    sink_schema(&s);
    size_t size = (HSC_CHUNK_HEADER_BYTES + s.used_bytes + 7) & ~(size_t)7;
    uint8_t *base = calloc(1, size);
    if (!base) {
        fprintf(stderr, "schema_make: no memory\n");
        return 1;
    }
    hsc_wire_header_put(base, HSC_FORMAT_MINOR, HSC_CHUNK_SCHEMA, (uint32_t)size, 0, 0, 0, 0, hsc_wire_schema_id());
    s = (sink){.p = base + HSC_CHUNK_HEADER_BYTES, .capacity = size - HSC_CHUNK_HEADER_BYTES};
    sink_schema(&s);
    hsc_set32(base + HSC_AT_COMMITTED, (uint32_t)s.used_bytes);
    hsc_chunk_seal(base, false);
    printf("/* Made by schema_make.c. */\nenum { SCHEMA_BYTES = %zu };\n#define SCHEMA_ID 0x%016llxu\nstatic const uint8_t schema_bytes[SCHEMA_BYTES] = {", size,
           (unsigned long long)hsc_wire_schema_id());
    for (size_t i = 0; i < size; i++)
        printf("%s%u,", i % 32 ? "" : "\n    ", base[i]);
    printf("\n};\n");
    free(base);
    if (fflush(stdout) || ferror(stdout)) {
        perror("schema_make");
        return 1;
    }
    return 0;
}
