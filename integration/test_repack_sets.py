"""Sets of Valve's VPKs (pak01_dir.vpk, pak01_000.vpk, ...) in load order. Whatever happens, the directory in place names
parts that are there and hold the right bytes, and `restore` leaves the folder as it was."""
import hashlib
import io
import itertools
import os
import random
import re
import signal
import struct
import subprocess
import zipfile
import zlib

import pytest

from game import noise
from moved_archives import split
from repacked_game import RepackedGame, repacked
from test_repack_foreign import by_others, needs_tools, sums_by
from tool import DAMAGED, DONE, FAILED, strace_can_inject, tree

THIS_FILE, PIECE = 0x7FFF, 1 << 20
# The parts get too much content for the order not to matter: Linux reads 128 KiB ahead.
ENTRIES = [(f"materials/{n:02}.vtf", noise(n, 150_000 + 77 * n)) for n in range(24)] + \
    [("models/deep/a.mdl", noise(99, 5000)), ("models/twin.mdl", noise(99, 5000)), ("readme.txt", noise(3, 300))]


def piece_sums(part, data):
    return b"".join(struct.pack("<III", part, at, len(data[at:at + PIECE])) + hashlib.md5(data[at:at + PIECE]).digest()
                    for at in range(0, len(data), PIECE))


def directory(records, version, own=b"", sums=b"", signature=b""):
    """`records` are (name, CRC, first bytes, part, offset, size)."""
    tree_bytes = b""
    key = lambda record: (record[0].rpartition(".")[2], split(record[0])[0])
    for (ending, folder), group in itertools.groupby(sorted(records, key=key), key):
        tree_bytes += ending.encode() + b"\0" + (folder or " ").encode() + b"\0"
        for name, crc, first, part, offset, size in group:
            stem = split(name)[1].rpartition(".")[0]
            tree_bytes += stem.encode() + b"\0" + struct.pack("<IHHIIH", crc, len(first), part, offset, size, 0xFFFF) + first
        tree_bytes += b"\0\0"
    tree_bytes += b"\0"
    if version == 1:
        return struct.pack("<III", 0x55AA1234, 1, len(tree_bytes)) + tree_bytes + own
    head = struct.pack("<7I", 0x55AA1234, 2, len(tree_bytes), len(own), len(sums), 48, len(signature))
    body = head + tree_bytes + own + sums + hashlib.md5(tree_bytes).digest() + hashlib.md5(sums).digest()
    return body + hashlib.md5(body).digest() + signature


def parse(blob):
    """Returns the directory's records, its own data and the sums of pieces, after checking all MD5s."""
    _, version, tree_bytes = struct.unpack_from("<III", blob)
    at, sums, own_bytes = (12, b"", len(blob)) if version == 1 else (28, b"", struct.unpack_from("<I", blob, 12)[0])
    base, records = at + tree_bytes, []
    if version == 2:
        sums_bytes, = struct.unpack_from("<I", blob, 16)
        sums = blob[base + own_bytes:base + own_bytes + sums_bytes]
        assert len(blob) == base + own_bytes + sums_bytes + 48
        assert blob[-48:-32] == hashlib.md5(blob[at:base]).digest() and blob[-32:-16] == hashlib.md5(sums).digest()
        assert blob[-16:] == hashlib.md5(blob[:-16]).digest()

    def text():
        nonlocal at
        end = blob.index(b"\0", at)
        value, at = blob[at:end].decode(), end + 1
        return value
    while ending := text():
        while folder := text():
            while stem := text():
                crc, first, part, offset, size, end = struct.unpack_from("<IHHIIH", blob, at)
                assert end == 0xFFFF
                name = ("" if folder == " " else folder + "/") + f"{stem}.{ending}"
                records.append((name, crc, blob[at + 18:at + 18 + first], part, offset, size))
                at += 18 + first
    return records, blob[base:base + own_bytes], sums


class Set:
    """A folder with a set, and what an engine finds in it."""

    def __init__(self, folder, version=2, first=0, parts=3, with_sums=False, own=(), entries=ENTRIES, name="pak01"):
        self.folder, self.name = folder, name
        data = [bytearray() for _ in range(parts)]
        records, own_data = [], bytearray()
        for number, (path, content) in enumerate(entries):
            part = THIS_FILE if path in own else number % parts
            into = own_data if path in own else data[part]
            rest = content[first:]
            records.append((path, zlib.crc32(content), content[:first], part, len(into), len(rest)))
            into += rest
        sums = b"".join(piece_sums(part, bytes(data[part])) for part in range(parts)) if with_sums else b""
        self.path.write_bytes(directory(records, version, bytes(own_data), sums))
        for part in range(parts):
            self.part(part).write_bytes(data[part])

    @property
    def path(self):
        return self.folder / f"{self.name}_dir.vpk"

    def part(self, number):
        return self.folder / f"{self.name}_{number:03}.vpk"

    def records(self, folder=None):
        return {record[0]: record for record in parse(((folder or self.folder) / self.path.name).read_bytes())[0]}

    def contents(self, folder=None):
        """Returns the files by name, as an engine reads them, after checking every sum."""
        folder = folder or self.folder
        blob = (folder / self.path.name).read_bytes()
        records, own, sums = parse(blob)
        found = {}
        for name, crc, first, part, offset, size in records:
            data = own if part == THIS_FILE else (folder / self.part(part).name).read_bytes()
            assert offset + size <= len(data)
            found[name] = first + data[offset:offset + size]
            assert zlib.crc32(found[name]) == crc
        for at in range(0, len(sums), 28):
            part, offset, size = struct.unpack_from("<III", sums, at)
            piece = (folder / self.part(part).name).read_bytes()[offset:offset + size]
            assert len(piece) == size and hashlib.md5(piece).digest() == sums[at + 12:at + 28]
        return found


class Game(RepackedGame):
    def read(self, archives, names):
        records = archives.records()
        for name in names:
            _, _, _, part, offset, size = records[name]
            self.record(archives.part(part), [(offset, size)])


@pytest.fixture
def game(tool, tmp_path):
    return Game(tool, tmp_path)


def some_names(seed, count=12):
    return random.Random(seed).sample([name for name, _ in ENTRIES if name.startswith("materials")], count)


def inodes(folder):
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns, path.stat().st_mode) for path in folder.iterdir()}


KINDS = {
    "1": {"version": 1},
    "2": {"version": 2},
    "2, first bytes in the tree": {"version": 2, "first": 100},
    "2, sums of pieces": {"version": 2, "with_sums": True},
    "1, some in the directory": {"version": 1, "own": ("readme.txt", "materials/03.vtf")},
    "2, some in the directory": {"version": 2, "own": ("readme.txt", "materials/03.vtf"), "with_sums": True, "first": 7},
}


@pytest.mark.parametrize("kind", KINDS)
def test_entries_stay_and_lie_in_load_order(game, kind):
    archives = Set(game.content, **KINDS[kind])
    assert archives.contents() == dict(ENTRIES)
    names = [name for name in some_names(kind) if name not in KINDS[kind].get("own", ())]
    game.read(archives, names)
    before, places = tree(game.content), inodes(game.content)
    assert repacked(game.json("-o", game.output)) == [("pak01_dir.vpk", True)]
    assert tree(game.content) == before
    out = tree(game.output)
    assert archives.contents(game.output) == dict(ENTRIES)
    answer = game.repack()
    assert repacked(answer) == [("pak01_dir.vpk", True)]
    after = {name: data for name, data in tree(game.content).items() if not name.startswith(".seekless")}
    assert {name: data for name, data in out.items() if not name.startswith(".seekless")} == after
    assert after.keys() == before.keys() | {"pak01_003.vpk"}
    assert {name for name in before if after[name] != before[name]} == {"pak01_dir.vpk"}
    assert {name: inodes(game.content)[name] for name in before if name != "pak01_dir.vpk"} == \
        {name: place for name, place in places.items() if name != "pak01_dir.vpk"}
    assert archives.contents() == dict(ENTRIES)
    records = archives.records()
    assert {name for name in records if records[name][3] == 3} == set(names)
    in_order = [records[name][4] for name in names]
    assert sum(b < a for a, b in zip(in_order, in_order[1:])) <= 4
    game.restore()
    assert tree(game.content) == before and inodes(game.content) == places
    assert answer["bytes_after"] - answer["bytes_before"] == sum(map(len, after.values())) - sum(map(len, before.values()))


def test_the_dry_run_changes_nothing_and_foresees_a_gain(game):
    archives = Set(game.content, entries=[(f"sound/{n:03}.wav", noise(n, 400_000)) for n in range(60)], parts=6)
    game.read(archives, random.Random(1).sample(sorted(archives.records()), 40))
    before = tree(game.content)
    forecast = game.json("--in-place", "--dry-run", "--drive", "wd-black-1tb")["forecast"]["scenarios"][0]
    assert tree(game.content) == before
    assert forecast["after"]["seeks"] * 3 < forecast["before"]["seeks"]
    assert forecast["after"]["seconds"] * 1.5 < forecast["before"]["seconds"]


def assert_others_read(game, archives):
    before, expected = tree(game.content), sorted([name, hashlib.sha256(data).hexdigest()] for name, data in ENTRIES)
    assert archives.part(1).exists() and archives.contents() == dict(ENTRIES)
    game.read(archives, some_names(1))
    game.json("-o", game.output)
    game.repack()
    for folder in (game.content, game.output):
        assert archives.contents(folder) == dict(ENTRIES)
        for reader in ("srctools", "vpk"):
            assert sums_by(reader, folder / "pak01_dir.vpk") == expected, reader
    game.restore()
    assert tree(game.content) == before


@needs_tools
def test_others_read_what_another_wrote(game, tmp_path):
    folder = tmp_path / "files"
    for name, data in ENTRIES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    by_others("write", "vpk 1 in several files", game.content / "pak01_dir.vpk", folder)
    archives = Set.__new__(Set)
    archives.folder, archives.name = game.content, "pak01"
    assert_others_read(game, archives)


@needs_tools
@pytest.mark.parametrize("kind", KINDS)
def test_others_read_the_same(game, kind):
    assert_others_read(game, Set(game.content, **KINDS[kind]))


def test_the_same_recordings_again_make_the_same(game):
    """The second run makes the set from its original. The first new part goes once the second is in use."""
    archives = Set(game.content)
    before = tree(game.content)
    game.read(archives, some_names(1))
    game.repack()
    first = archives.part(3).read_bytes()
    assert "from their originals again" in game.run("--in-place", "--force").text
    assert archives.contents() == dict(ENTRIES)
    assert archives.part(4).read_bytes() == first and not archives.part(3).exists()
    assert repacked(game.repack()) == [("pak01_dir.vpk", True)]
    assert archives.part(3).read_bytes() == first and not archives.part(4).exists()
    game.restore()
    assert tree(game.content) == before


def test_recordings_of_after_are_taken_as_they_are(game):
    """Entries that nobody reads any more move out of the first new part, too, so that it can go."""
    archives = Set(game.content, with_sums=True)
    before = tree(game.content)
    first = some_names(1)
    game.read(archives, first)
    game.repack()
    game.new_recording()
    second = list(reversed(first[3:])) + [name for name in some_names(2) if name not in first]
    game.read(archives, second)
    answer = game.run("--in-place", "--force")
    assert answer.code == DONE and "originals again" not in answer.text
    assert archives.contents() == dict(ENTRIES)
    assert not archives.part(3).exists()
    assert {name for name, record in archives.records().items() if record[3] == 4} == {*first, *second}
    game.restore()
    assert tree(game.content) == before


@pytest.mark.parametrize("moved", [0, 1, 2])
@pytest.mark.parametrize("from_originals", [False, True])
def test_recordings_mostly_of_entries_that_stayed_can_be_told(game, from_originals, moved):
    """Where these lie says nothing."""
    archives = Set(game.content)
    names = some_names(1)
    stayed = [name for name, _ in ENTRIES if name not in names]
    read = names[:moved] + stayed
    game.read(archives, names)
    old = game.trace.read_bytes()
    game.new_recording()
    game.read(archives, read)
    of_originals = game.trace.read_bytes()
    game.trace.write_bytes(old)
    game.repack()
    game.new_recording()
    game.read(archives, read)
    if from_originals:
        game.trace.write_bytes(of_originals)
    done = game.run("--in-place", "--force")
    assert done.code == DONE, done.err
    assert ("originals again" in done.text) == (from_originals and moved > 0)
    assert archives.contents() == dict(ENTRIES)


def test_an_original_that_an_update_replaced_cannot_be_asked_for(game):
    archives = Set(game.content)
    game.read(archives, some_names(1))
    game.repack()
    updated(archives)
    before = tree(game.content)
    refused = game.run("-o", game.output, "--recorded", "originals").says("pak01_dir.vpk", "--recorded originals")
    assert refused.code == FAILED
    assert tree(game.content) == before


def test_several_sets_and_other_archives_are_repacked_together(game):
    from moved_archives import vpk
    sets = [Set(game.content, name=name, version=version) for name, version in (("pak01", 1), ("hl2_misc", 2))]
    alone = game.add("addon.vpk", vpk(ENTRIES, 2))
    before = tree(game.content)
    for name in some_names(5):
        for archives in sets:
            game.read(archives, [name])
        game.record(alone, [(alone.read_bytes().index(dict(ENTRIES)[name]), len(dict(ENTRIES)[name]))])
    assert repacked(game.repack()) == [("addon.vpk", True), ("hl2_misc_dir.vpk", True), ("pak01_dir.vpk", True)]
    assert all(archives.contents() == dict(ENTRIES) for archives in sets)
    assert len(game.restore()["restored"]) == 3
    assert tree(game.content) == before


def names_in(folder):
    return {name for name in tree(folder) if not name.startswith(".seekless")}


def test_an_output_has_the_parts_that_its_directory_names(game):
    archives = Set(game.content)
    archives.part(3).write_bytes(b"somebody's")
    game.read(archives, some_names(1))
    game.json("-o", game.output)
    whole = {"pak01_dir.vpk", *(f"pak01_{part:03}.vpk" for part in (0, 1, 2, 4))}
    assert names_in(game.output) == whole and archives.contents(game.output) == dict(ENTRIES)
    game.repack()
    assert "from their originals again" in game.run("-o", game.output, "--force").text
    assert archives.contents(game.output) == dict(ENTRIES)
    assert names_in(game.output) == whole - {"pak01_004.vpk"} | {"pak01_005.vpk"}


def add_another(game):
    from moved_archives import vpk
    alone = game.add("addon.vpk", vpk(ENTRIES, 2))
    game.record(alone, [(alone.read_bytes().index(dict(ENTRIES)[name]), 150_000) for name in some_names(2)])


@pytest.mark.parametrize("option", ["--exclude", "--opaque"])
def test_a_set_with_a_part_that_is_left_out_is_left_out(game, option):
    archives = Set(game.content)
    game.read(archives, some_names(1))
    add_another(game)
    before = tree(game.content)
    assert "'pak01_001.vpk' is left out" in game.run("-o", game.output, option, "pak01_001.vpk").err
    assert names_in(game.output) == {"addon.vpk"}
    game.repack(option, "pak01_001.vpk")
    after = tree(game.content)
    assert {name: after[name] for name in before if name != "addon.vpk"} == \
        {name: data for name, data in before.items() if name != "addon.vpk"}


def test_a_set_that_stays_is_not_in_the_output_without_its_parts(game):
    archives = Set(game.content)
    game.read(archives, some_names(1))
    sign(archives)
    add_another(game)
    assert "not in the output: it is signed" in game.run("-o", game.output).text
    assert names_in(game.output) == {"addon.vpk"}


def a_zip(seed):
    """Maps of Source end as zips do."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(40):
            archive.writestr(f"{number:02}.txt", noise(seed + number, 3000) + bytes(5000))
    return file.getvalue()


def read_zip(game, path):
    """Records reads of a_zip() in another order than that of its entries."""
    with zipfile.ZipFile(path) as archive:
        at = [archive.getinfo(f"{number:02}.txt").header_offset for number in (30, 2, 17, 9)]
    game.record(path, [(offset, 3000) for offset in at])


# The first part begins and ends as a zip, and the others look like archives at their end or begin.
ZIP_LIKE = [("maps/first.bsp", a_zip(1)), *ENTRIES[:22], ("addons/inner.vpk", b"\x34\x12\xAA\x55" + noise(5, 9000)),
            ("maps/last.bsp", a_zip(2))]


@pytest.mark.parametrize("options", [[], ["--exclude", "pak01_dir.vpk"], ["--opaque", "pak01_dir.vpk"],
                                     ["--exclude", "pak01_001.vpk"]], ids=" ".join)
@pytest.mark.parametrize("is_signed", [False, True])
def test_a_part_is_no_archive_of_its_own(game, is_signed, options):
    archives = Set(game.content, entries=ZIP_LIKE)
    assert zipfile.is_zipfile(archives.part(0)) and archives.part(0).read_bytes().startswith(b"PK")
    content = archives.contents()
    end = archives.part(0).stat().st_size
    game.record(archives.part(0), [(end - at, 200) for at in (3000, 90_000, 30_000, 60_000)])
    game.read(archives, ["maps/last.bsp", *some_names(1, 3)])
    if is_signed:
        sign(archives)
    before = tree(game.content)
    done = game.run("--in-place", "--force", *options)
    assert done.code in (DONE, FAILED, DAMAGED) and "cut short" not in done.err, done.err
    after = {name: data for name, data in tree(game.content).items() if not name.startswith(".seekless")}
    stays = bool(options) or is_signed
    assert {name for name in after if after[name] != before.get(name)} == \
        (set() if stays else {"pak01_dir.vpk", "pak01_003.vpk"})
    assert is_signed or archives.contents() == content
    game.restore()
    assert tree(game.content) == before


def test_a_directory_that_ends_like_a_zip_is_a_directory(game):
    archives = Set(game.content, version=1, own=("maps/last.bsp",), entries=ZIP_LIKE)
    assert zipfile.is_zipfile(archives.path)
    content, before = archives.contents(), tree(game.content)
    game.read(archives, some_names(1, 3))
    assert repacked(game.repack()) == [("pak01_dir.vpk", True)]
    assert archives.contents() == content
    game.restore()
    assert tree(game.content) == before


def test_an_archive_of_one_file_that_ends_like_a_zip_is_no_zip(game):
    """Such as most add-ons with a map."""
    names = [name for name, _ in ZIP_LIKE]
    addon = game.content / "addon.vpk"
    archives = Set(game.content, version=1, parts=0, own=names, entries=ZIP_LIKE)
    archives.path.rename(addon)
    assert zipfile.is_zipfile(addon)
    records, own, _ = parse(addon.read_bytes())
    base = addon.stat().st_size - len(own)
    places = {record[0]: (base + record[4], record[5]) for record in records}
    game.record(addon, [places[name] for name in ("maps/last.bsp", *some_names(1, 5))])
    before = addon.read_bytes()
    assert repacked(game.repack()) == [("addon.vpk", True)]
    assert addon.read_bytes() != before
    records, own, _ = parse(addon.read_bytes())
    assert {record[0]: own[record[4]:record[4] + record[5]] for record in records} == dict(ZIP_LIKE)


def test_an_output_has_parts_like_zips_once(game):
    archives = Set(game.content, entries=ZIP_LIKE)
    game.read(archives, ["maps/last.bsp", *some_names(1, 3)])
    assert repacked(game.json("-o", game.output)) == [("pak01_dir.vpk", True)]
    assert archives.contents(game.output) == archives.contents()


# ---- sets that stay as they are ----------------------------------------------------------------------------------------

def cut_part(archives):
    archives.part(1).write_bytes(archives.part(1).read_bytes()[:-1])


def remove_part(archives):
    archives.part(1).unlink()


def change_records(change):
    def damage(archives):
        records, own, sums = parse(archives.path.read_bytes())
        archives.path.write_bytes(directory([change(record) for record in records], 2, own, sums))
    return damage


def add_second_directory(archives):
    (archives.folder / "pak01_DIR.vpk").write_bytes(archives.path.read_bytes())


def sign(archives):
    records, own, sums = parse(archives.path.read_bytes())
    archives.path.write_bytes(directory(records, 2, own, sums, signature=bytes(64)))


def damage_entry(archives):
    for number in range(3):
        archives.part(number).write_bytes(bytes(byte ^ 1 for byte in archives.part(number).read_bytes()))


def damage_sum(archives):
    archives.path.write_bytes(archives.path.read_bytes()[:-1] + b"!")


def odd_sums(archives):
    records, own, _ = parse(archives.path.read_bytes())
    archives.path.write_bytes(directory(records, 2, own, b"odd"))


def sums_of(change):
    """Gives the directory these checksums of pieces; `change` gets those of a sound one, in rows."""
    def damage(archives):
        records, own, _ = parse(archives.path.read_bytes())
        sums = b"".join(piece_sums(part, archives.part(part).read_bytes()) for part in range(3))
        rows = [sums[at:at + 28] for at in range(0, len(sums), 28)]
        archives.path.write_bytes(directory(records, 2, own, b"".join(change(rows))))
    return damage


def short_pieces(rows):
    return [struct.pack("<III", 0, at, 100) + bytes(16) for at in range(0, 1000, 100)]


FAULTS = {
    "a part is cut": (cut_part, "pak01_001.vpk', which has only"),
    "a part is missing": (remove_part, "pak01_001.vpk', with the data of its entry"),
    "an entry lies beyond its part": (change_records(lambda r: r if r[0] != "readme.txt" else (*r[:4], r[4] + 9, r[5])),
                                      "entry 'readme.txt' ends at byte"),
    "entries overlap": (change_records(lambda r: r if r[0] != "materials/06.vtf" else (*r[:4], r[4] - 9, r[5])),
                        "lies in part over"),
    "another part is named": (change_records(lambda r: r if r[0] != "readme.txt" else (*r[:3], 7, *r[4:])),
                              "pak01_007.vpk', with the data of its entry 'readme.txt', is missing"),
    "no part can have that number": (change_records(lambda r: r if r[0] != "readme.txt" else (*r[:3], 0x8001, *r[4:])),
                                     "lies in part 32769"),
    "two directories": (add_second_directory, "names the files beside it, too"),
    "signed": (sign, "signed"),
    "other bytes in an entry": (damage_entry, "checksum"),
    "another MD5 of the directory": (damage_sum, "checksums at its end"),
    "sums that aren't understood": (odd_sums, "checksums of pieces"),
    "sums of another kind": (sums_of(lambda rows: [row[:2] + b"\1\0" + row[4:] for row in rows]), "that aren't MD5s"),
    "sums in another order": (sums_of(lambda rows: rows[::-1]), "that aren't in order"),
    "sums of short pieces": (sums_of(short_pieces), "checksums of pieces of 100 bytes"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faulty_sets_stay_as_they_are(game, fault):
    damage, reason = FAULTS[fault]
    archives = Set(game.content)
    game.read(archives, some_names(fault))
    damage(archives)
    before = tree(game.content)
    done = game.run("--in-place", "--force")
    assert reason in done.text + done.err, done.text + done.err
    assert {name: data for name, data in tree(game.content).items() if not name.startswith(".seekless")} == before
    assert not (game.content / ".seekless-originals" / "files").exists()
    game.restore()
    assert tree(game.content) == before


def test_a_set_whose_directory_has_a_link_elsewhere_stays(game):
    """The new part would be missing beside the link."""
    for name in ("hl2", "mod"):
        (game.content / name).mkdir()
    archives = Set(game.content / "hl2")
    for path in sorted((game.content / "hl2").iterdir()):
        (game.content / "mod" / path.name).symlink_to(f"../hl2/{path.name}")
    game.read(archives, some_names(1))
    before = tree(game.content)
    assert "'mod/pak01_dir.vpk' links to it" in game.run("--in-place", "--force").text
    game.restore()
    assert tree(game.content) == before


def test_a_set_whose_directory_has_a_link_beside_it_stays(game):
    archives = Set(game.content)
    for path in sorted(game.content.iterdir()):
        path.with_name(path.name.replace("pak01", "other")).symlink_to(path.name)
    game.read(archives, some_names(1))
    before = tree(game.content)
    assert "'other_dir.vpk' links to it" in game.run("--in-place", "--force").text
    game.restore()
    assert tree(game.content) == before


def test_a_file_of_another_format_names_no_parts(game):
    """Then a zip with the name of a part is an archive of its own."""
    game.add("data_dir.vpk", b"not a directory")
    path = game.add("data_000.vpk", a_zip(1))
    read_zip(game, path)
    assert repacked(game.repack()) == [("data_000.vpk", True)]


@pytest.mark.skipif(not strace_can_inject(), reason="needs strace and the right to trace")
def test_names_of_parts_cost_one_listing_of_their_folder(game):
    for number in range(600):
        game.add(f"part_{number:03}.vpk", b"a file that no directory names")
    game.record(game.add("a.zip", a_zip(1)), [(0, 3000)])
    log = game.content.parent / "openings"
    plan = game.tool.command("plan", game.trace, "--content", game.content, "-o", game.output)
    subprocess.run(["strace", "-f", "-o", log, "-e", "trace=openat", *plan], check=True, capture_output=True)
    listed = [line for line in log.read_text().splitlines() if str(game.content) in line and "O_DIRECTORY" in line]
    assert 1 <= len(listed) < 6


def test_a_part_without_a_directory_is_a_file(game):
    archives = Set(game.content)
    game.read(archives, some_names(1))
    archives.path.unlink()
    before = tree(game.content)
    assert game.run("--in-place", "--force").code == FAILED
    assert tree(game.content) == before


def test_damaged_directories_are_told(game):
    """Whatever one byte of a directory says, the set either stays or keeps every file."""
    archives = Set(game.content, version=1, entries=ENTRIES[:8])
    game.read(archives, [name for name, _ in ENTRIES[:8]][::-1])
    sound, expected = archives.path.read_bytes(), dict(ENTRIES[:8])
    rng = random.Random(7)
    for _ in range(40):
        blob = bytearray(sound)
        blob[rng.randrange(len(blob))] ^= 1 << rng.randrange(8)
        archives.path.write_bytes(blob)
        before = tree(game.content)
        done = game.run("--in-place", "--force")
        assert done.code in (DONE, DAMAGED, FAILED), done.err
        if done.code == DONE and archives.path.read_bytes() != bytes(blob):
            found = archives.contents()
            assert sorted(found.values()) == sorted(expected.values())
        game.restore()
        assert tree(game.content) == before


# ---- updates, launchers, other hands -----------------------------------------------------------------------------------

def updated(archives):
    """A launcher replaces the directory and a part; returns the new content."""
    entries = [(name, data[::-1] if number % 3 == 1 else data) for number, (name, data) in enumerate(ENTRIES)]
    Set(archives.folder, entries=entries)
    return dict(entries)


def test_a_launcher_that_puts_the_original_back_is_followed(game):
    archives = Set(game.content)
    before = tree(game.content)
    game.read(archives, some_names(1))
    game.repack()
    archives.path.write_bytes(before["pak01_dir.vpk"])
    game.repack()
    assert archives.contents() == dict(ENTRIES)
    archives.path.unlink()
    archives.path.write_bytes(before["pak01_dir.vpk"])
    assert game.restore()["unchanged"] == ["pak01_dir.vpk"]
    assert tree(game.content) == before


def test_an_update_stays_in_place(game):
    """The old directory doesn't fit the new parts, so that the game wouldn't start with it."""
    archives = Set(game.content)
    original = archives.path.read_bytes()
    game.read(archives, some_names(1))
    game.repack()
    content = updated(archives)
    new = tree(game.content)
    refused = game.tool.run("restore", game.content).says("pak01_dir.vpk", "--force", "fits the files beside it")
    assert refused.code == FAILED and tree(game.content) == new
    assert game.run("--in-place", "--force").code != DONE
    assert game.run("-o", game.output).code != DONE or archives.contents(game.output) == content
    assert archives.contents() == content
    assert game.restore("--force")["outdated"] == [str(game.content / "pak01_dir.vpk.original")]
    assert archives.contents() == content
    left = tree(game.content)
    assert left.pop("pak01_dir.vpk.original") == original
    assert left.keys() == {"pak01_dir.vpk", "pak01_000.vpk", "pak01_001.vpk", "pak01_002.vpk"}


def test_a_damaged_directory_goes_aside(game):
    """The files beside it still fit the original."""
    archives = Set(game.content)
    before = tree(game.content)
    game.read(archives, some_names(1))
    game.repack()
    cut = archives.path.read_bytes()[:-7]
    archives.path.write_bytes(cut)
    refused = game.tool.run("restore", game.content).says("pak01_dir.vpk", "--force keeps it under another name")
    assert refused.code == FAILED
    assert game.restore("--force")["set_aside"] == [str(archives.path) + ".changed"]
    assert tree(game.content) == {**before, "pak01_dir.vpk.changed": cut}


def test_an_original_does_not_come_back_without_its_parts(game):
    archives = Set(game.content)
    original = archives.path.read_bytes()
    game.read(archives, some_names(1))
    game.repack()
    for path in (archives.path, archives.part(1)):
        path.unlink()
    assert game.tool.run("restore", game.content).says("pak01_dir.vpk", "pak01_001.vpk", "--force").code == FAILED
    assert not archives.path.exists()
    assert game.restore("--force")["outdated"] == [str(archives.path) + ".original"]
    assert not archives.path.exists()
    assert (game.content / "pak01_dir.vpk.original").read_bytes() == original


@pytest.mark.parametrize("lose", [lambda part: part.unlink(), lambda part: part.write_bytes(part.read_bytes()[:-999])],
                         ids=["gone", "cut"])
def test_an_original_does_not_come_back_if_only_ours_fits(game, lose):
    """All that a part had has moved, so the set is whole without it."""
    archives = Set(game.content)
    game.read(archives, [name for name, record in archives.records().items() if record[3] == 2])
    game.repack()
    lose(archives.part(2))
    content, now = archives.contents(), tree(game.content)
    assert game.tool.run("restore", game.content).says("pak01_002.vpk", "--force").code == FAILED
    assert tree(game.content) == now
    assert game.restore("--force")["outdated"] == [str(archives.path) + ".original"]
    assert archives.contents() == content == dict(ENTRIES)


def test_originals_are_not_discarded_if_an_earlier_directory_is_in_place(game):
    """The part that it names is gone."""
    archives = Set(game.content)
    before = tree(game.content)
    game.read(archives, some_names(1))
    game.repack()
    earlier = archives.path.read_bytes()
    game.repack()
    assert not archives.part(3).exists()
    archives.path.write_bytes(earlier)
    assert game.tool.run("restore", "--discard", game.content).says("pak01_003.vpk").code == FAILED
    game.restore()
    assert tree(game.content) == before


def test_originals_are_not_discarded_if_somebody_elses_part_is_named(game):
    archives = Set(game.content)
    game.read(archives, some_names(1))
    game.repack()
    earlier, part = archives.path.read_bytes(), archives.part(3).read_bytes()
    game.repack()
    archives.path.write_bytes(earlier)
    archives.part(3).write_bytes(part[:-1] + b"!")
    assert game.tool.run("restore", "--discard", game.content).says("pak01_003.vpk").code == FAILED


def test_an_update_that_moves_data_is_not_mixed_with_the_original(game):
    """It lists the same files, but elsewhere in the parts."""
    archives = Set(game.content)
    game.read(archives, some_names(1))
    game.repack()
    Set(archives.folder, entries=ENTRIES[::-1])
    assert archives.contents() == dict(ENTRIES)
    done = game.run("-o", game.output, "--recorded", "originals")
    assert archives.contents() == dict(ENTRIES)
    assert done.code != DONE or archives.contents(game.output) == dict(ENTRIES)


def test_an_update_with_a_part_of_the_same_name_keeps_it(game):
    archives = Set(game.content)
    game.read(archives, some_names(1))
    game.repack()
    Set(archives.folder, parts=4)
    new = {name: data for name, data in tree(game.content).items() if not name.startswith(".seekless")}
    game.restore("--force")
    assert archives.contents() == dict(ENTRIES)
    assert {name: data for name, data in tree(game.content).items() if not name.endswith(".original")} == new


def test_a_directory_made_from_ours_keeps_its_parts(game):
    archives = Set(game.content, version=1)
    game.read(archives, some_names(1))
    game.repack()
    records, own, _ = parse(archives.path.read_bytes())
    archives.path.write_bytes(directory(records[:-1], 1, own))
    content = archives.contents()
    game.restore("--force")
    assert archives.contents() == content and archives.part(3).exists()
    # It can be repacked like any other set, and comes back.
    game.new_recording()
    game.read(archives, [name for name in some_names(4) if name in content])
    before = tree(game.content)
    game.repack()
    assert archives.contents() == content
    game.restore()
    assert tree(game.content) == before


def test_a_part_that_somebody_changed_stays(game):
    archives = Set(game.content)
    before = tree(game.content)
    game.read(archives, some_names(1))
    game.repack()
    archives.part(3).write_bytes(b"somebody's")
    assert game.tool.run("restore", "--discard", game.content).says("pak01_003.vpk", "other bytes").code == FAILED
    assert game.restore()["changed_parts"] == ["pak01_003.vpk"]
    assert tree(game.content) == {**before, "pak01_003.vpk": b"somebody's"}


def test_a_file_that_has_the_next_name_is_not_touched(game):
    archives = Set(game.content)
    archives.part(3).write_bytes(b"somebody's")
    before = tree(game.content)
    game.read(archives, some_names(1))
    game.repack()
    assert archives.contents() == dict(ENTRIES)
    assert archives.part(3).read_bytes() == b"somebody's" and archives.part(4).exists()
    game.restore()
    assert tree(game.content) == before


def test_discarding_originals_keeps_the_new_parts(game):
    archives = Set(game.content)
    game.read(archives, some_names(1))
    game.repack()
    now = {name: data for name, data in tree(game.content).items() if not name.startswith(".seekless")}
    assert game.restore("--discard")["discarded"] == ["pak01_dir.vpk"]
    assert game.restore()["restored"] == []
    left = tree(game.content)
    assert {name: data for name, data in left.items() if not name.startswith(".seekless")} == now
    # The journal stays, because it knows which parts may go later.
    assert left.keys() - now.keys() == {".seekless-originals/journal", ".seekless-originals/lock"}
    assert archives.contents() == dict(ENTRIES)


def test_a_discarded_directory_may_be_missing_for_a_moment(game):
    archives = Set(game.content)
    game.read(archives, some_names(1))
    game.repack()
    game.restore("--discard")
    ours = archives.path.rename(game.content / "aside")
    game.restore()
    ours.rename(archives.path)
    assert archives.contents() == dict(ENTRIES)


def test_a_launcher_that_puts_a_discarded_original_back_lets_the_new_parts_go(game):
    archives = Set(game.content)
    before = tree(game.content)
    game.read(archives, some_names(1))
    game.repack()
    game.restore("--discard")
    archives.path.write_bytes(before["pak01_dir.vpk"])
    game.restore()
    assert tree(game.content) == before


def test_an_update_of_the_same_size_and_time_stays(game):
    """A directory of version 1 keeps its size when it is rewritten."""
    archives = Set(game.content, version=1)
    game.read(archives, some_names(1))
    was = archives.path.stat()
    game.repack()
    ours = archives.path.stat()
    assert ours.st_size == was.st_size and ours.st_mtime_ns != was.st_mtime_ns
    Set(archives.folder, version=1, entries=ENTRIES[::-1])
    os.utime(archives.path, ns=(ours.st_atime_ns, ours.st_mtime_ns))
    assert archives.path.stat().st_size == ours.st_size
    new = tree(game.content)
    assert game.tool.run("restore", game.content).says("pak01_dir.vpk", "--force").code == FAILED
    assert game.run("--in-place", "--force").code != DONE
    assert tree(game.content) == new and archives.contents() == dict(ENTRIES)
    game.restore("--force")
    assert archives.contents() == dict(ENTRIES)


def test_a_lost_original_is_missed(game):
    """Even if our directory has its size and time."""
    archives = Set(game.content, version=1)
    was = archives.path.stat()
    game.read(archives, some_names(1))
    game.repack()
    (game.content / ".seekless-originals" / "files" / "pak01_dir.vpk").unlink()
    os.utime(archives.path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert game.tool.run("restore", game.content).says("pak01_dir.vpk").code == DAMAGED
    assert archives.contents() == dict(ENTRIES)


def assert_last_comes_back_first(game, last, first):
    """Even with --force, a folder isn't restored while another's original names its new parts."""
    now = tree(game.content)
    for options in ((), ("--force",)):
        game.tool.run("restore", first, *options).says(f"'seekless restore {last}' first")
    assert tree(game.content) == now
    game.tool.json("restore", last)
    game.tool.json("restore", first)


def test_a_folder_and_then_what_is_around_it(game):
    inner = game.content / "hl2"
    inner.mkdir()
    archives = Set(inner)
    before, names = tree(game.content), some_names(1)
    game.read(archives, names)
    game.tool.json("repack", game.trace, "--content", inner, "--in-place", "--force")
    game.new_recording()
    game.read(archives, names[::-1])
    game.repack("--recorded", "current")
    assert archives.contents() == dict(ENTRIES)
    assert_last_comes_back_first(game, game.content, inner)
    assert tree(game.content) == before


def test_an_update_of_what_two_folders_repacked_stays(game):
    """Neither folder waits for the other then."""
    inner = game.content / "hl2"
    inner.mkdir()
    archives = Set(inner)
    game.read(archives, some_names(1))
    game.repack()
    game.new_recording()
    game.read(archives, some_names(1)[::-1])
    game.tool.json("repack", game.trace, "--content", inner, "--in-place", "--force", "--recorded", "current")
    # Before the update, the game isn't repacked over what the folder in it repacked.
    game.new_recording()
    game.read(archives, some_names(2))
    assert f"'seekless restore {inner}' first" in game.run("--in-place", "--force", "--recorded", "current").err
    content = updated(archives)
    for folder in (inner, game.content):
        assert len(game.tool.json("restore", folder, "--force")["outdated"]) == 1
        assert archives.contents() == content
    assert game.restore()["restored"] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount")
def test_a_part_that_cannot_go_keeps_nothing_else_back(game):
    """Such as one that another program has open on Windows."""
    archives = Set(game.content)
    zipped = game.add("other.zip", a_zip(1))
    before = tree(game.content)
    read_zip(game, zipped)
    game.read(archives, some_names(1))
    game.repack()
    archives.path.write_bytes(before["pak01_dir.vpk"])
    part = archives.part(3)
    subprocess.run(["mount", "--bind", part, part], check=True)
    try:
        assert game.tool.run("restore", game.content).code == FAILED
        assert zipped.read_bytes() == before["other.zip"]
    finally:
        subprocess.run(["umount", part], check=True)
    game.restore()
    assert tree(game.content) == before


def test_folders_in_each_other_keep_what_each_others_originals_name(game):
    """A game is repacked, then a folder in it alone."""
    inner = game.content / "hl2"
    inner.mkdir()
    archives = Set(inner)
    before, names = tree(game.content), some_names(1)
    game.read(archives, names)
    game.repack()
    game.new_recording()
    game.read(archives, names[::-1])
    game.tool.json("repack", game.trace, "--content", inner, "--in-place", "--force", "--recorded", "current")
    assert {record[3] for record in archives.records().values()} == {0, 1, 2, 4}
    assert archives.contents() == dict(ENTRIES)
    assert_last_comes_back_first(game, inner, game.content)
    assert tree(game.content) == before


def test_names_like_the_next_parts_are_not_touched(game):
    archives = Set(game.content)
    archives.part(3).mkdir()
    archives.part(4).symlink_to("nothing")
    (game.content / "PAK01_005.VPK").write_bytes(b"somebody's")
    game.read(archives, some_names(1))
    game.repack()
    assert archives.part(6).is_file() and archives.contents() == dict(ENTRIES)
    game.restore()
    assert not archives.part(6).exists() and archives.part(3).is_dir() and archives.part(4).is_symlink()
    assert (game.content / "PAK01_005.VPK").read_bytes() == b"somebody's"


def test_sums_of_new_pieces_lie_in_order(game):
    """Engines search them by part and offset."""
    archives = Set(game.content, with_sums=True)
    archives.part(7).write_bytes(noise(7, 100))
    records, own, sums = parse(archives.path.read_bytes())
    archives.path.write_bytes(directory(records, 2, own, sums + piece_sums(7, archives.part(7).read_bytes())))
    game.read(archives, some_names(1))
    game.repack()
    assert archives.contents() == dict(ENTRIES)
    new = parse(archives.path.read_bytes())[2]
    places = [struct.unpack_from("<II", new, at) for at in range(0, len(new), 28)]
    assert places == sorted(places) and {part for part, _ in places} == {0, 1, 2, 3, 7}
    game.json("-o", game.output)
    assert archives.contents(game.output) == dict(ENTRIES)


def test_a_number_that_only_sums_have_is_taken(game):
    archives = Set(game.content)
    records, own, _ = parse(archives.path.read_bytes())
    sums = piece_sums(0, archives.part(0).read_bytes()) + piece_sums(3, b"gone")
    archives.path.write_bytes(directory(records, 2, own, sums))
    before = tree(game.content)
    game.read(archives, some_names(1))
    assert repacked(game.repack()) == [("pak01_dir.vpk", True)]
    records, _, new = parse(archives.path.read_bytes())
    assert {record[3] for record in records} == {0, 1, 2, 4} and new.startswith(sums)
    game.restore()
    assert tree(game.content) == before


def test_entries_that_share_data_still_share_them(game):
    archives = Set(game.content)
    name = "materials/04.vtf"
    records, own, _ = parse(archives.path.read_bytes())
    shared = archives.records()[name]
    clones = [(f"clones/{n:03}.vtf", *shared[1:]) for n in range(300)]
    archives.path.write_bytes(directory(records + clones, 2, own))
    content = archives.contents()
    game.read(archives, [name])
    log = game.content.parent / "calls"
    if strace_can_inject():
        subprocess.run(["strace", "-f", "-o", log, "-e", "trace=read,pread64,preadv",
                        *game.tool.command("repack", game.trace, "--content", game.content, "--in-place", "--force")],
                       check=True, capture_output=True)
        read = sum(int(count) for count in re.findall(r"= (\d+)$", log.read_text(), re.MULTILINE))
        assert 2 * shared[5] < read < 100 * shared[5]  # what is shared is compared once
    else:
        game.repack()
    now = archives.records()
    assert archives.contents() == content
    assert {now[clone][3:] for clone, *_ in clones} == {now[name][3:]} and now[name][3] == 3
    assert archives.part(3).stat().st_size == shared[5]


# ---- kills and faults --------------------------------------------------------------------------------------------------

CALLS = ["renameat", "linkat", "unlinkat", "fsync", "fdatasync", "pwrite64", "mkdirat", "openat", "fallocate", "flock"]


def inject(game, call, fault, count, command, *more):
    log = game.content.parent / "calls"
    done = subprocess.run(["strace", "-f", "-o", log, "-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={count}", *more,
                           *game.tool.command(*command)], capture_output=True, timeout=120)
    return "INJECTED" in log.read_text() or done.returncode == -signal.SIGKILL


def small_set(game):
    """Returns a set, and the names that the game has recorded of it."""
    archives = Set(game.content, entries=[(f"{n}.txt", noise(n, 5000)) for n in range(9)], with_sums=True)
    names = [f"{n}.txt" for n in (7, 1, 5, 3)]
    game.read(archives, names)
    return archives, names


def openings_in(game, command):
    """Runs the command, and returns which of its calls of openat name something of the game."""
    log = game.content.parent / "calls"
    subprocess.run(["strace", "-y", "-o", log, "-e", "trace=openat", *game.tool.command(*command)],
                   check=True, capture_output=True)
    calls = [line for line in log.read_text().splitlines() if line.startswith("openat(")]
    return [count for count, call in enumerate(calls, 1) if str(game.content) in call]


QUICK = {("renameat", "repack"), ("unlinkat", "restore")}


@pytest.mark.parametrize("call, command", [
    pytest.param(call, command, marks=[] if (call, command) in QUICK else pytest.mark.thorough)
    for call in CALLS for command in ("repack", "again", "restore")])
def test_killed_or_failing_at_any_call_the_set_is_whole(game, call, command):
    if not strace_can_inject():
        pytest.skip("needs strace and the right to trace")
    archives, _ = small_set(game)
    before, content = tree(game.content), archives.contents()
    repack = ("repack", game.trace, "--content", game.content, "--in-place", "--force")
    tried = ("restore", game.content) if command == "restore" else repack
    counts = range(1, 40)
    if call == "openat":
        if command != "repack":
            game.repack()
        counts = openings_in(game, tried)
        game.restore()
    happened = 0
    for fault in ("signal=KILL", "error=EIO"):
        for count in counts:
            if command != "repack":
                game.repack()
            injected = inject(game, call, fault, count, tried)
            happened += injected
            assert archives.contents() == content, (fault, count)
            if count % 3 == 0:  # a later run continues from there
                game.tool.run(*repack)
                assert archives.contents() == content, (fault, count)
            game.restore()
            assert tree(game.content) == before, (fault, count)
            if not injected:
                break
    assert happened >= 2 * len(counts) or call != "openat"
    assert happened or call in ("fdatasync", *({"restore": ("pwrite64", "fallocate", "linkat", "mkdirat")}.get(command, ())))


def test_without_hard_links_parts_are_moved(game):
    if not strace_can_inject():
        pytest.skip("needs strace and the right to trace")
    archives, _ = small_set(game)
    before, content = tree(game.content), archives.contents()
    repack = ("repack", game.trace, "--content", game.content, "--in-place", "--force")
    for count in range(1, 9):
        inject(game, "linkat,renameat", "error=EPERM", "1+", repack, "-e", f"inject=renameat:signal=KILL:when={count}")
        game.tool.run(*repack)
        game.restore()
        assert tree(game.content) == before
    subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", "trace=linkat", "-e", "inject=linkat:error=EPERM",
                    *game.tool.command(*repack)], check=True, capture_output=True)
    assert archives.contents() == content and archives.part(3).exists()
    game.restore()
    assert tree(game.content) == before


def test_too_little_space_is_known_before(game, small_disk):
    disk = small_disk(700 * 1024)
    game.content = disk / "content"
    game.content.mkdir()
    archives = Set(game.content, entries=[(f"{n}.txt", noise(n, 20_000)) for n in range(20)])
    game.read(archives, [f"{n}.txt" for n in range(19, 0, -1)])
    before = tree(disk)
    assert game.run("--in-place", "--force").says("free space").code == FAILED
    assert tree(disk) == before


def test_space_for_what_moves_out_of_earlier_parts_is_known_before(game, small_disk):
    """Everything moves out of the first run's part, not only what was read this time."""
    disk = small_disk(1_150_000)
    game.content = disk / "content"
    game.content.mkdir()
    archives = Set(game.content, entries=[(f"{n}.txt", noise(n, 20_000)) for n in range(20)])
    game.read(archives, [f"{n}.txt" for n in range(19, -1, -1)])
    game.repack()
    game.new_recording()
    game.read(archives, ["7.txt"])
    before = tree(disk)
    assert game.run("--in-place", "--force", "--recorded", "current").says("bytes of free space").code == FAILED
    assert tree(disk) == before
