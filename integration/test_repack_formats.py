"""Godot's .pck and Quake's .pak in load order: the entries are the same for any form of archive, an archive that isn't
understood stays unchanged, and the engines themselves load the results."""
import ctypes
import ctypes.util
import os
import random
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from flat_archives import contents, pak, pck, places
from game import noise
from repacked_game import RepackedGame

# There is too much content for the order not to matter: Linux reads 128 KiB ahead.
ENTRIES = [(f"textures/{n:02}.tex", noise(n, 150_000 + 77 * n)) for n in range(24)] + \
    [("empty.txt", b""), ("twin/a.bin", noise(99, 5000)), ("twin/b.bin", noise(99, 5000))]
ENCRYPTED = [(name, noise(n, 40 + len(data) // 16 * 16)) for n, (name, data) in enumerate(ENTRIES)]
PROGRAM = b"\x7fELF" + noise(7, 70_001)
KINDS = {
    "pak": pak(ENTRIES),
    "pak, directory in front": pak(ENTRIES, directory_first=True),
    "pak, equal data once": pak(ENTRIES, share=True),
    "pck 1": pck(ENTRIES),
    "pck 1, aligned": pck(ENTRIES, alignment=64),
    "pck 1, after a program": pck(ENTRIES, program=PROGRAM),
    "pck 2": pck(ENTRIES, version=2),
    "pck 2, aligned": pck(ENTRIES, version=2, alignment=4096),
    "pck 2, after a program": pck(ENTRIES, version=2, program=PROGRAM, alignment=32),
    "pck 2, places from the archive": pck(ENTRIES, version=2, program=PROGRAM, from_archive=True),
    "pck 3": pck(ENTRIES, version=3, alignment=16),
    "pck 3, after a program": pck(ENTRIES, version=3, program=PROGRAM, alignment=32),
    "pck 4": pck(ENTRIES, version=4, alignment=32),
    "pck 4, after a program": pck(ENTRIES, version=4, program=PROGRAM, alignment=16),
    "pck 4, changes of another archive": pck(ENTRIES, version=4, entry_flags=4),
    "pck 2, entries encrypted": pck(ENCRYPTED, version=2, entry_flags=1),
    "pck 4, entries encrypted": pck(ENCRYPTED, version=4, entry_flags=1),
}


class Game(RepackedGame):
    def read(self, path, names):
        lying = places(path.read_bytes())
        self.record(path, [lying[name] for name in names])


@pytest.fixture
def game(tool, tmp_path):
    return Game(tool, tmp_path)


def some_names(seed, count=12):
    names = [name for name, data in ENTRIES if data and not name.startswith("twin")]
    return random.Random(seed).sample(names, count)


@pytest.mark.parametrize("kind", KINDS)
def test_entries_stay_and_lie_in_load_order(game, kind):
    archive = game.add("game.data", KINDS[kind])
    names = some_names(kind)
    game.read(archive, names)
    answer = game.json("-o", game.output)
    assert [(a["name"], a["repacked"]) for a in answer["archives"]] == [("game.data", True)]
    after = (game.output / "game.data").read_bytes()
    assert contents(after) == contents(KINDS[kind])
    lying = places(after)
    in_order = [lying[name][0] for name in names]
    # The number isn't always 0: bytes read ahead past an entry may be useful a little later.
    assert sum(after < before for before, after in zip(in_order, in_order[1:])) <= 3
    last = max(lying[name][0] + lying[name][1] for name in names)
    assert all(at >= last for name, (at, size) in lying.items() if size and name not in names)
    assert abs(len(after) - len(KINDS[kind])) <= 4096 * len(ENTRIES)


def test_alignment_is_kept(game):
    for alignment in (32, 64, 4096):
        game.add(f"{alignment}.pck", pck(ENTRIES, version=2, alignment=alignment))
        game.read(game.content / f"{alignment}.pck", some_names(alignment))
    game.json("-o", game.output)
    for alignment in (32, 64, 4096):
        lying = places((game.output / f"{alignment}.pck").read_bytes())
        assert all(at % alignment == 0 for at, size in lying.values() if size)


def test_in_place_and_back(game):
    before = KINDS["pck 1, after a program"]
    archive = game.add("game.x86_64", before)
    archive.chmod(0o755)
    game.read(archive, some_names(1))
    game.json("--in-place", "--force")
    after = archive.read_bytes()
    assert after != before and contents(after) == contents(before)
    assert after[:len(PROGRAM)] == PROGRAM
    assert stat.S_IMODE(archive.stat().st_mode) == 0o755
    game.json("--in-place", "--force")  # the recordings were made with the originals
    assert archive.read_bytes() == after
    game.tool.ok("restore", game.content)
    assert archive.read_bytes() == before


def test_beside_a_zip(game, tmp_path):
    """One run repacks one game in three formats, each by its own directory."""
    import zipfile
    with zipfile.ZipFile(game.content / "a.pk3", "w") as zipped:
        zipped.writestr("in/zip.txt", noise(5, 9000))
    game.add("b.pak", KINDS["pak"])
    game.add("c.pck", KINDS["pck 2"])
    game.read(game.content / "b.pak", some_names(3))
    game.read(game.content / "c.pck", some_names(4))
    answer = game.json("-o", game.output)
    assert {a["name"]: a["repacked"] for a in answer["archives"]} == {"a.pk3": False, "b.pak": True, "c.pck": True}
    for name in ("b.pak", "c.pck"):
        assert contents((game.output / name).read_bytes()) == contents((game.content / name).read_bytes())
    assert (game.output / "a.pk3").read_bytes() == (game.content / "a.pk3").read_bytes()


def test_the_old_archive_is_read_from_front_to_back(game, tmp_path):
    """Otherwise the disk would seek for each entry while they are copied in load order."""
    archive = game.add("game.pak", KINDS["pak"])
    game.read(archive, some_names(4, 20))
    log = tmp_path / "calls"
    subprocess.run(["strace", "-f", "-y", "-e", "trace=pread64", "-e", "signal=none", "-o", log,
                    *game.tool.command("repack", game.trace, "--content", game.content, "-o", game.output)],
                   check=True, capture_output=True, timeout=120)
    seen, first_reads = set(), []
    for size, at in re.findall(rf"pread64\(\d+<{archive}>.*, (\d+), (\d+)(?:\) =| <unf)", log.read_text()):
        pages = set(range(int(at) // 4096, (int(at) + int(size) - 1) // 4096 + 1)) - seen
        seen |= pages
        first_reads += [min(pages)] if pages else []
    assert seen == set(range(-(-archive.stat().st_size // 4096)))
    # The directory, which lies at the end, is read first.
    assert sum(after < before for before, after in zip(first_reads, first_reads[1:])) <= 3


def with_bytes(blob, at, replacement):
    return blob[:at] + replacement + blob[at + len(replacement):]


def gap_with_content():
    blob = bytearray(pck(ENTRIES, version=2, alignment=4096))
    at, size = places(bytes(blob))["textures/01.tex"]
    blob[at + size + 1:at + size + 5] = b"what"
    return bytes(blob)


def overlapping():
    blob = bytearray(pak(ENTRIES))
    directory = int.from_bytes(blob[4:8], "little")
    first = int.from_bytes(blob[directory + 56:directory + 60], "little")
    blob[directory + 64 + 56:directory + 64 + 60] = (first + 10).to_bytes(4, "little")
    return bytes(blob)


LEFT = {
    "version 0": (with_bytes(pck(ENTRIES), 4, b"\0\0\0\0"), "version 0"),
    "version 5": (with_bytes(pck(ENTRIES), 4, b"\5\0\0\0"), "version 5"),
    "sparse, version 4": (pck(ENTRIES, version=4, flags=4), "beside it"),
    "encrypted directory": (pck(ENTRIES, version=2, flags=1), "encrypted"),
    "sparse": (pck(ENTRIES, version=2, flags=4), "beside it"),
    "unknown flags": (pck(ENTRIES, version=2, flags=64), "0x40"),
    "entries over each other": (overlapping(), "in part over another"),
    "cut off": (pck(ENTRIES)[:9000], "damaged"),
    "cut off in its directory": (pck(ENTRIES)[:400], "damaged"),
    "a name without end": (with_bytes(pck(ENTRIES), 88, b"\xff\xff\xff\x7f"), "damaged"),
}


@pytest.mark.parametrize("kind", LEFT)
def test_what_is_not_understood_stays(game, kind):
    blob, reason = LEFT[kind]
    game.add("odd.data", blob)
    archive = game.add("plain.pak", KINDS["pak"])
    game.read(archive, some_names(2))
    answer = game.json("-o", game.output)
    odd = next(a for a in answer["archives"] if a["name"] == "odd.data")
    assert not odd["repacked"] and reason in odd["reason"]
    assert (game.output / "odd.data").read_bytes() == blob


@pytest.mark.parametrize("how", ["-o", "--in-place"])
def test_an_archive_with_content_between_its_entries_stays(game, how):
    """The gaps are only read when the archive is about to be rewritten."""
    archive = game.add("odd.data", gap_with_content())
    game.read(archive, some_names(2))
    answer = game.json(*([how, game.output] if how == "-o" else [how]))
    assert [odd["repacked"] for odd in answer["archives"]] == [False]
    assert "belongs to no entry" in answer["archives"][0]["reason"]
    assert (game.output / "odd.data" if how == "-o" else archive).read_bytes() == gap_with_content()


def test_other_files_that_begin_so_are_no_archives(game):
    game.add("objects.pack", b"PACK\0\0\0\2\0\0\0\3" + noise(3, 4000))  # this is git's format
    archive = game.add("plain.pak", KINDS["pak"])
    game.read(archive, some_names(2))
    assert [a["name"] for a in game.json("-o", game.output)["archives"]] == ["plain.pak"]


def test_random_damage_never_changes_an_entry(game):
    """Any byte of a directory may be wrong. The archive then stays unchanged, or every entry in it stays the same."""
    generator = random.Random(17)
    entries = ENTRIES[:6]
    for number in range(60):
        blob = bytearray(pck(entries) if number % 2 else pak(entries))
        span = (88, 88 + 200) if number % 2 else (len(blob) - 64 * len(entries), len(blob))
        blob[generator.randrange(*span)] ^= 1 << generator.randrange(8)
        game.add(f"{number:02}.data", bytes(blob))
    archive = game.add("plain.pak", KINDS["pak"])
    game.read(archive, some_names(2))
    for number in range(60):
        path = game.content / f"{number:02}.data"
        game.lines += [f'7 9{number}.2 pread64(3<{path}>, ""..., 400, 1000) = 400']
    game.trace.write_text("\n".join(game.lines) + "\n")
    answer = game.json("-o", game.output)
    changed = 0
    for listed in answer["archives"]:
        before = (game.content / listed["name"]).read_bytes()
        after = (game.output / listed["name"]).read_bytes()
        if not listed["repacked"]:
            assert after == before
            continue
        changed += 1
        stretches = lambda blob: [(n, blob[at:at + size]) for n, (at, size) in places(blob).items()]
        assert stretches(after) == stretches(before)
    assert changed >= 3


def test_a_second_run_gives_the_same_bytes(game):
    archive = game.add("game.pck", KINDS["pck 2"])
    game.read(archive, some_names(8))
    game.json("-o", game.output)
    first = (game.output / "game.pck").read_bytes()
    game.json("-o", game.output)
    assert (game.output / "game.pck").read_bytes() == first


# --- the engines ---------------------------------------------------------------------------------------------------------

PHYSFS = ctypes.util.find_library("physfs")


def by_physfs(path):
    """Returns (name, data) of all files as PhysFS reads them: an engine's reader of .pak that shares nothing with
    ours."""
    physfs = ctypes.CDLL(PHYSFS)
    physfs.PHYSFS_openRead.restype = physfs.PHYSFS_enumerateFiles.restype = ctypes.c_void_p
    physfs.PHYSFS_fileLength.restype = physfs.PHYSFS_readBytes.restype = ctypes.c_int64
    found = {}

    def visit(folder):
        names = physfs.PHYSFS_enumerateFiles(folder.encode())
        listed = ctypes.cast(names, ctypes.POINTER(ctypes.c_char_p))
        for name in iter(lambda i=iter(range(10 ** 6)): listed[next(i)], None):
            below = f"{folder}/{name.decode()}".lstrip("/")
            file = physfs.PHYSFS_openRead(below.encode())
            if not file:
                visit(below)
                continue
            size = physfs.PHYSFS_fileLength(ctypes.c_void_p(file))
            data = ctypes.create_string_buffer(max(size, 1))
            assert physfs.PHYSFS_readBytes(ctypes.c_void_p(file), data, ctypes.c_uint64(size)) == size
            found[below] = data.raw[:size]
            physfs.PHYSFS_close(ctypes.c_void_p(file))
        physfs.PHYSFS_freeList(ctypes.c_void_p(names))

    assert physfs.PHYSFS_init(b"test")
    try:
        assert physfs.PHYSFS_mount(os.fsencode(path), None, 0), path
        visit("")
    finally:
        physfs.PHYSFS_deinit()
    return found


@pytest.mark.skipif(PHYSFS is None, reason="PhysFS isn't installed")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.startswith("pak")])
def test_physfs_reads_a_repacked_pak(game, tmp_path, kind):
    archive = game.add("game.pak", KINDS[kind])
    game.read(archive, some_names(kind))
    game.json("-o", game.output)
    shutil.copy(archive, tmp_path / "before.pak")
    assert by_physfs(game.output / "game.pak") == by_physfs(tmp_path / "before.pak") == dict(ENTRIES)


DARKPLACES = shutil.which("darkplaces-server", path=os.environ["PATH"] + ":/usr/games:/usr/lib/darkplaces")


@pytest.mark.skipif(DARKPLACES is None, reason="DarkPlaces' server isn't installed (darkplaces-server)")
def test_darkplaces_runs_scripts_of_a_repacked_pak(game, tmp_path):
    """A chain of scripts runs through the archive: each names the next, and the last ends the server."""
    count = 20
    scripts = [(f"scripts/{n}.cfg", f'echo "came to {n}"\n{"exec scripts/%d.cfg" % (n + 1) if n < count else "quit"}\n'
                .encode()) for n in range(count + 1)]
    entries = ENTRIES + random.Random(5).sample(scripts, len(scripts)) + \
        [("quake.rc", b"exec scripts/0.cfg\n"), ("progs.dat", b"")]
    archive = game.add("pak0.pak", pak(entries))
    game.read(archive, ["quake.rc"] + [name for name, _ in scripts])
    game.json("-o", game.output)

    def run(folder):
        base = tmp_path / folder
        (base / "id1").mkdir(parents=True)
        shutil.copy((game.content if folder == "before" else game.output) / "pak0.pak", base / "id1" / "pak0.pak")
        done = subprocess.run([DARKPLACES, "-basedir", base, "-userdir", base / "home"], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60, text=True, errors="replace")
        return [line for line in done.stdout.splitlines() if "came to" in line]

    before = run("before")
    assert len(before) == count + 1, before
    assert run("after") == before


GODOT = shutil.which("godot3-server")

PROJECT = """config_version=4
[application]
config/name="reached"
run/main_scene="res://main.tscn"
"""
SCENE = """[gd_scene load_steps=2 format=2]
[ext_resource path="res://main.gd" type="Script" id=1]
[node name="Main" type="Node"]
script = ExtResource( 1 )
"""
SCRIPT = """extends Node
func _ready():
    var sum = 0
    for n in range(40):
        var level = load("res://level%d.tres" % n)
        sum += level.get_meta("number")
    print("reached the scene: ", sum)
    get_tree().quit()
"""
PACKER = """extends SceneTree
func _init():
    var packer = PCKPacker.new()
    packer.pck_start("{pck}", {alignment})
    for name in {names}:
        packer.add_file("res://" + name, "{folder}/" + name)
    packer.flush()
    quit()
"""


def level(number):
    fill = ", ".join(str(v % 256) for v in noise(number, 40_000))
    return f'[gd_resource type="Resource" format=2]\n[resource]\n__meta__ = {{\n"number": {number},\n' \
           f'"fill": PoolByteArray( {fill} )\n}}\n'


@pytest.fixture(scope="module")
def godot_game(tmp_path_factory):
    """A project, and the archive that Godot itself makes of it. No load reads the entries in that order."""
    folder = tmp_path_factory.mktemp("godot")
    (folder / "project").mkdir()
    files = {"project.godot": PROJECT, "main.tscn": SCENE, "main.gd": SCRIPT,
             **{f"level{n}.tres": level(n) for n in range(40)}}
    for name, text in files.items():
        (folder / "project" / name).write_text(text)
    names = random.Random(3).sample(sorted(files), len(files))
    script = folder / "pack.gd"
    script.write_text(PACKER.format(pck=folder / "game.pck", alignment=32, folder=folder / "project",
                                    names="[" + ", ".join(f'"{name}"' for name in names) + "]"))
    subprocess.run(["godot3-server", "--no-window", "-s", script], check=True, capture_output=True, timeout=120,
                   cwd=folder, env={**os.environ, "HOME": str(folder)})
    assert (folder / "game.pck").exists()
    return folder


def jumps_back(archive):
    """Returns how often the next level lies before the previous one."""
    lying = places(archive.read_bytes())
    levels = [lying[f"level{n}.tres"][0] for n in range(40)]
    return sum(after < before for before, after in zip(levels, levels[1:]))


def run_godot(*command, home):
    done = subprocess.run([str(part) for part in command], capture_output=True, timeout=120, text=True, cwd=home,
                          env={**os.environ, "HOME": str(home)})
    assert f"reached the scene: {sum(range(40))}" in done.stdout, done.stdout + done.stderr


@pytest.mark.skipif(not GODOT, reason="Godot 3 isn't installed (godot3-server)")
@pytest.mark.parametrize("is_embedded", [False, True])
def test_godot_reaches_its_scene(tool, godot_game, tmp_path, is_embedded):
    content, output = tmp_path / "content", tmp_path / "out"
    content.mkdir()
    blob = (godot_game / "game.pck").read_bytes()
    if is_embedded:
        program = Path(shutil.which("godot3-server")).read_bytes()
        entries = contents(blob)
        archive = content / "game.x86_64"
        archive.write_bytes(pck(entries, program=program, alignment=32))
        archive.chmod(0o755)
        command = lambda path: [path]
    else:
        archive = content / "game.pck"
        archive.write_bytes(blob)
        command = lambda path: ["godot3-server", "--main-pack", path]
    run_godot(*command(archive), home=tmp_path)
    trace = tmp_path / "load.trace"
    tool.ok("record", "-o", trace, "--", *command(archive), env={**os.environ, "HOME": str(tmp_path)})
    answer = tool.json("repack", trace, "--content", content, "-o", output)
    assert [a["repacked"] for a in answer["archives"]] == [True]
    assert answer["archives"][0]["read_entries"] >= 40
    after = output / archive.name
    assert contents(after.read_bytes()) == contents(archive.read_bytes())
    assert jumps_back(after) <= 4 < jumps_back(archive)
    run_godot(*command(after), home=tmp_path)
