# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples in calls of message passing of which it is known how long they waited, in made-up files: waiting before the late one came, else not; always the bytes of a
join that reads all files. Usage: waited.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, RECORDS, WORK = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3])
MS = 1_000_000
SENT, RECEIVED, COLLECTIVE, BEGUN, INEXACT, LOOKED, FOLLOWS = 1, 2, 4, 8, 64, 256, 512
COMPUTATION, COMMUNICATION, WAITING, SYNCHRONISATION = 1, 2, 3, 4
SEND, RECEIVE, ALLREDUCE, BARRIER = 1, 2, 3, 4
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": os.path.join(WORK, "keys")}
wrong = []


def that(condition, *complaint):
    if not condition:
        wrong.append(" ".join(map(str, complaint)))


def run(*command, text=None):
    done = subprocess.run([HEATSCOPE, *command], capture_output=True, text=True, input=text, env=ENVIRONMENT)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


with open(RECORDS, encoding="utf-8") as f:
    lines = f.read().split("\n")
HEAD = lines[:next(i for i, line in enumerate(lines[2:], 2) if line.startswith("@chunk"))]
SCHEMA = lines[1].split("schema=")[1].split()[0]


def chunk(stream):
    return f"@chunk dynamic stream={stream} sequence=0 t0=0 lost=0 slot=packed sealed schema={SCHEMA}"


def process(folder, rank, records, weighted=()):
    """records: by time, of thread 1: (time, text)."""
    texts = [text for _, text in sorted(records, key=lambda r: r[0])]
    n = sum(text.startswith("sample ") for text in texts) + sum(weighted)
    body = HEAD + [
        chunk(0),
        f'process pid={100 + rank} parent_pid=1 rank={rank} ranks=2 host="h" executable="/nowhere/program" arguments=["program"] directory="/" '
        'start_unix_ns=1000000000 start_ns=0 mechanism="perf-cpu-clock" mechanism_note="" period_ns=1000000 processors=2 runtime_version="" job=""',
        'mapping mapping_id=1 address=0 size=4096 bias=0 path="/nowhere/program" build_id=<> file_size=1 file_mtime_ns=1 time=1',
        'mapping mapping_id=2 address=65536 size=4096 bias=65536 path="/nowhere/libmpi.so" build_id=<> file_size=1 file_mtime_ns=1 time=1',
        'operation operation_id=1 name="MPI_Send" kind=1 state=2', 'operation operation_id=2 name="MPI_Recv" kind=2 state=3',
        'operation operation_id=3 name="MPI_Allreduce" kind=8 state=2', 'operation operation_id=4 name="MPI_Barrier" kind=7 state=4',
        f'message_system time=1 library="Open MPI" version="1" rank={rank} ranks=2 thread_level=0 understood=1 machine=0x1 clock=0x1',
        f"communicator communicator_id=1 key=0x7 parent_id=0 kind=0 rank={rank} size=2 remote_size=0 first=0 members=[] time=1",
        chunk(1), 'thread thread_id=1 tid=1 time=1 name="t" creator_id=0',
        *[f"node node_id={i} parent_id={int(i > 1)} mapping_id=1 address={16 * i} flags=0" for i in range(1, 7)], "node node_id=7 parent_id=4 mapping_id=2 address=16 flags=0",
        "node node_id=8 parent_id=3 mapping_id=2 address=32 flags=0", *texts,
        f"progress thread_id=1 time={1900 * MS} cpu_ns={n * MS} samples={n} lost=0 own_ns=0 ended=1 truncated=0", f"process_end time={2000 * MS} cpu_ns={n * MS} how=0", ""]
    os.makedirs(folder, exist_ok=True)
    run("dump", "--undump", "-", "-o", os.path.join(folder, f"h.{100 + rank}.hsr"), text="\n".join(body))


def samples(begin, end, node, state):
    """One in the middle of each millisecond; begin, end: ms."""
    return [(t * MS + MS // 2, f"sample time={t * MS + MS // 2} node_id={node} state={state}") for t in range(begin, end)]


def event(begin, end, operation, flags, peer, sequence, size=8, begun=0):
    return (int(end * MS), f"message_event time={int(begin * MS)} duration_ns={int((end - begin) * MS)} node_id={operation + 2} operation_id={operation} flags={flags} communicator_id=1 "
            f"peer={peer} tag={-1 if flags & COLLECTIVE else 0} sequence={sequence} bytes={size} begin_thread_id=0 begin_node_id=0 begin_ns={begun}")


def call(begin, end, operation, flags, peer, sequence, state, **more):
    return samples(begin, end, operation + 2, state) + [event(begin, end, operation, flags, peer, sequence, **more)]


# ms by the rank's category. First a collective operation, rank 1 is 80 ms late; then a receive whose sender is 90 ms late; then one whose message was sent before: it moves data.
# A barrier; a call that is known by nothing but its samples; one of which the order is not sure; and a sample that stands for ten
FIRST = [*samples(0, 100, 2, 0), *call(100, 200, ALLREDUCE, COLLECTIVE, -1, 0, COMMUNICATION), *call(300, 400, RECEIVE, RECEIVED, 1, 0, WAITING),
         *call(500, 540, RECEIVE, RECEIVED, 1, 1, WAITING, size=1 << 20), *call(600, 650, BARRIER, COLLECTIVE, -1, 1, SYNCHRONISATION), *samples(700, 705, 4, WAITING),
         *samples(710, 713, 3, COMMUNICATION), *call(720, 750, RECEIVE, RECEIVED | INEXACT, 1, 2, WAITING), *call(800, 900, ALLREDUCE, COLLECTIVE, -1, 2, COMMUNICATION)[-1:],
         *[(t * MS, f"sample_weighted time={t * MS} node_id=5 state=2 weight=10 event_id=0") for t in range(805, 900, 10)]]
SECOND = [*samples(0, 180, 2, 0), *call(180, 200, ALLREDUCE, COLLECTIVE, -1, 0, COMMUNICATION), *samples(200, 390, 2, 0), event(390, 390.002, SEND, SENT, 0, 0),
          *samples(391, 489, 2, 0), *call(490, 540, SEND, SENT, 0, 1, COMMUNICATION, size=1 << 20), *samples(540, 640, 2, 0), *call(640, 650, BARRIER, COLLECTIVE, -1, 1, SYNCHRONISATION),
          event(850, 900, ALLREDUCE, COLLECTIVE, -1, 2)]
WANTED = {"computation": (100, 568), "communication": (20 + 10 + 40 + 3 + 50, 20 + 40), "waiting": (80 + 90 + 40 + 5 + 30 + 50, 10), "synchronisation": (10, 10)}
IN_FIRST_CALL = {"computation": (0, 80), "communication": (20, 20), "waiting": (80, 0)}

shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
RUN, OTHER, OUT, WHOLE = (os.path.join(WORK, name) for name in ("run", "other", "out.h5", "whole.h5"))
process(RUN, 0, FIRST, [10] * 10)
process(RUN, 1, SECOND)


def categories(database, *options):
    rows = csv.DictReader(io.StringIO(run("report", "--by=category", "--format=csv", *options, database)))
    return {r["category"]: tuple(round(1000 * float(r[k])) for k in ("inclusive_s", "min_s", "max_s")) for r in rows if float(r["inclusive_s"])}


def pairs(wanted):
    return {name: (a + b, min(a, b), max(a, b)) for name, (a, b) in wanted.items()}


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


run("correlate", "-q", "--cache=none", "-j1", "-o", WHOLE, RUN)
that(categories(WHOLE) == pairs(WANTED), f"by category: {categories(WHOLE)}, not {pairs(WANTED)}")
that(categories(WHOLE, "--interval=0.1:0.2") == pairs(IN_FIRST_CALL), f"in the first call: {categories(WHOLE, '--interval=0.1:0.2')}")
ledger = {r["name"]: float(r["time_s"]) for r in csv.DictReader(io.StringIO(run("report", "--by=ledger", "--format=csv", WHOLE))) if r["meaning"] == "[recorded] by category"}
that({k: round(1000 * v) for k, v in ledger.items() if v} == {k: a + b for k, (a, b) in WANTED.items()}, f"ledger: {ledger}")

run("correlate", "-q", "--cache=none", "-j3", "--memory=1M", "-o", OUT, RUN)
that(bytes_of(OUT) == bytes_of(WHOLE), "three workers: other bytes")
os.remove(OUT)
# rank 0 alone waits for nobody; once rank 1 is there, the values that rank 0 had are not kept
process(OTHER, 0, FIRST, [10] * 10)
run("correlate", "-q", "--cache=on", "-o", OUT, OTHER)
alone = categories(OUT)
that(alone["waiting"][0] == 5 + 30, f"alone: {alone}")
process(OTHER, 1, SECOND)
run("correlate", "-q", "--cache=on", "-o", OUT, OTHER)
that(categories(OUT) == pairs(WANTED), f"added: {categories(OUT)}")
run("correlate", "-q", "--cache=none", "-o", WHOLE, OTHER)
that(bytes_of(OUT) == bytes_of(WHOLE), "a rank that is added: other bytes than of a join of all files")
# calls of 50 us without events but one in 16, which stand for the others: rank 0 waits 30 us in each; the other one never waits
SHORT = os.path.join(WORK, "short")
FOR_16 = " stands_for=16"
drawn = range(0, 8000, 16)
process(SHORT, 0, [*samples(0, 400, 7, WAITING), *samples(400, 420, 2, 0), *[(t, text + FOR_16) for t, text in (event(i / 20, (i + 1) / 20, RECEIVE, RECEIVED, 1, i) for i in drawn)]])
process(SHORT, 1, [*samples(0, 400, 8, COMMUNICATION), *[(t, text + FOR_16) for t, text in (event(i / 20 + 0.03, i / 20 + 0.031, SEND, SENT, 0, i) for i in drawn)]])
run("correlate", "-q", "--cache=none", "-j1", "-o", WHOLE, SHORT)
told = categories(WHOLE)
that(abs(told["waiting"][0] - 240) <= 1 and told["waiting"][1] == 0 and told["waiting"][0] + told["communication"][0] == 800, f"short calls: {told}")
causes = list(csv.DictReader(io.StringIO(run("report", "--by=delayed", "--format=csv", WHOLE))))
that(not causes, f"short calls have no causes: {causes}")
for options in (("--cache=none", "-j3", "--memory=1M"), ("--cache=on",), ("--cache=on",)):
    os.remove(OUT)
    run("correlate", "-q", *options, "-o", OUT, SHORT)
    that(bytes_of(OUT) == bytes_of(WHOLE), f"short calls, {options}: other bytes")
# short ones that followed long have an event and their senders none: that tells nothing of them. Where they were drawn, both have one
FOLLOWED = os.path.join(WORK, "followed")
process(FOLLOWED, 0, [*samples(0, 400, 7, WAITING), *samples(400, 420, 2, 0), *[(t, text + FOR_16 * (i % 16 == 0)) for i in range(8000) if i % 16 == 0 or i % 3 == 0
                      for t, text in [event(i / 20, (i + 1) / 20, RECEIVE, RECEIVED | FOLLOWS, 1, i)]]])
process(FOLLOWED, 1, [*samples(0, 400, 8, COMMUNICATION), *[(t, text + FOR_16) for t, text in (event(i / 20 + 0.03, i / 20 + 0.031, SEND, SENT, 0, i) for i in drawn)]])
run("correlate", "-q", "--cache=none", "-j1", "-o", OUT, FOLLOWED)
told = categories(OUT)
that(abs(told["waiting"][0] - 240) <= 2 and told["waiting"][1] == 0 and told["waiting"][0] + told["communication"][0] == 800, f"short calls that followed long: {told}")
# calls that only look, in vain, one right after another, are one wait; of samples in others nothing is told by these
LOOKS = os.path.join(WORK, "looks")
process(LOOKS, 0, [*samples(0, 400, 7, WAITING), *samples(400, 420, 7, COMMUNICATION), *[(t, text + FOR_16) for t, text in (event(i / 20, (i + 1) / 20, RECEIVE, RECEIVED | LOOKED, 1, i)
                   for i in drawn)], event(500, 600, RECEIVE, RECEIVED | LOOKED, 1, 8000), *samples(500, 600, 7, COMMUNICATION)])
process(LOOKS, 1, [*samples(0, 590, 2, 0), *[(t, text + FOR_16) for t, text in (event(i / 20 + 0.03, i / 20 + 0.031, SEND, SENT, 0, i) for i in drawn)], event(590, 590.002, SEND, SENT, 0, 8000)])
run("correlate", "-q", "--cache=none", "-j1", "-o", OUT, LOOKS)
told = categories(OUT)
that(abs(told["waiting"][0] - 240 - 90) <= 1 and abs(told["communication"][0] - 160 - 20 - 10) <= 1, f"calls that only look: {told}")
causes = [(r["kind"], round(float(r["wait_s"]), 4)) for r in csv.DictReader(io.StringIO(run("report", "--by=delayed", "--format=csv", OUT)))]
that(causes == [("late sender", 0.09)], f"calls that only look: causes {causes}")
# a sample's time is noted after its interrupt, here of 60 us: of 100 that fall due evenly over calls of 1 ms, which wait for 0.4 ms, 40 are waiting and not 34
LATE = os.path.join(WORK, "late")
COST = ("cost time=1 interrupt_ns={} interrupt_measured=1 switch_ns=0 switch_far_ns=0 helper_ns=0 budget=0 longest_ns=0 handler_ns=0 signals_ns=0 wrappers_ns=0 probes_ns=0 start_ns=0 "
        "end_ns=0 switches_ns=0")
for interrupt_ns, wanted in ((60000, 40), (0, 34)):
    noted = [int((2 * i + (i + 0.5) / 100 + 0.06) * MS) for i in range(100)]
    process(LATE, 0, [(0, COST.format(interrupt_ns)), *[(t, f"sample time={t} node_id=4 state=2") for t in noted], *[event(2 * i, 2 * i + 1, RECEIVE, RECEIVED, 1, i) for i in range(100)]])
    process(LATE, 1, [*samples(0, 200, 2, 0), *[event(2 * i + 0.4, 2 * i + 0.402, SEND, SENT, 0, i) for i in range(100)]])
    run("correlate", "-q", "--cache=none", "-j1", "-o", OUT, LATE)
    told = categories(OUT)
    that(abs(told["waiting"][0] - wanted) <= 1 and told["waiting"][0] + told["communication"][0] == 100, f"samples noted {interrupt_ns} ns late: {told}, not {wanted} waiting")
    # in a process with so much else to tell that it is not kept in little memory
    process(LATE, 0, [(0, COST.format(interrupt_ns)), *[(t, f"sample time={t} node_id=4 state=2") for t in noted], *[event(2 * i, 2 * i + 1, RECEIVE, RECEIVED, 1, i) for i in range(100)],
                      *[(i * MS // 100, f"user_phase time={i * MS // 100} name_id=1") for i in range(20000)]])
    run("correlate", "-q", "--cache=none", "-j1", "-o", WHOLE, LATE)
    that(categories(WHOLE) == told, f"samples noted {interrupt_ns} ns late, with phases: {categories(WHOLE)}, not {told}")
    run("correlate", "-q", "--cache=none", "-j1", "--memory=1M", "-o", OUT, LATE)
    that(bytes_of(OUT) == bytes_of(WHOLE), f"samples noted {interrupt_ns} ns late, with phases, in little memory: other bytes")
# of a sender that is not measured nobody knows when it came
os.remove(os.path.join(SHORT, "h.101.hsr"))
run("correlate", "-q", "--cache=none", "-o", OUT, SHORT)
that(categories(OUT)["waiting"][0] == 400, f"short calls, alone: {categories(OUT)}")
# without times the rules alone tell
run("correlate", "-q", "--cache=none", "--time=none", "-o", OUT, RUN)
that(categories(OUT)["waiting"][0] == 100 + 40 + 5 + 30, f"without times: {categories(OUT)}")
if wrong:
    sys.exit("\n".join(wrong))
