#include "runtime/zip_directory.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/asset_path.h"
#include "runtime/tables.h"

namespace seekless::runtime {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kLocatorSignature = 0x07064b50;
constexpr size_t kLocalBytes = 30;
constexpr size_t kEntryBytes = 46;
constexpr size_t kEndBytes = 22;
constexpr size_t kEnd64Bytes = 56;
constexpr size_t kLocatorBytes = 20;
constexpr size_t kLongestComment = 65535;
// Of a directory: some 10 million entries. A sparse file could claim any size.
constexpr uint64_t kMostDirectoryBytes = uint64_t{1} << 30;

std::unexpected<Error> wrong(const File& file, const std::string& place,
                             const std::string& expected, const std::string& found,
                             uint64_t offset_bytes) {
  return damaged(file.name() + ": " + place + ": expected " + expected + ", found " + found +
                     "; fetch the zip anew",
                 offset_bytes);
}

// Little-endian numbers out of bytes that are known to be there.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}
  uint16_t two(size_t at) const { return get<uint16_t>(at); }
  uint32_t four(size_t at) const { return get<uint32_t>(at); }
  uint64_t eight(size_t at) const { return get<uint64_t>(at); }
  std::string_view text(size_t at, size_t length) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + at, length};
  }
  std::span<const std::byte> part(size_t at, size_t length) const {
    return bytes_.subspan(at, length);
  }

 private:
  template <typename Number>
  Number get(size_t at) const {
    Number number = 0;
    std::memcpy(&number, bytes_.data() + at, sizeof(number));
    return number;
  }
  std::span<const std::byte> bytes_;
};

struct End {
  uint64_t offset_bytes = 0;  // of the record itself
  uint64_t entry_count = 0;
  uint64_t directory_bytes = 0;
  uint64_t directory_offset_bytes = 0;
};

Result<End> read_end64(const File& file, uint64_t end_offset_bytes) {
  std::byte bytes[kEnd64Bytes];
  const auto missing = [&] {
    return wrong(file, "end of the directory", "a record of zip64 before it", "none",
                 end_offset_bytes);
  };
  if (end_offset_bytes < kLocatorBytes) return missing();
  const std::span locator(bytes, kLocatorBytes);
  if (auto read = file.read_at(end_offset_bytes - kLocatorBytes, locator); !read)
    return std::unexpected(read.error());
  if (Fields(locator).four(0) != kLocatorSignature) return missing();
  const uint64_t offset = Fields(locator).eight(8);
  const uint64_t latest = end_offset_bytes - kLocatorBytes;
  if (latest < kEnd64Bytes || offset > latest - kEnd64Bytes) return missing();
  if (auto read = file.read_at(offset, bytes); !read) return std::unexpected(read.error());
  const Fields fields{bytes};
  if (fields.four(0) != kEnd64Signature) return missing();
  if (fields.four(16) != 0 || fields.four(20) != 0 || fields.eight(24) != fields.eight(32))
    return std::unexpected(Error{
        SKL_UNSUPPORTED, file.name() + ": expected a zip of one volume, found one of several"});
  return End{offset, fields.eight(32), fields.eight(40), fields.eight(48)};
}

Result<End> read_end(const File& file) {
  const uint64_t size = file.size_bytes();
  std::vector<std::byte> tail(std::min<uint64_t>(size, kEndBytes + kLongestComment));
  if (auto read = file.read_at(size - tail.size(), tail); !read)
    return std::unexpected(read.error());
  const Fields fields{tail};
  for (size_t at = tail.size() < kEndBytes ? 0 : tail.size() - kEndBytes + 1; at-- > 0;) {
    if (fields.four(at) != kEndSignature || fields.two(at + 20) != tail.size() - at - kEndBytes)
      continue;
    const uint64_t offset = size - tail.size() + at;
    const End end = {offset, fields.two(at + 10), fields.four(at + 12), fields.four(at + 16)};
    if (end.entry_count == UINT16_MAX || end.directory_bytes == UINT32_MAX ||
        end.directory_offset_bytes == UINT32_MAX) {
      auto end64 = read_end64(file, offset);
      // 65535 entries need no zip64.
      const bool may_be_whole =
          end.directory_bytes != UINT32_MAX && end.directory_offset_bytes != UINT32_MAX;
      if (end64 || !may_be_whole) return end64;
    }
    if (fields.two(at + 4) != 0 || fields.two(at + 6) != 0 ||
        fields.two(at + 8) != fields.two(at + 10))
      return std::unexpected(Error{
          SKL_UNSUPPORTED, file.name() + ": expected a zip of one volume, found one of several"});
    return end;
  }
  return wrong(file, "end", "the end of a zip's directory", "other bytes", size);
}

// Fields of the directory that don't fit 32 bits stand in the entry's zip64 field, those only.
bool widen(std::span<const std::byte> extra, ZipEntry& entry) {
  const bool wide_size = entry.size_bytes == UINT32_MAX;
  const bool wide_stored = entry.stored_bytes == UINT32_MAX;
  const bool wide_offset = entry.header_offset_bytes == UINT32_MAX;
  if (!wide_size && !wide_stored && !wide_offset) return true;
  while (extra.size() >= 4) {
    const Fields field{extra};
    const size_t length = field.two(2);
    if (length > extra.size() - 4) return false;
    if (field.two(0) == 1) {
      size_t at = 4;
      for (const auto& [is_wide, value] :
           {std::pair(wide_size, &entry.size_bytes), std::pair(wide_stored, &entry.stored_bytes),
            std::pair(wide_offset, &entry.header_offset_bytes)}) {
        if (!is_wide) continue;
        if (at + 8 > 4 + length) return false;
        *value = field.eight(at);
        at += 8;
      }
      return true;
    }
    extra = extra.subspan(4 + length);
  }
  return false;
}

bool is_link(const Fields& record) {
  constexpr uint8_t kMadeOnUnix = 3;
  constexpr uint32_t kKindMask = 0170000;
  constexpr uint32_t kLink = 0120000;
  return record.two(4) >> 8 == kMadeOnUnix && (record.four(38) >> 16 & kKindMask) == kLink;
}

// Reads the entry at the front of `rest`, and moves `rest` behind it.
Result<std::optional<ZipEntry>> read_entry(const File& file, uint64_t end_offset_bytes,
                                           std::span<const std::byte>& rest) {
  const uint64_t offset = end_offset_bytes - rest.size();
  const auto broken = [&](const char* expected) {
    return wrong(file, "directory", expected, "other bytes", offset);
  };
  if (rest.size() < kEntryBytes || Fields(rest).four(0) != kEntrySignature)
    return broken("an entry");
  const Fields record{rest};
  const size_t name = record.two(28);
  const size_t extra = record.two(30);
  const size_t comment = record.two(32);
  if (name + extra + comment > rest.size() - kEntryBytes) return broken("an entry's whole name");
  ZipEntry entry;
  entry.path = record.text(kEntryBytes, name);
  entry.method = record.two(10);
  entry.is_encrypted = (record.two(8) & 1) != 0;
  entry.crc32 = record.four(16);
  entry.stored_bytes = record.four(20);
  entry.size_bytes = record.four(24);
  entry.header_offset_bytes = record.four(42);
  if (!widen(record.part(kEntryBytes + name, extra), entry)) return broken("sizes of zip64");
  const bool is_file = !entry.path.ends_with('/') && !is_link(record);
  rest = rest.subspan(kEntryBytes + name + extra + comment);
  if (!is_file) return std::nullopt;
  if (const auto fault = check_asset_path(entry.path); fault != PathFault::none)
    return std::unexpected(Error{SKL_UNSUPPORTED,
                                 file.name() + ": entry at byte " + std::to_string(offset) +
                                     " of the directory: expected a path such as 'folder/file' in "
                                     "UTF-8, found " +
                                     describe(fault) + "; make the zip anew",
                                 0, offset});
  return entry;
}

// As unpacking one entry after the other would leave it.
void drop_replaced(std::vector<ZipEntry>& entries) {
  std::vector<uint32_t> order(entries.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {},
                           [&](uint32_t i) -> const std::string& { return entries[i].path; });
  std::vector<bool> is_replaced(entries.size());
  for (size_t i = 1; i < order.size(); ++i)
    is_replaced[order[i - 1]] = entries[order[i - 1]].path == entries[order[i]].path;
  size_t kept = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (is_replaced[i]) continue;
    if (kept != i) entries[kept] = std::move(entries[i]);
    ++kept;
  }
  entries.resize(kept);
}

}  // namespace

Result<ZipDirectory> read_zip_directory(const File& file, const Memory& memory) {
  const auto end = read_end(file);
  if (!end) return std::unexpected(end.error());
  if (end->directory_offset_bytes > end->offset_bytes ||
      end->directory_bytes > end->offset_bytes - end->directory_offset_bytes ||
      end->directory_bytes > kMostDirectoryBytes ||
      end->entry_count > end->directory_bytes / kEntryBytes)
    return wrong(file, "end of the directory",
                 "a directory before byte " + std::to_string(end->offset_bytes),
                 std::to_string(end->entry_count) + " entries in " +
                     std::to_string(end->directory_bytes) + " bytes at byte " +
                     std::to_string(end->directory_offset_bytes),
                 end->offset_bytes);
  const TableMemory bytes(end->directory_bytes, memory);
  if (auto read = file.read_at(end->directory_offset_bytes, bytes.bytes()); !read)
    return std::unexpected(read.error());
  ZipDirectory directory;
  directory.offset_bytes = end->directory_offset_bytes;
  std::span<const std::byte> rest = bytes.bytes();
  for (uint64_t i = 0; i < end->entry_count; ++i) {
    auto entry = read_entry(file, end->directory_offset_bytes + end->directory_bytes, rest);
    if (!entry) return std::unexpected(entry.error());
    if (*entry) directory.entries.push_back(std::move(**entry));
  }
  drop_replaced(directory.entries);
  return directory;
}

Result<uint64_t> find_zip_data(const File& file, const ZipDirectory& directory,
                               const ZipEntry& entry) {
  const auto broken = [&](const char* expected, const char* found) {
    return wrong(file, "entry '" + entry.path + "'", expected, found, entry.header_offset_bytes);
  };
  const uint64_t end = directory.offset_bytes;
  const size_t header_bytes = kLocalBytes + entry.path.size();
  if (entry.header_offset_bytes > end || header_bytes > end - entry.header_offset_bytes)
    return broken("a header before the directory", "one behind it");
  std::vector<std::byte> bytes(header_bytes);
  if (auto read = file.read_at(entry.header_offset_bytes, bytes); !read)
    return std::unexpected(read.error());
  const Fields header{bytes};
  if (header.four(0) != kLocalSignature || header.two(8) != entry.method ||
      header.two(26) != entry.path.size() ||
      header.text(kLocalBytes, entry.path.size()) != entry.path)
    return broken("a header that agrees with the directory", "another");
  const uint64_t data = entry.header_offset_bytes + header_bytes + header.two(28);
  if (data > end || entry.stored_bytes > end - data)
    return broken("its bytes before the directory", "them going on behind it");
  return data;
}

}  // namespace seekless::runtime
