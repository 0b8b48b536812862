#!/usr/bin/python3
"""Compares recordings by `seekless play --trace` and `seekless record` as input for `plan`, and the cost of each for
the game: the orders of both plans, their forecasts for loads that they weren't made from, and the time of a load.

usage: integration/measure_play_trace.py [--rounds N] [--keep DIR] GAME [SCENARIO]        (a release build; needs root and xvfb)

Loads from the emulated disk, each with an empty page cache; in turn plain, recorded and played. Forecasts: each
recorded run is left out once, `plan` makes a layout from the others of either kind, and `simulate` gives the run's busy
seconds with it. Orders: rank correlation over the assets that both plans sweep (1: the same), and the share of common
neighbours. The rows that compare `record` with itself, from two halves of its runs, show how much two plans differ
anyway. --keep: the folder for traces; traces from an earlier measurement there are used again.
"""
import argparse
import contextlib
import itertools
import json
import pathlib
import statistics
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP / "integration"), str(TOP / "integration/hdd")]
from bench import Disk  # noqa: E402
from measure_layout import SEEKLESS, loads, seekless  # noqa: E402
from measure_play import Installed, end_game  # noqa: E402
from recorded_games import GAMES  # noqa: E402
from recording import PLAYED_S  # noqa: E402

WAYS = ("plain", "record", "play")
LONGEST_S = 600


class Measuring:
    def __init__(self, game, scenario, drive, folder):
        self.game, self.scenario, self.drive, self.folder = game, scenario, drive, folder
        self.content = ["--content", *game.content()]

    def front(self, way, trace, state):
        return {"plain": [],
                "record": [SEEKLESS, "record", "-o", trace, "--scenario", self.scenario, "--only", f"{self.game.data}/**", "--"],
                "play": [SEEKLESS, "play", "--always", "--trace", trace, "--scenario", self.scenario, "--state", state,
                         self.game.data, "--"]}[way]

    def load(self, installed, way, number):
        """Returns the seconds until the map is loaded."""
        trace = self.trace(way, number)
        with tempfile.TemporaryDirectory() as state, installed.disk.cold():
            began = time.monotonic()
            with self.game.module.running(self.scenario, before=installed.front(*self.front(way, trace, state))) as run:
                while not run.loaded_map():
                    if run.process.poll() is not None or time.monotonic() > began + LONGEST_S:
                        sys.exit(f"measure_play_trace: {self.scenario}, {way}: no load:\n" + run.log()[-2000:])
                    time.sleep(0.02)
                took_s = time.monotonic() - began
                time.sleep(PLAYED_S)
                with contextlib.suppress(ProcessLookupError):
                    end_game(run.process)
        return took_s

    def trace(self, way, number):
        return self.folder / f"{self.scenario.replace('/', '+')}.{way}.{number}.jsonl.lz4"

    def plan(self, traces):
        layout = self.folder / "layout.json"
        seekless(self.folder, "plan", *traces, *self.content, "--drive", self.drive, "-o", layout)
        return layout

    def sweep(self, traces):
        """Returns what the scenario's sweep delivers, in order."""
        layout = json.loads(self.plan(traces).read_text())
        return [asset["path"] for pack in layout["packs"] if pack["kind"] != "cold" for asset in pack["assets"]]

    def forecast(self, traces, of):
        simulated = seekless(self.folder, "simulate", self.plan(traces), of, *self.content, "--drive", self.drive)
        return loads(simulated)[self.scenario]["packs"]["seconds"]

    def needed(self, trace):
        profile = self.folder / "profile.json"
        seekless(self.folder, "profile", trace, *self.content, "-o", profile)
        profile = json.loads(profile.read_text())
        return {name for scenario in profile["scenarios"] for run in scenario["runs"] for name in names(profile, run)}


def names(profile, run):
    return [profile["assets"][number] for number in run["assets"]]


def rank_correlation(first, second):
    """Returns Spearman's rank correlation over the elements of both lists."""
    both = set(first) & set(second)
    ranks = [{name: rank for rank, name in enumerate(name for name in order if name in both)} for order in (first, second)]
    count = len(both)
    if count < 2:
        return 1.0
    return 1 - 6 * sum((ranks[0][name] - ranks[1][name]) ** 2 for name in both) / (count * (count**2 - 1))


def neighbours_alike(first, second):
    """Returns the share of the first order's neighbouring pairs that are also neighbours in the second, counting
    only common assets."""
    both = set(first) & set(second)
    pairs = [set(itertools.pairwise(name for name in order if name in both)) for order in (first, second)]
    return len(pairs[0] & pairs[1]) / max(1, len(pairs[0]))


def print_orders(name, first, second):
    print(f"| {name} | {len(first)} | {len(second)} | {len(set(first) & set(second))} | {rank_correlation(first, second):.3f} "
          f"| {neighbours_alike(first, second):.3f} |", flush=True)


def print_times(measuring, rounds):
    seconds = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as work, Disk(pathlib.Path(work) / "disk") as disk:
        installed = Installed(disk, measuring.game)
        for number in range(rounds):
            for way in WAYS:
                seconds[way].append(measuring.load(installed, way, number))
                print(f"{way}: {seconds[way][-1]:.2f} s", file=sys.stderr, flush=True)
    plain = statistics.median(seconds["plain"])
    print("| | load, s, median | x plain | each |\n|---|---:|---:|---|")
    for way, each in seconds.items():
        median = statistics.median(each)
        print(f"| {way} | {median:.2f} | {median / plain:.3f} | {' '.join(f'{one:.2f}' for one in each)} |")
    print()


def print_plans(measuring, rounds):
    by_way = {way: [measuring.trace(way, number) for number in range(rounds)] for way in ("record", "play")}
    print("| sweeps of | first | second | both | rank | neighbours |\n|---|---:|---:|---:|---:|---:|")
    print_orders("record and play", *(measuring.sweep(by_way[way]) for way in ("record", "play")))
    for way, traces in by_way.items():
        print_orders(f"{way} and {way}", measuring.sweep(traces[0::2]), measuring.sweep(traces[1::2]))
    needed = {way: [measuring.needed(trace) for trace in traces] for way, traces in by_way.items()}
    print("\n| needed by every run, by some |", " | ".join(needed), "|\n|---|---:|---:|")
    print("| assets |", " | ".join(f"{len(set.intersection(*runs))}, {len(set.union(*runs))}" for runs in needed.values()), "|\n")
    print("| run left out, s | from record | from play | ratio |\n|---|---:|---:|---:|")
    sums = dict.fromkeys(by_way, 0.0)
    for number, run in enumerate(by_way["record"]):
        row = {way: measuring.forecast([trace for at, trace in enumerate(traces) if at != number], run)
               for way, traces in by_way.items()}
        sums = {way: sums[way] + row[way] for way in sums}
        print(f"| {number + 1} | {row['record']:.3f} | {row['play']:.3f} | {row['play'] / row['record']:.3f} |")
    print(f"| sum | {sums['record']:.3f} | {sums['play']:.3f} | {sums['play'] / sums['record']:.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=list(GAMES))
    parser.add_argument("scenario", nargs="?", help="[the first that is known]")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--drive", default="wd-black-1tb")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    game = GAMES[options.game]
    scenario = options.scenario or game.maps[0]
    with tempfile.TemporaryDirectory() as work:
        folder = options.keep or pathlib.Path(work)
        folder.mkdir(exist_ok=True)
        measuring = Measuring(game, scenario, options.drive, folder)
        print(f"{game.name}, {scenario}\n")
        if not measuring.trace("play", options.rounds - 1).exists():
            print_times(measuring, options.rounds)
        print_plans(measuring, options.rounds)


if __name__ == "__main__":
    main()
