"""Measures `seekless fleet` on a made-up fleet: time and peak memory of adding up, and whether the bytes are the same
by other files, other orders and other engines. `script/bench fleet` runs it in the environment that `script/test-python` makes.

Usage: measure_fleet.py FOLDER [--rounds N] [--opens N] [--spark-opens N]
  --opens        of the fleet that DuckDB adds up [100000000]
  --spark-opens  of the fleet that both engines add up; 0: without Spark [1000000]
"""
import argparse
import pathlib
import resource
import subprocess
import sys
import time

import numpy
import pyarrow
import pyarrow.parquet
from seekless.fleet.aggregate import aggregate
from seekless.fleet.dataset import READS, RUNS, DataSet
from seekless.fleet.engines import DuckDb, Spark

SCENARIOS, RUN_OPENS, PIECE_RUNS = 50, 1000, 4000
BUILD = "00000000000000aa"


def write_piece(data, scenario, piece, runs, rng):
    """Loads of 1,000 of a scenario's 3,000 assets: one of each three, neighbours in any order here and there."""
    ids = rng.integers(-2**63, 2**63 - 1, runs, dtype=numpy.int64)
    assets = numpy.arange(RUN_OPENS)[None, :] * 3 + rng.integers(0, 3, (runs, RUN_OPENS))
    swapped = numpy.nonzero(rng.random((runs, RUN_OPENS // 2)) < 0.1)
    left = (swapped[0], swapped[1] * 2)
    right = (swapped[0], swapped[1] * 2 + 1)
    assets[left], assets[right] = assets[right].copy(), assets[left].copy()
    previous = numpy.hstack([numpy.full((runs, 1), -1), assets[:, :-1]])
    ranks = numpy.tile(numpy.arange(RUN_OPENS, dtype=numpy.int32), runs)
    reads = pyarrow.table([numpy.repeat(ids, RUN_OPENS), ranks, (ranks * 4096 // RUN_OPENS).astype(numpy.int32),
                           assets.astype(numpy.int32).ravel(), previous.astype(numpy.int32).ravel()], schema=READS())
    clients = rng.integers(-2**63, 2**63 - 1, runs, dtype=numpy.int64)
    ones = numpy.ones(runs, dtype=numpy.int32)
    counted = pyarrow.table([clients, ids, ones * 20_000, ones * RUN_OPENS, ones.astype(numpy.int64) * 2520, ones,
                             (clients % 16 == 0).astype(numpy.int32)], schema=RUNS())
    for kind, table in (("reads", reads), ("runs", counted)):
        folder = data.folder_of(kind, BUILD, f"map/{scenario:02}")
        folder.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(table, folder / f"{piece:05}.parquet", compression="zstd")


def make_fleet(folder, opens):
    rng = numpy.random.default_rng(1)
    begin = time.monotonic()
    runs = opens // RUN_OPENS // SCENARIOS
    for scenario in range(SCENARIOS):
        for piece, first in enumerate(range(0, runs, PIECE_RUNS)):
            write_piece(DataSet(folder), scenario, piece, min(PIECE_RUNS, runs - first), rng)
    size = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
    print(f"{runs * SCENARIOS} recordings, {runs * SCENARIOS * RUN_OPENS:.3g} opens, made in {time.monotonic() - begin:.0f} s: "
          f"{size / 1e6:.0f} MB of Parquet, {size / (runs * SCENARIOS * RUN_OPENS):.2f} bytes an open", flush=True)


def recut(source, target, pieces, seed):
    """The same rows in another number of files, in another order."""
    rng = numpy.random.default_rng(seed)
    for part in DataSet(source).parts():
        for kind in ("reads", "runs"):
            table = pyarrow.parquet.read_table(getattr(part, kind))
            table = table.take(pyarrow.array(rng.permutation(table.num_rows)))
            folder = DataSet(target).folder_of(kind, part.build, part.scenario)
            folder.mkdir(parents=True)
            size = -(-table.num_rows // pieces)
            for number in range(pieces):
                pyarrow.parquet.write_table(table.slice(number * size, size), folder / f"{number}.parquet")


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def add_up_alone(fleet, output):
    """In a process of its own, so that its peak memory is its own."""
    begin = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, __file__, str(output), "--add-up", str(fleet)], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--opens", type=int, default=100_000_000)
    parser.add_argument("--spark-opens", type=int, default=1_000_000)
    parser.add_argument("--add-up", type=pathlib.Path)
    arguments = parser.parse_args()
    folder = arguments.folder
    if arguments.add_up:
        aggregate(arguments.add_up, engine=DuckDb(memory="500MB", threads=2)).write(folder)
        return
    make_fleet(folder / "large", arguments.opens)
    wall, core, peak = add_up_alone(folder / "large", folder / "statistics")
    print(f"DuckDB, two threads, memory_limit 500MB: {wall:.0f} s, {core:.0f} processor seconds, peak {peak:.0f} MiB, "
          f"{arguments.opens / wall / 1e6:.1f} M opens/s", flush=True)
    if arguments.spark_opens:
        make_fleet(folder / "small", arguments.spark_opens)
        aggregate(folder / "small").write(folder / "first")
        for pieces, seed in ((1, 2), (3, 3), (7, 4)):
            recut(folder / "small", folder / f"cut{pieces}", pieces, seed)
            aggregate(folder / f"cut{pieces}").write(folder / f"again{pieces}")
            assert bytes_of(folder / f"again{pieces}") == bytes_of(folder / "first")
        begin = time.monotonic()
        aggregate(folder / "small", engine=Spark(threads=2)).write(folder / "spark")
        assert bytes_of(folder / "spark") == bytes_of(folder / "first")
        print(f"Spark, local, two threads: {time.monotonic() - begin:.0f} s; the same bytes by both engines, and by 1, 3 and "
              "7 files of shuffled rows", flush=True)


if __name__ == "__main__":
    main()
