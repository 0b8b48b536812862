#include "packer/pack/internal/tables.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <lz4.h>
#include <lz4hc.h>
#include <xxhash.h>

#include "runtime/tables.h"

namespace seekless {
namespace {

constexpr uint64_t kSeedsToTry = 64;

template <typename Record>
void append_record(std::vector<std::byte>& bytes, const Record& record) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof(record));
  std::memcpy(bytes.data() + at, &record, sizeof(record));
}

std::vector<char> raw_chunk(std::span<const std::string_view> paths) {
  std::vector<char> raw;
  for (const std::string_view path : paths) {
    const auto length = static_cast<uint16_t>(path.size());
    raw.push_back(static_cast<char>(length & 0xff));
    raw.push_back(static_cast<char>(length >> 8));
    raw.insert(raw.end(), path.begin(), path.end());
  }
  return raw;
}

// Returns an LZ4 block if that is shorter, otherwise the bytes uncompressed.
std::vector<char> stored_chunk(const std::vector<char>& raw) {
  std::vector<char> stored(raw.size());
  // Provides LZ4's memory; without it, LZ4 would report that the chunk can't be packed. The memory
  // is kept, because clearing new memory takes longer than a pack of few assets, and there can be
  // ten thousand packs.
  thread_local const auto state =
      std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(LZ4_sizeofStateHC()));
  const int size = LZ4_compress_HC_extStateHC(
      state.get(), raw.data(), stored.data(), static_cast<int>(raw.size()),
      static_cast<int>(raw.size()) - 1, LZ4HC_CLEVEL_DEFAULT);
  if (size <= 0) return raw;
  stored.resize(static_cast<size_t>(size));
  return stored;
}

}  // namespace

Result<std::vector<format::Slot>> build_slots(std::span<const uint64_t> path_hashes) {
  const uint32_t count = format::slot_count_for(static_cast<uint32_t>(path_hashes.size()));
  std::vector<format::Slot> slots(count, {format::kEmptySlot, 0});
  for (size_t i = 0; i < path_hashes.size(); ++i) {
    uint32_t at = format::home_slot(path_hashes[i], count);
    while (slots[at].index != format::kEmptySlot) at = at + 1 == count ? 0 : at + 1;
    slots[at] = {static_cast<uint32_t>(i), static_cast<uint32_t>(path_hashes[i])};
  }
  if (!runtime::valid_slots(slots, path_hashes.size()))
    return failed({.place = "table of paths",
                   .expected = "paths whose hashes are spread",
                   .found = fmt::format("more than {} in a row", format::kLongestRow),
                   .advice = "rename some assets"});
  return slots;
}

Names build_names(std::span<const std::string_view> paths) {
  Names names;
  names.chunk_count = (paths.size() + format::kNamesPerChunk - 1) / format::kNamesPerChunk;
  append_record(names.bytes, format::NamesHeader{static_cast<uint32_t>(names.chunk_count),
                                                 format::kNamesPerChunk});
  const size_t first_chunk = names.bytes.size() + names.chunk_count * sizeof(format::NameChunk);
  std::vector<char> chunks;
  for (size_t at = 0; at < paths.size(); at += format::kNamesPerChunk) {
    const auto of_chunk =
        paths.subspan(at, std::min<size_t>(format::kNamesPerChunk, paths.size() - at));
    const std::vector<char> raw = raw_chunk(of_chunk);
    const std::vector<char> stored = stored_chunk(raw);
    append_record(names.bytes, format::NameChunk{static_cast<uint32_t>(first_chunk + chunks.size()),
                                                 static_cast<uint32_t>(stored.size()),
                                                 static_cast<uint32_t>(raw.size())});
    chunks.insert(chunks.end(), stored.begin(), stored.end());
  }
  const auto bytes = std::as_bytes(std::span(chunks));
  names.bytes.insert(names.bytes.end(), bytes.begin(), bytes.end());
  return names;
}

void TableFile::add_bytes(std::span<const std::byte> bytes, uint64_t record_count) {
  const uint64_t offset = bytes_.size();
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  bytes_.resize(offset + section_bytes(bytes.size()));
  header_.sections[header_.section_count++] = {offset, bytes_.size() - offset, 0, record_count};
}

void TableFile::pad_to(uint64_t alignment_bytes) {
  const uint64_t end = format::round_up(bytes_.size(), alignment_bytes);
  header_.sections[header_.section_count - 1].size_bytes += end - bytes_.size();
  bytes_.resize(end);
}

uint64_t TableFile::seal() {
  for (format::Section& section : std::span(header_.sections).first(header_.section_count))
    section.checksum = XXH3_64bits(bytes_.data() + section.offset_bytes, section.size_bytes);
  header_.checksum = XXH3_64bits(&header_, offsetof(format::Header, checksum));
  std::memcpy(bytes_.data(), &header_, sizeof(header_));
  return header_.checksum;
}

Result<uint64_t> TableFile::write(const PendingFile& file) {
  seal();
  SKL_TRY_DO(file.write_at(0, bytes_));
  return header_.checksum;
}

Result<uint64_t> choose_hash_seed(std::span<const std::string_view> paths, bool fold,
                                  PathHash hash) {
  std::vector<std::pair<uint64_t, uint32_t>> hashes(paths.size());
  auto same = hashes.end();
  for (uint64_t seed = 0; seed < kSeedsToTry; ++seed) {
    for (size_t i = 0; i < paths.size(); ++i)
      hashes[i] = {hash(paths[i], seed, fold), static_cast<uint32_t>(i)};
    std::ranges::sort(hashes);
    same = std::ranges::adjacent_find(hashes, {}, [](const auto& pair) { return pair.first; });
    if (same == hashes.end()) return seed;
  }
  return failed({.file = std::string(paths[same->second]),
                 .expected = "a path whose hash no other has",
                 .found = fmt::format("'{}' to collide with it", paths[(same + 1)->second]),
                 .advice = "rename one of them"});
}

}  // namespace seekless
