#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# builds.sh PREFIX WORK_FOLDER: programs as they are really built (parallel make, ccache, CMake, autotools; archives, shared
# libraries, plug-ins, link-time optimisation, split debug information, stripped ones): the map has every loop, and the
# samples of a run reach it. A loop runs for some 0.2 s of CPU time, sampled 1000 times a second; one sample is asked for.
set -eu
h=$1/bin/heatscope
PATH=$1/bin:$PATH
export PATH
unset CC CFLAGS LDFLAGS MAKEFLAGS HEATSCOPE_CC 2> /dev/null || :
rm -rf "$2"
mkdir -p "$2/source"
cd "$2"
work=$PWD
fail() {
    echo "builds: $*" >&2
    exit 1
}
skipped=
has() {
    command -v "$1" > /dev/null && return 0
    skipped="$skipped $1"
    return 1
}

cd source
cat > main.c << 'X'
#include <dlfcn.h>
#include <stdio.h>
extern unsigned in_archive(unsigned), in_library(unsigned);
static __attribute__((noinline)) unsigned work(unsigned n) {
    unsigned s = 1;
    for (unsigned i = 0; i < n; i++) s = s * 7 + (s >> 3) + i; /* @main */
    return s;
}
__attribute__((noinline)) unsigned dropped(unsigned n) {
    unsigned s = 1;
    for (unsigned i = 0; i < n; i++) s = s * 9 + (s >> 3) + i;
    return s;
}
int main(int argc, char **argv) {
    unsigned n = 60000000u * (unsigned)argc, s = work(n) + in_archive(n) + in_library(n);
    (void)argv;
#ifdef PLUGIN
    void *plugin = dlopen(PLUGIN, RTLD_NOW);
    unsigned (*f)(unsigned) = plugin ? (unsigned (*)(unsigned))dlsym(plugin, "in_plugin") : 0;
    if (!f) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    s += f(n);
#endif
    printf("%u\n", s);
    return 0;
}
X
# one loop each; all have a static function of the same name
for part in archive library plugin; do
    cat > $part.c << X
static __attribute__((noinline)) unsigned work(unsigned n) {
    unsigned s = 1;
    for (unsigned i = 0; i < n; i++) s = s * 5 + (s >> 3) + i; /* @$part */
    return s;
}
unsigned in_$part(unsigned n) { return work(n); }
X
done
cd ..

# loops FOLDER PART...: the loops marked @PART have samples, by the map, and none is reported that did not run
loops() {
    run=$1
    shift
    "$h" correlate -q "$run"
    "$h" report --by=loop --format=csv "$run" > "$run.csv"
    for part; do
        line=$(grep -n "@$part " "$work"/source/*.c | sed 's/^\([^:]*:[0-9]*\):.*/\1/')
        awk -F, -v file="${line%:*}" -v line="${line##*:}" \
            '$7 == line && substr(file, length(file) - length($6) + 1) == $6 && $10 == "map" && $11 >= 1 { n++ } END { exit n != 1 }' "$run.csv" ||
            fail "$run: no samples in the loop of $part by the map: $(cat "$run.csv")"
    done
    line=$(grep -n 's \* 9' "$work/source/main.c" | sed 's/:.*//')
    awk -F, -v line="$line" '$7 == line && $6 ~ /main\.c$/ && $11 > 0 { exit 1 }' "$run.csv" || fail "$run: samples in code that never ran"
}
# measure NAME FOLDER PART...: runs ./program there
measure() {
    name=$1
    (cd "$2" && "$h" run -o "$work/$name.run" ./program) > "$name.log" 2>&1 || fail "$name: $(cat "$name.log")"
    shift 2
    loops "$name.run" "$@"
}

# ---- parallel make: archive, shared library, plug-in ----------------------------------------------------------------
mkdir make
cat > make/Makefile << 'X'
VPATH = ../source
CFLAGS = -O2 -g -fPIC -DPLUGIN='"./plugin.so"'
all: program plugin.so
lib.a: archive.o
	ar rcs $@ $^
lib%.so: %.o
	$(CC) -shared $(LDFLAGS) $^ -o $@
plugin.so: plugin.o
	$(CC) -shared $(LDFLAGS) $^ -o $@
program: main.o lib.a liblibrary.so
	$(CC) $(LDFLAGS) main.o lib.a ./liblibrary.so -ldl -o $@
X
make -s -j4 -C make CC=heatscope-cc
measure make make main archive library plugin

# ---- every linker, with --gc-sections; stripped, found again by build id ---------------------------------------------
objects() { # objects FOLDER OPTIONS...
    mkdir -p "$1"
    (
        cd "$1"
        shift
        for f in main archive library; do
            "$h" cc -O2 -g -ffunction-sections "$@" -c ../source/$f.c -o $f.o &
        done
        wait
    )
}
objects plain
for linker in bfd gold lld; do
    "$h" cc -fuse-ld=$linker -Wl,--gc-sections plain/*.o -ldl -o plain/program
    nm plain/program | grep -q ' dropped$' && fail "$linker: nothing was dropped"
    measure "gc-$linker" plain main archive library
    cp plain/program plain/program.full
    "$h" map --save --store="$linker-stripped.run/maps" plain/program > /dev/null
    strip plain/program
    (cd plain && "$h" run -o "$work/$linker-stripped.run.1" ./program) > log 2>&1 || fail "$linker, stripped: $(cat log)"
    mv "$linker-stripped.run/maps" "$linker-stripped.run.1/maps"
    loops "$linker-stripped.run.1" main archive library
done

# ---- link-time optimisation ----------------------------------------------------------------------------------------------
for lto in full thin; do
    objects $lto -flto=$lto
    for linker in lld bfd; do
        "$h" cc -O2 -g -flto=$lto -fuse-ld=$linker $lto/*.o -ldl -o $lto/program
        measure "lto-$lto-$linker" $lto main archive library
    done
done

# ---- split debug information ------------------------------------------------------------------------------------------
objects split -gsplit-dwarf
"$h" cc split/*.o -ldl -o split/program
measure split split main archive library

# ---- ccache --------------------------------------------------------------------------------------------------------------
if has ccache; then
    mkdir cached
    CCACHE_DIR=$work/ccache
    HEATSCOPE_CC="ccache clang-19"
    CCACHE_EXTRAFILES=$("$h" config --pass)
    CCACHE_NOHASHDIR=
    unset CCACHE_NOHASHDIR CCACHE_DISABLE CCACHE_RECACHE
    export CCACHE_DIR HEATSCOPE_CC CCACHE_EXTRAFILES
    hits() {
        ccache --print-stats | awk '/^direct_cache_hit|^preprocessed_cache_hit/ { n += $2 } END { print n }'
    }
    cd cached
    for round in 1 2; do
        for f in main archive library; do
            "$h" cc -O2 -g -c ../source/$f.c -o $f.$round.o
        done
    done
    [ "$(hits)" = 3 ] || fail "ccache: expected 3 hits, got $(hits)"
    for f in main archive library; do cmp $f.1.o $f.2.o; done
    "$h" cc main.2.o archive.2.o library.2.o -ldl -o program
    cd ..
    measure ccache cached main archive library
    # another pass of the same name: nothing stale is served
    cp "$CCACHE_EXTRAFILES" other.so
    echo >> other.so
    CCACHE_EXTRAFILES=$work/other.so "$h" cc -O2 -g -c source/main.c -o cached/main.3.o
    [ "$(hits)" = 3 ] || fail "ccache: an object made by another pass was served"
    # the path has the version in it, which ccache hashes
    case $("$h" config --pass) in *"$("$h" config --version | sed 's/.* //')"*) ;; *) fail "no version in the path of the pass" ;; esac
    unset HEATSCOPE_CC CCACHE_EXTRAFILES CCACHE_DIR
fi

# ---- CMake -----------------------------------------------------------------------------------------------------------------
if has cmake; then
    mkdir cmake
    cat > cmake/CMakeLists.txt << 'X'
cmake_minimum_required(VERSION 3.16)
project(carried C)
add_library(archive STATIC ../source/archive.c)
add_library(library SHARED ../source/library.c)
add_library(plugin MODULE ../source/plugin.c)
set_target_properties(plugin PROPERTIES PREFIX "")
add_executable(program ../source/main.c)
target_compile_definitions(program PRIVATE PLUGIN="./plugin.so")
target_link_libraries(program archive library dl)
X
    cmake -S cmake -B cmake/build -G "Unix Makefiles" -DCMAKE_C_COMPILER=heatscope-cc -DCMAKE_BUILD_TYPE=RelWithDebInfo > log 2>&1 &&
        cmake --build cmake/build -j4 >> log 2>&1 || fail "CMake: $(cat log)"
    grep -q 'compiler identification is Clang' log || fail "CMake does not see clang: $(cat log)"
    measure cmake cmake/build main archive library plugin
fi

# ---- autotools -------------------------------------------------------------------------------------------------------------
if has autoconf; then
    mkdir autotools
    cd autotools
    cat > configure.ac << 'X'
AC_INIT([carried], [1])
AC_PROG_CC
AC_SEARCH_LIBS([dlopen], [dl], [], [AC_MSG_ERROR([no dlopen])])
AC_CHECK_SIZEOF([long])
AC_CHECK_FUNCS([no_such_function_anywhere])
AS_IF([test "$ac_cv_sizeof_long" != 8], [AC_MSG_ERROR([a program that the compiler made does not run])])
AS_IF([test "$ac_cv_func_no_such_function_anywhere" != no], [AC_MSG_ERROR([everything links])])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
X
    cat > Makefile.in << 'X'
CC = @CC@
CFLAGS = @CFLAGS@
VPATH = ../source
program: main.o archive.o library.o
	$(CC) $(CFLAGS) main.o archive.o library.o @LIBS@ -o $@
X
    autoconf && ./configure CC=heatscope-cc > log 2>&1 && make -s -j4 > make.log 2>&1 || fail "autotools: $(cat log make.log)"
    cd ..
    measure autotools autotools main archive library
fi
echo "builds: all loops found${skipped:+; not there:$skipped}"
