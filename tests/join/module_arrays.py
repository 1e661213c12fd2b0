# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of Fortran modules are declared where the module is, whoever uses them: flang gives units that use the module a line in its .mod file with
the name of their own source. Where no part of the program knows it they have no line, and reports name the module.
Usage: module_arrays.py HEATSCOPE FLANG WORK; exit code 77: no h5py"""
import os
import shutil
import subprocess
import sys

try:
    import h5py
except ImportError:
    sys.exit(77)

HEATSCOPE, FLANG, WORK = sys.argv[1:4]
NONE = 4294967295
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
os.chdir(WORK)
with open("fields.f90", "w", encoding="utf-8") as f:
    f.write("""module fields
  implicit none
  integer, parameter :: n = 20000
  real(8), allocatable :: grid(:)

  real(8) :: fixed(n)
end module
""")
with open("uses.f90", "w", encoding="utf-8") as f:
    f.write("""program uses
  use fields
  implicit none
  integer :: i, k
  allocate(grid(n))
  grid = 1
  do k = 1, 2000
    do i = 1, n
      grid(i) = grid(i) * 0.5d0 + 1
      fixed(i) = grid(i)
    end do
  end do
  print *, sum(fixed)
end program
""")
DECLARED = {"grid": ("fields.f90", 4), "fixed": ("fields.f90", 6)}


def run(*command, **variables):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables}, check=False)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout



def declared(name):
    """File and line of each array of the database of this program, by name."""
    run(HEATSCOPE, "run", "-q", "-o", name + ".run", "./" + name)
    run(HEATSCOPE, "correlate", "-q", name + ".run", "-o", name + ".h5")
    with h5py.File(name + ".h5") as database:
        arrays, files = database["static/array"], database["static/file"]
        names, rows, lines = arrays["name"].asstr()[:], arrays["file"][:], arrays["line"][:]
        paths = files["path"].asstr()[:]
        if sorted(names).count("grid") != 1 or sorted(names).count("fixed") != 1:
            sys.exit(f"{name}: arrays are {list(names)}")
        return {n: (os.path.basename(paths[r]) if r != NONE else None, int(line)) for n, r, line in zip(names, rows, lines) if n in DECLARED}


def expect(name, wanted):
    got = declared(name)
    if got != wanted:
        sys.exit(f"{name}: {got}, not {wanted}")


run(HEATSCOPE, "fc", "-O2", "-g", "-c", "fields.f90", "-o", "fields.o")
run(HEATSCOPE, "fc", "-O2", "-g", "-c", "uses.f90", "-o", "uses.o")
run(HEATSCOPE, "fc", "uses.o", "fields.o", "-o", "behind")
run(HEATSCOPE, "fc", "fields.o", "uses.o", "-o", "before")
expect("behind", DECLARED)
expect("before", DECLARED)
run(FLANG, "-O2", "-g", "-c", "fields.f90", "-o", "unknown.o")
run(HEATSCOPE, "fc", "uses.o", "unknown.o", "-o", "unknown")
expect("unknown", {"grid": (None, 0), "fixed": (None, 0)})
if "not used in this unit" not in run(HEATSCOPE, "map", "--arrays", "fields.o"):
    sys.exit("the map does not say that the module's arrays are not used")

# and as reports name them
mpif90 = shutil.which("mpif90")
if mpif90 and "Open MPI" in subprocess.run([mpif90, "--showme:version"], capture_output=True, text=True, check=False).stdout:
    with open("sends.f90", "w", encoding="utf-8") as f:
        f.write("""program sends
  use mpi
  use fields
  implicit none
  integer :: ierror, i
  call MPI_Init(ierror)
  allocate(grid(n))
  grid = 1
  do i = 1, 2000
    call MPI_Sendrecv(grid, n, MPI_REAL8, 0, 0, fixed, n, MPI_REAL8, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierror)
  end do
  print *, sum(fixed)
  call MPI_Finalize(ierror)
end program
""")
    compiler = {"OMPI_FC": os.path.join(os.path.dirname(HEATSCOPE), "heatscope-fc"), "XDG_CACHE_HOME": os.path.abspath("cache")}
    run(mpif90, "-O2", "-g", "-c", "sends.f90", "-o", "sends.o", **compiler)
    for name, module, wanted in (("known", "fields.o", "grid fields.f90:4"), ("named", "unknown.o", "grid in module fields")):
        run(mpif90, "sends.o", module, "-o", name, **compiler)
        run(HEATSCOPE, "run", "-q", "-o", name + ".run", "./" + name)
        run(HEATSCOPE, "correlate", "-q", name + ".run", "-o", name + ".h5")
        told = " ".join(run(HEATSCOPE, "report", "--by=array", name + ".h5").split())
        if wanted not in told.replace("module_arrays/", ""):
            sys.exit(f"{name}: '{wanted}' is not in {told}")
