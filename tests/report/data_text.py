# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of arrays in 80 columns: names keep the end that tells them apart, strides are short words and whole; CSV has both in full. Usage: data_text.py HEATSCOPE WORK"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, WORK = sys.argv[1:3]
SOURCE = """struct nodes { double *stack_forces, *stack_moment; int *neighbours; };
struct domain { struct nodes boundary; };
__attribute__((noinline)) double gather_over_the_boundary(struct domain *domain_of_rank, long n) {
    double sum = 0;
    for (long k = 0; k < n; k++) {
        sum += domain_of_rank->boundary.stack_forces[k];
        sum += domain_of_rank->boundary.stack_forces[domain_of_rank->boundary.neighbours[k]];
        sum += domain_of_rank->boundary.stack_moment[3 * k];
        sum += domain_of_rank->boundary.stack_moment[n - k];
        sum += domain_of_rank->boundary.stack_moment[k];
    }
    return sum;
}
static double forces[30000], moment[90001];
static int neighbours[30000];
int main(void) {
    struct domain d = {{forces, moment, neighbours}};
    double sum = 0;
    for (long k = 0; k < 30000; k++)
        neighbours[k] = (int)(k * 7919 % 30000);
    for (int i = 0; i < 4000; i++)
        forces[i] = sum += gather_over_the_boundary(&d, 30000);
    return sum != 0;
}
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK, env={**os.environ, "COLUMNS": "80"}).stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
with open(os.path.join(WORK, "arrays.c"), "w", encoding="utf-8") as f:
    f.write(SOURCE)
run(HEATSCOPE, "cc", "-O2", "-g", "-o", "arrays", "arrays.c")
run(HEATSCOPE, "run", "-q", "--budget=off", "-o", "m", "./arrays")
text = run(HEATSCOPE, "report", "--by=data", "m")
rows = {r["array"]: r["strides"] for r in csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=data", "--format=csv", "m")))}
wrong = []
for member, strides, short in (("stack_forces", "contiguous, through an index array", "unit, indexed"), ("stack_moment", "contiguous, contiguous, backwards, 24 bytes", "unit, .."),
                               ("neighbours", "contiguous", "unit")):
    line = next((x for x in text.splitlines() if member in x), "")
    if rows.get("domain_of_rank->boundary." + member) != strides:
        wrong.append(f"{member}, CSV: {rows}")
    if f" {short} " not in line or len(line) > 80:
        wrong.append(f"{member}, '{short}' in '{line}':\n{text}")
chosen = run(HEATSCOPE, "report", "--by=data", "--columns=array,strides", "m")
if "domain_of_rank->boundary.stack_forces contiguous, through an index array" not in chosen:
    wrong.append(f"chosen columns: {chosen}")
if wrong:
    sys.exit("\n".join(wrong))
