# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernels/triangle: threads of one process share a loop unevenly, or evenly."""
import measure

example, checks = measure.Example("kernels"), measure.Checks()
example.make("triangle")
for options, least in (([], 0.250625), (["-d"], 0.5)):
    example.measure(["./triangle", *options], OMP_NUM_THREADS="2", OMP_DYNAMIC="false")
    measure.check_relations(example, checks)
    work = measure.find(example.report("procedure", "--processors=thread"), checks, procedure="work", file="/triangle.c")
    if work:
        worked = work["exclusive_samples"]
        checks.share(work["max_s"] / (work["max_s"] + work["min_s"]), 1 - least,
                     # dynamic: the larger of two that are the same in the mean, and the last, longest iterations fall
                     # to either: not so many independent draws
                     worked if not options else worked / 4, "busier thread " + " ".join(options))
        if not options:
            checks.equal((work["min_processor"], work["max_processor"]), ("thread 0", "thread 1"), "threads in order")
    loop = measure.find(example.report("loop"), checks, file="/triangle.c",
                        line_begin=example.line("triangle.c", "for (long i = 0; i < steps; i++)"))
    if work and loop:
        checks.that(loop["exclusive_samples"] >= 0.99 * worked, "the loop of work has not its samples")
checks.finish()
