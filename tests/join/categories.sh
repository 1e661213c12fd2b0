#!/bin/sh
# Categories of the user: a new one takes what its rules name; what is wrong with a file is said in one line with its number.
# Usage: categories.sh HEATSCOPE PROGRAM WORK
set -e
mkdir -p "$3" && cd "$3" && rm -rf m c.h5 wrong.h5
"$1" run -q -o m "$2" work > out
cat > rules <<'R'
# what the workers do
category "own work"
procedure work "own work"
module libheatscope* runtime soft
R
"$1" correlate -q --categories rules -o c.h5 m
"$1" report --by=ledger --format=csv c.h5 > with
"$1" correlate -q -o d.h5 m
"$1" report --by=ledger --format=csv d.h5 > without
own=$(awk -F, '/own work/ { print $0 }' with | tr -dc '0-9,.' | tr ',' '\n' | sort -n | tail -1)
[ -n "$own" ] || { echo "no such category in the ledger:"; cat with; exit 1; }
grep -q 'own work' without && { echo "it is there without the file"; exit 1; }
[ "${own%.*}" -gt 50 ] || { echo "only $own samples of the user's category"; cat with; exit 1; }
wrong() { # LINE TEXT
    printf '# one\n%s\n' "$1" > wrong
    if "$h" correlate -q --categories wrong -o wrong.h5 m 2> said; then echo "accepted: $1"; exit 1; fi
    [ "$(wc -l < said)" = 1 ] && grep -q "wrong:2: .*$2" said || { echo "said of '$1':"; cat said; exit 1; }
    [ ! -e wrong.h5 ] || { echo "left a database behind"; exit 1; }
}
h=$1
wrong 'category waiting' 'there already'
wrong 'procedure x nothing' "category nothing"
wrong 'procedure x' 'expected'
wrong 'function x waiting' 'expected'
wrong 'module x waiting hard' 'expected'
if "$h" correlate -q --categories no-such-file -o wrong.h5 m 2> said; then exit 1; fi
grep -q no-such-file said
