"""Archives of engines, taken apart: their entries are assets with the bytes that other programs read, and recorded
reads count for the entries. Without the option, an archive is one asset. What can't be taken apart is refused."""
import hashlib
import io
import json
import os
import random
import shlex
import shutil
import struct
import zipfile

import pytest

import flat_archives
import moved_archives
from game import noise
from project import Project, settle
from strace_lines import read_of
from test_repack_damage import ENCRYPTED, mutation, outcome, structure_of
from test_repack_damage import ENTRIES as SMALL_ENTRIES
from test_repack_damage import KINDS as DAMAGED_KINDS
from test_repack_foreign import ENDINGS, KINDS, OWN_KINDS, by_others, needs_tools, read_by, sums_by
from test_repack_moved import LEFT
from tool import DAMAGED, FAILED, USAGE, check_schema, tree

ENTRIES = [(f"textures/{n:02}.dds", noise(n, 15_000 + 77 * n)) for n in range(16)] + \
    [(f"meshes/deep/{n}.nif", b"vertex %d " % n * 900) for n in range(8)]
READ = ["textures/11.dds", "meshes/deep/5.nif", "textures/02.dds"]


class Game:
    """Content with archives, and a recorded load that reads some of their entries."""

    def __init__(self, tool, folder):
        self.tool, self.folder, self.content = tool, folder, folder / "content"
        self.lines, self.trace, self.roots = [], folder / "load.strace", [self.content]
        self.content.mkdir()

    def add(self, name, blob):
        (self.content / name).parent.mkdir(parents=True, exist_ok=True)
        (self.content / name).write_bytes(blob)
        return self.content / name

    def read(self, path, places):
        for at, size in places:
            self.lines += read_of(path, at, size, at_s=len(self.lines))
        self.trace.write_text("\n".join(self.lines) + "\n")

    def run(self, command, *options):
        return self.tool.run(command, self.trace, "--content", *self.roots, *options)

    def refused(self, *options, command="plan"):
        output = ["-o", self.folder / "refused.json"] if command in ("plan", "profile") else []
        answer = self.run(command, *output, *options)
        assert answer.code == DAMAGED and not (self.folder / "refused.json").exists(), str(answer)
        return answer

    def planned(self, *options):
        layout = self.folder / "layout.json"
        answer = self.run("plan", "-o", layout, *options)
        assert answer.code == 0, str(answer)
        return layout, answer.err

    def packed(self, *options):
        """Returns the layout, and what its packs hold."""
        layout, _ = self.planned(*options)
        self.tool.ok("pack", layout, "-o", self.folder / "packs", cwd=self.folder)
        self.tool.ok("verify", self.folder / "packs")
        self.tool.ok("extract", self.folder / "packs", "-o", self.folder / "out")
        parsed = json.loads(layout.read_text())
        check_schema(parsed, "layout")
        return parsed, tree(self.folder / "out")


@pytest.fixture
def game(tool, tmp_path):
    return Game(tool, tmp_path)


def read_assets(layout):
    sets = layout["scenario_sets"]
    return {asset["path"] for pack in layout["packs"] for asset in pack["assets"] if sets[asset["set"]]}


def sums(files):
    return sorted([name, hashlib.sha256(data).hexdigest()] for name, data in files)


def places_of(archive, entries, names=READ):
    blob, data_of = archive.read_bytes(), dict(entries)
    return [(blob.index(data_of[name]), len(data_of[name])) for name in names]


def check_entries(game, archive, prefix, expected):
    """`expected` lists names and sums, as another program reads them."""
    layout, found = game.packed("--take-apart", f"*{archive.suffix}")
    assert sums((name, data) for name, data in found.items()) == [[prefix + name, hash] for name, hash in expected]
    assert read_assets(layout) == {prefix + name for name in READ}
    assert [source["kind"] for source in layout["sources"]] == ["flat"]


# ---- entries, as others read them ------------------------------------------------------------------------------------

def is_as_it_is(kind):
    return "compressed" not in kind and "first bytes" not in kind


@needs_tools
@pytest.mark.parametrize("kind", [read_by(kind, readers) for kind, readers in KINDS.items() if is_as_it_is(kind)])
def test_entries_of_archives_of_others(game, tmp_path, kind):
    folder = tmp_path / "files"
    for name, data in ENTRIES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    archive = game.content / ("game" + ENDINGS[kind[:3]])
    by_others("write", kind, archive, folder)
    game.read(archive, places_of(archive, ENTRIES))
    for reader in KINDS[kind][:1]:
        check_entries(game, archive, "Game/" if "Unreal" in kind else "", sums_by(reader, archive))


@needs_tools
@pytest.mark.parametrize("kind", [read_by(kind, readers) for kind, readers in OWN_KINDS.items() if is_as_it_is(kind)])
def test_entries_as_others_read_them(game, kind):
    archive = game.add("game" + ENDINGS[kind[:3]], moved_archives.KINDS[kind][0](ENTRIES))
    game.read(archive, places_of(archive, ENTRIES))
    prefix = "Game/Content/" if "Unreal" in kind else ""
    check_entries(game, archive, prefix, sums_by(OWN_KINDS[kind][0], archive))


FLAT = {
    "pck 1": {}, "pck 2": {"version": 2, "alignment": 32}, "pck 3": {"version": 3, "alignment": 16},
    "pck 4": {"version": 4},
}


@pytest.mark.parametrize("kind", [*FLAT, "pak", "ba2, general", "ba2 of Starfield", "bsa, paths before data"])
def test_entries_are_what_was_put_in(game, kind):
    write = {"pak": flat_archives.pak, "bsa": lambda entries: moved_archives.bsa(entries, 104, 0x103),
             "ba2": lambda entries: moved_archives.KINDS[kind][0](entries),
             "pck": lambda entries: flat_archives.pck(entries, **FLAT[kind])}[kind[:3]]
    entries = ENTRIES + [("texts/empty.txt", b"")]
    archive = game.add("game." + kind[:3], write(entries))
    game.read(archive, places_of(archive, ENTRIES))
    check_entries(game, archive, "", sums(entries))


DIRECTORY_IN_FRONT = {
    "pck": flat_archives.pck, "pak": lambda entries: flat_archives.pak(entries, directory_first=True),
    "bsa": lambda entries: moved_archives.bsa(entries, 103), "vpk": lambda entries: moved_archives.vpk(entries, 1),
}


@pytest.mark.parametrize("ending", DIRECTORY_IN_FRONT)
def test_the_last_entry_may_be_a_zip(game, ending):
    """Such an archive ends as a zip does. Without the option it is taken as that zip."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as file:
        file.writestr("inner.txt", "hello")
    entries = [*ENTRIES, ("zips/mod.zip", inner.getvalue())]
    archive = game.add("game." + ending, DIRECTORY_IN_FRONT[ending](entries))
    game.read(archive, places_of(archive, ENTRIES))
    check_entries(game, archive, "", sums(entries))


@pytest.mark.parametrize("last", [
    b"it ends with GDPC", moved_archives.unreal_pak(ENTRIES[:2], 11),
    flat_archives.pck(ENTRIES[:2], program=b"\x7fELF" + noise(7, 701))], ids=["letters", "Unreal", "Godot"])
@pytest.mark.parametrize("ending", DIRECTORY_IN_FRONT)
def test_the_last_entry_may_look_like_the_end_of_another_format(game, ending, last):
    entries = [*ENTRIES, ("z/last.data", last)]
    archive = game.add("game." + ending, DIRECTORY_IN_FRONT[ending](entries))
    game.read(archive, places_of(archive, ENTRIES))
    check_entries(game, archive, "", sums(entries))


def test_a_header_that_isnt_understood_is_noticed(game):
    """The path before a file is longer than the file's path."""
    blob = moved_archives.bsa(ENTRIES, 104, 0x103)
    at = blob.index(b"\x0ftextures\\11.dds")
    archive = game.add("game.bsa", blob[:at] + b"\x0e" + blob[at + 1:])
    game.read(archive, places_of(archive, ENTRIES))
    layout, _ = game.planned("--take-apart", "*.bsa")
    answer = game.tool.run("pack", layout, "-o", game.folder / "packs", cwd=game.folder)
    assert answer.says(archive, "textures/11.dds", "begins with 15").code == DAMAGED


def test_a_path_before_a_file_is_compared(game):
    """Case doesn't matter, other letters do."""
    blob = moved_archives.bsa(ENTRIES, 105, 0x103)
    archive = game.add("game.bsa", blob.replace(b"\x0ftextures\\11.dds", b"\x0fTextures\\11.DDS"))
    game.read(archive, places_of(archive, ENTRIES))
    check_entries(game, archive, "", sums(ENTRIES))
    archive.write_bytes(blob.replace(b"\x0ftextures\\11.dds", b"\x0ftextures\\11.ddx"))
    layout, _ = game.planned("--take-apart", "*.bsa")
    answer = game.tool.run("pack", layout, "-o", game.folder / "others", cwd=game.folder)
    assert answer.says(archive, "textures/11.dds", "textures\\11.ddx").code == DAMAGED


def test_only_names_may_lie_before_files(game):
    """The places in the archive stay: spaces follow the shorter text and count to the file."""
    blob, places = moved_archives.bsa(ENTRIES, 104, 0x103), places_of
    expected = []
    for name, data in ENTRIES:
        path, stem = name.replace("/", "\\").encode(), name.rpartition("/")[2].encode()
        pad = b" " * (len(path) - len(stem))
        blob = blob.replace(bytes([len(path)]) + path, bytes([len(stem)]) + stem + pad)
        expected.append((name, pad + data))
    archive = game.add("game.bsa", blob)
    game.read(archive, places(archive, ENTRIES))
    check_entries(game, archive, "", sums(expected))


@pytest.mark.parametrize("version", [104, 105])
def test_paths_that_only_a_flag_claims_are_refused(game, version):
    """The first file's first byte is as great as its path is long."""
    entries = [("t/a.txt", b"\x07ELLO WORLD"), ("t/b.txt", noise(1, 900))]
    archive = game.add("game.bsa", moved_archives.bsa(entries, version))
    game.read(archive, places_of(archive, entries, ["t/b.txt"]))
    assert game.packed("--take-apart", "*.bsa")[1] == dict(entries)
    blob = bytearray(archive.read_bytes())
    struct.pack_into("<I", blob, 12, 0x103)
    archive.write_bytes(blob)
    game.refused("--take-apart", "*.bsa").says(archive, "t/a.txt", "its path and then the file")


def test_commands_agree_on_the_entries(game):
    """Reads of the directory and between entries count for none; 'profile' and 'plan' see the same entries."""
    entries = [*ENTRIES[:9], ("film.bik", noise(1, 3_000_000)), *ENTRIES[9:]]
    archive = game.add("data/game.pck", flat_archives.pck(entries, alignment=64))
    game.read(archive, [(0, 64), *places_of(archive, ENTRIES)])
    taken = ("--take-apart", "data/*", "--keep-archives")
    profile = game.folder / "profile.json"
    assert game.run("profile", "-o", profile, *taken).code == 0
    layout, found = game.packed(*taken)
    assert found == {"data/game.pck/" + name: data for name, data in entries}
    assert read_assets(layout) == {"data/game.pck/" + name for name in READ}
    again = game.folder / "again.json"
    game.tool.ok("plan", "--profile", profile, "--content", game.content, *taken, "-o", again)
    assert read_assets(json.loads(again.read_text())) == read_assets(layout)
    game.tool.ok("simulate", game.folder / "packs", game.trace, "--content", game.content, *taken)
    game.tool.run("simulate", game.folder / "packs", game.trace, "--content", game.content).says("--take-apart")
    assert "data/game.pck/" + READ[0] in game.run("analyze", *taken, "--verbose").text
    wanted = game.tool.ok("warm", game.folder / "layout.json", "--dry-run", "--json", "-").json
    check_schema(wanted, "results/warm")
    assert sum(len(dict(ENTRIES)[name]) for name in READ) < wanted["bytes"] < 500_000


# ---- without the option ----------------------------------------------------------------------------------------------

def all_answers(game, *options):
    """Returns what commands write and answer, except warnings and the next command, which has the options."""
    layout, found = game.packed(*options)
    profile = game.folder / "profile.json"
    assert game.run("profile", "-o", profile, *options).code == 0
    packs = tree(game.folder / "packs")
    commands = ["analyze", "--drive", "wd-black-1tb"], ["simulate"], ["plan", "-o", game.folder / "layout.json"]
    said = [{**game.run(*command, *options, "--json", "-").json, "warnings": [], "next": ""} for command in commands]
    for name in ("packs", "out"):
        shutil.rmtree(game.folder / name)
    return layout, found, profile.read_text(), packs, said


def test_nothing_else_changes(game):
    """A pattern that matches no archive warns; archives of all kinds are single assets, and outputs are the same."""
    for number, (write, _) in enumerate(moved_archives.KINDS.values()):
        game.add(f"{number:02}.data", write(ENTRIES[:4]))
    archive = game.add("game.pck", flat_archives.pck(ENTRIES))
    game.add("loose.txt", b"loose")
    game.read(archive, places_of(archive, ENTRIES))
    game.read(game.content / "loose.txt", [(0, 5)])
    before = all_answers(game)
    assert before[1] == tree(game.content)
    assert all_answers(game, "--take-apart", "*.pak") == before
    _, told = game.planned("--take-apart", "*.pak", "--take-apart", "x/**", "--take-apart", "loose.txt")
    assert "3 patterns of --take-apart match no archive, such as '*.pak'" in told
    opaque = all_answers(game, "--take-apart", "*", "--opaque", "*")
    assert opaque[:4] == before[:4]


# ---- what is refused -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", LEFT)
def test_archives_that_cant_be_taken_apart_are_refused(game, kind):
    blob, name, reason = LEFT[kind]
    odd = game.add("odd.data", blob)
    game.read(odd, [(40, 50)])
    for command in ("plan", "profile", "simulate", "analyze"):
        game.refused("--take-apart", "*.data", command=command).says(odd, "--take-apart", name, reason, "--opaque")
    assert game.packed("--take-apart", "*.data", "--opaque", "odd.*")[1] == {"odd.data": blob}


UNLIKE = {
    "bsa 104, compressed, paths before data": "compressed data",
    "ba2, general, compressed": "compressed data",
    "ba2, textures": "a part of the file",
    "vpk 2, first bytes in the tree": "the file without its first bytes",
    "rpa 3.0, first bytes in the index": "the file without its first bytes",
    "pck 2, encrypted": "encrypted data",
    "pck 2, removed": "a mark that the file was removed",
    "pck 2, changed": "data of a kind that isn't understood",
    "disc": "a piece of a disc",
}
WRITERS = {
    "pck 2, encrypted": lambda e: flat_archives.pck(ENCRYPTED, version=2, entry_flags=1),
    "pck 2, removed": lambda e: flat_archives.pck([(name, b"") for name, _ in e], version=2, entry_flags=2),
    "pck 2, changed": lambda e: flat_archives.pck(e, version=2, entry_flags=4),
    "disc": lambda e: moved_archives.rvz([data for _, data in e]),
}


@pytest.mark.parametrize("kind", UNLIKE)
def test_entries_that_arent_files_as_they_are_are_refused(game, kind):
    write = WRITERS.get(kind) or moved_archives.KINDS[kind][0]
    archive = game.add("game.data", write(ENTRIES))
    game.add("loose", b"loose")
    game.read(game.content / "loose", [(0, 5)])
    game.refused("--take-apart", "*.data").says(archive, "entry '", UNLIKE[kind], "--exclude")
    assert game.packed()[1] == {"game.data": archive.read_bytes(), "loose": b"loose"}


@pytest.mark.parametrize("index, reason", [
    ({"x.txt": [(34, 4, b""), (38, 4, b"")]}, "a part of the file"),
    ({"x.txt": [(34, 4), (38, 4)]}, "a part of the file"),
    ({"x.txt": [(34, 8)], "y.txt": []}, "no place for 'y.txt'"),
    ({"x.txt": [(34, 4)], "n\u00e9.txt".encode(): [(38, 4)]}, "encoding isn't known"),
], ids=["pieces", "pieces without first bytes", "no place", "a name of Python 2"])
def test_indices_of_renpy_that_dont_list_files_are_refused(game, index, reason):
    archive = game.add("game.rpa", moved_archives.indexed_rpa(b"AAAABBBB", index))
    game.read(archive, [(34, 8)])
    game.refused("--take-apart", "*.rpa").says(archive, reason)


def test_an_empty_file_of_renpy_leaves_two_fillers_side_by_side(game):
    entries = [("a.txt", noise(1, 3000)), ("e.txt", b""), ("f.txt", b""), ("b.txt", noise(2, 3000)), ("g.txt", b"")]
    archive = game.add("game.rpa", moved_archives.rpa(entries))
    game.read(archive, places_of(archive, entries, ["b.txt"]))
    assert game.packed("--take-apart", "*.rpa")[1] == dict(entries)


@needs_tools
@pytest.mark.parametrize("kind", [kind for kind in KINDS if "compressed" in kind])
def test_compressed_entries_of_archives_of_others_are_refused(game, tmp_path, kind):
    (tmp_path / "files" / "texts").mkdir(parents=True)
    (tmp_path / "files" / "texts" / "a.txt").write_bytes(b"the same words " * 5000)
    archive = game.content / ("game" + ENDINGS[kind[:3]])
    by_others("write", kind, archive, tmp_path / "files")
    game.read(archive, [(0, 9)])
    game.refused("--take-apart", "game.*").says(archive, "texts/a.txt", "compressed data")


def test_one_entry_that_isnt_as_it_is_can_be_excluded(game):
    """The second file's size has the bit that it is stored otherwise than most."""
    blob = bytearray(moved_archives.bsa(ENTRIES, 103))
    at = blob.index(struct.pack("<I", len(ENTRIES[1][1])))
    struct.pack_into("<I", blob, at, len(ENTRIES[1][1]) | 1 << 30)
    archive = game.add("game.bsa", bytes(blob))
    game.read(archive, places_of(archive, ENTRIES))
    game.refused("--take-apart", "*.bsa").says("entry 'textures/01.dds'", "compressed data")
    found = game.packed("--take-apart", "*.bsa", "--exclude", "textures/01.dds")[1]
    assert found == {name: data for name, data in ENTRIES if name != "textures/01.dds"}


def test_other_archives_are_refused(game):
    odd = game.add("odd.rar", b"Rar!\x1a\x07\1\0" + bytes(99))
    game.read(odd, [(0, 9)])
    game.refused("--take-apart", "*").says(odd, "a RAR archive", "--opaque")


@pytest.mark.parametrize("ending", ["pck", "pak", "bsa", "ba2", "vpk", "rpa", "PCK"])
def test_a_file_that_isnt_recognised_is_refused_by_its_ending(game, ending):
    archive = game.add("game.pak", flat_archives.pak(ENTRIES))
    odd = game.add("odd." + ending, b"?" + flat_archives.pck(ENTRIES)[1:])
    game.read(archive, places_of(archive, ENTRIES))
    taken = "--take-apart", "*.p?k", "--take-apart", "odd.*"
    game.refused(*taken).says(odd, "--take-apart", "damaged", "--opaque")
    assert game.packed(*taken, "--opaque", "odd.*")[1] == {**dict(ENTRIES), odd.name: odd.read_bytes()}


def test_other_files_that_arent_recognised_are_named(game):
    archive = game.add("game.data", flat_archives.pak(ENTRIES))
    odd = [game.add(f"odd{number:02}.data", b"?" + flat_archives.pak(ENTRIES)[1:]) for number in range(12)]
    game.read(archive, places_of(archive, ENTRIES))
    _, told = game.planned("--take-apart", "*.data")
    assert [str(file) in told for file in odd] == [True] * 10 + [False] * 2, told
    assert "matches 2 files more" in told


def test_an_archive_without_a_file_is_refused(game):
    loose = game.add("loose", b"loose")
    game.read(loose, [(0, 5)])
    for name, blob in (("a.pak", flat_archives.pak([])), ("a.pck", flat_archives.pck([])),
                       ("b.pak", flat_archives.pak(ENTRIES)[:8] + bytes(4) + flat_archives.pak(ENTRIES)[12:])):
        archive = game.add(name, blob)
        game.refused("--take-apart", name).says(archive, "its directory lists no file", "--opaque")


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_a_program_in_front_would_be_lost(game, version):
    program = b"\x7fELF" + noise(7, 701)
    archive = game.add("game.x86_64", flat_archives.pck(ENTRIES, version=version, program=program))
    game.read(archive, places_of(archive, ENTRIES))
    game.refused("--take-apart", "game.*").says(archive, "the program in front of it", "--opaque")
    assert game.packed()[1] == {"game.x86_64": archive.read_bytes()}


def without_names(kind):
    if kind == "ba2":
        blob = moved_archives.ba2(ENTRIES, "GNRL")
        return blob[:16] + bytes(8) + blob[24:struct.unpack_from("<Q", blob, 16)[0]]
    blob = moved_archives.bsa(ENTRIES, 103)
    names = b"".join(name.rpartition("/")[2].encode() + b"\0" for name, _ in ENTRIES)
    for _, data in ENTRIES:
        place = struct.pack("<II", len(data), blob.index(data))
        assert place in blob
        blob = blob.replace(place, struct.pack("<II", len(data), blob.index(data) - len(names)))
    return blob[:12] + struct.pack("<I", 1) + blob[16:].replace(names, b"")


@pytest.mark.parametrize("kind", ["bsa", "ba2"])
def test_data_without_a_name_are_refused(game, kind):
    archive = game.add("game." + kind, without_names(kind))
    game.read(archive, places_of(archive, ENTRIES))
    game.refused("--take-apart", "game.*").says(archive, "data without a name")


# ---- directories that leave data out, and checksums ------------------------------------------------------------------

THREE = [("a/first.txt", noise(1, 7001)), ("a/middle.txt", noise(2, 7002)), ("a/last.txt", noise(3, 7003))]
WITH_SIZES = {
    "pck 1": flat_archives.pck, "pck 2": lambda e: flat_archives.pck(e, version=2, alignment=32),
    "pck 3": lambda e: flat_archives.pck(e, version=3, alignment=16), "pak": flat_archives.pak,
    "pak, directory first": lambda e: flat_archives.pak(e, directory_first=True),
    "vpk 1": lambda e: moved_archives.vpk(e, 1), "vpk 2": lambda e: moved_archives.vpk(e, 2),
    "bsa": lambda e: moved_archives.bsa(e, 103), "bsa of Morrowind": moved_archives.morrowind_bsa,
    "ba2": lambda e: moved_archives.ba2(e, "GNRL"),
}


@pytest.mark.parametrize("kind", WITH_SIZES)
@pytest.mark.parametrize("number, size", [(2, 60), (2, 0), (0, 0)])
def test_sizes_that_leave_data_out_are_noticed(game, kind, number, size):
    sound = WITH_SIZES[kind](THREE)
    archive = game.add("game.data", sound)
    game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
    assert game.packed("--take-apart", "*.data")[1] == dict(THREE)
    field = struct.pack("<I", len(THREE[number][1]))
    assert sound.count(field) == 1 or number == 0  # the second file's offset comes after the first one's size
    archive.write_bytes(sound.replace(field, struct.pack("<I", size), 1))
    game.refused("--take-apart", "*.data").says(archive, "belongs to no entry")


def with_field(blob, at, change, form="<I"):
    """Returns the archive with another number at this place."""
    blob = bytearray(blob)
    struct.pack_into(form, blob, at, struct.unpack_from(form, blob, at)[0] + change)
    return bytes(blob)


def junk_before_the_directory(blob):
    """The directory lies before all data, but not directly behind the header."""
    records = blob[12:12 + 64 * len(THREE)]
    for at in range(56, len(records), 64):
        records = with_field(records, at, 4)
    return b"PACK" + struct.pack("<I", 16) + blob[8:12] + b"JUNK" + records + blob[12 + len(records):]


def junk_before_the_info(version):
    blob = moved_archives.unreal_pak(THREE, version)
    info = blob.rindex(b"\xe1\x12\x6f\x5a") - (17 if version >= 7 else 1)
    return blob[:info] + b"JUNK" + blob[info:]


PCK_3 = flat_archives.pck(THREE, version=3, alignment=16)
LOOSE = {
    "pak": flat_archives.pak(THREE) + b"JUNK",
    "pak, directory too short": with_field(flat_archives.pak(THREE), 8, -64),
    "pak, before the directory": junk_before_the_directory(flat_archives.pak(THREE, directory_first=True)),
    "pck 3": PCK_3 + b"JUNK",
    "pck 3, count too low": with_field(PCK_3, struct.unpack_from("<Q", PCK_3, 32)[0], -1),
    "ba2": moved_archives.ba2(THREE, "GNRL") + b"JUNK",
    "pak of Unreal 4": junk_before_the_info(4),
    "pak of Unreal 8": junk_before_the_info(8),
    "pak of Unreal 11": junk_before_the_info(11),
}


@pytest.mark.parametrize("kind", LOOSE)
def test_bytes_outside_the_directory_are_noticed(game, kind):
    """They may be files that a damaged directory doesn't list."""
    archive = game.add("game.data", LOOSE[kind])
    game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
    game.refused("--take-apart", "*.data").says(archive, "belongs to no entry")


def test_zeros_behind_the_directory_are_padding(game):
    archive = game.add("game.pak", flat_archives.pak(THREE) + bytes(70))
    game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
    assert game.packed("--take-apart", "*.pak")[1] == dict(THREE)


@pytest.mark.parametrize("version", [1, 2])
def test_a_tree_of_valve_that_ends_early_is_noticed(game, version):
    """An empty file's ending begins with a zero, so the tree seems to be over."""
    blob = moved_archives.vpk([*THREE, ("a/empty.dat", b"")], version)
    archive = game.add("game.vpk", blob)
    game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
    assert "a/empty.dat" in game.packed("--take-apart", "*.vpk")[1]
    archive.write_bytes(blob.replace(b"dat\0", b"\0at\0"))
    game.refused("--take-apart", "*.vpk").says(archive, "belongs to no entry")


@pytest.mark.parametrize("version", [103, 105])
def test_folders_of_a_bsa_elsewhere_are_refused(game, version):
    archive = game.add("game.bsa", with_field(moved_archives.bsa(THREE, version), 8, 4))
    game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
    game.refused("--take-apart", "*.bsa").says(archive, "folders", "byte 40")


def test_an_empty_file_that_had_data_is_noticed(game):
    """The data are gone, so only the checksum shows it."""
    pck = flat_archives.pck([*THREE, ("a/empty.txt", b"")])
    vpk = moved_archives.vpk([*THREE, ("a/empty.txt", b"")], 1)
    for name, blob in (("a.pck", pck.replace(hashlib.md5(b"").digest(), hashlib.md5(b"?").digest())),
                       ("a.vpk", vpk.replace(b"empty\0" + bytes(4), b"empty\0" + b"1234"))):
        archive = game.add(name, blob)
        game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
        game.refused("--take-apart", name).says(archive, "a/empty.txt", "no data, but the checksum of some")


@pytest.mark.parametrize("kind", [kind for kind in WITH_SIZES if kind[:3] in ("pck", "vpk")])
def test_checksums_of_entries_are_checked(game, kind):
    blob = bytearray(WITH_SIZES[kind](THREE))
    archive = game.add("game.data", bytes(blob))
    game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
    layout, _ = game.planned("--take-apart", "*.data")
    game.tool.ok("pack", layout, "-o", game.folder / "sound", cwd=game.folder)
    blob[blob.index(THREE[1][1]) + 6000] ^= 1
    archive.write_bytes(blob)
    layout, _ = game.planned("--take-apart", "*.data")
    answer = game.tool.run("pack", layout, "-o", game.folder / "packs", cwd=game.folder)
    assert answer.says(archive, "a/middle.txt", "MD5" if "pck" in kind else "CRC-32").code == DAMAGED


def unreal_with(version, change):
    """Returns an archive whose first record in the index is changed, with the new checksum of the index."""
    blob = bytearray(moved_archives.unreal_pak(THREE, version))
    info = blob.rindex(b"\xe1\x12\x6f\x5a")
    at, size = struct.unpack_from("<QQ", blob, info + 8)
    change(blob, blob.index(b"a/first.txt\0", at) + 12)
    blob[info + 24:info + 44] = hashlib.sha1(blob[at:at + size]).digest()
    return bytes(blob)


@pytest.mark.parametrize("version", [4, 7, "8a", 8, 9])
def test_sizes_in_unreals_records_must_agree(game, version):
    archive = game.add("game.pak", unreal_with(version, lambda blob, at: None))
    game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
    assert game.packed("--take-apart", "*.pak")[1] == {"Game/Content/" + name: data for name, data in THREE}
    archive.write_bytes(unreal_with(version, lambda blob, at: struct.pack_into("<Q", blob, at + 16, 77)))
    game.refused("--take-apart", "*.pak").says(archive, "a/first.txt", "another size")


@pytest.mark.parametrize("version", [4, "8a", 8, 11])
@pytest.mark.parametrize("at", [0, 3, 9, 17, 24])
def test_records_before_unreals_files_are_compared(game, version, at):
    blob = bytearray(moved_archives.unreal_pak(THREE, version))
    archive = game.add("game.pak", blob)
    game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
    blob[at] ^= 1
    archive.write_bytes(blob)
    layout, _ = game.planned("--take-apart", "*.pak")
    answer = game.tool.run("pack", layout, "-o", game.folder / "packs", cwd=game.folder)
    assert answer.says(archive, "a/first.txt").code == DAMAGED


def test_a_checksum_that_a_packer_left_out_isnt_checked(game):
    blob = flat_archives.pck(THREE)
    for _, data in THREE:
        blob = blob.replace(hashlib.md5(data).digest(), bytes(16))
    archive = game.add("game.pck", blob)
    game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
    assert game.packed("--take-apart", "*.pck")[1] == dict(THREE)


# ---- names that can't be paths ---------------------------------------------------------------------------------------

def test_names_that_cant_be_paths_are_left_out_as_of_zips(game):
    archive = game.add("sub/game.pak", flat_archives.pak([*THREE, ("../x", b"x")]))
    game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
    kept = {"sub/" + name: data for name, data in THREE}
    assert game.packed("--take-apart", "**.pak")[1] == kept
    game.refused("--take-apart", "**.pak", "--strict").says(archive, "--exclude '../x'")
    shutil.rmtree(game.folder / "packs")
    shutil.rmtree(game.folder / "out")
    assert game.packed("--take-apart", "**.pak", "--strict", "--exclude", "../x")[1] == kept


def test_names_that_arent_utf8_are_refused(game):
    """Unlike zips, such archives don't say in which encoding they are."""
    blob = flat_archives.pak([*THREE, ("cafe.txt", b"x")]).replace(b"cafe", b"caf\xe9")
    archive = game.add("game.pak", blob)
    game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
    game.refused("--take-apart", "*.pak").says(archive, "entry 3", "UTF-8", "--exclude")
    assert game.packed("--take-apart", "*.pak", "--exclude", "caf*")[1] == dict(THREE)


def test_an_archive_of_only_such_names_is_refused(game):
    archive = game.add("game.pak", flat_archives.pak([("../x", b"x"), ("/y", b"y")]))
    loose = game.add("loose", b"loose")
    game.read(loose, [(0, 5)])
    game.refused("--take-apart", "*.pak").says(archive, "no path leads to any of its entries")


def test_the_next_command_takes_the_same_apart(game):
    archive = game.add("game.pck", flat_archives.pck(ENTRIES))
    game.add("old.psd", b"not packed")
    game.read(archive, places_of(archive, ENTRIES))
    options = ["--take-apart", "*.pck", "--keep-archives", "--exclude", "*.psd"]
    for command in (["profile", "-o", game.folder / "profile.json"], ["plan", "-o", game.folder / "layout.json"],
                    ["simulate"]):
        answer = game.run(*command, *options)
        assert answer.code == 0, str(answer)
        words = shlex.split(next(line for line in answer.text.splitlines() if line.startswith("next: "))[6:])
        if words[1] != "pack":
            assert words[words.index("--content") + 2:][:5] == options[2:3] + options[:2] + options[3:], words
        assert game.tool.run(*words[1:], cwd=game.folder).code == 0, words


@pytest.mark.parametrize("way", ["repack", "place"])
def test_prove_takes_nothing_apart_for_other_ways(game, way):
    archive = game.add("game.pck", flat_archives.pck(ENTRIES))
    game.read(archive, places_of(archive, ENTRIES))
    answer = game.run("prove", "--way", way, "--take-apart", "*.pck")
    assert answer.says("--take-apart", f"--way {way}").code == USAGE


# ---- names that meet -------------------------------------------------------------------------------------------------

def test_two_archives_with_one_path_are_refused(game):
    first = game.add("a.pak", flat_archives.pak(ENTRIES))
    second = game.add("b.pck", flat_archives.pck(ENTRIES[5:6]))
    game.read(first, places_of(first, ENTRIES))
    both = ("--take-apart", "*.pak", "--take-apart", "*.pck")
    game.refused(*both).says(first, second, ENTRIES[5][0], "--keep-archives")
    found = game.packed(*both, "--keep-archives")[1]
    assert found == {**{"a.pak/" + name: data for name, data in ENTRIES}, "b.pck/" + ENTRIES[5][0]: ENTRIES[5][1]}


@pytest.mark.parametrize("spelling, options", [("textures/05.dds", ()), ("Textures/05.DDS", ("--fold-case",))])
def test_an_archive_and_a_file_with_one_path_are_refused(game, spelling, options):
    archive = game.add("game.pak", flat_archives.pak(ENTRIES))
    loose = game.add(spelling, b"patched")
    game.read(archive, places_of(archive, ENTRIES))
    game.refused("--take-apart", "*.pak", *options).says(archive, loose, "--keep-archives")
    found = game.packed("--take-apart", "*.pak", *options, "--keep-archives")[1]
    assert found == {**{"game.pak/" + name: data for name, data in ENTRIES}, spelling: b"patched"}


def test_one_archive_with_one_path_twice_is_refused(game):
    archive = game.add("game.pak", flat_archives.pak([*ENTRIES, ("textures/05.dds", b"again")]))
    game.read(archive, places_of(archive, ENTRIES))
    game.refused("--take-apart", "*.pak").says(archive, "textures/05.dds", "--opaque")


def test_later_folders_win(game, tmp_path):
    archive = game.add("game.pak", flat_archives.pak(ENTRIES))
    patch = tmp_path / "patch"
    game.roots.append(patch)
    patch.mkdir()
    (patch / "patch.pck").write_bytes(flat_archives.pck([("textures/05.dds", b"patched")]))
    game.read(archive, places_of(archive, ENTRIES))
    _, told = game.planned("--take-apart", "*.p?k")
    assert "1 entry is hidden by later ones, such as 'textures/05.dds'" in told
    assert game.packed("--take-apart", "*.p?k")[1] == {**dict(ENTRIES), "textures/05.dds": b"patched"}


# ---- building --------------------------------------------------------------------------------------------------------

def test_a_build_reads_only_what_changed(tool, tmp_path):
    project = Project(tool, tmp_path / "game")
    archive = project.content / "engine.pck"
    archive.write_bytes(flat_archives.pck(ENTRIES))
    lines = []
    for at, size in places_of(archive, ENTRIES):
        lines += read_of(archive, at, size, at_s=len(lines))
    (project.folder / "traces" / "engine.1.strace").write_text("\n".join(lines) + "\n")
    project.configure(lock=None)
    settle()
    whole = project.build()["inputs"]["assets"]
    project.configure(lock=None, take_apart=["*.pck"])
    settle()
    assert project.build()["inputs"]["assets"] == whole - 1 + len(ENTRIES)

    def found():
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        tool.ok("extract", project.packs, "-o", tmp_path / "out")
        return {name: data for name, data in tree(tmp_path / "out").items() if name.endswith((".dds", ".nif"))}
    assert found() == dict(ENTRIES)
    assert project.written() == set()
    settle()
    # An entry that no load reads gets other bytes; all others stay where they are.
    changed = [(name, data[::-1] if name == "textures/15.dds" else data) for name, data in ENTRIES]
    archive.write_bytes(flat_archives.pck(changed))
    settle()
    assert project.written() == {"cold.skl"}
    assert found() == dict(changed)
    # An archive that can't be taken apart stops the build, and the packs stay.
    archive.write_bytes(b"GDPC" + struct.pack("<I", 9) + bytes(90))
    settle()
    tool.run("build", project.folder).says(archive, "version 9")
    assert found() == dict(changed)


def test_a_changed_archive_is_noticed(game):
    archive = game.add("game.pak", flat_archives.pak(ENTRIES))
    game.read(archive, places_of(archive, ENTRIES))
    layout, _ = game.planned("--take-apart", "*.pak")
    for entries in (ENTRIES[:9], ENTRIES[::-1], [(name + "x", data) for name, data in ENTRIES]):
        archive.write_bytes(flat_archives.pak(entries))
        answer = game.tool.run("pack", layout, "-o", game.folder / "packs", cwd=game.folder)
        assert answer.says("plan again").code == FAILED


@pytest.mark.parametrize("taken, name", [((), "foo/x.txt"), (("--keep-archives",), "sub/game.pak/foo/x.txt")])
def test_another_file_in_a_files_place_is_noticed(game, taken, name):
    """Its name is the end of the path, and it is as long."""
    entries = [("foo/x.txt", b"hello world"), ("foo/y.txt", noise(1, 900))]
    archive = game.add("sub/game.pak", flat_archives.pak(entries))
    game.read(archive, places_of(archive, entries, ["foo/y.txt"]))
    taken = "--take-apart", "**.pak", *taken
    assert game.packed(*taken)[1][name if "game" in name else "sub/" + name] == b"hello world"
    layout, _ = game.planned(*taken)
    archive.write_bytes(flat_archives.pak([("x.txt", b"HELLO WORLD"), entries[1]]))
    answer = game.tool.run("pack", layout, "-o", game.folder / "others", cwd=game.folder)
    assert answer.says(archive, "foo/x.txt", "plan again").code == FAILED


def test_another_mount_point_is_noticed(game):
    archive = game.add("game.pak", unreal_with(4, lambda blob, at: None))
    game.read(archive, places_of(archive, THREE, ["a/middle.txt"]))
    layout, _ = game.planned("--take-apart", "*.pak")

    def mount_elsewhere(blob, at):
        at = blob.index(b"../Game/Content/")
        blob[at:at + 16] = b"../Gone/Content/"
    archive.write_bytes(unreal_with(4, mount_elsewhere))
    answer = game.tool.run("pack", layout, "-o", game.folder / "packs", cwd=game.folder)
    assert answer.says(archive, "plan again").code == FAILED


# ---- damage ----------------------------------------------------------------------------------------------------------

MUTATIONS = int(os.environ.get("SEEKLESS_DAMAGED_ARCHIVES", 40))
TAKEN_KINDS = {kind: of for kind, of in DAMAGED_KINDS.items() if "zip" not in kind}


def taken_from(tool, folder, blob):
    """Returns the assets of a build; none if the archive was refused."""
    (folder / "content").mkdir(parents=True)
    (folder / "content" / "x.data").write_bytes(blob)
    (folder / "seekless.json").write_text('{"content": ["content"], "take_apart": ["*.data"], "keep_archives": true, '
                                          '"outputs": {"packs": {"folder": "packs"}}, "threads": 1}')
    answer = tool.run("build", folder)
    if answer.code != 0:
        answer.says("x.data")
        return None
    tool.ok("extract", folder / "packs", "-o", folder / "out")
    return tree(folder / "out")


@pytest.mark.thorough
@pytest.mark.parametrize("kind", TAKEN_KINDS)
def test_damaged_archives_give_no_wrong_byte(tool, tmp_path, kind):
    """What is taken from them is what an independent reader finds there."""
    write, read = TAKEN_KINDS[kind]
    generator = random.Random(kind)
    sound = write(SMALL_ENTRIES)
    structure = structure_of(sound, SMALL_ENTRIES)
    compared = 0
    for number in range(MUTATIONS):
        blob = mutation(kind, sound, structure, generator)
        found = taken_from(tool, tmp_path / str(number), blob)
        if found is None or found == {"x.data": blob}:
            continue
        listed = outcome(read, blob)
        known = {} if isinstance(listed, type) else {name: data for name, data, *_ in listed}
        for path, data in found.items():
            name = path.removeprefix("x.data/").removeprefix("Game/Content/")
            if isinstance(known.get(name), bytes):
                assert data == known[name], (number, name)
                compared += 1
    if taken_from(tool, tmp_path / "sound", sound) is not None:
        assert compared > MUTATIONS / 10
