// Reads Bethesda's .bsa: Morrowind's format, and versions 103 (Oblivion), 104 (Fallout 3, New
// Vegas, Skyrim) and 105 (Skyrim Special Edition). Engines find records by hash, so records keep
// their order; data may lie anywhere below 2 GiB. Source of the formats: the pages "BSA File
// Format" of UESP's wiki.
//
//   Morrowind: 0x100 (4), offset of the hashes, counted from byte 12 (4), count (4). For each file:
//   size (4), offset from the first data (4). For each file: offset of its name (4). Then the
//   names, then the hashes (8 each).
//
//   Later: "BSA", version, offset of the folders, flags, count of folders, count of files, length
//   of folders' names, length of files' names, kinds of files. For each folder: hash (8), count
//   (4), place (4; version 105: 4 unused, 8). For each folder again: its name, and for each of its
//   files: hash (8), size and flags (4), place (4). Then the names of the files.
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/content/internal/directory_cursor.h"
#include "packer/content/internal/flat_formats.h"

namespace seekless {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kBsaMagic = "BSA\0"sv;
constexpr std::string_view kMorrowindMagic = "\0\1\0\0"sv;
constexpr size_t kMorrowindHeaderBytes = 12;
constexpr size_t kBsaHeaderBytes = 36;
constexpr uint64_t kMostBsaBytes = INT32_MAX;  // engines read offsets as signed numbers
constexpr uint32_t kNamesOfFolders = 1;
constexpr uint32_t kNamesOfFiles = 2;
constexpr uint32_t kMostAreCompressed = 4;
constexpr uint32_t kBigEndian = 0x40;         // set in archives for the Xbox 360
constexpr uint32_t kPathsBeforeData = 0x100;  // from version 104 on
constexpr uint32_t kSizeMask = 0x3FFFFFFF;    // the two bits above are flags: the next, checked
constexpr uint32_t kUnlikeMost = 0x40000000;  // compressed if most aren't, and the reverse
constexpr std::string_view kPathAndFile = "its path and then the file";

FlatEntry bsa_entry(std::string name) {
  FlatEntry entry;
  std::ranges::replace(name, '\\', '/');
  entry.name_fault = check_asset_path(name);
  entry.name = std::move(name);
  return entry;
}

// A file without a name gets its hash as its name.
std::string name_of_hash(uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

struct MorrowindHeader {
  uint64_t hashes_bytes = 0;
  uint64_t count = 0;

  uint64_t data_begin_bytes() const { return hashes_bytes + 8 * count; }
};

MorrowindHeader morrowind_header(std::span<const std::byte> front) {
  return {kMorrowindHeaderBytes + uint64_t{load<uint32_t>(front, 4)}, load<uint32_t>(front, 8)};
}

// Fonts and other files begin with the same bytes, but plausible numbers hardly ever follow.
bool may_be_morrowind_bsa(const FileEnds& ends) {
  if (ends.front.size() < kMorrowindHeaderBytes + 8 ||
      !text_of(ends.front).starts_with(kMorrowindMagic))
    return false;
  const MorrowindHeader header = morrowind_header(ends.front);
  // Each file has at least its record, its name's place, and a name of one letter.
  return header.count > 0 && header.hashes_bytes >= kMorrowindHeaderBytes + 14 * header.count &&
         header.data_begin_bytes() <= ends.size_bytes &&
         load<uint32_t>(ends.front, kMorrowindHeaderBytes) <=
             ends.size_bytes - header.data_begin_bytes();
}

Result<std::vector<FlatEntry>> read_morrowind_names(const ByteSource& source,
                                                    const MorrowindHeader& header) {
  const uint64_t places_bytes = kMorrowindHeaderBytes + 8 * header.count;
  const uint64_t names_bytes = places_bytes + 4 * header.count;
  DirectoryCursor places(source, places_bytes, names_bytes);
  DirectoryCursor names(source, names_bytes, header.hashes_bytes);
  std::vector<FlatEntry> entries;
  for (uint64_t i = 0; i < header.count; ++i) {
    SKL_TRY(const auto place, places.number<uint32_t>());
    if (place != names.at_bytes() - names_bytes)
      return damaged({.file = source.name(),
                      .place = fmt::format("name {}", i),
                      .expected = fmt::format("place {}", names.at_bytes() - names_bytes),
                      .found = fmt::format("{}", place),
                      .advice = "names must lie in the order of the files"});
    SKL_TRY(const auto name, names.text_before_zero());
    entries.push_back(bsa_entry(std::string(name)));
  }
  return entries;
}

Result<std::optional<FlatDirectory>> read_morrowind_bsa(const ByteSource& source) {
  DirectoryCursor cursor(source, 0, source.size_bytes());
  SKL_TRY(const auto front, cursor.take(kMorrowindHeaderBytes));
  const MorrowindHeader header = morrowind_header(front);
  FlatDirectory directory{.most_offset_bytes = kMostBsaBytes};
  SKL_TRY(auto entries, read_morrowind_names(source, header));
  directory.entries = std::move(entries);
  for (FlatEntry& entry : directory.entries) {
    SKL_TRY(const auto size, cursor.number<uint32_t>());
    entry.size_bytes = size;
    entry.offset_field = {cursor.at_bytes(), 4};
    entry.base_bytes = header.data_begin_bytes();
    SKL_TRY(const auto offset, cursor.number<uint32_t>());
    entry.offset_bytes = entry.base_bytes + offset;
  }
  SKL_TRY_DO(settle_data(source, header.data_begin_bytes(), source.size_bytes(), directory));
  return directory;
}

struct BsaHeader {
  uint32_t version = 0;
  uint32_t folders_at_bytes = 0;
  uint32_t flags = 0;
  uint32_t folders = 0;
  uint32_t files = 0;
  uint32_t folder_name_bytes = 0;
  uint32_t file_name_bytes = 0;

  size_t folder_bytes() const { return version == 105 ? 24 : 16; }
};

Result<BsaHeader> read_bsa_header(DirectoryCursor& cursor) {
  SKL_TRY(const auto front, cursor.take(kBsaHeaderBytes));
  return BsaHeader{load<uint32_t>(front, 4),  load<uint32_t>(front, 8),  load<uint32_t>(front, 12),
                   load<uint32_t>(front, 16), load<uint32_t>(front, 20), load<uint32_t>(front, 24),
                   load<uint32_t>(front, 28)};
}

std::string bsa_obstacle(const BsaHeader& header) {
  if (header.version < 103 || header.version > 105)
    return fmt::format("a .bsa of version {}; 103 to 105 and Morrowind's are understood",
                       header.version);
  if ((header.flags & kBigEndian) != 0) return "its numbers are those of an Xbox 360";
  return {};
}

std::string_view bsa_stored_as(const BsaHeader& header, uint32_t size) {
  const bool are_most_compressed = (header.flags & kMostAreCompressed) != 0;
  const bool is_unlike_most = (size & kUnlikeMost) != 0;
  if (are_most_compressed != is_unlike_most) return kCompressedData;
  const bool has_path = header.version >= 104 && (header.flags & kPathsBeforeData) != 0;
  return has_path ? kPathAndFile : std::string_view();
}

// The text before a file has a byte with its length in front of it.
void skip_text(FlatEntry& entry, size_t text_bytes) {
  if (text_bytes > UINT8_MAX || text_bytes >= entry.size_bytes) return;
  entry.header_bytes = static_cast<uint32_t>(1 + text_bytes);
  entry.stored_as = {};
}

// Some packers write whole paths before files, others only names. The first file shows which. If it
// has neither, nothing is skipped, since the flag may be wrong.
Result<void> skip_paths(const ByteSource& source, std::vector<FlatEntry>& entries) {
  const auto has_path = [](const FlatEntry& entry) {
    return entry.stored_as == kPathAndFile && entry.size_bytes > 0;
  };
  const auto first = std::ranges::find_if(entries, has_path);
  if (first == entries.end()) return {};
  SKL_TRY(const auto front, bytes_at(source, first->offset_bytes,
                                     std::min<uint64_t>(1 + UINT8_MAX, first->size_bytes)));
  std::string text = front.substr(1, static_cast<uint8_t>(front.front()));
  std::ranges::replace(text, '\\', '/');
  const bool is_path = compare_folded(text, first->name) == 0;
  if (!is_path && compare_folded(text, file_name(first->name)) != 0) return {};
  for (FlatEntry& entry : entries)
    if (has_path(entry))
      skip_text(entry, is_path ? entry.name.size() : file_name(entry.name).size());
  return {};
}

// The length before a folder's name includes the zero at its end.
Result<std::string> read_folder_name(DirectoryCursor& cursor) {
  SKL_TRY(const auto length, cursor.number<uint8_t>());
  SKL_TRY(const auto name, cursor.take(length));
  return std::string(text_of(name).substr(0, text_of(name).find('\0'))) + "/";
}

Result<void> read_bsa_files(DirectoryCursor& cursor, const BsaHeader& header,
                            const std::vector<uint32_t>& counts, std::vector<FlatEntry>& entries) {
  for (size_t folder = 0; folder < counts.size(); ++folder) {
    std::string prefix = fmt::format("{}/", folder);
    if ((header.flags & kNamesOfFolders) != 0) {
      SKL_TRY(auto name, read_folder_name(cursor));
      prefix = std::move(name);
    }
    for (uint32_t i = 0; i < counts[folder]; ++i) {
      SKL_TRY(const auto hash, cursor.number<uint64_t>());
      SKL_TRY(const auto size, cursor.number<uint32_t>());
      FlatEntry entry = {.name = prefix + name_of_hash(hash), .size_bytes = size & kSizeMask};
      entry.offset_field = {cursor.at_bytes(), 4};
      SKL_TRY(const auto offset, cursor.number<uint32_t>());
      entry.offset_bytes = offset;
      entry.stored_as = bsa_stored_as(header, size);
      entries.push_back(std::move(entry));
    }
  }
  return {};
}

Result<void> read_bsa_names(DirectoryCursor& cursor, const BsaHeader& header,
                            std::vector<FlatEntry>& entries) {
  for (FlatEntry& entry : entries) {
    const std::string folder = entry.name.substr(0, entry.name.rfind('/') + 1);
    FlatEntry named = bsa_entry(entry.name);
    if ((header.flags & kNamesOfFiles) != 0) {
      SKL_TRY(const auto name, cursor.text_before_zero());
      named = bsa_entry(folder == "/" ? std::string(name) : folder + std::string(name));
    }
    entry.name = std::move(named.name);
    entry.name_fault = named.name_fault;
  }
  return {};
}

Result<std::optional<FlatDirectory>> read_later_bsa(const ByteSource& source) {
  DirectoryCursor cursor(source, 0, source.size_bytes());
  SKL_TRY(const auto header, read_bsa_header(cursor));
  FlatDirectory directory{.most_offset_bytes = kMostBsaBytes, .obstacle = bsa_obstacle(header)};
  if (!directory.obstacle.empty()) return directory;
  if (header.folders_at_bytes != kBsaHeaderBytes)
    directory.take_apart_obstacle =
        fmt::format("its header says that its folders begin at byte {} instead of {}",
                    header.folders_at_bytes, kBsaHeaderBytes);
  std::vector<uint32_t> counts;
  for (uint32_t i = 0; i < header.folders; ++i) {
    SKL_TRY(const auto record, cursor.take(header.folder_bytes()));
    counts.push_back(load<uint32_t>(record, 8));
  }
  SKL_TRY_DO(read_bsa_files(cursor, header, counts, directory.entries));
  if (directory.entries.size() != header.files) {
    directory.obstacle = fmt::format("its header counts {} files, its folders {}", header.files,
                                     directory.entries.size());
    return directory;
  }
  SKL_TRY_DO(read_bsa_names(cursor, header, directory.entries));
  SKL_TRY_DO(settle_data(source, cursor.at_bytes(), source.size_bytes(), directory));
  constexpr uint32_t kAllNames = kNamesOfFolders | kNamesOfFiles;
  if ((header.flags & kAllNames) != kAllNames)
    for (FlatEntry& entry : directory.entries) entry.stored_as = kDataWithoutName;
  else if (directory.obstacle.empty())
    SKL_TRY_DO(skip_paths(source, directory.entries));
  return directory;
}

bool may_be_bsa(const FileEnds& ends) {
  return text_of(ends.front).starts_with(kBsaMagic) || may_be_morrowind_bsa(ends);
}

Result<std::optional<FlatDirectory>> read_bsa(const ByteSource& source) {
  DirectoryCursor cursor(source, 0, source.size_bytes());
  SKL_TRY(const auto magic, cursor.take(kBsaMagic.size()));
  return text_of(magic) == kBsaMagic ? read_later_bsa(source) : read_morrowind_bsa(source);
}

}  // namespace

const FlatFormat kBethesdaBsa = {"Bethesda's BSA", may_be_bsa, read_bsa};

}  // namespace seekless
