# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program behaves as without us: one behaviour a mode of programs/manners.c. Usage: manners.py NAME HEATSCOPE PROGRAMS WORK"""
import functools
import glob
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scenarios  # noqa: E402
from measured import number  # noqa: E402
from scenarios import bounded, expect, only, program, run  # noqa: E402
from witness import Witness  # noqa: E402

MODES = ("errnos", "jumps", "cancels", "floats", "switches", "signals", "descriptors", "daemons", "children", "filtered", "strict", "rearranges", "alone", "holes",
         "no_counter", "dispatches")


@functools.cache
def unmeasured(mode):
    return bounded([program("manners"), mode], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def same(mode, mechanism=None, code=None):
    plain = unmeasured(mode)
    expect(f"{mode}: unmeasured", code is None or plain.returncode == code, plain)
    options = ["--mechanism", mechanism] if mechanism else []
    done, found = run([program("manners"), mode], options=[*options, "--trace"], stdin=subprocess.DEVNULL)
    what = f"{mode} {mechanism or ''}"
    expect(f"{what}: exit code", done.returncode == plain.returncode, (plain, done))
    expect(f"{what}: output", done.stdout == plain.stdout, (plain.stdout, done.stdout))
    expect(f"{what}: errors", done.stderr == plain.stderr, done.stderr)
    return found


def manners():
    for mode in MODES:
        same(mode, code=0 if mode == "strict" else 42)


def manners_by_timers():
    for mechanism in ("perf-cpu-clock", "timer-monotonic", "timer-cpu"):
        for mode in MODES:
            same(mode, mechanism)


def writes():
    """Where our lines can't be written (nobody reads stderr any more, no file may grow), the program has no signal of that; one of its own that waits, blocked, stays."""
    for mode in ("errnos", "signals"):
        plain = unmeasured(mode)
        for what in ("a pipe without reader", "no file may grow"):
            directory = os.path.join(scenarios.WORK, "m")
            shutil.rmtree(directory, ignore_errors=True)
            reader, writer = os.pipe()
            if what == "a pipe without reader":
                os.close(reader)
            command = [scenarios.HEATSCOPE, "run", "-o", directory, *(["sh", "-c", "ulimit -f 0; exec \"$@\"", "sh"] if "grow" in what else []), program("manners"), mode]
            done = bounded(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE if "grow" in what else writer, stdin=subprocess.DEVNULL)
            if "grow" in what:
                expect(f"{mode}, {what}: said", "heatscope: not measured: no room in the measurement directory" in done.stderr, done)
                os.close(reader)
            os.close(writer)
            expect(f"{mode}, {what}: exit code", done.returncode == plain.returncode, done)
            expect(f"{mode}, {what}: output", done.stdout == plain.stdout, done)
    # blocked and waiting before the program begins
    code = "import os, sys, signal as s; s.signal(s.SIGPIPE, s.SIG_DFL); s.pthread_sigmask(s.SIG_BLOCK, {s.SIGPIPE}); os.kill(os.getpid(), s.SIGPIPE); " \
           "r, w = os.pipe(); os.close(r); os.dup2(w, 2); os.execvp(sys.argv[1], sys.argv[1:])"
    shutil.rmtree(directory, ignore_errors=True)
    for wrapper in ([], [scenarios.HEATSCOPE, "run", "-o", directory]):
        done = bounded([sys.executable, "-c", code, *wrapper, "grep", "ShdPnd", "/proc/self/status"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        expect(f"waits {wrapper}", done.returncode == 0 and done.stdout.split()[-1:] == ["0000000000001000"], done)


def descriptors():
    """Numbers of files are those that a program without us gets, whatever the helper looks at; and it keeps none of the program's files open. Of several threads one whose
    rate changes takes a number for a moment: the others' are not judged then, which at 1 kHz is seldom."""
    for threads in ("1", "4"):
        judged = 0
        for options in (("-F", "10000"), ("-F", "1000", "-e", "wall"), ("-F", "1000", "--mechanism", "perf-cpu-clock")):
            done, found = run([program("descriptors"), "2", threads], options=options)
            expect(f"{threads} threads, {options}", done.returncode == 42 and re.fullmatch(r"looked 1 wrong \d+ kept 0\n", done.stdout), done)
            steady = threads == "1" or not any(t.rates for t in only(found).threads.values())
            expect(f"{threads} threads, {options}: numbers", not steady or " wrong 0 " in done.stdout, done)
            judged += steady
        expect(f"{threads} threads: judged", judged, "no run with one rate")


def sandboxes():
    """What says that a measurement ended early, and a filter that was there before."""
    for mode in ("filtered", "strict"):
        before = scenarios.away()
        done, found = run([program("manners"), mode], quiet=False)
        expect(f"{mode}: one line", done.stderr.count("enters a sandbox") == 1, done.stderr)
        p = max(found, key=lambda p: p.samples())
        scenarios.cpu_covered(f"{mode}: samples up to there", p, before) # 100 ms of CPU time, three times the reserve
        expect(f"{mode}: how it ended", [e["how"] for e in p.ends] == ["3(sandbox)"], p.ends)
    done, found = run(["sh", "-c", 'for i in 1 2 3; do "$0" filtered; done', program("manners")], quiet=False)
    expect("three processes: one line", done.stderr.count("enters a sandbox") == 1, done.stderr)
    expect("three processes", sum("3(sandbox)" in [e["how"] for e in p.ends] for p in found) == 3, found)
    directory = os.path.join(scenarios.WORK, "m")
    subprocess.run(["rm", "-rf", directory])
    done = subprocess.run([program("manners"), "inherits", scenarios.HEATSCOPE, "run", "-o", directory, program("manners")],
                          capture_output=True, text=True)
    expect("under a filter", done.returncode == 42 and done.stdout == "worked\n", done)
    expect("another source", "(timer-" in done.stderr, done.stderr)


def traced():
    """A debugger hears of no signal of ours, and one line says why nothing is measured."""
    done, found = run([program("manners"), "traces", program("manners")], quiet=False)
    expect("no signals", done.stdout == "worked\ntold 0, status 10752\n", done)
    expect("one line", done.stderr.count("not measured: a debugger") == 1, done.stderr)
    # its child is measured up to its exec, and has a file where that took long enough for a sample
    hows = sorted(p.ends[0]["how"] for p in found if p.ends)
    expect("the tracer is measured, the other up to its exec", len(found) == len(hows) and hows in (["0(exit)"], ["0(exit)", "1(exec)"]), hows)


TRAPS = ("default", "raised", "handled", "jumped", "reset", "ignored", "waited", "read", "pending", "inherited", "alternate", "unseen", "handled_unseen",
         "starts", "event", "traced", "released")


def watched(arguments, options):
    """As run, and how many seconds of the first thread the kernel could have sampled: its CPU time has what the hypervisor took and did not
    tell of, too. None: there is no perf."""
    witness = []

    def watch(pid):
        try:
            witness.append(Witness(pid, 173000))
        except OSError:
            pass
    done, found = run(arguments, options=options, watch=watch)
    seconds = len(witness[0].times()) * witness[0].period_ns / 1e9 if witness else None
    for w in witness:
        w.close()
    return done, found, seconds


def traps():
    """SIGTRAP is the program's own, in every way in which it may use it, though our samples come by it."""
    for mode in TRAPS:
        plain = subprocess.run([program("traps"), mode], capture_output=True, text=True)
        for mechanism in ("", "perf-cpu-clock"):
            done, found, seen = watched([program("traps"), mode], ["--mechanism", mechanism] if mechanism else [])
            what = f"{mode} {mechanism}"
            expect(f"{what}: end", done.returncode == plain.returncode, (plain, done))
            expect(f"{what}: output", done.stdout == plain.stdout, (plain.stdout, done.stdout))
            expect(f"{what}: errors", done.stderr == plain.stderr, done.stderr)
            p = max(found, key=lambda p: p.samples())
            # less than half is lost: of what computes for 0.3 s with SIGTRAP blocked, what passes until the next tick
            cpu = p.threads[1].progress["cpu_ns"] / 1e9
            expect(f"{what}: samples", p.samples() * 1e-3 > 0.5 * (cpu if seen is None else min(cpu, seen)), (p.samples(), seen, p.threads[1].progress))
            source = [why for t in p.threads.values() for _, why, _ in t.sources]
            if mechanism or p.mechanism() != "perf-cpu-clock-trap":
                expect(f"{what}: source", not source, source)
            for switched, why in (("ignored", "sigtrap_taken"), ("alternate", "sigtrap_taken"), ("unseen", "sigtrap_blocked"), ("handled_unseen", "sigtrap_taken"), ("starts", "")):
                if mode == switched and not mechanism and p.mechanism() == "perf-cpu-clock-trap":
                    expect(f"{what}: switched", source == ([why] if why else []), source)


def emulated():
    """Valgrind takes a SIGTRAP of the kernel's for a fault of its own: samples come by the other signal there."""
    if not shutil.which("valgrind"):
        sys.exit(scenarios.SKIP)
    done, found = run(["valgrind", "--tool=none", "-q", program("manners")])
    expect("as without us", (done.returncode, done.stdout, done.stderr) == (42, "worked\n", ""), done)
    p = max(found, key=lambda p: p.samples())
    expect("samples", p.samples() > 50 and p.mechanism() != "perf-cpu-clock-trap", (p.samples(), p.head))


def debugger():
    """One that takes hold of a process that is measured: within three seconds it is told of no signal any more, and measuring goes on when it is gone."""
    directory = os.path.join(scenarios.WORK, "m")
    shutil.rmtree(directory, ignore_errors=True)
    child = subprocess.Popen([scenarios.HEATSCOPE, "run", "-F", "1000", "-o", directory, program("traps"), "computes"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    child.stdout.readline()
    time.sleep(1)
    held = subprocess.run([program("traps"), "holds", str(child.pid)], capture_output=True, text=True)
    time.sleep(3)
    child.terminate()
    _, said = child.communicate()
    print(held.stdout)
    expect("held", held.returncode == 0, held)
    expect("told of nothing", held.stdout.endswith(", 0 in the last\n"), held)
    expect("said", said.count("is not measured while a debugger") == 1 and said.count("is measured again") == 1, said)
    p = scenarios.only(scenarios.processes(scenarios.HEATSCOPE, directory))
    expect("recorded", [on for _, on, _ in p.measuring] == [0, 1] and all("(tracer)" in why for _, _, why in p.measuring), p.measuring)
    off, on = (at for at, _, _ in p.measuring)
    times = [at for at, _, _ in p.threads[1].samples]
    expect("samples before and after", sum(t < off for t in times) > 10 and sum(t > on for t in times) > 10, (off, on, len(times)))


def debugger_unsampled():
    """One that takes hold of a program that computes nothing: no sample comes that tells of it, and it is found all the same."""
    directory = os.path.join(scenarios.WORK, "m")
    shutil.rmtree(directory, ignore_errors=True)
    child = subprocess.Popen([scenarios.HEATSCOPE, "run", "-F", "1000", "-o", directory, "sleep", "100"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not glob.glob(os.path.join(directory, "*.hsr")) and child.poll() is None:
        time.sleep(0.1)
    time.sleep(1)
    held = subprocess.run([program("traps"), "holds", str(child.pid)], capture_output=True, text=True)
    time.sleep(3)
    child.terminate()
    _, said = child.communicate()
    expect("held", held.returncode == 0, held)
    expect("said", said.count("is not measured while a debugger") == 1 and said.count("is measured again") == 1, said)
    p = scenarios.only(scenarios.processes(scenarios.HEATSCOPE, directory))
    expect("recorded", [on for _, on, _ in p.measuring] == [0, 1] and all("(tracer)" in why for _, _, why in p.measuring), p.measuring)


def rooted():
    """A program in another root, where the runtime can't be loaded: no complaint of the dynamic linker."""
    if os.geteuid():
        sys.exit(77)
    root = os.path.join(scenarios.WORK, "root")
    shutil.rmtree(root, ignore_errors=True)
    needed = subprocess.run(["ldd", program("manners")], capture_output=True, text=True, check=True).stdout
    for path in [program("manners"), *(w for w in needed.split() if w.startswith("/"))]:
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        shutil.copy(path, root + path)
    done, _ = run(["chroot", root, program("manners")])
    expect("as without us", (done.returncode, done.stdout, done.stderr) == (42, "worked\n", ""), done)
    done, _ = run(["chroot", root, program("manners")], quiet=False, env={"LD_PRELOAD": ""})
    expect("one line", done.stderr.count("not measured") == 1 and "ld.so" not in done.stderr, done.stderr)


def short_processes():
    """One after another, without a sample, they share one file's blocks, where the file system can make a file zeros in place; the
    first process leaves none of it."""
    directory = os.path.join(scenarios.WORK, "m")
    probe = os.path.join(scenarios.WORK, "probe")
    zeroes = shutil.which("fallocate") and not subprocess.run(["fallocate", "-z", "-l", "4096", probe], capture_output=True).returncode
    for at_a_time, bound in ((1, 1), (5, 8)): # at most eight by construction: one that looks for one may pass by another that moves
        start = " ".join(["/bin/true & "] * at_a_time) + "wait" if at_a_time > 1 else "/bin/true"
        script = f"for i in 1 2 3 4 5 6; do {start}; echo {directory}/.spare.[a-z].*; done"
        done, found = run(["/bin/sh", "-c", script], options=["-F", "10"])
        expect("ran", done.returncode == 0 and done.stderr == "", done)
        seen = [[w for w in line.split() if "*" not in w and os.path.basename(w) != f".spare.{os.uname().nodename}"]
                for line in done.stdout.splitlines()]
        expect(f"{at_a_time}: no more files than {bound}", all(len(s) <= bound for s in seen), seen)
        if zeroes:
            expect(f"{at_a_time}: one is kept", any(seen), seen)
        expect(f"{at_a_time}: nothing is left", not [n for n in os.listdir(directory) if n.startswith(".spare")], os.listdir(directory))
        expect(f"{at_a_time}: the shell is measured", len(found) >= 1, found)
    # the first process is killed: the next one that ends removes what is left
    script = "for i in 1 2 3; do /bin/true; done; (while kill -0 $$ 2>/dev/null; do :; done; /bin/true; echo over) & kill -9 $$"
    subprocess.run(["rm", "-rf", directory])
    with open(os.path.join(scenarios.WORK, "over"), "w+") as out:
        done = subprocess.run([scenarios.HEATSCOPE, "run", "-q", "-o", directory, "/bin/sh", "-c", script], stdout=out)
        expect("killed", done.returncode == -9, done)
        while not out.read(): # the child lives on, until it sees the end of its parent
            time.sleep(0.01)
            out.seek(0)
    expect("killed: nothing is left", not [n for n in os.listdir(directory) if n.startswith(".spare")], os.listdir(directory))


def killed_children():
    """The last line and the report tell of processes that could not say what they have, by what their parent was told: here two loops that a signal ends. The report tells, too,
    of one that ends with a status other than 0."""
    loop = "while :; do :; done"
    short = "for i in {1..20000}; do :; done; exit 3"
    done, found = run(["bash", "-c", f"({loop}) & a=$!; ({loop}) & b=$!; ({short}); sleep 0.2; kill -9 $a; wait $a; kill $b; wait"], quiet=False)
    expect("the last line", re.search(r"; more in 2 processes that were killed or still run: process \d+ was ended by SIGKILL, process \d+ by SIGTERM\)", done.stderr), done.stderr)
    expect("their files", len([p for p in found if p.samples() and not p.ends]) == 2, found)
    head = report_head()
    expect("the report", all(re.search(rf"\w+ \d+ {how}", head) for how in ("was ended by SIGKILL", "was ended by SIGTERM", "ended with exit status 3")) and "no end" not in head, head)


def launchers():
    """What measuring added is one figure in the last line and in the report, also where shells, which are in no table, have most of the CPU time."""
    shell = "i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done; /bin/true"
    code = f"import subprocess\nfor i in range(12): subprocess.run(['sh', '-c', {shell!r}]); sum(range(2000000))"
    done, _ = run([sys.executable, "-c", code], quiet=False)
    line = re.search(r"of ([0-9.]+) s of CPU time.*measuring added ([0-9.]+) %", done.stderr)
    expect("the last line", line, done.stderr)
    ledger = " ".join(subprocess.run([scenarios.HEATSCOPE, "report", "--by=ledger", os.path.join(scenarios.WORK, "m")], capture_output=True, text=True).stdout.split())
    added, head = re.search(r"of measuring \(added ([0-9.]+) %", ledger), re.search(r"([0-9.]+) s CPU time in .* and 12 launchers, in no table .*?: ([0-9.]+) s CPU time", ledger)
    expect("the report", added and head, ledger)
    expect("added", abs(float(added[1]) - float(line[2])) <= 0.05 * float(line[2]) + 0.1, (line[0], added[0]))
    expect("CPU time", abs(float(head[1]) + float(head[2]) - float(line[1])) <= 0.03, (line[0], head[0]))


def last_words():
    """The last line of programs that close standard error as they exit; of one that closes it and goes on, a reader sees the end at once."""
    for command in ([program("manners"), "closes_out"], [program("manners"), "closes_out_at_once"], ["ls", os.devnull], ["timeout", "60", program("manners"), "errnos"],
                    ["sort", os.devnull]):
        done, _ = run(command, quiet=False, stdin=subprocess.DEVNULL)
        expect(f"{command}: the last line", len(re.findall(r"^heatscope: wrote .*next: heatscope report", done.stderr, re.M)) == 1, done)
        expect(f"{command}: exit code", done.returncode == (42 if program("manners") in command else 0), done)
    directory = os.path.join(scenarios.WORK, "m")
    shutil.rmtree(directory, ignore_errors=True)
    with subprocess.Popen([scenarios.HEATSCOPE, "run", "-o", directory, program("manners"), "closes_early"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        said = child.stderr.read()
        running = child.poll() is None
        child.communicate("x")
    expect("closes early: the reader had its end first", running and child.returncode == 42, (child.returncode, said))


def environment():
    """Variables that change how a program runs are in its file, each process's as they were when it began, also after fork and exec; no others, nor Heatscope's own library; what is long is cut."""
    told = {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0", "MALLOC_ARENA_MAX": "2", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0", "OMPI_MCA_btl": "self", "MPICH_ASYNC_PROGRESS": "1"}
    secret = {"SECRET_TOKEN": "xyzzy", "MY_OMP_KEY": "xyzzy", "LD_LIBRARY_PATH": "/xyzzy", "OMPI_MCA_orte_precondition_transports": "xyzzy", "GLIBC_TUNABLESX": "xyzzy", "OMP_": ""}
    work = "for i in {1..200000}; do :; done"
    _, found = run(["bash", "-c", f"{work}; (OMP_WAIT_POLICY=active; {work}); OMP_WAIT_POLICY=active exec bash -c '{work}'"], env={**told, **secret, "GOMP_SPINCOUNT": "9" * 400})
    expect("three processes or two", len(found) >= 2, found)
    expected = {f"{k}={v}" for k, v in told.items()} | {"OMP_=", ("GOMP_SPINCOUNT=" + "9" * 400)[:256] + "..."}
    policies = set()
    for p in found:
        with open(p.path, "rb") as file:
            expect("no secret", b"xyzzy" not in file.read(), p.path)
        listed = set(re.findall(r'"((?:[^"\\]|\\.)*)"', p.head["environment"]))
        policies |= {v for v in listed if v.startswith("OMP_WAIT_POLICY")}
        expect("looked at", p.head["environment_read"] == "1", p.head)
        expect("what is told", {v for v in listed if "WAIT_POLICY" not in v} == {v for v in expected if "WAIT_POLICY" not in v}, listed)
    expect("as each began", policies == {"OMP_WAIT_POLICY=passive", "OMP_WAIT_POLICY=active"}, policies)


def report_head():
    text = subprocess.run([scenarios.HEATSCOPE, "report", os.path.join(scenarios.WORK, "m")], capture_output=True, text=True).stdout
    return " ".join(text[:text.index("What stands out")].split())


def killed_rank():
    """Of a rank that a signal ends, and whose launcher is measured, too, the last line and the report say so by its number; those that the launcher takes along may be told of."""
    if not shutil.which("mpirun"):
        print("skipped: no mpirun")
        sys.exit(scenarios.SKIP)
    work = "import os, time\nwhile time.process_time() < 0.3:\n    pass\nif os.environ['OMPI_COMM_WORLD_RANK'] == '1':\n    os.kill(os.getpid(), 11)\ntime.sleep(60)"
    done, found = run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", sys.executable, "-c", work], quiet=False)
    if not any(number(p.head.get("rank", "-1")) >= 0 for p in found):
        print("skipped: not Open MPI's mpirun")
        sys.exit(scenarios.SKIP)
    expect("the last line", re.search(r"; more in 3 processes that were killed or still run: (rank [02] was ended by SIG\w+, )*rank 1 (was ended )?by SIGSEGV", done.stderr), done.stderr)
    head = report_head()
    expect("the report", "rank 1 was ended by SIGSEGV" in head, head)


def gives_up_rights():
    """A server that was started by root and goes on as another user: its file grows all the same, and it tells what it has at its end."""
    if os.geteuid():
        print("skipped: not root")
        sys.exit(scenarios.SKIP)
    directory = tempfile.mkdtemp(dir="/tmp")
    try:
        os.chmod(directory, 0o755)
        work = "import os, time\nos.setuid(65534)\nwhile time.process_time() < 2:\n    sum(i * i for i in range(1000))"
        done, found = run([sys.executable, "-c", work], directory=os.path.join(directory, "m"), options=["-F", "10000", "--budget", "off"], quiet=False)
    finally:
        shutil.rmtree(directory)
    expect("it ran", done.returncode == 0 and "open" not in done.stderr and "no room" not in done.stderr, done.stderr)
    expect("the last line", re.search(r"wrote .* \([0-9]{4,} samples of [1-9]", done.stderr), done.stderr)
    expect("more than the file had at first", only(found).samples() > 10000, only(found).samples())


def low_limits():
    """Few descriptors, a small stack, little address space, no locked memory, no file, no signals that wait: measured or not, the
    program runs, and at most three lines are said."""
    for limit, kind, most in (("descriptors", resource.RLIMIT_NOFILE, 4), ("stack", resource.RLIMIT_STACK, 256 << 10),
                              ("address space", resource.RLIMIT_AS, 300000 << 10), ("locked memory", resource.RLIMIT_MEMLOCK, 0),
                              ("file", resource.RLIMIT_FSIZE, 0), ("signals", resource.RLIMIT_SIGPENDING, 0),
                              ("seconds", resource.RLIMIT_CPU, 100)):
        done = subprocess.run([scenarios.HEATSCOPE, "run", "-o", os.path.join(scenarios.WORK, limit[:4]), program("manners")], capture_output=True,
                              text=True, preexec_fn=lambda kind=kind, most=most: resource.setrlimit(kind, (most, most)))
        started = "heatscope run:" not in done.stderr # it may refuse by itself where it can't make its directory
        expect(limit, not started or (done.returncode == 42 and done.stdout == "worked\n"), done)
        expect(f"{limit}: at most three lines", done.stderr.count("\n") <= 3, done.stderr)


if __name__ == "__main__":
    name, scenarios.HEATSCOPE, scenarios.PROGRAMS, scenarios.WORK = sys.argv[1:5]
    scenarios.WORK = os.path.join(scenarios.WORK, name)
    subprocess.run(["rm", "-rf", scenarios.WORK])
    os.makedirs(scenarios.WORK, exist_ok=True)
    globals()[name]()
    for f in scenarios.failures[:20]:
        print("FAILED", f[:1000])
    sys.exit(bool(scenarios.failures))
