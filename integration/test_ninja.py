"""seekless_add_packs in a project of Ninja and of Makefiles: packs are made again exactly when something
has changed, and only those that have."""
import os
import random
import shutil
import subprocess
import time

import pytest

from tool import tree

GENERATORS = [pytest.param("Ninja", marks=pytest.mark.skipif(not shutil.which("ninja"), reason="there is no ninja")),
              pytest.param("Unix Makefiles", marks=pytest.mark.skipif(not shutil.which("make"), reason="there is no make"))]
LOADS = {"menu": range(0, 8), "north": range(8, 24), "south": range(24, 40)}  # assets of 48; the rest is cold
CMAKE = """cmake_minimum_required(VERSION 3.21)
project(game LANGUAGES NONE)
find_package(seekless REQUIRED COMPONENTS tool)
seekless_add_packs(packs {arguments} ALL)
"""


class Project:
    def __init__(self, tool, prefix, folder, generator, arguments):
        self.tool, self.folder, self.prefix, self.generator = tool, folder, prefix, generator
        self.build = folder / "out"
        self.packs = self.build / "packs"
        self.content = folder / "content"
        (self.content / "deep" / "empty").mkdir(parents=True)
        for number in range(48):
            self.asset(number).write_bytes(random.Random(number).randbytes(3000 + 977 * number))
        (folder / "traces").mkdir()
        for name, numbers in LOADS.items():
            self.record(name, 1, numbers)
        (folder / "seekless.json").write_text(
            '{\n  // by a test\n  "content": ["content"], "traces": ["traces/*.txt"], "block": 65536,\n'
            '  "outputs": {"packs": {"folder": "unused"}}\n}\n')  # without a lock, an edited asset stays in its pack
        (folder / "CMakeLists.txt").write_text(CMAKE.format(arguments=arguments))

    def keep_packs(self):
        """With a lock edits go to an overlay and to cold generations."""
        build_file = self.folder / "seekless.json"
        build_file.write_text(build_file.read_text().replace('"unused"}}', '"unused"}}, "lock": "layout.lock"'))

    def asset(self, number):
        return self.content / f"asset {number:02}.bin"

    def record(self, scenario, run, numbers):
        (self.folder / "traces" / f"{scenario}.{run}.txt").write_text(
            "".join(f"{self.asset(number)}\n" for number in numbers))

    def plan(self):
        traces = sorted(path.relative_to(self.folder) for path in (self.folder / "traces").iterdir())
        self.tool.ok("plan", *traces, "--content", self.content, "-o", "layout.json", "--block", "64K", cwd=self.folder)

    def configure(self):
        return subprocess.run(["cmake", "-S", self.folder, "-B", self.build, "-G", self.generator,
                               f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, text=True)

    def make(self):
        """Returns True if there was something to do."""
        time.sleep(0.02)  # lets a tick of the clock that stamps files pass
        before = self.stamps()
        done = subprocess.run(["cmake", "--build", self.build, "--parallel", "4"], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        ran = any(word in done.stdout for word in ("Building packs", "Packing"))
        if not ran and self.generator == "Ninja":
            assert "no work to do" in done.stdout, done.stdout
        after = self.stamps()
        self.written = {name for name in after if after[name] != before.get(name)}
        if not ran:
            assert not self.written
        return ran

    def stamps(self):
        if not self.packs.exists():
            return {}
        return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in self.packs.iterdir()}

    def settled(self):
        """Builds until there is nothing to do, which must be at once."""
        assert not self.make()

    def made(self):
        """Builds when there is something to do, and returns the files written; then nothing is left to do."""
        assert self.make()
        written = self.written
        self.tool.ok("verify", self.packs)
        self.settled()
        return written


def started(tool, prefix, folder, generator, arguments, plans=False):
    project = Project(tool, prefix, folder, generator, arguments)
    if plans:
        project.plan()
    done = project.configure()
    assert done.returncode == 0, done.stderr
    assert project.made() == {"menu.skl", "north.skl", "south.skl", "cold.skl", "catalog.skl"}
    return project


@pytest.fixture(params=GENERATORS)
def generator(request):
    return request.param


@pytest.fixture
def project(tool, install_prefix, tmp_path, generator):
    return started(tool, install_prefix, tmp_path, generator, "CONFIG seekless.json OUTPUT packs")


def test_an_edit_makes_one_pack_and_no_edit_makes_none(project):
    project.asset(3).write_bytes(random.Random(99).randbytes(project.asset(3).stat().st_size))
    assert project.made() == {"menu.skl", "catalog.skl"}
    project.asset(30).write_bytes(b"shorter")
    assert project.made() == {"south.skl", "catalog.skl"}
    project.settled()


def test_where_packs_stay_an_edit_makes_an_overlay(tool, install_prefix, tmp_path, generator):
    project = Project(tool, install_prefix, tmp_path, generator, "CONFIG seekless.json OUTPUT packs")
    project.keep_packs()
    assert project.configure().returncode == 0
    project.made()
    before = tree(project.packs)
    original = project.asset(30).read_bytes()
    project.asset(30).write_bytes(b"shorter")
    assert project.made() == {"overlay.skl", "catalog.skl"}
    project.asset(45).write_bytes(b"unread")
    assert project.made() == {"cold-2.skl", "catalog.skl"}
    os.utime(project.asset(45))
    assert project.made() == set()
    (project.packs / "overlay.skl").unlink()
    if project.generator == "Ninja":
        project.make()  # Ninja doesn't know packs that a build adds; the next change restores a removed one
    project.asset(31).write_bytes(b"another edit")
    assert "overlay.skl" in project.made()
    project.asset(30).write_bytes(original)
    project.made()
    assert {name: data for name, data in tree(project.packs).items() if name in before and name != "catalog.skl"} == {
        name: data for name, data in before.items() if name != "catalog.skl"}, "packs stay as they are"


def test_a_touch_without_an_edit_makes_no_pack(project):
    os.utime(project.asset(3))
    assert project.made() == set()


def test_files_that_come_and_go_are_noticed(project):
    for added in (project.content / "new.bin", project.content / "deep" / "empty" / "first.bin"):
        added.write_bytes(b"new content")
        assert "cold.skl" in project.made()
        assert added.relative_to(project.content).as_posix() in project.tool.ok("info", "--assets", project.packs).text
    added.unlink()
    assert project.make() and "cold.skl" in project.written
    if project.generator == "Unix Makefiles":
        project.make()  # CMake's Makefiles remember a name that is gone, and run the tool each time
        assert not project.written
    else:
        project.settled()
    assert "first.bin" not in project.tool.ok("info", "--assets", project.packs).text


def test_a_new_recording_and_another_build_file_are_noticed(project):
    project.record("menu", 2, range(0, 9))
    project.made()
    build_file = project.folder / "seekless.json"
    build_file.write_text(build_file.read_text().replace("by a test", "changed by a test"))
    project.made()


def test_a_pack_that_was_removed_is_made_again(project):
    if project.generator != "Ninja":
        pytest.skip("Make doesn't look at the byproducts of a rule")
    (project.packs / "catalog.skl").unlink()
    assert "catalog.skl" in project.made()


def test_what_fails_is_tried_again(project):
    asset = project.asset(3)
    content = asset.read_bytes()
    asset.write_bytes(b"PK\3\4" + content)  # a zip that has no directory
    for _ in range(2):
        done = subprocess.run(["cmake", "--build", project.build], capture_output=True, text=True)
        assert done.returncode != 0
    project.tool.ok("verify", project.packs)
    asset.write_bytes(content[::-1])
    assert project.made() == {"menu.skl", "catalog.skl"}


def test_relayout_is_passed_on(tool, install_prefix, tmp_path):
    project = Project(tool, install_prefix, tmp_path, "Ninja", "CONFIG seekless.json OUTPUT packs RELAYOUT")
    assert project.configure().returncode == 0
    assert "--relayout" in (project.build / "build.ninja").read_text()


@pytest.mark.parametrize("per_pack", ["", "PER_PACK"])
def test_packs_of_a_layout(tool, install_prefix, tmp_path, generator, per_pack):
    project = started(tool, install_prefix, tmp_path, generator, f"LAYOUT layout.json OUTPUT packs {per_pack}", True)
    tool.ok("pack", tmp_path / "layout.json", "-o", tmp_path / "whole")
    assert tree(project.packs) == tree(tmp_path / "whole")
    project.asset(3).write_bytes(random.Random(99).randbytes(project.asset(3).stat().st_size))
    written = project.made()
    if per_pack:
        assert written == {"menu.skl", "catalog.skl"}
    project.asset(9).write_bytes(b"of another size")
    done = subprocess.run(["cmake", "--build", project.build], capture_output=True, text=True)
    assert done.returncode != 0 and "asset 09.bin" in done.stdout + done.stderr
    project.plan()
    project.made()


@pytest.mark.parametrize("arguments,said", [
    ("", "expected CONFIG or LAYOUT and a file, found neither"),
    ("CONFIG", "found none after CONFIG"),
    ("CONFIG seekless.json LAYOUT layout.json", "expected either CONFIG or LAYOUT, found both"),
    ("CONFIG seekless.json PER_PACK", "PER_PACK and CODEC with LAYOUT"),
    ("LAYOUT layout.json RELAYOUT", "RELAYOUT with CONFIG"),
    ("CONFIG seekless.json OTHER", "found 'OTHER'"),
    ("LAYOUT layout.json PER_PACK", "layout.json: ")])
def test_wrong_arguments_are_told(tool, install_prefix, tmp_path, arguments, said):
    project = Project(tool, install_prefix, tmp_path, "Ninja", arguments)
    done = project.configure()
    assert done.returncode != 0 and said in " ".join(done.stderr.split()), done.stderr


def test_the_tool_is_an_imported_program(install_prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(x LANGUAGES NONE)\nfind_package(seekless REQUIRED COMPONENTS tool)\n"
        "add_custom_target(say COMMAND seekless::tool --version)\n")
    subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "out", f"-DCMAKE_PREFIX_PATH={install_prefix}"],
                   check=True, capture_output=True)
    done = subprocess.run(["cmake", "--build", tmp_path / "out", "--target", "say"], capture_output=True, text=True)
    assert done.returncode == 0 and "seekless 0." in done.stdout


def test_the_library_comes_without_asking(install_prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(x LANGUAGES C CXX)\nfind_package(seekless REQUIRED)\n"
        "if(NOT TARGET seekless::seekless OR NOT TARGET seekless::tool)\n  message(FATAL_ERROR missing)\nendif()\n")
    subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "out", f"-DCMAKE_PREFIX_PATH={install_prefix}"],
                   check=True, capture_output=True)
