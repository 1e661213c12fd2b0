#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# carriers.sh PREFIX WORK_FOLDER: the map goes wherever object files go: archives, shared libraries, three linkers, -r,
# --gc-sections, strip, objcopy, link-time optimisation, assembly by other assemblers, bitcode.
set -eu
h=$1/bin/heatscope
rm -rf "$2"
mkdir -p "$2"
cd "$2"
fail() {
    echo "carriers: $*" >&2
    exit 1
}
# modules FILE NUMBER: the map is whole (map checks it) and has that many modules
modules() {
    n=$("$h" map --summary "$1" | wc -l)
    [ "$n" = "$2" ] || fail "$1: expected $2 modules, got $n"
}
cat > one.c << 'X'
extern int two(int), three(int);
int unused(int n) { int s = 0; for (int i = 0; i < n; i++) s ^= i * n; return s; }
int main(int argc, char **argv) { (void)argv; int s = 0; for (int i = 0; i < argc; i++) s += two(i) + three(i); return s < 0; }
X
cat > two.c << 'X'
int two(int n) { int s = 1; for (int i = 0; i < n; i++) s = s * 3 + i; return s; }
X
cat > three.c << 'X'
int three(int n) { int s = 1; for (int i = 0; i < n; i++) s = s * 5 - i; return s; }
X
for f in one two three; do "$h" cc -O2 -g -fPIC -ffunction-sections -c $f.c; done

ar rcs lib.a two.o three.o
modules lib.a 2
clang-19 one.o lib.a -o archive
modules archive 3
ar rcs half.a two.o
clang-19 -shared three.o -o libthree.so
modules libthree.so 1
clang-19 one.o half.a ./libthree.so -o shared
modules shared 2
for l in bfd gold lld; do
    clang-19 -fuse-ld=$l -Wl,--gc-sections one.o two.o three.o -o linked.$l
    modules linked.$l 3
    nm linked.$l | grep -q ' unused$' && fail "--gc-sections kept unused: nothing tested"
    cp linked.$l stripped.$l
    strip stripped.$l
    modules stripped.$l 3
    ./stripped.$l
done
objcopy --only-keep-debug linked.lld linked.debug
modules linked.debug 3
ld -r one.o two.o three.o -o relocatable.o
modules relocatable.o 3

# not loaded: no segment holds it
readelf -SW linked.bfd | grep -q '\.heatscope\.map *PROGBITS *0000000000000000 .* 0   0  8$' ||
    fail "section flags: $(readelf -SW linked.bfd | grep heatscope)"

# other assemblers, assembly as text
"$h" cc -O2 -g -fno-integrated-as -c two.c -o gas.o
modules gas.o 1
"$h" cc -O2 -g -S two.c -o two.s
clang-19 -c two.s -o text.o
modules text.o 1

# bitcode: the second run leaves the first one's map alone
"$h" cc -O2 -g -emit-llvm -c two.c -o two.bc
"$h" cc -O2 -g -c two.bc -o bitcode.o
modules bitcode.o 1

# link-time optimisation: lld loads the pass as well, the others leave the map as it was compiled
for lto in thin full; do
    late=3 # modules written at link time
    [ $lto = thin ] || late=1
    for f in one two three; do "$h" cc -O2 -g -flto=$lto -c $f.c -o $f.$lto.o; done
    for l in lld bfd gold; do
        "$h" cc -O2 -g -flto=$lto -fuse-ld=$l one.$lto.o two.$lto.o three.$lto.o -o lto.$lto.$l 2> said
        [ "$(grep -c 'optimises without the pass.*-fuse-ld=lld' said)" = "$([ $l = lld ] && echo 0 || echo 1)" ] || fail "$lto, $l said: $(cat said)"
        ./lto.$lto.$l
        "$h" map --summary lto.$lto.$l > summary
        if [ $l = lld ]; then
            [ "$(grep -c '(code: see' summary)" = 3 ] && [ "$(grep -c 'written at link time)$' summary)" = $((3 + late)) ] ||
                fail "$lto, $l: $(cat summary)"
            [ "$(grep -c ': C, .*(written at link time)$' summary)" = $late ] || fail "$lto, $l: language: $(cat summary)"
        else
            [ "$(grep -c 'optimised at link time without the pass' summary)" = 3 ] || fail "$lto, $l: $(cat summary)"
        fi
    done
    # a linker that is told by hand
    clang-19 -O2 -g -flto=$lto -fuse-ld=lld "-Wl,--load-pass-plugin=$("$h" config --pass)" one.$lto.o two.$lto.o \
        three.$lto.o -o lto.$lto.pass
    "$h" map lto.$lto.lld > by.us
    "$h" map lto.$lto.pass > by.hand
    cmp by.us by.hand
done

# the same input gives the same bytes
"$h" cc -O2 -g -c two.c -o again1.o
"$h" cc -O2 -g -c two.c -o again2.o
cmp again1.o again2.o
echo "carriers: all kept the map"
