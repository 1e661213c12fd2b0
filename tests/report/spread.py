# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups and spreads of `heatscope report`, against what numpy makes of the values that h5py reads: sums, minimum and maximum with
their processors, mean, standard deviation, quantiles, imbalance, for every table that has them and both kinds of processors.
Usage: spread.py HEATSCOPE HEATSCOPE-SIMULATE MODEL-WRITER FOLDER"""
import csv
import io
import os
import subprocess
import sys

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)

HEATSCOPE, SIMULATE, MODEL, FOLDER = sys.argv[1:]
NONE, NOT_GENERATED = 4294967295, 16
QUANTILES = {"p05": 0.05, "p25": 0.25, "median": 0.5, "p75": 0.75, "p95": 0.95}


def rows(db, by, axis):
    p = subprocess.run([HEATSCOPE, "report", f"--by={by}", "--format=csv", f"--processors={axis}", db], capture_output=True, text=True, timeout=300)
    assert p.returncode == 0, p.stderr
    return list(csv.DictReader(io.StringIO(p.stdout)))


class Database:
    def __init__(self, path, axis):
        self.f = h5py.File(path, "r")
        self.process = self.f["/run/thread/process"][...]
        self.axis = axis
        self.program = self.f["/run/process/executable"].asstr()[...] # by processor
        self.several = len(set(self.program)) > 1
        if axis == "thread":
            self.program = self.program[self.process]
        self.scale = self.f["/run/metric/scale"][0]
        self.kind = self.column("static", "scope", "kind")
        self.parent = self.column("static", "scope", "parent")
        self.end = self.column("static", "scope", "subtree_end")
        self.procedure = self.column("static", "scope", "procedure")

    def column(self, section, table, name):
        v = self.f[f"/{section}/{table}/{name}"]
        return v.asstr()[...] if v.dtype.kind in "SO" else v[...].astype(np.int64) if v.dtype.kind in "ui" else v[...]

    def dense(self, table, n=None):
        """rows x processors"""
        if table == "context_incl" and table not in self.f["/metrics/0"]:
            v, end = self.dense("context_excl"), self.column("run", "context", "subtree_end")
            sums = np.vstack([np.zeros((1, v.shape[1])), np.cumsum(v, axis=0)])
            return sums[end] - sums[:-1]
        g = self.f[f"/metrics/0/{table}/by_row"]
        indptr, indices, data = (g[k][...].astype(np.int64) for k in ("indptr", "indices", "data"))
        v = np.zeros((len(indptr) - 1, len(self.process)))
        v[np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)), indices] = data
        bands = len(g.attrs.get("band_begin", [0, 0])) - 1
        v = v.reshape(bands, -1, v.shape[1]).sum(0)
        if self.axis == "thread":
            return v
        out = np.zeros((len(v), self.process.max() + 1))
        np.add.at(out.T, self.process, v.T)
        return out

    def names(self):
        rank = self.f["/run/process/rank"][...]
        several = len(rank) > 1
        pid = self.f["/run/process/pid"][...]
        program = [os.path.basename(p) for p in self.f["/run/process/executable"].asstr()[...]]
        name = [f"rank {r}" if r >= 0 else f"{program[i]} {pid[i]}" if self.several else f"pid {pid[i]}" if several or self.axis == "process" else "" for i, r in enumerate(rank)]
        if self.axis == "process":
            return name
        index = self.f["/run/thread/index"][...]
        return [(name[p] + " " if name[p] else "") + f"thread {index[t]}" for t, p in enumerate(self.process)]

    # tables: (row, values over processors) in the order of the report
    def ordered(self, keys, values, second=None):
        total = values.sum(1)
        keep = [i for i in range(len(keys)) if total[i] > 0 or (second is not None and second[i] > 0)]
        keep.sort(key=lambda i: (-total[i], -second[i] if second is not None else 0, keys[i]))
        return [(keys[i], values[i]) for i in keep]

    def own(self, row):
        return [i for i in range(row, self.end[row]) if self.procedure[i] == row]

    def procedure_table(self):
        v, incl = self.dense("scope_excl"), self.dense("scope_incl").sum(1)
        keys = [i for i in range(len(self.kind)) if self.kind[i] == 3]
        return self.ordered(keys, np.array([v[self.own(i)].sum(0) for i in keys]), incl[keys])

    def loop_table(self):
        v, incl = self.dense("scope_excl"), self.dense("scope_incl").sum(1)
        keys = [i for i in range(len(self.kind)) if self.kind[i] == 4]
        paid = {row: of.sum() for row, of in Paid(self).sums(0).items()}
        some = self.ordered(keys, v[keys], incl[keys])
        first = [x for x in some if x[1].sum() > 0 or paid.get(x[0], 0) > 0]
        return sorted(first, key=lambda x: (-paid.get(x[0], 0), -x[1].sum(), x[0])) + [x for x in some if not (x[1].sum() > 0 or paid.get(x[0], 0) > 0)]

    def nest_table(self):
        v = self.dense("scope_excl")
        keys = []
        for i in range(len(self.kind)):
            up = self.parent[i]
            while self.kind[up] == 5:
                up = self.parent[up]
            if self.kind[i] == 4 and self.kind[up] != 4:
                keys.append(i)
        of = [[k for k in range(i, self.end[i]) if self.procedure[k] == self.procedure[i]] for i in keys]
        incl = self.dense("scope_incl").sum(1)
        table = self.ordered(keys, np.array([v[k].sum(0) for k in of]), incl[keys])
        sums = {row: x.sum() for row, x in Paid(self).sums(0).items()}
        self.paid = {keys[i]: sum(sums.get(k, 0) for k in of[i] if self.kind[k] == 4) for i in range(len(keys))}
        return sorted(table, key=lambda x: (-self.paid[x[0]], -x[1].sum(), x[0]))

    def line_table(self):
        v = self.dense("line")
        own, through = self.ordered(range(len(v)), v), self.ordered(range(len(v)), self.dense("line_incl"))
        return own + [(row, v[row]) for row, _ in through if not v[row].sum()]

    def context_table(self):
        v = self.dense("context_excl")
        return sorted(((i, v[i]) for i in range(len(v))), key=lambda x: (-x[1].sum(), x[0]))

    def version_table(self):
        v = self.dense("instance")
        return self.ordered(range(len(v)), v)

    def module_table(self):
        v, module = self.dense("scope_excl"), self.column("static", "scope", "module")
        incl = self.dense("scope_incl").sum(1)
        n = len(self.f["/static/module/path"])
        second = np.array([incl[(module == m) & (self.kind == 1)].sum() for m in range(n)])
        table = self.ordered(range(n), np.array([v[module == m].sum(0) for m in range(n)]), second)
        return sorted(table, key=lambda x: (-x[1].sum(), x[0]))

    def file_table(self):
        v, file = self.dense("line"), self.column("static", "line", "file")
        n = len(self.f["/static/file/path"])
        return self.ordered(range(n), np.array([v[file == f].sum(0) for f in range(n)]))

    def call_table(self, kinds=(1, 2)):
        v = self.dense("context_incl")
        kind, parent, line, scope = (self.column("run", "context", k) for k in ("kind", "parent", "call_line", "scope"))
        groups = {}
        for c in range(len(kind)):
            if kind[c] in kinds and line[c] != NONE:
                key, up, inside = (line[c], scope[c]), parent[c], False
                while up:  # below a call of the same place?
                    inside = inside or (kind[up] in kinds and (line[up], scope[up]) == key)
                    up = parent[up]
                groups.setdefault(key, [c, np.zeros(v.shape[1])])
                if not inside:
                    groups[key][1] += v[c]
        first = sorted(groups.values(), key=lambda x: x[0])
        return self.ordered([x[0] for x in first], np.array([x[1] for x in first]))

    def inlined_table(self):
        return self.call_table((2,))

    def category_table(self):
        n = len(self.f["/run/category/name"])
        v = self.dense("scope_category")[:n]
        return self.ordered(range(n), v)

    def line_rows(self):
        return {key: i for i, key in enumerate(zip(self.column("static", "line", "file"), self.column("static", "line", "line")))}

    def charges(self):
        """By (line, procedure) with references, procedure None: all there: rows of instructions whose samples count for these. Texts of the model read no memory."""
        at = self.line_rows()
        file, line, scope = (self.column("static", "reference", k) for k in ("file", "line", "scope"))
        places = {(at[file[i], line[i]], self.procedure[scope[i]]) for i in range(len(file)) if (file[i], line[i]) in at}
        lines = {x for x, _ in places}
        own, of, inlined = (self.column("static", "instruction", k) for k in ("line", "scope", "inlined"))
        parent, callee, call = (self.column("static", "inlining", k) for k in ("parent", "scope", "line"))
        first, n, outer = (self.column("static", "code_part", k) for k in ("first", "rows", "procedure"))
        found = {}
        for row in range(len(own)):
            steps = [(own[row], self.procedure[of[row]] if of[row] != NONE else NONE)]
            up = inlined[row]
            while up != NONE:
                part = [outer[k] for k in range(len(first)) if first[k] <= row < first[k] + n[k]]
                around = callee[parent[up]] if parent[up] != NONE else part[0] if part else NONE
                steps.append((call[up], self.procedure[around] if around != NONE else NONE))
                up = parent[up]
            exact = [s for s in steps if s in places]
            loose = [(s[0], None) for s in steps if s[0] in lines]
            if exact or loose:
                found.setdefault((exact or loose)[0], []).append(row)
        return found

    def charged(self, v, places):
        """Sum of what counts for (line, procedure)s, each once."""
        found = self.charges()
        keys = set(places) | {(line, None) for line, _ in places}
        return v[sorted(row for key in keys for row in found.get(key, []))].sum(0)

    def reference_table(self):
        v, at = self.dense("instruction"), self.line_rows()
        file, line, scope = (self.column("static", "reference", k) for k in ("file", "line", "scope"))
        keys = [i for i in range(len(file)) if (file[i], line[i]) in at]
        return self.ordered(keys, np.array([self.charged(v, [(at[file[i], line[i]], self.procedure[scope[i]])]) for i in keys]))

    def data_table(self):
        v, at = self.dense("instruction"), self.line_rows()
        file, line, array, scope = (self.column("static", "reference", k) for k in ("file", "line", "array", "scope"))
        identity, gone = self.f["/static/array/identity"][...], self.f["/static/array/flags"][...] & NOT_GENERATED
        first = {}
        places = {}
        for i in range(len(identity)):
            first.setdefault(int(identity[i]) or -i - 1, i)
        for i in range(len(file)):
            if array[i] != NONE and not gone[array[i]] and (file[i], line[i]) in at:
                places.setdefault(first[int(identity[array[i]]) or -int(array[i]) - 1], set()).add((at[file[i], line[i]], self.procedure[scope[i]]))
        keys = sorted(places)
        return self.ordered(keys, np.array([self.charged(v, places[k]) for k in keys]))


def close(got, want, what):
    assert abs(float(got) - want) <= 1e-6 * (1 + abs(want)), f"{what}: {got}, expected {want}"


def check(path, by, axis, value):
    db = Database(path, axis)
    table, got = getattr(db, f"{by}_table")(), rows(path, by, axis)
    if by in ("file", "version"):  # the others have nothing of their own, only paths through them (versions.py checks theirs)
        got = [r for r in got if int(r["exclusive_periods"])]
    all_names, number = np.array(db.names(), dtype=object), np.unique(db.program.astype(str), return_inverse=True)[1]
    assert len(got) == len(table), f"{path} {by}: {len(got)} rows, expected {len(table)}"
    for r, (row, v) in zip(got, table):
        what, s = f"{by} {axis} rank {r.get('position', r.get('rank'))} (row {row})", db.scale
        close(r[f"{value}_s"], v.sum() * s, what)
        if by == "nest":
            close(r["with_calls_s"], db.paid[row] * s, what)
        ran = set(number[v > 0]) or set(number)  # programs: the others' processors are not compared with theirs
        among = np.flatnonzero(np.isin(number, list(ran)))
        names, v = all_names[among], v[among]
        close(r["mean_s"], v.mean() * s, what)
        close(r["stddev_s"], v.std() * s, what)
        close(r["min_s"], v.min() * s, what)
        close(r["max_s"], v.max() * s, what)
        alike = len(ran) == 1 or not v.sum()
        assert alike or r["imbalance_s"] == r["max_over_mean"] == "", f"{what}: processes of several programs are compared"
        if alike:
            close(r["imbalance_s"], (v.max() - v.mean()) * s, what)
        assert (r["min_processor"], r["max_processor"]) == (names[v.argmin()], names[v.argmax()]), (what, r, v)
        for name, quantile in zip(QUANTILES, np.quantile(v, list(QUANTILES.values()))):
            close(r[f"{name}_s"], quantile * s, f"{what} {name}")
        if v.sum() and alike:
            close(r["max_over_mean"], v.max() / v.mean(), what)
    return len(got)


class Paid:
    """Who pays for the samples of a context, by climbing its path: rows of loops, of procedures, and whether they can become vector code."""
    LIBRARIES = ("libmpi", "libopen-", "libheatscope-", "libgomp", "libomp", "libiomp")

    def __init__(self, db):
        self.db = db
        self.parent, self.scope, self.kind = (db.column("run", "context", k) for k in ("parent", "scope", "kind"))
        knowledge, module, file = (db.column("static", "scope", k) for k in ("knowledge", "module", "file"))
        modules, files = db.f["/static/module/path"].asstr()[...], db.f["/static/file/path"].asstr()[...]
        programs = set(db.f["/run/process/executable"].asstr()[...])
        base = [os.path.basename(m) for m in modules]
        self.own = [db.kind[s] >= 3 and (knowledge[s] == 0 or (module[s] != NONE and modules[module[s]] in programs)) for s in range(len(db.kind))]
        self.users = [self.own[s] and not (file[s] != NONE and files[file[s]].startswith("/usr/include/")) for s in range(len(db.kind))]
        self.apart = [not self.own[s] and module[s] != NONE and base[module[s]].startswith(self.LIBRARIES) for s in range(len(db.kind))]
        self.mathematical = [module[s] != NONE and base[module[s]].startswith(("libm.", "libm-", "libmvec")) for s in range(len(db.kind))]
        self.of = [self.look(c) for c in range(len(self.parent))]

    def path(self, c):
        while c:
            yield c, self.scope[c], self.kind[c]
            c = self.parent[c]

    def look(self, c):
        loops, procedure, vectors, apart, called = {}, NONE, True, False, False
        for at, s, kind in self.path(c):
            if kind == 3:
                for rank, is_it in enumerate((self.users, self.own, [True] * len(self.own))):
                    if is_it[s]:
                        loops.setdefault(rank, s)
                if not loops.get(0, NONE) != NONE and self.own[s]:
                    vectors = vectors and self.users[s]
            elif kind in (1, 2):
                if 0 not in loops and not (self.own[s] or self.mathematical[s]):
                    vectors = False
                if self.apart[s] and not called:
                    apart = True
                called = called or (kind == 1 and self.own[s])
                if procedure == NONE and self.users[s]:
                    procedure = self.db.procedure[s]
        loop = loops[min(loops)] if loops else NONE
        return (NONE if apart else loop), (NONE if apart else procedure), loop != NONE and not apart and 0 in loops and vectors

    def sums(self, which, vectors=False):
        """By scope: values over processors."""
        v, out = self.db.dense("context_excl"), {}
        for c, of in enumerate(self.of):
            if of[which] != NONE and (of[2] or not vectors):
                out[of[which]] = out.get(of[which], 0) + v[c]
        return out


def check_paid(path, axis):
    """Loops with what they call, procedures with the libraries that they call; nothing is paid for twice."""
    db, n = Database(path, axis), 0
    paid = Paid(db)
    for which, by in ((0, "loop"), (1, "procedure")):
        sums, total = paid.sums(which), 0
        got = rows(path, by, axis)
        for r, (row, v) in zip(got, getattr(db, f"{by}_table")()):
            want = sums.get(row, np.zeros(v.shape)) * db.scale
            close(r["with_calls_s"], want.sum(), f"{by} {r['position']} with calls")
            close(r["with_calls_max_s"], want.max(), f"{by} {r['position']} with calls, most")
            total += want.sum()
            n += want.sum() > v.sum() * db.scale * 1.000001
        assert total <= db.dense("context_excl").sum() * db.scale * 1.000001, (by, total)
        close(total, sum(v.sum() for v in sums.values()) * db.scale, f"{by}: all that is paid for")
    return n


VECTOR = (1, 10, 14)  # docs/format.md, enum loop_version: vector body, vectorised remainder, vector body fully unrolled


def check_reasons(path, axis):
    """Loops that were refused: their versions that are no vector code."""
    db = Database(path, axis)
    v, version, scope = db.dense("instance"), db.column("static", "instance", "version"), db.column("static", "instance", "scope")
    exclusive, n = db.dense("scope_excl"), 0
    begin, kind = db.column("static", "scope", "line_begin"), db.column("static", "scope", "kind")
    files, file = db.f["/static/file/path"].asstr()[...], db.column("static", "scope", "file")
    vectors = Paid(db).sums(0, vectors=True)
    for r in rows(path, "reason", axis):
        scopes = [k for k in range(len(kind)) if file[k] != NONE and begin[k] == int(r["line_begin"]) and files[file[k]] == r["file"] and (scope == k).any()]
        if len(scopes) != 1:
            continue
        at = scope == scopes[0]
        scalar = at & ~np.isin(version, VECTOR)
        if v[at].sum() < exclusive[scopes[0]].sum():
            continue
        want = v[scalar].sum(0) * db.scale
        if float(r["called_s"]): # that is its price, too
            assert r["reason"].startswith("call "), r
            close(r["called_s"], vectors[scopes[0]].sum() * db.scale - v[at].sum() * db.scale, f"reason {r['position']}: called")
            if (v[at & np.isin(version, VECTOR)].sum() > 0): # no rows' sum
                continue
            want = vectors[scopes[0]] * db.scale
        close(r["exclusive_s"], want.sum(), f"reason {r['position']}")
        close(r["mean_s"], want.mean(), f"reason {r['position']}")
        close(r["max_s"], want.max(), f"reason {r['position']}")
        close(r["stddev_s"], want.std(), f"reason {r['position']}")
        n += 1
    return n


def main():
    os.makedirs(FOLDER, exist_ok=True)
    seen = {}
    for name, options in (("ranks", ("--threads=8", "--processes=4")), ("threads", ("--threads=6", "--processes=1")), ("wide", ("--threads=150", "--processes=150"))):
        path = os.path.join(FOLDER, name + ".h5")
        subprocess.run([SIMULATE, "-o", path, "--lines=900", "--seed=5", *options], check=True, stderr=subprocess.DEVNULL)
        for axis in ("process", "thread"):
            for by in ("procedure", "loop", "nest", "line", "context", "version", "module", "file", "call", "inlined", "category"):
                value = {"nest": "value", "call": "inclusive", "inlined": "inclusive", "category": "inclusive"}.get(by, "exclusive")
                seen[by] = seen.get(by, 0) + check(path, by, axis, value)
            seen["reason"] = seen.get("reason", 0) + check_reasons(path, axis)
            seen["paid"] = seen.get("paid", 0) + check_paid(path, axis)
    path = os.path.join(FOLDER, "model.h5")
    subprocess.run([MODEL, path], check=True)
    for axis in ("process", "thread"):
        for by, value in (("reference", "line"), ("data", "lines"), ("category", "inclusive"), ("version", "exclusive"), ("line", "exclusive"),
                          ("context", "exclusive"), ("file", "exclusive")):
            seen[by] = seen.get(by, 0) + check(path, by, axis, value)
    assert all(seen.values()), seen
    print(seen)


main()
