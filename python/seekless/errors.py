"""The package's exceptions. Each message names the file, the place, what was expected, what was found and what to
do."""

from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    from seekless.results import Result

__all__ = ["Error", "UsageError", "DamagedError", "NotFoundError"]


class Error(Exception):
    """The work couldn't be done.

    result: the command's answer before it failed; `verify` lists the damage that it found.
    """

    result: Result | None = None


class UsageError(Error, ValueError):
    """A call has unknown or contradictory arguments."""


class DamagedError(Error):
    """An input isn't what it claims to be."""


class NotFoundError(Error, LookupError):
    """A pack set has no such asset or scenario."""
