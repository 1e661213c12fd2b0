# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that a library made for itself, as those of an MPI, are nobody that work could be spread over: even work of the others is no imbalance.
Usage: helpers.py HEATSCOPE HELPERS.C COMPILER WORK [EXTENSION] (EXTENSION: folder of the viewer's package, which says the same)"""
import csv
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, SOURCE, COMPILER, WORK = sys.argv[1:5]
wrong = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
run(COMPILER, "-O1", "-DLIBRARY", "-shared", "-fPIC", "-o", "libprogress.so", SOURCE, "-pthread")
run(COMPILER, "-O1", "-g", "-o", "even", SOURCE, "-fopenmp", "-L.", "-lprogress", "-Wl,-rpath,$ORIGIN")
run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", "m", "./even")
row = re.search(r"^ +1 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +([0-9.]+)~? +even_work ", run(HEATSCOPE, "report", "--by=procedure", "m"), re.MULTILINE)
if not row or not 1 <= float(row.group(1)) < 1.5:
    wrong.append(f"even_work: expected a largest of some 1.0 times the mean of the two that run it, got {row}")
told = run(HEATSCOPE, "report", "--brief", "m")
if "Imbalance" in told:
    wrong.append(f"expected no imbalance, got {told}")
# other tables leave them out, too
def ratios(table, *words):
    lines = run(HEATSCOPE, "report", f"--by={table}", "--format=csv", "m").splitlines()
    return [r for r in csv.DictReader(lines) if all(w in str(r.values()) for w in words)]


for table, word in (("procedure", "even_work"), ("loop", "even_work"), ("line", "helpers.c"), ("file", "helpers.c"), ("nest", "even_work"), ("category", "computation"), ("context", "even_work")):
    rows = ratios(table, word)
    row = rows[0] if rows else {}
    if row.get("compared_processors") != "2" or not 1 <= float(row["compared_max_over_mean"]) < 1.5 or not float(row["max_over_mean"]) > 1.9:
        wrong.append(f"{table}: expected two processors of four compared, some 1.0 times their mean, got "
                     f"{ {k: v for k, v in row.items() if 'compared' in k or 'max_over' in k} }")
    text = run(HEATSCOPE, "report", f"--by={table}", "m") if table in ("nest", "file") else ""
    if text and not re.search(r"^ *1 .* 1(\.[0-4]\d*)? ", text, re.MULTILINE):
        wrong.append(f"{table} as text: expected m/m of some 1.0, got {text}")
head = run(HEATSCOPE, "diff", "m", "m")
if not re.search(r"^A +2 threads", head, re.MULTILINE):
    wrong.append(f"diff: expected two threads, got {head.splitlines()[:3]}")
if "4 threads" not in told:
    wrong.append(f"expected four threads, got {told}")
# the viewer's statistics: mean and minimum of the two that work, of a row that the others have nothing in
if len(sys.argv) > 5 and sys.argv[5] and shutil.which("tclsh8.6"):
    script = """lappend auto_path [lindex $argv 0]
package require heatscope::data
set db [heatscope::data open m/heatscope.h5]
set symbols [$db symbols 0 4096]
set sums [lmap f $symbols {dict get $f sum}]
puts [list [expr {$sums eq [lsort -real -decreasing $sums]}] [expr {[tcl::mathop::+ {*}$sums] == [$db total]}] [expr {"even_work" in [lmap f $symbols {dict get $f symbol}]}] \
    [llength [$db symbols 0 1]]]
foreach row [$db top -table scope_excl -kind procedure -axis thread -stats 1 -n 200] {
    if {[dict get $row name] eq "even_work"} {
        set all [lindex [$db stats -table scope_incl -rows [list [dict get $row row] 1] -axis thread] 0]
        set helpers [lmap i {0 1 2 3} {dict get [$db column thread $i] helper}]
        puts "[tcl::mathop::+ {*}$helpers] [lindex $helpers 0] [$db columns thread working] [dict get $row compared] [dict get $row imbalance] [dict get $row min] [dict get $all compared] [expr {[dict get $all mean] * 2 / [dict get $all sum]}] [dict get $all min]"
    }
}
"""
    with open(os.path.join(WORK, "viewer.tcl"), "w", encoding="utf-8") as f:
        f.write(script)
    said = run("tclsh8.6", "viewer.tcl", sys.argv[5]).split()
    if said[:4] != ["1", "1", "1", "1"]:
        wrong.append(f"viewer: expected functions of the machine code, falling, all samples, among them even_work, got {said}")
    said = said[4:]
    if said[:3] != ["2", "0", "2"]:
        wrong.append(f"viewer: expected two of four threads to be a library's, not the first, got {said}")
    said = said[3:]
    if len(said) != 6 or said[0] != "2" or not float(said[1]) < 1.5 or not float(said[2]) > 0 or said[3] != "2" or abs(float(said[4]) - 1) > 1e-6 or not float(said[5]) > 0:
        wrong.append(f"viewer: expected two threads compared, mean and minimum of these, got {said}")
sys.exit("\n".join(wrong) or 0)
