"""Compares two profiles on the access patterns of `script/bench hdd`, by the model alone: seconds, and how far apart.

usage: integration/hdd/agree.py PROFILE PROFILE      (names or files ending in .json; a release build)
"""
import pathlib
import sys
import tempfile

import bench

SIZE = 600 * bench.MIB


def seconds(drive, work):
    """Maps each pattern to the seconds that the model gives it on the drive."""
    files = [work / name for name in ("outer.bin", "inner.bin")]
    for file in files:
        with open(file, "wb") as zeros:
            zeros.truncate(SIZE)
    places = [("outer.bin", "1G"), ("inner.bin", "401G")]
    found = {}
    for name, (reads, read_ahead_kib) in bench.patterns(*files, SIZE).items():
        trace = bench.write_trace(work / "pattern.jsonl", reads)
        said = bench.simulate(drive, trace, "--content", *files, places=places, read_ahead_kib=read_ahead_kib)
        found[name] = said["pattern"]["today"]["seconds"]
    return found


def main(one, other):
    with tempfile.TemporaryDirectory() as work:
        found = [seconds(drive, pathlib.Path(work)) for drive in (one, other)]
    print(f"| pattern | {one}, s | {other}, s | apart |\n|---|---:|---:|---:|")
    for name, first in found[0].items():
        print(f"| {name} | {first:.3f} | {found[1][name]:.3f} | {found[1][name] / first - 1:+.1%} |")
    return max(abs(found[1][name] / first - 1) for name, first in found[0].items())


if __name__ == "__main__":
    print(f"at most {main(*sys.argv[1:3]):.1%} apart")
