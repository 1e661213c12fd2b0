# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heatscope diff of runs in other environments: the variables that differ are told, and only where those of both are known.
Usage: environment.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from made_up import MadeUp  # noqa: E402

m = MadeUp(*sys.argv[1:4])
HEAD = "Care: the environment of B is another one, "


def database(name, environment):
    for left in glob.glob(os.path.join(m.work, "*.hsr")):
        os.remove(left)
    for rank, one in enumerate(environment if environment and isinstance(environment[0], list) else [environment]):
        m.process(11 + rank, "/made/up/solver", (400, 100), program_build_id="0a0b", build_id="0a0c", environment=one)
    m.run("correlate", "-o", os.path.join(m.work, name), m.work)
    return os.path.join(m.work, name)


def told(*databases):
    return " ".join(m.run("diff", *databases).split())


old, none = database("old.h5", None), database("none.h5", [])
one = database("one.h5", ["OMP_WAIT_POLICY=passive", "KMP_BLOCKTIME=0", "LD_PRELOAD=/made/up/liballoc.so"])
same = database("same.h5", ["LD_PRELOAD=/made/up/liballoc.so", "KMP_BLOCKTIME=0", "OMP_WAIT_POLICY=passive"])
two = database("two.h5", ["OMP_WAIT_POLICY=active", "OMP_NUM_THREADS=", "KMP_BLOCKTIME=0", "LD_PRELOAD=/made/up/liballoc.so", "OMP_WAIT=1"])
ranks = database("ranks.h5", [["OMP_NUM_THREADS=4"], ["OMP_NUM_THREADS=2"], ["OMP_NUM_THREADS=4"], []])
turned = database("turned.h5", [["OMP_NUM_THREADS=2"], [], ["OMP_NUM_THREADS=4"], None])
four = database("four.h5", 4 * [["OMP_NUM_THREADS=4"]])
many = database("many.h5", [f"OMP_NUMBER_{i:02}={'x' * 100}" for i in range(30)])
for what, a, b, words in (("where nothing was recorded", old, one, None), ("nor there", one, old, None), ("none set, in both", none, none, None), ("another order", one, same, None),
                          ("set there", none, one, "KMP_BLOCKTIME: not set -> 0; LD_PRELOAD: not set -> /made/up/liballoc.so; OMP_WAIT_POLICY: not set -> passive Care:"),
                          ("set here", one, none, "KMP_BLOCKTIME: 0 -> not set; LD_PRELOAD: /made/up/liballoc.so -> not set; OMP_WAIT_POLICY: passive -> not set Care:"),
                          ("in ranks", ranks, turned, None), ("in some ranks", ranks, four, "OMP_NUM_THREADS: 2 or 4 or not set -> 4 Care:"),
                          ("other values", one, two, "OMP_NUM_THREADS: not set -> empty; OMP_WAIT: not set -> 1; OMP_WAIT_POLICY: passive -> active Care:")):
    text = told(a, b)
    m.that(HEAD + words in text if words else HEAD not in text, f"{what}: {words}\n{text}")
    m.that(("what differs is the machine, the environment, the input" in text) == (old in (a, b)) and ("what differs is that, the machine" in text) == bool(words), f"{what}: why\n{text}")
text = told(none, many)
m.that(HEAD + "OMP_NUMBER_00: not set -> " + "x" * 60 + "...;" in text and " more Care:" in text, f"many\n{text}")
text = told(none, one, two)
m.that("the environment of B is another one" in text and "the environment of C is another one" in text, f"several\n{text}")
head = " ".join(m.run("report", ranks).split("What stands out")[0].split())
m.that(" environ OMP_NUM_THREADS=2 (1 process) or 4 (2) or not set (1) measured " in head, f"report\n{head}")
head = " ".join(m.run("report", two).split("What stands out")[0].split())
m.that(" environ KMP_BLOCKTIME=0, LD_PRELOAD=/made/up/liballoc.so, OMP_NUM_THREADS=empty, OMP_WAIT=1, OMP_WAIT_POLICY=active measured " in head, f"report\n{head}")
for nothing in (old, none):
    m.that("environ" not in m.run("report", nothing).split("What stands out")[0], f"report of {nothing}")
m.end()
