"""Rewriting a game's zips: the output has the same content, for archives of every kind; what can't be kept is refused
or left unchanged; and no archive makes the tool write outside of its output."""
import fcntl
import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import zipfile
import zlib

import pytest

import zips
from archive_set import ArchiveSet
from game import noise, prose
from tool import DAMAGED, FAILED, USAGE, tree
from zips import Entry, archive, field

pytestmark = pytest.mark.skipif(not zips.have_readers(), reason="needs unzip, bsdtar and libzip")

STORED = ("--compression", "store")


@pytest.fixture
def games(tool, tmp_path):
    return ArchiveSet(tool, tmp_path)


def plain():
    """Returns further entries, so that the test has ordinary ones to read."""
    return [Entry(f"plain/{n}.bin", noise(n, 3000 + n)) for n in range(4)]


def agree(old, new, in_order=True):
    """Checks that all readers find the same content in both archives."""
    before, after = zips.by_zipfile(old), zips.by_zipfile(new)
    assert before == after if in_order else sorted(map(repr, before)) == sorted(map(repr, after))
    assert zips.by_unzip(old) == zips.by_unzip(new)
    before = zips.by_bsdtar(old)
    assert before[0] != 0 or before == zips.by_bsdtar(new)  # bsdtar can't read some archives at all
    before, after = zips.by_libzip(old), zips.by_libzip(new)
    assert before == after if in_order else sorted(map(repr, before or [])) == sorted(map(repr, after or []))


# ---- what is repacked ---------------------------------------------------------------------------

def extended_time(local):
    return field(0x5455, b"\7" + struct.pack("<iii", 10**9, 10**9 + 1, 10**9 + 2) if local
                 else b"\7" + struct.pack("<i", 10**9))


def unicode_path(raw, name):
    return field(0x7075, b"\1" + struct.pack("<I", zlib.crc32(raw)) + name.encode())


def ntfs():
    return field(0x000A, bytes(4) + struct.pack("<HHQQQ", 1, 24, 10**17, 10**17 + 1, 10**17 + 2))


SOUND = {
    "plain": lambda: archive(plain()),
    "deflated": lambda: archive([Entry(f"{n}.txt", prose(n, 9000), 8) for n in range(9)] + plain()),
    "empty entries": lambda: archive([Entry("a"), Entry("b", b"", 8), *plain()]),
    "folders": lambda: archive([Entry("plain/", attributes=0o40755 << 16 | 0x10), Entry("other/", comment=bytes(9),
                                attributes=0x10, made_by=0x14), *plain()]),
    "links": lambda: archive([Entry("link", b"plain/0.bin", attributes=0o120777 << 16), *plain()]),
    "signed descriptors": lambda: archive([Entry("d", prose(1, 900), 8, descriptor="signed"), *plain()]),
    "bare descriptors": lambda: archive([Entry("d", prose(1, 900), 8, descriptor="bare"), *plain()]),
    "stored with descriptors": lambda: archive([Entry("d", prose(1, 900), descriptor="signed"), *plain()]),
    "zip64 descriptors": lambda: archive([Entry("d", prose(1, 900), 8, descriptor="signed64", zip64=True, needed=45),
                                          *plain()]),
    "empty with a descriptor": lambda: archive([Entry("d", b"", descriptor="signed"), *plain()]),
    "zip64 entries": lambda: archive([Entry("wide", noise(3, 900), zip64=True, needed=45), *plain()]),
    "zip64 end": lambda: archive(plain(), zip64_end=True),
    "all zip64": lambda: archive([Entry("wide", noise(3, 9000), zip64=True, needed=45), Entry("too", b"12", zip64=True, needed=45)],
                                 zip64_end=True),
    "comment": lambda: archive(plain(), comment=b"words"),
    "longest comment": lambda: archive(plain(), comment=b"x" * 65535),
    "counted prefix": lambda: archive(plain(), prefix=b"#!/bin/sh\nexit\n" * 99),
    "uncounted prefix": lambda: archive(plain(), prefix=b"MZ self-extractor" * 99, counts_prefix=False),
    "zip64 after a prefix": lambda: archive(plain(), prefix=b"MZ" * 99, counts_prefix=False, zip64_end=True),
    "split marker": lambda: archive(plain(), prefix=b"PK00"),
    "extra fields": lambda: archive([
        Entry("a", b"a" * 9, local_extra=extended_time(True) + field(0x7875, b"\1\4" + bytes(4) + b"\4" + bytes(4)),
              extra=extended_time(False) + field(0x7875, b"\1\4" + bytes(4) + b"\4" + bytes(4))),
        Entry("b", b"b" * 9, local_extra=ntfs(), extra=ntfs()),
        Entry("c", b"c" * 9, local_extra=field(0x5855, bytes(12)), extra=field(0x5855, bytes(8))),
        Entry("unknown", b"d" * 9, local_extra=field(0xBEEF, b"one"), extra=field(0xBEEF, b"another")), *plain()]),
    "aligned before": lambda: archive([Entry("a", noise(1, 9000), local_extra=field(0xD935, b"\4\0" + bytes(17))),
                                       *plain()]),
    "padded with zeros": lambda: archive([Entry("a", noise(1, 9000), local_extra=b"\0\0\0"), *plain()]),
    "zeros between entries": lambda: archive(plain(), gap=bytes(13)),
    "names": lambda: archive([
        Entry("caf\u00e9".encode("cp437"), b"1", made_by=0x14), Entry("caf\u00e9 2", b"2", flags=0x800),
        Entry(b"caf\x82 3", b"3", extra=unicode_path(b"caf\x82 3", "caf\u00e9 3"), made_by=0x14),
        Entry("\u65e5\u672c".encode("shift-jis"), b"4", made_by=0x14), Entry(b"bad \xff\xfe", b"5"),
        Entry("back\\slash", b"6", made_by=0x14), Entry("back\\slash2", b"7"), Entry("trailing.", b"8"),
        Entry("trailing ", b"9"), Entry("A/b", b"10"), Entry("a/B", b"11"), Entry("con", b"12"),
        Entry("dot/./dot", b"13"), Entry("twice//twice", b"14"), Entry(b"bell\a", b"15"), *plain()]),
    "names that lead elsewhere": lambda: archive([
        Entry("../CREDITS", b"1"), Entry("a/../../evil", b"2"), Entry("/etc/evil", b"3"), Entry("C:/evil", b"4"),
        Entry("..\\evil", b"5", made_by=0x14), *plain()]),
    "no name": lambda: archive([Entry("", b"nothing"), *plain()]),
    "longest name": lambda: archive([Entry("x" * 65535, b"long"), *plain()]),
    "file and folder": lambda: archive([Entry("a", b"file"), Entry("a/b", b"below"), *plain()]),
    "twice": lambda: archive([Entry("a", b"first"), *plain(), Entry("a", b"second"), Entry("A", b"third")]),
    "odd times": lambda: archive([Entry("a", b"1", date=(0, 0)), Entry("b", b"2", date=(0xFFFF, 0xFFFF)),
                                  Entry("c", b"3", date=(0, 0x21)), *plain()]),
    "version 0": lambda: archive([Entry("a", b"1", made_by=0, needed=0), *plain()]),
    "65,535 entries": lambda: archive([Entry(f"{n}", b"") for n in range(65531)] + plain()),
    "70,000 entries": lambda: archive([Entry(f"{n}", b"x") for n in range(69996)] + plain()),
    "JAR signature": lambda: archive([Entry("META-INF/A.SF", b"Signature-Version: 1.0\n"), *plain()]),
    "Deflate64": lambda: archive([Entry("odd", prose(1, 99), 9, packed=noise(1, 40)), *plain()]),
    "unknown method": lambda: archive([Entry("odd", prose(1, 99), 77, packed=noise(1, 40)), *plain()]),
}


@pytest.mark.parametrize("options", [(), ("--keep-compression", "--align", 1), ("--sort-directory",),
                                     ("--compress", "*", "--align", 64)], ids=lambda o: " ".join(map(str, o)) or "default")
@pytest.mark.parametrize("kind", SOUND)
def test_what_is_repacked_holds_what_it_held(games, kind, options):
    if "entries" in kind and "empty" not in kind and "zeros" not in kind and "zip64" not in kind and options:
        pytest.skip("large; once is enough")
    if kind == "no name" and options == ("--sort-directory",):
        pytest.skip("unzip stops at an entry without a name, so the order decides what it finds")
    old = games.add("a.zip", SOUND[kind]())
    games.read_backwards(old, 1 if old.stat().st_size < 10**6 else 5000)
    answer = games.repacked(*options)
    (result,) = answer["archives"]
    assert result["repacked"], result["reason"]
    new = games.output / "a.zip"
    agree(old, new, in_order=options != ("--sort-directory",))
    # The order differs, as the answer says.
    assert zips.names_by_place(new) != zips.names_by_place(old)
    # A second run gives the same result.
    first = new.read_bytes()
    games.repacked(*options)
    assert new.read_bytes() == first


def test_content_without_archives_is_refused_the_same_way_each_time(tool, tmp_path):
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "loose.dat").write_bytes(b"loose")
    trace = tmp_path / "boot.jsonl"
    trace.write_text("\n".join(map(json.dumps, (
        {"seekless": "trace", "version": 1}, {"path": str(tmp_path / "game" / "loose.dat")}, {"gap": 1, "open": True},
        {"gap": 1, "file": 0, "at": 0, "read": 5}))) + "\n")
    for where in (["-o", tmp_path / "out"], ["--in-place"], ["--overlay", "zz.zip"]):
        tool.run("repack", trace, "--content", tmp_path / "game", *where).says("expected archives", "loose files alone", "'warm'")


def test_a_comment_that_holds_an_end_record_misleads_no_further_than_it_did(games):
    twin = games.folder / "twin.zip"
    twin.write_bytes(archive(plain()))
    for comment in (b"PK\5\6" + bytes(18) + b"tail", b"words PK\5\6 words", archive([]), archive(plain())[-200:]):
        old = games.add("a.zip", archive(plain(), comment=comment))
        for offset in reversed(zips.data_offsets(twin)):
            games.read(old, offset, 3000)
        answer = games.repack()
        assert answer.code in (0, DAMAGED), answer.err
        new = games.output / "a.zip"
        if answer.code == 0 and new.read_bytes() != old.read_bytes():
            assert zips.by_libzip(old) == zips.by_libzip(new)
            assert zips.by_unzip(old) == zips.by_unzip(new)


def test_what_is_excluded_is_not_moved(games):
    old = games.add("a.zip", archive(plain()))
    games.add("b.zip", archive(plain()))
    games.read_backwards(old)
    answer = games.repacked("--exclude", "b.zip", "--exclude", "a.zip/plain/3.bin")
    assert [(a["name"], a["read_entries"]) for a in answer["archives"]] == [("a.zip", 3)]
    assert zips.names_by_place(games.output / "a.zip")[3] == "plain/3.bin"


def test_headers_are_complete_and_data_aligned(games):
    old = games.add("a.zip", archive([
        Entry("big", noise(1, 9000), descriptor="signed"), Entry("text", prose(2, 20_000), 8, descriptor="bare"),
        Entry("small", b"x" * 50), Entry("unread", prose(4, 9000), 8, descriptor="signed")]))
    for offset in reversed(zips.data_offsets(old)[:3]):
        games.read(old, offset, 1)
    (result,) = games.repacked(*STORED)["archives"]
    assert (result["read_entries"], result["unpacked_entries"], result["aligned_entries"]) == (3, 1, 2)
    new = games.output / "a.zip"
    raw = new.read_bytes()
    offsets = zips.data_offsets(new)
    with zipfile.ZipFile(new) as opened:
        for entry, at in zip(opened.infolist(), offsets):
            head = struct.unpack_from("<IHHHHHIIIHH", raw, entry.header_offset)
            assert head[2] & 8 == 0 and head[6:9] == (entry.CRC, entry.compress_size, entry.file_size)
            extra = raw[entry.header_offset + 30 + head[9]:at]
            while extra:  # it is well-formed to the last byte
                number, length = struct.unpack_from("<HH", extra)
                assert number == 0xD935 and length <= len(extra) - 4
                extra = extra[4 + length:]
            assert not entry.extra
        methods = [entry.compress_type for entry in opened.infolist()]
    assert methods == [0, 0, 0, 8]  # entries that aren't read stay deflated
    assert offsets[0] % 4096 == 0 and offsets[1] % 4096 == 0
    # The order is that of the reads: small, text, big; then the entry that wasn't read.
    assert sorted(range(4), key=offsets.__getitem__) == [2, 1, 0, 3]


@pytest.mark.parametrize("align", [4, 4096, 32768])
@pytest.mark.parametrize("options", [STORED, ("--keep-compression",)], ids=" ".join)
def test_checkers_find_all_that_is_stored_aligned_if_asked_for(games, align, options):
    old = games.add("a.zip", archive([
        Entry("short", b"x" * 50), Entry("empty"), Entry("text", prose(2, 20_000), 8), Entry("folder/"),
        Entry("padded by zeros", b"y" * 70, local_extra=b"\0\0\0"), *plain(), Entry("unread", b"z" * 51),
        Entry("unread text", prose(4, 900), 8)], prefix=b"#!/bin/sh\n"))
    for offset in reversed(zips.data_offsets(old)[:5]):
        games.read(old, offset, 1)
    (result,) = games.repacked("--align", align, *options)["archives"]
    new = games.output / "a.zip"
    agree(old, new)
    with zipfile.ZipFile(new) as opened:
        data = [(info, at) for info, at in zip(opened.infolist(), zips.data_offsets(new))
                if info.compress_type == 0]
    assert len(data) == (10 if options == STORED else 9)
    assert [info.filename for info, at in data if at % align] == []
    assert result["aligned_entries"] >= len(data)
    if shutil.which("zipalign"):
        done = subprocess.run(["zipalign", "-c", "-p", "-v", str(align), new], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_two_runs_do_not_share_an_output(games):
    games.read_backwards(games.add("a.zip", archive(plain())))
    games.output.mkdir()
    folder = os.open(games.output, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        assert games.repack().says(games.output, "no other run in this folder", os.getpid()).code == FAILED
        assert os.listdir(games.output) == []
    finally:
        os.close(folder)
    games.repacked()


def test_equal_names_keep_their_order_in_a_sorted_directory(games):
    old = games.add("a.zip", archive([Entry("x", b"1"), Entry("A", b"2"), Entry("m", b"3"), Entry("a", b"4"),
                                      Entry("A", b"5")]))
    for number in (4, 3, 0):
        games.read(old, zips.data_offsets(old)[number], 1)
    games.repacked("--sort-directory")
    with zipfile.ZipFile(games.output / "a.zip") as opened:
        content = [opened.read(info) for info in opened.infolist()]
    assert [c for c in content if c in (b"2", b"4", b"5")] == [b"2", b"4", b"5"]
    assert content.index(b"1") < content.index(b"3")


def test_compression_follows_the_last_rule(games):
    old = games.add("a.zip", archive([Entry("a.txt", prose(1, 9000)), Entry("b.txt", prose(2, 9000), 8),
                                      Entry("c.bin", prose(3, 9000)), Entry("d.bin", noise(4, 9000))]))
    games.read_backwards(old)
    games.repacked("--compress", "*.txt", "--store", "b*", "--compress", "d.bin")
    with zipfile.ZipFile(games.output / "a.zip") as opened:
        # Entries that don't get shorter stay unchanged.
        assert [i.compress_type for i in opened.infolist()] == [8, 0, 0, 0]
    games.repacked("--store", "b*", "--compress", "*.txt")
    with zipfile.ZipFile(games.output / "a.zip") as opened:
        assert [i.compress_type for i in opened.infolist()] == [8, 8, 0, 0]
    agree(old, games.output / "a.zip")


def test_long_entries_are_packed_and_unpacked_in_pieces(games):
    old = games.add("a.zip", archive([Entry("long.txt", prose(1, 20_000_000), 8), Entry("long2.txt", prose(2, 11_000_000)),
                                      *plain()]))
    games.read_backwards(old)
    games.repacked(*STORED, "--compress", "long2.txt")
    with zipfile.ZipFile(games.output / "a.zip") as opened:
        assert [i.compress_type for i in opened.infolist()[:2]] == [0, 8]
    agree(old, games.output / "a.zip")


def test_encrypted_entries_stay_readable(games):
    (games.folder / "secret.txt").write_bytes(prose(1, 5000))
    (games.folder / "plain.bin").write_bytes(noise(1, 5000))
    old = games.content / "a.zip"
    subprocess.run(["zip", "-q", "-P", "word", old, "secret.txt"], cwd=games.folder, check=True)
    subprocess.run(["zip", "-q", old, "plain.bin"], cwd=games.folder, check=True)
    games.read_backwards(old)
    (result,) = games.repacked()["archives"]
    assert result["repacked"], result["reason"]
    new = games.output / "a.zip"
    assert zips.by_zipfile(old, b"word") == zips.by_zipfile(new, b"word")
    assert zips.by_zipfile(new, b"word")[0][-1] == prose(1, 5000)
    assert zips.by_unzip(new, "word")[0] == 0


@pytest.mark.parametrize("method", ["LZMA", "BZip2", "Deflate64", "PPMd", "AES256"])
def test_methods_that_we_cannot_unpack_are_copied(games, method):
    subprocess.run(["7z"], capture_output=True, check=False) if os.path.exists("/usr/bin/7z") else pytest.skip("needs 7z")
    (games.folder / "odd.txt").write_bytes(prose(1, 9000))
    old = games.content / "a.zip"
    how = ["-pword", "-mem=AES256"] if method == "AES256" else [f"-mm={method}"]
    subprocess.run(["7z", "a", "-tzip", *how, old, "odd.txt"], cwd=games.folder, check=True, capture_output=True)
    with zipfile.ZipFile(old, "a") as opened:
        opened.writestr("plain.bin", noise(1, 9000))
    games.read_backwards(old)
    (result,) = games.repacked()["archives"]
    assert result["repacked"], result["reason"]
    new = games.output / "a.zip"
    tested = subprocess.run(["7z", "t", "-pword", new], capture_output=True)
    assert tested.returncode == 0, tested.stdout
    assert zips.by_zipfile(old) == zips.by_zipfile(new)


def test_more_than_4_gib_become_zip64(games):
    """A sparse archive: four stored entries of 1.2 GB of zeros, and a small one at its end."""
    size = 1_200_000_000
    crc = 0
    for _ in range(12):
        crc = zlib.crc32(bytes(size // 12), crc)
    old = games.content / "a.zip"
    entries = [Entry(f"zeros{n}", b"", local={"crc": crc, "stored": size, "size": size},
                     central={"crc": crc, "stored": size, "size": size}) for n in range(4)]
    last = Entry("last", noise(1, 500), zip64=True, needed=45)
    if os.statvfs(games.folder).f_bavail * os.statvfs(games.folder).f_frsize < 8 * 10**9 or \
            "SEEKLESS_LONG" not in os.environ:
        pytest.skip("long: set SEEKLESS_LONG=1")
    with open(old, "wb") as file:
        offsets = []
        for entry in entries:
            offsets.append(file.tell())
            file.write(entry.local_header())
            file.seek(size, 1)
        offsets.append(file.tell())
        file.write(last.local_header() + last.packed)
        start = file.tell()
        for entry, offset in zip([*entries, last], offsets):
            file.write(entry.record(offset))
        length = file.tell() - start
        at = file.tell()
        file.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 5, 5, length, start))
        file.write(struct.pack("<IIQI", 0x07064B50, 0, at, 1))
        file.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 5, 5, length, SATURATED := 0xFFFFFFFF, 0))
        assert SATURATED
    games.read(old, offsets[4] + 60, 1)
    games.read(old, offsets[1] + 60, 1)
    (result,) = games.repacked()["archives"]
    assert result["repacked"], result["reason"]
    with zipfile.ZipFile(games.output / "a.zip") as opened:
        assert opened.testzip() is None and opened.read("last") == noise(1, 500)
        assert max(info.header_offset for info in opened.infolist()) > 3 * size


# ---- what stays as it is ------------------------------------------------------------------------

def signing_block():
    body = struct.pack("<QI", 20, 0x7109871A) + bytes(16)
    return struct.pack("<Q", len(body) + 24) + body + struct.pack("<Q", len(body) + 24) + b"APK Sig Block 42"


LEFT = {
    "empty archive": (lambda: archive([]), None),
    "appended garbage": (lambda: archive(plain(), trailing=b"garbage" * 9), "after its end"),
    "APK signing block": (lambda: archive(plain(), before_directory=signing_block()), "a signature over all of its bytes"),
    "bytes between entries": (lambda: archive(plain(), gap=b"foreign"), "belong to no entry"),
    "directory signature": (lambda: archive(plain(), before_end=b"PK\5\5\4\0sign"), "directory"),
    "zip64 data of unknown kind": (lambda: archive(plain(), zip64_end=True, zip64_extra=b"\1\0\4\0\0\0more"), "unknown kind"),
    "local name": (lambda: archive([Entry("a", b"1", local={"name": b"b"}), *plain()]), "another name"),
    "local method": (lambda: archive([Entry("a", b"1", local={"method": 8}), *plain()]), "deflated"),
    "local sizes": (lambda: archive([Entry("a", b"1", local={"size": 5, "stored": 5}), *plain()]), "sizes"),
    "local CRC": (lambda: archive([Entry("a", b"1", local={"crc": 5}), *plain()]), "CRC"),
    "wrong CRC": (lambda: archive([Entry("a", b"123", local={"crc": 5}, central={"crc": 5}), *plain()]), "CRC-32"),
    "descriptor that contradicts": (lambda: archive([Entry("a", b"1" * 9, descriptor="signed"), *plain()]).replace(
        b"PK\7\10" + struct.pack("<I", zlib.crc32(b"1" * 9)), b"PK\7\10abcd"), "belong to no entry"),
    "strong encryption": (lambda: archive([Entry("a", b"1" * 40, flags=0x41), *plain()]), "encrypted"),
    "malformed extra field": (lambda: archive([Entry("a", b"1", extra=b"\x55\x54\xff\xff1"), *plain()]), "libzip"),
    "broken deflate stream": (lambda: archive([Entry("a", b"1" * 999, 8, packed=b"\xff" * 30), *plain()]), "broken"),
    "more than it claims": (lambda: archive([Entry("a", b"1" * 999, 8, central={"size": 500}, local={"size": 500}),
                                             *plain()]), "more bytes"),
}


@pytest.mark.parametrize("kind", LEFT)
def test_what_cannot_be_moved_is_left_as_it_is(games, kind):
    make, reason = LEFT[kind]
    old = games.add("odd.zip", make())
    beside = games.add("plain.zip", archive(plain()))
    games.read_backwards(beside)
    if reason:
        for offset in (35, 100, 1000, 3500, 7000):
            games.read(old, offset, 60)
    results = {a["name"]: a for a in games.repacked(*STORED)["archives"]}
    assert not results["odd.zip"]["repacked"] and results["plain.zip"]["repacked"]
    assert (reason or "no entries") in results["odd.zip"]["reason"]
    assert (games.output / "odd.zip").read_bytes() == old.read_bytes()


def test_archives_that_no_recording_reads_are_copied(games):
    read = games.add("read.zip", archive(plain()))
    games.add("mods/unread.zip", archive(plain()))
    games.add("loose.bin", b"loose")
    games.read_backwards(read)
    answer = games.repacked()
    assert answer["loose_files"] == 1
    assert [(a["name"], a["repacked"], a["reason"]) for a in answer["archives"]] == [
        ("mods/unread.zip", False, "no recording reads it"), ("read.zip", True, None)]
    assert {p for p in tree(games.output) if not p.startswith(".seekless")} == {"read.zip", "mods/unread.zip"}
    assert (games.output / "mods/unread.zip").read_bytes() == (games.content / "mods/unread.zip").read_bytes()


# ---- what is refused ----------------------------------------------------------------------------

def overlapping():
    one = Entry("a", noise(1, 900))
    return archive([one, Entry("b", b"", central={"offset": 0, "stored": 900, "size": 900, "crc": zlib.crc32(one.data)})])


def quine_like():
    # Many entries share one stream, as in zip bombs that unpack to petabytes.
    kernel = Entry("0", b"", 8, packed=deflated_zeros(10**6), central={"size": 10**6, "crc": 0})
    return archive([kernel] + [Entry(str(n), b"", 8, packed=b"", central={"offset": 0, "size": 10**6, "crc": 0,
                                                                        "stored": len(kernel.packed)})
                               for n in range(1, 50)])


def deflated_zeros(size):
    return zips.deflated(bytes(size), 9)


REFUSED = {
    "split": lambda: archive(plain(), disk=1),
    "part of a split one": lambda: archive([Entry("a", b"1", central={"disk": 2}), *plain()]),
    "overlapping": overlapping,
    "shared stream": quine_like,
    "impossible ratio": lambda: archive([Entry("a", b"", 8, packed=b"\3\0", central={"size": 10**9}), *plain()]),
    "stored, sizes differ": lambda: archive([Entry("a", b"1" * 9, central={"size": 5}), *plain()]),
    "offset beyond the end": lambda: archive([Entry("a", b"1", central={"offset": 10**6}), *plain()]),
    "wrong count": lambda: archive(plain(), count=9),
    "zip64 without its field": lambda: archive([Entry("a", b"1", central={"size": 0xFFFFFFFF}), *plain()]),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_hostile_archives_stay_as_they_are(games, kind):
    """A hostile archive alone is reported as damage; beside it, other archives are repacked."""
    odd = games.add("odd.zip", REFUSED[kind]())
    games.read(odd, 0, 1)
    before = tree(games.folder)
    assert games.repack().says("odd.zip", "expected", "found").code == DAMAGED
    assert tree(games.folder) == before
    games.read_backwards(games.add("a.zip", archive(plain())))
    answer = games.repack()
    assert answer.code == 0 and "odd.zip" in answer.err and "expected" in answer.err, answer.err
    assert (games.output / "odd.zip").read_bytes() == odd.read_bytes()


def test_archives_cut_short_anywhere_are_refused_or_copied(games):
    whole = archive([Entry("a", prose(1, 900), 8, descriptor="signed"), *plain()], comment=b"words")
    beside = games.add("beside.zip", archive(plain()))
    games.read_backwards(beside)
    rng = random.Random(1)
    cuts = {len(whole) - n for n in (1, 5, 6, 21, 27, 28, 60, 200)} | {rng.randrange(len(whole)) for _ in range(20)}
    for cut in sorted(cuts):
        odd = games.add("odd.zip", whole[:cut])
        answer = games.repack()
        assert answer.code in (0, DAMAGED), answer.err
        if answer.code == 0 and (games.output / "odd.zip").exists():
            assert (games.output / "odd.zip").read_bytes() == odd.read_bytes()


def test_flipped_bits_never_change_content_silently(games):
    whole = archive([Entry("a", prose(1, 900), 8), Entry("b", noise(2, 500), descriptor="signed"), *plain()])
    rng = random.Random(2)
    outcomes = set()
    directory = whole.index(b"PK\1\2")
    old = games.add("a.zip", whole)
    for offset in zips.data_offsets(old):
        games.read(old, offset, 1)
    for _ in range(60):
        data = bytearray(whole)
        data[rng.randrange(rng.choice((0, directory)), len(whole))] ^= 1 << rng.randrange(8)
        games.add("a.zip", data)
        answer = games.repack()
        assert answer.code in (0, DAMAGED), answer.err
        outcomes.add(answer.code)
        if answer.code == 0:
            new = games.output / "a.zip"
            if new.exists() and new.read_bytes() != bytes(data):
                assert zips.by_libzip(old) == zips.by_libzip(new)
    assert outcomes == {0, DAMAGED}


# ---- bombs --------------------------------------------------------------------------------------

def test_a_bomb_takes_no_memory_and_ends_at_what_it_claims(games):
    size = 300_000_000
    old = games.add("a.zip", archive([
        Entry("bomb", b"", 8, packed=deflated_zeros(size), local={"size": size, "crc": 0}, central={"size": size, "crc": 0}),
        *plain()]))
    games.read_backwards(old)
    done = subprocess.run(["/usr/bin/time", "-f", "%M", *games.tool.command(
        "repack", games.trace, "--content", games.content, "-o", games.output, *STORED)], capture_output=True, timeout=120)
    assert done.returncode == 0  # its CRC is wrong, so it stays unchanged
    assert (games.output / "a.zip").read_bytes() == old.read_bytes()
    assert int(done.stderr.split()[-1]) < 120_000, "KiB of memory"


# ---- outputs ------------------------------------------------------------------------------------

def test_outputs_in_the_content_or_with_other_files_are_refused(games):
    old = games.add("a.zip", archive(plain()))
    games.read_backwards(old)
    for output in (games.content, games.content / "below", games.folder):
        answer = games.tool.run("repack", games.trace, "--content", games.content, "-o", output)
        assert answer.says("outside of the content").code == USAGE
    games.output.mkdir()
    (games.output / "mine.txt").write_text("mine")
    games.repack().says("mine.txt", "choose another output")
    assert tree(games.output) == {"mine.txt": b"mine"}


def test_an_earlier_output_is_replaced_whole(games):
    first = games.add("a.zip", archive(plain()))
    games.add("sub/gone.zip", archive(plain()))
    games.read_backwards(first)
    games.repacked()
    (games.content / "sub/gone.zip").unlink()
    games.add("b.zip", archive(plain()))
    games.repacked()
    assert {p for p in tree(games.output) if not p.startswith(".seekless")} == {"a.zip", "b.zip"}
    # A file of the user's isn't removed, and prevents the output from being replaced.
    (games.output / "mine.txt").write_text("mine")
    games.repack().says("mine.txt")


def test_attributes_of_archives_are_kept(games):
    old = games.add("a.zip", archive(plain()))
    games.read_backwards(old)
    os.chmod(old, 0o640)
    os.utime(old, ns=(10**18, 10**18 + 5))
    games.repacked()
    stat = (games.output / "a.zip").stat()
    assert (stat.st_mode & 0o7777, stat.st_mtime_ns) == (0o640, 10**18 + 5)


def test_nothing_is_written_outside_of_the_output(games):
    """Compares the tool's own calls, and the tree around it."""
    old = games.add("a.zip", SOUND["names that lead elsewhere"]())
    games.read_backwards(old)
    before = tree(games.folder)
    log = games.folder.parent / "calls.log"
    calls = "openat,mkdir,mkdirat,rename,renameat,unlink,unlinkat,link,linkat,symlink,symlinkat"
    traced = subprocess.run(["strace", "-f", "-y", "-o", log, "-e", f"trace={calls}",
                             *games.tool.command("repack", games.trace, "--content", games.content, "-o", games.output)],
                            capture_output=True)
    if traced.returncode != 0 and b"ptrace" in traced.stderr:
        pytest.skip("may not trace")
    assert traced.returncode == 0, traced.stderr
    for line in log.read_text().splitlines():
        writes = "O_CREAT" in line or "O_WRONLY" in line or "O_RDWR" in line or "openat" not in line
        if writes and '"' in line and "+++" not in line and "---" not in line:
            in_folders = [os.path.join(*pair) for pair in re.findall(r'<([^>]*)>, "([^"]*)"', line)]
            paths = in_folders or line.split('"')[1::2]
            assert all(p.startswith((str(games.output), "/dev/", "/proc/")) for p in paths), line
    after = tree(games.folder)
    assert {n: b for n, b in after.items() if not n.startswith("out/")} == before


def test_links_in_the_output_lead_nowhere(games):
    elsewhere = games.folder / "elsewhere"
    elsewhere.mkdir()
    old = games.add("mods/a.zip", archive(plain()))
    games.read_backwards(old)
    games.output.mkdir()
    (games.output / "mods").symlink_to(elsewhere)
    games.repack().says("mods", "link")
    assert not any(elsewhere.iterdir())


def test_the_same_input_gives_the_same_bytes(games):
    for number in range(3):
        path = games.add(f"{number}.zip", archive([Entry(f"{n}.txt", prose(n, 5000), 8) for n in range(30)]))
        games.read_backwards(path)
    games.repacked()
    first = {n: hashlib.sha256(b).digest() for n, b in tree(games.output).items()}
    for environment in ({"LC_ALL": "C"}, {"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo"}):
        games.tool.ok("repack", games.trace, "--content", games.content, "-o", games.output, env=environment)
        assert {n: hashlib.sha256(b).digest() for n, b in tree(games.output).items()} == first


def test_a_dry_run_does_nothing(games):
    old = games.add("a.zip", archive(plain()))
    games.read_backwards(old)
    before = tree(games.folder)
    answer = games.tool.json("repack", games.trace, "--content", games.content, "--dry-run")
    assert answer["dry_run"] and answer["archives"][0]["repacked"]
    assert tree(games.folder) == before


def test_wrong_usage_is_told(games):
    old = games.add("a.zip", archive(plain()))
    games.read_backwards(old)
    base = ("repack", games.trace, "--content", games.content)
    for options in ((), ("-o", games.output, "--in-place")):
        assert games.tool.run(*base, *options).says("either -o DIR or --in-place").code == USAGE
    for bytes_ in ("3", "0", "65536", "x"):
        assert games.tool.run(*base, "-o", games.output, "--align", bytes_).code == USAGE
    twice = games.tool.run("repack", games.trace, "--content", games.content, old, "-o", games.output)
    assert twice.says("different names").code == USAGE
