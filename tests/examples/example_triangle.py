# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernels/triangle: threads of one process share a loop unevenly, or evenly."""
import measure

example, checks = measure.Example("kernels"), measure.Checks()
example.make("triangle")
for options in ([], ["-d"]):
    output = example.measure(["./triangle", *options], OMP_NUM_THREADS="2", OMP_DYNAMIC="false")
    # by the threads' own clocks: which thread gets how much of a dynamic schedule, and how long an iteration takes on which
    # processor, is the machine's affair
    own = [float(line.split()[2]) / 100 for line in output.splitlines() if line.startswith("clock ")]
    checks.equal(len(own), 2, "threads' clocks")
    measure.check_relations(example, checks)
    work = measure.find(example.report("procedure", "--processors=thread"), checks, procedure="work", file="/triangle.c")
    if work:
        worked = work["exclusive_periods"]
        checks.share(work["max_s"] / (work["max_s"] + work["min_s"]), max(own), worked, "busier thread " + " ".join(options))
        if not options:
            # 0.7494 of the steps; a processor may take up to twice as long for a step as the other, shared as it is
            checks.that(0.6 <= max(own) <= 0.857, f"busier thread has {max(own):.4f} of the CPU time")
            checks.equal((work["min_processor"], work["max_processor"]), ("thread 0", "thread 1"), "threads in order")
    if not options:
        # what was waited at the loop's end is laid to the thread that had more of it, and to the loop; how long that thread
        # stood in line for a processor is the machine's affair
        causes = [r for r in example.report("cause") if r["kind"].endswith("barrier of threads") and r["running"] == "yes"]
        of_busier = sum(r["caused_s"] for r in causes if r["processor"] == "thread 1" and r["procedure"] == "work")
        checks.that(causes and of_busier >= 0.5 * sum(r["caused_s"] for r in causes),
                    f"causes of waiting: {[(r['processor'], r['procedure'], r['caused_s']) for r in causes]}")
    loop = measure.find(example.report("loop"), checks, file="/triangle.c",
                        line_begin=example.line("triangle.c", "for (long i = 0; i < steps; i++)"))
    if work and loop:
        checks.that(loop["exclusive_periods"] >= 0.99 * worked, "the loop of work has not its samples")
checks.finish()
