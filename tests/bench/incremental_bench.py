#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""incremental_bench.py HEATSCOPE JOIN_BENCH_MAKE [--runs RANKSxSAMPLES,...] [--loops 1000] [--sites 0] [--added 1,10,100] [--repeat 5] [--grown 0.9] [--instructions] [DIR...]

What a join costs when processes were added, against one that reads all: *simulated* measurements of so many ranks, of which the last k are
added to a cache of the others; then measurement directories DIR..., whose last process (by the numbers in the files' names) is added. Medians of so many pairs in
turn, CPU times or, with --instructions, those that callgrind counts (one pair is enough): whole without a cache, whole that writes one, with k added, with
nothing new, with nothing new but an option (all is made anew from the cache, chunks that come again are copied). With --grown also when each file was cut to that
part, as of a program that ran, and then grew to what it is. All results must have the same bytes.
Judges nothing."""
import argparse
import filecmp
import os
import re
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
    p.add_argument("--grown", type=float, default=0, help="part of each file that was there before")
    p.add_argument("--instructions", action="store_true", help="count instructions, by valgrind --tool=callgrind")
    p.add_argument("--how", default="on", choices=["on", "auto"], help="--cache=")
    p.add_argument("--options", default="", help="further options of correlate, with blanks")
    p.add_argument("--folder", default=None)
    a = p.parse_intermixed_args()
    folder = tempfile.mkdtemp(prefix="heatscope-incremental-", dir=a.folder)
    out, cache, made, reference = (os.path.join(folder, n) for n in ("run.h5", ".run.h5.cache", ".run.h5.made", "whole.h5"))
    os.environ["XDG_CACHE_HOME"] = folder

    def cost(how, source, to=out, *more):
        command = [a.heatscope, "correlate", "-q", "-j1", f"--cache={how}", *a.options.split(), *more, "-o", to, source]
        if not a.instructions:
            return measured(command)[1]
        done = subprocess.run(["valgrind", "--tool=callgrind", "--trace-children=yes", "--callgrind-out-file=/dev/null", *command], stderr=subprocess.PIPE, text=True, check=True)
        return int(re.search(r"refs:\s*([0-9,]+)", done.stderr).group(1).replace(",", "")) / 1e9

    def clear():
        for f in (cache, made, out):
            if os.path.exists(f):
                os.remove(f)

    def move(names, from_, to):
        for n in names:
            os.rename(os.path.join(from_, n), os.path.join(to, n))

    def compare(title, source, added):
        def by_numbers(name):  # the last are those of the highest ranks
            return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]

        names = sorted((n for n in os.listdir(source) if n.endswith(".hsr")), key=by_numbers)
        size = sum(os.path.getsize(os.path.join(source, n)) for n in names)
        count, aside = len(names), os.path.join(folder, "aside")
        os.makedirs(aside, exist_ok=True)
        whole, first, nothing, option, grown, line = [], [], [], [], [], ""
        with_added = {k: [] for k in added if k < count}
        for _ in range(a.repeat):
            whole.append(cost("none", source, reference))
            clear()
            first.append(cost(a.how, source))
            kept = sum(os.path.getsize(f) for f in (cache, made) if os.path.exists(f))
            nothing.append(cost(a.how, source))
            cost(a.how, source, out, "--launchers")
            option.append(cost(a.how, source))
            line += "" if filecmp.cmp(out, reference, shallow=False) else ", OTHER BYTES"
            for k, list_ in with_added.items():
                clear()
                move(names[-k:], source, aside)
                cost(a.how, source)
                move(names[-k:], aside, source)
                list_.append(cost(a.how, source))
                line += "" if filecmp.cmp(out, reference, shallow=False) else ", OTHER BYTES"
            if a.grown:
                clear()
                move(names, source, aside)
                for n in names:
                    with open(os.path.join(aside, n), "rb") as all_, open(os.path.join(source, n), "wb") as part:
                        part.write(all_.read(max(1, int(os.path.getsize(all_.name) * a.grown) >> 16) << 16))
                cost(a.how, source)
                move(names, aside, source)
                grown.append(cost(a.how, source))
                line += "" if filecmp.cmp(out, reference, shallow=False) else ", OTHER BYTES"
        whole, first, nothing, option = (statistics.median(x) for x in (whole, first, nothing, option))
        unit = "G instructions" if a.instructions else "s CPU"
        print(f"{title}: whole {whole:.2f} {unit}; with --cache={a.how}: first x {first / whole:.2f}, kept {kept / size:.3f} of the files; nothing new x {nothing / whole:.3f}, "
              f"another option x {option / whole:.2f}" + "".join(f"; {k} of {count} added x {statistics.median(x) / whole:.2f}" for k, x in with_added.items()) +
              (f"; grown from {a.grown} x {statistics.median(grown) / whole:.2f}" if grown else "") + line, flush=True)

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
