#!/bin/sh
# Golden streams: text of what the library writes today, and files of earlier versions, against the committed texts; the way
# back; the second reader. Usage: golden.sh HEATSCOPE PYTHON FOLDER_OF_TEST MADE.hsr SCRATCH
set -u
hs=$1 python=$2 here=$3 made=$4 scratch=$5
failed=0
complain() { echo "$*"; failed=1; }
rm -rf "$scratch" && mkdir -p "$scratch" || exit 1
one() { # FILE GOLDEN_TEXT NAME EXIT_CODE
    (cd "$(dirname "$1")" && "$hs" dump "$(basename "$1")") >"$scratch/$3.txt" 2>"$scratch/$3.err"
    [ $? = "$4" ] || complain "$3: dump: wrong exit code: $(cat "$scratch/$3.err")"
    cmp "$2" "$scratch/$3.txt" || complain "$3: text differs from $2 (renew with the target formats_golden if it is meant to)"
    "$hs" dump --undump "$scratch/$3.txt" -o "$scratch/$3.hsr" || complain "$3: --undump failed"
    "$hs" dump "$scratch/$3.hsr" >"$scratch/$3.again" || complain "$3: dump after --undump failed"
    grep -v '^#' "$scratch/$3.txt" >"$scratch/$3.a"
    grep -v '^#' "$scratch/$3.again" >"$scratch/$3.b"
    cmp "$scratch/$3.a" "$scratch/$3.b" || complain "$3: text after dump, --undump, dump is another"
    "$python" "$here/second_reader.py" "$1" >"$scratch/$3.second" || complain "$3: second reader failed"
    grep -v '^# first problem' "$scratch/$3.txt" | cmp - "$scratch/$3.second" || complain "$3: the second reader reads something else"
}
one "$made" "$here/golden/records.txt" records 0
n=0
for f in "$here"/golden/*.hsr; do
    name=$(basename "$f" .hsr)
    case $name in damaged*) code=1 ;; *) code=0 ;; esac
    one "$f" "$here/golden/$name.txt" "$name" $code
    n=$((n + 1))
done
[ $n -ge 2 ] || complain "golden files are missing"
exit $failed
