# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernels/paths: one procedure works, five call paths lead to it."""
import measure

example, checks = measure.Example("kernels"), measure.Checks()
example.make("paths")
example.measure(["./paths"])
total = measure.check_relations(example, checks)

leaf = measure.find(example.report("procedure"), checks, procedure="leaf", file="/paths.c")
if leaf:
    checks.share(leaf["exclusive_periods"] / total, 1, total, "leaf exclusive")
procedures = {row["procedure"]: row for row in example.report("procedure")}
for name, share in (("seldom", 0.1), ("often", 0.3), ("deep", 0.2), ("even", 0.2), ("odd", 0.2), ("indirect", 0.2),
                    ("main", 1)):
    if checks.that(name in procedures, f"no procedure {name}"):
        # recursion must not be counted twice
        checks.share(procedures[name]["inclusive_periods"] / total, share, total, f"{name} inclusive")

weights = {}
for row in example.report("context"):
    names = [part for part in row["path"].split(";") if ":" not in part]  # loops carry a line
    if row["exclusive_periods"] and "main" in names:
        names = tuple(names[names.index("main"):])
        weights[names] = weights.get(names, 0) + row["exclusive_periods"]
truth = {("main", "seldom", "leaf"): 0.1, ("main", "often", "leaf"): 0.3, ("main",) + 50 * ("deep",) + ("leaf",): 0.2,
         ("main",) + 4 * ("even", "odd") + ("leaf",): 0.2, ("main", "indirect", "leaf"): 0.2}
for names, share in truth.items():
    checks.share(weights.get(names, 0) / total, share, total, " > ".join(names[:3]) + f" ({len(names)} calls)")
checks.finish()
