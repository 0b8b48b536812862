"""Packs of games whose content lies in archives of engines: entries that lie there as they are become assets, as those of
zips do. An archive with any other entry stays one file, and the reason is named."""
import hashlib
import json
import pickle
import random
import struct
import zlib

import pytest

import flat_archives
import moved_archives
from game import noise
from project import Project, edit
from strace_lines import read_of
from tool import DAMAGED, FAILED, check_schema, tree

ENTRIES = [(f"textures/t{n:02}.tex", noise(n, 9_000 + 77 * n)) for n in range(24)] + [("sounds/one.wav", noise(50, 4096))]
EMPTY = ("textures/empty.txt", b"")
TWINS = [("twin/a.bin", noise(99, 5000)), ("twin/b.bin", noise(99, 5000))]


def with_changed_bytes(blob, old, new):
    """Changes the only place where `old` is."""
    assert blob.count(old) == 1
    return blob.replace(old, new)


def moved(kind):
    return lambda entries: moved_archives.KINDS[kind][0](entries)


def flat(make, **how):
    return lambda entries: make(entries, **how)


KINDS = {
    "pak": flat(flat_archives.pak),
    "pak, directory in front": flat(flat_archives.pak, directory_first=True),
    "pak, equal data once": flat(flat_archives.pak, share=True),
    "pck 1": flat(flat_archives.pck),
    "pck 2, aligned": flat(flat_archives.pck, version=2, alignment=4096),
    "pck 3": flat(flat_archives.pck, version=3, alignment=16),
    "pck 4": flat(flat_archives.pck, version=4, alignment=32),
    **{kind: moved(kind) for kind in moved_archives.KINDS
       if not any(word in kind for word in ("compressed", "textures", "first bytes"))},
}


class PlannedGame:
    """A folder with an archive in a subfolder and a loose file beside it."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        self.content = folder / "content"
        self.archive = self.content / "data" / "game.data"
        self.archive.parent.mkdir(parents=True)
        self.loose = self.content / "loose.bin"
        self.loose.write_bytes(noise(70, 3000))
        self.trace, self.layout, self.packs = folder / "load.strace", folder / "layout.json", folder / "packs"

    def record(self, contents):
        """Records a load that reads these stretches of the archive, and then the loose file."""
        blob, lines = self.archive.read_bytes(), []
        for number, content in enumerate(contents):
            lines += read_of(self.archive, blob.index(content), len(content), at_s=number)
        lines += read_of(self.loose, 0, 3000, at_s=len(contents))
        self.trace.write_text("\n".join(lines) + "\n")

    def plan(self, *options, command="ok"):
        return getattr(self.tool, command)("plan", self.trace, "--content", self.content, "-o", self.layout, "--budget", 1,
                                           *options)

    def packed(self, name="out"):
        """Packs what was planned; returns what the packs hold."""
        self.tool.ok("pack", self.layout, "-o", self.packs)
        self.tool.ok("verify", self.packs)
        self.tool.ok("extract", self.packs, "-o", self.folder / name)
        return tree(self.folder / name)

    def with_loose(self, assets):
        return {**assets, "loose.bin": self.loose.read_bytes()}


@pytest.fixture
def game(tool, tmp_path):
    return PlannedGame(tool, tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_entries_are_assets(game, kind):
    # An empty file of Ren'Py's leaves two fillers in a row, which aren't understood.
    empty = [] if kind.startswith("rpa") else [EMPTY]
    entries = [ENTRIES[0], *empty, *ENTRIES[1:], *TWINS]
    game.archive.write_bytes(KINDS[kind](entries))
    read = random.Random(kind).sample(ENTRIES, 9)
    game.record([content for _, content in read])
    warnings = game.plan().err
    assert "taken apart" not in warnings
    layout = json.loads(game.layout.read_text())
    check_schema(layout, "layout")
    load = [asset["path"] for pack in layout["packs"] if pack["kind"] == "sub" for asset in pack["assets"]]
    assert load == [f"data/{name}" for name, _ in read] + ["loose.bin"]
    assert game.packed() == game.with_loose({f"data/{name}": content for name, content in entries})


def test_names_are_those_of_entries_of_zips(game):
    game.archive.write_bytes(KINDS["pak"](ENTRIES))
    game.record([ENTRIES[3][1]])
    game.plan("--keep-archives", "--exclude", "**/textures/**")
    assert game.packed() == game.with_loose({"data/game.data/sounds/one.wav": ENTRIES[-1][1]})
    game.plan("--opaque", "data/*")
    assert game.packed("whole") == game.with_loose({"data/game.data": game.archive.read_bytes()})


def test_a_later_archive_hides_what_an_earlier_one_has(game):
    game.archive.write_bytes(KINDS["pak"](ENTRIES))
    later = [("textures/t03.tex", b"new"), ("textures/more.tex", b"more")]
    (game.archive.parent / "later.data").write_bytes(KINDS["vpk 2"](later))
    game.record([ENTRIES[3][1], ENTRIES[4][1]])
    assert "1 entry is hidden" in game.plan().err
    assert game.packed() == game.with_loose({f"data/{name}": content for name, content in [*ENTRIES, *later]})


def compressed_bsa():
    """Marks one entry of an archive that compresses none."""
    blob, size = moved_archives.bsa(ENTRIES, 105), len(ENTRIES[5][1])
    return with_changed_bytes(blob, struct.pack("<I", size), struct.pack("<I", size | 1 << 30))


def compressed_ba2():
    size = len(ENTRIES[5][1])
    blob = moved_archives.ba2(ENTRIES, "GNRL")
    return with_changed_bytes(blob, struct.pack("<II", 0, size), struct.pack("<II", size, 2 * size))


def unreal_index(blob, old, new):
    """Changes the index, and sets its checksum."""
    magic = blob.rindex(b"\xe1\x12\x6f\x5a")
    at, size = struct.unpack_from("<QQ", blob, magic + 8)
    index = with_changed_bytes(blob[at:at + size], old, new)
    changed = bytearray(blob[:at] + index + blob[at + size:])
    changed[magic + 24:magic + 44] = hashlib.sha1(index).digest()
    return bytes(changed)


def encrypted_unreal():
    """Encrypted data are filled up to 16 bytes, so that this takes an entry of such a length."""
    blob = moved_archives.unreal_pak(ENTRIES, 11)
    at = blob.index(ENTRIES[-1][1]) - 53
    return unreal_index(blob, struct.pack("<II", 7 << 29, at), struct.pack("<II", 7 << 29 | 1 << 22, at))


def unreal_with_two_names():
    """Two names of one record; only the first of them would be found."""
    tables = moved_archives.unreal_tables
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moved_archives, "unreal_tables",
                      lambda entries, places: tables([*entries, ("textures/again.tex", b"")], [*places, places[5]]))
        return moved_archives.unreal_pak(ENTRIES, 11)


def rpa_of_pieces():
    """A file in two pieces, which Ren'Py puts together."""
    blob = moved_archives.rpa(ENTRIES, "2.0")
    at = int(blob.split()[1], 16)
    index = pickle.loads(zlib.decompress(blob[at:]))
    (place, size, first), = index[ENTRIES[5][0]]
    index[ENTRIES[5][0]] = [(place, 1000, first), (place + 1000, size - 1000, first)]
    return blob[:at] + zlib.compress(pickle.dumps(index, 2))


MIXED = {
    "bsa, one entry compressed": (compressed_bsa, "Bethesda's BSA: entry 'textures/t05.tex' is compressed"),
    "bsa, paths before data": (lambda: moved_archives.bsa(ENTRIES, 104, 0x103), "its path before"),
    "bsa without names": (lambda: moved_archives.bsa(ENTRIES, 104, 1), "has no name"),
    "ba2, one entry compressed": (compressed_ba2, "Bethesda's BA2: entry 'textures/t05.tex' is compressed"),
    "ba2, textures": (lambda: moved_archives.ba2(ENTRIES, "DX10"), "piece"),
    "vpk, first bytes in the tree": (lambda: moved_archives.vpk(ENTRIES, 2, 100), "begins in the directory"),
    "rpa, first bytes in the index": (lambda: moved_archives.rpa(ENTRIES, prefix=7), "begins in the directory"),
    "rpa, a file of two pieces": (rpa_of_pieces, "entry 'textures/t05.tex' is a piece of a larger file"),
    "pck, encrypted": (lambda: flat_archives.pck([(n, d + bytes(-len(d) % 16 + 40)) for n, d in ENTRIES], version=4,
                                                 entry_flags=1), "is encrypted"),
    "pck, changes": (lambda: flat_archives.pck(ENTRIES, version=4, entry_flags=4), "changes one of another archive"),
    "pck in a program": (lambda: flat_archives.pck(ENTRIES, program=b"\x7fELF" + noise(7, 7000)), "lies in a program"),
    "pak of Unreal, one entry encrypted": (encrypted_unreal, "an UnrealPak: entry 'sounds/one.wav' is encrypted"),
    "pak of Unreal, two names": (unreal_with_two_names, "another one has several names"),
    "pak, a name twice": (lambda: flat_archives.pak([*ENTRIES, ENTRIES[5]]), "entry 'textures/t05.tex' is there twice"),
    "disc image": (lambda: moved_archives.rvz([content for _, content in ENTRIES]), "piece"),
}


@pytest.mark.parametrize("kind", MIXED)
def test_an_archive_with_another_entry_stays_one_file(game, kind):
    make, reason = MIXED[kind]
    game.archive.write_bytes(make())
    game.record([ENTRIES[number][1][200:400] for number in (1, 2, 9)])
    warnings = game.plan().err
    assert warnings.count("game.data") == 1 and reason in warnings, warnings
    assert game.packed() == game.with_loose({"data/game.data": game.archive.read_bytes()})
    assert "taken apart" not in game.plan("--opaque", "data/*").err


def grown(blob):
    return KINDS["pak"]([*ENTRIES, ("textures/new.tex", b"new")]), "bytes"


def of_another_order(blob):
    return KINDS["pak"](ENTRIES[::-1]), "entry"


def of_other_sizes(blob):
    entries = [(name, content[:-1] if n == 0 else content + b"x" if n == 1 else content) for n, (name, content) in
               enumerate(ENTRIES)]
    return KINDS["pak"](entries), "bytes"


def no_archive(blob):
    return b"none" + blob[4:], "entries"


@pytest.mark.parametrize("change", [grown, of_another_order, of_other_sizes, no_archive])
def test_an_archive_that_changes_after_planning_is_noticed(game, change):
    game.archive.write_bytes(KINDS["pak"](ENTRIES))
    game.record([ENTRIES[3][1]])
    game.plan()
    blob, found = change(game.archive.read_bytes())
    game.archive.write_bytes(blob)
    answer = game.tool.run("pack", game.layout, "-o", game.packs)
    assert answer.says("game.data", found, "plan again").code == FAILED
    assert not game.packs.exists()


def test_entries_are_found_where_they_lie_when_they_are_packed(game):
    """An archive that `repack` wrote after planning has other places, and the same entries."""
    game.archive.write_bytes(KINDS["pak"](ENTRIES))
    game.record([ENTRIES[3][1]])
    game.plan()
    other = flat_archives.pak(ENTRIES, directory_first=True)
    assert len(other) == game.archive.stat().st_size
    game.archive.write_bytes(other)
    assert game.packed() == game.with_loose({f"data/{name}": content for name, content in ENTRIES})


def test_a_build_notices_bytes_that_change_within_an_archive(tool, tmp_path):
    """The directory stays as it is: it has no checksums of the data."""
    project = Project(tool, tmp_path / "game", assets=40)
    archive = project.content / "in" / "game.pak"
    archive.parent.mkdir()
    archive.write_bytes(KINDS["pak"]([*ENTRIES, *TWINS]))
    project.build()
    assert not project.build()["changed"]
    changed = [(name, b"X" + content[1:] if name in ("textures/t05.tex", "twin/b.bin") else content)
               for name, content in [*ENTRIES, *TWINS]]
    edit(archive, KINDS["pak"](changed))
    assert sorted(project.build()["changes"]["changed"]) == ["in/textures/t05.tex", "in/twin/b.bin"]
    tool.ok("verify", project.packs)
    tool.ok("extract", project.packs, "-o", tmp_path / "out")
    out = tree(tmp_path / "out")
    assert {name: out[f"in/{name}"] for name, _ in changed} == dict(changed)


def test_warm_reads_what_a_layout_names(game):
    game.archive.write_bytes(KINDS["pak of Unreal 8"](ENTRIES))
    game.record([ENTRIES[3][1]])
    game.plan()
    answer = game.tool.json("warm", game.layout, "--dry-run", "--content", game.content)
    check_schema(answer, "results/warm")
    assert answer["bytes"] >= len(ENTRIES[3][1]) + 3000


@pytest.mark.parametrize("kind", ["pak", "pck 2, aligned", "pck 3", "bsa 105", "bsa of Morrowind", "ba2, general", "vpk 2",
                                  "rpa 3.0", "pak of Unreal 7", "pak of Unreal 11"])
def test_damaged_archives_give_their_own_bytes_or_none(game, kind):
    """Any asset is a stretch of the damaged archive, or all of it."""
    blob = KINDS[kind](ENTRIES)
    game.archive.write_bytes(blob)
    game.record([ENTRIES[3][1]])
    places = {byte for name, content in ENTRIES for at in [blob.index(content)] for byte in range(at, at + len(content))}
    directory = sorted(set(range(len(blob))) - places)
    chance = random.Random(kind)
    for number in range(25):
        bad = bytearray(blob)
        for at in chance.sample(directory, chance.choice((1, 1, 2, 8))):
            bad[at] = chance.choice((0, 1, 0x7F, 0xFF, chance.randrange(256)))
        if number % 5 == 4:
            del bad[chance.randrange(len(bad)):]
        game.archive.write_bytes(bad)
        answer = game.plan(command="run")
        assert answer.code in (0, FAILED, DAMAGED), str(answer)
        if answer.code != 0:
            continue
        for path, content in game.packed(f"out{number}").items():
            assert content in bytes(bad) or path == "loose.bin"
