#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kept_image.sh HEATSCOPE KEPT_IMAGE SOURCE WORK: what is kept of a program with a map, changed number by number; of one without too.
set -eu
heatscope=$1 image=$2 source=$3 work=$4
rm -rf "$work"
mkdir -p "$work"
"$heatscope" cc -O2 -g -fopenmp -fPIC -shared -o "$work/with_map.so" "$source" 2>"$work/said" || { cat "$work/said"; exit 1; }
clang-19 -O2 -g -fPIC -shared -o "$work/without.so" "$source" 2>"$work/said" || { cat "$work/said"; exit 1; }
"$image" "$work/with_map.so" 7
"$image" "$work/without.so" 7
