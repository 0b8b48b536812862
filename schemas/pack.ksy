# The bytes of a .skl file for Kaitai Struct: an independent parser for tests and tools. The
# specification is pack.md; both change together with runtime/pack_format.h.
# Reader in Python: integration/kaitai/skl_pack.py, made by script/generate-kaitai.
meta:
  id: skl_pack
  title: Pack or catalog of seekless
  file-extension: skl
  license: MIT
  ks-version: '0.10'
  endian: le
doc: |
  A pack holds assets in blocks; a catalog names the packs of a set, where each path lies in them,
  and what each scenario reads. Both begin with the same header, which lists the sections.
  Checksums (XXH3-64, XXH3-128) and LZ4 blocks are for the program that uses this parser.
doc-ref: schemas/pack.md
seq:
  - id: header
    type: header
instances:
  pack:
    type: pack_tables
    if: header.kind == file_kind::pack
  catalog:
    type: catalog_tables
    if: header.kind == file_kind::catalog
enums:
  file_kind:
    1: pack
    2: catalog
  pack_kind:
    1: common
    2: sub
    3: cold
types:
  header:
    doc: 512 bytes at the start of every file.
    seq:
      - id: magic
        contents: [0x89, SKL, 0x0d, 0x0a, 0x1a, 0x0a]
      - id: major
        type: u2
        valid: 2
        doc: Another one is another format.
      - id: minor
        type: u2
        doc: A higher one only adds what readers of this one may ignore.
      - id: kind
        type: u4
        enum: file_kind
        valid:
          any-of: [file_kind::pack, file_kind::catalog]
      - id: file_bytes
        type: u8
        valid: _io.size
      - id: hash_seed
        type: u8
        doc: Seed of the path hashes.
      - id: fold_case
        type: b1le
        doc: Paths are hashed with A-Z made a-z.
      - id: need_runs
        type: b1le
        valid: 'kind == file_kind::catalog ? true : false'
        doc: A catalog's needs are runs of assets.
      - id: required_flags_unknown
        type: b30le
        valid: 0
        doc: A file with one set can't be read by a reader that doesn't know it.
      - id: optional_flags
        type: u4
      - id: section_count
        type: u4
        valid: 'kind == file_kind::pack ? 6 : 8'
      - id: block_bytes
        type: u4
        doc: Most raw bytes in one block, a power of two from 65536 to 16777216; 0 in a catalog.
      - id: data_bytes
        type: u8
        doc: Sum of the assets' sizes.
      - id: frame_bytes
        type: u4
        doc: Raw bytes in each frame of a compressed pack, a multiple of 4096; otherwise 0.
      - id: reserved_zero
        type: u4
        valid: 0
      - id: sections
        type: section
        repeat: expr
        repeat-expr: section_count
      - id: unused_sections
        size: (12 - section_count) * 32
      - id: more_reserved_zero
        size: 56
      - id: checksum
        type: u8
        doc: XXH3-64 of the 504 bytes before it; the file's identity.
  section:
    seq:
      - id: offset_bytes
        type: u8
        valid:
          expr: _ % 64 == 0 and _ <= _root._io.size
      - id: size_bytes
        type: u8
        doc: Padding included.
        valid:
          max: _root._io.size - offset_bytes
      - id: checksum
        type: u8
        doc: XXH3-64 of all of it.
      - id: record_count
        type: u8
    instances:
      body:
        io: _root._io
        pos: offset_bytes
        size: size_bytes
  pack_tables:
    instances:
      blocks:
        io: _root._io
        pos: _root.header.sections[0].offset_bytes
        type: block
        repeat: expr
        repeat-expr: _root.header.sections[0].record_count
      slots:
        io: _root._io
        pos: _root.header.sections[1].offset_bytes
        type: slot
        repeat: expr
        repeat-expr: _root.header.sections[1].record_count
      assets:
        io: _root._io
        pos: _root.header.sections[2].offset_bytes
        type: asset
        repeat: expr
        repeat-expr: _root.header.sections[2].record_count
      frames:
        doc: Those of each block, in the order of the blocks; none unless a block is compressed.
        io: _root._io
        pos: _root.header.sections[3].offset_bytes
        type: frame
        repeat: expr
        repeat-expr: _root.header.sections[3].record_count
      content_hashes:
        doc: XXH3-128 of each asset's bytes, as xxh128sum prints it.
        io: _root._io
        pos: _root.header.sections[4].offset_bytes
        size: 16
        repeat: expr
        repeat-expr: _root.header.sections[4].record_count
      names:
        io: _root._io
        pos: _root.header.sections[5].offset_bytes
        size: _root.header.sections[5].size_bytes
        type: names
  block:
    seq:
      - id: offset_bytes
        type: u8
        valid:
          expr: _ % 4096 == 0
      - id: checksum
        type: u8
        doc: XXH3-64 of the extent.
      - id: stored_bytes
        type: u4
        valid:
          min: 1
      - id: raw_bytes
        type: u4
        valid:
          max: _root.header.block_bytes
      - id: first_asset
        type: u4
        doc: The first asset that starts in this block or a later one.
      - id: first_frame
        type: u4
        doc: Its first record in the table of frames; 0 if that is empty.
    instances:
      is_compressed:
        value: stored_bytes < raw_bytes
      extent_bytes:
        value: (stored_bytes + 4095) / 4096 * 4096
      extent:
        doc: Stored bytes, and zeros up to the next multiple of 4096.
        io: _root._io
        pos: offset_bytes
        size: extent_bytes
      stored:
        io: _root._io
        pos: offset_bytes
        size: stored_bytes
  frame:
    doc: A part of a block that can be checked and decoded alone.
    seq:
      - id: checksum
        type: u8
        doc: XXH3-64 of its stored bytes.
      - id: offset_bytes
        type: u4
        doc: From the start of the block.
      - id: stored_bytes
        type: u4
        doc: Fewer than its raw bytes mean that it is an LZ4 block.
        valid:
          min: 1
  slot:
    seq:
      - id: index
        type: u4
      - id: tag
        type: u4
        doc: Low 32 bits of the path's hash.
    instances:
      is_empty:
        value: index == 0xffffffff
  asset:
    seq:
      - id: path_hash
        type: u8
      - id: size_bytes
        type: u8
      - id: block
        type: u4
      - id: offset_in_block
        type: b24le
      - id: alignment_log2
        type: b4le
        valid:
          max: 12
      - id: reserved_zero
        type: b4le
        valid: 0
  names:
    seq:
      - id: chunk_count
        type: u4
      - id: names_per_chunk
        type: u4
        valid: 256
      - id: chunks
        type: name_chunk
        repeat: expr
        repeat-expr: chunk_count
  name_chunk:
    seq:
      - id: offset_bytes
        type: u4
        doc: From the start of the section.
      - id: stored_bytes
        type: u4
      - id: raw_bytes
        type: u4
        doc: More than stored_bytes means that the chunk is an LZ4 block.
    instances:
      stored:
        pos: offset_bytes
        size: stored_bytes
  paths:
    doc: What a chunk of names holds once it is decoded.
    seq:
      - id: entries
        type: path
        repeat: eos
  path:
    seq:
      - id: size_bytes
        type: u2
      - id: text
        type: str
        size: size_bytes
        encoding: UTF-8
  catalog_tables:
    instances:
      packs:
        io: _root._io
        pos: _root.header.sections[0].offset_bytes
        type: catalog_pack
        repeat: expr
        repeat-expr: _root.header.sections[0].record_count
      slots:
        io: _root._io
        pos: _root.header.sections[1].offset_bytes
        type: slot
        repeat: expr
        repeat-expr: _root.header.sections[1].record_count
      assets:
        io: _root._io
        pos: _root.header.sections[2].offset_bytes
        type: catalog_asset
        repeat: expr
        repeat-expr: _root.header.sections[2].record_count
      places:
        io: _root._io
        pos: _root.header.sections[3].offset_bytes
        type: place
        repeat: expr
        repeat-expr: _root.header.sections[3].record_count
      scenarios:
        io: _root._io
        pos: _root.header.sections[4].offset_bytes
        type: scenario
        repeat: expr
        repeat-expr: _root.header.sections[4].record_count
      ranges:
        io: _root._io
        pos: _root.header.sections[5].offset_bytes
        type: block_range
        repeat: expr
        repeat-expr: _root.header.sections[5].record_count
      needs:
        io: _root._io
        pos: _root.header.sections[6].offset_bytes
        type: need
        repeat: expr
        repeat-expr: _root.header.sections[6].record_count
      strings:
        io: _root._io
        pos: _root.header.sections[7].offset_bytes
        size: _root.header.sections[7].record_count
  catalog_pack:
    seq:
      - id: pack_id
        type: u8
        doc: The checksum in that pack's header.
      - id: file_bytes
        type: u8
      - id: name_offset
        type: u4
      - id: name_bytes
        type: u4
      - id: kind
        type: u4
        enum: pack_kind
      - id: asset_count
        type: u4
    instances:
      name:
        io: _root._io
        pos: _root.header.sections[7].offset_bytes + name_offset
        size: name_bytes
        type: str
        encoding: UTF-8
  catalog_asset:
    seq:
      - id: path_hash
        type: u8
      - id: size_bytes
        type: u8
      - id: first_place
        type: u4
      - id: place_count
        type: u4
        valid:
          min: 1
  place:
    seq:
      - id: pack
        type: u4
      - id: asset
        type: u4
        doc: Number in that pack.
  need:
    seq:
      - id: pack
        type: u4
      - id: first_asset
        type: u4
        doc: Number in that pack.
      - id: asset_count
        type: u4
        doc: So many, side by side in the pack's table.
        valid:
          min: 1
  scenario:
    seq:
      - id: name_offset
        type: u4
      - id: name_bytes
        type: u4
      - id: first_range
        type: u4
      - id: range_count
        type: u4
      - id: first_need
        type: u4
      - id: need_count
        type: u4
      - id: needed_bytes
        type: u8
        doc: Sum of the sizes of what it needs.
    instances:
      name:
        io: _root._io
        pos: _root.header.sections[7].offset_bytes + name_offset
        size: name_bytes
        type: str
        encoding: UTF-8
  block_range:
    doc: Blocks that a sweep reads one after the other.
    seq:
      - id: pack
        type: u4
      - id: first_block
        type: u4
      - id: block_count
        type: u4
      - id: reserved_zero
        type: u4
        valid: 0
