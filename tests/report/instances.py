# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instances of a template stand on the same lines: arrays, messages and references are told with those that ran, each its own, and what a line reads is
counted in one of them; the viewer asks the same. Usage: instances.py HEATSCOPE MPICC MPIRUN SOURCE WORK [FOLDER OF THE TCL PACKAGES]"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, MPICC, MPIRUN, SOURCE, WORK = sys.argv[1:6]
TCL = sys.argv[6] if len(sys.argv) > 6 and shutil.which("tclsh8.6") else ""
ASK = """lappend auto_path [lindex $argv 0]
package require heatscope::data
set db [heatscope::data open [lindex $argv 1]]
proc procedure {scope} { return [dict get [$::db scope [dict get [$::db scope $scope] procedure]] name] }
foreach call [$db messagesites [$db findfile instances.cpp] [lindex $argv 2]] { puts "[dict get $call operation] [procedure [dict get $call scope]]" }
foreach a [$db arrays] {
    if {[string match *.mask [dict get $a name]]} { puts "[dict get $a references] [llength [$db arrayuses [dict get $a array]]] [procedure [dict get $a scope]]" }
    if {[dict get $a calls] > 0} { puts "[dict get $a name] [dict get $a calls] [procedure [dict get $a scope]]" }
}
"""
wrong = []


def run(*command):
    wrapper = os.path.join(os.path.dirname(HEATSCOPE), "heatscope-c++")
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
           "OMPI_CC": wrapper, "MPICH_CC": wrapper}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout


def rows(by):
    return list(csv.DictReader(io.StringIO(run(HEATSCOPE, "report", f"--by={by}", "--top=0", "--format=csv", to))))


def instance(row):
    return re.sub(r".*(work<\d>).*", r"\1", row["procedure"])


def line_of(text):
    with open(SOURCE, encoding="utf-8") as f:
        return next(n for n, line in enumerate(f, 1) if text in line)


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
program, to = os.path.join(WORK, "instances"), os.path.join(WORK, "instances.run")
run(MPICC, "-O2", "-g", "-o", program, SOURCE)
run(MPIRUN, "-n", "2", HEATSCOPE, "run", "-q", "-F", "2000", "-o", to, program)
calls = sorted((row["array"], instance(row), int(row["calls"])) for row in rows("array"))
if calls != [("all", "work<2>", 80), ("all", "work<3>", 40), ("mine", "work<2>", 80), ("mine", "work<3>", 40)]:
    wrong.append(f"calls by array: {calls}")
text = run(HEATSCOPE, "report", "--by=array", to)
for name in ("all in work<2>", "all in work<3>", "mine in work<2>", "mine in work<3>"):
    if len(re.findall(rf"  {name}$", text, re.M)) != 1:
        wrong.append(f"{name}: not once in {text}")
told = run(HEATSCOPE, "report", to)
if "work<1>" in told or not re.search(r"'(all|mine)'\s+of\s+work<2>", told):
    wrong.append(f"what stands out: {told}")
member = [row for row in rows("data") if row["array"].endswith(".mask")]
if [(instance(row), row["references"], row["reads"]) for row in member] != [("work<2>", "1", "1")]:
    wrong.append(f"the member: {member}")
line = line_of(".mask *")
of = sorted((row["array"], instance(row), row["references_on_line"]) for row in rows("reference") if row["line"] == str(line))
if of != sorted((name, work, "2") for name in ("at", "cells[].mask") for work in ("work<2>", "work<3>")):
    wrong.append(f"references: {of}")
text = run(HEATSCOPE, "report", "--by=reference", to)
if any(len(re.findall(rf"instances\.cpp:{line}  in {name}\n", text)) != 1 for name in ("work<2>", "work<3>")) or "times" in text:
    wrong.append(text)
# each has the time of its own code: work<2> two rounds of three. Bound: 4 standard deviations of the share, and 5 % for what differs in the two
samples = {instance(row): int(row["line_periods"]) for row in rows("reference") if row["line"] == str(line)}
both = sum(samples.values())
if len(samples) != 2 or abs(samples["work<2>"] / both - 2 / 3) > 4 * (2 / 9 / both) ** 0.5 + 0.05:
    wrong.append(f"time by instance: {samples}")
if [instance(row) for row in rows("line") if row["file"].endswith("instances.cpp") and row["line"] == str(line)] != ["work<2>"]:
    wrong.append("the line is told with another instance")
if TCL:
    script, database = os.path.join(WORK, "ask.tcl"), os.path.join(WORK, "instances.h5")
    with open(script, "w", encoding="utf-8") as f:
        f.write(ASK)
    run(HEATSCOPE, "correlate", "-q", "-o", database, to)
    said = sorted(run("tclsh8.6", script, TCL, database, str(line_of("MPI_Allreduce"))).splitlines())
    expected = ["1 1 work<2>", "MPI_Allreduce work<2>", "all 40 work<3>", "all 80 work<2>", "mine 40 work<3>", "mine 80 work<2>"]
    if [re.sub(r"double (work<\d>).*", r"\1", line) for line in said] != expected:
        wrong.append(f"the viewer: {said}")
sys.exit("\n".join(wrong) or 0)
