#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""waits_bench.py HEATSCOPE RECORDS [--waits 10000,20000,40000] [--repeat 3]

CPU time of correlating *made-up* traces of so many waits of one thread for another, which waits as often for a third: short ones, and one as long as
the run, so that all that was done meanwhile is held in memory. Medians, and of each number the ratio to the one before: 2 for twice the waits is in
proportion. RECORDS: a text dump that begins with this version's schema chunk (tests/formats/golden/records.txt). Judges nothing."""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile

LOCK, STEP, SHORT = 1, 100_000, 40_000  # ns between the waits, and of one


def held(begin, end, node, holder):
    return (f"wait_interval time={end} duration_ns={end - begin} node_id={node} kind={LOCK} bytes=0 holder_thread_id={holder} holder_node_id=2 stands_for_ns={end - begin}")


def summed(time, node, n, total, longest, holder):
    return (f"wait time={time} node_id={node} kind={LOCK} count={n} total_ns={total} max_ns={longest} bytes=0 bucket=10 buckets=[{n}] "
            f"holder_thread_id={holder} holder_node_id=2 open=0 told_ns=0")


def thread(number, records, end):
    return [f'thread thread_id={number} tid={number} time=1 name="t" creator_id=0', "node node_id=1 parent_id=0 mapping_id=1 address=16 flags=0",
            "node node_id=2 parent_id=1 mapping_id=1 address=32 flags=0", "node node_id=3 parent_id=1 mapping_id=1 address=48 flags=0", "sample time=5 node_id=2 state=0",
            *records, f"progress thread_id={number} time={end} cpu_ns=1000000 samples=1 lost=0 own_ns=0 ended=1 truncated=0"]


def make(heatscope, head, schema, n, folder):
    end = (n + 2) * STEP

    def waits(offset, holder):
        return [held(STEP * k + offset, STEP * k + offset + SHORT, 3, holder) for k in range(1, n + 1)] + [summed(end, 3, n, n * SHORT, SHORT, holder)]

    body = head + [f"@chunk dynamic stream=0 sequence=0 t0=0 lost=0 slot=packed sealed schema={schema}",
                   'process pid=100 parent_pid=1 rank=0 ranks=1 host="h" executable="/nowhere/program" arguments=["program"] directory="/" start_unix_ns=1000000000 start_ns=0 '
                   'mechanism="perf-cpu-clock" mechanism_note="" period_ns=1000000 processors=2 runtime_version="" job=""',
                   'mapping mapping_id=1 address=0 size=4096 bias=0 path="/nowhere/program" build_id=<> file_size=1 file_mtime_ns=1 time=1']
    for number, records in ((1, waits(0, 2)), (2, waits(20_000, 3)), (3, []), (4, [held(STEP, end - STEP, 3, 2), summed(end, 3, 1, end - 2 * STEP, end - 2 * STEP, 2)])):
        body += [f"@chunk dynamic stream={number} sequence=0 t0=0 lost=0 slot=packed sealed schema={schema}", *thread(number, records, end)]
    body += [f"process_end time={end} cpu_ns=4000000 how=0", ""]
    subprocess.run([heatscope, "dump", "--undump", "-", "-o", os.path.join(folder, "h.100.hsr")], input="\n".join(body), text=True, check=True)


def main():
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("heatscope", type=os.path.abspath)
    a.add_argument("records")
    a.add_argument("--waits", default="10000,20000,40000")
    a.add_argument("--repeat", type=int, default=3)
    o = a.parse_args()
    with open(o.records, encoding="utf-8") as f:
        lines = f.read().split("\n")
    head = lines[:next(i for i, line in enumerate(lines[2:], 2) if line.startswith("@chunk"))]
    schema = lines[1].split("schema=")[1].split()[0]
    folder = tempfile.mkdtemp(prefix="waits_bench.")
    try:
        before = None
        for n in (int(v) for v in o.waits.split(",")):
            source, times = os.path.join(folder, str(n)), []
            os.mkdir(source)
            make(o.heatscope, head, schema, n, source)
            for _ in range(o.repeat):
                then = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run([o.heatscope, "correlate", "-q", "-j1", "--cache=none", "-o", os.path.join(folder, "x.h5"), source], check=True, stderr=subprocess.DEVNULL)
                now = resource.getrusage(resource.RUSAGE_CHILDREN)
                times.append(now.ru_utime + now.ru_stime - then.ru_utime - then.ru_stime)
            middle = statistics.median(times)
            print(f"{n:7d} waits: {middle:7.3f} s" + (f", {middle / before:.2f} times" if before else ""), flush=True)
            before = middle
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
