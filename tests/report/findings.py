# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Order and words of findings, of runs whose figures are known.
Usage: findings.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import re
import sys

from made_up import MadeUp

m = MadeUp(*sys.argv[1:4])


def findings():
    """The numbered sentences."""
    m.run("correlate", "-o", m.database, m.work)
    text = m.run("report", m.database).split("What stands out")[1].split("\n\n")[0]
    return [" ".join(x.split()) for x in re.split(r"\n *\d+\. ", text)[1:]]


# what makes figures doubtful is one finding, in front; precision and lesser cares one, at the end, with what helps. What measuring added is told of the clock's CPU time
lowered = ["rate thread_id=1 time=1 periods=16 cpu_ns=0 cost_ns=0 looked_ns=0 switches=0",
           *["sample_weighted time=6 node_id=1 state=0 weight=16 event_id=0"] * 40]
m.process(11, "/made/up/worker", (100, 0), more=lowered, own_ns=50000000, cpu_ns=600000000)
told = findings()
m.that(told[0] == "Care: the samples stand for 0.74 s, the clock says 0.6 s: shares hold, times are off by that ratio.", f"cares: {told}")
m.that(told[-1].startswith("Care: measuring added 9.1 % (50 ms): handler 9.1 %. Intervals are wide,"), f"what makes no fact doubtful comes behind them: {told}")
m.process(11, "/made/up/worker", (0, 236), cpu_ns=201000000, ends=False)
m.that("the clock says" not in " ".join(findings()), f"killed after the clock was read: {findings()}")
m.process(11, "/made/up/worker", (0, 161), cpu_ns=201000000, ends=False)
m.that("the samples stand for 0.161 s, the clock says 0.201 s" in " ".join(findings()), f"in figures that differ: {findings()}")

# code that cannot be looked at any more is told as such, not as never known
m.process(11, "/made/up/worker", (300, 0))
little = [x for x in findings() if x.startswith("Little is known")]
m.that(len(little) == 1 and "cannot be looked at (file is gone: No such file or directory). 'heatscope run' keeps a program by a hard link" in little[0] and "compiled" not in little[0], f"gone: {little}")
m.that(sum(x.startswith("Care") for x in told) == 2 and "'heatscope run --budget=5' lowers the rate only where samples cost more than 5 %" in told[-1] and "rate was lowered" in told[-1], f"precision: {told}")
m.that("samples for 740 periods tell as much as 53 for one each" in told[-1], f"740^2 / (100 + 40 * 256) = 53: {told[-1]}")

# what measuring added is told as the last line of a run does, with start and end: 49 ms to 990
m.process(11, "/made/up/worker", (1000, 0), own_ns=10000000, more=[
    "cost time=6 interrupt_ns=0 interrupt_measured=1 switch_ns=0 switch_far_ns=0 helper_ns=5000000 budget=0 longest_ns=0 start_ns=30000000 end_ns=4000000"])
told = findings()
m.that(told[-1] == "Care: measuring added 4.9 % (49 ms): start 3.0 %, handler 1.0 %, helper 0.5 %, end 0.4 %." and not told[0].startswith("Care"), f"what measuring added, behind the facts: {told}")

# with its interval, where that is a tenth of a percent or more: 1,000 interrupts of 10 us, 8 to 20 by the trial
handler = "handler_time thread_id=1 time=6 own_ns=10000000 median_ns=0 p90_ns=0 p99_ns=0 runs=1000 wrappers_ns=0 switches_ns=5000000"
for least, most, words in ((8000, 20000, "5.0 % (~4.8 to 6.6 %, 49 ms)"), (0, 0, "5.0 % (49 ms)")):
    m.process(11, "/made/up/worker", (1000, 0), own_ns=10000000, more=[handler,
        f"cost time=6 interrupt_ns=10000 interrupt_measured=1 switch_ns=0 switch_far_ns=0 helper_ns=5000000 budget=0 longest_ns=0 start_ns=15000000 end_ns=4000000 "
        f"interrupt_least_ns={least} interrupt_most_ns={most} switches_least=1000 switches_most=1200"])
    told = findings()
    m.that(told[-1].startswith(f"Care: measuring added {words}: start 1.5 %, handler 1.0 %, signals 1.0 %, ") and "yields" not in told[-1], f"an interval: {told}")

# of little told, but with yields whose switches may have taken 100 times what is told of switches
m.process(11, "/made/up/worker", (1000, 0), own_ns=1000000, more=[handler.replace("own_ns=10000000", "own_ns=1000000"),
    "cost time=6 interrupt_ns=1000 interrupt_measured=1 switch_ns=0 switch_far_ns=0 helper_ns=0 budget=0 longest_ns=0 start_ns=0 end_ns=0 "
    "interrupt_least_ns=1000 interrupt_most_ns=1000 switches_least=1000 switches_most=100000"])
told = findings()
m.that(told[-1].startswith("Care: measuring added 0.7 % (~0.7 to 50.6 %, 7 ms): ") and "yields its processor as often" in told[-1] and "--mechanism=timer-cpu" in told[-1],
       f"yields: {told}")

# as large an upper end of dear signals is not of yields
m.process(11, "/made/up/worker", (1000, 0), own_ns=1000000, more=[handler.replace("own_ns=10000000", "own_ns=1000000").replace("switches_ns=5000000", "switches_ns=0"),
    "cost time=6 interrupt_ns=30000 interrupt_measured=1 switch_ns=0 switch_far_ns=0 helper_ns=0 budget=0 longest_ns=0 start_ns=0 end_ns=0 "
    "interrupt_least_ns=20000 interrupt_most_ns=300000 switches_least=1000 switches_most=1400"])
told = findings()
m.that("(~2.2 to 31.1 %" in told[-1] and "yields" not in told[-1], f"dear signals: {told}")

# what samples met in our wrappers beyond what these were timed with is told: 150 of 1000, or 15 %, where the ledger has 1; not where it is within the interval
wrappers = "handler_time thread_id=1 time=6 own_ns=0 median_ns=0 p90_ns=0 p99_ns=0 runs=0 wrappers_ns={} switches_ns=0"
cost = "cost time=6 handler_ns=0 signals_ns=0 probes_ns=0 switches_ns=0 wrappers_ns={} interrupt_ns=0 interrupt_measured=1 switch_ns=0 switch_far_ns=0 helper_ns=0 budget=0 longest_ns=0 start_ns=0 end_ns=0"
for library, timed_ms, there in (("libheatscope-rt.so", 10, True), ("libheatscope-rt.so", 140, False), ("library.so", 10, False)):
    m.process(11, "/made/up/worker", (850, 150), library="/made/up/" + library, own_ns=timed_ms * 1000000,
              more=[wrappers.format(timed_ms * 1000000), cost.format(timed_ms * 1000000)])
    told = findings()
    told_here = [x for x in told if "amples met Heatscope's wrappers and probes" in x]
    m.that(bool(told_here) == there, f"{library} {timed_ms} ms: {told}")
    if there:
        m.that(told[1] == told_here[0] and told[1].startswith("Care: ") and "for 0.15 s, 15.0 % (12.9 to 17.3 %), of which only 1.0 % is in what measuring added" in told[1], f"not timed: {told}")

# in wrappers of calls that look in vain: 300 of 1000 waited there. Whether that is a cost nothing tells, so both are said; not of other libraries
for library, there in (("libheatscope-mpi.so", True), ("library.so", False)):
    m.process(11, "/made/up/worker", (699, 1), library="/made/up/" + library, more=["sample_weighted time=6 node_id=2 state=3 weight=1 event_id=0"] * 300)
    told = [x for x in findings() if "looked in vain" in x]
    m.that(len(told) == there and (not there or ("0.301 s of the samples, 30.1 % (27.3 to 33.0 %), met" in told[0] and "--no-messages" in told[0] and "wrappers and probes" not in told[0])), f"polls in {library}: {findings()}")

# few samples, at the rate asked for: no budget helps
m.process(11, "/made/up/worker", (100, 0))
told = findings()
m.that(told[-1].startswith("Care: intervals are wide, because there are few samples: with 100 a share") and "budget" not in told[-1], f"few: {told}")

# too few for shares: that is told instead of any, and no care about them
m.process(11, "/made/up/worker", (9, 0), own_ns=5000000, cpu_ns=90000000)
told = findings()
m.that(told[0].startswith("Hardly any CPU time: 0.009 s in samples, too few") and len(told) == 2 and "with 9 a share" in told[1], f"hardly any: {told}")
m.process(11, "/made/up/worker", (10, 0))
told = findings()
m.that(told[0].startswith("Hottest procedure") or "The hottest procedure" in told[0], f"enough: {told}")

# a hottest procedure of little time is told as what it is, and one that only calls libraries not at all
for samples, start in (((500, 0), None), ((20, 0), "No procedure takes more than 0.020 s, 2.0 % (1.3 to 3.1 %): "), ((0, 20), None)):
    m.process(11, "/made/up/worker", samples, more=["node node_id=3 parent_id=0 mapping_id=2 address=8224 flags=0", *["sample_weighted time=6 node_id=3 state=0 weight=1 event_id=0"] * 980])
    told = [x for x in findings() if "procedure" in x.split(":")[0]]
    m.that(len(told) == (sum(samples) == 500 or bool(start)) and (not told or told[0].startswith(start or "The hottest procedure takes 0.500 s, 33.8 %")), f"little: {samples} {told}")

# time in the kernel that faults do not explain is of system calls; that libraries poll is said where threads waited or passed messages for so long, as what may be
usage = "thread_usage thread_id=1 time=900 user_ns=200000000 system_ns=200000000 minor_faults=10 major_faults=0 voluntary_switches=0 involuntary_switches=0 run_ns=400000000 runnable_ns=0"
for state, there in ((0, False), (2, True)):
    longer = usage if there else usage.replace("=200000000", "=1200000000").replace("run_ns=400000000", "run_ns=2400000000")
    m.process(11, "/made/up/worker", (300, 0), more=[f"sample_weighted time=6 node_id=1 state={state} weight=1 event_id=0"] * 100 + [longer])
    told = [x for x in findings() if x.startswith("In the kernel")]
    m.that(len(told) == 1 and "too few to explain it: system calls" in told[0] and ("which may be those of libraries that wait actively" in told[0]) == there and (", or interrupts and signals" in told[0]) != there, f"state {state}: {told}")
    if not there:  # of a short run the kernel's word alone is not enough
        m.process(11, "/made/up/worker", (300, 0), more=["sample_weighted time=6 node_id=1 state=0 weight=1 event_id=0"] * 100 + [usage])
        m.that(not [x for x in findings() if x.startswith("In the kernel")], f"short: {findings()}")
m.that("switches between threads" not in told[0], f"hardly a switch: {told}")
usage = usage.replace("voluntary_switches=0 involuntary_switches=0", "voluntary_switches=10000 involuntary_switches=30001")
m.process(11, "/made/up/worker", (400, 0), more=[usage])
told = [x for x in findings() if x.startswith("In the kernel")]
m.that(len(told) == 1 and "too few to explain it: system calls, or interrupts and signals, as no sample is in a known one, and 40001 switches between threads, 30001 of them forced." in told[0], f"switches: {told}")
m.process(11, "/made/up/worker", (300, 0), more=["sample_weighted time=6 node_id=1 state=2 weight=1 event_id=0"] * 100 + [usage])
m.that(findings()[0].startswith("CPU time by what the threads were doing: computation 75"), f"whose time: {findings()}")

# threads too short for a sample are in no table; that others' samples stand for them is no fault of the clock: 0.1 + 40 * 0.2 ms + 160 * 0.2 ms = 0.14 s
chunk = "@chunk dynamic stream={} sequence={} t0=0 lost=0 slot=packed sealed schema=" + m.schema
short = ["sample_weighted time=6 node_id=1 state=0 weight=100 event_id=0"]
for k in range(2, 202):
    short += [chunk.format(k, 0), f'thread thread_id={k} tid={k} time=1 name="t" creator_id=1', "node node_id=1 parent_id=0 mapping_id=1 address=4112 flags=0",
              *["sample_weighted time=6 node_id=1 state=0 weight=1 event_id=0"] * (k < 42),
              f"progress thread_id={k} time=900 cpu_ns=200000 samples={int(k < 42)} lost=0 own_ns=0 ended=1 truncated=0"]
m.process(11, "/made/up/worker", (0, 0), cpu_ns=100000000, more=short + [chunk.format(1, 1)])
told = findings()
m.that("the clock says" not in " ".join(told), f"short threads: {told}")
head = " ".join(m.run("report", m.database).partition("\nmeasured")[0].split())
m.that(head.endswith("41 threads of 1 process; 0.140 s CPU time in 2.000 s and 160 threads too short for a sample, in no table: 0.032 s CPU time of these; "
                     "others of their kind stand for them"), f"short threads: {head}")

# Heatscope's own code is one row behind the program's; the table by itself has it as it is
m.process(11, "/made/up/worker", (100, 300), library="/made/up/libheatscope-rt.so")
m.run("correlate", "-o", m.database, m.work)
rows = m.run("report", m.database).partition("\nProcedures")[2].partition("\n\n")[0].splitlines()[2:]
m.that(rows[0].split()[:3] == ["1", "0.100", "25.0"] and "worker" in rows[0], f"the program first: {rows}")
m.that(rows[1].split()[:2] == ["0.300", "75.0"] and rows[1].endswith("Heatscope's probes and wrappers") and "libheatscope" not in "".join(rows), f"ours: {rows}")
m.that("libheatscope" in m.run("report", "--by=procedure", m.database), "left out of the whole table")
m.end()
