#!/usr/bin/python3
"""Compares the readers of two builds in turn, on the same packs: has a change made opening and reading slower?

Usage: integration/runtime/compare_libraries.py BEFORE.so AFTER.so [ROUNDS]

Prints, for one and for eight threads, the processor microseconds that an asset takes by each, as medians of the rounds,
and the median of the rounds' own ratios. Needs the release build with benchmarks.
"""
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

from made_packs import BIN, pack, write_files

ASSETS, ASSET_BYTES, PASSES = 8_000, 8192, 10


def microseconds(library, packs, names, threads):
    """Returns the processor time for an asset: open, read, close."""
    done = subprocess.run([BIN / "open_each", "packs", packs, names, str(threads), str(PASSES)], check=True,
                          stdout=subprocess.PIPE, env={**os.environ, "LD_LIBRARY_PATH": str(library)})
    answer = json.loads(done.stdout)
    assert answer["bytes"] == answer["assets"] * ASSET_BYTES, answer
    return answer["cpu_seconds"] / answer["assets"] * 1e6


def main():
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 11
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        work = pathlib.Path(folder)
        libraries = []
        for name, library in zip(("before", "after"), sys.argv[1:3]):
            libraries.append(work / name)
            libraries[-1].mkdir()
            shutil.copy(library, libraries[-1] / "libseekless.so.0")
        names = write_files(work / "loose", [ASSET_BYTES] * ASSETS)
        pack(work / "loose", names, work / "packs", work)
        listed = work / "names"
        listed.write_text("".join(name + "\n" for name in random.Random(2).sample(names, len(names))))
        for threads in (1, 8):
            found = [[microseconds(library, work / "packs", listed, threads) for library in libraries]
                     for _ in range(rounds)]
            before, after = (statistics.median(column) for column in zip(*found))
            ratio = statistics.median(second / first for first, second in found)
            print(f"{threads} threads: {before:.3f} -> {after:.3f} us an asset, ratio {ratio:.3f}", flush=True)


if __name__ == "__main__":
    main()
