#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# wrapper.sh PREFIX WORK_FOLDER: what the compiler wrappers add, and that they end as the compiler does.
set -eu
prefix=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"
h=$prefix/bin/heatscope
pass=$("$h" config --pass)
fail() {
    echo "wrapper: $*" >&2
    exit 1
}
# a compiler that prints its arguments, one a line, and ends as it is told
cat > fake << 'X'
#!/bin/sh
for a; do
    echo "$a"
    case $a in
    exit=*) exit "${a#exit=}" ;;
    die=*) kill "-${a#die=}" $$ ;;
    esac
done
X
chmod +x fake
export HEATSCOPE_CC=$PWD/fake HEATSCOPE_CXX=$PWD/fake HEATSCOPE_FC=$PWD/fake
# where heatscope.h is, behind all that is compiled of C and C++
after="--start-no-unused-arguments -idirafter $(readlink -f "$prefix")/include --end-no-unused-arguments"
"$h" cc -c a.c | tr '\n' ' ' | grep -qF -- "-c a.c $after" || fail "no folder of heatscope.h"
"$h" fc -c a.f90 | grep -q idirafter && fail "Fortran has a folder of heatscope.h"
# of Fortran those of its module and its library
"$h" fc -c a.f90 | tail -1 | grep -qFx -- "-I$(readlink -f "$prefix")/include/heatscope/fortran" || fail "no folder of module heatscope"
"$h" fc a.o | tail -1 | grep -qFx -- "$(readlink -f "$prefix")/lib/heatscope/libheatscope-fortran.a" || fail "no library of module heatscope"
"$h" fc -c a.f90 | grep libheatscope && fail "a library where nothing is linked"
# given EXPECTED ARGS...: the wrapper (in $w) turns ARGS into EXPECTED, both with blanks for newlines, and not looking at that folder
given() {
    expected=$1
    shift
    got=$($w "$@" | tr '\n' ' ')
    got=${got%"$after "}
    got=${got%"-I$(readlink -f "$prefix")/include/heatscope/fortran "}
    [ "$got" = "$expected " ] || fail "$w $*: expected '$expected', got '$got'"
}
p=-fpass-plugin=$pass
w="$h cc"
given "$p -gline-tables-only -c a.c" -c a.c
given "$p -g -c a.c" -g -c a.c
given "$p -g0 -c a.c" -g0 -c a.c
given "$p -gdwarf-4 -c a.c" -gdwarf-4 -c a.c
given "$p -gline-tables-only -gcolumn-info -c a.c" -gcolumn-info -c a.c
given "$p -gline-tables-only -Wl,--build-id a.c -o a" a.c -o a
given "$p -gline-tables-only -Wl,--build-id=sha1 a.c" -Wl,--build-id=sha1 a.c
given "-Wl,--build-id a.o -o a" a.o -o a
given "-Wl,--build-id -o x.c a.o" -o x.c a.o
given "-r a.o b.o -o c.o" -r a.o b.o -o c.o
# what would leave out what a map is read by is left out, and said
for strips in "-s" "-Wl,-s" "-Wl,--strip-all,--strip-debug" "-Xlinker -s" "-s -Wl,-S"; do
    # shellcheck disable=SC2086
    given "-Wl,--build-id a.o -o a" $strips a.o -o a 2> err
    [ "$(grep -c 'cc: -s is left out, or nothing will be known' err)" = 1 ] || fail "$strips: said $(cat err)"
done
given "-Wl,--build-id -Wl,-O1,--as-needed,-x a.o" -Wl,-O1,-s,--as-needed,-x a.o 2> err
given "-Wl,--build-id -Wl,-rpath,/s,--sort-common a.o -L-s -X" -Wl,-rpath,/s,--sort-common a.o -L-s -X 2> err
[ ! -s err ] || fail "nothing was left out: $(cat err)"
# a static program can't be measured: said when it is linked, and then alone
given "-Wl,--build-id -static a.o -o a" -static a.o -o a 2> err
grep -q "cc: a program that is linked statically can't be measured" err || fail "-static: said $(cat err)"
given "$p -gline-tables-only -static -c a.c" -static -c a.c 2> err
[ ! -s err ] || fail "-static -c: said $(cat err)"
given "$p -gline-tables-only -x c -c -" -x c -c -
given "-c -x assembler -" -c -x assembler -
for quiet in "-E a.c" "-M a.c" "-MM a.c" "--version" "-v" "-print-file-name=libc.a" "-dumpmachine" "-fsyntax-only a.c" \
    "-c a.s" "-c a.S" "-###"; do
    # shellcheck disable=SC2086
    given "$quiet" $quiet
done
given "$p -gline-tables-only -MD -MF a.d -c a.c" -MD -MF a.d -c a.c
echo '-c "a b.c" -g' > args.rsp
given "$p @args.rsp" @args.rsp
echo 'a.o -Wl,-O1,-s' > link.rsp
given "-Wl,--build-id @link.rsp" @link.rsp 2> err
grep -q 'leave -s out of the file of arguments' err || fail "said: $(cat err)"
given "$p -gline-tables-only -DX=a b -c a.c" "-DX=a b" -c a.c
w=$prefix/bin/heatscope-cc
given "$p -gline-tables-only -c a.c" -c a.c
given "--help" --help
w="$h c++"
given "$p -gline-tables-only -c a.cc" -c a.cc
w=$prefix/bin/heatscope-c++
given "$p -gline-tables-only -c a.cpp" -c a.cpp
w="$h fc"
given "$p -g -c a.f90" -c a.f90
given "$p -g -c a.F" -g -c a.F

# exit codes and signals
for code in 0 1 37 255; do
    got=0
    "$h" cc -c "exit=$code" > out || got=$?
    [ $got = $code ] || fail "exit code: expected $code, got $got"
done
got=0
(exec "$h" cc -c die=SEGV > out) 2> err || got=$?
[ $got = 139 ] || fail "signal: expected 139, got $got"

# wrong compilers
HEATSCOPE_CC=$prefix/bin/heatscope-cc "$h" cc -c a.c 2> err && fail "calls itself"
grep -q 'names heatscope itself' err
HEATSCOPE_CC=/nonexistent/cc "$h" cc -c a.c 2> err && fail "runs what is not there"
grep -q '^heatscope cc: cannot run /nonexistent/cc: No such file' err
"$h" cc 2> err && fail "takes no arguments"
"$h" cc --help | grep -q '^usage: heatscope cc ARGS'
unset HEATSCOPE_CC HEATSCOPE_CXX HEATSCOPE_FC

# the real ones
echo 'int main(void) { return 0; }' > a.c
"$h" cc a.c -o a
"$h" map --summary a | grep -q '^a.c: C, '
readelf -n a | grep -q 'Build ID'
"$h" cc -s a.c -o s 2> err
cmp a s || fail "linked with -s it is another program"

# by the compiler's own name, for build scripts that look at it
named=$("$h" config --compilers)
(PATH=$named:$PATH:$named/ && clang -O2 a.c -o named && HEATSCOPE_CC='env clang-19' clang-19 -O2 -c a.c -o named.o && clang++ -x c++ -O2 -c a.c -o named++.o) || fail "compilers by their own names"
for f in named named.o named++.o; do
    "$h" map --summary $f | grep -q '^a.c: C' || fail "$f has no map"
done
"$h" cc -c missing.c 2> err && fail "a missing file compiles"
echo 'int main( { return 0; }' > bad.c
"$h" cc -c bad.c 2> err && fail "a wrong file compiles"
[ ! -e bad.o ] || fail "a wrong file has an object"
"$h" cc -E a.c > out
cp a.c d.c
"$h" cc -MM d.c | grep -q '^d.o: d.c'

if command -v mpicc > mpicc.path; then
    cat > m.c << 'X'
#include <mpi.h>
int main(int argc, char **argv) { MPI_Init(&argc, &argv); MPI_Finalize(); return 0; }
X
    OMPI_CC=$prefix/bin/heatscope-cc mpicc -O2 m.c -o m
    "$h" dump m | grep -q 'callee="MPI_Init" kind=2(mpi)' || fail "no MPI call in the map"
    export XDG_CACHE_HOME=$PWD/cache
    cat > u.f90 << 'X'
program u
  use mpi, only: MPI_COMM_WORLD, MPI_INTEGER, MPI_DOUBLE_PRECISION, MPI_Init, MPI_Bcast, MPI_Finalize, mpi_wtime
  integer :: i, error
  double precision :: x(3)
  call MPI_Init(error)
  x = mpi_wtime()
  call MPI_Bcast(i, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(x, 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
X
    # two builds at once, with an empty cache
    (OMPI_FC=$prefix/bin/heatscope-fc mpif90 -O2 u.f90 -o u1) &
    OMPI_FC=$prefix/bin/heatscope-fc mpif90 -O2 u.f90 -o u2
    wait $!
    for u in u1 u2; do
        "$h" dump $u | grep -q 'callee="mpi_bcast_" kind=2(mpi)' || fail "no Fortran MPI call in the map of $u"
    done
    # mpi_f08: of Open MPI by a module of ours, where the error code may be left out; of others in one clear line
    cat > f08.f90 << 'X'
program f08
  use mpi_f08
  implicit none
  integer :: rank, n, i, got
  real(8) :: a(10), b(10), s
  type(MPI_Request) :: r(2)
  type(MPI_Status) :: st(2)
  type(MPI_Comm) :: c
  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, c)
  call MPI_Comm_rank(c, rank)
  call MPI_Comm_size(c, n)
  a = rank + 1
  do i = 1, 3
    call MPI_Irecv(b, 10, MPI_DOUBLE_PRECISION, mod(rank + n - 1, n), 7, c, r(1))
    call MPI_Isend(a, 10, MPI_DOUBLE_PRECISION, mod(rank + 1, n), 7, c, r(2))
    call MPI_Waitall(2, r, st)
  end do
  call MPI_Get_count(st(1), MPI_DOUBLE_PRECISION, got)
  call MPI_Sendrecv(a, 1, MPI_REAL8, mod(rank + 1, n), 1, s, 1, MPI_REAL8, mod(rank + n - 1, n), 1, c, MPI_STATUS_IGNORE)
  call MPI_Allreduce(MPI_IN_PLACE, b, 10, MPI_DOUBLE_PRECISION, MPI_SUM, c, i)
  if (rank == 0) print '(a, f4.1, f4.1, i3, i3, l2, l2)', 'f08:', b(1), s, got, st(1)%MPI_SOURCE, &
    r(1) == MPI_REQUEST_NULL, c == MPI_COMM_NULL
  call MPI_Comm_free(c)
  call MPI_Finalize()
end program
X
    case "$(mpif90 --showme:version 2>&1)" in
    *"Open MPI"*)
        OMPI_FC=$prefix/bin/heatscope-fc mpif90 -O2 f08.f90 -o f08 || fail "mpi_f08 was not compiled"
        "$h" dump f08 | grep -q 'callee="mpi_isend_" kind=2(mpi)' || fail "no message of mpi_f08 in the map"
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 ./f08 > f08.out 2> f08.err || fail "mpi_f08: $(cat f08.err)"
        grep -q '^f08: 3.0 2.0 10  1 T F$' f08.out || fail "mpi_f08: $(cat f08.out)" ;;
    esac
    if command -v mpif90.mpich > mpich.path; then
        sed 's/use mpi,.*/use mpi_f08/' u.f90 > refused.f90
        # its wrapper hands on options of gfortran
        $prefix/bin/heatscope-fc $(mpif90.mpich -show | tr ' ' '\n' | grep '^-I') -c refused.f90 2> err && fail "mpi_f08 of another compiler was read"
        grep -q "mpi_f08-was-not-compiled-by-flang-use-mpi-instead" err || fail "mpi_f08: $(head -3 err)"
        [ "$(wc -l < err)" -lt 40 ] || fail "mpi_f08: $(wc -l < err) lines of errors"
    fi
    [ -z "$(find cache -name 'new-*')" ] || fail "left in the cache: $(find cache -name 'new-*')"
else
    echo "wrapper: no mpicc, MPI part skipped"
fi
unset HEATSCOPE_CC HEATSCOPE_CXX HEATSCOPE_FC
printf '#include <heatscope.h>\nint main(void) { heatscope_phase("one"); return 0; }\n' > told.c
"$h" cc -Werror -o told told.c && ./told || fail "heatscope.h is not found"
"$h" cc -Werror -E told.c > told.i && "$h" cc -Werror -c told.i || fail "preprocessed text"
cat > told.f90 << 'X'
program told
  use heatscope
  call heatscope_phase('one')
  call heatscope_begin('turn')
  call heatscope_counter('height', 2.5d0)
  call heatscope_end('turn')
  print '(l1)', heatscope_measuring()
end program
X
"$h" fc -O2 -o told_fortran told.f90 || fail "module heatscope is not found"
[ "$(./told_fortran)" = F ] || fail "module heatscope does something without a measurement"
"$h" fc -O2 -c told.f90 && "$h" fc -o told_linked told.o && [ "$(./told_linked)" = F ] || fail "module heatscope is not linked"
rm -rf told.run
[ "$("$h" run -q -o told.run ./told_fortran)" = T ] || fail "module heatscope does not reach the measurement"
cat told.run/*.hsr > /dev/null && for f in told.run/*.hsr; do "$h" dump "$f"; done | grep -q 'name="height"' || fail "no counter of module heatscope"
echo 'end' > none.f90
"$h" fc -O2 -o none none.f90 && nm none | grep -qi heatscope && fail "a program that does not use module heatscope has it"
echo "wrapper: all as expected"
