"""Proofs that players send: their sum, and files that aren't proofs."""

from __future__ import annotations

import json
import pathlib

import pytest

pytest.importorskip("seekless")
from seekless.fleet.proofs import add_up_proofs  # noqa: E402


def side(measured: float, predicted: float) -> dict[str, float]:
    return {"median_s": measured, "predicted_s": predicted}


def proof(folder: pathlib.Path, name: str, gain: float, *, disturbed: bool = False, **more: object) -> pathlib.Path:
    path = folder / f"{name}.json"
    values = {"seekless": "proof", "version": 1, "way": "packs", "others": {"disturbed": disturbed},
              "loads": [{"before": side(gain, gain * 0.9), "after": side(1, 1.02)}], **more}
    path.write_text(json.dumps(values))
    return path


def test_proofs_are_added_up(tmp_path: pathlib.Path) -> None:
    files = [proof(tmp_path, str(gain), gain, disturbed=gain == 2) for gain in (2, 4, 6)]
    found = add_up_proofs(files)
    assert (found.proofs, found.loads, found.disturbed) == (3, 3, 1)
    assert found.median_gain == 4 and found.least_gain == 2
    assert found.before_off == pytest.approx(0.1) and found.after_off == pytest.approx(0.02)
    assert found.ways == {"packs": 3} and found.set_aside == {}


def test_ways_are_told_apart(tmp_path: pathlib.Path) -> None:
    files = [proof(tmp_path, way, 3, way=way) for way in ("packs", "repack", "place", "else")]
    found = add_up_proofs([*files, *files[:1]])
    assert found.ways == {"packs": 2, "place": 1, "repack": 1} and found.set_aside == {"a part is missing": 1}


def test_what_is_no_proof_is_set_aside(tmp_path: pathlib.Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(bytes(range(256)))
    files = [binary, proof(tmp_path, "good", 3), proof(tmp_path, "version", 3, version=2),
             proof(tmp_path, "other", 3, seekless="trace"), proof(tmp_path, "parts", 3, loads=[{"before": {}}]),
             proof(tmp_path, "none", 3, loads=[]), proof(tmp_path, "nan", float("nan")), proof(tmp_path, "endless", 1e300),
             proof(tmp_path, "negative", -1)]
    found = add_up_proofs(files)
    assert found.proofs == 1
    assert found.set_aside == {"a part is missing": 2, "a time that can't be": 3, "another version": 1, "not JSON": 1,
                               "not a proof": 1}


def test_nothing_is_no_gain(tmp_path: pathlib.Path) -> None:
    assert add_up_proofs([]).median_gain is None
