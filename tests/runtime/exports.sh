#!/bin/sh
# The runtime exports what exports.map lists and nothing else, and needs libc alone. Usage: exports.sh LIBRARY MAP
found=$(nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | grep -v '^heatscope_' | sort -u)
listed=$(tr -s ' \n' '\n\n' < "$2" | sed -n 's/;$//p' | grep -v '[*}]' | sort -u)
failed=0
if [ "$found" != "$listed" ]; then
    echo "exported, and what $2 lists:"
    printf '%s\n' "$found" > "${TMPDIR:-/tmp}/exports.$$"
    printf '%s\n' "$listed" | diff "${TMPDIR:-/tmp}/exports.$$" -
    rm -f "${TMPDIR:-/tmp}/exports.$$"
    failed=1
fi
for n in $(readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    case $n in libc.so.* | ld-linux-*) ;; *) echo "needs $n"; failed=1 ;; esac
done
exit $failed
