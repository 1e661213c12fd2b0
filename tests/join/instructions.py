# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples by instruction against the records of the stream, and instructions against objdump: all exact.
Usage: instructions.py HEATSCOPE SOURCE.C WORK"""
import csv
import filecmp
import glob
import io
import json
import os
import re
import shutil
import subprocess
import sys

import h5py
import numpy as np

HEATSCOPE, SOURCE, WORK = sys.argv[1:4]
NONE = 0xFFFFFFFF
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(str(complaint))


def run(*command, code=0):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != code:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stdout} {done.stderr}")
    return done.stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
os.chdir(WORK)
shutil.copy(SOURCE, "work.c")
run(HEATSCOPE, "cc", "-O2", "-g", "work.c", "-o", "work")
run(HEATSCOPE, "run", "-q", "-F", "500", "-o", "m", "./work", "60000000")
run(HEATSCOPE, "correlate", "-q", "-o", "m.h5", "m")

# ---- counts: what the stream says, address by address ----
path, node, want = {}, {}, {}
for record in run(HEATSCOPE, "dump", glob.glob("m/*.hsr")[0]).split("\n"):
    kind, _, rest = record.partition(" ")
    value = dict(re.findall(r"(\w+)=(\"[^\"]*\"|\S+)", rest))
    if kind == "mapping":
        path[value["mapping_id"]] = value["path"].strip('"')
    elif kind == "node" and value["flags"].startswith("1"):
        node[value["node_id"]] = (path[value["mapping_id"]], int(value["address"], 16))
    elif kind == "sample" or (kind == "sample_weighted" and value["event_id"] == "0"):
        at = node.get(value["node_id"])
        if at:
            want[at] = want.get(at, 0) + int(value.get("weight", 1))

f = h5py.File("m.h5")
t = {name: f["/static/instruction"][name][...] for name in f["/static/instruction"]}
modules = [p.decode() for p in f["/static/module/path"][...]]
texts = [x.decode() for x in f["/static/instruction_text/text"][...]]
count = f["/metrics/0/instruction/sum"][...].astype(int)
unit = int(f["/run/thread/samples"][0]) // max(1, sum(want.values()))  # units that a sample counts: 1 but with several rates
got = {(modules[t["module"][i]], int(t["address"][i])): int(count[i]) for i in np.nonzero(count)[0]}
that(want, "no samples in the stream")
that(got == {k: v * unit for k, v in want.items()}, f"counts differ: {set(got.items()) ^ set(want.items())}")
that(count.sum() == f["/run/thread/samples"][...].sum(), "instructions do not add up to all samples")

# by line as the line table has them
by_line = np.zeros(len(f["/static/line/line"]), int)
have = t["line"] != NONE
np.add.at(by_line, t["line"][have], count[have])
known = f["/static/line/line"][...] > 0
that(np.array_equal(by_line[known], f["/metrics/0/line/sum"][...][known]), "lines and instructions do not agree")
by_instance = np.zeros(len(f["/static/instance/scope"]), int)
have = t["instance"] != NONE
np.add.at(by_instance, t["instance"][have], count[have])
that(np.array_equal(by_instance, f["/metrics/0/instance/sum"][...]), "versions and instructions do not agree")

# ---- by time: sample after sample ----
sequence, weights = [], []
for record in run(HEATSCOPE, "dump", glob.glob("m/*.hsr")[0]).split("\n"):
    kind, _, rest = record.partition(" ")
    value = dict(re.findall(r"(\w+)=(\"[^\"]*\"|\S+)", rest))
    if (kind == "sample" or (kind == "sample_weighted" and value["event_id"] == "0")) and value["node_id"] in node:
        sequence.append(node[value["node_id"]])
        weights.append(int(value.get("weight", 1)) * unit)
row = f["/time/leaf_place/instruction"][...][f["/time/samples/leaf"][...]]
that(len(f["/time/leaf_place/instruction"]) == len(f["/time/leaf/line"]), "leaf_place has not as many rows as leaf")
that([(modules[t["module"][i]], int(t["address"][i])) for i in row if i != NONE] == sequence, "samples by time are of other instructions than the stream's")
that(f["/time/samples/count"][...].sum() == sum(weights), "samples by time do not add up")


def symbols(*interval):
    rows = csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=symbol", "--format=csv", "--top=0", *interval, "m.h5")))
    return {r["symbol"]: float(r["exclusive_s"]) for r in rows}


tick = float(f["/time"].attrs["tick_s"])
steps = f["/time/samples/delta"][...].astype(np.uint64)
steps[::1024] = f["/time/slices/begin"][...]
times = np.concatenate([np.cumsum(steps[i:i + 1024]) for i in range(0, len(steps), 1024)]) * tick
middle = float(times[len(times) // 3]) + tick / 2
whole, early, late = symbols(), symbols(f"--interval=0:{middle!r}"), symbols(f"--interval={middle!r}:1000")
that(len(whole) > 1 and sum(early.values()) > 0 and sum(late.values()) > 0, f"no symbols in an interval: {early} {late}")
for name, s in whole.items():
    that(abs(early.get(name, 0) + late.get(name, 0) - s) < 1e-6, f"{name}: {early.get(name)} s and {late.get(name)} s, {s} s in all")
at = np.searchsorted(times, middle)
that(abs(sum(early.values()) - sum(whole.values()) * sum(weights[:at]) / sum(weights)) < 1e-6, f"{sum(early.values())} s of symbols before {middle} s")

# ---- the code: objdump is another disassembler ----
main = modules.index(os.path.realpath("work"))
told = {}
for line in run("objdump", "-d", "--insn-width=16", "work").split("\n"):
    m = re.match(r"\s+([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*(.*)", line)
    if m:
        told[int(m[1], 16)] = (m[2].replace(" ", ""), m[3])
code = f["/static/code_byte/value"][...].tobytes()
parts = {k: f["/static/code_part"][k][...] for k in ("module", "begin", "end", "first", "rows", "first_byte", "symbol")}
seen = 0
for k in range(len(parts["begin"])):
    if parts["module"][k] != main or parts["first_byte"][k] == NONE:
        continue
    begin, end = int(parts["begin"][k]), int(parts["end"][k])
    here = sorted(a for a in told if begin <= a < end)
    rows = range(int(parts["first"][k]), int(parts["first"][k]) + int(parts["rows"][k]))
    that([int(t["address"][i]) for i in rows] == here, f"{parts['symbol'][k]}: other instructions than objdump's")
    for i in rows:
        address, size = int(t["address"][i]), int(t["size"][i])
        at = int(parts["first_byte"][k]) + address - begin
        hexadecimal, words = told.get(address, ("", ""))
        that(code[at:at + size].hex() == hexadecimal, f"0x{address:x}: bytes {code[at:at + size].hex()}, objdump {hexadecimal}")
        jump = re.match(r"j\w+\s+([0-9a-f]+) <", words)
        if jump and begin <= int(jump[1], 16) < end:
            target = t["target"][i]
            that(target != NONE and int(t["address"][target]) == int(jump[1], 16), f"0x{address:x}: {words}: other target")
            that(f"0x{jump[1]}" in texts[t["text"][i]], f"0x{address:x}: {texts[t['text'][i]]}, objdump {words}")
        call = re.match(r"call\s+[0-9a-f]+ <(\w+)>", words)
        if call:
            that(texts[t["text"][i]].endswith(call[1]), f"0x{address:x}: {texts[t['text'][i]]}, objdump {words}")
        seen += 1
that(seen > 30, f"only {seen} instructions looked at")
that(any("# 0x" in x and x.endswith(" = 0.125") or x.endswith(" = 2.5") for x in texts), "no constant is told")

# ---- annotate: the same as text and rows; neither program nor source are needed ----
lines = open("work.c", encoding="utf-8").read().split("\n")
everywhere = next(i for i, x in enumerate(lines, 1) if "EVERYWHERE" in x)
hot = next(i for i, x in enumerate(lines, 1) if "HOT" in x)
os.rename("work", "gone")
rows = list(csv.DictReader(io.StringIO(run(HEATSCOPE, "annotate", "--format=csv", "m.h5", "hot"))))
that(rows and {r["procedure"] for r in rows} == {"hot"}, "not only hot")
of_hot = {(modules[main], int(r["address"], 16)): int(r["periods"]) for r in rows if r["periods"] != "0"}
that(all(got[k] == v for k, v in of_hot.items()), "annotate has other counts than the database")
told = json.loads(run(HEATSCOPE, "annotate", "--format=json", "m.h5", "hot")) # an object with its unit, as of report and diff
that((told["metric"], told["unit"], told["of"], told["by"]) == ("CPU time", "s", "hot", "instruction"), f"JSON: {list(told)}")
that([{k: str(v) for k, v in r.items() if not k.startswith("exclusive")} for r in told["rows"]] ==
     [{k: v for k, v in r.items() if not k.startswith("exclusive")} for r in rows], "JSON has other rows than CSV")
that(told["periods"] == count.sum() and told["unit_per_period"] > 0, f"JSON: {told['periods']} periods of {count.sum()}")
that(not any("\t" in r["operands"] or "#" in r["operands"] or "#" in r["comment"] for r in rows), "comments are in the operands")
that(any(r["comment"].startswith("0x") and " = " in r["comment"] for r in rows), "no constant is in a comment")
in_loop = sum(int(r["periods"]) for r in rows if int(r["line"]) in (hot, hot - 1) and r["loop_line"] != "0")
that(in_loop >= 0.99 * sum(of_hot.values()), f"{in_loop} of {sum(of_hot.values())} samples of hot are in its loop, all but one in 10^6 is the truth")
# two halves of the run are all of it, instruction by instruction; shares are of the interval
halves = [json.loads(run(HEATSCOPE, "annotate", "--format=json", f"--interval={when}", "m.h5", "hot")) for when in ("0:50%", "50%:")]
of_address = {}
for half in halves:
    that(0 < half["periods"] < told["periods"] and len(half["interval_s"]) == 2, f"an interval has {half['periods']} of {told['periods']} periods")
    for r in half["rows"]:
        of_address[r["address"]] = of_address.get(r["address"], 0) + r["periods"]
    that(abs(sum(r["exclusive_pct"] for r in half["rows"]) - 100 * sum(r["periods"] for r in half["rows"]) / half["periods"]) < 0.1, "shares are not of the interval")
that(of_address == {r["address"]: r["periods"] for r in told["rows"]}, "two halves of the run are not the run")
that("interval_s" not in told, "the whole run is an interval")
text = run(HEATSCOPE, "annotate", "-i", "50%:", "m.h5", "hot")
that(re.match(r"interval   [\d.]+ s to [\d.]+ s\n", text) and " % of the interval\n" in text and "of the run" not in text, "nothing says that it is of an interval")
run(HEATSCOPE, "annotate", "--interval=solve", "m.h5", "hot", code=1)
text = run(HEATSCOPE, "annotate", "m.h5", f"work.c:{everywhere}")
marked = [x for x in text.split("\n") if re.match(r".{16}>", x)]
that(marked and "inlined: twice, called at work.c" in text and "calls  work.c" in text, "the inlined line is not shown")
heads = re.findall(r"^( +%  periods)   address     instruction\n", text, re.M)
counts = re.findall(r"^( *\d+\.\d\d% +\d+)[ >] *[0-9a-f]+  ", text, re.M)
that(heads and counts and {len(x) for x in heads} == {len(x) for x in counts}, f"columns without heads, or heads of other columns: {heads} {counts}")
text = run(HEATSCOPE, "annotate", "m.h5", "copies")  # whose loop is inlined elsewhere, too
said = [x.rstrip("\n").split("\n") for x in re.findall(r"(?m)(?:^ +; .*\n)+", text)]
that(said and all(len(x) == len(set(x)) for x in said), f"told twice of a loop: {said}")
that("HOT */" in run(HEATSCOPE, "annotate", "m.h5"), "the hottest procedure is not the one that is shown")
text = run(HEATSCOPE, "annotate", "m.h5", "twice")  # no code of its own: its inlined copies and nothing else
that(" of twice in its machine code" in text, "nothing says where the inlined copies are")
rows = list(csv.DictReader(io.StringIO(run(HEATSCOPE, "annotate", "--format=csv", "m.h5", "twice"))))
that(rows and all("twice, called at work.c" in r["inlined"] and r["procedure"] != "twice" for r in rows), "other code than that of the inlined copies")
run(HEATSCOPE, "annotate", "m.h5", "no_such_name", code=1)

# ---- inlined calls on lines without code of their own, also in code that has no sample ----
with open("calls.c", "w", encoding="utf-8") as file:
    file.write("""#define IN static inline __attribute__((always_inline))
volatile double sink;
IN double inner(double x) { double r = x; for (int i = 0; i < 60000000; i++) r = r * 0.5 + x; return r; }
IN double outer(double x) {
    return
        inner(x);
}
int main(int argc, char **argv) {
    sink = inner(argc);
    if (argc > 3)
        sink =
            outer(argc);
    return 0;
}
""")
run(HEATSCOPE, "cc", "-O2", "-g", "calls.c", "-o", "calls")
run(HEATSCOPE, "run", "-q", "-F", "500", "-o", "c", "./calls")
run(HEATSCOPE, "correlate", "-q", "-o", "c.h5", "c")
with h5py.File("c.h5") as g:
    names = [x.decode() for x in g["/static/scope/name"][...]]
    numbers = g["/static/line/line"][...]
    calls = {(names[s], int(numbers[n]) if n != NONE else 0) for s, n in zip(g["/static/inlining/scope"][...], g["/static/inlining/line"][...])}
that({("inner", 6), ("outer", 12), ("inner", 9)} <= calls and not any(n == 0 and name in ("inner", "outer") for name, n in calls), f"where inlined calls are: {calls}")

# ---- what there is not is told ----
# (what the runtime keeps of the program stands in for it)
run(HEATSCOPE, "correlate", "-q", "-o", "kept.h5", "m")
with h5py.File("kept.h5") as g:
    that(g["/static/module/note"][main] == b"" and g["/metrics/0/instruction/sum"][...].sum() == count.sum(), f"the program that was kept: {g['/static/module/note'][main]}")
shutil.rmtree("m/.programs")
run(HEATSCOPE, "correlate", "-q", "-o", "without.h5", "m")
text = run(HEATSCOPE, "report", "--by=ledger", "without.h5")
with h5py.File("without.h5") as g:
    that(g["/metrics/0/instruction/sum"][...].sum() == count.sum(), "without the program samples are lost")
    that(b"file is gone" in g["/static/module/note"][main], "nothing says that the program is gone")
os.rename("gone", "work")
run(HEATSCOPE, "correlate", "-q", "--code=none", "-o", "none.h5", "m")
text = run(HEATSCOPE, "annotate", "none.h5", "hot")
that("correlate --code=none" in text and "(not disassembled)" in text, "nothing says why there is no code")
run(HEATSCOPE, "correlate", "-q", "--code=1", "-o", "little.h5", "m")
with h5py.File("little.h5") as g:
    that(0 < len(g["/static/code_byte/value"]) <= 1024, f"{len(g['/static/code_byte/value'])} bytes of code: the limit does not hold")
    left = g["/static/code_part/first_byte"][...] == NONE
    that(left.any() and all(b"left out" in x for x in g["/static/code_part/note"][...][left]), "nothing says what was left out")
    that(g["/metrics/0/instruction/sum"][...].sum() == count.sum(), "with a limit samples are lost")
run(HEATSCOPE, "correlate", "-q", "--assembler=intel", "-o", "intel.h5", "m")
with h5py.File("intel.h5") as g:
    that(any(b"qword ptr" in x or b"xmm0, xmm" in x for x in g["/static/instruction_text/text"][...]), "no Intel syntax")
# ---- the disassembler: our own module, and without it libLLVM, which makes the same of it ----
folder = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(HEATSCOPE))), "lib", "heatscope")
module = os.path.join(folder, "heatscope-disassembler.so")


def loads(command, *more):
    done = subprocess.run([command, "correlate", "-q", "--cache=none", *more], capture_output=True, text=True, env=dict(os.environ, LD_DEBUG="files"))
    that(done.returncode == 0, f"correlate by {command}: {done.stderr[-500:]}")
    return {os.path.basename(f) for f in re.findall(r"calling init: (\S+)", done.stderr)}


if os.path.exists(module):
    loaded = loads(HEATSCOPE, "-o", "module.h5", "m")
    that(os.path.basename(module) in loaded and not any("LLVM" in f for f in loaded), f"the disassembler's module is not what is loaded: {loaded}")
    shutil.copy(os.path.join(folder, "heatscope-full"), "alone")
    loaded = loads("./alone", "-o", "library.h5", "m")
    that(any("LLVM" in f for f in loaded) and os.path.basename(module) not in loaded, f"without the module libLLVM is not loaded: {loaded}")
    that(filecmp.cmp("module.h5", "library.h5", shallow=False), "the module's assembler is another than libLLVM's")

# ---- a procedure with code of its own beside that of its OpenMP regions ----
with open("regions.c", "w") as out:
    out.write("""static double a[4000], b[4000];
__attribute__((noinline)) static void solve(int rounds) {
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < 400; i++) /* a tenth of the time */
            a[i] = 1 / (1 + a[i]);
#pragma omp parallel for
        for (int i = 1; i < 4000; i++)
            b[i] = b[i] * 0.5 + a[i - 1] / (1.0 + a[i] * a[i]);
    }
}
int main(void) {
    solve(60000);
    return b[7] > 1e9;
}
""")
run(HEATSCOPE, "cc", "-O2", "-g", "-fopenmp", "regions.c", "-o", "regions")
run("env", "OMP_NUM_THREADS=1", HEATSCOPE, "run", "-q", "-o", "r", "./regions")
run(HEATSCOPE, "correlate", "-q", "-o", "r.h5", "r")
for name in ("solve", "solv"):
    rows = list(csv.DictReader(io.StringIO(run(HEATSCOPE, "annotate", "--format=csv", "r.h5", name))))
    that({"solve", "omp parallel"} <= {r["procedure"] for r in rows}, f"annotate {name}: code of {set(r['procedure'] for r in rows)}")
    that(rows and rows[0]["procedure"] == "omp parallel", f"annotate {name}: the hottest piece is not the first")
for complaint in wrong:
    print(complaint)
sys.exit(bool(wrong))
