"""Converts statistics to a profile for `plan --profile`."""

from __future__ import annotations

import collections
import os
import typing

from seekless import _core
from seekless.commands import StrPath
from seekless.errors import UsageError
from seekless.fleet.aggregate import Statistics
from seekless.fleet.catalog import Catalog

__all__ = ["exemplar_runs", "write_profile"]


def _known_assets(places: typing.Any, least_clients: int) -> dict[int, tuple[float, int]]:
    """Maps each asset that enough clients have read to its mean place, 0 to 4095, and its weight."""
    sums = places.group_by("asset").aggregate([("weight", "sum"), ("place_sum", "sum"), ("clients", "sum")])
    return {row["asset"]: (row["place_sum_sum"] / row["weight_sum"], row["weight_sum"])
            for row in sums.to_pylist() if row["clients_sum"] >= least_clients}


def exemplar_runs(statistics: Statistics, catalog: Catalog, *, least_clients: int = 5
                  ) -> dict[str, list[list[int]]]:
    """Maps each scenario to the examples' assets in order, without assets that only few clients have read.

    An asset that many clients read, but that no example contains, is added to an example at its mean place.
    """
    return dict(_exemplar_runs(statistics, catalog, least_clients))


def _exemplar_runs(statistics: Statistics, catalog: Catalog, least_clients: int
                   ) -> collections.abc.Iterator[tuple[str, list[list[int]]]]:
    """Yields the scenarios by name, one at a time, because a list takes ten times as much memory as a table."""
    for build, scenario, tables in statistics.scenarios():
        if build != catalog.build:
            continue
        known = _known_assets(tables["places"], least_clients)
        rows = tables["exemplars"]
        runs: dict[int, list[int]] = collections.defaultdict(list)
        for run, asset in zip(rows["run"].to_pylist(), rows["asset"].to_pylist(), strict=True):
            if asset in known:
                runs[run].append(asset)
        if runs:
            yield scenario, _with_missing(list(runs.values()), known)


def _with_missing(runs: list[list[int]], known: dict[int, tuple[float, int]]) -> list[list[int]]:
    missing = sorted(set(known).difference(*runs), key=lambda asset: (known[asset][0], asset))
    added: list[list[int]] = [[] for _ in runs]
    for number, asset in enumerate(missing):
        added[number % len(runs)].append(asset)
    return [_merged(run, more, known) for run, more in zip(runs, added, strict=True)]


def _merged(run: list[int], more: list[int], known: dict[int, tuple[float, int]]) -> list[int]:
    """Inserts the assets of `more` into the run by their mean places; the run keeps its order."""
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
    """Writes the profile. Assets read by fewer than `least_clients` clients are left out, as if no client had read
    them."""
    paths: dict[str, int] = {}
    by_path = {scenario: [list(dict.fromkeys(paths.setdefault(catalog.paths[asset], len(paths)) for asset in run
                                             if catalog.paths[asset]))
                          for run in runs]
               for scenario, runs in _exemplar_runs(statistics, catalog, least_clients)}
    if not by_path:
        raise UsageError(f"profile: expected runs of build {catalog.build} whose assets {least_clients} clients have "
                         "read, found none")
    _core.save_profile(os.fsencode(output), list(paths), by_path)
