# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spmv: C++ names, templates and lambdas, OpenMP regions; relations only, the shares depend on the machine's memory."""
import measure

example, checks = measure.Example("spmv"), measure.Checks()
example.make()
output = example.measure(["./spmv"], OMP_NUM_THREADS="2")
checks.that("verified" in output, "wrong result: " + output)
measure.check_relations(example, checks)

names = {row["procedure"] for row in example.report("procedure")}
for part in ("csr_matrix<double>::multiply", "double dot<double>", "solve("):
    checks.that(any(part in name for name in names), f"no procedure named ...{part}... in {sorted(names)}")
checks.that(not any(name.startswith("_Z") for name in names), "mangled names in the report")

# the loop over a row, a range-based for over an iterator, has most of the time
line = example.line("csr_matrix.hpp", "for (auto [column, value] : row(r))")
lines = [row for row in example.report("line") if str(row["file"]).endswith("/csr_matrix.hpp")]
in_row = sum(row["exclusive_samples"] for row in lines if row["line"] in (line, line + 1))
module = measure.find(example.report("module"), checks, known_by="map")
if module:
    total = module["exclusive_samples"]
    checks.that(in_row >= 0.2 * total, f"lines {line}, {line + 1} have {in_row} of the program's {total} samples")
loop = measure.find(example.report("loop"), checks, file="/csr_matrix.hpp", line_begin=line)
if loop:
    checks.that(loop["inclusive_samples"] >= in_row * 0.9, "the loop over a row has less than its lines")
checks.finish()
