"""Archives of each form that `repack` rewrites, with damage in their structure. None makes it crash or hang, and none
gets a wrong byte. Each stays unchanged, or an independent reader finds the same in the new archive as in the old one.
SEEKLESS_DAMAGED_ARCHIVES is their number per form, a multiple of 250: 250 by default, while 1,000 take four times as
long."""
import hashlib
import io
import os
import random
import struct
import zipfile
import zlib

import pytest

import flat_archives
import moved_archives
from game import noise
from repacked_game import RepackedGame

pytestmark = pytest.mark.thorough

MUTATIONS = int(os.environ.get("SEEKLESS_DAMAGED_ARCHIVES", 250))
AT_ONCE = 250
ENTRIES = [(f"textures/{n:02}.tex", noise(n, 400 + n)) for n in range(6)] + \
    [("meshes/deep/a.nif", noise(99, 500)), ("readme.txt", noise(3, 300))]
# Each entry fills whole blocks of Godot's cipher.
ENCRYPTED = [(name, noise(n, 40 + len(data) // 16 * 16)) for n, (name, data) in enumerate(ENTRIES)]


def zipped(entries, method=zipfile.ZIP_DEFLATED, comment=b""):
    """Returns a zip. Noise can't be deflated, so compressible bytes follow it."""
    blob, rest = io.BytesIO(), 0 if method == zipfile.ZIP_STORED else 400
    with zipfile.ZipFile(blob, "w", method) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data + bytes(rest), method)
        archive.comment = comment
    return blob.getvalue()


def read_zip(blob):
    """Reads each entry on its own, since one may be damaged and others not."""
    with zipfile.ZipFile(io.BytesIO(blob)) as archive:
        return [(entry.filename, moved_archives.tried(archive.read, entry.filename)) for entry in archive.infolist()]


def read_flat(blob):
    """Doesn't compare MD5s, because a damaged byte may be in one."""
    read = flat_archives.read_pak if blob[:4] == b"PACK" else flat_archives.read_pck
    return [(name, blob[at:at + size], *rest) for name, at, size, *rest in read(blob)]


def flat(make, entries=ENTRIES, **options):
    return lambda _: make(entries, **options), read_flat


KINDS = {
    "pak": flat(flat_archives.pak),
    "pak, directory in front": flat(flat_archives.pak, directory_first=True),
    "pak, equal data once": flat(flat_archives.pak, share=True),
    "pck 1": flat(flat_archives.pck),
    "pck 1, after a program": flat(flat_archives.pck, program=b"\x7fELF" + noise(7, 701)),
    "pck 2": flat(flat_archives.pck, version=2, alignment=32),
    "pck 2, entries encrypted": flat(flat_archives.pck, version=2, entry_flags=1, entries=ENCRYPTED),
    "pck 3": flat(flat_archives.pck, version=3, alignment=16),
    "pck 3, after a program": flat(flat_archives.pck, version=3, program=b"\x7fELF" + noise(7, 701), alignment=32),
    "pck 4": flat(flat_archives.pck, version=4, alignment=32),
    "zip": (zipped, read_zip),
    "zip, stored": (lambda entries: zipped(entries, zipfile.ZIP_STORED), read_zip),
    "zip with a comment": (lambda entries: zipped(entries, comment=b"made by hand"), read_zip),
    **moved_archives.KINDS,
    "disc image": (lambda entries: moved_archives.rvz([data for _, data in entries]), moved_archives.read_rvz),
    "disc image, tables behind": (lambda entries: moved_archives.rvz([data for _, data in entries], tables_behind=True),
                                  moved_archives.read_rvz),
    "disc image of wit": (lambda entries: moved_archives.rvz([data for _, data in entries], b"WIA\1"),
                          moved_archives.read_rvz),
}


def structure_of(blob, entries):
    """Returns the places that hold no entry's data: headers, directories, names."""
    is_data = bytearray(len(blob))
    for _, data in entries:
        for part in (data, data[100:], data[7:], zlib.compress(data), zlib.compress(data[:len(data) // 2]),
                     zlib.compress(data[len(data) // 2:]), zlib.compress(data + bytes(400))[2:-4]):
            if (at := blob.find(part)) >= 0:
                is_data[at:at + len(part)] = b"\1" * len(part)
    return [at for at, byte in enumerate(is_data) if not byte]


VALUES = [0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, (1 << 64) - 1]


def put(blob, at, width, value):
    blob[at:at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")


def mutated(blob, places, generator):
    """Changes one to three things in the structure: flips a bit, changes a number, swaps two numbers, copies a number,
    or inserts or removes bytes."""
    changed = bytearray(blob)
    pick = lambda: generator.choice(places)
    for _ in range(generator.choice([1, 1, 1, 2, 3])):
        at, other, width = pick(), pick(), generator.choice([1, 2, 4, 4, 8])
        number = int.from_bytes(changed[at:at + width], "little")
        way = generator.randrange(8)
        if way < 2:
            changed[at] ^= 1 << generator.randrange(8)
        elif way == 2:
            put(changed, at, width, generator.choice([*VALUES, len(blob), len(blob) - 1, at]))
        elif way == 3:
            put(changed, at, width, number + generator.choice([-16, -4, -1, 1, 4, 16, 1 << 8 * width - 1]))
        elif way == 4:
            put(changed, at, width, int.from_bytes(changed[other:other + width], "little"))
            put(changed, other, width, number)
        elif way == 5:
            changed[at:at + width] = changed[other:other + width]
        elif way == 6:
            changed[at:at] = bytes(generator.choice([1, 4, 16]))
        else:
            del changed[at:at + generator.choice([1, 4, 16])]
        if len(changed) < len(blob):
            changed += bytes(len(blob) - len(changed)) if generator.random() < 0.5 else b""
        places = [place for place in places if place < len(changed) - 8] or [0]
    return bytes(changed if generator.random() < 0.95 else changed[:generator.randrange(len(changed))])


# ---- checksums, so that the change beneath them is seen ----------------------------------------------------------------

def with_vpk_checksums(blob):
    tree_bytes, = struct.unpack_from("<I", blob, 8)
    if len(blob) < 28 + 48 or struct.unpack_from("<I", blob, 4) != (2,):
        return blob
    body = blob[:-48] + hashlib.md5(blob[28:28 + tree_bytes]).digest() + hashlib.md5(b"").digest()
    return body + hashlib.md5(body).digest()


def with_unreal_checksums(blob):
    changed = bytearray(blob)
    magic = blob.rfind(b"\xe1\x12\x6f\x5a")
    if magic < 0 or len(blob) < magic + 44:
        return blob
    version, at, size = struct.unpack_from("<IQQ", blob, magic + 4)
    if version >= 10:  # the index holds the checksums of the two tables behind it
        name_bytes, = struct.unpack_from("<I", blob, at) if at + 4 <= len(blob) else (0,)
        record = at + 4 + name_bytes + 4 + 8
        for place in (record, record + 40):
            if place + 40 <= len(blob):
                begin, length = struct.unpack_from("<QQ", blob, place + 4)
                changed[place + 20:place + 40] = hashlib.sha1(blob[begin:begin + min(length, len(blob))]).digest()
    changed[magic + 24:magic + 44] = hashlib.sha1(changed[at:at + min(size, len(blob))]).digest()
    return bytes(changed[:len(blob)])


def mutated_rpa(blob, places, generator):
    """The index is compressed, so most of the damage is done to its decompressed bytes."""
    if generator.random() < 0.2:
        return mutated(blob, places, generator)
    at = int(blob.split()[1], 16)
    pickled = zlib.decompress(blob[at:])
    return blob[:at] + zlib.compress(mutated(pickled, range(len(pickled)), generator))


def mutation(kind, blob, places, generator):
    if kind.startswith("rpa"):
        return mutated_rpa(blob, places, generator)
    changed = mutated(blob, places, generator)
    if generator.random() < 0.8:
        if kind.startswith("vpk 2"):
            return with_vpk_checksums(changed)
        if kind.startswith("pak of Unreal"):
            return with_unreal_checksums(changed)
        if kind.startswith("disc image"):
            return moved_archives.with_rvz_sums(changed)
    return changed


def outcome(read, what):
    try:
        return read(what)
    except Exception as error:
        return type(error)


def places_of_reads(size, generator):
    """Reads pages in a random order, so that entries move."""
    pages = list(range(0, size, 512))
    return [(at, 512) for at in generator.sample(pages, min(len(pages), 6))]


def repack_all(game, read):
    """Returns how many archives were repacked, and how many of these the other reader understands."""
    repacked = compared = 0
    for listed in game.json("-o", game.output)["archives"]:
        before = (game.content / listed["name"]).read_bytes()
        after = (game.output / listed["name"]).read_bytes()
        if not listed["repacked"]:
            assert after == before and listed["reason"], listed["name"]
            continue
        found = outcome(read, before)  # unpickling archives that seekless refuses would be unsafe
        repacked += 1
        if not isinstance(found, type):
            assert outcome(read, after) == found, listed["name"]
            compared += 1
    return repacked, compared


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_archives_keep_their_bytes(tool, tmp_path, kind):
    write, read = KINDS[kind]
    generator = random.Random(kind)
    sound = write(ENTRIES)
    structure = structure_of(sound, ENCRYPTED if "encrypted" in kind else ENTRIES)
    assert 20 < len(structure) < len(sound) / 2
    repacked = compared = 0
    for first in range(0, MUTATIONS, AT_ONCE):
        folder = tmp_path / str(first)
        folder.mkdir()
        game = RepackedGame(tool, folder)
        for number in range(first, first + AT_ONCE):
            blob = mutation(kind, sound, structure, generator)
            game.record(game.add(f"{number:04}.data", blob), places_of_reads(len(blob), generator))
        game.record(game.add("sound.data", sound), places_of_reads(len(sound), generator))
        more, more_compared = repack_all(game, read)
        repacked, compared = repacked + more, compared + more_compared
    # Otherwise the kinds of damage would test too little.
    assert MUTATIONS / 40 < compared <= repacked < MUTATIONS * 9 / 10, (repacked, compared)
