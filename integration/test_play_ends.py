"""`seekless play` ends with its game and with the game's exit code, even if a network folder mounted within the game's
folder stops answering."""
import os
import subprocess
import time

import pytest

import slow_network
from test_play import PYTHON, WAIT_S, folder, pytestmark  # noqa: F401
from test_play_start import without_device

pytestmark = [*pytestmark, pytest.mark.skipif(slow_network.why_not() is not None, reason=slow_network.why_not() or "")]
FAR = "other/far"
ENDS_S = 30
READ_BOTH = "import os\nopen('data', 'rb').read()\nfar = os.open('other/far', os.O_RDONLY)\nfor at in range(0, 9_000_000, 100_000): os.pread(far, 50_000, at)\n"
UNTIL_STOPPED = "print('ready', flush=True); input()\n"
# A read-ahead request; the program doesn't wait for it.
ASK_AHEAD = "os.posix_fadvise(far, 0, 9_000_000, os.POSIX_FADV_WILLNEED)\n"
END = "raise SystemExit(5)"


class Played:
    def __init__(self, tool, game, state, network):
        self.tool, self.game, self.state, self.network = tool, game, state, network

    def begin(self, text, options=(), front=()):
        words = self.tool.command("play", "--always", "--state", self.state, *options, self.game, "--", *PYTHON, "-c", text)
        return subprocess.Popen([*front, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.game)

    def learn(self, options=()):
        game = self.begin(READ_BOTH + END, options)
        _, err = game.communicate(timeout=WAIT_S)
        assert game.returncode == 5, err
        assert any(FAR.encode() in path.read_bytes() for path in self.state.rglob("*") if path.is_file())

    def ends(self, game):
        began = time.monotonic()
        try:
            _, err = game.communicate(b"\n", timeout=WAIT_S)
        except subprocess.TimeoutExpired:
            pytest.fail("it doesn't end while the server stands still")
        finally:
            self.network.go_on()
            game.wait()
        assert game.returncode == 5, err
        assert time.monotonic() - began < ENDS_S
        return err


@pytest.fixture
def played(tool, folder, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "far").write_bytes(os.urandom(9_000_000))
    with slow_network.mounted(source, folder / "other", 1, 100_000_000) as network:
        yield Played(tool, folder, tmp_path / "state", network)


@pytest.mark.parametrize("options", [[], ["--lay-out"], pytest.param(["--auto"], marks=pytest.mark.thorough)], ids=" ".join)
def test_what_was_learned_before_stands_still(played, options):
    played.learn()
    played.network.stop()
    played.ends(played.begin("open('data', 'rb').read(9)\n" + END, options))


@pytest.mark.skipif(os.geteuid() != 0, reason="hiding the device needs root")
def test_what_was_learned_before_stands_still_where_the_game_is_watched(played):
    played.learn()
    played.network.stop()
    played.ends(played.begin("open('data', 'rb').read(9)\n" + END, front=without_device()))


@pytest.mark.parametrize("options", [[], pytest.param(["--lay-out"], marks=pytest.mark.thorough),
                                     pytest.param(["--trace", "game.trace"], marks=pytest.mark.thorough)], ids=" ".join)
@pytest.mark.parametrize("last", [pytest.param("", marks=pytest.mark.thorough), ASK_AHEAD], ids=["read", "still_read"])
def test_what_this_run_has_read_stands_still(played, tmp_path, options, last):
    options = [str(tmp_path / word) if word.endswith("trace") else word for word in options]
    game = played.begin(READ_BOTH + UNTIL_STOPPED + last + END, options)
    assert game.stdout.readline() == b"ready\n"
    played.network.stop()
    played.ends(game)
