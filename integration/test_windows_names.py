"""The tool for Windows, run by Wine, on names: long ones, other alphabets, backslashes and drives, and names that
Windows refuses; and on a command that doesn't exist on Windows."""
import json
import zipfile

import pytest

from test_same_on_windows import windows  # noqa: F401
from tool import FAILED, tree

ASSETS = {"maps/one.map": b"one" * 1000, "Zürich/ß.txt": b"sz", "шрифт.ttf": b"letters" * 77}


def pack_all(tool, content, work, files, named=str):
    """Packs what a recording has read of `content`; `named` is how people write paths."""
    lines = [{"seekless": "trace", "version": 1, "scenario": "load"}]
    for file in files:
        lines += [{"path": named(file)}, {"gap": 1000, "process": 1, "thread": 1, "at": 0, "read": file.stat().st_size}]
    trace = work / "load.1.jsonl"
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    tool.ok("plan", named(trace), "--content", named(content), "-o", named(work / "layout.json"))
    tool.ok("pack", named(work / "layout.json"), "-o", named(work / "packs"))
    return work / "packs"


def written(folder, assets):
    for name, content in assets.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def backslashed(path):
    """Returns the path in Windows form; Wine's Z: is this machine's root."""
    return "Z:" + str(path).replace("/", "\\")


@pytest.fixture(params=["plain", "Игра ü", "deep"])
def place(request, tmp_path):
    deep = "/".join([30 * "folder"] * 3)
    folder = tmp_path / (deep if request.param == "deep" else request.param)
    folder.mkdir(parents=True)
    if request.param == "deep":
        assert len(str(folder)) > 500
    return folder


def test_paths_of_any_length_and_alphabet(windows, place):  # noqa: F811
    content = written(place / "content", ASSETS)
    packs = pack_all(windows, content, place, [content / name for name in ASSETS])
    windows.ok("verify", packs)
    windows.ok("extract", packs, "-o", place / "out" / "put")
    assert tree(place / "out" / "put") == ASSETS


def test_paths_with_backslashes_and_a_drive(windows, tmp_path):  # noqa: F811
    content = written(tmp_path / "content", ASSETS)
    pack_all(windows, content, tmp_path, [content / name for name in ASSETS], backslashed)
    windows.ok("extract", "packs", "-o", ".\\out", cwd=tmp_path)
    assert tree(tmp_path / "out") == ASSETS
    answer = windows.run("verify", backslashed(tmp_path / "nothing"))
    assert answer.code == FAILED and f"Z:{tmp_path}/nothing" in answer.err


def test_recordings_of_other_drives_and_servers_are_mapped(windows, tmp_path):  # noqa: F811
    content = written(tmp_path / "content", ASSETS)
    trace = tmp_path / "load.1.jsonl"
    for front in ("D:\\Games\\Quest", "\\\\server\\share\\quest"):
        lines = [{"seekless": "trace", "version": 1, "scenario": "load"},
                 {"path": front.upper() + "\\maps\\one.map"},
                 {"gap": 1000, "process": 1, "thread": 1, "at": 0, "read": 1}]
        trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
        for to in (str(content), backslashed(content)):
            answer = windows.json("profile", trace, "--content", to, "--map", f"{front}={to}", "-o", tmp_path / "profile.json")
            assert "maps/one.map" in (tmp_path / "profile.json").read_text(), answer


def pack_names(tool, work, names):
    archive = work / "names.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in names:
            file.writestr(name, name)
    return pack_all(tool, archive, work, [archive])


@pytest.mark.parametrize("name", ["aux.txt", "a/CON", "b/what?", "dot./a", "sounds/a:b"])
def test_names_that_windows_does_not_have_are_refused(tool, windows, tmp_path, name):  # noqa: F811
    packs = pack_names(tool, tmp_path, [name])
    assert windows.ok("extract", "-o", "-", packs, name).text == name
    windows.run("extract", packs, "-o", tmp_path / "out").says(name, "a name that files may have on Windows")
    assert tree(tmp_path / "out") == {}


def test_names_that_differ_only_in_case_are_refused(tool, windows, tmp_path):  # noqa: F811
    packs = pack_names(tool, tmp_path, ["Wall.png", "wall.png"])
    windows.run("extract", packs, "-o", tmp_path / "out").says("names that differ in more than upper and lower case")
    assert windows.ok("extract", "-o", "-", packs, "wall.png").text == "wall.png"


@pytest.mark.parametrize("name", ["CON", "aux.txt", "a:b", "x."])
def test_no_file_is_written_under_a_name_that_windows_has_not(windows, tmp_path, name):  # noqa: F811
    content = written(tmp_path / "content", ASSETS)
    pack_all(windows, content, tmp_path, [content / asset for asset in ASSETS])
    before = tree(tmp_path)
    trace = tmp_path / "load.1.jsonl"
    windows.run("plan", trace, "--content", content, "-o", tmp_path / name).says("a name that files may have on Windows", name)
    windows.run("record", "-o", tmp_path / name, "--", "nothing").says("a name that files may have on Windows", name)
    assert tree(tmp_path) == before


def test_a_command_that_windows_has_not_says_so(windows):  # noqa: F811
    windows.run("mount", "packs", "x").says("mount", "expected Linux, found Windows")
