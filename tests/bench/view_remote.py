#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the viewer sends over a remote X connection: round trips, requests and bytes of the start and of single actions.

usage: view_remote.py HEATSCOPE DB [DELAY_MS [MBIT_S [near]]]

Starts an Xvfb and a proxy on a TCP port that counts: replies of the server (each is a round trip that the viewer waited for), requests by
kind, bytes both ways. Shared memory is refused, as a forwarded display does. With DELAY_MS each direction is that much later, with MBIT_S
it carries so many millions of bits a second, and the times printed are those that a person far away would see. `near`: the proxy is a local
display to the viewer, which then draws as if it were near. Measures, judges nothing."""
import collections
import os
import queue
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

NAMES = {1: "CreateWindow", 2: "ChangeWindowAttributes", 8: "MapWindow", 12: "ConfigureWindow", 14: "GetGeometry", 15: "QueryTree", 16: "InternAtom",
         18: "ChangeProperty", 20: "GetProperty", 23: "GetSelectionOwner", 38: "QueryPointer", 40: "TranslateCoordinates", 42: "SetInputFocus",
         43: "GetInputFocus (sync)", 45: "OpenFont", 47: "QueryFont", 49: "ListFonts", 53: "CreatePixmap", 55: "CreateGC", 56: "ChangeGC", 62: "CopyArea",
         66: "PolySegment", 70: "PolyFillRectangle", 72: "PutImage", 73: "GetImage", 84: "AllocColor", 85: "AllocNamedColor", 91: "QueryColors",
         97: "QueryBestSize", 98: "QueryExtension", 101: "GetKeyboardMapping", 119: "GetModifierMapping"}


PIECE = 4096 # bytes that are carried at a time


class Proxy:
    """Counts what one client and the server say to each other."""

    def __init__(self, server_path, delay_s, bytes_s, near):
        self.server_path, self.delay_s, self.bytes_s = server_path, delay_s, bytes_s
        self.listener = socket.socket(socket.AF_UNIX if near else socket.AF_INET)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for self.number in range(70, 200):
            try:
                self.path = f"/tmp/.X11-unix/X{self.number}" if near else None
                self.listener.bind(self.path or ("127.0.0.1", 6000 + self.number))
                break
            except OSError:
                continue
        else:
            sys.exit("view_remote: no free port")
        self.listener.listen(8)
        self.lock = threading.Lock()
        self.reset()
        threading.Thread(target=self.accept, daemon=True).start()

    def reset(self):
        with self.lock:
            self.requests, self.waits = collections.Counter(), collections.Counter()
            self.up = self.down = 0

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            if not self.path:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.server_path)
            state = {"kinds": {}, "sequence": 0, "names": {}, "shm": None}
            for source, sink, split in ((client, server, self.split_requests), (server, client, self.split_answers)):
                out = queue.Queue()
                threading.Thread(target=self.read, args=(source, out, split, state), daemon=True).start()
                threading.Thread(target=self.write, args=(sink, out), daemon=True).start()

    def read(self, source, out, split, state):
        parser = split(state)
        next(parser)
        free = 0 # when the line has carried what came before
        while True:
            try:
                data = source.recv(1 << 20)
            except OSError:
                data = b""
            if not data:
                out.put((0, None))
                return
            data = parser.send(data)
            for at in range(0, len(data), PIECE):
                piece = data[at:at + PIECE]
                free = max(free, time.monotonic()) + (len(piece) / self.bytes_s if self.bytes_s else 0)
                out.put((free + self.delay_s, piece))

    def write(self, sink, out):
        while True:
            due, data = out.get()
            if data is None:
                try:
                    sink.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                return
            left = due - time.monotonic()
            if left > 0:
                time.sleep(left)
            try:
                sink.sendall(data)
            except OSError:
                return

    # Generators: take what came, give what is handed on (all of it, at once; what is whole is counted).
    def split_requests(self, state):
        buffer, setup, given = b"", True, b""
        while True:
            data = yield given
            with self.lock:
                self.up += len(data)
            whole = bytearray(data)
            start = len(buffer)
            buffer += data
            used = 0
            while True:
                left = buffer[used:used + 8]
                if setup:
                    if len(buffer) < 12:
                        break
                    n, d = struct.unpack_from("<HH", buffer, 6)
                    size = 12 + (n + 3) // 4 * 4 + (d + 3) // 4 * 4
                else:
                    if len(left) < 8 and (len(left) < 4 or struct.unpack_from("<H", left, 2)[0] == 0):
                        break
                    size = 4 * struct.unpack_from("<H", left, 2)[0] or 4 * struct.unpack_from("<I", left, 4)[0]
                if len(buffer) - used < size or size == 0:
                    break
                if setup:
                    setup = False
                else:
                    with self.lock:
                        state["sequence"] = (state["sequence"] + 1) & 0xFFFF
                        kind = buffer[used]
                        state["kinds"][state["sequence"]] = kind
                        self.requests[kind] += 1
                    at = buffer.find(b"MIT-SHM", used, used + size)
                    if kind == 98 and at >= start: # another name, which the server does not have
                        whole[at - start] = ord("X")
                used += size
            buffer = buffer[used:]
            given = bytes(whole)

    def split_answers(self, state):
        buffer, setup, given = b"", True, b""
        while True:
            data = yield given
            with self.lock:
                self.down += len(data)
            buffer += data
            used = 0
            while len(buffer) - used >= (8 if setup else 32):
                if setup:
                    size = 8 + 4 * struct.unpack_from("<H", buffer, used + 6)[0]
                else:
                    long = buffer[used] == 1 or buffer[used] & 0x7F == 35
                    size = 32 + (4 * struct.unpack_from("<I", buffer, used + 4)[0] if long else 0)
                if len(buffer) - used < size:
                    break
                if not setup and buffer[used] == 1:
                    with self.lock:
                        self.waits[state["kinds"].get(struct.unpack_from("<H", buffer, used + 2)[0], 0)] += 1
                setup = False
                used += size
            buffer = buffer[used:]
            given = data

    def report(self, what, seconds, frames=1):
        with self.lock:
            requests, waits, up, down = self.requests.copy(), self.waits.copy(), self.up, self.down
        name = lambda k: NAMES.get(k, f"request {k}")
        dear = ", ".join(f"{name(k)} {n}" for k, n in waits.most_common(5))
        most = ", ".join(f"{name(k)} {n}" for k, n in requests.most_common(5))
        print(f"{what:34} {sum(waits.values()) / frames:7.1f} round trips  {sum(requests.values()) / frames:8.1f} requests"
              f"  {up / frames / 1e3:9.1f} kB up {down / frames / 1e3:7.1f} kB down  {1e3 * seconds / frames:8.0f} ms")
        print(f"{'':34} waited for: {dear or 'nothing'}; most: {most}", flush=True)


def main():
    heatscope, db = os.path.abspath(sys.argv[1]), sys.argv[2]
    delay_s = float(sys.argv[3]) / 1e3 if len(sys.argv) > 3 else 0
    bytes_s = float(sys.argv[4]) * 1e6 / 8 if len(sys.argv) > 4 else 0
    near = sys.argv[5:] == ["near"]
    lib = os.path.join(os.path.dirname(os.path.dirname(heatscope)), "lib", "heatscope")
    gui = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "gui", "tcl", "main.tcl")
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-noreset", "-ac", "-nolisten", "tcp"], pass_fds=[write],
                              stderr=subprocess.DEVNULL)
    os.close(write)
    number = os.read(read, 20).decode().strip()
    try:
        proxy = Proxy(f"/tmp/.X11-unix/X{number}", delay_s, bytes_s, near)
        begin = time.monotonic()
        viewer = subprocess.Popen(["tclsh8.6", gui, f"--lib={lib}", "--script=-", "--size=1500x900", "--", db], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True, env=dict(os.environ, DISPLAY=f"{'' if near else '127.0.0.1'}:{proxy.number}"))

        def ask(line):
            viewer.stdin.write(line + "\n")
            viewer.stdin.flush()
            while True:
                answer = viewer.stdout.readline()
                if answer == "ok\n":
                    return
                if not answer or answer.startswith("error "):
                    sys.exit(f"view_remote: {line}: {answer.strip() or 'the viewer has gone'}")

        ask("settle")
        proxy.report("start, all drawn", time.monotonic() - begin)
        actions = [("hover over the heat map", ["hover detail heat 40 120", "hover detail heat 60 160"], 2), ("a line down", ["key Down"] * 10, 10),
                   ("page down", ["key Next"] * 5, 5), ("next hot spot", ["key n"] * 5, 5), ("terrain turned by a drag", ["drag terrain land 60 60 140 90"], 1),
                   ("contexts in front", ["raise contexts"], 1), ("assembler in front", ["raise assembly"], 1), ("timeline in front", ["raise timeline"], 1),
                   ("messages in front", ["raise messages"], 1), ("back to the flame graph", ["raise flame"], 1), ("dark", ["set theme dark"], 1)]
        for what, lines, frames in actions:
            proxy.reset()
            begin = time.monotonic()
            for line in lines:
                ask(line)
            proxy.report(what, time.monotonic() - begin, frames)
        viewer.stdin.write("quit\n")
        viewer.stdin.close()
        viewer.wait(20)
    finally:
        server.terminate()
        server.wait()
        if near:
            os.unlink(proxy.path)


main()
