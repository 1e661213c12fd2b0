#!/bin/sh
# Chunks stand in a file as slots were free: the same file with its chunks the other way round is the same measurement.
# Usage: order.sh HEATSCOPE PROGRAM WORK
set -e
mkdir -p "$3" && cd "$3" && rm -rf m r
"$1" run -q -F 10000 -o m "$2" work > out
cp -r m r
file=$(ls m/*.hsr)
"$1" dump "$file" > text
awk '/^@chunk schema/ { k = -1 } /^@chunk/ && !/^@chunk schema/ { k = ++n } /^#/ { next } { if (n) t[n] = t[n] $0 "\n"; else print }
    END { for (i = n; i; i--) printf "%s", t[i] }' text > reversed
grep -q 'sequence=1' text || { echo "no stream has two chunks"; exit 1; }
"$1" dump --undump reversed -o "r/$(basename "$file")"
for d in m r; do
    "$1" correlate -q -o $d.h5 $d 2> /dev/null
    "$1" report --by=context --format=csv $d.h5 > $d.csv
    "$1" report --by=ledger --format=csv $d.h5 > $d.ledger
done
cmp m.csv r.csv && cmp m.ledger r.ledger
