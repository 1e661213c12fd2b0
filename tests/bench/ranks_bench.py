#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ranks_bench.py HEATSCOPE JOIN_BENCH_MAKE [--files 1000] [--loops 1000] [--samples 300] [--ranks 1,2,4] [--runs 3] [--launch CMD]

Joins *simulated* measurements of one program on several ranks, each with one thread, and tells the time that passed, the CPU time and
the most memory of rank 0 and of the others: medians of runs that take turns, beside one process. All runs must give the same bytes.
Time means something only where there are as many processors as ranks; CPU time of rank 0 is what more ranks cannot shorten.
Judges nothing."""
import argparse
import filecmp
import os
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from scale_bench import program


def one(folder, command):
    """What a rank runs: the command, then its usage into a file of its own."""
    begin = time.time()
    code = subprocess.run(command).returncode
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    rank = next((os.environ[v] for v in ("OMPI_COMM_WORLD_RANK", "PMI_RANK") if v in os.environ), "0")
    with open(os.path.join(folder, f"usage.{rank}"), "w") as f:
        f.write(f"{time.time() - begin} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss / 1024}")
    return code


def run(launch, heatscope, source, folder, out):
    """[(seconds, CPU seconds, MB)] of the ranks."""
    for name in os.listdir(folder):
        if name.startswith("usage."):
            os.unlink(os.path.join(folder, name))
    subprocess.run([*launch, sys.executable, os.path.abspath(__file__), "--one", folder, heatscope, "correlate", "-q", "-j1", "--cache=none", "-o", out, source],
                   check=True, stderr=subprocess.DEVNULL)
    names = sorted((n for n in os.listdir(folder) if n.startswith("usage.")), key=lambda n: int(n[6:]))
    return [tuple(float(x) for x in open(os.path.join(folder, n)).read().split()) for n in names]


def main():
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("heatscope", type=os.path.abspath)
    a.add_argument("make")
    a.add_argument("--files", type=int, default=1000)
    a.add_argument("--loops", type=int, default=1000)
    a.add_argument("--samples", type=int, default=300)
    a.add_argument("--ranks", default="1,2,4")
    a.add_argument("--runs", type=int, default=3)
    a.add_argument("--launch", default="mpirun --allow-run-as-root --oversubscribe")
    o = a.parse_args()
    folder = tempfile.mkdtemp(prefix="ranks_bench.")
    try:
        source = os.path.join(folder, "m")
        subprocess.run([o.make, source, program(o.loops, folder, o.heatscope), str(o.files), str(o.samples), str(o.loops)], check=True)
        counts = [0] + [int(n) for n in o.ranks.split(",")]
        found = {n: [] for n in counts}
        for _ in range(o.runs):
            for n in counts:
                out = os.path.join(folder, f"{n}.h5")
                found[n].append(run([*shlex.split(o.launch), "-n", str(n)] if n else [], o.heatscope, source, folder, out))
                if not filecmp.cmp(out, os.path.join(folder, "0.h5"), shallow=False):
                    sys.exit(f"{n} ranks: other bytes than one process")
        print(f"{o.files} simulated files of {o.loops} loops, {o.samples} samples each; {os.cpu_count()} processors; medians of {o.runs}")
        print("ranks       s  CPU s  CPU s of rank 0  of the most of others     MB   MB of others")
        for n in counts:
            def median(f):
                return statistics.median(f(ranks) for ranks in found[n])
            print(f"{n or 'alone':>5} {median(lambda r: r[0][0]):7.2f} {median(lambda r: sum(x[1] for x in r)):6.2f} {median(lambda r: r[0][1]):16.2f} "
                  f"{median(lambda r: max([x[1] for x in r[1:]] or [0])):22.2f} {median(lambda r: r[0][2]):6.0f} "
                  f"{median(lambda r: max([x[2] for x in r[1:]] or [0])):14.0f}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) > 3 and sys.argv[1] == "--one":
        sys.exit(one(sys.argv[2], sys.argv[3:]))
    main()
