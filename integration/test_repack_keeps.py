"""Properties that other programs rely on stay when an archive's entries move: the first entry, the alignment of stored
data, encryption. An archive that can't be compared with the old one stays unchanged, and the others go on."""
import struct
import subprocess
import zipfile

import pytest

import zips
from archive_set import ArchiveSet
from game import noise, prose
from tool import DAMAGED
from zips import Entry, archive, field

pytestmark = pytest.mark.skipif(not zips.have_readers(), reason="needs unzip, bsdtar and libzip")


@pytest.fixture
def games(tool, tmp_path):
    return ArchiveSet(tool, tmp_path)


def parts(folder):
    return [Entry(f"{folder}/{n}.bin", noise(n, 9000)) for n in range(4)]


def sealed(name, data, method=0):
    """Returns an entry that is encrypted, or claims to be. Its stored data are 12 bytes longer, and its CRC is the
    content's."""
    aes = field(0x9901, b"\1\0AE\3\0\0") if method == 99 else b""
    return Entry(name, data, method, flags=1, packed=bytes(12) + data[::-1], local_extra=aes, extra=aes)


# ---- what comes first ------------------------------------------------------------------------------

@pytest.mark.parametrize("options", [(), ("--align", 4096), ("--compress", "*"), ("--sort-directory",)], ids=str)
def test_a_type_stays_at_byte_38(games, options):
    old = games.add("book.epub", archive([
        Entry("mimetype", b"application/epub+zip"), Entry("META-INF/container.xml", prose(1, 900), 8), *parts("text")]))
    games.read_backwards(old)
    (result,) = games.repacked(*options)["archives"]
    assert result["repacked"]
    new = games.output / "book.epub"
    assert new.read_bytes()[30:58] == b"mimetypeapplication/epub+zip"
    assert zips.names_by_place(new)[:2] == ["mimetype", "META-INF/container.xml"]
    assert sorted(zips.names_by_place(new)) == sorted(zips.names_by_place(old))
    assert zips.by_unzip(new)[0] == 0


def test_a_manifest_stays_before_all_else(games):
    old = games.add("mod.jar", archive([
        Entry("META-INF/"), Entry("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\r\n\r\n", 8, descriptor="signed"),
        Entry("META-INF/A.SF", prose(1, 900), 8), *parts("code"), Entry("META-INF/late", b"not in front")]))
    games.read_backwards(old)
    games.repacked()
    names = zips.names_by_place(games.output / "mod.jar")
    assert names[:3] == ["META-INF/", "META-INF/MANIFEST.MF", "META-INF/A.SF"]
    assert names[3:] == ["META-INF/late"] + [f"code/{n}.bin" for n in (3, 2, 1, 0)]


def test_the_scene_of_a_usdz_stays_before_all_else(games):
    """Viewers show the first file of a usdz."""
    old = games.add("chair.usdz", archive([Entry("chair.usdc", noise(1, 5000)), *parts("textures")]))
    games.read_backwards(old)
    games.repacked()
    names = zips.names_by_place(games.output / "chair.usdz")
    assert names[0] == "chair.usdc" and names != zips.names_by_place(old)


# ---- alignment -------------------------------------------------------------------------------------

def aligned(entries):
    """Makes an archive whose entries' data begin at the given multiples."""
    at, made = 0, []
    for name, data, multiple in entries:
        begin = at + 30 + len(name) + 6
        padding = -begin % multiple
        made.append(Entry(name, data, local_extra=field(0xD935, struct.pack("<H", multiple) + bytes(padding))))
        at = begin + padding + len(data)
    return archive([*made, Entry("classes.dex", prose(1, 9000), 8)])


@pytest.mark.parametrize("page", [4096, 16384])
def test_stored_data_stay_aligned(games, page):
    old = games.add("game.apk", aligned([
        ("resources.arsc", noise(1, 5001), 4), ("lib/a.so", noise(2, 9001), page), ("lib/b.so", noise(3, 29001), page),
        ("assets/c.ogg", noise(4, 333), 4), ("assets/d.ogg", noise(5, 33), 4)]))
    games.read_backwards(old, step=2)
    (result,) = games.repacked("--compression", "store")["archives"]
    assert result["repacked"] and result["unpacked_entries"] == 1
    new = games.output / "game.apk"
    offsets = zips.data_offsets(new)
    assert [at % multiple for at, multiple in zip(offsets, (4, page, page, 4, 4, 4))] == [0] * 6
    assert zips.by_zipfile(old) == zips.by_zipfile(new)


def test_a_signature_over_all_bytes_leaves_the_archive_alone(games):
    block = struct.pack("<Q", 40) + bytes(16) + struct.pack("<Q", 40) + b"APK Sig Block 42"
    signed = games.add("signed.apk", archive(parts("a"), before_directory=block))
    games.read_backwards(signed)
    games.read_backwards(games.add("plain.apk", archive(parts("b"))))
    for options in (("--dry-run",), ()):
        results = {a["name"]: a for a in games.repacked(*options)["archives"]}
        assert results["plain.apk"]["repacked"] and not results["signed.apk"]["repacked"]
        assert "signature over all of its bytes" in results["signed.apk"]["reason"]
    assert (games.output / "signed.apk").read_bytes() == signed.read_bytes()


# ---- encrypted and damaged entries -----------------------------------------------------------------

@pytest.mark.parametrize("method", [0, 8, 99])
def test_encrypted_entries_are_compared_as_they_are_stored(games, method):
    old = games.add("a.zip", archive([sealed("secret", noise(9, 5000), method), *parts("b")]))
    games.read_backwards(old)
    (result,) = games.repacked()["archives"]
    assert result["repacked"], result["reason"]
    new = games.output / "a.zip"
    with zipfile.ZipFile(new) as opened:
        size = opened.infolist()[0].compress_size
    at = zips.data_offsets(new)[0]
    assert new.read_bytes()[at:at + size] == bytes(12) + noise(9, 5000)[::-1]


def test_stored_entries_with_a_password_can_be_read_afterwards(games):
    (games.folder / "noise.bin").write_bytes(noise(1, 20_000))
    old = games.content / "a.pk3"
    subprocess.run(["zip", "-q", "-P", "word", old, "noise.bin"], cwd=games.folder, check=True)
    games.read_backwards(old)
    games.read_backwards(games.add("b.pk3", archive(parts("b"))))
    assert [a["repacked"] for a in games.repacked()["archives"]] == [True, True]
    assert zips.by_zipfile(games.output / "a.pk3", b"word")[0][-1] == noise(1, 20_000)


def damaged_where_nobody_reads(games):
    old = games.add("bad.zip", archive([Entry("torn", prose(1, 9000), 8), *parts("a")]))
    raw = bytearray(old.read_bytes())
    raw[zips.data_offsets(old)[0] + 40] ^= 0x10
    old.write_bytes(raw)
    for offset in zips.data_offsets(old)[:0:-1]:
        games.read(old, offset, 9000)
    good = games.add("good.zip", archive(parts("b")))
    games.read_backwards(good)
    games.read_backwards(games.add("zz.zip", archive(parts("c"))))
    return old, old.read_bytes()


def test_damage_of_an_entry_that_is_copied_is_told_and_stops_no_other(games):
    _, before = damaged_where_nobody_reads(games)
    answer = games.repack()
    assert answer.code == 0 and "bad.zip: left as it is" in answer.err and "'torn'" in answer.err, answer.err
    results = {a["name"]: a for a in games.repacked()["archives"]}
    assert [results[name]["repacked"] for name in ("bad.zip", "good.zip", "zz.zip")] == [False, True, True]
    assert results["bad.zip"]["faulty"] and results["bad.zip"]["bytes_after"] == len(before)
    assert (games.output / "bad.zip").read_bytes() == before
    (unchecked, *_) = games.repacked("--no-verify")["archives"]
    assert unchecked["repacked"]


def test_damage_leaves_the_archive_in_its_place(games):
    old, before = damaged_where_nobody_reads(games)
    tool = games.tool
    answer = tool.ok("repack", games.trace, "--content", games.content, "--in-place", "--force")
    assert "bad.zip: left as it is" in answer.err
    assert old.read_bytes() == before
    assert zips.names_by_place(games.content / "good.zip") == [f"b/{n}.bin" for n in (3, 2, 1, 0)]
    assert sorted(p.name for p in games.content.iterdir()) == [".seekless-originals", "bad.zip", "good.zip", "zz.zip"]
    tool.ok("restore", games.content)
    assert zips.names_by_place(games.content / "good.zip") == [f"b/{n}.bin" for n in range(4)]


# ---- archives whose directory is damaged -----------------------------------------------------------

def no_directory(data):
    return data[:-40]


def two_of_one_place(data):
    """The directory has an entry that overlaps another one."""
    end = data.rindex(b"PK\5\6")
    at = struct.unpack_from("<I", data, end + 16)[0]
    second = data.index(b"PK\1\2", at + 4)
    return data[:second + 42] + data[at + 42:at + 46] + data[second + 46:]


@pytest.fixture(params=[no_directory, two_of_one_place])
def damaged(games, request):
    games.read_backwards(games.add("good.zip", archive(parts("b"))))
    games.bad = games.add("bad.zip", request.param(archive(parts("a"))))
    games.read(games.bad, 100, 1000)
    games.before = games.bad.read_bytes()
    return games


def test_a_damaged_directory_leaves_the_archive_alone(damaged):
    for options in (("--dry-run",), ()):
        answer = damaged.repack(*options)
        assert answer.code == 0 and "bad.zip: left as it is" in answer.err, answer.err
    results = {a["name"]: a for a in damaged.repacked()["archives"]}
    assert results["good.zip"]["repacked"] and not results["bad.zip"]["repacked"]
    assert results["bad.zip"]["faulty"] and "bad.zip" in results["bad.zip"]["reason"]
    assert (damaged.output / "bad.zip").read_bytes() == damaged.before


def test_a_damaged_directory_stays_in_its_place(damaged):
    answer = damaged.tool.ok("repack", damaged.trace, "--content", damaged.content, "--in-place", "--force")
    assert "bad.zip: left as it is" in answer.err
    assert damaged.bad.read_bytes() == damaged.before
    assert zips.names_by_place(damaged.content / "good.zip") == [f"b/{n}.bin" for n in (3, 2, 1, 0)]
    damaged.tool.ok("restore", damaged.content)


def test_a_damaged_directory_has_no_overlay(damaged):
    answer = damaged.tool.ok("repack", damaged.trace, "--content", damaged.content, "--overlay", "zz.zip", "--force")
    assert "bad.zip: left as it is" in answer.err
    assert damaged.bad.read_bytes() == damaged.before
    with zipfile.ZipFile(damaged.content / "zz.zip") as overlay:
        assert sorted(overlay.namelist()) == [f"b/{n}.bin" for n in range(4)]


def test_a_damaged_directory_stops_what_would_lack_its_entries(damaged):
    tool, layout = damaged.tool, damaged.folder / "l.json"
    plan = ("plan", damaged.trace, "--content", damaged.content, "-o", layout)
    answer = tool.run(*plan)
    assert answer.says("bad.zip", "--exclude", "--opaque").code == DAMAGED
    assert not layout.exists()
    for way_out in ("--exclude", "--opaque"):
        tool.ok(*plan, way_out, "bad.zip")
        tool.ok("pack", layout, "-o", damaged.folder / way_out)
    tool.ok("warm", damaged.trace, "--content", damaged.content, "--split", "b/1.bin", "--dry-run")


def test_one_damaged_archive_alone_is_told(games):
    bad = games.add("bad.zip", no_directory(archive(parts("a"))))
    games.read(bad, 100, 1000)
    answer = games.repack()
    assert answer.says("bad.zip").code != 0


# ---- links and directories in front ------------------------------------------------------------------

def test_links_are_kept_by_repack_and_left_out_of_packs(games):
    old = games.add("a.pk3", archive([Entry("data/link.bin", b"0.bin", attributes=0o120777 << 16), *parts("data")]))
    games.read_backwards(old)
    games.repacked()
    assert zips.by_zipfile(old) == zips.by_zipfile(games.output / "a.pk3")
    layout, packs = games.folder / "l.json", games.folder / "packs"
    answer = games.tool.ok("plan", games.trace, "--content", old, "-o", layout)
    assert "1 symbolic link in an archive is left out" in answer.err and "data/link.bin" in answer.err
    games.tool.ok("pack", layout, "-o", packs)
    assert "link.bin" not in games.tool.ok("info", "--assets", packs).text
    refused = games.tool.run("plan", games.trace, "--content", old, "-o", layout, "--strict")
    assert refused.says("a symbolic link", "--exclude").code == DAMAGED


def directory_in_front(entries):
    """Writes omni.ja like Firefox's tools."""
    size = sum(len(entry.record(0)) for entry in entries)
    body, records = b"", b""
    for entry in entries:
        records += entry.record(4 + size + 22 + len(body))
        body += entry.local_header() + entry.packed
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(entries), len(entries), size, 4, 0)
    return struct.pack("<I", 1000) + records + end + body + end


def test_a_directory_in_front_is_read_and_left_where_it_is(games):
    entries = [Entry(f"chrome/{n}.js", prose(n, 9000), 8 * (n % 2)) for n in range(6)]
    old = games.add("omni.ja", directory_in_front(entries))
    for entry in entries[::-1]:
        header = entry.local_header()  # Python's zipfile doesn't read such archives
        games.read(old, old.read_bytes().find(header) + len(header), 500)
    layout, packs = games.folder / "l.json", games.folder / "packs"
    games.tool.ok("plan", games.trace, "--content", old, "-o", layout)
    games.tool.ok("pack", layout, "-o", packs)
    for number in range(6):
        assert games.tool.ok("extract", "-o", "-", packs, f"chrome/{number}.js").out == prose(number, 9000)
    games.read_backwards(games.add("plain.zip", archive(parts("b"))))
    results = {a["name"]: a for a in games.repacked()["archives"]}
    assert results["plain.zip"]["repacked"] and "in front of its entries" in results["omni.ja"]["reason"]
    assert (games.output / "omni.ja").read_bytes() == old.read_bytes()


# ---- archives of other kinds -------------------------------------------------------------------------

KINDS = {
    "RAR": b"Rar!\x1a\x07\1\0" + bytes(99), "7z": b"7z\xbc\xaf\x27\x1c" + bytes(99),
    "VPK": b"\x34\x12\xaa\x55\2\0\0\0" + bytes(99), "BSA": b"BSA\0\x68\0\0\0" + bytes(99),
    "UnrealPak": bytes(3000) + b"\xe1\x12\x6f\x5a" + bytes(217),
}


@pytest.mark.parametrize("kind", KINDS)
def test_archives_of_other_kinds_are_named(games, kind):
    path = games.add("data.pak", KINDS[kind])
    games.read(path, 0, 50)
    for options in (("--dry-run",), ()):
        assert kind in games.repack(*options).err
    answer = games.tool.ok("plan", games.trace, "--content", games.content, "-o", games.folder / "l.json")
    assert "taken whole" in answer.err and kind in answer.err
    quiet = games.tool.ok("plan", games.trace, "--content", games.content, "-o", games.folder / "l.json", "--opaque", "*.pak")
    assert "taken whole" not in quiet.err
