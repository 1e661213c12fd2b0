# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who was late as it waited for what comes from outside the program is not told to make others wait; who computed is. Usage: outside.py HEATSCOPE CC SOURCE WORK"""
import os
import shutil
import subprocess
import sys

HEATSCOPE, CC, SOURCE, WORK = sys.argv[1:5]
wrong = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
program = os.path.join(WORK, "program")
run(CC, "-O1", "-o", program, SOURCE, "-pthread")
# on a crowded machine who computes is late as he has no processor
for how, told, untold in (("poll", ["for others that waited themselves for descriptors, for what comes from outside the program"], " makes others wait "),
                          ("compute", ["hread 0 makes others wait ", "for others that had no processor meanwhile, thread 0 most"], "from outside the program")):
    to = os.path.join(WORK, how)
    run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", to, program, how)
    text = " ".join(run(HEATSCOPE, "report", to).split("\n\nProcedures")[0].split())
    if not any(x in text for x in told) or untold in text:
        wrong.append(f"{how}: expected one of {told} and not '{untold}':\n{text}")
sys.exit("\n".join(wrong) or 0)
