/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A static map in memory, checked. */
#ifndef HEATSCOPE_CLI_MAP_CHECK_H
#define HEATSCOPE_CLI_MAP_CHECK_H

#include <heatscope/formats/records.h>
#include <heatscope/formats/stream.h>

/* The records of one module; ids are indices + 1, but for site_id: loops and calls share one number space. */
typedef struct hsc_map_module {
    hsc_rec_module head;
    hsc_rec_file *files;
    hsc_rec_procedure *procedures;
    hsc_rec_loop *loops;
    hsc_rec_callsite *callsites;
    hsc_rec_loop_instance *instances;
    hsc_rec_inline *inlines;
    hsc_rec_place *places;
    hsc_rec_remark *remarks;
    hsc_rec_dependence *dependences;
    hsc_rec_memory_check *memory_checks;
    hsc_rec_value *values;
    hsc_rec_symbolic *symbolics;
    hsc_rec_array *arrays;
    hsc_rec_reference *references;
    hsc_rec_message *messages;
    hsc_rec_section *sections;
    hsc_rec_datatype *datatypes;
    hsc_rec_message_link *links;
    hsc_rec_array_argument *array_arguments;
    hsc_rec_directive *directives;
    hsc_rec_runtime_call *runtime_calls;
    hsc_rec_link_unit *link_units;
    size_t n_files, n_procedures, n_loops, n_callsites, n_instances, n_inlines, n_places, n_remarks,
        n_dependences, n_memory_checks, n_values, n_symbolics, n_arrays, n_references, n_messages, n_sections,
        n_datatypes, n_links, n_array_arguments, n_directives, n_runtime_calls, n_link_units;
    bool is_replaced; /* by a module written at link time: no instances and places, and inlined copies of before linking */
    uint64_t records;
} hsc_map_module;

typedef struct hsc_map_model {
    hsc_map_module *modules;
    size_t n_modules;
    void *memory; /* of the strings */
} hsc_map_model;

/* Reads the chunks (with or without a schema chunk) and checks that every module is closed and complete, ids are dense
 * and references in range. `label` is for messages. HSC_E_FORMAT tells the first thing that is wrong; HSC_E_MEMORY. */
hsc_status hsc_map_model_read(const void *bytes, size_t size, const char *label, hsc_map_model *out, hsc_err *err);
void hsc_map_model_fini(hsc_map_model *m);
/* The strings of `from` belong to `into` from now on. */
void hsc_map_model_move_memory(hsc_map_model *into, hsc_map_model *from);

#endif
