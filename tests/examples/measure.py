# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the end-to-end tests share: build an example, measure it, read the reports, compare with the truth.

The statistical bound: a share p of N samples is accepted within 4 standard deviations of the binomial distribution
plus 0.5 % of the whole. Samples at regular intervals of CPU time scatter less than independent ones, so a right
program fails once in more than 15,000 comparisons; the 0.5 % is for what is not in the truth (start of the process)."""
import argparse
import csv
import io
import os
import re
import shutil
import subprocess
import sys

DEVIATIONS = 4.0
SLACK = 0.005


def bound(share, samples):
    """Largest accepted distance of a measured share from the true one."""
    return DEVIATIONS * (share * (1 - share) / max(samples, 1)) ** 0.5 + SLACK


class Checks:
    """Collects what is wrong, so that a failure shows all of it."""

    def __init__(self):
        self.wrong = []
        self.made = 0

    def that(self, condition, complaint):
        self.made += 1
        if not condition:
            self.wrong.append(complaint)
        return bool(condition)

    def equal(self, got, expected, what):
        return self.that(got == expected, f"{what}: expected {expected!r}, got {got!r}")

    def share(self, got, expected, samples, what):
        distance, limit = abs(got - expected), bound(expected, samples)
        print(f"  {what}: {100 * got:.2f} % (true {100 * expected:.2f} %, limit +-{100 * limit:.2f} %, {samples} samples)")
        return self.that(distance <= limit,
                         f"{what}: expected {100 * expected:.2f} % +- {100 * limit:.2f} %, got {100 * got:.2f} %")

    def finish(self):
        for complaint in self.wrong:
            print("FAILED", complaint)
        print(f"{self.made} checks, {len(self.wrong)} failed")
        if self.made == 0:
            print("FAILED nothing was checked")
        sys.exit(1 if self.wrong or self.made == 0 else 0)


class Example:
    """One example in a folder of its own, with everything made from it."""

    def __init__(self, folder):
        parser = argparse.ArgumentParser()
        parser.add_argument("--bin", required=True, help="folder of heatscope and its wrappers")
        parser.add_argument("--examples", required=True, help="folder of the examples' sources")
        parser.add_argument("--work", required=True, help="folder to work in; emptied first")
        options = parser.parse_args()
        self.bin = os.path.abspath(options.bin)
        self.work = os.path.abspath(options.work)
        self.source = os.path.join(os.path.abspath(options.examples), folder)
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.source, self.work)
        self.env = dict(os.environ, PATH=self.bin + os.pathsep + os.environ["PATH"], LC_ALL="C")
        # Open MPI wants these two when root runs it, for instance in a container; they mean nothing to others.
        self.env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")

    def call(self, *command, **env):
        """Runs a command that must succeed; returns its standard output."""
        print("$", " ".join(command), flush=True)
        done = subprocess.run(command, cwd=self.work, env=dict(self.env, **env), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            print(f"FAILED exit code {done.returncode}")
            sys.exit(1)
        return done.stdout

    def make(self, *arguments):
        self.call("make", "-s", "CC=heatscope-cc", "CXX=heatscope-c++", "FC=heatscope-fc", *arguments)

    def measure(self, command, ranks=0, **env):
        """Runs the program under heatscope and correlates. Returns its output; the report reads the result."""
        self.directory = os.path.join(self.work, "measurement")
        shutil.rmtree(self.directory, ignore_errors=True)
        launcher = ["mpirun", "-n", str(ranks)] if ranks else []
        # a rate that is asked for is kept: the bound is for samples of one period each, which the governor would make rarer
        output = self.call(*launcher, "heatscope", "run", "-F", "1000", "-o", self.directory, *command, **env)
        self.call("heatscope", "correlate", self.directory)
        return output

    def report(self, by, *options):
        """Rows of one report, as dictionaries; numbers converted."""
        text = self.call("heatscope", "report", "--by=" + by, "--format=csv", *options, self.directory)
        return parse_report(text)

    def line(self, file, mark):
        """Number of the only line of a source file that contains `mark`."""
        with open(os.path.join(self.source, file), encoding="utf-8") as f:
            found = [number for number, text in enumerate(f, 1) if mark in text]
        if len(found) != 1:
            sys.exit(f"{file}: {len(found)} lines contain {mark!r}")
        return found[0]


def parse_report(text):
    def value(s):
        if re.fullmatch(r"[-+]?\d+", s):
            return int(s)
        try:
            return float(s)
        except ValueError:
            return s
    return [{k: value(v) for k, v in row.items()} for row in csv.DictReader(io.StringIO(text))]


def find(rows, checks, **wanted):
    """The only row with these values ('file' compares the end of the path). Missing or double rows are a failure."""
    def fits(row):
        return all(str(row[k]).endswith(v) if k == "file" else row[k] == v for k, v in wanted.items())
    found = [row for row in rows if fits(row)]
    if not checks.that(len(found) == 1, f"{len(found)} rows with {wanted} instead of one"):
        return None
    return found[0]


def check_relations(example, checks, loops=True):
    """What holds for every measurement, whatever the program (without the pass no loops are known). Returns the number
    of samples."""
    ledger = {row["name"]: row["periods"] for row in example.report("ledger")}
    total = ledger["recorded"]
    checks.that(total > 0, "no samples")
    checks.equal(sum(n for name, n in ledger.items() if name.startswith(("attributed", "not attributed"))), total,
                 "sum of the ledger's attributed and not attributed")
    for by in ("procedure", "loop", "context"):
        rows = example.report(by)
        checks.that(rows or (by == "loop" and not loops), f"no rows by {by}")
        for row in rows:
            checks.that(row["inclusive_periods"] >= row["exclusive_periods"] >= 0,
                        f"by {by}: inclusive {row['inclusive_periods']} < exclusive {row['exclusive_periods']} in {row}")
            checks.that(row["inclusive_periods"] <= total, f"by {by}: more than all samples in {row}")
            if by != "context":
                checks.that(row["min_s"] <= row["mean_s"] <= row["max_s"], f"by {by}: min, mean, max in {row}")
        if by != "loop":
            checks.equal(sum(row["exclusive_periods"] for row in rows), total, f"sum of exclusive samples by {by}")
    for row in example.report("finding"):
        if row["share_pct"] != "":
            checks.that(row["share_pct_low"] <= row["share_pct"] + 1e-6 and row["share_pct"] <= row["share_pct_high"] + 1e-6, f"a share outside of its own interval: {row}")
    for row in example.report("loop"):
        checks.that(row["line_begin"] <= row["line_end"] or row["line_end"] == 0, f"lines of loop {row}")
    checks.equal(sum(row["exclusive_periods"] for row in example.report("line")), total, "sum of samples by line")
    for axis in ("process", "thread"):
        processors = example.report("processor", "--processors=" + axis)
        checks.equal(sum(row["periods"] for row in processors), total, f"sum of samples by {axis}")
    for row in processors:
        if row["cpu_s"] > 0.2:  # 1000 Hz of CPU time. 8 ticks of 4 ms may be neither sampled nor lost; perf's clock goes on
            expected = row["cpu_s"] * 1000  # in interrupts: up to 5 % of it
            checks.that(expected - 33 <= row["periods"] + row["lost_periods"] <= 1.05 * expected + 2,
                        f"{row['periods']} samples in {row['cpu_s']} s of CPU time at 1000 Hz: {row}")
    return total
