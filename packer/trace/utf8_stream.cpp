#include "packer/trace/utf8_stream.h"

#include <algorithm>
#include <cstring>

namespace seekless {
namespace {

constexpr size_t kReadAtOnceBytes = size_t{256} << 10;
constexpr uint32_t kReplacement = 0xfffd;

void append_code_point(std::string& text, uint32_t point) {
  auto put = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xc0 | point >> 6);
  } else {
    if (point < 0x10000) {
      put(0xe0 | point >> 12);
    } else {
      put(0xf0 | point >> 18);
      put(0x80 | (point >> 12 & 0x3f));
    }
    put(0x80 | (point >> 6 & 0x3f));
  }
  put(0x80 | (point & 0x3f));
}

uint32_t unit_at(std::string_view bytes, size_t at, bool is_big) {
  const auto first = static_cast<unsigned char>(bytes[at]);
  const auto second = static_cast<unsigned char>(bytes[at + 1]);
  return is_big ? uint32_t{first} << 8 | second : uint32_t{second} << 8 | first;
}

// Takes the byte order mark off.
TextEncoding take_mark(std::string_view& bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) {
    bytes.remove_prefix(3);
  } else if (bytes.starts_with("\xff\xfe")) {
    bytes.remove_prefix(2);
    return TextEncoding::utf16_little;
  } else if (bytes.starts_with("\xfe\xff")) {
    bytes.remove_prefix(2);
    return TextEncoding::utf16_big;
  }
  return TextEncoding::utf8;
}

}  // namespace

size_t append_utf16(std::string& text, std::string_view bytes, bool is_big) {
  size_t at = 0;
  while (bytes.size() - at >= 2) {
    const uint32_t unit = unit_at(bytes, at, is_big);
    if (unit < 0xd800 || unit > 0xdfff) {
      append_code_point(text, unit);
    } else if (unit > 0xdbff) {
      append_code_point(text, kReplacement);
    } else {
      if (bytes.size() - at < 4) break;
      const uint32_t low = unit_at(bytes, at + 2, is_big);
      if (low >= 0xdc00 && low <= 0xdfff) {
        append_code_point(text, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
        at += 2;
      } else {
        append_code_point(text, kReplacement);
      }
    }
    at += 2;
  }
  return bytes.size() - at;
}

std::string utf8_front(std::string_view front) {
  const TextEncoding encoding = take_mark(front);
  if (encoding == TextEncoding::utf8) return std::string(front);
  std::string text;
  append_utf16(text, front, encoding == TextEncoding::utf16_big);
  return text;
}

Result<void> Utf8Stream::refill() {
  text_.clear();
  given_ = 0;
  raw_.resize(kReadAtOnceBytes);
  std::copy(carried_.begin(), carried_.end(), raw_.begin());
  size_t filled = carried_.size();
  do {
    const auto got = stream_.read(std::as_writable_bytes(std::span(raw_)).subspan(filled));
    if (!got) return std::unexpected(got.error());
    at_end_ = *got == 0;
    filled += *got;
  } while (!at_end_ && filled < 4);
  std::string_view bytes(raw_.data(), filled);
  if (!is_begun_) encoding_ = take_mark(bytes);
  is_begun_ = true;
  carried_.clear();
  if (encoding_ == TextEncoding::utf8) {
    text_ = bytes;
    return {};
  }
  const size_t rest = append_utf16(text_, bytes, encoding_ == TextEncoding::utf16_big);
  carried_ = bytes.substr(bytes.size() - rest);
  if (at_end_ && rest > 0) append_code_point(text_, kReplacement);
  return {};
}

Result<size_t> Utf8Stream::read(std::span<std::byte> into) {
  while (given_ == text_.size() && !at_end_)
    if (auto filled = refill(); !filled) return std::unexpected(filled.error());
  const size_t count = std::min(into.size(), text_.size() - given_);
  if (count > 0) std::memcpy(into.data(), text_.data() + given_, count);
  given_ += count;
  return count;
}

}  // namespace seekless
