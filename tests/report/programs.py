# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A made-up run of two programs: what is compared is processes of one program.
Usage: programs.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import math
import sys

from made_up import MadeUp

m = MadeUp(*sys.argv[1:4])
MINE, OTHER, BOTH = "/made/up/worker", "/made/up/feeder", "/made/up/library.so"
that, table = m.that, m.table
for pid, own in ((11, 40), (12, 40), (13, 10)):
    m.process(pid, MINE, (own, 0), BOTH)
m.process(21, OTHER, (400, 5), BOTH)
m.process(22, OTHER, (400, 0), BOTH)
m.process(23, MINE, (30, 5), BOTH)
m.run("correlate", "-o", m.database, m.work)

programs = {r["program"]: r for r in table("program")}
that(set(programs) == {MINE, OTHER}, f"programs: {set(programs)}")
for path, n, periods, most, mean in ((MINE, 4, 125, 40, 125 / 4), (OTHER, 2, 805, 405, 805 / 2)):
    r = programs[path]
    that((int(r["processes"]), int(r["inclusive_periods"])) == (n, periods), f"sums {r}")
    that(math.isclose(float(r["max_s"]), most / 1000, rel_tol=1e-6) and math.isclose(float(r["mean_s"]), mean / 1000, rel_tol=1e-6) and
         math.isclose(float(r["imbalance_s"]), (most - mean) / 1000, rel_tol=1e-6), f"spread {r}")
that(programs[MINE]["min_processor"] == "worker 13" and programs[OTHER]["max_processor"] == "feeder 21", f"processors {programs}")

procedures = {r["module"]: r for r in table("procedure") if int(r["exclusive_periods"])}
that(math.isclose(float(procedures[MINE]["max_over_mean"]), 40 / 30, rel_tol=1e-6), f"a program's own, over its 4 processes: {procedures[MINE]}")
that(math.isclose(float(procedures[OTHER]["max_over_mean"]), 1), f"even in its own program: {procedures[OTHER]}")
that(procedures[BOTH]["max_over_mean"] == procedures[BOTH]["imbalance_s"] == "" and int(procedures[BOTH]["exclusive_periods"]) == 10,
     f"programs are not compared: {procedures[BOTH]}")
that([r["program"] for r in table("processor")].count(MINE) == 4, "programs of processors")

text = m.run("report", m.database)
that("feeder 86.6 %" in text and "worker 13.4 %" in text, f"no sums by program:\n{text}")
that("least" not in text.split("\nProcessors:")[1].split("#")[0], f"programs are compared:\n{text}")
that("Imbalance: feeder" not in text and "runs on feeder" not in text, f"imbalance of what is even in its program:\n{text}")
that(all(len(line) <= 80 for line in text.splitlines()), "wider than 80")

# by node: what all programs did there; of one program its processes there, over the nodes that it ran on
n = MadeUp(sys.argv[1], sys.argv[2], sys.argv[3] + ".nodes")
for pid, rank, program, samples, host in ((41, 0, MINE, 40, "north"), (42, 1, OTHER, 30, "south"), (43, 2, MINE, 10, "north"), (44, 3, MINE, 20, "south"),
                                          (45, 4, OTHER, 50, "west")):
    n.process(pid, program, (samples, 5), BOTH, rank=rank, host=host)
n.run("correlate", "-o", n.database, n.work)
NODE = ("--processors=node",)
n.that([(r["host"], int(r["processes"]), int(r["periods"])) for r in n.table("processor", *NODE)] == [("north", 2, 60), ("south", 2, 60), ("west", 1, 55)],
       f"nodes: {n.table('processor', *NODE)}")
programs = {r["program"]: r for r in n.table("program", *NODE)}
for path, least, most, mean, at in ((MINE, 25, 60, 85 / 2, ("south", "north")), (OTHER, 35, 55, 45, ("south", "west"))):
    r = programs[path]
    n.that([round(1000 * float(r[c]), 3) for c in ("min_s", "max_s", "mean_s", "inclusive_s")] == [least, most, mean, 2 * mean] and
           (r["min_processor"], r["max_processor"]) == at, f"of a program by node: {r}")
both = next(r for r in n.table("procedure", *NODE) if r["module"] == BOTH)
n.that((round(1000 * float(both["min_s"]), 3), both["min_processor"], round(1000 * float(both["max_s"]), 3)) == (5, "west", 10), f"a library, over all nodes: {both}")

# what one of two processes runs alone is no imbalance of a program that forks (the other waits for it, or is begun for something else), but of ranks
ELSEWHERE = ["node node_id=3 parent_id=0 mapping_id=2 address=8208 flags=0", *["sample_weighted time=6 node_id=3 state=0 weight=10"] * 40]
for ranks, told in (((-1, -1), False), ((0, 1), True)):
    k = MadeUp(sys.argv[1], sys.argv[2], sys.argv[3] + ".forks")
    for pid, rank, samples, more in ((51, ranks[0], (400, 0), ()), (52, ranks[1], (0, 0), ELSEWHERE)):
        k.process(pid, MINE, samples, BOTH, rank=rank, more=more)
    k.run("correlate", "-o", k.database, k.work)
    said = " ".join(k.run("report", k.database).split())
    k.that(("Imbalance: " in said) == told and (not told or "runs on rank 0 alone" in said), f"{ranks}: {said}")
    n.wrong += k.wrong
n.end()

# a rank that starts a program and a shell: what is started has its number, and is no rank more; the shell only starts others
w = MadeUp(sys.argv[1], sys.argv[2], sys.argv[3] + ".ranks")
for pid, rank, program, samples in ((31, 0, MINE, 40), (32, 0, OTHER, 3), (33, 0, "/bin/dash", 1), (34, 1, MINE, 50)):
    w.process(pid, program, (samples, 0), BOTH, rank=rank)
w.run("correlate", "-o", w.database, w.work)
w.that(w.run("report", w.database).startswith("worker, 2 MPI ranks of 2 programs\n"), f"ranks: {w.run('report', w.database)[:200]}")
rows = w.run("report", "--by=processor", w.database)
w.that([row for row in ("rank 0 worker", "rank 0 feeder", "rank 1 ", "dash") if row in rows] == ["rank 0 worker", "rank 0 feeder", "rank 1 "], f"names: {rows}")
w.end()
m.end()
