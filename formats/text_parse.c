/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes a record stream from its text form (docs/format.md, "Text form"). */
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "stream_internal.h"

#define OUTPUT_MAX_BYTES ((size_t)1 << 30)
#define LINE_MAX_BYTES ((size_t)8 << 20)

typedef struct buffer {
    uint8_t *p;
    size_t n, capacity;
} buffer;

typedef struct parser {
    const char *label;
    size_t line;
    const char *p, *end; /* what is left of the line */
    hsc_err *err;
    hsc_status status; /* of the first error */
    size_t max_bytes;

    bool schemas_only; /* first pass: collect the schemas, so that a chunk may stand before its schema */
    hsc_schema *schemas[HSC_SCHEMAS_MAX];
    size_t n_schemas;
    hsc_schema *own; /* made when it is needed */
    buffer output;

    /* the chunk at hand */
    bool in_chunk, sealed;
    hsc_chunk_header h; /* slot_bytes 0: packed */
    buffer payload;
    hsc_schema *schema;
    hsc_layout *layout; /* of the last record line */
    uint64_t last_time, epoch;

    /* the descriptor at hand */
    bool in_record, in_enum;
    buffer head, items, attributes; /* up to the count of items; the items; the attributes */
    uint64_t n_items, n_attributes;

    /* values of the line at hand */
    buffer strings;
    buffer elements;
    locale_t c_locale;
} parser;

/* ---- errors and buffers --------------------------------------------------------------------------------------------- */

static bool fail(parser *ps, hsc_status status, const char *fmt, ...) HSC_PRINTF(3, 4);

static bool fail(parser *ps, hsc_status status, const char *fmt, ...) {
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!ps->status)
        ps->status = hsc_err_set(ps->err, status, "%s: line %zu: %s", ps->label, ps->line, text);
    return false;
}

/* "expected WHAT, got ..." with the next word of the line */
static bool fail_expected(parser *ps, const char *what) {
    int n = 0;
    while (n < 30 && ps->p + n < ps->end && ps->p[n] > ' ' && ps->p[n] < 0x7f)
        n++;
    if (ps->p == ps->end)
        return fail(ps, HSC_E_FORMAT, "expected %s, got the end of the line", what);
    return fail(ps, HSC_E_FORMAT, "expected %s, got '%.*s'", what, n, ps->p);
}

static bool no_memory(parser *ps) {
    return fail(ps, HSC_E_MEMORY, "out of memory");
}

static bool reserve(parser *ps, buffer *b, size_t more) {
    if (b->capacity - b->n >= more)
        return true;
    size_t capacity = b->capacity * 2 + 256;
    if (capacity < b->n + more)
        capacity = b->n + more;
    uint8_t *p = realloc(b->p, capacity);
    if (!p)
        return no_memory(ps);
    b->p = p;
    b->capacity = capacity;
    return true;
}

static bool add(parser *ps, buffer *b, const void *data, size_t n) {
    if (!reserve(ps, b, n))
        return false;
    if (n)
        memcpy(b->p + b->n, data, n);
    b->n += n;
    return true;
}

static bool add_uv(parser *ps, buffer *b, uint64_t v) {
    if (!reserve(ps, b, HSC_UV_MAX_BYTES))
        return false;
    b->n = (size_t)(hsc_uv_put(b->p + b->n, v) - b->p);
    return true;
}

static bool add_str(parser *ps, buffer *b, hsc_str s) {
    return add_uv(ps, b, s.n) && add(ps, b, s.p, s.n);
}

/* ---- words of a line ------------------------------------------------------------------------------------------------ */

static void skip_space(parser *ps) {
    while (ps->p < ps->end && (*ps->p == ' ' || *ps->p == '\t'))
        ps->p++;
}

static bool at_end(parser *ps) {
    skip_space(ps);
    return ps->p == ps->end;
}

static bool take_char(parser *ps, char c) {
    if (ps->p == ps->end || *ps->p != c)
        return false;
    ps->p++;
    return true;
}

/* A name, or what begins with '@'; empty: there is none. */
static hsc_str take_word(parser *ps) {
    skip_space(ps);
    const char *start = ps->p;
    if (ps->p < ps->end && *ps->p == '@')
        ps->p++;
    while (ps->p < ps->end && ((*ps->p >= 'a' && *ps->p <= 'z') || (*ps->p >= 'A' && *ps->p <= 'Z') || (*ps->p >= '0' && *ps->p <= '9') ||
                               *ps->p == '_'))
        ps->p++;
    return (hsc_str){start, (size_t)(ps->p - start)};
}

static bool is(hsc_str s, const char *text) {
    return s.n == strlen(text) && !memcmp(s.p, text, s.n);
}

static bool take_name(parser *ps, hsc_str *out) {
    *out = take_word(ps);
    if (hsc_name_is_valid(out->p, out->n))
        return true;
    ps->p = out->p;
    return fail_expected(ps, "a name of letters, digits and underscores");
}

/* The word `key` and '='. */
static bool take_key(parser *ps, const char *key) {
    if (is(take_word(ps), key) && take_char(ps, '='))
        return true;
    return fail(ps, HSC_E_FORMAT, "expected '%s='", key);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static bool take_u64(parser *ps, uint64_t max, uint64_t *out) {
    const char *start = ps->p;
    unsigned base = 10;
    uint64_t v = 0;
    bool any = false, too_large = false;
    if (ps->end - ps->p > 2 && ps->p[0] == '0' && ps->p[1] == 'x') {
        base = 16;
        ps->p += 2;
    }
    for (; ps->p < ps->end; ps->p++) {
        int d = hex_digit(*ps->p);
        if (d < 0 || (unsigned)d >= base)
            break;
        too_large = too_large || v > (UINT64_MAX - (unsigned)d) / base;
        v = v * base + (unsigned)d;
        any = true;
    }
    if (!any) {
        ps->p = start;
        return fail_expected(ps, "a number");
    }
    if (too_large || v > max)
        return fail(ps, HSC_E_FORMAT, "expected at most %llu, got '%.*s'", (unsigned long long)max,
                    (int)(ps->p - start < 40 ? ps->p - start : 40), start);
    *out = v;
    return true;
}

static bool take_u32(parser *ps, uint32_t *out) {
    uint64_t v;
    if (!take_u64(ps, UINT32_MAX, &v))
        return false;
    *out = (uint32_t)v;
    return true;
}

static bool take_i64(parser *ps, uint64_t *out) {
    bool negative = take_char(ps, '-');
    uint64_t v;
    if (!take_u64(ps, (uint64_t)INT64_MAX + negative, &v))
        return false;
    *out = negative ? 0 - v : v;
    return true;
}

static bool take_double(parser *ps, uint64_t *out) {
    char text[64], *end;
    size_t n = 0;
    while (ps->p + n < ps->end && n < sizeof text - 1 && ps->p[n] > ' ') {
        text[n] = ps->p[n];
        n++;
    }
    text[n] = 0;
    if (n >= 4 && !memcmp(text, "nan:", 4)) {
        uint64_t bits = 0;
        size_t i = 4;
        for (; i < n && i < 20 && hex_digit(text[i]) >= 0; i++)
            bits = bits << 4 | (unsigned)hex_digit(text[i]);
        double d;
        memcpy(&d, &bits, sizeof d);
        if (i != n || n != 20 || !isnan(d))
            return fail_expected(ps, "nan: and the 16 hexadecimal digits of one");
        *out = bits;
    } else {
        double d = strtod_l(text, &end, ps->c_locale);
        if (!n || *end || isnan(d))
            return fail_expected(ps, "a floating-point number");
        memcpy(out, &d, sizeof d);
    }
    ps->p += n;
    return true;
}

/* A quoted string. It lives in ps->strings until the line ends (room for the whole line has been reserved). */
static bool take_quoted(parser *ps, hsc_str *out) {
    if (!take_char(ps, '"'))
        return fail_expected(ps, "a string in double quotes");
    char *start = (char *)ps->strings.p + ps->strings.n, *to = start;
    while (ps->p < ps->end && *ps->p != '"') {
        char c = *ps->p++;
        if (c == '\\') {
            if (ps->p == ps->end)
                break;
            c = *ps->p++;
            if (c == 'x') {
                int high = ps->p < ps->end ? hex_digit(*ps->p) : -1;
                int low = ps->end - ps->p > 1 ? hex_digit(ps->p[1]) : -1;
                if (high < 0 || low < 0)
                    return fail_expected(ps, "two hexadecimal digits after \\x");
                c = (char)(high << 4 | low);
                ps->p += 2;
            } else if (c == 'n')
                c = '\n';
            else if (c == 't')
                c = '\t';
            else if (c == 'r')
                c = '\r';
            else if (c != '"' && c != '\\') {
                ps->p--;
                return fail_expected(ps, "one of \" \\ n r t x after a backslash");
            }
        }
        *to++ = c;
    }
    if (!take_char(ps, '"'))
        return fail(ps, HSC_E_FORMAT, "a string has no closing quote");
    *out = (hsc_str){start, (size_t)(to - start)};
    if (out->n > HSC_STRING_MAX_BYTES)
        return fail(ps, HSC_E_LIMIT, "a string of %zu bytes; the limit is %u", out->n, HSC_STRING_MAX_BYTES);
    ps->strings.n += out->n;
    return true;
}

static bool take_bytes(parser *ps, hsc_bytes *out) {
    if (!take_char(ps, '<'))
        return fail_expected(ps, "bytes as <hexadecimal digits>");
    uint8_t *start = ps->strings.p + ps->strings.n, *to = start;
    while (ps->end - ps->p >= 2 && hex_digit(ps->p[0]) >= 0 && hex_digit(ps->p[1]) >= 0) {
        *to++ = (uint8_t)(hex_digit(ps->p[0]) << 4 | hex_digit(ps->p[1]));
        ps->p += 2;
    }
    if (!take_char(ps, '>'))
        return fail_expected(ps, "an even number of hexadecimal digits and '>'");
    *out = (hsc_bytes){start, (size_t)(to - start)};
    ps->strings.n += out->n;
    return true;
}

/* Elements live in ps->elements until the line ends (room has been reserved). */
static bool take_array(parser *ps, uint32_t type, void *to) {
    size_t element = type == HSC_TYPE_AU ? sizeof(uint64_t) : sizeof(hsc_str), n = 0;
    uint8_t *start = ps->elements.p + ps->elements.n;
    if (!take_char(ps, '['))
        return fail_expected(ps, "'[' and the elements of an array");
    if (!take_char(ps, ']')) {
        do {
            void *at = start + n++ * element;
            if (type == HSC_TYPE_AU ? !take_u64(ps, UINT64_MAX, at) : !take_quoted(ps, at))
                return false;
        } while (take_char(ps, ','));
        if (!take_char(ps, ']'))
            return fail_expected(ps, "',' or ']'");
    }
    ps->elements.n += n * element;
    if (type == HSC_TYPE_AU)
        *(hsc_u64s *)to = (hsc_u64s){(const uint64_t *)(const void *)start, n};
    else
        *(hsc_strs *)to = (hsc_strs){(const hsc_str *)(const void *)start, n};
    return true;
}

/* ---- schema chunks -------------------------------------------------------------------------------------------------- */

static const char *const type_names[] = {"", "U", "Z", "D", "T", "H", "F", "S", "B", "AU", "AS"};

static bool text_attribute(parser *ps, buffer *b, const char *key) {
    hsc_str s;
    return take_key(ps, key) && take_quoted(ps, &s) && add_str(ps, b, s);
}

/* Puts the descriptor at hand, if any, into the payload. */
static bool end_descriptor(parser *ps) {
    uint8_t count[HSC_UV_MAX_BYTES], attributes_count[HSC_UV_MAX_BYTES];
    if (!ps->in_record && !ps->in_enum)
        return true;
    size_t n_count = (size_t)(hsc_uv_put(count, ps->n_items) - count);
    size_t n_attributes_count = ps->in_enum ? 0 : (size_t)(hsc_uv_put(attributes_count, ps->n_attributes) - attributes_count);
    size_t n = ps->head.n + n_count + ps->items.n + n_attributes_count + ps->attributes.n;
    ps->in_record = ps->in_enum = false;
    return add_uv(ps, &ps->payload, n) && add(ps, &ps->payload, ps->head.p, ps->head.n) &&
           add(ps, &ps->payload, count, n_count) && add(ps, &ps->payload, ps->items.p, ps->items.n) &&
           add(ps, &ps->payload, attributes_count, n_attributes_count) &&
           add(ps, &ps->payload, ps->attributes.p, ps->attributes.n);
}

static bool begin_descriptor(parser *ps, bool is_enum) {
    hsc_str name;
    uint64_t id, version;
    if (!end_descriptor(ps) || !take_name(ps, &name))
        return false;
    ps->head.n = ps->items.n = ps->attributes.n = 0;
    ps->n_items = ps->n_attributes = 0;
    ps->in_enum = is_enum;
    ps->in_record = !is_enum;
    if (is_enum)
        return add_uv(ps, &ps->head, HSC_SCHEMA_ENUM) && add_str(ps, &ps->head, name);
    return take_key(ps, "id") && take_u64(ps, UINT32_MAX, &id) && take_key(ps, "version") &&
           take_u64(ps, UINT32_MAX, &version) && add_uv(ps, &ps->head, HSC_SCHEMA_RECORD) &&
           add_uv(ps, &ps->head, id) && add_str(ps, &ps->head, name) && add_uv(ps, &ps->head, version) &&
           text_attribute(ps, &ps->head, "meaning");
}

static bool schema_field(parser *ps) {
    hsc_str name, type;
    uint64_t number = 0;
    if (!take_name(ps, &name) || !take_key(ps, "type"))
        return false;
    type = take_word(ps);
    for (uint64_t i = HSC_TYPE_U; i <= HSC_TYPE_AS; i++)
        if (is(type, type_names[i]))
            number = i;
    if (!number) {
        ps->p = type.p;
        return fail_expected(ps, "one of the types U Z D T H F S B AU AS");
    }
    ps->n_items++;
    return add_str(ps, &ps->items, name) && add_uv(ps, &ps->items, number) &&
           text_attribute(ps, &ps->items, "unit") && text_attribute(ps, &ps->items, "semantic") &&
           text_attribute(ps, &ps->items, "meaning");
}

static bool schema_line(parser *ps, hsc_str word) {
    uint64_t v;
    hsc_str name;
    if (is(word, "record"))
        return begin_descriptor(ps, false);
    if (is(word, "enum"))
        return begin_descriptor(ps, true);
    if (ps->in_record && is(word, "field"))
        return schema_field(ps);
    if (ps->in_record && is(word, "attribute")) {
        ps->n_attributes++;
        return take_key(ps, "field") && take_u64(ps, ps->n_items, &v) && add_uv(ps, &ps->attributes, v) &&
               text_attribute(ps, &ps->attributes, "key") && text_attribute(ps, &ps->attributes, "value");
    }
    if (ps->in_enum && is(word, "value")) {
        ps->n_items++;
        return take_name(ps, &name) && take_key(ps, "number") && take_u64(ps, UINT64_MAX, &v) &&
               add_uv(ps, &ps->items, v) && add_str(ps, &ps->items, name) && text_attribute(ps, &ps->items, "text");
    }
    ps->p = word.p;
    return fail_expected(ps, "record, field, attribute, enum or value");
}

/* ---- records -------------------------------------------------------------------------------------------------------- */

static bool take_value(parser *ps, const hsc_field_info *f, void *to) {
    switch (f->type) {
    case HSC_TYPE_Z:
        return take_i64(ps, to);
    case HSC_TYPE_F:
        return take_double(ps, to);
    case HSC_TYPE_S:
        return take_quoted(ps, to);
    case HSC_TYPE_B:
        return take_bytes(ps, to);
    case HSC_TYPE_AU:
    case HSC_TYPE_AS:
        return take_array(ps, f->type, to);
    default:
        break;
    }
    if (!take_u64(ps, UINT64_MAX, to))
        return false;
    if (take_char(ps, '(')) { /* the name of the number: for people */
        while (ps->p < ps->end && *ps->p != ')')
            ps->p++;
        if (!take_char(ps, ')'))
            return fail(ps, HSC_E_FORMAT, "expected ')'");
    }
    return true;
}

/* Appends what `put` makes, giving it ever more room up to the size of a chunk. */
static bool put_record(parser *ps, hsc_layout *l) {
    size_t most = HSC_CHUNK_MAX_BYTES - HSC_CHUNK_HEADER_BYTES - 8, room = 512, n = 0;
    for (;;) {
        if (room > most - ps->payload.n)
            room = most - ps->payload.n;
        if (!reserve(ps, &ps->payload, room))
            return false;
        hsc_status status = hsc_wire_record_put(&l->info, l->data, ps->payload.p + ps->payload.n, room, &n,
                                                &ps->last_time, l->deltas);
        if (!status)
            break;
        if (status == HSC_E_ARGUMENT)
            return fail(ps, HSC_E_LIMIT, "the record is above %u bytes", HSC_RECORD_MAX_BYTES);
        if (room == most - ps->payload.n)
            return fail(ps, HSC_E_LIMIT, "the chunk is above %u bytes", HSC_CHUNK_MAX_BYTES);
        room *= 4;
    }
    ps->payload.n += n;
    return true;
}

static bool unknown_line(parser *ps) {
    uint64_t id;
    hsc_bytes payload;
    if (!take_key(ps, "id") || !take_u64(ps, UINT32_MAX, &id) || !take_key(ps, "payload") || !take_bytes(ps, &payload))
        return false;
    if (hsc_schema_find(ps->schema, id))
        return fail(ps, HSC_E_FORMAT, "record %llu is in the schema: expected its fields", (unsigned long long)id);
    size_t n = hsc_uv_size(id) + payload.n;
    if (n > HSC_RECORD_MAX_BYTES || ps->payload.n + n > HSC_CHUNK_MAX_BYTES - HSC_CHUNK_HEADER_BYTES - 16)
        return fail(ps, HSC_E_LIMIT, "the record is above %u bytes, or its chunk above %u", HSC_RECORD_MAX_BYTES,
                    HSC_CHUNK_MAX_BYTES);
    return add_uv(ps, &ps->payload, n) && add_uv(ps, &ps->payload, id) && add(ps, &ps->payload, payload.p, payload.n);
}

static bool record_line(parser *ps, hsc_str word) {
    if (is(word, "@unknown"))
        return unknown_line(ps);
    hsc_layout *l = ps->layout;
    if (!l || !is(word, l->info.name)) {
        l = NULL;
        for (size_t i = 0; !l && i < ps->schema->n_layouts; i++)
            if (is(word, ps->schema->layouts[i].info.name))
                l = &ps->schema->layouts[i];
    }
    if (!l) {
        ps->p = word.p;
        return fail_expected(ps, "the name of a record of the chunk's schema");
    }
    ps->layout = l;
    memset(l->data, 0, l->info.struct_bytes);
    if (l->epoch != ps->epoch && l->n_deltas)
        memset(l->deltas, 0, l->n_deltas * sizeof *l->deltas);
    l->epoch = ps->epoch;
    uint64_t seen = 0;
    uint32_t next = 0; /* fields usually stand in order */
    while (!at_end(ps)) {
        hsc_str name;
        if (!take_name(ps, &name))
            return false;
        if (next >= l->info.n_fields || !is(name, l->info.fields[next].name))
            for (next = 0; next < l->info.n_fields && !is(name, l->info.fields[next].name); next++)
                ;
        if (next == l->info.n_fields || !take_char(ps, '=')) {
            ps->p = name.p;
            return fail_expected(ps, "FIELD=VALUE with a field of this record");
        }
        if (seen >> next & 1)
            return fail(ps, HSC_E_FORMAT, "field %s stands twice", l->info.fields[next].name);
        seen |= (uint64_t)1 << next;
        const hsc_field_info *f = &l->info.fields[next++];
        if (!take_value(ps, f, l->data + f->offset))
            return false;
        if (ps->p < ps->end && *ps->p != ' ' && *ps->p != '\t')
            return fail_expected(ps, "a space after a value");
    }
    return put_record(ps, l);
}

/* ---- chunks --------------------------------------------------------------------------------------------------------- */

static hsc_schema *find_schema(parser *ps, uint64_t id) {
    for (size_t i = 0; i < ps->n_schemas; i++)
        if (ps->schemas[i]->id == id)
            return ps->schemas[i];
    return NULL;
}

static bool keep_schema(parser *ps) {
    if (ps->payload.n > HSC_SCHEMA_MAX_BYTES)
        return fail(ps, HSC_E_LIMIT, "a schema of more than %u bytes", HSC_SCHEMA_MAX_BYTES);
    hsc_schema *s;
    const uint8_t *payload = ps->payload.n ? ps->payload.p : (const uint8_t *)"";
    if (hsc_schema_parse(payload, ps->payload.n, ps->h.schema_id, &s, NULL))
        return no_memory(ps);
    bool ok = true;
    if (s->n_bad)
        ok = fail(ps, HSC_E_FORMAT, "the schema that ends here: %s", s->bad_text);
    else if (!find_schema(ps, s->id)) {
        if (ps->n_schemas < HSC_SCHEMAS_MAX) {
            ps->schemas[ps->n_schemas++] = s;
            return true;
        }
        ok = fail(ps, HSC_E_LIMIT, "more than %u different schemas", HSC_SCHEMAS_MAX);
    }
    hsc_schema_free(s);
    return ok;
}

static bool end_chunk(parser *ps) {
    if (!ps->in_chunk)
        return true;
    ps->in_chunk = false;
    bool is_schema = ps->h.kind == HSC_CHUNK_SCHEMA;
    if (is_schema && !end_descriptor(ps))
        return false;
    if (ps->schemas_only)
        return !is_schema || keep_schema(ps);
    size_t packed = (HSC_CHUNK_HEADER_BYTES + ps->payload.n + 7) & ~(size_t)7;
    size_t slot = ps->h.slot_bytes > packed ? ps->h.slot_bytes : packed;
    if (slot > HSC_CHUNK_MAX_BYTES)
        return fail(ps, HSC_E_LIMIT, "the chunk that ends here is above %u bytes", HSC_CHUNK_MAX_BYTES);
    if (slot > ps->max_bytes - ps->output.n)
        return fail(ps, HSC_E_LIMIT, "the result is above %zu bytes", ps->max_bytes);
    if (!reserve(ps, &ps->output, slot))
        return false;
    uint8_t *base = ps->output.p + ps->output.n;
    memset(base, 0, slot);
    hsc_wire_header_put(base, ps->h.minor, ps->h.kind, (uint32_t)slot, ps->h.stream, ps->h.sequence, ps->h.t0_ns,
                        ps->h.lost_before, ps->h.schema_id);
    if (ps->payload.n)
        memcpy(base + HSC_CHUNK_HEADER_BYTES, ps->payload.p, ps->payload.n);
    hsc_set32(base + HSC_AT_COMMITTED, (uint32_t)ps->payload.n);
    if (ps->sealed)
        hsc_chunk_seal(base, false);
    ps->output.n += slot;
    return true;
}

static hsc_schema *own_schema(void) {
    size_t n = hsc_schema_chunk(NULL, 0);
    uint8_t *chunk = malloc(n);
    hsc_schema *s = NULL;
    if (chunk) {
        hsc_schema_chunk(chunk, n);
        if (hsc_schema_parse(chunk + HSC_CHUNK_HEADER_BYTES, hsc_get32(chunk + HSC_AT_COMMITTED), 0, &s, NULL))
            s = NULL;
    }
    free(chunk);
    return s;
}

static bool chunk_line(parser *ps) {
    static const char *const kinds[] = {"", "schema", "static", "dynamic", "symbolic", "attributes", "index"};
    uint64_t v;
    if (!end_chunk(ps))
        return false;
    memset(&ps->h, 0, sizeof ps->h);
    ps->h.minor = HSC_FORMAT_MINOR;
    hsc_str kind = take_word(ps);
    for (uint16_t i = 1; i < sizeof kinds / sizeof kinds[0]; i++)
        if (is(kind, kinds[i]))
            ps->h.kind = i;
    if (!ps->h.kind) {
        ps->p = kind.p;
        if (kind.n < 5 || memcmp(kind.p, "kind", 4))
            return fail_expected(ps, "a kind of chunk: schema, static, dynamic, symbolic, attributes, index, kindN");
        ps->p += 4;
        if (!take_u64(ps, UINT16_MAX, &v))
            return false;
        ps->h.kind = (uint16_t)v;
    }
    if (!take_key(ps, "stream") || !take_u32(ps, &ps->h.stream) || !take_key(ps, "sequence") ||
        !take_u32(ps, &ps->h.sequence) || !take_key(ps, "t0") || !take_u64(ps, UINT64_MAX, &ps->h.t0_ns) ||
        !take_key(ps, "lost") || !take_u64(ps, UINT64_MAX, &ps->h.lost_before) || !take_key(ps, "slot"))
        return false;
    const char *slot = ps->p;
    if (!is(take_word(ps), "packed")) {
        ps->p = slot;
        if (!take_u64(ps, HSC_CHUNK_MAX_BYTES, &v))
            return false;
        if (v % 8)
            return fail(ps, HSC_E_FORMAT, "expected a slot size that is a multiple of 8, got %llu", (unsigned long long)v);
        ps->h.slot_bytes = (uint32_t)v;
    }
    hsc_str state = take_word(ps);
    ps->sealed = is(state, "sealed");
    if (!ps->sealed && !is(state, "open")) {
        ps->p = state.p;
        return fail_expected(ps, "sealed or open");
    }
    if (!take_key(ps, "schema"))
        return false;
    for (int i = 0; i < 16; i++, ps->p++) {
        int d = ps->p < ps->end ? hex_digit(*ps->p) : -1;
        if (d < 0)
            return fail_expected(ps, "16 hexadecimal digits");
        ps->h.schema_id = ps->h.schema_id << 4 | (unsigned)d;
    }
    if (!at_end(ps)) {
        if (!take_key(ps, "minor") || !take_u64(ps, UINT8_MAX, &v))
            return false;
        ps->h.minor = (uint8_t)v;
    }
    ps->in_chunk = true;
    ps->payload.n = 0;
    ps->layout = NULL;
    ps->last_time = ps->h.t0_ns;
    ps->epoch++;
    ps->schema = find_schema(ps, ps->h.schema_id);
    if (!ps->schema) {
        if (!ps->own)
            ps->own = own_schema();
        ps->schema = ps->own;
    }
    return ps->schema || no_memory(ps);
}

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

static bool one_line(parser *ps) {
    if (at_end(ps) || *ps->p == '#')
        return true;
    bool schema_chunk = ps->in_chunk && ps->h.kind == HSC_CHUNK_SCHEMA;
    size_t length = (size_t)(ps->end - ps->p);
    if (length > LINE_MAX_BYTES)
        return fail(ps, HSC_E_LIMIT, "a line of %zu bytes; the limit is %zu", length, LINE_MAX_BYTES);
    hsc_str word = take_word(ps);
    if (ps->schemas_only && !schema_chunk && !is(word, "@chunk"))
        return true;
    ps->strings.n = ps->elements.n = 0;
    if (!reserve(ps, &ps->strings, length) || !reserve(ps, &ps->elements, length * sizeof(hsc_str)))
        return false;
    bool ok;
    if (is(word, "@chunk"))
        ok = chunk_line(ps);
    else if (!ps->in_chunk)
        ok = fail(ps, HSC_E_FORMAT, "expected an @chunk line");
    else
        ok = schema_chunk ? schema_line(ps, word) : record_line(ps, word);
    return ok && (at_end(ps) || fail_expected(ps, "the end of the line"));
}

static bool all_lines(parser *ps, const char *text, size_t n, bool schemas_only) {
    const char *end = text + n;
    ps->line = 0;
    ps->schemas_only = schemas_only;
    ps->in_chunk = ps->in_record = ps->in_enum = false;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        ps->p = text;
        ps->end = newline ? newline : end;
        text = newline ? newline + 1 : end;
        if (ps->end > ps->p && ps->end[-1] == '\r')
            ps->end--;
        if (++ps->line == 1) {
            if (ps->end - ps->p < 15 || memcmp(ps->p, "heatscope-text ", 15))
                return fail_expected(ps, "'heatscope-text 1'");
            ps->p += 15;
            uint64_t version;
            if (!take_u64(ps, UINT64_MAX, &version) || !at_end(ps))
                return fail_expected(ps, "a version number");
            if (version != 1)
                return fail(ps, HSC_E_VERSION, "expected version 1, got %llu", (unsigned long long)version);
        } else if (!one_line(ps))
            return false;
    }
    if (!ps->line)
        return fail(ps, HSC_E_FORMAT, "empty: expected 'heatscope-text 1'");
    return end_chunk(ps);
}

hsc_status hsc_text_parse_limited(const char *text, size_t n, const char *label, size_t max_bytes, uint8_t **bytes,
                                  size_t *size, hsc_err *err) {
    parser ps = {.label = label, .err = err, .max_bytes = max_bytes};
    ps.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!ps.c_locale)
        no_memory(&ps);
    else if (all_lines(&ps, n ? text : "", n, true) && all_lines(&ps, n ? text : "", n, false)) {
        *bytes = ps.output.p;
        *size = ps.output.n;
        ps.output.p = NULL;
    }
    for (size_t i = 0; i < ps.n_schemas; i++)
        hsc_schema_free(ps.schemas[i]);
    hsc_schema_free(ps.own);
    buffer *const buffers[] = {&ps.output, &ps.payload, &ps.head, &ps.items, &ps.attributes, &ps.strings, &ps.elements};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        free(buffers[i]->p);
    if (ps.c_locale)
        freelocale(ps.c_locale);
    return ps.status;
}

hsc_status hsc_text_parse(const char *text, size_t n, const char *label, uint8_t **bytes, size_t *size, hsc_err *err) {
    return hsc_text_parse_limited(text, n, label, OUTPUT_MAX_BYTES, bytes, size, err);
}
