# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inclusive values of versions of loops, by another way: sets of versions and of calling contexts, read with h5py.
Usage: versions.py HEATSCOPE HEATSCOPE-SIMULATE WORK"""
import csv
import io
import os
import random
import subprocess
import sys

try:
    import h5py
except ImportError:
    sys.exit(77)

HEATSCOPE, SIMULATE, WORK = sys.argv[1:4]
NONE, PERIOD = 0xFFFFFFFF, 0.001
PROCEDURE, INLINED, LOOP = 1, 2, 3
os.makedirs(WORK, exist_ok=True)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def columns(f, path):
    return {name: f[f"{path}/{name}"][...] for name in f[path]}


class Run:
    def __init__(self, path):
        with h5py.File(path) as f:
            self.instance, self.context = columns(f, "/static/instance"), columns(f, "/run/context")
            self.own, self.at = f["/metrics/0/instance/sum"][...], f["/metrics/0/context_excl/sum"][...]
            leaf, counts = columns(f, "/time/leaf"), f["/time/samples/count"][...]
            total = [0] * len(leaf["context"])
            for k, n in zip(f["/time/samples/leaf"][...], counts):
                total[k] += int(n)
            self.leaves = [(int(c), int(i), n) for c, i, n in zip(leaf["context"], leaf["instance"], total) if i != NONE]
        scope, function = self.instance["scope"], self.instance["function"]
        self.round = [self.outwards(i) for i in range(len(scope))]
        self.of = {}
        for i, key in enumerate(zip(scope, function)):
            self.of.setdefault(key, []).append(i)

    def outwards(self, i):
        chain = [i]
        while self.instance["parent"][chain[-1]] != NONE:
            chain.append(int(self.instance["parent"][chain[-1]]))
        return chain

    def code_of(self, c):
        """Innermost loop (or None) and procedure whose machine code a context is."""
        loop = None
        while c and self.context["kind"][c] in (INLINED, LOOP):
            if loop is None and self.context["kind"][c] == LOOP:
                loop = self.context["scope"][c]
            c = self.context["parent"][c]
        return loop, self.context["scope"][c]

    def once(self, key):
        """All samples on paths through a loop in a machine function, once each; None where the loop has several versions there."""
        if len(self.of[key]) > 1:
            return None
        on = set()
        for c in range(1, len(self.at)):
            if self.context["kind"][c] == LOOP and self.code_of(c) == key:
                on |= set(range(c, int(self.context["subtree_end"][c])))
        return sum(float(self.at[c]) for c in on)

    def several(self, i, called, maybe):
        """Of one of several versions: its own samples, those of versions in it and below its calls, once each; and what else may be its own."""
        own = [(c, n) for c, k, n in self.leaves if i in self.round[k]]
        sure = sum(float(self.at[c]) for c in called) + sum(n for c, n in own if c not in called)
        return sure, sum(float(self.at[c]) for c in maybe - called) - sum(n for c, n in own if c in maybe - called)

    def expected(self):
        """By instance: inclusive (None: not told) and what may be another version's."""
        n = len(self.round)
        called, maybe = [set() for _ in range(n)], [set() for _ in range(n)]
        for c in range(1, len(self.at)):
            if self.context["kind"][c] != PROCEDURE:
                continue
            candidates = self.of.get(self.code_of(self.context["parent"][c]), [])
            for i in {a for k in candidates for a in self.round[k]}:
                sure = all(i in self.round[k] for k in candidates)
                (called if sure else maybe)[i] |= set(range(c, int(self.context["subtree_end"][c])))
        for i in range(n):
            value = sum(float(self.own[k]) for k in range(n) if i in self.round[k])
            key = (self.instance["scope"][i], self.instance["function"][i])
            again = any(self.context["kind"][c] == LOOP and self.code_of(c) == key for c in called[i] | maybe[i])
            once = self.once(key) if again else None
            seen["again"] += once is not None
            if again and once is None:
                seen["several"] += 1
                seen["twice"] += value > 0 and self.several(i, called[i], maybe[i])[0] != value + sum(self.at[c] for c in called[i])
            yield self.several(i, called[i], maybe[i]) if again and once is None else (once, 0) if again else (value + sum(self.at[c] for c in called[i]), sum(self.at[c] for c in maybe[i]))


def told(path):
    rows = csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=version", "--format=csv", "--top=0", path)))
    return sorted((float(r["exclusive_periods"]), float(r["inclusive_periods"] or -1), round(float(r["calls_of_any_version_s"]) / PERIOD)) for r in rows)


def spread(run, f, chance):
    """Samples of the model by time have no version: those in loops get one of the loop's, and versions get their samples."""
    leaf, context = f["/time/leaf/instance"], f["/time/leaf/context"][...]
    of = [chance.choice(run.of.get(run.code_of(int(c)), [NONE])) for c in context]
    leaf[...] = of
    sums = [0] * len(run.own)
    for k, n in zip(f["/time/samples/leaf"][...], f["/time/samples/count"][...]):
        if of[k] != NONE:
            sums[of[k]] += int(n)
    f["/metrics/0/instance/sum"][...] = sums


def recur(run, f, several):
    """Makes one loop run again below a call from itself: of a procedure further down, that has a loop, the one that calls. It has one version
    there, or as many as it has (several)."""
    of, context = run.of, run.context
    for loop in range(1, len(run.at)):
        key = run.code_of(loop)
        if context["kind"][loop] != LOOP or key not in of or (several and len(of[key]) < 2):
            continue
        for c in range(loop + 1, int(context["subtree_end"][loop])):
            up = int(context["parent"][c])
            if context["kind"][c] == LOOP and context["kind"][up] == PROCEDURE and run.code_of(up)[1] != key[1]:
                scope = f["/run/context/scope"]
                scope[up], scope[c] = key[1], key[0]
                for other in [] if several else of[key][1:]:  # in another machine function
                    f["/static/instance/function"][other] = run.context["scope"][up]
                return


wrong, seen = [], {"calls": 0, "inner": 0, "again": 0, "several": 0, "twice": 0}
paths = sys.argv[4:]
if not paths:
    for seed in range(8):
        paths.append(os.path.join(WORK, f"{seed}.h5"))
        subprocess.run([SIMULATE, "-o", paths[-1], "--lines=900", "--threads=3", "--processes=2", "--times", f"--seed={seed}"], check=True, stderr=subprocess.DEVNULL)
        with h5py.File(paths[-1], "r+") as f:  # any version of the same machine function round any other
            function, parent, chance = f["/static/instance/function"][...], f["/static/instance/parent"], random.Random(seed)
            up = parent[...]
            for i in range(len(up)):
                others = [k for k in range(i) if function[k] == function[i]]
                up[i] = chance.choice(others) if others and chance.random() < 0.8 else NONE
            parent[...] = up
        made = Run(paths[-1])
        with h5py.File(paths[-1], "r+") as f:
            recur(made, f, several=seed > 2)
        made = Run(paths[-1])
        with h5py.File(paths[-1], "r+") as f:
            spread(made, f, random.Random(seed))
for path in paths:
    made = Run(path)
    expected = [(float(made.own[i]), -1 if value is None else float(value), 0 if value is None else float(maybe))
                for i, (value, maybe) in enumerate(made.expected())]
    expected = sorted(e for e in expected if e[0] > 0 or e[1] > 0)
    seen["inner"] += any(len(chain) > 1 for chain in made.round)
    seen["calls"] += any(e[1] > e[0] or e[2] for e in expected)
    if told(path) != expected:
        wrong.append(f"{path}: {[(a, b) for a, b in zip(told(path), expected) if a != b][:5]}")
if not all(seen.values()):
    wrong.append(f"nothing to be tested: {seen}")
sys.exit("\n".join(wrong) or 0)
