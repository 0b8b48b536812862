"""`seekless play --auto`: lays out by itself, in the background after the game; and --forget-unused removes unused
states."""
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from game import noise
from test_play import PYTHON, WAIT_S, folder, many, pieces_far_apart, pytestmark  # noqa: F401
from tool import DONE, USAGE



@pytest.fixture
def load(many):
    return pieces_far_apart(many)


@pytest.fixture
def played(tool, many, load, tmp_path):
    def run(*options, wait=True):
        answer = tool.run("play", "--always", "--state", tmp_path / "state", "--json", tmp_path / "r.json", *options, many, "--",
                          *PYTHON, "-c", load, cwd=many)
        assert answer.code == DONE, answer.err
        if wait:
            wait_for_layout(tmp_path)
        return json.loads((tmp_path / "r.json").read_text()), answer
    return run


def layers():
    """Returns the processes that lay out, and their states' folders."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "comm").read_text() == "seekless-layout\n":
                found.append((int(process.name), (process / "cmdline").read_bytes().split(b"\0")))
        except OSError:
            pass
    return found


def own_layers(tmp_path):
    return [process for process, words in layers() if str(tmp_path / "state").encode() in words]


def wait_for_layout(tmp_path):
    """Waits until no such process runs. A new process gets its name only a moment after its start."""
    quiet_since = time.monotonic()
    while time.monotonic() - quiet_since < 1:
        if own_layers(tmp_path):
            quiet_since = time.monotonic()
        time.sleep(0.05)


def shadow(tmp_path):
    return list((tmp_path / "state").glob("*/shadow-*"))


def test_it_lays_out_once_that_wins_and_says_what_it_brought(tool, played, many, tmp_path):
    first, _ = played("--auto")
    assert "lays_out_after" not in first and not shadow(tmp_path)
    second, answer = played("--auto")
    assert second["lays_out_after"] and "shadow_bytes" not in second
    assert "laying out, in the background" in answer.err
    assert len(shadow(tmp_path)) == 1
    assert second["first_waited_s"] > 0 and second["last_waited_s"] > 0
    third, _ = played("--auto")
    assert "lays_out_after" not in third and third["foreseen"]["shadow_reads"] > 0
    assert not own_layers(tmp_path)


def test_nobody_waits_for_it_and_it_holds_nothing(tool, many, load, played, tmp_path):
    """A program that reads the game's output to its end doesn't have to wait, and the process survives the end of its
    session."""
    played()
    done = subprocess.run(["setsid", "--wait", *tool.command("play", "--auto", "--always", "--state", tmp_path / "state", many, "--", *PYTHON, "-c", load)],
                          cwd=many, capture_output=True, timeout=WAIT_S)
    assert done.returncode == DONE
    wait_for_layout(tmp_path)
    assert len(shadow(tmp_path)) == 1


def test_a_new_run_ends_it(tool, played, many, tmp_path):
    """A process of that name that holds the state's lock stands for one that takes long."""
    played()
    state, = (tmp_path / "state").iterdir()
    text = ("import ctypes, fcntl, os, time\nctypes.CDLL(None).prctl(15, b'seekless-layout', 0, 0, 0)\n"
            f"fcntl.flock(os.open({str(state)!r}, os.O_RDONLY), fcntl.LOCK_EX)\nprint('locked', flush=True)\ntime.sleep(100)")
    holder = subprocess.Popen([*PYTHON, "-c", text], stdout=subprocess.PIPE)
    assert holder.stdout.readline() == b"locked\n"
    tool.json("play", many, "--state", tmp_path / "state", "--status")  # --status doesn't end the process
    assert holder.poll() is None
    told, answer = played()
    assert "nothing is" not in answer.err and told["scenarios"] >= 1, answer.err
    assert holder.wait(WAIT_S) == -15


def test_without_a_game_it_lays_out_now(tool, played, many, tmp_path):
    played()
    told = tool.json("play", "--lay-out", many, "--state", tmp_path / "state")
    assert told["shadow_bytes"] > 0 and len(shadow(tmp_path)) == 1
    assert tool.run("play", "--lay-out", "--auto", many, "--", "true").code == USAGE


def test_what_is_gone_or_was_not_played_for_long_is_forgotten_at_once(tool, played, many, folder, tmp_path):
    state = ["--state", tmp_path / "state"]
    games = {name: tmp_path / name for name in ("kept", "gone", "old")}
    for game in games.values():
        game.mkdir()
        (game / "data").write_bytes(noise(1, 100_000))
        tool.run("play", "--always", *state, game, "--", "cat", game / "data")
    shutil.rmtree(games["gone"])
    kept = {game["folder"]: game for game in tool.json("play", "--list", *state)["kept"]}
    long_ago = time.time() - 91 * 24 * 3600
    for file in Path(kept[str(games["old"])]["state"]).iterdir():
        os.utime(file, (long_ago, long_ago))
    unused = {game["folder"] for game in tool.json("play", "--status", *state)["kept"] if game["is_unused"]}
    assert unused == {str(games["gone"]), str(games["old"])}
    assert "play --forget-unused" in tool.ok("play", "--status", *state).text
    told = tool.json("play", "--forget-unused", *state)["forgotten"]
    assert {game["folder"] for game in told} == unused
    left = [game["folder"] for game in tool.json("play", "--status", *state)["kept"]]
    assert left == [str(games["kept"])]
    assert "forget-unused" not in tool.ok("play", "--status", *state).text
    assert tool.json("play", "--forget-unused", *state)["forgotten"] == []
