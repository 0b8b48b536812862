"""What a served folder costs when all is in memory: microseconds of stat, of open and close, and of these with a read of
64 KiB, in a plain folder and in one that `seekless play` serves; the least of five, alternated.

Usage: measure_play_warm.py [--rounds N] [--binary FILE] FOLDER        (FOLDER is made, and removed)
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
FILES, BYTES = 200, 65536


def least(act, calls):
    def timed():
        begin = time.perf_counter()
        for number in range(calls):
            act(f"f{number % FILES}")
        return (time.perf_counter() - begin) / calls * 1e6
    return min(timed() for _ in range(5))


def open_close(name, read=False):
    file = os.open(name, os.O_RDONLY)
    if read:
        os.read(file, BYTES)
    os.close(file)


def measure():
    for number in range(FILES):
        open_close(f"f{number}", read=True)
    print(json.dumps({"stat": least(os.stat, 200_000), "open": least(open_close, 20_000),
                      "open and read": least(lambda name: open_close(name, True), 10_000)}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--binary", type=pathlib.Path, default=TOP / "build/release/bin/seekless")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir()
    for number in range(FILES):
        (folder / f"f{number}").write_bytes(os.urandom(BYTES))
    plain = [sys.executable, "-I", __file__, "--measure"]
    served = [options.binary, "play", "--always", "--state", f"{folder}.state", folder, "--", *plain]
    try:
        for _ in range(options.rounds):
            for name, command in (("plain", plain), ("served", served)):
                told = subprocess.run(list(map(str, command)), cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
                print(name, *(f"{key} {value:.2f} us;" for key, value in json.loads(told.splitlines()[0]).items()), flush=True)
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(f"{folder}.state", ignore_errors=True)


if __name__ == "__main__":
    measure() if "--measure" in sys.argv else main()
