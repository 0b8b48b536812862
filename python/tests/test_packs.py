"""Packs: reading returns the game's own bytes; damage, missing paths and closing are errors."""
import concurrent.futures
import shutil

import pytest
import seekless


@pytest.fixture
def packs(project):
    with seekless.open(project.packs) as opened:
        yield opened


def test_reads_every_asset_of_the_game(packs, project):
    assert set(packs) == set(project.files)
    assert len(packs) == len(project.files)
    for path, content in project.files.items():
        assert packs[path] == content
        assert packs.size_bytes(path) == len(content)


def test_reads_a_part(packs, project):
    path = "maps/Zürich.map"
    whole = project.files[path]
    assert packs.read(path, 1000, 500) == whole[1000:1500]
    assert packs.read(path, len(whole) - 10, 500) == whole[-10:]
    assert packs.read(path, len(whole)) == b""
    with pytest.raises(seekless.UsageError):
        packs.read(path, len(whole) + 1)


def test_reads_into_memory_of_the_caller(packs, project):
    path = "textures/wall.png"
    content = project.files[path]
    memory = bytearray(len(content) + 5)
    assert packs.read_into(path, memory) == len(content)
    assert memory == content + b"\0" * 5
    view = memoryview(memory)[10:20]
    assert packs.read_into(path, view, 100) == 10
    assert memory[10:20] == content[100:110]
    with pytest.raises(BufferError):
        packs.read_into(path, content)  # bytes objects must not be written into


def test_a_path_that_is_not_there_is_told(packs):
    assert "stats/rules.json" in packs
    for path in ["no/such", "stats/rules.json\0", "\ud800", ""]:
        assert path not in packs
        with pytest.raises(seekless.NotFoundError):
            packs.read(path)
    assert 7 not in packs
    with pytest.raises(LookupError, match="no/such"):
        packs["no/such"]


def test_sweeps_hand_out_what_a_scenario_reads_without_a_copy(packs, project):
    parts = list(packs.sweep("map"))
    assert {part.path for part in parts} >= {"cutscene.ogg", "textures/wall.png"}
    for part in parts:
        assert part.data.readonly and part.is_last == (part.offset_bytes + len(part.data) == part.asset_bytes)
        begin = part.offset_bytes
        assert part.data == project.files[part.path][begin:begin + len(part.data)]
    assert dict(packs.load("map")) == {path: project.files[path] for path in {part.path for part in parts}}


def test_views_outlive_their_pack_set(project):
    packs = seekless.open(project.packs)
    kept = [part for part in packs.sweep("menu")]
    packs.close()
    for part in kept:
        assert bytes(part.data) == project.files[part.path][part.offset_bytes:][:len(part.data)]
    with pytest.raises(seekless.UsageError, match="closed"):
        packs.read("stats/rules.json")


def test_a_scenario_that_is_not_there_is_told(packs):
    with pytest.raises(seekless.NotFoundError, match="nowhere"):
        list(packs.sweep("nowhere"))


def test_many_threads_read_at_once(packs, project):
    paths = list(project.files) * 4
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for path, content in zip(paths, pool.map(packs.read, paths)):
            assert content == project.files[path]


def test_lists_places_and_hashes(packs, project):
    table = packs.list("features/**")
    assert set(table.column_names) == {"path", "bytes", "pack", "block", "offset", "alignment"}
    assert set(table["path"].to_pylist()) == {path for path in project.files if path.startswith("features/")}
    same = [path for path in ("textures/wall.png", "textures/wall-again.png")]
    assert packs.hash(same[0]) == packs.hash(same[1]) != packs.hash("readme.txt")
    assert {scenario["name"] for scenario in packs.info()["scenarios"]} >= {"map", "menu"}


def test_damage_is_found(project, tmp_path):
    folder = tmp_path / "packs"
    shutil.copytree(project.packs, folder)
    seekless.verify(folder)
    pack = max(folder.glob("*.skl"), key=lambda path: path.stat().st_size)
    bytes_ = bytearray(pack.read_bytes())
    bytes_[len(bytes_) // 2] ^= 1
    pack.write_bytes(bytes_)
    with pytest.raises(seekless.DamagedError) as caught:
        seekless.open(folder).verify()
    damages = caught.value.result.table("damages").to_pylist()
    assert damages[0]["file"].endswith(pack.name) and damages[0]["assets"]


def test_what_is_no_pack_set_is_told(tmp_path):
    with pytest.raises(seekless.Error, match="missing"):
        seekless.open(tmp_path / "missing")
    (tmp_path / "not.skl").write_bytes(b"something else entirely, and too short for a header")
    with pytest.raises(seekless.DamagedError, match="not.skl"):
        seekless.open(tmp_path / "not.skl")


def test_zips_and_folders_are_read_alike(project, tmp_path):
    folder = seekless.open(project.content)
    assert folder["music/theme.ogg"] == project.files["music/theme.ogg"]
    assert seekless.open(project.content / "mp.wz")["stats/rules.json"] == project.files["stats/rules.json"]
