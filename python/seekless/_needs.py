"""Imports packages that only some of the functions need, when those functions are called."""

from __future__ import annotations

import importlib
import typing

__all__ = ["needed"]


def needed(name: str, extra: str) -> typing.Any:
    """Returns the module `name`; if it is missing, the error says what to install."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.split(".", maxsplit=1)[0]:
            raise
        raise ModuleNotFoundError(
            f"this needs {name}: pip install 'seekless[{extra}]'", name=error.name) from None
