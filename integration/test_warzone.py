"""The whole journey on a real game: Warzone 2100's archives as Debian ships them, and recorded loads
of it. Skipped where the package warzone2100-data or the traces are missing."""
import json
import zipfile
from pathlib import Path

import pytest

import skl_reader
from tool import check_schema, tree
from warzone import recordings

GAME = Path("/usr/share/games/warzone2100")
ARCHIVES = ["base.wz", "mp.wz"]
TRACES = recordings()

pytestmark = [
    pytest.mark.skipif(not all((GAME / name).exists() for name in ARCHIVES),
                       reason="the package warzone2100-data isn't installed"),
    pytest.mark.skipif(not TRACES, reason="integration/traces/warzone2100 holds no trace")]

CONTENT = [option for name in ARCHIVES for option in ("--content", GAME / name)]


class Packed:
    def __init__(self, tool, folder):
        self.layout = folder / "layout.json"
        self.plan = tool.json("plan", *TRACES, *CONTENT, "-o", self.layout)
        self.packs = folder / "packs"
        self.pack = tool.json("pack", self.layout, "-o", self.packs)


@pytest.fixture(scope="module")
def packed(tool, tmp_path_factory):
    return Packed(tool, tmp_path_factory.mktemp("warzone"))


@pytest.fixture(scope="module")
def content():
    """Returns the archives' content (path -> bytes, later archives win), and how many entries are hidden."""
    found, count = {}, 0
    for name in ARCHIVES:
        with zipfile.ZipFile(GAME / name) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    found[entry.filename] = archive.read(entry)
                    count += 1
    return found, count - len(found)


def test_extract_gives_back_every_entry_and_nothing_else(tool, packed, content, tmp_path):
    tool.ok("extract", packed.packs, "-o", tmp_path / "out")
    assert tree(tmp_path / "out") == content[0]


def test_shadowed_entries_are_told(packed, content):
    assert len(packed.plan["shadowed"]) == content[1] > 0
    assert packed.plan["assets"] == len(content[0])
    assert packed.plan["gone"] == []


def test_an_independent_reader_gets_the_same(packed, content):
    packs = skl_reader.PackSet(packed.packs)
    assert packs.contents == content[0]
    recorded = {trace.name.split(".")[0].replace("+", "/") for trace in TRACES}
    assert set(packs.scenarios) == {*recorded, "map/typical"}
    assert min(map(len, packs.scenarios.values())) > 100


def test_padding_stays_under_three_percent(packed):
    of_files = sum((packed.packs / p["file"]).stat().st_size for p in packed.pack["packs"])
    assert packed.pack["bytes"] == of_files
    padding = sum(p["padding_bytes"] for p in packed.pack["packs"])
    assert padding / of_files == pytest.approx(packed.pack["padding_share"])
    assert packed.pack["padding_share"] < 0.03


def test_the_set_is_sound(tool, packed):
    assert tool.json("verify", packed.packs)["damages"] == []


def test_sweeps_read_little_more_than_is_needed(tool, packed):
    for scenario in tool.json("info", packed.packs)["scenarios"]:
        assert scenario["read_bytes"] < 1.5 * scenario["bytes"] + 2 * 2097152
        assert scenario["ranges"] < scenario["assets"] / 4


def test_what_lies_between_stages_is_as_its_schema_says(tool, packed, tmp_path):
    check_schema(json.loads(packed.layout.read_text()), "layout")
    tool.ok("profile", *TRACES, *CONTENT, "-o", tmp_path / "profile.json")
    check_schema(json.loads((tmp_path / "profile.json").read_text()), "profile")


@pytest.mark.parametrize("threads", [1, 8])
def test_packing_again_gives_the_same_bytes(tool, packed, tmp_path, threads):
    tool.ok("pack", packed.layout, "-o", tmp_path / "packs", "--threads", threads, env={"TZ": "Asia/Tokyo"})
    assert tree(tmp_path / "packs") == tree(packed.packs)


def test_archives_can_be_kept_apart(tool, content, tmp_path):
    # Each archive is a separate root here, so their names must be kept to distinguish them.
    folder = tmp_path / "game"
    folder.mkdir()
    for name in ARCHIVES:
        (folder / name).symlink_to(GAME / name)
    tool.ok("plan", TRACES[0], "--content", folder, "--map", f"{GAME}={folder}", "--keep-archives",
            "-o", tmp_path / "layout.json")
    tool.ok("pack", tmp_path / "layout.json", "-o", tmp_path / "packs")
    listed = set(tool.ok("info", "--assets", tmp_path / "packs").text.splitlines())
    expected = set()
    for name in ARCHIVES:
        with zipfile.ZipFile(GAME / name) as archive:
            expected |= {f"{name}/{entry.filename}" for entry in archive.infolist() if not entry.is_dir()}
    assert listed == expected
