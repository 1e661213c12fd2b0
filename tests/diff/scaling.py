# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two scales of a made-up program: the factors of the efficiency against their truth, and whose code comes first.
Usage: scaling.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from made_up import MadeUp  # noqa: E402

m = MadeUp(*sys.argv[1:4])


def measured(name, work, program="/made/up/solver", build_id="", in_line_ms=None):
    """Processes of one thread, with so many ms of computation in the program and of polling in a library, for 2 s; and in line for a processor, where that is known."""
    for left in glob.glob(os.path.join(m.work, "*.hsr")):
        os.remove(left)
    for pid, (computes, polls) in enumerate(work, 11):
        usage = [] if in_line_ms is None else [USAGE.format((computes + polls) * 1000000, in_line_ms * 1000000)]
        m.process(pid, program, (computes, polls), library="/made/up/libmpi.so", program_build_id=build_id, more=usage)
    database = os.path.join(m.work, name)
    m.run("correlate", "-o", database, m.work)
    return database


USAGE = ("thread_usage thread_id=1 time=900 user_ns={0} system_ns=0 minor_faults=0 major_faults=0 voluntary_switches=0 involuntary_switches=0 "
         "run_ns={0} runnable_ns={1}")


def differ(a, b, *options):
    return json.loads(m.run("diff", "--format=json", *options, a, b)), m.run("diff", *options, a, b)


def near(value, truth, what):
    m.that(abs(value - truth) < 1e-6, f"{what}: {value}, expected {truth}")


def check(what, a, work_a, b, work_b, least, weak=False):
    found, text = differ(a, b, *(["--scaling=weak"] if weak else []))
    for side, work in (("a", work_a), ("b", work_b)):
        computes = [c for c, _ in work]
        elapsed = found[f"elapsed_{side}_s"]
        near(found[f"load_balance_{side}"], sum(computes) / len(computes) / max(computes), f"{what}: load balance of {side}")
        near(found[f"communication_efficiency_{side}"], max(computes) / 1000 / elapsed, f"{what}: communication of {side}")
        near(found[f"parallel_efficiency_{side}"], sum(computes) / 1000 / (elapsed * len(work)), f"{what}: parallel efficiency of {side}")
    grown = len(work_b) / len(work_a)
    near(found["computation_scaling"], sum(c for c, _ in work_a) / sum(c for c, _ in work_b) * (grown if weak else 1), f"{what}: computation")
    # all factors together are the speed-up by the ideal one
    whole = found["parallel_efficiency_b"] / found["parallel_efficiency_a"] * found["computation_scaling"]
    near(whole, found["elapsed_a_s"] / found["elapsed_b_s"] / (1 if weak else grown), f"{what}: product")
    flat = " ".join(text.split())
    m.that(least in flat and f"= {100 * whole:.1f} % of A's efficiency" in flat, f"{what}: {least}, {whole}\n{text}")
    m.that(not [line for line in text.splitlines() if len(line) > 80], f"{what}: longer than 80 columns\n{text}")
    return text


two = [(400, 100), (400, 100)]
a = measured("a.h5", two)
uneven = [(320, 400), (160, 700), (160, 700), (160, 700)]
text = check("uneven", a, two, measured("uneven.h5", uneven), uneven, "Loss: most is imbalance of the computation (to 62.5 %)")
m.that(" 100.0~ " in text and " 62.5  " in text and " 62.5~" not in text, f"chance:\n{text}")
_, text = differ(measured("little.h5", [(1, 1)]), a)
m.that("CPU time: 0.002 s -> 1.000 s, +0.998 s (>9999 %)" in " ".join(text.split()), f"five hundred times as much:\n{text}")
few = [(12, 2), (12, 2)]  # the same shares, of samples so few that even work looks like that
uneven = [(12, 2), (6, 2), (6, 2), (6, 2)]
text = check("few", measured("few_a.h5", few), few, measured("few_b.h5", uneven), uneven, "Loss: most is imbalance of the computation, which chance alone explains")
m.that(" 62.5~ " in text, f"few samples:\n{text}")
grown = [(800, 100)] * 4
check("more work", a, two, measured("grown.h5", grown), grown, "Loss: most is computation that did not scale")
waits = [(200, 1600)] * 4
scaled = measured("waits.h5", waits)
text = check("waits", a, two, scaled, waits, "Loss: most is time outside of computation (to 50.0 %)")
same = [(400, 100)] * 4
check("weak", a, two, measured("weak.h5", same), same, "none of these factors lost more than 2 %", weak=True)

# where threads stood in line for more than half of the time that they could have run, elapsed time is no measure: dashes, and why
lines = {ms: measured(f"line{ms}.h5", same, in_line_ms=ms) for ms in (480, 1500)}
for ms, crowded in ((480, False), (1500, True)):
    found, said = differ(a, lines[ms])
    head = said.partition("Procedures")[0]
    flat = " ".join(head.split())
    m.that((found["communication_efficiency_b"] is None) == crowded and (found["parallel_efficiency_b"] is None) == crowded, f"in line {ms} ms: {found}")
    near(found["load_balance_b"], 1, "balance")
    near(found["computation_scaling"], 0.5, "computation")
    m.that(("B - 100.0~ - 4" in flat) == crowded and ("B of A - 100.0 -" in flat) == crowded, f"in line {ms} ms: dashes\n{said}")
    m.that(("not told: threads stood in line for a processor for 75 % (B) of the time" in flat) == crowded, f"in line {ms} ms: why\n{said}")
    m.that(("of 2 (50 %)" in flat) != crowded and ("of A's efficiency" in flat) != crowded and ("Loss:" in flat) != crowded, f"in line {ms} ms: speed-up\n{said}")
several = m.run("diff", a, lines[480], lines[1500])
rows = {line.split()[0]: line.split() for line in several.partition("comput. others")[2].splitlines()[1:4]}
m.that(rows["B"][4] == "50.0" and rows["B"][6] == "100.0" and "-" not in rows["B"], f"several, B: {rows}\n{several}")
m.that(rows["C"][4] == "-" and rows["C"][6:] == ["-", "50.0", "|", "-", rows["C"][10], "-"], f"several, C: {rows}\n{several}")
m.that("not told: threads stood in line for a processor for 75 % (C) of the time" in " ".join(several.split()), f"several: why\n{several}")
groups = json.loads(m.run("diff", "--format=json", a, lines[480], lines[1500]))["groups"]
m.that([g["efficiency"] is None for g in groups] == [False, False, True] and [g["communication_efficiency"] is None for g in groups] == [False, False, True], f"several: {groups}")

# the program's own procedure comes first, within noise though it is, with speed-up and efficiency; the library's has none
told = text.partition("Procedures")[2].partition("Lines")[0].splitlines()
places = [next((i for i, line in enumerate(told) if name in line), None) for name in ("solver", "libraries: ", "libmpi")]
m.that(None not in places and places == sorted(places), f"order: {places}\n{text}")
if None not in places:
    m.that(" 2.00 " in told[places[0]] and " 100 " in told[places[0]], f"speed-up: {told[places[0]]}")
    m.that(told[places[2]].count(" - ") == 2, f"a library's speed-up: {told[places[2]]}")
m.that("load balance" not in m.run("diff", a, a), "factors of one scale")

# CPU time that only waits more is told as that, beside the computation that did not change; one build under two names is no other program
polls = [(401, 300), (401, 300)]
for name, program, first, second, words in (("renamed", "/made/up/solver.new", "0a0b", "0a0b", "This is the same build under two names."),
                                            ("other", "/made/up/solver.new", "0a0b", "0a0c", "These are different programs"),
                                            ("rebuilt", "/elsewhere/solver", "0a0b", "0a0c", "")):
    found, text = differ(measured(f"{name}_a.h5", two, build_id=first), measured(f"{name}_b.h5", polls, program, second))
    head = " ".join(text.partition("Elapsed")[0].split())
    m.that(words in head and ("These are" in head or "This is" in head) == bool(words), f"{name}: {words}\n{text}")
    m.that(text.startswith("A 2 processes, ".replace(" ", "  ", 1)), f"{name}: processes\n{text}")
    what = {c["category"]: c for c in found["categories"]}
    m.that([c["category"] for c in found["categories"]][1:] == ["computation"], f"{name}: order {found['categories']}")
    near(what["computation"]["a_s"], 0.8, f"{name}: computation of a")
    near(what["computation"]["b_s"], 0.802, f"{name}: computation of b")
    other = found["categories"][0]
    near(other["b_s"] - other["a_s"], 0.4, f"{name}: {other}")
    m.that(other["change_low_s"] <= 0.4 <= other["change_high_s"] and other["change_low_s"] > 0 and other["beyond_noise"] == "yes", f"{name}: interval {other}")
    m.that(f"of it: {other['category']} 0.200 -> 0.600 s (+200.0 %, 95 % of sampling alone: +" in head and "; computation 0.800 -> 0.802 s (+0.2 %, within noise)" in head, f"{name}: categories\n{text}")
found, text = differ(measured("all_a.h5", [(400, 0)] * 2), measured("all_b.h5", [(500, 0)] * 2))
m.that("of it:" not in text and [c["category"] for c in found["categories"]] == ["computation"], f"nothing but computation:\n{text}")
m.end()
