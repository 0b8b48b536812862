"""Measures `seekless fleet drift`: the number of false alarms in 1,000 days without a change, and the number of
recordings after which a change is noticed. The runs are synthesised from recorded games, as measure_exemplars.py
explains. The drive model computes each run's seconds from the packs planned from the recordings. `script/bench
fleet` runs it.

Usage: measure_drift.py FOLDER [--rounds N] [--runs N] [--days N]
  --runs  synthesised runs per scenario; half of them are for references [3000]
  --days  days without a change, per scenario [1000]
"""
import argparse
import pathlib
import statistics
import warnings

import numpy
import seekless
from measure_exemplars import CLASSES, GAMES, Game, Load
from seekless import _core
from seekless.fleet.drift import Watch

DRIVE = "wd-black-1tb"
REFERENCE, LONGEST, REPEATS = 500, 400, 20


def half_reversed(run):
    """Simulates a loader that reads the second half of its list in reverse."""
    return run[:len(run) // 2] + run[len(run) // 2:][::-1]


def tenth_moved(run):
    """Moves a tenth of the assets to the end."""
    begin = len(run) // 3
    return run[:begin] + run[begin + len(run) // 10:] + run[begin:begin + len(run) // 10]


def tenth_shuffled(run):
    begin, end = len(run) // 3, len(run) // 3 + len(run) // 10
    return run[:begin] + sorted(run[begin:end], key=lambda asset: asset * 2654435761 % 2**32) + run[end:]


CHANGES = (half_reversed, tenth_shuffled, tenth_moved)


def charge(game, runs):
    return numpy.array(_core.run_seconds(game.sizes, list(range(len(game.paths))), runs, DRIVE))


class Scenario:
    """Seconds of a scenario's runs, unchanged and after each change."""

    def __init__(self, game, name, runs, rng):
        self.name = name
        load = Load(game, name, rng)
        made = [load.run(rng.choice(len(CLASSES), p=CLASSES), rng) for _ in range(runs)]
        seconds = charge(game, made)
        self.reference, self.stable = seconds[:runs // 2], seconds[runs // 2:]
        self.changed = {change: charge(game, [change(run) for run in made[runs // 2:]]) for change in CHANGES}

    def watch(self, rng):
        return Watch(rng.choice(self.reference, REFERENCE, replace=False).tolist())

    def false_alarms(self, days, a_day, rng):
        watch, alarms = self.watch(rng), 0
        for day in range(days):
            watch.add(day, rng.choice(self.stable, a_day, replace=False).tolist())
            if watch.is_alarmed:
                alarms += 1
                watch.sum = 0.0
        return alarms

    def delay(self, change, a_day, rng):
        """Days until the alarm, after thirty without a change; None if there is none within LONGEST days."""
        watch = self.watch(rng)
        for day in range(30):
            watch.add(day, rng.choice(self.stable, a_day, replace=False).tolist())
        for day in range(1, LONGEST + 1):
            watch.add(30 + day, rng.choice(self.changed[change], a_day, replace=False).tolist())
            if watch.is_alarmed:
                return day
        return None


def tell_delays(scenarios, a_day, rng):
    for change in CHANGES:
        slower = [of.changed[change].mean() / of.stable.mean() - 1 for of in scenarios]
        delays = [of.delay(change, a_day, rng) for of in scenarios for _ in range(REPEATS)]
        seen = sorted(delay * a_day for delay in delays if delay is not None)
        told = (f"after {statistics.median(seen):.0f} recordings in the median, {seen[len(seen) * 9 // 10]} in nine of ten, "
                f"{seen[-1]} at most" if seen else "never")
        print(f"  {change.__name__}, {100 * min(slower):+.1f} to {100 * max(slower):+.1f} % of a load: {len(seen)} of "
              f"{len(delays)} are found, {told}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--days", type=int, default=1000)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", seekless.SeeklessWarning)
    rng = numpy.random.default_rng(9)
    scenarios = []
    for name in GAMES:
        folder = arguments.folder / name
        folder.mkdir()
        game = Game(name, folder)
        scenarios += [Scenario(game, scenario, arguments.runs, rng) for scenario in game.scenarios]
    spread = [of.stable.std() / of.stable.mean() for of in scenarios]
    print(f"{len(scenarios)} scenarios of {len(GAMES)} games, {arguments.runs} runs each; a run's seconds vary by "
          f"{100 * min(spread):.1f} to {100 * max(spread):.1f} % (standard deviation); references of {REFERENCE} runs", flush=True)
    for a_day in (5, 20, 100):
        alarms = sum(of.false_alarms(arguments.days, a_day, rng) for of in scenarios)
        print(f"{a_day} recordings a day: {alarms} false alarms in {arguments.days} days of {len(scenarios)} scenarios", flush=True)
        tell_delays(scenarios, a_day, rng)


if __name__ == "__main__":
    main()
