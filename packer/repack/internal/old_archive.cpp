#include "packer/repack/internal/old_archive.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "packer/content/asset_stream.h"
#include "packer/repack/internal/first_entries.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

constexpr uint16_t kStrongEncryption = 1U << 6;
constexpr uint16_t kMaskedHeaders = 1U << 13;
constexpr uint16_t kPatchedData = 1U << 5;
constexpr size_t kCopiedAtOnceBytes = size_t{64} << 10;

// This marks the end of a block of signatures over the whole file, right before the directory ("APK
// Signature Scheme v2" at source.android.com).
constexpr std::string_view kSigningMagic = "APK Sig Block 42";

// Returns the reason if the archive as a whole can't be rewritten; otherwise an empty text.
std::string obstacle_of(const ByteSource& source, const ZipDirectory& directory) {
  if (directory.entry_count() == 0) return "it has no entries";
  if (directory.is_in_front())
    return "its directory lies in front of its entries, in Firefox's order: that is what its own "
           "tools make";
  if (directory.trailing_bytes() > 0)
    return fmt::format("{} bytes after its end belong to nothing", directory.trailing_bytes());
  const ZipEntry last = directory.entry(directory.entry_count() - 1);
  const uint64_t records_end = last.record_offset_bytes + runtime::kZipRecordBytes +
                               last.raw_name.size() + last.raw_extra.size() +
                               last.raw_comment.size();
  const uint64_t directory_end = directory.offset_bytes() + directory.size_bytes();
  if (records_end < directory_end) return "its directory is signed, or followed by other data";
  if (directory_end != directory.end_offset_bytes()) return "other data lie after its directory";
  const uint64_t end_bytes = source.size_bytes() - directory.end_offset_bytes();
  const uint64_t known_bytes =
      runtime::kZipEndBytes + directory.comment().size() +
      (directory.is_zip64() ? runtime::kZip64EndBytes + runtime::kZip64LocatorBytes : 0);
  if (end_bytes != known_bytes) return "its end record holds data of an unknown kind";
  return {};
}

std::string obstacle_of(const ZipEntry& entry) {
  if ((entry.flags & (kStrongEncryption | kMaskedHeaders)) != 0)
    return fmt::format("{} is encrypted together with its place in the archive", place_of(entry));
  if ((entry.flags & kPatchedData) != 0)
    return fmt::format("{} is a patch to other data", place_of(entry));
  return {};
}

Result<bool> is_signed(const ByteSource& source, const ZipDirectory& directory) {
  std::array<std::byte, kSigningMagic.size()> bytes = {};
  if (directory.offset_bytes() < bytes.size()) return false;
  SKL_TRY_DO(source.read_at(directory.offset_bytes() - bytes.size(), bytes));
  return text_of(bytes) == kSigningMagic;
}

// Returns the size of the data descriptor that begins the bytes after an entry's data, or 0 if
// there is none. It may have a signature, and sizes of 32 or 64 bits.
size_t descriptor_bytes(std::span<const std::byte> bytes, const ZipEntry& entry) {
  const bool has_signature =
      bytes.size() >= 4 && load<uint32_t>(bytes, 0) == runtime::kZipDescriptorSignature;
  for (const size_t skipped : {has_signature ? size_t{4} : size_t{0}, size_t{0}}) {
    const auto fields = bytes.subspan(skipped);
    if (fields.size() < 12 || load<uint32_t>(fields, 0) != entry.crc32) continue;
    // The longer form comes first, because for an empty entry it begins like the short one.
    if (fields.size() >= 20 && load<uint64_t>(fields, 4) == entry.stored_bytes &&
        load<uint64_t>(fields, 12) == entry.size_bytes)
      return skipped + 20;
    if (load<uint32_t>(fields, 4) == static_cast<uint32_t>(entry.stored_bytes) &&
        load<uint32_t>(fields, 8) == static_cast<uint32_t>(entry.size_bytes))
      return skipped + 12;
  }
  return 0;
}

// Returns the place of the first byte in [begin, end) that isn't zero; `end` if all are zero.
Result<uint64_t> first_nonzero(const ByteSource& source, uint64_t begin, uint64_t end) {
  std::vector<std::byte> piece;
  for (uint64_t at = begin; at < end; at += piece.size()) {
    piece.resize(std::min<uint64_t>(kCopiedAtOnceBytes, end - at));
    SKL_TRY_DO(source.read_at(at, piece));
    const auto found = std::ranges::find_if(piece, [](std::byte b) { return b != std::byte{0}; });
    if (found != piece.end()) return at + static_cast<uint64_t>(found - piece.begin());
  }
  return end;
}

// Checks that only padding lies between an entry's data and its limit. If there are other bytes,
// returns a text about them.
Result<std::string> check_gap(const ByteSource& source, const ZipEntry& entry, uint64_t data_end) {
  std::array<std::byte, 24> bytes = {};
  const uint64_t gap = entry.limit_bytes - data_end;
  const auto start = std::span(bytes).first(std::min<uint64_t>(gap, bytes.size()));
  if (start.empty()) return std::string();
  SKL_TRY_DO(source.read_at(data_end, start));
  SKL_TRY(const auto foreign,
          first_nonzero(source, data_end + descriptor_bytes(start, entry), entry.limit_bytes));
  if (foreign == entry.limit_bytes) return std::string();
  return fmt::format("the bytes from {} on, after {}, belong to no entry", foreign,
                     place_of(entry));
}

// Returns where the entry's data end.
Result<uint64_t> find_data(const std::shared_ptr<const ByteSource>& source, const ZipEntry& entry,
                           size_t index, OldArchive& archive) {
  SKL_TRY(const auto data, read_local_header(source, entry));
  archive.data_offset_bytes[index] = data.offset_bytes;
  archive.local_extra_bytes[index] = static_cast<uint16_t>(
      data.offset_bytes - entry.header_offset_bytes - kLocalHeaderBytes - entry.raw_name.size());
  return data.offset_bytes + data.stored_bytes;
}

Result<std::string> survey_entry(const std::shared_ptr<const ByteSource>& source,
                                 const ZipEntry& entry, size_t index, OldArchive& archive) {
  SKL_TRY(const auto data_end, find_data(source, entry, index, archive));
  return check_gap(*source, entry, data_end);
}

void note_what_stays(const ZipDirectory& directory, OldArchive& archive) {
  archive.first_entries =
      count_first(archive.by_place, [&](uint32_t i) { return directory.entry(i).raw_name; });
  archive.is_first.resize(directory.entry_count());
  for (size_t i = 0; i < archive.first_entries; ++i) archive.is_first[archive.by_place[i]] = true;
  for (uint32_t i = 0; i < directory.entry_count(); ++i) {
    const ZipEntry entry = directory.entry(i);
    if (entry.method == zip_method::kStored && entry.size_bytes > 0 && !archive.is_first[i])
      archive.alignment.add(archive.data_offset_bytes[i]);
  }
}

}  // namespace

Result<std::string> directory_obstacle(const ByteSource& source, const ZipDirectory& directory) {
  if (std::string obstacle = obstacle_of(source, directory); !obstacle.empty()) return obstacle;
  SKL_TRY(const auto has_signature, is_signed(source, directory));
  if (has_signature)
    return "a signature over all of its bytes lies before its directory (Android's, of version 2 "
           "or later), which would be void";
  for (size_t i = 0; i < directory.entry_count(); ++i)
    if (std::string obstacle = obstacle_of(directory.entry(i)); !obstacle.empty()) return obstacle;
  return std::string();
}

bool is_movable(const ZipEntry& entry) {
  return (entry.flags & (kStrongEncryption | kMaskedHeaders | kPatchedData)) == 0;
}

Result<OldArchive> survey_entries(const std::shared_ptr<const ByteSource>& source,
                                  const ZipDirectory& directory, std::vector<uint32_t> entries) {
  OldArchive archive;
  archive.data_offset_bytes.resize(directory.entry_count());
  archive.local_extra_bytes.resize(directory.entry_count());
  archive.is_first.resize(directory.entry_count());
  std::ranges::sort(entries, {},
                    [&](uint32_t i) { return directory.entry(i).header_offset_bytes; });
  for (const uint32_t index : entries)
    SKL_TRY_DROP(find_data(source, directory.entry(index), index, archive));
  archive.by_place = std::move(entries);
  return archive;
}

Result<OldArchive> survey_archive(const std::shared_ptr<const ByteSource>& source,
                                  const ZipDirectory& directory) {
  OldArchive archive;
  SKL_TRY(auto obstacle, directory_obstacle(*source, directory));
  archive.obstacle = std::move(obstacle);
  if (!archive.obstacle.empty()) return archive;
  const size_t count = directory.entry_count();
  archive.data_offset_bytes.resize(count);
  archive.local_extra_bytes.resize(count);
  std::vector<uint64_t> header_offsets(count);
  for (size_t i = 0; i < count; ++i) header_offsets[i] = directory.entry(i).header_offset_bytes;
  archive.by_place.resize(count);
  std::iota(archive.by_place.begin(), archive.by_place.end(), 0);
  std::ranges::sort(archive.by_place, {}, [&](uint32_t i) { return header_offsets[i]; });
  archive.prefix_bytes = header_offsets[archive.by_place.front()];
  for (const uint32_t index : archive.by_place) {
    SKL_TRY(auto gap, survey_entry(source, directory.entry(index), index, archive));
    if (gap.empty()) continue;
    archive.obstacle = std::move(gap);
    return archive;
  }
  note_what_stays(directory, archive);
  return archive;
}

Result<std::string> local_extra(const ByteSource& source, const OldArchive& archive, size_t entry) {
  std::string extra(archive.local_extra_bytes[entry], '\0');
  SKL_TRY_DO(source.read_at(archive.data_offset_bytes[entry] - extra.size(),
                            std::as_writable_bytes(std::span(extra))));
  return extra;
}

}  // namespace seekless
