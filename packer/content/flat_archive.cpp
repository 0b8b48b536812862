#include "packer/content/flat_archive.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "packer/content/internal/flat_formats.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

constexpr uint32_t kMostAlignmentBytes = 4096;
// Little, so that bytes that are in memory are only copied within the processor's cache.
constexpr uint64_t kPieceBytes = uint64_t{1} << 17;
constexpr uint64_t kMostAroundBytes = uint64_t{512} << 20;

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

Result<bool> repeats(const ByteSource& source, uint64_t begin_bytes, uint64_t end_bytes,
                     std::string_view filler) {
  if ((end_bytes - begin_bytes) % filler.size() != 0) return false;
  for (; begin_bytes < end_bytes; begin_bytes += filler.size()) {
    SKL_TRY(const std::string bytes, bytes_at(source, begin_bytes, filler.size()));
    if (bytes != filler) return false;
  }
  return true;
}

// A gap holds zeros, or the filler that the format's packers write, once more for each empty file.
Result<bool> is_gap(const ByteSource& source, uint64_t begin_bytes, uint64_t end_bytes,
                    std::string_view filler) {
  if (!filler.empty()) {
    SKL_TRY(const bool is_filler, repeats(source, begin_bytes, end_bytes, filler));
    if (is_filler) return true;
  }
  return is_zero(source, begin_bytes, end_bytes);
}

// Sizes of 0 are checked here, because nothing is read of an empty file.
bool lacks_its_data(const FlatEntry& entry) {
  static const Md5 md5_of_nothing = Md5Hasher().digest();
  return entry.size_bytes == 0 && entry.stored_as.empty() &&
         (entry.crc32.value_or(0) != 0 || entry.md5.value_or(md5_of_nothing) != md5_of_nothing);
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
    if (entry->offset_bytes > directory.data_end_bytes)
      directory.gaps.push_back({directory.data_end_bytes, entry->offset_bytes});
    directory.data_end_bytes = entry->offset_bytes + entry->size_bytes;
  }
  directory.unused.push_back({front_end_bytes, directory.data_begin_bytes});
  directory.unused.push_back({directory.data_end_bytes, back_begin_bytes});
  return {};
}

Result<const FlatFormat*> flat_format_of(const ByteSource& source) {
  std::array<std::byte, 64> front = {};
  std::array<std::byte, 256> back = {};
  const uint64_t size = source.size_bytes();
  const FileEnds ends = {std::span(front).first(std::min<uint64_t>(size, front.size())),
                         std::span(back).first(std::min<uint64_t>(size, back.size())), size};
  SKL_TRY_DO(source.read_at(0, std::span(front).first(ends.front.size())));
  SKL_TRY_DO(source.read_at(size - ends.back.size(), std::span(back).first(ends.back.size())));
  const auto found = std::ranges::find_if(
      kFlatFormats, [&](const FlatFormat* format) { return format->may_be(ends); });
  return found == std::end(kFlatFormats) ? nullptr : *found;
}

Result<std::optional<FlatDirectory>> read_flat_directory(const ByteSource& source) {
  SKL_TRY(const FlatFormat* format, flat_format_of(source));
  if (format == nullptr) return std::nullopt;
  auto directory = format->read(source);
  if (!directory && directory.error().kind == ErrorKind::damaged)
    directory = FlatDirectory{.obstacle = directory.error().message};
  if (!directory || !*directory) return directory;
  (*directory)->format = format;
  if (format->write != nullptr && (*directory)->obstacle.empty() &&
      ((*directory)->data_begin_bytes > kMostAroundBytes ||
       source.size_bytes() - (*directory)->data_end_bytes > kMostAroundBytes))
    (*directory)->obstacle = "too much of it lies around its data to be held in memory";
  if (!(*directory)->obstacle.empty()) (*directory)->entries.clear();
  for (FlatEntry& entry : (*directory)->entries)
    if (lacks_its_data(entry)) entry.stored_as = "no data, but the checksum of some";
  return directory;
}

Result<std::string> obstacle_between_data(const ByteSource& source,
                                          const FlatDirectory& directory) {
  for (const auto& [begin_bytes, end_bytes] : directory.gaps) {
    SKL_TRY(const auto belongs_to_none, is_gap(source, begin_bytes, end_bytes, directory.filler));
    if (!belongs_to_none)
      return fmt::format("there is something before byte {} that belongs to no entry", end_bytes);
  }
  return "";
}

Result<std::string> obstacle_to_taking_apart(const ByteSource& source,
                                             const FlatDirectory& directory) {
  if (!directory.obstacle.empty()) return directory.obstacle;
  if (directory.entries.empty()) return "its directory lists no file";
  if (!directory.take_apart_obstacle.empty()) return directory.take_apart_obstacle;
  SKL_TRY(auto between, obstacle_between_data(source, directory));
  if (!between.empty()) return between;
  for (const auto& [begin_bytes, end_bytes] : directory.unused) {
    if (begin_bytes >= end_bytes) continue;
    SKL_TRY(const auto belongs_to_none, is_gap(source, begin_bytes, end_bytes, directory.filler));
    if (!belongs_to_none)
      return fmt::format("bytes {} to {} hold something that belongs to no entry", begin_bytes,
                         end_bytes);
  }
  return "";
}

Result<std::vector<ChangedField>> changed_fields(const ByteSource& source,
                                                 const FlatDirectory& directory,
                                                 const FlatPlaces& places) {
  std::vector<ChangedField> fields;
  for (size_t i = 0; i < directory.entries.size(); ++i) {
    const FlatEntry& entry = directory.entries[i];
    fields.push_back({entry.offset_field, places.offset_bytes[i] - entry.base_bytes});
  }
  const uint64_t grown = places.data_end_bytes - directory.data_end_bytes;  // modulo 2^64
  for (const FlatField& field : directory.moving_fields) {
    uint64_t value = 0;
    SKL_TRY_DO(source.read_at(
        field.at_bytes, std::as_writable_bytes(std::span(&value, 1)).first(field.width_bytes)));
    fields.push_back({field, value + grown});
  }
  std::ranges::sort(fields, {}, [](const ChangedField& changed) { return changed.field.at_bytes; });
  return fields;
}

Result<std::string> bytes_at(const ByteSource& source, uint64_t at_bytes, uint64_t count) {
  std::string bytes(count, '\0');
  SKL_TRY_DO(source.read_at(at_bytes, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

Result<void> visit_bytes(const ByteSource& source, uint64_t begin_bytes, uint64_t end_bytes,
                         const std::function<void(std::span<const std::byte>)>& visit) {
  std::vector<std::byte> piece(std::min(kPieceBytes, end_bytes - begin_bytes));
  while (begin_bytes < end_bytes) {
    const auto part =
        std::span(piece).first(std::min<uint64_t>(piece.size(), end_bytes - begin_bytes));
    SKL_TRY_DO(source.read_at(begin_bytes, part));
    visit(part);
    begin_bytes += part.size();
  }
  return {};
}

Result<void> visit_new_data(const ByteSource& source, const FlatDirectory& directory,
                            const FlatPlaces& places,
                            const std::function<void(std::span<const std::byte>)>& visit) {
  std::vector<size_t> order;
  for (size_t i = 0; i < directory.entries.size(); ++i)
    if (directory.entries[i].size_bytes > 0) order.push_back(i);
  std::ranges::sort(order, {}, [&](size_t i) { return places.offset_bytes[i]; });
  uint64_t at = directory.data_begin_bytes;
  for (const size_t i : order) {
    if (places.offset_bytes[i] < at) continue;  // shares the data of the entry before
    visit(std::vector<std::byte>(places.offset_bytes[i] - at));
    const FlatEntry& entry = directory.entries[i];
    SKL_TRY_DO(
        visit_bytes(source, entry.offset_bytes, entry.offset_bytes + entry.size_bytes, visit));
    at = places.offset_bytes[i] + entry.size_bytes;
  }
  return {};
}

Result<std::string> with_new_places(const ByteSource& source, const FlatDirectory& directory,
                                    const FlatPlaces& places, uint64_t begin_bytes,
                                    uint64_t end_bytes) {
  SKL_TRY(const auto fields, changed_fields(source, directory, places));
  SKL_TRY(std::string bytes, bytes_at(source, begin_bytes, end_bytes - begin_bytes));
  for (const auto& [field, value] : fields)
    if (field.at_bytes >= begin_bytes && field.at_bytes < end_bytes)
      std::memcpy(bytes.data() + (field.at_bytes - begin_bytes), &value, field.width_bytes);
  return bytes;
}

}  // namespace seekless
