#!/usr/bin/python3
"""Makes up a game that holds each mission's files in load order, most of them several times, and the same game with each file
once. Prints what `seekless analyze` says of both (docs/studies/duplication.md, "Leaving the copies out").

Usage: measure_without_copies.py [--missions N] [--parts N] [--computing SECONDS] [--seed N] [--drive NAME] [--work FOLDER]
                                 [--binary FILE] [--json FILE]

The files are sparse, so 154 GB of them take some 200 MB of disk. Nothing is read from them: `analyze` only needs the
recordings and the files' sizes.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from made_up_game import Game  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parent.parent
# The proportions of a large live game: 154 GB with copies, 23 GB without (6.7 times).
COPIES = 6.5
SIZES = (1_265_000, 1.5, 4096, 400_000_000)  # median, spread, least and most bytes of a part


class Version(Game):
    """The game with or without copies. A mission's own copies lie in the order in which it loads them."""

    def __init__(self, folder, arguments, is_duplicated):
        super().__init__(folder, arguments.missions, arguments.parts, arguments.seed, sizes=SIZES, duplication=COPIES,
                         is_duplicated=is_duplicated)
        orders = random.Random(arguments.seed + 1)
        self.uses = [orders.sample(parts, len(parts)) for parts in self.uses]
        self.turn = [{part: turn for turn, part in enumerate(parts)} for parts in self.uses]

    def path(self, mission, part):
        if self.is_duplicated:
            return self.folder / f"mission{mission:03}" / f"{self.turn[mission].get(part, 0):05}.dat"
        return self.folder / "shared" / f"part{part:05}.dat"

    def held_bytes(self):
        return self.bytes() if self.is_duplicated else self.different_bytes()

    def record_once(self, folder, computing_s):
        folder.mkdir()
        for mission, parts in enumerate(self.uses):
            self.write_trace(folder / f"mission{mission:03}.1.trace", mission, parts, computing_s / max(1, len(parts)))
        return sorted(folder.glob("*.trace"))


def analyse(arguments, work, is_duplicated):
    name = "copies" if is_duplicated else "once"
    game = Version(work / name, arguments, is_duplicated)
    game.write()
    traces = game.record_once(work / f"{name}-traces", arguments.computing)
    command = [arguments.binary, "analyze", *traces, "--content", game.folder, "--drive", arguments.drive, "--json", work / f"{name}.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    verdict = json.loads((work / f"{name}.json").read_text())["verdict"]
    loads = verdict["scenarios"]
    missions = len(loads)
    return {"game": name, "held_gb": game.held_bytes() / 1e9, "files": sum(1 for _ in game.folder.rglob("*.dat")),
            "read_gb": game.bytes() / 1e9 / missions,
            "reading_s": sum(load["as_shipped_seconds"] for load in loads) / missions,
            "best_s": sum(load["bound_seconds"] for load in loads) / missions,
            "besides_s": sum(load.get("besides_seconds") or 0 for load in loads) / missions,
            "verdict": " ".join(done.stdout.split("\n\n")[0].split())}


def tell(rows):
    print("| the game holds | files | a mission reads, GB | reading, s | at best, s | computing, s | load, s |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        print(f"| {row['held_gb']:.0f} GB | {row['files']:,} | {row['read_gb']:.2f} | {row['reading_s']:.1f} | {row['best_s']:.1f} "
              f"| {row['besides_s']:.1f} | {row['reading_s'] + row['besides_s']:.1f} |")
    for row in rows:
        print(f"\n{row['held_gb']:.0f} GB: {row['verdict']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--missions", type=int, default=40)
    parser.add_argument("--parts", type=int, default=6400, help="different ones [%(default)s]")
    parser.add_argument("--computing", type=float, default=45, help="seconds of level generation in each load [%(default)s]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drive", default="wd-black-1tb")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--binary", default=os.environ.get("SEEKLESS_BIN", TOP / "build/release/bin/seekless"))
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    work = arguments.work or pathlib.Path(tempfile.mkdtemp())
    work.mkdir(parents=True, exist_ok=True)
    try:
        rows = [analyse(arguments, work, is_duplicated) for is_duplicated in (True, False)]
    finally:
        if arguments.work is None:
            shutil.rmtree(work, ignore_errors=True)
    tell(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
