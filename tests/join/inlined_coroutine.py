# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A part of a coroutine that was inlined has the coroutine's loops, also by line tables alone, which have its name but not its symbol.
Usage: inlined_coroutine.py SYMBOLIZE SOURCE WORK COMPILER..."""
import os
import re
import subprocess
import sys

symbolize, source, work, *compiler = sys.argv[1:]
os.makedirs(work, exist_ok=True)
program = os.path.join(work, "inlined")
subprocess.run([*compiler, source, "-o", program], check=True)
loop = next(n for n, text in enumerate(open(source, encoding="utf-8"), 1) if "/* LOOP products */" in text)
code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=main", program], capture_output=True, text=True, check=True).stdout
asked = "".join(f"{m[1]}\n" for m in re.finditer(r"^ +([0-9a-f]+):\t", code, re.M))
answer = subprocess.run([symbolize, program, "--loops"], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
inside = [text for text in answer if "products" in text.split(" # ")[0]]
found = [text for text in inside if any(k.split("-")[0] == str(loop) for k in text.split(" # ")[1:])]
if not inside:
    sys.exit("nothing of it was inlined:\n" + "\n".join(answer[-5:]))
if not found:
    sys.exit("no instruction of it is in its loop:\n" + "\n".join(inside[:5]))
