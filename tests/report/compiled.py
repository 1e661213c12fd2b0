# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Findings and figures of small programs as compilers make them: loops with procedures inlined into them, recursion, one thread alone, single values.
Usage: compiled.py HEATSCOPE HEATSCOPE-CC GCC|- MPICC|- HEATSCOPE-FC|- SOURCE WORK. Shares are of one run, compared with other tables of the same run; where a share of the
program is known beforehand, the bound is said."""
import csv
import io
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, CC, GCC, MPICC, FC, SOURCE, WORK = sys.argv[1:8]
CARRIED = """module m
contains
  subroutine carry(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i, k
    do k = 1, 400
      do i = 2, n
        x(i) = x(i) * 0.5d0 + x(i-1) * 0.25d0 + 1d-9 * k
      end do
    end do
  end subroutine
end module
program carried
  use m
  real(8), allocatable :: x(:)
  integer :: k
  allocate(x(4000))
  x = 1
  do k = 1, 60
    call carry(x, 4000)
  end do
  print *, sum(x)
end program
"""
MEMBERS = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
typedef struct { double *values; int n; } state;
__attribute__((noinline)) static void fill(state *s) {
    for (int i = 0; i < s->n; i++)
        s->values[i] = i;
}
__attribute__((noinline)) static void work(state *s) {
    for (int k = 0; k < 1000; k++)
        for (int i = 1; i < s->n; i++)
            s->values[i] = s->values[i] * 0.5 + s->values[i - 1] * 0.25;
}
int main(void) {
    state s = {calloc(4000, sizeof(double)), 4000};
    fill(&s);
    for (clock_t begin = clock(); clock() - begin < 4 * CLOCKS_PER_SEC / 10;)
        work(&s);
    printf("%g\\n", s.values[7]);
    return 0;
}
"""
INTRINSIC = """program intrinsic
  real(8), allocatable :: a(:,:), b(:,:), c(:,:)
  integer :: i
  real(8) :: s
  allocate(a(200,200), b(200,200), c(200,200))
  a = 1
  b = 2
  s = 0
  do i = 1, 100
    c = matmul(a, b)
    b(1, 1) = b(1, 1) + 1d-9 * c(1, 1)
  end do
  do i = 1, 20000
    s = s + sum(c)
    c(1, 1) = s * 1d-9
  end do
  print *, s
end program
"""
DIVIDES = """program divides
  implicit none
  complex(8), allocatable :: a(:,:)
  integer :: m, n
  n = 1000
  allocate(a(n,n))
  a = (1d0, 2d0)
  do m = 1, 40
    a = a / (real(n,8) * real(m,8) * 1d-3)
  end do
  print *, sum(a)
end program
"""
NAMED = """#include <mpi.h>
#include <stdlib.h>
static volatile int done; /* so that calls return to where they stand */
static void work(int rank) {
    for (volatile long i = 0; rank && i < 20000000; i++)
        ;
}
__attribute__((noinline)) static void first(int rank, double *x) {
    work(rank);
    MPI_Bcast(x, 5000, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    done++;
}
__attribute__((noinline)) static void second(int rank, double *x) {
    work(rank);
    MPI_Bcast(x, 4000, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    done++;
}
__attribute__((noinline)) static void third(int rank) {
    double *x = calloc(3000, 8);
    work(rank);
    MPI_Bcast(x, 3000, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    free(x);
}
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++) {
        double *given = calloc(5000, 8);
        first(rank, given);
        second(rank, given);
        third(rank);
        free(given);
    }
    return MPI_Finalize();
}
"""
HIDDEN = """#include <mpi.h>
int main(int argc, char **argv) {
    static double a[5000], b[5000];
    double one = 1, all;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        for (volatile long k = 0; !rank && k < 60000000; k++)
            ;
        if (!rank)
            MPI_Send(argc > 5 ? a : b, 5000, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(argc > 5 ? b : a, 5000, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return MPI_Finalize();
}
"""
STARTED = """#include <mpi.h>
enum { N = 4096 };
static double west[N], east[N];
static volatile int done; /* so that calls return to where they stand */
__attribute__((noinline)) static void start(MPI_Request *both) {
    MPI_Startall(2, both);
    done++;
}
int main(int argc, char **argv) {
    static double once[100];
    MPI_Request both[2], one, summed;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send_init(west, N, MPI_DOUBLE, !rank, 1, MPI_COMM_WORLD, &both[0]);
    MPI_Recv_init(east, N, MPI_DOUBLE, !rank, 1, MPI_COMM_WORLD, &both[1]);
    if (rank)
        MPI_Recv_init(once, 100, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &one);
    else
        MPI_Send_init(once, 100, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &one);
    for (int i = 0; i < 10; i++) {
        for (volatile long k = 0; !rank && k < 20000000; k++)
            ;
        start(both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        MPI_Start(&one);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
    return MPI_Finalize();
}
"""
CLEARED = """#include <stdlib.h>
__attribute__((noinline)) static void clear(double *restrict a, int *restrict b, int n) {
    for (int i = 0; i < n; i++) {
        a[i] = 0;
        b[i] = 0;
    }
}
int main(void) {
    double *a = malloc(80000);
    int *b = malloc(40000);
    for (volatile int k = 0; k < 150000; k++)
        clear(a, b, 10000);
    return a[1] != 0;
}
"""
REUSED = """#include <mpi.h>
static double late[100], prompt[100], gone[100], gathered[200];
__attribute__((noinline)) static void finish(MPI_Request *requests) {
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
int main(int argc, char **argv) {
    MPI_Request requests[2];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 8; i++) {
        double until = MPI_Wtime() + 0.03;
        while (rank == 1 && MPI_Wtime() < until)
            ;
        MPI_Irecv(late, 100, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(gone, 100, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
        finish(requests);
        MPI_Irecv(prompt, 100, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(gone, 100, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, &requests[1]);
        finish(requests);
        MPI_Iallgather(gone, 10, MPI_DOUBLE, gathered, 10, MPI_DOUBLE, MPI_COMM_WORLD, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    return MPI_Finalize();
}
"""
TASKS = """#include <time.h>
#include <unistd.h>
volatile unsigned long a, b;
volatile int begun; /* each waits for the other, so that they are on two threads */
static void meet(void) {
    __atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
    while (begun < 2)
        usleep(1000);
}
static double used(void) { /* s of the thread's processor time: how much each has is not the machine's to say */
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
__attribute__((noinline)) void first(void) {
    meet();
    for (double end = used() + FIRST; used() < end;)
        for (unsigned long i = 0; i < 1000000; i++)
            a = i;
}
__attribute__((noinline)) void second(void) {
    meet();
    for (double end = used() + SECOND; used() < end;)
        for (unsigned long i = 0; i < 1000000; i++)
            b = i;
}
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        first();
#pragma omp task
        second();
    }
    return 0;
}
"""
WRAPPED = """#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
volatile int meetings;
static double seconds[2];
static __attribute__((noinline)) void meet(int site) {
    double begin = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[site] += MPI_Wtime() - begin;
    meetings++;
}
struct part {
    double *halo;
};
static __attribute__((noinline)) void fill(struct part *p) {
    for (int i = 0; i < 1000; i++)
        p->halo[i] = i;
}
static __attribute__((noinline)) void spread(struct part *p) {
    MPI_Bcast(p->halo, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    meetings++;
}
int main(int argc, char **argv) {
    int rank;
    double halo[1000];
    struct part part = {halo};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        fill(&part);
        if (!rank)
            usleep(20000);
        spread(&part);
        if (!rank)
            usleep(50000);
        meet(0); // short
        if (!rank)
            usleep(200000);
        meet(1); // long
    }
    char name[32];
    snprintf(name, sizeof name, "wrapped.seconds.%d", rank);
    FILE *file = fopen(name, "w");
    if (!file || fprintf(file, "%.9f %.9f", seconds[0], seconds[1]) < 0 || fclose(file))
        return 1;
    MPI_Finalize();
    return 0;
}
"""
WRITTEN = """program written
  include 'mpif.h'
  real(8) :: big(1048576) ! a write of it takes longer than what is too short to be told by itself
  integer :: rank, i, k, ierr
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  big = rank
  do i = 1, 4
    if (rank == 0) then
      open(20, file='written.out', form='unformatted', access='stream')
      do k = 1, 5
        write(20) big
      end do
      close(20)
    end if
    call mpi_barrier(MPI_COMM_WORLD, ierr)
  end do
  call mpi_finalize(ierr)
end program
"""
SHARED = """#include <mpi.h>
double table[20000];
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 500; i++)
        MPI_Bcast(table, 20000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return MPI_Finalize();
}
"""
PARTS = """module exchange
contains
  subroutine begin(sent, come, n, other, requests)
    use mpi
    real(8) :: sent(:), come(:)
    integer :: n, other, requests(2), ierr
    call mpi_isend(sent, n, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, requests(1), ierr)
    call mpi_irecv(come, n, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, requests(2), ierr)
  end subroutine
  subroutine never(extra, n, other, requests)
    use mpi
    real(8) :: extra(:)
    integer :: n, other, requests(2), ierr
    call mpi_isend(extra, n, MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, requests(1), ierr)
  end subroutine
end module
program parts
  use mpi
  use exchange
  real(8) :: a(2000), b(3000), x
  integer :: requests(2), rank, i, k, ierr
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  a = rank
  x = 0
  do i = 1, 10
    call begin(a, b(1:2000), 2000, 1 - rank, requests)
    if (rank > 5) call never(b, 2000, 1 - rank, requests)
    if (rank == 0) then
      do k = 1, 20000000
        x = x + sqrt(dble(k))
      end do
    end if
    call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  end do
  if (x < 0) print *, x, b(1)
  call mpi_finalize(ierr)
end program
"""
FILLED = """#include <mpi.h>
__attribute__((noinline)) static void fill(double *x, int i) {
    for (int k = 0; k < 100; k++)
        x[k] = 1.0 / (i + k + 1);
}
int main(int argc, char **argv) {
    double here[100], elsewhere[200];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 100; k++)
            here[k] = 1.0 / (i + k + 1);
        MPI_Bcast(here, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        fill(elsewhere, i);
        MPI_Bcast(elsewhere, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
"""
SUMMED = """#include <ctime>
#include <numeric>
#include <vector>
int main(int argc, char **) {
    std::vector<float> x(4096, 1.0f / static_cast<float>(argc));
    float s = 0;
    for (std::clock_t begin = std::clock(); std::clock() - begin < CLOCKS_PER_SEC * 2 / 5;) {
        s += std::accumulate(x.begin(), x.end(), 0.0f);
        x[7] = s * 1e-9f;
    }
    return s < 0;
}
"""
wrong = []
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
os.chdir(WORK)
shutil.copy(SOURCE, "compiled.c")


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def run(*command, **env):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env}, timeout=250)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}{done.stdout}")
    return done.stdout


def joined(name, *options, launcher=(), **env):
    """The database of a run of ./NAME, whose output is in NAME.out."""
    said = run(*launcher, HEATSCOPE, "run", "-q", *options, "-o", name + ".m", "./" + name, **env)
    with open(name + ".out", "w", encoding="utf-8") as f:
        f.write(said)
    run(HEATSCOPE, "correlate", "-q", "-o", name + ".h5", name + ".m")
    return name + ".h5"


def measured(name, compiler, *options, launcher=(), **env):
    """The database of compiled.c, compiled so."""
    run(compiler, "-O2", "-g", *options, "compiled.c", "-o", name, **env)
    return joined(name, "-F", "2000", launcher=launcher, **env)


def written(file, text):
    """The file, and the name of the program that it is to be."""
    with open(file, "w", encoding="utf-8") as f:
        f.write(text)
    return file, file.partition(".")[0]


def serial(file, text, compiler, *options, libraries=()):
    """The database of a program of one process."""
    source, name = written(file, text)
    run(compiler, *options, source, "-o", name, *libraries)
    return joined(name, "-F", "2000")


RANKS = {"launcher": ("mpirun", "-n", "2"), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


# rank 0 is late for what a loop calls of a library; its two late calls are in a procedure that others call, the way of which splits further out only
LIBRARY = """#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
volatile int meetings;
static __attribute__((noinline)) void barrier(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    meetings++;
}
static __attribute__((noinline)) void meet(void) {
    barrier();
    meetings++;
}
static double even[1000], odd[1000];
static __attribute__((noinline)) void spread(double *what) {
    MPI_Bcast(what, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    meetings++;
}
static __attribute__((noinline)) double work(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += jn(50, 100.5 + i % 1000); // called
    return sum;
}
int main(int argc, char **argv) {
    int rank;
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    meet(); // before
    for (int i = 0; i < 4; i++) {
        sum += work(rank ? 1 : 300000);
        meet(); // much
        sum += work(rank ? 1 : 150000);
        meet(); // less
        spread(i & 1 ? odd : even); // one
        spread(i & 1 ? even : odd); // other
    }
    MPI_Finalize();
    return sum == 0;
}
"""


def of_ranks(file, text, compiler, *options):
    """The database of a program of two ranks."""
    source, name = written(file, text)
    run(compiler, *options, source, "-o", name, OMPI_CC=CC, MPICH_CC=CC, OMPI_FC=FC, MPICH_FC=FC)
    return joined(name, **RANKS)


def findings(database):
    return " ".join(run(HEATSCOPE, "report", database).split("What stands out")[1].split("\n\n")[0].split())


def rows(database, by):
    return list(csv.DictReader(io.StringIO(run(HEATSCOPE, "report", f"--by={by}", "--format=csv", "--top=0", database))))


def line(mark):
    with open("compiled.c", encoding="utf-8") as f:
        return next(str(n) for n, text in enumerate(f, 1) if f"/* {mark} */" in text)


def of(database, by, mark):
    """Sum over the rows of the loop at that line."""
    chosen = [r for r in rows(database, by) if r["line_begin"] == line(mark)]
    return sum(float(r["exclusive_pct"]) for r in chosen), chosen


# a refused loop: with what is inlined into it, which is none of its own code, and says so once; without, the two are one figure.
# Nearly all of the program's time is there: of 800 samples 10 % may be others'
for name, options in (("own", ()), ("inlined", ("-DINLINED",))):
    database = measured(name, CC, "-DREFUSED", *options)
    price, said = of(database, "reason", "LOOP")[0], findings(database)
    exclusive = of(database, "loop", "LOOP")[0]
    told = re.search(r"Not vectorised: \S+ s, (\S+) % .*? in the loop at \S*compiled\.c:" + line("LOOP") + r"-\d+(.*?): loop not vectorized", said)
    that(price > 90 and told and abs(float(told[1]) - price) < 0.06, f"{name}: {price} % by reason: {said}")
    inside = name == "inlined"
    that(told and not told[2], f"{name}: said once, of the hottest loop: {said}")
    hottest = re.search(r"The hottest loop takes \S+ s, (\S+) % \([^()]*\): [^:]* at \S*compiled\.c:" + line("LOOP") + r"-\d+, depth 2, in main(.*?)\. ", said)
    that(hottest and abs(float(hottest[1]) - price) < 0.06 and not hottest[2], f"{name}: hottest loop, {price} % by reason: {said}")
    of_own = re.search(r"depth 2, in main\. (\S+) s of that is its own code \((\S+) %\), the rest what it calls: step (\S+) s\.", said)
    that(bool(of_own) == inside and (not inside or abs(float(of_own[2]) - exclusive) < 0.06), f"{name}: {exclusive} % its own: {said}")
    that((exclusive < 30) if inside else abs(exclusive - price) < 1e-6, f"{name}: {exclusive} % by loop, {price} % by reason")

# a loop that only calls cos: by the program's own clock it takes more than the plain one, though hardly any of that is its own code. A share of 1600 periods of
# one sample each is known to 2.5 points, of a quarter as many samples to 5: bounds are twice that
database = measured("calls", CC, "-DCALLS", "-lm")
with open("calls.out", encoding="utf-8") as f:
    first, second = (float(x) for x in f.read().split()[:2])
said, truth, loops = findings(database), 100 * first / (first + second), {mark: of(database, "loop", mark)[1] for mark in ("CALLS", "PLAIN", "STEP")}
calls, plain = (float(loops[mark][0]["with_calls_pct"]) for mark in ("CALLS", "PLAIN"))
that(truth > 55 and abs(calls - truth) < 10 and abs(plain - (100 - truth)) < 10, f"calls: {calls} and {plain} % with calls, by the clock {truth} % in the first")
that(float(loops["CALLS"][0]["exclusive_pct"]) < truth - 20, f"calls: nothing to tell: {loops['CALLS']}")
that(sum(float(x["with_calls_pct"]) for x in loops["STEP"]) < 5, f"calls: the loop round both pays for them: {loops['STEP']}")
hottest = re.search(r"The hottest loop takes \S+ s, (\S+) % \([^()]*\): [^:]* at \S*compiled\.c:(\d+)\S*, depth 1, in map\. \S+ s of that is its own code", said)
that(hottest and hottest[2] == line("CALLS") and abs(float(hottest[1]) - calls) < 0.06, f"calls: hottest loop, {calls} %: {said}")
price = of(database, "reason", "CALLS")[0]
that(abs(price - calls) < 0.06 and re.search(r"Not vectorised: up to \S+ s", said), f"calls: price {price} %, {calls} % with calls: {said}")

# an inner loop that was unrolled fully is code of the loop round it: that is the hottest one, with all of it as its own code and its price. Nearly all of the
# program's time is there, as above
database = measured("unrolled", CC, "-DUNROLLED")
loops = {mark: of(database, "loop", mark)[1] for mark in ("OUTSIDE", "GONE")}
that(len(loops["GONE"]) == 1 and float(loops["GONE"][0]["with_calls_pct"]) == 0 and float(loops["GONE"][0]["exclusive_pct"]) > 30, f"unrolled: {loops['GONE']}")
that(len(loops["OUTSIDE"]) == 1 and float(loops["OUTSIDE"][0]["with_calls_pct"]) > 90, f"unrolled: {loops['OUTSIDE']}")
price, said = of(database, "reason", "OUTSIDE")[0], findings(database)
hottest = re.search(r"The hottest loop takes \S+ s, (\S+) % \([^()]*\): [^:]* at \S*compiled\.c:" + line("OUTSIDE") + r"-\d+, depth 2, in main(.*?)\. ", said)
that(hottest and not hottest[2] and abs(float(hottest[1]) - price) < 0.06, f"unrolled: {price} % by reason: {said}")
told = " ".join(run(HEATSCOPE, "report", "--by=loop", "--top=0", database).split())
that(re.search(r"% counted in the loop round it, \S*compiled\.c:" + line("OUTSIDE") + ": fully unrolled", told), f"unrolled: still listed, with the loop that has its time: {told}")
that(re.search(r"% by the loop inside at \S*compiled\.c:" + line("GONE") + ", unrolled fully", told), f"unrolled: of which loop it is: {told}")
row = loops["GONE"][0]
that(row["counted_at"].endswith("compiled.c:" + line("OUTSIDE")) and abs(float(row["counted_there_s"]) - float(row["exclusive_s"])) < 1e-9 and not loops["OUTSIDE"][0]["counted_at"], f"unrolled: {row}")

# a loop across the lines of a matrix: by how many bytes it goes on is told, of the hottest loop and of arrays
database = measured("across", CC, "-DACROSS")
said = findings(database)
that(re.search(r"The hottest loop .* There a\[i\*n \+ j\] goes on by 8\*n bytes from one iteration to the next\.", said), f"across: {said}")
that([r["strides"] for r in rows(database, "data") if r["array"] == "a"] == ["8*n bytes"], f"across: {rows(database, 'data')}")

# a member that several procedures refer to is told with the one that has most of its time, not the first
database = serial("members.c", MEMBERS, CC, "-O2", "-g")
that([r["procedure"] for r in rows(database, "data") if r["array"] == "s->values"] == ["work"], f"members: {rows(database, 'data')}")

# a value that is carried on: what is written and read is told, and one verdict by all tables
if FC != "-":
    database = serial("carried.f90", CARRIED, FC, "-O2", "-g")
    said, table = findings(database), " ".join(run(HEATSCOPE, "report", "--by=reason", database).split())
    that(any(r["procedure"] == "main program carried" for r in rows(database, "procedure")), f"program: {[r['procedure'] for r in rows('carried.h5', 'procedure')]}")
    whole = run(HEATSCOPE, "report", "--by=context", database)
    that(re.search(r"  main program carried\b", whole) and not re.search(r" main >\s+(?!\d+: _FortranA)", whole), f"program: {whole}") # but for what flang's own main calls beside it
    for text in (said, table):
        that("x(i) is written, and x(i - 1) read" in text, f"carried: {text}")
    verdicts = {(r["line_begin"], r["remark"]) for by in ("loop", "reason") for r in rows(database, by) if r["procedure"].endswith("carry") and r["remark"]}
    that(len(verdicts) == 1, f"carried: {verdicts}")

# an array statement calls malloc before its loops and the compiler's own division in them: that one is in the way, no code that the user could compile, and it would be gone
if FC != "-":
    said = findings(serial("divides.f90", DIVIDES, FC, "-O2", "-g"))
    that(re.search(r"Not vectorised: up to .*?\(call of __divdc3\) \(division of complex numbers .*? a \* \(1 / r\) for a real divisor r", said), f"divides: {said}")
    that("malloc" not in said and "was not compiled with the pass" not in said, f"divides: {said}")

# intrinsic procedures, by far most of the time: what flang writes itself, without lines, is at its call, and matmul, which is in its runtime, is no code that the
# user could compile with the pass. Several hundred samples
if FC != "-":
    database = serial("intrinsic.f90", INTRINSIC, FC, "-O2", "-g")
    at = {word: str(1 + [word in x for x in INTRINSIC.splitlines()].index(True)) for word in ("do i = 1, 100", "sum(c)")}
    said, loops = findings(database), rows(database, "loop")
    that("was not compiled with the pass" not in said, f"intrinsic: {said}")
    sums = {(os.path.basename(r["file"]), r["line_begin"]) for r in loops if r["procedure"].startswith("sum of a ") and float(r["exclusive_s"]) > 0}
    that(sums == {("intrinsic.f90", at["sum(c)"])}, f"intrinsic: sums {sums}")
    places = {r["line_begin"] for r in rows(database, "procedure") if r["procedure"].startswith("sum of a ")}
    that(places == {at["sum(c)"]}, f"intrinsic: the procedure is at its call: {places}") # not from the file's first line on
    with open("several.f90", "w", encoding="utf-8") as f:
        f.write(INTRINSIC.replace("    c(1, 1) = s * 1d-9\n", "    c(1, 1) = s * 1d-9\n    s = s - sum(c)\n"))
    with open("another.f90", "w", encoding="utf-8") as f:
        f.write("subroutine another(x, s)\n  real(8) :: x(200, 200), s\n  s = sum(x)\nend\n")
    run(FC, "-O2", "several.f90", "another.f90", "-o", "several")
    run(HEATSCOPE, "run", "-q", "-F", "2000", "-o", "several.m", "./several")
    run(HEATSCOPE, "correlate", "-q", "-o", "several.h5", "several.m")
    sums = {(os.path.basename(r["file"]), r["line_begin"]) for r in rows("several.h5", "loop") if r["procedure"].startswith("sum of a ") and float(r["exclusive_s"]) > 0}
    that(sums == {("several.f90", "0")}, f"called at two lines of one file: sums {sums}")
    places = {r["line_begin"] for r in rows("several.h5", "procedure") if r["procedure"].startswith("sum of a ") and float(r["exclusive_s"]) > 0}
    that(places == {"0"}, f"called at two lines of one file: the procedure is at none: {places}")
    calls = {str(n) for n, x in enumerate(open("several.f90", encoding="utf-8"), 1) if "sum(c)" in x}
    places = set(re.findall(r"several\.f90:(\d+) and another line that call it", " ".join(run(HEATSCOPE, "report", "--by=loop", "several.h5").split())))
    that(len(calls) == 2 and len(places) == 1 and places <= calls, f"called at {calls}: told {places}")
    that("have a tag that" not in run(HEATSCOPE, "report", "--by=module", "several.h5"), "sum in two sources is no collision")
    matmul = [r for r in loops if r["line_begin"] == at["do i = 1, 100"] and r["file"].endswith("intrinsic.f90")]
    that(len(matmul) == 1 and float(matmul[0]["with_calls_pct"]) > 10, f"intrinsic: matmul {loops}")
    whole = run(HEATSCOPE, "report", database)
    that("\nLines of the program's own code\n" in whole and "(no line information)" not in whole, f"intrinsic: lines {whole}")

# tasks run on any thread: what each of two has alone is no imbalance where both have as much to do
database = serial("tasks.c", TASKS, CC, "-O1", "-fopenmp", "-DFIRST=0.25", "-DSECOND=0.25")
said = findings(database)
shares = {r["procedure"]: float(r["exclusive_pct"]) for r in rows(database, "procedure") if r["procedure"] in ("first", "second")}
that(len(shares) == 2 and min(shares.values()) > 20 and "Imbalance" not in said, f"tasks: {shares} {said}")
# one has three times as much: what can be spread is all that both have, not its own alone (0.25 s). The thread that has less to do waits actively, which is none of it
said = findings(serial("uneven.c", TASKS, CC, "-O1", "-fopenmp", "-DFIRST=0.125", "-DSECOND=0.375"))
told = re.findall(r"Imbalance: (\w+) \([^)]*\) runs on thread \d alone, for ([0-9.]+) s\. Its tasks could run on other threads: if all that the threads compute were "
                  r"spread evenly, thread \d would have ([0-9.]+) s less", said)
that([x[0] for x in told] == ["second"] and 0.33 < float(told[0][1]) < 0.42 and 0.1 < float(told[0][2]) < 0.15, f"tasks: {told} {said}")
# without calls of message passing there are no arrays of any
whole = run(HEATSCOPE, "report", "--by=array", database)
that("none" in whole and "compile with the pass" not in whole, f"tasks: arrays {whole}")

# a version of a loop in a procedure that calls itself from it: every sample on paths through it once, as for the loop of the source
database = measured("recursive", CC, "-DRECURSIVE")
version, loop = (of(database, by, "ROUND")[1] for by in ("version", "loop"))
that(len(version) == len(loop) == 1 and version[0]["inclusive_periods"] == loop[0]["inclusive_periods"] and float(version[0]["inclusive_pct"]) > 90,
     f"recursive: {version} {loop}")
inner = sum(float(r["exclusive_periods"]) for r in of(database, "version", "INNER")[1])
that(version and float(version[0]["inclusive_periods"]) >= inner > 0.9 * float(version[0]["inclusive_periods"]), f"recursive: {version}, inner {inner}")

# the hottest loop is told without the loops in what it calls, and then with these
database = measured("nested", CC, "-DNESTED", "-fno-unroll-loops")
said, loop, other = findings(database), of(database, "loop", "ABOVE")[1][0], of(database, "loop", "BELOW")[1][0]
told = re.search(r"The hottest loop takes \S+ s, (\S+) % .*? With loops inside it and in what it calls: \S+ s, (\S+) % \(", said)
that(told and float(other["with_calls_pct"]) > 10 and abs(float(told[1]) - float(loop["with_calls_pct"])) < 0.06 and abs(float(told[2]) - float(loop["inclusive_pct"])) < 0.06 and
     float(told[2]) > 90, f"nested: {loop}, {other}: {said}")

# a loop that is inlined twice, of which one copy is refused: beside vector code alone nothing is said of it, beside both whose it is. argc: 1
for least, wanted in ((1, "vectorized loop"), (0, "of another copy: loop not vectorized: unsafe dependent memory operations")):
    database = measured(f"copies{least}", CC, f"-DCOPIES={least}")
    found, table = of(database, "loop", "COPIED")[1], " ".join(run(HEATSCOPE, "report", "--by=loop", "--top=0", database).split())
    that(len(found) == 1 and "vector x2" in found[0]["versions"] and ("100 %" in found[0]["versions"]) == (least == 1), f"copies: {found}")
    that(found and found[0]["remark"].startswith(wanted) and bool(found[0]["remark"]) == bool(wanted), f"copies: {found}")
    table = table.partition(" add ")[2].partition(" main ")[0]  # main's own loop is there where chance put a sample into it
    that(("not vectorized" in table) == (not least) and (least or "; of another copy: loop not vectorized" in table), f"copies: {table}")
    that(("not vectorized" in " ".join(r["remark"] for r in rows(database, "reason") if r["line_begin"] == line("COPIED"))) == (not least), "copies: no reason told")

# why: in words, of a dependence that is and of one that may be, of which the programmer may know better
for what, wanted, hint in (("CARRY", "compiled.c:{0} reads what it wrote 1 iteration before", ""),
                           ("SCATTER", "the address of p[i][k] is read from memory in the loop: compiled.c:{0} may read what it writes in another iteration",
                            " (#pragma omp simd before the loop, with -fopenmp-simd, lets it, where no iteration touches what another one writes)"),
                           # not p[2*k][up[h] + i], which comes first: up[h] stays; and no promise that iterations don't touch the same
                           ("GATHER", "the address of p[2*k][left[i]] is read from memory in the loop: loop not vectorized: cannot identify array bounds, line {1}", ""),
                           ("CHECKS", "loop not vectorized: Too many SCEV assumptions need to be made and checked at runtime",
                            " (indices of 64 bits (ptrdiff_t), of which none need be checked, may let it; so may #pragma omp simd before the loop, with -fopenmp-simd, where no"
                            " iteration touches what another one writes)"),
                           ("SAME", "compiled.c:{0} may read what it writes in another iteration",
                            " (each iteration reads and writes x[k], line {0}: a local variable in its place, stored after the loop, may let it; sums of floating-point numbers"
                            " need -ffast-math too)")):
    said = findings(measured("why-" + what.lower(), CC, "-D" + what))
    that(": " + (wanted + hint).format(int(line(what)) + 1, int(line(what)) + 2) + "." in said, f"why {what}: {said}")

# vectors shorter than the processor's: told where it has longer ones that the compiler was not let to use
with open("/proc/cpuinfo", encoding="utf-8") as f:
    flags = f.read().split()
longest = 64 if "avx512f" in flags else 32 if "avx2" in flags else 16
for options in ((), ("-mavx2",)) if longest > 16 else ((),):
    database = measured("triad" + "".join(options), CC, "-DTRIAD", *options)
    said, loop = findings(database), of(database, "loop", "TRIAD")[1]
    told = re.search(r"Short vectors: \S+ s, (\S+) % \S+ .*? in vector code of 16 bytes, .*? the one that it ran on has vectors of (\d+): -march=native .*? is at \S*compiled\.c:" + line("TRIAD"), said)
    if longest > 16 and not options:
        that(told and int(told[2]) == longest and len(loop) == 1 and abs(float(told[1]) - float(loop[0]["exclusive_pct"])) < 0.06, f"triad: {said}, {loop}")
    else:
        that("Short vectors" not in said, f"triad {options}: {said}")

# what does not pay with the vectors that the options allow may with the processor's: then it is no loop without any hope
GATHERED = """#include <stdlib.h>
int at[2000];
double x[2000], y[2000];
__attribute__((noinline)) double gathered(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) // here
        sum += y[i] * x[at[i]];
    return sum;
}
int main(void) {
    double sum = 0;
    for (int i = 0; i < 2000; i++)
        at[i] = 7 * i % 2000;
    for (int k = 0; k < 100000; k++)
        sum += gathered(2000 - (k & 1));
    return sum < 0;
}
"""
source, name = written("gathered.c", GATHERED)
run(CC, "-g", "-O2", "-ffast-math", source, "-o", name)
said = findings(joined(name))
at = next(n for n, text in enumerate(GATHERED.splitlines(), 1) if "// here" in text)
if longest > 16:
    that(re.search(rf" at \S*gathered\.c:{at}-\d+: the cost-model indicates that vectorization is not beneficial \(of vectors of 16 bytes, as the options of its compilation allow no longer: those of 32 that "
                   r"this processor has, by -march=native, may pay\)\.", said) and "LLVM makes no vectors of" not in said, f"gathered: {said}")

# elements far apart are gathered one by one, so longer vectors are no advice
FAR = """double x[3200000], y[2000];
__attribute__((noinline)) void far(int n) {
    for (int i = 0; i < n; i++) // here
        x[1600 * i] = 0.5 * (x[1600 * i + 1] + x[1600 * i]) + y[i];
}
int main(void) {
    for (int k = 0; k < 30000; k++)
        far(2000 - (k & 1));
    return x[5] < 0;
}
"""
source, name = written("far.c", FAR)
run(CC, "-g", "-O2", source, "-o", name)
said = findings(joined(name))
at = next(n for n, text in enumerate(FAR.splitlines(), 1) if "// here" in text)
that(re.search(rf" at \S*far\.c:{at}-\d+: the cost-model indicates that vectorization is not beneficial\.", said) and "-march=native" not in said, f"far: {said}")

# sums whose order keeps them from vectors: -ffast-math is no promise where they go through memory by large steps
STEPS = """double x[400000];
__attribute__((noinline)) double added(int n, int step) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i * STEP];
    return sum;
}
int main(int argc, char **argv) {
    double sum = 0;
    for (int k = 0; k < ROUNDS; k++) /* some tenths of a second each */
        sum += added(400 + (k & 1), 900 + argc);
    return sum < 0;
}
"""
source, _ = written("steps.c", STEPS)
for step, name, hint in (("1", "steps-of-one", r"\(-ffast-math lets it, where the order of operations does not matter to the result; what else may keep the loop scalar shows only then\)"),
                   ("(long)step", "steps-of-many", r"\(-ffast-math may let it, where .* result; with its large steps through memory vector code may stay unused, or gain little\)")):
    run(CC, "-g", "-O2", "-DSTEP=" + step, "-DROUNDS=2000000", source, "-o", name)
    said = findings(joined(name))
    that(re.search(hint, said), f"steps {step}: {said}")

# functions of the machine code: what was inlined has no row of its own but is in those that it was inlined into; all together are all samples
MERGED = """static double x[3000];
static inline __attribute__((always_inline)) double hot(int n, double y) {
    for (int i = 0; i < n; i++)
        y = y * 0.5 + x[i];
    return y;
}
__attribute__((noinline)) double one(int n) { return hot(n, 1); }
__attribute__((noinline)) double two(int n) { return hot(n, 2); }
int main(void) {
    double sum = 0;
    for (int k = 0; k < 20000; k++)
        sum += one(3000 - (k & 1)) + two(3000 - (k & 1));
    return sum < 0;
}
"""
source, name = written("merged.c", MERGED)
run(CC, "-g", "-O2", source, "-o", name)
database = joined(name)
every = rows(database, "symbol")
found = {r["symbol"]: r for r in every}  # more than one may have none
that("hot" not in found and all(w in found and float(found[w]["inlined_pct"]) > 80 and found[w]["file"].endswith("merged.c") and int(found[w]["size_bytes"]) > 8 for w in ("one", "two")), f"merged: {found}")
that(sum(int(r["exclusive_periods"]) for r in every) == sum(int(r["exclusive_periods"]) for r in rows(database, "procedure") if not r["procedure"].startswith("[")),
     f"merged: all samples but those in no function: {every}")

# which version of a loop runs is told also where all its code is that of an inner loop that was unrolled fully
database = measured("overlap", CC, "-DOVERLAP", "-O3", "-ffast-math")
said, found = findings(database), of(database, "loop", "OVERLAP")[1]
that(len(found) == 1 and found[0]["versions"] == "scalar fall-back 100 %", f"overlap: {found}")
that(re.search(r"Scalar time in a vectorised loop: \S+ s, (\S+) % .*? 100 % of the loop's time, .*? though there is a vector body of 2 lanes: for loop at \S*compiled\.c:" + line("OVERLAP") + r"-\d+ in stencil\. The compiler's check before the loop fails: ", said), f"overlap: {said}")

# a loop that only calls the program's own procedures has most time with what it calls, and is no hottest loop: what it calls tells more
database = measured("wraps", CC, "-DWRAPS")
said = findings(database)
calls = sum(float(r["with_calls_pct"]) for r in rows(database, "loop") if r["line_begin"] == line("ONLY_CALLS"))
that(calls > 50 and re.search(r"The hottest loop takes .*? at \S*compiled\.c:" + line("LOOPED") + "-", said), f"wraps: {calls} % by the loop that calls: {said}")

# the hottest code is in no loop that stands for it: its procedure is told, and no loop that only calls a library for much less, nor that calls have no vector form
database = measured("apart", CC, "-DAPART")
said = findings(database)
fills = sum(float(r["with_calls_pct"]) for r in rows(database, "loop") if r["line_begin"] == line("FILLS"))
of_apart = [float(r["exclusive_pct"]) for r in rows(database, "procedure") if r["procedure"] == "apart"]
told = re.search(r"The hottest procedure takes \S+ s, (\S+) % \([^()]*\): apart \(\S*compiled\.c:\d+-\d+\)\. Its loop at \S*compiled\.c:" + line("NO_MORE") + r"-\d+, \S+ %, was unrolled fully\. Its hottest line is (\d+), ", said)
that(fills > 5 and told and int(told[2]) == int(line("NO_MORE")) + 1 and len(of_apart) == 1 and abs(float(told[1]) - of_apart[0]) < 0.06, f"apart: {fills} % in the other loop, {of_apart}: {said}")
that("hottest loop" not in said and "Not vectorised" not in said, f"apart: {said}")

# a loop that runs as vectors calls a scalar function all the same
said = findings(measured("lone", CC, "-DLONE", "-fno-math-errno", "-lm"))
that(re.search(r"The hottest loop takes .*? at \S*compiled\.c:" + line("LONE") + r"-\d+, .*? the rest what it calls: \S*sin\S* .*? sin is called for one element of the vectors after the other: with "
               r"-fveclib=libmvec, and -lmvec for the linker, the call has a vector form\. It runs as: vector x2", said), f"lone: {said}")

# a copy that did not run, in another procedure, was refused for another reason: that is none of the loop's that did
database = measured("others", CC, "-DOTHERS")
refused, said = of(database, "reason", "OTHERS")[1], findings(database)
that(len(refused) == 1 and refused[0]["remark"].endswith("safe to reorder floating-point operations"), f"others: {refused}")
that("no vector form" not in said and "another copy" not in said, f"others: {said}")

# two reasons for one loop are no two copies
database = measured("also", CC, "-DALSO", "-lm")
said = findings(database)
that(re.search(r"library call cannot be vectorized \(call of \w+\)(, line \d+)?; also: loop not vectorized: control flow cannot be substituted for a select", said) and "another copy" not in said, f"also: {said}")

# what is called where it is in the way, and no advice on what is not
said = findings(measured("mixed", CC, "-DMIXED", "-fno-math-errno", "-lm"))
that(re.search(r"Not vectorised: .*? at \S*compiled\.c:" + line("MIXED") + r"-\d+[^:]*: loop not vectorized: call instruction cannot be vectorized \(call of other\), line " +
               line("CALL_OF_OTHER") + r"\.", said) and "errno" not in said, f"mixed: {said}")

# which of its checks keeps the vector code from running
said = findings(measured("step", CC, "-DSTEP", "-O3"))
that(re.search(r"Scalar time in a vectorised loop: .*? 100 % of the loop's time, .*? for loop at \S*compiled\.c:" + line("STEP") + r"-\d+ in step\. .*?ompiler's check before the loop fails: "
               r"the vector code is for a step of one element, and from\[i\*s\] goes on by 8\*s bytes from one iteration to the next\.", said), f"step: {said}")

# a lock that is free is called what the program calls, though wrappers take it by a try
taken = [(r["procedure"], float(r["inclusive_pct"])) for r in rows(measured("locks", CC, "-DLOCKS", "-fopenmp", "-pthread"), "procedure")] # wrappers have these names, too
that(all(max((pct for n, pct in taken if n == name), default=0) > 3 for name in ("pthread_mutex_lock", "omp_set_lock")) and
     not any(n in ("pthread_mutex_trylock", "omp_test_lock") for n, _ in taken), f"locks: {taken}")

# a loop that one build has unrolled into the loop round it is compared with its code there, and the loop round it without
rolled, unrolled = measured("rounds_1", CC, "-DROUNDS", "-O1"), measured("rounds_3", CC, "-DROUNDS", "-O3")
counted = {r["line_begin"]: float(r["with_calls_pct"]) for r in rows(unrolled, "loop")}
that(counted[line("UNROLLED_INTO")] == 0 < counted[line("ITS_ROUND")], f"rounds: {counted}")
for files in ((rolled, unrolled), (unrolled, rolled)):
    compared = {r["line_begin_a"]: r for r in csv.DictReader(io.StringIO(run(HEATSCOPE, "diff", "--by=loop", "--format=csv", "--top=0", *files)))}
    that(all(float(compared[line("UNROLLED_INTO")][f"{side}_s"]) > 0 for side in "ab"), f"rounds: {files} {compared}")

# vectors of a loop that was unrolled fully: the loop round it is the hottest place, as it is where they are scalar, and the loop itself has its time in the table
database = measured("fully", CC, "-DFULLY", "-O3")
said, inside = findings(database), of(database, "loop", "FULLY_INSIDE")[1]
that(len(inside) == 1 and inside[0]["versions"].startswith("vector, fully unrolled") and float(inside[0]["with_calls_pct"]) > 50, f"fully: {inside}")
told = re.search(r"The hottest loop takes \S+ s, (\S+) % .*?: for loop at \S*compiled\.c:" + line("FULLY_ROUND") + r"-\d+, depth 1, in step\. \S+ s of that is vector code of loops inside it that were "
                 r"unrolled fully \((\S+) %, of line " + line("FULLY_INSIDE") + r"\)\.", said)
that(told and abs(float(told[2]) - float(inside[0]["with_calls_pct"])) < 0.06 and float(told[1]) >= float(told[2]), f"fully: {said}")

# a loop in a header of the system, for which the user's round it pays: the finding has its own code, which is nearly all (of 800 samples, as above)
database = serial("summed.cpp", SUMMED, CC, "-O2", "-g", libraries=["-lstdc++"])
said = findings(database)
told = re.search(r"Not vectorised: \S+ s, (\S+) % .*? at <bits/stl_numeric\.h>:\d+-\d+(?: \(with procedures inlined into it; (\S+) % its own code\))?: ", said)
that(told and float(told[2] or told[1]) > float(told[1]) / 2, f"summed: {said}")

# a schedule that hands out chunks makes two loops of one: the one that fetches them is none of the source
database = measured("chunks", CC, "-DCHUNKS", "-fopenmp")
said, table = findings(database), " ".join(run(HEATSCOPE, "report", "--by=loop", "--top=0", database).split())
that(re.search(r"The hottest loop takes .*? at \S*compiled\.c:" + line("INSIDE") + r"-\d+, depth 2, in ", said), f"chunks: {said}")
shared = "OpenMP worksharing " + line("CHUNKS")
that(f"for {line('INSIDE')}-{int(line('INSIDE')) + 1} in {shared}: " in table and f"in {shared} in" not in table, f"chunks: {table}")

# gcc's bodies of regions are no serial code; what the first thread does outside is, 0.3 of 0.9 s: 3 standard deviations of 1800 samples, 2 % for the start
if GCC != "-":
    database = measured("serial", GCC, "-DSERIAL", "-fopenmp")
    said = findings(database)
    told = re.search(r"Serial: \S+ s, (\S+) % \(.*?\) is spent outside parallel regions, on thread 0 alone, most in (\w+) \(", said)
    that(told and told[2] == "alone" and abs(float(told[1]) - 100 / 3) < 3.4 + 2, f"serial: {said}")

# a loop that only looks, and whose code the compiler made part of the loop round it: the one that works waits, too
database = measured("spins", CC, "-DSPINS", "-pthread")
said = findings(database)
that(re.search(r"Spin waits: \S+ s, .*? in the loop at \S*compiled\.c:" + line("LOOKS") + "-", said), f"spins: {said}")
loop = of(database, "loop", "LOOKS")[1]
that(len(loop) == 1 and float(loop[0]["exclusive_waiting_s"]) == float(loop[0]["exclusive_s"]) > 0, f"spins: {loop}")

# a loop that became calls of memset, and so was deleted: why is told
database = serial("cleared.c", CLEARED, CC, "-g", "-O2")
said = " ".join(run(HEATSCOPE, "report", "--by=loop", database).split())
that(re.search(r"for 3-6\b.*memset", said) and "Loop deleted" not in said, f"cleared: {said}")

# one value that all ranks give: no volume to speak of
if MPICC != "-":
    database = measured("single", MPICC, OMPI_CC=CC, MPICH_CC=CC, **RANKS)
    said = findings(database)
    told = re.search(r"The single value '(mine|all)' is what most of the waiting in message passing is for: its calls last (\S+) s, (\S+) s of it waiting for late "
                     r"partners \(of (\S+) s\)\. They move 80 bytes in all: the cost is to be in step, not the volume\.", said)
    that(told and float(told[2]) >= float(told[3]) > 0.1 and float(told[4]) >= float(told[3]), f"single: {said}")
    that("Array mine" not in said and "Array all" not in said, f"single: {said}")

    # three arrays of one name, without debug information: the procedures that are given two of them, and the line where the third is declared, tell them apart
    database = of_ranks("named.c", NAMED, MPICC, "-O1")
    table = run(HEATSCOPE, "report", "--by=array", database)
    that(sorted(re.findall(r" \S+\[\] (in \w+)", table)) == ["in first", "in second"], f"named: {table}")
    that(re.findall(r" x\[\] (named\.c:\d+)", table) == ["named.c:19"], f"named: {table}")
    said = findings(database)
    that(re.search(r" of (first|second|third) has most (of the waiting|waiting of all arrays)", said), f"named: {said}")

    # what waits for buffers of which it is not known which they are is theirs: no value that moves nothing has most of the waiting
    database = of_ranks("hidden.c", HIDDEN, MPICC, "-g", "-O1")
    found = {r["array"]: float(r["waiting_s"]) for r in rows(database, "array")}
    said = findings(database)
    that(found[""] > 0.1 and found[""] > 2 * found["one"], f"hidden: {found}")
    that("Of the buffers that have a name, the single value" in said and "moves most" not in said, f"hidden: {said}")

    # one call that completes what was begun in several places: the run knows where, so each buffer has its own waits, and none more than once
    database = of_ranks("reused.c", REUSED, MPICC, "-g", "-O1")
    found = {r["array"]: float(r["waiting_s"]) for r in rows(database, "array")}
    all_s = {kind: sum(float(r["wait_s"]) for r in rows(database, "delayed") if r["kind"] == kind and os.path.basename(r["file"]) == "reused.c")
             for kind in ("late sender", "late at a collective operation of all")}
    that(found["late"] > 0 and abs(found["late"] + found["prompt"] - all_s["late sender"]) < 1e-6 and abs(found["gathered"] - all_s["late at a collective operation of all"]) < 1e-6,
         f"reused: {found}, in all {all_s}")
    clock = [r for r in rows(database, "procedure") if re.fullmatch("P?MPI_Wtime", r["procedure"])]
    that(clock and all(float(r["exclusive_communication_s"]) == 0 for r in clock) and "most in MPI_Wtime" not in findings(database), f"reused: a clock that is read passes no message: {clock}, {findings(database)}")
    calls = [(r["line"], r["late_line"], r["kind"], r["processor"], r["late_processor"]) for r in rows(database, "delayed") if r["line"] != "0"]
    that(len(calls) == len(set(calls)), f"reused: a call that waits stands in several rows: {calls}")

    # what is started again and again has the array of the call that made it, whatever starts it
    database = of_ranks("started.c", STARTED, MPICC, "-g", "-O1")
    found = {r["array"]: (int(r["calls"]), int(r["sent_bytes"]), int(r["received_bytes"])) for r in rows(database, "array") if r["array"] or int(r["sent_bytes"]) + int(r["received_bytes"])}
    that(found == {"west": (22, 20 * 32768, 0), "east": (22, 0, 20 * 32768), "once": (22, 10 * 800, 10 * 800)}, f"started: {found}")
    that("send 663 kB;" in findings(database).partition("Calls of MPI last")[2], f"started: bytes of persistent requests: {findings(database)}")
    starts = sorted(re.findall(r" (start \w+) +\S+\.c:", run(HEATSCOPE, "report", "--by=message", "--top=0", database)))
    that(starts == 2 * ["start Recv_init"] + 2 * ["start Send_init"], f"started: {starts}")
    late, unknown = (sum(float(r["waiting_share_s"]) for r in rows(database, "array") if bool(r["array"]) == named) for named in (True, False))
    that(late > 0 and unknown <= 1e-6, f"started: {late} s waited for arrays, {unknown} for what is not known")

    # a procedure that wraps calls of MPI has them all on one line: who calls it is told, the one with most time first
    database = of_ranks("wrapped.c", WRAPPED, MPICC, "-g", "-O1")
    at = {word: n for n, text in enumerate(WRAPPED.splitlines(), 1) for word in ("short", "long") if "// " + word in text}
    own = [[float(word) for word in open(f"wrapped.seconds.{rank}", encoding="ascii").read().split()] for rank in (0, 1)] # by the program's clock
    share = 100 * sum(of_rank[1] for of_rank in own) / sum(map(sum, own))
    told = re.findall(r"by way of main wrapped\.c:(\d+) \((\d+) %\), main wrapped\.c:(\d+) \((\d+) %\)", " ".join(run(HEATSCOPE, "report", "--by=message", database).split()))
    by_line = {int(told[0][i]): int(told[0][i + 1]) for i in (0, 2)} if len(told) == 1 else {} # on a machine with much else to do the short ones may be the longer
    that(set(by_line) == set(at.values()) and abs(by_line[at["long"]] - share) < 5 and int(told[0][1]) >= int(told[0][3]), f"wrapped: {told}, expected {at} and {share}")
    told_most = told[0][0] if told else ""
    told = re.findall(r"late at a barrier rank 0 +rank 1 meet wrapped\.c:\d+, called at wrapped\.c:(\d+)", " ".join(run(HEATSCOPE, "report", "--by=delayed", "--top=0", database).split()))
    that(sorted(map(int, told)) == sorted(at.values()), f"wrapped: waits are told apart by {told}, expected {at}")
    # a member is of no procedure: where it was met first is said as that
    whole = run(HEATSCOPE, "report", "--by=array", database)
    that(re.search(r" p->halo(\[\])?( wrapped\.c:\d+)?$", whole, re.MULTILINE) and re.search(r"Array p->halo(\[\])?, in (fill|spread), has", findings(database)), f"wrapped: a member {whole} {findings(database)}")
    that(f"most by way of main wrapped.c:{told_most} (" in findings(database), f"wrapped: {findings(database)}")

    # a rank that is late for a call of a library: by that call, without what the compiler made of the loop round it; by way of whom it came to the late call
    database = of_ranks("library.c", LIBRARY, MPICC, "-g", "-O1", "-lm")
    at = {word: n for n, text in enumerate(LIBRARY.splitlines(), 1) for word in ("called", "much", "less", "one", "other") if "// " + word in text}
    found = [(r["waited"], r["line"], r["compiled"]) for r in rows(database, "cause") if float(r["caused_s"]) > 0.05 and r["known"] == r["running"] == r["own_code"] == "yes" and not r["waited"].startswith("MPI_")]
    that(found and all("jn" in waited and not compiled for waited, _, compiled in found), f"library: causes {found}")
    said = findings(database).partition("others wait")[2] # on a machine with much else to do the first cause is the machine's
    that(not re.search(r"by loop library\.c", said) and "(compiler:" not in said.partition(";")[0], f"library: {said}")
    table = " ".join(run(HEATSCOPE, "report", "--by=cause", "--top=0", database).split())
    that(re.search(rf"late at a barrier rank 0 \w*jn\w* in work library\.c:{at['called']} by way of main", table), f"library: {table}")
    told = re.findall(r"jn\w* in work [^%]*%\), [^%]*%\) then late at library\.c:\d+ by way of main library\.c:(\d+) \(\d+ %\), main library\.c:(\d+) \(\d+ %\)", table)
    that(len(told) == 1 and set(map(int, told[0])) == {at["much"], at["less"]}, f"library: {table}")
    table = " ".join(run(HEATSCOPE, "report", "--by=array", database).split()) # which of both arrays it is nothing tells: by way of whom
    told = re.findall(r"what\[\][^%]* by way of main library\.c:(\d+) \(\d+ %\), main library\.c:(\d+) \(\d+ %\)", table)
    that(len(told) == 1 and set(map(int, told[0])) == {at["one"], at["other"]}, f"library: arrays {table}")

    # flang's runtime is linked into the program: what it writes is written by the statement
    if FC != "-" and shutil.which("mpif90"):
        database = of_ranks("written.f90", WRITTEN, "mpif90", "-O2")
        at = [str(n) for n, text in enumerate(WRITTEN.splitlines(), 1) if "write(20)" in text or "close(20)" in text]
        found = {(os.path.basename(r["file"]), r["line"]) for r in rows(database, "wait") if r["kind"] == "write" and r["own_code"] == "yes"}
        that(found == {("written.f90", line) for line in at}, f"written: {found}")
        found = {(os.path.basename(r["file"]), r["line"]) for r in rows(database, "cause") if r["waited"] == "write" and r["own_code"] == "yes"}
        that(("written.f90", at[0]) in found and found <= {("written.f90", line) for line in at}, f"written: {found}")
        said = findings(database)
        that(not re.search(r"(Imbalance:|hottest loop takes [^:]*: \S+ at \S+ in|most in) Fortran::runtime", said) and "was not compiled with the pass" not in said, f"written: {said}")

    # arguments of assumed shape, which may be copied for the call, have their names; nothing is said of bounds that are not known
    if FC != "-" and shutil.which("mpif90"):
        database = of_ranks("parts.f90", PARTS, "mpif90", "-g", "-O2")
        found = {r["array"]: r for r in rows(database, "array")}
        that(set(found) == {"sent", "come"} and found["sent"]["sent_bytes"] == found["come"]["received_bytes"] == "320000", f"parts: {found}")
        table, said = run(HEATSCOPE, "report", "--by=array", database), findings(database)
        that(re.search(r" (sent|come) parts\.f90:5\n", table) and "?" not in table and "pack" not in table, f"parts: {table}")
        that(re.search(r"Array (sent|come) (has|and 1 other that the same calls wait for have) most of the waiting", said), f"parts: {said}")

    # a buffer that another procedure fills: no loop is known that does, which is not no time
    database = of_ranks("filled.c", FILLED, MPICC, "-g", "-O1")
    packed = {r["array"]: (r["packing_s"], r["unpacking_s"]) for r in rows(database, "array")}
    that(packed["here"][0] != "" and packed["elsewhere"] == ("", ""), f"filled: {packed}")
    table = run(HEATSCOPE, "report", "--by=array", database)
    that(re.search(r" - +- +elsewhere\[", table), f"filled: {table}")

    # the finding of an array that no procedure has leads to its declaration
    told = [(os.path.basename(r["file"]), r["line"]) for r in rows(of_ranks("shared.c", SHARED, MPICC, "-g", "-O1"), "finding") if r["title"] == "Array"]
    that(told == [("shared.c", "2")], f"shared: {told}")

if wrong:
    sys.exit("\n".join(wrong))
