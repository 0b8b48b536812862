#include "runtime/pack.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <lz4.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "runtime/asset_path.h"
#include "runtime/mapped_pack.h"
#include "runtime/xxh3.h"

namespace seekless::runtime {
namespace {

using format::PackSection;

constexpr std::array<const char*, format::kPackSections> kPackSectionNames = {
    "blocks", "slots", "assets", "frames", "content hashes", "names"};

constexpr size_t number(PackSection section) {
  return static_cast<size_t>(section);
}

constexpr size_t kMaxChunkBytes = format::kNamesPerChunk * (sizeof(uint16_t) + kMaxPathBytes);

Result<void> check_sizes(const File& file, const format::Header& header) {
  using namespace format;
  if (header.kind != FileKind::pack) return bad_table(file, {"header"}, {"a pack"}, {"a catalog"});
  if (!std::has_single_bit(header.block_bytes) || header.block_bytes < kMinBlockBytes ||
      header.block_bytes > kMaxBlockBytes)
    return bad_table(file, {"header"}, {"blocks of 64 KiB to 16 MiB, a power of two"},
                     {header.block_bytes});
  const bool has_frames = header.sections[number(PackSection::frames)].record_count > 0;
  if (has_frames ? header.frame_bytes < kMinFrameBytes || header.frame_bytes > header.block_bytes ||
                       header.frame_bytes % kMinFrameBytes != 0
                 : header.frame_bytes != 0)
    return bad_table(
        file, {"header"},
        {has_frames ? "frames of a multiple of 4096 bytes, up to a block" : "no frames"},
        {header.frame_bytes});
  const auto section = [&](PackSection which) { return header.sections[number(which)]; };
  const uint64_t assets = section(PackSection::assets).record_count;
  const bool counts_agree = section(PackSection::hashes).record_count == assets &&
                            section(PackSection::names).record_count ==
                                assets / kNamesPerChunk + (assets % kNamesPerChunk != 0 ? 1 : 0) &&
                            section(PackSection::blocks).record_count <= INT32_MAX;
  if (!counts_agree || !holds_its_records<format::Block>(section(PackSection::blocks)) ||
      !holds_its_records<Slot>(section(PackSection::slots)) ||
      !holds_its_records<Asset>(section(PackSection::assets)) ||
      !holds_its_records<Frame>(section(PackSection::frames)) ||
      !holds_its_records<ContentHash>(section(PackSection::hashes)))
    return bad_table(file, {"header"}, {"tables as long as their records"}, {"other lengths"});
  return {};
}

uint64_t end_of_block(const format::Block& block) {
  return block.offset_bytes + format::round_up(block.stored_bytes, format::kPageBytes);
}

}  // namespace

Pack::Pack(std::unique_ptr<File> file, const format::Header& header, const Memory& memory)
    : file_(std::move(file)), header_(header), memory_(memory) {}

Pack::~Pack() = default;

Result<std::unique_ptr<Pack>> Pack::open(std::unique_ptr<File> file, const Memory& memory) {
  const auto header = read_header(*file);
  if (!header) return std::unexpected(header.error());
  if (auto ok = check_sizes(*file, *header); !ok) return std::unexpected(ok.error());
  std::unique_ptr<Pack> pack(new Pack(std::move(file), *header, memory));
  if (auto loaded = pack->load_index(); !loaded) return std::unexpected(loaded.error());
  return pack;
}

Result<void> Pack::load_index() {
  const size_t first = number(PackSection::blocks);
  auto memory = read_sections(*file_, header_, first, number(PackSection::frames),
                              kPackSectionNames, memory_);
  if (!memory) return std::unexpected(memory.error());
  index_ = std::move(*memory);
  blocks_ = table<format::Block>(index_, header_, first, first);
  slots_ = table<format::Slot>(index_, header_, first, number(PackSection::slots));
  assets_ = table<format::Asset>(index_, header_, first, number(PackSection::assets));
  frames_ = table<format::Frame>(index_, header_, first, number(PackSection::frames));
  if (!valid_slots(slots_, assets_.size()))
    return bad_table(*file_, {"table of slots"}, {"each asset once"}, {"other indices"});
  if (auto checked = check_blocks(); !checked) return checked;
  if (auto checked = check_frames(); !checked) return checked;
  return check_assets();
}

Result<void> Pack::check_blocks() const {
  const format::Section& last = header_.sections[number(PackSection::names)];
  uint64_t next = last.offset_bytes + last.size_bytes;
  if (next % format::kPageBytes != 0)
    return bad_table(*file_, {"header"}, {"the first block at a multiple of 4096"}, {next});
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const format::Block& block = blocks_[i];
    const bool sized = block.stored_bytes > 0 && block.stored_bytes <= block.raw_bytes &&
                       block.raw_bytes <= header_.block_bytes;
    const bool can_be_decoded = !is_compressed(block) || has_compressed_blocks();
    if (!sized || !can_be_decoded || block.offset_bytes != next ||
        end_of_block(block) > header_.file_bytes)
      return bad_table(*file_, {"block ", i}, {"a block at byte ", next, " within the file"},
                       {block.stored_bytes, " bytes stored for ", block.raw_bytes, " at byte ",
                        block.offset_bytes});
    next = end_of_block(block);
  }
  if (next != header_.file_bytes)
    return bad_table(*file_, {"end"}, {"the last block to end at byte ", header_.file_bytes},
                     {next});
  return {};
}

// Checks that each block's frames lie one after the other in it, from its start to its end.
Result<void> Pack::check_frames() const {
  uint64_t next = 0;
  for (uint32_t i = 0; i < blocks_.size(); ++i) {
    const format::Block& block = blocks_[i];
    const uint32_t count =
        has_compressed_blocks() ? format::frames_in(block.raw_bytes, header_.frame_bytes) : 0;
    if (block.first_frame != next || count > frames_.size() - next)
      return bad_table(*file_, {"block ", i}, {count, " frames, from number ", next, " on"},
                       {"number ", block.first_frame, " of ", frames_.size()});
    uint64_t offset = 0;
    for (uint32_t k = 0; k < count; ++k) {
      const format::Frame& frame = frames_[next + k];
      if (frame.offset_bytes != offset || frame.stored_bytes == 0 ||
          frame.stored_bytes > raw_bytes_of(i, k))
        return bad_table(*file_, {"frame ", k, " of block ", i},
                         {"1 to ", raw_bytes_of(i, k), " bytes stored at byte ", offset},
                         {frame.stored_bytes, " at byte ", frame.offset_bytes});
      offset += frame.stored_bytes;
    }
    if (count > 0 && offset != block.stored_bytes)
      return bad_table(*file_, {"frames of block ", i}, {block.stored_bytes, " bytes stored"},
                       {offset});
    next += count;
  }
  if (next != frames_.size())
    return bad_table(*file_, {"table of frames"}, {next, " records"}, {frames_.size()});
  return {};
}

uint64_t Pack::next_id() {
  static std::atomic<uint64_t> packs = 0;
  return ++packs;
}

Result<void> Pack::check_assets() const {
  const auto wrong_first_asset = [this](size_t block) {
    return bad_table(*file_, {"block ", block}, {"its first asset"},
                     {"number ", blocks_[block].first_asset});
  };
  // full_run[i] is the number of consecutive full blocks from i on, which a large asset can span.
  std::vector<uint32_t> full_run(blocks_.size() + 1, 0);
  for (size_t i = blocks_.size(); i-- > 0;)
    full_run[i] = blocks_[i].raw_bytes == header_.block_bytes ? full_run[i + 1] + 1 : 0;

  // The range of the latest asset with bytes, computed as if all blocks were full.
  uint64_t last_start = 0;
  uint64_t last_end = 0;
  uint64_t previous_start = 0;
  size_t block = 0;  // the first block after the latest asset's block
  for (size_t i = 0; i < assets_.size(); ++i) {
    const format::Asset& asset = assets_[i];
    for (; block < blocks_.size() && block <= asset.block; ++block)
      if (blocks_[block].first_asset != i) return wrong_first_asset(block);
    const uint64_t offset = offset_in_block(asset);
    const uint64_t start = uint64_t{asset.block} * header_.block_bytes + offset;
    const bool block_exists = asset.block < blocks_.size();
    bool fits = blocks_.empty() && asset.size_bytes == 0 && start == 0;
    if (block_exists) {
      const uint64_t raw = blocks_[asset.block].raw_bytes;
      fits = offset < raw && asset.size_bytes <= raw - offset;
      if (!fits && offset == 0) {
        const uint64_t full = asset.size_bytes / header_.block_bytes;
        const uint64_t rest = asset.size_bytes % header_.block_bytes;
        fits = full <= full_run[asset.block] &&
               (rest == 0 || (asset.block + full < blocks_.size() &&
                              rest <= blocks_[asset.block + full].raw_bytes));
      }
    }
    // Assets may overlap only if they are identical, so assets between two identical ones can't be
    // empty.
    const bool apart = start >= last_end || (start == last_start && asset.size_bytes > 0 &&
                                             asset.size_bytes == last_end - last_start);
    const bool sound = fits && apart && start >= previous_start &&
                       (asset.place >> format::kOffsetBits) <= format::kMaxAlignmentLog2 &&
                       offset % alignment_bytes(asset) == 0;
    if (!sound)
      return bad_table(*file_, {"asset ", i}, {"a place within the blocks"},
                       {asset.size_bytes, " bytes at byte ", offset, " of block ", asset.block});
    previous_start = start;
    if (asset.size_bytes == 0) continue;
    last_start = start;
    last_end = start + asset.size_bytes;
  }
  for (; block < blocks_.size(); ++block)
    if (blocks_[block].first_asset != assets_.size()) return wrong_first_asset(block);
  return {};
}

uint32_t Pack::block_count(const format::Asset& asset) const {
  if (asset.size_bytes == 0) return 0;
  return static_cast<uint32_t>(
      (offset_in_block(asset) + asset.size_bytes + header_.block_bytes - 1) / header_.block_bytes);
}

uint32_t Pack::find(uint64_t path_hash) const {
  return find_in_slots(slots_, path_hash,
                       [this](uint32_t index) { return assets_[index].path_hash; });
}

Result<format::ContentHash> Pack::content_hash(uint32_t asset) const {
  const auto hashes = content_hashes();
  if (!hashes) return std::unexpected(hashes.error());
  return (*hashes)[asset];
}

Result<std::span<const format::ContentHash>> Pack::content_hashes() const {
  const size_t section = number(PackSection::hashes);
  const auto memory = hashes_.get(
      [&] { return read_sections(*file_, header_, section, section, kPackSectionNames, memory_); });
  if (!memory) return std::unexpected(memory.error());
  return table<format::ContentHash>(**memory, header_, section, section);
}

uint32_t Pack::chunk_count() const {
  return static_cast<uint32_t>((assets_.size() + format::kNamesPerChunk - 1) /
                               format::kNamesPerChunk);
}

Result<const MappedPack*> Pack::mapped() const {
  return mapped_.get([this]() -> Result<MappedPack> {
    auto map = FileMap::make(*file_);
    if (!map) return std::unexpected(map.error());
    return MappedPack{std::move(*map), Vector<std::atomic<uint64_t>>(
                                           assets_.size() / MappedPack::kBits + 1, memory_)};
  });
}

Result<const TableMemory*> Pack::names() const {
  return names_.get([this]() -> Result<TableMemory> {
    const size_t section = number(PackSection::names);
    auto memory = read_sections(*file_, header_, section, section, kPackSectionNames, memory_);
    if (!memory) return memory;
    const std::span<const std::byte> bytes = memory->bytes();
    const uint64_t directory_bytes =
        sizeof(format::NamesHeader) + uint64_t{chunk_count()} * sizeof(format::NameChunk);
    format::NamesHeader head = {};
    if (bytes.size() >= directory_bytes) std::memcpy(&head, bytes.data(), sizeof(head));
    if (head.chunk_count != chunk_count() || head.names_per_chunk != format::kNamesPerChunk)
      return bad_table(*file_, {"table of names"}, {chunk_count(), " chunks"}, {head.chunk_count});
    return memory;
  });
}

Result<std::vector<std::string>> Pack::paths_of_chunk(uint32_t chunk) const {
  const auto memory = names();
  if (!memory) return std::unexpected(memory.error());
  const std::span<const std::byte> bytes = (*memory)->bytes();
  const auto wrong = [&](const char* expected, Parts found) {
    return bad_table(*file_, {"names chunk ", chunk}, {expected}, found,
                     header_.sections[number(PackSection::names)].offset_bytes);
  };

  format::NameChunk record;
  std::memcpy(&record, bytes.data() + sizeof(format::NamesHeader) + chunk * sizeof(record),
              sizeof(record));
  if (record.offset_bytes > bytes.size() ||
      record.stored_bytes > bytes.size() - record.offset_bytes ||
      record.stored_bytes > record.raw_bytes || record.raw_bytes > kMaxChunkBytes)
    return wrong("a chunk within the table", {record.stored_bytes, " bytes"});

  std::vector<char> raw(record.raw_bytes);
  const auto* stored = reinterpret_cast<const char*>(bytes.data() + record.offset_bytes);
  if (record.stored_bytes == record.raw_bytes) {
    std::copy_n(stored, raw.size(), raw.begin());
  } else if (LZ4_decompress_safe(stored, raw.data(), static_cast<int>(record.stored_bytes),
                                 static_cast<int>(raw.size())) != static_cast<int>(raw.size())) {
    return wrong("an LZ4 block", {"other bytes"});
  }

  const size_t first = size_t{chunk} * format::kNamesPerChunk;
  const size_t count = std::min<size_t>(format::kNamesPerChunk, assets_.size() - first);
  std::vector<std::string> paths;
  paths.reserve(count);
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    uint16_t length = 0;
    if (raw.size() - at < sizeof(length)) return wrong("more names", {"its end"});
    std::memcpy(&length, raw.data() + at, sizeof(length));
    at += sizeof(length);
    if (raw.size() - at < length) return wrong("a whole name", {"its end"});
    paths.emplace_back(raw.data() + at, length);
    at += length;
    if (const auto fault = check_asset_path(paths.back()); fault != PathFault::none)
      return wrong("a path", {describe(fault)});
  }
  if (at != raw.size()) return wrong("its end", {"more bytes"});
  return paths;
}

Result<std::string> Pack::path(uint32_t asset) const {
  auto paths = paths_of_chunk(asset / format::kNamesPerChunk);
  if (!paths) return std::unexpected(paths.error());
  return std::move((*paths)[asset % format::kNamesPerChunk]);
}

bool Pack::is_block(uint32_t index, std::span<const std::byte> stored) const {
  return widest_xxh3_64(stored.data(), stored.size()) == blocks_[index].checksum;
}

Error Pack::wrong_block(uint32_t index) const {
  const uint64_t offset = blocks_[index].offset_bytes;
  return bad_table(*file_, {"block ", index, " at byte ", offset},
                   {"bytes that match its checksum"}, {"others, twice"}, offset)
      .error();
}

// The checksum isn't known before the last frame is hashed, so frames of wrong bytes may be
// decoded, too: LZ4 takes any bytes. Decoding each frame right after hashing it finds it in the
// processor's cache.
Result<std::span<const std::byte>> Pack::decode_block(uint32_t index,
                                                      std::span<const std::byte> stored,
                                                      std::span<std::byte> into) const {
  const format::Block& block = blocks_[index];
  if (!is_compressed(block)) {
    if (!is_block(index, stored)) return std::unexpected(wrong_block(index));
    return stored.first(block.raw_bytes);
  }
  const auto raw = into.first(block.raw_bytes);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  Result<void> decoded;
  uint32_t number = 0;
  for (const format::Frame& frame : frames_of(index)) {
    const auto bytes = stored.subspan(frame.offset_bytes, frame.stored_bytes);
    widest_xxh3_64_update(&state, bytes.data(), bytes.size());
    if (decoded)
      decoded = decode_frame(
          index, number, bytes,
          raw.subspan(size_t{number} * header_.frame_bytes, raw_bytes_of(index, number)));
    ++number;
  }
  const auto padding = stored.subspan(block.stored_bytes);
  widest_xxh3_64_update(&state, padding.data(), padding.size());
  if (XXH3_64bits_digest(&state) != block.checksum) return std::unexpected(wrong_block(index));
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  return raw;
}

Result<std::span<const std::byte>> Pack::read_block(uint32_t index, std::span<std::byte> into,
                                                    std::span<std::byte> scratch) const {
  const format::Block& block = blocks_[index];
  const auto stored = (is_compressed(block) ? scratch : into).first(stored_extent_bytes(block));
  // A second read succeeds if the fault was in a cable or in memory, but not if it is on the disk.
  for (bool is_second = false;; is_second = true) {
    if (auto read = file_->read_at(block.offset_bytes, stored); !read)
      return std::unexpected(std::move(read.error()));
    auto raw = decode_block(index, stored, into);
    if (raw || is_second) return raw;
  }
}

std::span<const format::Frame> Pack::frames_of(uint32_t block) const {
  if (!has_compressed_blocks()) return {};
  return frames_.subspan(blocks_[block].first_frame,
                         format::frames_in(blocks_[block].raw_bytes, header_.frame_bytes));
}

uint32_t Pack::raw_bytes_of(uint32_t block, uint32_t frame) const {
  return std::min(header_.frame_bytes, blocks_[block].raw_bytes - frame * header_.frame_bytes);
}

bool Pack::is_frame(const format::Frame& frame, std::span<const std::byte> stored) const {
  return widest_xxh3_64(stored.data(), stored.size()) == frame.checksum;
}

Result<void> Pack::read_frames(uint32_t block, uint32_t first, uint32_t count,
                               std::span<std::byte> into) const {
  const auto frames = frames_of(block).subspan(first, count);
  const uint64_t begin = frames.front().offset_bytes;
  const uint64_t offset = blocks_[block].offset_bytes + begin;
  const auto is_right = [&](const format::Frame& frame) {
    return is_frame(frame, into.subspan(frame.offset_bytes - begin, frame.stored_bytes));
  };
  auto wrong = frames.end();
  for (int i = 0; i < 2; ++i) {
    if (auto read = file_->read_at(offset, into); !read) return read;
    wrong = std::ranges::find_if_not(frames, is_right);
    if (wrong == frames.end()) return {};
  }
  const uint64_t at = offset + wrong->offset_bytes - begin;
  return bad_table(*file_,
                   {"frame ", static_cast<uint64_t>(first + (wrong - frames.begin())), " of block ",
                    block, " at byte ", at},
                   {"bytes that match its checksum"}, {"others, twice"}, at);
}

Result<void> Pack::decode_frame(uint32_t block, uint32_t frame, std::span<const std::byte> stored,
                                std::span<std::byte> into) const {
  const uint32_t raw_bytes = raw_bytes_of(block, frame);
  if (stored.size() == raw_bytes) {
    std::memcpy(into.data(), stored.data(), into.size());
    return {};
  }
  const auto* const from = reinterpret_cast<const char*>(stored.data());
  auto* const to = reinterpret_cast<char*>(into.data());
  const int stored_bytes = static_cast<int>(stored.size());
  const int wanted = static_cast<int>(into.size());
  // Decoding the whole frame also proves that no stored bytes are left over.
  const int got = into.size() == raw_bytes
                      ? LZ4_decompress_safe(from, to, stored_bytes, wanted)
                      : LZ4_decompress_safe_partial(from, to, stored_bytes, wanted, wanted);
  if (got == wanted) return {};
  return bad_table(*file_, {"frame ", frame, " of block ", block}, {"an LZ4 block"},
                   {"other bytes"},
                   blocks_[block].offset_bytes + frames_of(block)[frame].offset_bytes);
}

}  // namespace seekless::runtime
