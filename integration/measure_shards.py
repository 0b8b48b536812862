"""Measures the cost of `plan --shard` and `--merge` beside a plain `plan`: processor seconds, and the longest shard,
which a farm waits for. There are 100 scenarios of 50 runs each, as in `bench_plan scale`, of empty files.

usage: integration/measure_shards.py [--assets N]      (a release build)
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
SEEKLESS = os.environ.get("SEEKLESS_BIN", TOP / "build/release/bin/seekless")
SCENARIOS, RUNS = 100, 50


def make_content(folder, assets, rng):
    for number in range(assets):
        path = folder / f"{number // 1000:03}" / f"{number:08}"
        if number % 1000 == 0:
            path.parent.mkdir(parents=True)
        with open(path, "wb") as file:
            file.truncate(int(2000 * 1000 ** rng.random()))


def orders_of(assets, rng):
    """Assets that nobody reads, that one scenario does, that some neighbours share, and that nearly all do."""
    orders = [[] for _ in range(SCENARIOS)]
    for number in range(assets):
        kind, first = rng.random(), rng.randrange(SCENARIOS)
        if 0.15 <= kind < 0.70:
            readers = [first]
        elif 0.70 <= kind < 0.98:
            readers = [(first + k) % SCENARIOS for k in range(rng.randrange(2, 8))]
        else:
            readers = [k for k in range(SCENARIOS) if rng.random() < 0.9] if kind >= 0.98 else []
        for scenario in readers:
            orders[scenario].append(number)
    for order in orders:
        rng.shuffle(order)
    return orders


def run_of(order, rng):
    run = [asset for asset in order if rng.random() >= 0.02]
    for i in range(len(run) - 1):
        if rng.random() < 0.25:
            run[i], run[i + 1] = run[i + 1], run[i]
    return run


def make_profile(path, assets, rng):
    orders = orders_of(assets, rng)
    recordings = iter(range(SCENARIOS * RUNS))
    scenarios = [{"name": f"map/{number:03}", "runs": [{"trace": f"{number}.{run}", "recording": next(recordings), "part": 0,
                                                        "assets": run_of(order, rng)} for run in range(RUNS)]}
                 for number, order in enumerate(orders)]
    names = [f"{number // 1000:03}/{number:08}" for number in range(assets)]
    path.write_text(json.dumps({"seekless": "profile", "version": 1, "assets": names, "scenarios": scenarios}))
    return sum(len(run["assets"]) for scenario in scenarios for run in scenario["runs"])


def plan(work, *options):
    """Processor and wall seconds."""
    before, begin = os.times(), time.monotonic()
    subprocess.run([str(SEEKLESS), "plan", "--profile", work / "profile.json", "--content", work / "content", *options],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, time.monotonic() - begin


def measure(assets):
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        make_content(work / "content", assets, rng)
        reads = make_profile(work / "profile.json", assets, rng)
        whole = plan(work, "-o", work / "whole.json")[0]
        print(f"{assets} assets, {reads / 1e6:.1f} M reads: plan {whole:.1f} processor seconds", flush=True)
        for parts in (2, 4, 8):
            files = [work / f"part{parts}.{number}.json" for number in range(1, parts + 1)]
            shards = [plan(work, "--shard", f"{number}/{parts}", "-o", file)[0] for number, file in enumerate(files, 1)]
            merged = plan(work, "--merge", *files, "-o", work / "merged.json")[0]
            assert (work / "merged.json").read_bytes() == (work / "whole.json").read_bytes()
            print(f"{parts} shards: {sum(shards):.1f} s, the longest {max(shards):.1f} s, the shortest {min(shards):.1f} s; merge "
                  f"{merged:.1f} s; longest and merge {whole / (max(shards) + merged):.2f} times as fast as plan; the same bytes",
                  flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--assets", type=int, default=25_000)
    measure(parser.parse_args(sys.argv[1:]).assets)
