#!/usr/bin/python3
"""Measures the gain of copies in a game that holds most of its content several times (docs/studies/duplication.md).

Usage: measure_duplication.py [--missions N] [--parts N] [--themes N] [--seed N] [--work FOLDER] [--binary FILE] [--json FILE]

Each mission has its own folder with a copy of every part that it uses. The number of missions that use a part falls by
a power law, so that the game holds 6.7 times its different bytes. Sizes are log-normal, from 1 KiB to 200 MB. Three
runs of each mission are made: in the order of its parts, with neighbours that change places, and with a few parts left
out. Files are sparse except for their first bytes.

Prints the seconds of all missions' loads, forecast on held-out recordings, for each limit of copies in packs.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from made_up_game import Game

TOP = pathlib.Path(__file__).resolve().parent.parent
SEEKLESS = TOP / "build/release/bin/seekless"
BUDGETS = (1, 1.01, 1.025, 1.05, 1.1, 1.25, 1.5, 100)
HELD_OUT_OF, WORSE = 20, 1.05
# Within this multiple of the different bytes, copies must gain this share of what full duplication gains.
WITHIN, SHARE = 1.1, 0.95


def answer_of(work, binary, *words):
    """Returns the command's JSON, and its printed text."""
    answer = work / "answer.json"
    done = subprocess.run([binary, *map(str, words), "--json", answer], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(answer.read_text()), done.stdout


def plan(binary, game, traces, work, budget):
    return answer_of(work, binary, "plan", *traces, "--content", game.folder, "-o", work / "layout.json", "--budget", budget,
                     "--gain", "0")


def held_out(binary, game, traces, work, budget):
    """Returns the simulated seconds of one mission in twenty. These missions aren't known when packs are planned, so
    this measures first runs."""
    runs = len(traces) // game.missions
    out = [trace for i, trace in enumerate(traces) if i // runs % HELD_OUT_OF == 0]
    plan(binary, game, [trace for trace in traces if trace not in out], work, budget)
    simulated, _ = answer_of(work, binary, "simulate", work / "layout.json", *out[::runs], "--content", game.folder)
    return sum(row["packs"]["seconds"] for row in simulated["drives"][0]["scenarios"])


def measure(binary, game, work):
    traces = game.record(work / "traces")
    different = game.different_bytes()
    rows = []
    for budget in BUDGETS:
        answer, _ = plan(binary, game, traces, work, budget)
        rows.append({"budget": budget, "copied": answer["prediction"]["copied_bytes"] / different,
                     "seconds": answer["equal"]["earned"]["once_seconds"],
                     "apart_s": answer["equal"]["earned"]["apart_seconds"],
                     "bound_s": sum(one["predicted"]["bound_s"] for one in answer["scenarios"] if one["runs"])})
    none, apart = rows[0]["seconds"], rows[0]["apart_s"]
    for row in rows:
        row["gained"] = (none - row["seconds"]) / (none - apart)
    return {"bytes": game.bytes(), "different_bytes": different, "missions": game.missions,
            "files": sum(map(len, game.uses)), "rows": rows,
            "held_out_s": {budget: held_out(binary, game, traces, work, budget) for budget in (1, WITHIN, BUDGETS[-1])}}


def show(result):
    print(f"{result['files']} files of {result['missions']} missions, {result['bytes'] / 1e9:.1f} GB, of which "
          f"{result['different_bytes'] / 1e9:.2f} GB are different")
    print(f"{'packs by different bytes':>24} {'all loads, s':>13} {'gained':>7}")
    for row in result["rows"]:
        print(f"{1 + row['copied']:>24.3f} {row['seconds']:>13.1f} {row['gained']:>7.0%}")
    row = result["rows"][0]
    print(f"{result['bytes'] / result['different_bytes']:>24.3f} {row['apart_s']:>13.1f} {1:>7.0%}   as shipped, packed")
    print(f"{'bound':>24} {row['bound_s']:>13.1f}")
    print("missions that nobody recorded, s: " + ", ".join(f"{seconds:.1f} (budget {budget:g})"
                                                           for budget, seconds in result["held_out_s"].items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--missions", type=int, default=100)
    parser.add_argument("--parts", type=int, default=5000)
    parser.add_argument("--themes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work")
    parser.add_argument("--binary", default=SEEKLESS)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        work = pathlib.Path(folder)
        game = Game(work / "game", arguments.missions, arguments.parts, arguments.seed, themes=arguments.themes)
        game.write()
        result = measure(arguments.binary, game, work)
        computing = game.record(work / "computing", computing_s=60)
        result["verdict"] = plan(arguments.binary, game, computing, work, 1.1)[1].split("\n\n")[0]
    show(result)
    print(f"\nWhere a mission computes for a minute besides:\n{result['verdict']}")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(result, indent=1) + "\n")
    within = max((row for row in result["rows"] if 1 + row["copied"] <= WITHIN), key=lambda row: row["copied"])
    is_met = within["gained"] >= SHARE
    print(f"\n{'met' if is_met else 'missed'}: {SHARE:.0%} of the gain at {WITHIN} times the different bytes")
    out = result["held_out_s"]
    is_kept = out[WITHIN] <= WORSE * out[1]
    print(f"{'met' if is_kept else 'missed'}: with these copies, missions that nobody recorded take {out[WITHIN] / out[1]:.3f} of "
          "the time without")
    return 0 if is_met and is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
