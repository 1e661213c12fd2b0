# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text for people goes through a pager on a terminal, and nowhere else. Usage: pager.py HEATSCOPE HEATSCOPE-CC SOURCE WORK"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

HEATSCOPE, CC, SOURCE, WORK = sys.argv[1:5]
OBJECT = os.path.join(WORK, "a.o")
wrong = []
os.makedirs(WORK, exist_ok=True)
subprocess.run([CC, "-O2", "-g", "-c", "-o", OBJECT, SOURCE], check=True)


def on_terminal(pager, term="xterm"):
    """What a terminal of 132 columns gets, how the command ended, and what it said."""
    env = {k: v for k, v in os.environ.items() if k not in ("PAGER", "LESS", "COLUMNS")}
    env["TERM"] = term
    env["HEATSCOPE_PAGER"] = pager
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 132, 0, 0))
    p = subprocess.Popen([HEATSCOPE, "map", "--listing", OBJECT], stdin=slave, stdout=slave, stderr=subprocess.PIPE, env=env)
    os.close(slave)
    text = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the last one has closed it
            break
        if not part:
            break
        text += part
    os.close(master)
    err = p.stderr.read()
    return text.replace(b"\r\n", b"\n").decode(), p.wait(), err.decode()


def that(good, what):
    if not good:
        wrong.append(what)


env = dict(os.environ, HEATSCOPE_PAGER="tr a-z A-Z")
piped = subprocess.run([HEATSCOPE, "map", "--listing", OBJECT], capture_output=True, text=True, check=True, env=env).stdout
that(piped and piped != piped.upper(), "none in a pipe")
plain, code, err = on_terminal("cat")
that(code == 0 and not err and plain and plain != plain.upper(), f"cat is none: {code} {err} {plain[:200]}")
for name in ("", "cat"):
    that(on_terminal(name)[0] == plain, f"'{name}' is none")
upper, code, err = on_terminal("tr a-z A-Z")
that(code == 0 and not err and upper == plain.upper(), f"all goes through the pager, as wide and in the same colours as without: {code} {err}\n{upper[:300]}\n{plain[:300]}")
that(on_terminal("tr a-z A-Z", term="dumb")[0] == plain, "none on a terminal that can't place its cursor")
first, code, err = on_terminal("head -n 1")
that(code == 0 and not err and first == plain.split("\n")[0] + "\n", f"who reads no further: {code} {err} {first!r}")
same, code, err = on_terminal("no-such-pager")
that(code == 0 and same == plain and "no pager 'no-such-pager'" in err, f"one that is not there: {code} {err}")
none, code, err = on_terminal("/no/such/pager")
that(code == 1 and "cannot start the pager '/no/such/pager'" in err, f"a path that is none: {code} {err}")
sys.exit("\n".join(wrong) or 0)
