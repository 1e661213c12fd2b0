# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values by category of each table of the report, by another way: the samples by time, read with h5py; and --category with its spread over threads.
Usage: categories.py HEATSCOPE HEATSCOPE-SIMULATE WORK [DATABASE ...]"""
import collections
import csv
import io
import os
import subprocess
import sys

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)

HEATSCOPE, SIMULATE, WORK = sys.argv[1:4]
NONE, LOOP, PROCEDURE, MODULE = 0xFFFFFFFF, 4, 3, 1
os.makedirs(WORK, exist_ok=True)


def report(path, by, *more):
    out = subprocess.run([HEATSCOPE, "report", f"--by={by}", "--format=csv", "--top=0", *more, path], capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(out)))


def columns(f, path):
    return {name: f[f"{path}/{name}"][...] for name in f[path]}


class Run:
    def __init__(self, path):
        with h5py.File(path) as f:
            self.scope, self.context, self.line = columns(f, "/static/scope"), columns(f, "/run/context"), columns(f, "/static/line")
            self.instance, self.leaf, self.thread = columns(f, "/static/instance"), columns(f, "/time/leaf"), columns(f, "/run/thread")
            self.names = ["".join(c if c.isalnum() else "_" for c in n.decode()) for n in f["/run/category/name"][...]]
            self.plain = [n.decode() for n in f["/run/category/name"][...]]
            self.scale = float(f["/run/metric/scale"][0])
            self.sums = {t: f[f"/metrics/0/{t}/sum"][...] for t in ("line", "scope_excl", "context_excl", "instance")}
            at, leaf, count = (f[f"/time/samples/{n}"][...] for n in ("indptr", "leaf", "count"))
        self.threads = len(at) - 1
        self.by = np.zeros((len(self.leaf["context"]), self.threads), np.int64)  # leaf x thread
        for t in range(self.threads):
            np.add.at(self.by[:, t], leaf[at[t]:at[t + 1]], count[at[t]:at[t + 1]])
        self.by[self.leaf["metric"] != 0] = 0

    def table(self, key, rows):
        """rows x categories x threads, of what key(leaf row) gives: rows, or NONE."""
        out = np.zeros((rows, len(self.names), self.threads), np.int64)
        for k in np.flatnonzero(self.by.sum(axis=1)):
            for row in key(k):
                out[row, self.leaf["category"][k]] += self.by[k]
        return out

    def path(self, c):
        while True:
            yield c
            if not c:
                return
            c = int(self.context["parent"][c])

    def nest_of(self, scope):
        """Outermost loop of the same procedure, through regions."""
        found = None
        while scope and self.scope["kind"][scope] not in (PROCEDURE, MODULE, 0):
            found = scope if self.scope["kind"][scope] == LOOP else found
            scope = int(self.scope["parent"][scope])
        return found


def check(path):
    run, wrong, seen = Run(path), [], 0
    context_of, scope_of = run.leaf["context"], run.context["scope"]
    one = lambda row: [] if row == NONE else [int(row)]
    excl = lambda k: int(scope_of[context_of[k]])
    nest = lambda k: one(NONE if run.nest_of(excl(k)) is None else run.nest_of(excl(k)))
    tables = {
        "line": run.table(lambda k: one(run.leaf["line"][k]), len(run.line["line"])),
        "loop": run.table(lambda k: [excl(k)] if run.scope["kind"][excl(k)] == LOOP else [], len(run.scope["kind"])),
        "procedure": run.table(lambda k: one(run.scope["procedure"][excl(k)]), len(run.scope["kind"])),
        "version": run.table(lambda k: one(run.leaf["instance"][k]), len(run.instance["scope"])),
        "nest": run.table(nest, len(run.scope["kind"])),
        "module": run.table(lambda k: one(run.scope["module"][excl(k)]), int(max(m for m in run.scope["module"] if m != NONE)) + 1),
        "context": run.table(lambda k: [context_of[k]], len(scope_of)),
    }
    calls = collections.defaultdict(lambda: np.zeros((len(run.names), run.threads), np.int64))
    for k in np.flatnonzero(run.by.sum(axis=1)):
        for site in {(int(run.context["call_line"][c]), int(scope_of[c])) for c in run.path(int(context_of[k]))
                     if run.context["kind"][c] in (1, 2) and run.context["call_line"][c] != NONE}:
            calls[site][run.leaf["category"][k]] += run.by[k]
    tables["call"] = np.array(list(calls.values())).reshape(-1, len(run.names), run.threads)
    for name, of in (("line", "line"), ("loop", "scope_excl"), ("version", "instance"), ("context", "context_excl")):  # by the value tables as well
        whole = tables[name].sum(axis=(1, 2))
        if name != "loop" and whole.any() and list(whole) != list(run.sums[of]):  # (simulated samples are of no version)
            wrong.append(f"{path}: {name}: /time has not what /metrics has")
    value = {"nest": "value", "call": "inclusive"}
    for name, table in tables.items():
        column = value.get(name, "exclusive")
        told = sorted(tuple(round(float(r[f"{column}_{c}_s"]) / run.scale) for c in run.names) for r in report(path, name))
        expected = sorted(tuple(int(v) for v in row.sum(axis=1)) for row in table)
        told, expected = [r for r in told if any(r)], [r for r in expected if any(r)]
        seen += sum(1 for r in expected if sum(v > 0 for v in r) > 1)
        if told != expected:
            wrong.append(f"{path}: {name}: expected {len(expected)} rows, got {len(told)}: {[(a, b) for a, b in zip(expected, told) if a != b][:3]}")
    rows = report(path, "processor", "--processors=thread")
    for i, c in enumerate(run.names):
        expected = run.by[run.leaf["category"] == i].sum(axis=0)
        if [round(float(r[f"inclusive_{c}_s"]) / run.scale) for r in rows] != list(expected):
            wrong.append(f"{path}: processor: {c}: expected {expected}")
    for i, c in enumerate(run.plain):  # one category alone, over threads
        table = tables["procedure"][:, i]
        expected = sorted((int(r.sum()), int(r.max()), round(float(r.std()), 3)) for r in table if r.sum())
        told = sorted((int(float(r["exclusive_periods"])), round(float(r["max_s"]) / run.scale), round(float(r["stddev_s"]) / run.scale, 3))
                      for r in report(path, "procedure", f"--category={c}", "--processors=thread") if float(r["exclusive_periods"]))
        if told != expected:
            wrong.append(f"{path}: --category={c}: {[(a, b) for a, b in zip(expected, told) if a != b][:3]}")
    if not seen:
        wrong.append(f"{path}: nothing to be tested: no row has two categories")
    return wrong


def check_without_times():
    """The same run without its samples by time: all values by category are those with them."""
    wrong, path = [], os.path.join(WORK, "counts.h5")
    subprocess.run([SIMULATE, "-o", path, "--lines=400", "--counts", "--samples=3000", "--threads=3", "--processes=2", "--seed=0"], check=True, stderr=subprocess.DEVNULL)
    asked = [[by] for by in ("line", "loop", "procedure", "file", "nest", "module", "context", "call")]
    asked += [["procedure", f"--category={c}", *on] for c in Run(paths[0]).plain for on in ([], ["--processors=thread"])]
    asked += [["processor", "--processors=thread"]]
    for by, *more in asked:
        want, got = report(paths[0], by, *more), report(path, by, *more)
        if by == "processor": # a simulated run with samples by time lasts until the last of them
            want, got = ([{k: v for k, v in row.items() if k != "end_s"} for row in rows] for rows in (want, got))
        if not any(name.startswith(("exclusive_", "value_", "inclusive_")) and row[name] not in ("", "0") for row in got for name in row) and by != "processor":
            wrong.append(f"{path}: {by} {more}: nothing to be tested")
        if want != got:
            wrong.append(f"{path}: {by} {more}: with times {[(a, b) for a, b in zip(want, got) if a != b][:1]}")
    return wrong


wrong, paths = [], sys.argv[4:]
if not paths:
    paths = [os.path.join(WORK, f"{seed}.h5") for seed in range(1)]
    for seed, path in enumerate(paths):
        subprocess.run([SIMULATE, "-o", path, "--lines=400", "--times", "--samples=3000", "--threads=3", "--processes=2", f"--seed={seed}"], check=True, stderr=subprocess.DEVNULL)
for path in paths:
    wrong += check(path)
if not sys.argv[4:]:
    wrong += check_without_times()
whole, word = (subprocess.run([HEATSCOPE, "report", "--by=line", f"--category={name}", paths[0]], capture_output=True, text=True, check=True).stdout for name in ("input and output", "Output"))
if whole != word:
    wrong.append("--category=Output: expected what 'input and output' gives")
for bad in (["--category=nonsense", "--by=line"], ["--category=waiting"], ["--category=waiting", "--by=wait"], ["--category=waiting", "--by=ledger"]):
    p = subprocess.run([HEATSCOPE, "report", *bad, paths[0]], capture_output=True, text=True)
    if not p.returncode or "category" not in p.stderr or p.stderr.count("\n") != 1:
        wrong.append(f"{bad}: expected one line and a failure, got {p.returncode}: {p.stderr}")
sys.exit("\n".join(wrong) or 0)
