# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Made-up measurement files, written as text and turned into streams by `heatscope dump --undump`."""
import csv
import io
import os
import shutil
import subprocess
import sys


class MadeUp:
    """records: a text dump that begins with this version's schema chunk; work: a folder of its own"""
    def __init__(self, heatscope, records, work):
        lines = open(records, encoding="utf-8").read().split("\n")
        self.head = lines[:next(i for i, line in enumerate(lines[2:], 2) if line.startswith("@chunk"))]
        self.schema = self.head[1].split("schema=")[1].split()[0]
        self.heatscope, self.work, self.database, self.wrong = heatscope, work, os.path.join(work, "out.h5"), []
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)

    def run(self, *command, text=None):
        done = subprocess.run([self.heatscope, *command], capture_output=True, text=True, input=text)
        if done.returncode:
            sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def that(self, condition, complaint):
        if not condition:
            self.wrong.append(complaint)

    def table(self, by, *options):
        return list(csv.DictReader(io.StringIO(self.run("report", f"--by={by}", "--format=csv", *options, self.database))))

    def process(self, pid, program, samples, library="/made/up/library.so", host="h", more=(), ends=True, own_ns=0, cpu_ns=None,
                address=8208, build_id="", lost=0, begin_s=0, program_build_id="", rank=-1, environment=None):
        """One thread. samples: in the program itself and in the library, at an address in [8192, 12288); build_id, program_build_id: the library's, the program's;
        more: records of the thread; lost: periods that records of `more` tell the reasons of; it runs for 2 s from begin_s on; environment: list of NAME=value, None: not known."""
        chunk = "@chunk dynamic stream={} sequence=0 t0=0 lost=0 slot=packed sealed schema=" + self.schema
        n = sum(samples) + sum(int(line.split("weight=")[1].split()[0]) for line in more if line.startswith("sample_weighted"))
        cpu_ns = (n + lost) * 1000000 if cpu_ns is None else cpu_ns
        lines = self.head + [
            chunk.format(0),
            f'process pid={pid} parent_pid=1 rank={rank} ranks={rank + 1 and 9} host="{host}" executable="{program}" arguments=["{program}"] '
            f'directory="/" start_unix_ns={1000000000 + int(begin_s * 1e9) + pid} start_ns={int(begin_s > 0)} mechanism="perf-cpu-clock" mechanism_note="" period_ns=1000000 '
            'processors=2 runtime_version="" job=""'
            + ("" if environment is None else " vector_bytes=0 environment_read=1 environment=[" + ",".join(f'"{v}"' for v in environment) + "]"),
            *[f'mapping mapping_id={i} address={4096 * i} size=4096 bias=0 path="{path}" build_id=<{known}> file_size=1 file_mtime_ns=1 time=1'
              for i, path, known in ((1, program, program_build_id), (2, library, build_id))],
            chunk.format(1), 'thread thread_id=1 tid=1 time=1 name="t" creator_id=0', "node node_id=1 parent_id=0 mapping_id=1 address=4112 flags=0",
            f"node node_id=2 parent_id=1 mapping_id=2 address={address} flags=0",
            *["sample time=5 node_id=1 state=0"] * samples[0], *["sample time=5 node_id=2 state=0"] * samples[1], *more,
            f"progress thread_id=1 time=900 cpu_ns={cpu_ns} samples={n} lost={lost} own_ns={own_ns} ended={int(ends)} truncated=0",
            *([f"process_end time=2000000000 cpu_ns={cpu_ns} how=0"] if ends else []), ""]
        self.run("dump", "--undump", "-", "-o", os.path.join(self.work, f"h.{pid}.hsr"), text="\n".join(lines))

    def library(self, compiler, path, source, *options):
        """A shared library in the mapping [65536, 131072): that mapping's record (3), and where each `pause` of it returns, in order."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path[:-2] + "c", "w", encoding="utf-8") as f:
            f.write(source)
        subprocess.run([compiler, "-O1", "-fvisibility=hidden", "-shared", "-fPIC", "-nostdlib", "-Wl,--build-id=sha1", "-Wl,-Ttext=0x10000", *options, path[:-2] + "c", "-o", path], check=True)
        said = {c: subprocess.run([c, *o, path], capture_output=True, text=True, check=True).stdout.splitlines() for c, *o in (("objdump", "-d"), ("readelf", "-n"))}
        at = [int(line.split(":")[0], 16) + 2 for line in said["objdump"] if line.split()[-1:] == ["pause"]]
        build_id = next(line.split()[-1] for line in said["readelf"] if "Build ID" in line)
        self.that(at and max(at) < 0x20000, f"no loops, or more than in the mapping: {at}")
        return f'mapping mapping_id=3 address=65536 size=65536 bias=0 path="{path}" build_id=<{build_id}> file_size=1 file_mtime_ns=1 time=1', at

    def end(self):
        if self.wrong:
            sys.exit("\n".join(self.wrong))
