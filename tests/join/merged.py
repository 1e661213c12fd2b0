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


def calls_in(procedure, callee):
    """Addresses, and the code."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=" + procedure, program], capture_output=True, text=True, check=True).stdout
    return re.findall(rf"^ +([0-9a-f]+):\tcall +\S+ <{callee}>", text, re.M), text


def symbolized(addresses):
    """What is told of them."""
    return subprocess.run([symbolize, program, "--merged"], input="".join(f"{a}\n" for a in addresses), capture_output=True, text=True, check=True).stdout.splitlines()


calls, code = calls_in("exchange", "MPI_Send")
if len(calls) != 2:
    sys.exit(f"the compiler made {len(calls)} calls of the three, not 2:\n{code}")
answer = symbolized(calls)
got = sorted(re.search(r":(\d+~?)$", text)[1] for text in answer if " | " in text)
told = sorted(text for text in answer if text.startswith("merged "))
first, second = lines["MERGED"]
want = sorted([f"{first}~", str(lines["KEPT"][0])])
if got != want:
    sys.exit(f"lines of the calls are {got}, not {want}")
if told != sorted([f"merged {first} {second}", f"merged {second} {first}"]):
    sys.exit(f"what is told of merged calls: {told}")
# calls of three macros that end in one call of what ends the program: that is merged, the calls of MPI are not
ends, code = calls_in("checked", "leave")
if len(ends) != 1:
    sys.exit(f"the compiler made {len(ends)} calls of what ends the program, not 1:\n{code}")
told = [text for text in symbolized(ends) if text.startswith("merged ")]
if told:
    sys.exit(f"calls of MPI are told to be one, which only what follows them is: {told}")
