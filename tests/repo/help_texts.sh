#!/bin/sh
# Every command that the overview lists answers --help and -h (exit 0, its own usage line, 80 to 120 columns at most), refuses an
# unknown option with exit 2 and one line, and has a man page that man can format. Usage: help_texts.sh HEATSCOPE
set -u
hs=$1
failed=0
complain() { echo "$*"; failed=1; }
commands=$("$hs" --help | sed -n '/^  [a-z]/{/heatscope/!s/^  \([a-z+]*\) .*/\1/p}')
[ -n "$commands" ] || complain "no commands listed"
for c in $commands; do
    case $c in cc | c++ | fc) continue ;; esac # --help goes to the compiler
    out=$("$hs" "$c" --help 2>/dev/null) || complain "$c --help: exit $?"
    echo "$out" | head -n 1 | grep -q "^usage: heatscope $c " || complain "$c --help: no usage line"
    echo "$out" | awk -v c="$c" 'length($0) > 120 { print c " --help: line of " length($0) " columns: " $0; bad = 1 } END { exit bad }' ||
        failed=1
    [ "$("$hs" "$c" -h 2>&1)" = "$out" ] || complain "$c -h: not what --help says"
    [ "$("$hs" help "$c" 2>&1)" = "$out" ] || complain "help $c: not what --help says"
    err=$("$hs" "$c" --no-such-option 2>&1 >/dev/null)
    code=$?
    [ $code = 2 ] || complain "$c --no-such-option: exit $code instead of 2"
    [ "$(printf '%s\n' "$err" | wc -l)" = 1 ] || complain "$c --no-such-option: more than one line: $err"
    "$hs" "$c" --man | head -n 1 | grep -q '^\.TH HEATSCOPE-' || complain "$c --man: no title"
    options=$(printf '%s\n' "$out" | sed -n 's/^  \(-., \| *\)--\([a-z-]*\).*/\2/p')
    plain=$("$hs" "$c" --man | tr -d '\\')
    [ -n "$options" ] || complain "$c --help: no options found"
    for o in $options; do
        printf '%s\n' "$plain" | grep -q -e "--$o" || complain "$c --$o: in --help, not in the man page"
    done
done
"$hs" nonsense >/dev/null 2>&1
[ $? = 2 ] || complain "unknown command: exit code is not 2"
"$hs" help nonsense >/dev/null 2>&1
[ $? = 2 ] || complain "help of an unknown command: exit code is not 2"
exit $failed
