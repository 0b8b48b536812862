"""Reads pack sets independently of the product: the parser generated from schemas/pack.ksy splits the bytes; checksums,
hashes and LZ4 come from Python packages.

Every statement of a pack or a catalog is checked; a Fault names a false one. As a program: skl_reader.py FOLDER|PACK...
prints the content of each.
"""
import sys
from pathlib import Path

import lz4.block
import xxhash
from kaitaistruct import KaitaiStream, KaitaiStructError, BytesIO

sys.path.insert(0, str(Path(__file__).parent / "kaitai"))
from skl_pack import SklPack  # noqa: E402

EMPTY = xxhash.xxh3_128(b"").digest()


class Fault(Exception):
    """The file doesn't follow schemas/pack.md."""


def require(condition, what):
    if not condition:
        raise Fault(what)


def fold(path):
    """ASCII letters become lower case; every other byte stays."""
    return bytes(c + 32 if 65 <= c <= 90 else c for c in path)


def needs_of(catalog, scenario):
    """Returns (pack, asset) of everything that the scenario needs, in the order they lie."""
    return [(need.pack, need.first_asset + i)
            for need in catalog.needs[scenario.first_need:][:scenario.need_count]
            for i in range(need.asset_count)]


def read_file(path):
    path = Path(path)
    try:
        parsed = SklPack.from_bytes(path.read_bytes())
        check_header(parsed, path.name)
        return parsed
    except (KaitaiStructError, EOFError, ValueError) as error:
        raise Fault(f"{path.name}: {error}") from error


def check_header(parsed, name):
    header = parsed.header
    raw = parsed._io._io.getvalue()
    require(xxhash.xxh3_64(raw[:504]).intdigest() == header.checksum, f"{name}: header's checksum")
    require(not any(header.unused_sections) and not any(header.more_reserved_zero),
            f"{name}: zeros in the header")
    next_byte = 512
    for number, section in enumerate(header.sections):
        require(section.offset_bytes == next_byte, f"{name}: start of section {number}")
        require(xxhash.xxh3_64(section.body).intdigest() == section.checksum,
                f"{name}: checksum of section {number}")
        next_byte += section.size_bytes
    if header.kind == SklPack.FileKind.catalog:
        require(next_byte == header.file_bytes, f"{name}: sections up to its end")


class Table:
    """Finds paths through the slots of a pack or a catalog."""

    def __init__(self, parsed, tables):
        self.seed = parsed.header.hash_seed
        self.folds = parsed.header.fold_case
        self.slots = tables.slots
        self.assets = tables.assets
        named = [slot.index for slot in self.slots if not slot.is_empty]
        require(sorted(named) == list(range(len(self.assets))), "slots that name each asset once")
        require(len(self.slots) > len(self.assets), "an empty slot")

    def hash(self, path):
        path = path.encode()
        return xxhash.xxh3_64(fold(path) if self.folds else path, seed=self.seed).intdigest()

    def find(self, path):
        """Returns the asset's number, or None."""
        wanted = self.hash(path)
        at = wanted * len(self.slots) >> 64
        while not self.slots[at].is_empty:
            index = self.slots[at].index
            if self.slots[at].tag == wanted & 0xFFFFFFFF and self.assets[index].path_hash == wanted:
                return index
            at = (at + 1) % len(self.slots)
        return None


class Pack:
    def __init__(self, path):
        self.name = Path(path).name
        self.parsed = read_file(path)
        require(self.parsed.header.kind == SklPack.FileKind.pack, f"{self.name}: a pack")
        self.block_bytes = self.parsed.header.block_bytes
        require(self.block_bytes in {1 << bits for bits in range(16, 25)}, f"{self.name}: block size")
        tables = self.parsed.pack
        self.blocks, self.assets, self.hashes = tables.blocks, tables.assets, tables.content_hashes
        self.frames = tables.frames
        self.frame_bytes = self.parsed.header.frame_bytes
        self.table = Table(self.parsed, tables)
        self.raw_blocks = [self.decode(number) for number in range(len(self.blocks))]
        self.check_blocks()
        self.check_frames()
        self.paths = self.decode_names(tables.names)
        self.contents = [self.read(number) for number in range(len(self.assets))]
        self.check_assets()

    def decode(self, number):
        block = self.blocks[number]
        place = f"{self.name}: block {number}"
        require(xxhash.xxh3_64(block.extent).intdigest() == block.checksum, f"{place}: checksum")
        require(not any(block.extent[block.stored_bytes:]), f"{place}: zeros after it")
        require(block.stored_bytes == block.raw_bytes
                or block.stored_bytes <= block.raw_bytes - block.raw_bytes // 8,
                f"{place}: an eighth saved")
        if self.frames:
            raw = b"".join(self.decode_frames(block, place))
            require(len(raw) == block.raw_bytes, f"{place}: decoded size")
            return raw
        require(not block.is_compressed and block.first_frame == 0, f"{place}: no frames")
        return block.stored

    def decode_frames(self, block, place):
        """Yields the raw bytes of each frame of the block."""
        next_byte = 0
        for number in range(-(-block.raw_bytes // self.frame_bytes)):
            frame = self.frames[block.first_frame + number]
            require(frame.offset_bytes == next_byte, f"{place}: start of frame {number}")
            next_byte += frame.stored_bytes
            stored = block.stored[frame.offset_bytes:next_byte]
            require(xxhash.xxh3_64(stored).intdigest() == frame.checksum,
                    f"{place}: checksum of frame {number}")
            raw_bytes = min(self.frame_bytes, block.raw_bytes - number * self.frame_bytes)
            if frame.stored_bytes == raw_bytes:
                yield stored
                continue
            require(frame.stored_bytes < raw_bytes, f"{place}: size of frame {number}")
            raw = lz4.block.decompress(stored, uncompressed_size=raw_bytes)
            require(len(raw) == raw_bytes, f"{place}: decoded size of frame {number}")
            yield raw
        require(next_byte == block.stored_bytes, f"{place}: frames up to its end")

    def check_frames(self):
        next_frame = 0
        for number, block in enumerate(self.blocks):
            if self.frames:
                require(block.first_frame == next_frame, f"{self.name}: frames of block {number}")
                next_frame += -(-block.raw_bytes // self.frame_bytes)
        require(next_frame == len(self.frames), f"{self.name}: count of frames")
        require((self.frame_bytes > 0) == bool(self.frames) and self.frame_bytes % 4096 == 0,
                f"{self.name}: size of frames")
        require(not self.frames or any(block.is_compressed for block in self.blocks),
                f"{self.name}: frames only for compressed blocks")

    def check_blocks(self):
        names = self.parsed.header.sections[5]
        next_byte = names.offset_bytes + names.size_bytes
        next_asset = 0
        for number, block in enumerate(self.blocks):
            place = f"{self.name}: block {number}"
            require(block.offset_bytes == next_byte, f"{place}: right after what is before it")
            next_byte += block.extent_bytes
            while next_asset < len(self.assets) and self.assets[next_asset].block < number:
                next_asset += 1
            require(block.first_asset == next_asset, f"{place}: first asset {next_asset}")
        require(next_byte == self.parsed.header.file_bytes, f"{self.name}: blocks up to its end")

    def decode_names(self, names):
        paths = []
        for chunk in names.chunks:
            raw = chunk.stored
            if chunk.stored_bytes < chunk.raw_bytes:
                raw = lz4.block.decompress(raw, uncompressed_size=chunk.raw_bytes)
            require(len(raw) == chunk.raw_bytes, f"{self.name}: size of names")
            entries = SklPack.Paths(KaitaiStream(BytesIO(raw)))
            chunk_paths = [entry.text for entry in entries.entries]
            require(len(chunk_paths) == min(256, len(self.assets) - len(paths)),
                    f"{self.name}: 256 names in a chunk")
            paths += chunk_paths
        require(len(paths) == len(self.assets), f"{self.name}: a name for each asset")
        return paths

    def read(self, number):
        asset = self.assets[number]
        parts, left, at, block = [], asset.size_bytes, asset.offset_in_block, asset.block
        require(left <= self.block_bytes - at or at == 0, f"{self.name}: a large asset starts a block")
        while left > 0:
            part = self.raw_blocks[block][at:at + left]
            require(part, f"{self.name}: asset {number} within its blocks")
            parts.append(part)
            left, at, block = left - len(part), 0, block + 1
        return b"".join(parts)

    def check_assets(self):
        places = []
        for number, asset in enumerate(self.assets):
            place = f"{self.name}: '{self.paths[number]}'"
            require(self.table.find(self.paths[number]) == number, f"{place}: found by its path")
            require(xxhash.xxh3_128(self.contents[number]).digest() == self.hashes[number],
                    f"{place}: hash of its content")
            require(asset.offset_in_block % (1 << asset.alignment_log2) == 0, f"{place}: alignment")
            places.append((asset.block, asset.offset_in_block))
        require(places == sorted(places), f"{self.name}: assets in the order they lie")
        sizes = sum(asset.size_bytes for asset in self.assets)
        require(sizes == self.parsed.header.data_bytes, f"{self.name}: sum of sizes")
        self.check_gaps(places)
        self.check_duplicates(places)

    def check_gaps(self, places):
        """Checks that bytes between assets are zero."""
        free = [bytearray(b"\1") * len(raw) for raw in self.raw_blocks]
        for (block, at), content in zip(places, self.contents):
            left = len(content)
            while left > 0:
                length = min(left, len(free[block]) - at)
                free[block][at:at + length] = bytes(length)
                left, at, block = left - length, 0, block + 1
        for number, (mask, raw) in enumerate(zip(free, self.raw_blocks)):
            gaps = int.from_bytes(raw, "little") & int.from_bytes(mask, "little") * 255
            require(gaps == 0, f"{self.name}: block {number}: zeros between assets")

    def check_duplicates(self, places):
        first = {}
        for number, place in enumerate(places):
            if self.assets[number].size_bytes > 0:
                require(first.setdefault(self.hashes[number], place) == place,
                        f"{self.name}: '{self.paths[number]}': equal content stored once")
            else:
                require(self.hashes[number] == EMPTY, f"{self.name}: hash of nothing")


class PackSet:
    """A folder with a catalog. `contents` is path -> bytes."""

    def __init__(self, folder):
        folder = Path(folder)
        parsed = read_file(folder / "catalog.skl")
        require(parsed.header.kind == SklPack.FileKind.catalog, "a catalog")
        self.catalog = parsed.catalog
        self.table = Table(parsed, self.catalog)
        self.packs = [Pack(folder / pack.name) for pack in self.catalog.packs]
        self.contents = {}
        self.check_packs(parsed.header)
        self.check_places()
        self.scenarios = {scenario.name: self.check_scenario(scenario)
                          for scenario in self.catalog.scenarios}

    def check_packs(self, header):
        for record, pack in zip(self.catalog.packs, self.packs):
            of_pack = pack.parsed.header
            require(record.pack_id == of_pack.checksum, f"{pack.name}: identity")
            require(record.file_bytes == of_pack.file_bytes, f"{pack.name}: size")
            require(record.asset_count == len(pack.assets), f"{pack.name}: count of assets")
            require(of_pack.hash_seed == header.hash_seed, f"{pack.name}: one seed for the set")
            require(of_pack.fold_case == header.fold_case, f"{pack.name}: one rule of case")

    def check_places(self):
        next_place = 0
        for asset in self.catalog.assets:
            require(asset.first_place == next_place, "places without gaps")
            next_place += asset.place_count
            for place in self.catalog.places[asset.first_place:next_place]:
                pack = self.packs[place.pack]
                require(pack.assets[place.asset].path_hash == asset.path_hash, "the place's path")
                path, content = pack.paths[place.asset], pack.contents[place.asset]
                require(len(content) == asset.size_bytes, f"'{path}': size")
                require(self.contents.setdefault(path, content) == content, f"'{path}': equal copies")
                found = self.catalog.assets[self.table.find(path)]
                require(found.path_hash == asset.path_hash, f"'{path}': found by its path")
        require(next_place == len(self.catalog.places), "every place used")
        named = {(place.pack, place.asset) for place in self.catalog.places}
        every = {(number, asset) for number, pack in enumerate(self.packs)
                 for asset in range(len(pack.assets))}
        require(named <= every, "places that the packs have")
        self.dead = every - named  # assets of an earlier release

    def check_scenario(self, scenario):
        """Returns the paths that the scenario needs; checks that the scenario's ranges deliver each, in their order."""
        place = f"scenario '{scenario.name}'"
        ranges = self.catalog.ranges[scenario.first_range:][:scenario.range_count]
        blocks = [(r.pack, r.first_block + i) for r in ranges for i in range(r.block_count)]
        for pack, block in blocks:
            require(block < len(self.packs[pack].blocks), f"{place}: ranges within blocks")
        require(blocks == sorted(set(blocks)), f"{place}: each block once, in order")
        position = {block: number for number, block in enumerate(blocks)}
        before = (-1, -1)
        size_bytes = 0
        needs = needs_of(self.catalog, scenario)
        for number, index in needs:
            pack = self.packs[number]
            asset = pack.assets[index]
            size_bytes += asset.size_bytes
            require((number, index) > before, f"{place}: needs in the order they lie")
            before = (number, index)
            count = -(-(asset.offset_in_block + asset.size_bytes) // pack.block_bytes)
            for block in range(asset.block, asset.block + count if asset.size_bytes else asset.block):
                require((number, block) in position, f"{place}: reads '{pack.paths[index]}'")
        require(size_bytes == scenario.needed_bytes, f"{place}: sum of sizes")
        return [self.packs[number].paths[index] for number, index in needs]


def main():
    for name in sys.argv[1:]:
        opened = PackSet(name) if Path(name).is_dir() else Pack(name)
        count = len(opened.contents)
        print(f"{name}: {count} assets, sound")


if __name__ == "__main__":
    main()
