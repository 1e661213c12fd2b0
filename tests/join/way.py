#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""way.py HEATSCOPE CORPUS WORK COMPILER...: procedures that end in a call of which the compiler made a jump have no frame, and are on the call paths all
the same: of what forks a region of OpenMP (in who forked it, in workers, and where workers wait for its end), of another procedure, of a library's.
COMPILER: LANGUAGE=PROGRAM, of LANGUAGE c or fortran. Exact: all samples of a body have its path, and all timed waits their procedure."""
import csv
import os
import re
import shutil
import subprocess
import sys

heatscope, corpus, work, *compilers = sys.argv[1:]
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
failed = 0


def run(*command, **variables):
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **variables}, timeout=250).stdout


def rows(by):
    return list(csv.DictReader(run(heatscope, "report", f"--by={by}", "--format=csv", "w.h5").splitlines()))


def that(good, what):
    global failed
    failed += not good
    if not good:
        print(f"wrong, {compiler}: {what}")


def marks(source):
    """Lines by the words in the comment at their end."""
    with open(os.path.join(corpus, source), encoding="utf-8") as text:
        found = ((n, re.search(r"(?:/\*|\S !) ([a-z ]+?)(?: \*/)?$", line.rstrip())) for n, line in enumerate(text, 1))
        return {mark.group(1): n for n, mark in found if mark}


def procedures(path):
    """Of a path: without loops and modules."""
    return [part.rsplit("::", 1)[-1] for part in path.split(";") if not re.match(r"(for|loop|do|OpenMP worksharing)\b", part)]


for compiler in compilers:
    language, program = compiler.split("=", 1)
    sources = ["way.c"] if language == "c" else ["way_m.f90", "way_p.f90"]
    shutil.rmtree("m", ignore_errors=True)
    run(program, "-O2", "-g", "-fopenmp", *(os.path.join(corpus, s) for s in sources), "-o", "way")
    jumps = [line for line in run("objdump", "-d", "--no-show-raw-insn", "way").splitlines() if "jmp" in line]
    forks = sum("<GOMP_parallel@plt>" in line or "<__kmpc_fork_call@plt>" in line for line in jumps)
    that(forks >= (3 if language == "c" else 1), f"the compiler made no jumps of the calls: {forks}")
    run(heatscope, "run", "-q", "-F", "2000", "-o", "m", "./way", OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
    run(heatscope, "correlate", "-q", "-o", "w.h5", "m")
    at = marks(sources[0])
    bodies = {"direct": "direct", "pointed": "pointed", "odd": "either", "even": "either"} if language == "c" else {"doubled": "doubled", "summed": "summed"}
    main = ("all",) if language == "c" else ("p", "main program", "main program p")
    contexts, threads = rows("context"), {}
    for r in contexts:
        here = int(r["line_begin"] or 0) if os.path.basename(r["file"]) == sources[0] else 0
        for mark, name in bodies.items():
            if r["kind"] == "loop" and at[mark] <= here <= at[mark + " body"]:
                *_, above, procedure, body = procedures(r["path"])
                that(above in main and procedure == name, f"{mark}: {r['path']}")
                threads[mark] = max(threads.get(mark, 0), 1 + (float(r["min_s"]) > 0))
    that(set(threads) == set(bodies), f"regions without a sample: {set(bodies) - set(threads)}")
    that(max(threads.values(), default=0) == 2, f"no region has samples of both threads in one context: {threads}")
    waits = [r for r in rows("wait") if r["kind"] in ("end of an OpenMP region or loop", "OpenMP worker between regions")]
    where = {(r["procedure"].rsplit("::", 1)[-1].split(" [")[0], int(r["line"])) for r in waits}  # gcc's jump has the procedure's line
    that({name for name, _ in where} == set(bodies.values()), f"waits: {where}")
    for name in {"direct", "pointed", "doubled", "summed"} & set(bodies):
        lines = {line for procedure, line in where if procedure == name}
        that(lines and all(at[name] - 2 <= line <= at[name + " body"] for line in lines), f"waits of {name}: lines {lines}")
    if language == "c":
        for mark, path in (("inner", ["all", "outer", "middle", "inner"]), ("clears", ["all", "clears"])):
            told = [procedures(r["path"]) for r in contexts if path[-1] in procedures(r["path"])]
            that(told and all(t[t.index("all"):][:len(path)] == path for t in told), f"{mark}: {told}")
sys.exit(failed > 0)
