# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is recorded of waiting. Usage: waiting.py NAME HEATSCOPE PROGRAMS WORK

Bounds: a wrapper reads the clock inside the interval that the program measures around the call, so what is recorded is never
more; and a wait that another thread ends HELD_MS after it saw the waiter asleep is never less than that."""
import csv
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scenarios  # noqa: E402
from measured import processes  # noqa: E402
from scenarios import expect, only, program, run  # noqa: E402

HELD_NS = 10_000_000


def kind_names():
    """Number -> name of enum wait_kind, from the table that the runtime is made of."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../formats/include/heatscope/formats/enums.def")
    with open(path) as f:
        return {int(v): n for n, v in re.findall(r"HSC_ENUM\(wait_kind, (\w+), (\d+)", f.read())}


def waits_of(process, kind, procedure):
    """(thread, record) of the waits of a kind with a procedure on their path."""
    names = kind_names()
    return [(t, w) for t in process.threads.values() for w in t.waits
            if names[w["kind"]] == kind and procedure in process.path_of(t, w["node_id"])]


def waits():
    done, found = run([program("waits")], options=["--trace"])
    expect("exit code", done.returncode == 0, done)
    p = max(found, key=lambda p: len(p.threads)) # the other ones are children that sleep
    lines = [line.split() for line in done.stdout.splitlines()]
    expect("kinds", len(lines) >= 19, done.stdout)
    for kind, procedure, count, seconds, size in lines:
        records = waits_of(p, kind, procedure)
        if kind == "SLEEP": # others sleep in the same procedure
            records = [(t, w) for t, w in records if "waits_sleep" in p.path_of(t, w["node_id"])]
        n, total = sum(w["count"] for _, w in records), sum(w["total_ns"] for _, w in records)
        moved, what = sum(w["bytes"] for _, w in records), f"{kind} in {procedure}"
        expect(f"{what}: not more than it was", total <= float(seconds) * 1e9, f"{total} ns of {seconds} s")
        expect(f"{what}: bytes", moved == int(size), f"{moved} of {size}")
        expect(f"{what}: all of its time", all(w["total_ns"] + w["told_ns"] == w["max_ns"] for _, w in records if w["count"] == 1 and not w["open"]), records)
        expect(f"{what}: buckets", all(sum(w["buckets"]) == w["count"] for _, w in records), records)
        if kind == "SPIN": # nobody can see whether it spins already
            expect(f"{what}: count", n <= int(count), n)
            continue
        enough = n >= int(count) if kind in ("CONDITION", "FUTEX") else n == int(count) # these may wake up for nothing
        expect(f"{what}: count", enough, f"{n} of {count}")
        expect(f"{what}: not less", total >= int(count) * HELD_NS, f"{total} ns")
        expect(f"{what}: longest", HELD_NS <= max((w["max_ns"] for _, w in records), default=0) <= total, records)
    for kind, procedure, giver in (("MUTEX", "waits_mutex", "gives_mutex"), ("MUTEX", "waits_mtx", "gives_mtx"),
                                   ("RWLOCK", "waits_rwlock", "gives_rwlock")):
        for _, w in [(t, w) for t, w in waits_of(p, kind, procedure) if w["count"]]: # of an open one nobody knows yet
            holder = p.threads.get(w["holder_thread_id"])
            expect(f"{kind}: held by", holder is not None and holder.id == 1, w)
            expect(f"{kind}: held where", giver in p.path_of(holder, w["holder_node_id"]), w)
    for kind, procedure, giver in (("CONDITION", "waits_condition", "gives_condition"), ("CONDITION", "waits_cnd", "gives_cnd"),
                                   ("SEMAPHORE", "waits_semaphore", "gives_semaphore"), ("FUTEX", "waits_futex", "gives_futex"), ("JOIN", "waits_join", "short_thread")):
        ended = [w for t, w in waits_of(p, kind, procedure) if w["holder_thread_id"]]
        expect(f"{kind} in {procedure}: who ended it", sum(w["count"] for w in ended) == 5, ended)
        for w in ended:
            holder = p.threads[w["holder_thread_id"]]
            expect(f"{kind}: ended by", (holder.id == 1) == (kind != "JOIN"), w)
            expect(f"{kind}: ended where", giver in p.path_of(holder, w["holder_node_id"]), (w, p.path_of(holder, w["holder_node_id"])))
    for t in p.threads.values(): # the trace has each of them
        sums, traced = {}, {}
        for w in t.waits:
            n, ns = sums.get((w["node_id"], w["kind"]), (0, 0))
            sums[w["node_id"], w["kind"]] = (n + w["count"], ns + w["total_ns"])
        for _, ns, node, kind, _ in t.intervals:
            k, total = traced.get((node, kind), (0, 0))
            traced[node, kind] = (k + 1, total + ns)
        ended = {key: v for key, v in sums.items() if v[0]}
        expect(f"thread {t.id}: trace", {k: v[0] for k, v in ended.items()} == {k: v[0] for k, v in traced.items()}, (ended, traced))
        for key, (_, ns) in traced.items():
            expect(f"thread {t.id}: traced time", sums[key][1] >= ns, (key, sums[key], ns))


SIGNALS = {"waits_condition": ("late signal", "gives_condition", "held"), "waits_cnd": ("late signal", "gives_cnd", "held"), # kind, where, what it did
           "waits_semaphore": ("late signal", "gives_semaphore", "held"), "waits_read": ("late signal", "gives_read", "held"),
           "waits_receive": ("late signal", "gives_receive", "held"), "waits_futex": ("late signal", "gives_futex", "held"),
           "waits_join": ("late end of thread", "short_thread", "held"), "waits_barrier": ("late at a barrier of threads", "gives_barrier", "held")}


def signals():
    """Who signals, ends or is joined late is told with what it did meanwhile: it slept. All of each wait is laid to it: at least what it slept, at most what
    the program's clock says of the call."""
    done, _ = run([program("waits")])
    expect("exit code", done.returncode == 0, done)
    seconds = {line.split()[1]: float(line.split()[3]) for line in done.stdout.splitlines()}
    delays, causes = [list(csv.DictReader(of_command("report", os.path.join(scenarios.WORK, "m"), by, "--top=0", "--format=csv").splitlines()))
                      for by in ("--by=delayed", "--by=cause")]
    for procedure, (kind, giver, doing) in SIGNALS.items():
        here = [d for d in delays if d["procedure"] == procedure]
        expect(f"{procedure}: kind", {d["kind"] for d in here} == {kind}, here)
        expect(f"{procedure}: late at", {d["late_procedure"] for d in here} == {giver}, here)
        told, rows = sum(float(d["wait_s"]) for d in here), [c for c in causes if c["delay"] in {d["delay"] for d in here}]
        expect(f"{procedure}: how long", 5 * HELD_NS * 1e-9 <= told <= seconds[procedure], (told, seconds[procedure]))
        slept = sum(float(c["direct_s"]) for c in rows if c["procedure"] == doing and c["waited"] == "sleep")
        expect(f"{procedure}: what it did", slept >= 5 * HELD_NS * 1e-9 * 0.9, (slept, rows))


def pipes():
    """A wait for what another thread of the process writes into a pipe (or a copy of its ends, or a stream on it, or for it and others by poll, select or epoll), a pair of
    sockets or an eventfd, or for room in a pipe that it reads from, is laid to it: at least what it slept, at most what the program's clock says of the call; what was written before somebody waited ends no later wait. Reads of a file by the same line are apart."""
    done, _ = run([program("pipes")])
    expect("exit code", done.returncode == 0, done)
    seconds = {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}
    asked = ["report", os.path.join(scenarios.WORK, "m"), "--top=0", "--format=csv"]
    delays, waits = [list(csv.DictReader(of_command(*asked, by).splitlines())) for by in ("--by=delayed", "--by=wait")]
    for kind in seconds:
        here = [d for d in delays if d["late_procedure"] == f"gives_{kind}"]
        expect(f"{kind}: kind", {d["kind"] for d in here} == {"late signal"}, delays)
        expect(f"{kind}: who waited", {d["procedure"] for d in here} == {"reads" if kind in ("plain", "copied") else f"waits_{kind}"}, here)
        expect(f"{kind}: waits", sum(int(d["waits"]) for d in here) == 5, here)
        told = sum(float(d["wait_s"]) for d in here)
        expect(f"{kind}: how long", 5 * HELD_NS * 1e-9 <= told <= seconds[kind], (told, seconds[kind]))
    calls = {}
    for w in waits:
        if w["procedure"] == "reads":
            calls[w["kind"]] = calls.get(w["kind"], 0) + int(w["waits"])
    expect("reads of one line", calls == {"read": 20, "pipe, eventfd or pair of sockets": 20}, calls)
    expect("kinds", len(seconds) == 9, done)


def queues():
    """A wait for what another thread of the process sends to a message queue (System V's of any or of one type, POSIX' through another descriptor of it, also by poll), for
    room in one, or for a semaphore of System V (one, the last of several that are taken at once, zero) is laid to it, as in pipes(); messages of other types and other semaphores of the
    set end none."""
    done, _ = run([program("queues")])
    if done.returncode == 77:
        print("queues: skipped:", done.stdout.strip())
        return
    expect("exit code", done.returncode == 0, done)
    seconds = {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}
    asked = ["report", os.path.join(scenarios.WORK, "m"), "--top=0", "--format=csv"]
    delays, waits = [list(csv.DictReader(of_command(*asked, by).splitlines())) for by in ("--by=delayed", "--by=wait")]
    for kind in seconds:
        here = [d for d in delays if d["late_procedure"] == f"gives_{kind}"]
        expect(f"{kind}: kind", {d["kind"] for d in here} == {"late signal"}, (here, delays))
        expect(f"{kind}: who waited", {d["procedure"] for d in here} == {f"waits_{kind}"}, here)
        expect(f"{kind}: waits", sum(int(d["waits"]) for d in here) == 5, here)
        told = sum(float(d["wait_s"]) for d in here)
        expect(f"{kind}: how long", 5 * HELD_NS * 1e-9 <= told <= seconds[kind], (told, seconds[kind]))
    expect("nobody else", not [d for d in delays if d["late_procedure"] == "others"], delays)
    of_kind = {w["kind"] for w in waits if w["procedure"].startswith("waits_")}
    expect("kinds of waits", of_kind == {"message queue or System V semaphore", "poll for descriptors"}, waits)
    expect("kinds", len(seconds) == 9, done)


def barriers():
    """At a barrier of pthreads each wait is laid to the thread that came last, from whatever procedure it came: all of it, at least what that one slept once the
    others slept there, at most what the waiter's clock says of the call; also in a trace, where each wait of the last one is recorded too."""
    for options in ((), ("--trace",)):
        done, _ = run([program("barriers")], options=options)
        expect("exit code", done.returncode == 0, done)
        truth = {(int(a), int(b)): float(s) for a, b, s in re.findall(r"(\d) for (\d): ([0-9.]+)", done.stdout)}
        rows = list(csv.DictReader(of_command("report", os.path.join(scenarios.WORK, "m"), "--by=delayed", "--top=0", "--format=csv").splitlines()))
        rows = [r for r in rows if r["kind"] == "late at a barrier of threads"]
        told = {(int(r["procedure"][-1]), int(r["late_procedure"][-1])): r for r in rows}
        expect("who waited for whom", set(told) == set(truth) and len(rows) == len(truth) == 6, rows)
        for pair, r in told.items():
            expect(f"{pair} {options}: waits", r["waits"] == "4" and r["procedure"] == f"waits_{pair[0]}" and r["late_procedure"] == f"waits_{pair[1]}", r)
            expect(f"{pair} {options}: how long", 4 * 0.01 <= float(r["wait_s"]) <= truth[pair], (r, truth[pair]))


def barriers_shared():
    """Who comes to a barrier of several processes is not counted in one of them: its waits are told, and laid to no thread (the second of the parent's two was
    called the last of four in every other round)."""
    done, _ = run([program("barriers_shared")])
    expect("exit code", done.returncode == 0, done)
    asked = ["report", os.path.join(scenarios.WORK, "m"), "--top=0", "--format=csv"]
    rows = list(csv.DictReader(of_command(*asked, "--by=delayed").splitlines()))
    expect("nobody came late", not [r for r in rows if r["kind"] == "late at a barrier of threads"], rows)
    waits = [r for r in csv.DictReader(of_command(*asked, "--by=wait").splitlines()) if r["kind"] == "thread barrier"]
    expect("waits", sum(float(r["total_s"]) for r in waits) >= 8 * 0.01, waits)


def signals_cpp():
    """The same for C++: condition variables, futures, atomics, semaphores. The places are the program's own procedures, also without debug information."""
    for name in ("signals", "signals_bare"):
        done, _ = run([program(name)])
        expect(f"{name}: exit code", done.returncode == 0, done)
        seconds = {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}
        delays = list(csv.DictReader(of_command("report", os.path.join(scenarios.WORK, "m"), "--by=delayed", "--top=0", "--format=csv").splitlines()))
        for kind in ("condition", "future", "word", "semaphore"):
            here = [d for d in delays if d["procedure"].split("(")[0] == f"waits_{kind}"]
            expect(f"{name}, {kind}: kind", {d["kind"] for d in here} == {"late signal"}, delays)
            expect(f"{name}, {kind}: late at", {d["late_procedure"].split("(")[0] for d in here} == {f"gives_{kind}"}, here)
            told = sum(float(d["wait_s"]) for d in here)
            expect(f"{name}, {kind}: how long", 5 * HELD_NS * 1e-9 <= told <= seconds[kind], (told, seconds[kind]))


def last_records():
    """All threads end at once with more to tell than fits into their first piece of the file, and there is no time to make new
    ones for all in advance: what each has counted is there all the same. (A path may be unknown: wrappers do not wait for room.)
    With a signal every 0.1 ms there are some that come to a thread while it ends: what it has to tell is no less then."""
    done, found = run([program("threads"), "reads", "100"])
    expect("exit code", done.returncode == 0, done)
    p = only(found)
    expect("threads", len(p.threads) == 101, len(p.threads))
    reads = sum(w["count"] for k, t in p.threads.items() if k > 1 for w in t.waits if kind_names()[w["kind"]] == "READ")
    expect("reads", reads == int(done.stdout), (reads, done.stdout))
    for k in range(6):
        directory = os.path.join(scenarios.WORK, f"often.{k}")
        shutil.rmtree(directory, ignore_errors=True)
        done = subprocess.run([scenarios.HEATSCOPE, "run", "-q", "-F", "10000", "-o", directory, program("threads"), "reads", "100"],
                              capture_output=True, text=True)
        expect("often: exit code", done.returncode == 0, done)
        [file] = [name for name in os.listdir(directory) if name.endswith(".hsr")]
        text = of_command("dump", os.path.join(directory, file))
        reads = sum(map(int, re.findall(r"^wait .* kind=\d+\(read\) count=(\d+)", text, re.M)))
        expect("often: reads", reads >= int(done.stdout), (reads, done.stdout)) # the loader's are of the first thread


def jumps():
    """Handlers leave calls, and our code in them, by siglongjmp: samples and waits go on. `after` has its CPU time in samples (credited as ever:
    scenarios.cpu_covered says how far), the reads after the last jump are counted, and all paths are whole."""
    before = scenarios.away()
    done, found = run([program("jumps"), "1000"])
    expect("output", done.returncode == 0 and int(done.stdout) >= 1000, done)
    p = only(found)
    t = p.threads[1]
    scenarios.cpu_covered("CPU time", p, before)
    n = sum(w for _, node, w in t.samples if "after" in p.path_of(t, node))
    # 0.3 s of user code, of which the reserve of 8 ticks may be elsewhere, as may what the hypervisor took
    expect("samples after the last jump", n * p.period_ns() >= 0.3e9 * 0.6 - (scenarios.away() - before) * 1e9, n)
    whole = sum(w for _, node, w in t.samples if "main" in p.path_of(t, node))
    expect("paths", whole >= 0.99 * t.weight() - 5, (whole, t.weight()))
    reads = sum(w["count"] for _, w in waits_of(p, "READ", "reads_after"))
    expect("waits after the last jump", reads == 1000, reads)


def ended():
    """Threads that a handler of the program ends by pthread_exit, that are cancelled, or end while the helper reads what the kernel
    counted of them: wherever that meets our handler or wrappers, each ends as without us, says so, has its last figures, and the
    others are measured as ever. Samples 10,000 times a second: our handler is met often."""
    for mode, n in (("handler", 120), ("deferred", 40), ("asynchronous", 80), ("computing", 80), ("late", 64)):
        before = scenarios.away()
        done, found = run([program("ended"), mode, str(n)], options=["-F", "10000"], timeout=300)
        expect(mode, (done.returncode, done.stdout, done.stderr) == (0, f"{n} {n}\n", ""), done)
        p = only(found)
        expect(f"{mode}: threads", len(p.threads) == n + 1, len(p.threads))
        for t in p.threads.values():
            expect(f"{mode}: thread {t.id} ended", t.id == 1 or t.progress and t.progress["ended"] == 1, t.progress)
        expect(f"{mode}: the process ended", len(p.ends) == 1 and p.ends[0]["how"].startswith("0"), p.ends)
        main = p.threads[1]
        seen = sum(w for _, node, w in main.samples if "after" in p.path_of(main, node)) * p.period_ns()
        # 0.1 s, of which the reserve of 8 ticks may be elsewhere, as may what the hypervisor took
        expect(f"{mode}: samples after", seen >= 0.1e9 - scenarios.reserve_ns(p) - (scenarios.away() - before) * 1e9, seen)


def brief_waits():
    """Of calls that are too short for a record each one in a millisecond stands for them: all but the last millisecond, and one on its way."""
    done, found = run(["dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=1000"])
    expect("exit code", done.returncode == 0, done)
    t = only(found).threads[1]
    sums = {}
    for w in t.waits:
        sums[w["node_id"], w["kind"]] = sums.get((w["node_id"], w["kind"]), 0) + w["total_ns"]
    names = kind_names()
    expect("reads", max(ns for (_, kind), ns in sums.items() if names[kind] == "READ") > 5e6, sums)
    for where, ns in sums.items():
        expect(f"{names[where[1]]}: what its records stand for", 0 <= ns - t.stand_for.get(where, 0) < 1e6, f"{t.stand_for.get(where, 0)} of {ns} ns")
    expect("not one each", len(t.intervals) <= sum(sums.values()) / 1e6, (len(t.intervals), sums))


def brief_callers():
    """Each of the brief reads of a procedure stands below the one of its two callers that called it."""
    done, found = run([program("callers"), "20000"])
    expect("exit code", done.returncode == 0, done)
    for procedure in ("first", "second"):
        reads = sum(w["count"] for _, w in waits_of(only(found), "READ", procedure))
        expect(f"reads of {procedure}", reads == 20000, reads)


def folders():
    """What changes a folder, or how long a file is, is timed: each call of them."""
    place = os.path.join(scenarios.WORK, "folders.made")
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    done, found = run([program("folders"), place])
    expect("exit code", done.returncode == 0, done)
    for kind, procedure, count in (("NAME", "lengths", 40), ("SYNC", "lengths", 20), ("NAME", "removes", 40), ("NAME", "renames", 20), ("NAME", "folders", 40)):
        told = sum(w["count"] for _, w in waits_of(only(found), kind, procedure))
        expect(f"{kind} in {procedure}", told == count, told)


def same_line():
    """Each call on a line is a wait and a cause of its own; copies of one are one."""
    done, _ = run([program("same_line")])
    expect("exit code", done.returncode == 0, done)
    waits, causes = [[r for r in csv.DictReader(of_command("report", os.path.join(scenarios.WORK, "m"), by, "--top=0", "--format=csv").splitlines())
                      if r[kind] == "sleep"] for by, kind in (("--by=wait", "kind"), ("--by=cause", "waited"))]
    told = sorted((int(r["waits"]), r["column"] != "0") for r in waits)
    expect("calls", told == [(10, True), (10, True), (30, False)], waits)
    expect("the same", {(r["line"], r["column"]) for r in waits} == {(r["line"], r["column"]) for r in causes} and len(causes) == 3, causes)
    seconds = {(r["line"], r["column"]): float(r["total_s"]) for r in waits}
    for r in causes:
        expect("all of it", float(r["caused_s"]) >= 0.99 * seconds[r["line"], r["column"]], (r, seconds))


def pool():
    """Threads that wait for work are idle where the one that gives it is at work, and wait for it where it sleeps."""
    for arguments in ([], ["sleeps"]):
        done, _ = run([program("pool"), *arguments])
        expect("exit code", done.returncode == 0, done)
        directory, seconds, case = os.path.join(scenarios.WORK, "m"), float(done.stdout), arguments or "computes"
        waits, causes = [list(csv.DictReader(of_command("report", directory, by, "--top=0", "--format=csv").splitlines())) for by in ("--by=wait", "--by=cause")]
        here = {}
        for r in waits:
            if r["kind"] == "condition variable":
                had = here.get(r["procedure"], (0, 0))
                here[r["procedure"]] = had[0] + float(r["total_s"]), had[1] + float(r["idle_s"])
        expect(f"{case}: waits", set(here) == {"unused", "takes_work"} and all(0.5 * seconds < all_s <= seconds for all_s, _ in here.values()), (here, seconds))
        expect(f"{case}: idle", all(idle == (0 if arguments else all_s) for all_s, idle in here.values()), here)
        counted, caused = [sum(float(r[c]) for r in causes if r["kind"] == "late signal") for c in ("counted_s", "caused_s")]
        expect(f"{case}: causes", caused >= 0.5 * seconds and (abs(counted - caused) < 1e-6 if arguments else counted == 0), (causes, seconds))
        text = of_command("report", directory)
        expect(f"{case}: finding", ("are blocked for" in text) == bool(arguments), text)


def waits_off():
    done, found = run([program("waits")], env={"HEATSCOPE_WAITS": "0"})
    expect("exit code", done.returncode == 0, done)
    expect("nothing recorded", not [w for p in found for t in p.threads.values() for w in t.waits], "waits")


def open_waits():
    """What a thread waits for is in the file while it waits, and after kill -9."""
    directory = os.path.join(scenarios.WORK, "m")
    subprocess.run(["rm", "-rf", directory])
    child = subprocess.Popen([scenarios.HEATSCOPE, "run", "-q", "-o", directory, program("threads"), "sleeps"], stdout=subprocess.PIPE)
    child.stdout.readline()
    names, end, seen = kind_names(), time.monotonic() + 60, 0
    while time.monotonic() < end and not seen:
        time.sleep(0.2)
        for p in processes(scenarios.HEATSCOPE, directory):
            for t in p.threads.values():
                seen += sum(w["open"] for w in t.waits if names[w["kind"]] == "JOIN" and "main" in p.path_of(t, w["node_id"]))
    child.kill()
    child.wait()
    expect("the open join", seen >= 1, seen)
    p = only(processes(scenarios.HEATSCOPE, directory))
    total = sum(w["total_ns"] for _, w in waits_of(p, "JOIN", "main"))
    expect("after kill -9", total >= 100e6 and not p.ends, total)


def omp(mode=None, **more):
    if not os.path.exists(program("omp")):
        sys.exit(scenarios.SKIP)
    done, found = run([program("omp"), *([mode] if mode else [])], **more)
    expect("exit code", done.returncode == 0, done)
    return done, only(found)


def omp_waits():
    """Waits in OpenMP constructs, by construct. The program reads the clock right around each; a thread that is preempted
    between its reading and ours makes the recorded wait shorter: 40 % are left for a crowded machine."""
    done, p = omp()
    for line in done.stdout.splitlines():
        kind, procedure, seconds = line.split()
        master = procedure in ("region_end", "taskwait")
        below = procedure if "region_end" in procedure else procedure + ".omp_outlined" # of the region, or in its body
        total = 0
        for t in p.threads.values():
            if (t.id == 1) == master:
                total += sum(w["total_ns"] for w in t.waits if kind_names()[w["kind"]] == kind and
                             below in p.path_of(t, w["node_id"]))
        truth = float(seconds) * 1e9
        most = 1.4 * truth if procedure == "worker_at_region_end" else truth # there another thread than the one that waits reads the clock afterwards
        expect(f"{kind} in {procedure}", 0.6 * truth <= total <= most, f"{total} ns of {truth}")
    for kind, procedure in (("OMP_CRITICAL", "critical.omp_outlined"), ("OMP_LOCK", "locks.omp_outlined")):
        held = [w for t, w in waits_of(p, kind, procedure) if t.id != 1 and w["max_ns"] >= HELD_NS]
        expect(f"{kind}: long waits", held, kind)
        for w in held:
            expect(f"{kind}: who held it", w["holder_thread_id"] == 1, w)
            path = p.path_of(p.threads[1], w["holder_node_id"])
            expect(f"{kind}: where", path and path[-1] == procedure, (path, w))
    idle = [w for t, w in waits_of(p, "OMP_IDLE", "taskwait")] # the last region before the pause of 200 ms
    expect("idle between regions", sum(w["total_ns"] for w in idle) >= 0.6 * 200e6, idle)


def omp_alone():
    """In a team of one thread no barrier, end or reduction is a wait."""
    _, p = omp("alone")
    waits = [w for t in p.threads.values() for w in t.waits if kind_names()[w["kind"]].startswith("OMP")]
    expect("waits for nobody", not waits, waits)


def omp_pauses():
    """A worker that sleeps at the end of a region is not told that it is over before the next one begins: what it waits for the region ends when that
    does all the same, and it is idle in the pause of 200 ms that follows, five times. The program reads its clocks as in worker_at_region_end."""
    done, p = omp("pauses", env={"KMP_BLOCKTIME": "0"})
    truth = float(done.stdout.split()[2]) * 1e9
    total = {kind: sum(w["total_ns"] for t, w in waits_of(p, kind, "worker_at_region_end") if t.id != 1) for kind in ("OMP_REGION_END", "OMP_IDLE")}
    expect("waits for the end", 0.6 * truth <= total["OMP_REGION_END"] <= 1.4 * truth, (total, truth))
    expect("idle in pauses", total["OMP_IDLE"] >= 4 * 200e6, total) # the last one ends with the program


def omp_regions():
    """The worker's samples name the region they were taken in, and the forking thread says where each of these was forked:
    one caller does three times the work of the other. Bound: 5 standard deviations."""
    _, p = omp("callers")
    forks = p.threads[1].regions
    of = {"calls_three": 0, "calls_one": 0}
    worker = p.threads[2]
    unknown = 0
    for region, weight in worker.in_region.items():
        path = p.path_of(p.threads[1], forks[region]) if region in forks else []
        expect("forked in region()", not path or path[-1] == "region", path)
        callers = [name for name in of if name in path]
        if callers:
            of[callers[0]] += weight
        else:
            unknown += weight
    n = sum(of.values())
    expect("samples", n >= 100, (of, unknown))
    # the first record of each chunk may lack its region, and a worker may be told late that a region is over
    expect("samples without a region", unknown <= 0.1 * worker.weight(), f"{unknown} of {worker.weight()}")
    scenarios.near("callers 3:1", of["calls_three"] / n, 0.75, n)
    # and in the database the worker's time is below them: nothing of the region's body is left elsewhere but what is unknown
    done = subprocess.run([scenarios.HEATSCOPE, "report", os.path.join(scenarios.WORK, "m"), "--by=context", "--format=csv"],
                          capture_output=True, text=True)
    expect("report", done.returncode == 0, done.stderr)
    below = {"calls_three": 0.0, "calls_one": 0.0, "": 0.0}
    for row in csv.DictReader(done.stdout.splitlines()):
        if "work" in row["path"] and "omp" in row["path"]:
            caller = [name for name in below if name and name in row["path"]] or [""]
            below[caller[0]] += float(row["exclusive_s"])
    total = sum(below.values())
    expect("below neither caller", below[""] <= 0.1 * total, below)
    scenarios.near("callers 3:1 in the database", below["calls_three"] / (total - below[""]), 0.75, total * 1000)


# of tests/runtime/programs/omp_causes.c: what it is told, and the threads that may be late
LATE_CASES = [("region_end", 0), ("region_end", 1), ("explicit_barrier", 0), ("explicit_barrier", 1), ("loop_end", 0), ("loop_end", 1),
              ("loop_nowait", 0), ("loop_nowait", 1), ("reduction", 0), ("reduction", 1), ("loop_dynamic", None), ("sections", None),
              ("single", None), ("callers", 0), ("callers", 1), ("orphaned", 0), ("orphaned", 1)]
AT_REGION_END = ("region_end", "loop_nowait", "reduction", "callers") # the others wait in the region, and at its end for who goes on later than they
LOCK_CASES = [("lock", 0), ("nest_lock", 1), ("critical", 0), ("mutex", 1)]


def causes_of(case, late, name="omp_causes"):
    """What the program's clocks say: (seconds by late thread, seconds by caller), from and to; and the rows of the report: causes, delays."""
    if not os.path.exists(program(name)):
        sys.exit(scenarios.SKIP)
    done, _ = run([program(name), case, str(late or 0)])
    expect(f"{case}: exit code", done.returncode == 0, done)
    truth = {}
    for who, n, low, high in re.findall(r"(thread|caller) (\d+) was late by ([0-9.]+) to ([0-9.]+)", done.stdout):
        truth.setdefault(who, {})[f"{who} {n}"] = (float(low), float(high))
    rows = [list(csv.DictReader(of_command("report", os.path.join(scenarios.WORK, "m"), by, "--top=0", "--format=csv").splitlines()))
            for by in ("--by=cause", "--by=delayed")]
    return truth, rows


def in_three(check):
    """A thread that is preempted between the program's clock and ours makes them differ by time slices of all others, and a late one without a
    processor has no samples: seen in one case of a hundred with seven threads for a processor. Three times on end is one in a million; what is
    wrong is so each time."""
    before = len(scenarios.failures)
    for _ in range(3):
        del scenarios.failures[before:]
        check()
        if len(scenarios.failures) == before:
            return


def within(told, seconds):
    """The program's clock is read right before the call and right behind it: 20 ms for a preemption between that and ours, three times, and 2 %."""
    low, high = seconds
    return 0.98 * low - 0.06 <= told <= 1.02 * high + 0.06


def late_by(case, truth, rows, kind, of_all, runs=True):
    """Each late thread is said to be so, for as long as the program says: at least until it came, at most until those that waited went on.
    Nobody waits for itself. Not `runs`: the late one may have had no processor meanwhile, and so no samples."""
    causes, delays = rows
    delays = [d for d in delays if d["kind"] == kind]
    here = [d for d in delays if of_all or (d["procedure"] == case) == (case in AT_REGION_END)] # what else is waited for has its own delays
    for who, seconds in truth.items():
        told = sum(float(d["wait_s"]) for d in here if d["late_processor"] == who)
        expect(f"{case}: {who}", within(told, seconds), f"{told} s, expected {seconds}")
    expect(f"{case}: nobody waits for itself", all(d["processor"] != d["late_processor"] for d in delays), delays)
    total = sum(float(c["caused_s"]) for c in causes)
    waits = sum(float(d["wait_s"]) for d in rows[1])
    expect(f"{case}: causes are all waits", abs(total - waits) <= 1e-6 * waits, (total, waits))
    loop = 1 + [i for i, line in enumerate(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "omp_causes.c")))
                if "/* the loop */" in line][0]
    worst = max(truth, key=truth.get)
    computes = ("work", "seconds", "come", "add_up", "hold")
    ran = [c for c in causes if c["kind"] == kind and c["processor"] == worst and c["running"] == "yes" and c["procedure"] in computes]
    longest = max((d for d in here if d["late_processor"] == worst), key=lambda d: float(d["wait_s"]))["delay"]
    ran = [c for c in ran if c["delay"] == longest]
    there = [c for c in ran if c["procedure"] == "work" and abs(int(c["line"]) - loop) <= 1]
    expect(f"{case}: what it did", sum(float(c["caused_s"]) for c in there) >= 0.6 * sum(float(c["caused_s"]) for c in ran) and
           (ran or not runs), ran)


def late_case(case, late, name):
    truth, rows = causes_of(case, late, name)
    late_by(case, truth["thread"], rows, "late at a barrier of threads", case == "callers", late is not None)
    if late is not None:
        expect(f"{case}: who was late", max(truth["thread"], key=truth["thread"].get) == f"thread {late}", truth)
    callers = sorted(truth.get("caller", {}).values(), reverse=True)
    told = sorted((float(d["wait_s"]) for d in rows[1] if d["late_processor"] == f"thread {late}"), reverse=True)
    for i, seconds in enumerate(callers): # a delay for each
        expect(f"{case}: caller {i}", len(told) > i and within(told[i], seconds), (told, callers))


def omp_causes(name="omp_causes"):
    """Barriers, loops and ends of regions: who came late, by how much, and what it did meanwhile."""
    for case, late in LATE_CASES:
        in_three(lambda: late_case(case, late, name))


def nested_case(late, name):
    """Which of our threads is which of the inner region's changes from round to round: so it is the delays in that region together that are as
    long as the program says."""
    truth, rows = causes_of("nested", late, name)
    seconds = tuple(map(sum, zip(*truth["thread"].values())))
    told = sum(float(d["wait_s"]) for d in rows[1] if re.match(r"nested(\.omp_outlined| \[omp region\])", d["procedure"]))
    expect("nested", within(told, seconds), f"{told} s, expected {seconds}: {rows[1]}")
    outer = ("thread 0", "thread 1") # one of them is in each region; the others of libgomp are new each time, and never in one region with another
    wrong = sum(float(d["wait_s"]) for d in rows[1] if d["processor"] not in outer and d["late_processor"] not in outer)
    expect("nested: not in this instance", wrong == 0, (wrong, rows[1]))


def varying_case(late, name):
    """A team of two and one of three by turns, from one place: who is not in it is not late."""
    truth, rows = causes_of("varying", late, name)
    late_by("varying", truth["thread"], rows, "late at a barrier of threads", False)
    told = sum(float(d["wait_s"]) for d in rows[1] if d["late_processor"] == "thread 2" and d["procedure"] != "varying")
    high = truth["thread"].get("thread 2", (0, 0))[1]
    expect("varying: the third", told <= 1.02 * high + 0.02, (told, high, rows[1]))


def omp_nested_causes(name="omp"):
    """A region within another, teams that vary, and the body of a region that is gone from the path, since it ended in a jump: the same."""
    for late in (0, 1):
        in_three(lambda: late_case("orphaned", late, name + "_tails"))
        in_three(lambda: nested_case(late, name + "_causes"))
        in_three(lambda: varying_case(late, name + "_causes"))


def omp_lock_causes(name="omp_causes"):
    """Locks: who held it, for how long the other one waited, and what the holder did."""
    for case, late in LOCK_CASES:
        in_three(lambda: lock_case(case, late, name))


def lock_case(case, late, name):
    truth, rows = causes_of(case, late, name)
    late_by(case, truth["thread"], rows, "held a lock", True)
    taken = [d for d in rows[1] if d["kind"] == "held a lock"]
    expect(f"{case}: where it was held", all(d["late_procedure"].startswith("with_") for d in taken), taken)
    expect(f"{case}: where it was waited for", all(d["procedure"].startswith("with_") for d in taken), taken)


def task_case(case, late, name):
    """All that is waited for a task is laid to who worked on it: no more than the program's clocks say, and no less than half of what it worked (the wait
    may begin later than the program's clock says, by a preemption between the two)."""
    truth, rows = causes_of(case, late, name)
    who, (low, high) = next(iter(truth["thread"].items()))
    expect(f"{case}: who was late", who == f"thread {late}", truth)
    delays = [d for d in rows[1] if d["kind"] == "late task"]
    told = sum(float(d["wait_s"]) for d in delays)
    waits = list(csv.DictReader(of_command("report", os.path.join(scenarios.WORK, "m"), "--by=wait", "--top=0", "--format=csv").splitlines()))
    all_s = sum(float(w["total_s"]) for w in waits if w["kind"] == TASK_WAITS[case])
    expect(f"{case}: for how long", 0.5 * low <= told <= high, (told, low, high))
    expect(f"{case}: all of it", told >= 0.98 * all_s, (told, all_s, waits))
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "omp_causes.c")
    line = 1 + next(i for i, text in enumerate(open(source)) if f"/* of {case} */" in text)
    expect(f"{case}: who and where", {(d["late_processor"], d["late_line"]) for d in delays} == {(who, str(line))}, delays)
    ran = [c for c in rows[0] if c["kind"] == "late task" and c["running"] == "yes" and c["known"] == "yes"]
    work = sum(float(c["direct_s"]) for c in ran if c["procedure"] == "work")
    # on a busy machine some 40 samples, and the wait lasts until the one that waits has a processor again: what the late one did then is in it too
    expect(f"{case}: what it did", ran and work >= 0.6 * sum(float(c["direct_s"]) for c in ran), ran)


TASK_WAITS = {"taskwait": "OpenMP taskwait", "taskgroup": "end of an OpenMP task group", "taskloop": "end of an OpenMP task group",
              "taskloop_reduction": "end of an OpenMP task group"}


def omp_task_causes(name="omp_causes"):
    """Waits for tasks: who worked on the last one, for how long it was waited for, and what that thread did."""
    for case in TASK_WAITS:
        for late in (0, 1):
            in_three(lambda: task_case(case, late, name)) # a thread that loses its processor between the task's end and its wait waits for nobody


def gomp_task_causes():
    omp_task_causes("gomp_causes")


def gomp_causes():
    """The same with GCC's runtime."""
    omp_causes("gomp_causes")


def gomp_nested_causes():
    omp_nested_causes("gomp")


def gomp_lock_causes():
    omp_lock_causes("gomp_causes")


def gomp_manners():
    """What programs with GCC's runtime say, and how they end, is the same when measured; also where it came with a library that was loaded
    later, and is unloaded. A wait that is left by a jump ends there."""
    if not os.path.exists(program("gomp")):
        sys.exit(scenarios.SKIP)
    env = {"OMP_CANCELLATION": "true", "OMP_SCHEDULE": "dynamic"}
    cases = [[program("gomp"), what] for what in ("tasks", "constructs", "cancelled", "pieces", "discarded", "jumps", "exits", "crashes")]
    for command in cases + [[program("gomp_loader"), program("gomp_library.so")]]:
        bare = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env})
        for options in ((), ("--trace",)):
            done, found = run(command, options=options, env=env)
            expect(f"{command}: output", done.stdout == bare.stdout, (done.stdout, bare.stdout))
            expect(f"{command}: end", done.returncode in (bare.returncode, 128 - bare.returncode), (done, bare))
        if command[1] == "jumps":
            t, names = only(found).threads[1], kind_names()
            expect("jumps: a wait without end", all(w["total_ns"] < 0.2e9 for w in t.waits if names[w["kind"]].startswith("OMP")), t.waits)
            rows = csv.DictReader(of_command("report", os.path.join(scenarios.WORK, "m"), "--by=category", "--format=csv").splitlines())
            told = {row["category"]: float(row["inclusive_pct"]) for row in rows}
            expect("jumps: work is no wait", told.get("computation", 0) >= 50, told)
        if "loader" in command[0]:
            waits = [w for _, t in only(found).threads.items() for w in t.waits if kind_names()[w["kind"]] == "OMP_REGION_END"]
            expect("waits in a library", sum(w["count"] for w in waits) > 0, waits)
    unloaded = [program("gomp_loader"), program("gomp_library.so"), "unloads"] # without us it dies sometimes
    done, _ = run(unloaded, env={"OMP_WAIT_POLICY": "passive"})
    expect("runtime that was unloaded", (done.returncode, done.stdout) == (0, "499503 gone\n" * 3), done)


def gomp_tasks():
    """A thread that works on tasks while it waits: their time is no wait. Both clocks are read within 20 ms, but for time slices of others (60 ms)."""
    if not os.path.exists(program("gomp")):
        sys.exit(scenarios.SKIP)
    done, found = run([program("gomp"), "busy_wait"])
    expect("exit code", done.returncode == 0, done)
    at_barrier, in_tasks = map(float, done.stdout.split())
    t = only(found).threads[1]
    waited = sum(w["total_ns"] for w in t.waits if kind_names()[w["kind"]] == "OMP_BARRIER") * 1e-9
    expect("tasks are no wait", abs(waited - (at_barrier - in_tasks)) <= 0.02 + 0.2 * (at_barrier - in_tasks), (waited, at_barrier, in_tasks))


TASK_PATHS = { # the program's case: procedures from the one that main's region calls to the body of the tasks, each a part of its name; and of what its creator does itself
    "wait": (["creates_one_way", "waits_for_tasks", "creates", "om", "body", "work"], ["creates_one_way", "waits_for_tasks", "work"]),
    "end": (["creates_one_way", "creates", "om", "body", "work"], None),
    "nested": (["creates_one_way", "creates_nested", "om", "nests", "creates", "om", "body", "work"], None),
    "loop": (["creates_one_way", "creates_parts", "om", "body", "work"], None),
    "untied": (["creates_one_way", "creates_untied", "om", "body", "work"], ["creates_one_way", "creates_untied", "work"]),
    "recursive": (["creates_one_way", "recurs", "om", "recurs", "body", "work"], None),
    "place": (["creates_one_way", "creates_in_place", "om", "om", "body", "work"], ["creates_one_way", "creates_in_place", "om", "work"])}


def one_body(path):
    """Of a task clang makes two procedures, the second of which may be inlined."""
    return [n for n, then in zip(path, [*path[1:], ""]) if not (n.startswith(".omp_task_entry") and then.startswith(".omp_outlined"))]


def is_like(path, parts, least):
    """The same procedures, and at least so many bodies of tasks as are told."""
    bodies = [n for n in path if "omp" in n]
    return [n for n in path if n not in bodies] == [p for p in parts if p != "om"] and least <= len(bodies) <= parts.count("om")


def task_path_case(name, what, creator):
    """All samples in tasks have the path that led to where the task was created and its body, and nothing between them, whichever thread it ran in: of the two threads
    of the team each runs one at least. By their file, and by the tables."""
    done, found = run([program(name), what, *(["worker"] if creator else [])])
    expect("exit code", done.returncode == 0, done)
    ran = list(map(int, done.stdout.split()))
    expect(f"{what}: both threads ran tasks", max(ran[0], ran[2]) > 0 and max(ran[1], ran[3]) > 0, ran)
    tasks, own = TASK_PATHS[what]
    p, at = only(found), {}
    for t in p.threads.values():
        for _, node, weight in t.samples:
            path = p.path_of(t, node)
            if "work" in path and "creates_one_way" in path:
                names = tuple(one_body(path[path.index("creates_one_way"):path.index("work") + 1]))
                at.setdefault(names, {}).setdefault(t.id, 0)
                at[names][t.id] += weight
            elif "work" in path:
                expect(f"{what} {creator}: a path that does not begin where the task was created", False, path)
    of_tasks = {names: n for names, n in at.items() if is_like(names, tasks, 1)} # symbols do not tell of inlined bodies
    rest = [names for names in at if names not in of_tasks and not (own and is_like(names, own, 0))]
    expect(f"{what} {creator}: paths", of_tasks and not rest, at)
    expect(f"{what} {creator}: in both threads", {t for n in of_tasks.values() for t in n} == set(p.threads), of_tasks)
    rows = list(csv.DictReader(of_command("report", os.path.join(scenarios.WORK, "m"), "--by=context", "--top=0", "--format=csv").splitlines()))
    paths = [(r["path"].split(";"), float(r["exclusive_s"])) for r in rows]
    in_work = [(one_body([n for n in path if not n.startswith("loop")]), s) for path, s in paths if "work" in path]
    wrong = [(path, s) for path, s in in_work if "main" not in path or not any(all(part in name for part, name in zip(["main", "om", *way], path[path.index("main"):])) and
                                                         path.index("work") - path.index("main") == len(way) + 1 for way in (tasks, own) if way)]
    expect(f"{what} {creator}: in the tables", in_work and not wrong, wrong)


def omp_task_paths(name="omp_tasks"):
    if not os.path.exists(program(name)):
        sys.exit(scenarios.SKIP)
    for what in TASK_PATHS:
        for creator in (0, 1):
            task_path_case(name, what, creator)
    done, _ = run([program(name), "region"]) # the bodies of a region and of tasks in it have one procedure
    expect("exit code", done.returncode == 0, done)
    rows = csv.DictReader(of_command("report", os.path.join(scenarios.WORK, "m"), "--by=context", "--top=0", "--format=csv").splitlines())
    paths = [one_body([n for n in r["path"].split(";") if not n.startswith("loop")]) for r in rows if ";work" in r["path"]]
    expect("below the region", paths and all(p[p.index("has_region"):p.index("body")] == ["has_region", p[p.index("has_region") + 1], p[p.index("body") - 1]] and
                                             "omp" in p[p.index("has_region") + 1] and "omp" in p[p.index("body") - 1] for p in paths if "has_region" in p) and
           all("has_region" in p for p in paths), paths)
    task_path_case(name, "place", 1)
    loops, procedures = [list(csv.DictReader(of_command("report", os.path.join(scenarios.WORK, "m"), by, "--top=0", "--format=csv").splitlines()))
                         for by in ("--by=loop", "--by=procedure")] # of the last case: the loop that creates the tasks has all that they took
    of_loop = sum(float(r["inclusive_s"]) for r in loops if r["procedure"] == "creates_in_place")
    total = sum(float(r["inclusive_s"]) for r in procedures if r["procedure"] == "work")
    expect("time of tasks is that of the loop that creates them", of_loop >= 0.99 * total > 0, (of_loop, total, loops))


def gomp_task_paths():
    omp_task_paths("gomp_task_paths")


def of_command(command, *arguments, rc=0):
    done = subprocess.run([scenarios.HEATSCOPE, command, *arguments], capture_output=True, text=True)
    expect(" ".join((command, *arguments[:-1])), done.returncode == rc and not re.search(r"\b-?(nan|inf)\b", done.stdout), done)
    return done.stdout


def unsampled_beside():
    """A process that waits all its life, in a run in which another one computes: it has a file and is in the tables, with its wait and without a sample; one that
    only ends is told of with its CPU time."""
    done, found = run(["/bin/sh", "-c", f"{program('threads')} work; sleep 0.3; /bin/true"], options=["-F", "50"])
    expect("exit code", done.returncode == 0, done)
    directory = os.path.join(scenarios.WORK, "m")
    rows = {os.path.basename(r["program"]): r for r in csv.DictReader(of_command("report", directory, "--by=processor", "--processors=process", "--format=csv").splitlines())}
    expect("processes", {"rt_threads", "sleep"} <= set(rows) and "true" not in rows, rows)
    expect("no sample of it", not any(p.samples() for p in found if len(p.threads) == 1 and any(w["total_ns"] > 2e8 for t in p.threads.values() for w in t.waits)), found)
    waits = [r for r in csv.DictReader(of_command("report", directory, "--by=wait", "--top=0", "--format=csv").splitlines()) if r["kind"] == "sleep"]
    expect("its wait", len(waits) == 1 and 0.3 <= float(waits[0]["total_s"]) < 10, waits)
    with open(os.path.join(directory, ".processes"), encoding="ascii") as f:
        expect("the brief one", sum(line.startswith("brief ") for line in f) == 1, os.listdir(directory))


def unsampled():
    """A run that waited, and used less CPU time than one period (1 s here; it takes some 0.1): a database and a report of all
    that is counted and not sampled."""
    done, found = run([program("waits")], options=["-F", "1"])
    expect("exit code", done.returncode == 0, done)
    p = max(found, key=lambda p: len(p.threads))
    if any(q.samples() for q in found):
        sys.exit(scenarios.SKIP) # a machine on which waiting takes a second of CPU time
    directory, names, waited = os.path.join(scenarios.WORK, "m"), kind_names(), {}
    of_command("correlate", directory)
    text = of_command("report", directory)
    expect("a sentence", "none was due" in text and "\n\nWaiting: " in text, text)
    findings = text[text.index("What stands out"):text.index("\nWaiting: ")]
    expect("a finding", "are blocked for" in findings, findings)
    expect("nothing of no time", not re.search(r"\b0\.000 s|\b0\.0 %", findings), findings)
    for row in csv.DictReader(of_command("report", directory, "--by=wait", "--format=csv").splitlines()):
        waited[row["kind"]] = waited.get(row["kind"], 0) + int(row["waits"])
    for kind, word in (("BARRIER", "thread barrier"), ("MUTEX", "mutex"), ("JOIN", "end of a thread")):
        n = sum(w["count"] for q in found for t in q.threads.values() for w in t.waits if names[w["kind"]] == kind)
        expect(f"{kind}: all of them", n and waited.get(word) == n, (n, waited))
    threads = list(csv.DictReader(of_command("report", directory, "--by=thread", "--format=csv").splitlines()))
    expect("threads", len(threads) >= len(p.threads), threads)
    expect("the kernel's times", any(float(t["user_s"]) + float(t["system_s"]) > 0 for t in threads), threads)
    for by in ("procedure", "loop", "line", "context", "processor", "module", "ledger", "message", "cause", "probe", "reason", "array", "cost"):
        of_command("report", directory, f"--by={by}")
    for to in ("callgrind", "pprof", "speedscope", "chrome", "collapsed", "csv", "hdf5"):
        of_command("export", f"--to={to}", "-o", os.path.join(scenarios.WORK, to), directory)
    for to in ("speedscope", "chrome"):
        with open(os.path.join(scenarios.WORK, to)) as f:
            json.load(f)
    with gzip.open(os.path.join(scenarios.WORK, "pprof")) as f:
        expect("pprof", f.read(), "nothing in it")
    json.loads(of_command("diff", "--format=json", directory, directory))
    of_command("diff", directory, directory)


if __name__ == "__main__":
    name, scenarios.HEATSCOPE, scenarios.PROGRAMS, scenarios.WORK = sys.argv[1:5]
    scenarios.WORK = os.path.join(scenarios.WORK, name)
    os.makedirs(scenarios.WORK, exist_ok=True)
    globals()[name]()
    for f in scenarios.failures[:20]:
        print("FAILED", f[:1000])
    sys.exit(bool(scenarios.failures))
