# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Events, wall time, the budget, start and stop, and what a program says by heatscope.h. Usage: as scenarios.py."""
import bisect
import glob
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scenarios as s  # noqa: E402
from measured import Process, number, processes  # noqa: E402
from scenarios import away, cpu_covered, expect, only, program, run  # noqa: E402


def perf_or_skip(p):
    if p.mechanism() not in ("perf-cpu-clock", "perf-cpu-clock-trap"):
        sys.exit(s.SKIP)


def weights(process, thread, function):
    return sum(w for _, node, w in thread.samples if function in process.path_of(thread, node))


# ---- events --------------------------------------------------------------------------------------------------------------

def fake(options, arguments, directory):
    shutil.rmtree(directory, ignore_errors=True)
    done = subprocess.run([program("fake_counters"), s.HEATSCOPE, "run", "-o", directory, *options, *arguments],
                          capture_output=True, text=True)
    if done.returncode == s.SKIP:
        sys.exit(s.SKIP)
    return done, processes(s.HEATSCOPE, directory)


def events():
    """Counters of a machine that has some (hardware ones are the kernel's task clock in disguise, two events for each ns),
    several at once, and those of this machine. A count is exact up to one period at each start of a counter."""
    directory = os.path.join(s.WORK, "m")
    # periods without a common measure: a clock that fires while the kernel still works on another one's sample has none
    options = ["-F", "300", "-e", "cycles:7422011", "-e", "cache-misses:1578989:u,r01c2:11157427", "-e", "page-faults:1", "--budget", "off"]
    for mechanism in ("perf-cpu-clock", "timer-monotonic"):
        before = away()
        done, found = fake(options + ["--mechanism", mechanism], [program("controls"), "endless", "1.2"], directory)
        expect("exit code", done.returncode == 0, done)
        expect("nothing left out", "left out" not in done.stderr, done.stderr)
        p = only(found)
        for complaint in p.check():
            expect(mechanism, False, complaint)
        expect("events", [p.events[k][0] for k in sorted(p.events)] ==
               ["cpu-time", "cycles", "cache-misses:u", "r01c2", "page-faults"], p.events)
        t = p.threads[1]
        cpu_covered(f"{mechanism}: CPU time beside other events", p, before)
        for k in (1, 2, 3):
            counted = sum(w for e, _, _, w, _ in t.others if e == k)
            expect("total", counted == t.totals.get(k), (k, counted, t.totals))
            # the clock also runs in the kernel, where the event does not fire: 2 samples in a millisecond, some 10 to 25 us each
            truth = 2 * t.progress["cpu_ns"] / p.events[k][1]
            expect(f"{mechanism}: {p.events[k][0]}", 0.9 * truth - 1 <= counted <= 1.01 * truth + 1, (counted, truth))
            mine = sum(w for e, _, node, w, _ in t.others if e == k and "wanted" in p.path_of(t, node))
            expect("call paths of events", mine >= 0.9 * counted - 1, (mine, counted))
    done, found = run([program("controls"), "endless", "0.1"], options=["-e", "cycles"], quiet=False)
    if "left out" in done.stderr: # as on most virtual machines
        expect("one line", done.stderr.count("event cycles is left out: ") == 1, done.stderr)
        expect("in the file", any(kind == "note" and "cycles" in f["text"] for kind, f in only(found).notes), found[0].notes)
    for bad in ("no-such-event", "cycles:", "wall:5", "context-switches", "cpu/nonsense=1/", "", "r", "../x/y/", "a:b:c:d"):
        done = subprocess.run([s.HEATSCOPE, "run", "-o", directory, "-e", bad, "true"], capture_output=True, text=True)
        expect(f"-e '{bad}'", done.returncode == 2 and done.stderr.count("\n") == 1, done)


def wall():
    """All time of each thread by the clock, without disturbing a call. Each step's time is known to the program; the helper
    looks every 10 ms and puts what it did not see to what it sees next: the bound is ten looks, more when it came late."""
    done, found = run([program("blocks"), "600"], options=["-e", "wall"])
    expect("no wait ended early", done.returncode == 0, done)
    p = only(found)
    sleeps, computes, polls, locks = (float(v) for v in done.stdout.split())
    seen = {}
    for k, t in p.threads.items():
        last = t.record and int(t.record["time"])
        for _, when, node, w, state in sorted(t.others, key=lambda o: o[1]):
            path = p.path_of(t, node)
            for f in ("sleeps", "computes", "polls", "locks"):
                if f in path:
                    seen[f] = seen.get(f, 0) + 10 * w
                    if f in ("sleeps", "polls", "locks"):
                        expect("state", "unknown" not in state and "computation" not in state, (f, state))
            seen["late"] = max(seen.get("late", 0), (when - last) / 1e6)
            last = when
    bound = 100 + 2 * seen.get("late", 0)
    for name, truth in (("sleeps", sleeps), ("computes", computes), ("polls", polls), ("locks", locks)):
        expect(name, abs(seen.get(name, 0) - truth) <= bound, f"{seen.get(name, 0)} ms, by the clock {truth:.0f} +- {bound:.0f}")
    # the correlator has it as a metric
    done = subprocess.run([s.HEATSCOPE, "correlate", "-o", os.path.join(s.WORK, "w.h5"), os.path.join(s.WORK, "m")],
                          capture_output=True, text=True)
    expect("correlate", done.returncode == 0, done)


# ---- cost ----------------------------------------------------------------------------------------------------------------

def crowded():
    """A timer by wall clock whose samples take longer than it lets pass: 400 us each, as the runtime believes, every 50 us. They come
    more seldom then, though a rate was named, and the file and the last line say so."""
    os.environ["HEATSCOPE_INTERRUPT_NS"] = "400000"
    try:
        before = away()
        done, found = run([program("kernel"), "0.4"], options=["-F", "20000", "--mechanism", "timer-monotonic"], governed=True, quiet=False)
    finally:
        del os.environ["HEATSCOPE_INTERRUPT_NS"]
    p = only(found)
    expect("exit code", done.returncode == 0, done)
    rates = [periods for t in p.threads.values() for _, periods in t.rates]
    expect("twice 400 us apart", rates and rates[0] >= 16, rates)
    said = re.search(r", down to (\d+) a second, where samples took more than half of the time between them[,;]", done.stderr)
    expect("the last line says so", said and int(said[1]) == 20000 // max(rates), done.stderr)
    cpu_covered("CPU time all the same", p, before)


def missed():
    """A budget that was not kept is told in the last line: how much, by what most and what would help; one that was kept, and none, is not. The preset one is from 5 % on. What a sample costs is
    said to be 240 us, or next to nothing, so that it does not depend on the machine."""
    dear = {"HEATSCOPE_TRAP_NS": "200000", "HEATSCOPE_INTERRUPT_NS": "200000", "HEATSCOPE_SAMPLE_COLD_NS": "240000", "HEATSCOPE_SAMPLE_LEAST_NS": "150000",
            "HEATSCOPE_SAMPLE_MOST_NS": "450000"}
    alike = {**dear, "HEATSCOPE_SAMPLE_MOST_NS": "250000"} # of a program that misses its caches one costs up to 5/3 of what is told, however alike those of the trial were
    cheap = {k: "1" for k in dear}
    for prices, options, seconds, why in ((dear, [], "0.8", ", "), (dear, ["--budget", "1%"], "0.06", ", above the budget of 1.0 %: "), (dear, ["--budget", "100%"], "0.4", None),
                                          (dear, ["-F", "500"], "0.2", None), (alike, ["--budget", "off"], "0.2", None), (cheap, ["--budget", "5%"], "2", None)):
        os.environ.update(prices)
        try:
            done, found = run([program("kernel"), seconds], options=options, governed=True, quiet=False)
        finally:
            for k in prices:
                del os.environ[k]
        expect("exit code", done.returncode == 0, done)
        perf_or_skip(only(found))
        expect(f"{options}: two lines", len(re.findall("^heatscope: ", done.stderr, re.M)) == 2, done.stderr)
        line = re.findall(r"; measuring added ([\d.]+) % \([^()]*\)(, |, above the budget of 1.0 %: )([\d.]+) by samples \((.*) takes fewer\); next: ", done.stderr)
        expect(f"{options}: told or not", len(line) == bool(why) and done.stderr.count("above the budget") == ("above" in (why or "")) and done.stderr.count(" by samples") == bool(why), done.stderr)
        added = re.search(r"; measuring added ([\d.]+) % \(~([\d.]+) to ([\d.]+) %, ", done.stderr)
        cost = [f for kind, f in only(found).notes if kind == "cost"][-1]
        told = [int(cost[f"interrupt_{k}ns"]) for k in ("least_", "", "most_")]
        if prices is not cheap: # a period of 1 ms or more apart costs what cold ones do
            expect(f"{options}: as said", told == [150000, 240000, 450000 if prices is dear else 400000], cost)
            expect(f"{options}: an interval", added and float(added[2]) < float(added[1]) < float(added[3]), done.stderr)
        if line:
            expect(f"{options}: the same figure, and why", added and line[0][0] == added[1] and 0 < float(line[0][2]) <= float(added[1]) and why == line[0][1], done.stderr)
            each_s = (int(cost["handler_ns"]) + int(cost["signals_ns"])) * 1e-9 / sum(len(t.samples) for t in only(found).threads.values())
            frugal = max(hz for hz in (1, 2, 5, 10, 20, 50, 100, 200, 500) if hz * each_s <= 0.01)
            expect(f"{options}: a rate that keeps to it", line[0][3] == f"-F {frugal}", (line, each_s))


    os.environ.update(alike)
    try: # with more memory than caches: up to 8/3
        done, found = run([sys.executable, "-c", "b = b'1' * (64 << 20)\nfor i in range(3000000): pass"], options=["--budget", "off"], governed=True, quiet=False)
    finally:
        for k in alike:
            del os.environ[k]
    cost = [f for kind, f in only(found).notes if kind == "cost"][-1]
    expect("much memory", [int(cost[f"interrupt_{k}ns"]) for k in ("least_", "", "most_")] == [150000, 240000, 640000], cost)


def clock_of(p, thread, when):
    """The mechanism that a sample of a thread at that time came from."""
    changes = bisect.bisect_right(thread.source_times, when)
    return thread.sources[changes - 1][0] if changes else p.mechanism()


def budget():
    """Threads that wait for each other all the time, and one that only computes. What is asserted is what the governor
    guarantees: weights always follow the rate that was told, CPU time stays covered, with the preset budget samples are at most 10 ms apart in a
    thread's first ten seconds (the file says to what its rate may be lowered at all), and where the user has named a rate it stays. Only where rates are governed do threads leave perf's clock for a
    timer, whose samples weigh what the thread's clock says: then all that is known of weights is their sum."""
    for options, governed in ((["--budget", "1%"], True), ([], True), (["--budget", "off"], False), (["-F", "2000"], False), (["-F", "2000", "--budget", "0.1%"], True)):
        before = away()
        done, found = run([program("switches"), "20000", "0.5"], options=options, governed=True, quiet=False)
        # perf's clock goes on in interrupts and while the hypervisor is away (scenarios.cpu_covered)
        more = (away() - before) * 1e9 + 10e6 * os.cpu_count()
        expect("exit code", done.returncode == 0, done)
        p = only(found)
        perf_or_skip(p)
        expect("threads", sorted(p.threads) == [1, 2, 3], sorted(p.threads))
        told = sum(len(t.rates) for t in p.threads.values())
        expect(f"{options}: rate lowered", bool(told) == governed, told)
        longest = 100e6 if "--budget" in options else 10e6
        lowest = max([1] + [periods for t in p.threads.values() for _, periods in t.rates])
        said = re.search(r"\), down to (\d+) a second[,;]", done.stderr)
        expect(f"{options}: the last line says so", bool(said) == governed and
               (not said or int(said[1]) == 10**9 // (lowest * p.period_ns())), done.stderr)
        expect(f"{options}: samples and their time", s.said(found) in done.stderr, (s.said(found), done.stderr))
        for k, t in sorted(p.threads.items()):
            steps, level = t.rates, 1
            for _, periods in steps:
                expect("to another rate, by powers of two", periods != level and periods & (periods - 1) == 0, steps)
                level = periods
            # a sample's weight is the rate at its time; where ticks met time in the kernel, any (on a crowded machine most of the
            # passing to and fro); deferred ones add up
            allowed = {1} | {periods for _, periods in steps}
            most = max(allowed)
            expect(f"{options}: longest period", most * p.period_ns() <= longest, most)
            computing = [(when, w) for when, node, w in t.samples if "computes" in p.path_of(t, node)]
            by_perf = [w for when, w in computing if clock_of(p, t, when) != "timer-cpu"]
            expect("weights", computing and sum(w in allowed for w in by_perf) >= 0.5 * len(by_perf), (allowed, computing[:50]))
            expect(f"{options}: leaves perf's clock only for a budget", not any(why == "switches" for _, why, _ in t.sources) or governed, t.sources)
            cpu, seen = t.progress["cpu_ns"], (t.weight() + t.progress["lost"]) * p.period_ns()
            # in flight at the end: one period, the reserve of 8 ticks of 4 periods each
            slack = 36 * most * p.period_ns() + 60e6
            expect(f"{options}, thread {k}: amount", cpu - slack <= seen <= cpu + 2 * most * p.period_ns() + more,
                   f"{seen / 1e6:.1f} of {cpu / 1e6:.1f} ms")
        costs = [f for kind, f in p.notes if kind == "cost"]
        expect("cost at start and end", len(costs) == 2 and
               int(costs[0]["longest_ns"]) == (100e6 if governed else p.period_ns()) and int(costs[0]["interrupt_measured"]) == 1 and
               int(costs[0]["interrupt_ns"]) > 200 and int(costs[1]["helper_ns"]) > 0, costs)
        # the parts are those of the threads, each rounded down; all our own time is in them
        parts = {k: int(costs[1][k + "_ns"]) for k in ("handler", "signals", "wrappers", "probes", "switches", "helper", "start", "end")}
        handlers = sum(t.handler["own_ns"] for t in p.threads.values())
        own = sum(t.progress["own_ns"] for t in p.threads.values())
        rounding = 3 * len(p.threads) + 3
        expect(f"{options}: parts", abs(parts["handler"] - handlers) <= rounding and not parts["probes"] and
               parts["signals"] == sum(t.handler["runs"] for t in p.threads.values()) * int(costs[1]["interrupt_ns"]) and
               abs(parts["handler"] + parts["wrappers"] - own) <= rounding and not any(int(costs[0][k + "_ns"]) for k in parts if k != "start"), (costs, own, handlers))
        # each switch with perf's clock costs as much as the next sample is near or far: that many of them, and no more, are told
        switches = sum(t.usage["voluntary_switches"] + t.usage["involuntary_switches"] for t in p.threads.values())
        most = switches * max(int(costs[1]["switch_ns"]), int(costs[1]["switch_far_ns"]))
        counted = sum(t.usage["voluntary_switches"] + min(t.usage["involuntary_switches"], t.progress["cpu_ns"] // 10**6) for t in p.threads.values())
        least = 0 if governed else 0.45 * counted * min(int(costs[1]["switch_ns"]), int(costs[1]["switch_far_ns"]))
        expect(f"{options}: switches", least <= parts["switches"] <= most and
               abs(parts["switches"] - sum(t.handler["switches_ns"] for t in p.threads.values())) <= rounding, (costs[1], switches))
        expect(f"{options}: start and end", 2e5 < parts["start"] < 1e8 and 0 < parts["end"] < 1e8, costs)
        in_line = re.search(r"; measuring added ([\d.]+) % \((?:~([\d.]+) to ([\d.]+) %, )?(\d+) ms\)[^;]*;", done.stderr)
        expect(f"{options}: the last line tells them", in_line, done.stderr)
        cpu_us = sum(t.progress["cpu_ns"] for t in p.threads.values()) // 1000
        by_itself = cpu_us - sum(parts[k] // 1000 for k in ("handler", "signals", "wrappers", "probes", "switches"))
        sealing = 100e3 / by_itself # the file is cut off and sealed after the record was written, which the line has
        shares = {k: ns / 1000 * 100 / by_itself for k, ns in parts.items()}
        expect(f"{options}: as recorded", -0.06 < float(in_line[1]) - sum(shares.values()) < 0.06 + sealing * 100, (in_line[0], parts, by_itself))
        expect(f"{options}: milliseconds", abs(float(in_line[4]) - float(in_line[1]) / 100 * by_itself / 1e3) < 0.6 + 0.0006 * by_itself / 1e3, (in_line[0], by_itself))
        # from the least to the most that signals and switches may be, as the record has it
        price = [int(costs[1][f"interrupt_{k}ns"]) for k in ("least_", "", "most_")]
        expect(f"{options}: prices", 200 < price[0] <= price[1] <= price[2] < 1000000 and 0 < int(costs[1]["switches_least"]) < 1000 < int(costs[1]["switches_most"]), costs[1])
        for k, end, told_end in ((0, "least", in_line[2]), (2, "most", in_line[3])):
            off = parts["signals"] * (price[k] / price[1] - 1) + parts["switches"] * (int(costs[1][f"switches_{end}"]) / 1000 - 1)
            off += parts["wrappers"] * (0.5 if end == "most" else -0.35) # HSC_COST_WRAPPERS_MOST, _LEAST
            off += 0.25 * (parts["start"] + parts["end"]) if end == "most" else 0 # HSC_COST_UNSEEN_MOST
            expect(f"{options}: at {end}", told_end and abs(float(told_end) - float(in_line[1]) - off / 10 / by_itself) < 0.11, (in_line[0], off, by_itself))
        for t in p.threads.values():
            h = t.handler
            expect("handler times", h and 0 < h["median_ns"] <= h["p90_ns"] <= h["p99_ns"] and
                   abs(h["own_ns"] + h["wrappers_ns"] - t.progress["own_ns"]) <= 2, (h, t.progress)) # each rounded by itself


def yielding():
    """Two threads that give their processor to each other after each microsecond. Perf's clock would take three times the program's own time, so the preset budget moves
    them to a timer of their CPU time with the first sample or tick, or after 5 ms of it (the kernel may be late by some ticks): it is in the file and on stderr,
    what switches took is little of all, with what perf took until then (a third and more if it stayed), and all CPU time stays covered. Who asked for perf's clock keeps it."""
    for options, moves in (([], True), (["--budget", "1%"], True), (["-F", "1000"], False), (["--mechanism", "perf-cpu-clock"], False)):
        before = away()
        done, found = run([program("gives_way"), "0.4" if moves else "0.1"], options=options, governed=True, quiet=False)
        expect("exit code", done.returncode == 0, done)
        p = only(found)
        if not moves and "--mechanism" in options and p.mechanism() != "perf-cpu-clock":
            continue
        perf_or_skip(p)
        threads = [t for k, t in p.threads.items() if k > 1]
        if moves and int(done.stdout) < 20000:
            print(f"skipped: the processor was others', {done.stdout.strip()} switches")
            sys.exit(s.SKIP)
        first = [t.sources[0] for t in threads if t.sources]
        expect(f"{options}: moved or not", len(first) == (2 if moves else 0) and all(m == "timer-cpu" and why == "switches" for m, why, _ in first), first)
        wall = [when[0] - int(t.record["time"]) for t in threads for when in [t.source_times] if when]
        crowded = any(cpu_ns > 40e6 for _, _, cpu_ns in first) # a thread that others keep off the processor takes little of the time that passes, and may stay
        expect(f"{options}: soon", all(1e5 <= cpu_ns <= 40e6 or cpu_ns <= 0.05 * ns for (_, _, cpu_ns), ns in zip(first, wall)), (first, wall))
        said = re.search(r"^heatscope: wrote .*, 2 threads by timer-cpu for so many switches; measuring", done.stderr, re.M)
        expect(f"{options}: told on stderr", bool(said) == moves and done.stderr.count("timer-cpu for") == moves, done.stderr)
        cpu_covered(f"{options}: CPU time all the same", p, before)
        if moves:
            rates = [t.rates[0] for t in threads if t.rates]
            expect(f"{options}: at the kernel's tick", len(rates) == 2 and all(periods * p.period_ns() == 4e6 for _, periods in rates), rates)
            cost = [f for kind, f in p.notes if kind == "cost"][-1]
            most = int(cost["switches_ns"]) * int(cost["switches_most"]) / 1000
            expect(f"{options}: switches took little, yields included", crowded or most <= 0.2 * sum(t.progress["cpu_ns"] for t in threads), cost)


# ---- start and stop --------------------------------------------------------------------------------------------------------


def usage():
    """What the kernel counted of each thread against what the thread itself was told just before it ended: all counts only grow,
    and the program touches 5,000 pages, which our own end of a thread does not. Of two threads on one processor one is in line as
    long as both have work, which is 0.3 s of CPU time each. Times: the kernel brings a running thread's up to date at its tick."""
    before = away()
    done, found = run([program("usage")], options=["-e", "page-faults:101", "--budget", "off"])
    late = (away() - before) * 1e9 + 50e6
    expect("exit code", done.returncode == 0, done)
    p = only(found)
    told = {int(line.split()[0]): [int(v) for v in line.split()[1:]] for line in done.stdout.splitlines()}
    threads = {number(t.record["tid"]): t for t in p.threads.values()}
    expect("two threads said so", len(told) == 2 and set(told) <= set(threads), (told, sorted(threads)))
    for tid, (user, system, faults, voluntary, involuntary, waited) in told.items():
        u = threads[tid].usage
        expect("recorded", u, tid)
        expect("user and system time", u["user_ns"] + u["system_ns"] >= 1000 * (user + system) and
               abs(u["user_ns"] + u["system_ns"] - threads[tid].progress["cpu_ns"]) <= late, (u, user, system, threads[tid].progress))
        expect("faults", 5000 <= faults <= u["minor_faults"] <= faults + 500, (faults, u))
        counted = threads[tid].totals.get(1, 0) * 101 # of user code, less than one period not yet full
        expect("page faults by place", 5000 - 101 < counted <= u["minor_faults"], (counted, u))
        at = sum(w * 101 for e, _, node, w, _ in threads[tid].others if e == 1 and "works" in p.path_of(threads[tid], node))
        expect("where they were", at > 5000 - 202, (at, counted))
        expect("switches", voluntary <= u["voluntary_switches"] and involuntary <= u["involuntary_switches"] and voluntary >= 20, (told, u))
        if waited:
            expect("in line", u["runnable_ns"] >= waited and abs(u["run_ns"] - threads[tid].progress["cpu_ns"]) <= late, (waited, u))
    if all(v[-1] for v in told.values()):
        expect("one of two is in line", sum(threads[tid].usage["runnable_ns"] for tid in told) >= 0.25e9, {t: threads[t].usage for t in told})
    for t in p.threads.values(): # the first thread too, whose counts begin where measuring begins
        expect("a thread without", t.usage is not None, t.id)
    # after a kill there is what the helper has told by and by, at first after a second; and it goes to the database
    directory = os.path.join(s.WORK, "m")
    shutil.rmtree(directory, ignore_errors=True)
    child = subprocess.Popen([s.HEATSCOPE, "run", "-q", "-o", directory, program("usage"), "endless"])
    for _ in range(600):
        found = processes(s.HEATSCOPE, directory)
        if found and sum(t.usage is not None for t in found[0].threads.values()) >= 2:
            break
        time.sleep(0.1)
    child.kill()
    child.wait()
    expect("told while it runs", found and sum(t.usage is not None for t in found[0].threads.values()) >= 2, found)


def crowd():
    """Short threads of one processor, which never give it up of themselves: how long each stood in line, before it began, too, is told by its clocks, within what
    the kernel told the thread itself just before it ended (of those that had their processor from there to their end, and met no lock of ours that was held).
    Clocks and kernel differ by the time in clone and the like, some 0.1 ms for each turn that the thread had."""
    kernel = ours = n = 0
    for _ in range(6):
        done, found = run([program("usage"), "crowd"], options=["--budget", "off"])
        expect("exit code", done.returncode == 0, done)
        threads = {number(t.record["tid"]): t for t in only(found).threads.values()}
        told = {int(line.split()[0]): [int(v) for v in line.split()[1:]] for line in done.stdout.splitlines()}
        expect("threads", len(told) == 60 and set(told) <= set(threads), (len(told), sorted(threads)))
        if not all(v[-1] for v in told.values()):
            sys.exit(s.SKIP)
        alone = [tid for tid, v in told.items() if not threads[tid].usage["voluntary_switches"] and threads[tid].usage["involuntary_switches"] == v[4]]
        for tid in alone:
            by_kernel, by_us, turns = told[tid][-1], threads[tid].usage["runnable_ns"], 1 + told[tid][4]
            expect("each", abs(by_us - by_kernel) <= 200e3 + 100e3 * turns, (told[tid], threads[tid].usage))
            kernel, ours, n = kernel + by_kernel, ours + by_us, n + 1
        if n >= 10:
            break
    expect("some went straight to their end", n >= 10, n)
    expect("in line at all", kernel >= 20e6 * n, kernel)
    expect("in all", abs(ours - kernel) <= 0.02 * kernel, (ours, kernel))


def stop_and_go():
    """The program, a signal, a delay and a duration switch measuring. While it is off no sample is recorded at all, and the
    CPU time then is none of the measurement's: what remains is covered as ever."""
    for mechanism in ("perf-cpu-clock", "timer-monotonic", "timer-cpu"):
        for mode, reason in (("program", "program"), ("signal", "signal")):
            options = ["--mechanism", mechanism] + (["--toggle-signal", "USR2"] if mode == "signal" else [])
            before = away()
            done, found = run([program("controls"), mode], options=options)
            expect(f"{mechanism} {mode}: exit code", done.returncode == 0, done)
            p = only(found)
            t = p.threads[1]
            expect("told", [(on, reason in why) for _, on, why in p.measuring] == [(0, True), (1, True)], p.measuring)
            expect(f"{mechanism} {mode}: nothing while off", weights(p, t, "unwanted") == 0, weights(p, t, "unwanted"))
            expect(f"{mechanism} {mode}: samples while on", weights(p, t, "wanted") > 0, t.weight())
            off, on = p.measuring[0][0], p.measuring[1][0]
            expect("times", all(when <= off or when >= on for when, _, _ in t.samples), (off, on))
            # 0.3 s of wanted work, a kernel's tick at the start and the stop; timers stop at ticks of 4 ms
            expect(f"{mechanism} {mode}: CPU time", 0.25e9 <= t.progress["cpu_ns"] <= 0.4e9, t.progress)
            expect(f"{mechanism} {mode}: usage too", abs(t.usage["user_ns"] + t.usage["system_ns"] - t.progress["cpu_ns"]) <=
                   50e6 + (away() - before) * 1e9, (t.usage, t.progress))
            cpu_covered(f"{mechanism} {mode}", p, before, 2) # the reserve may be full at the stop and at the end
    done, found = run([program("controls"), "program"], options=["--stopped"])
    p = only(found)
    t = p.threads[1]
    expect("begun without it", p.measuring[0][1] == 0 and "stopped" in p.measuring[0][2], p.measuring)
    expect("from the program's start on", all(when >= p.measuring[-1][0] for when, _, _ in t.samples) and t.weight() > 0,
           (p.measuring, t.weight()))
    names = [(kind, p.names.get(name), value) for kind, name, _, value in t.said]
    expect("what the program said", [n[:2] for n in names] == [
        ("phase", "first"), ("begin", "outer"), ("begin", "inner"), ("end", "inner"), ("end", None), ("phase", "second"),
        ("counter", "residual"), ("counter", "residual"), ("counter", "residual"), ("phase", None)], names)
    expect("values", [float(n[2]) for n in names if n[0] == "counter"] == [1, 1 / 2, 1 / 3], names)
    done, found = run([program("controls"), "endless", "1.2"], options=["--delay", "0.3", "--duration", "0.4s"])
    p = only(found)
    t = p.threads[1]
    expect("delay and duration", [(on, re.sub(r"\d|\(|\)", "", why)) for _, on, why in p.measuring] ==
           [(0, "delay"), (1, "delay"), (0, "duration")], p.measuring)
    begin, end = p.measuring[1][0], p.measuring[2][0]
    expect("delay", begin - int(p.head["start_ns"]) >= 0.3e9, (p.head["start_ns"], begin))
    expect("duration", end - begin >= 0.4e9, (begin, end))
    inside = [begin <= when <= end for when, _, _ in t.samples]
    expect("samples between", all(inside) and inside, (len(inside), sum(inside)))
    for options, why in ((["--delay", "100"], "the program ended before the delay was over"), (["--stopped"], "nothing has switched measuring on"), ([], None)):
        done, _ = run([program("kernel"), "0.1"], options=options, quiet=False)
        expect(f"{options}: why there is nothing", done.returncode == 0 and (f"; {why}; next: " in done.stderr if why else "the program ended" not in done.stderr), done.stderr)


def unmeasured():
    """heatscope.h without the runtime, in each way that programs are linked."""
    for name in ("controls", "controls_fixed", "controls_cpp"):
        if os.path.exists(program(name)):
            done = subprocess.run([program(name), "endless", "0.1"], capture_output=True, text=True)
            expect(name, done.returncode == 0 and not done.stderr, done)
            if name != "controls":
                done, found = run([program(name), "program"])
                expect(f"{name}: measured", done.returncode == 0 and [on for _, on, _ in only(found).measuring] == [0, 1], done)
    if os.path.exists(program("controls_fortran")):
        done = subprocess.run([program("controls_fortran")], capture_output=True, text=True)
        expect("Fortran unmeasured", done.returncode == 0 and "measuring F" in done.stdout, done)
        done, found = run([program("controls_fortran")])
        p = only(found)
        expect("Fortran measured", done.returncode == 0 and "measuring T" in done.stdout, done)
        expect("Fortran says", [(k, p.names.get(n)) for k, n, _, _ in p.threads[1].said] ==
               [("begin", "solve step"), ("counter", "residual"), ("end", "solve step"), ("end", None)], p.threads[1].said)


def no_children():
    for mode in ("fork", "vfork", "spawn"):
        done, found = run([program("processes"), mode], options=["--children", "ignore"])
        expect(mode, done.returncode == 0, done)
        p = only(found)
        expect("the parent", "in_child" not in s.names_in(p) and "in_parent" in s.names_in(p), s.names_in(p))
    done, found = run([program("processes"), "exec"], options=["--children", "ignore"])
    expect("what the process itself becomes is followed", done.returncode == 3 and len(found) == 2, (done, len(found)))
    # by the environment alone
    library = subprocess.run([s.HEATSCOPE, "config", "--preload"], capture_output=True, text=True, check=True).stdout.strip()
    directory = os.path.join(s.WORK, "e")
    for which, count in (("follow", 2), ("ignore", 1)):
        shutil.rmtree(directory, ignore_errors=True)
        env = dict(os.environ, LD_PRELOAD=library, HEATSCOPE_OUTPUT=directory, HEATSCOPE_CHILDREN=which)
        done = subprocess.run([program("processes"), "fork"], env=env, capture_output=True, text=True)
        expect(which, done.returncode == 0 and len(processes(s.HEATSCOPE, directory)) == count, done)


def time_limit():
    """The CPU time limit of a batch system: the kernel ends the process at 1 s, and what it used is in the file."""
    directory = os.path.join(s.WORK, "limited")
    shutil.rmtree(directory, ignore_errors=True)
    child = subprocess.Popen([s.HEATSCOPE, "run", "-q", "-o", directory, "/bin/sh", "-c",
                              "ulimit -S -t 1; exec " + program("controls") + " endless 5"])
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    expect("ended by the limit", os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU, status)
    p = max(processes(s.HEATSCOPE, directory), key=lambda p: p.samples())
    for complaint in p.check():
        expect("file", False, complaint)
    t = p.threads[1]
    expect("no end", not p.ends, p.ends)
    # the kernel looks at ticks, so the process may have used more or less than 1 s: its own clock tells, with what came before
    # the measurement. At most 100 ms are missing, the reserve of ticks, and a tenth as for other kills.
    cpu = used.ru_utime + used.ru_stime
    seen = (t.weight() + t.progress["lost"]) * p.period_ns() / 1e9
    expect("what it used is in the file", cpu - 0.1 - 0.1 * cpu - s.reserve_ns(p) / 1e9 <= seen <= cpu + 2 * p.period_ns() / 1e9 + 0.02,
           (seen, cpu))


def losses():
    """Of a program that was killed it is known why samples were lost, but for the last second."""
    directory = os.path.join(s.WORK, "m")
    shutil.rmtree(directory, ignore_errors=True)
    child = subprocess.Popen([s.HEATSCOPE, "run", "-q", "-F", "1000", "-o", directory, program("blocked")])
    for _ in range(600):
        found = processes(s.HEATSCOPE, directory)
        if found and sum(n for _, n, _ in found[0].losses) >= 200:
            break
        time.sleep(0.1)
    child.kill()
    child.wait()
    p = only(processes(s.HEATSCOPE, directory))
    told = sum(n for thread, n, _ in p.losses if thread == 1)
    # 300 periods, less those of the ticks in flight when it blocked and unblocked; while others have the processor some cannot be placed
    expect("told", not p.ends and 200 <= told <= p.threads[1].progress["lost"] and any("blocked" in why for _, _, why in p.losses), (p.losses, p.threads[1].progress))


# ---- while it runs -----------------------------------------------------------------------------------------------------------

def live():
    """Another process reads the file at random moments while the program runs: each time it is a consistent state of the
    past, never less than the time before, and it can be correlated."""
    directory = os.path.join(s.WORK, "live")
    shutil.rmtree(directory, ignore_errors=True)
    child = subprocess.Popen([s.HEATSCOPE, "run", "-q", "-F", "10000", "-o", directory, program("processes"), "forever"],
                             stdout=subprocess.PIPE)
    child.stdout.readline()
    last, reads = (0, 0), 0
    try:
        end = time.monotonic() + 3
        while time.monotonic() < end or reads < 10:
            p = only(processes(s.HEATSCOPE, directory))
            for complaint in p.check():
                expect(f"read {reads}", False, complaint)
            t = p.threads.get(1)
            if not t:
                continue
            expect("no end", not p.ends, p.ends)
            # the dump reads the file from front to back while it grows: what was counted early may be recorded after
            now = (t.weight(), t.progress["samples"])
            expect("never less", now[0] >= last[0] and now[1] >= last[1], (last, now))
            last = now
            reads += 1
        expect("grows", last[0] > 0, last)
        done = subprocess.run([s.HEATSCOPE, "correlate", "-o", os.path.join(s.WORK, "live.h5"), directory],
                              capture_output=True, text=True)
        expect("correlated while it runs", done.returncode == 0, done)
    finally:
        child.kill()
        child.wait()
    print(f"{reads} reads of a growing file, {last[0]} samples at the last")


def waits_off():
    """What is waited while measuring is off is counted nowhere, and of a wait that goes on then what was before."""
    done, found = run([program("off")])
    p, seconds = only(found), float(done.stdout)
    calls = {}
    for t in p.threads.values():
        for w in t.waits:
            path = p.path_of(t, w["node_id"])
            for name in ("naps_and_writes", "waits_for_the_end"):
                if name in path:
                    key = name, w["kind"]
                    had = calls.get(key, (0, 0))
                    calls[key] = had[0] + w["count"], had[1] + w["total_ns"]
    kinds = {8: 40, 11: 40, 32: 40} # sleep, write, pipe
    for kind, n in kinds.items():
        expect(f"kind {kind}: while it was on", calls.get(("naps_and_writes", kind), (0, 0))[0] == n, calls)
    waited = calls.get(("waits_for_the_end", 4), (0, 0))[1]
    expect("until it was off", 0.2 * seconds <= waited * 1e-9 <= seconds, (waited, seconds))


def commands():
    """`heatscope control` stops and starts measuring: the directory's processes, and one of two by its number."""
    directory = os.path.join(s.WORK, "commands")
    shutil.rmtree(directory, ignore_errors=True)
    children = [subprocess.Popen([s.HEATSCOPE, "run", "-q", "--append", "-F", "1000", "-o", directory, program("processes"), "forever"],
                                 stdout=subprocess.PIPE) for _ in range(2)]

    def told(said, *words):
        done = subprocess.run([s.HEATSCOPE, "control", "--wait=600", *words], capture_output=True, text=True)
        expect(" ".join(words), done.returncode == 0 and done.stdout == said + "\n" and not done.stderr, done)

    def refused(why, *words):
        done = subprocess.run([s.HEATSCOPE, "control", *words], capture_output=True, text=True)
        expect(" ".join(words), done.returncode == 1 and why in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, done)

    def until(wanted):
        """Waits until the processes have recorded these changes, by process."""
        found = None
        for _ in range(600):
            found = {int(p.head["pid"]): [(on, re.search(r"\w+(?=\)?$)", reason)[0]) for _, on, reason in p.measuring]
                     for p in processes(s.HEATSCOPE, directory) if p.head}
            if found == wanted:
                return
            time.sleep(0.1)
        expect("changes", False, (found, wanted))

    try:
        for c in children:
            c.stdout.readline()
        a, b = (c.pid for c in children)
        refused("no such probes", directory, "arm", "all")
        told("measuring is off in 2 processes", directory, "stop")
        until({a: [(0, "command")], b: [(0, "command")]})
        told("measuring was off already in 2 processes", directory, "stop")
        told("measuring is on in 1 process", str(b), "start")
        told("measuring was on already in 1 process", str(b), "start")
        until({a: [(0, "command")], b: [(0, "command"), (1, "command")]})
        told("measuring is off in 1 process, in 1 it was already", directory, "stop")
    finally:
        for c in children:
            c.kill()
            c.wait()
    refused("its processes have ended", directory, "stop")


def follow():
    """A second process prints what a running one has recorded, while it runs: every record whole, each once, those of a chunk
    in order, until the process has ended, orderly or by SIGKILL; together they are what the file holds."""
    for how in ("exit", "kill"):
        directory = os.path.join(s.WORK, "follow")
        shutil.rmtree(directory, ignore_errors=True)
        arguments = [program("processes"), "forever"] if how == "kill" else [program("kernel"), "1.5"]
        child = subprocess.Popen([s.HEATSCOPE, "run", "-q", "-F", "5000", "-o", directory, *arguments], stdout=subprocess.PIPE)
        file = None
        while not file and child.poll() is None:
            file = (glob.glob(os.path.join(directory, "*.hsr")) or [None])[0]
            time.sleep(0.005)
        while child.poll() is None and "process " not in subprocess.run([s.HEATSCOPE, "dump", file], capture_output=True, text=True).stdout:
            time.sleep(0.005) # its first record is not there yet
        reader = subprocess.Popen([s.HEATSCOPE, "dump", "--follow", file], stdout=subprocess.PIPE, text=True)
        chunks, bare, order, chunk, alive, killed = {}, 0, [], None, 0, False
        for line in reader.stdout:
            if line.startswith("@chunk "):
                chunk = tuple(int(v) for v in re.search(r"stream=(\d+) sequence=(\d+)", line).groups())
                order.append(chunk)
                chunks.setdefault(chunk, [])
                alive += child.poll() is None
            elif chunk is None or not re.match(r"[a-z_]+ [a-z_]+=", line) or not line.endswith("\n"):
                bare += 1
            else:
                chunks[chunk].append(line)
            if how == "kill" and not killed and sum(len(c) for c in chunks.values()) > 3000:
                child.kill()
                killed = True
        expect(f"{how}: reader's exit code", reader.wait() == 0, reader.returncode)
        child.wait()
        expect(f"{how}: only whole records", bare == 0, bare)
        expect(f"{how}: read while it ran", alive > 2 and len(set(order)) > 1, (alive, order[:10]))
        firsts = {}
        for stream, sequence in order: # chunks of a stream are first seen in their order
            if (stream, sequence) not in firsts:
                expect(f"{how}: sequence grows", all(q < sequence for t, q in firsts if t == stream), (stream, sequence))
                firsts[stream, sequence] = True
        whole, chunk = {}, None
        for line in subprocess.run([s.HEATSCOPE, "dump", file], capture_output=True, text=True).stdout.splitlines(keepends=True):
            if line.startswith("@chunk "):
                chunk = tuple(int(v) for v in re.search(r"stream=(\d+) sequence=(\d+)", line).groups()) if "dynamic" in line else None
            elif chunk and not line.startswith("#"):
                whole.setdefault(chunk, []).append(line)
        for c in set(whole) | set(chunks):
            expect(f"{how}: records of chunk {c}", whole.get(c, []) == chunks.get(c, []),
                   (len(whole.get(c, [])), len(chunks.get(c, []))))
    bad = subprocess.run([s.HEATSCOPE, "dump", "--follow", "/dev/null"], capture_output=True, text=True)
    expect("no stream", bad.returncode == 1 and bad.stderr.count("\n") == 1, bad)


if __name__ == "__main__":
    name, s.HEATSCOPE, s.PROGRAMS, s.WORK = sys.argv[1:5]
    s.WORK = os.path.join(s.WORK, "control-" + name)
    os.makedirs(s.WORK, exist_ok=True)
    for trial in range(3): # what a hypervisor that took processors away did to it says nothing
        s.failures.clear()
        before = s.stolen()
        globals()[name]()
        taken = s.stolen() - before
        if not s.failures or taken < 0.02:
            break
        print(f"repeated: {taken:.2f} s of processor time were stolen", *(f[:300] for f in s.failures[:5]), sep="\n  ")
    for f in s.failures[:20]:
        print("FAILED", f[:1000])
    sys.exit(bool(s.failures))
