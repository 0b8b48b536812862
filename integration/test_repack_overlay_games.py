"""OpenArena, unmodified, with an overlay in the player's own folder: the game reads each of its files from it, in the
same order as before; and servers that check archives accept or refuse it. Skipped where the game, its server or a
display is missing."""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

import openarena
from recorded_games import GAMES

GAME = GAMES["openarena"]
SERVER = "/usr/games/openarena-server"
PATIENCE_S = 120
FOUND = re.compile(r"FS_FOpenFileRead: (\S+) \(found in '(.*)'\)")


def why_not():
    if not Path(openarena.GAME).exists() or not GAME.archives:
        return "OpenArena isn't installed"
    if not GAME.traces:
        return "no recordings of OpenArena"
    if shutil.which("Xvfb") is None:
        return "Xvfb isn't installed"
    return None


pytestmark = pytest.mark.skipif(why_not() is not None, reason=why_not() or "")
needs_server = pytest.mark.skipif(not Path(SERVER).exists(), reason="openarena-server isn't installed")


@pytest.fixture(scope="module")
def overlay(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("overlay")
    answer = tool.json("repack", *GAME.traces, "--content", GAME.data, "--overlay", GAME.overlay, "-o", folder)
    assert answer["overlay"]["left_out"] == []
    return folder / GAME.overlay


def play(*beside, until, command=None):
    """Returns the log of a game that logs where it found every file; `until` says when to stop."""
    settings = {"fs_debug": 1}
    with openarena.running("map/oa_dm1", beside=beside, settings=settings, command=command) as running:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and running.process.poll() is None and not until(running):
            time.sleep(0.3)
        assert until(running), running.log()[-3000:]
        return running.log()


def found(log):
    """Returns (file, archive) in the order in which they were opened."""
    return [(name.lower().replace("\\", "/"), Path(place).name) for name, place in FOUND.findall(log)]


def in_game(running):
    return running.loaded_map()


def test_every_file_comes_from_the_overlay_and_in_the_same_order(overlay):
    without = found(play(until=in_game))
    with_it = found(play(overlay, until=in_game))
    held = {name.lower() for name in zipfile.ZipFile(overlay).namelist()}
    assert len(with_it) > 700
    assert {archive for name, archive in with_it if name in held} == {overlay.name}
    assert all(name in held for name, _ in without)
    shorter = min(len(without), len(with_it))
    assert [name for name, _ in with_it[:shorter]] == [name for name, _ in without[:shorter]]


@contextlib.contextmanager
def pure_server(home, port, *beside):
    (home / "baseoa").mkdir(parents=True)
    for archive in beside:
        (home / "baseoa" / archive.name).symlink_to(archive)
    child = subprocess.Popen([SERVER, *(str(word) for word in (
        "+set", "dedicated", 1, "+set", "sv_pure", 1, "+set", "net_port", port, "+set", "fs_homepath", home,
        "+map", "oa_dm1"))], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True)
    time.sleep(5)
    try:
        yield ["+connect", f"127.0.0.1:{port}"]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


@needs_server
def test_a_player_with_an_overlay_joins_a_pure_server_and_reads_the_originals(overlay, tmp_path):
    with pure_server(tmp_path / "server", 27911) as connect:
        log = play(overlay, until=in_game, command=connect)
    joined = found(log[log.index("127.0.0.1"):])
    assert joined and overlay.name not in {archive for _, archive in joined}


@needs_server
def test_a_pure_server_with_an_overlay_turns_others_away(overlay, tmp_path):
    with pure_server(tmp_path / "server", 27912, overlay) as connect:
        log = play(until=lambda running: "Unpure client detected" in running.log(), command=connect)
    assert "entered the game" not in log
