# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernels/split as others build it: without the pass, without debug information, stripped, and without its source."""
import os

import measure

example, checks = measure.Example("kernels"), measure.Checks()
SHARES = (("p0", 1, 1), ("p1", 2, 3), ("p2", 4, 4), ("p3", 8, 11), ("helper", 4, 4))


def look(flags, known_by, what):
    """Builds with another compiler, measures, and returns the procedures of the program and the number of samples."""
    example.call("make", "-s", "clean")
    example.call("make", "-s", "split", "CC=gcc", "CFLAGS=" + flags)
    example.measure(["./split", "500000"])
    total = measure.check_relations(example, checks, loops=False)
    module = [row for row in example.report("module") if row["module"].endswith("/split")]
    if checks.equal(len(module), 1, f"{what}: rows of the program"):
        checks.equal(module[0]["known_by"], known_by, f"{what}: known by")
    return [row for row in example.report("procedure") if row["module"].endswith("/split")], total


# debug information: lines and inlined copies as with the pass, loops from the machine code
rows, total = look("-O2 -g", "debug information", "gcc -O2 -g")
for name, exclusive, inclusive in SHARES:
    row = measure.find(rows, checks, procedure=name, file="/split.c")
    if row:
        checks.share(row["exclusive_periods"] / total, exclusive / 19, total, f"debug information, {name} exclusive")
        checks.share(row["inclusive_periods"] / total, inclusive / 19, total, f"debug information, {name} inclusive")
loops = [row for row in example.report("loop") if row["module"].endswith("/split")]
checks.that(bool(loops) and all(row["known_by"] == "debug information" and row["line_begin"] for row in loops),
            f"loops of the program: {loops}")
os.remove(os.path.join(example.work, "split.c"))
text = example.call("heatscope", "report", example.directory)
checks.that("p3" in text, "no report without the source")
example.call("cp", os.path.join(example.source, "split.c"), ".")

# symbols only: what is inlined belongs to the procedure around it
rows, total = look("-O2", "symbols", "gcc -O2")
for name, _, inclusive in SHARES[:4]:
    row = measure.find(rows, checks, procedure=name)
    if row:
        checks.share(row["exclusive_periods"] / total, inclusive / 19, total, f"symbols, {name}")

# nothing: procedures have addresses for names, all of it is the program's
rows, total = look("-O2 -s", "file only", "gcc -O2 -s")
checks.that(all(row["procedure"].startswith("split+0x") or row["procedure"].endswith("@plt") for row in rows),
            f"stripped, procedures {rows}")
checks.share(sum(row["exclusive_periods"] for row in rows) / total, 1, total, "stripped, program")
checks.finish()
