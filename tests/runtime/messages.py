# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is recorded of programs' messages, against numbers that are known. Usage: messages.py TEST HEATSCOPE PROGRAMS WORK"""
import csv
import glob
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict

from measured import FIELD, number

SKIP = 77
RECORDS = ("message_system", "communicator", "operation", "message_summary", "message_event", "message_peer", "node", "mapping",
           "message_threshold", "sample", "handler_time")
ADDED = ("calls", "sent_messages", "sent_bytes", "received_messages", "received_bytes", "completions", "duration_ns",
         "completion_ns", "in_flight_ns")
LEAST = 0.2 # of what a program sleeps: the one that waits for it may come late itself, on a busy machine
failures = []


def expect(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: expected {wanted}, got {found}")


def at_least(what, found, wanted):
    if not found >= wanted:
        failures.append(f"{what}: expected at least {wanted}, got {found}")


class Rank:
    """One process, by its dump."""

    def __init__(self, path):
        self.system, self.operations, self.states, self.communicators = None, {}, {}, {}
        self.summaries, self.events, self.nodes, self.samples, self.times = [], [], {}, Counter(), []
        self.peers = defaultdict(Counter)
        stream = 0
        out = subprocess.run([HEATSCOPE, "dump", path], capture_output=True, text=True, check=True).stdout
        for line in out.splitlines():
            kind = line.split(" ", 1)[0]
            if kind == "@chunk":
                stream = int(re.search(r"stream=(\d+)", line)[1])
            if kind not in RECORDS:
                continue
            f = dict(FIELD.findall(line))
            if kind == "message_system":
                self.system = f
            elif kind == "communicator":
                self.communicators[f["communicator_id"]] = f
            elif kind == "operation":
                self.operations[f["operation_id"]] = f["name"].strip('"')
                self.states[f["operation_id"]] = f["state"].split("(")[1].strip(")")
            elif kind == "node":
                self.nodes[stream, int(f["node_id"])] = (int(f["parent_id"]), number(f["address"]), f["flags"])
            elif kind == "sample":
                self.samples[f["state"].split("(")[1].strip(")")] += 1
            elif kind == "handler_time":
                self.times.append(f)
            elif kind == "message_peer":
                for name in f:
                    if name not in ("time", "peer"):
                        self.peers[int(f["peer"])][name] += int(f[name])
            elif kind in ("message_summary", "message_event"):
                f["stream"] = stream
                (self.summaries if kind == "message_summary" else self.events).append(f)
        self.rank = int(self.system["rank"]) if self.system else -1
        for f in self.summaries + self.events:
            f["name"] = self.operations[f["operation_id"]]

    def total(self, name):
        """All summaries of one operation."""
        sum_ = Counter()
        for f in self.summaries:
            if f["name"] == name:
                sum_.update({a: int(f[a]) for a in ADDED})
                sum_[f["peer_class"].split("(")[1].strip(")")] += int(f["calls"])
        return sum_

    def places(self, name):
        return {(f["stream"], f["node_id"]) for f in self.summaries if f["name"] == name}

    def consistent(self):
        for f in self.summaries:
            what = f"rank {self.rank} {f['name']} at {f['node_id']}"
            calls, node = int(f["calls"]), (f["stream"], int(f["node_id"]))
            thread = int(f["thread_id"]) or f["stream"]
            if (thread, int(f["node_id"])) not in self.nodes:
                failures.append(f"{what}: no such node")
            elif "exact" in self.nodes[thread, int(f["node_id"])][2]:
                failures.append(f"{what}: is no call")
            for h, low, high in (("size_histogram", "size_min", "size_max"),
                                 ("duration_histogram", "duration_min", "duration_max")):
                v = [int(x) for x in f[h].strip("[]").split(",") if x]
                expect(f"{what}: sum of {h}", sum(v[1:]), calls)
                if calls:
                    filled = [v[0] + i for i, n in enumerate(v[1:]) if n]
                    expect(f"{what}: {h}", [filled[0], filled[-1]], [int(f[low]).bit_length(), int(f[high]).bit_length()])
            if calls:
                mean = int(f["duration_ns"]) / calls
                if not int(f["duration_min"]) <= mean <= int(f["duration_max"]):
                    failures.append(f"{what}: mean duration {mean}")
                if float(f["duration_squares"]) < 0.999999 * mean * mean * calls:
                    failures.append(f"{what}: sum of squares below its least")
            expect(f"{what}: size class", (int(f["size_max"]).bit_length() + 3) // 4 if calls else None,
                   int(f["size_class"]) if calls else None)


def run(name, launch, program, *arguments, ranks=4, options=(), around=False, output=None, said=None):
    """Ranks by number, and the finished mpirun; the program's own output and exit code are as without us (output: a list that
    the output is appended to instead, where it differs from run to run; said: the same for what is on stderr)."""
    directory = os.path.join(WORK, name)
    shutil.rmtree(directory, ignore_errors=True)
    start = [*launch, "-n", str(ranks)]
    measure = [HEATSCOPE, "run", "-o", directory, *options]
    command = [*measure, *start, program, *arguments] if around else [*start, *measure, program, *arguments]
    plain = subprocess.run([*start, program, *arguments], capture_output=True, text=True, timeout=300)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    expect(f"{name}: exit code", done.returncode, plain.returncode)
    if said is not None:
        said.append(done.stderr)
    if output is None:
        expect(f"{name}: output", done.stdout, plain.stdout)
    else:
        output.append(done.stdout)
    found, others = {}, []
    for path in glob.glob(os.path.join(directory, "*.hsr")):
        r = Rank(path)
        if r.system:
            found[r.rank] = r
            r.consistent()
        else:
            others.append((os.path.basename(path), len(r.nodes), len(r.summaries), r.operations))
    expect(f"{name}: ranks", sorted(found), list(range(ranks)))
    if sorted(found) != list(range(ranks)):
        print(done.stderr[-2000:], others, os.listdir(directory))
        finish()
    return found


def program(name):
    path = os.path.join(PROGRAMS, "rt_" + name)
    if not os.path.exists(path):
        print(f"{path} is not there")
        sys.exit(SKIP)
    return path


OPEN_MPI = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


# operation: what one rank of four sums up; r: its rank. Left out: 0
def known(r, full):
    d, i, n = 8, 4, 4
    t = {
        "MPI_Sendrecv": dict(calls=105 + full, sent_messages=105 + full, sent_bytes=100 * 1024 * d + 4 * 480 + 60 + full * 9 * i,
                             received_messages=105 + full, received_bytes=100 * 1024 * d + 4 * 480 + 60 + full * 9 * i,
                             machine=105 + full),
        "MPI_Sendrecv_replace": dict(calls=1, sent_messages=1, sent_bytes=64 * d, received_messages=1, received_bytes=64 * d,
                                     machine=1),
        "MPI_Send": dict(calls=8, sent_messages=3, sent_bytes=30 * i, nobody=5, machine=3),
        "MPI_Recv": dict(calls=12, received_messages=7, received_bytes=30 * i + 3 * 16 * i + 3 * i, nobody=5, machine=4, self=3),
        "MPI_Mprobe": dict(calls=1, completions=1, any=1),
        "MPI_Mrecv": dict(calls=1, received_messages=1, received_bytes=33 * i, machine=1),
        "MPI_Probe": dict(calls=1, completions=1, machine=1),
        "MPI_Isend": dict(calls=16, sent_messages=16, sent_bytes=36 * i + 3 * 16 * i + (1 + 2 + 3 + 4) * d, completions=16,
                          machine=13, self=3),
        "MPI_Irecv": dict(calls=12, received_messages=11, received_bytes=(1 + 2 + 3 + 4) * d, completions=12, machine=8, any=4),
        "MPI_Wait": dict(calls=3 + 2 * full, completions=3 + 2 * full, none=3 + 2 * full),
        "MPI_Waitall": dict(calls=7 + 6 * full, completions=14 + 12 * full, none=7 + 6 * full),
        "MPI_Waitany": dict(calls=1, completions=1, none=1),
        "MPI_Cancel": dict(calls=1, none=1),
        "MPI_Type_free": dict(calls=2, none=2),
        "MPI_Bsend": dict(calls=1, nobody=1),
        "MPI_Init": dict(calls=1, none=1),
        "MPI_Finalize": dict(calls=1, none=1),
    }
    if r == 0:
        t["MPI_Ssend"] = dict(calls=10, sent_messages=10, sent_bytes=10000 * i, machine=10)
    if r == 1:
        t["MPI_Recv"] = dict(calls=22, received_messages=17, received_bytes=t["MPI_Recv"]["received_bytes"] + 10000 * i,
                             nobody=5, machine=4, self=3, any=10)
    if not full:
        return t
    own = r + 1
    root = "root" if r == 0 else "from_root"

    def collective(sent, received, who="all", calls=1):
        return {"calls": calls, "sent_bytes": sent, "received_bytes": received, who: calls}
    t.update({
        "MPI_Start": dict(calls=6, none=6), "MPI_Startall": dict(calls=3, none=3), "MPI_Request_free": dict(calls=2, none=2),
        # the call itself, and six starts
        "MPI_Send_init": dict(calls=7, sent_messages=6, sent_bytes=6 * 128 * d, completions=6, machine=7),
        "MPI_Recv_init": dict(calls=7, received_messages=6, received_bytes=6 * 128 * d, completions=6, machine=7),
        "MPI_Barrier": collective(0, 0),
        "MPI_Reduce": collective(20 * d, 20 * d if r == 0 else 0, root),
        "MPI_Allreduce": collective(30 * d, 30 * d),
        "MPI_Gather": collective(4 * i, 4 * n * i if r == 0 else 0, root),
        "MPI_Gatherv": collective(own * i, 10 * i if r == 0 else 0, root),
        "MPI_Scatter": collective(4 * n * i if r == 0 else 0, 4 * i, root),
        "MPI_Scatterv": collective(10 * i if r == 0 else 0, own * i, root),
        "MPI_Allgather": collective(6 * i, 6 * n * i),
        "MPI_Allgatherv": collective(own * i, 10 * i),
        "MPI_Alltoall": collective(2 * n * i, 2 * n * i),
        "MPI_Alltoallv": collective(3 * n * i, 3 * n * i),
        "MPI_Reduce_scatter": collective(3 * n * d, 3 * d),
        "MPI_Reduce_scatter_block": collective(2 * n * d, 2 * d),
        "MPI_Scan": collective(5 * d, 5 * d), "MPI_Exscan": collective(5 * d, 5 * d),
        "MPI_Iallreduce": dict(collective(8 * d, 8 * d), completions=1),
        "MPI_Ibarrier": dict(collective(0, 0), completions=1),
        "MPI_Neighbor_alltoall": collective(2 * 2 * d, 2 * 2 * d),
        "MPI_Neighbor_allgather": collective(2 * d, 2 * 2 * d),
        "MPI_Comm_split": dict(calls=1, none=1), "MPI_Cart_create": dict(calls=1, none=1),
        "MPI_Comm_free": dict(calls=2, none=2), "MPI_Win_create": dict(calls=1, none=1), "MPI_Win_free": dict(calls=1, none=1),
        "MPI_Win_fence": dict(calls=4, none=4),
        "MPI_Put": dict(calls=2, sent_messages=2, sent_bytes=20 * d, machine=2),
        "MPI_Get": dict(calls=1, received_messages=1, received_bytes=15 * d, machine=1),
        "MPI_Accumulate": dict(calls=1, sent_messages=1, sent_bytes=5 * d, machine=1),
    })
    bcast = Counter(calls=2)
    for is_root, size in ((r == 1, 50 * d), (r < 2, 7 * d)):
        bcast["sent_bytes" if is_root else "received_bytes"] += size
        bcast["root" if is_root else "from_root"] += 1
    t["MPI_Bcast"] = dict(bcast)
    return t


def check_known(found, full, polls=("MPI_Test", "MPI_Waitsome")):
    for r, p in found.items():
        table = known(r, full)
        names = set(p.operations.values())
        expect(f"rank {r}: operations", names - set(polls), set(table))
        for name, wanted in table.items():
            total = p.total(name)
            got = {k: v for k, v in total.items() if v and not k.endswith("_ns")}
            expect(f"rank {r}: {name}", got, {k: v for k, v in wanted.items() if v})
        expect(f"rank {r}: MPI_Test", p.total("MPI_Test")["completions"], 3)
        expect(f"rank {r}: MPI_Waitsome", p.total("MPI_Waitsome")["completions"], 7)
        # pass_on is called from three places: as many call paths
        expect(f"rank {r}: places of MPI_Send", len(p.places("MPI_Send")), 4)
        keys = {c["key"] for c in p.communicators.values()}
        expect(f"rank {r}: communicators", len(keys), len(p.communicators))


def same_communicators(found):
    """Members of one communicator give it one key."""
    half = {r: [c["key"] for c in p.communicators.values() if c["size"] == "2"] for r, p in found.items()}
    expect("keys of the halves", (half[0] == half[2], half[1] == half[3], half[0] != half[1], len(half[0])),
           (True, True, True, 1))
    grid = {tuple(c["key"] for c in p.communicators.values() if "cartesian" in c["kind"]) for p in found.values()}
    expect("keys of the grid", len(grid), 1)
    expect("members of the halves", [c["members"] for c in found[1].communicators.values() if c["size"] == "2"], ["[1,3]"])


def counts():
    found = run("counts", OPEN_MPI, program("messages"))
    check_known(found, 1)
    same_communicators(found)
    found = run("around", OPEN_MPI, program("messages"), around=True)
    check_known(found, 1)


def fortran_of(r):
    t = known(r, 1)
    d = 8
    wanted = {k: t[k] for k in ("MPI_Init", "MPI_Finalize", "MPI_Barrier", "MPI_Bcast", "MPI_Allreduce", "MPI_Allgather",
                                "MPI_Comm_split")}
    wanted["MPI_Comm_free"] = wanted["MPI_File_delete"] = dict(calls=1, none=1)
    wanted["MPI_Sendrecv"] = dict(calls=100, sent_messages=100, sent_bytes=100 * 1024 * d, received_messages=100,
                                  received_bytes=100 * 1024 * d, machine=100)
    wanted["MPI_Send"] = dict(calls=5, nobody=5)
    wanted["MPI_Recv"] = dict(calls=5, nobody=5)
    wanted["MPI_Isend"] = dict(calls=7, sent_messages=7, completions=7, machine=7)
    wanted["MPI_Irecv"] = dict(calls=7, received_messages=7, completions=7, machine=7)
    wanted["MPI_Waitall"] = dict(calls=7, completions=14, none=7)
    if r == 0:
        wanted["MPI_Ssend"] = t["MPI_Ssend"]
    if r == 1:
        wanted["MPI_Recv"] = dict(calls=15, received_messages=10, received_bytes=40000, nobody=5, any=10)
    return wanted


def check_fortran(found):
    for r, p in found.items():
        wanted = fortran_of(r)
        expect(f"rank {r}: operations", set(p.operations.values()), set(wanted))
        for name in wanted:
            got = {k: v for k, v in p.total(name).items() if v and not k.endswith("_ns")}
            expect(f"rank {r}: {name}", got, {k: v for k, v in wanted[name].items() if v})


def compiled(name, compiler, *options, source="messages.f90"):
    """A program made now, by a compiler that is not the build's; skips where there is none."""
    if not shutil.which(compiler):
        return None
    out = os.path.join(WORK, name)
    done = subprocess.run([compiler, "-O2", "-g", *options, os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", source),
                           "-o", out], capture_output=True, text=True)
    if done.returncode:
        print(f"{name}: {compiler} can't make it:\n{done.stderr[-2000:]}")
        return None
    return out


def fortran():
    made = 0
    for name, options in (("mpif", ["-cpp"]), ("f08", ["-cpp", "-DF08"])):
        p = compiled(name, "mpif90.openmpi", *options)
        if p:
            made += 1
            check_fortran(run("fortran." + name, OPEN_MPI, p))
    if not made:
        sys.exit(SKIP)


def mpich():
    """The same library of wrappers with another implementation of MPI."""
    launch = ["mpirun.mpich"]
    p = compiled("messages.mpich", "mpicc.mpich", "-w", source="messages.c")
    if not p or not shutil.which(launch[0]):
        sys.exit(SKIP)
    found = run("mpich", launch, p)
    expect("library", {r.system["library"] for r in found.values()}, {'"MPICH"'})
    check_known(found, 1)
    same_communicators(found)
    f = compiled("mpif.mpich", "mpif90.mpich", "-cpp", "-fallow-argument-mismatch")
    if f:
        check_fortran(run("fortran.mpich", launch, f))
    f = compiled("f08.mpich", "mpif90.mpich", "-cpp", "-DF08")
    if f:
        check_fortran(run("fortran.f08.mpich", launch, f))


def partitioned():
    """Partitioned messages and persistent collective operations, where there is an MPI 4: each start counts one message of all
    partitions at the place that starts it, as other persistent operations do."""
    p = compiled("partitioned.mpich", "mpicc.mpich", "-w", source="message_partitioned.c")
    if not p or not shutil.which("mpirun.mpich"):
        sys.exit(SKIP)
    found = run("partitioned", ["mpirun.mpich"], p, ranks=2)
    starts, size = 3, 4 * 10 * 8
    init = {0: "MPI_Psend_init", 1: "MPI_Precv_init"}
    for r, process in found.items():
        side = ("sent_messages", "sent_bytes") if r == 0 else ("received_messages", "received_bytes")
        got = {k: v for k, v in process.total(init[r]).items() if v and not k.endswith("_ns")}
        expect(f"rank {r}: {init[r]}", got, {"calls": 1 + starts, side[0]: starts, side[1]: starts * size, "completions": starts,
                                             "machine": 1 + starts})
        for name, calls in (("MPI_Pready", starts * (r == 0)), ("MPI_Pready_range", starts * (r == 0)),
                            ("MPI_Pready_list", starts * (r == 0)), ("MPI_Parrived", starts * (r == 1)), ("MPI_Start", 2 * starts),
                            ("MPI_Wait", 2 * starts)):
            expect(f"rank {r}: {name}", process.total(name)["calls"], calls)
        reduce_ = process.total("MPI_Allreduce_init")
        expect(f"rank {r}: MPI_Allreduce_init", [reduce_[k] for k in ("calls", "sent_bytes", "received_bytes", "completions")],
               [1 + starts, starts * 16, starts * 16, starts])


def threads():
    """MPI_THREAD_MULTIPLE: what three threads of a process exchange at the same time is counted exactly, each thread's by itself."""
    for name, compiler, launch in (("threads", "mpicc", OPEN_MPI), ("threads.mpich", "mpicc.mpich", ["mpirun.mpich"])):
        p = compiled(name, compiler, "-w", "-pthread", source="message_threads.c") if shutil.which(launch[0]) else None
        if not p:
            continue
        plain = subprocess.run([*launch, "-n", "2", p], capture_output=True, text=True, timeout=300)
        if plain.returncode: # a library without it
            print(f"{name}: {plain.stderr[-500:]}")
            continue
        times, sizes = 100, [80, 160, 240]
        for r, process in run(name + "-run", launch, p, ranks=2).items():
            expect(f"{name}: level", process.system["thread_level"], "3")
            all_ = dict(calls=3 * times, sent_messages=3 * times, sent_bytes=times * sum(sizes))
            both = dict(all_, received_messages=3 * times, received_bytes=times * sum(sizes))
            expect_total(process, "MPI_Sendrecv", **both, machine=3 * times)
            expect_total(process, "MPI_Isend", **all_, completions=3 * times, machine=3 * times)
            total = process.total("MPI_Irecv")
            expect(f"{name}: MPI_Irecv", [total[k] for k in ("calls", "received_messages", "received_bytes", "completions")],
                   [3 * times, 3 * times, times * sum(sizes), 3 * times])
            expect(f"{name}: MPI_Waitall", process.total("MPI_Waitall")["calls"], 3 * times)
            by_thread = Counter()
            for f in process.summaries:
                by_thread[f["stream"]] += int(f["sent_bytes"]) if f["name"] == "MPI_Sendrecv" else 0
            expect(f"{name}: bytes of each thread", sorted(v for v in by_thread.values() if v), [times * n for n in sizes])


def sessions():
    """Programs that never call MPI_Init: who they are is asked of their sessions."""
    p = compiled("sessions.mpich", "mpicc.mpich", "-w", source="message_sessions.c")
    if not p or not shutil.which("mpirun.mpich"):
        sys.exit(SKIP)
    plain = subprocess.run(["mpirun.mpich", "-n", "4", p], capture_output=True, text=True, timeout=300)
    if plain.returncode: # an MPI before its version 4, or without them
        print(plain.stderr)
        sys.exit(SKIP)
    found = run("sessions", ["mpirun.mpich"], p, options=["--trace"])
    keys = []
    for r, process in found.items():
        expect(f"rank {r}: of", (process.system["ranks"], process.system["understood"]), ("4", "1"))
        expect_total(process, "MPI_Session_init", calls=2, none=2)
        expect_total(process, "MPI_Session_finalize", calls=2, none=2)
        expect_total(process, "MPI_Comm_create_from_group", calls=2, none=2)
        expect_total(process, "MPI_Sendrecv", calls=2, sent_messages=2, sent_bytes=240, received_messages=2, received_bytes=240, machine=2)
        partners = {q: {k: v for k, v in c.items() if v} for q, c in process.peers.items()}
        wanted = {(r + 1) % 4: Counter(sent_messages=2, sent_bytes=240), (r + 3) % 4: Counter(received_messages=2, received_bytes=240)}
        if r == 0:
            wanted[3].update(sent_messages=1, sent_bytes=240)
        if r == 3:
            wanted[0].update(received_messages=1, received_bytes=240)
        expect(f"rank {r}: partners", partners, {q: dict(c) for q, c in wanted.items()})
        by_id = sorted(process.communicators.values(), key=lambda c: int(c["communicator_id"]))
        keys.append([c["key"] for c in by_id])
    expect("communicators of each rank", {(len(k), len(set(k))) for k in keys}, {(3, 3)})
    expect("their keys at each rank", len({tuple(k) for k in keys}), 1)
    turned = [c for c in found[3].communicators.values() if c["parent_id"] != "0"]
    expect("members of what is turned round", [c["members"] for c in turned], ["[3,2,1,0]"])


def oracle():
    """Open MPI's own monitoring counts the same messages and bytes between each pair of ranks (it does not count starts of
    persistent requests, and counts parts of some collective operations: they are left out)."""
    seen = os.path.join(WORK, "seen")
    shutil.rmtree(seen, ignore_errors=True)
    os.makedirs(seen)
    launch = [*OPEN_MPI, "--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "3", "--mca",
              "pml_monitoring_filename", os.path.join(seen, "rank")]
    found = run("oracle", launch, program("messages"), "point-to-point")
    check_known(found, 0)
    wanted, got = Counter(), Counter()
    for path in glob.glob(os.path.join(seen, "*")):
        for line in open(path, encoding="utf-8"):
            part = line.split()
            if part and part[0] == "E":
                wanted[int(part[1]), int(part[2]), "bytes"] = int(part[3])
                wanted[int(part[1]), int(part[2]), "messages"] = int(part[5])
    if not wanted:
        print("this Open MPI has no monitoring")
        sys.exit(SKIP)
    for r, p in found.items():
        for other, c in p.peers.items():
            got[r, other, "bytes"] = c["sent_bytes"]
            got[r, other, "messages"] = c["sent_messages"]
            expect(f"{other} to {r}: received", (c["received_messages"], c["received_bytes"]),
                   (found[other].peers[r]["sent_messages"], found[other].peers[r]["sent_bytes"]))
    expect("monitoring", +got, +wanted)


def amount(i, k):
    """Elements from i to k in programs/message_collectives.c"""
    return 1 + (3 * i + 5 * k + i * k) % 11


def collectives():
    """Bytes of collective operations with different counts for each partner, and in place, against Open MPI's own monitoring of them. It
    counts at each rank what goes to, or at a root comes from, *others*; ours have a rank's part for itself too, which is known.
    What the start of the program takes is in the run of no operation. Of two Open MPI 4.1 has no count (it takes a part in place for
    nothing, and its monitoring divides by zero with neighbours of a graph): those are compared with what the program says."""
    n, rounds, size = 4, 3, 8

    def measure(what, monitoring=True):
        seen, directory = os.path.join(WORK, "seen"), os.path.join(WORK, "m")
        for d in (seen, directory):
            shutil.rmtree(d, ignore_errors=True)
        os.makedirs(seen)
        watch = ["--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "3", "--mca", "pml_monitoring_filename",
                 os.path.join(seen, "rank")] if monitoring else []
        done = subprocess.run([*OPEN_MPI, "-n", str(n), *watch, HEATSCOPE, "run", "-q", "-o", directory,
                               program("message_collectives"), what], capture_output=True, text=True, timeout=120)
        expect(f"{what}: exit code", done.returncode, 0)
        counted = Counter()
        for path in glob.glob(os.path.join(seen, "*")):
            for line in open(path, encoding="utf-8"):
                part = line.split()
                if part and part[0] in ("O2A", "A2O", "A2A"):
                    counted[int(part[1]), part[0]] += int(part[2])
        if monitoring and not counted:
            print("this Open MPI has no monitoring")
            sys.exit(SKIP)
        ranks = {}
        for path in glob.glob(os.path.join(directory, "*.hsr")):
            r = Rank(path)
            if r.system:
                ranks[r.rank] = r
        expect(f"{what}: ranks", sorted(ranks), list(range(n)))
        return ranks, counted

    _, start = measure("none")
    for what in ("alltoallv", "alltoallv-in-place", "alltoallw", "gatherv", "scatterv", "allgatherv", "allgatherv-in-place",
                 "neighbor_alltoallv"):
        seen = what not in ("allgatherv-in-place", "neighbor_alltoallv")
        ranks, counted = measure(what, seen)
        counted.subtract(start)
        name = "MPI_" + what.split("-")[0].capitalize()
        for r, p in sorted(ranks.items()):
            total, own, others = p.total(name), amount(r, r), [k for k in range(n) if k != r]
            expect(f"{what}: calls of rank {r}", total["calls"], rounds)
            unit = rounds * size
            theirs = {w: counted[r, w] for w in ("A2A", "A2O", "O2A")}
            if what.startswith("alltoall"): # symmetric counts but in the first
                sent = sum(amount(r, k) if what == "alltoallv" else amount(min(r, k), max(r, k)) for k in others)
                expect(f"{what}: known, rank {r}", total["sent_bytes"], unit * (sent + own))
                expect(f"{what}: rank {r}", total["sent_bytes"] - unit * own, theirs["A2A"])
            elif what == "gatherv":
                expect(f"{what}: sent by rank {r}", total["sent_bytes"], unit * amount(r, 1))
                expect(f"{what}: rank {r}", total["received_bytes"] - (r == 1) * unit * own, theirs["A2O"])
            elif what == "scatterv":
                expect(f"{what}: received by rank {r}", total["received_bytes"], unit * amount(1, r))
                expect(f"{what}: known, rank {r}", total["sent_bytes"], (r == 1) * unit * sum(amount(1, k) for k in range(n)))
                expect(f"{what}: rank {r}", total["sent_bytes"], theirs["O2A"]) # the only one in which they count the root's own part
            elif what.startswith("allgatherv"): # sent once, whoever gets it
                expect(f"{what}: received by rank {r}", total["received_bytes"], unit * sum(amount(k, k) for k in range(n)))
                expect(f"{what}: sent by rank {r}", total["sent_bytes"], unit * own)
                if seen:
                    expect(f"{what}: rank {r}", (n - 1) * total["sent_bytes"], theirs["A2A"])
            else:
                expect(f"{what}: received by rank {r}", total["received_bytes"], unit * amount((r - 1) % n, r))
                expect(f"{what}: sent by rank {r}", total["sent_bytes"], unit * amount(r, (r + 1) % n))


def example(name, folder, *sources):
    """A program of examples/, or None."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", folder)
    out = os.path.join(WORK, name)
    done = subprocess.run(["mpicc", "-std=c17", "-D_XOPEN_SOURCE=700", "-O2", "-g", "-o", out, *[os.path.join(root, f) for f in sources], "-lm"],
                          capture_output=True, text=True)
    if done.returncode:
        failures.append(f"{name}: {done.stderr[-2000:]}")
        finish()
    return out


def imbalance():
    """Of four ranks, rank r sleeps r + 1 units a round, then all meet: the wait at the barrier, against the program's own
    reading of the clock right around the call. Ours lie between the two readings; a rank that is preempted between its
    reading and ours makes the recorded wait shorter: half is left for a crowded machine, of ranks that wait at all."""
    rounds, unit_ms, said = 8, 20, []
    found = run("imbalance", OPEN_MPI, example("sleeper", "imbalance", "imbalance.c"), "-s", "-r", str(rounds), "-u", str(unit_ms), output=said)
    rows = [line.split() for line in said[0].splitlines() if re.match(r"\s*\d+ ", line)]
    expect("rows of the program", [int(r[0]) for r in rows], [0, 1, 2, 3])
    for row in rows:
        r, waited, units = int(row[0]), float(row[4]), int(row[5])
        expect(f"rank {r}: units of waiting", units, rounds * (3 - r))
        t = found[r].total("MPI_Barrier")
        expect(f"rank {r}: barriers", t["calls"], rounds)
        # printed to a millisecond; cycles are turned into nanoseconds by a rate that is known to a few parts in a thousand
        if not t["duration_ns"] <= waited * 1.01e9 + 1e6:
            failures.append(f"rank {r}: {t['duration_ns'] / 1e9} s at the barrier, {waited} s by the program")
        if units:
            at_least(f"rank {r}: wait at the barrier", t["duration_ns"], 0.5e9 * waited)
        print(f"rank {r}: {t['duration_ns'] / 1e9:.4f} s at the barrier, {waited:.3f} s by the program")
    blamed("imbalance", found)


def blamed(name, found):
    """Who is charged with the waits at barriers: by the correlator as by the events themselves, of which all ranks have one clock. Each waits from its own
    entry up to that of the last one; waits of which a rank has no event, or that end before the last one comes, are in neither."""
    expected, rounds = Counter(), defaultdict(dict)
    for r, p in found.items():
        for f in p.events:
            if f["name"] == "MPI_Barrier":
                rounds[int(f["sequence"])][r] = int(f["time"]), int(f["time"]) + int(f["duration_ns"])
    for calls in rounds.values():
        late = max(calls, key=lambda r: calls[r][0])
        for r, (enter, leave) in calls.items():
            if r != late and calls[late][0] <= leave and len(calls) == len(found):
                expected[r, late] += (calls[late][0] - enter) / 1e9
    text = subprocess.run([HEATSCOPE, "report", "--by=delayed", "--format=csv", os.path.join(WORK, name)], capture_output=True, text=True,
                          check=True).stdout
    told = Counter()
    for row in csv.DictReader(text.splitlines()):
        if row["kind"] == "late at a barrier":
            told[tuple(int(row[k].split()[1]) for k in ("processor", "late_processor"))] += float(row["wait_s"])
    expect("some wait for the last rank", any(late == 3 for _, late in expected), True)
    for pair in sorted(set(expected) | set(told)):
        if abs(told[pair] - expected[pair]) > 0.01 * expected[pair] + 1e-3:
            failures.append(f"rank {pair[0]} waits for rank {pair[1]}: {told[pair]} s, by the events {expected[pair]} s")
    print("waits at the barrier for the last one:", {f"{a} for {b}": round(v, 4) for (a, b), v in sorted(told.items())})


def pipeline():
    """A pipelined solver: with n points and blocks of b rows there are ceil(n / b) messages for each sweep and pair of neighbours,
    from two places, with n rows of n numbers in all; nothing is sent elsewhere but halos and two reductions."""
    adi, n, steps, ranks = example("adi", "adi", "adi.c", "sweeps.c"), 24, 3, 4
    for b in (1, 7, 24):
        blocks = -(-n // b)
        found = run(f"pipeline-{b}", OPEN_MPI, adi, "-n", str(n), "-s", str(steps), "-b", str(b), ranks=ranks)
        for r, p in found.items():
            sent = (r < ranks - 1) + (r > 0) # forward to the rank above, backward to the one below
            for name, kind in (("MPI_Send", "sent"), ("MPI_Recv", "received")):
                t = p.total(name)
                what = f"blocks of {b}, rank {r}, {name}"
                expect(f"{what}: calls", t["calls"], 2 * steps * blocks) # at the walls to MPI_PROC_NULL
                expect(f"{what}: messages", t[kind + "_messages"], sent * steps * blocks)
                expect(f"{what}: bytes", t[kind + "_bytes"], sent * steps * n * n * 8)
                expect(f"{what}: places", len(p.places(name)), 2)
            expect(f"blocks of {b}, rank {r}: operations", {f["name"] for f in p.summaries if f["name"] not in ("MPI_Init", "MPI_Finalize")},
                   {"MPI_Send", "MPI_Recv", "MPI_Sendrecv", "MPI_Allreduce", "MPI_Reduce"})


def loaded():
    """MPI that only a module loaded by dlopen has; a program that has none finds none."""
    plugin = os.path.join(PROGRAMS, "plugins", "libmessage_plugin.so")
    found = run("loaded", OPEN_MPI, program("message_loads"), plugin, ranks=2)
    for r, p in found.items():
        expect(f"rank {r}", {k: v for k, v in p.total("MPI_Sendrecv_replace").items() if not k.endswith("_ns")},
               dict(calls=9, sent_messages=9, sent_bytes=3600, received_messages=9, received_bytes=3600, completions=0, machine=9))
    done = subprocess.run([HEATSCOPE, "run", "--mpi", "-q", "-o", os.path.join(WORK, "none"), program("message_loads"), "/none"],
                          capture_output=True, text=True)
    expect("without MPI", (done.returncode, "found" in done.stdout), (1, False))


def waits():
    """Every wait of message_waits.c is found with its cause: the event of the other side that has the same channel and sequence number.
    Both are within the calls of one round by the program's own clock. That holds whatever the load; how long the waits are does not:
    a rank that has no processor does not wait for the other one. A wait of which the program knows is found at its place unless the
    rank was taken off the processor between the program's reading of the clock and ours: one of each kind may be."""
    k, printed = 6, []
    found = run("waits", OPEN_MPI, program("message_waits"), ranks=2, output=printed)
    a, b = found[0], found[1]
    world = {r: next(c for c in found[r].communicators.values() if "world" in c["kind"])["communicator_id"] for r in (0, 1)}
    rounds = {}
    for line in printed[0].splitlines():
        r, kind, i, start, end = map(int, line.split())
        rounds[r, kind, i] = (start, end)
    expect("readings of the clock", len(rounds), 2 * 5 * k)

    def events(p, flag, tag=None, name=None, without="begun"):
        other = {int(f["sequence"]): f for f in p.events if flag in f["flags"] and without not in f["flags"] and
                 f["communicator_id"] == world[p.rank] and (tag is None or f["tag"] == str(tag)) and
                 (name is None or f["name"] == name)}
        return other

    def round_of(p, kind, f):
        """The round of the program that an event's call is of."""
        begin, end = int(f["time"]), int(f["time"]) + int(f["duration_ns"])
        return next((i for i in range(k) if rounds[p.rank, kind, i][0] <= begin and end <= rounds[p.rank, kind, i][1]), None)

    def matched(what, kind, p, waiting, q, cause):
        waited = set()
        for s, w in waiting.items():
            if s not in cause:
                failures.append(f"{what}: the cause of wait {s} is not there")
                continue
            here, there = round_of(p, kind, w), round_of(q, kind, cause[s])
            if here is None or here != there:
                failures.append(f"{what}: wait {s} of round {here}, its cause of round {there}")
            waited.add(here)
            begin, end = int(w["time"]), int(w["time"]) + int(w["duration_ns"])
            at_least(f"{what}: wait {s} within its call", int(w["duration_ns"]), min(int(cause[s]["time"]), end) - begin)
        true = {i for i in range(k) if min(rounds[q.rank, kind, i][0], rounds[p.rank, kind, i][1]) - rounds[p.rank, kind, i][0] > 1000000}
        at_least(f"{what}: waits of which the program knows", len(true & waited), len(true) - 1)

    matched("late sender", 1, b, events(b, "received", 1), a, events(a, "sent", 1))
    matched("late receiver", 2, a, events(a, "sent", 2), b, events(b, "received", 2))
    matched("late sender of what was begun", 3, b, events(b, "received|completed", 3), a, events(a, "sent", 3))
    barriers = {s: f for s, f in events(b, "collective", name="MPI_Barrier").items() if round_of(b, 4, f) is not None}
    matched("barrier", 4, b, barriers, a, events(a, "collective", name="MPI_Barrier"))
    matched("broadcast", 5, b, events(b, "collective", name="MPI_Bcast"), a, events(a, "collective", name="MPI_Bcast"))
    done = [f for f in b.events if f["name"] == "MPI_Wait"]
    for f in done:
        if b.nodes.get((int(f["begin_thread_id"]), int(f["begin_node_id"]))) is None:
            failures.append("MPI_Wait: the call that began it is not known")
    # the summaries have the same waits, in their durations, and no more than the program sees
    for name, kinds, tags in (("MPI_Recv", (1, 2), (1, 2)), ("MPI_Wait", (3,), (3,))):
        at_least(f"summary of {name}", b.total(name)["duration_ns"],
                 sum(int(f["duration_ns"]) for f in b.events if f["name"] == name and f["tag"] in map(str, tags)))
        at_least(f"{name} by the program's clock", sum(rounds[1, kind, i][1] - rounds[1, kind, i][0] for kind in kinds for i in range(k)),
                 b.total(name)["duration_ns"])
    at_least("in flight", b.total("MPI_Irecv")["in_flight_ns"], b.total("MPI_Wait")["duration_ns"])
    expect("completion at the place of the wait and of the begin", b.total("MPI_Irecv")["completion_ns"],
           b.total("MPI_Wait")["duration_ns"])
    # samples know the state from the wrapper: MPI_Init alone takes dozens
    at_least("samples in the library's start and end", b.samples["runtime"], 1)


def rows_of(directory, by, *options):
    done = subprocess.run([HEATSCOPE, "report", f"--by={by}", "--format=json", *options, directory], capture_output=True, text=True)
    expect(f"report --by={by}", done.returncode, 0)
    return json.loads(done.stdout) if not done.returncode else {"rows": []}


def blame():
    """Waiting is as long as the program's own clock says, and laid to the place where the late rank was meanwhile.

    The program reads the clock right before each call, the wrapper a moment later: unless the rank is taken off the processor just
    between, which costs at most some time slices (20 ms are allowed for, three times) and is rare, both see the same. Waits
    below 0.1 ms are not seen at all. Places: 20 ms of each loop are sampled 10 times, so the loop has some 200 samples more on
    the late rank than on the others; that it has more of the delay than any other place does not depend on the load. Time in which
    the late rank had no processor is a cause of its own: of the rank that is stopped for 40 ms ten times it is at least half of that
    (the one that waits may now and then be kept from its call for as long)."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "message_blame.c")
    lines = open(source, encoding="utf-8").read().splitlines()

    def line_of(text):
        return next(i for i, x in enumerate(lines, 1) if text in x)

    directory = os.path.join(WORK, "blame")
    shutil.rmtree(directory, ignore_errors=True)
    done = subprocess.run([*OPEN_MPI, "-n", "3", HEATSCOPE, "run", "-q", "--budget=off", "-o", directory, program("message_blame")], capture_output=True,
                          text=True, timeout=250)
    expect("exit code", done.returncode, 0)
    truth = {(w, int(v)): float(s) for w, v, s in (x.split() for x in done.stdout.splitlines())}
    delayed, causes = rows_of(directory, "delayed")["rows"], rows_of(directory, "cause")["rows"]
    # way: kind of wait, line of the call that came late, procedure or wait that it was late by
    ways = {
        "late-sender": ("late sender", line_of("TIMED(0, k, MPI_Send"), "loop_a"),
        "sleeping": ("late sender", line_of("TIMED(1, k, MPI_Send"), "sleep"),
        "late-receiver": ("late receiver", line_of("TIMED(2, k, MPI_Recv"), "loop_b"),
        "barrier": ("late at a barrier", line_of("TIMED(3, k, MPI_Barrier"), "loop_c"),
        "root": ("late root", line_of("TIMED(4, k, MPI_Bcast"), "loop_d"),
        "members": ("late for the root", line_of("TIMED(5, k, MPI_Gather"), "loop_e"),
        "stopped": ("late sender", line_of("TIMED(7, k, MPI_Send"), None),
        "progress": ("late receiver", line_of("TIMED(8, k, MPI_Test"), "loop_g"),
        "made": ("late at a collective operation of all", line_of("TIMED(9, k, MPI_Comm_dup"), "loop_h"),
    }
    for way, (kind, line, procedure) in ways.items():
        for victim in range(3):
            wanted = truth.get((way, victim), 0)
            got = sum(r["wait_s"] for r in delayed if (r["kind"], r["late_line"], r["processor"]) == (kind, line, f"rank {victim} thread 0"))
            if abs(got - wanted) > 0.05 * wanted + 0.061:
                failures.append(f"{way}: rank {victim} waited {wanted} s, reported {got}")
        place = Counter()
        for r in causes:
            if (r["kind"], r["late_line"]) == (kind, line):
                place[None if r["running"] == "no" or r["known"] == "no" else r["waited"] or r["procedure"]] += r["direct_s"]
        if procedure:
            del place[None]
        else:
            at_least(f"{way}: not running", place[None], 0.5 * 10 * 0.040)
            continue
        expect(f"{way}: most by", place.most_common(1)[0][0] if place else None, procedure)
    # of what rank 2 waited for rank 1, that is not 1's doing in which 1 waited itself
    chain = [r for r in causes if r["late_line"] == line_of("passed on")]
    at_least("chain: handed on", sum({r["delay"]: r["indirect_s"] for r in chain}.values()),
             0.8 * truth.get(("chain-indirect", 2), 0) - 0.061)
    # all that was waited is laid to somebody, once; the metric has what of it counts: all but what the library's own threads wait for each other
    waited, caused, counted = sum(r["wait_s"] for r in delayed), sum(r["caused_s"] for r in causes), sum(r["counted_s"] for r in causes)
    if abs(waited - caused) > 1e-6 * waited:
        failures.append(f"waited {waited} s, caused {caused} s")
    ours = sum(r["caused_s"] for r in causes if r["own_code"] == "yes")
    if not ours * (1 - 1e-6) <= counted <= caused:
        failures.append(f"caused {caused} s, by the program's own code {ours}, counted {counted}")
    metric = rows_of(directory, "module", "--metric=waiting caused")
    total = metric["periods"] * metric["unit_per_period"]
    if abs(total - counted) > 1e-6 * (len(causes) + 1): # each place is rounded to 1 us
        failures.append(f"counted {counted} s, the metric has {total}")
    ledger = rows_of(directory, "ledger")["rows"]
    parts = [r for r in ledger if r["meaning"].startswith("[message waits]")]
    at_least("rows of the ledger", len(parts), 9)
    whole = next(r["time_s"] for r in ledger if r["name"] == "message waits")
    calls = [r["time_s"] for r in ledger if r["meaning"].startswith("[calls of MPI]")]
    all_s = next(r["time_s"] for r in ledger if r["name"] == "calls of MPI")
    if abs(all_s - sum(calls)) > 1e-6 * all_s or min(calls) < 0:
        failures.append(f"ledger: calls of MPI {all_s}, their parts {calls}")
    if abs(whole - sum(r["time_s"] for r in parts)) > 1e-6 * whole:
        failures.append(f"ledger: message waits {whole}, their parts {sum(r['seconds'] for r in parts)}")


def check_late(name, launch, path, source, ranks, kind_of, wanted_ways):
    """What ranks of a program waited for one that is late by a loop of its own, each way at its line. wanted_ways: late rank and loop. Returns the ranks."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", source)
    lines = open(source, encoding="utf-8").read().splitlines()
    output = []
    found = run(name, launch, path, ranks=ranks, options=["--budget=off"], output=output)
    truth = {(w, int(v)): float(s) for w, v, s in (x.split() for x in output[0].splitlines())}
    directory = os.path.join(WORK, name)
    delayed, causes = rows_of(directory, "delayed")["rows"], rows_of(directory, "cause")["rows"]
    for way, (late, loop) in wanted_ways.items():
        if not any(w == way for w, _ in truth): # this library has it not
            continue
        kind, line = kind_of(way), next(i for i, x in enumerate(lines, 1) if x.rstrip().endswith(f"/* {way} */"))
        for victim in range(ranks):
            wanted = truth.get((way, victim), 0)
            waits = [r for r in delayed if (r["kind"], r["late_line"], r["processor"]) == (kind, line, f"rank {victim} thread 0")]
            if not wanted: # nor for who works, but maybe for another one that had no processor
                expect(f"{name}, {way}: rank {victim} waited for", [r["wait_s"] for r in waits if r["late_processor"] == f"rank {late} thread 0"], [])
                continue
            got = sum(r["wait_s"] for r in waits)
            if abs(got - wanted) > 0.05 * wanted + 0.061:
                failures.append(f"{name}, {way}: rank {victim} waited {wanted} s, reported {got}")
        at_least(f"{name}, {way}: waited", sum(v for (w, _), v in truth.items() if w == way), 0.02)
        place = Counter()
        for r in causes:
            if (r["kind"], r["late_line"]) == (kind, line) and r["procedure"].startswith("loop_"): # else it may have left the barrier late, on a busy machine
                place[r["procedure"]] += r["direct_s"]
        expect(f"{name}, {way}: most by", place.most_common(1)[0][0] if place else None, loop)
        at_least(f"{name}, {way}: by it", place[loop], 0.02)
    return found


def check_neighbours(name, launch, path):
    found = check_late(name, launch, path, "message_neighbours.c", 4, lambda way: "late neighbour",
                       {"line": (1, "loop_a"), "begun": (2, "loop_b"), "from": (1, "loop_c"), "to": (1, "loop_c"), "several": (2, "loop_d"), "started": (3, "loop_e")})
    # what has no neighbour at the edge of the grid moves nothing
    for rank, sides in enumerate((1, 2, 2, 1)):
        total = found[rank].total("MPI_Neighbor_alltoall")
        expect(f"{name}, rank {rank}: bytes over the line", (total["sent_bytes"], total["received_bytes"]), (10 * 8 * sides, 10 * 8 * sides))


def neighbours():
    """Waits in collective operations of neighbours: as long as the program's own clock says, for neighbours alone; see blame() for the bound."""
    check_neighbours("neighbours", OPEN_MPI, program("message_neighbours"))
    p = compiled("message_neighbours.mpich", "mpicc.mpich", "-w", source="message_neighbours.c")
    if p and shutil.which("mpirun.mpich"):
        check_neighbours("neighbours.mpich", ["mpirun.mpich"], p)


def persistent():
    """Waits for partitions, and for the root of a persistent broadcast, where there is an MPI 4; see blame() for the bound."""
    p = compiled("message_persistent.mpich", "mpicc.mpich", "-w", source="message_persistent.c")
    if not p or not shutil.which("mpirun.mpich"):
        sys.exit(SKIP)
    check_late("persistent", ["mpirun.mpich"], p, "message_persistent.c", 2, lambda way: "late root" if way == "root" else "late sender",
               {"partitions": (0, "loop_a"), "looks": (0, "loop_b"), "root": (0, "loop_c")})


def check_windows(name, launch, path, needs_target=False):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "message_windows.c")
    lines = open(source, encoding="utf-8").read().splitlines()

    def line_of(text):
        return next(i for i, x in enumerate(lines, 1) if text in x and "/* " in x and "*/" in x)

    directory = os.path.join(WORK, name + ".measured")
    shutil.rmtree(directory, ignore_errors=True)
    done = subprocess.run([*launch, "-n", "3", HEATSCOPE, "run", "-q", "--budget=off", "-o", directory, path], capture_output=True, text=True,
                          timeout=250)
    expect(f"{name}: exit code", done.returncode, 0)
    truth = {(w, int(v)): float(s) for w, v, s in (x.split() for x in done.stdout.splitlines())}
    delayed, causes = rows_of(directory, "delayed")["rows"], rows_of(directory, "cause")["rows"]
    ways = {"fence": ("late at a fence", line_of("/* fence */")), "post": ("late post", line_of("/* late post */")),
            "complete": ("late complete", line_of("/* late */")), "lock": ("held a lock of a window", line_of("/* held */")),
            "whole": ("held a lock of a window", line_of("/* held from all */")), "part": ("held a lock of a window", line_of("/* held all */")),
            "target": ("late target", line_of("/* back */")), "flush": ("late target", line_of("/* back to a flush */")),
            "request": ("late target", line_of("/* back to a request */")), "requests": ("late target", line_of("/* back to several */")),
            "looks": ("late target", line_of("/* back to one who looks */"))}
    for way, (kind, line) in ways.items():
        for victim in range(3):
            wanted = truth.get((way, victim), 0) if needs_target or kind != "late target" else 0  # what it took was no wait for the target
            got = sum(r["wait_s"] for r in delayed if (r["kind"], r["late_line"], r["processor"]) == (kind, line, f"rank {victim} thread 0"))
            if abs(got - wanted) > 0.05 * wanted + 0.061:
                failures.append(f"{name}, {way}: rank {victim} waited {wanted} s, reported {got}")
        if kind == "late target" and not needs_target:
            continue
        at_least(f"{name}, {way}: waited", sum(v for (w, _), v in truth.items() if w == way), LEAST * 10 * (0.035 if kind == "late target" else 0.040))
        place = Counter()
        for r in causes:
            if (r["kind"], r["late_line"]) == (kind, line) and r["running"] == "yes":
                place[r["procedure"]] += r["direct_s"]
        expect(f"{name}, {way}: most by", place.most_common(1)[0][0] if place else None, "sleep_long")
    ledger = rows_of(directory, "ledger")["rows"]
    whole = next(r["time_s"] for r in ledger if r["name"] == "message waits")
    parts = sum(r["time_s"] for r in ledger if r["meaning"].startswith("[message waits]"))
    if abs(whole - parts) > 1e-6 * whole:
        failures.append(f"{name}: message waits {whole}, their parts {parts}")


def windows():
    """Waits at one-sided operations: as long as the program's own clock says, and laid to who slept; see blame() for the bound."""
    check_windows("windows", OPEN_MPI, program("message_windows"))
    p = compiled("windows.mpich", "mpicc.mpich", "-w", source="message_windows.c")
    if p and shutil.which("mpirun.mpich"):
        check_windows("windows.mpich", ["mpirun.mpich"], p, needs_target=True)


def check_jumps(name, launch, path):
    """0.6 s of computing, after calls that were left by jumps; of them no sample is in message passing, wherever the stack is then, and calls after them are seen."""
    for p in run(name, launch, path, ranks=2, options=["--budget=off"]).values():
        passing = sum(p.samples[k] for k in ("communication", "waiting", "synchronisation"))
        total = sum(p.samples.values())
        at_least(f"{name}, rank {p.rank}: samples", total, 200)
        at_least(f"{name}, rank {p.rank}: samples not in message passing", total - passing, 0.9 * total)
        expect(f"{name}, rank {p.rank}: calls after jumps", p.total("MPI_Sendrecv")["calls"], 20)


def jumps():
    """Calls of MPI that an error handler leaves by longjmp."""
    check_jumps("jumps", OPEN_MPI, program("message_jumps"))
    p = compiled("message_jumps.mpich", "mpicc.mpich", "-w", source="message_jumps.c")
    if p and shutil.which("mpirun.mpich"):
        check_jumps("jumps.mpich", ["mpirun.mpich"], p)


def freed():
    """What is kept of a window's epochs is freed with it: a page each. (What is left, a quarter of a KiB each, is what requests may point to.)"""
    p = compiled("message_freed", "mpicc", source="message_freed.c")
    if not p:
        sys.exit(SKIP)
    output, windows, ranks = [], 1000, 2
    rank = run("freed", OPEN_MPI, p, str(windows), ranks=ranks, output=output)[0]
    expect("windows freed", rank.total("MPI_Win_free")["calls"], windows)
    plain = subprocess.run([*OPEN_MPI, "-n", str(ranks), p, str(windows)], capture_output=True, text=True, timeout=300).stdout
    print(f"grown by {int(output[0])} KiB, without measuring {int(plain)}")
    at_least("KiB that memory did not grow by", int(plain) + ranks * windows * 4 // 4, int(output[0]))


def expect_total(p, name, **wanted):
    """All that an operation's summaries sum up to but times; left out: 0."""
    expect(f"rank {p.rank}: {name}", {k: v for k, v in p.total(name).items() if v and not k.endswith("_ns")}, wanted)


def check_nobody(found):
    size = 8000
    for r, p in found.items():
        to, from_ = 10 * (r < 3), 10 * (r > 0)
        sent = {k: v for k, v in dict(sent_messages=to, sent_bytes=to * size).items() if v}
        received = {k: v for k, v in dict(received_messages=from_, received_bytes=from_ * size).items() if v}
        expect_total(p, "MPI_Send", calls=10, **sent, **{"machine" if to else "nobody": 10})
        expect_total(p, "MPI_Recv", calls=10, **received, **{"machine" if from_ else "nobody": 10})
        expect_total(p, "MPI_Sendrecv", calls=10, **sent, **received, **{"machine" if to else "nobody": 10})
        expect_total(p, "MPI_Isend", calls=10, completions=10, nobody=10)
        expect_total(p, "MPI_Send_init", calls=2, completions=1, nobody=2)
        if "MPI_Isendrecv" in p.operations.values():
            expect_total(p, "MPI_Isendrecv", calls=1, completions=1, **{k: v // 10 for k, v in {**sent, **received}.items()},
                         **{"machine" if to else "nobody": 1})
        # the size of a call is what it sends, and what it receives where it sends to nobody
        for f in p.summaries:
            if f["name"] in ("MPI_Sendrecv", "MPI_Isendrecv"):
                expect(f"rank {r}: sizes of {f['name']}", (int(f["size_min"]), int(f["size_max"])) if int(f["calls"]) else (size, size),
                       (size, size))


def nobody():
    """Calls to MPI_PROC_NULL are counted, have a class of their own, and no size: a mean is that of messages."""
    check_nobody(run("nobody", OPEN_MPI, program("message_others"), "nobody"))
    text = subprocess.run([HEATSCOPE, "report", "--by=message", os.path.join(WORK, "nobody")], capture_output=True, text=True, check=True).stdout
    sizes = {line.split()[7]: line.split()[5] for line in text.splitlines() if len(line.split()) > 8 and line.split()[2] == "40"}
    expect("mean sizes", {k: sizes.get(k) for k in ("Send", "Recv", "Sendrecv", "Isend")},
           {"Send": "8.0k", "Recv": "8.0k", "Sendrecv": "8.0k", "Isend": "0"})
    p = compiled("others.mpich", "mpicc.mpich", "-w", source="message_others.c")
    if p and shutil.which("mpirun.mpich"):
        check_nobody(run("nobody.mpich", ["mpirun.mpich"], p, "nobody"))


def atomics():
    """One-sided operations with requests, and atomic ones: both directions are counted where something comes back."""
    for p in run("atomics", OPEN_MPI, program("message_others"), "windows").values():
        expect_total(p, "MPI_Rput", calls=1, sent_messages=1, sent_bytes=24, completions=1, machine=1)
        expect_total(p, "MPI_Rget", calls=1, received_messages=1, received_bytes=16, completions=1, machine=1)
        for name, size in (("MPI_Fetch_and_op", 8), ("MPI_Compare_and_swap", 8), ("MPI_Get_accumulate", 32)):
            expect_total(p, name, calls=1, sent_messages=1, sent_bytes=size, received_messages=1, received_bytes=size, machine=1)
        for name in ("MPI_Win_lock_all", "MPI_Win_flush_all", "MPI_Win_unlock_all"):
            expect_total(p, name, calls=1, none=1)


def faults():
    """Calls that begin an epoch of a window, or make a communicator, ask the kernel for no memory each: it would be seen in page faults."""
    path, directory = program("message_others"), os.path.join(WORK, "faults.measured")
    for name, command in (("bare", []), ("measured", [HEATSCOPE, "run", "-q", "--budget=off", "-o", directory])):
        shutil.rmtree(directory, ignore_errors=True)
        done = subprocess.run([*OPEN_MPI, "-n", "2", *command, path, "faults"], capture_output=True, text=True, timeout=250)
        expect(f"{name}: exit code", done.returncode, 0)
        for what, n, count in re.findall(r"(\w+) (\d+) faults (\d+)", done.stdout):
            if 2 * int(count) > int(n):
                failures.append(f"{name}: {count} page faults in {n} {what}")


def files():
    """Files of MPI: bytes written and read, in the state of input and output."""
    for p in run("files", OPEN_MPI, program("message_others"), "files", os.path.join(WORK, "numbers")).values():
        expect_total(p, "MPI_File_write_at", calls=1, sent_bytes=400, none=1)
        expect_total(p, "MPI_File_write_at_all", calls=1, sent_bytes=200, none=1)
        expect_total(p, "MPI_File_read_at", calls=1, received_bytes=80, none=1)
        expect_total(p, "MPI_File_iread_at", calls=1, received_bytes=120, none=1)
        for name in ("MPI_File_open", "MPI_File_close"):
            expect_total(p, name, calls=2, none=2)
        for name in ("sync", "get_size", "set_atomicity", "set_info", "seek", "seek_shared", "get_position_shared", "delete"):
            expect_total(p, "MPI_File_" + name, calls=1, none=1)
        expect("state in them", {p.states[o] for o, name in p.operations.items() if name.startswith("MPI_File_")}, {"io"})


def timed():
    """Calls of which no more is known than how long they take: ports, memory, the end of a buffer."""
    for r, p in run("timed", OPEN_MPI, program("message_others"), "timed").items():
        for name in ("Alloc_mem", "Free_mem", "Buffer_detach", "Request_get_status", "Win_attach", "Win_detach", "Win_set_info", "Comm_set_info"):
            expect_total(p, "MPI_" + name, calls=1, none=1)
        for name in ("Open_port", "Close_port") if r == 0 else ():
            expect_total(p, "MPI_" + name, calls=1, none=1)


def trace():
    """--trace: every message is there, from both sides, once."""
    found = run("trace", OPEN_MPI, program("messages"), "point-to-point", options=["--trace"])
    for side, other in (("sent", "received"), ("received", "sent")):
        for r, p in found.items():
            for f in p.events:
                flags = f["flags"]
                if side not in flags or "completed" in flags or int(f["peer"]) < 0 or f["tag"] == "20": # 20 is never sent
                    continue
                key = p.communicators[f["communicator_id"]]["key"]
                if p.communicators[f["communicator_id"]]["size"] != "4":
                    continue
                q = found[int(f["peer"])]
                twins = [g for g in q.events if other in g["flags"] and q.communicators[g["communicator_id"]]["key"] == key and
                         int(g["peer"]) == r and (g["tag"], g["sequence"]) == (f["tag"], f["sequence"])]
                if not twins:
                    failures.append(f"rank {r}: {f['name']} to or from {f['peer']} tag {f['tag']} number {f['sequence']}: "
                                    f"no {other} side")
    sent = [sum("sent" in f["flags"] and "completed" not in f["flags"] for f in p.events) for p in found.values()]
    wanted = [sum(c["sent_messages"] for c in p.peers.values()) for p in found.values()]
    expect("events of what was sent", sent, wanted)


def off():
    found = os.path.join(WORK, "off")
    shutil.rmtree(found, ignore_errors=True)
    done = subprocess.run([*OPEN_MPI, "-n", "2", HEATSCOPE, "run", "-q", "--no-messages", "-o", found, program("message_waits")],
                          capture_output=True, text=True)
    expect("exit code", done.returncode, 0)
    for path in glob.glob(os.path.join(found, "*.hsr")):
        expect("records", Rank(path).system, None)
    # by the environment alone
    shutil.rmtree(found, ignore_errors=True)
    library = subprocess.run([HEATSCOPE, "config", "--preload-mpi"], capture_output=True, text=True, check=True).stdout.strip()
    done = subprocess.run([*OPEN_MPI, "-n", "2", "env", f"LD_PRELOAD={library}", f"HEATSCOPE_OUTPUT={found}", program("message_waits")], capture_output=True, text=True)
    expect("by the environment: exit code", done.returncode, 0)
    ranks = [Rank(path) for path in glob.glob(os.path.join(found, "*.hsr"))]
    expect("by the environment: ranks with messages", [bool(r.summaries) for r in ranks], [True, True])
    # a launcher that starts nothing: no report is promised
    shutil.rmtree(found, ignore_errors=True)
    done = subprocess.run([HEATSCOPE, "run", "-o", found, *OPEN_MPI, "-n", "2", os.path.join(WORK, "no-such-program")], capture_output=True, text=True)
    expect("nothing started: said", (done.returncode != 0, "heatscope: nothing was measured: " in done.stderr, "next:" in done.stderr), (True, True, False))


def paths():
    """Calls by the node of their call path, exactly: paths that end at one instruction with one stack pointer (patterns of two callers with
    frames of one size, tail calls), and one path with many stack pointers (alloca). In turns: no call has the path of the one before."""
    p = compiled("paths", "mpicc", "-fno-inline", source="message_paths.c")
    if not p:
        sys.exit(SKIP)
    rank = run("paths-run", OPEN_MPI, p, ranks=1)[0]
    wanted = {"MPI_Ssend": list(range(1, 65)), "MPI_Barrier": list(range(1, 21)), "MPI_Bcast": [300], "MPI_Send": [20, 30, 40]}
    for name, calls in wanted.items():
        by_node = Counter()
        for f in rank.summaries:
            if f["name"] == name:
                by_node[f["stream"], f["node_id"]] += int(f["calls"])
        expect(f"{name}: calls by path", sorted(by_node.values()), calls)


def stopped():
    """Calls while measuring is off are counted nowhere, and have no event; messages of later ones are numbered on."""
    here = os.path.dirname(os.path.abspath(__file__))
    p = compiled("stopped", "mpicc", "-I", os.path.join(here, "../../instrument/include"), source="message_stopped.c")
    if not p:
        sys.exit(SKIP)
    for rank in run("off-and-on", OPEN_MPI, p, ranks=2, options=["--trace"]).values():
        expect("calls", rank.total("MPI_Sendrecv")["calls"], 100)
        events = [e for e in rank.events if rank.operations[e["operation_id"]] == "MPI_Sendrecv"]
        expect("events of both sides", len(events), 200)
        expect("the last message", max(int(e["sequence"]) for e in events), 599)


def polls():
    """Calls that find nothing and follow one another at once wait: their samples say so, and what wrappers take of them is no cost, for the thread would
    have polled meanwhile. The last line tells that beside it, as a set number of calls is no wait. Between others, 3 us of work and more apart, they are communication and cost. What is told of the first is of their records, and of the
    last call."""
    p, calls = compiled("polls", "mpicc", source="message_polls.c"), {0: 2000000, 3000: 200000}
    if not p:
        sys.exit(SKIP)
    for name in ("MPI_Test", "MPI_Testsome", "MPI_Iprobe"):
        cost = {}
        for work, n in calls.items():
            said = []
            rank = run(f"{name}-{work}", OPEN_MPI, p, name, str(n), str(work), ranks=1, options=["--budget=off", "-F", "2000"], said=said)[0]
            told = re.search(r"measuring added .* and some (\d+) ms more where calls of MPI that look in vain", said[0])
            if bool(told) == bool(work) or (told and not 3 < float(told[1]) * 1e6 / n < 300):
                failures.append(f"{name}, {work} rounds between calls: {said[0]}")
            cost[work] = sum(int(f["wrappers_ns"]) for f in rank.times) / n
            expect(f"{name}: calls", rank.total(name)["calls"], n)
            rows = [r for r in rows_of(os.path.join(WORK, f"{name}-{work}"), "procedure", "--top=0")["rows"] if r["procedure"] == name] # the wrapper's, which has the library's in it
            waiting, communication = (round(2000 * max(r[f"inclusive_{c}_s"] for r in rows)) for c in ("waiting", "communication"))
            print(f"{name}, {work} rounds between calls: {cost[work]:.1f} ns a call, {waiting} samples waiting, {communication} communicating", flush=True)
            if waiting < max(20, 3 * communication) if not work else waiting > 0.5 * communication + 10:
                failures.append(f"{name}, {work} rounds between calls: {waiting} samples waiting, {communication} communicating")
        if cost[0] > 0.2 * cost[3000] or cost[3000] < 3:
            failures.append(f"{name}: ns of wrappers a call, by the work between: {cost}")


def looks():
    """Calls that only look, one right after another, wait for what they find in the end: as long as the program's own clocks say, for the line that came late; also
    where requests are looked at in turns, where some are complete already, and where the thread sleeps between two looks. Where it works between them it does not wait. See blame()
    for the bound above; below it on a crowded machine a chain of them may be taken for broken where the thread had no processor between two. Of their samples so many wait as of their time."""
    p = compiled("message_looks", "mpicc", "-D_GNU_SOURCE", "-fno-optimize-sibling-calls", "-fno-tree-tail-merge", "-fno-crossjumping", source="message_looks.c")
    if not p:
        sys.exit(SKIP)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "message_looks.c")
    lines = open(source, encoding="utf-8").read().splitlines()
    rounds, output = 10, []
    run("looks", OPEN_MPI, p, str(rounds), ranks=2, options=["--budget=off", "-F", "1000"], output=output)
    delayed = rows_of(os.path.join(WORK, "looks"), "delayed")["rows"]
    procedures = {r["procedure"]: r for r in rows_of(os.path.join(WORK, "looks"), "procedure", "--top=0")["rows"]}
    names = {"window": "win_test", "resting": None, "working": "works_between", "turns": None, "done": None}
    for way, waited, whole, cpu in (x.split() for x in output[0].splitlines()):
        waited, whole, cpu = float(waited), float(whole), float(cpu)
        late = {i for i, x in enumerate(lines, 1) if f"/* {way} */" in x}
        found = [r for r in delayed if r["late_line"] in late and r["processor"] == "rank 0 thread 0"]
        got, kinds = sum(r["wait_s"] for r in found), {r["kind"] for r in found}
        row = procedures.get(names.get(way, way), {})
        waiting, others = row.get("inclusive_waiting_s", 0), row.get("inclusive_communication_s", 0)
        print(f"{way}: {waited:.4f} of {whole:.4f} s by the program, {got:.4f} s told, {kinds}; samples {waiting:.3f} s waiting, {others:.3f} communicating" + (f"; {cpu * 1e6:.0f} us of CPU time a sleep" if cpu else ""))
        at_least(f"{way}: waited", waited, LEAST * rounds * 0.02)
        if way == "working":
            if got > 0.25 * waited:
                failures.append(f"{way}: {got} s told where it worked")
            continue
        expect(f"{way}: kind", kinds, {"late complete" if way == "window" else "late sender"})
        if not (0.25 if way == "resting" else 0.7) * waited - 0.061 <= got <= 1.05 * waited + 0.061:
            failures.append(f"{way}: {waited} s by the program, {got} s told")
        if names.get(way, way):
            at_least(f"{way}: samples waiting, of those in calls", waiting, 0.6 * (waiting + others) * waited / whole - 0.01)
    ledger = {r["name"]: r["time_s"] for r in rows_of(os.path.join(WORK, "looks"), "ledger")["rows"] if "[calls of MPI]" in r["meaning"]}
    at_least("ledger: time of calls without an event", ledger["no event"], 0)


def slow():
    """What wrappers take where a part of them is slow, by the CPU clock of what makes it so: asked each time, of types that are new each time. Parts of 2 ms are
    known but for the first after another thread had the processor; those of 20 us by cycles, so no less is told than they took."""
    library = os.path.join(WORK, "librt_slow_sizes.so")
    if not compiled(library, "mpicc", "-D_GNU_SOURCE", "-DSLOW", "-shared", "-fPIC", source="message_slow_sizes.c"):
        sys.exit(SKIP)
    p = compiled("message_slow_sizes", "mpicc", "-Wl,--no-as-needed", library, source="message_slow_sizes.c")
    for us, types in ((2000, 100), (20, 1000)):
        output = []
        rank = run(f"slow-{us}", OPEN_MPI, p, str(types), str(us), ranks=1, output=output)[0]
        truth, told = float(output[0]), sum(int(f["wrappers_ns"]) for f in rank.times) * 1e-9
        print(f"{types} sizes of {us} us: {told:.4f} s of wrappers told, {truth:.4f} s taken")
        at_least(f"slow parts of {us} us: s taken", truth, 0.99e-6 * us * types)
        if not 0.9 * truth <= told <= 1.5 * truth + 0.05:
            failures.append(f"slow parts of {us} us: {told:.4f} s told, {truth:.4f} s taken")


def short_windows():
    """The same of one-sided operations: fences, accesses that wait for a post, a target that waits for their end, also of two, locks."""
    check_short("message_short_windows", {"fences": lambda f: "collective" in f["flags"], "accesses": lambda f: "received" in f["flags"] and f["tag"] == "0",
                                          "exposed": lambda f: "received" in f["flags"] and f["tag"] == "1", "exposed_to_both": lambda f: "received" in f["flags"] and f["tag"] == "1" and f["peer"] == "0", "locks": lambda f: "received" in f["flags"] and f["tag"] == "2"})


def short():
    """Samples in calls too short for an event are waiting by as much as those waited of theirs that were drawn: as the program's own clocks say of all of them, within
    three standard deviations (of the samples, and 0.5 / sqrt(calls drawn) as docs/measurement.md has it) and what the two readings of clocks round a call of 20 us take.
    A rule by the call's name would say 1, 1 and 0."""
    check_short("message_short", {"receives": lambda f: "received" in f["flags"] and "completed" not in f["flags"] and f["tag"] == "1", "completes": lambda f: "completed" in f["flags"] and f["tag"] == "1",
                                  "exchanges": lambda f: "completed" in f["flags"] and f["tag"] == "3",
                                  "sums": lambda f: "collective" in f["flags"] and f["name"] == "MPI_Allreduce"})


def check_short(name, is_of):
    p = compiled(name, "mpicc", "-D_GNU_SOURCE", "-fno-optimize-sibling-calls", source=name + ".c")
    if not p:
        sys.exit(SKIP)
    output = []
    found = run("calls", OPEN_MPI, p, "8000", ranks=2, options=["--budget=off", "-F", "2000"], output=output)
    drawn = [f for f in found[0].events if int(f.get("stands_for", 0)) > 1]
    calls = {name: sum(map(of, drawn)) for name, of in is_of.items()}
    truth = {}
    for name, *s in (line.split() for line in output[0].splitlines()):
        truth[name] = [float(x) / float(s[2]) for x in s[:2]]
    rows = {r["procedure"]: r for r in rows_of(os.path.join(WORK, "calls"), "procedure", "--top=0")["rows"]}
    for name, (least, most) in truth.items():
        waiting, all_s = (sum(rows[name][f"inclusive_{c}_s"] for c in of) for of in (("waiting",), ("waiting", "communication", "synchronisation")))
        told = waiting / all_s if all_s else -1
        print(f"{name}: {told:.3f} of {all_s:.3f} s waiting, {least:.3f} to {most:.3f} by the program's clocks, {calls[name]} drawn")
        at_least(f"{name}: CPU time in calls", all_s, 0.03)
        at_least(f"{name}: calls drawn", calls[name], 10 if name in ("exchanges", "exposed_to_both") else 30)  # by time: one of 79, in fewer rounds on a busy machine
        doubt = 0.06 + 3 * (told * (1 - told) / max(1, all_s / 0.0005) + 0.25 / max(1, calls[name])) ** 0.5
        if not least - doubt <= told <= most + doubt:
            failures.append(f"{name}: {told:.3f} of its time waiting, {least:.3f} to {most:.3f} by the program's clocks")
    at_least("events that stand for others", sum(int(f.get("stands_for", 0)) > 0 for p in found.values() for f in p.events), 150)


def finish():
    for f in failures[:20]:
        print("FAILED", f[:1000])
    sys.exit(bool(failures))


if __name__ == "__main__":
    test, HEATSCOPE, PROGRAMS, WORK = sys.argv[1:5]
    WORK = os.path.join(WORK, "messages", test)
    os.makedirs(WORK, exist_ok=True)
    if not shutil.which("mpirun"):
        sys.exit(SKIP)
    globals()[test]()
    finish()
