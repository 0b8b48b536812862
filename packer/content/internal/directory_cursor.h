// Reads a directory sequentially, piece by piece, and never past its end. The formats of
// flat_archive.h use it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "packer/base/error.h"
#include "packer/host/files.h"
#include "runtime/zip_fields.h"

namespace seekless {

// Limits the memory for names that consist of a folder's name and a file's, so that a damaged
// directory can't make one long name stand for a million entries.
class NameBudget {
 public:
  explicit NameBudget(uint64_t directory_bytes)
      : left_bytes_(16 * directory_bytes + (uint64_t{1} << 20)) {}

  Result<void> spend(const ByteSource& source, uint64_t name_bytes) {
    if (name_bytes > left_bytes_)
      return damaged({.file = source.name(),
                      .place = "directory",
                      .expected = "names in proportion to it",
                      .found = "the same long names again and again",
                      .advice = "the archive is damaged: get it again"});
    left_bytes_ -= name_bytes;
    return {};
  }

 private:
  uint64_t left_bytes_;
};

class DirectoryCursor {
 public:
  DirectoryCursor(const ByteSource& source, uint64_t at_bytes, uint64_t end_bytes)
      : source_(source), at_bytes_(at_bytes), end_bytes_(end_bytes) {}

  uint64_t at_bytes() const { return at_bytes_; }

  // Returns the next bytes, valid until the next call; nothing past the end.
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
      SKL_TRY_DO(source_.read_at(window_at_, window_));
    }
    const auto bytes = std::span<const std::byte>(window_).subspan(at_bytes_ - window_at_, count);
    at_bytes_ += count;
    return bytes;
  }

  template <std::unsigned_integral T>
  Result<T> number() {
    SKL_TRY(const auto bytes, take(sizeof(T)));
    return load<T>(bytes, 0);
  }

  // Returns the text before the next zero, without it; valid until the next call.
  Result<std::string_view> text_before_zero() {
    const uint64_t begin_bytes = at_bytes_;
    SKL_TRY(const auto bytes, take(std::min<uint64_t>(end_bytes_ - at_bytes_, kMostNameBytes)));
    const size_t length = text_of(bytes).find('\0');
    if (length == std::string_view::npos)
      return damaged({.file = source_.name(),
                      .place = fmt::format("directory at byte {}", begin_bytes),
                      .expected = fmt::format("a name of at most {} bytes", kMostNameBytes),
                      .found = "a longer one",
                      .advice = "the archive is damaged: get it again"});
    at_bytes_ = begin_bytes + length + 1;
    return text_of(bytes).substr(0, length);
  }

 private:
  static constexpr size_t kWindowBytes = 1 << 16;
  static constexpr size_t kMostNameBytes = 4096;

  const ByteSource& source_;
  uint64_t at_bytes_;
  uint64_t end_bytes_;
  std::vector<std::byte> window_;
  uint64_t window_at_ = 0;
};

}  // namespace seekless
