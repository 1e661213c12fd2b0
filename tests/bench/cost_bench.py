#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cost_bench.py [-n TURNS] [-x OPTIONS] HEATSCOPE [COST_BENCH | -- PROGRAM [ARGUMENT...]]: what measuring adds, by the CPU time of whole process trees, against
what Heatscope tells in the last line of the run. Without and with it in turns, in an order drawn anew each time. For each program: medians of the CPU time
without, of what pairs of runs differ by (with its quartiles: what the machine's noise leaves to be known), of what was told, told by true, and the range that is told. Of the programs of
cost_bench also what a context switch costs with perf's clock and with a timer of the thread's CPU time alone: the floor of the kernel's mechanisms.
PROGRAM may be mpirun with its options, a -- and the program: then it is 'mpirun ... heatscope run program'. OPTIONS: more options of 'heatscope run', as one word.
A run that tells nothing or fails ends the bench."""
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

arguments, turns, options = sys.argv[1:], 11, []
while arguments and arguments[0] in ("-n", "-x"):
    if arguments[0] == "-n":
        turns = int(arguments[1])
    else:
        options = arguments[1].split()
    arguments = arguments[2:]
if len(arguments) < 2:
    sys.exit(__doc__)
heatscope, rest = os.path.abspath(arguments[0]), arguments[1:]
work = tempfile.mkdtemp()


def cpu_of(command):
    """(CPU seconds of the process and its children, standard output, standard error)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()[-500:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout, done.stderr


def measured(program):
    run = [heatscope, "run", "-o", os.path.join(work, "m"), *options]
    at = program.index("--") if "--" in program else 0
    return program[:at] + run + program[at + ("--" in program):]


def told_of(text):
    """Seconds, by the last line of the run; at least, at most."""
    found = re.findall(r"measuring added ([\d.]+) % \((?:~([\d.]+) to ([\d.]+) %, )?([\d.]+) (ms|s)\)", text)
    if not found:
        sys.exit(f"the run tells no cost: {text.strip()[-500:]}")
    percent, least, most, seconds, unit = found[-1]
    told, by = float(seconds) * (1e-3 if unit == "ms" else 1), max(float(percent), 0.05)
    return told, told * float(least or percent) / by, told * float(most or percent) / by


def compare(name, program):
    bare, more, told = [], [], []
    for _ in range(turns):
        seconds = {}
        for way in random.sample(("without", "with"), 2):
            shutil.rmtree(os.path.join(work, "m"), ignore_errors=True)
            seconds[way], _, text = cpu_of([x for x in program if x != "--"] if way == "without" else measured(program))
            if way == "with":
                told.append(told_of(text))
        bare.append(seconds["without"])
        more.append(seconds["with"] - seconds["without"])
    low, true, high = statistics.quantiles(more, n=4)
    t, least, most = (statistics.median(x) for x in zip(*told))
    ratio = f"{t / true:9.2f}" if true > 0 else "        -"
    print(f"{name:<24.24} {1e3 * statistics.median(bare):9.1f} {1e3 * true:9.1f} {1e3 * low:8.1f} to {1e3 * high:<8.1f} {1e3 * t:8.1f} {ratio} {1e3 * least:8.1f} to {1e3 * most:.1f}", flush=True)


def mechanisms(bench):
    per = {}
    clocks = ("none", "perf:1000000", "perf:10000000", "perf:1000000000", "timer:4000000")
    for _ in range(turns):
        for clock in random.sample(clocks, len(clocks)):
            ns, n = (int(x) for x in cpu_of([bench, "switches", "20000", clock])[1].split())
            per.setdefault(clock, []).append(1e-3 * ns / n)
    floor = statistics.median(per["none"])
    print("\na context switch, us of CPU time: " + f"{floor:.2f}; more with " +
          ", ".join(f"{c} {statistics.median(per[c]) - floor:.2f}" for c in clocks[1:]))


print(f"{turns} turns, load {os.getloadavg()[0]:.0f}; ms of CPU time: medians, quartiles of the differences")
print(f"{'':<24} {'without':>9} {'more':>9} {'quartiles':>20} {'told':>8} {'told/true':>9} {'range told':>14}")
if rest[0] == "--":
    compare(os.path.basename(rest[-1] if "--" not in rest[1:] else rest[rest.index("--", 1) + 1]), rest[1:])
else:
    bench = os.path.abspath(rest[0])
    for words in (["empty"], ["compute", "1000"], ["switches", "40000"]):
        compare(" ".join(words), [bench, *words])
    mechanisms(bench)
shutil.rmtree(work, ignore_errors=True)
