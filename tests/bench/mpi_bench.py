# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cost of a wrapped MPI call: mpi_bench bare and measured in turns. Usage: mpi_bench.py HEATSCOPE MPI_BENCH [PAIRS [multiple|cold]]
Medians over the pairs of runs, in nanoseconds of one call; `cost` is the median of the pairs' differences, without the samples
(taken once a second here)."""
import statistics
import subprocess
import sys
import tempfile

heatscope, bench = sys.argv[1:3]
pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 7
asked = sys.argv[4:]
bare, wrapped = [], []
with tempfile.TemporaryDirectory() as work:
    for i in range(pairs):
        for command, to in (([bench], bare), ([heatscope, "run", "-q", "-F", "1", "-o", f"{work}/{i}", bench], wrapped)):
            out = subprocess.run(command + asked, capture_output=True, text=True, check=True).stdout
            to.append({line.split()[0]: float(line.split()[1]) for line in out.splitlines()})
print(f"{'call':28}{'bare ns':>10}{'wrapped ns':>12}{'cost ns':>10}{'ratio':>8}")
for name in bare[0]:
    a, b = [x[name] for x in bare], [x[name] for x in wrapped]
    print(f"{name:28}{statistics.median(a):10.1f}{statistics.median(b):12.1f}"
          f"{statistics.median(y - x for x, y in zip(a, b)):10.1f}{statistics.median(y / x for x, y in zip(a, b)):8.2f}")
