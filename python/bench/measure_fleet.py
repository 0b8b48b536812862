"""Measures `seekless fleet` on a synthesised fleet: time and peak memory of adding up and of making a profile, and
whether the bytes are the same with other files, other orders and other engines. `script/bench fleet` and
`fleet-long` run it in the environment that `script/test-python` makes.

Usage: measure_fleet.py FOLDER [--rounds N] [--opens N] [--spark-opens N] [--cut-opens N]
  --opens        opens in the fleet that DuckDB adds up [100000000]
  --spark-opens  opens in the fleet that both engines add up once; 0: none [0]
  --cut-opens    opens in the fleet that both add up in three partitionings and two orders; 0: without Spark [1000000]
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

import numpy
import pyarrow
import pyarrow.parquet
from seekless.fleet.aggregate import aggregate
from seekless.fleet.catalog import Catalog
from seekless.fleet.dataset import READS, RUNS, DataSet
from seekless.fleet.engines import DuckDb, Spark
from seekless.fleet.profiles import write_profile

SCENARIOS, ASSETS, RUN_OPENS, PIECE_RUNS = 50, 3000, 1000, 4000
CATALOG = Catalog(0xaa, [f"map/{number:02}" for number in range(SCENARIOS)],
                  [f"assets/{number:04}.dat" for number in range(ASSETS)], [65536] * ASSETS)


def write_piece(data, scenario, piece, runs, rng):
    """Writes loads of 1,000 of a scenario's 3,000 assets: one of every three, with some neighbours swapped."""
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
        folder = data.folder_of(kind, CATALOG.build, CATALOG.scenarios[scenario])
        folder.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(table, folder / f"{piece:05}.parquet", compression="zstd")


def make_fleet(folder, opens, scenarios=SCENARIOS):
    rng = numpy.random.default_rng(1)
    begin = time.monotonic()
    runs = opens // RUN_OPENS // scenarios
    for scenario in range(scenarios):
        for piece, first in enumerate(range(0, runs, PIECE_RUNS)):
            write_piece(DataSet(folder), scenario, piece, min(PIECE_RUNS, runs - first), rng)
    size = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
    made = runs * scenarios * RUN_OPENS
    print(f"{runs * scenarios} recordings, {made:.3g} opens, made in {time.monotonic() - begin:.0f} s: "
          f"{size / 1e6:.0f} MB of Parquet, {size / made:.2f} bytes an open", flush=True)


def recut(source, target, pieces, order):
    """Copies the rows into another number of files, in the order "backward" or "shuffled"."""
    rng = numpy.random.default_rng(pieces)
    for part in DataSet(source).parts():
        for kind in ("reads", "runs"):
            table = pyarrow.parquet.read_table(getattr(part, kind))
            rows = rng.permutation(table.num_rows) if order == "shuffled" else numpy.arange(table.num_rows)[::-1]
            table = table.take(pyarrow.array(rows))
            folder = DataSet(target).folder_of(kind, part.build, part.scenario)
            folder.mkdir(parents=True)
            size = -(-table.num_rows // pieces)
            for number in range(pieces):
                pyarrow.parquet.write_table(table.slice(number * size, size), folder / f"{number}.parquet")


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def used_by_children():
    """Returns processor seconds and peak MiB of this process's children, such as Spark's Java."""
    seconds = peak = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        fields = stat.read_text().rpartition(")")[2].split()
        if int(fields[1]) == os.getpid():
            seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            status = (stat.parent / "status").read_text()
            peak += int(status.partition("VmHWM:")[2].split()[0]) / 1024
    return seconds, peak


def add_up(fleet, output, engine):
    """Makes statistics and a profile of them in a separate process, so that its peak memory can be measured."""
    begin = time.monotonic()
    statistics = aggregate(fleet, engine=DuckDb(threads=2) if engine == "duckdb" else Spark(threads=2))
    statistics.write(output)
    write_profile(statistics, CATALOG, output / "profile.json")
    own = resource.getrusage(resource.RUSAGE_SELF)
    seconds, peak = used_by_children()
    print(json.dumps({"wall": time.monotonic() - begin, "core": own.ru_utime + own.ru_stime + seconds,
                      "peak": own.ru_maxrss / 1024, "children": peak}))


def add_up_alone(fleet, output, engine):
    told = subprocess.run([sys.executable, __file__, output, "--add-up", fleet, "--engine", engine], check=True,
                          stdout=subprocess.PIPE).stdout
    return json.loads(told.splitlines()[-1]), bytes_of(output)


def tell(name, opens, used):
    java = f" and {used['children']:.0f} MiB of Java" if used["children"] else ""
    print(f"{name}, {opens:.3g} opens, two threads: {used['wall']:.0f} s, {used['core']:.1f} processor seconds "
          f"({opens / used['core'] / 1e6:.1f} M opens for each), peak {used['peak']:.0f} MiB{java}", flush=True)


def compare_engines(folder, opens):
    make_fleet(folder, opens)
    found = []
    for engine in ("duckdb", "spark"):
        used, made = add_up_alone(folder, folder.parent / engine, engine)
        tell(engine, opens, used)
        found.append(made)
    assert found[0] == found[1]
    print(f"the same {len(found[0])} files by both engines: {sum(map(len, found[0].values()))} bytes", flush=True)


def compare_cuts(folder, opens):
    make_fleet(folder, opens, scenarios=5)
    engines = {"duckdb": DuckDb(threads=2), "spark": Spark(threads=2)}

    def bytes_by(engine, fleet):
        statistics = aggregate(fleet, engine=engines[engine])
        statistics.write(folder.parent / "again")
        write_profile(statistics, CATALOG, folder.parent / "again/profile.json")
        return bytes_of(folder.parent / "again")

    first = bytes_by("duckdb", folder)
    for pieces in (1, 3, 7):
        for order in ("backward", "shuffled"):
            cut = folder.parent / "cut"
            recut(folder, cut, pieces, order)
            for engine in engines:
                assert bytes_by(engine, cut) == first, f"{engine}, {pieces} files, {order}"
            shutil.rmtree(cut)
    print(f"{opens:.3g} opens in 1, 3 and 7 files of rows backward and shuffled, by DuckDB and Spark: the same bytes of "
          f"{', '.join(sorted(first))}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--opens", type=int, default=100_000_000)
    parser.add_argument("--spark-opens", type=int, default=0)
    parser.add_argument("--cut-opens", type=int, default=1_000_000)
    parser.add_argument("--add-up", type=pathlib.Path)
    parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb")
    arguments = parser.parse_args()
    folder = arguments.folder
    if arguments.add_up:
        add_up(arguments.add_up, folder, arguments.engine)
        return
    if arguments.opens:
        make_fleet(folder / "large", arguments.opens)
        tell("duckdb", arguments.opens, add_up_alone(folder / "large", folder / "statistics", "duckdb")[0])
        shutil.rmtree(folder / "large")
    if arguments.spark_opens:
        compare_engines(folder / "middle", arguments.spark_opens)
        shutil.rmtree(folder / "middle")
    if arguments.cut_opens:
        compare_cuts(folder / "small", arguments.cut_opens)


if __name__ == "__main__":
    main()
