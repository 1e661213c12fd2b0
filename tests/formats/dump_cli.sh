#!/bin/sh
# heatscope dump: exit codes, one line for each error, ELF files, --check, --schema. Usage: dump_cli.sh HEATSCOPE MADE.hsr SCRATCH
set -u
hs=$1 made=$2 scratch=$3
failed=0
complain() { echo "$*"; failed=1; }
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$scratch" || exit 1

# WHAT EXIT_CODE WORD_OF_STDERR ARGS...: one line on stderr (none if the word is empty)
expect() {
    what=$1 code=$2 word=$3
    shift 3
    "$hs" dump "$@" >out 2>err </dev/null
    got=$?
    [ $got = "$code" ] || complain "$what: exit $got instead of $code: $(cat err)"
    if [ -n "$word" ]; then
        grep -q -e "$word" err || complain "$what: stderr does not say '$word': $(cat err)"
        [ "$(wc -l <err)" = 1 ] || complain "$what: stderr is not one line: $(cat err)"
        ! grep -q "[$(printf '\001-\010\013-\037')]" err || complain "$what: control characters on stderr"
    else
        [ ! -s err ] || complain "$what: unexpected: $(cat err)"
    fi
}

expect "no file" 2 "expected a FILE"
expect "two files" 2 "expected one FILE" a b
expect "two modes" 2 "at most one" --check --schema "$made"
expect "undump without -o" 2 "needs -o" --undump "$made"
expect "not there" 1 "nowhere.hsr: cannot open: No such file" nowhere.hsr
expect "a folder" 1 "a directory: name one" .
printf '' >empty.hsr
expect "empty file" 1 "empty.hsr: empty" empty.hsr
printf 'just a text, nothing that anyone would take for anything else than that' >text.hsr
expect "a text" 1 "text.hsr: no record stream: expected 89 48 53 52 .* got 6a 75 73 74" text.hsr
expect "undump of no text" 1 "line 1: expected 'heatscope-text 1'" --undump "$made" -o undumped
[ ! -e undumped ] || complain "undump of no text left a file"

expect "good" 0 "" "$made"
cp out good.txt
expect "good, to a file" 0 "" "$made" -o good2.txt
cmp good.txt good2.txt || complain "-o gives another text"
expect "check" 0 "" --check "$made"
[ "$(wc -l <out)" = 1 ] || complain "--check is not one line"
grep -q 'chunks: 13 good (2 of them open), 0 bad; bytes skipped: 0' out || complain "--check says $(cat out)"
expect "into a full device" 1 "cannot write" "$made" -o /dev/full
expect "undump" 0 "" --undump good.txt -o back.hsr
cmp "$made" back.hsr || complain "undump gives other bytes"
"$hs" dump --undump - -o back2.hsr <good.txt || complain "undump from standard input"
cmp back.hsr back2.hsr || complain "undump from standard input gives other bytes"
expect "undump to nowhere" 1 "cannot create" --undump good.txt -o nowhere/back.hsr
sed '40s/type=U/type=Q/' good.txt >bad.txt
if ! cmp -s good.txt bad.txt; then
    expect "bad text" 1 "bad.txt: line 40: " --undump bad.txt -o bad.hsr
    [ ! -e bad.hsr ] || complain "bad text left a file"
fi

# damaged: what is good is printed, the rest is told
size=$(wc -c <"$made")
head -c $((size - 100)) "$made" >cut.hsr
printf '\377' | dd of=cut.hsr bs=1 seek=$((size - 5000)) conv=notrunc 2>/dev/null
expect "cut and changed" 1 "damaged: .* bad chunks beside .* cut.hsr: offset 0x" cut.hsr
[ -s out ] || complain "nothing printed of a damaged file"
expect "cut, check" 1 "damaged" --check cut.hsr
head -c 3000 "$made" >nothing.hsr
expect "no good chunk" 1 "damaged: 1 bad chunks beside 0 good ones" nothing.hsr

# ELF
printf '' | as -o plain.o - || complain "as"
expect "ELF without a map" 1 "plain.o: no section .heatscope.map" plain.o
objcopy --add-section .heatscope.map="$made" --set-section-flags .heatscope.map=readonly plain.o map.o || complain objcopy
expect "ELF with a map" 0 "" map.o
cmp good.txt out || complain "the map of an ELF file is another text"
head -c 300 map.o >cut.o
expect "cut ELF" 1 "cut.o" cut.o
printf 'nonsense' >nonsense
objcopy --add-section .heatscope.map=nonsense plain.o nonsense.o
expect "ELF with nonsense" 1 "nonsense.o: no record stream" nonsense.o

expect "schema of all" 0 "" --schema
grep -q '^record 70 sample, version' out || complain "--schema does not know samples"
cp out schema.txt
expect "schema of a file" 0 "" --schema "$made"
cmp schema.txt out || complain "the schema of a file of ours is not ours"
exit $failed
