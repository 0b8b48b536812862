#!/usr/bin/env python3
"""Measures the cost of `seekless record` and of `seekless play` on Windows, under Wine: reads of a cached file, plain
and with each of the two in turn. In its first runs `play` knows nothing about the program; in the last ones it knows
the program's reads. Run it alone on the machine, or as root, so that it gets priority on the processors.

Usage: integration/windows/measure_record.py [ROUNDS]    (needs build/windows, Wine and mingw-w64; default: 9 rounds)
SEEKLESS_WINDOWS_BIN  the tool [build/windows/bin/seekless.exe]"""
import os
import shutil
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
    """Returns the program's own figures for its reads, wall time and its thread's processor time; and the processor
    time of all started processes, including the recorder."""
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
        game, state = Path(work, "game"), Path(work, "state")
        program, data = game / "file_calls.exe", game / "data"
        game.mkdir()
        subprocess.run(["x86_64-w64-mingw32-gcc-posix", "-O1", "-municode", "-static",
                        TOP / "integration/windows/file_calls.c", "-o", program], check=True)
        data.write_bytes(bytes(1 << 28))
        tool = os.environ.get("SEEKLESS_WINDOWS_BIN", TOP / "build/windows/bin/seekless.exe")
        play = [tool, "play", "--always", "--state", state, game, "--"]
        for reads, size, between_us in LOADS:
            load = [program, "work", data, reads, size, between_us]
            print(f"{reads} reads of {size} bytes, {between_us} us of computing before each:")
            compare("recorded", load, [tool, "record", "-o", Path(work, "t.trace"), "--", *load], rounds)
            compare("by `play`, unknown", load, [*play, *load], rounds,
                    lambda: shutil.rmtree(state, ignore_errors=True))
            compare("by `play`, known", load, [*play, *load], rounds)


def compare(name, plain, other, rounds, prepare=lambda: None):
    both = []
    for _ in range(rounds):
        prepare()
        both.append((seconds(plain), seconds(other)))
    for kind, at in (("wall", 0), ("processor", 1)):
        before, after = (statistics.median(pair[i][at] for pair in both) for i in (0, 1))
        ratio = statistics.median(pair[1][at] / pair[0][at] for pair in both)
        print(f"  {name}, {kind}: {before:.3f} s plain, {after:.3f} s so, median ratio {ratio:.3f}")
    print(f"  {name}: all processes' processor: {statistics.median(pair[1][2] for pair in both):.3f} s", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
