# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A library that the user gives a category of his own: what it allocates is told as memory management, as the program's is. Of one that is called OpenMP's runtime it is that runtime's.
Usage: own_category.py HEATSCOPE CC WORK"""
import csv
import os
import shutil
import subprocess
import sys

HEATSCOPE, CC, WORK = sys.argv[1:4]
wrong = []
LIBRARY = """#include <stdlib.h>
#include <time.h>
void crunch(void) {
    struct timespec t;
    void *all[512];
    do {
        for (int k = 0; k < 20; k++) {
            for (int i = 0; i < 512; i++)
                all[i] = malloc(2000 + 64 * i);
            for (int i = 0; i < 512; i++)
                free(all[i]);
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    } while (t.tv_sec == 0 && t.tv_nsec < 400000000);
}
"""
PROGRAM = "void crunch(void);\nint main(void) {\n    crunch();\n    return 0;\n}\n"


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
for name, text in (("library.c", LIBRARY), ("program.c", PROGRAM), ("rules", "category solver\nmodule libcrunch* solver soft\n")):
    with open(os.path.join(WORK, name), "w", encoding="utf-8") as f:
        f.write(text)
for name, options, most in (("libcrunch.so", ("--categories", "rules"), "memory management"), ("libomp.so.5", (), "runtime overhead")):
    run(CC, "-O1", "-shared", "-fPIC", "-o", name, "library.c")
    run(CC, "-O1", "-o", "program", "program.c", "./" + name)
    run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", name + ".run", "./program")
    run(HEATSCOPE, "correlate", "-q", *options, "-o", name + ".h5", name + ".run")
    rows = {row["category"]: float(row["inclusive_pct"]) for row in csv.DictReader(run(HEATSCOPE, "report", "--by=category", "--format=csv", name + ".h5").splitlines())}
    print(name, rows)
    if rows.get(most, 0) < 60 or max(rows, key=rows.get) != most:  # 400 samples; the loops round the calls are a tenth or so
        wrong.append(f"{name}: expected most in {most}: {rows}")
sys.exit("\n".join(wrong) or 0)
