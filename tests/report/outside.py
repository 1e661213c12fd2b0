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
# who computes on a machine where threads stand in line is late for that, or the other one seems idle: what is told then is not looked at here
for how, told, untold in (("poll", ["for others that waited themselves for descriptors, for what comes from outside the program"], " makes others wait "),
                          ("compute", ["hread 0 makes others wait "], "from outside the program")):
    to = os.path.join(WORK, how)
    run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", to, program, how)
    text = " ".join(run(HEATSCOPE, "report", to).split("\n\nProcedures")[0].split())
    crowded = how == "compute" and "No processor: " in text
    if (not crowded and not any(x in text for x in told)) or untold in text:
        wrong.append(f"{how}: expected one of {told} and not '{untold}':\n{text}")
sys.exit("\n".join(wrong) or 0)
