// Reads and writes the directory of Unreal's .pak, versions 3 to 11 (Unreal Engine 4 and 5), unless
// it is encrypted or signed. A copy of each file's record, with 0 as its offset, lies before the
// file's data; both move together. Sources of the format: FPakInfo and FPakEntry of Unreal as
// others describe them, such as the project repak.
//
//   Data, the index, then an info block: from version 7 on a key's number (16); from version 4 on
//   whether the index is encrypted (1); 0x5A6F12E1 (4), version (4), the index's place (8), its
//   length (8), its SHA-1 (20); version 9: whether it is frozen (1); from version 8 on four or five
//   names of compressions (32 each).
//
//   The index: mount point, count; up to version 9 for each file its path and a record: place (8),
//   size (8), unpacked size (8), compression (4; 1 in the older form of version 8), SHA-1 (20); if
//   it is compressed, a count (4) and each block's begin and end (8 each; from version 5 on, they
//   count from the record); flags (1), size of blocks (4). From version 10 on: a seed (8); twice:
//   whether there is a table (4) and then its place (8), length (8), SHA-1 (20); the length of the
//   short records (4), these, a count (4) and records as before. The second table lists files:
//   count of folders; for each its name, count of files, and for each its name and where its short
//   record is, or, below 0, the number of a record.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/base/checksum_of_format.h"
#include "packer/content/internal/directory_cursor.h"
#include "packer/content/internal/flat_formats.h"
#include "packer/content/internal/unreal_text.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kUnrealPakMagic = "\xE1\x12\x6F\x5A"sv;
constexpr size_t kSha1Bytes = 20;
constexpr uint64_t kMostUnrealIndexBytes = uint64_t{512} << 20;
constexpr uint8_t kEncryptedFile = 1;
constexpr uint8_t kDeletedFile = 2;
constexpr std::string_view kUnclearName = "data with several names, or without one";
constexpr std::string_view kUnclearSize =
    "data of another size than the file, though not compressed";
constexpr uint64_t kCipherBytes = 16;  // encrypted data are a multiple of this

// The info block's magic number can be at these distances from the file's end.
struct InfoForm {
  size_t magic_from_end;
  uint32_t first_version;
  uint32_t last_version;
};
constexpr InfoForm kInfoForms[] = {
    {44, 3, 7},
    {44 + 4 * 32, 8, 8},
    {44 + 5 * 32, 8, 8},
    {44 + 1 + 5 * 32, 9, 9},
    {44 + 5 * 32, 10, 11},
};

// Holds the info block.
struct UnrealInfo {
  uint32_t version = 0;
  bool has_short_compression = false;  // the older form of version 8
  bool is_encrypted = false;
  bool is_frozen = false;
  uint64_t place_at_bytes = 0;  // where the index's offset is stored
  uint64_t hash_at_bytes = 0;   // where its SHA-1 is
  uint64_t begin_bytes = 0;     // start of the info block, or a little after it
  uint64_t index_bytes = 0;
  uint64_t index_size_bytes = 0;
};

// `back` are the last bytes of a file of `size_bytes`. Returns nothing if they hold no info block.
std::optional<UnrealInfo> unreal_info(std::span<const std::byte> back, uint64_t size_bytes) {
  for (const InfoForm& form : kInfoForms) {
    if (back.size() <= form.magic_from_end) continue;
    const size_t at = back.size() - form.magic_from_end;
    if (!text_of(back).substr(at).starts_with(kUnrealPakMagic)) continue;
    const auto version = load<uint32_t>(back, at + 4);
    if (version < form.first_version || version > form.last_version) continue;
    const uint64_t magic_bytes = size_bytes - form.magic_from_end;
    return UnrealInfo{.version = version,
                      .has_short_compression = form.magic_from_end == 44 + 4 * 32,
                      .is_encrypted = version >= 4 && back[at - 1] != std::byte{0},
                      .is_frozen = version == 9 && back[at + 44] != std::byte{0},
                      .place_at_bytes = magic_bytes + 8,
                      .hash_at_bytes = magic_bytes + 24,
                      .begin_bytes = magic_bytes - (version >= 7   ? 17
                                                    : version >= 4 ? 1
                                                                   : 0),
                      .index_bytes = load<uint64_t>(back, at + 8),
                      .index_size_bytes = load<uint64_t>(back, at + 16)};
  }
  return std::nullopt;
}

bool may_be_unreal_pak(const FileEnds& ends) {
  return unreal_info(ends.back, ends.size_bytes).has_value();
}

Result<UnrealInfo> read_unreal_info(const ByteSource& source) {
  std::array<std::byte, 256> bytes = {};
  const auto back = std::span(bytes).first(std::min<uint64_t>(bytes.size(), source.size_bytes()));
  SKL_TRY_DO(source.read_at(source.size_bytes() - back.size(), back));
  return unreal_info(back, source.size_bytes()).value_or(UnrealInfo{});
}

std::string unreal_obstacle(const ByteSource& source, const UnrealInfo& info) {
  const std::string signature = source.name().substr(0, source.name().rfind('.')) + ".sig";
  if (info.is_encrypted) return "its index is encrypted";
  if (info.is_frozen) return "its index is frozen";
  if (kind_of_path(signature) == PathKind::file) return "it is signed: a .sig lies beside it";
  if (info.index_bytes > info.begin_bytes ||
      info.index_size_bytes > info.begin_bytes - info.index_bytes)
    return "its index lies outside of it";
  if (info.begin_bytes - info.index_bytes > kMostUnrealIndexBytes) return "its index is too long";
  return {};
}

FlatEntry unreal_entry(std::string name, uint64_t offset_bytes, uint64_t size_bytes,
                       FlatField offset_field) {
  FlatEntry entry;
  name.erase(0, name.find_first_not_of('/'));
  entry.name_fault = check_asset_path(name);
  entry.name = std::move(name);
  entry.offset_bytes = offset_bytes;
  entry.size_bytes = size_bytes;
  entry.offset_field = offset_field;
  return entry;
}

uint64_t bytes_with_record(uint64_t record_bytes, uint64_t data_bytes, bool is_encrypted) {
  if (data_bytes > UINT64_MAX / 2) return UINT64_MAX;  // lies outside of any file
  const uint64_t padding =
      is_encrypted ? (kCipherBytes - data_bytes % kCipherBytes) % kCipherBytes : 0;
  return record_bytes + data_bytes + padding;
}

std::string_view unreal_stored_as(bool is_compressed, bool is_encrypted) {
  if (is_encrypted) return kEncryptedData;
  return is_compressed ? kCompressedData : std::string_view();
}

std::unexpected<Error> bad_unreal(const ByteSource& source, uint64_t at_bytes, std::string found) {
  return damaged({.file = source.name(),
                  .place = fmt::format("index at byte {}", at_bytes),
                  .expected = "an index of Unreal's .pak",
                  .found = std::move(found),
                  .advice = "the archive is damaged, or of a kind of its own"});
}

// Reads a record of the index; it is as long as its copy before the data.
Result<FlatEntry> read_unreal_record(const ByteSource& source, DirectoryCursor& cursor,
                                     const UnrealInfo& info) {
  const uint64_t begin_bytes = cursor.at_bytes();
  SKL_TRY(const auto front, cursor.take(24));
  const auto offset_bytes = load<uint64_t>(front, 0);
  const auto data_bytes = load<uint64_t>(front, 8);
  const auto plain_bytes = load<uint64_t>(front, 16);
  uint32_t compression = 0;
  if (info.has_short_compression) {
    SKL_TRY(const auto number, cursor.number<uint8_t>());
    compression = number;
  } else {
    SKL_TRY(const auto number, cursor.number<uint32_t>());
    compression = number;
  }
  SKL_TRY_DROP(cursor.take(kSha1Bytes));
  if (compression != 0) {
    if (info.version < 5)
      return bad_unreal(source, begin_bytes,
                        "compressed files of version 3 or 4, which hold places of their own");
    SKL_TRY(const auto blocks, cursor.number<uint32_t>());
    SKL_TRY_DROP(cursor.take(16 * uint64_t{blocks}));
  }
  SKL_TRY(const auto flags, cursor.number<uint8_t>());
  SKL_TRY_DROP(cursor.take(4));
  FlatEntry entry = unreal_entry(
      {}, offset_bytes,
      bytes_with_record(cursor.at_bytes() - begin_bytes, data_bytes, (flags & kEncryptedFile) != 0),
      {begin_bytes, 8});
  entry.header_bytes = static_cast<uint32_t>(cursor.at_bytes() - begin_bytes);
  entry.is_header_record = true;
  entry.stored_as = unreal_stored_as(compression != 0, (flags & kEncryptedFile) != 0);
  if (entry.stored_as.empty() && plain_bytes != data_bytes) entry.stored_as = kUnclearSize;
  if ((flags & kDeletedFile) != 0) {
    entry = unreal_entry({}, 0, 0, {});
    entry.stored_as = kRemovalMark;
  }
  return entry;
}

// Reads a number of 4 bytes if the bit is set, otherwise of 8.
Result<uint64_t> read_short_number(DirectoryCursor& cursor, uint32_t bits, uint32_t bit) {
  if ((bits >> bit & 1) == 0) return cursor.number<uint64_t>();
  SKL_TRY(const auto value, cursor.number<uint32_t>());
  return value;
}

// Reads a short record. Its first 32 bits say which numbers follow, and how long each is.
Result<FlatEntry> read_short_record(DirectoryCursor& cursor) {
  SKL_TRY(const auto bits, cursor.number<uint32_t>());
  const uint32_t compression = bits >> 23 & 0x3F;
  const uint32_t blocks = bits >> 6 & 0xFFFF;
  const bool is_encrypted = (bits >> 22 & 1) != 0;
  if ((bits & 0x3F) == 0x3F) SKL_TRY_DROP(cursor.take(4));
  const FlatField field = {cursor.at_bytes(), (bits >> 31 & 1) != 0 ? 4U : 8U};
  SKL_TRY(const auto offset_bytes, read_short_number(cursor, bits, 31));
  SKL_TRY(uint64_t data_bytes, read_short_number(cursor, bits, 30));
  if (compression != 0) {
    SKL_TRY(const auto packed_bytes, read_short_number(cursor, bits, 29));
    data_bytes = packed_bytes;
  }
  if (blocks > 1 || (blocks == 1 && is_encrypted)) SKL_TRY_DROP(cursor.take(4 * uint64_t{blocks}));
  const uint32_t record_bytes = 53 + (compression != 0 ? 4 + 16 * blocks : 0);
  FlatEntry entry = unreal_entry({}, offset_bytes,
                                 bytes_with_record(record_bytes, data_bytes, is_encrypted), field);
  entry.header_bytes = record_bytes;
  entry.is_header_record = true;
  entry.stored_as = unreal_stored_as(compression != 0, is_encrypted);
  return entry;
}

void name_unreal_entry(FlatEntry& entry, const std::string& name) {
  const FlatEntry named = unreal_entry(name, 0, 0, {});
  entry.name = named.name;
  entry.name_fault = named.name_fault;
}

Result<void> read_older_index(const ByteSource& source, DirectoryCursor& cursor,
                              const UnrealInfo& info, uint32_t count, FlatDirectory& directory) {
  for (uint32_t i = 0; i < count; ++i) {
    SKL_TRY(const auto name, read_unreal_text(cursor));
    SKL_TRY(auto entry, read_unreal_record(source, cursor, info));
    name_unreal_entry(entry, name);
    directory.entries.push_back(std::move(entry));
  }
  return {};
}

struct UnrealTable {
  uint64_t begin_bytes = 0;
  uint64_t end_bytes = 0;
};

// Returns nothing if there is no such table.
Result<std::optional<UnrealTable>> read_table_place(const ByteSource& source,
                                                    DirectoryCursor& cursor, const UnrealInfo& info,
                                                    FlatDirectory& directory) {
  SKL_TRY(const auto is_there, cursor.number<uint32_t>());
  if (is_there == 0) return std::nullopt;
  const uint64_t at_bytes = cursor.at_bytes();
  SKL_TRY(const auto fields, cursor.take(16 + kSha1Bytes));
  const auto begin = load<uint64_t>(fields, 0);
  const auto size = load<uint64_t>(fields, 8);
  // If the table lay within the index, its checksum would depend on the index, and the index on it.
  if (begin < info.index_bytes + info.index_size_bytes || begin > info.begin_bytes ||
      size > info.begin_bytes - begin)
    return bad_unreal(source, at_bytes, "a table within it, before it or behind it");
  directory.moving_fields.push_back({at_bytes, 8});
  directory.unused.back().end_bytes = begin;
  directory.unused.push_back({begin + size, info.begin_bytes});
  return UnrealTable{begin, begin + size};
}

// Holds where a file's short record is; a negative number stands for a full record.
struct NamedRecord {
  std::string name;
  int32_t place = 0;
};

Result<std::vector<NamedRecord>> read_unreal_names(const ByteSource& source,
                                                   const UnrealTable& table) {
  DirectoryCursor cursor(source, table.begin_bytes, table.end_bytes);
  std::vector<NamedRecord> names;
  NameBudget budget(table.end_bytes - table.begin_bytes);
  SKL_TRY(const auto folders, cursor.number<uint32_t>());
  for (uint32_t folder = 0; folder < folders; ++folder) {
    SKL_TRY(const auto path, read_unreal_text(cursor));
    SKL_TRY(const auto files, cursor.number<uint32_t>());
    for (uint32_t file = 0; file < files; ++file) {
      SKL_TRY(const auto name, read_unreal_text(cursor));
      SKL_TRY(const auto place, cursor.number<uint32_t>());
      const std::string prefix = path == "/" ? "" : path;
      SKL_TRY_DO(budget.spend(source, prefix.size() + name.size()));
      names.push_back({prefix + name, static_cast<int32_t>(place)});
    }
  }
  std::ranges::stable_sort(names, {}, &NamedRecord::place);
  return names;
}

// Each short record is read once, under its first name; short records must not overlap.
Result<void> read_short_records(const ByteSource& source, const std::vector<NamedRecord>& names,
                                uint64_t begin_bytes, uint64_t end_bytes,
                                FlatDirectory& directory) {
  uint64_t free_bytes = begin_bytes;
  int64_t last = -1;
  for (const NamedRecord& named : names) {
    if (named.place < 0) continue;
    if (named.place == last) {
      directory.entries.back().stored_as = kUnclearName;
      continue;
    }
    last = named.place;
    const uint64_t at_bytes = begin_bytes + static_cast<uint64_t>(named.place);
    if (at_bytes < free_bytes || at_bytes > end_bytes)
      return bad_unreal(source, at_bytes, "a record that lies over another one, or outside");
    DirectoryCursor cursor(source, at_bytes, end_bytes);
    SKL_TRY(auto entry, read_short_record(cursor));
    name_unreal_entry(entry, named.name);
    directory.entries.push_back(std::move(entry));
    free_bytes = cursor.at_bytes();
  }
  return {};
}

Result<void> read_newer_index(const ByteSource& source, DirectoryCursor& cursor,
                              const UnrealInfo& info, FlatDirectory& directory) {
  SKL_TRY_DROP(cursor.take(8));
  SKL_TRY_DROP(read_table_place(source, cursor, info, directory));
  SKL_TRY(const auto table, read_table_place(source, cursor, info, directory));
  if (!table) return bad_unreal(source, cursor.at_bytes(), "no list of its files");
  SKL_TRY(const auto names, read_unreal_names(source, *table));
  SKL_TRY(const auto short_bytes, cursor.number<uint32_t>());
  const uint64_t begin_bytes = cursor.at_bytes();
  SKL_TRY_DROP(cursor.take(short_bytes));
  SKL_TRY_DO(read_short_records(source, names, begin_bytes, begin_bytes + short_bytes, directory));
  SKL_TRY(const auto count, cursor.number<uint32_t>());
  for (uint32_t i = 0; i < count; ++i) {
    SKL_TRY(auto entry, read_unreal_record(source, cursor, info));
    const int64_t place = -1 - static_cast<int64_t>(i);
    const auto named = std::ranges::lower_bound(names, place, {}, &NamedRecord::place);
    const bool is_named = named != names.end() && named->place == place;
    name_unreal_entry(entry, is_named ? named->name : fmt::format("{}", i));
    const bool has_another =
        is_named && std::next(named) != names.end() && std::next(named)->place == place;
    if (!is_named || has_another) entry.stored_as = kUnclearName;
    directory.entries.push_back(std::move(entry));
  }
  return {};
}

Result<bool> has_its_checksum(const ByteSource& source, const UnrealInfo& info) {
  SKL_TRY(const std::string index, bytes_at(source, info.index_bytes, info.index_size_bytes));
  Sha1 expected = {};
  SKL_TRY_DO(source.read_at(info.hash_at_bytes, expected));
  return sha1_of(index) == expected;
}

Result<std::optional<FlatDirectory>> read_unreal_pak(const ByteSource& source) {
  SKL_TRY(const auto info, read_unreal_info(source));
  FlatDirectory directory{.offset_bytes = info.index_bytes,
                          .obstacle = unreal_obstacle(source, info)};
  if (!directory.obstacle.empty()) return directory;
  SKL_TRY(const auto is_sound, has_its_checksum(source, info));
  if (!is_sound) {
    directory.obstacle = "its index doesn't have the checksum that the archive gives";
    return directory;
  }
  DirectoryCursor cursor(source, info.index_bytes, info.index_bytes + info.index_size_bytes);
  SKL_TRY(const auto mount, read_unreal_text(cursor));
  directory.mount = unreal_mount(mount);
  SKL_TRY(const auto count, cursor.number<uint32_t>());
  directory.moving_fields.push_back({info.place_at_bytes, 8});
  // The tables of newer versions split this.
  directory.unused.push_back({info.index_bytes + info.index_size_bytes, info.begin_bytes});
  SKL_TRY_DO(info.version >= 10 ? read_newer_index(source, cursor, info, directory)
                                : read_older_index(source, cursor, info, count, directory));
  SKL_TRY_DO(settle_data(source, 0, info.index_bytes, directory));
  return directory;
}

Result<FlatAround> write_unreal_pak(const ByteSource& source, const FlatDirectory& directory,
                                    const FlatPlaces& places) {
  SKL_TRY(const auto info, read_unreal_info(source));
  SKL_TRY(auto front, with_new_places(source, directory, places, 0, directory.data_begin_bytes));
  SKL_TRY(auto back, with_new_places(source, directory, places, directory.data_end_bytes,
                                     source.size_bytes()));
  const Sha1 hash = sha1_of(std::string_view(back).substr(
      info.index_bytes - directory.data_end_bytes, info.index_size_bytes));
  back.replace(info.hash_at_bytes - directory.data_end_bytes, hash.size(), text_of(hash));
  return FlatAround{std::move(front), std::move(back)};
}

}  // namespace

const FlatFormat kUnrealPak = {"an UnrealPak", may_be_unreal_pak, read_unreal_pak,
                               write_unreal_pak};

}  // namespace seekless
