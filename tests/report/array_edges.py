# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls, bytes, time and waiting by array in intervals that divide a run add up to the run's, also where a wait is counted in one interval and its
call in the next. What nobody knows of packing is told as such, and nothing of what is only received. Usage: array_edges.py HEATSCOPE MPICC MPIRUN SOURCE WORK"""
import csv
import io
import math
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, MPICC, MPIRUN, SOURCE, WORK = sys.argv[1:6]
EXACT = ("calls", "sent_bytes", "received_bytes")
SECONDS = ("mpi_s", "mpi_share_s", "waiting_s", "waiting_share_s")
PIECES = 13
wrong = []


def run(*command):
    wrapper = os.path.join(os.path.dirname(HEATSCOPE), "heatscope-cc")
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
           "OMPI_CC": wrapper, "MPICH_CC": wrapper}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout


def arrays(*options):
    rows = csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=array", "--top=0", "--format=csv", *options, to)))
    return {row["array"]: {key: float(row[key]) for key in EXACT + SECONDS} for row in rows}


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
program, to = os.path.join(WORK, "edges"), os.path.join(WORK, "edges.run")
run(MPICC, "-O2", "-g", "-o", program, SOURCE)
run(MPIRUN, "-n", "2", HEATSCOPE, "run", "-q", "-F", "4000", "-o", to, program)
whole = arrays()
late = next((row for name, row in whole.items() if name.startswith("late")), None)
if not late or late["calls"] != 60 or not late["mpi_s"] >= late["waiting_s"] > 0.6: # 30 waits of 50 ms in the mean
    wrong.append(f"the run: {whole}")
ends = [""] + [f"{0.13 * i:.2f}" for i in range(1, PIECES)] + [""]
parts = [arrays(f"--interval={ends[i]}:{ends[i + 1]}") for i in range(PIECES)]
for name, row in whole.items():
    for key in EXACT + SECONDS:
        told = sum(part[name][key] for part in parts if name in part)
        if not math.isclose(told, row[key], rel_tol=1e-9, abs_tol=1e-6 if key in SECONDS else 0):
            wrong.append(f"{name}, {key}: {told} in intervals, {row[key]} in the run")
wrong += [f"only in an interval: {name}" for part in parts for name in part if name not in whole]
text = run(HEATSCOPE, "report", "--by=array", to)
pack = {line.split()[-2].partition("[")[0]: line.split()[5:-2] for line in text.splitlines() if re.search(r"(early|late|few)\[", line)}
known = {row["array"].partition("[")[0]: row["packing_s"] for row in csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=array", "--format=csv", to)))}
if not known["few"] or known["late"] or pack["few"][0] != f"{float(known['few']):.3f}": # a loop that fills it is known
    wrong.append(f"few: {known}, {text}")
if "packing (-: not known)" not in text or not float(pack["early"][0]) > 0 or pack["early"][1:] != ["-"] or pack["late"] != ["-", "-"]:
    wrong.append(text)
sys.exit("\n".join(wrong) or 0)
