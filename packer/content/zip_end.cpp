#include "packer/content/zip_end.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "packer/content/little_endian.h"

namespace seekless {
namespace {

constexpr uint32_t kRecordSignature = 0x02014b50;
constexpr uint32_t kZip64EndSignature = 0x06064b50;
constexpr uint32_t kZip64LocatorSignature = 0x07064b50;
constexpr std::string_view kEndMagic = "PK\5\6";
constexpr uint64_t kEndBytes = 22;
constexpr uint64_t kRecordBytes = 46;  // the shortest record of the directory
constexpr uint64_t kZip64EndBytes = 56;
constexpr uint64_t kZip64LocatorBytes = 20;
constexpr uint64_t kMaxCommentBytes = UINT16_MAX;
constexpr const char* kCutShort =
    "it may be cut short: get it again, or declare it opaque to pack it as a plain file";

// Something with the signature of an end record.
struct Candidate {
  uint64_t at = 0;  // in the file
  uint64_t disk = 0;
  uint64_t directory_disk = 0;
  uint64_t entries_here = 0;
  uint64_t entries = 0;
  uint64_t directory_bytes = 0;
  uint64_t directory_offset_bytes = 0;  // as claimed
  uint64_t comment_bytes = 0;
  uint64_t available_bytes = 0;  // behind the record, to the end of the file
  uint64_t end_offset_bytes = 0;
  bool is_zip64 = false;

  bool is_exact() const { return comment_bytes == available_bytes; }
};

std::unexpected<Error> bad_end(const ByteSource& source, const Candidate& candidate,
                               std::string expected, std::string found) {
  return damaged({.file = source.name(),
                  .place = fmt::format("zip end record at byte {}", candidate.at),
                  .expected = std::move(expected),
                  .found = std::move(found),
                  .advice = kCutShort});
}

template <size_t N>
Result<std::array<std::byte, N>> read_bytes(const ByteSource& source, uint64_t offset_bytes) {
  std::array<std::byte, N> bytes;
  if (auto read = source.read_at(offset_bytes, bytes); !read) return std::unexpected(read.error());
  return bytes;
}

Result<bool> has_signature(const ByteSource& source, uint64_t offset_bytes, uint32_t signature) {
  if (offset_bytes > source.size_bytes() || source.size_bytes() - offset_bytes < 4) return false;
  const auto bytes = read_bytes<4>(source, offset_bytes);
  if (!bytes) return std::unexpected(bytes.error());
  return load<uint32_t>(*bytes, 0) == signature;
}

// All candidates in the part of the file where an end record may lie, in the order of the file.
Result<std::vector<Candidate>> find_candidates(const ByteSource& source) {
  const uint64_t size = source.size_bytes();
  std::vector<std::byte> tail(std::min(size, kEndBytes + kMaxCommentBytes));
  const uint64_t tail_offset = size - tail.size();
  if (auto read = source.read_at(tail_offset, tail); !read) return std::unexpected(read.error());

  std::vector<Candidate> candidates;
  const std::string_view text = text_of(tail);
  for (size_t at = text.find(kEndMagic); at != text.npos; at = text.find(kEndMagic, at + 1)) {
    if (tail.size() - at < kEndBytes) break;
    const std::span<const std::byte> record = std::span(tail).subspan(at);
    Candidate candidate;
    candidate.at = candidate.end_offset_bytes = tail_offset + at;
    candidate.disk = load<uint16_t>(record, 4);
    candidate.directory_disk = load<uint16_t>(record, 6);
    candidate.entries_here = load<uint16_t>(record, 8);
    candidate.entries = load<uint16_t>(record, 10);
    candidate.directory_bytes = load<uint32_t>(record, 12);
    candidate.directory_offset_bytes = load<uint32_t>(record, 16);
    candidate.comment_bytes = load<uint16_t>(record, 20);
    candidate.available_bytes = record.size() - kEndBytes;
    candidates.push_back(candidate);
  }
  return candidates;
}

// Where the zip64 end record lies that the locator before `candidate` points to. Its place is
// claimed from the start of the archive, which may stand behind other data: so right before the
// locator comes first.
Result<std::optional<uint64_t>> find_zip64_end(const ByteSource& source,
                                               const Candidate& candidate) {
  if (candidate.at < kZip64LocatorBytes + kZip64EndBytes) return std::nullopt;
  const uint64_t locator_offset = candidate.at - kZip64LocatorBytes;
  const auto locator = read_bytes<kZip64LocatorBytes>(source, locator_offset);
  if (!locator) return std::unexpected(locator.error());
  if (load<uint32_t>(*locator, 0) != kZip64LocatorSignature) return std::nullopt;
  for (const uint64_t at : {locator_offset - kZip64EndBytes, load<uint64_t>(*locator, 8)}) {
    if (at > locator_offset - kZip64EndBytes) continue;
    const auto record = read_bytes<12>(source, at);
    if (!record) return std::unexpected(record.error());
    // The length stands for what follows it; extensible data may stand behind the known fields.
    if (load<uint32_t>(*record, 0) == kZip64EndSignature &&
        load<uint64_t>(*record, 4) == locator_offset - at - 12)
      return at;
  }
  return std::nullopt;
}

void take_if_saturated(uint64_t& field, uint64_t saturated, uint64_t wide) {
  if (field == saturated) field = wide;
}

Result<void> apply_zip64(const ByteSource& source, Candidate& candidate) {
  const auto at = find_zip64_end(source, candidate);
  if (!at) return std::unexpected(at.error());
  if (!*at) {
    // An archive of the old form may have exactly 65,535 entries, so that alone proves nothing.
    if (candidate.directory_bytes != UINT32_MAX && candidate.directory_offset_bytes != UINT32_MAX)
      return {};
    return bad_end(source, candidate, "a zip64 end record before it, as it calls for one", "none");
  }
  const auto record = read_bytes<kZip64EndBytes>(source, **at);
  if (!record) return std::unexpected(record.error());
  take_if_saturated(candidate.disk, UINT16_MAX, load<uint32_t>(*record, 16));
  take_if_saturated(candidate.directory_disk, UINT16_MAX, load<uint32_t>(*record, 20));
  take_if_saturated(candidate.entries_here, UINT16_MAX, load<uint64_t>(*record, 24));
  take_if_saturated(candidate.entries, UINT16_MAX, load<uint64_t>(*record, 32));
  take_if_saturated(candidate.directory_bytes, UINT32_MAX, load<uint64_t>(*record, 40));
  take_if_saturated(candidate.directory_offset_bytes, UINT32_MAX, load<uint64_t>(*record, 48));
  candidate.end_offset_bytes = **at;
  candidate.is_zip64 = true;
  return {};
}

Result<void> check_figures(const ByteSource& source, const Candidate& candidate) {
  if (candidate.comment_bytes > candidate.available_bytes)
    return bad_end(source, candidate, fmt::format("a comment of {} bytes", candidate.comment_bytes),
                   fmt::format("{} bytes to the end of the file", candidate.available_bytes));
  if (candidate.disk != 0 || candidate.directory_disk != 0 ||
      candidate.entries_here != candidate.entries)
    return damaged({.file = source.name(),
                    .place = fmt::format("zip end record at byte {}", candidate.at),
                    .expected = "an archive in one file",
                    .found = fmt::format("part {} of a split archive", candidate.disk + 1),
                    .advice = "join the parts (zip -s 0 IN.zip --out OUT.zip)"});
  if (candidate.directory_bytes > candidate.end_offset_bytes)
    return bad_end(source, candidate,
                   fmt::format("a directory of at most {} bytes", candidate.end_offset_bytes),
                   fmt::format("one of {} bytes", candidate.directory_bytes));
  if (candidate.entries > candidate.directory_bytes / kRecordBytes)
    return bad_end(source, candidate, fmt::format("a directory of {} entries", candidate.entries),
                   fmt::format("one of {} bytes", candidate.directory_bytes));
  return {};
}

// Finds the directory in the file: right before the end record, from which the length of what was
// put before the archive follows; or else where the end record says.
Result<ZipEnd> locate_directory(const ByteSource& source, const Candidate& candidate) {
  const uint64_t before_end = candidate.end_offset_bytes - candidate.directory_bytes;
  const uint64_t claimed = candidate.directory_offset_bytes;
  ZipEnd end{.directory_offset_bytes = before_end,
             .directory_bytes = candidate.directory_bytes,
             .entry_count = candidate.entries,
             .end_offset_bytes = candidate.end_offset_bytes,
             .shift_bytes = before_end - claimed,
             .trailing_bytes = candidate.available_bytes - candidate.comment_bytes,
             .comment_bytes = candidate.comment_bytes,
             .comment = {},
             .is_zip64 = candidate.is_zip64};
  if (candidate.directory_bytes == 0) {
    end.shift_bytes = 0;
    return end;
  }
  if (claimed <= before_end) {
    const auto is_before_end = has_signature(source, before_end, kRecordSignature);
    if (!is_before_end) return std::unexpected(is_before_end.error());
    if (*is_before_end) return end;
    const auto is_at_claimed = has_signature(source, claimed, kRecordSignature);
    if (!is_at_claimed) return std::unexpected(is_at_claimed.error());
    if (*is_at_claimed) {
      end.directory_offset_bytes = claimed;
      end.shift_bytes = 0;
      return end;
    }
  }
  return bad_end(source, candidate,
                 fmt::format("a central directory at byte {}", std::min(claimed, before_end)),
                 claimed > before_end
                     ? fmt::format("byte {} claimed for its start, and {} for its length", claimed,
                                   candidate.directory_bytes)
                     : "no record of one there");
}

Result<ZipEnd> examine(const ByteSource& source, Candidate candidate) {
  if (auto applied = apply_zip64(source, candidate); !applied)
    return std::unexpected(applied.error());
  if (auto checked = check_figures(source, candidate); !checked)
    return std::unexpected(checked.error());
  return locate_directory(source, candidate);
}

// Higher is better. Comments may hold what looks like an end record, an empty one above all.
int rank(const ZipEnd& end) {
  return (end.directory_bytes > 0 ? 2 : 0) + (end.trailing_bytes == 0 ? 1 : 0);
}

// The best of the sound candidates, of equals the last; else what is wrong with the likeliest.
Result<ZipEnd> best_end(const ByteSource& source, const std::vector<Candidate>& candidates) {
  std::optional<ZipEnd> best;
  std::optional<Error> fault;
  bool fault_is_exact = false;
  for (const Candidate& candidate : candidates) {
    auto end = examine(source, candidate);
    if (end) {
      // Empty, and bytes behind it: only chance put the signature there.
      if (rank(*end) == 0 && end->end_offset_bytes != 0) continue;
      if (!best || rank(*end) >= rank(*best)) best = std::move(*end);
    } else if (!fault || candidate.is_exact() || !fault_is_exact) {
      fault = end.error();
      fault_is_exact = candidate.is_exact();
    }
  }
  if (best) return *std::move(best);
  if (fault) return std::unexpected(*fault);
  return damaged({.file = source.name(),
                  .place = fmt::format("the last {} bytes",
                                       std::min(source.size_bytes(), kEndBytes + kMaxCommentBytes)),
                  .expected = "the end record of a zip archive",
                  .found = "none",
                  .advice = kCutShort});
}

// "PK00" and PK\7\8 before the first header mark archives that were, or are, split.
Result<bool> starts_like_zip(const ByteSource& source) {
  if (source.size_bytes() < 4) return false;
  std::array<std::byte, 6> bytes = {};
  if (auto read = source.read_at(
          0, std::span(bytes).first(std::min<uint64_t>(source.size_bytes(), bytes.size())));
      !read)
    return std::unexpected(read.error());
  const std::string_view start = text_of(bytes);
  for (const std::string_view magic : {"PK\3\4", "PK\5\6", "PK\6\6", "PK\7\10PK", "PK00PK"})
    if (start.starts_with(magic)) return true;
  return false;
}

}  // namespace

Result<ZipEnd> find_zip_end(const ByteSource& source) {
  const auto candidates = find_candidates(source);
  if (!candidates) return std::unexpected(candidates.error());
  auto end = best_end(source, *candidates);
  if (!end) return end;
  const uint64_t comment_offset = source.size_bytes() - end->trailing_bytes - end->comment_bytes;
  end->comment.resize(end->comment_bytes);
  if (auto read = source.read_at(comment_offset, std::as_writable_bytes(std::span(end->comment)));
      !read)
    return std::unexpected(read.error());
  if (end->shift_bytes == 0) return end;
  const auto starts = has_signature(source, 0, 0x04034b50);
  if (!starts) return std::unexpected(starts.error());
  if (!*starts) return end;
  // What comes before a self-extractor isn't a zip. Here the archive that starts the file has lost
  // its end, and what was found belongs to an archive inside it or appended to it.
  return damaged({.file = source.name(),
                  .place = fmt::format("zip end record at byte {}", end->end_offset_bytes),
                  .expected = "the end of the archive that starts at byte 0",
                  .found = fmt::format("that of another that starts at byte {}", end->shift_bytes),
                  .advice = kCutShort});
}

Result<bool> has_zip_signature(const ByteSource& source) {
  const auto starts = starts_like_zip(source);
  if (!starts || *starts) return starts;
  const auto candidates = find_candidates(source);
  if (!candidates) return std::unexpected(candidates.error());
  for (const Candidate& candidate : *candidates) {
    const auto end = examine(source, candidate);
    if (end && end->directory_bytes > 0) return true;
    // A directory that is damaged: the figures must fit to the byte.
    if (candidate.is_exact() && candidate.entries > 0 && check_figures(source, candidate) &&
        candidate.directory_offset_bytes <= candidate.end_offset_bytes - candidate.directory_bytes)
      return true;
  }
  return false;
}

}  // namespace seekless
