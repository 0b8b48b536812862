#!/usr/bin/env python3
"""What `seekless record` costs on Windows, under Wine: 250,000 reads of a cached file, plain and recorded in turn.

Usage: integration/windows/measure_record.py [ROUNDS]    (needs build/windows, Wine and mingw-w64; default: 9 rounds)"""
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tool import TOP, windows_environment  # noqa: E402

READS = 250_000


def seconds(command):
    """Of the reads alone, as the program says: on the wall, and of its thread on the processor."""
    done = subprocess.run(["wine", *map(str, command)], capture_output=True, text=True, check=True,
                          env={**os.environ, **windows_environment()}, stdin=subprocess.DEVNULL)
    return [float(word) for word in done.stdout.split()[:2]]


def main(rounds):
    with tempfile.TemporaryDirectory() as work:
        program, data = Path(work, "file_calls.exe"), Path(work, "data")
        subprocess.run(["x86_64-w64-mingw32-gcc-posix", "-O1", "-municode", "-static",
                        TOP / "integration/windows/file_calls.c", "-o", program], check=True)
        data.write_bytes(bytes(1 << 28))
        record = [TOP / "build/windows/bin/seekless.exe", "record", "-o", Path(work, "t.trace"), "--"]
        for size in (4096, 65536):
            loop = [program, "loop", data, READS, size]
            both = [(seconds(loop), seconds(record + loop)) for _ in range(rounds)]
            for kind, at in (("wall", 0), ("processor", 1)):
                plain = statistics.median(pair[0][at] for pair in both)
                recorded = statistics.median(pair[1][at] for pair in both)
                print(f"{READS} reads of {size} bytes, {kind}: {plain:.3f} s plain, {recorded:.3f} s recorded, "
                      f"{recorded / plain:.3f} times, {1e6 * (recorded - plain) / READS:+.2f} us a read")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
