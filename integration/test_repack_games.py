"""Unmodified games on repacked archives: Warzone 2100 and OpenArena load a map from them, in separate mount name
spaces. Skipped where a game, a display or the right to mount is missing."""
import os
import shutil
import time
from pathlib import Path

import pytest

from recorded_games import GAMES
from test_warzone_packs import colours

PATIENCE_S = 180
SECONDS_AFTER = 5
BACKGROUND_COLOURS = 200  # a menu or an empty screen shows fewer


def why_not(game):
    if not Path(game.module.GAME).exists() or not all((game.data / name).exists() for name in game.archives):
        return f"{game.name} isn't installed"
    if not game.archives or not game.traces:
        return f"no recordings of {game.name}"
    if shutil.which("Xvfb") is None:
        return "Xvfb isn't installed"
    if os.geteuid() != 0:
        return "mounting over the game's folder needs root"
    return None


@pytest.fixture(scope="module", params=["openarena", "warzone2100"])
def game(request):
    game = GAMES[request.param]
    if reason := why_not(game):
        pytest.skip(reason)
    return game


@pytest.fixture(scope="module", params=[[], ["--keep-compression"]], ids=["stored", "kept"])
def repacked(request, tool, game, tmp_path_factory):
    folder = tmp_path_factory.mktemp(game.name) / "archives"
    answer = tool.json("repack", *game.traces, "--content", *(game.data / name for name in game.archives),
                       "-o", folder, *request.param)
    assert all((folder / name).exists() for name in game.archives)
    assert all(archive["repacked"] for archive in answer["archives"])
    return folder


def test_an_unmodified_game_reaches_a_running_map(game, repacked, tmp_path):
    scenario = game.maps[0]
    with game.module.running(scenario, before=game.instead(repacked)) as running:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and running.process.poll() is None and not running.loaded_map():
            time.sleep(0.3)
        assert running.loaded_map(), running.log()
        time.sleep(SECONDS_AFTER)
        assert running.process.poll() is None, running.log()
        picture = tmp_path / "picture.xwd"
        running.save_picture(picture)
        assert colours(picture.read_bytes()) > BACKGROUND_COLOURS


def test_dry_run_tells_what_loads_gain(tool, game):
    answer = tool.json("repack", *game.traces, "--dry-run", "--content",
                       *(game.data / name for name in game.archives),
                       *(word for number, name in enumerate(game.archives)
                         for word in ("--place", f"{name}={60 * (number + 1)}G")))
    forecast = answer["forecast"]
    assert forecast["gone"] == []
    assert {of["name"] for of in forecast["scenarios"]} == set(game.module.SCENARIOS)
    for of in forecast["scenarios"]:
        assert of["held_out"] == (of["runs"] > 1)
        assert of["after"]["seconds"] < of["before"]["seconds"], of
