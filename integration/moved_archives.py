"""Archives of Bethesda, Valve, Ren'Py and Unreal, written and read without seekless. The code follows the public
descriptions that packer/content/*.cpp name. KINDS maps each variant of a format to its writer; contents() reads any of
them."""
import ctypes
import ctypes.util
import hashlib
import pickle
import struct
import zlib

NOT_USED = 0xBAADF00D


def tried(decode, data):
    """Returns the decoded data of one entry, or the reason of a failure, and the stored data. One entry may be damaged
    while others aren't."""
    try:
        return decode(data)
    except Exception as error:
        return type(error), data


def split(name):
    folder, _, file = name.rpartition("/")
    return folder, file


# ---- Bethesda ----------------------------------------------------------------------------------------------------------

def nif(text):
    """Returns a mesh of Morrowind: a node without shape, and a text."""
    word = lambda words: struct.pack("<I", len(words)) + words.encode()
    node = word("NiNode") + word("node") + struct.pack("<iiH", 1, -1, 0) + struct.pack("<16f", *[0] * 3, 1, *[0] * 3, 1, *[0] * 3, 1, 1, *[0] * 3)
    extra = word("NiStringExtraData") + struct.pack("<iI", -1, 4 + len(text)) + word(text)
    head = b"NetImmerse File Format, Version 4.0.0.2\n" + struct.pack("<II", 0x04000002, 2)
    return head + node + struct.pack("<4I", *[0] * 4) + extra + struct.pack("<Ii", 1, 0)


def morrowind_bsa(entries):
    names = [name.replace("/", "\\").encode() + b"\0" for name, _ in entries]
    records, places, at, name_at = b"", b"", 0, 0
    for name, (_, data) in zip(names, entries):
        records += struct.pack("<II", len(data), at)
        places += struct.pack("<I", name_at)
        at, name_at = at + len(data), name_at + len(name)
    table = records + places + b"".join(names)
    hashes = b"".join(hashlib.md5(name).digest()[:8] for name in names)
    return struct.pack("<III", 0x100, len(table), len(entries)) + table + hashes + b"".join(d for _, d in entries)


def read_morrowind_bsa(blob):
    _, hashes_at, count = struct.unpack_from("<III", blob)
    base = 12 + hashes_at + 8 * count
    found = []
    for i in range(count):
        size, at = struct.unpack_from("<II", blob, 12 + 8 * i)
        name_at = 12 + 12 * count + struct.unpack_from("<I", blob, 12 + 8 * count + 4 * i)[0]
        name = blob[name_at:blob.index(b"\0", name_at)].decode().replace("\\", "/")
        found.append((name, blob[base + at:base + at + size]))
    return found


def bsa(entries, version, flags=3):
    """Flags: 1 names of folders, 2 of files, 4 files are compressed, 0x100 the path is before the data (from 104 on)."""
    folders = {}
    for name, data in entries:
        folders.setdefault(split(name)[0].replace("/", "\\"), []).append((split(name)[1], data))
    record = 24 if version == 105 else 16
    folder_names = sum(len(folder) + 1 for folder in folders)
    file_names = b"".join(name.encode() + b"\0" for files in folders.values() for name, _ in files)
    blocks_at = 36 + record * len(folders)
    data_at = blocks_at + sum(len(f) + 2 for f in folders) + 16 * len(entries) + len(file_names)
    head = struct.pack("<4s8I", b"BSA\0", version, 36, flags, len(folders), len(entries), folder_names, len(file_names), 0)
    folder_records, blocks, data = b"", b"", b""
    for folder, files in folders.items():
        place = blocks_at + len(blocks) + len(file_names)
        key = int.from_bytes(hashlib.md5(folder.encode()).digest()[:8], "little")
        folder_records += struct.pack("<QIIQ" if version == 105 else "<QII", key, len(files), *([0, place] if version == 105 else [place]))
        blocks += bytes([len(folder) + 1]) + folder.encode() + b"\0"
        for name, content in files:
            stored = content
            if flags & 4:
                stored = struct.pack("<I", len(content)) + zlib.compress(content)
            if flags & 0x100:
                path = f"{folder}\\{name}".encode()
                stored = bytes([len(path)]) + path + stored
            blocks += hashlib.md5(name.encode()).digest()[:8] + struct.pack("<II", len(stored), data_at + len(data))
            data += stored
    return head + folder_records + blocks + file_names + data


def read_bsa(blob):
    _, version, folders_at, flags, folders, files, _, names_bytes, _ = struct.unpack_from("<4s8I", blob)
    counts = [struct.unpack_from("<I", blob, folders_at + 8 + i * (24 if version == 105 else 16))[0] for i in range(folders)]
    at = folders_at + folders * (24 if version == 105 else 16)
    records = []
    for count in counts:
        folder = blob[at + 1:at + blob[at]].decode()
        at += 1 + blob[at]
        for _ in range(count):
            records.append((folder, *struct.unpack_from("<II", blob, at + 8)))
            at += 16
    names = blob[at:at + names_bytes].split(b"\0")[:-1]
    found = []
    for (folder, size, place), name in zip(records, names, strict=True):
        path = f"{folder}\\{name.decode()}"
        is_packed = bool(flags & 4) != bool(size & 1 << 30)  # the bit in the size inverts the archive's flag
        size &= (1 << 30) - 1

        def decode(data):
            if flags & 0x100:
                assert data[1:1 + data[0]].decode() == path
                data = data[1 + data[0]:]
            if is_packed:
                length, = struct.unpack_from("<I", data)
                data = zlib.decompress(data[4:])
                assert len(data) == length
            return data
        found.append((path.replace("\\", "/").removeprefix("/"), tried(decode, blob[place:place + size])))
    return found


def ba2(entries, kind, version=1, packed=False):
    extra = {2: 8, 3: 12}.get(version, 0)
    chunks_of = lambda data: [data] if kind == "GNRL" else [data[:len(data) // 2], data[len(data) // 2:]]
    size = 24 + extra + sum(36 if kind == "GNRL" else 24 + 24 * 2 for _ in entries)
    records, data, names = b"", b"", b""
    for name, content in entries:
        names += struct.pack("<H", len(name)) + name.replace("/", "\\").encode()
        key = hashlib.md5(name.encode()).digest()
        key = key[:4] + name.rpartition(".")[2].encode()[:4].ljust(4, b"\0") + key[8:]
        if kind == "DX10":
            records += key[:12] + struct.pack("<BBHHHBBH", 0, 2, 24, 512, 512, 9, 71, 0x800)
        for number, chunk in enumerate(chunks_of(content)):
            stored = zlib.compress(chunk) if packed else chunk
            place = struct.pack("<QII", size + len(data), len(stored) if packed else 0, len(chunk))
            records += key[:16] + place if kind == "GNRL" else place + struct.pack("<HH", number, number)
            records += struct.pack("<I", NOT_USED)
            data += stored
    head = struct.pack("<4sI4sIQ", b"BTDX", version, kind.encode(), len(entries), size + len(data)) + bytes(extra)
    return head + records + data + names


def read_ba2(blob):
    _, version, kind, count, names_at = struct.unpack_from("<4sI4sIQ", blob)
    at = 24 + {2: 8, 3: 12}.get(version, 0)
    found = []
    for _ in range(count):
        chunks, step, where = 1, 36, 16
        if kind == b"DX10":
            chunks, step, where = blob[at + 13], 24, 0
            at += 24
        data = []
        for _ in range(chunks):
            place, packed, size, *_ , mark = struct.unpack_from("<QIIII" if kind == b"DX10" else "<QIII", blob, at + where)
            assert mark == NOT_USED
            stored = blob[place:place + (packed or size)]
            data.append(tried(zlib.decompress, stored) if packed else stored)
            at += step
        data = b"".join(data) if all(isinstance(part, bytes) for part in data) else data
        length, = struct.unpack_from("<H", blob, names_at)
        found.append((blob[names_at + 2:names_at + 2 + length].decode().replace("\\", "/"), data))
        names_at += 2 + length
    assert names_at == len(blob)
    return found


# ---- Valve -------------------------------------------------------------------------------------------------------------

def vpk(entries, version, preload=0, chunk=0x7FFF):
    by_ending = {}
    for name, data in entries:
        folder, file = split(name)
        stem, _, ending = file.rpartition(".")
        by_ending.setdefault(ending, {}).setdefault(folder or " ", []).append((stem, data))
    tree, data = b"", b""
    for ending, folders in by_ending.items():
        tree += ending.encode() + b"\0"
        for folder, files in folders.items():
            tree += folder.encode() + b"\0"
            for stem, content in files:
                first, rest = content[:preload], content[preload:]
                tree += stem.encode() + b"\0" + struct.pack("<IHHIIH", zlib.crc32(content), len(first), chunk, len(data),
                                                            len(rest), 0xFFFF) + first
                data += rest
            tree += b"\0"
        tree += b"\0"
    tree += b"\0"
    data = b"" if chunk != 0x7FFF else data
    if version == 1:
        return struct.pack("<III", 0x55AA1234, 1, len(tree)) + tree + data
    head = struct.pack("<IIIIIII", 0x55AA1234, 2, len(tree), len(data), 0, 48, 0)
    body = head + tree + data + hashlib.md5(tree).digest() + hashlib.md5(b"").digest()
    return body + hashlib.md5(body).digest()


def read_vpk(blob):
    _, version, tree_bytes = struct.unpack_from("<III", blob)
    at = 12 if version == 1 else 28
    base = at + tree_bytes
    if version == 2:
        assert blob[-48:-32] == hashlib.md5(blob[at:base]).digest()
        assert blob[-16:] == hashlib.md5(blob[:-16]).digest()
    found = []

    def text():
        nonlocal at
        end = blob.index(b"\0", at)
        value, at = blob[at:end].decode(), end + 1
        return value
    while ending := text():
        while folder := text():
            while stem := text():
                crc, first, chunk, place, size, end = struct.unpack_from("<IHHIIH", blob, at)
                assert (chunk, end) == (0x7FFF, 0xFFFF)
                data = blob[at + 18:at + 18 + first] + blob[base + place:base + place + size]
                at += 18 + first
                name = ("" if folder == " " else folder + "/") + f"{stem}.{ending}"
                found.append((name, data if zlib.crc32(data) == crc else ("another CRC", crc, data)))
    return found


# ---- Ren'Py ------------------------------------------------------------------------------------------------------------

def rpa(entries, version="3.0", key=0xDEADBEEF, prefix=0, protocol=2, filler=b"Made with Ren'Py."):
    line = {"2.0": 25, "3.2, two numbers": 43}.get(version, 34)
    data, index = bytearray(), {}
    for name, content in entries:
        data += filler
        mask = 0 if version == "2.0" else key
        index[name] = [((line + len(data)) ^ mask, len(content) ^ mask, content[:prefix])]
        data += content[prefix:]
    at = line + len(data)
    head = {"2.0": f"RPA-2.0 {at:016x}\n", "3.2, two numbers": f"RPA-3.2 {at:016x} 12345678 {key:08x}\n"}.get(
        version, f"RPA-{version} {at:016x} {key:08x}\n")
    return head.encode() + data + zlib.compress(pickle.dumps(index, protocol))


def indexed_rpa(data, index, protocol=2):
    """The data begin at byte 34. The index has each name's list of places."""
    head = "RPA-3.0 %016x %08x\n" % (34 + len(data), 0)
    return head.encode() + data + zlib.compress(pickle.dumps(index, protocol))


def read_rpa(blob):
    """Reads with Python's unpickler, so it is only for the tests' own archives."""
    parts = blob[:blob.index(b"\n")].split()
    key = 0
    for part in parts[3 if parts[0] == b"RPA-3.2" and len(parts) > 3 else 2:]:
        key ^= int(part, 16)
    index = pickle.loads(zlib.decompress(blob[int(parts[1], 16):]))
    found = []
    for name, stretches in index.items():
        data = b""
        for place, size, prefix in stretches:
            place, size = place ^ key, (size ^ key) - len(prefix)
            data += prefix + blob[place:place + size]
        found.append((name, data))
    return found


# ---- Unreal ------------------------------------------------------------------------------------------------------------

def unreal_text(text):
    return struct.pack("<I", len(text) + 1) + text.encode() + b"\0"


def unreal_record(place, data, version):
    compression = b"\0" if version == "8a" else b"\0\0\0\0"
    return struct.pack("<QQQ", place, len(data), len(data)) + compression + hashlib.sha1(data).digest() + bytes(5)


def unreal_tables(entries, short_places):
    """Returns the table of hashes, which no test checks, and the list of files."""
    hashes = struct.pack("<I", len(entries))
    folders = {"/": {}}
    for (name, _), place in zip(entries, short_places):
        hashes += hashlib.md5(name.encode()).digest()[:8] + struct.pack("<I", place)
        folder, file = split(name)
        folders.setdefault(folder + "/", {})[file] = place
    listing = struct.pack("<I", len(folders))
    for folder, files in folders.items():
        listing += unreal_text(folder) + struct.pack("<I", len(files))
        listing += b"".join(unreal_text(file) + struct.pack("<I", place) for file, place in files.items())
    return hashes + struct.pack("<I", 0), listing


def unreal_pak(entries, version):
    """Versions 4 to 11; "8a" is the older form of 8."""
    number = 8 if version == "8a" else version
    data, places = b"", []
    for _, content in entries:
        places.append(len(data))
        data += unreal_record(0, content, version) + content
    index = unreal_text("../../../Game/Content/") + struct.pack("<I", len(entries))
    tables = b""
    if number >= 10:
        short, short_places = b"", []
        for place, (_, content) in zip(places, entries):
            short_places.append(len(short))
            short += struct.pack("<III", 7 << 29, place, len(content))
        hashes, listing = unreal_tables(entries, short_places)
        at = len(data) + len(index) + 8 + 2 * (4 + 16 + 20) + 4 + len(short) + 4
        index += bytes(8) + struct.pack("<IQQ", 1, at, len(hashes)) + hashlib.sha1(hashes).digest()
        index += struct.pack("<IQQ", 1, at + len(hashes), len(listing)) + hashlib.sha1(listing).digest()
        index += struct.pack("<I", len(short)) + short + struct.pack("<I", 0)
        tables = hashes + listing
    else:
        for place, (name, content) in zip(places, entries):
            index += unreal_text(name) + unreal_record(place, content, version)
    info = (bytes(16) if number >= 7 else b"") + b"\0" + struct.pack("<IIQQ", 0x5A6F12E1, number, len(data), len(index))
    info += hashlib.sha1(index).digest() + (b"\0" if number == 9 else b"")
    return data + index + tables + info + bytes({"8a": 128}.get(version, 160 if number >= 8 else 0))


def read_unreal_pak(blob):
    magic = blob.rindex(b"\xe1\x12\x6f\x5a")
    number, at, size = struct.unpack_from("<IQQ", blob, magic + 4)
    is_old_8 = number == 8 and len(blob) - magic == 44 + 128
    assert hashlib.sha1(blob[at:at + size]).digest() == blob[magic + 24:magic + 44]
    record_bytes = 50 if is_old_8 else 53

    def text(at):
        length, = struct.unpack_from("<I", blob, at)
        return blob[at + 4:at + 3 + length].decode(), at + 4 + length

    def content(place, size):
        def decode(data):
            record, data = data[:record_bytes], data[record_bytes:]
            assert struct.unpack_from("<QQ", record) == (0, size)
            assert hashlib.sha1(data).digest() == record[-25:-5]
            return data
        return tried(decode, blob[place:place + record_bytes + size])
    _, at = text(at)
    count, = struct.unpack_from("<I", blob, at)
    at += 4
    found = []
    if number < 10:
        for _ in range(count):
            name, at = text(at)
            found.append((name, content(*struct.unpack_from("<QQ", blob, at))))
            at += record_bytes
        return found
    at += 8
    tables = []
    for _ in range(2):
        _, begin, length = struct.unpack_from("<IQQ", blob, at)
        assert hashlib.sha1(blob[begin:begin + length]).digest() == blob[at + 20:at + 40]
        tables.append(begin)
        at += 40
    short = at + 4
    at = tables[1]
    folders, = struct.unpack_from("<I", blob, at)
    at += 4
    for _ in range(folders):
        folder, at = text(at)
        files, = struct.unpack_from("<I", blob, at)
        at += 4
        for _ in range(files):
            name, at = text(at)
            bits, place, size = struct.unpack_from("<III", blob, short + struct.unpack_from("<I", blob, at)[0])
            assert bits == 7 << 29
            at += 4
            found.append((("" if folder == "/" else folder) + name, content(place, size)))
    return found


# ---- Dolphin -----------------------------------------------------------------------------------------------------------

ZSTD = ctypes.util.find_library("zstd") or "libzstd.so.1"


def zstd(name, data, room, *level):
    library, out = ctypes.CDLL(ZSTD), ctypes.create_string_buffer(max(room, 1))
    function = getattr(library, name)
    function.restype = ctypes.c_size_t
    size = function(out, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), *level)
    assert size <= room, f"{name} fails"
    return out.raw[:size]


def with_rvz_sums(blob):
    """Sets the length and the checksums in a disc image's head."""
    disc = blob[0x48:0x48 + 0xDC]
    head = blob[:0x10] + hashlib.sha1(disc).digest() + blob[0x24:0x2C] + struct.pack(">Q", len(blob))
    return head + hashlib.sha1(head).digest() + blob[0x48:]


def rvz(groups, magic=b"RVZ\1", is_packed=False, tables_behind=False):
    """Makes a disc image whose groups have these contents; an empty content stands for zeros. With `is_packed`, groups
    and tables are compressed by Zstandard."""
    pack = lambda data: zstd("ZSTD_compress", data, len(data) + 1000, 3) if is_packed else data
    stored = [pack(data) if data else b"" for data in groups]
    raw = pack(struct.pack(">QQII", 0x80, sum(map(len, groups)), 0, len(groups)))
    at = 0x48 + 0xDC + (0 if tables_behind else 200 + len(raw) + 12 * len(groups))
    at += -at % 4
    table, data = b"", b""
    for number, content in enumerate(stored):
        size = len(content) | (is_packed << 31 if content and magic == b"RVZ\1" else 0)
        table += struct.pack(">II", (at + len(data)) // 4 if content else 0, size)
        table += struct.pack(">I", 0) if magic == b"RVZ\1" else b""
        data += content + bytes(-len(content) % 4)
    table = pack(table)
    place = at + len(data) if tables_behind else 0x48 + 0xDC
    disc = struct.pack(">IIiI", 1, 5 if is_packed else 0, 5, 1 << 17) + b"GTST01".ljust(0x80, b"\0")
    disc += struct.pack(">IIQ", 0, 48, place) + hashlib.sha1(b"").digest()
    disc += struct.pack(">IQI", 1, place, len(raw)) + struct.pack(">IQI", len(groups), place + len(raw), len(table)) + bytes(8)
    head = struct.pack(">4sIII20sQQ20s", magic, 0x1000000, 0x30000, len(disc), b"", sum(map(len, groups)), 0, b"")
    tables = raw + table
    front = head + disc + (b"" if tables_behind else tables)
    return with_rvz_sums(front + bytes(at - len(front)) + data + (tables if tables_behind else b""))


def read_rvz(blob):
    """Returns (number, content) of each group, and the stored bytes of the two other tables."""
    assert with_rvz_sums(blob) == blob
    is_rvz = blob[:4] == b"RVZ\1"
    compression, = struct.unpack_from(">I", blob, 0x48 + 4)
    count, place, size = struct.unpack_from(">IQI", blob, 0x48 + 0xC4)
    step = 12 if is_rvz else 8
    table = blob[place:place + size]
    if compression == 5:
        table = zstd("ZSTD_decompress", table, count * step)
    found = []
    for number in range(count):
        at, size = struct.unpack_from(">II", table, step * number)
        is_packed = size >> 31 if is_rvz else False
        size &= 0x7FFFFFFF if is_rvz else 0xFFFFFFFF
        data = blob[4 * at:4 * at + size] if size else b""
        found.append((number, tried(lambda data: zstd("ZSTD_decompress", data, 1 << 20), data) if is_packed else data))
    parts, part_bytes, parts_at = struct.unpack_from(">IIQ", blob, 0x48 + 0x90)
    raw_at, raw_bytes = struct.unpack_from(">QI", blob, 0x48 + 0xB8)
    return [*found, ("partitions", blob[parts_at:parts_at + parts * part_bytes]), ("raw data", blob[raw_at:raw_at + raw_bytes])]


# ---- all of them -------------------------------------------------------------------------------------------------------

KINDS = {
    "bsa of Morrowind": (morrowind_bsa, read_morrowind_bsa),
    "bsa 103": (lambda e: bsa(e, 103), read_bsa),
    "bsa 104, compressed, paths before data": (lambda e: bsa(e, 104, 0x107), read_bsa),
    "bsa 105": (lambda e: bsa(e, 105), read_bsa),
    "ba2, general": (lambda e: ba2(e, "GNRL"), read_ba2),
    "ba2, general, compressed": (lambda e: ba2(e, "GNRL", 8, True), read_ba2),
    "ba2, textures": (lambda e: ba2(e, "DX10", 1, True), read_ba2),
    "ba2 of Starfield": (lambda e: ba2(e, "GNRL", 2), read_ba2),
    "ba2 of Starfield, textures": (lambda e: ba2(e, "DX10", 3, True), read_ba2),
    "vpk 1": (lambda e: vpk(e, 1), read_vpk),
    "vpk 2": (lambda e: vpk(e, 2), read_vpk),
    "vpk 2, first bytes in the tree": (lambda e: vpk(e, 2, 100), read_vpk),
    "rpa 2.0": (lambda e: rpa(e, "2.0"), read_rpa),
    "rpa 3.0": (rpa, read_rpa),
    "rpa 3.0, first bytes in the index": (lambda e: rpa(e, prefix=7), read_rpa),
    "rpa 3.0, newest pickle": (lambda e: rpa(e, protocol=4, key=0x42424242), read_rpa),
    "rpa 3.2": (lambda e: rpa(e, "3.2", filler=b""), read_rpa),
    "rpa 3.2, two numbers": (lambda e: rpa(e, "3.2, two numbers", filler=b""), read_rpa),
    "rpa 4.0": (lambda e: rpa(e, "4.0"), read_rpa),
    "pak of Unreal 4": (lambda e: unreal_pak(e, 4), read_unreal_pak),
    "pak of Unreal 7": (lambda e: unreal_pak(e, 7), read_unreal_pak),
    "pak of Unreal 8, older form": (lambda e: unreal_pak(e, "8a"), read_unreal_pak),
    "pak of Unreal 8": (lambda e: unreal_pak(e, 8), read_unreal_pak),
    "pak of Unreal 9": (lambda e: unreal_pak(e, 9), read_unreal_pak),
    "pak of Unreal 11": (lambda e: unreal_pak(e, 11), read_unreal_pak),
}
