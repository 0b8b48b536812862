"""Plots results with matplotlib."""

from __future__ import annotations

import typing

from seekless._needs import needed

if typing.TYPE_CHECKING:
    import matplotlib.axes

    from seekless.results import Result
    from seekless.tables import Trace

__all__ = ["plot_simulation", "plot_trace"]


def _axes(axes: matplotlib.axes.Axes | None) -> typing.Any:
    return needed("matplotlib.pyplot", "plots").subplots()[1] if axes is None else axes


def plot_simulation(result: Result, *, drive: int = 0, axes: matplotlib.axes.Axes | None = None) -> typing.Any:
    """Plots the answer of simulate(): seconds of each scenario on a drive, as shipped and from packs."""
    axes = _axes(axes)
    of = result["drives"][drive]
    names = [scenario["name"] for scenario in of["scenarios"]]
    series = [(key, label) for key, label in (("today", "as shipped"), ("packs", "from packs"))
              if any(scenario.get(key) for scenario in of["scenarios"])]
    height = 0.8 / max(1, len(series))
    for number, (key, label) in enumerate(series):
        seconds = [(scenario.get(key) or {}).get("seconds", 0) for scenario in of["scenarios"]]
        axes.barh([place + number * height for place in range(len(names))], seconds, height, label=label)
    axes.set_yticks([place + height * (len(series) - 1) / 2 for place in range(len(names))], names)
    axes.invert_yaxis()
    axes.set_xlabel(f"seconds on {of['name']}")
    axes.legend()
    return axes


def plot_trace(trace: Trace, *, axes: matplotlib.axes.Axes | None = None) -> typing.Any:
    """Plots where a recording reads, over time, with a colour for each of the six most-read files."""
    compute = needed("pyarrow.compute", "arrow")
    axes = _axes(axes)
    events = trace.events.filter(compute.equal(trace.events["kind"], "read"))
    counts: list[dict[str, typing.Any]] = compute.value_counts(events["path"]).to_pylist()
    most = [row["values"] for row in sorted(counts, key=lambda row: -row["counts"])[:6]]
    for path in most:
        rows = events.filter(compute.equal(events["path"], path))
        axes.scatter(compute.divide(compute.cast(rows["start_ns"], "float64"), 1e9).to_numpy(),
                     compute.divide(compute.cast(rows["offset_bytes"], "float64"), 1e6).to_numpy(), s=2, label=path)
    axes.set_xlabel("seconds")
    axes.set_ylabel("offset, MB")
    axes.legend(markerscale=4, fontsize="small")
    return axes
