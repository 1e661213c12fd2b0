# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For start.py: programs that are built with what is installed alone, and what they are told of databases."""
import csv
import os
import re
import shutil
import subprocess


def declared(prefix):
    """Functions of the installed headers."""
    folder = os.path.join(prefix, "include/heatscope")
    text = "".join(open(os.path.join(folder, h)).read() for h in ("query.h", "analysis.h", "formats/enums.h", "formats/err.h"))
    return set(re.findall(r"\b(hsc_\w+)\(", re.sub(r"/\*.*?\*/", "", text, flags=re.S)))


def check_library(prefix, check):
    library = os.path.join(prefix, "lib/libheatscope-query.so")
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True).stdout
    exported = {line.split()[2].split("@")[0] for line in symbols.splitlines()}
    check(exported == declared(prefix) and "hsc_db_match" in exported, f"exported, not declared: {sorted(exported - declared(prefix))}, "
          f"declared, not exported: {sorted(declared(prefix) - exported)}")
    needed = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True).stdout
    drawing = re.findall(r"NEEDED.*\[(lib(?:tcl|tk|cairo|X)[^]]*)", needed)
    check("libhdf5" in needed and not drawing, f"the library needs {drawing or 'no HDF5'}")


def check_languages(prefix, work, run, check):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "query_api.c")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "heatscope-query"], capture_output=True, text=True,
                           env={**os.environ, "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}).stdout.split()
    for name, compiler in (("c99", [os.environ.get("CC", "cc"), "-std=c99"]), ("c++", [os.environ.get("CXX", "c++"), "-std=c++11", "-x", "c++"])):
        program = os.path.join(work, f"query_api.{name}")
        made = subprocess.run([*compiler, "-Wall", "-Wextra", "-pedantic", "-Werror", source, "-x", "none", "-o", program, *flags], capture_output=True, text=True)
        check(made.returncode == 0, f"{name}: {made.stderr}")
        code, out, err = run([program, "simulated.h5", "other.h5"])
        check((code, out, err) == (0, "", ""), f"{name}: {code} {out}{err}")


def check_hottest(program, small, run, check):
    code, out, err = run([program, "-n", "7", "simulated.h5"])
    report = list(csv.DictReader(run([small, "report", "--by=line", "--format=csv", "simulated.h5"])[1].splitlines()))[:7]
    told = [line.split(" ", 4) for line in out.splitlines()]
    check(code == 0 and len(told) == len(report) == 7, f"example of queries: {code} {err!r} {out!r}")
    for one, row in zip(told, report):
        check(one[4] == f"{row['file']}:{row['line']}", f"line {one} is not {row}")
        for mine, column in zip(one[:3], ("exclusive_s", "exclusive_low_s", "exclusive_high_s")):
            check(abs(float(mine) - float(row[column])) <= 1e-6 + 1e-5 * float(row[column]), f"{column}: {one}, {row}")
    code, _, err = run([program, small])
    check(code == 1 and err.startswith("hottest: ") and err.count("\n") == 1, f"no database: {code} {err!r}")


def check_findings(program, small, run, check):
    code, out, err = run([program, "simulated.h5"])
    report = csv.DictReader(run([small, "report", "--by=finding", "--format=csv", "simulated.h5"])[1].splitlines())
    expected = [f"{row['title']}: {row['text']}" for row in report]
    check(code == 0 and out.splitlines() == expected and len(expected) > 2, f"findings: {code} {err!r} {out!r}, expected {expected}")
    code, out, err = run([program, "simulated.h5", "other.h5"])
    report = csv.DictReader(run([small, "diff", "--by=procedure", "--format=csv", "--top=0", "simulated.h5", "other.h5"])[1].splitlines())
    expected = [row for row in report if row["beyond_noise"] == "yes"]
    told = [re.fullmatch(r"(\S+) \((\S+) to (\S+)\) s (.*)", line).groups() for line in out.splitlines()]
    check(code == 0 and len(told) == len(expected) > 2, f"changes: {code} {err!r} {out!r}")
    for one, row in zip(told, expected):
        check(one[3] == row["procedure"], f"change {one} is not {row}")
        for mine, column in zip(one[:3], ("change_s", "change_low_s", "change_high_s")):
            check(abs(float(mine) - float(row[column])) <= 1e-6 + 1e-5 * abs(float(row[column])), f"{column}: {one}, {row}")
    code, _, err = run([program, "simulated.h5", small])
    check(code == 1 and err.startswith("findings: ") and err.count("\n") == 1, f"no database: {code} {err!r}")


def asked_by_others(prefix, work, small, run, check):
    plain = os.path.join(work, "plain")  # linkers' paths are parted at colons too
    os.symlink(prefix, plain)
    example = shutil.copytree(os.path.join(plain, "share/heatscope/examples/query"), os.path.join(work, "query"))
    made = subprocess.run(["make", "-C", example, f"PKG_CONFIG_PATH={plain}/lib/pkgconfig"], capture_output=True, text=True)
    check(made.returncode == 0, f"example of queries: {made.stdout}{made.stderr}")
    for name, seed in (("simulated.h5", 1), ("other.h5", 7)):
        simulated = subprocess.run([os.path.join(plain, "lib/heatscope/heatscope-simulate"), "-o", name, "--lines=300", "--threads=6", "--processes=2", "--hosts=2",
                                    f"--seed={seed}"], capture_output=True, text=True, cwd=work)
        check(simulated.returncode == 0, f"simulate: {simulated.stderr}")
    check_library(plain, check)
    check_languages(plain, work, run, check)
    check_hottest(os.path.join(example, "hottest"), small, run, check)
    check_findings(os.path.join(example, "findings"), small, run, check)
