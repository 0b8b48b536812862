"""The commands' answers: the values of their JSON, as a mapping, as tables and as data frames."""

from __future__ import annotations

import collections.abc
import typing

from seekless._needs import needed

if typing.TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Result"]


class Result(collections.abc.Mapping[str, typing.Any]):
    """An answer, as schemas/ in the documentation describes it.

    text: what the command line would have printed.
    warnings: one line each.
    """

    def __init__(self, values: dict[str, typing.Any], text: str, warnings: list[str]) -> None:
        self._values = values
        self.text = text
        self.warnings = warnings

    def __getitem__(self, key: str) -> typing.Any:
        return self._values[key]

    def __iter__(self) -> collections.abc.Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<seekless.Result of {self._values.get('command', '?')}: {', '.join(self)}>"

    def table(self, key: str) -> pyarrow.Table:
        """Returns the list called `key` as an Arrow table with a row for each of its values.

        A group within a value becomes one column per member: `before.seconds`. Lists stay lists. To get a list within
        a list, use a key such as "drives/scenarios"; its rows then begin with the members of the outer row, as
        `drives.name`.
        """
        arrow = needed("pyarrow", "arrow")
        table: pyarrow.Table = arrow.Table.from_pylist(_rows(self._values, key.split("/")))
        return table

    def frame(self, key: str) -> pandas.DataFrame:
        """Like table, but returns a pandas data frame."""
        frame: pandas.DataFrame = needed("pandas", "frames").DataFrame.from_records(_rows(self._values, key.split("/")))
        return frame


def _flat(value: typing.Any, name: str = "") -> dict[str, typing.Any]:
    """Converts groups to columns, which are named by their path."""
    if not isinstance(value, dict):
        return {name or "value": value}
    flat: dict[str, typing.Any] = {}
    for key, inner in value.items():
        flat.update(_flat(inner, f"{name}.{key}" if name else key))
    return flat


def _is_plain(value: typing.Any) -> bool:
    return not isinstance(value, (dict, list))


def _rows(values: typing.Any, keys: list[str]) -> list[dict[str, typing.Any]]:
    inner = values[keys[0]]
    entries = inner if isinstance(inner, list) else [inner]
    if len(keys) == 1:
        return [_flat(entry) for entry in entries]
    rows = []
    for entry in entries:
        outer = {f"{keys[0]}.{key}": value for key, value in entry.items() if _is_plain(value)}
        rows += [{**outer, **row} for row in _rows(entry, keys[1:])]
    return rows
