# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A second event of the kernel on a thread, read from outside: what a sampler of its CPU time could have taken."""
import ctypes
import mmap
import os
import struct

SYS_PERF_EVENT_OPEN = 298
SOFTWARE, CPU_CLOCK, SAMPLE_TIME = 1, 0, 1 << 2
EXCLUDE_KERNEL, EXCLUDE_HYPERVISOR, USE_CLOCKID = 1 << 5, 1 << 6, 1 << 25
CLOCK_MONOTONIC = 1
CLOSE_ON_EXEC = 8
PAGES, DATA_HEAD_AT, SAMPLE_BYTES = 64, 1024, 16
libc = ctypes.CDLL(None, use_errno=True)


class Witness:
    """Samples of cpu-clock in user code, as the runtime takes them, but by the kernel alone and into its own memory. They come every
    `period_ns` of the thread's time on a processor. Where the hypervisor takes that away neither comes: the kernel's timers
    don't run, and when it is back there is one sample for however long it was. OSError: there is no perf here."""

    def __init__(self, tid, period_ns):
        attributes = bytearray(128)
        struct.pack_into("<IIQQQQQ", attributes, 0, SOFTWARE, len(attributes), CPU_CLOCK, period_ns, SAMPLE_TIME, 0,
                         EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR | USE_CLOCKID)
        struct.pack_into("<i", attributes, 92, CLOCK_MONOTONIC)
        pointer = (ctypes.c_char * len(attributes)).from_buffer(attributes)
        self.fd = libc.syscall(SYS_PERF_EVENT_OPEN, pointer, tid, -1, -1, CLOSE_ON_EXEC)
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), "perf_event_open")
        # read-only, so the kernel writes over what is old
        self.memory = mmap.mmap(self.fd, (1 + PAGES) * mmap.PAGESIZE, mmap.MAP_SHARED, mmap.PROT_READ)
        self.period_ns = period_ns

    def times(self):
        """CLOCK_MONOTONIC of its samples, nanoseconds; the last 16384 of them."""
        data, size = self.memory[mmap.PAGESIZE:], PAGES * mmap.PAGESIZE
        head = struct.unpack_from("<Q", self.memory, DATA_HEAD_AT)[0]
        return [struct.unpack_from("<Q", data, (at + 8) % size)[0] for at in range(max(0, head - size), head, SAMPLE_BYTES)]

    def close(self):
        self.memory.close()
        os.close(self.fd)
