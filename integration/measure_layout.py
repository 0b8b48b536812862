"""Measures the planner on the recordings of games: before, after and bound of each load, the loss on a run or a
scenario that the layout wasn't made from, and the gain of copies.

usage: integration/measure_layout.py [--drive DRIVE] [--write-figures] [GAME...]      (a release build; games that aren't installed are left out)
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "integration"))
import figures
from recorded_games import GAMES, installed

SEEKLESS = os.environ.get("SEEKLESS_BIN", TOP / "build/release/bin/seekless")


def seekless(work, *arguments):
    """Returns the command's JSON."""
    result = work / "result.json"
    subprocess.run([SEEKLESS, *map(str, arguments), "--json", result], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.loads(result.read_text())


def scenario_of(trace):
    return trace.name.split(".")[0].replace("+", "/")


def loads(simulation):
    """Maps each scenario to today's seconds, the packs' seconds, and the bound for the assets that they deliver."""
    return {row["name"]: row for row in simulation["drives"][0]["scenarios"]}


def measure(drive="wd-black-1tb", game=GAMES["warzone2100"]):
    """Returns rows by scenario, and the planner's own answer for all recordings."""
    traces = game.traces + game.more_traces
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        layout = work / "layout.json"
        content = ["--content", *game.content(), "--drive", drive]
        plan = seekless(work, "plan", *traces, *content, "-o", layout)
        swept = loads(seekless(work, "simulate", layout, *traces, *content))
        predicted = {row["name"]: row["predicted"] for row in plan["scenarios"]}
        rows = []
        for name in sorted({scenario_of(trace) for trace in traces}):
            mine = [trace for trace in traces if scenario_of(trace) == name]
            others = [trace for trace in traces if trace not in mine]
            seekless(work, "plan", *others, *content, "-o", layout)
            unseen = loads(seekless(work, "simulate", layout, *mine, *content))
            # Only for the assets that the map reads, not for others in its sweep.
            asked = loads(seekless(work, "simulate", layout, *mine, *content, "--policy", "demand"))
            rows.append({"name": name, "runs": len(mine),
                         "before_s": swept[name]["today"]["seconds"],
                         "after_s": swept[name]["packs"]["seconds"],
                         "bound_s": swept[name]["packs"]["bound_seconds"],
                         "run_left_out_s": predicted[name]["sweep_s"]
                                           if predicted[name]["held_out"] else None,
                         "scenario_left_out_s": unseen[name]["packs"]["seconds"],
                         "scenario_left_out_bound_s": asked[name]["packs"]["bound_seconds"]})
        return rows, plan


def plans_along(work, curve, *words):
    """Yields, for each point of the price curve, the planner's answer with at most that many copies; its layout
    exists until the next one."""
    for point in curve:
        budget = max(1, round(point["budget_ratio"] + 5e-7, 6))
        yield seekless(work, "plan", *words, "--budget", str(budget), "--gain", "0.000001")


def simulated_curve(drive, game, curve):
    """Yields, for each point of the price curve, all loads' seconds on a layout with at most that many copies."""
    content = ["--content", *game.content(), "--drive", drive]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        layout = work / "layout.json"
        traces = game.traces + game.more_traces
        for _ in plans_along(work, curve, *traces, *content, "-o", layout):
            rows = loads(seekless(work, "simulate", layout, *traces, *content)).values()
            yield sum(row["packs"]["seconds"] for row in rows)


def print_tables(drive="wd-black-1tb", games=None, write_figures=False):
    for name in games or installed():
        rows = print_table(drive, GAMES[name])
        if write_figures and (figures.FOLDER / f"plan-{name}.json").exists():
            figures.write_rows(f"plan-{name}", [figure_row(row) for row in rows])


def figure_row(row):
    return [f"`{row['name']}`", row["before_s"], row["after_s"], row["bound_s"], row["run_left_out_s"] or "-",
            row["scenario_left_out_s"], row["scenario_left_out_s"] / row["scenario_left_out_bound_s"]]


def print_table(drive, game):
    rows, plan = measure(drive, game)
    print(f"{game.name} on {drive}, busy seconds")
    print(f"{'load':<16} {'runs':>4} {'before':>7} {'after':>7} {'bound':>7} {'x bound':>8} "
          f"{'run left out':>13} {'scenario left out':>18} {'x bound':>8}")
    for row in rows:
        left = "-" if row["run_left_out_s"] is None else f"{row['run_left_out_s']:.3f}"
        print(f"{row['name']:<16} {row['runs']:>4} {row['before_s']:>7.2f} {row['after_s']:>7.3f} "
              f"{row['bound_s']:>7.3f} {row['after_s'] / row['bound_s']:>8.2f} {left:>13} "
              f"{row['scenario_left_out_s']:>18.2f} "
              f"{row['scenario_left_out_s'] / row['scenario_left_out_bound_s']:>8.2f}")
    print(f"{'size':>6} {'copied MB':>10} {'seconds':>8} {'saved':>7} {'simulated: saved':>17}")
    curve = plan["prediction"]["curve"]
    simulated = list(simulated_curve(drive, game, curve))
    for point, seconds in zip(curve, simulated):
        print(f"{point['budget_ratio']:>6.3f} {point['copied_bytes'] / 1e6:>10.1f} {point['seconds']:>8.3f} "
              f"{curve[0]['seconds'] - point['seconds']:>7.3f} {simulated[0] - seconds:>17.3f}")
    print(plan["prediction"]["reasons"])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", nargs="*", default=installed(), help=" ".join(GAMES) + " [all that are installed]")
    parser.add_argument("--drive", default="wd-black-1tb")
    parser.add_argument("--write-figures", action="store_true", help="write the rows to docs/figures")
    options = parser.parse_args()
    print_tables(options.drive, options.game, options.write_figures)


if __name__ == "__main__":
    main()
