"""Containers of Unreal's IoStore (.utoc and .ucas), written and read without seekless. The code follows the public
description of FIoStoreTocHeader."""
import struct
import zlib
from dataclasses import dataclass

from game import noise

MAGIC = b"-==--==--==--==-"
COMPRESSED, ENCRYPTED, SIGNED, INDEXED, ON_DEMAND = 1, 2, 4, 8, 16
NONE = 0xFFFFFFFF
ONE_PART = (1 << 64) - 1


@dataclass
class Chunk:
    path: str
    data: bytes
    kind: int = 1
    is_stored: bool = False
    is_mapped: bool = False  # the engine may map it into memory

    @property
    def id(self):
        return struct.pack(">Q", zlib.crc32(self.path.encode()) << 20)[:8] + struct.pack("<HBB", 0, 0, self.kind)


@dataclass
class Shape:
    """How a container is written."""
    version: int = 8
    block: int = 65536
    method: str = "Zlib"
    part: int = ONE_PART
    flags: int = COMPRESSED | INDEXED
    seeds: int = 5
    twins: tuple = ()        # (path, path of the chunk whose blocks it has)
    same_places: tuple = ()  # likewise, but with blocks of its own at the same places
    shift: int = 0           # each block begins at such a place modulo 16
    tail: bytes = b""        # lies at the end of the last part, and belongs to no chunk


def text(value):
    if all(ord(letter) < 128 for letter in value):
        return struct.pack("<i", len(value) + 1) + value.encode() + b"\0"
    return struct.pack("<i", -len(value) - 1) + value.encode("utf-16-le") + b"\0\0"


def name_index(paths):
    """`paths` are those of the chunks in the directory's order."""
    texts, folders, files = [], [[NONE] * 4], []

    def number(word):
        if word not in texts:
            texts.append(word)
        return texts.index(word)
    known = {(): 0}
    for chunk, path in enumerate(paths):
        *way, file = path.split("/")
        for depth in range(len(way)):
            here, above = tuple(way[:depth + 1]), tuple(way[:depth])
            if here not in known:
                known[here] = len(folders)
                folders.append([number(way[depth]), NONE, folders[known[above]][1], NONE])
                folders[known[above]][1] = known[here]
        folder = folders[known[tuple(way)]]
        files.append([number(file), folder[3], chunk])
        folder[3] = len(files) - 1
    rows = lambda records: struct.pack("<I", len(records)) + b"".join(struct.pack(f"<{len(r)}I", *r) for r in records)
    return text("../../../") + rows(folders) + rows(files) + struct.pack("<I", len(texts)) + b"".join(map(text, texts))


def packed(data, method):
    """Returns a block's bytes. Oodle's are opaque: nobody here can read them."""
    return zlib.compress(data, 1) if method == "Zlib" else noise(zlib.crc32(data), max(1, len(data) * 2 // 3))


def part_name(name, number):
    return f"{name}.ucas" if number == 0 else f"{name}_s{number}.ucas"


def write(folder, name, chunks, shape=Shape()):
    """Writes the container; returns the bytes of the .utoc."""
    parts, blocks, places, places_of, ranges = [bytearray(shape.shift)], [], [], {}, {}
    for chunk in chunks:
        at = len(blocks) * shape.block
        source = dict(shape.twins).get(chunk.path)
        if source:
            places.append((*places_of[source][:1], len(chunk.data)))
            continue
        places.append((at, len(chunk.data)))
        places_of[chunk.path] = places[-1]
        same = dict(shape.same_places).get(chunk.path)
        if same:
            blocks += blocks[slice(*ranges[same])]
            continue
        raw = []
        for begin in range(0, len(chunk.data), shape.block):
            piece = chunk.data[begin:begin + shape.block]
            small = piece if chunk.is_stored or not shape.method else packed(piece, shape.method)
            raw.append((small, len(piece), 1 if small is not piece else 0))
        if len(parts[-1]) + sum(len(data) + 16 for data, *_ in raw) > shape.part:
            parts.append(bytearray(shape.shift))
        into, first = parts[-1], len(blocks)
        into += bytes((shape.shift - len(into)) % (16384 if chunk.is_mapped else 16))
        for data, size, method in raw:
            begin = 0 if len(parts) == 1 else (len(parts) - 1) * shape.part
            blocks.append((begin + len(into), len(data), size, method))
            into += data
            into += noise(len(into), (shape.shift - len(into)) % 16)  # encrypted padding isn't zero
        ranges[chunk.path] = (first, len(blocks))
    parts[-1] += shape.tail
    big = lambda value: value.to_bytes(5, "big")
    methods = [shape.method] if shape.method else []
    index = name_index([chunk.path for chunk in chunks]) if shape.flags & INDEXED else b""
    if shape.flags & ENCRYPTED:
        index = noise(len(index), len(index) + -len(index) % 16)
    seeds = noise(1, 4 * shape.seeds) if shape.version >= 4 else b""
    unhashed = noise(2, 8) if shape.version >= 5 else b""
    head = struct.pack("<16sBBHIIIIIIIIIQ16sBBHIQIIQQQQQ", MAGIC, shape.version, 0, 0, 144, len(chunks), len(blocks),
                       12, len(methods), 32, shape.block, len(index), len(parts), 0x1234, bytes(16), shape.flags, 0, 0,
                       len(seeds) // 4, shape.part, len(unhashed) // 4, 0, *[0] * 5)
    assert len(head) == 144
    flags = lambda chunk: (chunk.kind != 2) + 2 * chunk.is_mapped
    meta = lambda chunk: (noise(3, 20) + struct.pack("<I", flags(chunk)) if shape.version >= 8 else
                          noise(3, 32) + struct.pack("<B", flags(chunk)))
    table = b"".join(at.to_bytes(5, "little") + size.to_bytes(3, "little") + raw.to_bytes(3, "little") + bytes([method])
                     for at, size, raw, method in blocks)
    toc = head + b"".join(chunk.id for chunk in chunks) + b"".join(big(at) + big(size) for at, size in places) + \
        seeds + unhashed + table + b"".join(method.encode().ljust(32, b"\0") for method in methods) + index + \
        b"".join(map(meta, chunks))
    (folder / f"{name}.utoc").write_bytes(toc)
    for number, data in enumerate(parts):
        (folder / part_name(name, number)).write_bytes(data)
    return toc


@dataclass
class Toc:
    ids: list
    places: list   # (begin, length) in the unpacked data
    blocks: list   # (part, offset, size, unpacked size, compression)
    block: int
    parts: int
    part_bytes: int
    methods: list
    rest: bytes    # everything but places of blocks, and number and distance of parts

    def blocks_of(self, chunk):
        begin, length = self.places[chunk]
        return self.blocks[begin // self.block:-(-(begin + length) // self.block)] if length else []


def parse(toc):
    assert toc[:16] == MAGIC
    version, = struct.unpack_from("<B", toc, 16)
    header, chunks, count, _, methods, method_bytes, block, _, parts = struct.unpack_from("<9I", toc, 20)
    seeds, part_bytes, unhashed = struct.unpack_from("<IQI", toc, 84)
    at = header
    assert block and part_bytes and header + 22 * chunks + 12 * count + methods * method_bytes <= len(toc)
    ids = [toc[at + 12 * i:at + 12 * i + 12] for i in range(chunks)]
    at += 12 * chunks
    halves = [int.from_bytes(toc[at + 5 * i:at + 5 * i + 5], "big") for i in range(2 * chunks)]
    places = list(zip(halves[::2], halves[1::2]))
    at += 10 * chunks + (4 * seeds if version >= 4 else 0) + (4 * unhashed if version >= 5 else 0)
    rows = [toc[at + 12 * i:at + 12 * i + 12] for i in range(count)]
    number = lambda data: int.from_bytes(data, "little")
    blocks = [(*divmod(number(row[:5]), part_bytes), number(row[5:8]), number(row[8:11]), row[11]) for row in rows]
    rest = toc[:52] + toc[56:88] + toc[96:at] + b"".join(row[5:] for row in rows) + toc[at + 12 * count:]
    at += 12 * count
    names = [toc[at + i * method_bytes:at + (i + 1) * method_bytes].rstrip(b"\0").decode("latin-1")
             for i in range(methods)]
    return Toc(ids, places, blocks, block, parts, part_bytes, names, rest)


def contents(folder, name, with_padding=True):
    """Returns each chunk's blocks by its identifier, as an engine reads them, and everything else that must stay.
    Blocks that can't be unpacked stay as they are. What is decrypted with a block counts as zeros where a part ends
    before."""
    toc = parse((folder / f"{name}.utoc").read_bytes())
    parts = [(folder / part_name(name, number)).read_bytes() for number in range(toc.parts)]  # an engine opens all
    found = []
    for chunk, chunk_id in enumerate(toc.ids):
        data = []
        for part, offset, size, unpacked, method in toc.blocks_of(chunk):
            if size == 0:
                continue
            raw, padding = parts[part][offset:offset + size], b""
            assert len(raw) == size
            if with_padding:
                padding = parts[part][offset + size:offset + size + -size % 16].ljust(-size % 16, b"\0")
            if method and toc.methods[method - 1] == "Zlib":
                try:
                    raw = zlib.decompress(raw)
                except zlib.error:
                    pass  # of a container that was damaged before
            data.append((raw, padding))
        found.append((chunk_id, data))
    return found, toc.rest


def unpacked(folder, name):
    """Returns the chunks' contents."""
    return [b"".join(data for data, _ in blocks) for _, blocks in contents(folder, name)[0]]


def places(folder, name):
    """Returns the place of each chunk: (part, offset, size up to the end of its last block)."""
    toc = parse((folder / f"{name}.utoc").read_bytes())
    found = []
    for chunk in range(len(toc.ids)):
        blocks = toc.blocks_of(chunk)
        found.append((blocks[0][0], blocks[0][1], blocks[-1][1] + blocks[-1][2] - blocks[0][1]) if blocks else None)
    return found


def some_chunks(count=30, size=150_000, seed=0):
    """Their data can be compressed to about three quarters."""
    words = lambda n: bytes(noise(seed * 1000 + n, size + 777 * n)).translate(bytes(b & 0x3F for b in range(256)))
    return [Chunk(f"Game/Content/{n % 3}/asset{n:02}.u{'asset' if n % 2 else 'bulk'}", words(n), 1 if n % 2 else 2)
            for n in range(count)]
