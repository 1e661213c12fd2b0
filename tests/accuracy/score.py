#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""score.py ASK PROGRAM TRACE SOURCE [-v]: how the mapping places the instructions of a kernel program, against truth.py's
truth; by instruction, and weighted with how often each was executed in the run."""
import collections
import subprocess
import sys

import truth


def ask(tool, program, addresses):
    text = "".join(f"{a:x}\n" for a in addresses)
    out = subprocess.run([tool, program], input=text, check=True, stdout=subprocess.PIPE, text=True).stdout
    answers = {}
    for line in out.splitlines():
        f = line.split("\t")
        loops = [(int(x.split("@")[0]), int(x.split("@")[1].split(":")[0]), int(x.split(":")[1]))
                 for x in f[3].split(",") if x]
        answers[int(f[0], 16)] = {"procedures": f[1].split(",") if f[1] else [], "line": int(f[2]), "loops": loops,
                                  "version": f[4], "width": int(f[5]), "interleave": int(f[6]), "unroll": int(f[7])}
    return answers


def name_loops(source, answers):
    """Rows of the map's loops by the names of the source: by line, and by order where a line has several."""
    rows = collections.defaultdict(set)
    for a in answers.values():
        for row, line, column in a["loops"]:
            rows[line].add((column, row))
    names = {}
    for line, found in rows.items():
        known = source.at.get(line)
        by_procedure = sorted(found)
        for i, (_, row) in enumerate(by_procedure):
            names[row] = known[i * len(known) // len(by_procedure)] if known else f"?{line}"
    return names


# In machine loops without loops inside, that use the data of one source loop ("innermost loops"):
STRICT = ("exact", "enclosing", "none", "wrong")
# Elsewhere: in machine loops round others, whose code is their own or the set-up of what is inside, and in those that hold
# several source loops (unrolled fully, copies for few trips): the right nest, no loop at all, or another nest.
LOOSE = ("nest", "no nest", "other nest")


def judge(source, machine, f, at, reported):
    """Outcome for an instruction; None where the truth is not known."""
    loop = f.loop_at[at]
    own = {m for m in machine.marks.get(at, ()) if m in source.line}
    here = {m for m in (loop.marks if loop else ()) if m in source.line}
    true = own if len(own) == 1 else here
    if not true:
        return None
    innermost = reported[0] if reported else None
    around, inside = set(), set()
    for name in true:
        around.update(source.chain(name))
    outer = loop
    while outer:  # after inlining, loops of callers
        for name in outer.marks:
            if name in source.line:
                around.update(source.chain(name))
        outer = outer.parent
    work = list(loop.children) if loop else []
    while work:
        inside.update(work[-1].marks)
        work += work.pop().children
    if loop and not loop.children and len(here) == 1:
        if innermost in true:
            return "exact"
        return "none" if innermost is None else "enclosing" if innermost in around else "wrong"
    if innermost is None:
        return "no nest"
    down = innermost in source.line and true & set(source.chain(innermost))
    return "nest" if innermost in around | inside or down else "other nest"


def score(tool, program, trace, path, verbose):
    source, machine = truth.Source(path), truth.Machine(program, trace)
    code = [(f, at) for f in machine.functions for at in f.loop_at
            if not truth.SETUP.search(f.name) and f.marked and (f.loop_at[at] or machine.marks.get(at))]
    answers = ask(tool, program, [at for _, at in code])
    names = name_loops(source, answers)
    tally = {"instructions": collections.Counter(), "executions": collections.Counter()}
    versions, profile, lines = collections.Counter(), collections.Counter(), collections.Counter()
    for f, at in code:
        a = answers[at]
        reported = [names.get(row, "?") for row, _, _ in a["loops"]]
        outcome = judge(source, machine, f, at, reported)
        count = machine.counts.get(at, 0)
        if outcome is None:
            outcome = "no truth"
        tally["instructions"][outcome] += 1
        tally["executions"][outcome] += count
        procedure = "known" if a["procedures"] else "no procedure"
        tally["instructions"][procedure] += 1
        tally["executions"][procedure] += count
        loop = f.loop_at[at]
        if outcome not in STRICT:
            continue
        true = next(m for m in loop.marks if m in source.line)
        profile[true] += count
        profile[reported[0] if reported else None] -= count
        # vector code moves 16 bytes or more of the marked data at once (no element is as large): the vectoriser's, or operations that were packed
        is_vector = any(machine.bytes.get(x, 0) >= 16 for x in loop.code)
        said = a["version"].startswith("vector") or a["width"] > 1
        versions["right" if is_vector == said else "wrong"] += count
        lines["right" if source.line[true] <= a["line"] <= source.last[true] else "wrong"] += count
        if verbose and outcome not in ("exact", "nest"):
            loop = f.loop_at[at]
            print(f"{outcome:10} {count:7} {f.name}+{at - f.low:#x} {at:x} line {a['line']} "
                  f"true {sorted(loop.marks) if loop else machine.marks.get(at)} reported {reported}")
    tally["versions"], tally["lines"] = versions, lines
    strict = sum(tally["executions"][k] for k in STRICT)
    tally["variation"] = sum(abs(n) for n in profile.values()) / 2 / max(strict, 1)
    return tally


if __name__ == "__main__":
    args = [a for a in sys.argv[1:] if a != "-v"]
    tally = score(*args, "-v" in sys.argv)
    for what in ("instructions", "executions"):
        counter = tally[what]
        for kinds in (STRICT, LOOSE):
            total = sum(counter[k] for k in kinds)
            print(f"{what:12} {total:8}", " ".join(f"{k} {100 * counter[k] / max(total, 1):.2f}" for k in kinds), end="  ")
        print(f"no truth: {counter['no truth']}")
