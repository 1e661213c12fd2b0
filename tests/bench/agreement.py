#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""agreement.py --heatscope BIN [--hz N] [--pairs N] [--symbolizer BIN] [--ask BIN] [--back N] [--same] PROGRAM [ARGS...]

Is the profile that of another profiler? Runs the program in turn under `perf record -e cpu-clock:u` and `heatscope run`,
at the same rate, and compares the shares of the program's own lines: total variation between the two
profiles, and its ratio to the 99 % quantile of the total variation between two samples, of these two sizes, of one and the
same profile (400 draws of the pooled one). perf's addresses are told by llvm-symbolizer, innermost inlined copy. Code with
line 0 takes the line of the code before it, up to --back bytes (64), else it is a line of its own; Heatscope takes that of the
same block or loop, so that lines differ where much of the time is in such code. With --ask (tests/accuracy/ask of the build) it takes
Heatscope's line on both sides, and the share of perf's samples at other code for which Heatscope has another line than the symbolizer is
told: the first is then a comparison of what was sampled, the second one of what addresses mean. --same compares perf with perf, which tells how far two runs of the program
differ by themselves. The program has to be an ELF file with debug information; needs perf and llvm-symbolizer-19."""
import argparse
import bisect
import collections
import csv
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile


def segments(path):
    """(file offset, address, size) of the executable parts."""
    with open(path, "rb") as f:
        d = f.read()
    if d[:6] != b"\x7fELF\x02\x01":
        sys.exit("agreement.py: %s: not a 64-bit little-endian ELF file" % path)
    at, = struct.unpack_from("<Q", d, 32)
    size, count = struct.unpack_from("<HH", d, 54)
    out = []
    for i in range(count):
        kind, flags, offset, address, _, length = struct.unpack_from("<IIQQQQ", d, at + i * size)
        if kind == 1 and flags & 1:
            out.append((offset, address, length))
    return out


def run(command, work, what, **more):
    done = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **more)
    if done.returncode:
        sys.exit("agreement.py: %s: exit %d: %s" % (what, done.returncode, done.stderr.decode("utf-8", "replace")[-400:]))
    return done.stdout.decode("utf-8", "replace")


def perf_addresses(options, program, work):
    """Addresses in the program, as in its file, with how often each was sampled."""
    data = os.path.join(work, "perf.data")
    run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", str(options.hz), "-o", data, "--"] + options.program, os.getcwd(),
        "perf record")
    text = run(["perf", "script", "-i", data, "--show-mmap-events", "-F", "comm,ip"], work, "perf script")
    parts, maps, counts = segments(program), [], collections.Counter()
    for line in text.splitlines():
        m = re.search(r"PERF_RECORD_MMAP2? .*\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*\]: (\S+) (.*)$", line)
        if m:
            if "x" in m.group(4) and os.path.realpath(m.group(5)) == program:
                maps.append(tuple(int(m.group(k), 16) for k in (1, 2, 3)))
            continue
        m = re.search(r"\s([0-9a-f]{4,16})\s*$", line)
        if not m:
            continue
        ip = int(m.group(1), 16)
        for begin, size, offset in maps:
            if begin <= ip < begin + size:
                at = ip - begin + offset
                for o, address, length in parts:
                    if o <= at < o + length:
                        counts[at - o + address] += 1
                break
    return counts


def lines_of(options, program, places):
    """File and line of each address, of the innermost inlined copy."""
    text = subprocess.run([options.symbolizer, "--obj=" + program, "--functions=linkage", "--no-demangle"], check=True,
                          input="\n".join(hex(a) for a in places).encode(),
                          stdout=subprocess.PIPE).stdout.decode("utf-8", "replace")
    out = {}
    for address, answer in zip(places, text.split("\n\n")):
        at = answer.strip("\n").split("\n")
        where = at[1].rsplit(":", 2) if len(at) > 1 else ["??", "0", "0"]
        out[address] = (os.path.basename(where[0]), int(where[1]))
    return out


def ask_lines(options, program, places):
    """Heatscope's line of each address."""
    text = subprocess.run([options.ask, program], check=True, input="\n".join("%x" % a for a in places).encode(),
                          stdout=subprocess.PIPE).stdout.decode("utf-8", "replace")
    return {int(row.split("\t")[0], 16): int(row.split("\t")[2]) for row in text.splitlines()}


def perf_profile(options, program, work):
    counts = perf_addresses(options, program, work)
    where = lines_of(options, program, sorted(counts))
    holes = [a for a in counts if where[a][1] == 0 and where[a][0] != "??"] if not options.ask else []
    before = lines_of(options, program, [a - k for a in holes for k in range(1, options.back + 1)]) if holes else {}
    mine = ask_lines(options, program, sorted(counts)) if options.ask else {}
    lines, filled, other = collections.Counter(), 0, 0
    for a, n in counts.items():
        at = where[a]
        if options.ask:
            if at[1] == 0 and at[0] != "??":
                filled += n
                at = (at[0], mine[a])
            elif at[0] != "??" and at[1] != mine[a]:
                other += n
        elif at[1] == 0:
            at = next((before[a - k] for k in range(1, options.back + 1) if before.get(a - k, at)[1]), at)
            filled += n if at[1] else 0
        lines[at] += n
    total = max(sum(counts.values()), 1)
    return lines, filled / total, other / total


def heatscope_profile(options, program, work):
    folder = os.path.join(work, "m")
    shutil.rmtree(folder, ignore_errors=True)
    run([options.heatscope, "run", "-F", str(options.hz), "-o", folder, "--"] + options.program, os.getcwd(), "heatscope run")
    text = run([options.heatscope, "report", "--by=line", "--format=csv", "--top=0", folder], work, "heatscope report")
    lines = collections.Counter()
    for row in csv.DictReader(text.splitlines()):
        n = int(float(row["exclusive_periods"]))
        if n:
            lines[(os.path.basename(row["file"]), int(row["line"] or 0))] += n
    return lines


def variation(a, b):
    n, m = sum(a.values()), sum(b.values())
    return sum(abs(a[k] / n - b[k] / m) for k in set(a) | set(b)) / 2


def noise(a, b):
    """99 % quantile of the variation between two samples of the pooled profile."""
    pool = a + b
    keys = list(pool)
    edges, total = [], 0
    for k in keys:
        total += pool[k]
        edges.append(total)
    draw = random.Random(1)

    def sample(n):
        return collections.Counter(keys[bisect.bisect_right(edges, draw.randrange(total))] for _ in range(n))

    values = sorted(variation(sample(sum(a.values())), sample(sum(b.values()))) for _ in range(400))
    return values[395]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heatscope", required=True)
    parser.add_argument("--hz", type=int, default=5000)
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("--symbolizer", default="llvm-symbolizer-19")
    parser.add_argument("--back", type=int, default=64)
    parser.add_argument("--ask")
    parser.add_argument("--same", action="store_true")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.program or not os.access(options.program[0], os.X_OK):
        sys.exit("agreement.py: no program to run")
    program = os.path.realpath(options.program[0])
    options.program[0] = program
    options.heatscope = os.path.abspath(options.heatscope)
    work = tempfile.mkdtemp(prefix="agreement")
    try:
        for _ in range(options.pairs):
            a, filled, other = perf_profile(options, program, work)
            b = perf_profile(options, program, work)[0] if options.same else heatscope_profile(options, program, work)
            # own code: the files that perf's samples of the program are in, and nothing else
            files = {f for f, _ in a}
            b = collections.Counter({k: n for k, n in b.items() if k[0] in files})
            if not a or not b:
                sys.exit("agreement.py: no samples in the program's own code")
            tv, bound = variation(a, b), noise(a, b)
            differ = sorted(set(a) | set(b), key=lambda k: -abs(a[k] / sum(a.values()) - b[k] / sum(b.values())))[:3]
            print("%d and %d samples, %d lines, %.1f %% of perf's had line 0%s: total variation %.3f, ratio %.2f; largest: %s" %
                  (sum(a.values()), sum(b.values()), len(set(a) | set(b)), 100 * filled,
                   ", %.2f %% another line" % (100 * other) if options.ask else "", tv, tv / bound,
                   ", ".join("%s:%d %.1f %% %.1f %%" % (k[0], k[1], 100 * a[k] / sum(a.values()),
                                                         100 * b[k] / sum(b.values())) for k in differ)), flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
