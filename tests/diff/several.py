# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several runs compared: scales of one program and repeated runs, made up, with all figures known.
several.py HEATSCOPE RECORDS WORK"""
import csv
import glob
import io
import json
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from made_up import MadeUp  # noqa: E402

m = MadeUp(*sys.argv[1:4])


def measured(name, work):
    """Processes of one thread with so many ms in the program and in a library, for 2 s."""
    for left in glob.glob(os.path.join(m.work, "*.hsr")):
        os.remove(left)
    for pid, (program, library) in enumerate(work, 11):
        m.process(pid, "/made/up/solver", (program, library), library="/made/up/libother.so")
    database = os.path.join(m.work, name)
    m.run("correlate", "-o", database, m.work)
    return database


def table(*command):
    return list(csv.DictReader(io.StringIO(m.run("diff", "--format=csv", *command))))


def near(value, truth, what):
    m.that(abs(float(value) - truth) < 1e-6, f"{what}: {value}, expected {truth}")


# the program scales, what its library does each process repeats: 1, 2 and 4 processes
one = measured("one.h5", [(800, 100)])
two = measured("two.h5", [(400, 100)] * 2)
four = measured("four.h5", [(200, 100)] * 4)
rows = {os.path.basename(row["module"]): row for row in table("--by=module", "--category=all", one, two, four)}
for name, each, sums in (("solver", (0.8, 0.4, 0.2), (0.8, 0.8, 0.8)), ("libother.so", (0.1, 0.1, 0.1), (0.1, 0.2, 0.4))):
    row = rows[name]
    for group, processors, x, s in zip("abc", (1, 2, 4), each, sums):
        near(row[f"each_{group}_s"], x, f"{name} each {group}")
        near(row[f"{group}_s"], s, f"{name} sum {group}")
        if group != "a":
            near(row[f"speedup_{group}"], each[0] / x, f"{name} speed-up {group}")
            near(row[f"efficiency_{group}"], each[0] / x / processors, f"{name} efficiency {group}")
            near(row[f"work_efficiency_{group}"], sums[0] / s, f"{name} work efficiency {group}")
            near(row[f"loss_{group}_s"], x - each[0] / processors, f"{name} loss {group}")
            low, high = float(row[f"loss_low_{group}_s"]), float(row[f"loss_high_{group}_s"])
            m.that(low <= x - each[0] / processors <= high, f"{name} interval {group}: {low}..{high}")
m.that(rows["libother.so"]["position"] == "1" and rows["libother.so"]["beyond_noise_c"] == "yes" and rows["solver"]["beyond_noise_c"] == "no", f"order: {rows}")
# weak: work grows with the processes
grown = measured("grown.h5", [(800, 100), (900, 100)])
row = {os.path.basename(r["module"]): r for r in table("--by=module", "--category=all", "--scaling=weak", one, grown, four)}["solver"]
near(row["loss_b_s"], 0.05, "weak loss")
near(row["work_efficiency_b"], 0.8 * 2 / 1.7, "weak work efficiency")
# what one process of four does alone scales by none of them, though the work is the same
alone = measured("alone.h5", [(200, 600), (200, 0), (200, 0), (200, 0)])
base = measured("base.h5", [(800, 600)])
by = {row["procedure"]: row for row in table("--by=procedure", "--category=all", base, two, alone)}
row = next(r for name, r in by.items() if "libother" in name)
near(row["each_c_s"], 0.6, "alone: of the one that does it")
near(row["speedup_c"], 1, "alone: speed-up")
near(row["work_efficiency_c"], 1, "alone: work efficiency")
near(row["loss_c_s"], 0.45, "alone: loss")
document = json.loads(m.run("diff", "--format=json", one, two, four))
m.that([g["processors"] for g in document["groups"]] == [1, 2, 4] and document["category"] == "computation" and document["scaling"] == "strong", f"head: {document['groups']}")
near(document["groups"][2]["loss_s"], document["groups"][2]["elapsed_s"] - document["groups"][0]["elapsed_s"] / 4, "elapsed loss")
by = {row["category"]: row for row in table("--by=category", one, two, four)}
near(by["computation"]["c_s"], sum(float(r["c_s"]) for r in table("--by=procedure", "--category=computation", one, two, four)), "category")
text = m.run("diff", one, two, four)
m.that("Scaling, strong: eff%" in text and "computation alone" in text and not [line for line in text.splitlines() if len(line) > 80], f"text:\n{text}")

# repeats: Welch's interval of the means, of the program's 500 to 540 and 600 to 640 ms
values = {"a": (500, 520, 540), "b": (600, 620, 640)}
runs = {g: [measured(f"{g}{i}.h5", [(v, 1)]) for i, v in enumerate(vs)] for g, vs in values.items()}
row = {os.path.basename(r["module"]): r for r in table("--by=module", "--category=all", *runs["a"], ":", *runs["b"])}["solver"]
near(row["a_s"], 0.52, "mean of A")
near(row["change_b_s"], 0.1, "change")
variance = 0.02 ** 2  # the runs', which is more than that of sampling: the total is known
low, high = float(row["change_low_b_s"]), float(row["change_high_b_s"])
half = 2.776445 * math.sqrt(2 * variance / 3)
near(low, 0.1 - half, "Welch, 4 degrees of freedom")
near(high, 0.1 + half, "Welch, 4 degrees of freedom")
m.that(row["beyond_noise_b"] == "yes", f"repeats: {row}")
# runs that differ among themselves as much as builds do tell nothing; one run each would have been sure
noisy = {"a": (500, 640, 580), "b": (620, 520, 600)}
runs = {g: [measured(f"n{g}{i}.h5", [(v, 1)]) for i, v in enumerate(vs)] for g, vs in noisy.items()}
row = {os.path.basename(r["module"]): r for r in table("--by=module", "--category=all", *runs["a"], ":", *runs["b"])}["solver"]
m.that(row["beyond_noise_b"] == "no" and float(row["change_low_b_s"]) < 0 < float(row["change_high_b_s"]), f"noise: {row}")
text = m.run("diff", *runs["a"], ":", *runs["b"])
m.that("3 runs" in text and "differences between repeated runs" in " ".join(text.split()), f"text of repeats:\n{text}")
# a group of one run has the variance of the other
row = {os.path.basename(r["module"]): r for r in table("--by=module", "--category=all", *runs["a"], ":", runs["b"][0])}["solver"]
m.that(float(row["change_high_b_s"]) - float(row["change_low_b_s"]) > 0.3, f"one against three: {row}")

for words, code, what in (([one], 2, "expected two databases"), ([one, ":"], 2, "expected two databases"), ([":", one, two], 2, "expected two databases"),
                          ([one, ":", ":", two], 2, "expected two databases"), (["--interval-b=0:1", one, two, four], 2, "--interval-b"),
                          ([one, two, ":", four], 1, "expected as many processors"), ([one, two, "/nowhere"], None, "/nowhere"), (["--category=nothing", one, two, four], 1, "nothing")):
    done = subprocess.run([m.heatscope, "diff", *words], capture_output=True, text=True)
    m.that((done.returncode == code if code is not None else done.returncode != 0) and what in done.stderr and len(done.stderr.splitlines()) == 1, f"{words}: {done.returncode} {done.stderr}")
done = subprocess.run([m.heatscope, "diff", one], capture_output=True, text=True)
m.that(done.stderr == "heatscope diff: expected two databases or measurement directories, got one\n", f"one: {done.stderr}")
m.end()
