# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What holds for the ADI solver in both languages."""
import re

import measure

NORM = "norm 1.5440485097E-02, last change 1.3545904504E-04"


def check(program, file, procedures, recurrence, ranks=4, options=(), norm=NORM, arrays=False, **env):
    example, checks = measure.Example("adi"), measure.Checks()
    example.make(program)
    output = example.measure(["./" + program, *options], ranks=ranks, **env)
    checks.that("verified" in output and norm in output, "wrong result: " + output)
    total = measure.check_relations(example, checks)

    rows = example.report("procedure")
    here = 0
    for name in procedures:
        if name == "exchange_halo": # it only calls; its messages are counted, its samples may be none
            checks.that(any(base_name(r["procedure"]) == name and r["calls"] > 0 for r in example.report("message")), "no messages of " + name)
            continue
        row = measure.find([r for r in rows if base_name(r["procedure"]) == name], checks, file="/" + file)
        if row:
            here += row["exclusive_periods"]
    main = [r for r in rows if base_name(r["procedure"]) in ("main", "adi")]
    checks.that(any(r["inclusive_periods"] >= 0.8 * total for r in main), "main has less than 80 % of all samples")
    module = measure.find(example.report("module"), checks, known_by="map")
    if module:
        checks.that(here >= 0.95 * module["exclusive_periods"],
                    f"the phases have {here} of the program's {module['exclusive_periods']} samples")

    # the sweep along x has no messages, and one rank works as much as another; a shared processor may take up to a half longer
    # for it than the others, which gives its rank 1.5 of ranks + 0.5 parts of the CPU time
    sweep = [r for r in example.report("procedure", "--processors=process")
             if base_name(r["procedure"]) in ("solve_x", "sweep_x") and r["exclusive_periods"] > 100]
    if checks.equal(len(sweep), 1, "procedures of the sweep along x"):
        samples = sweep[0]["exclusive_periods"]
        print(f"  {sweep[0]['procedure']}: largest share of a rank {sweep[0]['max_over_mean'] / ranks:.4f}")
        most = 1.5 / (ranks + 0.5)
        checks.that(1 / ranks <= sweep[0]["max_over_mean"] / ranks + 1e-6 <= most + measure.bound(most, samples),
                    f"busiest rank in {sweep[0]['procedure']}: {sweep[0]['max_over_mean'] / ranks:.4f}")

    if arrays:
        check_arrays(example, checks)

    # the recurrence along x is the innermost loop of a nest of three, and its line the hottest of the file's
    line = example.line(file, recurrence)
    loops = [r for r in example.report("loop") if str(r["file"]).endswith("/" + file) and r["line_begin"] <= line <= r["line_end"]]
    checks.equal(sorted(r["depth"] for r in loops), [1, 2, 3], f"depths of the loops around line {line}")
    for r in sorted(loops, key=lambda r: r["depth"]):
        print(f"  loop {r['line_begin']}-{r['line_end']} depth {r['depth']}: {r['inclusive_periods']} samples")
    lines = [r for r in example.report("line") if str(r["file"]).endswith("/" + file)]
    if checks.that(lines, "no lines of " + file):
        hottest = max(lines, key=lambda r: r["exclusive_periods"])
        checks.that(hottest["exclusive_periods"] > 0, "no hot line")
    checks.finish()


def check_arrays(example, checks):
    """Every byte that a call moves belongs to one array, and what all ranks send of the pipelined arrays is what they receive."""
    arrays, messages = example.report("array"), example.report("message")
    for what in ("sent_bytes", "received_bytes"):
        checks.equal(sum(r[what] for r in arrays), sum(r[what] for r in messages), what + " by array and by message")
    for r in (r for r in arrays if r["mpi_s"] > 0):
        least, mean, most, threads = r["thread_min_s"], r["thread_mean_s"], r["thread_max_s"], round(r["mpi_s"] / r["thread_mean_s"])
        checks.that(least <= mean * 1.000001 and mean <= most * 1.000001, f"{r['array']}: {least}, {mean}, {most} s of a thread")
        checks.that(threads >= 1 and abs(r["mpi_s"] - threads * mean) <= 1e-6 * r["mpi_s"], f"{r['array']}: {r['mpi_s']} s is not that of {threads} threads of {mean} s")
        checks.that(r["thread_min"] and r["thread_max"], f"{r['array']}: no thread with least or most")
    named = [r for r in arrays if r["array"]]
    checks.that(len(named) >= 4, f"{len(named)} arrays in messages")
    checks.equal(sum(r["sent_bytes"] for r in arrays if not r["array"]), 0, "bytes sent from arrays that are not known")
    # a call is one call of an array, also with two buffers in it, and its whole time is that of each of its arrays
    def seconds_of(operation):
        return sum(r["duration_s"] + r["completion_s"] for r in messages if str(r["operation"]).lower() == operation)
    u = [r for r in named if re.split(r"[%.>]", str(r["array"]))[-1] == "u"]
    checks.equal([r["calls"] for r in u], [sum(r["calls"] for r in messages if str(r["operation"]).lower() == "mpi_sendrecv")], "calls of u, sent and received by one call")
    checks.that(u and abs(u[0]["mpi_s"] - seconds_of("mpi_sendrecv")) <= 1e-6 * u[0]["mpi_s"], f"u: {u}, {seconds_of('mpi_sendrecv')} s in its calls")
    both = [r for r in named if abs(r["mpi_s"] - seconds_of("mpi_allreduce")) <= 1e-6 * r["mpi_s"]]
    checks.equal(len(both), 2, "arrays that have all of the time of the allreduce of two")
    moving = sum(r["duration_s"] + r["completion_s"] for r in messages if r["sent_bytes"] + r["received_bytes"])
    shares = sum(r["mpi_share_s"] for r in arrays)
    checks.that(moving * 0.999999 <= shares <= sum(r["duration_s"] + r["completion_s"] for r in messages) * 1.000001, f"shares add up to {shares} s, of calls that move something {moving} s")
    piped = [r for r in named if not (r["sent_bytes"] and r["received_bytes"]) and r["sent_bytes"] + r["received_bytes"] > 1e6]
    checks.equal(sum(r["sent_bytes"] for r in piped), sum(r["received_bytes"] for r in piped), "bytes through the pipeline")


def base_name(name):
    """Procedure without module, arguments and trailing underscore."""
    return str(name).split("(")[0].split("::")[-1].split("%")[-1].rstrip("_")
