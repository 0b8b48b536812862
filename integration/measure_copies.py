#!/usr/bin/python3
"""Compares the forecast gain of copies with the gain in simulated loads, along the whole price curve.

Usage: measure_copies.py [--shape NAME...] [--drive DRIVE] [--work FOLDER]      (a release build)

In these made-up games, copies save seconds. The price curve comes from `plan`. For each of its points a layout with
that many copies is made, and its loads are simulated. The platter's angle after a jump is random, which matters for a
hundredth of such loads' sum. So figures are the mean of five drives, whose rates are a hundredth apart. Prints the
seconds that each point saves by the curve, by that layout's own forecast, and simulated. Fails if either forecast of
the saving differs from the simulated saving by more than a tenth of it, and by more than a hundredth of the loads'
seconds.
"""
import argparse
import json
import pathlib
import sys
import tempfile

from made_up_game import Game
from measure_layout import plans_along, seekless

WITHIN, NOTHING = 0.1, 0.01
RATES = (98, 99, 100, 101, 102)  # percent of the drive's rates
SHAPES = {
    "even": {"missions": 12, "parts": 2500, "seed": 1, "sizes": (60_000, 1.0, 1024, 10**8), "duplication": 4},
    "themes": {"missions": 24, "parts": 4000, "seed": 2, "sizes": (40_000, 1.5, 1024, 10**8), "duplication": 5, "themes": 4},
    "large": {"missions": 20, "parts": 800, "seed": 3, "sizes": (300_000, 1.5, 1024, 10**8), "duplication": 5},
    "small": {"missions": 16, "parts": 12_000, "seed": 4, "sizes": (8_000, 1.2, 256, 10**8), "duplication": 4},
}


def drives_like(work, drive):
    """Returns arguments for `simulate`."""
    profile = seekless(work, "drive", "show", drive)
    words = []
    for percent in RATES:
        file = work / f"{percent}.drive.json"
        scaled = {key: value * percent / 100 if key in ("outer_bytes_per_s", "inner_bytes_per_s") else value
                  for key, value in profile.items()}
        file.write_text(json.dumps({**scaled, "name": f"{profile['name']}-{percent}"}))
        words += ["--drive", file]
    return words


def measure(work, shape, drive):
    """Returns for each point of the curve: copied bytes, and all loads' seconds by the curve, by the layout's own
    forecast, and simulated."""
    game = Game(work / shape, **SHAPES[shape], is_duplicated=False)
    game.write()
    traces = game.record(work / f"{shape}.traces", runs=1)
    content, layout, alike = ["--content", game.folder], work / "layout.json", drives_like(work, drive)
    words = [*traces, *content, "-o", layout, "--drive", drive]
    curve = seekless(work, "plan", *words, "--budget", 100)["prediction"]["curve"]
    rows = []
    for point, planned in zip(curve, plans_along(work, curve, *words)):
        simulated = seekless(work, "simulate", layout, *traces, *content, *alike)["drives"]
        rows.append({"copied": planned["prediction"]["copied_bytes"], "curve": point["seconds"],
                     "forecast": planned["prediction"]["seconds"],
                     "simulated": sum(row["packs"]["seconds"] for of in simulated for row in of["scenarios"]) / len(RATES)})
    return rows


def is_near(forecast, simulated, all_s):
    return abs(forecast - simulated) <= max(WITHIN * simulated, NOTHING * all_s)


def show(shape, rows):
    """Returns True if each point is within the limits."""
    first, fine = rows[0], True
    print(f"{shape}\n{'copied MB':>9} {'curve s':>8} {'forecast':>8} {'simulated':>9}   saved {'curve':>7} {'forecast':>8} "
          f"{'simulated':>9}")
    for row in rows:
        saved = {key: first[key] - row[key] for key in ("curve", "forecast", "simulated")}
        near = all(is_near(saved[key], saved["simulated"], first["simulated"]) for key in ("curve", "forecast"))
        fine = fine and near
        ratios = " ".join(f"{saved[key] / saved['simulated']:.2f}" for key in ("curve", "forecast")) if row != first else ""
        print(f"{row['copied'] / 1e6:>9.1f} {row['curve']:>8.3f} {row['forecast']:>8.3f} {row['simulated']:>9.3f}   "
              f"      {saved['curve']:>7.3f} {saved['forecast']:>8.3f} {saved['simulated']:>9.3f}  {ratios}"
              f"{'' if near else '  missed'}")
    return fine


def print_tables(shapes=SHAPES, drive="wd-black-1tb", work=None):
    """Returns True if all points of all curves are within the limits."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        return all([show(shape, measure(pathlib.Path(folder), shape, drive)) for shape in shapes])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", action="append", choices=SHAPES)
    parser.add_argument("--drive", default="wd-black-1tb")
    parser.add_argument("--work")
    arguments = parser.parse_args()
    return 0 if print_tables(arguments.shape or SHAPES, arguments.drive, arguments.work) else 1


if __name__ == "__main__":
    sys.exit(main())
