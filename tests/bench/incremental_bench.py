#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""incremental_bench.py HEATSCOPE JOIN_BENCH_MAKE [--runs RANKSxSAMPLES,...] [--loops 1000] [--sites 0] [--added 1,10,100] [--repeat 5] [DIR...]

What a join costs when processes were added, against one that reads all: *simulated* measurements of so many ranks, of which the last k are
added to a cache of the others; then measurement directories DIR..., whose last process is added. CPU times, medians of so many pairs in
turn: whole without a cache (w), whole that writes one (first), with k added (a), with nothing new (r). From these: c1, what a process costs that is read, and c2, one
that is not, by the line cost = fixed + c1 * read + c2 * kept through w of all, w of half and r. All results must have the same bytes.
Judges nothing."""
import argparse
import filecmp
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from scale_bench import measured, program


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("heatscope")
    p.add_argument("make")
    p.add_argument("dirs", nargs="*")
    p.add_argument("--runs", default="1000x300,100x20000")
    p.add_argument("--loops", type=int, default=1000)
    p.add_argument("--sites", type=int, default=0)
    p.add_argument("--added", default="1,10,100")
    p.add_argument("--repeat", type=int, default=5)
    p.add_argument("--options", default="", help="further options of correlate, with blanks")
    p.add_argument("--folder", default=None)
    a = p.parse_intermixed_args()
    folder = tempfile.mkdtemp(prefix="heatscope-incremental-", dir=a.folder)
    out, cache, reference = (os.path.join(folder, n) for n in ("run.h5", ".run.h5.cache", "whole.h5"))
    os.environ["XDG_CACHE_HOME"] = folder

    def cpu(how, source, to=out):
        return measured([a.heatscope, "correlate", "-q", "-j1", f"--cache={how}", *a.options.split(), "-o", to, source])[1]

    def some(source, names, target):
        shutil.rmtree(target, ignore_errors=True)
        os.mkdir(target)
        for n in names:
            os.link(os.path.join(source, n), os.path.join(target, n))
        return target

    def compare(title, source, added):
        names = sorted(n for n in os.listdir(source) if n.endswith(".hsr"))
        size = sum(os.path.getsize(os.path.join(source, n)) for n in names)
        count, parts = len(names), os.path.join(folder, "part")
        w, half, first, r, line = [], [], [], [], ""
        with_added = {k: [] for k in added if k < count}
        for _ in range(a.repeat):
            w.append(cpu("none", source, reference))
            half.append(cpu("none", some(source, names[:count // 2], parts), os.path.join(folder, "half.h5")))
            if os.path.exists(cache):
                os.remove(cache)
            first.append(cpu("on", source))
            kept = os.path.getsize(cache)
            r.append(cpu("on", source))
            for k, list_ in with_added.items():
                os.remove(cache)
                cpu("on", some(source, names[:-k], parts))
                list_.append(cpu("on", source))
                line += "" if filecmp.cmp(out, reference, shallow=False) else ", OTHER BYTES"
        w, half, first, r = (statistics.median(x) for x in (w, half, first, r))
        print(f"{title}: whole {w:.2f} s CPU, first with a cache x {first / w:.2f}, cache {kept / size:.3f} of the files; nothing new x {r / w:.2f}" +
              "".join(f"; {k} of {count} added x {statistics.median(x) / w:.2f}" for k, x in with_added.items()) + line, flush=True)
        if count > 20:
            c1 = (w - half) / (count - count // 2)
            fixed = w - c1 * count
            print(f"{'':8}fixed {fixed:.2f} s, c1 {c1 * 1e3:.2f} ms, c2 {(r - fixed) / count * 1e3:.2f} ms, c2/c1 {(r - fixed) / count / c1:.2f}", flush=True)

    try:
        target = program(a.loops, folder, a.heatscope)
        for run in a.runs.split(",") if a.runs else []:
            ranks, samples = map(int, run.split("x"))
            source = os.path.join(folder, "simulated")
            subprocess.run([a.make, source, target, str(ranks), str(samples), str(a.loops), str(a.sites)], check=True)
            compare(f"simulated: {ranks} ranks x {samples} samples", source, list(map(int, a.added.split(","))))
            shutil.rmtree(source)
        for d in a.dirs:
            linked = os.path.join(folder, "real")
            shutil.copytree(d, linked, ignore=lambda _, names: [n for n in names if not n.endswith(".hsr")])
            compare(os.path.basename(d.rstrip("/")), linked, [1])
            shutil.rmtree(linked)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
