#!/usr/bin/python3
"""Compares the planner with layouts as people make them by hand, on the recordings of games. The planner must be no
worse on loads that it knows, on runs that were left out, and on whole maps.

usage: integration/measure_orders.py [--drive DRIVE] [GAME...]      (a release build; games that aren't installed are left out)

By hand: all recorded assets in one pack, as first seen, by mean rank, or in the order of the best run (best on the
known loads); or a pack for each scenario with all that it reads. By default, the planner makes copies of at most half
of the content, and only if they save a second per gigabyte. If full copies are faster, the planner gets the same budget
for copies.

Figures are simulated busy seconds of each load, of a scenario's median run. Assets that no sweep delivers are requested
one by one. Marks rows in which the planner is slower than the best by hand by more than 2 % and 10 ms. Exits with 1 if
it is slower by more than 3 % and 20 ms in a row, or by more than 1 % in a sum. Scenarios that aren't maps are left out,
too, but not judged, because no other load resembles them.
"""
import argparse
import json
import pathlib
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "integration"))
from measure_layout import loads, scenario_of, seekless  # noqa: E402
from recorded_games import GAMES, installed  # noqa: E402
from simple_layouts import SimpleLayouts  # noqa: E402

ORDERS = ("first seen", "mean rank", "best run")
COLUMNS = ("planned", *ORDERS, "with any copies", "full copies")
JUDGED = ("known", "run left out", "map left out")


def megabytes(layout):
    """Returns the size of the packs that aren't cold."""
    return sum(asset["bytes"] for pack in layout["packs"] if pack["kind"] != "cold" for asset in pack["assets"]) / 1e6


class Comparing:
    def __init__(self, game, drive, work):
        self.work, self.content = work, ["--content", *game.content(), "--drive", drive]

    def plan(self, traces, *options):
        path = self.work / "layout.json"
        seekless(self.work, "plan", *traces, *self.content, "-o", path, *options)
        return json.loads(path.read_text())

    def simulate(self, layout, traces):
        """Maps each scenario to its busy seconds."""
        path = self.work / "simulated.json"
        path.write_text(json.dumps(layout))
        simulated = seekless(self.work, "simulate", path, *traces, *self.content)
        return {name: row["packs"]["seconds"] for name, row in loads(simulated).items()}

    def layouts(self, known):
        """Yields layouts, made from the known traces, by name."""
        planned = self.plan(known)
        profile = self.work / "profile.json"
        seekless(self.work, "profile", *known, *self.content[:-2], "-o", profile)
        simple = SimpleLayouts(planned, json.loads(profile.read_text()))
        of_runs = [simple.in_one_order(simple.of_run(run)) for run in simple.all_runs()]
        best = min(of_runs, key=lambda layout: sum(self.simulate(layout, known).values()))
        return {"planned": planned, "first seen": simple.in_one_order(simple.first_seen()),
                "mean rank": simple.in_one_order(simple.mean_rank()), "best run": best,
                "with any copies": self.plan(known, "--budget", len(simple.scenarios) + 1, "--gain", 0),
                "full copies": simple.full_copies()}

    def rows(self, kind, known, asked):
        layouts = self.layouts(known)
        if kind == "known":
            print("MB: " + ", ".join(f"{name} {megabytes(layouts[name]):.0f}" for name in COLUMNS))
        found = {name: self.simulate(layout, asked) for name, layout in layouts.items()}
        return [(scenario, kind, {name: seconds[scenario] for name, seconds in found.items()}) for scenario in found["planned"]]


def compare(game, drive, work):
    comparing, traces = Comparing(game, drive, work), game.traces + game.more_traces
    rows = comparing.rows("known", traces, traces)
    for trace in traces:
        if len([other for other in traces if scenario_of(other) == scenario_of(trace)]) > 1:
            rows += comparing.rows("run left out", [other for other in traces if other != trace], [trace])
    for scenario in sorted({scenario_of(trace) for trace in traces}):
        mine = [trace for trace in traces if scenario_of(trace) == scenario]
        rows += comparing.rows("map left out" if "/" in scenario else "left out, no map", [other for other in traces if other not in mine], mine)
    return rows


def is_worse(row, share, seconds):
    def loses(planned, best):
        return planned > max((1 + share) * best, best + seconds)

    return loses(row["planned"], min(row[order] for order in ORDERS)) or loses(
        min(row["planned"], row["with any copies"]), row["full copies"])


def line(name, row, mark=""):
    return f"| {name} | {' | '.join(f'{row[column]:.3f}' for column in COLUMNS)} |{mark}"


def print_game(game, drive):
    """Returns True if the planner is as good as it has to be."""
    with tempfile.TemporaryDirectory() as folder:
        rows = compare(game, drive, pathlib.Path(folder))
    print(f"| {game.name} | {' | '.join(COLUMNS)} |\n|---|" + "---:|" * len(COLUMNS))
    for scenario, kind, row in rows:
        print(line(f"{scenario}, {kind}", row, " slower" if kind in JUDGED and is_worse(row, 0.02, 0.01) else ""))
    judged = [row for _, kind, row in rows if kind in JUDGED]
    sums = {kind: {column: sum(row[column] for _, of, row in rows if of == kind) for column in COLUMNS} for kind in JUDGED}
    for kind, row in sums.items():
        print(line(f"sum, {kind}", row))
    print(flush=True)
    return not any(is_worse(row, 0.03, 0.02) for row in judged) and not any(
        is_worse(row, 0.01, 0) for row in sums.values())


def print_tables(drive="wd-black-1tb", games=None):
    return all([print_game(GAMES[name], drive) for name in games or installed()])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="*", default=installed(), help=" ".join(GAMES) + " [all that are installed]")
    parser.add_argument("--drive", default="wd-black-1tb")
    arguments = parser.parse_args()
    return 0 if print_tables(arguments.drive, arguments.game) else 1


if __name__ == "__main__":
    sys.exit(main())
