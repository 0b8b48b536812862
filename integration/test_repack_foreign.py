"""Archives from third-party tools are repacked, and read back by their tools and by engines. Every entry has its
original bytes, and `restore` brings back the archive bit by bit. The tools are Python packages in a separate
environment (build/archive-tools), which script/bootstrap makes, OpenMW's bsatool and niftest, and Dolphin's
dolphin-tool."""
import hashlib
import json
import random
import shutil
import struct
import subprocess

import pytest

import moved_archives
from game import noise
from repacked_game import RepackedGame
from tool import TOP

PYTHON = TOP / "build" / "archive-tools" / "bin" / "python"
PROGRAM = TOP / "integration" / "foreign_archives.py"
ENTRIES = [(f"textures/{n:02}.dds", noise(n, 150_000 + 77 * n)) for n in range(16)] + \
    [(f"meshes/deep/{n}.nif", b"vertex %d " % n * 9000) for n in range(8)] + [("readme.txt", noise(3, 300))]
# Maps each written form to its readers. bethesda-structs and bethkit have bugs with other forms, such as .ba2, and
# bsatool with paths before uncompressed data.
KINDS = {
    "bsa of Oblivion": ("bethesda-structs", "bethkit", "bsatool"),
    "bsa of Oblivion, compressed": ("bethesda-structs", "bethkit", "bsatool"),
    "bsa of Fallout 3": ("bethkit",),
    "bsa of Skyrim SE": ("bethkit",),
    "bsa of Skyrim SE, compressed": ("bethkit", "bsatool"),
    "vpk 2": ("srctools", "vpk"),
    **{f"pak of Unreal {version}": ("repak",)
       for version in ("3", "5", "7", "8a", "8b", "9", "11", "11, compressed", "8b, compressed")},
    "pak of Quake": ("vgio",),
}
# Forms that moved_archives.py writes, and third-party readers.
OWN_KINDS = {
    "bsa of Morrowind": ("bsatool",),
    "bsa 103": ("bethkit",),
    "bsa 105": ("bethkit",),
    "vpk 1": ("srctools", "vpk"),
    "vpk 2, first bytes in the tree": ("srctools", "vpk"),
    "rpa 2.0": ("unrpa",),
    "rpa 3.0": ("unrpa",),
    "rpa 3.0, first bytes in the index": ("unrpa",),
    "rpa 3.2": ("unrpa",),
    "rpa 4.0": ("unrpa",),
    "pak of Unreal 4": ("repak",),
    "pak of Unreal 11": ("repak",),
}
ENDINGS = {"bsa": ".bsa", "ba2": ".ba2", "vpk": ".vpk", "rpa": ".rpa", "pak": ".pak"}
needs_tools = pytest.mark.skipif(not (PYTHON.parent.parent / "recipe").exists(), reason="packages of PyPI (script/bootstrap rest)")
NIFTEST = shutil.which("niftest", path="/usr/games")
needs_openmw = pytest.mark.skipif(not NIFTEST, reason="OpenMW's bsatool and niftest (package openmw-cs)")


def read_by(kind, readers):
    return pytest.param(kind, marks=needs_openmw if "bsatool" in readers else ())


def by_others(*arguments):
    done = subprocess.run([PYTHON, PROGRAM, *map(str, arguments)], capture_output=True, timeout=120, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def entries_of(kind):
    """Returns the entries that the kind's readers can read: bsatool doesn't find files without a folder."""
    return [(name, data) for name, data in ENTRIES if "/" in name or not kind.startswith("bsa")]


def sums_of(entries):
    return sorted([name, hashlib.sha256(data).hexdigest()] for name, data in entries)


def sums_by(reader, file):
    return json.loads(by_others("read", reader, file))


@pytest.fixture
def game(tool, tmp_path):
    return RepackedGame(tool, tmp_path)


def read_pages_at_random(game, archive, seed):
    pages = range(0, archive.stat().st_size, 65536)
    game.record(archive, [(at, 4096) for at in random.Random(seed).sample(pages, min(24, len(pages)))])


def repack_and_back(game, archive, is_same):
    """`is_same` checks an archive, whose name it needs."""
    before = archive.read_bytes()
    is_same(archive)
    read_pages_at_random(game, archive, archive.name)
    answer = game.json("-o", game.output)
    assert [(listed["repacked"], listed["reason"] if not listed["repacked"] else "") for listed in answer["archives"]] == \
        [(True, "")]
    is_same(game.output / archive.name)
    game.json("--in-place", "--force")
    assert archive.read_bytes() == (game.output / archive.name).read_bytes() != before
    game.tool.ok("restore", game.content)
    assert archive.read_bytes() == before


@needs_tools
@pytest.mark.parametrize("kind", [read_by(kind, readers) for kind, readers in KINDS.items()])
def test_others_read_what_others_wrote(game, tmp_path, kind):
    folder, entries = tmp_path / "files", entries_of(kind)
    for name, data in entries:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    archive = game.content / ("game" + ENDINGS[kind[:3]])
    by_others("write", kind, archive, folder)

    def is_same(file):
        for reader in KINDS[kind]:
            assert sums_by(reader, file) == sums_of(entries), reader
    repack_and_back(game, archive, is_same)


@needs_tools
@pytest.mark.parametrize("kind", [read_by(kind, readers) for kind, readers in OWN_KINDS.items()])
def test_others_read_the_same(game, kind):
    write, read = moved_archives.KINDS[kind]
    entries = entries_of(kind)
    archive = game.add("game" + ENDINGS[kind[:3]], write(entries))

    def is_same(file):
        assert sorted(read(file.read_bytes())) == sorted(entries)
        for reader in OWN_KINDS[kind]:
            assert sums_by(reader, file) == sums_of(entries), reader
    repack_and_back(game, archive, is_same)


# ---- OpenMW ------------------------------------------------------------------------------------------------------------

def by_niftest(file):
    """OpenMW opens the archive, finds each mesh by its name, and parses it."""
    done = subprocess.run([NIFTEST, file], capture_output=True, timeout=120, text=True)
    return done.stdout + done.stderr


@needs_openmw
def test_openmw_loads_the_same_meshes(game):
    meshes = [(f"meshes/{number}.nif", moved_archives.nif(noise(number, 9000).hex())) for number in range(40)]
    pictures = [(f"textures/{number}.dds", noise(number, 18000)) for number in range(40)]
    entries = [entry for both in zip(meshes, pictures) for entry in both]
    archive = game.add("game.bsa", moved_archives.morrowind_bsa(entries))

    def is_same(file):
        assert sorted(moved_archives.read_morrowind_bsa(file.read_bytes())) == sorted(entries)
        assert by_niftest(file) == ""
    repack_and_back(game, archive, is_same)
    archive.write_bytes(archive.read_bytes().replace(b"NiNode", b"NiFoot", 1))
    assert by_niftest(archive) != ""


# ---- Dolphin -----------------------------------------------------------------------------------------------------------

DOLPHIN = shutil.which("dolphin-tool") or shutil.which("dolphin-tool", path="/usr/games")


def made_up_disc():
    """Returns a GameCube disc with noise and ranges of zeros, complete enough for Dolphin."""
    disc = bytearray(noise(5, 12 << 20))
    for at in range(0, len(disc), 96 << 10):
        disc[at:at + (32 << 10)] = bytes(32 << 10)
    disc[:0x440] = b"GTST01".ljust(0x1C, b"\0") + bytes.fromhex("C2339F3D") + b"made up".ljust(0x420, b"\0")
    struct.pack_into(">III", disc, 0x420, 0x10000, 0x20000, 0x20)
    return bytes(disc)


def by_dolphin(*arguments):
    done = subprocess.run([DOLPHIN, *map(str, arguments)], capture_output=True, timeout=120, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not DOLPHIN, reason="Dolphin's dolphin-tool isn't there")
@pytest.mark.parametrize("form, compression", [("rvz", "zstd"), ("rvz", "none"), ("wia", "none")])
def test_dolphin_reads_the_same_disc(game, tmp_path, form, compression):
    disc, image = tmp_path / "disc.iso", game.content / f"disc.{form}"
    disc.write_bytes(made_up_disc())
    options = ["-b", 2 << 20 if form == "wia" else 128 << 10, "-c", compression]
    by_dolphin("convert", "-u", tmp_path / "user", "-i", disc, "-o", image, "-f", form, *options,
               *(["-l", 5] if compression != "none" else []))

    def is_same(file):
        back = tmp_path / "back.iso"
        by_dolphin("convert", "-u", tmp_path / "user", "-i", file, "-o", back, "-f", "iso")
        assert back.read_bytes() == disc.read_bytes()
    repack_and_back(game, image, is_same)
