#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""noreturn.py SYMBOLIZE CORPUS COMPILER: control does not go on behind a call that does not come back: the functions straight_*
of noreturn.S have no loop, those named looping_* have one; both are so by construction."""
import os
import re
import subprocess
import sys
import tempfile

symbolize, corpus, compiler = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    module = os.path.join(folder, "module.so")
    subprocess.run([compiler, "-O2", "-g", "-shared", "-fPIC", os.path.join(corpus, "noreturn.S"), os.path.join(corpus, "noreturn.c"),
                    "-o", module], check=True)
    symbols = subprocess.run(["nm", "-S", module], check=True, capture_output=True, text=True).stdout
    functions = {m[3]: (int(m[1], 16), int(m[2], 16)) for m in re.finditer(r"^(\w+) (\w+) [tT] ((?:straight|looping)_\w+)$", symbols, re.M)}
    bad = []
    for name, (begin, size) in functions.items():
        text = "".join(f"{a:x}\n" for a in range(begin, begin + size))
        out = subprocess.run([symbolize, module, "--loops"], input=text, check=True, capture_output=True, text=True).stdout
        in_loop = [line.split()[0] for line in out.splitlines() if " # " in line]
        if bool(in_loop) != name.startswith("looping"):
            bad.append(f"{name}: in a loop: {in_loop}")
print("\n".join(bad))
print(f"{len(functions)} functions, {len(bad)} wrong")
sys.exit(bool(bad) or len(functions) != 8)
