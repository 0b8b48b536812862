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
constexpr uint32_t kPackSignature = 0x4c4b5389;    // as format::kMagic begins
constexpr uint32_t kSignedSignature = 0x05054b50;  // of a digital signature after the entries
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

// Something that has the signature of the record at a zip's end, and what it says.
struct End {
  uint64_t at = 0;               // in the file
  uint64_t offset_bytes = 0;     // of the first record after the directory
  uint64_t available_bytes = 0;  // after the record
  uint64_t comment_bytes = 0;
  uint64_t disk = 0;  // or the directory's; 0: the zip is one file
  uint64_t entries_here = 0;
  uint64_t entry_count = 0;
  uint64_t directory_bytes = 0;
  uint64_t directory_offset_bytes = 0;  // as claimed, until it is located
  uint64_t shift_bytes = 0;             // how much further back all lies than it claims
  bool is_wide = false;                 // by zip64
};

std::unexpected<Error> wrong_end(const File& file, const End& end) {
  return wrong(
      file, "end of the directory at byte " + std::to_string(end.at), "a directory before it",
      std::to_string(end.entry_count) + " entries in " + std::to_string(end.directory_bytes) +
          " bytes at byte " + std::to_string(end.directory_offset_bytes),
      end.at);
}

Result<bool> has_signature(const File& file, uint64_t offset_bytes, uint32_t signature) {
  std::byte bytes[4];
  if (file.size_bytes() < sizeof(bytes) || offset_bytes > file.size_bytes() - sizeof(bytes))
    return false;
  if (auto read = file.read_at(offset_bytes, bytes); !read) return std::unexpected(read.error());
  return Fields(bytes).four(0) == signature;
}

// The record of zip64 right before its locator, or else where that says: bytes may have been put
// before the zip.
Result<void> widen_end(const File& file, End& end) {
  std::byte locator[kLocatorBytes];
  std::byte record[kEnd64Bytes];
  const auto found = [&]() -> Result<bool> {
    if (end.at < kLocatorBytes + kEnd64Bytes) return false;
    const uint64_t locator_at = end.at - kLocatorBytes;
    if (auto read = file.read_at(locator_at, locator); !read) return std::unexpected(read.error());
    if (Fields(locator).four(0) != kLocatorSignature) return false;
    const uint64_t latest = locator_at - kEnd64Bytes;
    for (const uint64_t at : {latest, Fields(locator).eight(8)}) {
      if (at > latest) continue;
      if (auto read = file.read_at(at, record); !read) return std::unexpected(read.error());
      end.offset_bytes = at;
      if (Fields(record).four(0) == kEnd64Signature &&
          Fields(record).eight(4) == locator_at - at - 12)
        return true;
    }
    end.offset_bytes = end.at;
    return false;
  }();
  if (!found) return std::unexpected(found.error());
  if (!*found) {
    // Exactly 65,535 entries need no zip64.
    const bool needs_it =
        end.directory_bytes == UINT32_MAX || end.directory_offset_bytes == UINT32_MAX;
    return needs_it ? wrong_end(file, end) : Result<void>();
  }
  const Fields wide{record};
  const auto take = [](uint64_t& field, uint64_t saturated, uint64_t value) {
    if (field == saturated) field = value;
  };
  end.is_wide = true;
  end.disk = wide.four(16) | wide.four(20);
  take(end.entries_here, UINT16_MAX, wide.eight(24));
  take(end.entry_count, UINT16_MAX, wide.eight(32));
  take(end.directory_bytes, UINT32_MAX, wide.eight(40));
  take(end.directory_offset_bytes, UINT32_MAX, wide.eight(48));
  return {};
}

// The directory is right before the end, from which follows how much was put before the zip; or
// else where the end says.
Result<void> locate_directory(const File& file, End& end) {
  if (end.comment_bytes > end.available_bytes || end.directory_bytes > end.offset_bytes ||
      end.directory_bytes > kMostDirectoryBytes ||
      end.entry_count > end.directory_bytes / kEntryBytes)
    return wrong_end(file, end);
  const uint64_t before_end = end.offset_bytes - end.directory_bytes;
  const uint64_t claimed = end.directory_offset_bytes;
  if (end.directory_bytes == 0) {
    end.directory_offset_bytes = before_end;
    return {};
  }
  if (claimed > before_end) return wrong_end(file, end);
  for (const uint64_t at : {before_end, claimed}) {
    const auto is_there = has_signature(file, at, kEntrySignature);
    if (!is_there) return std::unexpected(is_there.error());
    if (!*is_there) continue;
    end.directory_offset_bytes = at;
    end.shift_bytes = at - claimed;
    return {};
  }
  return wrong_end(file, end);
}

Result<void> examine(const File& file, End& end) {
  if (auto widened = widen_end(file, end); !widened) return widened;
  if (end.disk != 0 || end.entries_here != end.entry_count)
    return std::unexpected(Error{
        SKL_UNSUPPORTED, file.name() + ": expected a zip of one volume, found one of several"});
  return locate_directory(file, end);
}

// Comments may hold what looks like an end, an empty one above all; bytes may follow the zip.
int rank(const End& end) {
  return (end.directory_bytes > 0 ? 2 : 0) + (end.comment_bytes == end.available_bytes ? 1 : 0);
}

// The best that is sound, of equals the last; else what is wrong with the likeliest. As the packer
// has it (packer/content/zip_end.cpp): what one takes for a zip, the other does.
Result<End> read_end(const File& file) {
  const uint64_t size = file.size_bytes();
  std::vector<std::byte> tail(std::min<uint64_t>(size, kEndBytes + kLongestComment));
  if (auto read = file.read_at(size - tail.size(), tail); !read)
    return std::unexpected(read.error());
  const Fields fields{tail};
  std::optional<End> best;
  std::optional<Error> fault;
  bool fault_is_exact = false;
  for (size_t at = tail.size() < kEndBytes ? 0 : tail.size() - kEndBytes + 1; at-- > 0;) {
    if (fields.four(at) != kEndSignature) continue;
    End end;
    end.at = end.offset_bytes = size - tail.size() + at;
    end.available_bytes = tail.size() - at - kEndBytes;
    end.comment_bytes = fields.two(at + 20);
    end.disk = fields.two(at + 4) | fields.two(at + 6);
    end.entries_here = fields.two(at + 8);
    end.entry_count = fields.two(at + 10);
    end.directory_bytes = fields.four(at + 12);
    end.directory_offset_bytes = fields.four(at + 16);
    const bool is_exact = end.comment_bytes == end.available_bytes;
    auto examined = examine(file, end);
    if (!examined) {
      if (!fault || (is_exact && !fault_is_exact)) fault = std::move(examined.error());
      fault_is_exact = fault_is_exact || is_exact;
      continue;
    }
    // Empty, and bytes after it: only chance put the signature there.
    if (rank(end) == 0 && end.offset_bytes != 0) continue;
    if (!best || rank(end) > rank(*best)) best = end;
  }
  if (!best && fault) return std::unexpected(std::move(*fault));
  if (!best) return wrong(file, "end", "the end of a zip's directory", "other bytes", size);
  if (best->shift_bytes == 0) return *best;
  // A zip that begins the file has lost its end, if what was found is of one further back.
  const auto begins = has_signature(file, 0, kLocalSignature);
  if (!begins) return std::unexpected(begins.error());
  if (*begins) return wrong_end(file, *best);
  return *best;
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
  const TableMemory bytes(end->directory_bytes, memory);
  if (auto read = file.read_at(end->directory_offset_bytes, bytes.bytes()); !read)
    return std::unexpected(read.error());
  ZipDirectory directory;
  directory.offset_bytes = end->directory_offset_bytes;
  std::span<const std::byte> rest = bytes.bytes();
  uint64_t count = 0;
  while (rest.size() < 4 ? !rest.empty() : Fields(rest).four(0) != kSignedSignature) {
    auto entry = read_entry(file, end->directory_offset_bytes + end->directory_bytes, rest);
    if (!entry) return std::unexpected(entry.error());
    ++count;
    if (!*entry) continue;
    (*entry)->header_offset_bytes += end->shift_bytes;
    directory.entries.push_back(std::move(**entry));
  }
  // Without zip64 there is room for the last 16 bits only, and some writers leave it at that.
  if ((end->is_wide ? count : count % (UINT16_MAX + 1)) != end->entry_count)
    return wrong_end(file, *end);
  drop_replaced(directory.entries);
  return directory;
}

bool is_zip(const File& file) {
  // The first entry's header, or of an empty zip the end. What begins otherwise has had other bytes
  // put before it, and must have entries. A pack may end with a zip that it holds.
  if (const auto begins = has_signature(file, 0, kPackSignature); !begins || *begins) return false;
  for (const uint32_t signature : {kLocalSignature, kEndSignature})
    if (const auto begins = has_signature(file, 0, signature); begins && *begins) return true;
  const auto end = read_end(file);
  return end && end->directory_bytes > 0;
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
