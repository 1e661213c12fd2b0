# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a database with nothing but h5py (and scipy where there is one) and holds it to docs/schema.md.
Usage: read_h5py.py HEATSCOPE-SIMULATE schema.def schema.md FOLDER; exit code 77: skipped, h5py is not installed."""
import os
import re
import subprocess
import sys

try:
    import h5py
    import numpy as np
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(77)
try:
    from scipy.sparse import csr_matrix
except ImportError:
    csr_matrix = None

TYPES = {"U1": "<u1", "U2": "<u2", "U4": "<u4", "U8": "<u8", "I4": "<i4", "F8": "<f8"}


def text(o, name):
    return o.attrs[name].decode() if name in o.attrs else ""


def check_columns(f, definition):
    sections = dict(re.findall(r'^HSC_SCHEMA_TABLE\((\w+), "(\w+)"', definition, re.M))
    columns = re.findall(r'^HSC_COLUMN\((\w+), (\w+), (\w+), "(\w*)", "(\w*)", "', definition, re.M)
    assert len(columns) > 70
    rows = {}
    for table, column, kind, unit, references in columns:
        d = f[f"/{sections[table]}/{table}/{column}"]
        assert d.ndim == 1 and rows.setdefault(table, len(d)) == len(d), d.name
        assert d.dtype.kind == "S" if kind == "S" else d.dtype == np.dtype(TYPES[kind]), (d.name, d.dtype)
        assert text(d, "description"), d.name
        assert text(d, "units") == unit, d.name
        if references:
            assert text(d, "references") == f"/{sections[references]}/{references}", d.name
        scale = f[text(d, "dimensions")]
        assert text(scale, "CLASS") == "DIMENSION_SCALE" and len(scale) == len(d), d.name
        assert np.array_equal(scale[...], np.arange(len(d)))
    return rows


def dense(group, rows, columns):
    begin = list(group.attrs.get("band_begin", [0, columns]))
    bands = len(begin) - 1
    if bands == 1:
        return dense_band(group, rows, columns)
    assert begin[0] == 0 and begin[-1] == columns and begin == sorted(set(begin)), begin
    parts = dense_band(group, rows * bands, columns).reshape(bands, rows, columns)
    for i, part in enumerate(parts):
        assert not part[:, :begin[i]].any() and not part[:, begin[i + 1]:].any(), f"{group.name}: a band has another's threads"
    return parts.sum(0)


def dense_band(group, rows, columns):
    assert text(group, "encoding-type") == "csr_matrix" and list(group.attrs["shape"]) == [rows, columns], group.name
    indptr, indices, data = (group[k][...] for k in ("indptr", "indices", "data"))
    out = np.zeros((rows, columns), np.int64)
    for r in range(rows):
        part = indices[indptr[r]:indptr[r + 1]]
        assert np.all(np.diff(part.astype(np.int64)) > 0)
        out[r, part] = data[indptr[r]:indptr[r + 1]]
    if csr_matrix:
        assert np.array_equal(csr_matrix((data, indices, indptr), shape=group.attrs["shape"]).toarray(), out)
    return out


def check_stats(group, values):
    for name, want in (("max", values.max(1)), ("min", values.min(1)), ("argmax", values.argmax(1)), ("argmin", values.argmin(1)),
                       ("nonzero", (values > 0).sum(1)), ("sum_squares", (values.astype(float) ** 2).sum(1))):
        assert np.array_equal(group[name][...], want), f"{group.name}/{name}"


def check_values(f, definition, rows):
    threads, process = rows["thread"], f["/run/thread/process"][...]
    seen = 0
    for table, over in re.findall(r"^HSC_SCHEMA_VALUES\(\w+, (\w+), (\w+),", definition, re.M):
        g = f["/metrics/0"].get(table)
        if g is None:
            assert table in ("context_incl", "instruction"), table
            continue
        n = rows[over] * (rows["category"] if table == "scope_category" else 1)
        v = dense(g["by_row"], n, threads)
        assert np.array_equal(dense(g["by_thread"], threads, n), v.T), table
        assert np.array_equal(g["sum"][...], v.sum(1))
        assert g["sum"].attrs["scale_factor"] == 0.001 and text(g["sum"], "units") == "s"
        assert g["by_row/data"].attrs["scale_factor"] == 0.001 and text(g["by_row/data"], "units") == "s"
        check_stats(g["thread_stats"], v)
        by_process = np.zeros((n, rows["process"]), np.int64)
        np.add.at(by_process.T, process, v.T)
        check_stats(g["process_stats"], by_process)
        seen += 1
    assert seen == 7
    # a run as a whole: what is on lines is in scopes, in contexts and in the ledger
    total = f["/metrics/0/line/sum"][...].sum()
    assert total == f["/metrics/0/scope_excl/sum"][...].sum() == f["/metrics/0/context_excl/sum"][...].sum()
    assert total == f["/metrics/0/scope_incl/sum"][0] == f["/run/thread/samples"][...].sum()
    assert np.all(f["/metrics/0/scope_incl/sum"][...] >= f["/metrics/0/scope_excl/sum"][...])


def check_rule(f):
    """Section 1: what each data set has to say of itself."""
    value = re.compile(r"/metrics/0/\w+/(?:by_row/data|by_thread/data|sum|\w+_stats/(?:max|min|sum_squares)|\w+_(?:blocks|tiles)/\d+/(?:max|sum))$")
    seen = {"value": 0, "indices": 0, "tick": 0}

    def visit(name, o):
        if not isinstance(o, h5py.Dataset):
            return
        name = "/" + name
        assert text(o, "description") or text(o, "CLASS") == "DIMENSION_SCALE", name
        if value.match(name):
            power = 2 if name.endswith("squares") else 1
            assert text(o, "units") == ("s2" if power == 2 else "s") and np.isclose(o.attrs["scale_factor"], 0.001 ** power, rtol=1e-15), name
            seen["value"] += 1
        elif name.startswith("/metrics/"):
            assert "units" not in o.attrs and "scale_factor" not in o.attrs, name
        if name.endswith("/indices") and "tiles" not in name:
            assert text(o, "references").rpartition("/")[2] == text(o.parent, "column_axis") and text(o, "references") in f, name
            seen["indices"] += 1
        if re.match(r"/time/(?:samples/delta|slices/begin|layers/\d/samples/delta|layers/\d/slices/begin|\w+_slice/tick)$", name):
            assert text(o, "units") == "tick", name
            seen["tick"] += 1
    f.visititems(visit)
    return seen


def check_example(example, path, f):
    """What section 8 gives as an example finds the line with the largest sum, and its seconds by process."""
    found = {"path": path}
    exec(example, found) # noqa: S102: it is our own text
    file, line, seconds = found["hottest"]
    sums = f["/metrics/0/line/sum"][...]
    row = int(sums.argmax())
    assert (f["/static/file/path"][f["/static/line/file"][row]].decode(), f["/static/line/line"][row]) == (file, line), found["hottest"]
    assert len(seconds) == len(f["/run/process/pid"]) and np.isclose(seconds.sum(), sums[row] * 0.001), found["hottest"]


def check_times(f, threads):
    """Samples by time of each thread, added up by line, are its values; true: some thread has numbers of its own."""
    s, line, metric = f["/time/samples"], f["/time/leaf/line"][...], f["/time/leaf/metric"][...]
    numbers = "number" in s
    assert numbers != ("leaf" in s)
    begin, rows, count = s["indptr"][...], s["number" if numbers else "leaf"][...], s["count"][...]
    end = s["end"][...] if numbers else begin[1:]
    by_thread = dense(f["/metrics/0/line/by_thread"], threads, f["/metrics/0/line/sum"].shape[0])
    seen = 0
    for t in range(threads):
        leaf = rows[begin[t]:end[t]]
        own = s["own_leaf"][s["own_indptr"][t]:s["own_indptr"][t + 1]] if numbers else []
        if len(own):
            assert end[t] - begin[t] >= 131072 and begin[t] % s["number"].chunks[0] == 0
            assert np.array_equal(np.unique(leaf, return_index=True)[1].argsort(), np.arange(len(own))), "numbers as they come first"
            leaf, seen = own[leaf], seen + 1
        assert not count[end[t]:begin[t + 1]].any()
        got, of_metric = np.zeros(by_thread.shape[1], np.int64), metric[leaf] == 0
        np.add.at(got, line[leaf][of_metric], count[begin[t]:end[t]][of_metric])
        assert np.array_equal(got, by_thread[t]), f"thread {t}"
    return seen


def check_forms(name, o):
    """No references, no text of variable length, only filters that every reader has."""
    for key in o.attrs:
        kind = o.attrs.get_id(key).dtype
        assert h5py.check_ref_dtype(kind) is None and h5py.check_vlen_dtype(kind) is None, f"{name}@{key}"
    if isinstance(o, h5py.Dataset):
        plist = o.id.get_create_plist()
        filters = [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]
        assert set(filters) <= {h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_DEFLATE}, name
        assert o.chunks is None or o.chunks[0] <= 16384, name
        assert not o.is_virtual and not plist.get_external_count(), name


def main():
    simulate, definition, document, folder = sys.argv[1:]
    example = re.search(r"^```python\n(.*?)^```", open(document, encoding="utf-8").read(), re.M | re.S)[1]
    definition = open(definition, encoding="utf-8").read()
    os.makedirs(folder, exist_ok=True)
    for threads, processes, bands in (9, 4, 0), (99, 40, 1):
        path = os.path.join(folder, f"h5py.{threads}.h5")
        subprocess.run([simulate, "-o", path, "--lines=1500", f"--threads={threads}", f"--processes={processes}", "--seed=3", f"--bands={bands}"], check=True)
        with h5py.File(path, "r") as f:
            assert text(f, "format") == "heatscope" and list(f.attrs["format_version"]) == [1, 10] and text(f, "state") == "final"
            assert f.attrs["simulated"] == 1
            assert ("band_begin" in f["/metrics/0/line/by_row"].attrs) == bool(bands)
            f.visititems(check_forms)
            check_values(f, definition, check_columns(f, definition))
            if csr_matrix:
                check_example(example, path, f)
            seen = check_rule(f)
            assert seen["value"] > 60 and seen["indices"] > 13, seen
    path = os.path.join(folder, "h5py.times.h5")
    subprocess.run([simulate, "-o", path, "--lines=300", "--threads=5", "--processes=2", "--seed=3", "--times", "--samples=150000"], check=True)
    with h5py.File(path, "r") as f:
        f.visititems(check_forms)
        assert check_times(f, 5) > 1
        assert check_rule(f)["tick"] >= 2
    print("as docs/schema.md says" + ("" if csr_matrix else "; not tried with scipy, which is not installed"))


main()
