# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heatscope report on simulated databases: golden texts, 80 columns, sums, CSV against JSON, errors.
Usage: test_report.py HEATSCOPE HEATSCOPE-SIMULATE FOLDER [--update: writes the golden texts anew]"""
import csv
import difflib
import io
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import unittest

HEATSCOPE, SIMULATE, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
UPDATE = "--update" in sys.argv
GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
TABLES = ("finding", "procedure", "loop", "line", "context", "processor", "module", "ledger", "reason", "message", "wait", "cause", "delayed", "array", "pair",
          "nest", "version", "program", "file", "call", "inlined", "category", "data", "reference", "symbol")


def run(*args, code=0, env=None):
    p = subprocess.run([HEATSCOPE, "report", *map(str, args)], capture_output=True, text=True, encoding="utf-8", check=False,
                       env={**os.environ, **(env or {})})
    if p.returncode != code:
        raise AssertionError(f"report {args}: exit {p.returncode}, expected {code}\n{p.stderr}{p.stdout[-500:]}")
    return p.stdout if code == 0 else p.stderr


def simulate(name, *options):
    path = FOLDER / name
    subprocess.run([SIMULATE, "-o", path, *options], check=True, stderr=subprocess.DEVNULL)
    return path


def rows(db, by, *options):
    return list(csv.DictReader(io.StringIO(run(f"--by={by}", "--format=csv", *options, db))))


class Report(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        FOLDER.mkdir(parents=True, exist_ok=True)
        cls.mpi = simulate("mpi.h5", "--lines=2500", "--threads=8", "--processes=4", "--seed=5", f"--sources={FOLDER}/src")
        cls.serial = simulate("serial.h5", "--lines=400", "--threads=1", "--processes=1", "--seed=2")
        cls.openmp = simulate("openmp.h5", "--lines=900", "--threads=6", "--processes=1", "--seed=8")
        cls.wide = simulate("wide.h5", "--lines=300", "--threads=200", "--processes=100", "--seed=4")
        cls.all = (cls.mpi, cls.serial, cls.openmp, cls.wide)

    def golden(self, name, text):
        path = GOLDEN / name
        if UPDATE:
            path.write_text(text, encoding="utf-8")
        want = path.read_text(encoding="utf-8")
        if want != text:
            self.fail("".join(difflib.unified_diff(want.splitlines(True), text.splitlines(True), str(path), "got")))

    def test_refused_loops_of_the_reason_that_is_named(self):
        """What LLVM makes no vectors of as it is written is not what is named, though it may be hotter: calls (no sources here, so no hint), searches, ..."""
        out_of_reach = ("call that has no vector form", "type or instruction that has no vector form", "number of iterations not known on entry", "leaves before its count is reached",
                        "value carried from one iteration to the next", "no induction variable", "would not pay, says the cost model", "too few iterations")
        db = simulate("refused.h5", "--lines=2500", "--threads=1", "--seed=24")
        refused, seconds = rows(db, "reason", "--top=0"), {}
        beyond = sum(float(r["exclusive_pct"]) for r in refused if r["reason"] in out_of_reach)
        refused = [r for r in refused if r["reason"] not in out_of_reach]
        for r in refused:
            seconds[r["reason"]] = seconds.get(r["reason"], 0) + float(r["exclusive_s"])
        worst = max(seconds, key=seconds.get)
        self.assertNotEqual(refused[0]["reason"], worst)  # the hottest is of another: that is what this is about
        text = " ".join(run(db).split())
        text = text[text.index("Not vectorised: "):]
        named, example, hottest = re.search(r"for the reason '(.*?)'; the hottest of these, .*? is at (\S+): .*?\. The hottest of all, .*? is at (\S+):", text).groups()
        self.assertAlmostEqual(float(re.search(r"Of all, (\S+) % is in loops of which LLVM makes no vectors as they are written\.", text)[1]), beyond, delta=0.11)
        of = {os.path.basename(r["file"]) + ":" + r["line_begin"]: r["reason"] for r in refused}
        self.assertEqual(named, worst)
        self.assertEqual(of[os.path.basename(example).split("-")[0]], worst)
        self.assertEqual(of[os.path.basename(hottest).split("-")[0]], refused[0]["reason"])

    def test_golden_texts(self):
        self.golden("mpi.txt", run(self.mpi))
        self.golden("serial.txt", run(self.serial))
        self.golden("openmp_loops.txt", run("--by=loop", "--top=4", self.openmp))
        self.golden("ledger.txt", run("--by=ledger", self.mpi))

    def test_fits_80_columns(self):
        for db in self.all:
            for options in ((), *((f"--by={t}", "--top=0") for t in TABLES), ("--processors=thread",)):
                for line in run(*options, db).splitlines():
                    self.assertLessEqual(len(line), 80, line)
                    self.assertEqual(line, line.rstrip())

    def test_tables_add_up(self):
        for db in self.all:
            total = json.loads(run("--format=json", "--top=1", db))["periods"]
            for by in ("procedure", "line", "context", "module"):
                got = rows(db, by)
                self.assertEqual(sum(int(r["exclusive_periods"]) for r in got), total, by)
                self.assertAlmostEqual(sum(float(r["exclusive_pct"]) for r in got), 100, places=5)
            self.assertEqual(sum(int(r["periods"]) for r in rows(db, "processor")), total)
            self.assertEqual(sum(int(r["periods"]) for r in rows(db, "processor", "--processors=thread")), total)
            loops = rows(db, "loop")
            self.assertLess(sum(int(r["exclusive_periods"]) for r in loops), total)
            ledger = {r["name"]: int(r["periods"]) for r in rows(db, "ledger")}
            self.assertEqual(ledger["recorded"] + ledger["lost: kernel"], ledger["due"])
            self.assertEqual(ledger["recorded"], total)

    def test_reasons(self):
        loops = {(r["file"], r["line_begin"], r["procedure"]): float(r["exclusive_s"]) for r in rows(self.mpi, "loop")}
        with_calls = {(r["file"], r["line_begin"], r["procedure"]): float(r["with_calls_s"]) for r in rows(self.mpi, "loop")}
        got = rows(self.mpi, "reason")
        self.assertTrue(got)
        for r in got: # each loop once, with no more than it has
            called = r["reason"].startswith("call ")
            self.assertTrue(called or float(r["called_s"]) == 0)
            self.assertLessEqual(float(r["exclusive_s"]), (with_calls if called else loops)[r["file"], r["line_begin"], r["procedure"]] + 1e-9)
            self.assertLessEqual(float(r["called_s"]), float(r["exclusive_s"]))
            self.assertLessEqual(float(r["exclusive_low_s"]), float(r["exclusive_s"]))
            self.assertLessEqual(float(r["exclusive_s"]), float(r["exclusive_high_s"]))
            self.assertNotEqual(r["reason"], "none")
        self.assertEqual(len({(r["file"], r["line_begin"], r["procedure"]) for r in got}), len(got))

    def test_relations_of_each_row(self):
        for by in ("procedure", "loop"):
            got = rows(self.mpi, by)
            self.assertEqual([int(r["position"]) for r in got], list(range(1, len(got) + 1)))
            order = [(float(r["with_calls_s"]), int(r["exclusive_periods"])) if by == "loop" else int(r["exclusive_periods"]) for r in got] # as in the text
            self.assertEqual(order, sorted(order, reverse=True))
            for r in got:
                n, s = int(r["exclusive_periods"]), float(r["exclusive_s"])
                self.assertAlmostEqual(s, n * 0.001, places=9)
                self.assertLessEqual(float(r["exclusive_low_s"]), s)
                self.assertGreaterEqual(float(r["exclusive_high_s"]), s)
                self.assertGreaterEqual(int(r["inclusive_periods"]), n)
                self.assertLessEqual(float(r["min_s"]), float(r["mean_s"]))
                self.assertLessEqual(float(r["mean_s"]), float(r["max_s"]) + 1e-9)
                if n:
                    self.assertAlmostEqual(float(r["max_over_mean"]), float(r["max_s"]) / float(r["mean_s"]), places=6)
                    self.assertAlmostEqual(float(r["mean_s"]) * 4, s, places=6)
                if by == "loop":
                    self.assertGreaterEqual(float(r["with_inner_s"]) + 1e-9, s)
                    self.assertLessEqual(float(r["vector_s"]) + float(r["scalar_remainder_s"]), s + 1e-9)

    def test_levels(self):
        """Every level has both: what is in it itself, and on paths through it."""
        for db in self.all:
            total = json.loads(run("--format=json", "--top=1", db))["periods"]
            program = rows(db, "program")
            self.assertEqual([int(r["inclusive_periods"]) for r in program], [total])
            for by in ("file", "call", "inlined", "module"):
                for r in rows(db, by):
                    self.assertGreaterEqual(int(r["inclusive_periods"]), int(r["exclusive_periods"]), (by, r))
                    self.assertLessEqual(int(r["inclusive_periods"]), total, (by, r))
            self.assertEqual(sum(int(r["exclusive_periods"]) for r in rows(db, "file")), total)
            # what is called at a place itself: of all its call sites no more than the procedure has with its loops
            own = {}
            for r in rows(db, "call"):
                if r["kind"] == "call":
                    own[r["callee"]] = own.get(r["callee"], 0) + int(r["exclusive_periods"])
            procedures = {}
            for r in rows(db, "procedure"):
                procedures[r["procedure"]] = procedures.get(r["procedure"], 0) + int(r["exclusive_periods"])
            for name, n in own.items():
                self.assertLessEqual(n, procedures.get(name, 0), name)

    def test_poisson_interval(self):
        """The approximation against the mid-P interval itself: P(more than 10) + P(10) / 2 is 2.5 %, and so on."""
        def tail(mean):
            terms = [math.exp(-mean) * mean**k / math.factorial(k) for k in range(11)]
            return 1 - sum(terms) + terms[10] / 2
        for r in rows(self.mpi, "line"):
            if r["exclusive_periods"] == "10":
                self.assertAlmostEqual(tail(1000 * float(r["exclusive_low_s"])), 0.025, delta=0.002)
                self.assertAlmostEqual(tail(1000 * float(r["exclusive_high_s"])), 0.975, delta=0.002)
                return
        self.fail("no line with 10 samples")

    def test_json_says_what_csv_says(self):
        for by in TABLES:
            a = rows(self.mpi, by)
            doc = json.loads(run(f"--by={by}", "--format=json", self.mpi))
            self.assertEqual((doc["by"], doc["unit"], doc["simulated"]), (by, "s", True))
            self.assertEqual(len(a), len(doc["rows"]))
            for x, y in zip(a, doc["rows"]):
                self.assertEqual(list(x), list(y))
                for k in x:
                    if isinstance(y[k], str) or y[k] is None:
                        self.assertEqual(x[k], y[k] or "")
                    else:
                        self.assertEqual(float(x[k]), y[k])

    def test_top_and_where(self):
        got = rows(self.mpi, "procedure", "--top=3")
        self.assertEqual(len(got), 3)
        name = got[2]["procedure"]
        only = rows(self.mpi, "procedure", f"--where={name}")
        self.assertTrue(only and all(name in r["procedure"] for r in only))
        self.assertEqual(only[0]["exclusive_periods"], got[2]["exclusive_periods"])
        lines = rows(self.mpi, "line", "--where=.f90")
        self.assertTrue(lines and all(r["file"].endswith(".f90") for r in lines))
        self.assertIn("only       files and procedures with", run("--where=.f90", self.mpi))

    def test_where_of_processors(self):
        """What each process and thread has of a procedure or a line: together what tables of these have."""
        for axis in "process", "thread":
            procedure = rows(self.mpi, "procedure")[1]
            line = next(r for r in rows(self.mpi, "line") if int(r["line"]))
            at = f"--where={line['file'].rsplit('/', 1)[-1]}:{line['line']}"
            for where, expected in ((at, rows(self.mpi, "line", at)), (f"--where={procedure['procedure']}", rows(self.mpi, "procedure", f"--where={procedure['procedure']}"))):
                got = rows(self.mpi, "processor", where, f"--processors={axis}")
                every = rows(self.mpi, "processor", f"--processors={axis}")
                self.assertEqual([r["row"] for r in got], [r["row"] for r in every])
                self.assertEqual(sum(float(r["periods"]) for r in got), sum(float(r["exclusive_periods"]) for r in expected))
                self.assertTrue(all(float(a["periods"]) <= float(b["periods"]) for a, b in zip(got, every)))
        self.assertIn(f", in code of '{at[8:]}' without what it calls", run("--by=processor", at, self.mpi))

    def test_nodes(self):
        """A node has what its processes have, and rows are compared over these sums."""
        db = simulate("nodes.h5", "--lines=300", "--threads=28", "--processes=7", "--hosts=3", "--seed=3")
        processes, nodes = rows(db, "processor", "--processors=process"), rows(db, "processor", "--processors=node")
        hosts = ["node000", "node001", "node002"]
        self.assertEqual([n["host"] for n in nodes], hosts)
        self.assertEqual(rows(db, "node"), nodes)
        for n in nodes:
            its = [p for p in processes if p["host"] == n["host"]]
            self.assertEqual((int(n["processes"]), float(n["begin_s"]), float(n["end_s"])),
                             (len(its), min(float(p["begin_s"]) for p in its), max(float(p["end_s"]) for p in its)))
            for column in n:
                if column not in ("row", "host", "processes", "begin_s", "end_s") and not column.endswith(("_low_s", "_high_s", "_low", "_high")) and n[column]:
                    self.assertTrue(math.isclose(float(n[column]), sum(float(p[column]) for p in its), rel_tol=1e-6, abs_tol=1e-9), (column, n, its))
        for by in "line", "procedure":
            top = [r for r in rows(db, by, "--processors=node", "--top=9") if r.get("line") != "0" and ".so" not in r["module" if by == "procedure" else "file"]]
            compared = 0
            for r in top:
                at = f"--where={r['file'].rsplit('/', 1)[-1]}:{r['line']}" if by == "line" else f"--where={r['procedure']}"
                values = {h: 0 for h in hosts}
                for p in rows(db, "processor", "--processors=process", at):
                    values[p["host"]] += int(p["periods"])
                if by == "line":
                    self.assertEqual(values, {n["host"]: int(n["periods"]) for n in rows(db, "processor", "--processors=node", at)})
                if sum(values.values()) != int(r["exclusive_periods"]): # other names have it in theirs
                    continue
                compared += 1
                x = sorted(v / 1000 for v in values.values())
                mean = sum(x) / 3
                expected = {"min_s": x[0], "max_s": x[2], "mean_s": mean, "stddev_s": math.sqrt(sum((v - mean) ** 2 for v in x) / 3), "median_s": x[1],
                            "p25_s": (x[0] + x[1]) / 2, "p95_s": x[1] + 0.9 * (x[2] - x[1]), "imbalance_s": x[2] - mean, "max_over_mean": x[2] / mean}
                for column, value in expected.items():
                    self.assertTrue(math.isclose(float(r[column]), value, rel_tol=1e-5, abs_tol=1e-6), (column, value, r))
                self.assertEqual([values[r[c]] / 1000 for c in ("min_processor", "max_processor")], [x[0], x[2]], r)
            self.assertGreater(compared, 3, by)
        text = run("--processors=node", db)
        self.assertIn("max/mean over nodes", text)
        self.assertIn("Processors: 3 nodes\n", text)
        self.assertIn(" node001 ", text.split("Processors: 3 nodes\n")[1])

    def test_where_is_nowhere(self):
        """One line with what is like it, and no table: a typing error is not a place without time."""
        name = rows(self.mpi, "procedure", "--top=1")[0]["procedure"]
        for options in ((), ("--by=line",), ("--by=cause",), ("--by=line", "--format=csv")):
            message = run(*options, f"--where={name[:-1]}QQ", self.mpi, code=1)
            self.assertEqual(message.count("\n"), 1, message)
            self.assertIn(f"--where: expected a part of the name of a file or procedure, got '{name[:-1]}QQ'", message)
            self.assertIn(f"like it: '{name}'", message)
        self.assertNotIn("like it", run("--where=nothing has this, nor is like it at all", self.mpi, code=1).split("'")[-1])

    def test_findings_as_rows(self):
        """For scripts: what the report begins with, with share, interval and place."""
        for db in (self.mpi, self.openmp):
            got, text = rows(db, "finding"), re.sub(r"\s+", " ", run(db))
            self.assertTrue(got and [int(r["position"]) for r in got] == list(range(1, len(got) + 1)))
            for r in got:
                self.assertIn(f"{r['position']}. {r['text'].split(':')[0]}", text)
                if r["share_pct"]:
                    self.assertTrue(float(r["share_pct_low"]) <= float(r["share_pct"]) <= float(r["share_pct_high"]), r)
                    self.assertIn(f"{float(r['share_pct']):.1f} %", r["text"])
                self.assertEqual(bool(r["file"]), int(r["line"] or 0) > 0)
            self.assertTrue(any(r["procedure"] and r["file"] for r in got))
            self.assertEqual(len(rows(db, "findings", "--top=2")), 2)

    def test_where_of_findings(self):
        """Findings of a place are those with a place there."""
        places = [r["file"] for r in rows(self.mpi, "line", "--top=1")]
        there = run(f"--where={places[0]}", self.mpi).split("What stands out there")[1].split("\n\n")[0]
        self.assertNotIn("Care: intervals", there)

    def test_columns(self):
        for by in TABLES:
            all_rows = rows(self.mpi, by)
            names = run(f"--by={by}", "--format=csv", self.mpi).splitlines()[0].split(",")
            wanted = [names[-1], names[1], names[0]]
            got = rows(self.mpi, by, f"--columns={','.join(wanted)}")
            self.assertEqual([list(r) for r in got[:1]], [wanted] * len(got[:1]))
            self.assertEqual([[r[k] for k in wanted] for r in got], [[r[k] for k in wanted] for r in all_rows])
            document = json.loads(run(f"--by={by}", "--format=json", f"--columns={','.join(wanted)}", self.mpi))
            self.assertEqual([list(r) for r in document["rows"]], [wanted] * len(all_rows))
            text = run(f"--by={by}", f"--columns={wanted[1]},{wanted[2]}", self.mpi).splitlines()
            self.assertIn([wanted[1], wanted[2]], [line.split() for line in text])
            for form in ("text", "csv", "json"):
                p = subprocess.run([HEATSCOPE, "report", f"--by={by}", f"--format={form}", "--columns=position,nothing", self.mpi],
                                   capture_output=True, text=True, check=False)
                self.assertEqual((p.returncode, p.stdout, p.stderr.count("\n")), (1, "", 1))
                self.assertIn(f"no column '{'position' if 'position' not in names else 'nothing'}' among {names[0]}", p.stderr)

    def test_rank_is_that_of_mpi(self):
        """A column `rank` is that of processes; how far from the top a row stands is its `position`."""
        for by in TABLES:
            got = rows(self.mpi, by)
            if by == "processor":
                self.assertEqual({r["rank"] for r in got}, {"0", "1", "2", "3"})
            else:
                self.assertNotIn("rank", got[0] if got else run(f"--by={by}", "--format=csv", self.mpi).split(","), by)

    def test_price_is_of_all_code_of_the_loop(self):
        def place(r):
            return r["procedure"], r["file"], r["line_begin"]

        versions, loops = {}, {}
        for r in rows(self.mpi, "version"):
            versions.setdefault(place(r), []).append((int(r["exclusive_periods"]), "vector" in r["version"]))
        for r in rows(self.mpi, "loop"):
            loops.setdefault(place(r), []).append(int(r["exclusive_periods"]))
        checked = 0
        for r in rows(self.mpi, "reason"):
            if len(loops.get(place(r), ())) == 1 and place(r) in versions:
                known = versions[place(r)]
                vector = sum(n for n, is_vector in known if is_vector)
                self.assertEqual(int(r["exclusive_periods"]), max(sum(n for n, _ in known), loops[place(r)][0]) - vector)
                checked += 1
        self.assertGreater(checked, 0)

    def test_source_text_of_lines(self):
        for r in rows(self.mpi, "line", "--top=20"):
            if r["line"] != "0":
                text = pathlib.Path(r["file"]).read_text(encoding="utf-8").splitlines()[int(r["line"]) - 1]
                self.assertEqual(r["source"], text.strip())
        self.assertIn("source not found: HEATSCOPE_SOURCE_PATH", run("--by=line", self.serial))

    def test_one_metric(self):
        self.assertEqual(run("--metric=CPU time", "--by=loop", self.mpi), run("--by=loop", "--metric=0", self.mpi))
        self.assertIn("no metric 'cycles' among its 1", run("--metric=cycles", self.mpi, code=1))

    def test_errors_are_one_line(self):
        bad = FOLDER / "bad.h5"
        bad.write_bytes(self.mpi.read_bytes()[:20000])
        text = FOLDER / "text.h5"
        text.write_text("no database\n", encoding="utf-8")
        for operand, part in ((FOLDER / "none.h5", "No such file"), (bad, "damaged or cut off"), (text, "text.h5")):
            message = run(operand, code=1)
            self.assertIn(part, message)
            self.assertEqual(message.count("\n"), 1, message)
        for options, part in ((("--by=everything",), "--by: expected finding, procedure"), (("--format=xml",), "text, csv or json"),
                              (("--top=-1",), "--top"), (("--processors=core",), "process, thread or node"), ((), "expected one database"),
                              (("--by=category", "--where=solve"), "no place in the source"), (("--by=pair", "--where=solve"), "no place in the source"),
                              (("--by=message", "--metric=CPU time"), "--metric: what --by=message shows is counted and timed"), (("--by=probe", "--net"), "--net: what --by=probe"),
                              (("--by=ledger", "--metric=0"), "--metric: what --by=ledger")):
            message = run(*options, *([self.mpi] if options else []), code=2)
            self.assertIn(part, message)
            self.assertEqual(message.count("\n"), 1, message)

    def test_names_of_other_tools(self):
        for theirs, ours in (("function", "procedure"), ("rank", "processor"), ("callpath", "context")):
            self.assertEqual(run(f"--by={theirs}", "--format=csv", self.mpi), run(f"--by={ours}", "--format=csv", self.mpi))

    def test_brief(self):
        whole, brief = run(self.mpi), run("--brief", self.mpi)
        self.assertIn(brief.split(" 5.")[0], whole)
        self.assertNotIn("\nProcedures", brief)
        self.assertNotIn("\n 6.", brief)
        self.assertNotIn("\n 2.", run("--brief", "--top=1", self.mpi))
        self.assertIn("--brief", run("--brief", "--by=loop", self.mpi, code=2))

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            p = subprocess.run([HEATSCOPE, "report", self.mpi], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(p.returncode, 1)
        self.assertIn("cannot write", p.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
