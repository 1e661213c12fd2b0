# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heatscope diff --by=wait|message|cause: an MPI program and an edit of it, in which lines move, messages are more and larger, a call is new and one is
gone, and the late sender is later. Usage: timed.py HEATSCOPE WORK
Calls and bytes are known exactly; seconds equal those of the reports of both, and sleeps give bounds below."""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, WORK = sys.argv[1:3]
SOURCE = """#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
static double buffer[2000];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* EDIT: lines */
static void *hold(void *p) {
    pthread_mutex_lock(&lock);
    *(volatile int *)p = 1;
    usleep(HELD);
    pthread_mutex_unlock(&lock);
    return 0;
}
static void give(int me, int length) {
    if (me == 0)
        MPI_Send(buffer, length, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD); /* GIVE */
    else
        MPI_Recv(buffer, length, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* TAKE */
}
int main(int argc, char **argv) {
    int me, level, held = 0;
    pthread_t other;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    pthread_create(&other, 0, hold, &held);
    while (!*(volatile int *)&held)
        usleep(100);
    pthread_mutex_lock(&lock); /* WAIT */
    pthread_mutex_unlock(&lock);
    pthread_join(other, 0);
    for (int i = 0; i < ROUNDS; i++) {
        if (me == 0) {
            usleep(LATE); /* LATE */
            MPI_Send(buffer, LENGTH, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD); /* SEND */
        } else {
            MPI_Recv(buffer, LENGTH, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* RECEIVE */
        }
    }
    give(me, 10); /* FEW */
    give(me, MORE); /* MANY */
    /* EDIT: call */
    MPI_Finalize();
    return 0;
}
"""
EDITS = ({"lines": "", "call": "MPI_Barrier(MPI_COMM_WORLD); /* CALL */"},
         {"lines": "/* these\n * lines\n * are new */", "call": "MPI_Bcast(buffer, 10, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* CALL */"})
SIZES = ({"ROUNDS": 5, "LENGTH": 100, "LATE": 20000, "HELD": 50000, "MORE": 50}, {"ROUNDS": 7, "LENGTH": 2000, "LATE": 150000, "HELD": 500000, "MORE": 500})
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
wrong = []
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
os.chdir(WORK)


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=250)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}{done.stdout}")
    return done.stdout


def measured(side):
    folder = "ab"[side]
    os.makedirs(folder)
    text = SOURCE
    for mark, new in EDITS[side].items():
        text = text.replace(f"/* EDIT: {mark} */", new)
    with open(f"{folder}/program.c", "w", encoding="utf-8") as f:
        f.write(text)
    run("mpicc", "-O1", "-g", *(f"-D{k}={v}" for k, v in SIZES[side].items()), f"{folder}/program.c", "-o", f"{folder}/program", "-lpthread")
    run(HEATSCOPE, "run", "-q", "-o", f"{folder}/m", "mpirun", "-n", "2", f"./{folder}/program")
    run(HEATSCOPE, "correlate", "-q", "-o", f"{folder}.h5", f"{folder}/m")
    return f"{folder}.h5", {m: next(n for n, x in enumerate(text.split("\n"), 1) if f"/* {m} */" in x) for m in ("WAIT", "LATE", "SEND", "RECEIVE", "CALL", "GIVE", "TAKE", "FEW", "MANY")}


def table(by, a, b):
    return list(csv.DictReader(io.StringIO(run(HEATSCOPE, "diff", f"--by={by}", "--format=csv", a, b))))


def reported(by, db):
    return list(csv.DictReader(io.StringIO(run(HEATSCOPE, "report", f"--by={by}", "--format=csv", db))))


def near(a, b):
    return abs(a - b) < 1e-6 * max(1, abs(a), abs(b))


def only(rows, kind, name, lines):
    """The one row of a kind at the lines of both; None there: it is only in the other."""
    found = [r for r in rows if r[name] == kind and (r["line_begin_a"], r["line_begin_b"]) == tuple(str(x or 0) for x in lines)]
    that(len(found) == 1, f"{kind} at {lines}: {len(found)} rows of {rows}")
    return found[0] if len(found) == 1 else None


(a, at_a), (b, at_b) = measured(0), measured(1)
both = {m: (at_a[m], at_b[m]) for m in at_a}
messages, waits, causes = (table(by, a, b) for by in ("message", "wait", "cause"))
for operation, mark, moved in (("MPI_Send", "SEND", "sent"), ("MPI_Recv", "RECEIVE", "received")):
    r = only(messages, operation, "operation", both[mark])
    for side in range(2):
        s = SIZES[side]
        that(r and int(r["calls_" + "ab"[side]]) == s["ROUNDS"] and int(r[f"{moved}_bytes_{'ab'[side]}"]) == 8 * s["ROUNDS"] * s["LENGTH"], f"{operation}: {r}")
for operation, lines in (("MPI_Barrier", (at_a["CALL"], None)), ("MPI_Bcast", (None, at_b["CALL"]))):
    r = only(messages, operation, "operation", lines)
    that(r and r["matched"] == "unmatched" and bool(int(r["calls_a"])) == bool(lines[0]) and bool(int(r["calls_b"])) == bool(lines[1]), f"{operation}: {r}")
r = only(waits, "mutex", "kind", both["WAIT"])
that(r and r["waits_a"] == r["waits_b"] == "2" and float(r["b_s"]) > 0.5, f"mutex: {r}")  # 2 x 0.5 s, less how late main may be to ask
late = [r for r in causes if r["kind"] == "late sender" and "sleep" in r["cause_a"] and (r["line_begin_a"], r["line_begin_b"]) == tuple(map(str, both["LATE"]))]
that(len(late) == 1 and float(late[0]["b_s"]) > 0.5, f"causes: {causes}")  # 7 x 0.15 s, less how late the receiver may be; the sleeps before it may be causes, too
for by, rows, column in (("message", messages, "duration_s"), ("wait", waits, "total_s"), ("cause", causes, "caused_s")):
    for side, db in (("a", a), ("b", b)):
        if by == "cause":
            continue  # report has it thread by thread, and what ends of threads cost besides
        truth = sum(float(r[column]) for r in reported(by, db) if by != "wait" or r["own_code"] == "yes")
        got = sum(float(r[side + "_s"]) for r in rows)
        that(near(truth, got) and truth > 0, f"{by}: {got} s in {side}, expected {truth}")
    that(all(near(float(r["b_s"]) - float(r["a_s"]), float(r["change_s"])) for r in rows), f"{by}: changes")
    that([abs(float(r["change_s"])) for r in rows] == sorted((abs(float(r["change_s"])) for r in rows), reverse=True), f"{by}: the largest change first")
    back = table(by, b, a)
    that(sorted(float(r["change_s"]) for r in back) == sorted(-float(r["change_s"]) for r in rows), f"{by}: not the same backwards")
    data = json.loads(run(HEATSCOPE, "diff", f"--by={by}", "--format=json", a, b))
    that(data["by"] == by and len(data["rows"]) == len(rows), f"{by}: JSON")
    same = table(by, a, a)
    that(same and all(float(r["change_s"]) == 0 and r["matched"] == "same" for r in same), f"{by}: a database differs from itself")
    text = run(HEATSCOPE, "diff", f"--by={by}", a, b)
    that(all(len(x) <= 80 for x in text.splitlines()) and ("goes by samples" if by == "cause" else "Timed, not sampled") in text, f"{by}: {text}")
whole = run(HEATSCOPE, "diff", a, b)
that(re.search(rf"\n +[\d.]+ +[\d.]+ +\+[\d.]+ +\+[\d.]+ +5 +7  Recv main program\.c:{at_b['RECEIVE']}\n +received 4\.0k -> 112k bytes\n", whole), f"messages: {whole}")
that(re.search(rf"late sender\n +by .*sleep in main program\.c:{at_b['LATE']}\n", whole), f"causes: {whole}")
# bytes are exact: told whatever the time of the calls is
that(re.search(rf" Send main program\.c:{at_b['SEND']}\n +sent 4\.0k -> 112k bytes\n", whole), f"bytes: {whole}")
by_message = run(HEATSCOPE, "diff", "--by=message", "--top=0", a, b)  # what a helper sends, by the lines that it is called from: put together, and each
for operation, mark, moved in (("Send", "GIVE", "sent"), ("Recv", "TAKE", "received")):
    row = re.search(rf" {operation} give program\.c:{at_b[mark]}\n +{moved} 480 -> 4\.1k bytes\n((?: {{8,}}.*\n)+)", by_message)
    lines = " ".join(row[1].split()) if row else ""
    that(re.search(rf"called from main program\.c:{at_b['FEW']}: [\d.]+ -> [\d.]+ s(?! *,)", lines), f"{operation}, few: {by_message}")
    that(re.search(rf"called from main program\.c:{at_b['MANY']}: [\d.]+ -> [\d.]+ s, {moved} 400 -> 4\.0k bytes", lines), f"{operation}, many: {by_message}")
that("called from" not in run(HEATSCOPE, "diff", a, b), "callers in the whole text")
by_cause = run(HEATSCOPE, "diff", "--by=cause", "--top=0", a, b)
that(re.search(r"late sender\n +by .*sleep in main program\.c:\d+\n +[\d.]+ -> [\d.]+ % of all waiting, most by rank 0\n", by_cause), f"who: {by_cause}")
that(all(r["machine"] == ("yes" if "not running" in r["cause_a"] + r["cause_b"] else "no") for r in causes), f"machine: {causes}")
that(("The machine's:" in by_cause) == any(r["machine"] == "yes" for r in causes), f"heading: {by_cause}")
that(late and late[0]["most_by_a"] == late[0]["most_by_b"] == "rank 0", f"who: {late}")
that(f"mutex main program.c:{at_b['WAIT']}\n" in whole, f"waits: {whole}")
that(all(len(x) <= 80 for x in whole.splitlines()), f"longer than 80 columns: {whole}")
none = run(HEATSCOPE, "diff", a, a)
that("Calls of message passing" not in none and "What made others wait" not in none and "Waits outside" not in none, f"nothing changed: {none}")
if wrong:
    sys.exit("\n".join(wrong))
