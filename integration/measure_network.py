"""Times a program with `seekless play` on a network folder: sshfs over a relay with a round trip and a rate.

Usage: measure_network.py [--rounds N] [--round-trip MS] [--rate BYTES_PER_S] [--stop] [--work DIR] [KIND...]
KIND: image (400 pieces of 64 KiB of one file of 100 MB, in no order) or loose (400 files of 64 KiB). Every run begins
with an empty page cache. Times are wall seconds. "n" is the plain run's time divided by the round trip. "x" is the
third run's time divided by the time that its bytes take at the network's rate. --stop stops the network for 10 s in the
middle.
"""
import argparse
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import slow_network

SEEKLESS = pathlib.Path(__file__).resolve().parents[1] / "build/release/bin/seekless"
PIECE, PIECES, IMAGE_BYTES = 64 << 10, 400, 100 << 20
READ = """
import os, sys
folder, kind, piece = sys.argv[1], sys.argv[2], 65536
places = list(map(int, sys.argv[3:]))
if kind == "image":
    file = os.open(folder + "/game.img", os.O_RDONLY)
    for place in places: assert len(os.pread(file, piece, place * piece)) == piece
else:
    for place in places:
        with open(f"{folder}/f{place}", "rb") as file: assert len(file.read()) == piece
"""


def make(folder, kind):
    chance = random.Random(48)
    if kind == "image":
        (folder / "game.img").write_bytes(chance.randbytes(IMAGE_BYTES))
    else:
        for number in range(PIECES):
            (folder / f"f{number}").write_bytes(chance.randbytes(PIECE))


def command(folder, kind):
    most = IMAGE_BYTES // PIECE if kind == "image" else PIECES
    places = random.Random(1).sample(range(most), PIECES)
    return [sys.executable, "-I", "-S", "-c", READ, str(folder), kind, *map(str, places)]


class OnNetwork:
    def __init__(self, work, kind, round_trip_ms, rate):
        self.work, self.kind, self.round_trip_ms, self.rate = pathlib.Path(work), kind, round_trip_ms, rate
        (self.work / "source").mkdir()
        make(self.work / "source", kind)
        self.folder = self.work / "game"

    def run(self, *options, served=True, stops=False):
        """Returns the program's seconds, and the longest time of any step around it."""
        front = [SEEKLESS, "play", "--state", self.work / "state", *options,
                 self.folder / "game.img" if self.kind == "image" else self.folder, "--"] if served else []
        with slow_network.mounted(self.work / "source", self.folder, self.round_trip_ms, self.rate) as network:
            if stops:
                threading.Timer(1, network.stop).start()
                threading.Timer(11, network.go_on).start()
            begun = time.monotonic()
            done = subprocess.run([*map(str, front), *command(self.folder, self.kind)], capture_output=True, text=True, cwd="/")
            assert done.returncode == 0, done.stderr
            return time.monotonic() - begun


def measure(kind, round_trip_ms, options):
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        on = OnNetwork(work, kind, round_trip_ms, options.rate)
        plain = statistics.median(on.run(served=False) for _ in range(options.rounds))
        first, second = on.run(), on.run()
        third = statistics.median(on.run() for _ in range(options.rounds))
        least = PIECE * PIECES / options.rate
        cells = [f"{each:.2f}" for each in (plain, first, second, third, least)]
        if options.stop:
            cells += [f"{on.run(served=False, stops=True):.2f}", f"{on.run(stops=True):.2f}"]
        print(f"| {kind}, {round_trip_ms:g} ms | " + " | ".join(cells) +
              f" | {plain / round_trip_ms * 1000:.0f} | {third / least:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--round-trip", type=float, action="append", metavar="MS", help="[5 and 20]")
    parser.add_argument("--rate", type=float, default=12_500_000)
    parser.add_argument("--stop", action="store_true")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    options = parser.parse_args()
    stopped = " plain, stopped | third, stopped |" if options.stop else ""
    print(f"| | plain | first | second | third | at the rate |{stopped} n | x |\n|" + "---|" * (9 if options.stop else 7 + 1),
          flush=True)
    for kind in options.kinds or ["image", "loose"]:
        for round_trip_ms in options.round_trip or [5, 20]:
            measure(kind, round_trip_ms, options)


if __name__ == "__main__":
    main()
