#!/bin/sh
# Each public header compiles on its own, as C and (where it is meant for it) as C++: headers_alone.sh TREE CC CXX
set -u
top=$1 cc=$2 cxx=$3
failed=0
for h in $(find "$top/formats/include" "$top/correlate/include" -name '*.h' | sort); do
    if ! "$cc" -std=c17 -Wall -Wextra -Werror -fsyntax-only -I"$top/formats/include" -I"$top/correlate/include" -x c "$h"; then
        echo "not on its own in C: $h"
        failed=1
    fi
    if grep -q 'extern "C"' "$h" &&
        ! "$cxx" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$top/formats/include" -I"$top/correlate/include" -x c++ "$h"; then
        echo "not on its own in C++: $h"
        failed=1
    fi
done
exit $failed
