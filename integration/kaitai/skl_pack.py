# Parses the bytes of .skl files; made from schemas/pack.ksy by script/generate-kaitai.
# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import Enum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 9):
    raise Exception("Incompatible Kaitai Struct Python API: 0.9 or later is required, but you have %s" % (kaitaistruct.__version__))

class SklPack(KaitaiStruct):
    """A pack holds assets in blocks; a catalog names the packs of a set, where each path lies in them,
    and what each scenario reads. Both begin with the same header, which lists the sections.
    Checksums (XXH3-64, XXH3-128) and LZ4 blocks are for the program that uses this parser.
    
    .. seealso::
       schemas/pack.md
    """

    class FileKind(Enum):
        pack = 1
        catalog = 2

    class PackKind(Enum):
        common = 1
        sub = 2
        cold = 3
    def __init__(self, _io, _parent=None, _root=None):
        self._io = _io
        self._parent = _parent
        self._root = _root if _root else self
        self._read()

    def _read(self):
        self.header = SklPack.Header(self._io, self, self._root)

    class Scenario(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.name_offset = self._io.read_u4le()
            self.name_bytes = self._io.read_u4le()
            self.first_range = self._io.read_u4le()
            self.range_count = self._io.read_u4le()
            self.first_need = self._io.read_u4le()
            self.need_count = self._io.read_u4le()
            self.needed_bytes = self._io.read_u8le()

        @property
        def name(self):
            if hasattr(self, '_m_name'):
                return self._m_name

            io = self._root._io
            _pos = io.pos()
            io.seek((self._root.header.sections[7].offset_bytes + self.name_offset))
            self._m_name = (io.read_bytes(self.name_bytes)).decode(u"UTF-8")
            io.seek(_pos)
            return getattr(self, '_m_name', None)


    class CatalogAsset(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.path_hash = self._io.read_u8le()
            self.size_bytes = self._io.read_u8le()
            self.first_place = self._io.read_u4le()
            self.place_count = self._io.read_u4le()
            if not self.place_count >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.place_count, self._io, u"/types/catalog_asset/seq/3")


    class Path(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.size_bytes = self._io.read_u2le()
            self.text = (self._io.read_bytes(self.size_bytes)).decode(u"UTF-8")


    class CatalogPack(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.pack_id = self._io.read_u8le()
            self.file_bytes = self._io.read_u8le()
            self.name_offset = self._io.read_u4le()
            self.name_bytes = self._io.read_u4le()
            self.kind = KaitaiStream.resolve_enum(SklPack.PackKind, self._io.read_u4le())
            self.asset_count = self._io.read_u4le()

        @property
        def name(self):
            if hasattr(self, '_m_name'):
                return self._m_name

            io = self._root._io
            _pos = io.pos()
            io.seek((self._root.header.sections[7].offset_bytes + self.name_offset))
            self._m_name = (io.read_bytes(self.name_bytes)).decode(u"UTF-8")
            io.seek(_pos)
            return getattr(self, '_m_name', None)


    class CatalogTables(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            pass

        @property
        def ranges(self):
            if hasattr(self, '_m_ranges'):
                return self._m_ranges

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[5].offset_bytes)
            self._m_ranges = []
            for i in range(self._root.header.sections[5].record_count):
                self._m_ranges.append(SklPack.BlockRange(io, self, self._root))

            io.seek(_pos)
            return getattr(self, '_m_ranges', None)

        @property
        def needs(self):
            if hasattr(self, '_m_needs'):
                return self._m_needs

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[6].offset_bytes)
            self._m_needs = []
            for i in range(self._root.header.sections[6].record_count):
                self._m_needs.append(SklPack.Need(io, self, self._root))

            io.seek(_pos)
            return getattr(self, '_m_needs', None)

        @property
        def strings(self):
            if hasattr(self, '_m_strings'):
                return self._m_strings

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[7].offset_bytes)
            self._m_strings = io.read_bytes(self._root.header.sections[7].record_count)
            io.seek(_pos)
            return getattr(self, '_m_strings', None)

        @property
        def places(self):
            if hasattr(self, '_m_places'):
                return self._m_places

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[3].offset_bytes)
            self._m_places = []
            for i in range(self._root.header.sections[3].record_count):
                self._m_places.append(SklPack.Place(io, self, self._root))

            io.seek(_pos)
            return getattr(self, '_m_places', None)

        @property
        def slots(self):
            if hasattr(self, '_m_slots'):
                return self._m_slots

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[1].offset_bytes)
            self._m_slots = []
            for i in range(self._root.header.sections[1].record_count):
                self._m_slots.append(SklPack.Slot(io, self, self._root))

            io.seek(_pos)
            return getattr(self, '_m_slots', None)

        @property
        def scenarios(self):
            if hasattr(self, '_m_scenarios'):
                return self._m_scenarios

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[4].offset_bytes)
            self._m_scenarios = []
            for i in range(self._root.header.sections[4].record_count):
                self._m_scenarios.append(SklPack.Scenario(io, self, self._root))

            io.seek(_pos)
            return getattr(self, '_m_scenarios', None)

        @property
        def assets(self):
            if hasattr(self, '_m_assets'):
                return self._m_assets

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[2].offset_bytes)
            self._m_assets = []
            for i in range(self._root.header.sections[2].record_count):
                self._m_assets.append(SklPack.CatalogAsset(io, self, self._root))

            io.seek(_pos)
            return getattr(self, '_m_assets', None)

        @property
        def packs(self):
            if hasattr(self, '_m_packs'):
                return self._m_packs

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[0].offset_bytes)
            self._m_packs = []
            for i in range(self._root.header.sections[0].record_count):
                self._m_packs.append(SklPack.CatalogPack(io, self, self._root))

            io.seek(_pos)
            return getattr(self, '_m_packs', None)


    class Names(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.chunk_count = self._io.read_u4le()
            self.names_per_chunk = self._io.read_u4le()
            if not self.names_per_chunk == 256:
                raise kaitaistruct.ValidationNotEqualError(256, self.names_per_chunk, self._io, u"/types/names/seq/1")
            self.chunks = []
            for i in range(self.chunk_count):
                self.chunks.append(SklPack.NameChunk(self._io, self, self._root))



    class Paths(KaitaiStruct):
        """What a chunk of names holds once it is decoded."""
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.entries = []
            i = 0
            while not self._io.is_eof():
                self.entries.append(SklPack.Path(self._io, self, self._root))
                i += 1



    class Section(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.offset_bytes = self._io.read_u8le()
            _ = self.offset_bytes
            if not  (((_ % 64) == 0) and (_ <= self._root._io.size())) :
                raise kaitaistruct.ValidationExprError(self.offset_bytes, self._io, u"/types/section/seq/0")
            self.size_bytes = self._io.read_u8le()
            if not self.size_bytes <= (self._root._io.size() - self.offset_bytes):
                raise kaitaistruct.ValidationGreaterThanError((self._root._io.size() - self.offset_bytes), self.size_bytes, self._io, u"/types/section/seq/1")
            self.checksum = self._io.read_u8le()
            self.record_count = self._io.read_u8le()

        @property
        def body(self):
            if hasattr(self, '_m_body'):
                return self._m_body

            io = self._root._io
            _pos = io.pos()
            io.seek(self.offset_bytes)
            self._m_body = io.read_bytes(self.size_bytes)
            io.seek(_pos)
            return getattr(self, '_m_body', None)


    class Frame(KaitaiStruct):
        """A part of a block that can be checked and decoded alone."""
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.checksum = self._io.read_u8le()
            self.offset_bytes = self._io.read_u4le()
            self.stored_bytes = self._io.read_u4le()
            if not self.stored_bytes >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.stored_bytes, self._io, u"/types/frame/seq/2")


    class Block(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.offset_bytes = self._io.read_u8le()
            _ = self.offset_bytes
            if not (_ % 4096) == 0:
                raise kaitaistruct.ValidationExprError(self.offset_bytes, self._io, u"/types/block/seq/0")
            self.checksum = self._io.read_u8le()
            self.stored_bytes = self._io.read_u4le()
            if not self.stored_bytes >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.stored_bytes, self._io, u"/types/block/seq/2")
            self.raw_bytes = self._io.read_u4le()
            if not self.raw_bytes <= self._root.header.block_bytes:
                raise kaitaistruct.ValidationGreaterThanError(self._root.header.block_bytes, self.raw_bytes, self._io, u"/types/block/seq/3")
            self.first_asset = self._io.read_u4le()
            self.first_frame = self._io.read_u4le()

        @property
        def is_compressed(self):
            if hasattr(self, '_m_is_compressed'):
                return self._m_is_compressed

            self._m_is_compressed = self.stored_bytes < self.raw_bytes
            return getattr(self, '_m_is_compressed', None)

        @property
        def extent_bytes(self):
            if hasattr(self, '_m_extent_bytes'):
                return self._m_extent_bytes

            self._m_extent_bytes = ((self.stored_bytes + 4095) // 4096 * 4096)
            return getattr(self, '_m_extent_bytes', None)

        @property
        def extent(self):
            """Stored bytes, and zeros up to the next multiple of 4096."""
            if hasattr(self, '_m_extent'):
                return self._m_extent

            io = self._root._io
            _pos = io.pos()
            io.seek(self.offset_bytes)
            self._m_extent = io.read_bytes(self.extent_bytes)
            io.seek(_pos)
            return getattr(self, '_m_extent', None)

        @property
        def stored(self):
            if hasattr(self, '_m_stored'):
                return self._m_stored

            io = self._root._io
            _pos = io.pos()
            io.seek(self.offset_bytes)
            self._m_stored = io.read_bytes(self.stored_bytes)
            io.seek(_pos)
            return getattr(self, '_m_stored', None)


    class Need(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.pack = self._io.read_u4le()
            self.first_asset = self._io.read_u4le()
            self.asset_count = self._io.read_u4le()
            if not self.asset_count >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.asset_count, self._io, u"/types/need/seq/2")


    class BlockRange(KaitaiStruct):
        """Blocks that a sweep reads one after the other."""
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.pack = self._io.read_u4le()
            self.first_block = self._io.read_u4le()
            self.block_count = self._io.read_u4le()
            self.reserved_zero = self._io.read_u4le()
            if not self.reserved_zero == 0:
                raise kaitaistruct.ValidationNotEqualError(0, self.reserved_zero, self._io, u"/types/block_range/seq/3")


    class PackTables(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            pass

        @property
        def content_hashes(self):
            """XXH3-128 of each asset's bytes, as xxh128sum prints it."""
            if hasattr(self, '_m_content_hashes'):
                return self._m_content_hashes

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[4].offset_bytes)
            self._m_content_hashes = []
            for i in range(self._root.header.sections[4].record_count):
                self._m_content_hashes.append(io.read_bytes(16))

            io.seek(_pos)
            return getattr(self, '_m_content_hashes', None)

        @property
        def frames(self):
            """Those of each block, in the order of the blocks; none unless a block is compressed."""
            if hasattr(self, '_m_frames'):
                return self._m_frames

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[3].offset_bytes)
            self._m_frames = []
            for i in range(self._root.header.sections[3].record_count):
                self._m_frames.append(SklPack.Frame(io, self, self._root))

            io.seek(_pos)
            return getattr(self, '_m_frames', None)

        @property
        def blocks(self):
            if hasattr(self, '_m_blocks'):
                return self._m_blocks

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[0].offset_bytes)
            self._m_blocks = []
            for i in range(self._root.header.sections[0].record_count):
                self._m_blocks.append(SklPack.Block(io, self, self._root))

            io.seek(_pos)
            return getattr(self, '_m_blocks', None)

        @property
        def slots(self):
            if hasattr(self, '_m_slots'):
                return self._m_slots

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[1].offset_bytes)
            self._m_slots = []
            for i in range(self._root.header.sections[1].record_count):
                self._m_slots.append(SklPack.Slot(io, self, self._root))

            io.seek(_pos)
            return getattr(self, '_m_slots', None)

        @property
        def names(self):
            if hasattr(self, '_m_names'):
                return self._m_names

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[5].offset_bytes)
            self._raw__m_names = io.read_bytes(self._root.header.sections[5].size_bytes)
            _io__raw__m_names = KaitaiStream(BytesIO(self._raw__m_names))
            self._m_names = SklPack.Names(_io__raw__m_names, self, self._root)
            io.seek(_pos)
            return getattr(self, '_m_names', None)

        @property
        def assets(self):
            if hasattr(self, '_m_assets'):
                return self._m_assets

            io = self._root._io
            _pos = io.pos()
            io.seek(self._root.header.sections[2].offset_bytes)
            self._m_assets = []
            for i in range(self._root.header.sections[2].record_count):
                self._m_assets.append(SklPack.Asset(io, self, self._root))

            io.seek(_pos)
            return getattr(self, '_m_assets', None)


    class Header(KaitaiStruct):
        """512 bytes at the start of every file."""
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.magic = self._io.read_bytes(8)
            if not self.magic == b"\x89\x53\x4B\x4C\x0D\x0A\x1A\x0A":
                raise kaitaistruct.ValidationNotEqualError(b"\x89\x53\x4B\x4C\x0D\x0A\x1A\x0A", self.magic, self._io, u"/types/header/seq/0")
            self.major = self._io.read_u2le()
            if not self.major == 2:
                raise kaitaistruct.ValidationNotEqualError(2, self.major, self._io, u"/types/header/seq/1")
            self.minor = self._io.read_u2le()
            self.kind = KaitaiStream.resolve_enum(SklPack.FileKind, self._io.read_u4le())
            if not  ((self.kind == SklPack.FileKind.pack) or (self.kind == SklPack.FileKind.catalog)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.kind, self._io, u"/types/header/seq/3")
            self.file_bytes = self._io.read_u8le()
            if not self.file_bytes == self._io.size():
                raise kaitaistruct.ValidationNotEqualError(self._io.size(), self.file_bytes, self._io, u"/types/header/seq/4")
            self.hash_seed = self._io.read_u8le()
            self.fold_case = self._io.read_bits_int_le(1) != 0
            self.need_runs = self._io.read_bits_int_le(1) != 0
            if not self.need_runs == (True if self.kind == SklPack.FileKind.catalog else False):
                raise kaitaistruct.ValidationNotEqualError((True if self.kind == SklPack.FileKind.catalog else False), self.need_runs, self._io, u"/types/header/seq/7")
            self.required_flags_unknown = self._io.read_bits_int_le(30)
            if not self.required_flags_unknown == 0:
                raise kaitaistruct.ValidationNotEqualError(0, self.required_flags_unknown, self._io, u"/types/header/seq/8")
            self._io.align_to_byte()
            self.optional_flags = self._io.read_u4le()
            self.section_count = self._io.read_u4le()
            if not self.section_count == (6 if self.kind == SklPack.FileKind.pack else 8):
                raise kaitaistruct.ValidationNotEqualError((6 if self.kind == SklPack.FileKind.pack else 8), self.section_count, self._io, u"/types/header/seq/10")
            self.block_bytes = self._io.read_u4le()
            self.data_bytes = self._io.read_u8le()
            self.frame_bytes = self._io.read_u4le()
            self.reserved_zero = self._io.read_u4le()
            if not self.reserved_zero == 0:
                raise kaitaistruct.ValidationNotEqualError(0, self.reserved_zero, self._io, u"/types/header/seq/14")
            self.sections = []
            for i in range(self.section_count):
                self.sections.append(SklPack.Section(self._io, self, self._root))

            self.unused_sections = self._io.read_bytes(((12 - self.section_count) * 32))
            self.more_reserved_zero = self._io.read_bytes(56)
            self.checksum = self._io.read_u8le()


    class Place(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.pack = self._io.read_u4le()
            self.asset = self._io.read_u4le()


    class Asset(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.path_hash = self._io.read_u8le()
            self.size_bytes = self._io.read_u8le()
            self.block = self._io.read_u4le()
            self.offset_in_block = self._io.read_bits_int_le(24)
            self.alignment_log2 = self._io.read_bits_int_le(4)
            if not self.alignment_log2 <= 12:
                raise kaitaistruct.ValidationGreaterThanError(12, self.alignment_log2, self._io, u"/types/asset/seq/4")
            self.reserved_zero = self._io.read_bits_int_le(4)
            if not self.reserved_zero == 0:
                raise kaitaistruct.ValidationNotEqualError(0, self.reserved_zero, self._io, u"/types/asset/seq/5")


    class NameChunk(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.offset_bytes = self._io.read_u4le()
            self.stored_bytes = self._io.read_u4le()
            self.raw_bytes = self._io.read_u4le()

        @property
        def stored(self):
            if hasattr(self, '_m_stored'):
                return self._m_stored

            _pos = self._io.pos()
            self._io.seek(self.offset_bytes)
            self._m_stored = self._io.read_bytes(self.stored_bytes)
            self._io.seek(_pos)
            return getattr(self, '_m_stored', None)


    class Slot(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root if _root else self
            self._read()

        def _read(self):
            self.index = self._io.read_u4le()
            self.tag = self._io.read_u4le()

        @property
        def is_empty(self):
            if hasattr(self, '_m_is_empty'):
                return self._m_is_empty

            self._m_is_empty = self.index == 4294967295
            return getattr(self, '_m_is_empty', None)


    @property
    def pack(self):
        if hasattr(self, '_m_pack'):
            return self._m_pack

        if self.header.kind == SklPack.FileKind.pack:
            self._m_pack = SklPack.PackTables(self._io, self, self._root)

        return getattr(self, '_m_pack', None)

    @property
    def catalog(self):
        if hasattr(self, '_m_catalog'):
            return self._m_catalog

        if self.header.kind == SklPack.FileKind.catalog:
            self._m_catalog = SklPack.CatalogTables(self._io, self, self._root)

        return getattr(self, '_m_catalog', None)


