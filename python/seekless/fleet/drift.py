"""drift: compares what the fleet reads now with the shipped layout.

For each scenario and day, the planner's drive model computes the seconds of some clients' runs, with the assets in
the order of the shipped packs. Their mean is compared with the mean of the reference, the fleet that the layout was
planned from. The differences are added up over days, and a large sum raises the alarm (Page's CUSUM), so a small
lasting loss is also found.
"""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import math
import statistics
import typing

from seekless import _core
from seekless.errors import UsageError
from seekless.fleet.catalog import Catalog
from seekless.fleet.dataset import DataSet, Part
from seekless.fleet.engines import DuckDb, Engine

__all__ = ["Day", "Drift", "Drives", "ScenarioDrift", "Watch", "drift"]

# Both are in standard deviations of a day's mean. A stable scenario passes the limit once in some 5,000,000 days: e^(2
# * 1 * 8).
SLACK, LIMIT = 1.0, 8.0
# A random error of the reference affects every day, so this many of its standard deviations are tolerated.
REFERENCE_DEVIATIONS = 3.0
LEAST_REFERENCE_RUNS = 30

_RUNS_OF_DAYS = """
SELECT client, run, day FROM runs WHERE is_first = 1 ORDER BY day, client, run
"""
_READS_OF_RUNS = """
SELECT reads.run AS run, reads.rank AS rank, reads.asset AS asset FROM reads WHERE reads.run IN ({runs})
"""
_DRIVES = """
SELECT day, media, CAST(COUNT(*) AS BIGINT) AS reports, CAST(COUNT(DISTINCT client) AS BIGINT) AS clients
FROM drives GROUP BY day, media ORDER BY day, media
"""
_LATENCIES = """
SELECT media, seek_us, CAST(COUNT(*) AS BIGINT) AS reports FROM drives WHERE seek_us > 0
GROUP BY media, seek_us ORDER BY media, seek_us
"""


@dataclasses.dataclass(frozen=True)
class Day:
    """day: days since 1970. runs: number of computed runs. seconds: their mean. score: the mean minus the reference,
    in standard deviations. sum: the scores added up over days, minus the slack; a sum above LIMIT is an alarm."""

    day: int
    runs: int
    seconds: float
    score: float
    sum: float


@dataclasses.dataclass(frozen=True)
class ScenarioDrift:
    """lost_seconds: how much longer a load takes from the shipped packs than in an order made from the latest day's
    runs, both computed for other runs; None without an alarm."""

    build: str
    scenario: str
    reference_runs: int
    reference_seconds: float
    days: list[Day]
    alarm_day: int | None
    lost_seconds: float | None


@dataclasses.dataclass(frozen=True)
class Drives:
    """Shares are of the clients that reported; medians are over reports."""

    clients: int
    rotational_share: float | None
    median_seek_us: dict[str, int]


@dataclasses.dataclass(frozen=True)
class Drift:
    scenarios: list[ScenarioDrift]
    unrecorded_scenarios: list[str]
    unrecorded_assets: int
    drives: Drives | None

    @property
    def alarms(self) -> list[ScenarioDrift]:
        return [scenario for scenario in self.scenarios if scenario.alarm_day is not None]


class Watch:
    """One scenario's sum over days. Its input is seconds, not runs."""

    def __init__(self, reference: collections.abc.Sequence[float]) -> None:
        if len(reference) < LEAST_REFERENCE_RUNS:
            raise UsageError(f"drift: expected {LEAST_REFERENCE_RUNS} runs of the reference, found {len(reference)}")
        self.runs = len(reference)
        self.mean = statistics.fmean(reference)
        # Even equal times have an error of a clock's resolution.
        self.deviation = max(statistics.stdev(reference), 1e-3 * self.mean, 1e-9)
        self.sum = 0.0

    def add(self, day: int, seconds: collections.abc.Sequence[float]) -> Day:
        mean = statistics.fmean(seconds)
        score = (mean - self.mean) / (self.deviation / math.sqrt(len(seconds)))
        slack = SLACK + REFERENCE_DEVIATIONS * math.sqrt(len(seconds) / self.runs)
        self.sum = max(0.0, self.sum + score - slack)
        return Day(day, len(seconds), mean, score, self.sum)

    @property
    def is_alarmed(self) -> bool:
        return self.sum > LIMIT


def _runs_by_day(engine: Engine, part: Part, most_runs: int) -> dict[int, list[int]]:
    """Maps each day to the runs of the clients with the lowest hashes."""
    table = engine.query(_RUNS_OF_DAYS, {"runs": part.runs}).sort_by(
        [("day", "ascending"), ("client", "ascending"), ("run", "ascending")])
    days: dict[int, list[int]] = collections.defaultdict(list)
    for run, day in zip(table["run"].to_pylist(), table["day"].to_pylist(), strict=True):
        if len(days[day]) < most_runs:
            days[day].append(run)
    return dict(days)


def _reads(engine: Engine, part: Part, runs: collections.abc.Iterable[int]) -> dict[int, list[int]]:
    listed = ", ".join(map(str, runs))
    if not listed:
        return {}
    table = engine.query(_READS_OF_RUNS.format(runs=listed), {"reads": part.reads})
    table = table.sort_by([("run", "ascending"), ("rank", "ascending")])
    found: dict[int, list[int]] = collections.defaultdict(list)
    for run, asset in zip(table["run"].to_pylist(), table["asset"].to_pylist(), strict=True):
        found[run].append(asset)
    return found


class _Charged:
    """Runs by day, each with its seconds on the shipped packs."""

    def __init__(self, engine: Engine, part: Part, catalog: Catalog, drive: str, most_runs: int) -> None:
        self.catalog, self.drive = catalog, drive
        self.days = _runs_by_day(engine, part, most_runs)
        self.assets = _reads(engine, part, [run for runs in self.days.values() for run in runs])
        order = list(range(len(catalog.paths)))  # assets are numbered by their place in the packs
        seconds = _core.run_seconds(catalog.sizes_bytes, order, list(self.assets.values()), drive)
        self.seconds = dict(zip(self.assets, seconds, strict=True))

    def of_day(self, day: int) -> list[float]:
        return [self.seconds[run] for run in self.days[day] if run in self.seconds]

    def lost_seconds(self, day: int) -> float:
        runs = [self.assets[run] for run in self.days[day] if run in self.assets]
        _, best = _core.find_order(self.catalog.sizes_bytes, runs, self.drive)
        return statistics.fmean(self.of_day(day)) - best


def _drives(engine: Engine, data: DataSet) -> Drives | None:
    files = data.drives()
    if not files:
        return None
    clients: collections.Counter[int] = collections.Counter()
    for row in engine.query(_DRIVES, {"drives": files}).to_pylist():
        clients[row["media"]] = max(clients[row["media"]], row["clients"])
    latencies: dict[int, list[tuple[int, int]]] = collections.defaultdict(list)
    for row in engine.query(_LATENCIES, {"drives": files}).to_pylist():
        latencies[row["media"]].append((row["seek_us"], row["reports"]))
    known = clients[1] + clients[2]
    names = {0: "unknown", 1: "rotational", 2: "solid"}
    return Drives(sum(clients.values()), clients[1] / known if known else None,
                  {names[media]: _median(sorted(rows)) for media, rows in sorted(latencies.items())})


def _median(rows: list[tuple[int, int]]) -> int:
    left = (sum(count for _, count in rows) + 1) // 2
    for value, count in rows:
        left -= count
        if left <= 0:
            return value
    return 0


def _scenario(part: Part, now: _Charged, before: _Charged, since: int) -> ScenarioDrift:
    reference = [seconds for day in before.days for seconds in before.of_day(day)]
    watch = Watch(reference)
    days = []
    alarm = None
    for day in sorted(now.days):
        seconds = now.of_day(day)
        if day < since or not seconds:
            continue
        days.append(watch.add(day, seconds))
        if alarm is None and watch.is_alarmed:
            alarm = day
    lost = now.lost_seconds(days[-1].day) if alarm is not None else None
    return ScenarioDrift(part.build, part.scenario, watch.runs, watch.mean, days, alarm, lost)


def drift(data_set: typing.Any, catalog: Catalog, reference: typing.Any, *, engine: Engine | None = None,
          drive: str = "wd-black-1tb", most_runs: int = 200) -> Drift:
    """Compares `data_set` with `reference`, an earlier data set of the same build.

    catalog: the catalog of the shipped packs. most_runs: maximum number of runs per scenario and day, each from a
    different client.
    """
    engine = engine or DuckDb()
    data, other = DataSet(data_set), DataSet(reference)
    before = {part.scenario: part for part in other.parts() if part.build == catalog.build}
    found = []
    recorded: set[int] = set()
    names = set()
    for part in data.parts():
        if part.build != catalog.build:
            continue
        names.add(part.scenario)
        now = _Charged(engine, part, catalog, drive, most_runs)
        recorded.update(asset for run in now.assets.values() for asset in run)
        if part.scenario in before:
            then = _Charged(engine, before[part.scenario], catalog, drive, most_runs)
            if len(then.seconds) >= LEAST_REFERENCE_RUNS:
                found.append(_scenario(part, now, then, 0))
    return Drift(found, [name for name in catalog.scenarios if name not in names],
                 sum(map(bool, catalog.paths)) - len(recorded), _drives(engine, data))
