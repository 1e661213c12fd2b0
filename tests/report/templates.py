# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of a template: the time of a line is that of the instances that ran, not of each instance that there is.
Usage: templates.py HEATSCOPE HEATSCOPE-C++ WORK"""
import csv
import os
import shutil
import subprocess
import sys

HEATSCOPE, CXX, WORK = sys.argv[1:4]
SOURCE = """#include <cstdio>
#include <cstdlib>
template <int N> __attribute__((noinline)) double sweep(const double *from, double *to, int n) {
  double table[64][N];
  for (int i = 0; i < 64; i++)
    for (int k = 0; k < N; k++)
      table[i][k] = i + k;
  for (int i = 0; i < n; i++)
    to[i] = from[i] * table[i % 64][i % N] + to[(i * 7 + N) % n];
  return to[n / 2];
}
int main(int argc, char **argv) {
  enum { SIZE = 20000 };
  static double from[SIZE], to[SIZE];
  double sum = 0;
  for (int i = 0; i < SIZE; i++)
    from[i] = 1.0 / (i + 1);
  for (int round = 0; round < 2500; round++)
    switch (argc) {
    case 1: sum += sweep<4>(from, to, SIZE); break;
    case 2: sum += sweep<2>(from, to, SIZE); break;
    case 3: sum += sweep<8>(from, to, SIZE); break;
    default: sum += sweep<16>(from, to, SIZE);
    }
  std::printf("%g\\n", sum);
}
"""

shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


with open(os.path.join(WORK, "sweep.cpp"), "w") as f:
    f.write(SOURCE)
run(CXX, "-O2", "-g", "sweep.cpp", "-o", "sweep")
run(HEATSCOPE, "run", "-o", "R", "./sweep")
run(HEATSCOPE, "correlate", "R", "-o", "R.h5")
rows = list(csv.DictReader(run(HEATSCOPE, "report", "R.h5", "--by=data", "--format=csv").splitlines()))
wrong = []
for name in ("from", "table"):
    of = [row for row in rows if row["array"].split("[")[0] == name and float(row["lines_s"]) > 0]
    owners = sorted({row["procedure"] for row in of})
    if len(of) != 1 or "4" not in owners[0]:
        wrong.append(f"{name}: expected the time of sweep<4> alone, got {[(row['array'], row['procedure'], row['lines_s']) for row in of]}")
for line in wrong:
    print(line)
sys.exit(bool(wrong))
