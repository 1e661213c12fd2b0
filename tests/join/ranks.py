# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""correlate on several ranks: the bytes are those of one process, for any number of ranks, also where there are more ranks than
files; an error of one rank is one line and leaves nothing behind, and so do Ctrl-C and the death of a rank.
Usage: ranks.py TEST HEATSCOPE BENCH_MAKE PROGRAMS RECORDS.TXT WORK (TEST: few, same, measured, ends)"""
import glob
import os
import shutil
import signal
import subprocess
import sys
import time

TEST, HEATSCOPE, BENCH_MAKE, PROGRAMS, RECORDS, WORK = sys.argv[1:7]
HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = os.path.join(os.path.dirname(os.path.dirname(HEATSCOPE)), "lib", "heatscope")
LAUNCHERS = [launch for launch, module in ((["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"], "openmpi"),
                                           (["mpirun.mpich"], "mpich"))
             if shutil.which(launch[0]) and os.path.exists(os.path.join(MODULES, f"heatscope-team-{module}.so"))]
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "DISPLAY"}  # Open MPI asks X for graphics cards
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(str(complaint))


def run(*command, text=None):
    done = subprocess.run(command, capture_output=True, text=True, input=text, env=ENVIRONMENT)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def own_lines(text):
    return [line for line in text.splitlines() if line.startswith("heatscope correlate:")]


def work(name):
    path = os.path.join(WORK, TEST, name)
    shutil.rmtree(path, ignore_errors=True)
    if os.path.exists(path): # a file: of what was before it nothing must be told of what comes
        os.remove(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def simulated(files, samples=300, nodes=400):
    path = work(f"simulated{files}")
    run(BENCH_MAKE, path, HEATSCOPE, str(files), str(samples), str(nodes))
    return path


def compare(name, inputs, ranks, *options, launchers=LAUNCHERS[:1]):
    """One process with one and with three threads, the latter with little memory, then ranks."""
    out = work(f"{name}.h5")
    run(HEATSCOPE, "correlate", "-q", "-j1", "--cache=none", "-o", out, *options, *inputs)
    wanted = bytes_of(out)
    run(HEATSCOPE, "correlate", "-q", "-j3", "--memory=1M", "--cache=none", "-o", out, *options, *inputs)
    that(bytes_of(out) == wanted, f"{name}: three threads, little memory: other bytes")
    for launch in launchers:
        for n in ranks:
            os.unlink(out)
            memory = ["--memory=1M"] if n % 2 else []
            done = run(*launch, "-n", str(n), HEATSCOPE, "correlate", "-j2", "-o", out, *memory, *options, *inputs)
            that(bytes_of(out) == wanted, f"{name}: {launch[0]}, {n} ranks: other bytes")
            that(done.stdout.count("attributed, of that time:") == 1, f"{name}: {n} ranks: told not once: {done.stdout}")
    that(glob.glob(out + "*") == [out], f"{name}: left behind: {glob.glob(out + '*')}")


def few():
    """Fewer files than ranks."""
    compare("few", [simulated(2)], (3,))
    compare("long", [simulated(2, samples=150000)], (2,))  # threads that one process puts in pieces, ranks as a whole
    nothing_new([simulated(3)])


def nothing_new(inputs):
    """What several ranks have made they leave alone, until something is new."""
    out, other = work("again.h5"), work("other.h5")
    ranks = (*LAUNCHERS[0], "-n", "2", HEATSCOPE, "correlate", "-j1", "-o", out)
    run(*ranks, *inputs)
    before, wanted = os.stat(out), bytes_of(out)
    done = run(*ranks, *inputs)
    after = os.stat(out)
    that("nothing is new" in done.stdout and (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns), f"made once more: {done.stdout}")
    run(HEATSCOPE, "correlate", "-q", "--cache=none", "--time=none", "-o", other, *inputs)
    run(*ranks, "--time=none", *inputs)
    that(bytes_of(out) == bytes_of(other), "another option: other bytes")
    done = run(*ranks, *inputs)
    that("nothing is new" not in done.stdout and bytes_of(out) == wanted, "the first options again: other bytes")


def same():
    """Made-up measurements: many files, probes, messages with peers, events, several directories."""
    many = [simulated(23)]
    compare("many", many, (2, 5, 11))  # more than tables, too: then rank 0 makes none
    compare("others", many, (3,), launchers=LAUNCHERS[1:])
    made = {}
    for name, folder in (("told", "."), ("measures", "."), ("waited", "run")):
        made[name] = work(name)
        run(sys.executable, os.path.join(HERE, f"{name}.py"), HEATSCOPE, RECORDS, made[name])
        compare(name, [os.path.join(made[name], folder)], (2,))
    compare("together", [made["told"], simulated(4), made["measures"]], (3,), "--time=none")


def measure(name, *command):
    path = work(name)
    run(HEATSCOPE, "run", "-o", path, "--trace", "--", *command)
    return path


def measured():
    """Programs: MPI with trace and causes of waiting, OpenMP with regions and barriers, both as one."""
    inputs = []
    program = os.path.join(PROGRAMS, "rt_message_waits")
    if os.path.exists(program) and shutil.which("mpirun.openmpi"):
        inputs.append(measure("waits", "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2", program))
        compare("waits", inputs, (1, 2, 3))
        compare("launchers", inputs, (2,), "--launchers", "--time=none")
    program = os.path.join(PROGRAMS, "rt_omp")
    if os.path.exists(program):
        inputs.append(measure("omp", "env", "OMP_NUM_THREADS=3", program, "regions"))
        compare("omp", inputs[-1:], (2,))
    if len(inputs) == 2:
        compare("both", inputs, (3,))
    if not inputs:
        sys.exit(77)


def ranks_of(pid):
    """Processes of ours below this one, by what they run."""
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(path, encoding="ascii") as f:
                children = [int(c) for c in f.read().split()]
        except OSError:
            children = []
        for child in children:
            try:
                found += [child] if os.path.samefile(f"/proc/{child}/exe", HEATSCOPE) else []
            except OSError:
                pass
            found += ranks_of(child)
    return sorted(found)


def ends():
    source = simulated(6)
    for launch in LAUNCHERS:
        folder = work(f"folder.{launch[0]}")
        os.makedirs(folder)
        out = os.path.join(folder, "out.h5")
        ours = [HEATSCOPE, "correlate", "-q", "-j1", "-o", out]
        # an error that all ranks meet, and one of the last rank alone
        for last, text in ((os.path.join(folder, "missing"), "missing"), (None, "rules")):
            command = launch + ["-n", "2", *ours, last or source, ":", "-n", "1", *ours]
            command += [last] if last else ["--categories=/nowhere/rules", source]
            done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
            that(done.returncode, f"{launch[0]}: {text}: exit code 0")
            lines = own_lines(done.stderr)
            that(len(lines) == 1 and text in lines[0], f"{launch[0]}: {text}: expected one line, got {lines} of {done.stderr}")
            that(not os.listdir(folder), f"{launch[0]}: {text}: left behind: {os.listdir(folder)}")
    # ended while it works: all or nothing, and soon. A launcher may end its ranks in a way that nobody can see coming (SIGKILL by
    # hydra, when one has died), so only Open MPI is asked what a rank's death leaves.
    big = simulated(200, 1000, 1000)
    whole = work("whole.h5")
    run(HEATSCOPE, "correlate", "-q", "-o", whole, big)
    wanted = bytes_of(whole)
    for launch in LAUNCHERS:
        for how in (signal.SIGINT, signal.SIGTERM) + ((signal.SIGKILL,) if "openmpi" in launch[0] else ()):
            folder = work(f"ended.{launch[0]}")
            os.makedirs(folder)
            out = os.path.join(folder, "out.h5")
            codes = work(f"codes.{launch[0]}")  # of the ranks: hydra's own may be 0 when it is told to end
            keep = ["sh", "-c", 'trap : INT TERM; "$@"; code=$?; echo $code >> "$0"; exit $code', codes]
            p = subprocess.Popen(launch + ["-n", "3", *keep, HEATSCOPE, "correlate", "-q", "-j1", "-o", out, big], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT)
            while p.poll() is None and not os.listdir(folder):  # until it writes
                time.sleep(0.002)
            try:
                os.kill(ranks_of(p.pid)[-1] if how == signal.SIGKILL else p.pid, how)
            except (IndexError, ProcessLookupError):
                pass  # it was faster
            text = p.communicate(timeout=120)[0]
            left = os.listdir(folder)
            done = sorted(left) in (["out.h5"], [".out.h5.made", "out.h5"]) # with the record of what it was made from, or ended before that
            that(left == [] or (done and bytes_of(out) == wanted), f"{launch[0]}: {how}: left behind: {left}: {text}")
            told = open(codes, encoding="ascii").read().split() if os.path.exists(codes) else []
            that(left or "0" not in told, f"{launch[0]}: {how}: a rank's exit code 0 without a database: {told}: {text}")
            that(left or p.returncode or (told and "mpich" in launch[0]), f"{launch[0]}: {how}: exit code 0 without a database: {text}")
    # started several times by a launcher of which MPI knows nothing
    if "openmpi" in LAUNCHERS[0][0]:
        for rank in ("0", "1"):
            out = work("slurm.h5")
            done = subprocess.run([HEATSCOPE, "correlate", "-o", out, source], capture_output=True, text=True, timeout=120,
                                  env={**ENVIRONMENT, "SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": rank})
            that((done.returncode != 0) == (rank == "0") == bool(own_lines(done.stderr)) and not os.path.exists(out),
                 f"srun without MPI: {done.returncode}: {done.stderr}")
    # a command without its module says so once, and writes nothing
    alone = work("alone")
    os.makedirs(os.path.join(alone, "bin"))
    os.makedirs(os.path.join(alone, "lib/heatscope"))
    shutil.copy(HEATSCOPE, os.path.join(alone, "bin"))
    shutil.copy(os.path.join(MODULES, "heatscope-full"), os.path.join(alone, "lib/heatscope"))
    for launch in LAUNCHERS:
        out = os.path.join(alone, "out.h5")
        done = subprocess.run(launch + ["-n", "3", os.path.join(alone, "bin", os.path.basename(HEATSCOPE)), "correlate", "-o", out, source],
                              capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
        lines = own_lines(done.stderr)
        that(done.returncode and len(lines) == 1 and "started 3 times" in lines[0] and not os.path.exists(out),
             f"{launch[0]}: without its module: {done.returncode}, {lines}")


if not LAUNCHERS:
    sys.exit(77)
{"few": few, "same": same, "measured": measured, "ends": ends}[TEST]()
if wrong:
    sys.exit("\n".join(wrong))
