# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the map says of loops, memory, messages and directives, from the source to the database.
Usage: data.py HEATSCOPE SOURCE WORK; exit code 77: no h5py"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys

try:
    import h5py
except ImportError:
    sys.exit(77)

HEATSCOPE, SOURCE, WORK = sys.argv[1:4]
NONE = 4294967295
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
os.chdir(WORK)
os.environ["OMP_NUM_THREADS"] = "1"
LINE = {m[1]: n for n, text in enumerate(open(SOURCE, encoding="utf-8"), 1) for m in re.finditer(r"/\* ([A-Z]+(?: [a-z]+)?) \*/", text)}


def run(*command):
    done = subprocess.run([HEATSCOPE, *command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


run("cc", "-O2", "-g", "-fopenmp", SOURCE, "-o", "data")
run("run", "-F", "1000", "-o", "m", "./data")
run("correlate", "m", "-o", "m.h5")
file = h5py.File("m.h5")


def rows(table):
    group = file[f"static/{table}"]
    columns = {c: group[c][:] for c in group if not c.endswith("_long")}
    return [{c: v[i].decode() if v.dtype.kind == "S" else int(v[i]) for c, v in columns.items()}
            for i in range(len(next(iter(columns.values()))))]


SCOPES, ARRAYS = rows("scope"), rows("array")
FILE = next(i for i, f in enumerate(rows("file")) if os.path.basename(f["path"]) == os.path.basename(SOURCE))
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(str(complaint))


def scope_at(mark, kind=4):
    found = [i for i, s in enumerate(SCOPES) if (s["kind"], s["file"], s["line_begin"]) == (kind, FILE, LINE[mark])]
    that(len(found) == 1, f"{mark}: scopes {found}")
    return found[0]


def of(table, mark):
    return [r for r in rows(table) if r["scope"] == scope_at(mark)]


def name(array):
    return ARRAYS[array]["name"] if array != NONE else None


# loops
loops = {mark: of("loop", mark) for mark in ("LOOP pack", "LOOP gather", "LOOP checked", "LOOP shared")}
for mark, found in loops.items():
    that(len(found) == 1, f"{mark}: {found}")
got = [loops["LOOP pack"][0][k] for k in ("variable", "first", "bound", "step", "trips", "trips_max")]
that(got == ["i", "0", "i < 64", 1, 64, 64], got)
got = [loops["LOOP gather"][0][k] for k in ("variable", "bound", "step", "trips")]
that(got == ["i", "i < n", 2, 0], got)

# references and arrays
got = sorted((r["text"], r["access"], r["size_bytes"]) for r in of("reference", "LOOP pack"))
that(got == [("edge[i]", 1, 8), ("field[i][column]", 0, 8)], got)
column = next(r for r in of("reference", "LOOP pack") if r["access"] == 0)
that((column["stride_bytes"], name(column["array"]), column["line"]) == ("1024", "field", LINE["LOOP pack"] + 1), column)
indirect = [r for r in of("reference", "LOOP gather") if r["index"] != NONE]
that(indirect and name(indirect[0]["index"]) == "index_of" and name(indirect[0]["array"]) == "edge", indirect)
field = next(a for a in ARRAYS if a["name"] == "field")
that((field["bounds"], field["element"], field["element_bytes"], field["scope"]) == ("[64][128]", "double", 8, NONE), field)
that(field["identity"] != 0 and len([a for a in ARRAYS if a["identity"] == field["identity"]]) == 1, field)

# messages
SITES, LINES = rows("mpi_site"), rows("line")
that([s["operation"] for s in SITES] == ["MPI_Isend", "MPI_Wait"], SITES)
that([s["line"] for s in SITES] == [LINE["SEND"], LINE["WAIT"]], SITES)
that(all(LINES[s["code_line"]]["line"] == s["line"] for s in SITES), SITES)
arguments = [a for a in rows("mpi_argument") if a["site"] == 0]
that([a["number"] for a in arguments] == list(range(1, 8)), arguments)
buffer = next(a for a in arguments if a["role"] == 1)
that(name(buffer["array"]) == "edge" and buffer["text"].startswith("edge["), buffer)
that([a["text"] for a in arguments if a["role"] in (4, 8, 10)] == ["64", "1", "5"], arguments)
links = [k for k in rows("mpi_link") if k["site"] == 0]
that(any(k["kind"] == 0 and k["other"] == 1 and k["text"] == "MPI_Wait" for k in links), links)
that(any(k["kind"] == 1 and k["scope"] == scope_at("LOOP pack") for k in links), links)

causes = {k["kind"]: k for k in links if k["kind"] in (6, 8)}
that(causes[6]["text"] == "edge[i]" and name(causes[6]["array"]) == "edge" and causes[6]["line"] == LINE["LOOP pack"] + 1, links)
that(causes[8]["text"] == "field[i][column]" and name(causes[8]["array"]) == "field", links)

# checks and directives
checks = of("memory_check", "LOOP checked")
that(len(checks) == 3 and {c["line"] for c in checks} == {LINE["LOOP checked"] + 1} and checks[0]["comparisons"] >= 2, checks)
directives = rows("directive")
that(len(directives) == 1 and directives[0]["line"] == LINE["DIRECTIVE"], directives)
that("reduction(+" in directives[0]["text"].replace(" ", "") and directives[0]["constructs"] == 3, directives)
that(directives[0]["scope"] == directives[0]["loop"] == scope_at("LOOP shared") and SCOPES[directives[0]["region"]]["kind"] == 5, directives)
calls = rows("runtime_call")
that({1, 2, 8} <= {c["role"] for c in calls} and all(c["directive"] == 0 for c in calls), calls)

# the report
table = {int(r["line_begin"]): r for r in csv.DictReader(io.StringIO(run("report", "--by=loop", "--format=csv", "m.h5")))
         if os.path.basename(r["file"]) == os.path.basename(SOURCE)}
packing, shared = table[LINE["LOOP pack"]], table[LINE["LOOP shared"]]
that((packing["variable"], packing["bound"], packing["iterations"]) == ("i", "i < 64", "64"), packing)
that(shared["directive"] == directives[0]["text"] and not shared["iterations"] and not packing["directive"], shared)

# the listing: what belongs behind the loop's versions, memory, the message, the run time
listing = [" ".join(line.split("-- ", 1)[1].split()) for line in run("map", "--listing", "--width=400", "data").split("\n") if "-- " in line]
for text in (rf"for {LINE['LOOP pack']}: .*64 iterations", r"memory: field\[i\]\[column\] moves by 1024 bytes",
             r"memory: .*edge\[index_of\[\?\]\] is found through index_of",
             rf"sends edge\[0 : 63\], to rank 1, tag 5; waited for in line {LINE['WAIT']}; "
             rf"written in line {LINE['LOOP pack'] + 1} from field$",
             rf"for {LINE['LOOP checked']}: vector.*comparisons? of addresses at run time",
             rf"calls of the OpenMP run time for line {LINE['DIRECTIVE']}: fork of the threads, .*reduction"):
    that(any(re.match(text, line) for line in listing), f"listing: no '{text}' in {listing}")

if wrong:
    sys.exit("\n".join(wrong))
