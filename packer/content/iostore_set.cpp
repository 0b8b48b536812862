// The .utoc of Unreal Engine's IoStore, versions 3 to 8 (Unreal Engine 4.27 and 5). Numbers are
// little-endian unless stated otherwise. Sources of the format: FIoStoreTocHeader of Unreal as
// others describe it, such as the project retoc.
//
//   Header: "-==--==--==--==-", version (1), 3 bytes, its length (4), count of chunks (4), count of
//   blocks (4), length of a block's record (4), count of names of compressions (4), length of such
//   a name (4), size of unpacked blocks (4), length of the index of names (4), count of parts (4),
//   the container's identifier (8), a key's number (16), flags (1), 3 bytes, count of seeds (4),
//   distance of parts (8), count of chunks without a perfect hash (4), 44 bytes.
//
//   Then for each chunk its identifier (12); for each its place in all unpacked data (5,
//   big-endian) and its length (5, big-endian); from version 4 on the seeds of a perfect hash (4
//   each); from version 5 on numbers of chunks that it doesn't find (4 each). For each block its
//   place (5), size (3), unpacked size (3) and compression (1). Names of compressions; if it is
//   signed, signatures; the index of names (internal/iostore_names.cpp); for each chunk a hash (20
//   or 32) and flags.
//
//   A chunk's first block is its place divided by the size of unpacked blocks. A block's place
//   divided by the distance of parts is the number of its part, and the remainder is its offset
//   there. Engines read blocks up to the next multiple of 16 bytes. They don't compare the sizes of
//   parts with anything.
#include "packer/content/iostore_set.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "packer/base/hasher.h"
#include "packer/base/paths.h"
#include "packer/content/flat_archive.h"
#include "packer/content/internal/file_ending.h"
#include "packer/content/internal/iostore_names.h"
#include "packer/host/folder_entries.h"
#include "packer/words/counted.h"
#include "runtime/asset_path.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

constexpr std::string_view kTocMagic = "-==--==--==--==-";
constexpr std::string_view kTocEnding = ".utoc", kPartEnding = ".ucas";
constexpr size_t kTocHeaderBytes = 144;
constexpr size_t kChunkIdBytes = 12, kChunkPlaceBytes = 10, kBlockBytes = 12;
constexpr size_t kMostTocBytes = size_t{512} << 20;  // the tables are in memory at once
constexpr uint32_t kFirstVersion = 3, kLastVersion = 8;
constexpr size_t kPartCountAt = 52, kPartBytesAt = 88;  // places in the header
constexpr size_t kPartCountBytes = 4, kPartBytesBytes = 8, kPlaceBytes = 5;
constexpr uint32_t kMostMethods = 255;  // a block's record has one byte for it
constexpr uint8_t kEncryptedFlag = 2, kSignedFlag = 4, kIndexedFlag = 8;
constexpr uint8_t kKnownFlags = 0x0F;  // also: compressed
constexpr uint8_t kMappedFlag = 2;     // of a chunk

// Returns true for types of chunks that are mapped into memory: 5 by Unreal Engine 4.27, whose
// directories have version 3, and 4 by Unreal Engine 5. Version 4 is of the time in between.
bool is_mapped_type(uint32_t version, uint8_t type) {
  return (type == 5 && version <= 4) || (type == 4 && version >= 4);
}

struct TocHeader {
  uint32_t version = 0;
  uint32_t header_bytes = 0;
  uint32_t chunks = 0;
  uint32_t blocks = 0;
  uint32_t block_bytes = 0;  // length of a block's record
  uint32_t methods = 0;
  uint32_t method_bytes = 0;
  uint32_t unpacked_bytes = 0;  // of each block but a chunk's last
  uint32_t index_bytes = 0;
  uint32_t parts = 0;
  uint8_t flags = 0;
  uint32_t seeds = 0;
  uint64_t part_bytes = 0;
  uint32_t unhashed = 0;

  uint64_t places_at() const { return kTocHeaderBytes + uint64_t{kChunkIdBytes} * chunks; }
  uint64_t blocks_at() const {
    return places_at() + uint64_t{kChunkPlaceBytes} * chunks +
           (version >= 4 ? 4 * uint64_t{seeds} : 0) + (version >= 5 ? 4 * uint64_t{unhashed} : 0);
  }
  uint64_t methods_at() const { return blocks_at() + uint64_t{kBlockBytes} * blocks; }
  // Only without signatures.
  uint64_t index_at() const { return methods_at() + uint64_t{methods} * method_bytes; }
  uint64_t index_end() const {
    return index_at() + ((flags & kIndexedFlag) != 0 ? index_bytes : 0);
  }
  // A chunk's hash and its flags, in older versions without padding.
  uint64_t chunk_hash_bytes() const { return version >= 8 ? 20 : 32; }
  uint64_t chunk_meta_bytes() const { return version >= 8 ? 24 : 33; }
  uint64_t metas_end() const { return index_end() + chunk_meta_bytes() * chunks; }
};

TocHeader toc_header(std::span<const std::byte> bytes) {
  const auto number = [&](size_t at) { return load<uint32_t>(bytes, at); };
  return {.version = load<uint8_t>(bytes, 16),
          .header_bytes = number(20),
          .chunks = number(24),
          .blocks = number(28),
          .block_bytes = number(32),
          .methods = number(36),
          .method_bytes = number(40),
          .unpacked_bytes = number(44),
          .index_bytes = number(48),
          .parts = number(kPartCountAt),
          .flags = load<uint8_t>(bytes, 80),
          .seeds = number(84),
          .part_bytes = load<uint64_t>(bytes, kPartBytesAt),
          .unhashed = number(96)};
}

// Returns an obstacle if the directory is of a kind that isn't understood.
std::string obstacle_of_kind(const TocHeader& header, uint64_t size_bytes) {
  if (header.version < kFirstVersion || header.version > kLastVersion)
    return fmt::format("a .utoc of version {}; {} to {} are understood", header.version,
                       kFirstVersion, kLastVersion);
  if (header.header_bytes != kTocHeaderBytes || header.block_bytes != kBlockBytes)
    return "a header or records of another length";
  if ((header.flags & kSignedFlag) != 0) return "it is signed";
  if ((header.flags & ~kKnownFlags) != 0)
    return fmt::format("flags that aren't understood ({:#04x})", header.flags);
  if (header.methods > kMostMethods) return "more compressions than a block can name";
  if (header.parts >= kMostIoStoreParts)
    return fmt::format("{} parts, where engines have a few", header.parts);
  if (size_bytes > kMostTocBytes) return "it is too large to be held in memory";
  return {};
}

std::string damage_of_tables(const TocHeader& header, uint64_t size_bytes) {
  // The sum can't overflow: 255 names of at most 4 GiB, and tables of at most 2^32 rows.
  if (header.metas_end() > size_bytes) return "its tables are longer than it is";
  if (header.unpacked_bytes == 0 || header.parts == 0 || header.part_bytes == 0)
    return "a header without sizes of blocks and parts";
  return {};
}

uint64_t big_endian_40(std::span<const std::byte> bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 5; ++i) value = value << 8 | std::to_integer<uint64_t>(bytes[at + i]);
  return value;
}

uint64_t little_endian(std::span<const std::byte> bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | std::to_integer<uint64_t>(bytes[at + i]);
  return value;
}

void set_number(std::string& bytes, size_t at, uint64_t value, size_t count) {
  for (size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<char>(value >> 8 * i & 0xFF);
}

// Returns an obstacle if the chunks' blocks aren't there.
std::string take_chunks(std::span<const std::byte> front, const TocHeader& header,
                        IoStoreToc& toc) {
  for (uint32_t i = 0; i < header.chunks; ++i) {
    const size_t at = header.places_at() + kChunkPlaceBytes * i;
    const uint64_t begin = big_endian_40(front, at);
    const uint64_t length = big_endian_40(front, at + 5);
    const uint64_t first = begin / header.unpacked_bytes;
    const uint64_t end = length == 0 ? first : (begin + length - 1) / header.unpacked_bytes + 1;
    if (end > header.blocks)
      return fmt::format("its chunk {} ends in block {} of {}", i, end, header.blocks);
    toc.chunks.push_back({static_cast<uint32_t>(first), static_cast<uint32_t>(end - first)});
  }
  return {};
}

std::string take_blocks(std::span<const std::byte> front, const TocHeader& header,
                        IoStoreToc& toc) {
  for (uint32_t i = 0; i < header.blocks; ++i) {
    const size_t at = header.blocks_at() + kBlockBytes * i;
    const uint64_t place = little_endian(front, at, kPlaceBytes);
    const uint64_t part = place / header.part_bytes;
    const auto size_bytes = static_cast<uint32_t>(little_endian(front, at + kPlaceBytes, 3));
    if (size_bytes > 0 && part >= header.parts)
      return fmt::format("its block {} lies in part {} of {}", i, part + 1, header.parts);
    if (std::to_integer<uint32_t>(front[at + 11]) > header.methods)
      return fmt::format("the compression of its block {} has no name", i);
    toc.blocks.push_back({static_cast<uint32_t>(part), place % header.part_bytes, size_bytes});
  }
  return {};
}

// Also fixes blocks that share their place with one that must stay.
Result<void> fix_blocks(const ByteSource& directory, std::span<const std::byte> front,
                        const TocHeader& header, IoStoreToc& toc) {
  SKL_TRY(const std::string metas,
          bytes_at(directory, header.index_end(), header.metas_end() - header.index_end()));
  std::set<std::pair<uint32_t, uint64_t>> places;
  for (uint32_t i = 0; i < header.chunks; ++i) {
    const auto type = load<uint8_t>(front, kTocHeaderBytes + kChunkIdBytes * (i + 1) - 1);
    const auto flags =
        static_cast<uint8_t>(metas[header.chunk_meta_bytes() * i + header.chunk_hash_bytes()]);
    if ((flags & kMappedFlag) == 0 && !is_mapped_type(header.version, type)) continue;
    const IoStoreChunk& chunk = toc.chunks[i];
    for (uint32_t block = 0; block < chunk.block_count; ++block) {
      const IoStoreBlock& fixed = toc.blocks[chunk.first_block + block];
      places.emplace(fixed.part, fixed.offset_bytes);
    }
  }
  for (const IoStoreBlock& block : toc.blocks)
    toc.is_fixed.push_back(places.contains({block.part, block.offset_bytes}));
  return {};
}

// Chunks may have the same blocks, but share them in no other way. A chunk moves with its blocks.
std::string obstacle_of_chunks(const IoStoreToc& toc) {
  std::vector<IoStoreChunk> chunks = toc.chunks;
  std::erase_if(chunks, [](const IoStoreChunk& chunk) { return chunk.block_count == 0; });
  std::ranges::sort(chunks, {}, [](const IoStoreChunk& chunk) {
    return std::pair(chunk.first_block, chunk.block_count);
  });
  for (size_t i = 1; i < chunks.size(); ++i) {
    const IoStoreChunk& a = chunks[i - 1];
    const IoStoreChunk& b = chunks[i];
    const bool is_same = a.first_block == b.first_block && a.block_count == b.block_count;
    if (!is_same && b.first_block < a.first_block + a.block_count)
      return fmt::format("its block {} belongs to different chunks", b.first_block);
  }
  return {};
}

// Hashes everything but the places of blocks and the number and distance of parts.
Result<uint64_t> hash_of_rest(const ByteSource& directory, std::string front,
                              const TocHeader& header) {
  set_number(front, kPartCountAt, 0, kPartCountBytes);
  set_number(front, kPartBytesAt, 0, kPartBytesBytes);
  for (uint32_t i = 0; i < header.blocks; ++i)
    set_number(front, header.blocks_at() + kBlockBytes * i, 0, kPlaceBytes);
  Hasher64 hasher;
  hasher.add(bytes_of(front));
  SKL_TRY_DO(visit_bytes(directory, front.size(), directory.size_bytes(),
                         [&](std::span<const std::byte> bytes) { hasher.add(bytes); }));
  return hasher.digest();
}

Result<std::optional<TocHeader>> read_toc_header(const ByteSource& directory) {
  std::array<std::byte, kTocHeaderBytes> bytes = {};
  if (directory.size_bytes() < bytes.size()) return std::nullopt;
  SKL_TRY_DO(directory.read_at(0, bytes));
  if (!text_of(bytes).starts_with(kTocMagic)) return std::nullopt;
  return toc_header(bytes);
}

Result<IoStoreToc> read_toc(const ByteSource& directory, const TocHeader& header) {
  IoStoreToc toc = {.chunks = {},
                    .blocks = {},
                    .is_fixed = {},
                    .part_count = header.parts,
                    .part_bytes = header.part_bytes,
                    .blocks_at_bytes = header.blocks_at()};
  toc.obstacle = obstacle_of_kind(header, directory.size_bytes());
  if (!toc.obstacle.empty()) return toc;
  toc.obstacle = damage_of_tables(header, directory.size_bytes());
  toc.is_damaged = !toc.obstacle.empty();
  if (toc.is_damaged) return toc;
  SKL_TRY(std::string front, bytes_at(directory, 0, header.methods_at()));
  toc.obstacle = take_chunks(bytes_of(front), header, toc);
  if (toc.obstacle.empty()) toc.obstacle = take_blocks(bytes_of(front), header, toc);
  toc.is_damaged = !toc.obstacle.empty();
  if (toc.obstacle.empty()) toc.obstacle = obstacle_of_chunks(toc);
  if (toc.obstacle.empty()) SKL_TRY_DO(fix_blocks(directory, bytes_of(front), header, toc));
  SKL_TRY(toc.hash, hash_of_rest(directory, std::move(front), header));
  return toc;
}

// Finds the parts that lie beside the directory, and the numbers that no new part can have. If
// another directory names the parts, too, sets an obstacle.
Result<void> find_iostore_parts(const std::string& path, IoStoreSet& set) {
  const std::string directory(file_name(path));
  const std::string folder = path.substr(0, path.size() - directory.size());
  std::map<std::string, const FolderEntry*> by_name;
  std::set<std::string> folded;
  SKL_TRY(const auto entries, list_folder(folder.empty() ? "." : folder));
  for (const FolderEntry& entry : entries) {
    by_name[entry.name] = &entry;
    folded.insert(fold_case(entry.name));
    if (!entry.is_folder && entry.name != directory && compare_folded(entry.name, directory) == 0)
      set.toc.obstacle = fmt::format("'{}' names the files beside it, too", entry.name);
  }
  if (!set.toc.obstacle.empty()) return {};
  for (uint32_t number = 0; number < kMostIoStoreParts; ++number) {
    const std::string name(file_name(iostore_part_path(path, number)));
    const auto found = by_name.find(name);
    const bool is_file =
        found != by_name.end() && !found->second->is_folder && !found->second->leads_nowhere;
    const bool is_taken = folded.contains(fold_case(name));
    if (number < set.toc.part_count && !is_file) {
      set.toc.obstacle = fmt::format("'{}', a part of its data, is missing", name);
      set.toc.is_damaged = true;
      return {};
    }
    if (number >= set.toc.part_count && is_taken) set.taken.push_back(number);
    if (is_file)
      set.parts.push_back({.number = number,
                           .path = folder + name,
                           .size_bytes = found->second->size_bytes,
                           .is_named = number < set.toc.part_count});
  }
  return {};
}

std::string block_beyond_its_part(const IoStoreSet& set) {
  for (uint32_t i = 0; i < set.toc.blocks.size(); ++i) {
    const IoStoreBlock& block = set.toc.blocks[i];
    if (block.size_bytes == 0) continue;
    const PartOfSet& part = set.parts[block.part];
    if (block.offset_bytes + block.size_bytes > part.size_bytes)
      return fmt::format("its block {} ends at byte {} of '{}', which has only {}", i,
                         block.offset_bytes + block.size_bytes, file_name(part.path),
                         counted(part.size_bytes, "byte"));
  }
  return {};
}

// Blocks may share data, but overlap in no other way.
std::string overlap_of_blocks(const IoStoreSet& set) {
  std::vector<uint32_t> order;
  const std::vector<IoStoreBlock>& blocks = set.toc.blocks;
  for (uint32_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].size_bytes > 0) order.push_back(i);
  std::ranges::sort(order, {}, [&](uint32_t i) {
    return std::tuple(blocks[i].part, blocks[i].offset_bytes, blocks[i].size_bytes, i);
  });
  const IoStoreBlock* last = nullptr;
  for (const uint32_t i : order) {
    const IoStoreBlock& block = blocks[i];
    const bool is_over = last != nullptr && block.part == last->part &&
                         block.offset_bytes < last->offset_bytes + last->size_bytes;
    if (is_over && block != *last)
      return fmt::format("its block {} lies in part over another one in '{}'", i,
                         file_name(set.parts[block.part].path));
    last = &block;
  }
  return {};
}

// Names a chunk by its path in the index, or else by its identifier.
std::vector<std::string> names_of_chunks(std::vector<std::string> paths, std::string_view ids) {
  std::set<std::string> used;
  for (size_t i = 0; i < paths.size(); ++i) {
    std::string& name = paths[i];
    if (check_asset_path(name) == PathFault::none && used.insert(fold_case(name)).second) continue;
    name = "chunk-";
    for (const char byte : ids.substr(i * kChunkIdBytes, kChunkIdBytes))
      name += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return paths;
}

// Adds the runs of a chunk's blocks that lie one after the other.
void add_runs(const IoStoreChunk& chunk, const std::string& name, const IoStoreToc& toc,
              std::vector<IoStoreRun>& runs) {
  const size_t first_run = runs.size();
  for (uint32_t i = chunk.first_block; i < chunk.first_block + chunk.block_count; ++i) {
    const IoStoreBlock& block = toc.blocks[i];
    if (block.size_bytes == 0 || toc.is_fixed[i]) continue;
    if (runs.size() > first_run) {
      IoStoreRun& run = runs.back();
      const uint64_t end_bytes = run.offset_bytes + run.size_bytes;
      if (block.part == run.part && block.offset_bytes >= end_bytes &&
          block.offset_bytes - end_bytes < kIoStoreAlignmentBytes) {
        run.block_count = i + 1 - run.first_block;
        run.size_bytes = block.offset_bytes + block.size_bytes - run.offset_bytes;
        continue;
      }
    }
    const size_t number = runs.size() - first_run + 1;
    runs.push_back({.name = number == 1 ? name : fmt::format("{} ({})", name, number),
                    .first_block = i,
                    .block_count = 1,
                    .part = block.part,
                    .offset_bytes = block.offset_bytes,
                    .size_bytes = block.size_bytes});
  }
}

void deal_runs(IoStoreSet& set) {
  std::ranges::stable_sort(set.runs, {}, &IoStoreRun::part);
  for (const IoStoreRun& run : set.runs) ++set.parts[run.part].entry_count;
  uint32_t first = 0;
  for (PartOfSet& part : set.parts) {
    part.first_entry = first;
    first += part.entry_count;
  }
}

// Encrypted containers have an encrypted index.
Result<void> find_runs(const ByteSource& directory, const TocHeader& header, IoStoreSet& set) {
  const uint64_t index_end =
      (header.flags & kEncryptedFlag) != 0 ? header.index_at() : header.index_end();
  SKL_TRY(auto paths, read_iostore_names(directory, header.index_at(), index_end, header.chunks));
  SKL_TRY(const std::string ids,
          bytes_at(directory, kTocHeaderBytes, kChunkIdBytes * uint64_t{header.chunks}));
  const std::vector<std::string> names = names_of_chunks(std::move(paths), ids);
  for (uint32_t i = 0; i < header.chunks; ++i)
    add_runs(set.toc.chunks[i], names[i], set.toc, set.runs);
  deal_runs(set);
  return {};
}

}  // namespace

std::string iostore_part_path(const std::string& path, uint32_t number) {
  const std::string stem = path.substr(0, path.size() - kTocEnding.size());
  return number == 0 ? fmt::format("{}{}", stem, kPartEnding)
                     : fmt::format("{}_s{}{}", stem, number, kPartEnding);
}

bool has_name_of_iostore_set(std::string_view path) {
  return has_ending(path, kTocEnding);
}

std::vector<std::string> iostore_directories_of(std::string_view part_path) {
  if (!has_ending(part_path, kPartEnding)) return {};
  const std::string_view stem = part_path.substr(0, part_path.size() - kPartEnding.size());
  std::vector<std::string> paths = {std::string(stem) += kTocEnding};
  const size_t number_at = stem.find_last_not_of("0123456789") + 1;
  if (number_at < stem.size() && stem.substr(0, number_at).ends_with("_s"))
    paths.push_back(std::string(stem.substr(0, number_at - 2)) += kTocEnding);
  return paths;
}

Result<bool> is_iostore_directory(const ByteSource& directory) {
  SKL_TRY(const auto header, read_toc_header(directory));
  return header.has_value();
}

Result<std::optional<IoStoreToc>> read_iostore_toc(const ByteSource& directory) {
  SKL_TRY(const auto header, read_toc_header(directory));
  if (!header) return std::nullopt;
  return read_toc(directory, *header);
}

Result<std::optional<IoStoreSet>> read_iostore_set(const ByteSource& directory,
                                                   const std::string& path) {
  if (!has_name_of_iostore_set(path)) return std::nullopt;
  SKL_TRY(const auto header, read_toc_header(directory));
  if (!header) return std::nullopt;
  SKL_TRY(auto toc, read_toc(directory, *header));
  IoStoreSet set = {.toc = std::move(toc)};
  if (set.toc.obstacle.empty()) SKL_TRY_DO(find_iostore_parts(path, set));
  if (set.toc.obstacle.empty()) {
    set.toc.obstacle = block_beyond_its_part(set);
    set.toc.is_damaged = !set.toc.obstacle.empty();
  }
  if (set.toc.obstacle.empty()) set.toc.obstacle = overlap_of_blocks(set);
  set.fit = set.toc.is_damaged         ? FitOfParts::misfits
            : set.toc.obstacle.empty() ? FitOfParts::fits
                                       : FitOfParts::unknown;
  if (set.fit == FitOfParts::fits) SKL_TRY_DO(find_runs(directory, *header, set));
  return set;
}

Result<std::string> new_iostore_front(const ByteSource& directory, const IoStoreToc& toc,
                                      std::span<const IoStoreBlock> blocks, uint32_t part_count,
                                      uint64_t part_bytes) {
  SKL_TRY(std::string front,
          bytes_at(directory, 0, toc.blocks_at_bytes + kBlockBytes * blocks.size()));
  set_number(front, kPartCountAt, part_count, kPartCountBytes);
  set_number(front, kPartBytesAt, part_bytes, kPartBytesBytes);
  for (size_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].size_bytes > 0)
      set_number(front, toc.blocks_at_bytes + kBlockBytes * i,
                 blocks[i].part * part_bytes + blocks[i].offset_bytes, kPlaceBytes);
  return front;
}

}  // namespace seekless
