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

# The loop over a row is a range-based for: its own two lines, and the iterator's operators inlined into it. Which of its
# instructions waits for the matrix, and so has the samples, depends on the machine; what belongs together does not.
line = example.line("csr_matrix.hpp", "for (auto [column, value] : row(r))")
outer_line = example.line("csr_matrix.hpp", "for (std::size_t r = 0; r < rows(); ++r)")
loop = measure.find(example.report("loop"), checks, file="/csr_matrix.hpp", line_begin=line)
outer = measure.find(example.report("loop"), checks, file="/csr_matrix.hpp", line_begin=outer_line)
module = measure.find(example.report("module"), checks, known_by="map")
if loop and outer and module:
    operators = sum(row["exclusive_periods"] for row in example.report("procedure")
                    if "row_view::iterator::operator" in row["procedure"])
    inner, own, of_outer = loop["inclusive_periods"], loop["exclusive_periods"], outer["inclusive_periods"]
    # 5 entries of 16 bytes a row against some 100 bytes of vectors, and more than half of all instructions: whether memory
    # or the processor is what the program waits for, this loop has two fifths of it. Half of that is asked for
    checks.that(inner >= 0.2 * module["exclusive_periods"],
                f"the loop over a row has {inner} of the program's {module['exclusive_periods']} samples")
    # the operators are called by this loop alone: 5 times in it, and once before it to see whether there is a first entry
    checks.that(inner <= own + operators, f"{inner} samples in the loop, {own} of its own, {operators} in the operators")
    checks.that(inner - own >= operators / 2, f"{inner - own} of the operators' {operators} samples are in their loop")
    checks.that(of_outer >= inner, f"the loop over rows has {of_outer} samples, less than the loop over a row in it, {inner}")
    checks.equal(outer["depth"] + 1, loop["depth"], "depth of the loop over a row")
checks.finish()
