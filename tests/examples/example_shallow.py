# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shallow in Fortran on 2 x 2 ranks of two threads: rank 3 has half as many wet cells as each of the others."""
import measure
from adi import base_name

STEPS, CELLS, RANKS = 200, 768, 4
example, checks = measure.Example("shallow"), measure.Checks()
example.make()
output = example.measure(["./shallow", "-s", str(STEPS)], ranks=RANKS, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
checks.that("verified" in output and "8.7781607002E+06 m3" in output, "wrong result: " + output)
measure.check_relations(example, checks)

# cells (i, j) with i + j <= 3n/2, 2 x 2 parts
half = CELLS // 2
wet = [sum(max(0, min(half, 3 * half - south - j - west)) for j in range(1, half + 1)) for west in (0, half) for south in (0, half)]
part = wet[3] / sum(wet)
checks.that(f" {100 * part:.2f}\n" in output, f"water of rank 3 is {100 * part:.2f} %: " + output)

rows = example.report("procedure", "--processors=process")
for name in ("sides_x", "sides_y", "slow_down"): # those that compute; the others wait for memory, which processors share
    row = measure.find([r for r in rows if base_name(r["procedure"]) == name], checks, file="/basin.f90")
    if row and checks.that(row["exclusive_periods"] > 400, f"few samples of {name}"):
        samples, least = row["exclusive_periods"], row["min_s"] / row["exclusive_s"]
        print(f"  {name}: {row['min_processor']} has {100 * least:.2f} % of {samples} samples, {100 * part:.2f} % of the cells")
        checks.equal(row["min_processor"], "rank 3", "rank with the least of " + name)
        # a shared processor may take up to a half longer for what it does than the others
        low, high = part / (part + 1.5 * (1 - part)), 1.5 * part / (1.5 * part + 1 - part)
        checks.that(low - measure.bound(low, samples) <= least <= high + measure.bound(high, samples), f"{name}: rank 3 has {least:.4f}")

# each part has two neighbours, and gives each of them a side of three numbers a cell in every step
side = RANKS * half * 3 * 8 * STEPS
arrays = {str(r["array"]).split("%")[-1]: r for r in example.report("array") if base_name(r["procedure"]) == "exchange"}
for name, sent, received in (("q", side, side), ("send", side, 0), ("receive", 0, side)):
    row = arrays.get(name, {})
    checks.equal((row.get("sent_bytes"), row.get("received_bytes")), (sent, received), f"bytes of {name} in exchange, sent and received")
waits = measure.find(example.report("message"), checks, operation="MPI_Waitall")
if waits:
    checks.equal((waits["calls"], waits["completions"]), (RANKS * STEPS, 8 * RANKS * STEPS), "calls of MPI_Waitall, and requests ended in them")

# what the compiler says of it: the loop that is the wrong way round has large strides, the largest value is no reduction
inner = example.line("basin.f90", "spin(i, j) = (q")
strides = {r["text"]: str(r["stride_bytes"]).replace(" ", "") for r in example.report("reference") if r["line"] == inner}
checks.equal(strides.get("q(3, i + 1, j)"), "24*nx+48", f"stride of q(3, i + 1, j) in {strides}")
checks.equal(strides.get("spin(i, j)"), "8*nx", f"stride of spin(i, j) in {strides}")
reasons = [r["reason"] for r in example.report("reason") if base_name(r["procedure"]) == "fastest_wave"]
checks.that(any("largest or smallest" in reason for reason in reasons), f"reasons of fastest_wave: {reasons}")
checks.finish()
