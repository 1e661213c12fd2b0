/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a module's records as one group, module ... module_end, into the section of the object file that is not loaded. */
#include "pass.h"
#include "probe.h"
#include "why.h"

#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/tags.h>

static hsc_str str_of(hsc_ir_text t) {
    return (hsc_str){t.p, t.n < HSC_STRING_MAX_BYTES ? t.n : HSC_STRING_MAX_BYTES - 1};
}

typedef struct sink {
    hsc_buffer_writer *w;
    hsc_tags *tags;
    uint64_t records;
    hsc_status status;
    hsc_err err;
} sink;

static void put(sink *s, uint32_t id, const void *record) {
    if (s->status == HSC_OK)
        s->status = hsc_buffer_writer_put(s->w, id, record, &s->err);
    s->records++;
}

#define PUT_ALL(s, vector, name) \
    for (size_t i = 0; i < (vector).n; i++) \
    put((s), HSC_REC_##name, &(vector).p[i])

/* Records with tags: without those that follow from other records. */
#define PUT_TAGGED(s, vector, name) \
    for (size_t i = 0; i < (vector).n; i++) { \
        hsc_rec_##name r = (vector).p[i]; \
        if ((s)->status == HSC_OK) \
            (s)->status = hsc_tags_omit((s)->tags, HSC_REC_##name, &r, &(s)->err); \
        put((s), HSC_REC_##name, &r); \
    }

static void put_head(const hsc_pass *p, sink *s) {
    hsc_rec_module m = {
        .module_tag = p->module_tag,
        .name = str_of(p->unit.name),
        .directory = str_of(p->unit.directory),
        .language = p->unit.language,
        .producer = str_of(p->unit.producer),
        .pass_version = {HEATSCOPE_VERSION, strlen(HEATSCOPE_VERSION)},
        .level = {p->level, strlen(p->level)},
        .keying = p->keyed ? HSC_keying_DISCRIMINATOR : HSC_keying_LINE,
        .flags = p->module_flags,
        .place_base = p->place_base,
    };
    s->tags = hsc_tags_new(&s->err);
    s->status = s->tags ? hsc_tags_omit(s->tags, HSC_REC_module, &m, &s->err) : s->err.status;
    put(s, HSC_REC_module, &m);
    s->records = 0;
    PUT_ALL(s, p->link_units, link_unit);
    PUT_TAGGED(s, p->files, file);
    PUT_TAGGED(s, p->procedures, procedure);
    PUT_TAGGED(s, p->loops, loop);
    PUT_TAGGED(s, p->callsites, callsite);
}

static void put_group(hsc_pass *p, sink *s) {
    put_head(p, s);
    PUT_ALL(s, p->instances, loop_instance);
    PUT_ALL(s, p->inlines, inline);
    PUT_ALL(s, p->places, place);
    PUT_ALL(s, p->why.remarks, remark);
    PUT_ALL(s, p->why.dependences, dependence);
    PUT_ALL(s, p->why.memory_checks, memory_check);
    PUT_ALL(s, p->values, value);
    PUT_TAGGED(s, p->symbolics, symbolic);
    PUT_TAGGED(s, p->arrays, array);
    PUT_ALL(s, p->references, reference);
    PUT_ALL(s, p->messages, message);
    PUT_ALL(s, p->sections, section);
    PUT_ALL(s, p->datatypes, datatype);
    PUT_ALL(s, p->message_links, message_link);
    PUT_ALL(s, p->array_arguments, array_argument);
    PUT_ALL(s, p->directives, directive);
    PUT_ALL(s, p->runtime_calls, runtime_call);
    if (p->probes)
        PUT_ALL(s, p->probes->records, probe);
    hsc_rec_module_end end = {p->module_tag, s->records};
    put(s, HSC_REC_module_end, &end);
}

/* The bytes as text of an assembler: strings with octal escapes, runs of zeros as such. */
static char *assembly_of(const uint8_t *bytes, size_t size, size_t *length) {
    static const char head[] = ".pushsection " HSC_MAP_SECTION ",\"\",@progbits\n.p2align 3\n", tail[] = ".popsection\n";
    enum { PER_LINE = 256 };
    char *text = hsc_pass_alloc(sizeof head + sizeof tail + 4 * size + (size / PER_LINE + 1) * 16), *t = text;
    memcpy(t, head, sizeof head - 1);
    t += sizeof head - 1;
    for (size_t i = 0; i < size;) {
        size_t end = i + PER_LINE < size ? i + PER_LINE : size;
        memcpy(t, ".ascii \"", 8);
        t += 8;
        for (; i < end; i++) {
            uint8_t c = bytes[i];
            if (c >= 32 && c < 127 && c != '"' && c != '\\') {
                *t++ = (char)c;
            } else {
                *t++ = '\\';
                *t++ = (char)('0' + (c >> 6));
                *t++ = (char)('0' + (c >> 3 & 7));
                *t++ = (char)('0' + (c & 7));
            }
        }
        *t++ = '"';
        *t++ = '\n';
    }
    memcpy(t, tail, sizeof tail - 1);
    *length = (size_t)(t - text) + sizeof tail - 1;
    return text;
}

void hsc_emit_map(hsc_pass *p) {
    hsc_why_settle_exits(p);
    hsc_why_settle(p);
    sink s = {0};
    const uint8_t *bytes;
    size_t size;
    s.w = hsc_buffer_writer_new(HSC_CHUNK_STATIC, 0, false, &s.err);
    if (s.w) {
        hsc_buffer_writer_set_columns(s.w);
        put_group(p, &s);
        if (s.status == HSC_OK)
            s.status = hsc_buffer_writer_get_bytes(s.w, &bytes, &size, &s.err);
    }
    if (!s.w || s.status != HSC_OK) {
        hsc_ir_warn(p->module, s.err.text);
    } else {
        size_t length;
        char *text = assembly_of(bytes, size, &length);
        LLVMAppendModuleInlineAsm(p->module, text, length);
        free(text);
    }
    hsc_tags_free(s.tags);
    hsc_buffer_writer_free(s.w);
}

/* What the source looks like, once more: the map itself is text for the assembler there, and is not imported with the
 * functions of other modules. */
static void put_early(const hsc_pass *p, sink *s) {
    put_head(p, s);
    for (size_t i = 0; i < p->accesses.capacity; i++)
        if (p->accesses.keys[i] && p->accesses.values[i] > 1) {
            hsc_rec_early_access r = {.access = p->accesses.keys[i], .count = p->accesses.values[i]};
            put(s, HSC_REC_early_access, &r);
        }
    for (size_t i = 0; i < p->sites.n; i++)
        if (p->sites.p[i].copies_memory) {
            hsc_rec_early_access r = {.loop_id = i + 1};
            put(s, HSC_REC_early_access, &r);
        }
    hsc_rec_module_end end = {p->module_tag, s->records};
    put(s, HSC_REC_module_end, &end);
}

void hsc_emit_mark(hsc_pass *p) {
    sink s = {0};
    const uint8_t *bytes = NULL;
    size_t size = 0;
    if (p->for_link) {
        s.w = hsc_buffer_writer_new(HSC_CHUNK_STATIC, 0, false, &s.err);
        if (s.w) {
            hsc_buffer_writer_set_columns(s.w);
            put_early(p, &s);
            if (s.status == HSC_OK)
                s.status = hsc_buffer_writer_get_bytes(s.w, &bytes, &size, &s.err);
        }
        if (!s.w || s.status != HSC_OK) {
            hsc_ir_warn(p->module, s.err.text);
            bytes = NULL;
        }
    }
    hsc_ir_mark(p->module, p->module_tag, bytes, size);
    hsc_tags_free(s.tags);
    hsc_buffer_writer_free(s.w);
}
