# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tails.py HEATSCOPE HEATSCOPE-CC MPICC SOURCE WORK: calls of MPI at the ends of procedures, which are jumps then, so that no frame of the procedure
is left: messages, arrays and who waited for whom name the procedure and the line of the call, whoever joins and how often."""
import csv
import os
import shutil
import subprocess
import sys

heatscope, cc, mpicc, source, work = sys.argv[1:]
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
os.environ.update(OMPI_CC=cc, MPICH_CC=cc, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
ROUNDS, OTHERS, BYTES = 10, 50, 8 * 512
failed = 0


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=250).stdout


def rows(by, database):
    return list(csv.DictReader(run(heatscope, "report", f"--by={by}", "--format=csv", "--top=0", database).splitlines()))


def that(good, what):
    global failed
    failed += not good
    if not good:
        print("wrong:", what)


with open(source, encoding="utf-8") as f:
    at = {mark: n for n, line in enumerate(f, 1) for mark in ("gives", "finishes", "either", "shares", "meets", "inner") if f"/* {mark} */" in line}
run(mpicc, "-O2", "-g", source, "-o", "tails")
code = run("objdump", "-d", "--no-show-raw-insn", "tails")
that(sum("jmp" in line and "<MPI_" in line and "@plt>" in line for line in code.splitlines()) == 5, "the compiler made no jumps of the calls")
run("mpirun", "-n", "2", heatscope, "run", "-q", "-o", "m", "./tails")
for database, join in (("t.h5", ()), ("t.h5", ()), ("ranks.h5", ("mpirun", "-n", "2"))): # the second time by what is kept
    run(*join, heatscope, "correlate", "-q", "-o", database, "m")
    calls = {}
    for r in rows("message", database):
        where = r["operation"][4:], r["procedure"], int(r["line"])
        calls[where] = calls.get(where, 0) + int(r["calls"])
    for operation, procedure, mark, count in (
            ("Send", "gives", "gives", ROUNDS), ("Waitall", "finishes", "finishes", 2 * ROUNDS), ("Barrier", "either", "meets", 2 * ROUNDS),
            ("Bcast", "either", "shares", 2 * ROUNDS), ("Allreduce", "inner", "inner", 2 * ROUNDS),
            # of two operations by one call the procedure is known
            ("Barrier", "either", "either", OTHERS), ("Bcast", "either", "either", OTHERS)):
        that(calls.get((operation, procedure, at[mark])) == count, f"{join} {operation} at line {at[mark]} of {procedure}, expected {count}: {calls}")
    that({procedure for operation, procedure, _ in calls if operation in ("Send", "Waitall", "Barrier", "Bcast", "Allreduce")} ==
         {"gives", "finishes", "either", "inner"}, f"{join} elsewhere: {calls}")
    moved = {r["array"]: (int(r["sent_bytes"]), int(r["received_bytes"])) for r in rows("array", database)}
    for array in ("given", "summed", "sums", "begun", "taken", "shared"): # two ranks send or receive it, or one sends it to the other
        that(sum(moved.get(array, (0, 0))) == 2 * ROUNDS * BYTES, f"{join} {array}: {moved}")
    that(sum(moved.get("", (0, 0))) == OTHERS * BYTES, f"{join} of no array: {moved}")
    where = {(r["procedure"], int(r["line"])) for r in rows("delayed", database) if r["own_code"] == "yes" and r["procedure"] != "main"}
    that(where and where <= {("finishes", at["finishes"]), ("either", at["either"]), ("either", at["shares"]), ("either", at["meets"]),
                             ("inner", at["inner"])},
         f"{join} waited: {where}")
    late = {(r["late_procedure"], int(r["late_line"])) for r in rows("delayed", database) if r["kind"] == "late sender" and r["procedure"] == "main"}
    that(late <= {("gives", at["gives"])}, f"{join} late: {late}")
sys.exit(failed > 0)
