#!/bin/sh
# Allocators other than the C library's are memory management: by their library, and by their own names in the program itself.
# Usage: allocators.sh HEATSCOPE WORK
set -e
rm -rf "$2" && mkdir -p "$2" && cd "$2"
cat > library.c <<'C'
static volatile unsigned sum;
static __attribute__((noinline)) void fetch_from_central(unsigned n) {
    for (unsigned i = 0; i < n; i++)
        sum += i;
}
void *tc_new(unsigned long n) {
    fetch_from_central(n);
    return 0;
}
C
cat > program.c <<'C'
void *tc_new(unsigned long n);
static volatile unsigned sum;
__attribute__((noinline)) void *mi_malloc(unsigned long n) {
    for (unsigned i = 0; i < n; i++)
        sum += i;
    return 0;
}
__attribute__((noinline)) void work(unsigned long n) {
    for (unsigned i = 0; i < n; i++)
        sum += i;
}
int main(void) {
    for (int i = 0; i < 20; i++) {
        tc_new(10000000);
        mi_malloc(10000000);
        work(10000000);
    }
}
C
cc -O1 -shared -fPIC library.c -o libtcmalloc_minimal.so.4
"$1" cc -O1 -g program.c ./libtcmalloc_minimal.so.4 -o program
"$1" run -q -o m ./program
"$1" report m --by=category --format=csv > told
grep -q 'memory management' told || { echo "no memory management:"; cat told; exit 1; }
for p in tc_new fetch_from_central mi_malloc; do
    "$1" report m --by=procedure --category=computation --format=csv > of_computation
    if grep -q "$p" of_computation; then echo "$p is computation:"; cat of_computation; exit 1; fi
done
"$1" report m --by=procedure --category=computation --format=csv | grep -q ',work,'
"$1" report m --by=procedure --category='memory management' --format=csv > of_memory
for p in tc_new fetch_from_central mi_malloc; do
    grep -q "$p" of_memory || { echo "$p is not memory management:"; cat of_memory; exit 1; }
done
