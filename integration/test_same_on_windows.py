"""The tool for Windows, run by Wine, makes the same bytes as the one for Linux, each reads the other's output, and an
update that is killed at any moment can be completed.

SEEKLESS_WINDOWS_BIN  the tool for Windows [build/windows/bin/seekless.exe]
SEEKLESS_LONG=1       also packs three real games, and ends 200 updates at random moments, instead of 20"""
import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tool import DAMAGED, FAILED, TOP, Tool, tree

GAMES = Path("/usr/share/games")
TRACES = TOP / "integration" / "traces"
LONG = os.environ.get("SEEKLESS_LONG") == "1"
# For each name: the content to pack, the recordings, and True if archives can be repacked.
CONTENTS = {
    "warzone2100": ([GAMES / "warzone2100/base.wz", GAMES / "warzone2100/mp.wz"], "warzone2100/*.lz4", True),
    "mrrescue": ([GAMES / "mrrescue/mrrescue.love"], "small_games/mrrescue.*.lz4", True),
    "neverball": ([GAMES / "neverball"], "small_games/neverball.*.lz4", False),
    "made": (None, None, True),
}


@pytest.fixture(scope="module")
def windows():
    binary = Path(os.environ.get("SEEKLESS_WINDOWS_BIN", TOP / "build/windows/bin/seekless.exe"))
    if shutil.which("wine") is None or not binary.exists():
        pytest.skip("needs Wine and build/windows/bin/seekless.exe (script/test windows)")
    return Tool(binary.resolve())


class Content:
    def __init__(self, name, made, work):
        roots, pattern, self.has_archives = CONTENTS[name]
        if roots is not None and not LONG:
            pytest.skip("real games only with SEEKLESS_LONG=1")
        if roots is None:
            self.roots, self.traces = [made.game.folder], made.traces
        else:
            if not all(root.exists() for root in roots):
                pytest.skip(f"needs the Debian package of {name}")
            self.roots, self.traces = roots, sorted(TRACES.glob(pattern))
        self.work = work

    def made_by(self, tool, name):
        """Makes a folder with all outputs of a tool; their names are the same for every tool."""
        folder = self.work / name
        folder.mkdir()
        content = ["--content", *self.roots]
        tool.ok("profile", *self.traces, *content, "-o", folder / "profile.json")
        tool.ok("plan", *self.traces, *content, "-o", folder / "layout.json")
        tool.ok("plan", *self.traces[:1], *content, "-o", folder / "layout-of-one.json", "--budget", "1")
        tool.ok("pack", folder / "layout.json", "-o", folder / "packs")
        tool.ok("pack", folder / "layout-of-one.json", "-o", folder / "packs-of-one", "--codec", "lz4")
        tool.ok("patch", folder / "packs-of-one", folder / "packs", "-o", folder / "update.skp")
        if self.has_archives:
            tool.ok("repack", *self.traces, *content, "-o", folder / "archives")
        self.build(tool, folder / "project")
        return folder

    def build(self, tool, folder):
        """Builds twice from a build file: the second release keeps the packs of the first."""
        folder.mkdir()
        told = {"content": [str(root) for root in self.roots], "traces": [str(trace) for trace in self.traces[:1]],
                "outputs": {"packs": {"folder": "packs"}}, "lock": "layout.lock"}
        (folder / "seekless.json").write_text(json.dumps(told))
        tool.ok("build", folder / "seekless.json")
        told["traces"] = [str(trace) for trace in self.traces]
        (folder / "seekless.json").write_text(json.dumps(told))
        tool.ok("build", folder / "seekless.json")
        shutil.rmtree(folder / ".seekless")  # it holds times and files' stamps, which differ


@pytest.fixture(scope="module", params=CONTENTS)
def both(request, tool, windows, made, tmp_path_factory):
    content = Content(request.param, made, tmp_path_factory.mktemp(request.param))
    return content.made_by(tool, "linux"), content.made_by(windows, "windows")


def test_bytes_are_the_same(both):
    linux, windows = tree(both[0]), tree(both[1])
    assert linux.keys() == windows.keys()
    assert [name for name in linux if linux[name] != windows[name]] == []


def test_each_reads_what_the_other_made(both, tool, windows, tmp_path):
    for reader, made_by_other in ((tool, both[1]), (windows, both[0])):
        reader.ok("verify", made_by_other / "packs")
        reader.ok("verify", made_by_other / "packs-of-one")
        into = tmp_path / str(made_by_other.name)
        reader.ok("apply", made_by_other / "packs-of-one", made_by_other / "update.skp", "-o", into)
        assert tree(into) == tree(made_by_other / "packs")
    listed = [reader.ok("info", "--assets", both[0] / "packs").text for reader in (tool, windows)]
    assert listed[0] == listed[1]


def test_extracted_files_are_the_same(both, tool, windows, tmp_path):
    # Two names of the made-up game differ only in case.
    wanted = ["features/**", "maps/**"] if "made" in str(both[0]) else []
    for reader, name in ((tool, "linux"), (windows, "windows")):
        reader.ok("extract", both[0] / "packs", *wanted, "-o", tmp_path / name)
    assert len(tree(tmp_path / "linux")) > 0
    assert tree(tmp_path / "linux") == tree(tmp_path / "windows")


def looks(folder):
    """Returns files and times, which change when a program writes there."""
    return [(path, path.lstat().st_mtime_ns) for path in sorted(folder.parent.rglob("*")) if path.exists()]


def seconds_of_writing(command, folder, env):
    """Returns when a command begins to change `folder`, or its neighbours, and when it ends."""
    before, began_s = looks(folder), None
    start = time.monotonic()
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        try:
            if began_s is None and looks(folder) != before:
                began_s = time.monotonic() - start
        except FileNotFoundError:  # removed between listing and looking
            began_s = time.monotonic() - start
        time.sleep(0.002)
    assert process.returncode == 0
    ended_s = time.monotonic() - start
    return began_s or ended_s, ended_s


def fresh(old, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(old, target)


def test_an_update_that_is_killed_is_finished_by_the_next(tool, windows, made, tmp_path):
    content = Content("made", made, tmp_path / "content")
    content.work.mkdir()
    folder = content.made_by(tool, "linux")
    old, new, target = folder / "packs-of-one", tree(folder / "packs"), tmp_path / "alone" / "set"
    command = windows.command("apply", target, folder / "update.skp")
    wanted, chance = 200 if LONG else 20, random.Random(18)
    tries = killed = had_written = 0
    while killed < wanted and tries < 3 * wanted:
        tries += 1
        # Measures an undisturbed run under the current load. The moment lies within that time, more often while it
        # writes than while Wine starts it, which takes longer.
        fresh(old, target)
        began_s, ended_s = seconds_of_writing(command, target, windows.environment())
        assert tree(target) == new
        fresh(old, target)
        untouched = looks(target)
        process = subprocess.Popen(command, env=windows.environment(), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0 if tries % 4 == 0 else began_s, ended_s))
        process.send_signal(signal.SIGKILL)  # Wine's TerminateProcess does this, too
        if process.wait() == -signal.SIGKILL:
            killed += 1
            had_written += looks(target) != untouched
        assert windows.run("verify", target).code in (0, FAILED, DAMAGED)
        windows.ok("apply", target, folder / "update.skp")
        assert tree(target) == new
    print(f"{killed} of {tries} were killed before their end, {had_written} of these after they had begun to write")
    assert killed == wanted and had_written > wanted / 10
