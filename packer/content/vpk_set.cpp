#include "packer/content/vpk_set.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/content/internal/file_ending.h"
#include "packer/content/internal/vpk_tree.h"
#include "packer/host/folder_entries.h"
#include "packer/words/counted.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

// The tree and all checksums are in memory at once.
constexpr uint64_t kMostSetBytes = uint64_t{64} << 20;
constexpr uint32_t kMostSetAlignmentBytes = 4096;
constexpr uint64_t kChecksumLengthAt = 16;
// Number of the part, offset, length (4 bytes each), MD5.
constexpr size_t kPieceSumBytes = 12 + kMd5Bytes;
// Valve's pieces have a megabyte. The checksums of much shorter ones would take much room.
constexpr uint32_t kUsualPieceBytes = 1 << 20, kLeastPieceBytes = 1 << 16;
// Places of a record's fields.
constexpr size_t kPartAt = 6, kOffsetAt = 8;

// The name of a set's directory ends in "_dir.vpk". Its parts have a number instead of "dir".
constexpr std::string_view kSetEnding = "_dir.vpk";
constexpr size_t kExtensionBytes = 4;

// Returns the part's number if a name beside the directory `directory` is that of a part, but for
// capital letters.
std::optional<uint16_t> number_of_part(const std::string& name, const std::string& directory) {
  const size_t digits_at = name.rfind('_') + 1;  // 0 if there is none
  if (digits_at == 0 || name.size() < digits_at + kExtensionBytes) return std::nullopt;
  uint16_t number = 0;
  const char* end = name.data() + name.size() - kExtensionBytes;
  const auto [stop, error] = std::from_chars(name.data() + digits_at, end, number);
  if (error != std::errc() || stop != end || number > kMostVpkPart) return std::nullopt;
  if (compare_folded(vpk_part_path(directory, number), name) != 0) return std::nullopt;
  return number;
}

Result<void> read_tree(const ByteSource& directory, VpkSet& set) {
  DirectoryCursor cursor(directory, 0, directory.size_bytes());
  SKL_TRY(set.header, read_vpk_header(cursor));
  if (set.header.version != 1 && set.header.version != 2) {
    set.obstacle = fmt::format("a .vpk of version {}; 1 and 2 are understood", set.header.version);
    set.fit = FitOfParts::unknown;
    return {};
  }
  if (set.header.base_bytes() + set.header.checksum_bytes > kMostSetBytes) {
    set.obstacle = "its directory is too large to be held in memory";
    set.fit = FitOfParts::unknown;
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

std::string obstacle_of_lengths(const VpkHeader& header, uint64_t size_bytes) {
  const uint64_t end_bytes = header.base_bytes() + header.data_bytes + header.checksum_bytes +
                             header.other_checksum_bytes + header.signature_bytes;
  if (header.version == 1 ? end_bytes <= size_bytes : end_bytes == size_bytes) return {};
  return "the lengths in its header don't add up to its own";
}

std::string obstacle_of_header(const VpkHeader& header) {
  if (header.signature_bytes > 0) return "it is signed";
  if (header.other_checksum_bytes != 0 && header.other_checksum_bytes != 3 * kMd5Bytes)
    return "checksums that aren't understood";
  return {};
}

std::pair<uint16_t, uint32_t> place_of_piece(const VpkPieceSum& sum) {
  return {sum.part, sum.offset_bytes};
}

// Returns an obstacle if the checksums can't be continued for new parts. Engines search them by
// part and offset, so these must ascend.
std::string take_sums(std::string_view text, VpkSet& set) {
  if (text.size() % kPieceSumBytes != 0)
    return fmt::format("checksums of pieces that aren't {} bytes each", kPieceSumBytes);
  const auto bytes = bytes_of(text);
  bool are_whole_parts = true;
  for (size_t at = 0; at < text.size(); at += kPieceSumBytes) {
    const auto part = load<uint32_t>(bytes, at);
    // The upper half says what kind of checksum it is, if it isn't an MD5.
    if (part > kMostVpkPart + 1) return "checksums of pieces that aren't MD5s of parts";
    VpkPieceSum sum = {.part = static_cast<uint16_t>(part),
                       .offset_bytes = load<uint32_t>(bytes, at + 4),
                       .length_bytes = load<uint32_t>(bytes, at + 8)};
    std::memcpy(&sum.md5, text.data() + at + 12, sizeof(sum.md5));
    if (!set.sums.empty() && place_of_piece(sum) <= place_of_piece(set.sums.back()))
      return "checksums of pieces that aren't in order";
    if (sum.offset_bytes > 0) are_whole_parts = false;
    set.piece_bytes = std::max(set.piece_bytes, sum.length_bytes);
    set.sums.push_back(sum);
  }
  if (set.sums.empty()) return {};
  if (are_whole_parts) set.piece_bytes = std::max(set.piece_bytes, kUsualPieceBytes);
  if (set.piece_bytes >= kLeastPieceBytes) return {};
  return fmt::format("checksums of pieces of {} bytes, fewer than {}", set.piece_bytes,
                     kLeastPieceBytes);
}

// Finds the parts that lie beside the directory, and the numbers that are taken. If another
// directory names the parts, too, sets an obstacle.
Result<void> find_parts(const std::string& path, VpkSet& set) {
  const std::string directory(file_name(path));
  const std::string folder = path.substr(0, path.size() - directory.size());
  SKL_TRY(const auto entries, list_folder(folder.empty() ? "." : folder));
  for (const FolderEntry& entry : entries) {
    const std::string& name = entry.name;
    if (!entry.is_folder && name != directory && compare_folded(name, directory) == 0)
      set.obstacle = fmt::format("'{}' names the files beside it, too", name);
    const auto number = number_of_part(name, directory);
    if (!number) continue;
    set.taken.push_back(*number);
    if (!entry.is_folder && !entry.leads_nowhere && name == vpk_part_path(directory, *number))
      set.parts.push_back(
          {.number = *number, .path = folder + name, .size_bytes = entry.size_bytes});
  }
  std::ranges::sort(set.taken);
  std::ranges::sort(set.parts, {}, &PartOfSet::number);
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
  for (PartOfSet& each : set.parts) {
    each.first_entry = first;
    first += each.entry_count;
  }
  return {};
}

// Returns an obstacle if the entry ends behind the end of its data's file.
std::string obstacle_of_end(const VpkRecord& entry, uint64_t base_bytes, const std::string& file,
                            uint64_t file_end_bytes) {
  const uint64_t end_bytes = base_bytes + entry.offset_bytes + entry.size_bytes;
  if (end_bytes <= file_end_bytes) return {};
  return fmt::format("entry '{}' ends at byte {} of '{}', which has only {}", entry.path, end_bytes,
                     file_name(file), counted(file_end_bytes, "byte"));
}

// Returns an obstacle unless all data that the tree names are there.
std::string obstacle_of_places(const std::string& path, VpkSet& set) {
  std::string obstacle = deal_entries(path, set);
  for (const VpkRecord& record : set.records)
    if (obstacle.empty() && record.size_bytes > 0 && !record.is_in_part())
      obstacle = obstacle_of_end(record, set.header.base_bytes(), path, set.data_end_bytes);
  for (const PartOfSet& part : set.parts)
    for (uint32_t i = 0; obstacle.empty() && i < part.entry_count; ++i)
      obstacle = obstacle_of_end(set.entry(part.first_entry + i), 0, part.path, part.size_bytes);
  return obstacle;
}

// Entries may share data, but overlap in no other way.
std::string overlap_in_part(const PartOfSet& part, const VpkSet& set) {
  std::vector<const VpkRecord*> entries;
  for (uint32_t i = 0; i < part.entry_count; ++i)
    entries.push_back(&set.entry(part.first_entry + i));
  std::ranges::sort(entries, {}, [](const VpkRecord* entry) {
    return std::pair(entry->offset_bytes, entry->size_bytes);
  });
  const VpkRecord* last = nullptr;
  for (const VpkRecord* entry : entries) {
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

std::string overlap_in_set(const VpkSet& set) {
  for (const PartOfSet& part : set.parts)
    if (std::string overlap = overlap_in_part(part, set); !overlap.empty()) return overlap;
  return {};
}

void note_named_parts(VpkSet& set) {
  for (PartOfSet& part : set.parts)
    part.is_named = part.entry_count > 0 ||
                    std::ranges::binary_search(set.sums, part.number, {}, &VpkPieceSum::part);
}

void put(std::string& bytes, uint64_t at_bytes, const auto& value) {
  std::memcpy(bytes.data() + at_bytes, &value, sizeof(value));
}

std::string text_of_sum(const VpkPieceSum& sum) {
  std::string text(kPieceSumBytes, '\0');
  put(text, 0, uint32_t{sum.part});
  put(text, 4, sum.offset_bytes);
  put(text, 8, sum.length_bytes);
  put(text, 12, sum.md5);
  return text;
}

std::string text_of_sums(const std::vector<VpkPieceSum>& sums) {
  std::string text;
  for (const VpkPieceSum& sum : sums) text += text_of_sum(sum);
  return text;
}

// Returns the new directory's checksums of pieces, in their order.
std::vector<VpkPieceSum> new_sums(const VpkSet& set, const VpkChanges& changes) {
  std::vector<VpkPieceSum> sums = changes.sums;
  for (const VpkPieceSum& sum : set.sums)
    if (std::ranges::find(changes.gone, sum.part) == changes.gone.end()) sums.push_back(sum);
  std::ranges::sort(sums, {}, place_of_piece);
  return sums;
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

std::string vpk_part_path(const std::string& path, uint32_t number) {
  const size_t ending = path.size() - kSetEnding.size() + 1;
  return fmt::format("{}{:03}{}", path.substr(0, ending), number,
                     path.substr(path.size() - kExtensionBytes));
}

bool has_name_of_vpk_set(std::string_view path) {
  return path.size() > kSetEnding.size() && has_ending(path, kSetEnding);
}

std::string vpk_directory_of(const std::string& part_path) {
  constexpr size_t kLeastDigits = 3;
  const size_t digits_at = part_path.rfind('_') + 1;  // 0 if there is none
  if (digits_at == 0 || part_path.size() < digits_at + kLeastDigits + kExtensionBytes) return {};
  const size_t digits_end = part_path.size() - kExtensionBytes;
  const bool are_digits = part_path.find_first_not_of("0123456789", digits_at) == digits_end;
  if (!are_digits || !has_ending(part_path, kSetEnding.substr(kSetEnding.size() - kExtensionBytes)))
    return {};
  return part_path.substr(0, digits_at - 1) + std::string(kSetEnding);
}

Result<std::optional<VpkSet>> read_vpk_set(const ByteSource& directory, const std::string& path) {
  constexpr size_t kLeastBytes = 12;
  if (!has_name_of_vpk_set(path) || directory.size_bytes() < kLeastBytes) return std::nullopt;
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
  set.obstacle = obstacle_of_lengths(set.header, directory.size_bytes());
  if (!set.obstacle.empty()) return set;
  SKL_TRY_DO(find_parts(path, set));
  std::string misfit = obstacle_of_places(path, set);
  if (misfit.empty()) set.fit = FitOfParts::fits;
  if (set.obstacle.empty()) set.obstacle = std::move(misfit);
  if (set.obstacle.empty()) set.obstacle = obstacle_of_header(set.header);
  SKL_TRY(const auto sums, bytes_at(directory, set.data_end_bytes, set.header.checksum_bytes));
  std::string obstacle_of_sums = take_sums(sums, set);
  if (set.obstacle.empty()) set.obstacle = std::move(obstacle_of_sums);
  if (set.obstacle.empty()) set.obstacle = overlap_in_set(set);
  note_named_parts(set);
  set.alignment_bytes = alignment_of_set(set);
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

Result<void> check_vpk_directory(const ByteSource& directory, const VpkSet& set) {
  const VpkHeader& header = set.header;
  if (set.sums.size() * kPieceSumBytes != header.checksum_bytes)
    return damaged({.file = directory.name(),
                    .place = "checksums of pieces",
                    .expected = "checksums that are understood",
                    .found = set.obstacle,
                    .advice = "the set stays as it is"});
  SKL_TRY(const std::string front, bytes_at(directory, 0, header.base_bytes()));
  SKL_TRY(const std::string expected,
          checksums_around(directory, set, header, front, text_of_sums(set.sums)));
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
  around.back = text_of_sums(new_sums(set, changes));
  if (around.front.size() + around.back.size() > kMostSetBytes)
    return damaged({.file = directory.name(),
                    .place = "checksums of pieces",
                    .expected = fmt::format("at most {} bytes with those of the new parts, and "
                                            "with the tree",
                                            kMostSetBytes),
                    .found = fmt::format("{}", around.front.size() + around.back.size()),
                    .advice = "the set stays as it is"});
  VpkHeader header = set.header;
  header.checksum_bytes = around.back.size();
  put(around.front, kChecksumLengthAt, static_cast<uint32_t>(header.checksum_bytes));
  SKL_TRY(const std::string checksums,
          checksums_around(directory, set, header, around.front, around.back));
  around.back += checksums;
  return around;
}

}  // namespace seekless
