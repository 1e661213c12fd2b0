#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""foreign.py SYMBOLIZE SOURCE COMPILER [FLAGS...]: loops of programs that were compiled without the pass.

The truth stands in the source's comments. Stores to a volatile variable can neither be moved out of their loop nor merged,
so every one of them must be found in the loops that its line names, whatever the compiler made of the loops; a copy that was
unrolled fully has none, so a store may also be in fewer, but one at least is in all of them. Then the program is stripped:
procedures are named after their first address, loops stay, stubs have the names of what they call."""
import os
import re
import subprocess
import sys
import tempfile

symbolize, source, compiler, *flags = sys.argv[1:]
bad = []


def run(*command, stdin=None):
    return subprocess.run(command, input=stdin, check=True, capture_output=True, text=True).stdout


def look(program, addresses):
    """address: [(procedure, line)] innermost first, [(first, last, name)] innermost first"""
    out = {}
    for line in run(symbolize, program, "--loops", stdin="".join(f"{a:x}\n" for a in addresses)).splitlines():
        head, *loops = line.split(" # ")
        address, *frames = head.split(" | ")
        frames = [(f.rsplit(" ", 1)[0], f.rsplit(":", 1)[1]) for f in frames]
        out[int(address, 16)] = frames, [tuple(map(int, l.split("-"))) for l in loops]
    return out


begins, wanted = {}, {}
for number, line in enumerate(open(source), 1):
    if m := re.search(r"(?:/\*|//|!) loop (\w+)", line):
        begins.setdefault(m[1], []).append(number)
    if m := re.search(r"(?:/\*|//|!) in\b([ \w]*)", line):
        wanted[number] = m[1].split()

folder = tempfile.TemporaryDirectory()
program = os.path.join(folder.name, "program")
run(compiler, "-g", *flags, source, "-o", program)
code = run("objdump", "-d", "--no-show-raw-insn", program)
instructions = {int(m[1], 16): m[2] for m in re.finditer(r"^ +([0-9a-f]+):\t(.*)$", code, re.M)}
found = look(program, instructions)
stores = {}
for address, text in instructions.items():
    frames, loops = found[address]
    if not frames or not re.match(r"mov\w* .*,(0x[0-9a-f]+\(%rip\)|-?(0x[0-9a-f]+)?\(%r[sb]p\))", text):
        continue
    line = int(frames[0][1].rstrip("~"))
    if line in wanted and not frames[0][1].endswith("~"):
        stores.setdefault(line, []).append((address, [first for first, _ in loops], frames))
for line, names in wanted.items():
    best = 0
    for address, loops, frames in stores.get(line, []):
        expected = [begins.get(name) for name in names]
        k = 0
        for lines in expected:
            k += k < len(loops) and (lines is None or loops[k] in lines)
        best = max(best, k)
        callers = sum(begins.values(), []) if len(frames) > 1 else [] # an inlined copy's callers have loops too
        if None not in expected and any(x not in callers for x in loops[k:]):
            bad.append(f"line {line}, address {address:x}: in loops {loops}, expected {expected}")
    if stores.get(line) and best < len(names):
        bad.append(f"line {line}: never in all of its loops {names}")

if len(stores) < 0.75 * len(wanted): # some compilers make one store of two
    bad.append(f"stores in {len(stores)} of {len(wanted)} lines")

stripped = os.path.join(folder.name, "stripped")
run("strip", "-o", stripped, program)
starts = {int(m[1], 16): m[2] for m in re.finditer(r"^([0-9a-f]+) <(.*)>:$", code, re.M)}
bare = look(stripped, instructions)
inside = 0
for name in re.findall(r"^\w+ [tT] (\w+)$", run("nm", program), re.M):
    address = next((a for a, n in starts.items() if n == name), None)
    if address is None or name.startswith(("_", "register", "deregister", "frame_dummy")):
        continue
    if not bare[address][0] or bare[address][0][0][0] != f"stripped+0x{address:x}":
        bad.append(f"stripped: {name} at {address:x} is {bare[address][0]}")
for address in instructions:
    with_debug, without = found[address][1], bare[address][1]
    inside += bool(without)
    if len(with_debug) > len(without) and with_debug[0][0]: # not where names tell which calls do not return
        bad.append(f"stripped: {address:x} is in {len(without)} loops, with debug information in {with_debug}")
if not inside:
    bad.append("stripped: no loops")
stubs = [a for a, n in starts.items() if n.endswith("@plt")]
for address in stubs:
    if not bare[address][0] or bare[address][0][0][0] != re.sub(r"@.*", "@plt", starts[address]):
        bad.append(f"stub {starts[address]} is {bare[address][0]}")

print("\n".join(bad))
print(f"{len(stores)} lines with stores, {sum(map(len, stores.values()))} stores, {len(stubs)} stubs: {len(bad)} wrong")
sys.exit(bool(bad))
