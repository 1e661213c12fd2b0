/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope map: shows, checks, compares and keeps the static map of a program. */
#include "cli.h"
#include "pager.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <heatscope/formats/linkage.h>
#include <heatscope/formats/source_path.h>

#include "map_book.h"
#include "map_check.h"
#include "map_data.h"
#include "map_diff.h"
#include "map_inputs.h"
#include "map_listing.h"
#include "map_partners.h"
#include "map_remarks.h"
#include "map_rows.h"
#include "map_section.h"
#include "map_values.h"
#include "map_words.h"
#include "map_store.h"

enum { OPT_LISTING, OPT_ONLY, OPT_DIFF, OPT_FORMAT, OPT_REMARKS, OPT_SUMMARY, OPT_ARRAYS, OPT_MESSAGES,
       OPT_OUTPUT, OPT_SAVE, OPT_STORE, OPT_VALUES, OPT_WIDTH, OPT_ALL };

static const hsc_cli_option options[] = {
    {"listing", 'l', NULL, "print the source with what became of each loop and call"},
    {"only", 0, "NAME", "of the listing: this procedure, or this file (its name or the end of its path)"},
    {"diff", 'd', NULL, "compare two: which loops gained or lost vector code, unrolling, inlining, remarks"},
    {"format", 'f', "FORMAT", "text, csv or json (text): one row a loop, or a change"},
    {"remarks", 'r', NULL, "print below each loop, call and procedure what the optimiser said of it, and why"},
    {"summary", 's', NULL, "print one line a module"},
    {"arrays", 'a', NULL, "print the arrays of each module, and below each loop what it reads and writes"},
    {"messages", 'm', NULL, "print the calls of MPI: what they move, to whom, and what belongs to them"},
    {"output", 'o', "FILE", "write the static mapping file FILE instead of printing"},
    {"save", 0, NULL, "keep map, debug information and symbols by build id, for when PROG is stripped"},
    {"store", 0, "DIR", "folder of --save (~/.local/share/heatscope/maps)"},
    {"values", 0, "RUN", "print the numbers that only a run knows, as it recorded them (--probe=values)"},
    {"width", 'w', "N", "columns of the listing (the terminal's, else 100)"},
    {"all", 0, NULL, "of the table as text: procedures in headers of the system and of compilers too"},
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    "map",
    "Show, compare or keep the static map of a program",
    "[OPTIONS] PROG...",
    "PROG is a program, shared library, object file, archive or static mapping file, or a folder of them, compiled with "
    "the pass. The map tells the procedures, loops and calls of the source and what became of each loop in the machine "
    "code: vector body and remainder, unrolled, copies by inlining. It is checked (all modules complete, all references "
    "in range); a damaged one is an error.\n\n"
    "On a terminal text goes through the pager of HEATSCOPE_PAGER or PAGER, else less.\n\n"
    "In the margin of a listing each loop has a column, from its first line (<) to its last (>): V4 vector code of 4 "
    "lanes, u8 unrolled 8 times, s scalar, F unrolled fully, M a call of memcpy or memset, x no code left.\n\n"
    "--arrays: an array is named as the source does, through pointers as far as they can be followed; behind each "
    "reference stands how its address moves in the innermost loop. References are those of the source, also where the compiler left one out (not in the generated code: all of that array). --messages: sections are in the array's own "
    "subscripts; '?' is what cannot be told.\n\n"
    "--values RUN: parameters of procedures, strides, extents of arrays and arguments of MPI with the numbers that RUN, a measurement "
    "directory or one of its files, recorded last, or that the compiler knew; of several processes the least and the greatest.\n\n"
    "--diff A B matches procedures by their symbols and loops by order, text and shape, so that lines that only "
    "moved are no change.\n\n"
    "With -o the map is written to a file that 'heatscope dump' reads, after a record that names the program and its "
    "build id; sends and receives that may match are at its end. --save writes DIR/.build-id/xx/REST.debug, where 'heatscope correlate' and debuggers look for it.",
    "  heatscope map --listing --only=solve ./solver\n  heatscope map --diff ./solver.O2 ./solver.O3\n"
    "  heatscope map --save ./solver && strip ./solver\n"
    "  heatscope map -o solver.hsm ./solver && heatscope dump solver.hsm",
    options,
    false};

typedef struct map_options {
    const char *output, *store, *values;
    bool remarks, summary, arrays, messages, listing, diff, save, width_given, all;
    hsc_map_format format;
    unsigned long long width;
    hsc_listing_options list;
} map_options;

static int set_option(void *ctx, int option, const char *value) {
    map_options *o = ctx;
    switch (option) {
    case OPT_LISTING:
        o->listing = true;
        return -1;
    case OPT_ONLY:
        o->list.only = value;
        return -1;
    case OPT_DIFF:
        o->diff = true;
        return -1;
    case OPT_FORMAT:
        o->format = !strcmp(value, "text") ? HSC_MAP_TEXT : !strcmp(value, "csv") ? HSC_MAP_CSV : HSC_MAP_JSON;
        return o->format == HSC_MAP_JSON && strcmp(value, "json") != 0
                   ? hsc_cli_bad_value(&command, option, "text, csv or json", value)
                   : -1;
    case OPT_REMARKS:
        o->remarks = o->list.all_remarks = true;
        return -1;
    case OPT_SUMMARY:
        o->summary = true;
        return -1;
    case OPT_ARRAYS:
        o->arrays = true;
        return -1;
    case OPT_MESSAGES:
        o->messages = true;
        return -1;
    case OPT_OUTPUT:
        if (!strcmp(value, "-"))
            return hsc_cli_bad_value(&command, option, "a file, which is written beside and renamed", value);
        o->output = value;
        return -1;
    case OPT_SAVE:
        o->save = true;
        return -1;
    case OPT_STORE:
        o->store = value;
        return -1;
    case OPT_VALUES:
        o->values = value;
        return -1;
    case OPT_ALL:
        o->all = true;
        return -1;
    default:
        o->width_given = true;
        return hsc_cli_parse_u64(value, 60, 400, &o->width) ? -1 : hsc_cli_bad_value(&command, option, "a number from 60 to 400", value);
    }
}

static hsc_status write_map(const char *output, const char *program, const hsc_map_section *s,
                            const hsc_map_partners *partners, hsc_err *err) {
    char full[4096];
    hsc_buffer_writer *w = NULL, *tail_writer = NULL;
    const uint8_t *head, *tail = NULL;
    size_t head_size, tail_size = 0;
    uint8_t *all = NULL;
    hsc_status status = HSC_OK;
    const char *path = realpath(program, full) ? full : program;
    hsc_rec_binary b = {.path = {path, strlen(path)}, .build_id = {s->build_id, s->build_id_size},
                        .file_size = s->file_size, .machine = s->machine};
    w = hsc_buffer_writer_new(HSC_CHUNK_STATIC, 0, true, err);
    if (!w)
        return err->status;
    status = hsc_buffer_writer_put(w, HSC_REC_binary, &b, err);
    if (status == HSC_OK)
        status = hsc_buffer_writer_get_bytes(w, &head, &head_size, err);
    if (status == HSC_OK && partners->n) {
        tail_writer = hsc_buffer_writer_new(HSC_CHUNK_STATIC, 0, false, err);
        status = tail_writer ? HSC_OK : err->status;
        for (size_t i = 0; i < partners->n && status == HSC_OK; i++)
            status = hsc_buffer_writer_put(tail_writer, HSC_REC_message_match, &partners->list[i].record, err);
        if (status == HSC_OK)
            status = hsc_buffer_writer_get_bytes(tail_writer, &tail, &tail_size, err);
    }
    if (status == HSC_OK && !(all = malloc(head_size + s->size + tail_size)))
        status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", output);
    if (status == HSC_OK) {
        memcpy(all, head, head_size);
        memcpy(all + head_size, s->bytes, s->size);
        if (tail_size)
            memcpy(all + head_size + s->size, tail, tail_size);
        status = hsc_file_write_atomic(output, all, head_size + s->size + tail_size, err);
    }
    free(all);
    hsc_buffer_writer_free(w);
    hsc_buffer_writer_free(tail_writer);
    return status;
}

/* ---- listing -------------------------------------------------------------------------------------------------------- */

static const char *language_text(const hsc_rec_module *head) {
    if (!head->language && head->flags & HSC_module_flag_LINK_TIME)
        return "several languages";
    switch (head->language) {
    case 0x01: case 0x02: case 0x0c: case 0x1d: case 0x2c:
        return "C";
    case 0x04: case 0x1a: case 0x21: case 0x2b: case 0x3a:
        return "C++";
    case 0x07: case 0x08: case 0x0e: case 0x22: case 0x23: case 0x2d:
        return "Fortran";
    default:
        return "other language";
    }
}

static const char *plural(size_t n) {
    return n == 1 ? "" : "s";
}

static void print_module_line(const hsc_map_module *m) {
    printf("%s: %s, -%s, %zu procedure%s, %zu loop%s, %zu call%s, %zu place%s%s\n", m->head.name.p,
           language_text(&m->head), m->head.level.p, m->n_procedures, plural(m->n_procedures), m->n_loops,
           plural(m->n_loops), m->n_callsites, plural(m->n_callsites), m->n_places, plural(m->n_places),
           m->is_replaced                                            ? " (code: see the module written at link time)"
           : m->head.flags & HSC_module_flag_LINK_TIME              ? " (written at link time)"
           : m->head.flags & HSC_module_flag_NO_DEBUG_INFO          ? " (compiled without line tables)"
           : m->head.flags & HSC_module_flag_PROFILE_DISCRIMINATORS ? " (keyed by line: a sample profile owns the discriminators)"
           : m->head.keying == HSC_keying_LINE                       ? " (keyed by line)"
           : m->head.flags & HSC_module_flag_FOR_LINK
               ? " (optimised at link time without the pass: versions and places are those of before)"
               : "");
}

typedef struct version {
    uint64_t version, width, interleave, unroll;
    size_t count;
} version;

/* What became of a loop: "vector 2 lanes x4, remainder". */
static void print_versions(const hsc_map_module *m, const hsc_rec_loop *l) {
    uint64_t loop_id = l->loop_id;
    version list[32];
    size_t n = 0;
    for (size_t i = 0; i < m->n_instances; i++) {
        const hsc_rec_loop_instance *v = &m->instances[i];
        if (v->loop_id != loop_id)
            continue;
        size_t k = 0;
        while (k < n && (list[k].version != v->version || list[k].width != v->vector_width ||
                         list[k].interleave != v->interleave || list[k].unroll != v->unroll))
            k++;
        if (k == sizeof list / sizeof *list)
            break;
        if (k == n)
            list[n++] = (version){v->version, v->vector_width, v->interleave, v->unroll, 0};
        list[k].count++;
    }
    for (size_t i = 0; i < n; i++) {
        printf("%s%s", i ? ", " : "", hsc_map_version_word(list[i].version));
        char lanes[48];
        printf("%s", hsc_map_lanes_words(list[i].version, list[i].width, lanes, sizeof lanes));
        if (list[i].interleave > 1)
            printf(" x%" PRIu64, list[i].interleave);
        if (list[i].unroll > 1)
            printf(" x%" PRIu64, list[i].unroll);
        if (list[i].count > 1)
            printf(" (%zu times)", list[i].count);
    }
    if (!n)
        printf(l->flags & HSC_loop_flag_COLLAPSED ? "one with the loop round it" : "no code left");
}

static void print_range(uint64_t begin, uint64_t end) {
    char text[48];
    if (!begin)
        snprintf(text, sizeof text, "?");
    else if (end > begin)
        snprintf(text, sizeof text, "%" PRIu64 "-%" PRIu64, begin, end);
    else
        snprintf(text, sizeof text, "%" PRIu64, begin);
    printf("%12s  ", text);
}

/* Procedures of the standard library and of the system: instances of templates that the user has not written, with names as long as templates make them. */
static bool is_left_out(const hsc_map_module *m, const hsc_rec_procedure *p, const map_options *o) {
    return !o->all && p->file_id && hsc_system_header(m->files[p->file_id - 1].path.p);
}

/* Of flang's form of an intrinsic procedure, which has no lines: the first line of the module that calls it, and on how many others it is called. 0: it is no such thing, or
 * nothing calls it. */
static uint64_t line_of_calls(const hsc_map_module *m, const hsc_rec_procedure *p, size_t *others) {
    char name[64];
    unsigned rank;
    uint64_t first = 0, last = 0;
    *others = 0;
    if (!hsc_linkage_fortran_intrinsic(p->linkage_name.p, name, sizeof name, &rank))
        return 0;
    for (size_t i = 0; i < m->n_callsites; i++) { /* in the order of the source */
        const hsc_rec_callsite *c = &m->callsites[i];
        if (!c->line || c->line == last || strcmp(c->callee.p, p->linkage_name.p) != 0)
            continue;
        *others += first > 0;
        first = first ? first : c->line;
        last = c->line;
    }
    return first;
}

static void print_module(const hsc_map_module *m, const map_options *o) {
    bool remarks = o->remarks, arrays = o->arrays;
    size_t procedures = 0, loops = 0; /* left out */
    print_module_line(m);
    if (arrays)
        hsc_map_print_arrays(m);
    uint64_t file = 0;
    for (size_t i = 0; i < m->n_procedures; i++) {
        const hsc_rec_procedure *p = &m->procedures[i];
        bool any = false;
        for (size_t l = 0; l < m->n_loops && !any; l++)
            any = m->loops[l].procedure_id == p->procedure_id;
        if ((p->flags & HSC_procedure_flag_DECLARED) && !any)
            continue; /* of another module */
        if (is_left_out(m, p, o)) {
            procedures++;
            for (size_t l = 0; l < m->n_loops; l++)
                loops += m->loops[l].procedure_id == p->procedure_id;
            continue;
        }
        if (p->file_id != file && p->file_id) {
            file = p->file_id;
            printf("  in %s\n", m->files[file - 1].path.p);
        }
        size_t others;
        uint64_t called = line_of_calls(m, p, &others);
        print_range(called ? called : p->line_begin, called ? called : p->line_end);
        bool made = (p->flags & HSC_procedure_flag_ARTIFICIAL) && !(p->flags & HSC_procedure_flag_OUTLINED);
        printf("%s%s", p->name.p, made ? " (made by the compiler)" : "");
        if (others)
            printf(" (called on %zu other line%s)", others, plural(others));
        printf("\n");
        for (size_t l = 0; l < m->n_loops; l++) {
            const hsc_rec_loop *v = &m->loops[l];
            if (v->procedure_id != p->procedure_id)
                continue;
            const char *kind = hsc_enum_text("loop_kind", v->kind);
            print_range(v->line_begin ? v->line_begin : called, v->line_begin ? v->line_end : called);
            printf("%*s%s: ", (int)(v->depth < 20 ? 2 * v->depth : 40), "", kind ? kind : "loop");
            print_versions(m, v);
            hsc_map_print_control(v);
            if (v->flags & HSC_loop_flag_COMPILER)
                printf(" (not in the source)");
            printf("\n");
            if (arrays)
                hsc_map_print_references(m, v->loop_id);
            if (remarks)
                hsc_map_print_loop_remarks(m, v->loop_id, v->file_id);
        }
        hsc_map_print_directives(m, p->procedure_id);
        if (remarks)
            hsc_map_print_procedure_remarks(m, p->procedure_id);
    }
    if (remarks)
        hsc_map_print_other_remarks(m);
    if (procedures)
        printf("  left out: %zu procedure%s with %zu loop%s in headers of the system and of compilers; --all shows them\n", procedures, plural(procedures), loops, plural(loops));
}

/* ---- what is asked for ---------------------------------------------------------------------------------------------- */

static int wrong_usage(const char *what) {
    fprintf(stderr, "heatscope map: %s%s 'heatscope map --help' tells more\n", what, what[strlen(what) - 1] == '?' ? "" : ";");
    return HSC_EXIT_USAGE;
}

static hsc_status write_file(const char *output, const char *program, hsc_err *err) {
    hsc_map_section s = {0};
    hsc_map_model model = {0};
    hsc_map_partners partners = {0};
    hsc_status status = hsc_map_section_read(program, &s, err);
    if (status == HSC_OK)
        status = hsc_map_model_read(s.bytes, s.size, program, &model, err);
    if (status == HSC_OK)
        status = hsc_map_find_partners(&model, &partners, err);
    if (status == HSC_OK)
        status = write_map(output, program, &s, &partners, err);
    if (status == HSC_OK)
        printf("heatscope map: wrote %s: %zu module%s, %zu bytes of map\n", output, model.n_modules, plural(model.n_modules),
               s.size);
    hsc_map_partners_fini(&partners);
    hsc_map_model_fini(&model);
    hsc_map_section_fini(&s);
    return status;
}

static hsc_status save(const map_options *o, char **programs, int count, hsc_err *err) {
    char buffer[8400], written[5000];
    const char *dirs[2], *store = o->store;
    hsc_status status = HSC_OK;
    if (!store) {
        if (!hsc_map_store_dirs(buffer, sizeof buffer, dirs))
            return hsc_err_set(err, HSC_E_MISSING, "no HOME to keep maps in: say with --store=DIR where");
        store = dirs[0];
    }
    for (int i = 0; i < count && status == HSC_OK; i++) {
        status = hsc_map_store_save(store, programs[i], written, sizeof written, err);
        if (status == HSC_OK)
            printf("heatscope map: kept %s as %s\n", programs[i], written);
    }
    return status;
}

static hsc_status diff(const map_options *o, char **programs, hsc_err *err) {
    hsc_map_model models[2] = {{0}, {0}};
    hsc_map_book books[2] = {0};
    hsc_status status = HSC_OK;
    for (int i = 0; i < 2 && status == HSC_OK; i++) {
        status = hsc_map_inputs_add(&models[i], programs[i], err);
        if (status == HSC_OK)
            status = hsc_map_book_make(&models[i], &books[i], err);
    }
    if (status == HSC_OK && o->format == HSC_MAP_TEXT)
        hsc_pager_begin();
    if (status == HSC_OK)
        status = hsc_map_diff(&books[0], &books[1], programs[0], programs[1], o->format, err);
    for (int i = 0; i < 2; i++) {
        hsc_map_book_fini(&books[i]);
        hsc_map_model_fini(&models[i]);
    }
    return status;
}

static hsc_status show(map_options *o, char **programs, int count, hsc_err *err) {
    hsc_map_model model = {0};
    hsc_map_book book = {0};
    hsc_status status = HSC_OK;
    for (int i = 0; i < count && status == HSC_OK; i++)
        status = hsc_map_inputs_add(&model, programs[i], err);
    bool needs_book = o->listing || o->format != HSC_MAP_TEXT;
    if (status == HSC_OK && needs_book)
        status = hsc_map_book_make(&model, &book, err);
    if (status == HSC_OK && o->format != HSC_MAP_TEXT) {
        status = hsc_map_rows(&book, o->format, err);
    } else if (status == HSC_OK && o->listing) {
        struct winsize w;
        bool terminal = isatty(STDOUT_FILENO);
        const char *no_colour = getenv("NO_COLOR");
        o->list.colour = terminal && !(no_colour && *no_colour);
        o->list.width = o->width_given ? (int)o->width
                        : terminal && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col >= 60 ? w.ws_col : 100;
        hsc_pager_begin();
        status = hsc_map_listing(&book, &o->list, err);
    } else if (status == HSC_OK) {
        hsc_map_partners partners = {0};
        hsc_pager_begin();
        if (o->messages)
            status = hsc_map_find_partners(&model, &partners, err);
        for (size_t i = 0; i < model.n_modules && status == HSC_OK; i++)
            if (o->summary)
                print_module_line(&model.modules[i]);
            else if (o->messages)
                hsc_map_print_messages(&model, i, &partners);
            else
                print_module(&model.modules[i], o);
        size_t untyped = 0;
        for (size_t i = 0; i < model.n_modules && o->arrays; i++)
            untyped += !hsc_map_has_types(&model.modules[i]);
        if (untyped && status == HSC_OK)
            printf("(%zu module%s without types of arrays and lines of arguments, ? above: compile with -g)\n", untyped, plural(untyped));
        hsc_map_partners_fini(&partners);
    }
    hsc_map_book_fini(&book);
    hsc_map_model_fini(&model);
    return status;
}

int hsc_cmd_map(int argc, char **argv) {
    map_options o = {0};
    hsc_err err = {0};
    hsc_status status;
    int first = 0, code = hsc_cli_parse(&command, argc, argv, set_option, &o, &first), count = argc - first;
    if (code >= 0)
        return code;
    if (o.listing + o.diff + o.save + (o.output != NULL) + (o.values != NULL) + o.summary + o.messages + o.arrays > 1)
        return wrong_usage("--listing, --diff, --save, --output, --values, --summary, --arrays and --messages are one or the other");
    if (o.list.only && !o.listing)
        return wrong_usage("--only=NAME is of --listing");
    if (o.store && !o.save)
        return wrong_usage("--store=DIR is of --save");
    if (o.format != HSC_MAP_TEXT && (o.listing || o.save || o.output || o.values || o.summary || o.messages || o.arrays))
        return wrong_usage("--format is of the table of loops and of --diff");
    if (count < 1)
        return wrong_usage("which PROG?");
    if (o.diff && count != 2)
        return wrong_usage("--diff compares two: A B");
    if (o.output && count != 1)
        return wrong_usage("--output takes one PROG");
    if (o.values && count != 1)
        return wrong_usage("--values takes one PROG");
    status = o.save     ? save(&o, argv + first, count, &err)
             : o.output ? write_file(o.output, argv[first], &err)
             : o.values ? hsc_map_print_values(argv[first], o.values, &err)
             : o.diff   ? diff(&o, argv + first, &err)
                        : show(&o, argv + first, count, &err);
    return hsc_pager_end("map", status, &err);
}
