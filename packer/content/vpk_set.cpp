#include "packer/content/vpk_set.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/content/internal/vpk_tree.h"
#include "packer/host/folder_walk.h"
#include "packer/words/counted.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

// The tree and all checksums are in memory at once.
constexpr uint64_t kMostSetBytes = uint64_t{512} << 20;
constexpr uint32_t kMostSetAlignmentBytes = 4096;
constexpr uint64_t kChecksumLengthAt = 16;
// Number of the part, offset, length (4 bytes each), MD5.
constexpr size_t kPieceSumBytes = 12 + kMd5Bytes;
// Places of a record's fields.
constexpr size_t kPartAt = 6, kOffsetAt = 8;

// The name of a set's directory ends in "_dir.vpk". Its parts have a number instead of "dir".
constexpr std::string_view kSetEnding = "_dir.vpk";
constexpr size_t kExtensionBytes = 4;

bool has_name_of_set(std::string_view path) {
  return path.size() > kSetEnding.size() &&
         compare_folded(path.substr(path.size() - kSetEnding.size()), kSetEnding) == 0;
}

// Returns the part's number if a file beside the directory `directory` has the name of a part.
std::optional<uint16_t> number_of_part(const std::string& name, const std::string& directory) {
  const size_t front_bytes = directory.size() - kSetEnding.size() + 1;
  if (name.size() < front_bytes + 3 + kExtensionBytes) return std::nullopt;
  uint16_t number = 0;
  const char* end = name.data() + name.size() - kExtensionBytes;
  const auto [stop, error] = std::from_chars(name.data() + front_bytes, end, number);
  if (error != std::errc() || stop != end || number > kMostVpkPart) return std::nullopt;
  if (vpk_part_path(directory, number) != name) return std::nullopt;
  return number;
}

Result<void> read_tree(const ByteSource& directory, VpkSet& set) {
  DirectoryCursor cursor(directory, 0, directory.size_bytes());
  SKL_TRY(set.header, read_vpk_header(cursor));
  if (set.header.version != 1 && set.header.version != 2) {
    set.obstacle = fmt::format("a .vpk of version {}; 1 and 2 are understood", set.header.version);
    return {};
  }
  const auto add = [&](VpkRecord&& record) {
    if (record.size_bytes > 0 && record.file > kMostVpkPart + 1)
      set.obstacle = fmt::format("its entry '{}' lies in part {}; the last one possible is {}",
                                 record.path, record.file, kMostVpkPart);
    set.records.push_back(std::move(record));
  };
  SKL_TRY_DROP(visit_vpk_records(directory, set.header, add));
  set.is_tree_read = true;
  for (uint32_t i = 0; i < set.records.size(); ++i)
    if (set.records[i].is_in_part()) set.entries.push_back(i);
  std::ranges::stable_sort(set.entries, {}, [&](uint32_t i) { return set.records[i].file; });
  return {};
}

std::string obstacle_of_header(const VpkHeader& header, uint64_t size_bytes) {
  const uint64_t data_end_bytes = header.base_bytes() + header.data_bytes;
  if (header.signature_bytes > 0) return "it is signed";
  if (header.other_checksum_bytes != 0 && header.other_checksum_bytes != 3 * kMd5Bytes)
    return "checksums that aren't understood";
  if (header.base_bytes() > size_bytes ||
      (header.version == 2 &&
       data_end_bytes + header.checksum_bytes + header.other_checksum_bytes != size_bytes))
    return "the lengths in its header don't add up to its own";
  if (header.base_bytes() + header.checksum_bytes > kMostSetBytes)
    return "its directory is too large to be held in memory";
  return {};
}

// Finds the parts that lie beside the directory. If another directory names them, too, sets an
// obstacle.
Result<void> find_parts(const std::string& path, VpkSet& set) {
  const std::string directory(file_name(path));
  const std::string folder = path.substr(0, path.size() - directory.size());
  const auto add = [&](const FoundFile& file) -> Result<void> {
    const std::string& name = file.relative_path;
    if (name != directory && compare_folded(name, directory) == 0)
      set.obstacle = fmt::format("'{}' names the files beside it, too", name);
    if (const auto number = number_of_part(name, directory); number && !file.leads_nowhere)
      set.parts.push_back(
          {.number = *number, .path = folder + name, .size_bytes = file.size_bytes});
    return {};
  };
  const FolderVisitor visitor = {
      .visit = add,
      .skips = [](const std::string&) { return true; },
      .leads_back = [](const std::string&, const std::string&) { return Result<void>(); }};
  SKL_TRY_DO(visit_tree(folder.empty() ? "." : folder, visitor));
  std::ranges::sort(set.parts, {}, &VpkPart::number);
  return {};
}

// Deals the entries to the parts. Returns an obstacle if an entry's part is missing.
std::string deal_entries(const std::string& path, VpkSet& set) {
  auto part = set.parts.begin();
  for (uint32_t number = 0; number < set.entries.size(); ++number) {
    const VpkRecord& entry = set.entry(number);
    while (part != set.parts.end() && part->number < entry.file) ++part;
    if (part == set.parts.end() || part->number != entry.file)
      return fmt::format("'{}', with the data of its entry '{}', is missing",
                         vpk_part_path(path, entry.file), entry.path);
    ++part->entry_count;
  }
  uint32_t first = 0;
  for (VpkPart& each : set.parts) {
    each.first_entry = first;
    first += each.entry_count;
  }
  return {};
}

// Entries may share data, but overlap in no other way.
std::string obstacle_in_part(const VpkPart& part, const VpkSet& set) {
  std::vector<const VpkRecord*> entries;
  for (uint32_t i = 0; i < part.entry_count; ++i)
    entries.push_back(&set.entry(part.first_entry + i));
  std::ranges::sort(entries, {}, [](const VpkRecord* entry) {
    return std::pair(entry->offset_bytes, entry->size_bytes);
  });
  const VpkRecord* last = nullptr;
  for (const VpkRecord* entry : entries) {
    const uint64_t end_bytes = uint64_t{entry->offset_bytes} + entry->size_bytes;
    if (end_bytes > part.size_bytes)
      return fmt::format("entry '{}' ends at byte {} of '{}', which has only {}", entry->path,
                         end_bytes, file_name(part.path), counted(part.size_bytes, "byte"));
    const bool is_over =
        last != nullptr && entry->offset_bytes < uint64_t{last->offset_bytes} + last->size_bytes;
    const bool is_same = is_over && entry->offset_bytes == last->offset_bytes &&
                         entry->size_bytes == last->size_bytes;
    if (is_over && !is_same)
      return fmt::format("entry '{}' lies in part over '{}' in '{}'", entry->path, last->path,
                         file_name(part.path));
    last = entry;
  }
  return {};
}

uint32_t alignment_of_set(const VpkSet& set) {
  uint32_t bits = kMostSetAlignmentBytes;
  for (size_t i = 0; i < set.entries.size(); ++i) bits |= set.entry(i).offset_bytes;
  return uint32_t{1} << std::countr_zero(bits);
}

std::string obstacle_of_parts(const std::string& path, VpkSet& set) {
  if (std::string obstacle = deal_entries(path, set); !obstacle.empty()) return obstacle;
  for (const VpkPart& part : set.parts)
    if (std::string obstacle = obstacle_in_part(part, set); !obstacle.empty()) return obstacle;
  return {};
}

void put(std::string& bytes, uint64_t at_bytes, const auto& value) {
  std::memcpy(bytes.data() + at_bytes, &value, sizeof(value));
}

Result<std::string> checksums_of_pieces(const ByteSource& directory, const VpkSet& set) {
  return bytes_at(directory, set.data_end_bytes, set.header.checksum_bytes);
}

std::string text_of_sum(const VpkPieceSum& sum) {
  std::string text(kPieceSumBytes, '\0');
  put(text, 0, uint32_t{sum.part});
  put(text, 4, sum.offset_bytes);
  put(text, 8, sum.length_bytes);
  put(text, 12, sum.md5);
  return text;
}

// Returns these checksums of pieces without those of some parts.
std::string without_parts(const std::string& sums, const std::vector<uint16_t>& parts) {
  std::string kept;
  for (size_t at = 0; at < sums.size(); at += kPieceSumBytes)
    if (std::ranges::find(parts, load<uint32_t>(bytes_of(sums), at)) == parts.end())
      kept += sums.substr(at, kPieceSumBytes);
  return kept;
}

// Returns the MD5s at the end of a directory with these parts around its data.
Result<std::string> checksums_around(const ByteSource& directory, const VpkSet& set,
                                     const VpkHeader& header, std::string_view front,
                                     std::string_view pieces) {
  if (header.other_checksum_bytes == 0) return std::string();
  const auto visit_data = [&](const VisitBytes& visit) {
    return visit_bytes(directory, set.header.base_bytes(), set.data_end_bytes, visit);
  };
  return vpk_checksums(header, front, visit_data, pieces);
}

}  // namespace

std::string vpk_part_path(const std::string& path, uint16_t number) {
  const size_t ending = path.size() - kSetEnding.size() + 1;
  return fmt::format("{}{:03}{}", path.substr(0, ending), number,
                     path.substr(path.size() - kExtensionBytes));
}

Result<std::optional<VpkSet>> read_vpk_set(const ByteSource& directory, const std::string& path) {
  constexpr size_t kLeastBytes = 12;
  if (!has_name_of_set(path) || directory.size_bytes() < kLeastBytes) return std::nullopt;
  SKL_TRY(const std::string magic, bytes_at(directory, 0, kVpkMagic.size()));
  if (magic != kVpkMagic) return std::nullopt;
  VpkSet set;
  const auto read = read_tree(directory, set);
  if (!read && read.error().kind != ErrorKind::damaged) return std::unexpected(read.error());
  if (!read) set.obstacle = read.error().message;
  if (set.is_tree_read && set.entries.empty()) return std::nullopt;
  if (!set.obstacle.empty()) return set;
  set.data_end_bytes = set.header.version == 1 ? directory.size_bytes()
                                               : set.header.base_bytes() + set.header.data_bytes;
  SKL_TRY_DO(find_parts(path, set));
  if (set.obstacle.empty()) set.obstacle = obstacle_of_header(set.header, directory.size_bytes());
  if (set.obstacle.empty()) set.obstacle = obstacle_of_parts(path, set);
  set.alignment_bytes = alignment_of_set(set);
  if (!set.obstacle.empty()) return set;
  const auto pieces = vpk_piece_bytes(directory, set);
  if (!pieces && pieces.error().kind != ErrorKind::damaged) return std::unexpected(pieces.error());
  if (!pieces) set.obstacle = pieces.error().message;
  return set;
}

bool have_same_files(const VpkSet& a, const VpkSet& b) {
  return std::ranges::equal(a.records, b.records, [](const VpkRecord& one, const VpkRecord& other) {
    return one.path == other.path && one.crc32 == other.crc32 &&
           one.first_bytes == other.first_bytes && one.size_bytes == other.size_bytes;
  });
}

Result<std::string> first_bytes_of(const ByteSource& directory, const VpkRecord& record) {
  return bytes_at(directory, record.at_bytes + kVpkRecordBytes, record.first_bytes);
}

Result<uint32_t> vpk_piece_bytes(const ByteSource& directory, const VpkSet& set) {
  SKL_TRY(const std::string sums, checksums_of_pieces(directory, set));
  uint32_t longest = 0;
  for (size_t at = 0; at + kPieceSumBytes <= sums.size(); at += kPieceSumBytes)
    longest = std::max(longest, load<uint32_t>(bytes_of(sums), at + 8));
  if (sums.size() % kPieceSumBytes == 0 && (sums.empty() || longest > 0)) return longest;
  return damaged({.file = directory.name(),
                  .place = "checksums of pieces of its data",
                  .expected = fmt::format("{} bytes for each piece", kPieceSumBytes),
                  .found = "others"});
}

Result<void> check_vpk_directory(const ByteSource& directory, const VpkSet& set) {
  const VpkHeader& header = set.header;
  SKL_TRY(const std::string front, bytes_at(directory, 0, header.base_bytes()));
  SKL_TRY(const std::string pieces, checksums_of_pieces(directory, set));
  SKL_TRY(const std::string expected, checksums_around(directory, set, header, front, pieces));
  SKL_TRY(const std::string found, bytes_at(directory, set.data_end_bytes + header.checksum_bytes,
                                            header.other_checksum_bytes));
  if (found == expected) return {};
  return damaged({.file = directory.name(),
                  .place = "checksums at its end",
                  .expected = "those of its tree and of all of it",
                  .found = "others",
                  .advice = "the archive is damaged: get it again"});
}

Result<FlatAround> new_vpk_directory(const ByteSource& directory, const VpkSet& set,
                                     const VpkChanges& changes) {
  FlatAround around;
  SKL_TRY(around.front, bytes_at(directory, 0, set.header.base_bytes()));
  for (const auto& [number, place] : changes.places) {
    put(around.front, set.entry(number).at_bytes + kPartAt, place.part);
    put(around.front, set.entry(number).at_bytes + kOffsetAt, place.offset_bytes);
  }
  if (set.header.version == 1) return around;
  SKL_TRY(const std::string old_sums, checksums_of_pieces(directory, set));
  around.back = without_parts(old_sums, changes.gone);
  for (const VpkPieceSum& sum : changes.sums) around.back += text_of_sum(sum);
  VpkHeader header = set.header;
  header.checksum_bytes = around.back.size();
  put(around.front, kChecksumLengthAt, static_cast<uint32_t>(header.checksum_bytes));
  SKL_TRY(const std::string checksums,
          checksums_around(directory, set, header, around.front, around.back));
  around.back += checksums;
  return around;
}

}  // namespace seekless
