#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lambdas.py SYMBOLIZE COMPILER: gcc gives the call operators of lambdas neither a name for the linker nor a line: they are named after the procedure and the
line that they are written in, and are no one procedure of a source."""
import os
import re
import subprocess
import sys
import tempfile

symbolize, compiler = sys.argv[1:]
SOURCE = """static volatile long sink;
template <class F> __attribute__((noinline)) void apply(F f) { for (int i = 0; i < 9; i++) f(i); }
struct A {
    void run(int n);
};
void A::run(int n) {
    apply([n](int i) { sink = n + i; }); // A::run
    apply([](int i) { sink = 3 * i; }); // A::run
}
int main(int argc, char **) {
    A().run(argc);
    apply([&](int i) { sink = argc * i; }); // main
}
"""
with tempfile.TemporaryDirectory() as folder:
    source, program = os.path.join(folder, "lambdas.cpp"), os.path.join(folder, "lambdas")
    with open(source, "w", encoding="utf-8") as f:
        f.write(SOURCE)
    subprocess.run([compiler, "-O2", "-g", source, "-o", program], check=True)
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], check=True, capture_output=True, text=True).stdout
    addresses = re.findall(r"^ +([0-9a-f]+):\t", code, re.M)
    out = subprocess.run([symbolize, program, "--names"], input="".join(a + "\n" for a in addresses), check=True, capture_output=True, text=True).stdout
met = {(m[1], int(m[2])) for m in re.finditer(r" \| ([^|]*lambda:\d+|[^|]*operator\(\)[^|]*?) [^ |]*:(\d+)", out)}
want = {(f"{of.strip()}{'(int)' if '::' in of else ''}::lambda:{n}", n) for n, line in enumerate(SOURCE.split("\n"), 1) for of in line.partition(" // ")[2:] if of}
print(sorted(met), "expected", sorted(want))
sys.exit(met != want)
