"""`seekless play` says after a game, once, if `place` is forecast to bring more, by a tenth, than `play` itself."""
import json
import os
import subprocess

import pytest

import own_disks
from game import noise
from own_disks import MIB
from test_play import PYTHON, why_not
from test_play_auto import wait_for_layout
from tool import DONE, check_schema

REASON = own_disks.why_not() or why_not()
pytestmark = [pytest.mark.alone, pytest.mark.skipif(REASON is not None, reason=REASON or "")]
FILES = 90
READ_ALL = "import pathlib\nfor path in sorted(pathlib.Path('.').glob('f*')): path.read_bytes()\n"
READ_MUCH = READ_ALL + """
import os, random
file = os.open('much', os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
for page in random.Random(1).sample(range(16384), 4500): os.pread(file, 100, page * 4096)
"""


@pytest.fixture
def disk(tmp_path):
    with own_disks.mounted(tmp_path, "ext4", 512) as own:
        subprocess.run(["sync", "-f", own.folder], check=True)
        yield own.folder


@pytest.fixture
def game(disk):
    """Files between which others lie that no load reads; what is free is in one piece behind them."""
    folder = disk / "game"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"f{number:02}").write_bytes(noise(number, 200_000))
        (folder / f"between{number}").write_bytes(bytes(7 * MIB // 2))
        subprocess.run(["sync", "-f", disk], check=True)
    return folder


@pytest.fixture
def together(disk):
    folder = disk / "game"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"f{number:02}").write_bytes(noise(number, 200_000))
    subprocess.run(["sync", "-f", disk], check=True)
    return folder


@pytest.fixture
def environment(tmp_path):
    (tmp_path / "home").mkdir()
    return {**os.environ, "XDG_STATE_HOME": str(tmp_path / "home")}


@pytest.fixture
def played(tool, tmp_path, environment):
    def run(folder, *options, load=READ_ALL):
        answer = tool.run("play", "--always", "--json", tmp_path / "r.json", *options, folder, "--", *PYTHON, "-c", load, cwd=folder,
                          env=environment)
        assert answer.code == DONE, answer.err
        told = json.loads((tmp_path / "r.json").read_text())
        check_schema(told, "results/play")
        assert ("'seekless place' would" in answer.err) == ("advice" in told)
        return told, answer
    return run


def test_it_is_said_once_with_the_figures_of_advise(tool, game, played, environment):
    assert "advice" not in played(game)[0], "one run tells little"
    told, answer = played(game)
    advice = told["advice"]
    assert advice["way"] == "place" and advice["seconds"] <= 0.9 * advice["played_seconds"]
    assert f"to compare all ways: seekless advise {game}\n" in answer.err
    ways = {way["way"]: way for way in tool.json(*advice["compares"], env=environment)["ways"]}
    assert ways["play"]["seconds"] == pytest.approx(advice["played_seconds"], rel=0.01)
    assert ways["place"]["seconds"] == pytest.approx(advice["seconds"], rel=0.15), "the room may be another"
    assert "advice" not in played(game)[0], "it was said"
    tool.ok("play", "--forget", game, env=environment)
    played(game)
    assert "advice" in played(game)[0], "that was forgotten, too"


def test_it_is_not_said_where_copies_are_as_good(game, played, tmp_path):
    (tmp_path / "state").mkdir()
    for run in range(3):
        told, _ = played(game, "--auto", "--state", tmp_path / "state")
        assert "advice" not in told
        assert ("lays_out_after" in told) == (run == 1)
        wait_for_layout(tmp_path)
    assert told["foreseen"]["shadow_reads"] > 0


def test_it_is_not_said_of_files_that_lie_together(together, played):
    for _ in range(3):
        assert "advice" not in played(together)[0]


def test_it_is_not_said_of_a_game_whose_forecast_would_take_long(game, played):
    (game / "much").write_bytes(noise(7, 64 * MIB))
    for _ in range(2):
        assert "advice" not in played(game, load=READ_MUCH)[0]


def test_it_is_not_said_where_no_file_can_be_written(game, played, disk):
    played(game)
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    try:
        assert "advice" not in played(game)[0]
    finally:
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
