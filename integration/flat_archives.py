"""Archives whose entries are uncompressed ranges of the file, written and read without seekless: Quake's .pak and
Godot's .pck. The code follows the formats' public descriptions, which packer/content/quake_pak.cpp and godot_pck.cpp
name."""
import hashlib
import struct


def aligned(offset, alignment):
    return -(-offset // alignment) * alignment


def pak(entries, *, directory_first=False, share=False):
    """Makes an archive of (name, data) pairs. With `share`, equal data are stored once."""
    at = 12 + (64 * len(entries) if directory_first else 0)
    data, records, known = bytearray(), b"", {}
    for name, content in entries:
        place = known.get(content) if share else None
        if place is None:
            place = known[content] = at + len(data)
            data += content
        records += struct.pack("<56sII", name.encode(), place, len(content))
    if directory_first:
        return struct.pack("<4sII", b"PACK", 12, len(records)) + records + data
    return struct.pack("<4sII", b"PACK", at + len(data), len(records)) + data + records


def read_pak(blob):
    magic, at, size = struct.unpack_from("<4sII", blob)
    assert magic == b"PACK"
    places = []
    for record in range(at, at + size, 64):
        name, offset, length = struct.unpack_from("<56sII", blob, record)
        places.append((name.split(b"\0")[0].decode(), offset, length))
    return places


def pck(entries, *, version=1, alignment=1, program=b"", from_archive=False, flags=0, entry_flags=0):
    """Puts the archive after `program`, with the trailer by which the engine finds it. An encrypted entry's content is
    given as stored in the archive. The directory has its length before encryption, which is 45 bytes less: 40 of header
    and five of padding."""
    names = [f"res://{name}".encode() for name, _ in entries]
    names = [name + b"\0" * (-len(name) % 4) for name in names]
    start = len(program)
    records_bytes = 4 + sum(4 + len(n) + 32 + (4 if version >= 2 else 0) for n in names)
    head = 20 + {1: 0, 2: 12, 3: 20, 4: 20}[version] + 64 + (records_bytes if version < 3 else 0)
    base = aligned(start + head, alignment)
    at, places = base, []
    for _, content in entries:
        at = aligned(at, alignment)
        places.append(at)
        at += len(content)
    end = at
    blob = struct.pack("<4s4I", b"GDPC", version, 3 if version == 1 else 4, 2, 0)
    if version >= 2:
        is_relative = from_archive or version >= 3
        blob += struct.pack("<IQ", flags | (2 if is_relative else 0), base - start if is_relative else base)
    blob += struct.pack("<Q", aligned(end, 16) - start) if version >= 3 else b""
    blob += b"\0" * 64
    records = struct.pack("<I", len(entries))
    for name, place, (_, content) in zip(names, places, entries):
        records += struct.pack("<I", len(name)) + name
        records += struct.pack("<QQ", place - (base if version >= 2 else 0),
                               max(0, len(content) - 45) if entry_flags & 1 else len(content)) + hashlib.md5(content).digest()
        records += struct.pack("<I", entry_flags) if version >= 2 else b""
    blob = bytearray(program + blob + (records if version < 3 else b""))
    for place, (_, content) in zip(places, entries):
        blob += b"\0" * (place - len(blob)) + content
    assert len(blob) == max(end, start + head)
    if version >= 3:  # versions 3 and 4 have their directory after the data
        blob += b"\0" * (aligned(end, 16) - len(blob)) + records
    if program:
        blob += struct.pack("<Q4s", len(blob) - start, b"GDPC")
    return bytes(blob)


def read_pck(blob):
    """Returns (name, offset in the file, length, MD5) of each entry."""
    start = 0
    if blob[:4] != b"GDPC":
        size, magic = struct.unpack_from("<Q4s", blob, len(blob) - 12)
        assert magic == b"GDPC"
        start = len(blob) - 12 - size
    magic, version = struct.unpack_from("<4sI", blob, start)
    assert magic == b"GDPC"
    at, base = start + 20, 0
    if version >= 2:
        flags, base = struct.unpack_from("<IQ", blob, at)
        base += start if flags & 2 or version >= 3 else 0
        at += 12
    if version >= 3:
        at = start + struct.unpack_from("<Q", blob, at)[0]
    else:
        at += 64
    count, = struct.unpack_from("<I", blob, at)
    at += 4
    places = []
    for _ in range(count):
        length, = struct.unpack_from("<I", blob, at)
        name = blob[at + 4:at + 4 + length].rstrip(b"\0").decode().removeprefix("res://")
        at += 4 + length
        offset, size, md5 = struct.unpack_from("<QQ16s", blob, at)
        if version >= 2 and struct.unpack_from("<I", blob, at + 32)[0] & 1:
            size = 40 + aligned(size, 16)  # as Godot's packer writes encrypted entries
        at += 32 + (4 if version >= 2 else 0)
        places.append((name, base + offset, size, md5))
    return places


def contents(blob):
    """Returns (name, data) of each entry, in the directory's order; MD5s of .pck are checked."""
    if blob[:4] == b"PACK":
        return [(name, blob[at:at + size]) for name, at, size in read_pak(blob)]
    found = []
    for name, at, size, md5 in read_pck(blob):
        assert md5 in (bytes(16), hashlib.md5(blob[at:at + size]).digest()), name  # Godot's own packer leaves it out
        found.append((name, blob[at:at + size]))
    return found


def places(blob):
    return {name: (at, size) for name, at, size, *_ in (read_pak if blob[:4] == b"PACK" else read_pck)(blob)}
