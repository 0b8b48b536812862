"""Statistics -> a profile that `plan --profile` takes."""

from __future__ import annotations

import collections
import os
import typing

from seekless import _core
from seekless._needs import needed
from seekless.commands import StrPath
from seekless.errors import UsageError
from seekless.fleet.aggregate import Statistics
from seekless.fleet.catalog import Catalog

__all__ = ["exemplar_runs", "write_profile"]


def _of_build(table: typing.Any, catalog: Catalog) -> typing.Any:
    compute = needed("pyarrow.compute", "fleet")
    return table.filter(compute.equal(table["build"], catalog.build))


def _known_assets(statistics: Statistics, catalog: Catalog, least_clients: int
                  ) -> dict[str, dict[int, tuple[float, int]]]:
    """By scenario and asset: its mean place, 0 to 4095, and its weight. Those that enough clients have read."""
    places = _of_build(statistics.tables["places"], catalog)
    sums = places.group_by(["scenario", "asset"]).aggregate([("weight", "sum"), ("place_sum", "sum"),
                                                            ("clients", "sum")])
    known: dict[str, dict[int, tuple[float, int]]] = collections.defaultdict(dict)
    for row in sums.to_pylist():
        if row["clients_sum"] >= least_clients:
            known[row["scenario"]][row["asset"]] = (row["place_sum_sum"] / row["weight_sum"], row["weight_sum"])
    return known


def exemplar_runs(statistics: Statistics, catalog: Catalog, *, least_clients: int = 5
                  ) -> dict[str, list[list[int]]]:
    """By scenario: the examples' assets in order, without those that few clients have read.

    What many clients read and no example does is put into one of them, where it is usually read.
    """
    known = _known_assets(statistics, catalog, least_clients)
    rows = _of_build(statistics.tables["exemplars"], catalog)
    runs: dict[str, dict[int, list[int]]] = collections.defaultdict(lambda: collections.defaultdict(list))
    for scenario, run, asset in zip(*(rows[name].to_pylist() for name in ("scenario", "run", "asset")), strict=True):
        if asset in known[scenario]:
            runs[scenario][run].append(asset)
    return {scenario: _with_missing([run for run in of.values() if run], known[scenario])
            for scenario, of in sorted(runs.items()) if any(of.values())}


def _with_missing(runs: list[list[int]], known: dict[int, tuple[float, int]]) -> list[list[int]]:
    missing = sorted(set(known).difference(*runs), key=lambda asset: (known[asset][0], asset))
    added: list[list[int]] = [[] for _ in runs]
    for number, asset in enumerate(missing):
        added[number % len(runs)].append(asset)
    return [_merged(run, more, known) for run, more in zip(runs, added, strict=True)]


def _merged(run: list[int], more: list[int], known: dict[int, tuple[float, int]]) -> list[int]:
    """`more` lies by its mean places; the run stays in its order."""
    merged: list[int] = []
    waiting = iter(more)
    next_one = next(waiting, None)
    for rank, asset in enumerate(run):
        while next_one is not None and known[next_one][0] * len(run) <= rank * 4096:
            merged.append(next_one)
            next_one = next(waiting, None)
        merged.append(asset)
    return merged + ([next_one] if next_one is not None else []) + list(waiting)


def write_profile(statistics: Statistics, catalog: Catalog, output: StrPath, *, least_clients: int = 5) -> None:
    """least_clients: what fewer have read is left out, as if nobody had."""
    runs = exemplar_runs(statistics, catalog, least_clients=least_clients)
    if not runs:
        raise UsageError(f"profile: expected runs of build {catalog.build} whose assets {least_clients} clients have "
                         "read, found none")
    paths: dict[str, int] = {}
    by_path: dict[str, list[list[int]]] = {}
    for scenario, of in runs.items():
        by_path[scenario] = [list(dict.fromkeys(paths.setdefault(catalog.paths[asset], len(paths)) for asset in run
                                           if catalog.paths[asset]))
                             for run in of]
    _core.save_profile(os.fsencode(output), list(paths), by_path)
