#include "packer/trace/internal/lines.h"

#include <algorithm>
#include <cstring>

namespace seekless {
namespace {
constexpr size_t kCutBytes = 1024;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

LineReader::LineReader(ByteStream& stream, size_t limit_bytes, size_t read_bytes)
    : stream_(stream), limit_bytes_(limit_bytes), read_bytes_(read_bytes), buffer_(read_bytes) {}

Result<void> LineReader::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size())
    buffer_.resize(std::min(buffer_.size() * 2, limit_bytes_ + read_bytes_));
  SKL_TRY(const auto got, stream_.read(std::as_writable_bytes(std::span(buffer_).subspan(end_))));
  end_ += got;
  at_end_ = got == 0;
  return {};
}

Result<void> LineReader::skip_rest() {
  for (;;) {
    const void* newline = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
    if (newline != nullptr) {
      begin_ = static_cast<size_t>(static_cast<const char*>(newline) - buffer_.data()) + 1;
      return {};
    }
    begin_ = end_;
    if (at_end_) return {};
    SKL_TRY_DO(refill());
  }
}

Result<bool> LineReader::next(Line& line) {
  size_t scanned = 0;
  const char* newline = nullptr;
  while (scanned <= limit_bytes_) {
    const char* from = buffer_.data() + begin_;
    newline = static_cast<const char*>(std::memchr(from + scanned, '\n', end_ - begin_ - scanned));
    if (newline != nullptr || at_end_) break;
    scanned = end_ - begin_;
    if (scanned > limit_bytes_) break;
    SKL_TRY_DO(refill());
  }
  const char* from = buffer_.data() + begin_;
  size_t length = newline != nullptr ? static_cast<size_t>(newline - from) : end_ - begin_;
  if (newline == nullptr && length == 0) return false;

  line.number = ++lines_;
  line.is_cut = length > limit_bytes_;
  line.is_ended = newline != nullptr || !at_end_;
  begin_ += length + (newline != nullptr ? 1 : 0);
  if (line.is_cut) {
    // Copies the front of the line, because the buffer is refilled while the rest is skipped.
    cut_.assign(from, from + std::min(length, kCutBytes));
    if (newline == nullptr) {
      SKL_TRY_DO(skip_rest());
    }
    line.text = {cut_.data(), cut_.size()};
    return true;
  }
  if (length > 0 && newline != nullptr && from[length - 1] == '\r') --length;
  line.text = {from, length};
  // A byte order mark in mid-file belongs to a file that was appended to another one.
  if (line.text.starts_with(kByteOrderMark.front()) && line.text.starts_with(kByteOrderMark))
    line.text.remove_prefix(kByteOrderMark.size());
  return true;
}

}  // namespace seekless
