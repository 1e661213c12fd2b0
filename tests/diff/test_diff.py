# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heatscope diff. Usage: test_diff.py simulated|builds HEATSCOPE SIMULATE WORK PROGRAM.C

What is matched with what is exact; of sampled times only relations are used that hold with hundreds of samples to spare."""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys

PART, HEATSCOPE, SIMULATE, WORK, PROGRAM = sys.argv[1:6]
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def run(*command, code=0):
    done = subprocess.run([HEATSCOPE, *command], capture_output=True, text=True, cwd=WORK)
    that(done.returncode == code, f"{command}: {done}")
    return done.stdout if code == 0 else done.stderr


def rows(by, a, b, *options):
    return list(csv.DictReader(io.StringIO(run("diff", f"--by={by}", "--format=csv", *options, a, b))))


def table(by, db):
    return list(csv.DictReader(io.StringIO(run("report", f"--by={by}", "--format=csv", db))))


def simulate(name, *options):
    path = os.path.join(WORK, name)
    subprocess.run([SIMULATE, "-o", path, *options], check=True, stderr=subprocess.DEVNULL)
    return path


def advice(a, b):
    """Of the largest change within noise: the rate that is advised is that of twice the samples which would leave 0 out, rounded up to 1, 2 or 5."""
    text = " ".join(run("diff", "--by=loop", a, b).split())
    told = re.search(r"The largest of them, ([-+0-9.]+) % of (.*?), would show (at|in runs) (\d+) (.*?)\(.*?there were (\d+)\)", text)
    noise = [r for r in rows("loop", a, b) if r["beyond_noise"] == "no" and float(r["a_s"]) and float(r["b_s"]) and float(r["change_s"])]
    whole = sum(float(r["a_s"]) for r in rows("loop", a, b))
    noise = [r for r in noise if float(r["a_s"]) >= 0.011 * whole]
    that(bool(told) and bool(noise), f"no advice: {text[:1200]}")
    if not told or not noise:
        return
    most = max(noise, key=lambda r: abs(float(r["change_s"])))
    that(abs(float(told[1]) - 100 * float(most["change_s"]) / float(most["a_s"])) < 0.06, f"advice about {told[0]}, expected {most}")
    wanted = 2 * ((float(most["change_high_s"]) - float(most["change_low_s"])) / 2 / float(most["change_s"])) ** 2 * int(told[6])
    least, given = (wanted, int(told[4])) if told[3] == "at" else (wanted / 10000, int(told[4]))
    that(0.97 * least <= given <= 2.6 * least + 1, f"advised {told[0]}, wanted {wanted}")


def simulated():
    common = ("--lines=1500", "--seed=5", f"--sources={WORK}/src")
    a = simulate("a.h5", "--threads=4", "--processes=4", *common)
    b = simulate("b.h5", "--threads=8", "--processes=8", *common)
    message = run("diff", "--where=nothing has this name", a, b, code=1)
    that(message.count("\n") == 1 and "--where: expected a part of the name" in message and "got 'nothing has this name'" in message, f"nowhere: {message}")
    serial = simulate("serial.h5", "--threads=1", "--lines=200", "--seed=77")
    names = [{r["procedure"] for r in table("procedure", db)} for db in (a, serial)]
    for name in (min(names[0] - names[1]), min(names[1] - names[0])):
        run("diff", f"--where={name}", a, serial)  # in one of them only
    for by in ("procedure", "loop", "line", "module"):
        same = rows(by, a, a)
        that(same and all(float(r["change_s"]) == 0 and r["beyond_noise"] == "no" for r in same), f"{by}: a database differs from itself")
        that(all(r["matched"] != "unmatched" for r in same), f"{by}: unmatched in itself")
        that(all(r["line_begin_a"] == r["line_begin_b"] and r["file_a"] == r["file_b"] for r in same), f"{by}: other places in itself")
        other = rows(by, a, b)
        sums = {k: sum(int(r["periods_" + k]) for r in other) for k in "ab"}
        for k, db in (("a", a), ("b", b)):
            if by == "loop": # with what they call
                got, truth = sum(float(r[f"{k}_s"]) for r in other), sum(float(r["with_calls_s"]) for r in table(by, db))
                that(abs(got - truth) < 1e-6 * truth and truth > 0, f"{by}: {got} s in {k}, expected {truth}")
                continue
            truth = sum(int(r["exclusive_periods"]) for r in table(by, db))
            that(sums[k] == truth, f"{by}: {sums[k]} samples in {k}, expected {truth}")
        for r in other:
            low, change, high = float(r["change_low_s"]), float(r["change_s"]), float(r["change_high_s"])
            that(low <= change <= high, f"{by}: interval {r}")
            that((r["beyond_noise"] == "yes") == (low > 0 or high < 0), f"{by}: noise {r}")
            that(abs(change - (float(r["b_s"]) - float(r["a_s"]))) < 1e-9, f"{by}: change {r}")
        back = rows(by, b, a)
        that(sorted(float(r["change_s"]) for r in other) == sorted(-float(r["change_s"]) for r in back), f"{by}: not the same backwards")
    for r in rows("procedure", a, b):
        if r["efficiency"]:
            that(abs(float(r["efficiency"]) - float(r["a_s"]) / float(r["b_s"])) < 1e-6, f"strong efficiency {r}")
    for r in rows("procedure", a, b, "--scaling=weak"):
        if r["efficiency"]:
            that(abs(float(r["efficiency"]) - 2 * float(r["a_s"]) / float(r["b_s"])) < 1e-6, f"weak efficiency {r}")
    for by in ("procedure", "loop", "line", "module"):
        data = json.loads(run("diff", f"--by={by}", "--format=json", a, b))
        that(len(data["rows"]) == len(rows(by, a, b)) and data["processors_b"] == 8, f"{by}: JSON")
        that(len(rows(by, a, b, "--top=3")) == 3, f"{by}: --top")
    few = simulate("few.h5", "--threads=4", "--processes=4", "--samples=600", *common)
    text = run("diff", "--by=line", few, a)
    that(re.search(r" \+\d{4}[ ~]", text), f"no change of more than 1000 %: {text[:1200]}")
    for text in (text, run("diff", a, b), run("diff", a, a), run("diff", "--by=loop", a, b)):
        long = [line for line in text.splitlines() if len(line) > 80]
        that(not long, f"longer than 80 columns: {long[:2]}")
    advice(a, simulate("fewer.h5", "--threads=4", "--processes=4", "--samples=19900", *common))
    same = run("diff", a, a)
    that("The largest of them" not in same, f"no change, and advice about it: {same}")
    that("+0.000 s (+0.0 %), by the kernel's clocks" in same and "95 % of sampling alone:" not in same.split("Procedures")[0], f"CPU time is known without sampling: {same}")
    told = re.findall(r"(\d+) more, (\d+) of them within noise", same)
    that(told and all(x == y for x, y in told), f"the same database twice is not called noise: {told}")
    for command, words in (([a], "two databases"), (["--by=beauty", a, b], "procedure, loop"), (["--scaling=big", a, b], "strong")):
        text = run("diff", *command, code=2)
        that(words in text and len(text.splitlines()) == 1, f"{command}: {text}")
    for command in ([a, "/nonexistent"], [a, PROGRAM]):
        that(len(run("diff", *command, code=1).splitlines()) == 1, f"{command}: not one line")


def build(name, edits, *options, source="program.c"):
    folder = os.path.join(WORK, name)
    os.makedirs(folder)
    with open(PROGRAM, encoding="utf-8") as f:
        text = f.read()
    for mark, new in edits.items():
        that(text.count(f"/* EDIT: {mark} */") == 1, f"no mark {mark}")
        text = text.replace(f"/* EDIT: {mark} */", new)
    with open(os.path.join(folder, source), "w", encoding="utf-8") as f:
        f.write(text)
    run("cc", "-g", "-O2", *options, "-o", f"{name}/program", f"{name}/{source}")
    run("run", "-q", "-o", f"{name}/m", f"{name}/program")
    run("correlate", f"{name}/m")
    return f"{name}/m", text.splitlines()


def line_of(text, words):
    found = [i for i, line in enumerate(text, 1) if words in line]
    that(len(found) == 1, f"{len(found)} lines with {words}")
    return str(found[0])


def builds():
    a, text_a = build("one", {})
    b, text_b = build("two", {"procedures": "\nint unused(int x) {\n    for (int i = 0; i < x; i++)\n        b[i % N] += 1;\n    return x;\n}\n",
                              "inside scale": "/* a line\n         * more */",
                              "between loops": "for (long k = 0; k < times / 2; k++)\n        x ^= x * 5 + 1;"}, "-fno-vectorize")
    loops = rows("loop", a, b)

    def loop(words):
        found = [r for r in loops if r["line_begin_a"] == line_of(text_a, words)]
        that(len(found) == 1 and found[0]["line_begin_b"] == line_of(text_b, words) and found[0]["matched"] == "same", f"{words}: {found}")
        return found[0] if found else {}

    first, second = loop("i < times"), loop("j < 3 * times")
    vector = [r for r in loops if r["procedure"] == "scale" and r["line_begin_a"] == str(int(line_of(text_a, "a[i] = a[i]")) - 1)]
    that(len(vector) == 1 and vector[0]["line_begin_b"] == str(int(line_of(text_b, "a[i] = a[i]")) - 1), f"loop of scale: {loops}")
    if vector:
        that(vector[0]["compiler_changed"] == "yes" and "vector" in vector[0]["versions_a"] and "vector" not in vector[0]["versions_b"],
             f"decision: {vector[0]}")
        that(float(vector[0]["change_s"]) > 0 and vector[0]["beyond_noise"] == "yes", f"four times slower, and noise? {vector[0]}")
    that(first.get("compiler_changed") == "no" or "vector" not in first.get("versions_a", ""), f"chain: {first}")
    that(float(second["a_s"]) > 1.5 * float(first["a_s"]), "the second loop does three times the work of the first")
    new = [r for r in loops if r["line_begin_b"] == line_of(text_b, "k < times / 2")]
    that(len(new) == 1 and new[0]["matched"] == "unmatched" and not float(new[0]["a_s"]), f"new loop: {new}")
    by_line = {r["line_begin_a"]: r["line_begin_b"] for r in rows("line", a, b, "--where=program.c") if r["matched"] == "same"}
    for words in ("a[i] = a[i] * 0.5f", "x = x * 6364136223846793005u", "x = x * 2862933555777941757u"):
        that(by_line.get(line_of(text_a, words)) == line_of(text_b, words), f"line '{words}': {by_line}")
    names = {r["procedure"]: r["matched"] for r in rows("procedure", a, b)}
    that(names.get("scale") == "same" and names.get("chain") == "same", f"procedures: {names}")
    refused = {r["line_begin"]: r["reason"] for r in table("reason", a)}
    that("carried" in refused.get(line_of(text_a, "i < times"), ""), f"the recurrence's reason: {refused}")
    that(str(int(line_of(text_a, "a[i] = a[i]")) - 1) not in refused, f"a vectorised loop among the refused: {refused}")
    run("run", "-q", "-F", "97", "-o", "one/again", "one/program")  # few samples: versions are met with other shares, or not at all
    run("correlate", "one/again")
    again = rows("loop", a, "one/again")
    that(again and all(r["compiler_changed"] == "no" for r in again), f"one binary, and two decisions: {again}")
    that("treated differently" not in run("diff", a, "one/again"), "one binary, and treated differently")
    prefix = {"procedures": "__attribute__((noinline)) static void prefix(float *p, int n) {\n    for (int i = 1; i < n; i++)\n        p[i] = p[i] * 0.5f + p[i - 1];\n}",
              "between loops": "for (int k = 0; k < 100000; k++)\n        prefix(a, N);"}
    here, _ = build("here", prefix)
    there, _ = build("there", prefix, source="renamed.c")  # a remark names the file
    found = [r for r in rows("loop", here, there) if "accessed at here/program.c" in r["remark_a"]]
    that(len(found) == 1 and "accessed at there/renamed" in found[0]["remark_b"], f"remarks that name the file: {found}")
    that(all(r["compiler_changed"] == "no" for r in found), f"renamed, and treated differently: {found}")
    text = run("diff", a, b)
    that("compiler A" in text and "compiler B" in text, "no decisions in the text")


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
{"simulated": simulated, "builds": builds}[PART]()
for w in wrong:
    print("FAILED", w)
sys.exit(1 if wrong else 0)
