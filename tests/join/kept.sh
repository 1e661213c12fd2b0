#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kept.sh HEATSCOPE SYMBOLIZE CORPUS: stripped programs whose map and debug information are elsewhere, and the ways that
# debug information can be stored: all give the answers that the whole program gives, or say in one line why not.
set -eu
heatscope=$1 symbolize=$2 corpus=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export XDG_DATA_HOME="$dir/data" XDG_CACHE_HOME="$dir/cache" HOME="$dir"
unset DEBUGINFOD_CACHE_PATH || true
fail() {
    echo "kept.sh: $*" >&2
    exit 1
}
addresses() {
    objdump -d "$1" | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p'
}
# agrees NAME OF [FOLDER...]: NAME answers as OF, is known by its map, and has nothing to complain of
agrees() {
    name=$1 of=$2
    shift 2
    addresses "$of" >list
    "$symbolize" "$of" --loops <list >of.out 2>of.err
    "$symbolize" "$name" --loops "$@" <list >name.out 2>name.err
    grep -q ' # ' of.out || fail "$of: no loops"
    cmp -s of.out name.out || fail "$name: other answers than $of: $(diff of.out name.out | head -5); $(cat name.err)"
    grep -q "knowledge 0, note ''" name.err || fail "$name: $(cat name.err)"
}
# says NAME TEXT [FOLDER...]
says() {
    name=$1 text=$2
    shift 2
    "$symbolize" "$name" --loops "$@" </dev/null 2>name.err
    grep -qF -- "$text" name.err || fail "$name: expected '$text', got: $(cat name.err)"
    [ "$(wc -l <name.err)" = 1 ] || fail "$name: more than one line: $(cat name.err)"
}
"$heatscope" cc -O2 -g -shared -fPIC -Wl,--build-id "$corpus/nest.c" -o whole
"$heatscope" cc -O1 -g -shared -fPIC -Wl,--build-id "$corpus/nest.c" -o other
id=$(readelf -n whole | sed -n 's/^ *Build ID: //p')
head=$(echo "$id" | cut -c1-2) rest=$(echo "$id" | cut -c3-)

# kept aside by build id, in the default folder and in another; the file is smaller and a debugger reads it
strip -o bare whole
says bare "no debug information"
"$heatscope" map --save whole >out
kept=$dir/data/heatscope/maps/.build-id/$head/$rest.debug
[ -f "$kept" ] || fail "not kept: $(cat out)"
grep -qF "$kept" out || fail "does not say where: $(cat out)"
readelf -S "$kept" >/dev/null 2>err
[ ! -s err ] || fail "readelf: $(cat err)"
agrees bare whole "$dir/data/heatscope/maps"
strip -R .heatscope.map -o barest whole
agrees barest whole "$dir/data/heatscope/maps"
"$heatscope" map --save --store=shelf whole other >/dev/null
agrees barest whole "$dir/shelf"
# that of another build is refused, with one line
cp shelf/.build-id/"$(readelf -n other | sed -n 's/^ *Build ID: \(..\).*/\1/p')"/*.debug shelf/.build-id/"$head"/"$rest".debug
says bare "debug information refused: $dir/shelf/.build-id/$head/$rest.debug belongs to another build" "$dir/shelf"
# a damaged one does no harm
head -c 3000 "$kept" >shelf/.build-id/"$head"/"$rest".debug
"$symbolize" bare "$dir/shelf" <list >/dev/null 2>&1 || fail "damaged file: $?"

# debuginfod's cache
mkdir -p "cache/debuginfod_client/$id"
objcopy --only-keep-debug whole "cache/debuginfod_client/$id/debuginfo"
agrees bare whole "$dir/cache/debuginfod_client"

# .gnu_debuglink: beside, in .debug, by build id or by checksum; one that was changed is refused
for flags in "" "-Wl,--build-id=none"; do
    # shellcheck disable=SC2086
    "$heatscope" cc -O2 -g -shared -fPIC -Wl,--build-id $flags "$corpus/nest.c" -o linked.whole
    objcopy --only-keep-debug linked.whole linked.debug
    strip -o linked linked.whole
    objcopy --add-gnu-debuglink=linked.debug linked
    agrees linked linked.whole
    mkdir -p .debug
    mv linked.debug .debug
    agrees linked linked.whole
    objcopy --only-keep-debug other .debug/linked.debug
    says linked "debug information refused: $dir/.debug/linked.debug belongs to another build"
    rm -r .debug
done

# how it is stored
for flags in -gdwarf-4 -gz "-gz=zlib -gdwarf-4" -gsplit-dwarf "-gsplit-dwarf -gdwarf-4"; do
    # shellcheck disable=SC2086
    "$heatscope" cc -O2 -g $flags -fPIC -c "$corpus/nest.c" -o stored.o
    # shellcheck disable=SC2086
    "$heatscope" cc -g $flags -shared stored.o -o stored
    addresses stored >list
    "$symbolize" stored --loops <list >stored.out 2>stored.err
    grep -q "knowledge 0, note ''" stored.err || fail "$flags: $(cat stored.err)"
    addresses whole >list
    "$symbolize" whole --loops <list >whole.out 2>/dev/null
    # the same code: the same procedures, lines and loops, in order
    cut -d' ' -f2- stored.out >a
    cut -d' ' -f2- whole.out >b
    cmp a b || fail "$flags: other answers"
done
# split, and the other half is gone: said; lines, loops and inlined copies come from the map
rm ./*.dwo
says stored "split debug information of 1 of 1 units not found"
addresses stored >list
"$symbolize" stored --loops <list >less.out 2>/dev/null
lost=$(diff stored.out less.out | grep -c '^<.* # ') || true
all=$(grep -c ' # ' stored.out)
[ "$lost" -le $((all / 10)) ] || fail "split: $lost of $all addresses in loops are told otherwise without the .dwo file"
if command -v dwz >/dev/null; then
    cp whole packed
    dwz packed
    agrees packed whole
fi
