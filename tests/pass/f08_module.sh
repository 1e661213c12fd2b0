#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# f08_module.sh PREFIX WORK_FOLDER: the module mpi_f08 that `heatscope fc` makes of Open MPI's constants has all of MPI 3.1, and does what the
# library's own does.
set -eu
prefix=$1
source=$(cd "$(dirname "$0")" && pwd)
rm -rf "$2"
mkdir -p "$2"
cd "$2"
fail() {
    echo "f08_module: $*" >&2
    exit 1
}
command -v mpif90 > mpif90.path || exit 77
case "$(mpif90 --showme:version 2>&1)" in *"Open MPI"*) ;; *) exit 77 ;; esac
export XDG_CACHE_HOME=$PWD/cache OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ours() {
    OMPI_FC=$prefix/bin/heatscope-fc mpif90 "$@"
}

# names: all that the library's C header has, but what is only of C, of tools, an extension, or deleted before mpi_f08; and all of module mpi
header=$(mpicc --showme:incdirs | tr ' ' '\n' | while read -r d; do [ ! -f "$d/mpi.h" ] || echo "$d/mpi.h"; done | head -1)
{
    grep -oE '\bMPI_[A-Z][a-z][A-Za-z0-9_]* *\(' "$header" | tr -d ' ('
    sed -n '/external ::/,/^#endif/p' "$prefix/share/heatscope/fortran/mpi.F90" | grep -oE '\bmpi_[a-z0-9_]+'
} | tr 'A-Z' 'a-z' | sort -u | grep -vE '_(c2f|f2c|c2f08|f082c)$|^mpi_t_|_(fn|function)$|^mpi_(status_f2f08|status_f082f)$' |
    grep -vxE 'mpi_(address|attr_(delete|get|put)|errhandler_(create|get|set)|keyval_(create|free)|type_(extent|hindexed|hvector|lb|struct|ub))' > names
[ "$(wc -l < names)" -ge 345 ] || fail "only $(wc -l < names) names found in $header"
{
    echo "program names"
    sed 's/.*/use mpi_f08, only: &\nuse mpi_f08, only: p&/' names | grep -v 'only: pmpi_.*_fn$'
    echo "end program"
} > names.f90
ours -c names.f90 2> names.err || fail "missing: $(grep -oE "'p?mpi_[a-z0-9_]+' not found" names.err | tr '\n' ' ')"

# what they do, by keyword and without the error code
ours -O1 "$source/f08_calls.f90" -o ours || fail "does not compile"
timeout 120 mpirun --oversubscribe -n 2 ./ours > ours.out 2> ours.err || fail "ended with $?: $(cat ours.err)"
[ "$(wc -l < ours.out)" = 27 ] || fail "prints $(wc -l < ours.out) lines"
if command -v gfortran > gfortran.path && OMPI_FC=gfortran mpif90 -w "$source/f08_calls.f90" -o theirs 2> theirs.err; then
    timeout 120 mpirun --oversubscribe -n 2 ./theirs > expected 2> theirs.err || fail "the library's own ended with $?: $(cat theirs.err)"
else
    echo "f08_module: no mpi_f08 of the library's own, not compared"
    cp ours.out expected
fi
diff expected ours.out || fail "differs from the library's own module"

# what would be wrong is an error: a section with gaps of what is in use after the call, and what there is not
refused() {
    printf 'program p\n use mpi_f08\n type(MPI_Request) :: r\n type(MPI_Status) :: s\n integer, asynchronous :: a(4, 4)\n integer :: f(MPI_STATUS_SIZE)\n %s\nend program\n' "$1" > refused.f90
    ours -c refused.f90 2> refused.err && fail "compiles: $1"
    grep -q "$2" refused.err || fail "$1: $(cat refused.err)"
}
refused 'call MPI_Isend(a(1, :), 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, r)' 'not simply contiguous'
refused 'call MPI_Status_f082f(s, f)' 'mpi_status_f082f'
echo "f08_module: $(wc -l < names) names"
