"""Real packs, read by the parser that is generated from schemas/pack.ksy: an implementation of the
format that shares no line with the product."""
import re
import shutil
import subprocess

import pytest

from skl_reader import Fault, Pack, PackSet
from tool import SCHEMAS, TOP, tree


@pytest.mark.parametrize("codec", ["raw", "lz4"])
def test_an_independent_reader_gets_what_extract_gets(tool, made, tmp_path, codec):
    packs = made.packs if codec == "raw" else made.lz4_packs
    tool.ok("extract", packs, "-o", tmp_path / "out")
    assert PackSet(packs).contents == tree(tmp_path / "out")


def test_scenarios_need_what_was_read(made):
    scenarios = PackSet(made.packs).scenarios
    assert set(scenarios["menu"]) == set(made.game.MENU)
    assert set(scenarios["map/one"]) == {*made.game.MAP, "mods/script.js"}


def test_folded_paths_are_found_in_any_case(tool, made, tmp_path):
    tool.ok("plan", *made.traces, "--content", made.game.folder, "-o", tmp_path / "l.json",
            "--fold-case", "--keep-archives")
    tool.ok("pack", tmp_path / "l.json", "-o", tmp_path / "packs")
    packs = PackSet(tmp_path / "packs")
    assert packs.table.find("BASE.wz/textures/WALL.png") is not None
    assert packs.table.find("BASE.wz/textures/WALLS.png") is None


def test_the_independent_reader_finds_damage(made, tmp_path):
    whole = (made.packs / "menu.skl").read_bytes()
    parsed = Pack(made.packs / "menu.skl").parsed
    places = [8, 20, 100, 510, *(s.offset_bytes for s in parsed.header.sections),
              *(b.offset_bytes for b in parsed.pack.blocks), len(whole) - 1]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 4
        (tmp_path / "menu.skl").write_bytes(damaged)
        with pytest.raises(Fault):
            Pack(tmp_path / "menu.skl")


def test_the_independent_reader_finds_mixed_sets(tool, made, tmp_path):
    shutil.copytree(made.packs, tmp_path / "packs")
    shutil.copy(made.lz4_packs / "map-one.skl", tmp_path / "packs")
    with pytest.raises(Fault, match="identity"):
        PackSet(tmp_path / "packs")


def test_the_parser_is_what_the_specification_generates(tmp_path):
    if shutil.which("npm") is None:
        pytest.skip("npm isn't installed")
    made = tmp_path / "skl_pack.py"
    done = subprocess.run([TOP / "script" / "generate-kaitai", made], capture_output=True, timeout=100)
    if done.returncode != 0 and b"npm" in done.stderr:
        pytest.skip("npm can't fetch the compiler")
    assert done.returncode == 0, done.stderr
    assert made.read_text() == (TOP / "integration" / "kaitai" / "skl_pack.py").read_text()


def test_the_worked_example_is_a_real_pack(tool, tmp_path):
    content = tmp_path / "content"
    (content / "d").mkdir(parents=True)
    reads = ""
    for name in ["hello.txt", "d/again.txt"]:
        (content / name).write_bytes(b"hello, disk\n")
        reads += (f'7 1.0 openat(AT_FDCWD</>, "{content}/{name}", O_RDONLY) = 3<{content}/{name}>\n'
                  f'7 1.1 read(3<{content}/{name}>, ""..., 12) = 12\n')
    (tmp_path / "boot.strace").write_text(reads)
    tool.ok("plan", tmp_path / "boot.strace", "--content", content, "-o", tmp_path / "l.json")
    tool.ok("pack", tmp_path / "l.json", "-o", tmp_path / "packs")
    shown = bytearray(8192)
    lines = re.findall(r"^([0-9a-f]{8})  ((?:[0-9a-f]{2} ){16})", (SCHEMAS / "pack.md").read_text(), re.M)
    for offset, line in lines:
        shown[int(offset, 16):int(offset, 16) + 16] = bytes.fromhex(line)
    assert len(lines) > 25
    assert (tmp_path / "packs" / "boot.skl").read_bytes() == shown
