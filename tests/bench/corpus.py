#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the pass does to a corpus of real translation units: is the code the same, what does the map cost.

corpus.py identical LIST --pass SO [--levels O0,O1,O2,O3] [--baseline FILE] [--jobs N] [--retries N]
    Compiles every unit at every level with and without the pass and compares all sections that are loaded, their
    relocations and the symbols they name. Prints each difference, and counts by language and level; fails when there
    is any difference. Digests of the builds without the pass are kept in FILE and taken from there the next time.
corpus.py cost LIST --pass SO [--levels O2] [--counter valgrind|user] [--repeat N] [--every N]
    Ratios of compile cost with and without the pass: instructions (callgrind) or user
    time (median of N paired runs, order alternating); and bytes of the map over bytes of the object, of all sections
    and of the line table's growth.

LIST is a compile_commands.json (directory, file, and arguments or command). -O, -o and -g options in it are replaced.
`every` takes each Nth unit only. Needs python3 and the compilers that LIST names; nothing is written but in --work."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import resource
import shlex
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile

MAP = ".heatscope.map"


class Elf:
    """Sections and symbols of a 64-bit little-endian relocatable object."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = d = f.read()
        if d[:6] != b"\x7fELF\x02\x01":
            raise ValueError(path + ": not a 64-bit little-endian ELF object")
        offset, = struct.unpack_from("<Q", d, 40)
        size, count, names = struct.unpack_from("<HHH", d, 58)
        raw = [struct.unpack_from("<IIQQQQIIQQ", d, offset + i * size) for i in range(count or 1)]
        if count == 0:  # more than 65279 sections
            count = raw[0][5]
            raw = [struct.unpack_from("<IIQQQQIIQQ", d, offset + i * size) for i in range(count)]
        if names == 0xFFFF:
            names = raw[0][6]
        self.sections = raw
        self.name = [self.string(raw[names], r[0]) for r in raw]

    def string(self, section, at):
        start = section[4] + at
        return self.data[start:self.data.index(b"\0", start)].decode("latin-1")

    def bytes_of(self, i):
        s = self.sections[i]
        return b"" if s[1] == 8 else self.data[s[4]:s[4] + s[5]]

    def symbols(self):
        """One name a symbol, by index: for sections and nameless ones that of the section and the value."""
        for i, s in enumerate(self.sections):
            if s[1] != 2:
                continue
            wide = next((self.bytes_of(k) for k, x in enumerate(self.sections) if x[1] == 18), b"")
            for k in range(s[5] // 24):
                name, info, other, index, value, size = struct.unpack_from("<IBBHQQ", self.data, s[4] + 24 * k)
                if index == 0xFFFF and len(wide) >= 4 * k + 4:
                    index, = struct.unpack_from("<I", wide, 4 * k)
                where = self.name[index] if 0 < index < len(self.name) else str(index)
                yield (self.string(self.sections[s[6]], name), info, other, where, value, size,
                       0 < index < len(self.sections) and self.sections[index][2] & 2)

    def loaded_digest(self):
        """Digest of everything that reaches a running program: loaded sections, their relocations, their symbols."""
        h = hashlib.sha256()
        symbols = list(self.symbols())
        for i, s in enumerate(self.sections):
            if s[2] & 2:  # SHF_ALLOC
                h.update(repr((self.name[i], s[1], s[2], s[5], s[8])).encode())
                h.update(self.bytes_of(i))
            elif s[1] in (4, 9) and s[7] < len(self.sections) and self.sections[s[7]][2] & 2:
                h.update(("relocations of " + self.name[s[7]]).encode())
                step = 24 if s[1] == 4 else 16
                for at in range(s[4], s[4] + s[5], step):
                    where, info = struct.unpack_from("<QQ", self.data, at)
                    addend = struct.unpack_from("<q", self.data, at + 16)[0] if step == 24 else 0
                    target = symbols[info >> 32][:5] if info >> 32 < len(symbols) else info >> 32
                    h.update(repr((where, info & 0xFFFFFFFF, target, addend)).encode())
        for line in sorted(repr(x[:6]) for x in symbols if x[1] & 15 != 4 and (x[6] or not x[6] and x[3] in ("0", ""))):
            h.update(line.encode())
        return h.hexdigest()

    def sizes(self):
        """Bytes: of the map, of the line table, of all sections."""
        of = {}
        for i, s in enumerate(self.sections):
            if s[1] != 8:
                of[self.name[i]] = of.get(self.name[i], 0) + s[5]
        return of.get(MAP, 0), of.get(".debug_line", 0), sum(of.values())


def command_of(unit, level, output, plugin):
    arguments = unit["arguments"] if "arguments" in unit else shlex.split(unit["command"])
    out, skip = [], False
    for a in arguments:
        if skip:
            skip = False
        elif a == "-o":
            skip = True
        elif a.startswith("-O") or (a.startswith("-g") and not a.startswith("-gcc")):
            pass
        else:
            out.append(a)
    return out + ["-g", "-" + level, "-o", output] + (["-fpass-plugin=" + plugin] if plugin else [])


def language_of(unit):
    end = unit["file"].rsplit(".", 1)[-1]
    return "C" if end == "c" else "Fortran" if end.lower() in ("f", "f90", "f95", "f03", "f08", "for") else "C++"


def compile_unit(unit, level, work, plugin, prefix=()):
    """Digest of the object, or the compiler's last words."""
    folder = tempfile.mkdtemp(dir=work)
    try:
        output = os.path.join(folder, "o.o")
        done = subprocess.run(list(prefix) + command_of(unit, level, output, plugin), cwd=unit["directory"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=1800)
        if done.returncode:
            return None, "exit %d: %s" % (done.returncode, done.stderr.decode("latin-1")[-300:].replace("\n", " | "))
        elf = Elf(output)
        if plugin and MAP not in elf.name:
            return None, "no map"
        return elf, None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def identical(units, options):
    levels = options.levels.split(",")
    baseline = {}
    if options.baseline and os.path.exists(options.baseline):
        with open(options.baseline) as f:
            baseline = json.load(f)

    def key_of(unit, level):
        return " ".join([unit["directory"]] + command_of(unit, level, "", ""))

    def one(job):
        unit, level = job
        key, known, why = key_of(unit, level), [], ""
        if key in baseline:
            known = list(baseline[key])
        else:
            elf, why = compile_unit(unit, level, options.work, None)
            known = [elf.loaded_digest() if elf else None]
        if known == [None]:
            return unit, level, key, known, "not compiled", why
        elf, why = compile_unit(unit, level, options.work, options.plugin)
        if not elf:
            return unit, level, key, known, "broken", why
        mine = elf.loaded_digest()
        tries = 0
        # flang-new-19 at -O3 gives one of several codes for some sources, with no plug-in at all
        while mine not in known and tries < options.retries and "flang" in key:
            tries += 1
            elf, why = compile_unit(unit, level, options.work, None)
            digest = elf.loaded_digest() if elf else None
            if digest and digest not in known:
                known.append(digest)
        if mine in known:
            return unit, level, key, known, "same" if tries == 0 else "same, the compiler itself varies", ""
        return unit, level, key, known, "differs", ""

    # every unit once, at levels in turn, before any comes again: a run that is ended early has seen all sources
    jobs = [(u, levels[(i + k) % len(levels)]) for k in range(len(levels)) for i, u in enumerate(units)]
    counts, table = {}, {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for n, (unit, level, key, known, verdict, why) in enumerate(pool.map(one, jobs), 1):
            baseline[key] = known
            counts[verdict] = counts.get(verdict, 0) + 1
            cell = table.setdefault((language_of(unit), level), {})
            cell[verdict] = cell.get(verdict, 0) + 1
            if verdict in ("differs", "broken") or why:
                print("%s: %s %s" % (verdict, key, why), flush=True)
            if options.baseline and n % 100 == 0:
                print("%d of %d: %s" % (n, len(jobs), table), file=sys.stderr, flush=True)
                with open(options.baseline + ".new", "w") as f:
                    json.dump(baseline, f)
                os.rename(options.baseline + ".new", options.baseline)
    if options.baseline:
        with open(options.baseline, "w") as f:
            json.dump(baseline, f)
    for (language, level), cell in sorted(table.items()):
        print("%s -%s: %s" % (language, level, ", ".join("%d %s" % (v, k) for k, v in sorted(cell.items()))))
    print("%d units at %s: %s" % (len(units), options.levels, ", ".join("%d %s" % (v, k) for k, v in sorted(counts.items()))))
    return counts.get("differs", 0) + counts.get("broken", 0)


def cost_of(unit, level, options, plugin):
    """Instructions or user seconds of one compilation, and the object."""
    if options.counter == "valgrind":
        log = tempfile.NamedTemporaryFile(dir=options.work, delete=False)
        log.close()
        prefix = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--trace-children=yes",
                  "--log-file=" + log.name]
        elf, why = compile_unit(unit, level, options.work, plugin, prefix)
        with open(log.name) as f:
            total = sum(int(line.split(":")[1].split()[0]) for line in f if "Collected" in line)
        os.unlink(log.name)
        return total, elf, why
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    elf, why = compile_unit(unit, level, options.work, plugin)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, elf, why


def cost(units, options):
    for level in options.levels.split(","):
        ratios, plain_sum, with_sum = [], 0, 0
        size = [0] * 5
        for unit in units:
            plain, mine, failed = [], [], None
            for i in range(1 if options.counter == "valgrind" else options.repeat):
                for plugin in ((None, options.plugin), (options.plugin, None))[i % 2]:
                    value, elf, why = cost_of(unit, level, options, plugin)
                    failed = failed or why
                    if elf and plugin:
                        last = elf
                    elif elf:
                        bare = elf
                    (mine if plugin else plain).append(value)
            if failed:
                print("%s: %s" % (unit["file"], failed), file=sys.stderr)
                continue
            # paired: the ratio of each pair, then the median
            ratio = statistics.median(m / p for m, p in zip(mine, plain) if p)
            ratios.append(ratio)
            plain_sum += statistics.median(plain)
            with_sum += statistics.median(mine)
            (m, line, total), (_, old_line, old) = last.sizes(), bare.sizes()
            size = [a + b for a, b in zip(size, (m, line, total, old_line, old))]
            print("%-40s -%s cost x%.4f, map %d bytes = %.1f %% of the object without it, line table x%.2f" %
                  (unit["file"][-40:], level, ratio, m, 100 * m / old, line / max(old_line, 1)), flush=True)
        if ratios:
            print("-%s: %d units; cost: all together x%.4f, median unit x%.4f; map %.1f %% of the plain objects; "
                  "line tables +%.1f %% of them" % (level, len(ratios), with_sum / plain_sum, statistics.median(ratios),
                                                    100 * size[0] / size[4], 100 * (size[1] - size[3]) / size[4]))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=("identical", "cost"))
    parser.add_argument("list")
    parser.add_argument("--pass", dest="plugin", required=True)
    parser.add_argument("--levels")
    parser.add_argument("--baseline")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--retries", type=int, default=12)
    parser.add_argument("--counter", choices=("valgrind", "user"), default="user")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--match", default="", help="only units whose directory/file contains this")
    parser.add_argument("--work", default=None, help="folder for objects (default: a new one, removed at the end)")
    options = parser.parse_args()
    if not os.access(options.plugin, os.R_OK):
        sys.exit("corpus.py: %s: cannot read the pass" % options.plugin)
    with open(options.list) as f:
        units = json.load(f)
    units = [u for u in units if options.match in u["directory"] + "/" + u["file"]][::options.every]
    if not units:
        sys.exit("corpus.py: %s: no units" % options.list)
    options.plugin = os.path.abspath(options.plugin)
    work = os.path.abspath(options.work) if options.work else tempfile.mkdtemp(prefix="corpus")
    os.makedirs(work, exist_ok=True)
    options.work = work
    options.levels = options.levels or ("O0,O1,O2,O3" if options.mode == "identical" else "O2")
    try:
        return 1 if (identical if options.mode == "identical" else cost)(units, options) else 0
    finally:
        if work.startswith(tempfile.gettempdir() + "/corpus"):
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
