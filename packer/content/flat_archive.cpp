#include "packer/content/flat_archive.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

#include <fmt/format.h>

namespace seekless {
namespace {

constexpr uint32_t kMostAlignmentBytes = 4096;
constexpr uint64_t kPieceBytes = uint64_t{1} << 16;

std::vector<const FlatEntry*> by_place(const FlatDirectory& directory) {
  std::vector<const FlatEntry*> entries;
  for (const FlatEntry& entry : directory.entries)
    if (entry.size_bytes > 0) entries.push_back(&entry);
  std::ranges::sort(entries, [](const FlatEntry* a, const FlatEntry* b) {
    return a->offset_bytes != b->offset_bytes ? a->offset_bytes < b->offset_bytes
                                              : a->size_bytes < b->size_bytes;
  });
  return entries;
}

Result<bool> is_zero(const ByteSource& source, uint64_t begin_bytes, uint64_t end_bytes) {
  std::vector<std::byte> piece(std::min(kPieceBytes, end_bytes - begin_bytes));
  while (begin_bytes < end_bytes) {
    const auto part =
        std::span(piece).first(std::min<uint64_t>(piece.size(), end_bytes - begin_bytes));
    SKL_TRY_DO(source.read_at(begin_bytes, part));
    if (std::ranges::any_of(part, [](std::byte byte) { return byte != std::byte{0}; }))
      return false;
    begin_bytes += part.size();
  }
  return true;
}

uint32_t common_alignment(const std::vector<const FlatEntry*>& entries) {
  uint64_t bits = kMostAlignmentBytes;
  for (const FlatEntry* entry : entries) bits |= entry->offset_bytes;
  return uint32_t{1} << std::countr_zero(bits);
}

}  // namespace

Result<void> settle_data(const ByteSource& source, uint64_t front_end_bytes,
                         uint64_t back_begin_bytes, FlatDirectory& directory) {
  const std::vector<const FlatEntry*> entries = by_place(directory);
  directory.data_begin_bytes = entries.empty() ? back_begin_bytes : entries.front()->offset_bytes;
  directory.data_end_bytes = directory.data_begin_bytes;
  directory.alignment_bytes = common_alignment(entries);
  const FlatEntry* last = nullptr;
  for (const FlatEntry* entry : entries) {
    const bool is_same = last != nullptr && last->offset_bytes == entry->offset_bytes &&
                         // The entries are two names for one range.
                         last->size_bytes == entry->size_bytes;
    last = entry;
    if (is_same) continue;
    if (entry->offset_bytes < front_end_bytes || entry->offset_bytes > back_begin_bytes ||
        entry->size_bytes > back_begin_bytes - entry->offset_bytes)
      return damaged(
          {.file = source.name(),
           .place = fmt::format("entry '{}'", entry->name),
           .expected =
               fmt::format("data between bytes {} and {}", front_end_bytes, back_begin_bytes),
           .found = fmt::format("{} bytes at byte {}", entry->size_bytes, entry->offset_bytes),
           .advice = "the archive is damaged: get it again"});
    if (entry->offset_bytes < directory.data_end_bytes) {
      directory.obstacle = fmt::format("entry '{}' lies in part over another one", entry->name);
      return {};
    }
    SKL_TRY(const auto zero, is_zero(source, directory.data_end_bytes, entry->offset_bytes));
    if (!zero) {
      directory.obstacle = fmt::format("there is something before byte {} that belongs to no entry",
                                       entry->offset_bytes);
      return {};
    }
    directory.data_end_bytes = entry->offset_bytes + entry->size_bytes;
  }
  return {};
}

Result<std::optional<FlatDirectory>> read_flat_directory(const ByteSource& source) {
  for (const auto& read : {read_godot_pck, read_quake_pak}) {
    auto directory = read(source);
    if (!directory && directory.error().kind == ErrorKind::damaged)
      directory = FlatDirectory{.obstacle = directory.error().message};
    if (directory && *directory && !(*directory)->obstacle.empty()) (*directory)->entries.clear();
    if (!directory || *directory) return directory;
  }
  return std::nullopt;
}

}  // namespace seekless
