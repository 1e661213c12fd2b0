# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies of procedures that compilers make lead to what they are copies of: every instruction of a copy has the name, a
line and, where it is in one, the loop of its origin.
With `version` some are also of a loop of the generated code.
Usage: clones.py SYMBOLIZE SOURCE WORK NAME,SUFFIX[,loop[,version]]... -- COMPILER..."""
import os
import re
import subprocess
import sys

end = sys.argv.index("--")
symbolize, source, work, *wanted = sys.argv[1:end]
compiler = sys.argv[end + 1:]
os.makedirs(work, exist_ok=True)
program = os.path.join(work, "clones")
subprocess.run([*compiler, *([] if any(a.startswith("-g") for a in compiler) else ["-g"]), source, "-o", program], check=True)
mark = {(m[1], m[2]): n for n, text in enumerate(open(source, encoding="utf-8"), 1)
        for m in re.finditer(r"/\* (BEGIN|END|LOOP) (\w+) \*/", text)}
symbols = [line.split() for line in subprocess.run(["nm", "-S", program], capture_output=True, text=True, check=True).stdout.splitlines()]
code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
addresses = [int(m[1], 16) for m in re.finditer(r"^ +([0-9a-f]+):\t", code, re.M)]
wrong = []
for one in wanted:
    origin, suffix, *loop = one.split(",")
    copies = [(int(s[0], 16), int(s[1], 16), s[3]) for s in symbols if len(s) == 4 and s[3].startswith(origin + suffix)]
    if not copies:
        wrong.append(f"the compiler made no {origin}{suffix}")
    for begin, size, name in copies:
        inside = [a for a in addresses if begin <= a < begin + size]
        asked = "".join(f"{a:x}\n" for a in inside)
        answer, versions = (subprocess.run([symbolize, program, how], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
                            for how in ("--loops", "--versions"))
        in_loop = 0
        for text in answer:
            place, *loops = text.split(" # ")
            outermost = place.split(" | ")[-1]
            procedure, where = outermost.rsplit(" ", 1)
            line = int(where.rstrip("~").rsplit(":", 1)[1])
            if re.sub(r"\..*", "", procedure) != origin:
                wrong.append(f"{name}: {text}: not {origin}")
            if not mark["BEGIN", origin] <= line <= mark["END", origin]:
                wrong.append(f"{name}: {text}: line {line} is not of {origin}")
            in_loop += any(int(k.split("-")[0]) == mark.get(("LOOP", origin)) for k in loops)
        if "version" in loop and not any(" # " in text for text in versions):
            wrong.append(f"{name}: no instruction of its {len(inside)} is of a loop of the generated code")
        if loop and not in_loop:
            wrong.append(f"{name}: no instruction of its {len(inside)} is in the loop")
if wrong:
    sys.exit("\n".join(wrong[:20]))
