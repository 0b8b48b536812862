// Godot's .pck, versions 1 (Godot 3) and 2 (Godot 4.0 to 4.4), as a file of its own or at the end
// of the game's program. Source of the format: Godot's documentation of PCKPacker, and
// core/io/file_access_pack.h, pck_packer.h of Godot.
//
//   "GDPC", version, engine's major, minor, patch; version 2: flags (4), where data begin (8); 64
//   bytes reserved; count; for each entry: the name's length, the name, filled up with zeros; place
//   (8), length (8), MD5 (16); version 2: flags (4).
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

#include "packer/content/flat_archive.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

constexpr std::string_view kMagic = "GDPC";
constexpr size_t kTrailerBytes = 12;
constexpr size_t kReservedBytes = 64;
constexpr size_t kMostNameBytes = 1 << 16;
constexpr uint32_t kEncryptedDirectory = 1;
constexpr uint32_t kPlacesFromArchive = 2;  // not from the start of the file
constexpr uint32_t kSparse = 4;             // entries lie beside it, as files

// Reads on through the file, a stretch at a time.
class Cursor {
 public:
  Cursor(const ByteSource& source, uint64_t at_bytes, uint64_t end_bytes)
      : source_(source), at_bytes_(at_bytes), end_bytes_(end_bytes) {}

  uint64_t at_bytes() const { return at_bytes_; }

  // The next bytes, valid until the next call; none past the end.
  Result<std::span<const std::byte>> take(size_t count) {
    if (count > end_bytes_ - at_bytes_)
      return damaged({.file = source_.name(),
                      .place = fmt::format("directory at byte {}", at_bytes_),
                      .expected = fmt::format("{} bytes more", count),
                      .found = fmt::format("{}", end_bytes_ - at_bytes_),
                      .advice = "the archive is damaged: get it again"});
    if (at_bytes_ < window_at_ || at_bytes_ + count > window_at_ + window_.size()) {
      window_.resize(std::min<uint64_t>(end_bytes_ - at_bytes_, std::max(count, kWindowBytes)));
      window_at_ = at_bytes_;
      if (auto read = source_.read_at(window_at_, window_); !read)
        return std::unexpected(read.error());
    }
    const auto bytes = std::span<const std::byte>(window_).subspan(at_bytes_ - window_at_, count);
    at_bytes_ += count;
    return bytes;
  }

 private:
  static constexpr size_t kWindowBytes = 1 << 16;

  const ByteSource& source_;
  uint64_t at_bytes_;
  uint64_t end_bytes_;
  std::vector<std::byte> window_;
  uint64_t window_at_ = 0;
};

struct Extent {
  uint64_t begin_bytes = 0;
  uint64_t end_bytes = 0;
  bool is_embedded = false;
};

Result<bool> has_magic(const ByteSource& source, uint64_t at_bytes) {
  if (source.size_bytes() < kMagic.size() || at_bytes > source.size_bytes() - kMagic.size())
    return false;
  std::array<std::byte, kMagic.size()> bytes = {};
  if (auto read = source.read_at(at_bytes, bytes); !read) return std::unexpected(read.error());
  return text_of(bytes) == kMagic;
}

Result<std::optional<Extent>> find_archive(const ByteSource& source) {
  const uint64_t size = source.size_bytes();
  const auto is_front = has_magic(source, 0);
  if (!is_front) return std::unexpected(is_front.error());
  if (*is_front) return Extent{0, size, false};
  if (size < 2 * kTrailerBytes) return std::nullopt;
  std::array<std::byte, kTrailerBytes> trailer = {};
  if (auto read = source.read_at(size - kTrailerBytes, trailer); !read)
    return std::unexpected(read.error());
  const auto length = load<uint64_t>(trailer, 0);
  if (text_of(trailer).substr(8) != kMagic || length > size - kTrailerBytes) return std::nullopt;
  const uint64_t begin = size - kTrailerBytes - length;
  const auto is_there = has_magic(source, begin);
  if (!is_there) return std::unexpected(is_there.error());
  if (!*is_there) return std::nullopt;
  return Extent{begin, size - kTrailerBytes, true};
}

std::string path_of(std::span<const std::byte> bytes) {
  std::string_view name = text_of(bytes);
  name = name.substr(0, name.find('\0'));
  if (name.starts_with("res://")) name.remove_prefix(6);
  return std::string(name);
}

Result<void> read_entries(const ByteSource& source, Cursor& cursor, uint32_t version,
                          uint32_t count, uint64_t base_bytes, FlatDirectory& directory) {
  for (uint32_t i = 0; i < count; ++i) {
    const auto length = cursor.take(4);
    if (!length) return std::unexpected(length.error());
    const auto name_bytes = load<uint32_t>(*length, 0);
    if (name_bytes > kMostNameBytes)
      return damaged({.file = source.name(),
                      .place = fmt::format("entry {}", i),
                      .expected = fmt::format("a name of at most {} bytes", kMostNameBytes),
                      .found = fmt::format("{}", name_bytes),
                      .advice = "the archive is damaged: get it again"});
    const auto name = cursor.take(name_bytes);
    if (!name) return std::unexpected(name.error());
    FlatEntry entry;
    entry.name = path_of(*name);
    entry.name_fault = check_asset_path(entry.name);
    entry.offset_field = {cursor.at_bytes(), 8};
    entry.base_bytes = base_bytes;
    const auto fields = cursor.take(8 + 8 + 16 + (version >= 2 ? 4 : 0));
    if (!fields) return std::unexpected(fields.error());
    const auto offset = load<uint64_t>(*fields, 0);
    entry.size_bytes = load<uint64_t>(*fields, 8);
    entry.offset_bytes = offset > UINT64_MAX - base_bytes ? UINT64_MAX : base_bytes + offset;
    directory.entries.push_back(std::move(entry));
  }
  return {};
}

FlatDirectory left_as_it_is(std::string obstacle) {
  FlatDirectory directory;
  directory.obstacle = std::move(obstacle);
  return directory;
}

}  // namespace

Result<std::optional<FlatDirectory>> read_godot_pck(const ByteSource& source) {
  const auto extent = find_archive(source);
  if (!extent || !*extent)
    return extent ? Result<std::optional<FlatDirectory>>(std::nullopt)
                  : std::unexpected(extent.error());
  Cursor cursor(source, (*extent)->begin_bytes, (*extent)->end_bytes);
  const auto front = cursor.take(20);
  if (!front) return std::unexpected(front.error());
  const auto version = load<uint32_t>(*front, 4);
  if (version != 1 && version != 2)
    return left_as_it_is(fmt::format("a .pck of version {}; 1 and 2 are understood", version));
  uint64_t base_bytes = 0;
  if (version == 2) {
    const auto more = cursor.take(12);
    if (!more) return std::unexpected(more.error());
    const auto flags = load<uint32_t>(*more, 0);
    if ((flags & kEncryptedDirectory) != 0) return left_as_it_is("its directory is encrypted");
    if ((flags & ~kPlacesFromArchive) != 0)
      return left_as_it_is((flags & kSparse) != 0 ? "its entries are files beside it"
                                                  : fmt::format("unknown flags {:#x}", flags));
    base_bytes = load<uint64_t>(*more, 4);
    if ((flags & kPlacesFromArchive) != 0) base_bytes += (*extent)->begin_bytes;
    if (base_bytes > source.size_bytes()) return left_as_it_is("its data begin past its end");
  }
  const auto reserved = cursor.take(kReservedBytes + 4);
  if (!reserved) return std::unexpected(reserved.error());
  FlatDirectory directory = left_as_it_is("");
  if (auto read = read_entries(source, cursor, version, load<uint32_t>(*reserved, kReservedBytes),
                               base_bytes, directory);
      !read)
    return std::unexpected(read.error());
  directory.offset_bytes = 0;  // with the program before it
  if ((*extent)->is_embedded) directory.moving_fields.push_back({(*extent)->end_bytes, 8});
  if (auto settled = settle_data(source, cursor.at_bytes(), (*extent)->end_bytes, directory);
      !settled)
    return std::unexpected(settled.error());
  return directory;
}

}  // namespace seekless
