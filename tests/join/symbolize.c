/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* symbolize MODULE [--loops|--versions|--merged|--names] [FOLDER...]: for each hexadecimal address on stdin, one line: the address, then innermost first
 * "linkage-name file:line" for each level of inlining, separated by " | ". Lines repaired from line 0 are marked "~".
 * With --names they are as reports name them. With --loops the loops around the address follow: " # first-last ..." of the innermost copy outwards; with --versions that of the loop of the
 * generated code: " # VERSION". With --merged there
 * are lines "merged LINE LINE" at the end: calls of MPI of which the compiler may have made one. Folders hold what was kept
 * aside. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "code.h"

int main(int argc, char **argv) {
    hsc_code *c = NULL;
    hsc_err err = {0};
    char line[64];
    bool loops = argc > 2 && !strcmp(argv[2], "--loops"), merged = argc > 2 && !strcmp(argv[2], "--merged");
    bool versions = argc > 2 && !strcmp(argv[2], "--versions");
    bool names = argc > 2 && !strcmp(argv[2], "--names");
    int options = loops || versions || merged || names;
    hsc_code_spec spec = {.path = argc > 1 ? argv[1] : "", .map_dirs = (const char *const *)argv + 2 + options,
                          .map_dir_count = argc > 2 + options ? (size_t)(argc - 2 - options) : 0, .with_data = merged};
    if (argc < 2 || hsc_code_open(&spec, &c, &err) != HSC_OK) {
        fprintf(stderr, "symbolize: %s\n", argc < 2 ? "usage: symbolize MODULE [--loops|--versions|--merged|--names] [FOLDER...]" : err.text);
        return 1;
    }
    hsc_code_tables t;
    hsc_code_get_tables(c, &t);
    fprintf(stderr, "%s: knowledge %d, note '%s', %zu files, %zu procedures, %zu loops, %zu instances, %zu lines, %zu scopes, "
            "%zu symbols, %zu places, %zu groups (%zu unmatched), %zu collisions\n", t.path, (int)t.knowledge, t.note,
            t.file_count, t.procedure_count, t.loop_count, t.instance_count, t.lines, t.scopes, t.symbols, t.places,
            t.groups, t.groups_unmatched, t.tag_collisions);
    while (fgets(line, sizeof line, stdin)) {
        hsc_code_answer a;
        uint64_t address = strtoull(line, NULL, 16);
        if (hsc_code_find(c, address, true, &a, &err) != HSC_OK)
            return 1;
        hsc_code_get_tables(c, &t);
        printf("%" PRIx64, address);
        uint32_t file = a.file, at = a.line;
        const char *mark = a.repaired ? "~" : "";
        for (size_t i = a.element_count; i-- > 0;) {
            const hsc_code_element *e = &a.elements[i];
            if (e->kind == HSC_ELEMENT_LOOP)
                continue;
            printf(" | %s %s:%u%s", names ? t.procedures[e->index].name : t.procedures[e->index].linkage,
                   file == HSC_NO_INDEX ? "??" : t.files[file].path, at, mark);
            file = e->call_file;
            at = e->call_line;
            mark = "";
        }
        if (loops)
            for (size_t i = a.element_count; i-- > 0;)
                if (a.elements[i].kind == HSC_ELEMENT_LOOP)
                    printf(" # %u-%u", t.loops[a.elements[i].index].line_begin, t.loops[a.elements[i].index].line_end);
        if (versions && a.instance != HSC_NO_INDEX)
            printf(" # %u", t.instances[a.instance].version);
        printf("\n");
    }
    const hsc_code_data *data = hsc_code_get_data(c);
    for (size_t i = 0; merged && i < data->links.n; i++)
        if (data->links.p[i].kind == HSC_link_kind_MERGED)
            printf("merged %u %u\n", data->messages.p[data->links.p[i].message].line, data->links.p[i].line);
    hsc_code_close(c);
    return 0;
}
