# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Probes of a real program as metrics: visits by line, procedure and loop are those of the source, times those of table visit; each visit stands in a
calling context of its scope; parts of the run add up to it.
Usage: probed.py HEATSCOPE CLANG INCLUDE WORK"""
import csv
import io
import os
import subprocess
import sys

try:
    import h5py
except ImportError:
    sys.exit(77)

HEATSCOPE, CLANG, INCLUDE, WORK = sys.argv[1:5]
NONE, LOOP, ONE, TWO, RARE = 0xFFFFFFFF, 4, 300, 500, 7
SOURCE = f"""#include <heatscope.h>
double a[1000];
__attribute__((noinline)) double leaf(int n) {{
    double s = 0;
    for (int i = 0; i < n; i++)
        a[i % 1000] += s += a[i % 1000] * i;
    return s;
}}
__attribute__((noinline)) double one(void) {{
    double s = 0;
    for (int i = 0; i < {ONE}; i++)
        s += leaf(100000);
    return s;
}}
__attribute__((noinline)) double two(void) {{
    double s = 0;
    for (int i = 0; i < {TWO}; i++)
        s += leaf(100000);
    return s;
}}
__attribute__((noinline)) double rare(int n) {{ a[n]++; return a[n]; }}
int main(void) {{
    double s = one();
    heatscope_begin("second");
    s += two();
    heatscope_end("second");
    for (int i = 0; i < {RARE}; i++)
        s += rare(i);
    return s == 42;
}}
"""
LEAF = ONE + TWO
wrong = []
os.makedirs(WORK, exist_ok=True)
os.chdir(WORK)
subprocess.run(["rm", "-rf", "m"], check=True)
with open("t.c", "w", encoding="ascii") as f:
    f.write(SOURCE)
run = lambda *command: subprocess.run(command, check=True, capture_output=True, text=True).stdout
env = dict(os.environ, HEATSCOPE_CC=CLANG)
subprocess.run([HEATSCOPE, "cc", "--probe=procedures:leaf,procedures:rare,loops:t.c:*,calls:leaf", "-O2", "-g", f"-I{INCLUDE}", "t.c", "-o", "t"], check=True, env=env)
run(HEATSCOPE, "run", "-o", "m", "./t")
run(HEATSCOPE, "correlate", "-o", "m.h5", "m")


def table(by, metric, *more):
    rows = csv.DictReader(io.StringIO(run(HEATSCOPE, "report", f"--by={by}", f"--metric={metric}", "--format=csv", "--top=0", *more, "m.h5")))
    return [r for r in rows]


def that(what, got, expected):
    if got != expected:
        wrong.append(f"{what}: expected {expected}, got {got}")


line = lambda text: next(i + 1 for i, t in enumerate(SOURCE.split("\n")) if text in t)
with h5py.File("m.h5") as f:
    visit, context, probe, block = ({k: g[k][...] for k in g} for g in (f["/run/visit"], f["/run/context"], f["/run/probe"], f["/run/block"]))
    kinds, scale = f["/static/scope/kind"][...], float(f["/run/metric/scale"][list(f["/run/metric/name"][...]).index(b"probe time")])
if len(kinds) < 3:
    sys.exit("no sample in the program: nothing to be tested")
# by line, to the visit; a procedure stands at its first line with code
of_line = {int(r["line"]): int(float(r["exclusive_count"])) for r in table("line", "probe visits") if float(r["exclusive_count"])}
between = lambda first, last: sum(n for at, n in of_line.items() if first <= at <= last)
that("visits of leaf and its loop by line", between(line("double leaf"), line("i < n")), 2 * LEAF)
for number, text in ((ONE, f"i < {ONE}"), (TWO, f"i < {TWO}")):
    that(f"visits by line, {text}", (of_line.get(line(text)), of_line.get(line(text) + 1)), (1, number))
that("visits of rare by line", of_line.get(line("double rare")), RARE)
that("visits of leaf and its loop", sum(int(float(r["exclusive_count"])) for r in table("procedure", "probe visits") if r["procedure"] == "leaf"), 2 * LEAF)
that("visits of the loop in leaf", [int(float(r["exclusive_count"])) for r in table("loop", "probe visits") if r["procedure"] == "leaf"], [LEAF])
# times: those of the table without what probes cost, wherever they stand
placed = [i for i in range(len(visit["block"])) if visit["context"][i] != NONE]
time = sum(max(visit["exclusive_s"][i] - visit["exclusive_cost_s"][i], 0) for i in placed)
for by, column in (("line", "exclusive_s"), ("procedure", "exclusive_s"), ("context", "exclusive_s"), ("program", "inclusive_s"), ("processor", "inclusive_s")):
    got = sum(float(r[column]) for r in table(by, "probe time"))
    if abs(got - time) > scale * (len(placed) + 1) + 1e-6 * time:  # (of processors in 32 bits)
        wrong.append(f"probe time by {by}: expected {time}, got {got}")
for by in ("symbol", "version"):  # visits are at lines and call paths
    done = subprocess.run([HEATSCOPE, "report", f"--by={by}", "--metric=probe visits", "m.h5"], capture_output=True, text=True)
    that(f"probe visits by {by}", (done.returncode, done.stderr.count("\n"), "of probe visits nothing is known by" in done.stderr), (1, 1, True))
named = [i for i in range(len(visit["block"])) if probe["kind"][block["probe"][visit["block"][i]]] == 254]
that("scopes that the program named have no place", {visit["context"][i] for i in named}, {NONE})
for i in placed:  # of its own scope, below the context of the block round it
    b, c = int(visit["block"][i]), int(visit["context"][i])
    p = int(block["probe"][b])
    if probe["scope"][p] != NONE and context["scope"][c] != probe["scope"][p]:
        wrong.append(f"block {b}: context {c} is of scope {context['scope'][c]}, not {probe['scope'][p]}")
    up = int(block["parent"][b])
    above = {int(visit["context"][k]) for k in placed if int(visit["block"][k]) == up}
    if up != NONE and above and not any(a <= c < context["subtree_end"][a] for a in above):
        wrong.append(f"block {b}: context {c} is not below {above}")
# parts of the run
for metric in ("probe time", "probe visits"):
    unit = "s" if metric == "probe time" else "count"
    whole = {r["procedure"] + r["file"]: float(r[f"exclusive_{unit}"]) for r in table("procedure", metric)}
    parts = {}
    for when in ("0:50%", "50%:1000%", ):
        for r in table("procedure", metric, f"--interval={when}"):
            parts[r["procedure"] + r["file"]] = parts.get(r["procedure"] + r["file"], 0) + float(r[f"exclusive_{unit}"])
    for name, value in whole.items():
        if abs(parts.get(name, 0) - value) > (2 * scale * len(placed) if metric == "probe time" else 0) + 1e-9 * value:
            wrong.append(f"{metric} of {name}: {value} in the run, {parts.get(name, 0)} in its parts")
# a probed procedure below one round it whose calls between are not probed: where samples show one way to it, there; the outermost of a recursion; right below
# where they show several
BETWEEN = """double a[1000];
#define HIDDEN __attribute__((noinline, noclone))
HIDDEN double work(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        a[i % 1000] += s += a[i % 1000] * i;
    return s;
}
HIDDEN double single(void) { return work(40000000) + 1; }
HIDDEN double only(void) { return single() + 2; }
HIDDEN double both(void) { return work(20000000) + 1; }
HIDDEN double one(void) { return both() + 3; }
HIDDEN double two(void) { return both() + 4; }
HIDDEN double again(int n) { return work(10000000) + (n ? again(n - 1) * 2 : 0); }
int main(void) { return (only() + one() + two() + again(3)) == 42; }
"""
with open("between.c", "w", encoding="ascii") as f:
    f.write(BETWEEN)
subprocess.run(["rm", "-rf", "between.hs"], check=True)
subprocess.run([HEATSCOPE, "cc", "--probe=procedures:main,procedures:single,procedures:both,procedures:again", "-O2", "-g", "between.c", "-o", "between"], check=True, env=env)
run(HEATSCOPE, "run", "-o", "between.hs", "./between")
run(HEATSCOPE, "correlate", "-o", "between.h5", "between.hs")
with h5py.File("between.h5") as f:
    visit, context, probe, block = ({k: g[k][...] for k in g} for g in (f["/run/visit"], f["/run/context"], f["/run/probe"], f["/run/block"]))
    names = [n.decode().split("(")[0] for n in f["/static/scope/name"][...]]
ways = set()
for i in range(len(visit["block"])):
    p, c = int(block["probe"][visit["block"][i]]), int(visit["context"][i])
    path = []
    while c != NONE and c and names[context["scope"][c]] != "main":
        path.append(names[context["scope"][c]])
        c = int(context["parent"][c])
    ways.add((names[probe["scope"][p]], "<".join(path)))
for way in (("single", "single<only"), ("both", "both"), ("again", "again"), ("again", "again<again")):
    if way not in ways:
        wrong.append(f"probed procedures with others between: {way} is not among {sorted(ways)}")
print("\n".join(wrong) or "probes are where they are in the source")
sys.exit(bool(wrong))
