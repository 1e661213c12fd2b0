#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scale_bench.py HEATSCOPE JOIN_BENCH_MAKE [--runs RANKSxSAMPLES,...] [--loops 1000] [--sites 0] [--jobs 1,2] [--memory SIZE,...] [--times] [--perf]

Joins *simulated* measurements of many ranks of one program of so many loops and tells memory, time, bytes for a non-zero and
samples per second of CPU time, for every number of ranks, of samples of each and of threads: few ranks of many samples tell what a sample
costs, many ranks of few what a rank costs (100000x300: the goal of scale, an hour on a busy machine). With --sites each rank has so many places that
pass messages and wait; --memory is handed on. All runs of one input must give the same bytes.
--perf: `perf script` and `perf report` of as many samples of one program, in the same run, for comparison.
Judges nothing; needs some 50 KB of disk a rank, and again half of that while it runs."""
import argparse
import filecmp
import itertools
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time


def program(loops, folder, heatscope):
    """A program of so many procedures with a loop each, with its map."""
    source = os.path.join(folder, "loops.c")
    with open(source, "w") as f:
        f.write("double a[4096];\n")
        for i in range(loops):
            f.write(f"double work_{i}(int n) {{ double s = 0;\n  for (int k = 0; k < n; k++)\n    s += a[k & 4095] * {i + 1}.5;\n"
                    "  return s; }\n")
        f.write("int main(void) { double s = 0; for (int r = 0; r < 100000; r++) {\n")
        for i in range(loops):
            f.write(f"  s += work_{i}(100);\n")
        f.write("  }\n  return s > 1e300; }\n")
    out = os.path.join(folder, "loops")
    subprocess.run([heatscope, "cc", "-O1", "-g", "-o", out, source], check=True, stderr=subprocess.DEVNULL)
    return out


def measured(command):
    """Seconds elapsed and of CPU time, and peak MB, of a command."""
    begin = time.time()
    pid = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: status {status}")
    return time.time() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def nonzeros(database):
    """(values, bytes of both orders) of all value tables; None without h5py."""
    try:
        import h5py
    except ImportError:
        return None
    values = size = 0
    with h5py.File(database, "r") as f:
        for metric in f["metrics"].values():
            for table in metric.values():
                for order in ("by_row", "by_thread"):
                    group = table[order]
                    values += group["data"].shape[0] if order == "by_row" else 0
                    size += sum(group[n].id.get_storage_size() for n in ("indptr", "indices", "data"))
    return values, size


def perf(folder, target, samples):
    data = os.path.join(folder, "perf.data")
    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "20000", "-g", "-o", data, "--", "timeout",
                    str(max(1, samples / 15000)), target], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    count = sum(1 for line in subprocess.run(["perf", "script", "-i", data, "-F", "tid"], capture_output=True, text=True).stdout.splitlines()
                if line.strip())
    for name, command in (("perf script", ["perf", "script", "-i", data]), ("perf report", ["perf", "report", "--stdio", "-i", data])):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime
        print(f"{name:12} {count:10} samples {cpu:8.2f} s CPU {count / cpu / 1e6:8.3f} M samples/s/core")


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("heatscope")
    p.add_argument("make")
    p.add_argument("--runs", default="4x2000000,1000x300")
    p.add_argument("--loops", type=int, default=1000)
    p.add_argument("--jobs", default="1,2")
    p.add_argument("--sites", type=int, default=0)
    p.add_argument("--memory", default="", help="sizes, with commas")
    p.add_argument("--times", action="store_true")
    p.add_argument("--perf", action="store_true")
    p.add_argument("--folder", default=None)
    a = p.parse_args()
    folder = tempfile.mkdtemp(prefix="heatscope-scale-", dir=a.folder)
    try:
        target = program(a.loops, folder, a.heatscope)
        for run in a.runs.split(","):
            ranks, of_each = map(int, run.split("x"))
            runs = os.path.join(folder, "simulated")
            subprocess.run([a.make, runs, target, str(ranks), str(of_each), str(a.loops), str(a.sites)], check=True)
            first = None
            for jobs, memory in itertools.product(a.jobs.split(","), a.memory.split(",")):
                out = os.path.join(folder, f"{jobs}{memory}.h5")
                command = [a.heatscope, "correlate", "-q", "--cache=none", "-j", jobs, *([f"--memory={memory}"] if memory else []), "-o", out, runs]
                wall, cpu, peak = measured(command if a.times else command[:2] + ["--time=none"] + command[2:])
                same = first is None or filecmp.cmp(first, out, shallow=False)
                samples = ranks * of_each
                line = (f"simulated: {ranks} ranks x {a.loops} loops, {samples} samples, {a.sites} sites, -j{jobs}{memory and ' --memory=' + memory}: {wall:.1f} s, {cpu:.1f} s CPU "
                        f"({samples / cpu / 1e6:.2f} M samples/s/core), {peak:.0f} MB, {os.path.getsize(out) / 1e6:.1f} MB on disk")
                count = nonzeros(out)
                print(line + (f", {count[1] / count[0]:.2f} bytes a non-zero" if count and count[0] else "") +
                      ("" if same else ", OTHER BYTES"), flush=True)
                first = first or out
            shutil.rmtree(runs)
        if a.perf:
            perf(folder, target, 300000)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
