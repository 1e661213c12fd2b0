/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope dump: a record stream as text, and back. */
#include "cli.h"
#include "running.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef HSC_HAVE_LIBELF
#include <gelf.h>
#include <libelf.h>
#endif

#include <heatscope/formats/stream.h>

#define TEXT_MAX_BYTES ((size_t)4 << 30) /* of a text to read back */

enum { OPT_UNDUMP, OPT_OUTPUT, OPT_SCHEMA, OPT_CHECK, OPT_FOLLOW };

static const hsc_cli_option options[] = {
    {"undump", 0, NULL, "FILE is text: make the record stream of it (with -o)"},
    {"output", 'o', "FILE", "write to FILE instead of standard output"},
    {"schema", 0, NULL, "print the records that the file can hold; without FILE: all that are known"},
    {"check", 0, NULL, "print nothing but a summary; exit 1 if anything is damaged"},
    {"follow", 'f', NULL, "go on with the records that a running process adds, until it ends"},
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    "dump",
    "Print a record stream as text, or make one from text",
    "[OPTIONS] FILE",
    "FILE is a stream file of a measurement directory, a static mapping file, or a program, library\n"
    "or object file that carries a map. Each record becomes one line; the text holds all there is in\n"
    "the file and --undump makes the same records of it ('-': from standard input).\n\n"
    "Damaged parts are left out and counted; the exit code is 1 if there were any.\n\n"
    "With --follow the file is looked at ten times a second. Records of a chunk come in order, each once, behind a line @chunk\n"
    "with the chunk's stream and sequence. The process that writes waits for nobody. The end of the process, orderly or not,\n"
    "is the end of the text.",
    "  heatscope dump heatscope-prog-1234/1234.hsr | less\n"
    "  heatscope dump ./prog\n"
    "  heatscope dump --follow heatscope-prog-1234/host.1234.hsr | grep ^progress\n"
    "  heatscope dump --undump records.txt -o records.hsr",
    options,
    false};

typedef struct dump_options {
    bool undump, schema, check, follow;
    const char *output;
} dump_options;

static int set_option(void *ctx, int option, const char *value) {
    dump_options *o = ctx;
    switch (option) {
    case OPT_UNDUMP:
        o->undump = true;
        break;
    case OPT_OUTPUT:
        o->output = strcmp(value, "-") != 0 ? value : NULL;
        break;
    case OPT_SCHEMA:
        o->schema = true;
        break;
    case OPT_CHECK:
        o->check = true;
        break;
    case OPT_FOLLOW:
        o->follow = true;
        break;
    }
    return -1;
}

/* ---- input ---------------------------------------------------------------------------------------------------------- */

#ifdef HSC_HAVE_LIBELF
/* Appends one section's bytes. */
static hsc_status append_section(const char *path, Elf_Scn *section, const GElf_Shdr *header, char **bytes, size_t *size,
                                 hsc_err *err) {
    if (header->sh_flags & SHF_COMPRESSED)
        return hsc_err_set(err, HSC_E_UNSUPPORTED, "%s: section %s is compressed: decompress it with objcopy", path,
                           HSC_MAP_SECTION);
    Elf_Data *data = elf_rawdata(section, NULL);
    if (!data || (data->d_size && !data->d_buf))
        return hsc_err_set(err, HSC_E_FORMAT, "%s: section %s: %s", path, HSC_MAP_SECTION, elf_errmsg(-1));
    char *p = realloc(*bytes, *size + data->d_size + 1);
    if (!p)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for section %s", path, HSC_MAP_SECTION);
    *bytes = p;
    if (data->d_size)
        memcpy(p + *size, data->d_buf, data->d_size);
    *size += data->d_size;
    return HSC_OK;
}

/* All map sections of the file (an object file has several), one behind the other. */
static hsc_status read_map_sections(const char *path, int fd, char **bytes, size_t *size, hsc_err *err) {
    hsc_status status = HSC_OK;
    size_t names, n_found = 0;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return hsc_err_set(err, HSC_E_UNSUPPORTED, "libelf: %s", elf_errmsg(-1));
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (!elf || elf_getshdrstrndx(elf, &names))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: not a whole ELF file: %s", path, elf_errmsg(-1));
    Elf_Scn *section = NULL;
    while (!status && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || strcmp(name, HSC_MAP_SECTION) || header.sh_type == SHT_NOBITS)
            continue;
        n_found++;
        status = append_section(path, section, &header, bytes, size, err);
    }
    elf_end(elf);
    if (!status && !n_found)
        status = hsc_err_set(err, HSC_E_MISSING, "%s: no section %s: was it compiled with heatscope cc, c++ or fc?", path,
                             HSC_MAP_SECTION);
    return status;
}
#endif

/* Opens what the user named; *bytes (to be freed after the reader) holds an ELF file's map sections. */
static hsc_status open_input(const char *path, hsc_reader **reader, char **bytes, hsc_err *err) {
    char magic[4] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_elf = fd >= 0 && pread(fd, magic, 4, 0) == 4 && !memcmp(magic, "\x7f" "ELF", 4);
    hsc_status status;
    if (!is_elf) {
        if (fd >= 0)
            close(fd);
        if (hsc_cli_is_measurement(path))
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: a directory: name one of the stream files in it", path);
        return hsc_reader_open(path, reader, err);
    }
#ifdef HSC_HAVE_LIBELF
    size_t size = 0;
    status = read_map_sections(path, fd, bytes, &size, err);
    if (!status)
        status = hsc_reader_open_memory(*bytes, size, path, reader, err);
#else
    (void)bytes;
    status = hsc_err_set(err, HSC_E_UNSUPPORTED, "%s: an ELF file: heatscope was built without libelf", path);
#endif
    close(fd);
    return status;
}

static hsc_status read_text(const char *path, char **text, size_t *n, hsc_err *err) {
    bool standard = !strcmp(path, "-");
    FILE *f = standard ? stdin : fopen(path, "rb");
    hsc_status status = HSC_OK;
    size_t capacity = 0;
    if (!f)
        return hsc_err_set_errno(err, errno, "%s: cannot open", path);
    do {
        if (*n == capacity) {
            capacity = capacity ? capacity * 2 : 65536;
            char *p = capacity <= TEXT_MAX_BYTES ? realloc(*text, capacity) : NULL;
            if (!p) {
                status = hsc_err_set(err, HSC_E_LIMIT, "%s: a text of more than %zu bytes is too long", path, *n);
                goto done;
            }
            *text = p;
        }
        *n += fread(*text + *n, 1, capacity - *n, f);
        if (ferror(f)) {
            status = hsc_err_set_errno(err, errno ? errno : EIO, "%s: cannot read", path);
            goto done;
        }
    } while (!feof(f));
done:
    if (!standard)
        fclose(f);
    return status;
}

/* ---- output --------------------------------------------------------------------------------------------------------- */

static hsc_status write_stdout(void *ctx, const char *text, size_t n, hsc_err *err) {
    (void)ctx;
    if (fwrite(text, 1, n, stdout) != n)
        return hsc_err_set_errno(err, errno, "standard output: cannot write");
    return HSC_OK;
}

typedef struct kept_text {
    char *p;
    size_t n, capacity;
} kept_text;

static hsc_status write_kept(void *ctx, const char *text, size_t n, hsc_err *err) {
    kept_text *k = ctx;
    if (k->capacity - k->n < n) {
        size_t capacity = k->capacity * 2 + n;
        char *p = realloc(k->p, capacity);
        if (!p)
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %zu bytes of text", capacity);
        k->p = p;
        k->capacity = capacity;
    }
    memcpy(k->p + k->n, text, n);
    k->n += n;
    return HSC_OK;
}

static hsc_status write_nothing(void *ctx, const char *text, size_t n, hsc_err *err) {
    (void)ctx, (void)text, (void)n, (void)err;
    return HSC_OK;
}

/* ---- the three things it does --------------------------------------------------------------------------------------- */

static int undump(const char *path, const char *output) {
    hsc_err err = {0};
    char *text = NULL;
    uint8_t *bytes = NULL;
    size_t n = 0, size = 0;
    int code = HSC_EXIT_OK;
    if (read_text(path, &text, &n, &err) || hsc_text_parse(text, n, path, &bytes, &size, &err) ||
        hsc_file_write_atomic(output, bytes, size, &err))
        code = hsc_cli_fail("dump", &err);
    free(text);
    free(bytes);
    return code;
}

static int print(const char *path, const dump_options *o) {
    hsc_err err = {0};
    hsc_reader *reader = NULL;
    hsc_reader_counts counts = {0};
    kept_text kept = {0};
    char *bytes = NULL;
    int code = HSC_EXIT_OK;
    hsc_text_sink sink = o->check ? write_nothing : o->output ? write_kept : write_stdout;
    if (path ? open_input(path, &reader, &bytes, &err) : HSC_OK) {
        code = hsc_cli_fail("dump", &err);
        goto done;
    }
    if (!path) {
        size_t n = hsc_schema_chunk(NULL, 0);
        bytes = malloc(n);
        if (bytes)
            hsc_schema_chunk(bytes, n);
        if (!bytes || hsc_reader_open_memory(bytes, n, "schema", &reader, &err)) {
            code = hsc_cli_fail("dump", &err);
            goto done;
        }
    }
    if ((o->schema ? hsc_text_dump_schema : hsc_text_dump)(reader, sink, &kept, &err) ||
        (o->output && !o->check && hsc_file_write_atomic(o->output, kept.p, kept.n, &err))) {
        code = hsc_cli_fail("dump", &err);
        goto done;
    }
    if (!o->check && !o->output && fflush(stdout)) {
        hsc_err_set_errno(&err, errno, "standard output: cannot write");
        code = hsc_cli_fail("dump", &err);
        goto done;
    }
    hsc_reader_get_counts(reader, &counts);
    if (o->check)
        printf("%s: chunks: %llu good (%llu of them open), %llu bad; bytes skipped: %llu; records: %llu (%llu unknown), "
               "%llu undecodable\n",
               path, (unsigned long long)counts.chunks, (unsigned long long)counts.chunks_unsealed,
               (unsigned long long)counts.chunks_bad, (unsigned long long)counts.bytes_skipped,
               (unsigned long long)counts.records, (unsigned long long)counts.records_unknown,
               (unsigned long long)counts.records_bad);
    if (counts.chunks_bad || counts.records_bad) {
        fprintf(stderr, "heatscope dump: damaged: %llu bad chunks beside %llu good ones, %llu undecodable records: %s\n",
                (unsigned long long)counts.chunks_bad, (unsigned long long)counts.chunks,
                (unsigned long long)counts.records_bad, hsc_reader_get_first_problem(reader));
        code = HSC_EXIT_FAILED;
    }
done:
    hsc_reader_close(reader);
    free(bytes);
    free(kept.p);
    return code;
}

/* Until the process has ended: it says so, or is gone (of another machine's only the former is known). */
static int follow(const char *path) {
    hsc_err err = {0};
    hsc_follow *f = NULL;
    uint64_t records, pid;
    bool ended = false, gone = false;
    int code = HSC_EXIT_OK;
    if (hsc_follow_open(path, &f, &err))
        return hsc_cli_fail("dump", &err);
    while (!ended) {
        bool last = gone;
        if (hsc_follow_more(f, write_stdout, NULL, &records, &ended, &pid, &err)) {
            code = hsc_cli_fail("dump", &err);
            break;
        }
        if (fflush(stdout)) {
            hsc_err_set_errno(&err, errno, "standard output: cannot write");
            code = hsc_cli_fail("dump", &err);
            break;
        }
        if (last)
            break;
        gone = hsc_running_is_gone(path, pid);
        struct timespec nap = {0, 100000000};
        if (!gone && !ended)
            nanosleep(&nap, NULL);
    }
    if (ended && !code && hsc_follow_more(f, write_stdout, NULL, &records, &ended, &pid, &err)) /* what came while it was read */
        code = hsc_cli_fail("dump", &err);
    hsc_follow_close(f);
    return code;
}

static int usage(const char *what) {
    fprintf(stderr, "heatscope dump: %s; 'heatscope dump --help' tells more\n", what);
    return HSC_EXIT_USAGE;
}

int hsc_cmd_dump(int argc, char **argv) {
    dump_options o = {0};
    int first;
    int code = hsc_cli_parse(&command, argc, argv, set_option, &o, &first);
    if (code >= 0)
        return code;
    if (o.undump + o.schema + o.check + o.follow > 1)
        return usage("at most one of --undump, --schema, --check and --follow");
    if (argc - first > 1)
        return usage("expected one FILE");
    if (o.follow && o.output)
        return usage("--follow writes to standard output, without -o");
    if (argc == first && !o.schema)
        return usage("expected a FILE");
    if (o.undump && !o.output)
        return usage("--undump needs -o FILE");
    return o.follow ? follow(argv[first]) : o.undump ? undump(argv[first], o.output) : print(argc > first ? argv[first] : NULL, &o);
}
