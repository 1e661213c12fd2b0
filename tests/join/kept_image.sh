#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kept_image.sh HEATSCOPE KEPT_IMAGE SOURCE WORK: what is kept of a program with a map, changed number by number; of one without too.
set -eu
heatscope=$1 image=$2 source=$3 work=$4
rm -rf "$work"
mkdir -p "$work"
"$heatscope" cc -O2 -g -fopenmp -fPIC -shared -o "$work/with_map.so" "$source" 2>"$work/said" || { cat "$work/said"; exit 1; }
clang-19 -O2 -g -fPIC -shared -o "$work/without.so" "$source" 2>"$work/said" || { cat "$work/said"; exit 1; }
# one call hands on an array, another one what is not known
cat > "$work/handed.c" <<'END'
static double known[100];
__attribute__((noinline)) static void fill(double *to, int n) { for (int i = 0; i < n; i++) to[i] = i; }
double twice(int n) {
    double sum = 0;
    fill(known, n);
    fill(0, 0);
    for (int i = 0; i < n; i++)
        sum += known[i];
    return sum;
}
END
"$heatscope" cc -O2 -g -fPIC -shared -o "$work/handed.so" "$work/handed.c" 2>"$work/said" || { cat "$work/said"; exit 1; }
"$image" "$work/handed.so" 7
"$image" "$work/with_map.so" 7
"$image" "$work/without.so" 7
