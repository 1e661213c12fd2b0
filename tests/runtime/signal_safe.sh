#!/bin/sh
# Links the signal-safe objects alone and fails on any undefined symbol that the list does not allow.
# And on any source *_ss.c below ROOT that is not among the objects.
# Usage: signal_safe.sh LIST OUTPUT.o ROOT OBJECT...
list=$1 out=$2 root=$3
shift 3
ld -r -o "$out" "$@" || exit 1
nm --defined-only "$out" | grep -q ' T hsc_rt_handler$' || { echo "hsc_rt_handler is not among the objects"; exit 1; }
failed=0
for source in $(find "$root/instrument" "$root/formats" -name '*_ss.c'); do
    case " $* " in
    */"${source##*/}".o\ *) ;;
    *) echo "$source is not among the objects"; failed=1 ;;
    esac
done
for s in $(nm -u "$out" | sed 's/^ *[Uw] //; s/@.*//'); do
    sed 's/ .*//' "$list" | grep -v '^#' | grep -qx -e "$s" || { echo "undefined symbol that is not allowed: $s"; failed=1; }
done
exit $failed
