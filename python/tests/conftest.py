"""The shared parts of the package's tests: a small game, recordings of it, its layout and its packs, all made by the
package itself. `script/test-python` runs them in a separate environment."""
import os
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "integration"))

import seekless  # noqa: E402
import skips  # noqa: E402
from game import Game  # noqa: E402


def pytest_configure(config):
    config.pluginmanager.register(skips)


class Project:
    """folder/: game, traces, layout.json, profile.json, packs."""

    def __init__(self, folder):
        self.folder = folder
        self.game = Game(folder / "game")
        self.content = self.game.folder
        self.traces = self.game.write_traces(folder / "traces")
        self.layout = folder / "layout.json"
        self.packs = folder / "packs"
        self.profile = folder / "profile.json"
        self.files = self.game.one_name_space()
        seekless.profile(self.traces, content=self.content, output=self.profile)
        self.planned = seekless.plan(self.traces, content=self.content, output=self.layout)
        seekless.pack(self.layout, self.packs)


@pytest.fixture(scope="session", autouse=True)
def state_home(tmp_path_factory):
    """Uses a separate content cache, not the user's."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    return Project(tmp_path_factory.mktemp("project"))
