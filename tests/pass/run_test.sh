#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run_test.sh BUILD_PREFIX WORK_FOLDER TEST: runs the RUN: lines of a test file. %s is the file, %t a name for outputs,
# %cc %cxx %fc the wrapped compilers, %map and %dump heatscope's commands, %check FileCheck on the file.
set -u
prefix=$1
work=$2
test=$3
source=$(cd "$(dirname "$0")" && pwd)
case $test in /*) ;; *) test=$PWD/$test ;; esac
name=$(basename "$test")
mkdir -p "$work"
cd "$work" || exit 1
rm -rf "$name".*
h=$prefix/bin/heatscope
runs=$(sed -n 's/^.*RUN: *//p' "$test")
[ -n "$runs" ] || {
    echo "$name: no RUN: lines" >&2
    exit 1
}
runs=$(printf '%s\n' "$runs" | sed -e "s|%check|FileCheck-19 $test|g" -e "s|%S|$source|g" -e "s|%s|$test|g" \
    -e "s|%t|$work/$name|g" -e "s|%cc|$h cc|g" -e "s|%cxx|$h c++|g" -e "s|%fc|$h fc|g" -e "s|%map|$h map|g" \
    -e "s|%dump|$h dump|g" -e "s|%heatscope|$h|g" -e "s|%dwarfdump|llvm-dwarfdump-19|g")
printf '%s\n' "$runs" > "$name.sh"
sh -eux "$name.sh"
