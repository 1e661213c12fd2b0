# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What notes of probes take of a scope's time, by what one takes alone and by the samples that met it: made-up measurements, through correlate and report.
Usage: weighed.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, RECORDS, WORK = sys.argv[1:4]
VISITS, PAIR_NS, INSIDE_NS, MS = 10_000_000, 20.0, 10.0, 1_000_000
wrong = []


def that(condition, *complaint):
    if not condition:
        wrong.append(" ".join(map(str, complaint)))


def run(*command, text=None):
    done = subprocess.run([HEATSCOPE, *command], capture_output=True, text=True, input=text)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


with open(RECORDS, encoding="utf-8") as f:
    lines = f.read().split("\n")
HEAD = lines[:next(i for i, line in enumerate(lines[2:], 2) if line.startswith("@chunk"))]
SCHEMA = lines[1].split("schema=")[1].split()[0]


def chunk(stream):
    return f"@chunk dynamic stream={stream} sequence=0 t0=0 lost=0 slot=packed sealed schema={SCHEMA}"


def rows_of(name, brief_ms, samples, in_line_ms=0, visits=VISITS):
    """Rows by name, and the text, of a program with a procedure `outer`, which has a second of its own, and in it `brief` with so many visits, of so many milliseconds by the
    clock. samples: of brief, periods of 1 ms in the program and in notes; None: no samples are known."""
    work = os.path.join(WORK, name)
    os.makedirs(work)
    brief, each = brief_ms * MS, brief_ms * MS // visits
    records = HEAD + [
        chunk(0),
        'process pid=100 parent_pid=1 rank=-1 ranks=0 host="h" executable="/nowhere/program" arguments=["program"] directory="/" start_unix_ns=1000000000 '
        'start_ns=0 mechanism="perf-cpu-clock" mechanism_note="" period_ns=1000000 processors=2 runtime_version="" job=""',
        'mapping mapping_id=1 address=0 size=4096 bias=0 path="/nowhere/program" build_id=<> file_size=1 file_mtime_ns=1 time=1',
        f"probe_cost time=1 pair_ns=24.0 inside_ns={INSIDE_NS} clock_ns=10.0 note_ns={PAIR_NS}",
        'probe_place number=1 module_tag=0x1 tag=0x1 kind=0 flags=0 name="outer" file="a.c" line=1',
        'probe_place number=2 module_tag=0x1 tag=0x2 kind=0 flags=0 name="brief" file="a.c" line=9',
        chunk(1), 'thread thread_id=1 tid=1 time=1 name="t" creator_id=0', "node node_id=1 parent_id=0 mapping_id=1 address=16 flags=0",
        "sample_weighted time=200000000 node_id=1 state=0 weight=1 event_id=0",
        "block block_id=1 parent_id=0 number=1", "block block_id=2 parent_id=1 number=2",
        f"block_time time=900 block_id=1 state=0 exclusive_ns={1000 * MS}", f"block_time time=900 block_id=2 state=0 exclusive_ns={brief}",
        f"block_summary time=900 block_id=1 count=1 left=0 duration_ns={1000 * MS + brief} duration_min={1000 * MS + brief} duration_max={1000 * MS + brief} "
        f"duration_squares=1.0 duration_histogram=[{(1000 * MS + brief).bit_length()},1]",
        f"block_summary time=900 block_id=2 count={visits} left=0 duration_ns={brief} duration_min={each} duration_max={each} duration_squares=1.0 "
        f"duration_histogram=[{each.bit_length()},{visits}]",
        f"thread_usage thread_id=1 time=900 user_ns={1000 * MS} system_ns=0 minor_faults=0 major_faults=0 voluntary_switches=0 involuntary_switches=0 "
        f"run_ns={1000 * MS} runnable_ns={in_line_ms * MS}"]
    if samples:
        records += ["probe_samples time=500 number=2 program=1 program_squares=1 notes=1 notes_squares=1",
                    "probe_samples time=900 number=1 program=900 program_squares=900 notes=100 notes_squares=100",
                    f"probe_samples time=900 number=2 program={samples[0]} program_squares={samples[0]} notes={samples[1]} notes_squares={samples[1]}"]
    records += ["progress thread_id=1 time=1000000000 cpu_ns=1000000000 samples=1 lost=0 own_ns=0 ended=1 truncated=0", "process_end time=1000000000 cpu_ns=1000000000 how=0", ""]
    run("dump", "--undump", "-", "-o", os.path.join(work, "h.100.hsr"), text="\n".join(records))
    rows = csv.DictReader(io.StringIO(run("report", "--by=probe", "--format=csv", work)))
    text = run("report", "--by=probe", work)
    return {r["name"]: {k: float(v) for k, v in r.items() if k.endswith("_s") and v} for r in rows}, text


def about(what, row, column, low, high):
    that(low <= row[column] <= high, f"{what}: {column} {row[column]}, expected {low} to {high}:", row)


shutil.rmtree(WORK, ignore_errors=True)
# alone: 10 ns of each visit's 30 are its notes'. That may be nothing, or several times as much.
rows, text = rows_of("alone", 300, None)
about("alone", rows["brief"], "exclusive_s", 0.2, 0.2)
about("alone", rows["brief"], "exclusive_low_s", 0, 0.1)
about("alone", rows["brief"], "exclusive_high_s", 0.4, 0.4) # all of the clock's time, and what may be done while its notes outside of it take theirs
that("~0.200" in text and "(95 %)" in text, "not marked as doubtful:", text)
# 2 of 5 samples were in notes: 0.12 s of 0.3, by the clock; alone says 0.1, of which little is believed then
rows, text = rows_of("in the run", 300, (180, 120))
about("in the run", rows["brief"], "exclusive_s", 0.178, 0.184)
about("in the run", rows["brief"], "exclusive_low_s", 0.12, 0.16)
about("in the run", rows["brief"], "exclusive_high_s", 0.39, 0.41)
about("in the run", rows["outer"], "inclusive_s", 0.9 + 0.178, 0.9 + 0.184)
about("in the run", rows["outer"], "inclusive_low_s", 0, rows["brief"]["exclusive_low_s"] + 0.9)
# the processor was another's for half of the time: so were the notes' parts
rows, text = rows_of("in line", 600, (180, 120), in_line_ms=1000)
about("in line", rows["brief"], "exclusive_s", 0.356, 0.368)
# the clock says more than there are samples by up to the notes' cost: 0.24 s of 0.4 by the clock, 0.18 by the samples
rows, text = rows_of("clocks early", 400, (180, 120))
about("clocks early", rows["brief"], "exclusive_s", 0.178, 0.192)
about("clocks early", rows["brief"], "exclusive_high_s", 0.39, 0.45) # 0.18, 0.12 and chance of notes as they were met, and 0.1 of those outside
# still more: it waited, and no note is in that
rows, text = rows_of("waits", 2000, (180, 120))
about("waits", rows["brief"], "exclusive_s", 1.878, 1.884)
# the clock says less than there are samples, beyond chance: it was read before the visits' work was done. Truth: 0.141 s of 3 million visits, of which it has 0.09
rows, text = rows_of("clocks before the end", 90, (138, 12), visits=3_000_000)
about("clocks before the end", rows["brief"], "exclusive_s", 0.13, 0.15)
about("clocks before the end", rows["brief"], "exclusive_low_s", 0.05, 0.13)
about("clocks before the end", rows["brief"], "exclusive_high_s", 0.145, 0.2)
that("laid to the code round them" in " ".join(text.split()), "what the clock left out is not told:", text)
# by less than chance: told as the clock has it, and the interval holds what the samples say
rows, text = rows_of("perhaps before the end", 130, (138, 12), visits=3_000_000)
about("perhaps before the end", rows["brief"], "exclusive_s", 0.11, 0.13)
about("perhaps before the end", rows["brief"], "exclusive_high_s", 0.14, 0.2)
# long visits: nothing to be doubted, and no mark
rows, text = rows_of("long", 300, (300, 0), visits=1000)
about("long", rows["brief"], "exclusive_s", 0.29998, 0.3)
about("long", rows["brief"], "exclusive_low_s", 0.2999, 0.3)
that("~0.300" not in text, "a long visit is marked as doubtful:", text)
print("\n".join(wrong) if wrong else "what notes take is as made up")
sys.exit(bool(wrong))
