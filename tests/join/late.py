# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the last thread at the end of a region was late by, in made-up files of a team of three: what it did more than those who waited, since they were in step, or
for how much longer it had no processor. Usage: late.py HEATSCOPE RECORDS.TXT WORK CC (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, RECORDS, WORK, CC = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3]), sys.argv[4]
MS = 1_000_000
REGIONS, LENGTH = 20, 40 # ms each
BARRIER, OMP_REGION_END, OMP_IDLE = 5, 21, 29
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": os.path.join(WORK, "keys")}
SOURCE = """void work(void) {}
void more(void) {}
void region(void) __asm__("main.omp_outlined"); /* as a compiler names the body of one */
void region(void) { work(); more(); }
int main(void) { work(); more(); region(); return 0; }
"""
wrong = []


def run(*command, text=None):
    done = subprocess.run(command, capture_output=True, text=True, input=text, env=ENVIRONMENT)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
PROGRAM, OUT = os.path.join(WORK, "program"), os.path.join(WORK, "out.h5")
with open(PROGRAM + ".c", "w", encoding="utf-8") as f:
    f.write(SOURCE)
run(CC, "-g", "-O0", "-o", PROGRAM, PROGRAM + ".c")
STAT = os.stat(PROGRAM)
AT = {name: int(address, 16) for address, _, name in (line.split() for line in run("nm", "--defined-only", PROGRAM).splitlines())}
with open(RECORDS, encoding="utf-8") as f:
    lines = f.read().split("\n")
HEAD = lines[:next(i for i, line in enumerate(lines[2:], 2) if line.startswith("@chunk"))]
SCHEMA = lines[1].split("schema=")[1].split()[0]
NODES = ("main", "work", "more")
MAIN, DONE, MORE = 1, 2, 3 # nodes


def chunk(stream):
    return f"@chunk dynamic stream={stream} sequence=0 t0=0 lost=0 slot=packed sealed schema={SCHEMA}"


def waits(thread, region, begin, end, kind, in_step, holder=0):
    """begin, end, in_step: ms; in_step 0: not told. holder: at a barrier of POSIX threads, the last one."""
    ns, omp = (end - begin) * MS, kind != BARRIER
    fork = f"fork_thread_id={int(omp and thread > 1)} fork_node_id={int(omp and thread > 1)}"
    by = f"holder_thread_id={holder} holder_node_id={int(holder > 0)}"
    return [f"wait time={end * MS} node_id=1 kind={kind} count=1 total_ns={ns} max_ns={ns} bytes=0 bucket=10 buckets=[1] {by} open=0 told_ns=0 {fork}",
            f"wait_interval time={end * MS} duration_ns={ns} node_id=1 kind={kind} bytes=0 {by} stands_for_ns={ns if holder else 0} {fork} region_id={region if omp else 0} "
            f"team_thread_id={int(omp)} team_threads={3 * omp} ended_before_ns=0 in_step_before_ns={(end - in_step) * MS if in_step else 0}"]


def stream(thread, does, arrives, all_arrive, told, idle, posix):
    """does: (node, first ms, last ms) in each region, counted from its fork. told: since when they were in step; a number: of so many regions. posix: barriers of POSIX threads instead, the last of which was at the fork."""
    body, samples = [], 0
    for r in range(1, REGIONS + 1):
        fork = r * LENGTH
        body += [] if thread == 1 or posix else [(fork, f"team_member region_id={r} team_thread_id=1 number={thread - 1}")] * (r == 1)
        body += [(fork + idle, line) for line in (waits(thread, r, fork - 5, fork + idle, OMP_IDLE, 0) if idle else [])]
        for node, first, last in does:
            body += [(fork + t, f"sample time={(fork + t) * MS + MS // 2} node_id={node} state=0") for t in range(first, last)]
            samples += last - first
        if arrives < all_arrive:
            body += [(fork + all_arrive, line) for line in waits(thread, r, fork + arrives, fork + all_arrive, BARRIER if posix else OMP_REGION_END, fork if told is True or r <= told else 0, 3 * posix)]
    usage = (f"thread_usage thread_id={thread} time={(REGIONS + 2) * LENGTH * MS} user_ns={samples * MS} system_ns=0 minor_faults=0 major_faults=0 voluntary_switches=0 involuntary_switches=0 "
             f"run_ns={samples * MS} runnable_ns={sum(1 for t in range(arrives) if not any(a <= t < b for _, a, b in does)) * REGIONS * MS}")
    return [chunk(thread), f'thread thread_id={thread} tid={thread} time=1 name="t" creator_id={int(thread > 1)}',
            *[f"node node_id={i} parent_id={int(i > 1)} mapping_id=1 address={AT[name] + 1} flags=0" for i, name in enumerate(NODES, 1)],
            *[line for _, line in sorted(body, key=lambda b: b[0])], usage,
            f"progress thread_id={thread} time={(REGIONS + 2) * LENGTH * MS} cpu_ns={samples * MS} samples={samples} lost=0 own_ns=0 ended=1 truncated=0"]


def check(name, others, last, wanted, told=True, idle=0, posix=False):
    """others, last: (what it does, when it comes), ms from the fork. wanted: part of what was waited, by procedure; None: had no processor."""
    folder = os.path.join(WORK, name)
    os.makedirs(folder)
    end = (REGIONS + 3) * LENGTH * MS
    text = HEAD + [chunk(0),
                   f'process pid=100 parent_pid=1 rank=-1 ranks=0 host="h" executable="{PROGRAM}" arguments=["program"] directory="/" start_unix_ns=1000000000 start_ns=0 '
                   'mechanism="perf-cpu-clock" mechanism_note="" period_ns=1000000 processors=2 runtime_version="" job=""',
                   f'mapping mapping_id=1 address=0 size={STAT.st_size} bias=0 path="{PROGRAM}" build_id=<> file_size={STAT.st_size} file_mtime_ns={STAT.st_mtime_ns} time=1',
                   *stream(1, *others, last[1], told, 0, posix), *stream(2, *others, last[1], told, 0, posix), *stream(3, *last, last[1], told, idle, posix),
                   chunk(0), f"process_end time={end} cpu_ns={end} how=0", ""]
    run(HEATSCOPE, "dump", "--undump", "-", "-o", os.path.join(folder, "h.100.hsr"), text="\n".join(text))
    run(HEATSCOPE, "correlate", "-q", "--cache=none", "-j1", "-o", OUT, folder)
    rows = [r for r in csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=cause", "--format=csv", OUT))) if r["kind"] == "late at a barrier of threads"]
    waited = 2 * REGIONS * (last[1] - others[1]) * 1e-3
    found = {}
    for r in rows:
        what = None if r["running"] == "no" else r["procedure"]
        found[what] = found.get(what, 0) + float(r["caused_s"]) / waited
        if r["processor"] != "thread 2":
            wrong.append(f"{name}: late is {r['processor']}")
    if set(found) != set(wanted) or any(abs(found[k] - wanted[k]) > 0.01 for k in wanted):
        wrong.append(f"{name}: {found}, expected {wanted}")


def short(name, waited, did, wanted, long_ones=0):
    """Waits too short for records of their own, of a team of two: waited (ms in all) and did (samples of work, of more) of either, wanted: ms, by procedure.
    long_ones: so many regions before, in which the first waits 20 ms for the second, which has no processor for 10 of them and does 10 of more."""
    folder = os.path.join(WORK, name)
    os.makedirs(folder)
    end = 100_000 * MS
    text = HEAD + [chunk(0),
                   f'process pid=100 parent_pid=1 rank=-1 ranks=0 host="h" executable="{PROGRAM}" arguments=["program"] directory="/" start_unix_ns=1000000000 start_ns=0 '
                   'mechanism="perf-cpu-clock" mechanism_note="" period_ns=1000000 processors=2 runtime_version="" job=""',
                   f'mapping mapping_id=1 address=0 size={STAT.st_size} bias=0 path="{PROGRAM}" build_id=<> file_size={STAT.st_size} file_mtime_ns={STAT.st_mtime_ns} time=1']
    for thread in (1, 2):
        body, at, n, ns = [], 50_000, sum(did[thread - 1]), waited[thread - 1] * MS
        for r in range(1, long_ones + 1):
            fork = r * LENGTH
            does = [(3, 0, 10)] if thread == 1 else [(3, 10, 20), (4, 20, 30)]
            body += [f"team_member region_id={r} team_thread_id=1 number=1"] * (thread == 2 and r == 1)
            body += [f"sample time={(fork + t) * MS + MS // 2} node_id={node} state=0" for node, first, last in does for t in range(first, last)]
            n += sum(last - first for _, first, last in does)
            body += [line.replace("team_threads=3", "team_threads=2") for line in waits(1, r, fork + 10, fork + 30, OMP_REGION_END, fork)] if thread == 1 else []
        for node, count in zip((3, 4), did[thread - 1]):
            body += [f"sample time={(at + t) * MS} node_id={node} state=0" for t in range(count)]
            at += count
        fork = f"fork_thread_id={thread - 1} fork_node_id={thread - 1}"
        body += [f"wait time={90_000 * MS} node_id=1 kind={OMP_REGION_END} count={5 * waited[thread - 1]} total_ns={ns} max_ns=900000 bytes=0 bucket=10 buckets=[{5 * waited[thread - 1]}] "
                 f"holder_thread_id=0 holder_node_id=0 open=0 told_ns=0 {fork}"] if ns else []
        text += [chunk(thread), f'thread thread_id={thread} tid={thread} time=1 name="t" creator_id={thread - 1}',
                 *[f"node node_id={i} parent_id={parent} mapping_id=1 address={AT[symbol] + 1} flags=0"
                   for i, parent, symbol in ((1, 0, "main"), (2, 1, "main.omp_outlined"), (3, 2, "work"), (4, 2, "more"))], *body,
                 f"thread_usage thread_id={thread} time={end} user_ns={n * MS} system_ns=0 minor_faults=0 major_faults=0 voluntary_switches=0 involuntary_switches=0 "
                 f"run_ns={n * MS} runnable_ns={10 * MS * long_ones * (thread == 2)}",
                 f"progress thread_id={thread} time={end} cpu_ns={n * MS} samples={n} lost=0 own_ns=0 ended=1 truncated=0"]
    text += [chunk(0), f"process_end time={end} cpu_ns={end} how=0", ""]
    run(HEATSCOPE, "dump", "--undump", "-", "-o", os.path.join(folder, "h.100.hsr"), text="\n".join(text))
    run(HEATSCOPE, "correlate", "-q", "--cache=none", "-j1", "-o", OUT, folder)
    found = {}
    for r in csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=cause", "--format=csv", OUT))):
        if r["kind"] == "late at a barrier of threads":
            what = None if r["running"] == "no" else r["procedure"]
            found[what] = found.get(what, 0) + float(r["caused_s"]) * 1e3
    if set(found) != set(wanted) or any(abs(found[k] - wanted[k]) > 0.5 for k in wanted):
        wrong.append(f"{name}: {found}, expected {wanted}")


EVEN = ([(DONE, 0, 10)], 10)
check("even", EVEN, ([(DONE, 10, 20)], 20), {None: 1})                                  # it did what the others did, later
check("uneven", EVEN, ([(DONE, 0, 10), (MORE, 10, 20)], 20), {"more": 1})
check("both", EVEN, ([(DONE, 5, 15), (MORE, 15, 25)], 25), {None: 1 / 3, "more": 2 / 3}) # no processor for 5 ms, then more work
check("woken-late", EVEN, ([(DONE, 5, 15), (MORE, 15, 25)], 25), {None: 1 / 3, "more": 2 / 3}, idle=5)
check("shared", ([(DONE, 0, 5), (DONE, 10, 15)], 15), ([(DONE, 5, 10), (DONE, 15, 20)], 20), {None: 1}) # two by turns on one processor
check("not-in-step", EVEN, ([(DONE, 5, 15), (MORE, 15, 25)], 25), {"work": 1 / 3, "more": 2 / 3}, told=False)
for name, last, wanted in (("posix-even", ([(DONE, 10, 20)], 20), {None: 1}), ("posix-both", ([(DONE, 5, 15), (MORE, 15, 25)], 25), {None: 1 / 3, "more": 2 / 3})):
    check(name, EVEN, last, wanted, posix=True)
# of some of the waits it is not told since when they were in step: what it had no processor for is a part of all of them
check("posix_half", ([(DONE, 0, 2)], 2), ([(DONE, 0, 2), (MORE, 2, 12)], 22), {"more": 0.5, None: 0.5}, told=REGIONS // 2, posix=True)
short("short-even", (500, 497), ((1000, 0), (1040, 0)), {"work": 3})        # by chance 40 samples more: it was 500 ms
short("short-uneven", (450, 50), ((1000, 0), (1000, 420)), {"more": 400})    # the clock says how much, 50 is the barrier's own cost
short("short-doubt", (450, 50), ((1000, 0), (1000, 300)), {"more": 300})    # and samples, how much of it
short("short-machine", (450, 50), ((1000, 0), (995, 0)), {})                 # nobody did more, so nobody is told
short("short-and-long", (450, 50), ((1000, 0), (1000, 420)), {None: 100, "more": 500}, long_ones=10)
print("\n".join(wrong))
sys.exit(bool(wrong))
