# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of a loop that is refused for a call, where a macro has two calls of different procedures at the same line and column, both are named; of one procedure twice, that one.
Usage: two_calls.py HEATSCOPE HEATSCOPE-CC WORK"""
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, CC, WORK = sys.argv[1:4]
SOURCE = """#define BOTH(x) (f(x) + g(x))
#define TWICE(x) (f(x) - f(-(x)))
__attribute__((noinline)) double f(double x) { __asm__ volatile(""); return x + 1; }
__attribute__((noinline)) double g(double x) { __asm__ volatile(""); return x * 2; }
double a[1000];
__attribute__((noinline)) void both(void) { for (int i = 0; i < 1000; i++) a[i] = BOTH(a[i]) * 0.25; }
__attribute__((noinline)) void twice(void) { for (int i = 0; i < 1000; i++) a[i] = TWICE(a[i]) * 0.25; }
int main(void) { for (int r = 0; r < 30000; r++) { both(); twice(); } return a[3] > 1e300; }
"""
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
with open(os.path.join(WORK, "two.c"), "w") as f:
    f.write(SOURCE)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


run(CC, "-O2", "-g", "-o", "two", "two.c")
run(HEATSCOPE, "run", "-q", "-o", "two.run", "./two")
told = re.sub(r"\s+", " ", run(HEATSCOPE, "report", "--by=reason", "two.run"))
wrong = [f"{name}, {what}: {told}" for name, what in (("both", "f or g"), ("twice", "f")) if not re.search(rf"{name} two\.c:\d [^()]* \(call of {what}\)", told)]
sys.exit("\n".join(wrong) or 0)
