# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A made-up run of two programs: what is compared is processes of one program.
Usage: programs.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import csv
import io
import math
import os
import shutil
import subprocess
import sys

HEATSCOPE, RECORDS, WORK = sys.argv[1:4]
MINE, OTHER, BOTH = "/made/up/worker", "/made/up/feeder", "/made/up/library.so"
LINES = open(RECORDS, encoding="utf-8").read().split("\n")
HEAD = LINES[:next(i for i, line in enumerate(LINES[2:], 2) if line.startswith("@chunk"))]
SCHEMA = HEAD[1].split("schema=")[1].split()[0]
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def run(*command, text=None):
    done = subprocess.run([HEATSCOPE, *command], capture_output=True, text=True, input=text)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def table(by):
    return list(csv.DictReader(io.StringIO(run("report", f"--by={by}", "--format=csv", DATABASE))))


def process(pid, program, own, shared):
    """own: samples in the program itself, shared: in a library of both"""
    chunk = "@chunk dynamic stream={} sequence=0 t0=0 lost=0 slot=packed sealed schema=" + SCHEMA
    lines = HEAD + [
        chunk.format(0),
        f'process pid={pid} parent_pid=1 rank=-1 ranks=0 host="h" executable="{program}" arguments=["{program}"] '
        f'directory="/" start_unix_ns={1000000000 + pid} start_ns=0 mechanism="perf-cpu-clock" mechanism_note="" period_ns=1000000 '
        'processors=2 runtime_version="" job=""',
        *[f'mapping mapping_id={i} address={4096 * i} size=4096 bias=0 path="{path}" build_id=<> file_size=1 file_mtime_ns=1 time=1'
          for i, path in ((1, program), (2, BOTH))],
        chunk.format(1), 'thread thread_id=1 tid=1 time=1 name="t" creator_id=0', "node node_id=1 parent_id=0 mapping_id=1 address=4112 flags=0",
        "node node_id=2 parent_id=1 mapping_id=2 address=8208 flags=0",
        *["sample time=5 node_id=1 state=0"] * own, *["sample time=5 node_id=2 state=0"] * shared,
        f"progress thread_id=1 time=900 cpu_ns={(own + shared) * 1000000} samples={own + shared} lost=0 own_ns=0 ended=1 truncated=0",
        f"process_end time=2000000000 cpu_ns={(own + shared) * 1000000} how=0", ""]
    run("dump", "--undump", "-", "-o", os.path.join(WORK, f"h.{pid}.hsr"), text="\n".join(lines))


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "out.h5")
for pid, own in ((11, 40), (12, 40), (13, 10)):
    process(pid, MINE, own, 0)
process(21, OTHER, 400, 5)
process(22, OTHER, 400, 0)
process(23, MINE, 30, 5)
run("correlate", "-o", DATABASE, WORK)

programs = {r["program"]: r for r in table("program")}
that(set(programs) == {MINE, OTHER}, f"programs: {set(programs)}")
for path, n, periods, most, mean in ((MINE, 4, 125, 40, 125 / 4), (OTHER, 2, 805, 405, 805 / 2)):
    r = programs[path]
    that((int(r["processes"]), int(r["inclusive_periods"])) == (n, periods), f"sums {r}")
    that(math.isclose(float(r["max_s"]), most / 1000, rel_tol=1e-6) and math.isclose(float(r["mean_s"]), mean / 1000, rel_tol=1e-6) and
         math.isclose(float(r["imbalance_s"]), (most - mean) / 1000, rel_tol=1e-6), f"spread {r}")
that(programs[MINE]["min_processor"] == "worker 13" and programs[OTHER]["max_processor"] == "feeder 21", f"processors {programs}")

procedures = {r["module"]: r for r in table("procedure") if int(r["exclusive_periods"])}
that(math.isclose(float(procedures[MINE]["max_over_mean"]), 40 / 30, rel_tol=1e-6), f"a program's own, over its 4 processes: {procedures[MINE]}")
that(math.isclose(float(procedures[OTHER]["max_over_mean"]), 1), f"even in its own program: {procedures[OTHER]}")
that(procedures[BOTH]["max_over_mean"] == procedures[BOTH]["imbalance_s"] == "" and int(procedures[BOTH]["exclusive_periods"]) == 10,
     f"programs are not compared: {procedures[BOTH]}")
that([r["program"] for r in table("processor")].count(MINE) == 4, "programs of processors")

text = run("report", DATABASE)
that("feeder 86.6 %" in text and "worker 13.4 %" in text, f"no sums by program:\n{text}")
that("least" not in text.split("\nProcessors:")[1].split("#")[0], f"programs are compared:\n{text}")
that("Imbalance: feeder" not in text and "runs on feeder" not in text, f"imbalance of what is even in its program:\n{text}")
that(all(len(line) <= 80 for line in text.splitlines()), "wider than 80")
if wrong:
    sys.exit("\n".join(wrong))
