/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ask MODULE: what the mapping says of each hexadecimal address on stdin, one line each, fields separated by tabs:
 * address, procedures innermost first (linkage names, by commas), line, loops innermost first (row@line:column, by commas),
 * version as text, vector width, interleave, unroll, whether the line was taken from a neighbour. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <heatscope/formats/records.h>

#include "code.h"

int main(int argc, char **argv) {
    hsc_code *c = NULL;
    hsc_err err = {0};
    char line[64];
    if (argc != 2 || hsc_code_open(&(hsc_code_spec){.path = argv[1]}, &c, &err) != HSC_OK) {
        fprintf(stderr, "ask: %s\n", argc != 2 ? "usage: ask MODULE" : err.text);
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        hsc_code_answer a;
        hsc_code_tables t;
        uint64_t address = strtoull(line, NULL, 16);
        if (hsc_code_find(c, address, true, &a, &err) != HSC_OK) {
            fprintf(stderr, "ask: %s\n", err.text);
            return 1;
        }
        hsc_code_get_tables(c, &t);
        printf("%" PRIx64 "\t", address);
        const char *comma = "";
        for (size_t i = a.element_count; i-- > 0;)
            if (a.elements[i].kind != HSC_ELEMENT_LOOP) {
                printf("%s%s", comma, t.procedures[a.elements[i].index].linkage);
                comma = ",";
            }
        printf("\t%u\t", a.line);
        comma = "";
        for (size_t i = a.element_count; i-- > 0;)
            if (a.elements[i].kind == HSC_ELEMENT_LOOP) {
                const hsc_code_loop *l = &t.loops[a.elements[i].index];
                printf("%s%u@%u:%u", comma, a.elements[i].index, l->line_begin, l->column_begin);
                comma = ",";
            }
        if (a.instance == HSC_NO_INDEX) {
            printf("\t\t0\t0\t0\t%d\n", a.repaired);
        } else {
            const hsc_code_instance *v = &t.instances[a.instance];
            const char *text = hsc_enum_text("loop_version", v->version);
            printf("\t%s\t%u\t%u\t%u\t%d\n", text ? text : "?", v->vector_width, v->interleave, v->unroll, a.repaired);
        }
    }
    hsc_code_close(c);
    return 0;
}
