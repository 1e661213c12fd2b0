# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernels/split: procedures 1:2:4:8, and one helper inlined in two places 1:3."""
import measure

example, checks = measure.Example("kernels"), measure.Checks()
example.call("make", "-s", "split")
plain = example.call("./split")
example.call("make", "-s", "clean")
example.make("split")
checks.equal(example.measure(["./split"]), plain, "output under measurement")
total = measure.check_relations(example, checks)

procedures = example.report("procedure")
for name, exclusive, inclusive in (("p0", 1, 1), ("p1", 2, 3), ("p2", 4, 4), ("p3", 8, 11), ("helper", 4, 4),
                                   ("main", 0, 19)):
    row = measure.find(procedures, checks, procedure=name, file="/split.c")
    if row:
        checks.share(row["exclusive_periods"] / total, exclusive / 19, total, f"{name} exclusive")
        checks.share(row["inclusive_periods"] / total, inclusive / 19, total, f"{name} inclusive")

loops = example.report("loop")
for mark, units in (("p0: loop", 1), ("p1: loop", 2), ("p2: inner loop", 4), ("p3: loop", 8), ("helper: loop", 4)):
    line = example.line("split.c", "/* " + mark)
    row = measure.find(loops, checks, file="/split.c", line_begin=line)
    if row:
        checks.share(row["exclusive_periods"] / total, units / 19, total, f"{mark}, line {line}")
        checks.equal(row["line_end"], line + 1, f"last line of {mark}")
outer = measure.find(loops, checks, file="/split.c", line_begin=example.line("split.c", "/* p2: outer loop"))
if outer:
    checks.share(outer["exclusive_periods"] / total, 0, total, "p2: outer loop exclusive")
    checks.share(outer["inclusive_periods"] / total, 4 / 19, total, "p2: outer loop inclusive")

# the two inlined copies of the helper, by calling context
contexts = example.report("context")
for caller, units in (("p1", 1), ("p3", 3)):
    copies = [row for row in contexts if f";{caller};helper" in row["path"]]
    checks.that(any(row["kind"] == "inlined" for row in copies), f"no inlined copy of the helper in {caller}")
    checks.share(sum(row["exclusive_periods"] for row in copies) / total, units / 19, total, f"helper in {caller}")
checks.finish()
