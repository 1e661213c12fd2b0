/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Probes, blocks, phases, counters and what measuring cost, as text and as rows. Probes' own cost is taken out of their times. */
#include <heatscope/formats/records.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_rows.h"

static hsc_status no_memory(const report *r, hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path); }

/* ---- probes and blocks ---- */

typedef struct counted { /* of a probe, or of a block; seconds of elapsed time, the probes' own cost taken out */
    uint32_t row, threads;
    uint64_t visits, left;
    double inclusive_s, exclusive_s, duration_s, clock_s, min_s, max_s, squares, cost_s; /* clock_s: duration_s with what probes cost; so are min_s, max_s, squares */
    double inclusive_low_s, inclusive_high_s, exclusive_low_s, exclusive_high_s; /* their 95 % intervals, for what notes cost is estimated */
    uint32_t last_thread;
    bool seen;
    report_over over; /* inclusive_s by thread; where asked for, as the quantiles of one visit */
    hsc_db_quantile median, p95;
} counted;

typedef struct counts {
    counted *probes, *blocks;
    uint32_t n_probes, n_blocks;
} counts;

static void add(counted *c, const hsc_db_visit *v) {
    if (v->visits) {
        c->min_s = c->seen && c->min_s < v->duration_min_s ? c->min_s : v->duration_min_s;
        c->max_s = c->max_s > v->duration_max_s ? c->max_s : v->duration_max_s;
        c->seen = true;
    }
    c->threads += c->last_thread != v->thread + 1;
    c->last_thread = v->thread + 1;
    c->visits += v->visits;
    c->left += v->left;
    c->exclusive_s += v->exclusive_s - v->exclusive_cost_s;
    c->duration_s += v->duration_s - v->cost_s;
    c->clock_s += v->duration_s;
    c->squares += v->duration_squares;
    c->cost_s += v->exclusive_cost_s;
    c->exclusive_low_s += v->exclusive_s - v->exclusive_cost_most_s; /* ends are added: what makes one too small makes others so */
    c->exclusive_high_s += v->exclusive_s - v->exclusive_cost_least_s;
}

static void add_inner(counted *to, const counted *c) {
    to->inclusive_s += c->exclusive_s;
    to->inclusive_low_s += c->exclusive_low_s;
    to->inclusive_high_s += c->exclusive_high_s;
}

static hsc_status load(report *r, counts *c, hsc_err *err) {
    c->n_probes = hsc_db_count_told(r->db, HSC_TOLD_PROBES);
    c->n_blocks = hsc_db_count_told(r->db, HSC_TOLD_BLOCKS);
    c->probes = calloc((size_t)c->n_probes + 1, sizeof *c->probes);
    c->blocks = calloc((size_t)c->n_blocks + 1, sizeof *c->blocks);
    hsc_status s = c->probes && c->blocks ? HSC_OK : no_memory(r, err);
    for (uint32_t i = 0; !s && i < hsc_db_count_told(r->db, HSC_TOLD_VISITS); i++) {
        hsc_db_visit v;
        hsc_db_block b;
        s = hsc_db_get_visit(r->db, i, &v, err);
        if (!s)
            s = hsc_db_get_block(r->db, v.block, &b, err);
        if (s)
            break;
        add(&c->blocks[v.block], &v);
        add(&c->probes[b.probe], &v);
    }
    for (uint32_t i = 0; !s && i < c->n_blocks; i++) { /* each scope of the stack once: a recursion counts once */
        hsc_db_block b, up;
        c->blocks[i].row = i;
        s = hsc_db_get_block(r->db, i, &b, err);
        for (uint32_t at = i; !s && at != HSC_NONE;) {
            bool inner = false;
            s = hsc_db_get_block(r->db, at, &b, err);
            for (uint32_t k = i; !s && k != at; k = up.parent) {
                s = hsc_db_get_block(r->db, k, &up, err);
                inner = inner || up.probe == b.probe;
            }
            if (!s && !inner)
                add_inner(&c->probes[b.probe], &c->blocks[i]);
            if (!s)
                add_inner(&c->blocks[at], &c->blocks[i]);
            at = b.parent;
        }
    }
    for (uint32_t i = 0; i < c->n_probes && c->probes; i++)
        c->probes[i].row = i;
    return s;
}

typedef struct part { /* inclusive seconds of a probe or block in a thread */
    uint32_t row, thread;
    double seconds;
} part;

static int by_part(const void *pa, const void *pb) {
    const part *a = pa, *b = pb;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* One for each visit and each scope of its stack, a probe once: *list is malloc'ed. */
static hsc_status list_parts(const report *r, bool blocks, part **list, size_t *n, hsc_err *err) {
    size_t room = 0;
    hsc_status s = HSC_OK;
    *list = NULL;
    *n = 0;
    for (uint32_t i = 0; !s && i < hsc_db_count_told(r->db, HSC_TOLD_VISITS); i++) {
        hsc_db_visit v;
        hsc_db_block b = {HSC_NONE, 0, 0};
        size_t first = *n;
        s = hsc_db_get_visit(r->db, i, &v, err);
        for (uint32_t at = v.block; !s && at != HSC_NONE; at = b.parent) {
            bool inner = false;
            if ((s = hsc_db_get_block(r->db, at, &b, err)))
                break;
            uint32_t row = blocks ? at : b.probe;
            for (size_t k = first; k < *n && !inner; k++)
                inner = (*list)[k].row == row;
            if (inner)
                continue;
            if (*n == room) {
                part *more = realloc(*list, (room = 2 * room + 64) * sizeof *more);
                if (!more)
                    return no_memory(r, err);
                *list = more;
            }
            (*list)[(*n)++] = (part){row, v.thread, v.exclusive_s - v.exclusive_cost_s};
        }
    }
    return s;
}

static hsc_status set_spread(report *r, bool blocks, counted *of, hsc_err *err) {
    part *list;
    size_t n, next;
    hsc_status s = list_parts(r, blocks, &list, &n, err);
    if (!s && n > 1)
        qsort(list, n, sizeof *list, by_part);
    for (size_t i = 0; !s && i < n; i = next) {
        double seconds = 0;
        for (next = i; next < n && !by_part(&list[i], &list[next]); next++)
            seconds += list[next].seconds;
        report_over_add(r->db, &r->pool, &of[list[i].row].over, list[i].thread, seconds);
    }
    free(list);
    return s;
}

/* row: of the block that it is a visit of, or of that one's probe. */
static hsc_status get_visit(const report *r, bool blocks, uint32_t i, hsc_db_visit *v, uint32_t *row, hsc_err *err) {
    hsc_db_block b = {0};
    hsc_status s = hsc_db_get_visit(r->db, i, v, err);
    if (!s && !blocks)
        s = hsc_db_get_block(r->db, v->block, &b, err);
    *row = blocks ? v->block : b.probe;
    return s;
}

/* *out: of each row exclusive seconds by category, without what probes cost, whose time is taken to be spread as the visit's is. To be freed. */
static hsc_status list_categories(const report *r, bool blocks, uint32_t n, double **out, hsc_err *err) {
    const uint32_t k = r->info.categories;
    double *list = *out = calloc((size_t)n * k + 1, sizeof *list), *one = calloc((size_t)k + 1, sizeof *one);
    hsc_status s = list && one ? HSC_OK : no_memory(r, err);
    for (uint32_t i = 0; !s && i < hsc_db_count_told(r->db, HSC_TOLD_VISITS); i++) {
        hsc_db_visit v;
        uint32_t row;
        s = get_visit(r, blocks, i, &v, &row, err);
        if (!s)
            s = hsc_db_read_visit_categories(r->db, i, one, err);
        for (uint32_t c = 0; !s && c < k && v.exclusive_s > 0; c++)
            list[(size_t)row * k + c] += one[c] * (v.exclusive_s - v.exclusive_cost_s) / v.exclusive_s;
    }
    free(one);
    return s;
}

static hsc_status set_quantiles(const report *r, bool blocks, counted *of, uint32_t n, hsc_err *err) {
    uint64_t (*histograms)[HSC_BUCKETS] = calloc((size_t)n + 1, sizeof *histograms), one[HSC_BUCKETS];
    hsc_status s = histograms ? HSC_OK : no_memory(r, err);
    for (uint32_t i = 0; !s && i < hsc_db_count_told(r->db, HSC_TOLD_VISITS); i++) {
        hsc_db_visit v;
        uint32_t row;
        s = get_visit(r, blocks, i, &v, &row, err);
        if (!s)
            s = hsc_db_read_visit_histogram(r->db, i, one, err);
        for (unsigned k = 0; !s && k < HSC_BUCKETS; k++)
            histograms[row][k] += one[k];
    }
    for (uint32_t i = 0; !s && i < n; i++) {
        hsc_db_histogram_quantile(histograms[i], of[i].min_s, of[i].max_s, 0.5, &of[i].median);
        hsc_db_histogram_quantile(histograms[i], of[i].min_s, of[i].max_s, 0.95, &of[i].p95);
    }
    free(histograms);
    return s;
}

static void clear(counts *c) {
    free(c->probes);
    free(c->blocks);
}

static int longest(const void *pa, const void *pb) {
    const counted *a = pa, *b = pb;
    if (a->inclusive_s != b->inclusive_s)
        return a->inclusive_s > b->inclusive_s ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static bool wanted(const report *r, const hsc_db_probe *p) {
    return !r->where || strstr(p->name, r->where) || strstr(p->file, r->where);
}

/* In an interval: not those that nothing happened in. */
static bool is_in(const report *r, const counted *c) {
    double begin_s, end_s;
    return c->visits || c->inclusive_s > 0 || !hsc_db_get_interval(r->db, &begin_s, &end_s);
}

/* "procedure solve jacobi.c:42" */
static void name_probe(const hsc_db_probe *p, int width, char *out, size_t size) {
    char where[200] = "", name[400];
    if (p->file[0])
        snprintf(where, sizeof where, " %.150s:%u", p->file, p->line);
    const char *kind = p->kind == HSC_PROBE_USER_SCOPE ? "scope" : p->kind_text;
    int room = width - report_columns_of(where) - report_columns_of(kind) - 1;
    snprintf(out, size, "%s %s%s", kind, report_fit(p->name, room > 8 ? room : 8, name, sizeof name), where);
}

static bool has_inlined(const hsc_db_probe *p) { return p->kind != HSC_PROBE_USER_SCOPE && p->flags & HSC_probe_flag_INLINED_COPIES; }

/* Where some were disarmed: what that means for the numbers. */
static hsc_status put_partial(report *r, bool doubtful, hsc_err *err) {
    uint32_t n = 0, inlined = 0;
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; !s && i < hsc_db_count_told(r->db, HSC_TOLD_PROBES); i++) {
        hsc_db_probe p;
        if (!(s = hsc_db_get_probe(r->db, i, &p, err))) {
            n += p.disarmed != 0;
            inlined += has_inlined(&p);
        }
    }
    if (!s && doubtful)
        fputs("  ~: known to the interval below (inclusive time): what notes take of\n"
              "  such short visits depends on the code round them. Samples of a run with\n"
              "  --disarm=all know better.\n", r->out);
    if (!s && inlined)
        fputs("  inlined: the compiler also made copies of it in its callers. These have no\n"
              "  probe: their visits are not counted.\n", r->out);
    if (!s && n)
        fprintf(r->out, "  until: %u probe%s disarmed while the program ran (automatic ones that cost too much, or by command). Numbers end there;\n"
                        "  later time of these places is exclusive time of the scopes round them.\n", n, n == 1 ? " was" : "s were");
    return s;
}

/* Two figures of what probes cost, each with its name, and what else the times have in them. */
static void put_taken_out(report *r, double taken_s, double given_s) {
    double all_s = 0, line_s = 0;
    hsc_db_cost cost;
    hsc_db_thread thread;
    char text[700];
    for (uint32_t i = 0; i < hsc_db_count_told(r->db, HSC_TOLD_COSTS); i++)
        all_s += hsc_db_get_cost(r->db, i, &cost, NULL) ? 0 : cost.probes_s;
    for (uint32_t i = 0; i < r->info.threads; i++)
        line_s += !hsc_db_get_thread(r->db, i, &thread, NULL) && thread.runnable_s > 0 ? thread.runnable_s : 0;
    int at = snprintf(text, sizeof text, "Of what probes took, %.3f s is in these scopes' times by the clock, and taken out", taken_s);
    if (taken_s > all_s && line_s > 0)
        at += snprintf(text + at, sizeof text - (size_t)at, "; ~%.3f s of that is CPU time (--by=cost), the rest the part that they have in the time in which threads stood in line for a processor", all_s);
    else if (all_s > taken_s)
        at += snprintf(text + at, sizeof text - (size_t)at, "; ~%.3f s in all (--by=cost), the rest of it in the code round the scopes and in making visits of the notes", all_s);
    if (given_s >= 0.0005)
        at += snprintf(text + at, sizeof text - (size_t)at, ". ~%.3f s of very short visits, which the clock laid to the code round them, is put back, by the samples", given_s);
    if (line_s > 0.05 * r->info.wall_s)
        at += snprintf(text + at, sizeof text - (size_t)at, ". Threads stood in line for a processor for %.3f s: elapsed times have %s", line_s, taken_s > all_s ? "the program's own part of it" : "what fell into them");
    snprintf(text + at, sizeof text - (size_t)at, ".");
    report_text_wrap(r->out, r->width, text, 1, fprintf(r->out, " "));
}

static void head(report *r, const char *title, const counts *c) {
    double cost = 0, given = 0;
    for (uint32_t i = 0; i < c->n_probes; i++) {
        cost += fmax(0, c->probes[i].cost_s);
        given -= fmin(0, c->probes[i].cost_s);
    }
    fprintf(r->out, "\n%s: elapsed time of all threads, without what probes took\n", title);
    if (!c->n_probes) {
        fputs("  none: 'heatscope cc --probe' inserts them, heatscope.h has them for the source\n", r->out);
        return;
    }
    put_taken_out(r, cost, given);
    fprintf(r->out, "   incl s    excl s    visits    mean us     max us  scope\n");
}

/* ", inlined, until 0.012 s in 3 processes" */
static int put_until(const hsc_db_probe *p, char *out, size_t size) {
    int at = snprintf(out, size, "%s", has_inlined(p) ? ", inlined" : "");
    if (p->disarmed == 1)
        at += snprintf(out + at, size - (size_t)at, ", until %.3f s", p->disarmed_s);
    else if (p->disarmed)
        at += snprintf(out + at, size - (size_t)at, ", from %.3f s on not in %u processes", p->disarmed_s, p->disarmed);
    return at;
}

static double net_visit(const counted *c, double seconds) { return hsc_db_visit_without_cost(seconds, c->clock_s, fmax(0, c->duration_s), (double)c->visits); }

static double longest_s(const counted *c) { return fmin(net_visit(c, c->max_s), fmax(0, c->duration_s)); } /* no longer than all together */

#define DOUBTFUL 0.1 /* of a time: marked */

static bool is_doubtful(double seconds, double low_s, double high_s) {
    double doubt_s = fmax(high_s - seconds, seconds - low_s);
    return doubt_s > DOUBTFUL * seconds && doubt_s >= 0.0005;
}

static void put_marked(report *r, int width, int digits, double number, bool doubtful) {
    char text[40];
    snprintf(text, sizeof text, "%s%.*f", doubtful ? "~" : "", digits, number);
    fprintf(r->out, "%*s ", width, text);
}

/* Whether its time is marked as doubtful. */
static bool put_counted(report *r, const counted *c, int indent, const hsc_db_probe *p) {
    char name[800], until[80];
    bool of_all = is_doubtful(c->inclusive_s, c->inclusive_low_s, c->inclusive_high_s);
    double mean = c->visits ? 1e6 * c->duration_s / (double)c->visits : 0;
    int taken = put_until(p, until, sizeof until);
    name_probe(p, r->width - 54 - indent - taken, name, sizeof name - sizeof until);
    strcat(name, until);
    put_marked(r, 9, 3, c->inclusive_s, of_all);
    put_marked(r, 9, 3, c->exclusive_s, is_doubtful(c->exclusive_s, c->exclusive_low_s, c->exclusive_high_s));
    fprintf(r->out, "%9llu ", (unsigned long long)c->visits);
    put_marked(r, 10, mean < 1 ? 4 : mean < 100 ? 2 : 0, mean, of_all);
    fprintf(r->out, "%10.*f  %*s%s\n", longest_s(c) < 1e-4 ? 2 : 0, 1e6 * longest_s(c), indent, "", name);
    if (of_all)
        fprintf(r->out, "    %.3f to %.3f (95 %%)\n", fmax(0, c->inclusive_low_s), c->inclusive_high_s);
    return of_all;
}

/* What the automatic choice took and what --probe names nowhere, once for each program: its processes say the same. free() *list; texts are borrowed. */
static hsc_status find_choices(report *r, const char ***list, uint32_t *count, hsc_err *err) {
    static const char about[] = "probes: ";
    uint32_t all = hsc_db_count_told(r->db, HSC_TOLD_NOTES), n = 0;
    const char **said = calloc((size_t)all + 1, sizeof *said);
    hsc_status s = said ? HSC_OK : no_memory(r, err);
    for (uint32_t i = 0; !s && i < all; i++) {
        hsc_db_note note;
        if ((s = hsc_db_get_note(r->db, i, &note, err)) || note.kind != HSC_NOTE_SAID || strncmp(note.text, about, sizeof about - 1) != 0)
            continue;
        bool known = false;
        for (uint32_t k = 0; k < n && !known; k++)
            known = !strcmp(said[k], note.text + sizeof about - 1);
        if (!known)
            said[n++] = note.text + sizeof about - 1;
    }
    *list = said;
    *count = n;
    return s;
}

static hsc_status put_choices(report *r, hsc_err *err) {
    const char **said;
    uint32_t n;
    hsc_status s = find_choices(r, &said, &n, err);
    for (uint32_t i = 0; !s && i < n; i++)
        report_text_wrap(r->out, r->width, said[i], 4, fprintf(r->out, " "));
    free(said);
    return s;
}

hsc_status report_text_probes(report *r, hsc_err *err) {
    counts c = {0};
    uint32_t shown = 0;
    bool doubtful = false;
    hsc_status s = load(r, &c, err);
    if (!s)
        head(r, "Probes", &c);
    if (!s && c.n_probes > 1)
        qsort(c.probes, c.n_probes, sizeof *c.probes, longest);
    for (uint32_t i = 0; !s && i < c.n_probes && (!r->top || shown < r->top); i++) {
        hsc_db_probe p;
        s = hsc_db_get_probe(r->db, c.probes[i].row, &p, err);
        if (s || !wanted(r, &p) || !is_in(r, &c.probes[i]))
            continue;
        doubtful = put_counted(r, &c.probes[i], 0, &p) || doubtful;
        shown++;
    }
    if (!s && !shown && c.n_probes)
        fputs("  none\n", r->out);
    if (!s && shown)
        s = put_partial(r, doubtful, err);
    if (!s)
        s = put_choices(r, err);
    clear(&c);
    return s;
}

/* Children of `parent` with what is inside them, the longest first. */
static hsc_status put_blocks(report *r, const counts *c, uint32_t parent, int depth, uint32_t *shown, bool *doubtful, hsc_err *err) {
    counted *list = malloc(((size_t)c->n_blocks + 1) * sizeof *list);
    uint32_t n = 0;
    hsc_status s = list ? HSC_OK : no_memory(r, err);
    for (uint32_t i = parent == HSC_NONE ? 0 : parent + 1; !s && i < c->n_blocks; i++) {
        hsc_db_block b;
        s = hsc_db_get_block(r->db, i, &b, err);
        if (!s && b.parent == parent && is_in(r, &c->blocks[i]))
            list[n++] = c->blocks[i];
    }
    if (n > 1)
        qsort(list, n, sizeof *list, longest);
    for (uint32_t i = 0; !s && i < n && (!r->top || *shown < 4 * r->top); i++) {
        hsc_db_block b;
        hsc_db_probe p;
        s = hsc_db_get_block(r->db, list[i].row, &b, err);
        if (!s)
            s = hsc_db_get_probe(r->db, b.probe, &p, err);
        if (s)
            break;
        *doubtful = put_counted(r, &list[i], 2 * (depth < 10 ? depth : 10), &p) || *doubtful;
        ++*shown;
        if (depth < 200)
            s = put_blocks(r, c, list[i].row, depth + 1, shown, doubtful, err);
    }
    free(list);
    return s;
}

hsc_status report_text_blocks(report *r, hsc_err *err) {
    counts c = {0};
    uint32_t shown = 0;
    bool doubtful = false;
    hsc_status s = load(r, &c, err);
    if (!s) {
        head(r, "Blocks", &c);
        s = put_blocks(r, &c, HSC_NONE, 0, &shown, &doubtful, err);
        if (!shown && c.n_probes)
            fputs("  none\n", r->out);
    }
    if (!s && shown)
        s = put_partial(r, doubtful, err);
    clear(&c);
    return s;
}

/* ---- phases ---- */

typedef struct phase {
    const char *name;
    uint32_t times, processes, last_process;
    double elapsed_s, longest_s, first_s;
    hsc_weighted cpu;
} phase;

static hsc_status cpu_of(report *r, const hsc_db_when *at, hsc_weighted *out, hsc_err *err) {
    hsc_db_process p;
    hsc_status s = hsc_db_get_process(r->db, at->process, &p, err);
    for (uint32_t t = 0; !s && t < p.threads; t++) {
        hsc_db_samples *cursor = NULL;
        hsc_db_sample list[256];
        uint32_t n = 1;
        s = hsc_db_samples_open(r->db, p.first_thread + t, at->begin_s, at->end_s, &cursor, err);
        while (!s && n && !(s = hsc_db_samples_next(cursor, 256, list, &n, err)))
            for (uint32_t i = 0; i < n; i++)
                if (list[i].metric == r->metric) {
                    out->sum += list[i].count;
                    out->excess += (double)list[i].count * (list[i].count - 1.0);
                }
        if (cursor)
            hsc_db_samples_close(cursor);
    }
    return s;
}

static hsc_status load_phases(report *r, phase **out, uint32_t *n, bool *has_cpu, hsc_err *err) {
    uint32_t all = hsc_db_count_told(r->db, HSC_TOLD_PHASES);
    hsc_db_times times = {0};
    phase *list = calloc((size_t)all + 1, sizeof *list);
    hsc_status s = list ? HSC_OK : no_memory(r, err);
    *n = 0;
    *has_cpu = !hsc_db_get_times(r->db, &times, NULL) && times.present && !r->unit.exact;
    for (uint32_t i = 0; !s && i < all; i++) {
        hsc_db_phase at;
        hsc_db_when inside;
        double length = 0;
        uint32_t k = 0, next = 0;
        s = hsc_db_get_phase(r->db, i, &at, err);
        while (!s && k < *n && strcmp(list[k].name, at.name))
            k++;
        if (s || (r->where && !strstr(at.name, r->where)))
            continue;
        phase *p = &list[k];
        while (!s && hsc_db_next_inside(r->db, at.process, at.begin_s, at.end_s, &next, &inside)) {
            if (k == *n) {
                *p = (phase){.name = at.name, .first_s = inside.begin_s};
                ++*n;
            }
            p->first_s = inside.begin_s < p->first_s ? inside.begin_s : p->first_s;
            length += inside.end_s - inside.begin_s;
            if (*has_cpu)
                s = cpu_of(r, &inside, &p->cpu, err);
        }
        if (!(length > 0))
            continue;
        p->times++;
        p->processes += p->last_process != at.process + 1;
        p->last_process = at.process + 1;
        p->elapsed_s += length;
        p->longest_s = length > p->longest_s ? length : p->longest_s;
    }
    if (s)
        free(list);
    else
        *out = list;
    return s;
}

hsc_status report_text_phases(report *r, hsc_err *err) {
    phase *list;
    uint32_t n;
    bool has_cpu;
    char name[300];
    hsc_status s = load_phases(r, &list, &n, &has_cpu, err);
    if (s)
        return s;
    fprintf(r->out, "\nPhases that the program told: elapsed time, added over processes, and %s\n", r->unit.name);
    fprintf(r->out, " elapsed s  longest s   times  %9s   %-17s  phase\n", r->unit.unit, "95 % interval");
    for (uint32_t i = 0; i < n; i++) {
        double low, high;
        report_interval(r, list[i].cpu, &low, &high);
        fprintf(r->out, "%10.3f %10.3f %7u  ", list[i].elapsed_s, list[i].longest_s, list[i].times);
        if (has_cpu)
            fprintf(r->out, "%9.3f %7.3f to %7.3f  ", list[i].cpu.sum * r->unit.scale, low * r->unit.scale, high * r->unit.scale);
        else
            fprintf(r->out, "%9s %18s  ", "-", "");
        fprintf(r->out, "%s\n", report_fit_prose(list[i].name, r->width - 61, name, sizeof name));
    }
    if (!n)
        fputs("  none: a program tells them by heatscope.h\n", r->out);
    free(list);
    return HSC_OK;
}

/* ---- counters and cost ---- */

hsc_status report_text_counters(report *r, hsc_err *err) {
    uint32_t n = hsc_db_count_told(r->db, HSC_TOLD_COUNTERS), shown = 0;
    hsc_status s = HSC_OK;
    fprintf(r->out, "\nCounters that the program told\n  values       first        last         min        mean         max  counter\n");
    for (uint32_t i = 0; !s && i < n && (!r->top || shown < r->top); i++) {
        hsc_db_counter c;
        char who[96], name[300];
        s = hsc_db_get_counter(r->db, i, &c, err);
        if (s || !c.values || (r->where && !strstr(c.name, r->where)))
            continue;
        report_processor(r, HSC_AXIS_THREAD, c.thread, who, sizeof who);
        fprintf(r->out, "%8llu %11.5g %11.5g %11.5g %11.5g %11.5g", (unsigned long long)c.values, c.first, c.last, c.min,
                c.values ? c.sum / (double)c.values : 0, c.max);
        if (r->info.threads > 1)
            snprintf(name, sizeof name, "%.150s, %s", c.name, who);
        else
            snprintf(name, sizeof name, "%.250s", c.name);
        bool fits = (int)strlen(name) <= r->width - 71; /* else it has a line of its own */
        fprintf(r->out, "%s%s\n", fits ? "  " : "\n          ", name);
        shown++;
    }
    if (!s && !shown)
        fputs("  none: a program tells them by heatscope.h\n", r->out);
    return s;
}

static double in_thread(const hsc_db_cost *c) { return c->handler_s + c->signals_s + c->probes_s + c->wrappers_s + c->switches_s; }

hsc_status report_text_cost(report *r, hsc_err *err) {
    uint32_t n = hsc_db_count_told(r->db, HSC_TOLD_COSTS);
    hsc_status s = HSC_OK;
    fprintf(r->out, "\nWhat measuring cost, in seconds of CPU time; net: the thread's own\n"
                    "beside: helper, start and end of the process, in its first thread's row\n"
                    "   cpu s    net s     %% handler signals  probes wrapper  switch  beside thread\n");
    for (uint32_t i = 0; !s && i < n && (!r->top || i < r->top); i++) {
        hsc_db_cost c;
        hsc_db_thread t;
        char who[96];
        s = hsc_db_get_cost(r->db, i, &c, err);
        if (!s)
            s = hsc_db_get_thread(r->db, c.thread, &t, err);
        if (s)
            break;
        report_processor(r, HSC_AXIS_THREAD, c.thread, who, sizeof who);
        char fitted[96];
        report_fit_prose(who, r->width - 72, fitted, sizeof fitted);
        fprintf(r->out, "%8.3f %8.3f %5.2f %7.4f %7.4f %7.4f %7.4f %7.4f %7.4f %s\n", t.cpu_s, t.cpu_s - in_thread(&c),
                t.cpu_s > 0 ? 100 * in_thread(&c) / t.cpu_s : 0, c.handler_s, c.signals_s, c.probes_s, c.wrappers_s, c.switches_s, c.start_s + c.helper_s + c.end_s, fitted);
    }
    if (!n)
        fputs("  not known\n", r->out);
    return s;
}

/* ---- rows ---- */

static hsc_db_quantile net_quantile(const counted *c, const hsc_db_quantile *q) {
    return (hsc_db_quantile){net_visit(c, q->value_s), net_visit(c, q->low_s), net_visit(c, q->high_s)};
}

/* categories NULL: none of any. */
static void counted_cells(const report *r, hsc_table *t, const counted *c, const hsc_db_probe *p, const double *categories) {
    double n = c->visits ? (double)c->visits : NAN, mean = c->duration_s / n;
    hsc_db_quantile median = net_quantile(c, &c->median), p95 = net_quantile(c, &c->p95);
    hsc_table_text(t, "kind", p->kind_text);
    hsc_table_text(t, "name", p->name);
    hsc_table_text(t, "file", p->file);
    hsc_table_count(t, "line", p->line);
    hsc_table_count(t, "threads", c->threads);
    hsc_table_count(t, "visits", (double)c->visits);
    hsc_table_count(t, "left", (double)c->left);
    hsc_table_text(t, "inlined_copies", has_inlined(p) ? "yes" : "no");
    hsc_table_count(t, "disarmed_processes", p->disarmed);
    hsc_table_number(t, "disarmed_s", p->disarmed ? p->disarmed_s : NAN);
    hsc_table_number(t, "inclusive_s", c->inclusive_s);
    hsc_table_number(t, "inclusive_low_s", fmax(0, c->inclusive_low_s));
    hsc_table_number(t, "inclusive_high_s", c->inclusive_high_s);
    hsc_table_number(t, "exclusive_s", c->exclusive_s);
    hsc_table_number(t, "exclusive_low_s", fmax(0, c->exclusive_low_s));
    hsc_table_number(t, "exclusive_high_s", c->exclusive_high_s);
    hsc_table_number(t, "duration_s", c->duration_s);
    hsc_table_number(t, "duration_min_s", net_visit(c, c->min_s));
    hsc_table_number(t, "duration_mean_s", mean);
    hsc_table_number(t, "duration_max_s", longest_s(c));
    hsc_table_number(t, "duration_stddev_s", hsc_db_stddev(c->squares, c->clock_s, (double)c->visits)); /* by the clock: what each visit costs alike does not change it */
    report_put_quantile(t, "duration_median", &median);
    report_put_quantile(t, "duration_p95", &p95);
    hsc_table_number(t, "cost_taken_out_s", c->cost_s);
    report_put_over(r, t, &c->over);
    for (uint32_t k = 0; k < r->info.categories; k++) {
        char column[84];
        report_category_column(r, "exclusive", k, column, sizeof column - 2);
        strcat(column, "_s");
        hsc_table_number(t, column, categories ? categories[k] : 0);
    }
}

/* The same for programs: rows of kind "note", which have a text as their name and count nothing. */
static hsc_status choice_rows(report *r, hsc_table *t, hsc_err *err) {
    const char **said;
    uint32_t n;
    counted nothing = {0};
    hsc_status s = t->naming ? HSC_OK : find_choices(r, &said, &n, err);
    if (t->naming)
        return HSC_OK;
    for (uint32_t i = 0; !s && i < n; i++) {
        hsc_db_probe p = {.kind_text = "note", .name = said[i], .file = ""};
        hsc_table_begin_row(t);
        counted_cells(r, t, &nothing, &p, NULL);
        hsc_table_end_row(t);
    }
    free(said);
    return s;
}

static hsc_status probe_rows(report *r, hsc_table *t, bool blocks, hsc_err *err) {
    counts c = {0};
    hsc_db_probe none = {.kind_text = "", .name = "", .file = ""};
    counted nothing = {0};
    double *categories = NULL;
    hsc_status s = load(r, &c, err);
    counted *list = blocks ? c.blocks : c.probes;
    uint32_t n = s ? 0 : blocks ? c.n_blocks : c.n_probes;
    if (!s)
        s = set_spread(r, blocks, list, err);
    if (!s)
        s = set_quantiles(r, blocks, list, n, err);
    if (!s)
        s = list_categories(r, blocks, n, &categories, err);
    if (!s && !blocks && n > 1)
        qsort(list, n, sizeof *list, longest);
    for (uint32_t i = t->naming ? HSC_NONE : 0; !s && (i == HSC_NONE || (i < n && (!r->top || i < r->top))); i++) {
        hsc_db_block b = {HSC_NONE, 0, 0};
        hsc_db_probe p = none;
        if (i != HSC_NONE && blocks)
            s = hsc_db_get_block(r->db, i, &b, err);
        if (!s && i != HSC_NONE)
            s = hsc_db_get_probe(r->db, blocks ? b.probe : list[i].row, &p, err);
        if (s || (i != HSC_NONE && (!wanted(r, &p) || !is_in(r, &list[i]))))
            continue;
        hsc_table_begin_row(t);
        if (blocks) {
            hsc_table_count(t, "block", i);
            hsc_table_number(t, "parent", b.parent == HSC_NONE ? NAN : b.parent);
            hsc_table_count(t, "depth", b.depth);
        }
        counted_cells(r, t, i == HSC_NONE ? &nothing : &list[i], &p, i == HSC_NONE ? NULL : categories + (size_t)list[i].row * r->info.categories);
        hsc_table_end_row(t);
        t->naming = false;
    }
    clear(&c);
    free(categories);
    return s || blocks ? s : choice_rows(r, t, err);
}

static hsc_status phase_rows(report *r, hsc_table *t, hsc_err *err) {
    phase *list, none = {.name = ""};
    uint32_t n;
    bool has_cpu;
    hsc_status s = load_phases(r, &list, &n, &has_cpu, err);
    for (uint32_t i = t->naming ? HSC_NONE : 0; !s && (i == HSC_NONE || i < n); i++) {
        const phase *p = i == HSC_NONE ? &none : &list[i];
        double low = NAN, high = NAN;
        if (has_cpu)
            report_interval(r, p->cpu, &low, &high);
        hsc_table_begin_row(t);
        hsc_table_text(t, "phase", p->name);
        hsc_table_count(t, "times", p->times);
        hsc_table_count(t, "processes", p->processes);
        hsc_table_number(t, "first_begin_s", p->first_s);
        hsc_table_number(t, "elapsed_s", p->elapsed_s);
        hsc_table_number(t, "longest_s", p->longest_s);
        hsc_table_amount(t, "inclusive", has_cpu ? p->cpu.sum : NAN);
        hsc_table_amount(t, "inclusive_low", low);
        hsc_table_amount(t, "inclusive_high", high);
        hsc_table_end_row(t);
        t->naming = false;
    }
    if (!s)
        free(list);
    return s;
}

static hsc_status counter_rows(report *r, hsc_table *t, hsc_err *err) {
    uint32_t n = hsc_db_count_told(r->db, HSC_TOLD_COUNTERS);
    hsc_status s = HSC_OK;
    for (uint32_t i = t->naming ? HSC_NONE : 0; !s && (i == HSC_NONE || i < n); i++) {
        hsc_db_counter c = {.name = ""};
        char who[96] = "";
        if (i != HSC_NONE)
            s = hsc_db_get_counter(r->db, i, &c, err);
        if (s || (i != HSC_NONE && (!c.values || (r->where && !strstr(c.name, r->where)))))
            continue;
        if (i != HSC_NONE)
            report_processor(r, HSC_AXIS_THREAD, c.thread, who, sizeof who);
        double values = c.values ? (double)c.values : NAN, mean = c.sum / values;
        hsc_table_begin_row(t);
        hsc_table_text(t, "counter", c.name);
        hsc_table_text(t, "thread", who);
        hsc_table_count(t, "values", (double)c.values);
        hsc_table_number(t, "first", c.first);
        hsc_table_number(t, "last", c.last);
        hsc_table_number(t, "min", c.min);
        hsc_table_number(t, "mean", mean);
        hsc_table_number(t, "max", c.max);
        hsc_table_number(t, "stddev", hsc_db_stddev(c.squares, c.sum, values));
        hsc_table_end_row(t);
        t->naming = false;
    }
    return s;
}

static hsc_status cost_rows(report *r, hsc_table *t, hsc_err *err) {
    uint32_t n = hsc_db_count_told(r->db, HSC_TOLD_COSTS);
    hsc_status s = HSC_OK;
    for (uint32_t i = t->naming ? HSC_NONE : 0; !s && (i == HSC_NONE || i < n); i++) {
        hsc_db_cost c = {0};
        hsc_db_thread at = {0};
        char who[96] = "";
        if (i != HSC_NONE)
            s = hsc_db_get_cost(r->db, i, &c, err);
        if (!s && i != HSC_NONE)
            s = hsc_db_get_thread(r->db, c.thread, &at, err);
        if (s)
            break;
        if (i != HSC_NONE)
            report_processor(r, HSC_AXIS_THREAD, c.thread, who, sizeof who);
        hsc_table_begin_row(t);
        hsc_table_text(t, "thread", who);
        hsc_table_number(t, "cpu_s", at.cpu_s);
        hsc_table_number(t, "cpu_net_s", at.cpu_s - in_thread(&c));
        hsc_table_number(t, "handler_s", c.handler_s);
        hsc_table_count(t, "handler_runs", (double)c.handler_runs);
        hsc_table_number(t, "handler_median_s", c.handler_median_s);
        hsc_table_number(t, "handler_p90_s", c.handler_p90_s);
        hsc_table_number(t, "handler_p99_s", c.handler_p99_s);
        hsc_table_number(t, "signals_s", c.signals_s);
        hsc_table_number(t, "probes_s", c.probes_s);
        hsc_table_number(t, "wrappers_s", c.wrappers_s);
        hsc_table_number(t, "helper_s", c.helper_s);
        hsc_table_number(t, "start_s", c.start_s);
        hsc_table_number(t, "end_s", c.end_s);
        hsc_table_number(t, "switches_s", c.switches_s);
        hsc_table_number(t, "own_least_s", c.own_least_s);
        hsc_table_number(t, "own_most_s", c.own_most_s);
        hsc_table_count(t, "rate_changes", c.rate_changes);
        hsc_table_count(t, "periods_max", c.periods_max);
        hsc_table_count(t, "probes_missed", (double)c.probes_missed);
        hsc_table_end_row(t);
        t->naming = false;
    }
    return s;
}

hsc_status report_told_rows(report *r, report_by by, hsc_table *t, hsc_err *err) {
    switch (by) {
    case REPORT_PHASE:
        return phase_rows(r, t, err);
    case REPORT_COUNTER:
        return counter_rows(r, t, err);
    case REPORT_COST:
        return cost_rows(r, t, err);
    default:
        return probe_rows(r, t, by == REPORT_BLOCK, err);
    }
}
