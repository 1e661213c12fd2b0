# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what a run left, through `heatscope dump`, with the names of procedures from nm."""
import bisect
import glob
import os
import re
import subprocess

FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|<[^>]*>|\[[^\]]*\]|\S+)')


def number(text):
    return int(text.split("(")[0], 0)


class Symbols:
    cache = {}

    def __init__(self, path):
        found = {}
        for option in ([], ["-D"]):
            out = subprocess.run(["nm", "--defined-only", *option, path], capture_output=True, text=True).stdout
            for line in out.splitlines():
                part = line.split()
                if len(part) >= 3 and part[1] in "tTwWiuV":
                    found.setdefault(int(part[0], 16), part[2].split("@")[0])
        self.at = sorted(found)
        self.names = [found[a] for a in self.at]

    def name(self, address):
        i = bisect.bisect_right(self.at, address) - 1
        return self.names[i] if i >= 0 else "?"

    @classmethod
    def of(cls, path):
        if path not in cls.cache:
            cls.cache[path] = cls(path)
        return cls.cache[path]


class Thread:
    def __init__(self, number_):
        self.id = number_
        self.nodes = {}      # id -> (parent, mapping, address, flags); of a place where tasks were created: (0, 0, 0, (thread, node))
        self.samples = []    # (time, node, weight)
        self.by_sequence = {}
        self.progress = {"samples": 0, "lost": 0, "cpu_ns": 0, "own_ns": 0, "truncated": 0, "ended": 0}
        self.progress_times = []
        self.progress_time = 0
        self.waits = []      # one dict for each wait record, in the order of the file
        self.intervals = []  # (end, duration, node, kind, bytes)
        self.stand_for = {}  # ns by (node, kind), of intervals
        self.regions = {}    # region -> node where it was forked
        self.region_work = []
        self.in_region = {}  # region -> weight of samples in it, of those that have a path below a region's body
        self.sources = []    # (mechanism, reason, CPU time) at each change
        self.source_times = [] # of these
        self.record = None
        self.sequence_of_region = None # chunk in which the last of them stands
        self.others = []     # (event, time, node, weight, state)
        self.usage = None    # the last thread_usage record
        self.rates = []      # (time, periods)
        self.totals, self.handler = {}, None
        self.said = []       # (kind, name, time, value) by heatscope.h

    def add(self, sequence, time, node, weight):
        if self.sequence_of_region == sequence:
            self.in_region[self.region_work[-1]] = self.in_region.get(self.region_work[-1], 0) + weight
        self.by_sequence.setdefault(sequence, []).append((time, node, weight))

    def weight(self):
        return sum(w for _, _, w in self.samples)


class Process:
    """One .hsr file."""

    def __init__(self, heatscope, path):
        self.path = path
        self.threads, self.mappings, self.unmapped = {}, {}, []
        self.head, self.ends, self.losses, self.lost, self.counts = None, [], [], {}, ""
        self.events, self.measuring, self.names, self.notes = {}, [], {}, []
        run = subprocess.run([heatscope, "dump", path], capture_output=True, text=True)
        self.dump_code, self.said = run.returncode, run.stderr.strip()
        stream = None
        for line in run.stdout.splitlines():
            kind = line.split(" ", 1)[0]
            if kind == "@chunk":
                stream = int(re.search(r"stream=(\d+)", line)[1])
                sequence = int(re.search(r"sequence=(\d+)", line)[1])
                continue
            if line.startswith("# chunks"):
                self.counts = line
            if kind not in ("process", "mapping", "unmapping", "thread", "node", "task_node", "sample", "sample_weighted", "progress",
                            "loss", "process_end", "source", "wait", "wait_interval", "region", "region_work",
                            "event", "rate", "thread_usage", "measuring", "event_total", "handler_time",
                            "user_name", "user_begin", "user_end", "user_phase", "user_counter", "cost", "note"):
                continue
            f = dict(FIELD.findall(line))
            if kind == "process":
                self.head = f
            elif kind == "mapping":
                self.mappings[number(f["mapping_id"])] = f
            elif kind == "unmapping":
                self.unmapped.append(number(f["mapping_id"]))
            elif kind == "process_end":
                self.ends.append(f)
            elif kind == "loss":
                self.lost[number(f["thread_id"]), f["reason"]] = max(self.lost.get((number(f["thread_id"]), f["reason"]), (-1, 0)), (number(f["time"]), number(f["count"])))
                self.losses = [(thread, count, why) for (thread, why), (_, count) in self.lost.items()] # the last of a thread and reason counts
            elif kind == "progress":
                t = self.thread(number(f["thread_id"]))
                values = {k: number(f[k]) for k in t.progress}
                t.progress_times.append(number(f["time"]))
                if t.progress_times[-1] >= t.progress_time: # the last one; chunks stand in any order in the file
                    t.progress, t.progress_time = values, t.progress_times[-1]
            elif kind == "thread_usage":
                t, values = self.thread(number(f["thread_id"])), {k: number(v) for k, v in f.items() if k != "name"}
                if not t.usage or values["time"] >= t.usage["time"]:
                    t.usage = values
            elif kind == "source":
                reason = re.search(r"\((.*)\)", f["reason"])[1] if "(" in f["reason"] else f["reason"]
                self.thread(number(f["thread_id"])).sources.append((f["mechanism"].strip('"'), reason, number(f["cpu_ns"])))
                self.thread(number(f["thread_id"])).source_times.append(number(f["time"]))
            elif kind == "wait":
                w = {k: number(f[k]) for k in ("node_id", "count", "total_ns", "max_ns", "bytes", "bucket", "holder_thread_id",
                                               "holder_node_id", "open", "told_ns")}
                w["kind"] = number(f["kind"])
                w["buckets"] = [int(v) for v in re.findall(r"\d+", f["buckets"])]
                self.thread(stream).waits.append(w)
            elif kind == "wait_interval":
                self.thread(stream).intervals.append((number(f["time"]), number(f["duration_ns"]), number(f["node_id"]),
                                                      number(f["kind"]), number(f["bytes"])))
                where = number(f["node_id"]), number(f["kind"])
                of = self.thread(stream).stand_for
                of[where] = of.get(where, 0) + number(f["stands_for_ns"])
            elif kind == "region":
                self.thread(stream).regions[number(f["region_id"])] = number(f["node_id"])
            elif kind == "region_work":
                t = self.thread(stream)
                t.region_work.append(number(f["region_id"]))
                t.sequence_of_region = sequence
            elif kind == "thread":
                self.thread(stream).record = f
            elif kind == "node":
                self.thread(stream).nodes[number(f["node_id"])] = (
                    number(f["parent_id"]), number(f["mapping_id"]), number(f["address"]), number(f["flags"]))
            elif kind == "task_node":
                self.thread(stream).nodes[number(f["node_id"])] = (0, 0, 0, (number(f["created_thread_id"]), number(f["created_node_id"])))
            elif kind == "sample":
                self.thread(stream).add(sequence, number(f["time"]), number(f["node_id"]), 1)
            elif kind == "sample_weighted" and number(f["event_id"]):
                self.thread(stream).others.append((number(f["event_id"]), number(f["time"]), number(f["node_id"]),
                                                   number(f["weight"]), f["state"]))
            elif kind == "sample_weighted":
                self.thread(stream).add(sequence, number(f["time"]), number(f["node_id"]), number(f["weight"]))
            elif kind == "event":
                self.events[number(f["event_id"])] = (f["name"].strip('"'), float(f["period"]))
            elif kind == "rate":
                self.thread(number(f["thread_id"])).rates.append((number(f["time"]), number(f["periods"])))
            elif kind == "measuring":
                self.measuring.append((number(f["time"]), number(f["on"]), f["reason"]))
            elif kind == "event_total":
                self.thread(number(f["thread_id"])).totals[number(f["event_id"])] = number(f["samples"])
            elif kind == "handler_time":
                self.thread(number(f["thread_id"])).handler = {k: number(f[k]) for k in ("runs", "own_ns", "median_ns", "p90_ns", "p99_ns", "wrappers_ns", "switches_ns")}
            elif kind == "user_name":
                self.names[number(f["name_id"])] = f["name"].strip('"')
            elif kind.startswith("user_"):
                self.thread(stream).said.append((kind[5:], number(f["name_id"]), number(f["time"]), f.get("value")))
            elif kind in ("cost", "note"):
                self.notes.append((kind, f))
        for t in self.threads.values(): # slots are taken in any order: chunks count by their sequence
            t.samples = [s for q in sorted(t.by_sequence) for s in t.by_sequence[q]]

    def thread(self, n):
        return self.threads.setdefault(n, Thread(n))

    def mechanism(self):
        return self.head["mechanism"].strip('"')

    def period_ns(self):
        return number(self.head["period_ns"])

    def frame(self, node):
        _, mapping, address, flags = node
        if not mapping:
            return "??"
        path = self.mappings[mapping]["path"].strip('"')
        if path.startswith("["):
            return path
        return Symbols.of(path).name(address - (0 if flags & 1 else 1))

    def path_of(self, thread, node_id):
        """Names from the outermost frame to the leaf; of a task from that of the thread that created it."""
        names = []
        while node_id:
            node = thread.nodes[node_id]
            if isinstance(node[3], tuple):
                thread, node_id = self.threads[node[3][0]], node[3][1]
                continue
            names.append(self.frame(node))
            node_id = node[0]
        return names[::-1]

    def samples(self):
        return sum(t.weight() for t in self.threads.values())

    def check(self):
        """What must hold in every file. Returns complaints."""
        bad = []
        if self.dump_code:
            bad.append(f"dump ends with {self.dump_code}: {self.said}; {self.counts}")
        if not self.head:
            bad.append("no process record")
        for t in self.threads.values():
            if t.weight() != t.progress["samples"] and self.ends:
                bad.append(f"thread {t.id}: {t.weight()} samples in records, {t.progress['samples']} counted")
            last = 0
            for time, node, weight in t.samples:
                if node not in t.nodes or weight < 1 or time < last:
                    bad.append(f"thread {t.id}: sample at {time}: node {node}, weight {weight}, after {last}")
                    break
                last = time
            for w in t.waits:
                if (w["node_id"] and w["node_id"] not in t.nodes) or sum(w["buckets"]) != w["count"] or w["max_ns"] > w["total_ns"] + 10**12:
                    bad.append(f"thread {t.id}: {w}")
                    break
            for k, (parent, mapping, _, flags) in t.nodes.items():
                if isinstance(flags, tuple) and (flags[0] not in self.threads or flags[1] not in self.threads[flags[0]].nodes):
                    bad.append(f"thread {t.id}: node {k}: tasks created at {flags}")
                    break
                if parent >= k or (parent and parent not in t.nodes) or (mapping and mapping not in self.mappings):
                    bad.append(f"thread {t.id}: node {k}: parent {parent}, mapping {mapping}")
                    break
        return bad


def processes(heatscope, directory):
    return [Process(heatscope, p) for p in sorted(glob.glob(os.path.join(directory, "*.hsr")))]
