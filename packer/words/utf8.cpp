#include "packer/words/utf8.h"

#include <algorithm>
#include <array>

namespace seekless {
namespace {

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

uint32_t unit_at(std::string_view bytes, size_t at, bool is_big) {
  const auto first = static_cast<unsigned char>(bytes[at]);
  const auto second = static_cast<unsigned char>(bytes[at + 1]);
  return is_big ? uint32_t{first} << 8 | second : uint32_t{second} << 8 | first;
}

bool is_ascii_text(uint32_t unit) {
  return (unit >= ' ' && unit < 0x7f) || unit == '\t' || unit == '\r' || unit == '\n';
}

// Returns true if the bytes are UTF-16 in this byte order, without a byte order mark.
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

Utf8Character first_character(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  char32_t code = lead & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return {};
    code = code << 6 | (static_cast<uint8_t>(text[i]) & 0x3f);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, length, true};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (!character.valid) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

void append_character(std::string& text, char32_t code) {
  auto put = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

size_t begin_of_character(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && is_continuation(text[at])) --at;
  return at;
}

std::string characters_of_bytes(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) append_character(text, static_cast<unsigned char>(byte));
  return text;
}

std::optional<std::string> bytes_of_characters(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (!character.valid || character.code > 0xff) return std::nullopt;
    bytes += static_cast<char>(character.code);
    text.remove_prefix(character.bytes);
  }
  return bytes;
}

size_t append_utf16(std::string& text, std::string_view bytes, bool is_big) {
  size_t at = 0;
  while (bytes.size() - at >= 2) {
    const uint32_t unit = unit_at(bytes, at, is_big);
    if (unit < 0xd800 || unit > 0xdfff) {
      append_character(text, unit);
    } else if (unit > 0xdbff) {
      append_character(text, kReplacementCharacter);
    } else {
      if (bytes.size() - at < 4) break;
      const uint32_t low = unit_at(bytes, at + 2, is_big);
      if (low >= 0xdc00 && low <= 0xdfff) {
        append_character(text, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
        at += 2;
      } else {
        append_character(text, kReplacementCharacter);
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

}  // namespace seekless
