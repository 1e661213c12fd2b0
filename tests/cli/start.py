#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""start.py TEST HEATSCOPE WORK_FOLDER [CMAKE BUILD_FOLDER]: what the small executable loads (loads), that the full one takes over
with words, environment and exit code kept (hands_over), what it tells of debuggers (tools), and both when installed and moved (installed)."""
import os
import re
import shutil
import subprocess
import sys

from asked_by_others import asked_by_others

test, heatscope, work = sys.argv[1:4]
FULL = "heatscope-full"
failures = 0


def check(ok, what):
    global failures
    if not ok:
        failures += 1
        print("FAILED:", what)


def run(words, executable=None, **env):
    done = subprocess.run(words, executable=executable, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=work,
                          env={**os.environ, **env})
    return done.returncode, done.stdout, done.stderr


def loaded(name, words, **env):
    """Names of the libraries that the first program of the process loads before its main(), and all that any program of any process
    loads: from the loader's own log."""
    log = os.path.join(work, name + ".log")
    env.update(LD_DEBUG="files", LD_DEBUG_OUTPUT=log)
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=work,
                               env={**os.environ, **env})
    process.wait(timeout=300)
    files = [f for f in os.listdir(work) if f.startswith(name + ".log.")]
    texts = {f.rsplit(".", 1)[1]: open(os.path.join(work, f), errors="replace").read() for f in files}
    own = texts[str(process.pid)]
    first = own.split("transferring control", 1)[0]
    libraries = lambda text: {os.path.basename(x) for x in re.findall(r"file=(\S+) \[\d+\];\s+(?:needed|dynamically loaded) by", text)}
    return libraries(first), set().union(*map(libraries, texts.values()))


def loads():
    few = re.compile(r"(libc|libz|libm|libgcc_s|libasan|libubsan|libtsan|libclang_rt\S*|ld-linux\S*|libdl|libpthread|librt)\.so")
    crowd = re.compile(r"lib(hdf5\w*|curl|gnutls|krb5|gssapi|ssh|ssl|crypto|LLVM|mpi|open-rte|open-pal|dw|elf)\b")
    commands = {"version": ["--version"], "help": ["--help"], "config": ["config"], "run": ["run", "-q", "-o", "measured", "true"],
                "control": ["control", "start", "nowhere"], "doctor": ["doctor"], "cc": ["cc", "-c", "nothing.c"], "view": ["view", "nowhere"]}
    for name, words in commands.items():
        first, everything = loaded(name, [heatscope, *words], HEATSCOPE_CC="/bin/true")
        check("libc.so.6" in first, f"{name}: the loader's log tells nothing")
        check(all(few.match(x) for x in first), f"{name}: loads {sorted(x for x in first if not few.match(x))}")
        # the pass that doctor and cc look for is not loaded by them; a program's own libraries are the program's affair
        check(not any(crowd.match(x) for x in everything), f"{name}: {sorted(x for x in everything if crowd.match(x))} in one of its processes")
    first, everything = loaded("dump", [heatscope, "dump", "--help"])
    check(all(few.match(x) for x in first), f"dump: loads {sorted(first)} before the other executable")
    check(any(x.startswith("libhdf5") for x in everything), "dump: the log does not tell what the other executable loads: nothing is proved")
    check(os.path.exists(os.path.join(work, "measured")), "run: measured nothing")


def hands_over():
    here, library = os.path.join(work, "bin"), os.path.join(work, "lib/heatscope")
    os.makedirs(here)
    os.makedirs(library)
    small = shutil.copy(heatscope, here)
    link = os.path.join(work, "heatscope-report")
    full = os.path.join(os.path.dirname(os.path.dirname(heatscope)), "lib/heatscope", FULL)
    absent = os.path.join(library, FULL)
    for words in (["report", "x"], ["correlate", "x"], ["dump", "x"]):
        code, out, err = run([small, *words])
        check((code, out, err) == (1, "", f"heatscope {words[0]}: {absent}: No such file or directory: the installation is not whole\n"),
              f"{words} without the full executable: {code} {out!r} {err!r}")
    check(run([small, "--version"])[0] == 0, "--version without the full executable")
    check(run([small, "nonsense"])[0] == 2, "unknown command without the full executable")

    # view: a database that is there is opened without it, a measurement directory is not
    os.makedirs(os.path.join(work, "made"))
    os.makedirs(os.path.join(work, "unmade"))
    with open(os.path.join(work, "unmade/1.hsr"), "wb"):
        pass
    with open(os.path.join(work, "made/heatscope.h5"), "wb") as f:
        f.write(b"\x89HDF\r\n\x1a\n")
    code, _, err = run([small, "view", "made"], DISPLAY=":9999")
    check(code == 1 and FULL not in err and "gui/main.tcl" in err, f"view of a database needs the full executable: {err!r}")
    code, _, err = run([small, "view", "unmade"], DISPLAY=":9999")
    check(code == 1 and absent in err, f"view of a measurement directory: {err!r}")

    # malloc of the full one gets large pages, unless the user has told malloc something; what that starts has the user's environment
    with open(absent, "w") as f:
        f.write('#!/bin/sh\necho "${GLIBC_TUNABLES-unset}"\n')
    os.chmod(absent, 0o755)
    user = "glibc.malloc.check=0"
    check(run([small, "report", "x"])[1] == "glibc.malloc.hugetlb=1\n" and run([small, "report", "x"], GLIBC_TUNABLES=user)[1] == user + "\n",
          "what malloc of the full executable is told")
    server = os.path.join(work, "server")
    os.makedirs(server)
    with open(os.path.join(server, "Xvfb"), "w") as f:
        f.write(f'#!/bin/sh\necho "${{GLIBC_TUNABLES-unset}}" > {server}/told\n')
    os.chmod(os.path.join(server, "Xvfb"), 0o755)
    for given, left in (("glibc.malloc.hugetlb=1", "unset\n"), (user, user + "\n")):
        run([full, "view", "--snapshot", "x.png", "made"], DISPLAY="", PATH=server + ":" + os.environ["PATH"], GLIBC_TUNABLES=given)
        with open(os.path.join(server, "told")) as f:
            check(f.read() == left, f"the full executable hands {given} on")
    os.unlink(absent)

    # so does the window's, and what that starts has the user's environment, too
    shell = os.path.join(work, "shell")
    os.makedirs(shell)
    with open(os.path.join(shell, "tclsh8.6"), "w") as f:
        f.write('#!/bin/sh\necho "${GLIBC_TUNABLES-unset}"\n')
    os.chmod(os.path.join(shell, "tclsh8.6"), 0o755)
    window = dict(DISPLAY=":9999", PATH=shell + ":" + os.environ["PATH"])
    check(run([heatscope, "view", "made"], **window)[1] == "glibc.malloc.hugetlb=1\n" and
          run([heatscope, "view", "made"], GLIBC_TUNABLES=user, **window)[1] == user + "\n", "what malloc of the window's process is told")

    shutil.copy(full, absent)
    code, _, err = run([small, "view", "unmade"], DISPLAY=":9999")
    check(code == 1 and "correlating unmade" in err, f"view did not correlate: {code} {err!r}")
    os.symlink(small, link)
    outputs = [run([small, "report", "--help"]), run([heatscope, "report", "--help"]), run([link, "--help"]),
               run(["heatscope", "report", "--help"], executable=small), run(["odd name", "report", "--help"], executable=small),
               run(["heatscope", "report", "--help"], executable=None, PATH=here + ":" + os.environ["PATH"])]
    check(outputs[0][0] == 0 and outputs[0][1].startswith("usage: heatscope report "), f"report --help: {outputs[0]}")
    check(all(o == outputs[0] for o in outputs), f"report --help depends on how it is called: {[(o[0], o[2]) for o in outputs]}")
    check(run([small, "report", "--no-such"])[0] == 2, "report --no-such: exit code")
    check(run([small, "dump", "a b"])[2].startswith("heatscope dump: a b: "), "a word with a blank is not the same for the other")


def installed():
    cmake, build = sys.argv[4:6]
    stage, prefix = os.path.join(work, "stage"), "/opt/heatscope"
    done = subprocess.run([cmake, "--install", build, "--prefix", prefix], capture_output=True, text=True, env={**os.environ, "DESTDIR": stage})
    check(done.returncode == 0, "cmake --install: " + done.stderr[-500:])
    moved = os.path.join(work, "moved: to here")  # LD_PRELOAD is parted at blanks and colons
    os.rename(stage + prefix, moved)
    small = os.path.join(moved, "bin/heatscope")
    code, out, _ = run([small, "config", "--prefix"])
    check((code, out) == (0, moved + "\n"), f"config --prefix: {out!r}")
    for command in re.findall(r"^  ([a-z]+) +\S", run([small, "--help"])[1], re.M):
        if command in ("cc", "fc", "heatscope", "mpirun"):
            continue
        check(run([small, command, "--help"])[1].startswith(f"usage: heatscope {command} "), f"{command} --help")
        page = os.path.join(moved, f"share/man/man1/heatscope-{command}.1")
        check(os.path.exists(page) and open(page).read() == run([small, command, "--man"])[1], f"{command}: manual page")
    check(run([small, "run", "-q", "-o", "measured", "true"])[0] == 0, "run")
    code, _, err = run([small, "run", "-q", "--mpi", "-o", "with mpi", "true"])
    check(code == 1 and err.count("\n") == 1 and "blanks" in err, f"run with blanks in both paths: {code} {err!r}")
    code, _, err = run([small, "run", "-q", "--mpi", "-o", "with mpi", "true"], XDG_RUNTIME_DIR=work)
    check(code == 0 and not err and any(f.endswith(".hsr") for f in os.listdir(os.path.join(work, "with mpi"))), f"by the runtime directory: {err!r}")
    with open(os.path.join(build, "CMakeCache.txt")) as cache:
        bare = "HEATSCOPE_RUNTIME_SYMBOLS:BOOL=OFF" in cache.read()
    for library in ("libheatscope-rt.so", "libheatscope-mpi.so"):
        sections = subprocess.run(["readelf", "-SW", os.path.join(moved, "lib/heatscope", library)], capture_output=True, text=True).stdout
        check(".dynsym" in sections and not (bare and re.search(r"\.symtab|\.debug_", sections)), f"{library}: debuggers of users find our names in it")
    code, _, err = run([small, "correlate", "-q", "measured"])
    check(code == 0 and os.path.exists(os.path.join(work, "measured/heatscope.h5")), f"correlate: {err}")
    check(os.readlink(os.path.join(moved, "bin/heatscope-cc")) == "heatscope", "heatscope-cc")
    asked_by_others(moved, work, small, run, check)


def tools():
    """A line tells what is wrong with a debugger as the program; none of others, or where --quiet is given."""
    for name, said in (("gdb", "attach"), ("lldb-19", "attach"), ("valgrind", "slower"), ("gdbserve", None), ("strace.sh", None)):
        with open(os.path.join(work, name), "w") as f:
            f.write("#!/bin/sh\nexit 3\n")
        os.chmod(os.path.join(work, name), 0o755)
        code, _, err = run([heatscope, "run", "-o", f"of-{name}", os.path.join(work, name)])
        lines = [line for line in err.splitlines() if line.startswith(f"heatscope run: {name} ")]
        check(code == 3 and len(lines) == bool(said) and all(said in line for line in lines), f"{name}: {code} {err!r}")
        code, _, err = run([heatscope, "run", "-q", "-o", f"quiet-{name}", os.path.join(work, name)])
        check(code == 3 and not err, f"{name}, quiet: {err!r}")


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
{"tools": tools, "loads": loads, "hands_over": hands_over, "installed": installed}[test]()
print("passed" if not failures else f"{failures} failed")
sys.exit(failures > 0)
