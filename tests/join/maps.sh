#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# maps.sh HEATSCOPE SYMBOLIZE CORPUS: where a map may be, and maps that do not fit.
set -eu
heatscope=$1 symbolize=$2 corpus=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() {
    echo "maps.sh: $*" >&2
    exit 1
}
# expect NAME TEXT: what symbolize says of the module contains the text
expect() {
    "$symbolize" "$1" --loops <addresses >"$1.out" 2>"$1.err"
    grep -qF -- "$2" "$1.err" || fail "$1: expected '$2', got: $(cat "$1.err")"
}
"$heatscope" cc -O2 -g -shared -fPIC "$corpus/nest.c" -o whole -Wl,--build-id
"$heatscope" cc -O1 -g -shared -fPIC "$corpus/nest.c" -o other -Wl,--build-id
start=$(nm whole | awk '$3 == "matrix" { print $1 }')
i=0
while [ $i -lt 400 ]; do
    printf '0x%x\n' $((0x$start + i))
    i=$((i + 1))
done >addresses
expect whole "knowledge 0, note ''"
grep -q '# ' whole.out || fail "no loops"

# answers are kept: asked again, backwards, or alone, an address has the same one
cat addresses addresses addresses | "$symbolize" whole --loops 2>/dev/null | sort -u >again.out
tac addresses | "$symbolize" whole --loops 2>/dev/null | sort -u >backwards.out
sort -u whole.out >once.out
cmp once.out again.out && cmp once.out backwards.out || fail "an answer changes when it is asked for again"
sed -n '1~23p' addresses | while read -r address; do
    echo "$address" | "$symbolize" whole --loops 2>/dev/null
done >alone.out
sed -n '1~23p' whole.out | cmp - alone.out || fail "an answer changes with what was asked before"

# the map kept beside a program that lost its own
"$heatscope" map whole -o whole.hsm
objcopy --remove-section .heatscope.map whole aside
expect aside "knowledge 1, note 'no map'"
cp whole.hsm aside.hsm
expect aside "knowledge 0, note ''"
cmp whole.out aside.out || fail "a map kept aside gives other answers"

# the map of another build
"$heatscope" map other -o aside.hsm
expect aside "map refused: aside.hsm belongs to another build"
expect aside "knowledge 1"

# a map without the debug information that leads to it
objcopy --strip-debug whole bare
expect bare "no debug information; the map is of no use without it"
expect bare "knowledge 2"

# debug information in a file of its own is looked up by build id only below /usr/lib/debug; a damaged map is skipped
offset=$(readelf -SW whole | awk '{ sub(/^ *\[ *[0-9]+\]/, "") } $1 == ".heatscope.map" { print $4 }')
cp whole damaged
printf 'damage damage damage damage damage' | dd of=damaged bs=1 seek=$((0x$offset + 300)) conv=notrunc 2>/dev/null
expect damaged "map"
grep -qE "knowledge [01]" damaged.err || fail "damaged map: $(cat damaged.err)"
awk '{ print $1, $2, $3 }' whole.out >a
awk '{ print $1, $2, $3 }' damaged.out >b
cmp a b || fail "a damaged map changes procedures"
