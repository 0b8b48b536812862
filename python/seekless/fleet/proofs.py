"""proofs: adds up what 'seekless prove --upload-file' wrote on players' machines (schemas/proof.schema.json)."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import json
import math
import pathlib
import statistics
import typing

from seekless.commands import StrPath

__all__ = ["Proofs", "add_up_proofs"]

VERSION = 1
WAYS = ("packs", "repack", "place")
_MOST_BYTES = 4 << 20  # of a file; one with a thousand loads has a tenth of that
_MOST_SECONDS = 86_400.0


@dataclasses.dataclass(frozen=True)
class Proofs:
    """The sum of many proofs. A gain is seconds before / seconds after, over all loads of a proof."""

    proofs: int
    loads: int
    disturbed: int
    ways: dict[str, int]
    """Counts the proofs of packs, of rewritten archives (repack) and of placed files (place)."""
    median_gain: float | None
    least_gain: float | None
    """A tenth of the proofs have at most this gain."""
    before_off: float | None
    """The median of the prediction's absolute relative error."""
    after_off: float | None
    set_aside: dict[str, int]


class _Refused(Exception):
    """Says why a file isn't a proof."""


@dataclasses.dataclass(frozen=True)
class _Proof:
    way: str
    loads: int
    is_disturbed: bool
    measured: tuple[float, float]
    predicted: tuple[float, float]


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Refused("a time that isn't a number")
    if not math.isfinite(value) or not 0 < value <= _MOST_SECONDS:
        raise _Refused("a time that can't be")
    return float(value)


def _read(path: pathlib.Path) -> _Proof:
    with path.open("rb") as file:
        text = file.read(_MOST_BYTES + 1)
    if len(text) > _MOST_BYTES:
        raise _Refused("too long")
    try:
        values: typing.Any = json.loads(text)
    except (ValueError, RecursionError):
        raise _Refused("not JSON") from None
    if not isinstance(values, dict) or values.get("seekless") != "proof":
        raise _Refused("not a proof")
    if values.get("version") != VERSION:
        raise _Refused("another version")
    try:
        loads = values["loads"]
        sums = {(side, of): sum(_seconds(load[side][of]) for load in loads)
                for side in ("before", "after") for of in ("median_s", "predicted_s")}
        disturbed, way = values["others"]["disturbed"], values["way"]
    except (KeyError, TypeError):
        raise _Refused("a part is missing") from None
    if not loads or not isinstance(disturbed, bool) or way not in WAYS:
        raise _Refused("a part is missing")
    return _Proof(way, len(loads), disturbed, (sums["before", "median_s"], sums["after", "median_s"]),
                  (sums["before", "predicted_s"], sums["after", "predicted_s"]))


def _off(proof: _Proof, side: int) -> float:
    return abs(proof.predicted[side] / proof.measured[side] - 1)


def add_up_proofs(paths: collections.abc.Iterable[StrPath]) -> Proofs:
    """Reads the files, and sets aside those that aren't proofs."""
    proofs: list[_Proof] = []
    set_aside: collections.Counter[str] = collections.Counter()
    for path in paths:
        try:
            proofs.append(_read(pathlib.Path(path)))
        except _Refused as refused:
            set_aside[str(refused)] += 1
    gains = sorted(proof.measured[0] / proof.measured[1] for proof in proofs)
    return Proofs(
        proofs=len(proofs), loads=sum(proof.loads for proof in proofs),
        disturbed=sum(proof.is_disturbed for proof in proofs),
        ways=dict(sorted(collections.Counter(proof.way for proof in proofs).items())),
        median_gain=statistics.median(gains) if gains else None,
        least_gain=gains[(len(gains) - 1) // 10] if gains else None,
        before_off=statistics.median(_off(proof, 0) for proof in proofs) if proofs else None,
        after_off=statistics.median(_off(proof, 1) for proof in proofs) if proofs else None,
        set_aside=dict(sorted(set_aside.items())))
