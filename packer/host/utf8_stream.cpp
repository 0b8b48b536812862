#include "packer/host/utf8_stream.h"

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

bool is_ascii_text(uint32_t unit) {
  return (unit >= ' ' && unit < 0x7f) || unit == '\t' || unit == '\r' || unit == '\n';
}

// Returns true if the bytes, without a mark, are UTF-16 of this order.
bool is_utf16(std::string_view front, bool is_big) {
  const size_t units = front.size() / 2;
  size_t ascii = 0;
  for (size_t i = 0; i < units; ++i) {
    const uint32_t unit = unit_at(front, 2 * i, is_big);
    if (unit == 0 || (i < 2 && !is_ascii_text(unit))) return false;
    ascii += is_ascii_text(unit) ? 1 : 0;
  }
  return units >= 2 && ascii * 2 > units;
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

TextFront text_front(std::string_view front) {
  if (front.starts_with("\xef\xbb\xbf")) return {TextEncoding::utf8, 3};
  if (front.starts_with("\xff\xfe")) return {TextEncoding::utf16_little, 2};
  if (front.starts_with("\xfe\xff")) return {TextEncoding::utf16_big, 2};
  front = front.substr(0, kTextFrontBytes);
  if (is_utf16(front, false)) return {TextEncoding::utf16_little, 0};
  if (is_utf16(front, true)) return {TextEncoding::utf16_big, 0};
  return {};
}

std::string utf8_text(std::string bytes) {
  const TextFront front = text_front(bytes);
  if (front.is_plain()) return bytes;
  if (front.encoding == TextEncoding::utf8) return bytes.substr(front.mark_bytes);
  std::string text;
  append_utf16(text, std::string_view(bytes).substr(front.mark_bytes),
               front.encoding == TextEncoding::utf16_big);
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
  } while (!at_end_ && filled < (is_begun_ ? 4 : kTextFrontBytes));
  std::string_view bytes(raw_.data(), filled);
  if (!is_begun_) {
    const TextFront front = text_front(bytes);
    encoding_ = front.encoding;
    bytes.remove_prefix(front.mark_bytes);
  }
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
  if (is_begun_ && encoding_ == TextEncoding::utf8 && given_ == text_.size())
    return stream_.read(into);
  while (given_ == text_.size() && !at_end_)
    if (auto filled = refill(); !filled) return std::unexpected(filled.error());
  const size_t count = std::min(into.size(), text_.size() - given_);
  if (count > 0) std::memcpy(into.data(), text_.data() + given_, count);
  given_ += count;
  return count;
}

}  // namespace seekless
