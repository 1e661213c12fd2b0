# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a build system's preprocessor wrote (CMake's x.f90-pp.f90) is its source: one file, where the module has one of that name; and stays itself where it has none
or two. Usage: preprocessed.py HEATSCOPE BENCH_MAKE CC WORK"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, BENCH_MAKE, CC = sys.argv[1:4]
WORK = os.path.abspath(sys.argv[4])
wrong = []
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": os.path.join(WORK, "keys"), "HOME": WORK}


def files_of(name, *sources):
    """Files in the table of lines, of a program with procedures in a preprocessed file and in each of `sources`."""
    body = "  volatile double s = 0;\n" + "  s = s * 1.5 + n;\n" * 20 + "  return s > 1;\n}\n"
    text = f"int made(int n) {{\n{body}"
    for i, source in enumerate(sources):
        text += f'# 1 "{source}"\nint work_{i}(int n) {{\n{body}'
    text += f'# 100 "main.c"\nint main(void) {{ return made(1); }}\n'
    path, program, run, out = (os.path.join(WORK, n) for n in (name, name + ".out", name + ".run", name + ".h5"))
    with open(path, "w") as f:
        f.write(text)
    subprocess.run([CC, "-x", "c", "-g", "-O1", "-o", program, path], check=True, cwd=WORK)
    subprocess.run([BENCH_MAKE, run, program, "1", "20000", "500"], check=True)
    subprocess.run([HEATSCOPE, "correlate", "-q", "-j1", "-o", out, run], check=True, env=ENVIRONMENT)
    done = subprocess.run([HEATSCOPE, "report", "--by=line", "--format=csv", out], check=True, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    found = {os.path.basename(row["file"]) for row in rows if row.get("file")}
    if len(found) < 1:
        wrong.append(f"{name}: no files in {done.stdout[:300]}")
    return found


for name, sources, expected, without in (("x.f90-pp.f90", ["x.f90"], "x.f90", "x.f90-pp.f90"), ("y.F-pp.f", ["y.F"], "y.F", "y.F-pp.f"),
                                         ("z.f90-pp.f90", ["other.f90"], "z.f90-pp.f90", None), ("two.f90-pp.f90", ["a/two.f90", "b/two.f90"], "two.f90-pp.f90", None)):
    got = files_of(name, *sources)
    if expected not in got or without in got:
        wrong.append(f"{name}: lines are in {sorted(got)}")
if wrong:
    sys.exit("\n".join(wrong))
