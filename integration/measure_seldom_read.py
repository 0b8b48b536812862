#!/usr/bin/python3
"""Measures the gain of leaving assets that only some runs read out of a map's sweep, in 0 A.D., whose players choose
sides.

Usage: measure_seldom_read.py [--runs N] [--held-out N] [--seekless FILE] [--keep FOLDER]

Records one map with two of six sides by chance each time (two minutes for ten runs), plans from all runs but the last,
and simulates those on the layout. Prints the forecast of `plan`, and the simulated seconds. Needs the packages 0ad and
xvfb, and root (the game runs as nobody).
"""
import argparse
import copy
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from debian_games import GAMES  # noqa: E402
from recording import record_load  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parent.parent
SIDES = ("athen", "brit", "cart", "gaul", "iber", "kush")
SCENARIO = "map/sicilia_2p"
LONGEST_S = 400


def record(seekless, runs, folder):
    choice = random.Random(5)
    for run in range(1, runs + 1):
        game = copy.copy(GAMES["0ad"])
        sides = [f"-autostart-civ={player}:{side}" for player, side in enumerate(choice.sample(SIDES, 2), 1)]
        game.SCENARIOS = {SCENARIO: [*game.SCENARIOS[SCENARIO], *sides]}
        base = f"{folder}/{SCENARIO.replace('/', '+')}.{run}"
        record_load(seekless, game.running, SCENARIO, base, game.DATA + "/**", LONGEST_S)
        yield pathlib.Path(base + ".jsonl.lz4")


def tell(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--held-out", type=int, default=3)
    parser.add_argument("--seekless", type=pathlib.Path, default=TOP / "build/release/bin/seekless")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the recordings")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="seekless-seldom-") as work:
        folder = arguments.keep or pathlib.Path(work)
        folder.mkdir(parents=True, exist_ok=True)
        traces = list(record(arguments.seekless, arguments.runs, folder))
        known, held_out = traces[:-arguments.held_out], traces[-arguments.held_out:]
        data = GAMES["0ad"].DATA
        layout = pathlib.Path(work) / "layout.json"
        told = " ".join(tell(arguments.seekless, "plan", *known, "--content", data, "-o", layout).split())
        print(*re.findall(r"The sweep of .*? instead of [^.]*\.[^.]*\.", told) or ["Everything is swept."])
        print(tell(arguments.seekless, "simulate", layout, *held_out, "--content", data))


if __name__ == "__main__":
    main()
