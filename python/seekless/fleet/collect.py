"""collect: turns uploads from files, folders and object stores into a data set."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import heapq
import json
import pathlib
import typing

from seekless import _core
from seekless._needs import needed
from seekless.commands import StrPath
from seekless.errors import UsageError
from seekless.fleet.catalog import Catalog
from seekless.fleet.dataset import DRIVES, READS, RUNS, VERSION, DataSet
from seekless.tables import _array

__all__ = ["Collected", "collect"]

# The weights of a client's runs are equal integers with this sum, for 1 to 10 runs.
CLIENT_WEIGHT = 2520
MOST_RUNS_LIMIT = 10
# Pairs of successive reads are counted for one of this many clients, selected by hash.
SAMPLED_CLIENTS = 16
_BATCH_FILES = 2000
_BATCH_BYTES = 64 << 20
_ROWS_IN_FILE = 4_000_000
_KEPT_REASONS = 20


@dataclasses.dataclass(frozen=True)
class Collected:
    """The result of collecting. set_aside: number of ignored uploads, by reason."""

    uploads: int
    runs: int
    opens: int
    clients: int
    cut_off: int
    broken_runs: int
    repeated_runs: int
    runs_beyond_share: int
    set_aside: dict[str, int]
    examples: list[str]

    @property
    def set_aside_uploads(self) -> int:
        return sum(self.set_aside.values())


def _files(places: collections.abc.Iterable[StrPath]) -> collections.abc.Iterator[tuple[str, typing.Any]]:
    """Yields every file with its file system. The order doesn't depend on the operating system."""
    core = needed("fsspec.core", "fleet")
    for place in places:
        system, path = core.url_to_fs(str(place))
        if not system.exists(path):
            raise UsageError(f"{place}: expected a file, a folder or a prefix, found nothing there")
        for file in sorted(system.find(path)) if system.isdir(path) else [path]:
            yield file, system


def _batches(places: collections.abc.Iterable[StrPath], most_bytes: int
             ) -> collections.abc.Iterator[tuple[list[str], list[bytes]]]:
    names: list[str] = []
    contents: list[bytes] = []
    size = 0
    for name, system in _files(places):
        with system.open(name, "rb") as file:
            content = file.read(most_bytes + 1)  # one byte too many makes the reader refuse it
        names.append(name)
        contents.append(content)
        size += len(content)
        if len(names) >= _BATCH_FILES or size >= _BATCH_BYTES:
            yield names, contents
            names, contents, size = [], [], 0
    if names:
        yield names, contents


class _Share:
    """Keeps each client's runs with the lowest hashes, per scenario, so that the order of uploads doesn't matter."""

    def __init__(self, most_runs: int) -> None:
        self.most_runs = most_runs
        self.seen: set[int] = set()
        self.kept: dict[tuple[int, int, int], list[tuple[int, int, int]]] = collections.defaultdict(list)
        self.repeated = 0
        self.beyond = 0

    def offer(self, key: tuple[int, int, int], run: int, day: int, opens: int) -> bool:
        """Returns False if the run is ignored. A later run may replace an accepted one."""
        if run in self.seen:
            self.repeated += 1
            return False
        self.seen.add(run)
        heap = self.kept[key]
        if len(heap) < self.most_runs:
            heapq.heappush(heap, (-run, day, opens))
            return True
        self.beyond += 1
        if -run <= heap[0][0]:
            return False
        heapq.heapreplace(heap, (-run, day, opens))
        return True


class _Writer:
    """Writes the rows of one table and partition, in files of about a million rows."""

    def __init__(self, folder: pathlib.Path, schema: typing.Any) -> None:
        self.folder, self.schema = folder, schema
        self.waiting: list[typing.Any] = []
        self.rows = 0
        self.files = 0

    def add(self, table: typing.Any) -> None:
        self.waiting.append(table)
        self.rows += table.num_rows
        if self.rows >= _ROWS_IN_FILE:
            self.flush()

    def flush(self) -> None:
        if not self.waiting:
            return
        arrow, parquet = needed("pyarrow", "fleet"), needed("pyarrow.parquet", "fleet")
        self.folder.mkdir(parents=True, exist_ok=True)
        parquet.write_table(arrow.concat_tables(self.waiting), self.folder / f"part-{self.files:05}.parquet",
                            compression="zstd")
        self.waiting, self.rows, self.files = [], 0, self.files + 1


def _table(columns: dict[str, memoryview], schema: typing.Any) -> typing.Any:
    arrow = needed("pyarrow", "fleet")
    return arrow.Table.from_arrays([_array(schema.field(name).type, columns[name]) for name in schema.names],
                                   schema=schema)


class _Collection:
    def __init__(self, catalogs: collections.abc.Iterable[Catalog], output: StrPath, salt: int, most_runs: int) -> None:
        self.catalogs = {catalog.id: catalog for catalog in catalogs}
        self.signed = {catalog.id - (1 << 64) * (catalog.id >> 63): catalog for catalog in self.catalogs.values()}
        self.known = {catalog.id: catalog.counts for catalog in self.catalogs.values()}
        self.data = DataSet(str(output))
        self.salt = salt
        self.share = _Share(most_runs)
        self.reads: dict[tuple[int, int], _Writer] = {}
        self.drives = _Writer(self.data.folder / "drives", DRIVES())
        self.uploads = self.cut_off = self.broken = 0
        self.set_aside: collections.Counter[str] = collections.Counter()
        self.examples: list[str] = []

    def add(self, names: list[str], contents: list[bytes]) -> None:
        found = _core.read_uploads(contents, self.salt, self.known)
        self.uploads += len(names)
        self.cut_off += found["cut_off"]
        self.broken += found["broken_runs"]
        for number, reason in found["refused"]:
            self.set_aside[reason.partition(": ")[2].partition(", found")[0]] += 1
            if len(self.examples) < _KEPT_REASONS:
                self.examples.append(f"{names[number]}: {reason.partition(': ')[2]}")
        self.drives.add(_table(found["drives"], DRIVES()))
        self._add_runs(found["runs"], _table(found["reads"], READS()))

    def _add_runs(self, runs: dict[str, memoryview], reads: typing.Any) -> None:
        arrow = needed("pyarrow", "fleet")
        begin = 0
        slices: dict[tuple[int, int], list[typing.Any]] = collections.defaultdict(list)
        columns = (runs[name].tolist() for name in ("client", "run", "catalog", "scenario", "day", "opens"))
        for client, run, catalog, scenario, day, opens in zip(*columns, strict=True):
            if self.share.offer((catalog, scenario, client), run, day, opens):
                slices[catalog, scenario].append(reads.slice(begin, opens))
            begin += opens
        for key, of in slices.items():
            if key not in self.reads:
                self.reads[key] = _Writer(self._folder("reads", *key), READS())
            self.reads[key].add(arrow.concat_tables(of).combine_chunks())

    def _folder(self, kind: str, catalog: int, scenario: int) -> pathlib.Path:
        of = self.signed[catalog]
        return self.data.folder_of(kind, of.build, of.scenarios[scenario])

    def finish(self) -> Collected:
        for writer in [*self.reads.values(), self.drives]:
            writer.flush()
        kept = self.share.kept
        by_part: dict[tuple[int, int], list[tuple[int, ...]]] = collections.defaultdict(list)
        for (catalog, scenario, client), heap in kept.items():
            of_client = sorted((-run, day, opens) for run, day, opens in heap)
            for place, (run, day, opens) in enumerate(of_client):
                by_part[catalog, scenario].append((client, run, day, opens, CLIENT_WEIGHT // len(of_client),
                                                   int(place == 0), int(client % SAMPLED_CLIENTS == 0)))
        arrow = needed("pyarrow", "fleet")
        for key, rows in by_part.items():
            writer = _Writer(self._folder("runs", *key), RUNS())
            writer.add(arrow.table([list(column) for column in zip(*sorted(rows), strict=True)], schema=RUNS()))
            writer.flush()
        every = [row for rows in by_part.values() for row in rows]
        collected = Collected(
            uploads=self.uploads, runs=len(every), opens=sum(row[3] for row in every),
            clients=len({key[2] for key in kept}), cut_off=self.cut_off, broken_runs=self.broken,
            repeated_runs=self.share.repeated, runs_beyond_share=self.share.beyond,
            set_aside=dict(sorted(self.set_aside.items())), examples=self.examples)
        self._write_about(collected)
        return collected

    def _write_about(self, collected: Collected) -> None:
        about = {"seekless": "fleet", "version": VERSION, "most_runs": self.share.most_runs,
                 "builds": {catalog.build: {"assets": len(catalog.paths), "scenarios": catalog.scenarios}
                            for catalog in self.catalogs.values()},
                 "collected": dataclasses.asdict(collected)}
        (self.data.folder / "collected.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def collect(uploads: StrPath | collections.abc.Iterable[StrPath], catalogs: collections.abc.Iterable[Catalog],
            output: StrPath, *, salt: int = 0, most_runs: int = MOST_RUNS_LIMIT) -> Collected:
    """Reads uploads and writes a data set to the new folder `output`. If it is interrupted, the incomplete data set
    is recognised as such, and the next call with this `output` starts again.

    uploads: files, folders, or any URL that fsspec opens ("s3://bucket/prefix").
    catalogs: the catalogs of the builds to collect; uploads of other builds are set aside.
    salt: a secret number, the same for all data sets that will be added up. Without it, an attacker could make a
        client token that is certain to be chosen as an example.
    most_runs: how many runs of one client and scenario count, 1 to 10. All runs of a client and scenario together
        have the weight of another client's single run.
    """
    if not 1 <= most_runs <= MOST_RUNS_LIMIT:
        raise UsageError(f"most_runs: expected 1 to {MOST_RUNS_LIMIT}, found {most_runs}")
    collection = _Collection(catalogs, output, salt, most_runs)
    places = [uploads] if isinstance(uploads, str) or not isinstance(uploads, collections.abc.Iterable) else uploads
    with collection.data.written():
        for names, contents in _batches(places, 16 << 20):
            collection.add(names, contents)
        return collection.finish()
