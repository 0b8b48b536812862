// The bytes of a .skl file as structs. schemas/pack.md specifies them, and schemas/pack.ksy is its
// machine-readable twin; the three change together, with the golden files of the tests.
//
// All numbers are little-endian and naturally aligned, so a table can be used in place.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace seekless::format {

static_assert(std::endian::native == std::endian::little,
              "tables are used in place; a big-endian machine would have to swap them");

// Like PNG's signature, it detects a transfer in text mode: the first byte isn't ASCII, and line
// ends follow.
inline constexpr std::array<uint8_t, 8> kMagic = {0x89, 'S', 'K', 'L', '\r', '\n', 0x1a, '\n'};
inline constexpr uint16_t kMajor = 2;
inline constexpr uint16_t kMinor = 0;

enum class FileKind : uint32_t { pack = 1, catalog = 2 };

inline constexpr uint64_t kPageBytes = 4096;  // blocks start at multiples of it
inline constexpr uint64_t kSectionAlignmentBytes = 64;
inline constexpr uint32_t kMinBlockBytes = 64 * 1024;
inline constexpr uint32_t kMaxBlockBytes = 16 * 1024 * 1024;
inline constexpr uint32_t kDefaultBlockBytes = 2 * 1024 * 1024;
inline constexpr uint32_t kMinFrameBytes = 4096;
// A read decodes half a frame on average, so shorter frames are faster, but they compress less.
// With 64 KiB, half a frame takes 12 us, and packs are 1.6 % larger than with whole blocks
// (OpenArena's content).
inline constexpr uint32_t kDefaultFrameBytes = 64 * 1024;
inline constexpr uint32_t kNamesPerChunk = 256;
inline constexpr uint32_t kEmptySlot = UINT32_MAX;  // index of an empty slot

// Bits of Header::required_flags; a reader refuses a file with one it doesn't know.
inline constexpr uint32_t kFoldCase = 1U << 0;  // paths are hashed with A-Z converted to a-z
// Set in every catalog: its needs are runs of assets.
inline constexpr uint32_t kNeedRuns = 1U << 1;

struct Section {
  uint64_t offset_bytes;
  uint64_t size_bytes;    // includes the padding before the next section
  uint64_t checksum;      // XXH3-64 of the whole section
  uint64_t record_count;  // number of chunks in names, of bytes in strings
};
static_assert(sizeof(Section) == 32);

// A pack's sections. They lie in this order, without gaps, from the header to the first block.
enum class PackSection : uint32_t { blocks, slots, assets, frames, hashes, names };
// A catalog's sections. They lie in this order, without gaps, from the header to the end of the
// file.
enum class CatalogSection : uint32_t {
  packs,
  slots,
  assets,
  places,
  scenarios,
  ranges,
  needs,
  strings
};

inline constexpr size_t kPackSections = 6;
inline constexpr size_t kCatalogSections = 8;
inline constexpr size_t kMaxSections = 12;

struct Header {
  std::array<uint8_t, 8> magic;
  uint16_t major;
  uint16_t minor;
  FileKind kind;
  uint64_t file_bytes;
  uint64_t hash_seed;  // seed of the path hashes
  uint32_t required_flags;
  uint32_t optional_flags;  // unknown ones are ignored
  uint32_t section_count;
  uint32_t block_bytes;  // for a pack, the most raw bytes in one block
  uint64_t data_bytes;   // sum of the assets' sizes
  uint32_t frame_bytes;  // for a compressed pack, raw bytes in each frame of a block; otherwise 0
  uint32_t reserved_zero;
  std::array<Section, kMaxSections> sections;  // unused ones are zero
  std::array<uint8_t, 56> more_reserved_zero;
  uint64_t checksum;  // XXH3-64 of all bytes before it
};
static_assert(offsetof(Header, file_bytes) == 16);
static_assert(offsetof(Header, section_count) == 40);
static_assert(offsetof(Header, data_bytes) == 48);
static_assert(offsetof(Header, frame_bytes) == 56);
static_assert(offsetof(Header, sections) == 64);
static_assert(offsetof(Header, checksum) == 504);
static_assert(sizeof(Header) == 512);

// Tells how a pack's blocks are stored: uncompressed, or in frames, each of which is an LZ4 block
// if that is shorter.
enum class Codec : uint32_t { raw = 0, lz4 = 1 };

// A block occupies the file from offset_bytes to the first multiple of kPageBytes after its stored
// bytes. The rest of the last page is zero, and the checksum includes it.
struct Block {
  uint64_t offset_bytes;
  uint64_t checksum;  // XXH3-64 of stored bytes and padding
  uint32_t stored_bytes;
  uint32_t raw_bytes;    // size after decoding
  uint32_t first_asset;  // index of the first asset that starts in this block or later
  uint32_t first_frame;  // its first record in the table of frames; 0 in a raw pack
};
static_assert(sizeof(Block) == 32);

// A compressed pack's blocks are cut into frames of Header::frame_bytes raw bytes; a block's last
// one may be shorter. Each can be checked and decoded alone. It is an LZ4 block if its stored bytes
// are fewer than its raw ones.
struct Frame {
  uint64_t checksum;      // XXH3-64 of its stored bytes
  uint32_t offset_bytes;  // from the start of the block, where the frame before it ends
  uint32_t stored_bytes;
};
static_assert(sizeof(Frame) == 16);

// The hash table uses open addressing: the search for a path of hash h begins at slot (h *
// slot_count) >> 64 and ends at the first empty slot. No row of slots in use is longer than
// kLongestRow, so a search is short in any file. By chance no row gets that long (a row of 600
// occurs once in 2^31 paths).
struct Slot {
  uint32_t index;  // index of the asset; kEmptySlot if there is none
  uint32_t tag;    // low 32 bits of the path's hash
};
static_assert(sizeof(Slot) == 8);

inline constexpr uint32_t kLongestRow = 2048;

// Assets are sorted by place (block, then offset). Assets at one place are neighbours, empty ones
// first.
struct Asset {
  uint64_t path_hash;
  uint64_t size_bytes;
  uint32_t block;  // block in which it starts
  uint32_t place;  // bits 0-23: offset in the raw block
                   // 24-27: log2 of its alignment; 28-31: zero
};
static_assert(sizeof(Asset) == 24);

inline constexpr uint32_t kOffsetBits = 24;
inline constexpr uint32_t kOffsetMask = (1U << kOffsetBits) - 1;
inline constexpr uint32_t kMaxAlignmentLog2 = 12;

// XXH3-128 in its canonical form: big-endian, as xxh128sum prints it.
using ContentHash = std::array<uint8_t, 16>;

// The names section consists of a NamesHeader, one NameChunk per kNamesPerChunk assets, and the
// chunks' bytes. A chunk holds a 16-bit length and that many bytes of path for each asset, in
// order. It is an LZ4 block if stored_bytes < raw_bytes.
struct NamesHeader {
  uint32_t chunk_count;
  uint32_t names_per_chunk;
};
static_assert(sizeof(NamesHeader) == 8);

struct NameChunk {
  uint32_t offset_bytes;  // offset from the start of the section
  uint32_t stored_bytes;
  uint32_t raw_bytes;
};
static_assert(sizeof(NameChunk) == 12);

enum class PackKind : uint32_t { common = 1, sub = 2, cold = 3 };

struct CatalogPack {
  uint64_t pack_id;  // Header::checksum of that pack
  uint64_t file_bytes;
  uint32_t name_offset;  // offset of the file name in the strings section
  uint32_t name_bytes;
  PackKind kind;
  uint32_t asset_count;
};
static_assert(sizeof(CatalogPack) == 32);

struct CatalogAsset {
  uint64_t path_hash;
  uint64_t size_bytes;
  uint32_t first_place;
  uint32_t place_count;  // at least 1; more if several packs have copies
};
static_assert(sizeof(CatalogAsset) == 24);

struct Place {
  uint32_t pack;
  uint32_t asset;  // index of the asset in that pack
};
static_assert(sizeof(Place) == 8);

// A run of adjacent assets in a pack's table that a scenario needs. A scenario's needs are in
// ascending order of pack and asset, and don't overlap.
struct Need {
  uint32_t pack;
  uint32_t first_asset;
  uint32_t asset_count;
};
static_assert(sizeof(Need) == 12);

struct Scenario {
  uint32_t name_offset;
  uint32_t name_bytes;
  uint32_t first_range;
  uint32_t range_count;
  uint32_t first_need;
  uint32_t need_count;
  uint64_t needed_bytes;  // total size of the assets that it needs
};
static_assert(sizeof(Scenario) == 32);

// A run of blocks that a sweep reads without a jump. A scenario's ranges are in ascending order of
// pack and block, and don't overlap.
struct Range {
  uint32_t pack;
  uint32_t first_block;
  uint32_t block_count;
  uint32_t reserved_zero;
};
static_assert(sizeof(Range) == 16);

// The first slot to search for a path's hash. It is the product's high half, so slot_count can be
// any number.
inline uint32_t home_slot(uint64_t path_hash, uint32_t slot_count) {
  const uint64_t low = (path_hash & 0xffffffffU) * slot_count;
  const uint64_t high = (path_hash >> 32) * slot_count;
  return static_cast<uint32_t>((high + (low >> 32)) >> 32);
}

// The number of slots for `asset_count` assets. Three quarters are used, so a search ends within a
// cache line.
inline uint32_t slot_count_for(uint32_t asset_count) {
  return asset_count + asset_count / 3 + 1;
}

inline uint32_t frames_in(uint32_t raw_bytes, uint32_t frame_bytes) {
  return raw_bytes / frame_bytes + (raw_bytes % frame_bytes != 0 ? 1 : 0);
}

inline uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace seekless::format
