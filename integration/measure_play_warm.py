"""Measures the cost of a served folder when everything is in memory: microseconds of stat (1,000,000), of open and
close (100,000), and of these with a read of 64 KiB, in turn in a plain folder and in one that `seekless play` serves;
the least of five. With --game, it measures the seconds until a game has loaded its first map: plain, with `play`
(which turns itself off), and served nevertheless.

Usage: measure_play_warm.py [--rounds N] [--binary FILE] [--game GAME] FOLDER        (FOLDER is made, and removed)
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from measure_play import end_game
from recorded_games import GAMES, PROGRAMS

TOP = HERE.parent
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


def load_s(game, front):
    """Returns the seconds until the game's log says that the map is loaded."""
    begin = time.perf_counter()
    with game.module.running(game.maps[0], before=front) as running:
        while not running.loaded_map():
            time.sleep(0.002)
        took = time.perf_counter() - begin
        end_game(running.process)
    return took


def measure_game(game, binary, state, rounds):
    served = [str(binary), "play", "--state", str(state)]
    fronts = {"plain": [], "play": [*served, str(game.data), "--"], "play --always": [*served, "--always", str(game.data), "--"]}
    load_s(game, fronts["play --always"])  # so that its files are cached, and `play` has learned it
    took = {name: [] for name in fronts}
    for _ in range(rounds):
        for name, front in fronts.items():
            took[name].append(load_s(game, front))
    plain = statistics.median(took["plain"])
    for name, each in took.items():
        print(f"{name}: {statistics.median(each):.2f} s, {statistics.median(each) / plain:.3f} of plain; {min(each):.2f} to {max(each):.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--game", choices=[*GAMES, *PROGRAMS])
    parser.add_argument("--binary", type=pathlib.Path, default=TOP / "build/release/bin/seekless")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir()
    if options.game:
        measure_game({**GAMES, **PROGRAMS}[options.game], options.binary, folder / "state", options.rounds)
        shutil.rmtree(folder)
        return
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
