# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`report --by=reference` as text: a line stands once with its time, what it reads and writes below in full, and what it reads several times once.
Usage: references.py HEATSCOPE HEATSCOPE-CC WORK"""
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, CC, WORK = sys.argv[1:4]
SOURCE = """struct deep { double *valuesOfTheInnermostOne; };
struct middle { struct deep *elementsOfTheMiddleOne; };
struct outer { struct middle *elementsOfTheOutermostOne; } all;
static double values[1000], a[1000];
static struct deep deep[2] = {{values}, {values}};
static struct middle middle[2] = {{deep}, {deep}};
#define TWICE(x) ((x) + (x))
__attribute__((noinline)) void work(struct outer *o, int n) {
    for (int i = 0; i < n; i++)
        a[i] = a[i] * TWICE(o->elementsOfTheOutermostOne[1].elementsOfTheMiddleOne[1].valuesOfTheInnermostOne[i]);
}
int main(void) {
    all.elementsOfTheOutermostOne = middle;
    for (int r = 0; r < 1000000; r++)
        work(&all, 1000);
}
"""
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
with open(os.path.join(WORK, "refs.c"), "w") as f:
    f.write(SOURCE)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


run(CC, "-O1", "-g", "-o", "refs", "refs.c")
run(HEATSCOPE, "run", "-q", "-o", "refs.run", "./refs")
told = run(HEATSCOPE, "report", "--by=reference", "refs.run")
told = told[told.find("\nReads and writes"):]
long = "o->elementsOfTheOutermostOne[].elementsOfTheMiddleOne[].valuesOfTheInnermostOne[1][1][i]"
wrong = []
if len(re.findall(r"refs\.c:10\b", told)) != 1:
    wrong.append("line 10 doesn't stand once")
if re.sub(r"\n +", "", told).count(long) != 1:
    wrong.append(f"{long} doesn't stand once and whole")
for what in (r"reads, contiguous, 2 times", r"reads, contiguous: a\[i\]", r"writes, contiguous: a\[i\]"):
    if len(re.findall(what, told)) != 1:
        wrong.append(f"{what}: not once")
if max(map(len, told.splitlines())) > 80:
    wrong.append("a line is longer than 80 columns")
if any(re.search(r"\w$", one) and re.match(r" +\w", other) and "elements" in one + other for one, other in zip(told.splitlines(), told.splitlines()[1:])):
    wrong.append("a name is broken")
sys.exit("\n".join(wrong + [told]) if wrong else 0)
