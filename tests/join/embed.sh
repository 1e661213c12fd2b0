#!/bin/sh
# Sources in the database: those of the build, and no others; read when the files are gone. Beside it, as is done where nobody asks: the run before an edit is shown as it was.
# Usage: embed.sh HEATSCOPE CLANG WORK
set -e
rm -rf "$3" && mkdir -p "$3/src" && cd "$3"
h=$1
cat > src/work.c <<'C'
double other(double);
int main(void) {
    double sum = 1;
    for (int i = 0; i < 300000000; i++)
        /* HERE */ sum += 1 / sum;
    return other(sum) < 0;
}
C
echo 'double other(double x) { return x; } /* THERE */' > src/other.c
"$2" -g -O1 src/work.c src/other.c -o work
"$h" run -q -o m ./work
"$h" correlate --sources=none -o plain.h5 m > said
[ ! -e .plain.h5.sources ] || { echo "kept in spite of --sources=none"; exit 1; }
if grep -q embedded said; then echo "embedded without being asked:"; cat said; exit 1; fi
echo '/* another line */' >> src/other.c
"$h" correlate --embed-sources -o with.h5 m > said
grep -q '^sources: 1 embedded, .* 1 changed since the build$' said || { cat said; exit 1; }
"$h" report --by=line with.h5 > before
rm -r src
"$h" report --by=line with.h5 > after
"$h" report --by=line plain.h5 > without
grep -q 'HERE' before || { cat before; exit 1; }
grep -q 'HERE' after || { echo "not read from the database:"; cat after; exit 1; }
if grep -q 'HERE' without; then echo "the source is still found: nothing was tested"; exit 1; fi
"$h" correlate --embed-sources -o none.h5 m > said
grep -q '^sources: 0 embedded' said || { cat said; exit 1; }
[ ! -e .none.h5.sources ] || { echo "kept what is not there"; exit 1; }

# edited in place, built again; of a compiler that tells a checksum, and of one that tells none
for told in "" -gdwarf-4; do
    rm -rf edited && mkdir edited && cd edited
    for run in a b; do
        cat > work.c <<'C'
int main(void) {
    double sum = 1;
    for (int i = 0; i < 200000000; i++)
        /* HERE */ sum += 1 / sum;
    return sum < 0;
}
C
        [ $run = a ] || { sleep 1.1; sed -i '1i /* new */\n/* lines */' work.c; }
        "$2" -g $told -O1 work.c -o work
        "$h" run -q --budget=off -o $run ./work
        "$h" correlate $run > /dev/null
    done
    [ -d a/.heatscope.h5.sources ] || { echo "nothing is kept"; exit 1; }
    "$h" report --by=line a > said
    grep -q 'work.c:4 .*HERE' said || { echo "not as it was:"; cat said; exit 1; }
    "$h" diff a b > text
    if grep -q 'from 0\|  to 0' text; then echo "$told: an edit elsewhere moves time:"; cat text; exit 1; fi
    rm -r a/.heatscope.h5.sources
    "$h" report --by=line a > said
    if grep -q 'HERE\|sum = 1;' said; then echo "$told: text of another line:"; cat said; exit 1; fi
    grep -q 'no text of sources that were edited' said || { cat said; exit 1; }
    "$h" correlate -q --cache=none a # the text of the build is gone for good
    [ ! -e a/.heatscope.h5.sources ] || { echo "kept an edited one"; exit 1; }
    cd ..
done
