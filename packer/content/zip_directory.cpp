#include "packer/content/zip_directory.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "packer/host/runtime_error.h"
#include "runtime/zip_name.h"

namespace seekless {
namespace {

// In a local header, timestamps take up to 20 bytes more than in the directory.
constexpr uint64_t kMaxExtraGrowth = 32;
constexpr size_t kMaxNameInMessage = 200;
constexpr const char* kCutShort =
    "it may be cut short: get it again, leave it out (--exclude), or take it as a plain file "
    "(--opaque)";
constexpr const char* kDamagedAdvice =
    "the archive is damaged: get it again, leave it out (--exclude), or take it as a plain file "
    "(--opaque)";

using runtime::ZipFault;
using runtime::ZipFlaw;

// Lets the runtime's functions read the archive.
class SourceFile final : public runtime::File {
 public:
  explicit SourceFile(const ByteSource& source) : source_(source) {}
  const std::string& name() const override { return source_.name(); }
  uint64_t size_bytes() const override { return source_.size_bytes(); }
  runtime::Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    auto read = source_.read_at(offset_bytes, into);
    if (read) return {};
    const bool is_damage = read.error().kind == ErrorKind::damaged;
    return std::unexpected(runtime::Error{.result = is_damage ? SKL_DAMAGED : SKL_IO,
                                          .message = std::move(read.error().message)});
  }
  void will_need(uint64_t, uint64_t) const override {}

 private:
  const ByteSource& source_;
};

// Describes what was expected and found, for faults of the end record and of other records.
Fault words_of(const ZipFault& fault) {
  switch (fault.flaw) {
    case ZipFlaw::no_end:
      return {.expected = "the end record of a zip archive", .found = "none"};
    case ZipFlaw::no_zip64_end:
      return {.expected = "a zip64 end record before it, as it calls for one", .found = "none"};
    case ZipFlaw::long_comment:
      return {.expected = fmt::format("a comment of {} bytes", fault.expected),
              .found = fmt::format("{} bytes to the end of the file", fault.found)};
    case ZipFlaw::split:
      return {.expected = "an archive in one file",
              .found = fmt::format("part {} of a split archive", fault.found + 1),
              .advice = "join the parts (zip -s 0 IN.zip --out OUT.zip)"};
    case ZipFlaw::long_directory:
      return {.expected = fmt::format("a directory of at most {} bytes", fault.expected),
              .found = fmt::format("one of {} bytes", fault.found)};
    case ZipFlaw::short_directory:
      return {.expected = fmt::format("a directory of {} entries", fault.expected),
              .found = fmt::format("one of {} bytes", fault.found)};
    case ZipFlaw::no_directory:
      return {.expected = fmt::format("a central directory at byte {}", fault.expected),
              .found = fault.found > fault.expected
                           ? fmt::format("byte {} claimed for its start, and {} for its length",
                                         fault.found, fault.also)
                           : "no record of one there"};
    case ZipFlaw::other_archive:
      return {.expected = "the end of the archive that starts at byte 0",
              .found = fmt::format("that of another that starts at byte {}", fault.found)};
    case ZipFlaw::wrong_count:
      return {.expected = fmt::format("{} entries, as in the directory", fault.expected),
              .found = fmt::format("{}", fault.found),
              .advice = kDamagedAdvice};
    case ZipFlaw::bad_signature:
      return {.expected = "its signature PK\\1\\2", .found = fmt::format("{:#010x}", fault.found)};
    case ZipFlaw::cut_record:
      return {.expected = fmt::format("{} bytes", fault.expected),
              .found = fmt::format("{} to the directory's end", fault.found)};
    case ZipFlaw::short_zip64_field:
      return {.expected = "a zip64 extra field with every size that needs one",
              .found = "a shorter one"};
    case ZipFlaw::split_entry:
      return {.expected = "an archive in one file",
              .found = "an entry in another part of a split one"};
    case ZipFlaw::hidden_directory:
      return {.expected = "a directory that can be read",
              .found = "an encrypted one",
              .advice = "exclude the archive, or make it again without a password"};
    case ZipFlaw::beyond_directory:
      return {.expected = fmt::format("an entry before byte {}, where entries end", fault.expected),
              .found = fmt::format("one at byte {}", fault.found)};
    case ZipFlaw::over_directory:
      return {
          .expected = fmt::format("an entry after the directory, from byte {} on", fault.expected),
          .found = fmt::format("one at byte {}", fault.found)};
    case ZipFlaw::no_room:
      return {.expected = fmt::format("at most {} bytes up to where entries end", fault.expected),
              .found = fmt::format("a header of {} and data of {}", fault.found, fault.also)};
    case ZipFlaw::stored_size:
      return {.expected = fmt::format("{} bytes, as they are stored", fault.expected),
              .found = fmt::format("a size of {}", fault.found)};
    case ZipFlaw::deflated_size:
      return {.expected = fmt::format("at most {} bytes from {}, the most that deflate can do",
                                      fault.expected * runtime::kMostInflation, fault.expected),
              .found = fmt::format("a size of {}", fault.found)};
    case ZipFlaw::none:
    case ZipFlaw::unreadable:
      break;
  }
  return {};
}

// Reports a fault of the end record, or of a record that belongs to no entry.
std::unexpected<Error> error_of(const ByteSource& source, const ZipFault& fault) {
  if (fault.flaw == ZipFlaw::unreadable) return from_runtime(fault.cause);
  const bool is_record = fault.flaw == ZipFlaw::bad_signature || fault.flaw == ZipFlaw::cut_record;
  Fault words = words_of(fault);
  words.file = source.name();
  words.place = fault.flaw == ZipFlaw::no_end ? fmt::format("the last {} bytes", fault.found)
                : is_record ? fmt::format("central directory, record at byte {}", fault.at_bytes)
                            : fmt::format("zip end record at byte {}", fault.at_bytes);
  if (words.advice.empty()) words.advice = is_record ? kDamagedAdvice : kCutShort;
  return damaged(words);
}

void decode_name(ZipEntry& entry) {
  runtime::ZipName name = runtime::name_of(entry);
  entry.name = std::move(name.path);
  entry.name_fault = name.fault;
  entry.is_directory = name.is_folder;
  entry.is_link = runtime::is_link(entry);
}

}  // namespace

uint32_t ZipEntry::header_bytes() const {
  const auto told = static_cast<uint32_t>(kLocalHeaderBytes + raw_name.size() + raw_extra.size());
  // The gap between two entries is the rest of the header if the directory gives about the same
  // size.
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

class ZipDirectoryReader {
 public:
  ZipDirectoryReader(const ByteSource& source, const runtime::ZipEnd& end) : source_(source) {
    directory_.end_ = end;
  }

  Result<ZipDirectory> read() {
    SKL_TRY_DO(read_comment());
    SKL_TRY_DO(read_records());
    SKL_TRY_DO(check_overlaps());
    return std::move(directory_);
  }

 private:
  std::unexpected<Error> bad_entry(const runtime::ZipRecord& record, Fault words) const {
    ZipEntry entry{record};
    decode_name(entry);
    words.file = source_.name();
    words.place = place_of(entry);
    words.advice = kDamagedAdvice;
    return damaged(words);
  }

  Result<void> read_comment() {
    const runtime::ZipEnd& end = directory_.end_;
    directory_.comment_.resize(end.comment_bytes);
    return source_.read_at(source_.size_bytes() - end.trailing_bytes - end.comment_bytes,
                           std::as_writable_bytes(std::span(directory_.comment_)));
  }

  Result<void> read_records() {
    const SourceFile file(source_);
    runtime::ZipRecords records(file, directory_.end_);
    for (;;) {
      const auto is_there = records.next();
      if (!is_there && records.record().flaw != ZipFlaw::none)
        return bad_entry(records.record(), words_of(is_there.error()));
      if (!is_there) return error_of(source_, is_there.error());
      if (!*is_there) return {};
      if (const auto fault = fault_of(records.record(), directory_.end_))
        return bad_entry(records.record(), words_of(*fault));
      std::vector<std::byte>& bytes = directory_.bytes_;
      directory_.records_.push_back({.at = bytes.size(), .limit_bytes = 0});
      bytes.insert(bytes.end(), records.bytes().begin(), records.bytes().end());
    }
  }

  // Refuses archives whose entries share bytes, because they unpack to far more than they hold.
  // Real archives don't.
  Result<void> check_overlaps() {
    struct RecordExtent {
      uint64_t begin;
      uint64_t end;
      uint32_t index;
    };
    std::vector<RecordExtent> extents;
    extents.reserve(directory_.records_.size());
    for (size_t i = 0; i < directory_.records_.size(); ++i) {
      const runtime::ZipRecord record = directory_.record(i);
      const uint64_t begin = record.header_offset_bytes;
      extents.push_back({begin,
                         begin + kLocalHeaderBytes + record.raw_name.size() + record.stored_bytes,
                         static_cast<uint32_t>(i)});
    }
    std::ranges::sort(extents, {},
                      [](const RecordExtent& e) { return std::pair(e.begin, e.index); });
    uint64_t limit = directory_.end_.entries_end_bytes();
    for (size_t i = extents.size(); i-- > 0; limit = extents[i].begin) {
      directory_.records_[extents[i].index].limit_bytes = limit;
      if (extents[i].end <= limit) continue;
      return bad_entry(
          directory_.record(extents[i].index),
          {.expected = fmt::format("an end before the next entry at byte {}", limit),
           .found = fmt::format("data up to byte {}, over that entry", extents[i].end)});
    }
    return {};
  }

  const ByteSource& source_;
  ZipDirectory directory_;
};

runtime::ZipRecord ZipDirectory::record(size_t index) const {
  const uint64_t at = records_[index].at;
  return runtime::load_zip_record(std::span(bytes_).subspan(at), at, end_);
}

ZipEntry ZipDirectory::entry(size_t index) const {
  ZipEntry entry{record(index)};
  entry.limit_bytes = records_[index].limit_bytes;
  decode_name(entry);
  return entry;
}

Result<bool> looks_like_zip(const ByteSource& source) {
  const auto is_one = runtime::is_zip(SourceFile(source));
  if (!is_one) return error_of(source, is_one.error());
  return *is_one;
}

Result<ZipDirectory> read_zip_directory(const ByteSource& source) {
  const auto end = runtime::find_zip_end(SourceFile(source));
  if (!end) return error_of(source, end.error());
  return ZipDirectoryReader(source, *end).read();
}

}  // namespace seekless
