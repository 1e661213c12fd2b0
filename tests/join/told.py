# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Probes, scopes, phases, counters and own cost of a made-up measurement, through correlate and report: every number is exact.
Usage: told.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import csv
import io
import math
import os
import shutil
import subprocess
import sys

HEATSCOPE, RECORDS, WORK = sys.argv[1:4]
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(str(complaint))


def near(a, b):
    return math.isclose(float(a), b, rel_tol=1e-9, abs_tol=1e-15)


def run(*command, text=None, code=0):
    done = subprocess.run([HEATSCOPE, *command], capture_output=True, text=True, input=text)
    if done.returncode != code:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def table(by, *options):
    return list(csv.DictReader(io.StringIO(run("report", f"--by={by}", "--format=csv", *options, DATABASE))))


with open(RECORDS, encoding="utf-8") as f:
    lines = f.read().split("\n")
HEAD = lines[:next(i for i, line in enumerate(lines[2:], 2) if line.startswith("@chunk"))]
SCHEMA = lines[1].split("schema=")[1].split()[0]


def chunk(stream):
    return f"@chunk dynamic stream={stream} sequence=0 t0=0 lost=0 slot=packed sealed schema={SCHEMA}"


def place(number, kind, name, line):
    return (f'probe_place number={number} module_tag=0x1 tag=0x{number:x} kind={kind} flags=0 name="{name}" file="a.c" line={line}')


def summary(block, durations, left=0):
    buckets = [d.bit_length() for d in durations]
    histogram = [min(buckets)] + [buckets.count(b) for b in range(min(buckets), max(buckets) + 1)]
    return (f"block_summary time=900 block_id={block} count={len(durations)} left={left} duration_ns={sum(durations)} "
            f"duration_min={min(durations)} duration_max={max(durations)} duration_squares={float(sum(d * d for d in durations))!r} "
            f"duration_histogram=[{','.join(map(str, histogram))}]")


def exclusive(block, state, ns):
    return f"block_time time=900 block_id={block} state={state} exclusive_ns={ns}"


def process(rank, *streams):
    records = HEAD + [
        chunk(0),
        f'process pid={100 + rank} parent_pid=1 rank={rank} ranks=2 host="h" executable="/nowhere/program" arguments=["program"] '
        f'directory="/" start_unix_ns=1000000000 start_ns=0 mechanism="perf-cpu-clock" mechanism_note="" period_ns=1000000 '
        f'processors=2 runtime_version="" job=""',
        'mapping mapping_id=1 address=0 size=4096 bias=0 path="/nowhere/program" build_id=<> file_size=1 file_mtime_ns=1 time=1',
        "cost time=1 interrupt_ns=2000 interrupt_measured=1 switch_ns=0 switch_far_ns=0 helper_ns=1000000 budget=0 longest_ns=0",
        "cost time=900000000 interrupt_ns=2000 interrupt_measured=1 switch_ns=0 switch_far_ns=0 helper_ns=1000000 budget=0 longest_ns=0 "
        f"start_ns={1000000 + 1000000 * rank} end_ns=500000 interrupt_least_ns=1500 interrupt_most_ns=4000 switches_least=800 switches_most=1200",
        'note time=1 text="counters take turns"', "measuring time=400000000 on=0 reason=1", "measuring time=450000000 on=1 reason=4",
        "probe_cost time=1 pair_ns=100.0 inside_ns=40.0 clock_ns=20.0",
        place(1, 0, "outer", 10), place(2, 1, "outer", 12), place(3, 0, "again", 30),
        'user_name name_id=1 name="setup"', 'user_name name_id=2 name="solve"', 'user_name name_id=3 name="residual"']
    for stream, more in streams:
        records += [chunk(stream)] + more
    records += ["process_end time=1000000000 cpu_ns=10000000 how=0", ""]
    run("dump", "--undump", "-", "-o", os.path.join(WORK, f"h.{100 + rank}.hsr"), text="\n".join(records))


def thread(number, samples):
    """samples: their times and weights"""
    total = sum(w for _, w in samples)
    return [f'thread thread_id={number} tid={number} time=1 name="t" creator_id=0', "node node_id=1 parent_id=0 mapping_id=1 address=16 flags=0",
            *[f"sample_weighted time={t} node_id=1 state=0 weight={w} event_id=0" for t, w in samples],
            f"rate thread_id={number} time=700 periods=4 cpu_ns=1 cost_ns=1 looked_ns=1 switches=0",
            f'source thread_id={number} time=750 mechanism="timer-cpu" reason=1 cpu_ns=1 switches=9',
            f"handler_time thread_id={number} time=900 runs=5 own_ns=20000 median_ns=1 p90_ns=2 p99_ns=3 wrappers_ns=7000 switches_ns=5000",
            f"probe_progress time=900 visits=9 open=0 left=0 unmatched=0 missed=0 own_ns=3000",
            f"progress thread_id={number} time=1000000000 cpu_ns={total * 1250000} samples={total} lost=0 own_ns=30000 ended=1 truncated=0"]


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
blocks = ["block block_id=1 parent_id=0 number=1", "block block_id=2 parent_id=1 number=2", "block block_id=3 parent_id=2 number=1",
          "block block_id=4 parent_id=0 number=3"]
process(0,
        (1, ["user_phase time=100000000 name_id=1"] + thread(1, [(200000000, 1), (300000000, 2), (600000000, 4)]) + blocks +
         [summary(1, [100000, 300000]), exclusive(1, 0, 150000), exclusive(1, 2, 50000),
          summary(2, [80000, 90000]), exclusive(2, 1, 110000), summary(3, [30000, 30000], left=1), exclusive(3, 1, 60000),
          summary(4, [7000]), exclusive(4, 0, 7000), exclusive(4, 0, 1000),
          "user_phase time=500000000 name_id=2",
          "user_begin time=510000000 name_id=2", "user_counter time=520000000 name_id=3 value=4.0", "user_begin time=530000000 name_id=1",
          "user_end time=540000000 name_id=1", "user_counter time=550000000 name_id=3 value=1.0", "user_end time=560000000 name_id=0",
          "user_begin time=900000000 name_id=2"]))
process(1, (1, thread(1, [(200000000, 1)]) + ["block block_id=1 parent_id=0 number=3", summary(1, [5000, 6000])]))
with open(os.path.join(WORK, ".processes"), "w", encoding="ascii") as f:  # the runtime's list; lines that it never writes are no processes
    f.write("said 7\nbrief 1500\ntime 3\n4\nbrief 250\nbrief -1\nbrief x\nbrief 1000000000000000\nbrief 9 9\n" + "brief " * 100 + "\n"
            "opening 1000\nfinish 520\nopening 2000\nfinish 500\nopening 300\nopening -1\nopening x\nfinish 1000000000000000\nbrief 250")
run("correlate", "-o", DATABASE, WORK)
with open(DATABASE, "rb") as f:
    whole = f.read()
with open(os.path.join(WORK, ".processes"), "a", encoding="ascii") as f:  # one more is news, though no measurement file is
    f.write("\n")
that("nothing is new" not in run("correlate", "-o", DATABASE, WORK) and {r["name"]: r["periods"] for r in table("ledger")}["processes too short"] == "3",
     "a process that has no file is no news")
with open(os.path.join(WORK, ".processes"), "r+", encoding="ascii") as f:
    f.truncate(os.path.getsize(f.name) - 1)
run("correlate", "-o", DATABASE, WORK)
with open(DATABASE, "rb") as f:
    that(f.read() == whole, "other bytes after the news are gone")
for workers in ("1", "3"):
    again = os.path.join(WORK, f"again{workers}.h5")
    run("correlate", "-j", workers, "-o", again, WORK)
    with open(again, "rb") as a, open(DATABASE, "rb") as b:
        that(a.read() == b.read(), f"other bytes with {workers} workers")

got = {(r["name"], r["depth"], r["kind"], r["parent"]): r for r in table("block")}
that(len(got) == 6, list(got))
outer = got[("outer", "0", "procedure", "")]
that((outer["visits"], outer["left"], outer["threads"]) == ("2", "0", "1"), outer)
# of its own visits 40 ns each are inside; of the two right inside 60 each; of the two below those 100 each
that(near(outer["duration_s"], (400000 - 2 * 40 - 4 * 100) * 1e-9) and near(outer["exclusive_s"], (200000 - 2 * 40 - 2 * 60) * 1e-9), outer)
# of the two visits it is known what both cost together: half of it is taken out of the longer one, and of the shorter one, half as long as the mean, half as much
cost = 2 * 40 + 4 * 100
least, most = 1 - cost / 400000, cost / 2 # of the clock, nanoseconds
that(near(outer["duration_min_s"], 1e-4 * least) and near(outer["duration_max_s"], (300000 - most) * 1e-9), outer)
that(near(outer["duration_stddev_s"], 1e-4), outer)
that(near(outer["inclusive_s"], (200000 + 110000 + 60000 - 3 * 2 * 40 - 2 * 2 * 60) * 1e-9), outer)
# 100 and 300 us, in buckets of 65,536 to 131,071 and 262,144 to 524,287 ns
that([near(outer[f"duration_{q}_s"], v * 1e-9) for q, v in (("median_low", 100000 * least), ("median_high", 131071 * least), ("p95_low", 262144 - most),
                                                                                  ("p95_high", 300000 - most))] ==
     [True] * 4 and near(outer["duration_median_s"], (100000 + 131071) / 2 * least * 1e-9), outer)
inner = next(r for k, r in got.items() if k[1] == "2")
that((inner["name"], inner["visits"], inner["left"]) == ("outer", "2", "1"), inner)
again = got[("again", "0", "procedure", "")]
that((again["visits"], again["threads"]) == ("3", "2") and near(again["exclusive_s"], (8000 - 40) * 1e-9 - 0.0), again)
two = [(8000 - 40) * 1e-9, 0.0]
that(again["thread_max"] == "rank 0 thread 0" and again["thread_min"] == "rank 1 thread 0" and near(again["thread_max_s"], two[0]) and
     near(again["thread_mean_s"], two[0] / 2) and near(again["thread_stddev_s"], two[0] / 2), again)
that((again["process_max"], again["process_min"]) == ("rank 0", "rank 1") and near(again["process_max_s"], two[0]) and near(again["process_mean_s"], two[0] / 2), again)
for r in got.values(): # all of a block is of some category
    of = {k: float(v) for k, v in r.items() if k.startswith("exclusive_") and k not in ("exclusive_s", "exclusive_low_s", "exclusive_high_s")}
    that(len(of) > 1 and (near(sum(of.values()), float(r["exclusive_s"])) or r["exclusive_s"] == "0"), (r, of))
own = got[("solve", "0", "scope of the program's own", "")]
that(own["visits"] == "2" and own["left"] == "1" and near(own["duration_s"], 0.05 + 0.1) and near(own["exclusive_s"], 0.04 + 0.1), own)
that(near(next(r for k, r in got.items() if k[0] == "setup")["duration_s"], 0.01), got)

probes = {(r["name"], r["kind"]): r for r in table("probe")}
recursive = probes[("outer", "procedure")]
that(recursive["visits"] == "4" and near(recursive["inclusive_s"], float(outer["inclusive_s"])), recursive)
that(near(recursive["thread_max_s"], float(outer["inclusive_s"])) and float(recursive["thread_stddev_s"]) < 1e-9, f"a recursion counted twice: {recursive}")
# all four: 460,000 ns by the clock, of which notes took 560; what is shorter than the mean cost as much less
least = 1 - 560 / 460000
that(near(recursive["duration_median_low_s"], 30000e-9 * least) and near(recursive["duration_median_high_s"], 32767e-9 * least), recursive)
that(near(recursive["exclusive_s"], float(outer["exclusive_s"]) + float(inner["exclusive_s"])), recursive)

phases = table("phase")
that([(p["phase"], p["times"]) for p in phases] == [("setup", "1"), ("solve", "1")], phases)
that(near(phases[0]["elapsed_s"], 0.4) and near(phases[1]["elapsed_s"], 0.5) and near(phases[0]["first_begin_s"], 0.1), phases)
that(near(phases[0]["inclusive_s"], 0.003) and near(phases[1]["inclusive_s"], 0.004), phases)
that(float(phases[1]["inclusive_high_s"]) > 0.012, f"one sample of weight 4 knows more than it can: {phases[1]}")

for name, seconds in (("setup", 0.003), ("solve", 0.004)):
    for by in ("procedure", "line", "context", "module"):
        got = sum(float(r["exclusive_s"]) for r in table(by, f"--interval={name}"))
        that(near(got, seconds), f"--interval={name} --by={by}: {got}, expected {seconds}")
refused = subprocess.run([HEATSCOPE, "report", "--interval=sole", DATABASE], capture_output=True, text=True)
that(refused.returncode == 1 and refused.stderr.count("\n") == 1 and "phase" in refused.stderr, refused)

empty = run("report", "--interval=0:0.05", DATABASE)  # before the first sample, with what was counted
that("No samples in the interval" in empty and "again" in empty and "\nProbe" in empty and "none" not in empty, f"an interval without samples:\n{empty}")

counters = table("counter")
that(len(counters) == 1 and (counters[0]["counter"], counters[0]["values"], counters[0]["first"], counters[0]["last"], counters[0]["max"]) ==
     ("residual", "2", "4", "1", "4") and near(counters[0]["mean"], 2.5) and near(counters[0]["stddev"], 1.5), counters)
# what of a phase lies in the interval; values told in it, and that which holds as it begins
phases = table("phase", "--interval=0.3:0.6")
that([(p["phase"], p["times"]) for p in phases] == [("setup", "1"), ("solve", "1")] and near(phases[0]["elapsed_s"], 0.2) and near(phases[0]["first_begin_s"], 0.3) and
     near(phases[0]["inclusive_s"], 0.002) and near(phases[1]["elapsed_s"], 0.1), phases)
that([p["phase"] for p in table("phase", "--interval=0:0.4")] == ["setup"], "a phase that is not in the interval is told")
for interval, want in (("0.53:0.6", ("2", "4", "1", "1", "4")), ("0.56:0.6", ("1", "1", "1", "1", "1")), ("0.52:0.55", ("1", "4", "4", "4", "4"))):
    counters = table("counter", f"--interval={interval}")
    that([tuple(c[k] for k in ("values", "first", "last", "min", "max")) for c in counters] == [want], (interval, counters))
that(not table("counter", "--interval=0:0.5"), "a counter without values before the end of the interval is told")
that("residual" in run("report", "--by=counter", DATABASE), "a counter's name is cut off in the text of 80 columns")

costs = table("cost")
that(len(costs) == 2, costs)
for c in costs:
    that(near(c["handler_s"], 20e-6) and near(c["signals_s"], 10e-6) and near(c["probes_s"], 3e-6) and near(c["wrappers_s"], 7e-6) and near(c["switches_s"], 5e-6), c)
    that(near(c["own_least_s"], 20e-6 + 5 * 1.5e-6 + 3e-6 + 0.65 * 7e-6 + 4e-6) and near(c["own_most_s"], 20e-6 + 5 * 4e-6 + 3e-6 + 1.5 * 7e-6 + 6e-6), c) # HSC_COST_WRAPPERS_LEAST, _MOST
    rank = float(c["thread"].startswith("rank 1"))
    that(near(c["start_s"], 1e-3 * (1 + rank)) and near(c["end_s"], 0.5e-3), c)
    that(near(c["helper_s"], 1e-3) and near(c["cpu_net_s"], float(c["cpu_s"]) - 45e-6), c)
cpu = sum(float(c["cpu_s"]) for c in costs)
for by in ("procedure", "line"):
    plain, net = (sum(float(r["exclusive_s"]) for r in table(by, *options)) for options in ((), ("--net",)))
    that(near(net, plain * (1 - 2 * 30e-6 / cpu)) and net < plain, f"--net --by={by}: {net} of {plain}, CPU time {cpu}")
refused = subprocess.run([HEATSCOPE, "report", "--net", "--metric=residual", DATABASE], capture_output=True, text=True)
that(refused.returncode == 1 and refused.stderr.count("\n") == 1, refused)
ledger = {r["name"]: float(r["time_s"]) for r in table("ledger")}
counts = {r["name"]: int(r["periods"]) for r in table("ledger")}
that(counts.get("processes too short") == 2 and near(ledger["processes too short"], 0.00175), (counts, ledger))
that([counts.get(n) for n in ("said: counters take turns", "rate lowered", "measuring off")] == [2, 2, 2], counts)
that(near(ledger.get("measuring off", 0), 2 * 0.05), ledger)
# start and end of all processes, by the runtime's list: 0.3 ms of one that has no file, and 20 us of an end that its file couldn't tell
start, end, own = 3.3e-3, 1.02e-3, 2 * 45e-6
that(near(ledger["start"], start) and near(ledger["end"], end), ledger)
that(near(ledger["measuring"], own + 2 * 1e-3 + start + end), ledger)
that(near(sum(ledger[n] for n in ("start", "handler", "signals", "probes", "wrappers", "switches", "helper", "end")), ledger["measuring"]), ledger)
that(near(ledger["program itself"], 0.01 + 0.00175 - own), ledger)  # by the clock, not the 8 periods in samples; and two processes too short for one
least, most = (2 * x + 2 * 1e-3 + unseen * (start + end) for x, unseen in ((41.5e-6 - 0.35 * 7e-6, 1), (56e-6 + 0.5 * 7e-6, 1.25)))
that(near(ledger["measuring, at least"], least) and near(ledger["measuring, at most"], most), ledger)
share, least, most = (100 * x / (0.01 + 0.00175 - own) for x in (own + 2 * 1e-3 + start + end, least, most))
for text in (run("report", DATABASE), run("report", "--by=ledger", DATABASE)):
    that(f"measuring (added {share:.1f} %, ~{least:.1f} to {most:.1f} %)" in " ".join(text.split()), f"the ledger's own figure, {share}:\n{text}")
that(counts.get("other source") == 2, counts)
that("source     2 changes of where a thread's samples come from, the first after 0.00 s: samples come from timer-cpu: so many context switches" in
     " ".join(run("report", DATABASE).split("\n           ")), "the head tells of the other clock")
for by in ("probe", "block", "phase", "counter", "cost"):
    text = run("report", f"--by={by}", DATABASE)
    that(all(len(line) <= 80 for line in text.splitlines()), f"--by={by} is wider than 80 columns:\n{text}")
that("Probes" in run("report", DATABASE), "the whole report has no probes")
print("\n".join(wrong) if wrong else "probes, scopes, phases, counters and cost are as made up")
sys.exit(bool(wrong))
