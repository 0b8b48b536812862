"""The data set that `collect` writes and the queries read: Parquet files below a folder.

reads/BUILD/SCENARIO/*.parquet   run, rank, place, asset, previous: a row for each open
runs/BUILD/SCENARIO/*.parquet    client, run, day, opens, weight, is_first, is_sampled: a row for each run that counts
drives/*.parquet                 client, day, media, seek_us, reads, seeks, read_bytes
collected.json                   what was accepted and what was set aside
unfinished                       exists only while `collect` runs, or after it was killed

SCENARIO is the scenario's name with '/' and the like as %2F. The distribution of rows over files has no meaning.
"""

from __future__ import annotations

import collections.abc
import contextlib
import dataclasses
import fcntl
import json
import os
import pathlib
import shutil
import typing
import urllib.parse

from seekless._needs import needed
from seekless.errors import DamagedError, Error, UsageError

__all__ = ["DataSet", "Part", "READS", "RUNS", "DRIVES"]

VERSION = 1
# To compare runs of different lengths, places are scaled to this range, and counted in this many bins.
PLACES, BINS = 4096, 16
_MARK = "being written by 'seekless fleet collect'\n"


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
    """A folder written by `collect`."""

    def __init__(self, folder: str | pathlib.Path) -> None:
        self.folder = pathlib.Path(folder)

    @property
    def _unfinished(self) -> pathlib.Path:
        return self.folder / "unfinished"

    @contextlib.contextmanager
    def written(self) -> collections.abc.Iterator[None]:
        """A context manager for writing the set, by one process at a time. Until it ends, the set counts as
        incomplete. It first deletes the files of a killed process, and after an error it deletes everything."""
        was_there = self.folder.is_dir()
        if self.folder.exists() and not was_there or was_there and not self._may_be_written():
            raise UsageError(f"{self.folder}: expected a new folder or an empty one, found another")
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._unfinished.open("a") as mark:
            try:
                fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Error(f"{self.folder}: another 'seekless fleet collect' writes there; wait for its end") from None
            if not self._is_ours(mark):
                raise UsageError(f"{self.folder}: expected a new folder, found what another collect has just written")
            self._clear()
            try:
                mark.truncate(0)
                mark.write(_MARK)
                mark.flush()
                yield
            except BaseException:
                with contextlib.suppress(OSError):
                    self._clear()
                    self._unfinished.unlink()
                    if not was_there:
                        self.folder.rmdir()
                raise
            self._unfinished.unlink()

    def _is_ours(self, mark: typing.TextIO) -> bool:
        """Returns False if another process has finished meanwhile. Then the `unfinished` mark is gone, or a new one
        lies beside that process's data."""
        if not self._unfinished.exists() or not os.path.samestat(os.fstat(mark.fileno()), self._unfinished.stat()):
            return False
        if self._may_be_written():
            return True
        self._unfinished.unlink()  # this process has just created it
        return False

    def _may_be_written(self) -> bool:
        """Returns True if the folder is empty or contains the remains of a killed `collect`; a foreign file with the
        mark's name doesn't count."""
        names = os.listdir(self.folder)
        return names in ([], [self._unfinished.name]) or (
            self._unfinished.is_file() and self._unfinished.read_bytes() == _MARK.encode())

    def _clear(self) -> None:
        for kind in ("reads", "runs", "drives"):
            if (self.folder / kind).exists():
                shutil.rmtree(self.folder / kind)
        (self.folder / "collected.json").unlink(missing_ok=True)

    def folder_of(self, kind: str, build: str, scenario: str) -> pathlib.Path:
        return self.folder / kind / build / urllib.parse.quote(scenario, safe="")

    def parts(self) -> list[Part]:
        """Returns the parts, sorted by build and name."""
        if self._unfinished.exists():
            raise DamagedError(f"{self.folder}: expected a whole data set, found one whose collection is under way or was "
                               "stopped; wait for its end, or collect it again")
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
        """Returns the content of collected.json."""
        about: dict[str, typing.Any] = json.loads((self.folder / "collected.json").read_text(encoding="utf-8"))
        if about.get("seekless") != "fleet" or about.get("version") != VERSION:
            raise DamagedError(f"{self.folder}/collected.json: expected version {VERSION} of a fleet's data set, found "
                               f"{about.get('seekless')!r} {about.get('version')!r}; collect it again")
        return about
