# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is true of the machine code of a kernel program, from its disassembly, a trace of one run, and the marks of its
source alone; nothing of it comes from debug information or from the map.

Machine loops are the natural loops of each function's control flow. The data that an instruction used in the run tell which
source loop it serves: loop NAME, and no other, uses the array mk_NAME.
"""
import bisect
import re
import struct
import subprocess

SETUP = re.compile(r"^main$|callee|ENK.*clE|^_ZN7Fortran7runtime")  # set marks up, or are called in a marked loop


def output(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True).stdout


class Source:
    """Loops that are marked in a source: name -> line, order among those of the line, name of the loop round it."""

    def __init__(self, path):
        self.line, self.order, self.parent, self.uses = {}, {}, {}, {}
        for number, text in enumerate(open(path), 1):
            comment = re.search(r"(?:/\*|!|//) *(@.*)", text)
            for order, m in enumerate(re.finditer(r"@(\w+)(?: in (\w+))?", comment.group(1) if comment else "")):
                name = m.group(1).lower()
                assert name not in self.line, f"{path}:{number}: loop {name} is marked twice"
                self.line[name], self.order[name], self.parent[name] = number, order, m.group(2)
        # the last line: where the indentation of the first is come back to (Fortran: END DO; else a brace or a statement)
        text, self.last = open(path).read().split("\n"), {}
        for name, line in self.line.items():
            indent = len(text[line - 1]) - len(text[line - 1].lstrip())
            end = line
            while end < len(text) and (not text[end].strip() or len(text[end]) - len(text[end].lstrip()) > indent):
                end += 1
            self.last[name] = end + 1 if end < len(text) and re.match(r"\s*(}|end ?do|\d+ +continue)", text[end], re.I) else end
        self.at = {}
        for name, line in self.line.items():
            self.at.setdefault(line, []).append(name)

    def chain(self, name):
        """The loop and those round it, innermost first."""
        while name:
            yield name
            name = self.parent[name]


class Function:
    def __init__(self, name, low, high):
        self.name, self.low, self.high = name, low, high
        self.code = []  # (address, mnemonic, operands, next address)
        self.loop_at = {}  # address: innermost machine loop, or None
        self.loops = []
        self.marked = False  # uses data of a marked loop


class MachineLoop:
    def __init__(self, header):
        self.header, self.blocks, self.parent, self.children = header, set(), None, []
        self.marks = {}  # name: addresses of its instructions directly in this loop
        self.code = []   # instructions directly in it


def functions_of(program):
    """The functions with a symbol of the program's executable sections, disassembled."""
    functions, current = [], None
    for line in output("objdump", "-d", "--no-show-raw-insn", "-w", program).splitlines():
        m = re.match(r"([0-9a-f]+) <(.*)>:", line)
        if m:
            current = Function(m.group(2), int(m.group(1), 16), 0)
            functions.append(current)
            continue
        m = re.match(r" +([0-9a-f]+):\t(?:(?:data16|cs|ds|rex\.\w+|repz|bnd|notrack|lock) )*(\S+) *(.*)", line)
        if m and current:
            at = int(m.group(1), 16)
            if current.code:
                current.code[-1][3] = at
            current.code.append([at, m.group(2), m.group(3).split("#")[0].strip(), at + 1])
            current.high = at + 1
    return [f for f in functions if f.code]


def find_loops(f, seen_targets):
    """Blocks, dominators and natural loops of a function. `seen_targets`: where indirect jumps went in the run."""
    addresses = [c[0] for c in f.code]
    inside = set(addresses)
    leaders, ends = {addresses[0]}, {}
    for at, op, operands, after in f.code:
        is_jump = op.startswith("j") or op.startswith("loop")
        if not is_jump and not op.startswith("ret") and op not in ("ud2", "hlt"):
            continue
        targets = []
        if is_jump:
            m = re.match(r"([0-9a-f]+)\b", operands)
            targets = [int(m.group(1), 16)] if m and not operands.startswith("*") else sorted(seen_targets.get(at, ()))
            if not op.startswith("jmp"):
                targets.append(after)
        ends[at] = [t for t in targets if t in inside]
        leaders.update(ends[at])
        if after in inside:
            leaders.add(after)
    starts = sorted(leaders)
    block_of, successors, last = {}, {s: [] for s in starts}, None
    for at, op, operands, after in f.code:
        if at in leaders:
            if last is not None and last[0] not in ends:
                successors[block].append(at)
            block = at
        block_of[at] = block
        if at in ends:
            successors[block] = ends[at]
        last = (at,)
    # dominators, by the simple iteration over reverse post-order
    order, state, stack = [], {starts[0]: 1}, [(starts[0], iter(successors[starts[0]]))]
    while stack:
        b, edges = stack[-1]
        for s in edges:
            if s not in state:
                state[s] = 1
                stack.append((s, iter(successors[s])))
                break
        else:
            order.append(b)
            stack.pop()
    order.reverse()
    rank = {b: i for i, b in enumerate(order)}
    predecessors = {b: [] for b in order}
    for b in order:
        for s in successors[b]:
            predecessors[s].append(b)
    idom = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for b in order[1:]:
            new = None
            for p in predecessors[b]:
                if p not in idom:
                    continue
                x, y = p, new if new is not None else p
                while x != y:
                    while rank[x] > rank[y]:
                        x = idom[x]
                    while rank[y] > rank[x]:
                        y = idom[y]
                new = x
            if new is not None and idom.get(b) != new:
                idom[b] = new
                changed = True

    def dominates(a, b):
        while rank[b] > rank[a]:
            b = idom[b]
        return a == b

    loops = {}
    for b in order:
        for s in successors[b]:
            if rank[s] <= rank[b] and dominates(s, b):
                loop = loops.setdefault(s, MachineLoop(s))
                loop.blocks.add(s)
                work = [b]
                while work:
                    x = work.pop()
                    if x not in loop.blocks:
                        loop.blocks.add(x)
                        work += predecessors[x]
    f.loops = sorted(loops.values(), key=lambda l: len(l.blocks))
    innermost = {}
    for loop in f.loops:
        for b in loop.blocks:
            innermost.setdefault(b, loop)
        bigger = [o for o in f.loops if o is not loop and loop.header in o.blocks and len(o.blocks) > len(loop.blocks)]
        loop.parent = min(bigger, key=lambda o: len(o.blocks), default=None)
        if loop.parent:
            loop.parent.children.append(loop)
    for at in addresses:
        loop = innermost.get(block_of[at])
        f.loop_at[at] = loop
        if loop:
            loop.code.append(at)


class Machine:
    """functions, counts[address] of executions, marks[address] = names of the loops whose data it used."""

    def __init__(self, program, trace):
        head = open(program, "rb").read(20)
        bias = 0x108000 if struct.unpack("<H", head[16:18])[0] == 3 else 0  # where valgrind puts programs
        self.functions = functions_of(program)
        arrays = []
        for line in output("nm", "-S", "--defined-only", program).splitlines():
            m = re.match(r"([0-9a-f]+) ([0-9a-f]+) . (?:_QM\w+E)?mk_(\w+)$", line)
            if m:
                arrays.append((int(m.group(1), 16), int(m.group(1), 16) + int(m.group(2), 16), m.group(3)))
        arrays.sort()
        assert arrays, f"{program}: no marks"
        self.counts, self.marks, jumps = {}, {}, {}
        self.bytes = {}  # address: most bytes of a marked loop's data that it moves at once
        low, high = self.functions[0].low, self.functions[-1].high
        indirect = {at for f in self.functions for at, op, operands, _ in f.code
                    if op.startswith("jmp") and operands.startswith("*")}
        begins = [a[0] for a in arrays]
        data_low, data_high = arrays[0][0], arrays[-1][1]
        current = before = None
        for line in open(trace):
            kind = line[:2]
            if kind == "I ":
                at = int(line[3:line.index(",")], 16) - bias
                if before in indirect:
                    jumps.setdefault(before, set()).add(at)
                before = current = at if low <= at < high else None
                if current is not None:
                    self.counts[at] = self.counts.get(at, 0) + 1
            elif current is not None and kind in (" L", " S", " M"):
                data = int(line[3:line.index(",")], 16) - bias
                if data_low <= data < data_high:
                    i = bisect.bisect_right(begins, data) - 1
                    if data < arrays[i][1]:
                        self.marks.setdefault(current, set()).add(arrays[i][2])
                        self.bytes[current] = max(self.bytes.get(current, 0), int(line[line.index(",") + 1:]))
        for f in self.functions:
            find_loops(f, jumps)
            if SETUP.search(f.name):
                continue
            f.marked = any(at in self.marks for at in f.loop_at)
            for at in f.loop_at:
                loop = f.loop_at[at]
                for name in self.marks.get(at, ()) if loop else ():
                    loop.marks.setdefault(name, set()).add(at)
