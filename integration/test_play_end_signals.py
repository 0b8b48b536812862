"""If a signal reaches `seekless play` while it stores what it learned, it still ends with its game's exit code, and
stores everything."""
import contextlib
import json
import os
import pty
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

import page_cache
from test_play import PYTHON, ROOT_ONLY, WAIT_S, folder, pytestmark  # noqa: F401
from test_play_start import without_device

GAME = "import os\nopen('data', 'rb').read()\nprint(os.getpid(), flush=True)\nopen(os.environ['GO']).read()\nraise SystemExit(5)"
SERVER = "seekless-serve"
NEEDS_STRACE = pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")


def wait_until(is_so):
    until = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.001)


def children_of(process):
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def status_of(process):
    try:
        return Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return f"{process} () "


def name_of(process):
    return status_of(process).split("(")[1].split(")")[0]


def state_of(process):
    return status_of(process).rsplit(") ", 1)[1][:1]


class Run:
    """A game under `play` that ends on request. While the server is stopped, nothing is stored; `play` wakes it after
    two seconds of silence."""

    def __init__(self, tool, game, where, options, front, terminal=None):
        self.state, self.go = where / "state", where / "go"
        os.mkfifo(self.go)
        if "--always" in options:
            page_cache.forget(game)
        words = [*front, *tool.command("play", *options, "--state", self.state, game, "--", *PYTHON, "-c", GAME)]
        streams = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, "start_new_session": True}
        if terminal is not None:
            words = ["setsid", "--ctty", "--wait", *words]
            streams = {"stdin": terminal, "stderr": subprocess.PIPE}
        self.started = subprocess.Popen(words, stdout=subprocess.PIPE, cwd=game, env={**os.environ, "GO": str(self.go)}, **streams)
        self.game = int(self.started.stdout.readline())
        self.play = int(status_of(self.game).rsplit(")", 1)[1].split()[1])
        self.server = next((child for child in children_of(self.play) if name_of(child) == SERVER), None)

    def end_game(self):
        """Ends the game; returns once `play` knows that it has ended."""
        self.go.write_text("")
        wait_until(lambda: state_of(self.game) == "")

    def end_game_with_stopped_server(self):
        os.kill(self.server, signal.SIGSTOP)
        self.end_game()

    def ends(self):
        assert self.started.wait(WAIT_S) == 5
        if self.server is not None:
            wait_until(lambda: state_of(self.server) in "Z")
        return self.started.stderr.read().decode()

    def close(self):
        if self.started.poll() is None:
            self.started.kill()
        if self.server is not None and state_of(self.server) == "T":
            os.kill(self.server, signal.SIGKILL)

    def learned(self):
        kept, = self.state.rglob("learned.json")
        assert "data" in json.loads(kept.read_text())["files"]

    def laid_out(self):
        return list(self.state.rglob("shadow-*"))


@pytest.fixture
def begin(tool, folder, tmp_path):
    with contextlib.ExitStack() as stack:
        def begun(options, front, *terminal):
            run = Run(tool, folder, tmp_path, options, front, *terminal)
            stack.callback(run.close)
            return run
        yield begun


@pytest.fixture(params=["served", pytest.param("watched", marks=ROOT_ONLY)])
def front(request):
    return without_device() if request.param == "watched" else []


@pytest.mark.parametrize("name", ["TERM", "HUP", "INT", "QUIT", "USR1", "USR2"])
def test_a_signal_while_it_keeps_what_was_learned_takes_no_exit_code(begin, front, name):
    run = begin(["--always"], ["env", f"--default-signal={name}", *front])
    run.end_game_with_stopped_server()
    os.kill(run.play, getattr(signal, f"SIG{name}"))
    run.ends()
    run.learned()


def test_after_a_second_one_it_ends_at_once_and_its_server_keeps_it(begin, front):
    run = begin(["--always"], front)
    run.end_game_with_stopped_server()
    os.kill(run.play, signal.SIGTERM)
    os.kill(run.play, signal.SIGHUP)
    run.started.wait(WAIT_S)
    with contextlib.suppress(ProcessLookupError):  # on a busy machine, `play` may have woken it
        os.kill(run.server, signal.SIGCONT)
    run.ends()
    run.learned()


def test_the_terminals_keys_take_no_exit_code(begin, front):
    of_person, of_play = pty.openpty()
    run = begin(["--always"], ["env", "--default-signal=INT", *front], of_play)
    os.close(of_play)
    run.end_game_with_stopped_server()
    os.write(of_person, b"\x03")
    run.ends()
    run.learned()
    os.close(of_person)


@pytest.mark.parametrize("options", [["--lay-out"], ["--auto"]], ids=" ".join)
def test_nothing_is_laid_out_after_one(begin, options):
    run = begin(["--always", *options], [])
    run.end_game_with_stopped_server()
    os.kill(run.play, signal.SIGTERM)
    run.ends()
    run.learned()
    assert not run.laid_out()


@NEEDS_STRACE
def test_laying_out_stops_at_one(begin, tmp_path):
    """Room is reserved only for the shadow; delaying that call leaves time for the signal."""
    log = tmp_path / "log"
    delay = ["strace", "-f", "-o", log, "-e", "trace=fallocate", "-e", "inject=fallocate:delay_exit=3000000"]
    run = begin(["--always", "--lay-out"], delay)
    run.end_game()
    wait_until(lambda: "fallocate" in log.read_text())
    os.kill(run.play, signal.SIGTERM)
    assert "the run interrupted" in run.ends()
    run.learned()
    assert [path.name for path in run.state.rglob("*") if path.is_file()] == ["game", "learned.json"]


@NEEDS_STRACE
def test_a_signal_after_a_game_that_needed_no_help_takes_no_exit_code(begin, folder, tmp_path):
    """`play` waits for the game's process a while before it continues."""
    [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    delay = ["strace", "-o", tmp_path / "log", "-e", "trace=wait4", "-e", "inject=wait4:delay_exit=300000"]
    run = begin([], delay)
    assert run.server is None
    run.end_game()
    os.kill(run.play, signal.SIGTERM)
    run.ends()
