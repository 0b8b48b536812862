"""seekless in Python: packs, recordings, plans and simulations, with the same code as the tool.

    import seekless
    with seekless.open("packs") as packs:
        data = packs["texpages/page-14.png"]

docs/python.md has a tour.
"""

from seekless.commands import (Progress, SeeklessWarning, analyze, build, diff, emit, extract, import_traces, pack,
                               plan, profile, report, run, simulate, verify)
from seekless.errors import DamagedError, Error, NotFoundError, UsageError
from seekless.packs import PackSet, Part, open
from seekless.plots import plot_simulation, plot_trace
from seekless.results import Result
from seekless.tables import Trace, dialects, read_layout, read_profile, read_trace, trace_batches
from seekless._core import version as _version

__version__: str = _version()

__all__ = [
    "DamagedError", "Error", "NotFoundError", "PackSet", "Part", "Progress", "Result", "SeeklessWarning", "Trace",
    "UsageError", "__version__", "analyze", "build", "dialects", "diff", "emit", "extract", "import_traces", "open",
    "pack", "plan", "plot_simulation", "plot_trace", "profile", "read_layout", "read_profile", "read_trace", "report",
    "run", "simulate", "trace_batches", "verify",
]
