/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope cc, c++, fc: the compiler with the pass added; everything else is passed through. */
#include "cli.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heatscope/formats/stream.h>

#define RESPONSE_FILE_MAX_BYTES (16u << 20)
#define RESPONSE_FILE_DEPTH 8

enum { OPT_PROBE, OPT_PROBE_FILE };
static const hsc_cli_option options[] = {
    {"probe", 0, "LIST", "compile probes in (with '=' only, several times): see below"},
    {"probe-file", 0, "FILE", "the same from a file, one item a line; '-' before an item excludes, '#' begins a comment"},
    {NULL, 0, NULL, NULL}};

#define PROBES \
    "\n\nLIST, separated by commas: procedures:NAME, loops:FILE:LINE, calls:CALLEE, messages, values, with\n" \
    "shell patterns and without a name for all (of loops: outermost ones; loops:FILE:* for inner ones too);\n" \
    "'-' before an item excludes what it names; auto[:PERCENT]: procedures and loops that, as far as the code\n" \
    "tells, work so long that probes cost less (1), a remark says where none does; keep: procedures that are\n" \
    "named are not inlined. Probes do nothing until 'heatscope run' measures the program; it links and runs\n" \
    "without Heatscope. They are put in after all optimisation: code that was inlined elsewhere has none."

#define DESCRIPTION(compiler, variable) \
    "Runs " compiler " with ARGS and the compiler pass, which writes into each object file what the\n" \
    "source looks like (procedures, loops, calls) and which machine code came of it. The pass changes\n" \
    "no code. Line tables (-gline-tables-only) are asked for when ARGS have no -g option: of a few files\n" \
    "the compiler itself makes other code with any -g than without (-g adds names\n" \
    "of local arrays, and whole names and lines of inlined C++ procedures), a build id when the command\n" \
    "links, and -s (-Wl,--strip-all, ...) is left out of it, since nothing would be known of a stripped\n" \
    "program's code: 'heatscope map --save' keeps that, before 'strip'; nothing is added to commands that only preprocess or print. With -flto and -fuse-ld=lld the\n" \
    "linker loads the pass as well; bfd and gold can't: the map is then that of before\nlinking, and a line on standard error says so.\nOf a program that is linked statically (-static) it says that 'heatscope run' can't measure it.\n\n" \
    "All ARGS go to the compiler, --help and --version too when called by the name heatscope-" \
    "..., which serves\nas CC=, OMPI_CC= or CMAKE_C_COMPILER=. " variable \
    " names another compiler; it must be of LLVM 19." PROBES

static const hsc_cli_command commands[] = {
    {"cc", "Compile C with the pass (clang)", "ARGS...", DESCRIPTION("clang-19", "HEATSCOPE_CC"),
     "  heatscope cc -O2 -c solver.c\n  make CC=heatscope-cc\n  OMPI_CC=heatscope-cc mpicc -O2 -o solver solver.c",
     options, true},
    {"c++", "Compile C++ with the pass (clang++)", "ARGS...", DESCRIPTION("clang++-19", "HEATSCOPE_CXX"),
     "  heatscope c++ -O2 -c solver.cpp\n  cmake -DCMAKE_CXX_COMPILER=heatscope-c++ ...\n"
     "  OMPI_CXX=heatscope-c++ mpicxx -O2 -o solver solver.cpp",
     options, true},
    {"fc", "Compile Fortran with the pass (flang)", "ARGS...",
     DESCRIPTION("flang-new-19", "HEATSCOPE_FC") "\n\n"
     "`use mpi` works even if the MPI library's module files were made by gfortran, which flang cannot\n"
     "read: a module with the same constants and procedures is then made from its mpif.h, once, in the\n"
     "user's cache directory. For Open MPI the same is done for `use mpi_f08`; other libraries must\n"
     "have been built with flang for that.",
     "  heatscope fc -O2 -c solver.f90\n  OMPI_FC=heatscope-fc mpif90 -O2 -o solver solver.f90", options, true}};

enum { CC, CXX, FC };

static const char *const variables[] = {"HEATSCOPE_CC", "HEATSCOPE_CXX", "HEATSCOPE_FC"};
static const char *const compilers[][3] = {{"clang-19", "/usr/lib/llvm-19/bin/clang", NULL},
                                           {"clang++-19", "/usr/lib/llvm-19/bin/clang++", NULL},
                                           {"flang-new-19", "/usr/lib/llvm-19/bin/flang-new", NULL}};

/* What the arguments ask for. */
typedef struct request {
    int language;
    bool compiles;   /* some source goes through the optimiser */
    bool links;
    bool prints;     /* only preprocesses or prints */
    bool has_debug;  /* some -g option decides */
    bool has_build_id;
    bool has_inputs;
    bool is_relocatable;
    bool optimises_at_link;
    bool strips; /* by an option in a file of arguments */
    bool is_static;
    const char *linker; /* option that names it; NULL */
    const char **include; /* directories of -I, in order; borrowed */
    size_t n_include;
} request;

static void *must(void *p) {
    if (!p) {
        fprintf(stderr, "heatscope: out of memory\n");
        exit(HSC_EXIT_FAILED);
    }
    return p;
}

static bool starts(const char *s, const char *prefix) {
    return !strncmp(s, prefix, strlen(prefix));
}

static bool in_list(const char *s, const char *const *list) {
    for (; *list; list++)
        if (!strcmp(s, *list))
            return true;
    return false;
}

static bool is_source(const char *name) {
    static const char *const suffixes[] = {"c",   "i",   "cc",  "cp",  "cxx", "cpp", "CPP", "c++", "C",   "ii",  "cu",
                                           "m",   "mm",  "f",   "for", "ftn", "F",   "FOR", "FTN", "f90", "f95", "f03",
                                           "f08", "F90", "F95", "F03", "F08", "fpp", "FPP", "bc",  "ll",  NULL};
    const char *dot = strrchr(name, '.');
    return dot && !strchr(dot, '/') && in_list(dot + 1, suffixes);
}

/* Options that decide whether there is debug information; others that begin with -g only shape it. */
static bool decides_debug(const char *a) {
    static const char *const exact[] = {"-g",       "-g0",   "-g1",   "-g2",    "-g3",   "-gfull", "-gused", "-gmlt", "-gline-tables-only",
                                        "-gline-directives-only", "-gdwarf", "-glldb", "-gsce", "-gdbx", "-gcodeview", NULL};
    return in_list(a, exact) || starts(a, "-ggdb") ||
           (starts(a, "-gdwarf-") && isdigit((unsigned char)a[8]));
}

/* Options of the linker that leave the line tables or all symbols out: what a map is read by. */
static bool is_stripping(const char *a) {
    static const char *const exact[] = {"-s", "-S", "--strip-all", "-strip-all", "--strip-debug", "-strip-debug", NULL};
    return in_list(a, exact);
}

/* Takes such options out of "-Wl,LIST"; -1: nothing else was in it. Returns how many. */
static int take_stripping(char *list) {
    int taken = 0;
    char *to = list + strlen("-Wl"), *from = to;
    while (*from) { /* at a comma */
        size_t n = 1 + strcspn(from + 1, ",");
        char last = from[n];
        from[n] = 0;
        bool strips = is_stripping(from + 1);
        from[n] = last;
        if (strips)
            taken++;
        else {
            memmove(to, from, n);
            to += n;
        }
        from += n;
    }
    *to = 0;
    return taken && to == list + strlen("-Wl") ? -1 : taken;
}

static void scan(request *r, int argc, char **argv, int depth);

/* Adds to what the environment asks the pass for. */
static void ask_pass(const char *variable, const char *value, char separator) {
    const char *old = getenv(variable);
    size_t n = (old ? strlen(old) : 0) + strlen(value) + 2;
    char *text = must(malloc(n));
    snprintf(text, n, "%s%.1s%s", old && *old ? old : "", old && *old ? &separator : "", value);
    setenv(variable, text, 1);
    free(text);
}

static bool asks_for_probes(void) {
    const char *list = getenv("HEATSCOPE_PROBE"), *files = getenv("HEATSCOPE_PROBE_FILE");
    return (list && *list) || (files && *files);
}

/* Takes our own options out of the arguments; -1, or the exit code for wrong ones. */
static int take_options(const char *name, int *argc, char **argv) {
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        if (starts(argv[i], "--probe=") && argv[i][8])
            ask_pass("HEATSCOPE_PROBE", argv[i] + 8, ',');
        else if (starts(argv[i], "--probe-file=") && argv[i][13])
            ask_pass("HEATSCOPE_PROBE_FILE", argv[i] + 13, ':');
        else if (!strcmp(argv[i], "--probe") || !strcmp(argv[i], "--probe-file") || !strcmp(argv[i], "--probe=") ||
                 !strcmp(argv[i], "--probe-file=")) {
            size_t n = strcspn(argv[i], "=");
            fprintf(stderr, "heatscope %s: %.*s needs a value, as in %.*s=%s\n", name, (int)n, argv[i], (int)n, argv[i],
                    strstr(argv[i], "file") ? "FILE" : "procedures:NAME");
            return HSC_EXIT_USAGE;
        } else
            argv[kept++] = argv[i];
    }
    argv[kept] = NULL;
    *argc = kept;
    return -1;
}

/* "@FILE": arguments in a file, for the scan only; the compiler reads it by itself. */
static bool scan_response_file(request *r, const char *path, int depth) {
    struct stat st;
    FILE *f = depth < RESPONSE_FILE_DEPTH ? fopen(path, "rb") : NULL;
    if (!f)
        return false;
    if (fstat(fileno(f), &st) || st.st_size > (off_t)RESPONSE_FILE_MAX_BYTES) {
        fclose(f);
        return false;
    }
    size_t size = (size_t)st.st_size;
    char *text = must(malloc(size + 1)), *out = text;
    char **argv = must(malloc((size / 2 + 2) * sizeof *argv)); /* not freed: -I directories point into it */
    size = fread(text, 1, size, f);
    fclose(f);
    int argc = 0;
    char *in = text, *end = text + size;
    while (in < end) {
        while (in < end && isspace((unsigned char)*in))
            in++;
        if (in == end)
            break;
        argv[argc++] = out;
        char quote = 0;
        for (; in < end && (quote || !isspace((unsigned char)*in)); in++) {
            if (*in == '\\' && in + 1 < end && quote != '\'')
                *out++ = *++in;
            else if (quote ? *in == quote : *in == '"' || *in == '\'')
                quote = quote ? 0 : *in;
            else
                *out++ = *in;
        }
        in += in < end;
        *out++ = 0;
    }
    scan(r, argc, argv, depth + 1);
    return true;
}

static void scan(request *r, int argc, char **argv, int depth) {
    static const char *const printing[] = {"-E",     "-M",     "-MM",       "-fsyntax-only", "--version", "-dumpversion", "-dumpmachine",
                                           "-###",   "--help", "-cc1",      "-fc1",          "-cc1as",    "-help",        "-v-only",
                                           "--help-hidden", "-dumpspecs", NULL};
    /* options whose value is the next argument, so that it is not taken for an input */
    static const char *const with_value[] = {"-o", "-MF", "-MT", "-MQ", "-D", "-U", "-isystem", "-iquote", "-idirafter", "-include", "-imacros",
                                             "-L", "-l", "-Xclang", "-Xlinker", "-Xassembler", "-Xpreprocessor", "-Xflang", "-mllvm", "-mmlir", "-target",
                                             "-arch", "-z", "-T", "-u", "-e", "-h", "-J", "-module-dir", "-isysroot", "--sysroot", "-iprefix",
                                             "-iwithprefix", "-rpath", "--param", "-dumpbase", "-dumpdir", "-aux-info", "-B", NULL};
    for (int i = 0; i < argc; i++) {
        const char *a = argv[i];
        if (a[0] == '@' && a[1] && scan_response_file(r, a + 1, depth))
            continue;
        if (a[0] != '-' || !a[1]) {
            r->has_inputs = true;
            r->compiles = r->compiles || is_source(a); /* "-" needs -x, which tells */
            continue;
        }
        if (in_list(a, printing) || starts(a, "-print-") || starts(a, "--print-") || starts(a, "-emit-pch"))
            r->prints = true;
        else if (!strcmp(a, "-c") || !strcmp(a, "-S"))
            r->links = false;
        else if (!strcmp(a, "-r") || !strcmp(a, "-Wl,-r"))
            r->is_relocatable = true;
        else if (decides_debug(a))
            r->has_debug = true;
        else if (strstr(a, "--build-id") && (starts(a, "-Wl,") || starts(a, "--build-id")))
            r->has_build_id = true;
        else if (depth && (!strcmp(a, "-s") || (starts(a, "-Wl,") && take_stripping(argv[i]))))
            r->strips = true;
        else if (!strcmp(a, "-static") || !strcmp(a, "--static") || !strcmp(a, "-static-pie"))
            r->is_static = true;
        else if (starts(a, "-flto"))
            r->optimises_at_link = true;
        else if (!strcmp(a, "-fno-lto"))
            r->optimises_at_link = false;
        else if (starts(a, "-fuse-ld=") || starts(a, "--ld-path="))
            r->linker = a;
        else if (!strcmp(a, "-x") && i + 1 < argc) {
            const char *language = argv[++i];
            r->compiles = r->compiles || (strcmp(language, "none") && !starts(language, "assembler") && !strstr(language, "header"));
            continue;
        } else if (starts(a, "-x") && !starts(a + 2, "assembler"))
            r->compiles = true;
        if (starts(a, "-I")) {
            const char *dir = a[2] ? a + 2 : i + 1 < argc ? argv[++i] : NULL;
            if (dir) {
                r->include = must(realloc(r->include, (r->n_include + 1) * sizeof *r->include));
                r->include[r->n_include++] = dir;
            }
        } else if (in_list(a, with_value)) {
            if (!strcmp(a, "-Xlinker") && i + 1 < argc && starts(argv[i + 1], "--build-id"))
                r->has_build_id = true;
            i++;
        }
    }
}

/* ---- Fortran modules of an MPI library that gfortran compiled ------------------------------------------------------ */

/* Folder among the -I ones with a file of that name; NULL: none. */
static const char *include_with(const request *r, const char *name, char *path, size_t size) {
    for (size_t i = 0; i < r->n_include; i++)
        if (snprintf(path, size, "%s/%s", r->include[i], name) < (int)size && access(path, R_OK) == 0)
            return r->include[i];
    return NULL;
}

/* gfortran compresses its module files; flang's are text. */
static bool is_foreign_module(const char *path) {
    unsigned char head[2] = {0};
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    bool foreign = fread(head, 1, 2, f) == 2 && head[0] == 0x1f && head[1] == 0x8b;
    fclose(f);
    return foreign;
}

static bool make_folders(char *path) {
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            bool ok = mkdir(path, 0700) == 0 || errno == EEXIST;
            *p = '/';
            if (!ok)
                return false;
        }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static uint64_t hash_text(uint64_t h, const char *s) {
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    return (h ^ 0xff) * 0x100000001b3u;
}

/* Changes with every file of the folder that the source lies in, as it includes some of them. */
static uint64_t hash_sources(const char *source) {
    char path[PATH_MAX], text[PATH_MAX + 96];
    uint64_t sum = 0; /* in any order */
    struct stat st;
    int n = (int)(strrchr(source, '/') - source);
    if (snprintf(path, sizeof path, "%.*s", n, source) >= (int)sizeof path)
        return 0;
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.' && fstatat(dirfd(dir), e->d_name, &st, 0) == 0) {
            snprintf(text, sizeof text, "%s %lld %lld.%09ld", e->d_name, (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
            sum += hash_text(0xcbf29ce484222325u, text);
        }
    if (dir)
        closedir(dir);
    return sum;
}

/* Where the module made for this mpif.h and this compiler is kept. */
static bool cache_folder(const char *compiler, const char *mpif, const char *source, char *path, size_t size) {
    struct stat st;
    char stamp[96];
    uint64_t h = 0xcbf29ce484222325u;
    if (stat(mpif, &st))
        return false;
    snprintf(stamp, sizeof stamp, "%lld %lld %llx", (long long)st.st_mtime, (long long)st.st_size, (unsigned long long)hash_sources(source));
    h = hash_text(hash_text(hash_text(h, compiler), mpif), stamp);
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n;
    if (cache && cache[0] == '/')
        n = snprintf(path, size, "%s/heatscope/fortran-%016llx", cache, (unsigned long long)h);
    else if (home && home[0] == '/')
        n = snprintf(path, size, "%s/.cache/heatscope/fortran-%016llx", home, (unsigned long long)h);
    else
        n = snprintf(path, size, "/tmp/heatscope-%u/fortran-%016llx", (unsigned)getuid(), (unsigned long long)h);
    return n > 0 && (size_t)n < size;
}

/* Compiles a source of share/heatscope/fortran with the library's mpif.h into `folder`, where module `name` is wanted; other builds
 * may do the same at the same time, so the result is put there by renaming. `plain`: only what mpif.h says, for libraries that name procedures
 * in it themselves; this second try may tell the user what is wrong. */
static bool build_module(char **compiler, int n_compiler, const char *source, const char *name, const char *include,
                         const char *folder, bool plain) {
    char work[PATH_MAX], made[PATH_MAX + 32], final[PATH_MAX + 32], flag[PATH_MAX + 2];
    if (snprintf(work, sizeof work, "%s/new-XXXXXX", folder) >= (int)sizeof work || !mkdtemp(work))
        return false;
    snprintf(flag, sizeof flag, "-I%s", include);
    char **argv = must(calloc((size_t)n_compiler + 9, sizeof *argv));
    int n = 0;
    for (; n < n_compiler; n++)
        argv[n] = compiler[n];
    argv[n++] = flag;
    if (plain)
        argv[n++] = (char *)"-DHEATSCOPE_ONLY_MPIF_H";
    argv[n++] = (char *)"-fsyntax-only";
    argv[n++] = (char *)"-module-dir";
    argv[n++] = work;
    argv[n++] = (char *)source;
    pid_t child = fork();
    if (child == 0) {
        int null = plain ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        if (null >= 0) {
            dup2(null, STDOUT_FILENO);
            dup2(null, STDERR_FILENO);
        }
        execvp(argv[0], argv);
        _exit(127);
    }
    int status = 0;
    bool ok = child > 0;
    while (ok && waitpid(child, &status, 0) < 0)
        ok = errno == EINTR;
    static const char constants[] = "heatscope_mpif"; /* what module mpi_f08 uses */
    for (int k = 0; k < 2; k++) {
        snprintf(made, sizeof made, "%s/%s.mod", work, k ? name : constants);
        snprintf(final, sizeof final, "%s/%s.mod", folder, k ? name : constants);
        ok = ok && WIFEXITED(status) && WEXITSTATUS(status) == 0 && (rename(made, final) == 0 || (!k && errno == ENOENT));
        unlink(made);
    }
    rmdir(work);
    free(argv);
    return ok;
}

/* The folder with an mpi.mod that flang can read, if the one on the command line is of the other kind; NULL: not
 * needed, or not to be had (the compiler's own message then tells). */
static const char *module_folder(const request *r, char **compiler, int n_compiler, char *folder, size_t size) {
    char module[PATH_MAX], mpif[PATH_MAX], source[PATH_MAX], done[PATH_MAX + 16];
    if (!include_with(r, "mpi.mod", module, sizeof module) || !is_foreign_module(module))
        return NULL;
    const char *include = include_with(r, "mpif.h", mpif, sizeof mpif);
    if (!include || !hsc_cli_share_file("fortran/mpi.F90", source, sizeof source) ||
        !cache_folder(compiler[n_compiler - 1], mpif, source, folder, size))
        return NULL;
    snprintf(done, sizeof done, "%s/mpi.mod", folder);
    if (access(done, R_OK) == 0)
        return folder;
    if (!make_folders(folder) || (!build_module(compiler, n_compiler, source, "mpi", include, folder, false) &&
                                  !build_module(compiler, n_compiler, source, "mpi", include, folder, true))) {
        fprintf(stderr, "heatscope fc: no mpi module could be made from %s in %s; 'use mpi' will fail\n", mpif, folder);
        return NULL;
    }
    return folder;
}

/* The folder with an mpi_f08.mod of ours, for Open MPI, whose mpif.h is made of several files and whose procedures of Fortran 77 let the
 * error code be left out. Returns false when that is not needed or not to be had. */
static bool f08_folder(const request *r, char **compiler, int n_compiler, char *folder, size_t size) {
    char found[PATH_MAX], source[PATH_MAX], done[PATH_MAX + 16];
    if (!include_with(r, "mpi_f08.mod", found, sizeof found) || !is_foreign_module(found))
        return false;
    const char *include = include_with(r, "mpif-handles.h", found, sizeof found);
    if (!include || !hsc_cli_share_file("fortran/mpi_f08.F90", source, sizeof source) ||
        !cache_folder(compiler[n_compiler - 1], found, source, folder, size))
        return false;
    snprintf(done, sizeof done, "%s/mpi_f08.mod", folder);
    return access(done, R_OK) == 0 ||
           (make_folders(folder) && build_module(compiler, n_compiler, source, "mpi_f08", include, folder, false));
}

/* Where there is no mpi_f08 for flang, it would print each byte of the foreign file as an error. A file that it refuses at once, in a
 * folder whose name says why, makes one line of it. Returns false when that is not needed. */
static bool refusing_folder(const request *r, const char *cache, char *folder, size_t size) {
    static const char text[] = "This MPI library has no mpi_f08 for flang; use mpi or mpif.h\n";
    char foreign[PATH_MAX], file[PATH_MAX + 16];
    hsc_err err = {0};
    if (!include_with(r, "mpi_f08.mod", foreign, sizeof foreign) || !is_foreign_module(foreign) ||
        snprintf(folder, size, "%s/mpi_f08-was-not-compiled-by-flang-use-mpi-instead", cache) >= (int)size ||
        !make_folders(folder))
        return false;
    snprintf(file, sizeof file, "%s/mpi_f08.mod", folder);
    return access(file, R_OK) == 0 || hsc_file_write_atomic(file, text, sizeof text - 1, &err) == HSC_OK;
}

/* ---- link-time optimisation ------------------------------------------------------------------------------------------ */

/* Is the linker that the option names an lld of LLVM 19, which can load the pass? bfd and gold can't, and one of another
 * version must not: it would refuse the whole link. */
static bool linker_loads_pass(char **compiler, int n_compiler, const char *option) {
    char text[256] = "";
    int out[2], status = 0;
    size_t at = 0;
    if (!option || !strstr(option, "lld") || pipe2(out, O_CLOEXEC))
        return false;
    char **argv = must(calloc((size_t)n_compiler + 3, sizeof *argv));
    for (int i = 0; i < n_compiler; i++)
        argv[i] = compiler[i];
    argv[n_compiler] = must(strdup(option));
    argv[n_compiler + 1] = (char *)"-Wl,--version";
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(out[1], STDOUT_FILENO);
        if (null >= 0)
            dup2(null, STDERR_FILENO);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(out[1]);
    for (ssize_t n; child > 0 && at + 1 < sizeof text && (n = read(out[0], text + at, sizeof text - 1 - at)) != 0;)
        if (n > 0)
            at += (size_t)n;
        else if (errno != EINTR)
            break;
    close(out[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    free(argv[n_compiler]);
    free(argv);
    return strstr(text, "LLD 19.") != NULL;
}

/* ---- running it ---------------------------------------------------------------------------------------------------- */

/* The compiler's command: HEATSCOPE_CC and the like, split at blanks, or the first of the known names that there is. */
static int find_compiler(int language, char ***out) {
    const char *value = getenv(variables[language]);
    char **argv = must(calloc(64, sizeof *argv));
    int n = 0;
    *out = argv;
    if (value && *value) {
        char *copy = must(strdup(value)), *save = NULL;
        for (char *w = strtok_r(copy, " \t", &save); w && n < 62; w = strtok_r(NULL, " \t", &save))
            argv[n++] = w;
        return n;
    }
    for (const char *const *c = compilers[language]; *c && !n; c++) {
        const char *path = getenv("PATH");
        if ((*c)[0] == '/') {
            if (access(*c, X_OK) == 0)
                argv[n++] = must(strdup(*c));
            continue;
        }
        char candidate[PATH_MAX];
        for (const char *p = path ? path : "/usr/bin:/bin"; *p && !n;) {
            size_t k = strcspn(p, ":");
            if (snprintf(candidate, sizeof candidate, "%.*s/%s", (int)k, p, *c) < (int)sizeof candidate &&
                access(candidate, X_OK) == 0)
                argv[n++] = must(strdup(candidate));
            p += k + (p[k] == ':');
        }
    }
    return n;
}

/* Of PATH the folder where we have the compilers' names (`heatscope config --compilers`) is taken out: what is called below is the real one. */
static void leave_own_folder(void) {
    char own[PATH_MAX], folder[PATH_MAX], real[PATH_MAX], at[PATH_MAX];
    const char *path = getenv("PATH");
    if (!path || !hsc_cli_lib_file("compilers", folder, sizeof folder) || !realpath(folder, own))
        return;
    char *left = must(calloc(strlen(path) + 1, 1)), *to = left;
    bool any = false, first = true;
    for (const char *p = path;; p++) {
        size_t n = strcspn(p, ":");
        snprintf(at, sizeof at, "%.*s", (int)n, p);
        bool is_own = realpath(at, real) && !strcmp(real, own);
        any = any || is_own;
        if (!is_own) {
            to += sprintf(to, "%s%.*s", first ? "" : ":", (int)n, p); /* an empty one is the working directory */
            first = false;
        }
        p += n;
        if (!*p)
            break;
    }
    if (any)
        setenv("PATH", left, 1);
    free(left);
}

static bool is_ourselves(const char *compiler) {
    char own[PATH_MAX], other[PATH_MAX];
    return strchr(compiler, '/') && realpath("/proc/self/exe", own) && realpath(compiler, other) && !strcmp(own, other);
}

/* Of a link: what would leave the map unreadable is taken out of the arguments (of files of them it can't be). */
static void leave_out_stripping(const char *name, const request *r, int *argc, char **argv) {
    int kept = 1;
    bool any = false;
    for (int i = 1; i < *argc; i++) {
        bool whole = !strcmp(argv[i], "-s"), pair = !strcmp(argv[i], "-Xlinker") && i + 1 < *argc && is_stripping(argv[i + 1]);
        int taken = starts(argv[i], "-Wl,") ? take_stripping(argv[i]) : whole || pair ? -1 : 0;
        any = any || taken;
        if (taken >= 0)
            argv[kept++] = argv[i];
        i += pair;
    }
    argv[kept] = NULL;
    *argc = kept;
    if (any || r->strips)
        fprintf(stderr, "heatscope %s: %s, or nothing will be known of the program's code; 'strip' makes it as small, after 'heatscope map --save'\n", name,
                r->strips ? "leave -s out of the file of arguments" : "-s is left out");
}

static int run(int language, int argc, char **argv) {
    const hsc_cli_command *c = &commands[language];
    bool as_command = !strcmp(argv[0], c->name);
    int first = 0;
    if (as_command && argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "--man")))
        return hsc_cli_parse(c, argc, argv, NULL, NULL, &first);
    int wrong = take_options(c->name, &argc, argv);
    if (wrong >= 0)
        return wrong;
    if (as_command && argc < 2) {
        fprintf(stderr, "heatscope %s: no arguments for the compiler; 'heatscope %s --help' tells more\n", c->name,
                c->name);
        return HSC_EXIT_USAGE;
    }
    char **compiler, pass[PATH_MAX], plugin[PATH_MAX + 64], modules[PATH_MAX], module_flag[PATH_MAX + 2];
    char refusing[PATH_MAX], refusing_flag[PATH_MAX + 2], at_link[PATH_MAX + 64], header[PATH_MAX], told[PATH_MAX], told_flag[PATH_MAX + 2];
    leave_own_folder();
    int n_compiler = find_compiler(language, &compiler);
    if (!n_compiler) {
        fprintf(stderr, "heatscope %s: no %s found (package %s); %s names another compiler of LLVM 19\n", c->name,
                compilers[language][0], language == FC ? "flang-19" : "clang-19", variables[language]);
        return HSC_EXIT_FAILED;
    }
    if (is_ourselves(compiler[n_compiler - 1])) {
        fprintf(stderr, "heatscope %s: %s names heatscope itself: %s\n", c->name, variables[language],
                compiler[n_compiler - 1]);
        return HSC_EXIT_FAILED;
    }
    request r = {.language = language, .links = true};
    scan(&r, argc - 1, argv + 1, 0);
    if (!r.prints && r.links && r.has_inputs)
        leave_out_stripping(c->name, &r, &argc, argv);
    if (!r.prints && r.links && r.has_inputs && r.is_static)
        fprintf(stderr, "heatscope %s: a program that is linked statically can't be measured: nothing can be loaded into it; link it without -static\n", c->name);
    char **all = must(calloc((size_t)(n_compiler + argc) + 15, sizeof *all));
    int n = 0;
    for (; n < n_compiler; n++)
        all[n] = compiler[n];
    if (!r.prints && r.compiles) {
        if (!hsc_cli_lib_file("heatscope-pass-" HEATSCOPE_VERSION ".so", pass, sizeof pass)) {
            fprintf(stderr, "heatscope %s: the compiler pass is missing: %s\n", c->name, pass);
            return HSC_EXIT_FAILED;
        }
        snprintf(plugin, sizeof plugin, "-fpass-plugin=%s", pass);
        all[n++] = plugin;
        if (language != FC && asks_for_probes())
            all[n++] = (char *)"-Rremark-backend-plugin"; /* else clang drops what the pass says of its choice */
        if (!r.has_debug)
            all[n++] = (char *)(language == FC ? "-g" : "-gline-tables-only");
        if (language == FC && module_folder(&r, compiler, n_compiler, modules, sizeof modules)) {
            snprintf(module_flag, sizeof module_flag, "-I%s", modules);
            all[n++] = module_flag; /* before the library's own folder */
            if (f08_folder(&r, compiler, n_compiler, refusing, sizeof refusing) ||
                refusing_folder(&r, modules, refusing, sizeof refusing)) {
                snprintf(refusing_flag, sizeof refusing_flag, "-I%s", refusing);
                all[n++] = refusing_flag;
            }
        }
    }
    if (!r.prints && r.links && r.has_inputs && r.optimises_at_link) {
        if (!linker_loads_pass(compiler, n_compiler, r.linker))
            fprintf(stderr, "heatscope %s: this linker optimises without the pass: what became of loops is known as it was before linking; -fuse-ld=lld has it as it is\n", c->name);
        else if (hsc_cli_lib_file("heatscope-pass-" HEATSCOPE_VERSION ".so", pass, sizeof pass)) {
            snprintf(at_link, sizeof at_link, "-Wl,--load-pass-plugin=%s", pass);
            all[n++] = at_link;
        }
    }
    if (!r.prints && r.links && r.has_inputs && !r.has_build_id && !r.is_relocatable)
        all[n++] = (char *)"-Wl,--build-id";
    for (int i = 1; i < argc; i++)
        all[n++] = argv[i];
    if (r.compiles && language != FC && hsc_cli_include_file("heatscope.h", header, sizeof header)) { /* found last of all */
        *strrchr(header, '/') = 0;
        all[n++] = (char *)"--start-no-unused-arguments"; /* of preprocessed text */
        all[n++] = (char *)"-idirafter";
        all[n++] = header;
        all[n++] = (char *)"--end-no-unused-arguments";
    }
    if (!r.prints && r.compiles && language == FC && /* module heatscope, omp_lib.h; last: the user's own come first */
        hsc_cli_include_file("heatscope/fortran/heatscope.mod", header, sizeof header)) {
        *strrchr(header, '/') = 0;
        snprintf(told_flag, sizeof told_flag, "-I%s", header);
        all[n++] = told_flag;
    }
    if (!r.prints && r.links && r.has_inputs && !r.is_relocatable && language == FC && hsc_cli_lib_file("libheatscope-fortran.a", told, sizeof told))
        all[n++] = told; /* of programs that use module heatscope; nothing of it is in others */
    all[n] = NULL;
    execvp(all[0], all);
    fprintf(stderr, "heatscope %s: cannot run %s: %s\n", c->name, all[0], strerror(errno));
    return errno == ENOENT ? 127 : 126;
}

int hsc_cmd_cc(int argc, char **argv) {
    return run(CC, argc, argv);
}

int hsc_cmd_cxx(int argc, char **argv) {
    return run(CXX, argc, argv);
}

int hsc_cmd_fc(int argc, char **argv) {
    return run(FC, argc, argv);
}
