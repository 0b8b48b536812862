// Reads Godot's .pck, versions 1 (Godot 3), 2 (Godot 4.0 to 4.4), 3 (4.5 and 4.6) and 4 (from 4.7
// on), as a file of its own or at the end of the game's program. Source of the format: Godot's
// documentation of PCKPacker, and core/io/file_access_pack.h, pck_packer.h of Godot.
//
//   "GDPC", version, engine's major, minor, patch; from version 2 on: flags (4), offset of the data
//   (8); from version 3 on: offset of the directory (8); 64 bytes reserved. The directory, which
//   from version 3 on is elsewhere, mostly behind the data: count; for each entry: the name's
//   length, the name, padded with zeros; offset (8), length (8), MD5 (16); from version 2 on: flags
//   (4).
//
// At a program's end, 12 bytes come after it: the archive's length (8), and "GDPC".
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/content/internal/directory_cursor.h"
#include "packer/content/internal/flat_formats.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

constexpr std::string_view kMagic = "GDPC";
constexpr size_t kTrailerBytes = 12;
constexpr size_t kReservedBytes = 64;
constexpr size_t kMostNameBytes = 1 << 16;
constexpr uint32_t kEncryptedDirectory = 1;
constexpr uint32_t kPlacesFromArchive = 2;  // offsets count from the archive, not from the file
constexpr uint32_t kSparse = 4;             // entries are files beside the archive
constexpr uint32_t kNewestVersion = 4;
// Flags of entries. A removed entry has no data, and hides an entry of another archive.
constexpr uint32_t kEncrypted = 1;
constexpr uint32_t kRemoved = 2;
// An encrypted entry begins with an MD5 (16 bytes), a length (8) and an initialization vector (16),
// and is padded to whole blocks of the cipher: PCKPacker::add_file in Godot's pck_packer.cpp.
constexpr uint64_t kCipherHeadBytes = 40;
constexpr uint64_t kCipherBlockBytes = 16;

// Returns the bytes that an entry takes in the archive. The directory only has its length before
// encryption. An impossible length is returned unchanged, so that a later check reports the damage.
uint64_t encrypted_bytes(uint64_t plain_bytes) {
  if (plain_bytes > UINT64_MAX / 2) return plain_bytes;
  const uint64_t blocks = (plain_bytes + kCipherBlockBytes - 1) / kCipherBlockBytes;
  return kCipherHeadBytes + blocks * kCipherBlockBytes;
}

struct DirectoryExtent {
  uint64_t begin_bytes = 0;
  uint64_t end_bytes = 0;
  bool is_embedded = false;
};

// Returns an offset beyond any file if the sum overflows.
uint64_t from_begin(const DirectoryExtent& extent, uint64_t place_bytes) {
  return place_bytes > UINT64_MAX - extent.begin_bytes ? UINT64_MAX
                                                       : extent.begin_bytes + place_bytes;
}

Result<bool> has_magic(const ByteSource& source, uint64_t at_bytes) {
  if (source.size_bytes() < kMagic.size() || at_bytes > source.size_bytes() - kMagic.size())
    return false;
  std::array<std::byte, kMagic.size()> bytes = {};
  SKL_TRY_DO(source.read_at(at_bytes, bytes));
  return text_of(bytes) == kMagic;
}

Result<std::optional<DirectoryExtent>> find_archive(const ByteSource& source) {
  const uint64_t size = source.size_bytes();
  SKL_TRY(const auto is_front, has_magic(source, 0));
  if (is_front) return DirectoryExtent{0, size, false};
  if (size < 2 * kTrailerBytes) return std::nullopt;
  std::array<std::byte, kTrailerBytes> trailer = {};
  SKL_TRY_DO(source.read_at(size - kTrailerBytes, trailer));
  const auto length = load<uint64_t>(trailer, 0);
  if (text_of(trailer).substr(8) != kMagic || length > size - kTrailerBytes) return std::nullopt;
  const uint64_t begin = size - kTrailerBytes - length;
  SKL_TRY(const auto is_there, has_magic(source, begin));
  if (!is_there) return std::nullopt;
  return DirectoryExtent{begin, size - kTrailerBytes, true};
}

std::string path_of(std::span<const std::byte> bytes) {
  std::string_view name = text_of(bytes);
  name = name.substr(0, name.find('\0'));
  if (name.starts_with("res://")) name.remove_prefix(6);
  return std::string(name);
}

// Holds an archive's header.
struct Header {
  uint32_t version = 0;
  uint64_t front_end_bytes = 0;  // data may begin here
  uint64_t base_bytes = 0;       // entries' offsets count from here
  uint64_t directory_bytes = 0;
  FlatField
      // From version 3 on: the field with directory_bytes, counted from the archive's beginning.
      directory_field;
  std::string obstacle;
};

std::string obstacle_of(uint32_t flags) {
  if ((flags & kEncryptedDirectory) != 0) return "its directory is encrypted";
  if ((flags & kSparse) != 0) return "its entries are files beside it";
  if ((flags & ~kPlacesFromArchive) != 0) return fmt::format("unknown flags {:#x}", flags);
  return {};
}

Result<Header> read_header(DirectoryCursor& cursor, const DirectoryExtent& extent) {
  SKL_TRY(const auto front, cursor.take(20));
  Header header = {.version = load<uint32_t>(front, 4)};
  if (header.version < 1 || header.version > kNewestVersion) {
    header.obstacle =
        fmt::format("a .pck of version {}; 1 to {} are understood", header.version, kNewestVersion);
    return header;
  }
  if (header.version >= 2) {
    SKL_TRY(const auto more, cursor.take(12));
    const auto flags = load<uint32_t>(more, 0);
    header.obstacle = obstacle_of(flags);
    header.base_bytes = load<uint64_t>(more, 4);
    // Newer versions count from the archive's beginning, even without the flag.
    if (header.version >= 3 || (flags & kPlacesFromArchive) != 0)
      header.base_bytes = from_begin(extent, header.base_bytes);
  }
  if (header.version >= 3) {
    header.directory_field = {cursor.at_bytes(), 8};
    SKL_TRY(const auto place, cursor.take(8));
    header.directory_bytes = from_begin(extent, load<uint64_t>(place, 0));
    header.front_end_bytes = cursor.at_bytes();  // some archives lack the reserved bytes
    return header;
  }
  SKL_TRY_DROP(cursor.take(kReservedBytes));
  header.directory_bytes = header.front_end_bytes = cursor.at_bytes();
  return header;
}

Result<void> read_entries(const ByteSource& source, DirectoryCursor& cursor, const Header& header,
                          FlatDirectory& directory) {
  SKL_TRY(const auto count_bytes, cursor.take(4));
  const auto count = load<uint32_t>(count_bytes, 0);
  for (uint32_t i = 0; i < count; ++i) {
    SKL_TRY(const auto length, cursor.take(4));
    const auto name_bytes = load<uint32_t>(length, 0);
    if (name_bytes > kMostNameBytes)
      return damaged({.file = source.name(),
                      .place = fmt::format("entry {}", i),
                      .expected = fmt::format("a name of at most {} bytes", kMostNameBytes),
                      .found = fmt::format("{}", name_bytes),
                      .advice = "the archive is damaged: get it again"});
    SKL_TRY(const auto name, cursor.take(name_bytes));
    FlatEntry entry;
    entry.name = path_of(name);
    entry.name_fault = check_asset_path(entry.name);
    entry.offset_field = {cursor.at_bytes(), 8};
    entry.base_bytes = header.base_bytes;
    SKL_TRY(const auto fields, cursor.take(8 + 8 + 16 + (header.version >= 2 ? 4 : 0)));
    const auto offset = load<uint64_t>(fields, 0);
    entry.size_bytes = load<uint64_t>(fields, 8);
    entry.offset_bytes =
        offset > UINT64_MAX - header.base_bytes ? UINT64_MAX : header.base_bytes + offset;
    const uint32_t flags = header.version >= 2 ? load<uint32_t>(fields, 32) : 0;
    if ((flags & kRemoved) != 0 && entry.size_bytes == 0)
      entry.offset_field = {};
    else if ((flags & kEncrypted) != 0)
      entry.size_bytes = encrypted_bytes(entry.size_bytes);
    if (flags != 0)
      entry.stored_as = (flags & kRemoved) != 0     ? kRemovalMark
                        : (flags & kEncrypted) != 0 ? kEncryptedData
                                                    : "data of a kind that isn't understood";
    Md5 md5 = {};
    std::ranges::copy(fields.subspan(16, md5.size()), md5.begin());
    if (md5 != Md5()) entry.md5 = md5;  // some packers leave it out
    directory.entries.push_back(std::move(entry));
  }
  return {};
}

// Returns true if the directory lies behind all data, and so moves with their end.
bool lies_behind(uint64_t directory_bytes, const FlatDirectory& directory) {
  return std::ranges::none_of(directory.entries, [&](const FlatEntry& entry) {
    return entry.size_bytes > 0 && entry.offset_bytes >= directory_bytes;
  });
}

FlatDirectory left_as_it_is(std::string obstacle) {
  FlatDirectory directory;
  directory.obstacle = std::move(obstacle);
  return directory;
}

bool may_be_godot_pck(const FileEnds& ends) {
  return text_of(ends.front).starts_with(kMagic) ||
         (ends.back.size() >= kTrailerBytes && text_of(ends.back).ends_with(kMagic));
}

Result<std::optional<FlatDirectory>> read_godot_pck(const ByteSource& source) {
  const auto extent = find_archive(source);
  if (!extent || !*extent)
    return extent ? Result<std::optional<FlatDirectory>>(std::nullopt)
                  : std::unexpected(extent.error());
  const auto [begin_bytes, end_bytes, is_embedded] = **extent;
  DirectoryCursor cursor(source, begin_bytes, end_bytes);
  SKL_TRY(const auto header, read_header(cursor, **extent));
  if (!header.obstacle.empty()) return left_as_it_is(header.obstacle);
  if (header.base_bytes > source.size_bytes()) return left_as_it_is("its data begin past its end");
  if (header.directory_bytes < header.front_end_bytes || header.directory_bytes > end_bytes)
    return left_as_it_is("its directory begins outside of it");
  FlatDirectory directory = left_as_it_is("");
  DirectoryCursor records(source, header.directory_bytes, end_bytes);
  SKL_TRY_DO(read_entries(source, records, header, directory));
  if (is_embedded) directory.moving_fields.push_back({end_bytes, 8});
  if (begin_bytes > 0) directory.take_apart_obstacle = "it also holds the program in front of it";
  const bool is_behind = header.version >= 3 && lies_behind(header.directory_bytes, directory);
  if (is_behind) directory.moving_fields.push_back(header.directory_field);
  directory.unused.push_back(is_behind
                                 ? FlatStretch{records.at_bytes(), end_bytes}
                                 : FlatStretch{header.front_end_bytes, header.directory_bytes});
  // A directory in front counts as beginning at byte 0, so that it includes the program to which
  // the pack is appended.
  directory.offset_bytes = is_behind ? header.directory_bytes : 0;
  SKL_TRY_DO(is_behind
                 ? settle_data(source, header.front_end_bytes, header.directory_bytes, directory)
                 : settle_data(source, records.at_bytes(), end_bytes, directory));
  return directory;
}

}  // namespace

const FlatFormat kGodotPck = {"Godot's .pck", may_be_godot_pck, read_godot_pck};

}  // namespace seekless
