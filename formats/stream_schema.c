/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads schema chunks and lays their records out so that ours can be used as C structs. */
#include <stdio.h>
#include <stdlib.h>

#include "stream_internal.h"

#define EXTRA_FIELD_BYTES 16u /* of a field that is not in our struct */

/* Growing arrays while parsing; pointers into them are made when all is known. */
typedef struct parser {
    hsc_schema *s;
    size_t layouts_capacity, fields_capacity, n_fields, attributes_capacity, n_attributes, enums_capacity;
    size_t texts_used;
    const char *why; /* what is wrong with the descriptor */
} parser;

bool hsc_name_is_valid(const char *p, size_t n) {
    if (!n || n > HSC_NAME_MAX_BYTES || (*p >= '0' && *p <= '9'))
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return true;
}

bool hsc_grow(void *array, size_t n, size_t *capacity, size_t item) {
    if (n < *capacity)
        return true;
    size_t want = *capacity ? *capacity * 2 : 64;
    void **slot = array, *p = realloc(*slot, want * item);
    if (!p)
        return false;
    *slot = p;
    *capacity = want;
    return true;
}

static const uint8_t *bad(parser *ps, const char *why) {
    if (!ps->why)
        ps->why = why;
    return NULL;
}

static const uint8_t *get_uv(parser *ps, const uint8_t *p, const uint8_t *end, uint64_t max, uint64_t *out) {
    if (!p)
        return NULL;
    p = hsc_uv_get(p, end, out);
    if (!p)
        return bad(ps, "a number is cut off or too long");
    return *out <= max ? p : bad(ps, "a number is above its limit");
}

/* Texts are copied NUL-terminated: each takes no more room than in the payload, as its length prefix goes. */
static const uint8_t *get_text(parser *ps, const uint8_t *p, const uint8_t *end, size_t max, const char **out) {
    uint64_t n;
    p = get_uv(ps, p, end, max, &n);
    if (!p)
        return NULL;
    if (n > (size_t)(end - p))
        return bad(ps, "a string is cut off");
    if (n && memchr(p, 0, n))
        return bad(ps, "a string contains NUL");
    char *text = ps->s->texts + ps->texts_used;
    if (n)
        memcpy(text, p, n);
    text[n] = 0;
    ps->texts_used += n + 1;
    *out = text;
    return p + n;
}

static const uint8_t *get_name(parser *ps, const uint8_t *p, const uint8_t *end, const char **out) {
    p = get_text(ps, p, end, HSC_NAME_MAX_BYTES, out);
    if (p && !hsc_name_is_valid(*out, strlen(*out)))
        return bad(ps, "a name has other characters than letters, digits and underscores");
    return p;
}

static bool parse_record(parser *ps, const uint8_t *p, const uint8_t *end, bool *no_memory) {
    hsc_schema *s = ps->s;
    hsc_layout l = {0};
    uint64_t id, version, n;
    size_t first_field = ps->n_fields, first_attribute = ps->n_attributes;
    p = get_uv(ps, p, end, UINT32_MAX, &id);
    p = get_name(ps, p, end, &l.info.name);
    p = get_uv(ps, p, end, UINT32_MAX, &version);
    p = get_text(ps, p, end, HSC_STRING_MAX_BYTES, &l.info.meaning);
    p = get_uv(ps, p, end, HSC_FIELDS_MAX, &n);
    for (uint64_t i = 0; p && i < n; i++) {
        hsc_field_info f = {0};
        uint64_t type;
        p = get_name(ps, p, end, &f.name);
        p = get_uv(ps, p, end, UINT32_MAX, &type);
        if (p && (type < HSC_TYPE_U || type > HSC_TYPE_AS))
            p = bad(ps, "a field has an unknown type");
        p = get_text(ps, p, end, HSC_NAME_MAX_BYTES, &f.unit);
        p = get_text(ps, p, end, HSC_NAME_MAX_BYTES, &f.semantic);
        p = get_text(ps, p, end, HSC_STRING_MAX_BYTES, &f.meaning);
        if (!p)
            break;
        f.type = (uint32_t)type;
        for (size_t k = first_field; k < ps->n_fields; k++)
            if (!strcmp(s->fields[k].name, f.name))
                p = bad(ps, "two fields have the same name");
        if (p && !hsc_grow(&s->fields, ps->n_fields, &ps->fields_capacity, sizeof *s->fields)) {
            *no_memory = true;
            p = NULL;
        }
        if (p)
            s->fields[ps->n_fields++] = f;
    }
    uint64_t n_attributes = 0;
    if (p && p < end)
        p = get_uv(ps, p, end, HSC_ATTRIBUTES_MAX, &n_attributes);
    for (uint64_t i = 0; p && i < n_attributes; i++) {
        hsc_attribute a = {0};
        uint64_t field;
        p = get_uv(ps, p, end, n, &field);
        p = get_text(ps, p, end, HSC_NAME_MAX_BYTES, &a.key);
        p = get_text(ps, p, end, HSC_STRING_MAX_BYTES, &a.value);
        if (p && !hsc_grow(&s->attributes, ps->n_attributes, &ps->attributes_capacity, sizeof *s->attributes)) {
            *no_memory = true;
            p = NULL;
        }
        if (p) {
            a.field = (uint32_t)field;
            s->attributes[ps->n_attributes++] = a;
        }
    }
    if (p && s->n_layouts >= HSC_DESCRIPTORS_MAX)
        p = bad(ps, "too many descriptors");
    if (p && !hsc_grow(&s->layouts, s->n_layouts, &ps->layouts_capacity, sizeof *s->layouts)) {
        *no_memory = true;
        p = NULL;
    }
    if (!p) {
        ps->n_fields = first_field;
        ps->n_attributes = first_attribute;
        return false;
    }
    l.info.id = (uint32_t)id;
    l.info.version = (uint32_t)version;
    l.info.n_fields = (uint32_t)n;
    l.n_attributes = (uint32_t)n_attributes;
    s->layouts[s->n_layouts++] = l;
    return true;
}

static bool parse_enum(parser *ps, const uint8_t *p, const uint8_t *end, bool *no_memory) {
    hsc_schema *s = ps->s;
    const char *enum_name = NULL;
    uint64_t n = 0;
    size_t first = s->n_enums;
    p = get_name(ps, p, end, &enum_name);
    for (size_t k = 0; p && k < s->n_enums; k++)
        if (!strcmp(s->enums[k].enum_name, enum_name))
            p = bad(ps, "an enumeration is described twice");
    p = get_uv(ps, p, end, HSC_DESCRIPTORS_MAX, &n);
    if (p && !n)
        p = bad(ps, "an enumeration has no values");
    for (uint64_t i = 0; p && i < n; i++) {
        hsc_enum_info e = {.enum_name = enum_name};
        p = get_uv(ps, p, end, UINT64_MAX, &e.value);
        p = get_name(ps, p, end, &e.name);
        p = get_text(ps, p, end, HSC_STRING_MAX_BYTES, &e.text);
        if (p && s->n_enums >= HSC_DESCRIPTORS_MAX)
            p = bad(ps, "too many enumeration values");
        if (p && !hsc_grow(&s->enums, s->n_enums, &ps->enums_capacity, sizeof *s->enums)) {
            *no_memory = true;
            p = NULL;
        }
        if (p)
            s->enums[s->n_enums++] = e;
    }
    if (!p)
        s->n_enums = first;
    return p != NULL;
}

static void note_bad(hsc_schema *s, size_t at, const char *why) {
    if (!s->n_bad++)
        snprintf(s->bad_text, sizeof s->bad_text, "descriptor at byte %zu of the schema: %s", at, why);
}

/* ---- layout --------------------------------------------------------------------------------------------------------- */

static const hsc_field_info *find_field(const hsc_record_info *info, const hsc_field_info *f) {
    for (uint32_t i = 0; i < info->n_fields; i++)
        if (info->fields[i].type == f->type && !strcmp(info->fields[i].name, f->name))
            return &info->fields[i];
    return NULL;
}

static uint32_t align_up(size_t n) {
    return (uint32_t)((n + 15) & ~(size_t)15);
}

/* Gives every field its place, in our struct where we have it and behind it where not. */
static void lay_out(hsc_layout *l, hsc_field_info *fields) {
    const hsc_record_info *own = hsc_record_info_get(l->info.id);
    if (own && strcmp(own->name, l->info.name))
        own = NULL; /* something else goes by this number there */
    l->ours = own != NULL;
    uint32_t at = own ? align_up(own->struct_bytes) : 0;
    for (uint32_t i = 0; i < l->info.n_fields; i++) {
        hsc_field_info *f = &fields[i];
        const hsc_field_info *mine = own ? find_field(own, f) : NULL;
        f->offset = mine ? mine->offset : at;
        if (!mine)
            at += EXTRA_FIELD_BYTES;
        if (f->type == HSC_TYPE_D)
            f->delta_slot = l->n_deltas++;
        if (f->type == HSC_TYPE_AU || f->type == HSC_TYPE_AS)
            l->has_arrays = true;
        if (f->type >= HSC_TYPE_S)
            l->info.n_variable++;
        else
            l->info.scalar_max_bytes += HSC_UV_MAX_BYTES;
    }
    l->info.fields = fields;
    l->info.struct_bytes = at;
}

static int compare_ids(const void *a, const void *b, void *ctx) {
    const hsc_layout *layouts = ctx;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    if (layouts[i].info.id != layouts[k].info.id)
        return layouts[i].info.id < layouts[k].info.id ? -1 : 1;
    return i < k ? -1 : i > k;
}

static int compare_names(const void *a, const void *b, void *ctx) {
    const hsc_layout *layouts = ctx;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    int c = strcmp(layouts[i].info.name, layouts[k].info.name);
    return c ? c : i < k ? -1 : i > k;
}

/* Leaves out what describes an id or a name for the second time; by_id comes out sorted. */
static hsc_status sort_ids(hsc_schema *s, hsc_err *err) {
    size_t n = s->n_layouts, n_kept = 0;
    s->by_id = malloc((n + 1) * sizeof *s->by_id);
    bool *drop = calloc(n + 1, sizeof *drop);
    if (!s->by_id || !drop) {
        free(drop);
        return hsc_err_set(err, HSC_E_MEMORY, "schema: no memory for %zu descriptors", n);
    }
    for (size_t i = 0; i < n; i++)
        s->by_id[i] = (uint32_t)i;
    qsort_r(s->by_id, n, sizeof *s->by_id, compare_names, s->layouts);
    for (size_t i = 1; i < n; i++)
        if (!strcmp(s->layouts[s->by_id[i]].info.name, s->layouts[s->by_id[i - 1]].info.name))
            drop[s->by_id[i]] = true;
    qsort_r(s->by_id, n, sizeof *s->by_id, compare_ids, s->layouts);
    for (size_t i = 1; i < n; i++)
        if (s->layouts[s->by_id[i]].info.id == s->layouts[s->by_id[i - 1]].info.id)
            drop[s->by_id[i]] = true;
    for (size_t i = 0; i < n; i++) {
        if (drop[i])
            note_bad(s, 0, "a record id or name is described twice");
        else
            s->layouts[n_kept++] = s->layouts[i];
    }
    s->n_layouts = n_kept;
    for (size_t i = 0; i < n_kept; i++)
        s->by_id[i] = (uint32_t)i;
    qsort_r(s->by_id, n_kept, sizeof *s->by_id, compare_ids, s->layouts);
    free(drop);
    return HSC_OK;
}

static hsc_status finish(hsc_schema *s, hsc_err *err) {
    size_t field = 0, attribute = 0, data = 0, deltas = 0;
    for (size_t i = 0; i < s->n_layouts; i++) {
        hsc_layout *l = &s->layouts[i];
        lay_out(l, s->fields + field);
        l->attributes = s->attributes + attribute;
        field += l->info.n_fields;
        attribute += l->n_attributes;
    }
    hsc_status status = sort_ids(s, err);
    if (status)
        return status;
    for (size_t i = 0; i < s->n_layouts; i++) {
        data += s->layouts[i].info.struct_bytes;
        deltas += s->layouts[i].n_deltas;
    }
    s->data = calloc(data + 1, 1);
    s->deltas = calloc(deltas + 1, sizeof *s->deltas);
    if (!s->data || !s->deltas)
        return hsc_err_set(err, HSC_E_MEMORY, "schema: no memory for %zu bytes", data + deltas * sizeof *s->deltas);
    data = deltas = 0;
    for (size_t i = 0; i < s->n_layouts; i++) {
        hsc_layout *l = &s->layouts[i];
        l->data = s->data + data;
        l->deltas = s->deltas + deltas;
        data += l->info.struct_bytes;
        deltas += l->n_deltas;
        if (l->info.id < 256)
            s->direct[l->info.id] = (uint32_t)i + 1;
    }
    return HSC_OK;
}

hsc_status hsc_schema_parse(const uint8_t *payload, size_t n, uint64_t id, hsc_schema **out, hsc_err *err) {
    hsc_status status = HSC_OK;
    hsc_schema *s = calloc(1, sizeof *s);
    parser ps = {.s = s};
    bool no_memory = false;
    if (s)
        s->texts = malloc(n + 1);
    if (!s || !s->texts) {
        status = hsc_err_set(err, HSC_E_MEMORY, "schema: no memory for %zu bytes", n);
        goto done;
    }
    s->id = id;
    /* records without fields have pointers, too */
    if (!hsc_grow(&s->fields, 0, &ps.fields_capacity, sizeof *s->fields) ||
        !hsc_grow(&s->attributes, 0, &ps.attributes_capacity, sizeof *s->attributes)) {
        status = hsc_err_set(err, HSC_E_MEMORY, "schema: out of memory");
        goto done;
    }
    for (const uint8_t *p = payload, *end = payload + n; p < end;) {
        uint64_t length, kind = 0;
        size_t at = (size_t)(p - payload);
        const uint8_t *body = hsc_uv_get(p, end, &length);
        if (!body || !length || length > (size_t)(end - body)) {
            note_bad(s, at, "its length goes beyond the chunk");
            break;
        }
        p = body + length;
        ps.why = NULL;
        body = hsc_uv_get(body, p, &kind);
        bool ok = body != NULL;
        if (ok && kind == HSC_SCHEMA_RECORD)
            ok = parse_record(&ps, body, p, &no_memory);
        else if (ok && kind == HSC_SCHEMA_ENUM)
            ok = parse_enum(&ps, body, p, &no_memory);
        if (no_memory) {
            status = hsc_err_set(err, HSC_E_MEMORY, "schema: out of memory");
            goto done;
        }
        if (!ok)
            note_bad(s, at, ps.why ? ps.why : "undecodable");
    }
    status = finish(s, err);
done:
    if (status) {
        hsc_schema_free(s);
        return status;
    }
    *out = s;
    return HSC_OK;
}

void hsc_schema_free(hsc_schema *s) {
    if (!s)
        return;
    free(s->layouts);
    free(s->enums);
    free(s->fields);
    free(s->attributes);
    free(s->texts);
    free(s->data);
    free(s->deltas);
    free(s->by_id);
    free(s->payload);
    free(s);
}

hsc_layout *hsc_schema_find(const hsc_schema *s, uint64_t record_id) {
    if (record_id < 256) {
        uint32_t i = s->direct[record_id];
        return i ? &s->layouts[i - 1] : NULL;
    }
    size_t low = 0, high = s->n_layouts;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        hsc_layout *l = &s->layouts[s->by_id[middle]];
        if (l->info.id == record_id)
            return l;
        if (l->info.id < record_id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
