/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope map: shows, checks and extracts the static map of a program. */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "map_check.h"
#include "map_remarks.h"
#include "map_section.h"

enum { OPT_OUTPUT, OPT_REMARKS, OPT_SUMMARY };

static const hsc_cli_option options[] = {
    {"output", 'o', "FILE", "write the static mapping file FILE instead of printing"},
    {"remarks", 'r', NULL, "print below each loop, call and procedure what the optimiser said of it, and why"},
    {"summary", 's', NULL, "print one line a module"},
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    "map",
    "Show or extract the static map of a program",
    "[OPTIONS] PROG",
    "PROG is a program, shared library, object file or archive that was compiled with the pass. Its map\n"
    "tells the procedures, loops and calls of the source and what became of each loop in the machine code:\n"
    "vector body and remainder, unrolled, copies by inlining.\n\n"
    "The map is checked (all modules complete, all references in range); a damaged one is an error. With -o\n"
    "it is written to a file that 'heatscope dump' reads, after a record that names the program and its\n"
    "build id.",
    "  heatscope map ./solver\n  heatscope map -o solver.hsm ./solver && heatscope dump solver.hsm",
    options,
    false};

typedef struct map_options {
    const char *output;
    bool remarks, summary;
} map_options;

static int set_option(void *ctx, int option, const char *value) {
    map_options *o = ctx;
    if (option == OPT_OUTPUT)
        o->output = value;
    else if (option == OPT_REMARKS)
        o->remarks = true;
    else
        o->summary = true;
    return -1;
}

static hsc_status write_map(const char *output, const char *program, const hsc_map_section *s, hsc_err *err) {
    char full[4096];
    hsc_buffer_writer *w = NULL;
    const uint8_t *head;
    size_t head_size;
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
    if (status == HSC_OK && !(all = malloc(head_size + s->size)))
        status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", output);
    if (status == HSC_OK) {
        memcpy(all, head, head_size);
        memcpy(all + head_size, s->bytes, s->size);
        status = hsc_file_write_atomic(output, all, head_size + s->size, err);
    }
    free(all);
    hsc_buffer_writer_free(w);
    return status;
}

/* ---- listing -------------------------------------------------------------------------------------------------------- */

static const char *language_text(uint64_t code) {
    switch (code) {
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
           language_text(m->head.language), m->head.level.p, m->n_procedures, plural(m->n_procedures), m->n_loops,
           plural(m->n_loops), m->n_callsites, plural(m->n_callsites), m->n_places, plural(m->n_places),
           m->head.flags & HSC_module_flag_NO_DEBUG_INFO             ? " (compiled without line tables)"
           : m->head.flags & HSC_module_flag_PROFILE_DISCRIMINATORS ? " (keyed by line: a sample profile owns the discriminators)"
           : m->head.keying == HSC_keying_LINE                       ? " (keyed by line)"
                                                                     : "");
}

typedef struct version {
    uint64_t version, width, interleave, unroll;
    size_t count;
} version;

/* What became of a loop: "vector 2 lanes x4, remainder". */
static void print_versions(const hsc_map_module *m, uint64_t loop_id) {
    static const char *const words[] = {"as written", "vector", "remainder", "unrolled", "epilogue", "unrolled fully",
                                        "made by the compiler", "memcpy or memset"};
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
        printf("%s%s", i ? ", " : "",
               list[i].version < sizeof words / sizeof *words ? words[list[i].version] : "?");
        if (list[i].width)
            printf(" %" PRIu64 " lanes", list[i].width);
        if (list[i].interleave > 1)
            printf(" x%" PRIu64, list[i].interleave);
        if (list[i].unroll > 1)
            printf(" x%" PRIu64, list[i].unroll);
        if (list[i].count > 1)
            printf(" (%zu times)", list[i].count);
    }
    if (!n)
        printf("no code left");
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

static void print_module(const hsc_map_module *m, bool remarks) {
    print_module_line(m);
    uint64_t file = 0;
    for (size_t i = 0; i < m->n_procedures; i++) {
        const hsc_rec_procedure *p = &m->procedures[i];
        bool any = false;
        for (size_t l = 0; l < m->n_loops && !any; l++)
            any = m->loops[l].procedure_id == p->procedure_id;
        if ((p->flags & HSC_procedure_flag_DECLARED) && !any)
            continue; /* of another module */
        if (p->file_id != file && p->file_id) {
            file = p->file_id;
            printf("  in %s\n", m->files[file - 1].path.p);
        }
        print_range(p->line_begin, p->line_end);
        printf("%s\n", p->name.p);
        for (size_t l = 0; l < m->n_loops; l++) {
            const hsc_rec_loop *v = &m->loops[l];
            if (v->procedure_id != p->procedure_id)
                continue;
            const char *kind = hsc_enum_text("loop_kind", v->kind);
            print_range(v->line_begin, v->line_end);
            printf("%*s%s: ", (int)(v->depth < 20 ? 2 * v->depth : 40), "", kind ? kind : "loop");
            print_versions(m, v->loop_id);
            printf("\n");
            if (remarks)
                hsc_map_print_loop_remarks(m, v->loop_id);
        }
        if (remarks)
            hsc_map_print_procedure_remarks(m, p->procedure_id);
    }
    if (remarks)
        hsc_map_print_other_remarks(m);
}

int hsc_cmd_map(int argc, char **argv) {
    map_options o = {0};
    hsc_map_section s = {0};
    hsc_map_model model = {0};
    hsc_err err = {0};
    int first = 0, code = hsc_cli_parse(&command, argc, argv, set_option, &o, &first);
    if (code >= 0)
        return code;
    if (argc - first != 1) {
        fprintf(stderr, "heatscope map: expected one PROG, got %d; 'heatscope map --help' tells more\n", argc - first);
        return HSC_EXIT_USAGE;
    }
    const char *program = argv[first];
    if (hsc_map_section_read(program, &s, &err) != HSC_OK)
        return hsc_cli_fail("map", &err);
    code = HSC_EXIT_OK;
    if (hsc_map_model_read(s.bytes, s.size, program, &model, &err) != HSC_OK)
        code = hsc_cli_fail("map", &err);
    else if (o.output) {
        if (write_map(o.output, program, &s, &err) != HSC_OK)
            code = hsc_cli_fail("map", &err);
        else
            printf("heatscope map: wrote %s: %zu module%s, %zu bytes of map\n", o.output, model.n_modules,
                   plural(model.n_modules), s.size);
    } else {
        for (size_t i = 0; i < model.n_modules; i++)
            if (o.summary)
                print_module_line(&model.modules[i]);
            else
                print_module(&model.modules[i], o.remarks);
        if (ferror(stdout) || fflush(stdout)) {
            hsc_err_set(&err, HSC_E_IO, "cannot write to standard output");
            code = hsc_cli_fail("map", &err);
        }
    }
    hsc_map_model_fini(&model);
    hsc_map_section_fini(&s);
    return code;
}
