# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heatscope diff of runs with other numbers of threads, whose rows have least room: loops of C++ in a file with a long name keep their lines, and no name below
a row takes several lines. Usage: long_names.py HEATSCOPE HEATSCOPE-C++ WORK"""
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, CXX, WORK = sys.argv[1:4]
SOURCE = """#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>
using texts = std::vector<std::string>;
struct Loader {
    __attribute__((noinline)) double read(const texts &all, const std::map<std::string, texts> &by, double x) {
        for (long i = 0; i < 30000000 / parts; i++) // READ
            x = x * 0.999 + 1 / (1 + x);
        return x + all.size() + by.size();
    }
    __attribute__((noinline)) double sort(const texts &all, const std::map<std::string, std::vector<texts>> &by, double x) {
        for (long i = 0; i < 30000000 / parts; i++) // SORT
            x = x * 0.998 + 2 / (1 + x);
        return x + all.size() + by.size();
    }
    long parts;
};
int main(int, char **argv) {
    Loader l{std::atol(argv[1])};
    std::vector<std::thread> team;
    for (long i = 0; i < l.parts; i++)
        team.emplace_back([&] { volatile double sink = l.read({}, {}, 1) + l.sort({}, {}, 2); (void)sink; });
    for (auto &t : team)
        t.join();
}
"""
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
NAME = "loader_of_all_the_data_sets.cpp"
with open(os.path.join(WORK, NAME), "w", encoding="utf-8") as f:
    f.write(SOURCE)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


run(CXX, "-O2", "-g", "-pthread", "-o", "loader", NAME)
for parts in ("1", "2"):
    run(HEATSCOPE, "run", "-q", "-o", parts, "./loader", parts)
text = run(HEATSCOPE, "diff", "1", "2")
lines = [i + 1 for i, line in enumerate(SOURCE.splitlines()) if line.endswith(("// READ", "// SORT"))]
wrong = [f"no row of a loop ends in .cpp:{n}" for n in lines if not re.search(rf"^ +\d.*\.cpp:{n}$", text, re.M)]
wrong += [f"a name below a row goes on: {a}" for a, b in zip(text.splitlines(), text.splitlines()[1:]) if a.startswith("      in ") and re.match(" {9,}[^ ]", b)]
sys.exit("\n".join(wrong + [text]) if wrong else 0)
