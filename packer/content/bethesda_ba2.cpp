// Reads Bethesda's .ba2: general archives (GNRL) and textures (DX10) of Fallout 4, Fallout 76 and
// Starfield. Records stay as they are, since engines find them by hash; data may lie anywhere. A
// texture consists of chunks, each with some of its mip levels. Engines read chunks one by one, so
// each chunk is an entry. Source of the format: the page "BA2" of the Fallout 4 Creation Kit's
// wiki, and the crate ba2.
//
//   "BTDX", version, "GNRL" or "DX10", count, offset of the names (8); version 2: 8 bytes more,
//   version 3: 12. GNRL, for each file: hash of its name, ending, hash of its folder, flags, offset
//   (8), packed size (0 if it isn't compressed), size, 4 bytes that mark the end. DX10, for each
//   file: 24 bytes, whose 14th is the count of chunks; for each: offset (8), packed size, size,
//   first and last mip level (2 each), 4 bytes that mark the end. Names: for each file, length (2)
//   and name.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/content/internal/directory_cursor.h"
#include "packer/content/internal/flat_formats.h"

namespace seekless {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kBa2Magic = "BTDX"sv;
constexpr std::string_view kGeneral = "GNRL"sv;
constexpr std::string_view kTextures = "DX10"sv;
constexpr size_t kBa2HeaderBytes = 24;
constexpr uint64_t kNamesPlaceBytes = 16;  // position of the header's field with the names' offset
constexpr size_t kGeneralRecordBytes = 36;
constexpr size_t kTextureRecordBytes = 24;
constexpr size_t kChunkBytes = 24;

struct Ba2Header {
  std::string kind;
  uint32_t files = 0;
  uint64_t names_bytes = 0;  // 0 if there are none
  std::string obstacle;
};

Result<Ba2Header> read_ba2_header(DirectoryCursor& cursor) {
  SKL_TRY(const auto front, cursor.take(kBa2HeaderBytes));
  const auto version = load<uint32_t>(front, 4);
  Ba2Header header = {std::string(text_of(front).substr(8, 4)),
                      load<uint32_t>(front, 12),
                      load<uint64_t>(front, kNamesPlaceBytes),
                      {}};
  // 1: Fallout 4, 76; 2, 3: Starfield; 7, 8: Fallout 4 since 2024
  if (version != 1 && version != 2 && version != 3 && version != 7 && version != 8)
    header.obstacle = fmt::format("a .ba2 of version {}; 1, 2, 3, 7 and 8 are understood", version);
  else if (header.kind != kGeneral && header.kind != kTextures)
    header.obstacle = "a .ba2 of a console, or of another kind than GNRL and DX10";
  else if (version == 2 || version == 3)
    SKL_TRY_DROP(cursor.take(version == 2 ? 8 : 12));
  return header;
}

// Reads an offset (8), a packed size and a size, which begin at `at` in `record`.
FlatEntry ba2_entry(std::span<const std::byte> record, size_t at, uint64_t record_at_bytes) {
  FlatEntry entry;
  entry.offset_bytes = load<uint64_t>(record, at);
  const auto packed_bytes = load<uint32_t>(record, at + 8);
  entry.size_bytes = packed_bytes != 0 ? packed_bytes : load<uint32_t>(record, at + 12);
  entry.offset_field = {record_at_bytes + at, 8};
  if (packed_bytes != 0) entry.stored_as = kCompressedData;
  return entry;
}

// Describes a file's entries, which are consecutive.
struct Ba2File {
  uint32_t hash = 0;  // hash of the name
  size_t first_entry = 0;
};

Result<std::vector<Ba2File>> read_ba2_files(DirectoryCursor& cursor, const Ba2Header& header,
                                            std::vector<FlatEntry>& entries) {
  std::vector<Ba2File> files;
  for (uint32_t i = 0; i < header.files; ++i) {
    const bool is_general = header.kind == kGeneral;
    const uint64_t at_bytes = cursor.at_bytes();
    SKL_TRY(const auto record, cursor.take(is_general ? kGeneralRecordBytes : kTextureRecordBytes));
    files.push_back({load<uint32_t>(record, 0), entries.size()});
    if (is_general) {
      entries.push_back(ba2_entry(record, 16, at_bytes));
      continue;
    }
    const auto chunks = load<uint8_t>(record, 13);
    for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
      const uint64_t chunk_at_bytes = cursor.at_bytes();
      SKL_TRY(const auto fields, cursor.take(kChunkBytes));
      entries.push_back(ba2_entry(fields, 0, chunk_at_bytes));
      entries.back().stored_as = kPartOfFile;  // the first one also lacks a .dds file's header
    }
  }
  return files;
}

// A texture's first chunk gets the texture's name; the others get that name and a number. Returns
// where the names end.
Result<uint64_t> name_ba2_files(const ByteSource& source, const Ba2Header& header,
                                const std::vector<Ba2File>& files, std::vector<FlatEntry>& entries,
                                uint64_t end_bytes) {
  DirectoryCursor names(source, std::min(header.names_bytes, end_bytes), end_bytes);
  NameBudget budget(kGeneralRecordBytes * entries.size() + end_bytes -
                    std::min(header.names_bytes, end_bytes));
  for (size_t i = 0; i < files.size(); ++i) {
    std::string name = fmt::format("{:08x}-{}", files[i].hash, i);
    if (header.names_bytes != 0) {
      SKL_TRY(const auto length, names.number<uint16_t>());
      SKL_TRY(const auto text, names.take(length));
      name = text_of(text);
      std::ranges::replace(name, '\\', '/');
    }
    const size_t end = i + 1 < files.size() ? files[i + 1].first_entry : entries.size();
    for (size_t entry = files[i].first_entry; entry < end; ++entry) {
      const size_t chunk = entry - files[i].first_entry;
      SKL_TRY_DO(budget.spend(source, name.size()));
      entries[entry].name = chunk == 0 ? name : fmt::format("{}.{}", name, chunk);
      entries[entry].name_fault = check_asset_path(entries[entry].name);
      if (header.names_bytes == 0) entries[entry].stored_as = kDataWithoutName;
    }
  }
  return names.at_bytes();
}

bool may_be_ba2(const FileEnds& ends) {
  return text_of(ends.front).starts_with(kBa2Magic);
}

Result<std::optional<FlatDirectory>> read_ba2(const ByteSource& source) {
  DirectoryCursor cursor(source, 0, source.size_bytes());
  SKL_TRY(const auto header, read_ba2_header(cursor));
  FlatDirectory directory{.obstacle = header.obstacle};
  if (!directory.obstacle.empty()) return directory;
  SKL_TRY(const auto files, read_ba2_files(cursor, header, directory.entries));
  const uint64_t front_end_bytes = cursor.at_bytes();
  const bool are_names_behind = header.names_bytes > front_end_bytes;
  if (header.names_bytes != 0 && !are_names_behind && header.names_bytes < front_end_bytes) {
    directory.obstacle = "its names begin within its records";
    return directory;
  }
  const bool is_last =
      are_names_behind && std::ranges::none_of(directory.entries, [&](const FlatEntry& entry) {
        return entry.size_bytes > 0 && entry.offset_bytes >= header.names_bytes;
      });
  SKL_TRY(const auto names_end_bytes,
          name_ba2_files(source, header, files, directory.entries, source.size_bytes()));
  if (header.names_bytes != 0 && !is_last) {
    directory.obstacle = "its names don't lie behind its data";
    return directory;
  }
  if (is_last) {
    directory.offset_bytes = header.names_bytes;
    directory.moving_fields.push_back({kNamesPlaceBytes, 8});
    directory.unused.push_back({names_end_bytes, source.size_bytes()});
  }
  SKL_TRY_DO(settle_data(source, front_end_bytes,
                         is_last ? header.names_bytes : source.size_bytes(), directory));
  return directory;
}

}  // namespace

const FlatFormat kBethesdaBa2 = {"Bethesda's BA2", may_be_ba2, read_ba2};

}  // namespace seekless
