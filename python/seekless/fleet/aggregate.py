"""aggregate: adds up data sets to statistics. The order in which they are added doesn't change the bytes."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import json
import pathlib
import typing

from seekless._needs import needed
from seekless.commands import StrPath
from seekless.errors import DamagedError, UsageError
from seekless.fleet import queries
from seekless.fleet.dataset import DataSet, Part
from seekless.fleet.engines import DuckDb, Engine

__all__ = ["Settings", "Statistics", "aggregate", "merge"]

VERSION = 1
_ROWS_IN_GROUP = 1 << 20
_KEYS = {"places": ["build", "scenario", "asset", "bin"], "pairs": ["build", "scenario", "previous", "asset"],
         "scenarios": ["build", "scenario"], "exemplars": ["build", "scenario", "client", "run", "rank"]}
_SUMS = {"places": ["weight", "place_sum", "place_squares", "clients"], "pairs": ["weight", "clients"],
         "scenarios": ["runs", "clients", "weight", "opens"]}
_TYPES = {"build": "string", "scenario": "string", "asset": "int32", "bin": "int32", "previous": "int32",
          "rank": "int32", "first_day": "int32", "last_day": "int32"}


@dataclasses.dataclass(frozen=True)
class Settings:
    """exemplars: how many whole runs of each scenario are kept, each from a different client."""

    exemplars: int = 64


def _schema(name: str) -> typing.Any:
    arrow = needed("pyarrow", "fleet")
    columns = _KEYS[name] + _SUMS.get(name, ["asset"])
    if name == "scenarios":
        columns = columns + ["first_day", "last_day"]
    return arrow.schema([(column, getattr(arrow, _TYPES.get(column, "int64"))()) for column in columns])


class Statistics:
    """Four tables in memory: places, pairs, scenarios and exemplars. Each is sorted by its key columns, which begin
    with build and scenario. Assets appear only as numbers, never as paths."""

    def __init__(self, tables: dict[str, typing.Any], settings: Settings) -> None:
        self.tables = tables
        self.settings = settings

    @staticmethod
    def read(folder: StrPath) -> Statistics:
        parquet = needed("pyarrow.parquet", "fleet")
        path = pathlib.Path(folder)
        try:
            about = json.loads((path / "statistics.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise DamagedError(f"{path}: expected statistics of 'seekless fleet aggregate', found no "
                               "'statistics.json' in it") from None
        if about.get("seekless") != "fleet-statistics" or about.get("version") != VERSION:
            raise DamagedError(f"{path}/statistics.json: expected version {VERSION}, found {about.get('version')!r}; "
                               "aggregate it again")
        tables = {name: parquet.read_table(path / f"{name}.parquet", schema=_schema(name)) for name in _KEYS}
        return Statistics(tables, Settings(about["exemplars"]))

    def scenarios(self) -> collections.abc.Iterator[tuple[str, str, dict[str, typing.Any]]]:
        """Yields each build and scenario with its rows of each table, in order, without copying them."""
        counts: dict[tuple[str, str], dict[str, int]] = collections.defaultdict(dict)
        for name, table in self.tables.items():
            for row in table.group_by(["build", "scenario"]).aggregate([([], "count_all")]).to_pylist():
                counts[row["build"], row["scenario"]][name] = row["count_all"]
        begin = dict.fromkeys(self.tables, 0)
        for (build, scenario), rows in sorted(counts.items()):
            yield build, scenario, {name: table.slice(begin[name], rows.get(name, 0)) for name, table in self.tables.items()}
            begin = {name: at + rows.get(name, 0) for name, at in begin.items()}

    def write(self, folder: StrPath) -> None:
        """Writes the tables to a folder. The same statistics give the same bytes. If writing is interrupted, `read`
        finds no statistics there."""
        parquet = needed("pyarrow.parquet", "fleet")
        path = pathlib.Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        (path / "statistics.json").unlink(missing_ok=True)
        for name, table in self.tables.items():
            with parquet.ParquetWriter(path / f"{name}.parquet", _schema(name), compression="zstd",
                                       store_schema=False) as writer:
                # Rows are copied in groups, so the bytes don't depend on how a table is split in memory.
                for begin in range(0, max(table.num_rows, 1), _ROWS_IN_GROUP):
                    writer.write_table(table.slice(begin, _ROWS_IN_GROUP).combine_chunks(), row_group_size=_ROWS_IN_GROUP)
        about = {"seekless": "fleet-statistics", "version": VERSION, "exemplars": self.settings.exemplars}
        last = path / "statistics.json.part"
        last.write_text(json.dumps(about) + "\n", encoding="utf-8")
        last.replace(path / "statistics.json")


def _labelled(table: typing.Any, part: Part, name: str) -> typing.Any:
    arrow = needed("pyarrow", "fleet")
    rows = table.num_rows
    columns = {"build": arrow.array([part.build] * rows, arrow.string()),
               "scenario": arrow.array([part.scenario] * rows, arrow.string())}
    schema = _schema(name)
    return arrow.table([columns[field.name] if field.name in columns else table[field.name].cast(field.type)
                        for field in schema], schema=schema)


def _ask(engine: Engine, part: Part, settings: Settings) -> dict[str, typing.Any]:
    views = {"reads": part.reads, "runs": part.runs}
    tables = {name: engine.query(sql, views) for name, sql in
              (("places", queries.PLACES_OF_ASSETS), ("pairs", queries.PAIRS), ("scenarios", queries.SCENARIO))}
    chosen = engine.query(queries.EXEMPLARS.format(exemplars=settings.exemplars), {"runs": part.runs})
    runs = ", ".join(map(str, chosen["run"].to_pylist()))
    reads = engine.query(queries.EXEMPLAR_READS.format(runs=runs), {"reads": part.reads})
    tables["exemplars"] = reads.join(chosen, "run")
    return {name: _labelled(table, part, name) for name, table in tables.items()}


def _sorted(table: typing.Any, name: str) -> typing.Any:
    return table.sort_by([(key, "ascending") for key in _KEYS[name]]).combine_chunks()


def _summed(tables: list[typing.Any], name: str) -> typing.Any:
    arrow = needed("pyarrow", "fleet")
    wanted = [(column, "sum") for column in _SUMS[name]]
    if name == "scenarios":
        wanted += [("first_day", "min"), ("last_day", "max")]
    grouped = arrow.concat_tables(tables).group_by(_KEYS[name]).aggregate(wanted)
    grouped = grouped.rename_columns([column.rsplit("_", 1)[0] if column not in _KEYS[name] else column
                                      for column in grouped.column_names])
    return _sorted(grouped.select(_schema(name).names).cast(_schema(name)), name)


def _lowest(tables: list[typing.Any], exemplars: int) -> typing.Any:
    """Keeps, for each scenario, the runs of the clients with the lowest hashes, one run per client."""
    arrow, compute = needed("pyarrow", "fleet"), needed("pyarrow.compute", "fleet")
    every = arrow.concat_tables(tables)
    lowest = every.group_by(["build", "scenario", "client"]).aggregate([("run", "min")])
    lowest = lowest.rename_columns(["build", "scenario", "client", "run"])
    lowest = lowest.sort_by([(key, "ascending") for key in ("build", "scenario", "client")])
    kept: list[bool] = []
    last, count = None, 0
    for key in zip(lowest["build"].to_pylist(), lowest["scenario"].to_pylist(), strict=True):
        count = count + 1 if key == last else 1
        last = key
        kept.append(count <= exemplars)
    lowest = lowest.filter(arrow.array(kept))
    rows = every.join(lowest, ["build", "scenario", "client", "run"], join_type="left semi")
    unique = rows.group_by(rows.column_names).aggregate([])  # two parts may contain the same run
    return _sorted(unique.select(_schema("exemplars").names).cast(_schema("exemplars")), "exemplars")


def merge(parts: collections.abc.Sequence[Statistics]) -> Statistics:
    """Adds up all parts, in any order. A client in two parts counts twice."""
    if not parts:
        raise UsageError("merge: expected statistics, found none")
    settings = {part.settings for part in parts}
    if len(settings) != 1:
        raise UsageError("merge: expected statistics made with the same settings, found "
                         + " and ".join(sorted(map(str, settings))))
    return _concatenated([_merged_scenario(of, parts[0].settings) for of in _by_scenario(parts)], parts[0].settings)


def _merged_scenario(parts: list[dict[str, typing.Any]], settings: Settings) -> dict[str, typing.Any]:
    tables = {name: _summed([part[name] for part in parts], name) for name in _SUMS}
    tables["exemplars"] = _lowest([part["exemplars"] for part in parts], settings.exemplars)
    return tables


def _by_scenario(parts: collections.abc.Iterable[Statistics]) -> list[list[dict[str, typing.Any]]]:
    found: dict[tuple[str, str], list[dict[str, typing.Any]]] = collections.defaultdict(list)
    for part in parts:
        for build, scenario, tables in part.scenarios():
            found[build, scenario].append(tables)
    return [of for _, of in sorted(found.items())]


def _concatenated(scenarios: collections.abc.Sequence[dict[str, typing.Any]], settings: Settings) -> Statistics:
    """Concatenates the sorted tables of scenarios, which come in order, without copying."""
    arrow = needed("pyarrow", "fleet")
    return Statistics({name: arrow.concat_tables([of[name] for of in scenarios]) for name in _KEYS}, settings)


def aggregate(data_sets: StrPath | collections.abc.Iterable[StrPath], *, engine: Engine | None = None,
              settings: Settings = Settings()) -> Statistics:
    """Runs the queries on every scenario of every data set, and adds up the answers."""
    folders = ([data_sets] if isinstance(data_sets, str) or not isinstance(data_sets, collections.abc.Iterable)
               else list(data_sets))
    engine = engine or DuckDb()
    by_scenario: dict[tuple[str, str], list[Part]] = collections.defaultdict(list)
    for folder in folders:
        for part in DataSet(str(folder)).parts():
            by_scenario[part.build, part.scenario].append(part)
    if not by_scenario:
        raise UsageError(f"aggregate: expected data sets with runs, found none in {', '.join(map(str, folders))}")
    return _concatenated([_merged_scenario([_ask(engine, part, settings) for part in parts], settings)
                          for _, parts in sorted(by_scenario.items())], settings)
