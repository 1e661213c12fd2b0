#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ends.py HEATSCOPE HEATSCOPE-CC WORK: a procedure that the map knows ends where the map says, though its code has a row of the line table that belongs to another
procedure's lines, as what is inlined leaves behind where its span begins inside a row. The row is put into the assembler's text."""
import csv
import os
import re
import shutil
import subprocess
import sys

heatscope, compiler, work = sys.argv[1:]
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
SOURCE = """#include <time.h>
static volatile double x;
__attribute__((noinline)) static void work(int n) {
    for (int i = 0; i < n; i++)
        x = x * 0.5 + i;
}

__attribute__((noinline)) static void rest(int n) {
    for (int i = 0; i < n; i++)
        x = x * 0.25 + i;
}

int main(void) {
    for (clock_t begin = clock(); clock() - begin < CLOCKS_PER_SEC / 5;) {
        work(10000);
        rest(10000);
    }
    return 0;
}
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=250).stdout


with open("ends.c", "w", encoding="utf-8") as f:
    f.write(SOURCE)
run(compiler, "-O2", "-g", "-S", "ends.c", "-o", "ends.s")
with open("ends.s", encoding="utf-8") as f:
    text = f.read()
code = text[text.index("\nwork:"):text.index(".size\twork,")]
file, = set(re.findall(r"\.loc\s+(\d+) ", code))
changed = re.sub(r"\n(\s+ret[q]?\b)", rf"\n\t.loc {file} 16 9\n\tnop\n\1", code)
if changed == code:
    sys.exit("the assembler's text has no end of `work`")
with open("changed.s", "w", encoding="utf-8") as f:
    f.write(text.replace(code, changed))
failed = 0
for name in ("ends", "changed"):
    run(compiler, "-g0", name + ".s", "-o", name)  # the text has its debug information
    run(heatscope, "run", "-q", "-o", "m." + name, "./" + name)
    found = {r["procedure"]: (int(r["line_begin"]), int(r["line_end"])) for r in csv.DictReader(run(heatscope, "report", "--by=procedure", "--format=csv", "--top=0", "m." + name).splitlines())}
    if found.get("work") != (3, 6) or found.get("rest") != (8, 11):
        failed = 1
        print(f"{name}: {found}")
sys.exit(failed)
