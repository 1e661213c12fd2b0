/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope correlate: measurement directories -> database. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "correlate.h"

enum { OPT_OUTPUT, OPT_JOBS, OPT_LAUNCHERS, OPT_CATEGORIES, OPT_SOURCES, OPT_EMBED, OPT_CODE, OPT_SYNTAX, OPT_TIME, OPT_MEMORY, OPT_CACHE, OPT_QUIET };

static const hsc_cli_option options[] = {
    {"output", 'o', "FILE", "database to write (one directory: DIR/heatscope.h5)"},
    {"jobs", 'j', "N", "threads to use (all processors); the result does not depend on it"},
    {"launchers", 0, NULL, "count mpirun, shells and the like as part of the program"},
    {"categories", 0, "FILE", "rules for what a call path means, before the built-in ones; new categories too"},
    {"sources", 0, "WHERE", "keep the text of source files beside the database (as is done), in it (embed), or none"},
    {"embed-sources", 0, NULL, "the same as --sources=embed: the database can be read elsewhere"},
    {"code", 0, "SIZE", "machine code to disassemble, the hottest procedures first: none or KiB (2048)"},
    {"assembler", 0, "SYNTAX", "how its operands are written: att or intel"},
    {"time", 0, "WHAT", "samples (keep when each was taken: 3 to 8 bytes each) or none"},
    {"memory", 0, "SIZE", "memory to use, as 512M or 4G (half of what there is); the result does not depend on it"},
    {"cache", 0, "WHAT", "what was read, kept for the next time: on, auto (where it is kept already; and nothing is done where nothing is new) or none; the result does not depend on it"},
    {"quiet", 'q', NULL, "print warnings and errors only"},
    {NULL, 0, NULL, NULL},
};

static const hsc_cli_command command = {
    .name = "correlate",
    .summary = "join samples and what is known of the code into a database",
    .usage = "[OPTIONS] DIR...",
    .description =
        "Reads the measurement files (*.hsr) of the directories, looks up every address that was met in the static map of "
        "its program or library, in the debug information and in the symbol table, and writes a database (HDF5) with the "
        "time of every line, loop, procedure and calling context on every processor.\n\n"
        "Programs and libraries are read from where they were in the run; their build id must be the same. Where it is another one, built since, "
        "what heatscope run has kept in DIR/.programs is read. What a stripped one "
        "lacks is looked for by build id in DIR/maps, in ~/.local/share/heatscope/maps (heatscope map --save), in "
        "/usr/lib/debug and in debuginfod's cache, and by .gnu_debuglink beside the program. Code that was made at run time has the names, and lines, that its maker "
        "told in /tmp/perf-PID.map or jit-PID.dump (node --perf-basic-prof, python3 -X perf, ...), of which heatscope run keeps copies in DIR/.generated. Damaged parts of files are left out and counted in the ledger.\n\n"
        "A file of --categories has lines 'category NAME' and 'procedure|module|worker PATTERN CATEGORY [strong|soft]'; a module is a program or library by the name of its file, PATTERN has * and ?.\n\n"
        "The user's source files are kept in the folder .NAME.sources beside the result, NAME, so that they are shown as they were when they have been edited since "
        "(files of up to 16 MiB, 64 MiB in all; none of the system's headers). It may be deleted at any time. --sources=embed puts all sources into the result, which can be read elsewhere then. Taken are files whose checksum is that of the build, or, "
        "where the build tells none, that are not younger than the program.\n\n"
        "The instructions of procedures with samples go into the database with their text, so that heatscope annotate and the viewer "
        "need neither the program nor a disassembler: some 16 bytes each.\n\n"
        "Under mpirun (Open MPI or MPICH) the processes share the work: mpirun -n 8 heatscope correlate DIR. The result is the same, "
        "byte for byte; all of them must see the directories and the folder of the result.\n\n"
        "What grows with the number of processes, threads and samples goes to a temporary file without a name beside the result: samples "
        "always, messages, waits and probes of each process when they take more than an eighth of --memory. In memory must fit what is "
        "distinct (code and calling contexts), some 3 KiB a process, and one measurement file for each thread at work; some 100 MiB are "
        "needed for small inputs: where that is more than --memory, a note says so at the start, or at the end how much it took. Under mpirun --memory is for each process.\n\n"
        "Where nothing is new the database is left as it is: no other files, options, programs, maps, debug information than it was made from, which "
        "is known from .NAME.made beside the result, NAME. Where something is new, packed parts of it that come again are copied. With --cache=none it is made in any case. Sources that are to be embedded make it new always.\n\n"
        "With --cache=on what was read of processes that have ended is kept in .NAME.cache beside the result, and used and brought up to date "
        "from then on. When processes were added, or another directory, "
        "only their files are read the next time; the result is that of reading all, byte for byte. A file is known again by "
        "its contents. Both may be deleted at any time; the cache is never larger than the measurement files. They are sealed with the key in "
        "~/.cache/heatscope/key: what another user or another build of heatscope wrote, or what is damaged, is not used, with one line. "
        "Under mpirun no cache is kept.\n\n"
        "What was read of modules (debug information, symbols, maps) is kept in ~/.cache/heatscope/code, 256 MB at most, sealed with the same key, and used by all later joins as long as the files are those "
        "that were read, but with --cache=none. It may be deleted at any time.\n\n"
        "With several directories (of one job whose hosts share no file system) -o is required.",
    .examples = "  heatscope correlate heatscope-adi-1234\n  heatscope correlate -o job.h5 host1/hs host2/hs\n"
                "  mpirun -n 16 heatscope correlate -o job.h5 big-run",
    .options = options,
};

typedef struct settings {
    const char *output;
    unsigned long long workers, code_kib, memory;
    const char *categories;
    bool launchers, embed, no_sources, no_code, intel, no_times, quiet;
    hsc_join_cache cache;
} settings;

static int set(void *ctx, int option, const char *value) {
    settings *s = ctx;
    switch (option) {
    case OPT_OUTPUT:
        if (!strcmp(value, "-"))
            return hsc_cli_bad_value(&command, option, "a file, which is written beside and renamed", value);
        s->output = value;
        return -1;
    case OPT_JOBS:
        if (!hsc_cli_parse_u64(value, 1, 256, &s->workers))
            return hsc_cli_bad_value(&command, option, "a number from 1 to 256", value);
        return -1;
    case OPT_LAUNCHERS:
        s->launchers = true;
        return -1;
    case OPT_CATEGORIES:
        s->categories = value;
        return -1;
    case OPT_EMBED:
        s->embed = true;
        return -1;
    case OPT_SOURCES:
        s->embed = !strcmp(value, "embed");
        s->no_sources = !strcmp(value, "none");
        if (!s->embed && !s->no_sources && strcmp(value, "beside"))
            return hsc_cli_bad_value(&command, option, "beside, embed or none", value);
        return -1;
    case OPT_CODE:
        s->no_code = !strcmp(value, "none");
        if (!s->no_code && !hsc_cli_parse_u64(value, 1, 4u << 20, &s->code_kib))
            return hsc_cli_bad_value(&command, option, "none, or KiB from 1 to 4194304", value);
        return -1;
    case OPT_SYNTAX:
        s->intel = !strcmp(value, "intel");
        if (!s->intel && strcmp(value, "att"))
            return hsc_cli_bad_value(&command, option, "att or intel", value);
        return -1;
    case OPT_TIME:
        s->no_times = !strcmp(value, "none");
        if (!s->no_times && strcmp(value, "samples"))
            return hsc_cli_bad_value(&command, option, "samples or none", value);
        return -1;
    case OPT_MEMORY:
        if (!hsc_cli_parse_bytes(value, 1ull << 20, 1ull << 50, &s->memory))
            return hsc_cli_bad_value(&command, option, "a size of 1M or more, as 512M or 4G", value);
        return -1;
    case OPT_CACHE:
        s->cache = !strcmp(value, "on") ? HSC_CACHE_ON : !strcmp(value, "none") ? HSC_CACHE_OFF : HSC_CACHE_AUTO;
        if (s->cache == HSC_CACHE_AUTO && strcmp(value, "auto"))
            return hsc_cli_bad_value(&command, option, "auto, on or none", value);
        return -1;
    default:
        s->quiet = true;
        return -1;
    }
}

static double share(const hsc_join_summary *s, int from, int to) {
    uint64_t n = 0;
    for (int i = from; i <= to; i++)
        n += s->attributed[i];
    return s->samples ? 100.0 * (double)n / (double)s->samples : 0;
}

static const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

static void tell(const hsc_join_summary *s, const char *output, const char *next) {
    printf("%s: %llu sample%s", output, (unsigned long long)s->records, plural(s->records));
    if (s->records != s->samples)
        printf(" for %llu periods", (unsigned long long)s->samples);
    printf(" of %.2f s CPU time, %llu process%s, %llu thread%s\n", s->cpu_s, (unsigned long long)s->processes, s->processes == 1 ? "" : "es", (unsigned long long)s->threads,
           plural(s->threads));
    if (s->is_unchanged)
        printf("nothing is new: %s is left as it is\n", output);
    else if (s->processes_reused)
        printf("reused: %llu of %llu processes were read before; %llu file%s read\n", (unsigned long long)s->processes_reused,
               (unsigned long long)s->processes, (unsigned long long)(s->files - s->processes_reused),
               plural(s->files - s->processes_reused));
    if (s->chunks_reused)
        printf("copied: %llu packed chunk%s of the database that was there\n", (unsigned long long)s->chunks_reused, plural(s->chunks_reused));
    if (s->tables_kept)
        printf("kept: values of %llu thread%s in %llu table%s of it\n", (unsigned long long)s->threads_kept, plural(s->threads_kept),
               (unsigned long long)s->tables_kept, plural(s->tables_kept));
    if (s->times_kept)
        printf("kept: samples in the order of time of %llu thread%s of it\n", (unsigned long long)s->times_kept, plural(s->times_kept));
    if (s->times_grown)
        printf("kept: first samples of %llu thread%s of it\n", (unsigned long long)s->times_grown, plural(s->times_grown));
    printf("attributed, of that time: %.1f %% by the map (%.1f %% in loops), %.1f %% by debug information, %.1f %% by symbol, "
           "%.1f %% less\n",
           share(s, HSC_LEVEL_LOOP, HSC_LEVEL_MAP), share(s, HSC_LEVEL_LOOP, HSC_LEVEL_LOOP),
           share(s, HSC_LEVEL_LINE, HSC_LEVEL_LINE), share(s, HSC_LEVEL_PROCEDURE, HSC_LEVEL_PROCEDURE),
           share(s, HSC_LEVEL_MODULE, HSC_LEVEL_NOTHING));
    if (s->sources_embedded || s->sources_missing || s->sources_changed)
        printf("sources: %llu embedded, %llu not found, %llu changed since the build\n", (unsigned long long)s->sources_embedded,
               (unsigned long long)s->sources_missing, (unsigned long long)s->sources_changed);
    printf("next: heatscope report %s   or   heatscope view %s\n", next, next);
}

int hsc_cmd_correlate(int argc, char **argv) {
    settings s = {0};
    int first = 0, code = hsc_cli_parse(&command, argc, argv, set, &s, &first);
    if (code >= 0)
        return code;
    if (first >= argc) {
        fprintf(stderr, "heatscope correlate: which measurement directory? 'heatscope correlate --help' tells more\n");
        return HSC_EXIT_USAGE;
    }
    char buffer[PATH_MAX];
    if (!s.output) {
        if (argc - first > 1) {
            fprintf(stderr, "heatscope correlate: several directories: say with -o FILE where the database goes\n");
            return HSC_EXIT_USAGE;
        }
        size_t n = strlen(argv[first]);
        const char *slash = n && argv[first][n - 1] == '/' ? "" : "/";
        if (!hsc_cli_is_measurement(argv[first])) {
            if (!hsc_cli_is_database(argv[first]))
                slash = n > 4 && !strcmp(argv[first] + n - 4, ".hsr") ? "." : slash;
            if (*slash != '.') {
                fprintf(stderr, "heatscope correlate: %s: %s\n", argv[first], access(argv[first], F_OK) ? strerror(errno) : "not a measurement directory");
                return HSC_EXIT_FAILED;
            }
        }
        if (snprintf(buffer, sizeof buffer, "%s%s%s", argv[first], slash, *slash == '.' ? "h5" : "heatscope.h5") >=
            (int)sizeof buffer) {
            fprintf(stderr, "heatscope correlate: %s: path too long\n", argv[first]);
            return HSC_EXIT_FAILED;
        }
        s.output = buffer;
    }
    hsc_join_summary summary;
    const hsc_join_options wanted = {.inputs = (const char *const *)(argv + first),
                                     .input_count = (size_t)(argc - first),
                                     .output = s.output,
                                     .workers = (unsigned)s.workers,
                                     .memory_bytes = s.memory,
                                     .cache = s.cache,
                                     .keep_launchers = s.launchers,
                                     .embed_sources = s.embed, .no_sources = s.no_sources,
                                     .no_code = s.no_code,
                                     .code_bytes = (uint64_t)s.code_kib << 10,
                                     .intel = s.intel,
                                     .no_times = s.no_times,
                                     .categories = s.categories};
    code = hsc_cli_correlate_together("correlate", &wanted, &summary);
    if (code >= 0)
        return code;
    hsc_cli_warn("correlate", &summary);
    if (!s.quiet)
        tell(&summary, s.output, s.output == buffer && hsc_cli_is_measurement(argv[first]) ? argv[first] : s.output);
    return HSC_EXIT_OK;
}
