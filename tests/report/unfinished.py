# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that no end is recorded of: one that runs (this one), and one that was killed, with the kernel's counts that were not kept to the end; and how much those of two runs differ.
Usage: unfinished.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import os
import re
import socket
import sys

from made_up import MadeUp

m = MadeUp(*sys.argv[1:4])


def counts(user_ms, line_ms):
    return [f"thread_usage thread_id=1 time=800 user_ns={user_ms * 1000000} system_ns=0 minor_faults=3 major_faults=0 voluntary_switches=1 "
            f"involuntary_switches=2 run_ns={user_ms * 1000000} runnable_ns={line_ms * 1000000}"]


def text():
    m.run("correlate", "-o", m.database, m.work)
    return " ".join(m.run("report", m.database).split())


m.process(11, "/made/up/worker", (400, 0), more=counts(400, 600))
ended = text()
m.that("no end" not in ended and "still running" not in ended and "not counted" not in ended, f"an end is missed:\n{ended}")
m.that(" 3. No processor: for 0.6 s, 60.0 % of the 1 s" in ended and " 1. The hottest procedure" in ended, f"in line:\n{ended}")

# waits are elapsed time, in which standing in line is: where that is much of all they stand behind it, and behind what the program computes; else by their weight
waited = "wait node_id=1 kind=4 count=30 total_ns=1500000000 max_ns=90000000 bytes=0 bucket=25 buckets=[30] holder_thread_id=0 holder_node_id=0 open=0 told_ns=0 fork_thread_id=0 fork_node_id=0 time=800"
for line_ms, after in ((600, True), (60, False)):
    m.process(11, "/made/up/worker", (400, 0), more=[*counts(400, line_ms), waited])
    said = text()
    order = [said.find(x) for x in ("The hottest procedure", "No processor: ", "hreads of the program are blocked")]
    m.that(-1 not in order and (order[0] < order[1] < order[2] if after else order[2] < order[0] < order[1]), f"{line_ms} ms in line: {order}:\n{said}")

# a third of what it could have run is not what explains most else: behind what its own code has
m.process(11, "/made/up/worker", (400, 0), more=counts(400, 200))
less = text()
place = re.search(r" (\d+)\. No processor: for 0.2 s, 33.3 % of the 0.6 s", less)
m.that(place and int(place.group(1)) > 1, f"less in line:\n{less}")

# another run in line for longer: shares of 91 and 92 % are nearly the same, 1 s of 5 s that it could have run is not
for line_ms, told in ((4000, False), (5000, True)):
    other = os.path.join(m.work, "other.h5")
    m.process(11, "/made/up/worker", (400, 0), more=counts(400, line_ms))
    m.run("correlate", "-o", other, m.work)
    m.process(11, "/made/up/worker", (400, 0), more=counts(400, 3900))
    text()
    said = " ".join(m.run("diff", m.database, other).split())
    m.that(("stood in line for a processor for 3.9 s in A and 5 s in B" in said) == told and ("stood in line" in said) == told, f"{line_ms} in line: {said}")

# what was lost, and why, if most of it has one reason that tells something: no room, blocked; not what nothing tells of
for lost, why in (((90, 1), (30, 6)), "most of it since the measurement file had no room"), (((30, 1), (90, 6)), "most of it since the program blocked"), (((60, 1), (60, 6)), ""), (((90, 7),), ""):
    n = sum(count for count, _ in lost)
    m.process(11, "/made/up/worker", (400, 0), more=[f"loss thread_id=1 time=700 count={count} reason={reason}" for count, reason in lost], lost=n)
    said = text()
    expected = f"{100 * n / (400 + n):.1f} % of the CPU time is in no sample{', ' * bool(why)}{why}"
    m.that(expected in said and (why or f"{expected} (see the ledger)" in said), f"{lost}: {expected}:\n{said}")

# a process that ended, whose threads could not be looked at to the end (a sandbox); what ticks may be off by is not told
for user_ms, left in ((100, "another 0.3 s of CPU time came after"), (370, "")):
    m.process(11, "/made/up/worker", (400, 0), more=counts(user_ms, 100))
    said = text()
    m.that(left in said if left else "not counted" not in said, f"counts of {user_ms} ms in a process that ended:\n{said}")

m.process(11, "/made/up/worker", (400, 0), more=counts(100, 100), ends=False)
killed = text()
m.that("1 process recorded no end: ended by a signal (a fault, abort, kill, Ctrl-C), or still running when this was read" in killed, f"no end:\n{killed}")
m.that("not counted to the end: another 0.3 s of CPU time came after" in killed, f"stale counts:\n{killed}")
m.that("No processor: for 0.1 s, 50.0 % of the 0.2 s" in killed and "what ran last, 0.3 s of CPU time, is not counted" in killed, f"stale finding:\n{killed}")

m.process(os.getpid(), os.readlink("/proc/self/exe"), (10, 0), host=socket.gethostname(), ends=False)
running = text()
m.that("1 process is still running: what it had written is shown" in running and "1 process recorded no end" in running, f"running:\n{running}")
m.that("what was there is shown" in killed and "what was there is shown (" not in killed, f"the only process:\n{killed}")
m.that("what was there is shown (worker 11)" in running, f"which one:\n{running}")
for pid, last_ms in ((11, 400), (12, 300), (13, 20), (14, 200)): # that whose records end first is named first
    m.process(pid, "/made/up/worker", (10, 0), ends=False, more=[f"sample time={last_ms}000000 node_id=0 state=0"])
several = text()
m.that("4 processes recorded no end" in several and "what was there is shown (worker 13: last record at 0.020 s, worker 14: 0.200 s, worker 12: 0.300 s and 1 more)" in several,
       f"which ones, in which order:\n{several}")
m.end()
