#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# twins.sh HEATSCOPE SYMBOLIZE CORPUS [FLAGS...]: a source compiled twice; each copy of the code must find its own loops, also
# where it was inlined into another unit at link time.
set -eu
heatscope=$1 symbolize=$2 corpus=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
"$heatscope" cc -O2 -g "$@" -Wno-unused-command-line-argument -DVARIANT=1 -c "$corpus/twin.c" -o one.o
"$heatscope" cc -O2 -g "$@" -Wno-unused-command-line-argument -DVARIANT=2 -c "$corpus/twin.c" -o two.o
"$heatscope" cc -O2 -g "$@" -Wno-unused-command-line-argument -c "$corpus/twin_main.c" -o main.o
"$heatscope" cc -O2 -g "$@" main.o two.o one.o -o twins
/usr/lib/llvm-19/bin/llvm-objdump -d --section=.text twins | sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p' >addresses
"$symbolize" twins --loops <addresses >out
outer=$(grep -n 'for (int k' "$corpus/twin.c" | cut -d: -f1)
inner=$(grep -n 'for (int i' "$corpus/twin.c" | cut -d: -f1)
last=$(grep -n 'sum +=' "$corpus/twin.c" | cut -d: -f1)
one=$(grep -c "| work1 [^#]*# $inner-$last *$" out || true)
two=$(grep -c "| work2 [^#]*# $inner-$last # $outer-$last" out || true)
mixed=$(grep -c "| work1 .*# $outer-" out || true)
echo "work1 in its loop: $one instructions; work2 in its nest: $two; work1 in work2's loop: $mixed"
[ "$one" -ge 3 ] && [ "$two" -ge 3 ] && [ "$mixed" -eq 0 ]
