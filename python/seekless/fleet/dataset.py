"""The data set that `collect` writes and the queries read: Parquet files below a folder.

reads/BUILD/SCENARIO/*.parquet   run, rank, place, asset, previous: a row for each open
runs/BUILD/SCENARIO/*.parquet    client, run, day, opens, weight, is_first, is_sampled: a row for each run that counts
drives/*.parquet                 client, day, media, seek_us, reads, seeks, read_bytes
collected.json                   what was taken and what was set aside

SCENARIO is the scenario's name with '/' and the like as %2F. How rows are spread over files has no meaning.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
import typing
import urllib.parse

from seekless._needs import needed
from seekless.errors import DamagedError

__all__ = ["DataSet", "Part", "READS", "RUNS", "DRIVES"]

VERSION = 1
# Places in runs of any length are compared by these, and counted in so many bins.
PLACES, BINS = 4096, 16


def _schema(**types: str) -> typing.Any:
    arrow = needed("pyarrow", "fleet")
    return arrow.schema([(name, getattr(arrow, of)()) for name, of in types.items()])


def READS() -> typing.Any:
    return _schema(run="int64", rank="int32", place="int32", asset="int32", previous="int32")


def RUNS() -> typing.Any:
    return _schema(client="int64", run="int64", day="int32", opens="int32", weight="int64", is_first="int32",
                   is_sampled="int32")


def DRIVES() -> typing.Any:
    return _schema(client="int64", day="int32", media="int32", seek_us="int64", reads="int64", seeks="int64",
                   read_bytes="int64")


@dataclasses.dataclass(frozen=True)
class Part:
    """One scenario of one build."""

    build: str
    scenario: str
    reads: list[str]
    runs: list[str]


class DataSet:
    """A folder that `collect` has written."""

    def __init__(self, folder: str | pathlib.Path) -> None:
        self.folder = pathlib.Path(folder)

    def folder_of(self, kind: str, build: str, scenario: str) -> pathlib.Path:
        return self.folder / kind / build / urllib.parse.quote(scenario, safe="")

    def parts(self) -> list[Part]:
        """In order by build and name."""
        if not (self.folder / "runs").is_dir():
            raise DamagedError(f"{self.folder}: expected a data set of 'seekless fleet collect', found no 'runs' in it")
        found = []
        for folder in sorted((self.folder / "runs").glob("*/*")):
            build, scenario = folder.parent.name, urllib.parse.unquote(folder.name)
            files = [sorted(str(path) for path in self.folder_of(kind, build, scenario).glob("*.parquet"))
                     for kind in ("reads", "runs")]
            if all(files):
                found.append(Part(build, scenario, *files))
        return found

    def drives(self) -> list[str]:
        return sorted(str(path) for path in (self.folder / "drives").glob("*.parquet"))

    def about(self) -> dict[str, typing.Any]:
        """What collect.json says."""
        about: dict[str, typing.Any] = json.loads((self.folder / "collected.json").read_text(encoding="utf-8"))
        if about.get("seekless") != "fleet" or about.get("version") != VERSION:
            raise DamagedError(f"{self.folder}/collected.json: expected version {VERSION} of a fleet's data set, found "
                               f"{about.get('seekless')!r} {about.get('version')!r}; collect it again")
        return about
