"""Logs the requests of a block device as the kernel sees them, in blkparse's format: when each was issued to the device
and when it completed. blktrace does the same, but kernels that are locked down refuse it. Needs root and tracefs, in
which it uses its own instance.
"""
import os
import re
import threading
from pathlib import Path

TRACING = Path("/sys/kernel/tracing")
EVENTS = {"block_rq_issue": "D", "block_rq_complete": "C"}
BUFFER_KIB = 8192
# kworker/u8:2-123     [001] .....  12.345678: block_rq_issue: 7,2 R 4096 () 8 + 8 none,0,0 [dd]
LINE = re.compile(r"-(\d+)\s+\[(\d+)\]\s+\S+\s+(\d+\.\d+): (\w+): (\d+,\d+) (\S+) (?:\d+ )?\(.*?\) (\d+ \+ \d+) .*\[(.*)\]$")


def is_possible():
    if os.geteuid() != 0 or not (TRACING / "events/block/block_rq_issue").is_dir():
        return False
    tried = TRACING / "instances" / f"seekless-try-{os.getpid()}"
    try:
        tried.mkdir()
        tried.rmdir()
    except OSError:
        return False
    return True


class BlockLog:
    """Logs the device's requests to a file while the context lasts."""

    def __init__(self, device, file):
        number = os.stat(device).st_rdev
        self.filter = f"dev == {os.major(number) << 20 | os.minor(number)}"
        self.file = Path(file)
        self.instance = TRACING / "instances" / f"seekless-{os.getpid()}"

    def __enter__(self):
        self.instance.mkdir()
        (self.instance / "buffer_size_kb").write_text(str(BUFFER_KIB))
        for event in EVENTS:
            folder = self.instance / "events/block" / event
            (folder / "filter").write_text(self.filter)
            (folder / "enable").write_text("1")
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.write)
        self.thread.start()
        return self

    def __exit__(self, *_):
        for event in EVENTS:
            (self.instance / "events/block" / event / "enable").write_text("0")
        self.over.set()
        self.thread.join()
        self.instance.rmdir()

    def write(self):
        pipe = os.open(self.instance / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
        rest = b""
        number = 0
        with open(self.file, "w") as out:
            while True:
                is_last = self.over.is_set()
                try:
                    rest += os.read(pipe, 1 << 20)
                    is_last = False
                except BlockingIOError:
                    self.over.wait(0.05)
                *lines, rest = rest.split(b"\n")
                for line in lines:
                    found = LINE.search(line.decode(errors="replace"))
                    if not found or found[4] not in EVENTS:
                        continue
                    number += 1
                    process, processor, time, event, device, kind, sectors, name = found.groups()
                    out.write(f"{device:>5} {int(processor):4} {number:8} {float(time):14.9f} {process:>5}  "
                              f"{EVENTS[event]} {kind:>3} {sectors} [{name}]\n")
                if is_last:
                    break
        os.close(pipe)
