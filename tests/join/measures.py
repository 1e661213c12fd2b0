# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages and waits of made-up measurement files, through correlate and report: every sum is exact.
Usage: measures.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import csv
import io
import math
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, RECORDS, WORK = sys.argv[1:4]
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def run(*command, text=None):
    done = subprocess.run([HEATSCOPE, *command], capture_output=True, text=True, input=text)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def join():
    """From the files, and from what is kept of them: the same bytes."""
    said = run("correlate", "--cache=none", "-o", DATABASE, WORK)
    kept = os.path.join(WORK, "kept.h5")
    for _ in range(2):
        run("correlate", "--cache=on", "-o", kept, WORK)
        with open(DATABASE, "rb") as one, open(kept, "rb") as two:
            that(one.read() == two.read(), f"other bytes from what is kept: {sorted(os.listdir(WORK))}")
        os.remove(kept)
    for name in (".kept.h5.cache", ".kept.h5.made"):
        if os.path.exists(os.path.join(WORK, name)):
            os.remove(os.path.join(WORK, name))
    return said


def table(by, *options):
    return list(csv.DictReader(io.StringIO(run("report", f"--by={by}", "--format=csv", *options, DATABASE))))


def schema():
    with open(RECORDS, encoding="utf-8") as f:
        lines = f.read().split("\n")
    end = next(i for i, line in enumerate(lines[2:], 2) if line.startswith("@chunk"))
    return lines[:end], lines[1].split("schema=")[1].split()[0]


HEAD, SCHEMA = schema()


def chunk(stream):
    return f"@chunk dynamic stream={stream} sequence=0 t0=0 lost=0 slot=packed sealed schema={SCHEMA}"


def message(time, node, operation, peer, size_class, calls, sent, received, sizes, durations, thread=0, completions=(0, 0, 0)):
    """sizes, durations: of each call."""
    def histogram(values):
        buckets = [v.bit_length() for v in values]
        low = min(buckets)
        return "[" + ",".join(str(n) for n in [low] + [buckets.count(b) for b in range(low, max(buckets) + 1)]) + "]"
    return (f"message_summary time={time} thread_id={thread} node_id={node} operation_id={operation} peer_class={peer} "
            f"size_class={size_class} calls={calls} sent_messages={sent[0]} sent_bytes={sent[1]} received_messages={received[0]} "
            f"received_bytes={received[1]} size_min={min(sizes)} size_max={max(sizes)} size_squares={float(sum(s * s for s in sizes))!r} "
            f"size_histogram={histogram(sizes)} duration_ns={sum(durations)} duration_min={min(durations)} "
            f"duration_max={max(durations)} duration_squares={float(sum(d * d for d in durations))!r} "
            f"duration_histogram={histogram(durations)} completions={completions[0]} in_flight_ns={completions[1]} "
            f"completion_ns={completions[2]}")


def wait(time, node, kind, count, total, longest, size=0, holder=(0, 0), open=0, told=0):
    return (f"wait time={time} node_id={node} kind={kind} count={count} total_ns={total} max_ns={longest} bytes={size} bucket=10 "
            f"buckets=[{count}] holder_thread_id={holder[0]} holder_node_id={holder[1]} open={open} told_ns={told}")


def peer(time, other, sent, received):
    return f"message_peer time={time} peer={other} sent_messages={sent[0]} sent_bytes={sent[1]} received_messages={received[0]} received_bytes={received[1]}"


def process(rank, *chunks, end=0):
    lines = HEAD + [
        chunk(0),
        f'process pid={100 + rank} parent_pid=1 rank={rank} ranks=2 host="h" executable="/nowhere/program" arguments=["program"] '
        f'directory="/" start_unix_ns=1000000000 start_ns=0 mechanism="perf-cpu-clock" mechanism_note="" period_ns=1000000 '
        f'processors=2 runtime_version="" job=""',
        'mapping mapping_id=1 address=0 size=4096 bias=0 path="/nowhere/program" build_id=<> file_size=1 file_mtime_ns=1 time=1',
        'operation operation_id=1 name="MPI_Send" kind=1 state=2',
        'operation operation_id=2 name="MPI_Wait" kind=5 state=3']
    for stream, records in chunks:
        lines += [chunk(stream)] + records
    lines += [f"process_end time=2000000000 cpu_ns=1000000000 how={end}", ""]
    path = os.path.join(WORK, f"h.{100 + rank}.hsr")
    run("dump", "--undump", "-", "-o", path, text="\n".join(lines))


def thread(number, samples=1):
    return [f'thread thread_id={number} tid={number} time=1 name="t" creator_id=0',
            "node node_id=1 parent_id=0 mapping_id=1 address=16 flags=0", "node node_id=2 parent_id=1 mapping_id=1 address=32 flags=0",
            "node node_id=3 parent_id=1 mapping_id=1 address=48 flags=0",
            *["sample time=5 node_id=2 state=0"] * samples,
            f"progress thread_id={number} time=900 cpu_ns={samples * 1000000} samples={samples} lost=0 own_ns=0 ended=1 truncated=0"]


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
process(0,
        # of thread 2, told by another stream before that thread's nodes are known; added up with the next
        (0, [message(10, 3, 1, 2, 3, 2, (2, 600), (0, 0), [200, 400], [3000, 5000], thread=2), peer(11, 1, (2, 600), (0, 0))]),
        (1, thread(1) + [message(20, 2, 2, 0, 0, 3, (0, 0), (0, 0), [0, 0, 0], [1000000, 2000000, 4000000], completions=(3, 9000000, 7000000)),
                         wait(30, 3, 1, 2, 3000000, 2500000, holder=(2, 2)), wait(31, 3, 1, 1, 500000, 500000, holder=(2, 2))]),
        (2, thread(2) + [message(40, 3, 1, 2, 3, 1, (1, 300), (0, 0), [300], [9000]), peer(41, 1, (1, 300), (0, 0)),
                         peer(42, 5, (7, 70), (8, 80))]))
process(1,
        (1, thread(1, samples=4) + [message(20, 3, 1, 3, 2, 2, (2, 5_000_000_000_000), (0, 0), [16, 255], [50, 70]),
                                    message(21, 0, 2, 0, 0, 1, (0, 0), (0, 0), [0], [8000]), peer(22, 0, (2, 5_000_000_000_000), (3, 900)), peer(23, 18446744073709551615, (1, 1), (1, 1)), wait(30, 2, 10, 4, 8000000000, 5000000000, 4096)]))
join()
for workers in ("1", "3"):
    again = os.path.join(WORK, f"again{workers}.h5")
    run("correlate", "-j", workers, "-o", again, WORK)
    with open(again, "rb") as a, open(DATABASE, "rb") as b:
        that(a.read() == b.read(), f"other bytes with {workers} workers")

rows = table("message")
that(len(rows) == 4, f"{len(rows)} rows by message: {rows}")
one = [r for r in rows if r["operation"] == "MPI_Send" and r["size_class"] == "3"]
that(len(one) == 1 and one[0]["peer"] == "a process of the same machine", f"send in the machine: {one}")
for r in one:
    sizes, durations = [200, 400, 300], [3000, 5000, 9000]
    that((r["calls"], r["sent_messages"], r["sent_bytes"], r["received_bytes"], r["threads"]) == ("3", "3", "900", "0", "1"), f"counts {r}")
    that((r["size_min_bytes"], r["size_max_bytes"], float(r["size_mean_bytes"])) == ("200", "400", 300), f"sizes {r}")
    that(math.isclose(float(r["size_stddev_bytes"]), math.sqrt(sum((s - 300) ** 2 for s in sizes) / 3), rel_tol=1e-6), f"spread {r}")
    that(math.isclose(float(r["duration_s"]), 17e-6) and math.isclose(float(r["duration_max_s"]), 9e-6), f"times {r}")
    mean = sum(durations) / 3
    that(math.isclose(float(r["duration_stddev_s"]), 1e-9 * math.sqrt(sum((d - mean) ** 2 for d in durations) / 3), rel_tol=1e-6), f"spread {r}")
    # of 3000, 5000 and 9000 ns: the second, and the third; buckets 4096 to 8191 and 8192 to 16383
    that([round(float(r[f"duration_{q}_s"]) * 1e9) for q in ("median_low", "median_high", "p95_low", "p95_high")] == [4096, 8191, 8192, 9000], f"quantiles {r}")
    that(math.isclose(float(r["duration_median_s"]), (4096 + 8191) / 2 * 1e-9) and math.isclose(float(r["thread_max_s"]), 17e-6) and
         float(r["thread_stddev_s"]) < 1e-12 and (r["thread_min"], r["thread_max"]) == ("rank 0 thread 1",) * 2, f"by thread {r}")
waited = [r for r in rows if r["operation"] == "MPI_Wait" and r["completions"] == "3"]
that(len(waited) == 1 and float(waited[0]["in_flight_s"]) == 0.009 and float(waited[0]["completion_s"]) == 0.007, f"completions {waited}")
that(sum(int(r["sent_bytes"]) for r in rows) == 5_000_000_000_900, "bytes beyond 32 bits")
that(any(r["operation"] == "MPI_Wait" and float(r["duration_s"]) == 8e-6 for r in rows), "a message without a call path is lost")

rows = {(r["processor"], r["peer"], r["peer_rank"]):
        (*(int(r[k]) for k in ("sent_messages", "sent_bytes", "received_messages", "received_bytes", "waits")), float(r["wait_s"]))
        for r in table("pair")}
that(rows == {("rank 0", "rank 1", "1"): (3, 900, 0, 0, 0, 0), ("rank 0", "", "5"): (7, 70, 8, 80, 0, 0),
              ("rank 1", "rank 0", "0"): (2, 5_000_000_000_000, 3, 900, 0, 0),
              ("rank 0", "rank 0", "0"): (0, 0, 0, 0, 3, 0.0035)}, f"pairs {rows}")

rows = table("wait")
that(len(rows) == 2, f"rows by wait: {rows}")
that((rows[0]["kind"], rows[0]["waits"], rows[0]["bytes"], float(rows[0]["total_s"]), float(rows[0]["max_s"])) == ("read", "4", "4096", 8, 5), rows[0])
that((rows[1]["kind"], rows[1]["waits"], float(rows[1]["total_s"]), rows[1]["held_by"]) == ("mutex", "3", 0.0035, "rank 0 thread 1"), rows[1])

# buckets told: all three of 1024 to 2047 ns, below the longest by far
that([round(float(rows[1][f"{q}_s"]) * 1e9) for q in ("median_low", "median_high", "p95_high")] == [1024, 2047, 2047], rows[1])
truth = {"MPI calls": 2 + 1 + 3 + 2 + 1, "MPI time": 17e-6 + 7e-3 + 120e-9 + 8e-6, "waiting": 0.0035 + 8, "I/O bytes": 4096, "bytes sent": 5_000_000_000_900}
for metric, value in truth.items():
    column = "exclusive_" + {"MPI calls": "count", "MPI time": "s", "waiting": "s", "I/O bytes": "B", "bytes sent": "B"}[metric]
    for by in ("procedure", "context", "line"):
        sum_of = sum(float(r[column]) for r in table(by, f"--metric={metric}"))
        that(abs(sum_of - value) <= 1e-6 * value + 2e-6, f"{metric} by {by}: {sum_of}, expected {value}")
for word, metric in (("CALLS", "MPI calls"), ("sent", "bytes sent"), ("cpu", "CPU time"), ("I/O", "I/O bytes")):  # one name has that word
    that(table("procedure", f"--metric={word}") == table("procedure", f"--metric={metric}"), f"metric by a word of its name: {word}")
for word in ("MPI", "bytes", "ytes", "sent bytes"):
    refused = subprocess.run([HEATSCOPE, "report", f"--metric={word}", DATABASE], capture_output=True, text=True)
    that(refused.returncode == 1 and refused.stderr.count("\n") == 1 and not refused.stdout, f"--metric={word}: {refused}")
    that(("is in the names of" in refused.stderr) == (word in ("MPI", "bytes")), f"--metric={word}: {refused.stderr}")
samples = sum(int(r["exclusive_periods"]) for r in table("procedure"))
that(samples == 6, f"{samples} samples of CPU time, expected 6")
for r in table("procedure", "--metric=waiting"):
    that(r["exclusive_low_s"] == r["exclusive_s"] == r["exclusive_high_s"], f"an interval on what was timed: {r}")
for by in ("message", "wait", "pair"):
    text = run("report", f"--by={by}", DATABASE)
    that(all(len(line) <= 80 for line in text.splitlines()), f"longer than 80 columns: {text}")
    that("\nmeasured   6 samples, each 0.001 s of CPU time " in text, f"not as many samples as periods: {text}")
whole = " ".join(run("report", DATABASE).split())
that("Input and output take 8 s" in whole and "in 4 calls that move 4.1 kB; longest: read, 8 s in 4 calls, 1024 bytes each on average" in whole, whole[:3000])
that("blocked for 0.0035 s of elapsed time outside message passing and input and output; longest: mutex, 0.0035 s in 3 waits" in whole, whole[:3000])

# by time: in slices, each where it ends; what a thread waited for long is laid to the time before, in pieces of 100 ms
def long_wait(begin, end, node, kind, size=0):
    return f"wait_interval time={end} duration_ns={end - begin} node_id={node} kind={kind} bytes={size}"


MS = 1000000
WORK = os.path.join(WORK, "by-time")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
for rank in (0, 1):
    process(rank, (1, thread(1) + [
        wait(300 * MS, 3, 10, 1, 200 * MS, 200 * MS, 10), wait(500 * MS, 3, 10, 1, 100 * MS, 100 * MS, 30), wait(1800 * MS, 2, 1, 1, 600 * MS, 600 * MS),
        wait(1900 * MS, 3, 10, 1, 400000, 400000, 1),
        *[message(at * MS, 3, 1, 2, 3, 1, (1, size), (0, 0), [size], [5000 + at]) for at, size in ((100, 300), (200, 400), (1000, 256), (1100, 4000))],
        peer(200 * MS, 1 - rank, (2, 700), (1, 64)), peer(1100 * MS, 1 - rank, (2, 4256), (2, 128))]))
join()
for interval, expected in (("0.2:0.45", [("read", 2, 20, 0.2, 0.2)]), ("1.5:1.6", [("mutex", 0, 0, 0.2, 0)]), ("0.6:1.1", []),
                           ("0:2", [("mutex", 2, 0, 1.2, 0.6), ("read", 6, 82, 0.6008, 0.2)])):
    rows = table("wait", f"--interval={interval}")
    that(len(rows) == len(expected) and all(
        (r["kind"], int(r["waits"]), int(r["bytes"])) == e[:3] and math.isclose(float(r["total_s"]), e[3]) and math.isclose(float(r["max_s"]), e[4])
        for r, e in zip(rows, expected)), f"waits within {interval}: {rows}")
for interval, calls, size, least, most, took in (("0:0.2", 4, 1400, 300, 400, 10000 + 300), ("0.2:2", 4, 8512, 256, 4000, 10000 + 2100), ("0.1:1", 4, 1312, 256, 400, 10000 + 1200)):
    rows = table("message", f"--interval={interval}")
    that(len(rows) == 1 and (int(rows[0]["calls"]), int(rows[0]["sent_bytes"]), int(rows[0]["size_min_bytes"]), int(rows[0]["size_max_bytes"])) ==
         (calls, size, least, most) and math.isclose(float(rows[0]["duration_s"]), 2e-9 * took), f"messages within {interval}: {rows}")
that(table("message", "--interval=0.3:0.9") == [] and table("pair", "--interval=0.3:0.9") == [], "messages where there are none")
for interval, sent, received in (("0:0.2", "700", "64"), ("0.2:2", "4256", "128")):
    rows = table("pair", f"--interval={interval}")
    that([(r["sent_bytes"], r["received_bytes"]) for r in rows] == [(sent, received)] * 2, f"pairs within {interval}: {rows}")
text = run("report", "--by=wait", "--interval=0.2:0.45", DATABASE)
that("slices of some 100 ms, each counted where it ends" in " ".join(text.split()), f"how exact it is: {text}")
that(all(len(line) <= 80 for line in text.splitlines()), f"longer than 80 columns: {text}")
refused = subprocess.run([HEATSCOPE, "report", "--by=cost", "--interval=0:1", DATABASE], capture_output=True, text=True)
that(refused.returncode == 2 and "whole run only" in refused.stderr, f"cost by time: {refused.stderr}")
refused = subprocess.run([HEATSCOPE, "report", "--interval=1000:", DATABASE], capture_output=True, text=True)
that(refused.returncode == 1 and "'1000:' begins at the run's end or later" in refused.stderr, f"behind the end: {refused.stderr}")
without = os.path.join(WORK, "without.h5")
run("correlate", "--time=none", "-o", without, WORK)
refused = subprocess.run([HEATSCOPE, "report", "--by=message", "--interval=0:1", without], capture_output=True, text=True)
that(refused.returncode == 1 and len(refused.stderr.splitlines()) == 1, f"a database without times: {refused.stderr}")
# which tells what calls of MPI are, where the figures by category stand
for database in (without, DATABASE):
    said = " ".join(run("report", "--by=category", database).split())
    that(("Calls of MPI by what they are, not by how long they waited: --time=none" in said) == (database == without), f"{database}, by category: {said}")


COUNTS = {"message": ("calls", "sent_bytes", "received_bytes", "completions"), "pair": ("sent_messages", "sent_bytes", "received_bytes", "waits"),
          "wait": ("waits", "bytes"), "delayed": ("waits",), "cause": ()}
TIMES = {"message": ("duration_s", "in_flight_s"), "pair": ("wait_s",), "wait": ("total_s",), "delayed": ("wait_s",), "cause": ("caused_s", "direct_s")}


def sums(by, *options):
    rows = table(by, *options)
    return [sum(int(r[c]) for r in rows) for c in COUNTS[by]] + [round(sum(float(r[c]) for r in rows) * 1e9) for c in TIMES[by]]


def parts_add_up(name, cuts):
    """The run is the sum of its parts: counts exactly, times to the digits of CSV."""
    for by in COUNTS:
        whole, parts = sums(by), [sums(by, f"--interval={a}:{b}") for a, b in zip(cuts, cuts[1:])]
        n = len(COUNTS[by])
        added = [sum(v) for v in zip(*parts)]
        that(added[:n] == whole[:n] and all(abs(a - w) <= 1e-8 * w + 100 for a, w in zip(added[n:], whole[n:])),
             f"{name}: {by} {cuts}: parts {added}, run {whole}")


def caused_agrees(name, expected, *intervals):
    """By the metric at the places of the code as by causes, seconds, but for what is no waiting of the program; in intervals, too."""
    for options in [[]] + [[f"--interval={i}"] for i in intervals]:
        rows = table("module", "--metric=waiting caused", *options)
        metric, causes = sum(float(r["exclusive_s"]) for r in rows), sum(float(r["counted_s"]) for r in table("cause", *options))
        that(abs(metric - causes) <= 1e-5 and (options or round(causes, 4) == expected), f"{name}{options}: metric {metric}, causes {causes}, expected {expected}")


parts_add_up("by-time", ["0", "0.2000005", "1.0999", "2"])

# a lock held long: what was told of a wait while it went on is its holder's when it is known, in whatever order the records stand;
# of one that never ended (killed) it is nobody's
for name, order in (("open", 1), ("open-turned", -1)):
    WORK = os.path.join(os.path.dirname(WORK), name)
    os.makedirs(WORK)
    DATABASE = os.path.join(WORK, "out.h5")
    process(0, (1, thread(1) + [wait(200 * MS, 3, 1, 0, 100 * MS, 0, open=1), wait(350 * MS, 3, 1, 0, 150 * MS, 0, open=1),
                                wait(400 * MS, 3, 1, 1, 50 * MS, 300 * MS, holder=(2, 2), told=250 * MS), wait(500 * MS, 3, 1, 1, 60 * MS, 60 * MS, holder=(3, 2)),
                                wait(700 * MS, 2, 1, 0, 100 * MS, 0, open=1), wait(720 * MS, 2, 1, 1, 20 * MS, 120 * MS, holder=(2, 3), told=100 * MS),
                                wait(900 * MS, 2, 1, 0, 40 * MS, 0, open=1)][::order]), (2, thread(2)), (3, thread(3)))
    process(1, (1, thread(1) + [wait(300 * MS, 3, 1, 1, 50 * MS, 300 * MS, holder=(2, 2), told=250 * MS)]), (2, thread(2))) # the others are lost
    join()
    rows = sorted((r["held_by"], int(r["threads"]), int(r["waits"]), round(float(r["total_s"]), 9), float(r["max_s"])) for r in table("wait"))
    that(rows == [("", 1, 0, 0.04, 0), ("rank 0 thread 1", 2, 4, 0.78, 0.3)], f"{name}: {rows}") # two threads, in five rows of the database
    one = table("wait")[0] # of two ranks
    that((one["thread_max"], float(one["thread_max_s"]), float(one["thread_mean_s"])) == ("rank 0 thread 0", 0.48, 0.39) and
         math.isclose(float(one["thread_stddev_s"]), 0.09), f"{name}: by thread {one}")
    that((one["thread_min"], float(one["thread_min_s"])) == ("rank 1 thread 0", 0.3), f"{name}: least {one}")
    that([round(float(one[f"{axis}_{k}_s"]), 9) for axis in ("thread", "process") for k in ("p05", "p25", "median", "p75", "p95", "imbalance")] ==
         2 * [0.309, 0.345, 0.39, 0.435, 0.471, 0.09], f"{name}: quantiles {one}")
    that([one[f"process_{k}"] for k in ("min", "max")] == ["rank 1", "rank 0"] and [round(float(one[f"process_{k}_s"]), 9) for k in ("min", "max", "mean")] == [0.3, 0.48, 0.39], f"{name}: by process {one}")
    blamed = {r["processor"]: (int(r["waits"]), round(float(r["wait_s"]), 9)) for r in table("cause")}
    that(blamed == {"rank 0 thread 1": (2, 0.42), "rank 0 thread 2": (1, 0.06), "rank 1 thread 1": (1, 0.3)}, f"{name}: {blamed}")
    waiting = sum(float(r["exclusive_s"]) for r in table("procedure", "--metric=waiting"))
    that(math.isclose(waiting, 0.36 + 0.12 + 0.04 + 0.3, rel_tol=1e-6), f"{name}: metric waiting {waiting}")
    parts_add_up(name, ["0", "0.36", "2"])
    # up to 350 ms: what the long wait had lasted by then, its holder known from its end
    early = [(r["held_by"], int(r["waits"]), round(float(r["total_s"]), 9)) for r in table("wait", "--interval=0:0.36")]
    that(early == [("rank 0 thread 1", 1, 0.25 + 0.3)], f"{name}: early {early}")

# what the holder did meanwhile: from 100 to 400 ms thread 1 waits for thread 2, which reads for 180 ms, computes for 90 and waits for thread 3
# for 30, which sleeps; shorter waits stand for others; a hold of 400 ms without a sample or a wait had no processor
def held(begin, end, node, holder, stands_for=None):
    return (f"{long_wait(begin, end, node, 1)} holder_thread_id={holder[0]} holder_node_id={holder[1]} "
            f"stands_for_ns={end - begin if stands_for is None else stands_for}")


def samples(begin, end, node):
    return [f"sample time={t} node_id={node} state=0" for t in range(begin + MS // 2, end, MS)]


WORK = os.path.join(os.path.dirname(WORK), "held")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
process(0, (1, thread(1) + [held(100 * MS, 400 * MS, 3, (2, 2)), wait(401 * MS, 3, 1, 1, 300 * MS, 300 * MS, holder=(2, 2)),
                            held(600 * MS, 1000 * MS, 2, (4, 2)), wait(1001 * MS, 2, 1, 1, 400 * MS, 400 * MS, holder=(4, 2)),
                            *[held(1100 * MS + 20 * k * MS, 1100 * MS + (20 * k + 2) * MS, 3, (5, 2), 20 * MS) for k in range(10)],
                            wait(1301 * MS, 3, 1, 100, 200 * MS, 2 * MS, holder=(5, 2))]),
        (2, thread(2, 0) + [long_wait(50 * MS, 280 * MS, 3, 10), held(280 * MS, 310 * MS, 3, (3, 2)),
                            wait(401 * MS, 3, 10, 1, 230 * MS, 230 * MS), wait(401 * MS, 3, 1, 1, 30 * MS, 30 * MS, holder=(3, 2)),
                            *samples(310 * MS, 450 * MS, 2)]),
        (3, thread(3, 0) + [long_wait(250 * MS, 350 * MS, 3, 7), wait(401 * MS, 3, 7, 1, 100 * MS, 100 * MS)]),
        (4, thread(4, 0) + samples(1010 * MS, 1100 * MS, 2)),
        (5, thread(5, 0) + samples(1050 * MS, 1400 * MS, 2)))
join()
found = {(r["processor"], r["waited"]): (r["known"], r["running"], int(r["waits"]), *(round(float(r[k]), 6) for k in ("wait_s", "indirect_s", "caused_s")))
         for r in table("cause")}
that(found == {("rank 0 thread 1", "read"): ("yes", "yes", 1, 0.3, 0.03, 0.18), ("rank 0 thread 1", ""): ("yes", "yes", 1, 0.3, 0.03, 0.09),
               ("rank 0 thread 2", "semaphore"): ("yes", "yes", 1, 0.03, 0, 0.06),
               ("rank 0 thread 3", ""): ("yes", "no", 1, 0.4, 0, 0.4), ("rank 0 thread 4", ""): ("yes", "yes", 100, 0.2, 0, 0.2)}, f"held: {found}")
parts_add_up("held", ["0", "0.39", "2"])
# all causes of a tenth of the waiting and more are told, by their size, and none of less; what had no processor is the machine's and stands behind
said = " ".join(run("report", DATABASE).split())
that(re.search(r"2 threads make others wait 0\.29 s, rank 0 thread 4 most \(held a lock\) by \[program\]; of 0\.93 s in all .*?\. Then 0\.18 s: rank 0 thread 1 "
               r"\(held a lock\), by read in \[program\]\. 0\.4 s of it is the machine's: those who were late had no processor \(rank 0 thread 3 most\)\. \d\. ", said),
     f"causes in order: {said}")
# however few rows are shown, the largest cause of the machine's is among them
said = run("report", "--by=cause", "--top=1", DATABASE)
that("machine's: the late ones were ready to run" in said and re.search(r"^ +0\.400 .*not running", said, re.M), f"causes, one row: {said}")
# names are whole: they have the room that the terminal has, else a line of their own
for columns in ("80", "120"):
    os.environ["COLUMNS"] = columns
    said = run("report", "--by=delayed", DATABASE).split("who and where\n")[1].splitlines()
    that(all(len(line) <= int(columns) and ".." not in line for line in said) and sum("[program]" in line for line in said) == 4, f"{columns} columns: {said}")
del os.environ["COLUMNS"]

# calls of a thread that others wait for in message passing are causes each, though on one line, and samples that are drawn in them (node 4, below them)
# are no other cause: rank 0 reads for 100 ms and writes for 60, both at node 2, after both ranks have computed there. Of calls that are too short for a
# record each, one stands for others, and samples draw nothing; where there is no such record, samples tell
def barrier(begin, end, sequence):
    return (f"message_event time={begin} duration_ns={end - begin} node_id=3 operation_id=3 flags=4 communicator_id=1 peer=-1 tag=-1 "
            f"sequence={sequence} bytes=0 begin_thread_id=0 begin_node_id=0 begin_ns=0")


def in_call(begin, end, node):
    return [f"sample time={t} node_id={node} state=5" for t in range(begin + MS // 2, end, MS)]


def ranks(name, *of_rank):
    global WORK, DATABASE
    WORK = os.path.join(os.path.dirname(WORK), name)
    os.makedirs(WORK)
    DATABASE = os.path.join(WORK, "out.h5")
    for rank, records in enumerate(of_rank):
        process(rank, (0, ['operation operation_id=3 name="MPI_Barrier" kind=7 state=4', "message_system time=1 clock=7",
                           f"communicator communicator_id=1 key=99 kind=1 rank={rank} size=2"]),
                (1, thread(1, 0) + ["node node_id=4 parent_id=2 mapping_id=1 address=64 flags=1"] + records))
    join()
    return {(r["running"], r["waited"]): round(float(r["caused_s"]), 6) for r in table("cause")}


READ, WRITE = 10, 11
late = [*samples(10 * MS, 20 * MS, 2), long_wait(20 * MS, 120 * MS, 2, READ), *in_call(120 * MS, 179 * MS, 4), long_wait(120 * MS, 180 * MS, 2, WRITE),
        barrier(180 * MS, 181 * MS, 0), wait(900 * MS, 2, READ, 1, 100 * MS, 100 * MS), wait(900 * MS, 2, WRITE, 1, 60 * MS, 60 * MS)]
other = [*samples(10 * MS, 20 * MS, 2), barrier(20 * MS, 181 * MS, 0)]
found = ranks("calls", late, other)
that(found == {("yes", "read"): 0.1, ("yes", "write"): 0.06}, f"calls: {found}")
short = [[f"{long_wait(t, t + MS // 4, 2, WRITE)} stands_for_ns={MS}", *in_call(t, t + MS, 4)] for t in range(20 * MS, 180 * MS, MS)]
found = ranks("short", [*samples(10 * MS, 20 * MS, 2), *[x for of_ms in short for x in of_ms], barrier(180 * MS, 181 * MS, 0),
                        wait(900 * MS, 2, WRITE, 640, 160 * MS, MS // 4)], other)
that(found == {("yes", "write"): 0.16}, f"short calls: {found}")
found = ranks("sampled", [*samples(10 * MS, 20 * MS, 2), *in_call(20 * MS, 180 * MS, 4), barrier(180 * MS, 181 * MS, 0),
                          wait(900 * MS, 2, WRITE, 640, 160 * MS, MS // 4)], other)
that(found == {("yes", "write"): 0.16}, f"sampled calls: {found}")

# a barrier of message passing is such a call, too: the late one computed in it for as long as nobody waited for it there
said = [*samples(1 * MS, 10 * MS, 2), barrier(10 * MS, 100 * MS, 0), *[f"sample time={t} node_id=4 state=4" for t in range(10 * MS + MS // 2, 100 * MS, MS)],
        message(900, 3, 3, 0, 0, 2, (0, 0), (0, 0), [0, 0], [90 * MS, MS]), barrier(100 * MS, 101 * MS, 1)]
late = [x.replace("node_id=4", "node_id=5") for x in ["node node_id=5 parent_id=3 mapping_id=1 address=80 flags=1", *said]]
other = [*samples(1 * MS, 10 * MS, 2), barrier(10 * MS, 10 * MS + MS // 2, 0), barrier(11 * MS, 101 * MS, 1), message(900, 3, 3, 0, 0, 2, (0, 0), (0, 0), [0, 0], [MS // 2, 90 * MS])]
found = ranks("in_barrier", late, other)
that(found == {("yes", "MPI_Barrier"): 0.089}, f"in a barrier: {found}")
# another operation on that line, which the other rank alone calls, and for longer, is none of the late one's
found = ranks("one_line", late, [*other, message(900, 3, 1, 2, 1, 1, (1, 8), (0, 0), [8], [400 * MS])])
that(found == {("yes", "MPI_Barrier"): 0.089}, f"two calls on one line: {found}")

# what the late one did after its signal is no cause: thread 2 computes for 150 ms, signals and reads, thread 1 has a processor 150 ms later, in which nobody
# else is to blame
WORK = os.path.join(os.path.dirname(WORK), "signalled")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
process(0, (1, thread(1) + [held(100 * MS, 400 * MS, 3, (2, 2)).replace("kind=1", "kind=7") + f" ended_before_ns={150 * MS}",
                            wait(401 * MS, 3, 7, 1, 300 * MS, 300 * MS, holder=(2, 2))]),
        (2, thread(2, 0) + [*samples(100 * MS, 250 * MS, 2), long_wait(250 * MS, 450 * MS, 3, 10), wait(460 * MS, 3, 10, 1, 200 * MS, 200 * MS)]))
join()
found = {(r["running"], r["waited"]): round(float(r["caused_s"]), 6) for r in table("cause")}
that(found == {("yes", ""): 0.15, ("no", ""): 0.15}, f"signalled: {found}")

# a join is no cost of its own, in the table as in the finding, which says what each kind of waiting is in all
WORK = os.path.join(os.path.dirname(WORK), "ends")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
SEMAPHORE = 7
signalled = held(100 * MS, 200 * MS, 3, (3, 2)).replace("kind=1", f"kind={SEMAPHORE}")
process(0, (1, thread(1) + [held(100 * MS, 900 * MS, 3, (2, 2)).replace("kind=1", "kind=6"), wait(901 * MS, 3, 6, 1, 800 * MS, 800 * MS, holder=(2, 2))]),
        (2, thread(2, 0) + [held(300 * MS, 500 * MS, 3, (3, 2)), wait(901 * MS, 3, 1, 1, 200 * MS, 200 * MS, holder=(3, 2)), *samples(500 * MS, 900 * MS, 2)]),
        (3, thread(3, 0) + [*samples(300 * MS, 600 * MS, 2), long_wait(600 * MS, 650 * MS, 3, 7)]),
        (4, thread(4, 0) + [signalled, wait(901 * MS, 3, SEMAPHORE, 1, 100 * MS, 100 * MS, holder=(3, 2)), *samples(300 * MS, 320 * MS, 2)]))
join()
said = " ".join(run("report", "--by=cause", DATABASE).split())
that("late end of thread" not in said and "Not counted: 0.800 s in which threads wait for others to end" in said, f"ends of threads in the table: {said}")
that(sum(float(r["caused_s"]) for r in table("cause")) > 1.09, "CSV has joins as well")
caused_agrees("ends", 0.3, "0:0.25", "0.4:0.8")
said = " ".join(run("report", DATABASE).split())
that("of 0.3 s in all (held a lock 0.2 s in 1 wait, late signal 0.1 s in 1), " in said, f"kinds of waiting: {said[:2500]}")

# names of operations and of what was waited for: as much of them as the terminal has room for, the table never wider than that
WORK = os.path.join(os.path.dirname(WORK), "names")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
SCATTER, WORKER = "Reduce_scatter_block_init", "OpenMP worker between regions"
process(0, (0, [f'operation operation_id=3 name="MPI_{SCATTER}" kind=8 state=2']),
        (1, thread(1, 20) + [message(10, 3, 3, 0, 3, 1, (0, 0), (0, 0), [0], [90 * MS]), wait(30, 3, 29, 1, 50 * MS, 50 * MS)]))
join()
for columns, by, name, whole in ((80, "message", SCATTER, SCATTER[:20]), (80, "wait", WORKER, WORKER[:14]), (140, "message", SCATTER, SCATTER[:20]), (140, "wait", WORKER, WORKER)):
    os.environ["COLUMNS"] = str(columns)
    said = run("report", f"--by={by}", DATABASE)
    that(whole in said and all(len(line) <= columns for line in said.splitlines()), f"{by} in {columns} columns: {said}")
    that((name in said) == (whole == name), f"{by} in {columns} columns: cut where there is room, or not where there is none: {said}")
del os.environ["COLUMNS"]

# a process that became another program (a forked child before its exec) does no part of the work: the other ones are compared, and there is one of them
WORK = os.path.join(os.path.dirname(WORK), "replaced")
os.makedirs(WORK)
DATABASE, BEFORE = os.path.join(WORK, "out.h5"), os.path.join(WORK, "before.h5")
process(-1, (1, thread(1, samples=40)), (2, thread(2, samples=40)))
join()
os.rename(DATABASE, BEFORE)
process(-2, (1, thread(1, samples=1)), end=1)
for name in (".out.h5.cache", ".out.h5.made"):
    if os.path.exists(os.path.join(WORK, name)):
        os.remove(os.path.join(WORK, name))
join()
said = run("diff", BEFORE, DATABASE)
that("Scaling" not in said and "A  2 threads" in said and "B  2 threads" in said, f"a child that is replaced is no processor: {said}")
# what runs in both threads of the one that stays is even
said = run("report", DATABASE)
found = [(r["program"], r["processes"]) for r in table("program")]
that(found == [("/nowhere/program", "1"), ("/nowhere/program before exec", "1")], f"the replaced one has a row by program: {found}")
that("max/mean over threads" in said and "Imbalance" not in said, f"a child that is replaced is no processor that has less: {said}")

# barriers of threads: the last one is the one that did not wait when the others were let go, though over the run each waits as long. Thread 2 is late
# by 60 ms of computing and 40 ms without a processor, thread 1 by 100 ms without one; who is let go later than the others had no processor itself
WORK = os.path.join(os.path.dirname(WORK), "barriers")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
BARRIER = 5
process(0, (1, thread(1) + [long_wait(100 * MS, 200 * MS, 3, BARRIER), wait(900 * MS, 3, BARRIER, 2, 100 * MS + 5000, 100 * MS)]),
        (2, thread(2, 0) + [*samples(100 * MS, 160 * MS, 2), long_wait(300 * MS, 400 * MS, 3, BARRIER), wait(900 * MS, 3, BARRIER, 2, 100 * MS + 5000, 100 * MS)]),
        (3, thread(3, 0) + [long_wait(100 * MS, 230 * MS, 3, BARRIER), long_wait(300 * MS, 400 * MS, 3, BARRIER),
                            wait(900 * MS, 3, BARRIER, 2, 230 * MS, 130 * MS)]))
join()
found = {(r["processor"], r["running"]): (int(r["waits"]), *(round(float(r[k]), 6) for k in ("wait_s", "caused_s"))) for r in table("cause")}
that(found == {("rank 0 thread 1", "yes"): (2, 0.2, 0.12), ("rank 0 thread 1", "no"): (2, 0.2, 0.08), ("rank 0 thread 0", "no"): (2, 0.2, 0.2)},
     f"barriers: {found}")
# what each of the two threads caused for want of a processor: 0.08 and 0.2 s
told = [[round(float(r[k]), 6) for k in ("all_threads_s", "threads", "thread_mean_s", "thread_stddev_s", "thread_min_s", "thread_max_s", "thread_p05_s",
                                         "thread_p25_s", "thread_median_s", "thread_p75_s", "thread_p95_s")] for r in table("cause") if r["running"] == "no"]
that(told == [[0.28, 2, 0.14, 0.06, 0.08, 0.2, 0.086, 0.11, 0.14, 0.17, 0.194]] * 2, f"spread of causes: {told}")
told = [[round(float(r[k]), 6) for k in ("process_mean_s", "process_stddev_s", "process_min_s", "process_max_s")] + [r["process_min"], r["process_max"]] for r in table("cause") if r["running"] == "no"]
that(told == [[0.28, 0, 0.28, 0.28, "rank 0", "rank 0"]] * 2, f"spread of causes over processes: {told}")
# threads 0 and 2 waited for others of their process
told = [[round(float(r[k]), 6) for k in ("wait_s", "thread_mean_s", "thread_min_s", "thread_max_s")] for r in table("pair")]
waited = {}
for r in table("delayed"):
    waited[r["processor"]] = waited.get(r["processor"], 0) + float(r["wait_s"])
mean = sum(waited.values()) / len(waited)
that(len(waited) > 1 and told == [[round(x, 6) for x in (sum(waited.values()), mean, min(waited.values()), max(waited.values()))]], f"spread of pairs: {told}, {waited}")

# a lock that a library's own threads hold and want: in its rows, in no sum (the viewer's are tested with this database too)
WORK = os.path.join(os.path.dirname(WORK), "library")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
LIBRARY = ['mapping mapping_id=2 address=8192 size=4096 bias=0 path="/nowhere/library.so" build_id=<> file_size=1 file_mtime_ns=1 time=1']
INSIDE = ["node node_id=4 parent_id=0 mapping_id=2 address=8208 flags=0"]
process(0, (0, LIBRARY),
        (1, thread(1) + [held(100 * MS, 200 * MS, 3, (2, 2)), wait(900 * MS, 3, 1, 1, 100 * MS, 100 * MS, holder=(2, 2))]),
        (2, thread(2, 0) + samples(100 * MS, 200 * MS, 2)),
        (3, thread(3, 0) + INSIDE + [held(100 * MS, 400 * MS, 4, (4, 4)), wait(900 * MS, 4, 1, 1, 300 * MS, 300 * MS, holder=(4, 4))]),
        (4, thread(4, 0) + INSIDE + samples(100 * MS, 400 * MS, 4)))
join()
found = {r["processor"]: (r["own_code"], round(float(r["caused_s"]), 6)) for r in table("cause")}
that(found == {"rank 0 thread 1": ("yes", 0.1), "rank 0 thread 3": ("no", 0.3)}, f"library: {found}")
caused_agrees("library", 0.1, "0:0.15", "0.15:0.35")
said = " ".join(run("report", DATABASE).split())
that("makes others wait 0.1 s (held a lock) by [program]; of 0.1 s in all" in said and "Not counted: 0.300 s" in said, f"library: {said}")

# two threads of a library's pool, one of which waits 0.3 s for the other's signal that there is work, and 0.02 s for its lock: in no table of the program's,
# behind the program's in CSV, and told as what it is
WORK = os.path.join(os.path.dirname(WORK), "pool")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
CONDITION = 4
signalled = f"{long_wait(100 * MS, 400 * MS, 4, CONDITION)} holder_thread_id=4 holder_node_id=4 stands_for_ns={300 * MS}"
process(0, (0, LIBRARY),
        (1, thread(1) + [held(100 * MS, 200 * MS, 3, (2, 2)), wait(900 * MS, 3, 1, 1, 100 * MS, 100 * MS, holder=(2, 2))]),
        (2, thread(2, 0) + samples(100 * MS, 200 * MS, 2)),
        (3, thread(3, 0) + INSIDE + [signalled, wait(900 * MS, 4, CONDITION, 1, 300 * MS, 300 * MS, holder=(4, 4)),
                                     held(500 * MS, 520 * MS, 4, (4, 4)), wait(901 * MS, 4, 1, 1, 20 * MS, 20 * MS, holder=(4, 4))]),
        (4, thread(4, 0) + INSIDE + samples(100 * MS, 400 * MS, 4) + samples(500 * MS, 520 * MS, 4)))
join()
found = [(r["kind"], r["own_code"], round(float(r["wait_s"]), 6)) for r in table("delayed")]
that(found == [("held a lock", "yes", 0.1), ("late signal", "no", 0.3), ("held a lock", "no", 0.02)], f"pool, delayed: {found}")
that([round(float(r["wait_s"]), 6) for r in table("pair")] == [0.1], f"pool, pairs: {table('pair')}")
caused_agrees("pool", 0.1, "0:0.15", "0.15:0.35")
said = run("report", "--by=procedure", "--metric=waiting", DATABASE)
that(re.search(r"\n +1 +0\.100 100\.0 .*\[program\]", said) and re.search(r"\n +0\.320 +threads that libraries keep for themselves, not counted\n", said) and
     "[library.so]" not in said, f"pool, waiting by procedure: {said}")
for by in ("cause", "delayed", "pair"):
    said = " ".join(run("report", f"--by={by}", DATABASE).split())
    that("0.320" not in said.split("Not counted")[0] and
         "Not counted: 0.320 s in which threads that libraries made for themselves wait for each other, 0.300 s of it idle: until one has work for another" in said,
         f"pool, {by}: {said}")
    that(by == "pair" or re.search(r" 0\.100 +100 ", said) and "[library.so]" not in said, f"pool, {by}: {said}")

# what a library's thread waited is handed on to nobody: thread 3 waits 0.3 s for the signal of thread 2, which waits 0.1 s of it for a lock that thread 1 has. Of the
# program that is 0.1 s (it was 0.2). Where a thread of the program (4) waits there too, and longer, it is the program's, and its part is handed on
for number, waits_too in enumerate((False, True)):
    WORK = os.path.join(os.path.dirname(WORK), f"kept-{number}")
    os.makedirs(WORK)
    DATABASE = os.path.join(WORK, "out.h5")
    waited = (f"{long_wait(100 * MS, 400 * MS, node, CONDITION)} holder_thread_id=2 holder_node_id=2 stands_for_ns={300 * MS}" for node in (4, 3))
    in_all = [wait(900 * MS, node, CONDITION, 1, 300 * MS, 300 * MS, holder=(2, 2)) for node in (4, 3)]
    again = f"{long_wait(500 * MS, 600 * MS, 3, CONDITION)} holder_thread_id=2 holder_node_id=2 stands_for_ns={100 * MS}"
    process(0, (0, LIBRARY), (1, thread(1) + samples(100 * MS, 200 * MS, 2)),
            (2, thread(2, 0) + [held(100 * MS, 200 * MS, 3, (1, 2)), wait(900 * MS, 3, 1, 1, 100 * MS, 100 * MS, holder=(1, 2))] + samples(200 * MS, 400 * MS, 2)),
            (3, thread(3, 0) + INSIDE + [next(waited), in_all[0]]),
            *([(4, thread(4, 0) + [next(waited), in_all[1], again, wait(901 * MS, 3, CONDITION, 1, 100 * MS, 100 * MS, holder=(2, 2))])] if waits_too else []))
    join()
    found = {}
    for r in table("cause"):
        had = found.get(r["kind"], (0,))[0]
        found[r["kind"]] = (round(had + float(r["caused_s"]), 6), round(float(r["wait_s"]), 6), round(float(r["indirect_s"]), 6), r["own_code"])
    lock = round(0.1 + 0.4 * 0.2 / 0.7, 6) if waits_too else 0.1
    that(found == {"late signal": (round(0.8 - lock, 6), 0.7, 0.2, "yes") if waits_too else (0.3, 0.3, 0.1, "no"), "held a lock": (lock, 0.1, 0, "yes")}, f"handed on, {waits_too}: {found}")
    said = " ".join(run("report", DATABASE).split())
    in_all = "of 0.8 s in all (late signal 0.7 s in 3 waits, held a lock 0.1 s in 1)" if waits_too else "of 0.1 s in all (for"
    that(in_all in said, f"handed on, {waits_too}: {said[:3000]}")

# a thread of the program waits 0.3 s for a lock that a library's thread has, which waits 0.2 s of it for one that thread 2 has, as thread 4 does: what the library hands
# on is in all, and in no kind of wait for who runs the program's code
WORK = os.path.join(os.path.dirname(WORK), "handed-on")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
process(0, (0, LIBRARY), (1, thread(1) + [held(100 * MS, 400 * MS, 3, (3, 4)), wait(900 * MS, 3, 1, 1, 300 * MS, 300 * MS, holder=(3, 4))]),
        (2, thread(2, 0) + samples(100 * MS, 400 * MS, 2)),
        (3, thread(3, 0) + INSIDE + [held(100 * MS, 300 * MS, 4, (2, 2)), wait(900 * MS, 4, 1, 1, 200 * MS, 200 * MS, holder=(2, 2))] + samples(300 * MS, 400 * MS, 4)),
        (4, thread(4, 0) + [held(100 * MS, 400 * MS, 3, (2, 2)), wait(900 * MS, 3, 1, 1, 300 * MS, 300 * MS, holder=(2, 2)),
                            f"{long_wait(500 * MS, 600 * MS, 3, CONDITION)} holder_thread_id=2 holder_node_id=2 stands_for_ns={100 * MS}",
                            wait(901 * MS, 3, CONDITION, 1, 100 * MS, 100 * MS, holder=(2, 2))]))
join()
found = {}
for r in table("cause"):
    found[r["kind"], r["own_code"]] = round(found.get((r["kind"], r["own_code"]), 0) + float(r["caused_s"]), 6)
that(found == {("held a lock", "yes"): 0.7, ("held a lock", "no"): 0.1, ("late signal", "yes"): 0.1}, f"handed on by a library: {found}")
said = " ".join(run("report", DATABASE).split())
that("of 0.8 s in all (held a lock 0.5 s in 2 waits, late signal 0.1 s in 1, and 0.2 s handed on by threads of libraries, or who waits for others' work, that were waited for)" in said, f"handed on by a library: {said[:2000]}")

# thread 1 has hardly any work of its own: it gives some to thread 2 and waits 0.8 s for its signal, as one waits for the end of a thread. Where thread 2 does not wait for
# work of thread 1, that one is what waits
def living(number, samples_at):
    return [line.replace("time=900 cpu_ns=0 samples=0", f"time={1000 * MS} cpu_ns={len(samples_at) * MS} samples={len(samples_at)}") for line in thread(number, 0)] + samples_at


def signal(begin, end, of):
    ns = end - begin
    return [f"{long_wait(begin, end, 3, CONDITION)} holder_thread_id={of} holder_node_id=2 stands_for_ns={ns}", wait(end + 1, 3, CONDITION, 1, ns, ns, holder=(of, 2))]


for gives_work in (True, False):
    WORK = os.path.join(os.path.dirname(WORK), f"serial-{gives_work}")
    os.makedirs(WORK)
    DATABASE = os.path.join(WORK, "out.h5")
    process(0, (1, living(1, samples(90 * MS, 100 * MS, 2)) + signal(100 * MS, 900 * MS, 2)),
            (2, living(2, samples(100 * MS, 900 * MS, 2)) + (signal(50 * MS, 100 * MS, 1) if gives_work else [])))
    join()
    that(sum(float(r["caused_s"]) for r in table("cause") if r["processor"] == "rank 0 thread 1") == 0.8, f"serial, CSV: {table('cause')}")
    said = " ".join(run("report", "--by=cause", DATABASE).split())
    note = "Not counted: 0.800 s in which threads with hardly any work of their own wait for others' signal that theirs is done"
    that((note in said) == gives_work and (" 0.800 " in said.split("Not counted")[0]) != gives_work, f"serial, {gives_work}: {said}")
    said = " ".join(run("report", DATABASE).split())
    that(("makes others wait 0.8 s (late signal)" in said) != gives_work and ("of 0.05 s in all" in said) == gives_work, f"serial, {gives_work}: {said[:2500]}")

    caused_agrees(f"serial, {gives_work}", 0.05 if gives_work else 0.8, "0:0.3", "0.3:0.7")

# thread 2 of a pool waits 0.8 s for a signal that there is work, and then for one that never comes. Where thread 1 is at work meanwhile nothing is lost by that; where it
# waits, too, the program does. Thread 3, which has work of its own, waits 0.1 s for the same signal; and 0.2 s of the 0.8 thread 1 waits for a lock of thread 3, which is handed
# on to it by who is not idle alone
for at_work in (True, False):
    WORK = os.path.join(os.path.dirname(WORK), f"idle-{at_work}")
    os.makedirs(WORK)
    DATABASE = os.path.join(WORK, "out.h5")
    process(0, (0, living(0, samples(0, 900 * MS if at_work else 100 * MS, 2))),
            (1, living(1, samples(300 * MS, 900 * MS if at_work else 400 * MS, 2)) + [held(100 * MS, 300 * MS, 3, (3, 2)), wait(301 * MS, 3, 1, 1, 200 * MS, 200 * MS, holder=(3, 2))]),
            (2, living(2, samples(90 * MS, 100 * MS, 2)) + signal(100 * MS, 900 * MS, 1) + [wait(980 * MS, 3, CONDITION, 0, 70 * MS, 0, open=1)]),
            (3, living(3, samples(100 * MS, 300 * MS, 2)) + signal(800 * MS, 900 * MS, 1)))
    join()
    caused_agrees(f"idle, {at_work}", 0.3 if at_work else 1.1, "0:0.25", "0.25:0.7")
    that(abs(sum(float(r["caused_s"]) for r in table("cause")) - 1.1) < 1e-6, f"idle, {at_work}, CSV: {table('cause')}")
    said = " ".join(run("report", "--by=cause", DATABASE).split())
    note = "Not counted: 0.800 s in which threads with hardly any work of their own wait for others' signal that theirs is done"
    that((note in said) == at_work, f"idle, {at_work}: {said}")
    said = " ".join(run("report", "--by=wait", DATABASE).split())
    that(("Idle: 0.870 s of it, in which 1 thread waits for work that others do meanwhile" in said) == at_work, f"idle, {at_work}: {said}")
    said = " ".join(run("report", DATABASE).split())
    blocked = re.search(r"Threads of the program are blocked for (\S+ s) .*? longest: (.*?) in (.*?)[,.]", said)
    that(blocked and blocked[1] == ("0.3 s" if at_work else "1.17 s"), f"idle, {at_work}: {said[:3000]}")
    that(("Not counted: 0.87 s in which 1 thread waits for work that others do meanwhile." in said) == at_work, f"idle, {at_work}: {said[:3000]}")
    that([r["idle_s"] for r in table("wait") if r["kind"] == "condition variable" and float(r["idle_s"]) > 0] == (["0.8", "0.07"] if at_work else []), f"idle: {table('wait')}")

# Heatscope's own libraries: 0.4 s in 2 threads, where the program has 0.1 (the viewer's test looks at it)
WORK = os.path.join(os.path.dirname(WORK), "ours")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
OURS = [f'mapping mapping_id={i} address={4096 * i} size=4096 bias=0 path="/nowhere/libheatscope-{name}.so" build_id=<> file_size=1 file_mtime_ns=1 time=1'
        for i, name in ((2, "rt"), (3, "mpi"))]
IN_OURS = ["node node_id=4 parent_id=0 mapping_id=2 address=8208 flags=0", "node node_id=5 parent_id=0 mapping_id=3 address=12304 flags=0"]
process(0, (0, OURS),
        (1, thread(1, 0) + IN_OURS + samples(100 * MS, 200 * MS, 2) + samples(200 * MS, 500 * MS, 4)),
        (2, thread(2, 0) + IN_OURS + samples(100 * MS, 200 * MS, 5)))
join()
that([r["exclusive_periods"] for r in table("procedure")] == ["300", "100", "100"], f"ours: {table('procedure')}")

# who gave the lock back slept for 50 of the 52 ms, and one sample in a system call stands for 16 ms, most of which lie before: what the sleep took is known,
# so that sample has the other two. Another one slept for 10 of 14 ms, of which the one sample that came stands for a single one
WORK = os.path.join(os.path.dirname(WORK), "slept")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
SLEEP = 8
process(0, (0, LIBRARY),
        (1, thread(1) + [held(100 * MS, 152 * MS, 3, (2, 2)), wait(900 * MS, 3, 1, 1, 52 * MS, 52 * MS, holder=(2, 2)),
                            held(200 * MS, 214 * MS, 2, (3, 2)), wait(900 * MS, 2, 1, 1, 14 * MS, 14 * MS, holder=(3, 2))]),
        (2, thread(2, 0) + INSIDE + [f"sample_weighted time={101 * MS} node_id=4 state=0 weight=16 event_id=0",
                            long_wait(101 * MS, 151 * MS, 3, SLEEP), wait(900 * MS, 3, SLEEP, 1, 50 * MS, 50 * MS)]),
        (3, thread(3, 0) + INSIDE + [*samples(201 * MS, 202 * MS, 4), long_wait(203 * MS, 213 * MS, 3, SLEEP), wait(900 * MS, 3, SLEEP, 1, 10 * MS, 10 * MS)]))
join()
found = {(r["processor"], r["procedure"]): round(float(r["caused_s"]), 6) for r in table("cause")}
that(found == {("rank 0 thread 1", "[program]"): 0.05, ("rank 0 thread 1", "[library.so]"): 0.002, ("rank 0 thread 2", "[program]"): 0.01,
               ("rank 0 thread 2", "[library.so]"): 0.004}, f"slept: {found}")

# two wait at once for one that computes for 60 ms and stands in line for 140, as the kernel says too: each waits for all of it, and nothing is not known
WORK = os.path.join(os.path.dirname(WORK), "at-once")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
process(0, *[(t, thread(t, int(t == 1)) + [held(100 * MS, 300 * MS, 3, (3, 2)), wait(900 * MS, 3, 1, 1, 200 * MS, 200 * MS, holder=(3, 2))]) for t in (1, 2)],
        (3, thread(3, 0) + samples(100 * MS, 160 * MS, 2) +
         [f"thread_usage thread_id=3 time=900 user_ns={60 * MS} system_ns=0 minor_faults=0 major_faults=0 voluntary_switches=0 involuntary_switches=0 run_ns={60 * MS} runnable_ns={140 * MS}"]))
join()
found = {(r["known"], r["running"]): round(float(r["caused_s"]), 6) for r in table("cause")}
that(found == {("yes", "yes"): 0.12, ("yes", "no"): 0.28}, f"at once: {found}")

# a worker of OpenMP at the end of a region that has a call at its end: no code of the user's is on its path, but where the region was forked is known
WORK = os.path.join(os.path.dirname(WORK), "body")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
REGION_END = 21
process(0, (0, LIBRARY), (1, thread(1) + ["region region_id=1 node_id=2 threads=2"]),
        (2, thread(2, 0) + INSIDE + [wait(300 * MS, 4, REGION_END, 1, 50 * MS, 50 * MS) + " fork_thread_id=1 fork_node_id=2"]))
join()
found = [(r["procedure"], r["own_code"], r["total_s"]) for r in table("wait")]
that(found == [("[program]", "yes", "0.05")], f"a region that ends in a call: {found}")

# hardly anything but the machine: told so, with what the program has
WORK = os.path.join(os.path.dirname(WORK), "crowded")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
process(0, (1, thread(1) + [held(100 * MS, 600 * MS, 2, (2, 2)), wait(601 * MS, 2, 1, 1, 500 * MS, 500 * MS, holder=(2, 2)),
                            held(700 * MS, 740 * MS, 3, (3, 2)), wait(741 * MS, 3, 1, 1, 40 * MS, 40 * MS, holder=(3, 2))]),
        (2, thread(2, 1)), (3, thread(3, 0) + samples(700 * MS, 800 * MS, 2)))
join()
said = " ".join(run("report", DATABASE).split())
that(re.search(r"Threads wait 0\.5 s for others that had no processor meanwhile, rank 0 thread 1 most: that is the machine's, .*?; of 0\.54 s in all .*?\. "
               r"Of the program itself 0\.04 s: rank 0 thread 2 \(held a lock\), by \[program\]\. ", said), f"crowded: {said}")
said = run("report", "--by=cause", DATABASE).split(" place\n")[1].splitlines() # a section of its own, after the program's
that([bool(re.search(p, line)) for p, line in zip((r"^ +0\.040 +7 .* \[program\]", "^   The machine's: ", r"^ +0\.500 +93 .* not running"), said)] == [True] * 3, f"crowded: {said}")

# three wait at once for one that reads: it is late by 0.1 s, not by the 0.3 s of all three
WORK = os.path.join(os.path.dirname(WORK), "several")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
process(0, *[(t, thread(t, int(t == 1)) + [long_wait(100 * MS, 200 * MS, 2, BARRIER), wait(300 * MS, 2, BARRIER, 1, 100 * MS, 100 * MS)]) for t in (1, 2, 3)],
        (4, thread(4, 0) + [long_wait(100 * MS, 199 * MS, 3, 10), wait(300 * MS, 3, 10, 1, 99 * MS, 99 * MS), wait(300 * MS, 2, BARRIER, 1, 5000, 5000)]))
join()
found = [(r["processor"], r["waited"]) for r in table("cause") if float(r["caused_s"]) > 0.25]
that(found == [("rank 0 thread 3", "read")], f"several: {found}, {table('cause')}")

# one of two was the last (neither waited for long), and who waited for them held a lock meanwhile: what it hands on is what it waited, not twice that
WORK = os.path.join(os.path.dirname(WORK), "among")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
process(0, (1, thread(1) + [held(100 * MS, 200 * MS, 3, (2, 2)), wait(300 * MS, 3, 1, 1, 100 * MS, 100 * MS, holder=(2, 2))]),
        (2, thread(2, 0) + [long_wait(100 * MS, 200 * MS, 3, BARRIER), wait(300 * MS, 3, BARRIER, 1, 100 * MS, 100 * MS)]),
        *[(t, thread(t, 0) + [wait(300 * MS, 3, BARRIER, 1, 5000, 5000)]) for t in (3, 4)])
join()
found = {(r["processor"], r["kind"]): tuple(round(float(r[k]), 4) for k in ("wait_s", "indirect_s", "caused_s")) for r in table("cause")}
that(found == {("rank 0 thread 1", "held a lock"): (0.1, 0.1, 0), ("rank 0 thread 2", "late at a barrier of threads"): (0.05, 0, 0.1),
               ("rank 0 thread 3", "late at a barrier of threads"): (0.05, 0, 0.1)}, f"among: {found}")

# a rank that comes late as its master stood at a barrier of threads: what is waited for it is the late thread's, but for the 5 ms after the barrier. The
# next message is late by a wait of 40 ms for a semaphore that thread 2 posts: the same; and by 10 ms of which nothing is known
SENT, RECEIVED, SEMAPHORE = 1, 2, 7


def world(rank):
    return ['operation operation_id=3 name="MPI_Recv" kind=2 state=2',
            f'message_system time={90 * MS} library="Open MPI" version="1" rank={rank} ranks=2 thread_level=0 understood=1 machine=0x1 clock=0x1',
            f"communicator communicator_id=1 key=0x7 parent_id=0 kind=0 rank={rank} size=2 remote_size=0 first=0 members=[] time={90 * MS}"]


def event(begin, end, operation, flags, peer, sequence):
    return (f"message_event time={begin} duration_ns={end - begin} node_id=3 operation_id={operation} flags={flags} communicator_id=1 peer={peer} tag=0 "
            f"sequence={sequence} bytes=8 begin_thread_id=0 begin_node_id=0 begin_ns=0")


WORK = os.path.join(os.path.dirname(WORK), "handed")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
process(0, (0, world(0)),
        (1, thread(1) + [long_wait(100 * MS, 200 * MS, 2, BARRIER), wait(201 * MS, 2, BARRIER, 1, 100 * MS, 100 * MS),
                         event(205 * MS, 205 * MS + 1000, 1, SENT, 1, 0), f"{long_wait(210 * MS, 250 * MS, 2, SEMAPHORE)} holder_thread_id=2 holder_node_id=2 stands_for_ns={40 * MS}",
                         wait(251 * MS, 2, SEMAPHORE, 1, 40 * MS, 40 * MS, holder=(2, 2)), event(260 * MS, 260 * MS + 1000, 1, SENT, 1, 1)]),
        (2, thread(2, 0) + [*samples(100 * MS, 250 * MS, 2), wait(900 * MS, 2, BARRIER, 1, 5000, 5000)]))
process(1, (0, world(1)), (1, thread(1) + [event(100 * MS, 206 * MS, 3, RECEIVED, 0, 0), event(206 * MS, 261 * MS, 3, RECEIVED, 0, 1)]))
join()
found = {(r["processor"], r["kind"]): tuple(round(float(r[k]), 4) for k in ("wait_s", "indirect_s", "caused_s")) for r in table("cause")}
# of the first 105 ms 100 are handed on, of the next 54 (from 206 ms on) 40 and what is not known of a rank that had waited for nobody before
that(found == {("rank 0 thread 0", "late sender"): (0.159, 0.14, 0.019), ("rank 0 thread 1", "late at a barrier of threads"): (0.1, 0, 0.2),
               ("rank 0 thread 1", "late signal"): (0.04, 0, 0.08)}, f"handed: {found}")

# a large message whose receive was begun in time: its sender waits in MPI_Wait until the receiver lets the library go on, which it does by an MPI_Test
# that has no other event, after it computed. Rank 0 comes to the barrier late by that, so what ranks 1 and 2 wait there is rank 1's loop, too
BEGUN, COMPLETED, COLLECTIVE, TEST, BARRIER_CALL = 8, 16, 4, 5, 4


def member(rank, ranks):
    return [line.replace("size=2", f"size={ranks}").replace("ranks=2", f"ranks={ranks}") for line in world(rank)] + [
        'operation operation_id=4 name="MPI_Barrier" kind=7 state=2', 'operation operation_id=5 name="MPI_Test" kind=5 state=2']


def large(begin, end, operation, flags, peer, sequence, node=3, begun=0, outside=0):
    return (event(begin, end, operation, flags, peer, sequence).replace("bytes=8", "bytes=400000").replace("node_id=3", f"node_id={node}", 1)
            .replace("begin_ns=0", f"begin_ns={begun}") + f" outside_ns={outside}")


def barrier_at(begin, end, sequence=0):
    return large(begin, end, BARRIER_CALL, COLLECTIVE, -1, sequence, node=2).replace("tag=0", "tag=-1")


def world_of(name, *ranks):
    global WORK, DATABASE
    WORK = os.path.join(os.path.dirname(WORK), name)
    os.makedirs(WORK)
    DATABASE = os.path.join(WORK, "out.h5")
    for rank, records in enumerate(ranks):
        process(rank, (0, member(rank, len(ranks))), (1, thread(1) + records + [message(900, 3, 2, 0, 0, 1, (0, 0), (0, 0), [0], [100 * MS])]))
    join()
    return {(r["processor"], r["kind"], r["running"], r["waited"]): tuple(round(float(r[k]), 4) for k in ("wait_s", "caused_s")) for r in table("cause")}


SENDING = [large(100 * MS, 100 * MS + 2000, 1, SENT | BEGUN, 1, 0), large(110 * MS, 210 * MS, 2, SENT | COMPLETED, 1, 0, node=3, begun=10 * MS)]
RECEIVING = [large(99 * MS, 99 * MS + 2000, 3, RECEIVED | BEGUN, 0, 0), *samples(100 * MS, 209 * MS, 2)]
found = world_of("progress", SENDING + [barrier_at(211 * MS, 212 * MS)],
                 RECEIVING + [large(209 * MS, 209 * MS + 4000, TEST, 0, -1, 0, node=2, outside=110 * MS), barrier_at(210 * MS, 212 * MS)],
                 [barrier_at(111 * MS, 212 * MS)])
that(found == {("rank 1 thread 0", "late receiver", "yes", ""): (0.099, 0.198), ("rank 0 thread 0", "late at a barrier", "yes", "MPI_Wait"): (0.101, 0.002)},
     f"progress: {found}")
# where the receiver had called the library meanwhile, or smaller ones were sent while it did not, nobody is late: rank 0 was in MPI_Wait, which its delay says
found = world_of("in-wait", SENDING + [barrier_at(211 * MS, 212 * MS)], RECEIVING + [large(209 * MS, 209 * MS + 4000, TEST, 0, -1, 0, node=2, outside=90 * MS), barrier_at(210 * MS, 212 * MS)],
                 [barrier_at(111 * MS, 212 * MS)])
that(set(found) == {("rank 0 thread 0", "late at a barrier", "yes", "MPI_Wait")}, f"in MPI_Wait: {found}")
# it waited from within the receiver's call before on: that did not end it
found = world_of("before", SENDING, [large(98 * MS, 119 * MS, 3, RECEIVED, 2, 7), *samples(119 * MS, 209 * MS, 2), large(209 * MS, 209 * MS + 4000, TEST, 0, -1, 0, node=2, outside=90 * MS)])
that(found == {("rank 1 thread 0", "late receiver", "yes", ""): (0.099, 0.0803), ("rank 1 thread 0", "late receiver", "yes", "MPI_Wait"): (0.099, 0.0187)}, f"before: {found}")
EAGER = [large(20 * MS, 20 * MS + 2000, 1, SENT | BEGUN, 1, 0), large(30 * MS, 40 * MS, 2, SENT | COMPLETED, 1, 0, begun=10 * MS)]
TAKEN = [large(9 * MS, 9 * MS + 2000, 3, RECEIVED | BEGUN, 0, 0), large(90 * MS, 90 * MS + 4000, TEST, 0, -1, 0, node=2, outside=80 * MS)]
again = [[x.replace("sequence=0", "sequence=1") for x in records] for records in (SENDING, RECEIVING)]
found = world_of("eager", EAGER + again[0], TAKEN + again[1] + [large(209 * MS, 209 * MS + 4000, TEST, 0, -1, 0, node=2, outside=110 * MS)])
that(not found, f"eager: {found}")

# operations of neighbours, in a ring of four: rank 1 comes late, and keeps ranks 0 and 2 waiting but not 3. Of what only MPI_Wait has an event of, and of what a persistent
# request began, it is the same; where the neighbours are not known (older files), nobody is told
EXCHANGE, STARTED, WAIT = 6, 7, 8


def exchange(begin, end, operation, flags=COLLECTIVE, sequence=0, node=3):
    return barrier_at(begin, end, sequence).replace(f"operation_id={BARRIER_CALL}", f"operation_id={operation}").replace(f"flags={COLLECTIVE}", f"flags={flags}").replace(
        "node_id=2", f"node_id={node}", 1).replace("bytes=400000", "bytes=16")


def ring(name, known, begins, waits):
    """Ranks 0, 2 and 3 wait by `waits`, a function of begin and end; rank 1 comes by `begins`."""
    global WORK, DATABASE
    WORK = os.path.join(os.path.dirname(WORK), name)
    os.makedirs(WORK)
    DATABASE = os.path.join(WORK, "out.h5")
    for rank in range(4):
        told = [f"neighbours communicator_id=1 sources=[{(rank + 3) % 4},{(rank + 1) % 4},{(rank + 1) % 4}] destinations=[{(rank + 3) % 4},{(rank + 1) % 4}] time={95 * MS}"]
        records = waits(100 * MS, 151 * MS if rank != 3 else 102 * MS) if rank != 1 else [*samples(95 * MS, 150 * MS, 2), *begins(150 * MS, 151 * MS)]
        process(rank, (0, member(rank, 4) + ['operation operation_id=6 name="MPI_Neighbor_alltoall" kind=8 state=2', 'operation operation_id=8 name="MPI_Wait" kind=5 state=2',
                                             'operation operation_id=7 name="MPI_Ineighbor_alltoall" kind=8 state=2'] + told * known),
                (1, thread(1) + records + [message(900, 3, 2, 0, 0, 1, (0, 0), (0, 0), [0], [100 * MS])]))
    join()
    return {(r["kind"], r["processor"], r["late_processor"]): round(float(r["wait_s"]), 4) for r in table("delayed")}


NEIGHBOURS_WAIT = {("late neighbour", f"rank {rank} thread 0", "rank 1 thread 0"): 0.05 for rank in (0, 2)}
found = ring("neighbours", True, lambda begin, end: [exchange(begin, end, EXCHANGE)], lambda begin, end: [exchange(begin, end, EXCHANGE)])
that(found == NEIGHBOURS_WAIT, f"neighbours: {found}")
unclear = [float(r["time_s"]) for r in table("ledger") if "neighbours that are not known" in r["meaning"]]
that(unclear == [0], f"neighbours in the ledger: {unclear}")
found = ring("neighbours-begun", True, lambda begin, end: [exchange(begin, begin, STARTED, COLLECTIVE | BEGUN)],
             lambda begin, end: [exchange(begin, end, WAIT, COLLECTIVE | COMPLETED)])
that(found == NEIGHBOURS_WAIT, f"neighbours, completed: {found}")
found = ring("neighbours-unknown", False, lambda begin, end: [exchange(begin, end, EXCHANGE)], lambda begin, end: [exchange(begin, end, EXCHANGE)])
unclear = [float(r["time_s"]) for r in table("ledger") if "neighbours that are not known" in r["meaning"]]
that(not found and abs(unclear[0] - (0.051 + 0.051 + 0.002 + 0.001)) < 1e-6, f"neighbours that are not known: {found}, {unclear}")

# messages of which some go to nobody: these calls have no size
WORK = os.path.join(os.path.dirname(WORK), "nobody")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
process(0, (1, thread(1) + [message(10, 3, 1, 2, 4, 2, (2, 24000), (0, 0), [8000, 16000], [3000, 5000]),
                            message(11, 3, 1, 5, 0, 6, (0, 0), (0, 0), [0] * 6, [100] * 6)]))
process(1, (1, thread(1) + [message(10, 3, 1, 5, 3, 3, (0, 0), (2, 8000), [4000, 4000], [700, 800, 900])]))
join()
found = {(r["peer"], r["size_class"]): tuple(float(r[f"size_{k}_bytes"]) for k in ("min", "mean", "max", "stddev")) for r in table("message")}
that(found == {("a process of the same machine", "4"): (8000, 12000, 16000, 4000), ("MPI_PROC_NULL", "0"): (0, 0, 0, 0),
               ("MPI_PROC_NULL for what is sent", "3"): (4000, 4000, 4000, 0)}, f"nobody: {found}")

# processes and threads without a sample beside those with some: a rank that passed messages counts with all that is exact, and one that waited for a period or longer; so
# does a process with visits of a probe, whose thread without anything else has them, and one that told of a phase. One that waited for less and did nothing else is in the ledger alone
WORK = os.path.join(os.path.dirname(WORK), "unsampled")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
PROBE = ['block block_id=1 parent_id=0 number=1', 'block_summary time=900 block_id=1 count=7 left=0 duration_ns=700 duration_min=100 duration_max=100 '
         'duration_squares=70000.0 duration_histogram=[7,7]']
PLACE = 'probe_place number=1 module_tag=0x1 tag=0x1 kind=0 flags=0 name="probed" file="a.c" line=10'
process(0, (1, thread(1, 4) + [message(10, 3, 1, 2, 3, 2, (2, 600), (0, 0), [200, 400], [3000, 5000]), peer(11, 2, (2, 600), (0, 0))]))
process(1, (1, thread(1, 0) + [wait(30, 3, 10, 1, 50 * MS, 50 * MS)]))
process(2, (1, thread(1, 0) + [message(10, 3, 1, 2, 3, 5, (5, 1000), (2, 600), [200] * 5, [9000] * 5), peer(11, 0, (5, 1000), (2, 600)),
                               wait(30, 3, 10, 3, 300 * MS, 200 * MS)]),
        (2, thread(2, 0) + [message(10, 2, 2, 0, 0, 1, (0, 0), (0, 0), [0], [8000])]), (3, thread(3, 0)))
process(4, (1, thread(1, 0) + [wait(30, 3, 10, 9, 9 * MS // 10, MS // 10)]))
process(5, (0, ['user_name name_id=1 name="phase"']), (1, thread(1, 0) + ["user_phase time=20 name_id=1"]))
process(-1, (0, [PLACE]), (1, thread(1, 0)), (2, thread(2, 0) + PROBE))
summary = join()
that("5 processes, 7 threads" in summary, f"unsampled: {summary}")
that(sums("message") == [8, 1600, 600, 0, 8000 + 45000 + 8000, 0], f"unsampled: messages {sums('message')}")
that({(r["processor"], r["peer"]): (r["sent_messages"], r["received_messages"]) for r in table("pair")} ==
     {("rank 0", "rank 2"): ("2", "0"), ("rank 2", "rank 0"): ("5", "2")}, f"unsampled: pairs {table('pair')}")
that(sums("wait") == [4, 0, 350 * MS], f"unsampled: waits {sums('wait')}")
that([r["rank"] for r in table("processor", "--processors=process")] == ["0", "1", "2", "5", "-1"],
     f"unsampled: processors {table('processor', '--processors=process')}")
short = [(r["periods"], r["time_s"]) for r in table("ledger") if r["name"] == "processes too short"]
that(short == [("1", "0")], f"unsampled: too short {short}")
that([(r["name"], r["visits"]) for r in table("probe")] == [("probed", "7")], f"unsampled: probes {table('probe')}")
that(sum(int(r["exclusive_periods"]) for r in table("procedure")) == 4, "unsampled: samples")
with open(DATABASE, "rb") as f:
    whole = f.read()
process(3, (1, thread(1, 0) + [message(10, 3, 1, 2, 3, 1, (1, 200), (0, 0), [200], [1000])]))
join()
that(sums("message")[0] == 9, f"unsampled: one more rank: {sums('message')}")
os.unlink(os.path.join(WORK, "h.103.hsr"))
join() # what is kept of the others is taken
with open(DATABASE, "rb") as f:
    that(f.read() == whole, "unsampled: other bytes after a rank has come and gone")

# a thread that has not ended: its clock was read 3 samples before the last one
WORK = os.path.join(os.path.dirname(WORK), "unended")
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
process(0, (1, [r.replace("ended=1", "ended=0") for r in thread(1, 5)] + ["sample time=950 node_id=2 state=0"] * 3), (2, thread(2, 5)))
join()
cpu = [(r["thread"], float(r["cpu_s"]), int(r["periods"])) for r in table("processor")]
that(cpu == [("0", 0.008, 8), ("1", 0.005, 5)], f"unended: CPU time {cpu}")

# a rank of two threads that call MPI: the share is of the time of both; of one thread each, of all ranks
for threads, told in ((1, "18.8 % of the elapsed time of all ranks"), (2, "24.2 % of the elapsed time of the 3 threads that call it")):
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    sends = [message(850_000_000, 3, 1, 2, 3, 1, (1, 300), (0, 0), [300], [700_000_000])]
    process(0, *((n, [line.replace("time=900", "time=2000000000") for line in thread(n)] + sends) for n in range(1, threads + 1)), end=1_000_000_000)
    process(1, (1, thread(1) + [message(850_000_000, 3, 1, 2, 3, 1, (1, 300), (0, 0), [300], [50_000_000])]), end=1_000_000_000)
    join()
    said = " ".join(run("report", DATABASE).split())
    that(told in said, f"{threads} threads that call MPI: {said}")

for w in wrong:
    print("FAILED", w)
sys.exit(1 if wrong else 0)
