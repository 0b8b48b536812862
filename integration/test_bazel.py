"""packer/bazel/seekless.bzl by Bazel itself: Warzone 2100's content as loose files, planned and packed by local
actions, by a remote worker and from its cache, always with the bytes that `pack` writes.

SEEKLESS_LONG=1 runs it; `script/bootstrap farm` installs Bazel. The worker is Bazel's own (src/tools/remote), compiled
against Bazel's classes from the sources that SEEKLESS_BAZEL_SOURCE names, which are those of Debian's package (`apt-get
source bazel-bootstrap`). SEEKLESS_REMOTE_CACHE names a running cache of another engine to be tried:
grpc://127.0.0.1:50051."""
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from test_plan import TRACES, WARZONE, needs_warzone
from tool import TOP, tree

BAZEL = shutil.which("bazel")
SOURCE = Path(os.environ.get("SEEKLESS_BAZEL_SOURCE", "/nowhere")) / "src/tools/remote/src/main"
CLASSES = "/usr/share/bazel/A-server.jar"
OTHER_CACHE = os.environ.get("SEEKLESS_REMOTE_CACHE")
LONGEST_S = 900

pytestmark = [needs_warzone, pytest.mark.alone,
              pytest.mark.skipif(os.environ.get("SEEKLESS_LONG") != "1", reason="minutes: SEEKLESS_LONG=1"),
              pytest.mark.skipif(BAZEL is None, reason="there is no bazel: script/bootstrap farm")]

BUILD = """
load("//:seekless.bzl", "seekless_packs", "seekless_plan")
load("//:packs.bzl", "PACKS")
seekless_packs(name = "packs", layout = "layout.json", packs = PACKS, tool = "//tools:seekless")
seekless_plan(name = "plan", content = glob(["content/**"]), profile = "profile.json", roots = ["content"],
              out = "new/layout.json", tool = "//tools:seekless")
"""


class Workspace:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.bases = tool, folder, []
        folder.mkdir()
        tool.ok("profile", *TRACES, "--content", *WARZONE, "-o", folder / "profile.json")
        for archive in WARZONE:
            subprocess.run(["unzip", "-q", "-o", archive, "-d", folder / "content"], check=True, timeout=120)
        tool.ok("plan", "--profile", "profile.json", "--content", "content", "-o", "layout.json", cwd=folder)
        listed = tool.ok("pack", "layout.json", "--list-packs", "--json", "-", cwd=folder)
        (folder / "packs.bzl").write_text("PACKS = " + listed.text)
        shutil.copy(TOP / "packer/bazel/seekless.bzl", folder)
        (folder / "tools").mkdir()
        shutil.copy(tool.binary, folder / "tools/seekless")
        (folder / "tools/BUILD").write_text('exports_files(["seekless"])\n')
        (folder / "WORKSPACE").write_text('workspace(name = "game")\n')
        (folder / "BUILD").write_text(BUILD)

    def start(self, target, base, *options):
        """Starts Bazel with a separate output base, which stands for another machine."""
        if base not in self.bases:
            self.bases.append(base)
        return subprocess.Popen([BAZEL, f"--output_base={base}", "build", target, "--color=no", "--curses=no",
                                 "--spawn_strategy=sandboxed", *options],
                                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def build(self, target, base, *options):
        """Returns Bazel's output."""
        running = self.start(target, base, *options)
        said, _ = running.communicate(timeout=LONGEST_S)
        assert running.returncode == 0, said[-4000:]
        return said

    def close(self):
        for base in self.bases:
            subprocess.run([BAZEL, f"--output_base={base}", "shutdown"], cwd=self.folder, capture_output=True, timeout=60)

    def packs(self):
        return tree((self.folder / "bazel-bin/packs").resolve())


def processes(said):
    """Reads from Bazel's last line how many actions were run in which way: {"linux-sandbox": 9, ...}."""
    line = re.findall(r"INFO: (\d+ process.*)\.", said)[-1]
    return {how: int(count) for count, how in re.findall(r"(\d+) ([a-z][a-z -]*?)(?:,|$)", line.split(": ", 1)[-1])}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Worker:
    """Bazel's remote worker: a cache and an executor in one process."""

    def __init__(self, classes, folder, port):
        self.port = port
        for name in ("work", "cas"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self.log = open(folder / "worker.log", "a")
        self.process = subprocess.Popen(
            ["java", "-Xmx2g", "-cp", f"{classes}:{CLASSES}", "com.google.devtools.build.remote.worker.RemoteWorker",
             f"--work_path={folder / 'work'}", f"--cas_path={folder / 'cas'}", f"--listen_port={port}"],
            stdout=self.log, stderr=self.log)
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            assert self.process.poll() is None, (folder / "worker.log").read_text()[-3000:]
            time.sleep(0.2)
        raise AssertionError("the worker doesn't listen")

    @property
    def options(self):
        at = f"grpc://127.0.0.1:{self.port}"
        return [f"--remote_executor={at}", f"--remote_cache={at}", "--spawn_strategy=remote", "--remote_timeout=600",
                "--remote_retries=20"]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=30)
        self.log.close()


@pytest.fixture(scope="module")
def workspace(tool, tmp_path_factory):
    made = Workspace(tool, tmp_path_factory.mktemp("bazel") / "game")
    yield made
    made.close()


@pytest.fixture(scope="module")
def whole(workspace, tool):
    """Returns what `pack` writes."""
    tool.ok("pack", "layout.json", "-o", workspace.folder.parent / "whole", cwd=workspace.folder)
    return tree(workspace.folder.parent / "whole")


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    if not SOURCE.is_dir():
        pytest.skip("SEEKLESS_BAZEL_SOURCE names no sources of Bazel")
    folder = tmp_path_factory.mktemp("worker") / "classes"
    subprocess.run(["javac", "-nowarn", "-proc:none", "-d", folder, "-cp", CLASSES, *SOURCE.rglob("*.java")],
                   check=True, timeout=300, capture_output=True)
    return folder


def edit(workspace):
    """Edits a file that only one pack holds, keeping its size; returns that pack."""
    holders = {}
    for pack in workspace.tool.json("pack", "layout.json", "--list-packs", cwd=workspace.folder)["packs"]:
        for file in pack["inputs"]:
            holders.setdefault(file, []).append(pack["name"])
    file, pack = next((file, packs[0]) for file, packs in holders.items()
                      if len(packs) == 1 and packs[0] not in ("cold", "common"))
    path = workspace.folder / file
    path.write_bytes(bytes(byte ^ 1 for byte in path.read_bytes()))
    return pack


def test_local_actions_make_the_bytes_of_pack(workspace, whole, tmp_path_factory):
    base = tmp_path_factory.mktemp("base")
    said = workspace.build("//:packs", base)
    assert processes(said)["linux-sandbox"] == len(whole)  # one for each pack, and one for the catalog
    assert workspace.packs() == whole
    pack = edit(workspace)
    said = workspace.build("//:packs", base)
    assert processes(said)["linux-sandbox"] == 2, f"{pack} and the catalog: {said}"
    changed = {name for name, data in workspace.packs().items() if whole[name] != data}
    assert changed == {f"{pack}.skl", "catalog.skl"}
    edit(workspace)  # undoes the edit
    workspace.build("//:packs", base)
    assert workspace.packs() == whole


def test_a_plan_makes_the_bytes_of_plan(workspace, tmp_path_factory):
    said = workspace.build("//:plan", tmp_path_factory.mktemp("base"))
    assert processes(said)["linux-sandbox"] == 1
    made = (workspace.folder / "bazel-bin/new/layout.json").read_bytes()
    assert made == (workspace.folder / "layout.json").read_bytes()


def test_remote_actions_a_second_machine_and_a_killed_worker(workspace, whole, classes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("remote")
    worker = Worker(classes, folder, free_port())
    said = workspace.build("//:packs", folder / "first", *worker.options)
    assert processes(said)["remote"] == len(whole)
    assert workspace.packs() == whole
    said = workspace.build("//:packs", folder / "second", *worker.options)
    assert processes(said)["remote cache hit"] == len(whole) and "remote" not in processes(said)
    assert workspace.packs() == whole
    pack = edit(workspace)
    said = workspace.build("//:packs", folder / "second", *worker.options)
    assert processes(said)["remote"] == 2, f"{pack} and the catalog: {said}"
    edit(workspace)
    # A worker is killed in the middle of its first action; another one takes its place.
    worker.kill()
    worker = Worker(classes, folder / "other", free_port())
    running = workspace.start("//:packs", folder / "third", *worker.options)
    for _ in range(3000):
        if any((folder / "other/work").rglob("*.skl")):
            break
        assert running.poll() is None, "it was over before the worker could be killed"
        time.sleep(0.01)
    worker.kill()
    worker = Worker(classes, folder / "other", worker.port)
    said, _ = running.communicate(timeout=LONGEST_S)
    if running.returncode != 0:  # Bazel gives up if a worker stays unreachable; the next build continues
        said = workspace.build("//:packs", folder / "third", *worker.options)
    assert workspace.packs() == whole
    worker.kill()


@pytest.mark.skipif(OTHER_CACHE is None, reason="SEEKLESS_REMOTE_CACHE names no cache")
def test_another_engines_cache_serves_a_second_machine(workspace, whole, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cached")
    options = [f"--remote_cache={OTHER_CACHE}"]
    workspace.build("//:packs", folder / "first", *options)
    assert workspace.packs() == whole
    said = workspace.build("//:packs", folder / "second", *options)
    assert processes(said) == {"remote cache hit": len(whole), "internal": 1}
    assert workspace.packs() == whole
