/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of the map from either side: constants and polynomials of static records, symbols of dynamic ones. */
#include <heatscope/formats/values.h>

#include <heatscope/formats/tags.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32u
#define STEPS_MAX 100000u /* values looked at for one answer: hostile ones name each other many times */

typedef struct node {
    uint64_t kind, symbolic_id, loop_id;
    int64_t number;
    uint64_t *terms;
    size_t n_terms;
    char *text;
} node;

typedef struct module {
    uint64_t tag;
    node *values;
    size_t n_values;
    uint64_t *symbolic_tags; /* by symbolic id - 1 */
    size_t n_symbolics;
    bool again; /* the same module was there before: its records are left alone */
} module;

typedef struct place {
    uint64_t number, module_tag, tag;
} place;

typedef struct recorded {
    uint64_t number, time_ns;
    uint32_t stream;
    uint32_t order; /* of records with one time */
    int64_t value;
} recorded;

struct hsc_values {
    module *modules;
    size_t n_modules;
    place *places;
    size_t n_places;
    recorded *recorded;
    size_t n_recorded;
    bool is_sorted;
    bool open;
    hsc_tags *tags; /* of the open module */
};

/* Room for one more item; sizes are powers of two. */
static bool grow(void *list, size_t n, size_t item) {
    void **items = list;
    if (n & (n - 1))
        return true;
    void *p = realloc(*items, (n ? 2 * n : 1) * item);
    if (p)
        *items = p;
    return p != NULL;
}

hsc_status hsc_values_new(hsc_values **out, hsc_err *err) {
    hsc_values *v = calloc(1, sizeof *v);
    if (!v)
        return hsc_err_set(err, HSC_E_MEMORY, "values: out of memory");
    if (!(v->tags = hsc_tags_new(err))) {
        free(v);
        return HSC_E_MEMORY;
    }
    *out = v;
    return HSC_OK;
}

void hsc_values_free(hsc_values *v) {
    if (!v)
        return;
    for (size_t m = 0; m < v->n_modules; m++) {
        for (size_t i = 0; i < v->modules[m].n_values; i++) {
            free(v->modules[m].values[i].terms);
            free(v->modules[m].values[i].text);
        }
        free(v->modules[m].values);
        free(v->modules[m].symbolic_tags);
    }
    hsc_tags_free(v->tags);
    free(v->modules);
    free(v->places);
    free(v->recorded);
    free(v);
}

static hsc_status no_memory(hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "values: out of memory");
}

static hsc_status not_dense(const hsc_record *r, uint64_t expected, uint64_t got, hsc_err *err) {
    return hsc_err_set(err, HSC_E_FORMAT, "%s record at offset 0x%" PRIx64 ": id: expected %" PRIu64 ", got %" PRIu64,
                       r->name, r->offset, expected, got);
}

static module *find_module(const hsc_values *v, uint64_t tag) {
    for (size_t i = 0; i < v->n_modules; i++)
        if (v->modules[i].tag == tag && !v->modules[i].again)
            return &v->modules[i];
    return NULL;
}

static hsc_status take_value(module *m, const hsc_record *record, hsc_err *err) {
    const hsc_rec_value *r = record->value;
    if (m->again)
        return HSC_OK;
    if (r->value_id != m->n_values + 1)
        return not_dense(record, m->n_values + 1, r->value_id, err);
    node n = {.kind = r->kind, .symbolic_id = r->symbolic_id, .loop_id = r->loop_id, .number = r->number,
              .n_terms = r->terms.n};
    n.terms = calloc(r->terms.n + 1, sizeof *n.terms);
    n.text = calloc(r->text.n + 1, 1);
    if (!n.terms || !n.text || !grow(&m->values, m->n_values, sizeof *m->values)) {
        free(n.terms);
        free(n.text);
        return no_memory(err);
    }
    if (r->terms.n)
        memcpy(n.terms, r->terms.p, r->terms.n * sizeof *n.terms);
    if (r->text.n)
        memcpy(n.text, r->text.p, r->text.n);
    m->values[m->n_values++] = n;
    return HSC_OK;
}

/* A copy of a record, with the tag that the map leaves out. */
static hsc_status copy_tagged(hsc_values *v, const hsc_record *record, void *copy, size_t size, hsc_err *err) {
    memcpy(copy, record->value, size);
    return hsc_tags_fill(v->tags, record->record_id, copy, err);
}

hsc_status hsc_values_take(hsc_values *v, const hsc_record *record, hsc_err *err) {
    if (!record->value)
        return HSC_OK;
    module *m = v->open ? &v->modules[v->n_modules - 1] : NULL;
    switch (record->record_id) {
    case HSC_REC_module: {
        const hsc_rec_module *r = record->value;
        module new = {.tag = r->module_tag, .again = find_module(v, r->module_tag) != NULL};
        if (!grow(&v->modules, v->n_modules, sizeof *v->modules))
            return no_memory(err);
        v->modules[v->n_modules++] = new;
        v->open = true;
        hsc_rec_module copy;
        return copy_tagged(v, record, &copy, sizeof copy, err);
    }
#define TAGGED(name) \
    case HSC_REC_##name: { \
        hsc_rec_##name copy; \
        return copy_tagged(v, record, &copy, sizeof copy, err); \
    }
    TAGGED(file)
    TAGGED(procedure)
    TAGGED(loop)
    TAGGED(callsite)
#undef TAGGED
    case HSC_REC_module_end:
        v->open = false;
        return HSC_OK;
    case HSC_REC_value:
        return m ? take_value(m, record, err) : HSC_OK;
    case HSC_REC_symbolic: {
        hsc_rec_symbolic r;
        hsc_status status = copy_tagged(v, record, &r, sizeof r, err);
        if (!m || m->again || status)
            return status;
        if (r.symbolic_id != m->n_symbolics + 1)
            return not_dense(record, m->n_symbolics + 1, r.symbolic_id, err);
        if (!grow(&m->symbolic_tags, m->n_symbolics, sizeof *m->symbolic_tags))
            return no_memory(err);
        m->symbolic_tags[m->n_symbolics++] = r.tag;
        return HSC_OK;
    }
    case HSC_REC_symbolic_place: {
        const hsc_rec_symbolic_place *r = record->value;
        if (!grow(&v->places, v->n_places, sizeof *v->places))
            return no_memory(err);
        v->places[v->n_places++] = (place){r->number, r->module_tag, r->tag};
        return HSC_OK;
    }
    case HSC_REC_symbolic_value: {
        const hsc_rec_symbolic_value *r = record->value;
        if (!grow(&v->recorded, v->n_recorded, sizeof *v->recorded))
            return no_memory(err);
        v->recorded[v->n_recorded] = (recorded){r->number, r->time, record->stream, (uint32_t)v->n_recorded, r->value};
        v->n_recorded++;
        v->is_sorted = false;
        return HSC_OK;
    }
    default:
        return HSC_OK;
    }
}

static int compare(const void *a, const void *b) {
    const recorded *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void sort(hsc_values *v) {
    if (!v->is_sorted && v->n_recorded)
        qsort(v->recorded, v->n_recorded, sizeof *v->recorded, compare);
    v->is_sorted = true;
}

/* The first record of this place; those after it follow. NULL: none. */
static const recorded *find_first(hsc_values *v, uint64_t number) {
    sort(v);
    size_t low = 0, high = v->n_recorded;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (v->recorded[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->n_recorded && v->recorded[low].number == number ? &v->recorded[low] : NULL;
}

/* The newest record of this place that `when` allows; NULL: none. */
static const recorded *find_recorded(hsc_values *v, uint64_t number, const hsc_value_when *when) {
    sort(v);
    size_t low = 0, high = v->n_recorded; /* the first one after what is looked for */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const recorded *r = &v->recorded[middle];
        if (r->number < number || (r->number == number && r->time_ns <= when->time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    for (; low > 0 && v->recorded[low - 1].number == number; low--)
        if (when->stream == HSC_VALUE_ANY_STREAM || v->recorded[low - 1].stream == when->stream)
            return &v->recorded[low - 1];
    return NULL;
}

static int64_t unzigzag(uint64_t u) {
    return (int64_t)(u >> 1) ^ -(int64_t)(u & 1);
}

typedef struct asking {
    hsc_values *v;
    const module *m;
    const hsc_value_when *when;
    hsc_value_source source;
    const node *instead; /* of this symbol `value` is taken, not what was recorded; NULL: of none */
    int64_t value;
    const node *symbols[2]; /* met that have several values: the first two */
    unsigned n_symbols;
    bool is_listing; /* symbols are wanted */
    unsigned steps;
    hsc_err *err;
} asking;

static hsc_status get(asking *a, uint64_t id, unsigned depth, int64_t *out);

static uint64_t tag_of(const asking *a, const node *n) { /* of a symbol; 0: none */
    return n->symbolic_id && n->symbolic_id <= a->m->n_symbolics ? a->m->symbolic_tags[n->symbolic_id - 1] : 0;
}

static hsc_status get_polynomial(asking *a, const node *n, unsigned depth, int64_t *out) {
    int64_t sum = n->number;
    for (size_t i = 0; i < n->n_terms;) {
        int64_t product = unzigzag(n->terms[i++]), factor = 0;
        uint64_t factors = i < n->n_terms ? n->terms[i++] : 0;
        if (factors > n->n_terms - i)
            return hsc_err_set(a->err, HSC_E_FORMAT, "value %s: a term names %" PRIu64 " factors and has %zu", n->text,
                               factors, n->n_terms - i);
        for (; factors; factors--) {
            hsc_status status = get(a, n->terms[i++], depth + 1, &factor);
            if (status != HSC_OK)
                return status;
            if (__builtin_mul_overflow(product, factor, &product))
                return hsc_err_set(a->err, HSC_E_LIMIT, "value %s: does not fit 64 bits", n->text);
        }
        if (__builtin_add_overflow(sum, product, &sum))
            return hsc_err_set(a->err, HSC_E_LIMIT, "value %s: does not fit 64 bits", n->text);
    }
    *out = sum;
    return HSC_OK;
}

/* Has more than one value been recorded of it? */
static bool is_changing(const asking *a, const node *n) {
    const recorded *first = NULL;
    uint64_t tag = tag_of(a, n);
    for (size_t i = 0; tag && i < a->v->n_places; i++) {
        const place *p = &a->v->places[i];
        if (p->tag != tag || p->module_tag != a->m->tag)
            continue;
        for (const recorded *r = find_first(a->v, p->number); r && r < a->v->recorded + a->v->n_recorded && r->number == p->number; r++) {
            if (first && r->value != first->value)
                return true;
            first = first ? first : r;
        }
    }
    return false;
}

static hsc_status get_symbol(asking *a, const node *n, int64_t *out) {
    if (a->instead && tag_of(a, n) == tag_of(a, a->instead)) {
        a->source = HSC_VALUE_DYNAMIC;
        *out = a->value;
        return HSC_OK;
    }
    uint64_t tag = tag_of(a, n);
    const recorded *newest = NULL;
    for (size_t i = 0; tag && i < a->v->n_places; i++) {
        const place *p = &a->v->places[i];
        const recorded *r =
            p->tag == tag && p->module_tag == a->m->tag ? find_recorded(a->v, p->number, a->when) : NULL;
        if (r && (!newest || r->time_ns >= newest->time_ns))
            newest = r;
    }
    if (!newest)
        return hsc_err_set(a->err, HSC_E_MISSING, "value %s: not recorded", n->text);
    if (a->is_listing && a->n_symbols < 2 && !(a->n_symbols && tag_of(a, a->symbols[0]) == tag) && is_changing(a, n))
        a->symbols[a->n_symbols++] = n;
    a->source = HSC_VALUE_DYNAMIC;
    *out = newest->value;
    return HSC_OK;
}

static hsc_status get(asking *a, uint64_t id, unsigned depth, int64_t *out) {
    if (!id || id > a->m->n_values)
        return hsc_err_set(a->err, HSC_E_ARGUMENT, "value: expected an id of 1 to %zu, got %" PRIu64, a->m->n_values, id);
    const node *n = &a->m->values[id - 1];
    if (depth > DEPTH_MAX || ++a->steps > STEPS_MAX)
        return hsc_err_set(a->err, HSC_E_LIMIT, "value %s: more than %u values inside each other", n->text, DEPTH_MAX);
    switch (n->kind) {
    case HSC_value_kind_CONSTANT:
        *out = n->number;
        return HSC_OK;
    case HSC_value_kind_SYMBOL:
        return get_symbol(a, n, out);
    case HSC_value_kind_ITERATION:
        if (a->when->iteration && a->when->iteration(a->when->ctx, a->m->tag, n->loop_id, out))
            return HSC_OK;
        return hsc_err_set(a->err, HSC_E_MISSING, "value %s: the iteration of its loop is not given", n->text);
    case HSC_value_kind_POLYNOMIAL:
        return get_polynomial(a, n, depth, out);
    default:
        return hsc_err_set(a->err, HSC_E_MISSING, "value %s: only its text is known", n->text);
    }
}

hsc_status hsc_values_get(hsc_values *v, uint64_t module_tag, uint64_t value_id, const hsc_value_when *when,
                          int64_t *out, hsc_value_source *source, hsc_err *err) {
    static const hsc_value_when last = {.time_ns = UINT64_MAX, .stream = HSC_VALUE_ANY_STREAM};
    asking a = {.v = v, .m = find_module(v, module_tag), .when = when ? when : &last, .source = HSC_VALUE_STATIC,
                .err = err};
    int64_t number = 0;
    if (!a.m)
        return hsc_err_set(err, HSC_E_ARGUMENT, "value: no module %016" PRIx64, module_tag);
    hsc_status status = get(&a, value_id, 0, &number);
    if (status != HSC_OK)
        return status;
    *out = number;
    if (source)
        *source = a.source;
    return HSC_OK;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The values that were recorded of the symbol, rising, each once. */
static hsc_status list_recorded(asking *a, const node *symbol, int64_t **out, size_t *n) {
    uint64_t tag = tag_of(a, symbol);
    int64_t *list = NULL;
    size_t all = 0, kept = 0;
    for (size_t i = 0; i < a->v->n_places; i++) {
        const place *p = &a->v->places[i];
        if (p->tag != tag || p->module_tag != a->m->tag)
            continue;
        for (const recorded *r = find_first(a->v, p->number); r && r < a->v->recorded + a->v->n_recorded && r->number == p->number; r++) {
            if (!grow(&list, all, sizeof *list)) {
                free(list);
                return no_memory(a->err);
            }
            list[all++] = r->value;
        }
    }
    if (all)
        qsort(list, all, sizeof *list, by_value);
    for (size_t i = 0; i < all; i++)
        if (!kept || list[i] != list[kept - 1])
            list[kept++] = list[i];
    *out = list;
    *n = kept;
    return HSC_OK;
}

hsc_status hsc_values_get_all(hsc_values *v, uint64_t module_tag, uint64_t value_id, int64_t **out, size_t *n, hsc_err *err) {
    static const hsc_value_when last = {.time_ns = UINT64_MAX, .stream = HSC_VALUE_ANY_STREAM};
    asking a = {.v = v, .m = find_module(v, module_tag), .when = &last, .is_listing = true, .err = err};
    int64_t number = 0, *list = NULL;
    size_t all = 0, kept = 0;
    if (!a.m)
        return hsc_err_set(err, HSC_E_ARGUMENT, "value: no module %016" PRIx64, module_tag);
    hsc_status status = get(&a, value_id, 0, &number);
    if (status == HSC_OK && a.n_symbols == 1)
        status = list_recorded(&a, a.symbols[0], &list, &all);
    else if (status == HSC_OK && !a.n_symbols && !(list = malloc(sizeof *list)))
        status = no_memory(err);
    if (status == HSC_OK && !a.n_symbols)
        list[kept++] = number;
    a.instead = a.symbols[0];
    a.is_listing = false;
    for (size_t i = 0; i < all && status == HSC_OK; i++) {
        a.value = list[i];
        a.steps = 0;
        status = get(&a, value_id, 0, &list[kept++]);
    }
    if (status != HSC_OK) {
        free(list);
        return status;
    }
    if (kept)
        qsort(list, kept, sizeof *list, by_value);
    *n = 0;
    for (size_t i = 0; i < kept; i++)
        if (!*n || list[i] != list[*n - 1])
            list[(*n)++] = list[i];
    *out = list;
    return HSC_OK;
}

const char *hsc_values_get_text(const hsc_values *v, uint64_t module_tag, uint64_t value_id) {
    const module *m = find_module(v, module_tag);
    if (!value_id)
        return "?";
    return m && value_id <= m->n_values ? m->values[value_id - 1].text : NULL;
}
