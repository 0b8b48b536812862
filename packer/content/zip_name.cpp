#include "packer/content/zip_name.h"

#include <algorithm>

#include <libdeflate.h>

#include "packer/content/zip_directory.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

constexpr uint16_t kUnicodePathField = 0x7075;

// Host systems: the high byte of "version made by".
constexpr unsigned kHostFat = 0;
constexpr unsigned kHostUnix = 3;
constexpr unsigned kHostHpfs = 6;
constexpr unsigned kHostNtfs = 10;
constexpr unsigned kHostNtfsOfInfoZip = 11;
constexpr unsigned kHostVfat = 14;
constexpr unsigned kHostMacOs = 19;

// Code page 437, upper half: all of its characters lie in the basic plane.
constexpr uint16_t kCodePage437[128] = {
    0x00C7, 0x00FC, 0x00E9, 0x00E2, 0x00E4, 0x00E0, 0x00E5, 0x00E7, 0x00EA, 0x00EB, 0x00E8, 0x00EF,
    0x00EE, 0x00EC, 0x00C4, 0x00C5, 0x00C9, 0x00E6, 0x00C6, 0x00F4, 0x00F6, 0x00F2, 0x00FB, 0x00F9,
    0x00FF, 0x00D6, 0x00DC, 0x00A2, 0x00A3, 0x00A5, 0x20A7, 0x0192, 0x00E1, 0x00ED, 0x00F3, 0x00FA,
    0x00F1, 0x00D1, 0x00AA, 0x00BA, 0x00BF, 0x2310, 0x00AC, 0x00BD, 0x00BC, 0x00A1, 0x00AB, 0x00BB,
    0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557,
    0x255D, 0x255C, 0x255B, 0x2510, 0x2514, 0x2534, 0x252C, 0x251C, 0x2500, 0x253C, 0x255E, 0x255F,
    0x255A, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550, 0x256C, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559,
    0x2558, 0x2552, 0x2553, 0x256B, 0x256A, 0x2518, 0x250C, 0x2588, 0x2584, 0x258C, 0x2590, 0x2580,
    0x03B1, 0x00DF, 0x0393, 0x03C0, 0x03A3, 0x03C3, 0x00B5, 0x03C4, 0x03A6, 0x0398, 0x03A9, 0x03B4,
    0x221E, 0x03C6, 0x03B5, 0x2229, 0x2261, 0x00B1, 0x2265, 0x2264, 0x2320, 0x2321, 0x00F7, 0x2248,
    0x00B0, 0x2219, 0x00B7, 0x221A, 0x207F, 0x00B2, 0x25A0, 0x00A0,
};

void append_utf8(std::string& out, uint16_t code_point) {
  if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | (code_point >> 6));
  } else {
    out += static_cast<char>(0xE0 | (code_point >> 12));
    out += static_cast<char>(0x80 | ((code_point >> 6) & 0x3F));
  }
  out += static_cast<char>(0x80 | (code_point & 0x3F));
}

std::string decode_code_page_437(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (const char c : raw) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80)
      out += c;
    else
      append_utf8(out, kCodePage437[code - 0x80]);
  }
  return out;
}

// Version 1, CRC-32 of the raw name (so that a tool that renames without knowing this field makes
// it void), then the name in UTF-8.
std::optional<std::string_view> unicode_path(std::string_view raw_name, std::string_view extra) {
  const auto field = runtime::find_extra_field(extra, kUnicodePathField);
  if (!field || field->size() < 5 || load<uint8_t>(*field, 0) != 1) return std::nullopt;
  const uint32_t crc = libdeflate_crc32(0, raw_name.data(), raw_name.size());
  const std::string_view name = text_of(field->subspan(5));
  if (load<uint32_t>(*field, 1) != crc || !is_valid_utf8(name)) return std::nullopt;
  return name;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

std::string decode_zip_name(std::string_view raw_name, std::string_view extra, uint16_t flags,
                            uint16_t version_made_by) {
  if (const auto name = unicode_path(raw_name, extra)) return std::string(*name);
  const unsigned host = version_made_by >> 8;
  const bool is_unix = host == kHostUnix || host == kHostMacOs;
  if ((flags & zip_flag::kUtf8) != 0 || is_ascii(raw_name) || (is_unix && is_valid_utf8(raw_name)))
    return std::string(raw_name);
  return decode_code_page_437(raw_name);
}

bool is_made_on_dos(uint16_t version_made_by) {
  const unsigned host = version_made_by >> 8;
  return host == kHostFat || host == kHostHpfs || host == kHostNtfs || host == kHostNtfsOfInfoZip ||
         host == kHostVfat;
}

std::string normalise_zip_name(std::string name, uint16_t version_made_by) {
  if (is_made_on_dos(version_made_by)) std::ranges::replace(name, '\\', '/');
  const auto doubled = std::ranges::unique(
      name, [](char before, char after) { return before == '/' && after == '/'; });
  name.erase(doubled.begin(), doubled.end());
  while (name.starts_with("./")) name.erase(0, 2);
  return name;
}

}  // namespace seekless
