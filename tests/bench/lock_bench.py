#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lock_bench.py HEATSCOPE [--repeat 5] [--compilers "heatscope cc,gcc"] [PROGRAM [ARGS...]]

What OpenMP locks cost with and without `heatscope run`: CPU nanoseconds of setting and unsetting one, with each OpenMP runtime that a compiler
brings, one lock and 100,000 in turn, one thread and two, and a critical section (0 locks); of creating a task and running it, in a thread that is alone, also 100 calls deep; and CPU seconds
of PROGRAM. Medians of so many pairs in turn. Judges nothing."""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("heatscope")
    p.add_argument("--repeat", type=int, default=5)
    p.add_argument("--compilers", default="", help="separated by commas; preset: HEATSCOPE cc, gcc")
    p.add_argument("program", nargs=argparse.REMAINDER)
    a = p.parse_args()
    compilers = a.compilers.split(",") if a.compilers else [f"{a.heatscope} cc", "gcc"]
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lock_bench.c")

    def cpu(command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def told(command):
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def in_turn(title, unit, cost, command):
        pairs = []
        for _ in range(a.repeat):
            with tempfile.TemporaryDirectory() as folder:
                pairs.append((cost(command), cost([a.heatscope, "run", "-q", "-o", os.path.join(folder, "r"), *command])))
        plain, measured = (statistics.median(x) for x in zip(*pairs))
        print(f"{title}: {plain:.2f} {unit}, measured {measured:.2f}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers:
            target = os.path.join(folder, "lock_bench")
            subprocess.run([*compiler.split(), "-O2", "-fopenmp", "-o", target, source], check=True)
            for locks, threads in ((1, 1), (100000, 1), (100000, 2), (0, 1)):
                in_turn(f"{os.path.basename(compiler)}, {locks} locks, {threads} threads", "ns", told, [target, str(locks), str(threads)])
            for depth in (1, 100):
                in_turn(f"{os.path.basename(compiler)}, a task, created {depth} calls deep", "ns", told, [target, str(-depth), "1"])
    if a.program:
        in_turn(os.path.basename(a.program[0]), "s of CPU time", cpu, a.program)


if __name__ == "__main__":
    sys.exit(main())
