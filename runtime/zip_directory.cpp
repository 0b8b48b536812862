#include "runtime/zip_directory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/zip_fields.h"

namespace seekless::runtime {
namespace {

// Signature of a digital signature over the directory.
constexpr uint32_t kSignedSignature = 0x05054b50;
constexpr std::string_view kEndMagic = "PK\5\6";
constexpr uint64_t kMostCommentBytes = UINT16_MAX;
// "version needed" value of an encrypted directory.
constexpr uint16_t kHiddenDirectoryVersion = 62;
constexpr uint64_t kZip64LengthAt = 12;  // offset from which a zip64 end's length counts
// Size of the piece of the directory that is read at once; longer than any record.
constexpr uint64_t kReadAheadBytes = uint64_t{1} << 20;
static_assert(kReadAheadBytes > kZipRecordBytes + 3 * UINT16_MAX);

std::unexpected<ZipFault> wrong(ZipFlaw flaw, uint64_t at_bytes, uint64_t expected = 0,
                                uint64_t found = 0, uint64_t also = 0) {
  return std::unexpected(ZipFault{flaw, at_bytes, expected, found, also});
}

ZipResult<void> read(const File& file, uint64_t offset_bytes, std::span<std::byte> into) {
  if (auto read = file.read_at(offset_bytes, into); !read)
    return std::unexpected(ZipFault{.flaw = ZipFlaw::unreadable, .cause = std::move(read.error())});
  return {};
}

ZipResult<bool> has_signature(const File& file, uint64_t offset_bytes, uint32_t signature) {
  std::byte bytes[4];
  if (file.size_bytes() < sizeof(bytes) || offset_bytes > file.size_bytes() - sizeof(bytes))
    return false;
  if (auto got = read(file, offset_bytes, bytes); !got) return std::unexpected(got.error());
  return load<uint32_t>(bytes, 0) == signature;
}

// A possible end record: a place with its signature, and the values there.
struct Candidate {
  uint64_t at = 0;            // offset in the file
  uint64_t offset_bytes = 0;  // same as ZipEnd::offset_bytes
  uint64_t disk = 0;
  uint64_t directory_disk = 0;
  uint64_t entries_here = 0;
  uint64_t entries = 0;
  uint64_t directory_bytes = 0;
  uint64_t directory_offset_bytes = 0;  // as the record claims
  uint64_t comment_bytes = 0;
  uint64_t available_bytes = 0;  // bytes from the record's end to the end of the file
  bool is_zip64 = false;

  bool is_exact() const { return comment_bytes == available_bytes; }
};

// The part of the file where an end record may lie. Returns candidates in file order.
class Tail {
 public:
  explicit Tail(const File& file)
      : bytes_(std::min<uint64_t>(file.size_bytes(), kZipEndBytes + kMostCommentBytes)),
        offset_bytes_(file.size_bytes() - bytes_.size()) {}

  ZipResult<void> read_from(const File& file) { return read(file, offset_bytes_, bytes_); }
  size_t size_bytes() const { return bytes_.size(); }

  std::optional<Candidate> next() {
    const size_t at = text_of(bytes_).find(kEndMagic, next_);
    if (at == std::string_view::npos || bytes_.size() - at < kZipEndBytes) return std::nullopt;
    next_ = at + 1;
    const std::span<const std::byte> record = std::span(bytes_).subspan(at);
    Candidate candidate;
    candidate.at = candidate.offset_bytes = offset_bytes_ + at;
    candidate.disk = load<uint16_t>(record, 4);
    candidate.directory_disk = load<uint16_t>(record, 6);
    candidate.entries_here = load<uint16_t>(record, 8);
    candidate.entries = load<uint16_t>(record, 10);
    candidate.directory_bytes = load<uint32_t>(record, 12);
    candidate.directory_offset_bytes = load<uint32_t>(record, 16);
    candidate.comment_bytes = load<uint16_t>(record, 20);
    candidate.available_bytes = record.size() - kZipEndBytes;
    return candidate;
  }

 private:
  std::vector<std::byte> bytes_;
  uint64_t offset_bytes_;
  size_t next_ = 0;
};

using Zip64End = std::array<std::byte, kZip64EndBytes>;

// Reads the zip64 end record that the locator before `candidate` points to, and returns its place.
// The locator counts from the start of the archive, which may follow other data, so the place right
// before the locator is tried first.
ZipResult<std::optional<uint64_t>> find_zip64_end(const File& file, const Candidate& candidate,
                                                  Zip64End& record) {
  if (candidate.at < kZip64LocatorBytes + kZip64EndBytes) return std::nullopt;
  const uint64_t locator_at = candidate.at - kZip64LocatorBytes;
  std::byte locator[kZip64LocatorBytes];
  if (auto got = read(file, locator_at, locator); !got) return std::unexpected(got.error());
  if (load<uint32_t>(locator, 0) != kZip64LocatorSignature) return std::nullopt;
  const uint64_t latest = locator_at - kZip64EndBytes;
  for (const uint64_t at : {latest, load<uint64_t>(locator, 8)}) {
    if (at > latest) continue;
    if (auto got = read(file, at, record); !got) return std::unexpected(got.error());
    // The length counts the bytes after it; extensible data may follow the known fields.
    if (load<uint32_t>(record, 0) == kZip64EndSignature &&
        load<uint64_t>(record, 4) == locator_at - at - kZip64LengthAt)
      return at;
  }
  return std::nullopt;
}

ZipResult<void> apply_zip64(const File& file, Candidate& candidate) {
  Zip64End record;
  const auto at = find_zip64_end(file, candidate, record);
  if (!at) return std::unexpected(at.error());
  if (!*at) {
    // An archive without zip64 may have exactly 65,535 entries, so that value alone proves nothing.
    if (candidate.directory_bytes != UINT32_MAX && candidate.directory_offset_bytes != UINT32_MAX)
      return {};
    return wrong(ZipFlaw::no_zip64_end, candidate.at);
  }
  const auto take = [](uint64_t& field, uint64_t saturated, uint64_t wide) {
    if (field == saturated) field = wide;
  };
  take(candidate.disk, UINT16_MAX, load<uint32_t>(record, 16));
  take(candidate.directory_disk, UINT16_MAX, load<uint32_t>(record, 20));
  take(candidate.entries_here, UINT16_MAX, load<uint64_t>(record, 24));
  take(candidate.entries, UINT16_MAX, load<uint64_t>(record, 32));
  take(candidate.directory_bytes, UINT32_MAX, load<uint64_t>(record, 40));
  take(candidate.directory_offset_bytes, UINT32_MAX, load<uint64_t>(record, 48));
  candidate.offset_bytes = **at;
  candidate.is_zip64 = true;
  // Version 2 of the record continues with fields about the directory's compression and encryption.
  if (load<uint64_t>(record, 4) > kZip64EndBytes - kZip64LengthAt &&
      load<uint16_t>(record, 14) >= kHiddenDirectoryVersion)
    return wrong(ZipFlaw::hidden_directory, **at);
  return {};
}

ZipResult<void> check_figures(const Candidate& candidate) {
  if (candidate.comment_bytes > candidate.available_bytes)
    return wrong(ZipFlaw::long_comment, candidate.at, candidate.comment_bytes,
                 candidate.available_bytes);
  if (candidate.disk != 0 || candidate.directory_disk != 0 ||
      candidate.entries_here != candidate.entries)
    return wrong(ZipFlaw::split, candidate.at, 0, candidate.disk);
  if (candidate.directory_bytes > candidate.offset_bytes)
    return wrong(ZipFlaw::long_directory, candidate.at, candidate.offset_bytes,
                 candidate.directory_bytes);
  if (candidate.entries > candidate.directory_bytes / kZipRecordBytes)
    return wrong(ZipFlaw::short_directory, candidate.at, candidate.entries,
                 candidate.directory_bytes);
  return {};
}

// Finds the directory in the file: right before the end record, which also tells how many bytes
// precede the archive, or else at the offset in the end record.
ZipResult<ZipEnd> locate_directory(const File& file, const Candidate& candidate) {
  const uint64_t before_end = candidate.offset_bytes - candidate.directory_bytes;
  const uint64_t claimed = candidate.directory_offset_bytes;
  ZipEnd end{.directory_offset_bytes = before_end,
             .directory_bytes = candidate.directory_bytes,
             .entry_count = candidate.entries,
             .offset_bytes = candidate.offset_bytes,
             .shift_bytes = 0,
             .comment_bytes = candidate.comment_bytes,
             .trailing_bytes = candidate.available_bytes - candidate.comment_bytes,
             .is_zip64 = candidate.is_zip64};
  if (candidate.directory_bytes == 0) return end;
  if (claimed <= before_end) {
    for (const uint64_t at : {before_end, claimed}) {
      const auto is_there = has_signature(file, at, kZipRecordSignature);
      if (!is_there) return std::unexpected(is_there.error());
      if (!*is_there) continue;
      end.directory_offset_bytes = at;
      end.shift_bytes = at - claimed;
      // True if no entry fits before the directory.
      end.is_in_front = at != before_end && at < kZipLocalBytes;
      return end;
    }
  }
  return wrong(ZipFlaw::no_directory, candidate.at, std::min(claimed, before_end), claimed,
               candidate.directory_bytes);
}

ZipResult<ZipEnd> examine(const File& file, Candidate candidate) {
  if (auto applied = apply_zip64(file, candidate); !applied)
    return std::unexpected(std::move(applied.error()));
  if (auto checked = check_figures(candidate); !checked)
    return std::unexpected(std::move(checked.error()));
  return locate_directory(file, candidate);
}

// Higher is better. A comment may contain bytes that look like an end record, most likely like that
// of an empty archive.
int rank(const ZipEnd& end) {
  return (end.directory_bytes > 0 ? 2 : 0) + (end.trailing_bytes == 0 ? 1 : 0);
}

// Returns the best valid candidate, the last among equals. If none is valid, returns the fault of
// the likeliest.
ZipResult<ZipEnd> best_end(const File& file) {
  Tail tail(file);
  if (auto got = tail.read_from(file); !got) return std::unexpected(std::move(got.error()));
  std::optional<ZipEnd> best;
  ZipFault fault{.flaw = ZipFlaw::no_end, .found = tail.size_bytes()};
  bool fault_is_exact = false;
  while (const auto candidate = tail.next()) {
    const bool is_exact = candidate->is_exact();
    auto end = examine(file, *candidate);
    if (end) {
      // This would be an empty archive with bytes after it, so the signature is there only by
      // chance.
      if (rank(*end) == 0 && end->offset_bytes != 0) continue;
      if (!best || rank(*end) >= rank(*best)) best = *end;
    } else if (is_exact || !fault_is_exact) {
      fault = std::move(end.error());
      fault_is_exact = is_exact;
    }
  }
  if (!best) return std::unexpected(std::move(fault));
  return *best;
}

// "PK00" or PK\7\8 before the first header marks an archive that is or was split.
bool starts_like_zip(std::string_view start) {
  for (const std::string_view magic : {"PK\3\4", "PK\5\6", "PK\6\6", "PK\7\10PK", "PK00PK"})
    if (start.starts_with(magic)) return true;
  return false;
}

// The extra field holds 64-bit values for exactly those fields that are saturated, in this order.
ZipFlaw apply_zip64_field(ZipRecord& record, uint16_t disk) {
  const auto field = find_extra_field(record.raw_extra, kZip64Field);
  const ZipFlaw of_disk = disk == 0 ? ZipFlaw::none : ZipFlaw::split_entry;
  if (!field) return of_disk;
  std::span<const std::byte> rest = *field;
  for (uint64_t* value : {&record.size_bytes, &record.stored_bytes, &record.header_offset_bytes}) {
    if (*value != UINT32_MAX) continue;
    if (rest.size() < sizeof(uint64_t)) return ZipFlaw::short_zip64_field;
    *value = load<uint64_t>(rest, 0);
    rest = rest.subspan(sizeof(uint64_t));
  }
  const bool is_first =
      disk == UINT16_MAX && rest.size() >= sizeof(uint32_t) && load<uint32_t>(rest, 0) == 0;
  return is_first ? ZipFlaw::none : of_disk;
}

// `record` must have at least kZipRecordBytes.
uint64_t record_bytes(std::span<const std::byte> record) {
  return kZipRecordBytes + load<uint16_t>(record, 28) + load<uint16_t>(record, 30) +
         load<uint16_t>(record, 32);
}

}  // namespace

ZipResult<ZipEnd> find_zip_end(const File& file) {
  auto end = best_end(file);
  if (!end || end->shift_bytes == 0) return end;
  const auto starts = has_signature(file, 0, kZipLocalSignature);
  if (!starts) return std::unexpected(starts.error());
  // A self-extractor's code isn't a zip. Here the file starts with an archive that has lost its
  // end, and the end record that was found belongs to an archive inside it or appended to it.
  if (*starts) return wrong(ZipFlaw::other_archive, end->offset_bytes, 0, end->shift_bytes);
  return end;
}

ZipResult<bool> is_zip(const File& file) {
  if (file.size_bytes() < 4) return false;
  std::array<std::byte, 6> bytes = {};
  const auto there = std::span(bytes).first(std::min<uint64_t>(file.size_bytes(), bytes.size()));
  if (auto got = read(file, 0, there); !got) return std::unexpected(std::move(got.error()));
  const std::string_view start = text_of(bytes);
  if (start.starts_with("\x89SKL")) return false;
  if (starts_like_zip(start)) return true;
  Tail tail(file);
  if (auto got = tail.read_from(file); !got) return std::unexpected(std::move(got.error()));
  while (const auto candidate = tail.next()) {
    const auto end = examine(file, *candidate);
    if (end && end->directory_bytes > 0) return true;
    // If the sizes match exactly, this is a zip with a damaged directory.
    if (candidate->is_exact() && candidate->entries > 0 && check_figures(*candidate) &&
        candidate->directory_offset_bytes <= candidate->offset_bytes - candidate->directory_bytes)
      return true;
  }
  return false;
}

std::optional<std::span<const std::byte>> find_extra_field(std::string_view extra,
                                                           uint16_t number) {
  std::span<const std::byte> rest = bytes_of(extra);
  while (rest.size() >= 4) {
    const auto found = load<uint16_t>(rest, 0);
    const auto length = load<uint16_t>(rest, 2);
    rest = rest.subspan(4);
    if (length > rest.size()) return std::nullopt;
    if (found == number) return rest.first(length);
    rest = rest.subspan(length);
  }
  return std::nullopt;
}

ZipRecord load_zip_record(std::span<const std::byte> bytes, uint64_t at_bytes, const ZipEnd& end) {
  const size_t name = load<uint16_t>(bytes, 28);
  const size_t extra = load<uint16_t>(bytes, 30);
  const size_t comment = load<uint16_t>(bytes, 32);
  const std::string_view text = text_of(bytes);
  ZipRecord record;
  record.version_made_by = load<uint16_t>(bytes, 4);
  record.version_needed = load<uint16_t>(bytes, 6);
  record.flags = load<uint16_t>(bytes, 8);
  record.method = load<uint16_t>(bytes, 10);
  record.dos_time = load<uint16_t>(bytes, 12);
  record.dos_date = load<uint16_t>(bytes, 14);
  record.crc32 = load<uint32_t>(bytes, 16);
  record.stored_bytes = load<uint32_t>(bytes, 20);
  record.size_bytes = load<uint32_t>(bytes, 24);
  record.internal_attributes = load<uint16_t>(bytes, 36);
  record.external_attributes = load<uint32_t>(bytes, 38);
  record.header_offset_bytes = load<uint32_t>(bytes, 42);
  record.raw_name = text.substr(kZipRecordBytes, name);
  record.raw_extra = text.substr(kZipRecordBytes + name, extra);
  record.raw_comment = text.substr(kZipRecordBytes + name + extra, comment);
  record.record_offset_bytes = end.directory_offset_bytes + at_bytes;
  record.flaw = apply_zip64_field(record, load<uint16_t>(bytes, 34));
  const uint64_t claimed = record.header_offset_bytes;
  record.header_offset_bytes = claimed + std::min(end.shift_bytes, UINT64_MAX - claimed);
  return record;
}

std::optional<ZipFault> fault_of(const ZipRecord& record, const ZipEnd& end) {
  const auto fault = [&](ZipFlaw flaw, uint64_t expected, uint64_t found, uint64_t also = 0) {
    return ZipFault{flaw, record.header_offset_bytes, expected, found, also};
  };
  if (record.header_offset_bytes > end.entries_end_bytes())
    return fault(ZipFlaw::beyond_directory, end.entries_end_bytes(), record.header_offset_bytes);
  if (record.header_offset_bytes < end.entries_begin_bytes())
    return fault(ZipFlaw::over_directory, end.entries_begin_bytes(), record.header_offset_bytes);
  const uint64_t header = kZipLocalBytes + record.raw_name.size();
  const uint64_t room = end.entries_end_bytes() - record.header_offset_bytes;
  if (header > room || record.stored_bytes > room - header)
    return fault(ZipFlaw::no_room, room, header, record.stored_bytes);
  const bool is_stored = record.method == kZipStored && !record.is_encrypted();
  if (is_stored && record.size_bytes != record.stored_bytes)
    return fault(ZipFlaw::stored_size, record.stored_bytes, record.size_bytes);
  if (record.method == kZipDeflated && record.size_bytes > 0 &&
      (record.size_bytes - 1) / kMostInflation >= record.stored_bytes)
    return fault(ZipFlaw::deflated_size, record.stored_bytes, record.size_bytes);
  return std::nullopt;
}

ZipRecords::ZipRecords(const File& file, const ZipEnd& end, const Memory& memory)
    : file_(file), end_(end), memory_(std::min(end.directory_bytes, kReadAheadBytes), memory) {}

// Loads the directory's next bytes. Returns false if it ends before them.
ZipResult<bool> ZipRecords::has(uint64_t length_bytes) {
  const uint64_t left = end_.directory_bytes - at_bytes_;
  if (length_bytes > left) return false;
  const size_t present = window_.size();
  if (length_bytes <= present) return true;
  const std::span<std::byte> all = memory_.bytes();
  if (present > 0) std::memmove(all.data(), window_.data(), present);
  window_ = all.first(std::min<uint64_t>(all.size(), left));
  if (auto got =
          read(file_, end_.directory_offset_bytes + at_bytes_ + present, window_.subspan(present));
      !got)
    return std::unexpected(std::move(got.error()));
  return true;
}

// Old tools wrote more than 65,535 entries and let the count overflow; unzip reads such archives.
ZipResult<bool> ZipRecords::check_count() const {
  const uint64_t told = end_.is_zip64 ? count_ : count_ % (UINT16_MAX + 1);
  if (told != end_.entry_count || count_ >= UINT32_MAX)
    return wrong(ZipFlaw::wrong_count, end_.offset_bytes, count_, end_.entry_count);
  return false;
}

ZipResult<bool> ZipRecords::next() {
  at_bytes_ += bytes_.size();
  window_ = window_.subspan(bytes_.size());
  bytes_ = {};
  if (at_bytes_ == end_.directory_bytes) return check_count();
  const uint64_t place = end_.directory_offset_bytes + at_bytes_;
  auto is_there = has(sizeof(uint32_t));
  if (!is_there) return is_there;
  const uint32_t signature = *is_there ? load<uint32_t>(window_, 0) : 0;
  if (signature == kSignedSignature) return check_count();
  if (signature != kZipRecordSignature) return wrong(ZipFlaw::bad_signature, place, 0, signature);
  uint64_t length = kZipRecordBytes;
  is_there = has(length);
  if (is_there && *is_there) {
    length = record_bytes(window_);
    is_there = has(length);
  }
  if (!is_there) return is_there;
  if (!*is_there)
    return wrong(ZipFlaw::cut_record, place, length, end_.directory_bytes - at_bytes_);
  bytes_ = window_.first(length);
  record_ = load_zip_record(bytes_, at_bytes_, end_);
  ++count_;
  if (record_.flaw != ZipFlaw::none) return wrong(record_.flaw, place);
  return true;
}

}  // namespace seekless::runtime
