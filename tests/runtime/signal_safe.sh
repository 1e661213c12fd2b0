#!/bin/sh
# Links the signal-safe objects alone and fails on any undefined symbol that the list does not allow.
# Usage: signal_safe.sh LIST OUTPUT.o OBJECT...
list=$1 out=$2
shift 2
ld -r -o "$out" "$@" || exit 1
nm --defined-only "$out" | grep -q ' T hsc_rt_handler$' || { echo "hsc_rt_handler is not among the objects"; exit 1; }
failed=0
for s in $(nm -u "$out" | sed 's/^ *[Uw] //; s/@.*//'); do
    sed 's/ .*//' "$list" | grep -v '^#' | grep -qx -e "$s" || { echo "undefined symbol that is not allowed: $s"; failed=1; }
done
exit $failed
