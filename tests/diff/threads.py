# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How large a run of threads is: as many as compute at the same time. A made-up program whose main thread waits, or computes alone, whose pools come one after
the other, whose threads share a processor. Usage: threads.py HEATSCOPE RECORDS.TXT WORK"""
import csv
import glob
import io
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from made_up import MadeUp  # noqa: E402

m = MadeUp(*sys.argv[1:4])
MS = 1000000


def measured(name, threads, build_id="", in_line=None, arguments=()):
    """threads: of each the times in ms, [begin, end), at which it has a sample every ms; in_line: ms that each was ready to run without a processor; arguments: of the program."""
    command = ",".join(f'"{a}"' for a in ("/made/up/solver", *arguments))
    for left in glob.glob(os.path.join(m.work, "*.hsr")):
        os.remove(left)
    chunk = "@chunk dynamic stream={} sequence=0 t0=0 lost=0 slot=packed sealed schema=" + m.schema
    lines = m.head + [
        chunk.format(0),
        f'process pid=7 parent_pid=1 rank=-1 ranks=0 host="h" executable="/made/up/solver" arguments=[{command}] directory="/" start_unix_ns=1000000007 '
        'start_ns=0 mechanism="perf-cpu-clock" mechanism_note="" period_ns=1000000 processors=2 runtime_version="" job=""',
        f'mapping mapping_id=1 address=4096 size=4096 bias=0 path="/made/up/solver" build_id=<{build_id}> file_size=1 file_mtime_ns=1 time=1']
    for i, bursts in enumerate(threads, 1):
        times = [t for begin, end in bursts for t in range(begin, end)]
        born, died = (1, 1000) if i == 1 else (bursts[0][0], bursts[-1][1])
        lines += [chunk.format(i), f'thread thread_id={i} tid={i} time={born * MS} name="t" creator_id=0', "node node_id=1 parent_id=0 mapping_id=1 address=4112 flags=0",
                  *[f"sample time={t * MS} node_id=1 state=0" for t in times],
                  *([f'thread_usage thread_id={i} time={died * MS} user_ns={len(times) * MS} system_ns=0 minor_faults=0 major_faults=0 voluntary_switches=0 '
                     f'involuntary_switches=0 run_ns={len(times) * MS} runnable_ns={in_line * MS} name="t"'] if in_line is not None else []),
                  f"progress thread_id={i} time={died * MS} cpu_ns={len(times) * MS} samples={len(times)} lost=0 own_ns=0 ended=1 truncated=0"]
    lines += [f"process_end time={1000 * MS} cpu_ns={sum(e - b for t in threads for b, e in t) * MS} how=0", ""]
    m.run("dump", "--undump", "-", "-o", os.path.join(m.work, "h.7.hsr"), text="\n".join(lines))
    database = os.path.join(m.work, name)
    m.run("correlate", "-o", database, m.work)
    return database


waits = [(1, 3)]  # a main thread that makes others and waits for them
by_turns = [[(b, b + 50) for b in range(k, 1000, 100)] for k in (0, 50)]
cases = {  # of A, of B: threads, how many at a time, computation of the one that has most over all
    "pools": ([waits, [(100, 900)], [(900, 920)]], 1, [waits, [(100, 500)], [(100, 500)], [(520, 530)], [(520, 530)]], 2),
    "main": ([[(1, 100), (900, 999)], [(100, 900)]], 1, [[(1, 100), (300, 500)]] + [[(100, 300)]] * 4, 4),
    "hands out": ([[(1, 900)]], 1, [[(b, b + 3) for b in range(100, 900, 100)], [(100, 900)], [(100, 900)]], 2),
    "works too": ([[(1, 900)]], 1, [[(1, 400)], [(100, 400)], [(100, 400)]], 3),
}
made = {}
pools_of_four = [waits] + [[(100, 300)]] * 4 + [[(310, 320)]] * 4
for name, (a, size_a, b, size_b) in cases.items():
    made[name] = measured(f"{name}_a.h5", a), measured(f"{name}_b.h5", b)
    found, text = json.loads(m.run("diff", "--format=json", *made[name])), m.run("diff", *made[name])
    m.that((found["size_a"], found["size_b"]) == (size_a, size_b), f"{name}: size {found['size_a']}, {found['size_b']}\n{text}")
    m.that(f"{size_a} -> {size_b} threads" in text, f"{name}: scaling\n{text}")
    m.that(("computed at the same time" in " ".join(text.split())) == (len(b) > size_b or len(a) > size_a), f"{name}: words\n{text}")
    m.that(not [line for line in text.splitlines() if len(line) > 80], f"{name}: longer than 80 columns\n{text}")
    if name == "pools":
        m.that(found["load_balance_a"] == 1 and abs(found["load_balance_b"] - 822 / 2 / 412) < 1e-3, f"balance: {found}")
        m.that("2 threads at a time (of 5), " in text, f"head:\n{text}")
# two that share a processor by turns are two, where the kernel says that each stood in line; runs of as many threads are of one size
shared = measured("shared.h5", by_turns, in_line=450)
turns = measured("turns.h5", by_turns, in_line=0)
for a, b, sizes in ((made["works too"][0], shared, (1, 2)), (made["works too"][0], turns, (1, 1)), (turns, shared, (2, 2))):
    found = json.loads(m.run("diff", "--format=json", a, b))
    m.that((found["size_a"], found["size_b"]) == sizes, f"by turns: {found['size_a']}, {found['size_b']}, expected {sizes}")
found = json.loads(m.run("diff", "--format=json", turns, shared, ":", *[made["works too"][1]] * 2))
m.that([g["processors"] for g in found["groups"]] == [2, 3], f"repeats: {found['groups']}")

# several, and what the user says
four = measured("four.h5", pools_of_four)
document = json.loads(m.run("diff", "--format=json", *made["pools"], four))
m.that([g["processors"] for g in document["groups"]] == [1, 2, 4], f"several: {document['groups']}")
text = m.run("diff", *made["pools"], four)
m.that("computed at the same time" in " ".join(text.split()), f"several:\n{text}")
document = json.loads(m.run("diff", "--format=json", "--size=1,2,3", *made["pools"], four))
m.that([g["processors"] for g in document["groups"]] == [1, 2, 3], f"given: {document['groups']}")
text = m.run("diff", "--size=2,6", *made["pools"])
m.that("2 -> 6 threads" in text and "6 threads (as given)" in text, f"given:\n{text}")
rows = list(csv.DictReader(io.StringIO(m.run("diff", "--by=procedure", "--format=csv", *made["pools"], four))))
m.that(abs(float(rows[0]["each_b_s"]) - 0.411) < 0.003, f"each: {rows[0]}")
for words, what in ((["--size=1,2,3", *made["pools"]], "expected 2 numbers"), (["--size=0,2", *made["pools"]], "numbers from 1 on"), (["--size=1,x", *made["pools"]], "numbers from 1 on")):
    done = subprocess.run([m.heatscope, "diff", *words], capture_output=True, text=True)
    m.that(done.returncode == 2 and what in done.stderr, f"{words}: {done.returncode} {done.stderr}")

# one line for each kind of care
lines = [measured(f"line{k}.h5", [[(1, 400)]], in_line=k) for k in (0, 300, 200)]
told = [" ".join(c.split()) for c in m.run("diff", *lines).split("Care: ")[1:]]
m.that(any(c.startswith("threads stood in line for a processor for 0 s in A and 0.3 s in B, 0.2 s in C: elapsed times differ for that") for c in told), f"cares: {told}")
m.that(sum("so crowded a machine" in c for c in told) == 1, f"crowded: {told}")
m.that(len(told) == len({c[:20] for c in told}), f"cares: {told}")

# one build in both: what changed is not the program; said of no other build, and of no other scale
a, b = measured("same_a.h5", [[(1, 900)]], "0a0b"), measured("same_b.h5", [[(1, 400)]], "0a0b")
other, scaled = measured("other.h5", [[(1, 400)]], "0a0c"), measured("scaled.h5", [[(1, 400)], [(1, 400)]], "0a0b")
for x, y, told in ((a, b, True), (a, other, False), (a, scaled, False), (a, a, False)):
    m.that(("nothing was changed in the program" in " ".join(m.run("diff", x, y).split())) == told, f"same build {x} {y}: {told}")

# other arguments are told where the sizes differ, too, and of what is no computing without the kernel's word on time in line nobody knows what it was
told = " ".join(m.run("diff", measured("args_a.h5", [[(1, 900)]], arguments=["-n", "1"]), measured("args_b.h5", [[(1, 400)], [(1, 400)]], arguments=["-n", "2"])).split())
m.that("Scaling" in told and "the program had other arguments, '-n 1' in A and '-n 2' in B: it may have had other work to do, and what is told of scaling takes it" in told, f"arguments: {told}")
m.that("not running (blocked, or in line for a processor)" in told, f"not running: {told}")

# the program is one build, its library not: that is told instead, and of one that only one of the runs has
def with_library(name, path, build_id, samples=(300, 700)):
    for left in glob.glob(os.path.join(m.work, "*.hsr")):
        os.remove(left)
    m.process(7, "/made/up/solver", samples, library=path, build_id=build_id, program_build_id="0a0b")
    m.run("correlate", "-o", os.path.join(m.work, name), m.work)
    return os.path.join(m.work, name)


first = with_library("lib_a.h5", "/made/up/old/libwork.so", "0c0d")
for b, says in ((with_library("lib_b.h5", "/made/up/libwork.so", "0c0d"), None), (with_library("lib_c.h5", "/made/up/libwork.so", "0c0e"), "libwork.so, 70.0 % of A's time"),
                (with_library("lib_d.h5", "/made/up/libother.so", "0c0f", (950, 50)), "libwork.so (not in B), 70.0 % of A's time; libother.so (not in A), 5.0 % of B's time")):
    text = " ".join(m.run("diff", first, b).split())
    m.that(("nothing was changed in the program" in text) == (says is None), f"{b}: {text}")
    m.that(says is None or f"the program is the same build, but not all that it loads: {says}" in text, f"{b}: {text}")
m.end()
