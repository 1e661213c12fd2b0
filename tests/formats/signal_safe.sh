#!/bin/sh
# Links the signal-safe objects alone and fails on any undefined symbol that the list does not allow, on thread-local data
# and on writable data that is not known. Usage: signal_safe.sh LIST OUTPUT.o OBJECT...
set -u
list=$1 out=$2
shift 2
failed=0
complain() { echo "$*"; failed=1; }
ld -r -o "$out" "$@" || exit 1
[ -n "$(nm --defined-only "$out" | grep ' T hsc_chunk_put$')" ] || complain "hsc_chunk_put is not among the objects"
for s in $(nm -u "$out" | sed 's/^ *U //; s/@.*//'); do
    grep -v '^#' "$list" | grep -qx -e "$s" || complain "undefined symbol that is not allowed: $s"
done
readelf -sW "$out" | awk '$4 == "TLS" { print "thread-local: " $8; bad = 1 } END { exit bad }' || failed=1
# the two constants that are computed once
for s in $(objdump -t "$out" | awk '$2 ~ /^[lg]$/ && $3 == "O" && $4 ~ /^\.(bss|data$|data\.[^r])/ { print $6 }'); do
    case $s in answer* | *.answer | kept* | *.kept) ;; *) complain "writable data: $s" ;; esac
done
exit $failed
