"""If a control group allows few processes and threads, the game can use all of them under `seekless play`, too."""
import subprocess
import time
import uuid
from pathlib import Path

import pytest

import page_cache
from test_play import PYTHON, ROOT_ONLY, WAIT_S, folder, pytestmark  # noqa: F401
from test_play_start import without_device

V1, V2 = Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup")
GROUPS = V1 if (V1 / "cgroup.procs").exists() else V2
HAS_PIDS = GROUPS == V1 or (V2 / "cgroup.controllers").exists() and "pids" in (V2 / "cgroup.controllers").read_text().split()
pytestmark = [*pytestmark, ROOT_ONLY, pytest.mark.skipif(not HAS_PIDS, reason="there is no control group of processes")]
# Starts the given numbers of threads and processes, all at the same time, and reads.
GAME = """
import os, sys, threading
open('data', 'rb').read()
end, ended = os.pipe()
try:
    for number in range(int(sys.argv[1])):
        if number % 2: threading.Thread(target=os.read, args=(end, 1), daemon=True).start()
        elif os.fork() == 0: os.read(end, 1), os._exit(0)
    print('the game runs', flush=True)
    code = 5
except (OSError, RuntimeError): code = 6
os.write(ended, b'.' * 1000)
os._exit(code)
"""


class Group:
    def __init__(self, most):
        self.folder, self.most = GROUPS / f"seekless-{uuid.uuid4().hex}", most

    def __enter__(self):
        self.folder.mkdir()
        (self.folder / "pids.max").write_text(str(self.most))
        return self

    def __exit__(self, *_):
        while (self.folder / "cgroup.procs").read_text():
            time.sleep(0.01)  # the game's processes are ending
        self.folder.rmdir()

    def run(self, front, command, **how):
        inside = ["sh", "-c", f'echo $$ > {self.folder}/cgroup.procs && exec "$@"', "sh"]
        done = subprocess.run([*front, *inside, *command], capture_output=True, timeout=WAIT_S, **how)
        return done.returncode, done.stdout, done.stderr.decode()


@pytest.mark.parametrize("way", ["served", "watched", "aside"])
@pytest.mark.parametrize("most", range(1, 17))
def test_with_few_processes_the_game_has_all_of_them(tool, folder, tmp_path, most, way):
    """A game that needs exactly the limit runs, and one that needs more fails as it does without `play`."""
    front = without_device() if way == "watched" else []
    options = [] if way == "aside" else ["--always"]
    for needs, code in ((most - 1, 5), (most, 6)):
        game = [*PYTHON, "-c", GAME, str(needs)]
        with Group(most) as group:
            plain = group.run(front, game, cwd=folder)
        assert plain[0] == code
        for _ in range(2):
            if options:
                page_cache.forget(folder)
            with Group(most) as group:
                played = group.run(front, tool.command("play", *options, "--state", tmp_path / "state", folder, "--", *game), cwd=folder)
            assert played[:2] == plain[:2], played
            assert way == "aside" or "processes and threads may be made" in played[2]


@pytest.mark.parametrize("most, is_served", [(100, False), (230, False), (240, True), (300, True)])
def test_a_server_leaves_two_hundred_to_the_game(tool, folder, tmp_path, most, is_served):
    game = [*PYTHON, "-c", GAME, str(min(most - 1, 200))]
    with Group(most) as group:
        done = group.run([], tool.command("play", "--always", "--state", tmp_path / "state", folder, "--", *game), cwd=folder)
    assert done[:2] == (5, b"the game runs\n"), done
    assert ("the game is run without being served" in done[2]) != is_served
