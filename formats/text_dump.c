/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text form of a record stream (docs/format.md, "Text form"), and its schema as a table. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "stream_internal.h"

/* Collects small pieces; the first error stays. */
typedef struct out {
    hsc_text_sink write;
    void *ctx;
    hsc_err *err;
    hsc_status status;
    size_t n;
    char buffer[16384];
} out;

static void flush(out *o) {
    if (!o->status && o->n)
        o->status = o->write(o->ctx, o->buffer, o->n, o->err);
    o->n = 0;
}

static void put_char(out *o, char c) {
    if (o->n == sizeof o->buffer)
        flush(o);
    o->buffer[o->n++] = c;
}

static void put(out *o, const char *text) {
    while (*text)
        put_char(o, *text++);
}

/* For numbers and the like: at most 99 characters. */
static void putf(out *o, const char *fmt, ...) HSC_PRINTF(2, 3);

static void putf(out *o, const char *fmt, ...) {
    char text[100];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    put(o, text);
}

static void put_u64(out *o, uint64_t v) {
    char text[20];
    size_t i = sizeof text;
    do
        text[--i] = (char)('0' + v % 10);
    while (v /= 10);
    while (i < sizeof text)
        put_char(o, text[i++]);
}

static void put_hex(out *o, const uint8_t *p, size_t n) {
    static const char digits[] = "0123456789abcdef";
    put_char(o, '<');
    for (size_t i = 0; i < n; i++) {
        put_char(o, digits[p[i] >> 4]);
        put_char(o, digits[p[i] & 15]);
    }
    put_char(o, '>');
}

/* ---- strings: nothing that a terminal obeys, nothing that is not UTF-8 --------------------------------------------- */

/* Length of the UTF-8 sequence at p if it may be shown as it is; 0: escape the byte. */
static size_t showable(const uint8_t *p, size_t n) {
    if (*p < 0x80)
        return *p >= 0x20 && *p != 0x7f;
    size_t length = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
    if (*p < 0xc2 || *p > 0xf4 || n < length)
        return 0;
    uint32_t c = *p & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    /* controls, line separators, marks that turn the direction of the text, byte order mark */
    if (c < 0xa0 || c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
        (c >= 0x2066 && c <= 0x2069) || c == 0xfeff)
        return 0;
    return length;
}

static void put_escaped(out *o, const char *text, size_t n, bool quoted) {
    const uint8_t *p = (const uint8_t *)text;
    for (size_t i = 0; i < n;) {
        size_t k = showable(p + i, n - i);
        if (k && (p[i] == '\\' || (p[i] == '"' && quoted)))
            put_char(o, '\\');
        if (!k) {
            if (p[i] == '\n')
                put(o, "\\n");
            else if (p[i] == '\t')
                put(o, "\\t");
            else if (p[i] == '\r')
                put(o, "\\r");
            else
                putf(o, "\\x%02x", p[i]);
            i++;
        }
        while (k--)
            put_char(o, (char)p[i++]);
    }
}

static void put_quoted(out *o, const char *text, size_t n) {
    put_char(o, '"');
    put_escaped(o, text, n, true);
    put_char(o, '"');
}

static void put_text(out *o, const char *key, const char *text) {
    put(o, key);
    put_quoted(o, text, strlen(text));
}

/* ---- values --------------------------------------------------------------------------------------------------------- */

static void put_double(out *o, double v) {
    char text[64];
    if (isnan(v)) {
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        putf(o, "nan:%016" PRIx64, bits);
        return;
    }
    snprintf(text, sizeof text, "%.17g", v);
    for (char *p = text; *p; p++) /* whatever the locale calls a decimal point */
        put_char(o, (*p >= '0' && *p <= '9') || strchr("+-einf", *p) ? *p : '.');
}

static void put_lower(out *o, const char *name) {
    for (; *name; name++)
        put_char(o, *name >= 'A' && *name <= 'Z' ? (char)(*name + 32) : *name);
}

/* The name of an enum value, or the names of the flags in it, in parentheses. */
static void put_enum(out *o, const hsc_schema *s, const char *semantic, uint64_t value) {
    bool flags = !strncmp(semantic, "flags:", 6);
    if (!flags && strncmp(semantic, "enum:", 5))
        return;
    const char *name = semantic + (flags ? 6 : 5);
    bool any = false;
    for (size_t i = 0; i < s->n_enums; i++) {
        const hsc_enum_info *e = &s->enums[i];
        if ((flags ? !(value & e->value) : value != e->value) || strcmp(e->enum_name, name))
            continue;
        put_char(o, any ? '|' : '(');
        put_lower(o, e->name);
        any = true;
        if (!flags)
            break;
    }
    if (any)
        put_char(o, ')');
}

static void put_value(out *o, const hsc_schema *s, const hsc_field_info *f, const void *data) {
    const void *at = (const char *)data + f->offset;
    uint64_t v = 0;
    if (f->type <= HSC_TYPE_F)
        memcpy(&v, at, sizeof v);
    switch (f->type) {
    case HSC_TYPE_U:
    case HSC_TYPE_D:
    case HSC_TYPE_T:
        if (!strcmp(f->semantic, "address"))
            putf(o, "0x%" PRIx64, v);
        else
            put_u64(o, v);
        put_enum(o, s, f->semantic, v);
        break;
    case HSC_TYPE_Z:
        putf(o, "%" PRId64, (int64_t)v);
        break;
    case HSC_TYPE_H:
        putf(o, "0x%016" PRIx64, v);
        break;
    case HSC_TYPE_F: {
        double d;
        memcpy(&d, at, sizeof d);
        put_double(o, d);
        break;
    }
    case HSC_TYPE_S: {
        const hsc_str *t = at;
        put_quoted(o, t->p, t->n);
        break;
    }
    case HSC_TYPE_B: {
        const hsc_bytes *b = at;
        put_hex(o, b->p, b->n);
        break;
    }
    case HSC_TYPE_AU: {
        const hsc_u64s *a = at;
        put_char(o, '[');
        for (size_t i = 0; i < a->n; i++) {
            if (i)
                put_char(o, ',');
            put_u64(o, a->p[i]);
        }
        put_char(o, ']');
        break;
    }
    case HSC_TYPE_AS: {
        const hsc_strs *a = at;
        put_char(o, '[');
        for (size_t i = 0; i < a->n; i++) {
            if (i)
                put_char(o, ',');
            put_quoted(o, a->p[i].p, a->p[i].n);
        }
        put_char(o, ']');
        break;
    }
    }
}

static void put_record(out *o, const hsc_schema *s, const hsc_record *record) {
    if (!record->layout) {
        put(o, "@unknown id=");
        put_u64(o, record->record_id);
        put(o, " payload=");
        put_hex(o, record->payload.p, record->payload.n);
    } else {
        put(o, record->name);
        for (uint32_t i = 0; i < record->layout->n_fields; i++) {
            const hsc_field_info *f = &record->layout->fields[i];
            put_char(o, ' ');
            put(o, f->name);
            put_char(o, '=');
            put_value(o, s, f, record->data);
        }
    }
    put_char(o, '\n');
}

/* ---- schemas and chunks --------------------------------------------------------------------------------------------- */

static const char type_names[][3] = {"", "U", "Z", "D", "T", "H", "F", "S", "B", "AU", "AS"};

static void put_schema(out *o, const hsc_schema *s) {
    for (size_t i = 0; i < s->n_layouts; i++) {
        const hsc_layout *l = &s->layouts[i];
        put(o, "record ");
        put(o, l->info.name);
        putf(o, " id=%" PRIu32 " version=%" PRIu32, l->info.id, l->info.version);
        put_text(o, " meaning=", l->info.meaning);
        put_char(o, '\n');
        for (uint32_t k = 0; k < l->info.n_fields; k++) {
            const hsc_field_info *f = &l->info.fields[k];
            put(o, "  field ");
            put(o, f->name);
            putf(o, " type=%s", type_names[f->type]);
            put_text(o, " unit=", f->unit);
            put_text(o, " semantic=", f->semantic);
            put_text(o, " meaning=", f->meaning);
            put_char(o, '\n');
        }
        for (uint32_t k = 0; k < l->n_attributes; k++) {
            const hsc_attribute *a = &l->attributes[k];
            putf(o, "  attribute field=%" PRIu32, a->field);
            put_text(o, " key=", a->key);
            put_text(o, " value=", a->value);
            put_char(o, '\n');
        }
    }
    const char *open = NULL;
    for (size_t i = 0; i < s->n_enums; i++) {
        const hsc_enum_info *e = &s->enums[i];
        if (!open || strcmp(open, e->enum_name)) {
            open = e->enum_name;
            put(o, "enum ");
            put(o, open);
            put_char(o, '\n');
        }
        put(o, "  value ");
        put(o, e->name);
        put(o, " number=");
        put_u64(o, e->value);
        put_text(o, " text=", e->text);
        put_char(o, '\n');
    }
}

static void put_chunk(out *o, const hsc_chunk_header *h) {
    static const char *const kinds[] = {"", "schema", "static", "dynamic", "symbolic", "attributes", "index"};
    put(o, "@chunk ");
    if (h->kind && h->kind < sizeof kinds / sizeof kinds[0])
        put(o, kinds[h->kind]);
    else
        putf(o, "kind%u", h->kind);
    putf(o, " stream=%" PRIu32 " sequence=%" PRIu32, h->stream, h->sequence);
    putf(o, " t0=%" PRIu64 " lost=%" PRIu64, h->t0_ns, h->lost_before);
    if (h->slot_bytes == ((HSC_CHUNK_HEADER_BYTES + h->committed + 7) & ~7u))
        put(o, " slot=packed");
    else
        putf(o, " slot=%" PRIu32, h->slot_bytes);
    put(o, h->flags & HSC_FLAG_SEALED ? " sealed" : " open");
    putf(o, " schema=%016" PRIx64, h->schema_id);
    if (h->minor != HSC_FORMAT_MINOR)
        putf(o, " minor=%u", h->minor);
    put_char(o, '\n');
}

static void put_summary(out *o, hsc_reader *r) {
    hsc_reader_counts c;
    hsc_reader_get_counts(r, &c);
    putf(o, "# chunks: %" PRIu64 " good (%" PRIu64 " of them open), ", c.chunks, c.chunks_unsealed);
    putf(o, "%" PRIu64 " bad; bytes skipped: %" PRIu64 "; ", c.chunks_bad, c.bytes_skipped);
    putf(o, "records: %" PRIu64 " (%" PRIu64 " unknown), ", c.records, c.records_unknown);
    putf(o, "%" PRIu64 " undecodable\n", c.records_bad);
    const char *problem = hsc_reader_get_first_problem(r);
    if (problem[0]) {
        put(o, "# first problem: ");
        put_escaped(o, problem, strlen(problem), false);
        put_char(o, '\n');
    }
}

hsc_status hsc_text_dump(hsc_reader *r, hsc_text_sink write, void *ctx, hsc_err *err) {
    out o = {.write = write, .ctx = ctx, .err = err};
    hsc_chunk_view chunk;
    hsc_record record;
    put(&o, "heatscope-text 1\n");
    while (!o.status && hsc_reader_next_chunk(r, &chunk)) {
        put_chunk(&o, &chunk.header);
        if (chunk.header.kind != HSC_CHUNK_SCHEMA) {
            while (!o.status && hsc_reader_next_in_chunk(r, &record))
                put_record(&o, chunk.schema, &record);
            continue;
        }
        /* of several descriptions of one schema the first one counts; show what this chunk says */
        hsc_schema *own_words;
        if (hsc_schema_parse(chunk.payload, chunk.header.committed, chunk.header.schema_id, &own_words, err)) {
            o.status = HSC_E_MEMORY;
            break;
        }
        put_schema(&o, own_words);
        hsc_schema_free(own_words);
    }
    put_summary(&o, r);
    flush(&o);
    return o.status;
}

/* ---- a file that grows ---------------------------------------------------------------------------------------------- */

/* What has been given of a chunk. */
typedef struct followed {
    uint64_t key; /* 1 + stream and sequence; 0: free */
    uint64_t records;
    uint32_t committed;
} followed;

struct hsc_follow {
    hsc_reader *reader;
    followed *chunk; /* hash table */
    size_t n, capacity;
    uint64_t pid;
    bool ended;
};

static followed *followed_at(const hsc_follow *f, uint64_t key) {
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (f->capacity - 1);
    while (f->chunk[i].key && f->chunk[i].key != key)
        i = (i + 1) & (f->capacity - 1);
    return &f->chunk[i];
}

static uint64_t key_of(const hsc_chunk_header *h) {
    return ((uint64_t)h->stream << 32 | h->sequence) + 1;
}

static bool is_followed(void *ctx, const hsc_chunk_header *h) {
    const hsc_follow *f = ctx;
    const followed *c = followed_at(f, key_of(h));
    return h->kind == HSC_CHUNK_SCHEMA || !h->committed || (c->key && c->committed == h->committed);
}

/* The chunk's entry, made if there is none; NULL: no memory. */
static followed *follow_chunk(hsc_follow *f, uint64_t key) {
    if (2 * f->n >= f->capacity) {
        hsc_follow more = {.capacity = 2 * f->capacity, .chunk = calloc(2 * f->capacity, sizeof *f->chunk)};
        if (!more.chunk)
            return NULL;
        for (size_t i = 0; i < f->capacity; i++)
            if (f->chunk[i].key)
                *followed_at(&more, f->chunk[i].key) = f->chunk[i];
        free(f->chunk);
        f->chunk = more.chunk;
        f->capacity = more.capacity;
    }
    followed *c = followed_at(f, key);
    f->n += !c->key;
    c->key = key;
    return c;
}

hsc_status hsc_follow_open(const char *path, hsc_follow **opened, hsc_err *err) {
    hsc_follow *f = calloc(1, sizeof *f);
    if (f) {
        f->capacity = 64;
        f->chunk = calloc(f->capacity, sizeof *f->chunk);
    }
    hsc_status status = f && f->chunk ? hsc_reader_open(path, &f->reader, err) : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    if (status)
        hsc_follow_close(f);
    else
        *opened = f;
    return status;
}

hsc_status hsc_follow_more(hsc_follow *f, hsc_text_sink write, void *ctx, uint64_t *records, bool *ended, uint64_t *pid, hsc_err *err) {
    out o = {.write = write, .ctx = ctx, .err = err};
    hsc_chunk_view chunk;
    hsc_record record;
    *records = 0;
    o.status = hsc_reader_again(f->reader, is_followed, f, err);
    while (!o.status && hsc_reader_next_chunk(f->reader, &chunk)) {
        followed *c = follow_chunk(f, key_of(&chunk.header));
        if (!c) {
            o.status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
            break;
        }
        uint64_t n = 0;
        while (!o.status && hsc_reader_next_in_chunk(f->reader, &record)) {
            if (n++ < c->records)
                continue;
            if (n == c->records + 1)
                put_chunk(&o, &chunk.header);
            put_record(&o, chunk.schema, &record);
            ++*records;
            if (record.record_id == HSC_REC_process && record.value)
                f->pid = ((const hsc_rec_process *)record.value)->pid;
            f->ended = f->ended || record.record_id == HSC_REC_process_end;
        }
        c->records = n > c->records ? n : c->records;
        c->committed = chunk.header.committed;
    }
    flush(&o);
    *ended = f->ended;
    *pid = f->pid;
    return o.status;
}

void hsc_follow_close(hsc_follow *f) {
    if (!f)
        return;
    hsc_reader_close(f->reader);
    free(f->chunk);
    free(f);
}

/* ---- the schema for people ------------------------------------------------------------------------------------------ */

static void put_cell(out *o, const char *text, size_t width) {
    size_t n = strlen(text);
    put_escaped(o, text, n, false);
    do
        put_char(o, ' ');
    while (++n <= width);
}

hsc_status hsc_text_dump_schema(hsc_reader *r, hsc_text_sink write, void *ctx, hsc_err *err) {
    out o = {.write = write, .ctx = ctx, .err = err};
    const hsc_schema *s;
    for (size_t i = 0; !o.status && (s = hsc_reader_get_schema(r, i)); i++) {
        putf(&o, "%sschema %016" PRIx64 "\n", i ? "\n" : "", s->id);
        for (size_t k = 0; k < s->n_layouts; k++) {
            const hsc_record_info *info = &s->layouts[k].info;
            putf(&o, "\nrecord %" PRIu32 " ", info->id);
            put(&o, info->name);
            putf(&o, ", version %" PRIu32 ": ", info->version);
            put_escaped(&o, info->meaning, strlen(info->meaning), false);
            put_char(&o, '\n');
            for (uint32_t m = 0; m < info->n_fields; m++) {
                const hsc_field_info *f = &info->fields[m];
                put(&o, "  ");
                put_cell(&o, f->name, 17);
                put_cell(&o, type_names[f->type], 2);
                put_cell(&o, f->unit[0] ? f->unit : "-", 6);
                put_cell(&o, f->semantic[0] ? f->semantic : "-", 20);
                put_escaped(&o, f->meaning, strlen(f->meaning), false);
                put_char(&o, '\n');
            }
        }
        for (size_t k = 0; k < s->n_enums; k++) {
            const hsc_enum_info *e = &s->enums[k];
            if (!k || strcmp(e->enum_name, s->enums[k - 1].enum_name)) {
                put(&o, "\nenum ");
                put(&o, e->enum_name);
                put_char(&o, '\n');
            }
            put(&o, "  ");
            put_cell(&o, e->name, 22);
            putf(&o, "%-6" PRIu64 " ", e->value);
            put_escaped(&o, e->text, strlen(e->text), false);
            put_char(&o, '\n');
        }
    }
    flush(&o);
    return o.status;
}
