#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A parallel region of Fortran is forked, and a task made, where its directive is, and nothing of it stands before that, by whatever line flang gives the code.
Usage: forked.py SYMBOLIZE SOURCE WORK COMPILER..."""
import os
import re
import subprocess
import sys

symbolize, source, work, *compiler = sys.argv[1:]
os.makedirs(work, exist_ok=True)
program = os.path.join(work, "forked")
want = [n for n, text in enumerate(open(source, encoding="utf-8"), 1) if re.match(r" *!\$omp parallel", text)]
tasks = [n for n, text in enumerate(open(source, encoding="utf-8"), 1) if re.match(r" *!\$omp task\b", text)]
untrue = 0


def lines_of(addresses):
    """What is answered, and the lines of the innermost copies."""
    said = subprocess.run([symbolize, program, "--merged"], input="".join(f"{a}\n" for a in addresses), capture_output=True, text=True, check=True).stdout
    return said, {int(n) for n in re.findall(r"^[^|]*\| [^|]*forked\.f90:(\d+)", said, re.M)}


for level in ("-O0", "-O1", "-O2", "-O3"):
    subprocess.run([*compiler, level, "-g", "-fopenmp", "-module-dir", work, source, "-o", program], check=True, cwd=work)
    code = subprocess.run(["objdump", "-d", "-l", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    calls, makers, inside, line, region = [], [], [], 0, False
    for text in code.splitlines():
        at = re.search(r"forked\.f90:(\d+)", text)
        call = re.match(r" +([0-9a-f]+):\tcall +\S+ <__kmpc_fork_call", text)
        line = int(at[1]) if at else line
        maker = re.match(r" +([0-9a-f]+):\tcall +\S+ <__kmpc_omp_task(_alloc)?@plt>", text)
        makers += [maker[1]] if maker else []
        name, begin = re.match(r"[0-9a-f]+ <(.*)>:$", text), re.match(r" +([0-9a-f]+):\t", text)
        region = "..omp_par" in name[1] if name else region
        if begin and region:
            inside.append(begin[1])
        if call:
            calls.append(call[1])
            untrue += line not in want
    answer, got = lines_of(calls)
    if got != set(want) or len(calls) < len(want):
        sys.exit(f"{level}: regions are forked at lines {sorted(got)}, not {want}:\n{answer}")
    answer, got = lines_of(makers)
    if got != set(tasks) or len(makers) < 2 * len(tasks):
        sys.exit(f"{level}: tasks are made at lines {sorted(got)}, not {tasks}:\n{answer}")
    answer, _ = lines_of(inside)
    first = {}
    for name, line in re.findall(r"^[^|]*\| (\S+\.\.omp_par\S*) \S*forked\.f90:(\d+)~?$", answer, re.M):  # without what is inlined
        first[name] = min(int(line), first.get(name, int(line)))
    if len(first) < len(want) + len(tasks) or not set(first.values()) <= {*want, *tasks, *(n + 1 for n in tasks)}:  # a task may begin with its statement
        sys.exit(f"{level}: regions begin at lines {first}, not {want}, {tasks}")
print(f"{untrue} calls have another line in the debug information")
