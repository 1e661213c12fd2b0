# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A second reader of record streams, written from docs/format.md alone. It knows no record: all comes from the file's own
schema. Prints the text form; the tests compare it with `heatscope dump`.
Usage: second_reader.py FILE"""
import ast
import functools
import math
import os
import re
import struct
import sys
import zlib

MAGIC = b"\x89HSR\r\n\x1a\n"
BEGUN = b"\x89HS\xad\xf2\xf5\xe5\xf5"
KINDS = "kind0 schema static dynamic symbolic attributes index".split()
TYPES = " U Z D T H F S B AU AS".split(" ")
NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{0,254}\Z")
MASK = (1 << 64) - 1
CRC_TABLE = list(range(256))
for _ in range(8):
    CRC_TABLE = [i >> 1 ^ (0x82F63B78 if i & 1 else 0) for i in CRC_TABLE]


class Bad(Exception):
    pass


def crc32c(data):
    return functools.reduce(lambda c, b: CRC_TABLE[(c ^ b) & 255] ^ c >> 8, data, MASK >> 32) ^ MASK >> 32


class Cursor:
    def __init__(self, data, at=0, end=None):
        self.data, self.at, self.end = data, at, len(data) if end is None else end

    def varint(self):
        value = 0
        for shift in range(0, 70, 7):
            b = self.take(1)[0]
            value |= (b & 127) << shift
            if b < 128:
                if value > MASK:
                    break
                return value
        raise Bad("varint")

    def zigzag(self):
        v = self.varint()
        return v >> 1 ^ -(v & 1)

    def take(self, n):
        if n > self.end - self.at:
            raise Bad("cut off")
        self.at += n
        return self.data[self.at - n:self.at]

    def text(self, limit=65536):
        return self.take(self.number(limit))

    def number(self, limit):
        v = self.varint()
        if v > limit:
            raise Bad("limit")
        return v

    def plain(self, limit=65536):
        t = self.text(limit)
        if 0 in t:
            raise Bad("zero byte")
        return t

    def name(self):
        t = self.text(255)
        if not NAME.match(t):
            raise Bad("name")
        return t.decode()

    def length(self):
        """Start and end of the record whose length stands here; nothing more can be had if that is wrong."""
        c, self.at = Cursor(self.data, self.at, self.end), self.end
        n = c.varint()
        if not 1 <= n <= min(1 << 20, c.end - c.at):
            raise Bad("length")
        return c.at, c.at + n


def varint_of(v):
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    return bytes(out) + bytes([v])


def dictionary():
    """What inflating begins with: a table, the one thing that is taken from the sources."""
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "..", "..", "formats", "columns_dictionary.c")) as f:
        table = f.read().split("hsc_columns_dictionary[] =")[1].split("/* without")[0]
    return b"".join(ast.literal_eval("b" + text) for text in re.findall(r'"(?:[^"\\\n]|\\.)*"', table))


DICTIONARY = dictionary()


class Pool:
    """What texts and hashes of columns refer back to."""

    def __init__(self, first, fresh):
        self.known, self.fresh = list(first), fresh

    def take(self, v, expected):
        if v == 0:
            return expected
        if v == 1:
            self.known.append(self.fresh())
        elif v - 2 >= len(self.known):
            raise Bad("pool")
        return self.known[-1] if v == 1 else self.known[1 - v]


def column_order(codings):
    done = []
    for f in range(len(codings)):
        chain = []
        while f not in done:
            if f in chain or f >= len(codings):
                raise Bad("order")
            chain.append(f)
            if codings[f] < 3:
                break
            f = codings[f] - 3
        done += reversed(chain)
    return done


def column(number, rows, kind, coding, filled, by, texts, hashes):
    """Values of one field of all records of a kind: each a number, a text or 8 bytes, or a list of these."""
    values, last, before = [], {}, 0
    for i in range(rows):
        if kind >= 9:
            v = [texts.take(number(), b"") if kind == 10 else number() for _ in range(number() if filled else 0)]
        elif kind in (5, 6):
            v = hashes.take(number() if filled else 0, bytes(8))
        elif kind in (7, 8):
            v = texts.take(number() if filled else 0, last.get(by[i], b"") if by else b"")
        else:
            v = number() if filled else 0
            if kind == 1 and coding:
                base = last.get(by[i], before) if by else before + (coding == 2)
                v = (v >> 1 ^ -(v & 1)) + base & MASK
        if by:
            last[by[i]] = v
        before = v
        values.append(v)
    return values


def unpack(payload):
    """The records of a packed payload in their plain form; None for a bad one."""
    try:
        c = Cursor(payload)
        n = c.number(64 << 20)
        body = zlib.decompressobj(zdict=DICTIONARY)
        text = body.decompress(payload[c.at:], n + 1)
        if len(text) != n or not body.eof or body.unused_data:
            return None
        c = Cursor(text)
        kinds = []
        for _ in range(c.number(256)):
            number = c.varint()
            kinds.append((number, [(c.varint(), c.varint()) for _ in range(c.number(64))]))
        runs = [(c.number(len(kinds) - 1), c.number(64 << 20)) for _ in range(c.number(n))]
        rows = [sum(r for k, r in runs if k == i) for i in range(len(kinds))]
        if sum(r * (len(f) + 1) for r, (_, f) in zip(rows, kinds)) > min(64 << 20, 65536 + 64 * len(payload)):
            return None
        masks = [int.from_bytes(c.take((len(f) + 7) // 8), "little") for _, f in kinds]
        n_texts, n_numbers = c.varint(), c.varint()
        t, m = Cursor(text, c.at, c.at + len(c.take(n_texts))), Cursor(text, c.at, c.at + len(c.take(n_numbers)))

        def fresh_text():
            out = b""
            while (byte := t.take(1)) != b"\0":
                if byte == b"\1":
                    byte = {b"\1": b"\0", b"\2": b"\1"}.get(t.take(1))
                    if byte is None:
                        raise Bad("escape")
                out += byte
            return out

        texts, hashes, tables = Pool([b""], fresh_text), Pool([], lambda: c.take(8)), []
        for (_, fields), count, mask in zip(kinds, rows, masks):
            if any(not 1 <= k <= 10 or g and k != 1 and not (k in (7, 8) and g >= 3) for k, g in fields):
                return None
            table = [None] * len(fields)
            for f in column_order([g for _, g in fields]):
                kind, coding = fields[f]
                by = table[coding - 3] if coding >= 3 else None
                if coding >= 3 and fields[coding - 3][0] >= 9:
                    return None
                table[f] = column(m.varint, count, kind, coding, mask >> f & 1, by, texts, hashes)
            tables.append(table)
        if c.at != c.end or t.at != t.end or m.at != m.end:
            return None
        out, at = b"", [0] * len(kinds)
        for k, count in runs:
            for i in range(at[k], at[k] + count):
                row = varint_of(kinds[k][0])
                for (kind, _), values in zip(kinds[k][1], tables[k]):
                    v = values[i]
                    if kind in (5, 6):
                        row += v
                    elif kind in (7, 8):
                        row += varint_of(len(v)) + v
                    elif kind >= 9:
                        row += varint_of(len(v)) + b"".join(varint_of(len(x)) + x if kind == 10 else varint_of(x) for x in v)
                    else:
                        row += varint_of(v)
                out += varint_of(len(row)) + row
            at[k] += count
        return out
    except (Bad, zlib.error):
        return None


class Schema:
    """records: id -> (name, version, meaning, [(name, type, unit, semantic, meaning)], [(of, key, value)])"""

    def __init__(self, payload):
        self.records, self.enums, self.n_bad, self.seen = {}, {}, 0, set()
        c = Cursor(payload)
        while c.at < c.end:
            try:
                d = Cursor(payload, *c.length())
                c.at = d.end
                {0: self.record, 1: self.enum}.get(d.varint(), lambda _: None)(d)
            except Bad:
                self.n_bad += 1

    def record(self, d):
        number, name, version, meaning = d.number(0xFFFFFFFF), d.name(), d.number(0xFFFFFFFF), d.plain()
        fields, attributes = [], []
        for _ in range(d.number(64)):
            f = (d.name(), d.number(0xFFFFFFFF), d.plain(255), d.plain(255), d.plain())
            if not 1 <= f[1] <= 10 or f[0] in [g[0] for g in fields]:
                raise Bad("field")
            fields.append(f)
        if d.at < d.end:
            attributes = [(d.number(len(fields)), d.plain(255), d.plain()) for _ in range(d.number(64))]
        twice, self.seen = {number, name} & self.seen, self.seen | {number, name}
        if twice or len(self.records) >= 4096:
            raise Bad("twice")
        self.records[number] = (name, version, meaning, fields, attributes)

    def enum(self, d):
        name = d.name()
        values = [(d.varint(), d.name(), d.plain()) for _ in range(d.number(4096))]
        if not values or name in self.enums or sum(map(len, self.enums.values()), len(values)) > 4096:
            raise Bad("twice")
        self.enums[name] = values

    def as_text(self):
        for number, (name, version, meaning, fields, attributes) in self.records.items():
            yield f"record {name} id={number} version={version} meaning={quoted(meaning)}"
            for f in fields:
                yield (f"  field {f[0]} type={TYPES[f[1]]} unit={quoted(f[2])} semantic={quoted(f[3])} "
                       f"meaning={quoted(f[4])}")
            yield from (f"  attribute field={a} key={quoted(k)} value={quoted(v)}" for a, k, v in attributes)
        for name, values in self.enums.items():
            yield f"enum {name}"
            yield from (f"  value {v[1]} number={v[0]} text={quoted(v[2])}" for v in values)


HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\udc80-\udcff]")
SIMPLE = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def quoted(raw):
    def escaped(c):
        return SIMPLE.get(c) or ("".join(f"\\x{b:02x}" for b in c.encode("utf-8", "surrogateescape")) if HIDDEN.match(c) else c)
    return '"' + "".join(map(escaped, raw.decode("utf-8", "surrogateescape"))) + '"'


def number_text(v, semantic, enums):
    text = hex(v) if semantic == b"address" else str(v)
    how, _, name = semantic.decode("utf-8", "replace").partition(":")
    names = [n.lower() for number, n, _ in enums.get(name, [])
             if (how == "enum" and number == v) or (how == "flags" and number & v)][:1 if how == "enum" else None]
    return text + (f"({'|'.join(names)})" if names else "")


def field_text(c, field, state, key, enums):
    """One field's value as text; state holds the clock and the previous values of the chunk. Absent ones are 0 or empty."""
    kind = TYPES[field[1]]
    absent = c.at == c.end
    if kind in ("U", "D", "T"):
        v = 0 if absent else c.varint() if kind == "U" else c.zigzag()
        if kind != "U" and not absent:
            which = "clock" if kind == "T" else key
            v = state[which] = (state.get(which, 0) + v) & MASK
        return number_text(v, field[3], enums)
    if kind == "Z":
        return "0" if absent else str(c.zigzag())
    if kind in ("H", "F"):
        raw = bytes(8) if absent else c.take(8)
        f, (h,) = struct.unpack("<d", raw)[0], struct.unpack("<Q", raw)
        return f"0x{h:016x}" if kind == "H" else f"nan:{h:016x}" if math.isnan(f) else f"{f:.17g}"
    if kind == "S":
        return quoted(b"" if absent else c.text())
    n = 0 if absent else c.varint()
    if kind == "B":
        return f"<{c.take(n).hex()}>"
    if n > c.end - c.at:
        raise Bad("array")
    return "[" + ",".join(str(c.varint()) if kind == "AU" else quoted(c.text()) for _ in range(n)) + "]"


def header_at(data, at):
    h = data[at:at + 64]
    if len(h) < 64 or h[:8] != MAGIC:
        return None
    crc, slot, committed = (struct.unpack_from("<I", h, i)[0] for i in (8, 16, 28))
    if crc32c(h[:8] + h[12:28] + h[40:]) != crc:
        end = 64 + (committed + 7) // 8 * 8
        h = h[:16] + struct.pack("<I", end & MASK >> 32) + h[20:]
        if end >= slot or crc32c(h[:8] + h[12:28] + h[40:]) != crc:
            return None
    names = "major minor kind slot stream sequence committed crc flags t0 lost schema".split()
    h = dict(zip(names, struct.unpack("<BBHIIIIIIQQQ", h[12:])))
    return h if 64 <= h["slot"] <= 64 << 20 and h["slot"] % 8 == 0 else None


def walk(data):
    """Yields (header, payload) of each chunk, payload None for a bad one; (None, bytes) for a stretch of damage."""
    at, damage = 0, 0
    while at < len(data):
        h = header_at(data, at)
        begun = 0
        if data[at:at + 8] == BEGUN and len(data) - at >= 64:
            begun = struct.unpack_from("<I", data, at + 16)[0]
            begun = begun if 64 <= begun <= min(64 << 20, len(data) - at) and begun % 8 == 0 else 64
        if begun:
            if damage:
                yield None, damage
            at, damage = at + begun, 0
            continue
        if not h and (damage or any(data[at:at + 8] if len(data) - at >= 64 else data[at:])):
            damage += len(data[at:at + 8])
        if (h or at + 8 >= len(data)) and damage:
            yield None, damage
            damage = 0
        if not h:
            at += 8
            continue
        payload = data[at + 64:at + 64 + h["committed"]]
        good = h["major"] == 1 and h["committed"] <= h["slot"] - 64 and len(payload) == h["committed"] and \
            (h["flags"], h["crc"]) in ((0, 0), (1, crc32c(payload)), (5, crc32c(payload)))
        if good and h["flags"] == 5:
            payload = unpack(payload) if h["kind"] != 1 else None
            good = payload is not None
        yield h, payload if good else None
        if not good:
            yield None, -min(h["slot"], len(data) - at)
        at += h["slot"]


def main():
    data = open(sys.argv[1], "rb").read()
    out, schemas, n = ["heatscope-text 1"], {}, dict.fromkeys("good open bad skipped records unknown undecodable".split(), 0)
    for h, payload in walk(data):
        if h and payload is not None and h["kind"] == 1 and h["schema"] not in schemas:
            schemas[h["schema"]] = Schema(payload)
    for h, payload in walk(data):
        if not h or payload is None:
            n["bad"] += h is not None or payload > 0
            n["skipped"] += 0 if h else abs(payload)
            continue
        n["good"], n["open"] = n["good"] + 1, n["open"] + (h["flags"] == 0)
        kind = dict(enumerate(KINDS)).get(h["kind"], f"kind{h['kind']}")
        slot = "packed" if h["slot"] == (64 + h["committed"] + 7) // 8 * 8 else h["slot"]
        out.append(f"@chunk {kind} stream={h['stream']} sequence={h['sequence']} t0={h['t0']} lost={h['lost']} slot={slot} "
                   f"{'sealed' if h['flags'] else 'open'} schema={h['schema']:016x}" +
                   (f" minor={h['minor']}" if h["minor"] else ""))
        if h["kind"] == 1:
            out += Schema(payload).as_text()
            n["undecodable"] += Schema(payload).n_bad
            continue
        schema = schemas.get(h["schema"]) or next(iter(schemas.values()))
        c, state = Cursor(payload), {"clock": h["t0"]}
        while c.at < c.end:
            start = c.at
            try:
                r = Cursor(payload, *c.length())
                number = r.number(MASK >> 32)
                if known := schema.records.get(number):
                    out.append(" ".join([known[0]] + [f"{f[0]}=" + field_text(r, f, state, (number, i), schema.enums)
                                                      for i, f in enumerate(known[3])]))
                else:
                    n["unknown"] += 1
                    out.append(f"@unknown id={number} payload=<{r.data[r.at:r.end].hex()}>")
            except Bad:
                n["undecodable"], n["skipped"] = n["undecodable"] + 1, n["skipped"] + c.end - start
                break
            n["records"], c.at = n["records"] + 1, r.end
    out.append(f"# chunks: {n['good']} good ({n['open']} of them open), {n['bad']} bad; bytes skipped: {n['skipped']}; "
               f"records: {n['records']} ({n['unknown']} unknown), {n['undecodable']} undecodable")
    sys.stdout.buffer.write(("\n".join(out) + "\n").encode())


main()
