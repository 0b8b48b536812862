"""`seekless fleet`: collect, aggregate, drift, proofs.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 input damaged, 4 drift: something has drifted.
"""

from __future__ import annotations

import argparse
import collections.abc
import dataclasses
import json
import pathlib
import sys

from seekless.errors import DamagedError, Error, UsageError
from seekless.fleet.aggregate import Settings, Statistics, aggregate, merge
from seekless.fleet.catalog import Catalog
from seekless.fleet.collect import MOST_RUNS_LIMIT, collect
from seekless.fleet.drift import Drift, drift
from seekless.fleet.engines import engine_called
from seekless.fleet.page import drift_page
from seekless.fleet.profiles import write_profile
from seekless.fleet.proofs import add_up_proofs

__all__ = ["main"]

DRIFTED = 4


def _collect(arguments: argparse.Namespace) -> int:
    catalogs = [Catalog.read(path) for path in arguments.packs]
    done = collect(arguments.uploads, catalogs, arguments.output, salt=arguments.salt, most_runs=arguments.most_runs)
    print(f"{arguments.output}: {done.runs} runs of {done.clients} clients, {done.opens} opens, from {done.uploads} uploads")
    for reason, count in done.set_aside.items():
        print(f"  set aside: {count} ({reason})")
    for count, what in ((done.broken_runs, "runs left out: a part of them is missing or says what can't be"),
                        (done.cut_off, "uploads were cut off; what came before is taken"),
                        (done.repeated_runs, "runs came more than once"),
                        (done.runs_beyond_share, f"runs were more than {arguments.most_runs} of one client and scenario")):
        if count:
            print(f"  {count} {what}")
    _write_json(arguments.json, {"command": "fleet collect", **dataclasses.asdict(done)})
    return 0


def _statistics(arguments: argparse.Namespace) -> Statistics:
    engine = engine_called(arguments.engine, memory=arguments.memory, threads=arguments.threads)
    settings = Settings(exemplars=arguments.exemplars)
    added_up = [folder for folder in arguments.inputs if (pathlib.Path(folder) / "statistics.json").exists()]
    data_sets = [folder for folder in arguments.inputs if folder not in added_up]
    parts = [Statistics.read(folder) for folder in added_up]
    if data_sets:
        parts.append(aggregate(data_sets, engine=engine, settings=settings))
    return parts[0] if len(parts) == 1 else merge(parts)


def _aggregate(arguments: argparse.Namespace) -> int:
    if arguments.profile and not arguments.packs:
        raise UsageError("--profile: expected --packs, whose paths the profile names, found none")
    statistics = _statistics(arguments)
    statistics.write(arguments.output)
    for row in statistics.tables["scenarios"].to_pylist():
        print(f"{row['build']} {row['scenario']}: {row['runs']} runs of {row['clients']} clients")
    if arguments.profile:
        write_profile(statistics, Catalog.read(arguments.packs), arguments.profile, least_clients=arguments.least_clients)
        print(f"{arguments.profile}: for 'seekless plan --profile'")
    return 0


def _drift(arguments: argparse.Namespace) -> int:
    engine = engine_called(arguments.engine, memory=arguments.memory, threads=arguments.threads)
    found = drift(arguments.fleet, Catalog.read(arguments.packs), arguments.reference, engine=engine, drive=arguments.drive,
                  most_runs=arguments.runs)
    _tell(found)
    _write_json(arguments.json, {"command": "fleet drift", **dataclasses.asdict(found)})
    if arguments.html:
        pathlib.Path(arguments.html).write_text(drift_page(found), encoding="utf-8")
    return DRIFTED if found.alarms else 0


def _proofs(arguments: argparse.Namespace) -> int:
    found = add_up_proofs(arguments.proofs)
    ways = ", ".join(f"{count} of {way}" for way, count in found.ways.items())
    print(f"{found.proofs} proofs{f' ({ways})' if ways else ''} of {found.loads} loads; {found.disturbed} disturbed by other programs")
    for reason, count in found.set_aside.items():
        print(f"  set aside: {count} ({reason})")
    if found.median_gain is not None and found.least_gain is not None:
        print(f"loads became {found.median_gain:.1f} times as fast (median); a tenth of the proofs at most {found.least_gain:.1f}")
    if found.before_off is not None and found.after_off is not None:
        print(f"the drive model was off by {found.before_off:.1%} before and {found.after_off:.1%} after (median)")
    _write_json(arguments.json, {"command": "fleet proofs", **dataclasses.asdict(found)})
    return 0


def _tell(found: Drift) -> None:
    for scenario in found.scenarios:
        if scenario.alarm_day is None:
            print(f"{scenario.scenario}: as planned, {scenario.reference_seconds:.2f} s")
        else:
            print(f"{scenario.scenario}: DRIFTED, {scenario.reference_seconds:.2f} s when it was planned, now "
                  f"{scenario.days[-1].seconds:.2f} s; planned anew it would be {scenario.lost_seconds or 0:.2f} s less")
    if found.unrecorded_scenarios:
        print(f"nobody recorded: {', '.join(found.unrecorded_scenarios)}")
    if found.drives is not None and found.drives.rotational_share is not None:
        print(f"rotational drives: {found.drives.rotational_share:.0%} of clients that know theirs")


def _write_json(path: str | None, values: dict[str, object]) -> None:
    if path is None:
        return
    text = json.dumps(values, indent=2) + "\n"
    if path == "-":
        sys.stdout.write(text)
    else:
        pathlib.Path(path).write_text(text, encoding="utf-8")


def _add_engine(command: argparse.ArgumentParser) -> None:
    command.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb",
                         help="the program that answers the queries [%(default)s]")
    command.add_argument("--memory", help="memory limit for DuckDB [250MB for each thread]")
    command.add_argument("--threads", type=int, help="number of threads [one per core]")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="seekless fleet",
                                     description="Collects and analyses what many players' machines read.")
    commands = parser.add_subparsers(dest="command", required=True)

    command = commands.add_parser("collect", help="collect uploads in a data set of Parquet files")
    command.add_argument("uploads", nargs="+", help="files, folders or prefixes such as s3://bucket/uploads")
    command.add_argument("--packs", action="append", required=True, help="a shipped pack set; may be repeated")
    command.add_argument("-o", "--output", required=True, help="a new folder for the data set")
    command.add_argument("--salt", type=int, default=0, help="a secret number that you choose")
    command.add_argument("--most-runs", type=int, default=MOST_RUNS_LIMIT,
                         help="maximum number of runs of one client and scenario [%(default)s]")
    command.add_argument("--json", help="the result as JSON; '-' is stdout")
    command.set_defaults(run=_collect)

    command = commands.add_parser("aggregate", help="add up data sets or statistics, and make a profile")
    command.add_argument("inputs", nargs="+", help="folders written by collect or aggregate")
    command.add_argument("-o", "--output", required=True, help="a folder for the statistics")
    command.add_argument("--exemplars", type=int, default=Settings.exemplars,
                         help="number of whole runs to keep of each scenario [%(default)s]")
    command.add_argument("--profile", help="also write a profile to this file")
    command.add_argument("--packs", help="the recorded pack set, which knows the paths")
    command.add_argument("--least-clients", type=int, default=5,
                         help="leave out assets that fewer clients have read [%(default)s]")
    _add_engine(command)
    command.set_defaults(run=_aggregate)

    command = commands.add_parser("drift", help="compare what the fleet reads now with the shipped packs")
    command.add_argument("fleet", help="a data set")
    command.add_argument("--packs", required=True, help="the shipped pack set")
    command.add_argument("--reference", required=True, help="the data set that the packs were planned from")
    command.add_argument("--drive", default="wd-black-1tb", help="drive profile for predictions [%(default)s]")
    command.add_argument("--runs", type=int, default=200, help="maximum number of runs per scenario and day [%(default)s]")
    command.add_argument("--html", help="also write an HTML page to this file")
    command.add_argument("--json", help="the result as JSON; '-' is stdout")
    _add_engine(command)
    command.set_defaults(run=_drift)

    command = commands.add_parser("proofs", help="add up what 'seekless prove' measured on players' disks")
    command.add_argument("proofs", nargs="+", help="files of 'seekless prove --upload-file'")
    command.add_argument("--json", help="the result as JSON; '-' is stdout")
    command.set_defaults(run=_proofs)
    return parser


def main(words: collections.abc.Sequence[str]) -> int:
    arguments = _parser().parse_args(words)
    try:
        code: int = arguments.run(arguments)
        return code
    except Error as error:
        print(f"seekless: error: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 3 if isinstance(error, DamagedError) else 1
    except (OSError, ImportError) as error:
        print(f"seekless: error: {error}", file=sys.stderr)
        return 1
    except MemoryError:
        print("seekless: error: out of memory", file=sys.stderr)
        return 1
