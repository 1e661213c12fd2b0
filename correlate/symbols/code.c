/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens a module: checks that it is the one of the run, finds its debug file and its map, fills the indices. */
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heatscope/formats/stream.h>

#include "map_data.h"

#include "machine_loops.h"
#include "parcel.h"

/* ---- files and procedures ---- */

/* Takes "." and ".." and double slashes out of a path, in place. A relative path may keep ".." at its start. */
static void normalise(char *path) {
    bool absolute = path[0] == '/';
    char *base = path + absolute, *out = base; /* what is kept: [base, out), parts with a slash between them */
    for (const char *p = base, *next; *p; p = next) {
        size_t n = strcspn(p, "/");
        next = p + n + (p[n] == '/');
        bool up = n == 2 && p[0] == '.' && p[1] == '.';
        if (!n || (n == 1 && p[0] == '.'))
            continue;
        if (up && absolute && out == base)
            continue;
        if (up && out > base && !(out - base >= 2 && !memcmp(out - 2, "..", 2) && (out - base == 2 || out[-3] == '/'))) {
            while (out > base && out[-1] != '/')
                out--;
            if (out > base)
                out--;
            continue;
        }
        if (out > base)
            *out++ = '/';
        memmove(out, p, n);
        out += n;
    }
    *out = 0;
}

bool hsc_code_add_file(hsc_code *c, const char *path, size_t path_size, const char *directory, size_t directory_size,
                       uint32_t *out) {
    char buffer[8192];
    path_size = strnlen(path ? path : "", path_size);
    directory_size = strnlen(directory ? directory : "", directory_size);
    if (!path_size || path_size + directory_size + 2 > sizeof buffer) {
        *out = HSC_NO_INDEX;
        return true;
    }
    if (path[0] == '/' || !directory_size)
        snprintf(buffer, sizeof buffer, "%.*s", (int)path_size, path);
    else
        snprintf(buffer, sizeof buffer, "%.*s/%.*s", (int)directory_size, directory, (int)path_size, path);
    normalise(buffer);
    if (!buffer[0]) {
        *out = HSC_NO_INDEX;
        return true;
    }
    const char *name = hsc_pool_intern(&c->pool, buffer, strlen(buffer));
    uint32_t *at = name ? hsc_table_at(&c->file_by_path, (uintptr_t)name, 0) : NULL;
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)c->files.n;
        if (!HSC_PUSH(c->files, (hsc_code_file){name, ""}))
            return false;
    }
    *out = *at;
    return true;
}

bool hsc_code_add_procedure(hsc_code *c, const char *linkage, const char *plain_name, uint32_t file, uint32_t *out,
                            bool *is_new) {
    uint32_t *at = hsc_table_at(&c->procedure_by_key, (uintptr_t)linkage, file);
    if (!at)
        return false;
    *is_new = *at == HSC_NO_INDEX;
    if (*is_new) {
        char *text = hsc_demangle(linkage);
        const char *name = text ? hsc_pool_intern(&c->pool, text, strlen(text))
                                : hsc_pool_intern(&c->pool, plain_name, strlen(plain_name));
        free(text);
        *at = (uint32_t)c->procedures.n;
        if (!name || !HSC_PUSH(c->procedures, (hsc_code_procedure){.name = name, .linkage = linkage, .file = file,
                                                                   .parent = HSC_NO_INDEX}))
            return false;
    }
    *out = *at;
    return true;
}

bool hsc_code_add_symbol(hsc_code *c, const char *name, uint32_t *row) {
    const char *kept = hsc_pool_intern(&c->pool, name, strlen(name));
    bool is_new;
    if (!kept || !hsc_code_add_procedure(c, kept, kept, HSC_NO_INDEX, row, &is_new))
        return false;
    if (is_new) {
        c->procedures.p[*row].knowledge = HSC_KNOWN_SYMBOL;
        c->procedures.p[*row].has_code = true;
    }
    return true;
}

void hsc_code_add_note(hsc_code *c, const char *fmt, ...) {
    char text[1024];
    int n = snprintf(text, sizeof text, "%s%s", c->note, c->note[0] ? "; " : "");
    va_list args;
    va_start(args, fmt);
    if (n >= 0 && (size_t)n < sizeof text)
        vsnprintf(text + n, sizeof text - (size_t)n, fmt, args);
    va_end(args);
    const char *note = hsc_pool_intern(&c->pool, text, strlen(text));
    if (note)
        c->note = note;
}

bool hsc_code_is_code(const hsc_code *c, uint64_t address) {
    for (size_t i = 0; i < c->code_ranges.n; i++)
        if (address >= c->code_ranges.p[i].lo && address < c->code_ranges.p[i].hi)
            return true;
    return false;
}

/* ---- the files that belong to a module ---- */

static bool add_ranges(hsc_code *c, Elf *elf) {
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return true;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
        GElf_Shdr h;
        if (!gelf_getshdr(s, &h) || !(h.sh_flags & SHF_ALLOC) || h.sh_flags & SHF_TLS || !h.sh_size ||
            h.sh_addr + h.sh_size < h.sh_addr)
            continue;
        bool is_code = h.sh_flags & SHF_EXECINSTR;
        const char *name = elf_strptr(elf, names, h.sh_name);
        name = hsc_pool_intern(&c->pool, name ? name : "", name ? strlen(name) : 0);
        Elf_Data *d = h.sh_type == SHT_NOBITS || h.sh_flags & SHF_COMPRESSED ? NULL : elf_rawdata(s, NULL);
        hsc_range r = {h.sh_addr, h.sh_addr + h.sh_size, name, d ? d->d_buf : NULL, d && d->d_buf ? d->d_size : 0};
        if (!name || (is_code && !HSC_PUSH(c->code_ranges, r)) || (!is_code && r.bytes && !HSC_PUSH(c->data_ranges, r)))
            return false;
    }
    return true;
}

/* ---- the map ---- */

static bool load_map_section(hsc_code *c, Elf *elf, bool *found) {
    Elf_Scn *s = hsc_elf_find_section(elf, HSC_MAP_SECTION);
    if (!s)
        return true;
    GElf_Shdr h;
    if (gelf_getshdr(s, &h) && (h.sh_flags & SHF_COMPRESSED) && elf_compress(s, 0, 0) < 0) {
        hsc_code_add_note(c, "map refused: section %s does not decompress", HSC_MAP_SECTION);
        return true;
    }
    Elf_Data *d = elf_rawdata(s, NULL);
    hsc_reader *r = NULL;
    hsc_err err = {0};
    bool refused = false, ok = true;
    if (!d || !d->d_buf || !d->d_size) {
        hsc_code_add_note(c, "map refused: section %s is not readable", HSC_MAP_SECTION);
    } else if (hsc_reader_open_memory(d->d_buf, d->d_size, HSC_MAP_SECTION, &r, &err) != HSC_OK) {
        hsc_code_add_note(c, "map refused: %s", err.text);
    } else {
        ok = hsc_code_load_map(c, r, NULL, 0, &refused);
        hsc_reader_counts counts;
        hsc_reader_get_counts(r, &counts);
        if (counts.chunks_old)
            hsc_code_add_note(c, "map is of an older form: %llu of its chunks skipped: compile again",
                              (unsigned long long)counts.chunks_old);
        if (counts.chunks_bad > counts.chunks_old || counts.records_bad)
            hsc_code_add_note(c, "map is damaged: %llu of its chunks skipped",
                              (unsigned long long)(counts.chunks_bad - counts.chunks_old + counts.records_bad));
        *found = c->groups.n > 0;
    }
    hsc_reader_close(r);
    return ok;
}

static bool load_map_file(hsc_code *c, const char *path, const uint8_t *id, size_t id_size, bool *found) {
    hsc_looks_add(&c->looks, &c->pool, path);
    if (access(path, R_OK))
        return true;
    hsc_reader *r = NULL;
    hsc_err err = {0};
    if (hsc_reader_open(path, &r, &err) != HSC_OK) {
        hsc_code_add_note(c, "map refused: %s", err.text);
        return true;
    }
    bool refused = false, ok = hsc_code_load_map(c, r, id, id_size, &refused);
    if (refused)
        hsc_code_add_note(c, "map refused: %s belongs to another build", path);
    else
        *found = c->groups.n > 0;
    hsc_reader_close(r);
    return ok;
}

static bool load_map(hsc_code *c, const hsc_code_spec *spec, Elf *elf, Elf *debug, bool *found) {
    const uint8_t *id;
    size_t id_size = hsc_elf_build_id(elf, &id);
    char path[4400], id_text[130];
    hsc_hex(id, id_size, id_text, sizeof id_text);
    if (!load_map_section(c, elf, found) || (!*found && debug && !load_map_section(c, debug, found)))
        return false;
    for (size_t i = 0; i < spec->map_dir_count && !*found && id_size; i++) {
        snprintf(path, sizeof path, "%s/%s.hsm", spec->map_dirs[i], id_text);
        if (!load_map_file(c, path, id, id_size, found))
            return false;
    }
    if (!*found && snprintf(path, sizeof path, "%s.hsm", spec->path) < (int)sizeof path)
        return load_map_file(c, path, id, id_size, found);
    return true;
}

/* ---- open ---- */

/* True when the file is the one of the run. */
static bool is_same_file(hsc_code *c, const hsc_code_spec *spec, Elf *elf, const struct stat *st) {
    const uint8_t *id;
    size_t n = hsc_elf_build_id(elf, &id);
    if (spec->build_id_size) {
        if (n == spec->build_id_size && !memcmp(id, spec->build_id, n))
            return true;
        char now[130], then[130];
        hsc_hex(id, n, now, sizeof now);
        hsc_hex(spec->build_id, spec->build_id_size, then, sizeof then);
        hsc_code_add_note(c, "map refused: build id of %s is %s, the run had %s", spec->path, n ? now : "none", then);
        return false;
    }
    uint64_t mtime = (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
    if ((spec->file_size && spec->file_size != (uint64_t)st->st_size) ||
        (spec->file_mtime_ns && spec->file_mtime_ns != mtime)) {
        hsc_code_add_note(c, "map refused: %s was changed after the run, and has no build id", spec->path);
        return false;
    }
    return true;
}

/* The file itself as it was in the run, by its build id: where the runtime keeps it beside the measurement, or in debuginfod's cache. */
static bool open_kept(hsc_code *c, const hsc_code_spec *spec, hsc_elf_file *f) {
    char text[130], path[8400];
    const uint8_t *id;
    if (spec->build_id_size < 2 || spec->build_id_size > 64)
        return false;
    hsc_hex(spec->build_id, spec->build_id_size, text, sizeof text);
    for (size_t i = 0; i < 2 * spec->map_dir_count; i++) {
        const char *root = spec->map_dirs[i / 2];
        if (i % 2)
            snprintf(path, sizeof path, "%s/%s/executable", root, text);
        else
            snprintf(path, sizeof path, "%s/.build-id/%.2s/%s", root, text, text + 2);
        hsc_looks_add(&c->looks, &c->pool, path);
        if (access(path, R_OK) || !hsc_elf_open(path, f))
            continue;
        if (hsc_elf_build_id(f->elf, &id) == spec->build_id_size && !memcmp(id, spec->build_id, spec->build_id_size) && hsc_elf_find_section(f->elf, ".text"))
            return true;
        hsc_elf_close(f);
    }
    return false;
}

/* `kept`: the debug file was kept aside for this program. */
static bool load_all(hsc_code *c, const hsc_code_spec *spec, Elf *elf, Elf *debug, bool kept) {
    bool map = false;
    GElf_Ehdr ehdr;
    c->is_x86_64 = gelf_getehdr(elf, &ehdr) && ehdr.e_machine == EM_X86_64;
    if (!add_ranges(c, elf) || !hsc_code_load_symbols(c, elf) || (debug && !hsc_code_load_symbols(c, debug)))
        return false;
    if (c->symbols.n)
        c->knowledge = HSC_KNOWN_SYMBOL;
    if (!hsc_code_load_plt(c, elf) || !hsc_code_load_frames(c, elf) || !hsc_code_name_tails(c) ||
        !load_map(c, spec, elf, debug, &map))
        return false;
    Elf *source = hsc_elf_has_debug_info(elf) ? elf : debug;
    c->own_debug = source == elf || kept;
    Dwarf *dwarf = source ? dwarf_begin_elf(source, DWARF_C_READ, NULL) : NULL;
    bool has_dwarf = dwarf != NULL;
    if (has_dwarf) {
        bool ok = hsc_code_load_dwarf(c, dwarf);
        dwarf_end(dwarf);
        if (!ok)
            return false;
        if (c->lines.n || c->scopes.n)
            c->knowledge = HSC_KNOWN_DWARF;
    } else {
        hsc_code_add_note(c, "no debug information");
    }
    if (!hsc_code_finish(c))
        return false;
    size_t unmatched = 0;
    for (size_t g = 0; g < c->groups.n; g++)
        unmatched += !c->groups.p[g].units;
    if (map && unmatched < c->groups.n)
        c->knowledge = HSC_KNOWN_MAP;
    else if (map)
        hsc_code_add_note(c, has_dwarf ? "map refused: none of its units is in the debug information"
                                   : "the map is of no use without it");
    else if (!c->note[0])
        hsc_code_add_note(c, "no map");
    if (c->tag_collisions)
        hsc_code_add_note(c, "%zu loops or procedures have a tag that another one has, as of a source that is compiled twice: diff may take one for the other", c->tag_collisions);
    return true;
}

static hsc_code *new_code(const hsc_code_spec *spec) {
    hsc_code *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->note = "";
    c->fd = -1;
    c->with_data = spec->with_data;
    c->knowledge = HSC_KNOWN_MODULE;
    c->path = hsc_pool_intern(&c->pool, spec->path, strlen(spec->path));
    return c;
}

/* In the place of *c what was read of the same files before; false: nothing is known, and *c is as it was. */
static bool take_kept(hsc_code **c, const hsc_code_spec *spec, Elf *elf) {
    size_t n;
    hsc_code *kept = spec->keeper ? new_code(spec) : NULL;
    uint8_t *bytes = kept ? spec->keeper->get(spec->keeper->ctx, spec, &kept->pool, &kept->looks, &n) : NULL;
    bool good = bytes && kept->path && add_ranges(kept, elf) && hsc_code_take_image(kept, bytes, n);
    free(bytes);
    hsc_code_close(good ? *c : kept);
    *c = good ? kept : *c;
    return good;
}

/* Before anything is asked. Where that cannot be, nothing is kept. */
static void keep(const hsc_code *c, const hsc_code_spec *spec) {
    parcel a = {0};
    if (spec->keeper && !c->looks.has_more && hsc_code_image_bytes(c) <= HSC_CODE_KEPT_MAX && hsc_code_put_image(c, &a))
        spec->keeper->put(spec->keeper->ctx, spec, &c->looks, a.p, a.n);
    parcel_fini(&a);
}

hsc_status hsc_code_open(const hsc_code_spec *spec, hsc_code **out, hsc_err *err) {
    hsc_elf_file main_file = {-1, NULL}, debug_file = {-1, NULL};
    struct stat st;
    hsc_status status = HSC_OK;
    hsc_code *c = new_code(spec);
    if (!c)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", spec->path);
    elf_version(EV_CURRENT);
    if (spec->path[0] != '[' && spec->path[0])
        hsc_looks_add(&c->looks, &c->pool, spec->path);
    bool vdso = !strcmp(spec->path, "[vdso]") && spec->build_id_size && hsc_elf_open_vdso(&main_file), loads = false;
    const uint8_t *id = NULL;
    if (vdso && hsc_elf_build_id(main_file.elf, &id) == spec->build_id_size && !memcmp(id, spec->build_id, spec->build_id_size))
        loads = true;
    else if (vdso)
        hsc_code_add_note(c, "of another kernel than this machine's");
    else if (spec->path[0] == '[' || !spec->path[0])
        hsc_code_add_note(c, "not a file");
    else if (stat(spec->path, &st))
        hsc_code_add_note(c, "file is gone: %s", strerror(errno));
    else if (!S_ISREG(st.st_mode) || !hsc_elf_open(spec->path, &main_file))
        hsc_code_add_note(c, "not a readable ELF file");
    else
        loads = is_same_file(c, spec, main_file.elf, &st);
    if (!loads && !vdso && spec->path[0] == '/') {
        hsc_elf_close(&main_file);
        loads = open_kept(c, spec, &main_file);
        if (loads)
            c->note = "";
    }
    if (loads && (vdso || !take_kept(&c, spec, main_file.elf))) {
        bool own = false;
        hsc_code_find_debug_file(c, spec, main_file.elf, &debug_file, &own);
        if (!load_all(c, spec, main_file.elf, debug_file.elf, own))
            status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", spec->path);
        else if (!vdso)
            keep(c, spec);
    }
    hsc_elf_close(&debug_file);
    c->elf = main_file.elf;
    c->fd = main_file.fd;
    if (!c->path)
        status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", spec->path);
    if (status != HSC_OK)
        hsc_code_close(c);
    else
        *out = c;
    return status;
}

void hsc_code_close(hsc_code *c) {
    if (!c)
        return;
    if (c->elf)
        elf_end(c->elf);
    if (c->fd >= 0)
        close(c->fd);
    for (size_t i = 0; i < c->functions.n; i++)
        hsc_machine_function_fini(c->functions.p[i]);
    free(c->functions.p);
    free(c->looks.list.p);
    free(c->files.p);
    free(c->procedures.p);
    free(c->loops.p);
    free(c->instances.p);
    free(c->remarks.p);
    free(c->dependences.p);
    hsc_map_data_free(c);
    free(c->lines.p);
    free(c->scopes.p);
    free(c->scope_spans.p);
    free(c->units.p);
    free(c->symbols.p);
    free(c->plt_names.p);
    free(c->symbol_facts.p);
    hsc_address_index_fini(&c->symbol_index);
    hsc_address_index_fini(&c->line_index);
    hsc_address_index_fini(&c->scope_index);
    free(c->code_ranges.p);
    free(c->data_ranges.p);
    free(c->foreign_loops.p);
    free(c->groups.p);
    free(c->link_units.p);
    free(c->sites.p);
    free(c->places.p);
    free(c->inlineds.p);
    free(c->instance_parents.p);
    free(c->loop_of_procedure.p);
    free(c->next_loop.p);
    hsc_code_answers_free(c);
    free(c->answers.p);
    free(c->answer_elements.p);
    hsc_table *tables[] = {&c->file_by_path,   &c->procedure_by_key, &c->loop_by_key,
                           &c->procedure_by_group, &c->procedure_by_name, &c->call_by_position,
                           &c->symbol_procedures, &c->group_by_tag, &c->row_by_tag, &c->no_return, &c->calls_of, &c->lost_calls,
                           &c->foreign_siblings, &c->made_scopes, &c->answer_by_content};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        hsc_table_fini(tables[i]);
    hsc_id_rows_fini(&c->site_by_id);
    hsc_id_rows_fini(&c->place_by_id);
    hsc_id_rows_fini(&c->inlined_by_id);
    hsc_pool_fini(&c->pool);
    free(c);
}

uint32_t hsc_code_get_loop_depth(const hsc_code *c, uint32_t loop) {
    return loop < c->loops.n ? c->loops.p[loop].depth + 1 : 0;
}

const hsc_looks *hsc_code_get_looks(const hsc_code *c) { return &c->looks; }

const hsc_code_data *hsc_code_get_data(const hsc_code *c) { return &c->data; }

void hsc_code_get_tables(const hsc_code *c, hsc_code_tables *out) {
    *out = (hsc_code_tables){.path = c->path,
                             .knowledge = c->knowledge,
                             .note = c->note,
                             .files = c->files.p,
                             .procedures = c->procedures.p,
                             .loops = c->loops.p,
                             .instances = c->instances.p,
                             .remarks = c->remarks.p,
                             .dependences = c->dependences.p,
                             .file_count = c->files.n,
                             .procedure_count = c->procedures.n,
                             .loop_count = c->loops.n,
                             .instance_count = c->instances.n,
                             .remark_count = c->remarks.n,
                             .dependence_count = c->dependences.n,
                             .lines = c->lines.n,
                             .scopes = c->scopes.n,
                             .symbols = c->symbols.n,
                             .places = c->places.n,
                             .groups = c->groups.n,
                             .own_debug = c->own_debug,
                             .tag_collisions = c->tag_collisions};
    for (size_t g = 0; g < c->groups.n; g++)
        out->groups_unmatched += !c->groups.p[g].units;
}
