"""seekless prove for Windows, under Wine: it reads past the system's cache, since Windows has no call that drops files
from it, and leaves nothing behind. The figures mean nothing, because Wine's files lie on any of the host's drives."""
import json
import os
import zipfile

import pytest
from test_same_on_windows import windows  # noqa: F401
from tool import FAILED, check_schema

FILES, FILE_BYTES = 24, 100_000


@pytest.fixture
def game(tmp_path):
    """An archive of stored files, beside the same files loose, and a recording of each."""
    folder = tmp_path / "secret-game"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"secret{number:02}.dat").write_bytes(os.urandom(FILE_BYTES))
    archive = folder / "secret.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for number in range(FILES):
            out.write(folder / f"secret{number:02}.dat", f"{number:02}.dat")
    with zipfile.ZipFile(archive) as made:
        begins = [info.header_offset for info in made.infolist()]
    loose = [{"seekless": "trace", "version": 1, "scenario": "secret-loose"}]
    packed = [{"seekless": "trace", "version": 1, "scenario": "secret-packed"}, {"path": str(archive)},
              {"gap": 1, "open": True}]
    for number in range(FILES):
        other = number * 7 % FILES
        loose += [{"path": str(folder / f"secret{other:02}.dat")}, {"gap": 1, "open": True},
                  {"gap": 1, "file": number, "at": 0, "read": FILE_BYTES}]
        packed.append({"gap": 1, "file": 0, "at": begins[other], "read": FILE_BYTES})
    traces = []
    for name, lines in (("loose", loose), ("packed", packed)):
        traces.append(tmp_path / f"{name}.trace")
        traces[-1].write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder, *traces


def words(folder, trace):
    return ["prove", trace, "--content", folder, "--work", folder.parent, "--drive", "wd-black-1tb", "--rounds", 1, "--force"]


def left_in(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(".seekless")]


@pytest.mark.parametrize("way", ["packs", "repack"])
def test_a_proof_leaves_files_of_figures_and_nothing_else(windows, game, tmp_path, way):  # noqa: F811
    folder, loose, packed = game
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    page, figures = tmp_path / "page.html", tmp_path / "figures.json"
    answer = windows.ok(*words(folder, packed if way == "repack" else loose), "--way", way, "--html", page,
                        "--upload-file", figures, "--json", "-").json
    check_schema(answer, "results/prove")
    check_schema(json.loads(figures.read_text()), "proof")
    assert answer["way"] == way and answer["unbuffered"] and answer["made_bytes"] > 0
    assert all(side["worked_s"] == [] and side["own_s"] == 0 for load in answer["loads"]
               for side in (load["before"], load["after"]))
    assert any("when the disk was idle" in note for note in answer["notes"])
    for text in (page.read_text(), figures.read_text()):
        assert "secret" not in text and str(tmp_path) not in text
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert left_in(tmp_path) == []


def test_files_cannot_be_placed_there_yet(windows, game, tmp_path):  # noqa: F811
    folder, loose, _ = game
    assert windows.run(*words(folder, loose), "--way", "place").says("--way place", "Windows").code == FAILED
    assert left_in(tmp_path) == []
