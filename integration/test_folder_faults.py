"""A disk that fails while a folder is listed: for every command that walks folders, at every entry. Each ends with an
error that names the folder and the cause, or with all of its work done; never with part of the work done, nor by a
signal."""
import re
import shutil

import pytest

from faults import Faults
from project import Project
from test_repack_in_place import Home
from tool import DONE, FAILED, tree


@pytest.fixture
def faults(tmp_path):
    return Faults(tmp_path)


def assert_told(answer, folder):
    assert answer.code == FAILED, answer.err
    answer.says("Input/output error")
    assert str(folder) in answer.errors[0], answer.err


def every_fault(tool, faults, command, folder, prepare, check):
    """Runs the command with each call failing in turn, and calls `check(is_done)` afterwards."""
    prepare()
    tool.ok(*command, env=faults.env())
    calls, _, _ = faults.counted()
    assert calls > 0, f"{command[0]} lists no folder"
    told = 0
    for number in range(1, calls + 1):
        prepare()
        answer = tool.run(*command, env=faults.env(readdir=number))
        if answer.code != DONE:
            assert_told(answer, folder)
            told += 1
        check(answer.code == DONE)
    assert told > 0
    return calls


def test_packs_of_a_layout(tool, made, faults, tmp_path):
    output = tmp_path / "out"
    old, new = tree(made.packs), tree(made.lz4_packs)

    def prepare():
        shutil.rmtree(output, ignore_errors=True)
        shutil.copytree(made.packs, output)

    def check(is_done):
        tool.ok("verify", output)
        found = {name: text for name, text in tree(output).items() if not name.startswith(".seekless-new")}
        assert found == new if is_done else found in (old, new)
        tool.ok("pack", made.layout, "-o", output, "--codec", "lz4")
        assert tree(output) == new

    every_fault(tool, faults, ("pack", made.layout, "-o", output, "--codec", "lz4"), tmp_path, prepare, check)


def test_a_patch_in_place(tool, made, faults, tmp_path):
    output = tmp_path / "out"
    tool.ok("patch", made.packs, made.lz4_packs, "-o", tmp_path / "patch")
    new = tree(made.lz4_packs)

    def prepare():
        shutil.rmtree(output, ignore_errors=True)
        shutil.copytree(made.packs, output)

    def check(is_done):
        if is_done:
            assert tree(output) == new
        tool.ok("apply", output, tmp_path / "patch")
        assert tree(output) == new

    every_fault(tool, faults, ("apply", output, tmp_path / "patch"), tmp_path, prepare, check)


@pytest.mark.parametrize("outputs", ["packs", "zips"])
def test_a_build(tool, faults, tmp_path, outputs):
    project = Project(tool, tmp_path / "game", assets=30, most_bytes=2000)
    project.configure(outputs={outputs: {"folder": outputs}})
    project.build()
    new = tree(project.folder / outputs)

    def prepare():
        shutil.rmtree(project.folder / outputs)
        shutil.rmtree(project.folder / ".seekless")
        (project.folder / "layout.lock").unlink(missing_ok=True)

    def check(is_done):
        if is_done:
            assert tree(project.folder / outputs) == new
        project.build()
        assert tree(project.folder / outputs) == new

    every_fault(tool, faults, ("build", project.folder), tmp_path, prepare, check)


def test_repacking_in_place_and_restoring(tool, faults, tmp_path):
    home = Home(tool, tmp_path, archives=3, size=200)
    home.learn_new()

    def check(is_done):
        home.assert_whole()
        assert not (home.home / ".seekless-originals" / "new").exists() or not is_done
        if is_done:
            assert home.visible() == home.new
        tool.ok("restore", home.home)
        assert home.tree() == home.old

    calls = every_fault(tool, faults, home.command, tmp_path, lambda: None, check)
    assert calls > 15

    def check_restored(is_done):
        home.assert_whole()
        if is_done:
            assert home.tree() == home.old
        tool.ok("restore", home.home)
        assert home.tree() == home.old

    every_fault(tool, faults, ("restore", home.home), tmp_path, home.repack, check_restored)


def test_repacking_to_a_folder(tool, faults, tmp_path):
    home = Home(tool, tmp_path, archives=2, size=200)
    output = tmp_path / "out"
    command = ("repack", home.trace, "--content", home.home, "-o", output)
    tool.ok(*command)
    new = tree(output)

    def check(is_done):
        found = {name: text for name, text in tree(output).items() if not name.startswith(".seekless-new")}
        assert found == new
        if is_done:
            assert tree(output) == new
        tool.ok(*command)
        assert tree(output) == new

    every_fault(tool, faults, command, tmp_path, lambda: None, check)


def without_seconds(text):
    """Removes lines with predicted seconds and seeks, which depend on files' present places on the disk."""
    return [line for line in text.splitlines() if not re.search(r'"\w*(seconds|seeks)\w*": [0-9.e-]+,?$|"text": | pieces?\b', line)]


@pytest.mark.parametrize("command", ["plan", "profile", "analyze", "init"])
def test_looking_at_content(tool, made, faults, tmp_path, command):
    content = made.game.folder
    output = tmp_path / "out"
    line = {"plan": ("plan", *made.traces, "--content", content, "-o", output),
            "profile": ("profile", *made.traces, "--content", content, "-o", output),
            "analyze": ("analyze", *made.traces, "--content", content, "--json", output),
            "init": ("init", tmp_path / "game")}[command]
    if command == "init":
        shutil.copytree(content, tmp_path / "game")
        output = tmp_path / "game" / "seekless.json"
    whole = []

    def check(is_done):
        assert output.exists() == is_done, "half of a result"
        if is_done:
            whole.append(without_seconds(output.read_text()) if command == "analyze" else output.read_text())

    every_fault(tool, faults, line, tmp_path if command == "init" else content, lambda: output.unlink(missing_ok=True),
                check)
    assert all(result == whole[0] for result in whole), "a fault that isn't told gives another result"
