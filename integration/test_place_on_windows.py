"""`place` of the tool for Windows, run by Wine, which can't move clusters: it refuses before it touches anything. What it
does on NTFS is only tested with made-up answers (tests/place/ntfs_mover_test.cpp).

SEEKLESS_WINDOWS_BIN  the tool for Windows [build/windows/bin/seekless.exe]"""
import json
from pathlib import Path

import pytest

from test_same_on_windows import windows  # noqa: F401
from test_windows_names import backslashed
from tool import FAILED, USAGE, tree, windows_environment

CANNOT = "expected a file system that can move files, found one that can't"


@pytest.fixture
def game(tmp_path):
    folder = tmp_path / "game"
    folder.mkdir()
    for number in range(5):
        (folder / f"f{number}.iso").write_bytes(bytes([number]) * (100_000 + number))
    return folder


@pytest.fixture
def trace(game, tmp_path):
    """A recording of a load that reads the files backwards."""
    lines = [{"seekless": "trace", "version": 1, "scenario": "load"}]
    for file in sorted(game.iterdir(), reverse=True):
        lines += [{"path": backslashed(file)},
                  {"gap": 1000, "process": 1, "thread": 1, "at": 0, "read": file.stat().st_size}]
    path = tmp_path / "load.1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def state_of(folder):
    """Returns what must stay: names, bytes, sizes and times."""
    return tree(folder), {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_a_file_system_that_cannot_move_files_is_refused_and_left_alone(windows, game, trace, tmp_path, options):  # noqa: F811
    before = state_of(game)
    for words in ([game, trace], [game / "f0.iso"]):
        answer = windows.run("place", *options, *words, "--state", tmp_path / "state")
        assert answer.code == FAILED, str(answer)
        answer.says(CANNOT, f"Z:{game}:", "pack or repack")
    assert state_of(game) == before and not (tmp_path / "state").exists()


def test_a_file_in_a_drives_root_is_refused_by_that_drives_name(windows):  # noqa: F811
    windows.ok("--version")  # makes Wine's folders
    file = Path(windows_environment()["WINEPREFIX"], "drive_c/in-the-root.iso")
    file.write_bytes(bytes(100_000))
    try:
        windows.run("place", "C:\\in-the-root.iso").says(CANNOT, "error: C:/: ")
    finally:
        file.unlink()


def test_nothing_was_placed_so_nothing_is_undone(windows, game, tmp_path):  # noqa: F811
    before = state_of(game)
    answer = windows.run("place", "--undo", game, "--state", tmp_path / "state")
    assert answer.code == FAILED, str(answer)
    answer.says("files that were placed before", "none")
    assert state_of(game) == before


def test_wrong_usage_is_told_as_on_linux(windows, game):  # noqa: F811
    for words, said in (([], "files or folders"), ([game], "a folder and no recordings")):
        answer = windows.run("place", *words)
        assert answer.code == USAGE, str(answer)
        answer.says(said)


def test_the_help_says_who_may_move_files_and_where(windows):  # noqa: F811
    told = windows.ok("place", "--help").text
    assert "NTFS" in told and "administrator" in told


def test_doctor_says_that_files_cannot_be_moved(windows, game):  # noqa: F811
    answer = windows.json("doctor", game)
    finding = next(finding for finding in answer["findings"] if finding["name"] == "moving_files")
    assert finding["outcome"] == "fails" and finding["commands"] == ["place"] and CANNOT in finding["found"]
    assert not answer["commands"]["place"]
    assert windows.run("doctor", game, "--need", "place").code == FAILED
