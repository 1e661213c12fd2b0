# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs must look like when they are measured. Usage: scenarios.py NAME HEATSCOPE PROGRAMS WORK

Bounds on sampled numbers are stated where they are used: a share p of n samples has the standard error
sqrt(p (1 - p) / n); five of them are allowed."""
import concurrent.futures
import contextlib
import glob
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from measured import Process, processes  # noqa: E402
from witness import Witness  # noqa: E402

HEATSCOPE = PROGRAMS = WORK = None
SKIP = 77
ROOT_FRAMES = {"_start", "__libc_start_main", "__libc_start_call_main", "__libc_start_main_impl", "main"}
failures = []


def expect(what, condition, got=""):
    if not condition:
        failures.append(f"{what}: {got}")


def program(name):
    return os.path.join(PROGRAMS, "rt_" + name)


def descendants(pid):
    """Processes by their numbers, parents first."""
    found = [pid]
    for of in found:
        for task in glob.glob(f"/proc/{of}/task/*/children"):
            with contextlib.suppress(OSError), open(task, encoding="utf-8") as f:
                found.extend(int(child) for child in f.read().split())
    return found


def where(pid):
    """What each thread of a process is in: to be told where one does not end."""
    text = []
    for task in sorted(glob.glob(f"/proc/{pid}/task/*")):
        text.append(task)
        for name in ("comm", "wchan", "syscall", "stack", "status"):
            with contextlib.suppress(OSError), open(os.path.join(task, name), encoding="utf-8", errors="replace") as f:
                told = f.read().strip().splitlines()
                if name == "status":
                    told = [x for x in told if x.startswith(("State", "Sig", "Shd", "Seccomp:", "voluntary", "nonvoluntary"))]
                text.append(f"  {name}: " + "; ".join(told))
    return "\n".join(text)


def bounded(command, seconds=200, **more):
    """As subprocess.run of text; of a program that does not end it is told where it is."""
    with subprocess.Popen(command, text=True, **more) as child:
        try:
            out, err = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            held = descendants(child.pid)
            print(f"not ended after {seconds} s: {command}", *(where(pid) for pid in held), sep="\n", flush=True)
            for pid in held:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, child.returncode, out, err)


def run(arguments, directory=None, options=(), env=None, quiet=True, governed=False, watch=None, timeout=500, **more):
    """Runs a program measured; returns the completed process and the processes measured. watch: is called with the process's number once it
    has begun."""
    directory = directory or os.path.join(WORK, "m")
    shutil.rmtree(directory, ignore_errors=True)
    full = dict(os.environ)
    full.update(env or {})
    # a rate that is asked for is kept: the bounds are for samples of one period, which the governor would make rarer
    rate = [] if governed or any(o.startswith(("-F", "--budget", "-e", "--frequency")) for o in options) else ["-F", "1000"]
    command = [HEATSCOPE, "run", "-o", directory, *(["-q"] if quiet else []), *rate, *options, *arguments]
    if watch:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=full, **more) as child:
            watch(child.pid)
            out, err = child.communicate()
            done = subprocess.CompletedProcess(command, child.returncode, out, err)
    else:
        done = bounded(command, timeout, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=full, **more)
    found = processes(HEATSCOPE, directory)
    for p in found:
        for complaint in p.check():
            expect(os.path.basename(p.path), False, complaint)
    return done, found


def only(found):
    expect("one process", len(found) == 1, len(found))
    return found[0]


def near(what, share, truth, n):
    bound = 5 * math.sqrt(truth * (1 - truth) / n) + 0.002
    expect(what, abs(share - truth) <= bound, f"{share:.4f}, expected {truth:.4f} +- {bound:.4f} ({n} samples)")


def stolen():
    """Seconds that the hypervisor has taken from this machine's processors."""
    return stat_seconds(8)


def away():
    """Seconds in which this machine's processors did what is no thread's CPU time: interrupts, other guests."""
    return stat_seconds(6) + stat_seconds(7) + stolen()


def switches_of_children():
    """Context switches of all processes that have ended; those of the program are most of them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_nvcsw + used.ru_nivcsw


def stat_seconds(*columns):
    with open("/proc/stat") as f:
        row = f.readline().split()
    return sum(int(row[c]) for c in columns) / os.sysconf("SC_CLK_TCK")


def reserve_ns(process):
    """CPU time of a thread that may have neither a sample nor a loss: 8 ticks of 4 ms, or of 4 periods if that is longer
    (RESERVE_TICKS in instrument/runtime/credit_ss.c)."""
    return 8 * max(4000000, 4 * process.period_ns())


def cpu_covered(what, process, before, spells=1):
    """What the runtime guarantees of each thread, however short, when it has ended in an orderly way: between its CPU time
    less the reserve and its CPU time is in samples or told as lost. Timers are weighted by CPU time and exceed it by no more than the
    part of a period that the first one was drawn shorter (threads that the process started, and after each pause).
    perf's event runs by a clock that goes on in interrupts and while the hypervisor is away (since `before`: away() when
    the program started, in steps of 10 ms for each processor); and a period that a tick has covered may come late, and one
    be under way."""
    period, tested = process.period_ns(), False
    perf = process.mechanism().startswith("perf")
    for t in process.threads.values():
        longest = period * max([1] + [periods for _, periods in t.rates]) # where the governor has lowered the rate
        more = 2 * longest + (away() - before) * 1e9 + 10e6 * os.cpu_count() if perf else period if t.id > 1 or spells > 1 else 0
        cpu, seen = t.progress["cpu_ns"], (t.weight() + t.progress["lost"]) * period
        low, high = cpu - spells * reserve_ns(process), cpu + spells * more
        tested = tested or cpu > 2 * reserve_ns(process)
        expect(what, low <= seen <= high, f"thread {t.id}: {seen / 1e6:.3f} of {cpu / 1e6:.3f} ms, expected "
               f"{low / 1e6:.3f} to {high / 1e6:.3f}")
    expect(f"{what}: some thread with more than twice the reserve", tested,
           [t.progress["cpu_ns"] for t in process.threads.values()])


# ---- call paths ------------------------------------------------------------------------------------------------------

LEAVES = {"spin", "tiny", "memset", "__memset"}
CALLS = {  # caller -> procedures of the program that it calls
    "main": {"everything"}, "thread": {"everything"},
    "everything": {"parent_three", "parent_one", "deep", "even", "by_pointer", "dynamic_frame", "large_frame",
                   "realigned_frame", "many_tiny", "over_jumps", "raises", "sorts"},
    "parent_three": {"spin"}, "parent_one": {"spin"}, "deep": {"deep", "spin"}, "even": {"odd", "spin"},
    "odd": {"even", "spin"}, "by_pointer": {"spin"}, "dynamic_frame": {"spin"}, "large_frame": {"spin"},
    "realigned_frame": {"spin"}, "many_tiny": {"tiny"}, "over_jumps": {"jumps"}, "jumps": {"jumps", "many_tiny"},
    "in_handler": {"spin"}, "on_signal": {"in_handler"}, "raises": set(), "sorts": set(), "spin": set(), "tiny": set(),
    "compare": set()}
BARE_CALLS = {
    "main": {"all_known"},
    "all_known": {"bare_leaf", "bare_calls", "bare_large_frame", "bare_frame", "bare_recursion", "bare_calls_known",
                  "known_calls_rbp", "known_by_pointer"},
    "bare_calls": {"bare_leaf"}, "bare_recursion": {"bare_recursion", "bare_leaf"}, "bare_calls_known": {"known_leaf"},
    "known_calls_rbp": {"bare_takes_rbp"}, "bare_takes_rbp": {"known_with_frame"}, "known_with_frame": {"known_leaf"},
    "known_by_pointer": {"bare_calls"}, "bare_leaf": set(), "bare_large_frame": set(), "bare_frame": set(),
    "known_leaf": set()}


def wrong_edge(path, start, calls=CALLS):
    """The first pair of frames of the program that can't follow each other; C library frames may stand between some."""
    if not path or (start and path[0] not in start):
        return f"starts with {path[:1]}"
    mine = [(i, f) for i, f in enumerate(path) if f in calls]
    if not mine:
        return None
    for (i, a), (k, b) in zip(mine, mine[1:]):
        if k == i + 1:
            if b not in calls[a]:
                return f"{a} -> {b}"
        elif (a, b) not in {("sorts", "compare"), ("raises", "on_signal")}:
            return f"{a} -> {' -> '.join(path[i + 1:k])} -> {b}"
    depth = 0
    for f in path:
        depth = depth + 1 if f == "deep" else depth
    if path[-1] == "spin" and "deep" in path and depth != 51:
        return f"deep {depth} times"
    return None


def check_paths(process, thread, start, at_least):
    n = thread.weight()
    expect("samples", n >= at_least, n)
    bad, seen = {}, {}
    truncated = 0
    for _, node, w in thread.samples:
        path = process.path_of(thread, node)
        root = node
        while thread.nodes[root][0]:
            root = thread.nodes[root][0]
        if thread.nodes[root][3] & 2:
            truncated += w
            continue
        why = wrong_edge(path, start)
        if why:
            bad[why] = bad.get(why, 0) + w
        for f in set(path):
            seen[f] = seen.get(f, 0) + w
    expect("wrong paths", not bad, bad)
    # 2 in 1000 on average: a Poisson number with three standard deviations, and one record of a timer weighs up to 4
    expect("truncated paths at most 2 in 1000", truncated <= 0.002 * n + 3 * math.sqrt(0.002 * n) + 4, f"{truncated} of {n}")
    return seen


def paths():
    done, found = run([program("paths"), "250"])
    expect("exit code", done.returncode == 0, done)
    p = only(found)
    t = p.threads[1]
    seen = check_paths(p, t, {"_start"}, 600)
    for f in set(CALLS) - {"thread"}:
        expect("met in some sample", f in seen, f)
    three, one = seen.get("parent_three", 0), seen.get("parent_one", 0)
    near("parents 3:1", three / (three + one), 0.75, three + one)
    expect("handler frames marked", any(f & 4 for _, _, _, f in t.nodes.values()), "no node with the signal flag")


def bare():
    """Procedures without .eh_frame. Where nothing describes them, the direct call of them is looked for within bounds, which
    one of them exceeds; its share may be truncated."""
    for name, described in (("bare", True), ("bare_packed", False), ("bare_unknown", False), ("bare_library", False)):
        done, found = run([program(name), "500"], quiet=False)
        expect(name, done.returncode == 0, done)
        expect(f"{name}: says what it can't read", ("compressed" in done.stderr) == (name == "bare_packed"), done.stderr)
        p = only(found)
        t = p.threads[1]
        n, bad, truncated, large, recursion = t.weight(), {}, 0, 0, 0
        for _, node, w in t.samples:
            path = p.path_of(t, node)
            if path[0] != "_start":
                truncated += w
                large += w if "bare_large_frame" in path else 0
                continue
            why = wrong_edge(path, {"_start"}, BARE_CALLS)
            depth = path.count("bare_recursion")
            if not why and depth and depth != 21 and path[-1] == "bare_leaf":
                why = f"recursion {depth} times"
            if why:
                bad[why] = bad.get(why, 0) + w
            recursion += w if depth else 0
        expect(f"{name}: samples", n > 500, n)
        expect(f"{name}: wrong paths at most 2 in 1000", sum(bad.values()) <= 0.002 * n, bad)
        expect(f"{name}: recursion met", recursion > 0.02 * n, recursion)
        # the file is read, and calls are looked for, when the first samples met such procedures: 30 ms of CPU time
        allowed = 30 + 0.002 * n + (0 if described else large)
        expect(f"{name}: truncated", truncated <= allowed, f"{truncated} of {n}, {large} of them in the large frame")


def paths_in_thread():
    _, found = run([program("paths"), "150", "thread"])
    p = only(found)
    expect("two threads", len(p.threads) == 2, len(p.threads))
    t = p.threads[2]
    seen = check_paths(p, t, None, 250) # clone3 has no name in a stripped C library
    def root(node): # of those that samples have; that of the thread's end, for who joins it, is its procedure alone
        while t.nodes[node][0]:
            node = t.nodes[node][0]
        return t.nodes[node]

    roots = {p.mappings[n[1]]["path"] for n in (root(node) for _, node, _ in t.samples) if not n[3] & 2}
    expect("starts in the C library", len(roots) == 1 and "libc.so" in roots.pop(), roots)
    expect("no frame of ours", not [f for f in seen if f.startswith("hsc_") or f == "posix_start"], seen)


def paths_on_alternate_stack():
    _, found = run([program("paths"), "150", "alternate"])
    p = only(found)
    seen = check_paths(p, p.threads[1], {"_start"}, 250)
    expect("handler met", seen.get("in_handler", 0) > 0, seen)


def paths_by_timer():
    for mechanism in ("perf-cpu-clock", "timer-monotonic", "timer-cpu"):
        _, found = run([program("paths"), "150"], options=["--mechanism", mechanism])
        p = only(found)
        check_paths(p, p.threads[1], {"_start"}, 250)


def contexts():
    """Stacks that the runtime does not know, and paths longer than it keeps."""
    done, found = run([program("contexts")], options=["-F", "2000"])
    expect("exit code", done.returncode == 0, done)
    p = only(found)
    t = p.threads[1]
    own, deep, calls, fiber, other = 0, 0, 0, 0, {}
    for _, node, w in t.samples:
        path = p.path_of(t, node)
        tail = [f for f in path if f in ("body", "cowork", "too_deep", "main", "fiber_body")]
        if tail == ["body", "cowork"]:
            own += w
        elif tail == ["fiber_body", "cowork"]:
            fiber += w
        elif "too_deep" in path and path[-1] == "cowork":
            expect("innermost frames kept", len(path) == 64 and set(path[:-1]) == {"too_deep"}, path)
            deep += w
        elif path[-2:] == ["body", "swapcontext"]: # in the kernel
            calls += w
        elif len(path) == 64 and set(path) == {"too_deep"}: # where it touches its stack
            deep += w
        else:
            other[tuple(path[-3:])] = other.get(tuple(path[-3:]), 0) + w
    n = t.weight()
    expect("in contexts", own > 0.5 * n, (own, n))
    expect("in a fiber", fiber > 0.1 * n, (fiber, n))
    expect("too deep", deep > 0.1 * n, (deep, n))
    expect("truncated are the deep ones", t.progress["truncated"] <= deep + 0.02 * n, (t.progress, deep))
    expect("in calls", calls <= 0.1 * n, (calls, n))
    expect("elsewhere", sum(other.values()) <= 0.03 * n, other)


def throws():
    # the unwinder's last instructions, which put where they go on in the place of a return address, have 3 samples of 10,000
    for mechanism, times, rate in (("perf-cpu-clock", 20000, 5000), ("perf-cpu-clock-trap", 20000, 5000), ("timer-monotonic", 20000, 5000),
                                   ("perf-cpu-clock", 100000, 20000)):
        done, found = run([program("throws"), str(times)], options=["-F", str(rate), "--budget=off", "--mechanism", mechanism])
        expect("exit code", done.returncode == 0, done)
        p = only(found)
        t = p.threads[1]
        n, bad, truncated = t.weight(), {}, 0
        for _, node, w in t.samples:
            path = p.path_of(t, node)
            if t.nodes[node][3] & 2 or path[0] != "_start":
                truncated += w
            elif "thrower" in path and "catcher" not in path:
                bad[tuple(path)] = w
        expect("samples", n > 500, n)
        expect("wrong paths", not bad, bad)
        # other last instructions of the unwinder's own procedures have no right rules
        expect("truncated at most 2 in 100", truncated <= 0.02 * n, f"{truncated} of {n}")


# ---- threads ------------------------------------------------------------------------------------------------------------

def threads():
    before = away()
    done, found = run([program("threads"), "work"])
    expect("exit code", done.returncode == 0, done)
    p = only(found)
    expect("five threads", len(p.threads) == 5, len(p.threads))
    workers = sorted((t for k, t in p.threads.items() if k > 1), key=lambda t: t.weight()) # they register in any order
    total = sum(t.weight() for t in workers)
    reserve = reserve_ns(p) / p.period_ns() / total
    # what each worker gets is its CPU time, of which the reserve may be missing; the work is 1:2:3:4, and the machine may
    # be slower while one or the other works
    for k, t in enumerate(workers):
        expect("ended", t.progress["ended"] == 1, t.progress)
        expect("creator", t.record["creator_id"] == "1", t.record)
        expect("share of worker", abs(t.weight() / total - (k + 1) / 10) < 0.06 + reserve, f"{k}: {t.weight()} of {total}")
    cpu_covered("CPU time", p, before)


def thread_storm():
    n = 2000
    done, found = run([program("threads"), "storm", str(n)])
    expect("exit code", done.returncode == 0, done)
    p = only(found)
    expect("threads", len(p.threads) == n + 1, len(p.threads))
    ended = sum(t.progress["ended"] for t in p.threads.values())
    expect("ends", ended == n, ended)
    size = os.path.getsize(p.path)
    expect("at most 500 bytes a thread", size <= 500 * n + 500000, size)


def brief_threads():
    """Threads shorter than a period or of a few: each has its CPU time in samples and losses on average, since its first period is drawn.
    Bounds, for n threads: a draw's (0 or 1 period, so 5 standard deviations are at most 2.5 sqrt(n) periods); what a sample costs that the end
    of its thread follows, which is in the thread's CPU time but in no period (at most 0.1 periods a thread); for the upper one, time that
    the hypervisor took, in which perf's clock goes on. What the work itself takes at the least (of 20 times beforehand,
    and one between every eight threads, as the machine may be slower for a while) is in samples of it, where samples are not drawn by the kernel's
    ticks."""
    for mechanism in ("perf-cpu-clock-trap", "perf-cpu-clock", "timer-monotonic", "timer-cpu"):
        for n, steps in ((800, 100000), (400, 600000)):
            before = away()
            done, found = run([program("threads"), "brief", str(n), str(steps)], options=["--mechanism", mechanism])
            what = f"{mechanism}, {n} threads of {steps} steps"
            expect(f"{what}: exit code", done.returncode == 0, done)
            p = only(found)
            brief = [t for k, t in p.threads.items() if k > 1]
            expect(f"{what}: threads", len(brief) == n, len(brief))
            cpu = sum(t.progress["cpu_ns"] for t in brief) / p.period_ns()
            samples, lost = sum(t.weight() for t in brief), sum(t.progress["lost"] for t in brief)
            bound, taken = 2.5 * math.sqrt(n), ((away() - before) * 1e9 + 10e6 * os.cpu_count()) / p.period_ns()
            work = n * int(done.stdout.split()[0]) / p.period_ns()
            working = sum(w for t in brief for _, node, w in t.samples if "work" in p.path_of(t, node))
            print(f"{what}: {samples} in samples, {working} of them in the work, {lost} lost, {cpu:.1f} periods of CPU time, {work:.1f} of work, "
                  f"bound {bound:.1f}", flush=True)
            expect(what, cpu - bound - 0.1 * n <= samples + lost <= cpu + bound + taken, f"{samples} + {lost}, expected {cpu:.1f} periods")
            if mechanism != "timer-cpu":
                expect(f"{what}: in the work", working >= work - bound, f"{working} of {work:.1f}")


def thread_exits():
    before = away()
    done, found = run([program("threads"), "exits"])
    expect("exit code", done.returncode == 0, done)
    p = only(found)
    expect("threads", len(p.threads) == 4, len(p.threads))
    for k in (2, 3, 4):
        expect("ended", p.threads[k].progress["ended"] == 1, (k, p.threads[k].progress))
    cpu_covered("CPU time", p, before)


# ---- processes ------------------------------------------------------------------------------------------------------------

def names_in(p):
    return {f for t in p.threads.values() for _, node, _ in t.samples for f in p.path_of(t, node)}


def fork():
    before = away()
    done, found = run([program("processes"), "fork"])
    expect("exit code", done.returncode == 0, done)
    expect("two processes", len(found) == 2, len(found))
    both = sorted((("in_child" in names_in(p)), ("in_parent" in names_in(p))) for p in found)
    expect("each its own", both == [(False, True), (True, False)], both)
    for p in found:
        expect("ends", len(p.ends) == 1 and p.ends[0]["how"].startswith("0"), p.ends)
        cpu_covered("CPU time", p, before)


def fork_storm():
    done, found = run([program("processes"), "storm", "200"])
    expect("exit code", done.returncode == 0, done)
    # children too short for a sample leave no file
    expect("processes", 1 <= len(found) <= 40, len(found))
    expect("files at the end", len(os.listdir(os.path.join(WORK, "m"))) <= 42, os.listdir(os.path.join(WORK, "m")))
    # but are told of with their CPU time: each child has a file or a line
    with open(os.path.join(WORK, "m", ".processes"), encoding="ascii") as f:
        brief = [int(line.split()[1]) for line in f if line.startswith("brief ")]
    expect("each child is told of", len(brief) + len(found) == 201, (len(brief), len(found)))
    expect("of CPU time", all(us < 10**7 for us in brief), brief)


def fork_crowd():
    """Threads that fork at the same time: none waits for ever, none is left with its signals blocked."""
    for _ in range(4):
        done, found = run([program("processes"), "crowd", "40"], timeout=120)
        expect("exit code", done.returncode == 0, done)
        parent = [p for p in found if len(p.threads) == 5]
        expect("the parent's end", len(parent) == 1 and len(parent[0].ends) == 1, [len(p.threads) for p in found])


def children():
    for mode in ("vfork", "spawn", "system"):
        done, found = run([program("processes"), mode])
        expect(mode, done.returncode == 0, done)
        expect("child measured", any("in_child" in names_in(p) for p in found), mode)
        if mode != "system":
            expect("parent measured", any("in_parent" in names_in(p) for p in found), mode)
        for p in found:
            expect("ends", len(p.ends) == 1, (mode, p.path, p.ends))


def exec_():
    for mode, code in (("exec", 3), ("execl", 3)):
        done, found = run([program("processes"), mode])
        expect(mode, done.returncode == code, done)
        expect("two images", len(found) == 2, len(found))
        how = sorted(p.ends[0]["how"] for p in found)
        expect("how they ended", how == ["0(exit)", "1(exec)"], how)
    done, found = run([program("processes"), "execfail"])
    p = only(found)
    expect("goes on", done.returncode == 6, done)
    expect("before and after", {"in_parent", "in_child"} <= names_in(p), names_in(p))


def ends():
    for mode, code in (("quick", 7), ("underscore", 8)):
        done, found = run([program("processes"), mode])
        expect(mode, done.returncode == code, done)
        expect("end record", len(only(found).ends) == 1, mode)
    for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGSTKFLT, signal.SIGTRAP):
        done, found = run([program("processes"), "signal", str(int(number))])
        expect("ended by its signal", done.returncode == -number, (number, done))
        expect("samples kept", only(found).samples() > 30, only(found).samples())
    # no last line then: where the measurement is and how it is read stands in the first one, and is true while the program runs
    done, _ = run([program("processes"), "signal", str(int(signal.SIGINT))], quiet=False, cwd=WORK)
    lines = done.stderr.splitlines()
    expect("the one line of who is interrupted", done.returncode == -signal.SIGINT and len(lines) == 1 and " into m; " in lines[0], done)
    report = lines[0].partition("also after Ctrl-C: heatscope ")[2].split()
    expect("what it says", report == ["report", "m"], lines)
    read = subprocess.run([HEATSCOPE, *report], capture_output=True, text=True, cwd=WORK)
    expect("what it says works", read.returncode == 0 and "in_parent" in read.stdout and "Ctrl-C" in read.stdout, read)
    shutil.rmtree(os.path.join(WORK, "running"), ignore_errors=True)
    with subprocess.Popen([HEATSCOPE, "run", "-o", "running", program("processes"), "forever"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, cwd=WORK) as child:
        first = child.stderr.readline()
        child.stdout.readline()
        cpu_before = cpu_of(child.pid)
        while child.poll() is None and cpu_of(child.pid) < cpu_before + 0.5:
            time.sleep(0.05)
        read = subprocess.run([HEATSCOPE, *first.partition("also after Ctrl-C: heatscope ")[2].split()], capture_output=True, text=True, cwd=WORK)
        child.send_signal(signal.SIGINT)
        rest = child.communicate()[1]
    expect("while it runs", read.returncode == 0 and "still running" in read.stdout, (first, read))
    expect("ended by it", child.returncode == -signal.SIGINT and rest == "", (child.returncode, rest))
    done, found = run([program("processes"), "abort"])
    expect("aborted", done.returncode == -signal.SIGABRT, done)
    expect("samples kept", only(found).samples() > 30, only(found).samples())


class Victim:
    """A program that computes for ever, measured, and a witness of it from the moment when it says that it runs."""

    def __init__(self, number):
        self.number, self.witness = number, None
        self.directory = os.path.join(WORK, f"k{number}")
        shutil.rmtree(self.directory, ignore_errors=True)
        self.child = subprocess.Popen([HEATSCOPE, "run", "-q", "-F", "5000", "-o", self.directory, program("processes"), "forever"],
                                      stdout=subprocess.PIPE)

    def begin(self, wait):
        self.child.stdout.readline()
        self.cpu = cpu_of(self.child.pid)
        self.since = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        self.until = time.monotonic() + wait
        try: # a little faster than the samples: what comes late never makes it see more than they do
            self.witness = Witness(self.child.pid, 173000)
        except OSError:
            pass

    def kill(self):
        """What the thread had till then, in seconds: what the witness has seen, and CPU time."""
        cpu = cpu_of(self.child.pid) - self.cpu
        self.child.kill()
        self.child.wait()
        self.child.stdout.close()
        if not self.witness:
            return None, cpu
        taken = sum(t >= self.since for t in self.witness.times()) * self.witness.period_ns / 1e9
        self.witness.close()
        return taken, cpu


def killed():
    """kill -9 at random points (seed fixed; the program's progress is what is random): the file opens and holds all samples
    that were counted in it, it was counted at least every 100 ms of the thread's activity, and at most 100 ms of samples are
    missing. What could be sampled is known from a witness: CPU time is no measure of it, for the kernel counts as such what
    the hypervisor took and did not tell of. Where there is no perf, samples are weighted by CPU time and compared with it."""
    dice = random.Random(1)
    short, unseen, gaps, own, compared = [], [], [], [], 0
    for first in range(0, KILLS, 4):
        victims = [Victim(i) for i in range(first, min(first + 4, KILLS))]
        for v in victims:
            v.begin(dice.uniform(0.0, 0.4))
        own += naps(0.05)
        for v in sorted(victims, key=lambda v: v.until):
            own += naps(v.until - time.monotonic())
            taken, cpu = v.kill()
            files = glob.glob(os.path.join(v.directory, "*.hsr"))
            expect("file", len(files) == 1, files)
            p = Process(HEATSCOPE, files[0])
            for complaint in p.check():
                expect(f"trial {v.number}", False, complaint)
            expect("no end", not p.ends, p.ends)
            t = p.threads.get(1)
            expect("thread", t is not None, v.number)
            expect("counted samples are there", t.weight() >= t.progress["samples"], (t.weight(), t.progress))
            seen = sum(w for at, _, w in t.samples if at >= v.since) * p.period_ns() / 1e9
            perf = taken is not None and p.mechanism().startswith("perf")
            compared += perf
            short.append((taken if perf else cpu) - seen)
            unseen.append(cpu - seen - t.progress["lost"] * p.period_ns() / 1e9)
            expect(f"trial {v.number}: missing at most 100 ms", short[-1] <= 0.1, (taken, cpu, seen, t.progress))
            gaps += [b - a for a, b in zip(t.progress_times, t.progress_times[1:])]
            shutil.rmtree(v.directory)
    # the helper's beat is 50 ms; on a busy machine it comes late, as naps of the same length do in this process
    def three_of_four(values):
        return sorted(values)[len(values) * 3 // 4]
    allowed = 100e6 + 2 * three_of_four(own)
    expect("progress records", len(gaps) >= KILLS // 4, len(gaps))
    expect(f"progress records at most {allowed / 1e6:.1f} ms apart, three of four", three_of_four(gaps) <= allowed, sorted(gaps))
    short.sort()
    print(f"{KILLS} kills, {compared} compared with what the kernel sampled: {short[len(short) // 2] * 1e3:.1f} ms of samples are not in the "
          f"file (median), {short[len(short) * 99 // 100] * 1e3:.1f} (99 of 100), at most {short[-1] * 1e3:.1f}; CPU time without a sample, "
          f"at most {max(unseen) * 1e3:.1f} ms")


KILLS = 8


def naps(seconds):
    """Sleeps so long in naps of 50 ms; by how many nanoseconds each was late."""
    late, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        nap = min(0.05, end - time.monotonic())
        start = time.monotonic()
        time.sleep(max(nap, 0))
        late.append((time.monotonic() - start - nap) * 1e9)
    return late


def cpu_of(pid):
    with open(f"/proc/{pid}/schedstat") as f:
        return int(f.read().split()[0]) / 1e9


# ---- modules --------------------------------------------------------------------------------------------------------------

def gone():
    """Samples in code of no known rule, in a library of which a part was unmapped and nobody knows yet, with words on the stack that point there: nothing is read that is
    not there."""
    for rate in ("1000", "10000"):
        done, found = run([program("gone")], options=["-F", rate])
        expect("as without us", done.returncode == 0 and done.stdout == "1\n", done)
        p = only(found)
        expect("samples there", sum(w for t in p.threads.values() for _, node, w in t.samples if "gone_spin" in p.path_of(t, node)) > 0.2 * float(rate), p.counts)


def loads():
    late, over = [], threading.Event()

    def watch(): # how late who sleeps gets a processor meanwhile, as the helper that looks for libraries
        while not over.is_set():
            late.extend(naps(0.05))

    beside = threading.Thread(target=watch)
    beside.start()
    done, found = run([program("loads"), "6"], env={"LD_LIBRARY_PATH": ""})
    over.set()
    beside.join()
    expect("found along the caller's run path", done.returncode == 0, done)
    p = only(found)
    plugins = [k for k, m in p.mappings.items() if "libplugin" in m["path"]]
    expect("mappings of what was opened", len(plugins) >= 2, p.mappings)
    expect("unmappings", set(p.unmapped) <= set(plugins) and p.unmapped, p.unmapped)
    t = p.threads[1]
    n = t.weight()
    unknown = truncated = known = 0
    for _, node, w in t.samples:
        path = p.path_of(t, node)
        unknown += w if "??" in path else 0
        truncated += w if path[0] != "_start" else 0
        known += w if {"plugin_one", "plugin_two"} & set(path) else 0
    # a library is seen some milliseconds after it was opened, 6 times here; later where the helper gets no processor
    most = 6 * (12 + 2 * max(late) / 1e6)
    expect("in no known module", unknown <= most, f"{unknown} of {n}, late by {max(late) / 1e6:.1f} ms")
    expect("truncated", truncated <= most, f"{truncated} of {n}, late by {max(late) / 1e6:.1f} ms")
    expect("in the libraries", known >= 0.7 * n, f"{known} of {n}")


def ahead():
    """Of a real-time program that has its processor for itself as long as it computes the helper is ahead: it knows libraries while code of theirs runs."""
    def begin():
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))

    try:
        done, found = run([program("loads"), "6"], env={"LD_LIBRARY_PATH": ""}, preexec_fn=begin)
    except subprocess.SubprocessError:
        print("skipped: real-time scheduling is not allowed")
        sys.exit(SKIP)
    expect("exit code", done.returncode == 0, done)
    p = only(found)
    t = p.threads[1]
    cut = sum(w for _, node, w in t.samples if p.path_of(t, node)[0] != "_start")
    # of each library the samples until the helper has looked, which it is asked for when that is opened: some 0.2 ms, then by what looks cost
    expect("truncated", cut <= 6 * 12, f"{cut} of {t.weight()}")


def constructors():
    """What initialises a library inside of dlopen begins before anybody knows the library: its call paths reach the thread's start, from the first sample on."""
    done, found = run([program("loads"), "8", "libplugin_builds.so"], options=["-F", "4000", "--budget=off"], env={"LD_LIBRARY_PATH": ""})
    expect("exit code", done.returncode == 0, done)
    p = only(found)
    t = p.threads[1]
    building = cut = 0
    for _, node, w in t.samples:
        path = p.path_of(t, node)
        inside = bool({"plugin_builds", "builds"} & set(path)) or path[-1] == "??"
        building += w if inside else 0
        cut += w if inside and (path[0] != "_start" or "main" not in path) else 0
    print(f"{building} samples in constructors, {cut} of them without a start")
    expect("samples in constructors", building >= 100, (building, t.weight()))
    expect("paths without a start", cut <= 0.001 * building, f"{cut} of {building}")


def early():
    """A library that is initialised before ours makes a thread: it is measured from its beginning, as the program is, whose arguments are known."""
    before = away()
    done, found = run([program("early"), "a", "b c"])
    expect("exit code", (done.returncode, done.stdout) == (0, "3 b c\n"), done)
    p = only(found)
    expect("arguments", '"a"' in p.head["arguments"] and '"b c"' in p.head["arguments"], p.head)
    expect("threads", len(p.threads) == 2, p.threads)
    for t in p.threads.values():
        cpu_covered(f"thread {t.id}", p, before)
        work = sum(w for _, node, w in t.samples if "early_computes" in p.path_of(t, node))
        expect(f"thread {t.id}: works", work >= 0.9 * t.weight() > 0, (work, t.weight()))


# ---- amounts ---------------------------------------------------------------------------------------------------------------

def amounts():
    """Samples x period against the thread's CPU time, half of it in the kernel, with each mechanism."""
    for mechanism in ("perf-cpu-clock", "perf-cpu-clock-trap", "timer-monotonic", "timer-cpu"):
        before, switches_before = away(), switches_of_children()
        done, found = run([program("kernel"), "1.2"], options=["--mechanism", mechanism])
        # less than two ticks of CPU time between switches: the machine is crowded, and the CPU timer alone can't tell user code
        # from system calls then (docs/sampling.md, "Threads that switch all the time")
        crowded = (switches_of_children() - switches_before) * 8e-3 > 1.2
        expect("exit code", done.returncode == 0, done)
        p = only(found)
        expect("mechanism", p.mechanism() == mechanism, p.mechanism())
        cpu_covered(mechanism, p, before)
        if crowded and mechanism == "timer-cpu":
            print(f"{mechanism}: the machine is crowded, shares of places say nothing")
            continue
        t = p.threads[1]
        share = {"computes": 0, "reads": 0, "faults": 0}
        for _, node, w in t.samples:
            for f in set(p.path_of(t, node)) & set(share):
                share[f] += w
        for name, w in share.items():
            # a third each; kernel time is seen by the tick only, 1 in 4 periods: the error is twice that of as many samples
            bound = 2 * 5 * math.sqrt(1 / 3 * 2 / 3 / t.weight()) + 0.03
            expect(f"{mechanism}: share of {name}", abs(w / t.weight() - 1 / 3) <= bound, f"{w} of {t.weight()}, +- {bound:.3f}")


def credits():
    """Time in the kernel is not given to user code, whatever the processor's load and the ticks' luck: four processes on one
    processor, each with arithmetic of which it knows the CPU time. Bounds: 5 standard deviations of the share of all four,
    three times as wide where places are drawn by ticks: 1 in 4 periods, and not independent of what the others do. Where ticks are
    all there is, user code gets no more than its time, but may get less: a crowded processor is given to who runs next
    at a tick, so that arithmetic of half a tick seldom meets the next one."""
    processors = sorted(os.sched_getaffinity(0))
    cases = [[("yields", 60, 3000, ["--mechanism", "perf-cpu-clock"], 1, True), ("yields", 100, 5000, ["--mechanism", "timer-cpu"], 3, False)],
             [("yields", 60, 5000, [], 3, True), ("faults", 60, 4000, [], 1, True)]]
    def of_processor(processor, which):
        for case in which:
            credits_of(*case, processor, os.path.join(WORK, f"c{cases.index(which)}"))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(of_processor, processors[-i], c) for i, c in enumerate(cases)]:
            done.result()


def calls():
    """Threads that sleep and read a few bytes, too brief in each for a tick to meet them: their time in the kernel is told of the calls that they
    make, by what these may have used (docs/sampling.md, "Time in the kernel"), and hardly any is lost. Bounds: what a sleep takes is not
    known well, so half to twice its CPU time; 5 standard deviations of the count; 1 period of each thread, for its start and its end."""
    done, found = run([program("calls")], options=["-F", "1000"])
    first, napping, reading = [float(v) * 1e3 for v in done.stdout.split()] # in periods
    p = only(found)
    threads = [t for t in p.threads.values() if t.id > 1]
    def told(t, name):
        return sum(w for _, node, w in t.samples if name in p.path_of(t, node))

    naps, reads = sum(told(t, "naps") for t in threads), sum(told(t, "short_reads") for t in threads)
    cpu, lost = sum(t.progress["cpu_ns"] for t in threads) * 1e-6, sum(t.progress["lost"] for t in threads)
    print(f"naps {naps}, true {napping:.1f}; reads {reads}, true {reading:.1f}; lost {lost} of {cpu:.1f}", flush=True)
    for name, n, true in (("naps", naps, napping), ("reads", reads, reading)):
        bound = 5 * math.sqrt(true) + len(threads)
        expect(name, true / 2 - bound <= n <= 2 * true + bound, f"{n}, true {true:.1f}, bound {bound:.1f}")
    expect("lost", lost <= 0.2 * cpu, f"{lost} of {cpu:.1f}")
    expect("the first thread's reads", told(p.threads[1], "first_reads") <= first + reserve_ns(p) / 1e6, (told(p.threads[1], "first_reads"), first))


def faults():
    """Page faults take a tenth of the time, unseen by samples; each of the kernel's ticks that meets one is told by itself, and what is left at a
    thread's end goes where the last one was met. A hundredth may be lost in three runs of 2 s: 0 to 24 periods were seen at loads up to 10, and 26 to
    101 where none of that is done (so without it the test fails in every second run). A virtual processor that is away for long makes some of it."""
    lost, cpu = 0, 0
    for _ in range(3):
        _, found = run([program("faults")], options=["-F", "1000"])
        threads = only(found).threads.values()
        lost += sum(t.progress["lost"] for t in threads)
        cpu += sum(t.progress["cpu_ns"] for t in threads) * 1e-6
    print(f"lost {lost} of {cpu:.1f}", flush=True)
    expect("lost", cpu > 5700 and lost <= 0.01 * cpu, f"{lost} of {cpu:.1f}")


def credits_of(mode, rounds, n, options, wide, both, processor, work):
    name = f"{mode} {' '.join(options)}"
    children, worked, cpu, samples, total, before = [], 0, 0, 0, 0, away()
    for i in range(4):
        directory = os.path.join(work, f"c{i}")
        shutil.rmtree(directory, ignore_errors=True)
        command = ["taskset", "-c", str(processor), HEATSCOPE, "run", "-q", "-F", "1000", "-o", directory, *options, program("yields"), mode,
                   str(rounds), str(n), "60"]
        children.append((directory, subprocess.Popen(command, stdout=subprocess.PIPE, text=True)))
    for directory, child in children:
        truth = [float(v) for v in child.communicate()[0].split()]
        p = only(processes(HEATSCOPE, directory))
        for complaint in p.check():
            expect(name, False, complaint)
        cpu_covered(name, p, before)
        t = p.threads[1]
        # its own yields are not told as what perf's clock costs at switches: beside waits at most one in a millisecond, and one for each look
        cost = [f for kind, f in p.notes if kind == "cost"][-1]
        most = (t.usage["voluntary_switches"] + 1.1 * t.progress["cpu_ns"] / 1e6 + 20) * max(int(cost["switch_ns"]), int(cost["switch_far_ns"]))
        expect(f"{name}: switches", mode != "yields" or int(cost["switches_ns"]) <= most, (cost, most, t.usage))
        worked += truth[0]
        cpu += sum(truth)
        working = {node: "works" in p.path_of(t, node) for node in t.nodes}
        samples += sum(w for _, node, w in t.samples if working[node])
        total += t.weight()
    truth, share = worked / cpu, samples / total
    bound = 5 * wide * math.sqrt(truth * (1 - truth) / total) + 0.002
    print(f"{name}: {share:.4f}, true {truth:.4f} {'+-' if both else 'or less, +'} {bound:.4f} ({total} samples)", flush=True)
    expect(name, share - truth <= bound and (truth - share <= bound or not both), f"{share:.4f}, expected {truth:.4f} +- {bound:.4f} ({total} samples)")


def stress():
    """Samples by the hundred thousand while everything happens at once (programs/stress.cpp), by each mechanism in turn: the program
    finds nothing wrong, each file is whole, and the CPU time of each thread is in its samples and losses. By hand a million:
    HEATSCOPE_STRESS_SAMPLES."""
    total, seed, wanted = 0, 0, int(os.environ.get("HEATSCOPE_STRESS_SAMPLES", "350000"))
    while (total < wanted or seed < 3) and not failures:
        seed += 1
        mechanism = ("perf-cpu-clock-trap", "perf-cpu-clock-trap", "perf-cpu-clock", "timer-monotonic")[seed % 4]
        before = away()
        done, found = run([program("stress"), str(seed), "5"], options=["-F", "20000", "--mechanism", mechanism])
        what = f"seed {seed}, {mechanism}"
        expect(f"{what}: exit code", done.returncode == 0 and done.stdout.endswith("all right\n"), done)
        samples = sum(p.samples() for p in found)
        total += samples
        parent = [p for p in found if len(p.threads) > 1]
        expect(f"{what}: files", len(parent) == 1 and len(found) >= 2, [len(p.threads) for p in found])
        for p in parent:
            expect(f"{what}: the end is told", len(p.ends) == 1, p.ends)
            reasons = {}
            for _, n, reason in p.losses:
                reasons[reason] = reasons.get(reason, 0) + n
            partial = sum(t.progress["truncated"] for t in p.threads.values())
            print(f"{what}: {samples} samples in {len(found)} processes, {len(p.threads)} threads; paths partial: {partial}; lost: {reasons}",
                  flush=True)
        print(f"  actions: {done.stdout.splitlines()[0] if done.stdout else ''}", flush=True)
    expect("samples", total >= wanted or failures, total)


def rates():
    for hz in (100, 1000, 10000):
        before = away()
        _, found = run([program("kernel"), "1.2"], options=["-F", str(hz)])
        p = only(found)
        expect("period", p.period_ns() == 1000000000 // hz, p.period_ns())
        cpu_covered(f"{hz} Hz", p, before)


# ---- never in the way -----------------------------------------------------------------------------------------------------------

def polite(mechanisms=("perf-cpu-clock-trap",)):
    plain = subprocess.run([program("polite")], capture_output=True, text=True)
    expect("unmeasured", plain.returncode == 42, plain)
    for mechanism in mechanisms:
        done, found = run([program("polite")], options=["--mechanism", mechanism])
        expect(f"{mechanism}: exit code", done.returncode == 42, done)
        expect(f"{mechanism}: output", done.stdout == plain.stdout,
               sorted(set(done.stdout.splitlines()) ^ set(plain.stdout.splitlines())))
        expect(f"{mechanism}: stderr", done.stderr == "", done.stderr)
        expect(f"{mechanism}: samples", only(found).samples() > 300, only(found).samples())


def polite_by_others():
    polite(("perf-cpu-clock", "timer-monotonic", "timer-cpu"))


def no_malloc():
    trap = os.path.join(PROGRAMS, "librt_trap.so")
    done, found = run([program("allocates"), "40000"], options=["-F", "10000"], env={"LD_PRELOAD": trap})
    expect("nothing allocated in the handler", done.returncode == 0, done)
    expect("samples", only(found).samples() > 300, only(found).samples())
    done, found = run([program("allocates"), "1", "trap"], env={"LD_PRELOAD": trap})
    expect("the trap works", done.returncode == 113, done)


def rooms():
    """No room: a size limit, RLIMIT_FSIZE, a full disk (a small tmpfs, as root only)."""
    # the first growth is all there may be
    done, found = run([program("paths"), "200"], options=["-F", "10000"], env={"HEATSCOPE_SIZE_LIMIT_MB": "1"}, quiet=False)
    expect("exit code", done.returncode == 0, done)
    # 128 kB, the first growth, has schema, stream 0 and reserve in it, which leave some 64 kB. A quarter of a
    # second of CPU time at 20 kHz fills that: all three take at least twice as much on any machine. In the third 2000 threads
    # end, the last of which find no room for a word of their own, and then the main thread has losses to tell
    for arguments, threads in (("paths 400", 1), ("threads work", 5), ("threads storm 2000 300000000", 2001)):
        before = away()
        done, found = run(["/bin/sh", "-c", "ulimit -f 256; exec " + program(arguments)], options=["-F", "20000"], quiet=False)
        expect("exit code with a small file limit", done.returncode == 0, done)
        expect("says so once", done.stderr.count("no room for more samples") == 1, done.stderr)
        p = only([p for p in found if not any("exec" in e["how"] for e in p.ends)]) # the shell's may have samples too
        expect("file within the limit", os.path.getsize(p.path) <= 131072, os.path.getsize(p.path))
        expect("the end is told", len(p.ends) == 1, p.ends)
        for k, t in sorted((k, t) for k, t in p.threads.items() if k and t.progress_times):
            told = sum(n for thread, n, _ in p.losses if thread == k)
            expect(f"{arguments}, thread {k}: lost and told", told == t.progress["lost"], (p.losses, t.progress))
        expect("threads", (200 if threads > 5 else threads) <= len(p.threads) <= threads, len(p.threads))
        lost = sum(n for thread, n, why in p.losses if "no_space" in why and (thread == 1 or threads == 5))
        expect(f"{arguments}: lost", lost > 0, p.losses)
        p.threads = {k: t for k, t in p.threads.items() if t.progress_times}
        cpu_covered(f"{arguments}: CPU time with losses", p, before)
    # of several that have none it is said once
    done, found = run(["/bin/sh", "-c", f"ulimit -f 256; for i in 1 2 3; do {program('paths 400')} & done; wait"], options=["-F", "20000"], quiet=False)
    expect("exit code of several", done.returncode == 0, done)
    expect("several have no room", sum(any("no_space" in why for _, _, why in p.losses) for p in found) == 3, found)
    expect("it is said once", done.stderr.count("no room for more samples") == 1, done.stderr)
    # what one thread did not use is cut off: of slots that nobody took, that of the end of stream 0 stays, and what its last one and
    # the first one have left up to a page
    done, found = run([program("paths"), "400"], options=["-F", "10000"])
    p = only(found)
    chunks = [c for c in subprocess.run([HEATSCOPE, "dump", p.path], capture_output=True, text=True).stdout.splitlines()
              if c.startswith("@chunk ")]
    spare = [int(m) for c in chunks for m in re.findall(r"stream=4294967295 .* slot=(\d+)", c)]
    expect("chunks of the thread", sum(" stream=1 " in c for c in chunks) > 1, chunks)
    expect("slots that nobody took are cut off", spare and sum(spare) <= 3 * 4096, chunks)
    if os.geteuid() == 0:
        disk = os.path.join(WORK, "disk")
        os.makedirs(disk, exist_ok=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", disk], capture_output=True)
        if mounted.returncode == 0:
            try:
                done, found = run([program("paths"), "400"], directory=os.path.join(disk, "m"), options=["-F", "20000"],
                                  quiet=False)
                expect("exit code on a full disk", done.returncode == 0, done)
                expect("says so", "no room for more samples" in done.stderr, done.stderr)
                expect("counted", sum(n for _, n, _ in only(found).losses) > 0, only(found).losses)
            finally:
                subprocess.run(["umount", disk])


def brim():
    """Where the file is full samples are not taken any more, but told as lost: by their CPU time, by a timer in 64 periods, of other events within as
    many of theirs. A second of CPU time fills it (some 150 to 500 samples, whose call paths are all new)."""
    full = ["/bin/sh", "-c", "ulimit -f 256; exec " + program("brim 3")]
    for mechanism in ("perf-cpu-clock-trap", "perf-cpu-clock", "timer-monotonic"): # timer-cpu has so few samples that they fill nothing
        before = away()
        done, found = run(full, options=["-F", "10000", "--budget", "off", "--mechanism", mechanism, "-e", "page-faults:64"], quiet=False)
        expect(f"{mechanism}: exit code", done.returncode == 0, done)
        expect(f"{mechanism}: says so once", done.stderr.count("no room for more samples") == 1, done.stderr)
        p = only([p for p in found if not any("exec" in e["how"] for e in p.ends)])
        t, period = p.threads[1], p.period_ns()
        cpu_covered(f"{mechanism}: CPU time with losses", p, before)
        lost = sum(n for thread, n, why in p.losses if "no_space" in why)
        expect(f"{mechanism}: lost since it is full", lost * period > 1e9 and lost <= t.progress["lost"], (p.losses, t.progress))
        expect(f"{mechanism}: not sampled any more", t.handler["runs"] <= t.weight() + 0.1 * lost + 300, (t.handler, t.weight(), lost))
        if any(name == "page-faults" for name, _ in p.events.values()): # its own, and some hundred of the program's begin. Of nearer ones the kernel would leave some out
            dump = subprocess.run([HEATSCOPE, "dump", p.path], capture_output=True, text=True).stdout
            totals = re.findall(r"event_total .*event_id=1 samples=(\d+) lost=(\d+)", dump)
            counted, pages = 64 * sum(map(int, totals[-1])) if totals else 0, int(done.stdout)
            longest = 64 * 64 * max([1] + [periods for _, periods in t.rates])
            expect(f"{mechanism}: another event", pages - longest - 64 * 6 <= counted <= pages + 2000, (counted, pages, totals, t.rates))


def refusals():
    def says(what, arguments, code, text, out=""):
        done = subprocess.run(arguments, capture_output=True, text=True, cwd=WORK)
        expect(what, done.returncode == code and text in done.stderr and out in done.stdout, done)
        expect(what + ": one line", done.stderr.count("\n") <= 1, done.stderr)

    for name in ("a", "b"):
        shutil.rmtree(os.path.join(WORK, name), ignore_errors=True)
    start = [HEATSCOPE, "run", "-q", "-o", "a"]
    says("static program", start + [program("static")], 5, "statically linked", "static")
    says("not there", start + ["no-such-program"], 127, "no such program")
    shutil.copy("/bin/true", os.path.join(WORK, "only-here"))
    says("only here", start + ["only-here"], 127, "no such program on the PATH; here there is ./only-here")
    says("a directory", start + ["/tmp"], 126, "s a directory")
    says("not executable", start + ["/etc/passwd"], 126, "ermission denied")
    says("probes", start + ["--arm=loop", "true"], 2, "a list of procedures, loops")
    says("rate", start + ["-F", "0", "true"], 2, "expected a number")
    says("no program", start, 2, "expected a program")
    says("first", start + ["true"], 0, "")
    says("another measurement", start + ["true"], 1, "another measurement")
    says("append", start + ["--append", "true"], 0, "")
    expect("both there", len(glob.glob(os.path.join(WORK, "a", "*.hsr"))) == 2, os.listdir(os.path.join(WORK, "a")))
    with open(os.path.join(WORK, "file"), "w"):
        pass
    says("directory is a file", [HEATSCOPE, "run", "-q", "-o", "file", "true"], 1, "can't write to the directory")
    # the runtime by itself, where `heatscope run` did not look first
    library = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(HEATSCOPE))), "lib/heatscope/libheatscope-rt.so")
    env = dict(os.environ, LD_PRELOAD=library, HEATSCOPE_OUTPUT="/proc/nowhere")
    done = subprocess.run([program("processes"), "code", "3"], capture_output=True, text=True, env=env)
    expect("goes on unmeasured", done.returncode == 3 and "not measured" in done.stderr, done)
    env = dict(os.environ, LD_PRELOAD=library, HEATSCOPE_OUTPUT=os.path.join(WORK, "b"), HEATSCOPE_FREQUENCY="fast")
    done = subprocess.run([program("processes"), "code", "3"], capture_output=True, text=True, env=env)
    expect("odd frequency", done.returncode == 3 and "HEATSCOPE_FREQUENCY: expected a number" in done.stderr, done)
    env = dict(os.environ, LD_PRELOAD=library)
    done = subprocess.run([program("processes"), "code", "3"], capture_output=True, text=True, env=env)
    expect("nothing asked for, nothing done", done.returncode == 3 and done.stderr == "", done)
    done, _ = run([program("processes"), "code", "3"], quiet=False)
    lines = done.stderr.splitlines()
    expect("two lines on stderr", len(lines) == 2 and "sampling 1000 times" in lines[0] and "next: heatscope report" in lines[1],
           lines)


def said(found):
    """What the last line of a run says of its processes: samples, not the periods that they stand for, and the threads' CPU time by the
    clock, in hundredths."""
    samples = sum(len(t.samples) for p in found for t in p.threads.values())
    hundredths = sum(sum(t.progress["cpu_ns"] for t in p.threads.values()) // 1000 for p in found) // 10000
    counted = sum(p.samples() > 0 for p in found)
    return f"({samples} sample{'s' * (samples != 1)} of {hundredths // 100}.{hundredths % 100:02} s of CPU time" + (
        f" in {counted} processes)" if counted > 1 else ")")


def script():
    path = os.path.join(WORK, "script")
    with open(path, "w") as f:
        f.write(f"#!/bin/sh\n{program('processes')} code 3\n{program('processes')} code 3\nexit 11\n")
    os.chmod(path, 0o755)
    done, found = run([path], quiet=False)
    expect("exit code", done.returncode == 11, done)
    expect("programs of the script", sum("in_child" in names_in(p) for p in found) == 2, [p.path for p in found])
    expect("all counted at the end", said(found) in done.stderr, (said(found), done.stderr))
    with open(path, "w") as f: # becomes a shell, and a program, and forks between
        f.write(f"#!/usr/bin/env -S sh -e\n(exit 0)\n{program('processes')} code 0\nexec sh -c '(exit 0); exec env {program('processes')} code 5'\n")
    done, found = run([path], quiet=False)
    expect("exit code", done.returncode == 5, done)
    expect("says it once", [line.count("sampling") for line in done.stderr.splitlines()] == [1, 0], done.stderr)


def doctor():
    done = subprocess.run([HEATSCOPE, "doctor"], capture_output=True, text=True)
    expect("exit code", done.returncode == 0, done)
    for text in ("perf cpu-clock", "monotonic timer", "CPU-time timer", "LD_PRELOAD", "Programs can be measured here."):
        expect("says", text in done.stdout, text)


def mpi():
    if not shutil.which("mpirun") or not os.path.exists(program("mpi")):
        sys.exit(SKIP)
    launch = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4"]
    directory = os.path.join(WORK, "mpi")
    for around in (False, True):
        before = away()
        shutil.rmtree(directory, ignore_errors=True)
        measure = [HEATSCOPE, "run", "-o", directory]
        command = measure + launch + [program("mpi")] if around else launch + measure + [program("mpi")]
        done = subprocess.run(command, capture_output=True, text=True)
        expect("exit code", done.returncode == 0, done)
        found = processes(HEATSCOPE, directory)
        for p in found:
            for complaint in p.check():
                expect(p.path, False, complaint)
        ranks = sorted(int(p.head["rank"]) for p in found)
        expect("ranks", ranks == [0, 1, 2, 3], ranks)
        expect("one job", len({p.head["job"] for p in found}) == 1 and found[0].head["job"] != '""', [p.head for p in found])
        expect("one of each line", done.stderr.count("heatscope: sampling") == 1 and done.stderr.count("heatscope: wrote") == 1,
               done.stderr)
        told = re.findall(r"^heatscope: (?:4 ranks: |wrote \S+ \()(\d+) samples of [\d.]+ s of CPU time.*measuring added [\d.]+ % \((?:~[\d.]+ to [\d.]+ %, )?\d+ ms\)", done.stderr, re.M)
        samples = sum(len(t.samples) for p in found for t in p.threads.values())
        expect("one line of what measuring took of all", len(told) == 1 and int(told[0]) == samples, (samples, done.stderr))
        for p in found:
            cpu_covered(f"rank {p.head['rank']}", p, before)


if __name__ == "__main__":
    name, HEATSCOPE, PROGRAMS, WORK = sys.argv[1:5]
    WORK = os.path.join(WORK, name)
    if name == "killed_often":
        name, KILLS = "killed", int(os.environ.get("HEATSCOPE_TEST_KILLS", 120))
    os.makedirs(WORK, exist_ok=True)
    for trial in range(3): # what a hypervisor that took processors away did to it says nothing
        failures.clear()
        before = stolen()
        globals()[{"exec": "exec_"}.get(name, name)]()
        taken = stolen() - before
        if not failures or taken < 0.02 or name == "killed":
            break
        print(f"repeated: {taken:.2f} s of processor time were stolen", *(f[:300] for f in failures[:5]), sep="\n  ")
    for f in failures[:20]:
        print("FAILED", f[:1000])
    sys.exit(bool(failures))
