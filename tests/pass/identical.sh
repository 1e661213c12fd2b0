#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# identical.sh PREFIX WORK_FOLDER SOURCE...: with and without the pass, objects are the same but for debug information
# and the map: every section that is loaded, its relocations and its symbols.
set -eu
pass=$("$1/bin/heatscope" config --pass)
work=$2
shift 2
rm -rf "$work"
mkdir -p "$work"
n=0
# what is loaded, as text; symbols apart from sections of debug information
loaded() {
    objcopy -g -R .heatscope.map -R .comment "$1" "$1.bare"
    objdump -d -r -s "$1.bare" | tail -n +3
    nm "$1.bare"
}
# build NAME [OPTION]: $source at $level
build() {
    # shellcheck disable=SC2086
    (cd "$work" && $compile -g -$level ${2:+"$2"} -c "$source" -o "$1.o")
    loaded "$work/$1.o" > "$work/$1.txt"
}
for source; do
    for level in O0 O1 O2 O3 Os; do
        case $source in
        *.c) compile="clang-19 -fopenmp $(mpicc -showme:compile)" ;;
        *.cpp) compile="clang++-19 -fopenmp" ;;
        *.f90) compile="flang-new-19 -fopenmp" ;;
        esac
        [ $level = Os ] && [ "${compile#flang}" != "$compile" ] && continue
        # shellcheck disable=SC2086
        build with "-fpass-plugin=$pass"
        readelf -SW "$work/with.o" | grep -q 'heatscope\.map' || {
            echo "identical: $source -$level: the pass did not run" >&2
            exit 1
        }
        # flang-new-19 itself gives one of several codes for some sources at -O3, from run to run, with no plug-in at all:
        # some build with the pass must then equal some build without
        found=no
        for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
            build without
            if cmp -s "$work/without.txt" "$work/with.txt"; then
                found=yes
                break
            fi
            [ $try = 1 ] || build with "-fpass-plugin=$pass" # one of the rarer codes
        done
        [ $found = yes ] || {
            echo "identical: $source -$level: the code differs from that of 12 builds without the pass" >&2
            exit 1
        }
        [ $try = 1 ] || echo "identical: $source -$level: the compiler itself varies; same at build $try"
        n=$((n + 1))
    done
done
echo "identical: $n pairs of objects are the same"
