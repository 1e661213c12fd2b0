# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""imbalance: rank r of four works r + 1 units."""
import measure

RANKS = 4
example, checks = measure.Example("imbalance"), measure.Checks()
example.make()
output = example.measure(["./imbalance"], ranks=RANKS)
checks.that("check e30cbbccfa7d7287" in output, "wrong result: " + output)
measure.check_relations(example, checks)

work = measure.find(example.report("procedure", "--processors=process"), checks, procedure="work", file="/imbalance.c")
if work:
    worked = work["exclusive_samples"]
    period = work["exclusive_s"] / worked
    checks.share(work["min_s"] / period / worked, 0.1, worked, "least")
    checks.share(work["max_s"] / period / worked, 0.4, worked, "most")
    checks.equal((work["min_processor"], work["max_processor"]), ("rank 0", "rank 3"), "ranks with least and most")
    # the program's own clock: share of each rank in `work`, by the program
    own = [float(line.split()[2]) / 100 for line in output.splitlines()[1:1 + RANKS]]
    checks.share(work["min_s"] / period / worked, own[0], worked, "least, by the program's own clock")
    checks.share(work["max_s"] / period / worked, own[3], worked, "most, by the program's own clock")
    checks.share(work["max_over_mean"] / RANKS, 1.6 / RANKS, worked, "most over mean, quarter of")
checks.finish()
