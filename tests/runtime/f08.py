# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls by module mpi_f08, with C among them: counts, bytes, completions and waits at the program's own lines. Usage: f08.py LIBRARY HEATSCOPE WORK

LIBRARY: mpich or openmpi. What is to be found stands in the programs behind each call (message_f08.f90)."""
import os
import re
import shutil
import subprocess
import sys
from collections import Counter

import messages
from messages import LEAST, SKIP, at_least, expect

PAUSE = 1.0 # seconds, of message_f08.c
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
SOURCES = [os.path.join(FOLDER, f) for f in ("message_f08.f90", "message_f08.c")]
LETTERS = {"s": "sent_bytes", "r": "received_bytes", "c": "completions"}


def truth():
    """Of each call of MPI: (name, file, line) -> what both ranks count there."""
    wanted = {}
    for path in SOURCES:
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            for name, calls, more in re.findall(r"# (MPI_\w+) (\d+)((?: [src]\d+)*)", line):
                key = name, os.path.basename(path), number
                wanted[key] = {"calls": int(calls), **{LETTERS[x[0]]: int(x[1:]) for x in more.split()}}
    return wanted


def line_of(text, which=0):
    lines = open(SOURCES[0], encoding="utf-8").read().splitlines()
    return [i for i, x in enumerate(lines, 1) if text in x][which]


def program(library):
    """Made now; None where there is no such compiler. -O0: gfortran gives some calls of optimised code the program's first line."""
    fortran, c = f"mpif90.{library}", f"mpicc.{library}"
    if not shutil.which(fortran) or not shutil.which(c):
        return None
    out = os.path.join(messages.WORK, "message_f08." + library)
    for command in ([c, "-O1", "-g", "-c", SOURCES[1], "-o", out + ".o"], [fortran, "-O0", "-g", SOURCES[0], out + ".o", "-o", out]):
        done = subprocess.run(command, capture_output=True, text=True, cwd=messages.WORK)
        if done.returncode:
            print(f"{library}: {command[0]} can't make it:\n{done.stderr[-2000:]}")
            return None
    return out


def check_places(directory):
    got = {}
    for row in messages.rows_of(directory, "message", "--top=0")["rows"]:
        key = row["operation"], os.path.basename(row["file"] or ""), row["line"]
        got.setdefault(key, Counter()).update({k: row[k] for k in ("calls", *LETTERS.values())})
    wanted = truth()
    expect("calls that are marked", len(wanted) > 50, True)
    for key in sorted(set(got) | set(wanted), key=str):
        expect(f"{key}", {k: v for k, v in got.get(key, {}).items() if v}, wanted.get(key, {}))


def check_waits(directory):
    """Rank 0 waits three times for rank 1, which sleeps: each wait is where it is waited and laid to the call that came late."""
    # kind, line that waits, line that is late
    late = line_of("if (rank == 1) call MPI_Send(a, 1")
    ways = [("late sender", late - 1, late), ("late sender", late + 5, late + 4), ("late at a barrier", late + 7, late + 7)]
    rows = messages.rows_of(directory, "delayed", "--top=0")["rows"]
    for kind, line, late_line in ways:
        waited = sum(r["wait_s"] for r in rows if (r["kind"], r["line"], r["late_line"], r["processor"], r["late_processor"]) ==
                     (kind, line, late_line, "rank 0 thread 0", "rank 1 thread 0"))
        at_least(f"{kind} at line {line}", waited, LEAST * PAUSE)


if __name__ == "__main__":
    library, messages.HEATSCOPE = sys.argv[1:3]
    messages.WORK = os.path.join(sys.argv[3], "messages", "f08_" + library)
    os.makedirs(messages.WORK, exist_ok=True)
    made = program(library)
    launch = ["mpirun.mpich"] if library == "mpich" else ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"]
    if not made or not shutil.which(launch[0]):
        print(f"{library} is not installed, or has no mpi_f08 for its Fortran compiler")
        sys.exit(SKIP)
    lines = []
    found = messages.run("f08", launch, made, ranks=2, output=lines)
    plain = subprocess.run([*launch, "-n", "2", made], capture_output=True, text=True, timeout=300).stdout
    expect("output", sorted(lines[0].splitlines()), sorted(plain.splitlines())) # ranks print in any order
    check_places(os.path.join(messages.WORK, "f08"))
    check_waits(os.path.join(messages.WORK, "f08"))
    messages.finish()
