#!/bin/sh
# Sources in the database: those of the build, and no others; read when the files are gone.
# Usage: embed.sh HEATSCOPE CLANG WORK
set -e
rm -rf "$3" && mkdir -p "$3/src" && cd "$3"
h=$1
cat > src/work.c <<'C'
double other(double);
int main(void) {
    double sum = 1;
    for (int i = 0; i < 300000000; i++)
        sum += 1 / sum; /* HERE */
    return other(sum) < 0;
}
C
echo 'double other(double x) { return x; } /* THERE */' > src/other.c
"$2" -g -O1 src/work.c src/other.c -o work
"$h" run -q -o m ./work
"$h" correlate -o plain.h5 m > said
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
