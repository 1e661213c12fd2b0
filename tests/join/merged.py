# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call that the compiler made of two has no line of its own: it is given that of the first of the two, and both are told as
what it may be. The call that has kept its line is none of them.
Usage: merged.py SYMBOLIZE SOURCE WORK COMPILER..."""
import os
import re
import subprocess
import sys

symbolize, source, work, *compiler = sys.argv[1:]
os.makedirs(work, exist_ok=True)
program = os.path.join(work, "merged")
subprocess.run([*compiler, "-g", source, "-o", program], check=True)
lines = {"MERGED": [], "KEPT": []}
for n, text in enumerate(open(source, encoding="utf-8"), 1):
    for mark in re.findall(r"/\* (MERGED|KEPT) \*/", text):
        lines[mark].append(n)
code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=exchange", program], capture_output=True, text=True,
                      check=True).stdout
calls = re.findall(r"^ +([0-9a-f]+):\tcall +\S+ <MPI_Send>", code, re.M)
if len(calls) != 2:
    sys.exit(f"the compiler made {len(calls)} calls of the three, not 2:\n{code}")
answer = subprocess.run([symbolize, program, "--merged"], input="".join(f"{a}\n" for a in calls), capture_output=True, text=True,
                        check=True).stdout.splitlines()
got = sorted(re.search(r":(\d+~?)$", text)[1] for text in answer if " | " in text)
told = sorted(text for text in answer if text.startswith("merged "))
first, second = lines["MERGED"]
want = sorted([f"{first}~", str(lines["KEPT"][0])])
if got != want:
    sys.exit(f"lines of the calls are {got}, not {want}")
if told != sorted([f"merged {first} {second}", f"merged {second} {first}"]):
    sys.exit(f"what is told of merged calls: {told}")
