"""A build's catalog, which maps the numbers in its uploads to assets and scenarios."""

from __future__ import annotations

import dataclasses
import os

from seekless import _core
from seekless.commands import StrPath

__all__ = ["Catalog"]


@dataclasses.dataclass(frozen=True)
class Catalog:
    """id: the pack set's id. An asset's number is its index in all packs, counted one after the other; paths and
    sizes_bytes are indexed by it. A leftover of an earlier release has the path "". scenarios are in the catalog's
    order."""

    id: int
    scenarios: list[str]
    paths: list[str]
    sizes_bytes: list[int]

    @staticmethod
    def read(packs: StrPath) -> Catalog:
        """Reads the catalog of a pack set's folder."""
        found = _core.read_catalog(os.fsencode(packs))
        return Catalog(found["id"], found["scenarios"], found["paths"], found["sizes_bytes"].tolist())

    @property
    def build(self) -> str:
        """The id as written in data sets and statistics: 16 digits."""
        return f"{self.id:016x}"

    @property
    def counts(self) -> tuple[int, int]:
        return len(self.paths), len(self.scenarios)
