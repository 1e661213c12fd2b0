# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heatscope diff of runs with known samples: time that moved between a procedure and its caller is told as such, and nothing else is.
Usage: moved.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import csv
import io
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from made_up import MadeUp  # noqa: E402

HEATSCOPE, RECORDS, WORK = sys.argv[1:4]
made = []


def database(name, samples, in_line_ms=None, waiting=0):
    """Of one thread: samples in the program, and in a library that it calls; so many in the program that wait."""
    m = MadeUp(HEATSCOPE, RECORDS, os.path.join(WORK, name))
    usage = f"thread_usage thread_id=1 time=900 user_ns=400000000 system_ns=0 minor_faults=0 major_faults=0 voluntary_switches=0 involuntary_switches=0 run_ns=400000000 runnable_ns={in_line_ms}000000"
    m.process(7, "/made/up/program", samples, more=([] if in_line_ms is None else [usage]) + ["sample_weighted time=6 node_id=1 state=3 weight=1 event_id=0"] * waiting)
    m.run("correlate", "-o", m.database, m.work)
    made.append(m)
    return m


def compare(name, before, after, in_line_ms=(None, None)):
    a, b = database(name + "_a", before, in_line_ms[0]), database(name + "_b", after, in_line_ms[1])
    rows = {r["procedure"].strip("[]"): r for r in csv.DictReader(io.StringIO(a.run("diff", "--by=procedure", "--format=csv", a.database, b.database)))}
    a.that(set(rows) == {"program", "library.so"}, f"{name}: {sorted(rows)}")
    return a, rows["program"], rows["library.so"], " ".join(a.run("diff", a.database, b.database).split())


m, program, library, text = compare("moved", (315, 150), (16, 445))
m.that(program["beyond_noise"] == library["beyond_noise"] == "yes", f"moved: noise? {program} {library}")
m.that(program["moved"] == "to or from what it calls" and program["moved_with"] == "[program]", f"moved down: {program}")
m.that(library["moved"] == "to or from its caller" and library["moved_with"] == "[program]", f"moved up: {library}")
for row in (program, library):
    got = [float(row[f"together_{k}_s"]) for k in ("a", "b", "change_low", "change_high")]
    m.that(got[:2] == [0.465, 0.461] and got[2] <= -0.0039 and got[3] >= -0.0041, f"together: {row}") # both are all there is: known without sampling
m.that("with what it calls: 0.465 -> 0.461, -0.004" in text and "with its caller [program]: 0.465 -> 0.461" in text and text.count("it only moved") >= 2, f"moved:\n{text}")

m, program, library, text = compare("new", (465, 0), (16, 445))
m.that(library["moved"] == "to or from its caller", f"a new procedure: {library}")

for name, before, after in (("slower", (315, 150), (315, 445)),        # the library alone
                            ("faster", (315, 150), (16, 150)),         # the program alone
                            ("both", (315, 150), (16, 900)),           # more than moved
                            ("nothing", (315, 150), (310, 155))):
    m, program, library, text = compare(name, before, after)
    m.that(program["moved"] == library["moved"] == "no" and not program["together_a_s"] and "only moved" not in text, f"{name}: {program} {library}\n{text}")
# runs that were not alike balance anything: in one of them the thread had no processor for long
for in_line, alike in (((10, 20), True), ((10, 400), False), ((400, 380), True)):
    m, program, library, text = compare(f"line{in_line[1]}", (315, 150), (16, 445), in_line)
    m.that(("only moved" in text) == alike and (program["moved"] != "no") == alike, f"in line for {in_line} ms: {program}\n{text}")
# no time falls by more than itself, though an interval of seconds may begin beyond that
m = database("fall_a", (30, 5), waiting=40)
text = " ".join(m.run("diff", m.database, database("fall_b", (30, 5), waiting=1).database).split())
m.that("waiting 0.040 -> 0.001 s (-97.5 %, 95 % of sampling alone: -100.0 to -" in text, f"a fall:\n{text}")
for m in made:
    m.end()
