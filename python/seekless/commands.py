"""The tool's commands as functions.

Each takes the command line's arguments: files as positional arguments, options by name, with '_' for
'-' (`--read-ahead` is read_ahead). Pass True for an option without a value, and a list for one that is
repeated; None and False omit the option. `seekless COMMAND --help` lists the options. An unknown option
raises a UsageError.

All release the GIL, and stop soon after Ctrl-C without leaving a half-written file. A process runs one command at a
time: a second thread's command waits for the first.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import json
import os
import typing
import warnings

from seekless import _core
from seekless.errors import DamagedError, Error, UsageError
from seekless.results import Result

__all__ = ["Progress", "SeeklessWarning", "run", "analyze", "build", "diff", "emit", "extract", "import_traces",
           "pack", "plan", "profile", "report", "simulate", "verify"]

StrPath = str | os.PathLike[str]
Paths = StrPath | collections.abc.Iterable[StrPath]
Option = (str | os.PathLike[str] | int | float | bool | None
          | collections.abc.Iterable[str | os.PathLike[str] | int | float])


class SeeklessWarning(UserWarning):
    """A warning of a command."""


@dataclasses.dataclass(frozen=True)
class Progress:
    """The progress of a command.

    what: a verb, such as "packing".
    done_bytes: 0 if no bytes are counted.
    total_bytes: 0 if unknown.
    seconds: time since this step began.
    """

    what: str
    done_bytes: int
    total_bytes: int
    seconds: float

    @property
    def share(self) -> float | None:
        """Returns 0 to 1, or None if the total is unknown."""
        return min(1.0, self.done_bytes / self.total_bytes) if self.total_bytes else None


OnProgress = collections.abc.Callable[[Progress], object]

_ERRORS = {"failed": Error, "usage": UsageError, "damaged": DamagedError}


def _listed(paths: Paths | None) -> list[StrPath]:
    if paths is None:
        return []
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def _words(options: collections.abc.Mapping[str, Option]) -> list[str]:
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.strip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
            continue
        values = [value] if isinstance(value, (str, os.PathLike, int, float)) else list(value)
        for each in values:
            words.append(f"{option}={os.fspath(each) if isinstance(each, os.PathLike) else each}")
    return words


def run(command: str, *arguments: StrPath, progress: OnProgress | None = None, **options: Option) -> Result:
    """Runs any command that has an answer: `run("info", "packs")`, `run("drive list")`.

    progress: called about twenty times a second, on the calling thread. An exception that it raises stops the
        command, and is raised again by this function.
    Raises: UsageError, DamagedError, Error.
    """
    words = [*command.split(), *_words(options)]
    if arguments:
        words += ["--", *(os.fspath(argument) for argument in arguments)]
    told = None if progress is None else lambda *now: progress(Progress(*now))
    kind, message, answer, text, warned = _core.run([os.fsencode(word) for word in words], told)
    result = Result(json.loads(answer) if answer else {}, text, warned)
    if kind:
        error = _ERRORS[kind](message)
        error.result = result if answer else None
        raise error
    for warning in warned:
        warnings.warn(warning, SeeklessWarning, stacklevel=3)
    return result


def import_traces(traces: Paths, output: StrPath, *, progress: OnProgress | None = None,
                  **options: Option) -> Result:
    """Converts recordings of any dialect to seekless' own format. See read_trace for tables."""
    return run("import", *_listed(traces), progress=progress, output=output, **options)


def analyze(traces: Paths, *, progress: OnProgress | None = None, **options: Option) -> Result:
    """Measures how recordings read, and what could be gained."""
    return run("analyze", *_listed(traces), progress=progress, **options)


def profile(traces: Paths, *, content: Paths, output: StrPath, progress: OnProgress | None = None,
            **options: Option) -> Result:
    """Lists the content that each recorded scenario needs, in order. See read_profile."""
    return run("profile", *_listed(traces), progress=progress, content=_listed(content), output=output, **options)


def plan(traces: Paths | None = None, *, content: Paths, output: StrPath, profile: StrPath | None = None,
         progress: OnProgress | None = None, **options: Option) -> Result:
    """Decides which asset goes to which pack, and where. Takes either recordings or a profile."""
    return run("plan", *_listed(traces), progress=progress, content=_listed(content), output=output,
               profile=profile, **options)


def pack(layout: StrPath, output: StrPath, *, progress: OnProgress | None = None, **options: Option) -> Result:
    """Writes the packs of a layout."""
    return run("pack", layout, progress=progress, output=output, **options)


def build(project: StrPath = ".", *, progress: OnProgress | None = None, **options: Option) -> Result:
    """Runs all stages of a build file, each only if its inputs have changed."""
    return run("build", project, progress=progress, **options)


def verify(packs: Paths, *, progress: OnProgress | None = None, **options: Option) -> Result:
    """Checks every byte of pack sets. Damage raises a DamagedError, whose `result` lists it."""
    return run("verify", *_listed(packs), progress=progress, **options)


def diff(old: StrPath, new: StrPath, *, progress: OnProgress | None = None, **options: Option) -> Result:
    """Shows what changed from one pack set to another, and how large a patch is."""
    return run("diff", old, new, progress=progress, **options)


def simulate(traces: Paths, *, packs: StrPath | None = None, content: Paths | None = None,
             progress: OnProgress | None = None, **options: Option) -> Result:
    """Predicts how long recorded loads take on drives: as shipped (content), from packs or a layout, or both."""
    files = ([] if packs is None else [packs]) + _listed(traces)
    return run("simulate", *files, progress=progress, content=_listed(content), **options)


def report(packs: StrPath, traces: Paths, *, content: Paths, progress: OnProgress | None = None,
           **options: Option) -> Result:
    """Shows how much faster a pack set loads than the game as it was recorded; html="report.html" draws it."""
    return run("report", packs, *_listed(traces), progress=progress, content=_listed(content), **options)


def emit(layout: StrPath, *, progress: OnProgress | None = None, **options: Option) -> Result:
    """Writes the load order as a list for another packer."""
    return run("emit", layout, progress=progress, **options)


def extract(packs: StrPath, output: StrPath, *, progress: OnProgress | None = None, **options: Option) -> Result:
    """Writes a pack set's assets as files."""
    return run("extract", packs, progress=progress, output=output, **options)
