"""`seekless play` on a folder of another machine: sshfs over a relay with a round trip. Several reads are under way at
once, and if the server stops or disappears, the game waits no longer than without `play`."""
import hashlib
import json
import os
import subprocess
import threading
import time

import pytest

import slow_network
from game import noise
from test_play import PYTHON, WAIT_S, pytestmark  # noqa: F401

pytestmark = [*pytestmark, pytest.mark.skipif(slow_network.why_not() is not None, reason=slow_network.why_not() or "")]
ROUND_TRIP_MS, RATE = 10, 50_000_000
SIZE, PIECE = 6_000_000, 50_000
READ = """
import hashlib, os, sys
hashed, file = hashlib.sha256(), os.open(sys.argv[1], os.O_RDONLY)
for at in range(0, 6_000_000, 100_000): hashed.update(os.pread(file, 50_000, at))
print(hashed.hexdigest())
"""


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    (folder / "sub").mkdir(parents=True)
    (folder / "game.img").write_bytes(noise(1, SIZE))
    (folder / "sub" / "small").write_bytes(noise(2, 5_000))
    for file in (folder / "game.img", folder / "sub" / "small"):
        os.utime(file, (0, 0))  # times over the network are whole seconds, and new files aren't laid out
    return folder


@pytest.fixture
def wanted(source):
    image = (source / "game.img").read_bytes()
    return hashlib.sha256(b"".join(image[at:at + PIECE] for at in range(0, SIZE, 2 * PIECE))).hexdigest()


@pytest.fixture
def played(tool, source, tmp_path):
    """Plays with an empty page cache; returns the result and the output."""
    def run(path, *command, network_does=None, options=(), rate=RATE):
        with slow_network.mounted(source, tmp_path / "game", ROUND_TRIP_MS, rate) as network:
            if network_does is not None:
                threading.Thread(target=network_does, args=[network], daemon=True).start()
            words = tool.command("play", "--state", tmp_path / "state", "--json", tmp_path / "r.json", *options,
                                 tmp_path / "game" / path, "--", *command)
            done = subprocess.run(words, capture_output=True, text=True, cwd="/", timeout=WAIT_S)
        return json.loads((tmp_path / "r.json").read_text()), done
    return run


def test_what_was_learned_is_fetched_and_nothing_else(played, wanted, tmp_path):
    for _ in range(3):
        result, done = played("game.img", *PYTHON, "-c", READ, tmp_path / "game/game.img")
        assert done.stdout.strip() == wanted and result["was_served"], done.stderr
    pages = SIZE // (2 * PIECE) * (PIECE + 2 * 4096)
    assert SIZE // 2 <= result["foreseen"]["fetched_bytes"] <= 1.1 * pages


def test_loose_files_and_what_is_missing_are_served_too(played, source, tmp_path):
    command = ["sh", "-c", "cat sub/small game.img | sha256sum; test ! -e missing; ls"]
    for _ in range(2):
        result, done = played("", "env", "-C", tmp_path / "game", *command)
    whole = hashlib.sha256((source / "sub/small").read_bytes() + (source / "game.img").read_bytes()).hexdigest()
    assert done.stdout.split() == [whole, "-", "game.img", "sub"], done.stderr
    assert result["was_served"]


def test_laid_out_it_reads_the_copy(played, wanted, tmp_path):
    for options in ([], ["--lay-out"], []):
        result, done = played("game.img", *PYTHON, "-c", READ, tmp_path / "game/game.img", options=options)
        assert done.stdout.strip() == wanted, done.stderr
    assert result["foreseen"]["shadow_reads"] > 0


def test_a_server_that_stops_for_a_while_changes_nothing(played, wanted, tmp_path):
    def stop_for_a_while(network):
        network.wait_for_bytes(1_000_000)
        network.stop()
        threading.Timer(3, network.go_on).start()
    played("game.img", *PYTHON, "-c", READ, tmp_path / "game/game.img")
    for _ in range(2):
        _, done = played("game.img", *PYTHON, "-c", READ, tmp_path / "game/game.img", network_does=stop_for_a_while)
        assert done.stdout.strip() == wanted and done.returncode == 0, done.stderr


def test_a_game_that_ends_while_the_server_is_gone_is_not_kept(played, tmp_path):
    """Prefetches that are still under way are abandoned, because the server never answers again."""
    for _ in range(2):
        played("game.img", *PYTHON, "-c", READ, tmp_path / "game/game.img")
    ends = f"import pathlib, time\npathlib.Path('{tmp_path}/begun').touch(); time.sleep(1)"

    def stop_for_ever(network):
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        network.stop()
    _, done = played("game.img", *PYTHON, "-c", ends, network_does=stop_for_ever, rate=500_000)
    assert done.returncode == 0, done.stderr
