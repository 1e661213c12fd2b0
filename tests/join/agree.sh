#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# agree.sh AGREE.PY SYMBOLIZE LLVM_PREFIX SOURCE COMPILER...: compiles the source into a shared library and compares.
set -eu
agree=$1 symbolize=$2 llvm=$3 source=$4
shift 4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$@" -g -shared -fPIC "$source" -o "$dir/module.so"
python3 "$agree" "$symbolize" "$llvm" "$dir/module.so"
