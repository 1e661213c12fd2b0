# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of MPI that are frequent keep what they know in registers. Usage: wrappers_code.py OBJDUMP LIBRARY
A wrapper that passes the address of its hsc_mpi_call on has all of it in memory and fills that with zeros at each call: 16 ns of 50.
Looked for in the machine code from each entry to where the clock is read, which all calls go through."""
import re
import subprocess
import sys

SEEN_LEAST = ("MPI_Send", "MPI_Wait", "MPI_Barrier", "MPI_Bcast", "mpi_recv_", "mpi_allreduce_f08_")
objdump, library = sys.argv[1:3]
text = subprocess.run([objdump, "-d", "--no-show-raw-insn", library], capture_output=True, text=True, check=True).stdout
seen, filled = set(), []
for code in text.split("\n\n"):
    entry = re.match(r"\s*[0-9a-f]+ <((?:MPI|mpi)_\w+)@*HEATSCOPE>:", code)
    clock = code.find("rdtsc")
    if not entry or clock < 0:
        continue
    seen.add(entry.group(1))
    if re.search(r"\brep stos|<memset", code[:clock]):
        filled.append(entry.group(1))
missing = sorted(set(SEEN_LEAST) - seen)
if missing or filled:
    sys.exit(f"{library}: entries whose code was not found: {missing}; that fill their call with zeros: {filled}")
