# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MPI and OpenMP in one program, with either OpenMP runtime. Usage: hybrid.py HEATSCOPE WORK

A thread waits for another one of its team, and a rank for that rank: both waits are as long as the program's clocks say, and laid to what the late
thread did meanwhile, the rank's by way of its master. The bound is that of waiting.within; what is rare there may be so here: once in three times all is within it."""
import csv
import os
import shutil
import subprocess
import sys
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scenarios  # noqa: E402
from scenarios import expect  # noqa: E402
from waiting import in_three, of_command, within  # noqa: E402

LAUNCH = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"]
# what waits: kind of delay, who waited
WAITS = {"threads": ("late at a barrier of threads", "rank 0 thread 0"), "ranks": ("late at a barrier", "rank 1 thread 0")}


def compiled(name, environment, *options):
    out = os.path.join(scenarios.WORK, name)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "hybrid.c")
    done = subprocess.run(["mpicc", "-O2", "-g", "-fopenmp", source, "-o", out, *options], capture_output=True, text=True,
                          env={**os.environ, **environment})
    if done.returncode:
        print(f"{name}: can't be made:", done.stderr[-2000:])
    return None if done.returncode else out


def rows_of(directory, by):
    return list(csv.DictReader(of_command("report", directory, by, "--top=0", "--format=csv").splitlines()))


def check(name, path):
    directory, passive = path + ".measured", {**os.environ, "OMP_WAIT_POLICY": "passive"}
    shutil.rmtree(directory, ignore_errors=True)
    done = subprocess.run([*LAUNCH, scenarios.HEATSCOPE, "run", "-q", "--budget=off", "-o", directory, path], capture_output=True, text=True, timeout=250,
                          env=passive)
    expect(f"{name}: exit code", done.returncode == 0, done)
    truth = {what: (float(low), float(high)) for what, low, high in map(str.split, done.stdout.splitlines())}
    delayed, causes = rows_of(directory, "--by=delayed"), rows_of(directory, "--by=cause")
    waited = {}
    for what, (kind, victim) in WAITS.items():
        told = Counter() # at the end of the region, in team(), a thread waits as well for one that goes on late
        for r in delayed:
            if (r["kind"], r["processor"]) == (kind, victim) and r["procedure"] != "team":
                told[r["late_processor"]] += float(r["wait_s"])
        expect(f"{name}, {what}: who is late", len(told) == 1 and list(told)[0].startswith("rank 0 thread ") and victim not in told, told)
        expect(f"{name}, {what}: for how long", within(sum(told.values()), truth[what]), (told, truth))
        waited[what] = sum(told.values())
    kind = WAITS["threads"][0]
    place, direct = Counter(), 0
    for r in causes:
        if r["kind"] == kind and r["running"] == "yes" and r["known"] == "yes":
            place[r["waited"] or r["procedure"]] += float(r["direct_s"])
        direct += float(r["direct_s"]) if r["kind"] == kind else 0
    expect(f"{name}: most by", place and place.most_common(1)[0][0] == "work", place)
    # of what the rank waited, what its partner's master had waited at the team's barrier is the late thread's doing
    handed = sum(float(r["caused_s"]) for r in causes if r["kind"] == kind) - direct
    # (the rest is the master's own: it had no processor when the barrier was over)
    expect(f"{name}: handed on", handed >= 0.3 * min(waited.values()) > 0, (handed, waited, causes))


if __name__ == "__main__":
    scenarios.HEATSCOPE, scenarios.WORK = sys.argv[1], os.path.join(sys.argv[2], "hybrid")
    os.makedirs(scenarios.WORK, exist_ok=True)
    if not shutil.which("mpicc") or not shutil.which("mpirun"):
        sys.exit(scenarios.SKIP)
    programs = {"gcc": compiled("gcc", {}), "clang": compiled("clang", {"OMPI_CC": "clang-19"}, "-Wl,-rpath,/usr/lib/llvm-19/lib")}
    for compiler, program in programs.items():
        if program:
            in_three(lambda: check(compiler, program))
    for f in scenarios.failures[:20]:
        print("FAILED", f[:1000])
    sys.exit(bool(scenarios.failures) if any(programs.values()) else scenarios.SKIP)
