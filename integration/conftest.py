"""Shared parts of the tests: the binary under test, a small game, and a pack set made from it.

SEEKLESS_BIN     the binary [build/release/bin/seekless]
SEEKLESS_PREFIX  an install tree [made from build/release]
"""
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

import costs
import skips
from game import Game
from tool import TOP, Tool

FAILED = pytest.StashKey()


def pytest_configure(config):
    # A shell starts programs in the background with Ctrl-C ignored, and the tests' programs would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.pluginmanager.register(skips)
    config.pluginmanager.register(costs)
    config.addinivalue_line("markers", "alone: measures time, or changes what other tests use; not beside others")
    config.addinivalue_line("markers", "thorough: takes longer than what it adds to quick tests; script/test --all runs it")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    report = (yield).get_result()
    if report.failed:
        item.stash[FAILED] = True


def has_mount(folder):
    """Returns true if something is mounted in the folder. Removing the folder would then remove what others need."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text()
    except OSError:
        return False
    return any(line.split()[4].startswith(f"{folder}/") for line in mounts.splitlines())


@pytest.fixture
def tmp_path(tmp_path, request):
    """Removes the test's folder unless the test failed, since all folders together take more than 20 GB. pytest does the
    same from 7.3 on, if told; Debian 12 has 7.2."""
    yield tmp_path
    if not request.node.stash.get(FAILED, False) and not has_mount(tmp_path):
        shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def state_home(tmp_path_factory):
    """Uses the tests' own list of known content, not the user's."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture(scope="session")
def build_folder():
    return TOP / "build" / "release"


@pytest.fixture(scope="session")
def tool(build_folder):
    binary = Path(os.environ.get("SEEKLESS_BIN", build_folder / "bin" / "seekless"))
    if not binary.exists():
        pytest.fail(f"{binary}: no such binary; build it, or name one with SEEKLESS_BIN")
    return Tool(binary.resolve())


@pytest.fixture(scope="session")
def install_prefix(build_folder, tmp_path_factory):
    if "SEEKLESS_PREFIX" in os.environ:
        return Path(os.environ["SEEKLESS_PREFIX"]).resolve()
    if not (build_folder / "CMakeCache.txt").exists():
        pytest.fail(f"{build_folder}: not built; build it, or name an install tree with SEEKLESS_PREFIX")
    prefix = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", build_folder, "--prefix", prefix], check=True,
                   capture_output=True)
    return prefix


class Made:
    """A packed game, for tests that don't change it."""

    def __init__(self, tool, folder):
        self.folder = folder
        self.game = Game(folder / "game")
        self.straces = self.game.write_traces(folder / "recorded")
        menu, *maps = self.straces
        tool.ok("import", menu, "-o", f"{folder}/traces/")
        tool.ok("import", *maps, "-o", f"{folder}/traces/", "--scenario", "map/one")
        self.traces = sorted((folder / "traces").iterdir())
        self.layout = folder / "layout.json"
        tool.ok("plan", *self.traces, "--content", self.game.folder, "-o", self.layout,
                "--block", 256 * 1024, "--budget", 1)
        self.packs = folder / "packs"
        tool.ok("pack", self.layout, "-o", self.packs, "--codec", "raw")
        self.lz4_packs = folder / "lz4-packs"
        tool.ok("pack", self.layout, "-o", self.lz4_packs, "--codec", "lz4")


@pytest.fixture(scope="session")
def made(tool, tmp_path_factory):
    return Made(tool, tmp_path_factory.mktemp("made"))


@pytest.fixture
def small_disk(tmp_path):
    """Mounts tmpfs of a given size; needs root and the right to mount."""
    mounted = []

    def mount(size_bytes):
        folder = tmp_path / f"disk{len(mounted)}"
        folder.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", folder],
                              capture_output=True)
        if done.returncode != 0:
            pytest.skip("mounting a tmpfs needs root")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", folder], check=True)
