#!/usr/bin/env python3
"""Measures the cost of `seekless record` on Windows, under Wine: reads of a cached file, plain and recorded in turn.
Run it alone on the machine, or as root, which gives it the processors before others.

Usage: integration/windows/measure_record.py [ROUNDS]    (needs build/windows, Wine and mingw-w64; default: 9 rounds)
SEEKLESS_WINDOWS_BIN  the tool [build/windows/bin/seekless.exe]"""
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tool import TOP, windows_environment  # noqa: E402

# Reads, bytes of each, and microseconds that the game computes before each.
LOADS = [(250_000, 4096, 0), (50_000, 65536, 0), (50_000, 4096, 20), (20_000, 65536, 100)]


def seconds(command):
    """Returns, for the reads alone and as the program says, wall time and its thread's processor time; and the
    processor time of everything that was started, including the recorder if there is one."""
    started = subprocess.Popen(["wine", *map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, env={**os.environ, **windows_environment()})
    found = [float(word) for word in started.stdout.readline().split()]
    _, status, used = os.wait4(started.pid, 0)
    assert status == 0
    return [*found, used.ru_utime + used.ru_stime]


def main(rounds):
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(5))
    except PermissionError:
        print("not as root: what else runs takes part")
    with tempfile.TemporaryDirectory() as work:
        program, data = Path(work, "file_calls.exe"), Path(work, "data")
        subprocess.run(["x86_64-w64-mingw32-gcc-posix", "-O1", "-municode", "-static",
                        TOP / "integration/windows/file_calls.c", "-o", program], check=True)
        data.write_bytes(bytes(1 << 28))
        tool = os.environ.get("SEEKLESS_WINDOWS_BIN", TOP / "build/windows/bin/seekless.exe")
        record = [tool, "record", "-o", Path(work, "t.trace"), "--"]
        for reads, size, between_us in LOADS:
            load = [program, "work", data, reads, size, between_us]
            both = [(seconds(load), seconds(record + load)) for _ in range(rounds)]
            print(f"{reads} reads of {size} bytes, {between_us} us of computing before each:")
            for kind, at in (("wall", 0), ("processor", 1)):
                plain, recorded = (statistics.median(pair[i][at] for pair in both) for i in (0, 1))
                ratio = statistics.median(pair[1][at] / pair[0][at] for pair in both)
                print(f"  {kind}: {plain:.3f} s plain, {recorded:.3f} s recorded, median ratio {ratio:.3f}, "
                      f"{1e6 * (recorded - plain) / reads:+.2f} us a read")
            recorder = statistics.median(pair[1][2] for pair in both)
            print(f"  the recorder's processor: {recorder:.3f} s, {1e6 * recorder / reads:.2f} us a read", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
