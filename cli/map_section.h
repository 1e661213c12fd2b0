/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The static map as it is in programs, libraries, object files and archives. */
#ifndef HEATSCOPE_CLI_MAP_SECTION_H
#define HEATSCOPE_CLI_MAP_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include <heatscope/formats/err.h>

typedef struct hsc_map_section {
    uint8_t *bytes; /* chunks of the record stream; of an archive, those of all members */
    size_t size;
    uint8_t build_id[64];
    size_t build_id_size; /* 0: the linker wrote none */
    uint64_t file_size;
    unsigned machine; /* e_machine; 0 for an archive */
    unsigned members; /* of an archive: members with a map; else 0 */
} hsc_map_section;

/* Reads the map of the file. HSC_E_IO; HSC_E_FORMAT: neither ELF nor an archive of it, or damaged; HSC_E_MISSING: it has
 * no map; HSC_E_MEMORY. *out is untouched on failure; fini frees. Needs some other part of the process to be no user of
 * libelf at the same time in another thread. */
hsc_status hsc_map_section_read(const char *path, hsc_map_section *out, hsc_err *err);
void hsc_map_section_fini(hsc_map_section *s);

#endif
