#include "packer/content/zip_directory.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "packer/content/little_endian.h"
#include "packer/content/zip_end.h"
#include "packer/content/zip_name.h"

namespace seekless {
namespace {

constexpr uint32_t kRecordSignature = 0x02014b50;
constexpr uint32_t kDirectorySignature = 0x05054b50;  // of a digital signature over the directory
constexpr size_t kRecordBytes = 46;                   // without name, extra field and comment
constexpr uint64_t kPieceBytes = 1 << 20;  // of the directory that is read ahead of checking it
constexpr uint16_t kZip64Field = 0x0001;
// The most that deflate can do: 258 bytes from a length and a distance of one bit each.
constexpr uint64_t kMaxDeflateRatio = 1032;
constexpr uint32_t kDosDirectoryAttribute = 0x10;
// Time stamps take up to 20 bytes more in a local header than in the directory.
constexpr uint64_t kMaxExtraGrowth = 32;
constexpr size_t kMaxNameInMessage = 200;
constexpr const char* kDamagedAdvice =
    "the archive is damaged: get it again, or declare it opaque to pack it as a plain file";

struct RecordLengths {
  uint16_t name;
  uint16_t extra;
  uint16_t comment;
  size_t total() const { return kRecordBytes + name + extra + comment; }
};

RecordLengths lengths_of(std::span<const std::byte> record) {
  return {load<uint16_t>(record, 28), load<uint16_t>(record, 30), load<uint16_t>(record, 32)};
}

struct Zip64Fields {
  uint16_t disk = 0;
  bool is_complete = true;  // the extra field holds all that it has to
};

// The extra field holds 64-bit forms of exactly those fields that are saturated, in this order.
Zip64Fields apply_zip64_field(ZipEntry& entry, uint16_t disk) {
  Zip64Fields result{.disk = disk};
  const auto field = find_extra_field(entry.raw_extra, kZip64Field);
  if (!field) return result;
  std::span<const std::byte> rest = *field;
  for (uint64_t* value : {&entry.size_bytes, &entry.stored_bytes, &entry.header_offset_bytes}) {
    if (*value != UINT32_MAX) continue;
    if (rest.size() < sizeof(uint64_t)) {
      result.is_complete = false;
      return result;
    }
    *value = load<uint64_t>(rest, 0);
    rest = rest.subspan(sizeof(uint64_t));
  }
  if (disk == UINT16_MAX && rest.size() >= sizeof(uint32_t))
    result.disk = load<uint32_t>(rest, 0) == 0 ? 0 : UINT16_MAX;
  return result;
}

// The fields as they are; names aren't decoded. `record` is whole.
ZipEntry load_record(std::span<const std::byte> record, Zip64Fields* zip64 = nullptr) {
  const RecordLengths lengths = lengths_of(record);
  const std::string_view text = text_of(record);
  ZipEntry entry;
  entry.version_made_by = load<uint16_t>(record, 4);
  entry.version_needed = load<uint16_t>(record, 6);
  entry.flags = load<uint16_t>(record, 8);
  entry.method = load<uint16_t>(record, 10);
  entry.dos_time = load<uint16_t>(record, 12);
  entry.dos_date = load<uint16_t>(record, 14);
  entry.crc32 = load<uint32_t>(record, 16);
  entry.stored_bytes = load<uint32_t>(record, 20);
  entry.size_bytes = load<uint32_t>(record, 24);
  entry.internal_attributes = load<uint16_t>(record, 36);
  entry.external_attributes = load<uint32_t>(record, 38);
  entry.header_offset_bytes = load<uint32_t>(record, 42);
  entry.raw_name = text.substr(kRecordBytes, lengths.name);
  entry.raw_extra = text.substr(kRecordBytes + lengths.name, lengths.extra);
  entry.raw_comment = text.substr(kRecordBytes + lengths.name + lengths.extra, lengths.comment);
  const Zip64Fields applied = apply_zip64_field(entry, load<uint16_t>(record, 34));
  if (zip64 != nullptr) *zip64 = applied;
  return entry;
}

void decode_name(ZipEntry& entry) {
  entry.name = normalise_zip_name(
      decode_zip_name(entry.raw_name, entry.raw_extra, entry.flags, entry.version_made_by),
      entry.version_made_by);
  // Some tools for DOS and Windows leave the slash out. A folder with content is a file whose name
  // is wrong: it keeps the slash and is refused for it.
  const bool is_marked = is_made_on_dos(entry.version_made_by) &&
                         (entry.external_attributes & kDosDirectoryAttribute) != 0;
  const bool is_named = entry.name.ends_with('/') || entry.name.empty();
  entry.is_directory = (is_marked || is_named) && entry.size_bytes == 0 && !entry.raw_name.empty();
  if (entry.is_directory && entry.name.ends_with('/')) entry.name.pop_back();
  entry.name_fault =
      entry.is_directory && entry.name.empty() ? PathFault::none : check_asset_path(entry.name);
}

}  // namespace

uint32_t ZipEntry::header_bytes() const {
  const auto told = static_cast<uint32_t>(kLocalHeaderBytes + raw_name.size() + raw_extra.size());
  // What lies between two entries is the rest of the header, if the directory tells about as much.
  const uint64_t least = kLocalHeaderBytes + raw_name.size();
  const uint64_t room = limit_bytes - header_offset_bytes - stored_bytes;
  if (has_data_descriptor() || room < least || room > told + kMaxExtraGrowth) return told;
  return static_cast<uint32_t>(room);
}

std::string zip_method_name(uint16_t method) {
  switch (method) {
    case zip_method::kStored:
      return "stored";
    case zip_method::kDeflated:
      return "deflated";
    case 9:
      return "Deflate64";
    case 12:
      return "bzip2";
    case 14:
      return "LZMA";
    case 93:
      return "Zstandard";
    case 95:
      return "XZ";
    case 98:
      return "PPMd";
    case 99:
      return "AES encryption";
    default:
      return fmt::format("method {}", method);
  }
}

std::string place_of(const ZipEntry& entry) {
  const std::string_view name = entry.name.empty() ? entry.raw_name : std::string_view(entry.name);
  return fmt::format("entry '{}{}' at byte {}", name.substr(0, kMaxNameInMessage),
                     name.size() > kMaxNameInMessage ? "..." : "", entry.header_offset_bytes);
}

Result<void> check_readable(const std::string& file, const std::string& place, uint16_t method,
                            bool is_encrypted) {
  if (is_encrypted)
    return damaged({.file = file,
                    .place = place,
                    .expected = "an entry that can be read",
                    .found = "an encrypted one",
                    .advice = "exclude it, or make the archive again without a password"});
  if (!can_unpack(method, is_encrypted))
    return damaged({.file = file,
                    .place = place,
                    .expected = "a stored or deflated entry",
                    .found = zip_method_name(method),
                    .advice = "exclude it, or make the archive again with one of these methods"});
  return {};
}

// Reads the directory piece by piece, so that memory goes with what has proved to be one.
class ZipDirectoryParser {
 public:
  ZipDirectoryParser(const ByteSource& source, ZipEnd end) : source_(source), end_(std::move(end)) {
    directory_.offset_bytes_ = end_.directory_offset_bytes;
    directory_.end_offset_bytes_ = end_.end_offset_bytes;
    directory_.shift_bytes_ = end_.shift_bytes;
    directory_.trailing_bytes_ = end_.trailing_bytes;
    directory_.is_zip64_ = end_.is_zip64;
    directory_.comment_ = std::move(end_.comment);
  }

  Result<ZipDirectory> parse() {
    uint64_t at = 0;
    while (at < end_.directory_bytes) {
      const auto taken = take_record(at);
      if (!taken) return std::unexpected(taken.error());
      at += *taken;
    }
    if (auto checked = check_count(); !checked) return std::unexpected(checked.error());
    if (auto checked = check_overlaps(); !checked) return std::unexpected(checked.error());
    return std::move(directory_);
  }

 private:
  std::unexpected<Error> bad_record(uint64_t at, std::string expected, std::string found) const {
    return damaged({.file = source_.name(),
                    .place = fmt::format("central directory, record at byte {}",
                                         end_.directory_offset_bytes + at),
                    .expected = std::move(expected),
                    .found = std::move(found),
                    .advice = kDamagedAdvice});
  }

  std::unexpected<Error> bad_entry(ZipEntry& entry, std::string expected, std::string found) const {
    decode_name(entry);
    return damaged({.file = source_.name(),
                    .place = place_of(entry),
                    .expected = std::move(expected),
                    .found = std::move(found),
                    .advice = kDamagedAdvice});
  }

  // Makes the directory's bytes [at, at + length) present; false if the directory ends before.
  Result<bool> require(uint64_t at, uint64_t length) {
    if (length > end_.directory_bytes - at) return false;
    std::vector<std::byte>& bytes = directory_.bytes_;
    if (at + length <= bytes.size()) return true;
    const uint64_t begin = bytes.size();
    const uint64_t count =
        std::min(std::max(at + length - begin, kPieceBytes), end_.directory_bytes - begin);
    bytes.resize(begin + count);
    auto read = source_.read_at(end_.directory_offset_bytes + begin,
                                std::span(bytes).subspan(begin, count));
    if (!read) return std::unexpected(read.error());
    return true;
  }

  std::span<const std::byte> bytes_at(uint64_t at) const {
    return std::span<const std::byte>(directory_.bytes_).subspan(at);
  }

  // Returns the length of the record.
  Result<uint64_t> take_record(uint64_t at) {
    const auto has_signature = require(at, sizeof(uint32_t));
    if (!has_signature) return std::unexpected(has_signature.error());
    const uint32_t signature = *has_signature ? load<uint32_t>(bytes_at(at), 0) : 0;
    if (signature == kDirectorySignature) return end_.directory_bytes - at;
    if (signature != kRecordSignature)
      return bad_record(at, "its signature PK\\1\\2", fmt::format("{:#010x}", signature));
    auto is_whole = require(at, kRecordBytes);
    if (!is_whole) return std::unexpected(is_whole.error());
    uint64_t length = kRecordBytes;
    if (*is_whole) {
      length = lengths_of(bytes_at(at)).total();
      is_whole = require(at, length);
      if (!is_whole) return std::unexpected(is_whole.error());
    }
    if (!*is_whole)
      return bad_record(at, fmt::format("{} bytes", length),
                        fmt::format("{} to the directory's end", end_.directory_bytes - at));
    if (auto checked = check_record(bytes_at(at).first(length)); !checked)
      return std::unexpected(checked.error());
    directory_.records_.push_back({.at = at, .limit_bytes = 0});
    return length;
  }

  Result<void> check_record(std::span<const std::byte> record) const {
    Zip64Fields zip64;
    ZipEntry entry = load_record(record, &zip64);
    if (!zip64.is_complete)
      return bad_entry(entry, "a zip64 extra field with every size that needs one",
                       "a shorter one");
    if (zip64.disk != 0)
      return bad_entry(entry, "an archive in one file", "an entry in another part of a split one");
    if (auto checked = check_place(entry); !checked) return checked;
    return check_sizes(entry);
  }

  Result<void> check_place(ZipEntry& entry) const {
    const uint64_t end = end_.directory_offset_bytes;
    const uint64_t header = kLocalHeaderBytes + entry.raw_name.size();
    const uint64_t claimed = entry.header_offset_bytes;
    if (claimed > end || end_.shift_bytes > end - claimed)
      return bad_entry(entry, fmt::format("an entry before the directory at byte {}", end),
                       fmt::format("one at byte {}", claimed));
    entry.header_offset_bytes = claimed + end_.shift_bytes;
    const uint64_t room = end - entry.header_offset_bytes;
    if (header > room || entry.stored_bytes > room - header)
      return bad_entry(entry, fmt::format("at most {} bytes up to the directory", room),
                       fmt::format("a header of {} and data of {}", header, entry.stored_bytes));
    return {};
  }

  Result<void> check_sizes(ZipEntry& entry) const {
    const bool is_stored = entry.method == zip_method::kStored && !entry.is_encrypted();
    if (is_stored && entry.size_bytes != entry.stored_bytes)
      return bad_entry(entry, fmt::format("{} bytes, as they are stored", entry.stored_bytes),
                       fmt::format("a size of {}", entry.size_bytes));
    if (entry.method == zip_method::kDeflated && entry.size_bytes > 0 &&
        (entry.size_bytes - 1) / kMaxDeflateRatio >= entry.stored_bytes)
      return bad_entry(entry,
                       fmt::format("at most {} bytes from {}, the most that deflate can do",
                                   entry.stored_bytes * kMaxDeflateRatio, entry.stored_bytes),
                       fmt::format("a size of {}", entry.size_bytes));
    return {};
  }

  Result<void> check_count() const {
    const uint64_t count = directory_.records_.size();
    // Old tools wrote more than 65,535 entries and let the count overflow; unzip reads that.
    const bool fits =
        end_.is_zip64 ? count == end_.entry_count : count % (UINT16_MAX + 1) == end_.entry_count;
    if (fits && count < UINT32_MAX) return {};
    return damaged({.file = source_.name(),
                    .place = fmt::format("zip end record at byte {}", end_.end_offset_bytes),
                    .expected = fmt::format("{} entries, as in the directory", count),
                    .found = fmt::format("{}", end_.entry_count),
                    .advice = kDamagedAdvice});
  }

  // Archives whose entries share bytes unpack to far more than they hold. Real ones don't do it.
  Result<void> check_overlaps() {
    struct Extent {
      uint64_t begin;
      uint64_t end;
      uint32_t index;
    };
    std::vector<Extent> extents;
    extents.reserve(directory_.records_.size());
    for (size_t i = 0; i < directory_.records_.size(); ++i) {
      const ZipEntry entry = load_record(bytes_at(directory_.records_[i].at));
      const uint64_t begin = entry.header_offset_bytes + end_.shift_bytes;
      extents.push_back({begin,
                         begin + kLocalHeaderBytes + entry.raw_name.size() + entry.stored_bytes,
                         static_cast<uint32_t>(i)});
    }
    std::ranges::sort(extents, {}, [](const Extent& e) { return std::pair(e.begin, e.index); });
    uint64_t limit = end_.directory_offset_bytes;
    for (size_t i = extents.size(); i-- > 0; limit = extents[i].begin) {
      directory_.records_[extents[i].index].limit_bytes = limit;
      if (extents[i].end <= limit) continue;
      ZipEntry entry = directory_.entry(extents[i].index);
      return bad_entry(entry, fmt::format("an end before the next entry at byte {}", limit),
                       fmt::format("data up to byte {}, over that entry", extents[i].end));
    }
    return {};
  }

  const ByteSource& source_;
  ZipEnd end_;
  ZipDirectory directory_;
};

ZipEntry ZipDirectory::entry(size_t index) const {
  const Record& record = records_[index];
  ZipEntry entry = load_record(std::span<const std::byte>(bytes_).subspan(record.at));
  entry.header_offset_bytes += shift_bytes_;
  entry.limit_bytes = record.limit_bytes;
  entry.record_offset_bytes = offset_bytes_ + record.at;
  decode_name(entry);
  return entry;
}

Result<bool> looks_like_zip(const ByteSource& source) {
  return has_zip_signature(source);
}

Result<ZipDirectory> read_zip_directory(const ByteSource& source) {
  auto end = find_zip_end(source);
  if (!end) return std::unexpected(end.error());
  return ZipDirectoryParser(source, *std::move(end)).parse();
}

}  // namespace seekless
