"""Traces, profiles and layouts as Arrow tables. The columns use the extension's memory."""

from __future__ import annotations

import collections.abc
import dataclasses
import os
import typing
import warnings

from seekless import _core
from seekless._needs import needed
from seekless.commands import SeeklessWarning, StrPath, _listed

if typing.TYPE_CHECKING:
    import pyarrow

__all__ = ["Trace", "dialects", "read_layout", "read_profile", "read_trace", "trace_batches"]

_KINDS = ["open", "read", "map"]


@dataclasses.dataclass(frozen=True)
class Trace:
    """A recording.

    events: one row per event: kind (open, read or map), start_ns since the recording began, duration_ns (null: not
        known), path, offset_bytes, length_bytes (null: the whole file), process, thread, os_error, run (0 before the
        first mark) and scenario.
    about: dialect, scenario, machine, program, lines, reads and the like.
    """

    events: pyarrow.Table
    about: dict[str, typing.Any]


def dialects() -> dict[str, str]:
    """Returns every dialect that can be read, with a description of how it looks."""
    return dict(_core.dialects())


def _array(kind: typing.Any, values: memoryview, valid: memoryview | None = None) -> typing.Any:
    arrow = needed("pyarrow", "arrow")
    bits = None if valid is None else arrow.py_buffer(valid)
    return arrow.Array.from_buffers(kind, len(values), [bits, arrow.py_buffer(values)])


def _named(numbers: memoryview, names: typing.Any, width: str = "int32") -> typing.Any:
    arrow = needed("pyarrow", "arrow")
    return arrow.DictionaryArray.from_arrays(_array(getattr(arrow, width)(), numbers), names)


class _Batches:
    """Converts the extension's columns to Arrow batches. The list of names grows from batch to batch."""

    def __init__(self) -> None:
        self.arrow = needed("pyarrow", "arrow")
        self.paths: list[str] = []
        self.kinds = self.arrow.array(_KINDS, self.arrow.string())

    def add(self, columns: dict[str, memoryview], new_paths: list[bytes], scenarios: list[str]) -> typing.Any:
        arrow = self.arrow
        self.paths += [path.decode("utf-8", "replace") for path in new_paths]
        paths = arrow.array(self.paths, arrow.string())
        return arrow.RecordBatch.from_pydict({
            "kind": _named(columns["kind"], self.kinds, "int8"),
            "start_ns": _array(arrow.int64(), columns["start_ns"]),
            "duration_ns": _array(arrow.int64(), columns["duration_ns"], columns["has_duration"]),
            "path": _named(columns["path"], paths),
            "offset_bytes": _array(arrow.uint64(), columns["offset_bytes"]),
            "length_bytes": _array(arrow.uint64(), columns["length_bytes"], columns["has_length"]),
            "process": _array(arrow.uint32(), columns["process"]),
            "thread": _array(arrow.uint32(), columns["thread"]),
            "os_error": _array(arrow.int32(), columns["os_error"]),
            "run": _array(arrow.uint32(), columns["run"]),
            "scenario": _named(columns["scenario"], arrow.array(scenarios, arrow.string())),
        })


Rules = str | collections.abc.Iterable[str]


def _read(path: StrPath, on_batch: collections.abc.Callable[[typing.Any], object], format: str, scenario: str,
          map: Rules | None, only: Rules | None, mark: Rules | None, split: Rules | None,
          lenient: bool) -> dict[str, typing.Any]:
    batches = _Batches()
    maps, globs, marks, splits = ([os.fspath(rule) for rule in _listed(rules)] for rules in (map, only, mark, split))
    about = _core.read_trace(os.fsencode(path), lambda *batch: on_batch(batches.add(*batch)), format, scenario,
                             maps, globs, marks, splits, lenient)
    for warning in about["warnings"]:
        warnings.warn(warning, SeeklessWarning, stacklevel=4)
    return about


def read_trace(path: StrPath, *, format: str = "", scenario: str = "", map: Rules | None = None,
               only: Rules | None = None, mark: Rules | None = None, split: Rules | None = None,
               lenient: bool = False) -> Trace:
    """Reads a recording of any dialect, plain or compressed, into memory: 57 bytes per event.

    The options are those of `seekless import`. format: the dialect's name; by default it is detected.
    map: replaces the start of paths ("FROM=TO"). only: keeps only matching paths. mark, split: begin scenarios.
    lenient: continues no matter how many lines can't be parsed.
    Raises: DamagedError, UsageError, Error. Warns: SeeklessWarning.
    """
    arrow = needed("pyarrow", "arrow")
    batches: list[typing.Any] = []
    about = _read(path, batches.append, format, scenario, map, only, mark, split, lenient)
    return Trace(arrow.Table.from_batches(batches).unify_dictionaries(), about)


def trace_batches(path: StrPath, on_batch: collections.abc.Callable[[pyarrow.RecordBatch], object], *,
                  format: str = "", scenario: str = "", map: Rules | None = None, only: Rules | None = None,
                  mark: Rules | None = None, split: Rules | None = None,
                  lenient: bool = False) -> dict[str, typing.Any]:
    """Like read_trace, but calls `on_batch` for each quarter of a million events, in constant memory.

    Returns Trace.about. An exception in the callback ends the reading.
    """
    return _read(path, on_batch, format, scenario, map, only, mark, split, lenient)


def read_profile(path: StrPath) -> pyarrow.Table:
    """Reads a profile into a table with one row per run and asset: scenario, run, recording, rank, path.

    run: number within the scenario. rank: the asset's position in its run, from 0.
    """
    arrow = needed("pyarrow", "arrow")
    columns = _core.profile_columns(os.fsencode(path))
    table: pyarrow.Table = arrow.table({
        "scenario": _named(columns["scenario"], arrow.array(columns["scenarios"], arrow.string())),
        "run": _array(arrow.uint32(), columns["run"]),
        "recording": _array(arrow.uint32(), columns["recording"]),
        "rank": _array(arrow.uint32(), columns["rank"]),
        "path": _named(columns["path"], arrow.array(columns["paths"], arrow.string())),
    })
    return table


def read_layout(path: StrPath) -> pyarrow.Table:
    """Reads a layout into a table with a row for each asset of each pack, in their order in the packs, including
    copies.

    scenarios: how many of the layout's scenarios read this copy.
    """
    arrow = needed("pyarrow", "arrow")
    columns = _core.layout_columns(os.fsencode(path))
    table: pyarrow.Table = arrow.table({
        "pack": _named(columns["pack"], arrow.array(columns["packs"], arrow.string())),
        "kind": _named(columns["pack"], arrow.array(columns["kinds"], arrow.string())).cast(arrow.string()),
        "rank": _array(arrow.uint32(), columns["rank"]),
        "path": arrow.array(columns["path"], arrow.string()),
        "size_bytes": _array(arrow.uint64(), columns["size_bytes"]),
        "scenarios": _array(arrow.uint32(), columns["scenarios"]),
    })
    return table
