# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages of procedures that their callers hand the arrays to: bytes by array are those of the callers' arrays, along the path of calls, in C and
Fortran, and as before where it does not tell; members have the name that calls have them by. Usage: handed.py HEATSCOPE MPICC MPIFC|- MPIRUN SOURCES WORK"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, MPICC, MPIFC, MPIRUN, SOURCES, WORK = sys.argv[1:7]
BIN = os.path.dirname(HEATSCOPE)
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(str(complaint))


def run(*command, **more):
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", **more}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def arrays(name, source, compiler, wrapper, variables, *options):
    program, to = os.path.join(WORK, name), os.path.join(WORK, name + ".run")
    run(compiler, "-g", *options, "-o", program, os.path.join(SOURCES, source), **{v: os.path.join(BIN, wrapper) for v in variables})
    run(MPIRUN, "-n", "2", HEATSCOPE, "run", "-o", to, program)
    rows = list(csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=array", "--format=csv", to))))
    return {row["array"].partition("(")[0].partition("[")[0]: row for row in rows}, rows


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
for optimise in ("-O0", "-O2", "-O3"):
    found, rows = arrays("c" + optimise, "handed.c", MPICC, "heatscope-cc", ("OMPI_CC", "MPICH_CC"), optimise)
    for array, n in (("temperature", 20000), ("pressure", 10000), ("heap", 5000), ("ghost", 6000), ("known", 7000)):
        row = found.get(array)
        that(row and int(row["sent_bytes"]) == int(row["received_bytes"]) == 200 * n * 8 and int(row["calls"]) == 400, f"{optimise}: {array}: {row or rows}")
    moved = next((row for name, row in found.items() if name.endswith("bytes")), None)
    that(moved and int(moved["sent_bytes"]) == int(moved["received_bytes"]) == 200 * 1000, f"{optimise}: bytes of a member: {moved or rows}")
    that("here" in found and int(found["here"]["calls"]) == 400 and "all" in found and "from" not in found and "to" not in found, f"{optimise}: sums: {sorted(found)}")
    told = sum(int(row["sent_bytes"]) for row in rows)
    that(told == 200 * 8 * (20000 + 10000 + 5000 + 6000 + 3000 + 7000 + 3000) + 200 * 1000 + int(found.get("here", {"sent_bytes": 0})["sent_bytes"]), f"{optimise}: {told} bytes sent in all: {rows}")
    rest = [row for row in rows if row["array"] not in ("temperature", "pressure", "heap", "ghost", "known", "here", "all") and not row["array"].endswith("bytes")]
    that(sum(int(row["sent_bytes"]) for row in rest) == 200 * 8 * (3000 + 3000) and "into" not in found, f"{optimise}: what cannot be told: {rest}")
# members that others have by another name: by the one that they have in the call, and told apart where there is little room
found, rows = arrays("members", "members.c", MPICC, "heatscope-cc", ("OMPI_CC", "MPICH_CC"), "-O2")
for array, side in (("with_neighbours->boundary_values_that_are_sent", "sent"), ("with_neighbours->boundary_values_that_are_received", "received")):
    row = found.get(array)
    that(row and int(row[side + "_bytes"]) == 2 * 200 * 5000 * 8 and row["procedure"] == "exchange", f"members: {array}: {row or rows}")
whole = run(HEATSCOPE, "report", "--by=array", os.path.join(WORK, "members.run"))
names = [line.split()[5] for line in whole.splitlines() if "members.c" in line and "16.0M" in line]
that(len(names) == 2 and names[0] != names[1] and all(".." in name for name in names), f"members: {whole}")
# a metric in another unit than seconds: each table that has it says its unit
for by in ("procedure", "loop", "nest", "symbol", "version", "line", "file", "module", "call", "inlined", "category", "data", "reference", "program", "processor", "context"):
    for metric, unit, head in (("bytes sent", "MB", "MB of bytes sent, each call"), ("MPI calls", "count", " MPI calls, each call"), ("MPI time", "s", " s of MPI time, each call")):
        text = run(HEATSCOPE, "report", f"--by={by}", f"--metric={metric}", "--top=2", os.path.join(WORK, "members.run"))
        that(head in text or (unit == "MB" and " B of bytes sent" in text), f"{by}, {metric}: {text}")
if MPIFC != "-":
    found, rows = arrays("fortran", "handed.f90", MPIFC, "heatscope-fc", ("OMPI_FC", "MPICH_FC"), "-O2")
    for array, n in (("velocity", 20000), ("density", 10000)):
        row = found.get(array)
        that(row and int(row["sent_bytes"]) == int(row["received_bytes"]) == 200 * n * 8, f"Fortran: {array}: {row or rows}")
if wrong:
    sys.exit("\n".join(wrong))
