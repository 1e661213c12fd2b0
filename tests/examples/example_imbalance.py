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
    worked = work["exclusive_periods"]
    period = work["exclusive_s"] / worked
    checks.equal((work["min_processor"], work["max_processor"]), ("rank 0", "rank 3"), "ranks with least and most")
    # the program's own clock: share of each rank in `work`, by the program
    own = [float(line.split()[2]) / 100 for line in output.splitlines()[1:1 + RANKS]]
    checks.share(work["min_s"] / period / worked, own[0], worked, "least, by the program's own clock")
    checks.share(work["max_s"] / period / worked, own[3], worked, "most, by the program's own clock")
    checks.share(work["max_over_mean"] / RANKS, own[3], worked, "most over mean, quarter of")
    # 0.1 and 0.4 of the work; a shared processor may take up to a half longer for it than the others
    checks.that(0.068 <= own[0] <= 0.143 and 0.307 <= own[3] <= 0.5, f"shares of CPU time: {own}")
checks.finish()
