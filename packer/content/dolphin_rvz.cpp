// Reads and writes the directory of Dolphin's .rvz and .wia: disc images in groups, each compressed
// on its own, that may lie in any order. Source of the format: WiaAndRvz.md of Dolphin. All numbers
// are big-endian.
//
//   "RVZ" or "WIA", 1; version (4), compatible version (4), length of the disc's record (4), its
//   SHA-1 (20), length of the disc (8), length of this file (8), SHA-1 of all bytes before (20).
//   The disc's record: kind, compression, its level, length of a group's content (4 each), the
//   disc's first 128 bytes; number of partitions, length of a record, offset, SHA-1 (4, 4, 8, 20);
//   number of records of raw data, offset, length (4, 8, 4); number of groups, offset, length (4,
//   8, 4); eight bytes for the compression. The records of raw data and of groups are compressed
//   like groups. A group: offset / 4 (4), length (4); in .rvz the length's highest bit tells
//   whether it is compressed, and four bytes more follow.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zstd.h>

#include "packer/base/checksum_of_format.h"
#include "packer/content/internal/flat_formats.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kRvzMagic = "RVZ\x01"sv;
constexpr std::string_view kWiaMagic = "WIA\x01"sv;
constexpr uint64_t kRvzHeadBytes = 0x48;
constexpr uint64_t kRvzDiscBytes = 0xDC;
// Offsets of fields in the file's head.
constexpr size_t kVersionAt = 0x04;
constexpr size_t kCompatibleVersionAt = 0x08;
constexpr size_t kDiscBytesAt = 0x0C;
constexpr size_t kDiscHashAt = 0x10;
constexpr size_t kFileBytesAt = 0x2C;
constexpr size_t kHeadHashAt = 0x34;
// Offsets in the file of fields in the disc's record.
constexpr size_t kRvzCompressionAt = kRvzHeadBytes + 0x04;
constexpr size_t kPartitionsAt = kRvzHeadBytes + 0x90;
constexpr size_t kRawRecordsAt = kRvzHeadBytes + 0xB8;
constexpr size_t kGroupRecordsAt = kRvzHeadBytes + 0xC4;
// An image is understood if programs of version 1.0 can read it, and if its own version is at least
// the oldest one for its kind.
constexpr uint32_t kRvzVersion = 0x0100'0000;
constexpr uint32_t kOldestRvzVersion = 0x0003'0000;
constexpr uint32_t kOldestWiaVersion = 0x0008'0000;
// Compressions whose tables are understood.
constexpr uint32_t kRvzStored = 0;
constexpr uint32_t kRvzZstd = 5;
constexpr int kZstdLevel = 5;  // Dolphin's own choice
constexpr uint32_t kIsCompressedBit = 1U << 31;
constexpr uint64_t kPlaceUnitBytes = 4;
constexpr uint64_t kMostGroupTableBytes = 8U << 20;  // a double-layer disc in groups of 32 KiB: 4
constexpr uint64_t kMostRvzAroundBytes = 128U << 20;

template <typename T>
T big_endian(std::string_view bytes, size_t at) {
  return std::byteswap(load<T>(bytes_of(bytes), at));
}

template <typename T>
void set_big_endian(std::string& bytes, size_t at, T value) {
  value = std::byteswap(value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::string rvz_sha1(std::string_view bytes) {
  const Sha1 digest = sha1_of(bytes);
  return std::string(text_of(digest));
}

// Describes one of the three tables.
struct RvzTable {
  size_t place_field_at = 0;  // offset of the field with the table's offset
  uint64_t at_bytes = 0;
  uint64_t size_bytes = 0;  // size as stored

  uint64_t end_bytes() const { return at_bytes + size_bytes; }
};

struct RvzHeader {
  std::string bytes;  // the file's head and the disc's record
  bool is_rvz = false;
  uint32_t compression = 0;
  uint32_t groups = 0;
  RvzTable partitions = {};
  RvzTable raw_records = {};
  RvzTable group_records = {};

  size_t record_bytes() const { return is_rvz ? 12 : 8; }
  std::array<RvzTable, 3> tables() const { return {partitions, raw_records, group_records}; }
};

RvzHeader rvz_header(std::string bytes) {
  RvzHeader header = {.bytes = std::move(bytes)};
  const std::string_view all = header.bytes;
  header.is_rvz = all.starts_with(kRvzMagic);
  header.compression = big_endian<uint32_t>(all, kRvzCompressionAt);
  const uint64_t partition_bytes = uint64_t{big_endian<uint32_t>(all, kPartitionsAt)} *
                                   big_endian<uint32_t>(all, kPartitionsAt + 4);
  header.partitions = {kPartitionsAt + 8, big_endian<uint64_t>(all, kPartitionsAt + 8),
                       partition_bytes};
  header.raw_records = {kRawRecordsAt, big_endian<uint64_t>(all, kRawRecordsAt),
                        big_endian<uint32_t>(all, kRawRecordsAt + 8)};
  header.groups = big_endian<uint32_t>(all, kGroupRecordsAt);
  header.group_records = {kGroupRecordsAt + 4, big_endian<uint64_t>(all, kGroupRecordsAt + 4),
                          big_endian<uint32_t>(all, kGroupRecordsAt + 12)};
  return header;
}

// Returns false if two of the tables, or one and the head, have bytes in common.
bool are_tables_apart(const RvzHeader& header) {
  std::array<RvzTable, 3> tables = header.tables();
  std::ranges::sort(tables, {}, &RvzTable::at_bytes);
  uint64_t end_bytes = kRvzHeadBytes + kRvzDiscBytes;
  for (const RvzTable& table : tables) {
    if (table.size_bytes == 0) continue;
    if (table.at_bytes < end_bytes) return false;
    end_bytes = table.end_bytes();
  }
  return true;
}

// Returns the maximum length of the stored table of groups.
uint64_t most_stored_bytes(const RvzHeader& header, uint64_t plain_bytes) {
  return header.compression == kRvzStored ? kMostGroupTableBytes : ZSTD_compressBound(plain_bytes);
}

// Says why the image can't be rewritten; empty if its head shows no reason.
std::string rvz_obstacle(const RvzHeader& header, uint64_t size_bytes) {
  const std::string_view all = header.bytes;
  if (rvz_sha1(all.substr(0, kHeadHashAt)) != all.substr(kHeadHashAt, sizeof(Sha1)) ||
      rvz_sha1(all.substr(kRvzHeadBytes)) != all.substr(kDiscHashAt, sizeof(Sha1)))
    return "its head doesn't have the checksum that it gives";
  if (big_endian<uint64_t>(all, kFileBytesAt) != size_bytes)
    return "it isn't as long as its head says";
  if (header.compression != kRvzStored && header.compression != kRvzZstd)
    return "its directory is compressed by another way than Zstandard";
  const uint64_t table_bytes = header.groups * header.record_bytes();
  if (table_bytes > kMostGroupTableBytes ||
      header.group_records.size_bytes > most_stored_bytes(header, table_bytes))
    return "its directory is too long";
  for (const RvzTable& table : header.tables())
    if (table.at_bytes > size_bytes || table.size_bytes > size_bytes - table.at_bytes)
      return "a part of its directory lies past its end";
  if (!are_tables_apart(header)) return "parts of its directory lie over each other";
  return {};
}

bool is_rvz_version_known(std::string_view bytes) {
  const uint32_t oldest = bytes.starts_with(kRvzMagic) ? kOldestRvzVersion : kOldestWiaVersion;
  return big_endian<uint32_t>(bytes, kCompatibleVersionAt) <= kRvzVersion &&
         big_endian<uint32_t>(bytes, kVersionAt) >= oldest &&
         big_endian<uint32_t>(bytes, kDiscBytesAt) == kRvzDiscBytes;
}

// Returns an empty header if the image's version isn't understood.
Result<RvzHeader> read_rvz_header(const ByteSource& source) {
  if (source.size_bytes() < kRvzHeadBytes + kRvzDiscBytes) return RvzHeader{};
  SKL_TRY(auto bytes, bytes_at(source, 0, kRvzHeadBytes + kRvzDiscBytes));
  if (!is_rvz_version_known(bytes)) return RvzHeader{};
  return rvz_header(std::move(bytes));
}

std::unexpected<Error> bad_rvz(const ByteSource& source, std::string expected, std::string found) {
  return damaged({.file = source.name(),
                  .place = "table of groups",
                  .expected = std::move(expected),
                  .found = std::move(found),
                  .advice = "the image is damaged: get it again"});
}

Result<std::string> read_group_table(const ByteSource& source, const RvzHeader& header) {
  const RvzTable& table = header.group_records;
  SKL_TRY(auto stored, bytes_at(source, table.at_bytes, table.size_bytes));
  std::string plain(header.groups * header.record_bytes(), '\0');
  const std::string expected = fmt::format("{} bytes", plain.size());
  if (header.compression == kRvzStored) {
    if (stored.size() < plain.size())
      return bad_rvz(source, expected, fmt::format("{}", stored.size()));
    return stored;  // may include bytes after the last record
  }
  const size_t got = ZSTD_decompress(plain.data(), plain.size(), stored.data(), stored.size());
  if (ZSTD_isError(got) != 0) return bad_rvz(source, expected, ZSTD_getErrorName(got));
  if (got != plain.size()) return bad_rvz(source, expected, fmt::format("{}", got));
  return plain;
}

// Returns the stored length of the group whose record lies at `at` in the table; 0 for a group of
// zeros.
uint32_t group_bytes(const RvzHeader& header, std::string_view table, size_t at) {
  const auto length = big_endian<uint32_t>(table, at + 4);
  return header.is_rvz ? length & ~kIsCompressedBit : length;
}

std::string compressed_table(const RvzHeader& header, const std::string& plain) {
  if (header.compression == kRvzStored) return plain;
  std::string stored(ZSTD_compressBound(plain.size()), '\0');
  const size_t count =
      ZSTD_compress(stored.data(), stored.size(), plain.data(), plain.size(), kZstdLevel);
  stored.resize(ZSTD_isError(count) != 0 ? 0 : count);
  return stored;
}

bool may_be_rvz(const FileEnds& ends) {
  const std::string_view front = text_of(ends.front);
  return front.starts_with(kRvzMagic) || front.starts_with(kWiaMagic);
}

bool is_among_data(const RvzTable& table, const FlatDirectory& directory) {
  return table.size_bytes > 0 && table.at_bytes < directory.data_end_bytes &&
         table.end_bytes() > directory.data_begin_bytes;
}

Result<std::optional<FlatDirectory>> read_rvz(const ByteSource& source) {
  SKL_TRY(const auto header, read_rvz_header(source));
  FlatDirectory directory;
  directory.obstacle = header.bytes.empty() ? "it is of a version that isn't understood"
                                            : rvz_obstacle(header, source.size_bytes());
  if (!directory.obstacle.empty()) return directory;
  directory.most_offset_bytes = kPlaceUnitBytes * UINT32_MAX;
  SKL_TRY(const auto table, read_group_table(source, header));
  for (uint32_t group = 0; group < header.groups; ++group) {
    const size_t at = group * header.record_bytes();
    const uint32_t size_bytes = group_bytes(header, table, at);
    if (size_bytes == 0) continue;
    FlatEntry entry;
    entry.name = fmt::format("group {}", group);
    entry.offset_bytes = kPlaceUnitBytes * big_endian<uint32_t>(table, at);
    entry.size_bytes = size_bytes;
    entry.stored_as = "a piece of a disc";
    directory.entries.push_back(std::move(entry));
  }
  SKL_TRY_DO(settle_data(source, kRvzHeadBytes + kRvzDiscBytes, source.size_bytes(), directory));
  // The tables lie around the data, so what lies there isn't padding.
  directory.unused.clear();
  if (!directory.obstacle.empty()) return directory;
  for (const RvzTable& part : header.tables())
    if (is_among_data(part, directory)) directory.obstacle = "its directory lies among its data";
  if (std::max(directory.data_begin_bytes, source.size_bytes() - directory.data_end_bytes) >
      kMostRvzAroundBytes)
    directory.obstacle = "there is much beside its data that belongs to no group";
  if (header.group_records.at_bytes >= directory.data_end_bytes)
    directory.offset_bytes = header.group_records.at_bytes;
  return directory;
}

std::string with_group_places(std::string table, const RvzHeader& header,
                              const FlatPlaces& places) {
  size_t entry = 0;
  for (uint32_t group = 0; group < header.groups; ++group) {
    const size_t at = group * header.record_bytes();
    if (group_bytes(header, table, at) == 0) continue;
    set_big_endian(table, at,
                   static_cast<uint32_t>(places.offset_bytes[entry++] / kPlaceUnitBytes));
  }
  return table;
}

// Returns how many bytes the table may take where it lies: up to the next table or the data.
uint64_t room_of(const RvzTable& table, const RvzHeader& header, const FlatDirectory& directory,
                 uint64_t size_bytes) {
  uint64_t end_bytes =
      table.at_bytes < directory.data_begin_bytes ? directory.data_begin_bytes : size_bytes;
  for (const RvzTable& other : header.tables())
    if (other.size_bytes > 0 && other.at_bytes > table.at_bytes)
      end_bytes = std::min(end_bytes, other.at_bytes);
  return end_bytes - table.at_bytes;
}

// Replaces the table of groups: in its place, or at the end if it doesn't fit there. Zeros behind
// its place count as free.
void put_group_table(const std::string& table, const RvzHeader& old_header,
                     const FlatDirectory& directory, uint64_t grown_bytes, uint64_t room_bytes,
                     FlatAround& around) {
  const uint64_t new_end_bytes = directory.data_end_bytes + grown_bytes;
  const RvzTable& old_table = old_header.group_records;
  const bool is_in_front = old_table.at_bytes < directory.data_begin_bytes;
  std::string& part = is_in_front ? around.front : around.back;
  const size_t at = old_table.at_bytes - (is_in_front ? 0 : directory.data_end_bytes);
  std::fill_n(part.begin() + static_cast<ptrdiff_t>(at), old_table.size_bytes, '\0');
  uint64_t place_bytes = is_in_front ? at : new_end_bytes + at;
  const bool is_free = part.find_first_not_of('\0', at) >= at + table.size();
  if (is_free && table.size() <= room_bytes) {
    part.replace(at, table.size(), table);
  } else {
    place_bytes = new_end_bytes + around.back.size();
    around.back += table;
  }
  set_big_endian(around.front, old_table.place_field_at, place_bytes);
  set_big_endian(around.front, old_table.place_field_at + 8, static_cast<uint32_t>(table.size()));
}

// Sets the lengths and checksums in the file's head.
void set_rvz_head(std::string& front, uint64_t file_bytes) {
  const std::string_view disc = std::string_view(front).substr(kRvzHeadBytes, kRvzDiscBytes);
  front.replace(kDiscHashAt, sizeof(Sha1), rvz_sha1(disc));
  set_big_endian(front, kFileBytesAt, file_bytes);
  front.replace(kHeadHashAt, sizeof(Sha1),
                rvz_sha1(std::string_view(front).substr(0, kHeadHashAt)));
}

Result<FlatAround> write_rvz(const ByteSource& source, const FlatDirectory& directory,
                             const FlatPlaces& places) {
  SKL_TRY(const auto header, read_rvz_header(source));
  SKL_TRY(auto old_table, read_group_table(source, header));
  FlatAround around;
  SKL_TRY(around.front, bytes_at(source, 0, directory.data_begin_bytes));
  SKL_TRY(around.back, bytes_at(source, directory.data_end_bytes,
                                source.size_bytes() - directory.data_end_bytes));
  const uint64_t grown_bytes = places.data_end_bytes - directory.data_end_bytes;  // modulo 2^64
  for (const RvzTable& table : {header.partitions, header.raw_records})
    if (table.at_bytes >= directory.data_end_bytes)
      set_big_endian(around.front, table.place_field_at, table.at_bytes + grown_bytes);
  put_group_table(compressed_table(header, with_group_places(std::move(old_table), header, places)),
                  header, directory, grown_bytes,
                  room_of(header.group_records, header, directory, source.size_bytes()), around);
  set_rvz_head(around.front, places.data_end_bytes + around.back.size());
  return around;
}

}  // namespace

const FlatFormat kDolphinRvz = {"Dolphin's disc image", may_be_rvz, read_rvz, write_rvz};

}  // namespace seekless
