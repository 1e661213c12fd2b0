# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inclusive values of files, by another way: each sample by time, with the files of its line, of the scopes and of the calls on its path, read with h5py.
Usage: files.py HEATSCOPE HEATSCOPE-SIMULATE WORK"""
import csv
import io
import os
import shutil
import subprocess
import sys

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)

HEATSCOPE, SIMULATE, WORK = sys.argv[1:4]
NONE = 0xFFFFFFFF


def columns(f, path):
    return {name: f[f"{path}/{name}"][...] for name in f[path]}


def truth(path):
    """By name of the file: periods of metric 0."""
    with h5py.File(path) as f:
        line, scope, context, leaf = (columns(f, p) for p in ("static/line", "static/scope", "run/context", "time/leaf"))
        names = f["static/file/path"].asstr()[...]
        counts = np.bincount(f["time/samples/leaf"][...], f["time/samples/count"][...], len(leaf["context"]))
    on_path, sums = [set()], {}
    for c in range(1, len(context["scope"])):
        own = {scope["file"][context["scope"][c]]}
        if context["call_line"][c] != NONE:
            own.add(line["file"][context["call_line"][c]])
        on_path.append(on_path[context["parent"][c]] | own)
    for k, n in enumerate(counts):
        if n and leaf["metric"][k] == 0:
            at = leaf["line"][k]
            for file in (on_path[leaf["context"][k]] | ({line["file"][at]} if at != NONE else set())) - {NONE}:
                sums[names[file]] = sums.get(names[file], 0) + n
    return sums


def check(path):
    text = subprocess.run([HEATSCOPE, "report", "--by=file", "--format=csv", "--top=0", path], capture_output=True, text=True, check=True).stdout
    expected, rows = truth(path), list(csv.DictReader(io.StringIO(text)))
    exact = 0
    assert {r["file"] for r in rows} == set(expected), set(expected) ^ {r["file"] for r in rows}
    for r in rows:
        least, most, got = float(r["inclusive_periods"]), round(float(r["inclusive_most_s"]) * 1000), expected[r["file"]]
        assert least <= got <= most, f"{r['file']}: {got} is not in {least} to {most}"
        exact += least == most
    print(f"{path}: {len(rows)} files, {exact} exact")
    assert exact >= len(rows) // 2


# lines of body.inc stand in procedures of program.c: alone in work(), and below a call from a line of body.inc in main()
PROGRAM = '''#include <stdlib.h>
static volatile double sink;
static long times;
__attribute__((noinline)) static void work(void) {
    double x = 1;
    for (long i = 0; i < times; i++)
#include "body.inc"
    sink = x;
}
int main(int n, char **list) {
    times = atol(list[n - 1]);
    work();
#define CALL
#include "body.inc"
    return 0;
}
'''
BODY = '''#ifdef CALL
    work();
#else
        x = x / 1.0000001 + 1e-9;
#endif
'''


def measured():
    for name, text in (("program.c", PROGRAM), ("body.inc", BODY)):
        with open(os.path.join(WORK, name), "w", encoding="utf-8") as f:
            f.write(text)
    subprocess.run(["cc", "-g", "-O1", "-o", "program", "program.c"], cwd=WORK, check=True)
    subprocess.run([HEATSCOPE, "run", "-q", "-F", "1000", "-o", "m", "./program", "15000000"], cwd=WORK, check=True)
    subprocess.run([HEATSCOPE, "correlate", "-q", "-o", "m.h5", "m"], cwd=WORK, check=True)
    return os.path.join(WORK, "m.h5")


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
databases = [measured()]
for seed, options in ((5, ("--threads=3", "--lines=900")), (11, ("--threads=1", "--lines=1500"))):
    databases.append(os.path.join(WORK, f"{seed}.h5"))
    subprocess.run([SIMULATE, "-o", databases[-1], f"--seed={seed}", "--times", *options], check=True, stderr=subprocess.DEVNULL)
for path in databases:
    check(path)
