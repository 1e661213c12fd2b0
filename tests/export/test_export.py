# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports of a simulated database, opened by the tools they are made for. Usage: test_export.py READER HEATSCOPE SIMULATE WORK

The database's total is read from its ledger by `heatscope report`; each export must carry exactly that. A reader must also refuse
a file that was broken on purpose, or its silence about ours would prove nothing."""
import csv
import functools
import gzip
import http.server
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading

READER, HEATSCOPE, SIMULATE, WORK = sys.argv[1:5]
SKIP = 77
SPEEDSCOPE = "1.25.0"
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=more.pop("text", True), timeout=240, **more)


def need(program):
    if not shutil.which(program):
        print(f"skipped: {program} is not there")
        sys.exit(SKIP)


def export(kind, *options, name=None, database=None):
    path = os.path.join(WORK, name or f"out.{kind}")
    done = run(HEATSCOPE, "export", f"--to={kind}", "-o", path, *options, database or DATABASE)
    that(done.returncode == 0 and done.stderr == "", f"export {kind}: {done}")
    return path


def table(by):
    done = run(HEATSCOPE, "report", f"--by={by}", "--format=csv", DATABASE)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def total_samples():
    return next(int(row["periods"]) for row in table("ledger") if row["name"] == "recorded")


def broken(path, change):
    with open(path, "rb") as f:
        data = f.read()
    with open(path + ".broken", "wb") as f:
        f.write(change(data))
    return path + ".broken"


# ---- without readers: structure and sums --------------------------------------------------------------------------------

def read_collapsed(path):
    rows = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            stack, n = line.rstrip("\n").rsplit(" ", 1)
            rows[stack] = rows.get(stack, 0) + int(n)
    return rows


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2, key
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        yield key >> 3, value


def numbers(data):
    at, out = 0, []
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out


def check_pprof(path, samples):
    with gzip.open(path) as f:
        parts = list(fields(f.read()))
    strings = [v.decode() for k, v in parts if k == 6]
    that(strings[0] == "", "pprof: the first string must be empty")
    locations = {dict(fields(v))[1] for k, v in parts if k == 4}
    functions = {dict(fields(v))[1] for k, v in parts if k == 5}
    for k, v in parts:
        if k == 4:
            line = dict(fields(dict(fields(v))[4]))
            that(line[1] in functions, f"pprof: location without function {line}")
    sums = [0, 0]
    for k, v in parts:
        if k != 2:
            continue
        sample = dict(fields(v))
        that(set(numbers(sample[1])) <= locations, "pprof: sample with unknown location")
        for i, n in enumerate(numbers(sample[2])):
            sums[i] += n
        for key, label in fields(v):
            if key == 3:
                label = dict(fields(label))
                that(label.keys() == {1, 2}, f"pprof: label {label}")
    that(sums == [samples, samples * 1000000], f"pprof: {sums}, expected {samples} samples of 1 ms")


def h5py_reader():
    try:
        import h5py
    except ImportError:
        print("skipped: h5py is not there")
        sys.exit(SKIP)
    samples, path = total_samples(), export("hdf5")
    with open(export("csv"), newline="", encoding="utf-8") as f:
        csv_rows = list(csv.DictReader(f))
    with h5py.File(path, "r") as f:
        that(set(f) == {"threads", "lines", "scopes"}, f"hdf5: {set(f)}")
        for name in f:
            fields = f[name].dtype.names
            that(all(f[name].attrs[f"FIELD_{i}_NAME"].decode() == n for i, n in enumerate(fields)), f"hdf5: attributes of {name}")
        lines, scopes, threads = f["lines"][:], f["scopes"][:], f["threads"][:]
    that(int(lines["periods"].sum()) == samples, f"hdf5: {lines['periods'].sum()} periods of {samples}")
    mine = {(r["file"], int(r["line"]), r["host"], int(r["pid"]), int(r["thread"])): int(r["periods"]) for r in csv_rows}
    that(len(lines) == len(mine), f"hdf5: {len(lines)} rows, csv has {len(mine)}")
    that(sorted(mine.values()) == sorted(int(n) for n in lines["periods"]), "hdf5: other samples than csv's")
    wanted = {}
    for (file, line, *_), n in mine.items():
        wanted[file.encode(), line] = wanted.get((file.encode(), line), 0) + n
    got = {}
    for r in lines:
        got[r["file"], int(r["line"])] = got.get((r["file"], int(r["line"])), 0) + int(r["periods"])
    that(got == wanted, "hdf5: other lines than csv's")
    program = scopes[scopes["kind"] == b"program"]
    that(abs(program["inclusive"].sum() - samples / 1000) < 1e-6, f"hdf5: program has {program['inclusive'].sum()} s")
    that(abs(scopes["exclusive"].sum() - samples / 1000) < 1e-6, f"hdf5: scopes have {scopes['exclusive'].sum()} s")
    that(set(scopes["thread"]) <= set(threads["thread"]), "hdf5: scopes of unknown threads")
    for row in table("procedure"):
        same = scopes[(scopes["kind"] == b"procedure") & (scopes["name"] == row["procedure"].encode()) &
                      (scopes["line_begin"] == int(row["line_begin"] or 0))]
        that(len(same) == 0 or same["inclusive"].max() * 1000 <= int(row["inclusive_periods"]) + 1e-6, f"hdf5: {row['procedure']}")
    try:
        h5py.File(broken(path, lambda d: d[:len(d) // 2]), "r")
        that(False, "h5py takes half a file")
    except OSError:
        pass


def files():
    samples = total_samples()
    for loops in ((), ("--loops",), ("--no-loops",)):
        rows = read_collapsed(export("collapsed", *loops))
        that(sum(rows.values()) == samples, f"collapsed {loops}: {sum(rows.values())} of {samples}")
        has = any(re.search(r" at [^;]+:\d+(;|$)", stack) for stack in rows)
        that(has == (loops != ("--no-loops",)), f"collapsed {loops}: loops {has}")
        check_pprof(export("pprof", *loops), samples)
    with open(export("csv"), newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    that(sum(int(r["periods"]) for r in rows) == samples, "csv: sum")
    by_line = {(r["file"], r["line"]): int(r["exclusive_periods"]) for r in table("line")}
    mine = {}
    for r in rows:
        mine[r["file"], r["line"]] = mine.get((r["file"], r["line"]), 0) + int(r["periods"])
    that({k: v for k, v in by_line.items() if v} == mine, "csv: other sums by line than the report's")
    with open(export("speedscope"), encoding="utf-8") as f:
        data = json.load(f)
    weights = sum(sum(p["weights"]) for p in data["profiles"])
    that(abs(weights * 1000 - samples) < 1e-3, f"speedscope: {weights} s, expected {samples} ms")
    n = len(data["shared"]["frames"])
    that(all(0 <= f < n for p in data["profiles"] for s in p["samples"] for f in s), "speedscope: frame out of range")
    that(all(len(p["samples"]) == len(p["weights"]) for p in data["profiles"]), "speedscope: samples and weights")
    with open(export("chrome"), encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    tracks = {}
    for e in events:
        if e["ph"] == "X":
            tracks.setdefault((e["pid"], e["tid"]), []).append((e["ts"], -e["dur"]))
    for track, slices in tracks.items():  # each slice lies inside the one around it
        stack = []
        for begin, minus in sorted(slices):
            while stack and stack[-1] <= begin + 1e-6:
                stack.pop()
            that(not stack or begin - minus <= stack[-1] + 1e-2, f"chrome: slices of {track} cross at {begin}")
            stack.append(begin - minus)
    threads = [r for r in table("processor") if int(r["periods"])]
    that(len(tracks) >= 1 and threads, "chrome: no tracks")
    outer = 0  # slices with none around them: what they last is the samples' time
    for slices in tracks.values():
        end = -1
        for begin, minus in sorted(slices):
            if begin >= end - 1e-6:
                outer += -minus
                end = begin - minus
    that(abs(outer - 1000 * samples) <= 0.25 * len(events), f"chrome: {outer} us, expected {samples} ms")
    chrome_rules(DATABASE)
    timed = os.path.join(WORK, "timed.h5")  # of samples in the order of time
    subprocess.run([SIMULATE, "-o", timed, "--lines=400", "--times", "--samples=3000", "--threads=3", "--processes=2"], check=True, stderr=subprocess.DEVNULL)
    chrome_rules(timed)
    # hostile and wrong use
    for command, code, words in (
            ([], 2, "--to"), (["--to=nothing", DATABASE], 2, "callgrind, pprof"), (["--to=csv"], 2, "one database"),
            (["--to=csv", "/nonexistent"], 1, "/nonexistent"), (["--to=csv", __file__], 1, "neither"),
            (["--to=csv", "--metric=beauty", DATABASE], 1, "beauty"),
            (["--to=csv", "-o", os.path.join(WORK, "no", "such"), DATABASE], 1, "cannot create")):
        done = run(HEATSCOPE, "export", *command)
        that(done.returncode == code and words in done.stderr and len(done.stderr.splitlines()) == 1, f"{command}: {done}")
    for kind in ("callgrind", "pprof", "speedscope", "chrome", "collapsed", "csv", "hdf5"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([HEATSCOPE, "export", "--to=" + kind, DATABASE], stdout=full, stderr=subprocess.PIPE, text=True)
        that(done.returncode == 1 and "cannot write" in done.stderr, f"{kind} on a full disk: {done}")
        with open(export(kind, name="one." + kind), "rb") as a, open(export(kind, name="two." + kind), "rb") as b:
            that(a.read() == b.read(), f"{kind}: not the same bytes twice")
    that(not [n for n in os.listdir(WORK) if n.endswith(".tmp")], "files left beside")
    # - is standard output, where there is one
    done = run(HEATSCOPE, "export", "--to=collapsed", "-o", "-", DATABASE, cwd=WORK)
    with open(export("collapsed"), encoding="utf-8") as f:
        that(done.returncode == 0 and done.stdout == f.read(), f"to standard output: {done.stderr}")
    for command in (("correlate", "-o", "-", WORK), ("map", "-o", "-", HEATSCOPE), ("run", "-o", "-", "true")):
        done = run(HEATSCOPE, *command, cwd=WORK)
        that(done.returncode == 2 and "--output" in done.stderr and len(done.stderr.splitlines()) == 1, f"{command}: {done}")
    that(not os.path.exists(os.path.join(WORK, "-")), "a file with the name -")
    # a pipe is written to, not replaced by a file
    pipe = os.path.join(WORK, "pipe")
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        done = run(HEATSCOPE, "export", "--to=flamegraph", "-o", pipe, DATABASE)
        with open(export("collapsed"), "rb") as f:
            that(done.returncode == 0 and reader.communicate()[0] == f.read() and stat.S_ISFIFO(os.stat(pipe).st_mode), f"into a pipe: {done}")
    os.unlink(pipe)


# ---- with readers -----------------------------------------------------------------------------------------------------------

def callgrind_annotate():
    need("callgrind_annotate")
    samples, path = total_samples(), export("callgrind")
    done = run("callgrind_annotate", path)
    that(done.returncode == 0 and done.stderr == "", f"callgrind_annotate: {done.stderr[:400]}")
    found = re.search(r"^\s*([\d,]+) \(100.0%\)\s+PROGRAM TOTALS", done.stdout, re.M)
    that(found and int(found.group(1).replace(",", "")) == samples * 1000000, f"total {found}, expected {samples} ms")
    # the ten largest procedures have what the report says
    names = {}
    for row in table("procedure"):
        names[row["procedure"]] = names.get(row["procedure"], 0) + int(row["exclusive_periods"])
    for name, n in sorted(names.items(), key=lambda x: -x[1])[:10]:
        ours = sum(int(v.replace(",", "")) for v, f in re.findall(r"^\s*([\d,]+) \([^)]*\)\s+[^\n:]*:([^\n\[]*)", done.stdout, re.M)
                   if f.strip() == name)
        that(ours == n * 1000000, f"{name}: {ours} ns, expected {n} ms")
    bad = run("callgrind_annotate", broken(path, lambda d: re.sub(rb"\n\d+ \d+\n", b"\n?12 x\n", d, count=1)))
    that("malformed" in bad.stderr, "callgrind_annotate takes a broken file")


def kcachegrind():
    need("kcachegrind")
    need("dbus-run-session")
    path = export("callgrind")

    def complaints(file):
        env = dict(os.environ, QT_QPA_PLATFORM="offscreen", HOME=WORK, XDG_RUNTIME_DIR=WORK)
        done = run("dbus-run-session", "--", "timeout", "8", "kcachegrind", file, env=env)  # it stays open: 124 is right
        that(done.returncode == 124, f"kcachegrind ended: {done}")
        return [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("Loading")]

    bad = complaints(path)
    that(not bad, f"kcachegrind: {bad[:3]}")
    that(complaints(broken(path, lambda d: re.sub(rb"\ncalls=\d+ \d+\n", b"\ncolls=\n", d))), "kcachegrind takes a broken file")


def pprof():
    need("go")
    samples, path = total_samples(), export("pprof")
    env = dict(os.environ, HOME=WORK, PPROF_TMPDIR=WORK)
    done = run("go", "tool", "pprof", "-top", "-nodecount=1000000", "-nodefraction=0", "-unit=ms", path, env=env)
    found = re.search(r"of ([\d.]+)ms total", done.stdout)
    that(done.returncode == 0 and found and float(found.group(1)) == samples, f"pprof: {done.stdout[:300]} {done.stderr[:300]}")
    flat = sum(float(v) for v in re.findall(r"^\s*([\d.]+)(?:ms)?\s+[\d.]+%\s+[\d.]+%\s+[\d.]+(?:ms)?\s+[\d.]+%", done.stdout, re.M))
    that(flat == samples, f"pprof: {flat} ms in all procedures, expected {samples}")
    focus = run("go", "tool", "pprof", "-tags", path, env=env)
    that(re.search(r"^\s*thread:", focus.stdout, re.M), f"pprof -tags: {focus.stdout[:300]}")
    bad = run("go", "tool", "pprof", "-top", broken(path, lambda d: d[:2 * len(d) // 3]), env=env)
    that(bad.returncode != 0, "pprof takes a broken file")


def chrome_rules(database):
    """What the format asks for, and the call paths that readers make of it: they sort by begin, longer slices first, then by the order in the file.
    Microseconds by path."""
    with open(export("chrome", database=database), encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name" and e["args"]["name"]}
    processes = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name" and e["args"]["name"]}
    tracks, told, slices_of = {}, {}, {}  # slices_of: by path, those that begin or end in it
    for e in events:
        that(e["ph"] in ("M", "X") and isinstance(e["name"], str) and e["name"], f"chrome: {e}")
        if e["ph"] == "X":
            that(e["ts"] >= 0 and e["dur"] >= 0 and 8 * e["ts"] % 1 == 8 * e["dur"] % 1 == 0, f"chrome: {e}")
            tracks.setdefault((e["pid"], e["tid"]), []).append(e)
    that(set(tracks) <= named and {pid for pid, _ in tracks} <= processes, "chrome: a track without a name")
    for slices in tracks.values():
        stack = []  # of [name, end, time of its own]

        def close(until):
            while stack and stack[-1][1] <= until:
                path, above = ";".join(s[0] for s in stack), ";".join(s[0] for s in stack[:-1])
                told[path] = told.get(path, 0) + stack.pop()[2]
                slices_of[path] = slices_of.get(path, 0) + 1
                slices_of[above] = slices_of.get(above, 0) + 1

        for e in sorted(slices, key=lambda e: (e["ts"], -e["dur"])):
            close(e["ts"])
            if stack:
                stack[-1][2] -= e["dur"]
            stack.append([e["name"], e["ts"] + e["dur"], e["dur"]])
        close(float("inf"))
    with open(export("collapsed", database=database), encoding="utf-8") as f:
        expected = {}
        for text in f:
            path, count = text.rstrip("\n").rsplit(" ", 1)
            expected[path] = expected.get(path, 0) + 1000 * int(count)
    different = [(path, told.get(path), expected.get(path)) for path in sorted(set(told) | set(expected))  # each begin and end is rounded to 1/8 us
                 if abs(told.get(path, 0) - expected.get(path, 0)) > 0.2 * slices_of.get(path, 0)]
    that(not different, f"chrome: other call paths than the database's: {different[:6]}")
    return told


def get_speedscope():
    """Folder of the application's files; skipped where npm can't have it."""
    need("npm")
    done = run("npm", "pack", "--silent", "--fetch-retries=1", "--fetch-timeout=30000", f"speedscope@{SPEEDSCOPE}", cwd=WORK)
    if done.returncode:
        print(f"skipped: speedscope is not to be had: {done.stderr[-300:]}")
        sys.exit(SKIP)
    subprocess.run(["tar", "xf", f"speedscope-{SPEEDSCOPE}.tgz"], cwd=WORK, check=True)
    return os.path.join(WORK, "package", "dist", "release")


def speedscope_import():
    """The application's importer, without a browser: the call paths and times that it makes of its own format and of Chrome traces."""
    need("node")
    site = get_speedscope()
    bundle = next(os.path.join(site, n) for n in os.listdir(site) if n.startswith("speedscope-") and n.endswith(".js"))
    importer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "speedscope_import.js")
    timed = os.path.join(WORK, "timed.h5")
    subprocess.run([SIMULATE, "-o", timed, "--lines=400", "--times", "--samples=3000", "--threads=3", "--processes=2"], check=True, stderr=subprocess.DEVNULL)
    for database in (DATABASE, timed):
        for kind, unit, expected in (("speedscope", "seconds", {path: n / 1000 for path, n in read_collapsed(export("collapsed", database=database)).items()}),
                                     ("chrome", "microseconds", chrome_rules(database))):
            done = run("node", importer, bundle, export(kind, database=database))
            told, units = {}, set()
            for row in done.stdout.splitlines():
                _, u, path, weight = row.split("\t")
                units.add(u)
                told[path] = told.get(path, 0) + float(weight)
            different = [(path, told.get(path), expected.get(path)) for path in sorted(set(told) | set(expected))
                         if abs(told.get(path, 0) - expected.get(path, 0)) > 1e-6 * sum(expected.values())]
            that(not done.returncode and units == {unit} and told and not different, f"speedscope's importer, {kind}: {done.stderr} {units} {different[:4]}")

    def out_of_range(data):
        d = json.loads(data)
        d["profiles"][0]["samples"][0] = [len(d["shared"]["frames"]) + 5]
        return json.dumps(d).encode()

    for kind, change in (("speedscope", out_of_range), ("chrome", lambda data: data.replace(b'"ph":"X"', b'"ph":"?"'))):
        done = run("node", importer, bundle, broken(export(kind), change))
        that(done.returncode == 1, f"speedscope's importer takes a broken {kind}: {done}")


def speedscope():
    """The real application in a browser: it shows "Time Order" when it has loaded a profile."""
    need("chromium")
    site = get_speedscope()
    path = export("speedscope")
    shutil.copy(path, os.path.join(site, "good.json"))

    def swap(data):
        d = json.loads(data)
        d["profiles"][0]["samples"][0] = [len(d["shared"]["frames"]) + 5]
        return json.dumps(d).encode()

    shutil.copy(broken(path, swap), os.path.join(site, "bad.json"))

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def shows(name):
        url = f"http://127.0.0.1:{server.server_port}/index.html#profileURL=http%3A%2F%2F127.0.0.1%3A{server.server_port}%2F{name}&title=t"
        done = run("chromium", "--headless=new", "--no-sandbox", "--disable-gpu-sandbox", "--use-gl=swiftshader",
                   "--enable-unsafe-swiftshader", "--virtual-time-budget=20000", f"--user-data-dir={WORK}/browser", "--dump-dom", url)
        return "Time Order" in done.stdout

    that(shows("good.json"), "speedscope does not show the profile")
    that(not shows("bad.json"), "speedscope takes a broken file")
    server.shutdown()


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
DATABASE = os.path.join(WORK, "run.h5")
subprocess.run([SIMULATE, "-o", DATABASE, "--lines=2000", "--threads=6", "--processes=3", "--samples=3000"], check=True)
{"files": files, "callgrind_annotate": callgrind_annotate, "kcachegrind": kcachegrind, "pprof": pprof, "speedscope": speedscope, "speedscope_import": speedscope_import, "h5py": h5py_reader}[READER]()
for w in wrong:
    print("FAILED", w)
sys.exit(1 if wrong else 0)
