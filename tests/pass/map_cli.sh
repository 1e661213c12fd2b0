#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# map_cli.sh PREFIX WORK_FOLDER: heatscope map and config: the written file, and one clear line for what is wrong.
set -eu
h=$1/bin/heatscope
rm -rf "$2"
mkdir -p "$2"
cd "$2"
fail() {
    echo "map: $*" >&2
    exit 1
}
# fails CODE TEXT ARGS...: ends with the code, one line on stderr holds the text, nothing on stdout
fails() {
    code=$1
    text=$2
    shift 2
    got=0
    "$h" "$@" > out 2> err || got=$?
    [ $got = "$code" ] || fail "$*: expected exit code $code, got $got"
    [ "$(wc -l < err)" = 1 ] || fail "$*: expected one line, got: $(cat err)"
    grep -q "$text" err || fail "$*: expected '$text', got: $(cat err)"
    [ ! -s out ] || fail "$*: printed: $(cat out)"
}
echo 'int main(int n, char **a) { for (int i = 1; i < n; i++) a[i][0] = 0; return 0; }' > a.c
"$h" cc -O2 a.c -o a
"$h" map -o a.hsm a | grep -q '^heatscope map: wrote a.hsm: 1 module, '
"$h" dump a.hsm > a.txt
id=$(readelf -n a | sed -n 's/^ *Build ID: //p')
grep -q "^binary path=\"$PWD/a\" build_id=<$id> file_size=$(stat -c %s a) machine=62" a.txt || fail "binary record: $(grep ^binary a.txt)"
static='^\(module\|file\|procedure\|loop\|callsite\|loop_instance\|inline\|place\|module_end\) '
"$h" dump a | grep "$static" > in_program
grep "$static" a.txt > in_file
cmp in_program in_file
# a map of its own kind of chunk, read by the reader that was written from the document
python3 "$(dirname "$0")/../formats/second_reader.py" a.hsm > second || fail "the second reader fails"
cmp a.txt second || fail "the second reader has other records"
# procedures of the C++ library are left out of the table, and it says so; --all has them
printf '#include <algorithm>\n#include <vector>\nint main(int n, char **) { std::vector<int> v(n); std::sort(v.begin(), v.end()); for (int &x : v) n += x; return n; }\n' > b.cpp
"$h" c++ -O2 b.cpp -o b
"$h" map b > own
"$h" map --all b > all
grep -q ' main$' own && grep -q range-for own || fail "map: $(cat own)"
! grep -q 'std::' own || fail "map: procedures of the library: $(cat own)"
procedures=$(sed -n 's/^  left out: \([0-9]*\) procedures with [0-9]* loops in headers.*--all shows them$/\1/p' own)
[ $(($(grep -c 'std::\|__gnu_cxx::' all) >= ${procedures:-0} && ${procedures:-0} > 5)) = 1 ] || fail "map: left out '$procedures': $(cat own)"
! grep -q 'left out' all || fail "map --all leaves out"
clang-19 a.c -Wl,--build-id=none -fpass-plugin="$("$h" config --pass)" -o anonymous
"$h" map -o anonymous.hsm anonymous | grep -q wrote
"$h" dump anonymous.hsm | grep -q '^binary .* build_id=<> '

fails 1 'No such file' map missing
mkdir empty_folder
fails 1 'empty_folder: no file in this folder has a map' map empty_folder
fails 1 'got something else' map a.c
: > empty
fails 1 'got an empty file' map empty
clang-19 a.c -o plain
fails 1 "plain: has no map; compile with 'heatscope cc'" map plain
fails 2 'which PROG? .heatscope map --help' map
fails 2 'takes one PROG' map -o b.hsm a a
fails 2 'compares two' map --diff a
fails 2 'one or the other' map --diff --listing a a
fails 2 'is of --listing' map --only=main a
fails 2 'is of --save' map --store=x a
fails 2 'text, csv or json' map --format=xml a
fails 1 "no procedure and no source file is called 'nothing'" map --listing --only=nothing a
fails 1 'anonymous: has no build id' map --save --store=kept anonymous
strip -R .heatscope.map -o bare a
fails 1 'bare: has neither a map nor debug information' map --save --store=kept bare
fails 1 'expected a program or library' map --save --store=kept a.c
[ -z "$(find kept -type f)" ] || fail "something was kept: $(find kept -type f)"
fails 2 'unknown option' map --nonsense a
fails 1 'nowhere' map -o nowhere/a.hsm a
[ ! -e nowhere ] || fail "made a folder"
head -c 2000 a > truncated
fails 1 'truncated: damaged ELF file' map truncated

# damage inside: whatever byte is wrong, no map is written and no crash
objcopy --dump-section .heatscope.map=section a.hsm.none 2> /dev/null || objcopy --dump-section .heatscope.map=section a copy
python3 - << 'X'
import random
random.seed(1)
data = open('section', 'rb').read()
for i in range(60):
    bad = bytearray(data)
    for _ in range(random.choice((1, 1, 4))):
        bad[random.randrange(len(bad))] ^= 1 << random.randrange(8)
    open(f'bad.{i}', 'wb').write(bad)
open('bad.60', 'wb').write(data[:len(data) // 2])
open('bad.61', 'wb').write(data + data[:64])
X
# a map as an older pass wrote it, known by the flags of a chunk
python3 - << 'X'
data = bytearray(open('section', 'rb').read())
assert data[36] == 5, data[36]
data[36] = 3
open('older', 'wb').write(data)
X
objcopy --update-section .heatscope.map=older a old_form
fails 1 'old_form: its map is of an older form .*: compile again' map old_form
same=0
for i in $(seq 0 61); do
    objcopy --update-section .heatscope.map=bad.$i a changed
    got=0
    "$h" map -o changed.hsm changed > out 2> err || got=$?
    if [ $got = 0 ]; then
        same=$((same + 1)) # a flipped bit outside of what the sums cover
        rm -f changed.hsm
        continue
    fi
    [ $got = 1 ] || fail "bad.$i: exit code $got"
    [ "$(wc -l < err)" = 1 ] || fail "bad.$i: $(cat err)"
    [ ! -e changed.hsm ] || fail "bad.$i: a file was written"
done
[ $same -lt 15 ] || fail "$same of 62 damaged maps passed"

# OpenMP directives that have no loop stand in the listing with what they call, the loop over sections with its directive
cat > omp.c << 'X'
int work(int);
void regions(int n, double *a) {
#pragma omp parallel
    {
#pragma omp single
        a[0] = work(1);
#pragma omp barrier
#pragma omp sections
        {
#pragma omp section
            a[1] = work(2);
#pragma omp section
            a[2] = work(3);
        }
#pragma omp task shared(a)
        a[4] = work(5);
#pragma omp taskwait
    }
    for (int i = 0; i < n; i++)
        a[i] += 1;
}
X
"$h" cc -O2 -g -fopenmp -c omp.c -o omp.o
"$h" map --listing --only=regions --width=200 omp.o > listing
grep -q '^2 loops: ' listing || fail "listing: --only leaves the regions of the procedure out: $(cat listing)"
# below LINE TEXT: the first note below the line
below() {
    sed -n "/^ *$1 |/{n;p}" listing | grep -q -- "-- $2" || fail "listing: no '$2' below line $1: $(cat listing)"
}
calls='calls of the OpenMP run time:'
below 3 "$calls fork of the threads\$"
below 5 "$calls .*choice of the thread"
below 7 "$calls barrier\$"
below 8 'OpenMP worksharing 8: '
below 15 "$calls making of a task\$"
below 17 "$calls wait for tasks\$"
! sed -n '/^ *\(10\|12\) |/{n;p}' listing | grep -q 'calls of the' || fail "listing: a section causes no call: $(cat listing)"

"$h" config --version | grep -q '^[0-9]'
[ -r "$("$h" config --pass)" ] || fail "config --pass: no such file"
case $("$h" config --pass) in *-"$("$h" config --version)".so) ;; *) fail "no version in the path of the pass" ;; esac
# shellcheck disable=SC2046
clang-19 -O2 $("$h" config --cflags) a.c $("$h" config --libs) -o configured
"$h" map --summary configured | grep -q '1 procedure, 1 loop'
[ "$("$h" config --prefix)" = "$(cd "$(dirname "$h")/.." && pwd -P)" ] || fail "prefix: $("$h" config --prefix)"
fails 2 'takes no operands' config operand
echo "map: all as expected ($same harmless changes)"
