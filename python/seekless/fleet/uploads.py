"""Makes uploads, for tests and for engines that record by themselves (schemas/fleet-upload.md)."""

from __future__ import annotations

import collections.abc
import dataclasses

from seekless import _core
from seekless.errors import UsageError
from seekless.fleet.catalog import Catalog

__all__ = ["Drive", "Run", "write_upload"]

TOKEN_BYTES = 16


@dataclasses.dataclass(frozen=True)
class Run:
    """One load: the scenario's number in the catalog, and the assets' numbers in the order they were first opened."""

    scenario: int
    assets: list[int]


@dataclasses.dataclass(frozen=True)
class Drive:
    """Figures of a player's drive, from skl_stats. media: 0 unknown, 1 rotational, 2 solid."""

    media: int
    seek_us: int = 0
    reads: int = 0
    seeks: int = 0
    read_bytes: int = 0


def write_upload(catalog: Catalog, client: bytes, day: int, runs: collections.abc.Iterable[Run],
                 drives: collections.abc.Iterable[Drive] = ()) -> bytes:
    """Returns the bytes of an upload. client: 16 random bytes, created once per installation. day: days since 1970."""
    if len(client) != TOKEN_BYTES:
        raise UsageError(f"client: expected {TOKEN_BYTES} bytes, found {len(client)}")
    return _core.write_upload(catalog.id, list(catalog.counts), client, day,
                              [(run.scenario, run.assets) for run in runs],
                              [list(dataclasses.astuple(drive)) for drive in drives])
